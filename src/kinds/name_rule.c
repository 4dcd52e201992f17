/* What names of objects may look like, by the rule of their kind. */
#include "api/dns_name.h"
#include "kinds/ip_text.h"
#include "kinds/kind.h"

const char *segment_problem(struct slice name, bool is_prefix) {
        bool has_slash = name.len && memchr(name.ptr, '/', name.len);
        bool has_percent = name.len && memchr(name.ptr, '%', name.len);

        if (!is_prefix && slice_is(name, "."))
                return "may not be '.'";
        if (!is_prefix && slice_is(name, ".."))
                return "may not be '..'";
        if (has_slash)
                return has_percent ? "may not contain '/'; may not contain '%'"
                                   : "may not contain '/'";
        return has_percent ? "may not contain '%'" : NULL;
}

static const char *address_problem(struct slice name) {
        struct ip_address address;
        char canonical[IP_TEXT_MAX];

        if (!ip_parse(name, &address))
                return "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
        if (address.has_zeros)
                return "must not have leading 0s";
        if (address.is_mapped)
                return "must not be an IPv4-mapped IPv6 address";
        ip_format(&address, canonical);
        return slice_is(name, canonical) ? NULL : "must be in canonical form";
}

const char *name_problem(enum kind_name_rule rule, struct slice name, bool is_prefix) {
        char masked[DNS_SUBDOMAIN_MAX + 3];

        if (rule == NAME_ADDRESS)
                return address_problem(name);
        if (rule == NAME_SEGMENT)
                return segment_problem(name, is_prefix);
        /* A prefix may end in a dash. As upstream, the character before it is not checked either.
         */
        if (is_prefix && name.len > 1 && name.len < sizeof(masked) &&
            name.ptr[name.len - 1] == '-') {
                memcpy(masked, name.ptr, name.len);
                masked[name.len - 2] = 'a';
                name = slice_make(masked, name.len - 1);
        }
        return rule == NAME_LABEL ? dns_label_problems(name) : dns_subdomain_problems(name);
}
