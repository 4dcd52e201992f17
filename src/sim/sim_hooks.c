/* The hooks of eviction stages: they outlive the process that calls them, remember every order by
 * its id, and see when something is run twice or left undone. */
#include "sim/sim_world_priv.h"

#include "base/util.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOST_NS (30 * NS_PER_S)
#define LATE_NS (20 * NS_PER_S)
#define WORK_MAX_NS (240 * NS_PER_S)

enum sim_hooks_order_state {
        ORDER_UNKNOWN,
        ORDER_RUNNING,
        ORDER_DONE,
        ORDER_REFUSED,
        ORDER_UNDONE
};

struct sim_hooks_order { /* of one stage of one Eviction */
        enum sim_hooks_order_state state;
        char eviction[64]; /* uid */
        bool can_roll_back;
        unsigned failures_left;
        struct mono_time end; /* of ORDER_RUNNING */
};

struct sim_hooks_call { /* an answer on its way */
        struct sim_hooks *hooks;
        uint64_t id;
        int http;
        const char *result; /* NULL = none */
        struct loop_timer timer;
        struct sim_hooks_call *next;
};

struct sim_hooks {
        struct sim_world *world;
        struct rng rng;
        struct map *orders; /* id -> struct sim_hooks_order */
        struct sim_hooks_call *calls;
        uint64_t runs;
};

/* ---- answers ---- */

static void drop_call(struct sim_hooks *hooks, struct sim_hooks_call *call) {
        struct sim_hooks_call **link = &hooks->calls;

        while (*link != call)
                link = &(*link)->next;
        *link = call->next;
        loop_timer_disarm(hooks->world->loop, &call->timer);
        free(call);
}

static void on_answer(void *context) {
        struct sim_hooks_call *call = context;
        struct sim_hooks *hooks = call->hooks;
        struct eviction_effect_result result = { .id = call->id,
                                                 .http = call->http,
                                                 .retry_after_s = -1 };
        struct json_doc *doc = NULL;
        char text[100];

        snprintf(text, sizeof(text), "{\"result\":\"%s\",\"message\":\"at it\"}",
                 call->result ? call->result : "");
        if (call->result && json_parse(slice_of(text), &doc, NULL) == 0)
                result.object = json_doc_root(doc);
        if (call->http != 200)
                result.code = BERTH_ERR_UNAVAILABLE;
        drop_call(hooks, call);
        if (hooks->world->role)
                evictions_role_answer(hooks->world->role, &result);
        json_doc_free(doc);
}

static void sim_hooks_answer(struct sim_hooks *hooks, uint64_t id, int http, const char *result,
                             int64_t delay_ns) {
        struct sim_hooks_call *call = xcalloc(1, sizeof(*call));

        *call = (struct sim_hooks_call){
                .hooks = hooks, .id = id, .http = http, .result = result, .next = hooks->calls
        };
        call->timer = (struct loop_timer){ .fired = on_answer, .context = call };
        hooks->calls = call;
        loop_timer_arm(hooks->world->loop, &call->timer, delay_ns);
}

/* ---- orders ---- */

static struct sim_hooks_order *need_order(struct sim_hooks *hooks, const struct json *body) {
        struct slice id = json_get_text(body, "id");
        struct sim_hooks_order *order = map_get(hooks->orders, id);

        if (order)
                return order;
        order = xcalloc(1, sizeof(*order));
        snprintf(order->eviction, sizeof(order->eviction), SLICE_FMT,
                 SLICE_ARG(json_get_text(body, "evictionUID")));
        order->can_roll_back = slice_is(json_get_text(body, "stage"), "prepare");
        if (rng_below(&hooks->rng, 6) == 0)
                order->failures_left = 1 + (unsigned)rng_below(&hooks->rng, 5);
        map_put(hooks->orders, id, order);
        return order;
}

static const char *sim_hooks_run(struct sim_hooks *hooks, struct sim_hooks_order *order,
                                 struct slice id) {
        hooks->runs++;
        if (order->state == ORDER_RUNNING || order->state == ORDER_DONE)
                sim_violated(hooks->world, "hook " SLICE_FMT " was run twice", SLICE_ARG(id));
        if (order->state == ORDER_UNDONE)
                sim_violated(hooks->world, "hook " SLICE_FMT " was run after its end",
                             SLICE_ARG(id));
        if (order->failures_left > 0) {
                order->failures_left--;
                order->state = ORDER_REFUSED;
                return "Failed";
        }
        if (rng_below(&hooks->rng, 10) == 0) {
                order->state = ORDER_REFUSED;
                return "Decline";
        }
        if (rng_below(&hooks->rng, 3) == 0) {
                order->state = ORDER_DONE;
                return "Done";
        }
        order->state = ORDER_RUNNING;
        order->end.ns =
                loop_mono(hooks->world->loop).ns + (int64_t)rng_below(&hooks->rng, WORK_MAX_NS);
        return "InProgress";
}

