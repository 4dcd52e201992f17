/* The page of remembered decisions. */
#include "pages/role_metrics.h"

#include "api/json.h"
#include "sched/decision.h"
#include "sched/scheduler.h"

static struct json_node *trace_value(const struct decision_trace *trace, struct json_tree *tree) {
        struct json_node *entry = node_object(tree), *plugins = node_array(tree);
        char at[WALL_TIME_TEXT_MAX];

        wall_time_format_micro(trace->at, at);
        node_put_i64(tree, entry, "number", (int64_t)trace->number);
        node_put_string(tree, entry, "at", at);
        node_put_string(tree, entry, "pod", trace->pod);
        node_put_string(tree, entry, "uid", trace->uid);
        node_put_string(tree, entry, "decision", decision_outcome_name(trace->outcome));
        if (trace->node[0])
                node_put_string(tree, entry, "node", trace->node);
        if (trace->message[0])
                node_put_string(tree, entry, "message", trace->message);
        node_put_i64(tree, entry, "attempt", trace->attempts);
        node_put_i64(tree, entry, "nodeCount", trace->node_count);
        node_put_i64(tree, entry, "feasible", trace->feasible_count);
        node_put_i64(tree, entry, "best", trace->best_count);
        node_put_i64(tree, entry, "total", trace->best_total);
        for (uint32_t i = 0; i < trace->plugin_count; i++) {
                struct json_node *plugin = node_object(tree);

                node_put_string(tree, plugin, "plugin", trace->plugins[i].name);
                node_put_i64(tree, plugin, "refused", trace->plugins[i].refused);
                node_append(plugins, plugin);
        }
        node_put(tree, entry, "plugins", plugins);
        return entry;
}

void decisions_write(const struct scheduler *scheduler, struct buf *out) {
        struct json_tree *tree = json_tree_new();
        struct json_node *list = node_array(tree);

        for (size_t i = 0; i < scheduler_trace_count(scheduler); i++)
                node_append(list, trace_value(scheduler_trace(scheduler, i), tree));
        node_write(list, out);
        buf_char(out, '\n');
        json_tree_free(tree);
}
