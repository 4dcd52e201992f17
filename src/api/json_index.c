/* Indexes of large containers. Their memory comes from the tree, as that of values does. */
#include "api/json_index.h"

#include "base/util.h"
#include <assert.h>
#include <stdlib.h>

#define INDEX_COUNT_MIN 32 /* members or elements; below, walking the list is cheaper */
#define BLOCK_ELEMENTS 256 /* of an array's index; a block of twice as many is split */

/* ---- memory ---- */

/* From the pool of values: given back with the tree. */
static void *json_index_take(yyjson_mut_doc *doc, size_t bytes) {
        size_t count = (bytes + sizeof(yyjson_mut_val) - 1) / sizeof(yyjson_mut_val);
        void *memory = unsafe_yyjson_mut_val(doc, count);
        if (!memory)
                abort();
        return memory;
}

yyjson_mut_val *json_container_new(yyjson_mut_doc *doc, bool is_object) {
        struct json_container *container = json_index_take(doc, sizeof(*container));
        *container = (struct json_container){ .doc = doc };
        container->value.tag = YYJSON_SUBTYPE_NONE;
        container->value.tag |= is_object ? YYJSON_TYPE_OBJ : YYJSON_TYPE_ARR;
        return &container->value;
}

static struct json_container *container_of(yyjson_mut_val *value) {
        return (struct json_container *)value;
}

static size_t length_of(yyjson_mut_val *container) {
        return unsafe_yyjson_get_len(container);
}

static yyjson_mut_val *last_of(yyjson_mut_val *container) {
        return container->uni.ptr;
}

/* ---- members by key ---- */

struct member_slot {
        yyjson_mut_val *key;    /* NULL = free */
        yyjson_mut_val *before; /* key node before it; means nothing for the first member */
        uint64_t hash;
};

struct member_index {
        struct member_slot *slots;
        size_t slot_count; /* power of two, at least twice the number of members */
        size_t count;
};

/* Addresses of objects differ from process to process, so that no input can choose keys that
 * collide. */
static uint64_t key_hash(yyjson_mut_val *object, struct slice key) {
        return hash_bytes(key.ptr, key.len, (uint64_t)(uintptr_t)object);
}

static struct member_slot *member_index_slot(const struct member_index *index, struct slice key,
                                             uint64_t hash) {
        size_t mask = index->slot_count - 1, at = hash & mask;
        while (index->slots[at].key) {
                struct member_slot *slot = &index->slots[at];
                if (slot->hash == hash && slice_eq(key_slice(slot->key), key))
                        return slot;
                at = (at + 1) & mask;
        }
        return &index->slots[at];
}

static void member_index_put(struct member_index *index, struct member_slot member) {
        size_t mask = index->slot_count - 1, at = member.hash & mask;
        while (index->slots[at].key)
                at = (at + 1) & mask;
        index->slots[at] = member;
}

static void member_index_grow(yyjson_mut_doc *doc, struct member_index *index) {
        struct member_slot *old = index->slots;
        size_t old_count = index->slot_count;
        index->slot_count = old_count * 2;
        index->slots = json_index_take(doc, index->slot_count * sizeof(*index->slots));
        memset(index->slots, 0, index->slot_count * sizeof(*index->slots));
        for (size_t i = 0; i < old_count; i++) {
                if (old[i].key)
                        member_index_put(index, old[i]);
        }
}

/* Frees a slot and moves later ones of its run back where the hole would hide them. */
static void member_index_drop(struct member_index *index, struct member_slot *gone) {
        size_t mask = index->slot_count - 1, hole = (size_t)(gone - index->slots);
        for (size_t at = (hole + 1) & mask; index->slots[at].key; at = (at + 1) & mask) {
                size_t home = index->slots[at].hash & mask;
                if (((at - home) & mask) >= ((at - hole) & mask)) {
                        index->slots[hole] = index->slots[at];
                        hole = at;
                }
        }
        index->slots[hole] = (struct member_slot){ 0 };
        index->count--;
}

static void member_index_build(yyjson_mut_val *object) {
        struct json_container *container = container_of(object);
        size_t count = length_of(object), slot_count = 2 * INDEX_COUNT_MIN;
        while (slot_count < 3 * count)
                slot_count *= 2;
        struct member_index *index = json_index_take(container->doc, sizeof(*index));
        *index = (struct member_index){ .slot_count = slot_count, .count = count };
        index->slots = json_index_take(container->doc, slot_count * sizeof(*index->slots));
        memset(index->slots, 0, slot_count * sizeof(*index->slots));
        yyjson_mut_val *before = last_of(object), *key = before->next->next;
        for (size_t i = 0; i < count; i++, before = key, key = key->next->next)
                member_index_put(index, (struct member_slot){ key, before,
                                                              key_hash(object, key_slice(key)) });
        container->index = index;
}

static yyjson_mut_val *walk_members(yyjson_mut_val *object, struct slice key) {
        struct json_container *container = container_of(object);
        size_t count = length_of(object);
        yyjson_mut_val *at = last_of(object)->next->next;
        for (size_t i = 0; i < count; i++, at = at->next->next) {
                if (!json_has_key(at, key))
                        continue;
                container->walked += (uint32_t)i;
                return at;
        }
        container->walked += (uint32_t)count;
        return NULL;
}

