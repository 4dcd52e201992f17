/* List and watch of one collection.
 *
 * A page is decoded only after the request for the next one is on its way, so that the server and
 * the network work meanwhile. What lists and watch records bring goes through object_reports. */
#include "client/reflector.h"

#include "api/status.h"
#include "base/arena.h"
#include "base/rng.h"
#include "base/util.h"
#include "client/backoff.h"
#include "client/list_reader.h"
#include "client/object_reports.h"
#include "client/record_splitter.h"
#include "client/url_query.h"
#include "client/watch_record.h"
#include "schema/pod_reader.h"
#include "schema/schema.h"
#include <assert.h>
#include <stdlib.h>

#define WATCH_GOOD_NS (2 * NS_PER_S) /* a watch that lasts so long does not count as failed */
#define ITERATIONS_UNTIL_SENT 3      /* in which the transport gets a request onto the wire */
#define WATCH_FAILURES_MAX 3         /* in a row, then a new list is tried */
#define SHORT_WATCH_NS NS_PER_S
#define PODS_QUIET_NS (30 * NS_PER_S)

struct reflector {
        struct transport *transport;
        struct loop *loop;
        const struct reflector_events *events;
        void *context;
        char *path, *label_selector, *field_selector;
        uint32_t page_size;
        struct rng rng;
        struct backoff backoff;
        struct object_reports reports;
        struct api_request *request; /* list or watch under way */
        struct loop_timer retry;     /* armed while backing off */
        struct loop_timer again;     /* armed until a list that reports all begins */
        /* Listing */
        struct loop_timer decode; /* armed while a page waits to be decoded */
        struct list_reader *list;
        struct pod_reader *pods; /* NULL: the consumer wants values */
        struct buf page;         /* the answer that waits */
        int iterations_left;
        bool has_page, is_last_page;
        bool is_whole;   /* this list is asked for in one piece, and read while it arrives */
        bool is_cached;  /* and may be as old as what the server has in memory */
        bool takes_json; /* protobuf did not work */
        bool leaves_unread, is_large;
        /* Watching */
        struct record_splitter splitter;
        struct buf version;
        struct mono_time watch_started;
        struct loop_timer quiet; /* armed until pods have not come for a while */
        bool has_pods;           /* since it was armed */
        struct loop_timer good;  /* armed from the begin of a watch after failures until it lasts */
        unsigned watch_failures;
        struct err stream_error; /* an ERROR record, or a record that cannot be parsed */
        bool has_expired;
        bool wants_list; /* what the retry timer does */
        bool has_seen_records;
        bool has_failed; /* since a watch worked */
        bool is_synced, is_busy;
        struct reflector_stats stats;
};

static void start_list(struct reflector *reflector, bool is_whole);
static void start_watch(struct reflector *reflector);

/* ---- trying again ---- */

static void on_retry(void *context) {
        struct reflector *reflector = context;

        if (reflector->wants_list)
                start_list(reflector, false);
        else
                start_watch(reflector);
}

static void back_off(struct reflector *reflector, const struct err *err, int retry_after_s,
                     bool wants_list) {
        int64_t delay = backoff_next(&reflector->backoff, &reflector->rng);

        if (retry_after_s > 0 && retry_after_s * NS_PER_S > delay)
                delay = retry_after_s * NS_PER_S;
        reflector->wants_list = wants_list;
        reflector->stats.failures++;
        reflector->has_failed = true;
        loop_timer_arm(reflector->loop, &reflector->retry, delay);
        if (reflector->events->failed)
                reflector->events->failed(reflector->context, err, delay);
}

static void reflector_works(void *context) {
        struct reflector *reflector = context;

        loop_timer_disarm(reflector->loop, &reflector->good);
        if (!reflector->has_failed)
                return;
        reflector->has_failed = false;
        if (reflector->events->works)
                reflector->events->works(reflector->context);
}

static void keep_version(struct reflector *reflector, struct slice version) {
        if (version.len == 0)
                return;
        buf_clear(&reflector->version);
        buf_slice(&reflector->version, version);
}

/* ---- listing ---- */

static void on_page(void *context, const struct api_reply *reply);
static void on_whole_data(void *context, struct slice chunk);
static void on_whole_ended(void *context, const struct api_reply *reply);

static void add_selectors(const struct reflector *reflector, struct buf *url) {
        if (reflector->label_selector[0])
                url_query_text(url, "labelSelector", slice_of(reflector->label_selector));
        if (reflector->field_selector[0])
                url_query_text(url, "fieldSelector", slice_of(reflector->field_selector));
}

