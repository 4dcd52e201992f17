/* The ring of remembered decisions. */
#include "sched/scheduler_priv.h"

#include "base/util.h"
#include <stdlib.h>
#include <string.h>

/* Writes the text and what ends it at *at, which moves behind. */
static const char *add_text(char **at, struct slice text, char end) {
        const char *start = *at;
        if (text.len > 0)
                memcpy(*at, text.ptr, text.len);
        *at += text.len;
        *(*at)++ = end;
        return start;
}

struct trace_texts {
        struct slice ns, name, uid, node, message;
};

/* Most decisions take a hundred bytes, so there is no fixed size for the longest. */
static void keep_texts(struct decision_trace *trace, const struct trace_texts *texts) {
        size_t size = texts->ns.len + texts->name.len + texts->uid.len + texts->node.len +
                      texts->message.len + 5; /* a slash and four ends */
        if (size > trace->text_size) {
                trace->text = xrealloc(trace->text, size);
                trace->text_size = size;
        }
        char *at = trace->text;
        trace->pod = add_text(&at, texts->ns, '/');
        add_text(&at, texts->name, '\0');
        trace->uid = add_text(&at, texts->uid, '\0');
        trace->node = add_text(&at, texts->node, '\0');
        trace->message = add_text(&at, texts->message, '\0');
}

void scheduler_traces_free(struct scheduler *scheduler) {
        for (size_t i = 0; i < scheduler->trace_count; i++)
                free(scheduler->traces[i].text);
        free(scheduler->traces);
}

static struct trace_plugin *trace_plugin(struct decision_trace *trace,
                                         const struct plugin *plugin) {
        const char *name = !plugin ? "" : plugin->name;
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
                if (plugin)
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
        bool is_placed = decision->outcome == DECISION_PLACED;
        struct slice message = decision->message;
        if (message.len > TRACE_MESSAGE_MAX)
                message.len = TRACE_MESSAGE_MAX;
        keep_texts(trace, &(struct trace_texts){
                                  .ns = cluster_text(cluster, row->ns),
                                  .name = slice_of(row->name),
                                  .uid = slice_of(row->uid),
                                  .node = is_placed ? cluster_node_name(cluster, decision->node)
                                                    : SLICE_EMPTY,
                                  .message = message });
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
