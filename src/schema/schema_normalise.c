/* Brings objects into the form in which Go decodes and prints them, driven by the field tables. */
#include "schema/schema.h"

#include "api/quantity.h"
#include "base/base64.h"
#include "base/time.h"
#include "base/util.h"
#include "schema/field_release.h"
#include "schema/time_error.h"
#include <math.h>
#include <stdio.h>

/* Where the walk is: a chain of frames on the stack, turned into text only for messages. */
struct schema_normalise_place {
        const struct schema_normalise_place *parent;
        struct slice field; /* without bytes (not just empty) for a list element */
        const char
                *embedded; /* Go struct that holds the field without a name in JSON; NULL = none */
        size_t index;
};

struct schema_normalise_walk {
        struct json_tree *tree;
        const struct schema_report *report;
        struct err *err;
        bool is_sparse;  /* leaves what is there and adds nothing */
        bool is_value;   /* converts a value instead of decoding a text (schema_report.is_value) */
        bool has_failed; /* a wrong type was found; decoding goes on behind it */
        unsigned minor;  /* of the server; 0 = the newest */
};

static int normalise_object(struct schema_normalise_walk *walk, const struct schema_object *schema,
                            struct json_node *object, const struct schema_normalise_place *place,
                            bool is_root);

static void path_write(const struct schema_normalise_place *place, bool has_index,
                       struct buf *out) {
        if (!place)
                return;
        path_write(place->parent, has_index, out);
        if (!place->field.ptr) {
                if (has_index)
                        buf_printf(out, "[%zu]", place->index);
                return;
        }
        if (place->parent)
                buf_char(out, '.');
        if (place->embedded && !has_index)
                buf_printf(out, "%s.", place->embedded);
        buf_slice(out, place->field);
}

/* Go's complaints name the structs that hold fields for others; the tables know only that one does.
 */
static const char *embedded_name(const struct schema_object *schema,
                                 const struct schema_field *field) {
        static const char *const names[][2] = {
                { "core.v1.Volume", "VolumeSource" },
                { "core.v1.PersistentVolumeSpec", "PersistentVolumeSource" },
                { "core.v1.Probe", "ProbeHandler" },
                { "core.v1.EphemeralContainer", "EphemeralContainerCommon" },
        };

        if (!field || !field->via || !schema->name)
                return NULL;
        for (size_t i = 0; i < ARRAY_LEN(names); i++)
                if (strcmp(schema->name, names[i][0]) == 0)
                        return names[i][1];
        return strncmp(schema->name, "core.", 5) == 0 ? "LocalObjectReference" : NULL;
}

/* The Go type of a field's values, or with its shape of the field. */
static void go_type_write(const struct schema_field *field, enum schema_shape shape,
                          struct buf *out) {
        static const char *const names[] = {
                [SCHEMA_STRING] = "string",
                [SCHEMA_BOOL] = "bool",
                [SCHEMA_INT32] = "int32",
                [SCHEMA_INT64] = "int64",
                [SCHEMA_FLOAT] = "float64",
                [SCHEMA_BYTES] = "[]uint8",
                [SCHEMA_TIME] = "v1.Time",
                [SCHEMA_MICRO_TIME] = "v1.MicroTime",
                [SCHEMA_DURATION] = "v1.Duration",
                [SCHEMA_QUANTITY] = "resource.Quantity",
                [SCHEMA_INT_OR_STRING] = "intstr.IntOrString",
                [SCHEMA_RAW] = "runtime.RawExtension",
        };
        static const char *const prefixes[] = { [SHAPE_ONE] = "",
                                                [SHAPE_LIST] = "[]",
                                                [SHAPE_MAP] = "map[string]",
                                                [SHAPE_MAP_OF_LIST] = "map[string][]" };

        buf_text(out, prefixes[shape]);
        if (field->type == SCHEMA_OBJECT) {
                const char *name = schema_field_object(field)->name, *dot = strchr(name, '.');

                buf_text(out, dot ? dot + 1 : name);
        } else {
                buf_text(out, names[field->type]);
        }
}

