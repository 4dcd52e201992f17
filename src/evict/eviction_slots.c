/* Counts of evictions under way against their limits. */
#include "evict/eviction_slots.h"

#include "base/map.h"
#include "base/util.h"
#include <stdio.h>
#include <stdlib.h>

#define KEY_MAX 900

struct eviction_slots {
        struct eviction_slot_limits limits;
        uint32_t total;
        struct map *nodes, *namespaces, *owners; /* count as the value's number */
};

const char *eviction_slot_refusal_text(enum eviction_slot_refusal refusal) {
        static const char *const texts[EVICTION_SLOT_REFUSAL_COUNT] = {
                [EVICTION_SLOT_FREE] = "",
                [EVICTION_SLOT_NO_TOTAL] = "of the cluster",
                [EVICTION_SLOT_NO_NODE] = "of its node",
                [EVICTION_SLOT_NO_NAMESPACE] = "of its namespace",
                [EVICTION_SLOT_NO_OWNER] = "of its owner",
        };

        return texts[refusal];
}

struct eviction_slots *eviction_slots_new(const struct eviction_slot_limits *limits) {
        struct eviction_slots *slots = xcalloc(1, sizeof(*slots));

        slots->limits = *limits;
        slots->nodes = map_new();
        slots->namespaces = map_new();
        slots->owners = map_new();
        return slots;
}

void eviction_slots_free(struct eviction_slots *slots) {
        if (!slots)
                return;
        map_free(slots->nodes);
        map_free(slots->namespaces);
        map_free(slots->owners);
        free(slots);
}

/* Owners of the same name in two namespaces are two. */
static struct slice owner_key(const struct eviction_slot_holder *holder, char *buffer) {
        if (holder->owner.len == 0)
                return SLICE_EMPTY;
        snprintf(buffer, KEY_MAX, SLICE_FMT "/" SLICE_FMT, SLICE_ARG(holder->ns),
                 SLICE_ARG(holder->owner));
        return slice_of(buffer);
}

static void count_one(struct map *counts, struct slice key) {
        if (key.len)
                map_put(counts, key, (void *)((uintptr_t)map_get(counts, key) + 1));
}

static bool is_full(const struct map *counts, struct slice key, uint32_t limit) {
        return limit && key.len && (uintptr_t)map_get(counts, key) >= limit;
}

void eviction_slots_hold(struct eviction_slots *slots, const struct eviction_slot_holder *holder) {
        char text[KEY_MAX];

        slots->total++;
        count_one(slots->nodes, holder->node);
        count_one(slots->namespaces, holder->ns);
        count_one(slots->owners, owner_key(holder, text));
}

enum eviction_slot_refusal eviction_slots_take(struct eviction_slots *slots,
                                               const struct eviction_slot_holder *holder) {
        const struct eviction_slot_limits *limits = &slots->limits;
        char text[KEY_MAX];

        if (limits->total && slots->total >= limits->total)
                return EVICTION_SLOT_NO_TOTAL;
        if (is_full(slots->nodes, holder->node, limits->node))
                return EVICTION_SLOT_NO_NODE;
        if (is_full(slots->namespaces, holder->ns, limits->ns))
                return EVICTION_SLOT_NO_NAMESPACE;
        if (is_full(slots->owners, owner_key(holder, text), limits->owner))
                return EVICTION_SLOT_NO_OWNER;
        eviction_slots_hold(slots, holder);
        return EVICTION_SLOT_FREE;
}

/* ---- order ---- */

enum eviction_rank eviction_rank_of(struct slice requester) {
        static const struct {
                const char *prefix;
                enum eviction_rank rank;
        } known[] = {
                { "reboot.berth.dev/", EVICTION_RANK_REBOOT },
                { "evict.berth.dev/", EVICTION_RANK_REBOOT },
                { "kured", EVICTION_RANK_REBOOT },
                { "descheduler.", EVICTION_RANK_DESCHEDULE },
                { "sigs.k8s.io/descheduler", EVICTION_RANK_DESCHEDULE },
        };

        for (size_t i = 0; i < ARRAY_LEN(known); i++)
                if (slice_has_prefix(requester, slice_of(known[i].prefix)))
                        return known[i].rank;
        return EVICTION_RANK_OTHER;
}

static int compare_demands(const void *left, const void *right) {
        const struct eviction_demand *a = left, *b = right;

        if (a->rank != b->rank)
                return a->rank < b->rank ? -1 : 1;
        if (a->since_ns != b->since_ns)
                return a->since_ns < b->since_ns ? -1 : 1;
        return a->serial < b->serial ? -1 : a->serial > b->serial;
}

void eviction_slots_line_up(struct eviction_slots *slots, struct eviction_demand *demands,
                            size_t count) {
        bool has_claimed = false;

        if (count)
                qsort(demands, count, sizeof(demands[0]), compare_demands);
        for (size_t i = 0; i < count; i++) {
                struct eviction_demand *demand = &demands[i];

                demand->refusal = eviction_slots_take(slots, &demand->holder);
                if (demand->refusal == EVICTION_SLOT_FREE || !demand->is_overdue || has_claimed)
                        continue;
                eviction_slots_hold(slots, &demand->holder);
                has_claimed = true;
        }
}
