/* The step machine: take a pod, decide, act on the outcome. */
#include "sched/scheduler.h"
#include "base/util.h"
#include "plugin/sched_points.h"
#include "sched/scheduler_priv.h"
#include <assert.h>
#include <stdlib.h>

#define TRACES_DEFAULT 256
#define BACKOFF_INITIAL_NS NS_PER_S
#define BACKOFF_MAX_NS (10 * NS_PER_S)
#define UNSCHEDULABLE_TIMEOUT_NS (300 * NS_PER_S)
/* Changes caught up with at least this often while many pods are decided in one step. */
#define DECISIONS_PER_CATCH_UP 1024

/* ---- life ---- */

struct scheduler *scheduler_new(const struct scheduler_config *config) {
        assert(config->profile_count > 0);
        struct scheduler *scheduler = xcalloc(1, sizeof(*scheduler));
        struct scheduling_queue *queue = &scheduler->queue;
        scheduler->config = *config;
        if (scheduler->config.trace_capacity == 0)
                scheduler->config.trace_capacity = TRACES_DEFAULT;
        size_t size = config->profile_count * sizeof(struct sched_profile *);
        scheduler->config.profiles = memcpy(xmalloc(size), config->profiles, size);
        queue->initial_ns =
                config->backoff_initial_ns ? config->backoff_initial_ns : BACKOFF_INITIAL_NS;
        queue->max_ns = config->backoff_max_ns ? config->backoff_max_ns : BACKOFF_MAX_NS;
        queue->timeout_ns = config->unschedulable_timeout_ns ? config->unschedulable_timeout_ns
                                                             : UNSCHEDULABLE_TIMEOUT_NS;
        const struct sched_profile *profile = config->profiles[0];
        const uint8_t *sorts = profile->points[POINT_QUEUE_SORT].plugins;
        queue->is_before = profile->plugins[sorts[0]].plugin->sched->is_before;
        scheduling_queue_init(queue);
        queue->identify = scheduler_identify;
        queue->identify_context = scheduler;
        rng_init(&scheduler->rng, config->seed);
        arena_init(&scheduler->scratch, 0);
        scheduler->actions = map_u64_new();
        scheduler->pre_bind_actions = map_u64_new();
        scheduler->pre_bind_pods = map_u64_new();
        scheduler->engine = class_engine_new(config->cache_bytes);
        scheduler->failures = refusal_cache_new();
        if (config->has_groups || config->has_gangs)
                scheduler->groups = group_index_new();
        scheduler->traces =
                xcalloc(scheduler->config.trace_capacity, sizeof(struct decision_trace));
        return scheduler;
}

void scheduler_free(struct scheduler *scheduler) {
        if (!scheduler)
                return;
        size_t at = 0;
        uint64_t id;
        void *open;
        while (map_u64_next(scheduler->actions, &at, &id, &open))
                open_action_free(open);
        map_u64_free(scheduler->actions);
        scheduler_pre_bind_free(scheduler);
        map_u64_free(scheduler->pre_bind_actions);
        map_u64_free(scheduler->pre_bind_pods);
        pod_deadlines_release(&scheduler->unconfirmed);
        pod_deadlines_release(&scheduler->removals);
        scheduler_extensions_free(scheduler);
        class_engine_free(scheduler->engine);
        refusal_cache_free(scheduler->failures);
        group_index_free(scheduler->groups);
        scheduling_queue_release(&scheduler->queue);
        arena_release(&scheduler->scratch);
        scheduler_traces_free(scheduler);
        free((void *)scheduler->config.profiles);
        free(scheduler);
}

/* ---- deciding ---- */

