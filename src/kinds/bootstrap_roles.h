/* The ClusterRoles that exist from the start, besides cluster-admin. */
#pragma once

#include "base/slice.h"

/* Calls EACH for each of them, always in the same order, with its JSON, which is valid during the
 * call. */
void bootstrap_roles_each(void (*each)(struct slice json, void *data), void *data);
