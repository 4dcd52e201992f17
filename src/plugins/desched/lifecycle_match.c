/* Whether a pod meets a rule of PodLifecycle.  Conditions are compiled once per pass, names into
 * ids. */
#include "plugins/desched/lifecycle_rule.h"
#include "plugins/desched/pod_gc.h"

struct condition_plan {
        const struct lifecycle_condition *condition;
        struct container_query containers;
        struct name_set waiting;
        unsigned phases, roles; /* bits by enum pod_phase; enum container_scope */
        struct condition_plan *all, *any, *inverse;
};

/* ---- compiling ---- */

static void lifecycle_match_compile(struct desched_run *run,
                                    const struct lifecycle_condition *condition,
                                    struct condition_plan *plan);

static struct condition_plan *compile_list(struct desched_run *run, const struct item_list *list) {
        const struct lifecycle_condition *items = list->items;
        struct condition_plan *plans =
                ARENA_ARRAY(desched_run_scratch(run), struct condition_plan, list->count);
        for (size_t i = 0; i < list->count; i++)
                lifecycle_match_compile(run, &items[i], &plans[i]);
        return plans;
}

static unsigned phases_of(const struct text_list *names) {
        unsigned phases = 0;
        for (size_t i = 0; i < names->count; i++)
                for (int phase = POD_PENDING; phase <= POD_UNKNOWN; phase++)
                        if (slice_is(names->items[i], pod_phase_name((enum pod_phase)phase)))
                                phases |= 1u << phase;
        return phases;
}

static void lifecycle_match_compile(struct desched_run *run,
                                    const struct lifecycle_condition *condition,
                                    struct condition_plan *plan) {
        *plan = (struct condition_plan){
                .condition = condition,
                .waiting = name_set_make(desched_run_cluster(run), &condition->waiting,
                                         desched_run_scratch(run)),
                .phases = phases_of(&condition->phases),
                .roles = (condition->with_init ? SCOPE_INIT : 0u) |
                         (condition->with_ephemeral ? SCOPE_EPHEMERAL : 0u),
                .all = compile_list(run, &condition->all),
                .any = compile_list(run, &condition->any),
        };
        plan->containers =
                container_query_make(run, &condition->containers, &condition->reasons, plan->roles);
        if (!condition->inverse)
                return;
        plan->inverse = ARENA_ARRAY(desched_run_scratch(run), struct condition_plan, 1);
        lifecycle_match_compile(run, condition->inverse, plan->inverse);
}

struct rule_plan rule_plan_make(struct desched_run *run, const struct lifecycle_rule *rule) {
        const struct cluster *cluster = desched_run_cluster(run);
        const struct lifecycle_select *select = &rule->select;
        struct arena *scratch = desched_run_scratch(run);
        struct condition_plan *when = ARENA_ARRAY(scratch, struct condition_plan, 1);
        const struct pod_kinds *kinds = desched_run_kinds(run);
        lifecycle_match_compile(run, &rule->when, when);
        return (struct rule_plan){
                .rule = rule,
                .kinds = kinds,
                .verdicts = ARENA_ARRAY(scratch, uint8_t, kinds->count),
                .scope = pod_scope_make(run, &select->namespaces, &select->labels),
                .included_kinds = name_set_make(cluster, &select->owner_kinds.include, scratch),
                .excluded_kinds = name_set_make(cluster, &select->owner_kinds.exclude, scratch),
                .when = when,
        };
}

/* ---- time ---- */

/* When the last container ended; without container states the latest transition of a condition. */
static struct wall_time finish_of(const struct pod_row *pod) {
        struct wall_time finished = WALL_TIME_UNSET;
        const struct pod_detail *detail = pod->detail;
        if (!pod_row_is_finished(pod))
                return finished;
        for (uint32_t i = 0; detail && i < detail->container_count; i++)
                if (detail->containers[i].is_terminated &&
                    detail->containers[i].finished.ns > finished.ns)
                        finished = detail->containers[i].finished;
        return wall_time_is_set(finished) ? finished : lifecycle_since(pod, SINCE_TRANSITION);
}

