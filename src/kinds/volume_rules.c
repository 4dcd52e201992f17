/* Validation of persistent volumes. */
#include "kinds/volume_rules.h"

#include "api/quantity.h"
#include "base/util.h"
#include "kinds/volume_claim.h"
#include "kinds/volume_source_rules.h"

const char *const volume_modes[] = { "Block", "Filesystem", NULL };

/* ---- what claims have, too ---- */

RULE(rule_access_modes) {
        static const char *const modes[] = { "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce",
                                             "ReadWriteOncePod", NULL };
        const struct rule choice = { .data = modes };
        size_t single = 0, known = 0;

        (void)rule;
        for (size_t i = 0; i < node_count(value); i++) {
                struct slice mode = node_get_slice(node_at(value, i));

                rule_choice(checker, at, node_at(value, i), &choice);
                single += slice_is(mode, "ReadWriteOncePod");
                for (size_t j = 0; modes[j]; j++)
                        known += slice_is(mode, modes[j]);
        }
        if (single > 0 && known > single)
                report(checker, FIELD_FORBIDDEN, at, NULL, NULL,
                       "may not use ReadWriteOncePod with other access modes");
}

bool check_positive_quantity(struct checker *checker, const struct at *at, struct slice quantity) {
        struct quantity_info info;

        if (quantity_describe(quantity, &info, NULL) < 0 || info.sign > 0)
                return true;
        report_text(checker, at, NULL, slice_of(info.string), "must be greater than zero");
        return false;
}

/* ---- volumes ---- */

static void check_capacity(struct checker *checker, const struct at *at,
                           const struct json_node *capacity) {
        static const char *const names[] = { "storage", NULL };
        struct node_iter iter = node_iter(capacity);
        struct json_node *amount;
        struct slice name;

        if (node_count(capacity) == 0)
                report(checker, FIELD_REQUIRED, at, NULL, NULL, NULL);
        if (!node_get(capacity, "storage") || node_count(capacity) > 1)
                report_choice(checker, at, NULL, capacity ? node_json(checker, capacity) : "null",
                              names);
        while (node_next(&iter, &name, &amount)) {
                struct at place = at_key(at, name);
                int64_t units = 0;

                quantity_value(node_get_slice(amount), &units, NULL);
                if (units < 0)
                        report_number(checker, &place, NULL, units,
                                      "must be a valid resource quantity");
                check_positive_quantity(checker, &place, node_get_slice(amount));
        }
}

static void check_sources(struct checker *checker, const struct at *at,
                          const struct json_node *spec) {
        size_t count = 0;

        for (size_t i = 0; i < volume_source_count; i++) {
                const struct volume_source *source = &volume_sources[i];
                const struct json_node *value = node_get(spec, source->member);
                bool is_ceph = strcmp(source->member, "cephfs") == 0;
                bool is_flex = strcmp(source->member, "flexVolume") == 0;
                struct at place =
                        at_member(at, source->shown_as ? source->shown_as : source->member);

                if (!value)
                        continue;
                if (count++ > 0 && !is_flex) {
                        report(checker, FIELD_FORBIDDEN, at, is_ceph ? "cephFS" : source->member,
                               NULL, "may not specify more than 1 volume type");
                        continue;
                }
                check_rules(checker, &place, value, source->rules);
                if (strcmp(source->member, "local") == 0 && !node_get(spec, "nodeAffinity"))
                        report(checker, FIELD_REQUIRED, at, "nodeAffinity", NULL,
                               "Local volume requires node affinity");
        }
        if (count == 0)
                report(checker, FIELD_REQUIRED, at, NULL, NULL, "must specify a volume type");
}

/* Slashes and dots alone. */
static bool is_root(struct slice path) {
        for (size_t i = 0; i < path.len; i++)
                if (path.ptr[i] != '/' && path.ptr[i] != '.')
                        return false;
        return path.len > 0 && path.ptr[0] == '/';
}

OWN_RULE(rule_no_root_recycling) {
        struct slice path = node_get_text(node_get(value, "hostPath"), "path");

        (void)rule;
        if (is_root(path) &&
            slice_is(node_get_text(value, "persistentVolumeReclaimPolicy"), "Recycle"))
                report(checker, FIELD_FORBIDDEN, at, "persistentVolumeReclaimPolicy", NULL,
                       "may not be 'recycle' for a hostPath mount of '/'");
}

OWN_RULE(rule_volume_affinity) {
        const struct json_node *required = node_get(value, "required");
        struct at place = at_member(at, "required");

        if (required)
                rule_node_selector(checker, &place, required, rule);
        else
                report(checker, FIELD_REQUIRED, &place, NULL, NULL,
                       "must specify required node constraints");
}

