/* What the JSON files of this room share: the casts between our opaque names and yyjson's. The only
 * place, with the .c files that include it, where yyjson is visible. */
#pragma once

#include "api/json.h"
#include <yyjson.h>

static inline yyjson_val *val_of(const struct json *value) {
        return (yyjson_val *)value; /* yyjson's getters take non-const pointers; none writes */
}
static inline const struct json *json_of(const yyjson_val *value) {
        return (const struct json *)value;
}
static inline yyjson_mut_val *mut_of(const struct json_node *node) {
        return (yyjson_mut_val *)node;
}
static inline struct json_node *node_of(yyjson_mut_val *value) {
        return (struct json_node *)value;
}
static inline yyjson_mut_doc *doc_of(const struct json_tree *tree) {
        return (yyjson_mut_doc *)tree;
}

static inline struct slice key_slice(void *key) {
        return slice_make(unsafe_yyjson_get_str(key), unsafe_yyjson_get_len(key));
}

/* Type of either flavour; both start with the same tag. NULL is JSON_NONE. */
enum json_type value_type(void *value);
bool value_as_i64(void *value, int64_t *ret_value);
bool value_as_f64(void *value, double *ret_value);
/* Null, booleans, numbers and strings of either flavour. */
bool scalar_write(void *value, struct buf *out);
