/* Differences by lines. The expectations are of Python's difflib. */
#include "base/line_diff.h"

#include "base/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TEN "1\n2\n3\n4\n5\n6\n7\n8\n9\n10"

static void test_hunks(void **state) {
        static const struct {
                const char *before, *after, *hunks;
        } cases[] = {
                { "", "", "" },
                { "a\nb", "a\nb", "" },
                { "a", "b", "@@ -1 +1 @@\n-a\n+b\n" },
                { "", "a", "@@ -1 +1 @@\n-\n+a\n" },
                { "a\nb", "a\nx\nb", "@@ -1,2 +1,3 @@\n a\n+x\n b\n" },
                { "a\nb\nc", "a\nc", "@@ -1,3 +1,2 @@\n a\n-b\n c\n" },
                { TEN, TEN "\n11", "@@ -8,3 +8,4 @@\n 8\n 9\n 10\n+11\n" },
                { "0\n" TEN, TEN, "@@ -1,4 +1,3 @@\n-0\n 1\n 2\n 3\n" },
                /* six lines between two changes are one hunk, seven are two */
                { "a\n1\n2\n3\n4\n5\n6\nb", "x\n1\n2\n3\n4\n5\n6\ny",
                  "@@ -1,8 +1,8 @@\n-a\n+x\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n+y\n" },
                { "a\n1\n2\n3\n4\n5\n6\n7\nb", "x\n1\n2\n3\n4\n5\n6\n7\ny",
                  "@@ -1,4 +1,4 @@\n-a\n+x\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+y\n" },
                /* the longest block first, not the shortest way */
                { "a\nb", "a\nc\na\nb", "@@ -1,2 +1,4 @@\n+a\n+c\n a\n b\n" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct buf out = { 0 };

                line_diff_write(slice_of(cases[i].before), slice_of(cases[i].after), &out);
                assert_string_equal(out.data ? out.data : "", cases[i].hunks);
                buf_release(&out);
        }
}

/* One number a line. */
static void numbers_write(size_t first, size_t last, struct buf *out) {
        for (size_t i = first; i <= last; i++)
                buf_printf(out, "%zu%s", i, i < last ? "\n" : "");
}

static size_t count_hunks(const struct buf *out) {
        size_t count = 0;

        for (const char *at = out->data; at && (at = strstr(at, "@@ -")); at++)
                count++;
        return count;
}

/* Two changes far from each other: two hunks, or one where the texts are too long to compare. */
static void test_long_texts(void **state) {
        static const size_t lengths[] = { LINE_DIFF_LINES_MAX, LINE_DIFF_LINES_MAX + 1 };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
                struct buf before = { 0 }, after = { 0 }, out = { 0 };

                numbers_write(1, lengths[i], &before);
                buf_text(&after, "1\n2\n3\n4\nx\n");
                numbers_write(6, lengths[i] - 5, &after);
                buf_text(&after, "\ny\n");
                numbers_write(lengths[i] - 3, lengths[i], &after);
                line_diff_write(buf_view(&before), buf_view(&after), &out);
                assert_int_equal(count_hunks(&out), i == 0 ? 2 : 1);
                buf_release(&before);
                buf_release(&after);
                buf_release(&out);
        }
}

/* Lines as common as brackets do not begin a block, but belong to one. */
static void test_common_lines(void **state) {
        struct buf before = { 0 }, after = { 0 }, out = { 0 };

        (void)state;
        for (size_t i = 0; i < 150; i++) {
                buf_printf(&before, "{\n%zu\n}\n", i);
                if (i != 70)
                        buf_printf(&after, "{\n%zu\n}\n", i);
        }
        line_diff_write(buf_view(&before), buf_view(&after), &out);
        assert_string_equal(out.data,
                            "@@ -209,9 +209,6 @@\n 69\n }\n {\n-70\n-}\n-{\n 71\n }\n {\n");
        buf_release(&before);
        buf_release(&after);
        buf_release(&out);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_hunks),
                cmocka_unit_test(test_long_texts),
                cmocka_unit_test(test_common_lines),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
