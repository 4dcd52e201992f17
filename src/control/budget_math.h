/* The arithmetic of disruption budgets, as upstream does it. Pure. */
#pragma once

#include "api/json.h"
#include <stdbool.h>
#include <stdint.h>

struct budget_input {
        const struct json *min_available, *max_unavailable; /* int or percentage; NULL = unset */
        int64_t pods;                                       /* that the selector matches */
        int64_t scale;                                      /* what their controllers want in all */
        int64_t healthy; /* pods that are ready, stay, and are not disrupted */
};
struct budget_output {
        int64_t expected, desired, allowed;
};
/* Whether the number of pods wanted by the controllers plays a part. */
bool budget_needs_scale(const struct budget_input *input);
struct budget_output budget_compute(const struct budget_input *input);
