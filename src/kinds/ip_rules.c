/* Rules about addresses and networks, in the words of the API machinery. */
#include "kinds/ip_rules.h"

#define IP_EXAMPLE "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
#define CIDR_EXAMPLE "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"

bool check_ip_strict(struct checker *checker, const struct at *at, struct slice text,
                     struct ip_address *ret_address) {
        struct ip_address address;

        if (!ip_parse(text, &address)) {
                report_text(checker, at, NULL, text, IP_EXAMPLE);
                return false;
        }
        if (address.has_zeros)
                report_text(checker, at, NULL, text, "must not have leading 0s");
        if (address.is_mapped)
                report_text(checker, at, NULL, text, "must not be an IPv4-mapped IPv6 address");
        if (ret_address)
                *ret_address = address;
        return !address.has_zeros && !address.is_mapped;
}

bool check_ip_canonical(struct checker *checker, const struct at *at, struct slice text) {
        struct ip_address address;
        char canonical[IP_TEXT_MAX];

        if (!check_ip_strict(checker, at, text, &address))
                return false;
        ip_format(&address, canonical);
        if (slice_is(text, canonical))
                return true;
        report_text(checker, at, NULL, text,
                    message_of(checker, "must be in canonical form (\"%s\")", canonical));
        return false;
}

bool check_cidr_strict(struct checker *checker, const struct at *at, struct slice text,
                       struct ip_network *ret_network) {
        struct ip_network network;
        const char *problem = NULL;

        if (!ip_network_parse(text, &network)) {
                report_text(checker, at, NULL, text, CIDR_EXAMPLE);
                return false;
        }
        struct ip_address first = ip_network_first(&network);
        if (network.has_zeros || network.address.has_zeros)
                problem = "must not have leading 0s in IP or prefix length";
        else if (network.address.is_mapped)
                problem = "must not have an IPv4-mapped IPv6 address";
        else if (!ip_same(&first, &network.address))
                problem = "must not have bits set beyond the prefix length";
        if (problem)
                report_text(checker, at, NULL, text, problem);
        *ret_network = network;
        return !problem;
}

bool check_cidr_canonical(struct checker *checker, const struct at *at, struct slice text,
                          struct ip_network *ret_network) {
        char canonical[IP_TEXT_MAX];

        if (!check_cidr_strict(checker, at, text, ret_network))
                return false;
        ip_network_format(ret_network, false, canonical);
        if (slice_is(text, canonical))
                return true;
        report_text(checker, at, NULL, text,
                    message_of(checker, "must be in canonical form (\"%s\")", canonical));
        return false;
}

RULE(rule_interface_address) {
        struct slice text = node_get_slice(value);
        struct ip_network network;
        char canonical[IP_TEXT_MAX];

        (void)rule;
        if (!ip_network_parse(text, &network)) {
                report_text(checker, at, NULL, text,
                            "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or "
                            "2001:db8::1/64)");
                return;
        }
        ip_network_format(&network, true, canonical);
        if (!slice_is(text, canonical))
                report_text(checker, at, NULL, text,
                            message_of(checker, "must be in canonical form (\"%s\")", canonical));
}

/* ---- addresses that no endpoint may have ---- */

static bool is_four(const struct ip_address *address, unsigned a, unsigned b) {
        return !address->is_six && address->bytes[12] == a && (b > 255 || address->bytes[13] == b);
}

static bool has_all(const uint8_t *bytes, size_t count) {
        for (size_t i = 0; i < count; i++)
                if (bytes[i])
                        return false;
        return true;
}

void check_endpoint_ip(struct checker *checker, const struct at *at, struct slice text) {
        struct ip_address address;

        if (!ip_parse(text, &address)) {
                report_text(checker, at, NULL, text, "must be a valid IP address");
                return;
        }
        const uint8_t *bytes = address.bytes;
        bool is_zero = address.is_six ? has_all(bytes, 16) : has_all(bytes + 12, 4);
        bool is_loop =
                address.is_six ? has_all(bytes, 15) && bytes[15] == 1 : is_four(&address, 127, 256);
        bool is_local = address.is_six ? bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80
                                       : is_four(&address, 169, 254);
        bool is_multicast = address.is_six ? bytes[0] == 0xff && (bytes[1] & 0x0f) == 2
                                           : is_four(&address, 224, 0) && bytes[14] == 0;

        if (is_zero)
                report_text(checker, at, NULL, text,
                            message_of(checker, "may not be unspecified (" SLICE_FMT ")",
                                       SLICE_ARG(text)));
        if (is_loop)
                report_text(checker, at, NULL, text,
                            "may not be in the loopback range (127.0.0.0/8, ::1/128)");
        if (is_local)
                report_text(checker, at, NULL, text,
                            "may not be in the link-local range (169.254.0.0/16, fe80::/10)");
        if (is_multicast)
                report_text(checker, at, NULL, text,
                            "may not be in the link-local multicast range (224.0.0.0/24, "
                            "ff02::/10)");
}
