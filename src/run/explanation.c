/* The scheduler's decision on one pod as a JSON value. */
#include "run/explanation.h"

#include "base/util.h"
#include "desched/descheduler.h"
#include "plugin/sched_profile_list.h"
#include "rules/fit.h"
#include "run/eviction_plan.h"
#include "run/obstacles.h"
#include "run/snapshot_input.h"
#include "sched/decision.h"

struct telling {
        const struct explanation_request *request;
        struct cluster *cluster;
        const struct sched_profile *profile;
        const struct pod_row *row;
        const struct pod_class *class;
        struct node_id home; /* of a pod that runs */
        struct arena arena;
        struct sched_attempt attempt; /* for the obstacles */
        bool has_obstacles;
        struct decision decision;
        struct json_tree *tree;
        struct json_node *out;
};

static void put_reasons(struct telling *telling, struct json_node *object,
                        const struct slice *reasons, size_t count) {
        struct json_node *list = node_array(telling->tree);

        for (size_t i = 0; i < count; i++)
                node_append(list, node_text(telling->tree, reasons[i]));
        node_put(telling->tree, object, "reasons", list);
}

static struct slice node_name(const struct telling *telling, struct node_id node) {
        return cluster_node_name(telling->cluster, node);
}

static void put_pod_name(struct telling *telling, struct json_node *object, const char *key,
                         struct pod_id pod) {
        const struct pod_row *row = cluster_pod(telling->cluster, pod);

        node_put_string(telling->tree, object, key,
                        arena_printf(&telling->arena, SLICE_FMT "/%s",
                                     SLICE_ARG(cluster_text(telling->cluster, row->ns)),
                                     row->name));
}

/* ---- the pod ---- */

static void put_pod(struct telling *telling) {
        struct json_tree *tree = telling->tree;

        put_pod_name(telling, telling->out, "pod", telling->request->pod);
        node_put_string(tree, telling->out, "phase",
                        pod_phase_name((enum pod_phase)telling->row->phase));
        if (!node_id_is_none(telling->home))
                node_put_text(tree, telling->out, "node", node_name(telling, telling->home));
        node_put_i64(tree, telling->out, "priority", telling->row->priority);
        node_put_text(tree, telling->out, "schedulerName", telling->class->spec.scheduler_name);
        node_put_i64(tree, telling->out, "nodeCount",
                     (int64_t)cluster_node_count(telling->cluster));
}

/* ---- phases before the nodes ---- */

static void put_phase(struct telling *telling, struct json_node *list,
                      const struct phase_verdict *verdict) {
        struct json_node *object = node_object(telling->tree);

        node_put_string(telling->tree, object, "plugin", verdict->plugin->name);
        node_put_string(telling->tree, object, "verdict", verdict_code_name(verdict->code));
        put_reasons(telling, object, verdict->reasons, verdict->reason_count);
        if (verdict->only)
                node_put_i64(telling->tree, object, "restrictsTo",
                             (int64_t)bitset_count(verdict->only));
        node_append(list, object);
}

static void put_phases(struct telling *telling) {
        const struct decision *decision = &telling->decision;
        struct json_node *list = node_array(telling->tree);

        for (size_t i = 0; i < decision->pre_filter_count; i++) {
                const struct phase_verdict *verdict = &decision->pre_filters[i];

                if (verdict->only || (verdict->code != VERDICT_OK && verdict->code != VERDICT_SKIP))
                        put_phase(telling, list, verdict);
        }
        if (decision->outcome == DECISION_GATED)
                put_phase(telling, list, &decision->gate);
        node_put(telling->tree, telling->out, "beforeNodes", list);
}

/* ---- nodes ---- */

static void put_room(struct telling *telling, struct json_node *object, struct node_id node) {
        const struct node_table *nodes = cluster_nodes(telling->cluster);
        struct json_node *list = node_array(telling->tree);

        for (size_t i = 0; i < telling->class->request_count; i++) {
                const struct resource_request *request = &telling->class->requests[i];
                struct json_node *entry = node_object(telling->tree);
                int64_t all = nodes->resources[request->resource.index].allocatable[node.index];

                node_put_text(telling->tree, entry, "resource",
                              cluster_resource_name(telling->cluster, request->resource));
                node_put_text(telling->tree, entry, "requested",
                              resource_text(&telling->arena, request->resource, request->amount));
                node_put_text(telling->tree, entry, "free",
                              resource_text(&telling->arena, request->resource,
                                            node_free(telling->cluster, node, request->resource)));
                node_put_text(telling->tree, entry, "allocatable",
                              resource_text(&telling->arena, request->resource, all));
                node_append(list, entry);
        }
        node_put(telling->tree, object, "resources", list);
}

