/* Times and durations in their text forms. */
#include "base/rng.h"
#include "base/time.h"
#include "base/util.h"
#include <time.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct time_case {
        const char *text;
        int64_t seconds, ns;
        const char *formatted, *micro;
};

static const struct time_case time_cases[] = {
        { "1970-01-01T00:00:00Z", 0, 0, "1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000000Z" },
        { "2024-02-29T12:34:56Z", 1709210096, 0, "2024-02-29T12:34:56Z",
          "2024-02-29T12:34:56.000000Z" },
        { "2024-02-29T12:34:56.5Z", 1709210096, 500000000, "2024-02-29T12:34:56Z",
          "2024-02-29T12:34:56.500000Z" },
        { "2024-02-29T12:34:56.123456789Z", 1709210096, 123456789, "2024-02-29T12:34:56Z",
          "2024-02-29T12:34:56.123456Z" },
        { "2024-02-29T12:34:56.1234567899999Z", 1709210096, 123456789, "2024-02-29T12:34:56Z",
          "2024-02-29T12:34:56.123456Z" },
        { "2024-02-29T14:34:56+02:00", 1709210096, 0, "2024-02-29T12:34:56Z",
          "2024-02-29T12:34:56.000000Z" },
        { "2024-02-28T23:04:56-13:30", 1709210096, 0, "2024-02-29T12:34:56Z",
          "2024-02-29T12:34:56.000000Z" },
        { "1969-12-31T23:59:59.25Z", -1, 250000000, "1969-12-31T23:59:59Z",
          "1969-12-31T23:59:59.250000Z" },
        { "2000-12-31T23:59:59Z", 978307199, 0, "2000-12-31T23:59:59Z",
          "2000-12-31T23:59:59.000000Z" },
        { "1900-03-01T00:00:00-00:00", -2203891200, 0, "1900-03-01T00:00:00Z",
          "1900-03-01T00:00:00.000000Z" },
};

static void test_parse_and_format(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(time_cases); i++) {
                const struct time_case *c = &time_cases[i];
                struct wall_time parsed;
                char text[WALL_TIME_TEXT_MAX];
                if (!wall_time_parse(slice_of(c->text), &parsed))
                        fail_msg("%s was refused", c->text);
                assert_true(parsed.ns == c->seconds * NS_PER_S + c->ns);
                assert_true(wall_time_is_set(parsed));
                assert_int_equal(wall_time_format(parsed, text), strlen(c->formatted));
                assert_string_equal(text, c->formatted);
                assert_int_equal(wall_time_format_micro(parsed, text), strlen(c->micro));
                assert_string_equal(text, c->micro);
        }
}

static void test_malformed_times(void **state) {
        (void)state;
        static const char *const cases[] = {
                "",
                "2024",
                "2024-01-01",
                "2024-01-01T00:00:00",
                "2024-01-01t00:00:00Z",
                "2024-01-01T00:00:00z",
                "2024-01-01 00:00:00Z",
                "2024-00-01T00:00:00Z",
                "2024-13-01T00:00:00Z",
                "2024-01-00T00:00:00Z",
                "2024-01-32T00:00:00Z",
                "2024-04-31T00:00:00Z",
                "2023-02-29T00:00:00Z",
                "1900-02-29T00:00:00Z",
                "2024-01-01T24:00:00Z",
                "2024-01-01T00:60:00Z",
                "2024-01-01T00:00:60Z",
                "2024-01-01T00:00:00.Z",
                "2024-01-01T00:00:00.5",
                "2024-01-01T00:00:00+0200",
                "2024-01-01T00:00:00+02",
                "2024-01-01T00:00:00+24:00",
                "2024-01-01T00:00:00+02:60",
                "2024-01-01T00:00:00ZZ",
                "2024-01-01T00:00:00Z ",
                " 2024-01-01T00:00:00Z",
                "24-01-01T00:00:00Z",
                "12024-01-01T00:00:00Z",
                "2024-1-01T00:00:00Z",
                "-024-01-01T00:00:00Z",
        };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct wall_time parsed = { 4711 };
                if (wall_time_parse(slice_of(cases[i]), &parsed))
                        fail_msg("%s was taken", cases[i]);
                assert_true(parsed.ns == 4711);
        }
}

