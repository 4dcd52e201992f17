/* Whether an applied configuration fits the tables. */
#include "schema/field_check.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/pace.h"
#include "base/util.h"
#include "schema/field_set.h"
#include "schema/field_step.h"
#include "schema/go_text.h"
#include <string.h>

#define COMPLAINTS_MAX 100

struct field_checker {
        struct buf path, *out;
        size_t count;
};

static void field_complain(struct field_checker *checker, const char *text, const char *more) {
        if (checker->count++ >= COMPLAINTS_MAX)
                return;
        buf_text(checker->out, checker->count > 1 ? "\n  " : "");
        if (checker->path.len)
                buf_printf(checker->out, "%s: ", checker->path.data);
        buf_printf(checker->out, "%s%s", text, more);
}

static void complain_of(struct field_checker *checker, const char *expected,
                        const struct json_node *value) {
        CLEANUP(cleanup_json_doc) struct json_doc *doc = json_doc_of(value);
        CLEANUP(buf_release) struct buf text = { 0 }, line = { 0 };

        if (strcmp(expected, "numeric (int or float)") == 0) {
                buf_text(&text, go_type_name(json_doc_root(doc)));
        } else if (strcmp(expected, "string") == 0) {
                buf_text(&text, "&value.valueUnstructured{Value:");
                go_syntax_write(json_doc_root(doc), &text);
                buf_char(&text, '}');
        } else {
                buf_text(&text, "&{");
                go_text_write(json_doc_root(doc), &text);
                buf_char(&text, '}');
        }
        buf_printf(&line, "expected %s, got ", expected);
        field_complain(checker, line.data, text.data);
}

/* What a scalar must be; NULL for what may be anything. */
static const char *scalar_complaint(enum schema_type type, enum json_type got) {
        bool is_number = got == JSON_INT || got == JSON_REAL;
        bool is_scalar = is_number || got == JSON_STRING || got == JSON_BOOL;

        switch (type) {
        case SCHEMA_STRING:
        case SCHEMA_BYTES:
        case SCHEMA_DURATION:
                return got == JSON_STRING ? NULL : "string";
        case SCHEMA_BOOL:
                return got == JSON_BOOL ? NULL : "boolean";
        case SCHEMA_INT32:
        case SCHEMA_INT64:
        case SCHEMA_FLOAT:
                return is_number ? NULL : "numeric (int or float)";
        case SCHEMA_TIME:
        case SCHEMA_MICRO_TIME:
        case SCHEMA_QUANTITY:
                return is_scalar ? NULL : "any scalar";
        case SCHEMA_INT_OR_STRING: /* of no type at all; what it may be shows when it is converted
                                    */
        case SCHEMA_RAW:
        case SCHEMA_OBJECT:
                break;
        }
        return NULL;
}

static void check_value(struct field_checker *checker, struct field_shape shape,
                        const struct json_node *value);

static void check_step(struct field_checker *checker, struct field_shape shape, struct slice step,
                       const struct json_node *value) {
        size_t length = checker->path.len;

        field_step_print(step, &checker->path);
        check_value(checker, shape, value);
        checker->path.len = length;
        if (checker->path.data)
                checker->path.data[length] = '\0';
}

/* The kind of an object inside of another, or its version. */
static const struct schema_field type_member = { .type = SCHEMA_STRING, .shape = SHAPE_ONE };

/* A type without members takes any, as its schema says nothing of them. */
static bool takes_any(const struct schema_object *type) {
        return type->is_open || type->count == 0;
}

/* Members that every complete object has, and no table. */
static bool is_type_member(const struct field_checker *checker, struct field_shape shape,
                           bool is_struct, struct slice name) {
        bool is_root = (!shape.field && checker->path.len == 0) ||
                       (is_struct && schema_is_root(shape.object));

        return is_struct && is_root && (slice_is(name, "apiVersion") || slice_is(name, "kind"));
}

