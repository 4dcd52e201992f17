/* IP addresses and networks as Go's net/netip reads them, and what it says of others. */
#pragma once

#include "base/arena.h"
#include "base/slice.h"
#include <stdbool.h>

struct go_address {
        bool is_v6, has_zone;
        unsigned char bytes[16]; /* 4 of them for IPv4 */
};
struct go_network {
        struct go_address address; /* without a zone */
        unsigned length;           /* of the prefix, bits */
};

/* netip.ParseAddr: NULL, or what is wrong. */
const char *go_address_parse(struct arena *arena, struct slice text,
                             struct go_address *ret_address);
/* netip.ParsePrefix. */
const char *go_network_parse(struct arena *arena, struct slice text,
                             struct go_network *ret_network);
unsigned go_address_width(const struct go_address *address); /* bits */
