/* Watches the output of hooks and their end from the loop. */
#include "host/host_hook.h"

#include "base/util.h"
#include "host/host_child.h"
#include "port/program_start.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CHUNKS_PER_ITERATION 32

struct host_hook {
        struct loop *loop;
        struct program_start *start; /* under way; NULL = it has started, or cannot */
        struct loop_io *end_io, *output_io;
        struct loop_timer timer;
        pid_t pid;
        int end_fd, output_fd;
        bool is_stopping;
        bool is_abandoned; /* nobody waits for its end any more */
        char line[HOST_HOOK_LINE_MAX];
        size_t line_len;
        bool is_line_over; /* the next byte begins a new line */
        void (*done)(void *context, const struct host_hook_end *end);
        void *context;
};

static void host_hook_release(struct host_hook *hook) {
        loop_timer_disarm(hook->loop, &hook->timer);
        program_start_abandon(hook->start);
        if (hook->end_io)
                loop_io_remove(hook->loop, hook->end_io);
        if (hook->output_io)
                loop_io_remove(hook->loop, hook->output_io);
        cleanup_close(&hook->end_fd);
        cleanup_close(&hook->output_fd);
        free(hook);
}

static void host_hook_finish(struct host_hook *hook, int code) {
        void (*done)(void *, const struct host_hook_end *) = hook->done;
        void *context = hook->context;
        char line[HOST_HOOK_LINE_MAX];
        struct host_hook_end end = { .code = code, .message = { line, hook->line_len } };

        memcpy(line, hook->line, hook->line_len);
        host_hook_release(hook);
        done(context, &end);
}

/* ---- output ---- */

static void take_byte(struct host_hook *hook, char byte) {
        if (byte == '\n') {
                hook->is_line_over = true;
                return;
        }
        if (hook->is_line_over)
                hook->line_len = 0;
        hook->is_line_over = false;
        if (hook->line_len < sizeof(hook->line))
                hook->line[hook->line_len++] = byte;
}

static void host_hook_drain(struct host_hook *hook) {
        char chunk[4096];
        ssize_t size = 0;

        /* A program that writes without end gets its share of a turn, and no more. */
        for (int i = 0; i < CHUNKS_PER_ITERATION; i++) {
                size = read(hook->output_fd, chunk, sizeof(chunk));
                for (ssize_t at = 0; at < size; at++)
                        take_byte(hook, chunk[at]);
                if (size <= 0)
                        break;
        }
        if (size == 0 && hook->output_io) { /* closed; the end comes by itself */
                loop_io_remove(hook->loop, hook->output_io);
                hook->output_io = NULL;
        }
}

static void on_output(void *context, unsigned events) {
        (void)events;
        host_hook_drain(context);
}

/* ---- end ---- */

static void on_end(void *context, unsigned events) {
        struct host_hook *hook = context;
        int code = host_child_reap(hook->pid);

        (void)events;
        if (hook->is_abandoned) {
                host_hook_release(hook);
                return;
        }
        kill(-hook->pid, SIGKILL); /* what it left behind */
        host_hook_drain(hook);
        host_hook_finish(hook, code);
}

/* Ends the program. One that cannot end yet is watched on, and says nothing more. */
static void host_hook_abandon(struct host_hook *hook) {
        loop_timer_disarm(hook->loop, &hook->timer);
        if (!hook->end_io || host_child_kill(hook->pid, hook->end_fd, true)) {
                host_hook_release(hook);
                return;
        }
        hook->is_abandoned = true;
        if (hook->output_io)
                loop_io_remove(hook->loop, hook->output_io);
        hook->output_io = NULL;
}

static void host_hook_give_up(struct host_hook *hook) {
        void (*done)(void *, const struct host_hook_end *) = hook->done;
        void *context = hook->context;
        char line[HOST_HOOK_LINE_MAX];

        host_hook_drain(hook);
        struct host_hook_end end = { .code = 128 + SIGKILL, .message = { line, hook->line_len } };
        memcpy(line, hook->line, hook->line_len);
        host_hook_abandon(hook);
        done(context, &end);
}

static void on_timer(void *context) {
        struct host_hook *hook = context;

        if (hook->is_stopping)
                host_hook_give_up(hook);
        else
                host_hook_stop(hook);
}

static void on_not_started(void *context) {
        host_hook_finish(context, 127);
}

void host_hook_stop(struct host_hook *hook) {
        if ((!hook->end_io && !hook->start) || hook->is_stopping)
                return;
        hook->is_stopping = true;
        if (hook->end_io)
                kill(-hook->pid, SIGTERM);
        loop_timer_arm(hook->loop, &hook->timer, HOST_HOOK_GRACE_NS);
}

void host_hook_cancel(struct host_hook *hook) {
        if (!hook)
                return;
        host_hook_abandon(hook);
}

/* ---- start ---- */

static bool host_hook_follow(struct host_hook *hook) {
        hook->end_fd = (int)syscall(SYS_pidfd_open, hook->pid, 0);
        if (hook->end_fd >= 0 && loop_io_add(hook->loop, hook->end_fd, LOOP_READ, on_end, hook,
                                             &hook->end_io, NULL) == 0) {
                if (loop_io_add(hook->loop, hook->output_fd, LOOP_READ, on_output, hook,
                                &hook->output_io, NULL) < 0)
                        hook->output_io = NULL; /* read at the end only */
                return true;
        }
        host_child_kill(hook->pid, hook->end_fd, true);
        return false;
}

static void on_started(void *context, int code, pid_t pid) {
        struct host_hook *hook = context;

        hook->start = NULL;
        hook->pid = pid;
        if (code != 0 || !host_hook_follow(hook))
                host_hook_finish(hook, 127);
        else if (hook->is_stopping) /* meanwhile */
                kill(-hook->pid, SIGTERM);
}

/* The whole order fits into the pipe, so that writing it never waits. */
static bool host_hook_start_program(struct host_hook *hook, const char *path, struct slice input) {
        const char *const arguments[] = { path, NULL };
        int in[2] = { -1, -1 }, out[2] = { -1, -1 };
        bool is_ready = input.len <= HOST_HOOK_INPUT_MAX && pipe2(in, O_CLOEXEC) == 0 &&
                        pipe2(out, O_CLOEXEC) == 0 &&
                        write(in[1], input.ptr, input.len) == (ssize_t)input.len;

        cleanup_close(&in[1]);
        hook->output_fd = out[0];
        if (!is_ready) {
                cleanup_close(&in[0]);
                cleanup_close(&out[1]);
                return false;
        }
        fcntl(hook->output_fd, F_SETFL, O_NONBLOCK);
        hook->start = program_start_new(hook->loop,
                                        &(struct child_program){ .arguments = arguments,
                                                                 .input = in[0],
                                                                 .output = out[1],
                                                                 .has_group = true },
                                        on_started, hook);
        return true;
}

struct host_hook *host_hook_start(struct loop *loop, const char *path, struct slice input,
                                  int64_t timeout_ns,
                                  void (*done)(void *context, const struct host_hook_end *end),
                                  void *context) {
        struct host_hook *hook = xcalloc(1, sizeof(*hook));

        hook->loop = loop;
        hook->done = done;
        hook->context = context;
        hook->end_fd = hook->output_fd = -1;
        hook->timer = (struct loop_timer){ .fired = on_timer, .context = hook };
        if (!host_hook_start_program(hook, path, input)) {
                hook->timer.fired = on_not_started;
                loop_timer_arm(loop, &hook->timer, 0);
        } else if (timeout_ns > 0) {
                loop_timer_arm(loop, &hook->timer, timeout_ns);
        }
        return hook;
}
