/* What goes wrong with a request. All return API_FAILED. */
#pragma once

#include "server/api_context.h"

int fail_plain(struct api_context *context, int code, const char *reason, const char *format, ...)
        __attribute__((format(printf, 4, 5)));
int fail_bad_request(struct api_context *context, const char *format, ...)
        __attribute__((format(printf, 2, 3)));
/* The object is given another namespace than the URL's. */
int fail_given_namespace(struct api_context *context);
int fail_not_found(struct api_context *context, const struct api_resource *resource,
                   struct slice name);
/* "pods "x" is forbidden: why"; plural and name may be empty. */
int fail_forbidden(struct api_context *context, struct slice group, struct slice plural,
                   struct slice name, const char *why);
int fail_exists(struct api_context *context, const struct api_resource *resource,
                struct slice name);
/* "Operation cannot be fulfilled on pods "x": text"; kind as it shall appear, group may be "". */
int fail_conflict(struct api_context *context, const char *kind, const char *group,
                  struct slice name, const char *format, ...) __attribute__((format(printf, 5, 6)));
int fail_bad_version(struct api_context *context, struct slice text); /* which is no number */
int fail_modified(struct api_context *context, const struct api_resource *resource,
                  struct slice name);
/* 422 from collected field errors; kind and group of details. */
int fail_invalid(struct api_context *context, const char *kind, const char *group,
                 struct slice name, const struct field_errors *errors);
/* One field error on an options object: fail_option(c, "ListOptions", FIELD_FORBIDDEN, ...). */
int fail_option(struct api_context *context, const char *options, enum field_error_kind kind,
                const char *path, const char *value, const char *detail);
/* Admission and other hooks: code and text come from err; details name the object. */
int fail_hook(struct api_context *context, struct slice name, const struct err *err);
/* 500: "Internal error occurred: why"; why outlives the request's answer. */
int fail_internal(struct api_context *context, const char *why);
int fail_method(struct api_context *context);
int fail_unknown(struct api_context *context); /* 404 for a resource or path that is not served */

/* The Status that says it; as the answer to the request. */
void failure_write(const struct api_failure *failure, struct buf *out);
void respond_text(struct api_context *context, int status, const char *content_type,
                  struct slice body);
void failure_respond(struct api_context *context);
