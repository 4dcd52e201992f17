/* The checks of the Pod Security Standards. */
#pragma once

#include "api/json.h"
#include "base/arena.h"
#include "base/buf.h"
#include <stdbool.h>

enum security_level { SECURITY_PRIVILEGED, SECURITY_BASELINE, SECURITY_RESTRICTED };
#define SECURITY_LATEST 1000 /* a minor version that is newer than all */

struct security_pod {
        const struct json_node *metadata, *spec;
        struct arena *arena;
        unsigned minor; /* of the standards */
};
/* What a pod violates: reasons with what is wrong in brackets, separated by commas; details = false
 * leaves the brackets out. False when it violates nothing. */
bool security_violations(const struct security_pod *pod, enum security_level level, bool details,
                         struct buf *out);
