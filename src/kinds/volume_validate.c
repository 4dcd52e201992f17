/* Validation of pod volumes: a name and exactly one source each. */
#include "kinds/pod_check.h"
#include "kinds/volume_rules.h"

#include "api/selector.h"
#include "base/arena.h"
#include "base/util.h"

/* ---- sources that are no more than their members ---- */

static const char *const path_types[] = {
        "",     "BlockDevice",  "CharDevice", "Directory", "DirectoryOrCreate",
        "File", "FileOrCreate", "Socket",     NULL,
};
static const char *const pull_policies[] = { "Always", "IfNotPresent", "Never", NULL };
static const char *const caching_modes[] = { "None", "ReadOnly", "ReadWrite", NULL };
static const char *const disk_kinds[] = { "Dedicated", "Managed", "Shared", NULL };

#define NEEDED(member)                                                                             \
        { member, rule_present, RULE_REQUIRED }
#define PARTITION                                                                                  \
        { "partition", rule_range, .high = 255, .text = "must be between 1 and 255, inclusive" }
#define MODE                                                                                       \
        { "defaultMode", rule_mode }
#define ITEMS                                                                                      \
        { "items", rule_key_path, RULE_EACH }

static const struct rule name_rules[] = { NEEDED("name"), RULES_END };
static const struct rule git_rules[] = {
        NEEDED("repository"),
        { "directory", rule_path_below },
        RULES_END,
};
static const struct rule gce_rules[] = { NEEDED("pdName"), PARTITION, RULES_END };
static const struct rule aws_rules[] = { NEEDED("volumeID"), PARTITION, RULES_END };
static const struct rule secret_rules[] = { NEEDED("secretName"), MODE, ITEMS, RULES_END };
static const struct rule config_map_rules[] = { NEEDED("name"), MODE, ITEMS, RULES_END };
static const struct rule mode_rules[] = { MODE, RULES_END };
static const struct rule nfs_rules[] = { NEEDED("server"), NEEDED("path"), RULES_END };
static const struct rule glusterfs_rules[] = { NEEDED("endpoints"), NEEDED("path"), RULES_END };
static const struct rule claim_rules[] = { NEEDED("claimName"), RULES_END };
static const struct rule rbd_rules[] = { NEEDED("monitors"), NEEDED("image"), RULES_END };
static const struct rule cinder_rules[] = {
        NEEDED("volumeID"),
        { "secretRef", rule_object, .data = name_rules },
        RULES_END,
};
static const struct rule cephfs_rules[] = { NEEDED("monitors"), RULES_END };
static const struct rule flex_rules[] = { NEEDED("driver"), RULES_END };
static const struct rule azure_file_rules[] = {
        NEEDED("secretName"),
        NEEDED("shareName"),
        RULES_END,
};
static const struct rule vsphere_rules[] = { NEEDED("volumePath"), RULES_END };
static const struct rule photon_rules[] = { NEEDED("pdID"), RULES_END };
static const struct rule portworx_rules[] = { NEEDED("volumeID"), RULES_END };
static const struct rule azure_disk_rules[] = {
        NEEDED("diskName"),
        NEEDED("diskURI"),
        { "cachingMode", rule_choice, RULE_PRESENT, .data = caching_modes },
        { "kind", rule_choice, RULE_PRESENT, .data = disk_kinds },
        RULES_END,
};
static const struct rule storageos_rules[] = {
        { "volumeName", rule_form, RULE_REQUIRED, .low = FORM_LABEL },
        { "volumeNamespace", rule_form, .low = FORM_LABEL },
        { "secretRef", rule_object, .data = name_rules },
        RULES_END,
};
static const struct rule scale_io_rules[] = {
        NEEDED("gateway"),
        NEEDED("system"),
        NEEDED("volumeName"),
        RULES_END,
};
static const struct rule image_rules[] = {
        { "pullPolicy", rule_choice, RULE_REQUIRED, .data = pull_policies },
        RULES_END,
};
static const struct rule host_path_rules[] = {
        { "path", rule_no_backsteps },
        { "type", rule_choice, RULE_PRESENT, .data = path_types },
        RULES_END,
};
static const struct rule lun_rules[] = { { "lun", rule_range, .high = 255 }, RULES_END };

