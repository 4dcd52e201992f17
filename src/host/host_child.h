/* How a program that was started ends when it must, without waiting for one that cannot end: a
 * process that hangs in the kernel, on a mount that is gone, takes SIGKILL only later. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#define HOST_CHILD_WAIT_MS 200

/* Sends SIGKILL to the process, or to its group, and waits up to HOST_CHILD_WAIT_MS for its end.
 * True when it has ended and was reaped; false when pid_fd is to be watched further. */
bool host_child_kill(pid_t pid, int pid_fd, bool is_group);
/* The exit code, or 128 + signal, of a process whose pid_fd is ready. */
int host_child_reap(pid_t pid);
