/* Regular expressions in the dialect of Go (RE2), matched without backtracking in one pass over the
 * text; the work per character is bounded. */
#pragma once

#include "base/err.h"
#include "base/slice.h"
#include <stdbool.h>

#define REGEX_PATTERN_MAX 4096 /* bytes */
#define REGEX_TEXT_MAX 4096    /* bytes; longer text never matches */

struct buf;
struct regex;

/* NULL with err set (BAD_REQUEST) when it is no pattern of Go, or too large for PCRE2. */
struct regex *regex_new(struct slice pattern, struct err *err);
/* Appends what Go says of a pattern that regex_new refused: "missing closing ): `(`". False, with
 * nothing written, for one that is only too large here. */
bool regex_problem(struct slice pattern, struct buf *out);
void regex_free(struct regex *regex); /* accepts NULL */
/* Whether the expression matches anywhere in the text. Text that is not UTF-8, or that keeps
 * more than some 600 alternatives alive at once, never matches.
 * Safe to call from several threads at once. */
bool regex_matches(const struct regex *regex, struct slice text);
/* The leftmost match at or behind byte `from`, of its alternatives the first as in Go; false when
 * there is none, or the search would take too long. */
bool regex_find(const struct regex *regex, struct slice text, size_t from, size_t *ret_start,
                size_t *ret_end);
/* The version of PCRE2 that runs, such as "10.42 2022-12-11". */
void regex_library_version(struct buf *out);
