/* Families and samples in the text format of Prometheus. */
#include "base/metric_text.h"

#include "base/arena.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define WHOLE_MAX 9007199254740992.0 /* 2^53: whole numbers up to here are exact */

void metric_text_value(struct buf *out, double value) {
        char text[32];

        if (isnan(value)) {
                buf_text(out, "NaN");
        } else if (isinf(value)) {
                buf_text(out, value > 0 ? "+Inf" : "-Inf");
        } else if (value == floor(value) && fabs(value) < WHOLE_MAX) {
                buf_printf(out, "%lld", (long long)value);
        } else {
                /* The shortest form that reads back as the same number. */
                for (int digits = 6; digits <= 17; digits++) {
                        snprintf(text, sizeof(text), "%.*g", digits, value);
                        if (strtod(text, NULL) == value)
                                break;
                }
                buf_text(out, text);
        }
}

static void metric_text_escape(struct buf *out, struct slice text, bool is_label) {
        for (size_t i = 0; i < text.len; i++) {
                char c = text.ptr[i];

                if (c == '\\')
                        buf_text(out, "\\\\");
                else if (c == '\n')
                        buf_text(out, "\\n");
                else if (c == '"' && is_label)
                        buf_text(out, "\\\"");
                else
                        buf_char(out, c);
        }
}

static void metric_text_label(struct buf *out, const char *name, struct slice value,
                              bool is_first) {
        buf_char(out, is_first ? '{' : ',');
        buf_text(out, name);
        buf_text(out, "=\"");
        metric_text_escape(out, value, true);
        buf_char(out, '"');
}

/* name_suffix{labels,le="bound"} and a space; bound may be NULL. */
static void metric_text_head(struct buf *out, const char *name, const char *suffix,
                             struct metric_labels labels, const double *bound) {
        buf_text(out, name);
        buf_text(out, suffix);
        for (size_t i = 0; i < labels.count; i++)
                metric_text_label(out, labels.items[i].name, labels.items[i].value, i == 0);
        if (bound) {
                CLEANUP(buf_release) struct buf text = { 0 };

                metric_text_value(&text, *bound);
                metric_text_label(out, "le", buf_view(&text), labels.count == 0);
        }
        buf_text(out, labels.count || bound ? "} " : " ");
}

void metric_text_family(struct buf *out, const char *name, enum metric_type type,
                        const char *help) {
        static const char *const types[] = { [METRIC_COUNTER] = "counter",
                                             [METRIC_GAUGE] = "gauge",
                                             [METRIC_HISTOGRAM] = "histogram" };

        buf_printf(out, "# HELP %s ", name);
        metric_text_escape(out, slice_of(help), false);
        buf_printf(out, "\n# TYPE %s %s\n", name, types[type]);
}

void metric_text_sample(struct buf *out, const char *name, struct metric_labels labels,
                        double value) {
        metric_text_head(out, name, "", labels, NULL);
        metric_text_value(out, value);
        buf_char(out, '\n');
}

static void metric_text_bucket(struct buf *out, const char *name, struct metric_labels labels,
                               double bound, uint64_t count) {
        metric_text_head(out, name, "_bucket", labels, &bound);
        buf_u64(out, count);
        buf_char(out, '\n');
}

void metric_text_histogram(struct buf *out, const char *name, struct metric_labels labels,
                           const struct metric_histogram *histogram) {
        for (size_t i = 0; i < histogram->bucket_count; i++)
                metric_text_bucket(out, name, labels, histogram->bounds[i], histogram->buckets[i]);
        metric_text_bucket(out, name, labels, (double)INFINITY, histogram->count);
        metric_text_head(out, name, "_sum", labels, NULL);
        metric_text_value(out, histogram->sum);
        buf_char(out, '\n');
        metric_text_head(out, name, "_count", labels, NULL);
        buf_u64(out, histogram->count);
        buf_char(out, '\n');
}

void metric_text_single(struct buf *out, const char *name, enum metric_type type, const char *help,
                        double value) {
        metric_text_family(out, name, type, help);
        metric_text_sample(out, name, (struct metric_labels){ 0 }, value);
}
