/* Defaults, preparation and validation of the kinds other than pods, one object per case. */
#include "kind_test.h"

#define POD_TEMPLATE                                                                               \
        "\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{\"containers\":[{"        \
        "\"name\":\"c\",\"image\":\"x:1\"}]}}"
#define APP_ARMOR "\"container.apparmor.security.beta.kubernetes.io/"
#define JOB_TEMPLATE                                                                               \
        "\"template\":{\"spec\":{\"restartPolicy\":\"Never\",\"containers\":[{\"name\":\"c\","     \
        "\"image\":\"x:1\"}]}}"
#define SELECTED "\"selector\":{\"matchLabels\":{\"a\":\"b\"}}," POD_TEMPLATE

/* ---- what objects become ---- */

static const struct {
        const char *api_version, *kind, *json, *path, *expected;
} creates[] = {
        { "apps/v1", "Deployment", "{\"spec\":{" SELECTED "}}", "spec.replicas", "1" },
        { "apps/v1", "Deployment", "{\"spec\":{" SELECTED "}}", "spec.strategy",
          "{\"type\":\"RollingUpdate\",\"rollingUpdate\":{\"maxUnavailable\":\"25%\","
          "\"maxSurge\":\"25%\"}}" },
        { "apps/v1", "Deployment", "{\"spec\":{\"strategy\":{\"type\":\"Recreate\"}," SELECTED "}}",
          "spec.strategy", "{\"type\":\"Recreate\"}" },
        { "apps/v1", "Deployment", "{\"spec\":{" SELECTED "},\"status\":{\"replicas\":4}}",
          "status", "{}" },
        { "apps/v1", "Deployment", "{\"spec\":{" SELECTED "}}",
          "spec.template.spec.enableServiceLinks", NULL },
        { "apps/v1", "Deployment", "{\"spec\":{" SELECTED "}}", "spec.template.spec.schedulerName",
          "\"default-scheduler\"" },
        { "apps/v1", "DaemonSet", "{\"spec\":{" SELECTED "}}", "spec.updateStrategy.rollingUpdate",
          "{\"maxUnavailable\":1,\"maxSurge\":0}" },
        { "apps/v1", "DaemonSet",
          "{\"spec\":{\"updateStrategy\":{\"type\":\"OnDelete\",\"rollingUpdate\":{}}," SELECTED
          "}}",
          "spec.updateStrategy",
          "{\"type\":\"OnDelete\",\"rollingUpdate\":{\"maxUnavailable\":0,\"maxSurge\":0}}" },
        { "apps/v1", "DaemonSet", "{\"spec\":{" SELECTED "}}", "metadata.annotations",
          "{\"deprecated.daemonset.template.generation\":\"1\"}" },
        { "apps/v1", "StatefulSet",
          "{\"spec\":{\"volumeClaimTemplates\":[{\"metadata\":{\"name\":\"v\"},\"spec\":{}}]"
          "," SELECTED "}}",
          "spec.volumeClaimTemplates.0",
          "{\"metadata\":{\"name\":\"v\"},\"spec\":{\"volumeMode\":\"Filesystem\",\"resources\":{}}"
          ","
          "\"kind\":\"PersistentVolumeClaim\",\"apiVersion\":\"v1\",\"status\":{\"phase\":"
          "\"Pending\"}}" },
        { "apps/v1", "StatefulSet", "{\"spec\":{" SELECTED "}}",
          "spec.persistentVolumeClaimRetentionPolicy",
          "{\"whenDeleted\":\"Retain\",\"whenScaled\":\"Retain\"}" },
        { "apps/v1", "ReplicaSet", "{\"spec\":{" SELECTED "}}", "status", "{\"replicas\":0}" },
        { "batch/v1", "Job", "{\"spec\":{" JOB_TEMPLATE "}}", "spec.completions", "1" },
        { "batch/v1", "Job", "{\"spec\":{\"parallelism\":3," JOB_TEMPLATE "}}", "spec.completions",
          NULL },
        { "batch/v1", "Job",
          "{\"metadata\":{\"name\":\"j\",\"uid\":\"u\"},\"spec\":{" JOB_TEMPLATE "}}",
          "spec.selector", "{\"matchLabels\":{\"batch.kubernetes.io/controller-uid\":\"u\"}}" },
        { "batch/v1", "Job",
          "{\"metadata\":{\"name\":\"j\",\"uid\":\"u\"},\"spec\":{" JOB_TEMPLATE "}}",
          "spec.template.metadata.labels",
          "{\"batch.kubernetes.io/controller-uid\":\"u\",\"batch.kubernetes.io/job-name\":\"j\","
          "\"controller-uid\":\"u\",\"job-name\":\"j\"}" },
        { "batch/v1", "CronJob",
          "{\"spec\":{\"schedule\":\"@daily\",\"jobTemplate\":{\"spec\":{" JOB_TEMPLATE "}}}}",
          "spec.successfulJobsHistoryLimit", "3" },
        { "v1", "ReplicationController", "{\"spec\":{" POD_TEMPLATE "}}", "spec.selector",
          "{\"a\":\"b\"}" },

        /* Fields whose gates are off. */
        { "v1", "PodTemplate",
          "{\"template\":{\"spec\":{\"schedulingGroup\":{\"podGroupName\":\"g\"},\"containers\":[{"
          "\"name\":\"c\"}]}}}",
          "template.spec.schedulingGroup", NULL },
        { "v1", "PodTemplate",
          "{\"template\":{\"spec\":{\"containers\":[{\"name\":\"c\",\"lifecycle\":{\"stopSignal\":"
          "\"SIGHUP\"}}]}}}",
          "template.spec.containers.0.lifecycle", NULL },
        { "v1", "PodTemplate",
          "{\"template\":{\"spec\":{\"containers\":[{\"name\":\"c\",\"lifecycle\":{\"stopSignal\":"
          "\"SIGHUP\",\"preStop\":{\"sleep\":{\"seconds\":1}}}}]}}}",
          "template.spec.containers.0.lifecycle", "{\"preStop\":{\"sleep\":{\"seconds\":1}}}" },
        { "v1", "Node", "{\"spec\":{\"configSource\":{}}}", "spec.configSource", NULL },
        { "apps/v1", "StatefulSet",
          "{\"spec\":{\"updateStrategy\":{\"rollingUpdate\":{\"maxUnavailable\":0}}," SELECTED "}}",
          "spec.updateStrategy.rollingUpdate", "{\"partition\":0}" },
        { "coordination.k8s.io/v1", "Lease", "{\"spec\":{\"strategy\":\"x\"}}", "spec", "{}" },
        { "storage.k8s.io/v1", "CSIDriver", "{\"spec\":{\"preventPodSchedulingIfMissing\":true}}",
          "spec.preventPodSchedulingIfMissing", NULL },
        { "apiextensions.k8s.io/v1", "CustomResourceDefinition",
          "{\"spec\":{\"versions\":[{\"name\":\"v1\"},{\"name\":\"v2\",\"storage\":true}]}}",
          "status.storedVersions", "[\"v2\"]" },

        { "v1", "Namespace", "{\"metadata\":{\"name\":\"n\"}}", "metadata.labels",
          "{\"kubernetes.io/metadata.name\":\"n\"}" },
        { "v1", "Namespace", "{\"metadata\":{\"name\":\"n\"}}", "spec",
          "{\"finalizers\":[\"kubernetes\"]}" },
        { "v1", "Namespace", "{\"status\":{\"phase\":\"Terminating\"}}", "status",
          "{\"phase\":\"Active\"}" },
        /* A profile that an annotation names becomes a field, unless the pod has it. */
        { "v1", "Pod",
          "{\"metadata\":{\"annotations\":{" APP_ARMOR "c\":\"localhost/p\"}},\"spec\":{"
          "\"containers\":[{\"name\":\"c\"}]}}",
          "spec.containers.0.securityContext",
          "{\"appArmorProfile\":{\"type\":\"Localhost\",\"localhostProfile\":\"p\"}}" },
        { "v1", "Pod",
          "{\"metadata\":{\"annotations\":{" APP_ARMOR "c\":\"unconfined\"}},\"spec\":{"
          "\"containers\":[{\"name\":\"c\",\"securityContext\":{\"appArmorProfile\":{\"type\":"
          "\"RuntimeDefault\"}}}]}}",
          "spec.containers.0.securityContext.appArmorProfile", "{\"type\":\"RuntimeDefault\"}" },
        { "v1", "Pod",
          "{\"metadata\":{\"annotations\":{" APP_ARMOR "c\":\"unconfined\"}},\"spec\":{"
          "\"securityContext\":{\"appArmorProfile\":{\"type\":\"Unconfined\"}},\"containers\":[{"
          "\"name\":\"c\"}]}}",
          "spec.containers.0.securityContext", NULL },
        { "v1", "Pod",
          "{\"metadata\":{\"annotations\":{" APP_ARMOR "c\":\"localhost/ p\"}},\"spec\":{"
          "\"containers\":[{\"name\":\"c\"}]}}",
          "spec.containers.0.securityContext", NULL },
        { "v1", "Node", "{}", "spec",
          "{\"taints\":[{\"key\":\"node.kubernetes.io/not-ready\",\"effect\":\"NoSchedule\"}]}" },
        { "v1", "Node", "{\"status\":{\"capacity\":{\"cpu\":\"1500m\"}}}", "status.allocatable",
          "{\"cpu\":\"1500m\"}" },
        { "v1", "Node", "{\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}",
          "status.conditions.0.status", "\"True\"" },
        { "v1", "Node", "{\"spec\":{\"podCIDR\":\"10.0.0.0/24\"}}", "spec.podCIDRs",
          "[\"10.0.0.0/24\"]" },
        { "v1", "Secret", "{\"stringData\":{\"p\":\"hunter2\"},\"data\":{\"u\":\"YQ==\"}}", "data",
          "{\"u\":\"YQ==\",\"p\":\"aHVudGVyMg==\"}" },
        { "v1", "Secret", "{\"stringData\":{\"p\":\"x\"}}", "stringData", NULL },
        { "v1", "Secret", "{}", "type", "\"Opaque\"" },
        { "v1", "Service", "{\"spec\":{\"ports\":[{\"port\":80}]}}", "spec.ports.0",
          "{\"protocol\":\"TCP\",\"port\":80,\"targetPort\":80}" },
        { "v1", "Service", "{\"spec\":{\"clusterIP\":\"None\"}}", "spec.clusterIPs", "[\"None\"]" },
        { "v1", "Service", "{\"spec\":{\"type\":\"ExternalName\",\"externalName\":\"x\"}}",
          "spec.clusterIP", NULL },
        { "v1", "Service", "{\"spec\":{\"sessionAffinity\":\"ClientIP\",\"ports\":[{\"port\":1}]}}",
          "spec.sessionAffinityConfig", "{\"clientIP\":{\"timeoutSeconds\":10800}}" },
        { "v1", "PersistentVolume", "{}", "status",
          "{\"phase\":\"Pending\",\"lastPhaseTransitionTime\":\"" TEST_NOW "\"}" },
        { "v1", "PersistentVolume", "{}", "metadata.finalizers",
          "[\"kubernetes.io/pv-protection\"]" },
        { "v1", "PersistentVolumeClaim", "{}", "status", "{\"phase\":\"Pending\"}" },
        { "v1", "LimitRange",
          "{\"spec\":{\"limits\":[{\"type\":\"Container\",\"max\":{\"cpu\":\"2\"}}]}}",
          "spec.limits.0.defaultRequest", "{\"cpu\":\"2\"}" },

        { "policy/v1", "PodDisruptionBudget", "{\"status\":{\"expectedPods\":5}}", "status",
          "{\"disruptionsAllowed\":0,\"currentHealthy\":0,\"desiredHealthy\":0,"
          "\"expectedPods\":0}" },
        { "scheduling.k8s.io/v1", "PriorityClass", "{\"value\":1}", "preemptionPolicy",
          "\"PreemptLowerPriority\"" },
        { "rbac.authorization.k8s.io/v1", "RoleBinding",
          "{\"roleRef\":{\"kind\":\"Role\",\"name\":\"r\"},\"subjects\":[{\"kind\":\"User\","
          "\"name\":"
          "\"u\"},{\"kind\":\"ServiceAccount\",\"name\":\"s\"}]}",
          "subjects",
          "[{\"kind\":\"User\",\"name\":\"u\",\"apiGroup\":\"rbac.authorization.k8s.io\"},"
          "{\"kind\":\"ServiceAccount\",\"name\":\"s\"}]" },
        { "storage.k8s.io/v1", "StorageClass", "{\"provisioner\":\"p\"}", "volumeBindingMode",
          "\"Immediate\"" },
        { "storage.k8s.io/v1", "CSIDriver", "{\"spec\":{}}", "spec.volumeLifecycleModes",
          "[\"Persistent\"]" },
        { "networking.k8s.io/v1", "NetworkPolicy", "{\"spec\":{\"egress\":[{}]}}",
          "spec.policyTypes", "[\"Ingress\",\"Egress\"]" },
        { "resource.k8s.io/v1", "ResourceClaim",
          "{\"spec\":{\"devices\":{\"requests\":[{\"name\":\"g\",\"exactly\":{\"deviceClassName\":"
          "\"x\"}}]}}}",
          "spec.devices.requests.0.exactly",
          "{\"deviceClassName\":\"x\",\"allocationMode\":\"ExactCount\",\"count\":1}" },
        { "autoscaling/v2", "HorizontalPodAutoscaler", "{\"spec\":{\"maxReplicas\":3}}",
          "spec.metrics.0.resource.target",
          "{\"type\":\"Utilization\",\"averageUtilization\":80}" },
        { "autoscaling/v1", "HorizontalPodAutoscaler", "{\"spec\":{\"maxReplicas\":3}}",
          "spec.targetCPUUtilizationPercentage", "80" },
};