/* What Go says of a text: it names the innermost struct and the JSON path, without indexes. */
static void decode_error_write(const struct schema_object *schema,
                               const struct schema_normalise_place *place,
                               const struct json_node *value, struct slice type, struct buf *out) {
        static const char *const names[] = { "nothing", "null",   "bool",  "number",
                                             "number",  "string", "array", "object" };
        const char *dot = schema ? strrchr(schema->name, '.') : NULL;

        buf_printf(out, "json: cannot unmarshal %s", names[node_type(value)]);
        if ((node_type(value) == JSON_INT || node_type(value) == JSON_REAL) &&
            (slice_is(type, "int32") || slice_is(type, "int64"))) {
                buf_char(out, ' ');
                size_t start = out->len;
                node_write(value, out);
                if (node_type(value) == JSON_REAL && !strpbrk(out->data + start, ".e"))
                        buf_text(out, ".0"); /* as it was sent, most likely */
        }
        buf_printf(out, " into Go struct field %s.", dot ? dot + 1 : "");
        path_write(place, false, out);
        buf_printf(out, " of type " SLICE_FMT, SLICE_ARG(type));
}

/* What it says of a value that it converts: bare kinds, no place. */
static void convert_error_write(const struct json_node *value, struct slice type, struct buf *out) {
        static const char *const names[] = { "nothing", "nil",    "bool",  "int64",
                                             "float64", "string", "slice", "map" };
        const char *name = names[node_type(value)];

        if (slice_has_prefix(type, SLICE_LITERAL("[]")))
                buf_printf(out, "cannot restore slice from %s", name);
        else if (slice_has_prefix(type, SLICE_LITERAL("map[")))
                buf_printf(out, "cannot restore map from %s", name);
        else if (slice_contains(type, SLICE_LITERAL(".")))
                buf_printf(out, "cannot restore struct from: %s", name);
        else if (node_type(value) == JSON_INT && slice_is(type, "string"))
                buf_text(out, "cannot convert int64 to string");
        else if (node_type(value) == JSON_REAL && !slice_is(type, "string") &&
                 !slice_is(type, "bool"))
                buf_printf(out, "cannot convert float64 to " SLICE_FMT, SLICE_ARG(type));
        else
                buf_printf(out, "unrecognized type: " SLICE_FMT, SLICE_ARG(type));
}

/* Decoding goes on behind a wrong type, and only the first is reported; a conversion ends. */
static int wrong_type(struct schema_normalise_walk *walk, const struct schema_object *schema,
                      const struct schema_normalise_place *place, const struct json_node *value,
                      struct slice type) {
        struct buf text = { 0 };

        if (walk->has_failed)
                return 0;
        walk->has_failed = true;
        if (walk->is_value)
                convert_error_write(value, type, &text);
        else
                decode_error_write(schema, place, value, type, &text);
        err_set(walk->err, BERTH_ERR_BAD_REQUEST, "%s", text.data);
        buf_release(&text);
        return walk->is_value ? BERTH_ERR_BAD_REQUEST : 0;
}

static int field_type_error(struct schema_normalise_walk *walk, const struct schema_object *schema,
                            const struct schema_normalise_place *place,
                            const struct json_node *value, const struct schema_field *field,
                            enum schema_shape shape) {
        struct buf type = { 0 };

        go_type_write(field, shape, &type);
        int r = wrong_type(walk, schema, place, value, buf_view(&type));
        buf_release(&type);
        return r;
}

