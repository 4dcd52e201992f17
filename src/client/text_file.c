/* Small files read whole. */
#include "client/text_file.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/util.h"
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int text_file_read(const char *path, char **ret_text, size_t *ret_len, struct err *err) {
        CLEANUP(cleanup_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
        CLEANUP(buf_release) struct buf text = { .max = TEXT_FILE_MAX + 1 };
        char chunk[4096];
        ssize_t got;

        if (fd < 0)
                return err_set_errno(err, errno == ENOENT ? BERTH_ERR_NOT_FOUND : BERTH_ERR_IO,
                                     errno, "cannot open %s", path);
        while ((got = read(fd, chunk, sizeof(chunk))) != 0) {
                if (got < 0 && errno == EINTR)
                        continue;
                if (got < 0)
                        return err_set_errno(err, BERTH_ERR_IO, errno, "cannot read %s", path);
                if (!buf_append(&text, chunk, (size_t)got) || text.len > TEXT_FILE_MAX)
                        return err_set(err, BERTH_ERR_TOO_LARGE, "%s is larger than %zu bytes",
                                       path, TEXT_FILE_MAX);
        }
        buf_char(&text, '\0');
        *ret_text = buf_take(&text, ret_len);
        --*ret_len;
        return 0;
}
