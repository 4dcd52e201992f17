/* What is wrong with a regular expression, in the words of Go's regexp: one pass from the left, as
 * its parser goes, that looks at groups, classes and repetitions only. */
#include "base/regex_problem.h"

#include <string.h>

#define REPEAT_MAX 1000

struct problem_scan {
        struct slice pattern;
        const char *at, *end;
        const char *repeat; /* where the repetition in front of `at` begins; NULL = there is none */
        size_t depth;       /* open groups */
        bool has_operand;   /* something that can be repeated is in front of `at` */
        struct buf *out;
};

/* Says what it is, and shows the part of the pattern; ends the pass. */
static bool problem_found(struct problem_scan *scan, const char *what, const char *from,
                          const char *to) {
        buf_printf(scan->out, "%s: `" SLICE_FMT "`", what,
                   SLICE_ARG(slice_make(from, (size_t)(to - from))));
        return true;
}

static void scan_operand(struct problem_scan *scan, const char *next) {
        scan->at = next;
        scan->has_operand = true;
        scan->repeat = NULL;
}

static bool scan_escape(struct problem_scan *scan) {
        const char *at = scan->at + 1;

        if (at == scan->end)
                return problem_found(scan, "trailing backslash at end of expression", at, at);
        if (*at == 'Q') {
                const char *close = memmem(at, (size_t)(scan->end - at), "\\E", 2);

                scan_operand(scan, close ? close + 2 : scan->end);
        } else {
                scan_operand(scan, at + 1);
        }
        return false;
}

/* Behind one character of a class. */
static const char *class_item_end(const char *at, const char *end) {
        const char *close;

        if (*at == '\\' && at + 1 < end)
                return at + 2;
        if (*at == '[' && at + 1 < end && at[1] == ':') {
                close = memmem(at, (size_t)(end - at), ":]", 2);
                return close ? close + 2 : at + 1;
        }
        return at + 1;
}

static bool scan_class(struct problem_scan *scan) {
        const char *start = scan->at, *at = start + 1;

        if (at < scan->end && *at == '^')
                at++;
        for (bool is_first = true; at < scan->end && (*at != ']' || is_first); is_first = false) {
                const char *next = class_item_end(at, scan->end);
                bool is_range = next == at + 1 && next + 1 < scan->end && *next == '-' &&
                                next[1] != ']' && next[1] != '\\';

                if (is_range && (unsigned char)next[1] < (unsigned char)*at)
                        return problem_found(scan, "invalid character class range", at, next + 2);
                at = is_range ? next + 2 : next;
        }
        if (at >= scan->end)
                return problem_found(scan, "missing closing ]", start, scan->end);
        scan_operand(scan, at + 1);
        return false;
}

static bool scan_group(struct problem_scan *scan) {
        const char *at = scan->at + 1;

        scan->depth++;
        scan->has_operand = false;
        scan->repeat = NULL;
        if (at < scan->end && *at == '?') {
                const char *name = at + 1;

                if (name < scan->end && *name == 'P')
                        name++;
                if (name < scan->end && *name == '<') {
                        at = memchr(name, '>', (size_t)(scan->end - name));
                        if (!at)
                                return problem_found(scan, "invalid named capture", scan->at,
                                                     scan->end);
                } else {
                        while (at < scan->end && *at != ':' && *at != ')')
                                at++;
                        if (at < scan->end && *at == ')') /* flags alone are no group */
                                scan->depth--;
                }
                at += at < scan->end;
        }
        scan->at = at;
        return false;
}

/* Behind the digits of a number, which is REPEAT_MAX + 1 when it is more than that. */
static const char *number_end(const char *at, const char *end, uint64_t *ret_number) {
        *ret_number = 0;
        for (; at < end && *at >= '0' && *at <= '9'; at++)
                *ret_number = *ret_number > REPEAT_MAX ? REPEAT_MAX + 1
                                                       : *ret_number * 10 + (uint64_t)(*at - '0');
        return at;
}

/* Behind {2,5}; NULL when it is literal. *ret_is_wrong: more than may be, or the wrong way round.
 */
static const char *counted_end(const char *at, const char *end, bool *ret_is_wrong) {
        uint64_t least, most = 0;
        const char *digits = number_end(at + 1, end, &least), *last = digits;

        if (digits == at + 1)
                return NULL;
        if (digits < end && *digits == ',')
                last = number_end(digits + 1, end, &most);
        bool has_most = last > digits + 1;
        *ret_is_wrong = least > REPEAT_MAX || most > REPEAT_MAX || (has_most && least > most);
        return last < end && *last == '}' ? last + 1 : NULL;
}

static bool scan_repeat(struct problem_scan *scan, const char *next, bool is_wrong) {
        const char *start = scan->at;

        if (is_wrong)
                return problem_found(scan, "invalid repeat count", start, next);
        if (next < scan->end && *next == '?')
                next++;
        if (scan->repeat)
                return problem_found(scan, "invalid nested repetition operator", scan->repeat,
                                     next);
        if (!scan->has_operand)
                return problem_found(scan, "missing argument to repetition operator", start, next);
        scan->repeat = start;
        scan->at = next;
        return false;
}

static bool scan_next(struct problem_scan *scan) {
        bool is_wrong = false;
        const char *next = scan->at + 1;

        switch (*scan->at) {
        case '\\':
                return scan_escape(scan);
        case '[':
                return scan_class(scan);
        case '(':
                return scan_group(scan);
        case ')':
                if (scan->depth-- == 0)
                        return problem_found(scan, "unexpected )", scan->pattern.ptr, scan->end);
                break;
        case '|':
                scan->at++;
                scan->has_operand = false;
                scan->repeat = NULL;
                return false;
        case '{':
                next = counted_end(scan->at, scan->end, &is_wrong);
                if (next)
                        return scan_repeat(scan, next, is_wrong);
                break;
        case '*':
        case '+':
        case '?':
                return scan_repeat(scan, next, false);
        default:
                break;
        }
        scan_operand(scan, scan->at + 1);
        return false;
}

bool regex_problem(struct slice pattern, struct buf *out) {
        struct problem_scan scan = {
                .pattern = pattern, .at = pattern.ptr, .end = pattern.ptr + pattern.len, .out = out
        };

        while (scan.at < scan.end)
                if (scan_next(&scan))
                        return true;
        return scan.depth > 0 && problem_found(&scan, "missing closing )", pattern.ptr, scan.end);
}
