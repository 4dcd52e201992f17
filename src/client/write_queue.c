/* The asynchronous queue of writes.
 *
 * A slot per object holds its writes in order; only the first may be under way or ready. Adding
 * never sends: a timer of zero length does, so that all writes of one iteration are merged and
 * sorted into lanes first, and so that no callback runs from inside an add. Events that follow one
 * another wait for company, as each request of its own costs both sides a wake-up. */
#include "client/write_queue.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/util.h"
#include "client/patch_compose.h"
#include "client/refusal_log.h"
#include "client/resource_path.h"
#include "client/write_queue_priv.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- adding ---- */

static bool write_queue_compose(const struct pending_write *write, struct slice newer,
                                struct buf *out) {
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

static bool merge_into(struct pending_write *write, const struct write_request *asked) {
        struct buf body = { 0 };

        if (write->state == WRITE_IN_FLIGHT || write->method != asked->method ||
            !slice_is(asked->path, write->path) ||
            !slice_is(asked->content_type, write->content_type) || write->merge != asked->merge)
                return false;
        if (!write_queue_compose(write, asked->body, &body)) {
                buf_release(&body);
                return false;
        }
        buf_release(&write->body);
        write->body = body;
        write->is_no_op = asked->is_no_op;
        write->no_op_context = asked->context;
        write->is_repeatable = write->is_repeatable && asked->is_repeatable;
        write->keeps_bytes = write->keeps_bytes && asked->keeps_bytes;
        write->is_patient = write->is_patient && asked->is_patient;
        write_add_waiter(write, asked);
        return true;
}

/* Patches of the object that wait and are less urgent make way. */
static void write_queue_supersede(struct write_entry *entry, enum write_lane lane) {
        struct pending_write *write = entry->first;

        while (write) {
                struct pending_write *behind = write->behind;

                if (write->state != WRITE_IN_FLIGHT && write->lane > lane &&
                    write->method == API_PATCH) {
                        write_entry_remove(write, true);
                        write_report_later(write, WRITE_SUPERSEDED);
                }
                write = behind;
        }
}

static bool is_full(const struct write_queue *queue, enum write_lane lane) {
        return queue->count >= WRITES_MAX ||
               (lane == WRITE_EVENT && queue->event_count >= WRITE_EVENTS_MAX);
}

void write_queue_add(struct write_queue *queue, const struct write_request *asked) {
        struct write_entry *entry = write_entry_of(queue, asked);
        struct pending_write *last = entry->last;

        assert(asked->lane < WRITE_LANE_COUNT && asked->path.len);
        if (last && last->state != WRITE_IN_FLIGHT && last->lane < asked->lane &&
            asked->method == API_PATCH) {
                write_report_later(write_new(queue, asked), WRITE_SUPERSEDED);
                return;
        }
        write_queue_supersede(entry, asked->lane);
        if (entry->last && merge_into(entry->last, asked))
                return;
        if (!is_full(queue, asked->lane)) {
                write_entry_append(entry, write_new(queue, asked));
                return;
        }
        write_report_later(write_new(queue, asked), WRITE_REFUSED);
        if (!entry->first)
                write_entry_free(queue, entry);
}

/* ---- sending ---- */

static void on_reply(void *context, const struct api_reply *reply);

static void count_call(struct write_queue *queue, enum api_method method,
                       const struct pending_write *write) {
        CLEANUP(buf_release) struct buf name = { 0 };

        buf_text(&name, api_method_name(method));
        buf_char(&name, ' ');
        resource_path_name(slice_of(write->path), &name);
        uint64_t *count = map_get(queue->counters, buf_view(&name));
        if (!count) {
                count = xcalloc(1, sizeof(*count));
                map_put(queue->counters, buf_view(&name), count);
        }
        ++*count;
}

static unsigned event_places(const struct write_queue *queue) {
        unsigned places = queue->concurrency / WRITE_EVENT_SHARE;

        return places ? places : 1;
}

/* Who takes one of the last places, itself counted already, is in a hurry: others wait for them. */
static bool is_patient(const struct write_queue *queue, const struct pending_write *write) {
        return write->is_patient && queue->in_flight <= queue->concurrency / 2 &&
               queue->events_in_flight < event_places(queue);
}

static void send_write(struct pending_write *write) {
        struct write_queue *queue = write->queue;

        write_list_remove(&queue->lanes[write->lane], write);
        write->state = WRITE_IN_FLIGHT;
        write->attempts++;
        queue->in_flight++;
        queue->events_in_flight += write->lane == WRITE_EVENT;
        if (write->lane == WRITE_EVENT)
                queue->events_sent = loop_mono(queue->loop);
        count_call(queue, write->method, write);

        struct api_call call = { .method = write->method,
                                 .path = slice_of(write->path),
                                 .content_type = slice_of(write->content_type),
                                 .body = buf_view(&write->body),
                                 .is_patient = is_patient(queue, write),
                                 .comes_back = write->comes_back };
        write->request = transport_call(queue->transport, &call, on_reply, write);
}

static struct pending_write *next_ready(const struct write_queue *queue, bool is_event) {
        if (queue->in_flight >= queue->concurrency)
                return NULL;
        for (int lane = 0; lane < WRITE_EVENT && !is_event; lane++) {
                if (queue->lanes[lane].first)
                        return queue->lanes[lane].first;
        }
        if (!is_event || queue->events_in_flight >= event_places(queue))
                return NULL;
        return queue->lanes[WRITE_EVENT].first;
}

/* Returns for how long the rate does not allow more; INT64_MAX = nothing waits for it. */
static int64_t send_lanes(struct write_queue *queue, bool is_event) {
        struct token_bucket *bucket = is_event ? &queue->event_bucket : &queue->bucket;
        struct pending_write *write;
        int64_t wait_ns;

        while ((write = next_ready(queue, is_event))) {
                if (write->is_no_op &&
                    write->is_no_op(write->no_op_context, buf_view(&write->body))) {
                        write_entry_remove(write, false);
                        write_report_later(write, WRITE_NO_OP);
                        continue;
                }
                if (!token_bucket_take(bucket, loop_mono(queue->loop), &wait_ns))
                        return wait_ns;
                send_write(write);
        }
        return INT64_MAX;
}

/* For how long the events wait still; 0 = their time has come. */
static int64_t events_wait(const struct write_queue *queue) {
        int64_t passed = loop_mono(queue->loop).ns - queue->events_sent.ns;

        if (!queue->lanes[WRITE_EVENT].first)
                return INT64_MAX;
        if (queue->has_events_flow)
                return 0;
        return passed >= queue->events_together_ns ? 0 : queue->events_together_ns - passed;
}

static void send_ready(struct write_queue *queue) {
        unsigned in_flight = queue->in_flight;
        int64_t wait_ns = send_lanes(queue, false);
        int64_t event_wait_ns = queue->in_flight > in_flight ? 0 : events_wait(queue);

        queue->has_events_flow = event_wait_ns == 0;
        if (queue->has_events_flow)
                event_wait_ns = send_lanes(queue, true);
        queue->has_events_flow = queue->has_events_flow && queue->lanes[WRITE_EVENT].first;
        if (event_wait_ns < wait_ns)
                wait_ns = event_wait_ns;
        if (wait_ns < INT64_MAX)
                write_queue_wake(queue, wait_ns);
}

void write_queue_hurry(struct write_queue *queue) {
        queue->events_together_ns = 0;
        if (queue->lanes[WRITE_EVENT].first)
                write_queue_wake(queue, 0);
}

static void on_work(void *context) {
        struct write_queue *queue = context;
        size_t count;

        send_ready(queue);
        /* Those added by the callbacks come with the next iteration. */
        count = queue->over.count;
        while (count-- > 0) {
                struct pending_write *write = queue->over.first;

                write_list_remove(&queue->over, write);
                write_report(write, &(struct write_result){ .outcome = write->outcome });
        }
        if (queue->over.first)
                write_queue_wake(queue, 0);
}

/* ---- answers ---- */

/* Time to wait before the write is repeated; negative = it is not. */
static int64_t repeat_delay(struct pending_write *write, const struct api_reply *reply) {
        bool is_busy = (reply->status == 429 || reply->status == 503) && reply->retry_after_s >= 0;
        bool was_never_there = reply->status == 0 && reply->error.code == BERTH_ERR_UNAVAILABLE;
        bool is_transient = reply->status == 0 && (reply->error.code == BERTH_ERR_TIMEOUT ||
                                                   reply->error.code == BERTH_ERR_IO);
        int64_t wait_s = reply->retry_after_s < WRITE_RETRY_AFTER_MAX_S ? reply->retry_after_s
                                                                        : WRITE_RETRY_AFTER_MAX_S;

        if (write->is_once || write->attempts >= WRITE_ATTEMPTS_MAX)
                return -1;
        if (is_busy && !write->reports_busy)
                return (wait_s ? wait_s : 1) * NS_PER_S;
        if (was_never_there || (is_transient && write->is_repeatable))
                return backoff_next(&write->backoff, &write->queue->rng);
        return -1;
}

/* ---- patches that are refused for bytes that they do not mean to change ---- */

static void on_exact_call(void *context, enum api_method method) {
        struct pending_write *write = context;

        count_call(write->queue, method, write);
}

static void on_exact_done(void *context, const struct api_reply *reply) {
        struct pending_write *write = context;
        const struct api_reply refused = { .status = 422,
                                           .retry_after_s = -1,
                                           .error = write->refusal };

        write->exact = NULL;
        write->keeps_bytes = reply && reply->status == 0; /* it may begin again */
        on_reply(write, reply ? reply : &refused);
}

static void write_exactly(struct pending_write *write, const struct api_reply *reply) {
        write->request = NULL;
        write->refusal = reply->error;
        write->exact =
                exact_write_new(&(struct exact_write_config){ .transport = write->queue->transport,
                                                              .loop = write->queue->loop,
                                                              .path = slice_of(write->path),
                                                              .patch = buf_view(&write->body),
                                                              .called = on_exact_call,
                                                              .done = on_exact_done,
                                                              .context = write });
}

static void on_reply(void *context, const struct api_reply *reply) {
        struct pending_write *write = context;

        if (reply->status == 422 && write->keeps_bytes) {
                write_exactly(write, reply);
                return;
        }
        struct write_queue *queue = write->queue;
        struct write_result result = { reply->status ? WRITE_ANSWERED : WRITE_LOST, reply };
        int64_t delay = repeat_delay(write, reply);

        write->request = NULL;
        queue->in_flight--;
        queue->events_in_flight -= write->lane == WRITE_EVENT;
        write_queue_wake(queue, 0);
        if (delay >= 0) {
                write->state = WRITE_WAITING;
                loop_timer_arm(queue->loop, &write->wait, delay);
                return;
        }
        refusal_log_note(queue->refusals, loop_mono(queue->loop), write->method, write->path,
                         reply);
        write_entry_remove(write, false);
        write_report(write, &result);
}

/* ---- life ---- */

struct write_queue *write_queue_new(const struct write_queue_config *config,
                                    struct transport *transport, struct loop *loop) {
        struct write_queue *queue = xcalloc(1, sizeof(*queue));

        queue->transport = transport;
        queue->loop = loop;
        queue->entries = map_new();
        queue->counters = map_new();
        queue->refusals = refusal_log_new();
        queue->concurrency = config->concurrency ? config->concurrency : WRITE_CONCURRENCY;
        queue->work = (struct loop_timer){ .fired = on_work, .context = queue };
        token_bucket_init(&queue->bucket, config->per_second, config->burst, loop_mono(loop));
        queue->event_bucket = queue->bucket;
        queue->events_together_ns = config->events_together_ns;
        queue->events_sent.ns = loop_mono(loop).ns - config->events_together_ns;
        rng_init(&queue->rng, config->seed);
        return queue;
}

void write_queue_free(struct write_queue *queue) {
        size_t at = 0;
        void *count;

        if (!queue)
                return;
        while (queue->all) {
                struct pending_write *write = queue->all->first;

                if (write->request)
                        transport_cancel(queue->transport, write->request);
                exact_write_free(write->exact);
                write_entry_remove(write, false);
                write_free(write);
        }
        while (queue->over.first) {
                struct pending_write *write = queue->over.first;

                write_list_remove(&queue->over, write);
                write_free(write);
        }
        loop_timer_disarm(queue->loop, &queue->work);
        while (map_next(queue->counters, &at, NULL, &count))
                free(count);
        map_free(queue->counters);
        refusal_log_free(queue->refusals);
        map_free(queue->entries);
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
