/* A registry of metrics. */
#include "pages/metrics.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/util.h"
#include <assert.h>
#include <stdlib.h>

struct metrics_series {
        double value;              /* counters and gauges; sum of histograms */
        uint64_t count, buckets[]; /* histograms: observations, and those within each bound */
};

struct metric {
        struct metric_config config;
        size_t label_count;
        struct map *series; /* label values, each ended by a NUL */
};

struct metrics {
        size_t count, cap;
        struct metric **families; /* in order of name */
        size_t refresher_count;
        struct {
                void (*refresh)(void *context);
                void *context;
        } refreshers[METRICS_REFRESHERS_MAX];
        void (*write_more)(void *context, struct buf *out); /* NULL = nothing more */
        void *more;
};

/* ---- series ---- */

static void label_key(const struct metric *metric, const struct slice *labels, struct buf *key) {
        assert((metric->label_count == 0) == (!labels));
        for (size_t i = 0; i < metric->label_count; i++) {
                buf_slice(key, labels[i]);
                buf_char(key, '\0');
        }
}

static struct metrics_series *series_of(struct metric *metric, const struct slice *labels) {
        CLEANUP(buf_release) struct buf key = { 0 };
        struct metrics_series *series;

        label_key(metric, labels, &key);
        series = map_get(metric->series, buf_view(&key));
        if (series || map_count(metric->series) >= METRIC_SERIES_MAX)
                return series;
        series = xcalloc(1, sizeof(*series) + metric->config.bucket_count * sizeof(uint64_t));
        map_put(metric->series, buf_view(&key), series);
        return series;
}

void metric_add(struct metric *metric, const struct slice *labels, double amount) {
        struct metrics_series *series = series_of(metric, labels);

        assert(metric->config.type != METRIC_HISTOGRAM);
        assert(metric->config.type == METRIC_GAUGE || amount >= 0);
        if (series)
                series->value += amount;
}

void metric_set(struct metric *metric, const struct slice *labels, double value) {
        struct metrics_series *series = series_of(metric, labels);

        assert(metric->config.type != METRIC_HISTOGRAM);
        if (series)
                series->value = value;
}

void metric_observe(struct metric *metric, const struct slice *labels, double value,
                    uint64_t count) {
        struct metrics_series *series = series_of(metric, labels);

        assert(metric->config.type == METRIC_HISTOGRAM);
        if (!series || count == 0)
                return;
        for (size_t i = 0; i < metric->config.bucket_count; i++)
                if (value <= metric->config.buckets[i])
                        series->buckets[i] += count;
        series->count += count;
        series->value += value * (double)count;
}

void metric_buckets(double start, double factor, size_t count, double *ret_buckets) {
        for (size_t i = 0; i < count; i++, start *= factor)
                ret_buckets[i] = start;
}

/* ---- text ---- */

/* The label values of a series from its key. */
static struct metric_labels read_labels(const struct metric *metric, struct slice key,
                                        struct metric_label *items) {
        for (size_t i = 0; i < metric->label_count; i++) {
                struct slice value = slice_of(key.ptr);

                items[i] = (struct metric_label){ metric->config.labels[i], value };
                key.ptr += value.len + 1;
        }
        return (struct metric_labels){ items, metric->label_count };
}

static void write_family(const struct metric *metric, struct buf *out) {
        const struct metric_config *config = &metric->config;
        struct metric_label items[METRIC_LABELS_MAX];
        size_t at = 0;
        struct slice key;
        void *value;

        if (map_count(metric->series) == 0)
                return;
        metric_text_family(out, config->name, config->type, config->help);
        while (map_next(metric->series, &at, &key, &value)) {
                const struct metrics_series *series = value;
                struct metric_labels labels = read_labels(metric, key, items);

                if (config->type == METRIC_HISTOGRAM)
                        metric_text_histogram(
                                out, config->name, labels,
                                &(struct metric_histogram){ .bounds = config->buckets,
                                                            .buckets = series->buckets,
                                                            .bucket_count = config->bucket_count,
                                                            .sum = series->value,
                                                            .count = series->count });
                else
                        metric_text_sample(out, config->name, labels, series->value);
        }
}

const struct metric_config *metrics_family(const struct metrics *metrics, size_t index) {
        return index < metrics->count ? &metrics->families[index]->config : NULL;
}

void metrics_write(struct metrics *metrics, struct buf *out) {
        for (size_t i = 0; i < metrics->refresher_count; i++)
                metrics->refreshers[i].refresh(metrics->refreshers[i].context);
        for (size_t i = 0; i < metrics->count; i++)
                write_family(metrics->families[i], out);
        if (metrics->write_more)
                metrics->write_more(metrics->more, out);
}

/* ---- the registry ---- */

struct metrics *metrics_new(void) {
        return xcalloc(1, sizeof(struct metrics));
}

static void clear_family(struct metric *metric) {
        map_free_values(metric->series);
        metric->series = map_new();
        if (metric->label_count == 0)
                series_of(metric, NULL);
}

void metrics_reset(struct metrics *metrics) {
        for (size_t i = 0; i < metrics->count; i++)
                clear_family(metrics->families[i]);
}

void metrics_free(struct metrics *metrics) {
        if (!metrics)
                return;
        for (size_t i = 0; i < metrics->count; i++) {
                map_free_values(metrics->families[i]->series);
                free(metrics->families[i]);
        }
        free(metrics->families);
        free(metrics);
}

struct metric *metrics_add(struct metrics *metrics, const struct metric_config *config) {
        struct metric *metric = xcalloc(1, sizeof(*metric));
        size_t at = metrics->count;

        assert(config->bucket_count <= METRIC_BUCKETS_MAX);
        assert((config->type == METRIC_HISTOGRAM) == (config->bucket_count > 0));
        metric->config = *config;
        metric->series = map_new();
        while (metric->label_count < METRIC_LABELS_MAX && config->labels[metric->label_count])
                metric->label_count++;
        if (metric->label_count == 0)
                series_of(metric, NULL);
        if (metrics->count == metrics->cap) {
                metrics->cap = metrics->cap ? metrics->cap * 2 : 32;
                metrics->families =
                        xreallocarray(metrics->families, metrics->cap, sizeof(*metrics->families));
        }
        for (; at > 0 && strcmp(metrics->families[at - 1]->config.name, config->name) > 0; at--)
                metrics->families[at] = metrics->families[at - 1];
        assert(at == 0 || strcmp(metrics->families[at - 1]->config.name, config->name) != 0);
        metrics->families[at] = metric;
        metrics->count++;
        return metric;
}

void metrics_on_write(struct metrics *metrics, void (*refresh)(void *context), void *context) {
        assert(metrics->refresher_count < METRICS_REFRESHERS_MAX);
        metrics->refreshers[metrics->refresher_count].refresh = refresh;
        metrics->refreshers[metrics->refresher_count++].context = context;
}

void metrics_on_page(struct metrics *metrics, void (*write)(void *context, struct buf *out),
                     void *context) {
        assert(!metrics->write_more);
        metrics->write_more = write;
        metrics->more = context;
}
