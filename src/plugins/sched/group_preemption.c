/* Which pods would have to go for a whole group (upstream: gate WorkloadAwarePreemption).  The
 * domain is the cluster: all less important pods are removed, and then put back, the most important
 * first, as long as the group still fits.  Groups that are only disrupted whole go, or stay,
 * whole. */
#include "plugins/sched/group_preemption.h"
#include "base/map.h"
#include "base/util.h"
#include "plugins/sched/victim_budgets.h"
#include <stdlib.h>

/* What goes or stays as one: a pod, or a group that is disrupted whole. */
struct unit {
        size_t pod_count, pod_cap;
        struct pod_id *pods;
        struct node_id *nodes; /* where they are */
        int32_t priority;
        int64_t started_ns; /* of the first of them */
        bool is_group, is_leaving, breaks_budget, is_gone;
        size_t position; /* keeps the order stable */
};

struct group_preemptor {
        struct group_preemption *search;
        struct arena *arena;
        int32_t priority; /* of the group */
        size_t count, cap;
        struct unit **units;
        struct map *by_group; /* struct unit, by namespace/name */
        size_t open;          /* what-ifs, one inside the other */
};

static const struct pod_row *row_of(const struct group_preemptor *preemptor, struct pod_id pod) {
        return cluster_pod(preemptor->search->cluster, pod);
}

/* ---- who may go ---- */

static struct unit *add_unit(struct group_preemptor *preemptor, int32_t priority) {
        if (preemptor->count == preemptor->cap) {
                size_t cap = preemptor->cap == 0 ? 64 : 2 * preemptor->cap;
                struct unit **units = ARENA_ARRAY(preemptor->arena, struct unit *, cap);
                if (preemptor->count > 0)
                        memcpy(units, preemptor->units, preemptor->count * sizeof(struct unit *));
                preemptor->units = units;
                preemptor->cap = cap;
        }
        struct unit *unit = ARENA_NEW(preemptor->arena, struct unit);
        *unit = (struct unit){ .priority = priority,
                               .started_ns = INT64_MAX,
                               .is_leaving = true,
                               .position = preemptor->count };
        preemptor->units[preemptor->count++] = unit;
        return unit;
}

static void add_pod(struct group_preemptor *preemptor, struct unit *unit, struct pod_id pod) {
        const struct pod_row *row = row_of(preemptor, pod);
        int64_t started_ns =
                wall_time_is_set(row->started) ? row->started.ns : preemptor->search->now.ns;
        if (unit->pod_count == unit->pod_cap) {
                size_t cap = unit->pod_cap == 0 ? 1 : 4 * unit->pod_cap;
                struct pod_id *pods = ARENA_ARRAY(preemptor->arena, struct pod_id, cap);
                struct node_id *nodes = ARENA_ARRAY(preemptor->arena, struct node_id, cap);
                for (size_t i = 0; i < unit->pod_count; i++) {
                        pods[i] = unit->pods[i];
                        nodes[i] = unit->nodes[i];
                }
                unit->pods = pods;
                unit->nodes = nodes;
                unit->pod_cap = cap;
        }
        unit->pods[unit->pod_count] = pod;
        unit->nodes[unit->pod_count++] = row->node;
        if (started_ns < unit->started_ns)
                unit->started_ns = started_ns;
        if (!pod_row_is_leaving(row))
                unit->is_leaving = false;
}

/* The unit of a pod whose group goes whole; NULL when it goes alone.  A group that is too important
 * has none, and is_safe is set. */
static struct unit *unit_of_group(struct group_preemptor *preemptor, struct slice ns,
                                  struct slice name, bool *is_safe) {
        const struct json *group = pod_group_find(preemptor->search->group->object_cache, ns, name);
        if (!pod_group_goes_whole(group))
                return NULL;
        *is_safe = pod_group_priority(group) >= preemptor->priority;
        if (*is_safe)
                return NULL;
        struct slice key = slice_of(arena_printf(preemptor->arena, SLICE_FMT "/" SLICE_FMT,
                                                 SLICE_ARG(ns), SLICE_ARG(name)));
        struct unit *unit = map_get(preemptor->by_group, key);
        if (!unit) {
                unit = add_unit(preemptor, pod_group_priority(group));
                unit->is_group = true;
                map_put(preemptor->by_group, key, unit);
        }
        return unit;
}

