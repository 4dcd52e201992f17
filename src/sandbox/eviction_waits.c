/* Reads what the store has of a pod's eviction, and has it judged. Everything is read at each call:
 * evictions are few, and what was read a moment ago may have changed. */
#include "sandbox/eviction_waits.h"

#include "api/json.h"
#include "base/log.h"
#include "base/util.h"
#include "evict/client_eviction.h"
#include "evict/eviction_claim.h"
#include <stdio.h>

#define PATH_MAX_BYTES 700

struct waits_view {
        struct eviction_waits *waits;
        const struct client_eviction *call;
        struct eviction_reconciler *reconciler;
        struct json_doc *pod; /* NULL when there is none */
        size_t count;         /* of objects put */
};

static bool is_for_pod(const struct waits_view *view, const struct json *object) {
        const struct json *target = json_get(json_get(object, "spec"), "target");

        return !target ||
               slice_eq(json_get_text(json_get(target, "pod"), "name"), view->call->name);
}

/* The answer to GET; NULL when there is none. */
static struct json_doc *waits_look_get(const struct waits_view *view, const char *path) {
        struct http_response response;
        struct json_doc *doc = NULL;

        api_server_inside(view->waits->server,
                          &(struct api_server_request){ .method = SLICE_LITERAL("GET"),
                                                        .target = slice_of(path),
                                                        .user = &api_user_controller_manager },
                          &response);
        if (response.status == 200 && json_parse(buf_view(&response.body), &doc, NULL) < 0)
                doc = NULL;
        http_response_release(&response);
        return doc;
}

static void read_kind(struct waits_view *view, const char *group, const char *plural,
                      int (*put)(struct eviction_reconciler *, const struct json *, struct err *)) {
        char path[PATH_MAX_BYTES];
        const struct json *item;

        snprintf(path, sizeof(path), "/apis/%s/" EVICTION_VERSION "/namespaces/" SLICE_FMT "/%s",
                 group, SLICE_ARG(view->call->ns), plural);
        struct json_doc *doc = waits_look_get(view, path);
        struct json_iter iter = json_iter(doc ? json_get(json_doc_root(doc), "items") : NULL);
        while (json_next(&iter, NULL, &item))
                if (is_for_pod(view, item))
                        view->count += put(view->reconciler, item, NULL) == 0;
        json_doc_free(doc);
}

static void read_evictions(struct waits_view *view, const char *group) {
        read_kind(view, group, "evictionrequests", eviction_reconciler_put_request);
        read_kind(view, group, "evictions", eviction_reconciler_put_eviction);
}

/* What is known of the pod; false: no policy is for it. */
static bool waits_look_fill(struct waits_view *view) {
        char path[PATH_MAX_BYTES];

        read_kind(view, EVICTION_GROUP_OWN, "evictionpolicies", eviction_reconciler_put_policy);
        if (view->count == 0)
                return false;
        snprintf(path, sizeof(path), "/api/v1/namespaces/" SLICE_FMT "/pods/" SLICE_FMT,
                 SLICE_ARG(view->call->ns), SLICE_ARG(view->call->name));
        view->pod = waits_look_get(view, path);
        if (view->waits->is_native)
                read_evictions(view, EVICTION_GROUP_NATIVE);
        read_evictions(view, EVICTION_GROUP_OWN);
        return true;
}

/* ---- the client's request ---- */

