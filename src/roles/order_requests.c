/* An order carried out by EvictionRequests: one per pod, named after its uid, so that a second
 * request, or a later withdrawal, names the same object. */
#include "base/util.h"
#include "evict/eviction_reconciler.h"
#include "roles/eviction_order_priv.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void request_path(const struct order_pod *pod, char *path) {
        snprintf(path, ORDER_PATH_MAX,
                 "/apis/%s/" EVICTION_VERSION "/namespaces/%s/evictionrequests/cli-%s",
                 pod->order->group, pod->ns, pod->uid);
}

static void order_requests_refused(struct order_pod *pod, struct slice text) {
        char message[sizeof(pod->message)];

        snprintf(message, sizeof(message), SLICE_FMT, SLICE_ARG(text));
        order_set(pod, ORDER_FAILED, text.len ? message : "no answer");
        order_pump(pod->order);
}

/* ---- asking ---- */

static void on_patched(void *context, const struct api_reply *reply) {
        struct order_pod *pod = context;

        pod->call = NULL;
        if (reply->status != 200) {
                order_requests_refused(pod, slice_of(reply->error.text));
                return;
        }
        if (pod->state == ORDER_ASKING)
                order_set(pod, ORDER_OPEN, NULL);
        order_pump(pod->order);
}

static void write_deadline(const struct order_pod *pod, struct buf *out) {
        const struct eviction_order_config *config = &pod->order->config;
        char text[WALL_TIME_TEXT_MAX];

        if (config->deadline_ns <= 0) {
                buf_text(out, "{}");
                return;
        }
        wall_time_format((struct wall_time){ runtime_server_time(pod->order->config.runtime).ns +
                                             config->deadline_ns },
                         text);
        buf_printf(out, "{\"" EVICTION_DEADLINE_KEY "\":\"%s\"}", text);
}

static void order_requests_patch(struct order_pod *pod, const char *intent) {
        struct buf body = { 0 };
        char path[ORDER_PATH_MAX];

        request_path(pod, path);
        buf_text(&body, "{\"metadata\":{\"annotations\":");
        if (strcmp(intent, "Eviction") == 0)
                write_deadline(pod, &body);
        else
                buf_text(&body, "{}");
        buf_printf(&body, "},\"spec\":{\"intent\":\"%s\"}}", intent);
        order_call(
                pod,
                &(struct api_call){ .method = API_PATCH,
                                    .path = slice_of(path),
                                    .content_type = SLICE_LITERAL("application/merge-patch+json"),
                                    .body = buf_view(&body) },
                on_patched);
        buf_release(&body);
}

void order_request_written(struct order_pod *pod, const struct evict_record *record) {
        if (record->result == EVICT_RESULT_SUCCESS) {
                order_set(pod, ORDER_OPEN, NULL);
                order_pump(pod->order);
        } else if (record->code == BERTH_ERR_EXISTS || record->code == BERTH_ERR_CONFLICT) {
                order_requests_patch(pod, "Eviction"); /* of an earlier order for the same pod */
        } else {
                order_requests_refused(pod, record->text);
        }
}

void order_request_begin(struct order_pod *pod) {
        order_set(pod, ORDER_ASKING, NULL);
        order_ask(pod, EVICT_WAY_REQUEST);
}

/* It may never have been stored. */
void order_request_repeat(struct order_pod *pod) {
        order_set(pod, ORDER_OPEN,
                  "no controller answers the request: is berth evictions running?");
        if (!pod->call && !pod->is_asking)
                order_ask(pod, EVICT_WAY_REQUEST);
}

static void on_withdrawn(void *context, const struct api_reply *reply) {
        struct order_pod *pod = context;

        if (reply->status != 404) {
                pod->is_withdrawal_written = reply->status == 200;
                pod->written = loop_mono(pod->order->loop);
                on_patched(context, reply);
                return;
        }
        pod->call = NULL;
        order_set(pod, ORDER_WITHDRAWN, "nothing was asked for");
        order_pump(pod->order);
}