static void group_preemption_consider(struct group_preemptor *preemptor, struct pod_id pod) {
        const struct cluster *cluster = preemptor->search->cluster;
        const struct group_view *own = preemptor->search->group;
        const struct pod_row *row = row_of(preemptor, pod);
        struct slice name = cluster_class(cluster, row->class)->spec.scheduling_group;
        struct slice ns = cluster_text(cluster, row->ns);
        struct unit *unit = NULL;
        bool is_safe = false;
        if (pod_row_is_finished(row) || (slice_eq(name, own->name) && slice_eq(ns, own->ns)))
                return;
        if (!slice_is_empty(name))
                unit = unit_of_group(preemptor, ns, name, &is_safe);
        if (!unit) {
                if (is_safe || row->priority >= preemptor->priority)
                        return;
                unit = add_unit(preemptor, row->priority);
                unit->is_group = !slice_is_empty(name);
        }
        add_pod(preemptor, unit, pod);
}

static void group_preemption_collect(struct group_preemptor *preemptor) {
        const struct cluster *cluster = preemptor->search->cluster;
        const struct node_id *order = cluster_node_order(cluster);
        for (size_t i = 0; i < cluster_node_count(cluster); i++)
                for (struct pod_id pod = cluster_nodes(cluster)->first_pod[order[i].index];
                     !pod_id_is_none(pod); pod = row_of(preemptor, pod)->next_on_node)
                        group_preemption_consider(preemptor, pod);
}

/* ---- who is more important ---- */

/* Pods being deleted first: they go anyway. Then: higher priority; groups before pods; groups by
 * size; the longer running. */
static int compare_importance(const void *a, const void *b) {
        const struct unit *x = *(struct unit *const *)a, *y = *(struct unit *const *)b;
        if (x->is_leaving != y->is_leaving)
                return x->is_leaving ? 1 : -1;
        if (x->priority != y->priority)
                return x->priority > y->priority ? -1 : 1;
        if (x->is_group != y->is_group)
                return x->is_group ? -1 : 1;
        if (x->pod_count != y->pod_count)
                return x->pod_count > y->pod_count ? -1 : 1;
        if (x->started_ns != y->started_ns)
                return x->started_ns < y->started_ns ? -1 : 1;
        return x->position < y->position ? -1 : x->position > y->position;
}

static void charge_budgets(struct group_preemptor *preemptor) {
        struct victim_budgets budgets = { .cluster = preemptor->search->cluster,
                                          .arena = preemptor->arena,
                                          .is_parity = preemptor->search->group->is_parity };
        for (size_t i = 0; i < preemptor->count; i++)
                for (size_t p = 0;
                     p < preemptor->units[i]->pod_count && !preemptor->units[i]->is_leaving; p++)
                        if (victim_budgets_charge(&budgets, preemptor->units[i]->pods[p]))
                                preemptor->units[i]->breaks_budget = true;
}

/* First those whose going would break a budget, then the others. */
static int compare_reprieve_order(const void *a, const void *b) {
        const struct unit *x = *(struct unit *const *)a, *y = *(struct unit *const *)b;
        if (x->breaks_budget != y->breaks_budget)
                return x->breaks_budget ? -1 : 1;
        return compare_importance(a, b);
}

/* ---- who can stay ---- */

static bool group_preemption_fits(const struct group_preemptor *preemptor,
                                  struct slice *ret_message) {
        return preemptor->search->fits(preemptor->search->context, ret_message);
}

static void withdraw_all(struct group_preemptor *preemptor) {
        cluster_checkpoint(preemptor->search->cluster);
        preemptor->open++;
        for (size_t i = 0; i < preemptor->count; i++)
                for (size_t p = 0; p < preemptor->units[i]->pod_count; p++)
                        group_withdraw(preemptor->search->cluster, preemptor->units[i]->pods[p]);
}

