/* What is no JSON, in the words of Go's scanner. */
#include "schema/go_json.h"

#include "base/arena.h"
#include "base/go_quote.h"
#include "base/pace.h"
#include "base/utf8.h"
#include "base/util.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 10000

struct scan {
        struct slice text;
        size_t at;
        struct buf *out;
        struct buf open; /* brackets that were opened */
        bool has_failed;
};

/* ---- words ---- */

/* Inside of a word, a number or an escape: Go's scanner takes the end of the text for a blank. */
static void scan_fail_inside(struct scan *scan, const char *where) {
        bool is_end = scan->at >= scan->text.len;

        if (scan->has_failed)
                return;
        scan->has_failed = true;
        buf_text(scan->out, "invalid character ");
        go_quote_byte(is_end ? ' ' : (unsigned char)scan->text.ptr[scan->at], scan->out);
        buf_printf(scan->out, " %s", where);
}

/* Where a blank may stand. */
static void scan_fail(struct scan *scan, const char *where) {
        if (scan->has_failed || scan->at < scan->text.len) {
                scan_fail_inside(scan, where);
                return;
        }
        scan->has_failed = true;
        buf_text(scan->out, "unexpected end of JSON input");
}

/* ---- values ---- */

/* 0 at the end. */
static char scan_peek(const struct scan *scan) {
        return scan->at < scan->text.len ? scan->text.ptr[scan->at] : '\0';
}

static void skip_blanks(struct scan *scan) {
        while (scan->at < scan->text.len && strchr(" \t\r\n", scan_peek(scan)) && scan_peek(scan))
                scan->at++;
}

static void scan_escape(struct scan *scan) {
        if (scan_peek(scan) && strchr("\"\\/bfnrt", scan_peek(scan))) {
                scan->at++;
                return;
        }
        if (scan_peek(scan) != 'u') {
                scan_fail_inside(scan, "in string escape code");
                return;
        }
        scan->at++;
        for (int i = 0; i < 4; i++, scan->at++)
                if (!isxdigit((unsigned char)scan_peek(scan))) {
                        scan_fail_inside(scan, "in \\u hexadecimal character escape");
                        return;
                }
}

/* Behind the first quote. */
static void scan_string(struct scan *scan) {
        while (!scan->has_failed) {
                char c = scan_peek(scan);

                if (scan->at >= scan->text.len || (unsigned char)c < 0x20) {
                        scan_fail(scan, "in string literal");
                        return;
                }
                scan->at++;
                if (c == '"')
                        return;
                if (c == '\\')
                        scan_escape(scan);
        }
}

static void scan_digits(struct scan *scan, const char *where) {
        if (!isdigit((unsigned char)scan_peek(scan)))
                scan_fail_inside(scan, where);
        while (isdigit((unsigned char)scan_peek(scan)))
                scan->at++;
}

static void scan_number(struct scan *scan) {
        if (scan_peek(scan) == '-')
                scan->at++;
        if (scan_peek(scan) == '0')
                scan->at++;
        else
                scan_digits(scan, "in numeric literal");
        if (!scan->has_failed && scan_peek(scan) == '.') {
                scan->at++;
                scan_digits(scan, "after decimal point in numeric literal");
        }
        if (!scan->has_failed && (scan_peek(scan) == 'e' || scan_peek(scan) == 'E')) {
                scan->at++;
                if (scan_peek(scan) == '+' || scan_peek(scan) == '-')
                        scan->at++;
                scan_digits(scan, "in exponent of numeric literal");
        }
}

static void scan_word(struct scan *scan, const char *word) {
        for (const char *c = word; *c; c++, scan->at++)
                if (scan_peek(scan) != *c) {
                        char where[64];

                        snprintf(where, sizeof(where), "in literal %s (expecting '%c')", word, *c);
                        scan_fail_inside(scan, where);
                        return;
                }
}

/* ---- containers ---- */

static void scan_key(struct scan *scan) {
        skip_blanks(scan);
        if (scan_peek(scan) != '"') {
                scan_fail(scan, "looking for beginning of object key string");
                return;
        }
        scan->at++;
        scan_string(scan);
        skip_blanks(scan);
        if (scan_peek(scan) != ':')
                scan_fail(scan, "after object key");
        else
                scan->at++;
}

/* Behind an opening bracket. True: the container is empty. */
static bool scan_open(struct scan *scan, char bracket) {
        scan->at++;
        skip_blanks(scan);
        if (scan_peek(scan) == (bracket == '{' ? '}' : ']')) {
                scan->at++;
                return true;
        }
        buf_char(&scan->open, bracket);
        if (scan->open.len > DEPTH_MAX) {
                scan->has_failed = true;
                buf_text(scan->out, "exceeded max depth");
        } else if (bracket == '{') {
                scan_key(scan);
        }
        return false;
}

