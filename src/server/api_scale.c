/* The scale subresource: replicas of a workload as an autoscaling/v1 Scale. */
#include "api/selector.h"
#include "server/api_apply.h"
#include "server/api_context.h"
#include "server/api_decode.h"
#include "server/api_failure.h"
#include "server/api_object.h"
#include "server/api_output.h"
#include "server/api_store.h"
#include "server/api_verbs.h"
#include "server/api_write.h"
#include "server/patch_document.h"

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

static void set_replicas(struct json_tree *tree, struct json_node *object, struct slice path,
                         int64_t replicas) {
        struct json_node *inner;
        struct slice name, next = SLICE_EMPTY;

        while (slice_split(&path, '.', &name)) {
                if (next.len) {
                        inner = node_find(object, next);
                        if (node_type(inner) != JSON_OBJECT) {
                                inner = node_object(tree);
                                node_set(tree, object, next, inner);
                        }
                        object = inner;
                }
                next = name;
        }
        node_set(tree, object, next, node_i64(tree, replicas));
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

/* Without kind and apiVersion, as objects are stored. */
static void scale_write(struct api_context *context, struct slice body, struct buf *out) {
        static const char *const members[] = { "name", "namespace", "uid", "resourceVersion",
                                               "creationTimestamp" };
        const struct json *object = request_json(context, body);
        const struct json *metadata = json_get(object, "metadata");
        const struct kind_info *kind = context->resource->kind;
        int64_t replicas = replicas_at(object, scale_path(kind, SCALE_SPEC_REPLICAS));

        buf_text(out, "{\"metadata\":{");
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

static const struct api_resource *scale_resource(const struct api_context *context) {
        static char prefix[] = "{\"kind\":\"Scale\",\"apiVersion\":\"autoscaling/v1\",";
        static char api_version[] = "autoscaling/v1", qualified[] = "scales.autoscaling";
        struct api_resource *scale = ARENA_NEW(context->arena, struct api_resource);

        *scale = (struct api_resource){
                .kind = &kind_scale,
                .store_resource = -1,
                .schema = schema_find(SLICE_LITERAL("autoscaling"), SLICE_LITERAL("v1"),
                                      SLICE_LITERAL("Scale")),
                .prefix = prefix,
                .prefix_size = sizeof(prefix) - 1,
                .api_version = api_version,
                .qualified = qualified,
                .minor = context->resource->minor,
        };
        scale->owned_type = scale->schema;
        if (context->resource->schema) /* custom resources take no strategic patches */
                scale->merge_type = scale->schema;
        return scale;
}

static struct slice scale_body(struct api_context *context, struct slice body) {
        CLEANUP(buf_release) struct buf text = { 0 };

        scale_write(context, body, &text);
        return arena_slice(context->arena, buf_view(&text));
}

static int respond_scale(struct api_context *context, struct slice body) {
        struct slice scale = scale_body(context, body);

        context->resource = scale_resource(context);
        return respond_object(context, 200, scale);
}

static int patch_scale(struct api_context *context, struct slice current, struct decoded *decoded) {
        struct api_write scale = { .resource = scale_resource(context),
                                   .ns = context->route.ns,
                                   .name = context->route.name };
        CLEANUP(buf_release) struct buf text = { 0 };

        object_write(slice_make(scale.resource->prefix, scale.resource->prefix_size),
                     scale_body(context, current), &text);
        scale.before = buf_view(&text);
        if (json_tree_parse(scale.before, &scale.tree, NULL) < 0)
                return fail_plain(context, 500, "InternalError", "stored object is damaged");
        scale.object = json_tree_root(scale.tree);
        int r = patch_document(context, &scale);
        decoded->tree = scale.tree;
        decoded->object = scale.object;
        return r;
}

/* Replicas and version asked for, from an applied Scale or from a patched one. */
static int decode_scale(struct api_context *context, struct slice current,
                        struct decoded *decoded) {
        if (patch_type(context) != PATCH_APPLY)
                return patch_scale(context, current, decoded);
        CLEANUP(cleanup_json_tree) struct json_tree *tree = json_tree_new();
        const struct json *body = request_json(context, context->request->body);

        if (json_type(body) == JSON_OBJECT &&
            apply_check(context, scale_resource(context), node_import(tree, body)) < 0)
                return API_FAILED;
        context->converted.content_type = SLICE_EMPTY; /* JSON by now */
        int r = decode_body(context, "autoscaling", "v1", "Scale", decoded);
        context->converted.content_type = SLICE_LITERAL("application/apply-patch+yaml");
        return r;
}

static int check_replicas(struct api_context *context, const struct api_write *write,
                          int64_t replicas) {
        struct field_errors errors = { .arena = context->arena };

        if (replicas >= 0 || write->resource->kind->scale_paths)
                return 0;
        field_error_add(&errors, FIELD_INVALID, "spec.replicas",
                        arena_printf(context->arena, "%lld", (long long)replicas),
                        "must be greater than or equal to 0");
        return fail_invalid(context, "Scale", "autoscaling", write->name, &errors);
}

/* The same as an apply of the field of the object itself; one that was not given is not owned. */
static int apply_replicas(struct api_context *context, struct api_write *write, struct slice path,
                          int64_t replicas) {
        const struct json *spec = json_get(request_json(context, context->request->body), "spec");
        struct json_node *applied = node_object(write->tree);
        int64_t given;

        if (json_type(json_get(spec, "replicas")) == JSON_NULL ||
            json_as_i64(json_get(spec, "replicas"), &given))
                set_replicas(write->tree, applied, path, replicas);
        return apply_fields(context, write, applied);
}

static int scale_object(struct api_context *context, struct api_write *write,
                        const struct json_node *scale) {
        struct slice path = scale_path(write->resource->kind, SCALE_SPEC_REPLICAS);
        struct slice version = node_get_text(node_get(scale, "metadata"), "resourceVersion");
        int64_t replicas = node_get_i64(node_get(scale, "spec"), "replicas", 0);
        struct slice body;
        bool is_deleted;

        struct slice uid = node_get_text(node_get(scale, "metadata"), "uid");
        struct slice own = json_get_text(json_get(write->old_json, "metadata"), "uid");

        write->subresource = SLICE_LITERAL("scale");
        if (uid.len && !slice_eq(uid, own))
                return fail_conflict(
                        context,
                        arena_printf(context->arena, "%s%s", write->resource->kind->plural,
                                     patch_type(context) == PATCH_APPLY ? "/scale" : ""),
                        write->resource->kind->group, write->name,
                        "Precondition failed: UID in precondition: " SLICE_FMT
                        ", UID in object meta: " SLICE_FMT,
                        SLICE_ARG(uid), SLICE_ARG(own));
        if (patch_type(context) != PATCH_APPLY)
                set_replicas(write->tree, write->object, path, replicas);
        else if (apply_replicas(context, write, path, replicas) < 0)
                return API_FAILED; /* that others own it comes before what is wrong with it */
        if (check_replicas(context, write, replicas) < 0)
                return API_FAILED;
        if (version.len)
                node_put_text(write->tree, node_get(write->object, "metadata"), "resourceVersion",
                              version);
        if (write_update(context, write, &body, &is_deleted) < 0)
                return API_FAILED;
        return respond_scale(context, body);
}

int serve_scale(struct api_context *context) {
        const struct store_object *object =
                object_find(context, context->resource, context->route.ns, context->route.name);
        CLEANUP(decoded_release) struct decoded decoded = { 0 };
        struct api_write write = { 0 };
        bool is_put = slice_is(context->request->method, "PUT");

        if (is_put && (decode_body(context, "autoscaling", "v1", "Scale", &decoded) < 0 ||
                       check_url(context, decoded.object) < 0))
                return API_FAILED;
        if (!object)
                return fail_not_found(context, context->resource, context->route.name);
        if (slice_is(context->request->method, "GET"))
                return respond_scale(context, store_object_body(object));
        int r = is_put ? 0 : decode_scale(context, store_object_body(object), &decoded);
        if (r == 0)
                r = write_begin(context, context->resource, object, &write);
        if (r == 0) {
                r = scale_object(context, &write, decoded.object);
                write_end(&write);
        }
        return r;
}
