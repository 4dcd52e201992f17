/* Programs that must end: those that can are reaped, and nobody waits long for others. */
#include "host/host_child.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static pid_t start_sleeper(int *ret_pid_fd) {
        pid_t pid = fork();

        if (pid == 0) {
                setpgid(0, 0);
                pause();
                _exit(0);
        }
        setpgid(pid, pid);
        *ret_pid_fd = (int)syscall(SYS_pidfd_open, pid, 0);
        assert_true(*ret_pid_fd >= 0);
        return pid;
}

static void test_killed_and_reaped(void **state) {
        int pid_fd;
        pid_t pid = start_sleeper(&pid_fd);

        (void)state;
        assert_true(host_child_kill(pid, pid_fd, true));
        assert_int_equal(waitpid(pid, NULL, WNOHANG), -1); /* nothing is left of it */
        close(pid_fd);
}

/* A process in the kernel that does not end: here another one, which nobody killed. */
static void test_one_that_does_not_end(void **state) {
        int pid_fd, other_fd;
        pid_t pid = start_sleeper(&pid_fd), other = start_sleeper(&other_fd);

        (void)state;
        assert_false(host_child_kill(pid, other_fd, false));
        kill(other, SIGKILL);
        waitpid(other, NULL, 0);
        waitpid(pid, NULL, 0);
        close(pid_fd);
        close(other_fd);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_killed_and_reaped),
                cmocka_unit_test(test_one_that_does_not_end),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
