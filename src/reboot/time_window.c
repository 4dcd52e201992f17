/* Times of day, days of the week, and the question whether the window is open. */
#include "reboot/time_window.h"

#include "base/util.h"
#include "reboot/time_zone.h"
#include <ctype.h>
#include <string.h>

#define DAY_S 86400
#define LEAD_STEP_NS (60 * NS_PER_S) /* the window is looked at minute by minute ahead */

static bool is_digits(struct slice text) {
        for (size_t i = 0; i < text.len; i++)
                if (text.ptr[i] < '0' || text.ptr[i] > '9')
                        return false;
        return text.len > 0;
}

/* Two digits for minutes, seconds, and hours before a colon with am or pm; Go takes one or two for
 * hours elsewhere. */
static bool parse_part(struct slice text, size_t min_len, int limit, int *ret_value) {
        int value = 0;

        if (!is_digits(text) || text.len < min_len || text.len > 2)
                return false;
        for (size_t i = 0; i < text.len; i++)
                value = value * 10 + (text.ptr[i] - '0');
        *ret_value = value;
        return value < limit;
}

static bool parse_half_day(struct slice text, bool is_afternoon, int32_t *ret_seconds) {
        struct slice rest = text, hour_text;
        int hour, minute = 0;
        bool has_minutes = slice_contains(text, SLICE_LITERAL(":"));

        slice_split(&rest, ':', &hour_text);
        if (!parse_part(hour_text, has_minutes ? 2 : 1, 13, &hour))
                return false;
        if (has_minutes && !parse_part(rest, 2, 60, &minute))
                return false;
        *ret_seconds = ((hour % 12 + (is_afternoon ? 12 : 0)) * 60 + minute) * 60;
        return true;
}

static bool parse_clock(struct slice text, int32_t *ret_seconds) {
        struct slice rest = text, part;
        int parts[3] = { 0, 0, 0 };
        size_t count = 0;

        while (slice_split(&rest, ':', &part)) {
                if (count == 3 ||
                    !parse_part(part, count == 0 ? 1 : 2, count == 0 ? 24 : 60, &parts[count]))
                        return false;
                count++;
        }
        *ret_seconds = (parts[0] * 60 + parts[1]) * 60 + parts[2];
        return count > 0;
}

int time_of_day_parse(struct slice text, int32_t *ret_seconds, struct err *err) {
        bool is_pm = slice_has_suffix(text, SLICE_LITERAL("pm"));
        bool is_am = slice_has_suffix(text, SLICE_LITERAL("am"));
        int32_t seconds;
        bool is_valid =
                is_am || is_pm ? parse_half_day(slice_make(text.ptr, text.len - 2), is_pm, &seconds)
                               : parse_clock(text, &seconds);

        if (!is_valid)
                return err_set(err, BERTH_ERR_INVALID,
                               "expected a time of day such as 9am, 09:30am, 17 or 15:04:05, found "
                               "\"" SLICE_FMT "\"",
                               SLICE_ARG(text));
        *ret_seconds = seconds;
        return 0;
}

static int day_number(struct slice name) {
        static const char *const days[] = { "sunday",   "monday", "tuesday", "wednesday",
                                            "thursday", "friday", "saturday" };
        static const char *const middle[] = { "sun", "mon", "tue", "wed", "thu", "fri", "sat" };
        char lower[16];

        if (name.len == 1 && name.ptr[0] >= '0' && name.ptr[0] <= '6')
                return name.ptr[0] - '0';
        if (name.len < 2 || name.len >= sizeof(lower))
                return -1;
        for (size_t i = 0; i < name.len; i++)
                lower[i] = (char)tolower((unsigned char)name.ptr[i]);
        lower[name.len] = '\0';
        for (int i = 0; i < 7; i++)
                if (strcmp(lower, days[i]) == 0 || strcmp(lower, middle[i]) == 0 ||
                    (name.len == 2 && strncmp(lower, days[i], 2) == 0))
                        return i;
        return -1;
}

int days_parse(struct slice text, unsigned *days, struct err *err) {
        struct slice rest = text, name;

        while (slice_split(&rest, ',', &name)) {
                int day = day_number(name);

                if (name.len == 0)
                        continue;
                if (day < 0)
                        return err_set(err, BERTH_ERR_INVALID,
                                       "expected days of the week such as mo, tue or friday, found "
                                       "\"" SLICE_FMT "\"",
                                       SLICE_ARG(name));
                *days |= 1u << day;
        }
        return 0;
}

struct local_time {
        int64_t days;
        int32_t seconds;
        int weekday;
};

static struct local_time local_time(const struct time_window *window, struct wall_time now) {
        int64_t unix_s = now.ns / NS_PER_S - (now.ns % NS_PER_S < 0);
        struct local_time local;

        unix_s += time_zone_offset(window->zone, unix_s);
        local.days = unix_s / DAY_S - (unix_s % DAY_S < 0);
        local.seconds = (int32_t)(unix_s - local.days * DAY_S);
        local.weekday = (int)(((local.days + 4) % 7 + 7) % 7);
        return local;
}

/* ret_day: the day it began on, as far as that counts for this window. */
static bool opens_on(const struct time_window *window, struct wall_time now, int64_t *ret_day) {
        struct local_time local = local_time(window, now);
        bool wraps = window->start_s > window->end_s;
        int day = local.weekday;

        *ret_day = local.days;
        if (!wraps && (local.seconds < window->start_s || local.seconds > window->end_s))
                return false;
        if (wraps && local.seconds < window->start_s && local.seconds > window->end_s)
                return false;
        if (window->is_anchored && wraps && local.seconds <= window->end_s) {
                day = (day + 6) % 7; /* it began yesterday */
                *ret_day = local.days - 1;
        }
        return window->days & 1u << day;
}

