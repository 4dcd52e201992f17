/* Reading IP addresses and networks. */
#include "cel/go_address.h"

#include "base/go_quote.h"
#include <string.h>

#define V6_BYTES 16
#define GROUP_DIGITS_MAX 4

/* An address that is being read. */
struct address_reading {
        struct slice rest;
        struct slice at; /* where the problem is; empty when the message names no place */
        unsigned char bytes[V6_BYTES];
        size_t used; /* of the bytes */
        bool has_gap;
        size_t gap; /* bytes in front of the :: */
};

static struct slice address_behind(struct slice text, size_t count) {
        return slice_make(text.ptr + count, text.len - count);
}

static const char *problem_at(struct address_reading *reading, const char *message,
                              struct slice at) {
        reading->at = at;
        return message;
}

/* ---- IPv4 ---- */

static bool is_misplaced_dot(struct slice text, size_t at) {
        return at == 0 || at == text.len - 1 || text.ptr[at - 1] == '.';
}

/* All of the rest; each field goes to the byte behind the last one. */
static const char *read_v4(struct address_reading *reading) {
        struct slice text = reading->rest;
        unsigned char *fields = reading->bytes + reading->used;
        size_t count = 0, digits = 0;
        unsigned value = 0;

        for (size_t i = 0; i < text.len; i++) {
                char c = text.ptr[i];

                if (c >= '0' && c <= '9') {
                        if (digits == 1 && value == 0)
                                return "IPv4 field has octet with leading zero";
                        value = value * 10 + (unsigned)(c - '0');
                        digits++;
                        if (value > 255)
                                return "IPv4 field has value >255";
                        continue;
                }
                if (c != '.')
                        return problem_at(reading, "unexpected character", address_behind(text, i));
                if (is_misplaced_dot(text, i))
                        return problem_at(reading, "IPv4 field must have at least one digit",
                                          address_behind(text, i));
                if (count == 3)
                        return "IPv4 address too long";
                fields[count++] = (unsigned char)value;
                value = 0;
                digits = 0;
        }
        if (count < 3)
                return "IPv4 address too short";
        fields[3] = (unsigned char)value;
        reading->used += 4;
        reading->rest = SLICE_EMPTY;
        return NULL;
}

/* ---- IPv6 ---- */

/* The four bytes of an IPv4 address at the end. */
static const char *read_embedded(struct address_reading *reading) {
        if (!reading->has_gap && reading->used != V6_BYTES - 4)
                return problem_at(reading,
                                  "embedded IPv4 address must replace the final 2 fields of the "
                                  "address",
                                  reading->rest);
        if (reading->used + 4 > V6_BYTES)
                return problem_at(reading,
                                  "too many hex fields to fit an embedded IPv4 at the end of the "
                                  "address",
                                  reading->rest);
        return read_v4(reading);
}

/* The colon behind a group, and a second one. */
static const char *read_colons(struct address_reading *reading) {
        struct slice rest = reading->rest;

        if (*rest.ptr != ':')
                return problem_at(reading, "unexpected character, want colon", rest);
        if (rest.len == 1)
                return problem_at(reading, "colon must be followed by more characters", rest);
        rest = address_behind(rest, 1);
        if (*rest.ptr == ':') {
                if (reading->has_gap)
                        return problem_at(reading, "multiple :: in address", rest);
                reading->has_gap = true;
                reading->gap = reading->used;
                rest = address_behind(rest, 1);
        }
        reading->rest = rest;
        return NULL;
}

static const char *read_group(struct address_reading *reading) {
        struct slice rest = reading->rest;
        size_t length = 0;
        unsigned value = 0;

        for (; length < rest.len && hex_value(rest.ptr[length]) >= 0; length++) {
                if (length == GROUP_DIGITS_MAX)
                        return problem_at(reading, "each group must have 4 or less digits", rest);
                value = value << 4 | (unsigned)hex_value(rest.ptr[length]);
        }
        if (length == 0)
                return problem_at(reading,
                                  "each colon-separated field must have at least one digit", rest);
        if (length < rest.len && rest.ptr[length] == '.')
                return read_embedded(reading);
        reading->bytes[reading->used++] = (unsigned char)(value >> 8);
        reading->bytes[reading->used++] = (unsigned char)(value & 0xff);
        reading->rest = address_behind(rest, length);
        return reading->rest.len ? read_colons(reading) : NULL;
}

