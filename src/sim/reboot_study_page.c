/* The page of a study: what the early taint changes, where the claims hold, and one chart for each
 * factor and claim. */
#include "sim/reboot_study.h"

#include "base/arena.h"
#include "base/util.h"
#include "show/amount.h"
#include "show/report.h"
#include <math.h>
#include <stdio.h>

#define PERCENT_LOW (-100.0) /* of charts: a change cannot be less */
#define PERCENT_HIGH 100.0

/* In the order of the charts' colours. */
static const struct {
        enum trial_arm arm;
        const char *text;
} arms[] = {
        { TRIAL_NONE, "no taint" },
        { TRIAL_EARLY, "early taint" },
        { TRIAL_AHEAD, "early, a tenth of the nodes ahead" },
        { TRIAL_DESCHEDULE, "early, with the descheduler" },
        { TRIAL_HARD, "early, NoSchedule" },
};

/* What people call the measures. */
static const char *const measure_labels[MEASURE_COUNT] = {
        [MEASURE_PREPARATION] = "Preparation of a reboot",
        [MEASURE_BLOCKED] = "Blocked by pods",
        [MEASURE_LOCK_WAIT] = "Waiting for the lock",
        [MEASURE_DRAIN] = "Drain",
        [MEASURE_CONFLICTS] = "Conflicts",
        [MEASURE_CONFLICT_RATE] = "Share of conflicts",
        [MEASURE_ROLLING] = "Rolling reboot of all",
        [MEASURE_LEAD] = "Lead of the taint",
        [MEASURE_MOVES] = "Moves",
        [MEASURE_PENDING] = "Time that pods wait",
        [MEASURE_IMBALANCE] = "Imbalance",
        [MEASURE_WRITES] = "Writes",
        [MEASURE_UNFINISHED] = "Unfinished",
};

static const char *arm_text(enum trial_arm arm) {
        for (size_t i = 0; i < ARRAY_LEN(arms); i++)
                if (arms[i].arm == arm)
                        return arms[i].text;
        return "kured's rule";
}

/* ---- head ---- */

static const struct study_difference *base_difference(const struct reboot_study *study,
                                                      const struct study_claim *claim) {
        return &study->points[0].cells[TRIAL_EARLY][claim->measure].from_late;
}

static void write_change(struct buf *out, const struct study_difference *difference) {
        buf_text(out, difference->percent > 0 ? "+" : "");
        amount_measure(out, round(difference->percent));
        buf_text(out, " % \xc2\xb1 ");
        amount_measure(out, round(difference->percent_half));
}

static void write_head(const struct reboot_study *study, const struct report_head *head,
                       struct report *report) {
        const struct study_difference *preparation = base_difference(study, &study_claims[0]);
        const struct trial_setting *base = &study->config.base;
        CLEANUP(buf_release) struct buf line = { 0 };
        CLEANUP(buf_release) struct buf detail = { 0 };
        struct report_head own = *head;

        if (preparation->has_percent) {
                buf_text(&line, "The early taint changes the time to prepare a reboot by ");
                write_change(&line, preparation);
                buf_text(&line, " points");
        } else {
                buf_text(&line, "Early taint: what it changes");
        }
        amount_many(&detail, (int64_t)study->trials, "rollout");
        buf_text(&detail, " in virtual time, ");
        amount_many(&detail, study->config.seeds, "seed");
        buf_printf(&detail,
                   " for each variant, the same load and the same boots in all variants of a seed. "
                   "Intervals are 95 %% of paired differences from kured's rule. Base: %u nodes, "
                   "%.0f %% want a reboot at once, ",
                   base->nodes, 100 * base->fraction);
        amount_measure(&detail, base->rho);
        buf_printf(&detail, " blocking jobs a node, %.0f %% of cpu requested, one pass in ",
                   100 * base->utilisation);
        amount_span(&detail, base->period_ns / 1000000000);
        buf_printf(&detail, ", %u at once.", base->concurrency);
        own.title = "berth simulate reboot";
        own.headline = buf_view(&line);
        own.detail = buf_view(&detail);
        report_begin(report, &own);
}

