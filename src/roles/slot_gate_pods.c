/* What the gate knows of pods: from the model, or from the lists that roles read before they evict.
 * Only pods that take slots are kept. */
#include "roles/slot_gate_priv.h"

#include "base/util.h"
#include <stdlib.h>

#define PODS_MAX 5000 /* known; then all are forgotten, as roles read before they evict */

struct known_pod { /* texts follow it in the same allocation */
        struct eviction_slot_holder holder;
        bool is_slow; /* not only for its own responders */
};

bool slot_gate_may_learn(const struct slot_gate *gate, const struct api_call *call) {
        return !gate->cluster && call->method == API_GET &&
               slice_has_prefix(call->path, SLICE_LITERAL("/api/v1/")) &&
               slice_contains(call->path, SLICE_LITERAL("/pods"));
}

/* Most lists have none that takes a slot, and need not be taken apart. */
static bool may_concern(const struct slot_gate *gate, struct slice body) {
        static const char *const marks[] = { "request-evict-only", "eviction-in-progress",
                                             "virt-launcher", "evictionResponders" };

        for (size_t i = 0; i < ARRAY_LEN(marks); i++)
                if (slice_contains(body, slice_of(marks[i])))
                        return true;
        return gate->config.for_all;
}

static struct slice slot_gate_pods_place(char **at, struct slice text) {
        struct slice placed = slice_make(*at, text.len);

        if (text.len)
                memcpy(*at, text.ptr, text.len);
        *at += text.len;
        return placed;
}

static void slot_gate_pods_keep(struct slot_gate *gate, const struct slot_pod *pod) {
        struct known_pod *known;
        char *at;

        if (map_count(gate->pods) >= PODS_MAX)
                slot_gate_forget_pods(gate);
        known = xmalloc(sizeof(*known) + pod->ns.len + pod->node.len + pod->owner.len);
        at = (char *)(known + 1);
        known->is_slow = pod->is_slow || gate->config.for_all;
        known->holder.ns = slot_gate_pods_place(&at, pod->ns);
        known->holder.node = slot_gate_pods_place(&at, pod->node);
        known->holder.owner = slot_gate_pods_place(&at, pod->owner);
        free(map_put(gate->pods, pod->uid, known));
}

static void learn_pod(struct slot_gate *gate, const struct json *object) {
        struct slot_pod pod;
        struct arena arena;

        arena_init(&arena, 1024);
        if (slot_pod_decode(object, &arena, &pod, NULL) == 0) {
                if (pod.is_slow || pod.has_responders || gate->config.for_all)
                        slot_gate_pods_keep(gate, &pod);
                else
                        free(map_remove(gate->pods, pod.uid));
        }
        arena_release(&arena);
}

void slot_gate_learn(struct slot_gate *gate, struct slice body) {
        const struct json *items, *item;
        struct json_doc *doc = NULL;
        struct json_iter iter;

        if (!may_concern(gate, body) || json_parse(body, &doc, NULL) < 0)
                return;
        items = json_get(json_doc_root(doc), "items");
        iter = json_iter(items);
        if (!items)
                learn_pod(gate, json_doc_root(doc));
        while (json_next(&iter, NULL, &item))
                learn_pod(gate, item);
        json_doc_free(doc);
}

void slot_gate_forget_pods(struct slot_gate *gate) {
        struct slice key;
        void *value;
        size_t at = 0;

        while (map_next(gate->pods, &at, &key, &value))
                free(value);
        map_free(gate->pods);
        gate->pods = map_new();
}

bool slot_gate_finds(const struct slot_gate *gate, const struct slot_target *target, char *owner,
                     struct slot_asker *ret_asker) {
        const struct known_pod *known = map_get(gate->pods, target->uid);
        struct slot_pod pod;
        struct pod_id id;

        *ret_asker = (struct slot_asker){ .uid = target->uid };
        if (!gate->cluster) {
                if (known)
                        ret_asker->holder = known->holder;
                return known && (known->is_slow || target->is_request);
        }
        id = cluster_find_pod(gate->cluster, target->ns, target->name);
        if (pod_id_is_none(id))
                return false;
        slot_pod_of_row(gate->cluster, id, owner, &pod);
        ret_asker->holder = slot_pod_holder(&pod);
        return slice_eq(pod.uid, target->uid) && !pod.is_finished &&
               (pod.is_slow || gate->config.for_all);
}
