/* Table rows, and what must hold for every row of the registry. */
#include "kind_test.h"
#include "kinds/bootstrap_roles.h"

#include <stdlib.h>

static const struct {
        const char *api_version, *kind, *json, *cells;
} cases[] = {
        { "v1", "Pod",
          "{\"metadata\":{\"name\":\"a\",\"creationTimestamp\":\"2026-01-01T00:00:00Z\"},\"spec\":{"
          "\"containers\":[{\"name\":\"c\"}],\"nodeName\":\"n\"},\"status\":{\"phase\":\"Running\","
          "\"podIPs\":[{\"ip\":\"10.0.0.1\"}],\"containerStatuses\":[{\"name\":\"c\",\"ready\":"
          "true,"
          "\"state\":{\"running\":{}}}]}}",
          "[\"a\",\"1/1\",\"Running\",\"0\",\"10s\",\"10.0.0.1\",\"n\",\"<none>\",\"<none>\"]" },
        { "v1", "Pod",
          "{\"metadata\":{\"name\":\"b\"},\"spec\":{\"containers\":[{\"name\":\"c\"},{\"name\":"
          "\"d\"}],"
          "\"readinessGates\":[{\"conditionType\":\"x\"}]},\"status\":{\"phase\":\"Running\","
          "\"conditions\":[{\"type\":\"x\",\"status\":\"True\"}],\"containerStatuses\":[{\"name\":"
          "\"c\",\"restartCount\":3,\"state\":{\"waiting\":{\"reason\":\"CrashLoopBackOff\"}},"
          "\"lastState\":{\"terminated\":{\"finishedAt\":\"2026-01-01T00:00:05Z\"}}},{\"name\":"
          "\"d\","
          "\"ready\":true,\"state\":{\"running\":{}}}]}}",
          "[\"b\",\"1/2\",\"CrashLoopBackOff\",\"3 (5s ago)\",\"<unknown>\",\"<none>\",\"<none>\","
          "\"<none>\",\"1/1\"]" },
        { "v1", "Pod",
          "{\"metadata\":{\"name\":\"i\"},\"spec\":{\"containers\":[{\"name\":\"c\"}],"
          "\"initContainers\":[{\"name\":\"x\"},{\"name\":\"y\"}]},\"status\":{\"phase\":"
          "\"Pending\","
          "\"initContainerStatuses\":[{\"name\":\"x\",\"state\":{\"terminated\":{\"exitCode\":0}}},"
          "{"
          "\"name\":\"y\",\"state\":{\"running\":{}}}]}}",
          "[\"i\",\"0/1\",\"Init:1/2\",\"0\",\"<unknown>\",\"<none>\",\"<none>\",\"<none>\","
          "\"<none>\"]" },
        { "v1", "Pod",
          "{\"metadata\":{\"name\":\"e\"},\"spec\":{\"containers\":[{\"name\":\"c\"}],"
          "\"initContainers\":[{\"name\":\"x\"}]},\"status\":{\"phase\":\"Pending\","
          "\"initContainerStatuses\":[{\"name\":\"x\",\"state\":{\"terminated\":{\"exitCode\":2}}}]"
          "}}",
          "[\"e\",\"0/1\",\"Init:ExitCode:2\",\"0\",\"<unknown>\",\"<none>\",\"<none>\",\"<none>\","
          "\"<none>\"]" },
        { "v1", "Pod",
          "{\"metadata\":{\"name\":\"s\"},\"spec\":{\"containers\":[{\"name\":\"c\"}],"
          "\"initContainers\":[{\"name\":\"x\",\"restartPolicy\":\"Always\"}]},\"status\":{"
          "\"phase\":"
          "\"Running\",\"initContainerStatuses\":[{\"name\":\"x\",\"restartCount\":1,\"started\":"
          "true,"
          "\"ready\":true,\"state\":{\"running\":{}}}],\"containerStatuses\":[{\"name\":\"c\","
          "\"restartCount\":1,\"state\":{\"terminated\":{\"signal\":9}}}]}}",
          "[\"s\",\"1/2\",\"Signal:9\",\"2\",\"<unknown>\",\"<none>\",\"<none>\",\"<none>\","
          "\"<none>\"]" },
        { "v1", "Pod",
          "{\"metadata\":{\"name\":\"n\"},\"spec\":{\"containers\":[{},{}]},\"status\":{\"phase\":"
          "\"Running\",\"containerStatuses\":[{\"state\":{\"terminated\":{\"reason\":\"Completed\","
          "\"exitCode\":0}}},{\"ready\":true,\"state\":{\"running\":{}}}]}}",
          "[\"n\",\"1/2\",\"NotReady\",\"0\",\"<unknown>\",\"<none>\",\"<none>\",\"<none>\","
          "\"<none>\"]" },
        { "v1", "Pod",
          "{\"metadata\":{\"name\":\"t\",\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"},\"spec\":{"
          "\"containers\":[{}]},\"status\":{\"phase\":\"Running\"}}",
          "[\"t\",\"0/1\",\"Terminating\",\"0\",\"<unknown>\",\"<none>\",\"<none>\",\"<none>\","
          "\"<none>\"]" },
        { "v1", "Pod",
          "{\"metadata\":{\"name\":\"u\",\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"},\"spec\":{"
          "\"containers\":[{}]},\"status\":{\"phase\":\"Running\",\"reason\":\"NodeLost\"}}",
          "[\"u\",\"0/1\",\"Unknown\",\"0\",\"<unknown>\",\"<none>\",\"<none>\",\"<none>\","
          "\"<none>\"]" },
        { "v1", "Node",
          "{\"metadata\":{\"name\":\"a\",\"labels\":{\"node-role.kubernetes.io/worker\":\"\","
          "\"kubernetes.io/role\":\"a\"}},\"spec\":{\"unschedulable\":true},\"status\":{"
          "\"conditions\":[{\"type\":\"Ready\",\"status\":\"False\"}],\"nodeInfo\":{"
          "\"kernelVersion\":\"6.1\",\"architecture\":\"amd64\"}}}",
          "[\"a\",\"NotReady,SchedulingDisabled\",\"a,worker\",\"<unknown>\",\"\",\"<none>\","
          "\"<none>\",\"<unknown>\",\"6.1 (amd64)\",\"<unknown>\"]" },
        { "v1", "Namespace",
          "{\"metadata\":{\"name\":\"old\",\"creationTimestamp\":\"0001-01-01T00:00:00Z\"}}",
          "[\"old\",\"\",\"292y\"]" },
        { "v1", "Event",
          "{\"metadata\":{\"name\":\"e\"},\"involvedObject\":{\"kind\":\"Pod\",\"name\":\"p\"},"
          "\"source\":{\"component\":\"kubelet\",\"host\":\"n1\"},\"message\":\" hi "
          "\\n\",\"reason\":"
          "\"R\",\"type\":\"Normal\",\"firstTimestamp\":\"2026-01-01T00:00:00Z\",\"count\":3}",
          "[\"10s\",\"Normal\",\"R\",\"pod/p\",\"\",\"kubelet, n1\",\"hi\",\"10s\",3,\"e\"]" },
        { "events.k8s.io/v1", "Event",
          "{\"metadata\":{\"name\":\"f\"},\"regarding\":{\"kind\":\"Node\",\"name\":\"n\"},"
          "\"reportingController\":\"ctl\",\"reportingInstance\":\"i\",\"note\":\"x\","
          "\"eventTime\":"
          "\"2026-01-01T00:00:05.000000Z\"}",
          "[\"5s\",\"\",\"\",\"node/n\",\"\",\"ctl, i\",\"x\",\"5s\",1,\"f\"]" },
        { "v1", "Service",
          "{\"metadata\":{\"name\":\"s\"},\"spec\":{\"type\":\"NodePort\",\"clusterIPs\":["
          "\"10.96.0.1\"],\"ports\":[{\"port\":80,\"nodePort\":30080,\"protocol\":\"TCP\"},{"
          "\"port\":"
          "53,\"protocol\":\"UDP\"}],\"selector\":{\"b\":\"2\",\"a\":\"1\"}}}",
          "[\"s\",\"NodePort\",\"10.96.0.1\",\"<none>\",\"80:30080/TCP,53/UDP\",\"<unknown>\","
          "\"a=1,b=2\"]" },
        { "v1", "Endpoints",
          "{\"metadata\":{\"name\":\"e\"},\"subsets\":[{\"addresses\":[{\"ip\":\"1.1.1.1\"},{"
          "\"ip\":"
          "\"1.1.1.2\"},{\"ip\":\"1.1.1.3\"},{\"ip\":\"1.1.1.4\"}],\"ports\":[{\"port\":80}]}]}",
          "[\"e\",\"1.1.1.1:80,1.1.1.2:80,1.1.1.3:80 + 1 more...\",\"<unknown>\"]" },
        { "v1", "Endpoints",
          "{\"metadata\":{\"name\":\"e\"},\"subsets\":[{\"notReadyAddresses\":[{\"ip\":"
          "\"1.1.1.1\"}]}]}",
          "[\"e\",\"\",\"<unknown>\"]" },
        { "v1", "Endpoints", "{\"metadata\":{\"name\":\"e\"}}",
          "[\"e\",\"<none>\",\"<unknown>\"]" },
        { "apps/v1", "Deployment",
          "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"replicas\":3,\"selector\":{\"matchLabels\":{"
          "\"a\":\"b\"}},\"template\":{\"spec\":{\"containers\":[{\"name\":\"x\",\"image\":\"x:1\"}"
          ",{"
          "\"name\":\"y\",\"image\":\"y:1\"}]}}},\"status\":{\"readyReplicas\":1}}",
          "[\"d\",\"1/3\",0,0,\"<unknown>\",\"x,y\",\"x:1,y:1\",\"a=b\"]" },
        { "batch/v1", "Job",
          "{\"metadata\":{\"name\":\"j\"},\"spec\":{\"parallelism\":3},\"status\":{\"succeeded\":1,"
          "\"startTime\":\"2026-01-01T00:00:00Z\",\"completionTime\":\"2026-01-01T00:00:07Z\","
          "\"conditions\":[{\"type\":\"Complete\",\"status\":\"True\"}]}}",
          "[\"j\",\"Complete\",\"1/1 of 3\",\"7s\",\"<unknown>\",\"\",\"\",\"<none>\"]" },
        { "policy/v1", "PodDisruptionBudget",
          "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"maxUnavailable\":\"50%\"}}",
          "[\"p\",\"N/A\",\"50%\",0,\"<unknown>\"]" },
        { "v1", "PersistentVolume",
          "{\"metadata\":{\"name\":\"v\"},\"spec\":{\"capacity\":{\"storage\":\"1Gi\"},"
          "\"accessModes\":[\"ReadOnlyMany\",\"ReadWriteOnce\"],\"claimRef\":{\"namespace\":\"n\","
          "\"name\":\"c\"}}}",
          "[\"v\",\"1Gi\",\"RWO,ROX\",\"\",\"\",\"n/c\",\"\",\"<unset>\",\"\",\"<unknown>\","
          "\"<unset>\"]" },
        { "rbac.authorization.k8s.io/v1", "RoleBinding",
          "{\"metadata\":{\"name\":\"r\"},\"roleRef\":{\"kind\":\"Role\",\"name\":\"x\"},"
          "\"subjects\":[{\"kind\":\"User\",\"name\":\"u\"},{\"kind\":\"User\",\"name\":\"v\"},{"
          "\"kind\":\"ServiceAccount\",\"namespace\":\"n\",\"name\":\"s\"}]}",
          "[\"r\",\"Role/x\",\"<unknown>\",\"u, v\",\"\",\"n/s\"]" },
        { "admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration",
          "{\"metadata\":{\"name\":\"w\"},\"webhooks\":[{},{}]}", "[\"w\",2,\"<unknown>\"]" },
        { "admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration",
          "{\"metadata\":{\"name\":\"w\"}}", "[\"w\",0,\"<unknown>\"]" },
        { "admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy",
          "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"validations\":[{}],\"paramKind\":{"
          "\"apiVersion\":\"a/v1\",\"kind\":\"K\"}}}",
          "[\"p\",1,\"a/v1/K\",\"<unknown>\"]" },
        { "admissionregistration.k8s.io/v1", "MutatingAdmissionPolicy",
          "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"mutations\":[{},{}]}}",
          "[\"p\",2,\"<unset>\",\"<unknown>\"]" },
        { "admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding",
          "{\"metadata\":{\"name\":\"b\"},\"spec\":{\"policyName\":\"p\",\"paramRef\":{\"name\":"
          "\"x\"}}}",
          "[\"b\",\"p\",\"*/x\",\"<unknown>\"]" },
        { "admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding",
          "{\"metadata\":{\"name\":\"b\"},\"spec\":{\"policyName\":\"p\"}}",
          "[\"b\",\"p\",\"<unset>\",\"<unknown>\"]" },
        { "admissionregistration.k8s.io/v1", "MutatingAdmissionPolicyBinding",
          "{\"metadata\":{\"name\":\"b\"},\"spec\":{\"policyName\":\"p\",\"paramRef\":{"
          "\"selector\":"
          "{\"matchLabels\":{\"z\":\"1\",\"a\":\"2\"},\"matchExpressions\":[{\"key\":\"k\","
          "\"operator\":\"In\",\"values\":[\"u\",\"v\"]}]}}}}",
          "[\"b\",\"p\",\"&LabelSelector{MatchLabels:map[string]string{a: 2,z: 1,},"
          "MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:k,Operator:In,"
          "Values:[u v],},},}\",\"<unknown>\"]" },
        { "flowcontrol.apiserver.k8s.io/v1", "FlowSchema",
          "{\"metadata\":{\"name\":\"f\"},\"spec\":{\"priorityLevelConfiguration\":{\"name\":\"l\"}"
          ","
          "\"matchingPrecedence\":7,\"distinguisherMethod\":{\"type\":\"ByUser\"}},\"status\":{"
          "\"conditions\":[{\"type\":\"Dangling\",\"status\":\"True\"}]}}",
          "[\"f\",\"l\",7,\"ByUser\",\"<unknown>\",\"True\"]" },
        { "flowcontrol.apiserver.k8s.io/v1", "PriorityLevelConfiguration",
          "{\"metadata\":{\"name\":\"l\"},\"spec\":{\"type\":\"Limited\",\"limited\":{"
          "\"nominalConcurrencyShares\":5,\"limitResponse\":{\"type\":\"Reject\"}}}}",
          "[\"l\",\"Limited\",5,\"<none>\",\"<none>\",\"<none>\",\"<unknown>\"]" },
        { "networking.k8s.io/v1", "Ingress",
          "{\"metadata\":{\"name\":\"i\"},\"status\":{\"loadBalancer\":{\"ingress\":[{\"ip\":\"2\"}"
          ","
          "{},{\"hostname\":\"1\"},{\"ip\":\"2\",\"hostname\":\"3\"}]}}}",
          "[\"i\",\"<none>\",\"*\",\"1,2\",\"80\",\"<unknown>\"]" },
        { "v1", "PersistentVolumeClaim",
          "{\"metadata\":{\"name\":\"c\"},\"spec\":{\"volumeName\":\"v\"},\"status\":{\"phase\":"
          "\"Pending\"}}",
          "[\"c\",\"Pending\",\"v\",\"0\",\"\",\"\",\"<unset>\",\"<unknown>\",\"<unset>\"]" },
};

