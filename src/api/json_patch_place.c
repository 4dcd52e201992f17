/* Where the paths of a JSON Patch lead, and which containers were looked into on the way. */
#include "api/json_patch_priv.h"

#include "base/arena.h"
#include "base/util.h"
#include <stdlib.h>

void patch_place_release(struct patch_place *place) {
        free(place->key);
}

/* ---- what was opened ---- */

bool patch_is_container(const struct json_node *node) {
        enum json_type type = node_type(node);
        return type == JSON_OBJECT || type == JSON_ARRAY;
}

void patch_open(struct patch *p, struct json_node *container) {
        if (p->opened && patch_is_container(container))
                map_u64_put(p->opened, (uintptr_t)container, container);
}

void patch_open_whole(struct patch *p, struct json_node *value) {
        struct node_iter iter = node_iter(value);
        struct json_node *inner;

        patch_open(p, value);
        while (p->opened && node_next(&iter, NULL, &inner))
                patch_open_whole(p, inner);
}

void patch_sort_within(const struct patch *p, struct json_node *value) {
        struct node_iter iter = node_iter(value);
        struct json_node *inner;

        if (!p->opened || !patch_is_container(value))
                return;
        if (node_type(value) == JSON_OBJECT && map_u64_get(p->opened, (uintptr_t)value))
                node_sort(value, slice_compare);
        while (node_next(&iter, NULL, &inner))
                patch_sort_within(p, inner);
}

void patch_sort_opened(const struct patch *p) {
        void *container;

        for (size_t at = 0; map_u64_next(p->opened, &at, NULL, &container);)
                if (node_type(container) == JSON_OBJECT)
                        node_sort(container, slice_compare);
}

/* ---- paths ---- */

/* ~1 stands for a slash and ~0 for a tilde. The result is malloc'ed. */
static char *pointer_unescape(struct slice segment, size_t *ret_len) {
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

bool patch_element_index(struct slice key, size_t count, size_t *ret_index) {
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

struct json_node *patch_child(const struct json_node *container, struct slice key,
                              bool *ret_exists) {
        struct json_node *found = NULL;
        size_t index;
        if (node_type(container) == JSON_OBJECT)
                found = node_find(container, key);
        else if (patch_element_index(key, node_count(container), &index))
                found = node_at(container, index);
        *ret_exists = found;
        return found;
}

/* In the words of that library. */
static int missing_value(struct patch *p, const char *op, const char *member, struct slice path) {
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

int patch_in_operation(struct patch *p, int r, const char *where, struct slice path) {
        if (r == BERTH_ERR_INVALID && p->err) {
                struct err inner = *p->err;

                err_set(p->err, r, "error in %s: '" SLICE_FMT "': %s", where, SLICE_ARG(path),
                        inner.text);
        }
        return r;
}

int patch_locate(struct patch *p, const char *op, const char *member, struct slice path,
                 struct patch_place *ret_place) {
        struct json_node *at = json_tree_root(p->tree);
        struct slice rest = path, segment;
        size_t depth = 0;
        if (path.len == 0 || !memchr(path.ptr, '/', path.len))
                return missing_value(p, op, member, path);
        slice_split(&rest, '/', &segment); /* what stands before the first slash is ignored */
        for (;;) {
                bool is_last = rest.len == 0 || !memchr(rest.ptr, '/', rest.len), exists;
                size_t length;
                if (!patch_is_container(at))
                        return missing_value(p, op, member, path);
                patch_open(p, at);
                depth++;
                if (is_last)
                        break;
                slice_split(&rest, '/', &segment);
                CLEANUP(cleanup_free) char *key = pointer_unescape(segment, &length);
                at = patch_child(at, slice_make(key, length), &exists);
        }
        ret_place->container = at;
        ret_place->depth = depth;
        ret_place->key = pointer_unescape(rest, &ret_place->key_text.len);
        ret_place->key_text.ptr = ret_place->key;
        return 0;
}

int patch_read_path(struct patch *p, const struct json_node *op, const char *member,
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

int patch_locate_member(struct patch *p, const char *kind, const struct json_node *op,
                        const char *member, struct patch_place *ret_place) {
        struct slice path;
        int r = patch_read_path(p, op, member, &path);
        return r < 0 ? r : patch_locate(p, kind, member, path, ret_place);
}
