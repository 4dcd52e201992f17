/* Updates the queue with the cluster's changes: which pods wait, and which of them a change may
 * help. */
#include "base/util.h"
#include "plugin/sched_points.h"
#include "sched/scheduler_priv.h"

#define NO_PROFILE UINT8_MAX

/* What may change about a pod that is not yet placed. */
#define OWN_CHANGES                                                                                \
        (CLUSTER_PENDING_ADDED | CLUSTER_PENDING_UPDATED | CLUSTER_PENDING_REMOVED |               \
         CLUSTER_POD_ADDED | CLUSTER_POD_REMOVED | CLUSTER_POD_STATUS | CLUSTER_POD_GATES |        \
         CLUSTER_POD_CLAIMS)

static uint8_t profile_of(const struct scheduler *scheduler, const struct pod_row *row) {
        const struct pod_class *class = cluster_class(scheduler->config.cluster, row->class);
        for (size_t i = 0; i < scheduler->config.profile_count; i++)
                if (slice_eq(scheduler->config.profiles[i]->scheduler_name,
                             class->spec.scheduler_name))
                        return (uint8_t)i;
        return NO_PROFILE;
}

/* ---- entering ---- */

static bool is_waiting(const struct pod_row *row) {
        return row->is_live && node_id_is_none(row->node) && !pod_row_is_finished(row);
}

static bool is_ours_in_flight(const struct queued_pod *entry, const struct pod_row *row) {
        return entry->part == QUEUE_BINDING && row->is_live && (row->flags & POD_ASSUMED) != 0 &&
               entry->uid_hash == scheduler_uid_hash(row);
}

/* Brings one pod's entry in line with its row. */
static void scheduler_wake_refresh(struct scheduler *scheduler, struct pod_id pod, uint32_t mask,
                                   int64_t now_ns) {
        const struct pod_row *row = cluster_pod(scheduler->config.cluster, pod);
        struct queued_pod *entry = scheduling_queue_find(&scheduler->queue, pod);
        uint8_t profile = is_waiting(row) ? profile_of(scheduler, row) : NO_PROFILE;
        group_members_note(scheduler, pod);
        if (entry && is_ours_in_flight(entry, row))
                return;
        if (entry && (profile == NO_PROFILE || (mask & CLUSTER_PENDING_REMOVED) != 0 ||
                      entry->uid_hash != scheduler_uid_hash(row))) {
                scheduling_queue_remove(&scheduler->queue, entry);
                entry = NULL;
        }
        if (profile == NO_PROFILE) {
                if ((mask & (CLUSTER_POD_ADDED | CLUSTER_POD_GATES | CLUSTER_POD_SPEC)) != 0)
                        scheduler_admit_group_of(scheduler, pod, now_ns);
                return;
        }
        if (!entry) {
                entry = scheduling_queue_add(&scheduler->queue, pod, now_ns);
                entry->uid_hash = scheduler_uid_hash(row);
                entry->profile = profile;
                entry->failure_hash = row->failure_hash;
                entry->failed_since = row->failure_changed;
                scheduler_admit(scheduler, entry, now_ns);
                scheduler_admit_group_of(scheduler, pod, now_ns);
        } else if (entry->is_gated &&
                   (mask & (CLUSTER_POD_GATES | CLUSTER_POD_SPEC | CLUSTER_POD_CLAIMS)) != 0) {
                scheduler_admit(scheduler, entry, now_ns);
        }
}

/* ---- waking ---- */

/* Upstream wakes plugins that listen to new nodes for every change of taints, too. */
static uint32_t wake_mask_of(const struct scheduler *scheduler, const struct plugin *plugin) {
        uint32_t mask = plugin->wakes_on;
        if (scheduler->config.is_parity && (mask & CLUSTER_NODE_ADDED) != 0)
                mask |= CLUSTER_NODE_TAINTS;
        return mask;
}

static bool is_extra_edge(const struct plugin *plugin, uint32_t mask) {
        return (mask & plugin->wakes_on) == 0;
}

static bool is_woken(const struct scheduler *scheduler, const struct sched_cycle *cycle,
                     const struct profile_plugin *plugin, const struct cluster_change *change) {
        const struct decision_watch *watch = scheduler->config.watch;
        const struct sched_points *sched = plugin->plugin->sched;
        if (!watch || !watch->times_hint || !watch->times_hint(watch->context))
                return sched->wakes(cycle, plugin->state, change);
        int64_t since_ns = watch->now_ns();
        bool wakes = sched->wakes(cycle, plugin->state, change);
        watch->hinted(watch->context, plugin->plugin, change->mask, wakes,
                      watch->now_ns() - since_ns);
        return wakes;
}

