/* Renders explanations as text. */
#include "cmd/explain_print.h"

#include "cmd/text_table.h"

struct printer {
        const struct json_node *value;
        const struct explain_view *view;
        struct arena *arena;
        struct buf *out;
};

static const char *text_of(struct printer *printer, const struct json_node *object,
                           const char *key) {
        return arena_string(printer->arena, node_get_text(object, key));
}

static const char *explain_print_joined(struct printer *printer, const struct json_node *texts) {
        CLEANUP(buf_release) struct buf text = { 0 };
        struct node_iter iter = node_iter(texts);
        struct json_node *one;

        while (node_next(&iter, NULL, &one))
                buf_printf(&text, "%s" SLICE_FMT, text.len ? ", " : "",
                           SLICE_ARG(node_get_slice(one)));
        return arena_string(printer->arena, buf_view(&text));
}

/* ---- head ---- */

static void print_why(struct printer *printer) {
        const struct json_node *why = node_get(printer->value, "why");
        struct slice rule = node_get_text(why, "rule");
        struct node_iter iter = node_iter(node_get(why, "plugins"));
        struct json_node *plugin;
        bool is_first = true;

        if (slice_is(rule, "onlyOne"))
                buf_text(printer->out, "  It is the only node that fits.\n");
        else if (slice_is(rule, "nominated"))
                buf_text(printer->out, "  It was nominated there and still fits.\n");
        else if (slice_is(rule, "nothingScores"))
                buf_text(printer->out, "  No plugin scores: any node that fits is right.\n");
        else if (slice_is(rule, "tie"))
                buf_printf(printer->out, "  Equally good: %s; a random one is taken.\n",
                           explain_print_joined(printer, node_get(printer->value, "best")));
        if (!node_get(why, "next"))
                return;
        buf_printf(printer->out, "  Total %lld; next best %s with %lld (",
                   (long long)node_get_i64(why, "total", 0), text_of(printer, why, "next"),
                   (long long)node_get_i64(why, "nextTotal", 0));
        while (node_next(&iter, NULL, &plugin)) {
                buf_printf(printer->out, "%s%s %+lld", is_first ? "" : ", ",
                           text_of(printer, plugin, "plugin"),
                           (long long)node_get_i64(plugin, "by", 0));
                is_first = false;
        }
        buf_text(printer->out, ").\n");
}

static void print_outcome(struct printer *printer) {
        struct slice decision = node_get_text(printer->value, "decision");
        const char *node = text_of(printer, printer->value, "node");
        const char *chosen = text_of(printer, printer->value, "chosen");

        if (*chosen && *node)
                buf_printf(printer->out, "  Placed anew it would go to %s.\n", chosen);
        else if (*chosen)
                buf_printf(printer->out, "  Goes to %s.\n", chosen);
        else if (slice_is(decision, "gated"))
                buf_text(printer->out, "  Held back before scheduling.\n");
        else if (slice_is(decision, "finished"))
                buf_text(printer->out, "  Finished; it occupies nothing.\n");
        else
                buf_text(printer->out,
                         *node ? "  Placed anew it would stay pending.\n" : "  Stays pending.\n");
        print_why(printer);
        if (node_get(printer->value, "message"))
                buf_printf(printer->out, "  %s\n", text_of(printer, printer->value, "message"));
}

static void print_head(struct printer *printer) {
        const char *node = text_of(printer, printer->value, "node");

        buf_printf(printer->out, "Pod %s (%s, priority %lld",
                   text_of(printer, printer->value, "pod"),
                   text_of(printer, printer->value, "phase"),
                   (long long)node_get_i64(printer->value, "priority", 0));
        buf_printf(printer->out, "%s%s)\n", *node ? ", on " : "", node);
        print_outcome(printer);
}

static void print_phases(struct printer *printer) {
        struct node_iter iter = node_iter(node_get(printer->value, "beforeNodes"));
        struct json_node *phase;

        while (node_next(&iter, NULL, &phase)) {
                buf_printf(printer->out, "  %s: %s", text_of(printer, phase, "plugin"),
                           explain_print_joined(printer, node_get(phase, "reasons")));
                if (node_get(phase, "restrictsTo"))
                        buf_printf(printer->out, "only %lld node(s) come into question",
                                   (long long)node_get_i64(phase, "restrictsTo", 0));
                buf_char(printer->out, '\n');
        }
}

