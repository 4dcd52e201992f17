/* The ClusterRoles that exist from the start, besides cluster-admin, and the bindings of the
 * controllers' own. */
#pragma once

#include "base/slice.h"

/* Calls EACH for each of them, always in the same order, with the path of its collection and its
 * JSON, which is valid during the call. */
void bootstrap_roles_each(void (*each)(const char *path, struct slice json, void *data),
                          void *data);
