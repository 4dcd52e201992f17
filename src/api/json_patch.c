/* JSON Patch. */
#include "api/json_patch.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/util.h"
#include <stdlib.h>

struct patch {
        struct json_tree *tree;
        size_t copied; /* bytes so far */
        bool has_moved;
        bool is_again;          /* it was applied before: tests hold */
        struct map_u64 *opened; /* containers that were looked into, by address; NULL: no matter */
        struct map_u64 *nulls;  /* that operations gave, by address; NULL: none */
        struct err *err;
};

/* Where a path leads: a member or element of a container, there or not. */
struct json_patch_place {
        struct json_node *container;
        char *key; /* last path segment, unescaped; malloc'ed */
        struct slice key_text;
        size_t depth; /* containers above the value */
};

static void place_release(struct json_patch_place *place) {
        free(place->key);
}

/* ---- what was opened ---- */

static bool is_container(const struct json_node *node) {
        enum json_type type = node_type(node);
        return type == JSON_OBJECT || type == JSON_ARRAY;
}

/* Upstream's patches leave values as the text they were, and make maps of those they look into:
 * their members are sorted from then on. */
static void open_container(struct patch *p, struct json_node *container) {
        if (p->opened && is_container(container))
                map_u64_put(p->opened, (uintptr_t)container, container);
}

static void open_whole(struct patch *p, struct json_node *value) {
        struct node_iter iter = node_iter(value);
        struct json_node *inner;

        open_container(p, value);
        while (p->opened && node_next(&iter, NULL, &inner))
                open_whole(p, inner);
}

/* A value that is copied is written as it is by then. */
static void sort_within(const struct patch *p, struct json_node *value) {
        struct node_iter iter = node_iter(value);
        struct json_node *inner;

        if (!p->opened || !is_container(value))
                return;
        if (node_type(value) == JSON_OBJECT && map_u64_get(p->opened, (uintptr_t)value))
                node_sort(value, slice_compare);
        while (node_next(&iter, NULL, &inner))
                sort_within(p, inner);
}

static void sort_opened(const struct patch *p) {
        void *container;

        for (size_t at = 0; map_u64_next(p->opened, &at, NULL, &container);)
                if (node_type(container) == JSON_OBJECT)
                        node_sort(container, slice_compare);
}

/* ---- paths ---- */

/* ~1 stands for a slash and ~0 for a tilde. The result is malloc'ed. */
static char *json_patch_unescape(struct slice segment, size_t *ret_len) {
        char *text = xmalloc(segment.len + 1);
        size_t n = 0;
        for (size_t i = 0; i < segment.len; i++) {
                char c = segment.ptr[i], next = i + 1 < segment.len ? segment.ptr[i + 1] : '\0';
                bool is_escape = c == '~' && (next == '0' || next == '1');
                if (is_escape)
                        c = next == '0' ? '~' : '/';
                text[n++] = c;
                i += is_escape;
        }
        text[n] = '\0';
        *ret_len = n;
        return text;
}

/* Index of an existing element; negative ones count from the end. */
static bool element_index(struct slice key, size_t count, size_t *ret_index) {
        int64_t index;
        if (!slice_to_i64(key, &index))
                return false;
        if (index < 0)
                index += (int64_t)count;
        if (index < 0 || index >= (int64_t)count)
                return false;
        *ret_index = (size_t)index;
        return true;
}

/* NULL also for an element that does not exist; ret_exists is false for a missing one and true for
 * null. */
static struct json_node *json_patch_child(const struct json_node *container, struct slice key,
                                          bool *ret_exists) {
        struct json_node *found = NULL;
        size_t index;
        if (node_type(container) == JSON_OBJECT)
                found = node_find(container, key);
        else if (element_index(key, node_count(container), &index))
                found = node_at(container, index);
        *ret_exists = found;
        return found;
}

/* In the words of that library. */
static int json_patch_missing(struct patch *p, const char *op, const char *member,
                              struct slice path) {
        bool is_from = strcmp(member, "from") == 0;
        bool is_pair = strcmp(op, "move") == 0 || strcmp(op, "copy") == 0;
        bool is_quoted = strcmp(op, "add") == 0 || strcmp(op, "remove") == 0;
        const char *quote = is_quoted ? "\"" : "";

        return err_set(p->err, BERTH_ERR_INVALID,
                       "%s operation does not apply: %sis missing %spath: %s" SLICE_FMT
                       "%s: missing value",
                       op, strcmp(op, "test") == 0 ? "" : "doc ",
                       is_from   ? "from "
                       : is_pair ? "destination "
                                 : "",
                       quote, SLICE_ARG(path), quote);
}

