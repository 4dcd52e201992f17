/* Validation of claims of persistent volumes. */
#include "kinds/volume_claim.h"
#include "kinds/volume_rules.h"

#include "api/quantity.h"
#include "base/util.h"

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

/* A claim that has had a group of a source may have any: it may be from before they were checked.
 */
OWN_RULE(rule_source_kind) {
        struct slice group = node_get_text(value, "apiGroup"), kind = node_get_text(value, "kind");
        struct at place = at_member(at, "apiGroup");

        (void)rule;
        if (group.len && !checker->had_source_group)
                check_form(checker, &place, group, FORM_SUBDOMAIN);
        else if (!group.len && !slice_is(kind, "PersistentVolumeClaim"))
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
        report_choice(checker, at, NULL, quoted_json(checker, name), own);
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
                        report_choice(checker, at, NULL, quoted_json(checker, name), known);
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

static bool had_group(const struct json *old) {
        const struct json *spec = json_get(old, "spec");

        return json_get(json_get(spec, "dataSource"), "apiGroup") ||
               json_get(json_get(spec, "dataSourceRef"), "apiGroup");
}

VALIDATE_HOOK(persistent_volume_claim_validate) {
        struct checker checker = { .errors = errors,
                                   .context = context,
                                   .had_source_group = had_group(old) };
        struct at at = at_root("spec");

        if (operation == KIND_UPDATE_STATUS) {
                check_claim_status(&checker, node_get(object, "status"));
                return;
        }
        check_volume_claim_spec(&checker, &at, node_get(object, "spec"));
        if (operation == KIND_UPDATE)
                check_claim_update(&checker, object, old);
}
