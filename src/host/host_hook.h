/* Runs a hook: a program that reads its order from standard input and whose last line of output is
 * a message.  It leads a process group of its own; being stopped means SIGTERM to the group, and
 * SIGKILL ten seconds later. */
#pragma once

#include "base/slice.h"
#include "port/loop.h"
#include <stdbool.h>

#define HOST_HOOK_GRACE_NS (10 * NS_PER_S)
#define HOST_HOOK_INPUT_MAX ((size_t)60 << 10) /* what a pipe takes at once */
#define HOST_HOOK_LINE_MAX 400                 /* of the message; the rest is cut */

struct host_hook;

struct host_hook_end {
        int code;             /* exit status, 128 + signal, 127 when it could not be started */
        struct slice message; /* last line of output; during the callback only */
};

/* path and input are copied.  timeout_ns 0 = none.  done runs once, from the loop, never from
 * inside this call. */
struct host_hook *host_hook_start(struct loop *loop, const char *path, struct slice input,
                                  int64_t timeout_ns,
                                  void (*done)(void *context, const struct host_hook_end *end),
                                  void *context);
/* Asks it to end; done follows. */
void host_hook_stop(struct host_hook *hook);
/* Kills the whole group at once, without a callback.  Accepts NULL. */
void host_hook_cancel(struct host_hook *hook);
