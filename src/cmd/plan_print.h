/* Eviction plans as values and as text. */
#pragma once

#include "api/json.h"
#include "base/arena.h"

struct eviction_plan;

struct plan_view {
        bool shows_spared;
        struct arena *arena;
};

/* What the value is made of stands in docs/plan.md. */
struct json_node *plan_value(const struct eviction_plan *plan, const struct plan_view *view,
                             struct json_tree *tree);
void plan_print(const struct eviction_plan *plan, const struct plan_view *view, struct buf *out);
