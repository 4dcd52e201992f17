/* Preloaded into a program: while the file that DEAD_SWITCH names exists, calls on paths with
 * "dead-mount" (or what DEAD_PART says) in them do not return, as on a mount that does not answer,
 * and writes to those with "full-disk" find it full. Each call that is held up adds a line with its
 * name to the file that DEAD_CALLS names. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The C library's own, which the one of this file stands before. */
#define REAL(type, name, ...)                                                                      \
        type (*real)(__VA_ARGS__) = (type(*)(__VA_ARGS__))(uintptr_t)dlsym(RTLD_NEXT, name)

static bool is_on(void) {
        const char *path = getenv("DEAD_SWITCH");

        return path && syscall(SYS_faccessat, AT_FDCWD, path, F_OK) == 0;
}

static const char *dead_part(void) {
        const char *part = getenv("DEAD_PART");

        return part ? part : "dead-mount";
}

static void note(const char *call) {
        const char *path = getenv("DEAD_CALLS");
        char line[64];
        int size = snprintf(line, sizeof(line), "%s\n", call);
        int fd = path ? (int)syscall(SYS_openat, AT_FDCWD, path,
                                     O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)
                      : -1;

        if (fd < 0)
                return;
        syscall(SYS_write, fd, line, (size_t)size);
        syscall(SYS_close, fd);
}

static void hang_on(const char *path, const char *call) {
        const struct timespec pause = { .tv_nsec = 20000000 };
        int before = errno;

        if (!path || !strstr(path, dead_part()) || !is_on())
                return;
        note(call);
        while (is_on())
                nanosleep(&pause, NULL);
        errno = before;
}

/* Whether the descriptor is of a path with that in it. */
static bool is_of(int fd, const char *part, char path[PATH_MAX]) {
        char link[64];
        ssize_t size;

        snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
        size = syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_MAX - 1);
        path[size > 0 ? size : 0] = '\0';
        return strstr(path, part);
}

static void hang_on_descriptor(int fd, const char *call) {
        char path[PATH_MAX];
        int before = errno;

        if (is_of(fd, dead_part(), path))
                hang_on(path, call);
        errno = before;
}

#define OPEN(name)                                                                                 \
        int name(const char *path, int flags, ...) {                                               \
                REAL(int, #name, const char *, int, ...);                                          \
                va_list arguments;                                                                 \
                va_start(arguments, flags);                                                        \
                mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;                     \
                va_end(arguments);                                                                 \
                hang_on(path, "open");                                                             \
                return real(path, flags, mode);                                                    \
        }
OPEN(open)
OPEN(open64)

#define FOPEN(name)                                                                                \
        FILE *name(const char *path, const char *mode) {                                           \
                REAL(FILE *, #name, const char *, const char *);                                   \
                hang_on(path, "open");                                                             \
                return real(path, mode);                                                           \
        }
FOPEN(fopen)
FOPEN(fopen64)

#define STAT(name, type)                                                                           \
        int name(const char *path, struct type *about) {                                           \
                REAL(int, #name, const char *, struct type *);                                     \
                hang_on(path, "stat");                                                             \
                return real(path, about);                                                          \
        }
STAT(stat, stat)
STAT(stat64, stat64)
STAT(lstat, stat)
STAT(lstat64, stat64)

int access(const char *path, int mode) {
        REAL(int, "access", const char *, int);
        hang_on(path, "access");
        return real(path, mode);
}

DIR *opendir(const char *path) {
        REAL(DIR *, "opendir", const char *);
        hang_on(path, "opendir");
        return real(path);
}

ssize_t read(int fd, void *bytes, size_t size) {
        REAL(ssize_t, "read", int, void *, size_t);
        hang_on_descriptor(fd, "read");
        return real(fd, bytes, size);
}

ssize_t write(int fd, const void *bytes, size_t size) {
        REAL(ssize_t, "write", int, const void *, size_t);
        char path[PATH_MAX];

        hang_on_descriptor(fd, "write");
        if (size > 1 && is_of(fd, "full-disk", path) && is_on()) {
                note("write");
                size /= 2; /* what the disk still takes */
        } else if (size == 1 && is_of(fd, "full-disk", path) && is_on()) {
                errno = ENOSPC;
                return -1;
        }
        return real(fd, bytes, size);
}

int fdatasync(int fd) {
        REAL(int, "fdatasync", int);
        hang_on_descriptor(fd, "fdatasync");
        return real(fd);
}

int fsync(int fd) {
        REAL(int, "fsync", int);
        hang_on_descriptor(fd, "fsync");
        return real(fd);
}

#define SPAWN(name)                                                                                \
        int name(pid_t *restrict pid, const char *restrict path,                                   \
                 const posix_spawn_file_actions_t *files,                                          \
                 const posix_spawnattr_t *restrict attributes, char *const arguments[restrict],    \
                 char *const environment[restrict]) {                                              \
                REAL(int, #name, pid_t *, const char *, const posix_spawn_file_actions_t *,        \
                     const posix_spawnattr_t *, char *const *, char *const *);                     \
                hang_on(path, "spawn");                                                            \
                return real(pid, path, files, attributes, arguments, environment);                 \
        }
SPAWN(posix_spawn)
SPAWN(posix_spawnp)
