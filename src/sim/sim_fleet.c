/* Puts a fleet together and runs a seed. */
#include "sim/sim_fleet_priv.h"

#include "base/util.h"
#include "config/document.h"
#include "server/api_server.h"
#include "server/local_transport.h"
#include "store/store.h"
#include <stdlib.h>

#define FAULTS_DEFAULT_NS (3600 * NS_PER_S)
#define CALM_MAX_NS (16 * 3600 * NS_PER_S)
#define STEPS_MAX 500000 /* within one stretch of time: something spins */
#define LARGE_EVERY 50   /* one seed of so many has fifty nodes */

static const struct trouble_row {
        const char *name;
        unsigned weight; /* parts of a million at 100 percent, when the swarm has it */
} rows[FLEET_TROUBLE_COUNT] = {
        [FLEET_KILL] = { "kill", 60000 },
        [FLEET_OUTAGE] = { "outage", 10000 },
        [FLEET_CONFLICTS] = { "conflicts", 500000 },
        [FLEET_HOST_CRASH] = { "host-crash", 20000 },
        [FLEET_REBOOT_FAILS] = { "reboot-fails", 300000 },
        [FLEET_HOST_STAYS] = { "host-stays", 200000 },
        [FLEET_NEED_STAYS] = { "need-stays", 200000 },
        [FLEET_NEED_ENDS] = { "need-ends", 15000 },
        [FLEET_NODE_DELETED] = { "node-deleted", 5000 },
        [FLEET_NODE_REPLACED] = { "node-replaced", 10000 },
        [FLEET_LOCK_DELETED] = { "lock-deleted", 8000 },
        [FLEET_LOCK_CLEARED] = { "lock-cleared", 10000 },
        [FLEET_CLOCK_STEP] = { "clock-step", 20000 },
        [FLEET_SECOND_AGENT] = { "second-agent", 20000 },
        [FLEET_CORDON] = { "cordon", 10000 },
        [FLEET_UNCORDON] = { "uncordon", 20000 },
};

const char *fleet_trouble_name(enum fleet_trouble trouble) {
        return rows[trouble].name;
}

/* ---- the plan of a seed ---- */

static void draw_weights(struct sim_fleet *fleet) {
        static const enum fleet_trouble not_mixed[] = { FLEET_NODE_DELETED, FLEET_NODE_REPLACED,
                                                        FLEET_LOCK_DELETED, FLEET_LOCK_CLEARED,
                                                        FLEET_CLOCK_STEP };

        for (size_t i = 0; i < FLEET_TROUBLE_COUNT; i++) {
                uint64_t share = rng_below(&fleet->rng, 2) ? rng_below(&fleet->rng, 101) : 0;

                fleet->weights[i] =
                        (unsigned)(rows[i].weight * share * fleet->config.fault_percent / 10000);
        }
        /* kured survives none of these, and would keep the others waiting without end. */
        for (size_t i = 0; fleet->is_mixed && i < ARRAY_LEN(not_mixed); i++)
                fleet->weights[not_mixed[i]] = 0;
}

static void draw_plan(struct sim_fleet *fleet) {
        bool is_large = fleet->config.seed % LARGE_EVERY == 0;

        fleet->node_count = is_large ? FLEET_NODES_MAX : 2 + rng_below(&fleet->rng, 5);
        if (fleet->config.node_count > 0)
                fleet->node_count = fleet->config.node_count;
        fleet->limit = is_large ? 3 : 1 + (uint32_t)rng_below(&fleet->rng, 3);
        fleet->is_mixed = rng_below(&fleet->rng, 4) == 0;
        fleet->has_budget = rng_below(&fleet->rng, 4) == 0;
        fleet->lock_ttl_ns =
                !fleet->is_mixed && rng_below(&fleet->rng, 3) == 0 ? 1800 * NS_PER_S : 0;
        draw_weights(fleet);
}

static void create_budget(struct sim_fleet *fleet) {
        fleet_ask(fleet, "POST", "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
                  "{\"metadata\":{\"name\":\"web\"},\"spec\":{\"minAvailable\":1,\"selector\":{"
                  "\"matchLabels\":{\"app\":\"web\"}}}}");
}

static struct sim_fleet *fleet_new(const struct sim_fleet_config *config) {
        struct sim_fleet *fleet = xcalloc(1, sizeof(*fleet));

        fleet->config = *config;
        rng_init(&fleet->rng, config->seed ^ 0xf1ee7);
        fleet->time = virtual_loop_new();
        fleet->loop = virtual_loop_get(fleet->time);
        fleet->server =
                api_server_new(&(struct api_server_config){ .seed = config->seed,
                                                            .read_yaml = document_read_tree },
                               fleet->loop);
        fleet->local = local_transport_new(fleet->server, fleet->loop, &api_user_admin, "kured");
        draw_plan(fleet);
        fleet_create_lock(fleet);
        if (fleet->has_budget)
                create_budget(fleet);
        fleet_check_start(fleet);
        for (size_t i = 0; i < fleet->node_count; i++)
                fleet_node_init(fleet, i);
        return fleet;
}

