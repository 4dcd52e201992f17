/* Formatting of operating errors and the table that ties codes to HTTP and Kubernetes. */
#include "base/err.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct code_info {
        const char *name;
        int http_status;
        const char *reason;
};

static const struct code_info code_infos[BERTH_ERR_COUNT] = {
#define X(name, status, reason) { #name, status, reason },
        BERTH_ERR_LIST(X)
#undef X
};

/* Appends as much of `text` as the buffer of `size` bytes holds. */
static void append_cut(char *buffer, size_t size, const char *text) {
        size_t used = strlen(buffer);
        size_t len = strnlen(text, size - used - 1);
        memcpy(buffer + used, text, len);
        buffer[used + len] = '\0';
}

/* The whole object is not zeroed: a kilobyte of text would be written for every error. */
static void set_text(struct err *err, int code, const char *text) {
        err->code = code;
        err->line = 0;
        err->column = 0;
        err->file[0] = '\0';
        err->path[0] = '\0';
        snprintf(err->text, sizeof(err->text), "%s", text);
}

int err_set(struct err *err, int code, const char *format, ...) {
        assert(code < 0);
        if (!err)
                return code;
        /* Arguments may point into err, hence the detour. */
        char text[ERR_TEXT_MAX];
        va_list args;
        va_start(args, format);
        vsnprintf(text, sizeof(text), format, args);
        va_end(args);
        set_text(err, code, text);
        return code;
}

int err_set_errno(struct err *err, int code, int errnum, const char *format, ...) {
        assert(code < 0);
        if (!err)
                return code;
        char text[ERR_TEXT_MAX];
        va_list args;
        va_start(args, format);
        vsnprintf(text, sizeof(text), format, args);
        va_end(args);
        char reason[128];
        const char *message = strerror_r(errnum, reason, sizeof(reason));
        append_cut(text, sizeof(text), ": ");
        append_cut(text, sizeof(text), message);
        set_text(err, code, text);
        return code;
}

int err_wrap(struct err *err, const char *format, ...) {
        if (!err)
                return BERTH_ERR_INTERNAL;
        char text[ERR_TEXT_MAX];
        va_list args;
        va_start(args, format);
        vsnprintf(text, sizeof(text), format, args);
        va_end(args);
        append_cut(text, sizeof(text), ": ");
        append_cut(text, sizeof(text), err->text);
        memcpy(err->text, text, strlen(text) + 1);
        return err->code;
}

void err_path_prepend(struct err *err, const char *segment) {
        if (!err)
                return;
        char path[ERR_PATH_MAX] = "";
        bool needs_dot = err->path[0] && err->path[0] != '[' && segment[0];
        append_cut(path, sizeof(path), segment);
        append_cut(path, sizeof(path), needs_dot ? "." : "");
        append_cut(path, sizeof(path), err->path);
        memcpy(err->path, path, strlen(path) + 1);
}

void err_position(struct err *err, const char *file, unsigned line, unsigned column) {
        if (!err)
                return;
        if (file != err->file)
                snprintf(err->file, sizeof(err->file), "%s", file ? file : "");
        err->line = line;
        err->column = column;
}

int err_format(const struct err *err, char *buffer, size_t size) {
        char position[32] = "";
        if (err->line && err->column)
                snprintf(position, sizeof(position), "%u:%u", err->line, err->column);
        else if (err->line)
                snprintf(position, sizeof(position), "%u", err->line);
        return snprintf(buffer, size, "%s%s%s%s%s%s%s", err->file,
                        err->file[0] && position[0] ? ":" : "", position,
                        err->file[0] || position[0] ? ": " : "", err->path,
                        err->path[0] ? ": " : "", err->text);
}

/* INTERNAL replaces undeclared codes, so that a bug still yields a valid response. */
static const struct code_info *info_of(int code) {
        int index = -1 - code;
        bool is_known = index >= 0 && index < BERTH_ERR_COUNT;
        return &code_infos[is_known ? index : BERTH_ERR_INDEX_INTERNAL];
}

const char *err_code_name(int code) {
        return code == BERTH_OK ? "OK" : info_of(code)->name;
}

int err_http_status(int code) {
        return code == BERTH_OK ? 200 : info_of(code)->http_status;
}

const char *err_reason(int code) {
        return code == BERTH_OK ? "" : info_of(code)->reason;
}
