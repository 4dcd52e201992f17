/* Text forms of times and durations. */
#include "base/time.h"

#include "base/util.h"
#include <stdio.h>

#define DAY_S 86400LL
#define DAYS_TO_1970 719162LL /* from 0001-01-01 */

/* What is left of the text being parsed. */
struct cursor {
        const char *at, *end;
};

static bool take_char(struct cursor *cursor, char c) {
        if (cursor->at == cursor->end || *cursor->at != c)
                return false;
        cursor->at++;
        return true;
}

static bool has_digit(const struct cursor *cursor) {
        return cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9';
}

/* Exactly `width` digits with a value in min..max. */
static bool take_number(struct cursor *cursor, int width, int min, int max, int *ret_value) {
        int value = 0;
        for (int i = 0; i < width; i++) {
                if (!has_digit(cursor))
                        return false;
                value = value * 10 + (*cursor->at++ - '0');
        }
        *ret_value = value;
        return value >= min && value <= max;
}

static bool is_leap(int64_t year) {
        return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int days_in_month(int64_t year, int month) {
        static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
        return days[month - 1] + (month == 2 && is_leap(year));
}

/* Days from 0001-01-01 to the first day of `year`, both proleptic Gregorian. A day off for year 0,
 * which is far out of range anyway. */
static int64_t days_before_year(int64_t year) {
        int64_t past = year - 1;
        return past * 365 + past / 4 - past / 100 + past / 400;
}

struct date {
        int year, month, day;
};

static int64_t days_since_1970(struct date date) {
        int64_t days = days_before_year(date.year) - DAYS_TO_1970 + date.day - 1;
        for (int month = 1; month < date.month; month++)
                days += days_in_month(date.year, month);
        return days;
}

static struct date date_of_days(int64_t days) {
        days += DAYS_TO_1970;
        int64_t year = days / 366 + 1;
        while (days_before_year(year + 1) <= days)
                year++;
        days -= days_before_year(year);
        struct date date = { (int)year, 1, 0 };
        while (days >= days_in_month(year, date.month)) {
                days -= days_in_month(year, date.month);
                date.month++;
        }
        date.day = (int)days + 1;
        return date;
}

static bool take_date(struct cursor *cursor, struct date *ret_date) {
        return take_number(cursor, 4, 0, 9999, &ret_date->year) && take_char(cursor, '-') &&
               take_number(cursor, 2, 1, 12, &ret_date->month) && take_char(cursor, '-') &&
               take_number(cursor, 2, 1, days_in_month(ret_date->year, ret_date->month),
                           &ret_date->day);
}

static bool take_clock(struct cursor *cursor, int64_t *ret_seconds) {
        int hour, minute, second;
        if (!take_number(cursor, 2, 0, 23, &hour) || !take_char(cursor, ':') ||
            !take_number(cursor, 2, 0, 59, &minute) || !take_char(cursor, ':') ||
            !take_number(cursor, 2, 0, 59, &second))
                return false;
        *ret_seconds = hour * 3600 + minute * 60 + second;
        return true;
}

/* Optional fraction of a second after '.' or ','; digits beyond nanoseconds are dropped. */
static bool take_fraction(struct cursor *cursor, int64_t *ret_ns) {
        int64_t scale = NS_PER_S;
        *ret_ns = 0;
        if (!take_char(cursor, '.') && !take_char(cursor, ','))
                return true;
        if (!has_digit(cursor))
                return false;
        for (; has_digit(cursor); cursor->at++) {
                scale /= 10;
                *ret_ns += (*cursor->at - '0') * scale;
        }
        return true;
}

/* Z or +hh:mm, in seconds east of Greenwich. */
static bool take_offset(struct cursor *cursor, int64_t *ret_seconds) {
        *ret_seconds = 0;
        if (take_char(cursor, 'Z'))
                return true;
        bool is_west = take_char(cursor, '-');
        int hour, minute;
        if ((!is_west && !take_char(cursor, '+')) || !take_number(cursor, 2, 0, 23, &hour) ||
            !take_char(cursor, ':') || !take_number(cursor, 2, 0, 59, &minute))
                return false;
        int64_t seconds = hour * 3600 + minute * 60;
        *ret_seconds = is_west ? -seconds : seconds;
        return true;
}

static struct wall_time wall_time_of(int64_t seconds, int64_t ns) {
        if (seconds == -DAYS_TO_1970 * DAY_S && ns == 0)
                return WALL_TIME_UNSET;
        if (seconds >= INT64_MAX / NS_PER_S)
                return (struct wall_time){ INT64_MAX };
        if (seconds <= INT64_MIN / NS_PER_S)
                return (struct wall_time){ INT64_MIN + 1 };
        return (struct wall_time){ seconds * NS_PER_S + ns };
}

bool zoned_time_parse(struct slice text, struct zoned_time *ret_time) {
        if (text.len == 0)
                return false;
        struct cursor cursor = { text.ptr, text.ptr + text.len };
        struct date date;
        int64_t clock_s, fraction_ns, offset_s;
        if (!take_date(&cursor, &date) || !take_char(&cursor, 'T') ||
            !take_clock(&cursor, &clock_s) || !take_fraction(&cursor, &fraction_ns) ||
            !take_offset(&cursor, &offset_s) || cursor.at != cursor.end)
                return false;
        *ret_time = (struct zoned_time){ .s = days_since_1970(date) * DAY_S + clock_s - offset_s,
                                         .ns = (int32_t)fraction_ns,
                                         .offset = (int16_t)(offset_s / 60) };
        return true;
}

bool wall_time_parse(struct slice text, struct wall_time *ret_time) {
        struct zoned_time time;

        if (!zoned_time_parse(text, &time))
                return false;
        *ret_time = wall_time_of(time.s, time.ns);
        return true;
}

/* Splits into whole seconds, rounded down, and the rest. */
static int64_t split_seconds(int64_t ns, int64_t *ret_rest_ns) {
        int64_t seconds = ns / NS_PER_S;
        int64_t rest = ns % NS_PER_S;
        if (rest < 0) {
                rest += NS_PER_S;
                seconds--;
        }
        *ret_rest_ns = rest;
        return seconds;
}

static char *write_number(char *at, int value, int digits) {
        for (int i = digits - 1; i >= 0; i--, value /= 10)
                at[i] = (char)('0' + value % 10);
        return at + digits;
}

static char *write_number_then(char *at, int value, int digits, char mark) {
        at = write_number(at, value, digits);
        *at = mark;
        return at + 1;
}

/* Up to the second. */
static char *write_seconds(char *at, int64_t seconds) {
        int64_t days = seconds / DAY_S - (seconds % DAY_S < 0);
        int of_day = (int)(seconds - days * DAY_S);
        struct date date = date_of_days(days);
        at = write_number_then(at, date.year, 4, '-');
        at = write_number_then(at, date.month, 2, '-');
        at = write_number_then(at, date.day, 2, 'T');
        at = write_number_then(at, of_day / 3600, 2, ':');
        at = write_number_then(at, of_day / 60 % 60, 2, ':');
        return write_number(at, of_day % 60, 2);
}

/* 64 bits of nanoseconds end in the year 2262: four digits are always enough. */
static int format_time(struct wall_time time, bool has_micro, char *buffer) {
        char *at = buffer;
        buffer[0] = '\0';
        if (!wall_time_is_set(time))
                return 0;
        int64_t rest_ns;
        int64_t seconds = split_seconds(time.ns, &rest_ns);
        at = write_seconds(at, seconds);
        if (has_micro) {
                *at++ = '.';
                at = write_number(at, (int)(rest_ns / 1000), 6);
        }
        *at++ = 'Z';
        *at = '\0';
        return (int)(at - buffer);
}

int zoned_time_format(struct zoned_time time, char *buffer) {
        int offset = time.offset < 0 ? -time.offset : time.offset;
        char *at = write_seconds(buffer, time.s + time.offset * 60);
        if (time.ns) {
                *at++ = '.';
                at = write_number(at, time.ns, 9);
                while (at[-1] == '0')
                        at--;
        }
        if (offset) {
                *at++ = time.offset < 0 ? '-' : '+';
                at = write_number_then(at, offset / 60, 2, ':');
                at = write_number(at, offset % 60, 2);
        } else {
                *at++ = 'Z';
        }
        *at = '\0';
        return (int)(at - buffer);
}

int wall_time_format(struct wall_time time, char *buffer) {
        return format_time(time, false, buffer);
}

int wall_time_format_micro(struct wall_time time, char *buffer) {
        return format_time(time, true, buffer);
}

struct duration_unit {
        const char *name;
        uint64_t ns;
};

static bool take_unit(struct cursor *cursor, uint64_t *ret_ns) {
        /* Longer names first where one begins with another; both Unicode letters mu count. */
        static const struct duration_unit units[] = {
                { "ns", 1 },
                { "us", 1000 },
                { "\xc2\xb5s", 1000 },
                { "\xce\xbcs", 1000 },
                { "ms", NS_PER_MS },
                { "s", NS_PER_S },
                { "m", 60 * NS_PER_S },
                { "h", 3600 * NS_PER_S },
        };
        for (size_t i = 0; i < ARRAY_LEN(units); i++) {
                size_t len = strlen(units[i].name);
                if ((size_t)(cursor->end - cursor->at) < len ||
                    memcmp(cursor->at, units[i].name, len) != 0)
                        continue;
                cursor->at += len;
                *ret_ns = units[i].ns;
                return true;
        }
        return false;
}

#define DURATION_LIMIT ((uint64_t)1 << 63)

/* Digits before the point, possibly none; false when the value passes 2^63. */
static bool take_whole(struct cursor *cursor, uint64_t *ret_value) {
        uint64_t value = 0;
        for (; has_digit(cursor); cursor->at++) {
                if (value > DURATION_LIMIT / 10)
                        return false;
                value = value * 10 + (uint64_t)(*cursor->at - '0');
                if (value > DURATION_LIMIT)
                        return false;
        }
        *ret_value = value;
        return true;
}

/* Digits after the point as value / scale; those that no longer fit are dropped, as Go does. */
static void take_decimals(struct cursor *cursor, uint64_t *ret_value, double *ret_scale) {
        bool is_full = false;
        *ret_value = 0;
        *ret_scale = 1;
        for (; has_digit(cursor); cursor->at++) {
                is_full = is_full || *ret_value > (DURATION_LIMIT - 10) / 10;
                if (is_full)
                        continue;
                *ret_value = *ret_value * 10 + (uint64_t)(*cursor->at - '0');
                *ret_scale *= 10;
        }
}

/* One number with its unit. */
static bool take_part(struct cursor *cursor, uint64_t *ret_ns) {
        uint64_t whole, unit, decimals = 0;
        double scale = 1;
        const char *start = cursor->at;
        if (!take_whole(cursor, &whole))
                return false;
        bool has_digits = cursor->at != start;
        if (take_char(cursor, '.')) {
                start = cursor->at;
                take_decimals(cursor, &decimals, &scale);
                has_digits = has_digits || cursor->at != start;
        }
        if (!has_digits || !take_unit(cursor, &unit) || whole > DURATION_LIMIT / unit)
                return false;
        *ret_ns = whole * unit + (uint64_t)((double)decimals * ((double)unit / scale));
        return *ret_ns <= DURATION_LIMIT;
}

bool duration_parse(struct slice text, int64_t *ret_ns) {
        if (text.len == 0)
                return false;
        struct cursor cursor = { text.ptr, text.ptr + text.len };
        bool is_negative = take_char(&cursor, '-');
        if (!is_negative)
                take_char(&cursor, '+');
        if (cursor.end - cursor.at == 1 && *cursor.at == '0') {
                *ret_ns = 0;
                return true;
        }
        uint64_t total = 0;
        do {
                uint64_t part;
                if (!take_part(&cursor, &part))
                        return false;
                total += part; /* both at most 2^63: wraps to 0 at worst when both are */
                if (total > DURATION_LIMIT || (total == 0 && part != 0))
                        return false;
        } while (cursor.at < cursor.end);
        if (total == DURATION_LIMIT && !is_negative)
                return false;
        *ret_ns = is_negative ? (int64_t)(0 - total) : (int64_t)total;
        return true;
}

/* Writes value / 10^digits without trailing zeros, then the unit. */
static int format_decimal(char *buffer, size_t size, uint64_t value, int digits, const char *unit) {
        uint64_t scale = 1;
        for (int i = 0; i < digits; i++)
                scale *= 10;
        uint64_t whole = value / scale;
        uint64_t rest = value % scale;
        if (!rest)
                return snprintf(buffer, size, "%llu%s", (unsigned long long)whole, unit);
        while (rest % 10 == 0) {
                rest /= 10;
                digits--;
        }
        return snprintf(buffer, size, "%llu.%0*llu%s", (unsigned long long)whole, digits,
                        (unsigned long long)rest, unit);
}

int duration_format(int64_t ns, char *buffer) {
        uint64_t rest = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
        const uint64_t minute = 60 * NS_PER_S;
        const size_t size = DURATION_TEXT_MAX;
        int len = 0;
        if (ns < 0)
                buffer[len++] = '-';
        if (rest == 0)
                return snprintf(buffer, size, "0s");
        if (rest < 1000)
                return len + format_decimal(buffer + len, size - (size_t)len, rest, 0, "ns");
        if (rest < NS_PER_MS)
                return len + format_decimal(buffer + len, size - (size_t)len, rest, 3, "\xc2\xb5s");
        if (rest < NS_PER_S)
                return len + format_decimal(buffer + len, size - (size_t)len, rest, 6, "ms");
        if (rest >= 60 * minute)
                len += snprintf(buffer + len, size - (size_t)len, "%lluh",
                                (unsigned long long)(rest / (60 * minute)));
        if (rest >= minute)
                len += snprintf(buffer + len, size - (size_t)len, "%llum",
                                (unsigned long long)(rest / minute % 60));
        return len + format_decimal(buffer + len, size - (size_t)len, rest % minute, 9, "s");
}

#define HOUR_S 3600LL
#define YEAR_S (365 * DAY_S)

/* How kubectl shortens ages: below `limit_s`, a count of the large unit and, when there is a small
 * unit and its count is not zero, that one too. */
struct human_tier {
        int64_t limit_s;
        int64_t large_s;
        int64_t small_s; /* 0 = none */
        char large_name, small_name;
};

static const struct human_tier human_tiers[] = {
        { 2 * 60, 1, 0, 's', 0 },         { 10 * 60, 60, 1, 'm', 's' },
        { 3 * HOUR_S, 60, 0, 'm', 0 },    { 8 * HOUR_S, HOUR_S, 60, 'h', 'm' },
        { 2 * DAY_S, HOUR_S, 0, 'h', 0 }, { 8 * DAY_S, DAY_S, HOUR_S, 'd', 'h' },
        { 2 * YEAR_S, DAY_S, 0, 'd', 0 }, { 8 * YEAR_S, YEAR_S, DAY_S, 'y', 'd' },
        { INT64_MAX, YEAR_S, 0, 'y', 0 },
};

int duration_format_human(int64_t ns, char *buffer) {
        int64_t seconds = ns / NS_PER_S;
        if (seconds < -1) /* more than clock skew explains */
                return snprintf(buffer, DURATION_TEXT_MAX, "<invalid>");
        if (seconds < 0)
                seconds = 0;
        const struct human_tier *tier = human_tiers;
        while (seconds >= tier->limit_s)
                tier++;
        int64_t large = seconds / tier->large_s;
        int64_t small = tier->small_s ? seconds % tier->large_s / tier->small_s : 0;
        if (small == 0)
                return snprintf(buffer, DURATION_TEXT_MAX, "%lld%c", (long long)large,
                                tier->large_name);
        return snprintf(buffer, DURATION_TEXT_MAX, "%lld%c%lld%c", (long long)large,
                        tier->large_name, (long long)small, tier->small_name);
}
