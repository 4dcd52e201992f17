/* Answers: objects as they are, as rows of a Table, or reduced to their metadata; headers. */
#include "server/api_output.h"

#include "kinds/number_annotation.h"
#include "server/api_accept.h"
#include "server/api_context.h"
#include "server/api_object.h"
#include <stdarg.h>
#include <stdlib.h>

void respond_success(struct api_context *context, int code) {
        context->response->status = code;
        context->response->content_type = "application/json";
        buf_printf(&context->response->body,
                   "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},"
                   "\"status\":\"Success\",\"code\":%d}",
                   code);
}

void warn_add(struct api_context *context, struct slice text) {
        context->warnings = arena_grow(context->arena, context->warnings, context->warning_count,
                                       &context->warning_cap, sizeof(*context->warnings));
        context->warnings[context->warning_count++] = arena_slice(context->arena, text);
}

void object_write(struct slice prefix, struct slice body, struct buf *out) {
        buf_slice(out, prefix);
        buf_append(out, body.ptr + 1, body.len - 1); /* without the opening brace */
}

const char *meta_version(struct table_form form) {
        return form.is_beta ? "v1beta1" : "v1";
}

static void partial_head_write(const char *version, struct buf *out) {
        buf_printf(out,
                   "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/%s\","
                   "\"metadata\":",
                   version);
}

void partial_write(const struct kind_info *kind, const struct json *object, const char *version,
                   struct buf *out) {
        const struct json *metadata = json_get(object, "metadata");
        const char *hidden = kind->number ? kind->number->key : NULL;
        CLEANUP(cleanup_json_tree) struct json_tree *tree = NULL;

        partial_head_write(version, out);
        if (!hidden || !json_get(json_get(metadata, "annotations"), hidden)) {
                json_write(metadata, out);
        } else {
                tree = json_tree_new();
                struct json_node *copy = node_import(tree, metadata);
                node_remove(node_get(copy, "annotations"), hidden);
                if (node_count(node_get(copy, "annotations")) == 0)
                        node_remove(copy, "annotations");
                node_write(copy, out);
        }
        buf_char(out, '}');
}

/* Metadata of a table row; some kinds keep some of what is stored in annotations of the view. */
static void row_metadata_write(const struct kind_info *kind, struct slice body,
                               const struct json *object, const char *version, struct buf *out) {
        CLEANUP(cleanup_json_doc) struct json_doc *view = NULL;

        if (kind->from_stored && json_parse(body, &view, NULL) == 0)
                object = json_doc_root(view);
        partial_write(kind, object, version, out);
}

static void column_write(const struct table_column *column, struct buf *out) {
        buf_text(out, "{\"name\":");
        buf_json_string(out, slice_of(column->name));
        buf_printf(out, ",\"type\":\"%s\",\"format\":\"%s\",\"description\":\"\",\"priority\":%d}",
                   column->type, column->format ? column->format : "", column->priority);
}

void table_columns_write(const struct api_resource *resource, struct buf *out) {
        static const struct table_column plain[] = { { "Name", "string", "name", 0 },
                                                     { "Created At", "date", "", 0 } };
        const struct kind_info *kind = resource->kind;
        const struct table_column *columns = kind->columns ? kind->columns : plain;
        size_t count = kind->columns ? kind->column_count : ARRAY_LEN(plain);

        buf_text(out, "\"columnDefinitions\":[");
        for (size_t i = 0; i < count; i++) {
                if (i)
                        buf_char(out, ',');
                column_write(&columns[i], out);
        }
        buf_char(out, ']');
}

static void plain_cells(const struct json *object, struct buf *out) {
        const struct json *metadata = json_get(object, "metadata");
        struct slice made = json_get_text(metadata, "creationTimestamp");

        buf_char(out, '[');
        buf_json_string(out, json_get_text(metadata, "name"));
        buf_char(out, ',');
        buf_json_string(out, made.len ? made : SLICE_LITERAL("0001-01-01T00:00:00Z"));
        buf_char(out, ']');
}

void table_row_write(struct kind_context *hooks, const struct api_resource *resource,
                     struct table_form form, struct slice body, const struct json *object,
                     struct buf *out) {
        struct buf conditions = { 0 };

        buf_text(out, "{\"cells\":");
        if (resource->kind->table_row)
                resource->kind->table_row(hooks, object, out, &conditions);
        else
                plain_cells(object, out);
        if (conditions.len) {
                buf_text(out, ",\"conditions\":");
                buf_slice(out, buf_view(&conditions));
        }
        buf_text(out, ",\"object\":");
        if (form.include == INCLUDE_NONE)
                buf_text(out, "null");
        else if (form.include == INCLUDE_OBJECT)
                object_write(slice_make(resource->prefix, resource->prefix_size), body, out);
        else
                row_metadata_write(resource->kind, body, object, meta_version(form), out);
        buf_char(out, '}');
        buf_release(&conditions);
}

static void table_of_one(struct api_context *context, struct slice body, const struct json *object,
                         struct buf *out) {
        buf_printf(out,
                   "{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/%s\","
                   "\"metadata\":{\"resourceVersion\":",
                   meta_version(context->table));
        buf_json_string(out, json_get_text(json_get(object, "metadata"), "resourceVersion"));
        buf_text(out, "},");
        table_columns_write(context->resource, out);
        buf_text(out, ",\"rows\":[");
        table_row_write(&context->hooks, context->resource, context->table, body, object, out);
        buf_text(out, "]}");
}

int respond_object(struct api_context *context, int status, struct slice body) {
        struct buf *out = &context->response->body;
        struct slice view = object_view(context->arena, context->resource, body);

        if (accept_check(context, ANSWER_OBJECT) < 0)
                return API_FAILED;
        context->response->status = status;
        context->response->content_type =
                context->table.is_yaml ? "application/yaml" : "application/json";
        if (context->form == FORM_TABLE)
                table_of_one(context, view, request_json(context, body), out);
        else if (context->form == FORM_PARTIAL)
                partial_write(context->resource->kind, request_json(context, view),
                              meta_version(context->table), out);
        else
                object_write(slice_make(context->resource->prefix, context->resource->prefix_size),
                             view, out);
        return 0;
}
