/* Client-side rate limit: tokens come at a steady rate up to a burst; each action takes one. */
#pragma once

#include "base/time.h"
#include <stdbool.h>
#include <stdint.h>

struct token_bucket {
        double per_second; /* 0 = no limit */
        double burst;
        double tokens;
        struct mono_time filled_at;
};

/* Starts full. */
void token_bucket_init(struct token_bucket *bucket, double per_second, double burst,
                       struct mono_time now);
/* Takes a token, or returns how long to wait for one. */
bool token_bucket_take(struct token_bucket *bucket, struct mono_time now, int64_t *ret_wait_ns);
