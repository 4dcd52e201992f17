/* The distinct raw scores of one normalising plugin among the nodes a pod fits.  Normalised scores
 * follow from these few values, so a change of one node costs no pass over all of them. */
#pragma once

#include "plugin/cache_hints.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DISTINCT_MAX 255

struct distinct_value {
        struct score_kind kind; /* without kinds: domain 0, and the raw score as the rest */
        int64_t raw;
        uint32_t users;        /* nodes that fit and have it */
        struct node_id sample; /* a node that had it */
        bool is_left_out;      /* of normalising */
};
struct distinct_scores {
        size_t count, cap;
        struct distinct_value *values;
        int32_t *weighted; /* per value: normalised, times the plugin's weight */
        uint8_t *which;    /* per node: number of its value */
};

void distinct_scores_init(struct distinct_scores *scores, size_t node_count);
void distinct_scores_release(struct distinct_scores *scores);
void distinct_scores_clear(struct distinct_scores *scores); /* forgets all values */
/* Gives a node its raw score; users stay as they are.  False: there are too many values. */
bool distinct_scores_set(struct distinct_scores *scores, struct node_id node, int64_t raw,
                         bool is_left_out);
/* The same by kind.  A new one is worth nothing yet. */
bool distinct_scores_set_kind(struct distinct_scores *scores, struct node_id node,
                              struct score_kind kind, bool is_left_out);
/* The node begins or ceases to use its value; true when the values in use change by it. */
static inline bool distinct_scores_join(struct distinct_scores *scores, size_t node) {
        return scores->values[scores->which[node]].users++ == 0;
}
static inline bool distinct_scores_leave(struct distinct_scores *scores, size_t node) {
        return --scores->values[scores->which[node]].users == 0;
}
