/* Parts of times and durations. */
#include "cel/cel_function.h"

#include "base/time.h"
#include "base/util.h"
#include "cel/go_zone.h"

#define SECONDS_PER_DAY 86400

struct cel_times_parts {
        int64_t year, month, day, week_day, year_day, second; /* of the day; all from 0 but year */
        int64_t millisecond;
};

static int64_t floor_div(int64_t a, int64_t b) {
        return a / b - (a % b < 0);
}

/* Days since 1970 of the first day of a year. */
static int64_t year_start(int64_t year) {
        int64_t before = year - 1;

        return 365 * (year - 1970) + floor_div(before, 4) - floor_div(before, 100) +
               floor_div(before, 400) - 477;
}

static bool is_leap(int64_t year) {
        return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static struct cel_times_parts parts_of(int64_t seconds) {
        static const int lengths[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
        int64_t days = floor_div(seconds, SECONDS_PER_DAY);
        struct cel_times_parts parts = { .second = seconds - days * SECONDS_PER_DAY };

        parts.week_day = (days % 7 + 11) % 7; /* the first day was a Thursday */
        parts.year = 1970 + floor_div(days, days < 0 ? 365 : 366); /* or before */
        while (year_start(parts.year + 1) <= days)
                parts.year++;
        parts.year_day = days - year_start(parts.year);
        parts.day = parts.year_day;
        for (; parts.month < 11; parts.month++) {
                int64_t count = lengths[parts.month] + (parts.month == 1 && is_leap(parts.year));

                if (parts.day < count)
                        break;
                parts.day -= count;
        }
        return parts;
}

/* In a zone, or in UTC. NULL, or what is wrong with the zone. */
static const char *parts_at(struct cel_run *run, const struct cel_value *args,
                            const struct slice *zone, struct cel_times_parts *ret_parts) {
        int64_t offset = 0;
        const char *problem = zone ? go_zone_offset(run->arena, *zone, &offset) : NULL;

        if (problem)
                return problem;
        *ret_parts = parts_of(args[0].as.integer + offset);
        ret_parts->millisecond = args[0].ns / NS_PER_MS;
        return NULL;
}

/* Two functions of each part: in UTC, and in a zone. */
#define PART(name, expression)                                                                     \
        static struct cel_value name##_of(struct cel_run *run, const struct cel_value *args,       \
                                          const struct slice *zone) {                              \
                struct cel_times_parts parts;                                                      \
                const char *problem = parts_at(run, args, zone, &parts);                           \
                                                                                                   \
                return problem ? cel_text(CEL_ERROR, slice_of(problem)) : cel_int(expression);     \
        }                                                                                          \
        FUNCTION(name) {                                                                           \
                return name##_of(run, args, NULL);                                                 \
        }                                                                                          \
        FUNCTION(name##_in) {                                                                      \
                return name##_of(run, args, &args[1].as.text);                                     \
        }

PART(full_year, parts.year)
PART(month, parts.month)
PART(date, parts.day + 1)
PART(day_of_month, parts.day)
PART(day_of_week, parts.week_day)
PART(day_of_year, parts.year_day)
PART(hours, parts.second / 3600)
PART(minutes, parts.second / 60 % 60)
PART(seconds, parts.second % 60)
PART(milliseconds, parts.millisecond)

FUNCTION(duration_hours) {
        (void)run;
        return cel_int(args[0].as.integer / (3600 * NS_PER_S));
}

FUNCTION(duration_minutes) {
        (void)run;
        return cel_int(args[0].as.integer / (60 * NS_PER_S));
}

FUNCTION(duration_seconds) {
        (void)run;
        return cel_int(args[0].as.integer / NS_PER_S);
}

FUNCTION(duration_milliseconds) {
        (void)run;
        return cel_int(args[0].as.integer / NS_PER_MS);
}

#define ROWS(text, name)                                                                           \
        { text, true, CEL_INT, name, 1, { CEL_TIMESTAMP } }, {                                     \
                text, true, CEL_INT, name##_in, 2, {                                               \
                        CEL_TIMESTAMP, CEL_STRING                                                  \
                }                                                                                  \
        }

static const struct cel_function rows[] = {
        ROWS("getFullYear", full_year),
        ROWS("getMonth", month),
        ROWS("getDate", date),
        ROWS("getDayOfMonth", day_of_month),
        ROWS("getDayOfWeek", day_of_week),
        ROWS("getDayOfYear", day_of_year),
        ROWS("getHours", hours),
        ROWS("getMinutes", minutes),
        ROWS("getSeconds", seconds),
        ROWS("getMilliseconds", milliseconds),
        { "getHours", true, CEL_INT, duration_hours, 1, { CEL_DURATION } },
        { "getMinutes", true, CEL_INT, duration_minutes, 1, { CEL_DURATION } },
        { "getSeconds", true, CEL_INT, duration_seconds, 1, { CEL_DURATION } },
        { "getMilliseconds", true, CEL_INT, duration_milliseconds, 1, { CEL_DURATION } },
};
const struct cel_function_set cel_time_functions = { rows, ARRAY_LEN(rows) };
