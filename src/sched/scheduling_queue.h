/* Pods that wait for a node: ready ones, those backing off, and those that need the cluster to
 * change first (reference scheduler.md section 2).  Keyed by pod row; knows nothing of plugins but
 * the order of ready pods. */
#pragma once

#include "base/heap.h"
#include "base/time.h"
#include "model/ids.h"
#include "sched/late_conditions.h"
#include "sched/parked_pods.h"
#include "sched/scheduler.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct queued_pod {
        struct pod_id pod;
        uint64_t uid_hash; /* differs between a reused row and its predecessor */
        enum queue_part part;
        bool is_error_backoff; /* QUEUE_BACKOFF after an error, not after a rejection */
        bool is_gated;
        uint8_t profile;
        int32_t priority;
        size_t heap_index;
        uint64_t sequence;       /* makes the order total */
        int64_t queued_ns;       /* renewed when it comes back from an attempt */
        int64_t backoff_ends_ns; /* whole seconds */
        uint32_t attempts, rejections, errors;
        /* The plugins that refused the pod, as bits over the profile's, and the changes that may
         * change their answers. */
        uint64_t rejectors, pendings;
        uint32_t wakes_on;
        uint64_t decided_generation; /* of the cluster its last attempt saw */
        uint64_t failure_hash;       /* reason and message last written; 0 = none */
        int64_t status_written_ns;   /* when that was answered well; 0 = it is not yet */
        struct wall_time failed_since;
        int64_t condition_ns;    /* when this process last had it written; 0 = never */
        bool is_condition_error; /* the reason it then had was SchedulerError */
        char *late_message;      /* to be written later (late_conditions.h); NULL = nothing is */
        bool is_late_error;
        size_t late_index;
        /* Deletions of its victims that are on their way: until they are answered it is not tried
         * again, or it would preempt again; was_woken: an event arrived meanwhile. */
        uint32_t open_removals;
        bool was_woken;
        bool wakes_on_any;              /* an extender refused it: any change may help */
        bool was_flushed;               /* nothing but the clock let it out of the parked ones */
        int64_t first_popped_ns;        /* 0 = not yet */
        struct queued_pod *next, *prev; /* in its list */
        /* While it is parked and not gated. */
        struct alike_key alike;
        struct parked_group *group;
        struct queued_pod *next_alike, *prev_alike;
};

/* Newest first. */
struct queued_pod_list {
        struct queued_pod *first, *last;
        size_t count;
};

struct scheduling_queue {
        struct queued_pod **by_pod; /* by pod row */
        size_t by_pod_cap;
        size_t count; /* pods in it */
        struct heap active, backoff, error_backoff;
        struct queued_pod_list unschedulable, gated; /* both are QUEUE_UNSCHEDULABLE */
        struct parked_pods parked;                   /* index of the unschedulable ones */
        struct late_conditions late;
        size_t binding_count;
        uint32_t wakes_on; /* at least the union over both lists */
        uint64_t next_sequence;
        int64_t initial_ns, max_ns, timeout_ns;
        enum queue_event event; /* what moves entries right now */
        uint64_t incoming[QUEUE_PART_COUNT][QUEUE_EVENT_COUNT];
        bool (*is_before)(int32_t a_priority, int64_t a_queued_ns, int32_t b_priority,
                          int64_t b_queued_ns);
        /* Says what makes a pod alike to others; NULL = all are. */
        struct alike_key (*identify)(const void *context, const struct queued_pod *entry);
        const void *identify_context;
};

void scheduling_queue_init(struct scheduling_queue *queue);
void scheduling_queue_release(struct scheduling_queue *queue);
/* Gives the room for pods back while there are none. */
void scheduling_queue_rest(struct scheduling_queue *queue);
struct queued_pod *scheduling_queue_find(const struct scheduling_queue *queue, struct pod_id pod);
/* A new entry in no part yet. */
struct queued_pod *scheduling_queue_add(struct scheduling_queue *queue, struct pod_id pod,
                                        int64_t now_ns);
void scheduling_queue_remove(struct scheduling_queue *queue, struct queued_pod *entry);
/* Moves an entry, out of whatever part it is in. */
void scheduling_queue_activate(struct scheduling_queue *queue, struct queued_pod *entry);
void scheduling_queue_park(struct scheduling_queue *queue, struct queued_pod *entry, bool is_gated);
/* A parked pod was updated: files it again. */
void scheduling_queue_refile(struct scheduling_queue *queue, struct queued_pod *entry);
void scheduling_queue_bind(struct scheduling_queue *queue, struct queued_pod *entry);
void scheduling_queue_take(struct scheduling_queue *queue,
                           struct queued_pod *entry); /* in no part */
/* To back-off while it has time left there, else to the ready ones. */
void scheduling_queue_move(struct scheduling_queue *queue, struct queued_pod *entry,
                           int64_t now_ns);
/* The same for a pod that any change wakes: its back-off counts even when no other pod is ready, so
 * that extenders and whole groups are not asked over and over. */
void scheduling_queue_retry(struct scheduling_queue *queue, struct queued_pod *entry,
                            int64_t now_ns);
/* Comes back from an attempt: renews its place and counts the failure. */
void scheduling_queue_return(struct scheduling_queue *queue, struct queued_pod *entry,
                             bool is_error, int64_t now_ns);
/* The next pod to decide; takes rejected pods out of back-off when no other pod is ready.  NULL:
 * none. The entry is in no part then. */
struct queued_pod *scheduling_queue_pop(struct scheduling_queue *queue, int64_t now_ns);
/* Ends back-offs that are over. */
void scheduling_queue_flush(struct scheduling_queue *queue, int64_t now_ns);
/* The pod that is parked for longest, when that is too long, to be moved or parked again; or NULL.
 */
struct queued_pod *scheduling_queue_overdue(struct scheduling_queue *queue, int64_t now_ns);
bool scheduling_queue_has_ready(const struct scheduling_queue *queue);
/* When one of the two has something to do; false: never. */
bool scheduling_queue_next_due(const struct scheduling_queue *queue, int64_t *ret_due_ns);
/* Length of the back-off after so many failures in a row. */
int64_t scheduling_queue_backoff_ns(const struct scheduling_queue *queue,
                                    const struct queued_pod *entry);
