/* Who may begin: evictions take slots, those that find none wait, by rank and then by age.
 *
 * What holds a slot is read off the objects each time, so that nothing can leak and a new process
 * counts what an old one began. */
#include "base/util.h"
#include "evict/eviction_progress.h"
#include "evict/eviction_stages.h"
#include <limits.h>
#include <stdlib.h>

#define TAKEN_NS (2 * NS_PER_S) /* between looks whether the other form is done with a pod */

/* The best rank among live requests, and the oldest of that rank. */
static void eviction_admission_rank(struct eviction_target *target) {
        target->rank = UINT_MAX;
        for (size_t i = 0; i < target->request_count; i++) {
                const struct eviction_request *request = target->requests[i];
                unsigned rank = eviction_rank_of(request->requester);

                if (request->intent != EVICTION_INTENT_EVICT || request->object.is_deleting ||
                    rank > target->rank)
                        continue;
                if (rank < target->rank || request->object.created.ns < target->since.ns)
                        target->since = request->object.created;
                target->rank = rank;
        }
}

/* More than a call of the subresource: there is a responder, or an eviction only starts it. */
static bool is_slow(const struct eviction_reconciler *reconciler, const struct eviction_pod *pod) {
        const struct eviction_reconciler_config *config = &reconciler->config;

        return pod->responders.len || pod->is_background || pod->is_moving ||
               (config->leads_stages && eviction_policy_for(reconciler, pod)) ||
               (config->is_evictor && eviction_pod_is_vm(pod));
}

static bool needs_slot(const struct eviction_sync *sync) {
        const struct eviction_reconciler_config *config = &sync->reconciler->config;

        return config->has_slots && sync->is_alive && !sync->is_finished &&
               (config->slots_for_all || is_slow(sync->reconciler, sync->pod));
}

static void let_in(struct eviction_target *target, bool is_admitted) {
        target->is_admitted = is_admitted;
        target->is_waiting = false;
        target->refusal = EVICTION_SLOT_FREE;
}

/* The other form of the API is evicting this very pod. */
static bool is_taken(const struct eviction_sync *sync) {
        const struct eviction_reconciler_config *config = &sync->reconciler->config;

        return config->is_taken && config->is_taken(config->context, slice_of(sync->target->uid));
}

bool eviction_admit(struct eviction_sync *sync) {
        struct eviction_target *target = sync->target;

        if (is_taken(sync)) {
                eviction_target_wake(target, (struct mono_time){ sync->now.mono.ns + TAKEN_NS });
                return false;
        }
        if (target->is_admitted)
                return true;
        if (!needs_slot(sync)) {
                let_in(target, false);
                return true;
        }
        if (sync->pod->is_moving) { /* has its slot already */
                let_in(target, true);
                return true;
        }
        if (!target->is_waiting)
                target->waits_since = sync->now.mono;
        target->is_waiting = true;
        eviction_admission_rank(target);
        sync->reconciler->has_waiting = true;
        return false;
}

void eviction_admission_settle(struct eviction_sync *sync) {
        struct eviction_target *target = sync->target;
        bool is_at_work = false;

        for (size_t i = 0; i < target->entry_count; i++)
                is_at_work |= eviction_active(&target->entries[i]->eviction->status) >= 0;
        if (is_at_work || !sync->is_wanted || sync->is_gone || sync->is_finished)
                let_in(target, false);
}

/* ---- order ---- */

/* An Eviction holds a slot while a responder is at work. */
static bool holds_slot(const struct eviction_reconciler *reconciler,
                       const struct eviction_target *target, const struct eviction_pod *pod) {
        if (target->is_admitted)
                return true;
        for (size_t i = 0; i < target->entry_count; i++) {
                const struct eviction_status *status = &target->entries[i]->eviction->status;

                if (eviction_active(status) < 0 ||
                    target->entries[i]->stages.state.mode == STAGES_HELD)
                        continue; /* a pod that is held stays */
                if (reconciler->config.slots_for_all || status->responder_count > 1 ||
                    (pod && (pod->is_background || pod->is_moving)))
                        return true;
        }
        return false;
}

static const struct eviction_pod *pod_of(struct eviction_reconciler *reconciler,
                                         const struct eviction_target *target) {
        const struct eviction_pod *pod = eviction_target_pod(reconciler, target);

        return pod && slice_is(pod->uid, target->uid) ? pod : NULL;
}

static struct eviction_slot_holder holder_of(struct slice ns, const struct eviction_pod *pod) {
        return (struct eviction_slot_holder){ .ns = ns,
                                              .node = pod ? pod->node : SLICE_EMPTY,
                                              .owner = pod ? pod->owner : SLICE_EMPTY };
}

