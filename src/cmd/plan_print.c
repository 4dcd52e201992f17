/* Eviction plans as values and as text. */
#include "cmd/plan_print.h"

#include "ask/eviction_plan.h"
#include "base/time.h"
#include "cmd/text_table.h"
#include "desched/descheduler.h"
#include <math.h>

/* ---- values ---- */

static void put_landing(const struct eviction_plan *plan, const struct planned_eviction *eviction,
                        struct json_tree *tree, struct json_node *entry) {
        if (!eviction->has_landing)
                return;
        if (node_id_is_none(eviction->landing))
                node_put(tree, entry, "landing", node_null(tree));
        else
                node_put_text(tree, entry, "landing",
                              cluster_node_name(plan->cluster, eviction->landing));
        if (eviction->has_gain)
                node_put_i64(tree, entry, "gain", eviction->gain);
}

/* Seconds: the median and the 95th percentile of what its stages took before. */
static void put_cost(const struct planned_eviction *eviction, struct json_tree *tree,
                     struct json_node *entry) {
        if (!eviction->has_cost)
                return;
        struct json_node *cost = node_object(tree);
        node_put_i64(tree, cost, "p50Seconds", eviction->cost.p50_ns / NS_PER_S);
        node_put_i64(tree, cost, "p95Seconds", eviction->cost.p95_ns / NS_PER_S);
        node_put_i64(tree, cost, "samples", (int64_t)eviction->cost.count);
        node_put(tree, entry, "cost", cost);
}

static struct json_node *eviction_value(const struct eviction_plan *plan,
                                        const struct planned_eviction *eviction,
                                        struct json_tree *tree) {
        struct json_node *entry = node_object(tree);

        node_put_text(tree, entry, "namespace", eviction->ns);
        node_put_text(tree, entry, "name", eviction->name);
        node_put_text(tree, entry, "node", eviction->node);
        node_put_text(tree, entry, "profile", eviction->profile);
        node_put_text(tree, entry, "plugin", eviction->plugin);
        if (eviction->reason.len)
                node_put_text(tree, entry, "reason", eviction->reason);
        if (eviction->outcome != EVICT_DONE)
                node_put_text(tree, entry, "keptBy", planned_eviction_outcome_text(eviction));
        if (eviction->budget.len)
                node_put_text(tree, entry, "budget", eviction->budget);
        put_landing(plan, eviction, tree, entry);
        put_cost(eviction, tree, entry);
        return entry;
}

static struct json_node *evictions_value(const struct eviction_plan *plan, bool are_done,
                                         struct json_tree *tree) {
        struct json_node *list = node_array(tree);

        for (size_t i = 0; i < plan->eviction_count; i++)
                if ((plan->evictions[i].outcome == EVICT_DONE) == are_done)
                        node_append(list, eviction_value(plan, &plan->evictions[i], tree));
        return list;
}

/* Why pods stay, and when the first will be old enough. */
static void put_why(const struct desched_rule_report *rule, struct json_tree *tree,
                    struct json_node *entry) {
        struct json_node *causes = node_array(tree);
        char due[WALL_TIME_TEXT_MAX];

        for (size_t i = 0; i < rule->cause_count; i++) {
                struct json_node *cause = node_object(tree);

                node_put_text(tree, cause, "cause", rule->causes[i].text);
                node_put_i64(tree, cause, "pods", rule->causes[i].count);
                node_append(causes, cause);
        }
        node_put(tree, entry, "sparedBy", causes);
        node_put_i64(tree, entry, "tooYoung", rule->young_count);
        if (rule->has_due) {
                wall_time_format(rule->due, due);
                node_put_string(tree, entry, "due", due);
        }
        if (rule->idle.len)
                node_put_text(tree, entry, "idle", rule->idle);
}

static struct json_node *rules_value(const struct eviction_plan *plan, struct json_tree *tree) {
        struct json_node *list = node_array(tree);

