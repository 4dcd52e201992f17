/* PodLifeTime: pods by age, state, condition, exit code and owner (reference descheduler.md 4.1);
 * the oldest go first. */
#include "base/util.h"
#include "plugins/desched/container_query.h"
#include "plugins/desched/registry.h"
#include "plugins/desched/sweep.h"

struct owner_kinds_arg {
        struct text_list include, exclude;
};
struct condition_arg {
        struct slice type, status, reason;
        bool has_min_age;
        int64_t min_age_s;
};
struct pod_life_time_args {
        struct namespaces_arg namespaces;
        struct selector_arg labels;
        struct owner_kinds_arg owner_kinds;
        bool has_max_age, with_init, with_ephemeral, allows_terminal;
        int64_t max_age_s;
        struct text_list states;
        struct item_list conditions; /* struct condition_arg */
        struct container_query_arg containers;
};

#define MEMBER(type, member) offsetof(struct type, member), .presence = FIELD_NO_PRESENCE

static const struct field owner_kinds_fields[] = {
        { .name = "include",
          .type = FIELD_TEXTS,
          .offset = MEMBER(owner_kinds_arg, include),
          .help = "Only pods with an owner of such a kind." },
        { .name = "exclude",
          .type = FIELD_TEXTS,
          .offset = MEMBER(owner_kinds_arg, exclude),
          .help = "Only pods without an owner of such a kind." },
        FIELD_END,
};
static const struct field condition_fields[] = {
        { .name = "type",
          .type = FIELD_TEXT,
          .offset = MEMBER(condition_arg, type),
          .help = "Type of the condition." },
        { .name = "status",
          .type = FIELD_TEXT,
          .offset = MEMBER(condition_arg, status),
          .help = "True, False or Unknown." },
        { .name = "reason",
          .type = FIELD_TEXT,
          .offset = MEMBER(condition_arg, reason),
          .help = "Reason of the condition." },
        { .name = "minTimeSinceLastTransitionSeconds",
          .type = FIELD_I64,
          .offset = offsetof(struct condition_arg, min_age_s),
          .presence = offsetof(struct condition_arg, has_min_age),
          .is_bounded = true,
          .min = 0,
          .max = INT64_MAX,
          .help = "How long the condition must have been so." },
        FIELD_END,
};

static const struct field fields[] = {
        { .name = "namespaces",
          .type = FIELD_STRUCT,
          .offset = MEMBER(pod_life_time_args, namespaces),
          .fields = namespaces_arg_fields,
          .check = namespaces_arg_check,
          .help = "Where to look." },
        { .name = "labelSelector",
          .type = FIELD_CUSTOM,
          .offset = MEMBER(pod_life_time_args, labels),
          .decode = selector_arg_decode,
          .help = "Which pods to look at." },
        { .name = "ownerKinds",
          .type = FIELD_STRUCT,
          .offset = MEMBER(pod_life_time_args, owner_kinds),
          .fields = owner_kinds_fields,
          .help = "Which owners the pods must or must not have." },
        { .name = "maxPodLifeTimeSeconds",
          .type = FIELD_I64,
          .offset = offsetof(struct pod_life_time_args, max_age_s),
          .presence = offsetof(struct pod_life_time_args, has_max_age),
          .is_bounded = true,
          .min = 0,
          .max = INT64_MAX,
          .help = "Only pods older than this." },
        { .name = "states",
          .type = FIELD_TEXTS,
          .offset = MEMBER(pod_life_time_args, states),
          .help = "Phases, pod reasons, and reasons of waiting or terminated containers." },
        { .name = "conditions",
          .type = FIELD_LIST,
          .offset = MEMBER(pod_life_time_args, conditions),
          .fields = condition_fields,
          .item_size = sizeof(struct condition_arg),
          .help = "Pod conditions, one of which must hold." },
        CONTAINER_QUERY_FIELDS(pod_life_time_args, containers),
        { .name = "includingInitContainers",
          .type = FIELD_BOOL,
          .offset = MEMBER(pod_life_time_args, with_init),
          .help = "Look at init containers as well." },
        { .name = "includingEphemeralContainers",
          .type = FIELD_BOOL,
          .offset = MEMBER(pod_life_time_args, with_ephemeral),
          .help = "Look at ephemeral containers as well." },
        { .name = "allowTerminal",
          .type = FIELD_BOOL,
          .offset = MEMBER(pod_life_time_args, allows_terminal),
          .help = "Let a rule that names no state catch finished pods, too." },
        FIELD_END,
};

/* ---- checks ---- */

static const char *const known_states[] = {
        "Running",
        "Pending",
        "Succeeded",
        "Failed",
        "Unknown",
        "NodeAffinity",
        "NodeLost",
        "Shutdown",
        "UnexpectedAdmissionError",
        "PodInitializing",
        "ContainerCreating",
        "ImagePullBackOff",
        "CrashLoopBackOff",
        "CreateContainerConfigError",
        "ErrImagePull",
        "CreateContainerError",
        "InvalidImageName",
        "OOMKilled",
        "Error",
        "Completed",
        "DeadlineExceeded",
        "Evicted",
        "ContainerCannotRun",
        "StartError",
};

