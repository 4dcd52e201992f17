/* Many trials: every arm over the same seeds, at a base setting and with one factor of it varied at
 * a time; means, and paired differences with their 95 percent intervals. */
#pragma once

#include "api/json.h"
#include "base/buf.h"
#include "sim/reboot_trial.h"
#include <stdbool.h>
#include <stddef.h>

#define STUDY_VALUES_MAX 5
#define STUDY_SEEDS_MAX 1000

enum study_kind { STUDY_SHARE, STUDY_DURATION, STUDY_COUNT, STUDY_CHOICE };

struct report_head;

struct study_factor {
        const char *name, *help;
        enum study_kind kind; /* double, int64_t, uint32_t, or an enum in the order of values */
        size_t offset;        /* in the setting */
        size_t count;
        const char *values[STUDY_VALUES_MAX];
};
extern const struct study_factor study_factors[]; /* ends with a NULL name */

struct reboot_study_config {
        struct trial_setting base;
        uint32_t seeds; /* at least two */
        uint64_t first_seed;
        const char *vary; /* name of a factor; "all", "none" */
        void (*progress)(void *context, size_t done, size_t trials); /* may be NULL */
        void *context;
};

struct study_difference {             /* of an arm from kured's rule, pair by pair */
        double mean, half;            /* the interval is mean - half to mean + half */
        bool has_percent;             /* false: kured's rule measured nothing to compare with */
        double percent, percent_half; /* of the mean under kured's rule */
};
struct study_cell {
        double mean, half; /* over seeds */
        struct study_difference from_late;
};
struct study_point {
        const struct study_factor *factor; /* NULL = the base setting */
        const char *value;
        bool is_base;
        struct trial_setting setting;
        struct study_cell cells[TRIAL_ARM_COUNT][MEASURE_COUNT];
};

/* What was published of the early taint, one site, one week, no method. */
struct study_claim {
        const char *name;
        enum trial_measure measure;
        double percent;
};
#define STUDY_CLAIMS 3
extern const struct study_claim study_claims[STUDY_CLAIMS];
enum study_verdict { VERDICT_HOLDS, VERDICT_OPEN, VERDICT_FAILS, VERDICT_MOOT };
/* Holds when the whole interval reaches the claim, fails when none of it does. */
enum study_verdict study_judge(const struct study_point *point, enum trial_arm arm,
                               const struct study_claim *claim);
const char *study_verdict_name(enum study_verdict verdict);

struct reboot_study {
        struct reboot_study_config config;
        size_t point_count;
        struct study_point *points; /* the base first */
        uint64_t trials;
};

int reboot_study_run(const struct reboot_study_config *config, struct reboot_study **ret_study,
                     struct err *err);
void reboot_study_free(struct reboot_study *study); /* accepts NULL */

void reboot_study_write_text(const struct reboot_study *study, struct buf *out);
struct json_node *reboot_study_json(const struct reboot_study *study, struct json_tree *tree);
/* A report with tables and charts; head gives its facts. */
void reboot_study_write_page(const struct reboot_study *study, const struct report_head *head,
                             struct buf *out);
