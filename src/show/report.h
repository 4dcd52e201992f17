/* A report as one HTML file that needs nothing else: no script, no link, and a policy that says so.
 * It is made of components, all in the look of the live page (ui/style.css, ui/report.css); every
 * text is escaped here. */
#pragma once

#include "base/buf.h"
#include <stdbool.h>

struct report { /* zeroed but for out */
        struct buf *out;
        const char *const *heads; /* of the open table */
        size_t column;
};

enum report_tone { REPORT_CALM, REPORT_GOOD, REPORT_WARN, REPORT_BAD };

struct report_fact {
        const char *label;
        struct slice value; /* empty = left out */
};
struct report_head {
        const char *title;     /* berth plan */
        struct slice headline; /* the answer in one line */
        struct slice detail;   /* what else one must know at once; empty = nothing */
        enum report_tone tone;
        const struct report_fact *facts;
        size_t fact_count;
};
void report_begin(struct report *report, const struct report_head *head);
void report_end(struct report *report);

/* note: or NULL */
void report_section(struct report *report, const char *title, const char *note);
void report_paragraph(struct report *report, struct slice text); /* a paragraph */

/* The figures that stand above everything. */
struct report_figure {
        const char *label;
        struct slice value, note; /* note: or empty */
        enum report_tone tone;    /* of the note */
        bool has_share;
        double before, share; /* gauge below it; before < 0 = none */
};
void report_figures(struct report *report, const struct report_figure *figures, size_t count);

/* What is folded away until it is asked for. */
void report_fold(struct report *report, struct slice title, size_t count, bool is_open);
void report_fold_end(struct report *report);

/* heads: NULL-ended; one that starts with # is of numbers, with = of bars.  Cells come in order,
 * and rows begin by themselves. */
void report_table(struct report *report, const char *const *heads);
void report_table_end(struct report *report);
void report_cell(struct report *report, struct slice text);
void report_strong(struct report *report, struct slice text, enum report_tone tone);
void report_count(struct report *report, int64_t value);
void report_measure(struct report *report, double value);
/* A share of what can be had, 1 = all of it, before (< 0 = not compared) and after in one bar. */
void report_bar(struct report *report, double before, double after);
/* "and 3,400 more", with where they are. */
void report_more(struct report *report, size_t count, const char *where);

/* How many nodes are how full, before (NULL = not compared) and after. */
#define REPORT_BINS 11 /* tenths, and beyond 100 % */
struct report_bins {
        size_t counts[REPORT_BINS];
};
void report_bins_add(struct report_bins *bins, double share);
void report_histogram(struct report *report, const char *title, const struct report_bins *before,
                      const struct report_bins *after);

/* Lines with bands over a few places. */
#define REPORT_SERIES_MAX 6
#define REPORT_POINTS_MAX 8
struct report_point {
        bool is_there;
        double value, half; /* the band is value - half to value + half */
};
struct report_series {
        const char *name;
        struct report_point points[REPORT_POINTS_MAX];
};
struct report_chart {
        const char *title, *place_title, *unit; /* unit: of values, "%" */
        size_t place_count, series_count;
        const char *const *places;
        const struct report_series *series;
        bool has_mark;
        double mark;      /* a line of its own: what was claimed */
        double low, high; /* the scale never goes beyond; it is smaller where values are */
};
void report_chart(struct report *report, const struct report_chart *chart);
/* What the lines of all charts stand for. */
void report_legend(struct report *report, const struct report_series *series, size_t count,
                   const char *mark);

/* Appends text of others so that it is text in HTML, too. */
void report_escape(struct buf *out, struct slice text);