/* A server that has no protobuf of this kind answers in JSON. */
static struct slice reflector_accept(const struct reflector *reflector) {
        if (reflector->takes_json)
                return SLICE_EMPTY;
        return SLICE_LITERAL("application/vnd.kubernetes.protobuf,application/json");
}

static void ask_page(struct reflector *reflector, struct slice continue_token) {
        static const struct api_stream_events events = { .data = on_whole_data,
                                                         .ended = on_whole_ended };
        CLEANUP(buf_release) struct buf url = { 0 };
        struct api_call call = { .method = API_GET };

        buf_text(&url, reflector->path);
        add_selectors(reflector, &url);
        if (!reflector->is_whole)
                url_query_u64(&url, "limit", reflector->page_size);
        if (reflector->is_cached)
                url_query_u64(&url, "resourceVersion", 0);
        reflector->is_cached = false;
        if (continue_token.len)
                url_query_text(&url, "continue", continue_token);
        call.path = buf_view(&url);
        call.accept = reflector_accept(reflector);
        call.is_large = reflector->is_large;
        reflector->request =
                reflector->is_whole
                        ? transport_stream(reflector->transport, &call, &events, reflector)
                        : transport_call(reflector->transport, &call, on_page, reflector);
}

static void on_item(void *context, const struct json *item) {
        object_reports_take(&((struct reflector *)context)->reports,
                            &(struct arrival){ .value = item });
}

static const struct json *value_of_pod(void *context) {
        return pod_reader_value(context, FIELD_UNREAD);
}

static void on_pod(void *context, const struct pod *pod) {
        struct reflector *reflector = context;

        object_reports_take(
                &reflector->reports,
                &(struct arrival){ .pod = pod, .make = value_of_pod, .context = reflector->pods });
}

static void on_reported(void *context, enum reflector_change change, struct arrival *arrival) {
        struct reflector *reflector = context;

        if (arrival->pod)
                reflector->events->pod_changed(reflector->context, change, arrival);
        else
                reflector->events->changed(reflector->context, change, arrival_value(arrival));
}

/* Bytes of pods go to the consumer by a shorter way. */
static void read_pods(struct reflector *reflector) {
        if (!reflector->events->pod_changed)
                return;
        if (!reflector->pods)
                reflector->pods = pod_reader_new();
        list_reader_read_pods(reflector->list, reflector->pods, on_pod);
}

static void start_list(struct reflector *reflector, bool is_whole) {
        reflector->is_whole = is_whole;
        reflector->has_expired = false;
        reflector->watch_failures = 0;
        reflector->stats.lists++;
        known_objects_begin(reflector->reports.known);
        if (!reflector->list)
                reflector->list = list_reader_new(on_item, reflector);
        list_reader_leave_unread(reflector->list, reflector->leaves_unread);
        read_pods(reflector);
        list_reader_begin(reflector->list);
        ask_page(reflector, SLICE_EMPTY);
}

static void finish_list(struct reflector *reflector) {
        list_reader_free(reflector->list);
        reflector->list = NULL;
        if (reflector->pods)
                pod_reader_clear(reflector->pods);
        buf_release(&reflector->page);
        object_reports_sweep(&reflector->reports);
        backoff_reset(&reflector->backoff);
        reflector->is_synced = true;
        if (reflector->events->synced)
                reflector->events->synced(reflector->context);
        reflector->reports.has_all = false;
        start_watch(reflector);
}

static void list_failed(struct reflector *reflector, const struct api_reply *reply,
                        const struct err *err) {
        bool has_expired = err->code == BERTH_ERR_EXPIRED;

        if (has_expired)
                reflector->stats.expirations++;
        if (has_expired && !reflector->is_whole) {
                start_list(reflector, true); /* its pages would expire again */
                return;
        }
        back_off(reflector, err, reply->retry_after_s, true);
}

/* The answer came, and says nothing that can be used. */
static void list_is_broken(struct reflector *reflector, struct err *err) {
        static const struct api_reply none = { .status = 200, .retry_after_s = -1 };

        if (reflector->request)
                transport_cancel(reflector->transport, reflector->request);
        reflector->request = NULL;
        reflector->takes_json = true; /* the form that every server and kind has */
        err_wrap(err, "answer to %s", reflector->path);
        list_failed(reflector, &none, err);
}

