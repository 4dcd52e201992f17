/* Gives back memory between passes that are far apart. */
#pragma once

#include <stddef.h>

/* Unmaps clean pages of program and libraries, which the page cache returns when they are needed,
 * and unused heap.  Returns the bytes unmapped; 0 where /proc cannot be read. */
size_t host_trim(void);
