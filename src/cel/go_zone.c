/* Reading time zones. */
#include "cel/go_zone.h"

#include "base/go_number.h"
#include "base/time.h"
#include "base/util.h"

#define SECONDS_PER_HOUR 3600
#define NS_PER_MINUTE (60 * NS_PER_S)
#define GMT_WEST_MAX 12 /* hours of Etc/GMT+12 */
#define GMT_EAST_MAX 14

/* ---- names ---- */

/* With or without "Etc/" in front. */
static bool is_utc(struct slice name) {
        static const char *const names[] = { "UTC",  "GMT",       "GMT0",      "GMT+0", "GMT-0",
                                             "Zulu", "Greenwich", "Universal", "UCT" };

        for (size_t i = 0; i < ARRAY_LEN(names); i++) {
                if (slice_is(name, names[i]))
                        return true;
        }
        return false;
}

/* "GMT+5" of "Etc/GMT+5", which is west. */
static bool read_hours(struct slice name, int64_t *ret_seconds) {
        int64_t hours;

        if (!slice_has_prefix(name, SLICE_LITERAL("GMT")) || name.len < 5 || name.ptr[4] == '0' ||
            (name.ptr[3] != '+' && name.ptr[3] != '-') ||
            !slice_to_i64(slice_make(name.ptr + 3, name.len - 3), &hours) || hours > GMT_WEST_MAX ||
            hours < -GMT_EAST_MAX)
                return false;
        *ret_seconds = -hours * SECONDS_PER_HOUR;
        return true;
}

static bool has_odd_path(struct slice name) {
        return *name.ptr == '/' || *name.ptr == '\\' || slice_contains(name, SLICE_LITERAL(".."));
}

static const char *name_offset(struct arena *arena, struct slice name, int64_t *ret_seconds) {
        struct slice etc = SLICE_LITERAL("Etc/"), inner = name;
        bool is_in_etc = slice_has_prefix(name, etc);

        *ret_seconds = 0;
        if (is_in_etc)
                inner = slice_make(name.ptr + etc.len, name.len - etc.len);
        /* where the server is, it is UTC */
        if (name.len == 0 || slice_is(name, "Local") || slice_is(name, "Factory") ||
            is_utc(inner) || (is_in_etc && read_hours(inner, ret_seconds)))
                return NULL;
        if (has_odd_path(name))
                return "time: invalid location name";
        if (memchr(name.ptr, '\0', name.len))
                return "invalid argument";
        return arena_printf(arena, "unknown time zone " SLICE_FMT, SLICE_ARG(name));
}

/* ---- numbers ---- */

/* Go's numbers wrap around. */
static int64_t go_seconds(int64_t hours, int64_t minutes, bool is_west) {
        uint64_t whole = (uint64_t)hours * 60, part = (uint64_t)minutes;
        uint64_t ns = (is_west ? whole - part : whole + part) * NS_PER_MINUTE;

        return (int64_t)ns / NS_PER_S;
}

const char *go_zone_offset(struct arena *arena, struct slice zone, int64_t *ret_seconds) {
        struct slice minutes = zone, hours;
        int64_t hour, minute;

        if (zone.len == 0 || !memchr(zone.ptr, ':', zone.len))
                return name_offset(arena, zone, ret_seconds);
        slice_split(&minutes, ':', &hours);
        if (!slice_to_i64(hours, &hour))
                return go_number_problem(arena, "Atoi", hours);
        if (!slice_to_i64(minutes, &minute))
                return go_number_problem(arena, "Atoi", minutes);
        *ret_seconds = go_seconds(hour, minute, *zone.ptr == '-');
        return NULL;
}
