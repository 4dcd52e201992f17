/* The highest total and who has it. */
#include "sched/top_tree.h"
#include "base/util.h"
#include <assert.h>
#include <stdlib.h>

void top_tree_init(struct top_tree *tree, size_t node_count) {
        size_t leaves = 1;
        while (leaves < node_count)
                leaves *= 2;
        *tree = (struct top_tree){ .leaves = leaves,
                                   .highest = xmalloc(2 * leaves * sizeof(int32_t)),
                                   .counts = xcalloc(2 * leaves, sizeof(uint32_t)) };
        for (size_t i = 0; i < 2 * leaves; i++)
                tree->highest[i] = TOP_TREE_NONE;
}

void top_tree_release(struct top_tree *tree) {
        free(tree->highest);
        free(tree->counts);
        *tree = (struct top_tree){ 0 };
}

void top_tree_set_leaf(struct top_tree *tree, size_t node, int32_t total) {
        tree->highest[tree->leaves + node] = total;
        tree->counts[tree->leaves + node] = total != TOP_TREE_NONE;
}

static void join(struct top_tree *tree, size_t at) {
        size_t left = 2 * at, right = left + 1;
        int32_t a = tree->highest[left], b = tree->highest[right];
        tree->highest[at] = a > b ? a : b;
        tree->counts[at] = (a >= b ? tree->counts[left] : 0) + (b >= a ? tree->counts[right] : 0);
}

void top_tree_build(struct top_tree *tree) {
        for (size_t at = tree->leaves - 1; at > 0; at--)
                join(tree, at);
}

void top_tree_update(struct top_tree *tree, size_t node, int32_t total) {
        top_tree_set_leaf(tree, node, total);
        for (size_t at = (tree->leaves + node) / 2; at > 0; at /= 2)
                join(tree, at);
}

bool top_tree_best(const struct top_tree *tree, int32_t *ret_total, uint32_t *ret_count) {
        *ret_total = tree->highest[1];
        *ret_count = tree->counts[1];
        return tree->highest[1] != TOP_TREE_NONE;
}

size_t top_tree_pick(const struct top_tree *tree, uint32_t k) {
        int32_t best = tree->highest[1];
        size_t at = 1;
        assert(k < tree->counts[1]);
        while (at < tree->leaves) {
                uint32_t left = tree->highest[2 * at] == best ? tree->counts[2 * at] : 0;
                at = 2 * at + (k >= left);
                if (at % 2 == 1)
                        k -= left;
        }
        return at - tree->leaves;
}
