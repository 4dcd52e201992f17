/* The event loop of the running program over epoll.
 *
 * The clocks are read once per iteration. Iterations of what is due at once follow one another
 * without a look at descriptors, which costs a system call: a few, for a millisecond at most. A
 * timer armed in an iteration is due after its time, so that no callback can keep an iteration from
 * ending; the same holds for deferred calls, which are counted before the first one runs. Removed
 * descriptors stay in memory until the iteration ends, because the batch that epoll returned may
 * still point at them. */
#include "loop/event_loop.h"

#include "base/heap.h"
#include "base/util.h"
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#define EVENTS_PER_ITERATION 256
#define ITERATIONS_WITHOUT_LOOK 8
#define WITHOUT_LOOK_NS NS_PER_MS

struct loop_io {
        struct loop_io *next, *previous; /* all live ones; dead ones use next only */
        void (*ready)(void *context, unsigned events);
        void *context;
        int fd;
        unsigned events;
        bool is_registered; /* without interest a descriptor leaves epoll, or a hang-up would spin
                             */
        bool is_dead;
};

struct event_loop_deferred {
        void (*call)(void *context);
        void *context;
};

struct event_loop {
        struct loop loop;
        struct heap timers;
        struct wall_time wall;
        struct mono_time mono;
        struct loop_io *ios, *dead;
        struct event_loop_deferred *calls;
        size_t call_count, call_cap;
        int epoll_fd;
        bool is_stopped;
};

