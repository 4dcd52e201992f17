/* Disruption budgets as the responders see them: when one lets another pod go, one of those that
 * were refused is tried at once, whatever its pause. */
#include "base/util.h"
#include "evict/eviction_stages.h"
#include <stdio.h>
#include <stdlib.h>

#define KEY_MAX 600
#define HOLD_MAX_NS (60 * NS_PER_S)

struct gate {
        struct arena arena;
        struct json_doc *doc; /* the selector points into it */
        struct selector selector;
        int64_t allowed;         /* as the budget says, less what was asked for since */
        bool has_passed;         /* somebody was asked for ... */
        struct mono_time passed; /* ... then, last */
};

static void gate_free(struct gate *gate) {
        if (!gate)
                return;
        json_doc_free(gate->doc);
        arena_release(&gate->arena);
        free(gate);
}

void eviction_gates_free(struct map *gates) {
        struct slice key;
        void *value;
        size_t at = 0;

        while (map_next(gates, &at, &key, &value))
                gate_free(value);
        map_free(gates);
}

static struct slice key_of(struct slice ns, struct slice name, char *buffer) {
        snprintf(buffer, KEY_MAX, SLICE_FMT "/" SLICE_FMT, SLICE_ARG(ns), SLICE_ARG(name));
        return slice_of(buffer);
}

static struct gate *read_gate(const struct json *object) {
        struct gate *gate = xcalloc(1, sizeof(*gate));
        struct buf text = { 0 };

        arena_init(&gate->arena, 512);
        json_write(json_get(json_get(object, "spec"), "selector"), &text);
        if (json_parse(buf_view(&text), &gate->doc, NULL) < 0 ||
            selector_decode(json_doc_root(gate->doc), &gate->arena, &gate->selector, NULL) < 0)
                gate->selector.matches_nothing = true;
        buf_release(&text);
        gate->allowed = json_get_i64(json_get(object, "status"), "disruptionsAllowed", 0);
        return gate;
}

/* Lets a refused try of this slot be made now; false when it has none. */
static bool eviction_gates_retry(struct eviction_slot *slot) {
        struct stages_turn *turn = &slot->stages;

        if ((slot->attempts > 0 || slot->is_held) && !slot->is_asking) {
                slot->is_held = false;
                slot->next_try.ns = INT64_MIN;
                return true;
        }
        if (turn->called == STAGES_CALLED_POD && turn->bad_in_row > 0 && !turn->is_calling) {
                turn->next_call.ns = INT64_MIN;
                return true;
        }
        return false;
}

static bool is_behind(const struct eviction_reconciler *reconciler,
                      const struct eviction_target *target, const struct gate *gate,
                      struct slice ns) {
        const struct kept_pod *kept = map_get(reconciler->pods, slice_of(target->pod_name));

        return kept && slice_eq(target->ns, ns) && slice_is(kept->pod.uid, target->uid) &&
               !kept->pod.is_terminating && selector_matches(&gate->selector, kept->pod.labels);
}

static void open_gate(struct eviction_reconciler *reconciler, const struct gate *gate,
                      struct slice ns) {
        int64_t left = gate->allowed;
        struct slice key;
        void *value;
        size_t at = 0;

        while (left > 0 && map_next(reconciler->targets, &at, &key, &value)) {
                struct eviction_target *target = value;

                if (!is_behind(reconciler, target, gate, ns))
                        continue;
                for (size_t i = 0; i < target->slot_count; i++) {
                        struct eviction_slot *slot = target->slots[i];

                        if (eviction_outcome_is_final(slot->eviction->status.conditions.outcome))
                                continue;
                        if (slot->is_asking || eviction_gates_retry(slot))
                                left--;
                        target->is_dirty = true;
                }
        }
}

/* ---- before the first try ---- */

static struct gate *next_gate(const struct eviction_look *look, size_t *at) {
        struct slice ns = look->target->ns, key;
        void *value;

