/* Signals arrive as loop events; a broken pipe is an error of write, not the end. */
#include "loop/process_signals.h"

#include "loop/event_loop.h"
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

struct seen {
        struct loop *loop;
        int numbers[4], count;
};

static void on_signal(void *context, int number) {
        struct seen *seen = context;

        seen->numbers[seen->count++] = number;
        if (number == SIGTERM)
                loop_stop(seen->loop);
}

static void test_signals(void **state) {
        struct event_loop *events;
        struct process_signals *signals;
        struct seen seen = { 0 };
        sigset_t before, after;
        int fds[2];

        (void)state;
        assert_int_equal(event_loop_new(&events, NULL), 0);
        seen.loop = event_loop_as_loop(events);
        sigprocmask(SIG_SETMASK, NULL, &before);
        assert_int_equal(process_signals_new(seen.loop, on_signal, &seen, &signals, NULL), 0);
        raise(SIGINT);
        event_loop_run_once(events, -1, NULL);
        raise(SIGTERM);
        assert_int_equal(event_loop_run(events, NULL), 0);
        assert_int_equal(seen.count, 2);
        assert_int_equal(seen.numbers[0], SIGINT);
        assert_int_equal(seen.numbers[1], SIGTERM);
        assert_int_equal(pipe(fds), 0);
        close(fds[0]);
        assert_int_equal(write(fds[1], "x", 1), -1);
        assert_int_equal(errno, EPIPE);
        close(fds[1]);
        process_signals_free(signals);
        process_signals_free(NULL);
        sigprocmask(SIG_SETMASK, NULL, &after);
        assert_int_equal(sigismember(&after, SIGTERM), sigismember(&before, SIGTERM));
        event_loop_free(events);
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_signals) };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
