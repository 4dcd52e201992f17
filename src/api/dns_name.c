/* The form of DNS names. */
#include "api/dns_name.h"

static bool is_lower(char c) {
        return c >= 'a' && c <= 'z';
}

static bool is_lower_alnum(char c) {
        return is_lower(c) || (c >= '0' && c <= '9');
}

static bool is_label(struct slice text) {
        if (text.len == 0 || !is_lower_alnum(text.ptr[0]) ||
            !is_lower_alnum(text.ptr[text.len - 1]))
                return false;
        for (size_t i = 0; i < text.len; i++) {
                if (!is_lower_alnum(text.ptr[i]) && text.ptr[i] != '-')
                        return false;
        }
        return true;
}

static bool is_subdomain(struct slice text) {
        size_t start = 0;
        for (size_t i = 0; i <= text.len; i++) {
                if (i < text.len && text.ptr[i] != '.')
                        continue;
                if (i == start || !is_label(slice_make(text.ptr + start, i - start)))
                        return false;
                start = i + 1;
        }
        return true;
}

const char *dns_label_problem(struct slice name) {
        return is_label(name)
                       ? NULL
                       : "a lowercase RFC 1123 label must consist of lower case alphanumeric "
                         "characters or '-', and must start and end with an alphanumeric "
                         "character (e.g. 'my-name',  or '123-abc', regex used for validation is "
                         "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
}

const char *dns_subdomain_problem(struct slice name) {
        return is_subdomain(name)
                       ? NULL
                       : "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric "
                         "characters, '-' or '.', and must start and end with an alphanumeric "
                         "character (e.g. 'example.com', regex used for validation is "
                         "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
}

const char *dns_1035_label_problem(struct slice name) {
        return is_label(name) && is_lower(name.ptr[0])
                       ? NULL
                       : "a DNS-1035 label must consist of lower case alphanumeric characters or "
                         "'-', start with an alphabetic character, and end with an alphanumeric "
                         "character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
                         "'[a-z]([-a-z0-9]*[a-z0-9])?')";
}
