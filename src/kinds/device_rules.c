/* Rules that claims, classes and slices share. */
#include "kinds/device_rules.h"

#include "base/util.h"
#include "cel/cel_device.h"

#define POOL_NAME_MAX 253
#define DEVICE_ID_MAX 32
#define OPAQUE_MAX (10 * 1024)

const char *const device_taint_effects[] = { "NoExecute", "NoSchedule", "None", NULL };

/* ---- names ---- */

/* What stands before the next slash; false when nothing is left. */
static bool next_part(struct slice *rest, struct slice *ret_part) {
        if (!rest->ptr)
                return false;
        const char *slash = rest->len ? memchr(rest->ptr, '/', rest->len) : NULL;

        *ret_part = *rest;
        if (!slash) {
                rest->ptr = NULL;
                return true;
        }
        ret_part->len = (size_t)(slash - rest->ptr);
        *rest = slice_make(slash + 1, rest->len - ret_part->len - 1);
        return true;
}

RULE(rule_pool_name) {
        struct slice rest = node_get_slice(value), part;

        (void)rule;
        if (rest.len > POOL_NAME_MAX)
                report(checker, FIELD_TOO_LONG, at, NULL, NULL, "may not be more than 253 bytes");
        while (next_part(&rest, &part))
                check_form(checker, at, part, FORM_SUBDOMAIN);
}

static void check_identifier(struct checker *checker, const struct at *at, struct slice id) {
        if (id.len > DEVICE_ID_MAX)
                report(checker, FIELD_TOO_LONG, at, NULL, NULL, "may not be more than 32 bytes");
        check_form(checker, at, id, FORM_C_IDENTIFIER);
}

static void check_domain(struct checker *checker, const struct at *at, struct slice domain) {
        struct json_tree *tree = json_tree_new();

        rule_driver_name(checker, at, node_text(tree, domain), NULL);
        json_tree_free(tree);
}

void check_device_name(struct checker *checker, const struct at *at, struct slice name) {
        struct slice parts[3], rest = name;
        size_t count = 0;

        while (count < ARRAY_LEN(parts) && next_part(&rest, &parts[count]))
                count++;
        if (count == 1)
                check_identifier(checker, at, parts[0]);
        if (count != 2)
                return;
        if (parts[0].len == 0)
                report_text(checker, at, NULL, SLICE_EMPTY, "the domain must not be empty");
        else
                check_domain(checker, at, parts[0]);
        if (parts[1].len == 0)
                report_text(checker, at, NULL, SLICE_EMPTY, "the name must not be empty");
        else
                check_identifier(checker, at, parts[1]);
}

RULE(rule_device_full_name) {
        struct slice name = node_get_slice(value);

        (void)rule;
        check_device_name(checker, at, name);
        if (!name.len || !memchr(name.ptr, '/', name.len))
                report_text(checker, at, NULL, name,
                            "a fully qualified name must be a domain and a name separated by a "
                            "slash");
}

bool check_extended_resource_name(struct checker *checker, struct slice name) {
        struct slice quota = slice_of(message_of(checker, "requests." SLICE_FMT, SLICE_ARG(name)));

        return name.len && memchr(name.ptr, '/', name.len) &&
               !slice_contains(name, SLICE_LITERAL("kubernetes.io/")) &&
               !slice_has_prefix(name, SLICE_LITERAL("requests.")) &&
               text_problems(checker->errors->arena, FORM_QUALIFIED, quota).count == 0;
}

