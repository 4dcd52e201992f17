/* One call on a thread of its own, for what may hang: files on a mount that does not answer,
 * programs that are started from one. The loop learns of its end, and of a limit that has passed.
 */
#pragma once

#include "port/loop.h"
#include <stdbool.h>
#include <stddef.h>

#define THREAD_JOBS_MAX 64                 /* of a process; abandoned ones count until they end */
#define THREAD_JOB_LIMIT_NS (5 * NS_PER_S) /* what a file may take */

struct thread_job_work {
        const char *file;        /* for the log; copied */
        void (*run)(void *data); /* on the thread; touches nothing but data */
        /* From the loop, once. Not run: there are too many threads, or none could be made. */
        void (*ended)(void *context, void *data, bool was_run);
        void (*late)(void *context); /* from the loop, once, at the limit; may be NULL */
        void (*release)(void *data); /* in the end, on either thread */
        int64_t limit_ns;            /* 0 = THREAD_JOB_LIMIT_NS */
};

struct thread_job;

/* Takes over data. The job is gone once ended was called. On a loop without descriptors, one of
 * virtual time, run is called at once and ended in the next iteration. */
struct thread_job *thread_job_start(struct loop *loop, const struct thread_job_work *work,
                                    void *data, void *context);
/* Only run, if it is under way, and release are called from now on. Accepts NULL. */
void thread_job_abandon(struct thread_job *job);
/* Waits up to so long, in a process that is about to end. True: it has ended, and ended was
 * called. */
bool thread_job_wait(struct thread_job *job, int timeout_ms);
/* The limit has passed. */
bool thread_job_is_late(const struct thread_job *job);
/* Jobs of the process that are late and have not ended. */
size_t thread_jobs_late(void);
