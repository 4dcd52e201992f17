/* Cron schedules: reading them, and finding their next time. */
#include "api/cron_schedule.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/go_number.h"
#include "base/utf8.h"
#include "base/util.h"
#include <ctype.h>
#include <strings.h>

#define FIELDS 5
#define MINUTE_NS (60 * NS_PER_S)
#define DAY_MINUTES 1440
#define DAYS_AHEAD (5 * 366)
#define EVERY_MAX_NS (DAYS_AHEAD * DAY_MINUTES * MINUTE_NS)

struct cron_field {
        int64_t low, high;
        const char *names; /* three letters each, from low; NULL = none */
};
static const struct cron_field cron_fields[FIELDS] = {
        { 0, 59, NULL },
        { 0, 23, NULL },
        { 1, 31, NULL },
        { 1, 12, "janfebmaraprmayjunjulaugsepoctnovdec" },
        { 0, 6, "sunmontuewedthufrisat" },
};

/* ---- numbers ---- */

static int parse_number(struct slice text, int64_t *ret_number, struct err *err) {
        bool is_signed = text.len && (text.ptr[0] == '-' || text.ptr[0] == '+');
        bool is_number = text.len > is_signed;

        for (size_t i = is_signed; i < text.len; i++)
                is_number &= text.ptr[i] >= '0' && text.ptr[i] <= '9';
        if (!is_number || !slice_to_i64(text, ret_number))
                return err_set(err, BERTH_ERR_INVALID,
                               "failed to parse int from " SLICE_FMT
                               ": strconv.Atoi: parsing \"" SLICE_FMT "\": %s",
                               SLICE_ARG(text), SLICE_ARG(text),
                               is_number ? "value out of range" : "invalid syntax");
        if (*ret_number < 0)
                return err_set(err, BERTH_ERR_INVALID,
                               "negative number (%lld) not allowed: " SLICE_FMT,
                               (long long)*ret_number, SLICE_ARG(text));
        return 0;
}

static int parse_name_or_number(const struct cron_field *field, struct slice text,
                                int64_t *ret_number, struct err *err) {
        for (int64_t i = 0; field->names && text.len == 3 && i <= field->high - field->low; i++)
                if (strncasecmp(field->names + 3 * i, text.ptr, 3) == 0) {
                        *ret_number = field->low + i;
                        return 0;
                }
        return parse_number(text, ret_number, err);
}

/* ---- ranges ---- */

struct cron_range {
        struct slice text; /* for messages */
        int64_t start, end, step;
        bool is_any; /* a star, without a step beyond 1 */
};

static size_t count_char(struct slice text, char c) {
        size_t count = 0;

        for (size_t i = 0; i < text.len; i++)
                count += text.ptr[i] == c;
        return count;
}

/* What stands before the step: number | * | ?, with an end or not. */
static int parse_bounds(const struct cron_field *field, struct slice bounds,
                        struct cron_range *range, struct err *err) {
        size_t hyphens = count_char(bounds, '-');
        struct slice last = bounds, first = SLICE_EMPTY;

        slice_split(&last, '-', &first);
        range->is_any = slice_is(first, "*") || slice_is(first, "?");
        if (range->is_any) {
                range->start = field->low;
                range->end = field->high;
                return 0;
        }
        int r = parse_name_or_number(field, first, &range->start, err);
        if (r < 0)
                return r;
        if (hyphens > 1)
                return err_set(err, BERTH_ERR_INVALID, "too many hyphens: " SLICE_FMT,
                               SLICE_ARG(range->text));
        range->end = range->start;
        return hyphens ? parse_name_or_number(field, last, &range->end, err) : 0;
}

/* A number alone means from there on when a step follows. */
static int parse_step(const struct cron_field *field, struct slice step, bool has_end,
                      struct cron_range *range, struct err *err) {
        if (count_char(step, '/'))
                return err_set(err, BERTH_ERR_INVALID, "too many slashes: " SLICE_FMT,
                               SLICE_ARG(range->text));
        int r = parse_number(step, &range->step, err);
        if (!has_end)
                range->end = field->high;
        range->is_any &= range->step <= 1;
        return r;
}

