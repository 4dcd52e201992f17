/* The kinds of objects that decisions read. */
#include "ask/snapshot_kind.h"

#include "evict/eviction_reconciler.h"
#include "roles/history_store.h"

#define NOT_MODELLED OBJECT_KIND_COUNT
#define NOT_CACHED CACHED_KIND_COUNT
#define CORE "/api/v1/"
#define METRICS "/apis/metrics.k8s.io/v1beta1/"
#define STORAGE "/apis/storage.k8s.io/v1/"

/* kind, group, path, namespaced, optional, usage, model, cached ...; what pods refer to comes
 * first.
 */
const struct snapshot_kind snapshot_kinds[] = {
        { "Node", "", CORE "nodes", false, false, false, OBJECT_NODE, NOT_CACHED },
        { "Namespace", "", CORE "namespaces", false, false, false, OBJECT_NAMESPACE, NOT_CACHED },
        { "PriorityClass", "scheduling.k8s.io", "/apis/scheduling.k8s.io/v1/priorityclasses", false,
          false, false, OBJECT_PRIORITY_CLASS, NOT_CACHED },
        { "PodDisruptionBudget", "policy", "/apis/policy/v1/poddisruptionbudgets", true, false,
          false, OBJECT_BUDGET, NOT_CACHED },
        { "PersistentVolumeClaim", "", CORE "persistentvolumeclaims", true, false, false,
          OBJECT_CLAIM, CACHED_VOLUME_CLAIM },
        { "PersistentVolume", "", CORE "persistentvolumes", false, true, false, NOT_MODELLED,
          CACHED_VOLUME },
        { "Service", "", CORE "services", true, true, false, NOT_MODELLED, CACHED_SERVICE },
        { "ReplicationController", "", CORE "replicationcontrollers", true, true, false,
          NOT_MODELLED, CACHED_REPLICATION_CONTROLLER },
        { "ReplicaSet", "apps", "/apis/apps/v1/replicasets", true, true, false, NOT_MODELLED,
          CACHED_REPLICA_SET },
        { "StatefulSet", "apps", "/apis/apps/v1/statefulsets", true, true, false, NOT_MODELLED,
          CACHED_STATEFUL_SET },
        { "StorageClass", "storage.k8s.io", STORAGE "storageclasses", false, true, false,
          NOT_MODELLED, CACHED_STORAGE_CLASS },
        { "CSINode", "storage.k8s.io", STORAGE "csinodes", false, true, false, NOT_MODELLED,
          CACHED_CSI_NODE },
        { "CSIDriver", "storage.k8s.io", STORAGE "csidrivers", false, true, false, NOT_MODELLED,
          CACHED_CSI_DRIVER },
        { "CSIStorageCapacity", "storage.k8s.io", STORAGE "csistoragecapacities", true, true, false,
          NOT_MODELLED, CACHED_CSI_CAPACITY },
        { "VolumeAttachment", "storage.k8s.io", STORAGE "volumeattachments", false, true, false,
          NOT_MODELLED, CACHED_ATTACHMENT },
        { "ResourceClaim", "resource.k8s.io", "/apis/resource.k8s.io/v1/resourceclaims", true, true,
          false, NOT_MODELLED, CACHED_RESOURCE_CLAIM },
        { "ResourceSlice", "resource.k8s.io", "/apis/resource.k8s.io/v1/resourceslices", false,
          true, false, NOT_MODELLED, CACHED_RESOURCE_SLICE },
        { "DeviceClass", "resource.k8s.io", "/apis/resource.k8s.io/v1/deviceclasses", false, true,
          false, NOT_MODELLED, CACHED_DEVICE_CLASS },
        { "DeviceTaintRule", "resource.k8s.io", "/apis/resource.k8s.io/v1beta2/devicetaintrules",
          false, true, false, NOT_MODELLED, CACHED_DEVICE_TAINT_RULE, .is_extra = true },
        { "Pod", "", CORE "pods", true, false, false, OBJECT_POD, NOT_CACHED },
        { "Job", "batch", "/apis/batch/v1/jobs", true, true, false, NOT_MODELLED, NOT_CACHED },
        { "NodeMetrics", "metrics.k8s.io", METRICS "nodes", false, true, true, NOT_MODELLED,
          NOT_CACHED },
        { "PodMetrics", "metrics.k8s.io", METRICS "pods", true, true, true, NOT_MODELLED,
          NOT_CACHED },
        { "EvictionPolicy", EVICTION_GROUP_OWN,
          "/apis/" EVICTION_GROUP_OWN "/" EVICTION_VERSION "/evictionpolicies", true, true, false,
          NOT_MODELLED, NOT_CACHED, .is_extra = true },
        { "Eviction", EVICTION_GROUP_OWN,
          "/apis/" EVICTION_GROUP_OWN "/" EVICTION_VERSION "/evictions", true, true, false,
          NOT_MODELLED, NOT_CACHED, .is_extra = true },
        { "Eviction", EVICTION_GROUP_NATIVE,
          "/apis/" EVICTION_GROUP_NATIVE "/" EVICTION_VERSION "/evictions", true, true, false,
          NOT_MODELLED, NOT_CACHED, .is_extra = true },
        { "ConfigMap", "", CORE "namespaces/" HISTORY_STORE_NAMESPACE "/configmaps", true, true,
          false, NOT_MODELLED, NOT_CACHED, .is_extra = true, .name = HISTORY_STORE_NAME },
        { .kind = NULL },
};

/* "v1" is of the core group, "apps/v1" of apps. */
static struct slice group_of(struct slice api_version) {
        const char *slash = api_version.len ? memchr(api_version.ptr, '/', api_version.len) : NULL;

        return slash ? slice_make(api_version.ptr, (size_t)(slash - api_version.ptr)) : SLICE_EMPTY;
}

const struct snapshot_kind *snapshot_kind_find(struct slice api_version, struct slice kind) {
        struct slice group = group_of(api_version);

        for (const struct snapshot_kind *k = snapshot_kinds; k->kind; k++)
                if (slice_is(kind, k->kind) && slice_is(group, k->group))
                        return k;
        return NULL;
}
