/* Where an API server reaches an admission webhook of this process: one path over HTTPS, with a
 * certificate whose files are read again when they change. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"
#include "port/loop.h"
#include <stdint.h>

#define ADMISSION_RELOAD_NS (10 * NS_PER_S) /* how often the files are looked at */

struct admission_listener_config {
        const char *address; /* "0.0.0.0:9443"; port 0 = any */
        const char *certificate_path, *key_path;
        const char *path; /* "/pods-eviction" */
        /* Appends the answer to a posted body; an error is answered 400 with its text. */
        int (*review)(void *context, struct slice body, struct buf *out, struct err *err);
        void *context;
};

struct admission_listener;
/* Texts are copied. */
int admission_listener_new(const struct admission_listener_config *config, struct loop *loop,
                           struct admission_listener **ret_listener, struct err *err);
void admission_listener_free(struct admission_listener *listener); /* accepts NULL */
uint16_t admission_listener_port(const struct admission_listener *listener);
