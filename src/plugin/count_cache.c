/* Counts cached between decisions. */
#include "plugin/count_cache.h"
#include "base/map.h"
#include "base/util.h"
#include <stdlib.h>
#include <string.h>

#define CHANGES_MIN 16

#define NEWS_MIN 8 /* changes remembered per entry: one for so many bytes of memory */
#define NEWS_MAX 256
#define BYTES_PER_NEWS 16384
#define ENTRY_BLOCK 4096 /* bytes an entry's arena grows by at least */
#define TOPOLOGY_CHANGES (CLUSTER_NODE_ADDED | CLUSTER_NODE_REMOVED | CLUSTER_NODE_LABELS)

struct count_cache {
        struct map_u64 *entries;
        size_t max_bytes;
        bool has_grown; /* an entry was made since the last look at their size */
        uint64_t epoch; /* last one given out */
        uint64_t clock; /* decisions */
        struct arena topology_arena;
        struct topologies topologies;
        uint64_t seen; /* generation the topologies agree with */
};

struct count_cache *count_cache_new(size_t max_bytes) {
        struct count_cache *cache = xcalloc(1, sizeof(*cache));
        cache->entries = map_u64_new();
        cache->max_bytes = max_bytes;
        arena_init(&cache->topology_arena, 0);
        cache->topologies.arena = &cache->topology_arena;
        return cache;
}

void count_cache_limit(struct count_cache *cache, size_t max_bytes) {
        cache->max_bytes = max_bytes;
        cache->has_grown = true;
}

/* ---- nodes of what-ifs ---- */

void node_list_set_touched(struct node_list *list, const struct cluster *cluster) {
        const struct node_id *touched;
        size_t count = cluster_touched_list(cluster, &touched);
        if (count > list->cap) {
                list->cap = count + count / 2;
                list->items = xreallocarray(list->items, list->cap, sizeof(*list->items));
        }
        if (count > 0)
                memcpy(list->items, touched, count * sizeof(*touched));
        list->count = count;
}

void node_list_release(struct node_list *list) {
        free(list->items);
        *list = (struct node_list){ 0 };
}

/* ---- entries ---- */

static void entry_free(struct count_entry *entry) {
        arena_release(&entry->arena);
        node_list_release(&entry->as_if);
        node_list_release(&entry->was_as_if);
        free(entry->news.items);
        free(entry);
}

void count_cache_clear(struct count_cache *cache) {
        size_t at = 0;
        void *item;
        while (map_u64_next(cache->entries, &at, NULL, &item))
                entry_free(item);
        map_u64_free(cache->entries);
        cache->entries = map_u64_new();
}

void count_cache_free(struct count_cache *cache) {
        if (!cache)
                return;
        count_cache_clear(cache);
        map_u64_free(cache->entries);
        arena_release(&cache->topology_arena);
        free(cache);
}

static size_t entry_bytes(const struct count_entry *entry) {
        return sizeof(*entry) + entry->arena.reserved_bytes +
               entry->news.cap * sizeof(*entry->news.items) +
               (entry->as_if.cap + entry->was_as_if.cap) * sizeof(struct node_id);
}

size_t count_cache_bytes(const struct count_cache *cache) {
        size_t bytes = 0, at = 0;
        void *item;
        while (map_u64_next(cache->entries, &at, NULL, &item))
                bytes += entry_bytes(item);
        return bytes;
}

/* Drops every fourth entry, by a fixed scramble: when entries are used one after the other, the
 * oldest is the one that is needed next. */
static void drop_some(struct count_cache *cache) {
        size_t at = 0;
        uint64_t key;
        void *item;
        while (map_u64_next(cache->entries, &at, &key, &item)) {
                uint64_t parts[] = { key, cache->clock };
                if (hash_bytes(parts, sizeof(parts), 0) % 4 == 0)
                        entry_free(map_u64_remove(cache->entries, key));
        }
}

static void count_cache_trim(struct count_cache *cache) {
        if (!cache->has_grown)
                return;
        cache->has_grown = false;
        while (count_cache_bytes(cache) > cache->max_bytes) {
                cache->clock++;
                drop_some(cache);
        }
}

static bool count_cache_breaks(const struct cluster_change *changes, size_t count,
                               uint32_t breaking) {
        for (size_t i = 0; i < count; i++)
                if ((changes[i].mask & breaking) != 0)
                        return true;
        return false;
}

/* Entries that still point to old topologies are made again for the same changes. */
static void renew_topologies(struct count_cache *cache, const struct cluster *cluster) {
        struct change_range range;
        if (cache->seen == cluster_generation(cluster))
                return;
        if (!cluster_changes_since(cluster, cache->seen, &range) ||
            count_cache_breaks(range.first, range.first_count, TOPOLOGY_CHANGES) ||
            count_cache_breaks(range.second, range.second_count, TOPOLOGY_CHANGES)) {
                arena_clear(&cache->topology_arena);
                cache->topologies = (struct topologies){ .arena = &cache->topology_arena };
        }
        cache->seen = cluster_generation(cluster);
}

