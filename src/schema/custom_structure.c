/* Whether schemas of definitions are structural: types stand outside of the junctors, and all
 * that junctors speak of exists there. */
#include "schema/custom_structure.h"

#include "base/go_quote.h"
#include "base/regex.h"
#include "base/util.h"
#include "schema/structure_priv.h"
#include <stdlib.h>
#include <string.h>

enum structure_level { LEVEL_ROOT, LEVEL_ITEM, LEVEL_FIELD };

/* ---- places ---- */

size_t schema_walk_in(struct structure_walk *walk, const char *member) {
        size_t length = walk->path.len;

        buf_printf(&walk->path, ".%s", member);
        return length;
}

size_t schema_walk_key(struct structure_walk *walk, const char *member, struct slice key) {
        size_t length = walk->path.len;

        buf_printf(&walk->path, ".%s[" SLICE_FMT "]", member, SLICE_ARG(key));
        return length;
}

size_t schema_walk_index(struct structure_walk *walk, const char *member, size_t index) {
        size_t length = walk->path.len;

        buf_printf(&walk->path, ".%s[%zu]", member, index);
        return length;
}

void schema_walk_out(struct structure_walk *walk, size_t length) {
        walk->path.len = length;
        walk->path.data[length] = '\0';
}

void schema_complain(struct structure_walk *walk, enum field_error_kind kind, const char *member,
                     const struct json *value, const char *detail) {
        size_t length = member ? schema_walk_in(walk, member) : walk->path.len;
        struct buf text = { 0 };

        if (json_type(value) == JSON_STRING)
                go_quote_write(json_text(value), &text);
        else if (value)
                json_write(value, &text);
        else if (kind == FIELD_INVALID)
                buf_text(&text, "\"\"");
        field_error_add(walk->errors, kind, walk->path.data, text.data, detail);
        buf_release(&text);
        schema_walk_out(walk, length);
}

bool schema_says(const struct json *schema, const char *member) {
        const struct json *value = json_get(schema, member);

        /* A pointer upstream. */
        if (strcmp(member, "$ref") == 0)
                return json_type(value) == JSON_STRING;
        if (strcmp(member, "patternProperties") == 0 || strcmp(member, "definitions") == 0)
                return json_count(value) > 0;
        switch (json_type(value)) {
        case JSON_BOOL:
                return json_is_true(value);
        case JSON_STRING:
                return json_text(value).len > 0;
        case JSON_ARRAY:
                return json_count(value) > 0;
        case JSON_NONE:
        case JSON_NULL:
                return false;
        default:
                return true;
        }
}

const struct json *schema_below(const struct json *schema, const char *member) {
        const struct json *below = json_get(schema, member);

        return json_type(below) == JSON_OBJECT ? below : NULL;
}

/* ---- junctors ---- */

static const char *const junctors[] = { "anyOf", "allOf", "oneOf" };

/* How a number or a text may be written, which is passed by: anyOf, and that in the first of allOf.
 */
enum union_form { UNION_NONE, UNION_ANY_OF, UNION_EITHER };

static void check_junctors(struct structure_walk *walk, const struct json *schema,
                           enum union_form form);

/* What only the schema outside may say. */
static void check_forbidden(struct structure_walk *walk, const struct json *schema) {
        static const struct {
                const char *member, *detail;
        } members[] = {
                { "type", "must be empty to be structural" },
                { "additionalProperties", "must be undefined to be structural" },
                { "default", "must be undefined to be structural" },
                { "title", "must be empty to be structural" },
                { "description", "must be empty to be structural" },
                { "nullable", "must be false to be structural" },
                { PRESERVE, "must be false to be structural" },
                { EMBEDDED, "must be false to be structural" },
                { INT_OR_STRING, "must be false to be structural" },
                { LIST_KEYS, "must be empty to be structural" },
                { LIST_TYPE, "must be undefined to be structural" },
                { MAP_TYPE, "must be undefined to be structural" },
                { RULES, "must be empty to be structural" },
        };

        for (size_t i = 0; i < ARRAY_LEN(members); i++) {
                bool is_defined = strstr(members[i].detail, "undefined")
                                          ? !!json_get(schema, members[i].member)
                                          : schema_says(schema, members[i].member);

                if (is_defined)
                        schema_complain(walk, FIELD_FORBIDDEN, members[i].member, NULL,
                                        members[i].detail);
        }
}

