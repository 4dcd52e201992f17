/* Forms of texts, in the words of the API machinery's validation. */
#include "kinds/text_form.h"

#include "api/dns_name.h"
#include "api/selector.h"
#include "base/util.h"
#include "kinds/kind.h"
#include <string.h>

#define PORT_NAME_MAX 15

/* All complaints about the name of a port, joined by "; ". */
static const char *port_name_problems(struct arena *arena, struct slice name) {
        bool has_letter = false, has_others = name.len == 0;
        struct buf text = { 0 };

        for (size_t i = 0; i < name.len; i++) {
                char c = name.ptr[i];
                bool is_letter = c >= 'a' && c <= 'z';

                has_letter |= is_letter;
                has_others |= !is_letter && (c < '0' || c > '9') && c != '-';
        }
        const struct {
                bool is_wrong;
                const char *problem;
        } rules[] = {
                { name.len > PORT_NAME_MAX, "must be no more than 15 characters" },
                { has_others,
                  "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)" },
                { !has_letter, "must contain at least one letter (a-z)" },
                { slice_contains(name, SLICE_LITERAL("--")),
                  "must not contain consecutive hyphens" },
                { name.len && (name.ptr[0] == '-' || name.ptr[name.len - 1] == '-'),
                  "must not begin or end with a hyphen" },
        };

        for (size_t i = 0; i < ARRAY_LEN(rules); i++)
                if (rules[i].is_wrong)
                        buf_printf(&text, "%s%s", text.len ? "; " : "", rules[i].problem);
        const char *problems = text.len ? arena_string(arena, buf_view(&text)) : NULL;
        buf_release(&text);
        return problems;
}

static const char *identifier_problem(struct slice text) {
        bool is_good = text.len && !(text.ptr[0] >= '0' && text.ptr[0] <= '9');

        for (size_t i = 0; i < text.len; i++) {
                char c = text.ptr[i];

                is_good &= (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                           (c >= 'A' && c <= 'Z') || c == '_';
        }
        return is_good ? NULL
                       : "a valid C identifier must start with alphabetic character or '_', "
                         "followed by a string of alphanumeric characters or '_' (e.g. "
                         "'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is "
                         "'[A-Za-z_][A-Za-z0-9_]*')";
}

#define WILDCARD_FORM                                                                              \
        "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, "  \
        "which must consist of lower case alphanumeric characters, '-' or '.' and end with an "    \
        "alphanumeric character (e.g. '*.example.com', regex used for validation is "              \
        "'\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
#define WILDCARD_LONG "must be no more than 253 characters"

static const char *wildcard_problems(struct slice text) {
        bool is_good = slice_has_prefix(text, SLICE_LITERAL("*.")) &&
                       !dns_subdomain_problem(slice_make(text.ptr + 2, text.len - 2));
        bool is_long = text.len > DNS_SUBDOMAIN_MAX;

        if (is_good)
                return is_long ? WILDCARD_LONG : NULL;
        return is_long ? WILDCARD_LONG "; " WILDCARD_FORM : WILDCARD_FORM;
}

static const char *joined_problems(struct arena *arena, enum text_form form, struct slice text) {
        switch (form) {
        case FORM_SUBDOMAIN:
                return dns_subdomain_problems(text);
        case FORM_LABEL:
                return dns_label_problems(text);
        case FORM_LABEL_1035:
                return dns_1035_label_problems(text);
        case FORM_WILDCARD:
                return wildcard_problems(text);
        case FORM_QUALIFIED:
                return label_key_problem(text);
        case FORM_VALUE:
                return label_value_problem(text);
        case FORM_PORT_NAME:
                return port_name_problems(arena, text);
        case FORM_SEGMENT:
                return segment_problem(text, false);
        case FORM_C_IDENTIFIER:
                return identifier_problem(text);
        }
        return NULL;
}

struct text_problems text_problems(struct arena *arena, enum text_form form, struct slice text) {
        const char *rest = joined_problems(arena, form, text), *mark;
        struct text_problems problems = { 0 };

        while (rest && problems.count < TEXT_PROBLEMS_MAX) {
                mark = strstr(rest, "; ");
                problems.items[problems.count++] =
                        mark ? arena_string(arena, slice_make(rest, (size_t)(mark - rest))) : rest;
                rest = mark ? mark + 2 : NULL;
        }
        return problems;
}
