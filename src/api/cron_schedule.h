/* Cron schedules as robfig/cron has them, which kube-controller-manager and kube-apiserver use:
 * five fields, names of months and days, ranges, steps, lists, and the @ words. Times are UTC. */
#pragma once

#include "base/err.h"
#include "base/slice.h"
#include "base/time.h"
#include <stdint.h>

struct cron_schedule {
        uint64_t minutes, hours, days, months, weekdays; /* bit n = value n; Sunday is 0 */
        bool is_any_day, is_any_weekday; /* the field has a star: the other one decides */
        int64_t every_ns;                /* @every DURATION, whole seconds; 0 = by fields */
};

/* BERTH_ERR_INVALID with upstream's words. A time zone in front ("TZ=UTC ") is not for here. */
int cron_schedule_parse(struct slice text, struct cron_schedule *ret_schedule, struct err *err);
/* The first time after the given one; unset when there is none within five years. */
struct wall_time cron_schedule_next(const struct cron_schedule *schedule, struct wall_time after);
