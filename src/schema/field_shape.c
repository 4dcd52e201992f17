/* How far ownership of fields goes into a value. */
#include "schema/field_shape.h"

#include "base/util.h"
#include <stdlib.h>

#define KEYS_MAX 6

struct field_shape field_shape_of(const struct schema_object *object) {
        return (struct field_shape){ .object = object };
}

struct field_shape field_shape_member(struct field_shape *parent, struct slice name) {
        struct field_shape shape = { 0 };

        if (parent->field && parent->field->shape != SHAPE_ONE && !parent->is_element)
                return field_shape_element(*parent);
        if (parent->object)
                shape.field = schema_field_near(parent->object, name, &parent->near);
        if (shape.field && shape.field->shape == SHAPE_ONE)
                shape.object = schema_field_object(shape.field);
        return shape;
}

struct field_shape field_shape_element(struct field_shape list) {
        return (struct field_shape){ .object = list.field ? schema_field_object(list.field) : NULL,
                                     .field = list.field,
                                     .is_element = true };
}

enum field_extent field_extent(struct field_shape shape, const struct json_node *value) {
        const struct schema_field *field = shape.field;

        if (node_type(value) == JSON_OBJECT) {
                bool is_raw = field && field->type == SCHEMA_RAW && !(field->flags & FIELD_DEDUCED);
                bool is_whole = is_raw || (field && field->flags & FIELD_ATOMIC);

                return is_whole ? EXTENT_LEAF : EXTENT_MAP;
        }
        if (node_type(value) != JSON_ARRAY || !field || shape.is_element)
                return EXTENT_LEAF;
        if (field->flags & FIELD_LIST_MAP)
                return field->map_keys ? EXTENT_LIST : EXTENT_LEAF;
        return field->flags & FIELD_LIST_SET ? EXTENT_LIST : EXTENT_LEAF;
}

/* ---- elements ---- */

static int compare_keys(const void *a, const void *b) {
        return slice_compare(*(const struct slice *)a, *(const struct slice *)b);
}

/* What stands for an absent key: of custom resources the default that follows "name="; of built-in
 * types the zero value of what is always printed. Protocols and references to an object of the same
 * namespace have a default of their own. */
static struct slice split_default(struct field_shape list, struct slice *key) {
        const struct schema_object *type = schema_field_object(list.field);
        struct slice rest = *key;

        if (memchr(rest.ptr, '=', rest.len)) {
                slice_split(&rest, '=', key);
                return rest;
        }
        if (slice_is(*key, "protocol"))
                return SLICE_LITERAL("\"TCP\"");
        if (type && strcmp(type->name, "core.v1.LocalObjectReference") == 0)
                return SLICE_LITERAL("\"\"");
        const struct schema_field *field = type ? schema_field_find(type, *key) : NULL;
        if (!field || field->flags & FIELD_OMIT_EMPTY)
                return SLICE_EMPTY;
        return field->type == SCHEMA_STRING ? SLICE_LITERAL("\"\"") : SLICE_LITERAL("0");
}

static size_t add_key(struct field_shape list, const struct json_node *element, struct slice key,
                      bool is_first, struct buf *out) {
        struct slice fallback = split_default(list, &key);
        const struct json_node *value = node_find(element, key);

        if (!value && fallback.len == 0)
                return 0;
        buf_text(out, is_first ? "" : ",");
        buf_json_string(out, key);
        buf_char(out, ':');
        if (value)
                node_write_for_html(value, out);
        else
                buf_slice(out, fallback);
        return 1;
}

/* Of an element with none of the keys of its list. */
static void write_keyless(struct field_shape list, struct buf *out) {
        struct slice rest = slice_of(list.field->map_keys), key, name;
        const char *gap = "";

        buf_clear(out);
        buf_text(out, "associative list with keys has an element that omits all key fields [");
        while (slice_split(&rest, ',', &key)) {
                slice_split(&key, '=', &name);
                buf_printf(out, "%s\"" SLICE_FMT "\"", gap, SLICE_ARG(name));
                gap = " ";
        }
        buf_text(out, "] (and doesn't have default values for any key fields)");
}

static bool keyed_step(struct field_shape list, const struct json_node *element, struct buf *out,
                       const char **ret_reason) {
        struct slice keys[KEYS_MAX], rest = slice_of(list.field->map_keys);
        size_t count = 0, present = 0;

        *ret_reason = node_type(element) == JSON_NULL
                              ? "associative list with keys may not have a null element"
                              : "associative list with keys may not have non-map elements";
        if (node_type(element) != JSON_OBJECT)
                return false;
        while (count < ARRAY_LEN(keys) && slice_split(&rest, ',', &keys[count]))
                count++;
        qsort(keys, count, sizeof(keys[0]), compare_keys);
        buf_text(out, "k:{");
        for (size_t i = 0; i < count; i++)
                present += add_key(list, element, keys[i], present == 0, out);
        buf_char(out, '}');
        if (present > 0)
                return true;
        write_keyless(list, out);
        *ret_reason = out->data;
        return false;
}

bool field_element_step(struct field_shape list, const struct json_node *element, struct buf *out,
                        const char **ret_reason) {
        buf_clear(out);
        if (list.field->flags & FIELD_LIST_MAP)
                return keyed_step(list, element, out, ret_reason);
        *ret_reason = node_type(element) == JSON_OBJECT
                              ? "associative list without keys has an element that's a map type"
                      : node_type(element) == JSON_ARRAY
                              ? "not supported: associative list with lists as elements"
                              : "associative list without keys has an element that's an explicit "
                                "null";
        buf_text(out, "v:");
        node_write_for_html(element, out);
        return node_type(element) != JSON_OBJECT && node_type(element) != JSON_ARRAY &&
               node_type(element) != JSON_NULL;
}

bool field_shape_is_owned_set(struct field_shape shape) {
        return shape.field && shape.field->type == SCHEMA_RAW &&
               strcmp(shape.field->name, "fieldsV1") == 0;
}