static void test_rows(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct buf cells = { 0 }, conditions = { 0 };
                struct kind_test test;

                kind_test_begin(&test, cases[i].api_version, cases[i].kind, "{}", cases[i].json);
                test.kind->table_row(&test.context, test.old, &cells, &conditions);
                assert_string_equal(cells.data, cases[i].cells);
                assert_int_equal(conditions.len, 0);
                kind_test_end(&test);
                buf_release(&cells);
                buf_release(&conditions);
        }
}

static void test_completed_condition(void **state) {
        struct buf cells = { 0 }, conditions = { 0 };
        struct kind_test test;

        (void)state;
        kind_test_begin(&test, "v1", "Pod", "{}", "{\"status\":{\"phase\":\"Failed\"}}");
        test.kind->table_row(&test.context, test.old, &cells, &conditions);
        assert_string_equal(conditions.data,
                            "[{\"type\":\"Completed\",\"status\":\"True\",\"reason\":\"Failed\","
                            "\"message\":\"The pod failed.\"}]");
        kind_test_end(&test);
        buf_release(&cells);
        buf_release(&conditions);
}

/* Even an empty object has as many cells as its kind has columns.  Upstream the rows of IP
 * addresses end with an age that has no column. */
static void test_cell_counts(void **state) {
        (void)state;
        for (size_t i = 0; i < kind_count(); i++) {
                const struct kind_info *kind = kind_at(i);
                struct buf cells = { 0 }, conditions = { 0 };
                char api_version[KIND_API_VERSION_MAX];
                struct json_doc *doc = NULL;
                struct kind_test test;
                size_t extra = strcmp(kind->plural, "ipaddresses") == 0;

                if (!kind->table_row)
                        continue;
                api_version[kind_api_version(kind, api_version).len] = '\0';
                kind_test_begin(&test, api_version, kind->kind, "{}", "{}");
                kind->table_row(&test.context, test.old, &cells, &conditions);
                assert_int_equal(json_parse(buf_view(&cells), &doc, NULL), 0);
                if (json_count(json_doc_root(doc)) != kind->column_count + extra)
                        fail_msg("%s: %zu cells, %zu columns", kind->plural,
                                 json_count(json_doc_root(doc)), kind->column_count);
                json_doc_free(doc);
                kind_test_end(&test);
                buf_release(&cells);
                buf_release(&conditions);
        }
}

