/* Parsing cron schedules and finding their next time. */
#include "control/cron_schedule.h"

#include "base/util.h"
#include <ctype.h>

#define FIELDS 5
#define MINUTE_NS (60 * NS_PER_S)
#define DAY_MINUTES 1440
#define DAYS_AHEAD (5 * 366)
#define EVERY_MAX_NS (DAYS_AHEAD * DAY_MINUTES * MINUTE_NS)

struct cron_schedule_field {
        const char *name;
        int64_t low, high;
        const char *words; /* three letters each, from low; NULL = none */
};
static const struct cron_schedule_field fields[FIELDS] = {
        { "minute", 0, 59, NULL },
        { "hour", 0, 23, NULL },
        { "day of month", 1, 31, NULL },
        { "month", 1, 12, "janfebmaraprmayjunjulaugsepoctnovdec" },
        { "day of week", 0, 7, "sunmontuewedthufrisat" },
};

/* ---- parsing ---- */

static bool parse_value(const struct cron_schedule_field *field, struct slice text,
                        int64_t *ret_value) {
        if (slice_to_i64(text, ret_value))
                return *ret_value >= field->low && *ret_value <= field->high;
        for (size_t i = 0; field->words && text.len == 3 && field->words[i * 3]; i++) {
                const char *word = field->words + i * 3;

                if (tolower((unsigned char)text.ptr[0]) == word[0] &&
                    tolower((unsigned char)text.ptr[1]) == word[1] &&
                    tolower((unsigned char)text.ptr[2]) == word[2]) {
                        *ret_value = field->low + (int64_t)i;
                        return true;
                }
        }
        return false;
}

static int fail_field(const struct cron_schedule_field *field, struct slice text, struct err *err) {
        return err_set(err, BERTH_ERR_INVALID, "\"" SLICE_FMT "\" is no %s", SLICE_ARG(text),
                       field->name);
}

/* Star, N or N-M; N alone means from there on when a step follows. */
static bool parse_range(const struct cron_schedule_field *field, struct slice text, bool has_step,
                        int64_t *low, int64_t *high) {
        struct slice rest = text, first = SLICE_EMPTY, last = SLICE_EMPTY;

        *low = field->low;
        *high = field->high == 7 ? 6 : field->high; /* Sunday is 0 and 7 */
        if (slice_is(text, "*") || slice_is(text, "?"))
                return true;
        slice_split(&rest, '-', &first);
        bool has_last = slice_split(&rest, '-', &last);
        if (!parse_value(field, first, low))
                return false;
        if (has_last)
                return parse_value(field, last, high) && *high >= *low;
        if (!has_step)
                *high = *low;
        return true;
}

static int parse_part(const struct cron_schedule_field *field, struct slice part, uint64_t *bits,
                      struct err *err) {
        struct slice rest = part, range = SLICE_EMPTY, step_text = SLICE_EMPTY;
        int64_t low, high, step = 1;

        slice_split(&rest, '/', &range);
        bool has_step = slice_split(&rest, '/', &step_text);
        if (has_step && (!slice_to_i64(step_text, &step) || step < 1 || rest.ptr))
                return fail_field(field, part, err);
        if (!parse_range(field, range, has_step, &low, &high))
                return fail_field(field, part, err);
        for (int64_t i = low; i <= high; i += step)
                *bits |= (uint64_t)1 << (field->high == 7 ? i % 7 : i);
        return 0;
}

static int parse_field(const struct cron_schedule_field *field, struct slice text,
                       uint64_t *ret_bits, struct err *err) {
        struct slice rest = text, part;
        uint64_t bits = 0;

        while (slice_split(&rest, ',', &part)) {
                int r = parse_part(field, part, &bits, err);

                if (r < 0)
                        return r;
        }
        *ret_bits = bits;
        return 0;
}

/* Runs of blanks separate fields. */
static bool next_field(struct slice *rest, struct slice *ret_field) {
        *rest = slice_trim(*rest);
        if (rest->len == 0)
                return false;
        *ret_field = slice_make(rest->ptr, 0);
        while (ret_field->len < rest->len && rest->ptr[ret_field->len] != ' ' &&
               rest->ptr[ret_field->len] != '\t')
                ret_field->len++;
        *rest = slice_make(rest->ptr + ret_field->len, rest->len - ret_field->len);
        return true;
}

static struct slice spell_out(struct slice text) {
        static const char *const words[][2] = {
                { "@yearly", "0 0 1 1 *" },  { "@annually", "0 0 1 1 *" },
                { "@monthly", "0 0 1 * *" }, { "@weekly", "0 0 * * 0" },
                { "@daily", "0 0 * * *" },   { "@midnight", "0 0 * * *" },
                { "@hourly", "0 * * * *" },
        };

        for (size_t i = 0; i < ARRAY_LEN(words); i++) {
                if (slice_is(text, words[i][0]))
                        return slice_of(words[i][1]);
        }
        return text;
}

int cron_schedule_parse(struct slice text, struct cron_schedule *ret_schedule, struct err *err) {
        struct slice every = SLICE_LITERAL("@every "), rest = spell_out(slice_trim(text)), field;
        struct cron_schedule schedule = { 0 };
        uint64_t *const bits[FIELDS] = { &schedule.minutes, &schedule.hours, &schedule.days,
                                         &schedule.months, &schedule.weekdays };
        size_t count = 0;

        if (slice_has_prefix(rest, every)) {
                if (!duration_parse(slice_make(rest.ptr + every.len, rest.len - every.len),
                                    &schedule.every_ns) ||
                    schedule.every_ns < NS_PER_S || schedule.every_ns > EVERY_MAX_NS)
                        return err_set(err, BERTH_ERR_INVALID, "@every needs a duration");
                *ret_schedule = schedule;
                return 0;
        }
        while (next_field(&rest, &field)) {
                int r = count < FIELDS ? parse_field(&fields[count], field, bits[count], err) : 0;

                if (r < 0)
                        return r;
                if (count == 2)
                        schedule.is_any_day = field.ptr[0] == '*' || field.ptr[0] == '?';
                if (count == 4)
                        schedule.is_any_weekday = field.ptr[0] == '*' || field.ptr[0] == '?';
                count++;
        }
        if (count != FIELDS)
                return err_set(err, BERTH_ERR_INVALID, "a schedule has 5 fields, this one %zu",
                               count);
        *ret_schedule = schedule;
        return 0;
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
