/* The scale subresource: replicas of a workload as an autoscaling/v1 Scale. */
#include "api/merge_patch.h"
#include "api/selector.h"
#include "server/api_context.h"
#include "server/api_decode.h"
#include "server/api_failure.h"
#include "server/api_object.h"
#include "server/api_store.h"
#include "server/api_verbs.h"
#include "server/api_write.h"

enum scale_path { SCALE_SPEC_REPLICAS, SCALE_STATUS_REPLICAS, SCALE_SELECTOR };

/* ".spec.replicas" unless a custom resource says otherwise; empty when it has none. */
static struct slice scale_path(const struct kind_info *kind, enum scale_path which) {
        static const char *const usual[] = { ".spec.replicas", ".status.replicas", "" };

        return slice_of(kind->scale_paths ? kind->scale_paths[which] : usual[which]);
}

static const struct json *value_at(const struct json *object, struct slice path) {
        struct slice name;

        if (path.len == 0)
                return NULL;
        while (slice_split(&path, '.', &name)) {
                if (name.len)
                        object = json_get_slice(object, name);
        }
        return object;
}

static void set_replicas(struct api_write *write, struct slice path, int64_t replicas) {
        struct json_node *object = write->object, *inner;
        struct slice name, next = SLICE_EMPTY;

        while (slice_split(&path, '.', &name)) {
                if (next.len) {
                        inner = node_find(object, next);
                        if (node_type(inner) != JSON_OBJECT) {
                                inner = node_object(write->tree);
                                node_set(write->tree, object, next, inner);
                        }
                        object = inner;
                }
                next = name;
        }
        node_set(write->tree, object, next, node_i64(write->tree, replicas));
}

static int64_t replicas_at(const struct json *object, struct slice path) {
        int64_t replicas;

        return json_as_i64(value_at(object, path), &replicas) ? replicas : 0;
}

/* "app=web,tier in (a,b)": the selector as clients of Scale expect it. */
static void selector_write(struct api_context *context, const struct json *object,
                           struct buf *out) {
        const struct json *selector = json_get(json_get(object, "spec"), "selector");
        struct selector parsed;
        struct buf text = { 0 };
        struct json_iter iter = json_iter(selector);
        const struct json *value;
        struct slice key, path = scale_path(context->resource->kind, SCALE_SELECTOR);

        if (context->resource->kind->scale_paths) {
                buf_slice(&text, json_text(value_at(object, path)));
        } else if (json_get(selector, "matchLabels") || json_get(selector, "matchExpressions")) {
                if (selector_decode(selector, context->arena, &parsed, NULL) == 0)
                        selector_print(&parsed, &text);
        } else { /* ReplicationController: a plain map */
                while (json_next(&iter, &key, &value))
                        buf_printf(&text, "%s" SLICE_FMT "=" SLICE_FMT, text.len ? "," : "",
                                   SLICE_ARG(key), SLICE_ARG(json_text(value)));
        }
        if (text.len) {
                buf_text(out, ",\"selector\":");
                buf_json_string(out, buf_view(&text));
        }
        buf_release(&text);
}

static void scale_write(struct api_context *context, struct slice body, struct buf *out) {
        static const char *const members[] = { "name", "namespace", "uid", "resourceVersion",
                                               "creationTimestamp" };
        const struct json *object = request_json(context, body);
        const struct json *metadata = json_get(object, "metadata");
        const struct kind_info *kind = context->resource->kind;
        int64_t replicas = replicas_at(object, scale_path(kind, SCALE_SPEC_REPLICAS));

        buf_text(out, "{\"kind\":\"Scale\",\"apiVersion\":\"autoscaling/v1\",\"metadata\":{");
        for (size_t i = 0; i < ARRAY_LEN(members); i++) {
                struct slice text = json_get_text(metadata, members[i]);

                if (text.len == 0)
                        continue;
                buf_printf(out, "%s\"%s\":", i ? "," : "", members[i]);
                buf_json_string(out, text);
        }
        buf_text(out, "},\"spec\":{");
        if (replicas)
                buf_printf(out, "\"replicas\":%lld", (long long)replicas);
        buf_printf(out, "},\"status\":{\"replicas\":%lld",
                   (long long)replicas_at(object, scale_path(kind, SCALE_STATUS_REPLICAS)));
        selector_write(context, object, out);
        buf_text(out, "}}");
}

static void respond_scale(struct api_context *context, struct slice body) {
        context->response->status = 200;
        context->response->content_type = "application/json";
        scale_write(context, body, &context->response->body);
}

/* Replicas and version asked for, from a whole Scale (PUT) or from a patched one. */
static int decode_scale(struct api_context *context, struct slice current,
                        struct decoded *decoded) {
        struct json_tree *patch = NULL;
        struct buf text = { 0 };
        struct err err = { 0 };
        int r = 0;

        if (slice_is(context->request->method, "PUT"))
                return decode_body(context, "autoscaling", "v1", "Scale", decoded);
        scale_write(context, current, &text);
        if (json_tree_parse(buf_view(&text), &decoded->tree, &err) < 0 ||
            json_tree_parse(context->request->body, &patch, &err) < 0 ||
            merge_patch_apply(decoded->tree, json_tree_root(patch), &err) < 0)
                r = fail_bad_request(context, "error decoding patch: %s", err.text);
        json_tree_free(patch);
        buf_release(&text);
        decoded->object = json_tree_root(decoded->tree);
        return r;
}

static int scale_object(struct api_context *context, struct api_write *write,
                        const struct json_node *scale) {
        struct field_errors errors = { .arena = context->arena };
        int64_t replicas = node_get_i64(node_get(scale, "spec"), "replicas", 0);
        struct slice version = node_get_text(node_get(scale, "metadata"), "resourceVersion");
        struct json_node *metadata = node_get(write->object, "metadata");
        struct slice body;
        bool is_deleted;

        if (replicas < 0 && !write->resource->kind->scale_paths) {
                field_error_add(&errors, FIELD_INVALID, "spec.replicas",
                                arena_printf(context->arena, "%lld", (long long)replicas),
                                "must be greater than or equal to 0");
                return fail_invalid(context, "Scale", "autoscaling", write->name, &errors);
        }
        if (version.len)
                node_put_text(write->tree, metadata, "resourceVersion", version);
        set_replicas(write, scale_path(write->resource->kind, SCALE_SPEC_REPLICAS), replicas);
        write->subresource = SLICE_LITERAL("scale");
        if (write_update(context, write, &body, &is_deleted) < 0)
                return API_FAILED;
        respond_scale(context, body);
        return 0;
}

int serve_scale(struct api_context *context) {
        const struct store_object *object =
                object_find(context, context->resource, context->route.ns, context->route.name);
        struct decoded decoded = { 0 };
        struct api_write write = { 0 };

        if (!object)
                return fail_not_found(context, context->resource, context->route.name);
        if (slice_is(context->request->method, "GET")) {
                respond_scale(context, store_object_body(object));
                return 0;
        }
        int r = decode_scale(context, store_object_body(object), &decoded);
        if (r == 0)
                r = write_begin(context, context->resource, object, &write);
        if (r == 0) {
                r = scale_object(context, &write, decoded.object);
                write_end(&write);
        }
        decoded_release(&decoded);
        return r;
}
