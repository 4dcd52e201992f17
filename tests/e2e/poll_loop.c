/* A small event loop over poll(2) for test programs that need descriptors and real time. */
#include "poll_loop.h"

#include "base/heap.h"
#include "base/util.h"
#include <poll.h>
#include <stdlib.h>
#include <time.h>

struct loop_io {
        int fd;
        unsigned events;
        bool is_dead;
        void (*ready)(void *context, unsigned events);
        void *context;
        struct loop_io *next;
};

struct deferred {
        void (*call)(void *context);
        void *context;
};

struct poll_loop {
        struct loop loop;
        struct heap timers;
        struct loop_io *ios;
        struct deferred *calls;
        size_t call_count, call_cap;
        bool is_stopped;
};

static int64_t clock_ns(clockid_t id) {
        struct timespec now;

        clock_gettime(id, &now);
        return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static struct wall_time wall(void *self) {
        (void)self;
        return (struct wall_time){ clock_ns(CLOCK_REALTIME) };
}

static struct mono_time mono(void *self) {
        (void)self;
        return (struct mono_time){ clock_ns(CLOCK_MONOTONIC) };
}

static bool is_due_before(const void *a, const void *b, void *context) {
        (void)context;
        return ((const struct loop_timer *)a)->due.ns < ((const struct loop_timer *)b)->due.ns;
}

static void timer_moved(void *item, size_t index) {
        ((struct loop_timer *)item)->position = index == HEAP_NO_INDEX ? 0 : index + 1;
}

static void timer_disarm(void *self, struct loop_timer *timer) {
        struct poll_loop *loop = self;

        if (timer->position)
                heap_remove(&loop->timers, timer->position - 1);
}

static void timer_arm(void *self, struct loop_timer *timer, int64_t delay_ns) {
        struct poll_loop *loop = self;

        timer_disarm(self, timer);
        timer->due.ns = mono(NULL).ns + (delay_ns > 0 ? delay_ns : 0);
        heap_push(&loop->timers, timer);
}

static void defer(void *self, void (*call)(void *context), void *context) {
        struct poll_loop *loop = self;

        if (loop->call_count == loop->call_cap) {
                loop->call_cap = loop->call_cap ? loop->call_cap * 2 : 16;
                loop->calls = xreallocarray(loop->calls, loop->call_cap, sizeof(loop->calls[0]));
        }
        loop->calls[loop->call_count++] = (struct deferred){ call, context };
}

static int io_add(void *self, int fd, unsigned events,
                  void (*ready)(void *context, unsigned events), void *context,
                  struct loop_io **ret_io, struct err *err) {
        struct poll_loop *loop = self;
        struct loop_io *io = xcalloc(1, sizeof(*io));

        (void)err;
        *io = (struct loop_io){ fd, events, false, ready, context, loop->ios };
        loop->ios = io;
        *ret_io = io;
        return 0;
}

static void io_change(void *self, struct loop_io *io, unsigned events) {
        (void)self;
        io->events = events;
}

static void io_remove(void *self, struct loop_io *io) {
        (void)self;
        io->is_dead = true;
}

static void stop(void *self) {
        ((struct poll_loop *)self)->is_stopped = true;
}

struct poll_loop *poll_loop_new(void) {
        static const struct loop_ops ops = { wall,   mono,      timer_arm, timer_disarm, defer,
                                             io_add, io_change, io_remove, stop };
        struct poll_loop *loop = xcalloc(1, sizeof(*loop));

        loop->loop = (struct loop){ &ops, loop };
        heap_init(&loop->timers, is_due_before, timer_moved, NULL);
        return loop;
}

static void sweep(struct poll_loop *loop) {
        struct loop_io **link = &loop->ios;

        while (*link) {
                struct loop_io *io = *link;

                if (io->is_dead) {
                        *link = io->next;
                        free(io);
                } else {
                        link = &io->next;
                }
        }
}

void poll_loop_free(struct poll_loop *loop) {
        for (struct loop_io *io = loop->ios; io; io = io->next)
                io->is_dead = true;
        sweep(loop);
        heap_release(&loop->timers);
        free(loop->calls);
        free(loop);
}

struct loop *poll_loop_get(struct poll_loop *loop) {
        return &loop->loop;
}

static int wait_ms(struct poll_loop *loop) {
        struct loop_timer *first = heap_peek(&loop->timers);
        int64_t left;

        if (loop->call_count)
                return 0;
        if (!first)
                return -1;
        left = first->due.ns - mono(NULL).ns;
        return left <= 0 ? 0 : (int)(left / NS_PER_MS + 1);
}

static void run_deferred(struct poll_loop *loop) {
        size_t count = loop->call_count;

        for (size_t i = 0; i < count; i++)
                loop->calls[i].call(loop->calls[i].context);
        loop->call_count -= count;
        if (loop->call_count == 0)
                return;
        memmove(loop->calls, loop->calls + count, loop->call_count * sizeof(loop->calls[0]));
}

static void run_timers(struct poll_loop *loop) {
        int64_t now = mono(NULL).ns;
        struct loop_timer *first;

        while ((first = heap_peek(&loop->timers)) && first->due.ns <= now) {
                heap_pop(&loop->timers);
                first->fired(first->context);
        }
}

void poll_loop_run(struct poll_loop *loop) {
        struct pollfd fds[4096];
        struct loop_io *ios[4096];

        while (!loop->is_stopped) {
                size_t count = 0;

                sweep(loop);
                for (struct loop_io *io = loop->ios; io && count < ARRAY_LEN(fds); io = io->next) {
                        fds[count] = (struct pollfd){
                                .fd = io->fd,
                                .events = (short)((io->events & LOOP_READ ? POLLIN : 0) |
                                                  (io->events & LOOP_WRITE ? POLLOUT : 0) |
                                                  (io->events & LOOP_PEER_CLOSED ? POLLRDHUP : 0)),
                        };
                        ios[count++] = io;
                }
                poll(fds, count, wait_ms(loop));
                for (size_t i = 0; i < count; i++) {
                        unsigned events =
                                (fds[i].revents & (POLLIN | POLLHUP | POLLERR) ? LOOP_READ : 0) |
                                (fds[i].revents & POLLOUT ? LOOP_WRITE : 0);

                        if (events && !ios[i]->is_dead)
                                ios[i]->ready(ios[i]->context, events);
                }
                run_timers(loop);
                run_deferred(loop);
        }
}
