/* From a finished write to the store, and from a stored object to the beginning of one. */
#include "server/api_store.h"
#include "base/pace.h"
#include "server/api_context.h"
#include "server/api_failure.h"
#include "server/api_object.h"
#include <inttypes.h>
#include <stdio.h>

static int fail_store(struct api_context *context, const struct err *err) {
        return fail_plain(context, err_http_status(err->code), err_reason(err->code), "%s",
                          err->text);
}

/* As node_write; *ret_at is where the member begins that the keys of way lead to. */
static void write_noting(const struct json_node *object, const char *const *way, struct buf *out,
                         size_t *ret_at) {
        struct node_iter iter = node_iter(object);
        struct json_node *value;
        struct slice key;

        buf_char(out, '{');
        while (!out->overflowed && node_next(&iter, &key, &value)) {
                bool is_on_way = slice_is(key, way[0]);

                buf_json_member(out, key, iter.index == 1);
                if (is_on_way && way[1]) {
                        write_noting(value, way + 1, out, ret_at);
                        continue;
                }
                if (is_on_way)
                        *ret_at = out->len;
                node_write(value, out);
        }
        buf_char(out, '}');
}

/* With the version between head and tail, and in the tree. */
static struct slice body_with_version(struct api_context *context, struct json_tree *tree,
                                      struct json_node *metadata, struct slice head,
                                      struct slice tail) {
        CLEANUP(buf_release) struct buf text = { 0 };
        char revision[24];

        snprintf(revision, sizeof(revision), "%" PRIu64,
                 store_next_revision(context->engine->store));
        node_put_string(tree, metadata, "resourceVersion", revision);
        buf_reserve(&text, head.len + tail.len + sizeof(revision));
        buf_slice(&text, head);
        buf_text(&text, revision);
        buf_slice(&text, tail);
        return arena_slice(context->arena, buf_view(&text));
}

/* etcd's limit of a request. Upstream stores built-in kinds as protobuf, about half of their JSON.
 */
#define STORED_BYTES_MAX ((size_t)3 << 19)

static size_t stored_bytes_max(const struct api_write *write) {
        return write->resource->schema ? 2 * STORED_BYTES_MAX : STORED_BYTES_MAX;
}

/* Text of the object without kind and apiVersion, with the version it is about to get, if it has
 * at most so many bytes. Leases that are written while it is made take versions, so that one is put
 * in at the end. */
static bool body_of(struct api_context *context, struct json_tree *tree, struct json_node *object,
                    size_t bytes_max, struct slice *ret_body) {
        static const char *const way[] = { "metadata", "resourceVersion", NULL };
        struct json_node *metadata = node_need_object(tree, object, "metadata");
        CLEANUP(buf_release) struct buf text = { 0 };
        size_t at = 0;

        buf_init(&text, bytes_max);
        if (!context->is_dry_run)
                node_put_string(tree, metadata, "resourceVersion", "");
        node_remove(object, "kind");
        node_remove(object, "apiVersion");
        write_noting(object, way, &text, &at);
        pace_set(NULL); /* to the end of the request nobody comes in between */
        struct slice whole = buf_view(&text);
        *ret_body = SLICE_EMPTY;
        if (text.overflowed)
                return false;
        at++; /* the quotation mark */
        *ret_body = context->is_dry_run
                            ? arena_slice(context->arena, whole)
                            : body_with_version(context, tree, metadata, slice_make(whole.ptr, at),
                                                slice_make(whole.ptr + at, whole.len - at));
        return ret_body->len <= bytes_max;
}

int write_put(struct api_context *context, struct api_write *write, struct slice *ret_body) {
        struct err err = { 0 };

        if (!body_of(context, write->tree, write->object, stored_bytes_max(write), ret_body))
                return fail_plain(context, 500, NULL, "etcdserver: request is too large");
        if (!context->is_dry_run &&
            store_put(context->engine->store, write->resource->store_resource, write->ns,
                      write->name, *ret_body, &err) < 0)
                return fail_store(context, &err);
        return 0;
}

int write_remove(struct api_context *context, struct api_write *write, struct slice *ret_body) {
        struct err err = { 0 };

        body_of(context, write->tree, write->object, BUF_MAX_DEFAULT, ret_body);
        if (!context->is_dry_run &&
            store_remove(context->engine->store, write->resource->store_resource, write->ns,
                         write->name, *ret_body, &err) < 0)
                return fail_store(context, &err);
        return 0;
}

int write_begin(struct api_context *context, const struct api_resource *resource,
                const struct store_object *object, struct api_write *ret_write) {
        struct api_write write = {
                .resource = resource,
                .operation = KIND_UPDATE,
                .ns = arena_slice(context->arena, store_object_ns(object)),
                .name = arena_slice(context->arena, store_object_name(object)),
        };

        write.stored_json = request_object_json(context, object);
        if (!write.stored_json)
                return fail_plain(context, 500, "InternalError", "stored object is damaged");
        write.old_json = write.stored_json;
        if (resource->kind->from_stored)
                write.old_json = request_json(
                        context, object_view(context->arena, resource, store_object_body(object)));
        write.tree = json_tree_new();
        write.object = node_import_unique(write.tree, write.old_json);
        json_tree_set_root(write.tree, write.object);
        node_put_string(write.tree, write.object, "kind", resource->kind->kind);
        node_put_string(write.tree, write.object, "apiVersion", resource->api_version);
        write.old = store_object_ref(object);
        *ret_write = write;
        return 0;
}

void write_end(struct api_write *write) {
        json_tree_free(write->tree);
        store_object_unref(write->old);
        *write = (struct api_write){ 0 };
}

void object_remove(struct api_engine *engine, const struct store_object *object) {
        struct api_context context = { .engine = engine, .arena = &engine->scratch };
        struct api_resource resource = { .store_resource = object->resource };
        struct api_write write = {
                .resource = &resource,
                .ns = store_object_ns(object),
                .name = store_object_name(object),
        };
        struct slice body;

        write.object = tree_of_object(object, &write.tree);
        if (write.object)
                write_remove(&context, &write, &body);
        json_tree_free(write.tree);
        arena_clear(&engine->scratch);
}