static bool is_known_state(struct slice state) {
        for (size_t i = 0; i < ARRAY_LEN(known_states); i++)
                if (slice_is(state, known_states[i]))
                        return true;
        return false;
}

static void check_conditions(struct field_reader *reader, const struct json *value,
                             const struct item_list *list) {
        const struct condition_arg *items = list->items;
        for (size_t i = 0; i < list->count; i++)
                if (items[i].type.len + items[i].status.len + items[i].reason.len == 0 &&
                    !items[i].has_min_age)
                        field_problem(reader, value, "conditions",
                                      "condition %zu must set at least one field", i);
}

static bool names_codes(const struct pod_life_time_args *args) {
        const struct container_query_arg *arg = &args->containers;
        return arg->codes.count + arg->init_codes.count + arg->sidecar_codes.count > 0;
}

static void check(struct field_reader *reader, const struct json *value, const void *data) {
        const struct pod_life_time_args *args = data;
        if (!args->has_max_age && args->states.count + args->conditions.count == 0 &&
            !names_codes(args))
                field_problem(reader, value, NULL,
                              "at least one of maxPodLifeTimeSeconds, states, conditions, "
                              "exitCodes must be set");
        if (args->owner_kinds.include.count > 0 && args->owner_kinds.exclude.count > 0)
                field_problem(reader, value, "ownerKinds",
                              "only one of include and exclude can be set");
        for (size_t i = 0; i < args->states.count; i++)
                if (!is_known_state(args->states.items[i]))
                        field_problem(reader, value, "states",
                                      "\"" SLICE_FMT "\" is not a state this plugin knows",
                                      SLICE_ARG(args->states.items[i]));
        check_conditions(reader, value, &args->conditions);
}

/* ---- rule ---- */

struct life_rule {
        const struct pod_life_time_args *args;
        struct pod_scope scope;
        struct name_set states, included_kinds, excluded_kinds;
        unsigned phases, roles; /* phases: bits by enum pod_phase */
        struct container_query containers;
        bool skips_finished;
};

static unsigned phases_of(const struct text_list *states) {
        unsigned phases = 0;
        for (size_t i = 0; i < states->count; i++)
                for (int phase = POD_PENDING; phase <= POD_UNKNOWN; phase++)
                        if (slice_is(states->items[i], pod_phase_name((enum pod_phase)phase)))
                                phases |= 1u << phase;
        return phases;
}

static struct life_rule make_rule(struct desched_run *run, const struct pod_life_time_args *args) {
        const struct cluster *cluster = desched_run_cluster(run);
        struct arena *scratch = desched_run_scratch(run);
        bool names_state =
                args->states.count > 0 || args->conditions.count > 0 || names_codes(args);
        unsigned roles =
                (args->with_init ? SCOPE_INIT : 0u) | (args->with_ephemeral ? SCOPE_EPHEMERAL : 0u);
        return (struct life_rule){
                .args = args,
                .scope = pod_scope_make(run, &args->namespaces, &args->labels),
                .states = name_set_make(cluster, &args->states, scratch),
                .included_kinds = name_set_make(cluster, &args->owner_kinds.include, scratch),
                .excluded_kinds = name_set_make(cluster, &args->owner_kinds.exclude, scratch),
                .phases = phases_of(&args->states),
                .roles = roles,
                .containers = container_query_make(run, &args->containers, NULL, roles),
                .skips_finished =
                        !names_state && !args->allows_terminal && !desched_run_is_parity(run),
        };
}

/* Older than the limit, in whole seconds. */
static bool is_too_old(struct desched_run *run, const struct life_rule *rule,
                       const struct pod_row *pod) {
        int64_t max_age_s = rule->args->max_age_s;
        return !rule->args->has_max_age ||
               (max_age_s < INT64_MAX && is_old_enough(run, pod->created, max_age_s + 1));
}

static bool has_state(const struct life_rule *rule, const struct pod_row *pod) {
        return rule->args->states.count == 0 || rule->phases & 1u << pod->phase ||
               pod_has_reason(pod, &rule->states) || find_reason(pod, rule->roles, &rule->states);
}

static bool has_owner(const struct life_rule *rule, const struct pod_row *pod) {
        if (rule->args->owner_kinds.include.count > 0)
                return pod_has_owner_kind(pod, &rule->included_kinds);
        return !pod_has_owner_kind(pod, &rule->excluded_kinds);
}

static bool is_status(enum condition_status status, struct slice text) {
        switch (status) {
        case CONDITION_TRUE:
                return slice_is(text, "True");
        case CONDITION_FALSE:
                return slice_is(text, "False");
        case CONDITION_UNKNOWN:
                return slice_is(text, "Unknown");
        }
        return false;
}

