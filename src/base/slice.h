/* Borrowed strings: pointer and length, not necessarily NUL-terminated. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct slice {
        const char *ptr; /* NULL only when len is 0 */
        size_t len;
};

#define SLICE_LITERAL(text) ((struct slice){ (text), sizeof(text) - 1 })
/* For static tables, where a compound literal is no constant. */
#define SLICE_INIT(text)                                                                           \
        { (text), sizeof(text) - 1 }
#define SLICE_EMPTY ((struct slice){ NULL, 0 })
#define SLICE_FMT "%.*s"
#define SLICE_ARG(s) (int)(s).len, (s).ptr ? (s).ptr : ""

static inline struct slice slice_of(const char *text) {
        return text ? (struct slice){ text, strlen(text) } : SLICE_EMPTY;
}
static inline struct slice slice_make(const char *ptr, size_t len) {
        return (struct slice){ ptr, len };
}
static inline bool slice_eq(struct slice a, struct slice b) {
        return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}
static inline bool slice_is(struct slice a, const char *text) {
        return slice_eq(a, slice_of(text));
}
static inline bool slice_is_empty(struct slice a) {
        return a.len == 0;
}
int slice_compare(struct slice a, struct slice b); /* byte order; <0, 0, >0 */
bool slice_has_prefix(struct slice a, struct slice prefix);
bool slice_has_suffix(struct slice a, struct slice suffix);
bool slice_contains(struct slice haystack, struct slice needle);
struct slice slice_trim(struct slice a); /* ASCII white space at both ends */
/* Splits at the first separator: returns the head and moves *rest behind it; false when *rest was
 * exhausted. Exhausted is !ptr, so "a," yields "a" and "", and "" yields "" once. */
bool slice_split(struct slice *rest, char separator, struct slice *ret_head);
/* Decimal with optional sign, whole slice, no overflow. */
bool slice_to_i64(struct slice a, int64_t *ret_value);
bool slice_to_u64(struct slice a, uint64_t *ret_value);
int hex_value(char digit);           /* of a hexadecimal digit; -1 = it is none */
uint64_t slice_hash(struct slice a); /* seeded per build, stable within a process and across runs */
uint64_t hash_bytes(const void *data, size_t size, uint64_t seed);
char *slice_dup(
        struct slice a); /* malloc'ed NUL-terminated copy, never NULL (aborts without memory) */
