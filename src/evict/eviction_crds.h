/* The CustomResourceDefinitions of deploy/crds, as they are in the files. */
#pragma once

#include <stddef.h>

struct embedded_text {
        const char *text; /* YAML; NULL at the end of the list */
        size_t size;
};
enum { EVICTION_CRD_REQUESTS, EVICTION_CRD_EVICTIONS, EVICTION_CRD_POLICIES };
extern const struct embedded_text eviction_crds[];
