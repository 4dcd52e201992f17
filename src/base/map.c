/* Open-addressing hash maps that iterate in insertion order.
 *
 * Elements stand in an array in the order they came; a slot table finds their position by hash.
 * A removal leaves a gap in the array and closes the hole in the slot table at once, so there are
 * no tombstones to search past.  Gaps go when the array is full and gets rebuilt.
 *
 * A large map that lost most of its elements becomes small: at once when none is left, else with
 * the next one that is added, since iterations may remove. */
#include "base/map.h"

#include "base/util.h"
#include <assert.h>
#include <stdlib.h>

#define MAP_MIN_CAP 8u
#define MAP_SMALL_CAP 1024u /* stays as it is */
#define MAP_SPARSE 8u       /* capacity per element that is too much */

struct slot {
        uint32_t hash;
        uint32_t position; /* plus one; 0 = empty */
};

/* The slot table and the bookkeeping both maps share. */
struct order {
        struct slot *slots;
        uint32_t slot_count; /* power of two, at least twice cap; 0 before the first element */
        uint32_t cap;        /* of the element array */
        uint32_t used;       /* positions handed out, gaps included */
        uint32_t first;      /* everything before this position is a gap */
        uint32_t count;      /* live elements */
};

static void order_insert(struct order *order, uint32_t hash, uint32_t position) {
        uint32_t mask = order->slot_count - 1;
        uint32_t at = hash & mask;
        while (order->slots[at].position)
                at = (at + 1) & mask;
        order->slots[at] = (struct slot){ hash, position + 1 };
}

/* Removes the slot at `at` and moves later ones of the same run back where the hole would hide
 * them. */
static void order_remove(struct order *order, uint32_t at) {
        uint32_t mask = order->slot_count - 1;
        uint32_t hole = at;
        for (uint32_t next = (at + 1) & mask; order->slots[next].position;
             next = (next + 1) & mask) {
                uint32_t home = order->slots[next].hash & mask;
                if (((next - home) & mask) >= ((next - hole) & mask)) {
                        order->slots[hole] = order->slots[next];
                        hole = next;
                }
        }
        order->slots[hole].position = 0;
        order->count--;
}

/* Empties the slot table and sizes it and `cap` for the live elements plus as many again. */
static void order_rebuild(struct order *order) {
        assert(order->count <= UINT32_MAX / 8);
        uint32_t cap = MAP_MIN_CAP;
        while (cap < order->count * 2)
                cap *= 2;
        order->cap = cap;
        order->slot_count = cap * 2;
        order->used = 0;
        order->first = 0;
        free(order->slots);
        order->slots = xcalloc(order->slot_count, sizeof(*order->slots));
}

static bool order_has_to_change(const struct order *order) {
        return order->used == order->cap ||
               (order->cap > MAP_SMALL_CAP && order->count < order->cap / MAP_SPARSE);
}

/* Whether the arrays of a map without elements are to go: then the order is as at first. */
static bool order_give_up(struct order *order) {
        if (order->count > 0 || order->cap <= MAP_SMALL_CAP)
                return false;
        free(order->slots);
        *order = (struct order){ 0 };
        return true;
}

struct element {
        char *key;   /* owned */
        void *value; /* NULL = gap */
        size_t len;
        uint32_t hash;
};

struct map {
        struct element *elements;
        struct order order;
};

struct map *map_new(void) {
        return xcalloc(1, sizeof(struct map));
}

void map_free(struct map *map) {
        if (!map)
                return;
        for (uint32_t i = 0; i < map->order.used; i++)
                free(map->elements[i].key);
        free(map->elements);
        free(map->order.slots);
        free(map);
}

/* Addresses of maps differ from process to process, so that no input can choose keys that collide.
 * Iteration is in insertion order, so only time depends on it. */
static uint32_t map_hash(const struct map *map, struct slice key) {
        return (uint32_t)hash_bytes(key.ptr, key.len, (uint64_t)(uintptr_t)map);
}

/* Finds the slot of a key; false when absent. */
static bool map_find(const struct map *map, struct slice key, uint32_t hash, uint32_t *ret_slot) {
        const struct order *order = &map->order;
        if (!order->count)
                return false;
        uint32_t mask = order->slot_count - 1;
        for (uint32_t at = hash & mask; order->slots[at].position; at = (at + 1) & mask) {
                if (order->slots[at].hash != hash)
                        continue;
                const struct element *element = &map->elements[order->slots[at].position - 1];
                if (slice_eq(slice_make(element->key, element->len), key)) {
                        *ret_slot = at;
                        return true;
                }
        }
        return false;
}

static struct element *map_element(const struct map *map, uint32_t slot) {
        return &map->elements[map->order.slots[slot].position - 1];
}

void map_free_values(struct map *map) {
        size_t at = 0;
        void *value;
        while (map && map_next(map, &at, NULL, &value))
                free(value);
        map_free(map);
}

void *map_get(const struct map *map, struct slice key) {
        uint32_t slot;
        if (!map_find(map, key, map_hash(map, key), &slot))
                return NULL;
        return map_element(map, slot)->value;
}

static void map_rebuild(struct map *map) {
        struct order *order = &map->order;
        uint32_t used = order->used;
        order_rebuild(order);
        struct element *elements = xreallocarray(NULL, order->cap, sizeof(*elements));
        for (uint32_t i = 0; i < used; i++) {
                if (!map->elements[i].value)
                        continue;
                elements[order->used] = map->elements[i];
                order_insert(order, elements[order->used].hash, order->used);
                order->used++;
        }
        free(map->elements);
        map->elements = elements;
}

