/* What is wrong with rules of PodLifecycle beyond the form of their members: members that do not go
 * together, and rules that no pod can ever meet. */
#include "plugins/desched/lifecycle_rule.h"
#include <stdio.h>

/* ---- members ---- */

static void check_retention(struct field_reader *reader, const struct json *value, const char *path,
                            const struct retention_arg *retention) {
        if (!retention->has_ttl && !retention->has_newest)
                field_problem(reader, value, path, "expected ttl, keepNewest, or both");
        if ((retention->group == PER_LABEL) != (retention->label.len > 0))
                field_problem(reader, value, path, "per: Label and label go together");
        if (retention->group != PER_RULE && !retention->has_newest)
                field_problem(reader, value, path, "per groups what keepNewest counts");
}

static void check_rule(struct field_reader *reader, const struct json *value, size_t index,
                       const struct lifecycle_rule *rule) {
        char path[48];
        snprintf(path, sizeof(path), "rules[%zu]", index);
        if (rule->action == LIFECYCLE_DELETE && !rule->allows_terminal)
                field_problem(reader, value, path,
                              "action Delete is for finished pods: expected allowTerminal: true");
        if (rule->retention && rule->action == LIFECYCLE_KEEP)
                field_problem(reader, value, path, "action Keep keeps all: retention says nothing");
        if (rule->retention)
                check_retention(reader, value, path, rule->retention);
        const struct priority_range_arg *priority = &rule->select.priority;
        if (priority->has_min && priority->has_max && priority->min > priority->max)
                field_problem(reader, value, path, "priority.min is above priority.max");
}

/* ---- rules that no pod meets ---- */

#define PHASE_BIT(phase) (1u << (phase))
#define PHASES_FINISHED (PHASE_BIT(POD_SUCCEEDED) | PHASE_BIT(POD_FAILED))
#define PHASES_ALL                                                                                 \
        (PHASES_FINISHED | PHASE_BIT(POD_PENDING) | PHASE_BIT(POD_RUNNING) | PHASE_BIT(POD_UNKNOWN))

static unsigned named_phases(const struct text_list *names) {
        unsigned phases = 0;
        for (size_t i = 0; i < names->count; i++)
                for (int phase = POD_PENDING; phase <= POD_UNKNOWN; phase++)
                        if (slice_is(names->items[i], pod_phase_name((enum pod_phase)phase)))
                                phases |= PHASE_BIT(phase);
        return phases;
}

static bool asks_containers(const struct lifecycle_condition *condition) {
        const struct container_query_arg *containers = &condition->containers;
        return condition->reasons.count + condition->waiting.count + containers->codes.count +
                       containers->init_codes.count + containers->sidecar_codes.count >
               0;
}

/* Nothing is asked but, perhaps, the phase. */
static bool asks_phase_at_most(const struct lifecycle_condition *condition) {
        return !asks_containers(condition) && !condition->has_min_restarts && !condition->has_age &&
               !condition->state && !condition->inverse &&
               condition->all.count + condition->any.count == 0;
}

/* Phases a pod may be in that meets the condition; there may be none. */
static unsigned condition_phases(const struct lifecycle_condition *condition) {
        const struct lifecycle_condition *all = condition->all.items, *any = condition->any.items;
        const struct lifecycle_condition *inverse = condition->inverse;
        unsigned phases = condition->phases.count ? named_phases(&condition->phases) : PHASES_ALL;
        unsigned either = 0;
        for (size_t i = 0; i < condition->all.count; i++)
                phases &= condition_phases(&all[i]);
        for (size_t i = 0; i < condition->any.count; i++)
                either |= condition_phases(&any[i]);
        if (condition->any.count > 0)
                phases &= either;
        if (inverse && inverse->phases.count > 0 && asks_phase_at_most(inverse))
                phases &= ~named_phases(&inverse->phases);
        if (condition->has_age && condition->since == SINCE_FINISH)
                phases &= PHASES_FINISHED;
        return phases;
}

static unsigned seen_phases(const struct lifecycle_rule *rule) {
        unsigned phases = rule->allows_terminal ? PHASES_ALL : PHASES_ALL & ~PHASES_FINISHED;
        return rule->action == LIFECYCLE_DELETE ? phases & PHASES_FINISHED : phases;
}

static bool is_hollow(const struct container_query_arg *arg) {
        return exit_code_set_is_hollow(&arg->codes) || exit_code_set_is_hollow(&arg->init_codes) ||
               exit_code_set_is_hollow(&arg->sidecar_codes);
}

/* Decides about every pod that it sees. */
static bool decides_about_all(const struct lifecycle_rule *rule) {
        const struct lifecycle_select *select = &rule->select;
        return !rule->retention && !rule->has_cap && asks_phase_at_most(&rule->when) &&
               rule->when.phases.count == 0 &&
               select->namespaces.include.count + select->namespaces.exclude.count == 0 &&
               !select->labels.is_given && !select->nodes.is_given &&
               select->owner_kinds.include.count + select->owner_kinds.exclude.count == 0 &&
               !select->priority.has_min && !select->priority.has_max;
}

static void check_reach(struct field_reader *reader, const struct json *value, size_t index,
                        const struct lifecycle_rule *rules) {
        const struct lifecycle_rule *rule = &rules[index];
        unsigned wanted = condition_phases(&rule->when), reached = wanted & seen_phases(rule);
        char path[48];
        snprintf(path, sizeof(path), "rules[%zu]", index);
        if (wanted == 0)
                field_problem(reader, value, path,
                              "no pod matches: its conditions ask for different phases");
        else if (reached == 0 && !rule->allows_terminal && rule->action != LIFECYCLE_DELETE)
                field_problem(reader, value, path,
                              "no pod matches: it is about finished pods, which it sees with "
                              "allowTerminal: true");
        else if (reached == 0 && rule->allows_terminal)
                field_problem(reader, value, path,
                              "no pod matches: action Delete is for finished pods");
        if (is_hollow(&rule->when.containers))
                field_problem(reader, value, path, "no pod matches: no exit code is left");
        for (size_t i = 0; i < index; i++) {
                if (!decides_about_all(&rules[i]) || (reached & ~seen_phases(&rules[i])) != 0)
                        continue;
                field_problem(reader, value, path,
                              "no pod gets here: rules[%zu] decides about all of them", i);
                return;
        }
}

void pod_lifecycle_check(struct field_reader *reader, const struct json *value, const void *data) {
        const struct pod_lifecycle_args *args = data;
        const struct lifecycle_rule *rules = args->rules.items;
        if (args_want_parity(reader))
                field_problem(reader, value, NULL, "Descheduler has no PodLifecycle");
        for (size_t i = 0; i < args->rules.count; i++) {
                check_rule(reader, value, i, &rules[i]);
                check_reach(reader, value, i, rules);
        }
}
