/* RemovePodsViolatingTopologySpreadConstraint: pods of crowded domains, so that the scheduler can
 * spread them again (reference descheduler.md 4.8).
 *
 * Upstream counts only pods that may be evicted, also on nodes a constraint excludes, takes the
 * highest priority first and lets pods that fit nowhere use up what should move; parity does the
 * same.  Otherwise every matching pod counts where the constraint counts it, and the lowest
 * priority that fits elsewhere goes first. */
#include "plugins/desched/topology_spread.h"
#include "plugin/desched_args.h"
#include "plugin/kind_index.h"
#include "plugins/desched/sweep.h"

struct topology_spread_args {
        struct namespaces_arg namespaces;
        struct selector_arg labels;
        struct text_list constraints;
        bool fits_nodes;
};

#define MEMBER(member) offsetof(struct topology_spread_args, member), .presence = FIELD_NO_PRESENCE

static const struct field fields[] = {
        NAMESPACES_FIELD(MEMBER(namespaces)),
        LABELS_FIELD(MEMBER(labels)),
        { .name = "constraints",
          .type = FIELD_TEXTS,
          .offset = MEMBER(constraints),
          .fallback = "[\"DoNotSchedule\"]",
          .help = "Which constraints count: DoNotSchedule, ScheduleAnyway, or both." },
        { .name = "topologyBalanceNodeFit",
          .type = FIELD_BOOL,
          .offset = MEMBER(fits_nodes),
          .fallback = "true",
          .help = "Evict only what fits a node of an emptier domain." },
        FIELD_END,
};

static void topology_spread_check(struct field_reader *reader, const struct json *value,
                                  const void *data) {
        const struct topology_spread_args *args = data;
        for (size_t i = 0; i < args->constraints.count; i++)
                if (!slice_is(args->constraints.items[i], "DoNotSchedule") &&
                    !slice_is(args->constraints.items[i], "ScheduleAnyway"))
                        field_problem(reader, value, "constraints",
                                      "expected DoNotSchedule or ScheduleAnyway, found "
                                      "\"" SLICE_FMT "\"",
                                      SLICE_ARG(args->constraints.items[i]));
}

/* ---- pods by namespace ---- */

/* On a node of the pass, and not asked to go. */
static bool is_shown(struct desched_run *run, struct pod_id pod) {
        struct node_id node = cluster_pod(desched_run_cluster(run), pod)->node;
        return bitset_has(desched_run_node_set(run), node.index) && !desched_run_is_gone(run, pod);
}

/* Most namespaces have no constraint at all: only the others are looked at further. */
static bool is_constrained(struct desched_run *run, struct kind_range range) {
        const struct cluster *cluster = desched_run_cluster(run);
        const struct kind_index *index = kind_index_of(run);
        for (size_t i = 0; i < range.count; i++) {
                const struct pod_kind *kind = &desched_run_kinds(run)->items[range.first[i]];
                if (pod_kind_is_finished(kind) ||
                    cluster_class(cluster, kind->class)->spec.spread_count == 0)
                        continue;
                struct pod_range pods = kind_index_pods(index, range.first[i]);
                for (size_t j = 0; j < pods.count; j++)
                        if (is_shown(run, pods.first[j]))
                                return true;
        }
        return false;
}

/* Upstream counts pods in scope that may be evicted; here everything in the namespaces counts. */
static size_t topology_spread_collect(struct desched_run *run, const struct pod_scope *scope,
                                      struct kind_range range, struct spread_member *members) {
        const struct kind_index *index = kind_index_of(run);
        bool is_parity = desched_run_is_parity(run);
        struct pod_scope counted = *scope;
        size_t count = 0;
        if (!is_parity)
                counted.labels = NULL;
        for (size_t i = 0; i < range.count; i++) {
                const struct pod_kind *kind = &desched_run_kinds(run)->items[range.first[i]];
                struct pod_range pods = kind_index_pods(index, range.first[i]);
                if (pod_kind_is_finished(kind) || !pod_scope_has_kind(run, &counted, kind))
                        continue;
                for (size_t j = 0; j < pods.count; j++)
                        if (is_shown(run, pods.first[j]) &&
                            (!is_parity || desched_run_filter(run, pods.first[j])))
                                members[count++] =
                                        (struct spread_member){ pods.first[j], range.first[i] };
        }
        return count;
}

