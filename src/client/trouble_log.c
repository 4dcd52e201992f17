/* Lines are counted from the first one of a minute on. */
#include "client/trouble_log.h"

#include "base/slice.h"
#include <stdlib.h>

void trouble_log_release(struct trouble_log *log) {
        free(log->cause);
        *log = (struct trouble_log){ 0 };
}

static bool is_worth_a_line(const struct trouble_log *log, struct mono_time now,
                            const char *cause) {
        if (!log->cause || now.ns - log->since.ns >= TROUBLE_QUIET_NS)
                return true;
        return log->lines < TROUBLE_LINES_MAX &&
               (!log->is_failing || !slice_is(slice_of(cause), log->cause));
}

bool trouble_log_fails(struct trouble_log *log, struct mono_time now, const char *cause,
                       int64_t *ret_more_before) {
        bool is_said = is_worth_a_line(log, now, cause);

        log->failures++;
        log->is_failing = true;
        if (!is_said) {
                log->unsaid++;
                return false;
        }
        if (!log->cause || now.ns - log->since.ns >= TROUBLE_QUIET_NS) {
                log->since = now;
                log->lines = 0;
        }
        log->lines++;
        log->is_said = true;
        free(log->cause);
        log->cause = slice_dup(slice_of(cause));
        *ret_more_before = log->unsaid;
        log->unsaid = 0;
        return true;
}

bool trouble_log_works(struct trouble_log *log, int64_t *ret_failures) {
        bool was_said = log->is_said;

        *ret_failures = log->failures;
        log->failures = 0;
        log->is_failing = log->is_said = false;
        return was_said;
}
