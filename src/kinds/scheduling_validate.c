/* Validation of what decides where a pod may run: tolerations, affinity, spreading, gates. */
#include "kinds/check.h"

#include "api/selector.h"
#include "base/arena.h"
#include "base/map.h"
#include "base/util.h"

/* ---- tolerations and taints ---- */

void check_taint_effect(struct checker *checker, const struct at *at, const struct json_node *owner,
                        bool is_optional) {
        static const char *const effects[] = { "NoSchedule", "PreferNoSchedule", "NoExecute",
                                               NULL };

        if (!is_optional && !check_required(checker, at, owner, "effect"))
                return;
        check_choice(checker, at, owner, "effect", effects);
}

static void check_toleration_operator(struct checker *checker, const struct at *at,
                                      const struct json_node *toleration) {
        static const char *const operators[] = { "Equal", "Exists", NULL };
        static const char *const compared[] = { "Equal", "Exists", "Lt", "Gt", NULL };
        struct slice operation = node_get_text(toleration, "operator");
        struct slice value = node_get_text(toleration, "value");

        if (slice_is(operation, "Exists")) {
                if (value.len)
                        report_text(checker, at, "operator", value,
                                    "value must be empty when `operator` is 'Exists'");
        } else if (operation.len == 0 || slice_is(operation, "Equal")) {
                check_joined_value(checker, at, "operator", value);
        } else {
                bool is_compared = slice_is(operation, "Lt") || slice_is(operation, "Gt");

                report_choice(checker, at, "operator", quoted_json(checker, operation),
                              is_compared ? compared : operators);
        }
}

void check_tolerations(struct checker *checker, const struct at *at,
                       const struct json_node *tolerations) {
        for (size_t i = 0; i < node_count(tolerations); i++) {
                const struct json_node *toleration = node_at(tolerations, i);
                struct slice key = node_get_text(toleration, "key");
                struct slice operation = node_get_text(toleration, "operator");
                struct slice effect = node_get_text(toleration, "effect");
                struct at place = at_index(at, i);

                if (key.len)
                        check_label_key(checker, &place, "key", key);
                else if (!slice_is(operation, "Exists"))
                        report_text(checker, &place, "operator", operation,
                                    "operator must be Exists when `key` is empty, which means "
                                    "\"match all values and all keys\"");
                if (node_get(toleration, "tolerationSeconds") && !slice_is(effect, "NoExecute"))
                        report_text(checker, &place, "effect", effect,
                                    "effect must be 'NoExecute' when `tolerationSeconds` is set");
                check_toleration_operator(checker, &place, toleration);
                check_taint_effect(checker, &place, toleration, true);
        }
}

/* ---- node affinity ---- */

static void check_node_requirement(struct checker *checker, const struct at *at,
                                   const struct json_node *requirement) {
        struct slice operation = node_get_text(requirement, "operator");
        size_t count = node_count(node_get(requirement, "values"));

        if (slice_is(operation, "In") || slice_is(operation, "NotIn")) {
                if (count == 0)
                        report(checker, FIELD_REQUIRED, at, "values", NULL,
                               "must be specified when `operator` is 'In' or 'NotIn'");
        } else if (slice_is(operation, "Exists") || slice_is(operation, "DoesNotExist")) {
                if (count > 0)
                        report(checker, FIELD_FORBIDDEN, at, "values", NULL,
                               "may not be specified when `operator` is 'Exists' or "
                               "'DoesNotExist'");
        } else if (slice_is(operation, "Gt") || slice_is(operation, "Lt")) {
                if (count != 1)
                        report(checker, FIELD_REQUIRED, at, "values", NULL,
                               "must be specified single value when `operator` is 'Lt' or 'Gt'");
        } else {
                report_json_text(checker, at, "operator", operation,
                                 "not a valid selector operator");
        }
        check_label_key(checker, at, "key", node_get_text(requirement, "key"));
}

static void check_requirement_values(struct checker *checker, const struct at *at,
                                     const struct json_node *values) {
        for (size_t i = 0; i < node_count(values); i++) {
                struct slice value = node_get_slice(node_at(values, i));
                const char *problem = label_value_problem(value);
                struct at place = at_index(at, i);

                if (problem)
                        report_text(checker, &place, NULL, value, problem);
        }
}

