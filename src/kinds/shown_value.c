/* Values in the words of the API server's own types: upstream shows them so where it complains of a
 * whole object. */
#include "kinds/check.h"

#include "base/arena.h"
#include "base/line_diff.h"
#include "base/util.h"
#include "schema/internal_form.h"

#define DIFFERENCE_VALUE_MAX ((size_t)256 << 10) /* bytes of JSON */

struct typed_place {
        const struct schema_field *field; /* NULL = the place is no part of the object */
        bool is_element;                  /* of the list or map in the field */
};

/* The type of what stands at a place, of an object. */
static const struct schema_object *object_type(struct typed_place place) {
        if (!place.field || (!place.is_element && place.field->shape != SHAPE_ONE))
                return NULL;
        return schema_field_object(place.field);
}

/* By the place's members from the object down. */
static struct typed_place find_type(const struct schema_object *root, const struct at *at) {
        struct typed_place above = { 0 };
        const struct schema_object *owner = root;

        if (at->up) {
                above = find_type(root, at->up);
                owner = object_type(above);
        }
        if (!at->name)
                return (struct typed_place){ above.field, true };
        return (struct typed_place){ owner ? schema_field_find(owner, slice_of(at->name)) : NULL,
                                     false };
}

static const char *keep_text(struct checker *checker, struct buf *text) {
        const char *copy = arena_string(checker->errors->arena, buf_view(text));

        buf_release(text);
        return copy;
}

/* ---- empty lists and maps ---- */

/* The next part of a path such as ".ports[0].name": a member, or an index. */
static struct slice next_part(struct slice *rest, bool *ret_is_index) {
        size_t end = 1;

        *ret_is_index = rest->ptr[0] == '[';
        while (end < rest->len && rest->ptr[end] != '.' && rest->ptr[end] != '[' &&
               rest->ptr[end] != ']')
                end++;
        struct slice part = slice_make(rest->ptr + 1, end - 1);
        end += *ret_is_index && end < rest->len;
        *rest = slice_make(rest->ptr + end, rest->len - end);
        return part;
}

/* Upstream tells what was sent empty from what was not sent; the object does not have it. */
static void put_emptied(struct json_tree *tree, struct json_node *root, struct slice path,
                        const char *text) {
        struct json_node *holder = root;
        struct slice part = SLICE_EMPTY;
        bool is_index = false;

        while (holder && path.len) {
                int64_t index = 0;

                part = next_part(&path, &is_index);
                if (path.len == 0)
                        break;
                if (!is_index)
                        holder = node_find(holder, part);
                else
                        holder = slice_to_i64(part, &index) ? node_at(holder, (size_t)index) : NULL;
        }
        if (part.len && !is_index && node_type(holder) == JSON_OBJECT &&
            node_count(node_find(holder, part)) == 0)
                node_set(tree, holder, part, text[0] == '[' ? node_array(tree) : node_object(tree));
}

static void put_all_emptied(struct checker *checker, const char *base, struct json_tree *tree,
                            struct json_node *root) {
        const struct emptied_value *emptied = checker->errors->emptied;
        size_t length = strlen(base);

        for (; emptied; emptied = emptied->next)
                if (strncmp(emptied->path, base, length) == 0 &&
                    (emptied->path[length] == '.' || emptied->path[length] == '['))
                        put_emptied(tree, root, slice_of(emptied->path + length), emptied->text);
}

/* ---- texts ---- */

const char *shown_value(struct checker *checker, const struct at *place, const char *path,
                        const char *value) {
        const struct kind_info *kind = checker->context ? checker->context->kind : NULL;
        const struct schema_object *root =
                kind ? schema_find(slice_of(kind->group), slice_of(kind->version),
                                   slice_of(kind->kind))
                     : NULL;
        CLEANUP(cleanup_json_tree) struct json_tree *tree = NULL;
        struct buf out = { 0 };

        if (!root || !value || (value[0] != '{' && value[0] != '['))
                return value;
        struct typed_place found = find_type(root, place);
        if (!found.field || json_tree_parse(slice_of(value), &tree, NULL) < 0)
                return value;
        put_all_emptied(checker, path, tree, json_tree_root(tree));
        internal_form_write_field(found.field, found.is_element, json_tree_root(tree), &out);
        return keep_text(checker, &out);
}

const char *shown_typed(struct checker *checker, const char *place, const char *type,
                        const struct json_node *value) {
        CLEANUP(cleanup_json_tree) struct json_tree *tree = json_tree_new();
        struct json_node *sent = node_clone(tree, value);
        struct buf text = { 0 };

        put_all_emptied(checker, place, tree, sent);
        internal_form_write(schema_named(type), sent, &text);
        return keep_text(checker, &text);
}

/* As Go prints it with one blank for each level. */
static void write_indented(const char *type, const struct json_node *value, struct buf *out) {
        CLEANUP(buf_release) struct buf text = { 0 }, indented = { 0 };
        struct json_doc *doc = NULL;

        internal_form_write(schema_named(type), value, &text);
        if (json_parse(buf_view(&text), &doc, NULL) == 0)
                json_write_pretty(json_doc_root(doc), 1, &indented);
        json_escape_for_html(buf_view(&indented), out);
        json_doc_free(doc);
}

/* Differences of such values would be many times as large. */
static bool is_large(const struct json_node *value) {
        CLEANUP(buf_release) struct buf text = { 0 };

        node_write(value, &text);
        return text.len > DIFFERENCE_VALUE_MAX;
}

const char *shown_difference(struct checker *checker, const char *message, const char *type,
                             const char *place, const struct json_node *before,
                             const struct json_node *after) {
        CLEANUP(cleanup_json_tree) struct json_tree *tree = json_tree_new();
        CLEANUP(buf_release) struct buf left = { 0 }, right = { 0 };
        struct json_node *sent = node_clone(tree, after);
        struct buf text = { 0 };

        if (is_large(before) || is_large(after))
                return message;
        put_all_emptied(checker, place, tree, sent);
        write_indented(type, before, &left);
        write_indented(type, sent, &right);
        buf_printf(&text, "%s\n", message);
        line_diff_write(buf_view(&left), buf_view(&right), &text);
        return keep_text(checker, &text);
}
