/* Validation of custom resources by their OpenAPI v3 schema. */
#include "schema/custom_schema.h"

#include "base/arena.h"
#include "base/go_quote.h"
#include "base/map.h"
#include "base/regex.h"
#include "base/util.h"
#include "schema/custom_schema_priv.h"
#include "schema/go_text.h"
#include "schema/list_key.h"
#include "schema/schema_cache.h"
#include "schema/structure_priv.h"
#include "schema/text_format.h"
#include <math.h>
#include <stdio.h>

static void custom_schema_validate(struct schema_cache *cache, const struct json *schema,
                                   const struct json_node *value, const char *path,
                                   struct field_errors *errors);

static const char *value_text(struct field_errors *errors, const struct json_node *value) {
        return go_value_shown(errors->arena, value);
}

static void custom_schema_invalid(struct field_errors *errors, const char *path,
                                  const struct json_node *value, const char *what) {
        field_error_add(errors, FIELD_INVALID, path, value_text(errors, value),
                        arena_printf(errors->arena, "%s in body %s", path, what));
}

/* Upstream's form of a schema for defaults has no type for what is a number or a text. */
static bool is_loose_union(const struct schema_cache *cache, const struct json *schema) {
        return schema_cache_is_loose(cache) && json_is_true(json_get(schema, INT_OR_STRING));
}

static bool has_type(const struct json *schema, const struct json_node *value) {
        struct slice type = json_get_text(schema, "type");
        enum json_type is = node_type(value);
        double number;

        if (json_is_true(json_get(schema, INT_OR_STRING)))
                return is == JSON_INT || is == JSON_STRING;
        if (is == JSON_NULL)
                return type.len == 0 || json_is_true(json_get(schema, "nullable"));
        if (slice_is(type, "object"))
                return is == JSON_OBJECT;
        if (slice_is(type, "array"))
                return is == JSON_ARRAY;
        if (slice_is(type, "string"))
                return is == JSON_STRING;
        if (slice_is(type, "boolean"))
                return is == JSON_BOOL;
        if (slice_is(type, "integer"))
                return is == JSON_INT || (is == JSON_REAL && node_as_f64(value, &number) &&
                                          fpclassify(number - floor(number)) == FP_ZERO);
        if (slice_is(type, "number"))
                return is == JSON_INT || is == JSON_REAL;
        return type.len == 0; /* nothing is of a type that there is not */
}

static struct slice type_name(const struct json *schema) {
        return json_is_true(json_get(schema, INT_OR_STRING)) ? SLICE_LITERAL("integer,string")
                                                             : json_get_text(schema, "type");
}

static const char *type_text(const struct json_node *value) {
        static const char *const names[] = { "",       "null",   "boolean", "integer",
                                             "number", "string", "array",   "object" };

        return names[node_type(value)];
}

static void check_enum(const struct json *schema, const struct json_node *value, const char *path,
                       struct field_errors *errors) {
        const struct json *choices = json_get(schema, "enum");
        struct json_iter iter = json_iter(choices);
        const struct json *choice;
        struct buf list = { 0 };
        bool is_found = json_type(choices) != JSON_ARRAY;

        while (!is_found && json_next(&iter, NULL, &choice)) {
                struct buf a = { 0 }, b = { 0 };

                json_write(choice, &a);
                node_write(value, &b);
                is_found = slice_eq(buf_view(&a), buf_view(&b));
                buf_text(&list, list.len ? ", " : "supported values: ");
                go_quote_write(json_type(choice) == JSON_STRING ? json_text(choice) : buf_view(&a),
                               &list);
                buf_release(&a);
                buf_release(&b);
        }
        if (!is_found)
                field_error_add(errors, FIELD_NOT_SUPPORTED, path, value_text(errors, value),
                                list.data);
        buf_release(&list);
}

/* Up to what a double can hold exactly, and nearly. */
static bool is_whole_number(double number) {
        const double max = 9007199254740991.0, size = fabs(number);

        if (isnan(number) || size > max)
                return false;
        double gap = fabs(size - floor(size));
        return fpclassify(gap) == FP_ZERO || (floor(size) > 0 && gap / (size + floor(size)) < 1e-9);
}

