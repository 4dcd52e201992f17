/* Validation of custom resources, in upstream's order: the schema, the numbers that scales show,
 * the objects inside, which elements of lists are the same, the rules. */
#include "base/util.h"
#include "kinds/embedded_resource.h"
#include "schema/custom_rules.h"
#include "schema/custom_schema.h"
#include "schema/go_text.h"
#include "server/custom_resource_priv.h"

static void check_further(const struct custom_resource *custom, const struct json_node *object,
                          const struct json *old, struct wall_time now,
                          struct field_errors *errors) {
        struct json_doc *doc = NULL;
        struct buf text = { 0 };
        struct err err = { 0 };

        node_write(object, &text);
        if (json_parse(buf_view(&text), &doc, &err) < 0 ||
            custom->definition->check(json_doc_root(doc), old, now, &err) < 0)
                field_error_add(errors, FIELD_INVALID, *err.path ? err.path : "status", NULL,
                                err.text);
        json_doc_free(doc);
        buf_release(&text);
}

/* What is wrong in a way that rules could not be asked about the object. */
static bool has_blocking_error(const struct field_errors *errors) {
        for (size_t i = 0; i < errors->count; i++) {
                switch (errors->items[i].kind) {
                case FIELD_REQUIRED:
                case FIELD_NOT_SUPPORTED:
                case FIELD_TOO_LONG:
                case FIELD_TOO_MANY:
                case FIELD_TYPE_INVALID:
                case FIELD_INTERNAL:
                        return true;
                default:
                        break;
                }
        }
        return false;
}

/* ---- the schema ---- */

/* Of a status that is written alone, by the schema of the status: messages name places in it. */
static void check_status(const struct custom_resource *custom, const struct json_node *object,
                         const struct json *old, struct field_errors *errors) {
        const struct json *schema = json_get(json_get(custom->schema, "properties"), "status");
        const struct json_node *status = node_get(object, "status");
        struct field_errors found = { .arena = errors->arena };

        if (!schema || !status)
                return;
        custom_validate(schema, status, json_get(old, "status"), &found);
        custom_errors_at(&found, "status", errors);
}

/* ---- scales ---- */

/* Why there is no value of the type where the path leads; NULL = there is one, or nothing at all.
 */
static const char *accessor_problem(struct arena *arena, const struct json *object,
                                    const char *path, enum json_type wanted,
                                    const struct json **ret_value) {
        struct slice rest = slice_of(*path == '.' ? path + 1 : path), name;
        const char *start = rest.ptr, *expected = "map[string]interface{}";
        const struct json *value = object;
        CLEANUP(buf_release) struct buf text = { 0 };

        *ret_value = NULL;
        while (slice_split(&rest, '.', &name)) {
                struct slice walked = slice_make(start, (size_t)(name.ptr + name.len - start));

                if (json_type(value) == JSON_NULL)
                        return NULL;
                if (json_type(value) != JSON_OBJECT) {
                        go_text_write(value, &text);
                        return arena_printf(arena,
                                            "." SLICE_FMT " accessor error: " SLICE_FMT
                                            " is of the type %s, expected %s",
                                            SLICE_ARG(walked), SLICE_ARG(buf_view(&text)),
                                            go_type_name(value), expected);
                }
                value = json_get_slice(value, name);
                if (!value)
                        return NULL;
        }
        if (json_type(value) == wanted) {
                *ret_value = value;
                return NULL;
        }
        go_text_write(value, &text);
        return arena_printf(arena,
                            "%s%s accessor error: " SLICE_FMT " is of the type %s, expected %s",
                            *path == '.' ? "" : ".", path, SLICE_ARG(buf_view(&text)),
                            go_type_name(value), wanted == JSON_INT ? "int64" : "string");
}

static void check_replicas(const struct json *object, const char *path,
                           struct field_errors *errors) {
        const struct json *value;
        const char *problem = accessor_problem(errors->arena, object, path, JSON_INT, &value);
        int64_t replicas = 0;

        json_as_i64(value, &replicas);
        if (!problem && replicas < 0)
                problem = "should be a non-negative integer";
        else if (!problem && replicas > INT32_MAX)
                problem = "should be less than or equal to 2147483647";
        if (problem)
                field_error_add(errors, FIELD_INVALID, path,
                                arena_printf(errors->arena, "%lld", (long long)replicas), problem);
}

/* Writes of the status leave the wanted number alone. */
static void check_scale(const struct custom_resource *custom, bool is_status,
                        const struct json_node *object, struct field_errors *errors) {
        const char *const *paths = custom->kind.scale_paths;
        const struct json *value;

        if (!paths)
                return;
        struct json_doc *doc = json_doc_of(object);
        if (doc) {
                if (!is_status)
                        check_replicas(json_doc_root(doc), paths[0], errors);
                check_replicas(json_doc_root(doc), paths[1], errors);
                const char *problem = *paths[2]
                                              ? accessor_problem(errors->arena, json_doc_root(doc),
                                                                 paths[2], JSON_STRING, &value)
                                              : NULL;
                if (problem)
                        field_error_add(errors, FIELD_INVALID, paths[2], "\"\"", problem);
        }
        json_doc_free(doc);
}

/* ---- together ---- */

static void check_parts(const struct custom_resource *custom, bool is_status,
                        const struct json_node *object, const struct json *old,
                        struct field_errors *errors) {
        if (custom->schema && is_status)
                check_status(custom, object, old, errors);
        else if (custom->schema)
                custom_validate(custom->schema, object, old, errors);
        check_scale(custom, is_status, object, errors);
        if (custom->has_embedded && !is_status)
                embedded_check(&(struct embedded_value){ custom->schema, "", false }, object,
                               errors);
        if (custom->schema)
                custom_check_lists(custom->schema, object, old, errors);
}

void custom_resource_validate(struct kind_context *context, enum kind_operation operation,
                              const struct json_node *object, const struct json *old,
                              struct field_errors *errors) {
        const struct custom_resource *custom = custom_of(context->kind);

        check_parts(custom, operation == KIND_UPDATE_STATUS, object, old, errors);
        bool is_blocked = custom->rules && has_blocking_error(errors);
        if (is_blocked)
                field_error_add(errors, FIELD_INVALID, "<nil>", "null",
                                "some validation rules were not checked because the object was "
                                "invalid; correct the existing errors to complete validation");
        else if (custom->rules)
                custom_rules_apply(custom->rules, object, old, errors);
        if (custom->definition->check && errors->count == 0 && operation != KIND_UPDATE)
                check_further(custom, object, old, context->now, errors);
}
