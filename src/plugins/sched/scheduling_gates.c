/* SchedulingGates: a pod with gates waits until others take them away. */
#include "plugin/cache_hints.h"
#include "plugin/sched_points.h"

static enum verdict_code pre_enqueue(const struct sched_cycle *cycle, const void *state,
                                     struct verdict *verdict) {
        (void)state;
        const struct pod_spec *spec = &cycle->class->spec;
        if (spec->gate_count == 0)
                return VERDICT_OK;
        struct buf text = { 0 };
        buf_text(&text, "waiting for scheduling gates: [");
        for (size_t i = 0; i < spec->gate_count; i++) {
                if (i > 0)
                        buf_char(&text, ' ');
                buf_slice(&text, spec->gates[i]);
        }
        buf_char(&text, ']');
        verdict_no(verdict, VERDICT_UNRESOLVABLE, arena_slice(cycle->scratch, buf_view(&text)));
        buf_release(&text);
        return verdict->code;
}

static bool scheduling_gates_wakes(const struct sched_cycle *cycle, const void *state,
                                   const struct cluster_change *change) {
        (void)state;
        return change->pod.index == cycle->pod.index;
}

const struct plugin plugin_scheduling_gates = {
        .name = "SchedulingGates",
        .sched =
                &(const struct sched_points){
                        .pre_enqueue = pre_enqueue,
                        .wakes = scheduling_gates_wakes,
                        .hints = &(const struct cache_hints){ .filter = CACHE_SCOPE_CLUSTER } },
        .wakes_on = CLUSTER_POD_GATES,
};
