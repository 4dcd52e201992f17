/* Workloads of scheduler_perf: counts, templates, churn, what is not supported; and upstream's own
 * files where they are at hand. */
#include "base/util.h"
#include "client/text_file.h"
#include "sim/perf_run.h"
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* ---- files in memory ---- */

struct memory_file {
        const char *path, *text;
};

#define POD(more)                                                                                  \
        "apiVersion: v1\nkind: Pod\nmetadata: {generateName: pod-, labels: {app: a}}\nspec:\n"     \
        "  containers: [{name: c, image: i, resources: {requests: {cpu: 100m}}}]\n" more
#define CASE(operations, numbers)                                                                  \
        "- name: Case\n  defaultPodTemplatePath: t/pod.yaml\n  workloadTemplate:\n" operations     \
        "  workloads:\n  - name: small\n    labels: [short]\n    threshold: 10\n    params: "      \
        "{" numbers "}\n"
/* Two nodes with devices and one without; of the devices two are taken beforehand. */
#define DEVICES(each)                                                                              \
        "  - {opcode: createNodes, count: 1}\n"                                                    \
        "  - {opcode: createNodes, count: 2, nodeTemplatePath: t/device-node.yaml}\n"              \
        "  - {opcode: createAny, templatePath: t/class.yaml}\n"                                    \
        "  - {opcode: createResourceDriver, driverName: d.example.com, nodes: with-*, "            \
        "maxClaimsPerNodeParam: " each "}\n"
#define CLAIMS                                                                                     \
        "  - {opcode: createAny, templatePath: t/claim.yaml, namespace: init, count: 2}\n"         \
        "  - {opcode: allocResourceClaims, namespace: init}\n"                                     \
        "  - {opcode: createAny, templatePath: t/claims.yaml, namespace: test}\n"
#define NODES "  - {opcode: createNodes, countParam: $nodes}\n"

