/* Tolerations against taints, for placing and for evicting. */
#pragma once

#include "api/object.h"
#include "model/cluster.h"

/* Sets of effects as bits. */
#define TAINT_BIT(effect) (1u << (effect))
#define TAINTS_THAT_BLOCK (TAINT_BIT(TAINT_NO_SCHEDULE) | TAINT_BIT(TAINT_NO_EXECUTE))
#define TAINTS_THAT_REPEL TAINT_BIT(TAINT_PREFER_NO_SCHEDULE)

/* Effect and key equal or left open; Exists, equal value, or (with allows_order, upstream's gate
 * TaintTolerationComparisonOperators) a taint value below (Lt) or above (Gt) the toleration's; both
 * must be decimal integers. */
bool toleration_covers(const struct toleration *toleration, const struct taint *taint,
                       bool allows_order);
/* The first taint with one of the effects that no toleration covers; NULL when there is none. */
const struct taint *taints_find_untolerated(const struct taint *taints, size_t taint_count,
                                            const struct toleration *tolerations,
                                            size_t toleration_count, unsigned effects,
                                            bool allows_order);
/* The same for a pod and a node of the model. */
const struct taint *node_untolerated_taint(const struct cluster *cluster, struct node_id node,
                                           const struct pod_spec *spec, unsigned effects,
                                           bool allows_order);
/* Drops the nodes with an untolerated taint of these effects; one look per distinct taint set. */
void taints_narrow(const struct cluster *cluster, const struct pod_spec *spec, unsigned effects,
                   bool allows_order, struct bitset *nodes);
/* How many taints of the effect PreferNoSchedule the tolerations leave uncovered; only tolerations
 * of that effect or of none take part. */
int64_t taints_count_repelling(const struct taint *taints, size_t taint_count,
                               const struct toleration *tolerations, size_t toleration_count,
                               bool allows_order);
/* Whether the pod may run on a cordoned node: it tolerates node.kubernetes.io/unschedulable. */
bool tolerates_unschedulable(const struct pod_spec *spec, bool allows_order);
