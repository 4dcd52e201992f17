/* Validation of the smaller groups: budgets, leases, priorities, RBAC, storage, autoscaling. */
#include "kinds/pod_check.h"

#include "base/arena.h"
#include "base/util.h"

/* ---- policy ---- */

static const struct rule budget_status_rules[] = {
        { "conditions", rule_conditions },       { "disruptionsAllowed", rule_not_negative },
        { "currentHealthy", rule_not_negative }, { "desiredHealthy", rule_not_negative },
        { "expectedPods", rule_not_negative },   RULES_END,
};

VALIDATE_HOOK(pod_disruption_budget_validate) {
        static const char *const policies[] = { "AlwaysAllow", "IfHealthyBudget", NULL };
        struct checker checker = { .errors = errors, .context = context };
        const struct json_node *spec = node_get(object, "spec");
        const struct json_node *least = node_get(spec, "minAvailable");
        const struct json_node *most = node_get(spec, "maxUnavailable");
        struct at at = at_root("spec"), selector = at_member(&at, "selector");

        (void)old;
        if (operation == KIND_UPDATE_STATUS) {
                struct at status = at_root("status");

                check_rules(&checker, &status, node_get(object, "status"), budget_status_rules);
                return;
        }
        if (least && most)
                report(&checker, FIELD_INVALID, &at, NULL, node_json(&checker, spec),
                       "minAvailable and maxUnavailable cannot be both set");
        check_int_or_percent(&checker, &at, spec, "minAvailable", true);
        check_int_or_percent(&checker, &at, spec, "maxUnavailable", true);
        check_label_selector(&checker, &selector, node_get(spec, "selector"));
        if (node_get(spec, "unhealthyPodEvictionPolicy")) /* an empty one is one, too */
                check_rules(&checker, &at, spec,
                            (const struct rule[]){ { "unhealthyPodEvictionPolicy", rule_choice,
                                                     RULE_PRESENT, .data = policies },
                                                   RULES_END });
}

/* ---- coordination, scheduling ---- */

VALIDATE_HOOK(lease_validate) {
        static const char *const strategies[] = { "OldestEmulationVersion", NULL };
        struct checker checker = { .errors = errors, .context = context };
        const struct json_node *spec = node_get(object, "spec");
        int64_t duration_s = node_get_i64(spec, "leaseDurationSeconds", 0);
        struct at at = at_root("spec");

        (void)operation, (void)old;
        if (node_get(spec, "leaseDurationSeconds") && duration_s <= 0)
                report_number(&checker, &at, "leaseDurationSeconds", duration_s,
                              "must be greater than 0");
        check_not_negative(&checker, &at, spec, "leaseTransitions");
        check_choice(&checker, &at, spec, "strategy", strategies);
        if (node_get_text(spec, "preferredHolder").len && node_get_text(spec, "strategy").len == 0)
                report(&checker, FIELD_FORBIDDEN, &at, "preferredHolder", NULL,
                       "may only be specified if `strategy` is defined");
}

#define USER_PRIORITY_MAX 1000000000

/* The two classes that only the system may have. */
static bool is_system_class(struct slice name, int64_t value) {
        return (slice_is(name, "system-node-critical") && value == 2000001000) ||
               (slice_is(name, "system-cluster-critical") && value == 2000000000);
}

VALIDATE_HOOK(priority_class_validate) {
        static const char *const policies[] = { "PreemptLowerPriority", "Never", NULL };
        struct checker checker = { .errors = errors, .context = context };
        struct slice name = node_get_text(node_get(object, "metadata"), "name");
        int64_t value = node_get_i64(object, "value", 0);
        struct at metadata = at_root("metadata"), at = at_root("value");
        struct at policy = at_root("preemptionPolicy");

        (void)policy;
        if (operation != KIND_CREATE) {
                if (value != json_get_i64(old, "value", 0))
                        report(&checker, FIELD_FORBIDDEN, &at, NULL, NULL,
                               "may not be changed in an update.");
                check_immutable(&checker, NULL, object, old, "preemptionPolicy");
                return;
        }
        if (slice_has_prefix(name, SLICE_LITERAL("system-"))) {
                if (!is_system_class(name, value))
                        report(&checker, FIELD_FORBIDDEN, &metadata, "name", NULL,
                               message_of(&checker,
                                          "priority class names with 'system-' prefix are reserved "
                                          "for system use only. error: " SLICE_FMT
                                          " is not a known system priority class",
                                          SLICE_ARG(name)));
        } else if (value > USER_PRIORITY_MAX) {
                report(&checker, FIELD_FORBIDDEN, &at, NULL, NULL,
                       "maximum allowed value of a user defined priority is 1000000000");
        }
        if (!node_get(object, "preemptionPolicy") ||
            check_required(&checker, NULL, object, "preemptionPolicy"))
                check_choice(&checker, NULL, object, "preemptionPolicy", policies);
}

