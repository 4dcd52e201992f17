/* The epoll loop: order of timers and deferred calls, level-triggered descriptors, removal from
 * inside callbacks. Virtual nothing: small real waits, none of them measured. */
#include "loop/event_loop.h"

#include "base/util.h"
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

struct note {
        struct fixture *fixture;
        char mark;
};

struct fixture {
        struct event_loop *events;
        struct loop *loop;
        char marks[64];
        size_t count;
        struct note notes[8];
        struct loop_timer timers[8];
};

static void setup(struct fixture *f) {
        *f = (struct fixture){ 0 };
        assert_int_equal(event_loop_new(&f->events, NULL), 0);
        f->loop = event_loop_as_loop(f->events);
        for (size_t i = 0; i < ARRAY_LEN(f->notes); i++)
                f->notes[i] = (struct note){ f, (char)('a' + i) };
}

static void add_mark(void *context) {
        struct note *note = context;

        note->fixture->marks[note->fixture->count++] = note->mark;
}

static void stop_loop(void *context) {
        loop_stop(context);
}

static void test_timers_run_in_order(void **state) {
        static const int delays_ms[] = { 3, 1, 2, 0, 9 };
        struct fixture f;

        (void)state;
        setup(&f);
        for (size_t i = 0; i < ARRAY_LEN(delays_ms); i++) {
                f.timers[i] = (struct loop_timer){ .fired = add_mark, .context = &f.notes[i] };
                loop_timer_arm(f.loop, &f.timers[i], delays_ms[i] * NS_PER_MS);
        }
        loop_timer_disarm(f.loop, &f.timers[4]);
        assert_false(loop_timer_is_armed(&f.timers[4]));
        loop_timer_disarm(f.loop, &f.timers[4]);
        loop_timer_arm(f.loop, &f.timers[1], 4 * NS_PER_MS); /* moved behind the others */
        f.timers[5] = (struct loop_timer){ .fired = stop_loop, .context = f.loop };
        loop_timer_arm(f.loop, &f.timers[5], 5 * NS_PER_MS);
        assert_int_equal(event_loop_run(f.events, NULL), 0);
        assert_string_equal(f.marks, "dcab");
        assert_false(loop_timer_is_armed(&f.timers[0]));
        event_loop_free(f.events);
}

static void rearm_now(void *context) {
        struct note *note = context;

        add_mark(note);
        loop_timer_arm(note->fixture->loop, &note->fixture->timers[0], 0);
}

static void disarm_other(void *context) {
        struct note *note = context;

        add_mark(note);
        loop_timer_disarm(note->fixture->loop, &note->fixture->timers[1]);
}

static void test_timers_change_timers(void **state) {
        struct fixture f;
        int64_t mono;

        (void)state;
        setup(&f);
        f.timers[0] = (struct loop_timer){ .fired = rearm_now, .context = &f.notes[0] };
        loop_timer_arm(f.loop, &f.timers[0], -5);
        event_loop_run_once(f.events, -1, NULL);
        assert_string_equal(f.marks, "a"); /* armed again, but for the next iteration */
        mono = loop_mono(f.loop).ns;
        event_loop_run_once(f.events, -1, NULL);
        assert_string_equal(f.marks, "aa");
        assert_true(loop_mono(f.loop).ns > mono);
        loop_timer_disarm(f.loop, &f.timers[0]);
        f.timers[1] = (struct loop_timer){ .fired = add_mark, .context = &f.notes[1] };
        f.timers[2] = (struct loop_timer){ .fired = disarm_other, .context = &f.notes[2] };
        loop_timer_arm(f.loop, &f.timers[1], 2);
        loop_timer_arm(f.loop, &f.timers[2], 1);
        event_loop_run_once(f.events, 0, NULL);
        event_loop_run_once(f.events, 0, NULL);
        assert_string_equal(f.marks, "aac");
        loop_timer_arm(f.loop, &f.timers[1], INT64_MAX); /* no overflow */
        event_loop_run_once(f.events, 0, NULL);
        assert_string_equal(f.marks, "aac");
        event_loop_free(f.events);
}

