/* Evictions that the API server took: each holds its slot until the pod is gone, or somebody who
 * was to finish it does not. */
#include "roles/slot_gate_priv.h"

#include "api/json.h"
#include "base/util.h"
#include "evict/evict_service.h"
#include <stdio.h>
#include <stdlib.h>

#define PATH_MAX_BYTES 700
/* A pod that is still there, and not on its way out, was not evicted after all. */
#define DOUBT_NS (30 * NS_PER_S)

struct held_eviction {
        struct slot_gate *gate;
        char *ns, *name, *uid;
        bool is_begun, was_moving;
        struct mono_time since;
        struct api_request *call; /* reads the pod */
};

static void held_free(struct held_eviction *held) {
        if (held->call)
                transport_cancel(held->gate->config.inner, held->call);
        free(held->ns);
        free(held->name);
        free(held->uid);
        free(held);
}

static void slot_gate_held_end(struct held_eviction *held) {
        struct slot_gate *gate = held->gate;

        map_remove(gate->held, slice_of(held->uid));
        slot_ledger_end(gate->ledger, slice_of(held->uid));
        held_free(held);
        slot_gate_turn_soon(gate);
}

static bool is_over(struct held_eviction *held, const struct slot_pod *pod) {
        int64_t age_ns = loop_mono(held->gate->config.loop).ns - held->since.ns;
        bool was_moving = held->was_moving;

        if (!slice_is(pod->uid, held->uid) || pod->is_finished)
                return true;
        held->was_moving |= pod->is_moving;
        if (pod->is_moving || pod->is_leaving)
                return false;
        if (held->is_begun)
                return was_moving || age_ns >= EVICT_ASSUMED_MAX_NS;
        return was_moving || age_ns >= DOUBT_NS;
}

/* ---- looking ---- */

static void look_at_model(struct held_eviction *held) {
        const struct cluster *cluster = held->gate->cluster;
        struct pod_id id = cluster_find_pod(cluster, slice_of(held->ns), slice_of(held->name));
        char owner[SLOT_OWNER_MAX];
        struct slot_pod pod;

        if (!pod_id_is_none(id))
                slot_pod_of_row(cluster, id, owner, &pod);
        if (pod_id_is_none(id) || is_over(held, &pod))
                slot_gate_held_end(held);
}

/* Whoever may not read pods cannot know when they are gone. */
static bool is_given_up(const struct held_eviction *held, const struct api_reply *reply) {
        int64_t age_ns = loop_mono(held->gate->config.loop).ns - held->since.ns;

        return reply->status != 200 && age_ns >= EVICT_ASSUMED_MAX_NS;
}

static void on_read(void *context, const struct api_reply *reply) {
        struct held_eviction *held = context;
        struct json_doc *doc = NULL;
        struct slot_pod pod;
        struct arena arena;
        bool is_gone = reply->status == 404 || is_given_up(held, reply);

        held->call = NULL;
        arena_init(&arena, 1024);
        if (reply->status == 200 && json_parse(reply->body, &doc, NULL) == 0 &&
            slot_pod_decode(json_doc_root(doc), &arena, &pod, NULL) == 0)
                is_gone = is_over(held, &pod);
        json_doc_free(doc);
        arena_release(&arena);
        if (is_gone)
                slot_gate_held_end(held);
}

static void read_pod(struct held_eviction *held) {
        struct slot_gate *gate = held->gate;
        char path[PATH_MAX_BYTES];

        if (held->call)
                return;
        snprintf(path, sizeof(path), "/api/v1/namespaces/%s/pods/%s", held->ns, held->name);
        held->call = transport_call(gate->config.inner,
                                    &(struct api_call){ .path = slice_of(path) }, on_read, held);
}

void slot_gate_look(void *context) {
        struct slot_gate *gate = context;
        struct slice key;
        void *value;
        size_t at = 0;

        while (map_next(gate->held, &at, &key, &value)) {
                if (gate->cluster)
                        look_at_model(value);
                else
                        read_pod(value);
        }
        if (map_count(gate->held))
                loop_timer_arm(gate->config.loop, &gate->look, SLOT_LOOK_NS);
}

/* ---- holding ---- */

void slot_gate_hold(struct slot_gate *gate, const struct slot_target *target, bool is_begun) {
        struct held_eviction *held = map_get(gate->held, target->uid);

        if (!held) {
                held = xcalloc(1, sizeof(*held));
                held->gate = gate;
                held->ns = slice_dup(target->ns);
                held->name = slice_dup(target->name);
                held->uid = slice_dup(target->uid);
                map_put(gate->held, target->uid, held);
        }
        held->is_begun = is_begun;
        held->since = loop_mono(gate->config.loop);
        if (!loop_timer_is_armed(&gate->look))
                loop_timer_arm(gate->config.loop, &gate->look, SLOT_LOOK_NS);
}

void slot_gate_drop_held(struct slot_gate *gate) {
        struct slice key;
        void *value;
        size_t at = 0;

        while (map_next(gate->held, &at, &key, &value))
                held_free(value);
        map_free(gate->held);
}
