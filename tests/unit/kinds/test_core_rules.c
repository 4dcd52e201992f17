/* One row for each family of rules of pods, workloads and core kinds: what is wrong, in order. */
#include "base/util.h"
#include "kind_test.h"
#include "kinds/image_reference.h"
#include <string.h>

struct wrong {
        const char *name, *api_version, *kind, *old, *json, *complaints;
};

#define POD(spec) "{\"spec\":{" spec ",\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}"
#define CONTAINER(members)                                                                         \
        "{\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"," members "}]}}"
#define TEMPLATE                                                                                   \
        "\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{\"restartPolicy\":"       \
        "\"Never\",\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}"
#define JOB(members) "{\"metadata\":{\"name\":\"j\"},\"spec\":{" members "," TEMPLATE "}}"

static const struct wrong wrongs[] = {
        { "a second source", "v1", "Pod", NULL,
          POD("\"volumes\":[{\"name\":\"v\",\"secret\":{\"secretName\":\"s\"},\"downwardAPI\":{}}"
              "]"),
          "spec.volumes[0].downwarAPI: Forbidden: may not specify more than 1 volume type" },
        { "members of a source", "v1", "Pod", NULL,
          POD("\"volumes\":[{\"name\":\"v\",\"configMap\":{\"defaultMode\":1000,\"items\":[{"
              "\"key\":\"k\",\"path\":\"/x/..\"}]}}]"),
          "spec.volumes[0].configMap.name: Required value\n"
          "spec.volumes[0].configMap.defaultMode: Invalid value: 1000: must be a number between 0 "
          "and 0777 (octal), both inclusive\n"
          "spec.volumes[0].configMap.items[0].path: Invalid value: \"/x/..\": must be a relative "
          "path\n"
          "spec.volumes[0].configMap.items[0].path: Invalid value: \"/x/..\": must not contain "
          "'..'" },
        { "files of one path", "v1", "Pod", NULL,
          POD("\"volumes\":[{\"name\":\"v\",\"projected\":{\"sources\":[{\"secret\":{\"name\":"
              "\"s\",\"items\":[{\"key\":\"a\",\"path\":\"p\"},{\"key\":\"b\",\"path\":\"p\"}]}}]}}"
              "]"),
          "spec.volumes[0].projected: Invalid value: \"s\": conflicting duplicate paths" },
        { "names of iSCSI", "v1", "Pod", NULL,
          POD("\"volumes\":[{\"name\":\"v\",\"iscsi\":{\"targetPortal\":\"p\",\"iqn\":\"iqn.1\","
              "\"lun\":300}}]"),
          "spec.volumes[0].iscsi.iqn: Invalid value: \"iqn.1\": must be valid format\n"
          "spec.volumes[0].iscsi.lun: Invalid value: 300: must be between 0 and 255, inclusive" },
        { "fields as variables", "v1", "Pod", NULL,
          CONTAINER("\"env\":[{\"name\":\"a\",\"valueFrom\":{\"fieldRef\":{\"fieldPath\":"
                    "\"status.phase\"}}},{\"name\":\"b\",\"valueFrom\":{\"resourceFieldRef\":{"
                    "\"resource\":\"limits.cpu\",\"divisor\":\"2\"}}}]"),
          "spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Unsupported value: "
          "\"status.phase\": supported values: \"metadata.name\", \"metadata.namespace\", "
          "\"metadata.uid\", \"spec.nodeName\", \"spec.serviceAccountName\", \"status.hostIP\", "
          "\"status.hostIPs\", \"status.podIP\", \"status.podIPs\"\n"
          "spec.containers[0].env[1].valueFrom.resourceFieldRef.divisor: Invalid value: "
          "\"limits.cpu\": only divisor's values 1m and 1 are supported with the cpu resource" },
        { "sources of variables", "v1", "Pod", NULL, CONTAINER("\"envFrom\":[{\"prefix\":\"p\"}]"),
          "spec.containers[0].envFrom: Invalid value: \"\": must specify one of: `configMapRef` or "
          "`secretRef`" },
        { "unknown claims", "v1", "Pod", NULL,
          "{\"spec\":{\"resourceClaims\":[{\"name\":\"b\",\"resourceClaimName\":\"x\"},{\"name\":"
          "\"a\",\"resourceClaimName\":\"x\"}],\"containers\":[{\"name\":\"c\",\"image\":\"i\","
          "\"resources\":{\"claims\":[{\"name\":\"d\"}]}}]}}",
          "spec.containers[0].resources.claims[0]: Not found: \"d\": must be one of the names in "
          "pod.spec.resourceClaims: a, b" },
        { "resources of a pod", "v1", "Pod", NULL,
          "{\"spec\":{\"resources\":{\"requests\":{\"cpu\":\"1\",\"example.com/b\":\"1\"}},"
          "\"containers\":[{\"name\":\"c\",\"image\":\"i\",\"resources\":{\"requests\":{\"cpu\":"
          "\"2\"}}}]}}",
          "spec.resources.requests[example.com/b]: Unsupported value: \"example.com/b\": supported "
          "values: \"cpu\", \"hugepages-\", \"memory\"\n"
          "spec.resources.limits: Required value: Limit must be set for non overcommitable "
          "resources\n"
          "spec.resources.requests[cpu]: Invalid value: \"1\": must be greater than or equal to "
          "aggregate container requests of 2" },
        { "rules of restarts", "v1", "Pod", NULL,
          CONTAINER("\"restartPolicyRules\":[{\"action\":\"x\"}]"),
          "spec.containers[0].restartPolicy: Required value: must specify restartPolicy when "
          "restart rules are used\n"
          "spec.containers[0].restartPolicyRules[0].action: Unsupported value: \"x\": supported "
          "values: \"Restart\", \"RestartAllContainers\"\n"
          "spec.containers[0].restartPolicyRules[0].exitCodes: Required value: must be specified" },
        { "identifiers and profiles", "v1", "Pod", NULL,
          POD("\"securityContext\":{\"runAsUser\":-1,\"seccompProfile\":{\"type\":\"x\"},"
              "\"sysctls\":[{\"name\":\"a.b\",\"value\":\"1\"},{\"name\":\"a.b\",\"value\":\"2\"}]"
              "}"),
          "spec.securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, "
          "inclusive\n"
          "spec.securityContext.sysctls[1].name: Duplicate value: \"a.b\"\n"
          "spec.securityContext.seccompProfile.type: Unsupported value: \"x\": supported values: "
          "\"Localhost\", \"RuntimeDefault\", \"Unconfined\"" },
        { "systems", "v1", "Pod", NULL,
          POD("\"os\":{\"name\":\"windows\"},\"hostPID\":true,\"securityContext\":{\"fsGroup\":1}"),
          "spec.hostPID: Forbidden: cannot be set for a windows pod\n"
          "spec.securityContext.fsGroup: Forbidden: cannot be set for a windows pod" },
        { "keys of labels", "v1", "Pod", NULL,
          POD("\"topologySpreadConstraints\":[{\"maxSkew\":1,\"topologyKey\":\"k\","
              "\"whenUnsatisfiable\":\"DoNotSchedule\",\"matchLabelKeys\":[\"x\"]}]"),
          "spec.topologySpreadConstraints[0].matchLabelKeys: Forbidden: must not be specified when "
          "labelSelector is not set" },
        { "both complaints", "v1", "Pod", NULL, POD("\"nodeSelector\":{\"\":\"b\"}"),
          "spec.nodeSelector: Invalid value: \"\": name part must be non-empty\n"
          "spec.nodeSelector: Invalid value: \"\": name part must consist of alphanumeric "
          "characters, '-', '_' or '.', and must start and end with an alphanumeric character "
          "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
          "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')" },
        { "policies of failure", "batch/v1", "Job", NULL,
          JOB("\"podFailurePolicy\":{\"rules\":[{\"action\":\"FailIndex\",\"onExitCodes\":{"
              "\"operator\":\"In\",\"values\":[3,0]}},{}]}"),
          "spec.podFailurePolicy.rules[0].action: Invalid value: \"FailIndex\": requires the "
          "backoffLimitPerIndex to be set\n"
          "spec.podFailurePolicy.rules[0].onExitCodes.values[1]: Invalid value: 0: must not be 0 "
          "for the In operator\n"
          "spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: [3,0]: must be "
          "ordered\n"
          "spec.podFailurePolicy.rules[1].action: Required value: valid values: [\"Count\" "
          "\"FailIndex\" \"FailJob\" \"Ignore\"]\n"
          "spec.podFailurePolicy.rules[1]: Invalid value: specifying one of OnExitCodes and "
          "OnPodConditions is required" },
        { "policies of success", "batch/v1", "Job", NULL,
          JOB("\"completionMode\":\"Indexed\",\"completions\":3,\"successPolicy\":{\"rules\":[{"
              "\"succeededIndexes\":\"0,2-1\",\"succeededCount\":4}]}"),
          "spec.successPolicy.rules[0].succeededIndexes: Invalid value: \"0,2-1\": error parsing "
          "succeededIndexes: non-increasing order, previous: 2, current: 1\n"
          "spec.successPolicy.rules[0].succeededCount: Invalid value: 4: must be less than or "
          "equal to 3 (the number of specified completions)\n"
          "spec.successPolicy.rules[0].succeededCount: Invalid value: 4: must be less than or "
          "equal to 0 (the number of indexes in the specified succeededIndexes field)" },
        { "revisions", "apps/v1", "ControllerRevision", NULL, "{\"data\":\"x\",\"revision\":-1}",
          "revision: Invalid value: -1: must be greater than or equal to 0\n"
          "data: Required value: data must be a valid JSON object" },
        { "revisions stay", "apps/v1", "ControllerRevision", "{\"data\":{\"a\":1},\"revision\":1}",
          "{\"data\":{\"a\":2},\"revision\":1}",
          "data: Invalid value: {\"a\":2}: field is immutable" },
        { "networks of pods", "v1", "Node", NULL,
          "{\"spec\":{\"podCIDRs\":[\"10.2.0.0/24\",\"10.3.0.0/24\"]}}",
          "spec.podCIDRs: Invalid value: [\"10.2.0.0/24\",\"10.3.0.0/24\"]: may specify no more "
          "than one CIDR for each IP family" },
        { "scopes", "v1", "ResourceQuota", NULL,
          "{\"spec\":{\"hard\":{\"cpu\":\"1\"},\"scopes\":[\"BestEffort\",\"x\"]}}",
          "spec.scopes: Invalid value: [\"BestEffort\",\"x\"]: unsupported scope applied to "
          "resource\n"
          "spec.scopes: Invalid value: [\"BestEffort\",\"x\"]: unsupported scope" },
        { "scope selectors", "v1", "ResourceQuota", NULL,
          "{\"spec\":{\"hard\":{\"pods\":\"1\"},\"scopeSelector\":{\"matchExpressions\":[{"
          "\"scopeName\":\"PriorityClass\",\"operator\":\"In\"}]}}}",
          "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value "
          "when `operator` is 'In' or 'NotIn' for scope selector" },
        { "limits", "v1", "LimitRange", NULL,
          "{\"spec\":{\"limits\":[{\"type\":\"X\"},{\"type\":\"Container\","
          "\"maxLimitRequestRatio\":{\"foo\":\"1\"}"
          "},{\"type\":\"Pod\",\"maxLimitRequestRatio\":{\"cpu\":\"500m\"}}]}}",
          "spec.limits[0].type: Invalid value: \"X\": must be a standard limit type or fully "
          "qualified\n"
          "spec.limits[1].maxLimitRequestRatio[foo]: Invalid value: \"foo\": must be a standard "
          "resource type or "
          "fully qualified\n"
          "spec.limits[1].maxLimitRequestRatio[foo]: Invalid value: \"foo\": must be a standard "
          "resource for "
          "containers\n"
          "spec.limits[2].maxLimitRequestRatio[cpu]: Invalid value: \"500m\": ratio 500m is less "
          "than 1" },
        { "metrics", "autoscaling/v2", "HorizontalPodAutoscaler", NULL,
          "{\"spec\":{\"maxReplicas\":3,\"scaleTargetRef\":{\"apiVersion\":\"apps/v1\",\"kind\":"
          "\"D\",\"name\":\"d\"},\"metrics\":[{\"type\":\"Resource\",\"resource\":{\"target\":{"
          "\"type\":\"Utilization\",\"averageUtilization\":1}},\"pods\":{\"metric\":{\"name\":"
          "\"m\"},\"target\":{\"type\":\"Value\",\"averageValue\":\"1\"}}}]}}",
          "spec.metrics[0].pods: Forbidden: must populate the given metric source only" },
        { "runtime classes", "node.k8s.io/v1", "RuntimeClass", NULL,
          "{\"handler\":\"h\",\"scheduling\":{\"tolerations\":[{\"key\":\"a\",\"operator\":"
          "\"Gt\"}]}}",
          "scheduling.tolerations[0].operator: Unsupported value: \"Gt\": supported values: "
          "\"Equal\", \"Exists\", \"Lt\", \"Gt\"" },
};

