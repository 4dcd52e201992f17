/* Delays between repeated attempts: doubling from a minimum up to a maximum, each lengthened by a
 * random part of itself. */
#pragma once

#include "base/rng.h"
#include <stdint.h>

struct backoff {
        int64_t min_ns, max_ns;
        double jitter;   /* share of the delay that may be added; 1.0 = up to twice */
        int64_t next_ns; /* 0 = min_ns */
};

/* The delay before the next attempt. */
int64_t backoff_next(struct backoff *backoff, struct rng *rng);
void backoff_reset(struct backoff *backoff);
