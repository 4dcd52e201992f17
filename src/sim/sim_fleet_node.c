/* Hosts of a fleet: processes that start and die, clocks, boots, pods. */
#include "sim/sim_fleet_priv.h"

#include "base/util.h"
#include "loop/runtime.h"
#include "server/local_transport.h"
#include <stdio.h>

#define TAINT_KEY "weave.works/kured-node-reboot"

/* ---- the clock ---- */

static struct wall_time sim_fleet_node_wall(void *self) {
        const struct fleet_node *node = self;

        return (struct wall_time){ loop_wall(node->fleet->loop).ns + node->skew_ns };
}

static struct mono_time sim_fleet_node_mono(void *self) {
        return loop_mono(((struct fleet_node *)self)->fleet->loop);
}

static void sim_fleet_node_arm(void *self, struct loop_timer *timer, int64_t delay_ns) {
        loop_timer_arm(((struct fleet_node *)self)->fleet->loop, timer, delay_ns);
}

static void sim_fleet_node_disarm(void *self, struct loop_timer *timer) {
        loop_timer_disarm(((struct fleet_node *)self)->fleet->loop, timer);
}

static void sim_fleet_node_defer(void *self, void (*call)(void *context), void *context) {
        loop_defer(((struct fleet_node *)self)->fleet->loop, call, context);
}

static void sim_fleet_node_stop(void *self) {
        (void)self;
}

static const struct loop_ops clock_ops = { .wall = sim_fleet_node_wall,
                                           .mono = sim_fleet_node_mono,
                                           .timer_arm = sim_fleet_node_arm,
                                           .timer_disarm = sim_fleet_node_disarm,
                                           .defer = sim_fleet_node_defer,
                                           .stop = sim_fleet_node_stop };

/* ---- processes ---- */

static bool sees_need(void *context) {
        struct fleet_process *process = context;

        process->saw_sentinel = process->saw_sentinel || process->node->is_required;
        return process->node->is_required;
}

static int take_order(struct fleet_node *node) {
        struct sim_fleet *fleet = node->fleet;

        if (fleet_draw(fleet, FLEET_REBOOT_FAILS))
                return BERTH_ERR_IO;
        if (node->is_kured || !fleet_draw(fleet, FLEET_HOST_STAYS)) /* kured waits without end */
                loop_timer_arm(fleet->loop, &node->down,
                               fleet_some_time(fleet, NS_PER_S, 20 * NS_PER_S));
        return BERTH_OK;
}

static int sim_fleet_node_order(void *context, struct err *err) {
        struct fleet_process *process = context;

        fleet_check_order(process);
        int code = take_order(process->node);
        return code < 0 ? err_set(err, code, "the host does not take the order") : code;
}

static void on_kill(void *context) {
        ((struct fleet_process *)context)->wants_kill = true;
}

static void on_restart(void *context) {
        struct fleet_process *process = context;

        fleet_node_start(process->node, (size_t)(process - process->node->processes));
}

static bool kured_sees_need(void *context) {
        return ((struct fleet_node *)context)->is_required;
}

static int kured_orders(void *context) {
        struct fleet_node *node = context;

        node->fleet->report.orders++;
        return take_order(node);
}

static void kured_exits(void *context) {
        struct fleet_node *node = context;

        fleet_node_kill(node, 0);
        fleet_node_restart(node, 0);
}

static void start_kured(struct fleet_node *node) {
        struct sim_fleet *fleet = node->fleet;

        node->kured = sim_kured_new(&(struct sim_kured_config){
                .loop = &node->clock,
                .transport = local_transport(fleet->local),
                .node = node->name,
                .lock_path = FLEET_LOCK_PATH "/kured",
                .lock_key = FLEET_LOCK_KEY,
                .taint_key = TAINT_KEY,
                .blocking_label = "app=batch",
                .concurrency = fleet->limit,
                .period_ns = node->config.period_ns,
                .seed = rng_u64(&fleet->rng),
                .context = node,
                .is_required = kured_sees_need,
                .reboot = kured_orders,
                .exits = kured_exits,
        });
}

static void start_berth(struct fleet_node *node, struct fleet_process *process) {
        struct err err = { 0 };

        process->saw_sentinel = false;
        process->started = loop_mono(&node->clock);
        process->runtime = runtime_new(
                &(struct runtime_config){ .loop = &node->clock,
                                          .transport = sim_faults_transport(process->faults),
                                          .instance = node->name,
                                          .seed = rng_u64(&node->fleet->rng),
                                          .has_no_model = true });
        node->role.host = &process->host;
        process->role = reboot_role_add(process->runtime, &node->role, &err);
        if (!process->role)
                fleet_violated(node->fleet, "%s: %s", node->name, err.text);
        runtime_start(process->runtime);
}