static void test_wrong(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(wrongs); i++) {
                struct kind_test test;

                kind_test_begin(&test, wrongs[i].api_version, wrongs[i].kind, wrongs[i].json,
                                wrongs[i].old);
                assert_int_equal(kind_test_write(&test, wrongs[i].old ? KIND_UPDATE : KIND_CREATE),
                                 0);
                char *complaints = kind_test_complaints(&test);
                if (strcmp(complaints, wrongs[i].complaints) != 0)
                        print_error("%s\n", wrongs[i].name);
                assert_string_equal(complaints, wrongs[i].complaints);
                free(complaints);
                kind_test_end(&test);
        }
}

#define BUDGET_STATUS(members) "{\"spec\":{},\"status\":{" members "}}"

static const struct wrong states[] = {
        { "order of replicas", "apps/v1", "Deployment", "{\"spec\":{},\"status\":{}}",
          "{\"spec\":{},\"status\":{\"replicas\":1,\"readyReplicas\":2,\"availableReplicas\":3}}",
          "status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas\n"
          "status.availableReplicas: Invalid value: 3: cannot be greater than status.replicas\n"
          "status.availableReplicas: Invalid value: 3: cannot be greater than readyReplicas" },
        { "collisions", "apps/v1", "StatefulSet", "{\"spec\":{},\"status\":{\"collisionCount\":2}}",
          "{\"spec\":{},\"status\":{\"collisionCount\":1}}",
          "status.collisionCount: Invalid value: 1: cannot be decremented" },
        { "numbers of a budget", "policy/v1", "PodDisruptionBudget", BUDGET_STATUS(""),
          BUDGET_STATUS("\"disruptionsAllowed\":-1"),
          "status.disruptionsAllowed: Invalid value: -1: must be greater than or equal to 0" },
        { "amounts of a quota", "v1", "ResourceQuota", "{\"spec\":{},\"status\":{}}",
          "{\"spec\":{},\"status\":{\"hard\":{\"pods\":\"1500m\"}}}",
          "status.hard[pods]: Invalid value: \"1500m\": must be an integer" },
        { "phases of namespaces", "v1", "Namespace", "{\"status\":{\"phase\":\"Active\"}}",
          "{\"status\":{\"phase\":\"Terminating\"}}",
          "status.Phase: Invalid value: \"Terminating\": may only be 'Active' if "
          "`deletionTimestamp` is empty" },
        { "features of nodes", "v1", "Node", "{\"status\":{}}",
          "{\"status\":{\"declaredFeatures\":[\"B\",\"A\"]}}",
          "status.declaredFeatures[1]: Invalid value: \"A\": list must be sorted alphabetically" },
        { "a job that is complete", "batch/v1", "Job", "{\"spec\":{},\"status\":{\"failed\":2}}",
          "{\"spec\":{},\"status\":{\"failed\":1,\"active\":1,\"conditions\":[{\"type\":"
          "\"Complete\",\"status\":\"True\"}]}}",
          "status.completionTime: Required value: completionTime is required for Complete jobs\n"
          "status.conditions: Invalid value: cannot set Complete=True condition without the "
          "SuccessCriteriaMet=true condition\n"
          "status.active: Invalid value: 1: active>0 is invalid for finished job\n"
          "status.startTime: Required value: startTime is required for finished job\n"
          "status.failed: Invalid value: 1: cannot decrease the failed counter" },
        { "indexes that overlap", "batch/v1", "Job",
          "{\"spec\":{\"completions\":9,\"completionMode\":\"Indexed\",\"backoffLimitPerIndex\":1},"
          "\"status\":{}}",
          "{\"spec\":{\"completions\":9,\"completionMode\":\"Indexed\",\"backoffLimitPerIndex\":1},"
          "\"status\":{\"completedIndexes\":\"0,3-5\",\"failedIndexes\":\"1-2,5\"}}",
          "status.failedIndexes: Invalid value: \"1-2,5\": failedIndexes and completedIndexes "
          "overlap at index: 5" },
        { "addresses of pods", "v1", "Pod",
          "{\"spec\":{},\"status\":{\"podIPs\":[{\"ip\":\"x\"}]}}",
          "{\"status\":{\"podIPs\":[{\"ip\":\"x\"},{\"ip\":\"01.2.3.4\"}],\"hostIP\":\"10.0.0.1\","
          "\"hostIPs\":[{\"ip\":\"10.0.0.2\"},{\"ip\":\"fd00::1\"}]}}",
          "status.podIPs[1]: Invalid value: \"01.2.3.4\": must not have leading 0s\n"
          "status.podIPs: Internal error: failed to check for dual stack with error:invalid IP[0]: "
          "x\n"
          "status.podIPs: Invalid value: [{\"IP\":\"x\"},{\"IP\":\"01.2.3.4\"}]: may specify no "
          "more than one IP for each IP family\n"
          "status.hostIPs[0].ip: Invalid value: \"10.0.0.2\": must be equal to `hostIP`" },
        { "addresses of hosts", "v1", "Pod", "{\"spec\":{},\"status\":{}}",
          "{\"status\":{\"hostIP\":\"10.0.0.1\",\"hostIPs\":[{\"ip\":\"10.0.0.1\"},{\"ip\":"
          "\"None\"}]}}",
          "status.hostIPs[1]: Invalid value: \"None\": must be a valid IP address, (e.g. 10.9.8.7 "
          "or "
          "2001:db8::ffff)\n"
          "status.hostIPs: Internal error: failed to check for dual stack with error:invalid "
          "IP[1]: None\n"
          "status.hostIPs: Invalid value: [{\"IP\":\"10.0.0.1\"},{\"IP\":\"None\"}]: may specify "
          "no "
          "more than one IP for each IP family" },
        { "claims of pods", "v1", "Pod",
          "{\"spec\":{\"resourceClaims\":[{\"name\":\"a\"}]},"
          "\"status\":{}}",
          "{\"status\":{\"resourceClaimStatuses\":[{\"name\":\"a\"},{\"name\":\"b\"},{\"name\":"
          "\"b\"}],\"extendedResourceClaimStatus\":{\"requestMappings\":[]}}}",
          "status.resourceClaimStatuses[1].name: Invalid value: \"b\": must match the name of an "
          "entry in `spec.resourceClaims`\n"
          "status.resourceClaimStatuses[2].name: Invalid value: \"b\": must match the name of an "
          "entry in `spec.resourceClaims`\n"
          "status.resourceClaimStatuses[2].name: Duplicate value: \"b\"\n"
          "status.extendedResourceClaimStatus.requestMappings: Required value: at least one "
          "request "
          "mapping is required\n"
          "status.extendedResourceClaimStatus.resourceClaimName: Required value" },
        { "containers that ended", "v1", "Pod",
          "{\"spec\":{\"restartPolicy\":\"Never\",\"containers\":[{\"name\":\"a\"},{\"name\":\"b\","
          "\"restartPolicy\":\"Never\",\"restartPolicyRules\":[{\"action\":\"Restart\","
          "\"exitCodes\":{\"operator\":\"In\",\"values\":[3]}}]}]},\"status\":{"
          "\"containerStatuses\":[{\"name\":\"a\",\"state\":{\"terminated\":{\"exitCode\":3}}},{"
          "\"name\":\"b\",\"state\":{\"terminated\":{\"exitCode\":3}}}]}}",
          "{\"status\":{\"containerStatuses\":[{\"name\":\"a\",\"state\":{}},{\"name\":\"b\","
          "\"state\":{}}]}}",
          "status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated "
          "state" },
        { "conditions and users of pods", "v1", "Pod",
          "{\"spec\":{\"nodeName\":\"n\"},\"status\":{}}",
          "{\"status\":{\"conditions\":[{\"type\":\"Ready\"},{\"type\":\"/x\","
          "\"observedGeneration\":-1}],\"nominatedNodeName\":\"m\",\"containerStatuses\":[{"
          "\"name\":\"c\",\"user\":{\"linux\":{\"uid\":-1,\"gid\":0}}}],"
          "\"ephemeralContainerStatuses\":[{\"name\":\"e\",\"allocatedResourcesStatus\":[{\"name\":"
          "\"r\"}]}]}}",
          "status.conditions[1].observedGeneration: Invalid value: -1: must be a non-negative "
          "integer\n"
          "status.conditions[1].Type: Invalid value: \"/x\": prefix part must be non-empty\n"
          "status.nominatedNodeName: Forbidden: may not be set on pods that are already bound to a "
          "node\n"
          "status.containerStatuses[0].user.linux.uid: Invalid value: -1: must be between 0 and "
          "2147483647, inclusive\n"
          "status.ephemeralContainerStatuses[0].allocatedResourcesStatus: Forbidden: must not be "
          "specified in container status" },
};

