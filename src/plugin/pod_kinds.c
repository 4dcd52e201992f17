/* Kinds of pods by a hash of what makes them equal. */
#include "plugin/pod_kinds.h"
#include "base/util.h"
#include <stdlib.h>

#define KINDS_FIRST 512

struct kind_search {
        size_t count, cap;
        struct pod_kind *items;
        size_t slot_count; /* a power of two, at most half full */
        uint32_t *slots;   /* number + 1; 0 = free */
};

static struct pod_kind kind_of_row(const struct pod_row *row) {
        return (struct pod_kind){ .owners = row->owners,
                                  .ns = row->ns,
                                  .labels = row->labels,
                                  .class = row->class,
                                  .owner_count = row->owner_count,
                                  .priority = row->priority,
                                  .flags = row->flags,
                                  .phase = row->phase,
                                  .qos = row->qos,
                                  .has_priority = row->has_priority };
}

static bool is_same(const struct pod_kind *a, const struct pod_kind *b) {
        return a->owners == b->owners && a->ns.index == b->ns.index &&
               a->labels.index == b->labels.index && a->class.index == b->class.index &&
               a->owner_count == b->owner_count && a->priority == b->priority &&
               a->flags == b->flags && a->phase == b->phase && a->qos == b->qos &&
               a->has_priority == b->has_priority;
}

static uint64_t pod_kinds_mix(uint64_t hash, uint64_t value) {
        hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
        return hash ^ hash >> 32;
}

static uint64_t hash_of(const struct pod_kind *kind) {
        uint64_t hash = pod_kinds_mix((uint64_t)kind->ns.index << 32 | kind->labels.index,
                                      (uint64_t)kind->class.index << 32 | (uint32_t)kind->priority);
        hash = pod_kinds_mix(hash, (uint64_t)(uintptr_t)kind->owners);
        return pod_kinds_mix(hash, (uint64_t)kind->flags << 32 | (uint64_t)kind->phase << 16 |
                                           (uint64_t)kind->qos << 8 | kind->has_priority);
}

/* The slot of the kind, or the free one it belongs in. */
static uint32_t *find_slot(const struct kind_search *search, const struct pod_kind *kind) {
        size_t mask = search->slot_count - 1, at = (size_t)hash_of(kind) & mask;
        while (search->slots[at] > 0 && !is_same(&search->items[search->slots[at] - 1], kind))
                at = (at + 1) & mask;
        return &search->slots[at];
}

static void pod_kinds_grow(struct kind_search *search) {
        search->cap = search->cap ? search->cap * 2 : KINDS_FIRST;
        search->slot_count = search->cap * 2;
        search->items = xreallocarray(search->items, search->cap, sizeof(*search->items));
        free(search->slots);
        search->slots = xcalloc(search->slot_count, sizeof(*search->slots));
        for (size_t i = 0; i < search->count; i++)
                *find_slot(search, &search->items[i]) = (uint32_t)i + 1;
}

static uint32_t number_of(struct kind_search *search, const struct pod_kind *kind) {
        uint32_t *slot = find_slot(search, kind);
        if (*slot > 0)
                return *slot - 1;
        if (search->count == search->cap) {
                pod_kinds_grow(search);
                slot = find_slot(search, kind);
        }
        search->items[search->count++] = *kind;
        *slot = (uint32_t)search->count;
        return *slot - 1;
}

struct pod_kinds pod_kinds_make(const struct cluster *cluster, struct arena *arena) {
        size_t pod_cap = cluster_pod_cap(cluster);
        struct kind_search search = { 0 };
        uint32_t *of = ARENA_ARRAY(arena, uint32_t, pod_cap);
        uint32_t last = 0;
        pod_kinds_grow(&search);
        for (size_t i = 0; i < pod_cap; i++) {
                const struct pod_row *row = cluster_pod(cluster, (struct pod_id){ (uint32_t)i });
                if (!row->is_live)
                        continue;
                struct pod_kind kind = kind_of_row(row);
                if (search.count == 0 || !is_same(&search.items[last], &kind))
                        last = number_of(&search, &kind);
                of[i] = last;
        }
        struct pod_kinds kinds = {
                .count = search.count,
                .items = arena_copy(arena, search.items, search.count * sizeof(*search.items)),
                .of = of,
        };
        free(search.items);
        free(search.slots);
        return kinds;
}
