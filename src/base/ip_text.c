/* Addresses and networks as text. */
#include "base/ip_text.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

static const uint8_t mapped_prefix[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };

static bool parse_four(struct slice text, struct ip_address *address) {
        size_t place = 0;

        memcpy(address->bytes, mapped_prefix, sizeof(mapped_prefix));
        for (size_t part = 0; part < 4; part++) {
                size_t start = place;
                unsigned value = 0;

                if (part > 0 && (place >= text.len || text.ptr[place++] != '.'))
                        return false;
                start = place;
                while (place < text.len && text.ptr[place] >= '0' && text.ptr[place] <= '9' &&
                       value <= 255)
                        value = value * 10 + (unsigned)(text.ptr[place++] - '0');
                if (place == start || value > 255)
                        return false;
                address->has_zeros |= place - start > 1 && text.ptr[start] == '0';
                address->bytes[12 + part] = (uint8_t)value;
        }
        return place == text.len;
}

static bool parse_six(struct slice text, struct ip_address *address) {
        char buffer[IP_TEXT_MAX];

        if (text.len >= sizeof(buffer) || memchr(text.ptr, '\0', text.len))
                return false;
        memcpy(buffer, text.ptr, text.len);
        buffer[text.len] = '\0';
        if (inet_pton(AF_INET6, buffer, address->bytes) != 1)
                return false;
        address->is_written_six = true;
        address->is_mapped = memcmp(address->bytes, mapped_prefix, sizeof(mapped_prefix)) == 0;
        address->is_six = !address->is_mapped;
        return true;
}

bool ip_parse(struct slice text, struct ip_address *ret_address) {
        struct ip_address address = { 0 };
        bool is_six = text.len && memchr(text.ptr, ':', text.len);

        if (!(is_six ? parse_six(text, &address) : parse_four(text, &address)))
                return false;
        *ret_address = address;
        return true;
}

bool ip_network_parse(struct slice text, struct ip_network *ret_network) {
        const char *slash = text.len ? memchr(text.ptr, '/', text.len) : NULL;
        struct ip_network network = { 0 };

        if (!slash)
                return false;
        size_t length = (size_t)(slash - text.ptr), digits = text.len - length - 1;
        if (!ip_parse(slice_make(text.ptr, length), &network.address) || digits == 0)
                return false;
        for (size_t i = 1; i <= digits; i++) {
                if (slash[i] < '0' || slash[i] > '9' || network.bits > 128)
                        return false;
                network.bits = network.bits * 10 + (unsigned)(slash[i] - '0');
        }
        network.has_zeros = digits > 1 && slash[1] == '0';
        *ret_network = network;
        return network.bits <= (network.address.is_written_six ? 128 : 32);
}

/* The longest run of zero groups, at least two; false when there is none. */
static bool longest_zeros(const unsigned *groups, size_t *ret_start, size_t *ret_count) {
        size_t best = 1;

        for (size_t i = 0; i < 8; i++) {
                size_t count = 0;

                while (i + count < 8 && groups[i + count] == 0)
                        count++;
                if (count > best) {
                        *ret_start = i;
                        *ret_count = best = count;
                }
        }
        return best > 1;
}

static void format_six(const uint8_t *bytes, char *buffer) {
        unsigned groups[8];
        size_t start = 8, count = 0, length = 0;

        for (size_t i = 0; i < 8; i++)
                groups[i] = (unsigned)bytes[2 * i] << 8 | bytes[2 * i + 1];
        longest_zeros(groups, &start, &count);
        for (size_t i = 0; i < 8; i++) {
                if (i == start) {
                        length += (size_t)snprintf(buffer + length, IP_TEXT_MAX - length, "::");
                        i += count - 1;
                        continue;
                }
                length += (size_t)snprintf(buffer + length, IP_TEXT_MAX - length, "%s%x",
                                           i == 0 || i == start + count ? "" : ":", groups[i]);
        }
}

void ip_format(const struct ip_address *address, char *buffer) {
        const uint8_t *bytes = address->bytes;

        if (address->is_six)
                format_six(bytes, buffer);
        else
                snprintf(buffer, IP_TEXT_MAX, "%u.%u.%u.%u", bytes[12], bytes[13], bytes[14],
                         bytes[15]);
}

struct ip_address ip_network_first(const struct ip_network *network) {
        struct ip_address first = network->address;
        unsigned bits = network->bits + (network->address.is_written_six ? 0 : 96);

        for (unsigned i = bits; i < 128; i++)
                first.bytes[i / 8] &= (uint8_t) ~(0x80u >> (i % 8));
        first.is_six = memcmp(first.bytes, mapped_prefix, sizeof(mapped_prefix)) != 0;
        return first;
}

void ip_network_format(const struct ip_network *network, bool is_whole, char *buffer) {
        struct ip_address address = is_whole ? network->address : ip_network_first(network);
        unsigned bits = network->bits;

        if (!address.is_six && network->address.is_written_six && bits >= 96)
                bits -= 96;
        ip_format(&address, buffer);
        size_t length = strlen(buffer);
        snprintf(buffer + length, IP_TEXT_MAX - length, "/%u", bits);
}

bool ip_same(const struct ip_address *a, const struct ip_address *b) {
        return memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}

bool ip_network_has(const struct ip_network *network, const struct ip_address *address) {
        struct ip_network other = { .address = *address, .bits = network->bits };
        struct ip_address first = ip_network_first(network);

        if (network->address.is_six != address->is_six)
                return false;
        other.address.is_written_six = network->address.is_written_six;
        struct ip_address same = ip_network_first(&other);
        return ip_same(&first, &same);
}
