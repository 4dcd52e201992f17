/* The asynchronous queue of writes.
 *
 * A slot per object holds its writes in order; only the first may be under way or ready. Adding
 * never sends: a timer of zero length does, so that all writes of one turn are merged and sorted
 * into lanes first, and so that no callback runs from inside an add. */
#include "client/write_queue.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/rng.h"
#include "base/util.h"
#include "client/backoff.h"
#include "client/patch_compose.h"
#include "client/resource_path.h"
#include "client/token_bucket.h"
#include <assert.h>
#include <stdlib.h>

enum write_state {
        WRITE_READY,     /* in its lane */
        WRITE_HELD,      /* behind another write of its object */
        WRITE_WAITING,   /* for the time to try again */
        WRITE_IN_FLIGHT, /* sent */
        WRITE_OVER,      /* to be reported */
};

struct waiter {
        struct waiter *next;
        void (*done)(void *context, const struct write_result *result);
        void *context;
};

struct write {
        struct write *next, *previous; /* in a lane, or in the list of those to be reported */
        struct write *behind;          /* next write of the same object */
        struct slot *slot;
        struct write_queue *queue;
        enum write_state state;
        enum write_lane lane;
        enum api_method method;
        enum write_outcome outcome; /* once over */
        char *path, *content_type;
        struct buf body;
        bool is_repeatable, reports_busy;
        bool (*merge)(struct slice older, struct slice newer, struct buf *ret_body);
        bool (*is_no_op)(void *context, struct slice body);
        void *no_op_context;
        struct waiter *waiters; /* oldest first */
        struct backoff backoff;
        struct loop_timer wait;
        struct api_request *request;
        unsigned attempts;
};

/* One object's writes. */
struct slot {
        struct slot *next, *previous; /* all of the queue */
        struct write *first, *last;
        char *key; /* NULL for writes without an object */
};

struct list {
        struct write *first, *last;
        size_t count;
};

struct write_queue {
        struct transport *transport;
        struct loop *loop;
        struct slot *all;     /* slots */
        struct map *slots;    /* those of objects, by object */
        struct map *counters; /* by method and resource */
        struct list lanes[WRITE_LANE_COUNT];
        struct list over;
        struct loop_timer work;
        struct token_bucket bucket;
        struct rng rng;
        unsigned concurrency, in_flight, events_in_flight;
        size_t count, event_count; /* writes that are not over */
};

/* ---- lists ---- */

static void list_append(struct list *list, struct write *write) {
        write->next = NULL;
        write->previous = list->last;
        if (list->last)
                list->last->next = write;
        else
                list->first = write;
        list->last = write;
        list->count++;
}

static void list_remove(struct list *list, struct write *write) {
        if (write->previous)
                write->previous->next = write->next;
        else
                list->first = write->next;
        if (write->next)
                write->next->previous = write->previous;
        else
                list->last = write->previous;
        write->next = write->previous = NULL;
        list->count--;
}

/* ---- writes and slots ---- */

static void add_waiter(struct write *write, const struct api_write *asked) {
        struct waiter **link = &write->waiters;

        if (!asked->done)
                return;
        while (*link)
                link = &(*link)->next;
        *link = xcalloc(1, sizeof(**link));
        **link = (struct waiter){ .done = asked->done, .context = asked->context };
}

static void on_wait_over(void *context);

static struct write *write_new(struct write_queue *queue, const struct api_write *asked) {
        struct write *write = xcalloc(1, sizeof(*write));

        write->queue = queue;
        write->lane = asked->lane;
        write->method = asked->method;
        write->path = slice_dup(asked->path);
        write->content_type = slice_dup(asked->content_type);
        buf_slice(&write->body, asked->body);
        write->is_repeatable = asked->is_repeatable;
        write->reports_busy = asked->reports_busy;
        write->merge = asked->merge;
        write->is_no_op = asked->is_no_op;
        write->no_op_context = asked->context;
        write->backoff = (struct backoff){ .min_ns = WRITE_BACKOFF_MIN_NS,
                                           .max_ns = WRITE_BACKOFF_MAX_NS,
                                           .jitter = 0.5 };
        write->wait = (struct loop_timer){ .fired = on_wait_over, .context = write };
        add_waiter(write, asked);
        return write;
}

static void write_free(struct write *write) {
        while (write->waiters) {
                struct waiter *waiter = write->waiters;

                write->waiters = waiter->next;
                free(waiter);
        }
        free(write->path);
        free(write->content_type);
        buf_release(&write->body);
        free(write);
}

