/* Verdicts and the text made of many refusals. */
#include "base/util.h"
#include "plugin/sched_attempt.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_highest_code_wins(void **state) {
        (void)state;
        struct verdict verdict = { .code = VERDICT_OK };
        verdict_no(&verdict, VERDICT_UNSCHEDULABLE, SLICE_LITERAL("a"));
        verdict_no(&verdict, VERDICT_UNRESOLVABLE, SLICE_LITERAL("b"));
        verdict_no(&verdict, VERDICT_UNSCHEDULABLE, SLICE_LITERAL("c"));
        assert_int_equal(verdict.code, VERDICT_UNRESOLVABLE);
        assert_int_equal(verdict.reason_count, 3);
        for (int i = 0; i < VERDICT_REASONS_MAX + 3; i++)
                verdict_no(&verdict, VERDICT_UNSCHEDULABLE, SLICE_LITERAL("more"));
        assert_int_equal(verdict.reason_count, VERDICT_REASONS_MAX);
}

/* Counts are sorted as text, so 10 comes before 2. */
static void test_message(void **state) {
        (void)state;
        static const struct slice cpu[] = { SLICE_INIT("Insufficient cpu"),
                                            SLICE_INIT("Insufficient memory") };
        static const struct slice taint[] = { SLICE_INIT("node(s) had untolerated taint(s)") };
        struct node_refusal refusals[12];
        struct arena arena;
        arena_init(&arena, 0);
        for (size_t i = 0; i < ARRAY_LEN(refusals); i++)
                refusals[i] = (struct node_refusal){ .reason_count = i == 0 ? 2 : 1,
                                                     .reasons = i < 10 ? cpu : taint };
        struct slice text = refusals_message(12, refusals, 12, &arena);
        assert_string_equal(text.ptr, "0/12 nodes are available: 1 Insufficient memory, 10 "
                                      "Insufficient cpu, 2 node(s) had untolerated taint(s).");
        arena_release(&arena);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_highest_code_wins),
                cmocka_unit_test(test_message),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
