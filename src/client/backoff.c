/* Delays between repeated attempts. */
#include "client/backoff.h"

int64_t backoff_next(struct backoff *backoff, struct rng *rng) {
        int64_t delay = backoff->next_ns ? backoff->next_ns : backoff->min_ns;

        backoff->next_ns = delay * 2 < backoff->max_ns ? delay * 2 : backoff->max_ns;
        return delay + (int64_t)((double)delay * backoff->jitter * rng_unit(rng));
}

void backoff_reset(struct backoff *backoff) {
        backoff->next_ns = 0;
}
