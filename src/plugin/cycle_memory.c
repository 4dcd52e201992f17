/* Counts kept between decisions. */
#include "plugin/cycle_memory.h"
#include "base/map.h"
#include "base/util.h"
#include <stdlib.h>

#define CHANGES_MIN 16

struct cycle_memory {
        struct map_u64 *entries;
        size_t max_bytes;
        bool has_grown; /* an entry was made since the last look at their size */
};

struct cycle_memory *cycle_memory_new(size_t max_bytes) {
        struct cycle_memory *memory = xcalloc(1, sizeof(*memory));
        memory->entries = map_u64_new();
        memory->max_bytes = max_bytes;
        return memory;
}

static void free_entries(struct cycle_memory *memory) {
        size_t at = 0;
        void *item;
        while (map_u64_next(memory->entries, &at, NULL, &item)) {
                struct memory_entry *entry = item;
                arena_release(&entry->arena);
                free(entry);
        }
        map_u64_free(memory->entries);
}

void cycle_memory_free(struct cycle_memory *memory) {
        if (memory == NULL)
                return;
        free_entries(memory);
        free(memory);
}

void cycle_memory_trim(struct cycle_memory *memory) {
        size_t bytes = 0, at = 0;
        void *item;
        if (!memory->has_grown)
                return;
        memory->has_grown = false;
        while (map_u64_next(memory->entries, &at, NULL, &item))
                bytes += ((struct memory_entry *)item)->arena.reserved_bytes;
        if (bytes <= memory->max_bytes)
                return;
        free_entries(memory);
        memory->entries = map_u64_new();
}

static struct memory_entry *entry_for(struct cycle_memory *memory, uint64_t key) {
        struct memory_entry *entry = map_u64_get(memory->entries, key);
        if (entry == NULL) {
                entry = xcalloc(1, sizeof(*entry));
                arena_init(&entry->arena, 0);
                map_u64_put(memory->entries, key, entry);
        }
        return entry;
}

static bool breaks(const struct cluster_change *changes, size_t count, uint32_t breaking) {
        for (size_t i = 0; i < count; i++)
                if ((changes[i].mask & breaking) != 0)
                        return true;
        return false;
}

static bool can_follow(const struct memory_entry *entry, const struct cluster *cluster,
                       uint32_t breaking, struct change_range *ret_range) {
        size_t nodes = cluster_nodes(cluster)->count;
        return entry->value != NULL && entry->node_count == nodes &&
               cluster_changes_since(cluster, entry->generation, ret_range) &&
               ret_range->first_count + ret_range->second_count <= nodes / 4 + CHANGES_MIN &&
               !breaks(ret_range->first, ret_range->first_count, breaking) &&
               !breaks(ret_range->second, ret_range->second_count, breaking);
}

bool cycle_memory_recall(struct cycle_memory *memory, const struct cluster *cluster, uint64_t key,
                         uint32_t breaking, struct memory_news *ret_news) {
        struct memory_entry *entry;
        if (memory == NULL || cluster_touched_nodes(cluster) != NULL)
                return false;
        entry = entry_for(memory, key);
        *ret_news = (struct memory_news){ .entry = entry };
        if (!can_follow(entry, cluster, breaking, &ret_news->range)) {
                ret_news->range = (struct change_range){ 0 };
                entry->value = NULL;
                arena_clear(&entry->arena);
                entry->node_count = cluster_nodes(cluster)->count;
                memory->has_grown = true;
        }
        entry->generation = cluster_generation(cluster);
        return true;
}

static void each_of_run(const struct cluster_change *changes, size_t count,
                        const struct bitset *live, void (*each)(void *context, struct node_id node),
                        void *context) {
        for (size_t i = 0; i < count; i++)
                if (!node_id_is_none(changes[i].node) && bitset_has(live, changes[i].node.index))
                        each(context, changes[i].node);
}

void memory_news_each(const struct memory_news *news, const struct cluster *cluster,
                      void (*each)(void *context, struct node_id node), void *context) {
        const struct bitset *live = &cluster_nodes(cluster)->live;
        each_of_run(news->range.first, news->range.first_count, live, each, context);
        each_of_run(news->range.second, news->range.second_count, live, each, context);
}
