/* SHA-256, one call per message. */
#include "base/sha256.h"

#define BLOCK_SIZE 64
#define LENGTH_AT 56 /* where the length of the message ends the last block */

/* Fractional parts of the cube roots of the first 64 primes. */
static const uint32_t round_constants[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
        0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
        0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
        0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
        0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
        0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
        0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
        0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
        0xc67178f2,
};

static uint32_t sha256_rotate(uint32_t word, unsigned bits) {
        return word >> bits | word << (32 - bits);
}

static void sha256_expand(const uint8_t *block, uint32_t words[64]) {
        for (size_t i = 0; i < 16; i++)
                words[i] = (uint32_t)block[i * 4] << 24 | (uint32_t)block[i * 4 + 1] << 16 |
                           (uint32_t)block[i * 4 + 2] << 8 | block[i * 4 + 3];
        for (size_t i = 16; i < 64; i++) {
                uint32_t a = words[i - 15], b = words[i - 2];

                words[i] = words[i - 16] + (sha256_rotate(a, 7) ^ sha256_rotate(a, 18) ^ a >> 3) +
                           words[i - 7] + (sha256_rotate(b, 17) ^ sha256_rotate(b, 19) ^ b >> 10);
        }
}

static void take_block(uint32_t state[8], const uint8_t *block) {
        uint32_t words[64], v[8];

        sha256_expand(block, words);
        memcpy(v, state, sizeof(v));
        for (size_t i = 0; i < 64; i++) {
                uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
                uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
                uint32_t a = v[7] +
                             (sha256_rotate(v[4], 6) ^ sha256_rotate(v[4], 11) ^
                              sha256_rotate(v[4], 25)) +
                             choice + round_constants[i] + words[i];
                uint32_t b = (sha256_rotate(v[0], 2) ^ sha256_rotate(v[0], 13) ^
                              sha256_rotate(v[0], 22)) +
                             majority;

                memmove(v + 1, v, 7 * sizeof(v[0]));
                v[4] += a;
                v[0] = a + b;
        }
        for (size_t i = 0; i < 8; i++)
                state[i] += v[i];
}

void sha256(struct slice data, uint8_t ret_digest[SHA256_SIZE]) {
        uint32_t state[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                              0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
        uint8_t tail[2 * BLOCK_SIZE] = { 0 };
        size_t whole = data.len / BLOCK_SIZE * BLOCK_SIZE, left = data.len - whole;
        size_t tail_size = left < LENGTH_AT ? BLOCK_SIZE : 2 * BLOCK_SIZE;
        uint64_t bits = (uint64_t)data.len * 8;

        for (size_t at = 0; at < whole; at += BLOCK_SIZE)
                take_block(state, (const uint8_t *)data.ptr + at);
        if (left)
                memcpy(tail, data.ptr + whole, left);
        tail[left] = 0x80;
        for (size_t i = 0; i < 8; i++)
                tail[tail_size - 1 - i] = (uint8_t)(bits >> (8 * i));
        for (size_t at = 0; at < tail_size; at += BLOCK_SIZE)
                take_block(state, tail + at);
        for (size_t i = 0; i < SHA256_SIZE; i++)
                ret_digest[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i % 4)));
}

void sha256_text(struct slice data, char ret_text[SHA256_TEXT_SIZE]) {
        static const char digits[] = "0123456789abcdef";
        uint8_t digest[SHA256_SIZE];

        sha256(data, digest);
        for (size_t i = 0; i < SHA256_SIZE; i++) {
                ret_text[2 * i] = digits[digest[i] >> 4];
                ret_text[2 * i + 1] = digits[digest[i] & 15];
        }
        ret_text[SHA256_TEXT_SIZE - 1] = '\0';
}
