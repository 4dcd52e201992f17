/* Log lines as text: level, event name, key=value pairs with foreign strings quoted. */
#pragma once

#include "base/slice.h"
#include <stdbool.h>
#include <stdio.h>

void log_writer_install(FILE *stream);
/* From now on a thread writes the lines, so that nobody waits for the reader of the log; lines that
 * have no place meanwhile are dropped, and counted by a line LogLinesDropped. */
void log_writer_start_thread(void);
/* What is to stand in the stream besides lines of the log, in the same order. */
void log_writer_print(struct slice text);
/* Before the end of the process: waits for what is not written yet, a second at most. */
void log_writer_flush(void);
/* Levels as numbers: 0 errors, 1 and warnings, 2 and information (default), 3 everything. */
void log_writer_set_level(int level);
/* One JSON object per line instead of text. */
void log_writer_set_json(bool is_json);
/* Named on lines about a missing right, as the field rights; stays. NULL = not named. */
void log_writer_set_rights(const char *manifest);