bool time_window_is_open(const struct time_window *window, struct wall_time now) {
        int64_t day;

        return opens_on(window, now, &day);
}

bool time_window_opens_within(const struct time_window *window, struct wall_time now,
                              int64_t lead_ns) {
        const struct window_calendar calendar = { .window_count = 1, .windows = window };

        return window_calendar_opens_within(&calendar, now, lead_ns);
}

/* ---- several windows, days off ---- */

static bool time_window_excludes(const struct excluded_days *excluded, int64_t day) {
        int64_t year = calendar_year(day), value = day;

        if (excluded->is_yearly) { /* month and day, by trying months */
                int month = 12;

                while (month > 1 && calendar_days(year, month, 1) > day)
                        month--;
                value = month * 100 + (day - calendar_days(year, month, 1)) + 1;
                if (excluded->first > excluded->last)
                        return value >= excluded->first || value <= excluded->last;
        }
        return value >= excluded->first && value <= excluded->last;
}

static bool is_open_at(const struct window_calendar *calendar, struct wall_time now) {
        int64_t day;

        for (size_t i = 0; i < calendar->window_count; i++) {
                bool is_off = false;

                if (!opens_on(&calendar->windows[i], now, &day))
                        continue;
                for (size_t j = 0; j < calendar->excluded_count && !is_off; j++)
                        is_off = time_window_excludes(&calendar->excluded[j], day);
                if (!is_off)
                        return true;
        }
        return false;
}

bool window_calendar_opens_within(const struct window_calendar *calendar, struct wall_time now,
                                  int64_t lead_ns) {
        for (int64_t ahead = 0; ahead <= lead_ns; ahead += LEAD_STEP_NS)
                if (is_open_at(calendar, (struct wall_time){ now.ns + ahead }))
                        return true;
        return false;
}

/* "mo" or "mo-fr" */
static int add_days(struct slice text, unsigned *days, struct err *err) {
        struct slice rest = text, name;

        slice_split(&rest, '-', &name);
        int first = day_number(name);
        int last = rest.ptr ? day_number(rest) : first;
        if (first < 0 || last < 0)
                return err_set(err, BERTH_ERR_INVALID,
                               "expected days of the week such as mo-fr, found \"" SLICE_FMT "\"",
                               SLICE_ARG(text));
        for (int day = first;; day = (day + 1) % 7) {
                *days |= 1u << day;
                if (day == last)
                        return 0;
        }
}

int time_window_parse(struct slice text, const struct time_zone *zone,
                      struct time_window *ret_window, struct err *err) {
        struct time_window window = { .is_anchored = true, .zone = zone };
        struct slice rest = slice_trim(text), head, name;

        slice_split(&rest, ' ', &head);
        if (rest.ptr) {
                while (slice_split(&head, ',', &name))
                        if (add_days(name, &window.days, err) < 0)
                                return BERTH_ERR_INVALID;
                head = slice_trim(rest);
        } else {
                window.days = 127;
        }
        rest = head;
        slice_split(&rest, '-', &head);
        if (!rest.ptr)
                return err_set(err, BERTH_ERR_INVALID,
                               "expected a window such as mo-fr 22:00-06:00, found \"" SLICE_FMT
                               "\"",
                               SLICE_ARG(text));
        if (time_of_day_parse(head, &window.start_s, err) < 0 ||
            time_of_day_parse(rest, &window.end_s, err) < 0)
                return BERTH_ERR_INVALID;
        *ret_window = window;
        return 0;
}

static bool parse_digits(struct slice text, size_t len, int *ret_value) {
        int value = 0;

        if (text.len != len || !is_digits(text))
                return false;
        for (size_t i = 0; i < len; i++)
                value = value * 10 + (text.ptr[i] - '0');
        *ret_value = value;
        return true;
}

static bool parse_date(struct slice text, bool *ret_is_yearly, int64_t *ret_value) {
        static const int lengths[] = { 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
        struct slice rest = text, part;
        int year = 2000, month, day;

        *ret_is_yearly = text.len == 5;
        if (!*ret_is_yearly && (!slice_split(&rest, '-', &part) || !parse_digits(part, 4, &year)))
                return false;
        if (!rest.ptr || !slice_split(&rest, '-', &part) || !parse_digits(part, 2, &month) ||
            !rest.ptr || !parse_digits(rest, 2, &day))
                return false;
        if (month < 1 || month > 12 || day < 1 || day > lengths[month - 1])
                return false;
        *ret_value = *ret_is_yearly ? month * 100 + day : calendar_days(year, month, day);
        return true;
}

int excluded_days_parse(struct slice text, struct excluded_days *ret_days, struct err *err) {
        const char *dots = memmem(text.ptr, text.len, "..", 2);
        struct slice first = text, last = text;
        struct excluded_days days;
        bool is_yearly;

        if (dots) {
                first = slice_make(text.ptr, (size_t)(dots - text.ptr));
                last = slice_make(dots + 2, text.len - first.len - 2);
        }
        if (!parse_date(first, &days.is_yearly, &days.first) ||
            !parse_date(last, &is_yearly, &days.last) || is_yearly != days.is_yearly ||
            (!is_yearly && days.first > days.last))
                return err_set(err, BERTH_ERR_INVALID,
                               "expected a day such as 2026-12-24, 12-25 or 12-24..01-06, found "
                               "\"" SLICE_FMT "\"",
                               SLICE_ARG(text));
        *ret_days = days;
        return 0;
}
