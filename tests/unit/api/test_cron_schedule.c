/* Cron schedules: their next times, and what is said about mistakes. */
#include "api/cron_schedule.h"
#include "base/util.h"
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
                { "0 0 * * 5-6", "2026-01-03T00:00:00Z", "2026-01-09T00:00:00Z" },
                { "0 0 */5 * mon", "2026-01-01T00:00:00Z", "2026-01-05T00:00:00Z" },
                { "0 0 */1 * mon", "2026-01-01T00:00:00Z", "2026-01-05T00:00:00Z" },
                { "@every 100ms", "2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z" },
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

static void test_taken_and_refused(void **state) {
        static const struct {
                const char *schedule, *problem; /* NULL = it is taken */
        } cases[] = {
                { "*/5 * * * *", NULL },
                { "0 0 1 JAN sun", NULL },
                { "  1,2-4/2,? 5/3 * * 0-6 ", NULL },
                { ", * * * *", NULL },
                { "*-5 * * * *", NULL },
                { "@hourly", NULL },
                { "@every 1h30m", NULL },
                { "@fortnightly", "unrecognized descriptor: @fortnightly" },
                { " @hourly", "expected exactly 5 fields, found 1: [@hourly]" },
                { "@every x", "failed to parse duration @every x: time: invalid duration \"x\"" },
                { "* * * *", "expected exactly 5 fields, found 4: [* * * *]" },
                { "a\nb\t c", "expected exactly 5 fields, found 3: [a b c]" },
                { "61 * * * *", "end of range (61) above maximum (59): 61" },
                { "* * 0 * *", "beginning of range (0) below minimum (1): 0" },
                { "5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1" },
                { "*/0 * * * *", "step of range should be a positive number: */0" },
                { "1-2-3 * * * *", "too many hyphens: 1-2-3" },
                { "1/2/3 * * * *", "too many slashes: 1/2/3" },
                { "-1 * * * *",
                  "failed to parse int from : strconv.Atoi: parsing \"\": invalid syntax" },
                { "x * * * *",
                  "failed to parse int from x: strconv.Atoi: parsing \"x\": invalid syntax" },
                { "99999999999999999999 * * * *",
                  "failed to parse int from 99999999999999999999: strconv.Atoi: parsing "
                  "\"99999999999999999999\": value out of range" },
                { "*/-2 * * * *", "negative number (-2) not allowed: -2" },
                { "* * * * 7", "end of range (7) above maximum (6): 7" },
                { "* * * foo *",
                  "failed to parse int from foo: strconv.Atoi: parsing \"foo\": invalid syntax" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct cron_schedule schedule;
                struct err err = { 0 };
                int r = cron_schedule_parse(slice_of(cases[i].schedule), &schedule, &err);

                assert_int_equal(r, cases[i].problem ? BERTH_ERR_INVALID : 0);
                assert_string_equal(err.text, cases[i].problem ? cases[i].problem : "");
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_next),
                cmocka_unit_test(test_taken_and_refused),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
