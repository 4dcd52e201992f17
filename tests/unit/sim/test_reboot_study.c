/* Rollouts and their comparison: what must be so in every rollout, and the arithmetic. */
#include "../long_form.h"
#include "show/report.h"
#include "sim/reboot_study.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define SEEDS_SHORT 2
#define SEEDS_LONG 6

static uint32_t seeds(void) {
        return long_form() ? SEEDS_LONG : SEEDS_SHORT;
}

static double of(const struct trial_result *result, enum trial_measure measure) {
        return result->values[measure];
}

static void run(const struct trial_setting *setting, enum trial_arm arm, uint64_t seed,
                struct trial_result *ret_result) {
        struct err err = { 0 };

        if (reboot_trial_run(setting, arm, seed, ret_result, &err) < 0)
                fail_msg("%s", err.text);
}

/* The parts make the whole, every node reboots, and only tainted nodes have a lead. */
static void test_measures(void **state) {
        const struct trial_setting *setting = &trial_setting_default;

        (void)state;
        for (int arm = 0; arm < TRIAL_ARM_COUNT; arm++)
                for (uint64_t seed = 1; seed <= seeds(); seed++) {
                        struct trial_result r;
                        double parts;

                        run(setting, (enum trial_arm)arm, seed, &r);
                        assert_true(of(&r, MEASURE_UNFINISHED) < 0.5);
                        parts = of(&r, MEASURE_BLOCKED) + of(&r, MEASURE_LOCK_WAIT);
                        assert_true(of(&r, MEASURE_PREPARATION) >= parts - 1);
                        assert_true(of(&r, MEASURE_ROLLING) > of(&r, MEASURE_PREPARATION));
                        assert_true(of(&r, MEASURE_DRAIN) > 0);
                        assert_true((of(&r, MEASURE_LEAD) > 0) == (arm != TRIAL_NONE));
                        if (arm == TRIAL_EARLY) /* tainted as soon as detected */
                                assert_true(fabs(of(&r, MEASURE_LEAD) -
                                                 of(&r, MEASURE_PREPARATION)) < 1);
                        if (arm == TRIAL_HARD)
                                assert_true(of(&r, MEASURE_CONFLICTS) < 0.5);
                }
}

static void test_replay(void **state) {
        const struct trial_setting *setting = &trial_setting_default;

        (void)state;
        for (int arm = 0; arm < TRIAL_ARM_COUNT; arm++) {
                struct trial_result first, second;

                run(setting, (enum trial_arm)arm, 5, &first);
                run(setting, (enum trial_arm)arm, 5, &second);
                assert_memory_equal(&first, &second, sizeof(first));
        }
}

/* With windows of two hours only time inside them counts. */
static void test_window(void **state) {
        struct trial_setting setting = trial_setting_default;
        struct trial_result r;

        (void)state;
        setting.window_ns = 2 * 3600LL * 1000000000LL;
        setting.rho = 3;
        run(&setting, TRIAL_EARLY, 1, &r);
        assert_true(of(&r, MEASURE_ROLLING) < 4 * 7200 + 1);
        assert_true(of(&r, MEASURE_LEAD) >= of(&r, MEASURE_PREPARATION) - 1);
}

static void test_verdicts(void **state) {
        static const struct {
                bool has_percent;
                double percent, half;
                enum study_verdict expect;
        } cases[] = {
                { true, -50, 5, VERDICT_HOLDS }, { true, -50, 15, VERDICT_OPEN },
                { true, -30, 5, VERDICT_FAILS }, { true, -30, 15, VERDICT_OPEN },
                { true, 10, 5, VERDICT_FAILS },  { false, 0, 0, VERDICT_MOOT },
        };
        const struct study_claim claim = { "", MEASURE_PREPARATION, -40 };

        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct study_point point = { 0 };
                struct study_difference *d =
                        &point.cells[TRIAL_EARLY][MEASURE_PREPARATION].from_late;

                d->has_percent = cases[i].has_percent;
                d->percent = cases[i].percent;
                d->percent_half = cases[i].half;
                assert_int_equal(study_judge(&point, TRIAL_EARLY, &claim), cases[i].expect);
        }
}

static size_t count_of(const struct buf *text, const char *what) {
        size_t count = 0;

        for (const char *at = text->data; (at = strstr(at, what)); at++)
                count++;
        return count;
}

/* Means, differences and ratios agree with the rollouts they are made of. */
static void check_numbers(const struct reboot_study *study) {
        const struct study_cell *early = &study->points[0].cells[TRIAL_EARLY][MEASURE_PREPARATION];
        const struct study_cell *late = &study->points[0].cells[TRIAL_LATE][MEASURE_PREPARATION];
        double sum[2] = { 0, 0 };

        for (uint64_t seed = 1; seed <= seeds(); seed++) {
                struct trial_result r;

                run(&study->config.base, TRIAL_EARLY, seed, &r);
                sum[0] += of(&r, MEASURE_PREPARATION) / seeds();
                run(&study->config.base, TRIAL_LATE, seed, &r);
                sum[1] += of(&r, MEASURE_PREPARATION) / seeds();
        }
        assert_true(fabs(early->mean - sum[0]) < 1e-6);
        assert_true(fabs(late->mean - sum[1]) < 1e-6);
        assert_true(fabs(early->from_late.mean - (sum[0] - sum[1])) < 1e-6);
        assert_true(fabs(early->from_late.percent - 100 * (sum[0] / sum[1] - 1)) < 1e-6);
        assert_true(early->half > 0 && early->from_late.half > 0);
        assert_true(fabs(late->from_late.mean) < 1e-9 && fabs(late->from_late.half) < 1e-9);
}

static void test_study(void **state) {
        const struct reboot_study_config config = {
                .base = trial_setting_default, .seeds = seeds(), .first_seed = 1, .vary = "rho"
        };
        struct json_tree *tree = json_tree_new();
        struct reboot_study *study = NULL;
        struct json_node *value;
        struct buf out = { 0 };
        struct err err = { 0 };

        (void)state;
        if (reboot_study_run(&config, &study, &err) < 0)
                fail_msg("%s", err.text);
        assert_int_equal(study->point_count, 6);
        assert_int_equal(study->trials, 5 * seeds() * TRIAL_ARM_COUNT); /* rho 1 is the base */
        check_numbers(study);
        reboot_study_write_text(study, &out);
        assert_int_equal(count_of(&out, "rho "), 5);
        buf_clear(&out);
        reboot_study_write_page(study, &(struct report_head){ 0 }, &out);
        assert_int_equal(count_of(&out, "<svg class=\"chart\""), STUDY_CLAIMS);
        assert_int_equal(count_of(&out, "<svg"), count_of(&out, "</svg>"));
        assert_int_equal(count_of(&out, "nan"), 0);
        assert_int_equal(count_of(&out, "conflictRate"), 0);
        assert_int_equal(count_of(&out, "e+0"), 0);
        value = reboot_study_json(study, tree);
        assert_int_equal(node_count(node_get(value, "points")), 6);
        json_tree_free(tree);
        reboot_study_free(study);
        buf_release(&out);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_measures), cmocka_unit_test(test_replay),
                cmocka_unit_test(test_window),   cmocka_unit_test(test_verdicts),
                cmocka_unit_test(test_study),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
