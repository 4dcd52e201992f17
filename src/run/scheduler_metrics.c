/* The scheduler's metrics, and its remembered decisions. */
#include "run/role_metrics.h"

#include "api/json.h"
#include "base/util.h"
#include "model/cluster.h"
#include "plugin/sched_profile.h"
#include "run/metrics.h"
#include "sched/scheduler.h"
#include <stdlib.h>

#define ATTEMPT_BUCKETS 15
#define VICTIM_BUCKETS 7
#define TRY_BUCKETS 5

struct scheduler_metrics {
        struct runtime *runtime;
        const struct scheduler *scheduler;
        uint64_t seen; /* number of the last decision counted */
        struct scheduler_stats last;
        struct metric *attempts, *duration, *algorithm, *tries, *pending, *preemptions, *victims,
                *cache, *decisions, *calls, *unschedulable;
        uint64_t seen_plugins;
        double attempt_buckets[ATTEMPT_BUCKETS], victim_buckets[VICTIM_BUCKETS],
                try_buckets[TRY_BUCKETS];
};

/* The profile a pod asks for; it may be gone by now. */
static struct slice profile_of(const struct scheduler_metrics *own, struct slice ns,
                               struct slice name) {
        const struct cluster *cluster = runtime_cluster(own->runtime);
        struct pod_id pod = cluster_find_pod(cluster, ns, name);

        if (pod_id_is_none(pod))
                return SLICE_LITERAL("default-scheduler");
        return cluster_class(cluster, cluster_pod(cluster, pod)->class)->spec.scheduler_name;
}

static void count_decision(struct scheduler_metrics *own, const struct decision_trace *trace,
                           double seconds_each) {
        struct slice rest = slice_of(trace->pod), ns;
        struct slice labels[2];

        slice_split(&rest, '/', &ns);
        labels[0] = slice_of(decision_outcome_name(trace->outcome));
        labels[1] = profile_of(own, ns, rest);
        metric_add(own->decisions, labels, 1);
        metric_observe(own->duration, labels, seconds_each, 1);
        metric_observe(own->algorithm, NULL, seconds_each, 1);
        /* A pod is scheduled once it is bound; see scheduler_metrics_bound. */
        if (trace->outcome == DECISION_PLACED)
                metric_observe(own->tries, NULL, trace->attempts, 1);
        else
                metric_add(own->attempts, labels, 1);
}

static void count_preemptions(struct scheduler_metrics *own) {
        struct scheduler_stats stats;
        uint64_t preemptions, victims;

        scheduler_stats(own->scheduler, &stats);
        preemptions = stats.preemptions - own->last.preemptions;
        victims = stats.victims - own->last.victims;
        own->last = stats;
        if (preemptions == 0)
                return;
        metric_add(own->preemptions, NULL, (double)preemptions);
        metric_observe(own->victims, NULL, (double)victims / (double)preemptions, preemptions);
}

void scheduler_metrics_stepped(struct scheduler_metrics *own, int64_t elapsed_ns) {
        size_t count, first;

        if (!own)
                return;
        count = scheduler_trace_count(own->scheduler);
        first = count;
        while (first > 0 && scheduler_trace(own->scheduler, first - 1)->number > own->seen)
                first--;
        if (first == count)
                return;
        for (size_t i = first; i < count; i++)
                count_decision(own, scheduler_trace(own->scheduler, i),
                               (double)elapsed_ns / 1e9 / (double)(count - first));
        own->seen = scheduler_trace(own->scheduler, count - 1)->number;
        count_preemptions(own);
}

void scheduler_metrics_bound(struct scheduler_metrics *own, const struct action_result *result) {
        static const char *const calls[ACTION_KIND_COUNT] = {
                [ACTION_BIND] = "pod_binding",
                [ACTION_POD_STATUS] = "pod_status_patch",
                [ACTION_DELETE_POD] = "pod_deletion",
        };
        bool is_well = result->code == BERTH_OK;
        struct slice labels[2];

        if (!own || !calls[result->kind])
                return;
        labels[0] = slice_of(calls[result->kind]);
        labels[1] = slice_of(is_well ? "success" : "error");
        metric_add(own->calls, labels, 1);
        if (result->kind != ACTION_BIND)
                return;
        labels[0] = slice_of(is_well ? "scheduled" : "error");
        labels[1] = profile_of(own, result->target.ns, result->target.name);
        metric_add(own->attempts, labels, 1);
}

