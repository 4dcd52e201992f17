/* Judging one node: what the plugins say of it, and whether pods nominated to it leave the pod what
 * it needs.  Verdicts that hold for pods of the same kind are taken from the cache of verdicts. */
#include "plugin/sched_attempt_priv.h"
#include "plugin/verdict_cache.h"

/* ---- nominees ---- */

/* Whether a nominee counts on its node while this pod is judged. */
static bool is_respected(const struct sched_attempt *attempt, struct pod_id nominee) {
        const struct pod_row *row = cluster_pod(attempt->cluster, nominee);
        return nominee.index != attempt->cycle.pod.index &&
               row->priority >= attempt->cycle.priority && node_id_is_none(row->node) &&
               row->nominated.index != 0;
}

/* A list of its own: what-ifs that put nominees on nodes change the model's. */
void sched_attempt_find_nominees(struct sched_attempt *attempt) {
        const struct cluster *cluster = attempt->cluster;
        struct arena *arena = attempt->cycle.scratch;
        const struct pod_id *pods;
        size_t count = cluster_nominated_pods(cluster, &pods);
        struct nominee *nominees = NULL;
        for (size_t i = 0; i < count; i++) {
                if (!is_respected(attempt, pods[i]))
                        continue;
                struct node_id node =
                        cluster_node_named(cluster, cluster_pod(cluster, pods[i])->nominated);
                if (node_id_is_none(node))
                        continue;
                if (!nominees)
                        nominees = ARENA_ARRAY(arena, struct nominee, count - i);
                nominees[attempt->nominee_count++] = (struct nominee){ pods[i], node, 0 };
        }
        attempt->nominees = nominees;
        if (!nominees)
                return;
        attempt->first_nominee = ARENA_ARRAY(arena, uint32_t, cluster_nodes(cluster)->count);
        for (size_t i = attempt->nominee_count; i-- > 0;) {
                uint32_t *first = &attempt->first_nominee[nominees[i].node.index];
                nominees[i].next = *first;
                *first = (uint32_t)i + 1;
        }
}

static uint32_t first_nominee(const struct sched_attempt *attempt, struct node_id node) {
        return !attempt->first_nominee ? 0 : attempt->first_nominee[node.index];
}

/* Judges with the node's nominees added; those that are not there leave nothing to judge. */
static bool judge_with_nominees(struct sched_attempt *attempt, struct node_id node,
                                struct node_refusal *ret_refusal) {
        size_t added = 0;
        cluster_checkpoint(attempt->cluster);
        for (uint32_t i = first_nominee(attempt, node); i > 0; i = attempt->nominees[i - 1].next) {
                struct pod_id nominee = attempt->nominees[i - 1].pod;
                if (!is_respected(attempt, nominee))
                        continue;
                cluster_assume(attempt->cluster, nominee, node);
                added++;
        }
        bool fits = true;
        if (added > 0)
                fits = sched_attempt_explain_changed(attempt, node, ret_refusal);
        cluster_rollback(attempt->cluster);
        return fits;
}

static bool has_nominees(const struct sched_attempt *attempt, struct node_id node) {
        return first_nominee(attempt, node) > 0;
}

static bool sched_attempt_judge_node(struct sched_attempt *attempt, struct node_id node,
                                     struct node_refusal *ret_refusal) {
        if (attempt->nominee_count > 0 && has_nominees(attempt, node) &&
            !judge_with_nominees(attempt, node, ret_refusal))
                return false;
        sched_attempt_settle(attempt);
        return sched_attempt_explain(attempt, node, ret_refusal);
}

bool sched_attempt_judge(struct sched_attempt *attempt, struct node_id node,
                         struct node_refusal *ret_refusal) {
        if (verdict_cache_find(attempt, node, ret_refusal))
                return ret_refusal->code == VERDICT_OK;
        bool fits = sched_attempt_judge_node(attempt, node, ret_refusal);
        verdict_cache_put(attempt, node, fits ? NULL : ret_refusal);
        return fits;
}

bool sched_attempt_judge_changed(struct sched_attempt *attempt, struct node_id node,
                                 struct node_refusal *ret_refusal) {
        if (attempt->nominee_count > 0 && has_nominees(attempt, node) &&
            !judge_with_nominees(attempt, node, ret_refusal))
                return false;
        return sched_attempt_explain_changed(attempt, node, ret_refusal);
}

/* Whether a node is none of the set, or fits the pod beside its nominees. */
static bool is_free(struct sched_attempt *attempt, struct node_id node,
                    const struct bitset *nodes) {
        struct node_refusal refusal;
        if (!bitset_has(nodes, node.index))
                return true;
        if (verdict_cache_find(attempt, node, &refusal))
                return refusal.code == VERDICT_OK;
        bool fits = judge_with_nominees(attempt, node, &refusal);
        verdict_cache_put(attempt, node, fits ? NULL : &refusal);
        return fits;
}

/* Plugins whose answers do not depend on the pods of a node. */
static uint64_t plugins_without_pods(const struct sched_profile *profile) {
        uint64_t plugins = 0;
        for (size_t i = 0; i < profile->plugin_count; i++)
                if (profile->plugins[i].filter_scope == CACHE_SCOPE_NODE)
                        plugins |= (uint64_t)1 << i;
        return plugins;
}

void sched_attempt_drop_nominated(struct sched_attempt *attempt, struct bitset *nodes) {
        if (attempt->nominee_count == 0)
                return;
        verdict_cache_open(attempt);
        attempt->agreed = plugins_without_pods(attempt->profile);
        for (size_t i = 0; i < attempt->nominee_count; i++)
                if (!is_free(attempt, attempt->nominees[i].node, nodes))
                        bitset_remove(nodes, attempt->nominees[i].node.index);
        attempt->agreed = 0;
}

void sched_attempt_filter(struct sched_attempt *attempt, struct bitset *nodes) {
        if (attempt->only)
                bitset_and(nodes, attempt->only);
        sched_attempt_narrow(attempt, UINT64_MAX, nodes);
        sched_attempt_drop_nominated(attempt, nodes);
}