void *map_put(struct map *map, struct slice key, void *value) {
        assert(value);
        uint32_t hash = map_hash(map, key);
        uint32_t slot;
        if (map_find(map, key, hash, &slot)) {
                struct element *element = map_element(map, slot);
                void *previous = element->value;
                element->value = value;
                return previous;
        }
        if (order_has_to_change(&map->order))
                map_rebuild(map);
        uint32_t position = map->order.used++;
        map->elements[position] = (struct element){
                .key = slice_dup(key), .value = value, .len = key.len, .hash = hash
        };
        order_insert(&map->order, hash, position);
        map->order.count++;
        return NULL;
}

void *map_remove(struct map *map, struct slice key) {
        uint32_t slot;
        if (!map_find(map, key, map_hash(map, key), &slot))
                return NULL;
        struct element *element = map_element(map, slot);
        void *value = element->value;
        free(element->key);
        *element = (struct element){ 0 };
        order_remove(&map->order, slot);
        struct order *order = &map->order;
        if (order_give_up(order)) {
                free(map->elements);
                map->elements = NULL;
        }
        while (order->first < order->used && !map->elements[order->first].value)
                order->first++;
        return value;
}

size_t map_count(const struct map *map) {
        return map->order.count;
}

size_t map_bytes(const struct map *map) {
        const struct order *order = &map->order;
        return sizeof(*map) + order->cap * sizeof(*map->elements) +
               order->slot_count * sizeof(*order->slots);
}

bool map_next(const struct map *map, size_t *at, struct slice *ret_key, void **ret_value) {
        size_t i = *at < map->order.first ? map->order.first : *at;
        while (i < map->order.used && !map->elements[i].value)
                i++;
        *at = i;
        if (i >= map->order.used)
                return false;
        if (ret_key)
                *ret_key = slice_make(map->elements[i].key, map->elements[i].len);
        if (ret_value)
                *ret_value = map->elements[i].value;
        *at = i + 1;
        return true;
}

struct element_u64 {
        uint64_t key;
        void *value; /* NULL = gap */
};

struct map_u64 {
        struct element_u64 *elements;
        struct order order;
};

static uint32_t hash_u64(uint64_t key) {
        key = (key ^ (key >> 32)) * 0x9e3779b97f4a7c15u;
        key = (key ^ (key >> 29)) * 0xd6e8feb86659fd93u;
        return (uint32_t)(key >> 32);
}

struct map_u64 *map_u64_new(void) {
        return xcalloc(1, sizeof(struct map_u64));
}

void map_u64_free(struct map_u64 *map) {
        if (!map)
                return;
        free(map->elements);
        free(map->order.slots);
        free(map);
}

static bool map_u64_find(const struct map_u64 *map, uint64_t key, uint32_t *ret_slot) {
        const struct order *order = &map->order;
        if (!order->count)
                return false;
        uint32_t mask = order->slot_count - 1;
        for (uint32_t at = hash_u64(key) & mask; order->slots[at].position; at = (at + 1) & mask) {
                if (map->elements[order->slots[at].position - 1].key == key) {
                        *ret_slot = at;
                        return true;
                }
        }
        return false;
}

void *map_u64_get(const struct map_u64 *map, uint64_t key) {
        uint32_t slot;
        if (!map_u64_find(map, key, &slot))
                return NULL;
        return map->elements[map->order.slots[slot].position - 1].value;
}

static void map_u64_rebuild(struct map_u64 *map) {
        struct order *order = &map->order;
        uint32_t used = order->used;
        order_rebuild(order);
        struct element_u64 *elements = xreallocarray(NULL, order->cap, sizeof(*elements));
        for (uint32_t i = 0; i < used; i++) {
                if (!map->elements[i].value)
                        continue;
                elements[order->used] = map->elements[i];
                order_insert(order, hash_u64(elements[order->used].key), order->used);
                order->used++;
        }
        free(map->elements);
        map->elements = elements;
}

void *map_u64_put(struct map_u64 *map, uint64_t key, void *value) {
        assert(value);
        uint32_t slot;
        if (map_u64_find(map, key, &slot)) {
                struct element_u64 *element = &map->elements[map->order.slots[slot].position - 1];
                void *previous = element->value;
                element->value = value;
                return previous;
        }
        if (order_has_to_change(&map->order))
                map_u64_rebuild(map);
        uint32_t position = map->order.used++;
        map->elements[position] = (struct element_u64){ .key = key, .value = value };
        order_insert(&map->order, hash_u64(key), position);
        map->order.count++;
        return NULL;
}

void *map_u64_remove(struct map_u64 *map, uint64_t key) {
        uint32_t slot;
        if (!map_u64_find(map, key, &slot))
                return NULL;
        struct order *order = &map->order;
        struct element_u64 *element = &map->elements[order->slots[slot].position - 1];
        void *value = element->value;
        element->value = NULL;
        order_remove(order, slot);
        if (order_give_up(order)) {
                free(map->elements);
                map->elements = NULL;
        }
        while (order->first < order->used && !map->elements[order->first].value)
                order->first++;
        return value;
}

size_t map_u64_count(const struct map_u64 *map) {
        return map->order.count;
}

size_t map_u64_bytes(const struct map_u64 *map) {
        const struct order *order = &map->order;
        return sizeof(*map) + order->cap * sizeof(*map->elements) +
               order->slot_count * sizeof(*order->slots);
}

bool map_u64_next(const struct map_u64 *map, size_t *at, uint64_t *ret_key, void **ret_value) {
        size_t i = *at < map->order.first ? map->order.first : *at;
        while (i < map->order.used && !map->elements[i].value)
                i++;
        *at = i;
        if (i >= map->order.used)
                return false;
        if (ret_key)
                *ret_key = map->elements[i].key;
        if (ret_value)
                *ret_value = map->elements[i].value;
        *at = i + 1;
        return true;
}
