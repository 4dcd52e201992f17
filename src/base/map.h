/* Open-addressing hash map from a string or 64-bit key to a pointer; iteration order is insertion
 * order (removals leave gaps that are skipped), so nothing depends on hash order. For hot paths;
 * cold code may use uthash. */
#pragma once

#include "base/slice.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map; /* keys are copied */

struct map *map_new(void);
void map_free(struct map *map);                         /* accepts NULL; values are the caller's */
void map_free_values(struct map *map);                  /* the same, with values from malloc */
void *map_get(const struct map *map, struct slice key); /* NULL when absent */
void *map_put(struct map *map, struct slice key,
              void *value);                          /* value; returns the previous value or NULL */
void *map_remove(struct map *map, struct slice key); /* returns the removed value or NULL */
size_t map_count(const struct map *map);
size_t map_bytes(const struct map *map); /* without keys and values */
/* size_t at = 0; while (map_next(map, &at, &key, &value)) ...; removing the current element is
 * allowed. */
bool map_next(const struct map *map, size_t *at, struct slice *ret_key, void **ret_value);

struct map_u64; /* 64-bit keys */
struct map_u64 *map_u64_new(void);
void map_u64_free(struct map_u64 *map);
void *map_u64_get(const struct map_u64 *map, uint64_t key);
void *map_u64_put(struct map_u64 *map, uint64_t key, void *value);
void *map_u64_remove(struct map_u64 *map, uint64_t key);
size_t map_u64_count(const struct map_u64 *map);
size_t map_u64_bytes(const struct map_u64 *map);
bool map_u64_next(const struct map_u64 *map, size_t *at, uint64_t *ret_key, void **ret_value);
