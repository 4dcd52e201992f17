/* Where a run puts a file that only its user may read, when no option names a place. */
#pragma once

#include "base/err.h"
#include <stddef.h>

/* given when not NULL, else name in a fresh folder under $XDG_RUNTIME_DIR or /tmp. */
int private_file(const char *given, const char *name, char *ret_path, size_t size, struct err *err);
/* Removes the file and its folder unless it was given. */
void private_file_forget(const char *given, const char *path);
