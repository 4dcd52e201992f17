/* The styles of reports, from ui/, in the program. */
#pragma once

#include "base/embedded_text.h"

extern const struct embedded_text report_styles[];
