/* Functions of IP addresses and networks. Their values are stored as text in canonical form, so
 * that equal ones are spelt alike. Mapped addresses (::ffff:1.2.3.4) and zones are no values. */
#include "cel/cel_function.h"

#include "base/go_quote.h"
#include "base/util.h"
#include "cel/go_address.h"
#include <string.h>

#define GROUPS 8 /* of an IPv6 address */
#define SCRATCH_BYTES ((size_t)1 << 10)

/* ---- reading ---- */

static bool is_mapped(const struct go_address *address) {
        static const unsigned char prefix[12] = { [10] = 0xff, [11] = 0xff };

        return address->is_v6 && memcmp(address->bytes, prefix, sizeof(prefix)) == 0;
}

/* NULL, or what is wrong. */
static const char *address_problem(struct arena *arena, struct slice text,
                                   struct go_address *ret_address) {
        const char *problem = go_address_parse(arena, text, ret_address);

        if (!problem && !ret_address->has_zone && !is_mapped(ret_address))
                return NULL;
        const char *quoted = go_quoted(arena, text);
        if (problem)
                return arena_printf(arena,
                                    "IP Address %s parse error during conversion from string: %s",
                                    quoted, problem);
        return arena_printf(arena,
                            ret_address->has_zone ? "IP address %s with zone value is not allowed"
                                                  : "IPv4-mapped IPv6 address %s is not allowed",
                            quoted);
}

static const char *network_problem(struct arena *arena, struct slice text,
                                   struct go_network *ret_network) {
        const char *problem = go_network_parse(arena, text, ret_network);

        if (problem)
                return arena_printf(arena,
                                    "network address parse error during conversion from string: "
                                    "network address parse error during conversion from string: %s",
                                    problem);
        if (is_mapped(&ret_network->address))
                return arena_printf(arena,
                                    "network address parse error during conversion from string: "
                                    "IPv4-mapped IPv6 address %s is not allowed",
                                    go_quoted(arena, text));
        return NULL;
}

/* ---- writing ---- */

static unsigned group_of(const struct go_address *address, size_t index) {
        return (unsigned)address->bytes[2 * index] << 8 | address->bytes[2 * index + 1];
}

/* The longest run of two groups or more that are zero, the first of several; its length or 0. */
static size_t zero_run(const struct go_address *address, size_t *ret_start) {
        size_t best = 0, length = 0;

        for (size_t i = 0; i < GROUPS; i++) {
                length = group_of(address, i) == 0 ? length + 1 : 0;
                if (length > best) {
                        best = length;
                        *ret_start = i + 1 - length;
                }
        }
        return best > 1 ? best : 0;
}

static void write_v6(const struct go_address *address, struct buf *out) {
        size_t start = GROUPS, length = zero_run(address, &start);
        bool is_joined = true; /* no colon wanted before the next group */

        for (size_t i = 0; i < GROUPS; i++) {
                if (length && i == start) {
                        buf_text(out, "::");
                        i += length - 1;
                        is_joined = true;
                        continue;
                }
                buf_printf(out, "%s%x", is_joined ? "" : ":", group_of(address, i));
                is_joined = false;
        }
}

static void write_address(const struct go_address *address, struct buf *out) {
        const unsigned char *byte = address->bytes;

        if (address->is_v6)
                write_v6(address, out);
        else
                buf_printf(out, "%u.%u.%u.%u", byte[0], byte[1], byte[2], byte[3]);
}

static struct cel_value cel_address_made(struct cel_run *run, enum cel_kind kind, struct buf *out) {
        struct cel_value value = cel_text(kind, arena_slice(run->arena, buf_view(out)));

        buf_release(out);
        return value;
}

static struct cel_value address_value(struct cel_run *run, const struct go_address *address) {
        struct buf out = { 0 };

        write_address(address, &out);
        return cel_address_made(run, CEL_IP, &out);
}

static struct cel_value network_value(struct cel_run *run, const struct go_network *network) {
        struct buf out = { 0 };

        write_address(&network->address, &out);
        buf_printf(&out, "/%u", network->length);
        return cel_address_made(run, CEL_CIDR, &out);
}

