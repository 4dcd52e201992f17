/* Hooks of custom resources: pruning, defaults, validation, rows of tables, schema documents. */
#include "server/custom_resource_priv.h"

#include "schema/column_path.h"
#include "schema/custom_rules.h"
#include "schema/custom_schema.h"
#include "server/unknown_paths.h"

const struct custom_resource *custom_of(const struct kind_info *kind) {
        return CONTAINER_OF((struct kind_info *)kind, struct custom_resource, kind);
}

void custom_resource_prune(const struct kind_info *kind, struct json_tree *tree,
                           struct json_node *object,
                           void (*unknown)(void *context, const char *path), void *context) {
        const struct schema_object *metadata = schema_named("meta.v1.ObjectMeta");
        struct json_node *given = node_get(object, "metadata");
        struct unknown_paths found = { 0 };

        if (custom_of(kind)->schema) {
                custom_prune(custom_of(kind)->schema, tree, object, unknown_paths_note, &found);
                unknown_paths_report(&found, true, unknown, context);
                custom_default(custom_of(kind)->schema, tree, object);
        }
        if (metadata && node_type(given) == JSON_OBJECT)
                schema_normalise(metadata, tree, given, NULL, NULL);
}

/* The version an object of another one is stored in; NULL = it is its own. */
static const struct custom_resource *storage_version(const struct custom_resource *custom) {
        const struct custom_resource *other = custom->definition->versions;

        while (other && !other->is_storage)
                other = other->next;
        return other == custom ? NULL : other;
}

void custom_resource_prepare(struct kind_context *context, enum kind_operation operation,
                             struct json_tree *tree, struct json_node *object,
                             const struct json *old) {
        const struct custom_resource *custom = custom_of(context->kind);

        (void)old;
        if (operation == KIND_CREATE && (custom->kind.flags & KIND_STATUS))
                node_remove(object, "status");
        if (custom->schema)
                custom_default(custom->schema, tree, object);
        custom = storage_version(custom);
        if (!custom || !custom->schema)
                return;
        custom_prune(custom->schema, tree, object, NULL, NULL);
        custom_default(custom->schema, tree, object);
}

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

static void check_replicas(const struct custom_resource *custom, const struct json_node *object,
                           size_t which, struct field_errors *errors) {
        struct slice rest = slice_of(custom->scale_paths[which]), name;
        const struct json_node *value = object;
        int64_t replicas;

        while (slice_split(&rest, '.', &name))
                if (name.len)
                        value = node_find(value, name);
        if (!value || !node_as_i64(value, &replicas) || (replicas >= 0 && replicas <= INT32_MAX))
                return;
        field_error_add(errors, FIELD_INVALID, custom->scale_paths[which],
                        arena_printf(errors->arena, "%lld", (long long)replicas),
                        replicas < 0 ? "should be a non-negative integer"
                                     : "should be less than or equal to 2147483647");
}

void custom_resource_validate(struct kind_context *context, enum kind_operation operation,
                              const struct json_node *object, const struct json *old,
                              struct field_errors *errors) {
        const struct custom_resource *custom = custom_of(context->kind);

        if (custom->schema && old)
                custom_validate_update(custom->schema, object, old, errors);
        else if (custom->schema)
                custom_validate(custom->schema, object, errors);
        bool is_blocked = custom->rules && has_blocking_error(errors);
        if (is_blocked)
                field_error_add(errors, FIELD_INVALID, "<nil>", "null",
                                "some validation rules were not checked because the object was "
                                "invalid; correct the existing errors to complete validation");
        else if (custom->rules)
                custom_rules_apply(custom->rules, object, old, errors);
        for (size_t i = 0; custom->kind.scale_paths && i < 2; i++)
                check_replicas(custom, object, i, errors);
        if (custom->definition->check && errors->count == 0 && operation != KIND_UPDATE)
                check_further(custom, object, old, context->now, errors);
}

static void cell_write(const struct json *value, struct slice type, struct wall_time now,
                       struct buf *out) {
        struct wall_time time;
        char text[40];

        if (slice_is(type, "date") && wall_time_parse(json_text(value), &time)) {
                duration_format_human(now.ns - time.ns, text);
                buf_json_string(out, slice_of(text));
        } else if (!value) {
                buf_text(out, "null");
        } else if (slice_is(type, "string") && json_type(value) != JSON_STRING) {
                struct buf plain = { 0 };

                json_write(value, &plain);
                buf_json_string(out, buf_view(&plain));
                buf_release(&plain);
        } else {
                json_write(value, out);
        }
}

void custom_resource_row(struct kind_context *context, const struct json *object, struct buf *cells,
                         struct buf *conditions) {
        const struct custom_resource *custom = custom_of(context->kind);
        struct json_iter iter = json_iter(custom->printer_columns);
        const struct json *metadata = json_get(object, "metadata"), *column;

        (void)conditions;
        buf_char(cells, '[');
        buf_json_string(cells, json_get_text(metadata, "name"));
        while (json_next(&iter, NULL, &column)) {
                buf_char(cells, ',');
                cell_write(column_path_value(object, json_get_text(column, "jsonPath")),
                           json_get_text(column, "type"), context->now, cells);
        }
        if (json_count(custom->printer_columns) == 0) {
                buf_char(cells, ',');
                cell_write(json_get(metadata, "creationTimestamp"), SLICE_LITERAL("date"),
                           context->now, cells);
        }
        buf_char(cells, ']');
}

/* The definition's schema, with what every object has. */
void custom_resource_openapi(const struct kind_info *kind, struct buf *out) {
        static const char *const members[] = { "apiVersion", "kind" };
        const struct custom_resource *custom = custom_of(kind);
        CLEANUP(cleanup_json_tree) struct json_tree *tree = json_tree_new();
        struct json_node *type =
                custom->schema ? node_import(tree, custom->schema) : node_object(tree);
        struct json_node *list = node_array(tree), *own = node_object(tree), *text, *properties;

        properties = node_need_object(tree, type, "properties");
        for (size_t i = 0; properties && i < ARRAY_LEN(members); i++) {
                text = node_object(tree);
                node_put_string(tree, text, "type", "string");
                node_put(tree, properties, members[i], text);
        }
        if (properties && !node_get(properties, "metadata")) {
                text = node_object(tree);
                node_put_string(tree, text, "type", "object");
                node_put(tree, properties, "metadata", text);
        }
        node_put_string(tree, own, "group", kind->group);
        node_put_string(tree, own, "kind", kind->kind);
        node_put_string(tree, own, "version", kind->version);
        node_append(list, own);
        node_put(tree, type, "x-kubernetes-group-version-kind", list);
        node_write(type, out);
}