void count_cache_begin(struct count_cache *cache, const struct cluster *cluster) {
        count_cache_trim(cache);
        renew_topologies(cache, cluster);
}

struct topologies *count_cache_topologies(struct count_cache *cache) {
        return &cache->topologies;
}

static size_t news_cap(const struct count_cache *cache) {
        size_t cap = cache->max_bytes / BYTES_PER_NEWS;
        if (cap < NEWS_MIN)
                return NEWS_MIN;
        return cap < NEWS_MAX ? cap : NEWS_MAX;
}

static struct count_entry *entry_for(struct count_cache *cache, uint64_t key) {
        struct count_entry *entry = map_u64_get(cache->entries, key);
        if (!entry) {
                entry = xcalloc(1, sizeof(*entry));
                arena_init(&entry->arena, ENTRY_BLOCK);
                entry->key = key;
                entry->news.cap = news_cap(cache);
                entry->news.items = xcalloc(entry->news.cap, sizeof(*entry->news.items));
                map_u64_put(cache->entries, key, entry);
        }
        return entry;
}

static bool can_follow(const struct count_entry *entry, const struct cluster *cluster,
                       uint32_t breaking, struct change_range *ret_range) {
        size_t nodes = cluster_nodes(cluster)->count;
        return entry->value && entry->node_count == nodes &&
               cluster_changes_since(cluster, entry->generation, ret_range) &&
               ret_range->first_count + ret_range->second_count <= nodes / 4 + CHANGES_MIN &&
               !count_cache_breaks(ret_range->first, ret_range->first_count, breaking) &&
               !count_cache_breaks(ret_range->second, ret_range->second_count, breaking);
}

static void start_again(struct count_cache *cache, const struct cluster *cluster,
                        struct count_entry *entry) {
        entry->value = NULL;
        arena_clear(&entry->arena);
        entry->node_count = cluster_nodes(cluster)->count;
        entry->epoch = ++cache->epoch;
        entry->news.is_incomplete = true;
        cache->has_grown = true;
}

/* From here on the nodes of the present what-if are those that differ. */
static void swap_as_if(struct count_entry *entry, const struct cluster *cluster) {
        struct node_list last = entry->was_as_if;
        entry->was_as_if = entry->as_if;
        entry->as_if = last;
        node_list_set_touched(&entry->as_if, cluster);
}

bool count_cache_recall(struct count_cache *cache, const struct cluster *cluster, uint64_t key,
                        uint32_t breaking, struct count_updates *ret_news) {
        uint64_t generation = cluster_generation(cluster);
        if (!cache)
                return false;
        struct count_entry *entry = entry_for(cache, key);
        struct domain_news *news = &entry->news;
        *ret_news = (struct count_updates){ .entry = entry };
        swap_as_if(entry, cluster);
        if (entry->value && entry->generation == generation && entry->as_if.count == 0 &&
            entry->was_as_if.count == 0)
                return true;
        if (!can_follow(entry, cluster, breaking, &ret_news->range)) {
                ret_news->range = (struct change_range){ 0 };
                start_again(cache, cluster, entry);
        }
        if (news->is_incomplete || news->count > news->cap / 2) {
                news->count = 0;
                news->is_incomplete = false;
                news->since = news->version;
        }
        news->version++;
        entry->generation = generation;
        return true;
}

/* A node that changed often is due at its last change alone. */
static void each_of_run(const struct cluster_change *changes, size_t count,
                        const struct node_table *nodes,
                        void (*each)(void *context, struct node_id node), void *context) {
        for (size_t i = 0; i < count; i++) {
                struct node_id node = changes[i].node;
                if (!node_id_is_none(node) && bitset_has(&nodes->live, node.index) &&
                    nodes->generation[node.index] == changes[i].generation)
                        each(context, node);
        }
}

/* without: nodes left out; NULL = none. */
static void each_of_list(const struct node_list *list, const struct bitset *live,
                         const struct bitset *without,
                         void (*each)(void *context, struct node_id node), void *context) {
        for (size_t i = 0; i < list->count; i++)
                if (bitset_has(live, list->items[i].index) &&
                    (!without || !bitset_has(without, list->items[i].index)))
                        each(context, list->items[i]);
}

void count_updates_each(const struct count_updates *news, const struct cluster *cluster,
                        void (*each)(void *context, struct node_id node), void *context) {
        const struct node_table *nodes = cluster_nodes(cluster);
        const struct bitset *live = &nodes->live;
        each_of_run(news->range.first, news->range.first_count, nodes, each, context);
        each_of_run(news->range.second, news->range.second_count, nodes, each, context);
        each_of_list(&news->entry->was_as_if, live, cluster_touched_nodes(cluster), each, context);
        each_of_list(&news->entry->as_if, live, NULL, each, context);
}
