/* What happens to a single pod of an order, whichever way it goes. */
#include "base/util.h"
#include "roles/eviction_order_priv.h"
#include <stdio.h>

/* Or its controller withdrew it, whose clock is another one. */
static bool is_late(const struct eviction_order *order) {
        return order->config.deadline_ns > 0 && !order->config.cancels &&
               loop_mono(order->loop).ns >= order->deadline_at.ns - NS_PER_S;
}

#define LATE_TEXT "the deadline passed"

/* What was said last is why the deadline passed. */
static void say_late(struct order_pod *pod) {
        char why[sizeof(pod->message) - sizeof(LATE_TEXT ": ")];

        snprintf(why, sizeof(why), SLICE_FMT, SLICE_ARG(slice_of(pod->message)));
        snprintf(pod->message, sizeof(pod->message), LATE_TEXT "%s%s", why[0] ? ": " : "", why);
}

void order_set(struct order_pod *pod, enum order_state state, const char *message) {
        pod->state = state;
        if (message && message != pod->message)
                snprintf(pod->message, sizeof(pod->message), "%s", message);
        if (state == ORDER_WITHDRAWN && is_late(pod->order))
                say_late(pod);
        if (order_state_is_over(state))
                loop_timer_disarm(pod->order->loop, &pod->timer);
        if (pod->order->config.changed)
                pod->order->config.changed(pod->order->config.context);
}

void order_call(struct order_pod *pod, const struct api_call *call,
                void (*done)(void *context, const struct api_reply *reply)) {
        pod->order->calls++;
        pod->call = transport_call(pod->order->transport, call, done, pod);
}

void order_ask(struct order_pod *pod, enum evict_way way) {
        struct eviction_order *order = pod->order;
        const struct evict_intent intent = { .pod = { SLICE_LITERAL("Pod"), slice_of(pod->ns),
                                                      slice_of(pod->name), slice_of(pod->uid) },
                                             .requested_by =
                                                     SLICE_LITERAL(EVICTION_ORDER_REQUESTER),
                                             .way = way };

        order->calls++;
        pod->is_asking = true;
        order->sink.ask(order->sink.context, &intent);
        if (!loop_timer_is_armed(&order->serve))
                loop_timer_arm(order->loop, &order->serve, 0);
}

struct order_pod *order_find_pod(struct eviction_order *order, struct slice uid) {
        for (size_t i = 0; i < order->count; i++)
                if (slice_is(uid, order->pods[i].uid))
                        return &order->pods[i];
        return NULL;
}

void order_pump(struct eviction_order *order) {
        order->pump(order);
}
