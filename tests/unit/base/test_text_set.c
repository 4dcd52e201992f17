/* Sets of texts, small and large. */
#include "base/text_set.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define TEXTS 500

static void test_few_and_many(void **state) {
        static char texts[TEXTS][16];
        struct text_set set = { 0 };

        (void)state;
        assert_false(text_set_has(&set, SLICE_EMPTY));
        for (size_t i = 0; i < TEXTS; i++) {
                snprintf(texts[i], sizeof(texts[i]), "text %zu", i);
                assert_false(text_set_has(&set, slice_of(texts[i])));
                assert_true(text_set_add(&set, slice_of(texts[i])));
                assert_false(text_set_add(&set, slice_of(texts[i])));
                assert_true(text_set_has(&set, slice_of(texts[0])));
                assert_int_equal(set.count, i + 1);
        }
        assert_true(text_set_add(&set, SLICE_EMPTY));
        assert_false(text_set_add(&set, SLICE_EMPTY));
        text_set_release(&set);
        assert_true(text_set_add(&set, slice_of(texts[0])));
        text_set_release(&set);
}

static void test_parts_do_not_run_together(void **state) {
        struct buf a = { 0 }, b = { 0 };

        (void)state;
        text_part_add(&a, SLICE_LITERAL("x1:y"));
        text_part_add(&a, SLICE_LITERAL("z"));
        text_part_add(&b, SLICE_LITERAL("x"));
        text_part_add(&b, SLICE_LITERAL("y1:z"));
        assert_false(slice_eq(buf_view(&a), buf_view(&b)));
        buf_release(&a);
        buf_release(&b);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_few_and_many),
                cmocka_unit_test(test_parts_do_not_run_together),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
