/* The clock that never goes back, for what is measured while the loop's "now" stands still. */
#pragma once

#include "base/time.h"

struct mono_time mono_time_now(void);
