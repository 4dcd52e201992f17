/* Pods that something has to be done about when their time is over, all with the same patience: the
 * first that came is the first that is due. */
#pragma once

#include "model/ids.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pod_deadline {
        struct pod_id pod;
        uint64_t uid_hash; /* tells a recycled row from its predecessor */
        int64_t due_ns;
        uint64_t note; /* the user's */
};
struct pod_deadlines { /* zeroed = empty */
        struct pod_deadline *ring;
        size_t cap, first, count;
};
void pod_deadlines_release(struct pod_deadlines *deadlines);
/* Not due before those that are there. */
void pod_deadlines_add(struct pod_deadlines *deadlines, const struct pod_deadline *deadline);
/* The next one that is due; NULL: none is there. */
const struct pod_deadline *pod_deadlines_first(const struct pod_deadlines *deadlines);
void pod_deadlines_drop_first(struct pod_deadlines *deadlines);
