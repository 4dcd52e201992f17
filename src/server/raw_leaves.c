/* Stand-ins for numbers and texts of a patch: strings that begin with a control character, which
 * is always written as an escape, and have the number of the leaf. */
#include "server/raw_leaves.h"

#include "base/util.h"
#include <stdlib.h>
#include <string.h>

#define MARK "\"\\u0001leaf "
#define VALUE_DEPTH 2 /* of members of an operation */

struct leaf_scan {
        struct raw_leaves *leaves;
        struct slice rest;
        size_t depth;
        bool is_operations;
        struct slice key; /* of an operation, with its quotes */
};

/* ---- reading ---- */

static struct slice take_string(struct slice *rest) {
        size_t end = 1;

        while (end < rest->len && rest->ptr[end] != '"')
                end += rest->ptr[end] == '\\' ? 2 : 1;
        end = end < rest->len ? end + 1 : rest->len;
        struct slice token = slice_make(rest->ptr, end);
        *rest = slice_make(rest->ptr + end, rest->len - end);
        return token;
}

static bool is_of_number(char c) {
        return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

static struct slice take_number(struct slice *rest) {
        size_t end = 0;

        while (end < rest->len && is_of_number(rest->ptr[end]))
                end++;
        struct slice token = slice_make(rest->ptr, end);
        *rest = slice_make(rest->ptr + end, rest->len - end);
        return token;
}

/* Few digits are written as they came. */
static bool is_plain(struct slice token) {
        if (token.ptr[0] == '"')
                return !memchr(token.ptr, '\\', token.len);
        for (size_t i = 0; i < token.len; i++)
                if (token.ptr[i] < '0' || token.ptr[i] > '9')
                        return false;
        return token.len < 10;
}

/* ---- hiding ---- */

static void put_leaf(struct leaf_scan *scan, struct slice token) {
        struct raw_leaves *leaves = scan->leaves;

        if (is_plain(token)) {
                buf_slice(&leaves->text, token);
                return;
        }
        if (leaves->count == leaves->cap) {
                leaves->cap = leaves->cap ? 2 * leaves->cap : 16;
                leaves->items = xreallocarray(leaves->items, leaves->cap, sizeof(*leaves->items));
        }
        leaves->items[leaves->count] = token;
        buf_printf(&leaves->text, MARK "%zu\"", leaves->count++);
}

static bool is_key(struct slice rest) {
        while (rest.len > 0 && strchr(" \t\r\n", rest.ptr[0]) && rest.ptr[0])
                rest = slice_make(rest.ptr + 1, rest.len - 1);
        return rest.len > 0 && rest.ptr[0] == ':';
}

/* Whether the value that follows is one that the patch puts somewhere. */
static bool leaf_counts(const struct leaf_scan *scan) {
        return !scan->is_operations || scan->depth > VALUE_DEPTH ||
               slice_is(scan->key, "\"value\"");
}

static void scan_string(struct leaf_scan *scan) {
        struct slice token = take_string(&scan->rest);

        if (!is_key(scan->rest) && leaf_counts(scan)) {
                put_leaf(scan, token);
                return;
        }
        if (scan->depth == VALUE_DEPTH && is_key(scan->rest))
                scan->key = token;
        buf_slice(&scan->leaves->text, token);
}

static void scan_other(struct leaf_scan *scan, char c) {
        if (c == '{' || c == '[')
                scan->depth++;
        else if (c == '}' || c == ']')
                scan->depth--;
        buf_char(&scan->leaves->text, c);
        scan->rest = slice_make(scan->rest.ptr + 1, scan->rest.len - 1);
}

void raw_leaves_hide(struct raw_leaves *leaves, struct slice patch, bool is_operations) {
        struct leaf_scan scan = { .leaves = leaves, .rest = patch, .is_operations = is_operations };

        while (scan.rest.len > 0) {
                char c = scan.rest.ptr[0];

                if (c == '"')
                        scan_string(&scan);
                else if ((c == '-' || (c >= '0' && c <= '9')) && leaf_counts(&scan))
                        put_leaf(&scan, take_number(&scan.rest));
                else
                        scan_other(&scan, c);
        }
}

/* ---- showing ---- */

void raw_leaves_show(const struct raw_leaves *leaves, struct slice text, struct buf *out) {
        const size_t mark_len = strlen(MARK);

        while (text.len > 0) {
                const char *mark = memmem(text.ptr, text.len, MARK, mark_len);
                size_t head = mark ? (size_t)(mark - text.ptr) : text.len;

                buf_slice(out, slice_make(text.ptr, head));
                text = slice_make(text.ptr + head, text.len - head);
                if (!mark)
                        return;
                char *end;
                size_t number = strtoul(mark + mark_len, &end, 10);
                if (*end == '"' && number < leaves->count) {
                        buf_slice(out, leaves->items[number]);
                        head = (size_t)(end + 1 - mark);
                } else {
                        buf_slice(out, slice_make(text.ptr, mark_len));
                        head = mark_len;
                }
                text = slice_make(text.ptr + head, text.len - head);
        }
}

void raw_leaves_release(struct raw_leaves *leaves) {
        free(leaves->items);
        buf_release(&leaves->text);
        *leaves = (struct raw_leaves){ 0 };
}
