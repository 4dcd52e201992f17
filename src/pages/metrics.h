/* Counters, gauges and histograms with labels, written in Prometheus' text format.  One thread. */
#pragma once

#include "base/metric_text.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define METRIC_LABELS_MAX 6
#define METRIC_BUCKETS_MAX 32
#define METRIC_SERIES_MAX 10000 /* of one family; what is beyond is left out */
#define METRICS_REFRESHERS_MAX 8

struct metric_config { /* all texts are static */
        const char *name, *help;
        enum metric_type type;
        const char *labels[METRIC_LABELS_MAX]; /* NULL-ended when fewer */
        const double *buckets;                 /* histograms: upper bounds, ascending, no +Inf */
        size_t bucket_count;
};

struct metrics;
struct metric; /* a family */

struct metrics *metrics_new(void);
void metrics_free(struct metrics *metrics); /* accepts NULL */
/* The family belongs to the registry.  One without labels is there from the start, with 0. */
struct metric *metrics_add(struct metrics *metrics, const struct metric_config *config);
/* In order of name; NULL beyond the last. */
const struct metric_config *metrics_family(const struct metrics *metrics, size_t index);
/* refresh runs before every writing: for values that are stored elsewhere. */
void metrics_on_write(struct metrics *metrics, void (*refresh)(void *context), void *context);
/* write appends lines of families that are stored elsewhere; they come after the registry's. */
void metrics_on_page(struct metrics *metrics, void (*write)(void *context, struct buf *out),
                     void *context);
/* Families in order of name, those without series left out; series in order of first use. */
void metrics_write(struct metrics *metrics, struct buf *out);
/* Every series of every family back to nothing. */
void metrics_reset(struct metrics *metrics);

/* labels: one value per label of the family, in its order; NULL for a family without. */
void metric_add(struct metric *metric, const struct slice *labels, double amount);
void metric_set(struct metric *metric, const struct slice *labels, double value);
/* A histogram sees the value count times. */
void metric_observe(struct metric *metric, const struct slice *labels, double value,
                    uint64_t count);
/* start, start * factor, ... */
void metric_buckets(double start, double factor, size_t count, double *ret_buckets);
