/* Handles of the cluster model: one-field structs, free at run time and impossible to mix up.
 * Index 0 is valid for rows; NODE_NONE and POD_NONE mean "no such row".  Rows are recycled, so a
 * handle is good until its row is removed; what outlives a cycle keeps the uid instead. */
#pragma once

#include "base/interner.h"
#include <stdbool.h>
#include <stdint.h>

struct node_id {
        uint32_t index;
};
struct pod_id {
        uint32_t index;
};
struct class_id { /* pod class: interned scheduling-relevant pod spec */
        uint32_t index;
};
struct label_set_id { /* interned set of labels; 0 = no labels */
        uint32_t index;
};
struct taint_set_id { /* interned list of taints; 0 = none */
        uint32_t index;
};
struct resource_id { /* column of a resource */
        uint32_t index;
};

#define ID_NONE UINT32_MAX
#define NODE_NONE ((struct node_id){ ID_NONE })
#define POD_NONE ((struct pod_id){ ID_NONE })
static inline bool node_id_is_none(struct node_id id) {
        return id.index == ID_NONE;
}
static inline bool pod_id_is_none(struct pod_id id) {
        return id.index == ID_NONE;
}

/* Columns every cluster has; extended resources get columns as they appear. */
enum {
        RESOURCE_CPU,               /* millicores */
        RESOURCE_MEMORY,            /* bytes */
        RESOURCE_EPHEMERAL_STORAGE, /* bytes */
        RESOURCE_PODS,
        RESOURCE_FIXED_COUNT
};
