/* Event loop as the edges see it: file descriptors, timers, deferred calls and the two clocks, all
 * on one thread. Implemented by loop/event_loop.c (epoll) and by the simulator (virtual time, no
 * descriptors). "Now" is read once per iteration, so everything that happens in one iteration
 * happens at one time. */
#pragma once

#include "base/err.h"
#include "base/time.h"
#include <stdbool.h>
#include <stddef.h>

enum loop_events {
        LOOP_READ = 1,
        LOOP_WRITE = 2,
        LOOP_HANGUP = 4,      /* reported only */
        LOOP_PEER_CLOSED = 8, /* of a stream socket: the peer sends no more */
};

/* Owned and embedded by the user; zeroed = not armed. */
struct loop_timer {
        void (*fired)(void *context);
        void *context;
        struct mono_time due;
        size_t position; /* 1 + index in the loop's heap; 0 = not armed */
};

struct loop_io; /* one watched descriptor */

struct loop_ops {
        struct wall_time (*wall)(void *self);
        struct mono_time (*mono)(void *self);
        void (*timer_arm)(void *self, struct loop_timer *timer, int64_t delay_ns);
        void (*timer_disarm)(void *self, struct loop_timer *timer);
        void (*defer)(void *self, void (*call)(void *context), void *context);
        int (*io_add)(void *self, int fd, unsigned events,
                      void (*ready)(void *context, unsigned events), void *context,
                      struct loop_io **ret_io, struct err *err);
        void (*io_change)(void *self, struct loop_io *io, unsigned events);
        void (*io_remove)(void *self, struct loop_io *io);
        void (*stop)(void *self);
};
struct loop {
        const struct loop_ops *ops;
        void *self;
};

static inline struct wall_time loop_wall(const struct loop *loop) {
        return loop->ops->wall(loop->self);
}
static inline struct mono_time loop_mono(const struct loop *loop) {
        return loop->ops->mono(loop->self);
}
/* Arms (or moves) a timer; fired runs once, at the earliest delay_ns from now (<= 0: next
 * iteration). */
static inline void loop_timer_arm(struct loop *loop, struct loop_timer *timer, int64_t delay_ns) {
        loop->ops->timer_arm(loop->self, timer, delay_ns);
}
static inline void loop_timer_disarm(struct loop *loop, struct loop_timer *timer) {
        loop->ops->timer_disarm(loop->self, timer);
}
static inline bool loop_timer_is_armed(const struct loop_timer *timer) {
        return timer->position != 0;
}
/* Runs call once in the next iteration, in order of deferral: the way out of reentrancy. */
static inline void loop_defer(struct loop *loop, void (*call)(void *context), void *context) {
        loop->ops->defer(loop->self, call, context);
}
/* Level-triggered. The descriptor stays the caller's. */
static inline int loop_io_add(struct loop *loop, int fd, unsigned events,
                              void (*ready)(void *context, unsigned events), void *context,
                              struct loop_io **ret_io, struct err *err) {
        return loop->ops->io_add(loop->self, fd, events, ready, context, ret_io, err);
}
static inline void loop_io_change(struct loop *loop, struct loop_io *io, unsigned events) {
        loop->ops->io_change(loop->self, io, events);
}
/* Safe from inside any callback; the io is gone afterwards. */
static inline void loop_io_remove(struct loop *loop, struct loop_io *io) {
        loop->ops->io_remove(loop->self, io);
}
static inline void loop_stop(struct loop *loop) {
        loop->ops->stop(loop->self);
}
