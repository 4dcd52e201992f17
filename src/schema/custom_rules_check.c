/* Whether the rules of a definition are well written. Errors read as upstream's. */
#include "schema/custom_rules.h"

#include "base/util.h"
#include "schema/custom_rules_priv.h"
#include "schema/custom_structure.h"
#include <stdio.h>

static bool is_blank(struct slice text) {
        return slice_trim(text).len == 0;
}

struct rules_check {
        struct field_errors *errors;
        const char *uncorrelated; /* path of the list whose elements have no identity, or NULL */
        size_t first, last;       /* errors of the schema and of the texts of its rules */
};

static void custom_rules_check_complain(struct rules_check *check, enum field_error_kind kind,
                                        const char *path, const char *member, const char *detail) {
        field_error_add(check->errors, kind,
                        arena_printf(check->errors->arena, "%s.%s", path, member), NULL, detail);
}

static void complain_text(struct rules_check *check, const char *path, const char *member,
                          struct slice value, const char *detail) {
        field_error_add(check->errors, FIELD_INVALID,
                        arena_printf(check->errors->arena, "%s.%s", path, member),
                        rules_quote(check->errors->arena, value), detail);
}

/* Takes .name or ['name'] off the front of a path; false when it begins otherwise. */
static bool take_step(struct slice *path, struct slice *ret_name) {
        bool is_dot = path->ptr[0] == '.';
        size_t start = is_dot ? 1 : 2, at = start;

        if (!is_dot && !slice_has_prefix(*path, SLICE_LITERAL("['")))
                return false;
        while (at < path->len && !strchr(is_dot ? ".[" : "'", path->ptr[at]))
                at++;
        *ret_name = slice_make(path->ptr + start, at - start);
        *path = slice_make(path->ptr + at, path->len - at);
        if (is_dot)
                return ret_name->len > 0;
        if (!slice_has_prefix(*path, SLICE_LITERAL("']")))
                return false;
        *path = slice_make(path->ptr + 2, path->len - 2);
        return ret_name->len > 0;
}

/* The schema at the end of .a.b['c'] from here; NULL when there is none. */
static const struct json *schema_at(const struct json *schema, struct slice path) {
        struct slice name;

        while (schema && path.len) {
                const struct json *properties = json_get(schema, "properties");

                if (!take_step(&path, &name))
                        return NULL;
                schema = properties ? json_get_slice(properties, name)
                                    : json_get(schema, "additionalProperties");
        }
        return json_type(schema) == JSON_OBJECT ? schema : NULL;
}

static void check_reason(struct rules_check *check, const char *path, const struct json *rule) {
        static const char *const reasons[] = { "FieldValueDuplicate", "FieldValueForbidden",
                                               "FieldValueInvalid", "FieldValueRequired" };
        struct slice reason = json_get_text(rule, "reason");

        for (size_t i = 0; i < ARRAY_LEN(reasons); i++) {
                if (slice_is(reason, reasons[i]))
                        return;
        }
        if (json_get(rule, "reason"))
                field_error_add(check->errors, FIELD_NOT_SUPPORTED,
                                arena_printf(check->errors->arena, "%s.reason", path),
                                rules_quote(check->errors->arena, reason),
                                "supported values: \"FieldValueDuplicate\", "
                                "\"FieldValueForbidden\", \"FieldValueInvalid\", "
                                "\"FieldValueRequired\"");
}

static void check_field_path(struct rules_check *check, const char *path, const struct json *schema,
                             const struct json *rule) {
        struct slice field = json_get_text(rule, "fieldPath");

        if (field.len == 0)
                return;
        if (is_blank(field))
                complain_text(check, path, "fieldPath", field, "must be non-empty if specified");
        else if (rules_has_newline(field))
                complain_text(check, path, "fieldPath", field, "must not contain line breaks");
        if (custom_structure_is_possible(schema) && !schema_at(schema, field))
                complain_text(check, path, "fieldPath", field, "must be a valid path");
}

