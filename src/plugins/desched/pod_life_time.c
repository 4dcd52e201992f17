/* PodLifeTime: pods by age, state, condition, exit code and owner (reference descheduler.md 4.1);
 * the oldest go first.  Its arguments are put as a rule of PodLifecycle. */
#include "base/util.h"
#include "plugins/desched/lifecycle_sweep.h"
#include "plugins/desched/sweep.h"

struct condition_arg {
        struct slice type, status, reason;
        bool has_min_age;
        int64_t min_age_s;
};
struct pod_life_time_args {
        struct namespaces_arg namespaces;
        struct selector_arg labels;
        struct kinds_arg owner_kinds;
        bool has_max_age, with_init, with_ephemeral, has_terminal, allows_terminal;
        int64_t max_age_s;
        struct text_list states;
        struct item_list conditions; /* struct condition_arg */
        struct container_query_arg containers;
};

#define MEMBER(type, member) offsetof(struct type, member), .presence = FIELD_NO_PRESENCE

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
        NAMESPACES_FIELD(MEMBER(pod_life_time_args, namespaces)),
        LABELS_FIELD(MEMBER(pod_life_time_args, labels)),
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
          .offset = offsetof(struct pod_life_time_args, allows_terminal),
          .presence = offsetof(struct pod_life_time_args, has_terminal),
          .help = "Whether finished pods are seen; without it they are when the rule names a "
                  "state, a "
                  "condition or an exit code." },
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

static bool names_finished_only(const struct text_list *states) {
        for (size_t i = 0; i < states->count; i++)
                if (!slice_is(states->items[i], "Succeeded") &&
                    !slice_is(states->items[i], "Failed"))
                        return false;
        return states->count > 0;
}

static void pod_life_time_check(struct field_reader *reader, const struct json *value,
                                const void *data) {
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
        if (args->has_terminal && !args->allows_terminal && names_finished_only(&args->states))
                field_problem(reader, value, "allowTerminal",
                              "no pod matches: the states are those of finished pods");
}

/* ---- as a rule ---- */

/* Phases and reasons are one list. */
static void put_states(const struct pod_life_time_args *args, struct arena *arena,
                       struct lifecycle_condition *ret_condition) {
        struct lifecycle_condition *either = ARENA_ARRAY(arena, struct lifecycle_condition, 2);
        either[0].phases = args->states;
        either[1].reasons = args->states;
        either[1].with_init = args->with_init;
        either[1].with_ephemeral = args->with_ephemeral;
        ret_condition->any = (struct item_list){ .count = 2, .items = either };
}

static void put_conditions(const struct pod_life_time_args *args, struct arena *arena,
                           struct lifecycle_condition *ret_condition) {
        size_t count = args->conditions.count;
        const struct condition_arg *items = args->conditions.items;
        struct lifecycle_state *states = ARENA_ARRAY(arena, struct lifecycle_state, count);
        struct lifecycle_condition *any = ARENA_ARRAY(arena, struct lifecycle_condition, count);
        for (size_t i = 0; i < count; i++) {
                states[i] =
                        (struct lifecycle_state){ .type = items[i].type,
                                                  .status = items[i].status,
                                                  .reason = items[i].reason,
                                                  .has_for = items[i].has_min_age,
                                                  .for_ns = lifecycle_seconds(items[i].min_age_s) };
                any[i].state = &states[i];
        }
        ret_condition->any = (struct item_list){ .count = count, .items = any };
}

static const struct lifecycle_rule *put_rule(struct desched_run *run,
                                             const struct pod_life_time_args *args) {
        struct arena *arena = desched_run_scratch(run);
        struct lifecycle_rule *rule = ARENA_ARRAY(arena, struct lifecycle_rule, 1);
        struct lifecycle_condition *all = ARENA_ARRAY(arena, struct lifecycle_condition, 2);
        bool names_state =
                args->states.count > 0 || args->conditions.count > 0 || names_codes(args);
        size_t count = 0;
        if (args->states.count > 0)
                put_states(args, arena, &all[count++]);
        if (args->conditions.count > 0)
                put_conditions(args, arena, &all[count++]);
        rule->select = (struct lifecycle_select){ .namespaces = args->namespaces,
                                                  .labels = args->labels,
                                                  .owner_kinds = args->owner_kinds };
        rule->allows_terminal = args->has_terminal ? args->allows_terminal
                                                   : names_state || desched_run_is_parity(run);
        rule->leaves_jobs_with_ttl = !desched_run_is_parity(run);
        rule->when = (struct lifecycle_condition){ .containers = args->containers,
                                                   .with_init = args->with_init,
                                                   .with_ephemeral = args->with_ephemeral,
                                                   .has_age = args->has_max_age,
                                                   .all = { .count = count, .items = all } };
        /* Older than the maximum in whole seconds. */
        if (args->has_max_age)
                rule->when.age_ns = args->max_age_s == INT64_MAX
                                            ? INT64_MAX
                                            : lifecycle_seconds(args->max_age_s + 1);
        return rule;
}

static struct slice pod_life_time_describe(struct desched_run *run, const struct rule_plan *plan,
                                           const struct pod_row *pod) {
        char age[DURATION_TEXT_MAX] = "?";
        int64_t age_s;
        if (age_seconds(pod->created, desched_run_now(run), &age_s) && age_s < INT32_MAX)
                duration_format_human(age_s * NS_PER_S, age);
        int32_t code;
        const struct container_row *container =
                container_query_find(rule_plan_containers(plan), pod, &code);
        if (container)
                return evict_reason(
                        run, "%s, %s old, container " SLICE_FMT " ended with code %d",
                        pod_phase_name((enum pod_phase)pod->phase), age,
                        SLICE_ARG(cluster_text(desched_run_cluster(run), container->name)), code);
        return evict_reason(run, "%s, %s old", pod_phase_name((enum pod_phase)pod->phase), age);
}

static int pod_life_time_deschedule(struct desched_run *run, const void *state, struct err *err) {
        (void)err;
        lifecycle_sweep_run(run,
                            &(const struct lifecycle_sweep){ .rule = put_rule(run, state),
                                                             .order = ORDER_OLDEST,
                                                             .describe = pod_life_time_describe });
        return 0;
}

const struct plugin plugin_pod_life_time = {
        .name = "PodLifeTime",
        .args = fields,
        .args_size = sizeof(struct pod_life_time_args),
        .check = pod_life_time_check,
        .desched = &(const struct desched_points){ .deschedule = pod_life_time_deschedule },
        .wakes_on = CLUSTER_POD_STATUS | CLUSTER_POD_ADDED | CLUSTER_POD_REMOVED |
                    CLUSTER_POD_LABELS | CLUSTER_PENDING_UPDATED,
};