static void clear_page(struct reflector *reflector) {
        reflector->has_page = false;
        buf_clear(&reflector->page);
        loop_timer_disarm(reflector->loop, &reflector->decode);
}

static bool decode_page(struct reflector *reflector) {
        struct err err = { 0 };

        reflector->is_busy = true;
        int r = list_reader_read(reflector->list, buf_view(&reflector->page), &err);
        reflector->is_busy = false;
        clear_page(reflector);
        if (r < 0)
                list_is_broken(reflector, &err);
        return r == 0;
}

static void on_decode(void *context) {
        struct reflector *reflector = context;

        if (--reflector->iterations_left > 0) {
                loop_timer_arm(reflector->loop, &reflector->decode, 0);
                return;
        }
        if (decode_page(reflector) && reflector->is_last_page)
                finish_list(reflector);
}

static void on_page(void *context, const struct api_reply *reply) {
        struct reflector *reflector = context;
        struct err err = { 0 };

        reflector->request = NULL;
        if (reflector->has_page &&
            !decode_page(reflector)) /* this came before that one was decoded */
                return;
        if (reply->status != 200) {
                list_failed(reflector, reply, &reply->error);
                return;
        }
        if (list_reader_peek(reflector->list, reply->body, &err) < 0) {
                list_is_broken(reflector, &err);
                return;
        }
        reflector->stats.pages++;
        keep_version(reflector, list_reader_version(reflector->list));
        struct slice next = list_reader_continue(reflector->list);
        reflector->is_last_page = next.len == 0;
        reflector->iterations_left = next.len ? ITERATIONS_UNTIL_SENT : 1;
        if (next.len)
                ask_page(reflector, next);
        buf_slice(&reflector->page, reply->body);
        reflector->has_page = true;
        loop_timer_arm(reflector->loop, &reflector->decode, 0);
}

/* ---- a list in one piece ---- */

static void on_whole_data(void *context, struct slice chunk) {
        struct reflector *reflector = context;
        struct err err = { 0 };

        reflector->is_busy = true;
        int r = list_reader_feed(reflector->list, chunk, &err);
        reflector->is_busy = false;
        if (r < 0)
                list_is_broken(reflector, &err);
}

static void on_whole_ended(void *context, const struct api_reply *reply) {
        struct reflector *reflector = context;
        struct err err = reply->error;

        reflector->request = NULL;
        if (reply->status != 200 || err.code) {
                list_failed(reflector, reply, &err);
                return;
        }
        if (list_reader_end(reflector->list, &err) < 0) {
                list_is_broken(reflector, &err);
                return;
        }
        reflector->stats.pages++;
        keep_version(reflector, list_reader_version(reflector->list));
        finish_list(reflector);
}

/* ---- watching ---- */

/* What pods have in common is kept while they come. */
static void on_quiet(void *context) {
        struct reflector *reflector = context;

        if (!reflector->has_pods)
                pod_reader_clear(reflector->pods);
        else
                loop_timer_arm(reflector->loop, &reflector->quiet, PODS_QUIET_NS);
        reflector->has_pods = false;
}

static void forget_pods_later(struct reflector *reflector) {
        reflector->has_pods = loop_timer_is_armed(&reflector->quiet);
        if (!reflector->has_pods)
                loop_timer_arm(reflector->loop, &reflector->quiet, PODS_QUIET_NS);
}

static void take_error(struct reflector *reflector, const struct json *object) {
        struct status_info info;

        if (status_decode(object, &info, &reflector->stream_error) == 0 &&
            status_to_err(&info, &reflector->stream_error) == 0)
                err_set(&reflector->stream_error, BERTH_ERR_INTERNAL, "watch of %s ended by server",
                        reflector->path);
}

static void take_record_of_type(struct reflector *reflector, struct slice type,
                                struct arrival *arrival) {
        if (slice_is(type, "ERROR")) {
                take_error(reflector, arrival_value(arrival));
                return;
        }
        reflector->has_seen_records = true;
        reflector_works(reflector);
        if (slice_is(type, "BOOKMARK"))
                reflector->stats.bookmarks++;
        else if (slice_is(type, "DELETED"))
                object_reports_take_deletion(&reflector->reports, arrival);
        else
                object_reports_take(&reflector->reports, arrival);
        keep_version(reflector, arrival_resource_version(arrival));
}

