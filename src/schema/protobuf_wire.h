/* The wire format of protobuf: fields with a number, a type and a value. Knows no message. */
#pragma once

#include "base/buf.h"
#include "base/slice.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wire_type { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

/* One field as it stands in a message. */
struct wire_field {
        uint64_t number; /* 1.. */
        enum wire_type type;
        uint64_t scalar;    /* varint, fixed */
        struct slice bytes; /* WIRE_BYTES; inside the message */
};

/* Each moves rest behind what it took; false when the bytes end too soon or are broken. */
bool wire_take_long_varint(struct slice *rest, uint64_t *ret_value);
static inline bool wire_take_varint(struct slice *rest, uint64_t *ret_value) {
        if (rest->len == 0 || (uint8_t)*rest->ptr >= 0x80)
                return wire_take_long_varint(rest, ret_value);
        *ret_value = (uint8_t)*rest->ptr;
        rest->ptr++;
        rest->len--;
        return true;
}
bool wire_take_fixed(struct slice *rest, size_t size, uint64_t *ret_value); /* little endian */
bool wire_take_long_field(struct slice *rest, struct wire_field *ret_field);
/* Most fields have a number below 16 and are shorter than 128 bytes. */
static inline bool wire_take_field(struct slice *rest, struct wire_field *ret_field) {
        const char *at = rest->ptr;

        if (rest->len < 2 || (uint8_t)at[0] >= 0x80 || (at[0] & 7) != WIRE_BYTES ||
            (uint8_t)at[0] < 8 || (uint8_t)at[1] >= 0x80 || (size_t)at[1] > rest->len - 2)
                return wire_take_long_field(rest, ret_field);
        ret_field->number = (uint8_t)at[0] >> 3;
        ret_field->type = WIRE_BYTES;
        ret_field->scalar = 0;
        ret_field->bytes = slice_make(at + 2, (size_t)at[1]);
        rest->ptr += 2 + ret_field->bytes.len;
        rest->len -= 2 + ret_field->bytes.len;
        return true;
}
/* Last occurrence of a field; an absent one leaves *ret_field alone. False for broken bytes. */
bool wire_find_field(struct slice message, uint64_t number, struct wire_field *ret_field);

/* Each appends one field. */
void wire_put_number(struct buf *out, uint64_t number, uint64_t value);
void wire_put_double(struct buf *out, uint64_t number, double value);
void wire_put_bytes(struct buf *out, uint64_t number, struct slice bytes);
