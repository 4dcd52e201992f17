/* PrioritySort. */
#include "base/util.h"
#include "plugin/sched_points.h"
#include "plugin_scene.h"
#include "plugins/sched/registry.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const struct plugin_case cases[] = {
        { "where it takes part", .points = "queueSort", .fits = "n1 n2" },
};

/* Two pods that wait, and whether the first goes before the second. */
static const struct {
        const char *name;
        int32_t a_priority, b_priority;
        int64_t a_queued_ns, b_queued_ns;
        bool is_before;
} pairs[] = {
        { "higher priority", 10, 9, 5, 1, true },
        { "lower priority", 9, 10, 1, 5, false },
        { "of system pods", 2000000000, -2147483647 - 1, 5, 1, true },
        { "below zero", -2, -1, 1, 5, false },
        { "equal, waits longer", 7, 7, 1, 2, true },
        { "equal, came later", 7, 7, 2, 1, false },
        { "equal in all", 7, 7, 3, 3, false }, /* not before itself */
};

static void test_pairs(void **state) {
        const struct plugin *sort = NULL;
        (void)state;
        for (size_t i = 0; sched_registry[i]; i++)
                if (strcmp(sched_registry[i]->name, "PrioritySort") == 0)
                        sort = sched_registry[i];
        assert_non_null(sort);
        for (size_t i = 0; i < ARRAY_LEN(pairs); i++)
                if (sort->sched->is_before(pairs[i].a_priority, pairs[i].a_queued_ns,
                                           pairs[i].b_priority,
                                           pairs[i].b_queued_ns) != pairs[i].is_before)
                        fail_msg("%s", pairs[i].name);
}

static void test_cases(void **state) {
        (void)state;
        plugin_cases_run("PrioritySort", cases, ARRAY_LEN(cases));
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_pairs),
                                            cmocka_unit_test(test_cases) };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
