/* The page of a study: tables and, for each factor, one plot per claim. */
#include "sim/reboot_study.h"

#include "base/util.h"
#include <math.h>
#include <stdio.h>

#define PLOT_WIDTH 380.0
#define PLOT_HEIGHT 230.0
#define PLOT_LEFT 46.0
#define PLOT_RIGHT 10.0
#define PLOT_TOP 26.0
#define PLOT_BOTTOM 34.0
#define PERCENT_LOW (-100.0) /* of the plots' scale */
#define PERCENT_HIGH 60.0

static const struct arm_style {
        enum trial_arm arm;
        const char *color, *text;
} looks[] = {
        { TRIAL_NONE, "#888888", "no taint" },
        { TRIAL_EARLY, "#0b6e99", "early taint" },
        { TRIAL_AHEAD, "#7a4fb5", "early, a tenth of the nodes ahead" },
        { TRIAL_DESCHEDULE, "#b5521b", "early, with the descheduler" },
        { TRIAL_HARD, "#2b8a3e", "early, NoSchedule" },
};

static const char *arm_text(enum trial_arm arm) {
        for (size_t i = 0; i < ARRAY_LEN(looks); i++)
                if (looks[i].arm == arm)
                        return looks[i].text;
        return "kured's rule";
}

static void print_head(const struct reboot_study *study, const char *command, struct buf *out) {
        const struct trial_setting *base = &study->config.base;

        buf_text(out,
                 "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Early "
                 "taint: what it changes</title><style>body{font:15px/1.45 system-ui,sans-serif;"
                 "max-width:1240px;margin:2em auto;padding:0 1em;color:#222}table{border-collapse:"
                 "collapse;margin:1em 0}td,th{padding:.25em .7em;border-bottom:1px solid #ddd;"
                 "text-align:right}td:first-child,th:first-child{text-align:left}svg{margin:.3em;"
                 "background:#fafafa}.holds{background:#d8f0dc}.fails{background:#f7dcd6}"
                 ".open{background:#f6efcf}.moot{color:#999}code{background:#f2f2f2;padding:.1em "
                 ".3em}.key span{display:inline-block;margin-right:1.4em}.key i{display:inline-"
                 "block;width:1.6em;height:.25em;margin-right:.4em;vertical-align:middle}</style>"
                 "</head><body><h1>Early taint: what it changes</h1><p>Made by <code>");
        buf_text(out, command);
        buf_printf(out,
                   "</code>: %llu rollouts in virtual time, %u seeds for each arm, the same load "
                   "and the same boots in all arms of a seed. Intervals are 95 %% of paired "
                   "differences from kured's rule. Base: %u nodes, %.0f %% want a reboot at once, "
                   "%.3g blocking jobs per node, utilisation %.2g, one pass in %.0f s, concurrency "
                   "%u.</p>",
                   (unsigned long long)study->trials, study->config.seeds, base->nodes,
                   100 * base->fraction, base->rho, base->utilisation,
                   (double)base->period_ns / 1e9, base->concurrency);
}

/* ---- tables ---- */

static void print_table(const struct study_point *point, bool is_difference, struct buf *out) {
        buf_text(out, "<table><tr><th>measure</th>");
        for (int arm = 0; arm < TRIAL_ARM_COUNT; arm++)
                buf_printf(out, "<th>%s</th>", arm_text((enum trial_arm)arm));
        buf_text(out, "</tr>");
        for (int measure = 0; measure < MEASURE_COUNT; measure++) {
                const struct trial_measure_info *info = &trial_measures[measure];

                buf_printf(out, "<tr><td>%s%s%s: %s</td>", info->name, info->unit[0] ? ", " : "",
                           info->unit, info->help);
                for (int arm = 0; arm < TRIAL_ARM_COUNT; arm++) {
                        const struct study_cell *cell = &point->cells[arm][measure];

                        buf_printf(out, "<td>%.4g &plusmn; %.2g</td>",
                                   is_difference ? cell->from_late.mean : cell->mean,
                                   is_difference ? cell->from_late.half : cell->half);
                }
                buf_text(out, "</tr>");
        }
        buf_text(out, "</table>");
}

static void print_base(const struct reboot_study *study, struct buf *out) {
        buf_text(out, "<h2>The base setting</h2><p>Means over seeds.</p>");
        print_table(&study->points[0], false, out);
        buf_text(out, "<p>Differences from kured's rule, pair by pair.</p>");
        print_table(&study->points[0], true, out);
}

static void print_verdict(const struct study_point *point, enum trial_arm arm,
                          const struct study_claim *claim, struct buf *out) {
        const struct study_difference *d = &point->cells[arm][claim->measure].from_late;
        enum study_verdict verdict = study_judge(point, arm, claim);

        if (verdict == VERDICT_MOOT)
                buf_text(out, "<td class=\"moot\">&ndash;</td>");
        else
                buf_printf(out, "<td class=\"%s\">%+.0f %% &plusmn; %.0f</td>",
                           study_verdict_name(verdict), d->percent, d->percent_half);
}

static void print_claims(const struct reboot_study *study, struct buf *out) {
        buf_text(out, "<h2>Where the claims hold</h2><p>Changes from kured's rule by the early "
                      "taint. <span class=\"holds\">The whole interval reaches the claim</span>, "
                      "<span class=\"open\">part of it does</span>, <span class=\"fails\">none of "
                      "it does</span>.</p><table><tr><th>setting</th>");
        for (size_t i = 0; i < STUDY_CLAIMS; i++)
                buf_printf(out, "<th>%s</th>", study_claims[i].name);
        buf_text(out, "</tr>");
        for (size_t k = 0; k < study->point_count; k++) {
                const struct study_point *point = &study->points[k];

                buf_printf(out, "<tr><td>%s%s%s</td>", point->factor ? point->factor->name : "",
                           point->factor ? " " : "", point->value);
                for (size_t i = 0; i < STUDY_CLAIMS; i++)
                        print_verdict(point, TRIAL_EARLY, &study_claims[i], out);
                buf_text(out, "</tr>");
        }
        buf_text(out, "</table>");
}

