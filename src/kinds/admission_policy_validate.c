/* Policies of admission and their bindings: defaults and validation. */
#include "kinds/admission_rules.h"

#include "base/util.h"

#define AUDIT_ANNOTATIONS_MAX 20
#define AUDIT_EXPRESSION_MAX (5 * 1024)

/* ---- defaults ---- */

static void match_defaults(struct json_tree *tree, struct json_node *match) {
        static const char *const lists[] = { "resourceRules", "excludeResourceRules" };

        if (!match)
                return;
        default_absent_text(tree, match, "matchPolicy", "Equivalent");
        default_absent(tree, match, "namespaceSelector", node_object(tree));
        default_absent(tree, match, "objectSelector", node_object(tree));
        for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
                struct node_iter iter = node_iter(node_get(match, lists[i]));
                struct json_node *rule;

                while (node_next(&iter, NULL, &rule))
                        default_absent_text(tree, rule, "scope", "*");
        }
}

void admission_policy_defaults(struct json_tree *tree, struct json_node *object) {
        struct json_node *spec = node_need_object(tree, object, "spec");

        default_absent_text(tree, spec, "failurePolicy", "Fail");
        match_defaults(tree, object_at(spec, "matchConstraints"));
}

void admission_policy_binding_defaults(struct json_tree *tree, struct json_node *object) {
        match_defaults(tree, object_at(object_at(object, "spec"), "matchResources"));
}

/* ---- which requests ---- */

OWN_RULE(rule_named_rule) {
        const struct json_node *names = node_get(value, "resourceNames");
        CLEANUP(text_set_release) struct text_set seen = { 0 };
        struct at list = at_member(at, "resourceNames");

        for (size_t i = 0; i < node_count(names); i++) {
                struct slice name = node_get_slice(node_at(names, i));
                struct at place = at_index(&list, i);

                check_form(checker, &place, name, FORM_SEGMENT);
                if (!text_set_add(&seen, name))
                        report(checker, FIELD_DUPLICATE, &place, NULL, quoted(checker, name), NULL);
        }
        rule_admission_rule(checker, at, value, rule);
}

static const struct rule match_rules[] = {
        { "matchPolicy", rule_choice, .data = admission_match_policies,
          .flags = RULE_REQUIRED | RULE_PRESENT },
        { "namespaceSelector", rule_label_selector },
        { "objectSelector", rule_label_selector },
        { "resourceRules", rule_named_rule, .flags = RULE_EACH },
        { "excludeResourceRules", rule_named_rule, .flags = RULE_EACH },
        RULES_END,
};

OWN_RULE(rule_constraints) {
        const struct json_node *match = node_get(value, "matchConstraints");
        struct at place = at_member(at, "matchConstraints");

        (void)rule;
        if (!match) {
                report(checker, FIELD_REQUIRED, &place, NULL, NULL, NULL);
                return;
        }
        check_rules(checker, &place, match, match_rules);
        if (node_count(node_get(match, "resourceRules")) == 0)
                report(checker, FIELD_REQUIRED, &place, "resourceRules", NULL, NULL);
}

/* Policies that change objects are not asked about deletions. */
static void check_mutating_operations(struct checker *checker, const struct at *at,
                                      const struct json_node *match) {
        static const char *const operations[] = { "*", "CONNECT", "CREATE", "UPDATE", NULL };
        const struct json_node *rules = node_get(match, "resourceRules");
        const struct rule choice = { .data = operations };
        struct at list = at_member(at, "resourceRules"), place = at_member(&list, "operations");

        for (size_t i = 0; i < node_count(rules); i++) {
                const struct json_node *own = node_get(node_at(rules, i), "operations");

                for (size_t j = 0; j < node_count(own); j++)
                        rule_choice(checker, &place, node_at(own, j), &choice);
        }
}

/* ---- parameters ---- */

