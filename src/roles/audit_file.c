/* One job at a time: lines that come meanwhile are written and synced together by the next. */
#include "roles/audit_file.h"

#include "base/log.h"
#include "base/util.h"
#include "loop/file_text.h"
#include "port/thread_job.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define AUDIT_FILE_MODE 0600
#define AUDIT_END_MS 2000 /* for lines under way at the end */

struct audit_file {
        int fd; /* -1 while a job has it */
        char *path;
        struct loop *loop; /* NULL = lines are not taken */
        const struct audit_file_events *events;
        void *context;
        struct thread_job *job;
        struct buf writing, waiting; /* lines of the job, and those after it */
        bool has_failed;
};

/* What the thread has. */
struct audit_write {
        int fd;
        struct buf lines;
        size_t recorded; /* bytes of whole lines on disk */
        struct err err;
};

/* Length of the whole lines. */
static size_t whole_lines(struct slice text) {
        const char *end = text.len ? memrchr(text.ptr, '\n', text.len) : NULL;

        return end ? (size_t)(end - text.ptr) + 1 : 0;
}

static int read_chain(const char *path, struct audit_chain *chain, size_t *ret_size,
                      struct err *err) {
        struct buf text = { 0 };

        if (access(path, F_OK) != 0) {
                *ret_size = 0;
                return 0;
        }
        int code = file_text_read(path, &text, err);
        if (code == 0) {
                *ret_size = whole_lines(buf_view(&text));
                if (*ret_size < buf_view(&text).len) /* a crash in the middle of it */
                        LOG(LOG_WARN, "AuditLineTorn", log_text("file", path),
                            log_i64("bytes", (int64_t)(buf_view(&text).len - *ret_size)));
                code = audit_chain_verify(chain, slice_make(buf_view(&text).ptr, *ret_size), err);
        }
        buf_release(&text);
        return code;
}

int audit_file_open(const char *path, struct audit_file **ret_file, struct audit_chain *ret_chain,
                    struct err *err) {
        struct audit_chain chain = { 0 };
        struct audit_file *file;
        size_t size = 0;

        if (read_chain(path, &chain, &size, err) < 0)
                return err_wrap(err, "audit file %s", path);
        int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, AUDIT_FILE_MODE);
        if (fd < 0 || ftruncate(fd, (off_t)size) < 0 || lseek(fd, 0, SEEK_END) < 0) {
                int errnum = errno;

                cleanup_close(&fd);
                return err_set_errno(err, BERTH_ERR_IO, errnum, "audit file %s", path);
        }
        file = xcalloc(1, sizeof(*file));
        file->fd = fd;
        file->path = slice_dup(slice_of(path));
        *ret_chain = chain;
        *ret_file = file;
        return 0;
}

/* ---- writing ---- */

static void audit_write_run(void *data) {
        struct audit_write *write_job = data;
        off_t start = lseek(write_job->fd, 0, SEEK_END);
        size_t done = 0, whole;
        ssize_t written = 0;
        int errnum = 0;

        while (done < write_job->lines.len && (written >= 0 || errno == EINTR)) {
                written = write(write_job->fd, write_job->lines.data + done,
                                write_job->lines.len - done);
                done += written > 0 ? (size_t)written : 0;
        }
        if (done < write_job->lines.len)
                errnum = errno;
        whole = whole_lines(slice_make(write_job->lines.data, done));
        if (whole < done && ftruncate(write_job->fd, start + (off_t)whole) < 0)
                errnum = errno; /* the next start cuts the torn line off */
        if (fdatasync(write_job->fd) == 0)
                write_job->recorded = whole;
        else
                errnum = errno;
        if (errnum)
                err_set_errno(&write_job->err, BERTH_ERR_IO, errnum, "cannot be written");
}

static void audit_write_release(void *data) {
        struct audit_write *write_job = data;

        cleanup_close(&write_job->fd);
        buf_release(&write_job->lines);
        free(write_job);
}

/* What does not get into the file is not lost. */
static void log_lines(struct slice lines) {
        struct slice line;

        while (slice_split(&lines, '\n', &line))
                if (line.len)
                        LOG(LOG_ERROR, "AuditLineNotWritten", log_slice("line", line));
}

static void audit_file_fail(struct audit_file *file, size_t recorded, const struct err *reason) {
        struct slice writing = buf_view(&file->writing);
        struct err err = *reason;

        file->has_failed = true;
        log_lines(slice_make(writing.ptr + recorded, writing.len - recorded));
        log_lines(buf_view(&file->waiting));
        buf_clear(&file->writing);
        buf_clear(&file->waiting);
        err_wrap(&err, "audit file %s", file->path);
        file->events->failed(file->context, &err);
}

static void audit_file_write(struct audit_file *file);

static void on_written(void *context, void *data, bool was_run) {
        struct audit_file *file = context;
        struct audit_write *write_job = data;
        struct err err = write_job->err;

        file->job = NULL;
        file->fd = write_job->fd;
        write_job->fd = -1;
        if (!was_run)
                err_set(&err, BERTH_ERR_TOO_MANY, "too many files do not answer");
        if (err.code < 0) {
                if (!file->has_failed)
                        audit_file_fail(file, write_job->recorded, &err);
                return;
        }
        buf_clear(&file->writing);
        if (file->waiting.len)
                audit_file_write(file);
        else if (!file->has_failed)
                file->events->recorded(file->context);
}

static void audit_file_write(struct audit_file *file) {
        const struct thread_job_work work = { .file = file->path,
                                              .run = audit_write_run,
                                              .ended = on_written,
                                              .release = audit_write_release };
        struct audit_write *write_job = xcalloc(1, sizeof(*write_job));
        struct buf free_buf = file->writing;

        file->writing = file->waiting;
        file->waiting = free_buf;
        write_job->fd = file->fd;
        buf_slice(&write_job->lines, buf_view(&file->writing));
        file->fd = -1;
        file->job = thread_job_start(file->loop, &work, write_job, file);
}

void audit_file_begin(struct audit_file *file, struct loop *loop,
                      const struct audit_file_events *events, void *context) {
        file->loop = loop;
        file->events = events;
        file->context = context;
}

void audit_file_append(struct audit_file *file, struct slice line) {
        struct err err = { 0 };

        if (file->has_failed || !file->loop) {
                log_lines(line);
                return;
        }
        buf_slice(&file->waiting, line);
        if (!file->job) {
                audit_file_write(file);
        } else if (file->waiting.len > AUDIT_WAITING_MAX) {
                err_set(&err, BERTH_ERR_TOO_LARGE,
                        "does not answer, and more than %zu bytes of lines wait",
                        AUDIT_WAITING_MAX);
                audit_file_fail(file, 0, &err);
        }
}

bool audit_file_is_recorded(const struct audit_file *file) {
        return !file->has_failed && !file->job;
}

bool audit_file_is_late(const struct audit_file *file) {
        return file->job && thread_job_is_late(file->job);
}

/* ---- the end ---- */

void audit_file_end(struct audit_file *file) {
        if (!file || !file->loop)
                return;
        while (file->job && thread_job_wait(file->job, AUDIT_END_MS))
                continue; /* another one, for the lines that waited */
        thread_job_abandon(file->job);
        if (file->job && !file->has_failed) {
                log_lines(buf_view(&file->writing));
                log_lines(buf_view(&file->waiting));
        }
        file->job = NULL;
        file->loop = NULL;
}

void audit_file_close(struct audit_file *file) {
        if (!file)
                return;
        audit_file_end(file);
        cleanup_close(&file->fd);
        buf_release(&file->writing);
        buf_release(&file->waiting);
        free(file->path);
        free(file);
}
