/* Rules of PodLifecycle: which pods, in which condition, and what is done with them.  PodLifeTime,
 * RemoveFailedPods and RemovePodsHavingTooManyRestarts are such rules, too, under upstream's names.
 * lifecycle_rule.c reads them, lifecycle_match.c asks whether a pod meets one, lifecycle_sweep.c
 * carries out those of upstream's strategies. */
#pragma once

#include "plugins/desched/container_query.h"

enum lifecycle_since { SINCE_CREATION, SINCE_START, SINCE_FINISH, SINCE_TRANSITION };
enum lifecycle_action {
        LIFECYCLE_EVICT,
        LIFECYCLE_DELETE, /* finished pods only */
        LIFECYCLE_REPORT,
        LIFECYCLE_KEEP, /* later rules do not see the pod */
};
enum retention_group { PER_RULE, PER_NAMESPACE, PER_OWNER, PER_LABEL };

struct kinds_arg {
        struct text_list include, exclude;
};
extern const struct field owner_kinds_fields[];
struct priority_range_arg {
        int32_t min, max;
        bool has_min, has_max;
};
struct lifecycle_select {
        struct namespaces_arg namespaces;
        struct selector_arg labels, nodes;
        struct kinds_arg owner_kinds;
        struct priority_range_arg priority;
};

struct lifecycle_state {                   /* one condition of the pod's status */
        struct slice type, status, reason; /* "" = any */
        int64_t for_ns;                    /* it must have been so for that long */
        bool has_for;
};
/* Everything given must hold; nothing given always holds. */
struct lifecycle_condition {
        struct text_list phases, reasons;
        struct text_list waiting; /* reasons a container waits for */
        struct container_query_arg containers;
        bool with_init, with_ephemeral, has_min_restarts, has_age;
        int32_t min_restarts;
        struct lifecycle_state *state; /* NULL = not asked */
        int64_t age_ns;
        int since;                           /* enum lifecycle_since */
        struct item_list all, any;           /* struct lifecycle_condition */
        struct lifecycle_condition *inverse; /* "not"; NULL = none */
};
struct retention_arg {
        int64_t ttl_ns;
        bool has_ttl, has_newest;
        int since, group; /* enum lifecycle_since, enum retention_group */
        int32_t newest;
        struct slice label;
};
struct lifecycle_rule {
        struct slice name;
        struct lifecycle_select select;
        struct lifecycle_condition when;
        int action; /* enum lifecycle_action */
        bool allows_terminal, has_cap;
        bool leaves_jobs_with_ttl; /* finished pods that go with their Job stay */
        int32_t cap;
        struct retention_arg *retention; /* NULL = none */
};
struct pod_lifecycle_args {
        struct item_list rules;   /* struct lifecycle_rule */
        int64_t pod_gc_threshold; /* of the cluster's PodGC; 0 = it is off */
};
extern const struct field pod_lifecycle_fields[];
void pod_lifecycle_check(struct field_reader *reader, const struct json *value, const void *args);

/* ---- rules at work, in one pass ---- */
struct condition_plan; /* a compiled lifecycle_condition */
struct rule_plan {
        const struct lifecycle_rule *rule;
        const struct pod_kinds *kinds;
        uint8_t *verdicts; /* enum kind_verdict: whether the rule looks at pods of the kind */
        struct pod_scope scope;
        struct name_set included_kinds, excluded_kinds;
        const struct condition_plan *when;
};
struct rule_plan rule_plan_make(struct desched_run *run, const struct lifecycle_rule *rule);
/* Notes when a pod that does not match yet will, as far as time alone decides. */
bool rule_plan_matches(struct desched_run *run, const struct rule_plan *plan, struct pod_id pod);
/* What the condition says about containers, for the reason. */
const struct container_query *rule_plan_containers(const struct rule_plan *plan);
/* Summed over containers of the scope (enum container_scope). */
int64_t lifecycle_restarts(const struct pod_row *pod, unsigned scope);
/* Seconds as durations of rules; the longest stands for what is longer. */
int64_t lifecycle_seconds(int64_t seconds);
/* The instant an age counts from; unset when the pod has none of the kind. */
struct wall_time lifecycle_since(const struct pod_row *pod, enum lifecycle_since since);
/* Whether that much time has passed; notes when it will have. */
bool lifecycle_is_due(struct desched_run *run, struct wall_time since, int64_t after_ns);
