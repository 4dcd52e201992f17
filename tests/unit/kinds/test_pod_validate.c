/* Validation of pods at create and of what updates may change. */
#include "kind_test.h"

#define PLAIN "[{\"name\":\"c\",\"image\":\"app:1\"}]"
#define SUBDOMAIN                                                                                  \
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' "  \
        "or '.', and must start and end with an alphanumeric character (e.g. 'example.com', "      \
        "regex used for validation is "                                                            \
        "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"

struct invalid_case {
        const char *containers; /* NULL = one plain container */
        const char *spec;
        const char *complaints; /* "" = valid */
};

static const struct invalid_case cases[] = {
        { NULL, "", "" },
        { "[]", "", "spec.containers: Required value" },
        { "[{}]", "",
          "spec.containers[0].name: Required value\nspec.containers[0].image: Required value" },
        { "[{\"name\":\"c\",\"image\":\"a:1\"},{\"name\":\"c\",\"image\":\"a:1\"}]", "",
          "spec.containers[1].name: Duplicate value: \"c\"" },
        { NULL, ",\"initContainers\":[{\"name\":\"c\",\"image\":\"a:1\"}]",
          "spec.initContainers[0].name: Duplicate value: \"c\"" },
        { "[{\"name\":\"c\",\"image\":\" x\"}]", "",
          "spec.containers[0].image: Invalid value: \" x\": must not have leading or trailing "
          "whitespace" },
        { "[{\"name\":\"c\",\"image\":\"x\",\"imagePullPolicy\":\"Sometimes\"}]", "",
          "spec.containers[0].imagePullPolicy: Unsupported value: \"Sometimes\": supported values: "
          "\"Always\", \"IfNotPresent\", \"Never\"" },
        /* texts in Go's quotes, what has a type of its own as JSON; blanks are those of Unicode */
        { "[{\"name\":\"c\",\"image\":\"\\u2028x\",\"imagePullPolicy\":\"\\u0001\"}]", "",
          "spec.containers[0].imagePullPolicy: Unsupported value: \"\\u0001\": supported values: "
          "\"Always\", \"IfNotPresent\", \"Never\"\n"
          "spec.containers[0].image: Invalid value: \"\\u2028x\": must not have leading or "
          "trailing "
          "whitespace" },
        { NULL, ",\"nodeName\":\"\\u0001\\u200b\"",
          "spec.nodeName: Invalid value: \"\\x01\\u200b\": a lowercase RFC 1123 subdomain must "
          "consist "
          "of lower case alphanumeric characters, '-' or '.', and must start and end with an "
          "alphanumeric character (e.g. 'example.com', regex used for validation is "
          "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')" },

        /* ports */
        { "[{\"name\":\"c\",\"image\":\"x\",\"ports\":[{\"containerPort\":0}]}]", "",
          "spec.containers[0].ports[0].containerPort: Required value" },
        { "[{\"name\":\"c\",\"image\":\"x\",\"ports\":[{\"containerPort\":70000}]}]", "",
          "spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and "
          "65535, inclusive" },
        { "[{\"name\":\"c\",\"image\":\"x\",\"ports\":[{\"containerPort\":1,\"hostPort\":9},{"
          "\"containerPort\":2,\"hostPort\":9}]}]",
          "", "spec.containers[0].ports[1].hostPort: Duplicate value: \"TCP//9\"" },
        { "[{\"name\":\"c\",\"image\":\"x\",\"ports\":[{\"containerPort\":1,\"hostPort\":9},{"
          "\"containerPort\":2,\"hostPort\":9,\"protocol\":\"UDP\"}]}]",
          "", "" },
        { "[{\"name\":\"c\",\"image\":\"x\",\"ports\":[{\"containerPort\":1,\"name\":\"123\"}]}]",
          "",
          "spec.containers[0].ports[0].name: Invalid value: \"123\": must contain at least one "
          "letter (a-z)" },

        /* mounts and devices: of mounts that share a name only the last path counts */
        { "[{\"name\":\"c\",\"image\":\"x\",\"volumeMounts\":[{\"name\":\"m\",\"mountPath\":\"/"
          "a\"},{"
          "\"name\":\"m\",\"mountPath\":\"/b\"}],\"volumeDevices\":[{\"name\":\"p\",\"devicePath\":"
          "\"/a\"},{\"name\":\"q\",\"devicePath\":\"/b\"}]}]",
          ",\"volumes\":[{\"name\":\"m\",\"emptyDir\":{}},{\"name\":\"p\","
          "\"persistentVolumeClaim\":{\"claimName\":\"a\"}},{\"name\":\"q\","
          "\"persistentVolumeClaim\":{\"claimName\":\"b\"}}]",
          "spec.containers[0].volumeMounts[0].mountPath: Invalid value: \"/a\": must not already "
          "exist as a path in volumeDevices\nspec.containers[0].volumeMounts[1].mountPath: Invalid "
          "value: \"/b\": must not already exist as a path in volumeDevices\n"
          "spec.containers[0].volumeDevices[1].devicePath: Invalid value: \"/b\": must not already "
          "exist as a path in volumeMounts" },

        /* resources */
        { "[{\"name\":\"c\",\"image\":\"x\",\"resources\":{\"requests\":{\"cpu\":\"2\"},\"limits\":"
          "{"
          "\"cpu\":\"1\"}}}]",
          "",
          "spec.containers[0].resources.requests: Invalid value: \"2\": must be less than or equal "
          "to cpu limit of 1" },
        { "[{\"name\":\"c\",\"image\":\"x\",\"resources\":{\"requests\":{\"cpu\":\"-1\"}}}]", "",
          "spec.containers[0].resources.requests[cpu]: Invalid value: \"-1\": must be greater than "
          "or equal to 0" },
        { "[{\"name\":\"c\",\"image\":\"x\",\"resources\":{\"requests\":{\"a.com/b\":\"1\"}}}]", "",
          "spec.containers[0].resources.limits: Required value: Limit must be set for non "
          "overcommitable resources" },
        { "[{\"name\":\"c\",\"image\":\"x\",\"resources\":{\"requests\":{\"a.com/b\":\"1\"},"
          "\"limits\":{\"a.com/b\":\"2\"}}}]",
          "",
          "spec.containers[0].resources.requests: Invalid value: \"1\": must be equal to a.com/b "
          "limit of 2" },
        { "[{\"name\":\"c\",\"image\":\"x\",\"resources\":{\"requests\":{\"weird\":\"1\"}}}]", "",
          "spec.containers[0].resources.requests[weird]: Invalid value: \"weird\": must be a "
          "standard resource type or fully qualified\n"
          "spec.containers[0].resources.requests[weird]: Invalid value: \"weird\": must be a "
          "standard resource for containers" },
        { "[{\"name\":\"c\",\"image\":\"x\",\"resources\":{\"limits\":{\"hugepages-2Mi\":\"4Mi\"}}}"
          "]",
          "", "spec.containers[0].resources: Forbidden: HugePages require cpu or memory" },

        /* probes */
        { "[{\"name\":\"c\",\"image\":\"x\",\"livenessProbe\":{}}]", "",
          "spec.containers[0].livenessProbe: Required value: must specify a handler type" },
        { "[{\"name\":\"c\",\"image\":\"x\",\"livenessProbe\":{\"tcpSocket\":{\"port\":1},"
          "\"successThreshold\":2}}]",
          "", "spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1" },
        { NULL,
          ",\"initContainers\":[{\"name\":\"i\",\"image\":\"x\",\"livenessProbe\":{\"tcpSocket\":{"
          "\"port\":1}}}]",
          "spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers "
          "without restartPolicy=Always" },

        /* environment */
        { "[{\"name\":\"c\",\"image\":\"x\",\"env\":[{\"name\":\"A\",\"valueFrom\":{\"fieldRef\":{"
          "\"fieldPath\":\"spec.x\"}}}]}]",
          "",
          "spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Invalid value: \"spec.x\": "
          "error "
          "converting fieldPath: field label not supported: spec.x" },
        { "[{\"name\":\"c\",\"image\":\"x\",\"env\":[{\"name\":\"A\",\"valueFrom\":{}}]}]", "",
          "spec.containers[0].env[0].valueFrom: Invalid value: \"\": must specify one of: "
          "`fieldRef`, "
          "`resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`" },

        /* volumes */
        { "[{\"name\":\"c\",\"image\":\"x\",\"volumeMounts\":[{\"name\":\"v\",\"mountPath\":\"/"
          "v\"}]}]",
          "", "spec.containers[0].volumeMounts[0].name: Not found: \"v\"" },
        { NULL, ",\"volumes\":[{\"name\":\"v\",\"emptyDir\":{},\"hostPath\":{\"path\":\"/\"}}]",
          "spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type" },
        { NULL, ",\"volumes\":[{\"name\":\"v\"},{\"name\":\"v\"}]",
          "spec.volumes[1].name: Duplicate value: \"v\"" },

        /* placement */
        { NULL, ",\"tolerations\":[{\"key\":\"a\",\"operator\":\"Exists\",\"value\":\"v\"}]",
          "spec.tolerations[0].operator: Invalid value: \"v\": value must be empty when `operator` "
          "is 'Exists'" },
        { NULL,
          ",\"tolerations\":[{\"key\":\"a\",\"effect\":\"NoSchedule\",\"tolerationSeconds\":5}]",
          "spec.tolerations[0].effect: Invalid value: \"NoSchedule\": effect must be 'NoExecute' "
          "when `tolerationSeconds` is set" },
        { NULL,
          ",\"topologySpreadConstraints\":[{\"maxSkew\":1,\"topologyKey\":\"z\","
          "\"whenUnsatisfiable\":\"ScheduleAnyway\",\"minDomains\":2}]",
          "spec.topologySpreadConstraints[0].minDomains: Invalid value: 2: can only use minDomains "
          "if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway" },
        { NULL,
          ",\"topologySpreadConstraints\":[{\"maxSkew\":1,\"topologyKey\":\"z\","
          "\"whenUnsatisfiable\":\"DoNotSchedule\",\"nodeAffinityPolicy\":\"\"}]",
          "spec.topologySpreadConstraints[0].nodeAffinityPolicy: Unsupported value: \"\": "
          "supported "
          "values: \"Honor\", \"Ignore\"" },
        { NULL,
          ",\"affinity\":{\"nodeAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":{"
          "\"nodeSelectorTerms\":[]}}}",
          "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
          "nodeSelectorTerms: Required value: must have at least one node selector term" },
        { NULL,
          ",\"affinity\":{\"nodeAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":{"
          "\"nodeSelectorTerms\":[{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Gt\"}]}]}}}",
          "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
          "nodeSelectorTerms[0].matchExpressions[0].values: Required value: must be specified "
          "single value when `operator` is 'Lt' or 'Gt'" },
        { NULL,
          ",\"affinity\":{\"podAffinity\":{\"preferredDuringSchedulingIgnoredDuringExecution\":[{"
          "\"weight\":101,\"podAffinityTerm\":{\"topologyKey\":\"z\"}}]}}",
          "spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: "
          "Invalid value: 101: must be in the range 1-100" },
        { NULL, ",\"schedulingGates\":[{\"name\":\"a\"},{\"name\":\"a\"}]",
          "spec.schedulingGates[1]: Duplicate value: \"a\"" },
        { NULL, ",\"schedulingGates\":[{\"name\":\"a\"}],\"nodeName\":\"n\"",
          "spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared" },

        /* the rest */
        { NULL, ",\"restartPolicy\":\"Maybe\"",
          "spec.restartPolicy: Unsupported value: \"Maybe\": supported values: \"Always\", "
          "\"OnFailure\", \"Never\"" },
        { NULL, ",\"nodeName\":\"Bad_Node\"",
          "spec.nodeName: Invalid value: \"Bad_Node\": " SUBDOMAIN },
        { NULL, ",\"activeDeadlineSeconds\":0",
          "spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, "
          "inclusive" },
        { NULL, ",\"dnsPolicy\":\"None\"",
          "spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None" },
        { NULL, ",\"ephemeralContainers\":[{\"name\":\"e\",\"image\":\"x\"}]",
          "spec.ephemeralContainers: Forbidden: cannot be set on create" },
};

static void test_create(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct buf pod = { 0 };
                struct kind_test test;
                char *complaints;

                buf_printf(&pod, "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":%s%s}}",
                           cases[i].containers ? cases[i].containers : PLAIN, cases[i].spec);
                kind_test_begin(&test, "v1", "Pod", pod.data, NULL);
                assert_int_equal(kind_test_write(&test, KIND_CREATE), 0);
                complaints = kind_test_complaints(&test);
                assert_string_equal(complaints, cases[i].complaints);
                free(complaints);
                kind_test_end(&test);
                buf_release(&pod);
        }
}

