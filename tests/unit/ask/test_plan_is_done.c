/* What eviction_plan says of a cluster is what a descheduler with the eviction service then asks
 * the API for, to the pod and in that order: every strategy, with limits and budgets, moves weighed
 * by the scheduler or not. */
#include "ask/eviction_plan.h"

#include "../desched/random_cluster.h"
#include "ask/snapshot_input.h"
#include "base/util.h"
#include "config/descheduler_policy.h"
#include "desched/descheduler.h"
#include "evict/evict_service.h"
#include "model/action.h"
#include "plugins/desched/registry.h"
#include "roles/placement_simulator.h"
#include "roles/role_config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define SEEDS 24

static const struct {
        const char *head, *evictor;
} policies[] = {
        { "", "" },
        { "maxNoOfPodsToEvictPerNode: 2\n", "" },
        { "maxNoOfPodsToEvictPerNamespace: 3\n", "nodeFit: true" },
        { "maxNoOfPodsToEvictTotal: 7\n", "minReplicas: 2" },
        { "moveOnlyIfBetter: false\n", "" },
        { "minScoreGain: 5\n", "nodeFit: true" },
};

static const struct wall_time now = { 1768435200LL * NS_PER_S }; /* 2026-01-15 */

struct scene {
        struct snapshot snapshot;
        struct role_config config;
};

static void open_scene(struct scene *scene, unsigned seed) {
        struct config_problems *problems = config_problems_new();
        struct err err = { 0 };
        struct buf text = { 0 };
        struct rng rng;
        *scene = (struct scene){ 0 };
        rng_init(&rng, seed);
        snapshot_init(&scene->snapshot);
        random_cluster_fill(scene->snapshot.cluster, &rng);
        if (role_config_load(&(struct role_config_sources){ 0 }, &scene->config, &err) < 0 ||
            role_config_build(&scene->config, scene->snapshot.cluster, NULL, &err) < 0)
                fail_msg("%s", err.text);
        size_t at = seed % ARRAY_LEN(policies);
        random_policy(&text, policies[at].head, policies[at].evictor);
        scene->config.policy =
                descheduler_policy_read(buf_view(&text), "policy.yaml", false, problems);
        assert_non_null(scene->config.policy);
        config_problems_free(problems);
        buf_release(&text);
}

static void close_scene(struct scene *scene) {
        role_config_release(&scene->config);
        snapshot_release(&scene->snapshot);
}

static void write_line(struct buf *text, struct slice ns, struct slice name, struct slice plugin,
                       struct slice reason) {
        buf_printf(text, SLICE_FMT "/" SLICE_FMT " " SLICE_FMT ": " SLICE_FMT "\n", SLICE_ARG(ns),
                   SLICE_ARG(name), SLICE_ARG(plugin), SLICE_ARG(reason));
}

static struct buf plan_lines(struct scene *scene) {
        struct eviction_plan plan = { 0 };
        struct err err = { 0 };
        struct buf text = { 0 };
        if (eviction_plan_make(&plan, &scene->snapshot,
                               &(struct plan_request){ .config = &scene->config, .now = now },
                               &err) < 0)
                fail_msg("%s", err.text);
        for (size_t i = 0; i < plan.eviction_count; i++) {
                const struct planned_eviction *planned = &plan.evictions[i];
                if (planned->outcome == EVICT_DONE)
                        write_line(&text, planned->ns, planned->name, planned->plugin,
                                   planned->reason);
        }
        eviction_plan_release(&plan);
        return text;
}

/* Every action is answered with success. */
static void carry_out(struct evict_service *service, struct buf *text) {
        struct action_list actions;
        size_t count;
        action_list_init(&actions);
        do {
                evict_service_step(service, (struct mono_time){ 1 }, &actions);
                count = actions.count;
                for (size_t i = 0; i < count; i++) {
                        const struct action *action = &actions.items[i];
                        if (action->kind != ACTION_EVICT)
                                continue;
                        write_line(text, action->target.ns, action->target.name,
                                   action->evict.plugin, action->evict.reason);
                        evict_service_result(service,
                                             &(struct action_result){ .id = action->id,
                                                                      .kind = ACTION_EVICT,
                                                                      .code = BERTH_OK },
                                             (struct mono_time){ 1 }, now);
                }
                action_list_clear(&actions);
        } while (count > 0);
        action_list_release(&actions);
}

static struct buf pass_lines(struct scene *scene) {
        struct cluster *cluster = scene->snapshot.cluster;
        struct placement_simulator *simulator = placement_simulator_new(
                cluster, &scene->config.profiles, scene->snapshot.object_cache);
        struct placement_predictor oracle = placement_simulator_oracle(simulator);
        struct evict_service *service =
                evict_service_new(&(struct evict_config){ .cluster = cluster });
        struct config_problems *problems = config_problems_new();
        struct descheduler *descheduler = NULL;
        struct err err = { 0 };
        struct buf text = { 0 };
        const struct descheduler_config config = {
                .cluster = cluster,
                .policy = scene->config.policy,
                .registry = desched_registry,
                .sink = evict_requester_sink(evict_service_join(
                        service, &(struct evict_requester_config){ .is_parity = false })),
                .predictor = &oracle
        };
        if (descheduler_new(&config, problems, &descheduler, &err) < 0)
                fail_msg("%s", err.text);
        descheduler_pass(descheduler, now);
        carry_out(service, &text);
        descheduler_free(descheduler);
        config_problems_free(problems);
        evict_service_free(service);
        placement_simulator_free(simulator);
        return text;
}

static void test_plan_is_done(void **state) {
        (void)state;
        size_t length = 0;
        for (unsigned seed = 1; seed <= SEEDS; seed++) {
                struct scene scene;
                open_scene(&scene, seed);
                struct buf planned = plan_lines(&scene), done = pass_lines(&scene);
                if (!slice_eq(buf_view(&planned), buf_view(&done)))
                        fail_msg("seed %u:\n-- planned\n%s-- done\n%s", seed,
                                 planned.len ? planned.data : "", done.len ? done.data : "");
                length += done.len;
                buf_release(&planned);
                buf_release(&done);
                close_scene(&scene);
        }
        assert_true(length > SEEDS * 200); /* there was something to do */
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_plan_is_done) };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