static void test_create(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(creates); i++) {
                struct kind_test test;

                kind_test_begin(&test, creates[i].api_version, creates[i].kind, creates[i].json,
                                NULL);
                assert_int_equal(kind_test_write(&test, KIND_CREATE), 0);
                assert_json_at(test.object, creates[i].path, creates[i].expected);
                kind_test_end(&test);
        }
}

/* ---- what updates keep ---- */

static const struct {
        const char *api_version, *kind;
        enum kind_operation operation;
        const char *old, *json, *path, *expected;
} updates[] = {
        { "v1", "PersistentVolumeClaim", KIND_UPDATE_STATUS, "{\"spec\":{}}",
          "{\"spec\":{},\"status\":{\"capacity\":{\"storage\":\"1n\"},\"allocatedResources\":{"
          "\"storage\":\"1001u\"}}}",
          "status",
          "{\"capacity\":{\"storage\":\"1m\"},\"allocatedResources\":{\"storage\":\"2m\"},"
          "\"phase\":"
          "\"Pending\"}" },
        { "v1", "ResourceQuota", KIND_UPDATE_STATUS, "{\"spec\":{}}",
          "{\"spec\":{},\"status\":{\"hard\":{\"cpu\":\"1\"},\"used\":{\"cpu\":\"1u\"}}}", "status",
          "{\"hard\":{\"cpu\":\"1\"},\"used\":{\"cpu\":\"1m\"}}" },
        { "v1", "Node", KIND_UPDATE, "{\"status\":{\"phase\":\"old\"}}",
          "{\"status\":{\"phase\":\"new\"}}", "status.phase", "\"old\"" },
        { "v1", "Node", KIND_UPDATE_STATUS, "{\"spec\":{\"unschedulable\":true}}",
          "{\"spec\":{},\"status\":{\"phase\":\"new\"}}", "spec", "{\"unschedulable\":true}" },
        { "v1", "ConfigMap", KIND_UPDATE, "{\"data\":{\"a\":\"1\"}}", "{\"data\":{\"a\":\"2\"}}",
          "data.a", "\"2\"" },
        { "v1", "Namespace", KIND_UPDATE, "{\"spec\":{\"finalizers\":[\"kubernetes\"]}}",
          "{\"spec\":{\"finalizers\":[]}}", "spec.finalizers", "[\"kubernetes\"]" },
        { "apps/v1", "Deployment", KIND_UPDATE_STATUS,
          "{\"metadata\":{\"labels\":{\"a\":\"1\"}},\"spec\":{\"replicas\":2}}",
          "{\"metadata\":{\"labels\":{\"a\":\"2\"}},\"spec\":{\"replicas\":3},\"status\":{"
          "\"replicas\":3}}",
          "metadata.labels.a", "\"1\"" },
        { "apps/v1", "Deployment", KIND_UPDATE_STATUS, "{\"spec\":{\"replicas\":2}}",
          "{\"spec\":{\"replicas\":3},\"status\":{\"replicas\":3}}", "status.replicas", "3" },
        { "v1", "PersistentVolume", KIND_UPDATE_STATUS,
          "{\"status\":{\"phase\":\"Pending\",\"lastPhaseTransitionTime\":"
          "\"2025-01-01T00:00:00Z\"}}",
          "{\"status\":{\"phase\":\"Bound\"}}", "status.lastPhaseTransitionTime",
          "\"" TEST_NOW "\"" },
        { "v1", "Service", KIND_UPDATE,
          "{\"spec\":{\"clusterIP\":\"10.96.0.9\",\"clusterIPs\":[\"10.96.0.9\"]}}",
          "{\"spec\":{\"ports\":[{\"port\":1}]}}", "spec.clusterIP", "\"10.96.0.9\"" },
};

