/* PATCH: the four patch formats on top of the update path. */
#include "api/json_patch.h"
#include "api/merge_patch.h"
#include "schema/strategic_merge.h"
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
#include "server/managed_fields.h"

enum patch_type { PATCH_JSON, PATCH_MERGE, PATCH_STRATEGIC, PATCH_APPLY, PATCH_UNKNOWN };

static enum patch_type patch_type(struct slice content_type) {
        static const char *const names[] = { "application/json-patch+json",
                                             "application/merge-patch+json",
                                             "application/strategic-merge-patch+json",
                                             "application/apply-patch+yaml" };
        struct slice head = SLICE_EMPTY;

        slice_split(&content_type, ';', &head);
        for (size_t i = 0; i < ARRAY_LEN(names); i++) {
                if (slice_is(slice_trim(head), names[i]))
                        return (enum patch_type)i;
        }
        return PATCH_UNKNOWN;
}

static int fail_media(struct api_context *context) {
        fail_plain(context, 415, "UnsupportedMediaType", "415: Unsupported Media Type");
        context->failure.has_details = true;
        return API_FAILED;
}

/* The patched text does not decode: 422 about a field "patch" of an object without name. */
static int fail_patched(struct api_context *context, const char *complaint) {
        struct field_errors errors = { .arena = context->arena };

        field_error_add(&errors, FIELD_INVALID, "patch", "\"{}\"", complaint);
        return fail_invalid(context, "", "", SLICE_EMPTY, &errors);
}

static int check_options(struct api_context *context, enum patch_type type) {
        struct slice ignored;

        if (write_options(context, "PatchOptions") < 0)
                return API_FAILED;
        if (type == PATCH_APPLY && query_text(&context->query, "fieldManager").len == 0)
                return fail_option(context, "PatchOptions", FIELD_REQUIRED, "fieldManager", NULL,
                                   "is required for apply patch");
        if (type != PATCH_APPLY && query_get(&context->query, "force", &ignored))
                return fail_option(context, "PatchOptions", FIELD_FORBIDDEN, "force", NULL,
                                   "may not be specified for non-apply patch");
        return 0;
}

/* ---- applying ---- */

static int apply_json(struct api_context *context, struct api_write *write) {
        struct json_tree *ops = NULL;
        struct err err = { 0 };

        if (json_tree_parse(context->request->body, &ops, &err) < 0)
                return fail_bad_request(context, "error decoding patch: %s", err.text);
        int r = json_patch_apply(write->tree, json_tree_root(ops), &err);
        json_tree_free(ops);
        if (r == 0) {
                write->object = json_tree_root(write->tree);
                return 0;
        }
        if (r == BERTH_ERR_INVALID) {
                fail_plain(context, 422, "Invalid", JSON_PATCH_REFUSED);
                context->failure.has_details = true;
                return API_FAILED;
        }
        return r == BERTH_ERR_TOO_LARGE
                       ? fail_plain(context, 413, "RequestEntityTooLarge", "%s", err.text)
                       : fail_bad_request(context, "error decoding patch: %s", err.text);
}

static int apply_merge_patch(struct api_context *context, struct api_write *write) {
        struct json_tree *patch = NULL;
        struct err err = { 0 };
        int r;

        if (json_tree_parse(context->request->body, &patch, &err) < 0)
                return fail_bad_request(context, "error decoding patch: %s", err.text);
        if (node_type(json_tree_root(patch)) == JSON_NULL)
                r = fail_bad_request(context, "Invalid JSON Patch");
        else if (merge_patch_apply(write->tree, json_tree_root(patch), &err) < 0)
                r = fail_bad_request(context, "error decoding patch: %s", err.text);
        else
                r = 0;
        json_tree_free(patch);
        write->object = json_tree_root(write->tree);
        return r;
}

static int apply_strategic(struct api_context *context, struct api_write *write) {
        struct err err = { 0 };

        if (!write->resource->merge_type)
                return fail_plain(context, 415, "UnsupportedMediaType",
                                  "the body of the request was in an unknown format - accepted "
                                  "media types include: application/json-patch+json, "
                                  "application/merge-patch+json, application/apply-patch+yaml");
        const struct json *patch = request_json(context, context->request->body);
        if (json_type(patch) != JSON_OBJECT)
                return fail_bad_request(context, "error decoding patch: it is no JSON object");
        if (strategic_merge(write->tree, write->object, write->resource->merge_type, patch, &err) <
            0)
                return fail_plain(context, 500, NULL, "%s", err.text);
        /* The result is taken as one of the kind, whether it says so or not. */
        if (!node_get(write->object, "kind"))
                node_put_string(write->tree, write->object, "kind", write->resource->kind->kind);
        if (!node_get(write->object, "apiVersion"))
                node_put_string(write->tree, write->object, "apiVersion",
                                write->resource->api_version);
        return 0;
}

