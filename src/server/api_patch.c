/* PATCH: the four patch formats on top of the update path. */
#include "server/api_apply.h"
#include "server/api_context.h"
#include "server/api_decode.h"
#include "server/api_failure.h"
#include "server/api_object.h"
#include "server/api_output.h"
#include "server/api_query.h"
#include "server/api_store.h"
#include "server/api_verbs.h"
#include "server/api_write.h"
#include "server/patch_document.h"
#include "server/request_names.h"

static int fail_media(struct api_context *context) {
        fail_plain(context, 415, "UnsupportedMediaType", "415: Unsupported Media Type");
        context->failure.has_details = true;
        return API_FAILED;
}

static int check_options(struct api_context *context, enum patch_type type) {
        struct field_errors errors = { .arena = context->arena };
        struct slice ignored;

        if (type == PATCH_APPLY && query_text(&context->query, "fieldManager").len == 0)
                field_error_add(&errors, FIELD_REQUIRED, "fieldManager", NULL,
                                "is required for apply patch");
        if (type != PATCH_APPLY && query_get(&context->query, "force", &ignored))
                field_error_add(&errors, FIELD_FORBIDDEN, "force", NULL,
                                "may not be specified for non-apply patch");
        return write_options(context, "PatchOptions", &errors);
}

static int apply_document(struct api_context *context, struct api_write *write) {
        if (apply_configuration(context, write) < 0)
                return API_FAILED;
        return patch_check(context, write) < 0 ? API_FAILED : apply_check_repeated(context);
}

static int finish_patch(struct api_context *context, struct api_write *write) {
        struct slice body;
        bool is_deleted;

        write->is_patch = true;
        if (check_url(context, write->object) < 0 ||
            write_update(context, write, &body, &is_deleted) < 0)
                return API_FAILED;
        return respond_object(context, 200, body);
}

static int patch_object(struct api_context *context, const struct store_object *object) {
        struct api_write write = { 0 };

        if (write_begin(context, context->resource, object, &write) < 0)
                return API_FAILED;
        write.subresource = context->route.subresource;
        if (slice_is(context->route.subresource, "status"))
                write.operation = KIND_UPDATE_STATUS;
        int r = patch_type(context) == PATCH_APPLY ? apply_document(context, &write)
                                                   : patch_document(context, &write);
        if (r == 0)
                r = finish_patch(context, &write);
        write_end(&write);
        return r;
}

/* Kinds that a PUT creates are created through their status, too. */
static bool may_create(const struct api_context *context) {
        return context->route.subresource.len == 0 ||
               (context->resource->kind->flags & KIND_CREATE_ON_UPDATE);
}

int check_patch_route(struct api_context *context) {
        if (!context->route.has_name || !(context->resource->kind->verbs & VERB_PATCH))
                return fail_method(context);
        return patch_type(context) == PATCH_UNKNOWN ? fail_media(context) : 0;
}

int serve_patch(struct api_context *context) {
        enum patch_type type = patch_type(context);

        if (check_options(context, type) < 0)
                return API_FAILED;
        if (slice_is(context->route.subresource, "scale"))
                return serve_scale(context);
        const struct store_object *object =
                object_find(context, context->resource, context->route.ns, context->route.name);
        if (!object && type == PATCH_APPLY && may_create(context))
                return create_by_apply(context);
        return object ? patch_object(context, object)
                      : fail_not_found(context, context->resource, context->route.name);
}
