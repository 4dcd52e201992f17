/* Where the values of a text begin, in document order; bound to the values once they are parsed. */
#include "base/pace.h"
#include "base/util.h"
#include "config/document_priv.h"
#include <assert.h>
#include <stdlib.h>

/* ---- collecting ---- */

void document_marks_add(struct document_marks *marks, struct document_mark mark) {
        if (marks->count == marks->capacity) {
                marks->capacity = marks->capacity ? marks->capacity * 2 : 64;
                marks->items = xreallocarray(marks->items, marks->capacity, sizeof(mark));
        }
        marks->items[marks->count++] = mark;
}

void document_marks_release(struct document_marks *marks) {
        free(marks->items);
        *marks = (struct document_marks){ 0 };
}

/* A walk over JSON text that is known to be valid. */
struct document_marks_scan {
        const char *at, *end;
        uint32_t line, column;
        struct document_mark pending; /* the key seen last */
        bool is_object[JSON_DEPTH_MAX];
        size_t depth;
        bool expects_key;
};

static void document_marks_step(struct document_marks_scan *scan) {
        unsigned char c = (unsigned char)*scan->at++;
        if (c == '\n') {
                scan->line++;
                scan->column = 1;
        } else if ((c & 0xc0) != 0x80) {
                scan->column++; /* continuation bytes of UTF-8 belong to their first byte */
        }
}

static void skip_string(struct document_marks_scan *scan) {
        document_marks_step(scan);
        while (scan->at < scan->end && *scan->at != '"') {
                if (*scan->at == '\\')
                        document_marks_step(scan);
                document_marks_step(scan);
        }
        document_marks_step(scan);
}

static void skip_literal(struct document_marks_scan *scan) {
        while (scan->at < scan->end && !strchr(",]} \t\r\n", *scan->at))
                document_marks_step(scan);
}

static void add_value(struct document_marks_scan *scan, struct document_marks *marks) {
        struct document_mark mark = scan->pending;
        mark.line = scan->line;
        mark.column = scan->column;
        scan->pending = (struct document_mark){ 0 };
        document_marks_add(marks, mark);
}

static void scan_open(struct document_marks_scan *scan, struct document_marks *marks) {
        add_value(scan, marks);
        assert(scan->depth < JSON_DEPTH_MAX);
        scan->is_object[scan->depth++] = *scan->at == '{';
        scan->expects_key = *scan->at == '{';
        document_marks_step(scan);
}

static void scan_string(struct document_marks_scan *scan, struct document_marks *marks) {
        if (scan->expects_key) {
                scan->pending.key_line = scan->line;
                scan->pending.key_column = scan->column;
                scan->expects_key = false;
        } else {
                add_value(scan, marks);
        }
        skip_string(scan);
}

static void scan_token(struct document_marks_scan *scan, struct document_marks *marks) {
        switch (*scan->at) {
        case '{':
        case '[':
                scan_open(scan, marks);
                break;
        case '}':
        case ']':
                scan->depth--;
                document_marks_step(scan);
                break;
        case '"':
                scan_string(scan, marks);
                break;
        case ',':
                scan->expects_key = scan->is_object[scan->depth - 1];
                document_marks_step(scan);
                break;
        case ':':
        case ' ':
        case '\t':
        case '\r':
        case '\n':
                document_marks_step(scan);
                break;
        default:
                add_value(scan, marks);
                skip_literal(scan);
        }
}

void document_marks_scan(struct slice json, struct document_marks *marks) {
        struct document_marks_scan scan = {
                .at = json.ptr, .end = json.ptr + json.len, .line = 1, .column = 1
        };
        while (scan.at < scan.end)
                scan_token(&scan, marks);
}

/* ---- binding ---- */

static void document_marks_bind_value(struct document_marks *marks, size_t *at,
                                      const struct json *value) {
        struct json_iter iter = json_iter(value);
        const struct json *child;
        assert(*at < marks->count);
        pace_step();
        marks->items[(*at)++].value = value;
        while (json_next(&iter, NULL, &child))
                document_marks_bind_value(marks, at, child);
}

void document_marks_bind(struct document_marks *marks, const struct json *root) {
        size_t at = 0;
        document_marks_bind_value(marks, &at, root);
        assert(at == marks->count);
}

static size_t count_values(const struct json *value) {
        struct json_iter iter = json_iter(value);
        const struct json *child;
        size_t count = 1;
        while (json_next(&iter, NULL, &child))
                count += count_values(child);
        return count;
}

void document_marks_copy(const struct document_marks *marks, const struct json *value,
                         const struct json *copy, struct document_marks *ret_marks) {
        size_t first = 0;
        while (first < marks->count && marks->items[first].value != value)
                first++;
        if (first == marks->count)
                return;
        size_t count = count_values(value);
        for (size_t i = 0; i < count; i++)
                document_marks_add(ret_marks, marks->items[first + i]);
        document_marks_bind(ret_marks, copy);
}
