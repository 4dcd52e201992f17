/* A detached thread per job, an eventfd for its end. */
#include "port/thread_job.h"

#include "base/log.h"
#include "base/util.h"
#include "port/clock.h"
#include "port/thread_start.h"
#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define STACK_BYTES ((size_t)256 << 10)

struct thread_job {
        atomic_int users; /* loop and thread: the last one frees */
        atomic_bool is_done, is_late;
        struct thread_job_work work;
        char *file;
        void *data, *context;
        struct loop *loop;
        struct loop_io *io;
        struct loop_timer timer; /* the limit; without a thread, the end */
        int fd;
        bool was_run;
};

/* Threads hang as a process does, so they are counted per process. */
static atomic_int job_count, late_count;

static void thread_job_drop(struct thread_job *job) {
        if (atomic_fetch_sub(&job->users, 1) > 1)
                return;
        if (atomic_load(&job->is_late))
                atomic_fetch_sub(&late_count, 1);
        job->work.release(job->data);
        cleanup_close(&job->fd);
        free(job->file);
        free(job);
}

static void *thread_job_perform(void *context) {
        struct thread_job *job = context;
        const uint64_t one = 1;

        job->work.run(job->data);
        atomic_store(&job->is_done, true);
        (void)!write(job->fd, &one, sizeof(one));
        atomic_fetch_sub(&job_count, 1);
        thread_job_drop(job);
        return NULL;
}

static void thread_job_leave_loop(struct thread_job *job) {
        loop_timer_disarm(job->loop, &job->timer);
        if (job->io)
                loop_io_remove(job->loop, job->io);
        job->io = NULL;
}

static void thread_job_end(struct thread_job *job) {
        thread_job_leave_loop(job);
        if (atomic_load(&job->is_late))
                LOG(LOG_WARN, "FileAnswersAgain", log_text("file", job->file));
        job->work.ended(job->context, job->data, job->was_run);
        thread_job_drop(job);
}

static void on_job_ended(void *context, unsigned events) {
        struct thread_job *job = context;

        (void)events;
        if (atomic_load(&job->is_done))
                thread_job_end(job);
}

static void on_job_not_started(void *context) {
        thread_job_end(context);
}

static void on_job_late(void *context) {
        struct thread_job *job = context;

        if (atomic_load(&job->is_done)) { /* the loop was late, not the file */
                thread_job_end(job);
                return;
        }
        atomic_fetch_add(&late_count, 1);
        atomic_store(&job->is_late, true);
        LOG(LOG_WARN, "FileDoesNotAnswer", log_text("file", job->file),
            log_i64("seconds", job->work.limit_ns / NS_PER_S));
        if (job->work.late)
                job->work.late(job->context);
}

static bool thread_job_begin(struct thread_job *job) {
        job->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (job->fd < 0 ||
            loop_io_add(job->loop, job->fd, LOOP_READ, on_job_ended, job, &job->io, NULL) < 0)
                return false;
        if (atomic_fetch_add(&job_count, 1) < THREAD_JOBS_MAX &&
            thread_start(STACK_BYTES, thread_job_perform, job) == 0)
                return true;
        atomic_fetch_sub(&job_count, 1);
        loop_io_remove(job->loop, job->io);
        job->io = NULL;
        return false;
}

struct thread_job *thread_job_start(struct loop *loop, const struct thread_job_work *work,
                                    void *data, void *context) {
        struct thread_job *job = xcalloc(1, sizeof(*job));

        *job = (struct thread_job){
                .work = *work, .data = data, .context = context, .loop = loop, .fd = -1
        };
        atomic_init(&job->users, 2);
        job->file = slice_dup(slice_of(work->file));
        if (job->work.limit_ns == 0)
                job->work.limit_ns = THREAD_JOB_LIMIT_NS;
        job->timer = (struct loop_timer){ .fired = on_job_late, .context = job };
        job->was_run = true;
        if (loop->ops->io_add && thread_job_begin(job)) {
                loop_timer_arm(loop, &job->timer, job->work.limit_ns);
                return job;
        }
        atomic_store(&job->users, 1);
        job->was_run = !loop->ops->io_add;
        if (job->was_run)
                work->run(data);
        else
                LOG(LOG_WARN, "FileNotLookedAt", log_text("file", job->file),
                    log_text("error", "too many files do not answer"));
        job->timer.fired = on_job_not_started;
        loop_timer_arm(loop, &job->timer, 0);
        return job;
}

void thread_job_abandon(struct thread_job *job) {
        if (!job)
                return;
        thread_job_leave_loop(job);
        thread_job_drop(job);
}

/* A signal, such as that of a program's end, does not end the time. */
static bool thread_job_ends_within(const struct thread_job *job, int timeout_ms) {
        struct pollfd end = { .fd = job->fd, .events = POLLIN };
        int64_t deadline_ns = mono_time_now().ns + timeout_ms * NS_PER_MS;
        int count = poll(&end, 1, timeout_ms);

        while (count < 0 && errno == EINTR) {
                int64_t left_ns = deadline_ns - mono_time_now().ns;

                count = poll(&end, 1, left_ns > 0 ? (int)(left_ns / NS_PER_MS) + 1 : 0);
        }
        return atomic_load(&job->is_done);
}

bool thread_job_wait(struct thread_job *job, int timeout_ms) {
        if (job->io && !thread_job_ends_within(job, timeout_ms))
                return false;
        thread_job_end(job);
        return true;
}

bool thread_job_is_late(const struct thread_job *job) {
        return atomic_load(&job->is_late);
}

size_t thread_jobs_late(void) {
        return (size_t)atomic_load(&late_count);
}
