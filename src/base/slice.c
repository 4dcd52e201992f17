/* Searching, splitting, number parsing and hashing of borrowed strings. */
#include "base/slice.h"

#include "base/util.h"

int slice_compare(struct slice a, struct slice b) {
        size_t common = a.len < b.len ? a.len : b.len;
        int order = common ? memcmp(a.ptr, b.ptr, common) : 0;
        if (order)
                return order;
        return (a.len > b.len) - (a.len < b.len);
}

bool slice_has_prefix(struct slice a, struct slice prefix) {
        return a.len >= prefix.len && slice_eq(slice_make(a.ptr, prefix.len), prefix);
}

bool slice_has_suffix(struct slice a, struct slice suffix) {
        if (suffix.len == 0)
                return true;
        return a.len >= suffix.len &&
               slice_eq(slice_make(a.ptr + (a.len - suffix.len), suffix.len), suffix);
}

bool slice_contains(struct slice haystack, struct slice needle) {
        if (needle.len == 0)
                return true;
        return haystack.len >= needle.len &&
               memmem(haystack.ptr, haystack.len, needle.ptr, needle.len);
}

static bool is_white(char c) {
        return c == ' ' || (c >= '\t' && c <= '\r');
}

struct slice slice_trim(struct slice a) {
        while (a.len && is_white(a.ptr[0])) {
                a.ptr++;
                a.len--;
        }
        while (a.len && is_white(a.ptr[a.len - 1]))
                a.len--;
        return a;
}

bool slice_split(struct slice *rest, char separator, struct slice *ret_head) {
        if (!rest->ptr)
                return false;
        const char *at = memchr(rest->ptr, separator, rest->len);
        if (!at) {
                *ret_head = *rest;
                *rest = SLICE_EMPTY;
                return true;
        }
        size_t head_len = (size_t)(at - rest->ptr);
        *ret_head = slice_make(rest->ptr, head_len);
        *rest = slice_make(at + 1, rest->len - head_len - 1);
        return true;
}

/* Digits only, at least one, value at most `max`. */
static bool parse_digits(struct slice a, uint64_t max, uint64_t *ret_value) {
        uint64_t value = 0;
        if (a.len == 0)
                return false;
        for (size_t i = 0; i < a.len; i++) {
                if (a.ptr[i] < '0' || a.ptr[i] > '9')
                        return false;
                uint64_t digit = (uint64_t)(a.ptr[i] - '0');
                if (digit > max || value > (max - digit) / 10)
                        return false;
                value = value * 10 + digit;
        }
        *ret_value = value;
        return true;
}

/* Removes one leading sign and returns whether it was a minus. */
static bool take_sign(struct slice *a) {
        if (a->len == 0 || (a->ptr[0] != '-' && a->ptr[0] != '+'))
                return false;
        bool is_negative = a->ptr[0] == '-';
        a->ptr++;
        a->len--;
        return is_negative;
}

bool slice_to_i64(struct slice a, int64_t *ret_value) {
        bool is_negative = take_sign(&a);
        uint64_t magnitude;
        if (!parse_digits(a, (uint64_t)INT64_MAX + is_negative, &magnitude))
                return false;
        if (!is_negative)
                *ret_value = (int64_t)magnitude;
        else
                *ret_value = magnitude ? -(int64_t)(magnitude - 1) - 1 : 0;
        return true;
}

bool slice_to_u64(struct slice a, uint64_t *ret_value) {
        bool is_negative = take_sign(&a);
        return parse_digits(a, is_negative ? 0 : UINT64_MAX, ret_value);
}

int hex_value(char digit) {
        if (digit >= '0' && digit <= '9')
                return digit - '0';
        if (digit >= 'a' && digit <= 'f')
                return digit - 'a' + 10;
        return digit >= 'A' && digit <= 'F' ? digit - 'A' + 10 : -1;
}

static uint64_t hash_mix(uint64_t hash) {
        hash ^= hash >> 32;
        hash *= 0xd6e8feb86659fd93u;
        hash ^= hash >> 29;
        return hash;
}

uint64_t hash_bytes(const void *data, size_t size, uint64_t seed) {
        const unsigned char *bytes = data;
        uint64_t hash = seed ^ ((uint64_t)size * 0x9e3779b97f4a7c15u);
        for (; size >= 8; size -= 8, bytes += 8) {
                uint64_t word;
                memcpy(&word, bytes, 8);
                hash = hash_mix(hash ^ word) * 0xa0761d6478bd642fu;
        }
        if (size) {
                uint64_t word = 0;
                memcpy(&word, bytes, size);
                hash = hash_mix(hash ^ word) * 0xa0761d6478bd642fu;
        }
        return hash_mix(hash);
}

uint64_t slice_hash(struct slice a) {
        return hash_bytes(a.ptr, a.len, 0x62657274685f7631u);
}

char *slice_dup(struct slice a) {
        char *copy = xmalloc(a.len + 1);
        if (a.len)
                memcpy(copy, a.ptr, a.len);
        copy[a.len] = '\0';
        return copy;
}
