/* --feature-gates of upstream's programs: NAME=BOOL, comma-separated. */
#pragma once

#include "base/err.h"
#include "cmd/option_table.h"
#include "server/api_server.h"
#include <stdbool.h>
#include <stdint.h>

struct feature_gate_entry {
        const char *name;
        uint32_t bit;     /* enum feature_gate; 0 = known, without effect here */
        bool is_group;    /* stands for several gates */
        uint32_t needs;   /* bits without which it must not be on */
        uint32_t off_bit; /* set when it is off */
};
/* Ended by a NULL name. */
extern const struct feature_gate_entry scheduler_feature_gates[], descheduler_feature_gates[],
        sandbox_feature_gates[], up_feature_gates[];
/* Of sandbox_feature_gates and up_feature_gates, beside those of enum feature_gate. */
#define FEATURE_EVICTION_REQUESTS ((uint32_t)1 << 31)
/* What of groups of pods a sandbox serves with these gates. */
struct api_group_gates feature_gates_groups(uint32_t gates);

/* The option of a cluster without a scheduler. */
extern const struct option feature_gates_option_table[]; /* of a text */

/* text NULL = none.  Unknown names and values that are no booleans are errors of usage, except that
 * a table with the name "*" takes any of Kubernetes 1.36, as kube-scheduler does, unless it is
 * locked.  A gate that is on without those it needs is an error of usage, too. */
int feature_gates_read(const char *text, const struct feature_gate_entry *known,
                       uint32_t *ret_gates, struct err *err);
