/* API versions of configuration files that programs once read. */
#pragma once

#include "base/slice.h"
#include <stdbool.h>

struct config_version {
        const char *kind, *group, *version; /* version: v1beta3 */
        bool is_newest;                     /* what the roles read */
};
/* NULL = no such kind, or no such version of it. */
const struct config_version *config_version_find(struct slice kind, struct slice api_version);
