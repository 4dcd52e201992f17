/* Faults of a host, preloaded into a program by chaos_drill.py: a clock that steps, and a disk that
 * is full.
 *
 * The file CHAOS_PAGE holds two numbers that the drill changes while the program runs: nanoseconds
 * added to the wall clock (the monotonic one goes on), and bytes that still fit into files below
 * the folder CHAOS_DISK; below 0 = any number. As on a real disk the last write is cut short, and
 * the next ones fail. */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S 1000000000

struct chaos_page {
        _Atomic int64_t clock_ns, room;
};

static struct chaos_page calm = { 0, -1 };
static struct chaos_page *page = &calm;

__attribute__((constructor)) static void chaos_start(void) {
        const char *path = getenv("CHAOS_PAGE");
        int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
        void *memory =
                fd < 0 ? MAP_FAILED
                       : mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

        if (fd >= 0)
                close(fd);
        if (memory != MAP_FAILED)
                page = memory;
}

/* ---- the clock ---- */

int clock_gettime(clockid_t id, struct timespec *time) {
        int code = (int)syscall(SYS_clock_gettime, id, time);
        int64_t ns;

        if (code != 0 || (id != CLOCK_REALTIME && id != CLOCK_REALTIME_COARSE))
                return code;
        ns = time->tv_nsec + atomic_load(&page->clock_ns) % NS_PER_S;
        time->tv_sec += atomic_load(&page->clock_ns) / NS_PER_S + (ns >= NS_PER_S) - (ns < 0);
        time->tv_nsec = (ns + NS_PER_S) % NS_PER_S;
        return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
        struct timespec now;

        (void)zone;
        clock_gettime(CLOCK_REALTIME, &now);
        time->tv_sec = now.tv_sec;
        time->tv_usec = now.tv_nsec / 1000;
        return 0;
}

time_t time(time_t *ret_time) {
        struct timespec now;

        clock_gettime(CLOCK_REALTIME, &now);
        if (ret_time)
                *ret_time = now.tv_sec;
        return now.tv_sec;
}

/* ---- the disk ---- */

/* How many of so many bytes fit into this file. */
static size_t fits(int fd, size_t size) {
        const char *folder = getenv("CHAOS_DISK");
        char link[64], path[4096];
        int64_t room = atomic_load(&page->room);

        if (room < 0 || !folder)
                return size;
        snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
        ssize_t length = readlink(link, path, sizeof(path) - 1);
        path[length > 0 ? length : 0] = '\0';
        if (strncmp(path, folder, strlen(folder)) != 0)
                return size;
        while (!atomic_compare_exchange_weak(&page->room, &room,
                                             room > (int64_t)size ? room - (int64_t)size : 0)) {
                if (room < 0)
                        return size;
        }
        return room < (int64_t)size ? (size_t)room : size;
}

ssize_t write(int fd, const void *data, size_t size) {
        size_t fitting = fits(fd, size);

        if (fitting == 0 && size > 0)
                return errno = ENOSPC, -1;
        return syscall(SYS_write, fd, data, fitting);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
        size_t fitting = fits(fd, size);

        if (fitting == 0 && size > 0)
                return errno = ENOSPC, -1;
        return syscall(SYS_pwrite64, fd, data, fitting, at);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
        return pwrite64(fd, data, size, at);
}
