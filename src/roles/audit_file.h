/* The audit log in a file: continues where it ended, every line synced before it counts. */
#pragma once

#include "base/err.h"
#include "evict/audit_chain.h"

struct audit_file;

/* Reads and verifies what is there; creates the file when it is absent.  A torn last line, as a
 * crash leaves it, is cut off; any other break of the chain is an error.  ret_chain stands at the
 * last line. */
int audit_file_open(const char *path, struct audit_file **ret_file, struct audit_chain *ret_chain,
                    struct err *err);
/* One whole line.  IO when it is not surely on disk. */
int audit_file_append(struct audit_file *file, struct slice line, struct err *err);
void audit_file_close(struct audit_file *file); /* accepts NULL */