/* ---- the registry ---- */

static void test_registry(void **state) {
        (void)state;
        for (size_t i = 0; i < kind_count(); i++) {
                const struct kind_info *kind = kind_at(i);
                struct slice group = slice_of(kind->group), version = slice_of(kind->version);
                char api_version[KIND_API_VERSION_MAX];

                assert_ptr_equal(kind_find(group, version, slice_of(kind->plural)), kind);
                assert_ptr_equal(kind_find_by_kind(kind_api_version(kind, api_version),
                                                   slice_of(kind->kind)),
                                 kind);
                assert_non_null(schema_find(group, version, slice_of(kind->kind)));
                assert_true(kind->verbs != 0);
                assert_int_equal(!!(kind->flags & KIND_REVIEW), !!kind->review);
                assert_int_equal(!!kind->stored_as, !!kind->to_stored);
                if (kind->flags & KIND_STATUS)
                        assert_non_null(kind->prepare);
        }
        assert_null(kind_at(kind_count()));
        assert_null(kind_find(slice_of("apps"), slice_of("v2"), slice_of("deployments")));
        assert_null(kind_find(slice_of("nope"), slice_of("v1"), slice_of("deployments")));
        assert_null(kind_find_by_kind(slice_of("v1"), slice_of("Deployment")));
}

