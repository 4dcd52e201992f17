/* Histograms of nodes and lines with bands, as SVG without styles of its own. */
#include "show/report.h"

#include "base/arena.h"
#include "base/util.h"
#include "show/amount.h"
#include <math.h>

/* ---- histograms ---- */

#define BIN_WIDTH 30.0
#define BIN_HEIGHT 90.0
#define BIN_TOP 16.0
#define BIN_LEFT 4.0

void report_bins_add(struct report_bins *bins, double share) {
        size_t bin = share > 1 ? REPORT_BINS - 1 : share < 0 ? 0 : (size_t)(share * 10);

        if (share <= 1 && bin > 9)
                bin = 9;
        bins->counts[bin]++;
}

static size_t most_of(const struct report_bins *bins, size_t most) {
        for (size_t i = 0; bins && i < REPORT_BINS; i++)
                most = bins->counts[i] > most ? bins->counts[i] : most;
        return most;
}

static double bin_height(size_t count, size_t most) {
        return most ? BIN_HEIGHT * (double)count / (double)most : 0;
}

static void put_bin(struct buf *out, size_t bin, const struct report_bins *before,
                    const struct report_bins *after, size_t most) {
        double x = BIN_LEFT + BIN_WIDTH * (double)bin;
        double height = bin_height(after->counts[bin], most);

        buf_printf(out, "<rect class=\"%s\" x=\"%.4g\" y=\"%.4g\" width=\"%.4g\" height=\"%.4g\"/>",
                   bin == REPORT_BINS - 1 ? "o" : "f", x + 2, BIN_TOP + BIN_HEIGHT - height,
                   BIN_WIDTH - 4, height);
        if (before && before->counts[bin] != after->counts[bin])
                buf_printf(out, "<path class=\"w\" d=\"M%.4g %.4gh%.4g\"/>", x,
                           BIN_TOP + BIN_HEIGHT - bin_height(before->counts[bin], most), BIN_WIDTH);
        if (after->counts[bin]) {
                buf_printf(out, "<text x=\"%.4g\" y=\"%.4g\">", x + BIN_WIDTH / 2,
                           BIN_TOP + BIN_HEIGHT - height - 3);
                amount_count(out, (int64_t)after->counts[bin]);
                buf_text(out, "</text>");
        }
        if (bin == REPORT_BINS - 1)
                buf_printf(out, "<text x=\"%.4g\" y=\"%.4g\">over</text>", x + BIN_WIDTH / 2 + 7,
                           BIN_TOP + BIN_HEIGHT + 13);
        buf_printf(out, "<text x=\"%.4g\" y=\"%.4g\">%zu</text>", x, BIN_TOP + BIN_HEIGHT + 13,
                   bin * 10);
}

void report_histogram(struct report *report, const char *title, const struct report_bins *before,
                      const struct report_bins *after) {
        struct buf *out = report->out;
        size_t most = most_of(after, most_of(before, 0));

        buf_text(out, "<figure><figcaption>");
        report_escape(out, slice_of(title));
        buf_printf(out,
                   "</figcaption><svg class=\"bins\" viewBox=\"0 0 %g %g\" role=\"img\" "
                   "aria-label=\"",
                   3 * BIN_LEFT + BIN_WIDTH * REPORT_BINS, BIN_TOP + BIN_HEIGHT + 18);
        report_escape(out, slice_of(title));
        buf_text(out, "\">");
        for (size_t i = 0; i < REPORT_BINS; i++)
                put_bin(out, i, before, after, most);
        buf_text(out, "</svg></figure>\n");
}

/* ---- lines with bands ---- */

#define CHART_WIDTH 340.0
#define CHART_HEIGHT 220.0
#define CHART_LEFT 44.0
#define CHART_RIGHT 10.0
#define CHART_TOP 14.0
#define CHART_BOTTOM 40.0

struct chart_scale {
        double low, high, step;
        size_t places;
};

static double y_of(const struct chart_scale *scale, double value) {
        double inside = fmin(fmax(value, scale->low), scale->high);

        return CHART_TOP + (scale->high - inside) / (scale->high - scale->low) *
                                   (CHART_HEIGHT - CHART_TOP - CHART_BOTTOM);
}

static double x_of(const struct chart_scale *scale, size_t place) {
        double width = CHART_WIDTH - CHART_LEFT - CHART_RIGHT;

        return CHART_LEFT + width * ((double)place + 0.5) / (double)scale->places;
}

static double step_of(double range) {
        static const double steps[] = { 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000 };
        size_t at = 0;

        while (at + 1 < ARRAY_LEN(steps) && range / steps[at] > 6)
                at++;
        return steps[at];
}

/* As small as what is drawn, with zero and the mark in it, and never beyond the chart's own ends.
 */
static struct chart_scale scale_of(const struct report_chart *chart) {
        double low = fmin(0, chart->has_mark ? chart->mark : 0);
        double high = fmax(0, chart->has_mark ? chart->mark : 0);

        for (size_t k = 0; k < chart->series_count; k++)
                for (size_t i = 0; i < chart->place_count; i++) {
                        const struct report_point *point = &chart->series[k].points[i];

                        if (!point->is_there)
                                continue;
                        low = fmin(low, point->value - point->half);
                        high = fmax(high, point->value + point->half);
                }
        low = fmax(low, chart->low);
        high = fmin(high, chart->high);
        double step = step_of(high - low > 1 ? high - low : 1);

        return (struct chart_scale){ .low = floor(low / step) * step,
                                     .high = fmax(ceil(high / step), floor(low / step) + 1) * step,
                                     .step = step,
                                     .places = chart->place_count };
}

