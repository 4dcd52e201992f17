/* The audit log in a file: continues where it ended. Lines are written and synced beside the loop,
 * so that a disk that hangs or is full stops what waits for its line, and nothing else. */
#pragma once

#include "base/err.h"
#include "evict/audit_chain.h"
#include "port/loop.h"
#include <stdbool.h>

#define AUDIT_WAITING_MAX ((size_t)4 << 20) /* bytes of lines that wait for the file */

struct audit_file;

/* Reads and verifies what is there; creates the file when it is absent.  A torn last line, as a
 * crash leaves it, is cut off; any other break of the chain is an error.  ret_chain stands at the
 * last line. */
int audit_file_open(const char *path, struct audit_file **ret_file, struct audit_chain *ret_chain,
                    struct err *err);
void audit_file_close(struct audit_file *file); /* accepts NULL */

struct audit_file_events {
        void (*recorded)(void *context); /* from the loop: every line is on disk */
        /* A line cannot be written, or too many wait: it and all others are in the log of the
         * process, and no line is written any more. */
        void (*failed)(void *context, const struct err *err);
};
/* Lines may be appended from now on. */
void audit_file_begin(struct audit_file *file, struct loop *loop,
                      const struct audit_file_events *events, void *context);
/* One whole line, in this order; what it announces waits until it is recorded. */
void audit_file_append(struct audit_file *file, struct slice line);
/* Every line is surely on disk. */
bool audit_file_is_recorded(const struct audit_file *file);
/* A line has been on its way for longer than a file may take. */
bool audit_file_is_late(const struct audit_file *file);
/* Before the loop ends: waits a little for lines under way. Those that are not on disk then are put
 * into the log of the process.  Accepts NULL. */
void audit_file_end(struct audit_file *file);
