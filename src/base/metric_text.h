/* The text format of Prometheus, 0.0.4: the one writer for every page of metrics. Values are
 * doubles as in Prometheus, whole numbers are written whole. */
#pragma once

#include "base/buf.h"
#include <stddef.h>
#include <stdint.h>

#define METRICS_CONTENT_TYPE "text/plain; version=0.0.4; charset=utf-8"

enum metric_type { METRIC_COUNTER, METRIC_GAUGE, METRIC_HISTOGRAM };

struct metric_label {
        const char *name;
        struct slice value; /* as it is: escaped when it is written */
};
struct metric_labels {
        const struct metric_label *items;
        size_t count;
};

struct metric_histogram {
        const double *bounds;    /* upper ones, ascending, no +Inf */
        const uint64_t *buckets; /* observations up to each bound */
        size_t bucket_count;
        double sum;
        uint64_t count; /* of all observations */
};

/* The head of a family; its samples follow. */
void metric_text_family(struct buf *out, const char *name, enum metric_type type, const char *help);
void metric_text_sample(struct buf *out, const char *name, struct metric_labels labels,
                        double value);
/* All lines of one histogram of the family. */
void metric_text_histogram(struct buf *out, const char *name, struct metric_labels labels,
                           const struct metric_histogram *histogram);
/* A family with one sample that has no labels. */
void metric_text_single(struct buf *out, const char *name, enum metric_type type, const char *help,
                        double value);
/* A value as it is written: 3, 0.25, +Inf, NaN. */
void metric_text_value(struct buf *out, double value);