static const struct memory_file files[] = {
        { "d/t/pod.yaml", POD("") },
        { "d/t/index.yaml",
          "kind: Pod\nmetadata: {name: 'p-{{ Mod .Index 3 }}-{{.Index}}'}\nspec:\n"
          "  containers: [{name: c, image: i}]\n" },
        { "d/t/bad.yaml", "kind: Pod\nmetadata: {name: 'p-{{ .Name }}'}\n" },
        { "d/t/zone.yaml",
          POD("  topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: "
              "DoNotSchedule, labelSelector: {matchLabels: {app: a}}}]\n") },
        { "d/t/huge.yaml",
          "kind: Pod\nmetadata: {generateName: huge-}\nspec: {containers: [{name: c, "
          "image: i, resources: {requests: {cpu: 100}}}]}\n" },
        { "d/t/secret.yaml", "kind: Secret\nmetadata: {name: s}\n" },
        { "d/basic.yaml", CASE(NODES "  - {opcode: createPods, countParam: $init}\n"
                                     "  - {opcode: createPods, count: 7, collectMetrics: true}\n",
                               "nodes: 3, init: 2") },
        { "d/zones.yaml",
          CASE("  - opcode: createNodes\n    countParam: $nodes\n    labelNodePrepareStrategy: "
               "{labelKey: zone, labelValues: [a, b]}\n"
               "  - {opcode: createPods, count: 6, podTemplatePath: t/zone.yaml, collectMetrics: "
               "true}\n",
               "nodes: 4") },
        { "d/sets.yaml",
          CASE(NODES "  - {opcode: startCollectingMetrics, namespaces: [ns-1]}\n"
                     "  - opcode: createPodSets\n    count: 2\n    namespacePrefix: ns\n"
                     "    createPodsOp: {count: 5, podTemplatePath: t/index.yaml}\n"
                     "  - {opcode: stopCollectingMetrics}\n",
               "nodes: 2") },
        { "d/churn.yaml",
          CASE(NODES "  - {opcode: churn, mode: create, number: 3, templatePaths: [t/huge.yaml], "
                     "intervalMilliseconds: 10}\n"
                     "  - {opcode: sleep, duration: 1s}\n"
                     "  - {opcode: createPods, count: 4, collectMetrics: true}\n",
               "nodes: 2") },
        { "d/delete.yaml",
          CASE(NODES "  - {opcode: createPods, count: 40, namespace: full, collectMetrics: true}\n"
                     "  - {opcode: createPods, count: 5, namespace: late, skipWaitToCompletion: "
                     "true, collectMetrics: true}\n"
                     "  - {opcode: barrier, stageRequirement: Attempted}\n"
                     "  - {opcode: startCollectingMetrics, namespaces: [late]}\n"
                     "  - {opcode: deletePods, namespace: full, deletePodsPerSecond: 100}\n"
                     "  - {opcode: barrier}\n"
                     "  - {opcode: stopCollectingMetrics}\n",
               "nodes: 1") },
        { "d/stuck.yaml",
          CASE(NODES "  - {opcode: createPods, count: 1, podTemplatePath: t/huge.yaml}\n",
               "nodes: 1") },
        { "d/c/unfit.yaml",
          "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
          "profiles: [{plugins: {multiPoint: {disabled: [{name: NodeResourcesFit}]}}}]\n" },
        { "d/configured.yaml",
          "- name: Case\n  schedulerConfigPath: c/unfit.yaml\n  workloadTemplate:\n"
          "  - {opcode: createNodes, count: 1}\n"
          "  - {opcode: createPods, count: 1, podTemplatePath: t/huge.yaml, collectMetrics: true}\n"
          "  workloads: [{name: small, labels: [short], threshold: 10}]\n" },
        { "d/c/wrong.yaml",
          "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
          "profile: []\n" },
        { "d/misconfigured.yaml",
          "- name: Case\n  schedulerConfigPath: c/wrong.yaml\n  workloadTemplate: []\n"
          "  workloads: [{name: small, labels: [short], threshold: 10}]\n" },
        { "d/unsupported.yaml", CASE("  - {opcode: createResourceClaims}\n"
                                     "  - {opcode: createAny, templatePath: t/secret.yaml}\n",
                                     "nodes: 1") },
        { "d/t/device-node.yaml", "kind: Node\nmetadata: {generateName: with-}\nstatus: {capacity: "
                                  "{pods: 110, cpu: 4}}\n" },
        { "d/t/class.yaml",
          "kind: DeviceClass\nmetadata: {name: c}\nspec:\n  selectors: [{cel: {expression: "
          "'device.driver == \"d.example.com\"'}}]\n" },
        { "d/t/claim.yaml",
          "kind: ResourceClaim\nmetadata: {name: 'c-{{.Index}}'}\nspec: {devices: {requests: "
          "[{name: r, exactly: {deviceClassName: c}}]}}\n" },
        { "d/t/claims.yaml",
          "kind: ResourceClaimTemplate\nmetadata: {name: t}\nspec: {spec: {devices: {requests: "
          "[{name: r, exactly: {deviceClassName: c}}]}}}\n" },
        { "d/t/user.yaml", POD("  resourceClaims: [{name: d, resourceClaimTemplateName: t}]\n") },
        { "d/devices.yaml", CASE(DEVICES("$each") CLAIMS "  - {opcode: createPods, count: 4, "
                                                         "namespace: test, podTemplatePath: "
                                                         "t/user.yaml, collectMetrics: true}\n",
                                 "each: 3") },
        { "d/full.yaml", CASE(DEVICES("$each") CLAIMS "  - {opcode: createPods, count: 5, "
                                                      "namespace: test, podTemplatePath: "
                                                      "t/user.yaml}\n",
                              "each: 3") },
        { "d/steady.yaml",
          CASE(DEVICES("$each") CLAIMS
               "  - {opcode: createPods, count: 2, namespace: test, podTemplatePath: t/user.yaml, "
               "collectMetrics: true, steadyStateParam: $steady, durationParam: $time}\n",
               "each: 2, steady: true, time: 2ms") },
        { "d/forever.yaml",
          CASE("  - {opcode: createPods, count: 2, steadyState: true}\n", "nodes: 1") },
        { "d/parameter.yaml", CASE(NODES, "none: 1") },
        { "d/template.yaml",
          CASE("  - {opcode: createPods, count: 1, podTemplatePath: t/bad.yaml}\n", "nodes: 1") },
        { "d/shape.yaml", "name: Case\n" },
        { "d/threshold.yaml",
          "- name: C\n  workloadTemplate: []\n  workloads: [{name: w, threshold: fast}]\n" },
};

