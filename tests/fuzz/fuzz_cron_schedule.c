/* Cron schedules: the next time comes after the one asked about and is among those the fields name,
 * and the search for it ends. */
#include "api/cron_schedule.h"
#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct cron_schedule schedule;
        struct wall_time at = { 1767225600LL * NS_PER_S };
        struct err err = { 0 };

        if (cron_schedule_parse(slice_make((const char *)data, size), &schedule, &err) < 0) {
                assert(err.code < 0 && err.text[0]);
                return 0;
        }
        for (int i = 0; i < 3; i++) {
                struct wall_time next = cron_schedule_next(&schedule, at);

                if (!wall_time_is_set(next))
                        break;
                assert(next.ns > at.ns);
                if (!schedule.every_ns)
                        assert(schedule.minutes >> (next.ns / (60 * NS_PER_S) % 60) & 1);
                at = next;
        }
        return 0;
}
