/* Defaults and admission of pods at create: small specs in, single members out. */
#include "kind_test.h"
#include "kinds/admit.h"

struct default_case {
        const char *name, *spec;     /* members of the pod's spec besides containers */
        const char *containers;      /* NULL = one plain container */
        const char *path, *expected; /* expected NULL: absent */
};

#define PLAIN "[{\"name\":\"c\",\"image\":\"app:1\"}]"

static const struct default_case cases[] = {
        { "restart policy", "", NULL, "spec.restartPolicy", "\"Always\"" },
        { "grace", "", NULL, "spec.terminationGracePeriodSeconds", "30" },
        { "requests of a pod that has limits", ",\"resources\":{\"limits\":{\"cpu\":\"4\"}}", NULL,
          "spec.resources.requests", "{\"cpu\":\"4\"}" },
        { "requests of a pod whose containers have some",
          ",\"resources\":{\"limits\":{\"cpu\":\"4\",\"hugepages-2Mi\":\"2Mi\"}},"
          "\"initContainers\":[{"
          "\"name\":\"s\",\"restartPolicy\":\"Always\",\"resources\":{\"requests\":{\"cpu\":\"1\"}}"
          "},{"
          "\"name\":\"i\",\"resources\":{\"requests\":{\"cpu\":\"500m\",\"memory\":\"1Gi\"}}}]",
          NULL, "spec.resources.requests",
          "{\"cpu\":\"1500m\",\"memory\":\"1Gi\",\"hugepages-2Mi\":\"2Mi\"}" },
        { "huge pages of a pod whose containers have some",
          ",\"resources\":{\"requests\":{\"cpu\":\"4\"}},\"initContainers\":[{\"name\":\"i\","
          "\"resources\":{\"limits\":{\"hugepages-2Mi\":\"4Mi\"}}}]",
          NULL, "spec.resources.limits", "{\"hugepages-2Mi\":\"4Mi\"}" },
        { "negative grace", ",\"terminationGracePeriodSeconds\":-5", NULL,
          "spec.terminationGracePeriodSeconds", "1" },
        { "scheduler", "", NULL, "spec.schedulerName", "\"default-scheduler\"" },
        { "scheduler kept", ",\"schedulerName\":\"mine\"", NULL, "spec.schedulerName", "\"mine\"" },
        { "links", "", NULL, "spec.enableServiceLinks", "true" },
        { "links kept", ",\"enableServiceLinks\":false", NULL, "spec.enableServiceLinks", "false" },
        { "security", "", NULL, "spec.securityContext", "{}" },
        { "priority", "", NULL, "spec.priority", "0" },
        { "preemption", "", NULL, "spec.preemptionPolicy", "\"PreemptLowerPriority\"" },
        { "account alias", ",\"serviceAccountName\":\"a\"", NULL, "spec.serviceAccount", "\"a\"" },
        { "account by alias", ",\"serviceAccount\":\"b\"", NULL, "spec.serviceAccountName",
          "\"b\"" },
        { "phase", "", NULL, "status", "{\"phase\":\"Pending\",\"qosClass\":\"BestEffort\"}" },
        { "gated", ",\"schedulingGates\":[{\"name\":\"x/y\"}]", NULL, "status.conditions.0.reason",
          "\"SchedulingGated\"" },
        { "gated since", ",\"schedulingGates\":[{\"name\":\"x/y\"}]", NULL,
          "status.conditions.0.lastTransitionTime", "\"" TEST_NOW "\"" },

        { "tolerations", "", NULL, "spec.tolerations",
          "[{\"key\":\"node.kubernetes.io/not-ready\",\"operator\":\"Exists\","
          "\"effect\":\"NoExecute\",\"tolerationSeconds\":300},"
          "{\"key\":\"node.kubernetes.io/unreachable\",\"operator\":\"Exists\","
          "\"effect\":\"NoExecute\",\"tolerationSeconds\":300}]" },
        { "tolerates all", ",\"tolerations\":[{\"operator\":\"Exists\"}]", NULL, "spec.tolerations",
          "[{\"operator\":\"Exists\"}]" },
        { "tolerates another effect",
          ",\"tolerations\":[{\"operator\":\"Exists\",\"effect\":\"NoSchedule\"}]", NULL,
          "spec.tolerations.2.key", "\"node.kubernetes.io/unreachable\"" },

        { "pull by tag", "", NULL, "spec.containers.0.imagePullPolicy", "\"IfNotPresent\"" },
        { "pull without tag", "", "[{\"name\":\"c\",\"image\":\"app\"}]",
          "spec.containers.0.imagePullPolicy", "\"Always\"" },
        { "pull latest", "", "[{\"name\":\"c\",\"image\":\"app:latest\"}]",
          "spec.containers.0.imagePullPolicy", "\"Always\"" },
        { "pull with port", "", "[{\"name\":\"c\",\"image\":\"r:5000/app\"}]",
          "spec.containers.0.imagePullPolicy", "\"Always\"" },
        { "pull with port and tag", "", "[{\"name\":\"c\",\"image\":\"r:5000/app:2\"}]",
          "spec.containers.0.imagePullPolicy", "\"IfNotPresent\"" },
        { "pull by digest", "", "[{\"name\":\"c\",\"image\":\"app@sha256:aa\"}]",
          "spec.containers.0.imagePullPolicy", "\"IfNotPresent\"" },
        { "message", "", NULL, "spec.containers.0.terminationMessagePolicy", "\"File\"" },
        { "port protocol", "",
          "[{\"name\":\"c\",\"image\":\"a:1\",\"ports\":[{\"containerPort\":80}]}]",
          "spec.containers.0.ports.0", "{\"containerPort\":80,\"protocol\":\"TCP\"}" },
        { "host port", ",\"hostNetwork\":true",
          "[{\"name\":\"c\",\"image\":\"a:1\",\"ports\":[{\"containerPort\":80}]}]",
          "spec.containers.0.ports.0.hostPort", "80" },
        { "request of limit", "",
          "[{\"name\":\"c\",\"image\":\"a:1\",\"resources\":{\"limits\":{\"cpu\":\"2\"}}}]",
          "spec.containers.0.resources.requests", "{\"cpu\":\"2\"}" },
        { "request kept", "",
          "[{\"name\":\"c\",\"image\":\"a:1\",\"resources\":{\"limits\":{\"cpu\":\"2\"},"
          "\"requests\":{\"cpu\":\"1\"}}}]",
          "spec.containers.0.resources.requests", "{\"cpu\":\"1\"}" },
        { "fine amounts", "",
          "[{\"name\":\"c\",\"image\":\"a:1\",\"resources\":{\"requests\":{\"cpu\":\"100u\"}}}]",
          "spec.containers.0.resources.requests.cpu", "\"1m\"" },
        { "probe", "",
          "[{\"name\":\"c\",\"image\":\"a:1\",\"livenessProbe\":{\"httpGet\":{\"port\":80}}}]",
          "spec.containers.0.livenessProbe",
          "{\"httpGet\":{\"path\":\"/\",\"port\":80,\"scheme\":\"HTTP\"},\"timeoutSeconds\":1,"
          "\"periodSeconds\":10,\"successThreshold\":1,\"failureThreshold\":3}" },
        { "grpc probe", "",
          "[{\"name\":\"c\",\"image\":\"a:1\",\"livenessProbe\":{\"grpc\":{\"port\":80}}}]",
          "spec.containers.0.livenessProbe.grpc", "{\"port\":80,\"service\":\"\"}" },
        { "field of the environment", "",
          "[{\"name\":\"c\",\"image\":\"a:1\",\"env\":[{\"name\":\"A\",\"valueFrom\":{\"fieldRef\":"
          "{\"fieldPath\":\"spec.nodeName\"}}}]}]",
          "spec.containers.0.env.0.valueFrom.fieldRef.apiVersion", "\"v1\"" },

        { "bare volume", ",\"volumes\":[{\"name\":\"v\"}]", NULL, "spec.volumes.0.emptyDir", "{}" },
        { "secret mode", ",\"volumes\":[{\"name\":\"v\",\"secret\":{\"secretName\":\"s\"}}]", NULL,
          "spec.volumes.0.secret.defaultMode", "420" },
        { "host path", ",\"volumes\":[{\"name\":\"v\",\"hostPath\":{\"path\":\"/x\"}}]", NULL,
          "spec.volumes.0.hostPath.type", "\"\"" },
        { "token",
          ",\"volumes\":[{\"name\":\"v\",\"projected\":{\"sources\":[{"
          "\"serviceAccountToken\":{\"path\":\"t\"}}]}}]",
          NULL, "spec.volumes.0.projected.sources.0.serviceAccountToken.expirationSeconds",
          "3600" },
};

