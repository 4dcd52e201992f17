/* Making, writing and reading UUIDs. */
#include "base/uuid.h"

#define TEXT_LEN (UUID_TEXT_SIZE - 1)

struct uuid uuid_random(struct rng *rng) {
        struct uuid uuid;
        for (size_t i = 0; i < sizeof(uuid.bytes); i += 8) {
                uint64_t word = rng_u64(rng);
                for (size_t j = 0; j < 8; j++)
                        uuid.bytes[i + j] = (uint8_t)(word >> (8 * j));
        }
        uuid.bytes[6] = (uint8_t)((uuid.bytes[6] & 0x0f) | 0x40); /* version 4 */
        uuid.bytes[8] = (uint8_t)((uuid.bytes[8] & 0x3f) | 0x80); /* variant of the RFC */
        return uuid;
}

static bool is_hyphen_position(size_t i) {
        return i == 8 || i == 13 || i == 18 || i == 23;
}

void uuid_format(struct uuid uuid, char *buffer) {
        static const char hex[] = "0123456789abcdef";
        size_t nibble = 0;
        for (size_t i = 0; i < TEXT_LEN; i++) {
                if (is_hyphen_position(i)) {
                        buffer[i] = '-';
                        continue;
                }
                uint8_t byte = uuid.bytes[nibble / 2];
                buffer[i] = hex[nibble % 2 ? byte & 15 : byte >> 4];
                nibble++;
        }
        buffer[TEXT_LEN] = '\0';
}

bool uuid_parse(struct slice text, struct uuid *ret_uuid) {
        struct uuid uuid = { { 0 } };
        size_t nibble = 0;
        if (text.len != TEXT_LEN)
                return false;
        for (size_t i = 0; i < TEXT_LEN; i++) {
                if (is_hyphen_position(i)) {
                        if (text.ptr[i] != '-')
                                return false;
                        continue;
                }
                int value = hex_value(text.ptr[i]);
                if (value < 0)
                        return false;
                uuid.bytes[nibble / 2] |= (uint8_t)(nibble % 2 ? value : value << 4);
                nibble++;
        }
        *ret_uuid = uuid;
        return true;
}
