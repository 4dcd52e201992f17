/* Client-side rate limit. */
#include "client/token_bucket.h"

void token_bucket_init(struct token_bucket *bucket, double per_second, double burst,
                       struct mono_time now) {
        *bucket = (struct token_bucket){ .per_second = per_second,
                                         .burst = burst < 1 ? 1 : burst,
                                         .tokens = burst < 1 ? 1 : burst,
                                         .filled_at = now };
}

bool token_bucket_take(struct token_bucket *bucket, struct mono_time now, int64_t *ret_wait_ns) {
        if (bucket->per_second <= 0)
                return true;
        bucket->tokens += (double)(now.ns - bucket->filled_at.ns) / 1e9 * bucket->per_second;
        bucket->filled_at = now;
        if (bucket->tokens > bucket->burst)
                bucket->tokens = bucket->burst;
        if (bucket->tokens >= 1) {
                bucket->tokens -= 1;
                return true;
        }
        if (ret_wait_ns)
                *ret_wait_ns = (int64_t)((1 - bucket->tokens) / bucket->per_second * 1e9) + 1;
        return false;
}