static void write_figures(const struct reboot_study *study, struct report *report) {
        static const char *const verdicts[] = { "reaches", "may reach", "is short of", "" };
        static const enum report_tone tones[] = { REPORT_GOOD, REPORT_WARN, REPORT_BAD,
                                                  REPORT_CALM };
        struct report_figure figures[STUDY_CLAIMS] = { 0 };
        struct buf values[STUDY_CLAIMS] = { 0 }, notes[STUDY_CLAIMS] = { 0 };

        for (size_t i = 0; i < STUDY_CLAIMS; i++) {
                const struct study_claim *claim = &study_claims[i];
                const struct study_difference *difference = base_difference(study, claim);
                enum study_verdict verdict = study_judge(&study->points[0], TRIAL_EARLY, claim);

                if (difference->has_percent)
                        write_change(&values[i], difference);
                else
                        buf_text(&values[i], "\xe2\x80\x93");
                if (verdict == VERDICT_MOOT)
                        buf_text(&notes[i], "nothing to compare with");
                else
                        buf_printf(&notes[i], "%s the claim of %.0f %%", verdicts[verdict],
                                   claim->percent);
                figures[i] = (struct report_figure){ .label = measure_labels[claim->measure],
                                                     .value = buf_view(&values[i]),
                                                     .note = buf_view(&notes[i]),
                                                     .tone = tones[verdict] };
        }
        report_figures(report, figures, STUDY_CLAIMS);
        for (size_t i = 0; i < STUDY_CLAIMS; i++) {
                buf_release(&values[i]);
                buf_release(&notes[i]);
        }
}

/* ---- tables ---- */

static void write_measures(const struct study_point *point, bool is_difference,
                           struct report *report) {
        const char *heads[TRIAL_ARM_COUNT + 2] = { "Measure" };
        char texts[TRIAL_ARM_COUNT][64];

        for (int arm = 0; arm < TRIAL_ARM_COUNT; arm++) {
                snprintf(texts[arm], sizeof(texts[arm]), "#%s", arm_text((enum trial_arm)arm));
                heads[arm + 1] = texts[arm];
        }
        report_table(report, heads);
        for (int measure = 0; measure < MEASURE_COUNT; measure++) {
                const struct trial_measure_info *info = &trial_measures[measure];
                CLEANUP(buf_release) struct buf text = { 0 };

                buf_printf(&text, "%s%s%s: %s", measure_labels[measure], info->unit[0] ? ", " : "",
                           info->unit, info->help);
                report_cell(report, buf_view(&text));
                for (int arm = 0; arm < TRIAL_ARM_COUNT; arm++) {
                        const struct study_cell *cell = &point->cells[arm][measure];

                        buf_clear(&text);
                        amount_measure(&text, is_difference ? cell->from_late.mean : cell->mean);
                        buf_text(&text, " \xc2\xb1 ");
                        amount_measure(&text, is_difference ? cell->from_late.half : cell->half);
                        report_cell(report, buf_view(&text));
                }
        }
        report_table_end(report);
}

static void write_base(const struct reboot_study *study, struct report *report) {
        report_section(report, "All measures at the base setting", NULL);
        report_fold(report, SLICE_LITERAL("Means over seeds"), MEASURE_COUNT, false);
        write_measures(&study->points[0], false, report);
        report_fold_end(report);
        report_fold(report, SLICE_LITERAL("Differences from kured's rule, pair by pair"),
                    MEASURE_COUNT, false);
        write_measures(&study->points[0], true, report);
        report_fold_end(report);
}

static void write_verdict(const struct study_point *point, const struct study_claim *claim,
                          struct report *report) {
        static const enum report_tone tones[] = { REPORT_GOOD, REPORT_WARN, REPORT_BAD,
                                                  REPORT_CALM };
        static const char *const words[] = { " yes", " perhaps", " no", "" };
        const struct study_difference *difference =
                &point->cells[TRIAL_EARLY][claim->measure].from_late;
        enum study_verdict verdict = study_judge(point, TRIAL_EARLY, claim);
        CLEANUP(buf_release) struct buf text = { 0 };

        if (verdict == VERDICT_MOOT)
                buf_text(&text, "\xe2\x80\x93");
        else
                write_change(&text, difference);
        buf_text(&text, words[verdict]);
        report_strong(report, buf_view(&text), tones[verdict]);
}

