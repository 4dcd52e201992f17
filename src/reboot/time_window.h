/* When reboots may begin: days of the week and a span of the day in a time zone, as kured writes
 * them (pkg/timewindow), or anchored at its start so that a night belongs to the day it began on.
 */
#pragma once

#include "base/err.h"
#include "base/slice.h"
#include "base/time.h"
#include <stdbool.h>
#include <stddef.h>
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

/* Days on which nothing begins: from first to last, or the same span every year. */
struct excluded_days {
        bool is_yearly;
        int64_t first, last; /* days since 1970-01-01; yearly: month * 100 + day, may wrap */
};
#define EXCLUDED_MAX 4096

/* "mo-fr,su 22:00-06:00": anchored, in this zone.  Days may be left out. */
int time_window_parse(struct slice text, const struct time_zone *zone,
                      struct time_window *ret_window, struct err *err);
/* "2026-12-24", "2026-12-24..2027-01-06", "12-25" and "12-24..01-06" every year. */
int excluded_days_parse(struct slice text, struct excluded_days *ret_days, struct err *err);

/* Several windows and days off. */
struct window_calendar {
        size_t window_count;
        const struct time_window *windows;
        size_t excluded_count;
        const struct excluded_days *excluded;
};
/* A window that is open now or within lead_ns, and did not begin on a day off (anchored windows) or
 * is open on one (others). */
bool window_calendar_opens_within(const struct window_calendar *calendar, struct wall_time now,
                                  int64_t lead_ns);

bool time_window_is_open(const struct time_window *window, struct wall_time now);
/* Open now or at some time until lead_ns from now. */
bool time_window_opens_within(const struct time_window *window, struct wall_time now,
                              int64_t lead_ns);
