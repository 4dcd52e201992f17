/* A pass whose evictions are written down, and where the pods would go. */
#include "ask/eviction_plan.h"

#include "api/json.h"
#include "ask/plan_drain.h"
#include "ask/snapshot_input.h"
#include "ask/usage_live.h"
#include "base/map.h"
#include "base/saturate.h"
#include "base/util.h"
#include "config/descheduler_policy.h"
#include "desched/recorded_usage.h"
#include "evict/evict_service.h"
#include "evict/eviction_cost.h"
#include "plugins/desched/registry.h"
#include "roles/moved_claims.h"
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

/* What a drain took of the budgets is gone; of the limits of a policy it takes nothing. */
static void begin_pass(void *context, const struct evict_pass *pass) {
        struct eviction_plan *plan = context;
        struct evict_sink sink = evict_requester_sink(plan->requester);
        struct evict_pass whole = *pass;

        whole.keeps_budgets = plan->drain_count > 0;
        sink.begin_pass(sink.context, &whole);
}

static void *eviction_plan_grow(void *items, size_t count, size_t *cap, size_t size) {
        if (count < *cap)
                return items;
        *cap = *cap ? *cap * 2 : 64;
        return xreallocarray(items, *cap, size);
}

static struct slice budgets_of(struct eviction_plan *plan, struct pod_id pod) {
        CLEANUP(buf_release) struct buf text = { 0 };

        if (!pod_id_is_none(pod))
                evict_budgets_write(plan->cluster, pod, &text);
        return arena_slice(&plan->arena, buf_view(&text));
}

