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

/* Rebooting and draining nodes go first, tidying up last. */
static unsigned rank_of(struct slice requester) {
        if (slice_has_prefix(requester, SLICE_LITERAL("reboot." EVICTION_DOMAIN_OWN "/")) ||
            slice_has_prefix(requester, SLICE_LITERAL("evict." EVICTION_DOMAIN_OWN "/")))
                return 0;
        return slice_has_prefix(requester, SLICE_LITERAL("descheduler.")) ? 2 : 1;
}

/* The best rank among live requests, and the oldest of that rank. */
static void rank(struct eviction_target *target) {
        target->rank = UINT_MAX;
        for (size_t i = 0; i < target->request_count; i++) {
                const struct eviction_request *request = target->requests[i];
                unsigned rank = rank_of(request->requester);

                if (request->intent != EVICTION_INTENT_EVICT || request->object.is_deleting ||
                    rank > target->rank)
                        continue;
                if (rank < target->rank || request->object.created.ns < target->since.ns)
                        target->since = request->object.created;
                target->rank = rank;
        }
}

/* More than a call of the subresource: somebody responds, or an eviction only starts it. */
static bool is_slow(const struct eviction_reconciler *reconciler, const struct eviction_pod *pod) {
        const struct eviction_reconciler_config *config = &reconciler->config;

        return pod->responders.len || pod->is_background || pod->is_moving ||
               (config->leads_stages && eviction_policy_for(reconciler, pod)) ||
               (config->is_evictor && eviction_pod_is_vm(pod));
}

static bool needs_slot(const struct eviction_look *look) {
        const struct eviction_reconciler_config *config = &look->reconciler->config;

        return config->has_slots && look->is_alive && !look->is_finished &&
               (config->slots_for_all || is_slow(look->reconciler, look->pod));
}

static void let_in(struct eviction_target *target, bool is_admitted) {
        target->is_admitted = is_admitted;
        target->is_waiting = false;
        target->refusal = EVICTION_SLOT_FREE;
}

/* The other form of the API is evicting this very pod. */
static bool is_taken(const struct eviction_look *look) {
        const struct eviction_reconciler_config *config = &look->reconciler->config;

        return config->is_taken && config->is_taken(config->context, slice_of(look->target->uid));
}

bool eviction_admit(struct eviction_look *look) {
        struct eviction_target *target = look->target;

        if (is_taken(look)) {
                eviction_target_wake(target, (struct mono_time){ look->now.mono.ns + TAKEN_NS });
                return false;
        }
        if (target->is_admitted)
                return true;
        if (!needs_slot(look)) {
                let_in(target, false);
                return true;
        }
        if (look->pod->is_moving) { /* has its slot already */
                let_in(target, true);
                return true;
        }
        target->is_waiting = true;
        rank(target);
        look->reconciler->has_waiting = true;
        return false;
}

void eviction_admission_settle(struct eviction_look *look) {
        struct eviction_target *target = look->target;
        bool is_at_work = false;

        for (size_t i = 0; i < target->slot_count; i++)
                is_at_work |= eviction_active(&target->slots[i]->eviction->status) >= 0;
        if (is_at_work || !look->is_wanted || look->is_gone || look->is_finished)
                let_in(target, false);
}

/* ---- turns ---- */

/* An Eviction holds a slot while a responder is at work. */
static bool holds_slot(const struct eviction_reconciler *reconciler,
                       const struct eviction_target *target, const struct eviction_pod *pod) {
        if (target->is_admitted)
                return true;
        for (size_t i = 0; i < target->slot_count; i++) {
                const struct eviction_status *status = &target->slots[i]->eviction->status;

                if (eviction_active(status) < 0)
                        continue;
                if (reconciler->config.slots_for_all || status->responder_count > 1 ||
                    (pod && (pod->is_background || pod->is_moving)))
                        return true;
        }
        return false;
}

