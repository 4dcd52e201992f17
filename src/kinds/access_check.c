/* Validation of access reviews, in upstream's order, and how far their selectors can be read. */
#include "kinds/access_check.h"

#include "api/selector.h"
#include "base/util.h"

/* ---- selectors ---- */

enum operators { OPERATOR_LIST, OPERATOR_BARE, OPERATOR_UNKNOWN };

static enum operators operator_of(const struct json_node *requirement) {
        struct slice name = node_get_text(requirement, "operator");

        if (slice_is(name, "In") || slice_is(name, "NotIn"))
                return OPERATOR_LIST;
        return slice_is(name, "Exists") || slice_is(name, "DoesNotExist") ? OPERATOR_BARE
                                                                          : OPERATOR_UNKNOWN;
}

/* Operators that a newer client may know pass. */
static void check_requirement(struct checker *checker, const struct at *at,
                              const struct json_node *requirement, bool of_labels) {
        const struct json_node *values = node_get(requirement, "values");
        struct at list = at_member(at, "values");

        if (!of_labels && node_get_text(requirement, "key").len == 0)
                report(checker, FIELD_REQUIRED, at, "key", NULL, "must be specified");
        check_operator_values(checker, at, requirement);
        if (of_labels)
                check_label_key(checker, at, "key", node_get_text(requirement, "key"));
        for (size_t i = 0; of_labels && i < node_count(values); i++) {
                struct at place = at_index(&list, i);

                check_form(checker, &place, node_get_slice(node_at(values, i)), FORM_VALUE);
        }
}

static void check_selector(struct checker *checker, const struct at *up,
                           const struct json_node *attributes, const char *member, bool of_labels) {
        const struct json_node *selector = node_get(attributes, member);
        const struct json_node *requirements = node_get(selector, "requirements");
        struct slice raw = node_get_text(selector, "rawSelector");
        struct at at = at_member(up, member), list = at_member(&at, "requirements");

        if (!selector)
                return;
        if (raw.len && node_count(requirements))
                report_text(checker, &at, "rawSelector", raw,
                            "may not specified at the same time as requirements");
        if (raw.len == 0 && node_count(requirements) == 0)
                report(checker, FIELD_REQUIRED, &at, "requirements", NULL,
                       message_of(checker,
                                  "when %s is specified, requirements or rawSelector is required",
                                  at_text(checker, &at)));
        for (size_t i = 0; i < node_count(requirements); i++) {
                struct at place = at_index(&list, i);

                check_requirement(checker, &place, node_at(requirements, i), of_labels);
        }
}

static bool can_use_requirement(const struct json_node *requirement, bool of_labels) {
        size_t count = node_count(node_get(requirement, "values"));

        if (of_labels)
                return operator_of(requirement) != OPERATOR_UNKNOWN;
        return operator_of(requirement) == OPERATOR_LIST && count == 1;
}

static const char *selector_problem(struct checker *checker, const struct json_node *attributes,
                                    const char *member, bool of_labels) {
        const struct json_node *selector = node_get(attributes, member);
        const struct json_node *requirements = node_get(selector, "requirements");
        struct slice raw = node_get_text(selector, "rawSelector");
        struct field_selector fields;
        struct selector labels;
        struct err err = { 0 };
        size_t usable = 0, count = node_count(requirements);
        bool is_bad =
                raw.len &&
                (of_labels ? selector_parse(raw, checker->errors->arena, &labels, &err)
                           : field_selector_parse(raw, checker->errors->arena, &fields, &err)) < 0;

        for (size_t i = 0; i < count; i++)
                if (can_use_requirement(node_at(requirements, i), of_labels))
                        usable++;
        if (!is_bad && usable == count)
                return "";
        return message_of(checker, "spec.resourceAttributes.%s %signored due to parse error",
                          member, usable ? "partially " : "");
}

const char *access_selector_problems(struct checker *checker, const struct json_node *attributes) {
        const char *fields = selector_problem(checker, attributes, "fieldSelector", false);
        const char *labels = selector_problem(checker, attributes, "labelSelector", true);

        return message_of(checker, "%s%s%s", fields, *fields && *labels ? "; " : "", labels);
}

/* ---- reviews ---- */

/* True when nothing but the namespace is set, in reviews that may have one. */
static bool is_bare_metadata(const struct json_node *metadata, bool with_namespace) {
        struct node_iter iter = node_iter(metadata);
        struct slice key;

        while (node_next(&iter, &key, NULL))
                if (!slice_is(key, "managedFields") &&
                    !(with_namespace && slice_is(key, "namespace")))
                        return false;
        return true;
}

void check_access_review(struct checker *checker, const struct json_node *object,
                         enum access_check_kind kind) {
        const struct json_node *spec = node_get(object, "spec");
        const struct json_node *metadata = node_get(object, "metadata");
        const struct json_node *resource = node_get(spec, "resourceAttributes");
        const struct json_node *path = node_get(spec, "nonResourceAttributes");
        struct slice asked = node_get_text(resource, "namespace");
        struct at at = at_root("spec"), attributes = at_member(&at, "resourceAttributes");
        struct at meta = at_root("metadata");

        if (resource && path)
                report(checker, FIELD_INVALID, &at, "nonResourceAttributes",
                       node_json(checker, path),
                       "cannot be specified in combination with resourceAttributes");
        if (!resource && !path)
                report(checker, FIELD_INVALID, &at, "resourceAttributes", "null",
                       "exactly one of nonResourceAttributes or resourceAttributes must be "
                       "specified");
        if (kind != ACCESS_SELF && node_get_text(spec, "user").len == 0 &&
            node_count(node_get(spec, "groups")) == 0)
                report_text(checker, &at, "user", SLICE_EMPTY,
                            "at least one of user or group must be specified");
        check_selector(checker, &attributes, resource, "fieldSelector", false);
        check_selector(checker, &attributes, resource, "labelSelector", true);
        if (!is_bare_metadata(metadata, kind == ACCESS_LOCAL))
                report(checker, FIELD_INVALID, &meta, NULL, node_json(checker, metadata),
                       kind == ACCESS_LOCAL ? "must be empty except for namespace"
                                            : "must be empty");
        if (kind != ACCESS_LOCAL)
                return;
        if (resource && !slice_eq(node_get_text(metadata, "namespace"), asked))
                report_text(checker, &attributes, "namespace", asked,
                            "must match metadata.namespace");
        if (path)
                report(checker, FIELD_INVALID, &at, "nonResourceAttributes",
                       node_json(checker, path), "disallowed on this kind of request");
}