static void wake(struct write_queue *queue, int64_t delay_ns) {
        loop_timer_arm(queue->loop, &queue->work, delay_ns);
}

static void make_ready(struct write *write) {
        write->state = WRITE_READY;
        list_append(&write->queue->lanes[write->lane], write);
        wake(write->queue, 0);
}

static void on_wait_over(void *context) {
        make_ready(context);
}

static struct slot *slot_of(struct write_queue *queue, const struct api_write *asked) {
        CLEANUP(buf_release) struct buf key = { 0 };
        struct slot *slot;

        if (asked->name.len) {
                buf_printf(&key, SLICE_FMT "/" SLICE_FMT "/" SLICE_FMT "/" SLICE_FMT,
                           SLICE_ARG(asked->kind), SLICE_ARG(asked->namespace_name),
                           SLICE_ARG(asked->name), SLICE_ARG(asked->uid));
                slot = map_get(queue->slots, buf_view(&key));
                if (slot)
                        return slot;
        }
        slot = xcalloc(1, sizeof(*slot));
        slot->next = queue->all;
        if (slot->next)
                slot->next->previous = slot;
        queue->all = slot;
        if (asked->name.len) {
                slot->key = slice_dup(buf_view(&key));
                map_put(queue->slots, buf_view(&key), slot);
        }
        return slot;
}

static void slot_append(struct slot *slot, struct write *write) {
        write->slot = slot;
        if (slot->last)
                slot->last->behind = write;
        else
                slot->first = write;
        slot->last = write;
        write->queue->count++;
        write->queue->event_count += write->lane == WRITE_EVENT;
        if (slot->first == write)
                make_ready(write);
        else
                write->state = WRITE_HELD;
}

static void slot_free(struct write_queue *queue, struct slot *slot) {
        if (slot->previous)
                slot->previous->next = slot->next;
        else
                queue->all = slot->next;
        if (slot->next)
                slot->next->previous = slot->previous;
        if (slot->key)
                map_remove(queue->slots, slice_of(slot->key));
        free(slot->key);
        free(slot);
}

/* Takes a write out of everything but memory. The slot goes with its last write, unless kept. */
static void slot_remove(struct write *write, bool keeps_slot) {
        struct write_queue *queue = write->queue;
        struct slot *slot = write->slot;
        struct write *before = NULL;

        for (struct write *at = slot->first; at != write; at = at->behind)
                before = at;
        if (before)
                before->behind = write->behind;
        else
                slot->first = write->behind;
        if (slot->last == write)
                slot->last = before;
        if (write->state == WRITE_READY)
                list_remove(&queue->lanes[write->lane], write);
        loop_timer_disarm(queue->loop, &write->wait);
        write->slot = NULL;
        write->behind = NULL;
        queue->count--;
        queue->event_count -= write->lane == WRITE_EVENT;
        if (slot->first && slot->first->state == WRITE_HELD)
                make_ready(slot->first);
        if (!slot->first && !keeps_slot)
                slot_free(queue, slot);
}

static void report_later(struct write *write, enum write_outcome outcome) {
        write->state = WRITE_OVER;
        write->outcome = outcome;
        list_append(&write->queue->over, write);
        wake(write->queue, 0);
}

static void report(struct write *write, const struct write_result *result) {
        while (write->waiters) {
                struct waiter *waiter = write->waiters;

                write->waiters = waiter->next;
                waiter->done(waiter->context, result);
                free(waiter);
        }
        write_free(write);
}

/* ---- adding ---- */

static bool compose(const struct write *write, struct slice newer, struct buf *out) {
        if (write->merge)
                return write->merge(buf_view(&write->body), newer, out);
        if (write->method != API_PATCH)
                return false;
        if (strcmp(write->content_type, "application/merge-patch+json") == 0)
                return patch_compose(PATCH_MERGE, buf_view(&write->body), newer, out);
        if (strcmp(write->content_type, "application/strategic-merge-patch+json") == 0)
                return patch_compose(PATCH_STRATEGIC, buf_view(&write->body), newer, out);
        return false;
}

