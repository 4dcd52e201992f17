/* Disruption budgets as the responders see them: when one lets another pod go, one of those that
 * were refused is tried at once, whatever its pause. */
#include "base/util.h"
#include "evict/eviction_stages.h"
#include <stdio.h>
#include <stdlib.h>

#define KEY_MAX 600
#define HOLD_MAX_NS (60 * NS_PER_S)

/* What was asked for since the budget last changed. */
struct gate {
        int64_t asked;
        bool has_passed;         /* a pod was asked for ... */
        struct mono_time passed; /* ... then, last */
};

void eviction_gates_free(struct map *gates) {
        map_free_values(gates);
}

static struct slice key_of(struct slice ns, struct slice name, char *buffer) {
        snprintf(buffer, KEY_MAX, SLICE_FMT "/" SLICE_FMT, SLICE_ARG(ns), SLICE_ARG(name));
        return slice_of(buffer);
}

static struct gate *gate_find(const struct eviction_reconciler *reconciler,
                              const struct budget_row *budget, bool is_made) {
        const struct cluster *cluster = reconciler->config.cluster;
        char text[KEY_MAX];
        struct slice key = key_of(cluster_text(cluster, budget->ns),
                                  cluster_text(cluster, budget->name), text);
        struct gate *gate = map_get(reconciler->gates, key);

        if (gate || !is_made)
                return gate;
        gate = xcalloc(1, sizeof(*gate));
        map_put(reconciler->gates, key, gate);
        return gate;
}

static int64_t gate_allows(const struct eviction_reconciler *reconciler,
                           const struct budget_row *budget) {
        const struct gate *gate = gate_find(reconciler, budget, false);

        return budget->disruptions_allowed - (gate ? gate->asked : 0);
}

static bool budget_selects(const struct cluster *cluster, const struct budget_row *budget,
                           const struct pod_row *pod) {
        return budget->has_selector && !budget->selector_is_invalid &&
               cluster_labels_match(cluster, &budget->selector, pod->labels);
}

/* Lets a refused try of this Eviction be made now; false when it has none. */
static bool eviction_gates_retry(struct eviction_entry *entry) {
        struct stages_run *run = &entry->stages;

        if ((entry->attempts > 0 || entry->is_held) && !entry->is_asking) {
                entry->is_held = false;
                entry->next_try.ns = INT64_MIN;
                return true;
        }
        if (run->called == STAGES_CALLED_POD && run->bad_in_row > 0 && !run->is_calling) {
                run->next_call.ns = INT64_MIN;
                return true;
        }
        return false;
}

static bool is_behind(const struct eviction_reconciler *reconciler,
                      const struct eviction_target *target, const struct budget_row *budget) {
        const struct cluster *cluster = reconciler->config.cluster;
        const struct pod_row *pod = eviction_target_row(reconciler, target);

        return pod && str_id_eq(pod->ns, budget->ns) && slice_is(slice_of(pod->uid), target->uid) &&
               !(pod->flags & POD_TERMINATING) && budget_selects(cluster, budget, pod);
}

/* So many of those behind it may try. */
static void open_gate(struct eviction_reconciler *reconciler, const struct budget_row *budget,
                      int64_t left) {
        struct slice key;
        void *value;
        size_t at = 0;

        while (left > 0 && map_next(reconciler->targets, &at, &key, &value)) {
                struct eviction_target *target = value;

                if (!is_behind(reconciler, target, budget))
                        continue;
                for (size_t i = 0; i < target->entry_count; i++) {
                        struct eviction_entry *entry = target->entries[i];

                        if (eviction_outcome_is_final(entry->eviction->status.conditions.outcome))
                                continue;
                        if (entry->is_asking || eviction_gates_retry(entry))
                                left--;
                        target->is_dirty = true;
                }
        }
}

/* ---- before the first try ---- */

static const struct budget_row *next_budget(const struct eviction_sync *sync, size_t *at) {
        const struct cluster *cluster = sync->reconciler->config.cluster;
        const struct pod_row *pod = cluster_pod(cluster, sync->pod->id);
        const struct budget_row *budget;

        while ((budget = cluster_budget_next(cluster, pod->ns, at)))
                if (budget_selects(cluster, budget, pod))
                        return budget;
        return NULL;
}