/* ---- constraints ---- */

static bool is_asked_for(const struct topology_spread_args *args,
                         const struct spread_constraint *constraint) {
        for (size_t i = 0; i < args->constraints.count; i++)
                if (slice_is(args->constraints.items[i], "DoNotSchedule") == constraint->is_hard)
                        return true;
        return false;
}

/* Once per distinct constraint; members of one kind have the same ones. */
static void balance_namespace(struct spread_work *work, const struct topology_spread_args *args,
                              const struct spread_member *members, size_t count) {
        const struct cluster *cluster = desched_run_cluster(work->run);
        struct map *known = map_new();
        work->members = members;
        work->member_count = count;
        for (size_t i = 0; i < count; i++) {
                if (i > 0 && members[i].kind == members[i - 1].kind)
                        continue;
                const struct pod_kind *kind = &desched_run_kinds(work->run)->items[members[i].kind];
                const struct pod_class *class = cluster_class(cluster, kind->class);
                for (size_t c = 0; c < class->spec.spread_count; c++) {
                        const struct spread_constraint *constraint = &class->spec.spread[c];
                        if (constraint->selector_is_invalid || !is_asked_for(args, constraint))
                                continue;
                        struct spread_class rule = spread_class_make(work, constraint, kind);
                        if (!map_put(known, rule.signature, work))
                                spread_class_balance(work, &rule);
                }
        }
        map_free(known);
}

/* ---- evicting ---- */

static void evict_nominated(struct spread_work *work) {
        struct desched_run *run = work->run;
        const struct cluster *cluster = desched_run_cluster(run);
        struct bitset full =
                bitset_in_arena(desched_run_scratch(run), cluster_nodes(cluster)->count);
        struct node_batch_list nodes = desched_run_nodes(run);
        for (size_t n = 0; n < nodes.count; n++) {
                const struct pod_id *pods;
                size_t count = desched_run_pods(run, nodes.nodes[n], PODS_ACTIVE, &pods);
                for (size_t i = 0; i < count; i++) {
                        if (!bitset_has(&work->nominated, pods[i].index) ||
                            bitset_has(&full, nodes.nodes[n].index) ||
                            !desched_run_may_evict(run, pods[i]))
                                continue;
                        enum evict_outcome outcome = desched_run_evict(
                                run, pods[i], evict_reason(run, "topology domain is crowded"));
                        if (outcome == EVICT_NODE_LIMIT)
                                bitset_add(&full, nodes.nodes[n].index);
                        if (outcome == EVICT_TOTAL_LIMIT)
                                return;
                }
        }
}

static int topology_spread_balance(struct desched_run *run, const void *state, struct err *err) {
        (void)err;
        const struct topology_spread_args *args = state;
        const struct cluster *cluster = desched_run_cluster(run);
        struct pod_scope scope = pod_scope_make(run, &args->namespaces, &args->labels);
        struct spread_work work = {
                .run = run,
                .scope = &scope,
                .fits_nodes = args->fits_nodes,
                .nominated = bitset_in_arena(desched_run_scratch(run), cluster_pod_cap(cluster)),
        };
        arena_init(&work.arena, 0);
        const struct kind_index *index = kind_index_of(run);
        struct kind_range kinds = kind_index_all(index);
        struct spread_member *members = ARENA_ARRAY(desched_run_scratch(run), struct spread_member,
                                                    cluster_pod_count(cluster));
        for (size_t i = 0; i < kinds.count;) {
                struct kind_range range = kind_index_namespace(
                        index, desched_run_kinds(run)->items[kinds.first[i]].ns);
                if (is_constrained(run, range))
                        balance_namespace(&work, args, members,
                                          topology_spread_collect(run, &scope, range, members));
                i += range.count;
        }
        arena_release(&work.arena);
        evict_nominated(&work);
        return 0;
}

const struct plugin plugin_topology_spread = {
        .name = "RemovePodsViolatingTopologySpreadConstraint",
        .args = fields,
        .args_size = sizeof(struct topology_spread_args),
        .check = topology_spread_check,
        .desched = &(const struct desched_points){ .balance = topology_spread_balance,
                                                   .is_mover = true },
        .wakes_on = CLUSTER_NODE_ADDED | CLUSTER_NODE_CONDITION | CLUSTER_NODE_LABELS |
                    CLUSTER_NODE_TAINTS,
};
