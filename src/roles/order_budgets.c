/* The budgets of an order's pods: the API server says that a budget refuses, not that it always
 * will.  Read before the first eviction and every minute after, for budgets are mended. */
#include "base/util.h"
#include "client/url_query.h"
#include "roles/eviction_order_priv.h"
#include <string.h>

#define BUDGETS_AGAIN_NS (60 * NS_PER_S)

static void order_budgets_judge(struct order_pod *pod, const struct drain_budgets *budgets) {
        static const struct selector everything = { 0 };
        const struct drain_rules rules = { .selector = &everything };
        const struct drain_pods alone = { 1, &pod->facts };
        struct arena *texts = &pod->order->texts;
        struct drain_deadlock found;

        drain_impossible(&alone, &rules, budgets, runtime_server_time(pod->order->config.runtime),
                         texts, &found);
        pod->budget = SLICE_EMPTY;
        if (found.budget.len)
                pod->budget = slice_of(arena_printf(texts, SLICE_FMT "/" SLICE_FMT,
                                                    SLICE_ARG(found.ns), SLICE_ARG(found.budget)));
}

static void on_budgets(void *context, const struct api_reply *reply) {
        struct eviction_order *order = context;
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;
        struct drain_budgets budgets = { 0 };

        order->call = NULL;
        arena_clear(&order->texts);
        if (reply->status == 200 && json_parse(reply->body, &doc, NULL) == 0)
                drain_budgets_decode(json_doc_root(doc), &order->texts, &budgets);
        for (size_t i = 0; i < order->count; i++)
                order_budgets_judge(&order->pods[i], &budgets);
        loop_timer_arm(order->loop, &order->budgets, BUDGETS_AGAIN_NS);
        order->budgets_read(order);
}

static void order_budgets_done(struct eviction_order *order) {
        if (order->config.changed)
                order->config.changed(order->config.context);
}

static void on_budgets_due(void *context) {
        order_budgets_read(context, order_budgets_done);
}

void order_budgets_read(struct eviction_order *order, void (*read)(struct eviction_order *order)) {
        bool is_one_namespace = true;
        struct buf path = { 0 };

        for (size_t i = 1; i < order->count; i++)
                is_one_namespace &= strcmp(order->pods[i].ns, order->pods[0].ns) == 0;
        buf_text(&path, "/apis/policy/v1");
        if (is_one_namespace && order->count) {
                buf_text(&path, "/namespaces/");
                url_escape(&path, slice_of(order->pods[0].ns));
        }
        buf_text(&path, "/poddisruptionbudgets");
        order->budgets_read = read;
        order->budgets = (struct loop_timer){ .fired = on_budgets_due, .context = order };
        order->calls++;
        order->call = transport_call(
                order->transport, &(struct api_call){ .path = buf_view(&path) }, on_budgets, order);
        buf_release(&path);
}

void order_budgets_release(struct eviction_order *order) {
        loop_timer_disarm(order->loop, &order->budgets);
        arena_release(&order->facts);
        arena_release(&order->texts);
}