static void test_limits_of_the_range(void **state) {
        (void)state;
        struct wall_time parsed;
        char text[WALL_TIME_TEXT_MAX];
        assert_true(wall_time_parse(SLICE_LITERAL("0001-01-01T00:00:00Z"), &parsed));
        assert_false(wall_time_is_set(parsed));
        assert_int_equal(wall_time_format(WALL_TIME_UNSET, text), 0);
        assert_string_equal(text, "");
        assert_int_equal(wall_time_format_micro(WALL_TIME_UNSET, text), 0);
        assert_true(wall_time_parse(SLICE_LITERAL("9999-12-31T23:59:59Z"), &parsed));
        assert_true(parsed.ns == INT64_MAX);
        wall_time_format(parsed, text);
        assert_string_equal(text, "2262-04-11T23:47:16Z");
        assert_true(wall_time_parse(SLICE_LITERAL("0000-02-29T00:00:00Z"), &parsed));
        assert_true(parsed.ns == INT64_MIN + 1);
        assert_true(wall_time_is_set(parsed));
        wall_time_format(parsed, text);
        assert_string_equal(text, "1677-09-21T00:12:43Z");
        assert_true(wall_time_parse(SLICE_LITERAL("2262-04-11T23:47:15.5Z"), &parsed));
        assert_true(parsed.ns == 9223372035500000000);
}

static void test_just_before_the_epoch(void **state) {
        (void)state;
        char text[WALL_TIME_TEXT_MAX];
        wall_time_format((struct wall_time){ -1 }, text);
        assert_string_equal(text, "1969-12-31T23:59:59Z");
        wall_time_format_micro((struct wall_time){ -1 }, text);
        assert_string_equal(text, "1969-12-31T23:59:59.999999Z");
        wall_time_format_micro((struct wall_time){ -NS_PER_S }, text);
        assert_string_equal(text, "1969-12-31T23:59:59.000000Z");
}

/* The C library as the oracle, over the whole range. */
static void test_against_libc(void **state) {
        (void)state;
        struct rng rng;
        rng_init(&rng, 31);
        for (int i = 0; i < 20000; i++) {
                struct wall_time time = { (int64_t)rng_u64(&rng) };
                if (!wall_time_is_set(time))
                        continue;
                time_t seconds = time.ns / NS_PER_S - (time.ns % NS_PER_S < 0);
                struct tm tm;
                gmtime_r(&seconds, &tm);
                char expected[WALL_TIME_TEXT_MAX], text[WALL_TIME_TEXT_MAX];
                strftime(expected, sizeof(expected), "%Y-%m-%dT%H:%M:%SZ", &tm);
                wall_time_format(time, text);
                assert_string_equal(text, expected);
                struct wall_time parsed;
                int len = wall_time_format_micro(time, text);
                assert_true(wall_time_parse(slice_make(text, (size_t)len), &parsed));
                int64_t lost = time.ns - parsed.ns;
                assert_true(lost >= 0 && lost < 1000);
        }
}

struct duration_case {
        const char *text;
        int64_t ns;
        const char *formatted;
};

static void test_durations(void **state) {
        (void)state;
        static const struct duration_case cases[] = {
                { "0", 0, "0s" },
                { "-0", 0, "0s" },
                { "+0", 0, "0s" },
                { "0s", 0, "0s" },
                { "1ns", 1, "1ns" },
                { "999ns", 999, "999ns" },
                { "1us", 1000, "1\xc2\xb5s" },
                { "1.1\xc2\xb5s", 1100, "1.1\xc2\xb5s" },
                { "2.2\xce\xbcs", 2200, "2.2\xc2\xb5s" },
                { "300ms", 300000000, "300ms" },
                { "2.2ms", 2200000, "2.2ms" },
                { "3.3s", 3300000000, "3.3s" },
                { "1.000000001s", 1000000001, "1.000000001s" },
                { "59.9s", 59900000000, "59.9s" },
                { "60s", 60000000000, "1m0s" },
                { "5m", 300000000000, "5m0s" },
                { "4m5.001s", 245001000000, "4m5.001s" },
                { "1h2m3.5s", 3723500000000, "1h2m3.5s" },
                { "1.5h", 5400000000000, "1h30m0s" },
                { "-1.5h", -5400000000000, "-1h30m0s" },
                { "+5s", 5000000000, "5s" },
                { "5.s", 5000000000, "5s" },
                { ".5s", 500000000, "500ms" },
                { "1s1s", 2000000000, "2s" },
                { "24h", 86400000000000, "24h0m0s" },
                { "0.3333333333333333333h", 1200000000000, "20m0s" },
                { "0.830103483285477580700h", 2988372539827, "49m48.372539827s" },
                { "9223372036854775807ns", INT64_MAX, "2562047h47m16.854775807s" },
                { "-9223372036854775808ns", INT64_MIN, "-2562047h47m16.854775808s" },
        };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                int64_t ns;
                char text[DURATION_TEXT_MAX];
                if (!duration_parse(slice_of(cases[i].text), &ns))
                        fail_msg("%s was refused", cases[i].text);
                if (ns != cases[i].ns)
                        fail_msg("%s: %lld", cases[i].text, (long long)ns);
                assert_int_equal(duration_format(ns, text), strlen(cases[i].formatted));
                assert_string_equal(text, cases[i].formatted);
        }
}