/* Types that read themselves: decoding ends at once, with their word instead of an earlier one. */
static int own_type_error(struct schema_normalise_walk *walk, const struct schema_object *schema,
                          const struct schema_normalise_place *place, const struct json_node *value,
                          const char *type) {
        struct buf text = { 0 };

        decode_error_write(schema, place, value, slice_of(type), &text);
        if (walk->is_value) {
                const char *into = strstr(text.data, " into Go struct field ");
                size_t length = into ? (size_t)(into - text.data) : text.len;

                err_set(walk->err, BERTH_ERR_BAD_REQUEST, "%.*s into Go value of type %s",
                        (int)length, text.data, type);
        } else {
                err_set(walk->err, BERTH_ERR_BAD_REQUEST, "%s", text.data);
        }
        buf_release(&text);
        return BERTH_ERR_BAD_REQUEST;
}

static void report_unknown(struct schema_normalise_walk *walk,
                           const struct schema_normalise_place *parent, struct slice name) {
        struct schema_normalise_place here = { .parent = parent, .field = name };
        struct buf path = { 0 };

        if (!walk->report || !walk->report->unknown)
                return;
        path_write(&here, true, &path);
        walk->report->unknown(walk->report->context, path.data);
        buf_release(&path);
}

static void report_emptied(struct schema_normalise_walk *walk,
                           const struct schema_normalise_place *place,
                           const struct json_node *value) {
        struct buf path = { 0 };
        bool is_list = node_type(value) == JSON_ARRAY;

        if (!walk->report || !walk->report->emptied || node_count(value) > 0 ||
            (!is_list && node_type(value) != JSON_OBJECT))
                return;
        path_write(place, true, &path);
        walk->report->emptied(walk->report->context, path.data, is_list);
        buf_release(&path);
}

/* ---- single values ---- */