static void test_update(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(updates); i++) {
                struct kind_test test;

                kind_test_begin(&test, updates[i].api_version, updates[i].kind, updates[i].json,
                                updates[i].old);
                assert_int_equal(kind_test_write(&test, updates[i].operation), 0);
                assert_json_at(test.object, updates[i].path, updates[i].expected);
                kind_test_end(&test);
        }
}

/* ---- what is refused ---- */

static const struct {
        const char *api_version, *kind, *old /* NULL = create */, *json, *complaints;
} invalid[] = {
        { "apps/v1", "Deployment", NULL, "{\"spec\":{" SELECTED "}}", "" },
        { "apps/v1", "Deployment", NULL, "{\"spec\":{" POD_TEMPLATE "}}",
          "spec.selector: Required value\nspec.template.metadata.labels: Invalid value: "
          "{\"a\":\"b\"}: `selector` does not match template `labels`" },
        { "apps/v1", "Deployment", NULL,
          "{\"spec\":{\"selector\":{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"In\","
          "\"values\":[\"x\",\"b\"]},{\"key\":\"z\",\"operator\":\"DoesNotExist\"}]}," POD_TEMPLATE
          "}}",
          "" },
        { "apps/v1", "Deployment", NULL,
          "{\"spec\":{\"selector\":{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"NotIn\","
          "\"values\":[\"b\"]}]}," POD_TEMPLATE "}}",
          "spec.template.metadata.labels: Invalid value: {\"a\":\"b\"}: `selector` does not match "
          "template `labels`" },
        { "apps/v1", "Deployment", NULL, "{\"spec\":{\"selector\":{}," POD_TEMPLATE "}}",
          "spec.selector: Invalid value: {}: empty selector is invalid for deployment" },
        { "apps/v1", "Deployment", NULL, "{\"spec\":{\"replicas\":-1," SELECTED "}}",
          "spec.replicas: Invalid value: -1: must be greater than or equal to 0" },
        { "apps/v1", "Deployment", NULL,
          "{\"spec\":{\"strategy\":{\"rollingUpdate\":{\"maxSurge\":0,\"maxUnavailable\":\"0%\"}}"
          "," SELECTED "}}",
          "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: \"0%\": may not be 0 when "
          "`maxSurge` is 0" },
        { "apps/v1", "Deployment", NULL, "{\"spec\":{\"minReadySeconds\":700," SELECTED "}}",
          "spec.progressDeadlineSeconds: Invalid value: 600: must be greater than "
          "minReadySeconds" },
        { "apps/v1", "Deployment", "{\"spec\":{\"selector\":{\"matchLabels\":{\"a\":\"c\"}}}}",
          "{\"spec\":{" SELECTED "}}",
          "spec.selector: Invalid value: {\"matchLabels\":{\"a\":\"b\"}}: field is immutable" },
        { "apps/v1", "StatefulSet", NULL, "{\"spec\":{\"podManagementPolicy\":\"Q\"," SELECTED "}}",
          "spec.podManagementPolicy: Invalid value: \"Q\": must be 'OrderedReady' or 'Parallel'" },
        { "apps/v1", "StatefulSet", NULL,
          "{\"spec\":{\"volumeClaimTemplates\":[{\"metadata\":{\"name\":\"v\"},\"spec\":{"
          "\"accessModes\":[\"ReadWriteOnce\"],\"resources\":{\"requests\":{\"storage\":"
          "\"1Gi\"}}}}],\"selector\":{"
          "\"matchLabels\":{\"a\":\"b\"}},\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},"
          "\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"x\",\"volumeMounts\":[{\"name\":"
          "\"v\",\"mountPath\":\"/v\"}]}]}}}}",
          "" },
        { "apps/v1", "DaemonSet", NULL,
          "{\"spec\":{\"updateStrategy\":{\"rollingUpdate\":{\"maxSurge\":1}}," SELECTED "}}",
          "spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when "
          "maxUnavailable is non-zero" },
        { "batch/v1", "Job", NULL,
          "{\"metadata\":{\"name\":\"j\",\"uid\":\"u\"},\"spec\":{" POD_TEMPLATE "}}",
          "spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", "
          "\"Never\"" },
        { "batch/v1", "CronJob", NULL,
          "{\"spec\":{\"schedule\":\"often\",\"jobTemplate\":{\"spec\":{" JOB_TEMPLATE "}}}}",
          "spec.schedule: Invalid value: \"often\": expected exactly 5 fields, found 1: [often]" },
        { "batch/v1", "CronJob", NULL,
          "{\"spec\":{\"schedule\":\"*/15 0-5 1,15 jan-mar "
          "MON\",\"jobTemplate\":{\"spec\":{" JOB_TEMPLATE "}}}}",
          "" },
        { "batch/v1", "CronJob", NULL,
          "{\"spec\":{\"schedule\":\"61 * * * *\",\"jobTemplate\":{\"spec\":{" JOB_TEMPLATE "}}}}",
          "spec.schedule: Invalid value: \"61 * * * *\": end of range (61) above maximum (59): "
          "61" },
        { "batch/v1", "CronJob", NULL,
          "{\"spec\":{\"schedule\":\"TZ=UTC 0 * * * *\",\"jobTemplate\":{\"spec\":{" JOB_TEMPLATE
          "}}}}",
          "spec.schedule: Invalid value: \"TZ=UTC 0 * * * *\": cannot use TZ or CRON_TZ in "
          "schedule, use timeZone field instead" },
        { "batch/v1", "CronJob", NULL,
          "{\"spec\":{\"schedule\":\"CRON_TZ=Mars/Base "
          "@daily\",\"jobTemplate\":{\"spec\":{" JOB_TEMPLATE "}}}}",
          "spec.schedule: Invalid value: \"CRON_TZ=Mars/Base @daily\": provided bad location "
          "Mars/Base: unknown time zone Mars/Base\nspec.schedule: Invalid value: "
          "\"CRON_TZ=Mars/Base @daily\": cannot use TZ or CRON_TZ in schedule, use timeZone field "
          "instead" },
        { "batch/v1", "CronJob", NULL,
          "{\"spec\":{\"schedule\":\"TZ=UTC\",\"jobTemplate\":{\"spec\":{" JOB_TEMPLATE "}}}}",
          "spec.schedule: Invalid value: \"TZ=UTC\": invalid schedule format: runtime error: slice "
          "bounds out of range [:-1]\nspec.schedule: Invalid value: \"TZ=UTC\": cannot use TZ or "
          "CRON_TZ in schedule, use timeZone field instead" },

        { "v1", "Node", NULL,
          "{\"spec\":{\"taints\":[{\"key\":\"a\",\"effect\":\"NoSchedule\"},{\"key\":\"a\","
          "\"effect\":\"NoSchedule\"}]}}",
          "metadata.taints[1]: Duplicate value: {\"Key\":\"a\",\"Value\":\"\",\"Effect\":"
          "\"NoSchedule\",\"TimeAdded\":null}: taints must be unique by key and effect pair" },
        { "v1", "Node", "{\"spec\":{\"providerID\":\"a\"}}", "{\"spec\":{\"providerID\":\"b\"}}",
          "spec.providerID: Forbidden: node updates may not change providerID except from \"\" to "
          "valid" },
        { "v1", "ConfigMap", NULL, "{\"data\":{\"..x\":\"\"}}",
          "data[..x]: Invalid value: \"..x\": must not start with '..'" },
        { "v1", "ConfigMap", "{\"immutable\":true,\"data\":{\"a\":\"1\"}}",
          "{\"immutable\":true,\"data\":{\"a\":\"2\"}}",
          "data: Forbidden: field is immutable when `immutable` is set" },
        { "v1", "Secret", NULL, "{\"type\":\"kubernetes.io/tls\"}",
          "data[tls.crt]: Required value\ndata[tls.key]: Required value" },
        { "v1", "Secret", "{\"type\":\"Opaque\"}", "{\"type\":\"x\"}",
          "type: Invalid value: \"x\": field is immutable" },
        { "v1", "Service", NULL, "{\"metadata\":{\"name\":\"s\"}}", "spec.ports: Required value" },
        { "v1", "Service", NULL,
          "{\"metadata\":{\"name\":\"s\"},\"spec\":{\"ports\":[{\"port\":1},{\"port\":2}]}}",
          "spec.ports[0].name: Required value\nspec.ports[1].name: Required value" },
        { "v1", "Event", NULL,
          "{\"metadata\":{\"namespace\":\"n\"},\"involvedObject\":{\"namespace\":\"m\"}}",
          "involvedObject.namespace: Invalid value: \"m\": does not match event.namespace" },
        { "events.k8s.io/v1", "Event", NULL,
          "{\"metadata\":{\"namespace\":\"n\"},\"regarding\":{\"namespace\":\"n\"}}",
          "eventTime: Required value\ntype: Invalid value: \"\": has invalid value: " },
        { "policy/v1", "PodDisruptionBudget", NULL, "{\"spec\":{\"minAvailable\":\"150%\"}}",
          "spec.minAvailable: Invalid value: \"150%\": must not be greater than 100%" },
        { "policy/v1", "PodDisruptionBudget", NULL,
          "{\"spec\":{\"minAvailable\":1,\"maxUnavailable\":1}}",
          "spec: Invalid value: {\"MinAvailable\":1,\"Selector\":null,\"MaxUnavailable\":1,"
          "\"UnhealthyPodEvictionPolicy\":null}: minAvailable and maxUnavailable cannot be both "
          "set" },
        { "coordination.k8s.io/v1", "Lease", NULL, "{\"spec\":{\"leaseDurationSeconds\":0}}",
          "spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0" },
        { "scheduling.k8s.io/v1", "PriorityClass", NULL, "{\"value\":1000000001}",
          "value: Forbidden: maximum allowed value of a user defined priority is 1000000000" },
        { "scheduling.k8s.io/v1", "PriorityClass",
          "{\"value\":1,\"preemptionPolicy\":\"PreemptLowerPriority\"}", "{\"value\":2}",
          "value: Forbidden: may not be changed in an update." },
        { "rbac.authorization.k8s.io/v1", "Role", NULL, "{\"rules\":[{\"verbs\":[]}]}",
          "rules[0].verbs: Required value: verbs must contain at least one value\n"
          "rules[0].apiGroups: Required value: resource rules must supply at least one api group\n"
          "rules[0].resources: Required value: resource rules must supply at least one resource" },
        { "rbac.authorization.k8s.io/v1", "ClusterRoleBinding", NULL,
          "{\"roleRef\":{\"kind\":\"Role\",\"name\":\"r\"}}",
          "roleRef.kind: Unsupported value: \"Role\": supported values: \"ClusterRole\"" },
        { "rbac.authorization.k8s.io/v1", "RoleBinding",
          "{\"roleRef\":{\"apiGroup\":\"rbac.authorization.k8s.io\",\"kind\":\"Role\",\"name\":"
          "\"a\"}}",
          "{\"roleRef\":{\"kind\":\"Role\",\"name\":\"b\"}}",
          "roleRef: Invalid value: {\"APIGroup\":\"rbac.authorization.k8s.io\",\"Kind\":\"Role\","
          "\"Name\":\"b\"}: cannot change roleRef" },
        { "storage.k8s.io/v1", "StorageClass",
          "{\"provisioner\":\"p\",\"reclaimPolicy\":\"Delete\","
          "\"volumeBindingMode\":\"Immediate\"}",
          "{\"provisioner\":\"q\"}", "provisioner: Invalid value: \"q\": field is immutable" },
        { "v1", "ResourceQuota", NULL, "{\"spec\":{\"hard\":{\"pods\":\"1500m\"}}}",
          "spec.hard[pods]: Invalid value: \"1500m\": must be an integer" },
        { "v1", "ResourceQuota", NULL,
          "{\"spec\":{\"hard\":{\"pods\":\"2\",\"limits.cpu\":\"1500m\","
          "\"count/deployments.apps\":\"1\",\"requests.nvidia.com/gpu\":\"4\"}}}",
          "" },
        { "v1", "LimitRange", NULL,
          "{\"spec\":{\"limits\":[{\"type\":\"Pod\",\"min\":{\"cpu\":\"2\"},\"max\":{\"cpu\":"
          "\"1\"}}]}}",
          "spec.limits[0].min[cpu]: Invalid value: \"2\": min value 2 is greater than max value "
          "1" },
        { "v1", "LimitRange", NULL,
          "{\"spec\":{\"limits\":[{\"type\":\"Pod\",\"min\":{\"cpu\":\"3\"},\"default\":{\"cpu\":"
          "\"2\"}},{\"type\":"
          "\"Pod\"}]}}",
          "spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'\n"
          "spec.limits[1].type: Duplicate value: \"Pod\"" },
        { "v1", "PersistentVolume", NULL,
          "{\"spec\":{\"accessModes\":[\"ReadWriteOnce\"],\"capacity\":{\"storage\":\"1Gi\"}}}",
          "spec: Required value: must specify a volume type" },
        { "networking.k8s.io/v1", "Ingress", NULL, "{\"spec\":{}}",
          "spec: Invalid value: null: either `defaultBackend` or `rules` must be specified" },
        { "networking.k8s.io/v1", "Ingress", NULL,
          "{\"spec\":{\"rules\":[{\"http\":{\"paths\":[{\"path\":\"x\",\"pathType\":\"Prefix\","
          "\"backend\":{\"service\":{\"name\":\"s\",\"port\":{}}}}]}}]}}",
          "spec.rules[0].http.paths[0].path: Invalid value: \"x\": must be an absolute path\n"
          "spec.rules[0].http.paths[0].backend: Required value: port name or number is required" },
        { "discovery.k8s.io/v1", "EndpointSlice", NULL, "{\"endpoints\":[]}",
          "addressType: Required value" },
        { "autoscaling/v2", "HorizontalPodAutoscaler", NULL,
          "{\"spec\":{\"maxReplicas\":1,\"minReplicas\":2,\"scaleTargetRef\":{\"kind\":\"D\","
          "\"name\":\"d\",\"apiVersion\":\"apps/v1\"}}}",
          "spec.maxReplicas: Invalid value: 1: must be greater than or equal to `minReplicas`" },
};

