/* Request bodies: from text to a checked object of the expected kind. */
#include "server/api_decode.h"
#include "server/managed_fields.h"

#include "kinds/number_annotation.h"
#include "schema/go_json.h"
#include "schema/protobuf.h"
#include "schema/raw_path.h"
#include "server/api_context.h"
#include "server/api_failure.h"
#include "server/api_object.h"
#include "server/api_output.h"
#include "server/request_body.h"
#include "server/strict_order.h"
#include <stdlib.h>

void decoded_release(struct decoded *decoded) {
        json_tree_free(decoded->tree);
        *decoded = (struct decoded){ 0 };
}

void strictness_add(struct strictness *strictness, const char *what, struct slice path) {
        struct buf text = { 0 };

        if (strictness->context->validation == VALIDATE_IGNORE)
                return;
        buf_printf(&text, "%s field \"" SLICE_FMT "\"", what, SLICE_ARG(path));
        if (strictness->context->validation == VALIDATE_WARN) {
                warn_add(strictness->context, buf_view(&text));
        } else {
                buf_text(&strictness->text, strictness->count ? ", " : "");
                buf_slice(&strictness->text, buf_view(&text));
        }
        strictness->count++;
        buf_release(&text);
}

void strictness_note(void *context, const char *path) {
        unknown_paths_note(&((struct strictness *)context)->later, path);
}

void strictness_unknown(void *context, const char *path) {
        strictness_add(context, "unknown", slice_of(path));
}

#define EMPTIED_MAX 32

void strictness_emptied(void *context, const char *path, bool is_list) {
        struct api_context *request = ((struct strictness *)context)->context;

        if (request->emptied_count++ >= EMPTIED_MAX)
                return;
        struct emptied_value *emptied = ARENA_ARRAY(request->arena, struct emptied_value, 1);
        *emptied = (struct emptied_value){ .next = request->emptied,
                                           .path = arena_string(request->arena, slice_of(path)),
                                           .text = is_list ? "[]" : "{}" };
        request->emptied = emptied;
}

void strictness_duplicate(void *context, struct slice path, struct slice key) {
        (void)key;
        strictness_add(context, "duplicate", path);
}

#define OPTIONS_KIND "DeleteOptions"

int fail_custom_type(struct api_context *context, const struct json_node *object,
                     const char *member, const char *wanted) {
        struct slice version = node_get_text(object, "apiVersion"), group = SLICE_EMPTY;
        struct slice name = node_get_text(node_get(object, "metadata"), "name");
        struct field_errors errors = { .arena = context->arena };
        struct buf text = { 0 };

        buf_json_string(&text, node_get_text(object, member));
        field_error_add(&errors, FIELD_INVALID, member, text.data,
                        arena_printf(context->arena, "must be %s", wanted));
        buf_release(&text);
        if (slice_contains(version, SLICE_LITERAL("/")))
                slice_split(&version, '/', &group);
        return fail_invalid(context, arena_string(context->arena, node_get_text(object, "kind")),
                            arena_string(context->arena, group), name, &errors);
}

/* Evictions have the same fields under the group's first version, which older clients send. */
static bool is_old_eviction(struct slice version, const char *kind) {
        return slice_is(version, "policy/v1beta1") && strcmp(kind, "Eviction") == 0;
}

/* The same resource is served under the version that the object says it has. */
static bool is_other_version(const struct api_context *context, struct slice api_version) {
        struct slice group = SLICE_EMPTY;

        if (slice_contains(api_version, SLICE_LITERAL("/")))
                slice_split(&api_version, '/', &group);
        return context->resource && resource_find(&context->engine->resources, group, api_version,
                                                  slice_of(context->resource->kind->plural));
}

/* Go's package with the types of a group that versions are converted to. Events are core's. */
static const char *internal_package(struct arena *arena, const char *api_version) {
        size_t length = strcspn(api_version, "./");
        bool is_core = !strchr(api_version, '/') || strncmp(api_version, "events.", 7) == 0;

        return is_core ? "core" : arena_printf(arena, "%.*s", (int)length, api_version);
}

