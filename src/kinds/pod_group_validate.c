/* Validation of Workloads and PodGroups.  Upstream generates it from the types: a member that did
 * not change is not looked at again, one that did is looked at until something is wrong with it as
 * a whole, and only then inside. */
#include "kinds/rules.h"

#include "base/util.h"

#define TEMPLATES_MAX 8
#define CLAIMS_MAX 4
#define TOPOLOGY_MAX 1
#define PRIORITY_MAX 1000000000

/* ---- checks ---- */

/* data: the members of which there has to be exactly one. */
OWN_RULE(rule_union) {
        const char *const *members = rule->data;
        struct buf all = { 0 }, given = { 0 };
        size_t count = 0;

        for (size_t i = 0; members[i]; i++) {
                buf_printf(&all, "%s`%s`", i ? ", " : "", members[i]);
                if (node_type(node_get(value, members[i])) <= JSON_NULL)
                        continue;
                buf_printf(&given, "%s%s", count++ ? ", " : "", members[i]);
        }
        if (count == 0)
                report_text(checker, at, NULL, SLICE_EMPTY,
                            message_of(checker, "must specify one of: %s", all.data));
        if (count > 1)
                report_text(checker, at, NULL, slice_of(message_of(checker, "{%s}", given.data)),
                            message_of(checker, "must specify exactly one of: %s", all.data));
        buf_release(&all);
        buf_release(&given);
}

/* A number that zero stands for the absence of. */
OWN_RULE(rule_count) {
        int64_t number = 0;

        (void)rule;
        node_as_i64(value, &number);
        if (number == 0)
                report(checker, FIELD_REQUIRED, at, NULL, NULL, NULL);
        else if (number < 0)
                report_number(checker, at, NULL, number, "must be greater than or equal to 1");
}

/* low: enum text_form; generated validation measures in bytes. */
OWN_RULE(rule_own_form) {
        static const char unit[] = " characters", prefix[] = "must be no more than ";
        struct slice text = node_get_slice(value);
        struct text_problems problems =
                text_problems(checker->errors->arena, (enum text_form)rule->low, text);

        for (size_t i = 0; i < problems.count; i++) {
                struct slice problem = slice_of(problems.items[i]);

                if (slice_contains(problem, slice_of(prefix)) &&
                    slice_has_suffix(problem, slice_of(unit)))
                        problem.len -= strlen(unit);
                report_text(checker, at, NULL, text,
                            message_of(checker, SLICE_FMT "%s", SLICE_ARG(problem),
                                       problem.len < strlen(problems.items[i]) ? " bytes" : ""));
        }
}

/* ---- tables ---- */

static const struct rule gang_rules[] = {
        { "minCount", rule_count, .flags = RULE_ALWAYS },
        RULES_END,
};
static const char *const policies[] = { "basic", "gang", NULL };
static const struct rule policy_rules[] = {
        { NULL, rule_union, .data = policies },
        { "gang", rule_object, .data = gang_rules },
        RULES_END,
};
static const struct rule topology_rules[] = {
        { "key", rule_own_form, RULE_REQUIRED, .low = FORM_QUALIFIED },
        RULES_END,
};
static const struct rule constraint_rules[] = {
        { "topology", rule_object, RULE_EACH, .data = topology_rules, .max = TOPOLOGY_MAX },
        RULES_END,
};
static const char *const claim_sources[] = { "resourceClaimName", "resourceClaimTemplateName",
                                             NULL };
static const struct rule claim_rules[] = {
        { NULL, rule_union, .data = claim_sources },
        { "name", rule_own_form, RULE_REQUIRED, .low = FORM_LABEL },
        { "resourceClaimName", rule_own_form, RULE_PRESENT, .low = FORM_SUBDOMAIN },
        { "resourceClaimTemplateName", rule_own_form, RULE_PRESENT, .low = FORM_SUBDOMAIN },
        RULES_END,
};
static const char *const disruption_modes[] = { "Pod", "PodGroup", NULL };

/* What a group and the template of one have alike. */
#define GROUP_RULES                                                                                \
        { "schedulingPolicy", rule_object, RULE_ALWAYS, .data = policy_rules },                    \
                { "schedulingConstraints", rule_object, .data = constraint_rules },                \
                { "resourceClaims",    rule_object,       RULE_EACH | RULE_UNIQUE_WHOLE,           \
                  .data = claim_rules, .max = CLAIMS_MAX, .unique = "name" },                      \
                { "disruptionMode", rule_choice, RULE_PRESENT, .data = disruption_modes },         \
                { "priorityClassName", rule_own_form, .low = FORM_SUBDOMAIN }, {                   \
                "priority", rule_range, .low = INT32_MIN, .high = PRIORITY_MAX,                    \
                                        .text = "must be less than or equal to 1000000000"         \
        }

static const struct rule template_rules[] = {
        { "name", rule_own_form, RULE_REQUIRED, .low = FORM_LABEL },
        GROUP_RULES,
        RULES_END,
};
static const struct rule controller_rules[] = {
        { "apiGroup", rule_own_form, .low = FORM_SUBDOMAIN },
        { "kind", rule_own_form, RULE_REQUIRED, .low = FORM_SEGMENT },
        { "name", rule_own_form, RULE_REQUIRED, .low = FORM_SEGMENT },
        RULES_END,
};
static const struct rule workload_rules[] = {
        { "controllerRef", rule_object, .data = controller_rules },
        { "podGroupTemplates", rule_object, RULE_REQUIRED | RULE_EACH | RULE_UNIQUE_WHOLE,
          .data = template_rules, .max = TEMPLATES_MAX, .unique = "name" },
        RULES_END,
};

