/* Conditions inside editable objects. */
#pragma once

#include "api/json.h"
#include "base/time.h"

struct condition_value {
        const char *type, *status, *reason, *message; /* reason and message may be NULL */
        int64_t observed_generation;                  /* 0 = not written */
        bool is_pod; /* pods' conditions carry lastProbeTime; others always print reason, message */
};
/* Replaces or appends by type; the transition time stays when the status does. */
void condition_set(struct json_tree *tree, struct json_node *status,
                   const struct condition_value *value, struct wall_time now);