/* The plugins, among those that refused the pod, whose answer may differ after the change. */
static uint64_t woken_plugins(const struct scheduler *scheduler, const struct queued_pod *entry,
                              const struct cluster_change *change) {
        const struct cluster *cluster = scheduler->config.cluster;
        const struct sched_profile *profile = scheduler->config.profiles[entry->profile];
        const struct pod_row *row = cluster_pod(cluster, entry->pod);
        struct sched_cycle cycle = { .cluster = cluster,
                                     .pod = entry->pod,
                                     .class = cluster_class(cluster, row->class),
                                     .labels = row->labels,
                                     .ns = row->ns,
                                     .priority = row->priority,
                                     .pod_name = row->name,
                                     .is_parity = scheduler->config.is_parity,
                                     .object_cache = profile->object_cache };
        uint64_t all = profile->plugin_count < PROFILE_PLUGINS_MAX
                               ? ((uint64_t)1 << profile->plugin_count) - 1
                               : UINT64_MAX;
        uint64_t woken = 0;
        for (uint64_t left = entry->rejectors & all; left != 0; left &= left - 1) {
                size_t i = (size_t)__builtin_ctzll(left);
                const struct profile_plugin *plugin = &profile->plugins[i];
                if ((wake_mask_of(scheduler, plugin->plugin) & change->mask) == 0)
                        continue;
                if (!plugin->plugin->sched->wakes || is_extra_edge(plugin->plugin, change->mask) ||
                    is_woken(scheduler, &cycle, plugin, change))
                        woken |= (uint64_t)1 << i;
        }
        return woken;
}

static bool is_alive_node(const struct cluster *cluster, struct node_id node) {
        return bitset_has(&cluster_nodes(cluster)->live, node.index);
}

/* Nodes that were deleted since, and nominations that did not end, help no pod. */
static bool is_void(const struct scheduler *scheduler, const struct cluster_change *change) {
        const struct cluster *cluster = scheduler->config.cluster;
        return !node_id_is_none(change->node) && (change->mask & CLUSTER_NODE_REMOVED) == 0 &&
               !is_alive_node(cluster, change->node);
}

/* The pod as we wrote it ourselves. */
static bool is_own_echo(const struct queued_pod *entry, const struct cluster_change *change) {
        uint32_t own = CLUSTER_POD_LABELS | CLUSTER_POD_SCALED_DOWN | CLUSTER_POD_GATES |
                       CLUSTER_POD_TOLERATIONS | CLUSTER_POD_SPEC | CLUSTER_POD_CLAIMS;
        return change->pod.index == entry->pod.index && (change->mask & own) == 0;
}

enum queue_event queue_event_of(uint32_t mask) {
        static const struct {
                uint32_t mask;
                enum queue_event event;
        } events[] = {
                { CLUSTER_NODE_ADDED, QUEUE_EVENT_NODE_ADDED },
                { CLUSTER_NODE_REMOVED, QUEUE_EVENT_NODE_REMOVED },
                { CLUSTER_NODE_ALLOCATABLE, QUEUE_EVENT_NODE_ALLOCATABLE },
                { CLUSTER_NODE_LABELS, QUEUE_EVENT_NODE_LABELS },
                { CLUSTER_NODE_TAINTS, QUEUE_EVENT_NODE_TAINTS },
                { CLUSTER_NODE_CONDITION, QUEUE_EVENT_NODE_CONDITION },
                { CLUSTER_NODE_FEATURES, QUEUE_EVENT_NODE_FEATURES },
                { CLUSTER_POD_ADDED, QUEUE_EVENT_ASSIGNED_ADDED },
                { CLUSTER_POD_REMOVED, QUEUE_EVENT_ASSIGNED_REMOVED },
                { CLUSTER_PENDING_ADDED, QUEUE_EVENT_POD_ADDED },
                { CLUSTER_PENDING_UPDATED | CLUSTER_POD_GATES, QUEUE_EVENT_POD_UPDATED },
                { CLUSTER_POD_LABELS | CLUSTER_POD_SCALED_DOWN | CLUSTER_POD_TOLERATIONS |
                          CLUSTER_POD_STATUS | CLUSTER_POD_SPEC,
                  QUEUE_EVENT_ASSIGNED_UPDATED },
                { CLUSTER_CLAIM, QUEUE_EVENT_VOLUME },
                { CLUSTER_RESOURCE_CLAIM, QUEUE_EVENT_RESOURCE_CLAIM },
                { CLUSTER_DEVICES, QUEUE_EVENT_DEVICES },
        };
        for (size_t i = 0; i < ARRAY_LEN(events); i++)
                if ((mask & events[i].mask) != 0)
                        return events[i].event;
        return QUEUE_EVENT_OTHER;
}