static int read_memory(void *context, const char *path, struct buf *ret_text, struct err *err) {
        (void)context;
        for (size_t i = 0; i < ARRAY_LEN(files); i++)
                if (strcmp(files[i].path, path) == 0) {
                        buf_text(ret_text, files[i].text);
                        return 0;
                }
        return err_set(err, BERTH_ERR_NOT_FOUND, "no file %s", path);
}

/* A microsecond passes between two looks. */
static int64_t tick(void *context) {
        return *(int64_t *)context += 1000;
}

static int run_one(const char *path, struct perf_result *ret_result, struct err *err) {
        int64_t now = 0;
        struct perf_env env = { .files = { read_memory, NULL },
                                .clock = tick,
                                .clock_context = &now };
        struct perf_suite *suite;
        if (perf_suite_read(&env.files, path, &suite, err) < 0)
                return err->code;
        assert_int_equal(perf_suite_count(suite), 1);
        assert_true(perf_workload_has_label(perf_suite_at(suite, 0), "short"));
        assert_false(perf_workload_has_label(perf_suite_at(suite, 0), "performance"));
        int code = perf_run(suite, perf_suite_at(suite, 0), &env, ret_result, err);
        perf_suite_free(suite);
        return code;
}

/* ---- tests ---- */

static void test_counts(void **state) {
        static const struct {
                const char *path;
                int64_t measured;
                size_t nodes, pods;
        } cases[] = {
                { "d/basic.yaml", 7, 3, 9 },      { "d/zones.yaml", 6, 4, 6 },
                { "d/sets.yaml", 5, 2, 10 },      { "d/churn.yaml", 4, 2, 7 },
                { "d/delete.yaml", 45, 1, 5 },    { "d/devices.yaml", 4, 3, 4 },
                { "d/configured.yaml", 1, 1, 1 },
        };
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct perf_result result;
                struct err err = { 0 };
                print_message("%s\n", cases[i].path);
                if (run_one(cases[i].path, &result, &err) < 0)
                        fail_msg("%s: %s", err.path, err.text);
                assert_int_equal(result.unsupported.len, 0);
                assert_int_equal(result.measured, cases[i].measured);
                assert_int_equal(result.nodes, cases[i].nodes);
                assert_int_equal(result.pods, cases[i].pods);
                assert_true(result.busy_ns > 0 && perf_result_rate(&result) > 0);
                perf_result_release(&result);
        }
}

/* Pods follow each other for two milliseconds, while one look at the clock takes a microsecond. */
static void test_steady(void **state) {
        struct perf_result result;
        struct err err = { 0 };
        (void)state;
        if (run_one("d/steady.yaml", &result, &err) < 0)
                fail_msg("%s: %s", err.path, err.text);
        assert_true(result.measured > 10);
        assert_true(result.pods <= 2);
        perf_result_release(&result);
}

static void test_names_unsupported(void **state) {
        struct perf_result result;
        struct err err = { 0 };
        (void)state;
        assert_int_equal(run_one("d/unsupported.yaml", &result, &err), 0);
        assert_string_equal(result.unsupported.data, "createResourceClaims, createAny of Secret");
        assert_int_equal(result.measured, 0);
        perf_result_release(&result);
}