static bool is_hex(char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

RULE(rule_uuid) {
        struct slice uid = node_get_slice(value);
        bool is_lower = true, is_good = true;

        (void)rule;
        if (uid.len != 36) {
                report_text(checker, at, NULL, uid,
                            message_of(checker, "error validating uid: invalid UUID length: %zu",
                                       uid.len));
                return;
        }
        for (size_t i = 0; i < uid.len; i++) {
                bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;

                is_good &= is_dash ? uid.ptr[i] == '-' : is_hex(uid.ptr[i]);
                is_lower &= !(uid.ptr[i] >= 'A' && uid.ptr[i] <= 'F');
        }
        if (!is_good)
                report_text(checker, at, NULL, uid, "error validating uid: invalid UUID format");
        else if (!is_lower)
                report_text(checker, at, NULL, uid,
                            "uid must be in RFC 4122 normalized form, "
                            "`xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal "
                            "characters");
}

/* ---- selectors ---- */

static void check_expression(struct checker *checker, const struct at *at, struct slice source) {
        const struct cel_device_gates gates = { .has_shares = true };
        struct arena *arena = checker->errors->arena;
        struct cel_program *program;
        struct err problem = { 0 };

        if (source.len > CEL_SELECTOR_MAX) {
                report(checker, FIELD_TOO_LONG, at, NULL, NULL, "may not be more than 10240 bytes");
                return;
        }
        if (cel_device_compile(arena, source, &gates, &program, &problem) < 0) {
                report(checker, FIELD_INVALID, at, NULL, quoted(checker, source),
                       message_of(checker, "%s%s",
                                  strstr(problem.text, "ERROR:") ? "compilation failed: " : "",
                                  problem.text));
                return;
        }
        cel_program_release(program);
}

OWN_RULE(rule_expression) {
        (void)rule;
        check_expression(checker, at, node_get_slice(value));
}

/* An empty expression is no missing one: it does not compile. */
static const struct rule cel_rules[] = {
        { "expression", rule_expression, .flags = RULE_ALWAYS },
        RULES_END,
};

RULE(rule_device_selector) {
        const struct json_node *cel = node_get(value, "cel");
        struct at place = at_member(at, "cel");

        (void)rule;
        if (!cel)
                report(checker, FIELD_REQUIRED, at, "cel", NULL, NULL);
        else
                check_rules(checker, &place, cel, cel_rules);
}

/* ---- configuration ---- */

void check_raw_object(struct checker *checker, const struct at *at, const struct json_node *value,
                      size_t max) {
        enum json_type type = node_type(value);
        struct buf text = { 0 };

        if (type == JSON_NONE || type == JSON_NULL) {
                report(checker, FIELD_REQUIRED, at, NULL, NULL, NULL);
                return;
        }
        node_write(value, &text);
        if (text.len > max)
                report(checker, FIELD_TOO_LONG, at, NULL, NULL,
                       message_of(checker, "may not be more than %zu bytes", max));
        else if (type != JSON_OBJECT)
                report_text(checker, at, NULL, SLICE_LITERAL("<value omitted>"),
                            "must be a valid JSON object");
        buf_release(&text);
}

OWN_RULE(rule_opaque_parameters) {
        (void)rule;
        check_raw_object(checker, at, value, OPAQUE_MAX);
}

static const struct rule opaque_rules[] = {
        { "driver", rule_driver_name, .flags = RULE_REQUIRED },
        { "parameters", rule_opaque_parameters, .flags = RULE_ALWAYS },
        RULES_END,
};

RULE(rule_device_config) {
        const struct json_node *opaque = node_get(value, "opaque");
        struct at place = at_member(at, "opaque");

        (void)rule;
        if (!opaque)
                report(checker, FIELD_REQUIRED, at, "opaque", NULL, NULL);
        else
                check_rules(checker, &place, opaque, opaque_rules);
}

/* ---- taints ---- */

static const struct rule taint_rules[] = {
        { "key", rule_form, .low = FORM_QUALIFIED, .flags = RULE_ALWAYS },
        { "value", rule_form, .low = FORM_VALUE },
        { "effect", rule_choice, .data = device_taint_effects, .flags = RULE_REQUIRED },
        RULES_END,
};

RULE(rule_device_taint) {
        (void)rule;
        check_rules(checker, at, value, taint_rules);
}

OWN_RULE(rule_toleration_value) {
        struct slice operator= node_get_text(value, "operator"),
                     text = node_get_text(value, "value");
        static const char *const operators[] = { "Equal", "Exists", NULL };
        struct at place = at_member(at, "value");

        (void)rule;
        if (slice_is(operator, "Exists")) {
                if (text.len)
                        report_text(checker, &place, NULL, text,
                                    "must be empty for operator `Exists`");
        } else if (slice_is(operator, "Equal")) {
                check_form(checker, &place, text, FORM_VALUE);
        } else if (operator.len == 0) {
                report(checker, FIELD_REQUIRED, at, "operator", NULL, NULL);
        } else {
                report_choice(checker, at, "operator", quoted_json(checker, operator), operators);
        }
}

static const struct rule toleration_rules[] = {
        { "key", rule_form, .low = FORM_QUALIFIED },
        { NULL, rule_toleration_value },
        { "effect", rule_choice, .data = device_taint_effects },
        RULES_END,
};

RULE(rule_device_toleration) {
        (void)rule;
        check_rules(checker, at, value, toleration_rules);
}

/* ---- binding conditions ---- */

#define BINDING_CONDITIONS_MAX 4

static const struct rule condition_rules[] = {
        { "bindingConditions", rule_form, .low = FORM_QUALIFIED, .flags = RULE_EACH,
          .max = BINDING_CONDITIONS_MAX },
        { "bindingFailureConditions", rule_form, .low = FORM_QUALIFIED, .flags = RULE_EACH,
          .max = BINDING_CONDITIONS_MAX },
        RULES_END,
};

static void check_repeated(struct checker *checker, const struct at *at,
                           const struct json_node *list, struct text_set *seen,
                           const struct text_set *others) {
        for (size_t i = 0; i < node_count(list); i++) {
                struct slice text = node_get_slice(node_at(list, i));
                struct at place = at_index(at, i);

                if (!text_set_add(seen, text))
                        report(checker, FIELD_DUPLICATE, &place, NULL, quoted(checker, text), NULL);
                if (others && text_set_has(others, text))
                        report_text(checker, &place, NULL, text,
                                    "bindingFailureConditions must not overlap with "
                                    "bindingConditions");
        }
}

RULE(rule_binding_conditions) {
        CLEANUP(text_set_release) struct text_set good = { 0 };
        CLEANUP(text_set_release) struct text_set bad = { 0 };
        const struct json_node *conditions = node_get(value, "bindingConditions");
        const struct json_node *failures = node_get(value, "bindingFailureConditions");
        struct at first = at_member(at, "bindingConditions");
        struct at second = at_member(at, "bindingFailureConditions");

        (void)rule;
        check_rules(checker, at, value, condition_rules);
        check_repeated(checker, &first, conditions, &good, NULL);
        check_repeated(checker, &second, failures, &bad, &good);
        if (node_count(conditions) == 0 && node_count(failures) > 0)
                report(checker, FIELD_INVALID, &first, NULL, "null",
                       "bindingConditions are required to use bindingFailureConditions");
        if (node_count(failures) == 0 && node_count(conditions) > 0)
                report(checker, FIELD_INVALID, &second, NULL, "null",
                       "bindingFailureConditions are required to use bindingConditions");
}
