/* Mistakes in single schemas of a definition: what OpenAPI has and Kubernetes does not, types of
 * lists and maps. */
#include "schema/custom_structure.h"

#include "base/go_quote.h"
#include "base/text_set.h"
#include "base/util.h"
#include "schema/custom_rules_priv.h"
#include "schema/structure_priv.h"
#include "schema/text_format.h"
#include <string.h>

/* What applies below a place. */
struct below {
        bool is_in_metadata;
        const char *no_defaults; /* why there may be none; NULL = there may */
};

static void check_schema(struct structure_walk *walk, const struct json *schema, bool is_root,
                         struct below below);

/* ---- one schema ---- */

static bool is_one_of(struct slice text, const char *const *names) {
        for (; *names; names++)
                if (slice_is(text, *names))
                        return true;
        return false;
}

static void check_unsupported(struct structure_walk *walk, const struct json *schema,
                              struct below below) {
        static const char *const types[] = { "array",  "boolean", "integer", "number",
                                             "object", "string",  NULL };
        static const char *const members[] = {
                "id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"
        };
        struct slice type = json_get_text(schema, "type");

        if (type.len && !is_one_of(type, types))
                schema_complain(walk, FIELD_NOT_SUPPORTED, "type", json_get(schema, "type"),
                                "supported values: \"array\", \"boolean\", \"integer\", "
                                "\"number\", \"object\", \"string\"");
        if (json_get(schema, "default") && below.no_defaults)
                schema_complain(
                        walk, FIELD_FORBIDDEN, "default", NULL,
                        arena_printf(walk->errors->arena, "must not be set %s", below.no_defaults));
        for (size_t i = 0; i < ARRAY_LEN(members); i++)
                if (schema_says(schema, members[i]))
                        schema_complain(walk, FIELD_FORBIDDEN, members[i], NULL,
                                        arena_printf(walk->errors->arena, "%s is not supported",
                                                     members[i]));
        if (slice_is(type, "null"))
                schema_complain(walk, FIELD_FORBIDDEN, "type", NULL,
                                "type cannot be set to null, use nullable as an alternative");
        const struct json *items = json_get(schema, "items");
        if (json_type(items) == JSON_ARRAY && json_count(items))
                schema_complain(walk, FIELD_FORBIDDEN, "items", NULL,
                                "items must be a schema object and not an array");
        if (below.is_in_metadata && schema_says(schema, EMBEDDED))
                schema_complain(walk, FIELD_FORBIDDEN, EMBEDDED, NULL,
                                "must not be used inside of resource meta");
        if (schema_says(schema, "uniqueItems"))
                schema_complain(walk, FIELD_FORBIDDEN, "uniqueItems", NULL,
                                "uniqueItems cannot be set to true since the runtime complexity "
                                "becomes quadratic");
}

/* A type that an extension needs. */
static void check_needed_type(struct structure_walk *walk, const struct json *schema,
                              const char *extension, const char *needed) {
        const struct json *type = json_get(schema, "type");
        bool has_type = json_text(type).len > 0;

        if (json_get(schema, extension) && !slice_is(json_text(type), needed))
                schema_complain(walk, has_type ? FIELD_INVALID : FIELD_REQUIRED, "type",
                                has_type ? type : NULL,
                                arena_printf(walk->errors->arena, "must be %s if %s is specified",
                                             needed, extension));
}

static void check_map_type(struct structure_walk *walk, const struct json *schema) {
        static const char *const types[] = { "atomic", "granular", NULL };
        const struct json *preserve = json_get(schema, PRESERVE);
        const struct json *type = json_get(schema, MAP_TYPE);

        if (json_type(preserve) == JSON_BOOL && !json_is_true(preserve))
                schema_complain(walk, FIELD_INVALID, PRESERVE, preserve,
                                "must be true or undefined");
        check_needed_type(walk, schema, MAP_TYPE, "object");
        if (type && !is_one_of(json_text(type), types))
                schema_complain(walk, FIELD_NOT_SUPPORTED, MAP_TYPE, type,
                                "supported values: \"atomic\", \"granular\"");
}

/* Elements of a set are compared as a whole. */
static void check_set(struct structure_walk *walk, const struct json *schema) {
        static const char atomic[] = "must be atomic as item of a list with "
                                     "x-kubernetes-list-type=set";
        const struct json *items = schema_below(schema, "items");
        struct slice type = json_get_text(items, "type");
        size_t length = schema_walk_in(walk, "items");

        if (slice_is(type, "array") && json_get(items, LIST_TYPE) &&
            !slice_is(json_get_text(items, LIST_TYPE), "atomic"))
                schema_complain(walk, FIELD_INVALID, LIST_TYPE, json_get(items, LIST_TYPE), atomic);
        if (slice_is(type, "object") && !slice_is(json_get_text(items, MAP_TYPE), "atomic")) {
                size_t inner = schema_walk_in(walk, MAP_TYPE);

                field_error_add(walk->errors, FIELD_INVALID, walk->path.data, "null", atomic);
                schema_walk_out(walk, inner);
        }
        schema_walk_out(walk, length);
}

