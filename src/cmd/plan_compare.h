/* Two plans for one cluster, side by side. */
#pragma once

#include "api/json.h"
#include "base/arena.h"

struct eviction_plan;

struct json_node *plan_compare_value(const struct eviction_plan *a, const struct eviction_plan *b,
                                     struct json_tree *tree);
void plan_compare_print(const struct eviction_plan *a, const struct eviction_plan *b,
                        struct arena *arena, struct buf *out);
