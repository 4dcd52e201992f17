/* Regular expressions over PCRE2's automaton matcher.
 *
 * PCRE2 knows far more syntax than Go.  A scan ahead of compilation refuses the surplus, both so
 * that a pattern means the same in either program and because look-around and recursion would
 * bring back the exponential cases. */
#include "base/regex.h"

#include "base/buf.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include "base/util.h"
#include <pcre2.h>
#include <stdlib.h>

#define NEST_MAX 100
#define WORKSPACE_SIZE 4096 /* ints; bounds the states alive at once to about 680 */
#define MATCH_LIMIT 1000000
#define DEPTH_LIMIT 1000
#define HEAP_LIMIT_KIB 4096

struct regex {
        pcre2_code *code;  /* behind a prefix that skips any text */
        pcre2_code *plain; /* as written */
        pcre2_match_context *limits;
};

/* Where the scan stands in the pattern. */
struct regex_scan {
        const char *at, *end;
        bool is_quoted; /* between \Q and \E */
        bool is_repeat; /* the item before was a quantifier */
        bool has_multiline;
        const char *why; /* complaint; NULL while fine */
};

static size_t scan_left(const struct regex_scan *scan) {
        return (size_t)(scan->end - scan->at);
}

/* Behind a backslash. Hex and octal forms, classes and punctuation share their meaning with Go. */
static void scan_escape(struct regex_scan *scan) {
        static const char letters[] = "dDsSwWpPaftnrx0QE";
        static const char assertions[] = "bBAz";
        if (scan->at == scan->end) {
                scan->why = "trailing backslash";
                return;
        }
        char c = *scan->at++;
        bool is_word = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (is_word && !memchr(letters, c, sizeof(letters) - 1) &&
            !memchr(assertions, c, sizeof(assertions) - 1))
                scan->why = "escape sequence is not supported";
        scan->is_quoted = c == 'Q';
}

static void scan_quoted(struct regex_scan *scan) {
        const char *end = memmem(scan->at, scan_left(scan), "\\E", 2);
        scan->at = end ? end + 2 : scan->end;
        scan->is_quoted = false;
}

/* Behind an opening bracket, up to and with the closing one. */
static void scan_class(struct regex_scan *scan) {
        if (scan->at < scan->end && *scan->at == '^')
                scan->at++;
        if (scan->at < scan->end && *scan->at == ']')
                scan->at++;
        while (scan->at < scan->end && !scan->why) {
                char c = *scan->at++;
                if (c == ']')
                        return;
                if (c == '\\')
                        scan_escape(scan);
                if (scan->is_quoted)
                        scan_quoted(scan);
                const char *named = NULL;
                if (c == '[' && scan->at < scan->end && *scan->at == ':')
                        named = memmem(scan->at + 1, scan_left(scan) - 1, ":]", 2);
                if (named)
                        scan->at = named + 2;
        }
}

/* Behind an opening parenthesis: a plain group, a named one, or flags. */
static void scan_group(struct regex_scan *scan) {
        if (scan->at < scan->end && *scan->at == '*')
                scan->why = "missing argument to repetition operator";
        if (scan->at == scan->end || *scan->at != '?')
                return;
        scan->at++;
        struct slice rest = slice_make(scan->at, scan_left(scan));
        bool is_look = slice_has_prefix(rest, SLICE_LITERAL("<=")) ||
                       slice_has_prefix(rest, SLICE_LITERAL("<!"));
        if (!is_look && (slice_has_prefix(rest, SLICE_LITERAL("P<")) ||
                         slice_has_prefix(rest, SLICE_LITERAL("<"))))
                return;
        while (scan->at < scan->end && memchr("imsU-", *scan->at, 5)) {
                scan->has_multiline = scan->has_multiline || *scan->at == 'm';
                scan->at++;
        }
        if (scan->at == scan->end || (*scan->at != ':' && *scan->at != ')'))
                scan->why = "invalid or unsupported group syntax";
}

