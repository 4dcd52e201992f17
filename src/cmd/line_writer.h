/* Lines to a descriptor whose reader may stop reading, as of a pipe or a terminal, or to a file on
 * a disk that hangs: a thread writes them. What has no place meanwhile is dropped and counted. */
#pragma once

#include "base/buf.h"
#include "base/slice.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINE_WRITER_MAX ((size_t)1 << 20) /* bytes that wait */

struct line_writer;

struct line_writer_config {
        int fd;           /* stays the caller's; its flags are left alone */
        size_t bytes_max; /* 0 = LINE_WRITER_MAX */
        /* Says how many lines were dropped, once lines are written again: a line of its own goes
         * to out, where the dropped ones would be. From either thread; uses no line_writer of this
         * descriptor. */
        void (*tell_dropped)(void *context, uint64_t count, struct buf *out);
        void *context;
};

/* NULL when no thread can be made. Lives as long as the process. */
struct line_writer *line_writer_new(const struct line_writer_config *config);
/* Never waits. The line has its end of line. */
void line_writer_append(struct line_writer *writer, struct slice line);
/* Waits until all lines are written, at most so long; false: they are not. */
bool line_writer_flush(struct line_writer *writer, int64_t timeout_ns);
