/* A heap of timers and a queue of deferred calls. */
#include "port/virtual_loop.h"

#include "base/heap.h"
#include "base/util.h"
#include <stdlib.h>

struct virtual_loop_deferred {
        void (*call)(void *context);
        void *context;
};

struct virtual_loop {
        struct loop loop;
        int64_t now_ns, wall_ns; /* since the start */
        struct heap timers;
        struct virtual_loop_deferred *calls;
        size_t first, count, cap;
};

static struct wall_time virtual_loop_wall(void *self) {
        const struct virtual_loop *loop = self;

        return (struct wall_time){ VIRTUAL_START_NS + loop->now_ns + loop->wall_ns };
}

static struct mono_time virtual_loop_mono(void *self) {
        return (struct mono_time){ ((struct virtual_loop *)self)->now_ns };
}

static bool is_before(const void *a, const void *b, void *context) {
        (void)context;
        return ((const struct loop_timer *)a)->due.ns < ((const struct loop_timer *)b)->due.ns;
}

static void virtual_loop_moved(void *item, size_t index) {
        ((struct loop_timer *)item)->position = index == HEAP_NO_INDEX ? 0 : index + 1;
}

static void virtual_loop_disarm(void *self, struct loop_timer *timer) {
        struct virtual_loop *loop = self;

        if (timer->position)
                heap_remove(&loop->timers, timer->position - 1);
}

static void virtual_loop_arm(void *self, struct loop_timer *timer, int64_t delay_ns) {
        struct virtual_loop *loop = self;

        virtual_loop_disarm(self, timer);
        timer->due.ns = loop->now_ns + (delay_ns > 0 ? delay_ns : 0);
        heap_push(&loop->timers, timer);
}

static void virtual_loop_defer(void *self, void (*call)(void *context), void *context) {
        struct virtual_loop *loop = self;

        if (loop->count == loop->cap) {
                loop->cap = loop->cap ? loop->cap * 2 : 16;
                loop->calls = xreallocarray(loop->calls, loop->cap, sizeof(loop->calls[0]));
        }
        loop->calls[loop->count++] = (struct virtual_loop_deferred){ call, context };
}

static void virtual_loop_stop(void *self) {
        (void)self; /* the caller that steps the loop decides when to end */
}

struct virtual_loop *virtual_loop_new(void) {
        static const struct loop_ops ops = { .wall = virtual_loop_wall,
                                             .mono = virtual_loop_mono,
                                             .timer_arm = virtual_loop_arm,
                                             .timer_disarm = virtual_loop_disarm,
                                             .defer = virtual_loop_defer,
                                             .stop = virtual_loop_stop };
        struct virtual_loop *loop = xcalloc(1, sizeof(*loop));

        loop->loop = (struct loop){ &ops, loop };
        heap_init(&loop->timers, is_before, virtual_loop_moved, NULL);
        return loop;
}

static bool run_deferred(struct virtual_loop *loop) {
        if (loop->first == loop->count)
                return false;
        struct virtual_loop_deferred call = loop->calls[loop->first++];
        if (loop->first == loop->count)
                loop->first = loop->count = 0;
        call.call(call.context);
        return true;
}

void virtual_loop_free(struct virtual_loop *loop) {
        if (!loop)
                return;
        virtual_loop_run(loop);
        heap_release(&loop->timers);
        free(loop->calls);
        free(loop);
}

struct loop *virtual_loop_get(struct virtual_loop *loop) {
        return &loop->loop;
}

bool virtual_loop_step(struct virtual_loop *loop, struct mono_time limit) {
        if (run_deferred(loop))
                return true;
        struct loop_timer *timer = heap_peek(&loop->timers);
        if (!timer || timer->due.ns > limit.ns) {
                if (limit.ns > loop->now_ns)
                        loop->now_ns = limit.ns;
                return false;
        }
        if (timer->due.ns > loop->now_ns)
                loop->now_ns = timer->due.ns;
        heap_pop(&loop->timers);
        timer->fired(timer->context);
        return true;
}

void virtual_loop_run(struct virtual_loop *loop) {
        while (run_deferred(loop))
                continue;
}

void virtual_loop_advance(struct virtual_loop *loop, int64_t ns) {
        struct mono_time end = { loop->now_ns + ns };

        while (virtual_loop_step(loop, end))
                continue;
}

void virtual_loop_sleep(struct virtual_loop *loop, int64_t ns) {
        loop->now_ns += ns;
}

size_t virtual_loop_timers(const struct virtual_loop *loop) {
        return loop->timers.count;
}

void virtual_loop_set_back(struct virtual_loop *loop, int64_t ns) {
        loop->wall_ns -= ns;
}
