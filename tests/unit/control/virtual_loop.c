/* Virtual time: a heap of timers and a list of deferred calls. */
#include "virtual_loop.h"

#include "base/heap.h"
#include "base/util.h"
#include <stdlib.h>

struct deferred {
        void (*call)(void *context);
        void *context;
};

struct virtual_loop {
        struct loop loop;
        int64_t now_ns;
        struct heap timers;
        struct deferred *calls;
        size_t first, count, cap;
};

static struct wall_time wall(void *self) {
        return (struct wall_time){ VIRTUAL_START_NS + ((struct virtual_loop *)self)->now_ns };
}

static struct mono_time mono(void *self) {
        return (struct mono_time){ ((struct virtual_loop *)self)->now_ns };
}

static bool is_before(const void *a, const void *b, void *context) {
        (void)context;
        return ((const struct loop_timer *)a)->due.ns < ((const struct loop_timer *)b)->due.ns;
}

static void moved(void *item, size_t index) {
        ((struct loop_timer *)item)->position = index == HEAP_NO_INDEX ? 0 : index + 1;
}

static void disarm(void *self, struct loop_timer *timer) {
        struct virtual_loop *loop = self;

        if (timer->position)
                heap_remove(&loop->timers, timer->position - 1);
}

static void arm(void *self, struct loop_timer *timer, int64_t delay_ns) {
        struct virtual_loop *loop = self;

        disarm(self, timer);
        timer->due.ns = loop->now_ns + (delay_ns > 0 ? delay_ns : 0);
        heap_push(&loop->timers, timer);
}

static void defer(void *self, void (*call)(void *context), void *context) {
        struct virtual_loop *loop = self;

        if (loop->count == loop->cap) {
                loop->cap = loop->cap ? loop->cap * 2 : 16;
                loop->calls = xreallocarray(loop->calls, loop->cap, sizeof(loop->calls[0]));
        }
        loop->calls[loop->count++] = (struct deferred){ call, context };
}

struct virtual_loop *virtual_loop_new(void) {
        static const struct loop_ops ops = {
                .wall = wall, .mono = mono, .timer_arm = arm, .timer_disarm = disarm, .defer = defer
        };
        struct virtual_loop *loop = xcalloc(1, sizeof(*loop));

        loop->loop = (struct loop){ &ops, loop };
        heap_init(&loop->timers, is_before, moved, NULL);
        return loop;
}

void virtual_loop_free(struct virtual_loop *loop) {
        virtual_loop_run(loop);
        heap_release(&loop->timers);
        free(loop->calls);
        free(loop);
}

struct loop *virtual_loop_get(struct virtual_loop *loop) {
        return &loop->loop;
}

void virtual_loop_run(struct virtual_loop *loop) {
        while (loop->first < loop->count) {
                struct deferred call = loop->calls[loop->first++];

                if (loop->first == loop->count)
                        loop->first = loop->count = 0;
                call.call(call.context);
        }
}

void virtual_loop_advance(struct virtual_loop *loop, int64_t ns) {
        int64_t end_ns = loop->now_ns + ns;
        struct loop_timer *first;

        virtual_loop_run(loop);
        while ((first = heap_peek(&loop->timers)) && first->due.ns <= end_ns) {
                if (first->due.ns > loop->now_ns)
                        loop->now_ns = first->due.ns;
                heap_pop(&loop->timers);
                first->fired(first->context);
                virtual_loop_run(loop);
        }
        loop->now_ns = end_ns;
}
