/* Two kinds of time that cannot be mixed up. Nothing here reads a clock; see port/clock.h. */
#pragma once

#include "base/slice.h"
#include <stdbool.h>
#include <stdint.h>

struct wall_time {
        int64_t ns; /* since 1970-01-01T00:00:00Z; INT64_MIN = unset */
};
struct mono_time {
        int64_t ns; /* since an arbitrary start, never goes back */
};

#define WALL_TIME_UNSET ((struct wall_time){ INT64_MIN })
#define NS_PER_MS 1000000LL
#define NS_PER_S 1000000000LL

static inline bool wall_time_is_set(struct wall_time t) {
        return t.ns != INT64_MIN;
}

#define WALL_TIME_TEXT_MAX 40
/* RFC 3339 as Kubernetes accepts it: optional fraction, Z or a numeric offset.  Go's zero time
 * 0001-01-01T00:00:00Z yields WALL_TIME_UNSET; other times outside 1678..2262 are pulled to the
 * nearest end of that range.  Formatting an unset time yields "". */
bool wall_time_parse(struct slice text, struct wall_time *ret_time);
/* 2006-01-02T15:04:05Z (metav1.Time: fraction dropped). buffer of WALL_TIME_TEXT_MAX bytes; returns
 * the length. */
int wall_time_format(struct wall_time time, char *buffer);
/* 2006-01-02T15:04:05.000000Z (metav1.MicroTime) */
int wall_time_format_micro(struct wall_time time, char *buffer);

/* A time of the years 0000 to 9999 and the offset that it was written with, as Go's time.Time. */
struct zoned_time {
        int64_t s;      /* since 1970-01-01T00:00:00Z, rounded down */
        int32_t ns;     /* 0..999999999 */
        int16_t offset; /* minutes east of Greenwich */
};
/* As wall_time_parse, without its range. */
bool zoned_time_parse(struct slice text, struct zoned_time *ret_time);
/* 2006-01-02T15:04:05.5+02:00 (time.RFC3339Nano); as wall_time_format. */
int zoned_time_format(struct zoned_time time, char *buffer);

#define DURATION_TEXT_MAX 40
/* Go duration syntax (time.ParseDuration): 1h2m3.5s, 300ms, -1.5h, 0 */
bool duration_parse(struct slice text, int64_t *ret_ns);
int duration_format(int64_t ns,
                    char *buffer); /* as Go's Duration.String: 5m0s; buffer of 40 bytes */
/* kubectl's HumanDuration: 5s, 3m, 2m30s, 2d4h ... ; buffer of 40 bytes */
int duration_format_human(int64_t ns, char *buffer);
