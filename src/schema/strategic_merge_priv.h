/* What the files of strategic merge share. */
#pragma once

#include "schema/strategic_merge.h"

#define ORDER_PREFIX "$setElementOrder/"
#define DELETE_PREFIX "$deleteFromPrimitiveList/"

struct merge {
        struct json_tree *tree;
        struct buf *complaint;
        /* What strategic_merge.c does with an object, for elements of lists. */
        int (*merge_object)(struct merge *merge, struct json_node *target,
                            const struct schema_object *schema, const struct json *patch);
};

/* ---- directives (strategic_directive.c) ---- */

int strategic_fail(struct merge *merge, const char *text);
/* "expected a X, but received a Y" */
int strategic_fail_type(struct merge *merge, const char *wanted, const struct json *value);
int strategic_fail_stored_type(struct merge *merge, const char *wanted,
                               const struct json_node *value);
/* A "$patch" that is none. */
int strategic_fail_directive(struct merge *merge, const struct json *patch);
/* An object with "$patch" says what to do, not what to put somewhere. */
bool strategic_has_order(const struct json *value);
/* Copy of a patch value without such objects and nulls, as it enters where nothing was; other
 * directives mean nothing there and stay. */
struct json_node *strategic_copy(struct merge *merge, const struct json *value);

/* ---- lists (strategic_lists.c) ---- */
/* Every element of an order has the key that it orders by. */
int strategic_check_order_keys(struct merge *merge, const struct json *order, const char *key);
/* What "$setElementOrder" says of a list fits what the patch puts into it. */
int strategic_check_order(struct merge *merge, const struct json *patch, const struct json *order,
                          const char *key);
int strategic_check_places(struct merge *merge, const struct json_node *list,
                           const struct json *order, const char *key);
/* key: the merge key; "" merges values. order may be NULL. */
int strategic_merge_list(struct merge *merge, struct json_node *target, const char *key,
                         const struct schema_object *schema, const struct json *patch,
                         const struct json *order);
/* Of an order for elements that are not there. */
int strategic_fail_empty(struct merge *merge);
/* "$deleteFromPrimitiveList"; lists of objects are merged all the same. */
int strategic_delete_values(struct merge *merge, struct json_node *target, const char *key,
                            const struct schema_object *schema, const struct json *values);
void strategic_merge_reorder(struct json_node *target, const struct json *order, const char *key,
                             size_t retained, size_t reused);