static const char *sim_hooks_poll(struct sim_hooks *hooks, struct sim_hooks_order *order) {
        if (order->state == ORDER_RUNNING && order->end.ns <= loop_mono(hooks->world->loop).ns)
                order->state = ORDER_DONE;
        switch (order->state) {
        case ORDER_UNKNOWN:
        case ORDER_REFUSED: /* forgotten */
                return NULL;
        case ORDER_RUNNING:
                return "InProgress";
        case ORDER_DONE:
                return "Done";
        default:
                return "Failed";
        }
}

static const char *sim_hooks_take(struct sim_hooks *hooks, const struct json *body) {
        struct slice op = json_get_text(body, "op");
        struct sim_hooks_order *order = need_order(hooks, body);

        if (slice_is(op, "run"))
                return sim_hooks_run(hooks, order, json_get_text(body, "id"));
        if (slice_is(op, "poll"))
                return sim_hooks_poll(hooks, order);
        order->state = ORDER_UNDONE;
        return "Done";
}

/* ---- calls ---- */

static int status_of(const char *result) {
        if (!result)
                return 404;
        return strcmp(result, "500") == 0 ? 500 : 200;
}

void sim_hooks_start(void *context, const struct eviction_effect *effect) {
        struct sim_world *world = context;
        struct sim_hooks *hooks = world->hooks;
        struct json_doc *doc = NULL;
        bool dies = sim_faults_draw(world->faults, SIM_KILL), is_lost;

        if (dies)
                world->wants_kill = true;
        is_lost = dies ? rng_below(&hooks->rng, 2) == 0
                       : sim_faults_draw(world->faults, SIM_LOSE_CALL);
        if (is_lost || json_parse(effect->body, &doc, NULL) < 0) {
                sim_hooks_answer(hooks, effect->id, 0, NULL, LOST_NS);
                return;
        }
        const char *result = world->config.hook ? world->config.hook(world->config.hook_context,
                                                                     json_doc_root(doc))
                                                : sim_hooks_take(hooks, json_doc_root(doc));
        json_doc_free(doc);
        if (sim_faults_draw(world->faults, SIM_LOSE_ANSWER))
                sim_hooks_answer(hooks, effect->id, 0, NULL, LOST_NS);
        else
                sim_hooks_answer(hooks, effect->id, status_of(result), result,
                                 sim_faults_draw(world->faults, SIM_LATE_ANSWER)
                                         ? (int64_t)rng_below(&hooks->rng, LATE_NS)
                                         : 0);
}

/* Cut short: the hook may have taken the order. */
void sim_hooks_stop(void *context, uint64_t id) {
        struct sim_world *world = context;

        for (struct sim_hooks_call *call = world->hooks->calls; call; call = call->next)
                if (call->id == id) {
                        call->http = 0;
                        call->result = NULL;
                        loop_timer_arm(world->loop, &call->timer, 0);
                        return;
                }
}

/* The caller is dead: no one waits for answers. */
void sim_hooks_forget_calls(struct sim_hooks *hooks) {
        while (hooks->calls)
                drop_call(hooks, hooks->calls);
}

const char *sim_hooks_left_behind(const struct sim_hooks *hooks, struct slice eviction_uid,
                                  bool is_canceled) {
        struct slice key;
        void *value;
        size_t at = 0;

        while (map_next(hooks->orders, &at, &key, &value)) {
                const struct sim_hooks_order *order = value;

                if (!slice_is(eviction_uid, order->eviction))
                        continue;
                if (order->state == ORDER_RUNNING)
                        return "a hook was left running by";
                if (is_canceled && order->state == ORDER_DONE && order->can_roll_back)
                        return "a stage was not rolled back by";
        }
        return NULL;
}

uint64_t sim_hooks_runs(const struct sim_hooks *hooks) {
        return hooks->runs;
}

/* ---- life ---- */

struct sim_hooks *sim_hooks_new(struct sim_world *world) {
        struct sim_hooks *hooks = xcalloc(1, sizeof(*hooks));

        hooks->world = world;
        hooks->orders = map_new();
        rng_init(&hooks->rng, world->config.seed ^ 0x4007);
        return hooks;
}

void sim_hooks_free(struct sim_hooks *hooks) {
        struct slice key;
        void *value;
        size_t at = 0;

        if (!hooks)
                return;
        sim_hooks_forget_calls(hooks);
        while (map_next(hooks->orders, &at, &key, &value))
                free(value);
        map_free(hooks->orders);
        free(hooks);
}
