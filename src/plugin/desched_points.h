/* Extension points of the descheduler (upstream: pkg/framework/types).
 *
 * A plugin looks at the cluster through the run and asks it to evict; limits, order of plugins,
 * filters of the profile and dry run are the run's business. */
#pragma once

#include "model/evict_intent.h"
#include "plugin/plugin.h"
#include "plugin/pod_kinds.h"

struct desched_run; /* one pass over one profile; opaque to plugins */

/* What the runner offers; valid during one call. */
const struct cluster *desched_run_cluster(const struct desched_run *run);
struct wall_time desched_run_now(const struct desched_run *run);
struct arena *desched_run_scratch(struct desched_run *run);    /* lives as long as the rule runs */
struct arena *desched_run_pass_arena(struct desched_run *run); /* ... as the pass */
/* What was found out once and holds for the whole pass, such as which nodes fit a class: NULL until
 * put.  owner is any address that belongs to the asker alone. */
void *desched_run_cached(const struct desched_run *run, const void *owner, uint64_t key);
void desched_run_cache_put(struct desched_run *run, const void *owner, uint64_t key, void *value);
bool desched_run_is_parity(const struct desched_run *run);
/* The expected time of evicting the pod; 0 = negligible or unknown. */
int64_t desched_run_expected_ns(const struct desched_run *run, struct pod_id pod);
/* The Job will be deleted some time after it finished, its pods with it. */
bool desched_run_job_has_ttl(const struct desched_run *run, struct slice job_uid);
/* Upstream outside of dry run: the budgets are never loaded, no pod is covered by one. */
bool desched_run_hides_budgets(const struct desched_run *run);
/* Drops the nodes on which the pod's claims of devices could not be met; none when nobody knows. */
void desched_run_drop_deviceless(const struct desched_run *run, struct pod_id pod,
                                 struct bitset *nodes);
/* Asked to go in this pass, and no longer shown. */
bool desched_run_is_gone(const struct desched_run *run, struct pod_id pod);
/* Of all pods as the pass began. */
const struct pod_kinds *desched_run_kinds(const struct desched_run *run);
/* Nodes to be processed: ready ones that match the policy's nodeSelector, by name. */
struct node_batch_list {
        const struct node_id *nodes;
        size_t count;
};
struct node_batch_list desched_run_nodes(const struct desched_run *run);
const struct bitset *desched_run_node_set(const struct desched_run *run); /* the same, by index */
/* Measured usage, fetched before the pass; NULL when no metrics provider is configured. */
struct usage_sample { /* one series of an instant vector */
        struct slice instance;
        double value;
};
struct desched_usage {
        void *context;
        bool has_kubernetes, has_prometheus; /* which providers the policy configures */
        /* The metrics API: cpu in millicores, memory in bytes; false when it has nothing. */
        bool (*node)(void *context, struct slice node, struct slice resource, int64_t *ret_amount);
        bool (*pod)(void *context, struct slice ns, struct slice name, struct slice resource,
                    int64_t *ret_amount);
        /* What Prometheus answered to a query. */
        int (*query)(void *context, struct slice query, const struct usage_sample **ret_samples,
                     size_t *ret_count, struct err *err);
};
const struct desched_usage *desched_run_usage(const struct desched_run *run);
/* All filters of the profile (false: keep the pod; the reason is recorded for explanations). */
bool desched_run_filter(struct desched_run *run, struct pod_id pod);
bool desched_run_pre_eviction_filter(struct desched_run *run, struct pod_id pod);
/* reason: free text for the audit log and the event, "" = the plugin's name. */
enum evict_outcome desched_run_evict(struct desched_run *run, struct pod_id pod,
                                     struct slice reason);
/* For finished pods: deleting the object moves and disrupts nothing, so filters that protect
 * running pods pass it (desched_run_is_cleanup). */
