/* The class engine against the naive full scan on generated clusters: after every change both must
 * find the same nodes feasible, at the same totals, for pods of all shapes.
 *
 * BERTH_ORACLE_STEPS and BERTH_ORACLE_SEEDS make it longer (a soak). */
#include "oracle_world.h"
#include "sched_test.h"

#define STEPS_DEFAULT 1000
#define SEEDS_DEFAULT 2

static unsigned from_environment(const char *name, unsigned fallback) {
        const char *text = getenv(name);
        return text ? (unsigned)strtoul(text, NULL, 10) : fallback;
}

static void run_seed(uint64_t seed, unsigned steps) {
        struct oracle_world world;
        struct class_engine_stats stats;
        oracle_world_init(&world, seed, &(struct oracle_config){ .registry = sched_registry });
        oracle_world_run(&world, steps);
        class_engine_stats(world.engine, &stats);
        print_message("seed %u: %u steps, %u choices by the engine, %u of them incremental\n",
                      (unsigned)seed, steps, (unsigned)world.engine_choices, (unsigned)stats.hits);
        /* Each way was taken. */
        assert_true(world.engine_choices > steps / 10 && stats.hits > 0 && stats.builds > 0);
        oracle_world_release(&world);
}

static void test_equals_naive_scan(void **state) {
        unsigned steps = from_environment("BERTH_ORACLE_STEPS", STEPS_DEFAULT);
        unsigned seeds = from_environment("BERTH_ORACLE_SEEDS", SEEDS_DEFAULT);
        (void)state;
        for (unsigned seed = 1; seed <= seeds; seed++)
                run_seed(seed, steps);
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_equals_naive_scan) };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
