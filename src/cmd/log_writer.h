/* Log lines as text: level, event name, key=value pairs with foreign strings quoted. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

void log_writer_install(FILE *stream);
/* Levels as numbers: 0 errors, 1 and warnings, 2 and information (default), 3 everything. */
void log_writer_set_level(int level);
/* One JSON object per line instead of text. */
void log_writer_set_json(bool is_json);
/* Named on lines (of text) about a missing right; stays. NULL = not named. */
void log_writer_set_rights(const char *manifest);
