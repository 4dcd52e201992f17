/* How warnings are written, and those about addresses. */
#include "kinds/warn_text.h"

#include "api/quantity.h"
#include "base/ip_text.h"
#include <stdarg.h>
#include <stdio.h>

void warn_text(const struct warn_sink *sink, const char *format, ...) {
        struct buf text = { 0 };
        va_list args;

        va_start(args, format);
        buf_vprintf(&text, format, args);
        va_end(args);
        sink->emit(sink->context, text.data);
        buf_release(&text);
}

void warn_in_pod(const struct warner *warner, const char *format, ...) {
        struct buf text = { 0 };
        va_list args;

        buf_text(&text, warner->prefix);
        va_start(args, format);
        buf_vprintf(&text, format, args);
        va_end(args);
        warner->sink.emit(warner->sink.context, text.data);
        buf_release(&text);
}

bool is_fraction_of_bytes(struct slice amount) {
        int64_t milli;

        return amount.len && quantity_milli(amount, &milli, NULL) == 0 && milli % 1000 != 0 &&
               milli != INT64_MAX && milli != INT64_MIN;
}

void warn_fraction_of_bytes(const struct warn_sink *sink, const char *path, const char *list,
                            struct slice amount) {
        if (!is_fraction_of_bytes(amount))
                return;
        warn_text(sink,
                  "%sresources.%s[storage]: fractional byte value \"" SLICE_FMT
                  "\" is invalid, must be an integer",
                  path, list, SLICE_ARG(amount));
}

/* ---- addresses ---- */

void warn_address(const struct warn_sink *sink, const char *path, struct slice text) {
        struct ip_address address;
        char canonical[IP_TEXT_MAX];

        if (!ip_parse(text, &address))
                return;
        ip_format(&address, canonical);
        if (address.has_zeros || address.is_mapped)
                warn_text(sink,
                          "%s: non-standard IP address \"" SLICE_FMT "\" is invalid: use \"%s\"",
                          path, SLICE_ARG(text), canonical);
        else if (address.is_six && !slice_is(text, canonical))
                warn_text(sink,
                          "%s: IPv6 address \"" SLICE_FMT
                          "\" should be in RFC 5952 canonical format (\"%s\")",
                          path, SLICE_ARG(text), canonical);
}

void warn_addresses(const struct warn_sink *sink, const char *path, const struct json_node *list) {
        for (size_t i = 0; i < node_count(list); i++) {
                char place[96];

                snprintf(place, sizeof(place), "%s[%zu]", path, i);
                warn_address(sink, place, node_get_slice(node_at(list, i)));
        }
}

void warn_member_addresses(const struct warn_sink *sink, const char *path,
                           const struct json_node *list, const char *member,
                           const char *shown_member) {
        for (size_t i = 0; i < node_count(list); i++) {
                char place[96];

                snprintf(place, sizeof(place), "%s[%zu]%s", path, i, shown_member);
                warn_address(sink, place, node_get_text(node_at(list, i), member));
        }
}

void warn_network(const struct warn_sink *sink, const char *path, struct slice text) {
        char whole[IP_TEXT_MAX], single[IP_TEXT_MAX];
        struct ip_network network;

        if (!ip_network_parse(text, &network))
                return;
        struct ip_address first = ip_network_first(&network);
        bool is_odd = network.has_zeros || network.address.has_zeros || network.address.is_mapped;
        bool is_ambiguous = !ip_same(&first, &network.address);

        ip_network_format(&network, false, whole);
        ip_network_format(&network, true, single);
        if (is_ambiguous)
                warn_text(sink,
                          "%s: CIDR value \"" SLICE_FMT
                          "\" is ambiguous in this context (should be \"%s\" or \"%s\"?)",
                          path, SLICE_ARG(text), whole, single);
        if (is_odd)
                warn_text(sink,
                          "%s: non-standard CIDR value \"" SLICE_FMT "\" is invalid: use \"%s\"",
                          path, SLICE_ARG(text), whole);
        if (!is_ambiguous && !is_odd && network.address.is_six && !slice_is(text, single))
                warn_text(sink,
                          "%s: IPv6 CIDR value \"" SLICE_FMT
                          "\" should be in RFC 5952 canonical format (\"%s\")",
                          path, SLICE_ARG(text), single);
}

void warn_network_at(const struct warn_sink *sink, const char *list, size_t index,
                     struct slice text) {
        char place[128];

        snprintf(place, sizeof(place), "%s[%zu]", list, index);
        warn_network(sink, place, text);
}