static int check_range(const struct cron_field *field, const struct cron_range *range,
                       struct err *err) {
        long long start = range->start, end = range->end;

        if (start < field->low)
                return err_set(err, BERTH_ERR_INVALID,
                               "beginning of range (%lld) below minimum (%lld): " SLICE_FMT, start,
                               (long long)field->low, SLICE_ARG(range->text));
        if (end > field->high)
                return err_set(err, BERTH_ERR_INVALID,
                               "end of range (%lld) above maximum (%lld): " SLICE_FMT, end,
                               (long long)field->high, SLICE_ARG(range->text));
        if (start > end)
                return err_set(err, BERTH_ERR_INVALID,
                               "beginning of range (%lld) beyond end of range (%lld): " SLICE_FMT,
                               start, end, SLICE_ARG(range->text));
        if (range->step == 0)
                return err_set(err, BERTH_ERR_INVALID,
                               "step of range should be a positive number: " SLICE_FMT,
                               SLICE_ARG(range->text));
        return 0;
}

static int parse_range(const struct cron_field *field, struct cron_range *range, struct err *err) {
        struct slice step = range->text, bounds = SLICE_EMPTY;

        range->step = 1;
        slice_split(&step, '/', &bounds);
        int r = parse_bounds(field, bounds, range, err);
        if (r == 0 && bounds.len < range->text.len)
                r = parse_step(field, step, count_char(bounds, '-') > 0, range, err);
        return r < 0 ? r : check_range(field, range, err);
}

static int parse_field(const struct cron_field *field, struct slice text, uint64_t *ret_bits,
                       bool *ret_is_any, struct err *err) {
        struct cron_range range = { 0 };

        *ret_bits = 0;
        *ret_is_any = false;
        while (slice_split(&text, ',', &range.text)) {
                if (range.text.len == 0)
                        continue;
                int r = parse_range(field, &range, err);
                if (r < 0)
                        return r;
                *ret_is_any |= range.is_any;
                for (int64_t i = range.start; i <= range.end;
                     i += range.step > 60 ? 60 : range.step)
                        *ret_bits |= (uint64_t)1 << i;
        }
        return 0;
}

/* ---- schedules ---- */

/* Words are parted by white space of any kind. */
static bool next_word(struct slice *rest, struct slice *ret_word) {
        size_t end = 0;

        *rest = utf8_trim(*rest);
        while (end < rest->len && !utf8_space_len(slice_make(rest->ptr + end, rest->len - end)))
                end++;
        *ret_word = slice_make(rest->ptr, end);
        *rest = slice_make(rest->ptr + end, rest->len - end);
        return end > 0;
}

static int parse_fields(struct slice text, struct cron_schedule *schedule, struct err *err) {
        uint64_t *const bits[FIELDS] = { &schedule->minutes, &schedule->hours, &schedule->days,
                                         &schedule->months, &schedule->weekdays };
        bool unused, *const is_any[FIELDS] = { &unused, &unused, &schedule->is_any_day, &unused,
                                               &schedule->is_any_weekday };
        CLEANUP(buf_release) struct buf list = { 0 };
        struct slice rest = slice_trim(text), word, words[FIELDS];
        size_t count = 0;
        int r = 0;

        while (next_word(&rest, &word)) {
                buf_printf(&list, "%s" SLICE_FMT, count ? " " : "", SLICE_ARG(word));
                if (count < FIELDS)
                        words[count] = word;
                count++;
        }
        if (count != FIELDS)
                return err_set(err, BERTH_ERR_INVALID,
                               "expected exactly 5 fields, found %zu: [" SLICE_FMT "]", count,
                               SLICE_ARG(buf_view(&list)));
        for (size_t i = 0; r == 0 && i < FIELDS; i++)
                r = parse_field(&cron_fields[i], words[i], bits[i], is_any[i], err);
        return r;
}

