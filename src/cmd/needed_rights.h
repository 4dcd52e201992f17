/* Where a program without permission finds its rights: the manifests of deploy/. */
#pragma once

#include "base/slice.h"
#include <stdbool.h>

/* "deploy/descheduler/rbac.yaml" for "descheduler" and "berth-descheduler"; NULL = none. */
const char *needed_rights_of(const char *command);
/* An API server's refusal for want of a right, which names verb, resource and namespace. */
bool needed_rights_miss(struct slice text);
