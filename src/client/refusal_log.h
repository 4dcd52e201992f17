/* Logs writes that an API server refuses for good: missing rights, invalid objects.  At most one
 * line a minute for each method, resource and status.  Conflicts and the like (404, 409, 410, 429)
 * are not logged, and neither are failures that are tried again (no answer, 5xx). */
#pragma once

#include "base/time.h"
#include "port/transport.h"

struct refusal_log;

struct refusal_log *refusal_log_new(void);
void refusal_log_free(struct refusal_log *log); /* accepts NULL */
/* The answer to a write; method and path are those of the request. */
void refusal_log_note(struct refusal_log *log, struct mono_time now, enum api_method method,
                      const char *path, const struct api_reply *reply);