/* ---- nodes ---- */

static const char *score_text(struct printer *printer, const struct json_node *node) {
        CLEANUP(buf_release) struct buf text = { 0 };
        struct node_iter iter = node_iter(node_get(node, "scores"));
        struct json_node *score;

        while (node_next(&iter, NULL, &score))
                buf_printf(&text, "%s%s %lld", text.len ? ", " : "",
                           text_of(printer, score, "plugin"),
                           (long long)node_get_i64(score, "score", 0));
        return arena_string(printer->arena, buf_view(&text));
}

static const char *free_text(struct printer *printer, const struct json_node *node) {
        CLEANUP(buf_release) struct buf text = { 0 };
        struct node_iter iter = node_iter(node_get(node, "resources"));
        struct json_node *entry;

        while (node_next(&iter, NULL, &entry))
                buf_printf(&text, "%s%s %s of %s", text.len ? ", " : "",
                           text_of(printer, entry, "resource"), text_of(printer, entry, "free"),
                           text_of(printer, entry, "allocatable"));
        return arena_string(printer->arena, buf_view(&text));
}

static const char *obstacle_text(struct printer *printer, const struct json_node *node) {
        CLEANUP(buf_release) struct buf text = { 0 };
        struct node_iter iter = node_iter(node_get(node, "obstacles"));
        struct json_node *obstacle;

        while (node_next(&iter, NULL, &obstacle))
                buf_printf(&text, "%s%s: %s", text.len ? "; " : "",
                           text_of(printer, obstacle, "plugin"),
                           explain_print_joined(printer, node_get(obstacle, "reasons")));
        if (!text.len)
                buf_text(&text, explain_print_joined(printer, node_get(node, "reasons")));
        return arena_string(printer->arena, buf_view(&text));
}

static bool is_shown(const struct printer *printer, const struct json_node *node) {
        return !printer->view->node || slice_is(node_get_text(node, "node"), printer->view->node);
}

static void add_row(struct printer *printer, struct text_table *table, const struct json_node *node,
                    bool fits) {
        text_table_add_row(table);
        text_table_set(table, 0, text_of(printer, node, "node"));
        if (fits)
                text_table_set(table, 1,
                               arena_printf(printer->arena, "%lld",
                                            (long long)node_get_i64(node, "total", 0)));
        text_table_set(table, fits ? 2 : 1, free_text(printer, node));
        text_table_set(table, fits ? 3 : 2,
                       fits ? score_text(printer, node) : obstacle_text(printer, node));
}

static void print_nodes(struct printer *printer, bool fits) {
        static const char *const feasible[] = { "NODE", "TOTAL", "FREE", "SCORES", NULL };
        static const char *const refused[] = { "NODE", "FREE", "WHY NOT", NULL };
        struct node_iter iter = node_iter(node_get(printer->value, "nodes"));
        struct text_table table;
        struct json_node *node;
        size_t count = 0;

        text_table_init(&table, printer->arena, fits ? feasible : refused);
        while (node_next(&iter, NULL, &node)) {
                if (node_is_true(node_get(node, "fits")) != fits || !is_shown(printer, node))
                        continue;
                if (printer->view->rows_max == 0 || count < printer->view->rows_max)
                        add_row(printer, &table, node, fits);
                count++;
        }
        if (count == 0)
                return;
        buf_text(printer->out, fits ? "\n  Fits:\n" : "\n  Does not fit:\n");
        text_table_write(&table, "    ", printer->out);
        if (printer->view->rows_max && count > printer->view->rows_max)
                buf_printf(printer->out, "    and %zu more (--all, or --node NAME)\n",
                           count - printer->view->rows_max);
}

/* ---- what would help ---- */