static void test_defaults(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct buf pod = { 0 };
                struct kind_test test;

                buf_printf(&pod, "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":%s%s}}",
                           cases[i].containers ? cases[i].containers : PLAIN, cases[i].spec);
                kind_test_begin(&test, "v1", "Pod", pod.data, NULL);
                assert_int_equal(kind_test_write(&test, KIND_CREATE), 0);
                assert_json_at(test.object, cases[i].path, cases[i].expected);
                kind_test_end(&test);
                buf_release(&pod);
        }
}

/* ---- quality of service ---- */

static const struct {
        const char *resources, *more, *expected;
} qos_cases[] = {
        { "{}", "", "\"BestEffort\"" },
        { "{\"requests\":{\"cpu\":\"0\"}}", "", "\"BestEffort\"" },
        { "{\"requests\":{\"nvidia.com/gpu\":\"1\"},\"limits\":{\"nvidia.com/gpu\":\"1\"}}", "",
          "\"BestEffort\"" },
        { "{\"requests\":{\"cpu\":\"1\"}}", "", "\"Burstable\"" },
        { "{\"limits\":{\"cpu\":\"1\"}}", "", "\"Burstable\"" },
        { "{\"limits\":{\"cpu\":\"1\",\"memory\":\"1Gi\"}}", "", "\"Guaranteed\"" },
        { "{\"limits\":{\"cpu\":\"1\",\"memory\":\"1Gi\"},\"requests\":{\"cpu\":\"500m\"}}", "",
          "\"Burstable\"" },
        { "{\"limits\":{\"cpu\":\"1\",\"memory\":\"1Gi\"}}",
          ",\"initContainers\":[{\"name\":\"i\",\"image\":\"a:1\"}]", "\"Burstable\"" },
        /* what the pod says as a whole counts alone, even if it says nothing */
        { "{\"limits\":{\"cpu\":\"1\"}}", ",\"resources\":{}", "\"BestEffort\"" },
};

