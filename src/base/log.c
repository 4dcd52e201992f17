/* Hands log lines to the one installed sink. */
#include "base/log.h"

/* Written once before threads start, read-only afterwards. */
static struct log_sink installed;

void log_install(const struct log_sink *sink) {
        installed = sink ? *sink : (struct log_sink){ 0 };
}

bool log_is_on(enum log_level level) {
        return installed.write && level <= installed.max_level;
}

void log_event(enum log_level level, const char *event, const struct log_field *fields,
               size_t count) {
        if (log_is_on(level))
                installed.write(installed.context, level, event, fields, count);
}