static void put_obstacles(struct telling *telling, struct json_node *object,
                          const struct obstacle_list *obstacles) {
        struct json_tree *tree = telling->tree;
        struct json_node *list = node_array(tree);

        for (size_t i = 0; i < obstacles->count; i++) {
                const struct obstacle *obstacle = &obstacles->items[i];
                struct json_node *entry = node_object(tree), *changes = node_array(tree);

                if (obstacle->plugin)
                        node_put_string(tree, entry, "plugin", obstacle->plugin->name);
                node_put_string(tree, entry, "verdict", verdict_code_name(obstacle->code));
                put_reasons(telling, entry, obstacle->reasons, obstacle->reason_count);
                for (size_t j = 0; j < obstacle->change_count; j++) {
                        const struct obstacle_change *change = &obstacle->changes[j];
                        struct json_node *item = node_object(tree);

                        if (change->on_node.len)
                                node_put_text(tree, item, "onNode", change->on_node);
                        if (change->on_pod.len)
                                node_put_text(tree, item, "onPod", change->on_pod);
                        if (node_count(item))
                                node_append(changes, item);
                }
                node_put(tree, entry, "changes", changes);
                node_append(list, entry);
        }
        node_put(tree, object, "obstacles", list);
}

static struct json_node *refused_node(struct telling *telling, const struct node_refusal *refusal,
                                      int64_t *ret_cost) {
        struct json_tree *tree = telling->tree;
        struct json_node *object = node_object(tree);
        struct obstacle_list obstacles = { 0 };

        node_put_text(tree, object, "node", node_name(telling, refusal->node));
        node_put_bool(tree, object, "fits", false);
        if (refusal->plugin)
                node_put_string(tree, object, "plugin", refusal->plugin->name);
        node_put_string(tree, object, "verdict", verdict_code_name(refusal->code));
        put_reasons(telling, object, refusal->reasons, refusal->reason_count);
        put_room(telling, object, refusal->node);
        if (telling->has_obstacles)
                obstacles_find(&telling->attempt, refusal->node, &obstacles);
        put_obstacles(telling, object, &obstacles);
        *ret_cost = obstacles.count ? obstacles.cost : INT64_MAX;
        return object;
}

static void put_scores(struct telling *telling, struct json_node *object, size_t at) {
        const struct decision *decision = &telling->decision;
        struct json_node *list = node_array(telling->tree);

        for (size_t i = 0; i < decision->column_count; i++) {
                const struct score_column *column = &decision->columns[i];
                struct json_node *entry = node_object(telling->tree);

                node_put_string(telling->tree, entry, "plugin", column->plugin->name);
                node_put_i64(telling->tree, entry, "weight", column->weight);
                node_put_i64(telling->tree, entry, "raw", column->raw[at]);
                node_put_i64(telling->tree, entry, "score", column->weighted[at]);
                node_append(list, entry);
        }
        node_put(telling->tree, object, "scores", list);
        if (decision->totals)
                node_put_i64(telling->tree, object, "total", decision->totals[at]);
}

static struct json_node *feasible_node(struct telling *telling, size_t at) {
        struct json_node *object = node_object(telling->tree);
        struct node_id node = telling->decision.feasible[at];

        node_put_text(telling->tree, object, "node", node_name(telling, node));
        node_put_bool(telling->tree, object, "fits", true);
        put_scores(telling, object, at);
        put_room(telling, object, node);
        return object;
}

/* ---- near misses ---- */

struct miss {
        struct json_node *node;
        int64_t cost;
};

static void keep_miss(struct miss *nearest, struct json_node *node, int64_t cost) {
        size_t at = EXPLANATION_NEAREST;

        while (at > 0 && (!nearest[at - 1].node || cost < nearest[at - 1].cost))
                at--;
        if (at == EXPLANATION_NEAREST)
                return;
        memmove(&nearest[at + 1], &nearest[at],
                (EXPLANATION_NEAREST - at - 1) * sizeof(nearest[0]));
        nearest[at] = (struct miss){ node, cost };
}