OWN_RULE(rule_param_version) {
        struct slice text = node_get_slice(value), group = SLICE_EMPTY, version = text;
        const char *slash = memchr(text.ptr, '/', text.len);
        struct arena *arena = checker->errors->arena;

        (void)rule;
        if (slash) {
                group = slice_make(text.ptr, (size_t)(slash - text.ptr));
                version = slice_make(slash + 1, text.len - group.len - 1);
        }
        if (version.len && memchr(version.ptr, '/', version.len)) {
                report_text(checker, at, NULL, text,
                            message_of(checker, "unexpected GroupVersion string: " SLICE_FMT,
                                       SLICE_ARG(text)));
                return;
        }
        struct text_problems problems = text_problems(arena, FORM_SUBDOMAIN, group);
        if (group.len && problems.count)
                report_text(checker, at, NULL, group, problems.items[0]);
        problems = text_problems(arena, FORM_LABEL_1035, version);
        if (version.len == 0)
                report_text(checker, at, NULL, text, "version must be specified");
        else if (problems.count)
                report_text(checker, at, NULL, version, problems.items[0]);
}

OWN_RULE(rule_param_kind_name) {
        struct slice kind = node_get_slice(value);
        struct buf lower = { 0 };

        (void)rule;
        for (size_t i = 0; i < kind.len; i++) {
                char c = kind.ptr[i];

                buf_char(&lower, c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c);
        }
        struct text_problems problems =
                text_problems(checker->errors->arena, FORM_LABEL_1035, buf_view(&lower));
        if (problems.count)
                report_text(checker, at, NULL, kind,
                            message_of(checker,
                                       "may have mixed case, but should otherwise match: "
                                       "%s",
                                       problems.items[0]));
        buf_release(&lower);
}

static const struct rule param_kind_rules[] = {
        { "apiVersion", rule_param_version, .flags = RULE_REQUIRED },
        { "kind", rule_param_kind_name, .flags = RULE_REQUIRED },
        RULES_END,
};

OWN_RULE(rule_param_choice) {
        struct slice name = node_get_text(value, "name");
        const struct json_node *selector = node_get(value, "selector");
        struct at name_place = at_member(at, "name"), place = at_member(at, "selector");

        (void)rule;
        if (name.len)
                check_form(checker, &name_place, name, FORM_SEGMENT);
        if (name.len && selector)
                report(checker, FIELD_FORBIDDEN, &name_place, NULL, NULL,
                       "name and selector are mutually exclusive");
        if (selector)
                check_label_selector(checker, &place, selector);
        if (name.len && selector)
                report(checker, FIELD_FORBIDDEN, &place, NULL, NULL,
                       "name and selector are mutually exclusive");
        if (name.len == 0 && !selector)
                report(checker, FIELD_REQUIRED, at, NULL, NULL,
                       "one of name or selector must be specified");
}

static const char *const not_found_actions[] = { "Deny", "Allow", NULL };
static const struct rule param_ref_rules[] = {
        { NULL, rule_param_choice },
        { "parameterNotFoundAction", rule_choice, .data = not_found_actions,
          .flags = RULE_REQUIRED },
        RULES_END,
};

/* ---- expressions ---- */

static struct cel_admission policy_admission(struct checker *checker,
                                             const struct json_node *spec) {
        const struct json_node *list = node_get(spec, "variables");
        size_t count = node_count(list);
        struct cel_variable *variables =
                ARENA_ARRAY(checker->errors->arena, struct cel_variable, count + 1);

        for (size_t i = 0; i < count; i++)
                variables[i] = (struct cel_variable){
                        .name = node_get_text(node_at(list, i), "name"),
                        .expression = node_get_text(node_at(list, i), "expression"),
                };
        return (struct cel_admission){ .has_params = node_get(spec, "paramKind"),
                                       .has_authorizer = true,
                                       .variables = variables,
                                       .variable_count = count };
}

static bool is_identifier(struct slice name) {
        static const char *const reserved[] = {
                "true",     "false",   "null",      "in",       "as",  "break",  "const",
                "continue", "else",    "for",       "function", "if",  "import", "let",
                "loop",     "package", "namespace", "return",   "var", "void",   "while",
        };

        for (size_t i = 0; i < ARRAY_LEN(reserved); i++)
                if (slice_is(name, reserved[i]))
                        return false;
        for (size_t i = 0; i < name.len; i++) {
                char c = name.ptr[i];
                bool is_digit = c >= '0' && c <= '9';

                if (!(c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                      (is_digit && i > 0)))
                        return false;
        }
        return name.len > 0;
}

