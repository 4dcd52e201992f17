/* Operations of workloads that are about devices. */
#pragma once

#include "sim/perf_run_priv.h"

/* Kinds of createAny; false: none of these. */
bool perf_devices_knows(struct slice kind);
int perf_devices_put(struct perf_run *run, struct json_tree *tree, const char *ns, struct err *err);
/* A driver publishes devices of all nodes whose names match. */
int perf_create_driver(struct perf_run *run, const struct json *operation, struct err *err);
/* Claims get devices without a pod that would use them. */
int perf_allocate_claims(struct perf_run *run, const struct json *operation, struct err *err);
