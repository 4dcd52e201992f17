/* Lists that strategic merge patches merge element by element, looked up by merge key: the key is a
 * member of the elements, or "" where they are their own keys. Objects and lists are equal to
 * nothing. */
#pragma once

#include "api/json.h"
#include "base/buf.h"
#include <stddef.h>

struct map;
struct map_u64;
struct merge_entry;

/* The list that is merged into. Elements that go stay in it until merge_index_sweep. */
struct merge_index {
        struct json_node *list;
        const char *key;
        struct merge_entry *entries; /* numbered from 1 */
        size_t count, cap;
        struct map *firsts;   /* number of the first entry of a key */
        struct map_u64 *gone; /* elements by address; NULL = none */
        struct buf text;      /* of the key looked for */
};

void merge_index_begin(struct merge_index *index, struct json_node *list, const char *key);
void merge_index_end(struct merge_index *index);
/* The first element of a key of the patch; NULL when there is none. */
struct json_node *merge_index_find(struct merge_index *index, const struct json *wanted);
void merge_index_append(struct merge_index *index, struct json_node *element);
void merge_index_remove(struct merge_index *index, const struct json *wanted);
void merge_index_sweep(struct merge_index *index);

/* The part of a patch's element by which it is known. */
const struct json *merge_key_of(const struct json *element, const char *key);
/* Places of the keys in a list of a patch, for merge_place; of equal ones the first. */
struct map *merge_places_new(const struct json *list, const char *key);
/* The same of the first `count` elements of a list that is merged into. */
struct map *merge_places_of(const struct json_node *list, size_t count, const char *key);
/* SIZE_MAX when the list does not have the element's key. */
size_t merge_place(const struct map *places, const struct json_node *element, const char *key);
