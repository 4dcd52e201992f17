/* RemovePodsHavingTooManyRestarts: pods whose containers restarted often, the worst of each node
 * first (reference descheduler.md 4.3).  Its arguments are put as a rule of PodLifecycle. */
#include "plugins/desched/lifecycle_sweep.h"
#include "plugins/desched/sweep.h"

struct restarts_args {
        struct namespaces_arg namespaces;
        struct selector_arg labels;
        int32_t threshold;
        bool with_init;
        struct text_list states;
};

#define MEMBER(member) offsetof(struct restarts_args, member), .presence = FIELD_NO_PRESENCE

static const struct field fields[] = {
        NAMESPACES_FIELD(MEMBER(namespaces)),
        LABELS_FIELD(MEMBER(labels)),
        { .name = "podRestartThreshold",
          .type = FIELD_I32,
          .offset = MEMBER(threshold),
          .help = "Restarts, summed over containers, from which on a pod goes; at least 1." },
        { .name = "includingInitContainers",
          .type = FIELD_BOOL,
          .offset = MEMBER(with_init),
          .help = "Count init containers as well." },
        { .name = "states",
          .type = FIELD_TEXTS,
          .offset = MEMBER(states),
          .help = "Only pods in one of these states: Running, CrashLoopBackOff." },
        FIELD_END,
};

static void too_many_restarts_check(struct field_reader *reader, const struct json *value,
                                    const void *data) {
        const struct restarts_args *args = data;
        if (args->threshold < 1)
                field_problem(reader, value, "podRestartThreshold", "must be at least 1");
        for (size_t i = 0; i < args->states.count; i++)
                if (!slice_is(args->states.items[i], "Running") &&
                    !slice_is(args->states.items[i], "CrashLoopBackOff"))
                        field_problem(reader, value, "states",
                                      "expected Running or CrashLoopBackOff, found \"" SLICE_FMT
                                      "\"",
                                      SLICE_ARG(args->states.items[i]));
}

static struct slice too_many_restarts_describe(struct desched_run *run,
                                               const struct rule_plan *plan,
                                               const struct pod_row *pod) {
        int64_t restarts = lifecycle_restarts(pod, rule_plan_containers(plan)->scope);
        return evict_reason(run, "%lld restarts, the threshold is %d", (long long)restarts,
                            plan->rule->when.min_restarts);
}

static int too_many_restarts_deschedule(struct desched_run *run, const void *state,
                                        struct err *err) {
        const struct restarts_args *args = state;
        /* Running is a phase, CrashLoopBackOff what a container waits for. */
        struct lifecycle_condition either[] = {
                { .phases = args->states },
                { .waiting = args->states, .with_init = args->with_init },
        };
        const struct lifecycle_rule rule = {
                .select = { .namespaces = args->namespaces, .labels = args->labels },
                .when = { .has_min_restarts = true,
                          .min_restarts = args->threshold,
                          .with_init = args->with_init,
                          .any = { .count = args->states.count > 0 ? 2 : 0, .items = either } },
                .allows_terminal = true,
        };
        (void)err;
        lifecycle_sweep_run(
                run, &(const struct lifecycle_sweep){ .rule = &rule,
                                                      .order = ORDER_MOST_RESTARTS,
                                                      .describe = too_many_restarts_describe });
        return 0;
}

const struct plugin plugin_too_many_restarts = {
        .name = "RemovePodsHavingTooManyRestarts",
        .args = fields,
        .args_size = sizeof(struct restarts_args),
        .check = too_many_restarts_check,
        .desched = &(const struct desched_points){ .deschedule = too_many_restarts_deschedule },
        .wakes_on = CLUSTER_POD_STATUS | CLUSTER_POD_ADDED | CLUSTER_POD_REMOVED |
                    CLUSTER_POD_LABELS | CLUSTER_PENDING_UPDATED,
};
