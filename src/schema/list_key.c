/* Keys of list elements. */
#include "schema/list_key.h"

#include "base/util.h"
#include <stdlib.h>

static void list_key_value(const struct json_node *value, struct buf *out);

struct list_key_member {
        struct slice name;
        const struct json_node *value;
};

static int list_key_order(const void *a, const void *b) {
        const struct list_key_member *x = a, *y = b;

        return slice_compare(x->name, y->name);
}

static void list_key_object(const struct json_node *object, struct buf *out) {
        struct list_key_member *members = xcalloc(node_count(object) + 1, sizeof(*members));
        struct node_iter iter = node_iter(object);
        struct json_node *value;
        size_t count = 0;

        while (node_next(&iter, &members[count].name, &value))
                members[count++].value = value;
        qsort(members, count, sizeof(*members), list_key_order);
        buf_char(out, '{');
        for (size_t i = 0; i < count; i++) {
                buf_json_string(out, members[i].name);
                list_key_value(members[i].value, out);
        }
        buf_char(out, '}');
        free(members);
}

/* Numbers with a fraction are never equal to whole ones. */
static void list_key_value(const struct json_node *value, struct buf *out) {
        struct node_iter iter = node_iter(value);
        struct json_node *element;

        switch (node_type(value)) {
        case JSON_OBJECT:
                list_key_object(value, out);
                return;
        case JSON_ARRAY:
                buf_char(out, '[');
                while (node_next(&iter, NULL, &element))
                        list_key_value(element, out);
                buf_char(out, ']');
                return;
        case JSON_NONE:
                buf_char(out, '-');
                return;
        case JSON_REAL:
                buf_char(out, '~');
                break;
        default:
                break;
        }
        node_write(value, out);
        buf_char(out, ',');
}

void list_key_write(const struct json *keys, const struct json_node *element, struct buf *out) {
        struct json_iter iter = json_iter(keys);
        const struct json *key;

        if (!keys)
                list_key_value(element, out);
        while (json_next(&iter, NULL, &key))
                list_key_value(node_find(element, json_text(key)), out);
}
