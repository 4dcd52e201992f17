/* Time zones from the bytes of a TZif file (RFC 8536): how far local time is ahead of UTC at an
 * instant, rules for the years after the last recorded change included. */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/slice.h"
#include <stdint.h>

#define TIME_ZONE_CHANGES_MAX 4096

struct time_zone;

/* Error: BERTH_ERR_BAD_REQUEST when the bytes are no TZif file.  Lives in the arena. */
int time_zone_parse(struct slice bytes, struct arena *arena, struct time_zone **ret_zone,
                    struct err *err);
/* Seconds to add to UTC at this time (seconds since 1970); 0 for a NULL zone, which is UTC. */
int32_t time_zone_offset(const struct time_zone *zone, int64_t unix_s);

/* A calendar date of the proleptic Gregorian calendar; days since 1970-01-01. */
int64_t calendar_days(int64_t year, int month, int day);
int64_t calendar_year(int64_t days);
