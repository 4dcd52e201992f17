/* Where the data of persistent volumes are: one table row per kind of source. */
#include "kinds/volume_source_rules.h"

#include "base/regex.h"
#include "base/util.h"

/* ---- shapes that many sources have ---- */

#define NEEDED(name)                                                                               \
        { name, rule_present, .flags = RULE_REQUIRED }

static const struct rule named_secret_rules[] = { NEEDED("name"), RULES_END };
static const struct rule placed_secret_rules[] = { NEEDED("name"), NEEDED("namespace"), RULES_END };
static const struct rule csi_secret_rules[] = {
        { "name", rule_form, .low = FORM_SUBDOMAIN, .flags = RULE_REQUIRED },
        { "namespace", rule_form, .low = FORM_LABEL, .flags = RULE_REQUIRED },
        RULES_END,
};

static bool has_backstep(struct slice path) {
        size_t start = 0;

        for (size_t i = 0; i <= path.len; i++) {
                if (i < path.len && path.ptr[i] != '/')
                        continue;
                if (slice_is(slice_make(path.ptr + start, i - start), ".."))
                        return true;
                start = i + 1;
        }
        return false;
}

OWN_RULE(rule_no_backstep) {
        (void)rule;
        if (has_backstep(node_get_slice(value)))
                report_text(checker, at, NULL, node_get_slice(value), "must not contain '..'");
}

/* Of pointers: what is there is not empty. */
OWN_RULE(rule_text_there) {
        (void)rule;
        if (node_get_slice(value).len == 0)
                report(checker, FIELD_REQUIRED, at, NULL, NULL, NULL);
}

/* ---- sources ---- */

static const char *const host_path_types[] = {
        "",     "BlockDevice",  "CharDevice", "Directory", "DirectoryOrCreate",
        "File", "FileOrCreate", "Socket",     NULL
};
static const struct rule host_path_rules[] = {
        { "path", rule_no_backstep, .flags = RULE_REQUIRED },
        { "type", rule_choice, .data = host_path_types },
        RULES_END,
};
static const struct rule gce_rules[] = {
        NEEDED("pdName"),
        { "partition", rule_range, .low = 0, .high = 255, .text = VOLUME_PARTITION_TEXT },
        RULES_END,
};
static const struct rule aws_rules[] = {
        NEEDED("volumeID"),
        { "partition", rule_range, .low = 0, .high = 255, .text = VOLUME_PARTITION_TEXT },
        RULES_END,
};

OWN_RULE(rule_endpoints_namespace) {
        (void)rule;
        if (node_get_slice(value).len == 0)
                report_text(checker, at, NULL, SLICE_EMPTY,
                            "if the endpointnamespace is set, it must be a valid namespace name");
        else
                check_form(checker, at, node_get_slice(value), FORM_LABEL);
}
static const struct rule gluster_rules[] = {
        NEEDED("endpoints"),
        NEEDED("path"),
        { "endpointsNamespace", rule_endpoints_namespace, .flags = RULE_PRESENT },
        RULES_END,
};

OWN_RULE(rule_flocker) {
        struct slice name = node_get_text(value, "datasetName");
        struct slice uuid = node_get_text(value, "datasetUUID");

        (void)rule;
        if (name.len == 0 && uuid.len == 0)
                report(checker, FIELD_REQUIRED, at, NULL, NULL,
                       "one of datasetName and datasetUUID is required");
        if (name.len && uuid.len)
                report_text(checker, at, NULL, SLICE_LITERAL("resource"),
                            "datasetName and datasetUUID can not be specified simultaneously");
        if (name.len && memchr(name.ptr, '/', name.len))
                report_text(checker, at, "datasetName", name, "must not contain '/'");
}
static const struct rule flocker_rules[] = { { NULL, rule_flocker }, RULES_END };

OWN_RULE(rule_absolute) {
        (void)rule;
        if (!slice_has_prefix(node_get_slice(value), SLICE_LITERAL("/")))
                report_text(checker, at, NULL, node_get_slice(value), "must be an absolute path");
}
static const struct rule nfs_rules[] = {
        NEEDED("server"),
        NEEDED("path"),
        { "path", rule_absolute, .flags = RULE_ALWAYS },
        RULES_END,
};
static const struct rule rbd_rules[] = { NEEDED("monitors"), NEEDED("image"), RULES_END };
static const struct rule ceph_rules[] = { NEEDED("monitors"), RULES_END };

#define REGISTRY_TEXT "must be a host:port pair or multiple pairs separated by commas"

static bool is_host_port(struct slice pair) {
        size_t colons = 0;

        for (size_t i = 0; i < pair.len; i++)
                colons += pair.ptr[i] == ':';
        return colons == 1 ||
               (colons > 1 && pair.ptr[0] == '[' && slice_contains(pair, SLICE_LITERAL("]:")));
}

