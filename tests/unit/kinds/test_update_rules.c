/* What updates and status writes may change: one case for each rule, in upstream's order and number
 * of complaints. */
#include "kind_test.h"

struct update_case {
        const char *version, *kind;
        enum kind_operation operation;
        const char *old, *object, *complaints; /* "" = may change so */
};

#define VOLUME(more)                                                                               \
        "{\"spec\":{\"capacity\":{\"storage\":\"1Gi\"},\"accessModes\":[\"ReadWriteOnce\"]" more   \
        "}}"
#define HOST ",\"hostPath\":{\"path\":\"/d\",\"type\":\"\"},\"volumeMode\":\"Filesystem\""
#define AFFINE(key, value)                                                                         \
        ",\"nodeAffinity\":{\"required\":{\"nodeSelectorTerms\":[{\"matchExpressions\":[{\"key\":" \
        "\"" key "\",\"operator\":\"In\",\"values\":[\"" value "\"]}]}]}}"
#define CLAIM(size, status)                                                                        \
        "{\"spec\":{\"accessModes\":[\"ReadWriteOnce\"],\"resources\":{\"requests\":{" size        \
        "}},\"volumeMode\":\"Filesystem\"},\"status\":{" status "}}"
#define ONE_GI "\"storage\":\"1Gi\""
#define POD(image, more)                                                                           \
        "{\"metadata\":{\"name\":\"p\",\"namespace\":\"d\"},\"spec\":{\"containers\":[{\"name\":"  \
        "\"c\",\"image\":\"" image "\",\"resources\":{},\"terminationMessagePath\":"               \
        "\"/dev/termination-log\",\"terminationMessagePolicy\":\"File\",\"imagePullPolicy\":"      \
        "\"IfNotPresent\"}],\"restartPolicy\":\"Always\",\"terminationGracePeriodSeconds\":30,"    \
        "\"dnsPolicy\":\"ClusterFirst\",\"securityContext\":{},\"schedulerName\":"                 \
        "\"default-scheduler\",\"enableServiceLinks\":true,\"priority\":0,\"preemptionPolicy\":"   \
        "\"PreemptLowerPriority\"" more "},\"status\":{\"phase\":\"Pending\",\"qosClass\":"        \
        "\"BestEffort\"}}"
#define NOTED(more)                                                                                \
        "{\"metadata\":{\"name\":\"e\",\"namespace\":\"d\"},\"eventTime\":"                        \
        "\"2026-01-01T00:00:00.000000Z\",\"regarding\":{\"namespace\":\"d\"},\"reason\":\"r\","    \
        "\"action\":\"a\",\"type\":\"Normal\","                                                    \
        "\"reportingInstance\":\"i\"" more "}"
#define RESIZE                                                                                     \
        "\"ControllerResizeInProgress\", \"ControllerResizeInfeasible\", "                         \
        "\"NodeResizeInProgress\", \"NodeResizeInfeasible\", \"NodeResizePending\""
#define TOPOLOGY(value)                                                                            \
        "{\"nodeTopology\":{\"matchLabels\":{" value "}},\"storageClassName\":\"f\"}"
#define KEY_AT                                                                                     \
        "spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key: Invalid value: " \
        "\"\": "
#define NO_KEY                                                                                     \
        KEY_AT "name part must be non-empty\n" KEY_AT                                              \
               "name part must consist of alphanumeric characters, '-', '_' or '.', and must "     \
               "start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or "  \
               "'123-abc', regex used for validation is "                                          \
               "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
#define TEMPLATE(metadata)                                                                         \
        "{\"spec\":{\"metadata\":{" metadata "},\"spec\":{\"devices\":{\"requests\":[{\"name\":"   \
        "\"r\",\"exactly\":{\"deviceClassName\":\"g\",\"allocationMode\":\"ExactCount\","          \
        "\"count\":1}}]}}}}"