/* Length of a counted repetition such as {2,5} at `at`, brace included; 0 when it is literal. */
static size_t counted_len(const char *at, const char *end) {
        const char *start = at++;
        const char *digits = at;
        while (at < end && *at >= '0' && *at <= '9')
                at++;
        if (at == digits)
                return 0;
        if (at < end && *at == ',')
                at++;
        while (at < end && *at >= '0' && *at <= '9')
                at++;
        return at < end && *at == '}' ? (size_t)(at + 1 - start) : 0;
}

/* Go counts to a thousand. */
static bool is_count_over(const char *at, size_t len) {
        unsigned long number = 0;

        for (size_t i = 1; i < len; i++) {
                number = at[i] >= '0' && at[i] <= '9' ? number * 10 + (unsigned long)(at[i] - '0')
                                                      : 0;
                if (number > 1000)
                        return true;
        }
        return false;
}

/* At a quantifier, with an optional '?' behind it; a second one in a row is refused. */
static void scan_repeat(struct regex_scan *scan, size_t len) {
        if (scan->is_repeat)
                scan->why = "invalid nested repetition operator";
        if (*scan->at == '{' && is_count_over(scan->at, len))
                scan->why = "invalid repeat count";
        scan->at += len;
        if (scan->at < scan->end && *scan->at == '?')
                scan->at++;
        scan->is_repeat = true;
}

static void scan_item(struct regex_scan *scan) {
        char c = *scan->at;
        size_t repeat_len = c == '*' || c == '+' || c == '?';
        if (c == '{')
                repeat_len = counted_len(scan->at, scan->end);
        if (repeat_len) {
                scan_repeat(scan, repeat_len);
                return;
        }
        scan->is_repeat = false;
        scan->at++;
        if (c == '\\')
                scan_escape(scan);
        else if (c == '[')
                scan_class(scan);
        else if (c == '(')
                scan_group(scan);
}

/* Sets `why` when there is syntax that Go does not have. */
static struct regex_scan scan_pattern(struct slice pattern) {
        struct regex_scan scan = { .at = pattern.ptr, .end = pattern.ptr + pattern.len };
        while (scan.at < scan.end && !scan.why) {
                if (scan.is_quoted)
                        scan_quoted(&scan);
                else
                        scan_item(&scan);
        }
        return scan;
}

static int regex_complain(struct err *err, struct slice pattern, const char *why) {
        return err_set(err, BERTH_ERR_BAD_REQUEST,
                       "invalid regular expression \"" SLICE_FMT "\": %s", SLICE_ARG(pattern), why);
}

static pcre2_code *regex_compile(struct slice pattern, uint32_t options, struct slice shown,
                                 struct err *err) {
        pcre2_compile_context *context = pcre2_compile_context_create(NULL);
        if (!context)
                abort();
        pcre2_set_newline(context, PCRE2_NEWLINE_LF);
        pcre2_set_parens_nest_limit(context, NEST_MAX);
        int number;
        PCRE2_SIZE offset;
        pcre2_code *code = pcre2_compile((PCRE2_SPTR)pattern.ptr, pattern.len, options, &number,
                                         &offset, context);
        pcre2_compile_context_free(context);
        if (!code) {
                PCRE2_UCHAR message[160];
                pcre2_get_error_message(number, message, sizeof(message));
                regex_complain(err, shown, (const char *)message);
        }
        return code;
}

/* Compiles twice: first as given, for the complaints and because what follows would balance
 * parentheses that are not; then behind a prefix that skips any text, so that one pass over the
 * text tries all starting points together. */
