/* Validation errors of one object, in upstream's words. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct arena;

enum field_error_kind {
        FIELD_REQUIRED,
        FIELD_INVALID,
        FIELD_NOT_SUPPORTED,
        FIELD_FORBIDDEN,
        FIELD_DUPLICATE,
        FIELD_NOT_FOUND,
        FIELD_TOO_LONG,
        FIELD_TOO_MANY,
        FIELD_TYPE_INVALID,
        FIELD_INTERNAL
};
struct field_error {
        enum field_error_kind kind;
        const char *path;
        const char *message; /* text after the path, e.g. Required value, Invalid value: -1: must be
                                ... */
};
/* More errors than these are only counted: each of them takes its share of the answer. */
#define FIELD_ERRORS_MAX 1000
#define FIELD_ERROR_BYTES_MAX ((size_t)1 << 20) /* of all messages but the last */
/* Lists and maps that are empty in what the client sent; elsewhere they count as absent. */
struct emptied_value {
        const struct emptied_value *next;
        const char *path;
        const char *text; /* "[]" or "{}" */
};
/* An array that grows in an arena. */
struct field_errors {
        struct arena *arena;
        const struct emptied_value *emptied; /* shown instead of null; NULL = none */
        size_t count, cap;
        size_t bytes; /* of messages */
        size_t more;  /* beyond what is reported */
        struct field_error *items;
};
/* Whether there are as many as are reported.  A further one is counted only, so its texts need not
 * be made. */
static inline bool field_errors_are_full(const struct field_errors *errors) {
        return errors->count == FIELD_ERRORS_MAX || errors->bytes > FIELD_ERROR_BYTES_MAX;
}
/* value: JSON text shown behind the heading ("Invalid value: -1"), NULL = none; detail: text behind
 * that (for NOT_SUPPORTED: "supported values: ..."), NULL = none */
void field_error_add(struct field_errors *errors, enum field_error_kind kind, const char *path,
                     const char *value, const char *detail);
/* The same for each of the details that are joined by "; ". */
void field_error_add_each(struct field_errors *errors, enum field_error_kind kind, const char *path,
                          const char *value, const char *details);
/* Leaves the first of errors that are the same, of those from one on. */
void field_errors_once(struct field_errors *errors, size_t from);
/* One that is made already. */
void field_error_take(struct field_errors *errors, const struct field_error *error);
