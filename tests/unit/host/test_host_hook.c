/* Hooks run as programs: what they are told and say, how they end and are ended. */
#include "host/host_hook.h"

#include "base/util.h"
#include "loop/event_loop.h"
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct outcome {
        bool is_done;
        int code;
        char message[HOST_HOOK_LINE_MAX + 1];
};

static char folder[64], program[80];

static void on_done(void *context, const struct host_hook_end *end) {
        struct outcome *outcome = context;

        outcome->is_done = true;
        outcome->code = end->code;
        snprintf(outcome->message, sizeof(outcome->message), SLICE_FMT, SLICE_ARG(end->message));
}

static void write_program(const char *text) {
        FILE *file = fopen(program, "we");

        assert_non_null(file);
        fprintf(file, "#!/bin/sh\n%s\n", text);
        fclose(file);
        assert_int_equal(chmod(program, 0700), 0);
}

static int make_folder(void **state) {
        (void)state;
        snprintf(folder, sizeof(folder), "/tmp/host-hook-XXXXXX");
        if (!mkdtemp(folder))
                return -1;
        snprintf(program, sizeof(program), "%s/hook", folder);
        return 0;
}

static int remove_folder(void **state) {
        (void)state;
        unlink(program);
        return rmdir(folder);
}

static void wait_for(struct event_loop *loop, const struct outcome *outcome) {
        while (!outcome->is_done)
                assert_int_equal(event_loop_run_once(loop, NS_PER_S, NULL), 0);
}

static void test_answers(void **state) {
        static const struct {
                const char *program, *input;
                int code;
                const char *message;
        } cases[] = {
                { "cat", "{\"op\":\"run\"}", 0, "{\"op\":\"run\"}" },
                { "echo first; echo last; exit 69", "", 69, "last" },
                { "echo only; exit 75", "", 75, "only" },
                { "printf 'a\\n\\nb'", "", 0, "b" },
                { "exit 3", "not read", 3, "" },
                { "kill -9 $$", "", 128 + SIGKILL, "" },
                { "sleep 1000 & echo left", "", 0, "left" }, /* and is taken along */
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct outcome outcome = { 0 };
                struct event_loop *loop = NULL;

                write_program(cases[i].program);
                assert_int_equal(event_loop_new(&loop, NULL), 0);
                host_hook_start(event_loop_as_loop(loop), program, slice_of(cases[i].input), 0,
                                on_done, &outcome);
                assert_false(outcome.is_done);
                wait_for(loop, &outcome);
                if (outcome.code != cases[i].code || strcmp(outcome.message, cases[i].message) != 0)
                        fail_msg("%s: %d \"%s\"", cases[i].program, outcome.code, outcome.message);
                event_loop_free(loop);
        }
}

static void test_not_there(void **state) {
        struct outcome outcome = { 0 };
        struct event_loop *loop = NULL;

        (void)state;
        assert_int_equal(event_loop_new(&loop, NULL), 0);
        host_hook_start(event_loop_as_loop(loop), "/nonexistent/hook", SLICE_EMPTY, 0, on_done,
                        &outcome);
        assert_false(outcome.is_done);
        wait_for(loop, &outcome);
        assert_int_equal(outcome.code, 127);
        event_loop_free(loop);
}

/* Asked to end, by us or by its time, it ends with its children. */
static void test_stopped(void **state) {
        (void)state;
        for (int by_time = 0; by_time < 2; by_time++) {
                struct outcome outcome = { 0 };
                struct event_loop *loop = NULL;
                struct host_hook *hook;

                write_program("sleep 1000");
                assert_int_equal(event_loop_new(&loop, NULL), 0);
                hook = host_hook_start(event_loop_as_loop(loop), program, SLICE_EMPTY,
                                       by_time ? NS_PER_MS : 0, on_done, &outcome);
                if (!by_time)
                        host_hook_stop(hook);
                wait_for(loop, &outcome);
                assert_int_equal(outcome.code, 128 + SIGTERM);
                event_loop_free(loop);
        }
}

/* Writes as fast as it can: the loop has time for others all the same, and the program for its end.
 */