/* Of what is another kind, or of another version. */
static int fail_type(struct api_context *context, const struct json_node *object,
                     const char *api_version, const char *version, const char *kind) {
        struct slice has_kind = node_get_text(object, "kind");
        struct slice has_version = node_get_text(object, "apiVersion");
        bool is_custom = context->resource && context->resource->kind->prune;
        bool is_kind = has_kind.len == 0 || slice_is(has_kind, kind);

        if (is_kind && is_other_version(context, has_version))
                return fail_bad_request(context,
                                        "the API version in the data (" SLICE_FMT
                                        ") does not match the expected API version (%s)",
                                        SLICE_ARG(has_version), api_version);
        if (is_custom && !is_kind && slice_is(has_version, api_version))
                return fail_custom_type(context, object, "kind", kind);
        const char *named = has_kind.len ? arena_string(context->arena, has_kind) : kind;
        const char *slash = strrchr(arena_string(context->arena, has_version), '/');
        const char *shown = !has_version.len ? version
                            : slash          ? slash + 1
                                             : arena_string(context->arena, has_version);

        const char *full =
                arena_string(context->arena, has_version.len ? has_version : slice_of(api_version));

        if (kind_find_by_kind(slice_of(full), slice_of(named)))
                return fail_bad_request(
                        context,
                        "%s in version \"%s\" cannot be handled as a %s: converting "
                        "(%s.%s) to (%s.%s): unknown conversion",
                        named, shown, kind, shown, named,
                        internal_package(context->arena, api_version), kind);
        return fail_bad_request(context,
                                "%s in version \"%s\" cannot be handled as a %s: "
                                "no kind \"%s\" is registered for version \"%s\" in scheme "
                                "\"pkg/api/legacyscheme/scheme.go:30\"",
                                named, shown, kind, named, full);
}

/* apiVersion and kind must fit where they are given, and are filled in where they are not. */
static int check_type(struct api_context *context, struct decoded *decoded, const char *api_version,
                      const char *version, const char *kind) {
        struct slice has_kind = node_get_text(decoded->object, "kind");
        struct slice has_version = node_get_text(decoded->object, "apiVersion");

        if ((has_kind.len && !slice_is(has_kind, kind)) ||
            (has_version.len && !slice_is(has_version, api_version) &&
             !is_old_eviction(has_version, kind)))
                return fail_type(context, decoded->object, api_version, version, kind);
        node_put_string(decoded->tree, decoded->object, "kind", kind);
        node_put_string(decoded->tree, decoded->object, "apiVersion", api_version);
        return 0;
}

static void note_duplicate(void *context, struct slice path, struct slice key) {
        struct strictness *strictness = context;

        (void)key;
        unknown_paths_note(&strictness->duplicates, arena_string(strictness->context->arena, path));
}

static void note_in_order(void *context, const char *what, struct slice path) {
        strictness_add(context, what, path);
}

/* Types that read themselves are given bytes, and nobody looks what comes twice in those. */
static void drop_unread(struct unknown_paths *paths, const struct schema_object *schema) {
        size_t count = 0;

        for (size_t i = 0; i < paths->count; i++) {
                if (schema_is_inside_raw(schema, slice_of(paths->paths[i])))
                        free(paths->paths[i]);
                else
                        paths->paths[count++] = paths->paths[i];
        }
        paths->count = count;
}

/* Go looks at no value of an unknown field, and not whether one comes twice. */
static void report_paths(struct strictness *strictness, bool is_decoded) {
        struct unknown_paths *later = &strictness->later, *twice = &strictness->duplicates;

        if (is_decoded && later->count && twice->count) {
                strict_order(request_json(strictness->context, strictness->context->request->body),
                             later, twice, note_in_order, strictness);
                is_decoded = false;
        }
        for (size_t i = 0; is_decoded && i < twice->count; i++)
                strictness_add(strictness, "duplicate", slice_of(twice->paths[i]));
        unknown_paths_report(twice, false, NULL, NULL);
        unknown_paths_report(later, false, is_decoded ? strictness_unknown : NULL, strictness);
}

#define NO_TYPE "couldn't get version/kind; json parse error: "

const char *type_problem(struct api_context *context, const struct json_node *value) {
        static const char *const members[] = { "apiVersion", "kind" };
        enum json_type type = node_type(value);

        if (type != JSON_OBJECT)
                return arena_printf(context->arena,
                                    NO_TYPE
                                    "json: cannot unmarshal %s into Go value of type struct "
                                    "{ APIVersion string "
                                    "\"json:\\\"apiVersion,omitempty\\\"\"; Kind string "
                                    "\"json:\\\"kind,omitempty\\\"\" }",
                                    json_go_name(type));
        for (size_t i = 0; i < ARRAY_LEN(members); i++) {
                type = node_type(node_get(value, members[i]));
                if (type != JSON_NONE && type != JSON_NULL && type != JSON_STRING)
                        return arena_printf(context->arena,
                                            NO_TYPE
                                            "json: cannot unmarshal %s into Go struct field "
                                            ".%s of type string",
                                            json_go_name(type), members[i]);
        }
        return NULL;
}

