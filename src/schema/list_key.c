/* Keys of list elements. */
#include "schema/list_key.h"

#include "base/map.h"

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

struct map *list_elements_by_key(const struct json *schema, const struct json_node *list) {
        const struct json *keys = json_get(schema, "x-kubernetes-list-map-keys");
        struct node_iter iter = node_iter(list);
        struct json_node *element;
        struct buf text = { 0 };

        if (!keys || !slice_is(json_get_text(schema, "x-kubernetes-list-type"), "map"))
                return NULL;
        struct map *elements = map_new();
        while (node_next(&iter, NULL, &element)) {
                buf_clear(&text);
                list_key_write(keys, element, &text);
                if (!map_get(elements, buf_view(&text)))
                        map_put(elements, buf_view(&text), element);
        }
        buf_release(&text);
        return elements;
}

const struct json_node *list_element_like(const struct map *elements, const struct json *schema,
                                          const struct json_node *element) {
        struct buf text = { 0 };

        if (!elements)
                return NULL;
        list_key_write(json_get(schema, "x-kubernetes-list-map-keys"), element, &text);
        const struct json_node *found = map_get(elements, buf_view(&text));
        buf_release(&text);
        return found;
}
