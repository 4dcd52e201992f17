/* The change log of the model: what changed since when. */
#include "model/cluster_priv.h"

void cluster_log_change(struct cluster *cluster, uint32_t mask, struct node_id node,
                        struct pod_id pod) {
        uint64_t generation = change_log_add(&cluster->log, mask, node, pod);
        if (!node_id_is_none(node))
                cluster->nodes.generation[node.index] = generation;
}

uint64_t cluster_generation(const struct cluster *cluster) {
        return cluster->log.generation;
}

bool cluster_changes_since(const struct cluster *cluster, uint64_t generation,
                           struct change_range *ret_range) {
        return change_log_since(&cluster->log, generation, ret_range);
}
