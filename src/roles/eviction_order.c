/* Finds the pods of an order, and keeps so many of them under way. */
#include "roles/eviction_order.h"

#include "base/util.h"
#include "client/url_query.h"
#include "evict/eviction_reconciler.h"
#include "roles/eviction_order_priv.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNANSWERED_NS (30 * NS_PER_S)
#define DISCOVERY_PATIENCE_NS (10 * NS_PER_S)

const char *order_state_name(enum order_state state) {
        static const char *const names[ORDER_STATE_COUNT] = {
                [ORDER_QUEUED] = "queued",       [ORDER_ASKING] = "asking",
                [ORDER_OPEN] = "open",           [ORDER_EVICTED] = "evicted",
                [ORDER_WITHDRAWN] = "withdrawn", [ORDER_FAILED] = "failed",
        };

        return names[state];
}

/* ---- the end ---- */

static void eviction_order_finish(struct eviction_order *order, const struct err *err) {
        if (order->is_finished)
                return;
        order->is_finished = true;
        order->config.finished(order->config.context, err);
}

static void on_serve(void *context) {
        runtime_serve_evictions(((struct eviction_order *)context)->config.runtime);
}

/* ---- progress ---- */

static void eviction_order_begin(struct order_pod *pod) {
        struct eviction_order *order = pod->order;

        if (order->config.cancels && order->group)
                order_request_withdraw(pod);
        else if (order->config.cancels)
                order_set(pod, ORDER_FAILED, "the cluster has no EvictionRequests to withdraw");
        else if (order->group)
                order_request_begin(pod);
        else
                order_subresource_begin(pod);
}

static void eviction_order_pump(struct eviction_order *order) {
        uint32_t max_open =
                order->config.max_open ? order->config.max_open : EVICTION_ORDER_OPEN_DEFAULT;
        size_t open_count = 0, over_count = 0, asking_count = 0;

        for (size_t i = 0; i < order->count; i++) {
                enum order_state state = order->pods[i].state;

                open_count += state == ORDER_ASKING || state == ORDER_OPEN;
        }
        for (size_t i = 0; i < order->count; i++)
                if (order->pods[i].state == ORDER_QUEUED && open_count < max_open) {
                        open_count++;
                        eviction_order_begin(&order->pods[i]);
                }
        for (size_t i = 0; i < order->count; i++) {
                over_count += order_state_is_over(order->pods[i].state) && !order->pods[i].call;
                asking_count += order->pods[i].state <= ORDER_ASKING || order->pods[i].call ||
                                order->pods[i].is_asking;
        }
        if (over_count == order->count || (!order->config.waits && asking_count == 0))
                eviction_order_finish(order, NULL);
}

static void on_deadline(void *context) {
        struct eviction_order *order = context;

        for (size_t i = 0; i < order->count; i++) {
                struct order_pod *pod = &order->pods[i];

                if (order_state_is_over(pod->state) || pod->is_asking)
                        continue;
                if (pod->state == ORDER_QUEUED)
                        order_set(pod, ORDER_WITHDRAWN, "it was not asked for");
                else if (!order->group)
                        order_set(pod, ORDER_WITHDRAWN, pod->message);
                else if (!pod->call)
                        order_request_withdraw(pod);
        }
        eviction_order_pump(order);
        if (!order->is_finished) /* calls that are under way come first */
                loop_timer_arm(order->loop, &order->deadline, ORDER_LOOK_NS);
}

/* A controller that answered before may have ended since. */
static bool is_withdrawal_unanswered(const struct order_pod *pod) {
        return pod->is_withdrawal_written && pod->state == ORDER_OPEN &&
               loop_mono(pod->order->loop).ns - pod->written.ns >= ORDER_CONFIRM_NS;
}

static void on_unanswered(void *context) {
        struct eviction_order *order = context;

        for (size_t i = 0; i < order->count; i++)
                if (is_withdrawal_unanswered(&order->pods[i]))
                        order_set(&order->pods[i], ORDER_WITHDRAWN,
                                  "no controller has answered; what began is undone when one does");
                else if (order->pods[i].state == ORDER_OPEN && !order->pods[i].is_seen &&
                         !order->pods[i].is_withdrawn)
                        order_request_repeat(&order->pods[i]);
        eviction_order_pump(order);
        if (!order->is_finished)
                loop_timer_arm(order->loop, &order->unanswered, UNANSWERED_NS);
}