/* Moves what is behind the :: to the end. */
static const char *fill_gap(struct address_reading *reading) {
        size_t missing = V6_BYTES - reading->used;
        unsigned char *gap = reading->bytes + reading->gap;

        if (missing && !reading->has_gap)
                return "address string too short";
        if (!missing)
                return reading->has_gap ? "the :: must expand to at least one field of zeros"
                                        : NULL;
        memmove(gap + missing, gap, reading->used - reading->gap);
        memset(gap, 0, missing);
        return NULL;
}

static const char *read_v6(struct address_reading *reading) {
        const char *problem = NULL;

        if (slice_has_prefix(reading->rest, SLICE_LITERAL("::"))) {
                reading->has_gap = true;
                reading->rest = address_behind(reading->rest, 2);
        }
        if (!reading->has_gap || reading->rest.len) {
                do
                        problem = read_group(reading);
                while (!problem && reading->rest.len && reading->used < V6_BYTES);
        }
        if (!problem && reading->rest.len)
                return problem_at(reading, "trailing garbage after address", reading->rest);
        return problem ? problem : fill_gap(reading);
}

/* ---- both ---- */

static const char *read_zone(struct address_reading *reading, struct go_address *address) {
        const char *mark = memchr(reading->rest.ptr, '%', reading->rest.len);
        size_t length = mark ? (size_t)(mark - reading->rest.ptr) : reading->rest.len;

        address->has_zone = mark;
        if (mark && length + 1 == reading->rest.len)
                return "zone must be a non-empty string";
        reading->rest.len = length;
        return NULL;
}

/* The first of these characters says what the address tries to be. */
static const char *read_either(struct address_reading *reading, struct go_address *address) {
        const char *problem;

        for (size_t i = 0; i < reading->rest.len; i++) {
                switch (reading->rest.ptr[i]) {
                case '.':
                        return read_v4(reading);
                case ':':
                        address->is_v6 = true;
                        problem = read_zone(reading, address);
                        return problem ? problem : read_v6(reading);
                case '%':
                        return "missing IPv6 address";
                }
        }
        return "unable to parse IP";
}

const char *go_address_parse(struct arena *arena, struct slice text,
                             struct go_address *ret_address) {
        struct address_reading reading = { .rest = text };

        *ret_address = (struct go_address){ 0 };
        const char *problem = read_either(&reading, ret_address);
        memcpy(ret_address->bytes, reading.bytes, sizeof(reading.bytes));
        if (!problem)
                return NULL;
        if (reading.at.len == 0)
                return arena_printf(arena, "ParseAddr(%s): %s", go_quoted(arena, text), problem);
        return arena_printf(arena, "ParseAddr(%s): %s (at %s)", go_quoted(arena, text), problem,
                            go_quoted(arena, reading.at));
}

unsigned go_address_width(const struct go_address *address) {
        return address->is_v6 ? 128 : 32;
}

/* ---- networks ---- */

/* Digits without a sign and zeros in front. */
static bool read_length(struct slice text, int64_t *ret_length) {
        bool is_plain = text.len <= 1 || (*text.ptr >= '1' && *text.ptr <= '9');

        return is_plain && slice_to_i64(text, ret_length);
}

static const char *read_network(struct arena *arena, struct slice text,
                                struct go_network *network) {
        size_t slash = text.len;
        int64_t bits;

        while (slash > 0 && text.ptr[slash - 1] != '/')
                slash--;
        if (slash == 0)
                return "no '/'";
        struct slice length = address_behind(text, slash);
        const char *problem =
                go_address_parse(arena, slice_make(text.ptr, slash - 1), &network->address);
        if (problem)
                return problem;
        if (network->address.has_zone)
                return "IPv6 zones cannot be present in a prefix";
        if (!read_length(length, &bits))
                return arena_printf(arena, "bad bits after slash: %s", go_quoted(arena, length));
        if (bits < 0 || bits > go_address_width(&network->address))
                return "prefix length out of range";
        network->length = (unsigned)bits;
        return NULL;
}

const char *go_network_parse(struct arena *arena, struct slice text,
                             struct go_network *ret_network) {
        const char *problem = read_network(arena, text, ret_network);

        return problem ? arena_printf(arena, "netip.ParsePrefix(%s): %s", go_quoted(arena, text),
                                      problem)
                       : NULL;
}