OWN_RULE(rule_attributes_class) {
        const struct json_node *name = node_get(value, "volumeAttributesClassName");
        struct at place = at_member(at, "volumeAttributesClassName");

        (void)rule;
        if (!name)
                return;
        if (node_get_slice(name).len == 0)
                report(checker, FIELD_REQUIRED, &place, NULL, NULL,
                       "an empty string is disallowed");
        else
                check_form(checker, &place, node_get_slice(name), FORM_SUBDOMAIN);
        if (!node_get(value, "csi"))
                report(checker, FIELD_REQUIRED, at, "csi", NULL,
                       "has to be specified when using volumeAttributesClassName");
}

/* What a volume inside an attachment may not have, and must. */
static void check_inline(struct checker *checker, const struct at *at,
                         const struct json_node *spec) {
        static const char *const text = "may not be specified in the context of inline volumes";

        if (node_get(spec, "claimRef"))
                report(checker, FIELD_FORBIDDEN, at, "claimRef", NULL, text);
        if (node_count(node_get(spec, "capacity")) > 0)
                report(checker, FIELD_FORBIDDEN, at, "capacity", NULL, text);
        if (!node_get(spec, "csi"))
                report(checker, FIELD_REQUIRED, at, "csi", NULL,
                       "has to be specified in the context of inline volumes");
}

static void check_inline_choices(struct checker *checker, const struct at *at,
                                 const struct json_node *spec) {
        struct slice policy = node_get_text(spec, "persistentVolumeReclaimPolicy");

        if (policy.len && !slice_is(policy, "Retain"))
                report(checker, FIELD_FORBIDDEN, at, "persistentVolumeReclaimPolicy", NULL,
                       "may only be Retain in the context of inline volumes");
        if (node_get(spec, "nodeAffinity"))
                report(checker, FIELD_FORBIDDEN, at, "nodeAffinity", NULL,
                       "may not be specified in the context of inline volumes");
}

static void check_inline_ends(struct checker *checker, const struct at *at,
                              const struct json_node *spec) {
        struct slice mode = node_get_text(spec, "volumeMode");

        if (node_get_text(spec, "storageClassName").len)
                report(checker, FIELD_FORBIDDEN, at, "storageClassName", NULL,
                       "may not be specified in the context of inline volumes");
        if (mode.len && !slice_is(mode, "Filesystem"))
                report(checker, FIELD_FORBIDDEN, at, "volumeMode", NULL,
                       "may not specify volumeMode other than Filesystem in the context of inline "
                       "volumes");
}

static const char *const reclaim_policies[] = { "Delete", "Recycle", "Retain", NULL };
static const struct rule access_rules[] = {
        { "accessModes", rule_access_modes, .flags = RULE_REQUIRED },
        RULES_END,
};
static const struct rule choice_rules[] = {
        { "persistentVolumeReclaimPolicy", rule_choice, .data = reclaim_policies },
        { "nodeAffinity", rule_volume_affinity, .flags = RULE_PRESENT },
        RULES_END,
};
static const struct rule end_rules[] = {
        { "storageClassName", rule_form, .low = FORM_SUBDOMAIN },
        { "volumeMode", rule_choice, .data = volume_modes, .flags = RULE_PRESENT },
        RULES_END,
};
static const struct rule last_rules[] = {
        { NULL, rule_attributes_class },
        RULES_END,
};

void check_volume_spec(struct checker *checker, const struct at *at, const struct json_node *spec,
                       bool is_inline) {
        const struct rule root = { .check = rule_no_root_recycling };
        struct at capacity = at_member(at, "capacity");

        if (is_inline)
                check_inline(checker, at, spec);
        check_rules(checker, at, spec, access_rules);
        if (is_inline) {
                check_inline_choices(checker, at, spec);
        } else {
                check_capacity(checker, &capacity, node_get(spec, "capacity"));
                check_rules(checker, at, spec, choice_rules);
        }
        check_sources(checker, at, spec);
        rule_no_root_recycling(checker, at, spec, &root);
        if (is_inline)
                check_inline_ends(checker, at, spec);
        else
                check_rules(checker, at, spec, end_rules);
        if (!is_inline)
                check_rules(checker, at, spec, last_rules);
}

/* A secret for growing may be added to a volume that had none. */
static void check_same_source(struct checker *checker, const struct at *at,
                              const struct json_node *spec, const struct json *old) {
        static const char secret[] = "controllerExpandSecretRef";
        CLEANUP(cleanup_json_tree) struct json_tree *tree = json_tree_new();
        struct json_node *before = node_import(tree, old), *after = node_clone(tree, spec);
        const struct json_node *driver = node_get(before, "csi");
        bool is_same = true;

        if (driver && !node_get(driver, secret))
                node_remove(node_get(after, "csi"), secret);
        for (size_t i = 0; is_same && i < volume_source_count; i++) {
                const struct json_node *was = node_get(before, volume_sources[i].member);
                const struct json_node *is = node_get(after, volume_sources[i].member);

                is_same = was && is ? node_equal(was, is) : !was == !is;
        }
        if (!is_same)
                report(checker, FIELD_FORBIDDEN, at, "persistentvolumesource", NULL,
                       shown_difference(checker,
                                        "spec.persistentvolumesource is immutable after creation",
                                        "core.v1.PersistentVolumeSource", "spec", before, after));
}