static void test_invalid(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(invalid); i++) {
                struct kind_test test;
                char *complaints;

                kind_test_begin(&test, invalid[i].api_version, invalid[i].kind, invalid[i].json,
                                invalid[i].old);
                assert_int_equal(kind_test_write(&test, invalid[i].old ? KIND_UPDATE : KIND_CREATE),
                                 0);
                complaints = kind_test_complaints(&test);
                assert_string_equal(complaints, invalid[i].complaints);
                free(complaints);
                kind_test_end(&test);
        }
}

/* ---- single rules ---- */

static void test_daemon_set_counts_templates(void **state) {
        const char *old = "{\"metadata\":{\"annotations\":{"
                          "\"deprecated.daemonset.template.generation\":\"4\"}},\"spec\":{}}";
        struct kind_test test;

        (void)state;
        kind_test_begin(&test, "apps/v1", "DaemonSet", "{\"spec\":{" SELECTED "}}", old);
        assert_int_equal(kind_test_write(&test, KIND_UPDATE), 0);
        assert_json_at(test.object, "metadata.annotations",
                       "{\"deprecated.daemonset.template.generation\":\"5\"}");
        kind_test_end(&test);
}

static void test_one_default_priority(void **state) {
        static const struct other_object others[] = {
                { "scheduling.k8s.io/priorityclasses",
                  "{\"metadata\":{\"name\":\"a\"},\"globalDefault\":true}" },
                { NULL, NULL },
        };
        struct kind_test test;

        (void)state;
        kind_test_begin(&test, "scheduling.k8s.io/v1", "PriorityClass",
                        "{\"metadata\":{\"name\":\"b\"},\"value\":1,\"globalDefault\":true}", NULL);
        test.others = others;
        assert_int_equal(kind_test_write(&test, KIND_CREATE), BERTH_ERR_FORBIDDEN);
        assert_string_equal(test.err.text,
                            "priorityclasses.scheduling.k8s.io \"b\" is forbidden: PriorityClass a "
                            "is already marked as default. Only one default can exist");
        kind_test_end(&test);
}

