/* Paths of pods in the API. */
#pragma once

#include "base/slice.h"
#include <stdbool.h>

struct pod_path { /* slices of the path */
        struct slice ns, name, rest;
};
/* /api/v1/namespaces/NAMESPACE/pods/NAME, and what follows ("eviction", "" = nothing). */
bool pod_path_read(struct slice path, struct pod_path *ret_path);