static int quantity_value_check(struct schema_normalise_walk *walk, struct json_node *value,
                                struct json_node **ret_value) {
        struct buf text = { 0 }, canonical = { 0 };
        struct slice written = node_get_slice(value);

        if (node_type(value) == JSON_INT || node_type(value) == JSON_REAL) {
                node_write(value, &text);
                written = buf_view(&text);
        } else if (node_type(value) != JSON_STRING) {
                return err_set(walk->err, BERTH_ERR_BAD_REQUEST,
                               "quantities must match the regular expression "
                               "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
        }
        int r = quantity_canonical(written, &canonical, walk->err);
        if (r == 0 && (text.len > 0 || !slice_eq(buf_view(&canonical), written)))
                *ret_value = node_text(walk->tree, buf_view(&canonical));
        buf_release(&text);
        buf_release(&canonical);
        return r < 0 ? BERTH_ERR_BAD_REQUEST : 0;
}

static int time_error(struct schema_normalise_walk *walk, struct slice text, bool has_micro) {
        struct buf complaint = { 0 };

        time_error_write(text, has_micro, &complaint);
        err_set(walk->err, BERTH_ERR_BAD_REQUEST, "%s", complaint.data);
        buf_release(&complaint);
        return BERTH_ERR_BAD_REQUEST;
}

static int time_check(struct schema_normalise_walk *walk, struct json_node *value,
                      struct json_node **ret_value) {
        struct slice text = node_get_slice(value);
        char canonical[WALL_TIME_TEXT_MAX];
        struct wall_time time;

        if (!wall_time_parse(text, &time))
                return time_error(walk, text, false);
        wall_time_format(time, canonical);
        if (!wall_time_is_set(time))
                *ret_value = node_null(walk->tree); /* Go's time that is not set */
        else if (!slice_is(text, canonical))
                *ret_value = node_string(walk->tree, canonical);
        return 0;
}

static bool has_six_fraction_digits(struct slice text) {
        const char *dot = text.len ? memchr(text.ptr, '.', text.len) : NULL;
        size_t digits = 0;

        if (!dot)
                return false;
        for (const char *at = dot + 1; at < text.ptr + text.len && *at >= '0' && *at <= '9'; at++)
                digits++;
        return digits == 6;
}

static int micro_time_check(struct schema_normalise_walk *walk, struct json_node *value,
                            struct json_node **ret_value) {
        struct slice text = node_get_slice(value);
        char canonical[WALL_TIME_TEXT_MAX];
        struct wall_time time;

        if (!wall_time_parse(text, &time) || !has_six_fraction_digits(text))
                return time_error(walk, text, true);
        wall_time_format_micro(time, canonical);
        if (!wall_time_is_set(time))
                *ret_value = node_null(walk->tree);
        else if (!slice_is(text, canonical))
                *ret_value = node_string(walk->tree, canonical);
        return 0;
}

static int duration_check(struct schema_normalise_walk *walk, struct json_node *value,
                          struct json_node **ret_value) {
        char canonical[40];
        int64_t ns;

        if (!duration_parse(node_get_slice(value), &ns))
                return err_set(walk->err, BERTH_ERR_BAD_REQUEST,
                               "time: invalid duration \"" SLICE_FMT "\"",
                               SLICE_ARG(node_get_slice(value)));
        duration_format(ns, canonical);
        *ret_value = node_string(walk->tree, canonical);
        return 0;
}

/* Go passes over ends of lines, and prints the bytes anew. */
static bool is_base64(struct schema_normalise_walk *walk, struct slice text,
                      struct json_node **ret_value) {
        struct buf bare = { 0 }, decoded = { 0 }, again = { 0 };

        for (size_t i = 0; i < text.len; i++)
                if (text.ptr[i] != '\n' && text.ptr[i] != '\r')
                        buf_char(&bare, text.ptr[i]);
        bool is_valid = bare.len % 4 == 0 &&
                        base64_decode(buf_view(&bare), BASE64_STANDARD, &decoded) &&
                        base64_encode(buf_view(&decoded), BASE64_STANDARD, &again);

        if (is_valid && !slice_eq(buf_view(&again), text))
                *ret_value = node_text(walk->tree, buf_view(&again));
        buf_release(&bare);
        buf_release(&decoded);
        buf_release(&again);
        return is_valid;
}

static int bytes_check(struct schema_normalise_walk *walk, struct json_node *value,
                       struct json_node **ret_value) {
        struct slice text = node_get_slice(value);
        size_t bad = 0;

        if (is_base64(walk, text, ret_value))
                return 0;
        while (bad < text.len &&
               (strchr("+/", text.ptr[bad]) || (text.ptr[bad] >= '0' && text.ptr[bad] <= '9') ||
                (text.ptr[bad] >= 'A' && text.ptr[bad] <= 'Z') ||
                (text.ptr[bad] >= 'a' && text.ptr[bad] <= 'z')))
                bad++;
        return err_set(walk->err, BERTH_ERR_BAD_REQUEST, "illegal base64 data at input byte %zu",
                       bad);
}

static bool is_int(const struct json_node *value, int64_t low, int64_t high) {
        int64_t number;

        return node_type(value) == JSON_INT && node_as_i64(value, &number) && number >= low &&
               number <= high;
}

/* A number becomes a whole one of so many bits: too many are cut off, fractions are refused. */
static bool convert_number(struct schema_normalise_walk *walk, const struct json_node *value,
                           int bits, struct json_node **ret_value) {
        int64_t whole;
        double number;

        if (node_type(value) != JSON_INT && node_type(value) != JSON_REAL)
                return false;
        if (node_type(value) != JSON_INT || !node_as_i64(value, &whole)) {
                if (!node_as_f64(value, &number) || islessgreater(number, trunc(number)))
                        return false;
                whole = number >= -0x1p63 && number < 0x1p63 ? (int64_t)number : INT64_MIN;
        }
        *ret_value = node_i64(walk->tree, bits == 32 ? (int32_t)(uint32_t)(uint64_t)whole : whole);
        return true;
}

static bool has_right_type(enum schema_type wanted, const struct json_node *value) {
        enum json_type type = node_type(value);

        switch (wanted) {
        case SCHEMA_BOOL:
                return type == JSON_BOOL;
        case SCHEMA_OBJECT:
                return type == JSON_OBJECT;
        case SCHEMA_INT32:
                return is_int(value, INT32_MIN, INT32_MAX);
        case SCHEMA_INT64:
                return is_int(value, INT64_MIN, INT64_MAX);
        case SCHEMA_FLOAT:
                return type == JSON_INT || type == JSON_REAL;
        case SCHEMA_INT_OR_STRING:
                return type == JSON_STRING || is_int(value, INT32_MIN, INT32_MAX);
        case SCHEMA_QUANTITY: /* has a word of its own */
        case SCHEMA_RAW:
                return true;
        default:
                return type == JSON_STRING;
        }
}

static int wrong_value(struct schema_normalise_walk *walk, const struct schema_object *owner,
                       const struct schema_field *field, const struct schema_normalise_place *place,
                       struct json_node *value, struct json_node **ret_value) {
        switch ((enum schema_type)field->type) {
        case SCHEMA_TIME:
        case SCHEMA_MICRO_TIME:
        case SCHEMA_DURATION:
                return own_type_error(walk, owner, place, value, "string");
        case SCHEMA_INT_OR_STRING:
                return own_type_error(walk, owner, place, value, "int32");
        case SCHEMA_INT32:
        case SCHEMA_INT64:
                if (walk->is_value &&
                    convert_number(walk, value, field->type == SCHEMA_INT32 ? 32 : 64, ret_value))
                        return 0;
                break;
        default:
                break;
        }
        return field_type_error(walk, owner, place, value, field, SHAPE_ONE);
}

/* Checks one value; *ret_value gets the replacement when its text changes. */
static int normalise_value(struct schema_normalise_walk *walk, const struct schema_object *owner,
                           const struct schema_field *field,
                           const struct schema_normalise_place *place, struct json_node *value,
                           struct json_node **ret_value) {
        if (!has_right_type((enum schema_type)field->type, value))
                return wrong_value(walk, owner, field, place, value, ret_value);
        switch ((enum schema_type)field->type) {
        case SCHEMA_OBJECT:
                return normalise_object(walk, schema_field_object(field), value, place, false);
        case SCHEMA_BYTES:
                return bytes_check(walk, value, ret_value);
        case SCHEMA_TIME:
                return time_check(walk, value, ret_value);
        case SCHEMA_MICRO_TIME:
                return micro_time_check(walk, value, ret_value);
        case SCHEMA_DURATION:
                return duration_check(walk, value, ret_value);
        case SCHEMA_QUANTITY:
                return quantity_value_check(walk, value, ret_value);
        default:
                return 0;
        }
}

/* ---- zero values ---- */

static bool is_struct(const struct schema_field *field) {
        return field->shape == SHAPE_ONE &&
               (field->type == SCHEMA_OBJECT || field->type == SCHEMA_TIME ||
                field->type == SCHEMA_MICRO_TIME || field->type == SCHEMA_DURATION ||
                field->type == SCHEMA_QUANTITY || field->type == SCHEMA_INT_OR_STRING ||
                field->type == SCHEMA_RAW);
}

/* Go prints structs even when omitempty asks otherwise; only omitzero drops them. */
static bool is_always_printed(const struct schema_field *field) {
        if (field->flags & FIELD_OMIT_ZERO)
                return false;
        if (!(field->flags & FIELD_OMIT_EMPTY))
                return true;
        return is_struct(field) && !(field->flags & FIELD_POINTER);
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
                return field_type_error(walk, owner, place, list, field, SHAPE_LIST);
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
                return field_type_error(walk, owner, place, map, field,
                                        (enum schema_shape)field->shape);
        while (node_next(&iter, &key, &value)) {
                struct schema_normalise_place here = { .parent = place, .field = key };
                struct json_node *fresh = NULL;

                if (node_type(value) == JSON_NULL && field->type != SCHEMA_RAW) {
                        node_set(walk->tree, map, key, element_zero(walk, field));
                        continue;
                }
                r = field->shape == SHAPE_MAP_OF_LIST
                            ? normalise_list(walk, owner, field, &here, value)
                            : normalise_value(walk, owner, field,
                                              field->type == SCHEMA_OBJECT ? &here : place, value,
                                              &fresh);
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

/* Complete objects may sit inside others, such as claims in a stateful set. */
static bool is_root_type(const struct schema_object *schema) {
        for (size_t i = 0; i < schema_root_count; i++)
                if (&schema_objects[schema_roots[i].object] == schema)
                        return true;
        return false;
}

/* A member that the kind does not know; 1 = it goes, 0 = it stays. */
static int normalise_unknown(struct schema_normalise_walk *walk, const struct schema_object *schema,
                             const struct schema_normalise_place *here, bool is_root) {
        if (walk->is_sparse || (is_type_member(here->field) && (is_root || is_root_type(schema))))
                return 0;
        report_unknown(walk, here->parent, here->field);
        return 1;
}

/* The same of one it knows; below 0 = it is wrong. *value becomes what replaces it. */
static int normalise_known(struct schema_normalise_walk *walk, const struct schema_object *schema,
                           const struct schema_field *field,
                           const struct schema_normalise_place *here, struct json_node *object,
                           struct json_node **value) {
        enum field_standing standing = field_standing(schema, field, walk->minor);

        if (standing == FIELD_UNKNOWN)
                return normalise_unknown(walk, schema, here, false);
        int r = node_type(*value) == JSON_NULL || walk->is_value /* converted before */
                        ? 0
                        : normalise_field(walk, schema, field, here, object, value);

        if (r < 0 || walk->is_sparse)
                return r;
        if (field->shape != SHAPE_ONE)
                report_emptied(walk, here, *value);
        return standing == FIELD_DROPPED || is_dropped(field, *value);
}

/* Fields of an object that need no zero value, by their places in the table; beyond the last bit
 * nothing is noted. */
struct printed_fields {
        uint64_t bits[2];
};

static uint64_t *printed_word(struct printed_fields *printed, size_t index) {
        return index / 64 < ARRAY_LEN(printed->bits) ? &printed->bits[index / 64] : NULL;
}

static void printed_note(struct printed_fields *printed, const struct schema_object *schema,
                         const struct schema_field *field, const struct json_node *value) {
        size_t index = (size_t)(field - schema->fields);
        uint64_t *word = printed_word(printed, index);

        if (word && (field->shape == SHAPE_ONE || !is_zero(field, value)))
                *word |= UINT64_C(1) << index % 64;
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
                                                       .embedded = embedded_name(schema, field) };
                bool is_stored = is_root && field && is_as_stored(walk, name, value);
                int r = is_stored ? 0
                        : field   ? normalise_known(walk, schema, field, &here, object, &value)
                                  : normalise_unknown(walk, schema, &here, is_root);

                if (r < 0)
                        return r;
                if (r > 0)
                        node_drop(&iter);
                else if (field)
                        printed_note(printed, schema, field, value);
        }
        return 0;
}

static void add_zero_values(struct schema_normalise_walk *walk, const struct schema_object *schema,
                            struct json_node *object, struct printed_fields *printed) {
        for (size_t i = 0; i < schema->count; i++) {
                const struct schema_field *field = &schema->fields[i];
                const uint64_t *word = printed_word(printed, i);

                if ((word && *word >> i % 64 & 1) || !is_always_printed(field) ||
                    field_standing(schema, field, walk->minor) != FIELD_SERVED)
                        continue;
                struct json_node *value = node_get(object, field->name);
                if (!value || (field->shape != SHAPE_ONE && is_zero(field, value)))
                        node_put(walk->tree, object, field->name, zero_value(walk, field));
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