static void check_variables(struct checker *checker, const struct at *at,
                            struct cel_admission admission) {
        size_t count = admission.variable_count;

        admission.wants = CEL_WANTS_ANYTHING;
        for (size_t i = 0; i < count; i++) {
                const struct cel_variable *variable = &admission.variables[i];
                struct at place = at_index(at, i), inner = at_member(&place, "expression");

                if (slice_trim(variable->name).len == 0)
                        report(checker, FIELD_REQUIRED, &place, "name", NULL,
                               "name is not specified");
                else if (!is_identifier(variable->name))
                        report_text(checker, &place, "name", variable->name,
                                    "must be a valid CEL identifier");
                admission.variable_count = i;
                if (slice_trim(variable->expression).len == 0)
                        report(checker, FIELD_REQUIRED, &inner, NULL, NULL,
                               "expression is not specified");
                else
                        check_admission_expression(checker, &inner, variable->expression,
                                                   &admission);
        }
}

static void check_message_expression(struct checker *checker, const struct at *at,
                                     const struct json_node *validation,
                                     struct cel_admission admission) {
        struct slice source = node_get_text(validation, "messageExpression");
        struct at place = at_member(at, "messageExpression");

        admission.wants = CEL_WANTS_STRING;
        admission.has_authorizer = false;
        if (source.len && slice_trim(source).len == 0)
                report_text(checker, &place, NULL, source, "must be non-empty if specified");
        else if (source.len)
                check_admission_expression(checker, &place, source, &admission);
}

static void check_message(struct checker *checker, const struct at *at,
                          const struct json_node *validation) {
        static const char *const reasons[] = { "Forbidden", "Invalid", "RequestEntityTooLarge",
                                               NULL };
        struct slice message = node_get_text(validation, "message");
        struct slice trimmed = slice_trim(message);
        const struct json_node *reason = node_get(validation, "reason");
        const struct rule choice = { .data = reasons };
        struct at place = at_member(at, "reason");

        if (message.len && trimmed.len == 0)
                report_text(checker, at, "message", message, "must be non-empty if specified");
        else if (trimmed.len && memchr(trimmed.ptr, '\n', trimmed.len))
                report_text(checker, at, "message", message, "must not contain line breaks");
        if (reason)
                rule_choice(checker, &place, reason, &choice);
}

static void check_validations(struct checker *checker, const struct at *at,
                              const struct json_node *list, const struct cel_admission *admission) {
        for (size_t i = 0; i < node_count(list); i++) {
                const struct json_node *validation = node_at(list, i);
                struct slice source = node_get_text(validation, "expression");
                struct at place = at_index(at, i), inner = at_member(&place, "expression");

                if (slice_trim(source).len == 0)
                        report(checker, FIELD_REQUIRED, &inner, NULL, NULL,
                               "expression is not specified");
                else
                        check_admission_expression(checker, &inner, source, admission);
                check_message_expression(checker, &place, validation, *admission);
                check_message(checker, &place, validation);
        }
}

static void check_audit(struct checker *checker, const struct at *at, struct slice policy,
                        const struct json_node *annotation, struct cel_admission admission) {
        struct slice key = node_get_text(annotation, "key");
        struct slice source = slice_trim(node_get_text(annotation, "valueExpression"));
        struct at place = at_member(at, "key"), inner = at_member(at, "valueExpression");

        admission.wants = CEL_WANTS_ANYTHING;
        check_form(checker, &place,
                   slice_of(message_of(checker, SLICE_FMT "/" SLICE_FMT, SLICE_ARG(policy),
                                       SLICE_ARG(key))),
                   FORM_QUALIFIED);
        if (source.len == 0)
                report(checker, FIELD_REQUIRED, &inner, NULL, NULL,
                       "valueExpression is not specified");
        else if (source.len > AUDIT_EXPRESSION_MAX)
                report(checker, FIELD_REQUIRED, &inner, NULL, NULL,
                       "must not exceed 5120 bytes in length");
        else
                check_admission_expression(checker, &inner, source, &admission);
}

