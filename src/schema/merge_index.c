/* Look-ups by merge key. */
#include "schema/merge_index.h"

#include "base/map.h"
#include "base/pace.h"
#include "base/util.h"
#include <stdlib.h>

struct merge_entry {
        struct json_node *node;
        size_t next; /* number of the next entry of the same key; 0 = none */
};

const struct json *merge_key_of(const struct json *element, const char *key) {
        return *key ? json_get(element, key) : element;
}

static const struct json_node *target_key(const struct json_node *element, const char *key) {
        return *key ? node_get(element, key) : element;
}

/* Keys as texts. False for what is equal to nothing. */
static bool patch_key_text(const struct json *value, struct buf *out) {
        enum json_type type = json_type(value);

        buf_clear(out);
        if (type == JSON_NONE || type == JSON_OBJECT || type == JSON_ARRAY)
                return false;
        if (type == JSON_STRING) {
                buf_char(out, '"');
                buf_slice(out, json_text(value));
        } else {
                json_write(value, out);
        }
        return true;
}

static bool target_key_text(const struct json_node *value, struct buf *out) {
        enum json_type type = node_type(value);

        buf_clear(out);
        if (type == JSON_NONE || type == JSON_OBJECT || type == JSON_ARRAY)
                return false;
        if (type == JSON_STRING) {
                buf_char(out, '"');
                buf_slice(out, node_get_slice(value));
        } else {
                node_write(value, out);
        }
        return true;
}

/* Places count from one; of equal keys the first is kept. The key is in `text`. */
static void place_put(struct map *places, const struct buf *text, size_t place) {
        pace_step();
        if (!map_get(places, buf_view(text)))
                map_put(places, buf_view(text), (void *)(uintptr_t)place);
}

struct map *merge_places_new(const struct json *list, const char *key) {
        struct json_iter iter = json_iter(list);
        const struct json *element;
        struct map *places = map_new();
        struct buf text = { 0 };

        for (size_t i = 1; json_next(&iter, NULL, &element); i++)
                if (patch_key_text(merge_key_of(element, key), &text))
                        place_put(places, &text, i);
        buf_release(&text);
        return places;
}

struct map *merge_places_of(const struct json_node *list, size_t count, const char *key) {
        struct node_iter iter = node_iter(list);
        struct json_node *element;
        struct map *places = map_new();
        struct buf text = { 0 };

        for (size_t i = 1; i <= count && node_next(&iter, NULL, &element); i++)
                if (target_key_text(target_key(element, key), &text))
                        place_put(places, &text, i);
        buf_release(&text);
        return places;
}

size_t merge_place(const struct map *places, const struct json_node *element, const char *key) {
        struct buf text = { 0 };
        uintptr_t place = 0;

        if (target_key_text(target_key(element, key), &text))
                place = (uintptr_t)map_get(places, buf_view(&text));
        buf_release(&text);
        return place ? place - 1 : SIZE_MAX;
}

/* ---- the list that is merged into ---- */

static uintptr_t merge_index_first(const struct merge_index *index) {
        return (uintptr_t)map_get(index->firsts, buf_view(&index->text));
}

/* In front of others of its key; the key is in index->text. */
static void merge_index_put(struct merge_index *index, struct json_node *element) {
        if (index->count + 1 >= index->cap) {
                index->cap = index->cap ? 2 * index->cap : node_count(index->list) + 2;
                index->entries = xreallocarray(index->entries, index->cap, sizeof(*index->entries));
        }
        index->entries[++index->count] = (struct merge_entry){ element, merge_index_first(index) };
        map_put(index->firsts, buf_view(&index->text), (void *)(uintptr_t)index->count);
}

void merge_index_begin(struct merge_index *index, struct json_node *list, const char *key) {
        struct json_node **elements = xcalloc(node_count(list) + 1, sizeof(struct json_node *));
        struct node_iter iter = node_iter(list);
        size_t count = 0;

        *index = (struct merge_index){ .list = list, .key = key, .firsts = map_new() };
        while (node_next(&iter, NULL, &elements[count]))
                count++;
        /* From behind, so that the first of equal ones ends up in front. */
        for (; count > 0; count--) {
                pace_step();
                if (target_key_text(target_key(elements[count - 1], key), &index->text))
                        merge_index_put(index, elements[count - 1]);
        }
        free(elements);
}

struct json_node *merge_index_find(struct merge_index *index, const struct json *wanted) {
        if (!patch_key_text(wanted, &index->text))
                return NULL;
        size_t first = merge_index_first(index);
        return first ? index->entries[first].node : NULL;
}

void merge_index_append(struct merge_index *index, struct json_node *element) {
        node_append(index->list, element);
        if (target_key_text(target_key(element, index->key), &index->text))
                merge_index_put(index, element);
}

void merge_index_remove(struct merge_index *index, const struct json *wanted) {
        if (!patch_key_text(wanted, &index->text))
                return;
        if (!index->gone)
                index->gone = map_u64_new();
        for (size_t i = merge_index_first(index); i; i = index->entries[i].next) {
                struct json_node *node = index->entries[i].node;

                map_u64_put(index->gone, (uint64_t)(uintptr_t)node, node);
        }
        map_remove(index->firsts, buf_view(&index->text));
}

void merge_index_sweep(struct merge_index *index) {
        struct node_iter iter = node_iter(index->list);
        struct json_node *element;

        while (index->gone && node_next(&iter, NULL, &element))
                if (map_u64_get(index->gone, (uint64_t)(uintptr_t)element))
                        node_drop(&iter);
        map_u64_free(index->gone);
        index->gone = NULL;
}

void merge_index_end(struct merge_index *index) {
        map_u64_free(index->gone);
        map_free(index->firsts);
        free(index->entries);
        buf_release(&index->text);
}
