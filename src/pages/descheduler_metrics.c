/* The descheduler's metrics. */
#include "pages/role_metrics.h"

#include "base/util.h"
#include "evict/evict_service.h"
#include "pages/metrics.h"
#include <stdlib.h>

static const double loop_buckets[] = { 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1,  2.5,
                                       5,    10,    25,   50,  100,  250, 500 };

struct descheduler_metrics {
        const struct evict_requester *requester;
        struct metric *evicted, *evicted_total, *loop, *loop_doubled, *info;
        struct metric *strategy, *strategy_doubled, *failures, *verdicts, *not_better,
                *moves_nothing;
        double info_value;
};

static void descheduler_metrics_refresh(void *context) {
        struct descheduler_metrics *own = context;
        const struct evict_count *counts;
        size_t count = evict_requester_counts(own->requester, &counts);

        for (size_t i = 0; i < count; i++) {
                const struct slice labels[] = { slice_of(evict_result_name(counts[i].result)),
                                                counts[i].plugin, counts[i].profile, counts[i].ns,
                                                counts[i].node };

                metric_set(own->evicted, labels, (double)counts[i].count);
                metric_set(own->evicted_total, labels, (double)counts[i].count);
        }
        metric_set(own->info, (struct slice[]){ SLICE_LITERAL(BERTH_VERSION) }, own->info_value);
}

static struct metric *add_evicted(struct metrics *metrics, const char *name, const char *help) {
        return metrics_add(metrics,
                           &(struct metric_config){ .name = name,
                                                    .help = help,
                                                    .type = METRIC_COUNTER,
                                                    .labels = { "result", "strategy", "profile",
                                                                "namespace", "node" } });
}

static struct metric *add_loop(struct metrics *metrics, const char *name) {
        return metrics_add(metrics,
                           &(struct metric_config){ .name = name,
                                                    .help = "Time of a whole pass.",
                                                    .type = METRIC_HISTOGRAM,
                                                    .buckets = loop_buckets,
                                                    .bucket_count = ARRAY_LEN(loop_buckets) });
}

/* The same bounds, up to 100 seconds. */
static struct metric *add_strategy(struct metrics *metrics, const char *name) {
        return metrics_add(metrics,
                           &(struct metric_config){ .name = name,
                                                    .help = "Time of one strategy in a pass.",
                                                    .type = METRIC_HISTOGRAM,
                                                    .labels = { "strategy", "profile" },
                                                    .buckets = loop_buckets,
                                                    .bucket_count = ARRAY_LEN(loop_buckets) - 2 });
}

struct descheduler_metrics *descheduler_metrics_new(struct metrics *metrics,
                                                    const struct evict_requester *requester,
                                                    bool is_parity) {
        struct descheduler_metrics *own = xcalloc(1, sizeof(*own));

        own->requester = requester;
        own->info_value = is_parity ? 0 : 1;
        own->evicted = add_evicted(metrics, "descheduler_pods_evicted",
                                   "Evictions by result (deprecated, as upstream).");
        own->evicted_total =
                add_evicted(metrics, "descheduler_pods_evicted_total", "Evictions by result.");
        own->loop = add_loop(metrics, "descheduler_loop_duration_seconds");
        own->loop_doubled = add_loop(metrics, "descheduler_descheduler_loop_duration_seconds");
        own->strategy = add_strategy(metrics, "descheduler_strategy_duration_seconds");
        own->strategy_doubled =
                add_strategy(metrics, "descheduler_descheduler_strategy_duration_seconds");
        own->failures = metrics_add(
                metrics, &(struct metric_config){
                                 .name = "berth_descheduler_strategy_failures_total",
                                 .help = "Runs of a strategy that ended with an error, such as "
                                         "usage that could not be measured.",
                                 .type = METRIC_COUNTER,
                                 .labels = { "strategy", "profile" } });
        own->verdicts = metrics_add(
                metrics, &(struct metric_config){
                                 .name = "berth_descheduler_pods",
                                 .help = "Pods that a strategy looked at in its last pass, by what "
                                         "came of it: evicted, limited, refused (by a budget), "
                                         "spared (by a filter), young (not old enough yet).",
                                 .type = METRIC_GAUGE,
                                 .labels = { "strategy", "profile", "verdict" } });
        own->info =
                metrics_add(metrics, &(struct metric_config){ .name = "descheduler_build_info",
                                                              .help = "Version of the descheduler.",
                                                              .type = METRIC_GAUGE,
                                                              .labels = { "DeschedulerVersion" } });
        own->not_better = metrics_add(
                metrics,
                &(struct metric_config){ .name = "berth_descheduler_not_better_total",
                                         .help = "Pods a strategy wanted to move and left, for the "
                                                 "scheduler would not place them better.",
                                         .type = METRIC_COUNTER,
                                         .labels = { "strategy", "profile" } });
        own->moves_nothing = metrics_add(
                metrics,
                &(struct metric_config){ .name = "berth_descheduler_nothing_moved",
                                         .help = "1 while a strategy's last run left all its pods "
                                                 "for that reason: see --scheduler-config.",
                                         .type = METRIC_GAUGE,
                                         .labels = { "strategy", "profile" } });
        metrics_on_write(metrics, descheduler_metrics_refresh, own);
        return own;
}

void descheduler_metrics_free(struct descheduler_metrics *own) {
        free(own);
}

void descheduler_metrics_passed(struct descheduler_metrics *own, int64_t elapsed_ns) {
        if (!own)
                return;
        metric_observe(own->loop, NULL, (double)elapsed_ns / 1e9, 1);
        metric_observe(own->loop_doubled, NULL, (double)elapsed_ns / 1e9, 1);
}

void descheduler_metrics_ran(struct descheduler_metrics *own, struct slice plugin,
                             struct slice profile, bool is_well, int64_t elapsed_ns) {
        const struct slice labels[] = { plugin, profile };

        if (!own)
                return;
        metric_observe(own->strategy, labels, (double)elapsed_ns / 1e9, 1);
        metric_observe(own->strategy_doubled, labels, (double)elapsed_ns / 1e9, 1);
        metric_add(own->failures, labels, is_well ? 0 : 1);
}

void descheduler_metrics_judged(struct descheduler_metrics *own,
                                const struct descheduler_verdicts *verdicts) {
        const struct {
                const char *name;
                uint32_t count;
        } rows[] = { { "evicted", verdicts->evicted },
                     { "limited", verdicts->limited },
                     { "refused", verdicts->refused },
                     { "spared", verdicts->spared },
                     { "young", verdicts->young } };

        for (size_t i = 0; own && i < ARRAY_LEN(rows); i++)
                metric_set(own->verdicts,
                           (struct slice[]){ verdicts->plugin, verdicts->profile,
                                             slice_of(rows[i].name) },
                           rows[i].count);
}

void descheduler_metrics_not_better(struct descheduler_metrics *own, struct slice plugin,
                                    struct slice profile, uint32_t count, bool is_all) {
        const struct slice labels[] = { plugin, profile };

        if (!own)
                return;
        metric_add(own->not_better, labels, count);
        metric_set(own->moves_nothing, labels, is_all ? 1 : 0);
}
