/* Small helpers that belong to no type. */
#pragma once

#include <stddef.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define CONTAINER_OF(pointer, type, member) ((type *)((char *)(pointer)-offsetof(type, member)))

/* malloc family that aborts without memory; for small, bounded allocations. */
void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *pointer, size_t size);
void *xreallocarray(void *pointer, size_t count, size_t size);
void cleanup_free(void *pointer_to_pointer); /* for CLEANUP(cleanup_free) char *text = ...; */
void cleanup_close(int *fd);                 /* closes when >= 0 */