/* Whether the group still fits with these back; then they stay. */
static bool can_stay(struct group_preemptor *preemptor, size_t first, size_t count) {
        struct cluster *cluster = preemptor->search->cluster;
        struct slice ignored;
        cluster_checkpoint(cluster);
        for (size_t i = first; i < first + count; i++)
                for (size_t p = 0; p < preemptor->units[i]->pod_count; p++)
                        cluster_assume(cluster, preemptor->units[i]->pods[p],
                                       preemptor->units[i]->nodes[p]);
        if (group_preemption_fits(preemptor, &ignored)) {
                preemptor->open++;
                return true;
        }
        cluster_rollback(cluster);
        return false;
}

/* One after the other, but many at once where they can: a question asks about the whole group, and
 * most units are not in its way. */
static void group_preemption_reprieve(struct group_preemptor *preemptor, size_t first,
                                      size_t count) {
        if (count == 0 || can_stay(preemptor, first, count))
                return;
        if (count == 1) {
                preemptor->units[first]->is_gone = true;
                return;
        }
        group_preemption_reprieve(preemptor, first, count / 2);
        group_preemption_reprieve(preemptor, first + count / 2, count - count / 2);
}

static void take_back(struct group_preemptor *preemptor) {
        for (; preemptor->open > 0; preemptor->open--)
                cluster_rollback(preemptor->search->cluster);
}

static void group_preemption_report(struct group_preemptor *preemptor) {
        struct group_preemption *search = preemptor->search;
        size_t count = 0;
        qsort(preemptor->units, preemptor->count, sizeof(*preemptor->units), compare_importance);
        for (size_t i = 0; i < preemptor->count; i++)
                count += preemptor->units[i]->is_gone ? preemptor->units[i]->pod_count : 0;
        struct pod_id *victims = ARENA_ARRAY(preemptor->arena, struct pod_id, count);
        search->victims = victims;
        for (size_t i = 0; i < preemptor->count; i++)
                for (size_t p = 0;
                     preemptor->units[i]->is_gone && p < preemptor->units[i]->pod_count; p++)
                        victims[search->victim_count++] = preemptor->units[i]->pods[p];
}

static enum verdict_code group_preemption_fail(struct verdict *verdict, struct slice text) {
        verdict_no(verdict, VERDICT_UNSCHEDULABLE, text);
        return VERDICT_UNSCHEDULABLE;
}

static enum verdict_code group_preemption_run_preemptor(struct group_preemptor *preemptor,
                                                        struct verdict *verdict) {
        struct slice message;
        group_preemption_collect(preemptor);
        if (preemptor->count == 0)
                return group_preemption_fail(
                        verdict, SLICE_LITERAL("No preemption victims found for incoming "
                                               "preemptor"));
        withdraw_all(preemptor);
        if (!group_preemption_fits(preemptor, &message)) {
                take_back(preemptor);
                return group_preemption_fail(verdict, message);
        }
        qsort(preemptor->units, preemptor->count, sizeof(*preemptor->units), compare_importance);
        charge_budgets(preemptor);
        qsort(preemptor->units, preemptor->count, sizeof(*preemptor->units),
              compare_reprieve_order);
        group_preemption_reprieve(preemptor, 0, preemptor->count);
        take_back(preemptor);
        group_preemption_report(preemptor);
        return VERDICT_OK;
}

enum verdict_code group_preemption_run(struct group_preemption *search, const void *state,
                                       struct verdict *verdict) {
        (void)state;
        struct group_preemptor preemptor = { .search = search,
                                             .arena = search->group->arena,
                                             .priority =
                                                     pod_group_priority(search->group->object) };
        if (search->never_preempts)
                return group_preemption_fail(
                        verdict, SLICE_LITERAL("not eligible due to preemptionPolicy=Never."));
        preemptor.by_group = map_new();
        enum verdict_code code = group_preemption_run_preemptor(&preemptor, verdict);
        map_free(preemptor.by_group);
        return code;
}
