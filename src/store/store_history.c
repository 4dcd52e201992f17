/* Ring of the latest events of one resource. */
#include "store/store_priv.h"

#include "base/util.h"
#include <stdlib.h>

#define HISTORY_START 64

static void event_release(struct store_event *event) {
        store_object_unref(event->object);
        store_object_unref(event->previous);
}

static void drop_first(struct store_history *history) {
        struct store_event *event = &history->events[history->first];

        if (event->revision > history->compacted)
                history->compacted = event->revision;
        history->bytes -= event->object->body_size;
        event_release(event);
        history->first = (history->first + 1) & (history->cap - 1);
        history->count--;
}

void store_history_release(struct store_history *history) {
        while (history->count > 0)
                drop_first(history);
        free(history->events);
        history->events = NULL;
        history->cap = 0;
}

static void store_history_grow(struct store_history *history) {
        size_t cap = history->cap ? history->cap * 2 : HISTORY_START;
        struct store_event *events = xmalloc(cap * sizeof(events[0]));

        for (size_t i = 0; i < history->count; i++)
                events[i] = *store_history_at(history, i);
        free(history->events);
        history->events = events;
        history->cap = cap;
        history->first = 0;
}

void store_history_add(struct store_history *history, const struct store_event *event) {
        history->bytes += event->object->body_size;
        while (history->count >= history->limit ||
               (history->count > 0 && history->bytes > history->bytes_limit))
                drop_first(history);
        if (history->count == history->cap)
                store_history_grow(history);
        struct store_event *slot =
                &history->events[(history->first + history->count) & (history->cap - 1)];
        *slot = *event;
        store_object_ref(slot->object);
        if (slot->previous)
                store_object_ref(slot->previous);
        history->count++;
}

void store_history_compact(struct store_history *history, uint64_t revision) {
        while (history->count > 0 && history->events[history->first].revision <= revision)
                drop_first(history);
        if (history->compacted < revision)
                history->compacted = revision;
}

const struct store_event *store_history_at(const struct store_history *history, size_t at) {
        return &history->events[(history->first + at) & (history->cap - 1)];
}

size_t store_history_after(const struct store_history *history, uint64_t revision) {
        size_t low = 0, high = history->count;

        while (low < high) {
                size_t middle = low + (high - low) / 2;

                if (store_history_at(history, middle)->revision <= revision)
                        low = middle + 1;
                else
                        high = middle;
        }
        return low;
}
