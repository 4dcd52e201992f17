/* What names of objects may look like, by the rule of their kind. */
#include "api/dns_name.h"
#include "kinds/kind.h"

static const char *segment_problem(struct slice name, bool is_prefix) {
        if (!is_prefix && slice_is(name, "."))
                return "may not be '.'";
        if (!is_prefix && slice_is(name, ".."))
                return "may not be '..'";
        if (memchr(name.ptr, '/', name.len))
                return "may not contain '/'";
        return memchr(name.ptr, '%', name.len) ? "may not contain '%'" : NULL;
}

const char *name_problem(enum kind_name_rule rule, struct slice name, bool is_prefix) {
        /* A prefix may end in a dash, which the generated part covers. */
        if (is_prefix && name.len > 1 && name.ptr[name.len - 1] == '-')
                name.len--;
        switch (rule) {
        case NAME_SUBDOMAIN:
                return dns_subdomain_problem(name);
        case NAME_LABEL:
                return dns_label_problem(name);
        case NAME_SEGMENT:
                return segment_problem(name, is_prefix);
        }
        return NULL;
}