static void set_of(struct metric *metric, const char *label, size_t value) {
        metric_set(metric, (struct slice[]){ slice_of(label) }, (double)value);
}

/* Pods by what keeps them from a node; a plugin once seen stays, with 0. */
static void refresh_refusals(struct scheduler_metrics *own) {
        const struct sched_profile *profile;
        uint32_t counts[PROFILE_PLUGINS_MAX];

        for (size_t p = 0; (profile = scheduler_profile(own->scheduler, p)) != NULL; p++) {
                scheduler_refusals(own->scheduler, p, counts);
                for (size_t i = 0; i < profile->plugin_count; i++) {
                        uint64_t bit = (uint64_t)1 << i;
                        struct slice labels[] = { slice_of(profile->plugins[i].plugin->name),
                                                  profile->scheduler_name };

                        if (counts[i] > 0)
                                own->seen_plugins |= bit;
                        if ((own->seen_plugins & bit) != 0)
                                metric_set(own->unschedulable, labels, counts[i]);
                }
        }
}

static void refresh(void *context) {
        struct scheduler_metrics *own = context;
        const struct cluster *cluster = runtime_cluster(own->runtime);
        struct scheduler_stats stats;

        scheduler_stats(own->scheduler, &stats);
        set_of(own->pending, "active", stats.active);
        set_of(own->pending, "backoff", stats.backoff);
        set_of(own->pending, "unschedulable", stats.unschedulable_pods);
        set_of(own->pending, "gated", stats.gated);
        set_of(own->cache, "nodes", cluster_node_count(cluster));
        set_of(own->cache, "pods", cluster_pod_count(cluster));
        set_of(own->cache, "assumed_pods", stats.binding);
        refresh_refusals(own);
}

static void add_gauge_by_plugin(struct scheduler_metrics *own, struct metrics *metrics) {
        own->unschedulable = metrics_add(
                metrics, &(struct metric_config){ .name = "scheduler_unschedulable_pods",
                                                  .help = "Pods that this plugin keeps from a "
                                                          "node; a pod counts with each of them.",
                                                  .type = METRIC_GAUGE,
                                                  .labels = { "plugin", "profile" } });
}

static void add_counters(struct scheduler_metrics *own, struct metrics *metrics) {
        own->attempts = metrics_add(
                metrics, &(struct metric_config){
                                 .name = "scheduler_schedule_attempts_total",
                                 .help = "Attempts to schedule pods, by result; scheduled means "
                                         "bound.",
                                 .type = METRIC_COUNTER,
                                 .labels = { "result", "profile" } });
        own->preemptions = metrics_add(
                metrics, &(struct metric_config){ .name = "scheduler_preemption_attempts_total",
                                                  .help = "Preemptions that chose a node.",
                                                  .type = METRIC_COUNTER });
        own->calls = metrics_add(
                metrics,
                &(struct metric_config){ .name = "scheduler_async_api_call_execution_total",
                                         .help = "Writes to the API server, by kind and result.",
                                         .type = METRIC_COUNTER,
                                         .labels = { "call_type", "result" } });
        own->decisions = metrics_add(
                metrics, &(struct metric_config){ .name = "berth_scheduler_decisions_total",
                                                  .help = "Decisions taken, by result.",
                                                  .type = METRIC_COUNTER,
                                                  .labels = { "result", "profile" } });
        own->pending = metrics_add(
                metrics, &(struct metric_config){ .name = "scheduler_pending_pods",
                                                  .help = "Pods that wait, by part of the queue.",
                                                  .type = METRIC_GAUGE,
                                                  .labels = { "queue" } });
        own->cache = metrics_add(
                metrics, &(struct metric_config){ .name = "scheduler_cache_size",
                                                  .help = "Nodes, pods and assumed pods known.",
                                                  .type = METRIC_GAUGE,
                                                  .labels = { "type" } });
}

