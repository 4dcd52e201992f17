/* The three-part queue. */
#include "sched/scheduling_queue.h"
#include "base/util.h"
#include <assert.h>
#include <stdlib.h>

/* ---- order ---- */

static bool is_before(const void *a, const void *b, void *context) {
        const struct scheduling_queue *queue = context;
        const struct queued_pod *x = a, *y = b;
        if (queue->is_before(x->priority, x->queued_ns, y->priority, y->queued_ns))
                return true;
        if (queue->is_before(y->priority, y->queued_ns, x->priority, x->queued_ns))
                return false;
        return x->sequence < y->sequence;
}

/* Pods whose back-off ends in the same second leave by priority. */
static bool ends_before(const void *a, const void *b, void *context) {
        const struct queued_pod *x = a, *y = b;
        if (x->backoff_ends_ns != y->backoff_ends_ns)
                return x->backoff_ends_ns < y->backoff_ends_ns;
        return is_before(a, b, context);
}

static void scheduling_queue_moved(void *item, size_t index) {
        ((struct queued_pod *)item)->heap_index = index;
}

void scheduling_queue_init(struct scheduling_queue *queue) {
        heap_init(&queue->active, is_before, scheduling_queue_moved, queue);
        heap_init(&queue->backoff, ends_before, scheduling_queue_moved, queue);
        heap_init(&queue->error_backoff, ends_before, scheduling_queue_moved, queue);
        parked_pods_init(&queue->parked);
        late_conditions_init(&queue->late);
}

void scheduling_queue_release(struct scheduling_queue *queue) {
        for (size_t i = 0; i < queue->by_pod_cap; i++) {
                if (queue->by_pod[i])
                        late_conditions_drop(&queue->late, queue->by_pod[i]);
                free(queue->by_pod[i]);
        }
        late_conditions_release(&queue->late);
        free(queue->by_pod);
        heap_release(&queue->active);
        heap_release(&queue->backoff);
        heap_release(&queue->error_backoff);
        parked_pods_release(&queue->parked);
}

void scheduling_queue_rest(struct scheduling_queue *queue) {
        if (queue->count > 0)
                return;
        free(queue->by_pod);
        queue->by_pod = NULL;
        queue->by_pod_cap = 0;
}

/* ---- entries ---- */

struct queued_pod *scheduling_queue_find(const struct scheduling_queue *queue, struct pod_id pod) {
        return pod.index < queue->by_pod_cap ? queue->by_pod[pod.index] : NULL;
}

static void scheduling_queue_reserve(struct scheduling_queue *queue, size_t index) {
        if (index < queue->by_pod_cap)
                return;
        size_t cap = queue->by_pod_cap == 0 ? 256 : queue->by_pod_cap;
        while (cap <= index)
                cap *= 2;
        queue->by_pod = xreallocarray(queue->by_pod, cap, sizeof(struct queued_pod *));
        memset(queue->by_pod + queue->by_pod_cap, 0,
               (cap - queue->by_pod_cap) * sizeof(struct queued_pod *));
        queue->by_pod_cap = cap;
}

struct queued_pod *scheduling_queue_add(struct scheduling_queue *queue, struct pod_id pod,
                                        int64_t now_ns) {
        scheduling_queue_reserve(queue, pod.index);
        assert(!queue->by_pod[pod.index]);
        struct queued_pod *entry = xcalloc(1, sizeof(*entry));
        *entry = (struct queued_pod){ .pod = pod,
                                      .queued_ns = now_ns,
                                      .sequence = queue->next_sequence++,
                                      .failed_since = WALL_TIME_UNSET };
        queue->by_pod[pod.index] = entry;
        queue->count++;
        return entry;
}

static struct heap *backoff_of(struct scheduling_queue *queue, const struct queued_pod *entry) {
        return entry->is_error_backoff ? &queue->error_backoff : &queue->backoff;
}

static struct queued_pod_list *list_of(struct scheduling_queue *queue,
                                       const struct queued_pod *entry) {
        return entry->is_gated ? &queue->gated : &queue->unschedulable;
}

