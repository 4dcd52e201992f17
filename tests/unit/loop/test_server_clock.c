/* The server's time, out of what its answers say. */
#include "base/util.h"
#include "port/server_clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* after those */
#include <cmocka.h>

#define START_S 1000000LL

/* Answers at the server's START_S + at; our clock, ahead by so much, is asked at the end. */
struct story {
        const char *name;
        struct {
                int64_t at_ms, took_ms, server_ahead_s;
        } answers[3];
        size_t answer_count;
        int64_t own_ahead_s, server_ahead_s, error_ms; /* of what is found, at most */
};

static const struct story stories[] = {
        { "nothing is known", { { 0 } }, 0, 3600, 3600, 0 },
        { "both clocks are right", { { 0, 5, 0 } }, 1, 0, 0, 0 },
        { "ours differs by less than dates show", { { 0, 5, 0 } }, 1, 2, 2, 0 },
        { "ours is an hour ahead", { { 300, 5, 0 } }, 1, 3600, 0, 1010 },
        { "ours is a day late", { { 300, 5, 0 } }, 1, -86400, 0, 1010 },
        { "several answers narrow it down",
          { { 0, 5, 0 }, { 1990, 5, 0 }, { 2005, 5, 0 } },
          3,
          3600,
          0,
          30 },
        { "a slow answer says nothing", { { 0, 11000, 0 } }, 1, 3600, 3600, 0 },
        { "the server's clock is set back",
          { { 0, 5, 0 }, { 1000, 5, -3600 } },
          2,
          0,
          -3600,
          1010 },
        { "the server's clock is set forward",
          { { 0, 5, 0 }, { 1000, 5, 90000 } },
          2,
          0,
          90000,
          1010 },
};

static int64_t ns_of(int64_t ms) {
        return ms * NS_PER_MS;
}

static void test_stories(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(stories); i++) {
                const struct story *story = &stories[i];
                struct server_clock clock = { 0 };
                int64_t mono_ns = 77, server_ns = START_S * NS_PER_S;

                for (size_t k = 0; k < story->answer_count; k++) {
                        int64_t at_ns = ns_of(story->answers[k].at_ms);
                        int64_t date_s =
                                (server_ns + at_ns) / NS_PER_S + story->answers[k].server_ahead_s;

                        server_clock_take(&clock, date_s, (struct mono_time){ mono_ns + at_ns },
                                          (struct mono_time){ mono_ns + at_ns +
                                                              ns_of(story->answers[k].took_ms) });
                }
                int64_t later_ns = 60 * NS_PER_S;
                struct wall_time found = server_clock_now(
                        &clock,
                        (struct wall_time){ server_ns + later_ns + story->own_ahead_s * NS_PER_S },
                        (struct mono_time){ mono_ns + later_ns });
                int64_t off_ns =
                        found.ns - (server_ns + later_ns + story->server_ahead_s * NS_PER_S);
                if (off_ns > ns_of(story->error_ms) || -off_ns > ns_of(story->error_ms))
                        fail_msg("%s: off by %lld ms", story->name,
                                 (long long)(off_ns / NS_PER_MS));
        }
}

/* Dates that cannot be, and an answer from before its question. */
static void test_nonsense(void **state) {
        struct server_clock clock = { 0 };

        (void)state;
        server_clock_take(&clock, 0, (struct mono_time){ 0 }, (struct mono_time){ 1 });
        server_clock_take(&clock, -5, (struct mono_time){ 0 }, (struct mono_time){ 1 });
        server_clock_take(&clock, INT64_MAX, (struct mono_time){ 0 }, (struct mono_time){ 1 });
        server_clock_take(&clock, 5, (struct mono_time){ 2 }, (struct mono_time){ 1 });
        assert_false(clock.is_known);
        assert_int_equal(
                server_clock_now(&clock, (struct wall_time){ 9 }, (struct mono_time){ 3 }).ns, 9);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_stories),
                cmocka_unit_test(test_nonsense),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
