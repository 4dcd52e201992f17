/* Reads TZif files and the rule text at their end. */
#include "reboot/time_zone.h"

#include <stdbool.h>

#define SECONDS_PER_DAY 86400
#define RULE_OFFSET_MAX (25 * 3600)

/* When a rule of the POSIX form switches, within any year. */
struct zone_switch {
        enum { SWITCH_WEEKDAY, SWITCH_JULIAN, SWITCH_DAY } kind;
        int month, week, day; /* M form: week 5 = last; day is the weekday or the day of the year */
        int32_t seconds;      /* local time of the switch */
};

struct zone_change {
        int64_t at;
        int32_t offset;
};

struct time_zone {
        size_t count;
        struct zone_change *changes;
        int32_t first_offset; /* before the first change */
        bool has_rule, has_summer;
        int32_t standard, summer; /* offsets of the rule */
        struct zone_switch starts, ends;
};

/* ---- calendar ---- */

int64_t calendar_days(int64_t year, int month, int day) {
        int64_t shifted = year - (month <= 2), era, of_era, of_year;

        era = (shifted >= 0 ? shifted : shifted - 399) / 400;
        of_era = shifted - era * 400;
        of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
        return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

int64_t calendar_year(int64_t days) {
        int64_t year = 1970 + days / 366;

        while (calendar_days(year + 1, 1, 1) <= days)
                year++;
        while (calendar_days(year, 1, 1) > days)
                year--;
        return year;
}

static bool is_leap(int64_t year) {
        return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int weekday_of(int64_t days) {
        return (int)(((days + 4) % 7 + 7) % 7);
}

/* ---- the rule text: EST5EDT,M3.2.0,M11.1.0 ---- */

static bool take_number(struct slice *text, int *ret_value) {
        size_t used = 0;
        int value = 0;

        while (used < text->len && used < 4 && text->ptr[used] >= '0' && text->ptr[used] <= '9')
                value = value * 10 + (text->ptr[used++] - '0');
        *text = slice_make(text->ptr + used, text->len - used);
        *ret_value = value;
        return used > 0;
}

static bool take_char(struct slice *text, char wanted) {
        if (text->len == 0 || text->ptr[0] != wanted)
                return false;
        *text = slice_make(text->ptr + 1, text->len - 1);
        return true;
}

/* [+-]hh[:mm[:ss]] */
static bool take_time(struct slice *text, int32_t *ret_seconds) {
        int parts[3] = { 0, 0, 0 };
        bool is_negative = take_char(text, '-');

        if (!is_negative)
                take_char(text, '+');
        if (!take_number(text, &parts[0]))
                return false;
        for (int i = 1; i < 3 && take_char(text, ':'); i++)
                if (!take_number(text, &parts[i]))
                        return false;
        *ret_seconds = (parts[0] * 60 + parts[1]) * 60 + parts[2];
        if (is_negative)
                *ret_seconds = -*ret_seconds;
        return true;
}

/* A name in letters, or anything between < and >. */
static bool take_name(struct slice *text) {
        size_t used = 0;

        if (take_char(text, '<')) {
                while (used < text->len && text->ptr[used] != '>')
                        used++;
                *text = slice_make(text->ptr + used, text->len - used);
                return take_char(text, '>');
        }
        while (used < text->len && ((text->ptr[used] | 32) >= 'a' && (text->ptr[used] | 32) <= 'z'))
                used++;
        *text = slice_make(text->ptr + used, text->len - used);
        return used >= 3;
}

/* month.week.weekday */
static bool take_weekday(struct slice *text, struct zone_switch *when) {
        when->kind = SWITCH_WEEKDAY;
        if (!take_number(text, &when->month) || !take_char(text, '.') ||
            !take_number(text, &when->week) || !take_char(text, '.') ||
            !take_number(text, &when->day))
                return false;
        return when->month >= 1 && when->month <= 12 && when->day <= 6 && when->week >= 1 &&
               when->week <= 5;
}

static bool take_switch(struct slice *text, struct zone_switch *ret_switch) {
        *ret_switch = (struct zone_switch){ .seconds = 2 * 3600 };
        if (!take_char(text, ','))
                return false;
        if (take_char(text, 'M')) {
                if (!take_weekday(text, ret_switch))
                        return false;
        } else {
                ret_switch->kind = take_char(text, 'J') ? SWITCH_JULIAN : SWITCH_DAY;
                if (!take_number(text, &ret_switch->day))
                        return false;
        }
        return !take_char(text, '/') || take_time(text, &ret_switch->seconds);
}

static bool read_rule(struct time_zone *zone, struct slice text) {
        int32_t west;

        if (!take_name(&text) || !take_time(&text, &west) || west > RULE_OFFSET_MAX ||
            west < -RULE_OFFSET_MAX)
                return false;
        zone->standard = -west;
        zone->has_rule = true;
        if (text.len == 0)
                return true;
        zone->summer = zone->standard + 3600;
        if (!take_name(&text))
                return false;
        if (text.len > 0 && text.ptr[0] != ',') {
                if (!take_time(&text, &west))
                        return false;
                zone->summer = -west;
        }
        zone->has_summer = take_switch(&text, &zone->starts) && take_switch(&text, &zone->ends);
        return zone->has_summer;
}

static int64_t switch_day(const struct zone_switch *when, int64_t year) {
        int64_t start = calendar_days(year, 1, 1), day;

        if (when->kind == SWITCH_DAY)
                return start + when->day;
        if (when->kind == SWITCH_JULIAN) /* day 60 is 1 March in every year */
                return start + when->day - 1 + (is_leap(year) && when->day >= 60);
        day = calendar_days(year, when->month, 1);
        day += (when->day - weekday_of(day) + 7) % 7 + (when->week - 1) * 7;
        while (day >= (when->month == 12 ? calendar_days(year + 1, 1, 1)
                                         : calendar_days(year, when->month + 1, 1)))
                day -= 7;
        return day;
}

static int32_t rule_offset(const struct time_zone *zone, int64_t unix_s) {
        int64_t local = unix_s + zone->standard, days, year, starts, ends;

        if (!zone->has_summer)
                return zone->standard;
        days = local / SECONDS_PER_DAY - (local % SECONDS_PER_DAY < 0);
        year = calendar_year(days);
        starts = switch_day(&zone->starts, year) * SECONDS_PER_DAY + zone->starts.seconds -
                 zone->standard;
        ends = switch_day(&zone->ends, year) * SECONDS_PER_DAY + zone->ends.seconds - zone->summer;
        if (starts < ends)
                return unix_s >= starts && unix_s < ends ? zone->summer : zone->standard;
        return unix_s >= starts || unix_s < ends ? zone->summer : zone->standard;
}

/* ---- the file ---- */

#define TZIF_HEADER_SIZE 44

struct tzif_counts {
        uint32_t utc, standard, leap, time, type, chars;
};

static int64_t read_be(const char *at, int bytes) {
        uint64_t value = at[0] & 0x80 ? UINT64_MAX : 0;

        for (int i = 0; i < bytes; i++)
                value = value << 8 | (uint8_t)at[i];
        return (int64_t)value;
}

static bool read_header(struct slice bytes, struct tzif_counts *ret_counts) {
        uint32_t values[6];

        if (bytes.len < TZIF_HEADER_SIZE || memcmp(bytes.ptr, "TZif", 4) != 0)
                return false;
        for (int i = 0; i < 6; i++) {
                values[i] = (uint32_t)read_be(bytes.ptr + 20 + 4 * i, 4);
                if (values[i] > TIME_ZONE_CHANGES_MAX)
                        return false;
        }
        *ret_counts = (struct tzif_counts){ values[0], values[1], values[2],
                                            values[3], values[4], values[5] };
        return values[4] > 0;
}

static size_t body_size(const struct tzif_counts *counts, size_t width) {
        return counts->time * (width + 1) + counts->type * 6 + counts->chars +
               counts->leap * (width + 4) + counts->standard + counts->utc;
}

static int read_body(struct slice body, const struct tzif_counts *counts, size_t width,
                     struct time_zone *zone, struct arena *arena, struct err *err) {
        const char *types = body.ptr + counts->time * width;
        const char *infos = types + counts->time;

        zone->changes = ARENA_ARRAY(arena, struct zone_change, counts->time + 1);
        zone->first_offset = (int32_t)read_be(infos, 4);
        for (uint32_t i = 0; i < counts->time; i++) {
                uint8_t type = (uint8_t)types[i];

                if (type >= counts->type)
                        return err_set(err, BERTH_ERR_BAD_REQUEST, "damaged time zone file");
                zone->changes[zone->count++] = (struct zone_change){
                        .at = read_be(body.ptr + i * width, (int)width),
                        .offset = (int32_t)read_be(infos + 6 * type, 4),
                };
        }
        return 0;
}

int time_zone_parse(struct slice bytes, struct arena *arena, struct time_zone **ret_zone,
                    struct err *err) {
        struct time_zone *zone = ARENA_NEW(arena, struct time_zone);
        struct tzif_counts counts;
        size_t width = 4, size;

        if (!read_header(bytes, &counts))
                return err_set(err, BERTH_ERR_BAD_REQUEST, "not a time zone file");
        if (bytes.ptr[4] >= '2') { /* the same again with 64-bit times follows */
                size = TZIF_HEADER_SIZE + body_size(&counts, 4);
                if (bytes.len < size)
                        return err_set(err, BERTH_ERR_BAD_REQUEST, "truncated time zone file");
                bytes = slice_make(bytes.ptr + size, bytes.len - size);
                width = 8;
                if (!read_header(bytes, &counts))
                        return err_set(err, BERTH_ERR_BAD_REQUEST, "damaged time zone file");
        }
        size = TZIF_HEADER_SIZE + body_size(&counts, width);
        if (bytes.len < size)
                return err_set(err, BERTH_ERR_BAD_REQUEST, "truncated time zone file");
        if (read_body(slice_make(bytes.ptr + TZIF_HEADER_SIZE, bytes.len - TZIF_HEADER_SIZE),
                      &counts, width, zone, arena, err) < 0)
                return BERTH_ERR_BAD_REQUEST;
        if (width == 8) {
                struct slice rule = slice_trim(slice_make(bytes.ptr + size, bytes.len - size));

                if (rule.len > 0 && !read_rule(zone, rule))
                        return err_set(err, BERTH_ERR_BAD_REQUEST, "damaged time zone rule");
        }
        *ret_zone = zone;
        return 0;
}

int32_t time_zone_offset(const struct time_zone *zone, int64_t unix_s) {
        size_t low = 0, high;

        if (!zone)
                return 0;
        high = zone->count;
        while (low < high) { /* the number of changes at or before the time */
                size_t middle = low + (high - low) / 2;

                if (zone->changes[middle].at <= unix_s)
                        low = middle + 1;
                else
                        high = middle;
        }
        if (low == zone->count && zone->has_rule)
                return rule_offset(zone, unix_s);
        return low == 0 ? zone->first_offset : zone->changes[low - 1].offset;
}
