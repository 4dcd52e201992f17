/* What befalls a fleet from tick to tick, and what kubelets and controllers do meanwhile. */
#include "sim/sim_fleet_priv.h"

#include "base/util.h"
#include <stdio.h>

#define OUTAGE_MAX_NS (25 * 60 * NS_PER_S)
#define STORM_MAX_NS (5 * 60 * NS_PER_S)
#define SKEW_MAX_NS (2 * 3600 * NS_PER_S)
#define AWAY_MAX_NS (15 * 60 * NS_PER_S) /* lock's object, nodes that come back */

static struct fleet_node *any_node(struct sim_fleet *fleet) {
        return &fleet->nodes[rng_below(&fleet->rng, fleet->node_count)];
}

/* Some node of berth's that is up and registered; NULL when the draw hit none. */
static struct fleet_node *any_own(struct sim_fleet *fleet) {
        struct fleet_node *node = any_node(fleet);

        return !node->is_kured && node->is_up && node->exists ? node : NULL;
}

static void patch_node(struct fleet_node *node, const char *body) {
        char path[64];

        snprintf(path, sizeof(path), "/api/v1/nodes/%s", node->name);
        fleet_ask(node->fleet, "PATCH", path, body);
}

static void delete_node(struct fleet_node *node) {
        char path[64];

        snprintf(path, sizeof(path), "/api/v1/nodes/%s", node->name);
        fleet_ask(node->fleet, "DELETE", path, "");
}

/* ---- troubles ---- */

static void disturb_calls(struct sim_fleet *fleet) {
        int64_t out_ns = 0, storm_ns = 0;

        if (loop_mono(fleet->loop).ns < fleet->outage_end.ns)
                return;
        if (fleet_draw(fleet, FLEET_OUTAGE))
                out_ns = fleet_some_time(fleet, NS_PER_S, OUTAGE_MAX_NS);
        else if (fleet_draw(fleet, FLEET_CONFLICTS))
                storm_ns = fleet_some_time(fleet, NS_PER_S, STORM_MAX_NS);
        fleet->outage_end.ns = loop_mono(fleet->loop).ns + out_ns + 2 * storm_ns;
        for (size_t i = 0; i < fleet->node_count; i++)
                for (size_t k = 0; k < FLEET_PROCESSES; k++) {
                        struct fleet_process *process = &fleet->nodes[i].processes[k];

                        if (fleet->nodes[i].is_kured)
                                continue;
                        if (out_ns > 0)
                                sim_faults_begin_outage(process->faults, out_ns);
                        if (storm_ns > 0)
                                sim_faults_begin_conflicts(process->faults, storm_ns);
                }
}

static void disturb_processes(struct sim_fleet *fleet) {
        struct fleet_node *node = any_node(fleet);

        if (node->is_up && fleet_draw(fleet, FLEET_KILL)) {
                fleet_node_kill(node, 0);
                fleet_node_restart(node, 0);
        }
        node = any_own(fleet);
        if (node && fleet_draw(fleet, FLEET_SECOND_AGENT))
                fleet_node_start(node, 1);
        node = any_own(fleet);
        if (node && fleet_draw(fleet, FLEET_HOST_CRASH))
                fleet_node_crash(node);
        node = any_node(fleet);
        if (fleet_draw(fleet, FLEET_CLOCK_STEP))
                node->skew_ns = fleet_some_time(fleet, -SKEW_MAX_NS, SKEW_MAX_NS);
        node = any_own(fleet);
        if (node && node->is_required && fleet_draw(fleet, FLEET_NEED_ENDS))
                node->is_required = false;
}

static void disturb_nodes(struct sim_fleet *fleet) {
        struct fleet_node *node = any_own(fleet);

        if (node && fleet_draw(fleet, FLEET_NODE_REPLACED)) {
                delete_node(node);
                node->is_waiting_to_register = true;
                node->registers.ns =
                        loop_mono(fleet->loop).ns + fleet_some_time(fleet, 0, AWAY_MAX_NS);
        }
        node = any_own(fleet);
        if (node && fleet->node_count > 2 && fleet_draw(fleet, FLEET_NODE_DELETED)) {
                fleet_node_kill_all(node);
                delete_node(node);
                node->is_gone = true;
                node->is_up = false;
        }
        node = any_own(fleet);
        /* One that holds the lock without a record counts as cordoned by kured. */
        if (node && node->cordon == CORDON_NONE && node->phase == REBOOT_IDLE &&
            !node->holds_lock && fleet_draw(fleet, FLEET_CORDON))
                patch_node(node, "{\"spec\":{\"unschedulable\":true}}");
        node = any_own(fleet);
        if (node && node->cordon == CORDON_AGENT && fleet_draw(fleet, FLEET_UNCORDON))
                patch_node(node, "{\"spec\":{\"unschedulable\":null}}");
}

