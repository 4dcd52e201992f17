/* A pass whose evictions are written down, and where the pods would go. */
#include "ask/eviction_plan.h"

#include "api/json.h"
#include "ask/snapshot_input.h"
#include "ask/usage_live.h"
#include "base/map.h"
#include "base/saturate.h"
#include "base/util.h"
#include "config/descheduler_policy.h"
#include "desched/descheduler.h"
#include "desched/recorded_usage.h"
#include "evict/evict_service.h"
#include "evict/eviction_cost.h"
#include "plugins/desched/registry.h"
#include "roles/placement_simulator.h"
#include "roles/role_config.h"
#include "sched/decision.h"
#include <stdio.h>
#include <stdlib.h>

const char *evict_outcome_text(enum evict_outcome outcome) {
        static const char *const texts[] = {
                [EVICT_DONE] = "evicted",
                [EVICT_NODE_LIMIT] = "limit per node",
                [EVICT_NAMESPACE_LIMIT] = "limit per namespace",
                [EVICT_TOTAL_LIMIT] = "limit per pass",
                [EVICT_BUDGET] = "disruption budget",
                [EVICT_REPEATED] = "asked for already",
                [EVICT_FAILED] = "refused",
                [EVICT_HELD] = "held",
                [EVICT_NOT_BETTER] = "not better elsewhere",
        };

        return texts[outcome];
}

struct slice planned_eviction_outcome_text(const struct planned_eviction *eviction) {
        return eviction->held.len ? eviction->held
                                  : slice_of(evict_outcome_text(eviction->outcome));
}

static void begin_pass(void *context, const struct evict_pass *pass) {
        struct evict_sink sink = evict_requester_sink(((struct eviction_plan *)context)->requester);

        sink.begin_pass(sink.context, pass);
}

static void *eviction_plan_grow(void *items, size_t count, size_t *cap, size_t size) {
        if (count < *cap)
                return items;
        *cap = *cap ? *cap * 2 : 64;
        return xreallocarray(items, *cap, size);
}

static enum evict_outcome eviction_plan_ask(void *context, const struct evict_intent *intent) {
        struct eviction_plan *plan = context;
        struct arena *arena = &plan->arena;
        struct evict_sink sink = evict_requester_sink(plan->requester);
        enum evict_outcome outcome = sink.ask(sink.context, intent);
        char text[EVICTION_HOLD_TEXT_MAX];
        struct slice held = SLICE_EMPTY;

        if (intent->way == EVICT_WAY_REPORT)
                return outcome;
        /* Finished pods are deleted, prepared or not. */
        if (outcome == EVICT_DONE && intent->way == EVICT_WAY_EVICT && !intent->is_finished)
                held = eviction_costs_hold(
                        plan->costs, plan->cluster,
                        cluster_find_pod(plan->cluster, intent->pod.ns, intent->pod.name), text);
        if (held.len)
                outcome = EVICT_HELD;
        plan->evictions = eviction_plan_grow(plan->evictions, plan->eviction_count,
                                             &plan->eviction_cap, sizeof(*plan->evictions));
        plan->evictions[plan->eviction_count++] = (struct planned_eviction){
                .pod = cluster_find_pod(plan->cluster, intent->pod.ns, intent->pod.name),
                .ns = arena_slice(arena, intent->pod.ns),
                .name = arena_slice(arena, intent->pod.name),
                .node = arena_slice(arena, intent->node),
                .plugin = arena_slice(arena, intent->plugin),
                .profile = arena_slice(arena, intent->profile),
                .reason = arena_slice(arena, intent->reason),
                .held = arena_slice(arena, held),
                .outcome = outcome,
                .landing = NODE_NONE,
        };
        plan->done_count += outcome == EVICT_DONE;
        return outcome;
}

static void note_spared(void *context, const struct desched_rule_report *rule, struct pod_id pod,
                        struct slice reasons) {
        struct eviction_plan *plan = context;
        const struct pod_row *row = cluster_pod(plan->cluster, pod);

        plan->spared = eviction_plan_grow(plan->spared, plan->spared_count, &plan->spared_cap,
                                          sizeof(*plan->spared));
        plan->spared[plan->spared_count++] = (struct spared_pod){
                .pod = pod,
                .ns = arena_slice(&plan->arena, cluster_text(plan->cluster, row->ns)),
                .name = arena_slice(&plan->arena, slice_make(row->name, row->name_length)),
                .plugin = arena_slice(&plan->arena, rule->plugin),
                .profile = arena_slice(&plan->arena, rule->profile),
                .reasons = arena_slice(&plan->arena, reasons),
        };
}

static void note_young(void *context, const struct desched_rule_report *rule, struct pod_id pod,
                       struct wall_time due) {
        struct eviction_plan *plan = context;
        char wait[DURATION_TEXT_MAX], text[DURATION_TEXT_MAX + sizeof("too young, due in ")];

        duration_format_human(difference_saturated(due.ns, plan->now.ns), wait);
        snprintf(text, sizeof(text), "too young, due in %s", wait);
        note_spared(plan, rule, pod, slice_of(text));
}

