/* Judges the pods of a node that is to be drained. */
#include "reboot/drain.h"

#include "api/object.h"

enum drain_verdict drain_judge(const struct drain_pod *pod, const struct drain_rules *rules,
                               struct wall_time now) {
        bool is_going = wall_time_is_set(pod->deleted);

        if (!selector_matches(rules->selector, pod->labels) || pod->is_mirror)
                return DRAIN_KEEP;
        if (is_going && rules->skip_wait_s > 0 &&
            now.ns - pod->deleted.ns > rules->skip_wait_s * NS_PER_S)
                return DRAIN_KEEP;
        if (pod->daemon_set.len > 0 && !pod->is_finished && pod->owner != DRAIN_OWNER_GONE)
                return DRAIN_KEEP;
        if (pod->is_moving && !pod->is_finished && !rules->deletes)
                return DRAIN_WAIT;
        return is_going ? DRAIN_WAIT : DRAIN_EVICT;
}

static struct slice why_left(const struct drain_pod *pod, const struct drain_refusal *refusal) {
        if (slice_eq(pod->uid, refusal->pod_uid))
                return refusal->text;
        return wall_time_is_set(pod->deleted) ? SLICE_LITERAL("terminating")
                                              : SLICE_LITERAL("its eviction is not over");
}

struct slice drain_left(const struct drain_pods *pods, const struct drain_rules *rules,
                        const struct drain_refusal *refusal, struct wall_time now,
                        struct arena *arena) {
        const struct drain_pod *shown = NULL;
        size_t left = 0;

        for (size_t i = 0; i < pods->count; i++) {
                const struct drain_pod *pod = &pods->items[i];

                if (drain_judge(pod, rules, now) == DRAIN_KEEP)
                        continue;
                left++;
                if (!shown || slice_eq(pod->uid, refusal->pod_uid))
                        shown = pod;
        }
        if (!shown)
                return SLICE_EMPTY;
        struct slice why = why_left(shown, refusal);
        return slice_of(arena_printf(arena,
                                     "%zu pod%s left, " SLICE_FMT "/" SLICE_FMT ": " SLICE_FMT,
                                     left, left == 1 ? " is" : "s are", SLICE_ARG(shown->ns),
                                     SLICE_ARG(shown->name), SLICE_ARG(why)));
}

/* Even with every pod it expects healthy the budget asks for all of them. */
static bool never_opens(const struct disruption_budget *budget) {
        return budget->disruptions_allowed <= 0 && budget->expected_pods > 0 &&
               budget->desired_healthy >= budget->expected_pods &&
               budget->observed_generation >= budget->meta.generation;
}

static bool drain_covers(const struct disruption_budget *budget, const struct drain_pod *pod) {
        if (!budget->has_selector || budget->selector_is_invalid ||
            !slice_eq(budget->meta.ns, pod->ns) || pod->is_finished)
                return false;
        return (pod->is_ready || !budget->always_allow_unhealthy) &&
               selector_matches(&budget->selector, pod->labels);
}

/* The first of the pods that is to be evicted and covered; NULL = none. */
static const struct drain_pod *covered_pod(const struct disruption_budget *budget,
                                           const struct drain_pods *pods,
                                           const struct drain_rules *rules, struct wall_time now) {
        for (size_t i = 0; i < pods->count; i++)
                if (drain_judge(&pods->items[i], rules, now) == DRAIN_EVICT &&
                    drain_covers(budget, &pods->items[i]))
                        return &pods->items[i];
        return NULL;
}

struct slice drain_impossible(const struct drain_pods *pods, const struct drain_rules *rules,
                              const struct drain_budgets *budgets, struct wall_time now,
                              struct arena *arena, struct drain_deadlock *ret_deadlock) {
        const struct drain_pod *pod = NULL;
        const struct disruption_budget *budget = NULL;

        *ret_deadlock = (struct drain_deadlock){ 0 };
        for (size_t i = 0; budgets && !pod && i < budgets->count; i++) {
                budget = &budgets->items[i];
                if (never_opens(budget))
                        pod = covered_pod(budget, pods, rules, now);
        }
        if (!pod)
                return SLICE_EMPTY;
        *ret_deadlock = (struct drain_deadlock){ arena_slice(arena, budget->meta.ns),
                                                 arena_slice(arena, budget->meta.name),
                                                 arena_slice(arena, pod->name) };
        return slice_of(arena_printf(
                arena, "budget " SLICE_FMT "/" SLICE_FMT " can never let pod " SLICE_FMT " go",
                SLICE_ARG(budget->meta.ns), SLICE_ARG(budget->meta.name), SLICE_ARG(pod->name)));
}
