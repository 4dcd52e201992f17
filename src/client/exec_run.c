/* A credential plugin that runs. Its end is looked for by waitpid on a timer, since a plugin may
 * close its output and go on. */
#include "client/exec_run.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/util.h"
#include "client/exec_plugin.h"
#include "port/clock.h"
#include "port/program_start.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXEC_LOOK_NS (10 * NS_PER_MS) /* between two looks whether it has ended */
#define EXEC_REAPS_MAX 50             /* looks, a millisecond each, at one that was killed */

struct exec_run {
        const struct exec_plugin *plugin;
        struct loop *loop;           /* NULL: the caller waits */
        struct program_start *start; /* under way; NULL = it has started, or cannot */
        pid_t pid;                   /* 0 = reaped, or not started */
        int status;
        int fd; /* its output; -1 = closed */
        struct buf output;
        struct loop_io *io;
        struct loop_timer look;
        struct mono_time deadline;
        void (*done)(void *context, int code, struct exec_answer *answer, const struct err *err);
        void *context;
};

/* ---- starting ---- */

/* Our environment, the plugin's entries and KUBERNETES_EXEC_INFO; NULL-ended. */
static const char **make_environment(const struct exec_plugin *plugin, const char *info) {
        size_t count = 0, own = 0;
        const char **entries;

        while (environ[own])
                own++;
        entries = xcalloc(own + plugin->environment_count + 2, sizeof(*entries));
        /* The first of a name counts, so what shall overrule comes first. */
        entries[count++] = info;
        for (size_t i = 0; i < plugin->environment_count; i++)
                entries[count++] = plugin->environment[i];
        for (size_t i = 0; i < own; i++)
                entries[count++] = environ[i];
        return entries;
}

static const char **make_arguments(const struct exec_plugin *plugin) {
        const char **arguments = xcalloc(plugin->argument_count + 2, sizeof(*arguments));

        arguments[0] = plugin->command;
        for (size_t i = 0; i < plugin->argument_count; i++)
                arguments[i + 1] = plugin->arguments[i];
        return arguments;
}

static char *make_info(const struct exec_plugin *plugin) {
        struct buf info = { 0 };

        buf_text(&info, "KUBERNETES_EXEC_INFO={\"kind\":\"ExecCredential\",\"apiVersion\":");
        buf_json_string(&info, slice_of(plugin->api_version));
        buf_text(&info, ",\"spec\":{\"interactive\":false}}");
        return buf_take(&info, NULL);
}

static int exec_run_failed(const struct exec_run *run, int errnum, struct err *err) {
        const char *hint = run->plugin->install_hint;

        return err_set_errno(err, BERTH_ERR_NOT_FOUND, errnum, "cannot run %s%s%s",
                             run->plugin->command, hint ? "; " : "", hint ? hint : "");
}

static void exec_run_started(void *context, int code, pid_t pid);

/* A group of its own, so that what it started ends with it. */
static int exec_run_spawn(struct exec_run *run, int output) {
        CLEANUP(cleanup_free) char *info = make_info(run->plugin);
        CLEANUP(cleanup_free) const char **environment = make_environment(run->plugin, info);
        CLEANUP(cleanup_free) const char **arguments = make_arguments(run->plugin);
        const struct child_program program = { .arguments = arguments,
                                               .environment = environment,
                                               .input = -1,
                                               .output = output,
                                               .has_no_input = true,
                                               .has_group = true };

        if (run->loop) {
                run->start = program_start_new(run->loop, &program, exec_run_started, run);
                return 0;
        }
        int code = program_spawn(&program, &run->pid);
        close(output);
        if (code != 0)
                run->pid = 0;
        return code;
}

static int exec_run_open(struct exec_run *run, struct err *err) {
        int fds[2];

        if (pipe2(fds, O_CLOEXEC) < 0)
                return err_set_errno(err, BERTH_ERR_IO, errno, "cannot make a pipe");
        run->fd = fds[0];
        fcntl(run->fd, F_SETFL, O_NONBLOCK);
        int code = exec_run_spawn(run, fds[1]);
        return code == 0 ? 0 : exec_run_failed(run, code, err);
}

static int exec_run_timeout_ms(const struct exec_plugin *plugin) {
        return plugin->timeout_ms ? plugin->timeout_ms : EXEC_TIMEOUT_MS;
}

/* ---- reading and waiting: neither blocks ---- */

static void exec_run_close(struct exec_run *run) {
        if (run->io)
                loop_io_remove(run->loop, run->io);
        run->io = NULL;
        if (run->fd >= 0)
                close(run->fd);
        run->fd = -1;
}

/* What it has printed by now. */
static int exec_run_read(struct exec_run *run, struct err *err) {
        char chunk[4096];

        while (run->fd >= 0) {
                ssize_t got = read(run->fd, chunk, sizeof(chunk));
                if (got < 0 && errno == EAGAIN)
                        return 0;
                if (got < 0 && errno != EINTR)
                        return err_set_errno(err, BERTH_ERR_IO, errno, "cannot read from %s",
                                             run->plugin->command);
                if (got == 0)
                        exec_run_close(run);
                if (got > 0 && !buf_append(&run->output, chunk, (size_t)got))
                        return err_set(err, BERTH_ERR_TOO_LARGE, "%s prints more than %zu bytes",
                                       run->plugin->command, EXEC_OUTPUT_MAX);
        }
        return 0;
}

static bool exec_run_reap(struct exec_run *run) {
        if (run->start)
                return false;
        if (run->pid && waitpid(run->pid, &run->status, WNOHANG) != 0)
                run->pid = 0;
        return run->pid == 0;
}

