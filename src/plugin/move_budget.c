/* Rounds of questions. */
#include "plugin/move_budget.h"
#include "base/map.h"
#include "base/util.h"
#include <stdlib.h>

struct move_budget {
        struct map *round; /* uids asked about in earlier passes of this round */
        struct map *now;   /* ... in this pass */
        size_t left;
        bool has_run_out; /* some pods are still to be asked about: the round goes on */
};

struct move_budget *move_budget_new(void) {
        struct move_budget *budget = xcalloc(1, sizeof(*budget));
        budget->round = map_new();
        budget->now = map_new();
        budget->left = MOVE_QUESTIONS_MIN;
        return budget;
}

void move_budget_free(struct move_budget *budget) {
        if (!budget)
                return;
        map_free(budget->round);
        map_free(budget->now);
        free(budget);
}

static void start_round(struct move_budget *budget) {
        map_free(budget->round);
        budget->round = map_new();
}

void move_budget_begin(struct move_budget *budget, size_t node_count) {
        size_t at = 0;
        struct slice uid;
        void *value;
        if (!budget->has_run_out)
                start_round(budget);
        while (budget->has_run_out && map_next(budget->now, &at, &uid, &value))
                map_put(budget->round, uid, budget);
        map_free(budget->now);
        budget->now = map_new();
        budget->left = node_count > 0 ? MOVE_NODES_PER_PASS / node_count : 0;
        if (budget->left < MOVE_QUESTIONS_MIN)
                budget->left = MOVE_QUESTIONS_MIN;
        budget->has_run_out = false;
}

bool move_budget_take(struct move_budget *budget, struct slice uid) {
        if (map_get(budget->round, uid))
                return false;
        if (budget->left == 0) {
                budget->has_run_out = true;
                return false;
        }
        budget->left--;
        map_put(budget->now, uid, budget);
        return true;
}
