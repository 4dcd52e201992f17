/* Validation of persistent volumes and claims of them. */
#include "kinds/volume_rules.h"

#include "api/quantity.h"
#include "base/util.h"
#include "kinds/volume_source_rules.h"

static const char *const volume_modes[] = { "Block", "Filesystem", NULL };

/* ---- what both have ---- */

OWN_RULE(rule_access_modes) {
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

static bool check_positive_quantity(struct checker *checker, const struct at *at,
                                    struct slice quantity) {
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
                if (slice_is(old, names[i][0]) && slice_is(new, names[i][1]))
                        return true;
        return false;
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

VALIDATE_HOOK(persistent_volume_validate) {
        struct checker checker = { .errors = errors, .context = context };
        const struct json_node *spec = node_get(object, "spec");
        struct at at = at_root("spec");

        if (operation == KIND_UPDATE_STATUS)
                return;
        check_volume_spec(&checker, &at, spec, false);
        if (operation != KIND_UPDATE)
                return;
        check_volume_spec(&checker, &at, spec, false); /* upstream's update looks at it again */
        check_volume_update(&checker, spec, json_get(old, "spec"));
}

/* ---- claims ---- */

OWN_RULE(rule_claim_size) {
        const struct json_node *requests = node_get(node_get(value, "resources"), "requests");
        const struct json_node *size = node_get(requests, "storage");
        struct at resources = at_member(at, "resources");
        struct at place = at_key(&resources, SLICE_LITERAL("storage"));

        (void)rule;
        if (!size)
                report(checker, FIELD_REQUIRED, &place, NULL, NULL, NULL);
        else
                check_positive_quantity(checker, &place, node_get_slice(size));
}

OWN_RULE(rule_source_kind) {
        struct slice group = node_get_text(value, "apiGroup"), kind = node_get_text(value, "kind");
        struct at place = at_member(at, "apiGroup");

        (void)rule;
        if (group.len)
                check_form(checker, &place, group, FORM_SUBDOMAIN);
        else if (!slice_is(kind, "PersistentVolumeClaim"))
                report_text(checker, at, NULL, kind,
                            "must be 'PersistentVolumeClaim' when referencing the default "
                            "apiGroup");
}

static const struct rule source_rules[] = {
        { "name", rule_present, .flags = RULE_REQUIRED },
        { "kind", rule_present, .flags = RULE_REQUIRED },
        { NULL, rule_source_kind },
        { "namespace", rule_form, .low = FORM_LABEL },
        RULES_END,
};

static bool is_same_text(const struct json_node *a, const struct json_node *b, const char *member) {
        return slice_eq(node_get_text(a, member), node_get_text(b, member));
}

OWN_RULE(rule_sources_match) {
        const struct json_node *source = node_get(value, "dataSource");
        const struct json_node *reference = node_get(value, "dataSourceRef");
        bool is_elsewhere = node_get_text(reference, "namespace").len > 0;

        (void)rule;
        if (!source || !reference)
                return;
        if (!is_elsewhere && is_same_text(source, reference, "kind") &&
            is_same_text(source, reference, "name") && is_same_text(source, reference, "apiGroup"))
                return;
        report_as_is(checker, FIELD_INVALID, at, "{}",
                     is_elsewhere ? "may not be specified when dataSourceRef.namespace is specified"
                                  : "must match dataSourceRef");
}

static const struct rule claim_spec_rules[] = {
        { "accessModes", rule_present, .flags = RULE_REQUIRED,
          .text = "at least 1 access mode is required" },
        { "selector", rule_label_selector },
        { "accessModes", rule_access_modes },
        { NULL, rule_claim_size },
        { "storageClassName", rule_form, .low = FORM_SUBDOMAIN },
        { "volumeMode", rule_choice, .data = volume_modes, .flags = RULE_PRESENT },
        { "dataSource", rule_object, .data = source_rules, .flags = RULE_PRESENT },
        { "dataSourceRef", rule_object, .data = source_rules, .flags = RULE_PRESENT },
        { NULL, rule_sources_match },
        { "volumeAttributesClassName", rule_form, .low = FORM_SUBDOMAIN },
        RULES_END,
};

void check_volume_claim_spec(struct checker *checker, const struct at *at,
                             const struct json_node *spec) {
        check_rules(checker, at, spec, claim_spec_rules);
}

#define CLASS_ANNOTATION "volume.beta.kubernetes.io/storage-class"

/* A claim may get the class that it had in an annotation, or that was missing. */
static bool may_get_class(const struct json_node *object, const struct json *old) {
        const struct json_node *name = node_get(node_get(object, "spec"), "storageClassName");
        const struct json *before = json_get(json_get(old, "metadata"), "annotations");
        const struct json *annotation = json_get(before, CLASS_ANNOTATION);

        return name && !json_get(json_get(old, "spec"), "storageClassName") &&
               (!annotation || slice_eq(json_text(annotation), node_get_slice(name)));
}

static void even_out_member(struct json_tree *tree, struct json_node *to, const char *member,
                            const struct json_node *value) {
        node_remove(to, member);
        if (value)
                node_put(tree, to, member, node_clone(tree, value));
}

/* Both states of a claim's spec, with what may change in spite of everything made equal. */
static void even_out_claim(struct checker *checker, struct json_tree *tree,
                           const struct json_node *object, const struct json *old,
                           struct json_node *before, struct json_node *after) {
        struct json_node *resources = node_get(after, "resources");
        struct at spec = at_root("spec"), place = at_member(&spec, "resources");
        struct at requests_at = at_member(&place, "requests");

        if (node_get_text(before, "volumeName").len == 0)
                even_out_member(tree, before, "volumeName", node_get(after, "volumeName"));
        if (may_get_class(object, old))
                node_remove(after, "storageClassName");
        if (!slice_is(node_get_text(node_get(object, "status"), "phase"), "Bound"))
                return;
        if (node_get(resources, "requests") || is_emptied(checker, &requests_at))
                even_out_member(
                        tree, node_need_object(tree, resources, "requests"), "storage",
                        node_get(node_get(node_get(before, "resources"), "requests"), "storage"));
        even_out_member(tree, after, "volumeAttributesClassName",
                        node_get(before, "volumeAttributesClassName"));
}

static void check_claim_spec(struct checker *checker, const struct json_node *object,
                             const struct json *old) {
        CLEANUP(cleanup_json_tree) struct json_tree *tree = json_tree_new();
        struct json_node *before = node_import(tree, json_get(old, "spec"));
        struct json_node *after = node_clone(tree, node_get(object, "spec"));
        struct at at = at_root("spec");

        even_out_claim(checker, tree, object, old, before, after);
        if (!node_equal(before, after))
                report(checker, FIELD_FORBIDDEN, &at, NULL, NULL,
                       shown_difference(checker,
                                        "spec is immutable after creation except "
                                        "resources.requests and volumeAttributesClassName for "
                                        "bound claims",
                                        "core.v1.PersistentVolumeClaimSpec", "spec", before,
                                        after));
}

static void check_claim_shrink(struct checker *checker, const struct json_node *object,
                               const struct json *old) {
        struct slice size = node_get_text(
                node_get(node_get(node_get(object, "spec"), "resources"), "requests"), "storage");
        struct slice before = json_get_text(
                json_get(json_get(json_get(old, "spec"), "resources"), "requests"), "storage");
        struct slice there =
                json_get_text(json_get(json_get(old, "status"), "capacity"), "storage");
        struct at spec = at_root("spec"), resources = at_member(&spec, "resources");
        struct at requests = at_member(&resources, "requests");
        int order = 0;

        size = size.len ? size : SLICE_LITERAL("0");
        if (quantity_compare(size, before, &order, NULL) < 0 || order >= 0)
                return;
        if (quantity_compare(size, there.len ? there : SLICE_LITERAL("0"), &order, NULL) == 0 &&
            order <= 0)
                report(checker, FIELD_FORBIDDEN, &requests, "storage", NULL,
                       "field can not be less than status.capacity");
}

static void check_claim_class(struct checker *checker, const struct json_node *object,
                              const struct json *old) {
        const struct json_node *name =
                node_get(node_get(object, "spec"), "volumeAttributesClassName");
        struct at at = at_root("spec");

        if (!json_get(json_get(old, "status"), "currentVolumeAttributesClassName"))
                return;
        if (!name)
                report(checker, FIELD_FORBIDDEN, &at, "volumeAttributesClassName", NULL,
                       "update to nil is forbidden when status.currentVolumeAttributesClassName is "
                       "not nil");
        else if (node_get_slice(name).len == 0)
                report(checker, FIELD_FORBIDDEN, &at, "volumeAttributesClassName", NULL,
                       "update to empty string is forbidden when "
                       "status.currentVolumeAttributesClassName is not nil");
}

static void check_claim_update(struct checker *checker, const struct json_node *object,
                               const struct json *old) {
        static const struct frozen frozen[] = { { "volumeMode", FIELD_INVALID, NULL, NULL } };
        const struct json_node *spec = node_get(object, "spec");
        struct slice before =
                json_get_text(json_get(json_get(old, "metadata"), "annotations"), CLASS_ANNOTATION);
        struct slice annotation = node_get_text(
                node_get(node_get(object, "metadata"), "annotations"), CLASS_ANNOTATION);
        struct at metadata = at_root("metadata");
        struct at annotations = at_member(&metadata, "annotations");

        if (!slice_eq(before, annotation) && !(before.len && may_get_class(object, old)))
                report_text(checker, &annotations, CLASS_ANNOTATION, annotation,
                            "field is immutable");
        check_claim_spec(checker, object, old);
        check_claim_shrink(checker, object, old);
        check_frozen_members(checker, NULL, spec, json_get(old, "spec"), frozen, ARRAY_LEN(frozen));
        if (!is_same_member(spec, json_get(old, "spec"), "volumeAttributesClassName"))
                check_claim_class(checker, object, old);
}

static bool check_claim_amount(struct checker *checker, const struct at *at, struct slice amount) {
        int64_t units = 0;

        if (quantity_value(amount, &units, NULL) < 0 || units >= 0)
                return true;
        report_number(checker, at, NULL, units, "must be a valid resource quantity");
        return false;
}

/* "storage", and names in a domain that is not Kubernetes' own. */
static bool check_claim_resource(struct checker *checker, const struct at *at, struct slice name) {
        static const char *const own[] = { "storage", NULL };
        bool is_native = !slice_contains(name, SLICE_LITERAL("/")) ||
                         slice_contains(name, SLICE_LITERAL("kubernetes.io/"));

        if (!check_form(checker, at, name, FORM_QUALIFIED))
                return false;
        if (!is_native || slice_is(name, "storage"))
                return true;
        report_choice(checker, at, NULL, quoted(checker, name), own);
        return false;
}

static void check_resize_statuses(struct checker *checker, const struct at *at,
                                  const struct json_node *statuses) {
        static const char *const known[] = {
                "ControllerResizeInProgress", "ControllerResizeInfeasible", "NodeResizeInProgress",
                "NodeResizeInfeasible",       "NodeResizePending",          NULL,
        };
        struct node_iter iter = node_iter(statuses);
        struct json_node *state;
        struct slice name;

        while (node_next(&iter, &name, &state)) {
                bool is_known = false;

                check_claim_resource(checker, at, name);
                for (size_t i = 0; known[i]; i++)
                        is_known |= slice_is(node_get_slice(state), known[i]);
                if (!is_known)
                        report_choice(checker, at, NULL, quoted(checker, name), known);
        }
}

static void check_claim_status(struct checker *checker, const struct json_node *status) {
        struct at at = at_root("status"), capacity = at_member(&at, "capacity");
        struct at statuses = at_member(&at, "allocatedResourceStatuses");
        struct at allocated = at_member(&at, "allocatedResources");
        struct node_iter iter = node_iter(node_get(status, "capacity"));
        struct json_node *amount;
        struct slice name;

        while (node_next(&iter, &name, &amount)) {
                struct at place = at_key(&capacity, name);

                check_claim_amount(checker, &place, node_get_slice(amount));
        }
        check_resize_statuses(checker, &statuses, node_get(status, "allocatedResourceStatuses"));
        iter = node_iter(node_get(status, "allocatedResources"));
        while (node_next(&iter, &name, &amount)) {
                struct at place = at_key(&allocated, name);

                if (check_claim_resource(checker, &allocated, name))
                        check_claim_amount(checker, &place, node_get_slice(amount));
        }
}

VALIDATE_HOOK(persistent_volume_claim_validate) {
        struct checker checker = { .errors = errors, .context = context };
        struct at at = at_root("spec");

        if (operation == KIND_UPDATE_STATUS) {
                check_claim_status(&checker, node_get(object, "status"));
                return;
        }
        check_volume_claim_spec(&checker, &at, node_get(object, "spec"));
        if (operation == KIND_UPDATE)
                check_claim_update(&checker, object, old);
}
