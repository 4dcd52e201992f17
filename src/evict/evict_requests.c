/* EvictionRequests as the service sees them: whether the cluster serves them, and which pods have
 * one and are not evicted yet. */
#include "base/util.h"
#include "evict/evict_priv.h"
#include "evict/eviction_reconciler.h"
#include <stdlib.h>
#include <string.h>

struct evict_requests {
        enum evict_kinds kinds;
        bool wants_kinds;            /* a job waits for the answer */
        struct mono_time kinds_stay; /* until then EVICT_KINDS_ABSENT stands */
        bool wants_all, has_all;     /* requests of all requesters: asked for, listed */
        struct map *pods;   /* namespace/name of a request -> struct stored_request, owned */
        struct map *counts; /* uid -> struct request_count, owned */
        struct map *own;    /* namespace/name of a request -> struct seen_request, owned */
};

/* Open requests for one pod. */
struct request_count {
        size_t open, answered;  /* answered: a controller has reconciled them */
        struct mono_time young; /* until then a controller may reconcile a new one */
};

struct evict_requests *evict_requests_new(void) {
        struct evict_requests *requests = xcalloc(1, sizeof(*requests));
        requests->pods = map_new();
        requests->counts = map_new();
        requests->own = map_new();
        return requests;
}

void evict_requests_free(struct evict_requests *requests) {
        if (!requests)
                return;
        map_free_values(requests->pods);
        map_free_values(requests->counts);
        map_free_values(requests->own);
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

enum evict_kinds evict_requests_set_kinds(struct evict_requests *requests, enum evict_kinds kinds,
                                          struct mono_time now) {
        if (kinds != EVICT_KINDS_UNKNOWN)
                requests->kinds = kinds;
        else if (requests->kinds == EVICT_KINDS_UNKNOWN)
                requests->kinds = EVICT_KINDS_ABSENT;
        requests->kinds_stay.ns = now.ns + EVICT_REQUEST_RETRY_NS;
        requests->wants_kinds = false;
        return requests->kinds;
}

void evict_requests_doubt_kinds(struct evict_requests *requests) {
        requests->wants_kinds = true;
}

bool evict_requests_wants_kinds(const struct evict_requests *requests) {
        return requests->wants_kinds;
}

/* ---- requests of this process ---- */

static void write_key(const struct object_ref *request, struct buf *out) {
        buf_printf(out, SLICE_FMT "/" SLICE_FMT, SLICE_ARG(request->ns), SLICE_ARG(request->name));
}

struct seen_request *evict_requests_own(const struct evict_requests *requests,
                                        const struct object_ref *request) {
        CLEANUP(buf_release) struct buf key = { 0 };
        write_key(request, &key);
        return map_get(requests->own, buf_view(&key));
}

void evict_requests_keep_own(struct evict_requests *requests, const struct object_ref *request,
                             const struct seen_request *seen) {
        CLEANUP(buf_release) struct buf key = { 0 };
        write_key(request, &key);
        free(map_remove(requests->own, buf_view(&key)));
        if (!seen)
                return;
        struct seen_request *stored = xmalloc(sizeof(*stored));
        *stored = *seen;
        map_put(requests->own, buf_view(&key), stored);
}

void evict_requests_forget_own(struct evict_requests *requests) {
        map_free_values(requests->own);
        requests->own = map_new();
}

/* ---- requests of all requesters ---- */

/* One that no controller reconciles blocks no other requester. */
enum evict_asked evict_requests_asked(struct evict_requests *requests, struct slice uid,
                                      struct mono_time now) {
        requests->wants_all |= requests->kinds != EVICT_KINDS_ABSENT;
        if (requests->wants_all && !requests->has_all)
                return EVICT_ASKED_UNKNOWN;
        const struct request_count *count = map_get(requests->counts, uid);
        return count && (count->answered > 0 || now.ns < count->young.ns) ? EVICT_ASKED_YES
                                                                          : EVICT_ASKED_NO;
}

bool evict_requests_wants_all(const struct evict_requests *requests) {
        return requests->wants_all;
}

void evict_requests_set_listed(struct evict_requests *requests) {
        requests->has_all = true;
}

/* What is stored of a request. */
struct stored_request {
        bool is_answered;
        struct mono_time seen; /* first; whatever the clocks say of when it was made */
        char uid[];
};

/* When it was first seen; now, when it is new. */
static struct mono_time forget_request(struct evict_requests *requests, struct slice key,
                                       struct mono_time now) {
        struct stored_request *stored = map_remove(requests->pods, key);
        if (!stored)
                return now;
        struct mono_time seen = stored->seen;
        struct request_count *count = map_get(requests->counts, slice_of(stored->uid));
        count->open--;
        count->answered -= stored->is_answered;
        if (count->open == 0)
                free(map_remove(requests->counts, slice_of(stored->uid)));
        free(stored);
        return seen;
}

static void keep_request(struct evict_requests *requests, struct slice key,
                         const struct eviction_request *request, struct mono_time seen) {
        struct slice uid = request->object.target_uid;
        struct stored_request *stored = xcalloc(1, sizeof(*stored) + uid.len + 1);
        struct request_count *count = map_get(requests->counts, uid);
        int64_t young_ns = seen.ns + EVICT_REQUEST_UNANSWERED_NS;
        memcpy(stored->uid, uid.ptr, uid.len);
        stored->seen = seen;
        stored->is_answered = request->object.observed_generation > 0;
        map_put(requests->pods, key, stored);
        if (!count) {
                count = xcalloc(1, sizeof(*count));
                count->young.ns = INT64_MIN;
                map_put(requests->counts, uid, count);
        }
        count->open++;
        count->answered += stored->is_answered;
        if (!stored->is_answered && young_ns > count->young.ns)
                count->young.ns = young_ns;
}

void evict_requests_see(struct evict_requests *requests, const struct json *object, bool is_removed,
                        struct mono_time now) {
        const struct json *meta = json_get(object, "metadata");
        struct eviction_request *request = NULL;
        CLEANUP(buf_release) struct buf key = { 0 };
        write_key(&(struct object_ref){ .ns = json_get_text(meta, "namespace"),
                                        .name = json_get_text(meta, "name") },
                  &key);
        struct mono_time seen = forget_request(requests, buf_view(&key), now);
        if (is_removed || eviction_request_decode(object, &request, NULL) < 0)
                return;
        if (request->intent == EVICTION_INTENT_EVICT && !request->object.is_deleting &&
            !eviction_outcome_is_final(request->object.conditions.outcome) &&
            request->object.target_uid.len > 0)
                keep_request(requests, buf_view(&key), request, seen);
        eviction_request_free(request);
}
