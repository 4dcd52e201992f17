/* Steps of field paths: their form, and how messages show them. */
#include "schema/field_step.h"

#include "api/json.h"
#include "base/arena.h"
#include "base/go_quote.h"
#include <ctype.h>
#include <string.h>

/* ---- form ---- */

/* Plain texts and numbers, and a single key: what all but a few steps are. */
static bool is_plain(struct slice json) {
        for (size_t i = 0; i < json.len; i++) {
                char c = json.ptr[i];

                if (!isalnum((unsigned char)c) && (!c || !strchr("\"{}:-_/.", c)))
                        return false;
        }
        return true;
}

static bool is_plain_text(struct slice json) {
        return json.len >= 2 && json.ptr[0] == '"' && json.ptr[json.len - 1] == '"' &&
               !memchr(json.ptr + 1, '"', json.len - 2) && is_plain(json);
}

/* {"name":"a"} */
static bool is_plain_key(struct slice json) {
        if (json.len < 2 || json.ptr[0] != '{' || json.ptr[json.len - 1] != '}')
                return false;
        struct slice rest = slice_make(json.ptr + 1, json.len - 2), name;
        return slice_split(&rest, ':', &name) && is_plain_text(name) && is_plain_text(rest);
}

static enum field_step_form read_json(struct slice step, struct buf *out) {
        struct slice json = slice_make(step.ptr + 2, step.len - 2);
        bool is_key = step.ptr[0] == 'k';
        CLEANUP(cleanup_json_tree) struct json_tree *tree = NULL;
        struct json_doc *doc = NULL;
        size_t used;

        if (is_key ? is_plain_key(json) : is_plain_text(json))
                return FIELD_STEP_CANONICAL;
        if (json_parse_prefix(json, &doc, &used, NULL) < 0)
                return FIELD_STEP_INVALID;
        enum json_type type = json_type(json_doc_root(doc));
        tree = json_tree_new();
        struct json_node *value = node_import(tree, json_doc_root(doc));
        json_doc_free(doc);
        if (is_key && type == JSON_NULL)
                value = node_object(tree);
        else if (is_key && type != JSON_OBJECT)
                return FIELD_STEP_INVALID;
        node_sort_all(value);
        buf_clear(out);
        buf_text(out, is_key ? "k:" : "v:");
        node_write_for_html(value, out);
        return slice_eq(buf_view(out), step) ? FIELD_STEP_CANONICAL : FIELD_STEP_OTHER;
}

static enum field_step_form read_index(struct slice step, struct buf *out) {
        struct slice digits = slice_make(step.ptr + 2, step.len - 2);
        int64_t index;

        if (!slice_to_i64(digits, &index))
                return FIELD_STEP_INVALID;
        buf_clear(out);
        buf_printf(out, "i:%lld", (long long)index);
        return slice_eq(buf_view(out), step) ? FIELD_STEP_CANONICAL : FIELD_STEP_OTHER;
}

enum field_step_form field_step_read(struct slice step, struct buf *out) {
        if (slice_is(step, "."))
                return FIELD_STEP_CANONICAL;
        if (step.len < 2 || step.ptr[1] != ':')
                return FIELD_STEP_INVALID;
        switch (step.ptr[0]) {
        case 'f':
                return FIELD_STEP_CANONICAL;
        case 'k':
        case 'v':
                return read_json(step, out);
        case 'i':
                return read_index(step, out);
        default:
                return FIELD_STEP_UNKNOWN;
        }
}

/* ---- messages ---- */

static void print_value(const struct json *value, struct buf *path) {
        if (json_type(value) == JSON_STRING)
                go_quote_write(json_text(value), path);
        else
                json_write(value, path);
}

/* {"port":80,"protocol":"TCP"} as port=80,protocol="TCP" */
static void print_keys(const struct json *keys, struct buf *path) {
        struct json_iter iter = json_iter(keys);
        const struct json *value;
        struct slice name;
        const char *gap = "";

        while (json_next(&iter, &name, &value)) {
                buf_printf(path, "%s" SLICE_FMT "=", gap, SLICE_ARG(name));
                print_value(value, path);
                gap = ",";
        }
}

void field_step_print(struct slice step, struct buf *path) {
        struct slice rest = slice_make(step.ptr + 2, step.len - 2);
        struct json_doc *doc = NULL;

        if (step.ptr[0] == 'f') {
                buf_char(path, '.');
                buf_slice(path, rest);
                return;
        }
        buf_text(path, step.ptr[0] == 'v' ? "[=" : "[");
        if (step.ptr[0] == 'i' || json_parse(rest, &doc, NULL) < 0)
                buf_slice(path, rest);
        else if (step.ptr[0] == 'k')
                print_keys(json_doc_root(doc), path);
        else
                print_value(json_doc_root(doc), path);
        buf_char(path, ']');
        json_doc_free(doc);
}
