/* Reads a file to its end. */
#include "loop/file_text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define CHUNK 65536

int file_text_read(const char *path, struct buf *ret_text, struct err *err) {
        FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
        struct buf text;
        int code = 0;
        size_t got = 1;

        if (!file)
                return err_set_errno(err, BERTH_ERR_IO, errno, "%s", path);
        buf_init(&text, FILE_TEXT_MAX);
        while (code == 0 && got > 0) {
                if (!buf_reserve(&text, CHUNK)) {
                        code = err_set(err, BERTH_ERR_TOO_LARGE, "%s: larger than %zu bytes", path,
                                       FILE_TEXT_MAX);
                        break;
                }
                got = fread(text.data + text.len, 1, CHUNK, file);
                text.len += got;
                text.data[text.len] = '\0';
                if (ferror(file))
                        code = err_set_errno(err, BERTH_ERR_IO, errno, "%s", path);
        }
        if (file != stdin)
                fclose(file);
        if (code < 0) {
                buf_release(&text);
                return code;
        }
        *ret_text = text;
        return 0;
}
