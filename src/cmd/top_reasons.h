/* Why pods of a saved cluster wait: the scheduler's own decision on each, made when it is first
 * asked for. */
#pragma once

#include "base/err.h"
#include "base/slice.h"
#include "model/ids.h"

struct loop;
struct snapshot;
struct top_reasons;

/* By the KubeSchedulerConfiguration of this path, else the one among the files, else the default
 * profile.  The snapshot must outlive it. */
int top_reasons_new(const struct snapshot *snapshot, struct loop *loop, const char *config_path,
                    struct top_reasons **ret_reasons, struct err *err);
void top_reasons_free(struct top_reasons *reasons); /* accepts NULL */
/* As struct top_sources wants it; context is the reasons. */
struct slice top_reasons_of(void *context, struct pod_id pod);