static void exec_run_kill(struct exec_run *run) {
        if (run->pid)
                kill(-run->pid, SIGKILL);
}

/* Kills it and what it started, and reaps it; one that even so does not end stays a zombie. */
static void exec_run_put_down(struct exec_run *run) {
        program_start_abandon(run->start);
        run->start = NULL;
        exec_run_kill(run);
        for (unsigned i = 0; i < EXEC_REAPS_MAX && !exec_run_reap(run); i++)
                poll(NULL, 0, 1);
}

/* 1 = it goes on, 0 = it ended well, below 0 = it failed or takes too long. */
static int exec_run_step(struct exec_run *run, struct mono_time now, struct err *err) {
        int code = exec_run_read(run, err);

        if (code < 0)
                return code;
        if (run->fd < 0 && exec_run_reap(run)) {
                if (WIFEXITED(run->status) && WEXITSTATUS(run->status) == 0)
                        return 0;
                return err_set(
                        err, BERTH_ERR_UNAUTHORIZED, "%s failed with %s %d", run->plugin->command,
                        WIFEXITED(run->status) ? "exit code" : "signal",
                        WIFEXITED(run->status) ? WEXITSTATUS(run->status) : WTERMSIG(run->status));
        }
        if (now.ns >= run->deadline.ns)
                return err_set(err, BERTH_ERR_TIMEOUT, "%s did not end within %d ms",
                               run->plugin->command, exec_run_timeout_ms(run->plugin));
        return 1;
}

static void exec_run_release(struct exec_run *run) {
        exec_run_close(run);
        if (run->output.data)
                explicit_bzero(run->output.data, run->output.cap);
        buf_release(&run->output);
}

/* ---- the caller waits ---- */

static int exec_run_wait(struct exec_run *run, struct err *err) {
        int code;

        run->deadline.ns = mono_time_now().ns + exec_run_timeout_ms(run->plugin) * NS_PER_MS;
        while ((code = exec_run_step(run, mono_time_now(), err)) > 0) {
                struct pollfd ready = { .fd = run->fd, .events = POLLIN };
                poll(&ready, 1, run->fd < 0 ? (int)(EXEC_LOOK_NS / NS_PER_MS) : 100);
        }
        return code;
}

int exec_plugin_run(const struct exec_plugin *plugin, struct exec_answer *ret_answer,
                    struct err *err) {
        struct exec_run run = { .plugin = plugin, .fd = -1, .output = { .max = EXEC_OUTPUT_MAX } };
        int code = exec_run_open(&run, err);

        if (code == 0)
                code = exec_run_wait(&run, err);
        if (code == 0)
                code = exec_answer_decode(plugin, buf_view(&run.output), ret_answer, err);
        exec_run_put_down(&run);
        exec_run_release(&run);
        return code;
}

/* ---- the loop waits ---- */

static void exec_run_free(struct exec_run *run) {
        loop_timer_disarm(run->loop, &run->look);
        exec_run_release(run);
        free(run);
}

static void exec_run_end(struct exec_run *run, int code, const struct err *err) {
        struct exec_answer answer = { 0 };
        struct err problem = *err;

        if (code == 0)
                code = exec_answer_decode(run->plugin, buf_view(&run->output), &answer, &problem);
        void (*done)(void *, int, struct exec_answer *, const struct err *) = run->done;
        void *context = run->context;
        exec_run_put_down(run);
        exec_run_free(run);
        done(context, code, &answer, &problem);
        exec_answer_release(&answer);
}

static void exec_run_advance(struct exec_run *run) {
        struct err err = { 0 };
        int code = exec_run_step(run, loop_mono(run->loop), &err);

        if (code <= 0)
                exec_run_end(run, code, &err);
        else if (run->fd < 0)
                loop_timer_arm(run->loop, &run->look, EXEC_LOOK_NS);
}

static void exec_run_readable(void *context, unsigned events) {
        (void)events;
        exec_run_advance(context);
}

static void exec_run_looked(void *context) {
        struct exec_run *run = context;

        exec_run_advance(run);
}

static void exec_run_started(void *context, int code, pid_t pid) {
        struct exec_run *run = context;
        struct err err = { 0 };

        run->start = NULL;
        run->pid = pid;
        if (code != 0)
                code = exec_run_failed(run, code, &err);
        else
                code = loop_io_add(run->loop, run->fd, LOOP_READ, exec_run_readable, run, &run->io,
                                   &err);
        if (code < 0)
                exec_run_end(run, code, &err);
}

int exec_run_start(const struct exec_plugin *plugin, struct loop *loop,
                   void (*done)(void *context, int code, struct exec_answer *answer,
                                const struct err *err),
                   void *context, struct exec_run **ret_run, struct err *err) {
        struct exec_run *run = xcalloc(1, sizeof(*run));

        *run = (struct exec_run){
                .plugin = plugin, .loop = loop, .fd = -1, .done = done, .context = context
        };
        run->output.max = EXEC_OUTPUT_MAX;
        run->look = (struct loop_timer){ .fired = exec_run_looked, .context = run };
        run->deadline.ns = loop_mono(loop).ns + exec_run_timeout_ms(plugin) * NS_PER_MS;
        int code = exec_run_open(run, err);
        if (code < 0) {
                exec_run_free(run);
                return code;
        }
        loop_timer_arm(loop, &run->look, exec_run_timeout_ms(plugin) * NS_PER_MS);
        *ret_run = run;
        return 0;
}

void exec_run_cancel(struct exec_run *run) {
        if (!run)
                return;
        exec_run_put_down(run);
        exec_run_free(run);
}
