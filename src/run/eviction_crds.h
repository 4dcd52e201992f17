/* The CustomResourceDefinitions of deploy/crds, as they are in the files. */
#pragma once

#include <stddef.h>

struct embedded_text {
        const char *text; /* YAML; NULL at the end of the list */
        size_t size;
};
extern const struct embedded_text eviction_crds[];
