/* The texts that wait, by the time from which they may be written. */
#include "sched/late_conditions.h"
#include "base/time.h"
#include "base/util.h"
#include "sched/scheduling_queue.h"
#include <stdlib.h>

#define COST_NS (NS_PER_S / CONDITIONS_PER_S)
#define BURST_NS ((CONDITIONS_BURST - 1) * COST_NS)

static int64_t ready_ns(const struct queued_pod *entry) {
        return entry->condition_ns ? entry->condition_ns + CONDITION_GAP_NS : 0;
}

static bool is_written_before(const void *a, const void *b, void *context) {
        const struct queued_pod *x = a, *y = b;
        (void)context;
        if (ready_ns(x) != ready_ns(y))
                return ready_ns(x) < ready_ns(y);
        return x->pod.index < y->pod.index;
}

static void late_conditions_moved(void *item, size_t index) {
        ((struct queued_pod *)item)->late_index = index;
}

void late_conditions_init(struct late_conditions *late) {
        heap_init(&late->heap, is_written_before, late_conditions_moved, NULL);
}

void late_conditions_release(struct late_conditions *late) {
        heap_release(&late->heap);
}

static bool has_rate(const struct late_conditions *late, int64_t now_ns) {
        return late->earned_ns - BURST_NS <= now_ns;
}

static void use_rate(struct late_conditions *late, int64_t now_ns) {
        late->earned_ns = (late->earned_ns > now_ns ? late->earned_ns : now_ns) + COST_NS;
}

bool late_conditions_admit(struct late_conditions *late, const struct queued_pod *entry,
                           int64_t now_ns) {
        if (ready_ns(entry) > now_ns || !has_rate(late, now_ns))
                return false;
        use_rate(late, now_ns);
        return true;
}

void late_conditions_put(struct late_conditions *late, struct queued_pod *entry,
                         struct slice message, bool is_error) {
        late_conditions_drop(late, entry);
        entry->late_message = slice_dup(message);
        entry->is_late_error = is_error;
        heap_push(&late->heap, entry);
}

void late_conditions_drop(struct late_conditions *late, struct queued_pod *entry) {
        if (!entry->late_message)
                return;
        heap_remove(&late->heap, entry->late_index);
        free(entry->late_message);
        entry->late_message = NULL;
}

struct queued_pod *late_conditions_next(struct late_conditions *late, int64_t now_ns) {
        struct queued_pod *entry = heap_peek(&late->heap);
        return entry && late_conditions_admit(late, entry, now_ns) ? entry : NULL;
}

bool late_conditions_due(const struct late_conditions *late, int64_t *ret_due_ns) {
        const struct queued_pod *entry = heap_peek(&late->heap);
        if (!entry)
                return false;
        int64_t rate_ns = late->earned_ns - BURST_NS;
        *ret_due_ns = ready_ns(entry) > rate_ns ? ready_ns(entry) : rate_ns;
        return true;
}
