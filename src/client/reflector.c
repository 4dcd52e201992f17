/* List and watch of one collection: what is asked for when, and again after failures. What lists
 * and watch records bring goes through object_reports. */
#include "client/reflector.h"

#include "base/rng.h"
#include "base/util.h"
#include "client/backoff.h"
#include "client/collection_list.h"
#include "client/collection_watch.h"
#include "client/object_reports.h"
#include "schema/pod_reader.h"
#include <assert.h>
#include <stdlib.h>

#define WATCH_GOOD_NS (2 * NS_PER_S) /* a watch that lasts so long does not count as failed */
#define WATCH_FAILURES_MAX 3         /* in a row, then a new list is tried */
#define SHORT_WATCH_NS NS_PER_S

struct reflector {
        struct loop *loop;
        const struct reflector_events *events;
        void *context;
        struct rng rng;
        struct backoff backoff;
        struct collection collection;
        struct object_reports reports;
        struct collection_list *list;
        struct collection_watch *watch;
        struct buf version;
        struct loop_timer retry; /* armed while backing off */
        struct loop_timer again; /* armed until a list that reports all begins */
        struct loop_timer good;  /* armed from the begin of a watch after failures until it lasts */
        unsigned watch_failures;
        bool is_whole;    /* the last list was asked for in one piece */
        bool has_expired; /* the version, and there was no record since */
        bool wants_list;  /* what the retry timer does */
        bool has_failed;  /* since a watch worked */
        bool is_synced;
        struct reflector_stats stats;
};

/* ---- requests ---- */

static void start_list(struct reflector *reflector, enum collection_list_way way) {
        reflector->is_whole = way != COLLECTION_PAGES;
        reflector->has_expired = false;
        reflector->watch_failures = 0;
        reflector->stats.lists++;
        known_objects_begin(reflector->reports.known);
        collection_list_begin(reflector->list, way);
}

static void start_watch(struct reflector *reflector) {
        uint64_t spread_s = rng_below(&reflector->rng, REFLECTOR_WATCH_MIN_S);

        reflector->stats.watches++;
        if (reflector->has_failed)
                loop_timer_arm(reflector->loop, &reflector->good, WATCH_GOOD_NS);
        collection_watch_begin(reflector->watch, buf_view(&reflector->version),
                               REFLECTOR_WATCH_MIN_S + spread_s);
}

/* ---- trying again ---- */

