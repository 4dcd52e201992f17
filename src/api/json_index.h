/* Look-ups in large containers of trees. yyjson keeps elements and members in linked lists, so that
 * a program that asks for them one by one takes the square of their number. Containers that are
 * asked often get an index: objects by key, arrays by position. Small ones never have one. */
#pragma once

#include "api/json_priv.h"

/* yyjson's value with our part behind it. */
struct json_container {
        yyjson_mut_val value;
        yyjson_mut_doc *doc;
        void *index;     /* of members or elements; NULL = none */
        uint32_t walked; /* members that look-ups went past since there is no index */
        uint32_t keys;   /* json_key_bit of all keys that are or were there */
};

/* A container of a tree; all are made by json_container_new. */
yyjson_mut_val *json_container_new(yyjson_mut_doc *doc, bool is_object);

/* Most of what is asked for is not there, which this bit tells without a walk. */
static inline uint32_t json_key_bit(struct slice key) {
        unsigned first = key.len ? (unsigned char)key.ptr[0] : 0;

        return UINT32_C(1) << ((first + key.len * 7) & 31);
}

/* A new member behind all others, of an object without an index. */
static inline void json_member_append(yyjson_mut_val *object, yyjson_mut_val *key,
                                      yyjson_mut_val *value) {
        ((struct json_container *)object)->keys |= json_key_bit(key_slice(key));
        yyjson_mut_obj_add(object, key, value);
}

/* Whether a key node has this text. Most texts differ in their length or first byte. */
static inline bool json_has_key(yyjson_mut_val *key, struct slice text) {
        return unsafe_yyjson_get_len(key) == text.len &&
               (text.len == 0 ||
                (key->uni.str[0] == text.ptr[0] && memcmp(key->uni.str, text.ptr, text.len) == 0));
}

/* The key node of a member, or NULL; its value hangs at its next. */
yyjson_mut_val *json_index_find(yyjson_mut_val *object, struct slice key);
/* Adds a member that is not there yet. */
void json_index_add(yyjson_mut_val *object, yyjson_mut_val *key, yyjson_mut_val *value);
/* Takes out the member of a key node. */
void json_index_remove(yyjson_mut_val *object, yyjson_mut_val *key);

/* An element, or NULL when there are not so many. */
yyjson_mut_val *json_index_at(yyjson_mut_val *array, size_t position);
/* position may be the number of elements; beyond it nothing happens. */
void json_index_insert(yyjson_mut_val *array, size_t position, yyjson_mut_val *value);
void json_index_replace(yyjson_mut_val *array, size_t position, yyjson_mut_val *value);
void json_index_remove_at(yyjson_mut_val *array, size_t position);
/* Takes out what follows `before`, wherever it stands: an element, or a key and its value. */
void json_index_unlink(yyjson_mut_val *container, yyjson_mut_val *before, yyjson_mut_val *gone);
void json_index_clear(yyjson_mut_val *array);