/* ---- pods ---- */

static bool is_left_alone(const struct json *pod) {
        const struct json *meta = json_get(pod, "metadata"), *owner;
        struct json_iter iter = json_iter(json_get(meta, "ownerReferences"));
        struct slice phase = json_get_text(json_get(pod, "status"), "phase");

        while (json_next(&iter, NULL, &owner))
                if (slice_is(json_get_text(owner, "kind"), "DaemonSet") &&
                    json_get_bool(owner, "controller", false))
                        return true;
        return json_get(json_get(meta, "annotations"), "kubernetes.io/config.mirror") ||
               slice_is(phase, "Succeeded") || slice_is(phase, "Failed");
}

static void add_pod(struct eviction_order *order, const struct json *object) {
        const struct json *meta = json_get(object, "metadata");

        evict_service_saw_pod(runtime_evictions(order->config.runtime), object,
                              loop_mono(order->loop));
        if (order->count == order->cap) {
                order->cap = order->cap ? order->cap * 2 : 16;
                order->pods = xreallocarray(order->pods, order->cap, sizeof(order->pods[0]));
        }
        order->pods[order->count++] =
                (struct order_pod){ .order = order,
                                    .ns = slice_dup(json_get_text(meta, "namespace")),
                                    .name = slice_dup(json_get_text(meta, "name")),
                                    .uid = slice_dup(json_get_text(meta, "uid")),
                                    .expected = WALL_TIME_UNSET };
        drain_pod_decode(object, &order->facts, &order->pods[order->count - 1].facts, NULL);
}

static void eviction_order_start(struct eviction_order *order) {
        order->has_pods = true;
        if (order->group && order->count)
                order_requests_follow(order);
        order->deadline_at.ns = loop_mono(order->loop).ns + order->config.deadline_ns;
        if (order->config.deadline_ns > 0 && !order->config.cancels)
                loop_timer_arm(order->loop, &order->deadline, order->config.deadline_ns);
        if (order->group && order->config.waits)
                loop_timer_arm(order->loop, &order->unanswered, UNANSWERED_NS);
        eviction_order_pump(order);
}

static void eviction_order_found(struct eviction_order *order) {
        if (order->config.cancels || order->count == 0)
                eviction_order_start(order);
        else
                order_budgets_read(order, eviction_order_start);
}

static void fail_with(struct eviction_order *order, const char *what,
                      const struct api_reply *reply) {
        order->err = reply->error;
        if (order->err.code == 0)
                err_set(&order->err, BERTH_ERR_UNAVAILABLE, "status %d", reply->status);
        err_wrap(&order->err, "%s", what);
        eviction_order_finish(order, &order->err);
}

static void on_list(void *context, const struct api_reply *reply) {
        struct eviction_order *order = context;
        struct json_doc *doc = NULL;
        const struct json *item;

        order->call = NULL;
        if (reply->status != 200 || json_parse(reply->body, &doc, NULL) < 0) {
                fail_with(order, "pods", reply);
                return;
        }
        struct json_iter iter = json_iter(json_get(json_doc_root(doc), "items"));
        while (json_next(&iter, NULL, &item))
                if (!is_left_alone(item))
                        add_pod(order, item);
        json_doc_free(doc);
        eviction_order_found(order);
}

static void read_named(struct eviction_order *order);

/* The name that was asked for, and its namespace. */
static struct slice split_name(const struct eviction_order *order, struct slice *ret_ns) {
        struct slice rest = slice_of(order->config.pods[order->count]);

        if (slice_split(&rest, '/', ret_ns) && rest.ptr)
                return rest;
        *ret_ns = slice_of(order->config.ns[0] ? order->config.ns : "default");
        return slice_of(order->config.pods[order->count]);
}

static void fail_no_pod(struct eviction_order *order) {
        struct slice ns, name = split_name(order, &ns);

        err_set(&order->err, BERTH_ERR_NOT_FOUND,
                "pod " SLICE_FMT " not found in namespace " SLICE_FMT
                ": expected NAME or NAMESPACE/NAME of pods",
                SLICE_ARG(name), SLICE_ARG(ns));
        eviction_order_finish(order, &order->err);
}

