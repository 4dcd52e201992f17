/* Shared by the files that translate patterns. */
#pragma once

#include "base/go_regex.h"

#define GO_REGEX_DEPTH_MAX 100 /* open groups; Go has 1000 */

struct regex_scan {
        struct slice pattern;
        const char *at, *end;
        const char *repeat;          /* where the repetition in front of `at` begins, or NULL */
        size_t operand, operand_end; /* in the output: what a repetition repeats */
        unsigned product;            /* how often its parts are repeated, all in all */
        bool has_operand, is_assertion;
        size_t depth; /* open groups */
        struct {
                size_t start;  /* in the output */
                unsigned most; /* product of the operands in it */
        } groups[GO_REGEX_DEPTH_MAX + 1];
        struct go_regex *regex;
};

/* Says what it is, and shows the part of the pattern. Returns true: the pass ends. */
bool go_regex_fail(struct regex_scan *scan, const char *what, const char *from, const char *to);
/* Writes one character so that it stands for itself. */
void go_regex_literal(struct regex_scan *scan, const char *at, size_t length);
/* Bytes of the character at `at`. */
size_t go_regex_length(const struct regex_scan *scan, const char *at);

/* Each goes over what begins at `at` and writes it. NULL when something is wrong, which was said.
 */
const char *go_regex_escape(struct regex_scan *scan, const char *at); /* of one character */
/* The same, and \d or \pL. */
const char *go_regex_characters(struct regex_scan *scan, const char *at, bool is_in_class);
const char *go_regex_class(struct regex_scan *scan, const char *at); /* [a-z] */