static void check_nested(struct structure_walk *walk, const struct json *schema,
                         enum union_form form) {
        struct json_iter iter = json_iter(json_get(schema, "properties"));
        const struct json *property;
        struct slice name;
        size_t length;

        if (json_type(schema) != JSON_OBJECT)
                return;
        check_junctors(walk, schema, form);
        if (schema_below(schema, "items")) {
                length = schema_walk_in(walk, "items");
                check_nested(walk, schema_below(schema, "items"), UNION_NONE);
                schema_walk_out(walk, length);
        }
        while (json_next(&iter, &name, &property)) {
                length = schema_walk_key(walk, "properties", name);
                check_nested(walk, property, UNION_NONE);
                schema_walk_out(walk, length);
        }
        check_forbidden(walk, schema);
        if (json_get(json_get(schema, "properties"), "metadata"))
                schema_complain(walk, FIELD_FORBIDDEN, "properties[metadata]", NULL,
                                "must not be specified in a nested context");
}

/* anyOf: [{type: integer}, {type: string}], which int-or-string may be written as. */
static bool is_int_or_string(const struct json *any_of) {
        return json_count(any_of) == 2 && json_count(json_at(any_of, 0)) == 1 &&
               json_count(json_at(any_of, 1)) == 1 &&
               slice_is(json_get_text(json_at(any_of, 0), "type"), "integer") &&
               slice_is(json_get_text(json_at(any_of, 1), "type"), "string");
}

static void check_pattern(struct structure_walk *walk, const struct json *schema) {
        struct slice pattern = json_get_text(schema, "pattern");
        struct err err = { 0 };

        if (pattern.len == 0)
                return;
        struct regex *regex = regex_new(pattern, &err);
        if (!regex) {
                struct buf problem = { 0 };
                bool is_known = regex_problem(pattern, &problem);

                schema_complain(walk, FIELD_INVALID, "pattern", json_get(schema, "pattern"),
                                arena_printf(walk->errors->arena,
                                             "must be a valid regular expression, but isn't: %s%s",
                                             is_known ? "error parsing regexp: " : "",
                                             is_known ? problem.data : err.text));
                buf_release(&problem);
        }
        regex_free(regex);
}

static void check_junctors(struct structure_walk *walk, const struct json *schema,
                           enum union_form form) {
        for (size_t i = 0; i < ARRAY_LEN(junctors); i++) {
                const struct json *list = json_get(schema, junctors[i]), *inner;
                struct json_iter iter = json_iter(list);

                if (json_type(list) != JSON_ARRAY ||
                    (i == 0 && form != UNION_NONE && is_int_or_string(list)))
                        continue;
                for (size_t k = 0; json_next(&iter, NULL, &inner); k++) {
                        size_t length = schema_walk_index(walk, junctors[i], k);

                        check_nested(walk, inner,
                                     i == 1 && k == 0 && form == UNION_EITHER ? UNION_ANY_OF
                                                                              : UNION_NONE);
                        schema_walk_out(walk, length);
                }
        }
        if (schema_below(schema, "not")) {
                size_t length = schema_walk_in(walk, "not");

                check_nested(walk, schema_below(schema, "not"), UNION_NONE);
                schema_walk_out(walk, length);
        }
        check_pattern(walk, schema);
}

/* ---- structure ---- */

