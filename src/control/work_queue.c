/* Work queue: a map of keys, a ring of the ready ones, a heap of the later ones. */
#include "control/work_queue.h"

#include "base/heap.h"
#include "base/map.h"
#include "base/util.h"
#include <assert.h>
#include <stdlib.h>

#define RETRY_DOUBLINGS_MAX 16
#define KEY_MAX 1024 /* names are no longer than 253 characters */

struct work_item {
        struct mono_time due;
        size_t position; /* 1 + index in the heap; 0 = no later time */
        unsigned failures;
        bool is_ready, is_taken;
        size_t ns_size, key_size;
        char key[]; /* ns '/' name */
};

struct work_queue {
        struct map *items;
        struct heap later;
        struct work_item **ring;
        size_t first, count, cap;
        void (*wake)(void *context);
        void *context;
};

static bool is_before(const void *a, const void *b, void *context) {
        (void)context;
        return ((const struct work_item *)a)->due.ns < ((const struct work_item *)b)->due.ns;
}

static void work_queue_moved(void *item, size_t index) {
        ((struct work_item *)item)->position = index == HEAP_NO_INDEX ? 0 : index + 1;
}

struct work_queue *work_queue_new(void (*wake)(void *context), void *context) {
        struct work_queue *queue = xcalloc(1, sizeof(*queue));

        queue->items = map_new();
        queue->wake = wake;
        queue->context = context;
        heap_init(&queue->later, is_before, work_queue_moved, NULL);
        return queue;
}

void work_queue_free(struct work_queue *queue) {
        size_t at = 0;
        void *item;

        if (!queue)
                return;
        while (map_next(queue->items, &at, NULL, &item))
                free(item);
        map_free(queue->items);
        heap_release(&queue->later);
        free(queue->ring);
        free(queue);
}

static struct slice key_of(const struct work_item *item) {
        return slice_make(item->key, item->key_size);
}

static struct work_item *work_queue_find(struct work_queue *queue, struct slice ns,
                                         struct slice name, bool is_wanted) {
        char key[KEY_MAX];
        size_t size = ns.len + 1 + name.len;

        assert(size < sizeof(key));
        if (ns.len)
                memcpy(key, ns.ptr, ns.len);
        key[ns.len] = '/';
        if (name.len)
                memcpy(key + ns.len + 1, name.ptr, name.len);
        struct work_item *item = map_get(queue->items, slice_make(key, size));
        if (item || !is_wanted)
                return item;
        item = xcalloc(1, sizeof(*item) + size + 1);
        memcpy(item->key, key, size);
        item->ns_size = ns.len;
        item->key_size = size;
        map_put(queue->items, key_of(item), item);
        return item;
}

static void drop_if_idle(struct work_queue *queue, struct work_item *item) {
        if (item->is_ready || item->is_taken || item->position || item->failures)
                return;
        map_remove(queue->items, key_of(item));
        free(item);
}

static void make_ready(struct work_queue *queue, struct work_item *item) {
        if (item->position)
                heap_remove(&queue->later, item->position - 1);
        if (item->is_ready)
                return;
        if (queue->count == queue->cap) {
                size_t cap = queue->cap ? queue->cap * 2 : 64;
                struct work_item **ring = xreallocarray(NULL, cap, sizeof(struct work_item *));

                for (size_t i = 0; i < queue->count; i++)
                        ring[i] = queue->ring[(queue->first + i) % queue->cap];
                free(queue->ring);
                queue->ring = ring;
                queue->cap = cap;
                queue->first = 0;
        }
        queue->ring[(queue->first + queue->count++) % queue->cap] = item;
        item->is_ready = true;
}

void work_queue_add(struct work_queue *queue, struct slice ns, struct slice name) {
        struct work_item *item = work_queue_find(queue, ns, name, true);

        if (item->position && item->failures > WORK_HASTY_RETRIES)
                return;
        make_ready(queue, item);
        if (queue->count == 1)
                queue->wake(queue->context);
}

static void work_queue_delay(struct work_queue *queue, struct work_item *item,
                             struct mono_time due) {
        if (item->is_ready || (item->position && item->due.ns <= due.ns))
                return;
        item->due = due;
        if (item->position)
                heap_fix(&queue->later, item->position - 1);
        else
                heap_push(&queue->later, item);
        if (heap_peek(&queue->later) == item)
                queue->wake(queue->context);
}

void work_queue_add_at(struct work_queue *queue, struct slice ns, struct slice name,
                       struct mono_time due) {
        work_queue_delay(queue, work_queue_find(queue, ns, name, true), due);
}

void work_queue_cancel(struct work_queue *queue, struct slice ns, struct slice name) {
        struct work_item *item = work_queue_find(queue, ns, name, false);

        if (!item || !item->position)
                return;
        heap_remove(&queue->later, item->position - 1);
        item->failures = 0;
        drop_if_idle(queue, item);
}

void work_queue_advance(struct work_queue *queue, struct mono_time now) {
        struct work_item *item;

        while ((item = heap_peek(&queue->later)) && item->due.ns <= now.ns)
                make_ready(queue, item);
}

struct work_item *work_queue_take(struct work_queue *queue) {
        if (queue->count == 0)
                return NULL;
        struct work_item *item = queue->ring[queue->first];
        queue->first = (queue->first + 1) % queue->cap;
        queue->count--;
        assert(item->is_ready);
        item->is_ready = false;
        item->is_taken = true;
        return item;
}

struct slice work_item_ns(const struct work_item *item) {
        return slice_make(item->key, item->ns_size);
}

struct slice work_item_name(const struct work_item *item) {
        return slice_make(item->key + item->ns_size + 1, item->key_size - item->ns_size - 1);
}

void work_queue_done(struct work_queue *queue, struct work_item *item, bool is_failed,
                     struct mono_time now) {
        assert(item->is_taken);
        item->is_taken = false;
        if (is_failed) {
                int64_t pause = WORK_RETRY_FIRST_NS << item->failures;

                if (item->failures < RETRY_DOUBLINGS_MAX)
                        item->failures++;
                if (pause > WORK_RETRY_MAX_NS)
                        pause = WORK_RETRY_MAX_NS;
                work_queue_delay(queue, item, (struct mono_time){ now.ns + pause });
                return;
        }
        item->failures = 0;
        drop_if_idle(queue, item);
}

size_t work_queue_ready(const struct work_queue *queue) {
        return queue->count;
}

size_t work_queue_delayed(const struct work_queue *queue) {
        return queue->later.count;
}

struct mono_time work_queue_next(const struct work_queue *queue) {
        const struct work_item *item = heap_peek(&queue->later);

        return item ? item->due : (struct mono_time){ INT64_MAX };
}
