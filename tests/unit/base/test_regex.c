/* Regular expressions: what matches, what is refused, and patterns that blow up elsewhere. */
#include "base/buf.h"
#include "base/regex.h"
#include "base/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct match_case {
        const char *pattern, *text;
        bool is_match;
};

static void test_matches(void **state) {
        (void)state;
        static const struct match_case cases[] = {
                { "^Watchdog$", "Watchdog", true },
                { "^Watchdog$", "Watchdog\n", false },
                { "^Watchdog$", "WatchdogX", false },
                { "dog", "Watchdog", true },
                { "", "", true },
                { "", "anything", true },
                { "^(KubeNode|Ceph).*(Down|Full)$", "CephOsdFull", true },
                { "^(KubeNode|Ceph).*(Down|Full)$", "CephOsdNear", false },
                { "(?i)watchdog", "WATCHDOG", true },
                { "a(?i:b)c", "aBc", true },
                { "a(?i:b)c", "aBC", false },
                { "(?P<name>x+)y", "xxy", true },
                { "(?<name>x+)y", "xxy", true },
                { "a.c", "a\nc", false },
                { "(?s)a.c", "a\nc", true },
                { "(?m)^b$", "a\nb\nc", true },
                { "[[:alpha:]_]+\\d{2,3}", "node_12", true },
                { "^[]a]+$", "]a]", true },
                { "^[^]a]+$", "bc", true },
                { "[(?=]", "?", true },
                { "\\Q(?=x)*+\\E", "(?=x)*+", true },
                { "\\(\\?=", "(?=", true },
                { "\\bpod\\b", "a pod b", true },
                { "\\bpod\\b", "apod", false },
                { "x*?y", "xxy", true },
                { "x{2}?y", "xxy", true },
                { "x{,2}", "x{,2}", true },
                { "a{+", "a{{", true },
                { "\\p{Lu}", "\xc3\x89", true },
                { "^.$", "\xc3\xa9", true },
                { "\\x41\\x{42}", "AB", true },
                { "\\Aab\\z", "ab", true },
                { "^a|b$", "zb", true },
                { "x", "x\xff", false },
                { "\\Qx)*", "yx)*", true },
                { "b|^c", "ab", true },
                { "b|^c", "ac", false },
                { "a\\\\", "a\\", true },
        };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct err err = { 0 };
                struct regex *regex = regex_new(slice_of(cases[i].pattern), &err);
                if (!regex)
                        fail_msg("%s", err.text);
                if (regex_matches(regex, slice_of(cases[i].text)) != cases[i].is_match)
                        fail_msg("%s on %s", cases[i].pattern, cases[i].text);
                regex_free(regex);
        }
}

static void test_refused(void **state) {
        (void)state;
        static const char *const cases[] = {
                "(",
                ")",
                "[a",
                "a**",
                "*a",
                "a{2,1}",
                "\\",
                "(?=a)",
                "(?!a)",
                "(?<=a)b",
                "(?<!a)b",
                "(?>a)",
                "(a)\\1",
                "(?R)",
                "(?1)",
                "(?P=n)",
                "(?P>n)",
                "(?&n)",
                "(?C1)",
                "(?|a|b)",
                "(?(1)a)",
                "(*COMMIT)",
                "(*F)",
                "a++",
                "a*+",
                "a?+",
                "a{2}+",
                "a{2}{3}",
                "a{2,}*",
                "\\Ga",
                "\\Ka",
                "\\Z",
                "\\R",
                "\\X",
                "\\k<n>",
                "\\g1",
                "\\C",
                "\\h",
                "[\\R]",
                "(?x)a b",
                "(?#note)",
                "(?'n'a)",
                "\\p{Nope}",
                "\xff",
                "[b-a]",
                "(?^i)a",
                "[a\\Q]\\Eb\\R]",
                "(?",
                "a)(b",
                "(a)\\",
                "((((a{1000}){1000}){1000}){1000})",
        };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct err err = { 0 };
                struct regex *regex = regex_new(slice_of(cases[i]), &err);
                if (regex)
                        fail_msg("%s was taken", cases[i]);
                assert_int_equal(err.code, BERTH_ERR_BAD_REQUEST);
                assert_true(strlen(err.text) > 0);
                assert_null(regex_new(slice_of(cases[i]), NULL));
        }
        regex_free(NULL);
}

static void test_limits(void **state) {
        (void)state;
        static char text[REGEX_TEXT_MAX + 1];
        memset(text, 'a', sizeof(text));
        struct err err;
        assert_null(regex_new(slice_make(text, REGEX_PATTERN_MAX + 1), &err));
        struct regex *regex = regex_new(SLICE_LITERAL("a"), &err);
        assert_non_null(regex);
        assert_true(regex_matches(regex, slice_make(text, REGEX_TEXT_MAX)));
        assert_false(regex_matches(regex, slice_make(text, REGEX_TEXT_MAX + 1)));
        assert_true(regex_matches(regex, SLICE_LITERAL("a")));
        assert_false(regex_matches(regex, SLICE_EMPTY));
        regex_free(regex);
}

