/* The verbs that all defaulting is written with. */
#include "kinds/defaults.h"

#include "api/quantity.h"

void default_text(struct json_tree *tree, struct json_node *object, const char *key,
                  const char *text) {
        if (node_get_text(object, key).len == 0)
                node_put_string(tree, object, key, text);
}

void default_i64(struct json_tree *tree, struct json_node *object, const char *key, int64_t value) {
        if (node_get_i64(object, key, 0) == 0)
                node_put_i64(tree, object, key, value);
}

/* Pointers that are always printed show null while unset. */
static bool is_absent(const struct json_node *object, const char *key) {
        enum json_type type = node_type(node_get(object, key));

        return type == JSON_NONE || type == JSON_NULL;
}

void default_absent(struct json_tree *tree, struct json_node *object, const char *key,
                    struct json_node *value) {
        if (is_absent(object, key))
                node_put(tree, object, key, value);
}

void default_absent_text(struct json_tree *tree, struct json_node *object, const char *key,
                         const char *text) {
        if (is_absent(object, key))
                node_put_string(tree, object, key, text);
}

void default_absent_i64(struct json_tree *tree, struct json_node *object, const char *key,
                        int64_t value) {
        if (is_absent(object, key))
                node_put_i64(tree, object, key, value);
}

void default_absent_bool(struct json_tree *tree, struct json_node *object, const char *key,
                         bool value) {
        if (is_absent(object, key))
                node_put_bool(tree, object, key, value);
}

struct json_node *object_at(const struct json_node *object, const char *key) {
        struct json_node *value = node_get(object, key);

        return node_type(value) == JSON_OBJECT ? value : NULL;
}

static bool is_finer_than_milli(struct slice text) {
        return text.len > 1 && (text.ptr[text.len - 1] == 'u' || text.ptr[text.len - 1] == 'n');
}

void resource_list_defaults(struct json_tree *tree, struct json_node *list) {
        struct node_iter iter = node_iter(list);
        struct json_node *value;
        struct slice name;

        while (node_next(&iter, &name, &value)) {
                char text[QUANTITY_TEXT_MAX];
                int64_t milli;

                if (!is_finer_than_milli(node_get_slice(value)) ||
                    quantity_milli(node_get_slice(value), &milli, NULL) < 0)
                        continue;
                quantity_format_milli(milli, text);
                node_set(tree, list, name, node_string(tree, text));
        }
}
