/* Refuses files of another kind or version before any field is read. */
#include "config/type_meta.h"

/* A member that must read as text; optional members may be absent. */
static bool check_member(struct field_reader *reader, const struct json *root, const char *name,
                         struct slice wanted, bool is_optional) {
        const struct json *value = json_get(root, name);
        enum json_type type = json_type(value);
        struct slice text = json_text(value);
        if (type == JSON_NONE || type == JSON_NULL || (type == JSON_STRING && text.len == 0)) {
                if (!is_optional)
                        field_problem(reader, value ? value : root, name,
                                      "required, expected \"" SLICE_FMT "\"", SLICE_ARG(wanted));
                return is_optional;
        }
        if (type != JSON_STRING) {
                field_problem(reader, value, name, "expected \"" SLICE_FMT "\"", SLICE_ARG(wanted));
                return false;
        }
        if (slice_eq(text, wanted))
                return true;
        field_problem(reader, value, name, "expected \"" SLICE_FMT "\", found \"" SLICE_FMT "\"",
                      SLICE_ARG(wanted), SLICE_ARG(text));
        return false;
}

bool type_meta_check(const struct document *document, const struct json *root,
                     const struct type_meta_rule *rule, struct config_problems *problems) {
        struct field_reader reader = { .document = document, .problems = problems };
        enum json_type type = json_type(root);
        if (type == JSON_NULL) {
                field_problem(&reader, root, NULL, "the file is empty, expected a %s", rule->kind);
                return false;
        }
        if (type != JSON_OBJECT) {
                field_problem(&reader, root, NULL, "expected a mapping of kind %s", rule->kind);
                return false;
        }
        return check_member(&reader, root, "apiVersion", slice_of(rule->api_version), false) &&
               check_member(&reader, root, "kind", slice_of(rule->kind), rule->kind_is_optional);
}
