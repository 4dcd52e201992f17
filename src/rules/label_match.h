/* A selector matched against many pods.  Pods of one template share their label set, so each set is
 * looked at once and its answer remembered. */
#pragma once

#include "api/selector.h"
#include "base/arena.h"
#include "model/cluster.h"

struct label_match {
        const struct cluster *cluster;
        const struct selector *selector;
        struct arena *arena;
        struct str_id *keys; /* by requirement; STR_ID_EMPTY: no label bears the key */
        uint8_t *answers;    /* by label set: 0 unknown, 1 no, 2 yes */
        size_t cap;
};
/* A NULL selector matches nothing. */
void label_match_init(struct label_match *match, const struct cluster *cluster,
                      const struct selector *selector, struct arena *arena);
bool label_match_has(struct label_match *match, struct label_set_id set);