static const struct update_case cases[] = {
        /* Volumes are looked at twice. */
        { "v1", "PersistentVolume", KIND_UPDATE, VOLUME(HOST), VOLUME(HOST), "" },
        { "v1", "PersistentVolume", KIND_UPDATE, VOLUME(HOST),
          "{\"spec\":{\"capacity\":{\"storage\":\"1Gi\"}" HOST "}}",
          "spec.accessModes: Required value\nspec.accessModes: Required value" },
        { "v1", "PersistentVolume", KIND_UPDATE, VOLUME(HOST AFFINE("a", "1")),
          VOLUME(HOST AFFINE("a", "2")),
          "nodeAffinity: Invalid value: {\"Required\":{\"NodeSelectorTerms\":[{"
          "\"MatchExpressions\":[{\"Key\":\"a\",\"Operator\":\"In\",\"Values\":[\"2\"]}],"
          "\"MatchFields\":null}]}}: field is immutable, except for updating from beta label to "
          "GA" },
        { "v1", "PersistentVolume", KIND_UPDATE, VOLUME(HOST), VOLUME(HOST AFFINE("a", "2")), "" },
        { "v1", "PersistentVolume", KIND_UPDATE, VOLUME(HOST AFFINE("a", "1")), VOLUME(HOST),
          "nodeAffinity: Invalid value: null: field is immutable, except for updating from beta "
          "label to GA" },
        { "v1", "PersistentVolume", KIND_UPDATE,
          VOLUME(HOST AFFINE("failure-domain.beta.kubernetes.io/zone", "1")),
          VOLUME(HOST AFFINE("topology.kubernetes.io/zone", "1")), "" },
        { "v1", "PersistentVolume", KIND_UPDATE, VOLUME(HOST AFFINE("a", "1")),
          VOLUME(HOST AFFINE("", "1")), NO_KEY "\n" NO_KEY },

        /* claims */
        { "v1", "PersistentVolumeClaim", KIND_UPDATE, CLAIM(ONE_GI, "\"phase\":\"Bound\""),
          CLAIM("\"storage\":\"2Gi\"", ""), "" },
        { "v1", "PersistentVolumeClaim", KIND_UPDATE, CLAIM(ONE_GI, "\"phase\":\"Bound\""),
          CLAIM("", ""),
          "spec.resources[storage]: Required value\nspec: Forbidden: spec is immutable after "
          "creation except resources.requests and volumeAttributesClassName for bound claims\n"
          "@@ -5,9 +5,7 @@\n  \"Selector\": null,\n  \"Resources\": {\n   \"Limits\": null,\n-  "
          "\"Requests\": {\n-   \"storage\": \"1Gi\"\n-  }\n+  \"Requests\": null\n  },\n  "
          "\"VolumeName\": \"\",\n  \"StorageClassName\": null,\n\n"
          "spec.resources.requests.storage: Forbidden: field can not be less than "
          "status.capacity" },
        { "v1", "PersistentVolumeClaim", KIND_UPDATE_STATUS, CLAIM(ONE_GI, ""),
          CLAIM(ONE_GI, "\"allocatedResources\":{\"storage\":\"1Gi\",\"x.example/a\":\"1\"},"
                        "\"allocatedResourceStatuses\":{\"storage\":\"NodeResizePending\"}"),
          "" },
        { "v1", "PersistentVolumeClaim", KIND_UPDATE_STATUS, CLAIM(ONE_GI, ""),
          CLAIM(ONE_GI, "\"allocatedResources\":{\"a\":\"1\"},\"capacity\":{\"storage\":\"-1\"},"
                        "\"allocatedResourceStatuses\":{\"storage\":\"Done\"}"),
          "status.capacity[storage]: Invalid value: -1: must be a valid resource quantity\n"
          "status.allocatedResourceStatuses: Unsupported value: \"storage\": supported "
          "values: " RESIZE
          "\nstatus.allocatedResources: Unsupported value: \"a\": supported values: "
          "\"storage\"" },

        /* pods: tolerations and images are looked at once more */
        { "v1", "Pod", KIND_UPDATE, POD("x:1", ""), POD("x:2", ""), "" },
        { "v1", "Pod", KIND_UPDATE, POD("x:1", ""), POD("", ""),
          "spec.containers[0].image: Required value\nspec.containers[0].image: Required value" },
        { "v1", "Pod", KIND_UPDATE, POD("x:1", ""),
          POD("x:1", ",\"tolerations\":[{\"operator\":\"Equal\"}]"),
          "spec.tolerations[0].operator: Invalid value: \"Equal\": operator must be Exists when "
          "`key` is empty, which means \"match all values and all keys\"\n"
          "spec.tolerations[0].operator: Invalid value: \"Equal\": operator must be Exists when "
          "`key` is empty, which means \"match all values and all keys\"" },

        /* what is looked at as if it were new */
        { "storage.k8s.io/v1", "StorageClass", KIND_UPDATE,
          "{\"provisioner\":\"p\",\"reclaimPolicy\":\"Delete\",\"volumeBindingMode\":"
          "\"Immediate\"}",
          "{\"provisioner\":\"p\",\"volumeBindingMode\":\"Soon\"}",
          "volumeBindingMode: Unsupported value: \"Soon\": supported values: \"Immediate\", "
          "\"WaitForFirstConsumer\"\nvolumeBindingMode: Invalid value: \"Soon\": field is "
          "immutable" },
        { "storage.k8s.io/v1", "CSIStorageCapacity", KIND_UPDATE, TOPOLOGY("\"a\":\"1\""),
          TOPOLOGY("\"a b\":\"1\""),
          "nodeTopology.matchLabels: Invalid value: \"a b\": name part must consist of "
          "alphanumeric "
          "characters, '-', '_' or '.', and must start and end with an alphanumeric character "
          "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
          "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')\nnodeTopology: Invalid value: {"
          "\"matchLabels\":{\"a b\":\"1\"}}: field is immutable" },
        { "resource.k8s.io/v1", "ResourceClaimTemplate", KIND_UPDATE, TEMPLATE(""),
          TEMPLATE("\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"name\":\"p\","
                   "\"uid\":\"u\"}],\"name\":\"n\",\"labels\":{\"a\":\"b\"}"),
          "spec.metadata.name: Forbidden: cannot be set\nspec.metadata.ownerReferences: Forbidden: "
          "cannot be set\nspec: Invalid value: "
          "{\"name\":\"n\",\"labels\":{\"a\":\"b\"},\"ownerReferences\":[{\"apiVersion\":\"v1\","
          "\"kind\":\"Pod\",\"name\":\"p\",\"uid\":\"u\"}],"
          "\"Spec\":{\"Devices\":{\"Requests\":[{\"Name\":\"r\",\"Exactly\":{\"DeviceClassName\":"
          "\"g\",\"Selectors\":null,\"AllocationMode\":\"ExactCount\",\"Count\":1,\"AdminAccess\":"
          "null,\"Tolerations\":null,\"Capacity\":null},\"FirstAvailable\":null}],\"Constraints\":"
          "null,\"Config\":null}}}: field is immutable" },

        /* the rest */
        { "events.k8s.io/v1", "Event", KIND_UPDATE, NOTED(",\"count\":0"),
          NOTED(",\"reportingController\":\"x\",\"deprecatedCount\":2,\"deprecatedSource\":{}"),
          "count: Invalid value: 2: field is immutable\nreportingController: Invalid value: "
          "\"x\": field is immutable" },
        { "v1", "Secret", KIND_UPDATE, "{\"type\":\"kubernetes.io/basic-auth\"}",
          "{\"type\":\"kubernetes.io/basic-auth\",\"data\":{\"x\":\"\"}}",
          "data[username]: Required value\ndata[password]: Required value" },
        { "v1", "Secret", KIND_UPDATE, "{\"type\":\"kubernetes.io/basic-auth\"}",
          "{\"type\":\"kubernetes.io/basic-auth\",\"data\":{\"username\":\"dQ==\"}}", "" },
        { "flowcontrol.apiserver.k8s.io/v1", "FlowSchema", KIND_UPDATE_STATUS,
          "{\"spec\":{\"matchingPrecedence\":2}}",
          "{\"status\":{\"conditions\":[{\"status\":\"a\"},{\"status\":\"b\"}]}}",
          "status.conditions[0].type: Required value\nstatus.conditions[1].type: Duplicate value: "
          "\"\"\nstatus.conditions[1].type: Required value" },
};

