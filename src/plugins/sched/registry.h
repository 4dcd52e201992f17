/* The scheduler's plugins: each file here that defines a `const struct plugin plugin_NAME`,
 * collected when the program is built (scripts/plugin_registry.py). */
#pragma once

#include "plugin/plugin.h"

extern const struct plugin *const sched_registry[]; /* NULL-ended, in the order of the files */
