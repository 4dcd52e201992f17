/* The form of an object as text, and the sets kept for forms. */
#include "server/owned_forms.h"

#include "base/util.h"
#include <stdlib.h>

/* Whatever may be a zero value or, below a list, part of a key is written as it is; of longer
 * strings it matters only that they are there. */
#define ZERO_TEXT_MAX 2U

static void form_write(const struct json_node *value, bool is_in_list, struct buf *out);

static void form_write_text(struct slice text, struct buf *out) {
        uint32_t size = (uint32_t)text.len;

        buf_append(out, &size, sizeof(size));
        buf_slice(out, text);
}

static void form_write_members(const struct json_node *object, bool is_in_list, struct buf *out) {
        struct node_iter iter = node_iter(object);
        struct json_node *value;
        struct slice name;

        buf_char(out, '{');
        while (!out->overflowed && node_next(&iter, &name, &value)) {
                form_write_text(name, out);
                form_write(value, is_in_list, out);
        }
        buf_char(out, '}');
}

static void form_write_elements(const struct json_node *list, struct buf *out) {
        struct node_iter iter = node_iter(list);
        struct json_node *value;

        buf_char(out, '[');
        while (!out->overflowed && node_next(&iter, NULL, &value))
                form_write(value, true, out);
        buf_char(out, ']');
}

static void form_write(const struct json_node *value, bool is_in_list, struct buf *out) {
        struct slice text;

        switch (node_type(value)) {
        case JSON_OBJECT:
                form_write_members(value, is_in_list, out);
                break;
        case JSON_ARRAY:
                form_write_elements(value, out);
                break;
        case JSON_STRING:
                text = node_get_slice(value);
                if (!is_in_list && text.len > ZERO_TEXT_MAX) {
                        buf_char(out, 's');
                        break;
                }
                buf_char(out, '"');
                form_write_text(text, out);
                break;
        default:
                node_write(value, out);
                buf_char(out, ',');
        }
}

static struct owned_form *form_place(struct owned_forms *forms, const struct kind_info *kind,
                                     uint64_t *ret_hash) {
        *ret_hash = hash_bytes(forms->text.data, forms->text.len, (uint64_t)(uintptr_t)kind);
        return &forms->items[*ret_hash % OWNED_FORMS];
}

const struct json_node *owned_forms_find(struct owned_forms *forms, const struct kind_info *kind,
                                         const struct json_node *object) {
        uint64_t hash;

        forms->text.max = OWNED_FORM_MAX;
        buf_clear(&forms->text);
        form_write(object, false, &forms->text);
        if (forms->text.overflowed)
                return NULL;
        struct owned_form *form = form_place(forms, kind, &hash);
        if (!form->text || form->kind != kind || form->size != forms->text.len ||
            memcmp(form->text, forms->text.data, form->size) != 0)
                return NULL;
        return json_tree_root(form->tree);
}

static void owned_form_clear(struct owned_form *form) {
        free(form->text);
        json_tree_free(form->tree);
        *form = (struct owned_form){ 0 };
}

void owned_forms_add(struct owned_forms *forms, const struct kind_info *kind,
                     const struct json_node *set) {
        uint64_t hash;

        if (forms->text.overflowed)
                return;
        struct owned_form *form = form_place(forms, kind, &hash);
        bool is_seen = form->hash == hash;
        form->hash = hash;
        if (!is_seen)
                return;
        owned_form_clear(form);
        form->kind = kind;
        form->hash = hash;
        form->size = forms->text.len;
        form->text = slice_dup(buf_view(&forms->text));
        form->tree = json_tree_new();
        json_tree_set_root(form->tree, node_clone(form->tree, set));
}

void owned_forms_release(struct owned_forms *forms) {
        for (size_t i = 0; i < OWNED_FORMS; i++)
                owned_form_clear(&forms->items[i]);
        buf_release(&forms->text);
}