static void check_audits(struct checker *checker, const struct at *at, struct slice policy,
                         const struct json_node *list, const struct cel_admission *admission) {
        CLEANUP(text_set_release) struct text_set keys = { 0 };

        if (node_count(list) > AUDIT_ANNOTATIONS_MAX)
                report(checker, FIELD_INVALID, at, NULL, node_json(checker, list),
                       "must not have more than 20 auditAnnotations");
        for (size_t i = 0; i < node_count(list); i++) {
                struct slice key = node_get_text(node_at(list, i), "key");
                struct at place = at_index(at, i);

                check_audit(checker, &place, policy, node_at(list, i), *admission);
                if (!text_set_add(&keys, key))
                        report(checker, FIELD_DUPLICATE, &place, "key", quoted(checker, key), NULL);
        }
}

/* ---- policies ---- */

static const struct rule first_rules[] = {
        { "failurePolicy", rule_choice, .data = admission_failure_policies,
          .flags = RULE_REQUIRED | RULE_PRESENT },
        { "paramKind", rule_object, .data = param_kind_rules, .flags = RULE_PRESENT },
        { NULL, rule_constraints },
        RULES_END,
};

#define NOTHING_TO_DO "validations or auditAnnotations must contain at least one item"

VALIDATE_HOOK(validating_admission_policy_validate) {
        struct checker checker = { .errors = errors, .context = context };
        const struct json_node *spec = node_get(object, "spec");
        const struct json_node *validations = node_get(spec, "validations");
        const struct json_node *audits = node_get(spec, "auditAnnotations");
        struct slice name = node_get_text(node_get(object, "metadata"), "name");
        struct at at = at_root("spec"), conditions = at_member(&at, "matchConditions");
        struct at variables = at_member(&at, "variables"), list = at_member(&at, "validations");
        struct at audit_list = at_member(&at, "auditAnnotations");

        (void)old;
        if (operation == KIND_UPDATE_STATUS)
                return;
        const struct cel_admission admission = policy_admission(&checker, spec);
        check_rules(&checker, &at, spec, first_rules);
        check_match_conditions(&checker, &conditions, node_get(spec, "matchConditions"),
                               admission.has_params);
        check_variables(&checker, &variables, admission);
        if (node_count(validations) == 0 && node_count(audits) == 0) {
                report(&checker, FIELD_REQUIRED, &list, NULL, NULL, NOTHING_TO_DO);
                report(&checker, FIELD_REQUIRED, &audit_list, NULL, NULL, NOTHING_TO_DO);
        }
        check_validations(&checker, &list, validations, &admission);
        check_audits(&checker, &audit_list, name, audits, &admission);
}

/* ---- policies that change objects ---- */

static void check_mutation(struct checker *checker, const struct at *at,
                           const struct json_node *value, struct cel_admission admission) {
        static const char *const types[] = { "ApplyConfiguration", "JSONPatch", NULL };
        static const char *const members[] = { "applyConfiguration", "jsonPatch" };
        struct slice type = node_get_text(value, "patchType");

        if (type.len == 0) {
                report(checker, FIELD_REQUIRED, at, "patchType", NULL, NULL);
                return;
        }
        size_t own = slice_is(type, types[0]) ? 0 : 1;
        if (!slice_is(type, types[own])) {
                report_choice(checker, at, "patchType", quoted_json(checker, type), types);
                return;
        }
        const struct json_node *patch = node_get(value, members[own]);
        struct at place = at_member(at, members[own]), inner = at_member(&place, "expression");
        struct slice source = slice_trim(node_get_text(patch, "expression"));

        admission.wants = own == 0 ? CEL_WANTS_OBJECT : CEL_WANTS_PATCHES;
        if (!patch)
                report(checker, FIELD_REQUIRED, &place, NULL, NULL,
                       message_of(checker, "must be specified when patchType is %s", types[own]));
        else if (source.len == 0)
                report(checker, FIELD_REQUIRED, &inner, NULL, NULL, NULL);
        else
                check_admission_expression(checker, &inner, source, &admission);
        if (node_get(value, members[1 - own]))
                report_text(checker, at, members[1 - own],
                            slice_of(message_of(checker, "{%s}", members[1 - own])),
                            message_of(checker, "must not be specified when patchType is %s",
                                       types[own]));
}

