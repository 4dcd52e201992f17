/* Slots of the eviction service: which pods take one, which wait, and which pods that were asked
 * for are still being deleted. */
#include "base/util.h"
#include "evict/evict_priv.h"
#include <assert.h>
#include <stdlib.h>

#define PODS_MAX                                                                                   \
        5000 /* known without a model; then all are forgotten, as roles read before they evict */
/* A pod that is still there, and not being deleted, was not evicted. */
#define DOUBT_NS (30 * NS_PER_S)

struct known_pod { /* texts follow it in the same allocation */
        struct slice ns, name, uid, node;
        struct eviction_slot_holder holder;
        bool is_slow; /* not only for its own responders */
};

struct held_slot { /* an eviction that was asked for; texts follow it */
        struct object_ref pod;
        struct mono_time since;
        bool is_begun; /* a 429 said that another program finishes it */
        bool was_moving;
};

struct evict_slots {
        struct evict_config config;
        struct slot_ledger *ledger;
        struct map *known; /* uid -> struct known_pod, of those that take slots; without a model */
        struct map *held;  /* uid -> struct held_slot */
        bool is_following, is_ready, is_foreign;
        struct mono_time rest, retry, look; /* when each is due, while it is set */
        bool has_rest, has_retry, has_look;
};

struct evict_slots *evict_slots_new(const struct evict_config *config) {
        struct evict_slots *slots = xcalloc(1, sizeof(*slots));
        slots->config = *config;
        slots->ledger = slot_ledger_new(&config->slots);
        slots->known = map_new();
        slots->held = map_new();
        return slots;
}

void evict_slots_free(struct evict_slots *slots) {
        if (!slots)
                return;
        map_free_values(slots->known);
        map_free_values(slots->held);
        slot_ledger_free(slots->ledger);
        free(slots);
}

static struct slice evict_slots_place(char **at, struct slice text) {
        struct slice placed = slice_make(*at, text.len);
        if (text.len > 0)
                memcpy(*at, text.ptr, text.len);
        *at += text.len;
        return placed;
}

/* ---- pods of a process without a model ---- */

static void keep_pod(struct evict_slots *slots, const struct slot_pod *pod) {
        if (map_count(slots->known) >= PODS_MAX) {
                map_free_values(slots->known);
                slots->known = map_new();
        }
        struct known_pod *known = xmalloc(sizeof(*known) + pod->ns.len + pod->name.len +
                                          pod->uid.len + pod->node.len + pod->owner.len);
        char *at = (char *)(known + 1);
        known->is_slow = pod->is_slow || slots->config.slots_for_all;
        known->ns = evict_slots_place(&at, pod->ns);
        known->name = evict_slots_place(&at, pod->name);
        known->uid = evict_slots_place(&at, pod->uid);
        known->node = evict_slots_place(&at, pod->node);
        known->holder = (struct eviction_slot_holder){
                .ns = known->ns, .node = known->node, .owner = evict_slots_place(&at, pod->owner)
        };
        free(map_put(slots->known, known->uid, known));
}

/* Whether the pod's eviction is over, or never was under way after all. */
static bool is_over(struct held_slot *held, const struct slot_pod *pod, struct mono_time now) {
        int64_t age_ns = now.ns - held->since.ns;
        bool was_moving = held->was_moving;
        if (!slice_eq(pod->uid, held->pod.uid) || pod->is_finished)
                return true;
        held->was_moving |= pod->is_moving;
        if (pod->is_moving || pod->is_leaving)
                return false;
        return was_moving || age_ns >= (held->is_begun ? EVICT_ASSUMED_MAX_NS : DOUBT_NS);
}

static void release_slot(struct evict_slots *slots, struct held_slot *held) {
        map_remove(slots->held, held->pod.uid);
        slot_ledger_end(slots->ledger, held->pod.uid);
        free(held);
}

static void see_pod(struct evict_slots *slots, const struct slot_pod *pod, struct mono_time now) {
        struct held_slot *held = map_get(slots->held, pod->uid);
        if (pod->is_slow || pod->has_responders || slots->config.slots_for_all)
                keep_pod(slots, pod);
        else
                free(map_remove(slots->known, pod->uid));
        if (held && is_over(held, pod, now))
                release_slot(slots, held);
}

void evict_slots_see_pod(struct evict_slots *slots, const struct json *object,
                         struct mono_time now) {
        struct slot_pod pod;
        struct arena arena;
        if (slots->config.cluster)
                return; /* the model has it */
        arena_init(&arena, 1024);
        if (slot_pod_decode(object, &arena, &pod, NULL) == 0)
                see_pod(slots, &pod, now);
        arena_release(&arena);
}