static void fleet_free(struct sim_fleet *fleet) {
        for (size_t i = 0; i < fleet->node_count; i++)
                fleet_node_release(&fleet->nodes[i]);
        store_unsubscribe(api_server_store(fleet->server), fleet->subscription);
        local_transport_free(fleet->local);
        api_server_free(fleet->server);
        virtual_loop_free(fleet->time);
        free(fleet);
}

/* ---- time ---- */

static void kill_marked(struct sim_fleet *fleet) {
        for (size_t i = 0; i < fleet->node_count; i++)
                for (size_t k = 0; k < FLEET_PROCESSES; k++)
                        if (fleet->nodes[i].processes[k].wants_kill) {
                                fleet_node_kill(&fleet->nodes[i], k);
                                fleet_node_restart(&fleet->nodes[i], k);
                        }
}

static void sim_fleet_advance(struct sim_fleet *fleet, int64_t ns) {
        struct mono_time end = { loop_mono(fleet->loop).ns + ns };
        uint64_t steps = 0;

        while (!fleet->report.violation[0] && virtual_loop_step(fleet->time, end)) {
                kill_marked(fleet);
                if (++steps > STEPS_MAX)
                        fleet_violated(fleet, "time stands still");
        }
}

static void run_faults(struct sim_fleet *fleet) {
        int64_t left = fleet->config.faults_ns ? fleet->config.faults_ns : FAULTS_DEFAULT_NS;

        for (; left > 0 && !fleet->report.violation[0]; left -= FLEET_TICK_NS) {
                sim_fleet_advance(fleet, FLEET_TICK_NS);
                fleet_disturb(fleet);
                fleet_serve(fleet);
        }
}

static void run_calm(struct sim_fleet *fleet) {
        char text[400] = "";

        fleet_calm(fleet);
        for (int64_t left = CALM_MAX_NS; left > 0 && !fleet->report.violation[0];
             left -= FLEET_TICK_NS) {
                sim_fleet_advance(fleet, FLEET_TICK_NS);
                fleet_serve(fleet);
                if (fleet_check_settled(fleet, text, sizeof(text)))
                        return;
        }
        fleet_violated(fleet, "not at rest: %s", text);
}

static void sum_up(struct sim_fleet *fleet) {
        struct sim_fleet_report *report = &fleet->report;

        report->seed = fleet->config.seed;
        report->nodes = fleet->node_count;
        report->virtual_ns = loop_mono(fleet->loop).ns;
        for (size_t i = 0; i < fleet->node_count; i++) {
                report->kured_nodes += fleet->nodes[i].is_kured;
                for (size_t k = 0; k < FLEET_PROCESSES; k++) {
                        const struct sim_faults *faults = fleet->nodes[i].processes[k].faults;

                        report->calls += sim_faults_calls(faults);
                        for (size_t f = 0; f < SIM_FAULT_COUNT; f++)
                                report->faults[f] += sim_faults_count(faults, (enum sim_fault)f);
                }
        }
}

void sim_fleet_report_add(struct sim_fleet_report *sum, const struct sim_fleet_report *report) {
        sum->calls += report->calls;
        sum->changes += report->changes;
        sum->starts += report->starts;
        sum->nodes += report->nodes;
        sum->kured_nodes += report->kured_nodes;
        sum->cordons += report->cordons;
        sum->orders += report->orders;
        sum->boots += report->boots;
        sum->rollbacks += report->rollbacks;
        sum->steals += report->steals;
        sum->lost_locks += report->lost_locks;
        sum->virtual_ns += report->virtual_ns;
        for (size_t i = 0; i < SIM_FAULT_COUNT; i++)
                sum->faults[i] += report->faults[i];
        for (size_t i = 0; i < FLEET_TROUBLE_COUNT; i++)
                sum->troubles[i] += report->troubles[i];
}

int sim_fleet_run(const struct sim_fleet_config *config, struct sim_fleet_report *ret_report,
                  struct err *err) {
        struct sim_fleet *fleet = fleet_new(config);
        int code = 0;

        run_faults(fleet);
        run_calm(fleet);
        sum_up(fleet);
        *ret_report = fleet->report;
        if (ret_report->violation[0])
                code = err_set(err, BERTH_ERR_INTERNAL,
                               "seed %llu at %lld s: %s (replay: berth simulate reboot --faults "
                               "%u --seed %llu)",
                               (unsigned long long)config->seed,
                               (long long)(ret_report->virtual_ns / NS_PER_S),
                               ret_report->violation, config->fault_percent,
                               (unsigned long long)config->seed);
        fleet_free(fleet);
        return code;
}
