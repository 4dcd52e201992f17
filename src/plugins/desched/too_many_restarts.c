/* RemovePodsHavingTooManyRestarts: pods whose containers restarted often, the worst of each node
 * first (reference descheduler.md 4.3). */
#include "plugins/desched/container_match.h"
#include "plugins/desched/registry.h"
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
        { .name = "namespaces",
          .type = FIELD_STRUCT,
          .offset = MEMBER(namespaces),
          .fields = namespaces_arg_fields,
          .check = namespaces_arg_check,
          .help = "Where to look." },
        { .name = "labelSelector",
          .type = FIELD_CUSTOM,
          .offset = MEMBER(labels),
          .decode = selector_arg_decode,
          .help = "Which pods to look at." },
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

static void check(struct field_reader *reader, const struct json *value, const void *data) {
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

struct restarts_rule {
        const struct restarts_args *args;
        struct pod_scope scope;
        struct name_set states;
        bool wants_running;
        unsigned containers;
};

static int64_t restarts_of(const struct pod_row *pod, unsigned containers) {
        int64_t sum = 0;
        for (uint32_t i = 0; pod->detail && i < pod->detail->container_count; i++)
                if (container_in_scope(&pod->detail->containers[i], containers))
                        sum += pod->detail->containers[i].restarts;
        return sum;
}

static bool is_waiting_so(const struct restarts_rule *rule, const struct pod_row *pod) {
        for (uint32_t i = 0; pod->detail && i < pod->detail->container_count; i++) {
                const struct container_row *container = &pod->detail->containers[i];
                if (container_in_scope(container, rule->containers) && container->is_waiting &&
                    name_set_has(&rule->states, container->waiting_reason))
                        return true;
        }
        return false;
}

struct candidate {
        struct pod_id pod;
        int64_t restarts;
};

static bool is_candidate(struct desched_run *run, const struct restarts_rule *rule,
                         struct candidate *candidate) {
        const struct pod_row *pod = cluster_pod(desched_run_cluster(run), candidate->pod);
        candidate->restarts = restarts_of(pod, rule->containers);
        if (candidate->restarts < rule->args->threshold || !pod_scope_has(run, &rule->scope, pod))
                return false;
        if (rule->args->states.count > 0 && !(rule->wants_running && pod->phase == POD_RUNNING) &&
            !is_waiting_so(rule, pod))
                return false;
        return desched_run_may_evict(run, candidate->pod);
}

/* Few per node; stable, so that the oldest of equals goes first. */
static void insert(struct candidate *list, size_t count, struct candidate candidate) {
        size_t at = count;
        while (at > 0 && list[at - 1].restarts < candidate.restarts) {
                list[at] = list[at - 1];
                at--;
        }
        list[at] = candidate;
}

static bool sweep_node(struct desched_run *run, const struct restarts_rule *rule,
                       struct node_id node) {
        const struct pod_id *pods;
        size_t pod_count = desched_run_pods(run, node, PODS_ALL, &pods), count = 0;
        struct candidate *list = ARENA_ARRAY(desched_run_scratch(run), struct candidate, pod_count);
        for (size_t i = 0; i < pod_count; i++) {
                struct candidate candidate = { .pod = pods[i] };
                if (is_candidate(run, rule, &candidate))
                        insert(list, count++, candidate);
        }
        for (size_t i = 0; i < count; i++) {
                struct slice reason =
                        evict_reason(run, "%lld restarts, the threshold is %d",
                                     (long long)list[i].restarts, rule->args->threshold);
                enum evict_outcome outcome = desched_run_evict(run, list[i].pod, reason);
                if (outcome == EVICT_NODE_LIMIT)
                        return true;
                if (outcome == EVICT_TOTAL_LIMIT)
                        return false;
        }
        return true;
}

static bool has_text(const struct text_list *list, const char *text) {
        for (size_t i = 0; i < list->count; i++)
                if (slice_is(list->items[i], text))
                        return true;
        return false;
}

static int deschedule(struct desched_run *run, const void *state, struct err *err) {
        (void)err;
        const struct restarts_args *args = state;
        const struct restarts_rule rule = {
                .args = args,
                .scope = pod_scope_make(run, &args->namespaces, &args->labels),
                .states = name_set_make(desched_run_cluster(run), &args->states,
                                        desched_run_scratch(run)),
                .wants_running = has_text(&args->states, "Running"),
                .containers = args->with_init ? SCOPE_INIT : SCOPE_MAIN,
        };
        struct node_batch_list nodes = desched_run_nodes(run);
        for (size_t i = 0; i < nodes.count; i++)
                if (!sweep_node(run, &rule, nodes.nodes[i]))
                        break;
        return 0;
}

const struct plugin plugin_too_many_restarts = {
        .name = "RemovePodsHavingTooManyRestarts",
        .args = fields,
        .args_size = sizeof(struct restarts_args),
        .check = check,
        .desched = &(const struct desched_points){ .deschedule = deschedule },
        .wakes_on = CLUSTER_POD_STATUS | CLUSTER_POD_ADDED | CLUSTER_POD_REMOVED |
                    CLUSTER_POD_LABELS | CLUSTER_PENDING_UPDATED,
};
