/* A tree over node indexes that knows the highest total, how many nodes share it, and which is the
 * k-th of them.  Changing one node costs O(log n), rebuilding it takes one pass. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TOP_TREE_NONE INT32_MIN /* the node does not take part */
#define TOP_TREE_LEVELS 7       /* of 64 children each: more than there are node indexes */

struct top_tree_level {
        size_t count;
        int32_t *highest; /* padded to whole groups of children */
        uint32_t *counts; /* of leaves that have it; NULL for the leaves */
};
struct top_tree {
        size_t level_count; /* the last one has one entry */
        struct top_tree_level levels[TOP_TREE_LEVELS];
};

void top_tree_init(struct top_tree *tree, size_t node_count);
void top_tree_release(struct top_tree *tree);
/* The totals by node, to be set before the whole tree is built. */
int32_t *top_tree_leaves(struct top_tree *tree);
void top_tree_build(struct top_tree *tree);
void top_tree_update(struct top_tree *tree, size_t node, int32_t total);
/* False: no node takes part. */
bool top_tree_best(const struct top_tree *tree, int32_t *ret_total, uint32_t *ret_count);
/* The k-th of the best, by index; k below their count. */
size_t top_tree_pick(const struct top_tree *tree, uint32_t k);
size_t top_tree_bytes(const struct top_tree *tree);
