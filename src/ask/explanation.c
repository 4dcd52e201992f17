/* The scheduler's decision on one pod as a JSON value. */
#include "ask/explanation_priv.h"

#include "ask/snapshot_input.h"
#include "plugin/sched_profile_list.h"

/* ---- the pod ---- */

static void put_pod(struct telling *telling) {
        struct json_tree *tree = telling->tree;

        telling_put_pod_name(telling, telling->out, "pod", telling->request->pod);
        node_put_string(tree, telling->out, "phase",
                        pod_phase_name((enum pod_phase)telling->row->phase));
        if (!node_id_is_none(telling->home))
                node_put_text(tree, telling->out, "node",
                              telling_node_name(telling, telling->home));
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
        telling_put_reasons(telling, object, verdict->reasons, verdict->reason_count);
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
        telling_put_choice(telling);
        put_phases(telling);
        telling_put_nodes(telling);
        telling_put_preemption(telling);
        sched_attempt_release(&telling->attempt);
}

static void explanation_tell(struct telling *telling) {
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
        explanation_tell(&telling);
        telling_put_descheduler(&telling);
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
