/* The clock that never goes back. */
#include "port/clock.h"

#include <time.h>

struct mono_time mono_time_now(void) {
        struct timespec now;

        clock_gettime(CLOCK_MONOTONIC, &now);
        return (struct mono_time){ now.tv_sec * NS_PER_S + now.tv_nsec };
}