static void print_nearest(struct printer *printer) {
        struct node_iter iter = node_iter(node_get(printer->value, "nearest"));
        struct json_node *miss;
        size_t count = 0;

        while (node_next(&iter, NULL, &miss)) {
                buf_text(printer->out, count == 0   ? "\n  Smallest change: "
                                       : count == 1 ? "  Other near misses:\n    "
                                                    : "    ");
                if (node_get(miss, "onNode"))
                        buf_printf(printer->out, "on node %s: %s", text_of(printer, miss, "node"),
                                   text_of(printer, miss, "onNode"));
                if (node_get(miss, "onPod"))
                        buf_printf(printer->out, "%sthe pod%s%s: %s",
                                   node_get(miss, "onNode") ? "; or " : "",
                                   node_get(miss, "onNode") ? "" : ", for node ",
                                   node_get(miss, "onNode") ? "" : text_of(printer, miss, "node"),
                                   text_of(printer, miss, "onPod"));
                buf_char(printer->out, '\n');
                count++;
        }
}

static void print_preemption(struct printer *printer) {
        const struct json_node *preemption = node_get(printer->value, "preemption");
        struct node_iter iter = node_iter(node_get(preemption, "victims"));
        struct json_node *victim;

        if (!node_get(preemption, "node"))
                return;
        buf_printf(printer->out,
                   "\n  Preemption would free %s (%lld candidate(s), %s) by evicting:\n",
                   text_of(printer, preemption, "node"),
                   (long long)node_get_i64(preemption, "candidates", 0),
                   text_of(printer, preemption, "decidedBy"));
        while (node_next(&iter, NULL, &victim))
                buf_printf(printer->out, "    %s (priority %lld)\n",
                           text_of(printer, victim, "pod"),
                           (long long)node_get_i64(victim, "priority", 0));
}

/* ---- the descheduler ---- */

static void print_rule(struct printer *printer, const struct json_node *rule) {
        const char *reason = text_of(printer, rule, "reason");

        buf_printf(printer->out, "    %s of profile %s: %s%s%s\n", text_of(printer, rule, "plugin"),
                   text_of(printer, rule, "profile"), text_of(printer, rule, "outcome"),
                   *reason ? ", " : "", reason);
}

static void print_descheduler(struct printer *printer) {
        const struct json_node *value = node_get(printer->value, "descheduler");
        struct node_iter rules = node_iter(node_get(value, "rules"));
        struct node_iter spared = node_iter(node_get(value, "spared"));
        struct node_iter filters = node_iter(node_get(value, "filters"));
        struct node_iter idle = node_iter(node_get(value, "idle"));
        struct json_node *one;

        if (!value)
                return;
        buf_text(printer->out, node_is_true(node_get(value, "evicts"))
                                       ? "\n  The descheduler would evict it:\n"
                                       : "\n  The descheduler would leave it alone:\n");
        while (node_next(&rules, NULL, &one))
                print_rule(printer, one);
        while (node_next(&spared, NULL, &one))
                buf_printf(printer->out, "    %s of profile %s selects it, but: %s\n",
                           text_of(printer, one, "plugin"), text_of(printer, one, "profile"),
                           text_of(printer, one, "reasons"));
        while (node_next(&idle, NULL, &one))
                buf_printf(printer->out, "    %s of profile %s looks at no pod: %s\n",
                           text_of(printer, one, "plugin"), text_of(printer, one, "profile"),
                           text_of(printer, one, "reason"));
        while (node_next(&filters, NULL, &one))
                buf_printf(printer->out, "    filters of profile " SLICE_FMT "\n",
                           SLICE_ARG(node_get_slice(one)));
        if (node_count(node_get(value, "rules")) + node_count(node_get(value, "spared")) +
                    node_count(node_get(value, "filters")) ==
            0)
                buf_text(printer->out, "    no rule applies to it\n");
}

void explain_print(const struct json_node *explanation, const struct explain_view *view,
                   struct arena *arena, struct buf *out) {
        struct printer printer = { explanation, view, arena, out };

        print_head(&printer);
        print_phases(&printer);
        print_nodes(&printer, true);
        print_nodes(&printer, false);
        print_nearest(&printer);
        print_preemption(&printer);
        print_descheduler(&printer);
}