/* That it is whole, and a multiple. */
static void check_steps(const struct json *schema, const struct json_node *value, const char *path,
                        struct field_errors *errors) {
        double number = 0, step;

        node_as_f64(value, &number);
        if (slice_is(json_get_text(schema, "type"), "integer") && !has_type(schema, value))
                field_error_add(errors, FIELD_INVALID, "<nil>", "\"\"",
                                arena_printf(errors->arena,
                                             "Checked value must be of type integer (default "
                                             "format) in %s",
                                             path));
        if (json_as_f64(json_get(schema, "multipleOf"), &step) && step > 0 &&
            !is_whole_number(step < 1 ? 1 / step * number : number / step))
                custom_schema_invalid(
                        errors, path, value,
                        arena_printf(errors->arena, "should be a multiple of %g", step));
}

static void check_number(const struct json *schema, const struct json_node *value, const char *path,
                         struct field_errors *errors) {
        double number, limit;

        if (!node_as_f64(value, &number))
                return;
        check_steps(schema, value, path, errors);
        if (json_as_f64(json_get(schema, "minimum"), &limit)) {
                bool is_open = json_is_true(json_get(schema, "exclusiveMinimum"));

                if (number < limit || (is_open && !(number > limit)))
                        custom_schema_invalid(errors, path, value,
                                              arena_printf(errors->arena,
                                                           "should be greater than %s%g",
                                                           is_open ? "" : "or equal to ", limit));
        }
        if (json_as_f64(json_get(schema, "maximum"), &limit)) {
                bool is_open = json_is_true(json_get(schema, "exclusiveMaximum"));

                if (number > limit || (is_open && !(number < limit)))
                        custom_schema_invalid(errors, path, value,
                                              arena_printf(errors->arena,
                                                           "should be less than %s%g",
                                                           is_open ? "" : "or equal to ", limit));
        }
}

static size_t character_count(struct slice text) {
        size_t count = 0;

        for (size_t i = 0; i < text.len; i++)
                count += ((unsigned char)text.ptr[i] & 0xc0) != 0x80;
        return count;
}

static void check_format(const struct json *schema, const struct json_node *value, const char *path,
                         struct field_errors *errors) {
        struct slice format = json_get_text(schema, "format");

        if (format.len && !text_format_holds(format, node_get_slice(value)))
                field_error_add(errors, FIELD_TYPE_INVALID, path, value_text(errors, value),
                                arena_printf(errors->arena,
                                             "%s in body must be of type " SLICE_FMT ": %s", path,
                                             SLICE_ARG(format), value_text(errors, value)));
}

/* Only the first of these is said, and what is wrong with the format. */
static void check_string(struct schema_cache *cache, const struct json *schema,
                         const struct json_node *value, const char *path,
                         struct field_errors *errors) {
        const struct regex *regex = schema_cache_pattern(cache, schema);
        struct slice text = node_get_slice(value);
        size_t count = character_count(text);
        int64_t limit;

        if (json_as_i64(json_get(schema, "maxLength"), &limit) && count > (size_t)limit)
                field_error_add(errors, FIELD_TOO_LONG, path, NULL,
                                arena_printf(errors->arena, "may not be more than %lld byte%s",
                                             (long long)limit, limit == 1 ? "" : "s"));
        else if (json_as_i64(json_get(schema, "minLength"), &limit) && count < (size_t)limit)
                custom_schema_invalid(errors, path, value,
                                      arena_printf(errors->arena,
                                                   "should be at least %lld chars long",
                                                   (long long)limit));
        else if (regex && !regex_matches(regex, text))
                custom_schema_invalid(errors, path, value,
                                      arena_printf(errors->arena, "should match '" SLICE_FMT "'",
                                                   SLICE_ARG(json_get_text(schema, "pattern"))));
        check_format(schema, value, path, errors);
}

static void check_count_max(const struct json *schema, const char *member, size_t count,
                            const char *path, struct field_errors *errors) {
        int64_t limit;

        if (json_as_i64(json_get(schema, member), &limit) && count > (size_t)limit)
                field_error_add(errors, FIELD_TOO_MANY, path,
                                arena_printf(errors->arena, "%zu", count),
                                arena_printf(errors->arena, "must have at most %lld item%s",
                                             (long long)limit, limit == 1 ? "" : "s"));
}

/* ---- lists of type set and map ---- */

static const char *element_text(struct field_errors *errors, const struct json *keys,
                                const struct json_node *element) {
        CLEANUP(cleanup_json_tree) struct json_tree *tree = json_tree_new();
        struct json_node *shown = node_object(tree);
        struct json_iter iter = json_iter(keys);
        const struct json *key;

        if (!keys)
                return value_text(errors, element);
        while (json_next(&iter, NULL, &key)) {
                const struct json_node *value = node_find(element, json_text(key));

                if (value)
                        node_set(tree, shown, json_text(key), node_clone(tree, value));
        }
        return value_text(errors, shown);
}

