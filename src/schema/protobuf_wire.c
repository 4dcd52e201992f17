/* Reads varints, fixed numbers and fields from bytes, never beyond their end, and writes them. */
#include "schema/protobuf_wire.h"

#include <string.h>

bool wire_take_long_varint(struct slice *rest, uint64_t *ret_value) {
        uint64_t value = 0;

        for (unsigned shift = 0; shift < 64 && rest->len > 0; shift += 7) {
                uint8_t byte = (uint8_t)*rest->ptr;

                rest->ptr++;
                rest->len--;
                value |= (uint64_t)(byte & 0x7f) << shift;
                if (!(byte & 0x80)) {
                        *ret_value = value;
                        return true;
                }
        }
        return false;
}

bool wire_take_fixed(struct slice *rest, size_t size, uint64_t *ret_value) {
        uint64_t value = 0;

        if (rest->len < size)
                return false;
        for (size_t i = 0; i < size; i++)
                value |= (uint64_t)(uint8_t)rest->ptr[i] << (8 * i);
        rest->ptr += size;
        rest->len -= size;
        *ret_value = value;
        return true;
}

bool wire_take_long_field(struct slice *rest, struct wire_field *ret_field) {
        struct wire_field field = { 0 };
        uint64_t key, size;

        if (!wire_take_varint(rest, &key) || key >> 3 == 0)
                return false;
        field.number = key >> 3;
        field.type = (enum wire_type)(key & 7);
        switch (field.type) {
        case WIRE_VARINT:
                if (!wire_take_varint(rest, &field.scalar))
                        return false;
                break;
        case WIRE_FIXED64:
        case WIRE_FIXED32:
                if (!wire_take_fixed(rest, field.type == WIRE_FIXED64 ? 8 : 4, &field.scalar))
                        return false;
                break;
        case WIRE_BYTES:
                if (!wire_take_varint(rest, &size) || size > rest->len)
                        return false;
                field.bytes = slice_make(rest->ptr, (size_t)size);
                rest->ptr += size;
                rest->len -= (size_t)size;
                break;
        default:
                return false;
        }
        *ret_field = field;
        return true;
}

bool wire_find_field(struct slice message, uint64_t number, struct wire_field *ret_field) {
        struct wire_field field;

        while (message.len > 0) {
                if (!wire_take_field(&message, &field))
                        return false;
                if (field.number == number)
                        *ret_field = field;
        }
        return true;
}

/* ---- writing ---- */

static void put_varint(struct buf *out, uint64_t value) {
        for (; value >= 0x80; value >>= 7)
                buf_char(out, (char)(0x80 | (value & 0x7f)));
        buf_char(out, (char)value);
}

void wire_put_number(struct buf *out, uint64_t number, uint64_t value) {
        put_varint(out, number << 3 | WIRE_VARINT);
        put_varint(out, value);
}

void wire_put_double(struct buf *out, uint64_t number, double value) {
        uint64_t bits;

        memcpy(&bits, &value, sizeof(bits));
        put_varint(out, number << 3 | WIRE_FIXED64);
        for (unsigned shift = 0; shift < 64; shift += 8)
                buf_char(out, (char)(bits >> shift & 0xff));
}

void wire_put_bytes(struct buf *out, uint64_t number, struct slice bytes) {
        put_varint(out, number << 3 | WIRE_BYTES);
        put_varint(out, bytes.len);
        buf_slice(out, bytes);
}
