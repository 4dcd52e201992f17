/* Brings objects into the form in which Go decodes and prints them, driven by the field tables. */
#include "schema/normalise_priv.h"

#include "base/util.h"
#include "schema/field_release.h"
#include <math.h>

static int normalise_object(struct schema_normalise_walk *walk, const struct schema_object *schema,
                            struct json_node *object, const struct schema_normalise_place *place,
                            bool is_root);

/* ---- schemas inside of schemas ---- */

/* Members of a JSONSchemaProps that read themselves: another schema, or something else. */
enum schema_or { SCHEMA_OR_NOTHING, SCHEMA_OR_LIST, SCHEMA_OR_BOOL };

static const struct {
        const char *name;
        enum schema_or other;
} schema_members[] = {
        { "items", SCHEMA_OR_LIST },
        { "additionalProperties", SCHEMA_OR_BOOL },
        { "additionalItems", SCHEMA_OR_BOOL },
        { "dependencies", SCHEMA_OR_NOTHING },
};

/* Reads on its own: unknown members go unsaid, and its first mistake ends everything. */
static int normalise_inner_schema(struct schema_normalise_walk *walk,
                                  const struct schema_object *type,
                                  const struct schema_normalise_place *place,
                                  struct json_node *schema) {
        const struct schema_report quiet = { .minor = walk->minor };
        struct schema_normalise_walk inner = { .tree = walk->tree,
                                               .report = &quiet,
                                               .err = walk->err,
                                               .minor = walk->minor,
                                               .is_sparse = walk->is_sparse };
        const struct schema_normalise_place *seen_from = walk->is_value ? NULL : place;

        if (node_type(schema) != JSON_OBJECT)
                return 0;
        int r = normalise_object(&inner, type, schema, seen_from, false);
        return r == 0 && inner.has_failed ? BERTH_ERR_BAD_REQUEST : r;
}

static int normalise_schema_member(struct schema_normalise_walk *walk,
                                   const struct schema_object *owner,
                                   const struct schema_field *field,
                                   const struct schema_normalise_place *place,
                                   struct json_node *value) {
        struct node_iter iter = node_iter(value);
        enum json_type type = node_type(value);
        struct json_node *inner;
        size_t i = 0;
        int r = 0;

        while (i < ARRAY_LEN(schema_members) && strcmp(schema_members[i].name, field->name) != 0)
                i++;
        if (i == ARRAY_LEN(schema_members) || type == JSON_OBJECT)
                return i == ARRAY_LEN(schema_members)
                               ? 0
                               : normalise_inner_schema(walk, owner, place, value);
        if (schema_members[i].other == SCHEMA_OR_BOOL && type != JSON_BOOL)
                return err_set(walk->err, BERTH_ERR_BAD_REQUEST, "boolean or JSON schema expected");
        while (r == 0 && schema_members[i].other == SCHEMA_OR_LIST && type == JSON_ARRAY &&
               node_next(&iter, NULL, &inner))
                r = normalise_inner_schema(walk, owner, place, inner);
        return r;
}

/* Checks one value; *ret_value gets the replacement when its text changes. */
static int normalise_value(struct schema_normalise_walk *walk, const struct schema_object *owner,
                           const struct schema_field *field,
                           const struct schema_normalise_place *place, struct json_node *value,
                           struct json_node **ret_value) {
        if (field->type == SCHEMA_OBJECT && node_type(value) == JSON_OBJECT)
                return normalise_object(walk, schema_field_object(field), value, place, false);
        if (field->type == SCHEMA_RAW &&
            strcmp(owner->name, "apiextensions.v1.JSONSchemaProps") == 0)
                return normalise_schema_member(walk, owner, field, place, value);
        return normalise_scalar(walk, owner, field, place, value, ret_value);
}

/* ---- zero values ---- */

static bool is_struct(const struct schema_field *field) {
        return field->shape == SHAPE_ONE &&
               (field->type == SCHEMA_OBJECT || field->type == SCHEMA_TIME ||
                field->type == SCHEMA_MICRO_TIME || field->type == SCHEMA_DURATION ||
                field->type == SCHEMA_QUANTITY || field->type == SCHEMA_INT_OR_STRING ||
                field->type == SCHEMA_RAW);
}