static void check_field_requirement(struct checker *checker, const struct at *at,
                                    const struct json_node *requirement) {
        struct slice operation = node_get_text(requirement, "operator");
        struct slice key = node_get_text(requirement, "key");
        struct at list = at_member(at, "values");

        if (!slice_is(operation, "In") && !slice_is(operation, "NotIn"))
                report_json_text(checker, at, "operator", operation,
                                 "not a valid selector operator");
        else if (node_count(node_get(requirement, "values")) != 1)
                report(checker, FIELD_REQUIRED, at, "values", NULL,
                       "must be only one value when `operator` is 'In' or 'NotIn' for node field "
                       "selector");
        if (!slice_is(key, "metadata.name")) {
                report_text(checker, at, "key", key, "not a valid field selector key");
                return;
        }
        for (size_t i = 0; i < node_count(node_get(requirement, "values")); i++) {
                struct at place = at_index(&list, i);

                check_form(checker, &place,
                           node_get_slice(node_at(node_get(requirement, "values"), i)),
                           FORM_SUBDOMAIN);
        }
}

static void check_node_term(struct checker *checker, const struct at *at,
                            const struct json_node *term, bool is_required) {
        const struct json_node *expressions = node_get(term, "matchExpressions");
        const struct json_node *fields = node_get(term, "matchFields");
        struct at expression_list = at_member(at, "matchExpressions");
        struct at field_list = at_member(at, "matchFields");

        for (size_t i = 0; i < node_count(expressions); i++) {
                struct at place = at_index(&expression_list, i);
                struct at values = at_member(&place, "values");

                check_node_requirement(checker, &place, node_at(expressions, i));
                if (is_required)
                        check_requirement_values(checker, &values,
                                                 node_get(node_at(expressions, i), "values"));
        }
        for (size_t i = 0; i < node_count(fields); i++) {
                struct at place = at_index(&field_list, i);

                check_field_requirement(checker, &place, node_at(fields, i));
        }
}

void check_node_selection(struct checker *checker, const struct at *at,
                          const struct json_node *selector) {
        const struct json_node *terms = node_get(selector, "nodeSelectorTerms");
        struct at list = at_member(at, "nodeSelectorTerms");

        if (node_count(terms) == 0)
                report(checker, FIELD_REQUIRED, &list, NULL, NULL,
                       "must have at least one node selector term");
        for (size_t i = 0; i < node_count(terms); i++) {
                struct at place = at_index(&list, i);

                check_node_term(checker, &place, node_at(terms, i), true);
        }
}

static void check_weight(struct checker *checker, const struct at *at,
                         const struct json_node *term) {
        int64_t weight = node_get_i64(term, "weight", 0);

        if (weight < 1 || weight > 100)
                report_number(checker, at, "weight", weight, "must be in the range 1-100");
}

#define REQUIRED_TERMS "requiredDuringSchedulingIgnoredDuringExecution"
#define PREFERRED_TERMS "preferredDuringSchedulingIgnoredDuringExecution"

static void check_node_affinity(struct checker *checker, const struct at *at,
                                const struct json_node *affinity) {
        const struct json_node *required = node_get(affinity, REQUIRED_TERMS);
        const struct json_node *preferred = node_get(affinity, PREFERRED_TERMS);
        struct at selector = at_member(at, REQUIRED_TERMS);
        struct at preferred_list = at_member(at, PREFERRED_TERMS);

        if (required)
                check_node_selection(checker, &selector, required);
        for (size_t i = 0; i < node_count(preferred); i++) {
                struct at place = at_index(&preferred_list, i);
                struct at preference = at_member(&place, "preference");

                check_weight(checker, &place, node_at(preferred, i));
                check_node_term(checker, &preference, node_get(node_at(preferred, i), "preference"),
                                false);
        }
}

/* ---- keys whose values come from the pod ---- */

static void check_label_keys(struct checker *checker, const struct at *at,
                             const struct json_node *owner, const char *member) {
        const struct json_node *keys = node_get(owner, member);
        struct at list = at_member(at, member);

        if (node_count(keys) && !node_get(owner, "labelSelector")) {
                report(checker, FIELD_FORBIDDEN, &list, NULL, NULL,
                       "must not be specified when labelSelector is not set");
                return;
        }
        for (size_t i = 0; i < node_count(keys); i++) {
                struct at place = at_index(&list, i);

                check_label_key(checker, &place, NULL, node_get_slice(node_at(keys, i)));
        }
}

/* Index of a text in a list, of equal ones the last; SIZE_MAX = none */
static size_t last_index(const struct json_node *list, struct slice text) {
        for (size_t i = node_count(list); i > 0; i--)
                if (slice_eq(node_get_slice(node_at(list, i - 1)), text))
                        return i - 1;
        return SIZE_MAX;
}