static bool condition_agrees(struct desched_run *run, const struct condition_arg *arg,
                             const struct condition_row *row) {
        const struct cluster *cluster = desched_run_cluster(run);
        if (arg->type.len > 0 && !slice_eq(arg->type, cluster_text(cluster, row->type)))
                return false;
        if (arg->reason.len > 0 && !slice_eq(arg->reason, cluster_text(cluster, row->reason)))
                return false;
        if (arg->status.len > 0 && !is_status((enum condition_status)row->status, arg->status))
                return false;
        if (!arg->has_min_age)
                return true;
        return is_old_enough(run, row->changed, arg->min_age_s);
}

static bool has_condition(struct desched_run *run, const struct life_rule *rule,
                          const struct pod_row *pod) {
        const struct item_list *list = &rule->args->conditions;
        const struct condition_arg *items = list->items;
        const struct pod_detail *detail = pod->detail;
        for (size_t i = 0; i < list->count; i++)
                for (uint32_t j = 0; detail && j < detail->condition_count; j++)
                        if (condition_agrees(run, &items[i], &detail->conditions[j]))
                                return true;
        return list->count == 0;
}

static bool rule_wants(struct desched_run *run, const struct life_rule *rule,
                       const struct pod_row *pod) {
        if (rule->skips_finished && pod_row_is_finished(pod))
                return false;
        return pod_scope_has(run, &rule->scope, pod) && has_state(rule, pod) &&
               has_owner(rule, pod) && has_condition(run, rule, pod) &&
               container_query_matches(&rule->containers, pod) && is_too_old(run, rule, pod);
}

static struct slice describe(struct desched_run *run, const struct life_rule *rule,
                             const struct pod_row *pod) {
        char age[DURATION_TEXT_MAX] = "?";
        int64_t age_s;
        if (age_seconds(pod->created, desched_run_now(run), &age_s) && age_s < INT32_MAX)
                duration_format_human(age_s * NS_PER_S, age);
        int32_t code;
        const struct container_row *container = container_query_find(&rule->containers, pod, &code);
        if (container)
                return evict_reason(
                        run, "%s, %s old, container " SLICE_FMT " ended with code %d",
                        pod_phase_name((enum pod_phase)pod->phase), age,
                        SLICE_ARG(cluster_text(desched_run_cluster(run), container->name)), code);
        return evict_reason(run, "%s, %s old", pod_phase_name((enum pod_phase)pod->phase), age);
}

/* ---- evicting ---- */

struct found_pods { /* found so far */
        struct pod_id *pods;
        size_t count, cap;
};

static void add_found(struct desched_run *run, struct found_pods *found, struct pod_id pod) {
        if (found->count == found->cap) {
                found->cap = found->cap ? found->cap * 2 : 64;
                struct pod_id *more =
                        ARENA_ARRAY(desched_run_scratch(run), struct pod_id, found->cap);
                if (found->count > 0)
                        memcpy(more, found->pods, found->count * sizeof(*more));
                found->pods = more;
        }
        found->pods[found->count++] = pod;
}

static void look_at(struct desched_run *run, const struct life_rule *rule,
                    const struct pod_id *pods, size_t count, struct found_pods *found) {
        const struct cluster *cluster = desched_run_cluster(run);
        for (size_t i = 0; i < count; i++)
                if (rule_wants(run, rule, cluster_pod(cluster, pods[i])) &&
                    desched_run_may_evict(run, pods[i]))
                        add_found(run, found, pods[i]);
}

static size_t collect(struct desched_run *run, const struct life_rule *rule,
                      struct pod_id **ret_pods) {
        struct node_batch_list nodes = desched_run_nodes(run);
        struct found_pods found = { 0 };
        const struct pod_id *pods;
        for (size_t n = 0; n < nodes.count; n++) {
                size_t count = desched_run_pods(run, nodes.nodes[n], PODS_ALL, &pods);
                look_at(run, rule, pods, count, &found);
        }
        size_t count = desched_run_pods_elsewhere(run, &pods);
        look_at(run, rule, pods, count, &found);
        *ret_pods = found.pods;
        return found.count;
}

static int deschedule(struct desched_run *run, const void *state, struct err *err) {
        (void)err;
        const struct cluster *cluster = desched_run_cluster(run);
        const struct life_rule rule = make_rule(run, state);
        struct pod_id *pods;
        size_t count = collect(run, &rule, &pods);
        const struct pod_order order = { cluster, desched_pod_order };
        desched_sort_pods(&order, pods, count, desched_run_scratch(run));
        for (size_t i = 0; i < count; i++) {
                struct slice reason = describe(run, &rule, cluster_pod(cluster, pods[i]));
                if (desched_run_evict(run, pods[i], reason) == EVICT_TOTAL_LIMIT)
                        break;
        }
        return 0;
}

const struct plugin plugin_pod_life_time = {
        .name = "PodLifeTime",
        .args = fields,
        .args_size = sizeof(struct pod_life_time_args),
        .check = check,
        .desched = &(const struct desched_points){ .deschedule = deschedule },
        .wakes_on = CLUSTER_POD_STATUS | CLUSTER_POD_ADDED | CLUSTER_POD_REMOVED |
                    CLUSTER_POD_LABELS | CLUSTER_PENDING_UPDATED,
};