static void test_qos(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(qos_cases); i++) {
                struct buf pod = { 0 };
                struct kind_test test;

                buf_printf(
                        &pod,
                        "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{\"name\":\"c\","
                        "\"image\":\"a:1\",\"resources\":%s}]%s}}",
                        qos_cases[i].resources, qos_cases[i].more);
                kind_test_begin(&test, "v1", "Pod", pod.data, NULL);
                assert_int_equal(kind_test_write(&test, KIND_CREATE), 0);
                assert_json_at(test.object, "status.qosClass", qos_cases[i].expected);
                kind_test_end(&test);
                buf_release(&pod);
        }
}

/* ---- admission ---- */

static const struct other_object others[] = {
        { "scheduling.k8s.io/priorityclasses",
          "{\"metadata\":{\"name\":\"high\"},\"value\":1000,\"preemptionPolicy\":\"Never\"}" },
        { "scheduling.k8s.io/priorityclasses",
          "{\"metadata\":{\"name\":\"usual\"},\"value\":7,\"globalDefault\":true,"
          "\"preemptionPolicy\":\"PreemptLowerPriority\"}" },
        { "node.k8s.io/runtimeclasses",
          "{\"metadata\":{\"name\":\"vm\"},\"handler\":\"h\",\"overhead\":{\"podFixed\":{\"cpu\":"
          "\"50m\"}},\"scheduling\":{\"nodeSelector\":{\"k\":\"v\"},\"tolerations\":[{\"key\":"
          "\"x\","
          "\"operator\":\"Exists\"}]}}" },
        { "/nodes",
          "{\"metadata\":{\"name\":\"n1\",\"labels\":{\"topology.kubernetes.io/zone\":\"z\","
          "\"other\":\"x\"}}}" },
        { "/limitranges",
          "{\"spec\":{\"limits\":[{\"type\":\"Container\",\"default\":{\"memory\":\"1Gi\"},"
          "\"defaultRequest\":{\"memory\":\"512Mi\"},\"max\":{\"memory\":\"2Gi\"},"
          "\"maxLimitRequestRatio\":{\"memory\":"
          "\"2\"}}]}}" },
        { NULL, NULL },
};