static bool merge_into(struct write *write, const struct api_write *asked) {
        struct buf body = { 0 };

        if (write->state == WRITE_IN_FLIGHT || write->method != asked->method ||
            !slice_is(asked->path, write->path) ||
            !slice_is(asked->content_type, write->content_type) || write->merge != asked->merge)
                return false;
        if (!compose(write, asked->body, &body)) {
                buf_release(&body);
                return false;
        }
        buf_release(&write->body);
        write->body = body;
        write->is_no_op = asked->is_no_op;
        write->no_op_context = asked->context;
        write->is_repeatable = write->is_repeatable && asked->is_repeatable;
        add_waiter(write, asked);
        return true;
}

/* Patches of the object that wait and are less urgent make way. */
static void supersede(struct slot *slot, enum write_lane lane) {
        struct write *write = slot->first;

        while (write) {
                struct write *behind = write->behind;

                if (write->state != WRITE_IN_FLIGHT && write->lane > lane &&
                    write->method == API_PATCH) {
                        slot_remove(write, true);
                        report_later(write, WRITE_SUPERSEDED);
                }
                write = behind;
        }
}

static bool is_full(const struct write_queue *queue, enum write_lane lane) {
        return queue->count >= WRITES_MAX ||
               (lane == WRITE_EVENT && queue->event_count >= WRITE_EVENTS_MAX);
}

void write_queue_add(struct write_queue *queue, const struct api_write *asked) {
        struct slot *slot = slot_of(queue, asked);
        struct write *last = slot->last;

        assert(asked->lane < WRITE_LANE_COUNT && asked->path.len);
        if (last && last->state != WRITE_IN_FLIGHT && last->lane < asked->lane &&
            asked->method == API_PATCH) {
                report_later(write_new(queue, asked), WRITE_SUPERSEDED);
                return;
        }
        supersede(slot, asked->lane);
        if (slot->last && merge_into(slot->last, asked))
                return;
        if (!is_full(queue, asked->lane)) {
                slot_append(slot, write_new(queue, asked));
                return;
        }
        report_later(write_new(queue, asked), WRITE_REFUSED);
        if (!slot->first)
                slot_free(queue, slot);
}

/* ---- sending ---- */

static void on_reply(void *context, const struct api_reply *reply);

static void count_call(struct write_queue *queue, const struct write *write) {
        CLEANUP(buf_release) struct buf name = { 0 };
        uint64_t *count;

        buf_text(&name, api_method_name(write->method));
        buf_char(&name, ' ');
        resource_path_name(slice_of(write->path), &name);
        count = map_get(queue->counters, buf_view(&name));
        if (!count) {
                count = xcalloc(1, sizeof(*count));
                map_put(queue->counters, buf_view(&name), count);
        }
        ++*count;
}

static void send_write(struct write *write) {
        struct write_queue *queue = write->queue;
        struct api_call call = { .method = write->method,
                                 .path = slice_of(write->path),
                                 .content_type = slice_of(write->content_type),
                                 .body = buf_view(&write->body) };

        list_remove(&queue->lanes[write->lane], write);
        write->state = WRITE_IN_FLIGHT;
        write->attempts++;
        queue->in_flight++;
        queue->events_in_flight += write->lane == WRITE_EVENT;
        count_call(queue, write);
        write->request = transport_call(queue->transport, &call, on_reply, write);
}

static struct write *next_ready(const struct write_queue *queue) {
        unsigned event_max = queue->concurrency / WRITE_EVENT_SHARE;

        if (queue->in_flight >= queue->concurrency)
                return NULL;
        for (int lane = 0; lane < WRITE_EVENT; lane++) {
                if (queue->lanes[lane].first)
                        return queue->lanes[lane].first;
        }
        if (queue->events_in_flight >= (event_max ? event_max : 1))
                return NULL;
        return queue->lanes[WRITE_EVENT].first;
}

static void send_ready(struct write_queue *queue) {
        struct write *write;
        int64_t wait_ns;

        while ((write = next_ready(queue))) {
                if (write->is_no_op &&
                    write->is_no_op(write->no_op_context, buf_view(&write->body))) {
                        slot_remove(write, false);
                        report_later(write, WRITE_NO_OP);
                        continue;
                }
                if (!token_bucket_take(&queue->bucket, loop_mono(queue->loop), &wait_ns)) {
                        wake(queue, wait_ns);
                        return;
                }
                send_write(write);
        }
}

static void on_work(void *context) {
        struct write_queue *queue = context;
        size_t count;

        send_ready(queue);
        /* Those added by the callbacks come with the next turn. */
        count = queue->over.count;
        while (count-- > 0) {
                struct write *write = queue->over.first;

                list_remove(&queue->over, write);
                report(write, &(struct write_result){ .outcome = write->outcome });
        }
        if (queue->over.first)
                wake(queue, 0);
}

