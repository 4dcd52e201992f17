/* The index of parked pods: by the plugins that refused them, and there by groups of alike pods. */
#include "sched/parked_pods.h"
#include "base/util.h"
#include "sched/scheduling_queue.h"
#include <stdlib.h>

void parked_pods_init(struct parked_pods *parked) {
        *parked = (struct parked_pods){ .groups = map_u64_new() };
}

void parked_pods_release(struct parked_pods *parked) {
        while (parked->reasons) {
                struct parked_reason *reason = parked->reasons;
                while (reason->first) {
                        struct parked_group *group = reason->first;
                        reason->first = group->next;
                        free(group);
                }
                parked->reasons = reason->next;
                free(reason);
        }
        map_u64_free(parked->groups);
}

/* ---- reasons ---- */

static bool has_reason(const struct parked_reason *reason, const struct queued_pod *entry) {
        return reason->rejectors == entry->rejectors && reason->wakes_on == entry->wakes_on &&
               reason->profile == entry->profile && reason->wakes_on_any == entry->wakes_on_any;
}

static struct parked_reason *reason_for(struct parked_pods *parked,
                                        const struct queued_pod *entry) {
        struct parked_reason *reason = parked->reasons;
        while (reason && !has_reason(reason, entry))
                reason = reason->next;
        if (reason)
                return reason;
        reason = xcalloc(1, sizeof(*reason));
        *reason = (struct parked_reason){ .rejectors = entry->rejectors,
                                          .wakes_on = entry->wakes_on,
                                          .profile = entry->profile,
                                          .wakes_on_any = entry->wakes_on_any,
                                          .next = parked->reasons };
        if (reason->next)
                reason->next->prev = reason;
        parked->reasons = reason;
        return reason;
}

static void drop_reason(struct parked_pods *parked, struct parked_reason *reason) {
        if (reason->prev)
                reason->prev->next = reason->next;
        else
                parked->reasons = reason->next;
        if (reason->next)
                reason->next->prev = reason->prev;
        free(reason);
}

/* ---- groups ---- */

static uint64_t hash_of(const struct queued_pod *entry) {
        const struct alike_key *key = &entry->alike;
        uint64_t parts[] = { entry->rejectors,
                             (uint64_t)entry->wakes_on << 32 | entry->profile << 1 |
                                     entry->wakes_on_any,
                             (uint64_t)key->class.index << 32 | key->labels.index,
                             (uint64_t)key->ns.index << 32 | (uint32_t)key->priority, key->alone };
        return hash_bytes(parts, sizeof(parts), 0);
}

static bool is_of_group(const struct parked_group *group, const struct queued_pod *entry) {
        const struct alike_key *a = &group->key, *b = &entry->alike;
        return a->class.index == b->class.index && a->labels.index == b->labels.index &&
               a->ns.index == b->ns.index && a->priority == b->priority && a->alone == b->alone &&
               has_reason(group->reason, entry);
}

static struct parked_group *add_group(struct parked_pods *parked, const struct queued_pod *entry,
                                      uint64_t hash) {
        struct parked_reason *reason = reason_for(parked, entry);
        struct parked_group *group = xcalloc(1, sizeof(*group));
        *group = (struct parked_group){
                .key = entry->alike, .reason = reason, .next = reason->first, .hash = hash
        };
        if (group->next)
                group->next->prev = group;
        reason->first = group;
        group->next_of_hash = map_u64_put(parked->groups, hash, group);
        return group;
}

static void forget_hash(struct parked_pods *parked, const struct parked_group *group) {
        struct parked_group *at = map_u64_remove(parked->groups, group->hash);
        if (at == group) {
                if (group->next_of_hash)
                        map_u64_put(parked->groups, group->hash, group->next_of_hash);
                return;
        }
        map_u64_put(parked->groups, group->hash, at);
        while (at->next_of_hash != group)
                at = at->next_of_hash;
        at->next_of_hash = group->next_of_hash;
}

static void drop_group(struct parked_pods *parked, struct parked_group *group) {
        struct parked_reason *reason = group->reason;
        forget_hash(parked, group);
        if (group->prev)
                group->prev->next = group->next;
        else
                reason->first = group->next;
        if (group->next)
                group->next->prev = group->prev;
        free(group);
        if (!reason->first)
                drop_reason(parked, reason);
}

/* ---- entries ---- */

void parked_pods_add(struct parked_pods *parked, struct queued_pod *entry) {
        uint64_t hash = hash_of(entry);
        struct parked_group *group = map_u64_get(parked->groups, hash);
        while (group && !is_of_group(group, entry))
                group = group->next_of_hash;
        if (!group)
                group = add_group(parked, entry, hash);
        entry->group = group;
        entry->prev_alike = NULL;
        entry->next_alike = group->first;
        if (group->first)
                group->first->prev_alike = entry;
        group->first = entry;
}

void parked_pods_remove(struct parked_pods *parked, struct queued_pod *entry) {
        struct parked_group *group = entry->group;
        if (entry->prev_alike)
                entry->prev_alike->next_alike = entry->next_alike;
        else
                group->first = entry->next_alike;
        if (entry->next_alike)
                entry->next_alike->prev_alike = entry->prev_alike;
        entry->next_alike = entry->prev_alike = NULL;
        entry->group = NULL;
        if (!group->first)
                drop_group(parked, group);
}
