/* Topology spread constraints: which pods of which domain they count (reference scheduler.md 4.4).
 * Shared by the scheduler's plugin and the descheduler's. */
#pragma once

#include "model/cluster.h"
#include "rules/label_match.h"

/* A constraint of one pod, its selector completed with the values of matchLabelKeys. */
struct spread_rule {
        int32_t max_skew, min_domains; /* min_domains at least 1 */
        struct slice topology_key;
        struct str_id key; /* interned; has_key false: no node carries it */
        bool has_key;
        bool honor_affinity, honor_taints;
        bool matches_self;   /* the pod itself is one of those counted */
        bool counts_nothing; /* an empty selector */
        struct label_match match;
};
/* Rules of the constraints of one kind (hard or soft), in order; the array lives in the arena. */
size_t spread_rules_make(const struct cluster *cluster, const struct pod_spec *spec,
                         struct label_set_id labels, bool is_hard, struct arena *arena,
                         struct spread_rule **ret_rules);
/* A rule with a given selector instead of the constraint's own. */
void spread_rule_make(const struct cluster *cluster, const struct spread_constraint *constraint,
                      const struct selector *selector, struct label_set_id labels,
                      struct arena *arena, struct spread_rule *ret_rule);
/* Every rule's key is a label of the node. */
bool spread_has_all_keys(const struct cluster *cluster, const struct spread_rule *rules,
                         size_t count, struct node_id node);
/* The rule's policies let the node count for this pod. */
bool spread_includes_node(const struct cluster *cluster, const struct spread_rule *rule,
                          const struct pod_spec *spec, struct node_id node, bool allows_order);
/* Pods of the namespace on the node that the rule counts; those being deleted are left out. */
/* Adds the pods of a namespace that a rule counts to ret_pods, which has a number per node row. */
void spread_count_by_node(const struct cluster *cluster, struct spread_rule *rule, struct str_id ns,
                          uint32_t *ret_pods);
int64_t spread_count_pods(const struct cluster *cluster, struct spread_rule *rule, struct str_id ns,
                          struct node_id node);