/* Labels of nodes that have got another name since. */
static bool is_renamed_label(struct slice old, struct slice new) {
        static const char *const names[][2] = {
                { "failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone" },
                { "failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region" },
                { "beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type" },
                { "beta.kubernetes.io/os", "kubernetes.io/os" },
                { "beta.kubernetes.io/arch", "kubernetes.io/arch" },
        };

        for (size_t i = 0; i < ARRAY_LEN(names); i++)
                if (slice_is(old, names[i][0]))
                        return slice_is(new, names[i][1]);
        return new.len == 0; /* upstream's map has no other name for it, which is the same */
}

/* Gives requirements of the copy the old names of their labels where only those changed. */
static void rename_labels(struct json_tree *tree, struct json_node *terms,
                          const struct json_node *old_terms) {
        for (size_t i = 0; i < node_count(terms); i++) {
                struct json_node *list = node_get(node_at(terms, i), "matchExpressions");
                struct json_node *old = node_get(node_at(old_terms, i), "matchExpressions");

                for (size_t j = 0; j < node_count(list); j++) {
                        struct slice before = node_get_text(node_at(old, j), "key");

                        if (is_renamed_label(before, node_get_text(node_at(list, j), "key")))
                                node_put_text(tree, node_at(list, j), "key", before);
                }
        }
}

static bool is_same_affinity(const struct json_node *spec, const struct json *old) {
        struct json_node *after = node_get(spec, "nodeAffinity");

        if (!after || is_same_member(spec, old, "nodeAffinity"))
                return after;
        struct json_tree *tree = json_tree_new();
        struct json_node *before = node_import(tree, json_get(old, "nodeAffinity"));
        after = node_clone(tree, after);
        rename_labels(tree, node_get(node_get(after, "required"), "nodeSelectorTerms"),
                      node_get(node_get(before, "required"), "nodeSelectorTerms"));
        bool is_same = node_equal(before, after);
        json_tree_free(tree);
        return is_same;
}

static void report_affinity(struct checker *checker, const struct json_node *affinity) {
        static const char detail[] =
                "field is immutable, except for updating from beta label to GA";
        struct at at = at_root("nodeAffinity");

        if (affinity)
                report_typed(checker, FIELD_INVALID, &at, "core.v1.VolumeNodeAffinity", affinity,
                             detail);
        else
                report(checker, FIELD_INVALID, &at, NULL, "null", detail);
}

static void check_volume_update(struct checker *checker, const struct json_node *spec,
                                const struct json *old) {
        static const struct frozen frozen[] = { { "volumeMode", FIELD_INVALID, NULL, NULL } };
        struct at at = at_root("spec");

        check_same_source(checker, &at, spec, old);
        check_frozen_members(checker, NULL, spec, old, frozen, ARRAY_LEN(frozen));
        if (json_get(old, "nodeAffinity") && !is_same_affinity(spec, old))
                report_affinity(checker, node_get(spec, "nodeAffinity"));
        if (json_get(old, "volumeAttributesClassName") &&
            !node_get(spec, "volumeAttributesClassName"))
                report(checker, FIELD_FORBIDDEN, &at, "volumeAttributesClassName", NULL,
                       "update from non-nil value to nil is forbidden");
}

/* Options of mounts from before they had a member: only for what is mounted with options. */
static void check_mount_options(struct checker *checker, const struct json_node *object) {
        static const char *const sources[] = {
                "awsElasticBlockStore",
                "azureDisk",
                "azureFile",
                "cephfs",
                "cinder",
                "gcePersistentDisk",
                "glusterfs",
                "iscsi",
                "nfs",
                "photonPersistentDisk",
                "quobyte",
                "rbd",
                "vsphereVolume",
        };
        const struct json_node *annotations = node_get(node_get(object, "metadata"), "annotations");
        struct at metadata = at_root("metadata"), list = at_member(&metadata, "annotations");

        if (!node_get(annotations, OPTIONS_ANNOTATION))
                return;
        for (size_t i = 0; i < ARRAY_LEN(sources); i++)
                if (node_get(node_get(object, "spec"), sources[i]))
                        return;
        report(checker, FIELD_FORBIDDEN, &list, OPTIONS_ANNOTATION, NULL,
               "may not specify mount options for this volume type");
}

VALIDATE_HOOK(persistent_volume_validate) {
        struct checker checker = { .errors = errors, .context = context };
        const struct json_node *spec = node_get(object, "spec");
        struct at at = at_root("spec");

        if (operation == KIND_UPDATE_STATUS)
                return;
        check_volume_spec(&checker, &at, spec, false);
        check_mount_options(&checker, object);
        if (operation != KIND_UPDATE)
                return;
        check_volume_spec(&checker, &at, spec, false); /* upstream's update looks at it again */
        check_volume_update(&checker, spec, json_get(old, "spec"));
}