struct alike_key scheduler_identify(const void *context, const struct queued_pod *entry) {
        const struct scheduler *scheduler = context;
        const struct sched_profile *profile = scheduler->config.profiles[entry->profile];
        const struct pod_row *row = cluster_pod(scheduler->config.cluster, entry->pod);
        /* Claims may be the pod's own. */
        bool has_claims =
                row->is_live &&
                cluster_class(scheduler->config.cluster, row->class)->spec.claim_count > 0;
        bool is_alone = has_claims || (entry->rejectors & profile->unhinted) != 0;
        return (struct alike_key){ row->class, row->labels, row->ns, row->priority,
                                   is_alone ? entry->pod.index + 1 : 0 };
}

/* A change, and the pods it may concern. */
struct wake {
        struct scheduler *scheduler;
        const struct cluster_change *change;
        int32_t priority_max; /* pods of a higher priority are not concerned */
        int64_t now_ns;
};

/* A pod that is not live has gone, as a later change says. */
static bool is_concerned(const struct wake *wake, const struct queued_pod *entry) {
        return entry->priority <= wake->priority_max &&
               wake->change->generation > entry->decided_generation &&
               cluster_pod(wake->scheduler->config.cluster, entry->pod)->is_live;
}

static void move_woken(const struct wake *wake, struct queued_pod *entry, uint64_t woken) {
        struct scheduling_queue *queue = &wake->scheduler->queue;
        if (scheduler_hold_again(wake->scheduler, entry))
                return;
        if (entry->wakes_on_any)
                scheduling_queue_retry(queue, entry, wake->now_ns);
        else if (entry->open_removals > 0)
                entry->was_woken = true;
        else if ((woken & entry->pendings) != 0)
                scheduling_queue_activate(queue, entry);
        else
                scheduling_queue_move(queue, entry, wake->now_ns);
}

/* Whether the change may help the pod, and by which plugins' word. */
static bool may_help(const struct wake *wake, const struct queued_pod *entry, uint64_t *ret_woken) {
        *ret_woken = 0;
        if (entry->wakes_on_any)
                return !is_own_echo(entry, wake->change);
        *ret_woken = woken_plugins(wake->scheduler, entry, wake->change);
        return *ret_woken != 0;
}

/* The change of a pod itself wakes only that pod. */
static void wake_itself(const struct wake *wake, struct queued_pod *entry) {
        uint64_t woken;
        if (entry && entry->part == QUEUE_UNSCHEDULABLE && !entry->is_gated &&
            (entry->wakes_on & wake->change->mask) != 0 && is_concerned(wake, entry) &&
            may_help(wake, entry, &woken))
                move_woken(wake, entry, woken);
}

/* The first of the alike pods that is concerned decides for all. */
static void wake_group(const struct wake *wake, const struct parked_group *group) {
        uint64_t woken = 0;
        bool is_asked = false;
        for (struct queued_pod *entry = group->first, *next; entry; entry = next) {
                next = entry->next_alike;
                if (entry->pod.index == wake->change->pod.index || !is_concerned(wake, entry))
                        continue;
                if (!is_asked && !may_help(wake, entry, &woken))
                        return;
                is_asked = true;
                move_woken(wake, entry, woken);
        }
}

static void wake_parked(const struct wake *wake) {
        struct scheduling_queue *queue = &wake->scheduler->queue;
        const struct cluster_change *change = wake->change;
        if ((queue->wakes_on & change->mask) == 0 || is_void(wake->scheduler, change))
                return;
        queue->event = queue_event_of(change->mask);
        if (!pod_id_is_none(change->pod))
                wake_itself(wake, scheduling_queue_find(queue, change->pod));
        for (struct parked_reason *reason = queue->parked.reasons, *next; reason; reason = next) {
                next = reason->next;
                if ((reason->wakes_on & change->mask) == 0)
                        continue;
                for (struct parked_group *group = reason->first, *after; group; group = after) {
                        after = group->next;
                        wake_group(wake, group);
                }
        }
}