/* One after another: each has the one handle of the order. */
static void on_read(void *context, const struct api_reply *reply) {
        struct eviction_order *order = context;
        struct json_doc *doc = NULL;

        order->call = NULL;
        if (reply->status == 404) {
                fail_no_pod(order);
                return;
        }
        if (reply->status != 200 || json_parse(reply->body, &doc, NULL) < 0) {
                fail_with(order, order->config.pods[order->count], reply);
                return;
        }
        add_pod(order, json_doc_root(doc));
        json_doc_free(doc);
        if (order->count == order->config.pod_count)
                eviction_order_found(order);
        else
                read_named(order);
}

static void read_named(struct eviction_order *order) {
        struct slice ns, name = split_name(order, &ns);
        struct buf path = { 0 };

        buf_text(&path, "/api/v1/namespaces/");
        url_escape(&path, ns);
        buf_text(&path, "/pods/");
        url_escape(&path, name);
        order->calls++;
        order->call = transport_call(order->transport,
                                     &(struct api_call){ .path = buf_view(&path) }, on_read, order);
        buf_release(&path);
}

static void find_pods(struct eviction_order *order) {
        struct buf path = { 0 }, field = { 0 };

        if (order->config.pod_count) {
                read_named(order);
                return;
        }
        buf_text(&path, "/api/v1");
        if (order->config.ns[0] && !order->config.node) {
                buf_text(&path, "/namespaces/");
                url_escape(&path, slice_of(order->config.ns));
        }
        buf_text(&path, "/pods");
        if (order->config.node) {
                buf_printf(&field, "spec.nodeName=%s", order->config.node);
                url_query_text(&path, "fieldSelector", buf_view(&field));
        }
        if (order->config.selector)
                url_query_text(&path, "labelSelector", slice_of(order->config.selector));
        order->calls++;
        order->call = transport_call(order->transport,
                                     &(struct api_call){ .path = buf_view(&path) }, on_list, order);
        buf_release(&path);
        buf_release(&field);
}

static void on_cordoned(void *context, const struct api_reply *reply) {
        struct eviction_order *order = context;

        order->call = NULL;
        if (reply->status == 403) {
                err_set(&order->err, BERTH_ERR_FORBIDDEN,
                        "node %s cannot be cordoned: no right to patch nodes, which kubectl cordon "
                        "needs, too; --no-cordon evicts its pods without",
                        order->config.node);
                eviction_order_finish(order, &order->err);
        } else if (reply->status != 200) {
                fail_with(order, "node", reply);
        } else {
                find_pods(order);
        }
}

static void eviction_order_prepare(struct eviction_order *order) {
        struct buf path = { 0 };

        if (!order->config.node || !order->config.cordons || order->config.cancels) {
                find_pods(order);
                return;
        }
        buf_text(&path, "/api/v1/nodes/");
        url_escape(&path, slice_of(order->config.node));
        order->calls++;
        order->call = transport_call(
                order->transport,
                &(struct api_call){ .method = API_PATCH,
                                    .path = buf_view(&path),
                                    .content_type = SLICE_LITERAL("application/merge-patch+json"),
                                    .body = SLICE_LITERAL("{\"spec\":{\"unschedulable\":true}}") },
                on_cordoned, order);
        buf_release(&path);
}

/* ---- discovery ---- */

static void on_kinds(void *context, enum evict_kinds kinds, const struct err *failure) {
        struct eviction_order *order = context;

        if (failure) {
                order->err = *failure;
                err_wrap(&order->err, "discovery");
                eviction_order_finish(order, &order->err);
                return;
        }
        if (kinds == EVICT_KINDS_ABSENT && order->config.requests == EVICT_REQUESTS_ALWAYS) {
                err_set(&order->err, BERTH_ERR_NOT_FOUND,
                        "the cluster has no EvictionRequests (--eviction-requests always)");
                eviction_order_finish(order, &order->err);
                return;
        }
        if (kinds != EVICT_KINDS_ABSENT)
                order->group =
                        kinds == EVICT_KINDS_NATIVE ? EVICTION_GROUP_NATIVE : EVICTION_GROUP_OWN;
        evict_service_saw_kinds(runtime_evictions(order->config.runtime), kinds,
                                loop_mono(order->loop));
        eviction_order_prepare(order);
}

/* ---- life ---- */