/* ---- sources with more to say ---- */

static void check_host_path(struct volume_check *check, const struct at *at,
                            const struct json_node *source) {
        if (check_required(check->checker, at, source, "path"))
                check_rules(check->checker, at, source, host_path_rules);
}

static void check_empty_dir(struct volume_check *check, const struct at *at,
                            const struct json_node *source) {
        if (quantity_sign(node_get_text(source, "sizeLimit")) < 0)
                report(check->checker, FIELD_FORBIDDEN, at, "sizeLimit", NULL,
                       "SizeLimit field must be a valid resource quantity");
}

static void check_nfs(struct volume_check *check, const struct at *at,
                      const struct json_node *source) {
        struct slice path = node_get_text(source, "path");

        if (path.len == 0 || path.ptr[0] != '/')
                report_text(check->checker, at, "path", path, "must be an absolute path");
}

/* One of the three forms of names that iSCSI knows, by their first letters. */
static const char *iscsi_name_problem(struct slice name) {
        static const struct {
                const char *prefix, *pattern;
        } forms[] = {
                { "iqn", "iqn\\.\\d{4}-\\d{2}\\.([[:alnum:]\\-.]+)(:[^,;*&$|\\s]+)$" },
                { "eui", "^eui.[[:alnum:]]{16}$" },
                { "naa", "^naa.[[:alnum:]]{32}$" },
        };

        for (size_t i = 0; i < ARRAY_LEN(forms); i++)
                if (slice_has_prefix(name, slice_of(forms[i].prefix)))
                        return text_matches(name, forms[i].pattern) ? NULL : "must be valid format";
        return "must be valid format starting with iqn, eui, or naa";
}

static void check_iscsi(struct volume_check *check, const struct at *at,
                        const struct json_node *source) {
        const struct json_node *initiator = node_get(source, "initiatorName");
        struct slice iqn = node_get_text(source, "iqn");
        struct slice portal = node_get_text(source, "targetPortal");
        struct at volume = *at->up;

        check_required(check->checker, at, source, "targetPortal");
        if (check_required(check->checker, at, source, "iqn") && iscsi_name_problem(iqn))
                report_text(check->checker, at, "iqn", iqn, iscsi_name_problem(iqn));
        check_rules(check->checker, at, source, lun_rules);
        if ((node_is_true(node_get(source, "chapAuthDiscovery")) ||
             node_is_true(node_get(source, "chapAuthSession"))) &&
            !node_get(source, "secretRef"))
                report(check->checker, FIELD_REQUIRED, at, "secretRef", NULL, NULL);
        if (!initiator)
                return;
        if (iscsi_name_problem(node_get_slice(initiator)))
                report_text(check->checker, at, "initiatorname", node_get_slice(initiator),
                            iscsi_name_problem(node_get_slice(initiator)));
        if (check->name.len + 1 + portal.len > 64)
                report_text(check->checker, &volume, "name", check->name,
                            "Total length of <volume name>:<iscsi.targetPortal> must be under 64 "
                            "characters if iscsi.initiatorName is specified.");
}

static void check_flocker(struct volume_check *check, const struct at *at,
                          const struct json_node *source) {
        struct slice name = node_get_text(source, "datasetName");
        struct slice uuid = node_get_text(source, "datasetUUID");

        if (name.len == 0 && uuid.len == 0)
                report(check->checker, FIELD_REQUIRED, at, NULL, NULL,
                       "one of datasetName and datasetUUID is required");
        if (name.len && uuid.len)
                report(check->checker, FIELD_INVALID, at, NULL, "\"resource\"",
                       "datasetName and datasetUUID can not be specified simultaneously");
        if (name.len && memchr(name.ptr, '/', name.len))
                report_text(check->checker, at, "datasetName", name, "must not contain '/'");
}

/* "host:port" with brackets around a host that has colons. */
static bool is_host_port(struct slice text) {
        const char *last = text.len ? memrchr(text.ptr, ':', text.len) : NULL;

        if (!last)
                return false;
        if (text.ptr[0] == '[')
                return last > text.ptr && last[-1] == ']';
        return memchr(text.ptr, ':', text.len) == last;
}

