/* Operating errors: a small closed list of codes and a caller-owned object that carries the text.
 *
 * Functions that can fail return 0 or a negative BERTH_ERR_* code and take `struct err *err` last.
 * On failure err is set once and no ret_ parameter is touched; on success err is left alone.  err
 * may be NULL where the caller needs the code only.  Nothing here allocates, so reporting a failure
 * cannot fail. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* name, HTTP status, Kubernetes Status reason */
#define BERTH_ERR_LIST(X)                                                                          \
        X(INVALID, 422, "Invalid")        /* well-formed, but breaks a rule */                     \
        X(BAD_REQUEST, 400, "BadRequest") /* cannot be parsed */                                   \
        X(UNAUTHORIZED, 401, "Unauthorized")                                                       \
        X(FORBIDDEN, 403, "Forbidden")                                                             \
        X(NOT_FOUND, 404, "NotFound")                                                              \
        X(METHOD, 405, "MethodNotAllowed")                                                         \
        X(NOT_ACCEPTABLE, 406, "NotAcceptable")                                                    \
        X(EXISTS, 409, "AlreadyExists")                                                            \
        X(CONFLICT, 409, "Conflict")                                                               \
        X(EXPIRED, 410, "Expired")                                                                 \
        X(TOO_LARGE, 413, "RequestEntityTooLarge")                                                 \
        X(MEDIA_TYPE, 415, "UnsupportedMediaType")                                                 \
        X(TOO_MANY, 429, "TooManyRequests")                                                        \
        X(INTERNAL, 500, "InternalError")                                                          \
        X(UNAVAILABLE, 503, "ServiceUnavailable")                                                  \
        X(TIMEOUT, 504, "Timeout")                                                                 \
        X(NO_MEMORY, 500, "InternalError")                                                         \
        X(IO, 500, "InternalError") /* file or socket; text holds the errno message */             \
        X(USAGE, 400, "BadRequest") /* command line */

enum berth_err_index {
#define X(name, status, reason) BERTH_ERR_INDEX_##name,
        BERTH_ERR_LIST(X)
#undef X
                BERTH_ERR_COUNT
};

enum berth_err_code {
        BERTH_OK = 0,
#define X(name, status, reason) BERTH_ERR_##name = -1 - BERTH_ERR_INDEX_##name,
        BERTH_ERR_LIST(X)
#undef X
};

#define ERR_TEXT_MAX 1024
#define ERR_PATH_MAX 256

struct err {
        int code;                /* BERTH_ERR_*, 0 while unset */
        unsigned line, column;   /* 1-based position in file; 0 = unknown */
        char file[ERR_PATH_MAX]; /* file name; "" = none */
        char path[ERR_PATH_MAX]; /* field path such as spec.containers[0].image; "" = none */
        char text[ERR_TEXT_MAX]; /* one sentence without trailing period; cut when longer */
};

/* Sets code and text and returns code.  Clears position, file and path. err may be NULL. */
int err_set(struct err *err, int code, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
/* err_set with errno's text appended after ": ". */
int err_set_errno(struct err *err, int code, int errnum, const char *format, ...)
        __attribute__((format(printf, 4, 5)));
/* Puts context in front of the text ("context: text"); keeps the code and returns it.
 * Without err the code is not known and INTERNAL is returned, so that a failure stays one. */
int err_wrap(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds a path segment in front: ("spec", "image") -> spec.image; ("[3]", "x") -> [3].x. */
void err_path_prepend(struct err *err, const char *segment);
void err_position(struct err *err, const char *file, unsigned line, unsigned column);
/* Writes "file:line:column: path: text", leaving out what is unknown; returns the length as
 * snprintf does. */
int err_format(const struct err *err, char *buffer, size_t size);

const char *err_code_name(int code); /* "NOT_FOUND"; "OK" for 0 */
int err_http_status(int code);       /* 404 */
const char *err_reason(int code);    /* "NotFound" */
