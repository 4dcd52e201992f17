/* Values as Go prints them in messages. */
#include "schema/go_text.h"

#include "base/go_number.h"
#include "base/go_quote.h"
#include "base/util.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_members(const void *left, const void *right) {
        const struct json_member *a = left, *b = right;

        return slice_compare(a->key, b->key);
}

static struct json_member *sorted_members(const struct json *object, size_t *ret_count) {
        struct json_member *members = json_members(object, ret_count);

        if (*ret_count > 1)
                qsort(members, *ret_count, sizeof(*members), compare_members);
        return members;
}

/* Whole numbers beyond 64 bits with a sign are floating-point ones to Go. */
static void number_write(const struct json *value, struct buf *out) {
        int64_t whole;
        double number;

        if (!json_as_i64(value, &whole) && json_as_f64(value, &number))
                go_float_write(number, out);
        else
                json_write(value, out);
}

/* A list or a map, and what writes its values. */
static void container_write(const struct json *value, struct buf *out,
                            void (*write)(const struct json *value, struct buf *out)) {
        bool is_map = json_type(value) == JSON_OBJECT;
        struct json_iter iter = json_iter(value);
        struct json_member *members = NULL;
        const struct json *element;
        size_t count = 0;

        if (is_map)
                members = sorted_members(value, &count);
        buf_text(out, is_map ? "map[" : "[");
        for (size_t i = 0; i < count; i++) {
                buf_printf(out, "%s" SLICE_FMT ":", i ? " " : "", SLICE_ARG(members[i].key));
                write(members[i].value, out);
        }
        for (bool is_next = false; !is_map && json_next(&iter, NULL, &element); is_next = true) {
                buf_text(out, is_next ? " " : "");
                write(element, out);
        }
        buf_char(out, ']');
        free(members);
}

void go_text_write(const struct json *value, struct buf *out) {
        switch (json_type(value)) {
        case JSON_OBJECT:
        case JSON_ARRAY:
                container_write(value, out, go_text_write);
                break;
        case JSON_STRING:
                buf_slice(out, json_text(value));
                break;
        case JSON_NULL:
                buf_text(out, "<nil>");
                break;
        case JSON_INT:
        case JSON_REAL:
                number_write(value, out);
                break;
        default:
                json_write(value, out);
        }
}

/* Inside of others nothing is no mistake. */
static void inner_string_write(const struct json *value, struct buf *out) {
        if (json_type(value) == JSON_NULL)
                buf_text(out, "<nil>");
        else
                go_string_write(value, out);
}

void go_string_write(const struct json *value, struct buf *out) {
        enum json_type type = json_type(value);

        if (type == JSON_OBJECT || type == JSON_ARRAY) {
                container_write(value, out, inner_string_write);
        } else if (type == JSON_STRING) {
                buf_slice(out, json_text(value));
        } else if (type == JSON_NULL) {
                buf_text(out, "%!s(<nil>)");
        } else {
                buf_printf(out, "%%!s(%s=", go_type_name(value));
                go_text_write(value, out);
                buf_char(out, ')');
        }
}

const char *go_type_name(const struct json *value) {
        switch (json_type(value)) {
        case JSON_OBJECT:
                return "map[string]interface {}";
        case JSON_ARRAY:
                return "[]interface {}";
        case JSON_STRING:
                return "string";
        case JSON_BOOL:
                return "bool";
        case JSON_REAL:
                return "float64";
        case JSON_NULL:
                return "<nil>";
        default:
                return "int64";
        }
}

static void map_syntax_write(const struct json *value, struct buf *out) {
        size_t count;
        struct json_member *members = sorted_members(value, &count);

        for (size_t i = 0; i < count; i++) {
                buf_text(out, i ? ", " : "");
                buf_json_string(out, members[i].key);
                buf_char(out, ':');
                go_syntax_write(members[i].value, out);
        }
        free(members);
}

void go_syntax_write(const struct json *value, struct buf *out) {
        struct json_iter iter = json_iter(value);
        enum json_type type = json_type(value);
        const struct json *element;
        bool is_next = false;

        if (type == JSON_NULL) {
                buf_text(out, "interface {}(nil)");
                return;
        }
        if (type != JSON_OBJECT && type != JSON_ARRAY) {
                json_write(value, out);
                return;
        }
        buf_printf(out, "%s{", go_type_name(value));
        if (type == JSON_OBJECT)
                map_syntax_write(value, out);
        for (; type == JSON_ARRAY && json_next(&iter, NULL, &element); is_next = true) {
                buf_text(out, is_next ? ", " : "");
                go_syntax_write(element, out);
        }
        buf_char(out, '}');
}

const char *go_value_shown(struct arena *arena, const struct json_node *value) {
        CLEANUP(buf_release) struct buf out = { 0 };
        enum json_type type = node_type(value);
        int64_t whole;
        double number;

        if (type == JSON_STRING)
                return go_quoted(arena, node_get_slice(value));
        if (type == JSON_REAL || (type == JSON_INT && !node_as_i64(value, &whole))) {
                if (node_as_f64(value, &number))
                        go_float_write(number, &out);
        } else {
                node_write(value, &out);
        }
        return arena_string(arena, buf_view(&out));
}