/* Which changes may help: what the plugins that refused listen to. */
static void set_wakes(struct scheduler *scheduler, struct queued_pod *entry,
                      const struct decision *decision) {
        const struct sched_profile *profile = scheduler->config.profiles[entry->profile];
        entry->rejectors = decision->rejectors;
        entry->pendings = decision->pendings;
        entry->wakes_on = 0;
        for (size_t i = 0; i < profile->plugin_count; i++)
                if ((entry->rejectors >> i & 1) != 0)
                        entry->wakes_on |= profile->plugins[i].plugin->wakes_on;
        entry->wakes_on_any = decision->was_refused_by_extender;
        if (entry->wakes_on_any)
                entry->wakes_on = UINT32_MAX;
        if (decision->has_no_nodes) {
                entry->rejectors = UINT64_MAX;
                entry->wakes_on = CLUSTER_NODE_ADDED;
        }
        if (scheduler->config.is_parity && (entry->wakes_on & CLUSTER_NODE_ADDED) != 0)
                entry->wakes_on |= CLUSTER_NODE_TAINTS;
}

/* Upstream retries on an empty cluster by the clock; here a node must come first. */
static void give_up(struct step *step, struct queued_pod *entry, const struct decision *decision) {
        struct scheduler *scheduler = step->scheduler;
        bool waits_for_node = decision->has_no_nodes && !scheduler->config.is_parity;
        struct failure failure = {
                .is_error = decision->outcome == DECISION_ERROR && !waits_for_node,
                .is_reason_unschedulable = decision->has_no_nodes,
                .message = decision->message,
                .sets_nomination = decision->sets_nomination,
                .nomination = decision->nomination,
        };
        if (failure.is_error)
                scheduler->stats.errors++;
        else
                scheduler->stats.unschedulable++;
        if (decision->preemption && decision->preemption->chosen)
                scheduler_preempt(step, entry, decision->preemption);
        if (decision->freed.object)
                scheduler_free_claim(step, &decision->freed);
        scheduler_fail(step, entry, &failure);
}

/* Alike pods that are refused one after the other need only one decision; where extenders or chance
 * take part each has its own. */
static void decide_or_recall(struct scheduler *scheduler, const struct queued_pod *entry,
                             const struct decision_request *request,
                             struct decision *ret_decision) {
        struct cluster *cluster = scheduler->config.cluster;
        const struct sched_profile *profile = scheduler->config.profiles[entry->profile];
        bool is_alone = !request->engine || request->is_parity || request->limit;
        const struct decision *known =
                is_alone ? NULL
                         : refusal_cache_find(scheduler->failures, cluster, profile, entry->pod);
        if (known) {
                *ret_decision = *known;
                return;
        }
        scheduler_decide(cluster, profile, request, &scheduler->scratch, ret_decision);
        if (!is_alone)
                refusal_cache_put(scheduler->failures, cluster, profile, entry->pod, ret_decision);
}

/* Decides and acts on it; with an extension or a limit, after extenders were asked about nodes or
 * about victims.  True: extenders had nothing to be asked, and ret_extended is to be decided. */
static bool scheduler_decide_once(struct step *step, struct queued_pod *entry,
                                  const struct decision_extension *extension,
                                  const struct preemption_limit *limit,
                                  struct extended_decision *ret_extended) {
        struct scheduler *scheduler = step->scheduler;
        struct cluster *cluster = scheduler->config.cluster;
        bool asks = !extension && scheduler_asks_extenders(scheduler, entry);
        struct decision_request request = {
                .pod = entry->pod,
                .wants = DECIDE_POST_FILTER,
                .is_parity = scheduler->config.is_parity,
                .percentage_of_nodes = scheduler->config.percentage_of_nodes,
                .now = step->wall,
                .rng = &scheduler->rng,
                .engine = asks || extension ? NULL : scheduler->engine,
                .next_node = scheduler->config.is_parity ? &scheduler->next_node : NULL,
                .offers_all = asks,
                .expected_times = scheduler->config.expected_times,
                .extension = extension,
                .limit = limit,
                .watch = scheduler->config.watch,
        };
        struct decision decision;
        /* Popped, or taken back from the extenders: in no part of the queue. */
        assert(entry->part == QUEUE_NONE && !entry->is_gated);
        entry->decided_generation = cluster_generation(cluster);
        decide_or_recall(scheduler, entry, &request, &decision);
        scheduler->next_node = decision.next_node;
        if (asks && decision.outcome == DECISION_PLACED)
                return scheduler_ask_extenders(step, entry, &decision, ret_extended);
        if (!limit && scheduler_ask_victims(step, entry, &decision, extension))
                return false;
        scheduler->stats.decisions++;
        scheduler_record(step, entry, &decision);
        if (decision.outcome == DECISION_PLACED) {
                scheduler_bind(step, entry, decision.node);
                return false;
        }
        set_wakes(scheduler, entry, &decision);
        give_up(step, entry, &decision);
        return false;
}

