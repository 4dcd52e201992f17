/* What names of objects may look like, by the rule of their kind. */
#include "api/dns_name.h"
#include "base/ip_text.h"
#include "kinds/kind.h"
#include <stdlib.h>

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

static const char *form_problem(enum kind_name_rule rule, struct slice name) {
        return rule == NAME_LABEL ? dns_label_problems(name) : dns_subdomain_problems(name);
}

const char *name_problem(enum kind_name_rule rule, struct slice name, bool is_prefix) {
        if (rule == NAME_ADDRESS)
                return address_problem(name);
        if (rule == NAME_SEGMENT) /* a prefix is looked at as a name */
                return segment_problem(name, false);
        if (!is_prefix || name.len < 2 || name.ptr[name.len - 1] != '-')
                return form_problem(rule, name);
        /* A prefix may end in a dash. As upstream, the character before it is not checked either.
         */
        char *masked = slice_dup(name);
        masked[name.len - 2] = 'a';
        const char *problem = form_problem(rule, slice_make(masked, name.len - 1));
        free(masked);
        return problem;
}

#define CONFIG_KEY_TEXT                                                                            \
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. "       \
        "'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is "                \
        "'[-._a-zA-Z0-9]+')"
#define CONFIG_KEY_LONG "must be no more than 253 characters"

static bool has_config_form(struct slice key) {
        for (size_t i = 0; i < key.len; i++) {
                char c = key.ptr[i];

                if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '-' || c == '_' || c == '.'))
                        return false;
        }
        return key.len > 0;
}

const char *config_key_problems(struct slice key) {
        bool is_long = key.len > DNS_SUBDOMAIN_MAX, has_form = has_config_form(key);

        if (slice_is(key, "."))
                return "must not be '.'";
        if (slice_is(key, ".."))
                return "must not be '..'";
        if (!slice_has_prefix(key, SLICE_LITERAL("..")))
                return is_long ? has_form ? CONFIG_KEY_LONG : CONFIG_KEY_LONG "; " CONFIG_KEY_TEXT
                       : has_form ? NULL
                                  : CONFIG_KEY_TEXT;
        if (is_long)
                return has_form ? CONFIG_KEY_LONG "; must not start with '..'"
                                : CONFIG_KEY_LONG "; " CONFIG_KEY_TEXT "; must not start with '..'";
        return has_form ? "must not start with '..'" : CONFIG_KEY_TEXT "; must not start with '..'";
}