static const struct desched_usage *usage_of(const struct eviction_plan *plan) {
        return plan->live ? usage_live_source(plan->live) : recorded_usage_source(plan->usage);
}

static int eviction_plan_build(struct eviction_plan *plan, struct cluster *cluster,
                               const struct role_config *config, struct err *err) {
        struct config_problems *problems = config_problems_new();
        const struct desched_observer observer = { .context = plan,
                                                   .spared = note_spared,
                                                   .young = note_young };
        struct placement_predictor predictor = { 0 };

        if (config->profiles.count > 0) {
                plan->simulator = placement_simulator_new(cluster, &config->profiles);
                predictor = placement_simulator_oracle(plan->simulator);
        }
        int code = descheduler_new(
                &(struct descheduler_config){ .cluster = plan->cluster,
                                              .policy = config->policy,
                                              .document = config->policy->document,
                                              .registry = desched_registry,
                                              .sink = { plan, begin_pass, eviction_plan_ask },
                                              .usage = usage_of(plan),
                                              .jobs = &plan->jobs,
                                              .predictor = plan->simulator ? &predictor : NULL,
                                              .is_parity = config->is_parity },
                problems, &plan->descheduler, err);

        config_problems_free(problems);
        if (code == 0)
                descheduler_observe(plan->descheduler, &observer);
        return code;
}

static bool has_ttl(void *context, struct slice uid) {
        return map_get(context, uid);
}

/* What each will take, where policies lead pods out. */
static void eviction_plan_estimate(struct eviction_plan *plan, struct wall_time now) {
        char text[EVICTION_HOLD_TEXT_MAX];

        for (size_t i = 0; i < plan->eviction_count; i++) {
                struct planned_eviction *eviction = &plan->evictions[i];

                if (!pod_id_is_none(eviction->pod) &&
                    !eviction_costs_hold(plan->costs, plan->cluster, eviction->pod, text).len)
                        eviction->has_cost = eviction_costs_expect(
                                plan->costs, plan->cluster, eviction->pod, now, &eviction->cost);
                plan->has_costs |= eviction->has_cost;
        }
}

int eviction_plan_make(struct eviction_plan *plan, struct snapshot *snapshot,
                       const struct role_config *config, struct wall_time now, struct err *err) {
        arena_init(&plan->arena, 0);
        plan->cluster = snapshot->cluster;
        plan->config = config;
        plan->costs = snapshot_eviction_costs(snapshot);
        plan->jobs = (struct desched_jobs){ snapshot->jobs_with_ttl, has_ttl };
        plan->service = evict_service_new(&(struct evict_config){ .cluster = snapshot->cluster });
        plan->requester = evict_service_join(
                plan->service, &(struct evict_requester_config){ .is_parity = config->is_parity });
        int code = snapshot_usage(snapshot, &plan->usage_doc, err);
        if (code == 0 && snapshot->is_live)
                code = usage_live_ask(&snapshot->source, config, &plan->live, err);
        if (code == 0)
                code = recorded_usage_new(json_doc_root(plan->usage_doc), config->policy,
                                          &plan->usage, err);
        if (code == 0)
                code = eviction_plan_build(plan, snapshot->cluster, config, err);
        if (code < 0)
                return code;
        plan->now = now;
        plan->report = descheduler_pass(plan->descheduler, now);
        eviction_plan_estimate(plan, now);
        return 0;
}

void eviction_plan_release(struct eviction_plan *plan) {
        descheduler_free(plan->descheduler);
        placement_simulator_free(plan->simulator);
        usage_live_free(plan->live);
        recorded_usage_free(plan->usage);
        json_doc_free(plan->usage_doc);
        evict_service_free(plan->service);
        eviction_costs_free(plan->costs);
        free(plan->evictions);
        free(plan->spared);
        arena_release(&plan->arena);
        *plan = (struct eviction_plan){ 0 };
}

/* ---- landing ---- */

static bool total_of(const struct decision *decision, struct node_id node, int64_t *ret_total) {
        for (size_t i = 0; decision->totals && i < decision->feasible_count; i++) {
                if (decision->feasible[i].index != node.index)
                        continue;
                *ret_total = decision->totals[i];
                return true;
        }
        return false;
}