static void check_repeated(const struct json *schema, const struct json_node *value,
                           const char *path, struct field_errors *errors) {
        struct slice type = json_get_text(schema, "x-kubernetes-list-type");
        const struct json *keys = json_get(schema, "x-kubernetes-list-map-keys");
        struct node_iter iter = node_iter(value);
        struct json_node *element;
        struct buf key = { 0 };
        char here[CUSTOM_PATH_BYTES];

        if (!slice_is(type, "set") && !slice_is(type, "map"))
                return;
        if (slice_is(type, "set"))
                keys = NULL;
        struct map *seen = map_new();
        for (size_t i = 0; node_next(&iter, NULL, &element); i++) {
                buf_clear(&key);
                list_key_write(keys, element, &key);
                if (!map_put(seen, buf_view(&key), element))
                        continue;
                custom_path_element(here, path, i);
                field_error_add(errors, FIELD_DUPLICATE, here, element_text(errors, keys, element),
                                NULL);
        }
        buf_release(&key);
        map_free(seen);
}

static void check_array(struct schema_cache *cache, const struct json *schema,
                        const struct json_node *value, const char *path,
                        struct field_errors *errors) {
        const struct json *items = json_get(schema, "items");
        struct node_iter iter = node_iter(value);
        struct json_node *element;
        char here[CUSTOM_PATH_BYTES];
        int64_t limit;

        for (size_t i = 0; items && node_next(&iter, NULL, &element); i++) {
                custom_path_element(here, path, i);
                custom_schema_validate(cache, items, element, here, errors);
        }
        if (json_as_i64(json_get(schema, "minItems"), &limit) && node_count(value) < (size_t)limit)
                field_error_add(errors, FIELD_INVALID, path,
                                arena_printf(errors->arena, "%zu", node_count(value)),
                                arena_printf(errors->arena,
                                             "%s in body should have at least %lld items", path,
                                             (long long)limit));
        check_count_max(schema, "maxItems", node_count(value), path, errors);
}

static void check_object(struct schema_cache *cache, const struct json *schema,
                         const struct json_node *value, const char *path,
                         struct field_errors *errors) {
        struct json_iter required = json_iter(json_get(schema, "required"));
        struct node_iter iter = node_iter(value);
        const struct json *name;
        struct json_node *child;
        struct slice key;
        char here[CUSTOM_PATH_BYTES];
        int64_t limit;

        if (json_as_i64(json_get(schema, "minProperties"), &limit) &&
            node_count(value) < (size_t)limit)
                field_error_add(errors, FIELD_INVALID, path,
                                arena_printf(errors->arena, "%zu", node_count(value)),
                                arena_printf(errors->arena,
                                             "%s in body should have at least %lld properties",
                                             path, (long long)limit));
        check_count_max(schema, "maxProperties", node_count(value), path, errors);
        while (node_next(&iter, &key, &child)) {
                const struct json *inner = custom_member(cache, schema, key);

                if (!inner)
                        continue;
                if (schema_cache_property(cache, schema, key))
                        custom_path_member(here, path, key);
                else
                        custom_path_other(here, path, key);
                custom_schema_validate(cache, inner, child, here, errors);
        }
        while (json_next(&required, NULL, &name)) {
                if (node_find(value, json_text(name)))
                        continue;
                custom_path_member(here, path, json_text(name));
                field_error_add(errors, FIELD_REQUIRED, here, NULL, NULL);
        }
}

/* How many of the schemas fit, and the complaints of the first that does not. */
static size_t count_matching(struct schema_cache *cache, const struct json *list,
                             const struct json_node *value, const char *path,
                             struct field_errors *ret_complaints) {
        struct json_iter iter = json_iter(list);
        const struct json *schema;
        size_t matching = 0;

        while (json_next(&iter, NULL, &schema)) {
                struct field_errors errors = { .arena = ret_complaints->arena };

                custom_schema_validate(cache, schema, value, path, &errors);
                matching += errors.count == 0;
                if (errors.count && ret_complaints->count == 0)
                        *ret_complaints = errors;
        }
        return matching;
}

/* Said of a place by its name, as of no field. */
static void complain_combined(struct field_errors *errors, const char *path, const char *what,
                              const struct field_errors *complaints) {
        field_error_add(errors, FIELD_INVALID, "<nil>", "\"\"",
                        arena_printf(errors->arena, "\"%s\" must %s", path, what));
        for (size_t i = 0; complaints && i < complaints->count; i++)
                field_error_take(errors, &complaints->items[i]);
}

