/* Judges what API servers ask about evictions, and writes the requests that stand for clients. The
 * answer does not wait for that write: one that fails is made again at the client's next call. */
#include "roles/eviction_webhook.h"

#include "base/log.h"
#include "base/util.h"
#include "evict/eviction_review.h"
#include "pages/admission_listener.h"
#include "roles/evictions_role_priv.h"
#include <stdio.h>
#include <stdlib.h>

#define WHO_AGAIN_NS (10 * NS_PER_S)
#define NOT_READY_TEXT                                                                             \
        "Cannot evict pod yet. berth evictions has not read the cluster's EvictionPolicies"

struct webhook_write {
        struct eviction_webhook *webhook;
        struct webhook_write *next, **link;
        struct api_request *request;
};

struct eviction_webhook {
        struct runtime *runtime;
        struct evictions_role *role;
        struct admission_listener *listener;
        struct webhook_write *writes;                     /* under way */
        const struct eviction_requester_user *requesters; /* names that are somebody's */
        size_t requester_count;
        char *own_user; /* NULL = not known yet */
        struct api_request *who;
        struct loop_timer who_timer;
};

/* ---- requests of clients ---- */

static void webhook_write_free(struct webhook_write *write) {
        *write->link = write->next;
        if (write->next)
                write->next->link = write->link;
        free(write);
}

/* 409: another replica, or an earlier call, was first. */
static void on_written(void *context, const struct api_reply *reply) {
        struct webhook_write *write = context;

        if (reply->status >= 300 && reply->status != 409)
                LOG(LOG_WARN, "EvictionRequestNotWritten", log_i64("status", reply->status),
                    log_text("error", reply->error.text));
        else if (reply->status == 0)
                LOG(LOG_WARN, "EvictionRequestNotWritten", log_text("error", reply->error.text));
        webhook_write_free(write);
}

static void webhook_write_send(struct eviction_webhook *webhook, const struct api_call *call) {
        struct webhook_write *write = xcalloc(1, sizeof(*write));

        write->webhook = webhook;
        write->next = webhook->writes;
        if (write->next)
                write->next->link = &write->next;
        write->link = &webhook->writes;
        webhook->writes = write;
        write->request = transport_call(webhook->role->transport, call, on_written, write);
}

static void write_request(struct eviction_webhook *webhook, const struct evictions_role *part,
                          const struct client_eviction *call,
                          const struct client_eviction_verdict *verdict) {
        struct wall_time now = evictions_now(part).wall;
        bool is_new = verdict->request == CLIENT_REQUEST_OPENS;
        char path[EVICTIONS_PATH_MAX], name[CLIENT_EVICTION_NAME_MAX];
        struct buf body = { 0 };

        client_eviction_request_name(call->user, verdict->pod_uid, name);
        snprintf(path, sizeof(path),
                 "/apis/%s/" EVICTION_VERSION "/namespaces/" SLICE_FMT "/evictionrequests%s%s",
                 part->group, SLICE_ARG(call->ns), is_new ? "" : "/", is_new ? "" : name);
        if (is_new)
                client_eviction_write(call, verdict->pod_uid, part->group, now, &body);
        else
                client_eviction_renewal_write(now, &body);
        webhook_write_send(
                webhook,
                &(struct api_call){ .method = is_new ? API_POST : API_PATCH,
                                    .path = slice_of(path),
                                    .content_type =
                                            is_new ? SLICE_EMPTY
                                                   : SLICE_LITERAL("application/merge-patch+json"),
                                    .body = buf_view(&body) });
        buf_release(&body);
}

/* ---- answers ---- */

/* After an upgrade the older kinds finish what they began. */
static const struct evictions_role *part_for(const struct evictions_role *role, struct slice uid) {
        const struct evictions_role *older = role->older;

        return older && older->is_started && eviction_reconciler_is_open(older->reconciler, uid)
                       ? older
                       : role;
}

static struct client_eviction_verdict webhook_decide(struct eviction_webhook *webhook,
                                                     const struct client_eviction *call) {
        const struct cluster *cluster = runtime_cluster(webhook->runtime);
        struct pod_id id = cluster_find_pod(cluster, call->ns, call->name);
        struct client_eviction_verdict verdict = { 0 };
        struct eviction_pod pod;
        struct arena arena;

        if (!webhook->role->is_started) {
                verdict.waits = true;
                snprintf(verdict.text, sizeof(verdict.text), NOT_READY_TEXT);
                return verdict;
        }
        if (pod_id_is_none(id))
                return verdict; /* the server knows whether there is one */
        arena_init(&arena, 1024);
        eviction_pod_read(cluster, id, &arena, &pod);
        const struct evictions_role *part = part_for(webhook->role, pod.uid);
        verdict = client_eviction_decide(part->reconciler, &pod, call, evictions_now(part).wall);
        if (verdict.waits && verdict.request != CLIENT_REQUEST_STAYS)
                write_request(webhook, part, call, &verdict);
        arena_release(&arena);
        return verdict;
}

