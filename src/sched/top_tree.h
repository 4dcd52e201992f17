/* A tree over node indexes that knows the highest total, how many nodes share it, and which is the
 * k-th of them.  Changing one node costs O(log n). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TOP_TREE_NONE INT32_MIN /* the node does not take part */

struct top_tree {
        size_t leaves;    /* a power of two */
        int32_t *highest; /* 1-based heap order; leaves at [leaves, 2 * leaves) */
        uint32_t *counts; /* of leaves that have it */
};

void top_tree_init(struct top_tree *tree, size_t node_count);
void top_tree_release(struct top_tree *tree);
/* Leaves are set first, then the whole tree is built. */
void top_tree_set_leaf(struct top_tree *tree, size_t node, int32_t total);
void top_tree_build(struct top_tree *tree);
void top_tree_update(struct top_tree *tree, size_t node, int32_t total);
/* False: nobody takes part. */
bool top_tree_best(const struct top_tree *tree, int32_t *ret_total, uint32_t *ret_count);
/* The k-th of the best, by index; k below their count. */
size_t top_tree_pick(const struct top_tree *tree, uint32_t k);
