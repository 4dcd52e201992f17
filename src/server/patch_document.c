/* The patch formats: what a patch makes of a document, and whether that is one of its type. */
#include "server/patch_document.h"

#include "api/json_patch.h"
#include "api/merge_patch.h"
#include "schema/go_json.h"
#include "schema/schema.h"
#include "schema/strategic_merge.h"
#include "server/api_context.h"
#include "server/api_decode.h"
#include "server/api_failure.h"
#include "server/api_object.h"
#include "server/managed_fields.h"
#include "server/patch_failure.h"

/* ---- applying ---- */

/* NULL: it is a list of operations; or what Go takes it for, and what it wants. */
static const char *wrong_operations(struct api_context *context, const struct json_node *list) {
        struct node_iter iter = node_iter(list);
        struct json_node *operation;

        if (node_type(list) != JSON_ARRAY)
                return arena_printf(context->arena,
                                    "%s into Go value of type []handlers.jsonPatchOp",
                                    json_go_name(node_type(list)));
        while (node_next(&iter, NULL, &operation))
                if (node_type(operation) != JSON_OBJECT && node_type(operation) != JSON_NULL)
                        return arena_printf(context->arena,
                                            "%s into Go value of type handlers.jsonPatchOp",
                                            json_go_name(node_type(operation)));
        return NULL;
}

static int apply_json(struct api_context *context, struct api_write *write) {
        CLEANUP(cleanup_json_tree) struct json_tree *ops = NULL;
        struct err err = { 0 };

        if (go_json_tree_parse(context->request->body, &ops, &err) < 0)
                return fail_bad_request(context, "error decoding patch: %s", err.text);
        write->object = json_tree_root(write->tree);
        if (node_type(json_tree_root(ops)) == JSON_NULL)
                return 0;
        const char *wrong = wrong_operations(context, json_tree_root(ops));
        if (wrong)
                return fail_bad_request(context, "error decoding patch: json: cannot unmarshal %s",
                                        wrong);
        int r = json_patch_apply(write->tree, json_tree_root(ops), &err);
        if (r == 0) {
                write->object = json_tree_root(write->tree);
                return 0;
        }
        if (r == BERTH_ERR_INVALID || r == JSON_PATCH_UNEQUAL) {
                fail_plain(context, 422, "Invalid", JSON_PATCH_REFUSED);
                context->failure.has_details = true;
                return API_FAILED;
        }
        return r == BERTH_ERR_TOO_LARGE
                       ? fail_plain(context, 413, "RequestEntityTooLarge", "%s", err.text)
                       : fail_bad_request(context, "error decoding patch: %s", err.text);
}

/* What is no patch at all. Unless fields are not checked, the first value of the body is decoded by
 * itself before, in words of its own; whatever follows it makes it no patch. */
static int fail_merge_patch(struct api_context *context, const struct err *err) {
        struct json_doc *doc = NULL;
        CLEANUP(buf_release) struct buf problem = { 0 };
        struct err first = *err;
        size_t used;
        int r = 0;

        if (context->validation != VALIDATE_IGNORE &&
            go_json_problem(context->request->body, &problem))
                return fail_bad_request(context, "error decoding patch: %s", problem.data);
        if (context->validation != VALIDATE_IGNORE) {
                r = json_parse_prefix(context->request->body, &doc, &used, &first);
                if (r == 0 && json_type(json_doc_root(doc)) != JSON_OBJECT &&
                    json_type(json_doc_root(doc)) != JSON_NULL)
                        r = err_set(&first, BERTH_ERR_BAD_REQUEST,
                                    "json: cannot unmarshal %s into Go value of type "
                                    "map[string]interface {}",
                                    json_go_name(json_type(json_doc_root(doc))));
                json_doc_free(doc);
        }
        return r < 0 ? fail_bad_request(context, "error decoding patch: %s", first.text)
                     : fail_bad_request(context, "Invalid JSON Patch");
}