/* The changes of all obstacles of a node in a row; false when some obstacle knows none. */
static bool join_changes(const struct json_node *node, const char *key, struct buf *text) {
        struct node_iter obstacles = node_iter(node_get(node, "obstacles"));
        struct json_node *obstacle, *change;

        while (node_next(&obstacles, NULL, &obstacle)) {
                struct node_iter changes = node_iter(node_get(obstacle, "changes"));

                if (node_count(node_get(obstacle, "changes")) == 0)
                        return false;
                while (node_next(&changes, NULL, &change)) {
                        struct slice one = node_get_text(change, key);

                        if (!one.len)
                                return false;
                        if (slice_contains(buf_view(text), one)) /* two obstacles, one cause */
                                continue;
                        buf_printf(text, "%s" SLICE_FMT, text->len ? "; " : "", SLICE_ARG(one));
                }
        }
        return text->len > 0;
}

static void put_misses(struct telling *telling, const struct miss *nearest) {
        struct json_node *list = node_array(telling->tree);

        for (size_t i = 0; i < EXPLANATION_NEAREST && nearest[i].node; i++) {
                CLEANUP(buf_release) struct buf node = { 0 };
                CLEANUP(buf_release) struct buf pod = { 0 };
                struct json_node *entry = node_object(telling->tree);

                node_put_text(telling->tree, entry, "node", node_get_text(nearest[i].node, "node"));
                if (join_changes(nearest[i].node, "onNode", &node))
                        node_put_text(telling->tree, entry, "onNode", buf_view(&node));
                if (join_changes(nearest[i].node, "onPod", &pod))
                        node_put_text(telling->tree, entry, "onPod", buf_view(&pod));
                if (node_count(entry) > 1)
                        node_append(list, entry);
        }
        node_put(telling->tree, telling->out, "nearest", list);
}

static void put_nodes(struct telling *telling) {
        const struct decision *decision = &telling->decision;
        struct json_node *list = node_array(telling->tree);
        struct miss nearest[EXPLANATION_NEAREST + 1] = { 0 };

        for (size_t i = 0; decision->feasible && i < decision->feasible_count; i++)
                node_append(list, feasible_node(telling, i));
        for (size_t i = 0; i < decision->refusal_count; i++) {
                int64_t cost;
                struct json_node *node = refused_node(telling, &decision->refusals[i], &cost);

                node_append(list, node);
                if (cost < INT64_MAX)
                        keep_miss(nearest, node, cost);
        }
        node_put(telling->tree, telling->out, "nodes", list);
        if (decision->outcome == DECISION_UNSCHEDULABLE)
                put_misses(telling, nearest);
}

/* ---- the choice ---- */

static size_t place_in(const struct decision *decision, struct node_id node) {
        size_t at = 0;

        while (at < decision->feasible_count && decision->feasible[at].index != node.index)
                at++;
        return at;
}

/* The best node that was not as good as the chosen one; feasible_count when there is none. */
static size_t runner_up(const struct decision *decision, size_t chosen) {
        size_t next = decision->feasible_count;

        for (size_t i = 0; i < decision->feasible_count; i++)
                if (decision->totals[i] < decision->totals[chosen] &&
                    (next == decision->feasible_count ||
                     decision->totals[i] > decision->totals[next]))
                        next = i;
        return next;
}

static void put_margin(struct telling *telling, struct json_node *why) {
        const struct decision *decision = &telling->decision;
        size_t chosen = place_in(decision, decision->node);
        size_t next = runner_up(decision, chosen);
        struct json_node *plugins = node_array(telling->tree);

        node_put_i64(telling->tree, why, "total", decision->totals[chosen]);
        if (next == decision->feasible_count)
                return;
        node_put_text(telling->tree, why, "next", node_name(telling, decision->feasible[next]));
        node_put_i64(telling->tree, why, "nextTotal", decision->totals[next]);
        for (size_t i = 0; i < decision->column_count; i++) {
                const struct score_column *column = &decision->columns[i];
                int64_t by = column->weighted[chosen] - column->weighted[next];
                struct json_node *entry;

                if (by == 0)
                        continue;
                entry = node_object(telling->tree);
                node_put_string(telling->tree, entry, "plugin", column->plugin->name);
                node_put_i64(telling->tree, entry, "by", by);
                node_append(plugins, entry);
        }
        node_put(telling->tree, why, "plugins", plugins);
}

