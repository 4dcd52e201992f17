/* Watches of one collection. */
#include "client/collection_watch.h"

#include "api/status.h"
#include "base/util.h"
#include "client/record_splitter.h"
#include "client/url_query.h"
#include "client/watch_record.h"
#include "schema/pod_reader.h"
#include <assert.h>
#include <stdlib.h>

#define PODS_QUIET_NS (30 * NS_PER_S)

struct collection_watch {
        struct collection_watch_config config;
        struct api_request *request;
        struct record_splitter splitter;
        struct mono_time started;
        struct err stream_error; /* an ERROR record, or a record that cannot be parsed */
        bool has_seen_records;
        bool is_busy;            /* a record is being taken */
        struct loop_timer quiet; /* armed until pods have not come for a while */
        bool has_pods;           /* since it was armed */
};

/* What pods have in common is kept while they come. */
static void on_quiet(void *context) {
        struct collection_watch *watch = context;

        if (!watch->has_pods)
                pod_reader_clear(watch->config.collection->pods);
        else
                loop_timer_arm(watch->config.loop, &watch->quiet, PODS_QUIET_NS);
        watch->has_pods = false;
}

static void forget_pods_later(struct collection_watch *watch) {
        watch->has_pods = loop_timer_is_armed(&watch->quiet);
        if (!watch->has_pods)
                loop_timer_arm(watch->config.loop, &watch->quiet, PODS_QUIET_NS);
}

static void take_error(struct collection_watch *watch, const struct json *object) {
        struct status_info info;

        if (status_decode(object, &info, &watch->stream_error) == 0 &&
            status_to_err(&info, &watch->stream_error) == 0)
                err_set(&watch->stream_error, BERTH_ERR_INTERNAL, "watch of %s ended by server",
                        watch->config.collection->path);
}

static void take_record_of_type(struct collection_watch *watch, struct slice type,
                                struct arrival *arrival) {
        if (slice_is(type, "ERROR")) {
                take_error(watch, arrival_value(arrival));
                return;
        }
        watch->has_seen_records = true;
        watch->config.record(watch->config.context, type, arrival);
}

static bool take_record(void *context, struct slice record) {
        struct collection_watch *watch = context;
        struct collection *collection = watch->config.collection;
        struct pod_reader *pods = collection->leaves_unread ? collection->pods : NULL;
        CLEANUP(watch_record_release) struct watch_record read;

        if (watch_record_read(&read, record, pods, &watch->stream_error) < 0) {
                collection->takes_json |= read.is_protobuf;
                err_wrap(&watch->stream_error, "watch of %s", collection->path);
                return false;
        }
        struct arrival arrival = { .value = read.object };
        if (read.has_pod) {
                arrival = collection_pod(collection, &read.pod);
                forget_pods_later(watch);
        }
        take_record_of_type(watch, read.type, &arrival);
        return watch->stream_error.code == 0;
}

/* The stream came to an end, well or badly. */
static void watch_ended(struct collection_watch *watch, const struct err *err, int status,
                        int retry_after_s) {
        struct collection_watch_end end = {
                .err = err,
                .status = status,
                .retry_after_s = retry_after_s,
                .lasted_ns = loop_mono(watch->config.loop).ns - watch->started.ns,
                .has_seen_records = watch->has_seen_records,
        };
        record_splitter_clear(&watch->splitter);
        watch->config.ended(watch->config.context, &end);
}

static void on_watch_data(void *context, struct slice chunk) {
        struct collection_watch *watch = context;

        watch->is_busy = true;
        if (watch->stream_error.code == 0 &&
            record_splitter_feed(&watch->splitter, chunk, take_record, watch,
                                 &watch->stream_error) < 0)
                record_splitter_clear(&watch->splitter);
        watch->is_busy = false;
        if (watch->stream_error.code == 0)
                return;
        transport_cancel(watch->config.transport, watch->request);
        watch->request = NULL;
        struct err err = watch->stream_error;
        watch_ended(watch, &err, 200, -1); /* the stream was fine, its content was not */
}

static void on_watch_ended(void *context, const struct api_reply *reply) {
        struct collection_watch *watch = context;

        watch->request = NULL;
        watch_ended(watch, &reply->error, reply->status, reply->retry_after_s);
}

void collection_watch_begin(struct collection_watch *watch, struct slice version,
                            uint64_t timeout_s) {
        static const struct api_stream_events events = { .data = on_watch_data,
                                                         .ended = on_watch_ended };
        CLEANUP(buf_release) struct buf url = { 0 };
        struct api_call call = { .method = API_GET,
                                 .accept = collection_accept(watch->config.collection) };

        assert(!watch->request && !watch->is_busy);
        collection_url(watch->config.collection, &url);
        url_query_u64(&url, "watch", 1);
        url_query_text(&url, "allowWatchBookmarks", SLICE_LITERAL("true"));
        if (version.len)
                url_query_text(&url, "resourceVersion", version);
        url_query_u64(&url, "timeoutSeconds", timeout_s);
        call.path = buf_view(&url);
        watch->stream_error = (struct err){ 0 };
        watch->has_seen_records = false;
        watch->started = loop_mono(watch->config.loop);
        watch->request = transport_stream(watch->config.transport, &call, &events, watch);
}

void collection_watch_cancel(struct collection_watch *watch) {
        assert(!watch->is_busy);
        if (watch->request)
                transport_cancel(watch->config.transport, watch->request);
        watch->request = NULL;
        record_splitter_clear(&watch->splitter);
}

struct collection_watch *collection_watch_new(const struct collection_watch_config *config) {
        struct collection_watch *watch = xcalloc(1, sizeof(*watch));

        watch->config = *config;
        watch->quiet = (struct loop_timer){ .fired = on_quiet, .context = watch };
        return watch;
}

void collection_watch_free(struct collection_watch *watch) {
        if (!watch)
                return;
        collection_watch_cancel(watch);
        loop_timer_disarm(watch->config.loop, &watch->quiet);
        record_splitter_release(&watch->splitter);
        free(watch);
}
