/* What names of objects may look like, by the rule of their kind. */
#include "api/dns_name.h"
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

const char *name_problem(enum kind_name_rule rule, struct slice name, bool is_prefix) {
        char masked[DNS_SUBDOMAIN_MAX + 3];

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
