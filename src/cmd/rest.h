/* Gives memory that starting, listing and bursts left back to the system once the process has been
 * idle for a while. */
#pragma once

#include "port/loop.h"
#include <stdbool.h>
#include <stdint.h>

struct rest {
        struct loop *loop;
        struct loop_timer timer;
        bool (*is_idle)(void *context); /* nothing to do now */
        void *context;
        int64_t cpu_share;     /* idle is who spends less than this part of the time, too */
        int64_t cpu_ns;        /* spent when it was last looked at */
        unsigned idle_periods; /* periods without work, in a row */
};

/* loop, is_idle, context and cpu_share are set. */
void rest_begin(struct rest *rest);
void rest_end(struct rest *rest); /* accepts one that never began */
