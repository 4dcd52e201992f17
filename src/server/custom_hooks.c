/* Hooks of custom resources: pruning, defaults, rows of tables, schema documents. */
#include "server/custom_resource_priv.h"

#include "kinds/embedded_resource.h"
#include "schema/column_path.h"
#include "schema/custom_schema.h"
#include "server/unknown_paths.h"
#include <stdio.h>

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

static int coerce_own_metadata(struct json_tree *tree, struct json_node *given,
                               void (*unknown)(void *context, const char *path), void *context,
                               struct err *err) {
        struct unknown_paths found = { 0 };
        struct schema_report report = { .unknown = unknown_paths_note, .context = &found };

        if (node_type(given) != JSON_OBJECT)
                return 0;
        int r = schema_normalise(schema_named("meta.v1.ObjectMeta"), tree, given, &report, err);
        for (size_t i = 0; unknown && i < found.count; i++) {
                char path[256];

                snprintf(path, sizeof(path), "metadata.%s", found.paths[i]);
                unknown(context, path);
        }
        unknown_paths_report(&found, false, NULL, NULL);
        return r;
}

int custom_resource_prune(const struct kind_info *kind, struct json_tree *tree,
                          struct json_node *object,
                          void (*unknown)(void *context, const char *path), void *context,
                          struct err *err) {
        const struct custom_resource *custom = custom_of(kind);
        struct unknown_paths found = { 0 };
        int r = coerce_own_metadata(tree, node_get(object, "metadata"), unknown, context, err);

        if (r == 0 && custom->schema) {
                custom_prune(custom->schema, object, true, unknown_paths_note, &found);
                unknown_paths_report(&found, true, unknown, context);
                if (custom->has_embedded)
                        r = coerce_embedded(custom, tree, object, unknown, context, err);
                custom_default(custom->schema, tree, object);
        }
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

/* Of a number; null where it has another type. */
static void number_cell_write(const struct json *value, bool is_whole, struct buf *out) {
        double number;

        if (!json_as_f64(value, &number))
                buf_text(out, "null");
        else if (is_whole && json_type(value) == JSON_REAL)
                buf_printf(out, "%lld", (long long)number);
        else
                json_write(value, out);
}

/* What is not of the column's type is not shown; the path need not lead anywhere. */
static void cell_write(const struct json *value, struct slice type, struct wall_time now,
                       struct buf *out) {
        enum json_type is = json_type(value);
        bool is_date = slice_is(type, "date");
        struct wall_time time;
        char text[40];

        if (is_date && is == JSON_STRING && !wall_time_parse(json_text(value), &time)) {
                buf_text(out, "\"<invalid>\"");
        } else if (is_date && is == JSON_STRING) {
                duration_format_human(now.ns - time.ns, text);
                buf_json_string(out, slice_of(text));
        } else if (slice_is(type, "integer") || slice_is(type, "number")) {
                number_cell_write(value, slice_is(type, "integer"), out);
        } else if ((slice_is(type, "string") && is == JSON_STRING) ||
                   (slice_is(type, "boolean") && is == JSON_BOOL)) {
                json_write(value, out);
        } else {
                buf_text(out, "null");
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
