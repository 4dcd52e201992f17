/* Kubernetes Status objects: how the API server reports a failure and how a client reads it. */
#pragma once

#include "api/json.h"
#include "base/buf.h"
#include "base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct status_cause {
        struct slice reason, message, field; /* empty ones are left out */
};

/* Empty and zero members are left out. */
struct status_details {
        struct slice name, group, kind, uid;
        size_t cause_count;
        const struct status_cause *causes;
        int64_t retry_after_s;
        /* Where code and reason differ from what the error code stands for. */
        int code;           /* 0 = of the error code */
        const char *reason; /* NULL = of the error code, "" = none */
};

/* Appends the Status for an error; details may be NULL, which leaves out that member. The err path
 * is not used: callers put it into message and causes. False when out overflowed. */
bool status_write(const struct err *err, const struct status_details *details, struct buf *out);
/* The Status of a success, such as a deletion. */
bool status_write_success(const struct status_details *details, struct buf *out);

/* A received Status; slices belong to the document. */
struct status_info {
        bool is_success;
        int code; /* HTTP; 0 when absent */
        struct slice reason, message;
        struct slice name, group, kind, uid; /* details */
        int64_t retry_after_s;               /* 0 = none */
        size_t cause_count;
        struct status_cause cause; /* the first one */
};
/* Error: BERTH_ERR_BAD_REQUEST when the value is no Status object. */
int status_decode(const struct json *value, struct status_info *ret_info, struct err *err);
/* Sets the error a failed request stands for, by reason and else by HTTP code; returns its code. */
int status_to_err(const struct status_info *info, struct err *err);
/* The same for a response without a Status body. */
int status_code_to_err(int http_status);