static struct json_node *zero_value(struct schema_normalise_walk *walk,
                                    const struct schema_field *field) {
        if (field->shape != SHAPE_ONE || (field->flags & FIELD_POINTER))
                return node_null(walk->tree);
        switch ((enum schema_type)field->type) {
        case SCHEMA_OBJECT: {
                struct json_node *object = node_object(walk->tree);

                normalise_object(walk, schema_field_object(field), object, NULL, false);
                return object;
        }
        case SCHEMA_STRING:
                return node_string(walk->tree, "");
        case SCHEMA_BOOL:
                return node_bool(walk->tree, false);
        case SCHEMA_INT32:
        case SCHEMA_INT64:
        case SCHEMA_FLOAT:
        case SCHEMA_INT_OR_STRING:
                return node_i64(walk->tree, 0);
        case SCHEMA_QUANTITY:
                return node_string(walk->tree, "0");
        case SCHEMA_DURATION:
                return node_string(walk->tree, "0s");
        case SCHEMA_BYTES:
        case SCHEMA_TIME:
        case SCHEMA_MICRO_TIME:
        case SCHEMA_RAW:
                break;
        }
        return node_null(walk->tree);
}

/* Zero in Go's sense, for a value that has the right type. */
static bool is_zero(const struct schema_field *field, const struct json_node *value) {
        double number;

        switch (node_type(value)) {
        case JSON_NULL:
                return true;
        case JSON_BOOL:
                return !node_is_true(value);
        case JSON_INT:
        case JSON_REAL:
                return node_as_f64(value, &number) && fpclassify(number) == FP_ZERO;
        case JSON_STRING:
                return node_get_slice(value).len == 0;
        case JSON_ARRAY:
                return node_count(value) == 0;
        case JSON_OBJECT:
                return node_count(value) == 0 && field->shape != SHAPE_ONE;
        case JSON_NONE:
                break;
        }
        return false;
}

static bool is_dropped(const struct schema_field *field, const struct json_node *value) {
        bool has_zero_pointer = (field->flags & FIELD_POINTER) || is_struct(field);

        if (node_type(value) == JSON_NULL && field->type == SCHEMA_RAW && field->shape == SHAPE_ONE)
                return field->flags & FIELD_POINTER;
        if (node_type(value) == JSON_NULL)
                return true;
        return !has_zero_pointer && (field->flags & (FIELD_OMIT_EMPTY | FIELD_OMIT_ZERO)) &&
               is_zero(field, value);
}

/* ---- containers ---- */

static struct json_node *element_zero(struct schema_normalise_walk *walk,
                                      const struct schema_field *field) {
        struct schema_field one = *field;

        one.shape = SHAPE_ONE;
        one.flags = 0;
        return one.type == SCHEMA_BYTES ? node_string(walk->tree, "") : zero_value(walk, &one);
}

static int normalise_list(struct schema_normalise_walk *walk, const struct schema_object *owner,
                          const struct schema_field *field,
                          const struct schema_normalise_place *place, struct json_node *list) {
        struct node_iter iter = node_iter(list);
        struct json_node *value;
        size_t index = 0;
        int r;

        if (node_type(list) != JSON_ARRAY)
                return normalise_type_error(walk, owner, place, list, field, SHAPE_LIST);
        for (; node_next(&iter, NULL, &value); index++) {
                struct schema_normalise_place here = { .parent = place, .index = index };
                struct json_node *fresh = NULL;

                if (node_type(value) == JSON_NULL && field->type != SCHEMA_RAW) {
                        node_replace_at(list, index, element_zero(walk, field));
                        continue;
                }
                r = normalise_value(walk, owner, field, &here, value, &fresh);
                if (r < 0)
                        return r;
                if (fresh)
                        node_replace_at(list, index, fresh);
        }
        return 0;
}