static void disturb_lock(struct sim_fleet *fleet) {
        if (!fleet->lock_is_there)
                return;
        if (fleet_draw(fleet, FLEET_LOCK_DELETED)) {
                fleet_ask(fleet, "DELETE", FLEET_LOCK_PATH "/kured", "");
                fleet->lock_returns.ns =
                        loop_mono(fleet->loop).ns + fleet_some_time(fleet, 0, AWAY_MAX_NS);
        } else if (fleet_draw(fleet, FLEET_LOCK_CLEARED)) {
                fleet_ask(fleet, "PATCH", FLEET_LOCK_PATH "/kured",
                          "{\"metadata\":{\"annotations\":{\"" FLEET_LOCK_KEY "\":null}}}");
        }
}

/* Other writers of the objects that agents write. */
static void sim_fleet_trouble_touch(struct sim_fleet *fleet) {
        char body[80];

        snprintf(body, sizeof(body), "{\"metadata\":{\"labels\":{\"touched\":\"t%llu\"}}}",
                 (unsigned long long)rng_below(&fleet->rng, 1000000));
        if (fleet->weights[FLEET_CONFLICTS] == 0 || rng_below(&fleet->rng, 4) > 0)
                return;
        if (fleet->lock_is_there)
                fleet_ask(fleet, "PATCH", FLEET_LOCK_PATH "/kured", body);
        patch_node(any_node(fleet), body);
}

void fleet_disturb(struct sim_fleet *fleet) {
        bool is_first = loop_mono(fleet->loop).ns <= FLEET_TICK_NS;

        for (size_t i = 0; is_first && i < fleet->node_count; i++)
                if (rng_below(&fleet->rng, 4) > 0)
                        fleet_node_needs_reboot(&fleet->nodes[i]);
        if (rng_below(&fleet->rng, 60) == 0)
                fleet_node_needs_reboot(any_node(fleet));
        disturb_calls(fleet);
        disturb_processes(fleet);
        disturb_nodes(fleet);
        disturb_lock(fleet);
        sim_fleet_trouble_touch(fleet);
}

/* ---- kubelets and controllers ---- */

static void let_pods_go(struct sim_fleet *fleet) {
        for (size_t i = 0; i < fleet->dying_count;) {
                char path[120];

                if (fleet->dying[i].due.ns > loop_mono(fleet->loop).ns) {
                        i++;
                        continue;
                }
                snprintf(path, sizeof(path), FLEET_PODS "/%s?gracePeriodSeconds=0",
                         fleet->dying[i].name);
                fleet->dying[i] = fleet->dying[--fleet->dying_count];
                fleet_ask(fleet, "DELETE", path, "");
        }
}

static void end_batch(struct sim_fleet *fleet) {
        char path[160];

        snprintf(path, sizeof(path), FLEET_PODS "?labelSelector=app%%3Dbatch%s%s",
                 fleet->is_calm ? "" : "&fieldSelector=spec.nodeName%3D",
                 fleet->is_calm ? "" : any_node(fleet)->name);
        fleet_ask(fleet, "DELETE", path, "");
}

static void judge_budget(struct sim_fleet *fleet) {
        char body[200];

        snprintf(body, sizeof(body),
                 "{\"status\":{\"observedGeneration\":1,\"disruptionsAllowed\":%llu,"
                 "\"currentHealthy\":200,\"desiredHealthy\":100,\"expectedPods\":200,"
                 "\"disruptedPods\":null}}",
                 fleet->is_calm ? 100ULL : (unsigned long long)rng_below(&fleet->rng, 2));
        fleet_ask(fleet, "PATCH",
                  "/apis/policy/v1/namespaces/default/poddisruptionbudgets/web/status", body);
}

void fleet_serve(struct sim_fleet *fleet) {
        struct mono_time now = loop_mono(fleet->loop);

        let_pods_go(fleet);
        if (rng_below(&fleet->rng, 40) == 0)
                end_batch(fleet);
        if (fleet->has_budget && rng_below(&fleet->rng, 6) == 0)
                judge_budget(fleet);
        if (!fleet->lock_is_there && (fleet->is_calm || now.ns >= fleet->lock_returns.ns))
                fleet_create_lock(fleet);
        for (size_t i = 0; i < fleet->node_count; i++) {
                struct fleet_node *node = &fleet->nodes[i];

                if (node->is_waiting_to_register && node->is_up &&
                    (fleet->is_calm || now.ns >= node->registers.ns))
                        fleet_node_register(node);
                else if (node->is_up && node->exists && !node->is_ready)
                        fleet_node_report(node);
        }
}

void fleet_calm(struct sim_fleet *fleet) {
        fleet->is_calm = true;
        fleet->calm_since = loop_mono(fleet->loop);
        end_batch(fleet);
        for (size_t i = 0; i < fleet->node_count; i++) {
                fleet->nodes[i].skew_ns = 0;
                for (size_t k = 0; k < FLEET_PROCESSES; k++)
                        sim_faults_stop(fleet->nodes[i].processes[k].faults);
        }
}