static const struct rule reference_rules[] = {
        { "workloadName", rule_own_form, RULE_REQUIRED, .low = FORM_SUBDOMAIN },
        { "podGroupTemplateName", rule_own_form, RULE_REQUIRED, .low = FORM_LABEL },
        RULES_END,
};
static const char *const references[] = { "workload", NULL };
static const struct rule template_reference_rules[] = {
        { NULL, rule_union, .data = references },
        { "workload", rule_object, .data = reference_rules },
        RULES_END,
};
static const struct rule group_rules[] = {
        { "podGroupTemplateRef", rule_object, .data = template_reference_rules },
        GROUP_RULES,
        RULES_END,
};

/* Members that may not be there without a gate. */
static const struct {
        const char *member;
        unsigned gate;
} gated[] = {
        { "schedulingConstraints", GATE_GROUP_TOPOLOGY },
        { "disruptionMode", GATE_GROUP_PRIORITY },
        { "priorityClassName", GATE_GROUP_PRIORITY },
        { "priority", GATE_GROUP_PRIORITY },
};

/* ---- specs ---- */

static bool is_forbidden(const struct checker *checker, const char *member) {
        for (size_t i = 0; i < ARRAY_LEN(gated); i++)
                if (strcmp(gated[i].member, member) == 0)
                        return !(checker->context->gates & gated[i].gate);
        return false;
}

/* All of a spec is fixed, so nothing that changed is looked at inside. */
static void check_changes(struct checker *checker, const struct at *at,
                          const struct json_node *spec, const struct json *old,
                          const struct rule *rules) {
        for (; rules->check; rules++) {
                const struct json_node *value = node_get(spec, rules->member);
                struct at place = at_member(at, rules->member);
                size_t count = node_count(value);

                if (is_same_member(spec, old, rules->member))
                        continue;
                if (is_forbidden(checker, rules->member)) {
                        if (node_type(value) > JSON_NULL)
                                report(checker, FIELD_FORBIDDEN, &place, NULL, NULL, NULL);
                        continue;
                }
                report(checker, FIELD_INVALID, &place, NULL, "null", "field is immutable");
                if (rules->max && count > rules->max)
                        report_too_many(checker, &place, count, rules->max);
                if ((rules->flags & RULE_REQUIRED) && count == 0)
                        report(checker, FIELD_REQUIRED, &place, NULL, NULL, NULL);
        }
}

static void check_spec(struct checker *checker, const struct json_node *object,
                       const struct json *old, const struct rule *rules) {
        const struct json_node *spec = node_get(object, "spec");
        struct at at = at_root("spec");

        if (old)
                check_changes(checker, &at, spec, json_get(old, "spec"), rules);
        else
                check_rules(checker, &at, spec, rules);
}

/* ---- status ---- */

static const struct json *element_named(const struct json *list, struct slice name) {
        struct json_iter iter = json_iter(list);
        const struct json *element;

        while (json_next(&iter, NULL, &element))
                if (slice_eq(json_get_text(element, "name"), name))
                        return element;
        return NULL;
}

/* data: the stored ones. */
OWN_RULE(rule_claim_status) {
        static const struct rule rules[] = {
                { "resourceClaimName", rule_own_form, RULE_PRESENT, .low = FORM_SUBDOMAIN },
                RULES_END,
        };
        const struct json *old = element_named(rule->data, node_get_text(value, "name"));

        if (!old || !is_same_member(value, old, "resourceClaimName"))
                check_rules(checker, at, value, rules);
}

static void check_group_status(struct checker *checker, const struct json_node *object,
                               const struct json *old) {
        const struct json_node *status = node_get(object, "status");
        const struct json_node *claims = node_get(status, "resourceClaimStatuses");
        const struct json *known = json_get(json_get(old, "spec"), "resourceClaims");
        const struct json *old_status = json_get(old, "status");
        struct at at = at_root("status"), list = at_member(&at, "resourceClaimStatuses");
        const struct rule conditions[] = { { "conditions", rule_conditions }, RULES_END };
        const struct rule changed[] = {
                { "resourceClaimStatuses", rule_claim_status, RULE_EACH | RULE_UNIQUE_WHOLE,
                  .data = json_get(old_status, "resourceClaimStatuses"), .max = CLAIMS_MAX,
                  .unique = "name" },
                RULES_END,
        };

        check_rules(checker, &at, status, conditions);
        for (size_t i = 0; i < node_count(claims); i++) {
                struct slice name = node_get_text(node_at(claims, i), "name");
                struct at place = at_index(&list, i);

                if (!element_named(known, name))
                        report_text(checker, &place, "name", name,
                                    "must match the name of an entry in `spec.resourceClaims`");
        }
        if (!is_same_member(status, old_status, "resourceClaimStatuses"))
                check_rules(checker, &at, status, changed);
}

/* ---- kinds ---- */

VALIDATE_HOOK(workload_object_validate) {
        struct checker checker = { .errors = errors, .context = context };

        (void)operation;
        check_spec(&checker, object, old, workload_rules);
}

VALIDATE_HOOK(pod_group_validate) {
        struct checker checker = { .errors = errors, .context = context };

        if (operation == KIND_UPDATE_STATUS)
                check_group_status(&checker, object, old);
        else
                check_spec(&checker, object, old, group_rules);
}