static int parse_json(struct api_context *context, struct strictness *strictness, const char *kind,
                      struct decoded *decoded) {
        struct json_doc *doc = NULL;
        struct err err = { 0 };

        if (context->yaml_problem)
                return fail_body(context, kind, context->yaml_problem);
        if (go_json_parse(context->request->body, &doc, &err) < 0)
                return fail_body(context, kind,
                                 arena_printf(context->arena, NO_TYPE "%s", err.text));
        const struct json *root = json_doc_root(doc);
        decoded->tree = json_tree_new();
        decoded->object = json_type(root) == JSON_NULL ? node_object(decoded->tree)
                                                       : node_import(decoded->tree, root);
        json_tree_set_root(decoded->tree, decoded->object);
        const char *problem = type_problem(context, decoded->object);
        if (!problem && context->validation != VALIDATE_IGNORE && !strictness->is_applied)
                json_duplicates(root, note_duplicate, strictness);
        json_doc_free(doc);
        if (problem)
                decoded_release(decoded);
        return problem ? fail_body(context, kind, problem) : 0;
}

static int parse_protobuf(struct api_context *context, const char *kind, struct decoded *decoded) {
        struct err err = { 0 };

        if (context->request->body.len == 0)
                return fail_body(context, kind, "empty data");
        if (!protobuf_is_envelope(context->request->body))
                return fail_body(context, kind,
                                 "provided data does not appear to be a protobuf message, expected "
                                 "prefix [107 56 115 0]");
        if (protobuf_decode(context->request->body, &decoded->tree, &err) < 0)
                return fail_body(context, kind, err.text);
        decoded->object = json_tree_root(decoded->tree);
        return 0;
}

static int parse_body(struct api_context *context, struct strictness *strictness, const char *kind,
                      struct decoded *decoded) {
        struct slice type = slice_trim(context->request->content_type);

        if (media_is(type, "application/vnd.kubernetes.protobuf"))
                return parse_protobuf(context, kind, decoded);
        if (type.len == 0 || media_is(type, "application/json"))
                return parse_json(context, strictness, kind, decoded);
        return fail_plain(context, 415, "UnsupportedMediaType",
                          "the body of the request was in an unknown format - accepted media types "
                          "include: application/json, application/yaml, "
                          "application/vnd.kubernetes.protobuf");
}

static const char *applied_type(struct api_context *context, const struct api_resource *resource) {
        return arena_printf(context->arena, "%s%s, Kind=%s", *resource->kind->group ? "" : "/",
                            resource->api_version, resource->kind->kind);
}

/* "namespace/name; type" of an applied configuration, as it says them. */
static const char *applied_name(struct api_context *context, const struct api_resource *resource) {
        const struct json *metadata =
                json_get(request_json(context, context->request->body), "metadata");

        return arena_printf(context->arena, SLICE_FMT "/" SLICE_FMT "; %s",
                            SLICE_ARG(json_get_text(metadata, "namespace")),
                            SLICE_ARG(json_get_text(metadata, "name")),
                            applied_type(context, resource));
}

int fail_applied(struct api_context *context, const struct api_resource *resource,
                 const char *complaint) {
        return fail_plain(context, 500, NULL,
                          "failed to convert new object (%s) to proper version: unable to convert "
                          "unstructured object to %s: %s",
                          applied_name(context, resource), applied_type(context, resource),
                          complaint);
}

int fail_unconverted(struct api_context *context, const struct api_resource *resource,
                     const char *complaint) {
        return fail_plain(context, 500, NULL, "failed to convert to unversioned (%s): %s",
                          applied_name(context, resource), complaint);
}

int convert_numbers(const struct api_resource *resource, struct json_tree *tree,
                    struct json_node *object, struct err *err) {
        const struct number_annotation *number = resource->kind->number;

        return number ? number_annotation_convert(number, tree, object, err) : 0;
}

/* Objects of the kind that the request is about. */
static int convert_decoded(struct api_context *context, const struct decoded *decoded,
                           const char *kind, struct err *err) {
        const struct api_resource *resource = context->resource;

        return resource && strcmp(kind, resource->kind->kind) == 0
                       ? convert_numbers(resource, decoded->tree, decoded->object, err)
                       : 0;
}

static int fail_decoded(struct api_context *context, const struct strictness *strictness,
                        const char *version, const char *kind, const char *complaint) {
        if (strcmp(kind, "DeleteOptions") == 0) /* complaints do not name them */
                return fail_bad_request(context, "%s", complaint);
        if (strictness->is_applied)
                return fail_applied(context, context->resource, complaint);
        return fail_bad_request(context, "%s in version \"%s\" cannot be handled as a %s: %s", kind,
                                version, kind, complaint);
}