/* Custom resources are validated before their type is looked up. */
static int fail_custom_type(struct api_context *context, const struct api_write *write,
                            const char *member, const char *wanted) {
        struct field_errors errors = { .arena = context->arena };
        struct buf text = { 0 };

        buf_json_string(&text, node_get_text(write->object, member));
        field_error_add(&errors, FIELD_INVALID, member, text.data,
                        arena_printf(context->arena, "must be %s", wanted));
        buf_release(&text);
        struct slice version = node_get_text(write->object, "apiVersion"), group = SLICE_EMPTY;
        if (slice_contains(version, SLICE_LITERAL("/")))
                slice_split(&version, '/', &group);
        return fail_invalid(context,
                            arena_string(context->arena, node_get_text(write->object, "kind")),
                            arena_string(context->arena, group), write->name, &errors);
}

static int check_patched_type(struct api_context *context, struct api_write *write) {
        struct slice kind = node_get_text(write->object, "kind");
        struct slice version = node_get_text(write->object, "apiVersion");

        if (node_type(write->object) != JSON_OBJECT)
                return fail_patched(context, "json: cannot unmarshal into an object");
        if (!write->resource->schema && !slice_is(version, write->resource->api_version))
                return fail_custom_type(context, write, "apiVersion", write->resource->api_version);
        if (!write->resource->schema && !slice_is(kind, write->resource->kind->kind))
                return fail_custom_type(context, write, "kind", write->resource->kind->kind);
        if (!slice_is(kind, write->resource->kind->kind) ||
            !slice_is(version, write->resource->api_version))
                return fail_patched(context,
                                    arena_printf(context->arena,
                                                 "no kind \"" SLICE_FMT
                                                 "\" is registered for version \"" SLICE_FMT "\"",
                                                 SLICE_ARG(kind), SLICE_ARG(version)));
        return 0;
}

/* Unknown fields that the patch brought in, and wrong types. */
static int check_patched_fields(struct api_context *context, struct api_write *write) {
        struct strictness strictness = { .context = context };
        struct schema_report report = { .unknown = strictness_unknown,
                                        .context = &strictness,
                                        .minor = write->resource->minor };
        struct err err = { 0 };
        int r = 0;

        keep_owner_reset(write->tree, write->object);
        if (context->validation != VALIDATE_IGNORE && !write->is_apply)
                json_duplicates(request_json(context, context->request->body), strictness_duplicate,
                                &strictness);
        if (write->resource->kind->prune)
                write->resource->kind->prune(write->resource->kind, write->tree, write->object,
                                             strictness_unknown, &strictness);
        if (write->resource->schema && schema_normalise(write->resource->schema, write->tree,
                                                        write->object, &report, &err) < 0)
                r = fail_patched(context, err.text);
        else if (context->validation == VALIDATE_STRICT && strictness.count)
                r = fail_patched(context,
                                 arena_printf(context->arena, "strict decoding error: " SLICE_FMT,
                                              SLICE_ARG(buf_view(&strictness.text))));
        buf_release(&strictness.text);
        return r;
}

static int finish_patch(struct api_context *context, struct api_write *write) {
        struct slice body;
        bool is_deleted;

        write->is_patch = true;
        if (check_patched_type(context, write) < 0 || check_patched_fields(context, write) < 0 ||
            check_url(context, write->object) < 0 ||
            write_update(context, write, &body, &is_deleted) < 0)
                return API_FAILED;
        return respond_object(context, 200, body);
}

static int patch_object(struct api_context *context, enum patch_type type,
                        const struct store_object *object) {
        struct api_write write = { 0 };
        int r;

        if (write_begin(context, context->resource, object, &write) < 0)
                return API_FAILED;
        write.subresource = context->route.subresource;
        if (slice_is(context->route.subresource, "status"))
                write.operation = KIND_UPDATE_STATUS;
        if (type == PATCH_JSON)
                r = apply_json(context, &write);
        else if (type == PATCH_MERGE)
                r = apply_merge_patch(context, &write);
        else if (type == PATCH_STRATEGIC)
                r = apply_strategic(context, &write);
        else
                r = apply_configuration(context, &write);
        if (r == 0)
                r = finish_patch(context, &write);
        write_end(&write);
        return r;
}

int serve_patch(struct api_context *context) {
        enum patch_type type = patch_type(context->request->content_type);

        if (context->route.name.len == 0 || !(context->resource->kind->verbs & VERB_PATCH))
                return fail_method(context);
        if (type == PATCH_UNKNOWN)
                return fail_media(context);
        if (check_options(context, type) < 0)
                return API_FAILED;
        if (slice_is(context->route.subresource, "scale"))
                return serve_scale(context);
        const struct store_object *object =
                object_find(context, context->resource, context->route.ns, context->route.name);
        if (!object && type == PATCH_APPLY && context->route.subresource.len == 0)
                return create_by_apply(context);
        return object ? patch_object(context, type, object)
                      : fail_not_found(context, context->resource, context->route.name);
}
