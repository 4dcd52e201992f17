/* Written by scripts/gen_schema.py from the Go types of k8s.io/api; do not edit. */
#include "schema/schema.h"

#include "base/util.h"

/* clang-format off */
static const struct schema_field meta_owner_reference_fields[] = {
        { "apiVersion", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 5, 0, 0 },
        { "kind", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 3, 0, 0 },
        { "uid", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 4, 0, 0 },
        { "controller", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 6, 0, 0 },
        { "blockOwnerDeletion", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 7, 0, 0 },
};
static const struct schema_field meta_managed_fields_entry_fields[] = {
        { "manager", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "operation", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "apiVersion", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "time", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
        { "fieldsType", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 6, 0, 0 },
        { "fieldsV1", NULL, NULL, SCHEMA_RAW, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 7, 0, 0 },
        { "subresource", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 8, 0, 0 },
};
static const struct schema_field meta_object_meta_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "generateName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "namespace", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "selfLink", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "uid", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "resourceVersion", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 6, 0, 0 },
        { "generation", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY, 7, 0, 0 },
        { "creationTimestamp", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_OMIT_ZERO, 8, 0, 0 },
        { "deletionTimestamp", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 9, 0, 0 },
        { "deletionGracePeriodSeconds", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 10, 0, 0 },
        { "labels", NULL, NULL, SCHEMA_STRING, SHAPE_MAP, FIELD_OMIT_EMPTY, 11, 0, 0 },
        { "annotations", NULL, NULL, SCHEMA_STRING, SHAPE_MAP, FIELD_OMIT_EMPTY, 12, 0, 0 },
        { "ownerReferences", "uid", "uid", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP | FIELD_ATOMIC, 13, 0, 0 },
        { "finalizers", "", NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_SET, 14, 0, 0 },
        { "managedFields", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_UNREAD, 17, 0, 1 },
};
static const struct schema_field gcepersistent_disk_volume_source_fields[] = {
        { "pdName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "fsType", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "partition", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "readOnly", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
};
static const struct schema_field awselastic_block_store_volume_source_fields[] = {
        { "volumeID", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "fsType", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "partition", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "readOnly", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
};
static const struct schema_field host_path_volume_source_fields[] = {
        { "path", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
};
static const struct schema_field glusterfs_persistent_volume_source_fields[] = {
        { "endpoints", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "path", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "readOnly", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "endpointsNamespace", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
};
static const struct schema_field nfsvolume_source_fields[] = {
        { "server", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "path", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "readOnly", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
};
static const struct schema_field secret_reference_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "namespace", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
};
static const struct schema_field rbdpersistent_volume_source_fields[] = {
        { "monitors", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, 0, 1, 0, 0 },
        { "image", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "fsType", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "pool", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "user", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "keyring", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 6, 0, 0 },
        { "secretRef", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 7, 0, 8 },
        { "readOnly", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 8, 0, 0 },
};
static const struct schema_field iscsipersistent_volume_source_fields[] = {
        { "targetPortal", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "iqn", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "lun", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, 0, 3, 0, 0 },
        { "iscsiInterface", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "fsType", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "readOnly", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 6, 0, 0 },
        { "portals", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 7, 0, 0 },
        { "chapAuthDiscovery", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 8, 0, 0 },
        { "chapAuthSession", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 11, 0, 0 },
        { "secretRef", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 10, 0, 8 },
        { "initiatorName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 12, 0, 0 },
};
static const struct schema_field cinder_persistent_volume_source_fields[] = {
        { "volumeID", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "fsType", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "readOnly", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "secretRef", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 4, 0, 8 },
};
static const struct schema_field ceph_fspersistent_volume_source_fields[] = {
        { "monitors", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, 0, 1, 0, 0 },
        { "path", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "user", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "secretFile", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "secretRef", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 5, 0, 8 },
        { "readOnly", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 6, 0, 0 },
};
static const struct schema_field fcvolume_source_fields[] = {
        { "targetWWNs", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "lun", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
        { "fsType", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "readOnly", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "wwids", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 5, 0, 0 },
};
static const struct schema_field flocker_volume_source_fields[] = {
        { "datasetName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "datasetUUID", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
};
static const struct schema_field flex_persistent_volume_source_fields[] = {
        { "driver", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "fsType", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "secretRef", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 3, 0, 8 },
        { "readOnly", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "options", NULL, NULL, SCHEMA_STRING, SHAPE_MAP, FIELD_OMIT_EMPTY, 5, 0, 0 },
};
static const struct schema_field azure_file_persistent_volume_source_fields[] = {
        { "secretName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "shareName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "readOnly", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "secretNamespace", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_POINTER, 4, 0, 0 },
};
static const struct schema_field vsphere_virtual_disk_volume_source_fields[] = {
        { "volumePath", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "fsType", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "storagePolicyName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "storagePolicyID", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
};
static const struct schema_field quobyte_volume_source_fields[] = {
        { "registry", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "volume", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "readOnly", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "user", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "group", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "tenant", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 6, 0, 0 },
};
static const struct schema_field azure_disk_volume_source_fields[] = {
        { "diskName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "diskURI", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "cachingMode", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
        { "fsType", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
        { "readOnly", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 0, 0 },
        { "kind", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 6, 0, 0 },
};
static const struct schema_field photon_persistent_disk_volume_source_fields[] = {
        { "pdID", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "fsType", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
};
static const struct schema_field portworx_volume_source_fields[] = {
        { "volumeID", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "fsType", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "readOnly", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
};
static const struct schema_field scale_iopersistent_volume_source_fields[] = {
        { "gateway", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "system", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "secretRef", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_POINTER | FIELD_ATOMIC, 3, 0, 8 },
        { "sslEnabled", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "protectionDomain", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "storagePool", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 6, 0, 0 },
        { "storageMode", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 7, 0, 0 },
        { "volumeName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 8, 0, 0 },
        { "fsType", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 9, 0, 0 },
        { "readOnly", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 10, 0, 0 },
};
static const struct schema_field local_volume_source_fields[] = {
        { "path", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "fsType", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
};
static const struct schema_field object_reference_fields[] = {
        { "kind", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "namespace", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "uid", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "apiVersion", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "resourceVersion", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 6, 0, 0 },
        { "fieldPath", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 7, 0, 0 },
};
static const struct schema_field storage_ospersistent_volume_source_fields[] = {
        { "volumeName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "volumeNamespace", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "fsType", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "readOnly", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "secretRef", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 5, 0, 24 },
};
static const struct schema_field csipersistent_volume_source_fields[] = {
        { "driver", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "volumeHandle", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "readOnly", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "fsType", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "volumeAttributes", NULL, NULL, SCHEMA_STRING, SHAPE_MAP, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "controllerPublishSecretRef", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 6, 0, 8 },
        { "nodeStageSecretRef", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 7, 0, 8 },
        { "nodePublishSecretRef", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 8, 0, 8 },
        { "controllerExpandSecretRef", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 9, 0, 8 },
        { "nodeExpandSecretRef", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 10, 0, 8 },
};
static const struct schema_field node_selector_requirement_fields[] = {
        { "key", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "operator", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "values", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 3, 0, 0 },
};
static const struct schema_field node_selector_term_fields[] = {
        { "matchExpressions", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 1, 0, 27 },
        { "matchFields", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 2, 0, 27 },
};
static const struct schema_field node_selector_fields[] = {
        { "nodeSelectorTerms", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_ATOMIC, 1, 0, 28 },
};
static const struct schema_field volume_node_affinity_fields[] = {
        { "required", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 1, 0, 29 },
};
static const struct schema_field persistent_volume_spec_fields[] = {
        { "capacity", NULL, NULL, SCHEMA_QUANTITY, SHAPE_MAP, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "gcePersistentDisk", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 2, 3 },
        { "awsElasticBlockStore", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 2, 4 },
        { "hostPath", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 2, 5 },
        { "glusterfs", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 2, 6 },
        { "nfs", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 2, 7 },
        { "rbd", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 6, 2, 9 },
        { "iscsi", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 7, 2, 10 },
        { "cinder", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 8, 2, 11 },
        { "cephfs", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 9, 2, 12 },
        { "fc", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 10, 2, 13 },
        { "flocker", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 11, 2, 14 },
        { "flexVolume", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 12, 2, 15 },
        { "azureFile", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 13, 2, 16 },
        { "vsphereVolume", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 14, 2, 17 },
        { "quobyte", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 15, 2, 18 },
        { "azureDisk", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 16, 2, 19 },
        { "photonPersistentDisk", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 17, 2, 20 },
        { "portworxVolume", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 18, 2, 21 },
        { "scaleIO", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 19, 2, 22 },
        { "local", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 20, 2, 23 },
        { "storageos", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 21, 2, 25 },
        { "csi", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 22, 2, 26 },
        { "accessModes", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "claimRef", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 24 },
        { "persistentVolumeReclaimPolicy", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "storageClassName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 6, 0, 0 },
        { "mountOptions", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 7, 0, 0 },
        { "volumeMode", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 8, 0, 0 },
        { "nodeAffinity", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 9, 0, 30 },
        { "volumeAttributesClassName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 10, 0, 0 },
};
static const struct schema_field persistent_volume_status_fields[] = {
        { "phase", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "message", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "reason", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "lastPhaseTransitionTime", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
};
static const struct schema_field persistent_volume_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 31 },
        { "status", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 32 },
};
static const struct schema_field meta_label_selector_requirement_fields[] = {
        { "key", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "operator", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "values", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 3, 0, 0 },
};
static const struct schema_field meta_label_selector_fields[] = {
        { "matchLabels", NULL, NULL, SCHEMA_STRING, SHAPE_MAP, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "matchExpressions", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 2, 0, 34 },
};
static const struct schema_field volume_resource_requirements_fields[] = {
        { "limits", NULL, NULL, SCHEMA_QUANTITY, SHAPE_MAP, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "requests", NULL, NULL, SCHEMA_QUANTITY, SHAPE_MAP, FIELD_OMIT_EMPTY, 2, 0, 0 },
};
static const struct schema_field typed_local_object_reference_fields[] = {
        { "apiGroup", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_POINTER, 1, 0, 0 },
        { "kind", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 3, 0, 0 },
};
static const struct schema_field typed_object_reference_fields[] = {
        { "apiGroup", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_POINTER, 1, 0, 0 },
        { "kind", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 3, 0, 0 },
        { "namespace", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
};
static const struct schema_field persistent_volume_claim_spec_fields[] = {
        { "accessModes", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "selector", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 4, 0, 35 },
        { "resources", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 36 },
        { "volumeName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "storageClassName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 0, 0 },
        { "volumeMode", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 6, 0, 0 },
        { "dataSource", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 7, 0, 37 },
        { "dataSourceRef", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 8, 0, 38 },
        { "volumeAttributesClassName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 9, 0, 0 },
};
static const struct schema_field persistent_volume_claim_condition_fields[] = {
        { "type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "status", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "lastProbeTime", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "lastTransitionTime", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "reason", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "message", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 6, 0, 0 },
};
static const struct schema_field modify_volume_status_fields[] = {
        { "targetVolumeAttributesClassName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "status", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
};
static const struct schema_field persistent_volume_claim_status_fields[] = {
        { "phase", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "accessModes", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "capacity", NULL, NULL, SCHEMA_QUANTITY, SHAPE_MAP, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "conditions", "type", "type", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP, 4, 0, 40 },
        { "allocatedResources", NULL, NULL, SCHEMA_QUANTITY, SHAPE_MAP, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "allocatedResourceStatuses", NULL, NULL, SCHEMA_STRING, SHAPE_MAP, FIELD_OMIT_EMPTY, 7, 0, 0 },
        { "currentVolumeAttributesClassName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 8, 0, 0 },
        { "modifyVolumeStatus", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 9, 0, 41 },
};
static const struct schema_field persistent_volume_claim_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 39 },
        { "status", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 42 },
};
static const struct schema_field pod_condition_fields[] = {
        { "type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "observedGeneration", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY, 7, 0, 0 },
        { "status", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "lastProbeTime", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "lastTransitionTime", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "reason", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "message", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 6, 0, 0 },
};
static const struct schema_field host_ip_fields[] = {
        { "ip", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
};
static const struct schema_field pod_ip_fields[] = {
        { "ip", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
};
static const struct schema_field container_state_waiting_fields[] = {
        { "reason", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "message", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
};
static const struct schema_field container_state_running_fields[] = {
        { "startedAt", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
};
static const struct schema_field container_state_terminated_fields[] = {
        { "exitCode", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, 0, 1, 0, 0 },
        { "signal", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "reason", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "message", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "startedAt", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "finishedAt", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY, 6, 0, 0 },
        { "containerID", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 7, 0, 0 },
};
static const struct schema_field container_state_fields[] = {
        { "waiting", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 47 },
        { "running", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 48 },
        { "terminated", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 49 },
};
static const struct schema_field resource_claim_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "request", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
};
static const struct schema_field resource_requirements_fields[] = {
        { "limits", NULL, NULL, SCHEMA_QUANTITY, SHAPE_MAP, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "requests", NULL, NULL, SCHEMA_QUANTITY, SHAPE_MAP, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "claims", NULL, "name", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP, 3, 0, 51 },
};
static const struct schema_field image_volume_status_fields[] = {
        { "imageRef", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
};
static const struct schema_field volume_status_fields[] = {
        { "image", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 53 },
};
static const struct schema_field volume_mount_status_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "mountPath", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "readOnly", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "recursiveReadOnly", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
        { "volumeStatus", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 0, 54 },
};
static const struct schema_field linux_container_user_fields[] = {
        { "uid", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, 0, 1, 0, 0 },
        { "gid", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, 0, 2, 0, 0 },
        { "supplementalGroups", NULL, NULL, SCHEMA_INT64, SHAPE_LIST, FIELD_OMIT_EMPTY, 3, 0, 0 },
};
static const struct schema_field container_user_fields[] = {
        { "linux", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 56 },
};
static const struct schema_field resource_health_fields[] = {
        { "resourceID", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "health", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "message", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 6, 0, 0 },
};
static const struct schema_field resource_status_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "resources", NULL, "resourceID", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP, 2, 0, 58 },
};
static const struct schema_field container_status_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "state", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 50 },
        { "lastState", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 50 },
        { "ready", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, 0, 4, 0, 0 },
        { "restartCount", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, 0, 5, 0, 0 },
        { "image", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_UNREAD, 6, 0, 0 },
        { "imageID", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_UNREAD, 7, 0, 0 },
        { "containerID", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_UNREAD, 8, 0, 0 },
        { "started", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 9, 0, 0 },
        { "allocatedResources", NULL, NULL, SCHEMA_QUANTITY, SHAPE_MAP, FIELD_OMIT_EMPTY, 10, 0, 0 },
        { "resources", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 11, 0, 52 },
        { "volumeMounts", "mountPath", "mountPath", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP | FIELD_UNREAD, 12, 0, 55 },
        { "user", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_UNREAD, 13, 0, 57 },
        { "allocatedResourcesStatus", "name", "name", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP | FIELD_UNREAD, 14, 0, 59 },
        { "stopSignal", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 15, 0, 0 },
};
static const struct schema_field pod_resource_claim_status_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "resourceClaimName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
};
static const struct schema_field container_extended_resource_request_fields[] = {
        { "containerName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "resourceName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "requestName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 3, 0, 0 },
};
static const struct schema_field pod_extended_resource_claim_status_fields[] = {
        { "requestMappings", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, 0, 1, 0, 62 },
        { "resourceClaimName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
};
static const struct schema_field node_allocatable_resource_claim_status_fields[] = {
        { "resourceClaimName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "containers", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_SET, 2, 0, 0 },
        { "resources", NULL, NULL, SCHEMA_QUANTITY, SHAPE_MAP, 0, 3, 0, 0 },
};
static const struct schema_field pod_status_fields[] = {
        { "observedGeneration", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY, 17, 0, 0 },
        { "phase", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "conditions", "type", "type", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP, 2, 0, 44 },
        { "message", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "reason", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "nominatedNodeName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 11, 0, 0 },
        { "hostIP", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_UNREAD, 5, 0, 0 },
        { "hostIPs", "ip", NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_UNREAD, 16, 0, 45 },
        { "podIP", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 6, 0, 0 },
        { "podIPs", "ip", "ip", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP | FIELD_UNREAD, 12, 0, 46 },
        { "startTime", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 7, 0, 0 },
        { "initContainerStatuses", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 10, 0, 60 },
        { "containerStatuses", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 8, 0, 60 },
        { "qosClass", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 9, 0, 0 },
        { "ephemeralContainerStatuses", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 13, 0, 60 },
        { "resize", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 14, 0, 0 },
        { "resourceClaimStatuses", "name", "name", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_RETAIN_KEYS | FIELD_LIST_MAP, 15, 0, 61 },
        { "extendedResourceClaimStatus", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 18, 0, 63 },
        { "allocatedResources", NULL, NULL, SCHEMA_QUANTITY, SHAPE_MAP, FIELD_OMIT_EMPTY, 19, 0, 0 },
        { "resources", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 20, 0, 52 },
        { "nodeAllocatableResourceClaimStatuses", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 21, 0, 64 },
};
static const struct schema_field pod_status_result_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "status", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 65 },
};
static const struct schema_field empty_dir_volume_source_fields[] = {
        { "medium", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "sizeLimit", NULL, NULL, SCHEMA_QUANTITY, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
};
static const struct schema_field git_repo_volume_source_fields[] = {
        { "repository", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "revision", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "directory", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
};
static const struct schema_field key_to_path_fields[] = {
        { "key", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "path", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "mode", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
};
static const struct schema_field secret_volume_source_fields[] = {
        { "secretName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "items", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 2, 0, 69 },
        { "defaultMode", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
        { "optional", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
};
static const struct schema_field local_object_reference_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
};
static const struct schema_field iscsivolume_source_fields[] = {
        { "targetPortal", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "iqn", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "lun", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, 0, 3, 0, 0 },
        { "iscsiInterface", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "fsType", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "readOnly", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 6, 0, 0 },
        { "portals", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 7, 0, 0 },
        { "chapAuthDiscovery", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 8, 0, 0 },
        { "chapAuthSession", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 11, 0, 0 },
        { "secretRef", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 10, 0, 71 },
        { "initiatorName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 12, 0, 0 },
};
static const struct schema_field glusterfs_volume_source_fields[] = {
        { "endpoints", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "path", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "readOnly", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
};
static const struct schema_field persistent_volume_claim_volume_source_fields[] = {
        { "claimName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "readOnly", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
};
static const struct schema_field rbdvolume_source_fields[] = {
        { "monitors", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, 0, 1, 0, 0 },
        { "image", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "fsType", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "pool", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "user", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "keyring", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 6, 0, 0 },
        { "secretRef", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 7, 0, 71 },
        { "readOnly", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 8, 0, 0 },
};
static const struct schema_field flex_volume_source_fields[] = {
        { "driver", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "fsType", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "secretRef", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 3, 0, 71 },
        { "readOnly", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "options", NULL, NULL, SCHEMA_STRING, SHAPE_MAP, FIELD_OMIT_EMPTY, 5, 0, 0 },
};
static const struct schema_field cinder_volume_source_fields[] = {
        { "volumeID", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "fsType", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "readOnly", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "secretRef", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 4, 0, 71 },
};
static const struct schema_field ceph_fsvolume_source_fields[] = {
        { "monitors", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, 0, 1, 0, 0 },
        { "path", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "user", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "secretFile", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "secretRef", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 5, 0, 71 },
        { "readOnly", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 6, 0, 0 },
};
static const struct schema_field object_field_selector_fields[] = {
        { "apiVersion", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "fieldPath", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
};
static const struct schema_field resource_field_selector_fields[] = {
        { "containerName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "resource", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "divisor", NULL, NULL, SCHEMA_QUANTITY, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
};
static const struct schema_field downward_apivolume_file_fields[] = {
        { "path", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "fieldRef", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 2, 0, 79 },
        { "resourceFieldRef", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 3, 0, 80 },
        { "mode", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
};
static const struct schema_field downward_apivolume_source_fields[] = {
        { "items", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 1, 0, 81 },
        { "defaultMode", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
};
static const struct schema_field azure_file_volume_source_fields[] = {
        { "secretName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "shareName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "readOnly", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
};
static const struct schema_field config_map_volume_source_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 1, 0 },
        { "items", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 2, 0, 69 },
        { "defaultMode", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
        { "optional", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
};
static const struct schema_field secret_projection_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 1, 0 },
        { "items", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 2, 0, 69 },
        { "optional", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
};
static const struct schema_field downward_apiprojection_fields[] = {
        { "items", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 1, 0, 81 },
};
static const struct schema_field config_map_projection_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 1, 0 },
        { "items", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 2, 0, 69 },
        { "optional", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
};
static const struct schema_field service_account_token_projection_fields[] = {
        { "audience", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "expirationSeconds", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
        { "path", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 3, 0, 0 },
};
static const struct schema_field cluster_trust_bundle_projection_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 0 },
        { "signerName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
        { "labelSelector", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 3, 0, 35 },
        { "optional", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 0, 0 },
        { "path", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 4, 0, 0 },
};
static const struct schema_field pod_certificate_projection_fields[] = {
        { "signerName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "keyType", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "maxExpirationSeconds", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
        { "credentialBundlePath", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "keyPath", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "certificateChainPath", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 6, 0, 0 },
        { "userAnnotations", NULL, NULL, SCHEMA_STRING, SHAPE_MAP, FIELD_OMIT_EMPTY, 7, 0, 0 },
};
static const struct schema_field volume_projection_fields[] = {
        { "secret", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 85 },
        { "downwardAPI", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 86 },
        { "configMap", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 87 },
        { "serviceAccountToken", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 88 },
        { "clusterTrustBundle", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 0, 89 },
        { "podCertificate", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 6, 0, 90 },
};
static const struct schema_field projected_volume_source_fields[] = {
        { "sources", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_UNREAD, 1, 0, 91 },
        { "defaultMode", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_UNREAD, 2, 0, 0 },
};
static const struct schema_field scale_iovolume_source_fields[] = {
        { "gateway", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "system", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "secretRef", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_POINTER | FIELD_ATOMIC, 3, 0, 71 },
        { "sslEnabled", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "protectionDomain", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "storagePool", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 6, 0, 0 },
        { "storageMode", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 7, 0, 0 },
        { "volumeName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 8, 0, 0 },
        { "fsType", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 9, 0, 0 },
        { "readOnly", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 10, 0, 0 },
};
static const struct schema_field storage_osvolume_source_fields[] = {
        { "volumeName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "volumeNamespace", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "fsType", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "readOnly", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "secretRef", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 5, 0, 71 },
};
static const struct schema_field csivolume_source_fields[] = {
        { "driver", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "readOnly", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
        { "fsType", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
        { "volumeAttributes", NULL, NULL, SCHEMA_STRING, SHAPE_MAP, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "nodePublishSecretRef", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 5, 0, 71 },
};
static const struct schema_field persistent_volume_claim_template_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 2, 0, 39 },
};
static const struct schema_field ephemeral_volume_source_fields[] = {
        { "volumeClaimTemplate", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 96 },
};
static const struct schema_field image_volume_source_fields[] = {
        { "reference", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "pullPolicy", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
};
static const struct schema_field volume_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "hostPath", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 2, 5 },
        { "emptyDir", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 2, 67 },
        { "gcePersistentDisk", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 2, 3 },
        { "awsElasticBlockStore", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 2, 4 },
        { "gitRepo", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 2, 68 },
        { "secret", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 6, 2, 70 },
        { "nfs", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 7, 2, 7 },
        { "iscsi", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 8, 2, 72 },
        { "glusterfs", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 9, 2, 73 },
        { "persistentVolumeClaim", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 10, 2, 74 },
        { "rbd", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 11, 2, 75 },
        { "flexVolume", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 12, 2, 76 },
        { "cinder", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 13, 2, 77 },
        { "cephfs", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 14, 2, 78 },
        { "flocker", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 15, 2, 14 },
        { "downwardAPI", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 16, 2, 82 },
        { "fc", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 17, 2, 13 },
        { "azureFile", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 18, 2, 83 },
        { "configMap", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 19, 2, 84 },
        { "vsphereVolume", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 20, 2, 17 },
        { "quobyte", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 21, 2, 18 },
        { "azureDisk", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 22, 2, 19 },
        { "photonPersistentDisk", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 23, 2, 20 },
        { "projected", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 26, 2, 92 },
        { "portworxVolume", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 24, 2, 21 },
        { "scaleIO", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 25, 2, 93 },
        { "storageos", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 27, 2, 94 },
        { "csi", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 28, 2, 95 },
        { "ephemeral", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 29, 2, 97 },
        { "image", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 30, 2, 98 },
};
static const struct schema_field container_port_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "hostPort", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "containerPort", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, 0, 3, 0, 0 },
        { "protocol", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "hostIP", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
};
static const struct schema_field config_map_env_source_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 1, 0 },
        { "optional", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
};
static const struct schema_field secret_env_source_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 1, 0 },
        { "optional", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
};
static const struct schema_field env_from_source_fields[] = {
        { "prefix", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "configMapRef", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 101 },
        { "secretRef", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 102 },
};
static const struct schema_field config_map_key_selector_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 1, 0 },
        { "key", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "optional", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
};
static const struct schema_field secret_key_selector_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 1, 0 },
        { "key", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "optional", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
};
static const struct schema_field file_key_selector_fields[] = {
        { "volumeName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "path", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "key", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 3, 0, 0 },
        { "optional", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
};
static const struct schema_field env_var_source_fields[] = {
        { "fieldRef", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 1, 0, 79 },
        { "resourceFieldRef", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 2, 0, 80 },
        { "configMapKeyRef", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 3, 0, 104 },
        { "secretKeyRef", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 4, 0, 105 },
        { "fileKeyRef", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 5, 0, 106 },
};
static const struct schema_field env_var_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "value", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "valueFrom", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 107 },
};
static const struct schema_field container_resize_policy_fields[] = {
        { "resourceName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "restartPolicy", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
};
static const struct schema_field container_restart_rule_on_exit_codes_fields[] = {
        { "operator", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "values", NULL, NULL, SCHEMA_INT32, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_SET, 2, 0, 0 },
};
static const struct schema_field container_restart_rule_fields[] = {
        { "action", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "exitCodes", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 110 },
};
static const struct schema_field volume_mount_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "readOnly", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "recursiveReadOnly", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 7, 0, 0 },
        { "mountPath", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 3, 0, 0 },
        { "subPath", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "mountPropagation", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 0, 0 },
        { "subPathExpr", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 6, 0, 0 },
};
static const struct schema_field volume_device_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "devicePath", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
};
static const struct schema_field exec_action_fields[] = {
        { "command", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 1, 0, 0 },
};
static const struct schema_field httpheader_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "value", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
};
static const struct schema_field httpget_action_fields[] = {
        { "path", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "port", NULL, NULL, SCHEMA_INT_OR_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "host", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "scheme", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "httpHeaders", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 5, 0, 115 },
};
static const struct schema_field tcpsocket_action_fields[] = {
        { "port", NULL, NULL, SCHEMA_INT_OR_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "host", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
};
static const struct schema_field grpcaction_fields[] = {
        { "port", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, 0, 1, 0, 0 },
        { "service", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_POINTER, 2, 0, 0 },
};
static const struct schema_field probe_fields[] = {
        { "exec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 1, 114 },
        { "httpGet", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 1, 116 },
        { "tcpSocket", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 1, 117 },
        { "grpc", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 1, 118 },
        { "initialDelaySeconds", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "timeoutSeconds", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "periodSeconds", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "successThreshold", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "failureThreshold", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 6, 0, 0 },
        { "terminationGracePeriodSeconds", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 7, 0, 0 },
};
static const struct schema_field sleep_action_fields[] = {
        { "seconds", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, 0, 1, 0, 0 },
};
static const struct schema_field lifecycle_handler_fields[] = {
        { "exec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 114 },
        { "httpGet", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 116 },
        { "tcpSocket", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 117 },
        { "sleep", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 120 },
};
static const struct schema_field lifecycle_fields[] = {
        { "postStart", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 121 },
        { "preStop", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 121 },
        { "stopSignal", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
};
static const struct schema_field capabilities_fields[] = {
        { "add", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "drop", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 2, 0, 0 },
};
static const struct schema_field selinux_options_fields[] = {
        { "user", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "role", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "level", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
};
static const struct schema_field windows_security_context_options_fields[] = {
        { "gmsaCredentialSpecName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 0 },
        { "gmsaCredentialSpec", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
        { "runAsUserName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
        { "hostProcess", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
};
static const struct schema_field seccomp_profile_fields[] = {
        { "type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "localhostProfile", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
};
static const struct schema_field app_armor_profile_fields[] = {
        { "type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "localhostProfile", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
};
static const struct schema_field security_context_fields[] = {
        { "capabilities", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 123 },
        { "privileged", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
        { "seLinuxOptions", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 124 },
        { "windowsOptions", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 10, 0, 125 },
        { "runAsUser", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
        { "runAsGroup", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 8, 0, 0 },
        { "runAsNonRoot", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 0, 0 },
        { "readOnlyRootFilesystem", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 6, 0, 0 },
        { "allowPrivilegeEscalation", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 7, 0, 0 },
        { "procMount", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 9, 0, 0 },
        { "seccompProfile", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 11, 0, 126 },
        { "appArmorProfile", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 12, 0, 127 },
};
static const struct schema_field container_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "image", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "command", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_UNREAD, 3, 0, 0 },
        { "args", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_UNREAD, 4, 0, 0 },
        { "workingDir", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_UNREAD, 5, 0, 0 },
        { "ports", "containerPort", "containerPort,protocol", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP, 6, 0, 100 },
        { "envFrom", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_UNREAD, 19, 0, 103 },
        { "env", "name", "name", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP | FIELD_UNREAD, 7, 0, 108 },
        { "resources", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 8, 0, 52 },
        { "resizePolicy", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 23, 0, 109 },
        { "restartPolicy", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 24, 0, 0 },
        { "restartPolicyRules", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 25, 0, 111 },
        { "volumeMounts", "mountPath", "mountPath", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP | FIELD_UNREAD, 9, 0, 112 },
        { "volumeDevices", "devicePath", "devicePath", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP | FIELD_UNREAD, 21, 0, 113 },
        { "livenessProbe", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_UNREAD, 10, 0, 119 },
        { "readinessProbe", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_UNREAD, 11, 0, 119 },
        { "startupProbe", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_UNREAD, 22, 0, 119 },
        { "lifecycle", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_UNREAD, 12, 0, 122 },
        { "terminationMessagePath", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_UNREAD, 13, 0, 0 },
        { "terminationMessagePolicy", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_UNREAD, 20, 0, 0 },
        { "imagePullPolicy", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_UNREAD, 14, 0, 0 },
        { "securityContext", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_UNREAD, 15, 0, 128 },
        { "stdin", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_UNREAD, 16, 0, 0 },
        { "stdinOnce", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_UNREAD, 17, 0, 0 },
        { "tty", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_UNREAD, 18, 0, 0 },
};
static const struct schema_field ephemeral_container_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 1, 0 },
        { "image", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 1, 0 },
        { "command", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_UNREAD, 3, 1, 0 },
        { "args", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_UNREAD, 4, 1, 0 },
        { "workingDir", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_UNREAD, 5, 1, 0 },
        { "ports", "containerPort", "containerPort,protocol", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP, 6, 1, 100 },
        { "envFrom", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_UNREAD, 19, 1, 103 },
        { "env", "name", "name", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP | FIELD_UNREAD, 7, 1, 108 },
        { "resources", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 8, 1, 52 },
        { "resizePolicy", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 23, 1, 109 },
        { "restartPolicy", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 24, 1, 0 },
        { "restartPolicyRules", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 25, 1, 111 },
        { "volumeMounts", "mountPath", "mountPath", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP | FIELD_UNREAD, 9, 1, 112 },
        { "volumeDevices", "devicePath", "devicePath", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP | FIELD_UNREAD, 21, 1, 113 },
        { "livenessProbe", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_UNREAD, 10, 1, 119 },
        { "readinessProbe", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_UNREAD, 11, 1, 119 },
        { "startupProbe", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_UNREAD, 22, 1, 119 },
        { "lifecycle", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_UNREAD, 12, 1, 122 },
        { "terminationMessagePath", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_UNREAD, 13, 1, 0 },
        { "terminationMessagePolicy", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_UNREAD, 20, 1, 0 },
        { "imagePullPolicy", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_UNREAD, 14, 1, 0 },
        { "securityContext", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_UNREAD, 15, 1, 128 },
        { "stdin", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_UNREAD, 16, 1, 0 },
        { "stdinOnce", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_UNREAD, 17, 1, 0 },
        { "tty", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_UNREAD, 18, 1, 0 },
        { "targetContainerName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
};
static const struct schema_field sysctl_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "value", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
};
static const struct schema_field pod_security_context_fields[] = {
        { "seLinuxOptions", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 124 },
        { "windowsOptions", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 8, 0, 125 },
        { "runAsUser", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
        { "runAsGroup", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 6, 0, 0 },
        { "runAsNonRoot", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
        { "supplementalGroups", NULL, NULL, SCHEMA_INT64, SHAPE_LIST, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "supplementalGroupsPolicy", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 12, 0, 0 },
        { "fsGroup", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 0, 0 },
        { "sysctls", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 7, 0, 131 },
        { "fsGroupChangePolicy", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 9, 0, 0 },
        { "seccompProfile", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 10, 0, 126 },
        { "appArmorProfile", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 11, 0, 127 },
        { "seLinuxChangePolicy", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 13, 0, 0 },
};
static const struct schema_field preferred_scheduling_term_fields[] = {
        { "weight", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, 0, 1, 0, 0 },
        { "preference", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_ATOMIC, 2, 0, 28 },
};
static const struct schema_field node_affinity_fields[] = {
        { "requiredDuringSchedulingIgnoredDuringExecution", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 1, 0, 29 },
        { "preferredDuringSchedulingIgnoredDuringExecution", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 2, 0, 133 },
};
static const struct schema_field pod_affinity_term_fields[] = {
        { "labelSelector", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 1, 0, 35 },
        { "namespaces", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "topologyKey", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 3, 0, 0 },
        { "namespaceSelector", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 4, 0, 35 },
        { "matchLabelKeys", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "mismatchLabelKeys", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 6, 0, 0 },
};
static const struct schema_field weighted_pod_affinity_term_fields[] = {
        { "weight", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, 0, 1, 0, 0 },
        { "podAffinityTerm", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 2, 0, 135 },
};
static const struct schema_field pod_affinity_fields[] = {
        { "requiredDuringSchedulingIgnoredDuringExecution", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 1, 0, 135 },
        { "preferredDuringSchedulingIgnoredDuringExecution", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 2, 0, 136 },
};
static const struct schema_field pod_anti_affinity_fields[] = {
        { "requiredDuringSchedulingIgnoredDuringExecution", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 1, 0, 135 },
        { "preferredDuringSchedulingIgnoredDuringExecution", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 2, 0, 136 },
};
static const struct schema_field affinity_fields[] = {
        { "nodeAffinity", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 134 },
        { "podAffinity", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 137 },
        { "podAntiAffinity", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 138 },
};
static const struct schema_field toleration_fields[] = {
        { "key", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "operator", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "value", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "effect", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "tolerationSeconds", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 0, 0 },
};
static const struct schema_field host_alias_fields[] = {
        { "ip", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "hostnames", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 2, 0, 0 },
};
static const struct schema_field pod_dnsconfig_option_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "value", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
};
static const struct schema_field pod_dnsconfig_fields[] = {
        { "nameservers", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "searches", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "options", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 3, 0, 142 },
};
static const struct schema_field pod_readiness_gate_fields[] = {
        { "conditionType", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
};
static const struct schema_field topology_spread_constraint_fields[] = {
        { "maxSkew", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, 0, 1, 0, 0 },
        { "topologyKey", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "whenUnsatisfiable", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 3, 0, 0 },
        { "labelSelector", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 4, 0, 35 },
        { "minDomains", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 0, 0 },
        { "nodeAffinityPolicy", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 6, 0, 0 },
        { "nodeTaintsPolicy", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 7, 0, 0 },
        { "matchLabelKeys", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 8, 0, 0 },
};
static const struct schema_field pod_os_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
};
static const struct schema_field pod_scheduling_gate_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
};
static const struct schema_field pod_resource_claim_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "resourceClaimName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
        { "resourceClaimTemplateName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
};
static const struct schema_field pod_scheduling_group_fields[] = {
        { "podGroupName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 0 },
};
static const struct schema_field eviction_responder_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 0, 0, 0 },
        { "priority", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 0, 0, 0 },
};
static const struct schema_field pod_spec_fields[] = {
        { "volumes", "name", "name", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_RETAIN_KEYS | FIELD_LIST_MAP, 1, 0, 99 },
        { "initContainers", "name", "name", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP, 20, 0, 129 },
        { "containers", "name", "name", SCHEMA_OBJECT, SHAPE_LIST, FIELD_LIST_MAP, 2, 0, 129 },
        { "ephemeralContainers", "name", "name", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP, 34, 0, 130 },
        { "restartPolicy", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "terminationGracePeriodSeconds", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
        { "activeDeadlineSeconds", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 0, 0 },
        { "dnsPolicy", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_UNREAD, 6, 0, 0 },
        { "nodeSelector", NULL, NULL, SCHEMA_STRING, SHAPE_MAP, FIELD_OMIT_EMPTY | FIELD_ATOMIC, 7, 0, 0 },
        { "serviceAccountName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 8, 0, 0 },
        { "serviceAccount", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_UNREAD, 9, 0, 0 },
        { "automountServiceAccountToken", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 21, 0, 0 },
        { "nodeName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 10, 0, 0 },
        { "hostNetwork", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 11, 0, 0 },
        { "hostPID", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 12, 0, 0 },
        { "hostIPC", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 13, 0, 0 },
        { "shareProcessNamespace", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 27, 0, 0 },
        { "securityContext", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_UNREAD, 14, 0, 132 },
        { "imagePullSecrets", "name", "name", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP | FIELD_ATOMIC | FIELD_UNREAD, 15, 0, 71 },
        { "hostname", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 16, 0, 0 },
        { "subdomain", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 17, 0, 0 },
        { "affinity", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 18, 0, 139 },
        { "schedulerName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 19, 0, 0 },
        { "tolerations", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 22, 0, 140 },
        { "hostAliases", "ip", "ip", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP | FIELD_UNREAD, 23, 0, 141 },
        { "priorityClassName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 24, 0, 0 },
        { "priority", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 25, 0, 0 },
        { "dnsConfig", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_UNREAD, 26, 0, 143 },
        { "readinessGates", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 28, 0, 144 },
        { "runtimeClassName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 29, 0, 0 },
        { "enableServiceLinks", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_UNREAD, 30, 0, 0 },
        { "preemptionPolicy", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 31, 0, 0 },
        { "overhead", NULL, NULL, SCHEMA_QUANTITY, SHAPE_MAP, FIELD_OMIT_EMPTY, 32, 0, 0 },
        { "topologySpreadConstraints", "topologyKey", "topologyKey,whenUnsatisfiable", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP, 33, 0, 145 },
        { "setHostnameAsFQDN", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 35, 0, 0 },
        { "os", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 36, 0, 146 },
        { "hostUsers", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 37, 0, 0 },
        { "schedulingGates", "name", "name", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP, 38, 0, 147 },
        { "resourceClaims", "name", "name", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_RETAIN_KEYS | FIELD_LIST_MAP, 39, 0, 148 },
        { "resources", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 40, 0, 52 },
        { "hostnameOverride", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 41, 0, 0 },
        { "schedulingGroup", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 43, 0, 149 },
        { "evictionResponders", "name", "name", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP, 0, 0, 150 },
};
static const struct schema_field pod_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 151 },
        { "status", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 65 },
};
static const struct schema_field pod_template_spec_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 151 },
};
static const struct schema_field pod_template_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "template", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 153 },
};
static const struct schema_field replication_controller_spec_fields[] = {
        { "replicas", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 0 },
        { "minReadySeconds", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "selector", NULL, NULL, SCHEMA_STRING, SHAPE_MAP, FIELD_OMIT_EMPTY | FIELD_ATOMIC, 2, 0, 0 },
        { "template", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 153 },
};
static const struct schema_field replication_controller_condition_fields[] = {
        { "type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "status", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "lastTransitionTime", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "reason", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "message", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
};
static const struct schema_field replication_controller_status_fields[] = {
        { "replicas", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, 0, 1, 0, 0 },
        { "fullyLabeledReplicas", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "readyReplicas", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "availableReplicas", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "observedGeneration", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "conditions", "type", "type", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP, 6, 0, 156 },
};
static const struct schema_field replication_controller_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 155 },
        { "status", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 157 },
};
static const struct schema_field service_port_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "protocol", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "appProtocol", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 6, 0, 0 },
        { "port", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, 0, 3, 0, 0 },
        { "targetPort", NULL, NULL, SCHEMA_INT_OR_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "nodePort", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
};
static const struct schema_field client_ipconfig_fields[] = {
        { "timeoutSeconds", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 0 },
};
static const struct schema_field session_affinity_config_fields[] = {
        { "clientIP", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 160 },
};
static const struct schema_field service_spec_fields[] = {
        { "ports", "port", "port,protocol", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP, 1, 0, 159 },
        { "selector", NULL, NULL, SCHEMA_STRING, SHAPE_MAP, FIELD_OMIT_EMPTY | FIELD_ATOMIC, 2, 0, 0 },
        { "clusterIP", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "clusterIPs", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 18, 0, 0 },
        { "type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "externalIPs", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "sessionAffinity", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 7, 0, 0 },
        { "loadBalancerIP", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 8, 0, 0 },
        { "loadBalancerSourceRanges", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 9, 0, 0 },
        { "externalName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 10, 0, 0 },
        { "externalTrafficPolicy", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 11, 0, 0 },
        { "healthCheckNodePort", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 12, 0, 0 },
        { "publishNotReadyAddresses", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 13, 0, 0 },
        { "sessionAffinityConfig", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 14, 0, 161 },
        { "ipFamilies", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 19, 0, 0 },
        { "ipFamilyPolicy", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 17, 0, 0 },
        { "allocateLoadBalancerNodePorts", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 20, 0, 0 },
        { "loadBalancerClass", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 21, 0, 0 },
        { "internalTrafficPolicy", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 22, 0, 0 },
        { "trafficDistribution", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 23, 0, 0 },
};
static const struct schema_field port_status_fields[] = {
        { "port", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, 0, 1, 0, 0 },
        { "protocol", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "error", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
};
static const struct schema_field load_balancer_ingress_fields[] = {
        { "ip", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "hostname", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "ipMode", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
        { "ports", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 4, 0, 163 },
};
static const struct schema_field load_balancer_status_fields[] = {
        { "ingress", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 1, 0, 164 },
};
static const struct schema_field meta_condition_fields[] = {
        { "type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "status", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "observedGeneration", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "lastTransitionTime", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, 0, 4, 0, 0 },
        { "reason", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 5, 0, 0 },
        { "message", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 6, 0, 0 },
};
static const struct schema_field service_status_fields[] = {
        { "loadBalancer", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 165 },
        { "conditions", "type", "type", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP, 2, 0, 166 },
};
static const struct schema_field service_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 162 },
        { "status", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 167 },
};
static const struct schema_field service_account_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "secrets", "name", "name", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP | FIELD_ATOMIC, 2, 0, 24 },
        { "imagePullSecrets", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_ATOMIC, 3, 0, 71 },
        { "automountServiceAccountToken", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
};
static const struct schema_field endpoint_address_fields[] = {
        { "ip", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "hostname", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "nodeName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
        { "targetRef", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 2, 0, 24 },
};
static const struct schema_field endpoint_port_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "port", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, 0, 2, 0, 0 },
        { "protocol", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "appProtocol", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
};
static const struct schema_field endpoint_subset_fields[] = {
        { "addresses", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_ATOMIC, 1, 0, 170 },
        { "notReadyAddresses", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_ATOMIC, 2, 0, 170 },
        { "ports", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_ATOMIC, 3, 0, 171 },
};
static const struct schema_field endpoints_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "subsets", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 2, 0, 172 },
};
static const struct schema_field taint_fields[] = {
        { "key", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "value", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "effect", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 3, 0, 0 },
        { "timeAdded", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
};
static const struct schema_field config_map_node_config_source_fields[] = {
        { "namespace", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "uid", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "resourceVersion", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "kubeletConfigKey", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 5, 0, 0 },
};
static const struct schema_field node_config_source_fields[] = {
        { "configMap", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 175 },
};
static const struct schema_field node_spec_fields[] = {
        { "podCIDR", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "podCIDRs", "", NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_SET, 7, 0, 0 },
        { "providerID", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "unschedulable", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "taints", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 5, 0, 174 },
        { "configSource", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 6, 0, 176 },
        { "externalID", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
};
static const struct schema_field node_condition_fields[] = {
        { "type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "status", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "lastHeartbeatTime", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "lastTransitionTime", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "reason", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "message", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 6, 0, 0 },
};
static const struct schema_field node_address_fields[] = {
        { "type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "address", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
};
static const struct schema_field daemon_endpoint_fields[] = {
        { "Port", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, 0, 1, 0, 0 },
};
static const struct schema_field node_daemon_endpoints_fields[] = {
        { "kubeletEndpoint", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 180 },
};
static const struct schema_field node_swap_status_fields[] = {
        { "capacity", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 0 },
};
static const struct schema_field node_system_info_fields[] = {
        { "machineID", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "systemUUID", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "bootID", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 3, 0, 0 },
        { "kernelVersion", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 4, 0, 0 },
        { "osImage", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 5, 0, 0 },
        { "containerRuntimeVersion", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 6, 0, 0 },
        { "kubeletVersion", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 7, 0, 0 },
        { "kubeProxyVersion", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 8, 0, 0 },
        { "operatingSystem", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 9, 0, 0 },
        { "architecture", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 10, 0, 0 },
        { "swap", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 11, 0, 182 },
};
static const struct schema_field container_image_fields[] = {
        { "names", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, 0, 1, 0, 0 },
        { "sizeBytes", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
};
static const struct schema_field attached_volume_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "devicePath", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
};
static const struct schema_field node_config_status_fields[] = {
        { "assigned", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 176 },
        { "active", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 176 },
        { "lastKnownGood", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 176 },
        { "error", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
};
static const struct schema_field node_runtime_handler_features_fields[] = {
        { "recursiveReadOnlyMounts", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 0 },
        { "userNamespaces", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
};
static const struct schema_field node_runtime_handler_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "features", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 187 },
};
static const struct schema_field node_features_fields[] = {
        { "supplementalGroupsPolicy", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 0 },
};
static const struct schema_field node_status_fields[] = {
        { "capacity", NULL, NULL, SCHEMA_QUANTITY, SHAPE_MAP, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "allocatable", NULL, NULL, SCHEMA_QUANTITY, SHAPE_MAP, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "phase", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "conditions", "type", "type", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP, 4, 0, 178 },
        { "addresses", "type", "type", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP, 5, 0, 179 },
        { "daemonEndpoints", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 6, 0, 181 },
        { "nodeInfo", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 7, 0, 183 },
        { "images", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 8, 0, 184 },
        { "volumesInUse", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 9, 0, 0 },
        { "volumesAttached", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 10, 0, 185 },
        { "config", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 11, 0, 186 },
        { "runtimeHandlers", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 12, 0, 188 },
        { "features", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 13, 0, 189 },
        { "declaredFeatures", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 14, 0, 0 },
};
static const struct schema_field node_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 177 },
        { "status", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 190 },
};
static const struct schema_field namespace_spec_fields[] = {
        { "finalizers", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 1, 0, 0 },
};
static const struct schema_field namespace_condition_fields[] = {
        { "type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "status", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "lastTransitionTime", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "reason", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "message", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 6, 0, 0 },
};
static const struct schema_field namespace_status_fields[] = {
        { "phase", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "conditions", "type", "type", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP, 2, 0, 193 },
};
static const struct schema_field namespace_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 192 },
        { "status", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 194 },
};
static const struct schema_field binding_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "target", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_ATOMIC, 2, 0, 24 },
};
static const struct schema_field pod_log_options_fields[] = {
        { "container", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "follow", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "previous", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "sinceSeconds", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
        { "sinceTime", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 0, 0 },
        { "timestamps", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 6, 0, 0 },
        { "tailLines", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 7, 0, 0 },
        { "limitBytes", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 8, 0, 0 },
        { "insecureSkipTLSVerifyBackend", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 9, 0, 0 },
        { "stream", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 10, 0, 0 },
};
static const struct schema_field pod_attach_options_fields[] = {
        { "stdin", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "stdout", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "stderr", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "tty", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "container", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
};
static const struct schema_field pod_exec_options_fields[] = {
        { "stdin", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "stdout", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "stderr", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "tty", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "container", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "command", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, 0, 6, 0, 0 },
};
static const struct schema_field pod_port_forward_options_fields[] = {
        { "ports", NULL, NULL, SCHEMA_INT32, SHAPE_LIST, FIELD_OMIT_EMPTY, 1, 0, 0 },
};
static const struct schema_field pod_proxy_options_fields[] = {
        { "path", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
};
static const struct schema_field node_proxy_options_fields[] = {
        { "path", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
};
static const struct schema_field service_proxy_options_fields[] = {
        { "path", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
};
static const struct schema_field serialized_reference_fields[] = {
        { "reference", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_ATOMIC, 1, 0, 24 },
};
static const struct schema_field event_source_fields[] = {
        { "component", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "host", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
};
static const struct schema_field event_series_fields[] = {
        { "count", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "lastObservedTime", NULL, NULL, SCHEMA_MICRO_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
};
static const struct schema_field event_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 1, 0, 2 },
        { "involvedObject", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_ATOMIC, 2, 0, 24 },
        { "reason", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "message", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "source", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 205 },
        { "firstTimestamp", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY, 6, 0, 0 },
        { "lastTimestamp", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY, 7, 0, 0 },
        { "count", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 8, 0, 0 },
        { "type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 9, 0, 0 },
        { "eventTime", NULL, NULL, SCHEMA_MICRO_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY, 10, 0, 0 },
        { "series", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 11, 0, 206 },
        { "action", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 12, 0, 0 },
        { "related", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 13, 0, 24 },
        { "reportingComponent", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 14, 0, 0 },
        { "reportingInstance", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 15, 0, 0 },
};
static const struct schema_field limit_range_item_fields[] = {
        { "type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "max", NULL, NULL, SCHEMA_QUANTITY, SHAPE_MAP, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "min", NULL, NULL, SCHEMA_QUANTITY, SHAPE_MAP, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "default", NULL, NULL, SCHEMA_QUANTITY, SHAPE_MAP, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "defaultRequest", NULL, NULL, SCHEMA_QUANTITY, SHAPE_MAP, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "maxLimitRequestRatio", NULL, NULL, SCHEMA_QUANTITY, SHAPE_MAP, FIELD_OMIT_EMPTY, 6, 0, 0 },
};
static const struct schema_field limit_range_spec_fields[] = {
        { "limits", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, 0, 1, 0, 208 },
};
static const struct schema_field limit_range_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 209 },
};
static const struct schema_field scoped_resource_selector_requirement_fields[] = {
        { "scopeName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "operator", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "values", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 3, 0, 0 },
};
static const struct schema_field scope_selector_fields[] = {
        { "matchExpressions", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 1, 0, 211 },
};
static const struct schema_field resource_quota_spec_fields[] = {
        { "hard", NULL, NULL, SCHEMA_QUANTITY, SHAPE_MAP, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "scopes", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "scopeSelector", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 3, 0, 212 },
};
static const struct schema_field resource_quota_status_fields[] = {
        { "hard", NULL, NULL, SCHEMA_QUANTITY, SHAPE_MAP, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "used", NULL, NULL, SCHEMA_QUANTITY, SHAPE_MAP, FIELD_OMIT_EMPTY, 2, 0, 0 },
};
static const struct schema_field resource_quota_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 213 },
        { "status", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 214 },
};
static const struct schema_field secret_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "immutable", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 0, 0 },
        { "data", NULL, NULL, SCHEMA_BYTES, SHAPE_MAP, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "stringData", NULL, NULL, SCHEMA_STRING, SHAPE_MAP, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
};
static const struct schema_field config_map_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "immutable", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
        { "data", NULL, NULL, SCHEMA_STRING, SHAPE_MAP, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "binaryData", NULL, NULL, SCHEMA_BYTES, SHAPE_MAP, FIELD_OMIT_EMPTY, 3, 0, 0 },
};
static const struct schema_field component_condition_fields[] = {
        { "type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "status", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "message", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "error", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
};
static const struct schema_field component_status_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "conditions", "type", "type", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP, 2, 0, 218 },
};
static const struct schema_field range_allocation_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "range", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "data", NULL, NULL, SCHEMA_BYTES, SHAPE_ONE, 0, 3, 0, 0 },
};
static const struct schema_field apps_rolling_update_stateful_set_strategy_fields[] = {
        { "partition", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 0 },
        { "maxUnavailable", NULL, NULL, SCHEMA_INT_OR_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
};
static const struct schema_field apps_stateful_set_update_strategy_fields[] = {
        { "type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "rollingUpdate", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 221 },
};
static const struct schema_field apps_stateful_set_persistent_volume_claim_retention_policy_fields[] = {
        { "whenDeleted", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "whenScaled", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
};
static const struct schema_field apps_stateful_set_ordinals_fields[] = {
        { "start", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, 0, 1, 0, 0 },
};
static const struct schema_field apps_stateful_set_spec_fields[] = {
        { "replicas", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 0 },
        { "selector", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_POINTER | FIELD_ATOMIC, 2, 0, 35 },
        { "template", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 3, 0, 153 },
        { "volumeClaimTemplates", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 4, 0, 43 },
        { "serviceName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 5, 0, 0 },
        { "podManagementPolicy", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 6, 0, 0 },
        { "updateStrategy", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 7, 0, 222 },
        { "revisionHistoryLimit", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 8, 0, 0 },
        { "minReadySeconds", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 9, 0, 0 },
        { "persistentVolumeClaimRetentionPolicy", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 10, 0, 223 },
        { "ordinals", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 11, 0, 224 },
};
static const struct schema_field apps_stateful_set_condition_fields[] = {
        { "type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "status", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "lastTransitionTime", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "reason", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "message", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
};
static const struct schema_field apps_stateful_set_status_fields[] = {
        { "observedGeneration", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "replicas", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, 0, 2, 0, 0 },
        { "readyReplicas", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "currentReplicas", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "updatedReplicas", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "currentRevision", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 6, 0, 0 },
        { "updateRevision", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 7, 0, 0 },
        { "collisionCount", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 9, 0, 0 },
        { "conditions", "type", "type", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP, 10, 0, 226 },
        { "availableReplicas", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, 0, 11, 0, 0 },
};
static const struct schema_field apps_stateful_set_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 225 },
        { "status", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 227 },
};
static const struct schema_field apps_rolling_update_deployment_fields[] = {
        { "maxUnavailable", NULL, NULL, SCHEMA_INT_OR_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 0 },
        { "maxSurge", NULL, NULL, SCHEMA_INT_OR_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
};
static const struct schema_field apps_deployment_strategy_fields[] = {
        { "type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "rollingUpdate", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 229 },
};
static const struct schema_field apps_deployment_spec_fields[] = {
        { "replicas", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 0 },
        { "selector", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_POINTER | FIELD_ATOMIC, 2, 0, 35 },
        { "template", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 3, 0, 153 },
        { "strategy", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_RETAIN_KEYS, 4, 0, 230 },
        { "minReadySeconds", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "revisionHistoryLimit", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 6, 0, 0 },
        { "paused", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 7, 0, 0 },
        { "progressDeadlineSeconds", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 9, 0, 0 },
};
static const struct schema_field apps_deployment_condition_fields[] = {
        { "type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "status", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "lastUpdateTime", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY, 6, 0, 0 },
        { "lastTransitionTime", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY, 7, 0, 0 },
        { "reason", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "message", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
};
static const struct schema_field apps_deployment_status_fields[] = {
        { "observedGeneration", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "replicas", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "updatedReplicas", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "readyReplicas", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 7, 0, 0 },
        { "availableReplicas", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "unavailableReplicas", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "terminatingReplicas", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 9, 0, 0 },
        { "conditions", "type", "type", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP, 6, 0, 232 },
        { "collisionCount", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 8, 0, 0 },
};
static const struct schema_field apps_deployment_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 231 },
        { "status", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 233 },
};
static const struct schema_field apps_rolling_update_daemon_set_fields[] = {
        { "maxUnavailable", NULL, NULL, SCHEMA_INT_OR_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 0 },
        { "maxSurge", NULL, NULL, SCHEMA_INT_OR_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
};
static const struct schema_field apps_daemon_set_update_strategy_fields[] = {
        { "type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "rollingUpdate", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 235 },
};
static const struct schema_field apps_daemon_set_spec_fields[] = {
        { "selector", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_POINTER | FIELD_ATOMIC, 1, 0, 35 },
        { "template", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 2, 0, 153 },
        { "updateStrategy", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 236 },
        { "minReadySeconds", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "revisionHistoryLimit", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 6, 0, 0 },
};
static const struct schema_field apps_daemon_set_condition_fields[] = {
        { "type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "status", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "lastTransitionTime", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "reason", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "message", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
};
static const struct schema_field apps_daemon_set_status_fields[] = {
        { "currentNumberScheduled", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, 0, 1, 0, 0 },
        { "numberMisscheduled", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, 0, 2, 0, 0 },
        { "desiredNumberScheduled", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, 0, 3, 0, 0 },
        { "numberReady", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, 0, 4, 0, 0 },
        { "observedGeneration", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "updatedNumberScheduled", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 6, 0, 0 },
        { "numberAvailable", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 7, 0, 0 },
        { "numberUnavailable", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 8, 0, 0 },
        { "collisionCount", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 9, 0, 0 },
        { "conditions", "type", "type", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP, 10, 0, 238 },
};
static const struct schema_field apps_daemon_set_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 237 },
        { "status", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 239 },
};
static const struct schema_field apps_replica_set_spec_fields[] = {
        { "replicas", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 0 },
        { "minReadySeconds", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "selector", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_POINTER | FIELD_ATOMIC, 2, 0, 35 },
        { "template", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 153 },
};
static const struct schema_field apps_replica_set_condition_fields[] = {
        { "type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "status", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "lastTransitionTime", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "reason", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "message", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
};
static const struct schema_field apps_replica_set_status_fields[] = {
        { "replicas", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, 0, 1, 0, 0 },
        { "fullyLabeledReplicas", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "readyReplicas", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "availableReplicas", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "terminatingReplicas", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 7, 0, 0 },
        { "observedGeneration", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "conditions", "type", "type", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP, 6, 0, 242 },
};
static const struct schema_field apps_replica_set_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 241 },
        { "status", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 243 },
};
static const struct schema_field apps_controller_revision_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "data", NULL, NULL, SCHEMA_RAW, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "revision", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, 0, 3, 0, 0 },
};
static const struct schema_field batch_pod_failure_policy_on_exit_codes_requirement_fields[] = {
        { "containerName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 0 },
        { "operator", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "values", NULL, NULL, SCHEMA_INT32, SHAPE_LIST, FIELD_LIST_SET, 3, 0, 0 },
};
static const struct schema_field batch_pod_failure_policy_on_pod_conditions_pattern_fields[] = {
        { "type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "status", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
};
static const struct schema_field batch_pod_failure_policy_rule_fields[] = {
        { "action", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "onExitCodes", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 246 },
        { "onPodConditions", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 3, 0, 247 },
};
static const struct schema_field batch_pod_failure_policy_fields[] = {
        { "rules", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, 0, 1, 0, 248 },
};
static const struct schema_field batch_success_policy_rule_fields[] = {
        { "succeededIndexes", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 0 },
        { "succeededCount", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
};
static const struct schema_field batch_success_policy_fields[] = {
        { "rules", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, 0, 1, 0, 250 },
};
static const struct schema_field batch_job_spec_fields[] = {
        { "parallelism", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 0 },
        { "completions", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
        { "activeDeadlineSeconds", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
        { "podFailurePolicy", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 11, 0, 249 },
        { "successPolicy", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 16, 0, 251 },
        { "backoffLimit", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 7, 0, 0 },
        { "backoffLimitPerIndex", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 12, 0, 0 },
        { "maxFailedIndexes", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 13, 0, 0 },
        { "selector", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 4, 0, 35 },
        { "manualSelector", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 0, 0 },
        { "template", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 6, 0, 153 },
        { "ttlSecondsAfterFinished", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 8, 0, 0 },
        { "completionMode", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 9, 0, 0 },
        { "suspend", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 10, 0, 0 },
        { "podReplacementPolicy", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 14, 0, 0 },
        { "managedBy", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 15, 0, 0 },
};
static const struct schema_field batch_job_condition_fields[] = {
        { "type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "status", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "lastProbeTime", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "lastTransitionTime", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "reason", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "message", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 6, 0, 0 },
};
static const struct schema_field batch_uncounted_terminated_pods_fields[] = {
        { "succeeded", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_SET, 1, 0, 0 },
        { "failed", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_SET, 2, 0, 0 },
};
static const struct schema_field batch_job_status_fields[] = {
        { "conditions", "type", NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 1, 0, 253 },
        { "startTime", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
        { "completionTime", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
        { "active", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "succeeded", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "failed", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 6, 0, 0 },
        { "terminating", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 11, 0, 0 },
        { "completedIndexes", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 7, 0, 0 },
        { "failedIndexes", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 10, 0, 0 },
        { "uncountedTerminatedPods", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 8, 0, 254 },
        { "ready", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 9, 0, 0 },
};
static const struct schema_field batch_job_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 252 },
        { "status", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 255 },
};
static const struct schema_field batch_job_template_spec_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 252 },
};
static const struct schema_field batch_cron_job_spec_fields[] = {
        { "schedule", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "timeZone", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 8, 0, 0 },
        { "startingDeadlineSeconds", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
        { "concurrencyPolicy", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "suspend", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
        { "jobTemplate", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 5, 0, 257 },
        { "successfulJobsHistoryLimit", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 6, 0, 0 },
        { "failedJobsHistoryLimit", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 7, 0, 0 },
};
static const struct schema_field batch_cron_job_status_fields[] = {
        { "active", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_ATOMIC, 1, 0, 24 },
        { "lastScheduleTime", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
        { "lastSuccessfulTime", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 0, 0 },
};
static const struct schema_field batch_cron_job_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 258 },
        { "status", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 259 },
};
static const struct schema_field autoscaling_cross_version_object_reference_fields[] = {
        { "kind", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "apiVersion", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
};
static const struct schema_field autoscaling_horizontal_pod_autoscaler_spec_fields[] = {
        { "scaleTargetRef", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_ATOMIC, 1, 0, 261 },
        { "minReplicas", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
        { "maxReplicas", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, 0, 3, 0, 0 },
        { "targetCPUUtilizationPercentage", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
};
static const struct schema_field autoscaling_horizontal_pod_autoscaler_status_fields[] = {
        { "observedGeneration", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 0 },
        { "lastScaleTime", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
        { "currentReplicas", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, 0, 3, 0, 0 },
        { "desiredReplicas", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, 0, 4, 0, 0 },
        { "currentCPUUtilizationPercentage", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 0, 0 },
};
static const struct schema_field autoscaling_horizontal_pod_autoscaler_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 262 },
        { "status", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 263 },
};
static const struct schema_field autoscaling_scale_spec_fields[] = {
        { "replicas", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
};
static const struct schema_field autoscaling_scale_status_fields[] = {
        { "replicas", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, 0, 1, 0, 0 },
        { "selector", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
};
static const struct schema_field autoscaling_scale_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 265 },
        { "status", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 266 },
};
static const struct schema_field autoscaling2_cross_version_object_reference_fields[] = {
        { "kind", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "apiVersion", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
};
static const struct schema_field autoscaling2_metric_target_fields[] = {
        { "type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "value", NULL, NULL, SCHEMA_QUANTITY, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
        { "averageValue", NULL, NULL, SCHEMA_QUANTITY, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
        { "averageUtilization", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
};
static const struct schema_field autoscaling2_metric_identifier_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "selector", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 2, 0, 35 },
};
static const struct schema_field autoscaling2_object_metric_source_fields[] = {
        { "describedObject", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 1, 0, 268 },
        { "target", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 2, 0, 269 },
        { "metric", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 3, 0, 270 },
};
static const struct schema_field autoscaling2_pods_metric_source_fields[] = {
        { "metric", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 1, 0, 270 },
        { "target", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 2, 0, 269 },
};
static const struct schema_field autoscaling2_resource_metric_source_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "target", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 2, 0, 269 },
};
static const struct schema_field autoscaling2_container_resource_metric_source_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "target", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 2, 0, 269 },
        { "container", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 3, 0, 0 },
};
static const struct schema_field autoscaling2_external_metric_source_fields[] = {
        { "metric", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 1, 0, 270 },
        { "target", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 2, 0, 269 },
};
static const struct schema_field autoscaling2_metric_spec_fields[] = {
        { "type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "object", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 271 },
        { "pods", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 272 },
        { "resource", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 273 },
        { "containerResource", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 7, 0, 274 },
        { "external", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 0, 275 },
};
static const struct schema_field autoscaling2_hpascaling_policy_fields[] = {
        { "type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "value", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, 0, 2, 0, 0 },
        { "periodSeconds", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, 0, 3, 0, 0 },
};
static const struct schema_field autoscaling2_hpascaling_rules_fields[] = {
        { "stabilizationWindowSeconds", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
        { "selectPolicy", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 0 },
        { "policies", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 2, 0, 277 },
        { "tolerance", NULL, NULL, SCHEMA_QUANTITY, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
};
static const struct schema_field autoscaling2_horizontal_pod_autoscaler_behavior_fields[] = {
        { "scaleUp", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 278 },
        { "scaleDown", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 278 },
};
static const struct schema_field autoscaling2_horizontal_pod_autoscaler_spec_fields[] = {
        { "scaleTargetRef", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 1, 0, 268 },
        { "minReplicas", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
        { "maxReplicas", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, 0, 3, 0, 0 },
        { "metrics", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 4, 0, 276 },
        { "behavior", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 0, 279 },
};
static const struct schema_field autoscaling2_metric_value_status_fields[] = {
        { "value", NULL, NULL, SCHEMA_QUANTITY, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 0 },
        { "averageValue", NULL, NULL, SCHEMA_QUANTITY, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
        { "averageUtilization", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
};
static const struct schema_field autoscaling2_object_metric_status_fields[] = {
        { "metric", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 1, 0, 270 },
        { "current", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 2, 0, 281 },
        { "describedObject", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 3, 0, 268 },
};
static const struct schema_field autoscaling2_pods_metric_status_fields[] = {
        { "metric", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 1, 0, 270 },
        { "current", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 2, 0, 281 },
};
static const struct schema_field autoscaling2_resource_metric_status_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "current", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 2, 0, 281 },
};
static const struct schema_field autoscaling2_container_resource_metric_status_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "current", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 2, 0, 281 },
        { "container", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 3, 0, 0 },
};
static const struct schema_field autoscaling2_external_metric_status_fields[] = {
        { "metric", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 1, 0, 270 },
        { "current", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 2, 0, 281 },
};
static const struct schema_field autoscaling2_metric_status_fields[] = {
        { "type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "object", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 282 },
        { "pods", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 283 },
        { "resource", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 284 },
        { "containerResource", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 7, 0, 285 },
        { "external", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 0, 286 },
};
static const struct schema_field autoscaling2_horizontal_pod_autoscaler_condition_fields[] = {
        { "type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "status", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "lastTransitionTime", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "reason", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "message", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
};
static const struct schema_field autoscaling2_horizontal_pod_autoscaler_status_fields[] = {
        { "observedGeneration", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 0 },
        { "lastScaleTime", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
        { "currentReplicas", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "desiredReplicas", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, 0, 4, 0, 0 },
        { "currentMetrics", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, 0, 5, 0, 287 },
        { "conditions", "type", "type", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP, 6, 0, 288 },
};
static const struct schema_field autoscaling2_horizontal_pod_autoscaler_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 280 },
        { "status", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 289 },
};
static const struct schema_field policy_pod_disruption_budget_spec_fields[] = {
        { "minAvailable", NULL, NULL, SCHEMA_INT_OR_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 0 },
        { "selector", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_PATCH_REPLACE | FIELD_ATOMIC, 2, 0, 35 },
        { "maxUnavailable", NULL, NULL, SCHEMA_INT_OR_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
        { "unhealthyPodEvictionPolicy", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
};
static const struct schema_field policy_pod_disruption_budget_status_fields[] = {
        { "observedGeneration", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "disruptedPods", NULL, NULL, SCHEMA_TIME, SHAPE_MAP, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "disruptionsAllowed", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, 0, 3, 0, 0 },
        { "currentHealthy", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, 0, 4, 0, 0 },
        { "desiredHealthy", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, 0, 5, 0, 0 },
        { "expectedPods", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, 0, 6, 0, 0 },
        { "conditions", "type", "type", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP, 7, 0, 166 },
};
static const struct schema_field policy_pod_disruption_budget_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 291 },
        { "status", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 292 },
};
static const struct schema_field meta_preconditions_fields[] = {
        { "uid", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 0 },
        { "resourceVersion", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
};
static const struct schema_field meta_delete_options_fields[] = {
        { "gracePeriodSeconds", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 0 },
        { "preconditions", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 294 },
        { "orphanDependents", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
        { "propagationPolicy", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
        { "dryRun", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "ignoreStoreReadErrorWithClusterBreakingPotential", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 6, 0, 0 },
};
static const struct schema_field policy_eviction_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "deleteOptions", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 295 },
};
static const struct schema_field coordination_lease_spec_fields[] = {
        { "holderIdentity", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 0 },
        { "leaseDurationSeconds", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
        { "acquireTime", NULL, NULL, SCHEMA_MICRO_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
        { "renewTime", NULL, NULL, SCHEMA_MICRO_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
        { "leaseTransitions", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 0, 0 },
        { "strategy", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 6, 0, 0 },
        { "preferredHolder", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 7, 0, 0 },
};
static const struct schema_field coordination_lease_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 297 },
};
static const struct schema_field events_event_series_fields[] = {
        { "count", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, 0, 1, 0, 0 },
        { "lastObservedTime", NULL, NULL, SCHEMA_MICRO_TIME, SHAPE_ONE, 0, 2, 0, 0 },
};
static const struct schema_field events_event_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 1, 0, 2 },
        { "eventTime", NULL, NULL, SCHEMA_MICRO_TIME, SHAPE_ONE, 0, 2, 0, 0 },
        { "series", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 299 },
        { "reportingController", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "reportingInstance", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "action", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 6, 0, 0 },
        { "reason", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 7, 0, 0 },
        { "regarding", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_ATOMIC, 8, 0, 24 },
        { "related", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 9, 0, 24 },
        { "note", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 10, 0, 0 },
        { "type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 11, 0, 0 },
        { "deprecatedSource", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 12, 0, 205 },
        { "deprecatedFirstTimestamp", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY, 13, 0, 0 },
        { "deprecatedLastTimestamp", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY, 14, 0, 0 },
        { "deprecatedCount", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 15, 0, 0 },
};
static const struct schema_field scheduling_priority_class_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "value", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, 0, 2, 0, 0 },
        { "globalDefault", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "description", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "preemptionPolicy", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 0, 0 },
};
static const struct schema_field rbac_policy_rule_fields[] = {
        { "verbs", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, 0, 1, 0, 0 },
        { "apiGroups", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "resources", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "resourceNames", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "nonResourceURLs", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 5, 0, 0 },
};
static const struct schema_field rbac_role_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "rules", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, 0, 2, 0, 302 },
};
static const struct schema_field rbac_subject_fields[] = {
        { "kind", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "apiGroup", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 3, 0, 0 },
        { "namespace", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
};
static const struct schema_field rbac_role_ref_fields[] = {
        { "apiGroup", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "kind", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 3, 0, 0 },
};
static const struct schema_field rbac_role_binding_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "subjects", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_ATOMIC, 2, 0, 304 },
        { "roleRef", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_ATOMIC, 3, 0, 305 },
};
static const struct schema_field rbac_aggregation_rule_fields[] = {
        { "clusterRoleSelectors", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_ATOMIC, 1, 0, 35 },
};
static const struct schema_field rbac_cluster_role_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "rules", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, 0, 2, 0, 302 },
        { "aggregationRule", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 307 },
};
static const struct schema_field rbac_cluster_role_binding_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "subjects", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_ATOMIC, 2, 0, 304 },
        { "roleRef", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_ATOMIC, 3, 0, 305 },
};
static const struct schema_field topology_selector_label_requirement_fields[] = {
        { "key", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "values", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, 0, 2, 0, 0 },
};
static const struct schema_field topology_selector_term_fields[] = {
        { "matchLabelExpressions", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 1, 0, 310 },
};
static const struct schema_field storage_storage_class_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "provisioner", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "parameters", NULL, NULL, SCHEMA_STRING, SHAPE_MAP, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "reclaimPolicy", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
        { "mountOptions", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "allowVolumeExpansion", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 6, 0, 0 },
        { "volumeBindingMode", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 7, 0, 0 },
        { "allowedTopologies", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_ATOMIC, 8, 0, 311 },
};
static const struct schema_field storage_volume_attachment_source_fields[] = {
        { "persistentVolumeName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 0 },
        { "inlineVolumeSpec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 31 },
};
static const struct schema_field storage_volume_attachment_spec_fields[] = {
        { "attacher", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "source", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 2, 0, 313 },
        { "nodeName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 3, 0, 0 },
};
static const struct schema_field storage_volume_error_fields[] = {
        { "time", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "message", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "errorCode", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
};
static const struct schema_field storage_volume_attachment_status_fields[] = {
        { "attached", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, 0, 1, 0, 0 },
        { "attachmentMetadata", NULL, NULL, SCHEMA_STRING, SHAPE_MAP, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "attachError", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 315 },
        { "detachError", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 315 },
};
static const struct schema_field storage_volume_attachment_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 2, 0, 314 },
        { "status", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 316 },
};
static const struct schema_field storage_token_request_fields[] = {
        { "audience", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "expirationSeconds", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
};
static const struct schema_field storage_csidriver_spec_fields[] = {
        { "attachRequired", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 0 },
        { "podInfoOnMount", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
        { "volumeLifecycleModes", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_SET, 3, 0, 0 },
        { "storageCapacity", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
        { "fsGroupPolicy", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 0, 0 },
        { "tokenRequests", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 6, 0, 318 },
        { "requiresRepublish", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 7, 0, 0 },
        { "seLinuxMount", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 8, 0, 0 },
        { "nodeAllocatableUpdatePeriodSeconds", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 9, 0, 0 },
        { "serviceAccountTokenInSecrets", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 10, 0, 0 },
        { "preventPodSchedulingIfMissing", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 11, 0, 0 },
};
static const struct schema_field storage_csidriver_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 2, 0, 319 },
};
static const struct schema_field storage_volume_node_resources_fields[] = {
        { "count", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 0 },
};
static const struct schema_field storage_csinode_driver_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "nodeID", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "topologyKeys", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, 0, 3, 0, 0 },
        { "allocatable", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 321 },
};
static const struct schema_field storage_csinode_spec_fields[] = {
        { "drivers", "name", "name", SCHEMA_OBJECT, SHAPE_LIST, FIELD_LIST_MAP, 1, 0, 322 },
};
static const struct schema_field storage_csinode_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 2, 0, 323 },
};
static const struct schema_field storage_csistorage_capacity_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "nodeTopology", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 2, 0, 35 },
        { "storageClassName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 3, 0, 0 },
        { "capacity", NULL, NULL, SCHEMA_QUANTITY, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
        { "maximumVolumeSize", NULL, NULL, SCHEMA_QUANTITY, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 0, 0 },
};
static const struct schema_field storage_volume_attributes_class_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "driverName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "parameters", NULL, NULL, SCHEMA_STRING, SHAPE_MAP, FIELD_OMIT_EMPTY, 3, 0, 0 },
};
static const struct schema_field node_overhead_fields[] = {
        { "podFixed", NULL, NULL, SCHEMA_QUANTITY, SHAPE_MAP, FIELD_OMIT_EMPTY, 1, 0, 0 },
};
static const struct schema_field node_scheduling_fields[] = {
        { "nodeSelector", NULL, NULL, SCHEMA_STRING, SHAPE_MAP, FIELD_OMIT_EMPTY | FIELD_ATOMIC, 1, 0, 0 },
        { "tolerations", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 2, 0, 140 },
};
static const struct schema_field node_runtime_class_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "handler", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "overhead", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 327 },
        { "scheduling", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 328 },
};
static const struct schema_field discovery_endpoint_conditions_fields[] = {
        { "ready", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 0 },
        { "serving", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
        { "terminating", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
};
static const struct schema_field discovery_for_zone_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
};
static const struct schema_field discovery_for_node_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
};
static const struct schema_field discovery_endpoint_hints_fields[] = {
        { "forZones", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 1, 0, 331 },
        { "forNodes", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 2, 0, 332 },
};
static const struct schema_field discovery_endpoint_fields[] = {
        { "addresses", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_LIST_SET, 1, 0, 0 },
        { "conditions", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 330 },
        { "hostname", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
        { "targetRef", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 4, 0, 24 },
        { "deprecatedTopology", NULL, NULL, SCHEMA_STRING, SHAPE_MAP, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "nodeName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 6, 0, 0 },
        { "zone", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 7, 0, 0 },
        { "hints", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 8, 0, 333 },
};
static const struct schema_field discovery_endpoint_port_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 0 },
        { "protocol", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
        { "port", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
        { "appProtocol", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
};
static const struct schema_field discovery_endpoint_slice_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "addressType", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 4, 0, 0 },
        { "endpoints", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, 0, 2, 0, 334 },
        { "ports", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_ATOMIC, 3, 0, 335 },
};
static const struct schema_field networking_network_policy_port_fields[] = {
        { "protocol", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 0 },
        { "port", NULL, NULL, SCHEMA_INT_OR_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
        { "endPort", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
};
static const struct schema_field networking_ipblock_fields[] = {
        { "cidr", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "except", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 2, 0, 0 },
};
static const struct schema_field networking_network_policy_peer_fields[] = {
        { "podSelector", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 1, 0, 35 },
        { "namespaceSelector", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 2, 0, 35 },
        { "ipBlock", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 338 },
};
static const struct schema_field networking_network_policy_ingress_rule_fields[] = {
        { "ports", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 1, 0, 337 },
        { "from", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 2, 0, 339 },
};
static const struct schema_field networking_network_policy_egress_rule_fields[] = {
        { "ports", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 1, 0, 337 },
        { "to", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 2, 0, 339 },
};
static const struct schema_field networking_network_policy_spec_fields[] = {
        { "podSelector", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_ATOMIC, 1, 0, 35 },
        { "ingress", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 2, 0, 340 },
        { "egress", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 3, 0, 341 },
        { "policyTypes", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 4, 0, 0 },
};
static const struct schema_field networking_network_policy_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 342 },
};
static const struct schema_field networking_service_backend_port_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "number", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
};
static const struct schema_field networking_ingress_service_backend_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "port", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_ATOMIC, 2, 0, 344 },
};
static const struct schema_field networking_ingress_backend_fields[] = {
        { "service", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 345 },
        { "resource", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 3, 0, 37 },
};
static const struct schema_field networking_ingress_tls_fields[] = {
        { "hosts", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "secretName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
};
static const struct schema_field networking_httpingress_path_fields[] = {
        { "path", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "pathType", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_POINTER, 3, 0, 0 },
        { "backend", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 2, 0, 346 },
};
static const struct schema_field networking_httpingress_rule_value_fields[] = {
        { "paths", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, 0, 1, 0, 348 },
};
static const struct schema_field networking_ingress_rule_fields[] = {
        { "host", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "http", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 2, 349 },
};
static const struct schema_field networking_ingress_spec_fields[] = {
        { "ingressClassName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
        { "defaultBackend", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 346 },
        { "tls", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 2, 0, 347 },
        { "rules", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 3, 0, 350 },
};
static const struct schema_field networking_ingress_port_status_fields[] = {
        { "port", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, 0, 1, 0, 0 },
        { "protocol", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "error", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
};
static const struct schema_field networking_ingress_load_balancer_ingress_fields[] = {
        { "ip", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "hostname", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "ports", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 4, 0, 352 },
};
static const struct schema_field networking_ingress_load_balancer_status_fields[] = {
        { "ingress", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 1, 0, 353 },
};
static const struct schema_field networking_ingress_status_fields[] = {
        { "loadBalancer", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 354 },
};
static const struct schema_field networking_ingress_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 351 },
        { "status", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 355 },
};
static const struct schema_field networking_ingress_class_parameters_reference_fields[] = {
        { "apiGroup", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 0 },
        { "kind", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 3, 0, 0 },
        { "scope", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_POINTER, 4, 0, 0 },
        { "namespace", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 0, 0 },
};
static const struct schema_field networking_ingress_class_spec_fields[] = {
        { "controller", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "parameters", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 357 },
};
static const struct schema_field networking_ingress_class_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 358 },
};
static const struct schema_field networking_parent_reference_fields[] = {
        { "group", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "resource", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "namespace", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
};
static const struct schema_field networking_ipaddress_spec_fields[] = {
        { "parentRef", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 360 },
};
static const struct schema_field networking_ipaddress_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 361 },
};
static const struct schema_field networking_service_cidrspec_fields[] = {
        { "cidrs", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 1, 0, 0 },
};
static const struct schema_field networking_service_cidrstatus_fields[] = {
        { "conditions", "type", "type", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP, 1, 0, 166 },
};
static const struct schema_field networking_service_cidr_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 363 },
        { "status", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 364 },
};
static const struct schema_field resource_resource_pool_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "generation", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, 0, 2, 0, 0 },
        { "resourceSliceCount", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, 0, 3, 0, 0 },
};
static const struct schema_field resource_device_attribute_fields[] = {
        { "int", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
        { "bool", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
        { "string", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
        { "version", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 0, 0 },
        { "ints", NULL, NULL, SCHEMA_INT64, SHAPE_LIST, FIELD_OMIT_EMPTY, 6, 0, 0 },
        { "bools", NULL, NULL, SCHEMA_BOOL, SHAPE_LIST, FIELD_OMIT_EMPTY, 7, 0, 0 },
        { "strings", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 8, 0, 0 },
        { "versions", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 9, 0, 0 },
};
static const struct schema_field resource_capacity_request_policy_range_fields[] = {
        { "min", NULL, NULL, SCHEMA_QUANTITY, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 0 },
        { "max", NULL, NULL, SCHEMA_QUANTITY, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
        { "step", NULL, NULL, SCHEMA_QUANTITY, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
};
static const struct schema_field resource_capacity_request_policy_fields[] = {
        { "default", NULL, NULL, SCHEMA_QUANTITY, SHAPE_ONE, FIELD_POINTER, 1, 0, 0 },
        { "validValues", NULL, NULL, SCHEMA_QUANTITY, SHAPE_LIST, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "validRange", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 368 },
};
static const struct schema_field resource_device_capacity_fields[] = {
        { "value", NULL, NULL, SCHEMA_QUANTITY, SHAPE_ONE, 0, 1, 0, 0 },
        { "requestPolicy", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 369 },
};
static const struct schema_field resource_counter_fields[] = {
        { "value", NULL, NULL, SCHEMA_QUANTITY, SHAPE_ONE, 0, 1, 0, 0 },
};
static const struct schema_field resource_device_counter_consumption_fields[] = {
        { "counterSet", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "counters", NULL, NULL, SCHEMA_OBJECT, SHAPE_MAP, FIELD_OMIT_EMPTY, 2, 0, 371 },
};
static const struct schema_field resource_device_taint_fields[] = {
        { "key", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "value", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "effect", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 3, 0, 0 },
        { "timeAdded", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
};
static const struct schema_field resource_node_allocatable_resource_mapping_fields[] = {
        { "capacityKey", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 0 },
        { "allocationMultiplier", NULL, NULL, SCHEMA_QUANTITY, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
};
static const struct schema_field resource_device_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "attributes", NULL, NULL, SCHEMA_OBJECT, SHAPE_MAP, FIELD_OMIT_EMPTY, 2, 0, 367 },
        { "capacity", NULL, NULL, SCHEMA_OBJECT, SHAPE_MAP, FIELD_OMIT_EMPTY, 3, 0, 370 },
        { "consumesCounters", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 4, 0, 372 },
        { "nodeName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 0, 0 },
        { "nodeSelector", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 6, 0, 29 },
        { "allNodes", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 7, 0, 0 },
        { "taints", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 8, 0, 373 },
        { "bindsToNode", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 9, 0, 0 },
        { "bindingConditions", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 10, 0, 0 },
        { "bindingFailureConditions", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 11, 0, 0 },
        { "allowMultipleAllocations", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 12, 0, 0 },
        { "nodeAllocatableResourceMappings", NULL, NULL, SCHEMA_OBJECT, SHAPE_MAP, FIELD_OMIT_EMPTY, 13, 0, 374 },
};
static const struct schema_field resource_counter_set_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "counters", NULL, NULL, SCHEMA_OBJECT, SHAPE_MAP, FIELD_OMIT_EMPTY, 2, 0, 371 },
};
static const struct schema_field resource_resource_slice_spec_fields[] = {
        { "driver", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "pool", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 2, 0, 366 },
        { "nodeName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
        { "nodeSelector", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 4, 0, 29 },
        { "allNodes", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 0, 0 },
        { "devices", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 6, 0, 375 },
        { "perDeviceNodeSelection", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 7, 0, 0 },
        { "sharedCounters", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 8, 0, 376 },
};
static const struct schema_field resource_resource_slice_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 2, 0, 377 },
};
static const struct schema_field resource_celdevice_selector_fields[] = {
        { "expression", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
};
static const struct schema_field resource_device_selector_fields[] = {
        { "cel", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 379 },
};
static const struct schema_field resource_device_toleration_fields[] = {
        { "key", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "operator", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "value", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "effect", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "tolerationSeconds", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 0, 0 },
};
static const struct schema_field resource_capacity_requirements_fields[] = {
        { "requests", NULL, NULL, SCHEMA_QUANTITY, SHAPE_MAP, FIELD_OMIT_EMPTY, 1, 0, 0 },
};
static const struct schema_field resource_exact_device_request_fields[] = {
        { "deviceClassName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "selectors", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 2, 0, 380 },
        { "allocationMode", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "count", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "adminAccess", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 0, 0 },
        { "tolerations", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 6, 0, 381 },
        { "capacity", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 7, 0, 382 },
};
static const struct schema_field resource_device_sub_request_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "deviceClassName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "selectors", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 3, 0, 380 },
        { "allocationMode", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "count", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "tolerations", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 6, 0, 381 },
        { "capacity", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 7, 0, 382 },
};
static const struct schema_field resource_device_request_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "exactly", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 383 },
        { "firstAvailable", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 3, 0, 384 },
};
static const struct schema_field resource_device_constraint_fields[] = {
        { "requests", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "matchAttribute", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
        { "distinctAttribute", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
};
static const struct schema_field resource_opaque_device_configuration_fields[] = {
        { "driver", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "parameters", NULL, NULL, SCHEMA_RAW, SHAPE_ONE, 0, 2, 0, 0 },
};
static const struct schema_field resource_device_claim_configuration_fields[] = {
        { "requests", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "opaque", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 2, 387 },
};
static const struct schema_field resource_device_claim_fields[] = {
        { "requests", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, 0, 1, 0, 385 },
        { "constraints", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 2, 0, 386 },
        { "config", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 3, 0, 388 },
};
static const struct schema_field resource_resource_claim_spec_fields[] = {
        { "devices", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 1, 0, 389 },
};
static const struct schema_field resource_device_request_allocation_result_fields[] = {
        { "request", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "driver", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "pool", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 3, 0, 0 },
        { "device", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 4, 0, 0 },
        { "adminAccess", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 0, 0 },
        { "tolerations", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 6, 0, 381 },
        { "bindingConditions", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 7, 0, 0 },
        { "bindingFailureConditions", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 8, 0, 0 },
        { "shareID", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 9, 0, 0 },
        { "consumedCapacity", NULL, NULL, SCHEMA_QUANTITY, SHAPE_MAP, FIELD_OMIT_EMPTY, 10, 0, 0 },
};
static const struct schema_field resource_device_allocation_configuration_fields[] = {
        { "source", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "requests", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "opaque", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 3, 387 },
};
static const struct schema_field resource_device_allocation_result_fields[] = {
        { "results", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 1, 0, 391 },
        { "config", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 2, 0, 392 },
};
static const struct schema_field resource_allocation_result_fields[] = {
        { "devices", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 393 },
        { "nodeSelector", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 3, 0, 29 },
        { "allocationTimestamp", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 0, 0 },
};
static const struct schema_field resource_resource_claim_consumer_reference_fields[] = {
        { "apiGroup", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "resource", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 3, 0, 0 },
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 4, 0, 0 },
        { "uid", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 5, 0, 0 },
};
static const struct schema_field resource_network_device_data_fields[] = {
        { "interfaceName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "ips", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "hardwareAddress", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
};
static const struct schema_field resource_allocated_device_status_fields[] = {
        { "driver", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "pool", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "device", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 3, 0, 0 },
        { "shareID", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 7, 0, 0 },
        { "conditions", NULL, "type", SCHEMA_OBJECT, SHAPE_LIST, FIELD_LIST_MAP, 4, 0, 166 },
        { "data", NULL, NULL, SCHEMA_RAW, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 0, 0 },
        { "networkData", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 6, 0, 396 },
};
static const struct schema_field resource_resource_claim_status_fields[] = {
        { "allocation", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 394 },
        { "reservedFor", "uid", "uid", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP, 2, 0, 395 },
        { "devices", NULL, "driver,device,pool,shareID", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP, 4, 0, 397 },
};
static const struct schema_field resource_resource_claim_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 2, 0, 390 },
        { "status", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 398 },
};
static const struct schema_field resource_device_class_configuration_fields[] = {
        { "opaque", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 1, 387 },
};
static const struct schema_field resource_device_class_spec_fields[] = {
        { "selectors", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 1, 0, 380 },
        { "config", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 2, 0, 400 },
        { "extendedResourceName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
};
static const struct schema_field resource_device_class_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 2, 0, 401 },
};
static const struct schema_field resource_resource_claim_template_spec_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 2, 0, 390 },
};
static const struct schema_field resource_resource_claim_template_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 2, 0, 403 },
};
static const struct schema_field meta_field_selector_requirement_fields[] = {
        { "key", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "operator", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "values", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 3, 0, 0 },
};
static const struct schema_field authorization_field_selector_attributes_fields[] = {
        { "rawSelector", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "requirements", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 2, 0, 405 },
};
static const struct schema_field authorization_label_selector_attributes_fields[] = {
        { "rawSelector", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "requirements", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 2, 0, 34 },
};
static const struct schema_field authorization_resource_attributes_fields[] = {
        { "namespace", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "verb", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "group", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "version", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "resource", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "subresource", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 6, 0, 0 },
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 7, 0, 0 },
        { "fieldSelector", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 8, 0, 406 },
        { "labelSelector", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 9, 0, 407 },
};
static const struct schema_field authorization_non_resource_attributes_fields[] = {
        { "path", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "verb", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
};
static const struct schema_field authorization_subject_access_review_spec_fields[] = {
        { "resourceAttributes", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 408 },
        { "nonResourceAttributes", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 409 },
        { "user", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "groups", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "extra", NULL, NULL, SCHEMA_STRING, SHAPE_MAP_OF_LIST, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "uid", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 6, 0, 0 },
};
static const struct schema_field authorization_subject_access_review_status_fields[] = {
        { "allowed", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, 0, 1, 0, 0 },
        { "denied", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "reason", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "evaluationError", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
};
static const struct schema_field authorization_subject_access_review_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 2, 0, 410 },
        { "status", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 411 },
};
static const struct schema_field authorization_self_subject_access_review_spec_fields[] = {
        { "resourceAttributes", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 408 },
        { "nonResourceAttributes", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 409 },
};
static const struct schema_field authorization_self_subject_access_review_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 2, 0, 413 },
        { "status", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 411 },
};
static const struct schema_field authorization_local_subject_access_review_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 2, 0, 410 },
        { "status", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 411 },
};
static const struct schema_field authorization_self_subject_rules_review_spec_fields[] = {
        { "namespace", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
};
static const struct schema_field authorization_resource_rule_fields[] = {
        { "verbs", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, 0, 1, 0, 0 },
        { "apiGroups", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "resources", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "resourceNames", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 4, 0, 0 },
};
static const struct schema_field authorization_non_resource_rule_fields[] = {
        { "verbs", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, 0, 1, 0, 0 },
        { "nonResourceURLs", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 2, 0, 0 },
};
static const struct schema_field authorization_subject_rules_review_status_fields[] = {
        { "resourceRules", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, 0, 1, 0, 417 },
        { "nonResourceRules", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, 0, 2, 0, 418 },
        { "incomplete", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, 0, 3, 0, 0 },
        { "evaluationError", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
};
static const struct schema_field authorization_self_subject_rules_review_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 2, 0, 416 },
        { "status", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 419 },
};
static const struct schema_field authentication_token_review_spec_fields[] = {
        { "token", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "audiences", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 2, 0, 0 },
};
static const struct schema_field authentication_user_info_fields[] = {
        { "username", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "uid", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "groups", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "extra", NULL, NULL, SCHEMA_STRING, SHAPE_MAP_OF_LIST, FIELD_OMIT_EMPTY, 4, 0, 0 },
};
static const struct schema_field authentication_token_review_status_fields[] = {
        { "authenticated", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "user", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 422 },
        { "audiences", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "error", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
};
static const struct schema_field authentication_token_review_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 2, 0, 421 },
        { "status", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 423 },
};
static const struct schema_field authentication_bound_object_reference_fields[] = {
        { "kind", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "apiVersion", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "uid", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
};
static const struct schema_field authentication_token_request_spec_fields[] = {
        { "audiences", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, 0, 1, 0, 0 },
        { "expirationSeconds", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_POINTER, 4, 0, 0 },
        { "boundObjectRef", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_POINTER, 3, 0, 425 },
};
static const struct schema_field authentication_token_request_status_fields[] = {
        { "token", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "expirationTimestamp", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, 0, 2, 0, 0 },
};
static const struct schema_field authentication_token_request_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 2, 0, 426 },
        { "status", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 427 },
};
static const struct schema_field authentication_self_subject_review_status_fields[] = {
        { "userInfo", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 422 },
};
static const struct schema_field authentication_self_subject_review_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "status", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 429 },
};
static const struct schema_field certificates_certificate_signing_request_spec_fields[] = {
        { "request", NULL, NULL, SCHEMA_BYTES, SHAPE_ONE, 0, 1, 0, 0 },
        { "signerName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 7, 0, 0 },
        { "expirationSeconds", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 8, 0, 0 },
        { "usages", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "username", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "uid", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "groups", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "extra", NULL, NULL, SCHEMA_STRING, SHAPE_MAP_OF_LIST, FIELD_OMIT_EMPTY, 6, 0, 0 },
};
static const struct schema_field certificates_certificate_signing_request_condition_fields[] = {
        { "type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "status", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 6, 0, 0 },
        { "reason", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "message", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "lastUpdateTime", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "lastTransitionTime", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
};
static const struct schema_field certificates_certificate_signing_request_status_fields[] = {
        { "conditions", NULL, "type", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP, 1, 0, 432 },
        { "certificate", NULL, NULL, SCHEMA_BYTES, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
};
static const struct schema_field certificates_certificate_signing_request_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 2, 0, 431 },
        { "status", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 433 },
};
static const struct schema_field flowcontrol_priority_level_configuration_reference_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
};
static const struct schema_field flowcontrol_flow_distinguisher_method_fields[] = {
        { "type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
};
static const struct schema_field flowcontrol_user_subject_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
};
static const struct schema_field flowcontrol_group_subject_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
};
static const struct schema_field flowcontrol_service_account_subject_fields[] = {
        { "namespace", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
};
static const struct schema_field flowcontrol_subject_fields[] = {
        { "kind", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "user", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 437 },
        { "group", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 438 },
        { "serviceAccount", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 439 },
};
static const struct schema_field flowcontrol_resource_policy_rule_fields[] = {
        { "verbs", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_LIST_SET, 1, 0, 0 },
        { "apiGroups", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_LIST_SET, 2, 0, 0 },
        { "resources", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_LIST_SET, 3, 0, 0 },
        { "clusterScope", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "namespaces", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_LIST_SET, 5, 0, 0 },
};
static const struct schema_field flowcontrol_non_resource_policy_rule_fields[] = {
        { "verbs", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_LIST_SET, 1, 0, 0 },
        { "nonResourceURLs", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_LIST_SET, 6, 0, 0 },
};
static const struct schema_field flowcontrol_policy_rules_with_subjects_fields[] = {
        { "subjects", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, 0, 1, 0, 440 },
        { "resourceRules", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 2, 0, 441 },
        { "nonResourceRules", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 3, 0, 442 },
};
static const struct schema_field flowcontrol_flow_schema_spec_fields[] = {
        { "priorityLevelConfiguration", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 1, 0, 435 },
        { "matchingPrecedence", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, 0, 2, 0, 0 },
        { "distinguisherMethod", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 436 },
        { "rules", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 4, 0, 443 },
};
static const struct schema_field flowcontrol_flow_schema_condition_fields[] = {
        { "type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "status", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "lastTransitionTime", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "reason", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "message", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
};
static const struct schema_field flowcontrol_flow_schema_status_fields[] = {
        { "conditions", "type", "type", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP, 1, 0, 445 },
};
static const struct schema_field flowcontrol_flow_schema_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 444 },
        { "status", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 446 },
};
static const struct schema_field flowcontrol_queuing_configuration_fields[] = {
        { "queues", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, 0, 1, 0, 0 },
        { "handSize", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, 0, 2, 0, 0 },
        { "queueLengthLimit", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, 0, 3, 0, 0 },
};
static const struct schema_field flowcontrol_limit_response_fields[] = {
        { "type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "queuing", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 448 },
};
static const struct schema_field flowcontrol_limited_priority_level_configuration_fields[] = {
        { "nominalConcurrencyShares", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_POINTER, 1, 0, 0 },
        { "limitResponse", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 449 },
        { "lendablePercent", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
        { "borrowingLimitPercent", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
};
static const struct schema_field flowcontrol_exempt_priority_level_configuration_fields[] = {
        { "nominalConcurrencyShares", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 0 },
        { "lendablePercent", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
};
static const struct schema_field flowcontrol_priority_level_configuration_spec_fields[] = {
        { "type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "limited", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 450 },
        { "exempt", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 451 },
};
static const struct schema_field flowcontrol_priority_level_configuration_condition_fields[] = {
        { "type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "status", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "lastTransitionTime", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "reason", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "message", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
};
static const struct schema_field flowcontrol_priority_level_configuration_status_fields[] = {
        { "conditions", "type", "type", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP, 1, 0, 453 },
};
static const struct schema_field flowcontrol_priority_level_configuration_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 452 },
        { "status", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 454 },
};
static const struct schema_field admissionregistration_param_kind_fields[] = {
        { "apiVersion", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "kind", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
};
static const struct schema_field admissionregistration_named_rule_with_operations_fields[] = {
        { "resourceNames", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "operations", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 1, 2, 0 },
        { "apiGroups", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 0, 0, 0 },
        { "apiVersions", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 0, 0, 0 },
        { "resources", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 0, 0, 0 },
        { "scope", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 0, 0, 0 },
};
static const struct schema_field admissionregistration_match_resources_fields[] = {
        { "namespaceSelector", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 1, 0, 35 },
        { "objectSelector", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 2, 0, 35 },
        { "resourceRules", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_ATOMIC, 3, 0, 457 },
        { "excludeResourceRules", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_ATOMIC, 4, 0, 457 },
        { "matchPolicy", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 7, 0, 0 },
};
static const struct schema_field admissionregistration_validation_fields[] = {
        { "expression", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "message", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "reason", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
        { "messageExpression", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
};
static const struct schema_field admissionregistration_audit_annotation_fields[] = {
        { "key", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "valueExpression", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
};
static const struct schema_field admissionregistration_match_condition_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "expression", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
};
static const struct schema_field admissionregistration_variable_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "expression", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
};
static const struct schema_field admissionregistration_validating_admission_policy_spec_fields[] = {
        { "paramKind", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 1, 0, 456 },
        { "matchConstraints", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 2, 0, 458 },
        { "validations", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 3, 0, 459 },
        { "failurePolicy", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
        { "auditAnnotations", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 5, 0, 460 },
        { "matchConditions", "name", "name", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP, 6, 0, 461 },
        { "variables", "name", "name", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP | FIELD_ATOMIC, 7, 0, 462 },
};
static const struct schema_field admissionregistration_expression_warning_fields[] = {
        { "fieldRef", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "warning", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 3, 0, 0 },
};
static const struct schema_field admissionregistration_type_checking_fields[] = {
        { "expressionWarnings", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 1, 0, 464 },
};
static const struct schema_field admissionregistration_validating_admission_policy_status_fields[] = {
        { "observedGeneration", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "typeChecking", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 465 },
        { "conditions", NULL, "type", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP, 3, 0, 166 },
};
static const struct schema_field admissionregistration_validating_admission_policy_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 463 },
        { "status", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 466 },
};
static const struct schema_field admissionregistration_param_ref_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "namespace", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "selector", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 3, 0, 35 },
        { "parameterNotFoundAction", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
};
static const struct schema_field admissionregistration_validating_admission_policy_binding_spec_fields[] = {
        { "policyName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "paramRef", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 2, 0, 468 },
        { "matchResources", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 3, 0, 458 },
        { "validationActions", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_SET, 4, 0, 0 },
};
static const struct schema_field admissionregistration_validating_admission_policy_binding_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 469 },
};
static const struct schema_field admissionregistration_service_reference_fields[] = {
        { "namespace", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "path", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
        { "port", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
};
static const struct schema_field admissionregistration_webhook_client_config_fields[] = {
        { "url", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
        { "service", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 471 },
        { "caBundle", NULL, NULL, SCHEMA_BYTES, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
};
static const struct schema_field admissionregistration_rule_with_operations_fields[] = {
        { "operations", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "apiGroups", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 1, 2, 0 },
        { "apiVersions", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 2, 2, 0 },
        { "resources", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 3, 2, 0 },
        { "scope", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 2, 0 },
};
static const struct schema_field admissionregistration_validating_webhook_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "clientConfig", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 2, 0, 472 },
        { "rules", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 3, 0, 473 },
        { "failurePolicy", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
        { "matchPolicy", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 9, 0, 0 },
        { "namespaceSelector", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 5, 0, 35 },
        { "objectSelector", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 10, 0, 35 },
        { "sideEffects", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_POINTER, 6, 0, 0 },
        { "timeoutSeconds", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 7, 0, 0 },
        { "admissionReviewVersions", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, 0, 8, 0, 0 },
        { "matchConditions", "name", "name", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP, 11, 0, 461 },
};
static const struct schema_field admissionregistration_validating_webhook_configuration_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "webhooks", "name", "name", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP, 2, 0, 474 },
};
static const struct schema_field admissionregistration_mutating_webhook_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "clientConfig", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 2, 0, 472 },
        { "rules", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 3, 0, 473 },
        { "failurePolicy", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
        { "matchPolicy", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 9, 0, 0 },
        { "namespaceSelector", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 5, 0, 35 },
        { "objectSelector", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 11, 0, 35 },
        { "sideEffects", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_POINTER, 6, 0, 0 },
        { "timeoutSeconds", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 7, 0, 0 },
        { "admissionReviewVersions", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, 0, 8, 0, 0 },
        { "reinvocationPolicy", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 10, 0, 0 },
        { "matchConditions", "name", "name", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP, 12, 0, 461 },
};
static const struct schema_field admissionregistration_mutating_webhook_configuration_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "webhooks", "name", "name", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP, 2, 0, 476 },
};
static const struct schema_field admissionregistration_apply_configuration_fields[] = {
        { "expression", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
};
static const struct schema_field admissionregistration_jsonpatch_fields[] = {
        { "expression", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
};
static const struct schema_field admissionregistration_mutation_fields[] = {
        { "patchType", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "applyConfiguration", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 478 },
        { "jsonPatch", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 479 },
};
static const struct schema_field admissionregistration_mutating_admission_policy_spec_fields[] = {
        { "paramKind", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 1, 0, 456 },
        { "matchConstraints", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 2, 0, 458 },
        { "variables", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_ATOMIC, 3, 0, 462 },
        { "mutations", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 4, 0, 480 },
        { "failurePolicy", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 0, 0 },
        { "matchConditions", "name", "name", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP, 6, 0, 461 },
        { "reinvocationPolicy", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 7, 0, 0 },
};
static const struct schema_field admissionregistration_mutating_admission_policy_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 481 },
};
static const struct schema_field admissionregistration_mutating_admission_policy_binding_spec_fields[] = {
        { "policyName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "paramRef", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 2, 0, 468 },
        { "matchResources", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 3, 0, 458 },
};
static const struct schema_field admissionregistration_mutating_admission_policy_binding_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 483 },
};
static const struct schema_field apiextensions_custom_resource_definition_names_fields[] = {
        { "plural", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "singular", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "shortNames", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "kind", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 4, 0, 0 },
        { "listKind", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "categories", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 6, 0, 0 },
};
static const struct schema_field apiextensions_external_documentation_fields[] = {
        { "description", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "url", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
};
static const struct schema_field apiextensions_validation_rule_fields[] = {
        { "rule", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "message", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "messageExpression", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "reason", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
        { "fieldPath", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "optionalOldSelf", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 6, 0, 0 },
};
static const struct schema_field apiextensions_jsonschema_props_fields[] = {
        { "id", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "$schema", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "$ref", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
        { "description", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "format", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 6, 0, 0 },
        { "title", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 7, 0, 0 },
        { "default", NULL, NULL, SCHEMA_RAW, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 8, 0, 0 },
        { "maximum", NULL, NULL, SCHEMA_FLOAT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 9, 0, 0 },
        { "exclusiveMaximum", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 10, 0, 0 },
        { "minimum", NULL, NULL, SCHEMA_FLOAT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 11, 0, 0 },
        { "exclusiveMinimum", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 12, 0, 0 },
        { "maxLength", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 13, 0, 0 },
        { "minLength", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 14, 0, 0 },
        { "pattern", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 15, 0, 0 },
        { "maxItems", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 16, 0, 0 },
        { "minItems", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 17, 0, 0 },
        { "uniqueItems", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 18, 0, 0 },
        { "multipleOf", NULL, NULL, SCHEMA_FLOAT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 19, 0, 0 },
        { "enum", NULL, NULL, SCHEMA_RAW, SHAPE_LIST, FIELD_OMIT_EMPTY, 20, 0, 0 },
        { "maxProperties", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 21, 0, 0 },
        { "minProperties", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 22, 0, 0 },
        { "required", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 23, 0, 0 },
        { "items", NULL, NULL, SCHEMA_RAW, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 24, 0, 0 },
        { "allOf", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 25, 0, 488 },
        { "oneOf", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 26, 0, 488 },
        { "anyOf", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 27, 0, 488 },
        { "not", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 28, 0, 488 },
        { "properties", NULL, NULL, SCHEMA_OBJECT, SHAPE_MAP, FIELD_OMIT_EMPTY, 29, 0, 488 },
        { "additionalProperties", NULL, NULL, SCHEMA_RAW, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 30, 0, 0 },
        { "patternProperties", NULL, NULL, SCHEMA_OBJECT, SHAPE_MAP, FIELD_OMIT_EMPTY, 31, 0, 488 },
        { "dependencies", NULL, NULL, SCHEMA_RAW, SHAPE_MAP, FIELD_OMIT_EMPTY, 32, 0, 0 },
        { "additionalItems", NULL, NULL, SCHEMA_RAW, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 33, 0, 0 },
        { "definitions", NULL, NULL, SCHEMA_OBJECT, SHAPE_MAP, FIELD_OMIT_EMPTY, 34, 0, 488 },
        { "externalDocs", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 35, 0, 486 },
        { "example", NULL, NULL, SCHEMA_RAW, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 36, 0, 0 },
        { "nullable", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 37, 0, 0 },
        { "x-kubernetes-preserve-unknown-fields", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 38, 0, 0 },
        { "x-kubernetes-embedded-resource", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 39, 0, 0 },
        { "x-kubernetes-int-or-string", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 40, 0, 0 },
        { "x-kubernetes-list-map-keys", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, FIELD_OMIT_EMPTY, 41, 0, 0 },
        { "x-kubernetes-list-type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 42, 0, 0 },
        { "x-kubernetes-map-type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 43, 0, 0 },
        { "x-kubernetes-validations", "rule", "rule", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP, 44, 0, 487 },
};
static const struct schema_field apiextensions_custom_resource_validation_fields[] = {
        { "openAPIV3Schema", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 488 },
};
static const struct schema_field apiextensions_custom_resource_subresource_scale_fields[] = {
        { "specReplicasPath", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "statusReplicasPath", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "labelSelectorPath", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
};
static const struct schema_field apiextensions_custom_resource_subresources_fields[] = {
        { "status", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 490 },
        { "scale", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 491 },
};
static const struct schema_field apiextensions_custom_resource_column_definition_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "format", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "description", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "priority", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "jsonPath", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 6, 0, 0 },
};
static const struct schema_field apiextensions_selectable_field_fields[] = {
        { "jsonPath", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
};
static const struct schema_field apiextensions_custom_resource_definition_version_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "served", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, 0, 2, 0, 0 },
        { "storage", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, 0, 3, 0, 0 },
        { "deprecated", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 7, 0, 0 },
        { "deprecationWarning", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 8, 0, 0 },
        { "schema", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 489 },
        { "subresources", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 0, 492 },
        { "additionalPrinterColumns", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 6, 0, 493 },
        { "selectableFields", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 9, 0, 494 },
};
static const struct schema_field apiextensions_service_reference_fields[] = {
        { "namespace", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "path", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
        { "port", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
};
static const struct schema_field apiextensions_webhook_client_config_fields[] = {
        { "url", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
        { "service", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 496 },
        { "caBundle", NULL, NULL, SCHEMA_BYTES, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
};
static const struct schema_field apiextensions_webhook_conversion_fields[] = {
        { "clientConfig", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 497 },
        { "conversionReviewVersions", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, 0, 3, 0, 0 },
};
static const struct schema_field apiextensions_custom_resource_conversion_fields[] = {
        { "strategy", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "webhook", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 498 },
};
static const struct schema_field apiextensions_custom_resource_definition_spec_fields[] = {
        { "group", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "names", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 3, 0, 485 },
        { "scope", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 4, 0, 0 },
        { "versions", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, 0, 7, 0, 495 },
        { "conversion", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 9, 0, 499 },
        { "preserveUnknownFields", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 10, 0, 0 },
};
static const struct schema_field apiextensions_custom_resource_definition_condition_fields[] = {
        { "type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "status", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "lastTransitionTime", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "reason", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "message", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "observedGeneration", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY, 6, 0, 0 },
};
static const struct schema_field apiextensions_custom_resource_definition_status_fields[] = {
        { "conditions", NULL, "type", SCHEMA_OBJECT, SHAPE_LIST, FIELD_LIST_MAP, 1, 0, 501 },
        { "acceptedNames", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 2, 0, 485 },
        { "storedVersions", NULL, NULL, SCHEMA_STRING, SHAPE_LIST, 0, 3, 0, 0 },
        { "observedGeneration", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
};
static const struct schema_field apiextensions_custom_resource_definition_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 2, 0, 500 },
        { "status", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 502 },
};
static const struct schema_field apiextensions_conversion_request_fields[] = {
        { "uid", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "desiredAPIVersion", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "objects", NULL, NULL, SCHEMA_RAW, SHAPE_LIST, 0, 3, 0, 0 },
};
static const struct schema_field meta_shard_info_fields[] = {
        { "selector", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
};
static const struct schema_field meta_list_meta_fields[] = {
        { "selfLink", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "resourceVersion", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "continue", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "remainingItemCount", NULL, NULL, SCHEMA_INT64, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
        { "shardInfo", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 0, 505 },
};
static const struct schema_field meta_status_cause_fields[] = {
        { "reason", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "message", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "field", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
};
static const struct schema_field meta_status_details_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "group", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "kind", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "uid", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 6, 0, 0 },
        { "causes", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 4, 0, 507 },
        { "retryAfterSeconds", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
};
static const struct schema_field meta_status_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 506 },
        { "status", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "message", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "reason", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "details", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 0, 508 },
        { "code", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY, 6, 0, 0 },
};
static const struct schema_field apiextensions_conversion_response_fields[] = {
        { "uid", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "convertedObjects", NULL, NULL, SCHEMA_RAW, SHAPE_LIST, 0, 2, 0, 0 },
        { "result", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 3, 0, 509 },
};
static const struct schema_field apiextensions_conversion_review_fields[] = {
        { "request", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 504 },
        { "response", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 510 },
};
static const struct schema_field apiregistration_service_reference_fields[] = {
        { "namespace", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "port", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
};
static const struct schema_field apiregistration_apiservice_spec_fields[] = {
        { "service", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 512 },
        { "group", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 0 },
        { "version", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "insecureSkipTLSVerify", NULL, NULL, SCHEMA_BOOL, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "caBundle", NULL, NULL, SCHEMA_BYTES, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
        { "groupPriorityMinimum", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, 0, 7, 0, 0 },
        { "versionPriority", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, 0, 8, 0, 0 },
};
static const struct schema_field apiregistration_apiservice_condition_fields[] = {
        { "type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "status", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "lastTransitionTime", NULL, NULL, SCHEMA_TIME, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 0 },
        { "reason", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 4, 0, 0 },
        { "message", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 5, 0, 0 },
};
static const struct schema_field apiregistration_apiservice_status_fields[] = {
        { "conditions", "type", "type", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP, 1, 0, 514 },
};
static const struct schema_field apiregistration_apiservice_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 2, 0, 513 },
        { "status", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 515 },
};
static const struct schema_field scheduling_typed_local_object_reference_fields[] = {
        { "apiGroup", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 0 },
        { "kind", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 3, 0, 0 },
};
static const struct schema_field scheduling_gang_scheduling_policy_fields[] = {
        { "minCount", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, 0, 1, 0, 0 },
};
static const struct schema_field scheduling_pod_group_scheduling_policy_fields[] = {
        { "basic", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 518 },
        { "gang", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 519 },
};
static const struct schema_field scheduling_topology_constraint_fields[] = {
        { "key", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
};
static const struct schema_field scheduling_pod_group_scheduling_constraints_fields[] = {
        { "topology", NULL, NULL, SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY, 1, 0, 521 },
};
static const struct schema_field scheduling_pod_group_resource_claim_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "resourceClaimName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
        { "resourceClaimTemplateName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
};
static const struct schema_field scheduling_pod_group_template_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "schedulingPolicy", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 2, 0, 520 },
        { "schedulingConstraints", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_POINTER, 3, 0, 522 },
        { "resourceClaims", "name", "name", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_RETAIN_KEYS | FIELD_LIST_MAP, 4, 0, 523 },
        { "disruptionMode", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 0, 0 },
        { "priorityClassName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 6, 0, 0 },
        { "priority", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 7, 0, 0 },
};
static const struct schema_field scheduling_workload_spec_fields[] = {
        { "controllerRef", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 517 },
        { "podGroupTemplates", NULL, "name", SCHEMA_OBJECT, SHAPE_LIST, FIELD_LIST_MAP, 2, 0, 524 },
};
static const struct schema_field scheduling_workload_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 2, 0, 525 },
};
static const struct schema_field scheduling_workload_pod_group_template_reference_fields[] = {
        { "workloadName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "podGroupTemplateName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
};
static const struct schema_field scheduling_pod_group_template_reference_fields[] = {
        { "workload", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_POINTER, 1, 0, 527 },
};
static const struct schema_field scheduling_pod_group_spec_fields[] = {
        { "podGroupTemplateRef", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_POINTER, 1, 0, 528 },
        { "schedulingPolicy", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 2, 0, 520 },
        { "schedulingConstraints", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 522 },
        { "resourceClaims", "name", "name", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_RETAIN_KEYS | FIELD_LIST_MAP, 4, 0, 523 },
        { "disruptionMode", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 0, 0 },
        { "priorityClassName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY, 6, 0, 0 },
        { "priority", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 7, 0, 0 },
};
static const struct schema_field scheduling_pod_group_resource_claim_status_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "resourceClaimName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
};
static const struct schema_field scheduling_pod_group_status_fields[] = {
        { "conditions", "type", "type", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_LIST_MAP, 1, 0, 166 },
        { "resourceClaimStatuses", "name", "name", SCHEMA_OBJECT, SHAPE_LIST, FIELD_OMIT_EMPTY | FIELD_RETAIN_KEYS | FIELD_LIST_MAP, 2, 0, 530 },
};
static const struct schema_field scheduling_pod_group_fields[] = {
        { "metadata", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 1, 0, 2 },
        { "spec", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, 0, 2, 0, 529 },
        { "status", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY, 3, 0, 531 },
};
static const struct schema_field autoscaling_object_metric_source_fields[] = {
        { "target", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_ATOMIC, 1, 0, 261 },
        { "metricName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "targetValue", NULL, NULL, SCHEMA_QUANTITY, SHAPE_ONE, 0, 3, 0, 0 },
        { "selector", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 4, 0, 35 },
        { "averageValue", NULL, NULL, SCHEMA_QUANTITY, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 0, 0 },
};
static const struct schema_field autoscaling_pods_metric_source_fields[] = {
        { "metricName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "targetAverageValue", NULL, NULL, SCHEMA_QUANTITY, SHAPE_ONE, 0, 2, 0, 0 },
        { "selector", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 3, 0, 35 },
};
static const struct schema_field autoscaling_resource_metric_source_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "targetAverageUtilization", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
        { "targetAverageValue", NULL, NULL, SCHEMA_QUANTITY, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
};
static const struct schema_field autoscaling_container_resource_metric_source_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "targetAverageUtilization", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
        { "targetAverageValue", NULL, NULL, SCHEMA_QUANTITY, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
        { "container", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 5, 0, 0 },
};
static const struct schema_field autoscaling_external_metric_source_fields[] = {
        { "metricName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "metricSelector", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 2, 0, 35 },
        { "targetValue", NULL, NULL, SCHEMA_QUANTITY, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 0 },
        { "targetAverageValue", NULL, NULL, SCHEMA_QUANTITY, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
};
static const struct schema_field autoscaling_metric_spec_fields[] = {
        { "type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "object", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 533 },
        { "pods", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 534 },
        { "resource", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 535 },
        { "containerResource", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 7, 0, 536 },
        { "external", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 0, 537 },
};
static const struct schema_field autoscaling_object_metric_status_fields[] = {
        { "target", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_ATOMIC, 1, 0, 261 },
        { "metricName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 2, 0, 0 },
        { "currentValue", NULL, NULL, SCHEMA_QUANTITY, SHAPE_ONE, 0, 3, 0, 0 },
        { "selector", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 4, 0, 35 },
        { "averageValue", NULL, NULL, SCHEMA_QUANTITY, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 0, 0 },
};
static const struct schema_field autoscaling_pods_metric_status_fields[] = {
        { "metricName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "currentAverageValue", NULL, NULL, SCHEMA_QUANTITY, SHAPE_ONE, 0, 2, 0, 0 },
        { "selector", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 3, 0, 35 },
};
static const struct schema_field autoscaling_resource_metric_status_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "currentAverageUtilization", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
        { "currentAverageValue", NULL, NULL, SCHEMA_QUANTITY, SHAPE_ONE, 0, 3, 0, 0 },
};
static const struct schema_field autoscaling_container_resource_metric_status_fields[] = {
        { "name", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "currentAverageUtilization", NULL, NULL, SCHEMA_INT32, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 0 },
        { "currentAverageValue", NULL, NULL, SCHEMA_QUANTITY, SHAPE_ONE, 0, 3, 0, 0 },
        { "container", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 4, 0, 0 },
};
static const struct schema_field autoscaling_external_metric_status_fields[] = {
        { "metricName", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "metricSelector", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER | FIELD_ATOMIC, 2, 0, 35 },
        { "currentValue", NULL, NULL, SCHEMA_QUANTITY, SHAPE_ONE, 0, 3, 0, 0 },
        { "currentAverageValue", NULL, NULL, SCHEMA_QUANTITY, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 0 },
};
static const struct schema_field autoscaling_metric_status_fields[] = {
        { "type", NULL, NULL, SCHEMA_STRING, SHAPE_ONE, 0, 1, 0, 0 },
        { "object", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 539 },
        { "pods", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 540 },
        { "resource", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 541 },
        { "containerResource", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 7, 0, 542 },
        { "external", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 0, 543 },
};
static const struct schema_field persistent_volume_source_fields[] = {
        { "gcePersistentDisk", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 1, 0, 3 },
        { "awsElasticBlockStore", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 2, 0, 4 },
        { "hostPath", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 3, 0, 5 },
        { "glusterfs", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 4, 0, 6 },
        { "nfs", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 5, 0, 7 },
        { "rbd", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 6, 0, 9 },
        { "iscsi", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 7, 0, 10 },
        { "cinder", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 8, 0, 11 },
        { "cephfs", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 9, 0, 12 },
        { "fc", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 10, 0, 13 },
        { "flocker", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 11, 0, 14 },
        { "flexVolume", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 12, 0, 15 },
        { "azureFile", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 13, 0, 16 },
        { "vsphereVolume", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 14, 0, 17 },
        { "quobyte", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 15, 0, 18 },
        { "azureDisk", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 16, 0, 19 },
        { "photonPersistentDisk", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 17, 0, 20 },
        { "portworxVolume", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 18, 0, 21 },
        { "scaleIO", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 19, 0, 22 },
        { "local", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 20, 0, 23 },
        { "storageos", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 21, 0, 25 },
        { "csi", NULL, NULL, SCHEMA_OBJECT, SHAPE_ONE, FIELD_OMIT_EMPTY | FIELD_POINTER, 22, 0, 26 },
};

const struct schema_object schema_objects[] = {
        { "meta.v1.OwnerReference", meta_owner_reference_fields, 6, { 0xfU, 0x0U } },
        { "meta.v1.ManagedFieldsEntry", meta_managed_fields_entry_fields, 7, { 0x0U, 0x0U } },
        { "meta.v1.ObjectMeta", meta_object_meta_fields, 15, { 0x0U, 0x0U } },
        { "core.v1.GCEPersistentDiskVolumeSource", gcepersistent_disk_volume_source_fields, 4, { 0x1U, 0x0U } },
        { "core.v1.AWSElasticBlockStoreVolumeSource", awselastic_block_store_volume_source_fields, 4, { 0x1U, 0x0U } },
        { "core.v1.HostPathVolumeSource", host_path_volume_source_fields, 2, { 0x1U, 0x0U } },
        { "core.v1.GlusterfsPersistentVolumeSource", glusterfs_persistent_volume_source_fields, 4, { 0x3U, 0x0U } },
        { "core.v1.NFSVolumeSource", nfsvolume_source_fields, 3, { 0x3U, 0x0U } },
        { "core.v1.SecretReference", secret_reference_fields, 2, { 0x0U, 0x0U } },
        { "core.v1.RBDPersistentVolumeSource", rbdpersistent_volume_source_fields, 8, { 0x3U, 0x0U } },
        { "core.v1.ISCSIPersistentVolumeSource", iscsipersistent_volume_source_fields, 11, { 0x7U, 0x0U } },
        { "core.v1.CinderPersistentVolumeSource", cinder_persistent_volume_source_fields, 4, { 0x1U, 0x0U } },
        { "core.v1.CephFSPersistentVolumeSource", ceph_fspersistent_volume_source_fields, 6, { 0x1U, 0x0U } },
        { "core.v1.FCVolumeSource", fcvolume_source_fields, 5, { 0x0U, 0x0U } },
        { "core.v1.FlockerVolumeSource", flocker_volume_source_fields, 2, { 0x0U, 0x0U } },
        { "core.v1.FlexPersistentVolumeSource", flex_persistent_volume_source_fields, 5, { 0x1U, 0x0U } },
        { "core.v1.AzureFilePersistentVolumeSource", azure_file_persistent_volume_source_fields, 4, { 0xbU, 0x0U } },
        { "core.v1.VsphereVirtualDiskVolumeSource", vsphere_virtual_disk_volume_source_fields, 4, { 0x1U, 0x0U } },
        { "core.v1.QuobyteVolumeSource", quobyte_volume_source_fields, 6, { 0x3U, 0x0U } },
        { "core.v1.AzureDiskVolumeSource", azure_disk_volume_source_fields, 6, { 0x3U, 0x0U } },
        { "core.v1.PhotonPersistentDiskVolumeSource", photon_persistent_disk_volume_source_fields, 2, { 0x1U, 0x0U } },
        { "core.v1.PortworxVolumeSource", portworx_volume_source_fields, 3, { 0x1U, 0x0U } },
        { "core.v1.ScaleIOPersistentVolumeSource", scale_iopersistent_volume_source_fields, 10, { 0x7U, 0x0U } },
        { "core.v1.LocalVolumeSource", local_volume_source_fields, 2, { 0x1U, 0x0U } },
        { "core.v1.ObjectReference", object_reference_fields, 7, { 0x0U, 0x0U } },
        { "core.v1.StorageOSPersistentVolumeSource", storage_ospersistent_volume_source_fields, 5, { 0x0U, 0x0U } },
        { "core.v1.CSIPersistentVolumeSource", csipersistent_volume_source_fields, 10, { 0x3U, 0x0U } },
        { "core.v1.NodeSelectorRequirement", node_selector_requirement_fields, 3, { 0x3U, 0x0U } },
        { "core.v1.NodeSelectorTerm", node_selector_term_fields, 2, { 0x0U, 0x0U } },
        { "core.v1.NodeSelector", node_selector_fields, 1, { 0x1U, 0x0U } },
        { "core.v1.VolumeNodeAffinity", volume_node_affinity_fields, 1, { 0x0U, 0x0U } },
        { "core.v1.PersistentVolumeSpec", persistent_volume_spec_fields, 31, { 0x0U, 0x0U } },
        { "core.v1.PersistentVolumeStatus", persistent_volume_status_fields, 4, { 0x0U, 0x0U } },
        { "core.v1.PersistentVolume", persistent_volume_fields, 3, { 0x7U, 0x0U } },
        { "meta.v1.LabelSelectorRequirement", meta_label_selector_requirement_fields, 3, { 0x3U, 0x0U } },
        { "meta.v1.LabelSelector", meta_label_selector_fields, 2, { 0x0U, 0x0U } },
        { "core.v1.VolumeResourceRequirements", volume_resource_requirements_fields, 2, { 0x0U, 0x0U } },
        { "core.v1.TypedLocalObjectReference", typed_local_object_reference_fields, 3, { 0x7U, 0x0U } },
        { "core.v1.TypedObjectReference", typed_object_reference_fields, 4, { 0x7U, 0x0U } },
        { "core.v1.PersistentVolumeClaimSpec", persistent_volume_claim_spec_fields, 9, { 0x4U, 0x0U } },
        { "core.v1.PersistentVolumeClaimCondition", persistent_volume_claim_condition_fields, 6, { 0xfU, 0x0U } },
        { "core.v1.ModifyVolumeStatus", modify_volume_status_fields, 2, { 0x2U, 0x0U } },
        { "core.v1.PersistentVolumeClaimStatus", persistent_volume_claim_status_fields, 8, { 0x0U, 0x0U } },
        { "core.v1.PersistentVolumeClaim", persistent_volume_claim_fields, 3, { 0x7U, 0x0U } },
        { "core.v1.PodCondition", pod_condition_fields, 7, { 0x1dU, 0x0U } },
        { "core.v1.HostIP", host_ip_fields, 1, { 0x1U, 0x0U } },
        { "core.v1.PodIP", pod_ip_fields, 1, { 0x1U, 0x0U } },
        { "core.v1.ContainerStateWaiting", container_state_waiting_fields, 2, { 0x0U, 0x0U } },
        { "core.v1.ContainerStateRunning", container_state_running_fields, 1, { 0x1U, 0x0U } },
        { "core.v1.ContainerStateTerminated", container_state_terminated_fields, 7, { 0x31U, 0x0U } },
        { "core.v1.ContainerState", container_state_fields, 3, { 0x0U, 0x0U } },
        { "core.v1.ResourceClaim", resource_claim_fields, 2, { 0x1U, 0x0U } },
        { "core.v1.ResourceRequirements", resource_requirements_fields, 3, { 0x0U, 0x0U } },
        { "core.v1.ImageVolumeStatus", image_volume_status_fields, 1, { 0x0U, 0x0U } },
        { "core.v1.VolumeStatus", volume_status_fields, 1, { 0x0U, 0x0U } },
        { "core.v1.VolumeMountStatus", volume_mount_status_fields, 5, { 0x3U, 0x0U } },
        { "core.v1.LinuxContainerUser", linux_container_user_fields, 3, { 0x3U, 0x0U } },
        { "core.v1.ContainerUser", container_user_fields, 1, { 0x0U, 0x0U } },
        { "core.v1.ResourceHealth", resource_health_fields, 3, { 0x1U, 0x0U } },
        { "core.v1.ResourceStatus", resource_status_fields, 2, { 0x1U, 0x0U } },
        { "core.v1.ContainerStatus", container_status_fields, 15, { 0x7fU, 0x0U } },
        { "core.v1.PodResourceClaimStatus", pod_resource_claim_status_fields, 2, { 0x1U, 0x0U } },
        { "core.v1.ContainerExtendedResourceRequest", container_extended_resource_request_fields, 3, { 0x7U, 0x0U } },
        { "core.v1.PodExtendedResourceClaimStatus", pod_extended_resource_claim_status_fields, 2, { 0x3U, 0x0U } },
        { "core.v1.NodeAllocatableResourceClaimStatus", node_allocatable_resource_claim_status_fields, 3, { 0x5U, 0x0U } },
        { "core.v1.PodStatus", pod_status_fields, 21, { 0x0U, 0x0U } },
        { "core.v1.PodStatusResult", pod_status_result_fields, 2, { 0x3U, 0x0U } },
        { "core.v1.EmptyDirVolumeSource", empty_dir_volume_source_fields, 2, { 0x0U, 0x0U } },
        { "core.v1.GitRepoVolumeSource", git_repo_volume_source_fields, 3, { 0x1U, 0x0U } },
        { "core.v1.KeyToPath", key_to_path_fields, 3, { 0x3U, 0x0U } },
        { "core.v1.SecretVolumeSource", secret_volume_source_fields, 4, { 0x0U, 0x0U } },
        { "core.v1.LocalObjectReference", local_object_reference_fields, 1, { 0x0U, 0x0U } },
        { "core.v1.ISCSIVolumeSource", iscsivolume_source_fields, 11, { 0x7U, 0x0U } },
        { "core.v1.GlusterfsVolumeSource", glusterfs_volume_source_fields, 3, { 0x3U, 0x0U } },
        { "core.v1.PersistentVolumeClaimVolumeSource", persistent_volume_claim_volume_source_fields, 2, { 0x1U, 0x0U } },
        { "core.v1.RBDVolumeSource", rbdvolume_source_fields, 8, { 0x3U, 0x0U } },
        { "core.v1.FlexVolumeSource", flex_volume_source_fields, 5, { 0x1U, 0x0U } },
        { "core.v1.CinderVolumeSource", cinder_volume_source_fields, 4, { 0x1U, 0x0U } },
        { "core.v1.CephFSVolumeSource", ceph_fsvolume_source_fields, 6, { 0x1U, 0x0U } },
        { "core.v1.ObjectFieldSelector", object_field_selector_fields, 2, { 0x2U, 0x0U } },
        { "core.v1.ResourceFieldSelector", resource_field_selector_fields, 3, { 0x6U, 0x0U } },
        { "core.v1.DownwardAPIVolumeFile", downward_apivolume_file_fields, 4, { 0x1U, 0x0U } },
        { "core.v1.DownwardAPIVolumeSource", downward_apivolume_source_fields, 2, { 0x0U, 0x0U } },
        { "core.v1.AzureFileVolumeSource", azure_file_volume_source_fields, 3, { 0x3U, 0x0U } },
        { "core.v1.ConfigMapVolumeSource", config_map_volume_source_fields, 4, { 0x0U, 0x0U } },
        { "core.v1.SecretProjection", secret_projection_fields, 3, { 0x0U, 0x0U } },
        { "core.v1.DownwardAPIProjection", downward_apiprojection_fields, 1, { 0x0U, 0x0U } },
        { "core.v1.ConfigMapProjection", config_map_projection_fields, 3, { 0x0U, 0x0U } },
        { "core.v1.ServiceAccountTokenProjection", service_account_token_projection_fields, 3, { 0x4U, 0x0U } },
        { "core.v1.ClusterTrustBundleProjection", cluster_trust_bundle_projection_fields, 5, { 0x10U, 0x0U } },
        { "core.v1.PodCertificateProjection", pod_certificate_projection_fields, 7, { 0x0U, 0x0U } },
        { "core.v1.VolumeProjection", volume_projection_fields, 6, { 0x0U, 0x0U } },
        { "core.v1.ProjectedVolumeSource", projected_volume_source_fields, 2, { 0x1U, 0x0U } },
        { "core.v1.ScaleIOVolumeSource", scale_iovolume_source_fields, 10, { 0x7U, 0x0U } },
        { "core.v1.StorageOSVolumeSource", storage_osvolume_source_fields, 5, { 0x0U, 0x0U } },
        { "core.v1.CSIVolumeSource", csivolume_source_fields, 5, { 0x1U, 0x0U } },
        { "core.v1.PersistentVolumeClaimTemplate", persistent_volume_claim_template_fields, 2, { 0x3U, 0x0U } },
        { "core.v1.EphemeralVolumeSource", ephemeral_volume_source_fields, 1, { 0x0U, 0x0U } },
        { "core.v1.ImageVolumeSource", image_volume_source_fields, 2, { 0x0U, 0x0U } },
        { "core.v1.Volume", volume_fields, 31, { 0x1U, 0x0U } },
        { "core.v1.ContainerPort", container_port_fields, 5, { 0x4U, 0x0U } },
        { "core.v1.ConfigMapEnvSource", config_map_env_source_fields, 2, { 0x0U, 0x0U } },
        { "core.v1.SecretEnvSource", secret_env_source_fields, 2, { 0x0U, 0x0U } },
        { "core.v1.EnvFromSource", env_from_source_fields, 3, { 0x0U, 0x0U } },
        { "core.v1.ConfigMapKeySelector", config_map_key_selector_fields, 3, { 0x2U, 0x0U } },
        { "core.v1.SecretKeySelector", secret_key_selector_fields, 3, { 0x2U, 0x0U } },
        { "core.v1.FileKeySelector", file_key_selector_fields, 4, { 0x7U, 0x0U } },
        { "core.v1.EnvVarSource", env_var_source_fields, 5, { 0x0U, 0x0U } },
        { "core.v1.EnvVar", env_var_fields, 3, { 0x1U, 0x0U } },
        { "core.v1.ContainerResizePolicy", container_resize_policy_fields, 2, { 0x3U, 0x0U } },
        { "core.v1.ContainerRestartRuleOnExitCodes", container_restart_rule_on_exit_codes_fields, 2, { 0x0U, 0x0U } },
        { "core.v1.ContainerRestartRule", container_restart_rule_fields, 2, { 0x0U, 0x0U } },
        { "core.v1.VolumeMount", volume_mount_fields, 7, { 0x9U, 0x0U } },
        { "core.v1.VolumeDevice", volume_device_fields, 2, { 0x3U, 0x0U } },
        { "core.v1.ExecAction", exec_action_fields, 1, { 0x0U, 0x0U } },
        { "core.v1.HTTPHeader", httpheader_fields, 2, { 0x3U, 0x0U } },
        { "core.v1.HTTPGetAction", httpget_action_fields, 5, { 0x2U, 0x0U } },
        { "core.v1.TCPSocketAction", tcpsocket_action_fields, 2, { 0x1U, 0x0U } },
        { "core.v1.GRPCAction", grpcaction_fields, 2, { 0x3U, 0x0U } },
        { "core.v1.Probe", probe_fields, 10, { 0x0U, 0x0U } },
        { "core.v1.SleepAction", sleep_action_fields, 1, { 0x1U, 0x0U } },
        { "core.v1.LifecycleHandler", lifecycle_handler_fields, 4, { 0x0U, 0x0U } },
        { "core.v1.Lifecycle", lifecycle_fields, 3, { 0x0U, 0x0U } },
        { "core.v1.Capabilities", capabilities_fields, 2, { 0x0U, 0x0U } },
        { "core.v1.SELinuxOptions", selinux_options_fields, 4, { 0x0U, 0x0U } },
        { "core.v1.WindowsSecurityContextOptions", windows_security_context_options_fields, 4, { 0x0U, 0x0U } },
        { "core.v1.SeccompProfile", seccomp_profile_fields, 2, { 0x1U, 0x0U } },
        { "core.v1.AppArmorProfile", app_armor_profile_fields, 2, { 0x1U, 0x0U } },
        { "core.v1.SecurityContext", security_context_fields, 12, { 0x0U, 0x0U } },
        { "core.v1.Container", container_fields, 25, { 0x101U, 0x0U } },
        { "core.v1.EphemeralContainer", ephemeral_container_fields, 26, { 0x101U, 0x0U } },
        { "core.v1.Sysctl", sysctl_fields, 2, { 0x3U, 0x0U } },
        { "core.v1.PodSecurityContext", pod_security_context_fields, 13, { 0x0U, 0x0U } },
        { "core.v1.PreferredSchedulingTerm", preferred_scheduling_term_fields, 2, { 0x3U, 0x0U } },
        { "core.v1.NodeAffinity", node_affinity_fields, 2, { 0x0U, 0x0U } },
        { "core.v1.PodAffinityTerm", pod_affinity_term_fields, 6, { 0x4U, 0x0U } },
        { "core.v1.WeightedPodAffinityTerm", weighted_pod_affinity_term_fields, 2, { 0x3U, 0x0U } },
        { "core.v1.PodAffinity", pod_affinity_fields, 2, { 0x0U, 0x0U } },
        { "core.v1.PodAntiAffinity", pod_anti_affinity_fields, 2, { 0x0U, 0x0U } },
        { "core.v1.Affinity", affinity_fields, 3, { 0x0U, 0x0U } },
        { "core.v1.Toleration", toleration_fields, 5, { 0x0U, 0x0U } },
        { "core.v1.HostAlias", host_alias_fields, 2, { 0x1U, 0x0U } },
        { "core.v1.PodDNSConfigOption", pod_dnsconfig_option_fields, 2, { 0x0U, 0x0U } },
        { "core.v1.PodDNSConfig", pod_dnsconfig_fields, 3, { 0x0U, 0x0U } },
        { "core.v1.PodReadinessGate", pod_readiness_gate_fields, 1, { 0x1U, 0x0U } },
        { "core.v1.TopologySpreadConstraint", topology_spread_constraint_fields, 8, { 0x7U, 0x0U } },
        { "core.v1.PodOS", pod_os_fields, 1, { 0x1U, 0x0U } },
        { "core.v1.PodSchedulingGate", pod_scheduling_gate_fields, 1, { 0x1U, 0x0U } },
        { "core.v1.PodResourceClaim", pod_resource_claim_fields, 3, { 0x1U, 0x0U } },
        { "core.v1.PodSchedulingGroup", pod_scheduling_group_fields, 1, { 0x0U, 0x0U } },
        { "core.v1.EvictionResponder", eviction_responder_fields, 2, { 0x1U, 0x0U } },
        { "core.v1.PodSpec", pod_spec_fields, 43, { 0x4U, 0x0U } },
        { "core.v1.Pod", pod_fields, 3, { 0x7U, 0x0U } },
        { "core.v1.PodTemplateSpec", pod_template_spec_fields, 2, { 0x3U, 0x0U } },
        { "core.v1.PodTemplate", pod_template_fields, 2, { 0x3U, 0x0U } },
        { "core.v1.ReplicationControllerSpec", replication_controller_spec_fields, 4, { 0x0U, 0x0U } },
        { "core.v1.ReplicationControllerCondition", replication_controller_condition_fields, 5, { 0x7U, 0x0U } },
        { "core.v1.ReplicationControllerStatus", replication_controller_status_fields, 6, { 0x1U, 0x0U } },
        { "core.v1.ReplicationController", replication_controller_fields, 3, { 0x7U, 0x0U } },
        { "core.v1.ServicePort", service_port_fields, 6, { 0x18U, 0x0U } },
        { "core.v1.ClientIPConfig", client_ipconfig_fields, 1, { 0x0U, 0x0U } },
        { "core.v1.SessionAffinityConfig", session_affinity_config_fields, 1, { 0x0U, 0x0U } },
        { "core.v1.ServiceSpec", service_spec_fields, 20, { 0x0U, 0x0U } },
        { "core.v1.PortStatus", port_status_fields, 3, { 0x3U, 0x0U } },
        { "core.v1.LoadBalancerIngress", load_balancer_ingress_fields, 4, { 0x0U, 0x0U } },
        { "core.v1.LoadBalancerStatus", load_balancer_status_fields, 1, { 0x0U, 0x0U } },
        { "meta.v1.Condition", meta_condition_fields, 6, { 0x3bU, 0x0U } },
        { "core.v1.ServiceStatus", service_status_fields, 2, { 0x1U, 0x0U } },
        { "core.v1.Service", service_fields, 3, { 0x7U, 0x0U } },
        { "core.v1.ServiceAccount", service_account_fields, 4, { 0x1U, 0x0U } },
        { "core.v1.EndpointAddress", endpoint_address_fields, 4, { 0x1U, 0x0U } },
        { "core.v1.EndpointPort", endpoint_port_fields, 4, { 0x2U, 0x0U } },
        { "core.v1.EndpointSubset", endpoint_subset_fields, 3, { 0x0U, 0x0U } },
        { "core.v1.Endpoints", endpoints_fields, 2, { 0x1U, 0x0U } },
        { "core.v1.Taint", taint_fields, 4, { 0x5U, 0x0U } },
        { "core.v1.ConfigMapNodeConfigSource", config_map_node_config_source_fields, 5, { 0x13U, 0x0U } },
        { "core.v1.NodeConfigSource", node_config_source_fields, 1, { 0x0U, 0x0U } },
        { "core.v1.NodeSpec", node_spec_fields, 7, { 0x0U, 0x0U } },
        { "core.v1.NodeCondition", node_condition_fields, 6, { 0xfU, 0x0U } },
        { "core.v1.NodeAddress", node_address_fields, 2, { 0x3U, 0x0U } },
        { "core.v1.DaemonEndpoint", daemon_endpoint_fields, 1, { 0x1U, 0x0U } },
        { "core.v1.NodeDaemonEndpoints", node_daemon_endpoints_fields, 1, { 0x1U, 0x0U } },
        { "core.v1.NodeSwapStatus", node_swap_status_fields, 1, { 0x0U, 0x0U } },
        { "core.v1.NodeSystemInfo", node_system_info_fields, 11, { 0x3ffU, 0x0U } },
        { "core.v1.ContainerImage", container_image_fields, 2, { 0x1U, 0x0U } },
        { "core.v1.AttachedVolume", attached_volume_fields, 2, { 0x3U, 0x0U } },
        { "core.v1.NodeConfigStatus", node_config_status_fields, 4, { 0x0U, 0x0U } },
        { "core.v1.NodeRuntimeHandlerFeatures", node_runtime_handler_features_fields, 2, { 0x0U, 0x0U } },
        { "core.v1.NodeRuntimeHandler", node_runtime_handler_fields, 2, { 0x1U, 0x0U } },
        { "core.v1.NodeFeatures", node_features_fields, 1, { 0x0U, 0x0U } },
        { "core.v1.NodeStatus", node_status_fields, 14, { 0x60U, 0x0U } },
        { "core.v1.Node", node_fields, 3, { 0x7U, 0x0U } },
        { "core.v1.NamespaceSpec", namespace_spec_fields, 1, { 0x0U, 0x0U } },
        { "core.v1.NamespaceCondition", namespace_condition_fields, 5, { 0x7U, 0x0U } },
        { "core.v1.NamespaceStatus", namespace_status_fields, 2, { 0x0U, 0x0U } },
        { "core.v1.Namespace", namespace_fields, 3, { 0x7U, 0x0U } },
        { "core.v1.Binding", binding_fields, 2, { 0x3U, 0x0U } },
        { "core.v1.PodLogOptions", pod_log_options_fields, 10, { 0x0U, 0x0U } },
        { "core.v1.PodAttachOptions", pod_attach_options_fields, 5, { 0x0U, 0x0U } },
        { "core.v1.PodExecOptions", pod_exec_options_fields, 6, { 0x20U, 0x0U } },
        { "core.v1.PodPortForwardOptions", pod_port_forward_options_fields, 1, { 0x0U, 0x0U } },
        { "core.v1.PodProxyOptions", pod_proxy_options_fields, 1, { 0x0U, 0x0U } },
        { "core.v1.NodeProxyOptions", node_proxy_options_fields, 1, { 0x0U, 0x0U } },
        { "core.v1.ServiceProxyOptions", service_proxy_options_fields, 1, { 0x0U, 0x0U } },
        { "core.v1.SerializedReference", serialized_reference_fields, 1, { 0x1U, 0x0U } },
        { "core.v1.EventSource", event_source_fields, 2, { 0x0U, 0x0U } },
        { "core.v1.EventSeries", event_series_fields, 2, { 0x2U, 0x0U } },
        { "core.v1.Event", event_fields, 15, { 0x6273U, 0x0U } },
        { "core.v1.LimitRangeItem", limit_range_item_fields, 6, { 0x1U, 0x0U } },
        { "core.v1.LimitRangeSpec", limit_range_spec_fields, 1, { 0x1U, 0x0U } },
        { "core.v1.LimitRange", limit_range_fields, 2, { 0x3U, 0x0U } },
        { "core.v1.ScopedResourceSelectorRequirement", scoped_resource_selector_requirement_fields, 3, { 0x3U, 0x0U } },
        { "core.v1.ScopeSelector", scope_selector_fields, 1, { 0x0U, 0x0U } },
        { "core.v1.ResourceQuotaSpec", resource_quota_spec_fields, 3, { 0x0U, 0x0U } },
        { "core.v1.ResourceQuotaStatus", resource_quota_status_fields, 2, { 0x0U, 0x0U } },
        { "core.v1.ResourceQuota", resource_quota_fields, 3, { 0x7U, 0x0U } },
        { "core.v1.Secret", secret_fields, 5, { 0x1U, 0x0U } },
        { "core.v1.ConfigMap", config_map_fields, 4, { 0x1U, 0x0U } },
        { "core.v1.ComponentCondition", component_condition_fields, 4, { 0x3U, 0x0U } },
        { "core.v1.ComponentStatus", component_status_fields, 2, { 0x1U, 0x0U } },
        { "core.v1.RangeAllocation", range_allocation_fields, 3, { 0x7U, 0x0U } },
        { "apps.v1.RollingUpdateStatefulSetStrategy", apps_rolling_update_stateful_set_strategy_fields, 2, { 0x0U, 0x0U } },
        { "apps.v1.StatefulSetUpdateStrategy", apps_stateful_set_update_strategy_fields, 2, { 0x0U, 0x0U } },
        { "apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy", apps_stateful_set_persistent_volume_claim_retention_policy_fields, 2, { 0x0U, 0x0U } },
        { "apps.v1.StatefulSetOrdinals", apps_stateful_set_ordinals_fields, 1, { 0x1U, 0x0U } },
        { "apps.v1.StatefulSetSpec", apps_stateful_set_spec_fields, 11, { 0x56U, 0x0U } },
        { "apps.v1.StatefulSetCondition", apps_stateful_set_condition_fields, 5, { 0x7U, 0x0U } },
        { "apps.v1.StatefulSetStatus", apps_stateful_set_status_fields, 10, { 0x202U, 0x0U } },
        { "apps.v1.StatefulSet", apps_stateful_set_fields, 3, { 0x7U, 0x0U } },
        { "apps.v1.RollingUpdateDeployment", apps_rolling_update_deployment_fields, 2, { 0x0U, 0x0U } },
        { "apps.v1.DeploymentStrategy", apps_deployment_strategy_fields, 2, { 0x0U, 0x0U } },
        { "apps.v1.DeploymentSpec", apps_deployment_spec_fields, 8, { 0xeU, 0x0U } },
        { "apps.v1.DeploymentCondition", apps_deployment_condition_fields, 6, { 0xfU, 0x0U } },
        { "apps.v1.DeploymentStatus", apps_deployment_status_fields, 9, { 0x0U, 0x0U } },
        { "apps.v1.Deployment", apps_deployment_fields, 3, { 0x7U, 0x0U } },
        { "apps.v1.RollingUpdateDaemonSet", apps_rolling_update_daemon_set_fields, 2, { 0x0U, 0x0U } },
        { "apps.v1.DaemonSetUpdateStrategy", apps_daemon_set_update_strategy_fields, 2, { 0x0U, 0x0U } },
        { "apps.v1.DaemonSetSpec", apps_daemon_set_spec_fields, 5, { 0x7U, 0x0U } },
        { "apps.v1.DaemonSetCondition", apps_daemon_set_condition_fields, 5, { 0x7U, 0x0U } },
        { "apps.v1.DaemonSetStatus", apps_daemon_set_status_fields, 10, { 0xfU, 0x0U } },
        { "apps.v1.DaemonSet", apps_daemon_set_fields, 3, { 0x7U, 0x0U } },
        { "apps.v1.ReplicaSetSpec", apps_replica_set_spec_fields, 4, { 0xcU, 0x0U } },
        { "apps.v1.ReplicaSetCondition", apps_replica_set_condition_fields, 5, { 0x7U, 0x0U } },
        { "apps.v1.ReplicaSetStatus", apps_replica_set_status_fields, 7, { 0x1U, 0x0U } },
        { "apps.v1.ReplicaSet", apps_replica_set_fields, 3, { 0x7U, 0x0U } },
        { "apps.v1.ControllerRevision", apps_controller_revision_fields, 3, { 0x7U, 0x0U } },
        { "batch.v1.PodFailurePolicyOnExitCodesRequirement", batch_pod_failure_policy_on_exit_codes_requirement_fields, 3, { 0x6U, 0x0U } },
        { "batch.v1.PodFailurePolicyOnPodConditionsPattern", batch_pod_failure_policy_on_pod_conditions_pattern_fields, 2, { 0x3U, 0x0U } },
        { "batch.v1.PodFailurePolicyRule", batch_pod_failure_policy_rule_fields, 3, { 0x1U, 0x0U } },
        { "batch.v1.PodFailurePolicy", batch_pod_failure_policy_fields, 1, { 0x1U, 0x0U } },
        { "batch.v1.SuccessPolicyRule", batch_success_policy_rule_fields, 2, { 0x0U, 0x0U } },
        { "batch.v1.SuccessPolicy", batch_success_policy_fields, 1, { 0x1U, 0x0U } },
        { "batch.v1.JobSpec", batch_job_spec_fields, 16, { 0x400U, 0x0U } },
        { "batch.v1.JobCondition", batch_job_condition_fields, 6, { 0xfU, 0x0U } },
        { "batch.v1.UncountedTerminatedPods", batch_uncounted_terminated_pods_fields, 2, { 0x0U, 0x0U } },
        { "batch.v1.JobStatus", batch_job_status_fields, 11, { 0x0U, 0x0U } },
        { "batch.v1.Job", batch_job_fields, 3, { 0x7U, 0x0U } },
        { "batch.v1.JobTemplateSpec", batch_job_template_spec_fields, 2, { 0x3U, 0x0U } },
        { "batch.v1.CronJobSpec", batch_cron_job_spec_fields, 8, { 0x21U, 0x0U } },
        { "batch.v1.CronJobStatus", batch_cron_job_status_fields, 3, { 0x0U, 0x0U } },
        { "batch.v1.CronJob", batch_cron_job_fields, 3, { 0x7U, 0x0U } },
        { "autoscaling.v1.CrossVersionObjectReference", autoscaling_cross_version_object_reference_fields, 3, { 0x3U, 0x0U } },
        { "autoscaling.v1.HorizontalPodAutoscalerSpec", autoscaling_horizontal_pod_autoscaler_spec_fields, 4, { 0x5U, 0x0U } },
        { "autoscaling.v1.HorizontalPodAutoscalerStatus", autoscaling_horizontal_pod_autoscaler_status_fields, 5, { 0xcU, 0x0U } },
        { "autoscaling.v1.HorizontalPodAutoscaler", autoscaling_horizontal_pod_autoscaler_fields, 3, { 0x7U, 0x0U } },
        { "autoscaling.v1.ScaleSpec", autoscaling_scale_spec_fields, 1, { 0x0U, 0x0U } },
        { "autoscaling.v1.ScaleStatus", autoscaling_scale_status_fields, 2, { 0x1U, 0x0U } },
        { "autoscaling.v1.Scale", autoscaling_scale_fields, 3, { 0x7U, 0x0U } },
        { "autoscaling.v2.CrossVersionObjectReference", autoscaling2_cross_version_object_reference_fields, 3, { 0x3U, 0x0U } },
        { "autoscaling.v2.MetricTarget", autoscaling2_metric_target_fields, 4, { 0x1U, 0x0U } },
        { "autoscaling.v2.MetricIdentifier", autoscaling2_metric_identifier_fields, 2, { 0x1U, 0x0U } },
        { "autoscaling.v2.ObjectMetricSource", autoscaling2_object_metric_source_fields, 3, { 0x7U, 0x0U } },
        { "autoscaling.v2.PodsMetricSource", autoscaling2_pods_metric_source_fields, 2, { 0x3U, 0x0U } },
        { "autoscaling.v2.ResourceMetricSource", autoscaling2_resource_metric_source_fields, 2, { 0x3U, 0x0U } },
        { "autoscaling.v2.ContainerResourceMetricSource", autoscaling2_container_resource_metric_source_fields, 3, { 0x7U, 0x0U } },
        { "autoscaling.v2.ExternalMetricSource", autoscaling2_external_metric_source_fields, 2, { 0x3U, 0x0U } },
        { "autoscaling.v2.MetricSpec", autoscaling2_metric_spec_fields, 6, { 0x1U, 0x0U } },
        { "autoscaling.v2.HPAScalingPolicy", autoscaling2_hpascaling_policy_fields, 3, { 0x7U, 0x0U } },
        { "autoscaling.v2.HPAScalingRules", autoscaling2_hpascaling_rules_fields, 4, { 0x0U, 0x0U } },
        { "autoscaling.v2.HorizontalPodAutoscalerBehavior", autoscaling2_horizontal_pod_autoscaler_behavior_fields, 2, { 0x0U, 0x0U } },
        { "autoscaling.v2.HorizontalPodAutoscalerSpec", autoscaling2_horizontal_pod_autoscaler_spec_fields, 5, { 0x5U, 0x0U } },
        { "autoscaling.v2.MetricValueStatus", autoscaling2_metric_value_status_fields, 3, { 0x0U, 0x0U } },
        { "autoscaling.v2.ObjectMetricStatus", autoscaling2_object_metric_status_fields, 3, { 0x7U, 0x0U } },
        { "autoscaling.v2.PodsMetricStatus", autoscaling2_pods_metric_status_fields, 2, { 0x3U, 0x0U } },
        { "autoscaling.v2.ResourceMetricStatus", autoscaling2_resource_metric_status_fields, 2, { 0x3U, 0x0U } },
        { "autoscaling.v2.ContainerResourceMetricStatus", autoscaling2_container_resource_metric_status_fields, 3, { 0x7U, 0x0U } },
        { "autoscaling.v2.ExternalMetricStatus", autoscaling2_external_metric_status_fields, 2, { 0x3U, 0x0U } },
        { "autoscaling.v2.MetricStatus", autoscaling2_metric_status_fields, 6, { 0x1U, 0x0U } },
        { "autoscaling.v2.HorizontalPodAutoscalerCondition", autoscaling2_horizontal_pod_autoscaler_condition_fields, 5, { 0x7U, 0x0U } },
        { "autoscaling.v2.HorizontalPodAutoscalerStatus", autoscaling2_horizontal_pod_autoscaler_status_fields, 6, { 0x18U, 0x0U } },
        { "autoscaling.v2.HorizontalPodAutoscaler", autoscaling2_horizontal_pod_autoscaler_fields, 3, { 0x7U, 0x0U } },
        { "policy.v1.PodDisruptionBudgetSpec", policy_pod_disruption_budget_spec_fields, 4, { 0x0U, 0x0U } },
        { "policy.v1.PodDisruptionBudgetStatus", policy_pod_disruption_budget_status_fields, 7, { 0x3cU, 0x0U } },
        { "policy.v1.PodDisruptionBudget", policy_pod_disruption_budget_fields, 3, { 0x7U, 0x0U } },
        { "meta.v1.Preconditions", meta_preconditions_fields, 2, { 0x0U, 0x0U } },
        { "meta.v1.DeleteOptions", meta_delete_options_fields, 6, { 0x0U, 0x0U } },
        { "policy.v1.Eviction", policy_eviction_fields, 2, { 0x1U, 0x0U } },
        { "coordination.v1.LeaseSpec", coordination_lease_spec_fields, 7, { 0x0U, 0x0U } },
        { "coordination.v1.Lease", coordination_lease_fields, 2, { 0x3U, 0x0U } },
        { "events.v1.EventSeries", events_event_series_fields, 2, { 0x3U, 0x0U } },
        { "events.v1.Event", events_event_fields, 15, { 0x3883U, 0x0U } },
        { "scheduling.v1.PriorityClass", scheduling_priority_class_fields, 5, { 0x3U, 0x0U } },
        { "rbac.v1.PolicyRule", rbac_policy_rule_fields, 5, { 0x1U, 0x0U } },
        { "rbac.v1.Role", rbac_role_fields, 2, { 0x3U, 0x0U } },
        { "rbac.v1.Subject", rbac_subject_fields, 4, { 0x5U, 0x0U } },
        { "rbac.v1.RoleRef", rbac_role_ref_fields, 3, { 0x7U, 0x0U } },
        { "rbac.v1.RoleBinding", rbac_role_binding_fields, 3, { 0x5U, 0x0U } },
        { "rbac.v1.AggregationRule", rbac_aggregation_rule_fields, 1, { 0x0U, 0x0U } },
        { "rbac.v1.ClusterRole", rbac_cluster_role_fields, 3, { 0x3U, 0x0U } },
        { "rbac.v1.ClusterRoleBinding", rbac_cluster_role_binding_fields, 3, { 0x5U, 0x0U } },
        { "core.v1.TopologySelectorLabelRequirement", topology_selector_label_requirement_fields, 2, { 0x3U, 0x0U } },
        { "core.v1.TopologySelectorTerm", topology_selector_term_fields, 1, { 0x0U, 0x0U } },
        { "storage.v1.StorageClass", storage_storage_class_fields, 8, { 0x3U, 0x0U } },
        { "storage.v1.VolumeAttachmentSource", storage_volume_attachment_source_fields, 2, { 0x0U, 0x0U } },
        { "storage.v1.VolumeAttachmentSpec", storage_volume_attachment_spec_fields, 3, { 0x7U, 0x0U } },
        { "storage.v1.VolumeError", storage_volume_error_fields, 3, { 0x1U, 0x0U } },
        { "storage.v1.VolumeAttachmentStatus", storage_volume_attachment_status_fields, 4, { 0x1U, 0x0U } },
        { "storage.v1.VolumeAttachment", storage_volume_attachment_fields, 3, { 0x7U, 0x0U } },
        { "storage.v1.TokenRequest", storage_token_request_fields, 2, { 0x1U, 0x0U } },
        { "storage.v1.CSIDriverSpec", storage_csidriver_spec_fields, 11, { 0x0U, 0x0U } },
        { "storage.v1.CSIDriver", storage_csidriver_fields, 2, { 0x3U, 0x0U } },
        { "storage.v1.VolumeNodeResources", storage_volume_node_resources_fields, 1, { 0x0U, 0x0U } },
        { "storage.v1.CSINodeDriver", storage_csinode_driver_fields, 4, { 0x7U, 0x0U } },
        { "storage.v1.CSINodeSpec", storage_csinode_spec_fields, 1, { 0x1U, 0x0U } },
        { "storage.v1.CSINode", storage_csinode_fields, 2, { 0x3U, 0x0U } },
        { "storage.v1.CSIStorageCapacity", storage_csistorage_capacity_fields, 5, { 0x5U, 0x0U } },
        { "storage.v1.VolumeAttributesClass", storage_volume_attributes_class_fields, 3, { 0x3U, 0x0U } },
        { "node.v1.Overhead", node_overhead_fields, 1, { 0x0U, 0x0U } },
        { "node.v1.Scheduling", node_scheduling_fields, 2, { 0x0U, 0x0U } },
        { "node.v1.RuntimeClass", node_runtime_class_fields, 4, { 0x3U, 0x0U } },
        { "discovery.v1.EndpointConditions", discovery_endpoint_conditions_fields, 3, { 0x0U, 0x0U } },
        { "discovery.v1.ForZone", discovery_for_zone_fields, 1, { 0x1U, 0x0U } },
        { "discovery.v1.ForNode", discovery_for_node_fields, 1, { 0x1U, 0x0U } },
        { "discovery.v1.EndpointHints", discovery_endpoint_hints_fields, 2, { 0x0U, 0x0U } },
        { "discovery.v1.Endpoint", discovery_endpoint_fields, 8, { 0x3U, 0x0U } },
        { "discovery.v1.EndpointPort", discovery_endpoint_port_fields, 4, { 0x0U, 0x0U } },
        { "discovery.v1.EndpointSlice", discovery_endpoint_slice_fields, 4, { 0xfU, 0x0U } },
        { "networking.v1.NetworkPolicyPort", networking_network_policy_port_fields, 3, { 0x0U, 0x0U } },
        { "networking.v1.IPBlock", networking_ipblock_fields, 2, { 0x1U, 0x0U } },
        { "networking.v1.NetworkPolicyPeer", networking_network_policy_peer_fields, 3, { 0x0U, 0x0U } },
        { "networking.v1.NetworkPolicyIngressRule", networking_network_policy_ingress_rule_fields, 2, { 0x0U, 0x0U } },
        { "networking.v1.NetworkPolicyEgressRule", networking_network_policy_egress_rule_fields, 2, { 0x0U, 0x0U } },
        { "networking.v1.NetworkPolicySpec", networking_network_policy_spec_fields, 4, { 0x1U, 0x0U } },
        { "networking.v1.NetworkPolicy", networking_network_policy_fields, 2, { 0x3U, 0x0U } },
        { "networking.v1.ServiceBackendPort", networking_service_backend_port_fields, 2, { 0x0U, 0x0U } },
        { "networking.v1.IngressServiceBackend", networking_ingress_service_backend_fields, 2, { 0x3U, 0x0U } },
        { "networking.v1.IngressBackend", networking_ingress_backend_fields, 2, { 0x0U, 0x0U } },
        { "networking.v1.IngressTLS", networking_ingress_tls_fields, 2, { 0x0U, 0x0U } },
        { "networking.v1.HTTPIngressPath", networking_httpingress_path_fields, 3, { 0x6U, 0x0U } },
        { "networking.v1.HTTPIngressRuleValue", networking_httpingress_rule_value_fields, 1, { 0x1U, 0x0U } },
        { "networking.v1.IngressRule", networking_ingress_rule_fields, 2, { 0x0U, 0x0U } },
        { "networking.v1.IngressSpec", networking_ingress_spec_fields, 4, { 0x0U, 0x0U } },
        { "networking.v1.IngressPortStatus", networking_ingress_port_status_fields, 3, { 0x3U, 0x0U } },
        { "networking.v1.IngressLoadBalancerIngress", networking_ingress_load_balancer_ingress_fields, 3, { 0x0U, 0x0U } },
        { "networking.v1.IngressLoadBalancerStatus", networking_ingress_load_balancer_status_fields, 1, { 0x0U, 0x0U } },
        { "networking.v1.IngressStatus", networking_ingress_status_fields, 1, { 0x1U, 0x0U } },
        { "networking.v1.Ingress", networking_ingress_fields, 3, { 0x7U, 0x0U } },
        { "networking.v1.IngressClassParametersReference", networking_ingress_class_parameters_reference_fields, 5, { 0xeU, 0x0U } },
        { "networking.v1.IngressClassSpec", networking_ingress_class_spec_fields, 2, { 0x0U, 0x0U } },
        { "networking.v1.IngressClass", networking_ingress_class_fields, 2, { 0x3U, 0x0U } },
        { "networking.v1.ParentReference", networking_parent_reference_fields, 4, { 0x0U, 0x0U } },
        { "networking.v1.IPAddressSpec", networking_ipaddress_spec_fields, 1, { 0x0U, 0x0U } },
        { "networking.v1.IPAddress", networking_ipaddress_fields, 2, { 0x3U, 0x0U } },
        { "networking.v1.ServiceCIDRSpec", networking_service_cidrspec_fields, 1, { 0x0U, 0x0U } },
        { "networking.v1.ServiceCIDRStatus", networking_service_cidrstatus_fields, 1, { 0x0U, 0x0U } },
        { "networking.v1.ServiceCIDR", networking_service_cidr_fields, 3, { 0x7U, 0x0U } },
        { "resource.v1.ResourcePool", resource_resource_pool_fields, 3, { 0x7U, 0x0U } },
        { "resource.v1.DeviceAttribute", resource_device_attribute_fields, 8, { 0x0U, 0x0U } },
        { "resource.v1.CapacityRequestPolicyRange", resource_capacity_request_policy_range_fields, 3, { 0x0U, 0x0U } },
        { "resource.v1.CapacityRequestPolicy", resource_capacity_request_policy_fields, 3, { 0x1U, 0x0U } },
        { "resource.v1.DeviceCapacity", resource_device_capacity_fields, 2, { 0x1U, 0x0U } },
        { "resource.v1.Counter", resource_counter_fields, 1, { 0x1U, 0x0U } },
        { "resource.v1.DeviceCounterConsumption", resource_device_counter_consumption_fields, 2, { 0x1U, 0x0U } },
        { "resource.v1.DeviceTaint", resource_device_taint_fields, 4, { 0x5U, 0x0U } },
        { "resource.v1.NodeAllocatableResourceMapping", resource_node_allocatable_resource_mapping_fields, 2, { 0x0U, 0x0U } },
        { "resource.v1.Device", resource_device_fields, 13, { 0x1U, 0x0U } },
        { "resource.v1.CounterSet", resource_counter_set_fields, 2, { 0x1U, 0x0U } },
        { "resource.v1.ResourceSliceSpec", resource_resource_slice_spec_fields, 8, { 0x3U, 0x0U } },
        { "resource.v1.ResourceSlice", resource_resource_slice_fields, 2, { 0x3U, 0x0U } },
        { "resource.v1.CELDeviceSelector", resource_celdevice_selector_fields, 1, { 0x1U, 0x0U } },
        { "resource.v1.DeviceSelector", resource_device_selector_fields, 1, { 0x0U, 0x0U } },
        { "resource.v1.DeviceToleration", resource_device_toleration_fields, 5, { 0x0U, 0x0U } },
        { "resource.v1.CapacityRequirements", resource_capacity_requirements_fields, 1, { 0x0U, 0x0U } },
        { "resource.v1.ExactDeviceRequest", resource_exact_device_request_fields, 7, { 0x1U, 0x0U } },
        { "resource.v1.DeviceSubRequest", resource_device_sub_request_fields, 7, { 0x3U, 0x0U } },
        { "resource.v1.DeviceRequest", resource_device_request_fields, 3, { 0x1U, 0x0U } },
        { "resource.v1.DeviceConstraint", resource_device_constraint_fields, 3, { 0x0U, 0x0U } },
        { "resource.v1.OpaqueDeviceConfiguration", resource_opaque_device_configuration_fields, 2, { 0x3U, 0x0U } },
        { "resource.v1.DeviceClaimConfiguration", resource_device_claim_configuration_fields, 2, { 0x0U, 0x0U } },
        { "resource.v1.DeviceClaim", resource_device_claim_fields, 3, { 0x1U, 0x0U } },
        { "resource.v1.ResourceClaimSpec", resource_resource_claim_spec_fields, 1, { 0x1U, 0x0U } },
        { "resource.v1.DeviceRequestAllocationResult", resource_device_request_allocation_result_fields, 10, { 0xfU, 0x0U } },
        { "resource.v1.DeviceAllocationConfiguration", resource_device_allocation_configuration_fields, 3, { 0x1U, 0x0U } },
        { "resource.v1.DeviceAllocationResult", resource_device_allocation_result_fields, 2, { 0x0U, 0x0U } },
        { "resource.v1.AllocationResult", resource_allocation_result_fields, 3, { 0x1U, 0x0U } },
        { "resource.v1.ResourceClaimConsumerReference", resource_resource_claim_consumer_reference_fields, 4, { 0xeU, 0x0U } },
        { "resource.v1.NetworkDeviceData", resource_network_device_data_fields, 3, { 0x0U, 0x0U } },
        { "resource.v1.AllocatedDeviceStatus", resource_allocated_device_status_fields, 7, { 0x17U, 0x0U } },
        { "resource.v1.ResourceClaimStatus", resource_resource_claim_status_fields, 3, { 0x0U, 0x0U } },
        { "resource.v1.ResourceClaim", resource_resource_claim_fields, 3, { 0x7U, 0x0U } },
        { "resource.v1.DeviceClassConfiguration", resource_device_class_configuration_fields, 1, { 0x0U, 0x0U } },
        { "resource.v1.DeviceClassSpec", resource_device_class_spec_fields, 3, { 0x0U, 0x0U } },
        { "resource.v1.DeviceClass", resource_device_class_fields, 2, { 0x3U, 0x0U } },
        { "resource.v1.ResourceClaimTemplateSpec", resource_resource_claim_template_spec_fields, 2, { 0x3U, 0x0U } },
        { "resource.v1.ResourceClaimTemplate", resource_resource_claim_template_fields, 2, { 0x3U, 0x0U } },
        { "meta.v1.FieldSelectorRequirement", meta_field_selector_requirement_fields, 3, { 0x3U, 0x0U } },
        { "authorization.v1.FieldSelectorAttributes", authorization_field_selector_attributes_fields, 2, { 0x0U, 0x0U } },
        { "authorization.v1.LabelSelectorAttributes", authorization_label_selector_attributes_fields, 2, { 0x0U, 0x0U } },
        { "authorization.v1.ResourceAttributes", authorization_resource_attributes_fields, 9, { 0x0U, 0x0U } },
        { "authorization.v1.NonResourceAttributes", authorization_non_resource_attributes_fields, 2, { 0x0U, 0x0U } },
        { "authorization.v1.SubjectAccessReviewSpec", authorization_subject_access_review_spec_fields, 6, { 0x0U, 0x0U } },
        { "authorization.v1.SubjectAccessReviewStatus", authorization_subject_access_review_status_fields, 4, { 0x1U, 0x0U } },
        { "authorization.v1.SubjectAccessReview", authorization_subject_access_review_fields, 3, { 0x7U, 0x0U } },
        { "authorization.v1.SelfSubjectAccessReviewSpec", authorization_self_subject_access_review_spec_fields, 2, { 0x0U, 0x0U } },
        { "authorization.v1.SelfSubjectAccessReview", authorization_self_subject_access_review_fields, 3, { 0x7U, 0x0U } },
        { "authorization.v1.LocalSubjectAccessReview", authorization_local_subject_access_review_fields, 3, { 0x7U, 0x0U } },
        { "authorization.v1.SelfSubjectRulesReviewSpec", authorization_self_subject_rules_review_spec_fields, 1, { 0x0U, 0x0U } },
        { "authorization.v1.ResourceRule", authorization_resource_rule_fields, 4, { 0x1U, 0x0U } },
        { "authorization.v1.NonResourceRule", authorization_non_resource_rule_fields, 2, { 0x1U, 0x0U } },
        { "authorization.v1.SubjectRulesReviewStatus", authorization_subject_rules_review_status_fields, 4, { 0x7U, 0x0U } },
        { "authorization.v1.SelfSubjectRulesReview", authorization_self_subject_rules_review_fields, 3, { 0x7U, 0x0U } },
        { "authentication.v1.TokenReviewSpec", authentication_token_review_spec_fields, 2, { 0x0U, 0x0U } },
        { "authentication.v1.UserInfo", authentication_user_info_fields, 4, { 0x0U, 0x0U } },
        { "authentication.v1.TokenReviewStatus", authentication_token_review_status_fields, 4, { 0x2U, 0x0U } },
        { "authentication.v1.TokenReview", authentication_token_review_fields, 3, { 0x7U, 0x0U } },
        { "authentication.v1.BoundObjectReference", authentication_bound_object_reference_fields, 4, { 0x0U, 0x0U } },
        { "authentication.v1.TokenRequestSpec", authentication_token_request_spec_fields, 3, { 0x7U, 0x0U } },
        { "authentication.v1.TokenRequestStatus", authentication_token_request_status_fields, 2, { 0x3U, 0x0U } },
        { "authentication.v1.TokenRequest", authentication_token_request_fields, 3, { 0x7U, 0x0U } },
        { "authentication.v1.SelfSubjectReviewStatus", authentication_self_subject_review_status_fields, 1, { 0x1U, 0x0U } },
        { "authentication.v1.SelfSubjectReview", authentication_self_subject_review_fields, 2, { 0x3U, 0x0U } },
        { "certificates.v1.CertificateSigningRequestSpec", certificates_certificate_signing_request_spec_fields, 8, { 0x3U, 0x0U } },
        { "certificates.v1.CertificateSigningRequestCondition", certificates_certificate_signing_request_condition_fields, 6, { 0x33U, 0x0U } },
        { "certificates.v1.CertificateSigningRequestStatus", certificates_certificate_signing_request_status_fields, 2, { 0x0U, 0x0U } },
        { "certificates.v1.CertificateSigningRequest", certificates_certificate_signing_request_fields, 3, { 0x7U, 0x0U } },
        { "flowcontrol.v1.PriorityLevelConfigurationReference", flowcontrol_priority_level_configuration_reference_fields, 1, { 0x1U, 0x0U } },
        { "flowcontrol.v1.FlowDistinguisherMethod", flowcontrol_flow_distinguisher_method_fields, 1, { 0x1U, 0x0U } },
        { "flowcontrol.v1.UserSubject", flowcontrol_user_subject_fields, 1, { 0x1U, 0x0U } },
        { "flowcontrol.v1.GroupSubject", flowcontrol_group_subject_fields, 1, { 0x1U, 0x0U } },
        { "flowcontrol.v1.ServiceAccountSubject", flowcontrol_service_account_subject_fields, 2, { 0x3U, 0x0U } },
        { "flowcontrol.v1.Subject", flowcontrol_subject_fields, 4, { 0x1U, 0x0U } },
        { "flowcontrol.v1.ResourcePolicyRule", flowcontrol_resource_policy_rule_fields, 5, { 0x17U, 0x0U } },
        { "flowcontrol.v1.NonResourcePolicyRule", flowcontrol_non_resource_policy_rule_fields, 2, { 0x3U, 0x0U } },
        { "flowcontrol.v1.PolicyRulesWithSubjects", flowcontrol_policy_rules_with_subjects_fields, 3, { 0x1U, 0x0U } },
        { "flowcontrol.v1.FlowSchemaSpec", flowcontrol_flow_schema_spec_fields, 4, { 0x3U, 0x0U } },
        { "flowcontrol.v1.FlowSchemaCondition", flowcontrol_flow_schema_condition_fields, 5, { 0x4U, 0x0U } },
        { "flowcontrol.v1.FlowSchemaStatus", flowcontrol_flow_schema_status_fields, 1, { 0x0U, 0x0U } },
        { "flowcontrol.v1.FlowSchema", flowcontrol_flow_schema_fields, 3, { 0x7U, 0x0U } },
        { "flowcontrol.v1.QueuingConfiguration", flowcontrol_queuing_configuration_fields, 3, { 0x7U, 0x0U } },
        { "flowcontrol.v1.LimitResponse", flowcontrol_limit_response_fields, 2, { 0x1U, 0x0U } },
        { "flowcontrol.v1.LimitedPriorityLevelConfiguration", flowcontrol_limited_priority_level_configuration_fields, 4, { 0x3U, 0x0U } },
        { "flowcontrol.v1.ExemptPriorityLevelConfiguration", flowcontrol_exempt_priority_level_configuration_fields, 2, { 0x0U, 0x0U } },
        { "flowcontrol.v1.PriorityLevelConfigurationSpec", flowcontrol_priority_level_configuration_spec_fields, 3, { 0x1U, 0x0U } },
        { "flowcontrol.v1.PriorityLevelConfigurationCondition", flowcontrol_priority_level_configuration_condition_fields, 5, { 0x4U, 0x0U } },
        { "flowcontrol.v1.PriorityLevelConfigurationStatus", flowcontrol_priority_level_configuration_status_fields, 1, { 0x0U, 0x0U } },
        { "flowcontrol.v1.PriorityLevelConfiguration", flowcontrol_priority_level_configuration_fields, 3, { 0x7U, 0x0U } },
        { "admissionregistration.v1.ParamKind", admissionregistration_param_kind_fields, 2, { 0x0U, 0x0U } },
        { "admissionregistration.v1.NamedRuleWithOperations", admissionregistration_named_rule_with_operations_fields, 6, { 0x0U, 0x0U } },
        { "admissionregistration.v1.MatchResources", admissionregistration_match_resources_fields, 5, { 0x0U, 0x0U } },
        { "admissionregistration.v1.Validation", admissionregistration_validation_fields, 4, { 0x1U, 0x0U } },
        { "admissionregistration.v1.AuditAnnotation", admissionregistration_audit_annotation_fields, 2, { 0x3U, 0x0U } },
        { "admissionregistration.v1.MatchCondition", admissionregistration_match_condition_fields, 2, { 0x3U, 0x0U } },
        { "admissionregistration.v1.Variable", admissionregistration_variable_fields, 2, { 0x3U, 0x0U } },
        { "admissionregistration.v1.ValidatingAdmissionPolicySpec", admissionregistration_validating_admission_policy_spec_fields, 7, { 0x0U, 0x0U } },
        { "admissionregistration.v1.ExpressionWarning", admissionregistration_expression_warning_fields, 2, { 0x3U, 0x0U } },
        { "admissionregistration.v1.TypeChecking", admissionregistration_type_checking_fields, 1, { 0x0U, 0x0U } },
        { "admissionregistration.v1.ValidatingAdmissionPolicyStatus", admissionregistration_validating_admission_policy_status_fields, 3, { 0x0U, 0x0U } },
        { "admissionregistration.v1.ValidatingAdmissionPolicy", admissionregistration_validating_admission_policy_fields, 3, { 0x7U, 0x0U } },
        { "admissionregistration.v1.ParamRef", admissionregistration_param_ref_fields, 4, { 0x0U, 0x0U } },
        { "admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec", admissionregistration_validating_admission_policy_binding_spec_fields, 4, { 0x0U, 0x0U } },
        { "admissionregistration.v1.ValidatingAdmissionPolicyBinding", admissionregistration_validating_admission_policy_binding_fields, 2, { 0x3U, 0x0U } },
        { "admissionregistration.v1.ServiceReference", admissionregistration_service_reference_fields, 4, { 0x3U, 0x0U } },
        { "admissionregistration.v1.WebhookClientConfig", admissionregistration_webhook_client_config_fields, 3, { 0x0U, 0x0U } },
        { "admissionregistration.v1.RuleWithOperations", admissionregistration_rule_with_operations_fields, 5, { 0x0U, 0x0U } },
        { "admissionregistration.v1.ValidatingWebhook", admissionregistration_validating_webhook_fields, 11, { 0x283U, 0x0U } },
        { "admissionregistration.v1.ValidatingWebhookConfiguration", admissionregistration_validating_webhook_configuration_fields, 2, { 0x1U, 0x0U } },
        { "admissionregistration.v1.MutatingWebhook", admissionregistration_mutating_webhook_fields, 12, { 0x283U, 0x0U } },
        { "admissionregistration.v1.MutatingWebhookConfiguration", admissionregistration_mutating_webhook_configuration_fields, 2, { 0x1U, 0x0U } },
        { "admissionregistration.v1.ApplyConfiguration", admissionregistration_apply_configuration_fields, 1, { 0x0U, 0x0U } },
        { "admissionregistration.v1.JSONPatch", admissionregistration_jsonpatch_fields, 1, { 0x0U, 0x0U } },
        { "admissionregistration.v1.Mutation", admissionregistration_mutation_fields, 3, { 0x1U, 0x0U } },
        { "admissionregistration.v1.MutatingAdmissionPolicySpec", admissionregistration_mutating_admission_policy_spec_fields, 7, { 0x0U, 0x0U } },
        { "admissionregistration.v1.MutatingAdmissionPolicy", admissionregistration_mutating_admission_policy_fields, 2, { 0x3U, 0x0U } },
        { "admissionregistration.v1.MutatingAdmissionPolicyBindingSpec", admissionregistration_mutating_admission_policy_binding_spec_fields, 3, { 0x0U, 0x0U } },
        { "admissionregistration.v1.MutatingAdmissionPolicyBinding", admissionregistration_mutating_admission_policy_binding_fields, 2, { 0x3U, 0x0U } },
        { "apiextensions.v1.CustomResourceDefinitionNames", apiextensions_custom_resource_definition_names_fields, 6, { 0x9U, 0x0U } },
        { "apiextensions.v1.ExternalDocumentation", apiextensions_external_documentation_fields, 2, { 0x0U, 0x0U } },
        { "apiextensions.v1.ValidationRule", apiextensions_validation_rule_fields, 6, { 0x1U, 0x0U } },
        { "apiextensions.v1.JSONSchemaProps", apiextensions_jsonschema_props_fields, 44, { 0x0U, 0x0U } },
        { "apiextensions.v1.CustomResourceValidation", apiextensions_custom_resource_validation_fields, 1, { 0x0U, 0x0U } },
        { "apiextensions.v1.CustomResourceSubresourceStatus", NULL, 0, { 0x0U, 0x0U } },
        { "apiextensions.v1.CustomResourceSubresourceScale", apiextensions_custom_resource_subresource_scale_fields, 3, { 0x3U, 0x0U } },
        { "apiextensions.v1.CustomResourceSubresources", apiextensions_custom_resource_subresources_fields, 2, { 0x0U, 0x0U } },
        { "apiextensions.v1.CustomResourceColumnDefinition", apiextensions_custom_resource_column_definition_fields, 6, { 0x23U, 0x0U } },
        { "apiextensions.v1.SelectableField", apiextensions_selectable_field_fields, 1, { 0x1U, 0x0U } },
        { "apiextensions.v1.CustomResourceDefinitionVersion", apiextensions_custom_resource_definition_version_fields, 9, { 0x7U, 0x0U } },
        { "apiextensions.v1.ServiceReference", apiextensions_service_reference_fields, 4, { 0x3U, 0x0U } },
        { "apiextensions.v1.WebhookClientConfig", apiextensions_webhook_client_config_fields, 3, { 0x0U, 0x0U } },
        { "apiextensions.v1.WebhookConversion", apiextensions_webhook_conversion_fields, 2, { 0x2U, 0x0U } },
        { "apiextensions.v1.CustomResourceConversion", apiextensions_custom_resource_conversion_fields, 2, { 0x1U, 0x0U } },
        { "apiextensions.v1.CustomResourceDefinitionSpec", apiextensions_custom_resource_definition_spec_fields, 6, { 0xfU, 0x0U } },
        { "apiextensions.v1.CustomResourceDefinitionCondition", apiextensions_custom_resource_definition_condition_fields, 6, { 0x7U, 0x0U } },
        { "apiextensions.v1.CustomResourceDefinitionStatus", apiextensions_custom_resource_definition_status_fields, 4, { 0x7U, 0x0U } },
        { "apiextensions.v1.CustomResourceDefinition", apiextensions_custom_resource_definition_fields, 3, { 0x7U, 0x0U } },
        { "apiextensions.v1.ConversionRequest", apiextensions_conversion_request_fields, 3, { 0x7U, 0x0U } },
        { "meta.v1.ShardInfo", meta_shard_info_fields, 1, { 0x1U, 0x0U } },
        { "meta.v1.ListMeta", meta_list_meta_fields, 5, { 0x0U, 0x0U } },
        { "meta.v1.StatusCause", meta_status_cause_fields, 3, { 0x0U, 0x0U } },
        { "meta.v1.StatusDetails", meta_status_details_fields, 6, { 0x0U, 0x0U } },
        { "meta.v1.Status", meta_status_fields, 6, { 0x1U, 0x0U } },
        { "apiextensions.v1.ConversionResponse", apiextensions_conversion_response_fields, 3, { 0x7U, 0x0U } },
        { "apiextensions.v1.ConversionReview", apiextensions_conversion_review_fields, 2, { 0x0U, 0x0U } },
        { "apiregistration.v1.ServiceReference", apiregistration_service_reference_fields, 3, { 0x0U, 0x0U } },
        { "apiregistration.v1.APIServiceSpec", apiregistration_apiservice_spec_fields, 7, { 0x60U, 0x0U } },
        { "apiregistration.v1.APIServiceCondition", apiregistration_apiservice_condition_fields, 5, { 0x7U, 0x0U } },
        { "apiregistration.v1.APIServiceStatus", apiregistration_apiservice_status_fields, 1, { 0x0U, 0x0U } },
        { "apiregistration.v1.APIService", apiregistration_apiservice_fields, 3, { 0x7U, 0x0U } },
        { "scheduling.v1alpha2.TypedLocalObjectReference", scheduling_typed_local_object_reference_fields, 3, { 0x6U, 0x0U } },
        { "scheduling.v1alpha2.BasicSchedulingPolicy", NULL, 0, { 0x0U, 0x0U } },
        { "scheduling.v1alpha2.GangSchedulingPolicy", scheduling_gang_scheduling_policy_fields, 1, { 0x1U, 0x0U } },
        { "scheduling.v1alpha2.PodGroupSchedulingPolicy", scheduling_pod_group_scheduling_policy_fields, 2, { 0x0U, 0x0U } },
        { "scheduling.v1alpha2.TopologyConstraint", scheduling_topology_constraint_fields, 1, { 0x1U, 0x0U } },
        { "scheduling.v1alpha2.PodGroupSchedulingConstraints", scheduling_pod_group_scheduling_constraints_fields, 1, { 0x0U, 0x0U } },
        { "scheduling.v1alpha2.PodGroupResourceClaim", scheduling_pod_group_resource_claim_fields, 3, { 0x1U, 0x0U } },
        { "scheduling.v1alpha2.PodGroupTemplate", scheduling_pod_group_template_fields, 7, { 0x7U, 0x0U } },
        { "scheduling.v1alpha2.WorkloadSpec", scheduling_workload_spec_fields, 2, { 0x2U, 0x0U } },
        { "scheduling.v1alpha2.Workload", scheduling_workload_fields, 2, { 0x3U, 0x0U } },
        { "scheduling.v1alpha2.WorkloadPodGroupTemplateReference", scheduling_workload_pod_group_template_reference_fields, 2, { 0x3U, 0x0U } },
        { "scheduling.v1alpha2.PodGroupTemplateReference", scheduling_pod_group_template_reference_fields, 1, { 0x1U, 0x0U } },
        { "scheduling.v1alpha2.PodGroupSpec", scheduling_pod_group_spec_fields, 7, { 0x3U, 0x0U } },
        { "scheduling.v1alpha2.PodGroupResourceClaimStatus", scheduling_pod_group_resource_claim_status_fields, 2, { 0x1U, 0x0U } },
        { "scheduling.v1alpha2.PodGroupStatus", scheduling_pod_group_status_fields, 2, { 0x0U, 0x0U } },
        { "scheduling.v1alpha2.PodGroup", scheduling_pod_group_fields, 3, { 0x7U, 0x0U } },
        { "autoscaling.v1.ObjectMetricSource", autoscaling_object_metric_source_fields, 5, { 0x7U, 0x0U } },
        { "autoscaling.v1.PodsMetricSource", autoscaling_pods_metric_source_fields, 3, { 0x3U, 0x0U } },
        { "autoscaling.v1.ResourceMetricSource", autoscaling_resource_metric_source_fields, 3, { 0x1U, 0x0U } },
        { "autoscaling.v1.ContainerResourceMetricSource", autoscaling_container_resource_metric_source_fields, 4, { 0x9U, 0x0U } },
        { "autoscaling.v1.ExternalMetricSource", autoscaling_external_metric_source_fields, 4, { 0x1U, 0x0U } },
        { "autoscaling.v1.MetricSpec", autoscaling_metric_spec_fields, 6, { 0x1U, 0x0U } },
        { "autoscaling.v1.ObjectMetricStatus", autoscaling_object_metric_status_fields, 5, { 0x7U, 0x0U } },
        { "autoscaling.v1.PodsMetricStatus", autoscaling_pods_metric_status_fields, 3, { 0x3U, 0x0U } },
        { "autoscaling.v1.ResourceMetricStatus", autoscaling_resource_metric_status_fields, 3, { 0x5U, 0x0U } },
        { "autoscaling.v1.ContainerResourceMetricStatus", autoscaling_container_resource_metric_status_fields, 4, { 0xdU, 0x0U } },
        { "autoscaling.v1.ExternalMetricStatus", autoscaling_external_metric_status_fields, 4, { 0x5U, 0x0U } },
        { "autoscaling.v1.MetricStatus", autoscaling_metric_status_fields, 6, { 0x1U, 0x0U } },
        { "core.v1.PersistentVolumeSource", persistent_volume_source_fields, 22, { 0x0U, 0x0U } },
};
const size_t schema_object_count = ARRAY_LEN(schema_objects);

const struct schema_root schema_roots[] = {
        { "", "v1", "Binding", 196 },
        { "", "v1", "ComponentStatus", 219 },
        { "", "v1", "ConfigMap", 217 },
        { "", "v1", "Endpoints", 173 },
        { "", "v1", "Event", 207 },
        { "", "v1", "LimitRange", 210 },
        { "", "v1", "Namespace", 195 },
        { "", "v1", "Node", 191 },
        { "", "v1", "NodeProxyOptions", 202 },
        { "", "v1", "PersistentVolume", 33 },
        { "", "v1", "PersistentVolumeClaim", 43 },
        { "", "v1", "Pod", 152 },
        { "", "v1", "PodAttachOptions", 198 },
        { "", "v1", "PodExecOptions", 199 },
        { "", "v1", "PodLogOptions", 197 },
        { "", "v1", "PodPortForwardOptions", 200 },
        { "", "v1", "PodProxyOptions", 201 },
        { "", "v1", "PodStatusResult", 66 },
        { "", "v1", "PodTemplate", 154 },
        { "", "v1", "RangeAllocation", 220 },
        { "", "v1", "ReplicationController", 158 },
        { "", "v1", "ResourceQuota", 215 },
        { "", "v1", "Secret", 216 },
        { "", "v1", "SerializedReference", 204 },
        { "", "v1", "Service", 168 },
        { "", "v1", "ServiceAccount", 169 },
        { "", "v1", "ServiceProxyOptions", 203 },
        { "admissionregistration.k8s.io", "v1", "MutatingAdmissionPolicy", 482 },
        { "admissionregistration.k8s.io", "v1", "MutatingAdmissionPolicyBinding", 484 },
        { "admissionregistration.k8s.io", "v1", "MutatingWebhookConfiguration", 477 },
        { "admissionregistration.k8s.io", "v1", "ValidatingAdmissionPolicy", 467 },
        { "admissionregistration.k8s.io", "v1", "ValidatingAdmissionPolicyBinding", 470 },
        { "admissionregistration.k8s.io", "v1", "ValidatingWebhookConfiguration", 475 },
        { "apiextensions.k8s.io", "v1", "ConversionReview", 511 },
        { "apiextensions.k8s.io", "v1", "CustomResourceDefinition", 503 },
        { "apiregistration.k8s.io", "v1", "APIService", 516 },
        { "apps", "v1", "ControllerRevision", 245 },
        { "apps", "v1", "DaemonSet", 240 },
        { "apps", "v1", "Deployment", 234 },
        { "apps", "v1", "ReplicaSet", 244 },
        { "apps", "v1", "StatefulSet", 228 },
        { "authentication.k8s.io", "v1", "SelfSubjectReview", 430 },
        { "authentication.k8s.io", "v1", "TokenRequest", 428 },
        { "authentication.k8s.io", "v1", "TokenReview", 424 },
        { "authorization.k8s.io", "v1", "LocalSubjectAccessReview", 415 },
        { "authorization.k8s.io", "v1", "SelfSubjectAccessReview", 414 },
        { "authorization.k8s.io", "v1", "SelfSubjectRulesReview", 420 },
        { "authorization.k8s.io", "v1", "SubjectAccessReview", 412 },
        { "autoscaling", "v1", "HorizontalPodAutoscaler", 264 },
        { "autoscaling", "v1", "Scale", 267 },
        { "autoscaling", "v2", "HorizontalPodAutoscaler", 290 },
        { "batch", "v1", "CronJob", 260 },
        { "batch", "v1", "Job", 256 },
        { "certificates.k8s.io", "v1", "CertificateSigningRequest", 434 },
        { "coordination.k8s.io", "v1", "Lease", 298 },
        { "discovery.k8s.io", "v1", "EndpointSlice", 336 },
        { "events.k8s.io", "v1", "Event", 300 },
        { "flowcontrol.apiserver.k8s.io", "v1", "FlowSchema", 447 },
        { "flowcontrol.apiserver.k8s.io", "v1", "PriorityLevelConfiguration", 455 },
        { "meta.k8s.io", "v1", "DeleteOptions", 295 },
        { "meta.k8s.io", "v1", "Status", 509 },
        { "networking.k8s.io", "v1", "IPAddress", 362 },
        { "networking.k8s.io", "v1", "Ingress", 356 },
        { "networking.k8s.io", "v1", "IngressClass", 359 },
        { "networking.k8s.io", "v1", "NetworkPolicy", 343 },
        { "networking.k8s.io", "v1", "ServiceCIDR", 365 },
        { "node.k8s.io", "v1", "RuntimeClass", 329 },
        { "policy", "v1", "Eviction", 296 },
        { "policy", "v1", "PodDisruptionBudget", 293 },
        { "rbac.authorization.k8s.io", "v1", "ClusterRole", 308 },
        { "rbac.authorization.k8s.io", "v1", "ClusterRoleBinding", 309 },
        { "rbac.authorization.k8s.io", "v1", "Role", 303 },
        { "rbac.authorization.k8s.io", "v1", "RoleBinding", 306 },
        { "resource.k8s.io", "v1", "DeviceClass", 402 },
        { "resource.k8s.io", "v1", "ResourceClaim", 399 },
        { "resource.k8s.io", "v1", "ResourceClaimTemplate", 404 },
        { "resource.k8s.io", "v1", "ResourceSlice", 378 },
        { "scheduling.k8s.io", "v1", "PriorityClass", 301 },
        { "scheduling.k8s.io", "v1alpha2", "PodGroup", 532 },
        { "scheduling.k8s.io", "v1alpha2", "Workload", 526 },
        { "storage.k8s.io", "v1", "CSIDriver", 320 },
        { "storage.k8s.io", "v1", "CSINode", 324 },
        { "storage.k8s.io", "v1", "CSIStorageCapacity", 325 },
        { "storage.k8s.io", "v1", "StorageClass", 312 },
        { "storage.k8s.io", "v1", "VolumeAttachment", 317 },
        { "storage.k8s.io", "v1", "VolumeAttributesClass", 326 },
};
const size_t schema_root_count = ARRAY_LEN(schema_roots);