/* Of values, which are always right. */
static struct go_address address_of(struct cel_run *run, const struct cel_value *value) {
        struct go_address address;

        (void)go_address_parse(run->arena, value->as.text, &address);
        return address;
}

static struct go_network network_of(struct cel_run *run, const struct cel_value *value) {
        struct go_network network;

        (void)go_network_parse(run->arena, value->as.text, &network);
        return network;
}

/* ---- addresses ---- */

FUNCTION(ip_of) {
        struct go_address address;
        const char *problem = address_problem(run->arena, args[0].as.text, &address);

        return problem ? cel_text(CEL_ERROR, slice_of(problem)) : address_value(run, &address);
}

FUNCTION(ip_is) {
        CLEANUP(arena_release) struct arena scratch;
        struct go_address address;

        (void)run;
        arena_init(&scratch, SCRATCH_BYTES);
        return cel_bool(!address_problem(&scratch, args[0].as.text, &address));
}

FUNCTION(ip_is_canonical) {
        struct cel_value value = ip_of(run, args);

        return value.kind == CEL_ERROR ? value : cel_bool(slice_eq(value.as.text, args[0].as.text));
}

FUNCTION(as_string) {
        (void)run;
        return cel_text(CEL_STRING, args[0].as.text);
}

FUNCTION(ip_family) {
        return cel_int(address_of(run, &args[0]).is_v6 ? 6 : 4);
}

static bool is_zero(const struct go_address *address) {
        static const struct go_address zero;

        return memcmp(address->bytes, zero.bytes, sizeof(zero.bytes)) == 0;
}

static bool is_loopback(const struct go_address *address) {
        static const unsigned char one[16] = { [15] = 1 };

        return address->is_v6 ? memcmp(address->bytes, one, sizeof(one)) == 0
                              : address->bytes[0] == 127;
}

static bool is_link_local(const struct go_address *address) {
        const unsigned char *byte = address->bytes;

        return address->is_v6 ? byte[0] == 0xfe && (byte[1] & 0xc0) == 0x80
                              : byte[0] == 169 && byte[1] == 254;
}

static bool is_multicast(const struct go_address *address) {
        return address->is_v6 ? address->bytes[0] == 0xff : (address->bytes[0] & 0xf0) == 0xe0;
}

static bool is_broadcast(const struct go_address *address) {
        static const unsigned char all[4] = { 255, 255, 255, 255 };

        return !address->is_v6 && memcmp(address->bytes, all, sizeof(all)) == 0;
}

FUNCTION(ip_is_unspecified) {
        struct go_address address = address_of(run, &args[0]);

        return cel_bool(is_zero(&address));
}

FUNCTION(ip_is_loopback) {
        struct go_address address = address_of(run, &args[0]);

        return cel_bool(is_loopback(&address));
}

FUNCTION(ip_is_link_local_multicast) {
        struct go_address address = address_of(run, &args[0]);
        const unsigned char *byte = address.bytes;

        return cel_bool(address.is_v6 ? byte[0] == 0xff && (byte[1] & 0x0f) == 2
                                      : byte[0] == 224 && byte[1] == 0 && byte[2] == 0);
}

FUNCTION(ip_is_link_local_unicast) {
        struct go_address address = address_of(run, &args[0]);

        return cel_bool(is_link_local(&address));
}

FUNCTION(ip_is_global_unicast) {
        struct go_address address = address_of(run, &args[0]);

        return cel_bool(!is_zero(&address) && !is_broadcast(&address) && !is_loopback(&address) &&
                        !is_multicast(&address) && !is_link_local(&address));
}

/* ---- networks ---- */

static void cel_address_mask(struct go_address *address, unsigned length) {
        for (unsigned bit = length; bit < go_address_width(address); bit++)
                address->bytes[bit / 8] &= (unsigned char)~(0x80U >> bit % 8);
}

