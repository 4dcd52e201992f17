/* RemoveFailedPods: failed pods, by age, owner, reason and exit code (reference descheduler.md
 * 4.2).  Its arguments are put as a rule of PodLifecycle. */
#include "plugins/desched/lifecycle_sweep.h"
#include "plugins/desched/sweep.h"

struct remove_failed_args {
        struct namespaces_arg namespaces;
        struct selector_arg labels;
        struct text_list excluded_owner_kinds, reasons;
        struct container_query_arg containers;
        int64_t min_age_s;
        bool with_init;
};

#define MEMBER(member) offsetof(struct remove_failed_args, member), .presence = FIELD_NO_PRESENCE

static const struct field fields[] = {
        NAMESPACES_FIELD(MEMBER(namespaces)),
        LABELS_FIELD(MEMBER(labels)),
        { .name = "excludeOwnerKinds",
          .type = FIELD_TEXTS,
          .offset = MEMBER(excluded_owner_kinds),
          .help = "Pods with an owner of such a kind stay." },
        { .name = "minPodLifetimeSeconds",
          .type = FIELD_I64,
          .offset = MEMBER(min_age_s),
          .is_bounded = true,
          .min = 0,
          .max = INT64_MAX,
          .fallback = "3600",
          .help = "Younger pods stay." },
        { .name = "reasons",
          .type = FIELD_TEXTS,
          .offset = MEMBER(reasons),
          .help = "Only pods with such a reason, their own or of a container." },
        CONTAINER_QUERY_FIELDS(remove_failed_args, containers),
        { .name = "includingInitContainers",
          .type = FIELD_BOOL,
          .offset = MEMBER(with_init),
          .help = "Look at init containers as well." },
        FIELD_END,
};

static struct slice remove_failed_pods_describe(struct desched_run *run,
                                                const struct rule_plan *plan,
                                                const struct pod_row *pod) {
        static const struct exit_code_set any = { .count = 0, .only_excludes = true };
        const struct container_query *containers = rule_plan_containers(plan);
        const struct cluster *cluster = desched_run_cluster(run);
        const struct container_row *container;
        int32_t code = 0;
        if (containers->has_codes) {
                container = container_query_find(containers, pod, &code);
        } else {
                container = find_code(pod, containers->scope, &any);
                code = container ? container->exit_code : 0;
        }
        if (container)
                return evict_reason(run, "failed: container " SLICE_FMT " ended with code %d",
                                    SLICE_ARG(cluster_text(cluster, container->name)), code);
        if (pod->detail && pod->detail->reason.index != 0)
                return evict_reason(run, "failed: " SLICE_FMT,
                                    SLICE_ARG(cluster_text(cluster, pod->detail->reason)));
        return evict_reason(run, "failed");
}

static int remove_failed_pods_deschedule(struct desched_run *run, const void *state,
                                         struct err *err) {
        static struct slice failed[] = { SLICE_INIT("Failed") };
        const struct remove_failed_args *args = state;
        const struct lifecycle_rule rule = {
                .select = { .namespaces = args->namespaces,
                            .labels = args->labels,
                            .owner_kinds = { .exclude = args->excluded_owner_kinds } },
                .when = { .phases = { .count = 1, .items = failed },
                          .reasons = args->reasons,
                          .containers = args->containers,
                          .with_init = args->with_init,
                          .has_age = true,
                          .age_ns = lifecycle_seconds(args->min_age_s) },
                .allows_terminal = true,
        };
        (void)err;
        lifecycle_sweep_run(
                run, &(const struct lifecycle_sweep){ .rule = &rule,
                                                      .order = ORDER_BY_NODE,
                                                      .describe = remove_failed_pods_describe });
        return 0;
}

const struct plugin plugin_remove_failed_pods = {
        .name = "RemoveFailedPods",
        .args = fields,
        .args_size = sizeof(struct remove_failed_args),
        .desched = &(const struct desched_points){ .deschedule = remove_failed_pods_deschedule },
        .wakes_on = CLUSTER_POD_STATUS | CLUSTER_POD_ADDED | CLUSTER_POD_REMOVED |
                    CLUSTER_POD_LABELS | CLUSTER_PENDING_UPDATED,
};
