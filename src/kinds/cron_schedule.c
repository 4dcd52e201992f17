/* Schedules of cron jobs. */
#include "kinds/cron_schedule.h"

#include "base/buf.h"
#include "base/time.h"
#include "base/util.h"
#include "kinds/time_zones.h"
#include <strings.h>

struct schedule_field {
        int64_t low, high;
        const char *names; /* three letters each, from low; NULL = none */
};
static const struct schedule_field schedule_fields[] = {
        { 0, 59, NULL },
        { 0, 23, NULL },
        { 1, 31, NULL },
        { 1, 12, "janfebmaraprmayjunjulaugsepoctnovdec" },
        { 0, 6, "sunmontuewedthufrisat" },
};

/* ---- numbers ---- */

static const char *number_problem(struct arena *arena, struct slice text, int64_t *ret_number) {
        bool is_signed = text.len && (text.ptr[0] == '-' || text.ptr[0] == '+');
        bool is_number = text.len > is_signed;

        for (size_t i = is_signed; i < text.len; i++)
                is_number &= text.ptr[i] >= '0' && text.ptr[i] <= '9';
        if (!is_number || !slice_to_i64(text, ret_number))
                return arena_printf(arena,
                                    "failed to parse int from " SLICE_FMT
                                    ": strconv.Atoi: parsing \"" SLICE_FMT "\": %s",
                                    SLICE_ARG(text), SLICE_ARG(text),
                                    is_number ? "value out of range" : "invalid syntax");
        if (*ret_number < 0)
                return arena_printf(arena, "negative number (%lld) not allowed: " SLICE_FMT,
                                    (long long)*ret_number, SLICE_ARG(text));
        return NULL;
}

static const char *name_or_number_problem(struct arena *arena, struct slice text,
                                          const struct schedule_field *field, int64_t *ret_number) {
        for (int64_t i = 0; field->names && text.len == 3 && i <= field->high - field->low; i++)
                if (strncasecmp(field->names + 3 * i, text.ptr, 3) == 0) {
                        *ret_number = field->low + i;
                        return NULL;
                }
        return number_problem(arena, text, ret_number);
}

/* ---- ranges ---- */

struct schedule_range {
        int64_t start, end, step;
};

static size_t count_char(struct slice text, char c) {
        size_t count = 0;

        for (size_t i = 0; i < text.len; i++)
                count += text.ptr[i] == c;
        return count;
}

/* What stands before the step: number | * | ?, with an end or not. */
static const char *bounds_problem(struct arena *arena, struct slice whole, struct slice bounds,
                                  const struct schedule_field *field,
                                  struct schedule_range *range) {
        size_t hyphens = count_char(bounds, '-');
        struct slice last = bounds, first = SLICE_EMPTY;

        slice_split(&last, '-', &first);
        if (slice_is(first, "*") || slice_is(first, "?")) {
                *range = (struct schedule_range){ field->low, field->high, 1 };
                return NULL;
        }
        const char *problem = name_or_number_problem(arena, first, field, &range->start);
        if (problem)
                return problem;
        if (hyphens > 1)
                return arena_printf(arena, "too many hyphens: " SLICE_FMT, SLICE_ARG(whole));
        range->end = range->start;
        return hyphens ? name_or_number_problem(arena, last, field, &range->end) : NULL;
}

static const char *step_problem(struct arena *arena, struct slice whole, struct slice step,
                                struct schedule_range *range) {
        if (count_char(step, '/'))
                return arena_printf(arena, "too many slashes: " SLICE_FMT, SLICE_ARG(whole));
        return number_problem(arena, step, &range->step);
}

