/* The scale subresource: replicas of a workload as an autoscaling/v1 Scale. */
#include "api/selector.h"
#include "server/api_apply.h"
#include "server/api_context.h"
#include "server/api_decode.h"
#include "server/api_failure.h"
#include "server/api_metadata.h"
#include "server/api_object.h"
#include "server/api_output.h"
#include "server/api_store.h"
#include "server/api_verbs.h"
#include "server/api_write.h"
#include "server/managed_fields.h"
#include "server/patch_document.h"
#include "server/request_names.h"
#include "server/scale_owners.h"
#include "server/webhook.h"

#define NO_REPLICAS INT32_MIN /* of a custom resource that has none yet */

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

/* The scale of a stored object, as it is before the write, with the owners of its replicas. */
static int scale_begin(struct api_context *context, const struct api_write *parent,
                       struct api_write *ret_scale) {
        struct slice body = store_object_body(parent->old);
        struct slice path = scale_path(parent->resource->kind, SCALE_SPEC_REPLICAS);
        struct buf text = { 0 };

        *ret_scale = (struct api_write){ .resource = scale_resource(context),
                                         .operation = KIND_UPDATE,
                                         .ns = parent->ns,
                                         .name = parent->name,
                                         .subresource = SLICE_LITERAL("scale"),
                                         .is_patch = true };
        object_write(slice_make(ret_scale->resource->prefix, ret_scale->resource->prefix_size),
                     scale_body(context, body), &text);
        int r = json_tree_parse(buf_view(&text), &ret_scale->tree, NULL);
        buf_release(&text);
        if (r < 0)
                return fail_plain(context, 500, "InternalError", "stored object is damaged");
        ret_scale->object = json_tree_root(ret_scale->tree);
        if (parent->resource->kind->scale_paths && !value_at(parent->old_json, path))
                set_replicas(ret_scale->tree, ret_scale->object, SLICE_LITERAL(".spec.replicas"),
                             NO_REPLICAS);
        scale_owners_put(context, parent, path, ret_scale);
        node_write(ret_scale->object, &text);
        ret_scale->before = arena_slice(context->arena, buf_view(&text));
        ret_scale->old_json = request_json(context, ret_scale->before);
        buf_release(&text);
        return 0;
}

/* The scale becomes what the request asks for. */
static int scale_change(struct api_context *context, struct api_write *scale,
                        const struct json_node *given) {
        if (given) {
                scale->object = node_clone(scale->tree, given);
                json_tree_set_root(scale->tree, scale->object);
                manage_fields(context, scale);
                return 0;
        }
        if (patch_type(context) == PATCH_APPLY) {
                if (apply_configuration(context, scale) < 0 || patch_check(context, scale) < 0 ||
                    apply_check_repeated(context) < 0)
                        return API_FAILED;
                return check_url(context, scale->object);
        }
        if (patch_document(context, scale) < 0 || check_url(context, scale->object) < 0)
                return API_FAILED;
        manage_fields(context, scale);
        return 0;
}

static int check_scale(struct api_context *context, const struct api_write *scale,
                       const struct api_write *parent, int64_t replicas) {
        struct field_errors errors = { .arena = context->arena };
        const char *const *paths = parent->resource->kind->scale_paths;

        if (paths && replicas == NO_REPLICAS)
                return fail_bad_request(context, "the spec replicas field \"%s\" cannot be empty",
                                        paths[SCALE_SPEC_REPLICAS]);
        if (paths)
                return 0;
        validate_metadata(scale, &errors);
        if (replicas < 0)
                field_error_add(&errors, FIELD_INVALID, "spec.replicas",
                                arena_printf(context->arena, "%lld", (long long)replicas),
                                "must be greater than or equal to 0");
        return errors.count ? fail_invalid(context, "Scale", "autoscaling", parent->name, &errors)
                            : 0;
}