struct eviction_admission_counting {
        struct eviction_reconciler *reconciler;
        struct eviction_slots *slots;
        struct map *vms; /* namespace/VM of what was counted */
};

static void eviction_admission_hold(struct eviction_admission_counting *counting, struct slice ns,
                                    const struct eviction_pod *pod) {
        struct eviction_slot_holder holder = holder_of(ns, pod);
        char text[EVICTION_KEY_MAX];
        struct slice vm = pod ? eviction_vm_key(pod, text) : SLICE_EMPTY;

        eviction_slots_hold(counting->slots, &holder);
        if (vm.len)
                map_put(counting->vms, vm, counting);
}

/* Evicted by another program: in the background, or by the subresource and being deleted. */
static bool is_leaving(const struct eviction_reconciler *reconciler,
                       const struct eviction_pod *pod) {
        if (pod->is_finished)
                return false;
        return pod->is_moving ||
               (pod->is_evicted && (reconciler->config.slots_for_all || is_slow(reconciler, pod)));
}

/* What is under way without an Eviction of ours. */
static void hold_for_others(struct eviction_admission_counting *counting) {
        struct eviction_reconciler *reconciler = counting->reconciler;
        struct slice key, ns;
        void *value;
        size_t at = 0;

        while (map_next(reconciler->moving, &at, &key, &value)) {
                struct slice name = slice_split(&key, '/', &ns) ? key : SLICE_EMPTY;
                struct pod_id id = cluster_find_pod(reconciler->config.cluster, ns, name);
                const struct eviction_pod *pod =
                        pod_id_is_none(id) ? NULL : eviction_pod_at(reconciler, id);
                const struct eviction_target *target =
                        pod ? map_get(reconciler->targets, pod->uid) : NULL;

                if (pod && is_leaving(reconciler, pod) &&
                    (!target || !holds_slot(reconciler, target, pod)))
                        eviction_admission_hold(counting, pod->ns, pod);
        }
        eviction_vm_hold(reconciler, counting->vms, counting->slots);
}

static struct eviction_demand demand_of(struct eviction_reconciler *reconciler,
                                        struct eviction_target *target, struct mono_time now) {
        return (struct eviction_demand){
                .holder = holder_of(target->ns, pod_of(reconciler, target)),
                .rank = (enum eviction_rank)target->rank,
                .since_ns = target->since.ns,
                .serial = target->serial,
                .is_overdue = now.ns - target->waits_since.ns > EVICTION_SLOT_PATIENCE_NS,
                .self = target,
        };
}

/* Those that wait; what is under way is counted. */
static struct eviction_demand *eviction_admission_gather(
        struct eviction_admission_counting *counting, struct mono_time now, size_t *ret_count) {
        struct eviction_reconciler *reconciler = counting->reconciler;
        struct eviction_demand *demands =
                xreallocarray(NULL, map_count(reconciler->targets) + 1, sizeof(demands[0]));
        struct slice key;
        void *value;
        size_t at = 0, count = 0;

        while (map_next(reconciler->targets, &at, &key, &value)) {
                struct eviction_target *target = value;
                const struct eviction_pod *pod = pod_of(reconciler, target);

                if (target->is_waiting)
                        demands[count++] = demand_of(reconciler, target, now);
                else if (holds_slot(reconciler, target, pod))
                        eviction_admission_hold(counting, target->ns, pod);
        }
        hold_for_others(counting);
        *ret_count = count;
        return demands;
}

/* The target is looked at when it got its slot, and once to say that it waits. */
static void eviction_admission_answer(struct eviction_target *target,
                                      enum eviction_slot_refusal refusal) {
        bool is_new = target->refusal == EVICTION_SLOT_FREE;

        if (refusal == EVICTION_SLOT_FREE)
                let_in(target, true);
        else if (is_new)
                target->refusal = refusal;
        if (target->is_admitted || is_new)
                target->is_dirty = true;
}

void eviction_admission_let_in(struct eviction_reconciler *reconciler, struct mono_time now) {
        struct eviction_admission_counting counting = { .reconciler = reconciler };
        size_t count, left = 0;

        if (!reconciler->has_waiting)
                return;
        counting.slots = eviction_slots_new(&reconciler->config.slots);
        counting.vms = map_new();
        struct eviction_demand *demands = eviction_admission_gather(&counting, now, &count);
        eviction_slots_line_up(counting.slots, demands, count);
        for (size_t i = 0; i < count; i++) {
                eviction_admission_answer(demands[i].self, demands[i].refusal);
                left += demands[i].refusal != EVICTION_SLOT_FREE;
        }
        reconciler->stats.waiting = left;
        reconciler->has_waiting = left > 0;
        free(demands);
        map_free(counting.vms);
        eviction_slots_free(counting.slots);
}