        for (size_t i = 0; i < plan->report->rule_count; i++) {
                const struct desched_rule_report *rule = &plan->report->rules[i];
                struct json_node *entry = node_object(tree);

                node_put_text(tree, entry, "profile", rule->profile);
                node_put_text(tree, entry, "plugin", rule->plugin);
                node_put_string(tree, entry, "point", rule->is_balance ? "balance" : "deschedule");
                node_put_i64(tree, entry, "evicted", rule->evicted);
                node_put_i64(tree, entry, "limited", rule->limited);
                node_put_i64(tree, entry, "refused", rule->refused);
                node_put_i64(tree, entry, "spared", rule->spared);
                put_why(rule, tree, entry);
                if (plan->after.wanted) {
                        node_put_i64(tree, entry, "wantedBefore", plan->before.wanted[i]);
                        node_put_i64(tree, entry, "wantedAfter", plan->after.wanted[i]);
                }
                if (rule->code != BERTH_OK)
                        node_put_string(tree, entry, "error", rule->text);
                node_append(list, entry);
        }
        return list;
}

static struct json_node *spared_value(const struct eviction_plan *plan, struct json_tree *tree) {
        struct json_node *list = node_array(tree);

        for (size_t i = 0; i < plan->spared_count; i++) {
                const struct spared_pod *spared = &plan->spared[i];
                struct json_node *entry = node_object(tree);

                node_put_text(tree, entry, "namespace", spared->ns);
                node_put_text(tree, entry, "name", spared->name);
                node_put_text(tree, entry, "profile", spared->profile);
                node_put_text(tree, entry, "plugin", spared->plugin);
                node_put_text(tree, entry, "reasons", spared->reasons);
                node_append(list, entry);
        }
        return list;
}

/* Hundredths are enough. */
static struct json_node *percent_value(double percent, struct json_tree *tree) {
        return node_f64(tree, round(percent * 100) / 100);
}

static struct json_node *spread_value(const struct load_spread *spread, struct json_tree *tree) {
        struct json_node *entry = node_object(tree);

        node_put(tree, entry, "mean", percent_value(spread->mean, tree));
        node_put(tree, entry, "deviation", percent_value(spread->deviation, tree));
        node_put(tree, entry, "least", percent_value(spread->least, tree));
        node_put(tree, entry, "most", percent_value(spread->most, tree));
        return entry;
}

static struct json_node *state_value(const struct plan_state *state, struct json_tree *tree) {
        struct json_node *entry = node_object(tree), *utilisation = node_object(tree);

        for (size_t kind = 0; kind < LOAD_KIND_COUNT; kind++)
                node_put(tree, utilisation, load_kind_names[kind],
                         spread_value(&state->balance.spread[kind], tree));
        node_put(tree, entry, "utilisation", utilisation);
        node_put_i64(tree, entry, "wanted", (int64_t)state->wanted_sum);
        node_put_i64(tree, entry, "pending", (int64_t)state->pending);
        return entry;
}

struct json_node *plan_value(const struct eviction_plan *plan, const struct plan_view *view,
                             struct json_tree *tree) {
        struct json_node *root = node_object(tree);

        node_put_i64(tree, root, "nodes", (int64_t)plan->report->node_count);
        node_put_bool(tree, root, "isSkipped", plan->report->is_skipped);
        node_put(tree, root, "evictions", evictions_value(plan, true, tree));
        node_put(tree, root, "kept", evictions_value(plan, false, tree));
        node_put(tree, root, "rules", rules_value(plan, tree));
        if (plan->is_placed) {
                node_put(tree, root, "before", state_value(&plan->before, tree));
                node_put(tree, root, "after", state_value(&plan->after, tree));
        }
        if (view->shows_spared)
                node_put(tree, root, "spared", spared_value(plan, tree));
        return root;
}

/* ---- text ---- */

static const char *text_of(const struct plan_view *view, struct slice text) {
        return arena_string(view->arena, text);
}

static const char *pod_text(const struct plan_view *view, struct slice ns, struct slice name) {
        return arena_printf(view->arena, SLICE_FMT "/" SLICE_FMT, SLICE_ARG(ns), SLICE_ARG(name));
}

static const char *landing_text(const struct eviction_plan *plan, const struct plan_view *view,
                                const struct planned_eviction *eviction) {
        if (!eviction->has_landing)
                return "-";
        if (node_id_is_none(eviction->landing))
                return "pending";
        struct slice name = cluster_node_name(plan->cluster, eviction->landing);
        return eviction->has_gain ? arena_printf(view->arena, SLICE_FMT " (%+lld)", SLICE_ARG(name),
                                                 (long long)eviction->gain)
                                  : text_of(view, name);
}