void evict_slots_lose_pod(struct evict_slots *slots, struct slice uid) {
        struct held_slot *held = map_get(slots->held, uid);
        struct known_pod *known = map_remove(slots->known, uid);
        if (held)
                release_slot(slots, held);
        free(known);
}

static bool lists_uid(const struct json *list, struct slice uid) {
        struct json_iter iter = json_iter(json_get(list, "items"));
        const struct json *item;
        while (json_next(&iter, NULL, &item))
                if (slice_eq(json_get_text(json_get(item, "metadata"), "uid"), uid))
                        return true;
        return false;
}

void evict_slots_see_node(struct evict_slots *slots, struct slice node, const struct json *list,
                          struct mono_time now) {
        struct json_iter iter = json_iter(json_get(list, "items"));
        const struct json *item;
        struct slice key;
        void *value;
        size_t at = 0;
        while (json_next(&iter, NULL, &item))
                evict_slots_see_pod(slots, item, now);
        while (map_next(slots->known, &at, &key, &value)) {
                const struct known_pod *known = value;
                if (slice_eq(known->node, node) && !lists_uid(list, known->uid))
                        evict_slots_lose_pod(slots, known->uid);
        }
}

/* ---- who takes a slot ---- */

static bool finds_row(const struct evict_slots *slots, const struct object_ref *pod, char *owner,
                      struct slot_asker *ret_asker) {
        const struct cluster *cluster = slots->config.cluster;
        struct pod_id id = cluster_find_pod(cluster, pod->ns, pod->name);
        struct slot_pod found;
        if (pod_id_is_none(id))
                return false;
        slot_pod_of_row(cluster, id, owner, &found);
        ret_asker->holder = slot_pod_holder(&found);
        return slice_eq(found.uid, pod->uid) && !found.is_finished &&
               (found.is_slow || slots->config.slots_for_all);
}

static bool evict_slots_find(const struct evict_slots *slots, const struct object_ref *pod,
                             bool by_request, char *owner, struct slot_asker *ret_asker) {
        *ret_asker = (struct slot_asker){ .uid = pod->uid };
        if (slots->config.cluster)
                return finds_row(slots, pod, owner, ret_asker);
        const struct known_pod *known = map_get(slots->known, pod->uid);
        if (known)
                ret_asker->holder = known->holder;
        return known && (known->is_slow || by_request);
}

bool evict_slots_ask(struct evict_slots *slots, const struct evict_record *record, bool by_request,
                     struct mono_time now) {
        struct slot_asker asker;
        char owner[SLOT_OWNER_MAX];
        if (record->pod.uid.len == 0 ||
            !evict_slots_find(slots, &record->pod, by_request, owner, &asker))
                return false;
        asker.rank = eviction_rank_of(record->requested_by);
        slot_ledger_ask(slots->ledger, &asker, now);
        slots->is_following = true;
        return true;
}

void evict_slots_leave(struct evict_slots *slots, struct slice uid, struct mono_time now) {
        slot_ledger_leave(slots->ledger, uid, now);
}

void evict_slots_give_back(struct evict_slots *slots, struct slice uid, struct mono_time now) {
        slot_ledger_give_back(slots->ledger, uid, now);
}

void evict_slots_end(struct evict_slots *slots, struct slice uid) {
        slot_ledger_end(slots->ledger, uid);
}

bool evict_slots_has(const struct evict_slots *slots, struct slice uid) {
        return slot_ledger_holds(slots->ledger, uid);
}

const char *evict_slots_reason(const struct evict_slots *slots, struct slice uid) {
        if (!slots->is_ready)
                return "while evictions of others are listed";
        return eviction_slot_refusal_text(slot_ledger_refusal(slots->ledger, uid));
}

/* ---- until the pod is gone ---- */

void evict_slots_hold(struct evict_slots *slots, const struct object_ref *pod, bool is_begun,
                      struct mono_time now) {
        struct held_slot *held = map_get(slots->held, pod->uid);
        if (!held) {
                held = xcalloc(1, sizeof(*held) + pod->ns.len + pod->name.len + pod->uid.len);
                char *at = (char *)(held + 1);
                held->pod.ns = evict_slots_place(&at, pod->ns);
                held->pod.name = evict_slots_place(&at, pod->name);
                held->pod.uid = evict_slots_place(&at, pod->uid);
                map_put(slots->held, held->pod.uid, held);
        }
        held->is_begun = is_begun;
        held->since = now;
}

