/* Values in the words of the API server's own types, which have no JSON names: upstream shows them
 * so where it complains of a whole object. */
#include "kinds/check.h"

#include "base/arena.h"
#include "base/util.h"
#include "schema/schema.h"
#include <string.h>

/* Names that are not just the JSON name with a capital. */
static const struct {
        const char *name, *go;
} go_names[] = {
        { "apiGroup", "APIGroup" },
        { "apiVersion", "APIVersion" },
        { "seLinuxOptions", "SELinuxOptions" },
        { "uid", "UID" },
        { "hostIP", "HostIP" },
        { "windowsOptions", "WindowsOptions" },
};

static void write_name(struct buf *out, const char *name) {
        for (size_t i = 0; i < ARRAY_LEN(go_names); i++)
                if (strcmp(name, go_names[i].name) == 0) {
                        buf_printf(out, "\"%s\":", go_names[i].go);
                        return;
                }
        buf_printf(out, "\"%c%s\":", *name >= 'a' && *name <= 'z' ? *name - 'a' + 'A' : *name,
                   name + 1);
}

static void write_object(struct buf *out, const struct schema_object *type,
                         const struct json_node *value);

static void write_one(struct buf *out, const struct schema_field *field,
                      const struct json_node *value) {
        const struct schema_object *type =
                field->type == SCHEMA_OBJECT ? schema_field_object(field) : NULL;

        if (value && type && strncmp(type->name, "meta.v1.", 8) != 0)
                write_object(out, type, value);
        else if (value)
                node_write(value, out);
        else if (field->flags & FIELD_POINTER)
                buf_text(out, "null");
        else if (type)
                write_object(out, type, NULL);
        else
                buf_text(out, field->type == SCHEMA_STRING ? "\"\""
                              : field->type == SCHEMA_BOOL ? "false"
                              : field->type == SCHEMA_INT32 || field->type == SCHEMA_INT64
                                      ? "0"
                                      : "null");
}

static void write_field(struct buf *out, const struct schema_field *field,
                        const struct json_node *value) {
        struct node_iter iter = node_iter(value);
        bool is_list = field->shape == SHAPE_LIST;
        struct json_node *inner;
        struct slice key;

        if (field->shape == SHAPE_ONE) {
                write_one(out, field, value);
                return;
        }
        if (!value || node_type(value) == JSON_NULL) {
                buf_text(out, "null");
                return;
        }
        buf_char(out, is_list ? '[' : '{');
        while (node_next(&iter, &key, &inner)) {
                buf_text(out, iter.index > 1 ? "," : "");
                if (!is_list) {
                        buf_json_string(out, key);
                        buf_char(out, ':');
                }
                write_one(out, field, inner);
        }
        buf_char(out, is_list ? ']' : '}');
}

static void write_object(struct buf *out, const struct schema_object *type,
                         const struct json_node *value) {
        buf_char(out, '{');
        for (size_t i = 0; i < type->count; i++) {
                buf_text(out, i ? "," : "");
                write_name(out, type->fields[i].name);
                write_field(out, &type->fields[i], node_get(value, type->fields[i].name));
        }
        buf_char(out, '}');
}

const char *typed_value_text(struct checker *checker, const char *type,
                             const struct json_node *value) {
        struct buf out = { 0 };

        if (!value)
                return "null";
        write_object(&out, schema_named(type), value);
        const char *copy = arena_string(checker->errors->arena, buf_view(&out));
        buf_release(&out);
        return copy;
}