#define REGISTRY_TEXT "must be a host:port pair or multiple pairs separated by commas"

static void check_quobyte(struct volume_check *check, const struct at *at,
                          const struct json_node *source) {
        struct slice registry = node_get_text(source, "registry"), rest = registry, pair;

        if (registry.len == 0)
                report(check->checker, FIELD_REQUIRED, at, "registry", NULL, REGISTRY_TEXT);
        else if (node_get_text(source, "tenant").len >= 65)
                report(check->checker, FIELD_REQUIRED, at, "tenant", NULL,
                       "must be a UUID and may not exceed a length of 64 characters");
        else
                while (slice_split(&rest, ',', &pair))
                        if (!is_host_port(pair))
                                report_text(check->checker, at, "registry", registry,
                                            REGISTRY_TEXT);
        check_required(check->checker, at, source, "volume");
}

static void check_fc(struct volume_check *check, const struct at *at,
                     const struct json_node *source) {
        const struct json_node *names = node_get(source, "targetWWNs");
        size_t count = node_count(names), other_count = node_count(node_get(source, "wwids"));

        if (count == 0 && other_count == 0)
                report(check->checker, FIELD_REQUIRED, at, "targetWWNs", NULL,
                       "must specify either targetWWNs or wwids, but not both");
        if (count && other_count)
                report(check->checker, FIELD_INVALID, at, "targetWWNs",
                       node_json(check->checker, names),
                       "targetWWNs and wwids can not be specified simultaneously");
        if (count && !node_get(source, "lun"))
                report(check->checker, FIELD_REQUIRED, at, "lun", NULL,
                       "lun is required if targetWWNs is specified");
        if (count)
                check_rules(check->checker, at, source, lun_rules);
}

static void check_flex(struct volume_check *check, const struct at *at,
                       const struct json_node *source) {
        struct node_iter iter = node_iter(node_get(source, "options"));
        struct at options = at_member(at, "options");
        struct slice key;

        while (node_next(&iter, &key, NULL)) {
                struct slice rest = key, space = key;
                struct at place = at_key(&options, key);

                slice_split(&rest, '/', &space);
                space = slice_of(message_of(check->checker, "." SLICE_FMT, SLICE_ARG(space)));
                space = lower_text(check->checker, space);
                if (slice_has_suffix(space, SLICE_LITERAL(".kubernetes.io")) ||
                    slice_has_suffix(space, SLICE_LITERAL(".k8s.io")))
                        report_text(check->checker, &place, NULL, key,
                                    "kubernetes.io and k8s.io namespaces are reserved");
        }
}

static void check_azure_disk(struct volume_check *check, const struct at *at,
                             const struct json_node *source) {
        static const char *const managed[] = {
                "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/"
                "disks/{disk-id}",
                NULL
        };
        static const char *const blob[] = {
                "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd",
                NULL
        };
        struct slice uri = node_get_text(source, "diskURI");
        bool is_managed = slice_is(node_get_text(source, "kind"), "Managed");

        if (node_get(source, "kind") &&
            !slice_has_prefix(uri, slice_of(is_managed ? "/subscriptions/" : "https://")))
                report_choice(check->checker, at, "diskURI", quoted_json(check->checker, uri),
                              is_managed ? managed : blob);
}

static void check_csi(struct volume_check *check, const struct at *at,
                      const struct json_node *source) {
        const struct json_node *secret = node_get(source, "nodePublishSecretRef");
        struct slice driver = node_get_text(source, "driver"), name = node_get_text(secret, "name");
        const char *problem;

        if (check_required(check->checker, at, source, "driver")) {
                problem = name_problem(NAME_SUBDOMAIN, lower_text(check->checker, driver), false);
                if (driver.len > 63)
                        report(check->checker, FIELD_TOO_LONG, at, "driver", NULL,
                               "may not be more than 63 bytes");
                if (problem)
                        report_text(check->checker, at, "driver", driver, problem);
        }
        if (secret && name.len == 0)
                report(check->checker, FIELD_REQUIRED, at, "nodePublishSecretRef.name", NULL, NULL);
        else if (secret && name_problem(NAME_SUBDOMAIN, name, false))
                report_text(check->checker, at, "name", name,
                            name_problem(NAME_SUBDOMAIN, name, false));
}