/* The decision after the last answer of the extenders. */
static void decide_extended(struct step *step, const struct extended_decision *extended) {
        struct scheduler *scheduler = step->scheduler;
        struct queued_pod *entry = extended->entry;
        struct extended_decision none;
        assert(entry->part == QUEUE_BINDING && (extended->has_nodes || extended->has_limit));
        scheduling_queue_take(&scheduler->queue, entry);
        bool is_open =
                scheduler_decide_once(step, entry, extended->has_nodes ? &extended->nodes : NULL,
                                      extended->has_limit ? &extended->limit : NULL, &none);
        assert(!is_open);
        /* What happened while the extenders were asked may have changed their answers. */
        if (extended->has_moved && entry->part == QUEUE_UNSCHEDULABLE && entry->wakes_on_any)
                scheduling_queue_retry(&scheduler->queue, entry, step->mono.ns);
}

static void scheduler_decide_entry(struct step *step, struct queued_pod *entry) {
        struct extended_decision extended;
        if (scheduler_decide_once(step, entry, NULL, NULL, &extended))
                decide_extended(step, &extended);
}

/* Pods that are being deleted are not placed any more. */
static bool skip_terminating(struct step *step, struct queued_pod *entry) {
        struct scheduler *scheduler = step->scheduler;
        const struct cluster *cluster = scheduler->config.cluster;
        const struct pod_row *row = cluster_pod(cluster, entry->pod);
        if ((row->flags & POD_TERMINATING) == 0)
                return false;
        scheduling_queue_remove(&scheduler->queue, entry);
        return true;
}

/* What waits for its answer takes memory, and is written in the order in which it was decided: an
 * urgent pod would wait behind all of it. */
static bool may_decide(const struct scheduler *scheduler) {
        return !scheduler->has_open_binds_max && !scheduler_extensions_are_full(scheduler);
}

bool scheduler_has_more(const struct scheduler *scheduler) {
        return may_decide(scheduler) && scheduling_queue_has_ready(&scheduler->queue);
}

/* Pods that are parked for too long pass their gates once more. */
static void flush_queue(struct scheduler *scheduler, int64_t now_ns) {
        struct queued_pod *entry;
        scheduling_queue_flush(&scheduler->queue, now_ns);
        while ((entry = scheduling_queue_overdue(&scheduler->queue, now_ns))) {
                if (scheduler_hold_again(scheduler, entry))
                        continue;
                entry->was_flushed = true;
                scheduling_queue_move(&scheduler->queue, entry, now_ns);
        }
}

