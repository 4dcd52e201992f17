/* Sums of what stages took before. */
#include "evict/eviction_cost.h"

#include "base/util.h"
#include "evict/eviction_stages.h"
#include <stdio.h>
#include <stdlib.h>

#define KEY_MAX 600
#define STAGE_MAX_NS                                                                               \
        (24LL * 3600 * NS_PER_S) /* a stage counts as a day at most: sums stay small               \
                                  */

struct eviction_costs {
        struct eviction_history *history;
        size_t count;
        struct eviction_policy **policies; /* the first that matches counts */
        struct map *held;                  /* uid of a pod -> why, owned */
};

static int64_t at_most_a_day(int64_t ns) {
        return ns < STAGE_MAX_NS ? ns : STAGE_MAX_NS;
}

/* What the history knows of one stage; its timeout where it knows nothing. */
static struct history_estimate stage_estimate(const struct eviction_policy *policy, size_t stage,
                                              const struct eviction_history *history,
                                              struct slice owner, struct wall_time now) {
        char name[KEY_MAX];

        snprintf(name, sizeof(name), SLICE_FMT "/" SLICE_FMT, SLICE_ARG(policy->ns),
                 SLICE_ARG(policy->name));
        const struct history_key key = { .policy = slice_of(name),
                                         .owner = owner,
                                         .stage = policy->stages[stage].name };

        return eviction_history_estimate(history, &key, policy->stages[stage].timeout_ns, now);
}

struct history_estimate eviction_policy_estimate(const struct eviction_policy *policy,
                                                 const struct eviction_history *history,
                                                 struct slice owner, struct wall_time now) {
        struct history_estimate sum = { .count = policy->stage_count ? SIZE_MAX : 0 };

        if (policy->is_unreadable) /* it holds the pod for as long as it takes to mend it */
                return (struct history_estimate){ .p50_ns = STAGE_MAX_NS, .p95_ns = STAGE_MAX_NS };
        for (size_t i = 0; i < policy->stage_count; i++) {
                struct history_estimate stage = stage_estimate(policy, i, history, owner, now);

                sum.p50_ns += at_most_a_day(stage.p50_ns);
                sum.p95_ns += at_most_a_day(stage.p95_ns);
                sum.count = stage.count < sum.count ? stage.count : sum.count;
        }
        return sum;
}

int64_t eviction_policy_cost(const struct eviction_policy *policy,
                             const struct eviction_history *history, struct slice owner,
                             struct wall_time now) {
        return eviction_policy_estimate(policy, history, owner, now).p50_ns;
}

struct eviction_costs *eviction_costs_new(void) {
        struct eviction_costs *costs = xcalloc(1, sizeof(*costs));

        costs->history = eviction_history_new();
        costs->held = map_new();
        return costs;
}

static void drop_policies(struct eviction_costs *costs) {
        for (size_t i = 0; i < costs->count; i++)
                eviction_policy_free(costs->policies[i]);
        free(costs->policies);
        costs->policies = NULL;
        costs->count = 0;
}

void eviction_costs_free(struct eviction_costs *costs) {
        if (!costs)
                return;
        drop_policies(costs);
        eviction_history_free(costs->history);
        map_free_values(costs->held);
        free(costs);
}

static int by_precedence(const void *left, const void *right) {
        const struct eviction_policy *a = *(struct eviction_policy *const *)left,
                                     *b = *(struct eviction_policy *const *)right;

        return eviction_policy_is_before(a, b) ? -1 : eviction_policy_is_before(b, a);
}

void eviction_costs_set_policies(struct eviction_costs *costs, const struct json *list) {
        const struct json *items = json_get(list, "items"), *item;
        struct json_iter iter = json_iter(items);
        struct err err = { 0 };

        drop_policies(costs);
        if (json_type(items) != JSON_ARRAY || json_count(items) == 0)
                return;
        costs->policies = xcalloc(json_count(items), sizeof(*costs->policies));
        while (json_next(&iter, NULL, &item)) {
                struct eviction_policy **policy = &costs->policies[costs->count++];

                if (eviction_policy_decode(item, policy, &err) < 0)
                        *policy = eviction_policy_unreadable(item, &err);
                err = (struct err){ 0 };
        }
        qsort(costs->policies, costs->count, sizeof(*costs->policies), by_precedence);
}

void eviction_costs_set_history(struct eviction_costs *costs, const struct json *object) {
        eviction_history_free(costs->history);
        costs->history = eviction_history_new();
        eviction_history_read(costs->history, object);
}