static const char *const reinvocations[] = { "IfNeeded", "Never", NULL };
static const struct rule mutation_rules[] = {
        { "reinvocationPolicy", rule_choice, .data = reinvocations, .flags = RULE_REQUIRED },
        RULES_END,
};

VALIDATE_HOOK(mutating_admission_policy_validate) {
        struct checker checker = { .errors = errors, .context = context };
        const struct json_node *spec = node_get(object, "spec");
        const struct json_node *mutations = node_get(spec, "mutations");
        struct at at = at_root("spec"), conditions = at_member(&at, "matchConditions");
        struct at match = at_member(&at, "matchConstraints"), list = at_member(&at, "variables");
        struct at changes = at_member(&at, "mutations");

        (void)operation, (void)old;
        const struct cel_admission admission = policy_admission(&checker, spec);
        check_rules(&checker, &at, spec, first_rules);
        check_mutating_operations(&checker, &match, node_get(spec, "matchConstraints"));
        check_match_conditions(&checker, &conditions, node_get(spec, "matchConditions"),
                               admission.has_params);
        check_variables(&checker, &list, admission);
        if (node_count(mutations) == 0)
                report(&checker, FIELD_REQUIRED, &changes, NULL, NULL,
                       "mutations must contain at least one item");
        for (size_t i = 0; i < node_count(mutations); i++) {
                struct at place = at_index(&changes, i);

                check_mutation(&checker, &place, node_at(mutations, i), admission);
        }
        check_rules(&checker, &at, spec, mutation_rules);
}

/* ---- bindings ---- */

OWN_RULE(rule_actions) {
        static const char *const actions[] = { "Audit", "Deny", "Warn", NULL };
        const struct rule choice = { .data = actions };
        CLEANUP(text_set_release) struct text_set seen = { 0 };

        (void)rule;
        for (size_t i = 0; i < node_count(value); i++) {
                struct slice action = node_get_slice(node_at(value, i));
                struct at place = at_index(at, i);

                rule_choice(checker, &place, node_at(value, i), &choice);
                if (!text_set_add(&seen, action))
                        report(checker, FIELD_DUPLICATE, &place, NULL, quoted(checker, action),
                               NULL);
        }
        if (text_set_has(&seen, SLICE_LITERAL("Deny")) &&
            text_set_has(&seen, SLICE_LITERAL("Warn")))
                report(checker, FIELD_INVALID, at, NULL, node_json(checker, value),
                       "must not contain both Deny and Warn (repeating the same validation failure "
                       "information in the API response and headers serves no purpose)");
        if (node_count(value) == 0)
                report(checker, FIELD_REQUIRED, at, NULL, NULL,
                       "at least one validation action is required");
}

#define BINDING_RULES                                                                              \
        { "policyName", rule_form, .low = FORM_SUBDOMAIN, .flags = RULE_REQUIRED },                \
                { "paramRef", rule_object, .data = param_ref_rules, .flags = RULE_PRESENT }, {     \
                "matchResources", rule_object, .data = match_rules, .flags = RULE_PRESENT          \
        }
static const struct rule mutating_binding_rules[] = { BINDING_RULES, RULES_END };
static const struct rule binding_rules[] = {
        BINDING_RULES,
        { "validationActions", rule_actions, .flags = RULE_ALWAYS },
        RULES_END,
};

VALIDATE_HOOK(validating_admission_policy_binding_validate) {
        struct checker checker = { .errors = errors, .context = context };
        struct at at = at_root("spec");

        (void)operation, (void)old;
        check_rules(&checker, &at, node_get(object, "spec"), binding_rules);
}

VALIDATE_HOOK(mutating_admission_policy_binding_validate) {
        struct checker checker = { .errors = errors, .context = context };
        const struct json_node *spec = node_get(object, "spec");
        struct at at = at_root("spec"), match = at_member(&at, "matchResources");

        (void)operation, (void)old;
        check_rules(&checker, &at, spec, mutating_binding_rules);
        check_mutating_operations(&checker, &match, node_get(spec, "matchResources"));
}
