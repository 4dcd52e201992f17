/* Rounds of questions. */
#include "plugin/move_turns.h"
#include "base/map.h"
#include "base/util.h"
#include <stdlib.h>

struct move_turns {
        struct map *round; /* uids asked about in earlier passes of this round */
        struct map *now;   /* ... in this pass */
        size_t left;
        bool has_run_out; /* somebody is still to come: the round goes on */
};

struct move_turns *move_turns_new(void) {
        struct move_turns *turns = xcalloc(1, sizeof(*turns));
        turns->round = map_new();
        turns->now = map_new();
        turns->left = MOVE_TURNS_MIN;
        return turns;
}

void move_turns_free(struct move_turns *turns) {
        if (!turns)
                return;
        map_free(turns->round);
        map_free(turns->now);
        free(turns);
}

static void start_round(struct move_turns *turns) {
        map_free(turns->round);
        turns->round = map_new();
}

void move_turns_begin(struct move_turns *turns, size_t node_count) {
        size_t at = 0;
        struct slice uid;
        void *value;
        if (!turns->has_run_out)
                start_round(turns);
        while (turns->has_run_out && map_next(turns->now, &at, &uid, &value))
                map_put(turns->round, uid, turns);
        map_free(turns->now);
        turns->now = map_new();
        turns->left = node_count > 0 ? MOVE_LOOKS_PER_PASS / node_count : 0;
        if (turns->left < MOVE_TURNS_MIN)
                turns->left = MOVE_TURNS_MIN;
        turns->has_run_out = false;
}

bool move_turns_take(struct move_turns *turns, struct slice uid) {
        if (map_get(turns->round, uid))
                return false;
        if (turns->left == 0) {
                turns->has_run_out = true;
                return false;
        }
        turns->left--;
        map_put(turns->now, uid, turns);
        return true;
}
