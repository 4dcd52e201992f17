/* When a failure that repeats is worth a line of the log: once when it begins or its cause changes,
 * then once a minute with the number of those that had none, and once when it is over. Beginnings
 * and causes that come thick and fast are bounded, too. */
#pragma once

#include "base/time.h"
#include <stdbool.h>
#include <stdint.h>

#define TROUBLE_QUIET_NS (60 * NS_PER_S)
#define TROUBLE_LINES_MAX 5 /* within that time */

/* Embedded and zeroed by its owner. */
struct trouble_log {
        char *cause; /* of the last line; NULL = none yet */
        struct mono_time since;
        unsigned lines;   /* since then */
        int64_t failures; /* since it last worked */
        int64_t unsaid;   /* since the last line */
        bool is_failing, is_said;
};

void trouble_log_release(struct trouble_log *log);
/* It failed. True: worth a line, with the number of failures since the last one. */
bool trouble_log_fails(struct trouble_log *log, struct mono_time now, const char *cause,
                       int64_t *ret_more_before);
/* It works. True: a line said that it does not; with the number of failures. */
bool trouble_log_works(struct trouble_log *log, int64_t *ret_failures);
