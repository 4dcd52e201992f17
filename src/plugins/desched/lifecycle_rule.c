/* Reading the rules of PodLifecycle; lifecycle_check.c says what is wrong with them. */
#include "plugins/desched/lifecycle_rule.h"
#include "base/util.h"
#include "plugins/desched/pod_gc.h"
#include <stdio.h>

#define MEMBER(type, member) offsetof(struct type, member), .presence = FIELD_NO_PRESENCE
#define OPTIONAL(type, member, flag)                                                               \
        offsetof(struct type, member), .presence = offsetof(struct type, flag)

/* Conditions nest; what a policy needs does not come near. */
#define CONDITION_DEPTH_MAX 16

static const char *const since_names[] = { "Creation", "Start", "Finish", "Transition", NULL };
static const char *const action_names[] = { "Evict", "Delete", "Report", "Keep", NULL };
static const char *const group_names[] = { "Rule", "Namespace", "Owner", "Label", NULL };

/* ---- select ---- */

static void check_kinds(struct field_reader *reader, const struct json *value, const void *member) {
        const struct kinds_arg *kinds = member;
        if (kinds->include.count > 0 && kinds->exclude.count > 0)
                field_problem(reader, value, NULL, "only one of include and exclude can be set");
}

const struct field owner_kinds_fields[] = {
        { .name = "include",
          .type = FIELD_TEXTS,
          .offset = MEMBER(kinds_arg, include),
          .help = "Only pods with an owner of such a kind." },
        { .name = "exclude",
          .type = FIELD_TEXTS,
          .offset = MEMBER(kinds_arg, exclude),
          .help = "Only pods without an owner of such a kind." },
        FIELD_END,
};
static const struct field priority_fields[] = {
        { .name = "max",
          .type = FIELD_I32,
          .offset = OPTIONAL(priority_range_arg, max, has_max),
          .help = "Only pods of at most this priority." },
        { .name = "min",
          .type = FIELD_I32,
          .offset = OPTIONAL(priority_range_arg, min, has_min),
          .help = "Only pods of at least this priority." },
        FIELD_END,
};
static const struct field select_fields[] = {
        NAMESPACES_FIELD(MEMBER(lifecycle_select, namespaces)),
        { .name = "labelSelector",
          .type = FIELD_CUSTOM,
          .offset = MEMBER(lifecycle_select, labels),
          .decode = selector_arg_decode,
          .help = "Labels of the pods." },
        { .name = "ownerKinds",
          .type = FIELD_STRUCT,
          .offset = MEMBER(lifecycle_select, owner_kinds),
          .fields = owner_kinds_fields,
          .check = check_kinds,
          .help = "Which owners the pods must or must not have." },
        { .name = "priority",
          .type = FIELD_STRUCT,
          .offset = MEMBER(lifecycle_select, priority),
          .fields = priority_fields,
          .help = "Range of priorities; pods without one count as 0." },
        { .name = "nodeSelector",
          .type = FIELD_CUSTOM,
          .offset = MEMBER(lifecycle_select, nodes),
          .decode = selector_arg_decode,
          .help = "Labels of the pods' node, as a label selector." },
        FIELD_END,
};

/* ---- when ---- */

static const struct field state_fields[] = {
        { .name = "type",
          .type = FIELD_TEXT,
          .offset = MEMBER(lifecycle_state, type),
          .flags = FIELD_REQUIRED | FIELD_NON_EMPTY,
          .help = "Type of the condition." },
        { .name = "status",
          .type = FIELD_TEXT,
          .offset = MEMBER(lifecycle_state, status),
          .help = "True, False or Unknown; any when not given." },
        { .name = "reason",
          .type = FIELD_TEXT,
          .offset = MEMBER(lifecycle_state, reason),
          .help = "Reason of the condition; any when not given." },
        { .name = "for",
          .type = FIELD_DURATION,
          .offset = OPTIONAL(lifecycle_state, for_ns, has_for),
          .is_bounded = true,
          .min = 0,
          .max = INT64_MAX,
          .help = "How long it must have been so." },
        FIELD_END,
};

static void decode_condition(struct field_reader *reader, const struct json *value, void *member);
static void decode_conditions(struct field_reader *reader, const struct json *value, void *member);
static void decode_inverse(struct field_reader *reader, const struct json *value, void *member);

