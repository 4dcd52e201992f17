/* A thread job per start. */
#include "port/program_start.h"

#include "base/util.h"
#include "port/thread_job.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define REAPS_MAX 50 /* looks, a millisecond each, at a program that was killed */

/* What the thread has; the descriptors and texts are its own. */
struct starting {
        char **arguments, **environment;
        int input, output;
        bool has_no_input, has_group;
        int code;
        pid_t pid; /* 0 = none, or somebody else looks after it */
};

struct program_start {
        struct thread_job *job;
        void (*started)(void *context, int code, pid_t pid);
        void *context;
};

int program_spawn(const struct child_program *program, pid_t *ret_pid) {
        short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
        posix_spawn_file_actions_t files;
        posix_spawnattr_t attributes;
        sigset_t none, defaults;

        sigemptyset(&none);
        sigemptyset(&defaults);
        sigaddset(&defaults, SIGPIPE);
        sigaddset(&defaults, SIGXFSZ);
        posix_spawnattr_init(&attributes);
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setsigdefault(&attributes, &defaults);
        posix_spawnattr_setflags(&attributes,
                                 program->has_group ? flags | POSIX_SPAWN_SETPGROUP : flags);
        posix_spawn_file_actions_init(&files);
        if (program->has_no_input)
                posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        else if (program->input >= 0)
                posix_spawn_file_actions_adddup2(&files, program->input, STDIN_FILENO);
        if (program->output >= 0)
                posix_spawn_file_actions_adddup2(&files, program->output, STDOUT_FILENO);
        int code = posix_spawnp(
                ret_pid, program->arguments[0], &files, &attributes,
                (char *const *)(uintptr_t)program->arguments,
                program->environment ? (char *const *)(uintptr_t)program->environment : environ);
        posix_spawn_file_actions_destroy(&files);
        posix_spawnattr_destroy(&attributes);
        return code;
}

static char **copy_texts(const char *const *texts) {
        size_t count = 0;

        while (texts[count])
                count++;
        char **copies = xcalloc(count + 1, sizeof(*copies));
        for (size_t i = 0; i < count; i++)
                copies[i] = slice_dup(slice_of(texts[i]));
        return copies;
}

static void free_texts(char **texts) {
        for (size_t i = 0; texts && texts[i]; i++)
                free(texts[i]);
        free(texts);
}

/* The descriptors are closed at once, so that the program's end closes them for good. */
static void starting_run(void *data) {
        struct starting *starting = data;
        const struct child_program program = {
                .arguments = (const char *const *)starting->arguments,
                .environment = (const char *const *)starting->environment,
                .input = starting->input,
                .output = starting->output,
                .has_no_input = starting->has_no_input,
                .has_group = starting->has_group,
        };

        starting->code = program_spawn(&program, &starting->pid);
        if (starting->code != 0)
                starting->pid = 0;
        cleanup_close(&starting->input);
        cleanup_close(&starting->output);
        starting->input = starting->output = -1;
}

/* One that does not end even so stays a zombie. */
static void put_down(const struct starting *starting) {
        kill(starting->has_group ? -starting->pid : starting->pid, SIGKILL);
        for (int i = 0; i < REAPS_MAX && waitpid(starting->pid, NULL, WNOHANG) == 0; i++)
                poll(NULL, 0, 1);
}

static void starting_release(void *data) {
        struct starting *starting = data;

        if (starting->pid)
                put_down(starting);
        free_texts(starting->arguments);
        free_texts(starting->environment);
        cleanup_close(&starting->input);
        cleanup_close(&starting->output);
        free(starting);
}

static void on_start_ended(void *context, void *data, bool was_run) {
        struct program_start *start = context;
        struct starting *starting = data;
        void (*started)(void *, int, pid_t) = start->started;
        void *receiver = start->context;
        pid_t pid = starting->pid;

        starting->pid = 0;
        free(start);
        started(receiver, was_run ? starting->code : EAGAIN, pid);
}

struct program_start *program_start_new(struct loop *loop, const struct child_program *program,
                                        void (*started)(void *context, int code, pid_t pid),
                                        void *context) {
        const struct thread_job_work work = { .file = program->arguments[0],
                                              .run = starting_run,
                                              .ended = on_start_ended,
                                              .release = starting_release };
        struct program_start *start = xcalloc(1, sizeof(*start));
        struct starting *starting = xcalloc(1, sizeof(*starting));

        *starting = (struct starting){ .arguments = copy_texts(program->arguments),
                                       .input = program->input,
                                       .output = program->output,
                                       .has_no_input = program->has_no_input,
                                       .has_group = program->has_group };
        if (program->environment)
                starting->environment = copy_texts(program->environment);
        *start = (struct program_start){ .started = started, .context = context };
        start->job = thread_job_start(loop, &work, starting, start);
        return start;
}

void program_start_abandon(struct program_start *start) {
        if (!start)
                return;
        thread_job_abandon(start->job);
        free(start);
}
