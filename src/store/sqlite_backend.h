/* Keeps a store in one SQLite file, so that a sandbox survives its process. The only header of this
 * room through which SQLite is seen. */
#pragma once

#include "store/store.h"

struct sqlite_backend;

extern const struct store_backend sqlite_backend_ops;

/* Opens or creates berth.db in a directory that must exist. Another process that has it open is an
 * error. The store closes the backend. */
int sqlite_backend_new(const char *directory, struct sqlite_backend **ret_backend, struct err *err);
struct buf;
/* The version of SQLite that runs, such as "3.40.1". */
void sqlite_backend_library_version(struct buf *out);