static bool has_left(const struct evict_slots *slots, struct held_slot *held,
                     struct mono_time now) {
        const struct cluster *cluster = slots->config.cluster;
        char owner[SLOT_OWNER_MAX];
        struct slot_pod pod;
        if (!cluster) /* without the right to read pods it is unknown when they are gone */
                return now.ns - held->since.ns >= EVICT_ASSUMED_MAX_NS;
        struct pod_id id = cluster_find_pod(cluster, held->pod.ns, held->pod.name);
        if (pod_id_is_none(id))
                return true;
        slot_pod_of_row(cluster, id, owner, &pod);
        return is_over(held, &pod, now);
}

void evict_slots_look(struct evict_slots *slots, struct mono_time now) {
        struct slice key;
        void *value;
        size_t at = 0;
        while (map_next(slots->held, &at, &key, &value))
                if (has_left(slots, value, now))
                        release_slot(slots, value);
        slots->has_look = map_count(slots->held) > 0;
        slots->look.ns = now.ns + EVICT_SLOT_LOOK_NS;
}

/* ---- admission ---- */

/* Evictions of others are watched while a job waits or has a slot, and a while after. */
static void rest_or_follow(struct evict_slots *slots, const struct slot_ledger_stats *stats,
                           struct mono_time now) {
        if (stats->waiting > 0 || stats->held > 0) {
                slots->has_rest = false;
        } else if (slots->is_following && !slots->has_rest) {
                slots->has_rest = true;
                slots->rest.ns = now.ns + EVICT_SLOT_REST_NS;
        } else if (slots->has_rest && slots->rest.ns <= now.ns) {
                slots->has_rest = slots->is_following = slots->is_ready = false;
        }
}

void evict_slots_let_in(struct evict_slots *slots, struct mono_time now) {
        struct slot_ledger_stats stats;
        assert(slots->is_following || !slots->has_rest);
        if (slots->is_following && slots->is_ready) {
                if (slots->config.cluster)
                        slot_pods_see_model(slots->ledger, slots->config.cluster,
                                            slots->config.slots_for_all);
                slot_ledger_let_in(slots->ledger, now);
        }
        slot_ledger_stats(slots->ledger, &stats);
        slots->has_retry = stats.waiting > 0;
        slots->retry.ns = now.ns + EVICT_SLOT_AGAIN_NS;
        rest_or_follow(slots, &stats, now);
}

bool evict_slots_next_due(const struct evict_slots *slots, struct mono_time *ret_due) {
        const struct {
                bool is_set;
                struct mono_time at;
        } dues[] = { { slots->has_retry, slots->retry },
                     { slots->has_look, slots->look },
                     { slots->has_rest, slots->rest } };
        bool is_found = false;
        for (size_t i = 0; i < ARRAY_LEN(dues); i++) {
                if (!dues[i].is_set || (is_found && dues[i].at.ns >= ret_due->ns))
                        continue;
                *ret_due = dues[i].at;
                is_found = true;
        }
        return is_found;
}

/* ---- what others have under way ---- */

bool evict_slots_follows(const struct evict_slots *slots) {
        return slots->is_following;
}

bool evict_slots_is_ready(const struct evict_slots *slots) {
        return slots->is_following && slots->is_ready;
}

void evict_slots_set_ready(struct evict_slots *slots) {
        slots->is_ready = true;
}

bool evict_slots_is_foreign(const struct evict_slots *slots) {
        return slots->is_foreign;
}

void evict_slots_see(struct evict_slots *slots, enum evict_observation observation,
                     const struct json *object, bool is_removed) {
        if (observation == EVICT_SIGHT_NATIVE && !is_removed)
                slots->is_foreign = slot_observation_is_foreign(object);
        slot_observation_see(slots->ledger, observation, object,
                             is_removed                    ? SLOT_SIGHT_GONE
                             : slots->config.slots_for_all ? SLOT_SIGHT_ALL
                                                           : SLOT_SIGHT_SLOW);
}

void evict_slots_forget(struct evict_slots *slots) {
        slot_ledger_unsee_all(slots->ledger, SLOT_SOURCE_EVICTIONS);
        slot_ledger_unsee_all(slots->ledger, SLOT_SOURCE_MIGRATIONS);
        slot_ledger_unsee_all(slots->ledger, SLOT_SOURCE_PODS);
        slots->is_ready = false;
}

void evict_slots_stats(const struct evict_slots *slots, struct slot_ledger_stats *ret_stats) {
        slot_ledger_stats(slots->ledger, ret_stats);
}