/* A nomination that ended frees capacity as a deleted pod does, to those it was held against. */
static struct cluster_change scheduler_wake_translate(const struct scheduler *scheduler,
                                                      const struct cluster_change *change,
                                                      int32_t *ret_priority_max) {
        struct cluster_change translated = *change;
        *ret_priority_max = INT32_MAX;
        if ((change->mask & CLUSTER_NOMINATION) != 0 && !pod_id_is_none(change->pod)) {
                const struct pod_row *row = cluster_pod(scheduler->config.cluster, change->pod);
                if (!row->is_live || row->nominated.index == 0)
                        translated.mask |= CLUSTER_POD_REMOVED;
                if (row->is_live && change->mask == CLUSTER_NOMINATION)
                        *ret_priority_max = row->priority;
        }
        return translated;
}

static void scheduler_wake_apply(struct scheduler *scheduler, const struct cluster_change *changes,
                                 size_t count, int64_t now_ns) {
        for (size_t i = 0; i < count; i++) {
                int32_t priority_max;
                struct cluster_change change =
                        scheduler_wake_translate(scheduler, &changes[i], &priority_max);
                scheduler->queue.event = queue_event_of(change.mask);
                if ((change.mask & OWN_CHANGES) != 0 && !pod_id_is_none(change.pod))
                        scheduler_wake_refresh(scheduler, change.pod, change.mask, now_ns);
                wake_parked(&(struct wake){ scheduler, &change, priority_max, now_ns });
        }
}

static void refile_run(struct scheduler *scheduler, const struct cluster_change *changes,
                       size_t count) {
        for (size_t i = 0; i < count; i++) {
                struct queued_pod *entry =
                        (changes[i].mask & OWN_CHANGES) == 0 || pod_id_is_none(changes[i].pod)
                                ? NULL
                                : scheduling_queue_find(&scheduler->queue, changes[i].pod);
                if (entry)
                        scheduling_queue_refile(&scheduler->queue, entry);
        }
}

/* Parked pods are asked for as they are now, also about changes before they became so. */
static void refile_changed(struct scheduler *scheduler) {
        struct change_range range;
        if (!scheduler->has_seen ||
            !cluster_changes_since(scheduler->config.cluster, scheduler->seen, &range))
                return;
        refile_run(scheduler, range.first, range.first_count);
        refile_run(scheduler, range.second, range.second_count);
}

/* The log does not reach back: look at every row, and let everyone try again. */
static void wake_start_again(struct scheduler *scheduler, int64_t now_ns) {
        size_t cap = cluster_pod_cap(scheduler->config.cluster);
        scheduler->queue.event = QUEUE_EVENT_POD_ADDED;
        for (uint32_t i = 0; i < cap; i++)
                scheduler_wake_refresh(scheduler, (struct pod_id){ i },
                                       CLUSTER_POD_GATES | CLUSTER_POD_SPEC, now_ns);
        struct queued_pod *entry;
        while ((entry = scheduler->queue.unschedulable.last))
                scheduling_queue_move(&scheduler->queue, entry, now_ns);
}

void scheduler_catch_up(struct scheduler *scheduler, int64_t now_ns) {
        struct cluster *cluster = scheduler->config.cluster;
        uint64_t generation = cluster_generation(cluster);
        struct change_range range;
        if (scheduler->has_seen && generation == scheduler->seen)
                return;
        if (scheduler->has_seen && cluster_changes_since(cluster, scheduler->seen, &range)) {
                refile_changed(scheduler);
                scheduler_wake_apply(scheduler, range.first, range.first_count, now_ns);
                scheduler_wake_apply(scheduler, range.second, range.second_count, now_ns);
        } else {
                wake_start_again(scheduler, now_ns);
        }
        scheduler->has_seen = true;
        scheduler->seen = generation;
        cluster_drop_old_pods(cluster);
}

void scheduler_notice(struct scheduler *scheduler, uint32_t mask, struct mono_time mono) {
        struct cluster_change change = {
                .generation = UINT64_MAX, .mask = mask, .node = NODE_NONE, .pod = POD_NONE
        };
        refile_changed(scheduler);
        wake_parked(&(struct wake){ scheduler, &change, INT32_MAX, mono.ns });
        for (struct queued_pod *entry = scheduler->queue.gated.first, *next; entry; entry = next) {
                next = entry->next;
                if ((entry->wakes_on & mask) != 0 &&
                    cluster_pod(scheduler->config.cluster, entry->pod)->is_live)
                        scheduler_admit(scheduler, entry, mono.ns);
        }
        object_cache_settle(scheduler->config.object_cache);
}
