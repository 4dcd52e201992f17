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

#define LABEL_FORM                                                                                 \
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "   \
        "and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', "   \
        "regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
#define LABEL_DOTS "must not contain dots"
#define LABEL_1035_FORM                                                                            \
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with "  \
        "an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or "    \
        "'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
#define SUBDOMAIN_FORM                                                                             \
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' "  \
        "or '.', and must start and end with an alphanumeric character (e.g. 'example.com', "      \
        "regex used for validation is "                                                            \
        "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
#define LABEL_LONG "must be no more than 63 characters"
#define SUBDOMAIN_LONG "must be no more than 253 characters"

/* What is wrong with the form, and the same behind a complaint about the length. */
struct dns_problem {
        const char *form, *long_form;
};
static const struct dns_problem label_form = { LABEL_FORM, LABEL_LONG "; " LABEL_FORM };
static const struct dns_problem label_dots = { LABEL_DOTS, LABEL_LONG "; " LABEL_DOTS };
static const struct dns_problem label_right = { NULL, LABEL_LONG };
static const struct dns_problem label_1035_form = { LABEL_1035_FORM,
                                                    LABEL_LONG "; " LABEL_1035_FORM };
static const struct dns_problem subdomain_form = { SUBDOMAIN_FORM,
                                                   SUBDOMAIN_LONG "; " SUBDOMAIN_FORM };
static const struct dns_problem subdomain_right = { NULL, SUBDOMAIN_LONG };

static const struct dns_problem *label_problem(struct slice name) {
        if (is_label(name))
                return &label_right;
        return is_subdomain(name) ? &label_dots : &label_form;
}

static const struct dns_problem *label_1035_problem(struct slice name) {
        return is_label(name) && is_lower(name.ptr[0]) ? &label_right : &label_1035_form;
}

static const struct dns_problem *subdomain_problem(struct slice name) {
        return is_subdomain(name) ? &subdomain_right : &subdomain_form;
}

const char *dns_label_problem(struct slice name) {
        return label_problem(name)->form;
}

const char *dns_subdomain_problem(struct slice name) {
        return subdomain_problem(name)->form;
}

const char *dns_1035_label_problem(struct slice name) {
        return label_1035_problem(name)->form;
}

static const char *problem_text(const struct dns_problem *problem, struct slice name, size_t max) {
        return name.len > max ? problem->long_form : problem->form;
}

const char *dns_label_problems(struct slice name) {
        return problem_text(label_problem(name), name, DNS_LABEL_MAX);
}

const char *dns_subdomain_problems(struct slice name) {
        return problem_text(subdomain_problem(name), name, DNS_SUBDOMAIN_MAX);
}

const char *dns_1035_label_problems(struct slice name) {
        return problem_text(label_1035_problem(name), name, DNS_LABEL_MAX);
}
