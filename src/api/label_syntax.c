/* Syntax of label keys and values, with upstream's messages. */
#include "api/selector.h"

#include "api/dns_name.h"

#define NAME_MAX_BYTES 63
#define PREFIX_MAX_BYTES 253

#define NAME_CHARS                                                                                 \
        "consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "     \
        "alphanumeric character"
#define NAME_EXAMPLES                                                                              \
        " (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "             \
        "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
#define NAME_FORM "name part must " NAME_CHARS NAME_EXAMPLES
#define NAME_EMPTY "name part must be non-empty; " NAME_FORM
#define NAME_LONG "name part must be no more than 63 bytes"
#define NAME_LONG_FORM NAME_LONG "; " NAME_FORM

#define PREFIX_EMPTY "prefix part must be non-empty"
#define PREFIX_FORM                                                                                \
        "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric "      \
        "characters, '-' or '.', and must start and end with an alphanumeric character (e.g. "     \
        "'example.com', regex used for validation is "                                             \
        "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
#define PREFIX_LONG "prefix part must be no more than 253 bytes"
#define PREFIX_LONG_FORM PREFIX_LONG "; " PREFIX_FORM

#define TOO_MANY_PARTS                                                                             \
        "a valid label key must " NAME_CHARS NAME_EXAMPLES                                         \
        " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"

#define VALUE_FORM                                                                                 \
        "a valid label must be an empty string or " NAME_CHARS                                     \
        " (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "             \
        "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
#define VALUE_LONG "must be no more than 63 bytes"

enum problem { PROBLEM_NONE, PROBLEM_EMPTY, PROBLEM_FORM, PROBLEM_LONG, PROBLEM_LONG_FORM };

/* Every combination of a faulty prefix (rows) and a faulty name (columns) as one literal, so that
 * reporting needs no buffer. */
#define ROW(prefix)                                                                                \
        {                                                                                          \
                prefix, prefix "; " NAME_EMPTY, prefix "; " NAME_FORM, prefix "; " NAME_LONG,      \
                        prefix "; " NAME_LONG_FORM                                                 \
        }
static const char *const key_messages[5][5] = {
        { NULL, NAME_EMPTY, NAME_FORM, NAME_LONG, NAME_LONG_FORM },
        ROW(PREFIX_EMPTY),
        ROW(PREFIX_FORM),
        ROW(PREFIX_LONG),
        ROW(PREFIX_LONG_FORM),
};

static bool is_alnum(char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
}

static bool has_name_form(struct slice name) {
        if (name.len == 0 || !is_alnum(name.ptr[0]) || !is_alnum(name.ptr[name.len - 1]))
                return false;
        for (size_t i = 0; i < name.len; i++) {
                char c = name.ptr[i];
                if (!is_alnum(c) && c != '-' && c != '_' && c != '.')
                        return false;
        }
        return true;
}

static enum problem problem_of(struct slice part, size_t max, bool has_form) {
        if (part.len == 0)
                return PROBLEM_EMPTY;
        if (part.len > max)
                return has_form ? PROBLEM_LONG : PROBLEM_LONG_FORM;
        return has_form ? PROBLEM_NONE : PROBLEM_FORM;
}

const char *label_key_problem(struct slice key) {
        enum problem prefix_problem = PROBLEM_NONE;
        const char *mark = key.len > 0 ? memchr(key.ptr, '/', key.len) : NULL;
        struct slice name = key;
        if (mark) {
                struct slice prefix = slice_make(key.ptr, (size_t)(mark - key.ptr));
                name = slice_make(mark + 1, key.len - prefix.len - 1);
                if (name.len > 0 && memchr(name.ptr, '/', name.len))
                        return TOO_MANY_PARTS;
                prefix_problem =
                        problem_of(prefix, PREFIX_MAX_BYTES, !dns_subdomain_problem(prefix));
        }
        return key_messages[prefix_problem][problem_of(name, NAME_MAX_BYTES, has_name_form(name))];
}

const char *label_value_problem(struct slice value) {
        bool has_form = value.len == 0 || has_name_form(value);
        if (value.len > NAME_MAX_BYTES)
                return has_form ? VALUE_LONG : VALUE_LONG "; " VALUE_FORM;
        return has_form ? NULL : VALUE_FORM;
}