/* A value, or the beginning of one that has values. True: it is complete. */
static bool scan_begin(struct scan *scan) {
        skip_blanks(scan);
        char c = scan_peek(scan);

        if (c == '{' || c == '[')
                return scan_open(scan, c);
        if (c == '"') {
                scan->at++;
                scan_string(scan);
        } else if (c == '-' || isdigit((unsigned char)c)) {
                scan_number(scan);
        } else if (c == 't' || c == 'f' || c == 'n') {
                scan_word(scan, c == 't' ? "true" : c == 'f' ? "false" : "null");
        } else {
                scan_fail(scan, "looking for beginning of value");
        }
        return true;
}

/* Behind a value in a container. True: it was the last one. */
static bool scan_end(struct scan *scan) {
        bool is_object = scan->open.data[scan->open.len - 1] == '{';

        skip_blanks(scan);
        char c = scan_peek(scan);
        if (c == ',') {
                scan->at++;
                if (is_object)
                        scan_key(scan);
                return false;
        }
        if (c == (is_object ? '}' : ']')) {
                scan->at++;
                scan->open.len--;
                return true;
        }
        scan_fail(scan, is_object ? "after object key:value pair" : "after array element");
        return false;
}

const char *go_json_problem(struct slice text, struct buf *out) {
        struct scan scan = { .text = text, .out = out };
        bool is_complete = false;

        buf_clear(out);
        while (!scan.has_failed && !(is_complete && scan.open.len == 0)) {
                pace_step();
                is_complete = is_complete ? scan_end(&scan) : scan_begin(&scan);
        }
        skip_blanks(&scan);
        if (scan.at < text.len)
                scan_fail(&scan, "after top-level value");
        buf_release(&scan.open);
        return scan.has_failed ? out->data : NULL;
}

/* ---- what is not Unicode ---- */

/* The number behind "\u"; -1 for other texts. */
static int escape_of(struct slice text) {
        char digits[5] = "";

        if (text.len < 6 || text.ptr[0] != '\\' || text.ptr[1] != 'u')
                return -1;
        memcpy(digits, text.ptr + 2, 4);
        for (int i = 0; i < 4; i++)
                if (!isxdigit((unsigned char)digits[i]))
                        return -1;
        return (int)strtol(digits, NULL, 16);
}

static bool is_between(int code, int first, int last) {
        return code >= first && code <= last;
}

/* How many bytes are taken as one; *ret_is_whole: they stand for a character. */
static size_t take_one(struct slice text, bool *ret_is_whole) {
        int code = escape_of(text);

        *ret_is_whole = true;
        if (text.ptr[0] == '\\' && code < 0)
                return text.len > 1 && (unsigned char)text.ptr[1] < 0x80 ? 2 : 1;
        if (code < 0) {
                size_t length = utf8_sequence_len(text);

                *ret_is_whole = length > 0;
                return length ? length : 1;
        }
        if (!is_between(code, 0xd800, 0xdfff))
                return 6;
        *ret_is_whole =
                code < 0xdc00 &&
                is_between(escape_of(slice_make(text.ptr + 6, text.len - 6)), 0xdc00, 0xdfff);
        return *ret_is_whole ? 12 : 6;
}

/* Most texts have no escapes at all, which is seen at once. */
static bool may_need_it(struct slice text) {
        const char *escape = text.len ? memchr(text.ptr, '\\', text.len) : NULL;
        struct slice rest =
                escape ? slice_make(escape, text.len - (size_t)(escape - text.ptr)) : SLICE_EMPTY;

        return slice_contains(rest, SLICE_LITERAL("\\ud")) ||
               slice_contains(rest, SLICE_LITERAL("\\uD")) || !utf8_is_valid(text);
}

bool go_json_mend(struct slice text, struct buf *out) {
        bool is_mended = false;

        if (!may_need_it(text))
                return false;
        buf_clear(out);
        while (text.len > 0) {
                bool is_whole;
                size_t length = take_one(text, &is_whole);

                buf_slice(out,
                          is_whole ? slice_make(text.ptr, length) : SLICE_LITERAL("\xef\xbf\xbd"));
                is_mended |= !is_whole;
                text = slice_make(text.ptr + length, text.len - length);
        }
        return is_mended;
}

/* ---- parsing ---- */

const char *json_go_name(enum json_type type) {
        if (type == JSON_BOOL)
                return "bool";
        return type == JSON_INT || type == JSON_REAL ? "number" : json_type_name(type);
}

static int in_words_of_go(int r, struct slice text, struct err *err) {
        CLEANUP(buf_release) struct buf words = { 0 };

        return r < 0 && go_json_problem(text, &words)
                       ? err_set(err, BERTH_ERR_BAD_REQUEST, "%s", words.data)
                       : r;
}

int go_json_parse(struct slice text, struct json_doc **ret_doc, struct err *err) {
        CLEANUP(buf_release) struct buf mended = { 0 };
        struct slice read = go_json_mend(text, &mended) ? buf_view(&mended) : text;

        return in_words_of_go(json_parse(read, ret_doc, err), text, err);
}

int go_json_tree_parse(struct slice text, struct json_tree **ret_tree, struct err *err) {
        return in_words_of_go(json_tree_parse(text, ret_tree, err), text, err);
}
