/* Bitsets over dense indexes (node sets). Words are 64 bits; bits at and beyond `bits` are always
 * zero. */
#pragma once

#include "base/arena.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bitset {
        uint64_t *words;
        size_t bits;     /* size in bits */
        size_t word_cap; /* allocated words; 0 when the memory belongs to an arena */
};

void bitset_init(struct bitset *set); /* empty, heap-backed */
void bitset_release(struct bitset *set);
struct bitset bitset_in_arena(struct arena *arena,
                              size_t bits);          /* zeroed; must not be resized or released */
void bitset_resize(struct bitset *set, size_t bits); /* heap-backed only; new bits are zero */
void bitset_clear(struct bitset *set);
void bitset_fill(struct bitset *set);                           /* all bits one */
void bitset_copy(struct bitset *to, const struct bitset *from); /* same size (asserted) */

static inline bool bitset_has(const struct bitset *set, size_t i) {
        return i < set->bits && (set->words[i / 64] >> (i % 64) & 1);
}
static inline void bitset_add(struct bitset *set, size_t i) {
        set->words[i / 64] |= (uint64_t)1 << (i % 64);
}
static inline void bitset_remove(struct bitset *set, size_t i) {
        set->words[i / 64] &= ~((uint64_t)1 << (i % 64));
}
/* Operate on the common prefix; bits of `to` beyond `with` count as absent in `with`. */
void bitset_and(struct bitset *to, const struct bitset *with);
void bitset_and_not(struct bitset *to, const struct bitset *with);
void bitset_or(struct bitset *to, const struct bitset *with);
size_t bitset_count(const struct bitset *set);
bool bitset_is_empty(const struct bitset *set);
/* First set bit at or after `from`; SIZE_MAX when none. for (i = bitset_next(s, 0); i != SIZE_MAX;
 * i = bitset_next(s, i + 1)) */
size_t bitset_next(const struct bitset *set, size_t from);
/* The same for bits set in both. */
size_t bitset_next_in_both(const struct bitset *a, const struct bitset *b, size_t from);