static int normalise_map(struct schema_normalise_walk *walk, const struct schema_object *owner,
                         const struct schema_field *field,
                         const struct schema_normalise_place *place, struct json_node *map) {
        struct node_iter iter = node_iter(map);
        struct json_node *value;
        struct slice key;
        int r;

        if (node_type(map) != JSON_OBJECT)
                return normalise_type_error(walk, owner, place, map, field,
                                            (enum schema_shape)field->shape);
        while (node_next(&iter, &key, &value)) {
                struct schema_normalise_place here = { .parent = place,
                                                       .field = key,
                                                       .is_key = true };
                struct json_node *fresh = NULL;

                if (node_type(value) == JSON_NULL && field->type != SCHEMA_RAW) {
                        node_set(walk->tree, map, key, element_zero(walk, field));
                        continue;
                }
                r = field->shape == SHAPE_MAP_OF_LIST
                            ? normalise_list(walk, owner, field, &here, value)
                            : normalise_value(walk, owner, field, &here, value, &fresh);
                if (r < 0)
                        return r;
                if (fresh)
                        node_set(walk->tree, map, key, fresh);
        }
        return 0;
}

/* *value becomes what replaces it. */
static int normalise_field(struct schema_normalise_walk *walk, const struct schema_object *schema,
                           const struct schema_field *field,
                           const struct schema_normalise_place *place, struct json_node *object,
                           struct json_node **value) {
        struct json_node *fresh = NULL;

        if (field->shape == SHAPE_LIST)
                return normalise_list(walk, schema, field, place, *value);
        if (field->shape != SHAPE_ONE)
                return normalise_map(walk, schema, field, place, *value);
        int r = normalise_value(walk, schema, field, place, *value, &fresh);
        if (r == 0 && fresh) {
                node_set(walk->tree, object, slice_of(field->name), fresh);
                *value = fresh;
        }
        return r;
}

static bool is_type_member(struct slice name) {
        return slice_is(name, "apiVersion") || slice_is(name, "kind");
}

/* A member that the kind does not know; 1 = it goes, 0 = it stays. */
static int normalise_unknown(struct schema_normalise_walk *walk, const struct schema_object *schema,
                             const struct schema_normalise_place *here,
                             const struct json_node *value, bool is_root) {
        if (walk->is_sparse || (is_root && is_type_member(here->field)))
                return 0;
        if (is_type_member(here->field) && schema_is_root(schema)) {
                struct schema_normalise_place place = *here;

                place.embedded = "TypeMeta";
                return node_type(value) == JSON_STRING || node_type(value) == JSON_NULL
                               ? 0
                               : normalise_named_error(walk, schema, &place, value, "string");
        }
        normalise_report_unknown(walk, here->parent, here->field);
        return 1;
}

/* The same of one it knows; below 0 = it is wrong. *value becomes what replaces it. */
static int normalise_known(struct schema_normalise_walk *walk, const struct schema_object *schema,
                           const struct schema_field *field,
                           const struct schema_normalise_place *here, struct json_node *object,
                           struct json_node **value) {
        enum field_standing standing = field_standing(schema, field, walk->minor);

        if (standing == FIELD_UNKNOWN)
                return normalise_unknown(walk, schema, here, *value, false);
        int r = node_type(*value) == JSON_NULL || walk->is_value /* converted before */
                        ? 0
                        : normalise_field(walk, schema, field, here, object, value);

        if (r < 0 || walk->is_sparse)
                return r;
        if (field->shape != SHAPE_ONE)
                normalise_report_emptied(walk, here, *value);
        return standing == FIELD_DROPPED || is_dropped(field, *value);
}

/* Fields of an object that need no zero value, by their places in the table. */
struct printed_fields {
        uint64_t bits[2];
};

static void printed_note(struct printed_fields *printed, const struct schema_object *schema,
                         const struct schema_field *field, const struct json_node *value) {
        size_t index = (size_t)(field - schema->fields);

        if (index < 64 * ARRAY_LEN(printed->bits) &&
            (field->shape == SHAPE_ONE || !is_zero(field, value)))
                printed->bits[index / 64] |= UINT64_C(1) << index % 64;
}

static bool is_as_stored(const struct schema_normalise_walk *walk, struct slice name,
                         const struct json_node *value) {
        const struct json *stored = walk->report ? walk->report->stored : NULL;

        return stored && node_equal_json(value, json_get_slice(stored, name));
}

