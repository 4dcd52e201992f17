/* The alphabet of packed bodies: numbers, and runs of bytes that are an object's own. Numbers take
 * 7 bits a byte, low ones first. A run is its length, four times, plus how it is written, then its
 * bytes: as they are, or two to a byte, the low half first, when they are hexadecimal digits (uids,
 * container ids; dashes that a reference text has at the same places are left out) or what numbers,
 * times and addresses consist of. Pure. */
#pragma once

#include "base/slice.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pack_out {
        char *text;
        size_t size, limit;
};

/* False when the limit is reached, after which the output is of no use. */
bool pack_number(struct pack_out *out, uint64_t number);
bool pack_own(struct pack_out *out, struct slice own, struct slice reference);

uint64_t unpack_number(const unsigned char **at);
/* Returns the end of what it wrote; the reference is the one that the run was packed with. */
char *unpack_own(const unsigned char **at, struct slice reference, char *text);