static void test_errors(void **state) {
        static const struct {
                const char *path, *text;
        } cases[] = {
                { "d/stuck.yaml", "operation 1: 1 pods are still not scheduled" },
                { "d/full.yaml", "operation 7: 1 pods are still not scheduled" },
                { "d/forever.yaml", "duration: expected one such as 5s" },
                { "d/parameter.yaml", "no value for parameter \"nodes\"" },
                { "d/template.yaml", "expected .Index, .Count or a function of two numbers in "
                                     "braces, found \" .Name \"" },
                { "d/shape.yaml", "expected a list of test cases" },
                { "d/threshold.yaml", "threshold: expected a number" },
                { "d/absent.yaml", "no file d/absent.yaml" },
                { "d/misconfigured.yaml", "unknown field; did you mean \"profiles\"?" },
        };
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct perf_result result = { 0 };
                struct err err = { 0 };
                assert_true(run_one(cases[i].path, &result, &err) < 0);
                assert_string_equal(err.text, cases[i].text);
                perf_result_release(&result);
        }
}

/* ---- upstream's files ---- */

static int read_file(void *context, const char *path, struct buf *ret_text, struct err *err) {
        char *text;
        size_t length;
        (void)context;
        if (text_file_read(path, &text, &length, err) < 0)
                return err->code;
        buf_append(ret_text, text, length);
        free(text);
        return 0;
}

static void run_short(const char *path, size_t *ran) {
        int64_t now = 0;
        struct perf_env env = { .files = { read_file, NULL },
                                .clock = tick,
                                .clock_context = &now };
        struct perf_suite *suite;
        struct err err = { 0 };
        if (perf_suite_read(&env.files, path, &suite, &err) < 0)
                fail_msg("%s: %s", path, err.text);
        for (size_t i = 0; i < perf_suite_count(suite); i++) {
                const struct perf_workload *workload = perf_suite_at(suite, i);
                struct perf_result result;
                if (!perf_workload_has_label(workload, "integration-test") ||
                    !perf_workload_has_label(workload, "short"))
                        continue;
                if (perf_run(suite, workload, &env, &result, &err) < 0)
                        fail_msg("%s: " SLICE_FMT "/" SLICE_FMT ": %s", path,
                                 SLICE_ARG(workload->case_name), SLICE_ARG(workload->name),
                                 err.text);
                assert_true(result.unsupported.len > 0 || result.measured > 0);
                *ran += result.unsupported.len == 0;
                perf_result_release(&result);
        }
        perf_suite_free(suite);
}

static void test_upstream_files(void **state) {
        static const char *const folders[] = {
                "affinity",
                "event_handling",
                "misc",
                "nodedeclaredfeatures",
                "volumes",
                "topology_spreading",
                "dra",
                "dra/consumablecapacity",
                "dra/devicetaints",
                "dra/extendedresource",
                "dra/partitionabledevices",
                "dra/prioritizedlist",
        };
        const char *shared = getenv("BERTH_SHARED");
        char path[1024];
        size_t ran = 0;
        (void)state;
        snprintf(path, sizeof(path), "%s/data/scheduler_perf", shared ? shared : "../shared");
        DIR *folder = opendir(path);
        if (!folder) {
                print_message("SKIP: %s is not there\n", path);
                skip();
        }
        closedir(folder);
        for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
                snprintf(path, sizeof(path), "%s/data/scheduler_perf/%s/performance-config.yaml",
                         shared ? shared : "../shared", folders[i]);
                run_short(path, &ran);
        }
        assert_true(ran > 50);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_counts),
                cmocka_unit_test(test_steady),
                cmocka_unit_test(test_names_unsupported),
                cmocka_unit_test(test_errors),
                cmocka_unit_test(test_upstream_files),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
