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

/* Text of the object without kind and apiVersion, with the version it is about to get. */
static struct slice body_of(struct api_context *context, struct json_tree *tree,
                            struct json_node *object) {
        struct json_node *metadata = node_need_object(tree, object, "metadata");
        struct buf text = { 0 };
        char revision[24];

        if (!context->is_dry_run) {
                snprintf(revision, sizeof(revision), "%" PRIu64,
                         store_next_revision(context->engine->store));
                node_put_string(tree, metadata, "resourceVersion", revision);
        }
        node_remove(object, "kind");
        node_remove(object, "apiVersion");
        node_write(object, &text);
        struct slice body = arena_slice(context->arena, buf_view(&text));
        buf_release(&text);
        return body;
}

/* etcd's limit of a request. Upstream stores built-in kinds as protobuf, about half of their JSON.
 */
#define STORED_BYTES_MAX ((size_t)3 << 19)

static bool is_too_large(const struct api_write *write, struct slice body) {
        return body.len > (write->resource->schema ? 2 * STORED_BYTES_MAX : STORED_BYTES_MAX);
}

int write_put(struct api_context *context, struct api_write *write, struct slice *ret_body) {
        pace_set(NULL); /* to the end of the request nobody comes in between */
        struct err err = { 0 };
        struct slice body = body_of(context, write->tree, write->object);

        *ret_body = body;
        if (is_too_large(write, body))
                return fail_plain(context, 500, NULL, "etcdserver: request is too large");
        if (!context->is_dry_run &&
            store_put(context->engine->store, write->resource->store_resource, write->ns,
                      write->name, body, &err) < 0)
                return fail_store(context, &err);
        return 0;
}

int write_remove(struct api_context *context, struct api_write *write, struct slice *ret_body) {
        pace_set(NULL); /* to the end of the request nobody comes in between */
        struct err err = { 0 };
        struct slice body = body_of(context, write->tree, write->object);

        *ret_body = body;
        if (!context->is_dry_run &&
            store_remove(context->engine->store, write->resource->store_resource, write->ns,
                         write->name, body, &err) < 0)
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

        write.object = tree_of_object(object, &write.tree);
        write.stored_json = request_object_json(context, object);
        if (!write.object || !write.stored_json)
                return fail_plain(context, 500, "InternalError", "stored object is damaged");
        if (resource->kind->from_stored) {
                resource->kind->from_stored(write.tree, write.object);
                write.old_json = request_json(
                        context, object_view(context->arena, resource, store_object_body(object)));
        } else {
                write.old_json = write.stored_json;
        }
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