/* An index costs about as much as walking the list four times. */
static bool pays_index(yyjson_mut_val *object) {
        size_t count = length_of(object);
        return count >= INDEX_COUNT_MIN && container_of(object)->walked > 4 * count;
}

yyjson_mut_val *json_index_find(yyjson_mut_val *object, struct slice key) {
        if (length_of(object) == 0 || !(container_of(object)->keys & json_key_bit(key)))
                return NULL;
        if (!container_of(object)->index && pays_index(object))
                member_index_build(object);
        struct member_index *index = container_of(object)->index;
        return index ? member_index_slot(index, key, key_hash(object, key))->key
                     : walk_members(object, key);
}

void json_index_add(yyjson_mut_val *object, yyjson_mut_val *key, yyjson_mut_val *value) {
        struct json_container *container = container_of(object);
        struct member_index *index = container->index;
        yyjson_mut_val *before = length_of(object) ? last_of(object) : NULL;
        json_member_append(object, key, value);
        if (!index)
                return;
        if (2 * ++index->count > index->slot_count)
                member_index_grow(container->doc, index);
        member_index_put(index,
                         (struct member_slot){ key, before, key_hash(object, key_slice(key)) });
}

static yyjson_mut_val *key_before(yyjson_mut_val *object, yyjson_mut_val *key) {
        struct member_index *index = container_of(object)->index;
        yyjson_mut_val *before = last_of(object);
        if (before->next->next == key)
                return before;
        if (index)
                return member_index_slot(index, key_slice(key), key_hash(object, key_slice(key)))
                        ->before;
        while (before->next->next != key)
                before = before->next->next;
        return before;
}

void json_index_remove(yyjson_mut_val *object, yyjson_mut_val *key) {
        json_index_unlink(object, key_before(object, key), key);
}

static void unlink_member(yyjson_mut_val *object, yyjson_mut_val *before, yyjson_mut_val *gone) {
        struct member_index *index = container_of(object)->index;
        yyjson_mut_val *after = gone->next->next;
        if (index) {
                member_index_slot(index, key_slice(after), key_hash(object, key_slice(after)))
                        ->before = before;
                member_index_drop(index, member_index_slot(index, key_slice(gone),
                                                           key_hash(object, key_slice(gone))));
        }
        before->next->next = after;
}

void json_index_unlink(yyjson_mut_val *container, yyjson_mut_val *before, yyjson_mut_val *gone) {
        if (unsafe_yyjson_is_obj(container)) {
                unlink_member(container, before, gone);
        } else {
                before->next = gone->next;
                container_of(container)->index = NULL; /* its places have moved */
        }
        if (container->uni.ptr == gone)
                container->uni.ptr = before;
        unsafe_yyjson_set_len(container, length_of(container) - 1);
}

/* ---- elements by position ---- */

struct element_block {
        yyjson_mut_val *first;
        size_t count; /* never 0 */
};

/* The list in blocks, so that a position is found, and a change noted, in few steps. */
struct element_index {
        struct element_block *blocks;
        size_t count, capacity;
        yyjson_mut_val *cursor; /* the element last asked for; NULL = none */
        size_t cursor_position;
};

static void element_index_reserve(yyjson_mut_doc *doc, struct element_index *index) {
        if (index->count < index->capacity)
                return;
        size_t capacity = index->capacity ? index->capacity * 2 : 8;
        struct element_block *blocks = json_index_take(doc, capacity * sizeof(*blocks));
        if (index->count)
                memcpy(blocks, index->blocks, index->count * sizeof(*blocks));
        index->blocks = blocks;
        index->capacity = capacity;
}

static void element_index_insert_block(yyjson_mut_doc *doc, struct element_index *index, size_t at,
                                       struct element_block block) {
        element_index_reserve(doc, index);
        memmove(&index->blocks[at + 1], &index->blocks[at],
                (index->count - at) * sizeof(*index->blocks));
        index->blocks[at] = block;
        index->count++;
}

static struct element_index *element_index_build(yyjson_mut_val *array) {
        struct json_container *container = container_of(array);
        struct element_index *index = json_index_take(container->doc, sizeof(*index));
        yyjson_mut_val *at = last_of(array)->next;
        size_t count = length_of(array);
        *index = (struct element_index){ .cursor = NULL };
        for (size_t i = 0; i < count; i++, at = at->next) {
                size_t rest = count - i;
                if (i % BLOCK_ELEMENTS == 0)
                        element_index_insert_block(
                                container->doc, index, index->count,
                                (struct element_block){
                                        at, rest < BLOCK_ELEMENTS ? rest : BLOCK_ELEMENTS });
        }
        container->index = index;
        return index;
}

static yyjson_mut_val *skip_elements(yyjson_mut_val *at, size_t count) {
        while (count-- > 0)
                at = at->next;
        return at;
}