static void defer_more(void *context) {
        struct note *note = context;

        add_mark(note);
        for (int i = 0; i < 20; i++) /* makes the queue move */
                loop_defer(note->fixture->loop, add_mark, &note->fixture->notes[7]);
}

static void test_deferred_calls_are_fifo(void **state) {
        struct fixture f;

        (void)state;
        setup(&f);
        loop_defer(f.loop, defer_more, &f.notes[0]);
        loop_defer(f.loop, add_mark, &f.notes[1]);
        loop_defer(f.loop, add_mark, &f.notes[2]);
        assert_int_equal(f.count, 0);
        event_loop_run_once(f.events, -1, NULL); /* does not wait */
        assert_string_equal(f.marks, "abc");
        event_loop_run_once(f.events, -1, NULL);
        assert_int_equal(f.count, 23);
        assert_int_equal(f.marks[3], 'h');
        event_loop_free(f.events);
}

/* ---- descriptors ---- */

struct watcher {
        struct fixture *fixture;
        struct watcher *other;
        struct loop_io *io;
        int fd;
        unsigned seen;
        int calls;
        bool removes_both, closes;
};

static void on_ready(void *context, unsigned events) {
        struct watcher *watcher = context;

        watcher->calls++;
        watcher->seen = events;
        if (!watcher->removes_both)
                return;
        loop_io_remove(watcher->fixture->loop, watcher->io);
        loop_io_remove(watcher->fixture->loop, watcher->other->io);
}

static void watch(struct watcher *watcher, struct fixture *f, int fd, unsigned events) {
        *watcher = (struct watcher){ .fixture = f, .fd = fd };
        assert_int_equal(loop_io_add(f->loop, fd, events, on_ready, watcher, &watcher->io, NULL),
                         0);
}

/* Asked for alone, it says nothing of bytes that are there to be read. */
static void test_peer_closed(void **state) {
        struct fixture f;
        struct watcher watcher;
        int fds[2];

        (void)state;
        setup(&f);
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
        watch(&watcher, &f, fds[0], LOOP_PEER_CLOSED);
        assert_int_equal(write(fds[1], "x", 1), 1);
        event_loop_run_once(f.events, 0, NULL);
        assert_int_equal(watcher.calls, 0);
        assert_int_equal(shutdown(fds[1], SHUT_WR), 0);
        event_loop_run_once(f.events, 0, NULL);
        assert_int_equal(watcher.calls, 1);
        assert_int_equal(watcher.seen, LOOP_PEER_CLOSED);
        loop_io_remove(f.loop, watcher.io);
        close(fds[0]);
        close(fds[1]);
        event_loop_free(f.events);
}

static void test_descriptors_are_level_triggered(void **state) {
        struct fixture f;
        struct watcher reader, writer;
        int fds[2];
        char byte;

        (void)state;
        setup(&f);
        assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
        watch(&reader, &f, fds[0], LOOP_READ);
        watch(&writer, &f, fds[1], LOOP_WRITE);
        event_loop_run_once(f.events, 0, NULL);
        assert_int_equal(reader.calls, 0);
        assert_int_equal(writer.calls, 1);
        assert_int_equal(writer.seen, LOOP_WRITE);
        loop_io_change(f.loop, writer.io, 0);
        assert_int_equal(write(fds[1], "x", 1), 1);
        event_loop_run_once(f.events, -1, NULL);
        event_loop_run_once(f.events, -1, NULL);
        assert_int_equal(reader.calls, 2); /* not read yet */
        assert_int_equal(writer.calls, 1);
        assert_int_equal(read(fds[0], &byte, 1), 1);
        event_loop_run_once(f.events, 0, NULL);
        assert_int_equal(reader.calls, 2);
        loop_io_remove(f.loop, writer.io);
        close(fds[1]);
        event_loop_run_once(f.events, -1, NULL);
        assert_int_equal(reader.calls, 3);
        assert_int_equal(reader.seen, LOOP_READ | LOOP_HANGUP);
        loop_io_change(f.loop, reader.io, 0); /* a hang-up nobody waits for does not spin */
        event_loop_run_once(f.events, 0, NULL);
        assert_int_equal(reader.calls, 3);
        loop_io_change(f.loop, reader.io, LOOP_READ);
        event_loop_run_once(f.events, 0, NULL);
        assert_int_equal(reader.calls, 4);
        close(fds[0]);
        loop_io_remove(f.loop, reader.io); /* closed first: allowed */
        event_loop_free(f.events);
}

