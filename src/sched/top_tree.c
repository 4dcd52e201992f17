/* The highest total and who has it. */
#include "sched/top_tree.h"
#include "base/util.h"
#include <assert.h>
#include <stdlib.h>

#define FAN 64 /* children of an entry */

static size_t top_tree_padded(size_t count) {
        return (count + FAN - 1) / FAN * FAN;
}

static void level_init(struct top_tree_level *level, size_t count, bool is_leaf) {
        size_t size = top_tree_padded(count);
        *level = (struct top_tree_level){ .count = count,
                                          .highest = xmalloc(size * sizeof(int32_t)) };
        for (size_t i = 0; i < size; i++)
                level->highest[i] = TOP_TREE_NONE;
        if (!is_leaf)
                level->counts = xcalloc(size, sizeof(uint32_t));
}

void top_tree_init(struct top_tree *tree, size_t node_count) {
        size_t count = node_count > 0 ? node_count : 1;
        *tree = (struct top_tree){ 0 };
        level_init(&tree->levels[tree->level_count++], count, true);
        do {
                count = top_tree_padded(count) / FAN;
                assert(tree->level_count < TOP_TREE_LEVELS);
                level_init(&tree->levels[tree->level_count++], count, false);
        } while (count > 1);
}

void top_tree_release(struct top_tree *tree) {
        for (size_t i = 0; i < tree->level_count; i++) {
                free(tree->levels[i].highest);
                free(tree->levels[i].counts);
        }
        *tree = (struct top_tree){ 0 };
}

int32_t *top_tree_leaves(struct top_tree *tree) {
        return tree->levels[0].highest;
}

/* Both loops are of fixed length, so that the compiler can take several entries at once. */
static int32_t highest_of(const int32_t *values) {
        int32_t best = TOP_TREE_NONE;
        for (size_t i = 0; i < FAN; i++)
                best = values[i] > best ? values[i] : best;
        return best;
}

static uint32_t count_of(const struct top_tree_level *level, size_t first, int32_t best) {
        const int32_t *values = level->highest + first;
        uint32_t count = 0;
        if (best == TOP_TREE_NONE)
                return 0;
        if (!level->counts) {
                for (size_t i = 0; i < FAN; i++)
                        count += values[i] == best;
                return count;
        }
        for (size_t i = 0; i < FAN; i++)
                count += values[i] == best ? level->counts[first + i] : 0;
        return count;
}

static void top_tree_join(struct top_tree *tree, size_t level, size_t at) {
        const struct top_tree_level *below = &tree->levels[level - 1];
        struct top_tree_level *own = &tree->levels[level];
        own->highest[at] = highest_of(below->highest + at * FAN);
        own->counts[at] = count_of(below, at * FAN, own->highest[at]);
}

void top_tree_build(struct top_tree *tree) {
        for (size_t level = 1; level < tree->level_count; level++)
                for (size_t at = 0; at < tree->levels[level].count; at++)
                        top_tree_join(tree, level, at);
}

void top_tree_update(struct top_tree *tree, size_t node, int32_t total) {
        size_t at = node;
        if (tree->levels[0].highest[node] == total)
                return;
        tree->levels[0].highest[node] = total;
        for (size_t level = 1; level < tree->level_count; level++)
                top_tree_join(tree, level, at /= FAN);
}

bool top_tree_best(const struct top_tree *tree, int32_t *ret_total, uint32_t *ret_count) {
        const struct top_tree_level *top = &tree->levels[tree->level_count - 1];
        *ret_total = top->highest[0];
        *ret_count = top->counts[0];
        return top->highest[0] != TOP_TREE_NONE;
}

size_t top_tree_pick(const struct top_tree *tree, uint32_t k) {
        const struct top_tree_level *top = &tree->levels[tree->level_count - 1];
        int32_t best = top->highest[0];
        size_t at = 0;
        assert(k < top->counts[0]);
        for (size_t level = tree->level_count - 1; level-- > 0;) {
                const struct top_tree_level *own = &tree->levels[level];
                for (at *= FAN;; at++) {
                        uint32_t count = !own->counts ? 1 : own->counts[at];
                        if (own->highest[at] != best)
                                continue;
                        if (k < count)
                                break;
                        k -= count;
                }
        }
        return at;
}

size_t top_tree_bytes(const struct top_tree *tree) {
        size_t bytes = 0;
        for (size_t i = 0; i < tree->level_count; i++)
                bytes += top_tree_padded(tree->levels[i].count) *
                         (sizeof(int32_t) + (i > 0 ? sizeof(uint32_t) : 0));
        return bytes;
}