static void each_change_is_judged(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct kind_test test;

                kind_test_begin(&test, cases[i].version, cases[i].kind, cases[i].object,
                                cases[i].old);
                assert_int_equal(kind_test_write(&test, cases[i].operation), 0);
                char *complaints = kind_test_complaints(&test);
                if (strcmp(complaints, cases[i].complaints) != 0)
                        print_error("case %zu, %s\n", i, cases[i].object);
                assert_string_equal(complaints, cases[i].complaints);
                free(complaints);
                kind_test_end(&test);
        }
}

#define DRIVER(republishes)                                                                        \
        "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"attachRequired\":true,\"podInfoOnMount\":"     \
        "false,"                                                                                   \
        "\"volumeLifecycleModes\":[\"Persistent\"],\"storageCapacity\":false,\"fsGroupPolicy\":"   \
        "\"ReadWriteOnceWithFSType\",\"requiresRepublish\":" republishes                           \
        ",\"seLinuxMount\":false}}"

static void a_driver_counts_its_changes(void **state) {
        static const char *const objects[] = { DRIVER("false"), DRIVER("true") };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(objects); i++) {
                struct kind_test test;

                kind_test_begin(&test, "storage.k8s.io/v1", "CSIDriver", objects[i],
                                DRIVER("false"));
                assert_int_equal(kind_test_write(&test, KIND_UPDATE), 0);
                assert_json_at(test.object, "metadata.generation", i ? "1" : NULL);
                kind_test_end(&test);
        }
}

int main(void) {
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test(each_change_is_judged),
                cmocka_unit_test(a_driver_counts_its_changes),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