/* Addresses and node ports in use are not given out again. */
static void test_service_allocation(void **state) {
        const char *service = "{\"metadata\":{\"name\":\"s\",\"namespace\":\"n\"},\"spec\":{"
                              "\"type\":\"NodePort\",\"ports\":[{\"port\":80}]}}";
        struct other_object others[2] = { { 0 } };
        struct kind_test first, second;
        struct buf taken = { 0 };

        (void)state;
        kind_test_begin(&first, "v1", "Service", service, NULL);
        assert_int_equal(kind_test_write(&first, KIND_CREATE), 0);
        node_write(first.object, &taken);
        others[0] = (struct other_object){ "/services", taken.data };
        kind_test_begin(&second, "v1", "Service", service, NULL);
        second.others = others;
        assert_int_equal(kind_test_write(&second, KIND_CREATE), 0);
        assert_false(node_equal(node_walk(first.object, "spec.clusterIP"),
                                node_walk(second.object, "spec.clusterIP")));
        assert_false(node_equal(node_walk(first.object, "spec.ports.0.nodePort"),
                                node_walk(second.object, "spec.ports.0.nodePort")));
        assert_true(node_get_i64(node_walk(second.object, "spec.ports.0"), "nodePort", 0) >= 30000);
        kind_test_end(&first);
        kind_test_end(&second);
        buf_release(&taken);
}