struct wall_time lifecycle_since(const struct pod_row *pod, enum lifecycle_since since) {
        struct wall_time latest = WALL_TIME_UNSET;
        const struct pod_detail *detail = pod->detail;
        switch (since) {
        case SINCE_CREATION:
                return pod->created;
        case SINCE_START:
                return pod->started;
        case SINCE_FINISH:
                return finish_of(pod);
        case SINCE_TRANSITION:
                break;
        }
        for (uint32_t i = 0; detail && i < detail->condition_count; i++)
                if (detail->conditions[i].changed.ns > latest.ns)
                        latest = detail->conditions[i].changed;
        return latest;
}

bool lifecycle_is_due(struct desched_run *run, struct wall_time since, int64_t after_ns) {
        struct wall_time due;
        if (!wall_time_is_set(since) || __builtin_add_overflow(since.ns, after_ns, &due.ns))
                return false;
        if (due.ns <= desched_run_now(run).ns)
                return true;
        desched_run_note_due(run, due);
        return false;
}

/* ---- matching ---- */

static bool is_status(enum condition_status status, struct slice text) {
        static const char *const names[] = { [CONDITION_TRUE] = "True",
                                             [CONDITION_FALSE] = "False",
                                             [CONDITION_UNKNOWN] = "Unknown" };
        return text.len == 0 || slice_is(text, names[status]);
}

static bool has_state(struct desched_run *run, const struct lifecycle_state *state,
                      const struct pod_row *pod) {
        const struct cluster *cluster = desched_run_cluster(run);
        const struct pod_detail *detail = pod->detail;
        for (uint32_t i = 0; detail && i < detail->condition_count; i++) {
                const struct condition_row *row = &detail->conditions[i];
                if ((state->type.len == 0 ||
                     slice_eq(state->type, cluster_text(cluster, row->type))) &&
                    is_status((enum condition_status)row->status, state->status) &&
                    (state->reason.len == 0 ||
                     slice_eq(state->reason, cluster_text(cluster, row->reason))) &&
                    (!state->has_for || lifecycle_is_due(run, row->changed, state->for_ns)))
                        return true;
        }
        return false;
}

int64_t lifecycle_restarts(const struct pod_row *pod, unsigned scope) {
        int64_t sum = 0;
        const struct pod_detail *detail = pod->detail;
        for (uint32_t i = 0; detail && i < detail->container_count; i++)
                if (container_in_scope(&detail->containers[i], scope))
                        sum += detail->containers[i].restarts;
        return sum;
}

static bool waits_so(const struct condition_plan *plan, const struct pod_row *pod) {
        const struct pod_detail *detail = pod->detail;
        for (uint32_t i = 0; detail && i < detail->container_count; i++) {
                const struct container_row *container = &detail->containers[i];
                if (container->is_waiting && container_in_scope(container, plan->roles) &&
                    name_set_has(&plan->waiting, container->waiting_reason))
                        return true;
        }
        return false;
}

static bool condition_holds(struct desched_run *run, const struct condition_plan *plan,
                            const struct pod_row *pod);

/* What a condition says of the pod itself, but for its age. */
static bool own_terms_hold(struct desched_run *run, const struct condition_plan *plan,
                           const struct pod_row *pod) {
        const struct lifecycle_condition *condition = plan->condition;
        if (condition->phases.count > 0 && !(plan->phases & 1u << pod->phase))
                return false;
        if (!container_query_matches(&plan->containers, pod))
                return false;
        if (condition->has_min_restarts &&
            lifecycle_restarts(pod, plan->roles) < condition->min_restarts)
                return false;
        if (condition->waiting.count > 0 && !waits_so(plan, pod))
                return false;
        return !condition->state || has_state(run, condition->state, pod);
}

static bool nested_hold(struct desched_run *run, const struct condition_plan *plan,
                        const struct pod_row *pod) {
        const struct lifecycle_condition *condition = plan->condition;
        bool has_any = condition->any.count == 0;
        if (plan->inverse && condition_holds(run, plan->inverse, pod))
                return false;
        for (size_t i = 0; i < condition->all.count; i++)
                if (!condition_holds(run, &plan->all[i], pod))
                        return false;
        for (size_t i = 0; !has_any && i < condition->any.count; i++)
                has_any = condition_holds(run, &plan->any[i], pod);
        return has_any;
}

