/* Programs run on the host: started, watched from the loop, ended when they take too long. */
#pragma once

#include "port/loop.h"

enum host_command_end {
        HOST_COMMAND_EXITED,    /* code is its exit status, 128 + signal when one ended it */
        HOST_COMMAND_NOT_FOUND, /* could not be started */
        HOST_COMMAND_TIMED_OUT, /* was killed */
};

struct host_command;

/* argv is NULL-ended and copied by the start; timeout_ns 0 = none.  done runs once, from the loop,
 * never from inside this call; the command is gone then. */
struct host_command *host_command_start(
        struct loop *loop, const char *const *argv, int64_t timeout_ns,
        void (*done)(void *context, enum host_command_end end, int code), void *context);
/* Kills it without a callback.  Accepts NULL. */
void host_command_cancel(struct host_command *command);