/* ---- selectable fields ---- */

static const struct {
        const char *api_version, *kind, *json, *field, *value;
} fields[] = {
        { "v1", "Pod", "{\"spec\":{\"nodeName\":\"n\"}}", "spec.host", "n" },
        { "v1", "Pod", "{}", "spec.hostNetwork", "false" },
        { "v1", "Pod", "{\"status\":{\"phase\":\"Running\"}}", "status.phase", "Running" },
        { "v1", "Node", "{\"spec\":{}}", "spec.unschedulable", "false" },
        { "v1", "Node", "{\"spec\":{\"unschedulable\":true}}", "spec.unschedulable", "true" },
        { "v1", "Event", "{\"reportingComponent\":\"c\"}", "source", "c" },
        { "v1", "Event", "{\"source\":{\"component\":\"k\"},\"reportingComponent\":\"c\"}",
          "source", "k" },
        { "v1", "Event", "{\"involvedObject\":{\"name\":\"p\"}}", "involvedObject.name", "p" },
        { "batch/v1", "Job", "{\"status\":{\"succeeded\":3}}", "status.successful", "3" },
        { "v1", "ReplicationController", "{}", "status.replicas", "0" },
};

static void test_selectable_fields(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
                char buffer[256];
                struct kind_test test;

                kind_test_begin(&test, fields[i].api_version, fields[i].kind, "{}", fields[i].json);
                assert_true(slice_is(
                        test.kind->field_value(test.old, slice_of(fields[i].field), buffer),
                        fields[i].value));
                kind_test_end(&test);
        }
}

