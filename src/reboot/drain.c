/* Judges the pods of a node that is to be drained. */
#include "reboot/drain.h"

#include "api/object.h"

/* Of the annotations by which evictions are carried on in the background. */
#define DESCHEDULER_PREFIX "descheduler.alpha.kubernetes.io/"

static bool pod_is_ready(const struct pod *pod) {
        const struct condition *ready =
                condition_find(pod->status.conditions, pod->status.condition_count, "Ready");

        return ready && ready->status == CONDITION_TRUE;
}

static struct slice daemon_set_of(const struct pod *pod, struct arena *arena) {
        for (size_t i = 0; i < pod->meta.owner_count; i++) {
                const struct owner_ref *owner = &pod->meta.owners[i];

                if (owner->is_controller && slice_is(owner->kind, "DaemonSet") &&
                    slice_is(owner->api_version, "apps/v1"))
                        return arena_slice(arena, owner->name);
        }
        return SLICE_EMPTY;
}

static struct label_list copy_labels(struct label_list labels, struct arena *arena) {
        struct label_list copy = { labels.count, ARENA_ARRAY(arena, struct label, labels.count) };

        for (size_t i = 0; i < labels.count; i++)
                copy.items[i] = (struct label){ arena_slice(arena, labels.items[i].key),
                                                arena_slice(arena, labels.items[i].value) };
        return copy;
}

static int decode_one(const struct json *object, struct arena *arena, struct drain_pod *ret_pod,
                      struct err *err) {
        struct pod pod;
        bool is_mirror, is_asked, is_running;

        if (pod_decode(object, arena, &pod, err) < 0)
                return BERTH_ERR_INVALID;
        label_list_get(pod.meta.annotations, "kubernetes.io/config.mirror", &is_mirror);
        label_list_get(pod.meta.annotations, DESCHEDULER_PREFIX "request-evict-only", &is_asked);
        label_list_get(pod.meta.annotations, DESCHEDULER_PREFIX "eviction-in-progress",
                       &is_running);
        *ret_pod = (struct drain_pod){
                .ns = arena_slice(arena, pod.meta.ns),
                .name = arena_slice(arena, pod.meta.name),
                .uid = arena_slice(arena, pod.meta.uid),
                .daemon_set = daemon_set_of(&pod, arena),
                .is_finished = pod.status.phase == POD_SUCCEEDED || pod.status.phase == POD_FAILED,
                .is_mirror = is_mirror,
                .is_ready = pod_is_ready(&pod),
                .is_moving = is_asked && is_running,
                .deleted = pod.meta.deleted,
                .labels = copy_labels(pod.meta.labels, arena),
        };
        return 0;
}

int drain_pods_decode(const struct json *list, struct arena *arena, struct drain_pods *ret_pods,
                      struct err *err) {
        const struct json *items = json_get(list, "items"), *item;
        struct json_iter iter = json_iter(items);
        struct drain_pods pods = { 0, ARENA_ARRAY(arena, struct drain_pod, json_count(items)) };

        while (json_next(&iter, NULL, &item))
                if (decode_one(item, arena, &pods.items[pods.count++], err) < 0)
                        return BERTH_ERR_INVALID;
        *ret_pods = pods;
        return 0;
}

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

struct slice drain_impossible(const struct drain_pods *pods, const struct drain_rules *rules,
                              const struct json *budgets, struct wall_time now,
                              struct arena *arena) {
        struct json_iter iter = json_iter(json_get(budgets, "items"));
        const struct json *item;

        while (json_next(&iter, NULL, &item)) {
                struct disruption_budget budget;

                if (disruption_budget_decode(item, arena, &budget, NULL) < 0 ||
                    !never_opens(&budget))
                        continue;
                for (size_t i = 0; i < pods->count; i++)
                        if (drain_judge(&pods->items[i], rules, now) == DRAIN_EVICT &&
                            drain_covers(&budget, &pods->items[i]))
                                return slice_of(arena_printf(arena,
                                                             "budget " SLICE_FMT "/" SLICE_FMT
                                                             " can never let pod " SLICE_FMT " go",
                                                             SLICE_ARG(budget.meta.ns),
                                                             SLICE_ARG(budget.meta.name),
                                                             SLICE_ARG(pods->items[i].name)));
        }
        return SLICE_EMPTY;
}
