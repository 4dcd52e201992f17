/* Threads that nobody joins. */
#pragma once

#include <stddef.h>

/* Detached; takes none of the process's signals. stack_bytes 0 = the system's default. Returns 0 or
 * errno. */
int thread_start(size_t stack_bytes, void *(*run)(void *context), void *context);