OWN_RULE(rule_quobyte) {
        struct slice registry = node_get_text(value, "registry");
        size_t start = 0;

        (void)rule;
        if (registry.len == 0)
                report(checker, FIELD_REQUIRED, at, "registry", NULL, REGISTRY_TEXT);
        else if (node_get_text(value, "tenant").len >= 65)
                report(checker, FIELD_REQUIRED, at, "tenant", NULL,
                       "must be a UUID and may not exceed a length of 64 characters");
        for (size_t i = 0; registry.len && i <= registry.len; i++) {
                if (i < registry.len && registry.ptr[i] != ',')
                        continue;
                if (!is_host_port(slice_make(registry.ptr + start, i - start)))
                        report_text(checker, at, "registry", registry, REGISTRY_TEXT);
                start = i + 1;
        }
}
static const struct rule quobyte_rules[] = {
        { NULL, rule_quobyte },
        NEEDED("volume"),
        RULES_END,
};

/* ---- iSCSI, fibre channel ---- */

static bool matches_pattern(const char *pattern, struct slice text) {
        struct regex *regex = regex_new(slice_of(pattern), NULL);
        bool is_match = regex && regex_matches(regex, text);

        regex_free(regex);
        return is_match;
}

/* What iSCSI calls initiators and targets. */
static bool is_iscsi_name(struct slice name) {
        if (slice_has_prefix(name, SLICE_LITERAL("iqn")))
                return matches_pattern("iqn\\.\\d{4}-\\d{2}\\.([[:alnum:]-.]+)(:[^,;*&$|\\s]+)$",
                                       name);
        if (slice_has_prefix(name, SLICE_LITERAL("eui")))
                return matches_pattern("^eui.[[:alnum:]]{16}$", name);
        return slice_has_prefix(name, SLICE_LITERAL("naa")) &&
               matches_pattern("^naa.[[:alnum:]]{32}$", name);
}

OWN_RULE(rule_iscsi_name) {
        (void)rule;
        if (!is_iscsi_name(node_get_slice(value)))
                report_text(checker, at, NULL, node_get_slice(value), "must be valid format");
}

OWN_RULE(rule_iscsi_secret) {
        bool needs_secret = node_is_true(node_get(value, "chapAuthDiscovery")) ||
                            node_is_true(node_get(value, "chapAuthSession"));

        (void)rule;
        if (needs_secret && !node_get(value, "secretRef"))
                report(checker, FIELD_REQUIRED, at, "secretRef", NULL, NULL);
}

OWN_RULE(rule_initiator) {
        const struct json_node *name = node_get(value, "initiatorName");
        struct at place = at_member(at, "initiatorname");

        if (name)
                rule_iscsi_name(checker, &place, name, rule);
}

static const struct rule iscsi_rules[] = {
        NEEDED("targetPortal"),
        { "iqn", rule_iscsi_name, .flags = RULE_REQUIRED },
        { "lun", rule_range, .low = 0, .high = 255 },
        { NULL, rule_iscsi_secret },
        { "secretRef", rule_object, .data = named_secret_rules, .flags = RULE_PRESENT },
        { NULL, rule_initiator },
        RULES_END,
};

OWN_RULE(rule_fibre) {
        const struct json_node *names = node_get(value, "targetWWNs"),
                               *lun = node_get(value, "lun");
        const struct rule range = { .low = 0, .high = 255 };
        struct at place = at_member(at, "lun");
        bool has_ids = node_count(node_get(value, "wwids")) > 0;

        (void)rule;
        if (node_count(names) == 0 && !has_ids)
                report(checker, FIELD_REQUIRED, at, "targetWWNs", NULL,
                       "must specify either targetWWNs or wwids, but not both");
        if (node_count(names) > 0 && has_ids)
                report(checker, FIELD_INVALID, at, "targetWWNs", node_json(checker, names),
                       "targetWWNs and wwids can not be specified simultaneously");
        if (node_count(names) > 0 && !lun)
                report(checker, FIELD_REQUIRED, &place, NULL, NULL,
                       "lun is required if targetWWNs is specified");
        else if (node_count(names) > 0)
                rule_range(checker, &place, lun, &range);
}
static const struct rule fibre_rules[] = { { NULL, rule_fibre }, RULES_END };

static const struct rule cinder_rules[] = {
        NEEDED("volumeID"),
        { "secretRef", rule_object, .data = placed_secret_rules, .flags = RULE_PRESENT },
        RULES_END,
};

/* ---- the others ---- */

static bool is_reserved_option(struct slice key) {
        const char *slash = key.len ? memchr(key.ptr, '/', key.len) : NULL;
        struct slice domain = slash ? slice_make(key.ptr, (size_t)(slash - key.ptr)) : key;

        return matches_pattern("(?i)(^|\\.)(kubernetes|k8s)\\.io$", domain);
}

