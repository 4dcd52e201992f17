/* Bump allocation out of a list of blocks.
 *
 * Under AddressSanitizer unused space is poisoned, so touching memory after arena_clear or running
 * past the end of an allocation is reported as it would be for malloc'ed memory. */
#include "base/arena.h"

#include "base/util.h"
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_HAS_ASAN
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define ARENA_HAS_ASAN
#endif

#ifdef ARENA_HAS_ASAN
#include <sanitizer/asan_interface.h>
#define POISON(pointer, size) ASAN_POISON_MEMORY_REGION((pointer), (size))
#define UNPOISON(pointer, size) ASAN_UNPOISON_MEMORY_REGION((pointer), (size))
#define ARENA_GAP _Alignof(max_align_t) /* so that neighbours do not touch */
#else
#define POISON(pointer, size) ((void)(pointer), (void)(size))
#define UNPOISON(pointer, size) ((void)(pointer), (void)(size))
#define ARENA_GAP ((size_t)0)
#endif

#define ARENA_BLOCK_DEFAULT ((size_t)64 << 10)
#define ARENA_ALIGN _Alignof(max_align_t)
#define GROW_FIRST 8

struct arena_block {
        struct arena_block *next;
        size_t size; /* of data */
        size_t used;
        max_align_t data[];
};

static size_t round_up(size_t size) {
        if (size > SIZE_MAX - 4096)
                abort();
        return (size + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
}

static struct arena_block *block_new(size_t size) {
        struct arena_block *block = xmalloc(sizeof(*block) + size);
        block->next = NULL;
        block->size = size;
        block->used = 0;
        POISON(block->data, size);
        return block;
}

static void free_blocks(struct arena *arena) {
        struct arena_block *block = arena->head;
        while (block) {
                struct arena_block *next = block->next;
                UNPOISON(block->data, block->size);
                free(block);
                block = next;
        }
        arena->head = NULL;
        arena->reserved_bytes = 0;
}

void arena_init(struct arena *arena, size_t block_size) {
        *arena = (struct arena){ .block_size = block_size ? round_up(block_size) : 0 };
}

void arena_release(struct arena *arena) {
        free_blocks(arena);
        arena->used_bytes = 0;
}

void arena_clear(struct arena *arena) {
        struct arena_block *head = arena->head;
        arena->used_bytes = 0;
        if (!head)
                return;
        if (head->next) {
                size_t size = arena->reserved_bytes;
                free_blocks(arena);
                arena->head = block_new(size);
                arena->reserved_bytes = size;
                return;
        }
        head->used = 0;
        POISON(head->data, head->size);
}

/* Returns a block with room for `need` bytes.  An oversized request gets a block of its own behind
 * the head, so that the room left in the head is not lost. */
static struct arena_block *block_for(struct arena *arena, size_t need) {
        struct arena_block *head = arena->head;
        if (head && head->size - head->used >= need)
                return head;
        size_t block_size = arena->block_size ? arena->block_size : ARENA_BLOCK_DEFAULT;
        bool is_own = head && need > block_size / 4;
        struct arena_block *block = block_new(is_own || need > block_size ? need : block_size);
        arena->reserved_bytes += block->size;
        if (is_own) {
                block->next = head->next;
                head->next = block;
        } else {
                block->next = head;
                arena->head = block;
        }
        return block;
}

/* Room for `size` bytes whose content is undefined. */
static void *arena_take(struct arena *arena, size_t size) {
        size_t need = round_up(size ? size + ARENA_GAP : 1);
        struct arena_block *block = block_for(arena, need);
        char *pointer = (char *)block->data + block->used;
        block->used += need;
        arena->used_bytes += need;
        UNPOISON(pointer, size);
        return pointer;
}

void *arena_alloc(struct arena *arena, size_t size) {
        void *pointer = arena_take(arena, size);
        return size ? memset(pointer, 0, size) : pointer;
}

void *arena_array(struct arena *arena, size_t count, size_t size) {
        if (size && count > SIZE_MAX / size)
                abort();
        return arena_alloc(arena, count * size);
}

void *arena_grow(struct arena *arena, void *items, size_t count, size_t *cap, size_t size) {
        void *grown;
        if (count < *cap)
                return items;
        *cap = *cap > 0 ? *cap * 2 : GROW_FIRST;
        grown = arena_array(arena, *cap, size);
        if (count > 0)
                memcpy(grown, items, count * size);
        return grown;
}

void *arena_copy(struct arena *arena, const void *data, size_t size) {
        void *pointer = arena_take(arena, size);
        return size ? memcpy(pointer, data, size) : pointer;
}

char *arena_string(struct arena *arena, struct slice text) {
        assert(text.len < SIZE_MAX);
        char *copy = arena_take(arena, text.len + 1);
        if (text.len)
                memcpy(copy, text.ptr, text.len);
        copy[text.len] = '\0';
        return copy;
}

struct slice arena_slice(struct arena *arena, struct slice text) {
        return slice_make(arena_string(arena, text), text.len);
}

struct slice arena_join(struct arena *arena, size_t count, const struct slice *texts) {
        size_t size = 0;

        for (size_t i = 0; i < count; i++)
                size += texts[i].len;
        char *all = arena_take(arena, size + 1), *at = all;
        for (size_t i = 0; i < count; i++) {
                if (texts[i].len)
                        memcpy(at, texts[i].ptr, texts[i].len);
                at += texts[i].len;
        }
        *at = '\0';
        return slice_make(all, size);
}

char *arena_printf(struct arena *arena, const char *format, ...) {
        assert(format);
        va_list args;
        va_start(args, format);
        int len = vsnprintf(NULL, 0, format, args);
        va_end(args);
        assert(len >= 0);
        char *text = arena_take(arena, (size_t)len + 1);
        va_start(args, format);
        vsnprintf(text, (size_t)len + 1, format, args);
        va_end(args);
        return text;
}
