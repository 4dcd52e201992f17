/* Schedules of cron jobs: what is taken, and upstream's word for what is not. */
#include "base/util.h"
#include "kinds/cron_schedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct {
        const char *schedule, *problem;
} cases[] = {
        { "*/5 * * * *", NULL },
        { "0 0 1 JAN sun", NULL },
        { "  1,2-4/2,? 5/3 * * 0-6 ", NULL },
        { ", * * * *", NULL },
        { "*-5 * * * *", NULL },
        { "@hourly", NULL },
        { "@every 1h30m", NULL },
        { "TZ=UTC 0 * * * *", NULL },
        { "CRON_TZ=Europe/Berlin @daily", NULL },
        { "TZ= 0 * * * *", NULL },
        { "TZ=UTC", "invalid schedule format: runtime error: slice bounds out of range [:-1]" },
        { "TZ=Mars/Base 0 * * * *",
          "provided bad location Mars/Base: unknown time zone Mars/Base" },
        { "@fortnightly", "unrecognized descriptor: @fortnightly" },
        { " @hourly", "expected exactly 5 fields, found 1: [@hourly]" },
        { "@every x", "failed to parse duration @every x: time: invalid duration \"x\"" },
        { "* * * *", "expected exactly 5 fields, found 4: [* * * *]" },
        { "61 * * * *", "end of range (61) above maximum (59): 61" },
        { "* * 0 * *", "beginning of range (0) below minimum (1): 0" },
        { "5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1" },
        { "*/0 * * * *", "step of range should be a positive number: */0" },
        { "1-2-3 * * * *", "too many hyphens: 1-2-3" },
        { "1/2/3 * * * *", "too many slashes: 1/2/3" },
        { "-1 * * * *", "failed to parse int from : strconv.Atoi: parsing \"\": invalid syntax" },
        { "x * * * *", "failed to parse int from x: strconv.Atoi: parsing \"x\": invalid syntax" },
        { "99999999999999999999 * * * *",
          "failed to parse int from 99999999999999999999: strconv.Atoi: parsing "
          "\"99999999999999999999\": value out of range" },
        { "*/-2 * * * *", "negative number (-2) not allowed: -2" },
};

static void test_schedules(void **state) {
        struct arena arena = { 0 };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                const char *problem = cron_schedule_problem(&arena, slice_of(cases[i].schedule));

                if (cases[i].problem)
                        assert_string_equal(problem ? problem : "taken", cases[i].problem);
                else if (problem)
                        fail_msg("%s: %s", cases[i].schedule, problem);
        }
        arena_release(&arena);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_schedules),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
