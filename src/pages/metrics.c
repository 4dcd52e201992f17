/* A registry of metrics and its text form. */
#include "pages/metrics.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/util.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define WHOLE_MAX 9007199254740992.0 /* 2^53: whole numbers up to here are exact */

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

void metric_format(double value, struct buf *out) {
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

static void write_escaped(struct slice text, bool is_label, struct buf *out) {
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

static void write_label(const char *name, struct slice value, bool is_first, struct buf *out) {
        buf_printf(out, "%s%s=\"", is_first ? "{" : ",", name);
        write_escaped(value, true, out);
        buf_char(out, '"');
}

/* name_suffix{labels,le="bound"} */
static void write_head(const struct metric *metric, const char *suffix, struct slice key,
                       const double *bound, struct buf *out) {
        CLEANUP(buf_release) struct buf text = { 0 };
        size_t count = metric->label_count;

        buf_printf(out, "%s%s", metric->config.name, suffix);
        for (size_t i = 0; i < count; i++) {
                struct slice value = slice_of(key.ptr);

                write_label(metric->config.labels[i], value, i == 0, out);
                key.ptr += value.len + 1;
        }
        if (bound) {
                metric_format(*bound, &text);
                write_label("le", buf_view(&text), count++ == 0, out);
        }
        buf_text(out, count ? "} " : " ");
}

static void write_histogram(const struct metric *metric, struct slice key,
                            const struct metrics_series *series, struct buf *out) {
        double all = (double)INFINITY;

        for (size_t i = 0; i < metric->config.bucket_count; i++) {
                write_head(metric, "_bucket", key, &metric->config.buckets[i], out);
                buf_u64(out, series->buckets[i]);
                buf_char(out, '\n');
        }
        write_head(metric, "_bucket", key, &all, out);
        buf_u64(out, series->count);
        buf_char(out, '\n');
        write_head(metric, "_sum", key, NULL, out);
        metric_format(series->value, out);
        buf_char(out, '\n');
        write_head(metric, "_count", key, NULL, out);
        buf_u64(out, series->count);
        buf_char(out, '\n');
}

static void write_family(const struct metric *metric, struct buf *out) {
        static const char *const types[] = { "counter", "gauge", "histogram" };
        size_t at = 0;
        struct slice key;
        void *value;

        if (map_count(metric->series) == 0)
                return;
        buf_printf(out, "# HELP %s ", metric->config.name);
        write_escaped(slice_of(metric->config.help), false, out);
        buf_printf(out, "\n# TYPE %s %s\n", metric->config.name, types[metric->config.type]);
        while (map_next(metric->series, &at, &key, &value)) {
                const struct metrics_series *series = value;

                if (metric->config.type == METRIC_HISTOGRAM) {
                        write_histogram(metric, key, series, out);
                        continue;
                }
                write_head(metric, "", key, NULL, out);
                metric_format(series->value, out);
                buf_char(out, '\n');
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