static void test_malformed_durations(void **state) {
        (void)state;
        static const char *const cases[] = {
                "",
                "3",
                "-",
                "s",
                ".",
                "-.",
                ".s",
                "+.s",
                "1d",
                "1 s",
                " 1s",
                "1s ",
                "--1s",
                "1.2.3s",
                "1e3s",
                "1hour",
                "00",
                "1s-1s",
                "1m2",
                "9223372036854775808ns",
                "9223372036854775.808us",
                "2562048h",
                "3000000h",
                "-9223372036854775809ns",
                "9223372036854775807ns1ns",
                "9223372036854775808ns9223372036854775808ns",
                "99999999999999999999999s",
        };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                int64_t ns = 4711;
                if (duration_parse(slice_of(cases[i]), &ns))
                        fail_msg("%s was taken as %lld", cases[i], (long long)ns);
                assert_true(ns == 4711);
        }
}

static void test_duration_round_trip(void **state) {
        (void)state;
        struct rng rng;
        rng_init(&rng, 32);
        for (int i = 0; i < 20000; i++) {
                /* Up to 2^53 ns, beyond which Go's own arithmetic on fractions rounds. */
                int64_t ns = (int64_t)(rng_u64(&rng) >> (11 + rng_below(&rng, 53)));
                if (i % 2)
                        ns = -ns;
                char text[DURATION_TEXT_MAX];
                int len = duration_format(ns, text);
                int64_t parsed;
                assert_true(duration_parse(slice_make(text, (size_t)len), &parsed));
                if (parsed != ns)
                        fail_msg("%lld -> %s -> %lld", (long long)ns, text, (long long)parsed);
        }
}

static void test_human_durations(void **state) {
        (void)state;
        static const struct {
                int64_t seconds;
                const char *expected;
        } cases[] = {
                { -2, "<invalid>" },
                { -1, "0s" },
                { 0, "0s" },
                { 1, "1s" },
                { 70, "70s" },
                { 119, "119s" },
                { 120, "2m" },
                { 190, "3m10s" },
                { 599, "9m59s" },
                { 600, "10m" },
                { 70 * 60, "70m" },
                { 179 * 60 + 59, "179m" },
                { 180 * 60, "3h" },
                { 47 * 3600, "47h" },
                { 3 * 3600 + 59, "3h" },
                { 7 * 3600 + 600, "7h10m" },
                { 8 * 3600 + 600, "8h" },
                { 49 * 3600, "2d1h" },
                { 48 * 3600, "2d" },
                { 7 * 86400 + 23 * 3600, "7d23h" },
                { 8 * 86400 + 3600, "8d" },
                { 729 * 86400, "729d" },
                { 730 * 86400LL, "2y" },
                { 731 * 86400LL, "2y1d" },
                { 8 * 365 * 86400LL - 1, "7y364d" },
                { 8 * 365 * 86400LL, "8y" },
                { 100 * 365 * 86400LL + 86400 * 9, "100y" },
        };
        char text[DURATION_TEXT_MAX];
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                int len = duration_format_human(cases[i].seconds * NS_PER_S, text);
                assert_string_equal(text, cases[i].expected);
                assert_int_equal(len, strlen(cases[i].expected));
        }
        duration_format_human(1999 * NS_PER_MS, text);
        assert_string_equal(text, "1s");
        duration_format_human(-1999 * NS_PER_MS, text);
        assert_string_equal(text, "0s");
        duration_format_human(INT64_MIN, text);
        assert_string_equal(text, "<invalid>");
        duration_format_human(INT64_MAX, text);
        assert_string_equal(text, "292y");
}

/* With the offset that they were written with, and in years that nanoseconds do not reach. */
static void test_zoned_times(void **state) {
        static const char *const cases[][2] = {
                { "2026-01-02T03:04:05.500+02:00", "2026-01-02T03:04:05.5+02:00" },
                { "2026-01-02T03:04:05-00:30", "2026-01-02T03:04:05-00:30" },
                { "9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59.999999999Z" },
                { "0001-01-01T00:00:00+00:00", "0001-01-01T00:00:00Z" },
                { "1500-02-28T00:00:00Z", "1500-02-28T00:00:00Z" },
        };
        char text[WALL_TIME_TEXT_MAX];
        struct zoned_time time;

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                assert_true(zoned_time_parse(slice_of(cases[i][0]), &time));
                assert_int_equal(zoned_time_format(time, text), strlen(cases[i][1]));
                assert_string_equal(text, cases[i][1]);
        }
        assert_false(zoned_time_parse(slice_of("2026-01-02"), &time));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_parse_and_format),
                cmocka_unit_test(test_malformed_times),
                cmocka_unit_test(test_zoned_times),
                cmocka_unit_test(test_limits_of_the_range),
                cmocka_unit_test(test_just_before_the_epoch),
                cmocka_unit_test(test_against_libc),
                cmocka_unit_test(test_durations),
                cmocka_unit_test(test_malformed_durations),
                cmocka_unit_test(test_duration_round_trip),
                cmocka_unit_test(test_human_durations),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
