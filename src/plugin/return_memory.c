/* Pods that come back. */
#include "plugin/return_memory.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/util.h"
#include <stdlib.h>

/* After so long without a move the past does not matter any more. */
#define RETURN_FORGET_NS (2 * RETURN_PAUSE_MAX_NS)

struct return_entry {
        struct wall_time moved, until;
        uint32_t returns;
        bool has_returned; /* since the last move */
};
struct return_memory {
        struct map *entries; /* "owner node" -> struct return_entry */
};

struct return_memory *return_memory_new(void) {
        struct return_memory *memory = xcalloc(1, sizeof(*memory));
        memory->entries = map_new();
        return memory;
}

void return_memory_free(struct return_memory *memory) {
        if (!memory)
                return;
        size_t at = 0;
        struct slice key;
        void *entry;
        while (map_next(memory->entries, &at, &key, &entry))
                free(entry);
        map_free(memory->entries);
        free(memory);
}

static void write_key(struct buf *key, struct slice owner, struct slice node) {
        buf_printf(key, SLICE_FMT " " SLICE_FMT, SLICE_ARG(owner), SLICE_ARG(node));
}

static void forget_old(struct return_memory *memory, struct wall_time now) {
        size_t at = 0;
        struct slice key;
        void *value;
        while (map_next(memory->entries, &at, &key, &value)) {
                struct return_entry *entry = value;
                if (now.ns - entry->moved.ns <= RETURN_FORGET_NS &&
                    map_count(memory->entries) <= RETURN_ENTRIES_MAX)
                        continue;
                map_remove(memory->entries, key);
                free(entry);
        }
}

void return_memory_note(struct return_memory *memory, struct slice owner, struct slice node,
                        struct wall_time now) {
        struct buf key = { 0 };
        write_key(&key, owner, node);
        struct return_entry *entry = map_get(memory->entries, buf_view(&key));
        if (!entry) {
                forget_old(memory, now);
                entry = xcalloc(1, sizeof(*entry));
                map_put(memory->entries, buf_view(&key), entry);
        }
        entry->moved = now;
        entry->has_returned = false;
        buf_release(&key);
}

static int64_t pause_of(uint32_t returns) {
        int64_t pause = RETURN_PAUSE_FIRST_NS;
        for (uint32_t i = 1; i < returns && pause < RETURN_PAUSE_MAX_NS; i++)
                pause *= 2;
        return pause < RETURN_PAUSE_MAX_NS ? pause : RETURN_PAUSE_MAX_NS;
}

bool return_memory_blocks(struct return_memory *memory, struct slice owner, struct slice node,
                          struct wall_time created, struct wall_time now,
                          struct wall_time *ret_until) {
        struct buf key = { 0 };
        write_key(&key, owner, node);
        struct return_entry *entry = map_get(memory->entries, buf_view(&key));
        buf_release(&key);
        if (!entry)
                return false;
        /* Times of creation are whole seconds. */
        if (!entry->has_returned && created.ns >= entry->moved.ns - entry->moved.ns % NS_PER_S) {
                entry->has_returned = true;
                entry->returns++;
                entry->until.ns = now.ns + pause_of(entry->returns);
        }
        if (entry->returns == 0 || now.ns >= entry->until.ns)
                return false;
        *ret_until = entry->until;
        return true;
}

size_t return_memory_count(const struct return_memory *memory) {
        return map_count(memory->entries);
}
