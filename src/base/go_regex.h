/* Patterns of Go's regexp, written for PCRE2. One pass from the left, as Go's parser goes
 * (regexp/syntax/parse.go), says what is wrong with a pattern in its words. */
#pragma once

#include "base/buf.h"
#include "base/slice.h"
#include <stdbool.h>

struct go_regex {
        struct buf pcre;    /* owned; without captures */
        struct buf problem; /* owned; "missing closing ): `(`" of a pattern that is none */
        bool has_multiline; /* the flag m */
        struct slice named; /* the first class such as \p{Greek}, whose name PCRE2 looks up; in the
                             * pattern. NULL = none */
};

/* False, with a problem, when it is no pattern of Go. What names a Unicode class that does not
 * exist is found when PCRE2 compiles it. Release it in any case. */
bool go_regex_translate(struct slice pattern, struct go_regex *ret_regex);
void go_regex_release(struct go_regex *regex);
