/* Watches programs through a pidfd. */
#include "host/host_command.h"

#include "base/util.h"
#include "host/host_child.h"
#include "port/program_start.h"
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

struct host_command {
        struct loop *loop;
        struct program_start *start; /* under way; NULL = it has started, or cannot */
        struct loop_io *io;
        struct loop_timer timer;
        pid_t pid;
        int fd;
        void (*done)(void *context, enum host_command_end end, int code);
        void *context;
        bool is_abandoned; /* nobody waits for its end any more */
};

static void host_command_release(struct host_command *command) {
        loop_timer_disarm(command->loop, &command->timer);
        program_start_abandon(command->start);
        if (command->io)
                loop_io_remove(command->loop, command->io);
        cleanup_close(&command->fd);
        free(command);
}

static void host_command_finish(struct host_command *command, enum host_command_end end, int code) {
        void (*done)(void *, enum host_command_end, int) = command->done;
        void *context = command->context;

        host_command_release(command);
        done(context, end, code);
}

static void on_exit_ready(void *context, unsigned events) {
        struct host_command *command = context;
        int code = host_child_reap(command->pid);

        (void)events;
        if (command->is_abandoned)
                host_command_release(command);
        else
                host_command_finish(command, HOST_COMMAND_EXITED, code);
}

/* Ends the program. One that cannot end yet is watched on, without anybody who waits for it. */
static void host_command_abandon(struct host_command *command) {
        loop_timer_disarm(command->loop, &command->timer);
        if (!command->io || host_child_kill(command->pid, command->fd, false))
                host_command_release(command);
        else
                command->is_abandoned = true;
}

static void on_timeout(void *context) {
        struct host_command *command = context;
        void (*done)(void *, enum host_command_end, int) = command->done;
        void *receiver = command->context;

        host_command_abandon(command);
        done(receiver, HOST_COMMAND_TIMED_OUT, 0);
}

static bool host_command_follow(struct host_command *command) {
        command->fd = (int)syscall(SYS_pidfd_open, command->pid, 0);
        if (command->fd >= 0 && loop_io_add(command->loop, command->fd, LOOP_READ, on_exit_ready,
                                            command, &command->io, NULL) == 0)
                return true;
        host_child_kill(command->pid, command->fd, false);
        return false;
}

static void on_started(void *context, int code, pid_t pid) {
        struct host_command *command = context;

        command->start = NULL;
        command->pid = pid;
        if (code != 0 || !host_command_follow(command))
                host_command_finish(command, HOST_COMMAND_NOT_FOUND, 127);
}

struct host_command *host_command_start(
        struct loop *loop, const char *const *argv, int64_t timeout_ns,
        void (*done)(void *context, enum host_command_end end, int code), void *context) {
        const struct child_program program = { .arguments = argv, .input = -1, .output = -1 };
        struct host_command *command = xcalloc(1, sizeof(*command));

        *command =
                (struct host_command){ .loop = loop, .fd = -1, .done = done, .context = context };
        command->timer = (struct loop_timer){ .fired = on_timeout, .context = command };
        if (timeout_ns > 0)
                loop_timer_arm(loop, &command->timer, timeout_ns);
        command->start = program_start_new(loop, &program, on_started, command);
        return command;
}

void host_command_cancel(struct host_command *command) {
        if (command)
                host_command_abandon(command);
}