/* Ages come last, so that a pod which lacks something else is not waited for. */
static bool condition_holds(struct desched_run *run, const struct condition_plan *plan,
                            const struct pod_row *pod) {
        const struct lifecycle_condition *condition = plan->condition;
        if (!own_terms_hold(run, plan, pod) || !nested_hold(run, plan, pod))
                return false;
        return !condition->has_age ||
               lifecycle_is_due(run, lifecycle_since(pod, (enum lifecycle_since)condition->since),
                                condition->age_ns);
}

/* Whether the rule is about running or finished pods, as these are. */
static bool sees_kind(const struct desched_run *run, const struct lifecycle_rule *rule,
                      const struct pod_kind *kind) {
        if (!pod_kind_is_finished(kind))
                return rule->action != LIFECYCLE_DELETE;
        return rule->allows_terminal && !(rule->leaves_jobs_with_ttl &&
                                          pod_goes_with_job(run, kind->owners, kind->owner_count));
}

/* What all pods of a kind have in common. */
static bool looks_at_kind(const struct desched_run *run, const struct rule_plan *plan,
                          const struct pod_kind *kind) {
        const struct lifecycle_select *select = &plan->rule->select;
        const struct priority_range_arg *priority = &select->priority;
        int32_t value = kind->has_priority ? kind->priority : 0;
        if (!sees_kind(run, plan->rule, kind))
                return false;
        if (plan->rule->when.phases.count > 0 && !(plan->when->phases & 1u << kind->phase))
                return false;
        if (!pod_scope_has_kind(run, &plan->scope, kind) ||
            (priority->has_min && value < priority->min) ||
            (priority->has_max && value > priority->max))
                return false;
        if (select->owner_kinds.include.count > 0 &&
            !owners_have_kind(kind->owners, kind->owner_count, &plan->included_kinds))
                return false;
        return !owners_have_kind(kind->owners, kind->owner_count, &plan->excluded_kinds);
}

/* Kinds are asked about as they come up: there are about as many as owners. */
static bool is_looked_at(const struct desched_run *run, const struct rule_plan *plan,
                         struct pod_id pod) {
        uint32_t kind = plan->kinds->of[pod.index];
        if (plan->verdicts[kind] == KIND_NOT_ASKED)
                plan->verdicts[kind] =
                        looks_at_kind(run, plan, &plan->kinds->items[kind]) ? KIND_YES : KIND_NO;
        return plan->verdicts[kind] == KIND_YES;
}

static bool is_on_selected_node(const struct desched_run *run, const struct rule_plan *plan,
                                const struct pod_row *pod) {
        const struct cluster *cluster = desched_run_cluster(run);
        const struct selector_arg *nodes = &plan->rule->select.nodes;
        if (!nodes->is_given)
                return true;
        return !node_id_is_none(pod->node) &&
               cluster_labels_match(cluster, &nodes->selector,
                                    cluster_nodes(cluster)->labels[pod->node.index]);
}

bool rule_plan_matches(struct desched_run *run, const struct rule_plan *plan, struct pod_id id) {
        if (!is_looked_at(run, plan, id))
                return false;
        const struct pod_row *pod = cluster_pod(desched_run_cluster(run), id);
        if (!is_on_selected_node(run, plan, pod))
                return false;
        size_t due_count = desched_run_due_count(run);
        bool holds = condition_holds(run, plan->when, pod);
        if (!holds && desched_run_due_count(run) != due_count)
                desched_run_note_young(run, id);
        return holds;
}

const struct container_query *rule_plan_containers(const struct rule_plan *plan) {
        return &plan->when->containers;
}

int64_t lifecycle_seconds(int64_t seconds) {
        int64_t ns;
        return __builtin_mul_overflow(seconds, NS_PER_S, &ns) ? INT64_MAX : ns;
}