/* Places of these are of the owner, as upstream's. */
static void check_selected_keys(struct checker *checker, const struct at *at,
                                const struct json_node *owner) {
        const struct json_node *selector = node_get(owner, "labelSelector");
        const struct json_node *expressions = node_get(selector, "matchExpressions");
        struct node_iter iter = node_iter(node_get(selector, "matchLabels"));
        CLEANUP(text_set_release) struct text_set seen = { 0 };
        struct slice key;

        while (node_next(&iter, &key, NULL))
                text_set_add(&seen, key);
        for (size_t i = 0; i < node_count(expressions); i++) {
                struct slice wanted = node_get_text(node_at(expressions, i), "key");
                size_t index = last_index(node_get(owner, "matchLabelKeys"), wanted);
                struct at place = at_index(at, index);

                if (!text_set_add(&seen, wanted) && index != SIZE_MAX)
                        report_text(checker, &place, NULL, wanted,
                                    "exists in both matchLabelKeys and labelSelector");
        }
}

static void check_match_keys(struct checker *checker, const struct at *at,
                             const struct json_node *owner) {
        const struct json_node *keys = node_get(owner, "matchLabelKeys");
        const struct json_node *others = node_get(owner, "mismatchLabelKeys");
        struct at list = at_member(at, "matchLabelKeys");

        check_label_keys(checker, at, owner, "matchLabelKeys");
        check_label_keys(checker, at, owner, "mismatchLabelKeys");
        check_selected_keys(checker, at, owner);
        for (size_t i = 0; i < node_count(keys); i++) {
                struct slice key = node_get_slice(node_at(keys, i));
                struct at place = at_index(&list, i);

                if (last_index(others, key) != SIZE_MAX)
                        report_text(checker, &place, NULL, key,
                                    "exists in both matchLabelKeys and mismatchLabelKeys");
        }
}

/* ---- pod affinity ---- */

static void check_pod_term(struct checker *checker, const struct at *at,
                           const struct json_node *term) {
        const struct json_node *namespaces = node_get(term, "namespaces");
        struct at selector = at_member(at, "labelSelector");
        struct at namespace_selector = at_member(at, "namespaceSelector");
        struct slice topology = node_get_text(term, "topologyKey");

        check_label_selector(checker, &selector, node_get(term, "labelSelector"));
        check_label_selector(checker, &namespace_selector, node_get(term, "namespaceSelector"));
        for (size_t i = 0; i < node_count(namespaces); i++) {
                struct slice name = node_get_slice(node_at(namespaces, i));
                const char *problem = name_problem(NAME_LABEL, name, false);

                if (problem)
                        report_text(checker, at, "namespace", name, problem);
        }
        check_match_keys(checker, at, term);
        if (topology.len == 0)
                report(checker, FIELD_REQUIRED, at, "topologyKey", NULL, "can not be empty");
        check_label_key(checker, at, "topologyKey", topology);
}

static void check_pod_affinity(struct checker *checker, const struct at *at,
                               const struct json_node *affinity) {
        const struct json_node *required = node_get(affinity, REQUIRED_TERMS);
        const struct json_node *preferred = node_get(affinity, PREFERRED_TERMS);
        struct at required_list = at_member(at, REQUIRED_TERMS);
        struct at preferred_list = at_member(at, PREFERRED_TERMS);

        for (size_t i = 0; i < node_count(required); i++) {
                struct at place = at_index(&required_list, i);

                check_pod_term(checker, &place, node_at(required, i));
        }
        for (size_t i = 0; i < node_count(preferred); i++) {
                struct at place = at_index(&preferred_list, i);
                struct at term = at_member(&place, "podAffinityTerm");

                check_weight(checker, &place, node_at(preferred, i));
                check_pod_term(checker, &term, node_get(node_at(preferred, i), "podAffinityTerm"));
        }
}

void check_affinity(struct checker *checker, const struct at *at,
                    const struct json_node *affinity) {
        struct at node = at_member(at, "nodeAffinity"), pod = at_member(at, "podAffinity");
        struct at anti = at_member(at, "podAntiAffinity");

        check_node_affinity(checker, &node, node_get(affinity, "nodeAffinity"));
        check_pod_affinity(checker, &pod, node_get(affinity, "podAffinity"));
        check_pod_affinity(checker, &anti, node_get(affinity, "podAntiAffinity"));
}

/* ---- spreading ---- */

