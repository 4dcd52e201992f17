/* Hooks of custom resources: pruning, defaults, rows of tables, schema documents. */
#include "server/custom_resource_priv.h"

#include "kinds/embedded_resource.h"
#include "schema/column_path.h"
#include "schema/custom_schema.h"
#include "server/unknown_paths.h"

const struct custom_resource *custom_of(const struct kind_info *kind) {
        return CONTAINER_OF((struct kind_info *)kind, struct custom_resource, kind);
}

/* The objects inside of it get metadata of the usual form. */
static int coerce_embedded(const struct custom_resource *custom, struct json_tree *tree,
                           struct json_node *object,
                           void (*unknown)(void *context, const char *path), void *context,
                           struct err *err) {
        struct embedded_value whole = { custom->schema, "", false };
        struct unknown_paths found = { 0 };
        struct arena arena;
        int r = 0;

        arena_init(&arena, 0);
        struct field_errors errors = { .arena = &arena };
        if (!embedded_coerce(&whole, tree, object, unknown_paths_note, &found, &errors))
                r = err_set(err, BERTH_ERR_BAD_REQUEST, "%s: %s", errors.items[0].path,
                            errors.items[0].message);
        unknown_paths_report(&found, true, unknown, context);
        arena_release(&arena);
        return r;
}

int custom_resource_prune(const struct kind_info *kind, struct json_tree *tree,
                          struct json_node *object,
                          void (*unknown)(void *context, const char *path), void *context,
                          struct err *err) {
        const struct schema_object *metadata = schema_named("meta.v1.ObjectMeta");
        const struct custom_resource *custom = custom_of(kind);
        struct json_node *given = node_get(object, "metadata");
        struct unknown_paths found = { 0 };
        int r = 0;

        if (custom->schema) {
                custom_prune(custom->schema, object, true, unknown_paths_note, &found);
                unknown_paths_report(&found, true, unknown, context);
                if (custom->has_embedded)
                        r = coerce_embedded(custom, tree, object, unknown, context, err);
                custom_default(custom->schema, tree, object);
        }
        if (metadata && node_type(given) == JSON_OBJECT)
                schema_normalise(metadata, tree, given, NULL, NULL);
        return r;
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
        custom_prune(custom->schema, object, true, NULL, NULL);
        custom_default(custom->schema, tree, object);
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