static void check_members(struct field_checker *checker, struct field_shape shape,
                          const struct json_node *object) {
        bool is_struct = shape.object &&
                         (!shape.field || shape.is_element || shape.field->shape == SHAPE_ONE);
        struct node_iter iter = node_iter(object);
        struct json_node *value;
        struct buf step = { 0 };
        struct slice name;

        while (node_next(&iter, &name, &value)) {
                struct field_shape inner = field_shape_member(&shape, name);

                pace_step();
                if (!inner.field && is_type_member(checker, shape, is_struct, name)) {
                        if (checker->path.len == 0) /* looked at before */
                                continue;
                        inner.field = &type_member;
                }
                buf_clear(&step);
                buf_text(&step, "f:");
                buf_slice(&step, name);
                if (!is_struct || inner.field || takes_any(shape.object)) {
                        check_step(checker, inner, buf_view(&step), value);
                        continue;
                }
                size_t length = checker->path.len;
                field_step_print(buf_view(&step), &checker->path);
                field_complain(checker, "field not declared in schema", "");
                checker->path.len = length;
                checker->path.data[length] = '\0';
                break;
        }
        buf_release(&step);
}

static void check_elements(struct field_checker *checker, struct field_shape shape,
                           const struct json_node *list) {
        bool is_keyed = field_extent(shape, list) == EXTENT_LIST;
        struct node_iter iter = node_iter(list);
        struct map *seen = map_new();
        struct json_node *element;
        struct buf step = { 0 }, text = { 0 };
        const char *reason;

        while (node_next(&iter, NULL, &element)) {
                buf_clear(&text);
                buf_clear(&step);
                if (!is_keyed) {
                        buf_printf(&step, "i:%zu", iter.index - 1);
                } else if (!field_element_step(shape, element, &step, &reason)) {
                        buf_printf(&text, "element %zu: ", iter.index - 1);
                        field_complain(checker, text.data, reason);
                        break;
                } else if (map_put(seen, buf_view(&step), element)) {
                        field_step_print(buf_view(&step), &text);
                        field_complain(checker, "duplicate entries for key ", text.data);
                }
                check_step(checker, field_shape_element(shape), buf_view(&step), element);
        }
        map_free(seen);
        buf_release(&step);
        buf_release(&text);
}

static bool is_anything(struct field_shape shape) {
        return shape.field ? shape.field->type == SCHEMA_RAW && !field_shape_is_owned_set(shape)
                           : !shape.object;
}

static void check_value(struct field_checker *checker, struct field_shape shape,
                        const struct json_node *value) {
        enum schema_shape kind = shape.field ? (enum schema_shape)shape.field->shape : SHAPE_ONE;
        enum json_type got = node_type(value);

        if (shape.is_element)
                kind = kind == SHAPE_MAP_OF_LIST ? SHAPE_LIST : SHAPE_ONE;
        if (got == JSON_NULL || is_anything(shape))
                return;
        if (kind == SHAPE_LIST) {
                if (got != JSON_ARRAY)
                        complain_of(checker, "list", value);
                else if (!shape.is_element)
                        check_elements(checker, shape, value);
                return;
        }
        if (kind != SHAPE_ONE || shape.object || field_shape_is_owned_set(shape)) {
                if (got != JSON_OBJECT)
                        complain_of(checker, "map", value);
                else
                        check_members(checker, shape, value);
                return;
        }
        const char *expected = scalar_complaint((enum schema_type)shape.field->type, got);
        if (expected)
                complain_of(checker, expected, value);
}

size_t field_check(const struct schema_object *schema, const struct json_node *applied,
                   struct buf *out) {
        struct field_checker checker = { .out = out };
        struct buf text = { 0 };

        checker.out = &text;
        buf_reserve(&checker.path, 64);
        check_value(&checker, field_shape_of(schema), applied);
        if (checker.count > 1)
                buf_text(out, "errors:\n  ");
        buf_slice(out, buf_view(&text));
        buf_release(&text);
        buf_release(&checker.path);
        return checker.count;
}
