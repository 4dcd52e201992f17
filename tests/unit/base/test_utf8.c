/* Well-formed UTF-8 against every boundary of the sequence table. */
#include "base/utf8.h"
#include "base/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct {
        const char *name, *text;
        size_t len; /* of the first sequence; 0 = not well-formed */
} cases[] = {
        { "ascii", "a", 1 },
        { "last ascii", "\x7f", 1 },
        { "two bytes, first", "\xc2\x80", 2 },
        { "two bytes, last", "\xdf\xbf", 2 },
        { "three bytes, first", "\xe0\xa0\x80", 3 },
        { "before the surrogates", "\xed\x9f\xbf", 3 },
        { "after the surrogates", "\xee\x80\x80", 3 },
        { "three bytes, last", "\xef\xbf\xbf", 3 },
        { "four bytes, first", "\xf0\x90\x80\x80", 4 },
        { "last of all", "\xf4\x8f\xbf\xbf", 4 },
        { "stray continuation", "\x80", 0 },
        { "overlong nul", "\xc0\x80", 0 },
        { "overlong in two bytes", "\xc1\xbf", 0 },
        { "overlong in three bytes", "\xe0\x9f\xbf", 0 },
        { "overlong in four bytes", "\xf0\x8f\xbf\xbf", 0 },
        { "first surrogate", "\xed\xa0\x80", 0 },
        { "last surrogate", "\xed\xbf\xbf", 0 },
        { "beyond the range", "\xf4\x90\x80\x80", 0 },
        { "byte that leads nothing", "\xf5\x80\x80\x80", 0 },
        { "cut off", "\xe2\x82", 0 },
        { "second byte too low", "\xc2\x7f", 0 },
        { "third byte too high", "\xe2\x82\xc0", 0 },
};

static void test_sequences(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct slice text = slice_of(cases[i].text);

                if (utf8_sequence_len(text) != cases[i].len)
                        fail_msg("%s: %zu", cases[i].name, utf8_sequence_len(text));
                assert_int_equal(utf8_is_valid(text), cases[i].len == text.len);
        }
}

/* A character among ASCII is found wherever it stands. */
static void test_among_ascii(void **state) {
        char text[40];

        (void)state;
        for (size_t at = 0; at + 2 <= sizeof(text); at++) {
                for (size_t len = at + 2; len <= sizeof(text); len++) {
                        memset(text, 'a', sizeof(text));
                        memcpy(text + at, "\xc3\xa4", 2);
                        assert_true(utf8_is_valid(slice_make(text, len)));
                        assert_false(utf8_is_valid(slice_make(text, at + 1)));
                        text[at] = 'a';
                        assert_false(utf8_is_valid(slice_make(text, len)));
                }
        }
}

static void test_texts(void **state) {
        (void)state;
        assert_int_equal(utf8_sequence_len(SLICE_EMPTY), 0);
        assert_true(utf8_is_valid(SLICE_EMPTY));
        assert_true(utf8_is_valid(SLICE_LITERAL("a\0b")));
        assert_true(utf8_is_valid(slice_of("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x9a\xa2")));
        assert_false(utf8_is_valid(slice_of("ok \xff")));
        assert_false(utf8_is_valid(slice_of("ok \xe2\x82")));
}

/* Each code point is read as it was written; halves of pairs are none. */
static void test_code_points(void **state) {
        char text[UTF8_BYTES_MAX];

        (void)state;
        for (uint32_t code = 0; code <= 0x10ffff; code++) {
                bool is_half = code >= 0xd800 && code <= 0xdfff;
                size_t wrote = utf8_encode(code, text);
                uint32_t read = UINT32_MAX;
                size_t len = utf8_decode(slice_make(text, wrote), &read);

                if (len != (is_half ? 0 : wrote) || read != (is_half ? UINT32_MAX : code))
                        fail_msg("U+%04X: %zu bytes, U+%04X", code, len, read);
        }
}

static void test_blanks(void **state) {
        static const char *const texts[][2] = {
                { "", "" },
                { " \t\n\v\f\r", "" },
                { "\xe2\x80\xa8 a\xc2\xa0"
                  "b\xe3\x80\x80\xc2\x85",
                  "a\xc2\xa0"
                  "b" },
                { "\xe2\x80\x8b", "\xe2\x80\x8b" }, /* a width of zero is no blank */
                { "\x80 ", "\x80" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(texts); i++)
                assert_true(slice_is(utf8_trim(slice_of(texts[i][0])), texts[i][1]));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_sequences),   cmocka_unit_test(test_texts),
                cmocka_unit_test(test_code_points), cmocka_unit_test(test_blanks),
                cmocka_unit_test(test_among_ascii),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