static void add_histograms(struct scheduler_metrics *own, struct metrics *metrics) {
        metric_buckets(0.001, 2, ATTEMPT_BUCKETS, own->attempt_buckets);
        metric_buckets(1, 2, VICTIM_BUCKETS, own->victim_buckets);
        metric_buckets(1, 2, TRY_BUCKETS, own->try_buckets);
        own->duration = metrics_add(
                metrics,
                &(struct metric_config){ .name = "scheduler_scheduling_attempt_duration_seconds",
                                         .help = "Time of a decision, as the mean of its step.",
                                         .type = METRIC_HISTOGRAM,
                                         .labels = { "result", "profile" },
                                         .buckets = own->attempt_buckets,
                                         .bucket_count = ATTEMPT_BUCKETS });
        own->algorithm = metrics_add(
                metrics, &(struct metric_config){
                                 .name = "scheduler_scheduling_algorithm_duration_seconds",
                                 .help = "Time of filters and scores, as the mean of a step.",
                                 .type = METRIC_HISTOGRAM,
                                 .buckets = own->attempt_buckets,
                                 .bucket_count = ATTEMPT_BUCKETS });
        own->tries = metrics_add(
                metrics, &(struct metric_config){ .name = "scheduler_pod_scheduling_attempts",
                                                  .help = "Attempts until a pod had a node.",
                                                  .type = METRIC_HISTOGRAM,
                                                  .buckets = own->try_buckets,
                                                  .bucket_count = TRY_BUCKETS });
        own->victims = metrics_add(metrics,
                                   &(struct metric_config){ .name = "scheduler_preemption_victims",
                                                            .help = "Pods evicted by a preemption.",
                                                            .type = METRIC_HISTOGRAM,
                                                            .buckets = own->victim_buckets,
                                                            .bucket_count = VICTIM_BUCKETS });
}

struct scheduler_metrics *scheduler_metrics_new(struct metrics *metrics, struct runtime *runtime,
                                                const struct scheduler *scheduler) {
        struct scheduler_metrics *own = xcalloc(1, sizeof(*own));

        own->runtime = runtime;
        own->scheduler = scheduler;
        add_counters(own, metrics);
        add_gauge_by_plugin(own, metrics);
        add_histograms(own, metrics);
        metrics_on_write(metrics, refresh, own);
        return own;
}

void scheduler_metrics_free(struct scheduler_metrics *own) {
        free(own);
}

/* ---- decisions ---- */

static struct json_node *trace_value(const struct decision_trace *trace, struct json_tree *tree) {
        struct json_node *entry = node_object(tree), *plugins = node_array(tree);
        char at[WALL_TIME_TEXT_MAX];

        wall_time_format_micro(trace->at, at);
        node_put_i64(tree, entry, "number", (int64_t)trace->number);
        node_put_string(tree, entry, "at", at);
        node_put_string(tree, entry, "pod", trace->pod);
        node_put_string(tree, entry, "uid", trace->uid);
        node_put_string(tree, entry, "decision", decision_outcome_name(trace->outcome));
        if (trace->node[0])
                node_put_string(tree, entry, "node", trace->node);
        if (trace->message[0])
                node_put_string(tree, entry, "message", trace->message);
        node_put_i64(tree, entry, "attempt", trace->attempts);
        node_put_i64(tree, entry, "nodeCount", trace->node_count);
        node_put_i64(tree, entry, "feasible", trace->feasible_count);
        node_put_i64(tree, entry, "best", trace->best_count);
        node_put_i64(tree, entry, "total", trace->best_total);
        for (uint32_t i = 0; i < trace->plugin_count; i++) {
                struct json_node *plugin = node_object(tree);

                node_put_string(tree, plugin, "plugin", trace->plugins[i].name);
                node_put_i64(tree, plugin, "refused", trace->plugins[i].refused);
                node_append(plugins, plugin);
        }
        node_put(tree, entry, "plugins", plugins);
        return entry;
}

void decisions_write(const struct scheduler *scheduler, struct buf *out) {
        struct json_tree *tree = json_tree_new();
        struct json_node *list = node_array(tree);

        for (size_t i = 0; i < scheduler_trace_count(scheduler); i++)
                node_append(list, trace_value(scheduler_trace(scheduler, i), tree));
        node_write(list, out);
        buf_char(out, '\n');
        json_tree_free(tree);
}
