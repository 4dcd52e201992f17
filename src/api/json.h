/* JSON documents, read-only and editable. The only header through which the rest of berth sees
 * JSON; yyjson stays behind.
 *
 * Two flavours:
 *   struct json_doc  / const struct json *        immutable, fast to parse, for decoding
 *   struct json_tree / struct json_node *         editable, for defaulting, patches and merges
 *
 * Values belong to their document and die with it. All getters accept NULL values and answer as for
 * an absent field. Of repeated members the last one counts; trees drop the earlier ones. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JSON_DEPTH_MAX 200 /* nesting accepted from outside */

enum json_type {
        JSON_NONE,
        JSON_NULL,
        JSON_BOOL,
        JSON_INT,
        JSON_REAL,
        JSON_STRING,
        JSON_ARRAY,
        JSON_OBJECT
};
const char *json_type_name(enum json_type type); /* "string", "object", ... */

/* ---- immutable ---- */
struct json_doc;
struct json; /* a value; never dereferenced */

/* Parses one document; trailing white space only. Errors: BERTH_ERR_BAD_REQUEST with line, column;
 * nesting beyond JSON_DEPTH_MAX is refused. The text is copied. */
int json_parse(struct slice text, struct json_doc **ret_doc, struct err *err);
/* Parses the first value and reports how many bytes it took (JSON lines, watch streams). */
int json_parse_prefix(struct slice text, struct json_doc **ret_doc, size_t *ret_used,
                      struct err *err);
void json_doc_free(struct json_doc *doc); /* accepts NULL */
void cleanup_json_doc(struct json_doc **doc);
const struct json *json_doc_root(const struct json_doc *doc);

enum json_type json_type(const struct json *value);
/* NULL when absent or not an object */
const struct json *json_get_slice(const struct json *object, struct slice key);
static inline const struct json *json_get(const struct json *object, const char *key) {
        return json_get_slice(object, slice_of(key)); /* here, as most keys have a known length */
}
const struct json *json_path(const struct json *value, const char *const *keys, size_t count);
size_t json_count(const struct json *value); /* elements or members; else 0 */
const struct json *json_at(
        const struct json *array,
        size_t index); /* O(1) amortised for flat arrays only; prefer json_iter */
/* All elements, for other orders than json_iter's; from malloc, to be freed also when empty. */
const struct json **json_elements(const struct json *array, size_t *ret_count);
struct slice json_text(const struct json *value); /* string value; empty otherwise */
bool json_array_has(const struct json *array, struct slice text); /* a string equal to text */
bool json_is_true(const struct json *value);
bool json_as_i64(const struct json *value, int64_t *ret_value); /* integers in range only */
bool json_as_f64(const struct json *value, double *ret_value);
struct slice json_get_text(const struct json *object, const char *key);
int64_t json_get_i64(const struct json *object, const char *key, int64_t fallback);
bool json_get_bool(const struct json *object, const char *key, bool fallback);

struct json_iter {
        const void *at, *container;
        size_t index, count;
};
struct json_iter json_iter(
        const struct json *container); /* arrays and objects; empty for anything else */
/* ret_key and ret_value may be NULL; the key is empty for arrays. */
bool json_next(struct json_iter *iter, struct slice *ret_key, const struct json **ret_value);

bool json_write(const struct json *value, struct buf *out); /* compact */
/* indent: blanks for each level. */
bool json_write_pretty(const struct json *value, unsigned indent, struct buf *out);
/* JSON text as Go writes it by default: what HTML would take for its own by its number. */
void json_escape_for_html(struct slice json, struct buf *out);
bool json_equal(const struct json *a, const struct json *b); /* member order does not matter */

/* Members of an object without those a later one of the same name overrules, in document order.
 * The array comes from malloc; NULL when there are none. */
struct json_member {
        struct slice key;
        const struct json *value;
};
struct json_member *json_members(const struct json *object, size_t *ret_count);

/* Reports path and key of every repeated member once, such as spec.containers[0].name, in document
 * order of the objects (strict field validation). Returns how many there are; at most
 * JSON_DUPLICATE_MAX are reported. found may be NULL. */
#define JSON_DUPLICATE_MAX 100
size_t json_duplicates(const struct json *value,
                       void (*found)(void *context, struct slice path, struct slice key),
                       void *context);

/* ---- editable ---- */
struct json_tree;
struct json_node; /* a value of one tree; a node sits in at most one container */

struct json_tree *json_tree_new(void);
void json_tree_free(struct json_tree *tree); /* accepts NULL */
void cleanup_json_tree(struct json_tree **tree);
/* Parses into an editable tree. Same errors as json_parse. */
int json_tree_parse(struct slice text, struct json_tree **ret_tree, struct err *err);
struct json_node *json_tree_root(const struct json_tree *tree); /* NULL until set */
void json_tree_set_root(struct json_tree *tree, struct json_node *root);

