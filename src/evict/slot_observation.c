/* Reads what takes slots off objects of the cluster. */
#include "evict/slot_observation.h"

#include "base/util.h"
#include "evict/eviction_reconciler.h"
#include "evict/slot_pod.h"
#include <stdio.h>

#define KEY_MAX 600

static struct slice key_of(enum evict_observation observation, const struct json *object,
                           char *buffer) {
        const struct json *meta = json_get(object, "metadata");
        snprintf(buffer, KEY_MAX, "%d/" SLICE_FMT "/" SLICE_FMT, (int)observation,
                 SLICE_ARG(json_get_text(meta, "namespace")),
                 SLICE_ARG(json_get_text(meta, "name")));
        return slice_of(buffer);
}

/* By the controller; responders of others write there, too, once it has. */
bool slot_observation_is_foreign(const struct json *eviction) {
        struct json_iter iter =
                json_iter(json_get(json_get(eviction, "metadata"), "managedFields"));
        const struct json *entry;
        bool has_status = false;
        while (json_next(&iter, NULL, &entry)) {
                if (!slice_is(json_get_text(entry, "subresource"), "status"))
                        continue;
                if (slice_is(json_get_text(entry, "manager"), EVICTION_MANAGER))
                        return false;
                has_status = true;
        }
        return has_status;
}

/* A responder besides the default one is at work. */
static void see_eviction(struct slot_ledger *ledger, struct slice key, const struct json *object,
                         bool for_all) {
        struct eviction *eviction = NULL;
        if (eviction_decode(object, &eviction, NULL) < 0)
                return;
        const struct eviction_status *status = &eviction->status;
        if (eviction_active(status) >= 0 && (for_all || status->responder_count > 1) &&
            !eviction_outcome_is_final(status->conditions.outcome))
                slot_ledger_see(ledger, SLOT_SOURCE_EVICTIONS, key, eviction->object.target_uid,
                                &(struct eviction_slot_holder){ .ns = eviction->object.ns });
        eviction_free(eviction);
}

static void see_migration(struct slot_ledger *ledger, struct slice key, const struct json *object) {
        const struct json *status = json_get(object, "status");
        struct slice phase = json_get_text(status, "phase");
        char owner[KEY_MAX];
        if (slice_is(phase, "Succeeded") || slice_is(phase, "Failed"))
                return;
        snprintf(owner, sizeof(owner), "VirtualMachineInstance/" SLICE_FMT,
                 SLICE_ARG(json_get_text(json_get(object, "spec"), "vmiName")));
        slot_ledger_see(
                ledger, SLOT_SOURCE_MIGRATIONS, key, SLICE_EMPTY,
                &(struct eviction_slot_holder){
                        .ns = json_get_text(json_get(object, "metadata"), "namespace"),
                        .node = json_get_text(json_get(status, "migrationState"), "sourceNode"),
                        .owner = slice_of(owner) });
}

static void slot_observation_see_pod(struct slot_ledger *ledger, struct slice key,
                                     const struct json *object, bool for_all) {
        struct slot_pod pod;
        struct arena arena;
        arena_init(&arena, 1024);
        if (slot_pod_decode(object, &arena, &pod, NULL) == 0 && slot_pod_holds(&pod, for_all)) {
                struct eviction_slot_holder holder = slot_pod_holder(&pod);
                slot_ledger_see(ledger, SLOT_SOURCE_PODS, key, pod.uid, &holder);
        }
        arena_release(&arena);
}

void slot_observation_see(struct slot_ledger *ledger, enum evict_observation observation,
                          const struct json *object, enum slot_observation_of of) {
        static const enum slot_source sources[EVICT_SIGHT_COUNT] = {
                [EVICT_SIGHT_PODS] = SLOT_SOURCE_PODS,
                [EVICT_SIGHT_OWN] = SLOT_SOURCE_EVICTIONS,
                [EVICT_SIGHT_NATIVE] = SLOT_SOURCE_EVICTIONS,
                [EVICT_SIGHT_MIGRATIONS] = SLOT_SOURCE_MIGRATIONS,
        };
        char text[KEY_MAX];
        struct slice key = key_of(observation, object, text);
        slot_ledger_unsee(ledger, sources[observation], key);
        if (of == SLOT_SIGHT_GONE)
                return;
        if (observation == EVICT_SIGHT_PODS)
                slot_observation_see_pod(ledger, key, object, of == SLOT_SIGHT_ALL);
        else if (observation == EVICT_SIGHT_MIGRATIONS)
                see_migration(ledger, key, object);
        else
                see_eviction(ledger, key, object, of == SLOT_SIGHT_ALL);
}
