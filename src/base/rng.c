/* xoshiro256** by Blackman and Vigna (public domain algorithm), seeded through splitmix64. */
#include "base/rng.h"

#include <assert.h>

static uint64_t rng_splitmix(uint64_t *state) {
        *state += 0x9e3779b97f4a7c15u;
        uint64_t mixed = *state;
        mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
        mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
        return mixed ^ (mixed >> 31);
}

static uint64_t rotate_left(uint64_t value, int bits) {
        return (value << bits) | (value >> (64 - bits));
}

void rng_init(struct rng *rng, uint64_t seed) {
        for (int i = 0; i < 4; i++)
                rng->state[i] = rng_splitmix(&seed);
}

uint64_t rng_u64(struct rng *rng) {
        uint64_t *s = rng->state;
        uint64_t result = rotate_left(s[1] * 5, 7) * 9;
        uint64_t shifted = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= shifted;
        s[3] = rotate_left(s[3], 45);
        return result;
}

uint64_t rng_below(struct rng *rng, uint64_t bound) {
        assert(bound > 0);
        /* 2^64 mod bound: values below it would make small results more likely. */
        uint64_t excess = -bound % bound;
        uint64_t value;
        do {
                value = rng_u64(rng);
        } while (value < excess);
        return value % bound;
}

double rng_unit(struct rng *rng) {
        return (double)(rng_u64(rng) >> 11) * 0x1p-53;
}
