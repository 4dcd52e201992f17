/* Sums of amounts, as numbers and as texts. */
#include "devices/device_sum.h"

#include "base/util.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct {
        const char *first, *add, *subtract, *than;
        int order;
} cases[] = {
        { "1", "1", "1", "1", 0 },
        { "80Gi", "0", "40Gi", "40Gi", 0 },
        { "1", "500m", "2", "0", -1 },
        { "1", "0.5", "0", "1500m", 0 },
        { "0.1", "0.2", "0", "300m", 0 },
        { "100n", "1", "1", "0", 1 },
        { "999999999Gi", "999999999Gi", "0", "1999999998Gi", 0 },
        { "999999999Gi", "1", "999999999Gi", "1", 0 },
        { "1", "what", "0", "1", 0 },
        { "1", "0", "3", "-2", 0 },
        { "1", "0", "3", "-1", -1 },
};

static void test_sums(void **state) {
        struct arena arena;

        (void)state;
        arena_init(&arena, 0);
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct device_sum sum = device_sum_of(slice_of(cases[i].first));

                device_sum_add(&sum, slice_of(cases[i].add), &arena);
                device_sum_subtract(&sum, slice_of(cases[i].subtract), &arena);
                int order = device_sum_compare(&sum, slice_of(cases[i].than));
                if ((order > 0) - (order < 0) != cases[i].order)
                        fail_msg("%s + %s - %s is %d to %s", cases[i].first, cases[i].add,
                                 cases[i].subtract, order, cases[i].than);
                if (cases[i].order == 0 && cases[i].than[0] == '-')
                        assert_true(device_sum_is_negative(&sum));
        }
        arena_release(&arena);
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_sums) };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