static bool take_record(void *context, struct slice record) {
        struct reflector *reflector = context;
        struct pod_reader *pods = reflector->leaves_unread ? reflector->pods : NULL;
        struct arrival arrival = { .make = value_of_pod, .context = pods };
        CLEANUP(watch_record_release) struct watch_record read;

        if (watch_record_read(&read, record, pods, &reflector->stream_error) < 0) {
                reflector->takes_json |= read.is_protobuf;
                err_wrap(&reflector->stream_error, "watch of %s", reflector->path);
                return false;
        }
        arrival.value = read.object;
        arrival.pod = read.has_pod ? &read.pod : NULL;
        if (read.has_pod)
                forget_pods_later(reflector);
        take_record_of_type(reflector, read.type, &arrival);
        return reflector->stream_error.code == 0;
}

/* The stream came to an end, well or badly. */
static void watch_ended(struct reflector *reflector, const struct err *err, int status,
                        int retry_after_s) {
        int64_t lasted = loop_mono(reflector->loop).ns - reflector->watch_started.ns;
        struct err brief;
        bool is_server_busy = status == 0 || status == 429 || status >= 500;

        loop_timer_disarm(reflector->loop, &reflector->good);
        record_splitter_clear(&reflector->splitter);
        if (lasted >= WATCH_GOOD_NS) /* it worked, there were just no events */
                backoff_reset(&reflector->backoff);
        if (reflector->has_seen_records) {
                backoff_reset(&reflector->backoff);
                reflector->watch_failures = 0;
                reflector->has_expired = false;
        }
        if (err->code == BERTH_ERR_EXPIRED) {
                reflector->stats.expirations++;
                if (reflector->has_expired) /* the last list did not help */
                        back_off(reflector, err, retry_after_s, true);
                else
                        start_list(reflector, false);
                reflector->has_expired = true;
        } else if (err->code) {
                bool wants_list =
                        ++reflector->watch_failures >= WATCH_FAILURES_MAX || !is_server_busy;

                back_off(reflector, err, retry_after_s, wants_list && status != 0);
        } else if (!reflector->has_seen_records && lasted < SHORT_WATCH_NS) {
                err_set(&brief, BERTH_ERR_INTERNAL, "watch of %s ended at once", reflector->path);
                back_off(reflector, &brief, -1, false);
        } else {
                start_watch(reflector);
        }
}

static void on_watch_data(void *context, struct slice chunk) {
        struct reflector *reflector = context;

        reflector->is_busy = true;
        if (reflector->stream_error.code == 0 &&
            record_splitter_feed(&reflector->splitter, chunk, take_record, reflector,
                                 &reflector->stream_error) < 0)
                record_splitter_clear(&reflector->splitter);
        reflector->is_busy = false;
        if (reflector->stream_error.code == 0)
                return;
        transport_cancel(reflector->transport, reflector->request);
        reflector->request = NULL;
        /* 200: the stream was fine, its content was not. */
        watch_ended(reflector, &reflector->stream_error, 200, -1);
}

static void on_watch_ended(void *context, const struct api_reply *reply) {
        struct reflector *reflector = context;

        reflector->request = NULL;
        watch_ended(reflector, &reply->error, reply->status, reply->retry_after_s);
}

static void start_watch(struct reflector *reflector) {
        static const struct api_stream_events events = { .data = on_watch_data,
                                                         .ended = on_watch_ended };
        CLEANUP(buf_release) struct buf url = { 0 };
        struct api_call call = { .method = API_GET };

        buf_text(&url, reflector->path);
        add_selectors(reflector, &url);
        url_query_u64(&url, "watch", 1);
        url_query_text(&url, "allowWatchBookmarks", SLICE_LITERAL("true"));
        if (reflector->version.len)
                url_query_text(&url, "resourceVersion", buf_view(&reflector->version));
        url_query_u64(&url, "timeoutSeconds",
                      REFLECTOR_WATCH_MIN_S + rng_below(&reflector->rng, REFLECTOR_WATCH_MIN_S));
        call.path = buf_view(&url);
        call.accept = reflector_accept(reflector);
        reflector->stats.watches++;
        reflector->stream_error = (struct err){ 0 };
        reflector->has_seen_records = false;
        reflector->watch_started = loop_mono(reflector->loop);
        if (reflector->has_failed)
                loop_timer_arm(reflector->loop, &reflector->good, WATCH_GOOD_NS);
        reflector->request = transport_stream(reflector->transport, &call, &events, reflector);
}

/* ---- listing again ---- */

