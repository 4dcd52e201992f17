/* Seeded runs of the eviction controller under faults: BERTH_SIM_SEED starts elsewhere (a replay),
 * BERTH_SIM_RUNS makes more of them (a soak). */
#include "sim/sim_world.h"

#include "../long_form.h"
#include "base/slice.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define RUNS_SHORT 4
#define RUNS_LONG 100

static uint64_t from_environment(const char *name, uint64_t fallback) {
        const char *text = getenv(name);
        uint64_t number;

        return text && slice_to_u64(slice_of(text), &number) ? number : fallback;
}

static void test_without_faults(void **state) {
        struct sim_report report;
        struct err err = { 0 };

        (void)state;
        if (sim_world_run(&(struct sim_world_config){ .seed = 1 }, &report, &err) < 0)
                fail_msg("%s", err.text);
        assert_true(report.evicted > 0);
        for (size_t i = 0; i < SIM_FAULT_COUNT; i++)
                assert_int_equal(report.faults[i], 0);
}

static void print_reservations(const struct sim_reservation_counts *reservations) {
        print_message(
                "  reservations: %llu made, %llu released, of these %llu taken and %llu "
                "expired, %llu gone with one of %llu schedulers; %llu waited for, %llu "
                "done without\n",
                (unsigned long long)reservations->held, (unsigned long long)reservations->released,
                (unsigned long long)reservations->taken, (unsigned long long)reservations->expired,
                (unsigned long long)(reservations->held - reservations->released),
                (unsigned long long)reservations->starts, (unsigned long long)reservations->waited,
                (unsigned long long)reservations->without);
}

static void test_seeds(void **state) {
        uint64_t seed = from_environment("BERTH_SIM_SEED", 1);
        uint64_t usual = long_form() ? RUNS_LONG : RUNS_SHORT;
        uint64_t runs = from_environment("BERTH_SIM_RUNS", getenv("BERTH_SIM_SEED") ? 1 : usual);
        uint64_t faults[SIM_FAULT_COUNT] = { 0 }, calls = 0, violations = 0;
        struct sim_reservation_counts reservations = { 0 };
        size_t evicted = 0;

        (void)state;
        for (uint64_t i = 0; i < runs; i++) {
                struct sim_report report;
                struct err err = { 0 };

                if (sim_world_run(
                            &(struct sim_world_config){ .seed = seed + i, .fault_percent = 100 },
                            &report, &err) < 0) {
                        print_message("%s\n", err.text);
                        violations++;
                }
                calls += report.calls;
                sim_reservation_counts_add(&reservations, &report.reservations);
                evicted += report.evicted;
                for (size_t k = 0; k < SIM_FAULT_COUNT; k++)
                        faults[k] += report.faults[k];
        }
        print_message("%llu seeds, %llu calls, %zu evicted\n", (unsigned long long)runs,
                      (unsigned long long)calls, evicted);
        print_reservations(&reservations);
        for (size_t k = 0; k < SIM_FAULT_COUNT; k++)
                print_message("  %-13s %llu\n", sim_fault_name((enum sim_fault)k),
                              (unsigned long long)faults[k]);
        assert_int_equal(violations, 0);
        if (runs >= RUNS_LONG) /* so many meet everything */
                assert_true(reservations.held && reservations.taken && reservations.expired &&
                            reservations.waited && reservations.without);
}

/* Seeds that once failed: an eviction call repeated after its Evictions were over, and writes
 * without a pause about a request that was gone. */
static void test_seeds_of_old_faults(void **state) {
        static const uint64_t seeds[] = { 87, 210 };

        (void)state;
        for (size_t i = 0; i < sizeof(seeds) / sizeof(*seeds); i++) {
                struct sim_report report;
                struct err err = { 0 };

                if (sim_world_run(
                            &(struct sim_world_config){ .seed = seeds[i], .fault_percent = 100 },
                            &report, &err) < 0)
                        fail_msg("%s", err.text);
        }
}

/* Pods and budgets of somebody's own: two namespaces with the same names, and a pod that is over.
 */
static void test_snapshot(void **state) {
        static const char *const objects =
                "apiVersion: v1\nkind: List\nitems:\n"
                "- {apiVersion: v1, kind: Pod, metadata: {name: a, namespace: shop, labels: {app: "
                "w}}}\n"
                "- {apiVersion: v1, kind: Pod, metadata: {name: b, namespace: shop, labels: {app: "
                "w}}}\n"
                "- {apiVersion: v1, kind: Pod, metadata: {name: a, namespace: test, labels: {app: "
                "w}}}\n"
                "- {apiVersion: v1, kind: Pod, metadata: {name: c}, status: {phase: Failed}}\n"
                "- {apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: w, "
                "namespace: "
                "shop}, spec: {minAvailable: 2, selector: {matchLabels: {app: w}}}}\n";
        struct sim_report report;
        struct err err = { 0 };
        size_t evicted = 0;

        (void)state;
        for (uint64_t seed = 1; seed <= 5; seed++) {
                if (sim_world_run(&(struct sim_world_config){ .seed = seed,
                                                              .fault_percent = 100,
                                                              .objects = objects },
                                  &report, &err) < 0)
                        fail_msg("%s", err.text);
                evicted += report.evicted;
        }
        assert_true(evicted > 0);
        assert_int_equal(
                sim_world_run(&(struct sim_world_config){ .seed = 1, .objects = "kind: List" },
                              &report, &err),
                BERTH_ERR_INTERNAL);
}

/* The same seed does the same. */
static void test_replay(void **state) {
        struct sim_report first, second;
        const struct sim_world_config config = { .seed = 7, .fault_percent = 100 };

        (void)state;
        sim_world_run(&config, &first, NULL);
        sim_world_run(&config, &second, NULL);
        assert_int_equal(first.calls, second.calls);
        assert_int_equal(first.changes, second.changes);
        assert_int_equal(first.virtual_ns, second.virtual_ns);
        assert_memory_equal(first.faults, second.faults, sizeof(first.faults));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_without_faults), cmocka_unit_test(test_replay),
                cmocka_unit_test(test_snapshot),       cmocka_unit_test(test_seeds_of_old_faults),
                cmocka_unit_test(test_seeds),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
