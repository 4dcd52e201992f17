/* Usage from recorded metrics objects. */
#include "desched/recorded_usage.h"
#include "api/quantity.h"
#include "base/map.h"
#include "base/util.h"
#include "config/descheduler_policy.h"
#include <stdlib.h>

struct measured { /* one node or pod */
        int64_t cpu_milli, count_bytes;
        bool has_cpu, has_memory;
};

struct recorded_usage {
        struct desched_usage source;
        struct arena arena;
        struct map *nodes; /* name -> struct measured */
        struct map *pods;  /* namespace/name -> struct measured */
        size_t sample_count;
        struct usage_sample *samples;
};

/* ---- asking ---- */

static bool recorded_usage_pick(const struct measured *measured, struct slice resource,
                                int64_t *ret_amount) {
        if (!measured)
                return false;
        if (measured->has_cpu && slice_is(resource, "cpu"))
                *ret_amount = measured->cpu_milli;
        else if (measured->has_memory && slice_is(resource, "memory"))
                *ret_amount = measured->count_bytes;
        else
                return false;
        return true;
}

static bool ask_node(void *context, struct slice node, struct slice resource, int64_t *ret_amount) {
        const struct recorded_usage *usage = context;
        return recorded_usage_pick(map_get(usage->nodes, node), resource, ret_amount);
}

static void write_key(struct buf *key, struct slice ns, struct slice name) {
        buf_printf(key, SLICE_FMT "/" SLICE_FMT, SLICE_ARG(ns), SLICE_ARG(name));
}

static bool ask_pod(void *context, struct slice ns, struct slice name, struct slice resource,
                    int64_t *ret_amount) {
        const struct recorded_usage *usage = context;
        struct buf key = { 0 };
        write_key(&key, ns, name);
        bool is_known =
                recorded_usage_pick(map_get(usage->pods, buf_view(&key)), resource, ret_amount);
        buf_release(&key);
        return is_known;
}

static int ask_query(void *context, struct slice query, const struct usage_sample **ret_samples,
                     size_t *ret_count, struct err *err) {
        (void)query;
        (void)err;
        const struct recorded_usage *usage = context;
        *ret_samples = usage->samples;
        *ret_count = usage->sample_count;
        return 0;
}

/* ---- taking ---- */

/* Sum of one resource over usage maps, rounded up once, in the end. */
static int sum_resource(const struct json *const *maps, size_t count, const char *resource,
                        struct buf *total, struct err *err) {
        for (size_t i = 0; i < count; i++) {
                struct slice text = json_get_text(maps[i], resource);
                struct buf sum = { 0 };
                if (text.len == 0)
                        continue;
                int code = total->len == 0 ? (buf_slice(&sum, text), 0)
                                           : quantity_sum(buf_view(total), text, false, &sum, err);
                buf_release(total);
                *total = sum;
                if (code < 0)
                        return code;
        }
        return 0;
}

static int recorded_usage_measure(const struct json *const *maps, size_t count,
                                  struct measured *measured, struct err *err) {
        struct buf cpu = { 0 }, memory = { 0 };
        int code = sum_resource(maps, count, "cpu", &cpu, err);
        if (code == 0)
                code = sum_resource(maps, count, "memory", &memory, err);
        measured->has_cpu = cpu.len > 0;
        measured->has_memory = memory.len > 0;
        if (code == 0 && measured->has_cpu)
                code = quantity_milli(buf_view(&cpu), &measured->cpu_milli, err);
        if (code == 0 && measured->has_memory)
                code = quantity_value(buf_view(&memory), &measured->count_bytes, err);
        buf_release(&cpu);
        buf_release(&memory);
        return code;
}

static int take_node(struct recorded_usage *usage, const struct json *object, struct err *err) {
        struct measured *measured = ARENA_NEW(&usage->arena, struct measured);
        const struct json *map = json_get(object, "usage");
        map_put(usage->nodes, json_get_text(json_get(object, "metadata"), "name"), measured);
        return recorded_usage_measure(&map, 1, measured, err);
}

