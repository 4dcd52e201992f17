/* An object as it arrives from an API server: as a value, or as a pod whose value is made when
 * somebody asks for it. */
#pragma once

#include "api/object.h"

/* Valid during the call that brings it. */
struct arrival {
        const struct json *value;                  /* with a pod NULL until somebody asked */
        const struct pod *pod;                     /* NULL: it comes as a value */
        const struct json *(*make)(void *context); /* the value of the pod */
        void *context;
};

/* All members, but those that no role reads may be missing; never NULL. */
const struct json *arrival_value(struct arrival *arrival);
struct slice arrival_namespace(const struct arrival *arrival);
struct slice arrival_name(const struct arrival *arrival);
struct slice arrival_uid(const struct arrival *arrival);
struct slice arrival_resource_version(const struct arrival *arrival);
struct slice arrival_node(const struct arrival *arrival); /* spec.nodeName */
