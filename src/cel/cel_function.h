/* Functions that expressions may call: tables of them, one for each file. */
#pragma once

#include "cel/cel_value.h"

#define CEL_PARAMS_MAX 4
/* Heads the definition of one. */
#define FUNCTION(name)                                                                             \
        static struct cel_value name(struct cel_run *run, const struct cel_value *args)
enum cel_returns { /* type of what a function returns, where no kind says it */
                   CEL_SAME = CEL_KIND_COUNT, /* that of the first argument */
                   CEL_FIRST_ELEMENT,         /* of the first argument's elements */
                   CEL_STRINGS,               /* a list of strings */
                   CEL_INTS,
                   CEL_WRAPPED, /* an optional of the first argument */
                   CEL_OPTIONAL_STRINGS,
                   CEL_OPTIONAL_FORMAT,
                   CEL_OPTIONAL_ELEMENT, /* of the first argument's elements */
                   CEL_MAP_OF_STRINGS,   /* from strings to lists of strings */
};
/* What kinds do not say of the types of parameters. */
enum cel_fit {
        CEL_FIT_ANY,
        CEL_FIT_ELEMENT, /* the second is one of the first's elements */
        CEL_FIT_SAME,    /* both are of one type */
        CEL_FIT_ORDERED, /* elements of the first have an order */
        CEL_FIT_SORTED,  /* the same, but where it is not known before, the function says so */
        CEL_FIT_ADDED,   /* elements of the first have a sum */
        CEL_FIT_STRINGS, /* elements of the first are strings */
};
struct cel_function {
        const char *name;
        bool is_member; /* the first parameter stands before a dot */
        int returns;    /* enum cel_kind or enum cel_returns */
        struct cel_value (*call)(struct cel_run *run, const struct cel_value *args);
        size_t count;
        enum cel_kind params[CEL_PARAMS_MAX];
        enum cel_fit fit;
};
struct cel_function_set {
        const struct cel_function *rows;
        size_t count;
};
extern const struct cel_function_set cel_access_functions, cel_address_functions,
        cel_arithmetic_functions, cel_basic_functions, cel_format_functions, cel_list_functions,
        cel_semver_functions, cel_search_functions, cel_string_format_functions,
        cel_string_functions, cel_time_functions, cel_url_functions;
/* The first function of that name at or behind *at, which is moved on; NULL when there is none. */
const struct cel_function *cel_function_next(struct slice name, bool is_member, size_t *at);
bool cel_matches_kind(enum cel_kind param, enum cel_kind kind);
/* What Go says of a pattern that is none, behind a prefix. */
struct cel_value cel_regex_error(struct cel_run *run, struct slice pattern, const char *prefix);
/* An int, uint or double as string() writes it. */
struct cel_value cel_number_text(struct cel_run *run, const struct cel_value *number);
/* Whether a list of such elements does, of what CEL_FIT_SAME and CEL_FIT_ELEMENT do not ask. */
bool cel_fit_takes(enum cel_fit fit, enum cel_kind element);