static const char *choice_rule(const struct decision *decision) {
        if (decision->took_nominated)
                return "nominated";
        if (decision->feasible_count == 1)
                return "onlyOne";
        if (decision->is_first_fit)
                return "nothingScores";
        return decision->best_count > 1 ? "tie" : "highestTotal";
}

static void put_choice(struct telling *telling) {
        const struct decision *decision = &telling->decision;
        struct json_node *best = node_array(telling->tree), *why = node_object(telling->tree);

        if (decision->outcome != DECISION_PLACED)
                return;
        for (size_t i = 0; i < decision->best_count; i++)
                node_append(best, node_text(telling->tree, node_name(telling, decision->best[i])));
        node_put_text(telling->tree, telling->out, "chosen", node_name(telling, decision->node));
        node_put(telling->tree, telling->out, "best", best);
        node_put_string(telling->tree, why, "rule", choice_rule(decision));
        if (decision->totals)
                put_margin(telling, why);
        node_put(telling->tree, telling->out, "why", why);
}

/* ---- preemption ---- */

static void put_victims(struct telling *telling, struct json_node *object,
                        const struct preemption_candidate *chosen) {
        struct json_node *list = node_array(telling->tree);

        node_put_text(telling->tree, object, "node", node_name(telling, chosen->node));
        for (size_t i = 0; i < chosen->victim_count; i++) {
                struct json_node *entry = node_object(telling->tree);

                put_pod_name(telling, entry, "pod", chosen->victims[i]);
                node_put_i64(telling->tree, entry, "priority",
                             cluster_pod(telling->cluster, chosen->victims[i])->priority);
                node_append(list, entry);
        }
        node_put(telling->tree, object, "victims", list);
        node_put_i64(telling->tree, object, "budgetViolations", chosen->budget_violations);
}

static void put_preemption(struct telling *telling) {
        const struct preemption *preemption = telling->decision.preemption;
        struct json_node *object;

        if (!preemption)
                return;
        object = node_object(telling->tree);
        node_put_i64(telling->tree, object, "candidates", (int64_t)preemption->candidate_count);
        if (preemption->chosen) {
                put_victims(telling, object, preemption->chosen);
                node_put_string(telling->tree, object, "decidedBy",
                                preemption_rule_name(preemption->decided_by));
        } else if (preemption->message.len) {
                node_put_text(telling->tree, object, "message", preemption->message);
        }
        node_put(telling->tree, telling->out, "preemption", object);
}

/* ---- the descheduler ---- */

static void put_evictions(struct telling *telling, struct json_node *object) {
        const struct eviction_plan *plan = telling->request->plan;
        struct json_node *list = node_array(telling->tree);
        bool is_evicted = false;

        for (size_t i = 0; i < plan->eviction_count; i++) {
                const struct planned_eviction *eviction = &plan->evictions[i];
                struct json_node *entry;

                if (eviction->pod.index != telling->request->pod.index)
                        continue;
                entry = node_object(telling->tree);
                node_put_text(telling->tree, entry, "profile", eviction->profile);
                node_put_text(telling->tree, entry, "plugin", eviction->plugin);
                if (eviction->reason.len)
                        node_put_text(telling->tree, entry, "reason", eviction->reason);
                node_put_string(telling->tree, entry, "outcome",
                                evict_outcome_text(eviction->outcome));
                node_append(list, entry);
                is_evicted |= eviction->outcome == EVICT_DONE;
        }
        node_put_bool(telling->tree, object, "evicts", is_evicted);
        node_put(telling->tree, object, "rules", list);
}

static void put_spared(struct telling *telling, struct json_node *object) {
        const struct eviction_plan *plan = telling->request->plan;
        struct json_node *list = node_array(telling->tree);

        for (size_t i = 0; i < plan->spared_count; i++) {
                const struct spared_pod *spared = &plan->spared[i];
                struct json_node *entry;

                if (spared->pod.index != telling->request->pod.index)
                        continue;
                entry = node_object(telling->tree);
                node_put_text(telling->tree, entry, "profile", spared->profile);
                node_put_text(telling->tree, entry, "plugin", spared->plugin);
                node_put_text(telling->tree, entry, "reasons", spared->reasons);
                node_append(list, entry);
        }
        node_put(telling->tree, object, "spared", list);
}

