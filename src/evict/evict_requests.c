/* What the service knows of EvictionRequests: whether the cluster has them, and which pods somebody
 * asked to evict and are not evicted yet. */
#include "base/util.h"
#include "evict/evict_priv.h"
#include "evict/eviction_reconciler.h"
#include <stdlib.h>

struct evict_requests {
        enum evict_kinds kinds;
        bool wants_kinds;            /* somebody waits to know */
        struct mono_time kinds_stay; /* until then EVICT_KINDS_ABSENT stands */
        bool wants_all, has_all;     /* requests of anybody: asked for, listed */
        struct map *pods;            /* namespace/name of a request -> uid of its pod, owned */
        struct map *counts;          /* uid -> number of open requests */
};

struct evict_requests *evict_requests_new(void) {
        struct evict_requests *requests = xcalloc(1, sizeof(*requests));
        requests->pods = map_new();
        requests->counts = map_new();
        return requests;
}

void evict_requests_free(struct evict_requests *requests) {
        struct slice key;
        void *uid;
        size_t at = 0;
        if (!requests)
                return;
        while (map_next(requests->pods, &at, &key, &uid))
                free(uid);
        map_free(requests->pods);
        map_free(requests->counts);
        free(requests);
}

/* ---- the kinds ---- */

enum evict_kinds evict_requests_kinds(struct evict_requests *requests, struct mono_time now) {
        if (requests->kinds == EVICT_KINDS_ABSENT && requests->kinds_stay.ns <= now.ns)
                requests->kinds = EVICT_KINDS_UNKNOWN;
        requests->wants_kinds |= requests->kinds == EVICT_KINDS_UNKNOWN;
        return requests->kinds;
}

const char *evict_requests_group(const struct evict_requests *requests) {
        return requests->kinds == EVICT_KINDS_NATIVE ? EVICTION_GROUP_NATIVE : EVICTION_GROUP_OWN;
}

void evict_requests_set_kinds(struct evict_requests *requests, enum evict_kinds kinds,
                              struct mono_time now) {
        requests->kinds = kinds;
        requests->kinds_stay.ns = now.ns + EVICT_REQUEST_RETRY_NS;
        requests->wants_kinds = false;
}

bool evict_requests_wants_kinds(const struct evict_requests *requests) {
        return requests->wants_kinds;
}

/* ---- requests of anybody ---- */

enum evict_asked evict_requests_asked(struct evict_requests *requests, struct slice uid) {
        requests->wants_all |= requests->kinds != EVICT_KINDS_ABSENT;
        if (requests->wants_all && !requests->has_all)
                return EVICT_ASKED_UNKNOWN;
        return map_get(requests->counts, uid) ? EVICT_ASKED_YES : EVICT_ASKED_NO;
}

bool evict_requests_wants_all(const struct evict_requests *requests) {
        return requests->wants_all;
}

void evict_requests_set_listed(struct evict_requests *requests) {
        requests->has_all = true;
}

static void count_request(struct evict_requests *requests, struct slice uid, bool is_more) {
        uintptr_t number = (uintptr_t)map_get(requests->counts, uid) + (is_more ? 1 : 0);
        if (!is_more)
                number--;
        if (number > 0)
                map_put(requests->counts, uid, (void *)number);
        else
                map_remove(requests->counts, uid);
}

static void forget_request(struct evict_requests *requests, struct slice key) {
        char *uid = map_remove(requests->pods, key);
        if (!uid)
                return;
        count_request(requests, slice_of(uid), false);
        free(uid);
}

void evict_requests_see(struct evict_requests *requests, const struct json *object,
                        bool is_removed) {
        const struct json *meta = json_get(object, "metadata");
        struct eviction_request *request = NULL;
        CLEANUP(buf_release) struct buf key = { 0 };
        buf_printf(&key, SLICE_FMT "/" SLICE_FMT, SLICE_ARG(json_get_text(meta, "namespace")),
                   SLICE_ARG(json_get_text(meta, "name")));
        forget_request(requests, buf_view(&key));
        if (is_removed || eviction_request_decode(object, &request, NULL) < 0)
                return;
        if (request->intent == EVICTION_INTENT_EVICT && !request->object.is_deleting &&
            !eviction_outcome_is_final(request->object.conditions.outcome) &&
            request->object.target_uid.len > 0) {
                map_put(requests->pods, buf_view(&key), slice_dup(request->object.target_uid));
                count_request(requests, request->object.target_uid, true);
        }
        eviction_request_free(request);
}