struct scheduler_progress scheduler_step(struct scheduler *scheduler, struct mono_time mono,
                                         struct wall_time wall, size_t max_decisions,
                                         struct action_list *out) {
        struct step step = { scheduler, mono, wall, out };
        struct scheduler_progress progress = { 0 };
        const struct node_id *touched;
        /* A step begins outside of any what-if, and the queue is never ahead of the cluster. */
        assert(cluster_touched_list(scheduler->config.cluster, &touched) == 0);
        assert(scheduler->seen <= cluster_generation(scheduler->config.cluster));
        scheduler_rest(&step);
        scheduler_catch_up(scheduler, mono.ns);
        flush_queue(scheduler, mono.ns);
        scheduler_pre_bind_check(&step);
        scheduler_confirm(&step);
        scheduler_removals_expire(&step);
        while (progress.decisions < max_decisions && may_decide(scheduler)) {
                struct queued_pod *entry = scheduling_queue_pop(&scheduler->queue, mono.ns);
                if (!entry)
                        break;
                if (skip_terminating(&step, entry))
                        continue;
                arena_clear(&scheduler->scratch);
                if (!scheduler_decide_group(&step, entry))
                        scheduler_decide_entry(&step, entry);
                if (++progress.decisions % DECISIONS_PER_CATCH_UP == 0)
                        scheduler_catch_up(scheduler, mono.ns);
        }
        scheduler_catch_up(scheduler, mono.ns);
        scheduler_write_late(&step);
        if (progress.decisions > 0) {
                scheduler->decided_ns = mono.ns;
                scheduler->has_decided = true;
        }
        progress.has_more = scheduler_has_more(scheduler);
        return progress;
}

static bool scheduler_late_due(const struct scheduler *scheduler, int64_t *ret_due_ns) {
        return late_conditions_due(&scheduler->queue.late, ret_due_ns);
}

bool scheduler_next_due(const struct scheduler *scheduler, struct mono_time *ret_due) {
        bool (*const dues[])(const struct scheduler *,
                             int64_t *) = { scheduler_pre_bind_due, scheduler_confirm_due,
                                            scheduler_removals_due, scheduler_late_due,
                                            scheduler_rest_due };
        bool has_due = scheduling_queue_next_due(&scheduler->queue, &ret_due->ns);
        for (size_t i = 0; i < ARRAY_LEN(dues); i++) {
                int64_t due_ns;
                if (!dues[i](scheduler, &due_ns))
                        continue;
                if (!has_due || due_ns < ret_due->ns)
                        ret_due->ns = due_ns;
                has_due = true;
        }
        return has_due;
}

/* ---- outcomes of actions ---- */

void scheduler_result(struct scheduler *scheduler, const struct action_result *result,
                      struct mono_time mono, struct wall_time wall, struct action_list *out) {
        struct step step = { scheduler, mono, wall, out };
        if (scheduler_pre_bind_answered(&step, result))
                return;
        struct open_action *open = open_action_take(scheduler, result->id);
        if (!open)
                return;
        struct queued_pod *entry = open_action_entry(scheduler, open);
        if (open->kind == ACTION_BIND)
                scheduler_finish_bind(&step, result, open);
        else if (open->kind == ACTION_CHECK_BIND)
                scheduler_confirm_checked(&step, result, open);
        else if (open->kind == ACTION_PREEMPT_POD)
                scheduler_removal_answered(&step, result, open);
        else if (open->kind == ACTION_ASK_EXTENDER) {
                struct extended_decision extended;
                if (scheduler_extender_answered(&step, open, result, &extended))
                        decide_extended(&step, &extended);
        } else if (entry && result->code == BERTH_OK)
                entry->status_written_ns = mono.ns;
        else if (entry)
                entry->failure_hash = 0; /* written again by the next failure */
        open_action_free(open);
}

/* ---- looking in ---- */

void scheduler_stats(const struct scheduler *scheduler, struct scheduler_stats *ret_stats) {
        const struct scheduling_queue *queue = &scheduler->queue;
        const struct pod_id *nominated;
        *ret_stats = scheduler->stats;
        ret_stats->active = queue->active.count;
        ret_stats->backoff = queue->backoff.count + queue->error_backoff.count;
        ret_stats->unschedulable_pods = queue->unschedulable.count;
        ret_stats->gated = queue->gated.count;
        ret_stats->binding = queue->binding_count;
        ret_stats->nominated = cluster_nominated_pods(scheduler->config.cluster, &nominated);
}

