/* Parts of times and durations. Time zones are UTC or offsets: the core of a rule has no files to
 * look names up in. */
#include "cel/cel_function.h"

#include "base/time.h"
#include "base/util.h"

#define SECONDS_PER_DAY 86400

struct cel_times_parts {
        int64_t year, month, day, week_day, year_day, second; /* of the day; all from 0 but year */
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
        parts.year = 1970 + floor_div(days, 366);
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

/* "UTC", "+02:00", "-5:30". */
static bool offset_of(struct slice zone, int64_t *ret_seconds) {
        struct slice rest = zone, hours;
        int64_t hour, minute, sign = 1;

        *ret_seconds = 0;
        if (zone.len == 0 || slice_is(zone, "UTC") || slice_is(zone, "Z"))
                return true;
        if (*rest.ptr == '+' || *rest.ptr == '-') {
                sign = *rest.ptr == '-' ? -1 : 1;
                rest = slice_make(rest.ptr + 1, rest.len - 1);
        }
        if (!slice_split(&rest, ':', &hours) || !slice_to_i64(hours, &hour) ||
            !slice_to_i64(rest, &minute) || hour > 23 || minute > 59 || hour < 0 || minute < 0)
                return false;
        *ret_seconds = sign * (hour * 3600 + minute * 60);
        return true;
}

static bool parts_at(const struct cel_value *args, struct slice zone,
                     struct cel_times_parts *ret_parts) {
        int64_t offset;

        if (!offset_of(zone, &offset))
                return false;
        *ret_parts = parts_of(floor_div(args[0].as.integer, NS_PER_S) + offset);
        return true;
}

/* Two functions of each part: in UTC, and in a zone. */
#define PART(name, expression)                                                                     \
        static struct cel_value name##_of(struct cel_run *run, const struct cel_value *args,       \
                                          struct slice zone) {                                     \
                struct cel_times_parts parts;                                                      \
                                                                                                   \
                if (!parts_at(args, zone, &parts))                                                 \
                        return cel_error(run, "unknown time zone " SLICE_FMT, SLICE_ARG(zone));    \
                return cel_int(expression);                                                        \
        }                                                                                          \
        FUNCTION(name) {                                                                           \
                return name##_of(run, args, SLICE_EMPTY);                                          \
        }                                                                                          \
        FUNCTION(name##_in) {                                                                      \
                return name##_of(run, args, args[1].as.text);                                      \
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

FUNCTION(milliseconds) {
        int64_t ns = args[0].as.integer;

        (void)run;
        return cel_int((ns - floor_div(ns, NS_PER_S) * NS_PER_S) / NS_PER_MS);
}

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
        { "getMilliseconds", true, CEL_INT, milliseconds, 1, { CEL_TIMESTAMP } },
        { "getHours", true, CEL_INT, duration_hours, 1, { CEL_DURATION } },
        { "getMinutes", true, CEL_INT, duration_minutes, 1, { CEL_DURATION } },
        { "getSeconds", true, CEL_INT, duration_seconds, 1, { CEL_DURATION } },
        { "getMilliseconds", true, CEL_INT, duration_milliseconds, 1, { CEL_DURATION } },
};
const struct cel_function_set cel_time_functions = { rows, ARRAY_LEN(rows) };