static void check_map_keys(struct structure_walk *walk, const struct json *schema,
                           const struct json *items) {
        struct json_iter iter = json_iter(json_get(schema, LIST_KEYS));
        CLEANUP(text_set_release) struct text_set seen = { 0 };
        const struct json *key;

        while (json_next(&iter, NULL, &key)) {
                const struct json *property =
                        json_get_slice(json_get(items, "properties"), json_text(key));
                struct slice type = json_get_text(property, "type");

                if (!property)
                        schema_complain(walk, FIELD_INVALID, LIST_KEYS, json_get(schema, LIST_KEYS),
                                        "entries must all be names of item properties");
                if (slice_is(type, "array") || slice_is(type, "object"))
                        schema_complain(walk, FIELD_INVALID,
                                        arena_printf(walk->errors->arena,
                                                     "items.properties[" SLICE_FMT "].type",
                                                     SLICE_ARG(json_text(key))),
                                        json_get(items, "type"),
                                        "must be a scalar type if parent array's "
                                        "x-kubernetes-list-type is map");
                if (!text_set_add(&seen, json_text(key)))
                        schema_complain(walk, FIELD_INVALID, LIST_KEYS, json_get(schema, LIST_KEYS),
                                        "must not contain duplicate entries");
        }
}

static void check_list_map(struct structure_walk *walk, const struct json *schema) {
        const struct json *items = json_get(schema, "items");

        if (!schema_says(schema, LIST_KEYS))
                schema_complain(walk, FIELD_REQUIRED, LIST_KEYS, NULL,
                                "must not be empty if x-kubernetes-list-type is map");
        if (!items)
                schema_complain(walk, FIELD_REQUIRED, "items", NULL,
                                "must have a schema if x-kubernetes-list-type is map");
        if (json_type(items) == JSON_ARRAY)
                schema_complain(walk, FIELD_INVALID, "items", items,
                                "must only have a single schema if x-kubernetes-list-type is map");
        if (json_type(items) != JSON_OBJECT)
                return;
        if (slice_is(json_get_text(items, "type"), "object"))
                check_map_keys(walk, schema, items);
        else
                schema_complain(walk, FIELD_INVALID, "items.type", json_get(items, "type"),
                                "must be object if parent array's x-kubernetes-list-type is map");
}

/* Keys must always be there, and elements, too. */
static void check_identity(struct structure_walk *walk, const struct json *schema) {
        const struct json *items = schema_below(schema, "items"), *key;
        struct json_iter iter = json_iter(json_get(schema, LIST_KEYS));
        struct slice type = json_get_text(schema, LIST_TYPE);

        if (schema_says(items, "nullable"))
                schema_complain(
                        walk, FIELD_FORBIDDEN, "items.nullable", NULL,
                        arena_printf(walk->errors->arena,
                                     "cannot be nullable when x-kubernetes-list-type is " SLICE_FMT,
                                     SLICE_ARG(type)));
        while (slice_is(type, "map") && json_next(&iter, NULL, &key)) {
                const struct json *property =
                        json_get_slice(json_get(items, "properties"), json_text(key));
                const char *path =
                        arena_printf(walk->errors->arena, "items.properties[" SLICE_FMT "]",
                                     SLICE_ARG(json_text(key)));

                if (property && !json_array_has(json_get(items, "required"), json_text(key)) &&
                    !json_get(property, "default"))
                        schema_complain(walk, FIELD_REQUIRED,
                                        arena_printf(walk->errors->arena, "%s.default", path), NULL,
                                        "this property is in x-kubernetes-list-map-keys, so it "
                                        "must have a default or be a required property");
                if (schema_says(property, "nullable"))
                        schema_complain(walk, FIELD_FORBIDDEN,
                                        arena_printf(walk->errors->arena, "%s.nullable", path),
                                        NULL,
                                        "this property is in x-kubernetes-list-map-keys, so it "
                                        "cannot be nullable");
        }
}

static void check_list_type(struct structure_walk *walk, const struct json *schema) {
        static const char *const types[] = { "atomic", "set", "map", NULL };
        const struct json *type = json_get(schema, LIST_TYPE);
        bool is_map = slice_is(json_text(type), "map");

        check_needed_type(walk, schema, LIST_TYPE, "array");
        if (slice_is(json_text(type), "set") && slice_is(json_get_text(schema, "type"), "array") &&
            schema_below(schema, "items"))
                check_set(walk, schema);
        if (type && !is_one_of(json_text(type), types))
                schema_complain(walk, FIELD_NOT_SUPPORTED, LIST_TYPE, type,
                                "supported values: \"atomic\", \"set\", \"map\"");
        if (schema_says(schema, LIST_KEYS) && !is_map)
                schema_complain(walk, type ? FIELD_INVALID : FIELD_REQUIRED, LIST_TYPE, type,
                                "must be map if x-kubernetes-list-map-keys is non-empty");
        if (is_map)
                check_list_map(walk, schema);
        if (is_map || slice_is(json_text(type), "set"))
                check_identity(walk, schema);
}