static int64_t clock_ns(clockid_t id) {
        struct timespec now;

        clock_gettime(id, &now);
        return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static void read_clocks(struct event_loop *loop) {
        loop->wall.ns = clock_ns(CLOCK_REALTIME);
        loop->mono.ns = clock_ns(CLOCK_MONOTONIC);
}

static struct wall_time loop_ops_wall(void *self) {
        return ((struct event_loop *)self)->wall;
}

static struct mono_time loop_ops_mono(void *self) {
        return ((struct event_loop *)self)->mono;
}

/* ---- timers and deferred calls ---- */

static bool is_due_before(const void *a, const void *b, void *context) {
        (void)context;
        return ((const struct loop_timer *)a)->due.ns < ((const struct loop_timer *)b)->due.ns;
}

static void timer_moved(void *item, size_t index) {
        ((struct loop_timer *)item)->position = index == HEAP_NO_INDEX ? 0 : index + 1;
}

static void loop_ops_timer_disarm(void *self, struct loop_timer *timer) {
        struct event_loop *loop = self;

        if (timer->position)
                heap_remove(&loop->timers, timer->position - 1);
}

static void loop_ops_timer_arm(void *self, struct loop_timer *timer, int64_t delay_ns) {
        struct event_loop *loop = self;

        assert(timer->fired);
        loop_ops_timer_disarm(self, timer);
        if (delay_ns < 1)
                delay_ns = 1;
        timer->due.ns = delay_ns > INT64_MAX - loop->mono.ns ? INT64_MAX : loop->mono.ns + delay_ns;
        heap_push(&loop->timers, timer);
}

static void loop_ops_defer(void *self, void (*call)(void *context), void *context) {
        struct event_loop *loop = self;

        if (loop->call_count == loop->call_cap) {
                loop->call_cap = loop->call_cap ? loop->call_cap * 2 : 16;
                loop->calls = xreallocarray(loop->calls, loop->call_cap, sizeof(loop->calls[0]));
        }
        loop->calls[loop->call_count++] = (struct event_loop_deferred){ call, context };
}

static void run_deferred(struct event_loop *loop) {
        size_t count = loop->call_count;

        /* The array may move while it grows: the element is copied out by the call. */
        for (size_t i = 0; i < count; i++)
                loop->calls[i].call(loop->calls[i].context);
        loop->call_count -= count;
        if (loop->call_count)
                memmove(loop->calls, loop->calls + count,
                        loop->call_count * sizeof(loop->calls[0]));
}

static void run_timers(struct event_loop *loop) {
        struct loop_timer *first;

        while ((first = heap_peek(&loop->timers)) && first->due.ns <= loop->mono.ns) {
                heap_pop(&loop->timers);
                first->fired(first->context);
        }
}

/* ---- descriptors ---- */

#define LOOP_REQUESTS (LOOP_READ | LOOP_WRITE | LOOP_PEER_CLOSED)

static int io_register(struct event_loop *loop, struct loop_io *io, struct err *err) {
        struct epoll_event event = {
                .events = (io->events & LOOP_READ ? EPOLLIN : 0) |
                          (io->events & LOOP_WRITE ? EPOLLOUT : 0) |
                          (io->events & LOOP_PEER_CLOSED ? EPOLLRDHUP : 0),
                .data.ptr = io,
        };
        int operation = io->is_registered ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;

        if (io->events == 0)
                operation = EPOLL_CTL_DEL;
        if (io->events == 0 && !io->is_registered)
                return 0;
        if (epoll_ctl(loop->epoll_fd, operation, io->fd, &event) < 0)
                return err_set_errno(err, BERTH_ERR_IO, errno, "cannot watch descriptor %d",
                                     io->fd);
        io->is_registered = io->events != 0;
        return 0;
}

static int loop_ops_io_add(void *self, int fd, unsigned events,
                           void (*ready)(void *context, unsigned events), void *context,
                           struct loop_io **ret_io, struct err *err) {
        struct event_loop *loop = self;
        struct loop_io *io = xcalloc(1, sizeof(*io));

        assert(ready);
        *io = (struct loop_io){ .ready = ready, .context = context, .fd = fd };
        io->events = events & LOOP_REQUESTS;
        int result = io_register(loop, io, err);
        if (result < 0) {
                free(io);
                return result;
        }
        io->next = loop->ios;
        if (io->next)
                io->next->previous = io;
        loop->ios = io;
        *ret_io = io;
        return 0;
}

static void loop_ops_io_change(void *self, struct loop_io *io, unsigned events) {
        assert(!io->is_dead);
        events &= LOOP_REQUESTS;
        if (events == io->events)
                return;
        io->events = events;
        io_register(self, io, NULL);
}

static void loop_ops_io_remove(void *self, struct loop_io *io) {
        struct event_loop *loop = self;

        assert(!io->is_dead);
        io->events = 0;
        io_register(loop, io, NULL); /* fails when the owner closed it first: that is as good */
        if (io->previous)
                io->previous->next = io->next;
        else
                loop->ios = io->next;
        if (io->next)
                io->next->previous = io->previous;
        io->is_dead = true;
        io->next = loop->dead;
        loop->dead = io;
}

static void bury_dead(struct event_loop *loop) {
        while (loop->dead) {
                struct loop_io *io = loop->dead;

                loop->dead = io->next;
                free(io);
        }
}

/* A hang-up or error is shown as readiness of whatever was asked for too: the next read or write
 * then finds out. */
static unsigned ready_events(const struct loop_io *io, uint32_t events) {
        unsigned ready = (events & EPOLLIN ? LOOP_READ : 0) | (events & EPOLLOUT ? LOOP_WRITE : 0) |
                         (events & EPOLLRDHUP ? LOOP_PEER_CLOSED : 0);

        if (events & (EPOLLHUP | EPOLLERR))
                ready |= LOOP_HANGUP | io->events;
        return ready;
}

static void run_io(struct epoll_event *events, int count) {
        for (int i = 0; i < count; i++) {
                struct loop_io *io = events[i].data.ptr;

                if (!io->is_dead)
                        io->ready(io->context, ready_events(io, events[i].events));
        }
}

/* ---- running ---- */

static void loop_ops_stop(void *self) {
        ((struct event_loop *)self)->is_stopped = true;
}

static int wait_ms(struct event_loop *loop, int64_t max_wait_ns) {
        const struct loop_timer *first = heap_peek(&loop->timers);
        int64_t left = max_wait_ns < 0 ? INT64_MAX : max_wait_ns;

        if (loop->call_count)
                return 0;
        if (first && first->due.ns - clock_ns(CLOCK_MONOTONIC) < left)
                left = first->due.ns - clock_ns(CLOCK_MONOTONIC);
        if (left == INT64_MAX)
                return -1;
        if (left <= 0)
                return 0;
        left = (left + NS_PER_MS - 1) / NS_PER_MS;
        return left > INT_MAX ? INT_MAX : (int)left;
}

int event_loop_run_once(struct event_loop *loop, int64_t max_wait_ns, struct err *err) {
        struct epoll_event events[EVENTS_PER_ITERATION];
        int count = epoll_wait(loop->epoll_fd, events, EVENTS_PER_ITERATION,
                               wait_ms(loop, max_wait_ns));

        if (count < 0 && errno != EINTR)
                return err_set_errno(err, BERTH_ERR_IO, errno, "cannot wait for descriptors");
        read_clocks(loop);
        run_deferred(loop);
        run_io(events, count);
        run_timers(loop);
        bury_dead(loop);
        return 0;
}

/* Something waits for the next iteration only. */
static bool is_due_at_once(const struct event_loop *loop) {
        const struct loop_timer *first = heap_peek(&loop->timers);

        return loop->call_count || (first && first->due.ns <= loop->mono.ns + 1);
}

static void run_without_look(struct event_loop *loop) {
        int64_t looked_at = loop->mono.ns;

        for (int i = 0; i < ITERATIONS_WITHOUT_LOOK; i++) {
                if (loop->is_stopped || !is_due_at_once(loop))
                        return;
                read_clocks(loop);
                if (loop->mono.ns - looked_at > WITHOUT_LOOK_NS)
                        return;
                run_deferred(loop);
                run_timers(loop);
                bury_dead(loop);
        }
}

int event_loop_run(struct event_loop *loop, struct err *err) {
        while (!loop->is_stopped) {
                int result = event_loop_run_once(loop, -1, err);

                if (result < 0)
                        return result;
                run_without_look(loop);
        }
        loop->is_stopped = false;
        return 0;
}

int event_loop_new(struct event_loop **ret_loop, struct err *err) {
        static const struct loop_ops ops = {
                loop_ops_wall,         loop_ops_mono,      loop_ops_timer_arm,
                loop_ops_timer_disarm, loop_ops_defer,     loop_ops_io_add,
                loop_ops_io_change,    loop_ops_io_remove, loop_ops_stop,
        };
        struct event_loop *loop;
        int fd = epoll_create1(EPOLL_CLOEXEC);

        if (fd < 0)
                return err_set_errno(err, BERTH_ERR_IO, errno, "cannot make an epoll descriptor");
        loop = xcalloc(1, sizeof(*loop));
        loop->loop = (struct loop){ &ops, loop };
        loop->epoll_fd = fd;
        heap_init(&loop->timers, is_due_before, timer_moved, NULL);
        read_clocks(loop);
        *ret_loop = loop;
        return 0;
}

void event_loop_free(struct event_loop *loop) {
        if (!loop)
                return;
        while (loop->ios)
                loop_ops_io_remove(loop, loop->ios);
        bury_dead(loop);
        while (heap_pop(&loop->timers)) {
        }
        heap_release(&loop->timers);
        free(loop->calls);
        close(loop->epoll_fd);
        free(loop);
}

struct loop *event_loop_as_loop(struct event_loop *loop) {
        return &loop->loop;
}
