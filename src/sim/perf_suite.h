/* Workloads of Kubernetes' scheduler_perf, as its performance-config.yaml lists them: test cases,
 * each a list of operations, run with several sets of numbers. */
#pragma once

#include "api/json.h"
#include "sim/perf_template.h"

struct perf_suite;

struct perf_workload {
        struct slice case_name, name; /* SchedulingBasic, 5000Nodes_10000Pods */
        bool has_threshold;
        double threshold;          /* pods per second upstream demands of itself */
        const struct json *labels; /* integration-test, performance, short */
        const struct json *test_case, *params;
};

/* path: of the file, which templates are relative to. */
int perf_suite_read(const struct perf_files *files, const char *path, struct perf_suite **ret_suite,
                    struct err *err);
void perf_suite_free(struct perf_suite *suite); /* accepts NULL */
size_t perf_suite_count(const struct perf_suite *suite);
const struct perf_workload *perf_suite_at(const struct perf_suite *suite, size_t index);
const char *perf_suite_path(const struct perf_suite *suite);
bool perf_workload_has_label(const struct perf_workload *workload, const char *label);

/* ---- for those who run them ---- */
/* A count given as a number (count) or a parameter of the workload (countParam: $name). */
int perf_count(const struct perf_workload *workload, const struct json *operation,
               int64_t *ret_count, struct err *err);
struct perf_member {
        const char *name, *parameter;
};
/* Any other number; left alone when nothing is said. */
int perf_number(const struct perf_workload *workload, const struct json *operation,
                const struct perf_member *member, int64_t *ret_number, struct err *err);
/* How long pods come and go alternately (steadyState); 0 = they do not. */
int perf_steady(const struct perf_workload *workload, const struct json *operation,
                int64_t *ret_duration_ns, struct err *err);
/* The path of a template named in the file, relative to its folder. */
void perf_suite_resolve(const struct perf_suite *suite, struct slice name, struct buf *ret_path);
