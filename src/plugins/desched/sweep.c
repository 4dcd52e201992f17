/* The walk over nodes and their pods. */
#include "plugins/desched/sweep.h"
#include <stdarg.h>
#include <stdio.h>

#define EVICT_REASON_MAX 200

/* False when nothing more can be evicted in this pass. */
static bool sweep_pods(struct desched_run *run, const struct sweep *sweep,
                       const struct pod_id *pods, size_t count, bool is_one_node) {
        for (size_t i = 0; i < count; i++) {
                struct slice reason = SLICE_EMPTY;
                if (!sweep->wants(run, sweep->context, pods[i], &reason) ||
                    !desched_run_may_evict(run, pods[i]))
                        continue;
                enum evict_outcome outcome = desched_run_evict(run, pods[i], reason);
                if (outcome == EVICT_NODE_LIMIT && is_one_node)
                        return true;
                if (outcome == EVICT_TOTAL_LIMIT)
                        return false;
        }
        return true;
}

void sweep_nodes(struct desched_run *run, const struct sweep *sweep) {
        struct node_batch_list nodes = desched_run_nodes(run);
        const struct pod_id *pods;
        for (size_t i = 0; i < nodes.count; i++) {
                size_t count = desched_run_pods(run, nodes.nodes[i], sweep->listing, &pods);
                if (!sweep_pods(run, sweep, pods, count, true))
                        return;
        }
        if (sweep->listing == PODS_ACTIVE)
                return;
        size_t count = desched_run_pods_elsewhere(run, &pods);
        sweep_pods(run, sweep, pods, count, false);
}

struct slice evict_reason(struct desched_run *run, const char *format, ...) {
        if (desched_run_is_parity(run))
                return SLICE_EMPTY;
        char text[EVICT_REASON_MAX];
        va_list args;
        va_start(args, format);
        vsnprintf(text, sizeof(text), format, args);
        va_end(args);
        return arena_slice(desched_run_scratch(run), slice_of(text));
}
