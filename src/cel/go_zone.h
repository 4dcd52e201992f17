/* Time zones as upstream takes them in expressions. */
#pragma once

#include "base/arena.h"
#include "base/slice.h"

/* "UTC", "Etc/GMT-2", "+02:00", "-5:30": seconds east of UTC. NULL, or what is wrong. Names of
 * places are unknown: nothing here holds the database of them. */
const char *go_zone_offset(struct arena *arena, struct slice zone, int64_t *ret_seconds);
