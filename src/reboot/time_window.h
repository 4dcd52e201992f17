/* When reboots may begin: days of the week and a span of the day in a time zone, as kured writes
 * them (pkg/timewindow), or anchored at its start so that a night belongs to the day it began on.
 */
#pragma once

#include "base/err.h"
#include "base/slice.h"
#include "base/time.h"
#include <stdbool.h>
#include <stdint.h>

struct time_zone;

struct time_window {
        unsigned days;                /* bit 0 = Sunday ... bit 6 = Saturday; 0 = never */
        int32_t start_s, end_s;       /* seconds of the day; the whole end second is inside */
        bool is_anchored;             /* the day that counts is the one the window began on */
        const struct time_zone *zone; /* NULL = UTC; borrowed */
};

/* "9am", "09:30am", "17", "15:04:05" */
int time_of_day_parse(struct slice text, int32_t *ret_seconds, struct err *err);
/* "mo,tuesday,3" adds to *days. */
int days_parse(struct slice text, unsigned *days, struct err *err);

bool time_window_is_open(const struct time_window *window, struct wall_time now);
/* Open now or at some time until lead_ns from now. */
bool time_window_opens_within(const struct time_window *window, struct wall_time now,
                              int64_t lead_ns);