/* ---- plots ---- */

static double y_of(double percent) {
        double inside = fmin(fmax(percent, PERCENT_LOW), PERCENT_HIGH);

        return PLOT_TOP + (PERCENT_HIGH - inside) / (PERCENT_HIGH - PERCENT_LOW) *
                                  (PLOT_HEIGHT - PLOT_TOP - PLOT_BOTTOM);
}

static double x_of(size_t index, size_t count) {
        double width = PLOT_WIDTH - PLOT_LEFT - PLOT_RIGHT;

        return PLOT_LEFT + width * ((double)index + 0.5) / (double)count;
}

static void print_axes(const struct study_claim *claim, const struct study_point *points,
                       size_t count, struct buf *out) {
        buf_printf(out,
                   "<svg width=\"%.0f\" height=\"%.0f\" font-size=\"11\" role=\"img\"><title>%s "
                   "over %s</title><text x=\"%.0f\" y=\"15\" font-weight=\"bold\">%s, change in "
                   "%%</text>",
                   PLOT_WIDTH, PLOT_HEIGHT, trial_measures[claim->measure].name,
                   points[0].factor->name, PLOT_LEFT, trial_measures[claim->measure].name);
        for (double percent = PERCENT_LOW; percent <= PERCENT_HIGH; percent += 20)
                buf_printf(out,
                           "<line x1=\"%.0f\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>"
                           "<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\">%.0f</text>",
                           PLOT_LEFT, PLOT_WIDTH - PLOT_RIGHT, y_of(percent), y_of(percent),
                           fabs(percent) < 1 ? "#777" : "#e2e2e2", PLOT_LEFT - 5, y_of(percent) + 4,
                           percent);
        buf_printf(out,
                   "<line x1=\"%.0f\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#c00\" "
                   "stroke-dasharray=\"5 4\"/>",
                   PLOT_LEFT, PLOT_WIDTH - PLOT_RIGHT, y_of(claim->percent), y_of(claim->percent));
        for (size_t i = 0; i < count; i++)
                buf_printf(out, "<text x=\"%.1f\" y=\"%.0f\" text-anchor=\"middle\">%s</text>",
                           x_of(i, count), PLOT_HEIGHT - 18, points[i].value);
        buf_printf(out, "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\">%s: %s</text>",
                   (PLOT_LEFT + PLOT_WIDTH) / 2, PLOT_HEIGHT - 4, points[0].factor->name,
                   points[0].factor->help);
}

static void print_line(const struct arm_style *style, enum trial_measure measure,
                       const struct study_point *points, size_t count, struct buf *out) {
        double shift = 3.0 * ((double)(style - looks) - 2);

        buf_printf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"",
                   style->color);
        for (size_t i = 0; i < count; i++)
                if (points[i].cells[style->arm][measure].from_late.has_percent)
                        buf_printf(out, "%.1f,%.1f ", x_of(i, count) + shift,
                                   y_of(points[i].cells[style->arm][measure].from_late.percent));
        buf_text(out, "\"/>");
        for (size_t i = 0; i < count; i++) {
                const struct study_difference *d = &points[i].cells[style->arm][measure].from_late;

                if (d->has_percent)
                        buf_printf(out,
                                   "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" "
                                   "stroke=\"%s\"/>",
                                   x_of(i, count) + shift, x_of(i, count) + shift,
                                   y_of(d->percent - d->percent_half),
                                   y_of(d->percent + d->percent_half), style->color);
        }
}

static void print_factor(const struct study_point *points, size_t count, struct buf *out) {
        buf_printf(out, "<h3>%s: %s</h3><div>", points[0].factor->name, points[0].factor->help);
        for (size_t i = 0; i < STUDY_CLAIMS; i++) {
                print_axes(&study_claims[i], points, count, out);
                for (size_t k = 0; k < ARRAY_LEN(looks); k++)
                        print_line(&looks[k], study_claims[i].measure, points, count, out);
                buf_text(out, "</svg>");
        }
        buf_text(out, "</div>");
}

static void print_plots(const struct reboot_study *study, struct buf *out) {
        buf_text(out, "<h2>One factor at a time</h2><p class=\"key\">");
        for (size_t i = 0; i < ARRAY_LEN(looks); i++)
                buf_printf(out, "<span><i style=\"background:%s\"></i>%s</span>", looks[i].color,
                           looks[i].text);
        buf_text(out, "<span><i style=\"background:#c00\"></i>the claim</span></p><p>Zero is "
                      "kured's rule; values beyond the scale are drawn at its edge.</p>");
        for (size_t first = 1, i = 1; i < study->point_count; i++)
                if (i + 1 == study->point_count ||
                    study->points[i + 1].factor != study->points[first].factor) {
                        print_factor(&study->points[first], i + 1 - first, out);
                        first = i + 1;
                }
}

void reboot_study_write_html(const struct reboot_study *study, const char *command,
                             struct buf *out) {
        print_head(study, command, out);
        print_base(study, out);
        print_claims(study, out);
        if (study->point_count > 1)
                print_plots(study, out);
        buf_text(out, "</body></html>\n");
}
