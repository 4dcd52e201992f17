/* Values of selectable fields that are not simply members of the object. */
#pragma once

#include "kinds/kind.h"

#define FIELD_VALUE_HOOK(name)                                                                     \
        struct slice name(const struct json *object, struct slice field, char *buffer)
FIELD_VALUE_HOOK(pod_field);
FIELD_VALUE_HOOK(node_field);
FIELD_VALUE_HOOK(event_field);
FIELD_VALUE_HOOK(job_field);
FIELD_VALUE_HOOK(replication_controller_field);