/* Budgets say nothing about pods that are not ready, nor about what KubeVirt answers for. */
static bool eviction_gates_counts(const struct eviction_sync *sync) {
        return sync->pod->is_ready && !eviction_pod_is_vm(sync->pod);
}

bool eviction_gates_hold(struct eviction_sync *sync, struct eviction_entry *entry) {
        struct mono_time now = sync->now.mono;
        const struct budget_row *budget;
        bool is_closed = false;
        size_t at = 0;

        while (eviction_gates_counts(sync) && (budget = next_budget(sync, &at))) {
                const struct gate *gate = gate_find(sync->reconciler, budget, false);

                is_closed |= gate_allows(sync->reconciler, budget) <= 0 && gate &&
                             gate->has_passed && now.ns - gate->passed.ns < HOLD_MAX_NS;
        }
        if (is_closed && !entry->is_held) {
                entry->is_held = true;
                entry->held_since = now;
        }
        if (!is_closed || now.ns - entry->held_since.ns >= HOLD_MAX_NS) {
                entry->is_held = false;
                return false;
        }
        entry->next_try.ns = entry->held_since.ns + HOLD_MAX_NS;
        return true;
}

void eviction_gates_pass(struct eviction_sync *sync) {
        const struct budget_row *budget;
        size_t at = 0;

        while (eviction_gates_counts(sync) && (budget = next_budget(sync, &at))) {
                struct gate *gate = gate_find(sync->reconciler, budget, true);

                gate->asked++;
                gate->has_passed = true;
                gate->passed = sync->now.mono;
        }
}

/* One of those that wait for their first try; those that were refused keep their pauses, or two
 * that fail would wake each other without end. */
static void release_held(struct eviction_reconciler *reconciler, const struct budget_row *budget) {
        struct slice key;
        void *value;
        size_t at = 0;

        while (map_next(reconciler->targets, &at, &key, &value)) {
                struct eviction_target *target = value;

                for (size_t i = 0; i < target->entry_count; i++) {
                        struct eviction_entry *entry = target->entries[i];

                        if (!entry->is_held || !is_behind(reconciler, target, budget))
                                continue;
                        entry->is_held = false;
                        entry->next_try.ns = INT64_MIN;
                        target->is_dirty = true;
                        return;
                }
        }
}

void eviction_gates_return(struct eviction_reconciler *reconciler, struct eviction_target *target) {
        struct eviction_sync sync = { .reconciler = reconciler,
                                      .target = target,
                                      .pod = eviction_target_pod(reconciler, target) };
        const struct budget_row *budget;
        size_t at = 0;

        while (sync.pod && eviction_gates_counts(&sync) && (budget = next_budget(&sync, &at))) {
                gate_find(reconciler, budget, true)->asked--;
                if (gate_allows(reconciler, budget) > 0)
                        release_held(reconciler, budget);
        }
}

/* ---- changes of the model ---- */

static const struct budget_row *budget_find(const struct eviction_reconciler *reconciler,
                                            struct slice ns, struct slice name) {
        const struct cluster *cluster = reconciler->config.cluster;
        const struct budget_row *budget;
        bool is_known;
        struct str_id ns_id = cluster_str(cluster, ns, &is_known);
        size_t at = 0;

        while (is_known && (budget = cluster_budget_next(cluster, ns_id, &at)))
                if (slice_eq(cluster_text(cluster, budget->name), name))
                        return budget;
        return NULL;
}

void eviction_reconciler_budget_changed(struct eviction_reconciler *reconciler, struct slice ns,
                                        struct slice name) {
        const struct budget_row *budget = budget_find(reconciler, ns, name);
        struct gate *gate = budget ? gate_find(reconciler, budget, false) : NULL;

        if (gate)
                gate->asked = 0;
        if (budget && budget->disruptions_allowed > 0)
                open_gate(reconciler, budget, budget->disruptions_allowed);
}

/* Without it no pod is held back any more. */
void eviction_reconciler_budget_leaves(struct eviction_reconciler *reconciler, struct slice ns,
                                       struct slice name) {
        const struct budget_row *budget = budget_find(reconciler, ns, name);
        char text[KEY_MAX];

        free(map_remove(reconciler->gates, key_of(ns, name, text)));
        if (budget)
                open_gate(reconciler, budget, INT64_MAX);
}
