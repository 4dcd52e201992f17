/* Ends child processes in bounded time. */
#include "host/host_child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

int host_child_reap(pid_t pid) {
        int status = 0;

        while (waitpid(pid, &status, WNOHANG) < 0 && errno == EINTR)
                ;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool host_child_kill(pid_t pid, int pid_fd, bool is_group) {
        struct pollfd end = { .fd = pid_fd, .events = POLLIN };

        kill(is_group ? -pid : pid, SIGKILL);
        if (poll(&end, 1, HOST_CHILD_WAIT_MS) <= 0)
                return false;
        host_child_reap(pid);
        return true;
}
