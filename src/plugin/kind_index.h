/* Kinds of a pass by namespace, and the pods of each: for rules that ask which pods a selector
 * means, so that they walk along kinds first. */
#pragma once

#include "plugin/desched_points.h"

struct kind_range {
        const uint32_t *first; /* numbers of kinds, in the order of their labels */
        size_t count;
};
struct pod_range {
        const struct pod_id *first;
        size_t count;
};
struct kind_index; /* lives as long as the pass */

const struct kind_index *kind_index_of(struct desched_run *run);
struct kind_range kind_index_all(const struct kind_index *index); /* by namespace */
struct kind_range kind_index_namespace(const struct kind_index *index, struct str_id ns);
/* Pods with a node, those on nodes of the pass first, as a walk over these nodes meets them; ones
 * that were asked to go are among them. */
struct pod_range kind_index_pods(const struct kind_index *index, uint32_t kind);
