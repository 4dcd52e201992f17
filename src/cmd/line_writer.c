/* Lines wait in a buffer that the thread takes as a whole. Once one is dropped the next ones are,
 * too, until half of the room is free: so gaps are few, and each is said where it is. */
#include "cmd/line_writer.h"

#include "base/time.h"
#include "base/util.h"
#include "port/clock.h"
#include "port/thread_start.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define STACK_BYTES ((size_t)256 << 10)

struct line_writer {
        struct line_writer_config config;
        pthread_mutex_t mutex;
        pthread_cond_t changed;
        struct buf waiting;
        size_t under_way; /* bytes that the thread is writing */
        uint64_t dropped; /* since the last line that was not */
};

/* Gives up what the descriptor does not take: there is nobody to tell. */
static void write_all(int fd, struct slice bytes) {
        while (bytes.len > 0) {
                struct pollfd ready = { .fd = fd, .events = POLLOUT };
                ssize_t got = write(fd, bytes.ptr, bytes.len);

                if (got > 0)
                        bytes = slice_make(bytes.ptr + got, bytes.len - (size_t)got);
                else if (got < 0 && errno == EAGAIN)
                        poll(&ready, 1, -1);
                else if (got == 0 || errno != EINTR)
                        return;
        }
}

static void tell_dropped(struct line_writer *writer) {
        uint64_t count = writer->dropped;

        if (count == 0)
                return;
        writer->dropped = 0;
        writer->config.tell_dropped(writer->config.context, count, &writer->waiting);
}

static void *line_writer_perform(void *context) {
        struct line_writer *writer = context;

        pthread_mutex_lock(&writer->mutex);
        for (;;) {
                if (writer->waiting.len == 0)
                        tell_dropped(writer);
                if (writer->waiting.len == 0) {
                        pthread_cond_wait(&writer->changed, &writer->mutex);
                        continue;
                }
                struct buf lines = writer->waiting;

                writer->waiting = (struct buf){ 0 };
                writer->under_way = lines.len;
                pthread_mutex_unlock(&writer->mutex);
                write_all(writer->config.fd, buf_view(&lines));
                buf_release(&lines);
                pthread_mutex_lock(&writer->mutex);
                writer->under_way = 0;
                pthread_cond_broadcast(&writer->changed);
        }
        return NULL;
}

struct line_writer *line_writer_new(const struct line_writer_config *config) {
        struct line_writer *writer = xcalloc(1, sizeof(*writer));
        pthread_condattr_t attributes;

        writer->config = *config;
        if (writer->config.bytes_max == 0)
                writer->config.bytes_max = LINE_WRITER_MAX;
        pthread_mutex_init(&writer->mutex, NULL);
        pthread_condattr_init(&attributes);
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
        pthread_cond_init(&writer->changed, &attributes);
        pthread_condattr_destroy(&attributes);
        if (thread_start(STACK_BYTES, line_writer_perform, writer) == 0)
                return writer;
        pthread_cond_destroy(&writer->changed);
        pthread_mutex_destroy(&writer->mutex);
        free(writer);
        return NULL;
}

void line_writer_append(struct line_writer *writer, struct slice line) {
        pthread_mutex_lock(&writer->mutex);
        size_t room = writer->config.bytes_max;
        size_t taken = writer->waiting.len + writer->under_way;
        if (writer->dropped > 0)
                room /= 2;
        if (taken + line.len > room) {
                writer->dropped++;
        } else {
                tell_dropped(writer);
                buf_slice(&writer->waiting, line);
        }
        pthread_cond_broadcast(&writer->changed);
        pthread_mutex_unlock(&writer->mutex);
}

bool line_writer_flush(struct line_writer *writer, int64_t timeout_ns) {
        int64_t end_ns = mono_time_now().ns + timeout_ns;
        struct timespec end = { .tv_sec = end_ns / NS_PER_S, .tv_nsec = end_ns % NS_PER_S };
        int code = 0;

        pthread_mutex_lock(&writer->mutex);
        while (code == 0 && (writer->waiting.len > 0 || writer->under_way > 0 || writer->dropped))
                code = pthread_cond_timedwait(&writer->changed, &writer->mutex, &end);
        pthread_mutex_unlock(&writer->mutex);
        return code == 0;
}