/* ---- updates ---- */

#define UPDATABLE                                                                                  \
        "spec: Forbidden: pod updates may not change fields other than "                           \
        "`spec.containers[*].image`,`spec.initContainers[*].image`,"                               \
        "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing "             \
        "tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was "    \
        "previously negative)\n"

/* Members of the spec before and after; containers and defaults are added to both. */
static const struct {
        const char *before, *after, *complaints;
} updates[] = {
        { "", "", "" },
        { "", ",\"schedulerName\":\"z\"",
          UPDATABLE "@@ -68,7 +68,7 @@\n  \"Subdomain\": \"\",\n  \"SetHostnameAsFQDN\": null,\n  "
                    "\"Affinity\": null,\n- \"SchedulerName\": \"default-scheduler\",\n+ "
                    "\"SchedulerName\": \"z\",\n  \"Tolerations\": [\n   {\n    \"Key\": "
                    "\"node.kubernetes.io/not-ready\",\n" },
        { "", ",\"nodeSelector\":{\"a\":\"b\"}",
          UPDATABLE "@@ -39,7 +39,9 @@\n  \"TerminationGracePeriodSeconds\": 30,\n  "
                    "\"ActiveDeadlineSeconds\": null,\n  \"DNSPolicy\": \"ClusterFirst\",\n- "
                    "\"NodeSelector\": null,\n+ \"NodeSelector\": {\n+  \"a\": \"b\"\n+ },\n  "
                    "\"ServiceAccountName\": \"\",\n  \"AutomountServiceAccountToken\": null,\n  "
                    "\"NodeName\": \"\",\n" },
        { "", ",\"activeDeadlineSeconds\":60", "" },
        { ",\"activeDeadlineSeconds\":60", ",\"activeDeadlineSeconds\":50", "" },
        { ",\"activeDeadlineSeconds\":60", ",\"activeDeadlineSeconds\":70",
          "spec.activeDeadlineSeconds: Invalid value: 70: must be less than or equal to previous "
          "value" },
        { ",\"activeDeadlineSeconds\":60", "",
          "spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive "
          "integer "
          "to nil value" },
        { ",\"tolerations\":[{\"key\":\"a\",\"operator\":\"Exists\"}]",
          ",\"tolerations\":[{\"key\":\"a\",\"operator\":\"Exists\"},{\"key\":\"b\",\"operator\":"
          "\"Exists\"}]",
          "" },
        { ",\"tolerations\":[{\"key\":\"a\",\"operator\":\"Exists\"}]",
          ",\"tolerations\":[{\"key\":\"b\",\"operator\":\"Exists\"}]",
          "spec.tolerations: Forbidden: existing toleration can not be modified except its "
          "tolerationSeconds" },
        { "", ",\"schedulingGates\":[{\"name\":\"a/b\"}]",
          "spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new "
          "scheduling gate 'a/b'" },
        { ",\"schedulingGates\":[{\"name\":\"a/b\"}]", "", "" },
        { "", ",\"schedulingGates\":[{\"name\":\"a\"},{\"name\":\"b\"},{\"name\":\"a\"}]",
          "spec.schedulingGates[2]: Duplicate value: \"a\"\n"
          "spec.schedulingGates[1].name: Forbidden: only deletion is allowed, but found new "
          "scheduling gate 'b'\nspec.schedulingGates[2].name: Forbidden: only deletion is allowed, "
          "but found new scheduling gate 'a'" },
        { ",\"schedulingGates\":[{\"name\":\"a/b\"}]",
          ",\"schedulingGates\":[{\"name\":\"a/b\"}],\"nodeSelector\":{\"a\":\"b\"}", "" },
        { ",\"schedulingGates\":[{\"name\":\"a/b\"}],\"nodeSelector\":{\"a\":\"b\"}",
          ",\"schedulingGates\":[{\"name\":\"a/b\"}],\"nodeSelector\":{\"a\":\"c\"}",
          "spec.nodeSelector: Invalid value: {\"a\":\"c\"}: only additions to spec.nodeSelector "
          "are "
          "allowed (no mutations or deletions)" },
        { ",\"schedulingGates\":[{\"name\":\"a/b\"}]",
          ",\"schedulingGates\":[{\"name\":\"a/b\"}],\"affinity\":{\"nodeAffinity\":{"
          "\"requiredDuringSchedulingIgnoredDuringExecution\":{\"nodeSelectorTerms\":[{"
          "\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Exists\"}]}]}}}",
          "" },
        { ",\"initContainers\":[{\"name\":\"i\",\"image\":\"x:1\"}]", "",
          "spec.initContainers: Forbidden: pod updates may not add or remove containers" },
        { ",\"initContainers\":[{\"name\":\"i\",\"image\":\"x:1\",\"imagePullPolicy\":\"Never\"}]",
          ",\"initContainers\":[{\"name\":\"i\",\"image\":\"x:2\",\"imagePullPolicy\":\"Never\"}]",
          "" },
};