static pcre2_code *compile_anchored(struct slice pattern, bool has_multiline,
                                    pcre2_code **ret_plain, struct err *err) {
        uint32_t options = PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C | PCRE2_NO_AUTO_CAPTURE;
        /* The automaton matcher applies this option to a multi-line $ as well, against its manual.
         */
        if (!has_multiline)
                options |= PCRE2_DOLLAR_ENDONLY;
        pcre2_code *plain = regex_compile(pattern, options, pattern, err);
        if (!plain)
                return NULL;
        struct buf buf = { 0 };
        buf_text(&buf, "(?s:.*?)(?:");
        buf_slice(&buf, pattern);
        buf_text(&buf, "\\E)"); /* ends a quotation left open, else means nothing */
        /* Start optimisations would answer the trial match of regex_new without running it. */
        options |= PCRE2_ANCHORED | PCRE2_NO_START_OPTIMIZE;
        pcre2_code *code = regex_compile(buf_view(&buf), options, pattern, err);
        buf_release(&buf);
        if (code)
                *ret_plain = plain;
        else
                pcre2_code_free(plain);
        return code;
}

static int regex_match(const struct regex *regex, struct slice text) {
        int workspace[WORKSPACE_SIZE];
        pcre2_match_data *data = pcre2_match_data_create(1, NULL);
        if (!data)
                abort();
        /* Any match will do, so the shortest one saves time. */
        int status =
                pcre2_dfa_match(regex->code, (PCRE2_SPTR)(text.ptr ? text.ptr : ""), text.len, 0,
                                PCRE2_DFA_SHORTEST, data, regex->limits, workspace, WORKSPACE_SIZE);
        pcre2_match_data_free(data);
        return status;
}

static struct regex *regex_of(pcre2_code *code, pcre2_code *plain) {
        struct regex *regex = xmalloc(sizeof(*regex));
        regex->code = code;
        regex->plain = plain;
        regex->limits = pcre2_match_context_create(NULL);
        if (!regex->limits)
                abort();
        pcre2_set_match_limit(regex->limits, MATCH_LIMIT);
        pcre2_set_depth_limit(regex->limits, DEPTH_LIMIT);
        pcre2_set_heap_limit(regex->limits, HEAP_LIMIT_KIB);
        return regex;
}

struct regex *regex_new(struct slice pattern, struct err *err) {
        if (!pattern.ptr)
                pattern = slice_of("");
        if (pattern.len > REGEX_PATTERN_MAX) {
                err_set(err, BERTH_ERR_BAD_REQUEST, "regular expression is longer than %d bytes",
                        REGEX_PATTERN_MAX);
                return NULL;
        }
        struct regex_scan scan = scan_pattern(pattern);
        if (scan.why) {
                regex_complain(err, pattern, scan.why);
                return NULL;
        }
        pcre2_code *plain, *code = compile_anchored(pattern, scan.has_multiline, &plain, err);
        if (!code)
                return NULL;
        struct regex *regex = regex_of(code, plain);
        int status = regex_match(regex, SLICE_EMPTY);
        if (status < 0 && status != PCRE2_ERROR_NOMATCH) {
                regex_complain(err, pattern, "too many alternatives");
                regex_free(regex);
                return NULL;
        }
        return regex;
}

void regex_free(struct regex *regex) {
        if (!regex)
                return;
        pcre2_code_free(regex->code);
        pcre2_code_free(regex->plain);
        pcre2_match_context_free(regex->limits);
        free(regex);
}

bool regex_matches(const struct regex *regex, struct slice text) {
        return text.len <= REGEX_TEXT_MAX && regex_match(regex, text) >= 0;
}

bool regex_find(const struct regex *regex, struct slice text, size_t from, size_t *ret_start,
                size_t *ret_end) {
        if (text.len > REGEX_TEXT_MAX || from > text.len)
                return false;
        pcre2_match_data *data = pcre2_match_data_create(1, NULL);
        if (!data)
                abort();
        int status = pcre2_match(regex->plain, (PCRE2_SPTR)(text.ptr ? text.ptr : ""), text.len,
                                 from, 0, data, regex->limits);
        const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(data);
        if (status >= 0) {
                *ret_start = ends[0];
                *ret_end = ends[1];
        }
        pcre2_match_data_free(data);
        return status >= 0;
}

void regex_library_version(struct buf *out) {
        char text[64] = "";

        if (pcre2_config(PCRE2_CONFIG_VERSION, NULL) <= (int)sizeof(text))
                pcre2_config(PCRE2_CONFIG_VERSION, text);
        buf_text(out, text);
}