static void check_min_domains(struct checker *checker, const struct at *at,
                              const struct json_node *constraint) {
        struct slice action = node_get_text(constraint, "whenUnsatisfiable");
        int64_t count = node_get_i64(constraint, "minDomains", 0);

        if (!node_get(constraint, "minDomains"))
                return;
        if (count <= 0)
                report_number(checker, at, "minDomains", count, "must be greater than zero");
        if (!slice_is(action, "DoNotSchedule"))
                report_number(checker, at, "minDomains", count,
                              message_of(checker,
                                         "can only use minDomains if "
                                         "whenUnsatisfiable=DoNotSchedule, not " SLICE_FMT,
                                         SLICE_ARG(action)));
}

static struct slice spread_pair(struct checker *checker, const struct json_node *constraint) {
        return pair_text(checker, node_get_text(constraint, "topologyKey"),
                         node_get_text(constraint, "whenUnsatisfiable"));
}

/* Of equal constraints all but the last are repeated. */
static bool *repeated_constraints(struct checker *checker, const struct json_node *constraints) {
        size_t count = node_count(constraints);
        bool *is_repeated = ARENA_ARRAY(checker->errors->arena, bool, count + 1);
        struct node_iter iter = node_iter(constraints);
        struct map *seen = count ? map_new() : NULL;
        struct json_node *constraint;

        for (size_t i = 0; node_next(&iter, NULL, &constraint); i++) {
                bool *before = map_put(seen, spread_pair(checker, constraint), &is_repeated[i]);

                is_repeated[i] = false;
                if (before)
                        *before = true;
        }
        map_free(seen);
        return is_repeated;
}

/* A policy that is given must be one of them, even if it is empty. */
static void check_inclusion(struct checker *checker, const struct at *at,
                            const struct json_node *constraint, const char *member) {
        static const char *const policies[] = { "Honor", "Ignore", NULL };

        if (node_get(constraint, member) && node_get_text(constraint, member).len == 0)
                report_choice(checker, at, member, "\"\"", policies);
        else
                check_choice(checker, at, constraint, member, policies);
}

void check_topology_spread(struct checker *checker, const struct at *at,
                           const struct json_node *constraints) {
        static const char *const actions[] = { "DoNotSchedule", "ScheduleAnyway", NULL };
        const bool *is_repeated = repeated_constraints(checker, constraints);

        for (size_t i = 0; i < node_count(constraints); i++) {
                const struct json_node *constraint = node_at(constraints, i);
                struct slice topology = node_get_text(constraint, "topologyKey");
                struct slice action = node_get_text(constraint, "whenUnsatisfiable");
                struct at place = at_index(at, i), selector = at_member(&place, "labelSelector");
                int64_t skew = node_get_i64(constraint, "maxSkew", 0);

                if (skew <= 0)
                        report_number(checker, &place, "maxSkew", skew,
                                      "must be greater than zero");
                if (topology.len == 0)
                        report(checker, FIELD_REQUIRED, &place, "topologyKey", NULL,
                               "can not be empty");
                if (action.len == 0)
                        report_choice(checker, &place, "whenUnsatisfiable", "\"\"", actions);
                else
                        check_choice(checker, &place, constraint, "whenUnsatisfiable", actions);
                if (is_repeated[i])
                        report(checker, FIELD_DUPLICATE, &place, "{topologyKey, whenUnsatisfiable}",
                               message_of(checker, "\"{" SLICE_FMT ", " SLICE_FMT "}\"",
                                          SLICE_ARG(topology), SLICE_ARG(action)),
                               NULL);
                check_min_domains(checker, &place, constraint);
                check_inclusion(checker, &place, constraint, "nodeAffinityPolicy");
                check_inclusion(checker, &place, constraint, "nodeTaintsPolicy");
                check_match_keys(checker, &place, constraint);
                check_label_selector(checker, &selector, node_get(constraint, "labelSelector"));
        }
}

/* ---- gates ---- */

void check_scheduling_gates(struct checker *checker, const struct at *at,
                            const struct json_node *gates) {
        CLEANUP(text_set_release) struct text_set names = { 0 };

        for (size_t i = 0; i < node_count(gates); i++) {
                struct slice name = node_get_text(node_at(gates, i), "name");
                struct at place = at_index(at, i);

                check_label_key(checker, &place, NULL, name);
                if (!text_set_add(&names, name))
                        report(checker, FIELD_DUPLICATE, &place, NULL, quoted(checker, name), NULL);
        }
}
