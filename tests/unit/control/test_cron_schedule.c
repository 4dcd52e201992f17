/* Cron schedules: their next times, and what is said about mistakes. */
#include "base/util.h"
#include "control/cron_schedule.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static void test_next(void **state) {
        static const struct {
                const char *schedule, *after, *next;
        } cases[] = {
                { "* * * * *", "2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z" },
                { "* * * * *", "2026-01-01T00:00:59Z", "2026-01-01T00:01:00Z" },
                { "*/15 * * * *", "2026-01-01T00:16:00Z", "2026-01-01T00:30:00Z" },
                { "5/20 * * * *", "2026-01-01T00:26:00Z", "2026-01-01T00:45:00Z" },
                { "0 3 * * *", "2026-01-01T03:00:00Z", "2026-01-02T03:00:00Z" },
                { "30 8-10 * * *", "2026-01-01T09:31:00Z", "2026-01-01T10:30:00Z" },
                { "0 0 29 2 *", "2026-01-01T00:00:00Z", "2028-02-29T00:00:00Z" },
                { "0 0 * * mon", "2026-01-01T00:00:00Z", "2026-01-05T00:00:00Z" },
                { "0 0 * * 7", "2026-01-01T00:00:00Z", "2026-01-04T00:00:00Z" },
                { "0 0 * * 5-7", "2026-01-03T00:00:00Z", "2026-01-04T00:00:00Z" },
                { "0 0 13 * fri", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z" },
                { "0 0 1 jan,jul *", "2026-01-02T00:00:00Z", "2026-07-01T00:00:00Z" },
                { "@hourly", "2026-01-01T00:30:00Z", "2026-01-01T01:00:00Z" },
                { "@yearly", "2026-01-01T00:30:00Z", "2027-01-01T00:00:00Z" },
                { "@every 90s", "2026-01-01T00:00:00Z", "2026-01-01T00:01:30Z" },
                { "0 0 31 2 *", "2026-01-01T00:00:00Z", "" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct cron_schedule schedule;
                struct wall_time after;
                struct err err = { 0 };
                char text[WALL_TIME_TEXT_MAX];

                if (cron_schedule_parse(slice_of(cases[i].schedule), &schedule, &err) < 0)
                        fail_msg("%s: %s", cases[i].schedule, err.text);
                wall_time_parse(slice_of(cases[i].after), &after);
                wall_time_format(cron_schedule_next(&schedule, after), text);
                assert_string_equal(text, cases[i].next);
        }
}

static void test_mistakes(void **state) {
        static const struct {
                const char *schedule, *wanted;
        } cases[] = {
                { "", "a schedule has 5 fields, this one 0" },
                { "* * * *", "a schedule has 5 fields, this one 4" },
                { "* * * * * *", "a schedule has 5 fields, this one 6" },
                { "60 * * * *", "\"60\" is no minute" },
                { "* 24 * * *", "\"24\" is no hour" },
                { "* * 0 * *", "\"0\" is no day of month" },
                { "* * * foo *", "\"foo\" is no month" },
                { "* * * * 8", "\"8\" is no day of week" },
                { "5-3 * * * *", "\"5-3\" is no minute" },
                { "*/0 * * * *", "\"*/0\" is no minute" },
                { "@every soon", "@every needs a duration" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct cron_schedule schedule;
                struct err err = { 0 };

                assert_int_equal(cron_schedule_parse(slice_of(cases[i].schedule), &schedule, &err),
                                 BERTH_ERR_INVALID);
                assert_string_equal(err.text, cases[i].wanted);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_next),
                cmocka_unit_test(test_mistakes),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
