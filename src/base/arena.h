/* Bump allocator with one lifetime: everything goes at arena_clear or arena_release.
 * Small-allocation failure aborts (state is rebuilt from the API server); sizes that come from
 * input are bounded by the caller first. */
#pragma once

#include "base/slice.h"
#include <stddef.h>

struct arena_block;

struct arena {
        struct arena_block *head; /* newest block */
        size_t block_size;        /* size of new blocks, bytes */
        size_t used_bytes;        /* handed out since the last clear */
        size_t reserved_bytes;    /* held from the system */
};

void arena_init(struct arena *arena, size_t block_size); /* 0 = 64 KiB */
void arena_release(struct arena *arena);
/* Keeps one block as large as all of them together, so that a repeated cycle soon stops asking the
 * system for memory. */
void arena_clear(struct arena *arena);

void *arena_alloc(struct arena *arena,
                  size_t size); /* zeroed, aligned for any type; size 0 gives a valid pointer */
void *arena_array(struct arena *arena, size_t count, size_t size); /* aborts on overflow */
#define ARENA_NEW(arena, type) ((type *)arena_alloc((arena), sizeof(type)))
#define ARENA_ARRAY(arena, type, count) ((type *)arena_array((arena), (count), sizeof(type)))
/* Items with room for one more, of count there are: the same, or a copy twice as large. */
void *arena_grow(struct arena *arena, void *items, size_t count, size_t *cap, size_t size);
void *arena_copy(struct arena *arena, const void *data, size_t size);
char *arena_string(struct arena *arena, struct slice text); /* NUL-terminated copy */
struct slice arena_slice(struct arena *arena,
                         struct slice text); /* copy; its ptr is NUL-terminated too */
/* The texts as one; NUL-terminated. */
struct slice arena_join(struct arena *arena, size_t count, const struct slice *texts);
char *arena_printf(struct arena *arena, const char *format, ...)
        __attribute__((format(printf, 2, 3)));

/* cleanup attribute: CLEANUP(arena_release) struct arena scratch; */
#define CLEANUP(function) __attribute__((cleanup(function)))