static int apply_merge_patch(struct api_context *context, struct api_write *write) {
        struct json_tree *patch = NULL;
        struct err err = { 0 };
        int r = json_tree_parse(context->request->body, &patch, &err);
        enum json_type type = r == 0 ? node_type(json_tree_root(patch)) : JSON_NONE;

        if (type == JSON_ARRAY && context->validation == VALIDATE_IGNORE)
                /* It takes the place of the object, which the check of its form refuses. */
                json_tree_set_root(write->tree, node_clone(write->tree, json_tree_root(patch)));
        else if (type != JSON_OBJECT)
                r = fail_merge_patch(context, &err);
        else if (merge_patch_apply(write->tree, json_tree_root(patch), &err) < 0)
                r = fail_bad_request(context, "error decoding patch: %s", err.text);
        json_tree_free(patch);
        write->object = json_tree_root(write->tree);
        return r;
}

static bool is_text_or_none(const struct json_node *value) {
        return !value || node_type(value) == JSON_STRING;
}

static int apply_strategic(struct api_context *context, struct api_write *write) {
        CLEANUP(buf_release) struct buf complaint = { 0 };

        const struct json *patch = request_json(context, context->request->body);
        if (json_type(patch) == JSON_NULL)
                return 0;
        if (!patch && go_json_problem(context->request->body, &complaint))
                return fail_bad_request(context, "%s", complaint.data);
        if (json_type(patch) != JSON_OBJECT)
                return fail_bad_request(context,
                                        "json: cannot unmarshal %s into Go value of type "
                                        "map[string]interface {}",
                                        json_go_name(json_type(patch)));
        int r = strategic_merge(write->tree, write->object, write->resource->merge_type, patch,
                                &complaint);
        if (r < 0)
                return r == BERTH_ERR_BAD_REQUEST
                               ? fail_bad_request(context, "%s", complaint.data)
                               : fail_plain(context, 500, NULL, "%s", complaint.data);
        /* The result is taken as one of the kind, whatever it says. */
        if (is_text_or_none(node_get(write->object, "kind")))
                node_put_string(write->tree, write->object, "kind", write->resource->kind->kind);
        if (is_text_or_none(node_get(write->object, "apiVersion")))
                node_put_string(write->tree, write->object, "apiVersion",
                                write->resource->api_version);
        return 0;
}

static int apply_patch(struct api_context *context, enum patch_type type, struct api_write *write) {
        if (type == PATCH_JSON)
                return apply_json(context, write);
        return type == PATCH_MERGE ? apply_merge_patch(context, write)
                                   : apply_strategic(context, write);
}

static int fail_patched(struct api_context *context, const struct api_write *write,
                        const char *complaint) {
        return fail_document(context, write, complaint, false);
}

/* What a patch makes must be an object whose type can be read. */
static int check_patched_form(struct api_context *context, const struct api_write *write) {
        const char *problem = type_problem(context, write->object);

        return problem ? fail_patched(context, write, problem) : 0;
}

static int fail_strictness(struct api_context *context, const struct api_write *write,
                           const struct strictness *strictness) {
        if (context->validation != VALIDATE_STRICT || !strictness->count)
                return 0;
        return fail_patched(context, write,
                            arena_printf(context->arena, "strict decoding error: " SLICE_FMT,
                                         SLICE_ARG(buf_view(&strictness->text))));
}

/* Members that no version's type has are unknown; those of the metadata are its own. */
static int report_unversioned(struct api_context *context, const struct api_write *write) {
        const struct schema_object *metadata = schema_named("meta.v1.ObjectMeta");
        struct strictness strictness = { .context = context };
        struct node_iter iter = node_iter(write->object);
        struct slice name;
        int r = 0;

        while (node_next(&iter, &name, NULL)) {
                bool is_known = slice_is(name, "kind") || slice_is(name, "apiVersion") ||
                                schema_field_find(metadata, name);

                if (!is_known)
                        strictness_note(&strictness, arena_string(context->arena, name));
        }
        unknown_paths_report(&strictness.later, true, strictness_unknown, &strictness);
        r = fail_strictness(context, write, &strictness);
        buf_release(&strictness.text);
        return r;
}

/* A version without a group may have a slash all the same. */
static struct slice read_version(struct slice text) {
        return text.len && text.ptr[0] == '/' && !memchr(text.ptr + 1, '/', text.len - 1)
                       ? slice_make(text.ptr + 1, text.len - 1)
                       : text;
}

