/* PodLifecycle: ordered rules over pods, finished ones included where a rule says so; the first
 * rule that matches a pod decides what is done with it.  Not in upstream; see
 * docs/descheduler.md. */
#include "plugins/desched/lifecycle_rule.h"
#include "plugins/desched/pod_gc.h"
#include "plugins/desched/retention.h"
#include "plugins/desched/sweep.h"

struct matched {
        struct rule_plan plan;
        const struct bitset *leaving; /* what PodGC takes anyway */
        size_t count, cap;
        struct pod_id *pods;
};

static void add_match(struct desched_run *run, struct matched *matched, struct pod_id pod) {
        if (matched->count == matched->cap) {
                matched->cap = matched->cap ? matched->cap * 2 : 64;
                struct pod_id *more =
                        ARENA_ARRAY(desched_run_scratch(run), struct pod_id, matched->cap);
                if (matched->count > 0)
                        memcpy(more, matched->pods, matched->count * sizeof(*more));
                matched->pods = more;
        }
        matched->pods[matched->count++] = pod;
}

/* Every pod goes to the first rule that wants it; oldest first. */
static void sort_out(struct desched_run *run, struct matched *rules, size_t rule_count) {
        const struct pod_id *pods;
        size_t count = desched_run_all_pods(run, &pods);
        for (size_t i = 0; i < count; i++) {
                size_t rule = 0;
                while (rule < rule_count && !rule_plan_matches(run, &rules[rule].plan, pods[i]))
                        rule++;
                if (rule < rule_count)
                        add_match(run, &rules[rule], pods[i]);
        }
        const struct pod_order order = { desched_run_cluster(run), desched_pod_order };
        for (size_t i = 0; i < rule_count; i++)
                desched_sort_pods(&order, rules[i].pods, rules[i].count, desched_run_scratch(run));
}

static struct slice pod_lifecycle_describe(struct desched_run *run,
                                           const struct lifecycle_rule *rule,
                                           const struct pod_row *pod) {
        char age[DURATION_TEXT_MAX] = "unknown";
        struct wall_time since = lifecycle_since(pod, SINCE_FINISH);
        int64_t age_ns;
        bool is_finished = wall_time_is_set(since);
        if (age_nanoseconds(is_finished ? since : pod->created, desched_run_now(run), &age_ns))
                duration_format_human(age_ns, age);
        return evict_reason(run, "rule " SLICE_FMT ": %s, %s %s", SLICE_ARG(rule->name),
                            pod_phase_name((enum pod_phase)pod->phase),
                            is_finished ? "finished since" : "age", age);
}

/* Outcome of what the rule says about one pod; EVICT_FAILED when a filter keeps it. */
static enum evict_outcome pod_lifecycle_act(struct desched_run *run,
                                            const struct lifecycle_rule *rule, struct pod_id id) {
        const struct pod_row *pod = cluster_pod(desched_run_cluster(run), id);
        struct slice reason = pod_lifecycle_describe(run, rule, pod);
        switch ((enum lifecycle_action)rule->action) {
        case LIFECYCLE_EVICT:
                return desched_run_may_evict(run, id) ? desched_run_evict(run, id, reason)
                                                      : EVICT_FAILED;
        case LIFECYCLE_DELETE:
                return desched_run_may_delete(run, id) ? desched_run_delete(run, id, reason)
                                                       : EVICT_FAILED;
        case LIFECYCLE_REPORT:
                desched_run_report(run, id, reason);
                return EVICT_DONE;
        case LIFECYCLE_KEEP:
                break;
        }
        return EVICT_FAILED;
}

static enum evict_outcome act_unless_leaving(struct desched_run *run, const struct matched *matched,
                                             struct pod_id pod) {
        const struct lifecycle_rule *rule = matched->plan.rule;
        if (rule->action == LIFECYCLE_REPORT || !bitset_has(matched->leaving, pod.index))
                return pod_lifecycle_act(run, rule, pod);
        desched_run_spare(run, pod, "PodGC is about to delete it");
        return EVICT_FAILED;
}

/* False when nothing more can be evicted in this pass. */
static bool carry_out(struct desched_run *run, struct matched *matched) {
        const struct lifecycle_rule *rule = matched->plan.rule;
        size_t count = matched->count;
        int64_t done = 0;
        if (rule->action == LIFECYCLE_KEEP)
                return true;
        if (rule->retention)
                count = retention_apply(run, rule->retention, matched->pods, count);
        for (size_t i = 0; i < count && (!rule->has_cap || done < rule->cap); i++) {
                enum evict_outcome outcome = act_unless_leaving(run, matched, matched->pods[i]);
                if (outcome == EVICT_TOTAL_LIMIT)
                        return false;
                done += outcome == EVICT_DONE;
        }
        return true;
}

static int pod_lifecycle_deschedule(struct desched_run *run, const void *state, struct err *err) {
        (void)err;
        const struct pod_lifecycle_args *args = state;
        const struct lifecycle_rule *rules = args->rules.items;
        struct matched *matched =
                ARENA_ARRAY(desched_run_scratch(run), struct matched, args->rules.count);
        const struct bitset leaving = pod_gc_takes(run, args->pod_gc_threshold);
        for (size_t i = 0; i < args->rules.count; i++)
                matched[i] = (struct matched){ .plan = rule_plan_make(run, &rules[i]),
                                               .leaving = &leaving };
        sort_out(run, matched, args->rules.count);
        for (size_t i = 0; i < args->rules.count; i++)
                if (!carry_out(run, &matched[i]))
                        break;
        return 0;
}

const struct plugin plugin_pod_lifecycle = {
        .name = "PodLifecycle",
        .args = pod_lifecycle_fields,
        .args_size = sizeof(struct pod_lifecycle_args),
        .check = pod_lifecycle_check,
        .desched = &(const struct desched_points){ .deschedule = pod_lifecycle_deschedule },
        .wakes_on = CLUSTER_POD_STATUS | CLUSTER_POD_ADDED | CLUSTER_POD_REMOVED |
                    CLUSTER_POD_LABELS | CLUSTER_PENDING_UPDATED,
};