/* Types, unknown fields, zero values; without a schema any JSON is taken as it is. */
static int check_fields(struct api_context *context, struct strictness *strictness,
                        const struct schema_object *schema, struct decoded *decoded,
                        const char *version, const char *kind) {
        bool is_applied = strictness->is_applied;
        struct schema_report report = { .unknown = strictness_note,
                                        .emptied = strictness_emptied,
                                        .context = strictness,
                                        .minor = context->engine->resources.minor,
                                        .is_value = is_applied };
        struct err err = { 0 };

        keep_owner_reset(context->resource, decoded->tree, decoded->object);
        if (!schema)
                report_paths(strictness, true);
        else
                drop_unread(&strictness->duplicates, schema);
        int r = 0;
        if (schema)
                r = schema_normalise(schema, decoded->tree, decoded->object, &report, &err);
        else if (context->resource && context->resource->kind->prune)
                r = context->resource->kind->prune(context->resource->kind, decoded->tree,
                                                   decoded->object, strictness_unknown, strictness,
                                                   &err);
        bool is_decoded = r == 0;
        if (is_decoded)
                r = convert_decoded(context, decoded, kind, &err);
        report_paths(strictness, r == 0);
        if (r < 0)
                context->warning_count = strictness->warnings_before; /* only of what decodes */
        if (r < 0)
                return is_applied && is_decoded
                               ? fail_unconverted(context, context->resource, err.text)
                               : fail_decoded(context, strictness, version, kind, err.text);
        if (context->validation == VALIDATE_STRICT && strictness->count)
                return fail_bad_request(context,
                                        "%s in version \"%s\" cannot be handled as a %s: strict "
                                        "decoding error: " SLICE_FMT,
                                        kind, version, kind,
                                        SLICE_ARG(buf_view(&strictness->text)));
        return 0;
}

static int decode_as(struct api_context *context, struct strictness strictness, const char *group,
                     const char *version, const char *kind, struct decoded *ret_decoded) {
        struct decoded decoded = { 0 };

        strictness.warnings_before = context->warning_count;
        const char *api_version =
                *group ? arena_printf(context->arena, "%s/%s", group, version) : version;
        int r = parse_body(context, &strictness, kind, &decoded);

        if (r == 0)
                r = check_type(context, &decoded, api_version, version, kind);
        if (r == 0)
                r = check_fields(context, &strictness,
                                 schema_find(slice_of(group), slice_of(version), slice_of(kind)),
                                 &decoded, version, kind);
        report_paths(&strictness, false); /* what failed before */
        buf_release(&strictness.text);
        if (r < 0)
                decoded_release(&decoded);
        else
                *ret_decoded = decoded;
        return r;
}

int decode_body(struct api_context *context, const char *group, const char *version,
                const char *kind, struct decoded *ret_decoded) {
        return decode_as(context, (struct strictness){ .context = context }, group, version, kind,
                         ret_decoded);
}

int decode_applied(struct api_context *context, struct decoded *ret_decoded) {
        const struct kind_info *kind = context->resource->kind;

        return decode_as(context, (struct strictness){ .context = context, .is_applied = true },
                         kind->group, kind->version, kind->kind, ret_decoded);
}

/* Kinds that are in no group, which can be decoded wherever something else is wanted. */
static bool is_unversioned(const struct json_node *object) {
        static const char *const kinds[] = { "APIGroup", "APIGroupList", "APIResourceList",
                                             "APIVersions", "Status" };

        for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
                if (slice_is(node_get_text(object, "kind"), kinds[i]))
                        return slice_is(node_get_text(object, "apiVersion"), "v1");
        return false;
}

/* DeleteOptions come with any group's apiVersion, or none. */
int decode_options(struct api_context *context, struct decoded *ret_decoded) {
        struct strictness strictness = { .context = context,
                                         .warnings_before = context->warning_count };
        struct decoded decoded = { 0 };
        int r = parse_body(context, &strictness, OPTIONS_KIND, &decoded);

        if (r < 0)
                return r;
        struct slice kind = node_get_text(decoded.object, "kind");
        if (is_unversioned(decoded.object))
                r = fail_bad_request(context,
                                     "converting (v1." SLICE_FMT ") to (v1." OPTIONS_KIND
                                     "): unknown conversion",
                                     SLICE_ARG(kind));
        else if (kind.len && !slice_is(kind, OPTIONS_KIND))
                r = fail_bad_request(
                        context,
                        "no kind \"" SLICE_FMT "\" is registered for version \"%s\" in scheme "
                        "\"k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/"
                        "register.go:27\"",
                        SLICE_ARG(kind),
                        node_get_text(decoded.object, "apiVersion").len
                                ? arena_string(context->arena,
                                               node_get_text(decoded.object, "apiVersion"))
                                : "meta.k8s.io/v1");
        else
                r = check_fields(context, &strictness,
                                 schema_find(SLICE_LITERAL("meta.k8s.io"), SLICE_LITERAL("v1"),
                                             SLICE_LITERAL(OPTIONS_KIND)),
                                 &decoded, "v1", OPTIONS_KIND);
        if (r < 0)
                decoded_release(&decoded);
        else
                *ret_decoded = decoded;
        return r;
}