static const struct {
        const char *spec, *error; /* NULL = admitted */
        const char *path, *expected;
} admit_cases[] = {
        { "", NULL, "spec.priority", "7" },
        { "", NULL, "spec.priorityClassName", "\"usual\"" },
        { ",\"priorityClassName\":\"high\"", NULL, "spec.priority", "1000" },
        { ",\"priorityClassName\":\"high\"", NULL, "spec.preemptionPolicy", "\"Never\"" },
        { ",\"priorityClassName\":\"nope\"",
          "pods \"p\" is forbidden: no PriorityClass with name nope was found", NULL, NULL },
        { ",\"priority\":3",
          "pods \"p\" is forbidden: the integer value of priority (3) must not be provided in pod "
          "spec; priority admission controller computed 7 from the given PriorityClass name",
          NULL, NULL },
        { ",\"runtimeClassName\":\"vm\"", NULL, "spec.overhead", "{\"cpu\":\"50m\"}" },
        { ",\"runtimeClassName\":\"vm\"", NULL, "spec.nodeSelector", "{\"k\":\"v\"}" },
        { ",\"runtimeClassName\":\"vm\"", NULL, "spec.tolerations.2.key", "\"x\"" },
        { ",\"runtimeClassName\":\"vm\",\"nodeSelector\":{\"k\":\"w\"}",
          "pods \"p\" is forbidden: conflict: runtimeClass.scheduling.nodeSelector[k] = v; "
          "pod.spec.nodeSelector[k] = w",
          NULL, NULL },
        { ",\"runtimeClassName\":\"none\"",
          "pods \"p\" is forbidden: pod rejected: RuntimeClass \"none\" not found", NULL, NULL },
        { ",\"overhead\":{\"cpu\":\"1m\"}",
          "pods \"p\" is forbidden: pod rejected: Pod Overhead set without corresponding "
          "RuntimeClass defined Overhead",
          NULL, NULL },
        { ",\"runtimeClassName\":\"vm\",\"overhead\":{\"cpu\":\"0.05\"}", NULL, "spec.overhead",
          "{\"cpu\":\"50m\"}" },
        { ",\"runtimeClassName\":\"vm\",\"overhead\":{\"cpu\":\"1\"}",
          "pods \"p\" is forbidden: pod rejected: Pod's Overhead doesn't match RuntimeClass's "
          "defined Overhead",
          NULL, NULL },
        { ",\"runtimeClassName\":\"vm\",\"overhead\":{\"cpu\":\"50m\",\"memory\":\"1\"}",
          "pods \"p\" is forbidden: pod rejected: Pod's Overhead doesn't match RuntimeClass's "
          "defined Overhead",
          NULL, NULL },
        { ",\"nodeName\":\"n1\"", NULL, "metadata.labels",
          "{\"topology.kubernetes.io/zone\":\"z\"}" },
        { ",\"nodeName\":\"n2\"", NULL, "metadata.labels", NULL },
        { "", NULL, "spec.containers.0.resources",
          "{\"limits\":{\"memory\":\"1Gi\"},\"requests\":{\"memory\":\"512Mi\"}}" },
        { "", NULL, "metadata.annotations",
          "{\"kubernetes.io/limit-ranger\":\"LimitRanger plugin set: memory request for container "
          "c; "
          "memory limit for container c\"}" },
        { ",\"initContainers\":[{\"name\":\"i\",\"image\":\"a:1\",\"resources\":{\"limits\":{"
          "\"memory\":\"3Gi\"}}}]",
          "pods \"p\" is forbidden: maximum memory usage per Container is 2Gi, but limit is 3Gi",
          NULL, NULL },
        { ",\"initContainers\":[{\"name\":\"i\",\"image\":\"a:1\",\"resources\":{\"limits\":{"
          "\"memory\":\"1Gi\"},\"requests\":{\"memory\":\"256Mi\"}}}]",
          "pods \"p\" is forbidden: memory max limit to request ratio per Container is 2, but "
          "provided ratio is 4.000000",
          NULL, NULL },
};