static void check_phases(struct field_reader *reader, const struct json *value,
                         const void *member) {
        const struct text_list *phases = member;
        for (size_t i = 0; i < phases->count; i++) {
                bool is_known = false;
                for (int phase = POD_PENDING; phase <= POD_UNKNOWN; phase++)
                        is_known |=
                                slice_is(phases->items[i], pod_phase_name((enum pod_phase)phase));
                if (!is_known)
                        field_problem(reader, value, NULL, "\"" SLICE_FMT "\" is not a phase",
                                      SLICE_ARG(phases->items[i]));
        }
}

static const struct field condition_fields[] = {
        { .name = "phases",
          .type = FIELD_TEXTS,
          .offset = MEMBER(lifecycle_condition, phases),
          .check = check_phases,
          .help = "Pending, Running, Succeeded, Failed, Unknown." },
        { .name = "reasons",
          .type = FIELD_TEXTS,
          .offset = MEMBER(lifecycle_condition, reasons),
          .help = "Reasons of the pod, or of a waiting or terminated container." },
        { .name = "waitingReasons",
          .type = FIELD_TEXTS,
          .offset = MEMBER(lifecycle_condition, waiting),
          .help = "Reasons a container waits for, such as CrashLoopBackOff." },
        CONTAINER_QUERY_FIELDS(lifecycle_condition, containers),
        { .name = "includingInitContainers",
          .type = FIELD_BOOL,
          .offset = MEMBER(lifecycle_condition, with_init),
          .help = "Let reasons, exitCodes and restarts look at init containers as well." },
        { .name = "includingEphemeralContainers",
          .type = FIELD_BOOL,
          .offset = MEMBER(lifecycle_condition, with_ephemeral),
          .help = "Let reasons and restarts look at ephemeral containers as well." },
        { .name = "condition",
          .type = FIELD_POINTER,
          .offset = MEMBER(lifecycle_condition, state),
          .fields = state_fields,
          .item_size = sizeof(struct lifecycle_state),
          .help = "A condition of the pod's status." },
        { .name = "minRestarts",
          .type = FIELD_I32,
          .offset = OPTIONAL(lifecycle_condition, min_restarts, has_min_restarts),
          .is_bounded = true,
          .min = 1,
          .max = INT32_MAX,
          .help = "Restarts, summed over containers." },
        { .name = "olderThan",
          .type = FIELD_DURATION,
          .offset = OPTIONAL(lifecycle_condition, age_ns, has_age),
          .is_bounded = true,
          .min = 0,
          .max = INT64_MAX,
          .help = "Time passed since what `since` says." },
        { .name = "since",
          .type = FIELD_CHOICE,
          .offset = MEMBER(lifecycle_condition, since),
          .choices = since_names,
          .help = "What olderThan counts from." },
        { .name = "all",
          .type = FIELD_CUSTOM,
          .offset = MEMBER(lifecycle_condition, all),
          .decode = decode_conditions,
          .help = "Conditions that must all hold." },
        { .name = "any",
          .type = FIELD_CUSTOM,
          .offset = MEMBER(lifecycle_condition, any),
          .decode = decode_conditions,
          .help = "Conditions one of which must hold." },
        { .name = "not",
          .type = FIELD_CUSTOM,
          .offset = MEMBER(lifecycle_condition, inverse),
          .decode = decode_inverse,
          .help = "A condition that must not hold." },
        FIELD_END,
};

/* The path has the depth: each level adds one of these words. */
static bool is_too_deep(struct field_reader *reader, const struct json *value) {
        size_t depth = 0;
        for (const char *at = reader->path; *at; at++)
                depth += *at == '.';
        if (depth <= CONDITION_DEPTH_MAX)
                return false;
        field_problem(reader, value, NULL, "conditions are nested too deeply");
        return true;
}

static void decode_condition(struct field_reader *reader, const struct json *value, void *member) {
        if (!is_too_deep(reader, value))
                fields_decode(reader, condition_fields, value, member);
}

static void decode_conditions(struct field_reader *reader, const struct json *value, void *member) {
        struct item_list *list = member;
        if (json_type(value) != JSON_ARRAY || json_count(value) == 0) {
                field_problem(reader, value, NULL, "expected a list of conditions");
                return;
        }
        list->count = json_count(value);
        list->items = ARENA_ARRAY(reader->arena, struct lifecycle_condition, list->count);
        struct json_iter iter = json_iter(value);
        const struct json *item;
        size_t length = strlen(reader->path);
        for (size_t i = 0; json_next(&iter, NULL, &item); i++) {
                snprintf(reader->path + length, sizeof(reader->path) - length, "[%zu]", i);
                decode_condition(reader, item, (struct lifecycle_condition *)list->items + i);
                reader->path[length] = '\0';
        }
}