/* The block that a position is in; *position becomes the place in it. */
static size_t element_index_block(const struct element_index *index, size_t *position) {
        size_t block = 0;
        while (*position >= index->blocks[block].count)
                *position -= index->blocks[block++].count;
        return block;
}

static yyjson_mut_val *element_index_at(struct element_index *index, size_t position) {
        bool is_near = index->cursor && position >= index->cursor_position &&
                       position - index->cursor_position <= INDEX_COUNT_MIN;
        if (is_near) {
                index->cursor = skip_elements(index->cursor, position - index->cursor_position);
        } else {
                size_t place = position, block = element_index_block(index, &place);
                index->cursor = skip_elements(index->blocks[block].first, place);
        }
        index->cursor_position = position;
        return index->cursor;
}

yyjson_mut_val *json_index_at(yyjson_mut_val *array, size_t position) {
        size_t count = length_of(array);
        if (position >= count)
                return NULL;
        if (position + 1 == count)
                return last_of(array);
        struct element_index *index = container_of(array)->index;
        if (!index && position < INDEX_COUNT_MIN)
                return skip_elements(last_of(array)->next, position);
        return element_index_at(index ? index : element_index_build(array), position);
}

static yyjson_mut_val *element_before(yyjson_mut_val *array, size_t position) {
        return position > 0 ? json_index_at(array, position - 1) : last_of(array);
}

/* Positions from `from` on have moved. */
static void element_index_forget(struct element_index *index, size_t from) {
        if (index->cursor_position >= from)
                index->cursor = NULL;
}

static void element_index_split(yyjson_mut_doc *doc, struct element_index *index, size_t block) {
        struct element_block *whole = &index->blocks[block];
        if (whole->count < 2 * BLOCK_ELEMENTS)
                return;
        whole->count -= BLOCK_ELEMENTS;
        struct element_block rest = { skip_elements(whole->first, whole->count), BLOCK_ELEMENTS };
        element_index_insert_block(doc, index, block + 1, rest);
}

/* A value was linked in at a position. */
static void element_index_inserted(yyjson_mut_doc *doc, struct element_index *index,
                                   size_t position, yyjson_mut_val *value) {
        size_t place = position ? position - 1 : 0, block = 0;
        element_index_forget(index, position);
        if (index->count == 0) {
                element_index_insert_block(doc, index, 0, (struct element_block){ value, 1 });
                return;
        }
        if (position)
                block = element_index_block(index, &place);
        else
                index->blocks[0].first = value;
        index->blocks[block].count++;
        element_index_split(doc, index, block);
}

/* The common case, without searching the block. */
static void element_index_appended(yyjson_mut_doc *doc, struct element_index *index,
                                   yyjson_mut_val *value) {
        if (index->count == 0) {
                element_index_insert_block(doc, index, 0, (struct element_block){ value, 1 });
                return;
        }
        index->blocks[index->count - 1].count++;
        element_index_split(doc, index, index->count - 1);
}

void json_index_insert(yyjson_mut_val *array, size_t position, yyjson_mut_val *value) {
        struct json_container *container = container_of(array);
        size_t count = length_of(array);
        if (position > count)
                return;
        if (position == count) {
                yyjson_mut_arr_append(array, value);
                if (container->index)
                        element_index_appended(container->doc, container->index, value);
                return;
        }
        yyjson_mut_val *before = element_before(array, position);
        value->next = before->next;
        before->next = value;
        unsafe_yyjson_set_len(array, count + 1);
        if (container->index)
                element_index_inserted(container->doc, container->index, position, value);
}

void json_index_replace(yyjson_mut_val *array, size_t position, yyjson_mut_val *value) {
        if (position >= length_of(array))
                return;
        yyjson_mut_val *before = element_before(array, position), *gone = before->next;
        struct element_index *index = container_of(array)->index;
        value->next = gone == before ? value : gone->next;
        if (gone != before)
                before->next = value;
        if (array->uni.ptr == gone)
                array->uni.ptr = value;
        if (!index)
                return;
        size_t place = position, block = element_index_block(index, &place);
        if (place == 0)
                index->blocks[block].first = value;
        element_index_forget(index, position);
}

static void element_index_removed(struct element_index *index, size_t position,
                                  yyjson_mut_val *after) {
        size_t place = position, block = element_index_block(index, &place);
        element_index_forget(index, position);
        if (place == 0)
                index->blocks[block].first = after;
        if (--index->blocks[block].count > 0)
                return;
        index->count--;
        memmove(&index->blocks[block], &index->blocks[block + 1],
                (index->count - block) * sizeof(*index->blocks));
}

void json_index_remove_at(yyjson_mut_val *array, size_t position) {
        if (position >= length_of(array))
                return;
        yyjson_mut_val *before = element_before(array, position), *gone = before->next;
        if (container_of(array)->index)
                element_index_removed(container_of(array)->index, position, gone->next);
        before->next = gone->next;
        if (array->uni.ptr == gone)
                array->uni.ptr = before;
        unsafe_yyjson_set_len(array, length_of(array) - 1);
}

void json_index_clear(yyjson_mut_val *array) {
        container_of(array)->index = NULL;
        unsafe_yyjson_set_len(array, 0);
}
