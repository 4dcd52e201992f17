/* The tree of totals against a scan of all of them. */
#include "base/rng.h"
#include "sched/top_tree.h"
#include "sched_test.h"

struct expected {
        int32_t total;
        uint32_t count;
};

static struct expected scan(const int32_t *totals, size_t count) {
        struct expected best = { TOP_TREE_NONE, 0 };
        for (size_t i = 0; i < count; i++) {
                if (totals[i] > best.total)
                        best = (struct expected){ totals[i], 0 };
                best.count += totals[i] == best.total && totals[i] != TOP_TREE_NONE;
        }
        return best;
}

/* The k-th best is the k-th by index that has the highest total. */
static void compare(const struct top_tree *tree, const int32_t *totals, size_t count) {
        struct expected best = scan(totals, count);
        int32_t total;
        uint32_t same, k = 0;
        assert_int_equal(top_tree_best(tree, &total, &same), best.count > 0);
        assert_int_equal(total, best.total);
        assert_int_equal(same, best.count);
        for (size_t i = 0; i < count && best.count > 0; i++)
                if (totals[i] == best.total)
                        assert_int_equal(top_tree_pick(tree, k++), i);
}

static void run(size_t count, uint64_t seed) {
        struct top_tree tree;
        struct rng rng;
        int32_t *totals = xcalloc(count + 1, sizeof(*totals));
        rng_init(&rng, seed);
        top_tree_init(&tree, count);
        for (size_t i = 0; i < count; i++)
                top_tree_leaves(&tree)[i] = totals[i] = (int32_t)rng_below(&rng, 5);
        top_tree_build(&tree);
        compare(&tree, totals, count);
        for (int step = 0; step < 60 && count > 0; step++) {
                size_t at = (size_t)rng_below(&rng, count);
                totals[at] =
                        rng_below(&rng, 3) == 0 ? TOP_TREE_NONE : (int32_t)rng_below(&rng, 6) - 3;
                top_tree_update(&tree, at, totals[at]);
                compare(&tree, totals, count);
        }
        top_tree_release(&tree);
        free(totals);
}

static void test_equals_a_scan(void **state) {
        static const size_t counts[] = { 0, 1, 2, 63, 64, 65, 500, 4096, 4097 };
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(counts); i++)
                run(counts[i], i + 1);
}

static void test_nobody_takes_part(void **state) {
        struct top_tree tree;
        int32_t total;
        uint32_t count;
        (void)state;
        top_tree_init(&tree, 100);
        top_tree_build(&tree);
        assert_false(top_tree_best(&tree, &total, &count));
        top_tree_update(&tree, 99, -7);
        assert_true(top_tree_best(&tree, &total, &count));
        assert_int_equal(total, -7);
        assert_int_equal(top_tree_pick(&tree, 0), 99);
        top_tree_update(&tree, 99, TOP_TREE_NONE);
        assert_false(top_tree_best(&tree, &total, &count));
        top_tree_release(&tree);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_equals_a_scan),
                cmocka_unit_test(test_nobody_takes_part),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
