/* Who holds a slot, who waits, and what others have under way. */
#include "evict/slot_ledger.h"

#include "base/map.h"
#include "base/util.h"
#include <stdio.h>
#include <stdlib.h>

#define KEY_MAX 900
#define VM_OWNER "VirtualMachineInstance/"

enum entry_state { ENTRY_WAITS, ENTRY_HOLDS, ENTRY_REMEMBERED };

struct slot_ledger_entry { /* an eviction of ours; texts follow it in the same allocation */
        struct slice uid;
        struct eviction_slot_holder holder;
        enum eviction_rank rank;
        enum entry_state state;
        enum eviction_slot_refusal refusal;
        struct mono_time since, expires; /* expires: of those that are not there */
        bool is_away;
        uint64_t serial;
};

struct observation { /* an eviction of another program, likewise */
        struct slice uid;
        struct eviction_slot_holder holder;
};

struct slot_ledger {
        struct eviction_slot_limits limits;
        struct map *entries;      /* uid -> struct slot_ledger_entry */
        struct map *observations; /* source and key -> struct observation */
        uint64_t last_serial;
        size_t seen; /* at the last admission */
};

struct slot_ledger *slot_ledger_new(const struct eviction_slot_limits *limits) {
        struct slot_ledger *ledger = xcalloc(1, sizeof(*ledger));

        ledger->limits = *limits;
        ledger->entries = map_new();
        ledger->observations = map_new();
        return ledger;
}

void slot_ledger_free(struct slot_ledger *ledger) {
        if (!ledger)
                return;
        map_free_values(ledger->entries);
        map_free_values(ledger->observations);
        free(ledger);
}

/* ---- texts ---- */

static size_t size_of_texts(struct slice uid, const struct eviction_slot_holder *holder) {
        return uid.len + holder->ns.len + holder->node.len + holder->owner.len;
}

static struct slice slot_ledger_place(char **at, struct slice text) {
        struct slice placed = slice_make(*at, text.len);

        if (text.len)
                memcpy(*at, text.ptr, text.len);
        *at += text.len;
        return placed;
}

static struct eviction_slot_holder place_holder(char **at,
                                                const struct eviction_slot_holder *holder) {
        return (struct eviction_slot_holder){ .ns = slot_ledger_place(at, holder->ns),
                                              .node = slot_ledger_place(at, holder->node),
                                              .owner = slot_ledger_place(at, holder->owner) };
}

/* ---- ours ---- */

static struct slot_ledger_entry *add_entry(struct slot_ledger *ledger,
                                           const struct slot_asker *asker, struct mono_time now) {
        struct slot_ledger_entry *entry =
                xcalloc(1, sizeof(*entry) + size_of_texts(asker->uid, &asker->holder));
        char *at = (char *)(entry + 1);

        entry->uid = slot_ledger_place(&at, asker->uid);
        entry->holder = place_holder(&at, &asker->holder);
        entry->since = now;
        entry->serial = ++ledger->last_serial;
        map_put(ledger->entries, entry->uid, entry);
        return entry;
}

void slot_ledger_ask(struct slot_ledger *ledger, const struct slot_asker *asker,
                     struct mono_time now) {
        struct slot_ledger_entry *entry = map_get(ledger->entries, asker->uid);

        if (!entry)
                entry = add_entry(ledger, asker, now);
        if (entry->state == ENTRY_REMEMBERED)
                entry->state = ENTRY_WAITS;
        entry->rank = asker->rank;
        entry->is_away = false;
}

void slot_ledger_leave(struct slot_ledger *ledger, struct slice uid, struct mono_time now) {
        struct slot_ledger_entry *entry = map_get(ledger->entries, uid);

        if (!entry)
                return;
        entry->is_away = true;
        entry->expires = (struct mono_time){ now.ns + SLOT_LEDGER_GRACE_NS };
}

