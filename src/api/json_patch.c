/* JSON Patch. */
#include "api/json_patch_priv.h"

#include "base/arena.h"
#include "base/util.h"

/* ---- changes ---- */

/* Whether containers nest deeper in a value than `most` levels; looks no deeper. */
static bool is_deeper(const struct json_node *node, size_t most) {
        struct node_iter iter = node_iter(node);
        struct json_node *inner;
        if (!patch_is_container(node))
                return false;
        if (most == 0)
                return true;
        while (node_next(&iter, NULL, &inner)) {
                if (is_deeper(inner, most - 1))
                        return true;
        }
        return false;
}

static int too_deep(struct patch *p) {
        return err_set(p->err, BERTH_ERR_INVALID, "JSON nested deeper than %d levels",
                       JSON_DEPTH_MAX);
}

static int bad_index(struct patch *p, struct slice key) {
        int64_t index;

        if (slice_to_i64(key, &index))
                return err_set(p->err, BERTH_ERR_INVALID,
                               "Unable to access invalid index: " SLICE_FMT
                               ": invalid index referenced",
                               SLICE_ARG(key));
        return err_set(p->err, BERTH_ERR_INVALID,
                       "strconv.Atoi: parsing \"" SLICE_FMT "\": invalid syntax", SLICE_ARG(key));
}

static int bad_new_index(struct patch *p, struct slice key) {
        int r = bad_index(p, key);
        int64_t index;

        if (slice_to_i64(key, &index) || !p->err)
                return r;
        struct err inner = *p->err;
        return err_set(p->err, r, "value was not a proper array index: '" SLICE_FMT "': %s",
                       SLICE_ARG(key), inner.text);
}

static int insert_at(struct patch *p, const struct patch_place *place, struct json_node *value) {
        size_t count = node_count(place->container), index = count;
        if (node_type(place->container) == JSON_OBJECT) {
                node_set(p->tree, place->container, place->key_text, value);
                return 0;
        }
        /* One more place than there are elements: the end. */
        if (!slice_is(place->key_text, "-") &&
            !patch_element_index(place->key_text, count + 1, &index))
                return bad_new_index(p, place->key_text);
        node_insert(place->container, index, value);
        return 0;
}

static int add_at(struct patch *p, const struct patch_place *place, struct json_node *value) {
        if (place->depth > JSON_DEPTH_MAX || is_deeper(value, JSON_DEPTH_MAX - place->depth))
                return too_deep(p);
        return insert_at(p, place, value);
}

static int remove_at(struct patch *p, const struct patch_place *place) {
        size_t index;
        if (node_type(place->container) == JSON_OBJECT) {
                if (node_remove_slice(place->container, place->key_text))
                        return 0;
                return err_set(p->err, BERTH_ERR_INVALID,
                               "Unable to remove nonexistent key: " SLICE_FMT ": missing value",
                               SLICE_ARG(place->key_text));
        }
        if (!patch_element_index(place->key_text, node_count(place->container), &index))
                return bad_index(p, place->key_text);
        node_remove_at(place->container, index);
        return 0;
}

/* Upstream tells a null that an operation gives from one that was there, which it takes for
 * nothing, and both from the copy of one that was given, which equals none. */
enum null_origin { NULL_OF_OBJECT, NULL_GIVEN, NULL_COPIED };

static struct json_node *note_null(struct patch *p, struct json_node *value,
                                   enum null_origin origin) {
        if (node_type(value) != JSON_NULL)
                return value;
        if (!p->nulls)
                p->nulls = map_u64_new();
        map_u64_put(p->nulls, (uintptr_t)value, (void *)(uintptr_t)origin);
        return value;
}

static enum null_origin null_origin(const struct patch *p, const struct json_node *value) {
        return p->nulls ? (enum null_origin)(uintptr_t)map_u64_get(p->nulls, (uintptr_t)value)
                        : NULL_OF_OBJECT;
}

/* An absent value counts as null. */
static struct json_node *value_of(struct patch *p, const struct json_node *op) {
        const struct json_node *value = node_get(op, "value");
        return value ? note_null(p, node_clone(p->tree, value), NULL_GIVEN) : node_null(p->tree);
}

/* ---- operations ---- */

