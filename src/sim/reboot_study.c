/* Settings, seeds and statistics of a study. */
#include "sim/reboot_study.h"

#include "base/time.h"
#include "base/util.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AT(member) offsetof(struct trial_setting, member)

/* clang-format off */
const struct study_factor study_factors[] = {
        { "rho", "blocking jobs per node", STUDY_SHARE, AT(rho), 5,
          { "0.1", "0.3", "1", "2", "3" } },
        { "fraction", "nodes that want a reboot", STUDY_SHARE, AT(fraction), 5,
          { "0.1", "0.25", "0.5", "0.75", "1" } },
        { "utilisation", "requested CPU", STUDY_SHARE, AT(utilisation), 4,
          { "0.3", "0.6", "0.8", "0.95" } },
        { "period", "between passes of an agent", STUDY_DURATION, AT(period_ns), 4,
          { "1m", "5m", "15m", "1h" } },
        { "concurrency", "nodes that may reboot at once", STUDY_COUNT, AT(concurrency), 3,
          { "1", "2", "4" } },
        { "tolerating", "jobs that tolerate the taint", STUDY_SHARE, AT(tolerating), 4,
          { "0", "0.25", "0.5", "1" } },
        { "spread", "of pods over nodes", STUDY_CHOICE, AT(spread), 3,
          { "none", "soft", "hard" } },
        { "window", "open each day", STUDY_DURATION, AT(window_ns), 4,
          { "always", "8h", "4h", "2h" } },
        { "stagger", "sentinels appear within", STUDY_DURATION, AT(stagger_ns), 3,
          { "0s", "2h", "8h" } },
        { "nodes", "in the cluster", STUDY_COUNT, AT(nodes), 4,
          { "10", "20", "50", "100" } },
        { "lifetime", "of a job, on average", STUDY_DURATION, AT(lifetime_ns), 3,
          { "5m", "20m", "1h" } },
        { "law", "of lifetimes", STUDY_CHOICE, AT(law), 2,
          { "exponential", "lognormal" } },
        { 0 },
};
/* clang-format on */

const struct study_claim study_claims[STUDY_CLAIMS] = {
        { "preparation -40 %", MEASURE_PREPARATION, -40 },
        { "conflicts -65 %", MEASURE_CONFLICTS, -65 },
        { "rolling reboot -30 %", MEASURE_ROLLING, -30 },
};

const char *study_verdict_name(enum study_verdict verdict) {
        static const char *const names[] = { "holds", "open", "fails", "moot" };

        return names[verdict];
}

enum study_verdict study_judge(const struct study_point *point, enum trial_arm arm,
                               const struct study_claim *claim) {
        const struct study_difference *d = &point->cells[arm][claim->measure].from_late;

        if (!d->has_percent)
                return VERDICT_MOOT;
        if (d->percent + d->percent_half <= claim->percent)
                return VERDICT_HOLDS;
        return d->percent - d->percent_half > claim->percent ? VERDICT_FAILS : VERDICT_OPEN;
}

/* ---- settings ---- */

/* The setting with one factor at its value of that index. */
static void set_factor(struct trial_setting *setting, const struct study_factor *factor,
                       size_t index) {
        void *member = (char *)setting + factor->offset;
        const char *value = factor->values[index];

        switch (factor->kind) {
        case STUDY_SHARE:
                *(double *)member = strtod(value, NULL);
                return;
        case STUDY_DURATION: /* "always" is 0 */
                if (!duration_parse(slice_of(value), member))
                        *(int64_t *)member = 0;
                return;
        case STUDY_COUNT:
                *(uint32_t *)member = (uint32_t)strtoul(value, NULL, 10);
                return;
        case STUDY_CHOICE:
                *(unsigned *)member = (unsigned)index;
                return;
        }
}

static bool is_same(const struct trial_setting *a, const struct trial_setting *b) {
        return a->nodes == b->nodes && a->concurrency == b->concurrency &&
               a->period_ns == b->period_ns && a->lifetime_ns == b->lifetime_ns &&
               a->window_ns == b->window_ns && a->stagger_ns == b->stagger_ns && a->law == b->law &&
               a->spread == b->spread && fabs(a->rho - b->rho) < 1e-9 &&
               fabs(a->fraction - b->fraction) < 1e-9 &&
               fabs(a->utilisation - b->utilisation) < 1e-9 &&
               fabs(a->tolerating - b->tolerating) < 1e-9;
}

static void add_point(struct reboot_study *study, const struct study_factor *factor, size_t index) {
        study->points =
                xreallocarray(study->points, study->point_count + 1, sizeof(*study->points));
        struct study_point *point = &study->points[study->point_count++];
        *point = (struct study_point){ .factor = factor,
                                       .value = factor ? factor->values[index] : "base",
                                       .setting = study->config.base };
        if (factor)
                set_factor(&point->setting, factor, index);
        point->is_base = is_same(&point->setting, &study->config.base);
}

static void add_points(struct reboot_study *study) {
        const char *vary = study->config.vary;

        add_point(study, NULL, 0);
        for (const struct study_factor *factor = study_factors; factor->name; factor++)
                for (size_t i = 0; i < factor->count; i++)
                        if (strcmp(vary, "all") == 0 || strcmp(vary, factor->name) == 0)
                                add_point(study, factor, i);
}