/* A conversion takes members in the order of the type, so that the first wrong one is reported. */
static int convert_members(struct schema_normalise_walk *walk, const struct schema_object *schema,
                           struct json_node *object, const struct schema_normalise_place *place,
                           bool is_root) {
        for (size_t i = 0; i < schema->count; i++) {
                struct slice name = slice_of(schema->fields[i].name);
                struct schema_normalise_place here = { .parent = place, .field = name };
                struct json_node *value = node_find(object, name);

                if (!value || node_type(value) == JSON_NULL ||
                    (is_root && is_as_stored(walk, name, value)) ||
                    field_standing(schema, &schema->fields[i], walk->minor) == FIELD_UNKNOWN)
                        continue;
                int r = normalise_field(walk, schema, &schema->fields[i], &here, object, &value);
                if (r < 0)
                        return r;
        }
        return 0;
}

static int normalise_members(struct schema_normalise_walk *walk, const struct schema_object *schema,
                             struct json_node *object, const struct schema_normalise_place *place,
                             bool is_root, struct printed_fields *printed) {
        struct node_iter iter = node_iter(object);
        struct json_node *value;
        struct slice name;
        size_t near = 0;

        while (node_next(&iter, &name, &value)) {
                const struct schema_field *field = schema_field_near(schema, name, &near);
                struct schema_normalise_place here = { .parent = place,
                                                       .field = name,
                                                       .embedded = normalise_embedded_name(schema,
                                                                                           field) };
                bool is_stored = is_root && field && is_as_stored(walk, name, value);
                int r = is_stored ? 0
                        : field   ? normalise_known(walk, schema, field, &here, object, &value)
                                  : normalise_unknown(walk, schema, &here, value, is_root);

                if (r < 0)
                        return r;
                if (r > 0)
                        node_drop(&iter);
                else if (field)
                        printed_note(printed, schema, field, value);
        }
        return 0;
}

static void add_zero_value(struct schema_normalise_walk *walk, const struct schema_object *schema,
                           const struct schema_field *field, struct json_node *object) {
        if (field_standing(schema, field, walk->minor) != FIELD_SERVED)
                return;
        struct json_node *value = node_get(object, field->name);
        if (!value || (field->shape != SHAPE_ONE && is_zero(field, value)))
                node_put(walk->tree, object, field->name, zero_value(walk, field));
}

static void add_zero_values(struct schema_normalise_walk *walk, const struct schema_object *schema,
                            struct json_node *object, const struct printed_fields *printed) {
        for (size_t word = 0; word < ARRAY_LEN(printed->bits); word++) {
                uint64_t missing = schema->printed[word] & ~printed->bits[word];

                for (; missing; missing &= missing - 1) {
                        size_t index = word * 64 + (size_t)__builtin_ctzll(missing);

                        add_zero_value(walk, schema, &schema->fields[index], object);
                }
        }
}

static int normalise_object(struct schema_normalise_walk *walk, const struct schema_object *schema,
                            struct json_node *object, const struct schema_normalise_place *place,
                            bool is_root) {
        struct printed_fields printed = { 0 };
        int r = walk->is_value ? convert_members(walk, schema, object, place, is_root) : 0;

        if (r == 0)
                r = normalise_members(walk, schema, object, place, is_root, &printed);
        if (r == 0 && !walk->is_sparse)
                add_zero_values(walk, schema, object, &printed);
        return r;
}

int schema_normalise(const struct schema_object *schema, struct json_tree *tree,
                     struct json_node *object, const struct schema_report *report,
                     struct err *err) {
        struct schema_normalise_walk walk = { .tree = tree,
                                              .report = report,
                                              .err = err,
                                              .minor = report ? report->minor : 0,
                                              .is_value = report && report->is_value };

        if (node_type(object) != JSON_OBJECT)
                return err_set(err, BERTH_ERR_BAD_REQUEST,
                               "json: cannot unmarshal %s into an object",
                               json_type_name(node_type(object)));
        int r = normalise_object(&walk, schema, object, NULL, true);
        return r == 0 && walk.has_failed ? BERTH_ERR_BAD_REQUEST : r;
}

int schema_canonicalise(const struct schema_object *schema, struct json_tree *tree,
                        struct json_node *object, struct err *err) {
        struct schema_normalise_walk walk = { .tree = tree, .err = err, .is_sparse = true };

        if (node_type(object) != JSON_OBJECT)
                return err_set(err, BERTH_ERR_BAD_REQUEST, "no object");
        int r = normalise_object(&walk, schema, object, NULL, true);
        return r == 0 && walk.has_failed ? BERTH_ERR_BAD_REQUEST : r;
}