static bool is_split_often(struct slice version) {
        const char *slash = memchr(version.ptr, '/', version.len);

        return slash && memchr(slash + 1, '/', (size_t)(version.ptr + version.len - slash - 1));
}

static const char *in_quotes(struct api_context *context, const char *text) {
        CLEANUP(buf_release) struct buf quoted = { 0 };

        buf_json_string(&quoted, slice_of(text));
        return arena_string(context->arena, buf_view(&quoted));
}

/* A kind that is left out is that of the resource. Without a version the object decodes as no
 * version's, which has other names for all members: the name is not found. */
static int check_native_type(struct api_context *context, struct api_write *write) {
        const char *own_kind = write->resource->kind->kind;
        const char *own_version = write->resource->api_version;
        struct slice kind = node_get_text(write->object, "kind");
        struct slice version = read_version(node_get_text(write->object, "apiVersion"));
        const char *has_kind = kind.len ? arena_string(context->arena, kind) : own_kind;
        const char *has_version = version.len ? arena_string(context->arena, version) : own_version;

        if (version.len && is_split_often(version))
                return fail_patched(context, write,
                                    arena_printf(context->arena,
                                                 "unexpected GroupVersion string: %s",
                                                 has_version));
        if (version.len == 0 && strcmp(has_kind, own_kind) != 0)
                return fail_patched(
                        context, write,
                        arena_printf(context->arena,
                                     "no kind %s is registered for the internal version of "
                                     "group \"%s\" in scheme "
                                     "\"pkg/api/legacyscheme/scheme.go:30\"",
                                     in_quotes(context, has_kind), write->resource->kind->group));
        if (strcmp(has_kind, own_kind) != 0 || strcmp(has_version, own_version) != 0)
                return fail_patched(
                        context, write,
                        arena_printf(context->arena,
                                     "no kind %s is registered for version %s in scheme "
                                     "\"pkg/api/legacyscheme/scheme.go:30\"",
                                     in_quotes(context, has_kind),
                                     in_quotes(context, has_version)));
        if (version.len == 0 && report_unversioned(context, write) < 0)
                return API_FAILED;
        if (version.len == 0)
                return fail_bad_request(context,
                                        "the name of the object (" SLICE_FMT
                                        " based on URL) was undeterminable: name must be provided",
                                        SLICE_ARG(context->route.name));
        node_put_string(write->tree, write->object, "kind", own_kind);
        node_put_string(write->tree, write->object, "apiVersion", own_version);
        return 0;
}

/* A patch took away what says what the custom resource is. */
static int fail_untyped(struct api_context *context, const struct api_write *write,
                        bool is_version) {
        CLEANUP(cleanup_json_tree)
        struct json_tree *tree = is_version ? NULL
                                            : patch_again(context, patch_type(context), write,
                                                          context->request->body);
        CLEANUP(buf_release) struct buf text = { 0 };

        if (is_version)
                return fail_internal(context, "Object 'apiVersion' is missing in 'object has no "
                                              "apiVersion field'");
        if (tree)
                node_write(json_tree_root(tree), &text);
        return fail_patched(context, write,
                            arena_printf(context->arena,
                                         "Object 'Kind' is missing in '" SLICE_FMT "'",
                                         SLICE_ARG(buf_view(&text))));
}

static int check_patched_type(struct api_context *context, struct api_write *write) {
        if (check_patched_form(context, write) < 0)
                return API_FAILED;
        struct slice kind = node_get_text(write->object, "kind");
        struct slice version = node_get_text(write->object, "apiVersion");

        if (!write->resource->schema && !write->is_apply && (!kind.len || !version.len))
                return fail_untyped(context, write, version.len == 0);
        if (!write->resource->schema && !slice_is(version, write->resource->api_version))
                return fail_custom_type(context, write->object, "apiVersion",
                                        write->resource->api_version);
        if (!write->resource->schema && !slice_is(kind, write->resource->kind->kind))
                return fail_custom_type(context, write->object, "kind",
                                        write->resource->kind->kind);
        return check_native_type(context, write);
}