/* ---- RBAC ---- */

static void require_list(struct checker *checker, const struct at *at, const struct json_node *rule,
                         const char *member, const char *text) {
        if (node_count(node_get(rule, member)) == 0)
                report(checker, FIELD_REQUIRED, at, member, NULL, text);
}

static void check_role_rule(struct checker *checker, const struct at *at,
                            const struct json_node *rule, bool is_namespaced) {
        bool has_paths = node_count(node_get(rule, "nonResourceURLs")) > 0;

        require_list(checker, at, rule, "verbs", "verbs must contain at least one value");
        if (!has_paths) {
                require_list(checker, at, rule, "apiGroups",
                             "resource rules must supply at least one api group");
                require_list(checker, at, rule, "resources",
                             "resource rules must supply at least one resource");
                return;
        }
        if (is_namespaced)
                report(checker, FIELD_INVALID, at, "nonResourceURLs",
                       node_json(checker, node_get(rule, "nonResourceURLs")),
                       "namespaced rules cannot apply to non-resource URLs");
        if (node_count(node_get(rule, "apiGroups")) > 0 ||
            node_count(node_get(rule, "resources")) > 0 ||
            node_count(node_get(rule, "resourceNames")) > 0)
                report(checker, FIELD_INVALID, at, "nonResourceURLs",
                       node_json(checker, node_get(rule, "nonResourceURLs")),
                       "rules cannot apply to both regular resources and non-resource URLs");
}

static void check_role_rules(struct checker *checker, const struct json_node *role,
                             bool is_namespaced) {
        const struct json_node *rules = node_get(role, "rules");
        struct at list = at_root("rules");

        for (size_t i = 0; i < node_count(rules); i++) {
                struct at place = at_index(&list, i);

                check_role_rule(checker, &place, node_at(rules, i), is_namespaced);
        }
}

VALIDATE_HOOK(role_validate) {
        struct checker checker = { .errors = errors, .context = context };

        (void)operation, (void)old;
        check_role_rules(&checker, object, true);
}

static void check_aggregation(struct checker *checker, const struct json_node *aggregation) {
        const struct json_node *selectors = node_get(aggregation, "clusterRoleSelectors");
        struct at at = at_root("aggregationRule"), list = at_member(&at, "clusterRoleSelectors");

        if (aggregation && node_count(selectors) == 0)
                report(checker, FIELD_REQUIRED, &list, NULL, NULL,
                       "at least one clusterRoleSelector required if aggregationRule is non-nil");
        for (size_t i = 0; i < node_count(selectors); i++) {
                struct at place = at_index(&list, i);
                size_t before = checker->errors->count;

                check_label_selector(checker, &place, node_at(selectors, i));
                if (checker->errors->count > before)
                        report(checker, FIELD_INVALID, &place, NULL, "null",
                               "invalid label selector.");
        }
}

VALIDATE_HOOK(cluster_role_validate) {
        struct checker checker = { .errors = errors, .context = context };

        (void)operation, (void)old;
        check_role_rules(&checker, object, false);
        check_aggregation(&checker, node_get(object, "aggregationRule"));
}

static void check_subject(struct checker *checker, const struct at *at,
                          const struct json_node *subject, bool is_namespaced) {
        static const char *const kinds[] = { "ServiceAccount", "User", "Group", NULL };
        static const char *const rbac[] = { "rbac.authorization.k8s.io", NULL };
        static const char *const core[] = { "", NULL };
        struct slice kind = node_get_text(subject, "kind"),
                     group = node_get_text(subject, "apiGroup");

        check_required(checker, at, subject, "name");
        if (slice_is(kind, "ServiceAccount")) {
                check_name(checker, at, subject, "name", NAME_SUBDOMAIN);
                if (group.len)
                        report_choice(checker, at, "apiGroup", quoted_json(checker, group), core);
                if (!is_namespaced)
                        check_required(checker, at, subject, "namespace");
        } else if (slice_is(kind, "User") || slice_is(kind, "Group")) {
                check_choice(checker, at, subject, "apiGroup", rbac);
        } else {
                report_choice(checker, at, "kind", quoted_json(checker, kind), kinds);
        }
}