/* Whatever rules say: what the profiles' filters hold against an eviction. */
static void put_filters(struct telling *telling, struct json_node *object) {
        CLEANUP(buf_release) struct buf text = { 0 };
        struct json_node *list = node_array(telling->tree);
        struct slice rest, line;

        descheduler_explain(telling->request->plan->descheduler, telling->request->now,
                            telling->request->pod, &text);
        rest = buf_view(&text);
        while (slice_split(&rest, '\n', &line))
                if (line.len)
                        node_append(list, node_text(telling->tree, line));
        node_put(telling->tree, object, "filters", list);
}

static void put_descheduler(struct telling *telling) {
        struct json_node *object;

        if (!telling->request->plan || node_id_is_none(telling->home))
                return;
        object = node_object(telling->tree);
        put_evictions(telling, object);
        put_spared(telling, object);
        put_filters(telling, object);
        node_put(telling->tree, telling->out, "descheduler", object);
}

/* ---- the whole ---- */

static void tell_decision(struct telling *telling) {
        const struct explanation_request *request = telling->request;

        scheduler_decide(telling->cluster, telling->profile,
                         &(struct decision_request){ .pod = request->pod,
                                                     .wants = DECIDE_GATES | DECIDE_VERDICTS |
                                                              DECIDE_SCORES | DECIDE_POST_FILTER,
                                                     .is_parity = request->is_parity,
                                                     .now = request->now },
                         &telling->arena, &telling->decision);
        sched_attempt_init(&telling->attempt,
                           &(struct attempt_request){ .cluster = telling->cluster,
                                                      .profile = telling->profile,
                                                      .pod = request->pod,
                                                      .now = request->now,
                                                      .arena = &telling->arena });
        telling->has_obstacles = cluster_node_count(telling->cluster) > 0 &&
                                 sched_attempt_pre_filter(&telling->attempt) == VERDICT_OK;
        node_put_string(telling->tree, telling->out, "decision",
                        decision_outcome_name(telling->decision.outcome));
        if (telling->decision.message.len)
                node_put_text(telling->tree, telling->out, "message", telling->decision.message);
        put_choice(telling);
        put_phases(telling);
        put_nodes(telling);
        put_preemption(telling);
        sched_attempt_release(&telling->attempt);
}

static void tell(struct telling *telling) {
        if (pod_row_is_finished(telling->row)) {
                node_put_string(telling->tree, telling->out, "decision", "finished");
                return;
        }
        if (!telling->profile) {
                node_put_string(telling->tree, telling->out, "decision", "noProfile");
                node_put_text(telling->tree, telling->out, "message",
                              SLICE_LITERAL("no profile has the pod's schedulerName"));
                return;
        }
        cluster_checkpoint(telling->cluster);
        cluster_withdraw(telling->cluster, telling->request->pod);
        tell_decision(telling);
        cluster_rollback(telling->cluster);
}

struct json_node *explanation_make(const struct explanation_request *request,
                                   struct json_tree *tree) {
        struct cluster *cluster = request->snapshot->cluster;
        const struct pod_row *row = cluster_pod(cluster, request->pod);
        struct telling telling = { .request = request,
                                   .cluster = cluster,
                                   .row = row,
                                   .class = cluster_class(cluster, row->class),
                                   .home = row->node,
                                   .tree = tree,
                                   .out = node_object(tree) };

        arena_init(&telling.arena, 0);
        telling.profile =
                sched_profile_list_find(request->profiles, telling.class->spec.scheduler_name);
        put_pod(&telling);
        tell(&telling);
        put_descheduler(&telling);
        arena_release(&telling.arena);
        return telling.out;
}

bool explanation_meets(const struct json_node *explanation, struct slice expected) {
        struct node_iter best = node_iter(node_get(explanation, "best"));
        struct json_node *name;

        if (slice_is(expected, "pending"))
                return !node_get(explanation, "chosen");
        while (node_next(&best, NULL, &name))
                if (slice_eq(node_get_slice(name), expected))
                        return true;
        return false;
}
