/* Snapshots of files, what is explained about pods of them, and what a policy would do. */
#include "ask/explanation.h"

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

#define NODE(name, cpu, rest)                                                                      \
        "---\napiVersion: v1\nkind: Node\nmetadata: {name: " name "}\n" rest                       \
        "status: {capacity: {cpu: \"" cpu "\", memory: 8Gi, pods: \"10\"}}\n"
#define POD(name, spec)                                                                            \
        "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " name                                   \
        ", ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: r, uid: u}]}\n"         \
        "spec: {" spec "}\n"
#define CPU(amount) "containers: [{name: c, image: i, resources: {requests: {cpu: " amount "}}}]"
#define TAINTED "spec: {taints: [{key: a, value: b, effect: NoSchedule}]}\n"

#define WANTS_LARGE                                                                                \
        ", selectors: [{cel: {expression: \"device.attributes['d'].model == 'large'\"}}]"
#define ONE_MODEL ", constraints: [{matchAttribute: d/model}]"
#define DEVICE_OBJECTS(request, claim, count)                                                      \
        "---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\n"          \
        "spec: {selectors: [{cel: {expression: \"device.driver == 'd'\"}}]}\n"                     \
        "---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s}\n"          \
        "spec: {nodeName: n1, driver: d, pool: {name: n1, generation: 1, resourceSliceCount: "     \
        "1}, devices: [{name: a, attributes: {model: {string: small}}, capacity: {memory: "        \
        "{value: 8Gi}}}, {name: b, attributes: {model: {string: tiny}}, capacity: {memory: "       \
        "{value: 8Gi}}}]}\n"                                                                       \
        "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c, uid: c}\n"  \
        "spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, "                   \
        "allocationMode: ExactCount, count: " count request "}}]" claim "}}\n"
#define SLICES(spec, devices)                                                                      \
        "---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: t}\n"          \
        "spec: {nodeName: n1, driver: d, pool: {name: q, generation: 1, resourceSliceCount: "      \
        "2}, " spec                                                                                \
        "}\n---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: u}\n"       \
        "spec: {nodeName: n1, driver: d, pool: {name: q, generation: 1, resourceSliceCount: 2}, "  \
        "devices: [" devices "]}\n"
#define COUNTERS "sharedCounters: [{name: s, counters: {m: {value: \"10\"}}}]"
#define CONSUMER(name, model)                                                                      \
        "{name: " name ", attributes: {model: {string: " model "}}, consumesCounters: [{"          \
        "counterSet: s, counters: {m: {value: \"6\"}}}]}"
#define RULE                                                                                       \
        "---\napiVersion: resource.k8s.io/v1beta2\nkind: DeviceTaintRule\nmetadata: {name: t}\n"   \
        "spec: {deviceSelector: {driver: d}, taint: {key: maintenance, effect: NoSchedule}}\n"
#define CLAIMING                                                                                   \
        "resourceClaims: [{name: x, resourceClaimName: c}], containers: [{name: c, image: i}]"

struct scene {
        char path[64];
        struct snapshot snapshot;
        struct role_config config;
        struct json_tree *tree;
};

static void write_file(char *path, const char *text) {
        FILE *file;
        int fd = mkstemp(path);

        assert_true(fd >= 0);
        file = fdopen(fd, "w");
        assert_non_null(file);
        assert_true(fputs(text, file) >= 0);
        assert_int_equal(fclose(file), 0);
}

static int read_scene(struct scene *scene, const char *text, struct err *err) {
        const char *path = scene->path;

        *scene = (struct scene){ .path = "/tmp/explanation-XXXXXX" };
        write_file(scene->path, text);
        snapshot_init(&scene->snapshot);
        if (snapshot_read_paths(&scene->snapshot, &path, 1, err) < 0 ||
            snapshot_complete(&scene->snapshot, err) < 0)
                return err->code;
        if (role_config_load(&(struct role_config_sources){ .policy = scene->snapshot.policy,
                                                            .gates = ROLE_CONFIG_ASKED },
                             &scene->config, err) < 0)
                return err->code;
        scene->tree = json_tree_new();
        return role_config_build(&scene->config, scene->snapshot.cluster,
                                 scene->snapshot.object_cache, err);
}

