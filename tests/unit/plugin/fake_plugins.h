/* Scheduler plugins that do as they are told and write down when they are asked. */
#pragma once

#include "plugin/sched_attempt.h"

#define FAKE_COUNT 3 /* A, B and C; beside them Sort and Bind, which every profile needs */
#define FAKE_NODES 3 /* n0, n1, n2 */

struct fake {
        enum verdict_code pre_enqueue, pre_filter, pre_score, post_filter, pre_bind;
        uint32_t only;    /* nodes, as bits, that PreFilter restricts the cycle to; 0 = all */
        uint32_t refused; /* nodes, as bits, that Filter refuses */
        enum verdict_code refusal;
        const char *reason; /* of whatever it refuses */
        int64_t scores[FAKE_NODES];
        int64_t scale; /* NormalizeScore multiplies by it; 0 = leaves them */
        bool init_fails;
};
extern struct fake fakes[FAKE_COUNT];
extern const struct plugin *const fake_registry[];
extern unsigned fake_open; /* instances that were made and not yet given back */

/* Forgets what they were told and asked. */
void fakes_reset(void);
/* Who was asked what, "A.preFilter B.preFilter". */
const char *fakes_asked(void);