static int take_pod(struct recorded_usage *usage, const struct json *object, struct err *err) {
        struct measured *measured = ARENA_NEW(&usage->arena, struct measured);
        const struct json *metadata = json_get(object, "metadata");
        const struct json *containers = json_get(object, "containers"), *container;
        const struct json **maps =
                ARENA_ARRAY(&usage->arena, const struct json *, json_count(containers));
        struct json_iter iter = json_iter(containers);
        size_t count = 0;
        while (json_next(&iter, NULL, &container))
                maps[count++] = json_get(container, "usage");
        struct buf key = { 0 };
        write_key(&key, json_get_text(metadata, "namespace"), json_get_text(metadata, "name"));
        map_put(usage->pods, buf_view(&key), measured);
        buf_release(&key);
        return recorded_usage_measure(maps, count, measured, err);
}

static int take_samples(struct recorded_usage *usage, const struct json *object, struct err *err) {
        const struct json *samples = json_get(object, "samples"), *sample;
        usage->samples = ARENA_ARRAY(&usage->arena, struct usage_sample, json_count(samples));
        struct json_iter iter = json_iter(samples);
        while (json_next(&iter, NULL, &sample)) {
                struct usage_sample *one = &usage->samples[usage->sample_count++];
                one->instance = arena_slice(&usage->arena, json_get_text(sample, "instance"));
                if (!json_as_f64(json_get(sample, "value"), &one->value))
                        return err_set(err, BERTH_ERR_INVALID, "samples: expected a number");
        }
        return 0;
}

/* Items of a list need not name their kind. */
static int take_items(struct recorded_usage *usage, const struct json *list,
                      int (*take_one)(struct recorded_usage *usage, const struct json *object,
                                      struct err *err),
                      struct err *err) {
        struct json_iter iter = json_iter(json_get(list, "items"));
        const struct json *item;
        int code = 0;
        while (code == 0 && json_next(&iter, NULL, &item))
                code = take_one(usage, item, err);
        return code;
}

static int recorded_usage_take(struct recorded_usage *usage, const struct json *object,
                               struct err *err) {
        struct slice kind = json_get_text(object, "kind");
        if (slice_is(kind, "NodeMetrics"))
                return take_node(usage, object, err);
        if (slice_is(kind, "PodMetrics"))
                return take_pod(usage, object, err);
        if (slice_is(kind, "NodeMetricsList"))
                return take_items(usage, object, take_node, err);
        if (slice_is(kind, "PodMetricsList"))
                return take_items(usage, object, take_pod, err);
        return slice_is(kind, "PrometheusSamples") ? take_samples(usage, object, err) : 0;
}

/* One series: {"metric": {"instance": ...}, "value": [time, "0.57"]}. */
static bool read_series(struct recorded_usage *usage, const struct json *series,
                        struct usage_sample *ret_sample) {
        struct slice text = json_text(json_at(json_get(series, "value"), 1));
        struct slice instance = json_get_text(json_get(series, "metric"), "instance");
        char *number = arena_string(&usage->arena, text), *end;
        ret_sample->instance = arena_slice(&usage->arena, instance);
        ret_sample->value = strtod(number, &end);
        return end != number && *end == '\0';
}

static int take_answer(struct recorded_usage *usage, const struct json *answer, struct err *err) {
        const struct json *data = json_get(answer, "data");
        const struct json *result = json_get(data, "result"), *series;
        if (!slice_is(json_get_text(answer, "status"), "success"))
                return err_set(err, BERTH_ERR_UNAVAILABLE, "Prometheus: " SLICE_FMT,
                               SLICE_ARG(json_get_text(answer, "error")));
        if (!slice_is(json_get_text(data, "resultType"), "vector"))
                return err_set(err, BERTH_ERR_INVALID,
                               "Prometheus: expected a query that yields a vector");
        usage->samples = ARENA_ARRAY(&usage->arena, struct usage_sample, json_count(result));
        struct json_iter iter = json_iter(result);
        while (json_next(&iter, NULL, &series))
                if (!read_series(usage, series, &usage->samples[usage->sample_count++]))
                        return err_set(err, BERTH_ERR_INVALID, "Prometheus: expected numbers");
        return 0;
}

