/* The span in which a server's clock is. */
#include "port/server_clock.h"

#include "base/saturate.h"

#define PATIENCE_NS (10 * NS_PER_S) /* an answer that took longer says little */
/* Clocks that differ by no more than this are taken for the same. */
#define ROUNDING_NS (2 * NS_PER_S)

void server_clock_take(struct server_clock *clock, int64_t date_s, struct mono_time asked,
                       struct mono_time arrived) {
        if (date_s <= 0 || date_s > INT64_MAX / NS_PER_S - 1 || arrived.ns < asked.ns ||
            arrived.ns - asked.ns > PATIENCE_NS)
                return;
        /* Between the question and the answer the clock showed this second. */
        int64_t least_ns = difference_saturated(date_s * NS_PER_S, arrived.ns);
        int64_t most_ns = difference_saturated((date_s + 1) * NS_PER_S, asked.ns);
        if (!clock->is_known || most_ns < clock->least_ns || least_ns > clock->most_ns) {
                *clock = (struct server_clock){ true, least_ns, most_ns }; /* it was set */
                return;
        }
        if (least_ns > clock->least_ns)
                clock->least_ns = least_ns;
        if (most_ns < clock->most_ns)
                clock->most_ns = most_ns;
}

struct wall_time server_clock_now(const struct server_clock *clock, struct wall_time wall,
                                  struct mono_time mono) {
        int64_t least_ns = sum_saturated(mono.ns, clock->least_ns);
        int64_t most_ns = sum_saturated(mono.ns, clock->most_ns);

        if (!clock->is_known)
                return wall;
        if (wall.ns < difference_saturated(least_ns, ROUNDING_NS))
                return (struct wall_time){ least_ns };
        if (wall.ns > sum_saturated(most_ns, ROUNDING_NS))
                return (struct wall_time){ most_ns };
        return wall;
}