/* ---- EvictionRequests ---- */

static void judge_request(struct eviction_webhook *webhook, struct eviction_review *review,
                          struct buf *out) {
        struct err err = { 0 };

        review->claim.is_privileged =
                review->is_of_masters ||
                (webhook->own_user && slice_is(review->claim.user, webhook->own_user));
        int code = eviction_claim_check(&review->claim, webhook->requesters,
                                        webhook->requester_count, &err);
        if (code < 0)
                LOG(LOG_WARN, "EvictionRequestRefused", log_text("error", err.text));
        eviction_review_answer_request(review, code < 0 ? &err : NULL, out);
}

/* Who this process is: its own requests stand for clients. */
static void on_own_user(void *context, const struct api_reply *reply) {
        struct eviction_webhook *webhook = context;
        struct json_doc *doc = NULL;

        webhook->who = NULL;
        if (reply->status == 201 && json_parse(reply->body, &doc, NULL) == 0) {
                const struct json *status = json_get(json_doc_root(doc), "status");

                webhook->own_user =
                        slice_dup(json_get_text(json_get(status, "userInfo"), "username"));
        } else {
                LOG(LOG_WARN, "OwnUserNotKnown", log_i64("status", reply->status),
                    log_text("error", reply->error.text));
                loop_timer_arm(runtime_loop(webhook->runtime), &webhook->who_timer, WHO_AGAIN_NS);
        }
        json_doc_free(doc);
}

static void ask_who(void *context) {
        struct eviction_webhook *webhook = context;

        webhook->who = transport_call(
                webhook->role->transport,
                &(struct api_call){
                        .method = API_POST,
                        .path = SLICE_LITERAL("/apis/authentication.k8s.io/v1/selfsubjectreviews"),
                        .body = SLICE_LITERAL("{\"apiVersion\":\"authentication.k8s.io/v1\","
                                              "\"kind\":\"SelfSubjectReview\"}") },
                on_own_user, webhook);
}

int eviction_webhook_review(struct eviction_webhook *webhook, struct slice body, struct buf *out,
                            struct err *err) {
        struct client_eviction_verdict verdict = { 0 };
        struct eviction_review review;
        int code = eviction_review_parse(body, &review, err);

        if (code < 0)
                return code;
        if (review.is_request) {
                judge_request(webhook, &review, out);
                eviction_review_release(&review);
                return 0;
        }
        if (review.is_eviction)
                verdict = webhook_decide(webhook, &review.call);
        if (verdict.waits)
                LOG(LOG_DEBUG, "EvictionWaits", log_slice("namespace", review.call.ns),
                    log_slice("pod", review.call.name), log_slice("user", review.call.user),
                    log_text("reason", verdict.text));
        eviction_review_answer(&review, verdict.waits ? verdict.text : NULL, out);
        eviction_review_release(&review);
        return 0;
}

static int on_review(void *context, struct slice body, struct buf *out, struct err *err) {
        return eviction_webhook_review(context, body, out, err);
}

/* ---- life ---- */

int eviction_webhook_new(const struct eviction_webhook_config *config, struct runtime *runtime,
                         struct evictions_role *role, struct eviction_webhook **ret_webhook,
                         struct err *err) {
        struct eviction_webhook *webhook = xcalloc(1, sizeof(*webhook));

        webhook->runtime = runtime;
        webhook->role = role;
        webhook->requesters = config->requesters;
        webhook->requester_count = config->requester_count;
        int code = admission_listener_new(
                &(struct admission_listener_config){ .address = config->address,
                                                     .certificate_path = config->certificate_path,
                                                     .key_path = config->key_path,
                                                     .path = EVICTION_WEBHOOK_PATH,
                                                     .review = on_review,
                                                     .context = webhook },
                runtime_loop(runtime), &webhook->listener, err);
        if (code < 0) {
                free(webhook);
                return code;
        }
        LOG(LOG_INFO, "WebhookServed", log_i64("port", admission_listener_port(webhook->listener)),
            log_text("path", EVICTION_WEBHOOK_PATH));
        webhook->who_timer = (struct loop_timer){ .fired = ask_who, .context = webhook };
        loop_timer_arm(runtime_loop(runtime), &webhook->who_timer, 0);
        *ret_webhook = webhook;
        return 0;
}

void eviction_webhook_free(struct eviction_webhook *webhook) {
        if (!webhook)
                return;
        admission_listener_free(webhook->listener);
        loop_timer_disarm(runtime_loop(webhook->runtime), &webhook->who_timer);
        if (webhook->who)
                transport_cancel(webhook->role->transport, webhook->who);
        free(webhook->own_user);
        while (webhook->writes) {
                transport_cancel(webhook->role->transport, webhook->writes->request);
                webhook_write_free(webhook->writes);
        }
        free(webhook);
}
