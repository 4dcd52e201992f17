/* Binary heap of pointers with index tracking, for queues and timers.
 * The element learns its position through a callback so that it can be removed or moved in O(log
 * n). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define HEAP_NO_INDEX ((size_t)-1)

struct heap {
        void **items;
        size_t count, cap;
        bool (*is_before)(const void *a, const void *b, void *context);
        void (*moved)(void *item, size_t index); /* index == HEAP_NO_INDEX when it left the heap */
        void *context;
};

void heap_init(struct heap *heap, bool (*is_before)(const void *, const void *, void *),
               void (*moved)(void *, size_t), void *context);
void heap_release(struct heap *heap); /* does not touch the elements */
void heap_push(struct heap *heap, void *item);
void *heap_peek(const struct heap *heap); /* NULL when empty */
void *heap_pop(struct heap *heap);        /* NULL when empty */
void heap_remove(struct heap *heap, size_t index);
void heap_fix(struct heap *heap,
              size_t index); /* after the order of the element at index changed */