/* ---- answers ---- */

/* Time to wait before the write is repeated; negative = it is not. */
static int64_t repeat_delay(struct write *write, const struct api_reply *reply) {
        bool is_busy = (reply->status == 429 || reply->status == 503) && reply->retry_after_s >= 0;
        bool was_never_there = reply->status == 0 && reply->error.code == BERTH_ERR_UNAVAILABLE;
        bool is_transient = reply->status == 0 && (reply->error.code == BERTH_ERR_TIMEOUT ||
                                                   reply->error.code == BERTH_ERR_IO);
        int64_t wait_s = reply->retry_after_s < WRITE_RETRY_AFTER_MAX_S ? reply->retry_after_s
                                                                        : WRITE_RETRY_AFTER_MAX_S;

        if (write->attempts >= WRITE_ATTEMPTS_MAX)
                return -1;
        if (is_busy && !write->reports_busy)
                return (wait_s ? wait_s : 1) * NS_PER_S;
        if (was_never_there || (is_transient && write->is_repeatable))
                return backoff_next(&write->backoff, &write->queue->rng);
        return -1;
}

static void on_reply(void *context, const struct api_reply *reply) {
        struct write *write = context;
        struct write_queue *queue = write->queue;
        struct write_result result = { reply->status ? WRITE_ANSWERED : WRITE_LOST, reply };
        int64_t delay = repeat_delay(write, reply);

        write->request = NULL;
        queue->in_flight--;
        queue->events_in_flight -= write->lane == WRITE_EVENT;
        wake(queue, 0);
        if (delay >= 0) {
                write->state = WRITE_WAITING;
                loop_timer_arm(queue->loop, &write->wait, delay);
                return;
        }
        slot_remove(write, false);
        report(write, &result);
}

/* ---- life ---- */

struct write_queue *write_queue_new(const struct write_queue_config *config,
                                    struct transport *transport, struct loop *loop) {
        struct write_queue *queue = xcalloc(1, sizeof(*queue));

        queue->transport = transport;
        queue->loop = loop;
        queue->slots = map_new();
        queue->counters = map_new();
        queue->concurrency = config->concurrency ? config->concurrency : WRITE_CONCURRENCY;
        queue->work = (struct loop_timer){ .fired = on_work, .context = queue };
        token_bucket_init(&queue->bucket, config->per_second, config->burst, loop_mono(loop));
        rng_init(&queue->rng, config->seed);
        return queue;
}

void write_queue_free(struct write_queue *queue) {
        size_t at = 0;
        void *count;

        if (!queue)
                return;
        while (queue->all) {
                struct write *write = queue->all->first;

                if (write->request)
                        transport_cancel(queue->transport, write->request);
                slot_remove(write, false);
                write_free(write);
        }
        while (queue->over.first) {
                struct write *write = queue->over.first;

                list_remove(&queue->over, write);
                write_free(write);
        }
        loop_timer_disarm(queue->loop, &queue->work);
        while (map_next(queue->counters, &at, NULL, &count))
                free(count);
        map_free(queue->counters);
        map_free(queue->slots);
        free(queue);
}

bool write_queue_is_idle(const struct write_queue *queue) {
        return queue->count == 0 && queue->over.count == 0;
}

size_t write_queue_waiting(const struct write_queue *queue) {
        return queue->count - queue->in_flight;
}

size_t write_queue_in_flight(const struct write_queue *queue) {
        return queue->in_flight;
}

uint64_t write_queue_calls(const struct write_queue *queue, const char *method,
                           const char *resource) {
        uint64_t total = 0;
        struct slice name, verb;
        void *count;
        size_t at = 0;

        while (map_next(queue->counters, &at, &name, &count)) {
                slice_split(&name, ' ', &verb);
                if ((!method || slice_is(verb, method)) && (!resource || slice_is(name, resource)))
                        total += *(uint64_t *)count;
        }
        return total;
}

void write_queue_each_call(const struct write_queue *queue,
                           void (*counter)(void *context, struct slice name, uint64_t count),
                           void *context) {
        struct slice name;
        void *count;
        size_t at = 0;

        while (map_next(queue->counters, &at, &name, &count))
                counter(context, name, *(uint64_t *)count);
}