        while (map_next(look->reconciler->gates, at, &key, &value)) {
                struct gate *gate = value;

                if (key.len > ns.len && key.ptr[ns.len] == '/' && slice_has_prefix(key, ns) &&
                    selector_matches(&gate->selector, look->pod->labels))
                        return gate;
        }
        return NULL;
}

/* Budgets say nothing about pods that are not ready, nor about what KubeVirt answers for. */
static bool eviction_gates_counts(const struct eviction_look *look) {
        return look->pod->is_ready && !eviction_pod_is_vm(look->pod);
}

bool eviction_gates_hold(struct eviction_look *look, struct eviction_slot *slot) {
        struct mono_time now = look->now.mono;
        const struct gate *gate;
        bool is_closed = false;
        size_t at = 0;

        while (eviction_gates_counts(look) && (gate = next_gate(look, &at)))
                is_closed |= gate->allowed <= 0 && gate->has_passed &&
                             now.ns - gate->passed.ns < HOLD_MAX_NS;
        if (is_closed && !slot->is_held) {
                slot->is_held = true;
                slot->held_since = now;
        }
        if (!is_closed || now.ns - slot->held_since.ns >= HOLD_MAX_NS) {
                slot->is_held = false;
                return false;
        }
        slot->next_try.ns = slot->held_since.ns + HOLD_MAX_NS;
        return true;
}

void eviction_gates_pass(struct eviction_look *look) {
        struct gate *gate;
        size_t at = 0;

        while (eviction_gates_counts(look) && (gate = next_gate(look, &at))) {
                gate->allowed--;
                gate->has_passed = true;
                gate->passed = look->now.mono;
        }
}

/* One of those that wait for their first try; those that were refused keep their pauses, or two
 * that fail would wake each other for ever. */
static void release_held(struct eviction_reconciler *reconciler, const struct gate *gate,
                         struct slice ns) {
        struct slice key;
        void *value;
        size_t at = 0;

        while (map_next(reconciler->targets, &at, &key, &value)) {
                struct eviction_target *target = value;

                for (size_t i = 0; i < target->slot_count; i++) {
                        struct eviction_slot *slot = target->slots[i];

                        if (!slot->is_held || !is_behind(reconciler, target, gate, ns))
                                continue;
                        slot->is_held = false;
                        slot->next_try.ns = INT64_MIN;
                        target->is_dirty = true;
                        return;
                }
        }
}

void eviction_gates_return(struct eviction_reconciler *reconciler, struct eviction_target *target) {
        const struct kept_pod *kept = map_get(reconciler->pods, slice_of(target->pod_name));
        struct eviction_look look = { .reconciler = reconciler,
                                      .target = target,
                                      .pod = kept ? &kept->pod : NULL };
        struct gate *gate;
        size_t at = 0;

        while (kept && eviction_gates_counts(&look) && (gate = next_gate(&look, &at)))
                if (++gate->allowed > 0)
                        release_held(reconciler, gate, target->ns);
}

/* ---- what watches tell ---- */

void eviction_reconciler_put_budget(struct eviction_reconciler *reconciler,
                                    const struct json *object) {
        const struct json *meta = json_get(object, "metadata");
        struct slice ns = json_get_text(meta, "namespace");
        struct gate *gate = read_gate(object), *old;
        char text[KEY_MAX];

        old = map_put(reconciler->gates, key_of(ns, json_get_text(meta, "name"), text), gate);
        if (old) {
                gate->has_passed = old->has_passed;
                gate->passed = old->passed;
        }
        gate_free(old);
        if (gate->allowed > 0)
                open_gate(reconciler, gate, ns);
}

/* Without it nobody is held back any more. */
void eviction_reconciler_remove_budget(struct eviction_reconciler *reconciler, struct slice ns,
                                       struct slice name) {
        char text[KEY_MAX];
        struct gate *gate = map_remove(reconciler->gates, key_of(ns, name, text));

        if (!gate)
                return;
        gate->allowed = INT64_MAX;
        open_gate(reconciler, gate, ns);
        gate_free(gate);
}