static void check_root_metadata(struct structure_walk *walk, const struct json *metadata) {
        static const char *const allowed[] = { "type", "properties", "default" };
        struct json_iter iter = json_iter(json_get(metadata, "properties"));
        struct slice name;
        bool is_more = false;

        while (json_next(&iter, &name, NULL))
                is_more |= !slice_is(name, "name") && !slice_is(name, "generateName");
        iter = json_iter(metadata);
        while (json_next(&iter, &name, NULL)) {
                bool is_allowed = false;

                for (size_t i = 0; i < ARRAY_LEN(allowed); i++)
                        is_allowed |= slice_is(name, allowed[i]);
                is_more |= !is_allowed;
        }
        if (is_more)
                schema_complain(walk, FIELD_FORBIDDEN, "properties[metadata]", NULL,
                                "must not specify anything other than name and generateName, but "
                                "metadata is implicitly specified");
}

/* Members that every resource has. */
static void check_resource(struct structure_walk *walk, const struct json *schema,
                           enum structure_level level) {
        static const char *const identities[] = { "kind", "apiVersion" };
        const struct json *properties = json_get(schema, "properties");
        const struct json *metadata = schema_below(properties, "metadata");

        for (size_t i = 0; i < ARRAY_LEN(identities); i++) {
                const struct json *identity = schema_below(properties, identities[i]);

                if (identity && !slice_is(json_get_text(identity, "type"), "string"))
                        schema_complain(walk, FIELD_INVALID,
                                        arena_printf(walk->errors->arena, "properties[%s].type",
                                                     identities[i]),
                                        json_get(identity, "type"), "must be string");
        }
        if (metadata && !slice_is(json_get_text(metadata, "type"), "object"))
                schema_complain(walk, FIELD_INVALID, "properties[metadata].type",
                                json_get(metadata, "type"), "must be object");
        if (metadata && level == LEVEL_ROOT)
                check_root_metadata(walk, metadata);
}

static void check_embedded(struct structure_walk *walk, const struct json *schema) {
        const struct json *type = json_get(schema, "type");
        bool has_type = json_text(type).len > 0;

        if (!slice_is(json_text(type), "object"))
                schema_complain(walk, has_type ? FIELD_INVALID : FIELD_REQUIRED, "type",
                                has_type ? type : NULL,
                                "must be object if x-kubernetes-embedded-resource is true");
        if (json_get(schema, "additionalProperties"))
                schema_complain(walk, FIELD_FORBIDDEN, "additionalProperties", NULL,
                                "must not be used if x-kubernetes-embedded-resource is set");
        if (!schema_says(schema, PRESERVE) && json_count(json_get(schema, "properties")) == 0)
                schema_complain(walk, FIELD_REQUIRED, "properties", NULL,
                                "must not be empty if x-kubernetes-embedded-resource is true "
                                "without x-kubernetes-preserve-unknown-fields");
}

static void check_structure_type(struct structure_walk *walk, const struct json *schema,
                                 enum structure_level level) {
        static const char *const details[] = { "must not be empty at the root",
                                               "must not be empty for specified array items",
                                               "must not be empty for specified object fields" };
        const struct json *type = json_get(schema, "type");
        bool is_embedded = schema_says(schema, EMBEDDED), has_type = json_text(type).len > 0;

        if (is_embedded)
                check_embedded(walk, schema);
        else if (!has_type && !schema_says(schema, INT_OR_STRING) && !schema_says(schema, PRESERVE))
                schema_complain(walk, FIELD_REQUIRED, "type", NULL, details[level]);
        if (level == LEVEL_ROOT && has_type && !slice_is(json_text(type), "object"))
                schema_complain(walk, FIELD_INVALID, "type", type, "must be object at the root");
        if (level == LEVEL_ROOT || is_embedded)
                check_resource(walk, schema, level);
}

static void check_extensions(struct structure_walk *walk, const struct json *schema) {
        static const char *const members[] = { PRESERVE, EMBEDDED };

        for (size_t i = 0; i < ARRAY_LEN(members); i++)
                if (schema_says(schema, INT_OR_STRING) && schema_says(schema, members[i]))
                        schema_complain(walk, FIELD_INVALID, members[i],
                                        json_get(schema, members[i]),
                                        "must be false if x-kubernetes-int-or-string is true");
}

