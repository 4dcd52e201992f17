/* Runs a workload of scheduler_perf against the scheduler, in process and without waiting. */
#pragma once

#include "base/buf.h"
#include "sim/perf_suite.h"

struct perf_env {
        struct perf_files files;
        int64_t (*clock)(void *context); /* time on this processor, nanoseconds */
        void *clock_context;
        /* Called with how many pods are placed so far, of each workload; may be NULL. */
        void (*progress)(void *context, size_t done, size_t total);
        void *progress_context;
};
struct perf_result {
        struct buf unsupported; /* operations that are not understood; then nothing ran */
        int64_t measured;       /* pods placed while metrics were collected */
        int64_t busy_ns;        /* time of scheduler and model meanwhile */
        uint64_t decisions;     /* in all */
        size_t nodes, pods;     /* at the end */
};
/* Pods per second; 0 when nothing was measured. */
double perf_result_rate(const struct perf_result *result);
void perf_result_release(struct perf_result *result);

/* Errors: files that cannot be read or understood, and pods that never found a node although the
 * workload waits for them. */
int perf_run(const struct perf_suite *suite, const struct perf_workload *workload,
             const struct perf_env *env, struct perf_result *ret_result, struct err *err);