/* All but the expressions themselves. */
static void check_texts(struct rules_check *check, const char *path, const struct json *schema,
                        const struct json *rule) {
        struct slice text = json_get_text(rule, "rule"), message = json_get_text(rule, "message");
        struct slice computed = json_get_text(rule, "messageExpression");

        if (is_blank(text))
                custom_rules_check_complain(check, FIELD_REQUIRED, path, "rule",
                                            "rule is not specified");
        else if (message.len && is_blank(message))
                complain_text(check, path, "message", message, "must be non-empty if specified");
        else if (rules_has_newline(slice_trim(message)))
                complain_text(check, path, "message", message, "must not contain line breaks");
        else if (rules_has_newline(slice_trim(text)) && is_blank(message))
                custom_rules_check_complain(
                        check, FIELD_REQUIRED, path, "message",
                        "message must be specified if rule contains line breaks");
        if (computed.len && is_blank(computed))
                custom_rules_check_complain(check, FIELD_REQUIRED, path, "messageExpression",
                                            "messageExpression must be non-empty if specified");
        check_reason(check, path, rule);
        check_field_path(check, path, schema, rule);
}

/* A rule as upstream's own type prints it. */
static void rule_text(const struct json *rule, struct buf *out) {
        static const struct {
                const char *name, *member, *fallback;
        } members[] = { { "Rule", "rule", "\"\"" },
                        { "Message", "message", "\"\"" },
                        { "MessageExpression", "messageExpression", "\"\"" },
                        { "Reason", "reason", "null" },
                        { "FieldPath", "fieldPath", "\"\"" },
                        { "OptionalOldSelf", "optionalOldSelf", "null" } };

        for (size_t i = 0; i < ARRAY_LEN(members); i++) {
                const struct json *value = json_get(rule, members[i].member);

                buf_printf(out, "%s\"%s\":", i ? "," : "{", members[i].name);
                if (value)
                        json_write(value, out);
                else
                        buf_text(out, members[i].fallback);
        }
        buf_char(out, '}');
}

static void complain_compile(struct rules_check *check, const char *path, const char *member,
                             const struct json *rule, const struct err *err) {
        bool has_place = strncmp(err->text, "ERROR: ", 7) == 0;
        struct buf value = { 0 };

        rule_text(rule, &value);
        field_error_add(check->errors, FIELD_INVALID,
                        arena_printf(check->errors->arena, "%s.%s", path, member), value.data,
                        arena_printf(check->errors->arena, "%s%s",
                                     has_place ? "compilation failed: " : "", err->text));
        buf_release(&value);
}

static void check_old(struct rules_check *check, const char *path, const struct json *rule,
                      const struct cel_program *program) {
        if (cel_program_uses_old(program) && check->uncorrelated)
                complain_text(check, path, "rule", json_get_text(rule, "rule"),
                              arena_printf(check->errors->arena,
                                           "oldSelf cannot be used on the uncorrelatable portion "
                                           "of the schema within %s",
                                           check->uncorrelated));
        if (!cel_program_uses_old(program) && json_get(rule, "optionalOldSelf"))
                field_error_add(check->errors, FIELD_INVALID,
                                arena_printf(check->errors->arena, "%s.optionalOldSelf", path),
                                json_is_true(json_get(rule, "optionalOldSelf")) ? "true" : "false",
                                "may not be set if oldSelf is not used in rule");
}

static void check_rule(struct rules_check *check, const char *path, const struct json *rule,
                       const struct cel_type *type) {
        struct arena *arena = check->errors->arena;
        struct cel_program *program = NULL, *message = NULL;
        struct err err = { 0 };

        if (!type) {
                custom_rules_check_complain(
                        check, FIELD_INVALID, path, "rule",
                        "rule declared on schema that does not support validation rules");
                return;
        }
        if (rules_compile(arena, rule, type, &program, &err) < 0)
                complain_compile(check, path, "rule", rule, &err);
        else
                check_old(check, path, rule, program);
        if (json_get_text(rule, "messageExpression").len &&
            rules_compile_message(arena, rule, type, &message, &err) < 0)
                complain_compile(check, path, "messageExpression", rule, &err);
        cel_program_release(program);
        cel_program_release(message);
}

/* Elements of lists can be matched where the list names its keys. */
static void check_tree(struct rules_check *check, const char *path, const struct json *schema,
                       const struct cel_type *type);

