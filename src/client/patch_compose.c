/* Two patches of one object made into one. */
#include "client/patch_compose.h"

#include "api/json.h"
#include "base/arena.h"

static bool patch_compose_compose(struct json_tree *tree, enum patch_style style,
                                  struct json_node *older, const struct json_node *newer);

static struct json_node *find_type(const struct json_node *array, struct slice type) {
        struct node_iter iter = node_iter(array);
        struct json_node *element;

        while (node_next(&iter, NULL, &element)) {
                if (slice_eq(node_get_text(element, "type"), type))
                        return element;
        }
        return NULL;
}

/* Lists of conditions and the like: later elements change earlier ones of the same type. */
static bool compose_lists(struct json_tree *tree, struct json_node *older,
                          const struct json_node *newer) {
        struct node_iter iter = node_iter(newer);
        struct json_node *element;

        while (node_next(&iter, NULL, &element)) {
                struct slice type = node_get_text(element, "type");
                struct json_node *same = find_type(older, type);

                if (type.len == 0)
                        return false;
                if (!same)
                        node_append(older, node_clone(tree, element));
                else if (!patch_compose_compose(tree, PATCH_STRATEGIC, same, element))
                        return false;
        }
        return true;
}

static bool compose_member(struct json_tree *tree, enum patch_style style, struct json_node *older,
                           struct slice key, const struct json_node *value) {
        struct json_node *before = node_find(older, key);
        bool is_object = node_type(value) == JSON_OBJECT;

        if (before && is_object && node_type(before) == JSON_OBJECT)
                return patch_compose_compose(tree, style, before, value);
        /* An object after a deletion or another value stands for that object alone, but would be
         * merged with what the target has. */
        if (before && is_object)
                return false;
        if (before && style == PATCH_STRATEGIC && node_type(value) == JSON_ARRAY)
                return node_type(before) == JSON_ARRAY && compose_lists(tree, before, value);
        node_set(tree, older, key, node_clone(tree, value));
        return true;
}

static bool patch_compose_compose(struct json_tree *tree, enum patch_style style,
                                  struct json_node *older, const struct json_node *newer) {
        struct node_iter iter = node_iter(newer);
        struct json_node *value;
        struct slice key;

        while (node_next(&iter, &key, &value)) {
                if (style == PATCH_STRATEGIC && key.len && key.ptr[0] == '$') /* a directive */
                        return false;
                if (!compose_member(tree, style, older, key, value))
                        return false;
        }
        return true;
}

static bool has_directive(const struct json_node *node) {
        struct node_iter iter = node_iter(node);
        struct json_node *value;
        struct slice key;

        while (node_next(&iter, &key, &value)) {
                if ((key.len && key.ptr[0] == '$') || has_directive(value))
                        return true;
        }
        return false;
}

bool patch_compose(enum patch_style style, struct slice older, struct slice newer,
                   struct buf *out) {
        CLEANUP(cleanup_json_tree) struct json_tree *tree = NULL;
        CLEANUP(cleanup_json_tree) struct json_tree *patch = NULL;

        buf_clear(out);
        if (json_tree_parse(older, &tree, NULL) < 0 || json_tree_parse(newer, &patch, NULL) < 0)
                return false;
        if (node_type(json_tree_root(tree)) != JSON_OBJECT ||
            node_type(json_tree_root(patch)) != JSON_OBJECT)
                return false;
        if (style == PATCH_STRATEGIC &&
            (has_directive(json_tree_root(tree)) || has_directive(json_tree_root(patch))))
                return false;
        return patch_compose_compose(tree, style, json_tree_root(tree), json_tree_root(patch)) &&
               node_write(json_tree_root(tree), out);
}
