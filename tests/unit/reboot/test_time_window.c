/* Times of day, days, windows, and time zones as their files describe them. */
#include "reboot/time_window.h"

#include "base/buf.h"
#include "base/util.h"
#include "reboot/time_zone.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* A file of version 2 without changes but with a rule. */
static int parse_rule(const char *rule, struct arena *arena, struct time_zone **ret_zone) {
        struct buf file = { 0 };
        int code;
        char header[44] = "TZif2";

        header[39] = 1; /* types */
        header[43] = 4; /* characters */
        for (int i = 0; i < 2; i++) {
                buf_append(&file, header, sizeof(header));
                buf_append(&file, "\0\0\0\0\0\0UTC\0", 10);
        }
        buf_printf(&file, "\n%s\n", rule);
        code = time_zone_parse(buf_view(&file), arena, ret_zone, NULL);
        buf_release(&file);
        return code;
}

static struct time_zone *zone_of_rule(const char *rule, struct arena *arena) {
        struct time_zone *zone = NULL;

        assert_int_equal(parse_rule(rule, arena, &zone), 0);
        return zone;
}

static void parses_times(void **state) {
        static const struct {
                const char *text;
                int32_t seconds; /* -1 = refused */
        } times[] = {
                { "0:00", 0 },        { "23:59:59", 86399 },
                { "9am", 32400 },     { "09:30am", 34200 },
                { "17", 61200 },      { "3pm", 54000 },
                { "12am", 0 },        { "12pm", 43200 },
                { "03:04pm", 54240 }, { "9:30am", -1 },
                { "5:00pm", -1 },     { "9AM", -1 },
                { "24:00", -1 },      { "", -1 },
                { "1:2:3:4", -1 },    { "13pm", -1 },
                { "1:5", -1 },        { "-1", -1 },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(times); i++) {
                int32_t seconds = -1;
                int code = time_of_day_parse(slice_of(times[i].text), &seconds, NULL);

                if ((code == 0) != (times[i].seconds >= 0) || seconds != times[i].seconds)
                        fail_msg("%s: %d", times[i].text, seconds);
        }
}

static void parses_days(void **state) {
        unsigned days = 0;

        (void)state;
        assert_int_equal(days_parse(SLICE_LITERAL("mo,TUE,,friday,0"), &days, NULL), 0);
        assert_int_equal(days, 1 | 2 | 4 | 32);
        assert_true(days_parse(SLICE_LITERAL("7"), &days, NULL) < 0);
        assert_true(days_parse(SLICE_LITERAL("noday"), &days, NULL) < 0);
}

static bool is_open(const struct time_window *window, const char *time) {
        struct wall_time now;

        assert_true(wall_time_parse(slice_of(time), &now));
        return time_window_is_open(window, now);
}

/* Acceptance 51; 2026-11-20 is a Friday. */
static void r51_friday_night(void **state) {
        struct time_window window = { .days = 32, .start_s = 22 * 3600, .end_s = 6 * 3600 };

        (void)state;
        assert_false(is_open(&window, "2026-11-21T03:00:00Z"));
        assert_true(is_open(&window, "2026-11-20T03:00:00Z"));
        assert_true(is_open(&window, "2026-11-20T23:00:00Z"));
        assert_false(is_open(&window, "2026-11-20T12:00:00Z"));
        window.is_anchored = true;
        assert_true(is_open(&window, "2026-11-21T03:00:00Z"));
        assert_false(is_open(&window, "2026-11-20T03:00:00Z"));
}

static void includes_both_ends(void **state) {
        struct time_window window = { .days = 127, .start_s = 3600, .end_s = 3600 };

        (void)state;
        assert_false(is_open(&window, "2026-11-20T00:59:59Z"));
        assert_true(is_open(&window, "2026-11-20T01:00:00.999Z"));
        assert_false(is_open(&window, "2026-11-20T01:00:01Z"));
        window.days = 0;
        assert_false(is_open(&window, "2026-11-20T01:00:00Z"));
}

static void looks_ahead(void **state) {
        struct time_window window = { .days = 127, .start_s = 3600, .end_s = 7200 };
        struct wall_time now;

        (void)state;
        wall_time_parse(SLICE_LITERAL("2026-11-20T00:30:00Z"), &now);
        assert_false(time_window_opens_within(&window, now, 29 * 60 * NS_PER_S));
        assert_true(time_window_opens_within(&window, now, 30 * 60 * NS_PER_S));
}

