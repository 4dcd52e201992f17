/* The walk over nodes and their pods. */
#include "plugins/desched/sweep.h"
#include <stdarg.h>
#include <stdio.h>

#define EVICT_REASON_MAX 200

/* Kinds are asked about as they come up: most rules end where they began. */
struct sweep_walk {
        struct desched_run *run;
        const struct sweep *sweep;
        const struct pod_kinds *kinds;
        uint8_t *verdicts; /* enum kind_verdict */
};

static bool looks_at(struct sweep_walk *walk, struct pod_id pod) {
        uint32_t kind = walk->kinds->of[pod.index];
        uint8_t *verdict = &walk->verdicts[kind];
        if (*verdict == KIND_NOT_ASKED) {
                bool is_looked_at = !walk->sweep->looks_at_kind ||
                                    walk->sweep->looks_at_kind(walk->run, walk->sweep->context,
                                                               &walk->kinds->items[kind]);
                *verdict = is_looked_at ? KIND_YES : KIND_NO;
        }
        return *verdict == KIND_YES;
}

/* False when nothing more can be evicted in this pass. */
static bool sweep_pods(struct sweep_walk *walk, const struct pod_id *pods, size_t count,
                       bool is_one_node) {
        struct desched_run *run = walk->run;
        const struct sweep *sweep = walk->sweep;
        for (size_t i = 0; i < count; i++) {
                struct slice reason = SLICE_EMPTY;
                if (!looks_at(walk, pods[i]) ||
                    !sweep->wants(run, sweep->context, pods[i], &reason) ||
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
        const struct pod_kinds *kinds = desched_run_kinds(run);
        struct sweep_walk walk = { run, sweep, kinds,
                                   ARENA_ARRAY(desched_run_scratch(run), uint8_t, kinds->count) };
        const struct pod_id *pods;
        for (size_t i = 0; i < nodes.count; i++) {
                if (sweep->looks_at_node &&
                    !sweep->looks_at_node(run, sweep->context, nodes.nodes[i]))
                        continue;
                size_t count = desched_run_pods(run, nodes.nodes[i], sweep->listing, &pods);
                if (!sweep_pods(&walk, pods, count, true))
                        return;
        }
        if (sweep->listing == PODS_ACTIVE)
                return;
        size_t count = desched_run_pods_elsewhere(run, &pods);
        sweep_pods(&walk, pods, count, false);
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