void slot_ledger_give_back(struct slot_ledger *ledger, struct slice uid, struct mono_time now) {
        struct slot_ledger_entry *entry = map_get(ledger->entries, uid);

        if (!entry)
                return;
        entry->state = ENTRY_REMEMBERED;
        entry->refusal = EVICTION_SLOT_FREE;
        entry->is_away = true;
        entry->expires = (struct mono_time){ now.ns + SLOT_LEDGER_MEMORY_NS };
}

void slot_ledger_end(struct slot_ledger *ledger, struct slice uid) {
        free(map_remove(ledger->entries, uid));
}

/* Those that did not come back in time. */
static void slot_ledger_expire(struct slot_ledger *ledger, struct mono_time now) {
        struct slice key;
        void *value;
        size_t at = 0;

        while (map_next(ledger->entries, &at, &key, &value)) {
                struct slot_ledger_entry *entry = value;

                if (!entry->is_away || entry->expires.ns > now.ns)
                        continue;
                if (entry->state == ENTRY_REMEMBERED)
                        free(map_remove(ledger->entries, key));
                else
                        slot_ledger_give_back(ledger, key, now);
        }
}

/* ---- others' ---- */

static struct slice observation_key(enum slot_source source, struct slice key, char *buffer) {
        snprintf(buffer, KEY_MAX, "%d/" SLICE_FMT, (int)source, SLICE_ARG(key));
        return slice_of(buffer);
}

static bool is_of(struct slice key, enum slot_source source) {
        return key.ptr[0] == (char)('0' + (int)source);
}

void slot_ledger_see(struct slot_ledger *ledger, enum slot_source source, struct slice key,
                     struct slice uid, const struct eviction_slot_holder *holder) {
        struct observation *observation =
                xcalloc(1, sizeof(*observation) + size_of_texts(uid, holder));
        char *at = (char *)(observation + 1), text[KEY_MAX];

        observation->uid = slot_ledger_place(&at, uid);
        observation->holder = place_holder(&at, holder);
        free(map_put(ledger->observations, observation_key(source, key, text), observation));
}

void slot_ledger_unsee(struct slot_ledger *ledger, enum slot_source source, struct slice key) {
        char text[KEY_MAX];

        free(map_remove(ledger->observations, observation_key(source, key, text)));
}

void slot_ledger_unsee_all(struct slot_ledger *ledger, enum slot_source source) {
        struct slice key;
        void *value;
        size_t at = 0;

        while (map_next(ledger->observations, &at, &key, &value))
                if (is_of(key, source))
                        free(map_remove(ledger->observations, key));
}

/* ---- admission ---- */

struct slot_ledger_counting {
        struct eviction_slots *slots;
        struct map *counted; /* uids, and namespace/owner of VMs */
};

static struct slice vm_key(const struct eviction_slot_holder *holder, char *buffer) {
        if (!slice_has_prefix(holder->owner, SLICE_LITERAL(VM_OWNER)))
                return SLICE_EMPTY;
        snprintf(buffer, KEY_MAX, SLICE_FMT "/" SLICE_FMT, SLICE_ARG(holder->ns),
                 SLICE_ARG(holder->owner));
        return slice_of(buffer);
}

/* Notes both names; false when it was counted under one of them. */
static bool count_once(struct slot_ledger_counting *counting, struct slice uid,
                       const struct eviction_slot_holder *holder) {
        char text[KEY_MAX];
        struct slice vm = vm_key(holder, text);
        bool is_known = (uid.len && map_get(counting->counted, uid)) ||
                        (vm.len && map_get(counting->counted, vm));

        if (uid.len)
                map_put(counting->counted, uid, counting);
        if (vm.len)
                map_put(counting->counted, vm, counting);
        if (!is_known)
                eviction_slots_hold(counting->slots, holder);
        return !is_known;
}

/* Pods come first, as they know most of themselves. */
static size_t count_observations(const struct slot_ledger *ledger,
                                 struct slot_ledger_counting *counting) {
        size_t count = 0;

        for (enum slot_source source = SLOT_SOURCE_PODS; source <= SLOT_SOURCE_MIGRATIONS;
             source++) {
                struct slice key;
                void *value;
                size_t at = 0;

                while (map_next(ledger->observations, &at, &key, &value)) {
                        const struct observation *observation = value;

                        if (is_of(key, source))
                                count += count_once(counting, observation->uid,
                                                    &observation->holder);
                }
        }
        return count;
}