/* "1m35s (p95 3m)", or with "never seen" by the timeouts alone. */
static const char *cost_text(const struct plan_view *view,
                             const struct planned_eviction *eviction) {
        char median[DURATION_TEXT_MAX], worst[DURATION_TEXT_MAX];

        if (!eviction->has_cost)
                return "-";
        duration_format_human(eviction->cost.p50_ns, median);
        duration_format_human(eviction->cost.p95_ns, worst);
        return arena_printf(view->arena, "%s (p95 %s%s)", median, worst,
                            eviction->cost.count ? "" : ", never seen");
}

static const char *stay_text(const struct plan_view *view,
                             const struct planned_eviction *eviction) {
        struct slice text = planned_eviction_outcome_text(eviction);

        return eviction->budget.len ? arena_printf(view->arena, SLICE_FMT " " SLICE_FMT,
                                                   SLICE_ARG(text), SLICE_ARG(eviction->budget))
                                    : text_of(view, text);
}

static void add_eviction(const struct eviction_plan *plan, const struct plan_view *view,
                         const struct planned_eviction *eviction, struct text_table *table) {
        size_t column = 0;

        text_table_add_row(table);
        text_table_set(table, column++, pod_text(view, eviction->ns, eviction->name));
        text_table_set(table, column++, text_of(view, eviction->node));
        text_table_set(table, column++,
                       eviction->outcome == EVICT_DONE ? landing_text(plan, view, eviction)
                                                       : stay_text(view, eviction));
        if (plan->has_costs)
                text_table_set(table, column++, cost_text(view, eviction));
        text_table_set(table, column++, text_of(view, eviction->plugin));
        text_table_set(table, column, text_of(view, eviction->reason));
}

/* What evictions take is shown where it is known of some. */
static const char *const *heads_of(const struct eviction_plan *plan, bool are_done) {
        static const char *const heads[2][2][7] = {
                { { "POD", "NODE", "KEPT BY", "RULE", "REASON", NULL },
                  { "POD", "NODE", "KEPT BY", "TAKES", "RULE", "REASON", NULL } },
                { { "POD", "FROM", "LANDS ON", "RULE", "REASON", NULL },
                  { "POD", "FROM", "LANDS ON", "TAKES", "RULE", "REASON", NULL } },
        };

        return heads[are_done][plan->has_costs];
}

static void print_evictions(const struct eviction_plan *plan, const struct plan_view *view,
                            bool are_done, struct buf *out) {
        struct text_table table;

        text_table_init(&table, view->arena, heads_of(plan, are_done));
        for (size_t i = 0; i < plan->eviction_count; i++)
                if ((plan->evictions[i].outcome == EVICT_DONE) == are_done)
                        add_eviction(plan, view, &plan->evictions[i], &table);
        if (table.row_count == 1)
                return;
        buf_text(out, are_done ? "" : "Kept by limits, budgets and policies:\n");
        text_table_write(&table, "  ", out);
        buf_char(out, '\n');
}

static void print_rules(const struct eviction_plan *plan, const struct plan_view *view,
                        struct buf *out) {
        static const char *const heads[] = { "PROFILE", "RULE",   "EVICTED", "LIMITED",
                                             "REFUSED", "SPARED", "ERROR",   NULL };
        struct text_table table;

        text_table_init(&table, view->arena, heads);
        for (size_t i = 0; i < plan->report->rule_count; i++) {
                const struct desched_rule_report *rule = &plan->report->rules[i];
                const uint32_t numbers[] = { rule->evicted, rule->limited, rule->refused,
                                             rule->spared };

                text_table_add_row(&table);
                text_table_set(&table, 0, text_of(view, rule->profile));
                text_table_set(&table, 1, text_of(view, rule->plugin));
                for (size_t j = 0; j < 4; j++)
                        text_table_set(&table, 2 + j, arena_printf(view->arena, "%u", numbers[j]));
                text_table_set(&table, 6, rule->code != BERTH_OK ? rule->text : "");
        }
        text_table_write(&table, "  ", out);
}

/* With its profile where several have it. */
static const char *rule_text(const struct eviction_plan *plan, const struct plan_view *view,
                             const struct desched_rule_report *rule) {
        size_t count = 0;

        for (size_t i = 0; i < plan->report->rule_count; i++)
                count += slice_eq(plan->report->rules[i].plugin, rule->plugin);
        return count == 1 ? text_of(view, rule->plugin)
                          : arena_printf(view->arena, SLICE_FMT " of " SLICE_FMT,
                                         SLICE_ARG(rule->plugin), SLICE_ARG(rule->profile));
}

