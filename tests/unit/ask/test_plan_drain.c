/* Nodes that are taken away in a plan: who goes, who stays and why, and what a policy still finds.
 */
#include "ask/eviction_plan.h"

#include "ask/snapshot_input.h"
#include "base/util.h"
#include "roles/role_config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#define NODE(name, rest)                                                                           \
        "---\napiVersion: v1\nkind: Node\nmetadata: {name: " name "}\n" rest                       \
        "status: {capacity: {cpu: \"4\", memory: 8Gi, pods: \"10\"}}\n"
#define POD(name, node, more)                                                                      \
        "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " name ", " more "}\n"                   \
        "spec: {nodeName: " node                                                                   \
        ", containers: [{name: c, image: i, resources: {requests: {cpu: \"1\"}}}]}\n"              \
        "status: {phase: Running}\n"
#define OWNER(kind)                                                                                \
        "ownerReferences: [{apiVersion: apps/v1, kind: " kind                                      \
        ", name: r, uid: u, controller: true}]"
#define BUDGET(name, allowed)                                                                      \
        "---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: " name "}\n"      \
        "spec: {selector: {matchLabels: {app: web}}}\n"                                            \
        "status: {disruptionsAllowed: " #allowed ", currentHealthy: 3, desiredHealthy: 2, "        \
        "expectedPods: 3}\n"
#define TAINTED "spec: {taints: [{key: a, value: b, effect: NoSchedule}]}\n"
#define POLICY                                                                                     \
        "---\napiVersion: descheduler/v1alpha2\nkind: DeschedulerPolicy\nprofiles:\n"              \
        "- name: p\n  pluginConfig: [{name: RemovePodsViolatingNodeTaints}]\n"                     \
        "  plugins: {deschedule: {enabled: [RemovePodsViolatingNodeTaints]}}\n"

static const char objects[] = NODE("n1", "") NODE("n2", TAINTED) NODE("n3", "") BUDGET("guard", 1)
        POD("agent", "n1", OWNER("DaemonSet")) POD("alone", "n1", "")
                POD("static", "n1", "annotations: {kubernetes.io/config.mirror: x}")
                        POD("web-1", "n1", "labels: {app: web}, " OWNER("ReplicaSet"))
                                POD("web-2", "n1", "labels: {app: web}, " OWNER("ReplicaSet")) POD(
                                        "web-3", "n2", "labels: {app: web}, " OWNER("ReplicaSet"))
                                        POD("x", "n2", OWNER("ReplicaSet"));

struct scene {
        struct snapshot snapshot;
        struct role_config config;
        struct eviction_plan plan;
        uint64_t digest;
};

static void open_scene(struct scene *scene, const char *policy) {
        char path[] = "/tmp/plan-drain-XXXXXX";
        const char *paths[] = { path };
        struct err err = { 0 };
        FILE *file = fdopen(mkstemp(path), "w");

        *scene = (struct scene){ 0 };
        assert_non_null(file);
        fprintf(file, "%s%s", objects, policy);
        fclose(file);
        snapshot_init(&scene->snapshot);
        if (snapshot_read_paths(&scene->snapshot, paths, 1, &err) < 0 ||
            snapshot_complete(&scene->snapshot, &err) < 0 ||
            role_config_load(&(struct role_config_sources){ .policy = scene->snapshot.policy },
                             &scene->config, &err) < 0 ||
            role_config_build(&scene->config, scene->snapshot.cluster, scene->snapshot.object_cache,
                              &err) < 0)
                fail_msg("%s", err.text);
        unlink(path);
        scene->digest = cluster_digest(scene->snapshot.cluster);
}

static int plan(struct scene *scene, const char *node, struct err *err) {
        const struct slice drained = slice_of(node);
        const struct plan_request request = { .config = &scene->config,
                                              .drained = &drained,
                                              .drained_count = 1 };

        if (eviction_plan_make(&scene->plan, &scene->snapshot, &request, err) < 0)
                return err->code;
        eviction_plan_place(&scene->plan, &scene->snapshot);
        return 0;
}

static void close_scene(struct scene *scene) {
        eviction_plan_release(&scene->plan);
        assert_true(cluster_digest(scene->snapshot.cluster) == scene->digest);
        assert_int_equal(cluster_check(scene->snapshot.cluster, NULL), 0);
        role_config_release(&scene->config);
        snapshot_release(&scene->snapshot);
}

/* "name: landing", "name: gone" or "name: kept by ...", comma-separated. */
static void describe(const struct eviction_plan *plan, struct buf *out) {
        for (size_t i = 0; i < plan->eviction_count; i++) {
                const struct planned_eviction *eviction = &plan->evictions[i];

                buf_printf(out, "%s" SLICE_FMT ": ", i ? ", " : "", SLICE_ARG(eviction->name));
                if (eviction->outcome != EVICT_DONE)
                        buf_printf(out, SLICE_FMT "%s" SLICE_FMT,
                                   SLICE_ARG(planned_eviction_outcome_text(eviction)),
                                   eviction->budget.len ? " " : "", SLICE_ARG(eviction->budget));
                else if (!eviction->has_landing)
                        buf_text(out, "gone");
                else if (node_id_is_none(eviction->landing))
                        buf_text(out, "pending");
                else
                        buf_slice(out, cluster_node_name(plan->cluster, eviction->landing));
        }
}

static void test_who_goes(void **state) {
        static const struct {
                const char *policy, *told;
        } cases[] = {
                { "", "agent: DaemonSet r, alone: gone, static: static pod, web-1: n3, web-2: "
                      "disruption budget guard" },
                /* What the drain took of the budget, the policy cannot take again. */
                { POLICY, "agent: DaemonSet r, alone: gone, static: static pod, web-1: n3, web-2: "
                          "disruption budget guard, web-3: disruption budget guard, x: n3" },
                { BUDGET("other", 9),
                  "agent: DaemonSet r, alone: gone, static: static pod, web-1: disruption budget "
                  "guard, other, web-2: disruption budget guard, other" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                CLEANUP(buf_release) struct buf told = { 0 };
                struct scene scene;
                struct err err = { 0 };

                open_scene(&scene, cases[i].policy);
                assert_int_equal(plan(&scene, "n1", &err), 0);
                describe(&scene.plan, &told);
                assert_string_equal(told.data, cases[i].told);
                close_scene(&scene);
        }
}

static void test_loads_afterwards(void **state) {
        struct scene scene;
        struct err err = { 0 };
        int64_t cpu[3] = { 0 };

        (void)state;
        open_scene(&scene, "");
        assert_int_equal(plan(&scene, "n1", &err), 0);
        for (size_t i = 0; i < scene.plan.load_count; i++)
                cpu[scene.plan.loads[i].node.index] = scene.plan.loads[i].requested[RESOURCE_CPU];
        assert_int_equal(scene.plan.load_count, 2);
        assert_int_equal(cpu[0], 3000); /* agent, static, web-2 */
        assert_int_equal(cpu[2], 1000);
        assert_int_equal(scene.plan.before.pending, 0);
        close_scene(&scene);
}

static void test_no_such_node(void **state) {
        struct scene scene;
        struct err err = { 0 };

        (void)state;
        open_scene(&scene, POLICY);
        assert_true(plan(&scene, "n9", &err) < 0);
        assert_string_equal(err.text, "there is no node \"n9\"");
        close_scene(&scene);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_who_goes),
                cmocka_unit_test(test_loads_afterwards),
                cmocka_unit_test(test_no_such_node),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
