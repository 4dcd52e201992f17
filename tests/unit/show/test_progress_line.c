/* How far something is, for people. */
#include "show/progress_line.h"

#include "base/util.h"
#include "show/cells.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define S 1000000000LL

static void test_lines(void **state) {
        static const struct {
                struct progress_state state;
                size_t columns;
                const char *line;
        } cases[] = {
                { { SLICE_INIT("reading"), "object", 12300, 0, 3 * S },
                  79,
                  "reading: 12,300 objects, 4,100 a second, 3 s" },
                { { SLICE_INIT("reading"), "object", 0, 0, 75 * S },
                  79,
                  "reading: 0 objects, 1 min 15 s" },
                { { SLICE_INIT("simulating"), "rollout", 120, 900, 4 * S },
                  79,
                  "simulating: 120 of 900 rollouts, 30 a second, 26 s left" },
                { { SLICE_INIT("simulating"), "rollout", 0, 900, 4 * S },
                  79,
                  "simulating: 0 of 900 rollouts" },
                { { SLICE_INIT("simulating"), "rollout", 900, 900, 4 * S },
                  79,
                  "simulating: 900 of 900 rollouts, 225 a second" },
                { { SLICE_INIT("simulating"), "run", 1, 1, 4 * S },
                  79,
                  "simulating: 1 of 1 run, 0.25 a second" },
                { { SLICE_INIT("a\033[2Jb"), "run", 1, 0, 0 }, 79, "a?[2Jb: 1 run, 0 s" },
                { { SLICE_INIT("simulating"), "rollout", 120, 900, 4 * S },
                  20,
                  "simulating: 120 of ~" },
                { { SLICE_INIT("long"), "run", 1, 100000, 60 * S },
                  79,
                  "long: 1 of 100,000 runs, 0.0167 a second, 69 d 10 h left" },
        };
        struct buf out = { 0 };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                buf_clear(&out);
                progress_line_write(&out, &cases[i].state, cases[i].columns);
                assert_string_equal(out.data, cases[i].line);
                assert_true(cells_width(buf_view(&out)) <= cases[i].columns);
        }
        buf_release(&out);
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_lines) };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
