/* Finds repeated members, for strict field validation. The getters let the last one win silently,
 * as Go does; a client that asks for strictness gets an error. */
#include "api/json.h"
#include "base/pace.h"
#include "base/util.h"
#include <stdlib.h>

#define PATH_MAX_BYTES 4096
#define SCAN_MAX 16 /* members up to which comparing all pairs beats sorting */

struct json_duplicates_search {
        void (*found)(void *context, struct slice path, struct slice key);
        void *context;
        struct buf path;
        size_t count;
};

static void json_duplicates_report(struct json_duplicates_search *search, struct slice key) {
        size_t length = search->path.len;
        if (search->count++ >= JSON_DUPLICATE_MAX || !search->found)
                return;
        if (length > 0)
                buf_char(&search->path, '.');
        buf_slice(&search->path, key);
        search->found(search->context, buf_view(&search->path), key);
        search->path.len = length;
        search->path.overflowed = false;
}

static int compare_keys(const void *a, const void *b) {
        return slice_compare(*(const struct slice *)a, *(const struct slice *)b);
}

/* A key is reported at its second occurrence only. */
static void check_small(struct json_duplicates_search *search, const struct slice *keys,
                        size_t count) {
        for (size_t i = 1; i < count; i++) {
                size_t earlier = 0;
                for (size_t j = 0; j < i; j++)
                        earlier += slice_eq(keys[i], keys[j]);
                if (earlier == 1)
                        json_duplicates_report(search, keys[i]);
        }
}

static void check_large(struct json_duplicates_search *search, struct slice *keys, size_t count) {
        qsort(keys, count, sizeof(*keys), compare_keys);
        for (size_t i = 1; i < count; i++) {
                if (slice_eq(keys[i], keys[i - 1]) && (i == 1 || !slice_eq(keys[i], keys[i - 2])))
                        json_duplicates_report(search, keys[i]);
        }
}

static void check_object(struct json_duplicates_search *search, const struct json *object) {
        struct slice small[SCAN_MAX], *keys = small;
        struct json_iter iter = json_iter(object);
        const struct json *value;
        if (iter.count > SCAN_MAX)
                keys = xreallocarray(NULL, iter.count, sizeof(*keys));
        while (json_next(&iter, &keys[iter.index], &value))
                continue;
        if (iter.count > SCAN_MAX) {
                check_large(search, keys, iter.count);
                free(keys);
        } else {
                check_small(search, keys, iter.count);
        }
}

static void json_duplicates_walk(struct json_duplicates_search *search, const struct json *value) {
        enum json_type type = json_type(value);
        struct json_iter iter = json_iter(value);
        const struct json *child;
        struct slice key;
        size_t length = search->path.len;
        if (type == JSON_OBJECT)
                check_object(search, value);
        while (json_next(&iter, &key, &child)) {
                pace_step();
                if (json_count(child) == 0)
                        continue;
                if (type == JSON_ARRAY)
                        buf_printf(&search->path, "[%zu]", iter.index - 1);
                else if (length == 0)
                        buf_slice(&search->path, key);
                else if (buf_char(&search->path, '.'))
                        buf_slice(&search->path, key);
                json_duplicates_walk(search, child);
                search->path.len = length;
                search->path.overflowed = false;
        }
}

size_t json_duplicates(const struct json *value,
                       void (*found)(void *context, struct slice path, struct slice key),
                       void *context) {
        struct json_duplicates_search search = { .found = found, .context = context };
        buf_init(&search.path, PATH_MAX_BYTES);
        json_duplicates_walk(&search, value);
        buf_release(&search.path);
        return search.count;
}

/* ---- members without repetitions ---- */

static int compare_members(const void *left, const void *right) {
        const struct json_member *a = left, *b = right;
        int order = slice_compare(a->key, b->key);
        return order ? order : (a->value > b->value) - (a->value < b->value);
}

static int compare_position(const void *left, const void *right) {
        const struct json_member *a = left, *b = right;
        return (a->value > b->value) - (a->value < b->value);
}

static bool has_repeated(const struct json_member *members, size_t count) {
        for (size_t i = 1; i < count; i++) {
                for (size_t j = 0; j < i; j++) {
                        if (slice_eq(members[i].key, members[j].key))
                                return true;
                }
        }
        return false;
}

/* Values lie in memory in document order, so their addresses give their order. */
struct json_member *json_members(const struct json *object, size_t *ret_count) {
        size_t count = json_type(object) == JSON_OBJECT ? json_count(object) : 0, unique = 0;
        *ret_count = count;
        if (count == 0)
                return NULL;
        struct json_member *members = xreallocarray(NULL, count, sizeof(*members));
        struct json_iter iter = json_iter(object);
        for (size_t i = 0; i < count; i++)
                json_next(&iter, &members[i].key, &members[i].value);
        if (count <= SCAN_MAX && !has_repeated(members, count))
                return members;
        qsort(members, count, sizeof(*members), compare_members);
        for (size_t i = 0; i < count; i++) {
                if (i + 1 == count || !slice_eq(members[i].key, members[i + 1].key))
                        members[unique++] = members[i];
        }
        qsort(members, unique, sizeof(*members), compare_position);
        *ret_count = unique;
        return members;
}
