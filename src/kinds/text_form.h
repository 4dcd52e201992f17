/* Forms that texts in objects have to have, and everything that is wrong with one. */
#pragma once

#include "base/arena.h"
#include "base/slice.h"
#include <stdbool.h>

enum text_form {
        FORM_SUBDOMAIN,  /* RFC 1123 */
        FORM_LABEL,      /* RFC 1123 */
        FORM_LABEL_1035, /* begins with a letter */
        FORM_WILDCARD,   /* *.SUBDOMAIN */
        FORM_QUALIFIED,  /* a label's key: [SUBDOMAIN/]NAME */
        FORM_VALUE,      /* a label's value */
        FORM_PORT_NAME,
        FORM_SEGMENT, /* of a path */
        FORM_C_IDENTIFIER,
};

#define TEXT_PROBLEMS_MAX 5
struct text_problems {
        size_t count;
        const char *items[TEXT_PROBLEMS_MAX];
};
/* In upstream's words and order; they live in the arena or as long as the program. */
struct text_problems text_problems(struct arena *arena, enum text_form form, struct slice text);