/* These take time exponential in the text with a backtracking matcher: the test would not end. */
static void test_no_exponential_time(void **state) {
        (void)state;
        static const char *const patterns[] = { "^(a+)+$", "^(a|aa)+$", "^(a*)*b$", "^(a|a?)+$",
                                                "^(.*)(.*)(.*)(.*)(.*)[^a]$" };
        char text[2000];
        memset(text, 'a', sizeof(text));
        text[sizeof(text) - 1] = '!';
        for (size_t i = 0; i < ARRAY_LEN(patterns); i++) {
                struct regex *regex = regex_new(slice_of(patterns[i]), NULL);
                assert_non_null(regex);
                bool ends_in_other = i == 4;
                assert_int_equal(regex_matches(regex, slice_make(text, sizeof(text))),
                                 ends_in_other);
                regex_free(regex);
        }
}

/* `count` pieces between a caret and a b. */
static struct regex *repeated(const char *piece, int count) {
        struct buf pattern = { 0 };
        buf_char(&pattern, '^');
        for (int i = 0; i < count; i++)
                buf_text(&pattern, piece);
        buf_char(&pattern, 'b');
        struct regex *regex = regex_new(buf_view(&pattern), NULL);
        buf_release(&pattern);
        return regex;
}

static void test_states_alive_at_once(void **state) {
        (void)state;
        assert_null(repeated("a*", 2000));
        struct regex *regex = repeated("a*", 300);
        assert_non_null(regex);
        assert_true(regex_matches(regex, SLICE_LITERAL("aaab")));
        assert_false(regex_matches(regex, SLICE_LITERAL("aaac")));
        regex_free(regex);
}

/* Patterns that Go refuses too, and its words. */
static void test_problems(void **state) {
        static const char *const cases[][2] = {
                { "(", "missing closing ): `(`" },
                { "a(b|c", "missing closing ): `a(b|c`" },
                { "a)", "unexpected ): `a)`" },
                { "(?i)a)", "unexpected ): `(?i)a)`" },
                { "x[a", "missing closing ]: `[a`" },
                { "[]a", "missing closing ]: `[]a`" },
                { "*a", "missing argument to repetition operator: `*`" },
                { "(+?a)", "missing argument to repetition operator: `+?`" },
                { "a|*", "missing argument to repetition operator: `*`" },
                { "a**", "invalid nested repetition operator: `**`" },
                { "a{2}?*b", "invalid nested repetition operator: `{2}?*`" },
                { "a{2,1}", "invalid repeat count: `{2,1}`" },
                { "x{1001}", "invalid repeat count: `{1001}`" },
                { "a\\", "trailing backslash at end of expression: ``" },
                { "[z-a]", "invalid character class range: `z-a`" },
                { "(?P<n", "invalid named capture: `(?P<n`" },
                { "a(?P<1-2>b)", "invalid named capture: `(?P<1-2>`" },
                { "a(?<>b)", "invalid named capture: `(?<>`" },
                { "a(?=b)", "invalid or unsupported Perl syntax: `(?=`" },
                { "(?<=b)", "invalid named capture: `(?<=b)`" },
                { "(?i", "invalid or unsupported Perl syntax: `(?i`" },
                { "(?i-)a", "invalid or unsupported Perl syntax: `(?i-)`" },
                { "(?i-s-m)a", "invalid or unsupported Perl syntax: `(?i-s-`" },
                { "(?P=n)", "invalid or unsupported Perl syntax: `(?P`" },
                { "[[:foo:]]", "invalid character class range: `[:foo:]`" },
                { "\\8", "invalid escape sequence: `\\8`" },
                { "\\1a", "invalid escape sequence: `\\1`" },
                { "[\\k]", "invalid escape sequence: `\\k`" },
                { "\\C", "invalid escape sequence: `\\C`" },
                { "\\xg", "invalid escape sequence: `\\xg`" },
                { "\\x{110000}", "invalid escape sequence: `\\x{110000`" },
                { "\\x{}", "invalid escape sequence: `\\x{}`" },
                { "\\p{Nowhere}", "invalid character class range: `\\p{Nowhere}`" },
                { "\\p{Greek", "invalid character class range: `\\p{Greek`" },
                { "(?P<n>a)(?P<n>\\x41\\x{42}\\012\\a[[:^word:]\\d])", NULL },
                { "a{,2}[^]-z[:alpha:]]\\Q(\\E(?:b)(?<n>c)?$", NULL },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct regex *regex = regex_new(slice_of(cases[i][0]), NULL);
                struct buf text = { 0 };

                if (!regex != !!cases[i][1])
                        fail_msg("%s", cases[i][0]);
                assert_int_equal(regex_problem(slice_of(cases[i][0]), &text), !!cases[i][1]);
                if (cases[i][1])
                        assert_string_equal(text.data, cases[i][1]);
                buf_release(&text);
                regex_free(regex);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_matches),
                cmocka_unit_test(test_refused),
                cmocka_unit_test(test_limits),
                cmocka_unit_test(test_no_exponential_time),
                cmocka_unit_test(test_states_alive_at_once),
                cmocka_unit_test(test_problems),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
