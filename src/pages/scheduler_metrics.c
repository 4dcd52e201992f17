/* Counts what the scheduler does, into the families of its metrics. */
#include "pages/role_metrics.h"

#include "api/json.h"
#include "base/util.h"
#include "model/cluster.h"
#include "pages/metrics.h"
#include "pages/scheduler_families.h"
#include "plugin/sched_profile.h"
#include "sched/decision.h"
#include "sched/scheduler.h"
#include <stdio.h>
#include <stdlib.h>

#define SAMPLE 10           /* one of so many decisions, and hints, is timed */
#define TIMED_RUNS_MAX 1024 /* of one decision */
#define ATTEMPTS_CAP 15     /* from there on they count as "15+" */

/* How often plugins ran. */
struct profile_runs {
        struct profile_runs *next;
        const struct sched_profile *profile;
        uint64_t runs[PROFILE_PLUGINS_MAX * POINT_COUNT];
};

struct scheduler_metrics {
        struct runtime *runtime;
        const struct scheduler *scheduler;
        struct decision_watch watch;
        struct plugin_watch plugin_watch; /* of the decision under way */
        struct profile_runs *runs;
        uint32_t sampled_decisions, sampled_hints, timed_runs;
        int64_t arriving_ns;
        uint64_t seen; /* number of the last decision counted */
        struct scheduler_stats last;
        uint64_t seen_plugins;
        struct scheduler_families families;
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
        metric_add(own->families.items[FAMILY_DECISIONS], labels, 1);
        metric_observe(own->families.items[FAMILY_ATTEMPT_TIME], labels, seconds_each, 1);
        metric_observe(own->families.items[FAMILY_ALGORITHM_TIME], NULL, seconds_each, 1);
        /* A pod is scheduled once it is bound; see scheduler_metrics_bound. */
        if (trace->outcome == DECISION_PLACED)
                metric_observe(own->families.items[FAMILY_TRIES], NULL, trace->attempts, 1);
        else
                metric_add(own->families.items[FAMILY_ATTEMPTS], labels, 1);
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
        metric_add(own->families.items[FAMILY_PREEMPTIONS], NULL, (double)preemptions);
        metric_observe(own->families.items[FAMILY_VICTIMS], NULL,
                       (double)victims / (double)preemptions, preemptions);
}