#define STORED                                                                                     \
        "\"name\":\"c\",\"image\":\"i\",\"terminationMessagePolicy\":\"File\","                    \
        "\"imagePullPolicy\":\"Always\",\"resources\":"
#define POD_OF(containers, class)                                                                  \
        "{\"spec\":{\"restartPolicy\":\"Always\",\"dnsPolicy\":\"ClusterFirst\",\"containers\":"   \
        "[" containers "]},\"status\":{\"qosClass\":\"" class "\"}}"
#define ONE "{\"requests\":{\"cpu\":\"1\"}}"
static const struct wrong sizes[] = {
        { "what is allowed", "v1", "Pod", POD_OF("{" STORED ONE "}", "Burstable"),
          POD_OF("{" STORED "{\"requests\":{\"cpu\":\"2\"}}}", "Burstable"), "" },
        { "removed requests", "v1", "Pod", POD_OF("{" STORED ONE "}", "Burstable"),
          POD_OF("{" STORED "{}}", "Burstable"),
          "spec: Invalid value: \"Burstable\": Pod QOS Class may not change as a result of "
          "resizing\n"
          "spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed" },
        { "other resources", "v1", "Pod", POD_OF("{" STORED ONE "}", "Burstable"),
          POD_OF("{" STORED "{\"requests\":{\"cpu\":\"1\",\"ephemeral-storage\":\"1\"}}}",
                 "Burstable"),
          "spec: Forbidden: only cpu and memory resources are mutable" },
        { "fewer containers", "v1", "Pod",
          POD_OF("{" STORED "{}},{\"name\":\"d\",\"image\":\"i\"}", "BestEffort"),
          POD_OF("{" STORED "{}}", "BestEffort"),
          "spec.containers: Forbidden: containers may not be added or removed on resize" },
        { "a node that cannot", "v1", "Pod",
          POD_OF("{" STORED "{}}",
                 "BestEffort\",\"containerStatuses\":[{\"name\":\"c\",\"state\":{\"running\":{}}}],"
                 "\"phase\":\"Running"),
          POD_OF("{" STORED "{}}", "BestEffort"),
          "spec: Forbidden: Pod running on node without support for resize" },
};