static int parse_descriptor(struct slice text, struct cron_schedule *schedule, struct err *err) {
        static const char *const words[][2] = {
                { "@yearly", "0 0 1 1 *" },  { "@annually", "0 0 1 1 *" },
                { "@monthly", "0 0 1 * *" }, { "@weekly", "0 0 * * 0" },
                { "@daily", "0 0 * * *" },   { "@midnight", "0 0 * * *" },
                { "@hourly", "0 * * * *" },
        };
        CLEANUP(buf_release) struct buf problem = { 0 };
        struct slice every = SLICE_LITERAL("@every ");
        int64_t ns;

        for (size_t i = 0; i < ARRAY_LEN(words); i++)
                if (slice_is(text, words[i][0]))
                        return parse_fields(slice_of(words[i][1]), schedule, err);
        if (!slice_has_prefix(text, every))
                return err_set(err, BERTH_ERR_INVALID, "unrecognized descriptor: " SLICE_FMT,
                               SLICE_ARG(text));
        struct slice length = slice_make(text.ptr + every.len, text.len - every.len);
        if (!go_duration_parse(length, &ns, &problem))
                return err_set(err, BERTH_ERR_INVALID, "failed to parse duration " SLICE_FMT ": %s",
                               SLICE_ARG(text), problem.data);
        ns = ns < NS_PER_S ? NS_PER_S : ns > EVERY_MAX_NS ? EVERY_MAX_NS : ns;
        schedule->every_ns = ns - ns % NS_PER_S;
        return 0;
}

int cron_schedule_parse(struct slice text, struct cron_schedule *ret_schedule, struct err *err) {
        struct cron_schedule schedule = { 0 };
        int r = slice_has_prefix(text, SLICE_LITERAL("@")) ? parse_descriptor(text, &schedule, err)
                                                           : parse_fields(text, &schedule, err);

        if (r == 0)
                *ret_schedule = schedule;
        return r;
}

/* ---- calendar ---- */

struct day {
        int64_t month, day, weekday;
};

/* Gregorian date of a day since 1970, by eras of 400 years that begin in March. */
static struct day day_of(int64_t number) {
        int64_t shifted = number + 719468;
        int64_t era = shifted / 146097;
        int64_t of_era = shifted - era * 146097;
        int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
        int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
        int64_t month = (5 * of_year + 2) / 153;

        return (struct day){ .month = month < 10 ? month + 3 : month - 9,
                             .day = of_year - (153 * month + 2) / 5 + 1,
                             .weekday = (number + 4) % 7 };
}

static bool cron_schedule_has(uint64_t bits, int64_t value) {
        return bits >> value & 1;
}

/* When both kinds of day are restricted, either will do. */
static bool is_day(const struct cron_schedule *schedule, int64_t number) {
        struct day day = day_of(number);
        bool is_date = cron_schedule_has(schedule->days, day.day);
        bool is_weekday = cron_schedule_has(schedule->weekdays, day.weekday);

        if (!cron_schedule_has(schedule->months, day.month))
                return false;
        if (schedule->is_any_day || schedule->is_any_weekday)
                return is_date && is_weekday;
        return is_date || is_weekday;
}

struct wall_time cron_schedule_next(const struct cron_schedule *schedule, struct wall_time after) {
        int64_t minute = after.ns / MINUTE_NS + 1, first_day = minute / DAY_MINUTES;

        if (schedule->every_ns)
                return (struct wall_time){ (after.ns / NS_PER_S) * NS_PER_S + schedule->every_ns };
        for (int64_t day = first_day; day < first_day + DAYS_AHEAD; day++) {
                int64_t from = day == first_day ? minute % DAY_MINUTES : 0;

                if (!is_day(schedule, day))
                        continue;
                for (int64_t i = from; i < DAY_MINUTES; i++) {
                        if (cron_schedule_has(schedule->hours, i / 60) &&
                            cron_schedule_has(schedule->minutes, i % 60))
                                return (struct wall_time){ (day * DAY_MINUTES + i) * MINUTE_NS };
                }
        }
        return WALL_TIME_UNSET;
}