/* Rules that evict something speak for themselves. */
static void print_idle_rules(const struct eviction_plan *plan, const struct plan_view *view,
                             struct buf *out) {
        static const char *const heads[] = { "NOTHING EVICTED BY", "WHY", NULL };
        struct text_table table;

        text_table_init(&table, view->arena, heads);
        for (size_t i = 0; i < plan->report->rule_count; i++) {
                CLEANUP(buf_release) struct buf why = { 0 };
                struct slice rest, cause;
                bool is_first = true;

                desched_rule_explain(&plan->report->rules[i], plan->now, &why);
                for (rest = buf_view(&why); slice_split(&rest, ';', &cause); is_first = false) {
                        text_table_add_row(&table);
                        if (is_first)
                                text_table_set(&table, 0,
                                               rule_text(plan, view, &plan->report->rules[i]));
                        text_table_set(&table, 1, text_of(view, slice_trim(cause)));
                }
        }
        if (table.row_count == 1)
                return;
        buf_char(out, '\n');
        text_table_write(&table, "  ", out);
}

static void print_spared(const struct eviction_plan *plan, const struct plan_view *view,
                         struct buf *out) {
        static const char *const heads[] = { "POD", "RULE", "SPARED BECAUSE", NULL };
        struct text_table table;

        text_table_init(&table, view->arena, heads);
        for (size_t i = 0; i < plan->spared_count; i++) {
                const struct spared_pod *spared = &plan->spared[i];

                text_table_add_row(&table);
                text_table_set(&table, 0, pod_text(view, spared->ns, spared->name));
                text_table_set(&table, 1, text_of(view, spared->plugin));
                text_table_set(&table, 2, text_of(view, spared->reasons));
        }
        buf_char(out, '\n');
        text_table_write(&table, "  ", out);
}

static const char *spread_text(const struct plan_view *view, const struct load_spread *spread) {
        return arena_printf(view->arena, "%.0f%% .. %.0f%%, deviation %.1f", spread->least,
                            spread->most, spread->deviation);
}

static void add_state_row(struct text_table *table, const char *what, const char *before,
                          const char *after) {
        text_table_add_row(table);
        text_table_set(table, 0, what);
        text_table_set(table, 1, before);
        text_table_set(table, 2, after);
}

static void print_states(const struct eviction_plan *plan, const struct plan_view *view,
                         struct buf *out) {
        static const char *const heads[] = { "CLUSTER", "BEFORE", "AFTER", NULL };
        struct text_table table;

        text_table_init(&table, view->arena, heads);
        for (size_t kind = 0; kind < LOAD_KIND_COUNT; kind++)
                add_state_row(&table,
                              arena_printf(view->arena, "%s by node", load_kind_names[kind]),
                              spread_text(view, &plan->before.balance.spread[kind]),
                              spread_text(view, &plan->after.balance.spread[kind]));
        add_state_row(&table, "selected by rules",
                      arena_printf(view->arena, "%zu", plan->before.wanted_sum),
                      arena_printf(view->arena, "%zu", plan->after.wanted_sum));
        add_state_row(&table, "pending pods",
                      arena_printf(view->arena, "%zu", plan->before.pending),
                      arena_printf(view->arena, "%zu", plan->after.pending));
        buf_char(out, '\n');
        text_table_write(&table, "  ", out);
}

static const char *skipped_text(const struct eviction_plan *plan) {
        if (!plan->report->is_skipped)
                return "";
        if (cluster_node_count(plan->cluster) == 0)
                return "; the pass was skipped: there are no nodes (kubectl get nodes,pods -A -o "
                       "yaml "
                       "has both)";
        return "; the pass was skipped: too few nodes are ready and match the policy's "
               "nodeSelector";
}

void plan_print(const struct eviction_plan *plan, const struct plan_view *view, struct buf *out) {
        buf_printf(out, "%zu eviction(s) on %zu node(s)%s\n\n", plan->done_count,
                   plan->report->node_count, skipped_text(plan));
        print_evictions(plan, view, true, out);
        print_evictions(plan, view, false, out);
        print_rules(plan, view, out);
        print_idle_rules(plan, view, out);
        if (plan->is_placed)
                print_states(plan, view, out);
        if (view->shows_spared && plan->spared_count)
                print_spared(plan, view, out);
}