static void release_scene(struct scene *scene) {
        unlink(scene->path);
        json_tree_free(scene->tree);
        role_config_release(&scene->config);
        snapshot_release(&scene->snapshot);
}

static struct json_node *explain(struct scene *scene, const char *name,
                                 const struct eviction_plan *plan) {
        struct pod_id pod =
                cluster_find_pod(scene->snapshot.cluster, SLICE_LITERAL("default"), slice_of(name));

        assert_false(pod_id_is_none(pod));
        return explanation_make(&(struct explanation_request){ .cluster = scene->snapshot.cluster,
                                                               .profiles = &scene->config.profiles,
                                                               .pod = pod,
                                                               .plan = plan },
                                scene->tree);
}

static void assert_text(const struct json_node *object, const char *key, const char *text) {
        struct slice found = node_get_text(object, key);

        if (!slice_is(found, text))
                fail_msg("%s: expected \"%s\", found \"" SLICE_FMT "\"", key, text,
                         SLICE_ARG(found));
}

/* What stands between a pod of one cpu and a node, and the smallest change. */
static void near_misses_name_the_change(void **state) {
        static const struct {
                const char *objects, *on_node, *on_pod;
        } cases[] = {
                { NODE("n1", "1", "") POD("p", CPU("\"3\"")), "+2 cpu (a larger node)",
                  "request 1 cpu instead of 3" },
                { NODE("n1", "4", "") POD("q", "nodeName: n1, " CPU("\"3\""))
                          POD("p", CPU("1500m")),
                  "+500m cpu", "request 1 cpu instead of 1500m" },
                { NODE("n1", "4", TAINTED) POD("p", CPU("\"1\"")), "remove taint a=b:NoSchedule",
                  "tolerate a=b:NoSchedule" },
                { NODE("n1", "4", "spec: {unschedulable: true}\n") POD("p", CPU("\"1\"")),
                  "uncordon", "tolerate node.kubernetes.io/unschedulable" },
                { NODE("n1", "4", "") POD("p", "nodeSelector: {disk: ssd}, " CPU("\"1\"")),
                  "label disk=ssd", "drop node selector disk=ssd" },
                { NODE("n1", "4", TAINTED) POD("p", "nodeSelector: {disk: ssd}, " CPU("\"5\"")),
                  "remove taint a=b:NoSchedule; label disk=ssd; +1 cpu (a larger node)", NULL },
                { NODE("n1", "4", "") DEVICE_OBJECTS(WANTS_LARGE, "", "1") POD("p", CLAIMING), NULL,
                  "claim c, request r: without the selector device.attributes['d'].model == "
                  "'large'" },
                { NODE("n1", "4", "") DEVICE_OBJECTS("", ONE_MODEL, "2") POD("p", CLAIMING), NULL,
                  "claim c: without the constraint matchAttribute d/model" },
                { NODE("n1", "4", "") DEVICE_OBJECTS(", capacity: {requests: {memory: 9Gi}}", "",
                                                     "1") POD("p", CLAIMING),
                  NULL, "claim c, request r: want less of memory" },
                { NODE("n1", "4", "") DEVICE_OBJECTS("", "", "3") POD("p", CLAIMING), NULL,
                  "claim c, request r: want at most 2" },
                { NODE("n1", "4", "") DEVICE_OBJECTS(WANTS_LARGE, "", "2")
                          SLICES(COUNTERS, CONSUMER("e", "large") ", " CONSUMER("f", "large"))
                                  POD("p", CLAIMING),
                  NULL, "claim c: want fewer devices" },
                { NODE("n1", "4", "") DEVICE_OBJECTS(
                          ", selectors: [{cel: {expression: \"false\"}}, "
                          "{cel: {expression: \"!true\"}}]",
                          "", "1") SLICES("devices: [{name: x}]", "{name: x}") POD("p", CLAIMING),
                  "its pools are complete and valid (pool d/q is invalid: duplicate device name x)",
                  NULL },
                { NODE("n1", "4", "") DEVICE_OBJECTS("", "", "1") RULE POD("p", CLAIMING), NULL,
                  "claim c, request r: tolerate maintenance:NoSchedule" },
                /* The cheaper of two nodes comes first. */
                { NODE("m", "1", TAINTED) NODE("n1", "4", TAINTED) POD("p", CPU("\"2\"")),
                  "remove taint a=b:NoSchedule", "tolerate a=b:NoSchedule" },
                { NODE("n1", "4", "")
                          POD("q", "nodeName: n1, containers: [{name: c, image: i, ports: "
                                   "[{containerPort: 80, hostPort: 80}]}]")
                                  POD("p", "containers: [{name: c, image: i, ports: "
                                           "[{containerPort: 80, hostPort: 80}]}]"),
                  "free host port 80/TCP", "another host port than 80/TCP" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct scene scene;
                struct err err = { 0 };
                const struct json_node *value, *miss;

                if (read_scene(&scene, cases[i].objects, &err) < 0)
                        fail_msg("case %zu: %s", i, err.text);
                value = explain(&scene, "p", NULL);
                assert_text(value, "decision", "unschedulable");
                miss = node_at(node_get(value, "nearest"), 0);
                assert_text(miss, "node", "n1");
                assert_text(miss, "onNode", cases[i].on_node);
                if (cases[i].on_pod)
                        assert_text(miss, "onPod", cases[i].on_pod);
                assert_true(explanation_meets(value, SLICE_LITERAL("pending")));
                assert_false(explanation_meets(value, SLICE_LITERAL("n1")));
                release_scene(&scene);
        }
}

static void the_choice_is_reported_with_scores(void **state) {
        struct scene scene;
        struct err err = { 0 };
        const struct json_node *value, *why;

        (void)state;
        assert_int_equal(read_scene(&scene,
                                    NODE("a", "4", "") NODE("b", "8", "") NODE("c", "8", TAINTED)
                                            POD("p", CPU("\"1\"")),
                                    &err),
                         0);
        value = explain(&scene, "p", NULL);
        why = node_get(value, "why");
        assert_text(value, "decision", "scheduled");
        assert_text(value, "chosen", "b");
        assert_text(why, "rule", "highestTotal");
        assert_text(why, "next", "a");
        assert_true(node_get_i64(why, "total", 0) > node_get_i64(why, "nextTotal", 0));
        assert_int_equal(node_count(node_get(value, "nodes")), 3);
        assert_true(explanation_meets(value, SLICE_LITERAL("b")));
        assert_false(explanation_meets(value, SLICE_LITERAL("a")));
        assert_false(explanation_meets(value, SLICE_LITERAL("pending")));
        release_scene(&scene);
}

static void victims_of_preemption_are_named(void **state) {
        struct scene scene;
        struct err err = { 0 };
        const struct json_node *preemption;

        (void)state;
        assert_int_equal(
                read_scene(&scene,
                           NODE("n1", "4", "") POD("low", "nodeName: n1, " CPU("\"3\"")) POD(
                                   "p",
                                   "priorityClassName: vip, " CPU(
                                           "\"2\"")) "---\napiVersion: scheduling.k8s.io/v1\nkind: "
                                                     "PriorityClass\nmetadata: {name: vip}\nvalue: "
                                                     "7\n",
                           &err),
                0);
        preemption = node_get(explain(&scene, "p", NULL), "preemption");
        assert_text(preemption, "node", "n1");
        assert_text(node_at(node_get(preemption, "victims"), 0), "pod", "default/low");
        release_scene(&scene);
}

/* Judged as if it were placed anew, and back where it was afterwards. */
static void a_running_pod_is_judged_without_itself(void **state) {
        struct scene scene;
        struct err err = { 0 };
        struct pod_id pod;
        uint64_t before;
        const struct json_node *value;

        (void)state;
        assert_int_equal(read_scene(&scene,
                                    NODE("n1", "4", "") POD("p", "nodeName: n1, " CPU("\"3\"")),
                                    &err),
                         0);
        before = cluster_digest(scene.snapshot.cluster);
        value = explain(&scene, "p", NULL);
        assert_text(value, "node", "n1");
        assert_text(value, "chosen", "n1");
        assert_int_equal(cluster_digest(scene.snapshot.cluster), before);
        pod = cluster_find_pod(scene.snapshot.cluster, SLICE_LITERAL("default"),
                               SLICE_LITERAL("p"));
        assert_false(node_id_is_none(cluster_pod(scene.snapshot.cluster, pod)->node));
        release_scene(&scene);
}

#define POLICY                                                                                     \
        "---\napiVersion: descheduler/v1alpha2\nkind: DeschedulerPolicy\nprofiles:\n- name: x\n"   \
        "  pluginConfig:\n  - name: DefaultEvictor\n    args: {}\n"                                \
        "  - name: RemovePodsViolatingNodeTaints\n    args: {}\n"                                  \
        "  plugins: {deschedule: {enabled: [RemovePodsViolatingNodeTaints]}}\n"

static void evictions_are_planned_with_landing(void **state) {
        struct scene scene;
        struct eviction_plan plan = { 0 };
        struct err err = { 0 };
        const struct json_node *value;

        (void)state;
        assert_int_equal(
                read_scene(&scene,
                           POLICY NODE("n1", "4", TAINTED) NODE("m", "4", "") POD(
                                   "p", "nodeName: n1, " CPU("\"1\""))
                                   POD("kept",
                                       "nodeName: n1, priority: 2000000000, "
                                       "priorityClassName: system-cluster-critical, " CPU("\"1\"")),
                           &err),
                0);
        assert_int_equal(eviction_plan_make(&plan, &scene.snapshot,
                                            &(struct plan_request){ .config = &scene.config },
                                            &err),
                         0);
        assert_int_equal(plan.done_count, 1);
        assert_true(slice_is(plan.evictions[0].name, "p"));
        assert_int_equal(plan.spared_count, 1);
        assert_true(slice_is(plan.spared[0].name, "kept"));
        eviction_plan_place(&plan, &scene.snapshot);
        assert_true(plan.evictions[0].has_landing);
        assert_true(slice_is(cluster_node_name(scene.snapshot.cluster, plan.evictions[0].landing),
                             "m"));
        value = node_get(explain(&scene, "p", &plan), "descheduler");
        assert_true(node_is_true(node_get(value, "evicts")));
        value = node_get(explain(&scene, "kept", &plan), "descheduler");
        assert_false(node_is_true(node_get(value, "evicts")));
        assert_int_equal(node_count(node_get(value, "spared")), 1);
        eviction_plan_release(&plan);
        release_scene(&scene);
}

static void mistakes_in_objects_are_refused(void **state) {
        static const struct {
                const char *objects, *text;
        } cases[] = {
                { POD("p", "priorityClassName: none, " CPU("\"1\"")), "no PriorityClass" },
                { "apiVersion: v1\nkind: Pod\nmetadata: {}\n", "metadata.name" },
                { NODE("y", "1", ""), "quote it" }, /* YAML reads true */
                { NODE("n1", "x", ""), "quantit" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct scene scene;
                struct err err = { 0 };

                assert_true(read_scene(&scene, cases[i].objects, &err) < 0);
                if (!slice_contains(slice_of(err.text), slice_of(cases[i].text)))
                        fail_msg("case %zu: %s", i, err.text);
                assert_true(err.file[0] != '\0');
                release_scene(&scene);
        }
}

static void a_workload_stands_for_a_pod_of_its_template(void **state) {
        struct scene scene;
        struct err err = { 0 };
        char path[] = "/tmp/explanation-XXXXXX";

        (void)state;
        assert_int_equal(read_scene(&scene, NODE("n1", "4", ""), &err), 0);
        write_file(path, "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: "
                         "default}\nspec: {template: {spec: {" CPU("\"1\"") "}}}\n");
        assert_int_equal(snapshot_read_wanted(&scene.snapshot, path, &err), 0);
        assert_int_equal(snapshot_complete(&scene.snapshot, &err), 0);
        unlink(path);
        assert_int_equal(scene.snapshot.wanted.count, 1);
        assert_text(explain(&scene, "web", NULL), "chosen", "n1");
        release_scene(&scene);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(near_misses_name_the_change),
                cmocka_unit_test(the_choice_is_reported_with_scores),
                cmocka_unit_test(victims_of_preemption_are_named),
                cmocka_unit_test(a_running_pod_is_judged_without_itself),
                cmocka_unit_test(evictions_are_planned_with_landing),
                cmocka_unit_test(mistakes_in_objects_are_refused),
                cmocka_unit_test(a_workload_stands_for_a_pod_of_its_template),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
