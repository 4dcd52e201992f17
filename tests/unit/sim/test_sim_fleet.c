/* Seeded runs of a fleet's reboots under faults: BERTH_SIM_SEED starts elsewhere (a replay),
 * BERTH_SIM_RUNS makes more of them (a soak). */
#include "sim/sim_fleet.h"

#include "../long_form.h"
#include "base/slice.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define RUNS_SHORT 20
#define RUNS_LONG 100

static uint64_t from_environment(const char *name, uint64_t fallback) {
        const char *text = getenv(name);
        uint64_t number;

        return text && slice_to_u64(slice_of(text), &number) ? number : fallback;
}

static void test_without_faults(void **state) {
        struct sim_fleet_report report;
        struct err err = { 0 };

        (void)state;
        for (uint64_t seed = 1; seed <= 8; seed++) {
                if (sim_fleet_run(&(struct sim_fleet_config){ .seed = seed }, &report, &err) < 0)
                        fail_msg("%s", err.text);
                assert_true(report.boots > 0);
                assert_int_equal(report.orders, report.boots);
                assert_int_equal(report.lost_locks, 0);
                for (size_t i = 0; i < SIM_FAULT_COUNT; i++)
                        assert_int_equal(report.faults[i], 0);
                for (size_t i = 0; i < FLEET_TROUBLE_COUNT; i++)
                        assert_int_equal(report.troubles[i], 0);
        }
}

static void print_counts(const struct sim_fleet_report *sum) {
        for (size_t i = 0; i < SIM_FAULT_COUNT; i++)
                if (sum->faults[i])
                        print_message("  %-13s %llu\n", sim_fault_name((enum sim_fault)i),
                                      (unsigned long long)sum->faults[i]);
        for (size_t i = 0; i < FLEET_TROUBLE_COUNT; i++)
                print_message("  %-13s %llu\n", fleet_trouble_name((enum fleet_trouble)i),
                              (unsigned long long)sum->troubles[i]);
}

static void test_seeds(void **state) {
        uint64_t seed = from_environment("BERTH_SIM_SEED", 1);
        uint64_t usual = long_form() ? RUNS_LONG : RUNS_SHORT;
        uint64_t runs = from_environment("BERTH_SIM_RUNS", getenv("BERTH_SIM_SEED") ? 1 : usual);
        struct sim_fleet_report sum = { 0 }, report;
        uint64_t violations = 0;

        (void)state;
        for (uint64_t i = 0; i < runs; i++) {
                struct err err = { 0 };

                if (sim_fleet_run(
                            &(struct sim_fleet_config){ .seed = seed + i, .fault_percent = 100 },
                            &report, &err) < 0) {
                        print_message("%s\n", err.text);
                        violations++;
                }
                sim_fleet_report_add(&sum, &report);
        }
        print_message("%llu seeds, %llu nodes (%llu of kured), %llu calls, %llu changes checked, "
                      "%llu cordons, %llu orders, %llu boots\n",
                      (unsigned long long)runs, (unsigned long long)sum.nodes,
                      (unsigned long long)sum.kured_nodes, (unsigned long long)sum.calls,
                      (unsigned long long)sum.changes, (unsigned long long)sum.cordons,
                      (unsigned long long)sum.orders, (unsigned long long)sum.boots);
        print_counts(&sum);
        assert_int_equal(violations, 0);
}

/* Seeds that once went wrong. */
static void test_old_failures(void **state) {
        static const uint64_t seeds[] = { 2044, 6671, 7680 };

        (void)state;
        for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++) {
                const struct sim_fleet_config config = { .seed = seeds[i], .fault_percent = 100 };
                struct sim_fleet_report report;
                struct err err = { 0 };

                if (sim_fleet_run(&config, &report, &err) < 0)
                        fail_msg("%s", err.text);
        }
}

/* The same seed does the same. */
static void test_replay(void **state) {
        struct sim_fleet_report first, second;
        const struct sim_fleet_config config = { .seed = 7, .fault_percent = 100 };

        (void)state;
        sim_fleet_run(&config, &first, NULL);
        sim_fleet_run(&config, &second, NULL);
        assert_int_equal(first.calls, second.calls);
        assert_int_equal(first.changes, second.changes);
        assert_int_equal(first.virtual_ns, second.virtual_ns);
        assert_memory_equal(first.faults, second.faults, sizeof(first.faults));
        assert_memory_equal(first.troubles, second.troubles, sizeof(first.troubles));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_without_faults),
                cmocka_unit_test(test_replay),
                cmocka_unit_test(test_old_failures),
                cmocka_unit_test(test_seeds),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