/* The claim of an ephemeral volume is called after pod and volume. */
static void check_ephemeral(struct volume_check *check, const struct at *at,
                            const struct json_node *source) {
        const struct json_node *template = node_get(source, "volumeClaimTemplate");
        static const char *const allowed[] = { "annotations", "labels", NULL };
        struct at place = at_member(at, "volumeClaimTemplate");
        struct at metadata = at_member(&place, "metadata"), spec = at_member(&place, "spec");
        struct slice pod = check->pod_name;
        struct at volume = *at->up;

        if (template) {
                check_template_metadata(check->checker, &metadata, node_get(template, "metadata"),
                                        allowed);
                check_volume_claim_spec(check->checker, &spec, node_get(template, "spec"));
        } else {
                report(check->checker, FIELD_REQUIRED, &place, NULL, NULL, NULL);
        }
        if (pod.len == 0 || check->name.len == 0)
                return;
        const char *name = message_of(check->checker, SLICE_FMT "-" SLICE_FMT, SLICE_ARG(pod),
                                      SLICE_ARG(check->name));
        const char *problem = name_problem(NAME_SUBDOMAIN, slice_of(name), false);
        struct slice rest = slice_of(problem);
        while (rest.len) {
                const char *mark = memmem(rest.ptr, rest.len, "; ", 2);
                size_t length = mark ? (size_t)(mark - rest.ptr) : rest.len;

                report_text(check->checker, &volume, "name", check->name,
                            message_of(check->checker, "PVC name %s: %.*s",
                                       quoted(check->checker, slice_of(name)), (int)length,
                                       rest.ptr));
                rest = slice_make(rest.ptr + length, rest.len - length);
                if (mark)
                        rest = slice_make(rest.ptr + 2, rest.len - 2);
        }
}

static void check_image(struct volume_check *check, const struct at *at,
                        const struct json_node *source) {
        if (check->is_pod)
                check_required(check->checker, at, source, "reference");
}

static void check_downward(struct volume_check *check, const struct at *at,
                           const struct json_node *source) {
        const struct json_node *items = node_get(source, "items");

        for (size_t i = 0; i < node_count(items); i++)
                check_downward_file(check->checker, at, node_at(items, i));
}

/* ---- volumes ---- */

/* In the order in which upstream looks at them. */
struct pod_volume_source {
        const char *name;
        const char *path, *second; /* what upstream calls it in complaints about it, and about it as
                                      the second one; NULL = its name */
        const struct rule *rules;
        void (*check)(struct volume_check *check, const struct at *at,
                      const struct json_node *source); /* behind the rules; may be NULL */
        bool is_check_first;
};
static const struct pod_volume_source pod_volume_sources[] = {
        { "emptyDir", NULL, NULL, NULL, check_empty_dir, false },
        { "hostPath", NULL, NULL, NULL, check_host_path, false },
        { "gitRepo", NULL, NULL, git_rules, NULL, false },
        { "gcePersistentDisk", "persistentDisk", NULL, gce_rules, NULL, false },
        { "awsElasticBlockStore", NULL, NULL, aws_rules, NULL, false },
        { "secret", NULL, NULL, secret_rules, NULL, false },
        { "nfs", NULL, NULL, nfs_rules, check_nfs, false },
        { "iscsi", NULL, NULL, NULL, check_iscsi, false },
        { "glusterfs", NULL, NULL, glusterfs_rules, NULL, false },
        { "flocker", NULL, NULL, NULL, check_flocker, false },
        { "persistentVolumeClaim", NULL, NULL, claim_rules, NULL, false },
        { "rbd", NULL, NULL, rbd_rules, NULL, false },
        { "cinder", NULL, NULL, cinder_rules, NULL, false },
        { "cephfs", NULL, "cephFS", cephfs_rules, NULL, false },
        { "quobyte", NULL, NULL, NULL, check_quobyte, false },
        { "downwardAPI", NULL, "downwarAPI", mode_rules, check_downward, false },
        { "fc", NULL, NULL, NULL, check_fc, false },
        { "flexVolume", NULL, NULL, flex_rules, check_flex, false },
        { "configMap", NULL, NULL, config_map_rules, NULL, false },
        { "azureFile", NULL, NULL, azure_file_rules, NULL, false },
        { "vsphereVolume", NULL, NULL, vsphere_rules, NULL, false },
        { "photonPersistentDisk", NULL, NULL, photon_rules, NULL, false },
        { "portworxVolume", NULL, NULL, portworx_rules, NULL, false },
        { "azureDisk", NULL, NULL, azure_disk_rules, check_azure_disk, false },
        { "storageos", NULL, NULL, storageos_rules, NULL, false },
        { "projected", NULL, NULL, mode_rules, check_projected, false },
        { "scaleIO", NULL, NULL, scale_io_rules, NULL, false },
        { "csi", NULL, NULL, NULL, check_csi, false },
        { "ephemeral", NULL, NULL, NULL, check_ephemeral, false },
        { "image", NULL, NULL, image_rules, check_image, true },
};