/* ---- statistics ---- */

/* 97.5 percent point of Student's distribution. */
static double reboot_study_student(uint32_t freedom) {
        static const double few[] = { 0, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306 };
        double f = freedom;

        return freedom < ARRAY_LEN(few) ? few[freedom] : 1.96 + 2.372 / f + 2.82 / (f * f);
}

static void reboot_study_estimate(const double *values, uint32_t count, double *ret_mean,
                                  double *ret_half) {
        double sum = 0, squares = 0;

        for (uint32_t i = 0; i < count; i++)
                sum += values[i];
        *ret_mean = sum / count;
        for (uint32_t i = 0; i < count; i++)
                squares += (values[i] - *ret_mean) * (values[i] - *ret_mean);
        *ret_half = reboot_study_student(count - 1) * sqrt(squares / (count - 1) / count);
}

/* The ratio of two means and the half width of its interval, from paired values (delta method):
 * what is left of each pair when the ratio is taken off scatters around zero. */
static void estimate_ratio(const double *values, const double *base, uint32_t count,
                           double *ret_ratio, double *ret_half) {
        double rest[STUDY_SEEDS_MAX], value_mean, base_mean, unused;

        reboot_study_estimate(values, count, &value_mean, &unused);
        reboot_study_estimate(base, count, &base_mean, &unused);
        *ret_ratio = value_mean / base_mean;
        for (uint32_t i = 0; i < count; i++)
                rest[i] = values[i] - *ret_ratio * base[i];
        reboot_study_estimate(rest, count, &unused, ret_half);
        *ret_half /= base_mean;
}

static void compare_arm(struct study_cell *cell, const double *values, const double *late,
                        uint32_t count) {
        struct study_difference *from = &cell->from_late;
        double differences[STUDY_SEEDS_MAX], late_mean, unused, ratio, half;

        for (uint32_t i = 0; i < count; i++)
                differences[i] = values[i] - late[i];
        reboot_study_estimate(values, count, &cell->mean, &cell->half);
        reboot_study_estimate(differences, count, &from->mean, &from->half);
        reboot_study_estimate(late, count, &late_mean, &unused);
        if (late_mean < 1e-9)
                return;
        estimate_ratio(values, late, count, &ratio, &half);
        from->has_percent = true;
        from->percent = 100 * (ratio - 1);
        from->percent_half = 100 * half;
}

static void reboot_study_compare(const struct reboot_study *study, struct study_point *point,
                                 const struct trial_result *results, enum trial_measure measure) {
        double values[TRIAL_ARM_COUNT][STUDY_SEEDS_MAX];
        uint32_t seeds = study->config.seeds;

        for (int arm = 0; arm < TRIAL_ARM_COUNT; arm++)
                for (uint32_t i = 0; i < seeds; i++)
                        values[arm][i] = results[(size_t)arm * seeds + i].values[measure];
        for (int arm = 0; arm < TRIAL_ARM_COUNT; arm++)
                compare_arm(&point->cells[arm][measure], values[arm], values[TRIAL_LATE], seeds);
}

static size_t trial_count(const struct reboot_study *study) {
        size_t points = 0;

        for (size_t i = 0; i < study->point_count; i++)
                points += i == 0 || !study->points[i].is_base;
        return points * TRIAL_ARM_COUNT * study->config.seeds;
}

static int run_trial(struct reboot_study *study, const struct study_point *point,
                     enum trial_arm arm, uint32_t seed, struct trial_result *ret_result,
                     struct err *err) {
        if (reboot_trial_run(&point->setting, arm, study->config.first_seed + seed, ret_result,
                             err) < 0)
                return err->code;
        study->trials++;
        if (study->config.progress)
                study->config.progress(study->config.context, study->trials, trial_count(study));
        return 0;
}

static int run_point(struct reboot_study *study, struct study_point *point,
                     struct trial_result *results, struct err *err) {
        uint32_t seeds = study->config.seeds;

        if (point != study->points && point->is_base) {
                memcpy(point->cells, study->points[0].cells, sizeof(point->cells));
                return 0;
        }
        for (int arm = 0; arm < TRIAL_ARM_COUNT; arm++)
                for (uint32_t i = 0; i < seeds; i++)
                        if (run_trial(study, point, (enum trial_arm)arm, i,
                                      &results[(size_t)arm * seeds + i], err) < 0)
                                return err->code;
        for (int measure = 0; measure < MEASURE_COUNT; measure++)
                reboot_study_compare(study, point, results, (enum trial_measure)measure);
        return 0;
}

int reboot_study_run(const struct reboot_study_config *config, struct reboot_study **ret_study,
                     struct err *err) {
        struct reboot_study *study = xcalloc(1, sizeof(*study));
        struct trial_result *results =
                xcalloc((size_t)config->seeds * TRIAL_ARM_COUNT, sizeof(*results));
        int code = 0;

        study->config = *config;
        add_points(study);
        for (size_t i = 0; i < study->point_count && code == 0; i++)
                code = run_point(study, &study->points[i], results, err);
        free(results);
        if (code < 0)
                reboot_study_free(study);
        else
                *ret_study = study;
        return code;
}

void reboot_study_free(struct reboot_study *study) {
        if (!study)
                return;
        free(study->points);
        free(study);
}