static void put_grid(struct buf *out, const struct report_chart *chart,
                     const struct chart_scale *scale) {
        for (double value = scale->low; value <= scale->high + scale->step / 2;
             value += scale->step) {
                buf_printf(out,
                           "<path class=\"%s\" d=\"M%g %.4gH%g\"/><text class=\"y\" x=\"%g\" "
                           "y=\"%.4g\">",
                           fabs(value) < scale->step / 2 ? "zero" : "grid", CHART_LEFT,
                           y_of(scale, value), CHART_WIDTH - CHART_RIGHT, CHART_LEFT - 6,
                           y_of(scale, value) + 4);
                amount_measure(out, value);
                buf_text(out, "</text>");
        }
        for (size_t i = 0; i < chart->place_count; i++) {
                buf_printf(out, "<text x=\"%.4g\" y=\"%g\">", x_of(scale, i), CHART_HEIGHT - 24);
                report_escape(out, slice_of(chart->places[i]));
                buf_text(out, "</text>");
        }
        buf_printf(out, "<text class=\"of\" x=\"%g\" y=\"%g\">%s</text>",
                   (CHART_LEFT + CHART_WIDTH) / 2, CHART_HEIGHT - 6, chart->place_title);
        if (chart->has_mark)
                buf_printf(out, "<path class=\"claim\" d=\"M%g %.4gH%g\"/>", CHART_LEFT,
                           y_of(scale, chart->mark), CHART_WIDTH - CHART_RIGHT);
}

/* Series stand beside each other, so that none hides another's band. */
static double shifted_x(const struct report_chart *chart, const struct chart_scale *scale,
                        size_t series, size_t place) {
        return x_of(scale, place) + 5.0 * ((double)series - ((double)chart->series_count - 1) / 2);
}

/* A triangle at the edge behind which the band goes on. */
static void put_clip(struct buf *out, const struct chart_scale *scale, double x, double from,
                     double to) {
        if (to > scale->high + scale->step / 1e6)
                buf_printf(out, "<path class=\"clip\" d=\"M%.4g %gl4 6h-8z\"/>", x, CHART_TOP - 8);
        if (from < scale->low - scale->step / 1e6)
                buf_printf(out, "<path class=\"clip\" d=\"M%.4g %gl4-6h-8z\"/>", x,
                           CHART_HEIGHT - CHART_BOTTOM + 8);
}

static void put_point(struct buf *out, const struct report_chart *chart,
                      const struct chart_scale *scale, size_t series, size_t place) {
        const struct report_point *point = &chart->series[series].points[place];
        double x = shifted_x(chart, scale, series, place);
        double from = point->value - point->half, to = point->value + point->half;

        buf_text(out, "<g><title>");
        report_escape(out, slice_of(chart->series[series].name));
        buf_text(out, ", ");
        report_escape(out, slice_of(chart->places[place]));
        buf_text(out, ": ");
        amount_measure(out, point->value);
        buf_text(out, ", from ");
        amount_measure(out, from);
        buf_text(out, " to ");
        amount_measure(out, to);
        buf_printf(out, "</title><path class=\"band\" d=\"M%.4g %.4gV%.4g\"/>", x,
                   y_of(scale, from), y_of(scale, to));
        if (point->value <= scale->high && point->value >= scale->low)
                buf_printf(out, "<circle cx=\"%.4g\" cy=\"%.4g\" r=\"2.6\"/>", x,
                           y_of(scale, point->value));
        put_clip(out, scale, x, from, to);
        buf_text(out, "</g>");
}

static void put_series(struct buf *out, const struct report_chart *chart,
                       const struct chart_scale *scale, size_t series) {
        bool is_first = true;

        buf_printf(out, "<g class=\"s%zu\"><path class=\"line\" d=\"", series);
        for (size_t i = 0; i < chart->place_count; i++) {
                const struct report_point *point = &chart->series[series].points[i];

                if (!point->is_there)
                        continue;
                buf_printf(out, "%c%.4g %.4g", is_first ? 'M' : 'L',
                           shifted_x(chart, scale, series, i), y_of(scale, point->value));
                is_first = false;
        }
        buf_text(out, "\"/>");
        for (size_t i = 0; i < chart->place_count; i++)
                if (chart->series[series].points[i].is_there)
                        put_point(out, chart, scale, series, i);
        buf_text(out, "</g>");
}

void report_chart(struct report *report, const struct report_chart *chart) {
        const struct chart_scale scale = scale_of(chart);
        struct buf *out = report->out;

        buf_printf(out,
                   "<figure><figcaption>%s, %s</figcaption><svg class=\"chart\" viewBox=\"0 0 %g "
                   "%g\" role=\"img\" aria-label=\"%s\">",
                   chart->title, chart->unit, CHART_WIDTH, CHART_HEIGHT, chart->title);
        put_grid(out, chart, &scale);
        for (size_t i = 0; i < chart->series_count; i++)
                put_series(out, chart, &scale, i);
        buf_text(out, "</svg></figure>\n");
}

void report_legend(struct report *report, const struct report_series *series, size_t count,
                   const char *mark) {
        buf_text(report->out, "<ul class=\"keys\">");
        for (size_t i = 0; i < count; i++)
                buf_printf(report->out,
                           "<li><svg viewBox=\"0 0 20 8\"><g class=\"s%zu\"><path class=\"line\" "
                           "d=\"M0 4h20\"/></g></svg>%s</li>",
                           i, series[i].name);
        if (mark)
                buf_printf(report->out,
                           "<li><svg viewBox=\"0 0 20 8\"><path class=\"claim\" d=\"M0 4h20\"/>"
                           "</svg>%s</li>",
                           mark);
        buf_text(report->out, "</ul>\n");
}
