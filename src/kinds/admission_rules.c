/* Rules that webhooks and policies of admission share. */
#include "kinds/admission_rules.h"

#include "base/util.h"

const char *const admission_failure_policies[] = { "Fail", "Ignore", NULL };
const char *const admission_match_policies[] = { "Equivalent", "Exact", NULL };

#define MATCH_CONDITIONS_MAX 64

/* ---- which requests ---- */

static bool has_star(const struct json_node *list) {
        for (size_t i = 0; i < node_count(list); i++)
                if (slice_is(node_get_slice(node_at(list, i)), "*"))
                        return true;
        return false;
}

/* data: what the words are. */
OWN_RULE(rule_star_alone) {
        if (node_count(value) > 1 && has_star(value))
                report(checker, FIELD_INVALID, at, NULL, node_json(checker, value),
                       message_of(checker, "if '*' is present, must not specify other %s",
                                  (const char *)rule->data));
}

OWN_RULE(rule_operations) {
        static const char *const operations[] = {
                "*", "CONNECT", "CREATE", "DELETE", "UPDATE", NULL
        };
        const struct rule choice = { .data = operations };

        rule_star_alone(checker, at, value, rule);
        for (size_t i = 0; i < node_count(value); i++) {
                struct at place = at_index(at, i);

                rule_choice(checker, &place, node_at(value, i), &choice);
        }
}

OWN_RULE(rule_not_empty) {
        (void)rule;
        for (size_t i = 0; i < node_count(value); i++) {
                struct at place = at_index(at, i);

                if (node_get_slice(node_at(value, i)).len == 0)
                        report(checker, FIELD_REQUIRED, &place, NULL, NULL, NULL);
        }
}

/* A resource and its subresource; false when there is none. */
static bool split_resource(struct slice text, struct slice *ret_resource, struct slice *ret_sub) {
        const char *slash = text.len ? memchr(text.ptr, '/', text.len) : NULL;

        if (!slash)
                return false;
        *ret_resource = slice_make(text.ptr, (size_t)(slash - text.ptr));
        *ret_sub = slice_make(slash + 1, text.len - ret_resource->len - 1);
        return true;
}

/* What a wildcard before it already says. */
static void check_covered(struct checker *checker, const struct at *at, struct slice text,
                          struct text_set *wild_subs, struct text_set *wild_resources) {
        struct slice resource, sub;

        if (!split_resource(text, &resource, &sub))
                return;
        if (text_set_has(wild_subs, resource))
                report_text(checker, at, NULL, text,
                            message_of(checker,
                                       "if '" SLICE_FMT
                                       "/*' is present, must not specify " SLICE_FMT,
                                       SLICE_ARG(resource), SLICE_ARG(text)));
        if (text_set_has(wild_resources, sub))
                report_text(checker, at, NULL, text,
                            message_of(checker,
                                       "if '*/" SLICE_FMT
                                       "' is present, must not specify " SLICE_FMT,
                                       SLICE_ARG(sub), SLICE_ARG(text)));
        if (slice_is(sub, "*"))
                text_set_add(wild_subs, resource);
        if (slice_is(resource, "*"))
                text_set_add(wild_resources, sub);
}

OWN_RULE(rule_resources) {
        CLEANUP(text_set_release) struct text_set wild_subs = { 0 };
        CLEANUP(text_set_release) struct text_set wild_resources = { 0 };
        bool has_all = false, has_plain = false;

        (void)rule;
        for (size_t i = 0; i < node_count(value); i++) {
                struct slice text = node_get_slice(node_at(value, i));
                struct at place = at_index(at, i);

                if (text.len == 0) {
                        report(checker, FIELD_REQUIRED, &place, NULL, NULL, NULL);
                        continue;
                }
                has_all |= slice_is(text, "*/*");
                if (!memchr(text.ptr, '/', text.len))
                        has_plain = !slice_is(text, "*");
                check_covered(checker, &place, text, &wild_subs, &wild_resources);
        }
        if (has_all && node_count(value) > 1)
                report(checker, FIELD_INVALID, at, NULL, node_json(checker, value),
                       "if '*/*' is present, must not specify other resources");
        if (has_star(value) && has_plain)
                report(checker, FIELD_INVALID, at, NULL, node_json(checker, value),
                       "if '*' is present, must not specify other resources without "
                       "subresources");
}

static const char *const scopes[] = { "*", "Cluster", "Namespaced", NULL };
static const struct rule request_rules[] = {
        { "operations", rule_operations, .data = "operations", .flags = RULE_REQUIRED },
        { "apiGroups", rule_star_alone, .data = "API groups", .flags = RULE_REQUIRED },
        { "apiVersions", rule_star_alone, .data = "API versions", .flags = RULE_REQUIRED },
        { "apiVersions", rule_not_empty },
        { "resources", rule_resources, .flags = RULE_REQUIRED },
        { "scope", rule_choice, .data = scopes, .flags = RULE_PRESENT },
        RULES_END,
};

RULE(rule_admission_rule) {
        (void)rule;
        check_rules(checker, at, value, request_rules);
}

/* ---- expressions ---- */

void check_admission_expression(struct checker *checker, const struct at *at, struct slice source,
                                const struct cel_admission *admission) {
        struct cel_program *program;
        struct err problem = { 0 };

        if (cel_admission_compile(checker->errors->arena, source, admission, &program, &problem) <
            0) {
                report(checker, FIELD_INVALID, at, NULL, quoted(checker, source),
                       strstr(problem.text, "ERROR:")
                               ? message_of(checker, "compilation failed: %s", problem.text)
                               : problem.text);
                return;
        }
        cel_program_release(program);
}

void check_match_conditions(struct checker *checker, const struct at *at,
                            const struct json_node *conditions, bool has_params) {
        const struct cel_admission admission = { .has_params = has_params, .has_authorizer = true };
        CLEANUP(text_set_release) struct text_set names = { 0 };
        size_t count = node_count(conditions);

        if (count > MATCH_CONDITIONS_MAX)
                report(checker, FIELD_TOO_MANY, at, NULL, message_of(checker, "%zu", count),
                       "must have at most 64 items");
        for (size_t i = 0; i < count; i++) {
                const struct json_node *condition = node_at(conditions, i);
                struct slice source = slice_trim(node_get_text(condition, "expression"));
                struct slice name = node_get_text(condition, "name");
                struct at place = at_index(at, i), inner = at_member(&place, "expression");
                struct at name_place = at_member(&place, "name");

                if (source.len == 0)
                        report(checker, FIELD_REQUIRED, &inner, NULL, NULL, NULL);
                else
                        check_admission_expression(checker, &inner, source, &admission);
                if (name.len == 0)
                        report(checker, FIELD_REQUIRED, &name_place, NULL, NULL, NULL);
                else
                        check_form(checker, &name_place, name, FORM_QUALIFIED);
                if (name.len && !text_set_add(&names, name))
                        report(checker, FIELD_DUPLICATE, &name_place, NULL, quoted(checker, name),
                               NULL);
        }
}
