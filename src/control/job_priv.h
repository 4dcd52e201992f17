/* Inside of the job controller: what one look at a job found. */
#pragma once

#include "base/bitset.h"
#include "control/pod_owner.h"

#define JOB_FINALIZER "batch.kubernetes.io/job-tracking"
#define JOB_INDEX_KEY "batch.kubernetes.io/job-completion-index"

struct job_sync {
        struct controller_run *run;
        const struct json *job, *spec;
        struct arena *arena;
        struct wall_time now;
        struct pod_list pods;
        bool has_completions, is_indexed, is_suspended;
        int64_t completions, parallelism, backoff_limit;
        struct bitset done, busy; /* indexes: succeeded, with an active pod */
        /* Pods now. */
        int64_t active, ready, terminating, restarts;
        struct pod_list counted; /* over, with our finalizer: to be counted and let go of */
        int64_t succeeded, failed, fresh_failed; /* in all, with those of this look */
        /* What is to be said about its end. */
        const char *failure_reason;
        const char *failure_message;
        bool is_success;
};

/* Decides about the pods that are over since the last look. */
void job_count_pods(struct job_sync *sync);
/* Sets failure or success by the rules that look at counts and time. */
void job_judge(struct job_sync *sync);
int job_write_status(struct job_sync *sync, bool is_over, struct err *err);
int64_t job_pod_index(const struct job_sync *sync, const struct object_entry *pod); /* -1 = none */
