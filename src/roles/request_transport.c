/* Turns eviction calls into EvictionRequests and follows these to their end. */
#include "roles/request_transport.h"

#include "api/json.h"
#include "base/log.h"
#include "base/util.h"
#include "client/reflector.h"
#include "evict/eviction_reconciler.h"
#include "loop/action_request.h"
#include "loop/pod_path.h"
#include "roles/open_requests.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_MAX_BYTES 1024
#define LABEL "berth.dev/requested-by"

enum knowledge { KINDS_UNKNOWN, KINDS_ASKED, KINDS_ABSENT, KINDS_SERVED };

struct removal_request {
        struct api_request caller;
        struct request_transport *requests;
        struct api_request *inner;                /* of the transport behind; NULL = none is open */
        bool is_eviction, is_written, is_parting; /* parting: nobody waits for it */
        bool is_cleanup;                          /* of a pod that has finished */
        enum api_method method;
        char *path, *body, *ns, *uid; /* of an eviction or cleanup; owned */
        struct loop_timer unanswered;
        struct removal_request *next, *prev;
};

struct request_transport {
        struct transport *inner;
        struct loop *loop;
        const char *requester;
        char label[64];
        enum knowledge knowledge;
        const char *group;
        struct api_request *discovery; /* of the transport behind */
        struct loop_timer forget;
        struct reflector *reflector;
        struct open_requests *others; /* anybody's; NULL = not followed */
        struct removal_request *open;
        uint64_t count;
};

/* ---- requests ---- */

static struct removal_request *open_request(struct request_transport *requests, void *context) {
        struct removal_request *request = xcalloc(1, sizeof(*request));

        request->requests = requests;
        request->caller.context = context;
        request->next = requests->open;
        if (request->next)
                request->next->prev = request;
        requests->open = request;
        return request;
}

static void close_request(struct removal_request *request) {
        struct request_transport *requests = request->requests;

        loop_timer_disarm(requests->loop, &request->unanswered);
        if (request->prev)
                request->prev->next = request->next;
        else
                requests->open = request->next;
        if (request->next)
                request->next->prev = request->prev;
        free(request->path);
        free(request->body);
        free(request->ns);
        free(request->uid);
        free(request);
}

/* ---- what passes through ---- */

static void on_passed(void *context, const struct api_reply *reply) {
        struct removal_request *request = context;
        void (*done)(void *, const struct api_reply *) = request->caller.done;
        void *user = request->caller.context;

        close_request(request);
        if (done)
                done(user, reply);
}

static void on_opened(void *context, int status) {
        struct removal_request *request = context;

        if (request->caller.events->opened)
                request->caller.events->opened(request->caller.context, status);
}

static void on_data(void *context, struct slice chunk) {
        struct removal_request *request = context;

        request->caller.events->data(request->caller.context, chunk);
}

static void on_ended(void *context, const struct api_reply *reply) {
        struct removal_request *request = context;
        const struct api_stream_events *events = request->caller.events;
        void *user = request->caller.context;

        close_request(request);
        events->ended(user, reply);
}

static void pass_on(struct removal_request *request, const struct api_call *call) {
        request->inner = transport_call(request->requests->inner, call, on_passed, request);
}

/* ---- the end of an eviction ---- */

static void request_transport_part(struct request_transport *requests, const char *ns,
                                   const char *uid) {
        struct removal_request *parting = open_request(requests, NULL);
        char path[PATH_MAX_BYTES];

        parting->is_parting = true;
        snprintf(path, sizeof(path),
                 "/apis/%s/" EVICTION_VERSION "/namespaces/%s/evictionrequests/%s-%s",
                 requests->group, ns, requests->label, uid);
        pass_on(parting, &(struct api_call){ .method = API_DELETE, .path = slice_of(path) });
}

/* The call as it was made, after all. */
static void evict_directly(struct removal_request *request) {
        loop_timer_disarm(request->requests->loop, &request->unanswered);
        request->is_eviction = false;
        pass_on(request, &(struct api_call){ .method = API_POST,
                                             .path = slice_of(request->path),
                                             .body = slice_of(request->body) });
}

static void request_transport_answer(struct removal_request *request, int status, int code,
                                     const char *text) {
        struct api_reply reply = { .status = status, .retry_after_s = -1 };

        if (code)
                err_set(&reply.error, code, "%s", text);
        request_transport_part(request->requests, request->ns, request->uid);
        on_passed(request, &reply);
}

