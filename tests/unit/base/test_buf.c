/* The buffer grows, stays NUL-terminated, respects its maximum and writes JSON strings. */
#include "base/buf.h"
#include "base/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_appends(void **state) {
        (void)state;
        struct buf buf;
        buf_init(&buf, 0);
        assert_true(buf_text(&buf, "pod "));
        assert_true(buf_slice(&buf, slice_make("nodes", 4)));
        assert_true(buf_char(&buf, ' '));
        assert_true(buf_printf(&buf, "%d/%s", 3, "x"));
        assert_true(buf_append(&buf, NULL, 0));
        assert_true(buf_u64(&buf, 0));
        assert_string_equal(buf.data, "pod node 3/x0");
        assert_int_equal(buf.len, 13);
        assert_true(slice_is(buf_view(&buf), "pod node 3/x0"));
        buf_clear(&buf);
        assert_string_equal(buf.data, "");
        assert_true(buf_u64(&buf, UINT64_MAX));
        assert_string_equal(buf.data, "18446744073709551615");
        buf_release(&buf);
        assert_null(buf.data);
        buf_release(&buf);
}

static void test_printf_of_every_length(void **state) {
        (void)state;
        struct buf buf = { 0 };
        size_t expected = 0;
        for (int width = 1; width < 300; width++) {
                assert_true(buf_printf(&buf, "%0*d", width, 1));
                expected += (size_t)width;
                assert_int_equal(buf.len, expected);
                assert_int_equal(strlen(buf.data), expected);
                assert_int_equal(buf.data[expected - 1], '1');
        }
        buf_release(&buf);
}

static void test_maximum(void **state) {
        (void)state;
        for (size_t max = 1; max < 200; max += 13) {
                struct buf buf;
                buf_init(&buf, max);
                for (size_t i = 0; i < max; i++)
                        assert_true(buf_char(&buf, 'a'));
                assert_false(buf.overflowed);
                assert_true(buf_append(&buf, NULL, 0));
                assert_false(buf_char(&buf, 'b'));
                assert_true(buf.overflowed);
                assert_false(buf_printf(&buf, "%d", 123));
                assert_false(buf_reserve(&buf, SIZE_MAX));
                assert_false(buf_json_string(&buf, SLICE_LITERAL("x")));
                assert_int_equal(buf.len, max);
                assert_int_equal(strlen(buf.data), max);
                assert_null(strchr(buf.data, 'b'));
                buf_clear(&buf);
                assert_false(buf.overflowed);
                assert_true(buf_char(&buf, 'c'));
                buf_release(&buf);
        }
}

static void test_refused_append_leaves_text(void **state) {
        (void)state;
        struct buf buf;
        buf_init(&buf, 8);
        assert_true(buf_text(&buf, "12345"));
        assert_false(buf_text(&buf, "6789"));
        assert_false(buf_printf(&buf, "%s", "abcdefgh"));
        assert_false(buf_json_string(&buf, SLICE_LITERAL("ab")));
        assert_string_equal(buf.data, "12345");
        assert_true(buf_text(&buf, "678"));
        assert_string_equal(buf.data, "12345678");
        buf_release(&buf);
}

static void test_take(void **state) {
        (void)state;
        struct buf buf;
        buf_init(&buf, 100);
        size_t len = 99;
        assert_null(buf_take(&buf, &len));
        assert_int_equal(len, 0);
        buf_text(&buf, "moved");
        char *text = buf_take(&buf, &len);
        assert_string_equal(text, "moved");
        assert_int_equal(len, 5);
        free(text);
        assert_int_equal(buf.len, 0);
        assert_int_equal(buf.max, 100);
        assert_true(buf_text(&buf, "again"));
        buf_release(&buf);
}

struct json_case {
        const char *name;
        struct slice text;
        const char *expected;
};

