/* Looks at the processor time of the last seconds. */
#include "cmd/rest.h"

#include "base/time.h"
#include "host/host_trim.h"
#include <sys/resource.h>

#define FIRST_NS (5 * NS_PER_S)
#define PERIOD_NS (10 * NS_PER_S)
#define PERIODS_TO_TRIM 3 /* idle periods from one rest to the next */

static int64_t cpu_ns(void) {
        struct rusage usage;

        getrusage(RUSAGE_SELF, &usage);
        return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * NS_PER_S +
               (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * (NS_PER_MS / 1000);
}

/* Pages of libraries come back as they are needed, which for a Lease and quiet watches are few.
 * The first look is at a process that has just started: what that took does not count. */
static void rest_look(void *context) {
        struct rest *rest = context;
        bool is_first = rest->cpu_ns == 0;
        int64_t spent_ns = cpu_ns() - rest->cpu_ns;
        bool is_idle = rest->is_idle(rest->context) &&
                       (is_first || spent_ns < PERIOD_NS / rest->cpu_share);

        rest->cpu_ns += spent_ns;
        if (is_idle && rest->idle_periods++ % PERIODS_TO_TRIM == 0)
                host_trim();
        if (!is_idle)
                rest->idle_periods = 0;
        loop_timer_arm(rest->loop, &rest->timer, PERIOD_NS);
}

void rest_begin(struct rest *rest) {
        rest->timer = (struct loop_timer){ .fired = rest_look, .context = rest };
        loop_timer_arm(rest->loop, &rest->timer, FIRST_NS);
}

void rest_end(struct rest *rest) {
        if (rest->loop)
                loop_timer_disarm(rest->loop, &rest->timer);
}