static void bootstrap_check(const char *api_version, const char *kind, const char *json) {
        struct kind_test test;

        kind_test_begin(&test, api_version, kind, json, NULL);
        assert_int_equal(kind_test_write(&test, KIND_CREATE), 0);
        assert_int_equal(test.errors.count, 0);
        kind_test_end(&test);
}

/* Every object of the start is one that its kind accepts. */
static void test_bootstrap(void **state) {
        size_t count;
        const struct bootstrap_object *objects = kinds_bootstrap_objects(&count);

        (void)state;
        assert_true(count > 4);
        for (size_t i = 0; i < count; i++) {
                bool is_core = strncmp(objects[i].path, "/api/", 5) == 0;
                struct slice rest = slice_of(objects[i].path + (is_core ? 5 : 6)), part;
                struct slice group = SLICE_EMPTY, version, plural = SLICE_EMPTY;
                char api_version[KIND_API_VERSION_MAX];
                const struct kind_info *kind;

                if (!is_core)
                        assert_true(slice_split(&rest, '/', &group));
                assert_true(slice_split(&rest, '/', &version));
                while (slice_split(&rest, '/', &part))
                        plural = part;
                kind = kind_find(group, version, plural);
                assert_non_null(kind);
                api_version[kind_api_version(kind, api_version).len] = '\0';
                bootstrap_check(api_version, kind->kind, objects[i].json);
        }
}

static void bootstrap_role(const char *path, struct slice json, void *data) {
        char *text = strndup(json.ptr, json.len);

        assert_non_null(text);
        bootstrap_check("rbac.authorization.k8s.io/v1",
                        strstr(path, "bindings") ? "ClusterRoleBinding" : "ClusterRole", text);
        free(text);
        ++*(size_t *)data;
}

static void test_bootstrap_roles(void **state) {
        size_t count = 0;

        (void)state;
        bootstrap_roles_each(bootstrap_role, &count);
        /* Those of programs, nodes, add-ons and people; those of 39 controllers, each with its
         * binding. */
        assert_int_equal(count, 25 + 2 * 39);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_rows),        cmocka_unit_test(test_completed_condition),
                cmocka_unit_test(test_cell_counts), cmocka_unit_test(test_registry),
                cmocka_unit_test(test_bootstrap),   cmocka_unit_test(test_bootstrap_roles),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
