/* Kinds of pods in a descheduling pass: pods of one kind differ in name, age, node and what their
 * containers went through, and in nothing else that filters and rules look at.  A question about a
 * kind answers it for all its pods; there are about as many kinds as owners. */
#pragma once

#include "model/cluster.h"

struct pod_kind {
        const struct owner_row *owners;
        struct str_id ns;
        struct label_set_id labels;
        struct class_id class;
        uint32_t owner_count;
        int32_t priority;
        uint16_t flags; /* enum pod_flags */
        uint8_t phase, qos, has_priority;
};
static inline bool pod_kind_is_finished(const struct pod_kind *kind) {
        return kind->phase == POD_SUCCEEDED || kind->phase == POD_FAILED;
}

struct pod_kinds {
        size_t count;
        const struct pod_kind *items; /* in order of their first pod's index */
        const uint32_t *of;           /* by pod index; meaningless for free rows */
};
enum kind_verdict { KIND_NOT_ASKED, KIND_NO, KIND_YES };

/* Of all pods of the cluster; memory is the arena's. */
struct pod_kinds pod_kinds_make(const struct cluster *cluster, struct arena *arena);