/* ---- views ---- */

static void test_event_views(void **state) {
        const char *json = "{\"apiVersion\":\"events.k8s.io/v1\",\"kind\":\"Event\",\"regarding\":{"
                           "\"kind\":\"Pod\"},\"note\":\"hello\",\"deprecatedCount\":2,"
                           "\"reportingController\":\"c\",\"reason\":\"R\"}";
        struct json_tree *before = NULL;
        struct kind_test test;

        (void)state;
        assert_int_equal(json_tree_parse(slice_of(json), &before, NULL), 0);
        kind_test_begin(&test, "events.k8s.io/v1", "Event", json, NULL);
        test.kind->to_stored(test.tree, test.object);
        assert_json_at(test.object, "involvedObject.kind", "\"Pod\"");
        assert_json_at(test.object, "message", "\"hello\"");
        assert_json_at(test.object, "count", "2");
        assert_json_at(test.object, "reportingComponent", "\"c\"");
        assert_json_at(test.object, "apiVersion", "\"v1\"");
        assert_json_at(test.object, "note", NULL);
        test.kind->from_stored(test.tree, test.object);
        assert_true(node_equal(test.object, json_tree_root(before)));
        json_tree_free(before);
        kind_test_end(&test);
}

static void test_autoscaler_views(void **state) {
        struct kind_test test;

        (void)state;
        kind_test_begin(&test, "autoscaling/v1", "HorizontalPodAutoscaler",
                        "{\"spec\":{\"targetCPUUtilizationPercentage\":50},\"status\":{"
                        "\"currentCPUUtilizationPercentage\":10}}",
                        NULL);
        test.kind->to_stored(test.tree, test.object);
        assert_json_at(test.object, "spec.metrics.0.resource.target.averageUtilization", "50");
        assert_json_at(test.object, "status.currentMetrics.0.resource.current.averageUtilization",
                       "10");
        test.kind->from_stored(test.tree, test.object);
        assert_json_at(test.object, "spec", "{\"targetCPUUtilizationPercentage\":50}");
        assert_json_at(test.object, "status", "{\"currentCPUUtilizationPercentage\":10}");
        kind_test_end(&test);
}

/* ---- warnings ---- */

