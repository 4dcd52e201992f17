/* One pass over a pattern: groups, repetitions and what they repeat. */
#include "base/go_regex_priv.h"

#include "base/util.h"
#include <ctype.h>
#include <string.h>

#define REPEAT_MAX 1000

/* ---- operands ---- */

static void operand_begin(struct regex_scan *scan) {
        scan->operand = scan->regex->pcre.len;
        scan->product = 1;
        scan->is_assertion = false;
}

static void keep_most(struct regex_scan *scan) {
        if (scan->product > scan->groups[scan->depth].most)
                scan->groups[scan->depth].most = scan->product;
}

static bool operand_end(struct regex_scan *scan, const char *next) {
        scan->at = next;
        scan->has_operand = true;
        scan->repeat = NULL;
        scan->operand_end = scan->regex->pcre.len;
        keep_most(scan);
        return false;
}

static bool scan_literal(struct regex_scan *scan) {
        size_t length = go_regex_length(scan, scan->at);

        operand_begin(scan);
        go_regex_literal(scan, scan->at, length);
        return operand_end(scan, scan->at + length);
}

/* ^, $, \b: may be repeated in Go. */
static bool scan_assertion(struct regex_scan *scan, size_t length) {
        operand_begin(scan);
        scan->is_assertion = true;
        buf_slice(&scan->regex->pcre, slice_make(scan->at, length));
        return operand_end(scan, scan->at + length);
}

/* \Q...\E; nothing in it is nothing at all. */
static bool scan_quoted(struct regex_scan *scan) {
        const char *from = scan->at + 2;
        const char *close = memmem(from, (size_t)(scan->end - from), "\\E", 2);
        const char *to = close ? close : scan->end;

        for (scan->at = from; scan->at < to;)
                scan_literal(scan);
        scan->at = close ? close + 2 : to;
        return false;
}

static bool scan_escape(struct regex_scan *scan) {
        const char *letter = scan->at + 1;

        if (letter < scan->end && *letter == 'Q')
                return scan_quoted(scan);
        if (letter < scan->end && strchr("AbBz", *letter))
                return scan_assertion(scan, 2);
        operand_begin(scan);
        const char *end = go_regex_characters(scan, scan->at, false);
        return end ? operand_end(scan, end) : true;
}

static bool scan_class(struct regex_scan *scan) {
        operand_begin(scan);
        const char *end = go_regex_class(scan, scan->at);
        return end ? operand_end(scan, end) : true;
}

/* ---- groups ---- */

static bool open_group(struct regex_scan *scan, const char *next, struct slice text) {
        if (scan->depth == GO_REGEX_DEPTH_MAX)
                return go_regex_fail(scan, "expression nests too deeply", scan->pattern.ptr,
                                     scan->end);
        scan->depth++;
        scan->groups[scan->depth].start = scan->regex->pcre.len;
        scan->groups[scan->depth].most = 1;
        buf_slice(&scan->regex->pcre, text);
        scan->has_operand = false;
        scan->repeat = NULL;
        scan->at = next;
        return false;
}

static bool close_group(struct regex_scan *scan) {
        if (scan->depth == 0)
                return go_regex_fail(scan, "unexpected )", scan->pattern.ptr, scan->end);
        buf_char(&scan->regex->pcre, ')');
        scan->operand = scan->groups[scan->depth].start;
        scan->product = scan->groups[scan->depth].most;
        scan->is_assertion = false;
        scan->depth--;
        return operand_end(scan, scan->at + 1);
}

/* "(?P<name>" or "(?<name>"; the name begins at `name`. */
static bool scan_named(struct regex_scan *scan, const char *name) {
        const char *close = memchr(name, '>', (size_t)(scan->end - name));
        const char *at = name;

        while (close && at < close && (isalnum((unsigned char)*at) || *at == '_'))
                at++;
        if (!close || close == name || at < close)
                return go_regex_fail(scan, "invalid named capture", scan->at,
                                     close ? close + 1 : scan->end);
        return open_group(scan, close + 1, SLICE_LITERAL("("));
}

/* "(?i:" or "(?s-m)"; flags alone are no group and no operand. */
static bool scan_flags(struct regex_scan *scan) {
        const char *at = scan->at + 2;
        bool is_negated = false, has_flag = false;

        for (; at < scan->end && strchr("imsU-", *at) && !(*at == '-' && is_negated); at++) {
                has_flag = *at != '-';
                is_negated = is_negated || !has_flag;
                scan->regex->has_multiline = scan->regex->has_multiline || *at == 'm';
        }
        bool is_open = at == scan->end || (*at != ':' && *at != ')');
        if (is_open || (is_negated && !has_flag))
                return go_regex_fail(scan, "invalid or unsupported Perl syntax", scan->at,
                                     at < scan->end ? at + go_regex_length(scan, at) : scan->end);
        struct slice text = slice_make(scan->at, (size_t)(at + 1 - scan->at));
        if (*at == ':')
                return open_group(scan, at + 1, text);
        buf_slice(&scan->regex->pcre, text);
        scan->repeat = NULL;
        scan->at = at + 1;
        return false;
}

static bool scan_group(struct regex_scan *scan) {
        struct slice rest = slice_make(scan->at, (size_t)(scan->end - scan->at));

        if (rest.len > 4 && slice_has_prefix(rest, SLICE_LITERAL("(?P<")))
                return scan_named(scan, scan->at + 4);
        if (rest.len > 3 && slice_has_prefix(rest, SLICE_LITERAL("(?<")))
                return scan_named(scan, scan->at + 3);
        if (slice_has_prefix(rest, SLICE_LITERAL("(?")))
                return scan_flags(scan);
        return open_group(scan, scan->at + 1, SLICE_LITERAL("("));
}

