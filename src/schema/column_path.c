/* Follows the path of a printer column through an object. */
#include "schema/column_path.h"

#include "base/arena.h"
#include "base/buf.h"
#include <string.h>

static bool column_path_take(struct slice *path, const char *text) {
        struct slice start = slice_of(text);

        if (!slice_has_prefix(*path, start))
                return false;
        *path = slice_make(path->ptr + start.len, path->len - start.len);
        return true;
}

/* A member's name, up to the next step; a backslash takes the next sign as it is. */
static const struct json *column_path_member(const struct json *object, struct slice *path) {
        CLEANUP(buf_release) struct buf name = { 0 };
        size_t i = 0;

        for (; i < path->len && path->ptr[i] != '.' && path->ptr[i] != '['; i++) {
                if (path->ptr[i] == '\\' && i + 1 < path->len)
                        i++;
                buf_char(&name, path->ptr[i]);
        }
        *path = slice_make(path->ptr + i, path->len - i);
        return name.len ? json_get_slice(object, buf_view(&name)) : object;
}

/* A text between quotes of either kind, with what follows it. */
static bool take_quoted(struct slice *path, const char *end, struct slice *ret_text) {
        if (path->len < 2 || (path->ptr[0] != '\'' && path->ptr[0] != '"'))
                return false;
        const char *quote = path->ptr;
        const char *close = memchr(quote + 1, *quote, path->len - 1);
        if (!close)
                return false;
        *ret_text = slice_make(quote + 1, (size_t)(close - quote) - 1);
        *path = slice_make(close + 1, path->len - (size_t)(close + 1 - path->ptr));
        return column_path_take(path, end);
}

/* Behind "[?(@": ".member==\"text\")]". */
static const struct json *column_path_filtered(const struct json *list, struct slice *path) {
        const char *equals = memmem(path->ptr, path->len, "==", 2);
        struct slice text;
        struct json_iter iter = json_iter(list);
        const struct json *item;

        if (!equals)
                return NULL;
        struct slice key = slice_trim(slice_make(path->ptr, (size_t)(equals - path->ptr)));
        *path = slice_make(equals + 2, path->len - (size_t)(equals + 2 - path->ptr));
        while (column_path_take(path, " "))
                ;
        if (json_type(list) != JSON_ARRAY || !take_quoted(path, ")]", &text))
                return NULL;
        while (json_next(&iter, NULL, &item))
                if (slice_eq(json_text(column_path_value(item, key)), text))
                        return item;
        return NULL;
}

/* Behind "[". */
static const struct json *column_path_element(const struct json *object, struct slice *path) {
        struct slice text;
        uint64_t at;

        if (column_path_take(path, "?(@"))
                return column_path_filtered(object, path);
        if (take_quoted(path, "]", &text))
                return json_get_slice(object, text);
        if (!slice_split(path, ']', &text) || json_type(object) != JSON_ARRAY)
                return NULL;
        if (slice_is(text, "*"))
                return json_count(object) ? json_at(object, 0) : NULL;
        return slice_to_u64(text, &at) && at < json_count(object) ? json_at(object, at) : NULL;
}

const struct json *column_path_value(const struct json *object, struct slice path) {
        while (object && path.len > 0) {
                if (column_path_take(&path, "[")) {
                        object = column_path_element(object, &path);
                } else {
                        column_path_take(&path, ".");
                        object = column_path_member(object, &path);
                }
        }
        return object;
}