static struct eviction_demand *slot_ledger_gather(const struct slot_ledger *ledger,
                                                  struct slot_ledger_counting *counting,
                                                  struct mono_time now, size_t *ret_count) {
        struct eviction_demand *demands =
                xreallocarray(NULL, map_count(ledger->entries) + 1, sizeof(demands[0]));
        struct slice key;
        void *value;
        size_t at = 0, count = 0;

        while (map_next(ledger->entries, &at, &key, &value)) {
                struct slot_ledger_entry *entry = value;

                if (entry->state == ENTRY_HOLDS)
                        count_once(counting, entry->uid, &entry->holder);
                else if (entry->state == ENTRY_WAITS)
                        demands[count++] = (struct eviction_demand){
                                .holder = entry->holder,
                                .rank = entry->rank,
                                .since_ns = entry->since.ns,
                                .serial = entry->serial,
                                .is_overdue = now.ns - entry->since.ns > EVICTION_SLOT_PATIENCE_NS,
                                .self = entry,
                        };
        }
        *ret_count = count;
        return demands;
}

/* A pod whose eviction is under way already, by any process, needs no second slot. */
static size_t let_in_known(struct slot_ledger_counting *counting, struct eviction_demand *demands,
                           size_t count) {
        size_t remaining = 0;

        for (size_t i = 0; i < count; i++) {
                struct slot_ledger_entry *entry = demands[i].self;

                if (map_get(counting->counted, entry->uid))
                        entry->state = ENTRY_HOLDS;
                else
                        demands[remaining++] = demands[i];
        }
        return remaining;
}

void slot_ledger_let_in(struct slot_ledger *ledger, struct mono_time now) {
        struct slot_ledger_counting counting = { .slots = eviction_slots_new(&ledger->limits),
                                                 .counted = map_new() };
        size_t count;

        slot_ledger_expire(ledger, now);
        struct eviction_demand *demands = slot_ledger_gather(ledger, &counting, now, &count);
        ledger->seen = count_observations(ledger, &counting);
        count = let_in_known(&counting, demands, count);
        eviction_slots_line_up(counting.slots, demands, count);
        for (size_t i = 0; i < count; i++) {
                struct slot_ledger_entry *entry = demands[i].self;

                entry->refusal = demands[i].refusal;
                if (entry->refusal != EVICTION_SLOT_FREE)
                        continue;
                entry->state = ENTRY_HOLDS;
                entry->expires.ns = now.ns + SLOT_LEDGER_GRACE_NS; /* if no asker is there */
        }
        free(demands);
        map_free(counting.counted);
        eviction_slots_free(counting.slots);
}

bool slot_ledger_holds(const struct slot_ledger *ledger, struct slice uid) {
        const struct slot_ledger_entry *entry = map_get(ledger->entries, uid);

        return entry && entry->state == ENTRY_HOLDS;
}

enum eviction_slot_refusal slot_ledger_refusal(const struct slot_ledger *ledger, struct slice uid) {
        const struct slot_ledger_entry *entry = map_get(ledger->entries, uid);

        return entry ? entry->refusal : EVICTION_SLOT_FREE;
}

bool slot_ledger_is_waiting(const struct slot_ledger *ledger) {
        struct slot_ledger_stats stats;

        slot_ledger_stats(ledger, &stats);
        return stats.waiting > 0;
}

void slot_ledger_stats(const struct slot_ledger *ledger, struct slot_ledger_stats *ret_stats) {
        struct slice key;
        void *value;
        size_t at = 0;

        *ret_stats = (struct slot_ledger_stats){ .seen = ledger->seen };
        while (map_next(ledger->entries, &at, &key, &value)) {
                const struct slot_ledger_entry *entry = value;

                ret_stats->waiting += entry->state == ENTRY_WAITS;
                ret_stats->held += entry->state == ENTRY_HOLDS;
        }
}