void fleet_node_start(struct fleet_node *node, size_t index) {
        struct fleet_process *process = &node->processes[index];

        if (!node->is_up || process->runtime || node->kured)
                return;
        node->fleet->report.starts++;
        if (node->is_kured)
                start_kured(node);
        else
                start_berth(node, process);
}

void fleet_node_kill(struct fleet_node *node, size_t index) {
        struct fleet_process *process = &node->processes[index];

        sim_kured_free(node->kured);
        node->kured = NULL;
        runtime_free(process->runtime);
        process->runtime = NULL;
        process->role = NULL;
        process->wants_kill = false;
}

void fleet_node_kill_all(struct fleet_node *node) {
        for (size_t i = 0; i < FLEET_PROCESSES; i++) {
                loop_timer_disarm(node->fleet->loop, &node->processes[i].restart);
                fleet_node_kill(node, i);
        }
}

void fleet_node_restart(struct fleet_node *node, size_t index) {
        struct sim_fleet *fleet = node->fleet;
        bool is_long = rng_below(&fleet->rng, 10) == 0;

        if (index > 0) /* the second one does not come back */
                return;
        loop_timer_arm(fleet->loop, &node->processes[index].restart,
                       fleet_some_time(fleet, NS_PER_S, (is_long ? 900 : 60) * NS_PER_S));
}

/* ---- boots ---- */

static void set_status(struct fleet_node *node, bool is_ready) {
        char path[64], body[256];

        snprintf(path, sizeof(path), "/api/v1/nodes/%s/status", node->name);
        snprintf(
                body, sizeof(body),
                "{\"status\":{\"nodeInfo\":{\"bootID\":\"%s\"},\"conditions\":[{\"type\":\"Ready\","
                "\"status\":\"%s\"}]}}",
                node->boot_id, is_ready ? "True" : "False");
        fleet_ask(node->fleet, "PATCH", path, body);
}

void fleet_node_report(struct fleet_node *node) {
        set_status(node, true);
}

void fleet_node_register(struct fleet_node *node) {
        char body[128];

        snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"%s\"}}", node->name);
        fleet_ask(node->fleet, "POST", "/api/v1/nodes", body);
        set_status(node, true);
        node->is_waiting_to_register = false;
}

static void go_down(void *context) {
        struct fleet_node *node = context;
        struct sim_fleet *fleet = node->fleet;

        if (!node->is_up || node->is_gone)
                return;
        node->is_up = false;
        fleet_node_kill_all(node);
        loop_timer_disarm(fleet->loop, &node->down);
        loop_timer_arm(fleet->loop, &node->up,
                       fleet_some_time(fleet, 20 * NS_PER_S, 240 * NS_PER_S));
}

static void come_up(void *context) {
        struct fleet_node *node = context;
        struct sim_fleet *fleet = node->fleet;

        if (node->is_gone)
                return;
        node->is_up = true;
        node->boot++;
        node->orders_since_ready = 0;
        snprintf(node->boot_id, sizeof(node->boot_id), "%s-boot-%u", node->name, node->boot);
        fleet->report.boots++;
        if (!fleet_draw(fleet, FLEET_NEED_STAYS))
                node->is_required = false;
        if (node->exists)
                set_status(node, rng_below(&fleet->rng, 2));
        loop_timer_arm(fleet->loop, &node->processes[0].restart,
                       fleet_some_time(fleet, NS_PER_S, 60 * NS_PER_S));
}

void fleet_node_crash(struct fleet_node *node) {
        go_down(node);
}

/* ---- work ---- */

void fleet_node_fill(struct fleet_node *node) {
        struct sim_fleet *fleet = node->fleet;
        unsigned count = (unsigned)rng_below(&fleet->rng, 3);

        for (unsigned i = 0; i < count; i++) {
                const char *app = rng_below(&fleet->rng, 4) ? "web" : "batch";
                char body[400], path[80];

                snprintf(body, sizeof(body),
                         "{\"metadata\":{\"name\":\"%s-%s-%u\",\"labels\":{\"app\":\"%s\"}},"
                         "\"spec\":{\"nodeName\":\"%s\",\"containers\":[{\"name\":\"c\",\"image\":"
                         "\"x\"}]}}",
                         app, node->name, ++fleet->pod_serial, app, node->name);
                fleet_ask(fleet, "POST", FLEET_PODS, body);
                snprintf(path, sizeof(path), FLEET_PODS "/%s-%s-%u/status", app, node->name,
                         fleet->pod_serial);
                fleet_ask(fleet, "PATCH", path,
                          "{\"status\":{\"phase\":\"Running\",\"conditions\":[{\"type\":\"Ready\","
                          "\"status\":\"True\"}]}}");
        }
}

