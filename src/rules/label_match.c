/* A selector matched against many pods. */
#include "rules/label_match.h"
#include <string.h>

#define LABEL_MATCH_CAP_MIN 256

void label_match_init(struct label_match *match, const struct cluster *cluster,
                      const struct selector *selector, struct arena *arena) {
        *match = (struct label_match){ .cluster = cluster, .selector = selector, .arena = arena };
        if (!selector)
                return;
        match->keys = ARENA_ARRAY(arena, struct str_id, selector->count);
        for (size_t i = 0; i < selector->count; i++) {
                bool is_known;
                struct str_id key = cluster_str(cluster, selector->requirements[i].key, &is_known);
                if (is_known)
                        match->keys[i] = key;
        }
}

static bool label_match_matches(const struct label_match *match, struct label_set_id set) {
        if (match->selector->matches_nothing)
                return false;
        for (size_t i = 0; i < match->selector->count; i++) {
                struct str_id value = STR_ID_EMPTY;
                bool has_key = !str_id_eq(match->keys[i], STR_ID_EMPTY) &&
                               cluster_label_get(match->cluster, set, match->keys[i], &value);
                if (!selector_requirement_matches(&match->selector->requirements[i], has_key,
                                                  cluster_text(match->cluster, value)))
                        return false;
        }
        return true;
}

static void label_match_grow(struct label_match *match, size_t index) {
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
        if (!match->selector)
                return false;
        if (set.index >= match->cap)
                label_match_grow(match, set.index);
        uint8_t *answer = &match->answers[set.index];
        if (*answer == 0)
                *answer = label_match_matches(match, set) ? 2 : 1;
        return *answer == 2;
}