size_t eviction_costs_policy_count(const struct eviction_costs *costs) {
        return costs->count;
}

static void name_owner(const struct cluster *cluster, const struct pod_row *row, char *ret_owner) {
        ret_owner[0] = '\0';
        for (uint32_t i = 0; i < row->owner_count; i++)
                if (row->owners[i].is_controller)
                        snprintf(ret_owner, KEY_MAX, SLICE_FMT "/" SLICE_FMT,
                                 SLICE_ARG(cluster_text(cluster, row->owners[i].kind)),
                                 SLICE_ARG(cluster_text(cluster, row->owners[i].name)));
}

static const struct eviction_policy *eviction_costs_policy(const struct eviction_costs *costs,
                                                           const struct cluster *cluster,
                                                           const struct pod_row *row) {
        for (size_t i = 0; i < costs->count; i++) {
                const struct eviction_policy *policy = costs->policies[i];

                if (slice_eq(policy->ns, cluster_text(cluster, row->ns)) &&
                    (policy->selects_all ||
                     cluster_labels_match(cluster, &policy->selector, row->labels)))
                        return policy;
        }
        return NULL;
}

bool eviction_costs_expect(const struct eviction_costs *costs, const struct cluster *cluster,
                           struct pod_id pod, struct wall_time now,
                           struct history_estimate *ret_estimate) {
        char owner[KEY_MAX];

        *ret_estimate = (struct history_estimate){ 0 };
        if (costs->count == 0)
                return false;
        const struct pod_row *row = cluster_pod(cluster, pod);
        const struct eviction_policy *policy = eviction_costs_policy(costs, cluster, row);
        if (!policy)
                return false;
        name_owner(cluster, row, owner);
        *ret_estimate = eviction_policy_estimate(policy, costs->history, slice_of(owner), now);
        return true;
}

size_t eviction_costs_stages(const struct eviction_costs *costs, const struct cluster *cluster,
                             struct pod_id pod, struct wall_time now,
                             struct stage_forecast ret_stages[static EVICTION_STAGES_MAX],
                             struct slice *ret_policy) {
        const struct pod_row *row = cluster_pod(cluster, pod);
        const struct eviction_policy *policy = eviction_costs_policy(costs, cluster, row);
        char owner[KEY_MAX];

        if (!policy)
                return 0;
        name_owner(cluster, row, owner);
        *ret_policy = policy->name;
        for (size_t i = 0; i < policy->stage_count; i++)
                ret_stages[i] = (struct stage_forecast){
                        .name = policy->stages[i].name,
                        .kind = policy->stages[i].kind,
                        .estimate = stage_estimate(policy, i, costs->history, slice_of(owner), now),
                };
        return policy->stage_count;
}

void eviction_costs_see_eviction(struct eviction_costs *costs, const struct json *object) {
        struct eviction *eviction = NULL;
        struct stages_state state;

        if (eviction_decode(object, &eviction, NULL) < 0)
                return;
        const struct eviction_status *status = &eviction->status;
        int active = eviction_active(status);
        if (active >= 0 && slice_is(status->responders[active].name, EVICTION_STAGER) &&
            stages_state_parse(status->responders[active].message, &state) &&
            state.mode == STAGES_HELD) {
                struct slice why = status->responders[active].message, head;

                if (!slice_split(&why, ';', &head) || !why.ptr)
                        why = SLICE_LITERAL(" held");
                free(map_remove(costs->held, eviction->object.target_uid));
                map_put(costs->held, eviction->object.target_uid,
                        slice_dup(slice_make(why.ptr + 1, why.len - 1)));
        }
        eviction_free(eviction);
}

struct slice eviction_costs_hold(const struct eviction_costs *costs, const struct cluster *cluster,
                                 struct pod_id pod, char *text) {
        if (pod_id_is_none(pod))
                return SLICE_EMPTY;
        const struct pod_row *row = cluster_pod(cluster, pod);
        const char *held = map_get(costs->held, slice_make(row->uid, strlen(row->uid)));
        if (!held)
                return eviction_policy_hold_reason(eviction_costs_policy(costs, cluster, row),
                                                   text);
        snprintf(text, EVICTION_HOLD_TEXT_MAX, "%s", held);
        return slice_of(text);
}

int64_t eviction_costs_of(const struct eviction_costs *costs, const struct cluster *cluster,
                          struct pod_id pod, struct wall_time now) {
        struct history_estimate estimate;

        eviction_costs_expect(costs, cluster, pod, now, &estimate);
        return estimate.p50_ns;
}
