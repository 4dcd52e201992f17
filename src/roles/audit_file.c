/* Appends audit lines with fsync. */
#include "roles/audit_file.h"

#include "base/log.h"
#include "base/util.h"
#include "loop/file_text.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define AUDIT_FILE_MODE 0600

struct audit_file {
        int fd;
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
        *ret_chain = chain;
        *ret_file = file;
        return 0;
}

int audit_file_append(struct audit_file *file, struct slice line, struct err *err) {
        ssize_t written = write(file->fd, line.ptr, line.len);

        if (written != (ssize_t)line.len || fdatasync(file->fd) < 0)
                return err_set_errno(err, BERTH_ERR_IO, errno, "audit file");
        return 0;
}

void audit_file_close(struct audit_file *file) {
        if (!file)
                return;
        close(file->fd);
        free(file);
}
