/* Base64 against the vectors of RFC 4648, and malformed input. */
#include "base/base64.h"
#include "base/rng.h"
#include "base/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_vectors(void **state) {
        (void)state;
        static const char *const cases[][3] = {
                { "", "", "" },
                { "f", "Zg==", "Zg" },
                { "fo", "Zm8=", "Zm8" },
                { "foo", "Zm9v", "Zm9v" },
                { "foob", "Zm9vYg==", "Zm9vYg" },
                { "fooba", "Zm9vYmE=", "Zm9vYmE" },
                { "foobar", "Zm9vYmFy", "Zm9vYmFy" },
                { "\xfb\xff\xbf", "+/+/", "-_-_" },
        };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                for (int alphabet = BASE64_STANDARD; alphabet <= BASE64_URL; alphabet++) {
                        struct buf text = { 0 }, data = { 0 };
                        assert_true(base64_encode(slice_of(cases[i][0]), alphabet, &text));
                        assert_true(slice_is(buf_view(&text), cases[i][1 + alphabet]));
                        assert_true(base64_decode(buf_view(&text), alphabet, &data));
                        assert_true(slice_is(buf_view(&data), cases[i][0]));
                        buf_release(&text);
                        buf_release(&data);
                }
        }
}

static void test_bad_byte(void **state) {
        static const struct {
                const char *text;
                enum base64_alphabet alphabet;
                size_t bad;
        } cases[] = {
                { "10", BASE64_STANDARD, 0 },
                { "10aa1", BASE64_STANDARD, 4 },
                { "10=", BASE64_STANDARD, 3 },
                { "10=a", BASE64_STANDARD, 2 },
                { "10==1", BASE64_STANDARD, 4 },
                { "10aa1===", BASE64_STANDARD, 5 },
                { "10aa\n1", BASE64_STANDARD, 5 },
                { "10aa\n10aa10\n", BASE64_STANDARD, 10 },
                { "==", BASE64_STANDARD, 0 },
                { "1=", BASE64_STANDARD, 1 },
                { "10a\n=\nb", BASE64_STANDARD, 6 },
                { "1-aa", BASE64_STANDARD, 1 },
                { "\xc3\xa9", BASE64_STANDARD, 0 },
                { "x", BASE64_URL, 0 },
                { "10=", BASE64_URL, 2 },
                { "1+aa", BASE64_URL, 1 },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++)
                assert_int_equal(base64_bad_byte(slice_of(cases[i].text), cases[i].alphabet),
                                 cases[i].bad);
}

struct decode_case {
        const char *text;
        enum base64_alphabet alphabet;
        const char *expected; /* NULL = refused */
};

static void test_decode(void **state) {
        (void)state;
        static const struct decode_case cases[] = {
                { "Zg", BASE64_STANDARD, "f" },
                { "Zg==", BASE64_URL, "f" },
                { "Zm9v\nYmFy\r\n", BASE64_STANDARD, "foobar" },
                { "Z\ng=\r\n=\n", BASE64_STANDARD, "f" },
                { "Zh==", BASE64_STANDARD, "f" },
                { "Zg=", BASE64_STANDARD, NULL },
                { "Zg===", BASE64_STANDARD, NULL },
                { "Zm8==", BASE64_STANDARD, NULL },
                { "Zm9v=", BASE64_STANDARD, NULL },
                { "Zm9v====", BASE64_STANDARD, NULL },
                { "====", BASE64_STANDARD, NULL },
                { "Z", BASE64_STANDARD, NULL },
                { "Zm9vY", BASE64_STANDARD, NULL },
                { "Zg==Zg==", BASE64_STANDARD, NULL },
                { "Zm 9v", BASE64_STANDARD, NULL },
                { "-_-_", BASE64_STANDARD, NULL },
                { "+/+/", BASE64_URL, NULL },
                { "Zm\x80v", BASE64_STANDARD, NULL },
        };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct buf out = { 0 };
                buf_text(&out, "before:");
                bool is_done = base64_decode(slice_of(cases[i].text), cases[i].alphabet, &out);
                if (is_done != !!cases[i].expected)
                        fail_msg("%s: %s", cases[i].text, is_done ? "taken" : "refused");
                assert_memory_equal(out.data, "before:", 7);
                assert_string_equal(out.data + 7, is_done ? cases[i].expected : "");
                buf_release(&out);
        }
}

static void test_round_trip(void **state) {
        (void)state;
        struct rng rng;
        rng_init(&rng, 21);
        for (size_t len = 0; len < 200; len++) {
                char bytes[200];
                for (size_t i = 0; i < len; i++)
                        bytes[i] = (char)rng_u64(&rng);
                for (int alphabet = BASE64_STANDARD; alphabet <= BASE64_URL; alphabet++) {
                        struct buf text = { 0 }, data = { 0 };
                        assert_true(base64_encode(slice_make(bytes, len), alphabet, &text));
                        assert_true(base64_decode(buf_view(&text), alphabet, &data));
                        assert_true(slice_eq(buf_view(&data), slice_make(bytes, len)));
                        buf_release(&text);
                        buf_release(&data);
                }
        }
}

static void test_full_buffer(void **state) {
        (void)state;
        struct buf out;
        buf_init(&out, 7);
        assert_false(base64_encode(SLICE_LITERAL("foobar"), BASE64_STANDARD, &out));
        assert_int_equal(out.len, 0);
        assert_true(buf_text(&out, "12"));
        assert_false(base64_decode(SLICE_LITERAL("Zm9vYmFy"), BASE64_STANDARD, &out));
        assert_string_equal(out.data, "12");
        buf_release(&out);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_vectors),     cmocka_unit_test(test_decode),
                cmocka_unit_test(test_bad_byte),    cmocka_unit_test(test_round_trip),
                cmocka_unit_test(test_full_buffer),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
