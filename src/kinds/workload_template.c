/* Selectors and pod templates of workloads. */
#include "kinds/workload_check.h"

#include "api/selector.h"
#include "base/util.h"

static bool has_value(const struct json_node *values, struct slice value) {
        for (size_t i = 0; i < node_count(values); i++)
                if (slice_eq(node_get_slice(node_at(values, i)), value))
                        return true;
        return false;
}

static bool matches_expression(const struct json_node *requirement,
                               const struct json_node *labels) {
        const struct json_node *label = node_find(labels, node_get_text(requirement, "key"));
        struct slice operation = node_get_text(requirement, "operator");

        if (slice_is(operation, "Exists"))
                return label;
        if (slice_is(operation, "DoesNotExist"))
                return !label;
        if (slice_is(operation, "In"))
                return label && has_value(node_get(requirement, "values"), node_get_slice(label));
        return !label || !has_value(node_get(requirement, "values"), node_get_slice(label));
}

bool matches_labels(const struct json_node *selector, const struct json_node *labels) {
        struct node_iter iter = node_iter(node_get(selector, "matchLabels"));
        struct json_node *value, *requirement;
        struct slice key;

        if (!selector)
                return false;
        while (node_next(&iter, &key, &value))
                if (!node_equal(node_find(labels, key), value))
                        return false;
        iter = node_iter(node_get(selector, "matchExpressions"));
        while (node_next(&iter, NULL, &requirement))
                if (!matches_expression(requirement, labels))
                        return false;
        return true;
}

static bool is_valid_requirement(const struct json_node *requirement) {
        struct slice operation = node_get_text(requirement, "operator");
        const struct json_node *values = node_get(requirement, "values");
        bool needs_values = slice_is(operation, "In") || slice_is(operation, "NotIn");

        if (!needs_values && !slice_is(operation, "Exists") && !slice_is(operation, "DoesNotExist"))
                return false;
        for (size_t i = 0; i < node_count(values); i++)
                if (label_value_problem(node_get_slice(node_at(values, i))))
                        return false;
        return (node_count(values) > 0) == needs_values &&
               !label_key_problem(node_get_text(requirement, "key"));
}

bool is_valid_selector(const struct json_node *selector) {
        const struct json_node *list = node_get(selector, "matchExpressions");
        struct node_iter iter = node_iter(node_get(selector, "matchLabels"));
        struct json_node *value;
        struct slice key;

        while (node_next(&iter, &key, &value))
                if (label_key_problem(key) || label_value_problem(node_get_slice(value)))
                        return false;
        for (size_t i = 0; i < node_count(list); i++)
                if (!is_valid_requirement(node_at(list, i)))
                        return false;
        return true;
}

bool is_empty_selector(const struct json_node *selector) {
        return selector && node_count(node_get(selector, "matchLabels")) == 0 &&
               node_count(node_get(selector, "matchExpressions")) == 0;
}

void check_template_match(struct checker *checker, const struct at *at,
                          const struct json_node *spec, const struct json_node *selector) {
        const struct json_node *labels =
                node_get(node_get(node_get(spec, "template"), "metadata"), "labels");
        struct at template = at_member(at, "template"), metadata = at_member(&template, "metadata");

        if (!matches_labels(selector, labels))
                report(checker, FIELD_INVALID, &metadata, "labels", node_json(checker, labels),
                       "`selector` does not match template `labels`");
}

void check_template_names(struct checker *checker, const struct at *at,
                          const struct json_node *template) {
        const struct json_node *metadata = node_get(template, "metadata");
        struct node_iter iter = node_iter(node_get(metadata, "annotations"));
        struct at labels = at_member(at, "labels"), annotations = at_member(at, "annotations");
        struct slice key;

        check_label_map(checker, &labels, node_get(metadata, "labels"));
        while (node_next(&iter, &key, NULL))
                if (label_key_problem(lower_text(checker, key)))
                        report_text(checker, &annotations, NULL, key,
                                    label_key_problem(lower_text(checker, key)));
        check_pod_annotations(checker, &annotations, template);
}

void check_pod_template(struct checker *checker, const struct at *at,
                        const struct json_node *template) {
        struct at spec = at_member(at, "spec");

        check_template_names(checker, at, template);
        check_pod_spec(checker, &spec, node_get(template, "spec"));
        check_old_profiles(checker, &spec, template);
        if (node_count(node_get(node_get(template, "spec"), "ephemeralContainers")) > 0)
                report(checker, FIELD_FORBIDDEN, &spec, "ephemeralContainers", NULL,
                       "ephemeral containers not allowed in pod template");
}

void check_template(struct checker *checker, const struct at *at, const struct json_node *owner) {
        struct at place = at_member(at, "template");

        check_pod_template(checker, &place, node_get(owner, "template"));
}

void check_endless(struct checker *checker, const struct at *at, const struct json_node *spec,
                   const char *kind) {
        static const char *const always[] = { "Always", NULL };
        const struct json_node *pod = node_get(node_get(spec, "template"), "spec");
        struct at template = at_member(at, "template"), place = at_member(&template, "spec");

        if (!slice_is(node_get_text(pod, "restartPolicy"), "Always"))
                report_choice(checker, &place, "restartPolicy",
                              quoted_json(checker, node_get_text(pod, "restartPolicy")), always);
        if (node_get(pod, "activeDeadlineSeconds"))
                report(checker, FIELD_FORBIDDEN, &place, "activeDeadlineSeconds", NULL,
                       message_of(checker, "activeDeadlineSeconds in %s is not Supported", kind));
}

void check_selector(struct checker *checker, const struct at *at, const struct json_node *spec,
                    const char *kind) {
        const struct json_node *selector = object_at(spec, "selector");
        struct at place = at_member(at, "selector");

        if (!selector) {
                report(checker, FIELD_REQUIRED, &place, NULL, NULL, NULL);
                return;
        }
        check_label_selector(checker, &place, selector);
        if (is_empty_selector(selector))
                report(checker, FIELD_INVALID, &place, NULL, node_json(checker, selector),
                       message_of(checker, "empty selector is invalid for %s", kind));
}

void check_selected_template(struct checker *checker, const struct at *at,
                             const struct json_node *spec, const char *kind) {
        const struct json_node *selector = object_at(spec, "selector");
        struct at place = at_member(at, "selector");

        if (!is_valid_selector(selector)) {
                report(checker, FIELD_INVALID, &place, NULL, node_json(checker, selector),
                       "invalid label selector");
                return;
        }
        if (!is_empty_selector(selector))
                check_template_match(checker, at, spec, selector);
        check_template(checker, at, spec);
        check_endless(checker, at, spec, kind);
}

void check_selector_immutable(struct checker *checker, enum kind_operation operation,
                              const struct at *at, const struct json_node *spec,
                              const struct json *old) {
        if (operation == KIND_UPDATE)
                check_immutable(checker, at, spec, json_get(old, "spec"), "selector");
}