/* What went wrong inside of an operation; returns r. */
static int in_operation(struct patch *p, int r, const char *where, struct slice path) {
        if (r == BERTH_ERR_INVALID && p->err) {
                struct err inner = *p->err;

                err_set(p->err, r, "error in %s: '" SLICE_FMT "': %s", where, SLICE_ARG(path),
                        inner.text);
        }
        return r;
}

/* Finds the container the last segment of a path belongs to. */
static int json_patch_locate(struct patch *p, const char *op, const char *member, struct slice path,
                             struct json_patch_place *ret_place) {
        struct json_node *at = json_tree_root(p->tree);
        struct slice rest = path, segment;
        size_t depth = 0;
        if (path.len == 0 || !memchr(path.ptr, '/', path.len))
                return json_patch_missing(p, op, member, path);
        slice_split(&rest, '/', &segment); /* what stands before the first slash is ignored */
        for (;;) {
                bool is_last = rest.len == 0 || !memchr(rest.ptr, '/', rest.len), exists;
                size_t length;
                if (!is_container(at))
                        return json_patch_missing(p, op, member, path);
                open_container(p, at);
                depth++;
                if (is_last)
                        break;
                slice_split(&rest, '/', &segment);
                CLEANUP(cleanup_free) char *key = json_patch_unescape(segment, &length);
                at = json_patch_child(at, slice_make(key, length), &exists);
        }
        ret_place->container = at;
        ret_place->depth = depth;
        ret_place->key = json_patch_unescape(rest, &ret_place->key_text.len);
        ret_place->key_text.ptr = ret_place->key;
        return 0;
}

static int read_path(struct patch *p, const struct json_node *op, const char *member,
                     struct slice *ret_path) {
        const struct json_node *path = node_get(op, member);
        if (node_type(path) != JSON_STRING)
                return err_set(p->err, BERTH_ERR_INVALID,
                               SLICE_FMT " operation failed to decode %s: operation%s missing %s "
                                         "field: missing value",
                               SLICE_ARG(node_get_text(op, "op")), member,
                               strcmp(member, "from") == 0 ? "," : "", member);
        *ret_path = node_get_slice(path);
        return 0;
}

/* json_patch_locate() for the path in a member of the operation. */
static int locate_member(struct patch *p, const char *kind, const struct json_node *op,
                         const char *member, struct json_patch_place *ret_place) {
        struct slice path;
        int r = read_path(p, op, member, &path);
        return r < 0 ? r : json_patch_locate(p, kind, member, path, ret_place);
}

/* ---- changes ---- */

