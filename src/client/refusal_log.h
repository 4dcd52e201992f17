/* Says which writes an API server refuses for good: rights that are missing, objects it calls
 * invalid.  One line a minute for each method, resource and status, however often it happens.  What
 * belongs to a busy cluster (404, 409, 410, 429) is no refusal, and what may pass by itself (no
 * answer, 5xx) is told by whoever tries again. */
#pragma once

#include "base/time.h"
#include "port/transport.h"

struct refusal_log;

struct refusal_log *refusal_log_new(void);
void refusal_log_free(struct refusal_log *log); /* accepts NULL */
/* The answer to a write; method and path are those of the request. */
void refusal_log_note(struct refusal_log *log, struct mono_time now, enum api_method method,
                      const char *path, const struct api_reply *reply);
