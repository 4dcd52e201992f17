/* Clock, terminal and the line. */
#include "cmd/progress.h"

#include "base/arena.h"
#include "base/time.h"
#include "show/progress_line.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_NS NS_PER_S
#define REDRAW_NS (200 * NS_PER_MS)

static int64_t progress_clock(void) {
        struct timespec now;

        clock_gettime(CLOCK_MONOTONIC, &now);
        return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static size_t progress_columns(void) {
        struct winsize size;

        return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1
                       ? (size_t)size.ws_col - 1
                       : 79;
}

void progress_begin(struct progress *progress, struct slice doing, const char *noun) {
        const char *terminal = getenv("TERM");
        int64_t now = progress_clock();

        *progress = (struct progress){ .doing = doing,
                                       .noun = noun,
                                       .started_ns = now,
                                       .drawn_ns = now + PATIENCE_NS - REDRAW_NS,
                                       .is_on = isatty(STDERR_FILENO) && terminal &&
                                                strcmp(terminal, "dumb") != 0 };
}

void progress_set(struct progress *progress, uint64_t done, uint64_t total) {
        int64_t now = progress->is_on ? progress_clock() : 0;

        if (!progress->is_on || now - progress->drawn_ns < REDRAW_NS)
                return;
        CLEANUP(buf_release) struct buf line = { 0 };

        progress_line_write(&line,
                            &(struct progress_state){ .doing = progress->doing,
                                                      .noun = progress->noun,
                                                      .done = done,
                                                      .total = total,
                                                      .elapsed_ns = now - progress->started_ns },
                            progress_columns());
        fprintf(stderr, "\r\033[2K" SLICE_FMT, SLICE_ARG(buf_view(&line)));
        fflush(stderr);
        progress->drawn_ns = now;
        progress->is_drawn = true;
}

void progress_step(void *context, size_t done, size_t total) {
        progress_set(context, done, total);
}

void progress_hide(struct progress *progress) {
        if (progress->is_drawn) {
                fputs("\r\033[2K", stderr);
                fflush(stderr);
        }
        progress->is_drawn = false;
}

void progress_end(struct progress *progress) {
        progress_hide(progress);
        progress->is_on = false;
}