/* Whether containers nest deeper in a value than `most` levels; looks no deeper. */
static bool is_deeper(const struct json_node *node, size_t most) {
        struct node_iter iter = node_iter(node);
        struct json_node *inner;
        if (!is_container(node))
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

static int insert_at(struct patch *p, const struct json_patch_place *place,
                     struct json_node *value) {
        size_t count = node_count(place->container), index = count;
        if (node_type(place->container) == JSON_OBJECT) {
                node_set(p->tree, place->container, place->key_text, value);
                return 0;
        }
        /* One more place than there are elements: the end. */
        if (!slice_is(place->key_text, "-") && !element_index(place->key_text, count + 1, &index))
                return bad_new_index(p, place->key_text);
        node_insert(place->container, index, value);
        return 0;
}

static int add_at(struct patch *p, const struct json_patch_place *place, struct json_node *value) {
        if (place->depth > JSON_DEPTH_MAX || is_deeper(value, JSON_DEPTH_MAX - place->depth))
                return too_deep(p);
        return insert_at(p, place, value);
}

static int remove_at(struct patch *p, const struct json_patch_place *place) {
        size_t index;
        if (node_type(place->container) == JSON_OBJECT) {
                if (node_remove_slice(place->container, place->key_text))
                        return 0;
                return err_set(p->err, BERTH_ERR_INVALID,
                               "Unable to remove nonexistent key: " SLICE_FMT ": missing value",
                               SLICE_ARG(place->key_text));
        }
        if (!element_index(place->key_text, node_count(place->container), &index))
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
        CLEANUP(place_release) struct json_patch_place place = { 0 };
        int r = locate_member(p, "add", op, "path", &place);
        if (r == 0)
                r = in_operation(p, add_at(p, &place, value_of(p, op)), "add for path",
                                 node_get_text(op, "path"));
        return r;
}

static int apply_remove(struct patch *p, const struct json_node *op) {
        CLEANUP(place_release) struct json_patch_place place = { 0 };
        int r = locate_member(p, "remove", op, "path", &place);
        if (r == 0)
                r = in_operation(p, remove_at(p, &place), "remove for path",
                                 node_get_text(op, "path"));
        return r;
}

static int replace_root(struct patch *p, const struct json_node *op) {
        struct json_node *value = value_of(p, op);
        if (!is_container(value))
                return err_set(p->err, BERTH_ERR_INVALID,
                               "replace operation value must be object or array");
        json_tree_set_root(p->tree, value);
        return 0;
}

static int apply_replace(struct patch *p, const struct json_node *op) {
        CLEANUP(place_release) struct json_patch_place place = { 0 };
        struct slice path;
        size_t index;
        int r = read_path(p, op, "path", &path);
        if (r == 0 && path.len == 0)
                return replace_root(p, op);
        if (r == 0)
                r = json_patch_locate(p, "replace", "path", path, &place);
        if (r < 0)
                return r;
        if (node_type(place.container) == JSON_OBJECT)
                return add_at(p, &place, value_of(p, op));
        if (!element_index(place.key_text, node_count(place.container), &index))
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
        CLEANUP(place_release) struct json_patch_place from = { 0 };
        CLEANUP(place_release) struct json_patch_place to = { 0 };
        bool exists;
        int r = locate_member(p, "move", op, "from", &from);
        if (r < 0)
                return r;
        struct json_node *value = json_patch_child(from.container, from.key_text, &exists);
        r = in_operation(p, remove_at(p, &from), "move for path", from.key_text);
        if (r == 0)
                r = locate_member(p, "move", op, "path", &to);
        p->has_moved = true;
        return r < 0 ? r
                     : in_operation(p, insert_at(p, &to, value), "move for path",
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
        CLEANUP(place_release) struct json_patch_place from = { 0 };
        CLEANUP(place_release) struct json_patch_place to = { 0 };
        bool exists;
        int r = locate_member(p, "copy", op, "from", &from);
        if (r == 0)
                r = locate_member(p, "copy", op, "path", &to);
        if (r < 0)
                return r;
        struct json_node *value = json_patch_child(from.container, from.key_text, &exists);
        if (!exists && node_type(from.container) == JSON_ARRAY)
                return in_operation(p, bad_index(p, from.key_text), "copy for from",
                                    node_get_text(op, "from"));
        if (is_deeper(value, JSON_DEPTH_MAX))
                return too_deep(p);
        p->copied += size_of(value);
        if (p->copied > JSON_PATCH_COPY_MAX)
                return err_set(p->err, BERTH_ERR_INVALID, "copy operations exceed %d bytes",
                               JSON_PATCH_COPY_MAX);
        sort_within(p, value);
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
        CLEANUP(place_release) struct json_patch_place place = { 0 };
        struct json_node *have = json_tree_root(p->tree);
        const struct json_node *want = node_get(op, "value");
        struct slice path;
        bool exists = true;
        int r = read_path(p, op, "path", &path);
        if (r == 0 && path.len > 0)
                r = json_patch_locate(p, "test", "path", path, &place);
        if (r < 0)
                return r;
        if (path.len > 0)
                have = json_patch_child(place.container, place.key_text, &exists);
        if (!exists && node_type(place.container) == JSON_ARRAY)
                return in_operation(p, bad_index(p, place.key_text), "test for path", path);
        if (p->is_again || passes_test(p, have, want)) {
                open_whole(p, have);
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

        open_container(patch, json_tree_root(patch->tree));
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

        open_container(patch, json_tree_root(patch->tree));
        sort_opened(patch);
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
