/* A ring that grows. */
#include "sched/pod_deadlines.h"

#include "base/util.h"
#include <assert.h>
#include <stdlib.h>

#define CAP_FIRST 64
#define CAP_SMALL 1024 /* stays once it was needed */

void pod_deadlines_release(struct pod_deadlines *deadlines) {
        free(deadlines->ring);
        *deadlines = (struct pod_deadlines){ 0 };
}

static struct pod_deadline *deadline_at(const struct pod_deadlines *deadlines, size_t index) {
        return &deadlines->ring[(deadlines->first + index) % deadlines->cap];
}

static void pod_deadlines_grow(struct pod_deadlines *deadlines) {
        size_t cap = deadlines->cap ? deadlines->cap * 2 : CAP_FIRST;
        struct pod_deadline *ring = xreallocarray(NULL, cap, sizeof(*ring));
        for (size_t i = 0; i < deadlines->count; i++)
                ring[i] = *deadline_at(deadlines, i);
        free(deadlines->ring);
        *deadlines = (struct pod_deadlines){ .ring = ring, .cap = cap, .count = deadlines->count };
}

void pod_deadlines_add(struct pod_deadlines *deadlines, const struct pod_deadline *deadline) {
        assert(deadlines->count == 0 ||
               deadline_at(deadlines, deadlines->count - 1)->due_ns <= deadline->due_ns);
        if (deadlines->count == deadlines->cap)
                pod_deadlines_grow(deadlines);
        *deadline_at(deadlines, deadlines->count++) = *deadline;
}

const struct pod_deadline *pod_deadlines_first(const struct pod_deadlines *deadlines) {
        return deadlines->count > 0 ? deadline_at(deadlines, 0) : NULL;
}

void pod_deadlines_drop_first(struct pod_deadlines *deadlines) {
        assert(deadlines->count > 0);
        deadlines->first = (deadlines->first + 1) % deadlines->cap;
        if (--deadlines->count == 0 && deadlines->cap > CAP_SMALL)
                pod_deadlines_release(deadlines);
}