static void check_all_of(struct schema_cache *cache, const struct json *list,
                         const struct json_node *value, const char *path,
                         struct field_errors *errors) {
        struct json_iter iter = json_iter(list);
        const struct json *schema;
        size_t matching = 0;

        while (json_next(&iter, NULL, &schema)) {
                size_t before = errors->count + errors->more;

                custom_schema_validate(cache, schema, value, path, errors);
                matching += errors->count + errors->more == before;
        }
        if (matching < json_count(list))
                complain_combined(errors, path,
                                  matching ? "validate all the schemas (allOf)"
                                           : "validate all the schemas (allOf). None validated",
                                  NULL);
}

static void check_combinations(struct schema_cache *cache, const struct json *schema,
                               const struct json_node *value, const char *path,
                               struct field_errors *errors) {
        const struct json *any = json_get(schema, "anyOf"), *one = json_get(schema, "oneOf");
        const struct json *not = json_get(schema, "not");
        struct field_errors inside = { .arena = errors->arena }, any_errors = inside,
                            one_errors = inside;

        if (any && count_matching(cache, any, value, path, &any_errors) == 0)
                complain_combined(errors, path, "validate at least one schema (anyOf)",
                                  &any_errors);
        size_t matching = one ? count_matching(cache, one, value, path, &one_errors) : 1;
        if (matching == 0)
                complain_combined(errors, path,
                                  "validate one and only one schema (oneOf). Found none valid",
                                  &one_errors);
        else if (matching > 1)
                complain_combined(errors, path,
                                  arena_printf(errors->arena,
                                               "validate one and only one schema (oneOf). Found "
                                               "%zu valid alternatives",
                                               matching),
                                  NULL);
        check_all_of(cache, json_get(schema, "allOf"), value, path, errors);
        if (!not )
                return;
        custom_schema_validate(cache, not, value, path, &inside);
        if (inside.count == 0)
                complain_combined(errors, path, "not validate the schema (not)", NULL);
}

static void check_by_type(struct schema_cache *cache, const struct json *schema,
                          const struct json_node *value, const char *path,
                          struct field_errors *errors) {
        switch (node_type(value)) {
        case JSON_INT:
        case JSON_REAL:
                check_number(schema, value, path, errors);
                break;
        case JSON_STRING:
                check_string(cache, schema, value, path, errors);
                break;
        case JSON_ARRAY:
                check_array(cache, schema, value, path, errors);
                break;
        default:
                break;
        }
}

/* Of numbers, where the schema has a format, that and theirs is shown. */
static void complain_of_type(const struct json *schema, const struct json_node *value,
                             const char *path, struct field_errors *errors) {
        bool is_number = node_type(value) == JSON_INT || node_type(value) == JSON_REAL;
        struct slice wanted = type_name(schema), format = json_get_text(schema, "format");
        const char *is = type_text(value);

        if (is_number && format.len) {
                wanted = format;
                is = node_type(value) == JSON_INT ? "int64" : "double";
        }
        field_error_add(errors, FIELD_TYPE_INVALID, path, arena_printf(errors->arena, "\"%s\"", is),
                        arena_printf(errors->arena,
                                     "%s in body must be of type " SLICE_FMT ": \"%s\"", path,
                                     SLICE_ARG(wanted), is));
}

/* In the order of upstream's validators; each looks at what the value is, also where the schema
 * wants another type. */
static void custom_schema_validate(struct schema_cache *cache, const struct json *schema,
                                   const struct json_node *value, const char *path,
                                   struct field_errors *errors) {
        if (schema_cache_passes(cache, value))
                return;
        if (!is_loose_union(cache, schema) && !has_type(schema, value)) {
                complain_of_type(schema, value, path, errors);
        } else if (node_type(value) == JSON_NULL) {
                check_enum(schema, value, path, errors);
                return;
        }
        check_combinations(cache, schema, value, path, errors);
        if (node_type(value) != JSON_OBJECT)
                check_by_type(cache, schema, value, path, errors);
        check_enum(schema, value, path, errors);
        if (node_type(value) == JSON_OBJECT)
                check_object(cache, schema, value, path, errors);
}