static bool cel_address_holds(const struct go_network *network, struct go_address address) {
        struct go_address own = network->address;

        cel_address_mask(&own, network->length);
        cel_address_mask(&address, network->length);
        return own.is_v6 == address.is_v6 && memcmp(own.bytes, address.bytes, 16) == 0;
}

FUNCTION(cidr_of) {
        struct go_network network;
        const char *problem = network_problem(run->arena, args[0].as.text, &network);

        return problem ? cel_text(CEL_ERROR, slice_of(problem)) : network_value(run, &network);
}

FUNCTION(cidr_is) {
        CLEANUP(arena_release) struct arena scratch;
        struct go_network network;

        (void)run;
        arena_init(&scratch, SCRATCH_BYTES);
        return cel_bool(!network_problem(&scratch, args[0].as.text, &network));
}

FUNCTION(cidr_contains_ip) {
        struct go_network network = network_of(run, &args[0]);
        struct go_address address;

        if (address_problem(run->arena, args[1].as.text, &address))
                return cel_error(run, "no such overload");
        return cel_bool(cel_address_holds(&network, address));
}

FUNCTION(cidr_contains_cidr) {
        struct go_network network = network_of(run, &args[0]), inner;
        const char *problem = network_problem(run->arena, args[1].as.text, &inner);

        return problem ? cel_text(CEL_ERROR, slice_of(problem))
                       : cel_bool(network.length <= inner.length &&
                                  cel_address_holds(&network, inner.address));
}

FUNCTION(cidr_ip) {
        struct go_network network = network_of(run, &args[0]);

        return address_value(run, &network.address);
}

FUNCTION(cidr_masked) {
        struct go_network network = network_of(run, &args[0]);

        cel_address_mask(&network.address, network.length);
        return network_value(run, &network);
}

FUNCTION(cidr_prefix_length) {
        return cel_int(network_of(run, &args[0]).length);
}

static const struct cel_function rows[] = {
        { "ip", false, CEL_IP, ip_of, 1, { CEL_STRING } },
        { "isIP", false, CEL_BOOL, ip_is, 1, { CEL_STRING } },
        { "ip.isCanonical", false, CEL_BOOL, ip_is_canonical, 1, { CEL_STRING } },
        { "string", false, CEL_STRING, as_string, 1, { CEL_IP } },
        { "family", true, CEL_INT, ip_family, 1, { CEL_IP } },
        { "isUnspecified", true, CEL_BOOL, ip_is_unspecified, 1, { CEL_IP } },
        { "isLoopback", true, CEL_BOOL, ip_is_loopback, 1, { CEL_IP } },
        { "isLinkLocalMulticast", true, CEL_BOOL, ip_is_link_local_multicast, 1, { CEL_IP } },
        { "isLinkLocalUnicast", true, CEL_BOOL, ip_is_link_local_unicast, 1, { CEL_IP } },
        { "isGlobalUnicast", true, CEL_BOOL, ip_is_global_unicast, 1, { CEL_IP } },
        { "cidr", false, CEL_CIDR, cidr_of, 1, { CEL_STRING } },
        { "isCIDR", false, CEL_BOOL, cidr_is, 1, { CEL_STRING } },
        { "string", false, CEL_STRING, as_string, 1, { CEL_CIDR } },
        { "containsIP", true, CEL_BOOL, cidr_contains_ip, 2, { CEL_CIDR, CEL_STRING } },
        { "containsIP", true, CEL_BOOL, cidr_contains_ip, 2, { CEL_CIDR, CEL_IP } },
        { "containsCIDR", true, CEL_BOOL, cidr_contains_cidr, 2, { CEL_CIDR, CEL_STRING } },
        { "containsCIDR", true, CEL_BOOL, cidr_contains_cidr, 2, { CEL_CIDR, CEL_CIDR } },
        { "ip", true, CEL_IP, cidr_ip, 1, { CEL_CIDR } },
        { "masked", true, CEL_CIDR, cidr_masked, 1, { CEL_CIDR } },
        { "prefixLength", true, CEL_INT, cidr_prefix_length, 1, { CEL_CIDR } },
};
const struct cel_function_set cel_address_functions = { rows, ARRAY_LEN(rows) };
