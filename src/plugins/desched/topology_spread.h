/* Inside the spread strategy: constraints compiled for one namespace, and how one is balanced. */
#pragma once

#include "base/map.h"
#include "plugin/desched_args.h"

/* A pod that is looked at; those of a kind are together, kinds are sorted by namespace and label
 * set. */
struct spread_member {
        struct pod_id pod;
        uint32_t kind;
};

struct spread_work {
        struct desched_run *run;
        const struct pod_scope *scope;
        bool fits_nodes;
        struct arena arena;                  /* of the constraint at hand */
        const struct spread_member *members; /* of the namespace at hand */
        size_t member_count;
        struct bitset nominated; /* pods to evict in the end */
};

struct spread_class {
        int32_t max_skew;
        struct slice topology_key;
        struct selector selector;
        bool honors_affinity, honors_taints;
        const struct pod_class *class; /* whose affinity and tolerations count */
        struct slice signature;        /* equal rules have equal ones */
};
struct spread_class spread_class_make(struct spread_work *work,
                                      const struct spread_constraint *constraint,
                                      const struct pod_kind *kind);
/* Nominates what should leave crowded domains. */
void spread_class_balance(struct spread_work *work, const struct spread_class *rule);