void order_request_withdraw(struct order_pod *pod) {
        char path[ORDER_PATH_MAX];

        if (pod->is_withdrawn)
                return;
        pod->is_withdrawn = true;
        if (pod->state == ORDER_QUEUED)
                order_set(pod, ORDER_ASKING, NULL);
        request_path(pod, path);
        order_call(pod,
                   &(struct api_call){
                           .method = API_PATCH,
                           .path = slice_of(path),
                           .content_type = SLICE_LITERAL("application/merge-patch+json"),
                           .body = SLICE_LITERAL("{\"spec\":{\"intent\":\"Withdrawn\"}}") },
                   on_withdrawn);
}

/* ---- following ---- */

static void on_cleaned(void *context, const struct api_reply *reply) {
        struct order_pod *pod = context;

        (void)reply; /* one that stays behind does no harm */
        pod->call = NULL;
        order_pump(pod->order);
}

/* Over for good: the request has served. */
static void order_requests_end(struct order_pod *pod, enum order_state state, const char *message) {
        char path[ORDER_PATH_MAX];

        pod->responder[0] = '\0';
        order_set(pod, state, message);
        if (pod->call)
                transport_cancel(pod->order->transport, pod->call);
        request_path(pod, path);
        order_call(pod, &(struct api_call){ .method = API_DELETE, .path = slice_of(path) },
                   on_cleaned);
}

/* An invalid request: most often the pod was deleted before the request was read. */
static void on_checked(void *context, const struct api_reply *reply) {
        struct order_pod *pod = context;
        struct json_doc *doc = NULL;

        pod->call = NULL;
        bool is_there =
                reply->status == 200 && json_parse(reply->body, &doc, NULL) == 0 &&
                slice_is(json_get_text(json_get(json_doc_root(doc), "metadata"), "uid"), pod->uid);
        json_doc_free(doc);
        if (is_there || (reply->status != 200 && reply->status != 404))
                order_requests_end(pod, ORDER_FAILED, pod->message);
        else
                order_requests_end(pod, ORDER_EVICTED, "");
}

static void check_pod(struct order_pod *pod) {
        char path[ORDER_PATH_MAX];

        if (pod->call)
                return;
        snprintf(path, sizeof(path), "/api/v1/namespaces/%s/pods/%s", pod->ns, pod->name);
        order_call(pod, &(struct api_call){ .path = slice_of(path) }, on_checked);
}

static void order_requests_check(struct order_pod *pod, struct slice why) {
        if (pod->call)
                return;
        snprintf(pod->message, sizeof(pod->message), "the request is invalid%s" SLICE_FMT,
                 why.len ? ": " : "", SLICE_ARG(why));
        check_pod(pod);
}

static void on_request(void *context, enum reflector_change change, const struct json *object) {
        struct eviction_order *order = context;
        struct eviction_request *request = NULL;
        enum eviction_outcome outcome;

        if (eviction_request_decode(object, &request, NULL) < 0)
                return;
        struct order_pod *pod = order_find_pod(order, request->object.target_uid);
        outcome = request->object.conditions.outcome;
        /* Conditions of before our last word about it do not count. */
        if (pod && (pod->state == ORDER_OPEN || pod->is_withdrawn) &&
            !order_state_is_over(pod->state) && change != REFLECTOR_DELETED &&
            request->object.observed_generation >= request->object.generation) {
                pod->is_seen = true;
                if (eviction_outcome_is_evicted(outcome))
                        order_requests_end(pod, ORDER_EVICTED, "");
                else if (outcome == EVICTION_CANCELED)
                        order_requests_end(pod, ORDER_WITHDRAWN, pod->message);
                else if (outcome == EVICTION_INVALID)
                        order_requests_check(pod, request->object.conditions.message);
        } else if (pod && pod->state == ORDER_OPEN && change == REFLECTOR_DELETED) {
                order_set(pod, ORDER_WITHDRAWN, "the request was deleted");
        }
        eviction_request_free(request);
        order_pump(order);
}