const struct sched_profile *scheduler_profile(const struct scheduler *scheduler, size_t index) {
        return index < scheduler->config.profile_count ? scheduler->config.profiles[index] : NULL;
}

void scheduler_refusals(const struct scheduler *scheduler, size_t profile, uint32_t *ret_counts) {
        size_t count = scheduler->config.profiles[profile]->plugin_count;
        memset(ret_counts, 0, count * sizeof(*ret_counts));
        for (const struct queued_pod *entry = scheduler->queue.unschedulable.first; entry;
             entry = entry->next)
                for (size_t i = 0; i < count && entry->profile == profile && !entry->wakes_on_any &&
                                   entry->rejectors != UINT64_MAX;
                     i++)
                        ret_counts[i] += entry->rejectors >> i & 1;
}

const char *queue_part_name(enum queue_part part) {
        static const char *const names[] = {
                [QUEUE_NONE] = "none",       [QUEUE_ACTIVE] = "active",
                [QUEUE_BACKOFF] = "backoff", [QUEUE_UNSCHEDULABLE] = "unschedulable",
                [QUEUE_BINDING] = "binding",
        };
        return names[part];
}

const char *queue_event_name(enum queue_event event) {
        static const char *const names[] = {
                [QUEUE_EVENT_POD_ADDED] = "UnschedulablePodAdd",
                [QUEUE_EVENT_FAILURE] = "ScheduleAttemptFailure",
                [QUEUE_EVENT_BACKOFF_OVER] = "BackoffComplete",
                [QUEUE_EVENT_POPPED] = "PopFromBackoffQ",
                [QUEUE_EVENT_TIMEOUT] = "UnschedulableTimeout",
                [QUEUE_EVENT_POD_UPDATED] = "UnschedulablePodUpdate",
                [QUEUE_EVENT_ASSIGNED_ADDED] = "AssignedPodAdd",
                [QUEUE_EVENT_ASSIGNED_UPDATED] = "AssignedPodUpdate",
                [QUEUE_EVENT_ASSIGNED_REMOVED] = "AssignedPodDelete",
                [QUEUE_EVENT_NODE_ADDED] = "NodeAdd",
                [QUEUE_EVENT_NODE_REMOVED] = "NodeDelete",
                [QUEUE_EVENT_NODE_ALLOCATABLE] = "NodeUpdateNodeAllocatable",
                [QUEUE_EVENT_NODE_LABELS] = "NodeUpdateNodeLabel",
                [QUEUE_EVENT_NODE_TAINTS] = "NodeUpdateNodeTaint",
                [QUEUE_EVENT_NODE_CONDITION] = "NodeUpdateNodeCondition",
                [QUEUE_EVENT_NODE_FEATURES] = "NodeUpdateNodeDeclaredFeature",
                [QUEUE_EVENT_VOLUME] = "PersistentVolumeClaimUpdate",
                [QUEUE_EVENT_RESOURCE_CLAIM] = "ResourceClaimUpdate",
                [QUEUE_EVENT_DEVICES] = "ResourceSliceUpdate",
                [QUEUE_EVENT_OTHER] = "ForceActivate",
        };
        return names[event];
}

uint64_t scheduler_incoming(const struct scheduler *scheduler, enum queue_part part,
                            enum queue_event event) {
        return scheduler->queue.incoming[part][event];
}

bool scheduler_find(const struct scheduler *scheduler, struct pod_id pod,
                    struct queue_place *ret_place) {
        const struct queued_pod *entry = scheduling_queue_find(&scheduler->queue, pod);
        if (!entry)
                return false;
        *ret_place = (struct queue_place){ .part = entry->part,
                                           .is_gated = entry->is_gated,
                                           .attempts = entry->attempts,
                                           .backoff_ends = { entry->backoff_ends_ns } };
        return true;
}
