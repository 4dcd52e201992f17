/* What one policy evicts and the other does not, and what the cluster is like after each. */
#include "cmd/plan_compare.h"

#include "ask/eviction_plan.h"
#include "base/map.h"
#include "cmd/text_table.h"
#include <math.h>

/* ---- who goes in which ---- */

static void write_key(struct buf *key, const struct planned_eviction *eviction) {
        buf_clear(key);
        buf_printf(key, SLICE_FMT "/" SLICE_FMT, SLICE_ARG(eviction->ns),
                   SLICE_ARG(eviction->name));
}

/* Pods that go by a plan: "namespace/name" -> the eviction. */
static struct map *plan_compare_goers(const struct eviction_plan *plan) {
        struct map *map = map_new();
        struct buf key = { 0 };

        for (size_t i = 0; i < plan->eviction_count; i++) {
                if (plan->evictions[i].outcome != EVICT_DONE)
                        continue;
                write_key(&key, &plan->evictions[i]);
                map_put(map, buf_view(&key), &plan->evictions[i]);
        }
        buf_release(&key);
        return map;
}

struct plan_compare_difference {
        void *context;
        void (*found)(void *context, const struct planned_eviction *eviction);
};

/* Evictions of the plan that are not in other, in order. */
static size_t for_each_missing(const struct eviction_plan *plan, struct map *other,
                               const struct plan_compare_difference *difference) {
        struct buf key = { 0 };
        size_t count = 0;

        for (size_t i = 0; i < plan->eviction_count; i++) {
                if (plan->evictions[i].outcome != EVICT_DONE)
                        continue;
                write_key(&key, &plan->evictions[i]);
                if (map_get(other, buf_view(&key)))
                        continue;
                count++;
                difference->found(difference->context, &plan->evictions[i]);
        }
        buf_release(&key);
        return count;
}

/* ---- values ---- */

struct value_list {
        struct json_tree *tree;
        struct json_node *list;
};

static void add_value(void *context, const struct planned_eviction *eviction) {
        struct value_list *values = context;
        struct json_node *entry = node_object(values->tree);

        node_put_text(values->tree, entry, "namespace", eviction->ns);
        node_put_text(values->tree, entry, "name", eviction->name);
        node_put_text(values->tree, entry, "node", eviction->node);
        node_put_text(values->tree, entry, "plugin", eviction->plugin);
        if (eviction->reason.len)
                node_put_text(values->tree, entry, "reason", eviction->reason);
        node_append(values->list, entry);
}

static struct json_node *side_value(const struct eviction_plan *plan, struct json_tree *tree) {
        struct json_node *entry = node_object(tree), *deviation = node_object(tree);

        node_put_i64(tree, entry, "evictions", (int64_t)plan->done_count);
        node_put_i64(tree, entry, "wantedAfter", (int64_t)plan->after.wanted_sum);
        node_put_i64(tree, entry, "pendingAfter", (int64_t)plan->after.pending);
        for (size_t kind = 0; kind < LOAD_KIND_COUNT; kind++)
                node_put(tree, deviation, load_kind_names[kind],
                         node_f64(tree,
                                  round(plan->after.balance.spread[kind].deviation * 100) / 100));
        node_put(tree, entry, "deviationAfter", deviation);
        return entry;
}

struct json_node *plan_compare_value(const struct eviction_plan *a, const struct eviction_plan *b,
                                     struct json_tree *tree) {
        struct json_node *root = node_object(tree);
        struct value_list only_a = { tree, node_array(tree) }, only_b = { tree, node_array(tree) };
        struct map *of_a = plan_compare_goers(a), *of_b = plan_compare_goers(b);
        size_t missing = for_each_missing(
                a, of_b, &(const struct plan_compare_difference){ &only_a, add_value });

        for_each_missing(b, of_a, &(const struct plan_compare_difference){ &only_b, add_value });
        node_put(tree, root, "a", side_value(a, tree));
        node_put(tree, root, "b", side_value(b, tree));
        node_put_i64(tree, root, "both", (int64_t)(map_count(of_a) - missing));
        node_put(tree, root, "onlyA", only_a.list);
        node_put(tree, root, "onlyB", only_b.list);
        map_free(of_a);
        map_free(of_b);
        return root;
}

/* ---- text ---- */

struct row_list {
        struct text_table *table;
        const char *side;
};

static void add_row(void *context, const struct planned_eviction *eviction) {
        const struct row_list *rows = context;
        struct arena *arena = rows->table->arena;

        text_table_add_row(rows->table);
        text_table_set(rows->table, 0, rows->side);
        text_table_set(rows->table, 1,
                       arena_printf(arena, SLICE_FMT "/" SLICE_FMT, SLICE_ARG(eviction->ns),
                                    SLICE_ARG(eviction->name)));
        text_table_set(rows->table, 2, arena_string(arena, eviction->node));
        text_table_set(rows->table, 3, arena_string(arena, eviction->plugin));
        text_table_set(rows->table, 4, arena_string(arena, eviction->reason));
}

static void add_side(struct text_table *table, const char *name, const struct eviction_plan *plan) {
        struct arena *arena = table->arena;
        const struct load_spread *spread = plan->after.balance.spread;

        text_table_add_row(table);
        text_table_set(table, 0, name);
        text_table_set(table, 1, arena_printf(arena, "%zu", plan->done_count));
        text_table_set(table, 2, arena_printf(arena, "%zu", plan->after.wanted_sum));
        text_table_set(table, 3, arena_printf(arena, "%zu", plan->after.pending));
        for (size_t kind = 0; kind < LOAD_KIND_COUNT; kind++)
                text_table_set(table, 4 + kind,
                               arena_printf(arena, "%.1f", spread[kind].deviation));
}

void plan_compare_print(const struct eviction_plan *a, const struct eviction_plan *b,
                        struct arena *arena, struct buf *out) {
        static const char *const heads[] = { "POLICY",        "EVICTIONS", "WANTED AFTER",
                                             "PENDING AFTER", "CPU +-%",   "MEMORY +-%",
                                             "PODS +-%",      NULL };
        static const char *const pods[] = { "ONLY", "POD", "NODE", "RULE", "REASON", NULL };
        struct text_table sides, rows;
        struct map *of_a = plan_compare_goers(a), *of_b = plan_compare_goers(b);

        text_table_init(&sides, arena, heads);
        add_side(&sides, "A", a);
        add_side(&sides, "B", b);
        text_table_write(&sides, "", out);
        text_table_init(&rows, arena, pods);
        size_t only_a = for_each_missing(a, of_b,
                                         &(const struct plan_compare_difference){
                                                 &(struct row_list){ &rows, "A" }, add_row });
        size_t only_b = for_each_missing(b, of_a,
                                         &(const struct plan_compare_difference){
                                                 &(struct row_list){ &rows, "B" }, add_row });
        buf_printf(out, "\n%zu eviction(s) in both, %zu only in A, %zu only in B\n",
                   map_count(of_a) - only_a, only_a, only_b);
        if (only_a + only_b > 0) {
                buf_char(out, '\n');
                text_table_write(&rows, "  ", out);
        }
        map_free(of_a);
        map_free(of_b);
}