static void check_structure(struct structure_walk *walk, const struct json *schema,
                            enum structure_level level) {
        struct json_iter iter = json_iter(json_get(schema, "properties"));
        const struct json *items = schema_below(schema, "items"), *property;
        const struct json *others = json_get(schema, "additionalProperties");
        struct slice name;
        size_t length;

        if (slice_is(json_get_text(schema, "type"), "array") && !items)
                schema_complain(walk, FIELD_REQUIRED, "items", NULL, "must be specified");
        if (items) {
                length = schema_walk_in(walk, "items");
                check_structure(walk, items, LEVEL_ITEM);
                schema_walk_out(walk, length);
        }
        while (json_next(&iter, &name, &property)) {
                length = schema_walk_key(walk, "properties", name);
                check_structure(walk, property, LEVEL_FIELD);
                schema_walk_out(walk, length);
        }
        if (others && level == LEVEL_ROOT)
                schema_complain(walk, FIELD_FORBIDDEN, "additionalProperties", NULL,
                                "must not be used at the root");
        if (json_type(others) == JSON_OBJECT) {
                length = schema_walk_in(walk, "additionalProperties");
                check_structure(walk, others, LEVEL_FIELD);
                schema_walk_out(walk, length);
        }
        check_extensions(walk, schema);
        check_junctors(walk, schema, UNION_EITHER);
        check_structure_type(walk, schema, level);
}

/* ---- completeness ---- */

/* Junctors may only speak of what is there outside of them. */
struct completeness {
        struct structure_walk outside, inside;
};

static void check_complete(struct completeness *check, const struct json *nested,
                           const struct json *schema);

static void check_complete_junctors(struct completeness *check, const struct json *nested,
                                    const struct json *schema) {
        size_t length;

        if (schema_below(nested, "not")) {
                length = schema_walk_in(&check->inside, "not");
                check_complete(check, schema_below(nested, "not"), schema);
                schema_walk_out(&check->inside, length);
        }
        for (size_t i = 0; i < ARRAY_LEN(junctors); i++) {
                struct json_iter iter = json_iter(json_get(nested, junctors[i]));
                const struct json *inner;

                for (size_t k = 0; json_next(&iter, NULL, &inner); k++) {
                        length = schema_walk_index(&check->inside, junctors[i], k);
                        check_complete(check, inner, schema);
                        schema_walk_out(&check->inside, length);
                }
        }
}

static void check_complete_below(struct completeness *check, const struct json *nested,
                                 const struct json *schema) {
        if (schema)
                check_complete(check, nested, schema);
        else
                schema_complain(&check->outside, FIELD_REQUIRED, NULL, NULL,
                                arena_printf(check->outside.errors->arena,
                                             "because it is defined in %s",
                                             check->inside.path.data));
}

static void check_complete(struct completeness *check, const struct json *nested,
                           const struct json *schema) {
        struct json_iter iter = json_iter(json_get(nested, "properties"));
        const struct json *properties = json_get(schema, "properties"), *property;
        struct slice name;
        size_t outside, inside;

        check_complete_junctors(check, nested, schema);
        if (schema_below(nested, "items")) {
                outside = schema_walk_in(&check->outside, "items");
                inside = schema_walk_in(&check->inside, "items");
                check_complete_below(check, schema_below(nested, "items"),
                                     schema_below(schema, "items"));
                schema_walk_out(&check->outside, outside);
                schema_walk_out(&check->inside, inside);
        }
        while (json_next(&iter, &name, &property)) {
                outside = schema_walk_key(&check->outside, "properties", name);
                inside = schema_walk_key(&check->inside, "properties", name);
                check_complete_below(check, property, json_get_slice(properties, name));
                schema_walk_out(&check->outside, outside);
                schema_walk_out(&check->inside, inside);
        }
}

