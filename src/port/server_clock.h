/* What time it is at a server, by the Date headers of its answers: times that it stamped are
 * compared with its clock, not with ours, which may be wrong, or set, by any amount.
 *
 * A date is in whole seconds, and its answer was under way for a while: that leaves a span of what
 * the time may be, which gets smaller with each answer.  As long as our own clock is within it,
 * that one counts. */
#pragma once

#include "base/time.h"
#include <stdbool.h>

struct server_clock { /* zero: nothing is known, our own clock counts */
        bool is_known;
        int64_t least_ns, most_ns; /* what the monotonic clock is to be moved by */
};

/* Takes an answer in: date_s seconds since 1970 (0 = none), asked and arrived at these times. */
void server_clock_take(struct server_clock *clock, int64_t date_s, struct mono_time asked,
                       struct mono_time arrived);
/* The server's time, where our clock reads wall. */
struct wall_time server_clock_now(const struct server_clock *clock, struct wall_time wall,
                                  struct mono_time mono);