static void request_transport_forget(void *context) {
        struct request_transport *requests = context;

        requests->knowledge = KINDS_UNKNOWN;
}

/* ---- what has finished ---- */

static void clean_directly(struct removal_request *request) {
        request->is_cleanup = false;
        pass_on(request, &(struct api_call){ .method = request->method,
                                             .path = slice_of(request->path),
                                             .body = slice_of(request->body) });
}

/* From the loop, never from the call itself. */
static void decide_cleanup(void *context) {
        struct removal_request *request = context;
        const struct open_requests *others = request->requests->others;
        struct api_reply reply = { .status = 429, .retry_after_s = -1 };

        if (!others || !open_requests_has(others, slice_of(request->uid))) {
                clean_directly(request);
                return;
        }
        err_set(&reply.error, BERTH_ERR_TOO_MANY, "the pod's eviction was asked for, and is open");
        on_passed(request, &reply);
}

static void decide_soon(struct removal_request *request) {
        request->unanswered.fired = decide_cleanup;
        loop_timer_arm(request->requests->loop, &request->unanswered, 0);
}

static void on_others_known(void *context) {
        struct request_transport *requests = context;

        for (struct removal_request *request = requests->open; request; request = request->next)
                if (request->is_cleanup && !request->inner)
                        decide_soon(request);
}

static void judge_cleanup(struct removal_request *request) {
        struct request_transport *requests = request->requests;

        if (!requests->others)
                requests->others = open_requests_new(
                        &(struct open_requests_config){ .transport = requests->inner,
                                                        .loop = requests->loop,
                                                        .group = requests->group,
                                                        .ready = on_others_known,
                                                        .context = requests });
        else if (open_requests_is_ready(requests->others))
                decide_soon(request);
}

static void give_up(struct request_transport *requests, const char *why) {
        struct removal_request *next;

        LOG(LOG_INFO, "EvictsDirectly", log_text("reason", why));
        requests->knowledge = KINDS_ABSENT;
        loop_timer_arm(requests->loop, &requests->forget, REQUEST_RETRY_NS);
        for (struct removal_request *request = requests->open; request; request = next) {
                next = request->next;
                if (request->is_eviction && !request->inner) {
                        if (request->is_written)
                                request_transport_part(requests, request->ns, request->uid);
                        evict_directly(request);
                } else if (request->is_cleanup && !request->inner) {
                        decide_soon(request);
                }
        }
}

static void on_unanswered(void *context) {
        struct removal_request *request = context;

        give_up(request->requests, "nobody answers EvictionRequests");
}

/* ---- following ---- */

static void request_transport_settle(struct removal_request *request,
                                     enum eviction_outcome outcome) {
        if (eviction_outcome_is_evicted(outcome))
                request_transport_answer(request, 201, BERTH_OK, "");
        else if (outcome == EVICTION_INVALID)
                request_transport_answer(request, 404, BERTH_ERR_NOT_FOUND, "the pod is gone");
        else
                request_transport_answer(request, 429, BERTH_ERR_TOO_MANY,
                                         "the eviction was withdrawn");
}

static void on_changed(void *context, enum reflector_change change, const struct json *object) {
        struct request_transport *requests = context;
        struct eviction_request *news = NULL;
        struct removal_request *request;
        enum eviction_outcome outcome;

        if (eviction_request_decode(object, &news, NULL) < 0)
                return;
        outcome = news->object.conditions.outcome;
        for (request = requests->open; request; request = request->next)
                if (request->is_eviction && request->is_written &&
                    slice_is(news->object.target_uid, request->uid))
                        break;
        if (request && news->object.observed_generation >= news->object.generation) {
                loop_timer_disarm(requests->loop, &request->unanswered);
                if (outcome != EVICTION_NO_RESPONDER && eviction_outcome_is_final(outcome))
                        request_transport_settle(request, outcome);
        } else if (request && change == REFLECTOR_DELETED) {
                request_transport_settle(request, EVICTION_CANCELED);
        }
        eviction_request_free(news);
}

static void request_transport_follow(struct request_transport *requests) {
        static const struct reflector_events events = { .changed = on_changed };
        char path[PATH_MAX_BYTES], selector[160];

        if (requests->reflector)
                return;
        snprintf(path, sizeof(path), "/apis/%s/" EVICTION_VERSION "/evictionrequests",
                 requests->group);
        snprintf(selector, sizeof(selector), LABEL "=%s", requests->label);
        requests->reflector = reflector_new(
                &(struct reflector_config){ .path = path, .label_selector = selector, .seed = 1 },
                requests->inner, requests->loop, &events, requests);
}

