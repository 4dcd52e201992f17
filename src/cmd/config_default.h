/* Configuration files to begin with: all settings of a kind, with what they are for and with their
 * defaults, made from the tables that read them. */
#pragma once

#include "base/buf.h"
#include <stdbool.h>

extern const char *const config_default_kinds[]; /* NULL-ended */
/* False for a kind that is none of these; capitals do not matter. */
bool config_default_write(const char *kind, struct buf *out);
