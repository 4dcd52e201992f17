/* Text of others in the cells of a terminal. */
#include "show/cells.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_text(void **state) {
        static const struct {
                const char *text;
                size_t width;
                bool is_plain;
                const char *out;
                size_t used;
        } cases[] = {
                { "web-1", 10, false, "web-1", 5 },
                { "web-1", 5, false, "web-1", 5 },
                { "web-12", 5, false, "web-\xe2\x80\xa6", 5 },
                { "web-12", 5, true, "web-~", 5 },
                { "web-12", 1, true, "~", 1 },
                { "web", 0, true, "", 0 },
                { "", 3, false, "", 0 },
                { "\033[2Jx\r\n\t\x7f", 20, false, "?[2Jx????", 9 },
                { "a\x9b"
                  "31m",
                  20, false, "a?31m", 5 },
                { "\xc2\x9b"
                  "31m",
                  20, false, "?31m", 4 }, /* CSI of C1 */
                { "a\xe2\x80\xae"
                  "b",
                  20, false, "a?b", 3 }, /* right-to-left override */
                { "a\xe2\x81\xa6"
                  "b\xe2\x80\x8f",
                  20, false, "a?b?", 4 }, /* isolate, mark */
                { "\xe6\x97\xa5\xe6\x9c\xac", 4, false, "\xe6\x97\xa5\xe6\x9c\xac", 4 },
                { "\xe6\x97\xa5\xe6\x9c\xac", 3, false, "\xe6\x97\xa5\xe2\x80\xa6", 3 },
                { "\xe6\x97\xa5\xe6\x9c\xac", 2, false, "\xe2\x80\xa6", 1 },
                { "\xe6\x97\xa5", 4, true, "??", 2 },
                { "e\xcc\x81x", 4, false, "ex", 2 }, /* a joined accent */
                { "\xf0\x9f\x98\x80", 4, false, "\xf0\x9f\x98\x80", 2 },
                { "\xff\xfe", 4, false, "??", 2 },
                { "\xef\xbb\xbf", 4, false, "?", 1 },
        };
        struct buf out = { 0 };

        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                buf_clear(&out);
                buf_text(&out, "");
                size_t used =
                        cells_put(&out, slice_of(cases[i].text), cases[i].width, cases[i].is_plain);

                assert_string_equal(out.data ? out.data : "", cases[i].out);
                assert_int_equal(used, cases[i].used);
        }
        buf_release(&out);
}

/* Whatever bytes there are: no control leaves, and no more cells than allowed. */
static void test_all_pairs_of_bytes(void **state) {
        struct buf out = { 0 };

        (void)state;
        for (unsigned pair = 0; pair < 65536; pair++) {
                const char text[] = { (char)(pair >> 8), (char)pair, 'x' };
                size_t width = 1 + pair % 4;

                buf_clear(&out);
                assert_true(cells_put(&out, slice_make(text, 3), width, false) <= width);
                for (size_t i = 0; i < out.len; i++)
                        assert_true((unsigned char)out.data[i] >= 0x20 && out.data[i] != 0x7f);
                assert_true(cells_width(buf_view(&out)) <= width);
        }
        buf_release(&out);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_text),
                cmocka_unit_test(test_all_pairs_of_bytes),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