static const struct json_case json_cases[] = {
        { "empty", { NULL, 0 }, "\"\"" },
        { "plain", SLICE_INIT("kube-system/x"), "\"kube-system/x\"" },
        { "quote and backslash", SLICE_INIT("a\"b\\c"), "\"a\\\"b\\\\c\"" },
        { "short escapes", SLICE_INIT("\b\f\n\r\t"), "\"\\b\\f\\n\\r\\t\"" },
        { "control characters", SLICE_INIT("\0\x01\x1f"), "\"\\u0000\\u0001\\u001f\"" },
        { "delete is plain", SLICE_INIT("\x7f"), "\"\x7f\"" },
        { "two bytes", SLICE_INIT("\xc3\xa9"), "\"\xc3\xa9\"" },
        { "three bytes", SLICE_INIT("\xe2\x82\xac"), "\"\xe2\x82\xac\"" },
        { "four bytes", SLICE_INIT("\xf0\x9f\x98\x80"), "\"\xf0\x9f\x98\x80\"" },
        { "largest code point", SLICE_INIT("\xf4\x8f\xbf\xbf"), "\"\xf4\x8f\xbf\xbf\"" },
        { "lone continuation", SLICE_INIT("a\x80z"), "\"a\\ufffdz\"" },
        { "cut sequence", SLICE_INIT("\xe2\x82"), "\"\\ufffd\\ufffd\"" },
        { "broken sequence", SLICE_INIT("\xc3(x"), "\"\\ufffd(x\"" },
        { "overlong slash", SLICE_INIT("\xc0\xaf"), "\"\\ufffd\\ufffd\"" },
        { "overlong three", SLICE_INIT("\xe0\x9f\xbf"), "\"\\ufffd\\ufffd\\ufffd\"" },
        { "overlong four", SLICE_INIT("\xf0\x8f\xbf\xbf"), "\"\\ufffd\\ufffd\\ufffd\\ufffd\"" },
        { "surrogate", SLICE_INIT("\xed\xa0\x80"), "\"\\ufffd\\ufffd\\ufffd\"" },
        { "beyond", SLICE_INIT("\xf4\x90\x80\x80"), "\"\\ufffd\\ufffd\\ufffd\\ufffd\"" },
        { "invalid lead", SLICE_INIT("\xff"), "\"\\ufffd\"" },
};

static void test_json_string(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(json_cases); i++) {
                struct buf buf = { 0 };
                assert_true(buf_json_string(&buf, json_cases[i].text));
                if (strcmp(buf.data, json_cases[i].expected) != 0)
                        fail_msg("%s: %s", json_cases[i].name, buf.data);
                buf_release(&buf);
        }
}

/* A text of one byte among plain ones, as a string and as the name of a member. */
static void check_json_byte(char c, size_t at, size_t size) {
        char text[20], wanted[60], member[64];
        struct buf buf = { 0 }, alone = { 0 };

        memset(text, 'a', sizeof(text));
        text[at] = c;
        buf_json_string(&alone, slice_make(&text[at], 1));
        snprintf(wanted, sizeof(wanted), "\"%.*s%.*s%.*s\"", (int)at, text, (int)alone.len - 2,
                 alone.data + 1, (int)(size - at - 1), text + at + 1);
        assert_true(buf_json_string(&buf, slice_make(text, size)));
        assert_string_equal(buf.data, wanted);
        buf_clear(&buf);
        assert_true(buf_json_member(&buf, slice_make(text, size), at % 2 == 0));
        snprintf(member, sizeof(member), "%s%s:", at % 2 ? "," : "", wanted);
        assert_string_equal(buf.data, member);
        assert_int_equal(buf.len, strlen(member));
        buf_release(&buf);
        buf_release(&alone);
}

/* Eight bytes are looked at together: each value of a byte is met at each place of texts that are
 * shorter and longer than that. */
static void test_json_string_bytes(void **state) {
        (void)state;
        for (unsigned c = 0; c < 0x80; c++) {
                for (size_t size = 1; size <= 20; size++) {
                        for (size_t at = 0; at < size; at++)
                                check_json_byte((char)c, at, size);
                }
        }
}

static void test_json_key(void **state) {
        struct buf buf = { 0 };

        (void)state;
        assert_true(buf_char(&buf, '{'));
        assert_true(buf_json_key(&buf, "name"));
        assert_true(buf_json_string(&buf, SLICE_LITERAL("a\"b")));
        assert_string_equal(buf.data, "{\"name\":\"a\\\"b\"");
        buf_release(&buf);
        buf_init(&buf, 6); /* all of it or nothing */
        assert_false(buf_json_key(&buf, "name"));
        assert_true(buf.overflowed);
        assert_int_equal(buf.len, 0);
        buf_release(&buf);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_json_key),
                cmocka_unit_test(test_appends),
                cmocka_unit_test(test_printf_of_every_length),
                cmocka_unit_test(test_maximum),
                cmocka_unit_test(test_refused_append_leaves_text),
                cmocka_unit_test(test_take),
                cmocka_unit_test(test_json_string),
                cmocka_unit_test(test_json_string_bytes),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
