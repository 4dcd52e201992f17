/* Looks at the machine and signals its first process. */
#include "host/host_reboot.h"

#include "base/util.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int host_boot_id(const char *path, char ret_id[BOOT_ID_MAX], struct err *err) {
        char text[BOOT_ID_MAX];
        int fd = open(path, O_RDONLY | O_CLOEXEC);

        if (fd < 0)
                return err_set_errno(err, BERTH_ERR_IO, errno, "cannot read the boot id from %s",
                                     path);
        ssize_t len = read(fd, text, sizeof(text) - 1);
        close(fd);
        if (len <= 0)
                return err_set(err, BERTH_ERR_IO, "cannot read the boot id from %s", path);
        text[len] = '\0';
        text[strcspn(text, "\n")] = '\0';
        memcpy(ret_id, text, sizeof(text));
        return 0;
}

bool host_file_exists(const char *path) {
        struct stat info;

        return stat(path, &info) == 0;
}

int host_can_enter(const char *nsenter, const char *path, struct err *err) {
        if (access(nsenter, X_OK) < 0)
                return err_set_errno(err, BERTH_ERR_NOT_FOUND, errno, "%s cannot be run", nsenter);
        int fd = open(path, O_RDONLY | O_CLOEXEC);

        if (fd < 0)
                return err_set_errno(err, BERTH_ERR_FORBIDDEN, errno,
                                     "the mount namespace of the host, %s, cannot be entered",
                                     path);
        close(fd);
        return 0;
}

int host_signal(int pid, int number, struct err *err) {
        if (kill(pid, number) == 0)
                return 0;
        return err_set_errno(err, BERTH_ERR_IO, errno, "cannot send signal %d to process %d",
                             number, pid);
}
