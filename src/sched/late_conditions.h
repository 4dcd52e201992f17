/* Conditions of waiting pods that differ from what was written in their text only, mostly in its
 * counts.  Each change of the cluster may change the text of all waiting pods, so it is written at
 * a bounded rate, for a pod and for all; of several texts the last one, and that always. */
#pragma once

#include "base/heap.h"
#include "base/slice.h"
#include <stdbool.h>
#include <stdint.h>

struct queued_pod;

#define CONDITION_GAP_NS (10 * NS_PER_S) /* between two texts of a pod */
#define CONDITIONS_PER_S 10              /* of all pods */
#define CONDITIONS_BURST 20

struct late_conditions {
        struct heap heap;  /* struct queued_pod, the next one that may be written first */
        int64_t earned_ns; /* when the rate would be used up without the burst */
};

void late_conditions_init(struct late_conditions *late);
void late_conditions_release(struct late_conditions *late); /* does not touch the entries */
/* Whether a new text of the pod may be written at once; then it counts as written. */
bool late_conditions_admit(struct late_conditions *late, const struct queued_pod *entry,
                           int64_t now_ns);
/* Has the text written later, instead of an earlier one. */
void late_conditions_put(struct late_conditions *late, struct queued_pod *entry,
                         struct slice message, bool is_error);
/* Nothing is to be written later; nothing happens if nothing was. */
void late_conditions_drop(struct late_conditions *late, struct queued_pod *entry);
/* The next pod whose text is to be written now; NULL = none.  Its text counts as written, and the
 * caller drops it. */
struct queued_pod *late_conditions_next(struct late_conditions *late, int64_t now_ns);
/* When next has something; false: never. */
bool late_conditions_due(const struct late_conditions *late, int64_t *ret_due_ns);
