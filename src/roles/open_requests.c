/* Counts the open requests of each pod. */
#include "roles/open_requests.h"

#include "api/json.h"
#include "base/log.h"
#include "base/map.h"
#include "base/util.h"
#include "client/reflector.h"
#include "evict/eviction_reconciler.h"
#include <stdio.h>
#include <stdlib.h>

struct open_requests {
        struct open_requests_config config;
        struct reflector *reflector;
        struct map *pods;   /* namespace/name of a request -> uid of its pod, owned */
        struct map *counts; /* uid -> number of open requests */
        bool is_ready;
};

static void open_requests_count(struct open_requests *requests, struct slice uid, bool is_more) {
        uintptr_t number = (uintptr_t)map_get(requests->counts, uid) + (is_more ? 1 : 0);

        if (!is_more)
                number--;
        if (number > 0)
                map_put(requests->counts, uid, (void *)number);
        else
                map_remove(requests->counts, uid);
}

static void open_requests_forget(struct open_requests *requests, struct slice key) {
        char *uid = map_get(requests->pods, key);

        if (!uid)
                return;
        map_remove(requests->pods, key);
        open_requests_count(requests, slice_of(uid), false);
        free(uid);
}

static void open_requests_remember(struct open_requests *requests, struct slice key,
                                   const struct json *object) {
        struct eviction_request *news = NULL;

        if (eviction_request_decode(object, &news, NULL) < 0)
                return;
        if (news->intent == EVICTION_INTENT_EVICT && !news->object.is_deleting &&
            !eviction_outcome_is_final(news->object.conditions.outcome) &&
            news->object.target_uid.len > 0) {
                map_put(requests->pods, key, slice_dup(news->object.target_uid));
                open_requests_count(requests, news->object.target_uid, true);
        }
        eviction_request_free(news);
}

static void on_changed(void *context, enum reflector_change change, const struct json *object) {
        struct open_requests *requests = context;
        const struct json *meta = json_get(object, "metadata");
        CLEANUP(buf_release) struct buf key = { 0 };

        buf_printf(&key, SLICE_FMT "/" SLICE_FMT, SLICE_ARG(json_get_text(meta, "namespace")),
                   SLICE_ARG(json_get_text(meta, "name")));
        open_requests_forget(requests, buf_view(&key));
        if (change != REFLECTOR_DELETED)
                open_requests_remember(requests, buf_view(&key), object);
}

static void make_ready(struct open_requests *requests) {
        if (requests->is_ready)
                return;
        requests->is_ready = true;
        requests->config.ready(requests->config.context);
}

static void on_synced(void *context) {
        make_ready(context);
}

static void on_failed(void *context, const struct err *err, int64_t delay_ns) {
        struct open_requests *requests = context;

        (void)delay_ns;
        if (!requests->is_ready)
                LOG(LOG_WARN, "RequestsNotKnown", log_text("error", err->text));
        make_ready(requests);
}

struct open_requests *open_requests_new(const struct open_requests_config *config) {
        static const struct reflector_events events = { .changed = on_changed,
                                                        .synced = on_synced,
                                                        .failed = on_failed };
        struct open_requests *requests = xcalloc(1, sizeof(*requests));
        char path[160];

        requests->config = *config;
        requests->pods = map_new();
        requests->counts = map_new();
        snprintf(path, sizeof(path), "/apis/%s/" EVICTION_VERSION "/evictionrequests",
                 config->group);
        requests->reflector = reflector_new(&(struct reflector_config){ .path = path, .seed = 2 },
                                            config->transport, config->loop, &events, requests);
        return requests;
}

void open_requests_free(struct open_requests *requests) {
        struct slice key;
        size_t at = 0;
        void *uid;

        if (!requests)
                return;
        reflector_free(requests->reflector);
        while (map_next(requests->pods, &at, &key, &uid))
                free(uid);
        map_free(requests->pods);
        map_free(requests->counts);
        free(requests);
}

bool open_requests_is_ready(const struct open_requests *requests) {
        return requests->is_ready;
}

bool open_requests_has(const struct open_requests *requests, struct slice pod_uid) {
        return map_get(requests->counts, pod_uid);
}