static void order_requests_show(struct order_pod *pod, const struct eviction *eviction) {
        const struct eviction_status *status = &eviction->status;
        int active = eviction_active(status);
        const struct eviction_responder *responder =
                active < 0 ? NULL : &status->responders[active];

        if (!responder)
                return;
        snprintf(pod->responder, sizeof(pod->responder), SLICE_FMT, SLICE_ARG(responder->name));
        snprintf(pod->message, sizeof(pod->message), SLICE_FMT, SLICE_ARG(responder->message));
        pod->expected = responder->expected;
        order_set(pod, pod->state, NULL);
}

/* Who besides this command wants the eviction; false when nobody does, or our withdrawal was not
 * seen yet. */
static bool is_wanted_by_others(const struct eviction_status *status, char *text, size_t size) {
        bool is_seen = true;
        size_t used = 0;

        text[0] = '\0';
        for (size_t i = 0; i < status->requester_count; i++) {
                const struct eviction_requester *requester = &status->requesters[i];

                if (requester->intent != EVICTION_INTENT_EVICT)
                        continue;
                is_seen &= !slice_is(requester->name, EVICTION_ORDER_REQUESTER);
                if (used < size)
                        used += (size_t)snprintf(text + used, size - used, "%s" SLICE_FMT,
                                                 used ? ", " : "still wanted by ",
                                                 SLICE_ARG(requester->name));
        }
        return is_seen && used > 0;
}

static void order_requests_saw(struct order_pod *pod, const struct eviction *eviction) {
        enum eviction_outcome outcome = eviction->status.conditions.outcome;
        char others[sizeof(pod->message)];

        pod->is_seen |= eviction->status.observed_generation > 0;
        if (!order_state_is_over(pod->state) && !eviction_outcome_is_final(outcome)) {
                /* One of before counts, too, when it is asked for again. */
                if (pod->is_withdrawn &&
                    is_wanted_by_others(&eviction->status, others, sizeof(others)))
                        order_requests_end(pod, ORDER_WITHDRAWN, others);
                else
                        order_requests_show(pod, eviction);
        } else if (pod->state == ORDER_OPEN && !pod->is_withdrawn &&
                   eviction_outcome_is_evicted(outcome)) {
                order_requests_end(pod, ORDER_EVICTED, ""); /* whatever the request will say */
        }
}

static void on_eviction(void *context, enum reflector_change change, const struct json *object) {
        struct eviction *eviction = NULL;

        if (change == REFLECTOR_DELETED || eviction_decode(object, &eviction, NULL) < 0)
                return;
        struct order_pod *pod = order_find_pod(context, eviction->object.target_uid);
        if (pod)
                order_requests_saw(pod, eviction);
        eviction_free(eviction);
}

void order_requests_follow(struct eviction_order *order) {
        static const struct reflector_events requests = { .changed = on_request };
        static const struct reflector_events evictions = { .changed = on_eviction };
        struct watch_set *watches = runtime_watches(order->config.runtime);
        bool is_one_namespace = true;
        char root[ORDER_PATH_MAX / 2] = "", path[ORDER_PATH_MAX];

        for (size_t i = 1; i < order->count; i++)
                is_one_namespace &= strcmp(order->pods[i].ns, order->pods[0].ns) == 0;
        if (is_one_namespace)
                snprintf(root, sizeof(root), "/namespaces/%s", order->pods[0].ns);
        snprintf(path, sizeof(path), "/apis/%s/" EVICTION_VERSION "%s/evictionrequests",
                 order->group, root);
        order->requests =
                watch_set_add(watches, &(struct watch_request){ .path = path,
                                                                .label_selector = ORDER_LABEL
                                                                "=" ORDER_LABEL_VALUE,
                                                                .seed = 1,
                                                                .trouble = WATCH_QUIET,
                                                                .events = &requests,
                                                                .context = order });
        snprintf(path, sizeof(path), "/apis/%s/" EVICTION_VERSION "%s/evictions", order->group,
                 root);
        order->evictions = watch_set_add(
                watches, &(struct watch_request){ .path = path,
                                                  .label_selector = EVICTION_ORDER_REQUESTER,
                                                  .seed = 2,
                                                  .trouble = WATCH_QUIET,
                                                  .events = &evictions,
                                                  .context = order });
}