/* Elements of sets and maps everywhere in a value. */
static void check_identities(struct schema_cache *cache, const struct json *schema,
                             const struct json_node *value, const char *path,
                             struct field_errors *errors) {
        bool is_list = node_type(value) == JSON_ARRAY;
        struct node_iter iter = node_iter(value);
        struct json_node *child;
        char here[CUSTOM_PATH_BYTES];
        struct slice name;

        if (is_list && slice_is(json_get_text(schema, "type"), "array"))
                check_repeated(schema, value, path, errors);
        for (size_t i = 0; node_next(&iter, &name, &child); i++) {
                const struct json *inner =
                        is_list ? json_get(schema, "items") : custom_member(cache, schema, name);

                if (!inner || node_count(child) == 0)
                        continue;
                if (is_list)
                        custom_path_element(here, path, i);
                else if (schema_cache_property(cache, schema, name))
                        custom_path_member(here, path, name);
                else
                        snprintf(here, sizeof(here), "%s[" SLICE_FMT "]", path, SLICE_ARG(name));
                check_identities(cache, inner, child, here, errors);
        }
}

/* Notes each value that is what it was; elements of lists have counterparts by their keys. */
static void note_unchanged(struct schema_cache *cache, const struct json *schema,
                           const struct json_node *value, const struct json_node *old) {
        bool is_list = node_type(value) == JSON_ARRAY;
        struct node_iter iter = node_iter(value);
        struct json_node *child;
        struct slice name;

        if (!old || node_type(value) != node_type(old))
                return;
        if (node_equal(value, old)) {
                schema_cache_pass(cache, value);
                return;
        }
        struct map *elements = is_list ? list_elements_by_key(schema, old) : NULL;
        while (node_next(&iter, &name, &child)) {
                const struct json *inner =
                        is_list ? json_get(schema, "items") : custom_member(cache, schema, name);

                if (inner)
                        note_unchanged(cache, inner, child,
                                       is_list ? list_element_like(elements, schema, child)
                                               : node_find(old, name));
        }
        map_free(elements);
}

/* What several schemas of one value complain of is said once; the value itself has no path. */
static void take_once(struct field_errors *found, struct field_errors *errors) {
        for (size_t i = 0; i < found->count; i++)
                if (!*found->items[i].path)
                        found->items[i].path = "<nil>";
        field_errors_once(found, 0);
        for (size_t i = 0; i < found->count; i++)
                field_error_take(errors, &found->items[i]);
}

void custom_validate_default(const struct json *schema, const struct json_node *value,
                             struct field_errors *errors) {
        struct schema_cache *cache = schema_cache_new();
        struct field_errors found = { .arena = errors->arena };

        schema_cache_loosen(cache);
        custom_schema_validate(cache, schema, value, "", &found);
        take_once(&found, errors);
        schema_cache_free(cache);
}

void custom_validate(const struct json *schema, const struct json_node *value,
                     const struct json *old, struct field_errors *errors) {
        struct schema_cache *cache = schema_cache_new();
        struct field_errors found = { .arena = errors->arena };

        custom_schema_validate(cache, schema, value, "", &found);
        if (found.count && old) {
                CLEANUP(cleanup_json_tree) struct json_tree *tree = json_tree_new();

                note_unchanged(cache, schema, value, node_import(tree, old));
                found = (struct field_errors){ .arena = errors->arena };
                custom_schema_validate(cache, schema, value, "", &found);
        }
        take_once(&found, errors);
        schema_cache_free(cache);
}

void custom_check_lists(const struct json *schema, const struct json_node *object,
                        const struct json *old, struct field_errors *errors) {
        struct schema_cache *cache = schema_cache_new();
        struct field_errors found = { .arena = errors->arena }, before = found;

        check_identities(cache, schema, object, "", &found);
        if (found.count && old) {
                CLEANUP(cleanup_json_tree) struct json_tree *tree = json_tree_new();

                check_identities(cache, schema, node_import(tree, old), "", &before);
        }
        for (size_t i = 0; before.count == 0 && i < found.count; i++)
                field_error_take(errors, &found.items[i]);
        schema_cache_free(cache);
}

void custom_errors_at(struct field_errors *found, const char *path, struct field_errors *errors) {
        for (size_t i = 0; i < found->count; i++) {
                struct field_error *error = &found->items[i];
                const char *below = *error->path == '.' ? error->path + 1 : error->path;
                bool is_whole = !*below || strcmp(below, "<nil>") == 0;

                error->path = is_whole ? path : arena_printf(found->arena, "%s.%s", path, below);
                field_error_take(errors, error);
        }
}