static bool has_provider(const struct descheduler_policy *policy, const char *source) {
        const struct metrics_provider *providers = policy->metrics_providers.items;
        for (size_t i = 0; i < policy->metrics_providers.count; i++)
                if (slice_is(providers[i].source, source))
                        return true;
        return false;
}

static struct recorded_usage *recorded_usage_make(const struct descheduler_policy *policy) {
        struct recorded_usage *usage = xcalloc(1, sizeof(*usage));
        arena_init(&usage->arena, 0);
        usage->nodes = map_new();
        usage->pods = map_new();
        usage->source = (struct desched_usage){
                .context = usage,
                .has_kubernetes =
                        policy->collects_metrics || has_provider(policy, METRICS_SOURCE_KUBERNETES),
                .has_prometheus = has_provider(policy, METRICS_SOURCE_PROMETHEUS),
                .node = ask_node,
                .pod = ask_pod,
                .query = ask_query,
        };
        return usage;
}

static int hand_out(struct recorded_usage *usage, int code, struct recorded_usage **ret_usage) {
        if (code < 0)
                recorded_usage_free(usage);
        else
                *ret_usage = usage;
        return code;
}

int recorded_usage_new(const struct json *objects, const struct descheduler_policy *policy,
                       struct recorded_usage **ret_usage, struct err *err) {
        struct recorded_usage *usage = recorded_usage_make(policy);
        struct json_iter iter = json_iter(objects);
        const struct json *object;
        int code = 0;
        while (code == 0 && json_next(&iter, NULL, &object))
                code = recorded_usage_take(usage, object, err);
        return hand_out(usage, code, ret_usage);
}

int recorded_usage_of_list(const struct json *list, const struct descheduler_policy *policy,
                           struct recorded_usage **ret_usage, struct err *err) {
        struct recorded_usage *usage = recorded_usage_make(policy);
        return hand_out(usage, recorded_usage_take(usage, list, err), ret_usage);
}

int recorded_usage_of_answer(const struct json *answer, const struct descheduler_policy *policy,
                             struct recorded_usage **ret_usage, struct err *err) {
        struct recorded_usage *usage = recorded_usage_make(policy);
        return hand_out(usage, take_answer(usage, answer, err), ret_usage);
}

/* Rounded to the nearest, as the measured amounts are not negative. */
static int64_t recorded_usage_blend(int64_t before, int64_t now) {
        return (int64_t)(0.9 * (double)before + 0.1 * (double)now + 0.5);
}

void recorded_usage_smooth(struct recorded_usage *usage, const struct recorded_usage *before) {
        size_t at = 0;
        struct slice name;
        void *value;
        while (map_next(usage->nodes, &at, &name, &value)) {
                struct measured *now = value;
                const struct measured *then = map_get(before->nodes, name);
                if (!then)
                        continue;
                if (now->has_cpu && then->has_cpu)
                        now->cpu_milli = recorded_usage_blend(then->cpu_milli, now->cpu_milli);
                if (now->has_memory && then->has_memory)
                        now->count_bytes =
                                recorded_usage_blend(then->count_bytes, now->count_bytes);
        }
}

void recorded_usage_keep(struct recorded_usage *usage, const struct recorded_usage *before) {
        size_t at = 0;
        struct slice name;
        void *value;
        while (map_next(before->nodes, &at, &name, &value)) {
                if (map_get(usage->nodes, name))
                        continue;
                struct measured *stored = ARENA_ARRAY(&usage->arena, struct measured, 1);
                *stored = *(const struct measured *)value;
                map_put(usage->nodes, name, stored);
        }
}

void recorded_usage_free(struct recorded_usage *usage) {
        if (!usage)
                return;
        map_free(usage->nodes);
        map_free(usage->pods);
        arena_release(&usage->arena);
        free(usage);
}

const struct desched_usage *recorded_usage_source(const struct recorded_usage *usage) {
        return &usage->source;
}