/* Without a look at the kinds. */
static void on_begin(void *context) {
        eviction_order_prepare(context);
}

static void look_for_kinds(struct eviction_order *order) {
        order->kinds = request_kinds_new(
                &(struct request_kinds_config){ .transport = order->transport,
                                                .loop = order->loop,
                                                .patience_ns = DISCOVERY_PATIENCE_NS,
                                                .ends_unanswered = true,
                                                .found = on_kinds,
                                                .context = order });
        order->calls++;
        request_kinds_look(order->kinds);
}

struct eviction_order *eviction_order_new(const struct eviction_order_config *config) {
        struct eviction_order *order = xcalloc(1, sizeof(*order));

        order->config = *config;
        order->pump = eviction_order_pump;
        order->loop = runtime_loop(config->runtime);
        arena_init(&order->facts, 0);
        arena_init(&order->texts, 0);
        order->transport = runtime_transport(config->runtime);
        order->requester = evict_service_join(
                runtime_evictions(config->runtime),
                &(struct evict_requester_config){
                        .name = "evict",
                        .requests_as = EVICTION_ORDER_REQUESTER,
                        .request_prefix = "cli",
                        .request_deadline_ns = config->deadline_ns > 0 ? config->deadline_ns : -1,
                        .has_no_events = true,
                        .max_in_flight =
                                config->max_open ? config->max_open : EVICTION_ORDER_OPEN_DEFAULT,
                        .max_attempts = 1 });
        order->sink = evict_requester_sink(order->requester);
        order->sink.begin_pass(order->sink.context,
                               &(struct evict_pass){ .now = runtime_server_time(config->runtime) });
        order->begin = (struct loop_timer){ .fired = on_begin, .context = order };
        order->serve = (struct loop_timer){ .fired = on_serve, .context = order };
        order->deadline = (struct loop_timer){ .fired = on_deadline, .context = order };
        order->unanswered = (struct loop_timer){ .fired = on_unanswered, .context = order };
        if (config->requests == EVICT_REQUESTS_NEVER)
                loop_timer_arm(order->loop, &order->begin, 0);
        else
                look_for_kinds(order);
        return order;
}

void eviction_order_free(struct eviction_order *order) {
        if (!order)
                return;
        loop_timer_disarm(order->loop, &order->begin);
        loop_timer_disarm(order->loop, &order->deadline);
        loop_timer_disarm(order->loop, &order->unanswered);
        loop_timer_disarm(order->loop, &order->serve);
        order_budgets_release(order);
        if (order->requests) {
                watch_set_remove(runtime_watches(order->config.runtime), order->requests);
                watch_set_remove(runtime_watches(order->config.runtime), order->evictions);
        }
        request_kinds_free(order->kinds);
        if (order->call)
                transport_cancel(order->transport, order->call);
        for (size_t i = 0; i < order->count; i++) {
                struct order_pod *pod = &order->pods[i];

                loop_timer_disarm(order->loop, &pod->timer);
                if (pod->call)
                        transport_cancel(order->transport, pod->call);
                free(pod->ns);
                free(pod->name);
                free(pod->uid);
        }
        free(order->pods);
        free(order);
}

void eviction_order_served(struct eviction_order *order) {
        const struct evict_record *record;
        uint64_t after = order->settled;
        size_t at = 0;

        while ((record = evict_requester_next_record(order->requester, after, &at))) {
                struct order_pod *pod = order_find_pod(order, record->pod.uid);

                order->settled = record->number;
                if (!pod || !pod->is_asking)
                        continue;
                pod->is_asking = false;
                if (order->group)
                        order_request_written(pod, record);
                else
                        order_subresource_asked(pod, record);
        }
}

size_t eviction_order_count(const struct eviction_order *order) {
        return order->has_pods ? order->count : 0;
}

struct order_line eviction_order_line(const struct eviction_order *order, size_t index) {
        const struct order_pod *pod = &order->pods[index];

        return (struct order_line){ .ns = pod->ns,
                                    .name = pod->name,
                                    .responder = pod->responder,
                                    .message = pod->message,
                                    .budget = pod->budget,
                                    .state = pod->state,
                                    .expected = pod->expected };
}

bool eviction_order_uses_requests(const struct eviction_order *order) {
        return order->group;
}

uint64_t eviction_order_calls(const struct eviction_order *order) {
        return order->calls;
}
