/* The choice of an explanation, and the preemption where there was none. */
#include "ask/explanation_priv.h"

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

static void put_margin(struct explainer *explainer, struct json_node *why) {
        const struct decision *decision = &explainer->decision;
        size_t chosen = place_in(decision, decision->node);
        size_t next = runner_up(decision, chosen);
        struct json_node *plugins = node_array(explainer->tree);

        node_put_i64(explainer->tree, why, "total", decision->totals[chosen]);
        if (next == decision->feasible_count)
                return;
        node_put_text(explainer->tree, why, "next",
                      explainer_node_name(explainer, decision->feasible[next]));
        node_put_i64(explainer->tree, why, "nextTotal", decision->totals[next]);
        for (size_t i = 0; i < decision->column_count; i++) {
                const struct score_column *column = &decision->columns[i];
                int64_t by = column->weighted[chosen] - column->weighted[next];

                if (by == 0)
                        continue;
                struct json_node *entry = node_object(explainer->tree);
                node_put_string(explainer->tree, entry, "plugin", column->plugin->name);
                node_put_i64(explainer->tree, entry, "by", by);
                node_append(plugins, entry);
        }
        node_put(explainer->tree, why, "plugins", plugins);
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

void explainer_put_choice(struct explainer *explainer) {
        const struct decision *decision = &explainer->decision;
        struct json_node *best = node_array(explainer->tree), *why = node_object(explainer->tree);

        if (decision->outcome != DECISION_PLACED)
                return;
        for (size_t i = 0; i < decision->best_count; i++)
                node_append(best, node_text(explainer->tree,
                                            explainer_node_name(explainer, decision->best[i])));
        node_put_text(explainer->tree, explainer->out, "chosen",
                      explainer_node_name(explainer, decision->node));
        node_put(explainer->tree, explainer->out, "best", best);
        node_put_string(explainer->tree, why, "rule", choice_rule(decision));
        if (decision->totals)
                put_margin(explainer, why);
        node_put(explainer->tree, explainer->out, "why", why);
}

/* ---- preemption ---- */

static void put_victims(struct explainer *explainer, struct json_node *object,
                        const struct preemption_candidate *chosen) {
        struct json_node *list = node_array(explainer->tree);

        node_put_text(explainer->tree, object, "node",
                      explainer_node_name(explainer, chosen->node));
        for (size_t i = 0; i < chosen->victim_count; i++) {
                struct json_node *entry = node_object(explainer->tree);

                explainer_put_pod_name(explainer, entry, "pod", chosen->victims[i]);
                node_put_i64(explainer->tree, entry, "priority",
                             cluster_pod(explainer->cluster, chosen->victims[i])->priority);
                node_append(list, entry);
        }
        node_put(explainer->tree, object, "victims", list);
        node_put_i64(explainer->tree, object, "budgetViolations", chosen->budget_violations);
}

void explainer_put_preemption(struct explainer *explainer) {
        const struct preemption *preemption = explainer->decision.preemption;

        if (!preemption)
                return;
        struct json_node *object = node_object(explainer->tree);
        node_put_i64(explainer->tree, object, "candidates", (int64_t)preemption->candidate_count);
        if (preemption->chosen) {
                put_victims(explainer, object, preemption->chosen);
                node_put_string(explainer->tree, object, "decidedBy",
                                preemption_rule_name(preemption->decided_by));
        } else if (preemption->message.len) {
                node_put_text(explainer->tree, object, "message", preemption->message);
        }
        node_put(explainer->tree, explainer->out, "preemption", object);
}
