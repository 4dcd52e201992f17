/* berth up as a whole, for moments: it ends cleanly also when its view is due at the very end. */
#include "cmd/up.h"

#include "../long_form.h"
#include "base/time.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* The view redraws every 500 ms; a run that ends a moment earlier has it due while it stops. */
static void ends_while_the_view_is_due(void **state) {
        (void)state;
        for (int i = 0; i < (long_form() ? 3 : 1); i++) {
                struct up_options options = { .listen = "127.0.0.1:0",
                                              .controllers = "*",
                                              .nodes = 2,
                                              .seed = 1,
                                              .interval_ns = 10 * NS_PER_S,
                                              .for_ns = (499 + i) * NS_PER_MS };
                struct err err = { 0 };

                assert_int_equal(up_run(&options, &err), 0);
        }
}

static void settles_an_empty_cluster(void **state) {
        struct up_options options = { .listen = "127.0.0.1:0",
                                      .seed = 1,
                                      .interval_ns = 10 * NS_PER_S,
                                      .settles = true,
                                      .timeout_ns = 30 * NS_PER_S };
        struct err err = { 0 };

        (void)state;
        assert_int_equal(up_run(&options, &err), 0);
}

static void fails_when_it_does_not_settle(void **state) {
        struct up_options options = { .listen = "127.0.0.1:0",
                                      .seed = 1,
                                      .interval_ns = 10 * NS_PER_S,
                                      .settles = true,
                                      .timeout_ns = 50 * NS_PER_MS };
        struct err err = { 0 };

        (void)state;
        assert_int_equal(up_run(&options, &err), BERTH_ERR_TIMEOUT);
        assert_string_equal(err.text, "did not settle in time");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(ends_while_the_view_is_due),
                cmocka_unit_test(settles_an_empty_cluster),
                cmocka_unit_test(fails_when_it_does_not_settle),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