static void place_one(struct planned_eviction *eviction, struct cluster *cluster,
                      const struct sched_profile *profile, struct wall_time now) {
        struct arena arena;
        struct decision decision;
        struct node_id home = cluster_pod(cluster, eviction->pod)->node;
        int64_t there, here;

        arena_init(&arena, 0);
        cluster_withdraw(cluster, eviction->pod);
        scheduler_decide(cluster, profile,
                         &(struct decision_request){ .pod = eviction->pod, .now = now }, &arena,
                         &decision);
        eviction->has_landing = true;
        if (decision.outcome == DECISION_PLACED) {
                eviction->landing = decision.node;
                eviction->has_gain = total_of(&decision, decision.node, &there) &&
                                     total_of(&decision, home, &here);
                if (eviction->has_gain)
                        eviction->gain = there - here;
                cluster_assume(cluster, eviction->pod, decision.node);
        }
        arena_release(&arena);
}

/* ---- before and after ---- */

static void begin_count(void *context, const struct evict_pass *pass) {
        (void)context;
        (void)pass;
}

/* Pods that are gone by then cannot be wanted. */
static enum evict_outcome count_one(void *context, const struct evict_intent *intent) {
        const struct eviction_plan *plan = context;
        struct pod_id pod = cluster_find_pod(plan->cluster, intent->pod.ns, intent->pod.name);

        return bitset_has(&plan->gone, pod.index) ? EVICT_REPEATED : EVICT_DONE;
}

/* What every rule wants of the cluster as it is now: a pass that nothing holds back. */
static void count_wanted(struct eviction_plan *plan, struct wall_time now,
                         struct plan_state *state) {
        struct config_problems *problems = config_problems_new();
        uint32_t *wanted = ARENA_ARRAY(&plan->arena, uint32_t, plan->report->rule_count);
        struct descheduler *counter = NULL;
        const struct desched_report *report;

        if (descheduler_new(&(struct descheduler_config){ .cluster = plan->cluster,
                                                          .policy = plan->config->policy,
                                                          .registry = desched_registry,
                                                          .sink = { plan, begin_count, count_one },
                                                          .usage = usage_of(plan),
                                                          .jobs = &plan->jobs,
                                                          .is_parity = plan->config->is_parity,
                                                          .is_dry_run = true },
                            problems, &counter, NULL) == 0) {
                report = descheduler_pass(counter, now);
                for (size_t i = 0; i < report->rule_count; i++) {
                        wanted[i] = report->rules[i].evicted + report->rules[i].spared;
                        state->wanted_sum += wanted[i];
                }
        }
        state->wanted = wanted;
        descheduler_free(counter);
        config_problems_free(problems);
}

static size_t count_pending(const struct eviction_plan *plan) {
        const struct cluster *cluster = plan->cluster;
        size_t count = 0;

        for (size_t i = 0; i < cluster_pod_cap(cluster); i++) {
                const struct pod_row *row = cluster_pod(cluster, (struct pod_id){ (uint32_t)i });

                count += row->is_live && node_id_is_none(row->node) && !pod_row_is_finished(row) &&
                         !bitset_has(&plan->gone, i);
        }
        return count;
}

static void eviction_plan_measure(struct eviction_plan *plan, struct wall_time now,
                                  struct plan_state *state) {
        cluster_balance_measure(plan->cluster, &plan->arena, &state->balance);
        count_wanted(plan, now, state);
        state->pending = count_pending(plan);
}

static void eviction_plan_leave(struct eviction_plan *plan, struct cluster *cluster,
                                struct pod_id pod) {
        cluster_withdraw(cluster, pod);
        bitset_add(&plan->gone, pod.index);
}

static void place_evicted(struct eviction_plan *plan, struct planned_eviction *eviction,
                          struct cluster *cluster, const struct sched_profile_list *profiles,
                          struct wall_time now) {
        const struct pod_row *row = cluster_pod(cluster, eviction->pod);
        const struct sched_profile *profile = sched_profile_list_find(
                profiles, cluster_class(cluster, row->class)->spec.scheduler_name);

        if (node_id_is_none(row->node))
                bitset_add(&plan->gone, eviction->pod.index);
        else if (profile && row->owner_count > 0 && !pod_row_is_finished(row))
                place_one(eviction, cluster, profile, now);
        else
                eviction_plan_leave(plan, cluster, eviction->pod);
}

void eviction_plan_place(struct eviction_plan *plan, struct snapshot *snapshot,
                         const struct sched_profile_list *profiles, struct wall_time now) {
        struct cluster *cluster = snapshot->cluster;

        plan->gone = bitset_in_arena(&plan->arena, cluster_pod_cap(cluster));
        eviction_plan_measure(plan, now, &plan->before);
        cluster_checkpoint(cluster);
        for (size_t i = 0; i < plan->eviction_count; i++) {
                struct planned_eviction *eviction = &plan->evictions[i];

                if (eviction->outcome == EVICT_DONE && !pod_id_is_none(eviction->pod))
                        place_evicted(plan, eviction, cluster, profiles, now);
                if (plan->progress)
                        plan->progress(plan->progress_context, i + 1, plan->eviction_count);
        }
        eviction_plan_measure(plan, now, &plan->after);
        cluster_rollback(cluster);
}