static int apply_add(struct patch *p, const struct json_node *op) {
        CLEANUP(patch_place_release) struct patch_place place = { 0 };
        int r = patch_locate_member(p, "add", op, "path", &place);
        if (r == 0)
                r = patch_in_operation(p, add_at(p, &place, value_of(p, op)), "add for path",
                                       node_get_text(op, "path"));
        return r;
}

static int apply_remove(struct patch *p, const struct json_node *op) {
        CLEANUP(patch_place_release) struct patch_place place = { 0 };
        int r = patch_locate_member(p, "remove", op, "path", &place);
        if (r == 0)
                r = patch_in_operation(p, remove_at(p, &place), "remove for path",
                                       node_get_text(op, "path"));
        return r;
}

static int replace_root(struct patch *p, const struct json_node *op) {
        struct json_node *value = value_of(p, op);
        if (!patch_is_container(value))
                return err_set(p->err, BERTH_ERR_INVALID,
                               "replace operation value must be object or array");
        json_tree_set_root(p->tree, value);
        return 0;
}

static int apply_replace(struct patch *p, const struct json_node *op) {
        CLEANUP(patch_place_release) struct patch_place place = { 0 };
        struct slice path;
        size_t index;
        int r = patch_read_path(p, op, "path", &path);
        if (r == 0 && path.len == 0)
                return replace_root(p, op);
        if (r == 0)
                r = patch_locate(p, "replace", "path", path, &place);
        if (r < 0)
                return r;
        if (node_type(place.container) == JSON_OBJECT)
                return add_at(p, &place, value_of(p, op));
        if (!patch_element_index(place.key_text, node_count(place.container), &index))
                return err_set(p->err, BERTH_ERR_INVALID,
                               "replace operation does not apply: doc is missing key: " SLICE_FMT
                               ": missing value",
                               SLICE_ARG(path));
        node_remove_at(place.container, index);
        return add_at(p, &place, value_of(p, op));
}

/* How deep the tree got is looked at once, when all operations are through: a value that is moved
 * again and again would be walked each time. */
static int apply_move(struct patch *p, const struct json_node *op) {
        CLEANUP(patch_place_release) struct patch_place from = { 0 };
        CLEANUP(patch_place_release) struct patch_place to = { 0 };
        bool exists;
        int r = patch_locate_member(p, "move", op, "from", &from);
        if (r < 0)
                return r;
        struct json_node *value = patch_child(from.container, from.key_text, &exists);
        r = patch_in_operation(p, remove_at(p, &from), "move for path", from.key_text);
        if (r == 0)
                r = patch_locate_member(p, "move", op, "path", &to);
        p->has_moved = true;
        return r < 0 ? r
                     : patch_in_operation(p, insert_at(p, &to, value), "move for path",
                                          node_get_text(op, "path"));
}

/* About what the value takes as text. */
static size_t size_of(const struct json_node *node) {
        struct node_iter iter = node_iter(node);
        struct json_node *inner;
        struct slice key;
        size_t size = node_get_slice(node).len + 4;
        while (node_next(&iter, &key, &inner))
                size += key.len + size_of(inner) + 4;
        return size;
}

static int apply_copy(struct patch *p, const struct json_node *op) {
        CLEANUP(patch_place_release) struct patch_place from = { 0 };
        CLEANUP(patch_place_release) struct patch_place to = { 0 };
        bool exists;
        int r = patch_locate_member(p, "copy", op, "from", &from);
        if (r == 0)
                r = patch_locate_member(p, "copy", op, "path", &to);
        if (r < 0)
                return r;
        struct json_node *value = patch_child(from.container, from.key_text, &exists);
        if (!exists && node_type(from.container) == JSON_ARRAY)
                return patch_in_operation(p, bad_index(p, from.key_text), "copy for from",
                                          node_get_text(op, "from"));
        if (is_deeper(value, JSON_DEPTH_MAX))
                return too_deep(p);
        p->copied += size_of(value);
        if (p->copied > JSON_PATCH_COPY_MAX)
                return err_set(p->err, BERTH_ERR_INVALID, "copy operations exceed %d bytes",
                               JSON_PATCH_COPY_MAX);
        patch_sort_within(p, value);
        struct json_node *copy = exists ? node_clone(p->tree, value) : node_null(p->tree);
        if (null_origin(p, value) != NULL_OF_OBJECT)
                note_null(p, copy, NULL_COPIED);
        return add_at(p, &to, copy);
}

static bool is_nothing(const struct json_node *node) {
        return !node || node_type(node) == JSON_NULL;
}