static void on_retry(void *context) {
        struct reflector *reflector = context;

        if (reflector->wants_list)
                start_list(reflector, COLLECTION_PAGES);
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

/* ---- what lists bring ---- */

static void on_reported(void *context, enum reflector_change change, struct arrival *arrival) {
        struct reflector *reflector = context;

        if (arrival->pod)
                reflector->events->pod_changed(reflector->context, change, arrival);
        else
                reflector->events->changed(reflector->context, change, arrival_value(arrival));
}

static void list_failed(struct reflector *reflector, const struct collection_list_end *end) {
        bool has_expired = end->err->code == BERTH_ERR_EXPIRED;

        if (has_expired)
                reflector->stats.expirations++;
        if (has_expired && !reflector->is_whole)
                start_list(reflector, COLLECTION_WHOLE); /* its pages would expire again */
        else
                back_off(reflector, end->err, end->retry_after_s, true);
}

static void on_list_ended(void *context, const struct collection_list_end *end) {
        struct reflector *reflector = context;

        if (end->err) {
                list_failed(reflector, end);
                return;
        }
        keep_version(reflector, end->version);
        object_reports_sweep(&reflector->reports);
        backoff_reset(&reflector->backoff);
        reflector->is_synced = true;
        if (reflector->events->synced)
                reflector->events->synced(reflector->context);
        reflector->reports.has_all = false;
        start_watch(reflector);
}

/* ---- what watches bring ---- */

static void on_record(void *context, struct slice type, struct arrival *arrival) {
        struct reflector *reflector = context;

        reflector_works(reflector);
        if (slice_is(type, "BOOKMARK"))
                reflector->stats.bookmarks++;
        else if (slice_is(type, "DELETED"))
                object_reports_take_deletion(&reflector->reports, arrival);
        else
                object_reports_take(&reflector->reports, arrival);
        keep_version(reflector, arrival_resource_version(arrival));
}

static void watch_has_expired(struct reflector *reflector, const struct collection_watch_end *end) {
        reflector->stats.expirations++;
        if (reflector->has_expired) /* the last list did not help */
                back_off(reflector, end->err, end->retry_after_s, true);
        else
                start_list(reflector, COLLECTION_PAGES);
        reflector->has_expired = true;
}

static void watch_has_failed(struct reflector *reflector, const struct collection_watch_end *end) {
        bool is_server_busy = end->status == 0 || end->status == 429 || end->status >= 500;
        bool wants_list = ++reflector->watch_failures >= WATCH_FAILURES_MAX || !is_server_busy;

        back_off(reflector, end->err, end->retry_after_s, wants_list && end->status != 0);
}

static void on_watch_ended(void *context, const struct collection_watch_end *end) {
        struct reflector *reflector = context;
        struct err brief;

        loop_timer_disarm(reflector->loop, &reflector->good);
        /* One that lasted worked, there were just no events. */
        if (end->lasted_ns >= WATCH_GOOD_NS || end->has_seen_records)
                backoff_reset(&reflector->backoff);
        if (end->has_seen_records) {
                reflector->watch_failures = 0;
                reflector->has_expired = false;
        }
        if (end->err->code == BERTH_ERR_EXPIRED) {
                watch_has_expired(reflector, end);
        } else if (end->err->code) {
                watch_has_failed(reflector, end);
        } else if (!end->has_seen_records && end->lasted_ns < SHORT_WATCH_NS) {
                err_set(&brief, BERTH_ERR_INTERNAL, "watch of %s ended at once",
                        reflector->collection.path);
                back_off(reflector, &brief, -1, false);
        } else {
                start_watch(reflector);
        }
}

/* ---- listing again ---- */

static void on_again(void *context) {
        struct reflector *reflector = context;

        reflector->reports.has_all = true;
        if (loop_timer_is_armed(&reflector->retry)) { /* the next try comes when it is due */
                reflector->wants_list = true;
                return;
        }
        collection_list_cancel(reflector->list);
        collection_watch_cancel(reflector->watch);
        loop_timer_disarm(reflector->loop, &reflector->good);
        start_list(reflector, COLLECTION_PAGES);
}

void reflector_read_all(struct reflector *reflector) {
        reflector->collection.leaves_unread = false;
        collection_list_read_all(reflector->list);
}

void reflector_list_again(struct reflector *reflector) {
        if (!loop_timer_is_armed(&reflector->again))
                loop_timer_arm(reflector->loop, &reflector->again, 0);
}

bool reflector_reports_all(const struct reflector *reflector) {
        return reflector->reports.has_all;
}

/* ---- life ---- */

static struct backoff backoff_from(const struct reflector_config *config) {
        int64_t min_ns = config->backoff_min_ns;

        return (struct backoff){ .min_ns = min_ns ? min_ns : REFLECTOR_BACKOFF_MIN_NS,
                                 .max_ns = REFLECTOR_BACKOFF_MAX_NS,
                                 .jitter = 1.0 };
}

static void make_collection(struct reflector *reflector, const struct reflector_config *config) {
        reflector->collection = (struct collection){
                .path = slice_dup(slice_of(config->path)),
                .label_selector = slice_dup(slice_of(config->label_selector)),
                .field_selector = slice_dup(slice_of(config->field_selector)),
                .pods = reflector->events->pod_changed ? pod_reader_new() : NULL,
                .leaves_unread = config->leaves_unread,
        };
}

static void make_requests(struct reflector *reflector, const struct reflector_config *config,
                          struct transport *transport) {
        uint32_t page_size = config->page_size ? config->page_size : REFLECTOR_PAGE_SIZE;

        reflector->list = collection_list_new(
                &(struct collection_list_config){ .transport = transport,
                                                  .loop = reflector->loop,
                                                  .collection = &reflector->collection,
                                                  .reports = &reflector->reports,
                                                  .page_size = page_size,
                                                  .is_large = config->is_large,
                                                  .ended = on_list_ended,
                                                  .context = reflector });
        reflector->watch = collection_watch_new(
                &(struct collection_watch_config){ .transport = transport,
                                                   .loop = reflector->loop,
                                                   .collection = &reflector->collection,
                                                   .record = on_record,
                                                   .ended = on_watch_ended,
                                                   .context = reflector });
}

struct reflector *reflector_new(const struct reflector_config *config, struct transport *transport,
                                struct loop *loop, const struct reflector_events *events,
                                void *context) {
        struct reflector *reflector = xcalloc(1, sizeof(*reflector));

        assert(config->path && events->changed);
        reflector->loop = loop;
        reflector->events = events;
        reflector->context = context;
        rng_init(&reflector->rng, config->seed);
        reflector->backoff = backoff_from(config);
        reflector->retry = (struct loop_timer){ .fired = on_retry, .context = reflector };
        reflector->again = (struct loop_timer){ .fired = on_again, .context = reflector };
        reflector->good = (struct loop_timer){ .fired = reflector_works, .context = reflector };
        reflector->reports = (struct object_reports){ .known = known_objects_new(),
                                                      .changed = on_reported,
                                                      .context = reflector };
        make_collection(reflector, config);
        make_requests(reflector, config, transport);
        start_list(reflector, config->takes_cached ? COLLECTION_CACHED : COLLECTION_PAGES);
        return reflector;
}

void reflector_free(struct reflector *reflector) {
        if (!reflector)
                return;
        collection_list_free(reflector->list);
        collection_watch_free(reflector->watch);
        loop_timer_disarm(reflector->loop, &reflector->retry);
        loop_timer_disarm(reflector->loop, &reflector->again);
        loop_timer_disarm(reflector->loop, &reflector->good);
        known_objects_free(reflector->reports.known);
        pod_reader_free(reflector->collection.pods);
        buf_release(&reflector->version);
        free(reflector->collection.path);
        free(reflector->collection.label_selector);
        free(reflector->collection.field_selector);
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
        stats.pages = collection_list_pages(reflector->list);
        return stats;
}