static void decode_inverse(struct field_reader *reader, const struct json *value, void *member) {
        struct lifecycle_condition *inverse =
                ARENA_ARRAY(reader->arena, struct lifecycle_condition, 1);
        decode_condition(reader, value, inverse);
        *(struct lifecycle_condition **)member = inverse;
}

/* ---- rules ---- */

static const struct field retention_fields[] = {
        { .name = "ttl",
          .type = FIELD_DURATION,
          .offset = OPTIONAL(retention_arg, ttl_ns, has_ttl),
          .is_bounded = true,
          .min = 0,
          .max = INT64_MAX,
          .help = "Younger pods stay." },
        { .name = "since",
          .type = FIELD_CHOICE,
          .offset = MEMBER(retention_arg, since),
          .choices = since_names,
          .fallback = "\"Finish\"",
          .help = "What ttl counts from, and what makes a pod the newest." },
        { .name = "keepNewest",
          .type = FIELD_I32,
          .offset = OPTIONAL(retention_arg, newest, has_newest),
          .is_bounded = true,
          .min = 0,
          .max = INT32_MAX,
          .help = "So many of each group stay, however old." },
        { .name = "per",
          .type = FIELD_CHOICE,
          .offset = MEMBER(retention_arg, group),
          .choices = group_names,
          .help = "What makes a group: one of all, or by namespace, owner, or label value." },
        { .name = "label",
          .type = FIELD_TEXT,
          .offset = MEMBER(retention_arg, label),
          .help = "The label of per: Label; values count by namespace." },
        FIELD_END,
};
static const struct field rule_fields[] = {
        { .name = "name",
          .type = FIELD_TEXT,
          .offset = MEMBER(lifecycle_rule, name),
          .flags = FIELD_REQUIRED | FIELD_NON_EMPTY,
          .help = "For records and events." },
        { .name = "select",
          .type = FIELD_STRUCT,
          .offset = MEMBER(lifecycle_rule, select),
          .fields = select_fields,
          .help = "Which pods; all when not given." },
        { .name = "when",
          .type = FIELD_CUSTOM,
          .offset = MEMBER(lifecycle_rule, when),
          .decode = decode_condition,
          .help = "What must hold for them." },
        { .name = "action",
          .type = FIELD_CHOICE,
          .offset = MEMBER(lifecycle_rule, action),
          .choices = action_names,
          .flags = FIELD_REQUIRED,
          .help = "What is done; Keep hides the pods from later rules." },
        { .name = "allowTerminal",
          .type = FIELD_BOOL,
          .offset = MEMBER(lifecycle_rule, allows_terminal),
          .help = "Let the rule see finished pods." },
        { .name = "retention",
          .type = FIELD_POINTER,
          .offset = MEMBER(lifecycle_rule, retention),
          .fields = retention_fields,
          .item_size = sizeof(struct retention_arg),
          .help = "Which of them stay all the same." },
        { .name = "maxPerPass",
          .type = FIELD_I32,
          .offset = OPTIONAL(lifecycle_rule, cap, has_cap),
          .is_bounded = true,
          .min = 0,
          .max = INT32_MAX,
          .help = "Cap of this rule, besides the limits of the policy." },
        FIELD_END,
};
const struct field pod_lifecycle_fields[] = {
        { .name = "rules",
          .type = FIELD_LIST,
          .offset = MEMBER(pod_lifecycle_args, rules),
          .fields = rule_fields,
          .item_size = sizeof(struct lifecycle_rule),
          .flags = FIELD_REQUIRED | FIELD_NON_EMPTY,
          .help = "In order: the first whose select and when hold decides about a pod." },
        { .name = "podGCThreshold",
          .type = FIELD_I64,
          .offset = MEMBER(pod_lifecycle_args, pod_gc_threshold),
          .is_bounded = true,
          .min = 0,
          .max = INT32_MAX,
          .fallback = POD_GC_THRESHOLD_DEFAULT,
          .help = "The cluster's --terminated-pod-gc-threshold: finished pods above it are left to "
                  "PodGC; 0 when that is off." },
        FIELD_END,
};
