/* The ring of remembered decisions. */
#include "sched/scheduler_priv.h"
#include <stdio.h>

static void copy_text(char *to, size_t size, struct slice text) {
        size_t length = text.len < size - 1 ? text.len : size - 1;
        if (length > 0)
                memcpy(to, text.ptr, length);
        to[length] = '\0';
}

static struct trace_plugin *trace_plugin(struct decision_trace *trace,
                                         const struct plugin *plugin) {
        const char *name = plugin == NULL ? "" : plugin->name;
        for (uint32_t i = 0; i < trace->plugin_count; i++)
                if (strcmp(trace->plugins[i].name, name) == 0)
                        return &trace->plugins[i];
        if (trace->plugin_count == TRACE_PLUGINS_MAX)
                return NULL;
        struct trace_plugin *added = &trace->plugins[trace->plugin_count++];
        *added = (struct trace_plugin){ .name = name };
        return added;
}

static void count_refusals(struct decision_trace *trace, const struct decision *decision) {
        for (size_t i = 0; i < decision->refusal_count; i++) {
                struct trace_plugin *plugin = trace_plugin(trace, decision->refusals[i].plugin);
                if (plugin != NULL)
                        plugin->refused++;
        }
}

void scheduler_record(struct step *step, const struct queued_pod *entry,
                      const struct decision *decision) {
        struct scheduler *scheduler = step->scheduler;
        const struct cluster *cluster = scheduler->config.cluster;
        const struct pod_row *row = cluster_pod(cluster, entry->pod);
        size_t cap = scheduler->config.trace_capacity;
        size_t slot = (scheduler->trace_first + scheduler->trace_count) % cap;
        struct decision_trace *trace = &scheduler->traces[slot];
        if (scheduler->trace_count < cap)
                scheduler->trace_count++;
        else
                scheduler->trace_first = (scheduler->trace_first + 1) % cap;
        trace->number = ++scheduler->trace_number;
        trace->at = step->wall;
        trace->outcome = decision->outcome;
        trace->node_count = (uint32_t)decision->node_count;
        trace->feasible_count = (uint32_t)decision->feasible_count;
        trace->best_count = (uint32_t)decision->best_count;
        trace->attempts = entry->attempts;
        trace->best_total = decision->best_total;
        trace->plugin_count = 0;
        snprintf(trace->pod, sizeof(trace->pod), SLICE_FMT "/%s",
                 SLICE_ARG(cluster_text(cluster, row->ns)), row->name);
        copy_text(trace->uid, sizeof(trace->uid), slice_of(row->uid));
        trace->node[0] = '\0';
        if (decision->outcome == DECISION_PLACED)
                copy_text(trace->node, sizeof(trace->node),
                          cluster_node_name(cluster, decision->node));
        copy_text(trace->message, sizeof(trace->message), decision->message);
        count_refusals(trace, decision);
}

size_t scheduler_trace_count(const struct scheduler *scheduler) {
        return scheduler->trace_count;
}

const struct decision_trace *scheduler_trace(const struct scheduler *scheduler, size_t index) {
        size_t cap = scheduler->config.trace_capacity;
        return index < scheduler->trace_count
                       ? &scheduler->traces[(scheduler->trace_first + index) % cap]
                       : NULL;
}
