/* Explanations for people. */
#pragma once

#include "api/json.h"
#include "base/arena.h"

struct explain_view {
        const char *node; /* this node alone; NULL = all */
        size_t rows_max;  /* nodes shown; 0 = all */
};

/* explanation: a value of ask/explanation.h. */
void explain_print(const struct json_node *explanation, const struct explain_view *view,
                   struct arena *arena, struct buf *out);