static void write_claims(const struct reboot_study *study, struct report *report) {
        const char *heads[STUDY_CLAIMS + 2] = { "Setting" };
        char texts[STUDY_CLAIMS][64];

        for (size_t i = 0; i < STUDY_CLAIMS; i++) {
                snprintf(texts[i], sizeof(texts[i]), "#Claim: %s", study_claims[i].name);
                heads[i + 1] = texts[i];
        }
        report_section(report, "Where the claims hold",
                       "Changes from kured's rule by the early taint. Yes: the whole interval "
                       "reaches the claim; perhaps: part of it does; no: none of it does.");
        report_table(report, heads);
        for (size_t k = 0; k < study->point_count; k++) {
                const struct study_point *point = &study->points[k];
                CLEANUP(buf_release) struct buf name = { 0 };

                if (point->factor)
                        buf_printf(&name, "%s, %s: ", point->factor->name, point->factor->help);
                buf_text(&name, point->value);
                report_cell(report, buf_view(&name));
                for (size_t i = 0; i < STUDY_CLAIMS; i++)
                        write_verdict(point, &study_claims[i], report);
        }
        report_table_end(report);
}

/* ---- charts ---- */

static void fill_series(const struct study_point *points, size_t count, enum trial_measure measure,
                        struct report_series *series) {
        for (size_t k = 0; k < ARRAY_LEN(arms); k++) {
                series[k] = (struct report_series){ .name = arms[k].text };
                for (size_t i = 0; i < count && i < REPORT_POINTS_MAX; i++) {
                        const struct study_difference *difference =
                                &points[i].cells[arms[k].arm][measure].from_late;

                        series[k].points[i] =
                                (struct report_point){ .is_there = difference->has_percent,
                                                       .value = difference->percent,
                                                       .half = difference->percent_half };
                }
        }
}

static void write_factor(const struct study_point *points, size_t count, struct report *report) {
        const char *places[REPORT_POINTS_MAX];
        CLEANUP(buf_release) struct buf title = { 0 };

        buf_printf(&title, "%s: %s", points[0].factor->name, points[0].factor->help);
        for (size_t i = 0; i < count && i < REPORT_POINTS_MAX; i++)
                places[i] = points[i].value;
        buf_text(report->out, "<h3>");
        report_escape(report->out, buf_view(&title));
        buf_text(report->out, "</h3>\n<div class=\"charts\">");
        for (size_t i = 0; i < STUDY_CLAIMS; i++) {
                const struct study_claim *claim = &study_claims[i];
                struct report_series series[ARRAY_LEN(arms)];

                fill_series(points, count, claim->measure, series);
                report_chart(report,
                             &(struct report_chart){ .title = measure_labels[claim->measure],
                                                     .place_title = points[0].factor->help,
                                                     .unit = "change in %",
                                                     .place_count = count,
                                                     .series_count = ARRAY_LEN(arms),
                                                     .places = places,
                                                     .series = series,
                                                     .has_mark = true,
                                                     .mark = claim->percent,
                                                     .low = PERCENT_LOW,
                                                     .high = PERCENT_HIGH });
        }
        buf_text(report->out, "</div>\n");
}

static void write_charts(const struct reboot_study *study, struct report *report) {
        struct report_series series[ARRAY_LEN(arms)];

        report_section(
                report, "One factor at a time",
                "Zero is kured's rule. A band is the 95 % interval over the seeds; a triangle "
                "at the edge says that it goes on beyond the scale.");
        fill_series(&study->points[0], 0, MEASURE_PREPARATION, series);
        report_legend(report, series, ARRAY_LEN(arms), "what was claimed");
        for (size_t first = 1, i = 1; i < study->point_count; i++)
                if (i + 1 == study->point_count ||
                    study->points[i + 1].factor != study->points[first].factor) {
                        write_factor(&study->points[first], i + 1 - first, report);
                        first = i + 1;
                }
}

void reboot_study_write_page(const struct reboot_study *study, const struct report_head *head,
                             struct buf *out) {
        struct report report = { .out = out };

        write_head(study, head, &report);
        write_figures(study, &report);
        write_claims(study, &report);
        if (study->point_count > 1)
                write_charts(study, &report);
        write_base(study, &report);
        report_end(&report);
}
