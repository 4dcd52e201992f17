/* Binary heap with index tracking. */
#include "base/heap.h"

#include "base/util.h"
#include <assert.h>
#include <stdlib.h>

#define HEAP_SMALL_CAP 1024 /* stays as it is */

void heap_init(struct heap *heap, bool (*is_before)(const void *, const void *, void *),
               void (*moved)(void *, size_t), void *context) {
        *heap = (struct heap){ .is_before = is_before, .moved = moved, .context = context };
}

void heap_release(struct heap *heap) {
        free(heap->items);
        heap->items = NULL;
        heap->count = 0;
        heap->cap = 0;
}

static void heap_place(struct heap *heap, size_t index, void *item) {
        heap->items[index] = item;
        if (heap->moved)
                heap->moved(item, index);
}

/* Moves `item` from the hole at `index` towards the root; returns whether it moved. */
static bool sift_up(struct heap *heap, size_t index, void *item) {
        size_t start = index;
        while (index > 0) {
                size_t parent = (index - 1) / 2;
                if (!heap->is_before(item, heap->items[parent], heap->context))
                        break;
                heap_place(heap, index, heap->items[parent]);
                index = parent;
        }
        heap_place(heap, index, item);
        return index != start;
}

static void sift_down(struct heap *heap, size_t index, void *item) {
        for (;;) {
                size_t child = index * 2 + 1;
                if (child >= heap->count)
                        break;
                if (child + 1 < heap->count &&
                    heap->is_before(heap->items[child + 1], heap->items[child], heap->context))
                        child++;
                if (!heap->is_before(heap->items[child], item, heap->context))
                        break;
                heap_place(heap, index, heap->items[child]);
                index = child;
        }
        heap_place(heap, index, item);
}

void heap_push(struct heap *heap, void *item) {
        assert(item);
        if (heap->count == heap->cap) {
                heap->cap = heap->cap ? heap->cap * 2 : 16;
                heap->items = xreallocarray(heap->items, heap->cap, sizeof(*heap->items));
        }
        heap->count++;
        sift_up(heap, heap->count - 1, item);
}

/* A large heap that is mostly empty gets half the room; a heap that breathes keeps it. */
static void heap_shrink(struct heap *heap) {
        if (heap->cap <= HEAP_SMALL_CAP || heap->count >= heap->cap / 4)
                return;
        heap->cap /= 2;
        heap->items = xreallocarray(heap->items, heap->cap, sizeof(*heap->items));
}

void *heap_peek(const struct heap *heap) {
        return heap->count ? heap->items[0] : NULL;
}

void *heap_pop(struct heap *heap) {
        void *item = heap_peek(heap);
        if (item)
                heap_remove(heap, 0);
        return item;
}

void heap_remove(struct heap *heap, size_t index) {
        assert(index < heap->count);
        void *removed = heap->items[index];
        void *last = heap->items[--heap->count];
        if (index < heap->count && !sift_up(heap, index, last))
                sift_down(heap, index, last);
        if (heap->moved)
                heap->moved(removed, HEAP_NO_INDEX);
        heap_shrink(heap);
}

void heap_fix(struct heap *heap, size_t index) {
        assert(index < heap->count);
        void *item = heap->items[index];
        if (!sift_up(heap, index, item))
                sift_down(heap, index, item);
}