static struct eviction_slot_holder holder_of(const struct eviction_target *target,
                                             const struct eviction_pod *pod) {
        return (struct eviction_slot_holder){ .ns = target->ns,
                                              .node = pod ? pod->node : SLICE_EMPTY,
                                              .owner = pod ? pod->owner : SLICE_EMPTY };
}

static const struct eviction_pod *pod_of(const struct eviction_reconciler *reconciler,
                                         const struct eviction_target *target) {
        const struct kept_pod *kept = map_get(reconciler->pods, slice_of(target->pod_name));

        return kept && slice_is(kept->pod.uid, target->uid) ? &kept->pod : NULL;
}

/* Moved in the background at somebody else's word. */
static void hold_for_moving(const struct eviction_reconciler *reconciler,
                            struct eviction_slots *slots) {
        struct slice key;
        void *value;
        size_t at = 0;

        while (map_next(reconciler->moving, &at, &key, &value)) {
                const struct kept_pod *kept = map_get(reconciler->pods, key);
                const struct eviction_target *target =
                        kept ? map_get(reconciler->targets, kept->pod.uid) : NULL;

                if (kept && !kept->pod.is_finished &&
                    (!target || !holds_slot(reconciler, target, &kept->pod)))
                        eviction_slots_hold(
                                slots, &(struct eviction_slot_holder){ .ns = kept->pod.ns,
                                                                       .node = kept->pod.node,
                                                                       .owner = kept->pod.owner });
        }
}

static int by_turn(const void *left, const void *right) {
        const struct eviction_target *a = *(struct eviction_target *const *)left;
        const struct eviction_target *b = *(struct eviction_target *const *)right;

        if (a->rank != b->rank)
                return a->rank < b->rank ? -1 : 1;
        if (a->since.ns != b->since.ns)
                return a->since.ns < b->since.ns ? -1 : 1;
        return a->serial < b->serial ? -1 : a->serial > b->serial;
}

/* Those that wait, in their turn; what others hold goes to slots. */
static struct eviction_target **line_up(const struct eviction_reconciler *reconciler,
                                        struct eviction_slots *slots, size_t *ret_count) {
        struct eviction_target **waiting =
                xreallocarray(NULL, map_count(reconciler->targets) + 1, sizeof(waiting[0]));
        struct slice key;
        void *value;
        size_t at = 0, count = 0;

        while (map_next(reconciler->targets, &at, &key, &value)) {
                struct eviction_target *target = value;
                const struct eviction_pod *pod = pod_of(reconciler, target);

                if (target->is_waiting) {
                        waiting[count++] = target;
                } else if (holds_slot(reconciler, target, pod)) {
                        struct eviction_slot_holder holder = holder_of(target, pod);

                        eviction_slots_hold(slots, &holder);
                }
        }
        hold_for_moving(reconciler, slots);
        qsort(waiting, count, sizeof(waiting[0]), by_turn);
        *ret_count = count;
        return waiting;
}

void eviction_admission_turns(struct eviction_reconciler *reconciler) {
        struct eviction_slots *slots;
        struct eviction_target **waiting;
        size_t count, left = 0;

        if (!reconciler->has_waiting)
                return;
        slots = eviction_slots_new(&reconciler->config.slots);
        waiting = line_up(reconciler, slots, &count);
        for (size_t i = 0; i < count; i++) {
                struct eviction_target *target = waiting[i];
                struct eviction_slot_holder holder = holder_of(target, pod_of(reconciler, target));
                enum eviction_slot_refusal refusal = eviction_slots_take(slots, &holder);

                if (refusal == EVICTION_SLOT_FREE)
                        let_in(target, true);
                else
                        left++;
                /* Looks again when its turn has come, and once to say that it waits. */
                if (target->is_admitted || target->refusal == EVICTION_SLOT_FREE)
                        target->is_dirty = true;
                if (!target->is_admitted && target->refusal == EVICTION_SLOT_FREE)
                        target->refusal = refusal;
        }
        reconciler->stats.waiting = left;
        reconciler->has_waiting = left > 0;
        free(waiting);
        eviction_slots_free(slots);
}