/* Deep copies; what is not there becomes null. */
struct json_node *node_import(struct json_tree *tree, const struct json *value);
/* The same of what has each member once, as all that a tree wrote. */
struct json_node *node_import_unique(struct json_tree *tree, const struct json *value);
struct json_node *node_clone(struct json_tree *tree, const struct json_node *node); /* any tree */
struct json_node *node_null(struct json_tree *tree);
struct json_node *node_bool(struct json_tree *tree, bool value);
struct json_node *node_i64(struct json_tree *tree, int64_t value);
struct json_node *node_f64(struct json_tree *tree, double value);
struct json_node *node_text(struct json_tree *tree, struct slice text); /* copies */
struct json_node *node_string(struct json_tree *tree, const char *text);
struct json_node *node_object(struct json_tree *tree);
struct json_node *node_array(struct json_tree *tree);

enum json_type node_type(const struct json_node *node);
struct slice node_get_slice(const struct json_node *node); /* string value */
bool node_is_true(const struct json_node *node);
bool node_as_i64(const struct json_node *node, int64_t *ret_value);
bool node_as_f64(const struct json_node *node, double *ret_value);
/* The node becomes this number where it stands. */
void node_become_i64(struct json_node *node, int64_t value);
size_t node_count(const struct json_node *node);
struct json_node *node_find(const struct json_node *object, struct slice key);
static inline struct json_node *node_get(const struct json_node *object, const char *key) {
        return node_find(object, slice_of(key));
}
struct json_node *node_at(const struct json_node *array, size_t index);
struct slice node_get_text(const struct json_node *object,
                           const char *key); /* string member; empty otherwise */
int64_t node_get_i64(const struct json_node *object, const char *key, int64_t fallback);

/* Members keep insertion order. node_set replaces in place or appends; the key is copied. */
void node_set(struct json_tree *tree, struct json_node *object, struct slice key,
              struct json_node *value);
void node_put(struct json_tree *tree, struct json_node *object, const char *key,
              struct json_node *value);
/* A member that the object does not have yet: saves the look-up. */
void node_add(struct json_tree *tree, struct json_node *object, struct slice key,
              struct json_node *value);
/* Members in the order of their keys; compare is given two of them. */
void node_sort(struct json_node *object, int (*compare)(struct slice a, struct slice b));
/* Those of all objects in a value, in byte order. */
void node_sort_all(struct json_node *value);
void node_put_text(struct json_tree *tree, struct json_node *object, const char *key,
                   struct slice text);
void node_put_string(struct json_tree *tree, struct json_node *object, const char *key,
                     const char *text);
void node_put_i64(struct json_tree *tree, struct json_node *object, const char *key, int64_t value);
void node_put_bool(struct json_tree *tree, struct json_node *object, const char *key, bool value);
/* Member that is an object (array); made when absent, or when the member is null. NULL when it has
 * another type. */
struct json_node *node_need_object(struct json_tree *tree, struct json_node *object,
                                   const char *key);
struct json_node *node_need_array(struct json_tree *tree, struct json_node *object,
                                  const char *key);
bool node_remove(struct json_node *object, const char *key); /* true when it was there */
bool node_remove_slice(struct json_node *object, struct slice key);
void node_remove_nulls(struct json_node *object); /* members that are null */
void node_append(struct json_node *array, struct json_node *value);
void node_insert(struct json_node *array, size_t index, struct json_node *value);
void node_replace_at(struct json_node *array, size_t index, struct json_node *value);
void node_remove_at(struct json_node *array, size_t index);
void node_array_clear(struct json_node *array);

struct node_iter {
        void *at, *before, *container;
        size_t index, count;
};
struct node_iter node_iter(const struct json_node *container);
/* The container must not be changed while iterating, except through values and by node_drop. */
bool node_next(struct node_iter *iter, struct slice *ret_key, struct json_node **ret_value);
/* Removes the node that node_next returned last, in constant time. */
void node_drop(struct node_iter *iter);

/* A value of a tree and a parsed one, whose members each occur once; in any order. */
bool node_equal_json(const struct json_node *node, const struct json *json);
bool node_write(const struct json_node *node, struct buf *out); /* compact */
/* A copy to read, which the caller frees; NULL when it is too deep. */
struct json_doc *json_doc_of(const struct json_node *node);
/* The same through json_escape_for_html(). */
void node_write_for_html(const struct json_node *node, struct buf *out);
bool node_equal(const struct json_node *a, const struct json_node *b);
/* The version of yyjson that runs, such as "0.5.1". */
void json_library_version(struct buf *out);