static bool scan_bar(struct regex_scan *scan) {
        buf_char(&scan->regex->pcre, '|');
        scan->at++;
        scan->has_operand = false;
        scan->repeat = NULL;
        return false;
}

/* ---- repetitions ---- */

struct counts {
        unsigned least, most; /* REPEAT_MAX + 1: more than may be */
        bool has_most;        /* else most is least */
};

/* Behind the digits of a number. */
static const char *number_end(const char *at, const char *end, unsigned *ret_number) {
        *ret_number = 0;
        for (; at < end && *at >= '0' && *at <= '9'; at++)
                *ret_number = *ret_number > REPEAT_MAX ? REPEAT_MAX + 1
                                                       : *ret_number * 10 + (unsigned)(*at - '0');
        return at;
}

/* Behind {2,5}; NULL when it is literal. */
static const char *counts_end(const char *at, const char *end, struct counts *ret_counts) {
        const char *digits = number_end(at + 1, end, &ret_counts->least), *last = digits;

        if (digits == at + 1)
                return NULL;
        ret_counts->most = ret_counts->least;
        ret_counts->has_most = true;
        if (digits < end && *digits == ',') {
                last = number_end(digits + 1, end, &ret_counts->most);
                ret_counts->has_most = last > digits + 1;
        }
        if (!ret_counts->has_most)
                ret_counts->most = ret_counts->least;
        return last < end && *last == '}' ? last + 1 : NULL;
}

static void go_regex_insert(struct buf *out, size_t at, struct slice text) {
        size_t tail = out->len - at;

        buf_slice(out, text); /* makes room */
        memmove(out->data + at + text.len, out->data + at, tail);
        memcpy(out->data + at, text.ptr, text.len);
}

/* The quantifier goes to its operand, which flags may have come behind. */
static void write_repeat(struct regex_scan *scan, struct slice quantifier) {
        struct buf *out = &scan->regex->pcre;

        if (scan->is_assertion) {
                go_regex_insert(out, scan->operand_end, SLICE_LITERAL(")"));
                go_regex_insert(out, scan->operand, SLICE_LITERAL("(?:"));
                scan->operand_end += 4;
                scan->is_assertion = false;
        }
        go_regex_insert(out, scan->operand_end, quantifier);
        scan->operand_end += quantifier.len;
}

/* Of a counted repetition; others repeat without a number. */
static bool is_count_wrong(const struct counts *counts) {
        return counts->least > REPEAT_MAX || counts->most > REPEAT_MAX ||
               (counts->has_most && counts->least > counts->most);
}

static bool scan_repeat(struct regex_scan *scan, const char *next, const struct counts *counts) {
        const char *start = scan->at;
        unsigned times = counts ? counts->most : 0;

        if (counts && is_count_wrong(counts))
                return go_regex_fail(scan, "invalid repeat count", start, next);
        if (next < scan->end && *next == '?')
                next++;
        if (scan->repeat)
                return go_regex_fail(scan, "invalid nested repetition operator", scan->repeat,
                                     next);
        if (!scan->has_operand)
                return go_regex_fail(scan, "missing argument to repetition operator", start, next);
        if (times >= 2 && scan->product * times > REPEAT_MAX)
                return go_regex_fail(scan, "invalid repeat count", start, next);
        if (counts)
                scan->product *= times || counts->has_most ? times : 1;
        keep_most(scan);
        write_repeat(scan, slice_make(start, (size_t)(next - start)));
        scan->repeat = start;
        scan->at = next;
        return false;
}

static bool scan_counted(struct regex_scan *scan) {
        struct counts counts;
        const char *next = counts_end(scan->at, scan->end, &counts);

        return next ? scan_repeat(scan, next, &counts) : scan_literal(scan);
}

/* ---- all of it ---- */

/* True when something is wrong. */
static bool scan_next(struct regex_scan *scan) {
        switch (*scan->at) {
        case '\\':
                return scan_escape(scan);
        case '[':
                return scan_class(scan);
        case '(':
                return scan_group(scan);
        case ')':
                return close_group(scan);
        case '|':
                return scan_bar(scan);
        case '{':
                return scan_counted(scan);
        case '*':
        case '+':
        case '?':
                return scan_repeat(scan, scan->at + 1, NULL);
        case '^':
        case '$':
                return scan_assertion(scan, 1);
        case '.':
                operand_begin(scan);
                buf_char(&scan->regex->pcre, '.');
                return operand_end(scan, scan->at + 1);
        default:
                return scan_literal(scan);
        }
}

bool go_regex_translate(struct slice pattern, struct go_regex *ret_regex) {
        struct regex_scan scan = { .pattern = pattern,
                                   .at = pattern.ptr,
                                   .end = pattern.ptr + pattern.len,
                                   .regex = ret_regex };

        *ret_regex = (struct go_regex){ 0 };
        scan.groups[0].most = 1;
        while (scan.at < scan.end)
                if (scan_next(&scan))
                        return false;
        return scan.depth == 0 || !go_regex_fail(&scan, "missing closing )", pattern.ptr, scan.end);
}

void go_regex_release(struct go_regex *regex) {
        buf_release(&regex->pcre);
        buf_release(&regex->problem);
}