static void test_states(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(states); i++) {
                struct kind_test test;

                kind_test_begin(&test, states[i].api_version, states[i].kind, states[i].json,
                                states[i].old);
                assert_int_equal(kind_test_write(&test, KIND_UPDATE_STATUS), 0);
                char *complaints = kind_test_complaints(&test);
                if (strcmp(complaints, states[i].complaints) != 0)
                        print_error("%s\n", states[i].name);
                assert_string_equal(complaints, states[i].complaints);
                free(complaints);
                kind_test_end(&test);
        }
}

static void test_sizes(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
                struct kind_test test;

                kind_test_begin(&test, "v1", "Pod", sizes[i].json, sizes[i].old);
                test.context.subresource = SLICE_LITERAL("resize");
                assert_int_equal(kind_test_write(&test, KIND_UPDATE), 0);
                char *complaints = kind_test_complaints(&test);
                if (strcmp(complaints, sizes[i].complaints) != 0)
                        print_error("%s\n", sizes[i].name);
                assert_string_equal(complaints, sizes[i].complaints);
                free(complaints);
                kind_test_end(&test);
        }
}

static void test_image_tags(void **state) {
        static const struct {
                const char *image, *tag;
        } rows[] = {
                { "nginx", "latest" },
                { "nginx:1", "1" },
                { "registry.example:5000/a/b", "latest" },
                { "registry.example:5000/a__b/c-d:v1.2", "v1.2" },
                { "localhost/a:x", "x" },
                { "a@sha256:0123456789abcdef0123456789abcdef", "" },
                { "UPPER", "" },
                { "a b", "" },
                { "a//b", "" },
                { "a..b", "" },
                { "a:", "" },
                { "a@sha256:1", "" },
                { "", "" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
                struct slice tag = image_tag(slice_of(rows[i].image));

                if (!slice_is(tag, rows[i].tag))
                        fail_msg("%s: " SLICE_FMT, rows[i].image, SLICE_ARG(tag));
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_wrong),
                cmocka_unit_test(test_states),
                cmocka_unit_test(test_sizes),
                cmocka_unit_test(test_image_tags),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
