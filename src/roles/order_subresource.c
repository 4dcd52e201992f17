/* An order carried out by the eviction subresource, for clusters without EvictionRequests: asked
 * again while a budget refuses, and over when the pod is gone.  A pod annotated request-evict-only
 * whose 429 says that an evacuation was triggered is evicted by another program, and not asked for
 * again meanwhile (Descheduler's EvictionsInBackground). */
#include "roles/eviction_order_priv.h"

#include "api/json.h"
#include "evict/evict_service.h"
#include "evict/eviction_reconciler.h"
#include <stdio.h>

#define EVICT_ONLY_KEY "descheduler.alpha.kubernetes.io/request-evict-only"

static void order_subresource_ask(void *context);

static void order_subresource_later(struct order_pod *pod, int64_t delay_ns,
                                    void (*fired)(void *context)) {
        pod->timer.fired = fired;
        pod->timer.context = pod;
        loop_timer_arm(pod->order->loop, &pod->timer, delay_ns);
}

static void order_subresource_over(struct order_pod *pod, enum order_state state,
                                   const char *message) {
        order_set(pod, state, message);
        order_pump(pod->order);
}

/* ---- is it gone? ---- */

static void order_subresource_look(void *context);

/* Whether a pod that another program evicts is to be asked for again: never marked for it, given
 * up, or not begun within the time that there is. */
static bool has_stopped_moving(struct order_pod *pod, const struct json *root) {
        const struct json *marks = json_get(json_get(root, "metadata"), "annotations");
        struct mono_time now = loop_mono(pod->order->loop);
        bool was_moving = pod->is_moving;

        if (!json_get(marks, EVICT_ONLY_KEY))
                return true;
        pod->is_moving = json_get(marks, EVICTION_MOVING_KEY);
        if (pod->is_moving)
                return false;
        return was_moving || now.ns - pod->begun.ns >= EVICT_ASSUMED_MAX_NS;
}

/* An eviction answered as done has marked the pod as being deleted; one that a proxy or a dry run
 * answered has not. */
static bool is_without_effect(struct order_pod *pod, const struct json *root) {
        const struct json *meta = json_get(root, "metadata");

        if (pod->is_begun || json_get(meta, "deletionTimestamp") ||
            loop_mono(pod->order->loop).ns - pod->written.ns < ORDER_CONFIRM_NS)
                return false;
        order_set(pod, ORDER_OPEN,
                  "the eviction was answered as done, but the pod is not being deleted: it is "
                  "asked for again");
        return true;
}

/* A pod that does not end within its grace period: finalizers, or a kubelet that is away. */
static void say_overdue(struct order_pod *pod, const struct json *root) {
        const struct json *meta = json_get(root, "metadata"), *finalizer;
        struct slice until = json_get_text(meta, "deletionTimestamp");
        struct json_iter iter = json_iter(json_get(meta, "finalizers"));
        struct wall_time end;
        struct buf text = { 0 };

        if (pod->is_begun || !wall_time_parse(until, &end) ||
            end.ns > runtime_server_time(pod->order->config.runtime).ns)
                return;
        buf_printf(&text, "still there, though its grace period ended at " SLICE_FMT,
                   SLICE_ARG(until));
        for (const char *lead = "; finalizers: "; json_next(&iter, NULL, &finalizer); lead = ", ")
                buf_printf(&text, "%s" SLICE_FMT, lead, SLICE_ARG(json_text(finalizer)));
        order_set(pod, ORDER_OPEN, text.data);
        buf_release(&text);
}

