/* Which Jobs clean up after themselves: those with ttlSecondsAfterFinished, whose pods go with
 * them. Only followed for policies that delete finished pods.  Without the right to see Jobs none
 * is known. */
#pragma once

#include "base/slice.h"
#include <stdbool.h>

struct descheduler_policy;
struct job_watch;
struct runtime;

/* NULL when the policy deletes nothing.  ready runs once, from the loop, when the Jobs are known,
 * or cannot be. */
struct job_watch *job_watch_new(struct runtime *runtime, const struct descheduler_policy *policy,
                                void (*ready)(void *context), void *context);
void job_watch_free(struct job_watch *watch); /* accepts NULL */
bool job_watch_has_ttl(const struct job_watch *watch, struct slice job_uid);