void scheduler_metrics_stepped(struct scheduler_metrics *own, int64_t elapsed_ns) {
        if (!own)
                return;
        size_t count = scheduler_trace_count(own->scheduler);
        size_t first = count;
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

/* ---- outcomes of writes ---- */

static const char *const call_names[ACTION_KIND_COUNT] = {
        [ACTION_BIND] = "pod_binding",
        [ACTION_POD_STATUS] = "pod_status_patch",
        [ACTION_DELETE_POD] = "pod_deletion",
};

static double scheduler_metrics_seconds(int64_t ns) {
        return (double)ns / 1e9;
}

static void count_point(struct scheduler_metrics *own, struct slice profile, const char *point,
                        const char *status, int64_t elapsed_ns) {
        struct slice labels[] = { slice_of(point), slice_of(status), profile };

        metric_observe(own->families.items[FAMILY_POINT_TIME], labels,
                       scheduler_metrics_seconds(elapsed_ns), 1);
}

static void count_removal(struct scheduler_metrics *own, const struct action_result *result) {
        struct slice label = slice_of(result->code == BERTH_OK ? "success" : "error");

        metric_add(own->families.items[FAMILY_EVICTIONS], &label, 1);
        metric_observe(own->families.items[FAMILY_EVICTION_TIME], &label,
                       scheduler_metrics_seconds(result->took_ns), 1);
}

void scheduler_metrics_bound(struct scheduler_metrics *own, const struct action_result *result) {
        bool is_well = result->code == BERTH_OK;
        struct slice labels[2], claim = SLICE_LITERAL("prebind");

        if (own && result->kind == ACTION_PATCH_OBJECT && !is_well)
                metric_add(own->families.items[FAMILY_BINDER_ERRORS], &claim, 1);
        if (own && result->kind == ACTION_DELETE_POD)
                count_removal(own, result);

        if (!own || !call_names[result->kind])
                return;
        labels[0] = slice_of(call_names[result->kind]);
        labels[1] = slice_of(is_well ? "success" : "error");
        metric_add(own->families.items[FAMILY_CALLS], labels, 1);
        metric_observe(own->families.items[FAMILY_CALL_TIME], labels,
                       scheduler_metrics_seconds(result->took_ns), 1);
        if (result->kind != ACTION_BIND)
                return;
        labels[0] = slice_of(is_well ? "scheduled" : "error");
        labels[1] = profile_of(own, result->target.ns, result->target.name);
        metric_add(own->families.items[FAMILY_ATTEMPTS], labels, 1);
        count_point(own, labels[1], "Bind", is_well ? "Success" : "Error", result->took_ns);
}

/* ---- events ---- */

static const char *event_object(enum object_kind kind, const struct arrival *arrival) {
        switch (kind) {
        case OBJECT_NODE:
                return "Node";
        case OBJECT_POD:
                return arrival_node(arrival).len ? "AssignedPod" : "UnschedulablePod";
        case OBJECT_CLAIM:
                return "PersistentVolumeClaim";
        default:
                return NULL; /* upstream's scheduler does not follow it, or it makes no event */
        }
}

void scheduler_metrics_arriving(struct scheduler_metrics *own) {
        if (own)
                own->arriving_ns = stopwatch_ns();
}

void scheduler_metrics_arrived(struct scheduler_metrics *own, enum object_kind kind,
                               enum change_kind change, struct arrival *arrival) {
        static const char *const changes[] = {
                [CHANGE_ADDED] = "Add", [CHANGE_UPDATED] = "Update", [CHANGE_REMOVED] = "Delete"
        };
        const char *what = own ? event_object(kind, arrival) : NULL;
        char text[64];

        if (!what)
                return;
        snprintf(text, sizeof(text), "%s%s", what, changes[change]);
        struct slice label = slice_of(text);
        metric_observe(own->families.items[FAMILY_EVENT_TIME], &label,
                       scheduler_metrics_seconds(stopwatch_ns() - own->arriving_ns), 1);
}

/* ---- reports of the scheduler ---- */

static const char *const point_names[POINT_COUNT] = {
        [POINT_PRE_FILTER] = "PreFilter",
        [POINT_FILTER] = "Filter",
        [POINT_POST_FILTER] = "PostFilter",
        [POINT_PRE_SCORE] = "PreScore",
        [POINT_SCORE] = "Score",
};

static void on_ran(void *context, const struct sched_profile *profile, enum sched_point point,
                   enum verdict_code code, int64_t elapsed_ns) {
        if (point_names[point])
                count_point(context, profile->scheduler_name, point_names[point],
                            verdict_code_name(code), elapsed_ns);
}

static void on_plugin_ran(void *context, const struct sched_profile *profile, size_t plugin,
                          enum sched_point point, enum verdict_code code, int64_t elapsed_ns) {
        struct scheduler_metrics *own = context;
        struct slice labels[] = { slice_of(profile->plugins[plugin].plugin->name),
                                  slice_of(point_names[point]), slice_of(verdict_code_name(code)) };

        metric_observe(own->families.items[FAMILY_PLUGIN_TIME], labels,
                       scheduler_metrics_seconds(elapsed_ns), 1);
        if (++own->timed_runs == TIMED_RUNS_MAX)
                own->plugin_watch.now_ns = NULL; /* the rest are only counted */
}

static struct profile_runs *runs_of(struct scheduler_metrics *own,
                                    const struct sched_profile *profile) {
        struct profile_runs **link = &own->runs;

        while (*link && (*link)->profile != profile)
                link = &(*link)->next;
        if (!*link) {
                *link = xcalloc(1, sizeof(**link));
                (*link)->profile = profile;
        }
        return *link;
}

static const struct plugin_watch *on_begins(void *context, const struct sched_profile *profile) {
        struct scheduler_metrics *own = context;
        bool is_timed = ++own->sampled_decisions % SAMPLE == 0;

        own->timed_runs = 0;
        own->plugin_watch = (struct plugin_watch){ .runs = runs_of(own, profile)->runs,
                                                   .now_ns = is_timed ? stopwatch_ns : NULL,
                                                   .ran = on_plugin_ran,
                                                   .context = own };
        return &own->plugin_watch;
}

static bool on_times_hint(void *context) {
        return ++((struct scheduler_metrics *)context)->sampled_hints % SAMPLE == 0;
}

static void on_hinted(void *context, const struct plugin *plugin, uint32_t change, bool is_woken,
                      int64_t elapsed_ns) {
        struct scheduler_metrics *own = context;
        struct slice labels[] = { slice_of(plugin->name),
                                  slice_of(queue_event_name(queue_event_of(change))),
                                  slice_of(is_woken ? "Queue" : "QueueSkip") };

        metric_observe(own->families.items[FAMILY_HINT_TIME], labels,
                       scheduler_metrics_seconds(elapsed_ns), 1);
}

void scheduler_metrics_placed(void *context, uint32_t attempts, int64_t since_first_ns,
                              bool was_flushed) {
        struct scheduler_metrics *own = context;
        char text[16];

        snprintf(text, sizeof(text), "%u", attempts);
        struct slice label = slice_of(attempts < ATTEMPTS_CAP ? text : "15+");
        metric_observe(own->families.items[FAMILY_SLI_TIME], &label,
                       scheduler_metrics_seconds(since_first_ns), 1);
        if (was_flushed)
                metric_add(own->families.items[FAMILY_AFTER_FLUSH], NULL, 1);
}

static void set_of(struct metric *metric, const char *label, size_t value) {
        metric_set(metric, (struct slice[]){ slice_of(label) }, (double)value);
}

/* Pods by what keeps them from a node; a plugin once seen stays, with 0. */
static void refresh_refusals(struct scheduler_metrics *own) {
        const struct sched_profile *profile;
        uint32_t counts[PROFILE_PLUGINS_MAX];

        for (size_t p = 0; (profile = scheduler_profile(own->scheduler, p)); p++) {
                scheduler_refusals(own->scheduler, p, counts);
                for (size_t i = 0; i < profile->plugin_count; i++) {
                        uint64_t bit = (uint64_t)1 << i;
                        struct slice labels[] = { slice_of(profile->plugins[i].plugin->name),
                                                  profile->scheduler_name };

                        if (counts[i] > 0)
                                own->seen_plugins |= bit;
                        if ((own->seen_plugins & bit) != 0)
                                metric_set(own->families.items[FAMILY_UNSCHEDULABLE], labels,
                                           counts[i]);
                }
        }
}

static void refresh_runs(struct scheduler_metrics *own) {
        for (const struct profile_runs *runs = own->runs; runs; runs = runs->next)
                for (size_t i = 0; i < runs->profile->plugin_count * POINT_COUNT; i++) {
                        const struct profile_plugin *plugin =
                                &runs->profile->plugins[i / POINT_COUNT];
                        struct slice labels[] = { slice_of(plugin->plugin->name),
                                                  slice_of(point_names[i % POINT_COUNT]),
                                                  runs->profile->scheduler_name };

                        if (runs->runs[i])
                                metric_set(own->families.items[FAMILY_PLUGIN_RUNS], labels,
                                           (double)runs->runs[i]);
                }
}

static void refresh_incoming(struct scheduler_metrics *own) {
        static const enum queue_part parts[] = { QUEUE_ACTIVE, QUEUE_BACKOFF, QUEUE_UNSCHEDULABLE };

        for (size_t p = 0; p < ARRAY_LEN(parts); p++)
                for (int event = 0; event < QUEUE_EVENT_COUNT; event++) {
                        uint64_t count = scheduler_incoming(own->scheduler, parts[p],
                                                            (enum queue_event)event);
                        struct slice labels[] = { slice_of(queue_part_name(parts[p])),
                                                  slice_of(queue_event_name(
                                                          (enum queue_event)event)) };

                        if (count)
                                metric_set(own->families.items[FAMILY_INCOMING], labels,
                                           (double)count);
                }
}

static void refresh_calls(struct scheduler_metrics *own, size_t binding) {
        struct runtime_stats stats;

        runtime_stats(own->runtime, &stats);
        for (size_t i = 0; i < ARRAY_LEN(call_names); i++)
                if (call_names[i])
                        set_of(own->families.items[FAMILY_PENDING_CALLS], call_names[i],
                               stats.open_kinds[i]);
        set_of(own->families.items[FAMILY_GOROUTINES], "binding", binding);
}

static void scheduler_metrics_refresh(void *context) {
        struct scheduler_metrics *own = context;
        const struct cluster *cluster = runtime_cluster(own->runtime);
        struct scheduler_stats stats;

        scheduler_stats(own->scheduler, &stats);
        set_of(own->families.items[FAMILY_PENDING], "active", stats.active);
        set_of(own->families.items[FAMILY_PENDING], "backoff", stats.backoff);
        set_of(own->families.items[FAMILY_PENDING], "unschedulable", stats.unschedulable_pods);
        set_of(own->families.items[FAMILY_PENDING], "gated", stats.gated);
        set_of(own->families.items[FAMILY_CACHE], "nodes", cluster_node_count(cluster));
        set_of(own->families.items[FAMILY_CACHE], "pods", cluster_pod_count(cluster));
        set_of(own->families.items[FAMILY_CACHE], "assumed_pods", stats.binding);
        refresh_refusals(own);
        refresh_incoming(own);
        refresh_runs(own);
        refresh_calls(own, stats.binding);
}

struct scheduler_metrics *scheduler_metrics_new(struct metrics *metrics, struct runtime *runtime) {
        struct scheduler_metrics *own = xcalloc(1, sizeof(*own));

        own->runtime = runtime;
        own->watch = (struct decision_watch){ .now_ns = stopwatch_ns,
                                              .ran = on_ran,
                                              .begins = on_begins,
                                              .times_hint = on_times_hint,
                                              .hinted = on_hinted,
                                              .context = own };
        scheduler_families_add(&own->families, metrics);
        metrics_on_write(metrics, scheduler_metrics_refresh, own);
        return own;
}

void scheduler_metrics_follow(struct scheduler_metrics *own, const struct scheduler *scheduler) {
        own->scheduler = scheduler;
}

const struct decision_watch *scheduler_metrics_watch(const struct scheduler_metrics *own) {
        return &own->watch;
}

void scheduler_metrics_free(struct scheduler_metrics *own) {
        if (!own)
                return;
        for (struct profile_runs *runs = own->runs, *next; runs; runs = next) {
                next = runs->next;
                free(runs);
        }
        free(own);
}
