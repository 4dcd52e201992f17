/* Which Prometheus alerts stand in the way of a reboot. */
#pragma once

#include "api/json.h"
#include "base/buf.h"
#include "base/err.h"
#include <stdbool.h>

struct regex;

struct alert_filter {
        const struct regex *names; /* NULL = every alert counts */
        bool matches_only;         /* names are those that count, not those that do not */
        bool firing_only;
};
/* Reads the answer to an instant query of ALERTS and appends the names of those that block, at most
 * ten.  Error: BERTH_ERR_INVALID when it is no successful answer with a vector; then everything
 * blocks. */
int blocking_alerts_find(const struct json *answer, const struct alert_filter *filter,
                         struct buf *ret_names, struct err *err);
