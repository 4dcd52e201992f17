/* Warnings about objects that are valid but hardly meant. */
#pragma once

#include "kinds/kind.h"

#define WARN_HOOK(name)                                                                            \
        void name(enum kind_operation operation, const struct json_node *object,                   \
                  void (*emit)(void *context, const char *text), void *context)
WARN_HOOK(pod_warn);
WARN_HOOK(workload_warn); /* spec.template */
WARN_HOOK(cron_job_warn);
WARN_HOOK(pod_template_warn);
