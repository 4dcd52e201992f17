/* Starts programs. posix_spawn() returns when the program was loaded, which it never is from a
 * mount that does not answer: a thread waits for that, and the loop does not. */
#pragma once

#include "port/loop.h"
#include <stdbool.h>
#include <sys/types.h>

struct child_program {
        const char *const *arguments; /* NULL-ended; a first one without a slash is found in PATH */
        const char *const *environment; /* NULL-ended; NULL = ours */
        int input, output;              /* what it reads and writes; -1 = ours */
        bool has_no_input;              /* reads /dev/null */
        bool has_group;                 /* a process group of its own */
};

/* Waits. 0 or errno; the descriptors stay the caller's. Signals are as a shell would leave them. */
int program_spawn(const struct child_program *program, pid_t *ret_pid);

struct program_start;
/* Takes over the descriptors and copies the rest. started runs once, from the loop; code is 0 or
 * errno. */
struct program_start *program_start_new(struct loop *loop, const struct child_program *program,
                                        void (*started)(void *context, int code, pid_t pid),
                                        void *context);
/* Before started ran: the program is killed as soon as it starts. Accepts NULL. */
void program_start_abandon(struct program_start *start);