static void follows_rules(void **state) {
        static const struct {
                const char *rule, *time;
                int32_t offset;
        } cases[] = {
                { "EST5EDT,M3.2.0,M11.1.0", "2026-03-08T06:59:59Z", -5 * 3600 },
                { "EST5EDT,M3.2.0,M11.1.0", "2026-03-08T07:00:00Z", -4 * 3600 },
                { "EST5EDT,M3.2.0,M11.1.0", "2026-11-01T05:59:59Z", -4 * 3600 },
                { "EST5EDT,M3.2.0,M11.1.0", "2026-11-01T06:00:00Z", -5 * 3600 },
                { "CET-1CEST,M3.5.0,M10.5.0/3", "2026-07-01T00:00:00Z", 7200 },
                { "CET-1CEST,M3.5.0,M10.5.0/3", "2026-12-01T00:00:00Z", 3600 },
                { "AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-01-01T00:00:00Z", 11 * 3600 },
                { "AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-07-01T00:00:00Z", 10 * 3600 },
                { "<+0545>-5:45", "2026-07-01T00:00:00Z", 5 * 3600 + 45 * 60 },
                { "XXX3YYY,J60/0,J300/0", "2024-03-01T02:59:59Z", -3 * 3600 },
                { "XXX3YYY,J60/0,J300/0", "2024-03-01T03:00:00Z", -2 * 3600 },
        };
        CLEANUP(arena_release) struct arena arena;

        (void)state;
        arena_init(&arena, 0);
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct wall_time time;
                int32_t offset;

                wall_time_parse(slice_of(cases[i].time), &time);
                offset = time_zone_offset(zone_of_rule(cases[i].rule, &arena), time.ns / NS_PER_S);
                if (offset != cases[i].offset)
                        fail_msg("%s at %s: %d", cases[i].rule, cases[i].time, offset);
        }
}

static void knows_the_year_of_a_day(void **state) {
        static const int64_t years[] = { 1969, 1970, 1971, 1972, 2000, 2026, 2100 };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(years); i++) {
                assert_int_equal(calendar_year(calendar_days(years[i], 1, 1)), years[i]);
                assert_int_equal(calendar_year(calendar_days(years[i], 12, 31)), years[i]);
        }
        assert_int_equal(calendar_days(1970, 1, 1), 0);
        assert_int_equal(calendar_days(2000, 3, 1) - calendar_days(2000, 2, 28), 2);
        assert_int_equal(calendar_days(2100, 3, 1) - calendar_days(2100, 2, 28), 1);
}

/* A rule that is not understood is an error, not a guess. */
static void refuses_damaged_rules(void **state) {
        static const char *const rules[] = {
                "1ST5",
                "EST5:",
                "EST5:00:",
                "EST",
                "EST+",
                "E5",
                "<+0545-5:45",
                "EST5EDT,M3",
                "EST5EDT,M3.2",
                "EST5EDT,M3.2.7,M11.1.0",
                "EST5EDT,M13.2.0,M11.1.0",
                "EST5EDT,M0.2.0,M11.1.0",
                "EST5EDT,M3.6.0,M11.1.0",
                "EST5EDT,M3.0.0,M11.1.0",
                "EST5EDT,M.2.0,M11.1.0",
                "EST5EDT,M3.2.0",
                "EST5EDT,M3.2.0,",
                "EST5EDT,J,J300",
                "EST5EDT,M3.2.0/,M11.1.0",
                "EST5:EDT",
                "CET-1CEST,M3.5.0,M10.5.0/x",
        };
        CLEANUP(arena_release) struct arena arena;

        (void)state;
        arena_init(&arena, 0);
        for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
                struct time_zone *zone = NULL;

                if (parse_rule(rules[i], &arena, &zone) == 0)
                        fail_msg("%s is accepted", rules[i]);
        }
}

/* Acceptance 52: 01:45 EST on the day 02:30 does not exist. */
static void r52_gap_of_new_york(void **state) {
        CLEANUP(arena_release) struct arena arena;
        struct time_window window = { .days = 127, .start_s = 9000, .end_s = 12600 };

        (void)state;
        arena_init(&arena, 0);
        window.zone = zone_of_rule("EST5EDT,M3.2.0,M11.1.0", &arena);
        assert_false(is_open(&window, "2026-03-08T06:45:00Z"));
        assert_true(is_open(&window, "2026-03-08T07:15:00Z")); /* 03:15 EDT */
        window.start_s = 4500; /* 01:15 to 01:45: twice on the day the hour is repeated */
        window.end_s = 6300;
        assert_true(is_open(&window, "2026-11-01T05:30:00Z"));
        assert_false(is_open(&window, "2026-11-01T05:50:00Z"));
        assert_true(is_open(&window, "2026-11-01T06:30:00Z"));
        assert_false(is_open(&window, "2026-11-01T06:50:00Z"));
}

static void refuses_other_files(void **state) {
        CLEANUP(arena_release) struct arena arena;
        struct time_zone *zone = NULL;
        char header[44] = "TZif2";

        (void)state;
        arena_init(&arena, 0);
        assert_true(time_zone_parse(SLICE_LITERAL("hello"), &arena, &zone, NULL) < 0);
        header[39] = 1;
        assert_true(time_zone_parse(slice_make(header, 44), &arena, &zone, NULL) < 0);
        header[36] = 127; /* more types than any file has */
        assert_true(time_zone_parse(slice_make(header, 44), &arena, &zone, NULL) < 0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(parses_times),          cmocka_unit_test(parses_days),
                cmocka_unit_test(r51_friday_night),      cmocka_unit_test(includes_both_ends),
                cmocka_unit_test(looks_ahead),           cmocka_unit_test(follows_rules),
                cmocka_unit_test(r52_gap_of_new_york),   cmocka_unit_test(refuses_other_files),
                cmocka_unit_test(refuses_damaged_rules), cmocka_unit_test(knows_the_year_of_a_day),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
