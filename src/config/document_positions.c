/* Where the values of a document stand in its text, by value or by field path. */
#include "base/util.h"
#include "config/document_priv.h"
#include <stdio.h>
#include <stdlib.h>

static int compare_mark(const void *key, const void *item) {
        const struct json *value = key;
        const struct document_mark *mark = item;
        return (value > mark->value) - (value < mark->value);
}

static const struct document_mark *find_mark(const struct document *document,
                                             const struct json *value) {
        if (!value || document->marks.count == 0)
                return NULL;
        return bsearch(value, document->marks.items, document->marks.count,
                       sizeof(struct document_mark), compare_mark);
}

void document_locate(const struct document *document, const struct json *value, struct err *err) {
        const struct document_mark *mark = find_mark(document, value);
        err_position(err, document->file, mark ? mark->line : 0, mark ? mark->column : 0);
}

static void locate_value(const struct document *document, const struct json *value, bool wants_key,
                         struct err *err) {
        const struct document_mark *mark = find_mark(document, value);
        if (mark && wants_key && mark->key_line)
                err_position(err, document->file, mark->key_line, mark->key_column);
        else
                document_locate(document, value, err);
}

void document_locate_key(const struct document *document, const struct json *object,
                         struct slice key, struct err *err) {
        const struct json *value = json_get_slice(object, key);
        locate_value(document, value ? value : object, value, err);
}

/* A key in brackets, as Kubernetes writes those that are no plain names. */
static const struct json *descend_bracket(const struct json *value, struct slice *path) {
        for (size_t length = path->len - 1; length > 1; length--) {
                if (path->ptr[length] != ']')
                        continue;
                const struct json *child =
                        json_get_slice(value, slice_make(path->ptr + 1, length - 1));
                if (!child)
                        continue;
                *path = slice_make(path->ptr + length + 1, path->len - length - 1);
                return child;
        }
        return NULL;
}

/* One step of a path: the longest member name that ends at a separator, since names of members may
 * themselves contain dots. */
static const struct json *document_positions_descend(const struct json *value, struct slice *path) {
        if (path->len && path->ptr[0] == '.')
                *path = slice_make(path->ptr + 1, path->len - 1);
        if (path->len && path->ptr[0] == '[' && json_type(value) == JSON_ARRAY) {
                char *end;
                unsigned long index = strtoul(path->ptr + 1, &end, 10);
                if (*end != ']' || index >= json_count(value))
                        return NULL;
                end++;
                *path = slice_make(end, path->len - (size_t)(end - path->ptr));
                return json_at(value, index);
        }
        if (path->len && path->ptr[0] == '[')
                return descend_bracket(value, path);
        for (size_t length = path->len; length > 0; length--) {
                bool is_end = length == path->len || strchr(".[", path->ptr[length]);
                const struct json *child =
                        is_end ? json_get_slice(value, slice_make(path->ptr, length)) : NULL;
                if (!child)
                        continue;
                *path = slice_make(path->ptr + length, path->len - length);
                return child;
        }
        return NULL;
}

/* *ret_rest is what is left of the path where it leads nowhere. */
static const struct json *document_positions_follow(const struct json *value, const char *path,
                                                    struct slice *ret_rest) {
        struct slice rest = slice_of(path);
        while (rest.len > 0) {
                const struct json *child = document_positions_descend(value, &rest);
                if (!child)
                        break;
                value = child;
        }
        *ret_rest = rest;
        return value;
}

const struct json *document_find_path(const struct json *value, const char *path) {
        struct slice rest;
        return document_positions_follow(value, path, &rest);
}

void document_locate_path(const struct document *document, const struct json *value,
                          const char *path, struct err *err) {
        document_locate(document, document_find_path(value, path), err);
}

/* ---- repeated keys ---- */

struct duplicates {
        const struct document *document;
        void (*found)(void *context, const struct err *where);
        void *context;
};

static void report_duplicate(void *context, struct slice path, struct slice key) {
        const struct duplicates *duplicates = context;
        struct err where = { 0 };
        struct slice rest;

        (void)key;
        err_set(&where, BERTH_ERR_BAD_REQUEST, "written twice");
        snprintf(where.path, sizeof(where.path), SLICE_FMT, SLICE_ARG(path));
        const struct json *value =
                document_positions_follow(document_root(duplicates->document), where.path, &rest);
        locate_value(duplicates->document, value, rest.len == 0, &where);
        duplicates->found(duplicates->context, &where);
}

size_t document_duplicates(const struct document *document,
                           void (*found)(void *context, const struct err *where), void *context) {
        struct duplicates duplicates = { document, found, context };
        return json_duplicates(document_root(document), found ? report_duplicate : NULL,
                               &duplicates);
}