static void unlink_parked(struct scheduling_queue *queue, struct queued_pod *entry) {
        struct queued_pod_list *list = list_of(queue, entry);
        if (!entry->is_gated)
                parked_pods_remove(&queue->parked, entry);
        if (entry->prev)
                entry->prev->next = entry->next;
        else
                list->first = entry->next;
        if (entry->next)
                entry->next->prev = entry->prev;
        else
                list->last = entry->prev;
        entry->next = entry->prev = NULL;
        entry->is_gated = false;
        list->count--;
        if (queue->unschedulable.count + queue->gated.count == 0)
                queue->wakes_on = 0;
}

static void scheduling_queue_leave(struct scheduling_queue *queue, struct queued_pod *entry) {
        switch (entry->part) {
        case QUEUE_ACTIVE:
                heap_remove(&queue->active, entry->heap_index);
                break;
        case QUEUE_BACKOFF:
                heap_remove(backoff_of(queue, entry), entry->heap_index);
                break;
        case QUEUE_UNSCHEDULABLE:
                unlink_parked(queue, entry);
                break;
        case QUEUE_BINDING:
                queue->binding_count--;
                break;
        case QUEUE_NONE:
        case QUEUE_PART_COUNT:
                break;
        }
        entry->part = QUEUE_NONE;
}

void scheduling_queue_remove(struct scheduling_queue *queue, struct queued_pod *entry) {
        scheduling_queue_leave(queue, entry);
        late_conditions_drop(&queue->late, entry);
        queue->by_pod[entry->pod.index] = NULL;
        queue->count--;
        free(entry);
}

void scheduling_queue_activate(struct scheduling_queue *queue, struct queued_pod *entry) {
        scheduling_queue_leave(queue, entry);
        entry->part = QUEUE_ACTIVE;
        queue->incoming[QUEUE_ACTIVE][queue->event]++;
        heap_push(&queue->active, entry);
}

void scheduling_queue_bind(struct scheduling_queue *queue, struct queued_pod *entry) {
        scheduling_queue_leave(queue, entry);
        entry->part = QUEUE_BINDING;
        queue->binding_count++;
}

void scheduling_queue_take(struct scheduling_queue *queue, struct queued_pod *entry) {
        scheduling_queue_leave(queue, entry);
}

static void scheduling_queue_file(struct scheduling_queue *queue, struct queued_pod *entry) {
        if (queue->identify)
                entry->alike = queue->identify(queue->identify_context, entry);
        parked_pods_add(&queue->parked, entry);
}

void scheduling_queue_refile(struct scheduling_queue *queue, struct queued_pod *entry) {
        if (entry->part != QUEUE_UNSCHEDULABLE || entry->is_gated)
                return;
        parked_pods_remove(&queue->parked, entry);
        scheduling_queue_file(queue, entry);
}

void scheduling_queue_park(struct scheduling_queue *queue, struct queued_pod *entry,
                           bool is_gated) {
        scheduling_queue_leave(queue, entry);
        entry->is_gated = is_gated;
        struct queued_pod_list *list = list_of(queue, entry);
        entry->part = QUEUE_UNSCHEDULABLE;
        queue->incoming[QUEUE_UNSCHEDULABLE][queue->event]++;
        entry->next = list->first;
        if (entry->next)
                entry->next->prev = entry;
        else
                list->last = entry;
        list->first = entry;
        list->count++;
        if (!is_gated)
                scheduling_queue_file(queue, entry);
        queue->wakes_on |= entry->wakes_on;
}

/* ---- back-off ---- */

int64_t scheduling_queue_backoff_ns(const struct scheduling_queue *queue,
                                    const struct queued_pod *entry) {
        uint32_t count = entry->errors > 0 ? entry->errors : entry->rejections;
        if (count == 0)
                return 0;
        if (count > 62 || queue->initial_ns > queue->max_ns >> (count - 1))
                return queue->max_ns;
        return queue->initial_ns << (count - 1);
}

/* Ends are compared in whole seconds, so that pods of one second leave together. */
static int64_t whole_seconds(int64_t ns) {
        return ns - ns % NS_PER_S;
}

static bool is_backing_off(const struct queued_pod *entry, int64_t now_ns) {
        return entry->backoff_ends_ns >= whole_seconds(now_ns);
}

