/* Gives back memory between passes that are far apart. */
#pragma once

#include <stddef.h>

/* Unmaps clean pages of program and libraries, which come back from the page cache when they are
 * needed, and unused heap.  The bytes looked at and let go; 0 where /proc does not tell. */
size_t host_trim(void);
