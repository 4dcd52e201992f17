/* Looks at pods node by node, sorts those a rule wants, and evicts until limits say otherwise. */
#include "plugins/desched/lifecycle_sweep.h"
#include <string.h>

struct wanted_pods {
        struct desched_run *run;
        const struct lifecycle_sweep *sweep;
        struct rule_plan plan;
        struct bitset matched; /* by pod index: what the rule wants */
        struct pod_id *pods;
        size_t count, cap;
};

static void lifecycle_sweep_add(struct wanted_pods *wanted, struct pod_id pod) {
        if (wanted->count == wanted->cap) {
                wanted->cap = wanted->cap ? wanted->cap * 2 : 64;
                struct pod_id *more =
                        ARENA_ARRAY(desched_run_scratch(wanted->run), struct pod_id, wanted->cap);
                if (wanted->count > 0)
                        memcpy(more, wanted->pods, wanted->count * sizeof(*more));
                wanted->pods = more;
        }
        wanted->pods[wanted->count++] = pod;
}

/* All pods at once, as they lie in memory: a walk by node would jump between them.  Upstream does
 * not see pods that are not on nodes of the pass. */
static void match_all(struct wanted_pods *wanted) {
        struct desched_run *run = wanted->run;
        const struct cluster *cluster = desched_run_cluster(run);
        bool is_parity = desched_run_is_parity(run);
        const struct pod_id *pods;
        size_t count = desched_run_all_pods(run, &pods);
        wanted->matched = bitset_in_arena(desched_run_scratch(run), cluster_pod_cap(cluster));
        for (size_t i = 0; i < count; i++) {
                if (is_parity && !bitset_has(desched_run_node_set(run),
                                             cluster_pod(cluster, pods[i])->node.index))
                        continue;
                if (rule_plan_matches(run, &wanted->plan, pods[i]))
                        bitset_add(&wanted->matched, pods[i].index);
        }
}

static void look_at(struct wanted_pods *wanted, const struct pod_id *pods, size_t count) {
        bool asks_filters = wanted->sweep->order != ORDER_BY_NODE;
        for (size_t i = 0; i < count; i++)
                if (bitset_has(&wanted->matched, pods[i].index) &&
                    (!asks_filters || desched_run_may_evict(wanted->run, pods[i])))
                        lifecycle_sweep_add(wanted, pods[i]);
}

/* Few per node; stable, so that the oldest of equals goes first. */
static void sort_by_restarts(struct wanted_pods *wanted) {
        const struct cluster *cluster = desched_run_cluster(wanted->run);
        unsigned scope = rule_plan_containers(&wanted->plan)->scope;
        int64_t *restarts = ARENA_ARRAY(desched_run_scratch(wanted->run), int64_t, wanted->count);
        for (size_t i = 0; i < wanted->count; i++) {
                struct pod_id pod = wanted->pods[i];
                int64_t count = lifecycle_restarts(cluster_pod(cluster, pod), scope);
                size_t at = i;
                for (; at > 0 && restarts[at - 1] < count; at--) {
                        restarts[at] = restarts[at - 1];
                        wanted->pods[at] = wanted->pods[at - 1];
                }
                restarts[at] = count;
                wanted->pods[at] = pod;
        }
}

static void sort_by_age(struct wanted_pods *wanted) {
        const struct pod_order order = { desched_run_cluster(wanted->run), desched_pod_order };
        desched_sort_pods(&order, wanted->pods, wanted->count, desched_run_scratch(wanted->run));
}

/* Evicts what was found, and forgets it; false when nothing more can be evicted in this pass. */
static bool evict_found(struct wanted_pods *wanted, bool is_one_node) {
        struct desched_run *run = wanted->run;
        const struct lifecycle_sweep *sweep = wanted->sweep;
        size_t count = wanted->count;
        wanted->count = 0;
        for (size_t i = 0; i < count; i++) {
                struct pod_id pod = wanted->pods[i];
                if (sweep->order == ORDER_BY_NODE && !desched_run_may_evict(run, pod))
                        continue;
                struct slice reason = sweep->describe(run, &wanted->plan,
                                                      cluster_pod(desched_run_cluster(run), pod));
                enum evict_outcome outcome = desched_run_evict(run, pod, reason);
                if (outcome == EVICT_NODE_LIMIT && is_one_node)
                        return true;
                if (outcome == EVICT_TOTAL_LIMIT)
                        return false;
        }
        return true;
}

/* The rule asks for failed pods alone, so there is nothing to see where none finished. */
static enum pod_listing listing_of(const struct lifecycle_rule *rule) {
        const struct text_list *phases = &rule->when.phases;
        return phases->count == 1 && slice_is(phases->items[0], "Failed") ? PODS_FINISHED
                                                                          : PODS_ALL;
}

static bool sweep_nodes(struct wanted_pods *wanted) {
        struct node_batch_list nodes = desched_run_nodes(wanted->run);
        enum pod_listing listing = listing_of(wanted->sweep->rule);
        const struct pod_id *pods;
        for (size_t i = 0; i < nodes.count; i++) {
                size_t count = desched_run_pods(wanted->run, nodes.nodes[i], listing, &pods);
                look_at(wanted, pods, count);
                if (wanted->sweep->order == ORDER_OLDEST || wanted->count == 0)
                        continue;
                if (wanted->sweep->order == ORDER_MOST_RESTARTS)
                        sort_by_restarts(wanted);
                if (!evict_found(wanted, true))
                        return false;
        }
        return true;
}

void lifecycle_sweep_run(struct desched_run *run, const struct lifecycle_sweep *sweep) {
        struct wanted_pods wanted = { .run = run,
                                      .sweep = sweep,
                                      .plan = rule_plan_make(run, sweep->rule) };
        const struct pod_id *pods;
        match_all(&wanted);
        if (!sweep_nodes(&wanted) || sweep->order == ORDER_MOST_RESTARTS)
                return;
        size_t count = desched_run_pods_elsewhere(run, &pods);
        look_at(&wanted, pods, count);
        if (sweep->order == ORDER_OLDEST)
                sort_by_age(&wanted);
        evict_found(&wanted, false);
}
