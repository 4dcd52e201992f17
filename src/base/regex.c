/* Regular expressions over PCRE2's automaton matcher.
 *
 * PCRE2 knows far more syntax than Go. It gets a translation, both so that a pattern means the same
 * in either program and because look-around and recursion would bring back the exponential cases.
 */
#include "base/regex.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/go_regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include "base/util.h"
#include <pcre2.h>
#include <stdlib.h>

#define UNKNOWN_NAME "invalid character class range"
#define TOO_LARGE "expression too large"
#define WORKSPACE_SIZE 4096 /* ints; bounds the states alive at once to about 680 */
#define MATCH_LIMIT 1000000
#define DEPTH_LIMIT 1000
#define HEAP_LIMIT_KIB 4096

struct regex {
        pcre2_code *code;  /* behind a prefix that skips any text */
        pcre2_code *plain; /* as written */
        pcre2_match_context *limits;
};

static int regex_complain(struct err *err, struct slice pattern, const char *why) {
        return err_set(err, BERTH_ERR_BAD_REQUEST,
                       "invalid regular expression \"" SLICE_FMT "\": %s", SLICE_ARG(pattern), why);
}

static pcre2_code *regex_compile(struct slice pattern, uint32_t options) {
        pcre2_compile_context *context = pcre2_compile_context_create(NULL);
        if (!context)
                abort();
        pcre2_set_newline(context, PCRE2_NEWLINE_LF);
        int number;
        PCRE2_SIZE offset;
        pcre2_code *code = pcre2_compile((PCRE2_SPTR)(pattern.ptr ? pattern.ptr : ""), pattern.len,
                                         options, &number, &offset, context);
        pcre2_compile_context_free(context);
        return code;
}

/* Compiles twice: first as it is, to find a match; then behind a prefix that skips any text, so
 * that one pass over the text tries all starting points together. */
static bool compile_both(const struct go_regex *go, pcre2_code **ret_code, pcre2_code **ret_plain) {
        uint32_t options = PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C | PCRE2_NO_AUTO_CAPTURE;
        CLEANUP(buf_release) struct buf behind = { 0 };

        /* The automaton matcher applies this option to a multi-line $ as well, against its manual.
         */
        if (!go->has_multiline)
                options |= PCRE2_DOLLAR_ENDONLY;
        *ret_code = NULL;
        *ret_plain = regex_compile(buf_view(&go->pcre), options);
        if (!*ret_plain)
                return false;
        buf_text(&behind, "(?s:.*?)(?:");
        buf_slice(&behind, buf_view(&go->pcre));
        buf_text(&behind, ")");
        /* Start optimisations would answer the trial match of regex_new without running it. */
        *ret_code = regex_compile(buf_view(&behind),
                                  options | PCRE2_ANCHORED | PCRE2_NO_START_OPTIMIZE);
        if (!*ret_code)
                pcre2_code_free(*ret_plain);
        return *ret_code;
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
        CLEANUP(go_regex_release) struct go_regex go;
        pcre2_code *plain, *code;
        if (!go_regex_translate(pattern, &go)) {
                regex_complain(err, pattern, go.problem.data);
                return NULL;
        }
        if (!compile_both(&go, &code, &plain)) {
                regex_complain(err, pattern, go.named.ptr ? UNKNOWN_NAME : TOO_LARGE);
                return NULL;
        }
        struct regex *regex = regex_of(code, plain);
        int status = regex_match(regex, SLICE_EMPTY);
        if (status < 0 && status != PCRE2_ERROR_NOMATCH) {
                regex_complain(err, pattern, "too many alternatives");
                regex_free(regex);
                return NULL;
        }
        return regex;
}

bool regex_problem(struct slice pattern, struct buf *out) {
        CLEANUP(go_regex_release) struct go_regex go;
        bool is_pattern = go_regex_translate(pattern, &go);

        if (!is_pattern)
                buf_slice(out, buf_view(&go.problem));
        else if (go.named.ptr)
                buf_printf(out, UNKNOWN_NAME ": `" SLICE_FMT "`", SLICE_ARG(go.named));
        return !is_pattern || go.named.ptr;
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