static void eviction_plan_note(struct eviction_plan *plan, const struct evict_intent *intent,
                               enum evict_outcome outcome, struct slice held) {
        struct arena *arena = &plan->arena;
        struct pod_id pod = cluster_find_pod(plan->cluster, intent->pod.ns, intent->pod.name);

        plan->evictions = eviction_plan_grow(plan->evictions, plan->eviction_count,
                                             &plan->eviction_cap, sizeof(*plan->evictions));
        plan->evictions[plan->eviction_count++] = (struct planned_eviction){
                .pod = pod,
                .budget = outcome == EVICT_BUDGET ? budgets_of(plan, pod) : SLICE_EMPTY,
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
}

static enum evict_outcome eviction_plan_ask(void *context, const struct evict_intent *intent) {
        struct eviction_plan *plan = context;
        struct pod_id pod = cluster_find_pod(plan->cluster, intent->pod.ns, intent->pod.name);
        char text[EVICTION_HOLD_TEXT_MAX];
        struct slice held = SLICE_EMPTY;

        if (!pod_id_is_none(pod) && bitset_has(&plan->drained, pod.index))
                return EVICT_REPEATED;
        struct evict_sink sink = evict_requester_sink(plan->requester);
        enum evict_outcome outcome = sink.ask(sink.context, intent);
        if (intent->way == EVICT_WAY_REPORT)
                return outcome;
        /* Finished pods are deleted, prepared or not. */
        if (outcome == EVICT_DONE && intent->way == EVICT_WAY_EVICT && !intent->is_finished)
                held = eviction_costs_hold(plan->costs, plan->cluster, pod, text);
        if (held.len)
                outcome = EVICT_HELD;
        eviction_plan_note(plan, intent, outcome, held);
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
                               struct err *err) {
        const struct role_config *config = plan->config;
        struct config_problems *problems = config_problems_new();
        const struct desched_observer observer = { .context = plan,
                                                   .spared = note_spared,
                                                   .young = note_young };
        struct placement_predictor predictor = { 0 };

        if (config->profiles.count > 0) {
                plan->simulator =
                        placement_simulator_new(cluster, &config->profiles, plan->object_cache);
                predictor = placement_simulator_oracle(plan->simulator);
                plan->judge = placement_simulator_judge(plan->simulator);
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
                                              .device_judge = plan->simulator ? &plan->judge : NULL,
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

/* The devices that the pod has where it lands. */
static void take_claims(struct eviction_plan *plan, const struct planned_eviction *eviction,
                        struct cluster *cluster, const struct sched_profile *profile,
                        struct arena *arena) {
        if (pod_has_claims(cluster, eviction->pod))
                moved_claims_take(plan->claims,
                                  &(struct reserve_request){ .cluster = cluster,
                                                             .profile = profile,
                                                             .pod = eviction->pod,
                                                             .node = eviction->landing,
                                                             .now = plan->now,
                                                             .arena = arena });
}

static void place_one(struct eviction_plan *plan, struct planned_eviction *eviction,
                      struct cluster *cluster, const struct sched_profile *profile) {
        struct arena arena;
        struct decision decision;
        struct node_id home = cluster_pod(cluster, eviction->pod)->node;
        int64_t there, here;

        arena_init(&arena, 0);
        cluster_withdraw(cluster, eviction->pod);
        moved_claims_give_back(plan->claims, cluster, eviction->pod);
        scheduler_decide(cluster, profile,
                         &(struct decision_request){ .pod = eviction->pod, .now = plan->now },
                         &arena, &decision);
        eviction->has_landing = true;
        if (decision.outcome == DECISION_PLACED) {
                eviction->landing = decision.node;
                eviction->has_gain = total_of(&decision, decision.node, &there) &&
                                     total_of(&decision, home, &here);
                if (eviction->has_gain)
                        eviction->gain = there - here;
                take_claims(plan, eviction, cluster, profile, &arena);
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
        struct descheduler *counter = NULL;
        const struct desched_report *report;

        if (descheduler_new(&(struct descheduler_config){ .cluster = plan->cluster,
                                                          .policy = plan->config->policy,
                                                          .registry = desched_registry,
                                                          .sink = { plan, begin_count, count_one },
                                                          .usage = usage_of(plan),
                                                          .jobs = &plan->jobs,
                                                          .device_judge = plan->simulator
                                                                                  ? &plan->judge
                                                                                  : NULL,
                                                          .is_parity = plan->config->is_parity,
                                                          .is_dry_run = true },
                            problems, &counter, NULL) == 0) {
                report = descheduler_pass(counter, now);
                uint32_t *wanted = ARENA_ARRAY(&plan->arena, uint32_t, report->rule_count);
                for (size_t i = 0; i < report->rule_count; i++) {
                        wanted[i] = report->rules[i].evicted + report->rules[i].spared;
                        state->wanted_sum += wanted[i];
                }
                state->wanted = wanted;
        }
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
        if (plan->config->policy)
                count_wanted(plan, now, state);
        state->pending = count_pending(plan);
}

static void eviction_plan_leave(struct eviction_plan *plan, struct cluster *cluster,
                                struct pod_id pod) {
        cluster_withdraw(cluster, pod);
        moved_claims_give_back(plan->claims, cluster, pod);
        bitset_add(&plan->gone, pod.index);
}

static void place_evicted(struct eviction_plan *plan, struct planned_eviction *eviction,
                          struct cluster *cluster) {
        const struct pod_row *row = cluster_pod(cluster, eviction->pod);
        const struct sched_profile *profile = sched_profile_list_find(
                &plan->config->profiles, cluster_class(cluster, row->class)->spec.scheduler_name);

        if (node_id_is_none(row->node))
                bitset_add(&plan->gone, eviction->pod.index);
        else if (profile && row->owner_count > 0 && !pod_row_is_finished(row))
                place_one(plan, eviction, cluster, profile);
        else
                eviction_plan_leave(plan, cluster, eviction->pod);
}

/* From here on pods are moved. */
static void begin_what_if(struct eviction_plan *plan, struct cluster *cluster) {
        eviction_plan_measure(plan, plan->now, &plan->before);
        cluster_checkpoint(cluster);
        plan->opened = cluster;
}

/* ---- nodes taken away ---- */

static int take_node_away(struct eviction_plan *plan, struct slice name, struct err *err) {
        struct node_id node = cluster_find_node(plan->cluster, name);

        if (node_id_is_none(node) || !bitset_has(&cluster_nodes(plan->cluster)->live, node.index))
                return err_set(err, BERTH_ERR_INVALID, "there is no node \"" SLICE_FMT "\"",
                               SLICE_ARG(name));
        cluster_cordon(plan->opened, node);
        return 0;
}

/* Asks for one pod of the node, and places the one that takes its place. */
static void drain_pod(struct eviction_plan *plan, struct slice node,
                      const struct drained_pod *pod) {
        const bool is_finished = pod_row_is_finished(cluster_pod(plan->cluster, pod->pod));
        const struct evict_intent intent = {
                .pod = { .ns = pod->ns, .name = pod->name, .uid = pod->uid },
                .node = node,
                .plugin = SLICE_LITERAL(PLAN_DRAIN),
                .reason = SLICE_LITERAL("its node is taken away"),
                .is_finished = is_finished,
                .way = is_finished ? EVICT_WAY_DELETE : EVICT_WAY_EVICT,
        };

        if (pod->stays.len) {
                eviction_plan_note(plan, &intent, EVICT_HELD, pod->stays);
        } else if (eviction_plan_ask(plan, &intent) == EVICT_DONE) {
                place_evicted(plan, &plan->evictions[plan->eviction_count - 1], plan->opened);
                bitset_add(&plan->drained, pod->pod.index);
        }
}

/* All of them are cordoned by now: no pod goes from one to the other. */
static void drain_nodes(struct eviction_plan *plan, const struct plan_request *request) {
        struct evict_sink sink = evict_requester_sink(plan->requester);

        if (request->drained_count)
                sink.begin_pass(sink.context, &(struct evict_pass){ .now = request->now });
        for (size_t i = 0; i < request->drained_count; i++) {
                struct node_id node = cluster_find_node(plan->cluster, request->drained[i]);
                struct drained_list list;

                plan_drain_list(plan->cluster, node, request->now, &plan->arena, &list);
                for (size_t p = 0; p < list.count; p++)
                        drain_pod(plan, request->drained[i], &list.items[p]);
        }
        plan->drain_count = plan->eviction_count;
}

/* ---- the whole ---- */

/* What the plan needs besides the policy's rules. */
static int eviction_plan_open(struct eviction_plan *plan, struct snapshot *snapshot,
                              const struct plan_request *request, struct err *err) {
        const struct role_config *config = request->config;
        size_t pod_cap = cluster_pod_cap(snapshot->cluster);

        arena_init(&plan->arena, 0);
        plan->cluster = snapshot->cluster;
        plan->object_cache = snapshot->object_cache;
        plan->claims = moved_claims_new(snapshot->object_cache);
        plan->config = config;
        plan->now = request->now;
        plan->drained_nodes = request->drained;
        plan->drained_count = request->drained_count;
        plan->gone = bitset_in_arena(&plan->arena, pod_cap);
        plan->drained = bitset_in_arena(&plan->arena, pod_cap);
        plan->costs = snapshot_eviction_costs(snapshot);
        plan->jobs = (struct desched_jobs){ snapshot->jobs_with_ttl, has_ttl };
        plan->service = evict_service_new(&(struct evict_config){ .cluster = snapshot->cluster });
        plan->requester = evict_service_join(
                plan->service, &(struct evict_requester_config){ .is_parity = config->is_parity });
        plan->no_policy.node_count = cluster_node_count(snapshot->cluster);
        plan->report = &plan->no_policy;
        if (!config->policy)
                return 0;
        int code = snapshot_usage(snapshot, &plan->usage_doc, err);
        if (code == 0 && snapshot->is_live)
                code = usage_live_ask(&snapshot->source, config, &plan->live, err);
        if (code == 0)
                code = recorded_usage_new(json_doc_root(plan->usage_doc), config->policy,
                                          &plan->usage, err);
        return code == 0 ? eviction_plan_build(plan, snapshot->cluster, err) : code;
}

int eviction_plan_make(struct eviction_plan *plan, struct snapshot *snapshot,
                       const struct plan_request *request, struct err *err) {
        if (eviction_plan_open(plan, snapshot, request, err) < 0)
                return err->code;
        if (request->drained_count)
                begin_what_if(plan, snapshot->cluster);
        for (size_t i = 0; i < request->drained_count; i++)
                if (take_node_away(plan, request->drained[i], err) < 0)
                        return err->code;
        drain_nodes(plan, request);
        if (plan->descheduler)
                plan->report = descheduler_pass(plan->descheduler, request->now);
        eviction_plan_estimate(plan, request->now);
        return 0;
}

/* Before the what-if ends: what of the nodes it leaves different. */
static void note_loads(struct eviction_plan *plan) {
        const struct node_table *nodes = cluster_nodes(plan->cluster);
        const struct node_id *touched;

        plan->load_count = cluster_touched_list(plan->cluster, &touched);
        plan->resource_count = nodes->resource_count;
        plan->loads = ARENA_ARRAY(&plan->arena, struct changed_load, plan->load_count);
        for (size_t i = 0; i < plan->load_count; i++) {
                int64_t *requested = ARENA_ARRAY(&plan->arena, int64_t, plan->resource_count);

                for (size_t r = 0; r < plan->resource_count; r++)
                        requested[r] = nodes->resources[r].requested[touched[i].index];
                plan->loads[i] = (struct changed_load){ touched[i], requested };
        }
}

void eviction_plan_place(struct eviction_plan *plan, struct snapshot *snapshot) {
        struct cluster *cluster = snapshot->cluster;

        if (!plan->opened)
                begin_what_if(plan, cluster);
        for (size_t i = plan->drain_count; i < plan->eviction_count; i++) {
                struct planned_eviction *eviction = &plan->evictions[i];

                if (eviction->outcome == EVICT_DONE && !pod_id_is_none(eviction->pod))
                        place_evicted(plan, eviction, cluster);
                if (plan->progress)
                        plan->progress(plan->progress_context, i + 1, plan->eviction_count);
        }
        eviction_plan_measure(plan, plan->now, &plan->after);
        note_loads(plan);
        moved_claims_leave(plan->claims);
        cluster_rollback(cluster);
        plan->opened = NULL;
        plan->is_placed = true;
}

void eviction_plan_release(struct eviction_plan *plan) {
        if (plan->opened)
                cluster_rollback(plan->opened);
        descheduler_free(plan->descheduler);
        placement_simulator_free(plan->simulator);
        moved_claims_free(plan->claims);
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
