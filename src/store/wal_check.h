/* What is left of the database's write-ahead log after a crash, before SQLite reads it: SQLite
 * takes what comes behind the first damaged frame for the end of the log, and says nothing. */
#pragma once

#include "base/err.h"
#include <stdbool.h>

/* An error when the log at path lost writes that were finished. An end that was being written when
 * the process or the machine stopped is cut off and logged. has_writes: the log must have a header
 * by now. The folder must be locked. */
int wal_check(const char *path, bool has_writes, struct err *err);
