/* The API server's own form of a value. */
#include "schema/internal_form.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/util.h"
#include "schema/internal_priv.h"
#include <stdlib.h>

struct frame {
        const struct frame *up;
        const struct schema_object *type;
        const struct json_node *value;
};

static int compare_types(const void *key, const void *element) {
        size_t object = *(const size_t *)key,
               other = ((const struct internal_type *)element)->object;

        return (object > other) - (object < other);
}

/* NULL: it is printed as in objects. */
static const struct internal_type *internal_of(const struct schema_object *type) {
        size_t object = (size_t)(type - schema_objects);

        if (type < schema_objects || object >= schema_object_count)
                return NULL;
        return bsearch(&object, internal_types, internal_type_count, sizeof(internal_types[0]),
                       compare_types);
}

static void write_typed(const struct frame *frame, struct buf *out);

static void write_one(const struct frame *up, const struct schema_field *field,
                      const struct json_node *value, struct buf *out) {
        const struct schema_object *type = schema_field_object(field);

        if (node_type(value) == JSON_NULL || !type)
                node_write_for_html(value, out);
        else
                write_typed(&(struct frame){ up, type, value }, out);
}

static void write_list(const struct frame *up, const struct schema_field *field,
                       const struct json_node *list, struct buf *out) {
        buf_char(out, '[');
        for (size_t i = 0; i < node_count(list); i++) {
                buf_text(out, i ? "," : "");
                write_one(up, field, node_at(list, i), out);
        }
        buf_char(out, ']');
}

static int compare_keys(const void *a, const void *b) {
        return slice_compare(*(const struct slice *)a, *(const struct slice *)b);
}

/* Go sorts the keys of maps. */
static void write_map(const struct frame *up, const struct schema_field *field,
                      const struct json_node *map, struct buf *out) {
        size_t count = node_count(map), at = 0;
        CLEANUP(cleanup_free) struct slice *keys = xcalloc(count + 1, sizeof(*keys));
        struct node_iter iter = node_iter(map);

        while (at < count && node_next(&iter, &keys[at], NULL))
                at++;
        qsort(keys, count, sizeof(*keys), compare_keys);
        buf_char(out, '{');
        for (size_t i = 0; i < count; i++) {
                const struct json_node *value = node_find(map, keys[i]);

                buf_text(out, i ? "," : "");
                buf_json_string(out, keys[i]);
                buf_char(out, ':');
                if (field->shape == SHAPE_MAP_OF_LIST)
                        write_list(up, field, value, out);
                else
                        write_one(up, field, value, out);
        }
        buf_char(out, '}');
}

static void write_field(const struct frame *up, const struct schema_field *field,
                        const struct json_node *value, struct buf *out) {
        enum json_type type = node_type(value);

        if (field->shape == SHAPE_LIST && type == JSON_ARRAY)
                write_list(up, field, value, out);
        else if (field->shape >= SHAPE_MAP && type == JSON_OBJECT)
                write_map(up, field, value, out);
        else
                write_one(up, field, value, out);
}

/* As in objects. Returns whether there are any. */
static bool write_versioned_members(const struct frame *frame, struct buf *out) {
        bool is_any = false;

        for (size_t i = 0; i < frame->type->count; i++) {
                const struct schema_field *field = &frame->type->fields[i];
                const struct json_node *value = node_get(frame->value, field->name);
                bool is_omitted = field->shape != SHAPE_ONE && node_count(value) == 0 &&
                                  (field->flags & FIELD_OMIT_EMPTY);

                if (!value || is_omitted)
                        continue;
                buf_printf(out, "%s\"%s\":", is_any ? "," : "", field->name);
                write_field(frame, field, value, out);
                is_any = true;
        }
        return is_any;
}

static void write_zero(const struct frame *up, enum internal_zero zero,
                       const struct schema_field *field, struct buf *out) {
        static const char *const texts[] = {
                [INTERNAL_NULL] = "null",      [INTERNAL_TEXT] = "\"\"",
                [INTERNAL_NUMBER] = "0",       [INTERNAL_FALSE] = "false",
                [INTERNAL_QUANTITY] = "\"0\"", [INTERNAL_DURATION] = "\"0s\"",
        };

        if (zero == INTERNAL_OBJECT)
                write_typed(&(struct frame){ up, schema_field_object(field), NULL }, out);
        else
                buf_text(out, texts[zero]);
}

/* Returns whether anything was written. */
static bool write_member(const struct frame *frame, const struct internal_member *member,
                         const char *before, struct buf *out) {
        const struct frame *holder = member->is_parents ? frame->up : frame;
        const struct schema_field *field = NULL;
        const struct json_node *value = NULL;

        if (member->field >= 0 && holder) {
                field = &holder->type->fields[member->field];
                value = node_get(holder->value, field->name);
        }
        if (member->zero == INTERNAL_INLINE) {
                size_t start = out->len;
                struct frame inner = { frame, schema_field_object(field), value };

                buf_text(out, before);
                if (write_versioned_members(&inner, out))
                        return true;
                out->len = start;
                return false;
        }
        buf_printf(out, "%s\"%s\":", before, member->name);
        if (value)
                write_field(frame, field, value, out);
        else
                write_zero(frame, member->zero, field, out);
        return true;
}

static void write_typed(const struct frame *frame, struct buf *out) {
        const struct internal_type *internal = internal_of(frame->type);
        bool is_any = false;

        buf_char(out, '{');
        if (!internal)
                write_versioned_members(frame, out);
        for (size_t i = 0; internal && i < internal->count; i++)
                is_any |= write_member(frame, &internal_members[internal->first + i],
                                       is_any ? "," : "", out);
        buf_char(out, '}');
}

void internal_form_write(const struct schema_object *type, const struct json_node *value,
                         struct buf *out) {
        write_typed(&(struct frame){ NULL, type, value }, out);
}

void internal_form_write_field(const struct schema_field *field, bool is_element,
                               const struct json_node *value, struct buf *out) {
        if (!value)
                buf_text(out, "null");
        else if (is_element && field->shape == SHAPE_MAP_OF_LIST)
                write_list(NULL, field, value, out);
        else if (is_element)
                write_one(NULL, field, value, out);
        else
                write_field(NULL, field, value, out);
}
