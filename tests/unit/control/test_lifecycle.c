/* Grammar of the lifecycle annotations: every element, and what is said about mistakes. */
#include "base/time.h"
#include "base/util.h"
#include "control/lifecycle.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define MS NS_PER_MS
#define S NS_PER_S
#define EVER LIFECYCLE_FOR_EVER

/* "LEAST..MOST/EXIT/REASON*TIMES ..." in ms, "ever" for an end that never comes. */
static void script_text(const struct lifecycle_script *script, char *out, size_t size) {
        size_t used = 0;

        for (size_t i = 0; i < script->step_count; i++) {
                const struct lifecycle_step *step = &script->steps[i];

                if (step->length.least_ns == EVER)
                        used += (size_t)snprintf(out + used, size - used, "%sever", i ? " " : "");
                else
                        used += (size_t)snprintf(out + used, size - used,
                                                 "%s%d..%d/%d/" SLICE_FMT "*%u", i ? " " : "",
                                                 (int)(step->length.least_ns / MS),
                                                 (int)(step->length.most_ns / MS), step->exit_code,
                                                 SLICE_ARG(step->reason), step->times);
        }
}

static void test_scripts(void **state) {
        static const struct {
                const char *text, *wanted;
        } cases[] = {
                { "run", "ever" },
                { "3s", "3000..3000/0/*1" },
                { "1m30s exit 2", "90000..90000/2/*1" },
                { "3s exit 137 x2; then run", "3000..3000/137/*2 ever" },
                { "1s..3s", "1000..3000/0/*1" },
                { "exit 1", "0..0/1/*1" },
                { "oom", "0..0/137/OOMKilled*1" },
                { "500ms oom x3;2s", "500..500/137/OOMKilled*3 2000..2000/0/*1" },
                { "  1s  exit 4  reason  Odd  ", "1000..1000/4/Odd*1" },
                { "then 1s", "1000..1000/0/*1" },
                { "0s", "0..0/0/*1" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct lifecycle_script script;
                struct arena arena;
                struct err err = { 0 };
                char text[512];

                arena_init(&arena, 0);
                if (lifecycle_parse_script(slice_of(cases[i].text), &arena, &script, &err) < 0)
                        fail_msg("%s: %s", cases[i].text, err.text);
                script_text(&script, text, sizeof(text));
                assert_string_equal(text, cases[i].wanted);
                arena_release(&arena);
        }
}

static void test_bad_scripts(void **state) {
        static const struct {
                const char *text, *wanted;
        } cases[] = {
                { "", "expected a duration such as 3s or 1m30s at the end" },
                { "soon", "expected \"run\", \"exit\", \"oom\" or a duration, not \"soon\"" },
                { "3", "expected a duration such as 3s or 1m30s, not \"3\"" },
                { "3s exit", "expected an exit code from 0 to 255 at the end" },
                { "3s exit 256", "expected an exit code from 0 to 255, not \"256\"" },
                { "3s exit -1", "expected an exit code from 0 to 255, not \"-1\"" },
                { "3s x0", "expected a repetition such as x3, not \"x0\"" },
                { "3s xx", "expected a repetition such as x3, not \"xx\"" },
                { "3s reason", "expected a reason at the end" },
                { "3s fail", "expected \"exit\", \"oom\", \"reason\" or a repetition such as x3, "
                             "not \"fail\"" },
                { "run; 3s", "nothing may follow \"run\", which never ends" },
                { "run x2", "nothing may follow \"run\", which never ends" },
                { "3s..1s", "the range 3s..1s ends before it begins" },
                { "9000h", "the duration 9000h is longer than a year" },
                { "-3s..1s", "expected \"run\", \"exit\", \"oom\" or a duration, not \"-3s..1s\"" },
                { "3s;", "expected a duration such as 3s or 1m30s at the end" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct lifecycle_script script;
                struct arena arena;
                struct err err = { 0 };

                arena_init(&arena, 0);
                assert_int_equal(
                        lifecycle_parse_script(slice_of(cases[i].text), &arena, &script, &err),
                        BERTH_ERR_INVALID);
                assert_string_equal(err.text, cases[i].wanted);
                arena_release(&arena);
        }
}

static void test_script_order(void **state) {
        static const int wanted[] = { 1, 1, 2, 3, 3, 3 };
        struct lifecycle_script script;
        struct arena arena;

        (void)state;
        arena_init(&arena, 0);
        lifecycle_parse_script(slice_of("exit 1 x2; exit 2; exit 3"), &arena, &script, NULL);
        for (size_t i = 0; i < ARRAY_LEN(wanted); i++)
                assert_int_equal(lifecycle_script_at(&script, (int64_t)i)->exit_code, wanted[i]);
        arena_release(&arena);
}

static void test_readiness(void **state) {
        static const struct {
                const char *text;
                int64_t at_s;
                bool is_ready;
                int64_t next_s; /* -1 = never */
        } cases[] = {
                { "up", 0, true, -1 },
                { "down", 5, false, -1 },
                { "5s up, 3s down, up", 0, true, 5 },
                { "5s up, 3s down, up", 5, false, 8 },
                { "5s up, 3s down, up", 8, true, -1 },
                { "5s up, 3s down", 100, false, -1 }, /* the last one stays */
                { "5s up, 3s down, repeat", 7, false, 8 },
                { "5s up, 3s down, repeat", 8, true, 13 },
                { "5s up, 3s down, repeat", 86, false, 88 },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct lifecycle_readiness readiness;
                struct arena arena;
                int64_t next;

                arena_init(&arena, 0);
                assert_int_equal(lifecycle_parse_readiness(slice_of(cases[i].text), &arena,
                                                           &readiness, NULL),
                                 0);
                assert_int_equal(lifecycle_is_ready_at(&readiness, cases[i].at_s * S, &next),
                                 cases[i].is_ready);
                assert_int_equal(next == EVER ? -1 : next / S, cases[i].next_s);
                arena_release(&arena);
        }
}

static void test_bad_readiness(void **state) {
        static const struct {
                const char *text, *wanted;
        } cases[] = {
                { "", "expected \"up\" or \"down\" at the end" },
                { "5s", "expected \"up\" or \"down\" at the end" },
                { "5s sideways", "expected \"up\" or \"down\", not \"sideways\"" },
                { "up, down", "expected nothing more, not \"down\"" },
                { "5s up down", "expected a comma, not \"down\"" },
                { "0s up, 0s down, repeat", "windows without length cannot repeat" },
                { "5x up", "expected a duration such as 3s or 1m30s, not \"5x\"" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct lifecycle_readiness readiness;
                struct arena arena;
                struct err err = { 0 };

                arena_init(&arena, 0);
                assert_int_equal(lifecycle_parse_readiness(slice_of(cases[i].text), &arena,
                                                           &readiness, &err),
                                 BERTH_ERR_INVALID);
                assert_string_equal(err.text, cases[i].wanted);
                arena_release(&arena);
        }
}

static void test_others(void **state) {
        struct lifecycle_waiting waiting;
        struct lifecycle_shutdown shutdown;
        struct lifecycle_failure failure;
        struct err err = { 0 };

        (void)state;
        assert_int_equal(lifecycle_parse_waiting(slice_of("ErrImagePull"), &waiting, &err), 0);
        assert_true(waiting.length_ns == EVER);
        assert_int_equal(lifecycle_parse_waiting(slice_of("X for 3s"), &waiting, &err), 0);
        assert_true(waiting.length_ns == 3 * S && slice_is(waiting.reason, "X"));
        assert_int_equal(lifecycle_parse_waiting(slice_of("X until"), &waiting, &err),
                         BERTH_ERR_INVALID);
        assert_string_equal(err.text, "expected \"for\", not \"until\"");

        assert_int_equal(lifecycle_parse_shutdown(slice_of("2s exit 3"), &shutdown, &err), 0);
        assert_true(shutdown.length.least_ns == 2 * S && shutdown.exit_code == 3);
        assert_int_equal(lifecycle_parse_shutdown(slice_of("never"), &shutdown, &err), 0);
        assert_true(shutdown.length.least_ns == EVER && shutdown.exit_code == -1);
        assert_int_equal(lifecycle_parse_shutdown(slice_of("2s exit 3 4"), &shutdown, &err),
                         BERTH_ERR_INVALID);
        assert_string_equal(err.text, "expected \"exit\" and its code, not \"4\"");

        assert_int_equal(
                lifecycle_parse_failure(slice_of("9s reason Evicted No room."), &failure, &err), 0);
        assert_true(failure.after_ns == 9 * S && slice_is(failure.reason, "Evicted") &&
                    slice_is(failure.message, "No room."));
        assert_int_equal(lifecycle_parse_failure(slice_of("9s because"), &failure, &err),
                         BERTH_ERR_INVALID);
        assert_string_equal(err.text, "expected \"reason\", not \"because\"");
}

static void test_annotations(void **state) {
        static const char pod[] = "{\"sandbox.berth.dev/run.a\":\"1\",\"sandbox.berth.dev/run\":"
                                  "\"2\",\"sandbox.berth.dev/other\":\"x\",\"run\":\"y\"}";
        static const char node[] = "{\"sandbox.berth.dev/run.b\":\"3\",\"sandbox.berth.dev/ready\":"
                                   "\"4\",\"sandbox.berth.dev/heartbeat\":\"stop\"}";
        struct json_doc *p = NULL, *n = NULL;
        const struct json *a, *b;

        (void)state;
        json_parse(slice_of(pod), &p, NULL);
        json_parse(slice_of(node), &n, NULL);
        a = json_doc_root(p);
        b = json_doc_root(n);
        assert_true(slice_is(lifecycle_annotation(a, b, "run", slice_of("a")), "1"));
        assert_true(slice_is(lifecycle_annotation(a, b, "run", slice_of("b")), "2"));
        assert_true(slice_is(lifecycle_annotation(NULL, b, "run", slice_of("b")), "3"));
        assert_true(slice_is(lifecycle_annotation(a, b, "ready", slice_of("a")), "4"));
        assert_true(slice_is_empty(lifecycle_annotation(a, b, "fail", SLICE_EMPTY)));
        assert_true(slice_is(lifecycle_unknown_key(a), "sandbox.berth.dev/other"));
        assert_true(slice_is_empty(lifecycle_unknown_key(b)));
        json_doc_free(p);
        json_doc_free(n);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_scripts),       cmocka_unit_test(test_bad_scripts),
                cmocka_unit_test(test_script_order),  cmocka_unit_test(test_readiness),
                cmocka_unit_test(test_bad_readiness), cmocka_unit_test(test_others),
                cmocka_unit_test(test_annotations),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
