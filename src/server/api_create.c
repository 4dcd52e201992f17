/* POST of objects and reviews, and PUT. */
#include "server/api_context.h"
#include "server/api_decode.h"
#include "server/api_failure.h"
#include "server/api_object.h"
#include "server/api_output.h"
#include "server/api_query.h"
#include "server/api_store.h"
#include "server/api_verbs.h"
#include "server/api_write.h"
#include "server/managed_fields.h"
#include "server/request_names.h"

static int serve_review(struct api_context *context) {
        static const char *const managed[] = { "uid", "creationTimestamp", "deletionTimestamp",
                                               "deletionGracePeriodSeconds", "selfLink" };
        const struct kind_info *kind = context->resource->kind;
        struct field_errors errors = { .arena = context->arena };
        struct decoded decoded = { 0 };
        struct buf text = { 0 };
        struct err err = { 0 };
        int r = decode_body(context, kind->group, kind->version, kind->kind, &decoded);

        if (r < 0)
                return r;
        hooks_prepare(context, context->resource);
        for (size_t i = 0; i < ARRAY_LEN(managed); i++)
                node_remove(node_get(decoded.object, "metadata"), managed[i]);
        if (check_given_namespace(context, decoded.object) < 0) {
                decoded_release(&decoded);
                return API_FAILED;
        }
        if (context->route.ns.len)
                node_put_text(decoded.tree,
                              node_need_object(decoded.tree, decoded.object, "metadata"),
                              "namespace", context->route.ns);
        struct api_write write = { .resource = context->resource,
                                   .ns = context->route.ns,
                                   .tree = decoded.tree,
                                   .object = decoded.object,
                                   .operation = KIND_CREATE };
        manage_fields(context, &write);
        if (kind->review &&
            kind->review(&context->hooks, decoded.tree, decoded.object, &errors, &err) < 0) {
                r = fail_hook(context, SLICE_EMPTY, &err);
        } else if (errors.count) { /* upstream leaves out the kind */
                r = fail_invalid(context, "", kind->group, SLICE_EMPTY, &errors);
        } else {
                if (context->resource->schema)
                        schema_normalise(context->resource->schema, decoded.tree, decoded.object,
                                         NULL, NULL);
                node_remove(decoded.object, "kind");
                node_remove(decoded.object, "apiVersion");
                node_write(decoded.object, &text);
                context->response->status = 201;
                context->response->content_type = "application/json";
                object_write(slice_make(context->resource->prefix, context->resource->prefix_size),
                             buf_view(&text), &context->response->body);
        }
        buf_release(&text);
        decoded_release(&decoded);
        return r;
}

static int create_object(struct api_context *context) {
        const struct kind_info *kind = context->resource->kind;
        struct decoded decoded = { 0 };
        struct api_write write = { .resource = context->resource, .ns = context->route.ns };
        struct slice body;

        if (decode_body(context, kind->group, kind->version, kind->kind, &decoded) < 0)
                return API_FAILED;
        write.tree = decoded.tree;
        write.object = decoded.object;
        int r = write_create(context, &write, &body);
        if (r == 0)
                r = respond_object(context, 201, body);
        decoded_release(&decoded);
        return r;
}

int serve_create(struct api_context *context) {
        const struct api_route *route = &context->route;

        if (write_options(context, "CreateOptions",
                          &(struct field_errors){ .arena = context->arena }) < 0)
                return API_FAILED;
        if (strcmp(context->resource->kind->plural, "bindings") == 0 ||
            slice_is(route->subresource, "binding"))
                return serve_binding(context);
        if (slice_is(route->subresource, "eviction"))
                return serve_eviction(context);
        if (slice_is(route->subresource, "token"))
                return serve_token(context);
        /* Of custom resources, the name in the path means nothing. */
        if ((route->name.len && !is_custom(context->resource)) ||
            !(context->resource->kind->verbs & VERB_CREATE))
                return fail_method(context);
        if (context->resource->kind->flags & KIND_REVIEW)
                return serve_review(context);
        if ((context->resource->kind->flags & KIND_NAMESPACED) && !route->has_ns)
                return fail_method(context);
        return create_object(context);
}

/* ---- PUT ---- */

/* PUT of a missing object, for the kinds that allow it, also of its status. */
static int create_by_update(struct api_context *context, struct decoded *decoded) {
        struct api_write write = { .resource = context->resource,
                                   .ns = context->route.ns,
                                   .name = context->route.name,
                                   .subresource = context->route.subresource,
                                   .tree = decoded->tree,
                                   .object = decoded->object };
        struct slice body;

        if (!(context->resource->kind->flags & KIND_CREATE_ON_UPDATE))
                return fail_not_found(context, context->resource, context->route.name);
        if (check_absent_identity(context, &write) < 0)
                return API_FAILED;
        if (!context->is_dry_run) /* which gives none out */
                node_remove(node_get(decoded->object, "metadata"), "resourceVersion");
        if (write_create(context, &write, &body) < 0)
                return API_FAILED;
        return respond_object(context, 201, body);
}

static int update_object(struct api_context *context, struct decoded *decoded,
                         const struct store_object *object) {
        struct api_write write = { 0 };
        struct slice body;
        bool is_deleted;

        if (write_begin(context, context->resource, object, &write) < 0)
                return API_FAILED;
        write.subresource = context->route.subresource;
        if (slice_is(context->route.subresource, "status"))
                write.operation = KIND_UPDATE_STATUS;
        write.object = node_clone(write.tree, decoded->object);
        json_tree_set_root(write.tree, write.object);
        int r = write_update(context, &write, &body, &is_deleted);
        if (r == 0)
                r = respond_object(context, 200, body);
        write_end(&write);
        return r;
}

int serve_update(struct api_context *context) {
        const struct kind_info *kind = context->resource->kind;
        struct decoded decoded = { 0 };
        const struct store_object *object;

        if (context->route.name.len == 0 || !(kind->verbs & VERB_UPDATE))
                return fail_method(context);
        if (write_options(context, "UpdateOptions",
                          &(struct field_errors){ .arena = context->arena }) < 0)
                return API_FAILED;
        if (slice_is(context->route.subresource, "scale"))
                return serve_scale(context);
        if (decode_body(context, kind->group, kind->version, kind->kind, &decoded) < 0)
                return API_FAILED;
        int r = check_url(context, decoded.object);
        if (r == 0)
                r = check_key(context, context->route.name);
        if (r == 0) {
                object = object_find(context, context->resource, context->route.ns,
                                     context->route.name);
                r = object ? update_object(context, &decoded, object)
                           : create_by_update(context, &decoded);
        }
        decoded_release(&decoded);
        return r;
}