static void test_admission(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(admit_cases); i++) {
                struct buf pod = { 0 };
                struct kind_test test;
                int r;

                buf_printf(&pod,
                           "{\"metadata\":{\"name\":\"p\",\"namespace\":\"n\"},\"spec\":{"
                           "\"containers\":" PLAIN "%s}}",
                           admit_cases[i].spec);
                kind_test_begin(&test, "v1", "Pod", pod.data, NULL);
                test.others = others;
                r = kind_test_write(&test, KIND_CREATE);
                if (r == 0)
                        r = limit_range_judge(&test.context, test.tree, test.object, NULL,
                                              &test.err);
                if (r == 0)
                        r = runtime_class_judge(
                                &test.context, test.object,
                                (struct field_errors[1]){ { .arena = test.context.scratch } },
                                &test.err);
                if (admit_cases[i].error) {
                        assert_int_equal(r, BERTH_ERR_FORBIDDEN);
                        assert_string_equal(test.err.text, admit_cases[i].error);
                } else {
                        assert_int_equal(r, 0);
                        assert_json_at(test.object, admit_cases[i].path, admit_cases[i].expected);
                }
                kind_test_end(&test);
                buf_release(&pod);
        }
}

/* A container without resources, and what else a pod has, against bounds of whole pods. */
static const struct {
        const char *spec, *error; /* NULL = admitted */
} bound_cases[] = {
        { "", "pods \"p\" is forbidden: maximum cpu usage per Pod is 4.  No limit is specified" },
        { ",\"resources\":{\"limits\":{\"cpu\":\"3\"}}", NULL },
        { ",\"resources\":{\"limits\":{\"cpu\":\"5\"}}",
          "pods \"p\" is forbidden: maximum cpu usage per Pod is 4, but limit is 5" },
        { ",\"initContainers\":[{\"name\":\"i\",\"image\":\"a:1\",\"resources\":{\"limits\":{"
          "\"cpu\":\"3\"}}},{\"name\":\"j\",\"image\":\"a:1\",\"resources\":{\"limits\":{"
          "\"cpu\":\"2\"}}}]",
          NULL },
        { ",\"initContainers\":[{\"name\":\"i\",\"image\":\"a:1\",\"restartPolicy\":\"Always\","
          "\"resources\":{\"limits\":{\"cpu\":\"3\"}}},{\"name\":\"j\",\"image\":\"a:1\","
          "\"resources\":{\"limits\":{\"cpu\":\"2\"}}}]",
          "pods \"p\" is forbidden: maximum cpu usage per Pod is 4, but limit is 5" },
};

static void test_pod_bounds(void **state) {
        static const struct other_object ranges[] = {
                { "/limitranges",
                  "{\"spec\":{\"limits\":[{\"type\":\"Pod\",\"max\":{\"cpu\":\"4\"}}]}}" },
                { NULL, NULL },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(bound_cases); i++) {
                struct buf pod = { 0 };
                struct kind_test test;

                buf_printf(&pod,
                           "{\"metadata\":{\"name\":\"p\",\"namespace\":\"n\"},\"spec\":{"
                           "\"containers\":" PLAIN "%s}}",
                           bound_cases[i].spec);
                kind_test_begin(&test, "v1", "Pod", pod.data, NULL);
                test.others = ranges;
                assert_int_equal(kind_test_write(&test, KIND_CREATE), 0);
                assert_int_equal(
                        limit_range_judge(&test.context, test.tree, test.object, NULL, &test.err),
                        bound_cases[i].error ? BERTH_ERR_FORBIDDEN : 0);
                if (bound_cases[i].error)
                        assert_string_equal(test.err.text, bound_cases[i].error);
                kind_test_end(&test);
                buf_release(&pod);
        }
}

/* Of two ranges the first that is not kept to complains, of equal complaints of containers once. */
static void test_range_complaints(void **state) {
        static const struct other_object ranges[] = {
                { "/limitranges",
                  "{\"metadata\":{\"name\":\"l\"},\"spec\":{\"limits\":[{\"type\":\"Container\","
                  "\"min\":{\"cpu\":\"4\"}}]}}" },
                { "/limitranges",
                  "{\"metadata\":{\"name\":\"m\"},\"spec\":{\"limits\":[{\"type\":\"Container\","
                  "\"max\":{\"memory\":\"4\"}}]}}" },
                { NULL, NULL },
        };
        struct kind_test test;

        (void)state;
        kind_test_begin(&test, "v1", "Pod",
                        "{\"metadata\":{\"name\":\"p\",\"namespace\":\"n\"},\"spec\":{"
                        "\"initContainers\":" PLAIN ",\"containers\":" PLAIN "}}",
                        NULL);
        test.others = ranges;
        assert_int_equal(limit_range_judge(&test.context, test.tree, test.object, NULL, &test.err),
                         BERTH_ERR_FORBIDDEN);
        assert_string_equal(test.err.text,
                            "pods \"p\" is forbidden: minimum cpu usage per Container is 4.  No "
                            "request is specified");
        kind_test_end(&test);
}

