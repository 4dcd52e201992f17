/* Bitsets over dense indexes. */
#include "base/bitset.h"

#include "base/util.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

static size_t words_for(size_t bits) {
        return bits / 64 + (bits % 64 != 0);
}

/* Mask of the bits in use in the last word of a set of `bits` bits. */
static uint64_t tail_mask(size_t bits) {
        return bits % 64 ? ((uint64_t)1 << (bits % 64)) - 1 : UINT64_MAX;
}

static size_t common_words(const struct bitset *a, const struct bitset *b) {
        return words_for(a->bits < b->bits ? a->bits : b->bits);
}

void bitset_init(struct bitset *set) {
        *set = (struct bitset){ 0 };
}

void bitset_release(struct bitset *set) {
        if (set->word_cap)
                free(set->words);
        bitset_init(set);
}

struct bitset bitset_in_arena(struct arena *arena, size_t bits) {
        return (struct bitset){ .words = ARENA_ARRAY(arena, uint64_t, words_for(bits)),
                                .bits = bits };
}

void bitset_resize(struct bitset *set, size_t bits) {
        size_t old_words = words_for(set->bits);
        size_t new_words = words_for(bits);
        assert(set->word_cap >= old_words);
        if (new_words > set->word_cap) {
                size_t cap = set->word_cap * 2 > new_words ? set->word_cap * 2 : new_words;
                set->words = xreallocarray(set->words, cap, sizeof(*set->words));
                set->word_cap = cap;
        }
        if (new_words > old_words)
                memset(set->words + old_words, 0, (new_words - old_words) * sizeof(*set->words));
        if (bits < set->bits && new_words)
                set->words[new_words - 1] &= tail_mask(bits);
        set->bits = bits;
}

void bitset_clear(struct bitset *set) {
        if (set->bits)
                memset(set->words, 0, words_for(set->bits) * sizeof(*set->words));
}

void bitset_fill(struct bitset *set) {
        size_t words = words_for(set->bits);
        if (!words)
                return;
        memset(set->words, 0xff, words * sizeof(*set->words));
        set->words[words - 1] = tail_mask(set->bits);
}

void bitset_copy(struct bitset *to, const struct bitset *from) {
        assert(to->bits == from->bits);
        if (to->bits)
                memcpy(to->words, from->words, words_for(to->bits) * sizeof(*to->words));
}

void bitset_and(struct bitset *to, const struct bitset *with) {
        size_t common = common_words(to, with);
        size_t words = words_for(to->bits);
        for (size_t i = 0; i < common; i++)
                to->words[i] &= with->words[i];
        if (words > common)
                memset(to->words + common, 0, (words - common) * sizeof(*to->words));
}

void bitset_and_not(struct bitset *to, const struct bitset *with) {
        size_t common = common_words(to, with);
        for (size_t i = 0; i < common; i++)
                to->words[i] &= ~with->words[i];
}

void bitset_or(struct bitset *to, const struct bitset *with) {
        size_t common = common_words(to, with);
        for (size_t i = 0; i < common; i++)
                to->words[i] |= with->words[i];
        if (common && common == words_for(to->bits))
                to->words[common - 1] &= tail_mask(to->bits);
}

size_t bitset_count(const struct bitset *set) {
        size_t count = 0;
        size_t words = words_for(set->bits);
        for (size_t i = 0; i < words; i++)
                count += (size_t)__builtin_popcountll(set->words[i]);
        return count;
}

bool bitset_is_empty(const struct bitset *set) {
        size_t words = words_for(set->bits);
        for (size_t i = 0; i < words; i++) {
                if (set->words[i])
                        return false;
        }
        return true;
}

size_t bitset_next(const struct bitset *set, size_t from) {
        if (from >= set->bits)
                return SIZE_MAX;
        size_t words = words_for(set->bits);
        size_t at = from / 64;
        uint64_t word = set->words[at] & (UINT64_MAX << (from % 64));
        while (!word) {
                if (++at == words)
                        return SIZE_MAX;
                word = set->words[at];
        }
        return at * 64 + (size_t)__builtin_ctzll(word);
}

size_t bitset_next_in_both(const struct bitset *a, const struct bitset *b, size_t from) {
        size_t bits = a->bits < b->bits ? a->bits : b->bits;
        if (from >= bits)
                return SIZE_MAX;
        uint64_t mask = UINT64_MAX << (from % 64);
        for (size_t at = from / 64; at < words_for(bits); at++) {
                uint64_t word = a->words[at] & b->words[at] & mask;
                if (word)
                        return at * 64 + (size_t)__builtin_ctzll(word);
                mask = UINT64_MAX;
        }
        return SIZE_MAX;
}