static void test_writes_without_end(void **state) {
        struct outcome outcome = { 0 };
        struct event_loop *loop = NULL;

        (void)state;
        write_program("exec yes");
        assert_int_equal(event_loop_new(&loop, NULL), 0);
        host_hook_start(event_loop_as_loop(loop), program, SLICE_EMPTY, 200 * NS_PER_MS, on_done,
                        &outcome);
        wait_for(loop, &outcome);
        assert_int_equal(outcome.code, 128 + SIGTERM);
        assert_string_equal(outcome.message, "y");
        event_loop_free(loop);
}

static void test_cancelled(void **state) {
        struct outcome outcome = { 0 };
        struct event_loop *loop = NULL;

        (void)state;
        write_program("trap '' TERM; sleep 1000");
        assert_int_equal(event_loop_new(&loop, NULL), 0);
        host_hook_cancel(host_hook_start(event_loop_as_loop(loop), program, SLICE_EMPTY, 0, on_done,
                                         &outcome));
        host_hook_cancel(NULL);
        event_loop_free(loop);
        assert_false(outcome.is_done);
}

/* ---- patience, without waiting for it ---- */

static const struct loop_ops *patient;
static int64_t grace_ns; /* the last timer's */

static void arm_hastily(void *self, struct loop_timer *timer, int64_t delay_ns) {
        grace_ns = delay_ns;
        patient->timer_arm(self, timer, 0);
}

/* Waits for the child's number in a file; 0 = not yet. */
static long child_of(const char *path) {
        FILE *file = fopen(path, "re");
        long pid = 0;

        if (file && fscanf(file, "%ld end", &pid) != 1)
                pid = 0;
        if (file)
                fclose(file);
        return pid;
}

/* Gone, or dead and not collected yet by whoever inherited it. */
static bool has_ended(long pid) {
        char path[64], state = 'Z';
        FILE *file;

        snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
        file = fopen(path, "re");
        if (file && fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
                state = 'Z';
        if (file)
                fclose(file);
        return state == 'Z' || state == 'X';
}

/* It ignores being asked to end: ten seconds later it is killed, and its children with it. */
static void test_ignores_the_request(void **state) {
        struct outcome outcome = { 0 };
        struct event_loop *loop = NULL;
        struct host_hook *hook;
        struct loop_ops hasty;
        struct loop own;
        char children[96];
        long pid = 0;

        (void)state;
        snprintf(children, sizeof(children), "%s/child", folder);
        write_program("trap '' TERM\nsleep 1000 &\necho $! end >\"${0%/*}/child\"\n"
                      "while :; do sleep 1000; done");
        assert_int_equal(event_loop_new(&loop, NULL), 0);
        own = *event_loop_as_loop(loop);
        patient = own.ops;
        hasty = *patient;
        hasty.timer_arm = arm_hastily;
        own.ops = &hasty;
        hook = host_hook_start(&own, program, SLICE_EMPTY, 0, on_done, &outcome);
        while ((pid = child_of(children)) == 0)
                assert_int_equal(event_loop_run_once(loop, 10 * NS_PER_MS, NULL), 0);
        grace_ns = 0;
        host_hook_stop(hook);
        assert_int_equal(grace_ns, 10 * NS_PER_S);
        wait_for(loop, &outcome);
        assert_int_equal(outcome.code, 128 + SIGKILL);
        while (!has_ended(pid))
                assert_int_equal(event_loop_run_once(loop, 10 * NS_PER_MS, NULL), 0);
        event_loop_free(loop);
        unlink(children);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(test_answers, make_folder, remove_folder),
                cmocka_unit_test(test_not_there),
                cmocka_unit_test_setup_teardown(test_stopped, make_folder, remove_folder),
                { "evict-D8: killed after ten seconds, children and all", test_ignores_the_request,
                  make_folder, remove_folder, NULL },
                cmocka_unit_test_setup_teardown(test_writes_without_end, make_folder,
                                                remove_folder),
                cmocka_unit_test_setup_teardown(test_cancelled, make_folder, remove_folder),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