static void test_removal_inside_callbacks(void **state) {
        struct fixture f;
        struct watcher first, second;
        int fds[2];

        (void)state;
        setup(&f);
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
        watch(&first, &f, fds[0], LOOP_WRITE);
        watch(&second, &f, fds[1], LOOP_WRITE);
        first.other = &second;
        second.other = &first;
        first.removes_both = second.removes_both = true;
        event_loop_run_once(f.events, 0, NULL);
        event_loop_run_once(f.events, 0, NULL);
        assert_int_equal(first.calls + second.calls, 1);
        watch(&first, &f, fds[0], LOOP_WRITE); /* the same descriptor again */
        event_loop_run_once(f.events, 0, NULL);
        assert_int_equal(first.calls, 1);
        close(fds[0]);
        close(fds[1]);
        event_loop_free(f.events); /* with one left */
}

struct chain {
        struct loop *loop;
        struct loop_timer timer;
        int left;
};

static void on_link(void *context) {
        struct chain *chain = context;

        if (--chain->left > 0)
                loop_timer_arm(chain->loop, &chain->timer, 0);
        else
                loop_stop(chain->loop);
}

/* How often a descriptor that stays ready was looked at while timers of zero length followed. */
static int looks_during(int links) {
        struct fixture f;
        struct watcher watcher;
        int pipes[2];

        setup(&f);
        assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
        assert_int_equal(write(pipes[1], "x", 1), 1);
        watch(&watcher, &f, pipes[0], LOOP_READ);
        struct chain chain = { .loop = f.loop, .left = links };
        chain.timer = (struct loop_timer){ .fired = on_link, .context = &chain };
        loop_timer_arm(f.loop, &chain.timer, 0);
        assert_int_equal(event_loop_run(f.events, NULL), 0);
        assert_int_equal(chain.left, 0);
        event_loop_free(f.events);
        close(pipes[0]);
        close(pipes[1]);
        return watcher.calls;
}

/* A few steps that follow at once cost one look at the descriptors, many do not keep them waiting.
 */
static void test_steps_share_a_look(void **state) {
        (void)state;
        assert_in_range(looks_during(6), 1, 4);
        assert_in_range(looks_during(1000), 50, 800);
}

static void test_refused_descriptor(void **state) {
        struct fixture f;
        struct loop_io *io = NULL;
        struct err err = { 0 };

        (void)state;
        setup(&f);
        assert_int_equal(loop_io_add(f.loop, 9999, LOOP_READ, on_ready, NULL, &io, &err),
                         BERTH_ERR_IO);
        assert_null(io);
        assert_non_null(strstr(err.text, "9999"));
        event_loop_free(f.events);
        event_loop_free(NULL);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_timers_run_in_order),
                cmocka_unit_test(test_timers_change_timers),
                cmocka_unit_test(test_deferred_calls_are_fifo),
                cmocka_unit_test(test_descriptors_are_level_triggered),
                cmocka_unit_test(test_peer_closed),
                cmocka_unit_test(test_removal_inside_callbacks),
                cmocka_unit_test(test_steps_share_a_look),
                cmocka_unit_test(test_refused_descriptor),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