OWN_RULE(rule_flex_options) {
        struct node_iter iter = node_iter(value);
        struct slice key;

        (void)rule;
        while (node_next(&iter, &key, NULL)) {
                struct at place = at_key(at, key);

                if (is_reserved_option(key))
                        report_text(checker, &place, NULL, key,
                                    "kubernetes.io and k8s.io namespaces are reserved");
        }
}
static const struct rule flex_rules[] = {
        NEEDED("driver"),
        { "options", rule_flex_options },
        RULES_END,
};
static const struct rule azure_file_rules[] = {
        NEEDED("secretName"),
        NEEDED("shareName"),
        { "secretNamespace", rule_text_there, .flags = RULE_PRESENT },
        RULES_END,
};
static const struct rule vsphere_rules[] = { NEEDED("volumePath"), RULES_END };
static const struct rule photon_rules[] = { NEEDED("pdID"), RULES_END };
static const struct rule portworx_rules[] = { NEEDED("volumeID"), RULES_END };

static const char *const caching_modes[] = { "None", "ReadOnly", "ReadWrite", NULL };
static const char *const disk_kinds[] = { "Dedicated", "Managed", "Shared", NULL };
static const char *const managed_uris[] = {
        "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/"
        "{disk-id}",
        NULL
};
static const char *const blob_uris[] = {
        "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd", NULL
};

OWN_RULE(rule_disk_uri) {
        struct slice kind = node_get_text(value, "kind"), uri = node_get_text(value, "diskURI");
        bool is_managed = slice_is(kind, "Managed");
        struct slice prefix =
                is_managed ? SLICE_LITERAL("/subscriptions/") : SLICE_LITERAL("https://");

        (void)rule;
        if (node_get(value, "kind") && !slice_has_prefix(uri, prefix))
                report_choice(checker, at, "diskURI", quoted_json(checker, uri),
                              is_managed ? managed_uris : blob_uris);
}
static const struct rule azure_disk_rules[] = {
        NEEDED("diskName"),
        NEEDED("diskURI"),
        { "cachingMode", rule_choice, .data = caching_modes, .flags = RULE_PRESENT },
        { "kind", rule_choice, .data = disk_kinds, .flags = RULE_PRESENT },
        { NULL, rule_disk_uri },
        RULES_END,
};
static const struct rule scale_io_rules[] = {
        NEEDED("gateway"),
        NEEDED("system"),
        NEEDED("volumeName"),
        RULES_END,
};
static const struct rule local_rules[] = {
        { "path", rule_no_backstep, .flags = RULE_REQUIRED },
        RULES_END,
};
static const struct rule storage_os_rules[] = {
        { "volumeName", rule_form, .low = FORM_LABEL, .flags = RULE_REQUIRED },
        { "volumeNamespace", rule_form, .low = FORM_LABEL },
        { "secretRef", rule_object, .data = placed_secret_rules, .flags = RULE_PRESENT },
        RULES_END,
};
#define CSI_SECRET(name)                                                                           \
        { name, rule_object, .data = csi_secret_rules, .flags = RULE_PRESENT }
static const struct rule csi_rules[] = {
        { "driver", rule_driver_name, .flags = RULE_REQUIRED },
        NEEDED("volumeHandle"),
        CSI_SECRET("controllerPublishSecretRef"),
        CSI_SECRET("controllerExpandSecretRef"),
        CSI_SECRET("nodePublishSecretRef"),
        CSI_SECRET("nodeExpandSecretRef"),
        RULES_END,
};

/* In the order in which they are looked at. */
const struct volume_source volume_sources[] = {
        { "hostPath", NULL, host_path_rules },
        { "gcePersistentDisk", "persistentDisk", gce_rules },
        { "awsElasticBlockStore", NULL, aws_rules },
        { "glusterfs", NULL, gluster_rules },
        { "flocker", NULL, flocker_rules },
        { "nfs", NULL, nfs_rules },
        { "rbd", NULL, rbd_rules },
        { "quobyte", NULL, quobyte_rules },
        { "cephfs", NULL, ceph_rules },
        { "iscsi", NULL, iscsi_rules },
        { "cinder", NULL, cinder_rules },
        { "fc", NULL, fibre_rules },
        { "flexVolume", NULL, flex_rules },
        { "azureFile", NULL, azure_file_rules },
        { "vsphereVolume", NULL, vsphere_rules },
        { "photonPersistentDisk", NULL, photon_rules },
        { "portworxVolume", NULL, portworx_rules },
        { "azureDisk", NULL, azure_disk_rules },
        { "scaleIO", NULL, scale_io_rules },
        { "local", NULL, local_rules },
        { "storageos", NULL, storage_os_rules },
        { "csi", NULL, csi_rules },
};
const size_t volume_source_count = ARRAY_LEN(volume_sources);