static void check_elements(struct rules_check *check, const char *path, const struct json *schema,
                           const struct cel_type *type) {
        const struct json *items = json_get(schema, "items");
        const struct json *inner = rules_element_schema(schema);
        const char *before = check->uncorrelated;
        char here[RULES_PATH_BYTES];

        if (!rules_below(inner))
                return;
        snprintf(here, sizeof(here), "%s.%s", path,
                 inner == items ? "items" : "additionalProperties");
        if (inner == items && !before &&
            !slice_is(json_get_text(schema, "x-kubernetes-list-type"), "map"))
                check->uncorrelated = arena_string(check->errors->arena, slice_of(path));
        check_tree(check, here, inner, type);
        check->uncorrelated = before;
}

/* Something is wrong with the schema there or below. */
static bool has_faults(const struct rules_check *check, const char *path) {
        size_t length = strlen(path);

        for (size_t i = check->first; i < check->last; i++)
                if (strncmp(check->errors->items[i].path, path, length) == 0)
                        return true;
        return false;
}

static void check_tree(struct rules_check *check, const char *path, const struct json *schema,
                       const struct cel_type *type) {
        struct json_iter rules = json_iter(json_get(schema, RULES_MEMBER));
        struct json_iter properties = json_iter(json_get(schema, "properties"));
        const struct json *rule, *property;
        char here[RULES_PATH_BYTES];
        struct slice name;

        for (size_t i = 0; !has_faults(check, path) && json_next(&rules, NULL, &rule); i++) {
                snprintf(here, sizeof(here), "%s." RULES_MEMBER "[%zu]", path, i);
                check_rule(check, here, rule, type);
        }
        while (json_next(&properties, &name, &property)) {
                if (!rules_below(property))
                        continue;
                snprintf(here, sizeof(here), "%s.properties[" SLICE_FMT "]", path, SLICE_ARG(name));
                check_tree(check, here, property, cel_type_member(type, name));
        }
        check_elements(check, path, schema, cel_type_items(type));
}

/* Rules wherever they stand. */
static void check_all_texts(struct rules_check *check, const char *path,
                            const struct json *schema) {
        static const char *const lists[] = { "allOf", "oneOf", "anyOf" };
        static const char *const single[] = { "items", "additionalProperties", "not" };
        static const char *const maps[] = { "properties", "definitions" };
        struct json_iter rules = json_iter(json_get(schema, RULES_MEMBER)), iter;
        const struct json *inner;
        char here[RULES_PATH_BYTES];
        struct slice name;

        if (json_type(schema) != JSON_OBJECT)
                return;
        for (size_t i = 0; json_next(&rules, NULL, &inner); i++) {
                snprintf(here, sizeof(here), "%s." RULES_MEMBER "[%zu]", path, i);
                check_texts(check, here, schema, inner);
        }
        for (size_t i = 0; i < ARRAY_LEN(single); i++) {
                snprintf(here, sizeof(here), "%s.%s", path, single[i]);
                check_all_texts(check, here, json_get(schema, single[i]));
        }
        for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
                iter = json_iter(json_get(schema, lists[i]));
                for (size_t k = 0; json_next(&iter, NULL, &inner); k++) {
                        snprintf(here, sizeof(here), "%s.%s[%zu]", path, lists[i], k);
                        check_all_texts(check, here, inner);
                }
        }
        for (size_t i = 0; i < ARRAY_LEN(maps); i++) {
                iter = json_iter(json_get(schema, maps[i]));
                while (json_next(&iter, &name, &inner)) {
                        snprintf(here, sizeof(here), "%s.%s[" SLICE_FMT "]", path, maps[i],
                                 SLICE_ARG(name));
                        check_all_texts(check, here, inner);
                }
        }
}

void custom_rules_check(const struct json *schema, const char *path, bool is_structural,
                        size_t first, struct field_errors *errors) {
        struct rules_check check = { .errors = errors, .first = first };

        check_all_texts(&check, path, schema);
        check.last = errors->count;
        if (is_structural && rules_below(schema))
                check_tree(&check, path, schema, cel_type_of_schema(errors->arena, schema, true));
}