static const char *range_problem(struct arena *arena, struct slice text,
                                 const struct schedule_field *field) {
        struct schedule_range range = { .step = 1 };
        struct slice step = text, bounds = SLICE_EMPTY;

        slice_split(&step, '/', &bounds);
        const char *problem = bounds_problem(arena, text, bounds, field, &range);
        if (!problem && bounds.len < text.len) {
                problem = step_problem(arena, text, step, &range);
                if (count_char(bounds, '-') == 0)
                        range.end = field->high;
        }
        if (problem)
                return problem;
        if (range.start < field->low)
                return arena_printf(arena,
                                    "beginning of range (%lld) below minimum (%lld): " SLICE_FMT,
                                    (long long)range.start, (long long)field->low, SLICE_ARG(text));
        if (range.end > field->high)
                return arena_printf(arena, "end of range (%lld) above maximum (%lld): " SLICE_FMT,
                                    (long long)range.end, (long long)field->high, SLICE_ARG(text));
        if (range.start > range.end)
                return arena_printf(
                        arena, "beginning of range (%lld) beyond end of range (%lld): " SLICE_FMT,
                        (long long)range.start, (long long)range.end, SLICE_ARG(text));
        if (range.step == 0)
                return arena_printf(arena, "step of range should be a positive number: " SLICE_FMT,
                                    SLICE_ARG(text));
        return NULL;
}

static const char *field_problem(struct arena *arena, struct slice text,
                                 const struct schedule_field *field) {
        const char *problem = NULL;
        struct slice part;

        while (!problem && slice_split(&text, ',', &part))
                if (part.len)
                        problem = range_problem(arena, part, field);
        return problem;
}

/* ---- schedules ---- */

static const char *descriptor_problem(struct arena *arena, struct slice text) {
        static const char *const names[] = { "@yearly", "@annually", "@monthly", "@weekly",
                                             "@daily",  "@midnight", "@hourly" };
        struct slice every = SLICE_LITERAL("@every ");
        int64_t ns;

        for (size_t i = 0; i < ARRAY_LEN(names); i++)
                if (slice_is(text, names[i]))
                        return NULL;
        if (!slice_has_prefix(text, every))
                return arena_printf(arena, "unrecognized descriptor: " SLICE_FMT, SLICE_ARG(text));
        struct slice length = slice_make(text.ptr + every.len, text.len - every.len);
        if (duration_parse(length, &ns))
                return NULL;
        return arena_printf(arena,
                            "failed to parse duration " SLICE_FMT
                            ": time: invalid duration \"" SLICE_FMT "\"",
                            SLICE_ARG(text), SLICE_ARG(length));
}

/* Takes "TZ=Zone " off. Upstream's parser counts on a space and falls over without one. */
static const char *zone_problem(struct arena *arena, struct slice *schedule) {
        struct slice rest = *schedule, zone;

        if (!slice_has_prefix(rest, SLICE_LITERAL("TZ=")) &&
            !slice_has_prefix(rest, SLICE_LITERAL("CRON_TZ=")))
                return NULL;
        if (count_char(rest, ' ') == 0)
                return "invalid schedule format: runtime error: slice bounds out of range [:-1]";
        slice_split(&rest, '=', &zone);
        slice_split(&rest, ' ', &zone);
        *schedule = slice_trim(rest);
        if (zone.len == 0 || slice_is(zone, "Local") || time_zone_is_known(zone))
                return NULL;
        return arena_printf(arena,
                            "provided bad location " SLICE_FMT ": unknown time zone " SLICE_FMT,
                            SLICE_ARG(zone), SLICE_ARG(zone));
}

#define SCHEDULE_FIELDS ARRAY_LEN(schedule_fields)

const char *cron_schedule_problem(struct arena *arena, struct slice schedule) {
        CLEANUP(buf_release) struct buf list = { 0 };
        const char *problem = zone_problem(arena, &schedule);
        struct slice rest = slice_trim(schedule), word, words[SCHEDULE_FIELDS];
        size_t count = 0;

        if (problem)
                return problem;
        if (slice_has_prefix(schedule, SLICE_LITERAL("@")))
                return descriptor_problem(arena, schedule);
        while (slice_split(&rest, ' ', &word)) {
                if (word.len == 0)
                        continue;
                buf_printf(&list, "%s" SLICE_FMT, count ? " " : "", SLICE_ARG(word));
                if (count < SCHEDULE_FIELDS)
                        words[count] = word;
                count++;
        }
        if (count != SCHEDULE_FIELDS)
                return arena_printf(arena, "expected exactly 5 fields, found %zu: [" SLICE_FMT "]",
                                    count, SLICE_ARG(buf_view(&list)));
        for (size_t i = 0; !problem && i < SCHEDULE_FIELDS; i++)
                problem = field_problem(arena, words[i], &schedule_fields[i]);
        return problem;
}
