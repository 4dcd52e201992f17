/* Modes are refused rather than changed: whoever could read a Secret so far should be known to
 * whoever runs this, not covered up. */
#include "store/data_folder.h"

#include "base/util.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOR_OTHERS (S_IRWXG | S_IRWXO)

static int check_mode(const char *path, unsigned wanted, struct err *err) {
        struct stat about;

        if (stat(path, &about) < 0)
                return errno == ENOENT ? 0 : err_set_errno(err, BERTH_ERR_IO, errno, "%s", path);
        if ((about.st_mode & FOR_OTHERS) == 0)
                return 0;
        return err_set(err, BERTH_ERR_IO,
                       "%s: its mode is %04o, so others could read or change the Secrets in it; it "
                       "must be %04o",
                       path, (unsigned)about.st_mode & 07777U, wanted);
}

static int check_files(const char *directory, struct err *err) {
        static const char *const names[] = { "berth.db", "berth.db-wal", "berth.db-shm",
                                             "berth.db-journal" };
        char path[4096];

        for (size_t i = 0; i < ARRAY_LEN(names); i++) {
                if (snprintf(path, sizeof(path), "%s/%s", directory, names[i]) >= (int)sizeof(path))
                        return err_set(err, BERTH_ERR_USAGE, "%s: the path is too long", directory);
                int r = check_mode(path, 0600, err);
                if (r < 0)
                        return r;
        }
        return 0;
}

int data_folder_open(const char *directory, int *ret_fd, struct err *err) {
        int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

        if (fd < 0)
                return err_set_errno(err, BERTH_ERR_IO, errno, "%s", directory);
        int r = 0;
        if (flock(fd, LOCK_EX | LOCK_NB) < 0)
                r = errno == EWOULDBLOCK
                            ? err_set(err, BERTH_ERR_IO, "%s: another process uses it", directory)
                            : err_set_errno(err, BERTH_ERR_IO, errno, "%s: cannot lock it",
                                            directory);
        if (r == 0)
                r = check_mode(directory, 0700, err);
        if (r == 0)
                r = check_files(directory, err);
        if (r < 0) {
                close(fd);
                return r;
        }
        *ret_fd = fd;
        return 0;
}

int data_folder_make_file(const char *path, struct err *err) {
        int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

        if (fd < 0)
                return err_set_errno(err, BERTH_ERR_IO, errno, "cannot open %s", path);
        close(fd);
        return 0;
}