/* Which writes of which objects ranges look at. */
static const struct {
        const char *kind, *subresource, *old;
        bool is_limited;
} limited_cases[] = {
        { "Pod", "", NULL, true },
        { "Pod", "", "{}", false },
        { "Pod", "status", "{}", false },
        { "Pod", "resize", "{}", true },
        { "Pod", "resize", "{\"metadata\":{\"deletionTimestamp\":\"" TEST_NOW "\"}}", false },
        { "PersistentVolumeClaim", "", NULL, true },
        { "PersistentVolumeClaim", "", "{}", true },
        { "PersistentVolumeClaim", "status", "{}", false },
        { "PersistentVolumeClaim", "", "{\"metadata\":{\"deletionTimestamp\":\"" TEST_NOW "\"}}",
          false },
        { "ConfigMap", "", NULL, false },
};

static void test_limited_writes(void **state) {
        static const struct other_object ranges[] = {
                { "/limitranges",
                  "{\"spec\":{\"limits\":[{\"type\":\"Pod\",\"min\":{\"cpu\":\"4\"}},{\"type\":"
                  "\"PersistentVolumeClaim\",\"max\":{\"storage\":\"1\"}}]}}" },
                { NULL, NULL },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(limited_cases); i++) {
                struct kind_test test;

                kind_test_begin(&test, "v1", limited_cases[i].kind,
                                "{\"metadata\":{\"name\":\"p\",\"namespace\":\"n\"},\"spec\":{"
                                "\"resources\":{\"requests\":{\"storage\":\"2\"}}}}",
                                limited_cases[i].old);
                test.others = ranges;
                test.context.subresource = slice_of(limited_cases[i].subresource);
                int r = limit_range_judge(&test.context, test.tree, test.object, test.old,
                                          &test.err);
                if ((r < 0) != limited_cases[i].is_limited)
                        fail_msg("case %zu: %s", i, test.err.text);
                kind_test_end(&test);
        }
}

/* A client that leaves out what admission filled in does not thereby change it. */
static void test_update_keeps_priority(void **state) {
        struct kind_test test;

        (void)state;
        kind_test_begin(&test, "v1", "Pod",
                        "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":" PLAIN "}}",
                        "{\"spec\":{\"priority\":5,\"preemptionPolicy\":\"Never\"},"
                        "\"status\":{\"phase\":\"Running\"}}");
        assert_int_equal(kind_test_write(&test, KIND_UPDATE), 0);
        assert_json_at(test.object, "spec.priority", "5");
        assert_json_at(test.object, "spec.preemptionPolicy", "\"Never\"");
        assert_json_at(test.object, "status.phase", "\"Running\"");
        kind_test_end(&test);
}

static void test_addresses(void **state) {
        struct kind_test test;

        (void)state;
        kind_test_begin(&test, "v1", "Pod", "{\"status\":{\"podIPs\":[{\"ip\":\"10.0.0.1\"}]}}",
                        NULL);
        test.kind->apply_defaults(test.tree, test.object);
        assert_json_at(test.object, "status.podIP", "\"10.0.0.1\"");
        kind_test_end(&test);
        kind_test_begin(&test, "v1", "Pod",
                        "{\"status\":{\"podIP\":\"10.0.0.2\",\"podIPs\":[{\"ip\":\"10.0.0.1\"}]}}",
                        NULL);
        test.kind->apply_defaults(test.tree, test.object);
        assert_json_at(test.object, "status.podIPs", "[{\"ip\":\"10.0.0.2\"}]");
        kind_test_end(&test);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_defaults),
                cmocka_unit_test(test_qos),
                cmocka_unit_test(test_admission),
                cmocka_unit_test(test_pod_bounds),
                cmocka_unit_test(test_range_complaints),
                cmocka_unit_test(test_limited_writes),
                cmocka_unit_test(test_update_keeps_priority),
                cmocka_unit_test(test_addresses),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