static void write_request(const struct waits_view *view,
                          const struct client_eviction_verdict *verdict) {
        const char *group = view->waits->is_native ? EVICTION_GROUP_NATIVE : EVICTION_GROUP_OWN;
        struct wall_time now = loop_wall(view->waits->loop);
        bool is_new = verdict->request == CLIENT_REQUEST_OPENS;
        struct http_response response;
        char path[PATH_MAX_BYTES], name[CLIENT_EVICTION_NAME_MAX];
        struct buf body = { 0 };

        client_eviction_request_name(view->call->user, verdict->pod_uid, name);
        snprintf(path, sizeof(path),
                 "/apis/%s/" EVICTION_VERSION "/namespaces/" SLICE_FMT "/evictionrequests%s%s",
                 group, SLICE_ARG(view->call->ns), is_new ? "" : "/", is_new ? "" : name);
        if (is_new)
                client_eviction_write(view->call, verdict->pod_uid, group, now, &body);
        else
                client_eviction_renewal_write(now, &body);
        api_server_inside(
                view->waits->server,
                &(struct api_server_request){
                        .method = slice_of(is_new ? "POST" : "PATCH"),
                        .target = slice_of(path),
                        .body = buf_view(&body),
                        .content_type = is_new ? SLICE_EMPTY
                                               : SLICE_LITERAL("application/merge-patch+json"),
                        .user_agent = SLICE_LITERAL("berth-sandbox"),
                        .user = &api_user_controller_manager },
                &response);
        if (response.status >= 300 && response.status != 409)
                LOG(LOG_WARN, "EvictionRequestFailed", log_text("path", path),
                    log_i64("status", response.status));
        http_response_release(&response);
        buf_release(&body);
}

static bool eviction_waits_judged(void *self, const struct api_eviction_call *asked,
                                  struct buf *ret_text, int *ret_retry_after_s) {
        struct eviction_waits *waits = self;
        struct client_eviction call = { .ns = asked->ns,
                                        .name = asked->name,
                                        .uid = asked->uid,
                                        .user = asked->user,
                                        .is_dry_run = asked->is_dry_run };
        struct waits_view view = { .waits = waits, .call = &call };
        struct client_eviction_verdict verdict = { 0 };
        struct eviction_pod pod;
        struct arena arena;

        arena_init(&arena, 1024);
        view.reconciler = eviction_reconciler_new(&(struct eviction_reconciler_config){ 0 });
        if (waits_look_fill(&view) && view.pod &&
            eviction_pod_decode(json_doc_root(view.pod), &arena, &pod, NULL) == 0)
                verdict = client_eviction_decide(view.reconciler, &pod, &call,
                                                 loop_wall(waits->loop));
        if (verdict.waits && verdict.request != CLIENT_REQUEST_STAYS)
                write_request(&view, &verdict);
        if (verdict.waits) {
                buf_text(ret_text, verdict.text);
                *ret_retry_after_s = CLIENT_EVICTION_RETRY_S;
        }
        eviction_reconciler_free(view.reconciler);
        json_doc_free(view.pod);
        arena_release(&arena);
        return verdict.waits;
}

/* The sandbox's own parts, administrators, and controllers with the accounts of deploy/: they write
 * requests that stand for clients. */
static bool may_use_all_names(const struct api_user *user) {
        static const char *const controllers[] = {
                "system:serviceaccount:kube-system:berth-evictions",
                "system:serviceaccount:kube-system:berth-run",
        };

        for (size_t i = 0; i < ARRAY_LEN(controllers); i++)
                if (slice_is(user->name, controllers[i]))
                        return true;
        for (size_t i = 0; i < user->group_count; i++)
                if (slice_is(user->groups[i], "system:masters"))
                        return true;
        return false;
}

static int eviction_waits_admits(void *self, const struct api_eviction_request *request,
                                 struct slice *ret_user, struct err *err) {
        struct eviction_claim claim = { .user = request->user->name,
                                        .is_privileged = may_use_all_names(request->user),
                                        .is_new = request->is_new,
                                        .requester = request->requester,
                                        .intent = request->intent,
                                        .old_intent = request->old_intent,
                                        .old_user = request->old_user };

        (void)self;
        *ret_user = eviction_claim_user(&claim);
        return eviction_claim_check(&claim, NULL, 0, err);
}

struct api_eviction_judge eviction_waits_judge(struct eviction_waits *waits) {
        return (struct api_eviction_judge){ .waits = eviction_waits_judged,
                                            .admits = eviction_waits_admits,
                                            .self = waits };
}