void scheduling_queue_move(struct scheduling_queue *queue, struct queued_pod *entry,
                           int64_t now_ns) {
        if (entry->rejections + entry->errors == 0 || !is_backing_off(entry, now_ns)) {
                scheduling_queue_activate(queue, entry);
                return;
        }
        scheduling_queue_leave(queue, entry);
        entry->part = QUEUE_BACKOFF;
        queue->incoming[QUEUE_BACKOFF][queue->event]++;
        heap_push(backoff_of(queue, entry), entry);
}

void scheduling_queue_retry(struct scheduling_queue *queue, struct queued_pod *entry,
                            int64_t now_ns) {
        entry->is_error_backoff = true;
        scheduling_queue_move(queue, entry, now_ns);
}

void scheduling_queue_return(struct scheduling_queue *queue, struct queued_pod *entry,
                             bool is_error, int64_t now_ns) {
        queue->event = QUEUE_EVENT_FAILURE;
        entry->was_flushed = false;
        entry->queued_ns = now_ns;
        entry->sequence = queue->next_sequence++;
        entry->is_error_backoff = is_error;
        if (is_error) {
                entry->errors++;
        } else {
                entry->errors = 0;
                entry->rejections++;
        }
        entry->backoff_ends_ns = whole_seconds(now_ns + scheduling_queue_backoff_ns(queue, entry));
        if (is_error)
                scheduling_queue_move(queue, entry, now_ns);
        else
                scheduling_queue_park(queue, entry, false);
}

struct queued_pod *scheduling_queue_pop(struct scheduling_queue *queue, int64_t now_ns) {
        struct queued_pod *entry = heap_pop(&queue->active);
        if (!entry) {
                entry = heap_pop(&queue->backoff);
                queue->incoming[QUEUE_ACTIVE][QUEUE_EVENT_POPPED] += !!entry;
        }
        if (!entry)
                return NULL;
        if (entry->first_popped_ns == 0)
                entry->first_popped_ns = now_ns;
        entry->part = QUEUE_NONE;
        entry->attempts++;
        return entry;
}

bool scheduling_queue_has_ready(const struct scheduling_queue *queue) {
        return queue->active.count > 0 || queue->backoff.count > 0;
}

static void flush_backoff(struct scheduling_queue *queue, struct heap *heap, int64_t now_ns) {
        for (;;) {
                struct queued_pod *entry = heap_peek(heap);
                if (!entry || is_backing_off(entry, now_ns))
                        return;
                scheduling_queue_activate(queue, entry);
        }
}

void scheduling_queue_flush(struct scheduling_queue *queue, int64_t now_ns) {
        queue->event = QUEUE_EVENT_BACKOFF_OVER;
        flush_backoff(queue, &queue->backoff, now_ns);
        flush_backoff(queue, &queue->error_backoff, now_ns);
}

/* The list's order is that of their return, so the oldest are at its end. */
struct queued_pod *scheduling_queue_overdue(struct scheduling_queue *queue, int64_t now_ns) {
        struct queued_pod *entry = queue->unschedulable.last;
        queue->event = QUEUE_EVENT_TIMEOUT;
        return entry && now_ns - entry->queued_ns > queue->timeout_ns ? entry : NULL;
}

static void take_earlier(int64_t due_ns, bool *has_due, int64_t *ret_due_ns) {
        if (!*has_due || due_ns < *ret_due_ns)
                *ret_due_ns = due_ns;
        *has_due = true;
}

bool scheduling_queue_next_due(const struct scheduling_queue *queue, int64_t *ret_due_ns) {
        const struct heap *heaps[] = { &queue->backoff, &queue->error_backoff };
        bool has_due = false;
        int64_t due = 0;
        for (size_t i = 0; i < ARRAY_LEN(heaps); i++) {
                const struct queued_pod *entry = heap_peek(heaps[i]);
                if (entry)
                        take_earlier(entry->backoff_ends_ns + NS_PER_S, &has_due, &due);
        }
        const struct queued_pod *oldest = queue->unschedulable.last;
        if (oldest)
                take_earlier(oldest->queued_ns + queue->timeout_ns + 1, &has_due, &due);
        if (has_due)
                *ret_due_ns = due;
        return has_due;
}
