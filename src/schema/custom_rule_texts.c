/* What is wrong with the rules of one schema besides their expressions. Errors read as upstream's.
 */
#include "base/util.h"
#include "schema/custom_rules_priv.h"
#include "schema/custom_structure.h"
#include "schema/schema_path.h"
#include "schema/structure_priv.h"
#include <string.h>

static bool is_blank(struct slice text) {
        return slice_trim(text).len == 0;
}

static bool has_line_break(struct slice text) {
        return rules_has_newline(text) || memchr(text.ptr ? text.ptr : "", '\r', text.len);
}

static void check_reason(struct structure_walk *walk, const struct json *rule) {
        static const char *const reasons[] = { "FieldValueDuplicate", "FieldValueForbidden",
                                               "FieldValueInvalid", "FieldValueRequired" };
        const struct json *reason = json_get(rule, "reason");

        for (size_t i = 0; i < ARRAY_LEN(reasons); i++)
                if (slice_is(json_text(reason), reasons[i]))
                        return;
        if (reason)
                schema_complain(walk, FIELD_NOT_SUPPORTED, "reason", reason,
                                "supported values: \"FieldValueDuplicate\", "
                                "\"FieldValueForbidden\", \"FieldValueInvalid\", "
                                "\"FieldValueRequired\"");
}

/* Where nothing can be found in the schema, the path is taken as it is. */
static bool leads_somewhere(const struct json *schema, struct slice path, struct arena *arena) {
        CLEANUP(buf_release) struct buf text = { 0 };
        const char *problem;

        return custom_structure_problem(schema) ||
               schema_path_find(schema, path, true, arena, &text, &problem);
}

static void check_field_path(struct structure_walk *walk, const struct json *schema,
                             const struct json *rule) {
        const struct json *path = json_get(rule, "fieldPath");
        struct slice text = json_text(path);

        if (text.len == 0)
                return;
        if (is_blank(text))
                schema_complain(walk, FIELD_INVALID, "fieldPath", path,
                                "must be non-empty if specified");
        if (has_line_break(text))
                schema_complain(walk, FIELD_INVALID, "fieldPath", path,
                                "must not contain line breaks");
        if (!leads_somewhere(schema, text, walk->errors->arena))
                schema_complain(walk, FIELD_INVALID, "fieldPath", path, "must be a valid path");
}

static void check_message(struct structure_walk *walk, const struct json *rule) {
        const struct json *message = json_get(rule, "message");
        struct slice text = json_get_text(rule, "rule");

        if (is_blank(text))
                schema_complain(walk, FIELD_REQUIRED, "rule", NULL, "rule is not specified");
        else if (json_text(message).len && is_blank(json_text(message)))
                schema_complain(walk, FIELD_INVALID, "message", message,
                                "must be non-empty if specified");
        else if (has_line_break(slice_trim(json_text(message))))
                schema_complain(walk, FIELD_INVALID, "message", message,
                                "must not contain line breaks");
        else if (has_line_break(slice_trim(text)) && is_blank(json_text(message)))
                schema_complain(walk, FIELD_REQUIRED, "message", NULL,
                                "message must be specified if rule contains line breaks");
}

void rules_check_texts(struct structure_walk *walk, const struct json *schema) {
        struct json_iter rules = json_iter(json_get(schema, RULES_MEMBER));
        const struct json *rule;

        for (size_t i = 0; json_next(&rules, NULL, &rule); i++) {
                struct slice computed = json_get_text(rule, "messageExpression");
                size_t length = schema_walk_index(walk, RULES_MEMBER, i);

                check_message(walk, rule);
                if (computed.len && is_blank(computed))
                        schema_complain(walk, FIELD_REQUIRED, "messageExpression", NULL,
                                        "messageExpression must be non-empty if specified");
                check_reason(walk, rule);
                check_field_path(walk, schema, rule);
                schema_walk_out(walk, length);
        }
}