/* ---- together ---- */

static int compare_errors(const void *left, const void *right) {
        const struct field_error *a = left, *b = right;
        size_t same = 0, a_size = strlen(a->path), b_size = strlen(b->path);

        /* As texts: a colon ends the path. */
        while (same < a_size && same < b_size && a->path[same] == b->path[same])
                same++;
        int left_char = same < a_size ? (unsigned char)a->path[same] : ':';
        int right_char = same < b_size ? (unsigned char)b->path[same] : ':';
        return left_char != right_char ? left_char - right_char : strcmp(a->message, b->message);
}

static void walk_init(struct structure_walk *walk, const char *path, struct field_errors *errors) {
        *walk = (struct structure_walk){ .errors = errors };
        buf_text(&walk->path, path);
}

static const char *below_problem(const struct json *list) {
        struct json_iter iter = json_iter(list);
        const struct json *inner;
        const char *problem = NULL;

        while (!problem && json_next(&iter, NULL, &inner))
                problem = custom_structure_problem(inner);
        return problem;
}

/* What one schema says that a structural one has no words for, in upstream's order. */
static const char *own_problem(const struct json *schema) {
        static const struct {
                const char *member, *text;
        } unsupported[] = {
                { "id", "OpenAPIV3Schema 'id' is not supported" },
                { "$schema", "OpenAPIV3Schema 'schema' is not supported" },
                { "$ref", "OpenAPIV3Schema '$ref' is not supported" },
                { "patternProperties", "OpenAPIV3Schema 'patternProperties' is not supported" },
                { "dependencies", "OpenAPIV3Schema 'dependencies' is not supported" },
                { "additionalItems", "OpenAPIV3Schema 'additionalItems' is not supported" },
                { "definitions", "OpenAPIV3Schema 'definitions' is not supported" },
        };

        for (size_t i = 0; i < ARRAY_LEN(unsupported); i++)
                if (schema_says(schema, unsupported[i].member))
                        return unsupported[i].text;
        return NULL;
}

const char *custom_structure_problem(const struct json *schema) {
        const struct json *preserve = json_get(schema, PRESERVE),
                          *items = json_get(schema, "items");
        static const char *const lists[] = { "allOf", "anyOf", "oneOf" };
        const char *problem = own_problem(schema);

        if (json_type(schema) != JSON_OBJECT || problem)
                return problem;
        problem = custom_structure_problem(json_get(schema, "not"));
        for (size_t i = 0; !problem && i < ARRAY_LEN(lists); i++)
                problem = below_problem(json_get(schema, lists[i]));
        if (problem)
                return problem;
        if (json_type(preserve) == JSON_BOOL && !json_is_true(preserve))
                return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or "
                       "undefined";
        if (json_type(items) == JSON_ARRAY && json_count(items))
                return "OpenAPIV3Schema 'items' must be a schema, but is an array";
        problem = custom_structure_problem(items);
        if (!problem)
                problem = below_problem(json_get(schema, "properties"));
        return problem ? problem
                       : custom_structure_problem(json_get(schema, "additionalProperties"));
}

bool custom_structure_check(const struct json *schema, const char *path,
                            struct field_errors *errors) {
        if (custom_structure_problem(schema))
                return false;
        struct field_errors found = { .arena = errors->arena };
        struct completeness check;

        walk_init(&check.outside, path, &found);
        walk_init(&check.inside, path, &found);
        check_structure(&check.outside, schema, LEVEL_ROOT);
        check_complete_junctors(&check, schema, schema);
        if (found.count > 1)
                qsort(found.items, found.count, sizeof(*found.items), compare_errors);
        for (size_t i = 0; i < found.count; i++)
                field_error_take(errors, &found.items[i]);
        buf_release(&check.outside.path);
        buf_release(&check.inside.path);
        return found.count == 0;
}