static bool passes_test(const struct patch *p, const struct json_node *have,
                        const struct json_node *want) {
        enum null_origin origin = null_origin(p, have);

        if (is_nothing(have) && is_nothing(want))
                return origin == NULL_OF_OBJECT || (want && origin == NULL_GIVEN);
        return have && want && node_equal(have, want);
}

static int apply_test(struct patch *p, const struct json_node *op) {
        CLEANUP(patch_place_release) struct patch_place place = { 0 };
        struct json_node *have = json_tree_root(p->tree);
        const struct json_node *want = node_get(op, "value");
        struct slice path;
        bool exists = true;
        int r = patch_read_path(p, op, "path", &path);
        if (r == 0 && path.len > 0)
                r = patch_locate(p, "test", "path", path, &place);
        if (r < 0)
                return r;
        if (path.len > 0)
                have = patch_child(place.container, place.key_text, &exists);
        if (!exists && node_type(place.container) == JSON_ARRAY)
                return patch_in_operation(p, bad_index(p, place.key_text), "test for path", path);
        if (p->is_again || passes_test(p, have, want)) {
                patch_open_whole(p, have);
                return 0;
        }
        return err_set(p->err, JSON_PATCH_UNEQUAL, "testing value " SLICE_FMT " failed",
                       SLICE_ARG(path));
}

static int apply_one(struct patch *p, const struct json_node *op) {
        static const struct {
                const char *name;
                int (*apply)(struct patch *p, const struct json_node *op);
        } kinds[] = { { "add", apply_add },         { "remove", apply_remove },
                      { "replace", apply_replace }, { "move", apply_move },
                      { "copy", apply_copy },       { "test", apply_test } };
        struct slice name = node_get_text(op, "op");
        for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
                if (slice_is(name, kinds[i].name))
                        return kinds[i].apply(p, op);
        }
        return err_set(p->err, BERTH_ERR_INVALID, "Unexpected kind: " SLICE_FMT, SLICE_ARG(name));
}

/* ---- interface ---- */

static int check_ops(const struct json_node *ops, struct err *err) {
        struct node_iter iter = node_iter(ops);
        struct json_node *op;
        if (node_type(ops) != JSON_ARRAY)
                return err_set(err, BERTH_ERR_BAD_REQUEST, "a JSON patch is an array, not %s",
                               json_type_name(node_type(ops)));
        if (iter.count > JSON_PATCH_OPS_MAX)
                return err_set(err, BERTH_ERR_TOO_LARGE,
                               "The allowed maximum operations in a JSON patch is %d, got %zu",
                               JSON_PATCH_OPS_MAX, iter.count);
        while (node_next(&iter, NULL, &op)) {
                if (node_type(op) != JSON_OBJECT)
                        return err_set(err, BERTH_ERR_BAD_REQUEST,
                                       "a JSON patch operation is an object, not %s",
                                       json_type_name(node_type(op)));
        }
        return 0;
}

static int apply_all(struct patch *patch, const struct json_node *ops) {
        int r = check_ops(ops, patch->err);
        struct node_iter iter = node_iter(ops);
        struct json_node *op;

        patch_open(patch, json_tree_root(patch->tree));
        while (r == 0 && node_next(&iter, NULL, &op))
                r = apply_one(patch, op);
        if (r == 0 && patch->has_moved && is_deeper(json_tree_root(patch->tree), JSON_DEPTH_MAX))
                r = too_deep(patch);
        map_u64_free(patch->nulls);
        return r;
}

int json_patch_apply(struct json_tree *tree, const struct json_node *ops, struct err *err) {
        return apply_all(&(struct patch){ .tree = tree, .err = err }, ops);
}

static int apply_in_order(struct patch *patch, const struct json_node *ops) {
        patch->opened = map_u64_new();
        int r = apply_all(patch, ops);

        patch_open(patch, json_tree_root(patch->tree));
        patch_sort_opened(patch);
        map_u64_free(patch->opened);
        return r;
}

int json_patch_apply_in_order(struct json_tree *tree, const struct json_node *ops,
                              struct err *err) {
        return apply_in_order(&(struct patch){ .tree = tree, .err = err }, ops);
}

int json_patch_apply_again(struct json_tree *tree, const struct json_node *ops, struct err *err) {
        return apply_in_order(&(struct patch){ .tree = tree, .is_again = true, .err = err }, ops);
}