/* ---- asking ---- */

static void on_written(void *context, const struct api_reply *reply) {
        struct removal_request *request = context;

        request->inner = NULL;
        if (reply->status != 201 && reply->status != 409) {
                give_up(request->requests, reply->error.text);
                return;
        }
        request->is_written = true;
        request->requests->count++;
        loop_timer_arm(request->requests->loop, &request->unanswered, REQUEST_UNANSWERED_NS);
        request_transport_follow(request->requests);
}

static void write_request(struct removal_request *request) {
        struct request_transport *requests = request->requests;
        struct buf body = { 0 };
        struct slice rest = slice_of(strstr(request->path, "/pods/") + 6), name = SLICE_EMPTY;
        char path[PATH_MAX_BYTES], deadline[WALL_TIME_TEXT_MAX];

        slice_split(&rest, '/', &name);
        wall_time_format((struct wall_time){ loop_wall(requests->loop).ns + REQUEST_DEADLINE_NS },
                         deadline);
        snprintf(path, sizeof(path), "/apis/%s/" EVICTION_VERSION "/namespaces/%s/evictionrequests",
                 requests->group, request->ns);
        buf_printf(&body,
                   "{\"apiVersion\":\"%s/" EVICTION_VERSION
                   "\",\"kind\":\"EvictionRequest\",\"metadata\":{\"name\":\"%s-%s\",\"labels\":{"
                   "\"" LABEL "\":\"%s\"},\"annotations\":{\"" EVICTION_DEADLINE_KEY
                   "\":\"%s\"}},\"spec\":{\"target\":{\"pod\":{\"name\":\"" SLICE_FMT
                   "\",\"uid\":\"%s\"}},\"requester\":\"%s\",\"intent\":\"Eviction\"}}",
                   requests->group, requests->label, request->uid, requests->label, deadline,
                   SLICE_ARG(name), request->uid, requests->requester);
        request->inner = transport_call(requests->inner,
                                        &(struct api_call){ .method = API_POST,
                                                            .path = slice_of(path),
                                                            .body = buf_view(&body) },
                                        on_written, request);
        buf_release(&body);
}

/* ---- discovery ---- */

static void request_transport_serve(struct request_transport *requests, const char *group) {
        requests->knowledge = KINDS_SERVED;
        requests->group = group;
        for (struct removal_request *request = requests->open; request; request = request->next) {
                if (request->is_eviction && !request->inner && !request->is_written)
                        write_request(request);
                if (request->is_cleanup && !request->inner)
                        judge_cleanup(request);
        }
}

static bool lists_requests(const struct api_reply *reply) {
        return reply->status == 200 &&
               slice_contains(reply->body, SLICE_LITERAL("\"evictionrequests\""));
}

static void on_own(void *context, const struct api_reply *reply) {
        struct request_transport *requests = context;

        requests->discovery = NULL;
        if (lists_requests(reply))
                request_transport_serve(requests, EVICTION_GROUP_OWN);
        else
                give_up(requests, "the cluster has no EvictionRequests");
}

static void on_native(void *context, const struct api_reply *reply) {
        struct request_transport *requests = context;

        requests->discovery = NULL;
        if (lists_requests(reply)) {
                request_transport_serve(requests, EVICTION_GROUP_NATIVE);
                return;
        }
        requests->discovery =
                transport_call(requests->inner,
                               &(struct api_call){ .path = SLICE_LITERAL("/apis/" EVICTION_GROUP_OWN
                                                                         "/" EVICTION_VERSION) },
                               on_own, requests);
}

static void request_transport_begin(struct removal_request *request) {
        struct request_transport *requests = request->requests;

        switch (requests->knowledge) {
        case KINDS_SERVED:
                if (request->is_cleanup)
                        judge_cleanup(request);
                else
                        write_request(request);
                break;
        case KINDS_ABSENT:
                if (request->is_cleanup)
                        clean_directly(request);
                else
                        evict_directly(request);
                break;
        case KINDS_UNKNOWN:
                requests->knowledge = KINDS_ASKED;
                requests->discovery = transport_call(
                        requests->inner,
                        &(struct api_call){ .path = SLICE_LITERAL("/apis/" EVICTION_GROUP_NATIVE
                                                                  "/" EVICTION_VERSION) },
                        on_native, requests);
                break;
        default: /* the answer begins it */
                break;
        }
}

