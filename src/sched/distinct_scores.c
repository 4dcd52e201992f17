/* Raw scores by value. */
#include "sched/distinct_scores.h"
#include "base/util.h"
#include <stdlib.h>

#define VALUES_MIN 32

void distinct_scores_init(struct distinct_scores *scores, size_t node_count) {
        *scores = (struct distinct_scores){ .which = xcalloc(node_count + 1, 1) };
}

void distinct_scores_release(struct distinct_scores *scores) {
        free(scores->values);
        free(scores->weighted);
        free(scores->which);
        *scores = (struct distinct_scores){ 0 };
}

void distinct_scores_clear(struct distinct_scores *scores) {
        scores->count = 0;
}

static void distinct_scores_grow(struct distinct_scores *scores) {
        size_t cap = scores->cap == 0 ? VALUES_MIN : 2 * scores->cap;
        scores->values = xreallocarray(scores->values, cap, sizeof(*scores->values));
        scores->weighted = xreallocarray(scores->weighted, cap, sizeof(*scores->weighted));
        scores->cap = cap;
}

/* The latest values are those most likely met again; DISTINCT_MAX when it is new. */
static size_t distinct_scores_find(const struct distinct_scores *scores, struct score_kind kind,
                                   bool is_left_out) {
        for (size_t at = scores->count; at-- > 0;)
                if (scores->values[at].kind.rest == kind.rest &&
                    scores->values[at].kind.domain == kind.domain &&
                    scores->values[at].is_left_out == is_left_out)
                        return at;
        return DISTINCT_MAX;
}

static bool distinct_scores_set_one(struct distinct_scores *scores, struct node_id node,
                                    struct score_kind kind, int64_t raw, bool is_left_out) {
        size_t at = distinct_scores_find(scores, kind, is_left_out);
        if (at == DISTINCT_MAX) {
                at = scores->count;
                if (at == DISTINCT_MAX)
                        return false;
                if (at == scores->cap)
                        distinct_scores_grow(scores);
                scores->count++;
                scores->values[at] = (struct distinct_value){ kind, raw, 0, node, is_left_out };
                scores->weighted[at] = 0;
        }
        scores->which[node.index] = (uint8_t)at;
        return true;
}

bool distinct_scores_set(struct distinct_scores *scores, struct node_id node, int64_t raw,
                         bool is_left_out) {
        return distinct_scores_set_one(scores, node, (struct score_kind){ 0, raw }, raw,
                                       is_left_out);
}

bool distinct_scores_set_kind(struct distinct_scores *scores, struct node_id node,
                              struct score_kind kind, bool is_left_out) {
        return distinct_scores_set_one(scores, node, kind, 0, is_left_out);
}