static void check_source(struct volume_check *check, const struct at *at,
                         const struct pod_volume_source *kind, const struct json_node *source) {
        struct at place = at_member(at, kind->path ? kind->path : kind->name);

        if (kind->check && kind->is_check_first)
                kind->check(check, &place, source);
        if (kind->rules)
                check_rules(check->checker, &place, source, kind->rules);
        if (kind->check && !kind->is_check_first)
                kind->check(check, &place, source);
}

static void check_sources(struct volume_check *check, const struct at *at,
                          const struct json_node *volume) {
        size_t count = 0;

        for (size_t i = 0; i < ARRAY_LEN(pod_volume_sources); i++) {
                const struct pod_volume_source *kind = &pod_volume_sources[i];
                const struct json_node *source = node_get(volume, kind->name);

                if (!source)
                        continue;
                if (count++)
                        report(check->checker, FIELD_FORBIDDEN, at,
                               kind->second ? kind->second : kind->name, NULL,
                               "may not specify more than 1 volume type");
                else
                        check_source(check, at, kind, source);
        }
        if (count == 0)
                report(check->checker, FIELD_REQUIRED, at, NULL, NULL,
                       "must specify a volume type");
}

/* Claims that are made for this pod's ephemeral volumes. */
static void collect_made_claims(struct volume_check *check, const struct json_node *volumes,
                                struct text_set *ret_names) {
        for (size_t i = 0; check->pod_name.len && i < node_count(volumes); i++)
                if (node_get(node_at(volumes, i), "ephemeral"))
                        text_set_add(ret_names,
                                     slice_of(message_of(check->checker, SLICE_FMT "-" SLICE_FMT,
                                                         SLICE_ARG(check->pod_name),
                                                         SLICE_ARG(node_get_text(
                                                                 node_at(volumes, i), "name")))));
}

void check_volumes(struct volume_check *check, const struct at *at,
                   const struct json_node *volumes) {
        CLEANUP(text_set_release) struct text_set made = { 0 };

        collect_made_claims(check, volumes, &made);
        for (size_t i = 0; i < node_count(volumes); i++) {
                const struct json_node *volume = node_at(volumes, i);
                struct slice name = node_get_text(volume, "name");
                struct slice claim =
                        node_get_text(node_get(volume, "persistentVolumeClaim"), "claimName");
                size_t before = check->checker->errors->count;
                struct at place = at_index(at, i);

                check->name = name;
                check_sources(check, &place, volume);
                if (check_required(check->checker, &place, volume, "name"))
                        check_name(check->checker, &place, volume, "name", NAME_LABEL);
                if (map_get(check->usable, name))
                        report(check->checker, FIELD_DUPLICATE, &place, "name",
                               quoted(check->checker, name), NULL);
                /* Volumes that are wrong themselves do not count as there. */
                if (check->checker->errors->count == before)
                        map_put(check->usable, name, (void *)(uintptr_t)volume);
                if (claim.len && text_set_has(&made, claim))
                        report_text(check->checker, &place, "persistentVolumeClaim.claimName",
                                    claim,
                                    "must not reference a PVC that gets created for an ephemeral "
                                    "volume");
        }
}