static void on_seen(void *context, const struct api_reply *reply) {
        struct order_pod *pod = context;
        struct evict_service *service = runtime_evictions(pod->order->config.runtime);
        struct json_doc *doc = NULL;
        const struct json *root;
        struct slice phase;
        bool asks_again = false;

        pod->call = NULL;
        if (reply->status == 404) {
                evict_service_lost_pod(service, slice_of(pod->uid));
                order_subresource_over(pod, ORDER_EVICTED, "");
                return;
        }
        if (reply->status == 200 && json_parse(reply->body, &doc, NULL) == 0) {
                root = json_doc_root(doc);
                evict_service_saw_pod(service, root, loop_mono(pod->order->loop));
                phase = json_get_text(json_get(root, "status"), "phase");
                if (!slice_is(json_get_text(json_get(root, "metadata"), "uid"), pod->uid) ||
                    slice_is(phase, "Succeeded") || slice_is(phase, "Failed"))
                        order_set(pod, ORDER_EVICTED, "");
                else
                        asks_again = pod->is_begun ? has_stopped_moving(pod, root)
                                                   : is_without_effect(pod, root);
                if (pod->state == ORDER_OPEN)
                        say_overdue(pod, root);
                json_doc_free(doc);
        }
        if (pod->state == ORDER_OPEN)
                order_subresource_later(pod, asks_again ? ORDER_RETRY_NS : ORDER_LOOK_NS,
                                        asks_again ? order_subresource_ask
                                                   : order_subresource_look);
        order_pump(pod->order);
}

static void order_subresource_look(void *context) {
        struct order_pod *pod = context;
        char path[ORDER_PATH_MAX];

        snprintf(path, sizeof(path), "/api/v1/namespaces/%s/pods/%s", pod->ns, pod->name);
        order_call(pod, &(struct api_call){ .path = slice_of(path) }, on_seen);
}

/* ---- asking ---- */

/* Another program has begun; the pod is checked until that is over. */
static void wait_for_others(struct order_pod *pod, const char *text) {
        pod->is_begun = true;
        pod->is_moving = false;
        pod->begun = loop_mono(pod->order->loop);
        order_set(pod, ORDER_OPEN, text);
        order_subresource_later(pod, ORDER_LOOK_NS, order_subresource_look);
        order_pump(pod->order);
}

static void order_subresource_retry(struct order_pod *pod, const struct evict_record *record,
                                    const char *text) {
        int64_t delay_ns = record->retry_after_s * NS_PER_S > ORDER_RETRY_NS
                                   ? record->retry_after_s * NS_PER_S
                                   : ORDER_RETRY_NS;

        if (!pod->order->config.waits) { /* nothing asks for it again */
                order_subresource_over(pod, ORDER_FAILED, text);
                return;
        }
        order_set(pod, ORDER_OPEN, text);
        order_subresource_later(pod, delay_ns, order_subresource_ask);
        order_pump(pod->order);
}

void order_subresource_asked(struct order_pod *pod, const struct evict_record *record) {
        bool is_begun = record->code == BERTH_ERR_TOO_MANY &&
                        slice_contains(record->text, SLICE_LITERAL(EVICTION_MOVING_TEXT));
        char text[sizeof(pod->message)];

        snprintf(text, sizeof(text), SLICE_FMT, SLICE_ARG(record->text));
        pod->is_begun = false;
        if (record->result == EVICT_RESULT_SUCCESS) {
                pod->written = loop_mono(pod->order->loop);
                order_set(pod, ORDER_OPEN, "the pod is being deleted");
                order_subresource_later(pod, ORDER_LOOK_NS, order_subresource_look);
                order_pump(pod->order);
        } else if (record->result == EVICT_RESULT_GONE) {
                order_subresource_over(pod, ORDER_EVICTED, "");
        } else if (is_begun) {
                wait_for_others(pod, text);
        } else if (evict_record_may_pass(record)) {
                order_subresource_retry(pod, record, text);
        } else {
                order_subresource_over(pod, ORDER_FAILED, text);
        }
}

static void order_subresource_ask(void *context) {
        order_ask(context, EVICT_WAY_EVICT);
}

void order_subresource_begin(struct order_pod *pod) {
        order_set(pod, ORDER_ASKING, NULL);
        order_subresource_ask(pod);
}