static int check_scale_uid(struct api_context *context, const struct api_write *scale,
                           const struct api_write *parent) {
        const struct kind_info *kind = parent->resource->kind;
        struct slice uid = node_get_text(node_get(scale->object, "metadata"), "uid");
        struct slice own = json_get_text(json_get(parent->old_json, "metadata"), "uid");

        if (uid.len == 0 || slice_eq(uid, own) || kind->scale_paths)
                return 0;
        return fail_conflict(context, arena_printf(context->arena, "%s/scale", kind->plural),
                             kind->group, parent->name,
                             "Precondition failed: UID in precondition: " SLICE_FMT
                             ", UID in object meta: " SLICE_FMT,
                             SLICE_ARG(uid), SLICE_ARG(own));
}

static int scale_object(struct api_context *context, struct api_write *parent,
                        struct api_write *scale, const struct json_node *given) {
        struct slice path = scale_path(parent->resource->kind, SCALE_SPEC_REPLICAS);
        struct slice uid = node_get_text(node_get(given, "metadata"), "uid");
        struct json_node *metadata = node_get(parent->object, "metadata");
        struct slice body;
        bool is_deleted;

        if (uid.len) { /* of a whole scale it is a condition on the object */
                node_put_text(parent->tree, metadata, "uid", uid);
                if (check_identity(context, parent, metadata) < 0)
                        return API_FAILED;
        }
        if (scale_change(context, scale, given) < 0 || webhooks_mutate_scale(context, scale) < 0)
                return API_FAILED;
        int64_t replicas = node_get_i64(node_get(scale->object, "spec"), "replicas", 0);
        if (check_scale(context, scale, parent, replicas) < 0 ||
            check_scale_uid(context, scale, parent) < 0 ||
            webhooks_validate_scale(context, scale) < 0)
                return API_FAILED;
        set_replicas(parent->tree, parent->object, path, replicas);
        struct slice version =
                node_get_text(node_get(scale->object, "metadata"), "resourceVersion");
        if (version.len || !parent->resource->kind->scale_paths)
                node_put_text(parent->tree, metadata, "resourceVersion", version);
        scale_owners_take(context, scale, path, parent);
        parent->is_owned = true;
        if (write_update(context, parent, &body, &is_deleted) < 0)
                return API_FAILED;
        return respond_scale(context, body);
}

static int write_scale(struct api_context *context, const struct store_object *object,
                       const struct json_node *given) {
        struct api_write parent = { 0 }, scale = { 0 };

        if (write_begin(context, context->resource, object, &parent) < 0)
                return API_FAILED;
        int r = scale_begin(context, &parent, &scale);
        if (r == 0)
                r = scale_object(context, &parent, &scale, given);
        json_tree_free(scale.tree);
        write_end(&parent);
        return r;
}

/* A custom resource need not say how many replicas it wants; then there is nothing to read. */
static int read_scale(struct api_context *context, struct slice body) {
        const char *const *paths = context->resource->kind->scale_paths;

        if (paths && !value_at(request_json(context, body), slice_of(paths[SCALE_SPEC_REPLICAS])))
                return fail_internal(context,
                                     arena_printf(context->arena,
                                                  "the spec replicas field \"%s\" does not exist",
                                                  paths[SCALE_SPEC_REPLICAS]));
        return respond_scale(context, body);
}

int serve_scale(struct api_context *context) {
        const struct store_object *object =
                object_find(context, context->resource, context->route.ns, context->route.name);
        CLEANUP(decoded_release) struct decoded decoded = { 0 };
        bool is_put = slice_is(context->request->method, "PUT");

        if (is_put && (decode_body(context, "autoscaling", "v1", "Scale", &decoded) < 0 ||
                       check_url(context, decoded.object) < 0))
                return API_FAILED;
        if (slice_is(context->request->method, "GET"))
                return read_object(context, &object) < 0
                               ? API_FAILED
                               : read_scale(context, store_object_body(object));
        if (check_key(context, context->route.name) < 0)
                return API_FAILED;
        if (!object)
                return fail_not_found(context, context->resource, context->route.name);
        return write_scale(context, object, is_put ? decoded.object : NULL);
}