bool desched_run_may_delete(struct desched_run *run, struct pod_id pod);
enum evict_outcome desched_run_delete(struct desched_run *run, struct pod_id pod,
                                      struct slice reason);
/* The rule itself leaves the pod alone, and says why. */
void desched_run_spare(struct desched_run *run, struct pod_id pod, const char *why);
bool desched_run_is_cleanup(const struct desched_run *run);
/* Leaves a record and does nothing. */
void desched_run_report(struct desched_run *run, struct pod_id pod, struct slice reason);
/* A rule that does not want something now will want it at that time, were nothing to change. */
void desched_run_note_due(struct desched_run *run, struct wall_time at);
/* How often a due time was noted in this rule. */
size_t desched_run_due_count(const struct desched_run *run);
/* The rule wants the pod, but for an age that was noted as due just now. */
void desched_run_note_young(struct desched_run *run, struct pod_id pod);
/* Why the rule did not look at pods at all, for people. */
void desched_run_note_idle(struct desched_run *run, const char *format, ...)
        __attribute__((format(printf, 2, 3)));
/* Both kinds of filters, the cheap ones first. */
bool desched_run_may_evict(struct desched_run *run, struct pod_id pod);
enum pod_listing {
        PODS_ACTIVE,   /* neither Succeeded nor Failed */
        PODS_FINISHED, /* Succeeded or Failed */
        PODS_ALL,
};
/* Pods of a node in a fixed order; the array lives as long as the rule runs. */
size_t desched_run_pods(struct desched_run *run, struct node_id node, enum pod_listing listing,
                        const struct pod_id **ret_pods);
/* Pods of all nodes of the pass, and finished or lost ones wherever they are: on nodes that are not
 * ready or gone, or on none.  By index, which is how they lie in memory: the way to look at many
 * rows. */
size_t desched_run_all_pods(struct desched_run *run, const struct pod_id **ret_pods);
/* Only those wherever; none under parity, as upstream never sees them. */
size_t desched_run_pods_elsewhere(struct desched_run *run, const struct pod_id **ret_pods);
/* That order: oldest first, then namespace and name (<0, 0, >0). */
int desched_pod_order(const struct cluster *cluster, struct pod_id a, struct pod_id b);
struct pod_order {
        const struct cluster *cluster;
        int (*compare)(const struct cluster *cluster, struct pod_id a, struct pod_id b);
};
/* Stable sort; arena lends memory. */
void desched_sort_pods(const struct pod_order *order, struct pod_id *pods, size_t count,
                       struct arena *arena);

/* Reasons a filter gives, joined for people. */
struct spare_reasons {
        struct buf *text;        /* NULL: nobody asks for all of them */
        struct desched_run *run; /* counts by the first reason; NULL = nobody does */
        size_t cause;            /* of the run, of the first reason; 0 = none yet */
};
/* Adds one, after a comma; pods are counted by the format of the first one. */
void spare_reason(struct spare_reasons *reasons, const char *format, ...)
        __attribute__((format(printf, 2, 3)));

struct desched_points {
        /* True: the pod may be evicted. */
        bool (*filter)(struct desched_run *run, const void *state, struct pod_id pod,
                       struct spare_reasons *reasons);
        bool (*pre_eviction_filter)(struct desched_run *run, const void *state, struct pod_id pod,
                                    struct spare_reasons *reasons);
        /* Whether these look at nothing but a pod's kind (plugin/pod_kinds.h), so that a pass asks
         * them once for each; NULL: they look at more. */
        bool (*filter_is_by_kind)(const void *state);
        bool (*pre_eviction_filter_is_by_kind)(const void *state);
        /* Returns 0 or an error of this plugin (the pass goes on with the next). */
        int (*deschedule)(struct desched_run *run, const void *state, struct err *err);
        int (*balance)(struct desched_run *run, const void *state, struct err *err);
        /* Its evictions are to move pods to better places; without one they are pointless. */
        bool is_mover;
};