void fleet_node_needs_reboot(struct fleet_node *node) {
        if (node->is_required)
                return;
        node->is_required = true;
        if (node->cordon == CORDON_NONE && node->exists)
                fleet_node_fill(node);
}

/* ---- life ---- */

static void sim_fleet_node_configure(struct fleet_node *node) {
        static const char *const selectors[] = { "app=batch" };
        struct sim_fleet *fleet = node->fleet;
        struct rng *rng = &fleet->rng;

        node->config = (struct reboot_config){
                .node = slice_of(node->name),
                .period_ns = fleet_some_time(fleet, 60 * NS_PER_S, 300 * NS_PER_S),
                .reboot_timeout_ns = fleet_some_time(fleet, 300 * NS_PER_S, 900 * NS_PER_S),
                .drain_delay_ns = rng_below(rng, 2) ? fleet_some_time(fleet, 0, 20 * NS_PER_S) : 0,
                .reboot_delay_ns = rng_below(rng, 2) ? fleet_some_time(fleet, 0, 90 * NS_PER_S) : 0,
                .drain_timeout_ns = rng_below(rng, 2) ? 600 * NS_PER_S : 0,
                .lock_release_delay_ns = rng_below(rng, 4) ? 0 : 60 * NS_PER_S,
                .settle_ns = rng_below(rng, 2) ? 0 : 30 * NS_PER_S,
                .forces = rng_below(rng, 8) == 0,
                .annotates = rng_below(rng, 2),
                .lock_ttl_ns = fleet->lock_ttl_ns,
                .drain_grace_s = -1,
                .lock_kind = SLICE_LITERAL("DaemonSet"),
                .lock_ns = SLICE_LITERAL("kube-system"),
                .lock_name = SLICE_LITERAL("kured"),
                .lock_annotation = SLICE_LITERAL(FLEET_LOCK_KEY),
                .concurrency = fleet->limit,
                .taint_key = SLICE_LITERAL(TAINT_KEY),
                .window = { .days = 127, .end_s = 86399 },
        };
        node->role = (struct reboot_role_config){ .agent = &node->config,
                                                  .boot_id = node->boot_id,
                                                  .blocking_selectors = selectors,
                                                  .blocking_selector_count = 1 };
}

void fleet_node_init(struct sim_fleet *fleet, size_t index) {
        struct fleet_node *node = &fleet->nodes[index];

        *node = (struct fleet_node){ .fleet = fleet,
                                     .is_up = true,
                                     .last_held.ns = INT64_MIN / 2,
                                     .clock = { &clock_ops, node },
                                     .down = { .fired = go_down, .context = node },
                                     .up = { .fired = come_up, .context = node } };
        snprintf(node->name, sizeof(node->name), "n%zu", index + 1);
        snprintf(node->boot_id, sizeof(node->boot_id), "n%zu-boot-0", index + 1);
        node->is_kured = fleet->is_mixed && index % 2 == 1;
        sim_fleet_node_configure(node);
        for (size_t i = 0; i < FLEET_PROCESSES; i++) {
                struct fleet_process *process = &node->processes[i];

                process->node = node;
                process->host = (struct reboot_host){ process, sees_need, sim_fleet_node_order };
                process->restart = (struct loop_timer){ .fired = on_restart, .context = process };
                process->faults = sim_faults_new(
                        local_transport(fleet->local), fleet->loop, rng_u64(&fleet->rng),
                        node->is_kured ? 0 : fleet->config.fault_percent, on_kill, process);
        }
        fleet_node_register(node);
        loop_timer_arm(fleet->loop, &node->processes[0].restart,
                       fleet_some_time(fleet, 0, 60 * NS_PER_S));
}

void fleet_node_release(struct fleet_node *node) {
        fleet_node_kill_all(node);
        loop_timer_disarm(node->fleet->loop, &node->down);
        loop_timer_disarm(node->fleet->loop, &node->up);
        for (size_t i = 0; i < FLEET_PROCESSES; i++)
                sim_faults_free(node->processes[i].faults);
}