/* ---- schemas below ---- */

static void check_others(struct structure_walk *walk, const struct json *schema,
                         struct below below) {
        const struct json *others = json_get(schema, "additionalProperties");

        if (!others)
                return;
        if (json_count(json_get(schema, "properties")) && !json_is_true(others))
                schema_complain(walk, FIELD_FORBIDDEN, "additionalProperties", NULL,
                                "additionalProperties and properties are mutual exclusive");
        if (json_type(others) != JSON_OBJECT)
                return;
        if (below.is_in_metadata)
                below.no_defaults = "inside additionalProperties applying to object metadata";
        size_t length = schema_walk_in(walk, "additionalProperties");
        check_schema(walk, others, false, below);
        schema_walk_out(walk, length);
}

static void check_properties(struct structure_walk *walk, const struct json *schema, bool is_root,
                             struct below below) {
        static const char *const identities[] = { "metadata", "kind", "apiVersion", NULL };
        struct json_iter iter = json_iter(json_get(schema, "properties"));
        const struct json *property;
        struct slice name;

        while (json_next(&iter, &name, &property)) {
                struct below inner = below;

                if ((is_root || schema_says(schema, EMBEDDED)) && is_one_of(name, identities)) {
                        inner.is_in_metadata = true;
                        if (is_root)
                                inner.no_defaults =
                                        arena_printf(walk->errors->arena, "in top-level " SLICE_FMT,
                                                     SLICE_ARG(name));
                }
                size_t length = schema_walk_key(walk, "properties", name);
                check_schema(walk, property, false, inner);
                schema_walk_out(walk, length);
        }
}

static void check_single(struct structure_walk *walk, const struct json *schema, const char *member,
                         struct below below) {
        if (!schema_below(schema, member))
                return;
        size_t length = schema_walk_in(walk, member);
        check_schema(walk, schema_below(schema, member), false, below);
        schema_walk_out(walk, length);
}

static void check_map(struct structure_walk *walk, const struct json *schema, const char *member,
                      struct below below) {
        struct json_iter iter = json_iter(schema_below(schema, member));
        const struct json *inner;
        struct slice name;

        while (json_next(&iter, &name, &inner)) {
                size_t length = schema_walk_key(walk, member, name);

                check_schema(walk, inner, false, below);
                schema_walk_out(walk, length);
        }
}

static void check_below(struct structure_walk *walk, const struct json *schema,
                        struct below below) {
        static const char *const lists[] = { "allOf", "oneOf", "anyOf" };
        const struct json *inner;

        check_single(walk, schema, "not", below);
        for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
                struct json_iter iter = json_iter(json_get(schema, lists[i]));

                for (size_t k = 0; json_next(&iter, NULL, &inner); k++) {
                        size_t length = schema_walk_index(walk, lists[i], k);

                        check_schema(walk, inner, false, below);
                        schema_walk_out(walk, length);
                }
        }
        check_map(walk, schema, "definitions", below);
        check_single(walk, schema, "items", below);
        check_map(walk, schema, "dependencies", below);
}

static void check_schema(struct structure_walk *walk, const struct json *schema, bool is_root,
                         struct below below) {
        if (json_type(schema) != JSON_OBJECT)
                return;
        check_unsupported(walk, schema, below);
        check_others(walk, schema, below);
        check_properties(walk, schema, is_root, below);
        check_below(walk, schema, below);
        check_map_type(walk, schema);
        check_list_type(walk, schema);
        rules_check_texts(walk, schema);
}

void custom_schema_check(const struct json *schema, const char *path, struct field_errors *errors) {
        struct structure_walk walk = { .errors = errors };

        buf_text(&walk.path, path);
        check_schema(&walk, schema, true, (struct below){ 0 });
        buf_release(&walk.path);
}

/* ---- formats ---- */

static bool is_known_format(struct slice type, struct slice format) {
        static const char *const integers[] = { "int32", "int64", NULL };
        static const char *const numbers[] = { "float", "double", NULL };

        if (type.len == 0 || slice_is(type, "string"))
                return text_format_is_known(format);
        if (slice_is(type, "integer"))
                return is_one_of(format, integers);
        return slice_is(type, "number") ? is_one_of(format, numbers) : false;
}

void custom_formats(const struct json *schema, void (*emit)(void *context, const char *text),
                    void *context) {
        struct json_iter iter = json_iter(json_get(schema, "properties"));
        struct slice format = json_get_text(schema, "format");
        const struct json *below[] = { schema_below(schema, "items"),
                                       schema_below(schema, "additionalProperties") };
        const struct json *property;
        struct buf text = { 0 };

        if (format.len && !is_known_format(json_get_text(schema, "type"), format)) {
                buf_text(&text, "unrecognized format ");
                go_quote_write(format, &text);
                emit(context, text.data);
                buf_release(&text);
        }
        for (size_t i = 0; i < ARRAY_LEN(below); i++)
                if (below[i])
                        custom_formats(below[i], emit, context);
        while (json_next(&iter, NULL, &property))
                custom_formats(property, emit, context);
}