/* ---- the transport ---- */

/* Pods that finished: deleted, or evicted by somebody who knows that they did. */
static bool is_cleanup(const struct api_call *call, const struct json *body, struct slice rest) {
        const struct json *marks = json_get(json_get(body, "metadata"), "annotations");

        return rest.len == 0 ? call->method == API_DELETE
                             : json_get_text(marks, FINISHED_POD_KEY).len > 0;
}

static bool read_removal(struct removal_request *request, const struct api_call *call) {
        struct json_doc *doc = NULL;
        const struct json *body, *options;
        struct pod_path path;
        struct slice uid;
        bool is_eviction;

        if (!pod_path_read(call->path, &path) || json_parse(call->body, &doc, NULL) < 0)
                return false;
        is_eviction = call->method == API_POST && slice_is(path.rest, "eviction");
        body = json_doc_root(doc);
        options = is_eviction ? json_get(body, "deleteOptions") : body;
        uid = json_get_text(json_get(options, "preconditions"), "uid");
        if (uid.len > 0 && is_cleanup(call, body, path.rest))
                request->is_cleanup = true;
        else if (uid.len > 0 && is_eviction)
                request->is_eviction = true;
        if (request->is_cleanup || request->is_eviction) {
                request->method = call->method;
                request->uid = slice_dup(uid);
                request->ns = slice_dup(path.ns);
                request->path = slice_dup(call->path);
                request->body = slice_dup(call->body);
        }
        json_doc_free(doc);
        return request->is_cleanup || request->is_eviction;
}

static struct api_request *call_through(void *self, const struct api_call *call,
                                        void (*done)(void *context, const struct api_reply *reply),
                                        void *context) {
        struct request_transport *requests = self;
        struct removal_request *request = open_request(requests, context);

        request->caller.done = done;
        request->unanswered = (struct loop_timer){ .fired = on_unanswered, .context = request };
        if (read_removal(request, call))
                request_transport_begin(request);
        else
                pass_on(request, call);
        return &request->caller;
}

static struct api_request *stream_through(void *self, const struct api_call *call,
                                          const struct api_stream_events *events, void *context) {
        static const struct api_stream_events own = { .opened = on_opened,
                                                      .data = on_data,
                                                      .ended = on_ended };
        struct request_transport *requests = self;
        struct removal_request *request = open_request(requests, context);

        request->caller.events = events;
        request->inner = transport_stream(requests->inner, call, &own, request);
        return &request->caller;
}

static void request_transport_cancel(void *self, struct api_request *handle) {
        struct removal_request *request = CONTAINER_OF(handle, struct removal_request, caller);
        struct request_transport *requests = self;

        if (request->inner)
                transport_cancel(requests->inner, request->inner);
        if (request->is_eviction && request->is_written)
                request_transport_part(requests, request->ns, request->uid);
        close_request(request);
}

static const struct transport_ops ops = { .call = call_through,
                                          .stream = stream_through,
                                          .cancel = request_transport_cancel };

struct transport request_transport(struct request_transport *requests) {
        return (struct transport){ .ops = &ops, .self = requests };
}

struct request_transport *request_transport_new(struct transport *inner, struct loop *loop,
                                                const char *requester) {
        struct request_transport *requests = xcalloc(1, sizeof(*requests));
        struct slice rest = slice_of(requester), head;

        requests->inner = inner;
        requests->loop = loop;
        requests->requester = requester;
        requests->forget =
                (struct loop_timer){ .fired = request_transport_forget, .context = requests };
        slice_split(&rest, '.', &head); /* descheduler.berth.dev/evict: "descheduler" */
        snprintf(requests->label, sizeof(requests->label), SLICE_FMT, SLICE_ARG(head));
        return requests;
}

void request_transport_free(struct request_transport *requests) {
        if (!requests)
                return;
        loop_timer_disarm(requests->loop, &requests->forget);
        if (requests->discovery)
                transport_cancel(requests->inner, requests->discovery);
        reflector_free(requests->reflector);
        open_requests_free(requests->others);
        while (requests->open) { /* what is asked for stays, until its deadline */
                if (requests->open->inner)
                        transport_cancel(requests->inner, requests->open->inner);
                close_request(requests->open);
        }
        free(requests);
}

uint64_t request_transport_count(const struct request_transport *requests) {
        return requests->count;
}
