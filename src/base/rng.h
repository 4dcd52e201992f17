/* Seeded random stream (xoshiro256**, seeded through splitmix64). The only source of randomness in
 * the core. */
#pragma once

#include <stdint.h>

struct rng {
        uint64_t state[4];
};

void rng_init(struct rng *rng, uint64_t seed);
uint64_t rng_u64(struct rng *rng);
uint64_t rng_below(struct rng *rng, uint64_t bound); /* uniform in [0, bound); bound > 0 */
double rng_unit(struct rng *rng);                    /* uniform in [0, 1) */