/* The unknown fields in upstream's order, which a JSON patch leaves behind. */
static void order_unknown(struct api_context *context, const struct api_write *write,
                          struct strictness *strictness) {
        const struct kind_info *kind = write->resource->kind;
        struct strictness again = { .context = context };
        struct schema_report report = { .unknown = strictness_note,
                                        .context = &again,
                                        .minor = write->resource->minor,
                                        .stored = write->old_json };
        CLEANUP(cleanup_json_tree)
        struct json_tree *tree = patch_again(context, PATCH_JSON, write, context->request->body);

        if (!tree)
                return;
        if (kind->prune)
                kind->prune(kind, tree, json_tree_root(tree), strictness_note, &again, NULL);
        if (write->resource->schema)
                schema_normalise(write->resource->schema, tree, json_tree_root(tree), &report,
                                 NULL);
        unknown_paths_report(&strictness->later, false, NULL, NULL);
        strictness->later = again.later;
}

static int fail_fields(struct api_context *context, const struct api_write *write,
                       const struct err *err) {
        return write->is_apply
                       ? fail_applied(context, write->resource, err->text)
                       : fail_document(context, write, err->text, !!write->resource->schema);
}

/* What decoded, as an object of the server's own type. */
static int convert_patched(struct api_context *context, const struct api_write *write) {
        struct err err = { 0 };

        if (convert_numbers(write->resource, write->tree, write->object, &err) == 0)
                return 0;
        if (write->is_apply)
                return fail_unconverted(context, write->resource, err.text);
        return patch_type(context) == PATCH_STRATEGIC
                       ? fail_plain(context, 500, NULL, "%s", err.text)
                       : fail_document(context, write, err.text, false);
}

/* The text of a document is converted when it is read. */
static int convert_strictly(struct api_context *context, const struct api_write *write,
                            const struct strictness *strictness) {
        enum patch_type type = patch_type(context);
        bool is_text = !write->is_apply && (type == PATCH_JSON || type == PATCH_MERGE);

        if (is_text && convert_patched(context, write) < 0)
                return API_FAILED;
        if (fail_strictness(context, write, strictness) < 0)
                return API_FAILED;
        return is_text ? 0 : convert_patched(context, write);
}

/* Unknown fields that the patch brought in, in the order of their paths but after a JSON patch, and
 * wrong types. */
static int check_patched_fields(struct api_context *context, struct api_write *write) {
        struct strictness strictness = { .context = context };
        struct schema_report report = {
                .unknown = strictness_note,
                .emptied = strictness_emptied,
                .context = &strictness,
                .minor = write->resource->minor,
                .stored = write->old_json,
                .is_value = write->is_apply || patch_type(context) == PATCH_STRATEGIC,
        };
        size_t warnings = context->warning_count;
        struct err err = { 0 };
        int r = 0;

        keep_owner_reset(write->resource, write->tree, write->object);
        if (context->validation != VALIDATE_IGNORE && !write->is_apply)
                json_duplicates(request_json(context, context->request->body), strictness_duplicate,
                                &strictness);
        if (write->resource->kind->prune)
                r = write->resource->kind->prune(write->resource->kind, write->tree, write->object,
                                                 strictness_note, &strictness, &err);
        if (write->is_apply && write->resource->kind->prune)
                r = 0; /* validation says so */
        if (write->resource->schema)
                r = schema_normalise(write->resource->schema, write->tree, write->object, &report,
                                     &err);
        if (r == 0 && strictness.later.count && patch_type(context) == PATCH_JSON)
                order_unknown(context, write, &strictness);
        unknown_paths_report(&strictness.later, patch_type(context) != PATCH_JSON,
                             r < 0 ? NULL : strictness_unknown, &strictness);
        if (r < 0)
                context->warning_count = warnings; /* there are warnings only of what decodes */
        r = r < 0 ? fail_fields(context, write, &err)
                  : convert_strictly(context, write, &strictness);
        buf_release(&strictness.text);
        return r;
}

int patch_check(struct api_context *context, struct api_write *write) {
        if (check_patched_type(context, write) < 0)
                return API_FAILED;
        return check_patched_fields(context, write);
}

int patch_document(struct api_context *context, struct api_write *write) {
        if (apply_patch(context, patch_type(context), write) < 0)
                return API_FAILED;
        return patch_check(context, write);
}
