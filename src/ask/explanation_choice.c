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

static void put_margin(struct telling *telling, struct json_node *why) {
        const struct decision *decision = &telling->decision;
        size_t chosen = place_in(decision, decision->node);
        size_t next = runner_up(decision, chosen);
        struct json_node *plugins = node_array(telling->tree);

        node_put_i64(telling->tree, why, "total", decision->totals[chosen]);
        if (next == decision->feasible_count)
                return;
        node_put_text(telling->tree, why, "next",
                      telling_node_name(telling, decision->feasible[next]));
        node_put_i64(telling->tree, why, "nextTotal", decision->totals[next]);
        for (size_t i = 0; i < decision->column_count; i++) {
                const struct score_column *column = &decision->columns[i];
                int64_t by = column->weighted[chosen] - column->weighted[next];

                if (by == 0)
                        continue;
                struct json_node *entry = node_object(telling->tree);
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

void telling_put_choice(struct telling *telling) {
        const struct decision *decision = &telling->decision;
        struct json_node *best = node_array(telling->tree), *why = node_object(telling->tree);

        if (decision->outcome != DECISION_PLACED)
                return;
        for (size_t i = 0; i < decision->best_count; i++)
                node_append(best, node_text(telling->tree,
                                            telling_node_name(telling, decision->best[i])));
        node_put_text(telling->tree, telling->out, "chosen",
                      telling_node_name(telling, decision->node));
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

        node_put_text(telling->tree, object, "node", telling_node_name(telling, chosen->node));
        for (size_t i = 0; i < chosen->victim_count; i++) {
                struct json_node *entry = node_object(telling->tree);

                telling_put_pod_name(telling, entry, "pod", chosen->victims[i]);
                node_put_i64(telling->tree, entry, "priority",
                             cluster_pod(telling->cluster, chosen->victims[i])->priority);
                node_append(list, entry);
        }
        node_put(telling->tree, object, "victims", list);
        node_put_i64(telling->tree, object, "budgetViolations", chosen->budget_violations);
}

void telling_put_preemption(struct telling *telling) {
        const struct preemption *preemption = telling->decision.preemption;

        if (!preemption)
                return;
        struct json_node *object = node_object(telling->tree);
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