static const struct {
        const char *spec, *warning; /* NULL = none */
} warnings[] = {
        { "\"containers\":[]", NULL },
        { "\"nodeSelector\":{\"beta.kubernetes.io/os\":\"x\"}",
          "spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "
          "\"kubernetes.io/os\" instead" },
        { "\"containers\":[{\"name\":\"c\",\"env\":[{\"name\":\"A\",\"value\":\"1\"},{\"name\":"
          "\"A\","
          "\"value\":\"2\"}]}]",
          "spec.containers[0].env[1]: hides previous definition of \"A\", which may be dropped "
          "when "
          "using apply" },
        { "\"containers\":[{\"name\":\"c\",\"env\":[{\"name\":\"A\",\"value\":\"1\"},{\"name\":"
          "\"A\","
          "\"value\":\"$(A)2\"}]}]",
          NULL },
        { "\"containers\":[{\"name\":\"c\",\"ports\":[{\"containerPort\":1,\"protocol\":\"TCP\"},{"
          "\"containerPort\":1,\"protocol\":\"TCP\"}]}]",
          "spec.containers[0].ports[1]: duplicate port definition with "
          "spec.containers[0].ports[0]" },
        { "\"containers\":[{\"name\":\"c\",\"resources\":{\"limits\":{\"memory\":\"100m\"}}}]",
          "spec.containers[0].resources.limits[memory]: fractional byte value \"100m\" is invalid, "
          "must be an integer" },
        { "\"topologySpreadConstraints\":[{\"topologyKey\":\"z\"}]",
          "spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in "
          "matching "
          "no pod" },
        { "\"containers\":[{\"name\":\"c\",\"env\":[{\"name\":\"A\\\"\"},{\"name\":"
          "\"A\\\"\"}]}]",
          "spec.containers[0].env[1]: hides previous definition of \"A\\\"\", which may be "
          "dropped when using apply" },
        { "\"dnsConfig\":{\"nameservers\":[\"1.2.3.4\",\"2001:DB8::1\"]}",
          "spec.dnsConfig.nameservers[1]: IPv6 address \"2001:DB8::1\" should be in RFC 5952 "
          "canonical format (\"2001:db8::1\")" },
        { "\"hostAliases\":[{\"ip\":\"::ffff:1.2.3.4\"}]",
          "spec.hostAliases[0].ip: non-standard IP address \"::ffff:1.2.3.4\" is invalid: use "
          "\"1.2.3.4\"" },
        { "\"imagePullSecrets\":[{\"name\":\"a\\n\"},{\"name\":\"a\\n\"}]",
          "spec.imagePullSecrets[1].name: duplicate name \"a\\n\"" },
        { "\"imagePullSecrets\":[{}]", "spec.imagePullSecrets[0].name: invalid empty name \"\"" },
        { "\"volumes\":[{\"name\":\"v\",\"projected\":{\"sources\":[{}]}}]",
          "volume \"v\" (Projected) has no sources provided" },
        { "\"affinity\":{\"nodeAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":{"
          "\"nodeSelectorTerms\":[{\"matchExpressions\":[{\"key\":\"beta.kubernetes.io/os\","
          "\"values\":[\"-\"]}]}]}}}",
          "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
          "nodeSelectorTerms[0].matchExpressions[0].key: beta.kubernetes.io/os is deprecated since "
          "v1.14; use \"kubernetes.io/os\" instead" },
};

/* Of other kinds, and of names. */
static const struct {
        const char *version, *kind, *object, *warning;
} object_warnings[] = {
        { "v1", "Node", "{\"spec\":{\"externalID\":\"x\"}}",
          "spec.externalID: this field is deprecated, and is unused by Kubernetes" },
        { "v1", "Secret", "{\"type\":\"kubernetes.io/tls\",\"data\":{\"tls.crt\":\"YQ==\"}}",
          "tls: failed to find any PEM data in certificate input" },
        { "v1", "Secret", "{\"type\":\"Opaque\",\"data\":{\"tls.crt\":\"YQ==\"}}", "" },
        { "apps/v1", "Deployment", "{\"metadata\":{\"name\":\"a.b\"}}",
          "metadata.name: this is used in Pod names and hostnames, which can result in surprising "
          "behavior; a DNS label is recommended: [must not contain dots]" },
        { "apps/v1", "StatefulSet", "{\"kind\":\"StatefulSet\",\"metadata\":{\"name\":\"a.b\"}}",
          "" },
        { "v1", "PodTemplate",
          "{\"template\":{\"metadata\":{\"annotations\":{\"seccomp.security.alpha.kubernetes.io/"
          "pod\":"
          "\"unconfined\",\"container.seccomp.security.alpha.kubernetes.io/c\":\"x\"," APP_ARMOR
          "c\":\"unconfined\"}},\"spec\":{\"containers\":[{\"name\":\"c\"}]}}}",
          "template.metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]: non-functional "
          "in v1.27+; use the \"seccompProfile\" field instead\n"
          "template.metadata.annotations[container.seccomp.security.alpha.kubernetes.io/c]: "
          "non-functional in v1.27+; use the \"seccompProfile\" field instead\n"
          "template.metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: "
          "deprecated since v1.30; use the \"appArmorProfile\" field instead" },
};

static void note_warning(void *context, const char *text) {
        struct buf *out = context;

        buf_printf(out, "%s%s", out->len ? "\n" : "", text);
}

static void test_object_warnings(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(object_warnings); i++) {
                struct buf text = { 0 };
                struct kind_test test;

                kind_test_begin(&test, object_warnings[i].version, object_warnings[i].kind,
                                object_warnings[i].object, NULL);
                test.kind->warn(KIND_CREATE, test.object, note_warning, &text);
                assert_string_equal(text.data ? text.data : "", object_warnings[i].warning);
                buf_release(&text);
                kind_test_end(&test);
        }
}

static void test_warnings(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(warnings); i++) {
                struct buf pod = { 0 }, text = { 0 };
                struct kind_test test;

                buf_printf(&pod, "{\"metadata\":{\"name\":\"p\"},\"spec\":{%s}}", warnings[i].spec);
                kind_test_begin(&test, "v1", "Pod", pod.data, NULL);
                test.kind->warn(KIND_CREATE, test.object, note_warning, &text);
                if (warnings[i].warning)
                        assert_string_equal(text.data, warnings[i].warning);
                else
                        assert_int_equal(text.len, 0);
                buf_clear(&text);
                test.kind->warn(KIND_UPDATE, test.object, note_warning, &text);
                assert_int_equal(text.len, 0);
                kind_test_end(&test);
                buf_release(&pod);
                buf_release(&text);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_create),
                cmocka_unit_test(test_update),
                cmocka_unit_test(test_invalid),
                cmocka_unit_test(test_daemon_set_counts_templates),
                cmocka_unit_test(test_one_default_priority),
                cmocka_unit_test(test_service_allocation),
                cmocka_unit_test(test_selectable_fields),
                cmocka_unit_test(test_event_views),
                cmocka_unit_test(test_autoscaler_views),
                cmocka_unit_test(test_warnings),
                cmocka_unit_test(test_object_warnings),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
