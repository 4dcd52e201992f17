/* Patches of which the object does not decode: what is said of them. */
#include "server/patch_failure.h"

#include "api/json_patch.h"
#include "api/merge_patch.h"
#include "schema/go_text.h"
#include "schema/schema.h"
#include "schema/schema_order.h"
#include "schema/strategic_spent.h"
#include "server/api_failure.h"
#include "server/api_object.h"
#include "server/api_output.h"
#include "server/raw_leaves.h"

/* As Go prints the object, by the fields of its type and maps by their keys; a custom resource is
 * maps alone. */
static void order_as_printed(const struct schema_object *schema, struct json_tree *tree,
                             struct json_node *root) {
        if (schema)
                schema_order(schema, tree, root);
        else
                node_sort_all(root);
}

static int patch_in_order(enum patch_type type, struct json_tree *tree,
                          const struct json_node *patch) {
        if (type == PATCH_JSON)
                return json_patch_apply_again(tree, patch, NULL);
        if (node_type(patch) == JSON_OBJECT)
                return merge_patch_apply_sorted(tree, patch, NULL);
        json_tree_set_root(tree, node_clone(tree, patch));
        node_sort_all(json_tree_root(tree));
        return 0;
}

struct json_tree *patch_again(struct api_context *context, enum patch_type type,
                              const struct api_write *write, struct slice patch_text) {
        const struct api_resource *resource = write->resource;
        struct json_tree *tree = NULL, *patch = NULL;
        struct buf before = { 0 };
        int r = API_FAILED;

        if (write->old)
                object_write(slice_make(resource->prefix, resource->prefix_size),
                             object_view(context->arena, resource, store_object_body(write->old)),
                             &before);
        else
                buf_slice(&before, write->before);
        if (json_tree_parse(buf_view(&before), &tree, NULL) == 0 &&
            json_tree_parse(patch_text, &patch, NULL) == 0) {
                order_as_printed(resource->schema, tree, json_tree_root(tree));
                r = patch_in_order(type, tree, json_tree_root(patch));
        }
        json_tree_free(patch);
        buf_release(&before);
        if (r == 0)
                return tree;
        json_tree_free(tree);
        return NULL;
}

/* The patched object as upstream prints it. */
static void write_patched(struct api_context *context, enum patch_type type,
                          const struct api_write *write, struct buf *out) {
        CLEANUP(raw_leaves_release) struct raw_leaves leaves = { 0 };
        CLEANUP(buf_release) struct buf text = { 0 }, shown = { 0 };

        raw_leaves_hide(&leaves, context->request->body, type == PATCH_JSON);
        CLEANUP(cleanup_json_tree)
        struct json_tree *tree = patch_again(context, type, write, buf_view(&leaves.text));
        if (!tree)
                return;
        node_write(json_tree_root(tree), &text);
        raw_leaves_show(&leaves, buf_view(&text), &shown);
        json_escape_for_html(buf_view(&shown), out);
}

/* The first wrong value in that order; NULL when there is none. */
static const char *find_wrong_value(struct api_context *context, enum patch_type type,
                                    const struct api_write *write) {
        const struct schema_object *schema = write->resource->schema;
        struct schema_report report = { .minor = write->resource->minor,
                                        .stored = write->old_json };
        struct err err = { 0 };
        CLEANUP(cleanup_json_tree)
        struct json_tree *tree = patch_again(context, type, write, context->request->body);

        if (!tree || !schema ||
            schema_normalise(schema, tree, json_tree_root(tree), &report, &err) == 0)
                return NULL;
        return arena_string(context->arena, slice_of(err.text));
}

/* What upstream's merge leaves of a strategic patch, as Go prints it. */
static void write_spent(struct api_context *context, const struct api_write *write,
                        struct buf *out) {
        CLEANUP(cleanup_json_tree) struct json_tree *tree = json_tree_new();
        const struct json *patch = request_json(context, context->request->body);
        const struct json *before = write->old_json;
        CLEANUP(buf_release) struct buf text = { 0 };

        if (!before && write->before.len)
                before = request_json(context, write->before);
        struct json_node *rest = node_import(tree, patch);
        struct json_node *original = before ? node_import(tree, before) : node_object(tree);
        node_put_string(tree, original, "kind", write->resource->kind->kind);
        node_put_string(tree, original, "apiVersion", write->resource->api_version);
        if (node_type(rest) == JSON_OBJECT)
                strategic_spend(write->resource->merge_type, tree, original, rest);
        node_write(rest, &text);
        go_text_write(request_json(context, arena_slice(context->arena, buf_view(&text))), out);
}

int fail_document(struct api_context *context, const struct api_write *write, const char *complaint,
                  bool is_wrong_value) {
        enum patch_type type = patch_type(context);
        struct field_errors errors = { .arena = context->arena };
        struct buf text = { 0 }, quoted = { 0 };
        bool is_text = type == PATCH_JSON || type == PATCH_MERGE;
        const char *first = NULL;

        if (type == PATCH_STRATEGIC)
                write_spent(context, write, &text);
        else if (is_text)
                write_patched(context, type, write, &text);
        else
                buf_text(&text, "{}");
        if (is_wrong_value && is_text)
                first = find_wrong_value(context, type, write);
        buf_json_string(&quoted, buf_view(&text));
        field_error_add(&errors, FIELD_INVALID, "patch", quoted.data, first ? first : complaint);
        buf_release(&text);
        buf_release(&quoted);
        return fail_invalid(context, "", "", SLICE_EMPTY, &errors);
}
