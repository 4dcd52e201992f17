/* Addresses and networks as text, in the forms that Go's net package reads. */
#pragma once

#include "base/slice.h"
#include <stdbool.h>
#include <stdint.h>

struct ip_address {
        uint8_t bytes[16];   /* an IPv4 address as ::ffff:a.b.c.d */
        bool is_six;         /* no IPv4 address, and none mapped into IPv6 */
        bool has_zeros;      /* leading zeros in IPv4: Go 1.17 and later refuse them */
        bool is_mapped;      /* written as an IPv6 address */
        bool is_written_six; /* with colons */
};
struct ip_network {
        struct ip_address address; /* as written, with host bits */
        unsigned bits;             /* of 32, or of 128 when written as IPv6 */
        bool has_zeros;            /* leading zeros in the number of bits */
};

#define IP_TEXT_MAX 64
bool ip_parse(struct slice text, struct ip_address *ret_address);
bool ip_network_parse(struct slice text, struct ip_network *ret_network);
/* Canonical text, NUL-terminated, in a buffer of IP_TEXT_MAX. */
void ip_format(const struct ip_address *address, char *buffer);
/* is_whole: with the host bits. */
void ip_network_format(const struct ip_network *network, bool is_whole, char *buffer);
/* Without host bits. */
struct ip_address ip_network_first(const struct ip_network *network);
bool ip_network_has(const struct ip_network *network, const struct ip_address *address);
bool ip_same(const struct ip_address *a, const struct ip_address *b);
