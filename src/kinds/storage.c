/* Resources of group storage.k8s.io, v1. */
#include "kinds/admit.h"
#include "kinds/check.h"
#include "kinds/defaults.h"
#include "kinds/kinds.h"
#include "kinds/prepare.h"
#include "kinds/row.h"
#include "kinds/warn.h"

static const struct table_column csi_driver_columns[] = {
        { "Name", "string", "name", 0 },        { "AttachRequired", "boolean", "", 0 },
        { "PodInfoOnMount", "boolean", "", 0 }, { "StorageCapacity", "boolean", "", 0 },
        { "TokenRequests", "string", "", 0 },   { "RequiresRepublish", "boolean", "", 0 },
        { "Modes", "string", "", 0 },           { "Age", "string", "", 0 },
};
static const struct table_column csi_node_columns[] = {
        { "Name", "string", "name", 0 },
        { "Drivers", "integer", "", 0 },
        { "Age", "string", "", 0 },
};
static const struct table_column storage_class_columns[] = {
        { "Name", "string", "name", 0 },
        { "Provisioner", "string", "", 0 },
        { "ReclaimPolicy", "string", "", 0 },
        { "VolumeBindingMode", "string", "", 0 },
        { "AllowVolumeExpansion", "string", "", 0 },
        { "Age", "string", "", 0 },
};
static const struct table_column volume_attachment_columns[] = {
        { "Name", "string", "name", 0 },  { "Attacher", "string", "name", 0 },
        { "PV", "string", "", 0 },        { "Node", "string", "", 0 },
        { "Attached", "boolean", "", 0 }, { "Age", "string", "", 0 },
};
static const struct table_column volume_attributes_class_columns[] = {
        { "Name", "string", "name", 0 },
        { "DriverName", "string", "", 0 },
        { "Age", "string", "", 0 },
};

static const struct kind_info rows[] = {
        {
                .group = "storage.k8s.io",
                .version = "v1",
                .plural = "csidrivers",
                .singular = "csidriver",
                .kind = "CSIDriver",
                .verbs = VERB_STANDARD,
                .flags = KIND_DELETE_OBJECT,
                .apply_defaults = csi_driver_defaults,
                .prepare = csi_driver_prepare,
                .validate = csi_driver_validate,
                .warn_each = csi_driver_warn,
                COLUMNS(csi_driver_columns),
                .table_row = csi_driver_row,
        },
        {
                .group = "storage.k8s.io",
                .version = "v1",
                .plural = "csinodes",
                .singular = "csinode",
                .kind = "CSINode",
                .verbs = VERB_STANDARD,
                .flags = KIND_DELETE_OBJECT,
                .validate = csi_node_validate,
                COLUMNS(csi_node_columns),
                .table_row = csi_node_row,
        },
        {
                .group = "storage.k8s.io",
                .version = "v1",
                .plural = "csistoragecapacities",
                .singular = "csistoragecapacity",
                .kind = "CSIStorageCapacity",
                .verbs = VERB_STANDARD,
                .flags = KIND_NAMESPACED,
                .validate = csi_storage_capacity_validate,
                .warn_each = node_labels_warn,
                WITH_CREATED,
        },
        {
                .group = "storage.k8s.io",
                .version = "v1",
                .plural = "storageclasses",
                .singular = "storageclass",
                .kind = "StorageClass",
                .short_names = NAMES("sc"),
                .verbs = VERB_STANDARD,
                .flags = KIND_UNCONDITIONAL | KIND_DELETE_OBJECT,
                .apply_defaults = storage_class_defaults,
                .validate = storage_class_validate,
                .warn = storage_class_warn,
                COLUMNS(storage_class_columns),
                .table_row = storage_class_row,
        },
        {
                .group = "storage.k8s.io",
                .version = "v1",
                .plural = "volumeattachments",
                .singular = "volumeattachment",
                .kind = "VolumeAttachment",
                .verbs = VERB_STANDARD,
                .flags = KIND_DELETE_OBJECT | KIND_STATUS,
                .prepare = status_prepare,
                .apply_defaults = volume_attachment_defaults,
                .validate = volume_attachment_validate,
                COLUMNS(volume_attachment_columns),
                .table_row = volume_attachment_row,
        },
        {
                .group = "storage.k8s.io",
                .version = "v1",
                .plural = "volumeattributesclasses",
                .since = 34,
                .singular = "volumeattributesclass",
                .kind = "VolumeAttributesClass",
                .short_names = NAMES("vac"),
                .verbs = VERB_STANDARD,
                .flags = KIND_UNCONDITIONAL | KIND_DELETE_OBJECT,
                .validate = volume_attributes_class_validate,
                .admit = volume_attributes_class_admit,
                COLUMNS(volume_attributes_class_columns),
                .table_row = volume_attributes_class_row,
        },
};

const struct kind_group kind_group_storage = { rows, ARRAY_LEN(rows) };
