/* A selector matched against many pods. */
#include "rules/label_match.h"
#include <string.h>

#define LABEL_MATCH_CAP_MIN 256

void label_match_init(struct label_match *match, const struct cluster *cluster,
                      const struct selector *selector, struct arena *arena) {
        *match = (struct label_match){ .cluster = cluster, .selector = selector, .arena = arena };
}

static void grow(struct label_match *match, size_t index) {
        size_t cap = match->cap == 0 ? LABEL_MATCH_CAP_MIN : match->cap;
        while (cap <= index)
                cap *= 2;
        uint8_t *answers = arena_alloc(match->arena, cap);
        if (match->cap > 0)
                memcpy(answers, match->answers, match->cap);
        match->answers = answers;
        match->cap = cap;
}

bool label_match_has(struct label_match *match, struct label_set_id set) {
        if (match->selector == NULL)
                return false;
        if (set.index >= match->cap)
                grow(match, set.index);
        uint8_t *answer = &match->answers[set.index];
        if (*answer == 0)
                *answer = cluster_labels_match(match->cluster, match->selector, set) ? 2 : 1;
        return *answer == 2;
}
