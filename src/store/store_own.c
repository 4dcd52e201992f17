/* Numbers and runs of own bytes in packed bodies. */
#include "store/store_own.h"

#include <string.h>

#define HALVES_MIN 4U /* shorter runs are stored as they are */

enum own_way { OWN_BYTES, OWN_HEX, OWN_FIGURES };

static const char hex_digits[] = "0123456789abcdef", figures[] = "0123456789.:-TZ/";

/* Places in these alphabets, plus one. */
static const unsigned char hex_places[256] = {
        ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,
        ['6'] = 7,  ['7'] = 8,  ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
        ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
};
static const unsigned char figure_places[256] = {
        ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,
        ['6'] = 7,  ['7'] = 8,  ['8'] = 9,  ['9'] = 10, ['.'] = 11, [':'] = 12,
        ['-'] = 13, ['T'] = 14, ['Z'] = 15, ['/'] = 16,
};

/* ---- numbers ---- */

bool pack_number(struct pack_out *out, uint64_t number) {
        while (out->size < out->limit) {
                out->text[out->size++] = (char)((number & 0x7f) | (number > 0x7f ? 0x80 : 0));
                number >>= 7;
                if (number == 0)
                        return true;
        }
        return false;
}

uint64_t unpack_number(const unsigned char **at) {
        uint64_t number = 0;
        unsigned shift = 0;

        do {
                number |= (uint64_t)(**at & 0x7f) << shift;
                shift += 7;
        } while (*(*at)++ & 0x80);
        return number;
}

/* ---- halves of bytes ---- */

static bool is_dash(struct slice reference, size_t at) {
        return at < reference.len && reference.ptr[at] == '-';
}

/* Whether all are digits but the dashes of the reference, whose number is returned. */
static bool is_hex(struct slice own, struct slice reference, size_t *ret_dashes) {
        size_t dashes = 0;

        for (size_t i = 0; i < own.len; i++) {
                bool has_dash = is_dash(reference, i);

                if (has_dash ? own.ptr[i] != '-' : !hex_places[(unsigned char)own.ptr[i]])
                        return false;
                dashes += has_dash;
        }
        *ret_dashes = dashes;
        return true;
}

static bool is_figures(struct slice own) {
        for (size_t i = 0; i < own.len; i++) {
                if (!figure_places[(unsigned char)own.ptr[i]])
                        return false;
        }
        return true;
}

static enum own_way own_way(struct slice own, struct slice reference, size_t *ret_halves) {
        size_t dashes = 0;

        *ret_halves = own.len * 2;
        if (own.len < HALVES_MIN)
                return OWN_BYTES;
        if (is_hex(own, reference, &dashes)) {
                *ret_halves = own.len - dashes;
                return OWN_HEX;
        }
        if (!is_figures(own))
                return OWN_BYTES;
        *ret_halves = own.len;
        return OWN_FIGURES;
}

static void put_halves(unsigned char *to, struct slice own, struct slice reference,
                       const unsigned char *alphabet) {
        size_t count = 0;

        for (size_t i = 0; i < own.len; i++) {
                if (is_dash(reference, i))
                        continue;
                unsigned place = alphabet[(unsigned char)own.ptr[i]] - 1U;
                if (count++ % 2 == 0)
                        *to = (unsigned char)place;
                else
                        *to++ |= (unsigned char)(place << 4);
        }
}

bool pack_own(struct pack_out *out, struct slice own, struct slice reference) {
        size_t halves;
        enum own_way way = own_way(own, reference, &halves);
        size_t bytes = (halves + 1) / 2;

        if (!pack_number(out, own.len * 4 + way) || bytes > out->limit - out->size)
                return false;
        if (way == OWN_BYTES && own.len)
                memcpy(out->text + out->size, own.ptr, own.len);
        else if (way != OWN_BYTES)
                put_halves((unsigned char *)out->text + out->size, own,
                           way == OWN_HEX ? reference : SLICE_EMPTY,
                           way == OWN_HEX ? hex_places : figure_places);
        out->size += bytes;
        return true;
}

static const unsigned char *take_halves(const unsigned char *from, struct slice reference,
                                        const char *alphabet, char *text, size_t size) {
        bool is_high = false;

        for (size_t i = 0; i < size; i++) {
                if (is_dash(reference, i)) {
                        text[i] = '-';
                        continue;
                }
                text[i] = alphabet[*from >> (is_high ? 4 : 0) & 15];
                from += is_high;
                is_high = !is_high;
        }
        return from + is_high;
}

char *unpack_own(const unsigned char **at, struct slice reference, char *text) {
        uint64_t head = unpack_number(at);
        enum own_way way = (enum own_way)(head & 3);
        size_t size = (size_t)(head >> 2);

        if (way == OWN_BYTES) {
                memcpy(text, *at, size);
                *at += size;
        } else {
                *at = take_halves(*at, way == OWN_HEX ? reference : SLICE_EMPTY,
                                  way == OWN_HEX ? hex_digits : figures, text, size);
        }
        return text + size;
}
