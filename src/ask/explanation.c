/* The scheduler's decision on one pod as a JSON value. */
#include "ask/explanation_priv.h"

#include "plugin/sched_profile_list.h"

/* ---- the pod ---- */

static void put_pod(struct explainer *explainer) {
        struct json_tree *tree = explainer->tree;

        explainer_put_pod_name(explainer, explainer->out, "pod", explainer->request->pod);
        node_put_string(tree, explainer->out, "phase",
                        pod_phase_name((enum pod_phase)explainer->row->phase));
        if (!node_id_is_none(explainer->home))
                node_put_text(tree, explainer->out, "node",
                              explainer_node_name(explainer, explainer->home));
        node_put_i64(tree, explainer->out, "priority", explainer->row->priority);
        node_put_text(tree, explainer->out, "schedulerName", explainer->class->spec.scheduler_name);
        node_put_i64(tree, explainer->out, "nodeCount",
                     (int64_t)cluster_node_count(explainer->cluster));
}

/* ---- phases before the nodes ---- */

static void put_phase(struct explainer *explainer, struct json_node *list,
                      const struct phase_verdict *verdict) {
        struct json_node *object = node_object(explainer->tree);

        node_put_string(explainer->tree, object, "plugin", verdict->plugin->name);
        node_put_string(explainer->tree, object, "verdict", verdict_code_name(verdict->code));
        explainer_put_reasons(explainer, object, verdict->reasons, verdict->reason_count);
        if (verdict->only)
                node_put_i64(explainer->tree, object, "restrictsTo",
                             (int64_t)bitset_count(verdict->only));
        node_append(list, object);
}

static void put_phases(struct explainer *explainer) {
        const struct decision *decision = &explainer->decision;
        struct json_node *list = node_array(explainer->tree);

        for (size_t i = 0; i < decision->pre_filter_count; i++) {
                const struct phase_verdict *verdict = &decision->pre_filters[i];

                if (verdict->only || (verdict->code != VERDICT_OK && verdict->code != VERDICT_SKIP))
                        put_phase(explainer, list, verdict);
        }
        if (decision->outcome == DECISION_GATED)
                put_phase(explainer, list, &decision->gate);
        node_put(explainer->tree, explainer->out, "beforeNodes", list);
}

/* ---- the whole ---- */

static void report_decision(struct explainer *explainer) {
        const struct explanation_request *request = explainer->request;

        scheduler_decide(explainer->cluster, explainer->profile,
                         &(struct decision_request){ .pod = request->pod,
                                                     .wants = DECIDE_GATES | DECIDE_VERDICTS |
                                                              DECIDE_SCORES | DECIDE_POST_FILTER,
                                                     .is_parity = request->is_parity,
                                                     .now = request->now },
                         &explainer->arena, &explainer->decision);
        sched_attempt_init(&explainer->attempt,
                           &(struct attempt_request){ .cluster = explainer->cluster,
                                                      .profile = explainer->profile,
                                                      .pod = request->pod,
                                                      .now = request->now,
                                                      .arena = &explainer->arena });
        explainer->has_obstacles = cluster_node_count(explainer->cluster) > 0 &&
                                   sched_attempt_pre_filter(&explainer->attempt) == VERDICT_OK;
        node_put_string(explainer->tree, explainer->out, "decision",
                        decision_outcome_name(explainer->decision.outcome));
        if (explainer->decision.message.len)
                node_put_text(explainer->tree, explainer->out, "message",
                              explainer->decision.message);
        explainer_put_choice(explainer);
        put_phases(explainer);
        explainer_put_nodes(explainer);
        explainer_put_preemption(explainer);
        sched_attempt_release(&explainer->attempt);
}

static void explanation_report(struct explainer *explainer) {
        if (pod_row_is_finished(explainer->row)) {
                node_put_string(explainer->tree, explainer->out, "decision", "finished");
                return;
        }
        if (!explainer->profile) {
                node_put_string(explainer->tree, explainer->out, "decision", "noProfile");
                node_put_text(explainer->tree, explainer->out, "message",
                              SLICE_LITERAL("no profile has the pod's schedulerName"));
                return;
        }
        cluster_checkpoint(explainer->cluster);
        cluster_withdraw(explainer->cluster, explainer->request->pod);
        report_decision(explainer);
        cluster_rollback(explainer->cluster);
}

struct json_node *explanation_make(const struct explanation_request *request,
                                   struct json_tree *tree) {
        struct cluster *cluster = request->cluster;
        const struct pod_row *row = cluster_pod(cluster, request->pod);
        struct explainer explainer = { .request = request,
                                       .cluster = cluster,
                                       .row = row,
                                       .class = cluster_class(cluster, row->class),
                                       .home = row->node,
                                       .tree = tree,
                                       .out = node_object(tree) };

        arena_init(&explainer.arena, 0);
        explainer.profile =
                sched_profile_list_find(request->profiles, explainer.class->spec.scheduler_name);
        put_pod(&explainer);
        explanation_report(&explainer);
        explainer_put_descheduler(&explainer);
        arena_release(&explainer.arena);
        return explainer.out;
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