static void on_again(void *context) {
        struct reflector *reflector = context;

        reflector->reports.has_all = true;
        if (loop_timer_is_armed(&reflector->retry)) { /* the next try comes when it is due */
                reflector->wants_list = true;
                return;
        }
        if (reflector->request)
                transport_cancel(reflector->transport, reflector->request);
        reflector->request = NULL;
        loop_timer_disarm(reflector->loop, &reflector->good);
        clear_page(reflector);
        record_splitter_clear(&reflector->splitter);
        start_list(reflector, false);
}

void reflector_read_all(struct reflector *reflector) {
        reflector->leaves_unread = false;
        if (reflector->list)
                list_reader_leave_unread(reflector->list, false);
}

void reflector_list_again(struct reflector *reflector) {
        if (!loop_timer_is_armed(&reflector->again))
                loop_timer_arm(reflector->loop, &reflector->again, 0);
}

bool reflector_reports_all(const struct reflector *reflector) {
        return reflector->reports.has_all;
}

/* ---- life ---- */

struct reflector *reflector_new(const struct reflector_config *config, struct transport *transport,
                                struct loop *loop, const struct reflector_events *events,
                                void *context) {
        struct reflector *reflector = xcalloc(1, sizeof(*reflector));

        assert(config->path && events->changed);
        reflector->transport = transport;
        reflector->loop = loop;
        reflector->events = events;
        reflector->context = context;
        reflector->path = slice_dup(slice_of(config->path));
        reflector->label_selector = slice_dup(slice_of(config->label_selector));
        reflector->field_selector = slice_dup(slice_of(config->field_selector));
        reflector->leaves_unread = config->leaves_unread;
        reflector->is_large = config->is_large;
        reflector->page_size = config->page_size ? config->page_size : REFLECTOR_PAGE_SIZE;
        rng_init(&reflector->rng, config->seed);
        reflector->backoff =
                (struct backoff){ .min_ns = config->backoff_min_ns ? config->backoff_min_ns
                                                                   : REFLECTOR_BACKOFF_MIN_NS,
                                  .max_ns = REFLECTOR_BACKOFF_MAX_NS,
                                  .jitter = 1.0 };
        reflector->retry = (struct loop_timer){ .fired = on_retry, .context = reflector };
        reflector->again = (struct loop_timer){ .fired = on_again, .context = reflector };
        reflector->good = (struct loop_timer){ .fired = reflector_works, .context = reflector };
        reflector->quiet = (struct loop_timer){ .fired = on_quiet, .context = reflector };
        reflector->decode = (struct loop_timer){ .fired = on_decode, .context = reflector };
        reflector->reports = (struct object_reports){ .known = known_objects_new(),
                                                      .changed = on_reported,
                                                      .context = reflector };
        reflector->is_cached = config->takes_cached;
        start_list(reflector, config->takes_cached);
        return reflector;
}

void reflector_free(struct reflector *reflector) {
        if (!reflector)
                return;
        assert(!reflector->is_busy);
        if (reflector->request)
                transport_cancel(reflector->transport, reflector->request);
        loop_timer_disarm(reflector->loop, &reflector->retry);
        loop_timer_disarm(reflector->loop, &reflector->again);
        loop_timer_disarm(reflector->loop, &reflector->decode);
        loop_timer_disarm(reflector->loop, &reflector->good);
        loop_timer_disarm(reflector->loop, &reflector->quiet);
        list_reader_free(reflector->list);
        pod_reader_free(reflector->pods);
        buf_release(&reflector->page);
        known_objects_free(reflector->reports.known);
        record_splitter_release(&reflector->splitter);
        buf_release(&reflector->version);
        free(reflector->path);
        free(reflector->label_selector);
        free(reflector->field_selector);
        free(reflector);
}

bool reflector_is_synced(const struct reflector *reflector) {
        return reflector->is_synced;
}

size_t reflector_count(const struct reflector *reflector) {
        return known_objects_count(reflector->reports.known);
}

bool reflector_object_version(const struct reflector *reflector,
                              const struct object_identity *identity,
                              struct object_version *ret_version) {
        return known_objects_version(reflector->reports.known, identity, ret_version);
}

struct slice reflector_version(const struct reflector *reflector) {
        return buf_view(&reflector->version);
}

struct reflector_stats reflector_stats(const struct reflector *reflector) {
        struct reflector_stats stats = reflector->stats;

        stats.objects = reflector->reports.count;
        return stats;
}
