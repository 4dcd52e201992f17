/* Tolerations against taints. */
#include "rules/taints.h"

static const struct taint unschedulable_taint = {
        .key = SLICE_INIT("node.kubernetes.io/unschedulable"),
        .effect = TAINT_NO_SCHEDULE,
};

/* Upstream takes decimal integers without leading zeros or a plus sign. */
static bool is_decimal(struct slice text) {
        size_t at = text.len > 0 && text.ptr[0] == '-' ? 1 : 0;
        if (text.len == at)
                return false;
        return text.ptr[at] != '0' ? text.ptr[0] != '+' : text.len == 1;
}

static bool is_ordered(const struct toleration *toleration, const struct taint *taint) {
        int64_t wanted, value;
        if (!is_decimal(toleration->value) || !is_decimal(taint->value) ||
            !slice_to_i64(toleration->value, &wanted) || !slice_to_i64(taint->value, &value))
                return false;
        return toleration->op == TOLERATION_LT ? value < wanted : value > wanted;
}

bool toleration_covers(const struct toleration *toleration, const struct taint *taint,
                       bool allows_order) {
        if (toleration->effect != TAINT_EFFECT_NONE && toleration->effect != taint->effect)
                return false;
        if (!slice_is_empty(toleration->key) && !slice_eq(toleration->key, taint->key))
                return false;
        switch (toleration->op) {
        case TOLERATION_EXISTS:
                return true;
        case TOLERATION_EQUAL:
                return slice_eq(toleration->value, taint->value);
        case TOLERATION_LT:
        case TOLERATION_GT:
                return allows_order && is_ordered(toleration, taint);
        }
        return false;
}

static bool is_covered(const struct taint *taint, const struct toleration *tolerations,
                       size_t count, bool allows_order) {
        for (size_t i = 0; i < count; i++)
                if (toleration_covers(&tolerations[i], taint, allows_order))
                        return true;
        return false;
}

const struct taint *taints_find_untolerated(const struct taint *taints, size_t taint_count,
                                            const struct toleration *tolerations,
                                            size_t toleration_count, unsigned effects,
                                            bool allows_order) {
        for (size_t i = 0; i < taint_count; i++)
                if ((effects & TAINT_BIT(taints[i].effect)) != 0 &&
                    !is_covered(&taints[i], tolerations, toleration_count, allows_order))
                        return &taints[i];
        return NULL;
}

const struct taint *node_untolerated_taint(const struct cluster *cluster, struct node_id node,
                                           const struct pod_spec *spec, unsigned effects,
                                           bool allows_order) {
        const struct taint *taints;
        struct taint_set_id set = cluster_nodes(cluster)->taints[node.index];
        size_t count = set.index == 0 ? 0 : cluster_taints(cluster, set, &taints);
        return count == 0 ? NULL
                          : taints_find_untolerated(taints, count, spec->tolerations,
                                                    spec->toleration_count, effects, allows_order);
}

void taints_narrow(const struct cluster *cluster, const struct pod_spec *spec, unsigned effects,
                   bool allows_order, struct bitset *nodes) {
        size_t cap = cluster_taint_set_cap(cluster);
        for (uint32_t i = 1; i < cap; i++) {
                struct taint_set_id set = { i };
                const struct bitset *carriers = cluster_nodes_with_taints(cluster, set);
                if (!carriers)
                        continue;
                const struct taint *taints;
                size_t count = cluster_taints(cluster, set, &taints);
                if (taints_find_untolerated(taints, count, spec->tolerations,
                                            spec->toleration_count, effects, allows_order))
                        bitset_and_not(nodes, carriers);
        }
}

int64_t taints_count_repelling(const struct taint *taints, size_t taint_count,
                               const struct toleration *tolerations, size_t toleration_count,
                               bool allows_order) {
        int64_t count = 0;
        for (size_t i = 0; i < taint_count; i++)
                if (taints[i].effect == TAINT_PREFER_NO_SCHEDULE &&
                    !is_covered(&taints[i], tolerations, toleration_count, allows_order))
                        count++;
        return count;
}

bool tolerates_unschedulable(const struct pod_spec *spec, bool allows_order) {
        return is_covered(&unschedulable_taint, spec->tolerations, spec->toleration_count,
                          allows_order);
}
