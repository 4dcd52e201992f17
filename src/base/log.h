/* Log front end: a line is one event name plus key=value pairs. The core does not log above debug.
 */
#pragma once

#include "base/slice.h"
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

struct log_field {
        const char *key;
        enum { LOG_FIELD_TEXT, LOG_FIELD_I64, LOG_FIELD_F64 } kind;
        struct slice text;
        int64_t i64;
        double f64;
};

static inline struct log_field log_text(const char *key, const char *text) {
        return (struct log_field){ .key = key, .kind = LOG_FIELD_TEXT, .text = slice_of(text) };
}
static inline struct log_field log_slice(const char *key, struct slice text) {
        return (struct log_field){ .key = key, .kind = LOG_FIELD_TEXT, .text = text };
}
static inline struct log_field log_i64(const char *key, int64_t value) {
        return (struct log_field){ .key = key, .kind = LOG_FIELD_I64, .i64 = value };
}
static inline struct log_field log_f64(const char *key, double value) {
        return (struct log_field){ .key = key, .kind = LOG_FIELD_F64, .f64 = value };
}

/* Where lines go; installed once by main (a test may install its own). Until then lines are
 * dropped. */
struct log_sink {
        void (*write)(void *context, enum log_level level, const char *event,
                      const struct log_field *fields, size_t count);
        void *context;
        enum log_level max_level;
};
void log_install(const struct log_sink *sink); /* copies; NULL drops all lines */
void log_event(enum log_level level, const char *event, const struct log_field *fields,
               size_t count);
bool log_is_on(enum log_level level);

/* LOG(LOG_INFO, "PodBound", log_slice("pod", name), log_i64("ms", 3)); at least one field */
#define LOG(level, event, ...)                                                                     \
        do {                                                                                       \
                if (log_is_on(level)) {                                                            \
                        const struct log_field log_fields_[] = { __VA_ARGS__ };                    \
                        log_event((level), (event), log_fields_,                                   \
                                  sizeof(log_fields_) / sizeof(log_fields_[0]));                   \
                }                                                                                  \
        } while (0)