static void check_binding(struct checker *checker, const struct json_node *binding,
                          const struct json *old, bool is_namespaced) {
        static const char *const groups[] = { "rbac.authorization.k8s.io", NULL };
        static const char *const any[] = { "Role", "ClusterRole", NULL };
        const struct json_node *role = node_get(binding, "roleRef");
        const struct json_node *subjects = node_get(binding, "subjects");
        struct at at = at_root("roleRef"), list = at_root("subjects");
        struct slice kind = node_get_text(role, "kind");

        check_choice(checker, &at, role, "apiGroup", groups);
        if (!slice_is(kind, "ClusterRole") && !(is_namespaced && slice_is(kind, "Role")))
                report_choice(checker, &at, "kind", quoted_json(checker, kind),
                              is_namespaced ? any : any + 1);
        if (check_required(checker, &at, role, "name") &&
            segment_problem(node_get_text(role, "name"), false))
                report_text(checker, &at, "name", node_get_text(role, "name"),
                            segment_problem(node_get_text(role, "name"), false));
        for (size_t i = 0; i < node_count(subjects); i++) {
                struct at place = at_index(&list, i);

                check_subject(checker, &place, node_at(subjects, i), is_namespaced);
        }
        if (old && !is_same_member(binding, old, "roleRef"))
                report(checker, FIELD_INVALID, &at, NULL, node_json(checker, role),
                       "cannot change roleRef");
}

VALIDATE_HOOK(role_binding_validate) {
        struct checker checker = { .errors = errors, .context = context };

        (void)operation;
        check_binding(&checker, object, old, true);
}

VALIDATE_HOOK(cluster_role_binding_validate) {
        struct checker checker = { .errors = errors, .context = context };

        (void)operation;
        check_binding(&checker, object, old, false);
}

/* ---- node ---- */

static void check_runtime_scheduling(struct checker *checker, const struct at *at,
                                     const struct json_node *scheduling) {
        const struct json_node *tolerations = node_get(scheduling, "tolerations");
        struct at selector = at_member(at, "nodeSelector"), list = at_member(at, "tolerations");
        CLEANUP(text_set_release) struct text_set seen = { 0 };

        check_label_map(checker, &selector, node_get(scheduling, "nodeSelector"));
        check_tolerations(checker, &list, tolerations);
        for (size_t i = 0; i < node_count(tolerations); i++) {
                struct at place = at_index(&list, i);

                if (!text_set_add(&seen, toleration_text(checker, node_at(tolerations, i))))
                        report(checker, FIELD_DUPLICATE, &place, NULL,
                               node_json(checker, node_at(tolerations, i)), NULL);
        }
}

/* Fixed costs, as limits of a container. */
static struct json_node *limits_of(struct json_tree *tree, const struct json_node *overhead) {
        struct json_node *resources = node_object(tree);

        if (node_get(overhead, "podFixed"))
                node_put(tree, resources, "limits",
                         node_clone(tree, node_get(overhead, "podFixed")));
        return resources;
}

VALIDATE_HOOK(runtime_class_validate) {
        static const struct rule rules[] = {
                { "handler", rule_form, RULE_REQUIRED, .low = FORM_LABEL },
                RULES_END,
        };
        struct checker checker = { .errors = errors, .context = context };
        struct at overhead = at_root("overhead"), scheduling = at_root("scheduling");
        struct at handler = at_root("handler");
        struct json_tree *tree = json_tree_new();

        (void)operation;
        check_rules(&checker, NULL, object, rules);
        check_resources(&checker, &overhead, limits_of(tree, node_get(object, "overhead")), NULL,
                        false);
        check_runtime_scheduling(&checker, &scheduling, node_get(object, "scheduling"));
        if (old && !is_same_member(object, old, "handler"))
                report_text(&checker, &handler, NULL, node_get_text(object, "handler"),
                            "field is immutable");
        json_tree_free(tree);
}