static char *created_pod(const char *members) {
        struct buf pod = { 0 };
        struct kind_test test;

        buf_printf(&pod, "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":" PLAIN "%s}}",
                   members);
        kind_test_begin(&test, "v1", "Pod", pod.data, NULL);
        assert_int_equal(kind_test_write(&test, KIND_CREATE), 0);
        buf_clear(&pod);
        node_write(test.object, &pod);
        kind_test_end(&test);
        return buf_take(&pod, NULL);
}

static void test_update(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(updates); i++) {
                char *before = created_pod(updates[i].before);
                char *after = created_pod(updates[i].after), *complaints;
                struct kind_test test;

                kind_test_begin(&test, "v1", "Pod", after, before);
                assert_int_equal(kind_test_write(&test, KIND_UPDATE), 0);
                complaints = kind_test_complaints(&test);
                assert_string_equal(complaints, updates[i].complaints);
                free(complaints);
                kind_test_end(&test);
                free(before);
                free(after);
        }
}

/* ---- status ---- */

static const struct {
        const char *old_spec, *old_status, *status, *complaints;
} statuses[] = {
        { "", "{}", "{\"phase\":\"Running\"}", "" },
        { ",\"nodeName\":\"n\"", "{}", "{\"nominatedNodeName\":\"m\"}",
          "status.nominatedNodeName: Forbidden: may not be set on pods that are already bound to a "
          "node" },
        { ",\"nodeName\":\"n\"", "{\"nominatedNodeName\":\"m\"}", "{\"nominatedNodeName\":\"m\"}",
          "" },
        { ",\"restartPolicy\":\"Never\"",
          "{\"containerStatuses\":[{\"name\":\"c\",\"state\":{\"terminated\":{\"exitCode\":0}}}]}",
          "{\"containerStatuses\":[{\"name\":\"c\",\"state\":{\"running\":{}}}]}",
          "status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated "
          "state" },
        { ",\"restartPolicy\":\"OnFailure\"",
          "{\"containerStatuses\":[{\"name\":\"c\",\"state\":{\"terminated\":{\"exitCode\":1}}}]}",
          "{\"containerStatuses\":[{\"name\":\"c\",\"state\":{\"running\":{}}}]}", "" },
};

static void test_status(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(statuses); i++) {
                struct buf old = { 0 }, pod = { 0 };
                struct kind_test test;
                char *complaints;

                buf_printf(&old, "{\"spec\":{\"containers\":" PLAIN "%s},\"status\":%s}",
                           statuses[i].old_spec, statuses[i].old_status);
                buf_printf(&pod,
                           "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"nodeName\":\"other\"},"
                           "\"status\":%s}",
                           statuses[i].status);
                kind_test_begin(&test, "v1", "Pod", pod.data, old.data);
                assert_int_equal(kind_test_write(&test, KIND_UPDATE_STATUS), 0);
                complaints = kind_test_complaints(&test);
                assert_string_equal(complaints, statuses[i].complaints);
                assert_json_at(test.object, "spec.containers.0.image", "\"app:1\"");
                free(complaints);
                kind_test_end(&test);
                buf_release(&old);
                buf_release(&pod);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_create),
                cmocka_unit_test(test_update),
                cmocka_unit_test(test_status),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
