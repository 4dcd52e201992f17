/* One pod against the cluster: the phases of a scheduling cycle in order (reference scheduler.md
 * section 3). */
#include "sched/decision.h"
#include "plugin/verdict_cache.h"
#include <assert.h>

/* Upstream's sampling (parity only). */
#define SAMPLE_NODES_MIN 100
#define SAMPLE_PERCENT_MIN 5
#define SAMPLE_PERCENT_BASE 50
#define SAMPLE_NODES_PER_PERCENT 125

struct decide {
        struct sched_attempt attempt;
        const struct decision_request *request;
        struct arena *arena;
        struct decision *out;
        const struct node_id *order; /* all nodes */
        size_t node_count;
        /* By node index: what extenders said; NULL = nothing about this one.  NULL = not asked. */
        const struct extended_node **extended;
};

const char *decision_outcome_name(enum decision_outcome outcome) {
        static const char *const names[] = {
                [DECISION_PLACED] = "scheduled",
                [DECISION_UNSCHEDULABLE] = "unschedulable",
                [DECISION_ERROR] = "error",
                [DECISION_GATED] = "gated",
        };
        return names[outcome];
}

static bool decision_is_wanted(const struct decide *d, enum decision_wants what) {
        return (d->request->wants & what) != 0;
}

/* ---- how long it takes ---- */

static int64_t now_ns(const struct decide *d) {
        return !d->request->watch ? 0 : d->request->watch->now_ns();
}

static void decision_report(const struct decide *d, enum sched_point point, enum verdict_code code,
                            int64_t since_ns) {
        const struct decision_watch *watch = d->request->watch;
        if (watch)
                watch->ran(watch->context, d->attempt.profile, point, code,
                           watch->now_ns() - since_ns);
}

static void decision_fail(struct decide *d, struct slice text) {
        d->out->outcome = DECISION_ERROR;
        d->out->message = text;
        d->out->sets_nomination = true;
        d->out->nomination = SLICE_EMPTY;
}

static struct slice join_reasons(struct arena *arena, const struct slice *reasons, size_t count) {
        struct buf text = { 0 };
        for (size_t i = 0; i < count; i++) {
                if (i > 0)
                        buf_text(&text, ", ");
                buf_slice(&text, reasons[i]);
        }
        struct slice joined = arena_slice(arena, buf_view(&text));
        buf_release(&text);
        return joined;
}

static void fail_with(struct decide *d, const struct verdict *verdict) {
        decision_fail(d, join_reasons(d->arena, verdict->reasons, verdict->reason_count));
}

/* ---- why nodes were refused ---- */

static uint64_t bit_of(const struct decide *d, const struct plugin *plugin) {
        const struct sched_profile *profile = d->attempt.profile;
        for (size_t i = 0; i < profile->plugin_count; i++)
                if (profile->plugins[i].plugin == plugin)
                        return (uint64_t)1 << i;
        return 0;
}

static void note_rejector(struct decide *d, const struct node_refusal *refusal) {
        uint64_t bits = refusal->plugin ? bit_of(d, refusal->plugin) : d->attempt.restrictors;
        d->out->rejectors |= bits;
        if (refusal->code == VERDICT_PENDING)
                d->out->pendings |= bits;
}

static struct node_refusal absent_refusal(struct decide *d, struct node_id node) {
        return (struct node_refusal){
                .node = node,
                .code = VERDICT_UNRESOLVABLE,
                .reason_count = 1,
                .reasons = d->attempt.absent_reason,
        };
}

static bool is_absent(const struct decide *d, struct node_id node) {
        return d->attempt.only && !bitset_has(d->attempt.only, node.index);
}

/* A node that fits, but not by the word of an extender. */
static struct node_refusal extender_refusal(struct decide *d, struct node_id node) {
        static const struct slice not_asked =
                SLICE_INIT("node(s) became feasible after extenders were asked");
        const struct extended_node *said = d->extended[node.index];
        d->out->was_refused_by_extender = true;
        return (struct node_refusal){
                .node = node,
                .code = said && said->is_unresolvable ? VERDICT_UNRESOLVABLE
                                                      : VERDICT_UNSCHEDULABLE,
                .reason_count = 1,
                .reasons = said ? &said->reason : &not_asked,
        };
}

static void explain_refusals(struct decide *d, const struct bitset *feasible) {
        struct node_refusal *refusals = ARENA_ARRAY(d->arena, struct node_refusal, d->node_count);
        size_t count = 0;
        verdict_cache_open(&d->attempt);
        for (size_t i = 0; i < d->node_count; i++) {
                struct node_id node = d->order[i];
                if (bitset_has(feasible, node.index))
                        continue;
                if (is_absent(d, node)) {
                        refusals[count] = absent_refusal(d, node);
                } else {
                        bool fits = sched_attempt_judge(&d->attempt, node, &refusals[count]);
                        assert(!fits || d->extended); /* filter and explain agree */
                        if (fits) {
                                refusals[count++] = extender_refusal(d, node);
                                continue;
                        }
                }
                note_rejector(d, &refusals[count++]);
        }
        d->out->refusals = d->attempt.refusals = refusals;
        d->out->refusal_count = d->attempt.refusal_count = count;
}

/* PreFilter refused the pod: every node carries its words. */
static void refuse_everywhere(struct decide *d) {
        struct node_refusal *refusals = ARENA_ARRAY(d->arena, struct node_refusal, d->node_count);
        const struct verdict *verdict = &d->attempt.pre_filter;
        const struct slice *reasons =
                arena_copy(d->arena, verdict->reasons, verdict->reason_count * sizeof(*reasons));
        for (size_t i = 0; i < d->node_count; i++)
                refusals[i] = (struct node_refusal){
                        .node = d->order[i],
                        .plugin = d->attempt.pre_filter_plugin,
                        .code = verdict->code,
                        .reason_count = verdict->reason_count,
                        .reasons = reasons,
                };
        if (d->attempt.pre_filter_plugin)
                d->out->rejectors |= bit_of(d, d->attempt.pre_filter_plugin);
        d->out->rejectors |= d->attempt.restrictors;
        d->out->refusals = d->attempt.refusals = refusals;
        d->out->refusal_count = d->attempt.refusal_count = d->node_count;
}

/* The condition's message: what refused, then what PostFilter said. */
static void decision_conclude(struct decide *d, struct slice refusal) {
        struct decision *out = d->out;
        out->outcome = DECISION_UNSCHEDULABLE;
        out->message = refusal;
        if (!decision_is_wanted(d, DECIDE_POST_FILTER))
                return;
        int64_t since_ns = now_ns(d);
        sched_attempt_post_filter(&d->attempt);
        decision_report(d, POINT_POST_FILTER, d->attempt.preemption.code, since_ns);
        struct preemption *preemption = ARENA_NEW(d->arena, struct preemption);
        *preemption = d->attempt.preemption;
        out->preemption = preemption;
        out->freed = d->attempt.freed;
        out->sets_nomination = d->attempt.sets_nomination;
        out->nomination = d->attempt.nomination;
        if (!slice_is_empty(preemption->message))
                out->message =
                        slice_of(arena_printf(d->arena, SLICE_FMT " " SLICE_FMT, SLICE_ARG(refusal),
                                              SLICE_ARG(preemption->message)));
}

static void conclude_pre_filter(struct decide *d) {
        const struct verdict *verdict = &d->attempt.pre_filter;
        if (verdict->code == VERDICT_ERROR) {
                fail_with(d, verdict);
                return;
        }
        refuse_everywhere(d);
        struct slice reasons = join_reasons(d->arena, verdict->reasons, verdict->reason_count);
        decision_conclude(
                d, slice_of(arena_printf(d->arena, "0/%zu nodes are available: " SLICE_FMT ".",
                                         d->node_count, SLICE_ARG(reasons))));
}

/* ---- feasible nodes ---- */

/* How many feasible nodes upstream looks for. */
static size_t sample_target(const struct decide *d, size_t candidates) {
        int32_t percent = d->request->percentage_of_nodes;
        if (d->attempt.profile->percentage_of_nodes >= 0)
                percent = d->attempt.profile->percentage_of_nodes;
        if (candidates < SAMPLE_NODES_MIN || percent >= 100)
                return candidates;
        if (percent == 0) {
                percent = SAMPLE_PERCENT_BASE - (int32_t)(candidates / SAMPLE_NODES_PER_PERCENT);
                if (percent < SAMPLE_PERCENT_MIN)
                        percent = SAMPLE_PERCENT_MIN;
        }
        size_t target = candidates * (size_t)percent / 100;
        return target < SAMPLE_NODES_MIN ? SAMPLE_NODES_MIN : target;
}

static void take_feasible(struct decide *d, const struct bitset *nodes) {
        struct decision *out = d->out;
        size_t cap = bitset_count(nodes), start = 0, target = SIZE_MAX, looked = 0;
        struct node_id *feasible = ARENA_ARRAY(d->arena, struct node_id, cap);
        if (d->request->is_parity && d->request->next_node) {
                start = *d->request->next_node % d->node_count;
                target = sample_target(d, d->node_count);
        }
        for (; looked < d->node_count && out->feasible_count < cap; looked++) {
                struct node_id node = d->order[(start + looked) % d->node_count];
                if (out->feasible_count >= target)
                        break;
                if (bitset_has(nodes, node.index))
                        feasible[out->feasible_count++] = node;
        }
        out->feasible = feasible;
        if (target != SIZE_MAX && out->feasible_count >= target)
                out->next_node = (start + looked) % d->node_count;
        else
                out->next_node = start;
}

static void keep_beside(struct decide *d) {
        struct decision *out = d->out;
        if (!d->request->beside)
                return;
        for (size_t i = 0; i < out->feasible_count; i++) {
                if (out->feasible[i].index != d->request->beside->index)
                        continue;
                out->beside_fits = true;
                out->beside_total = !out->totals ? 0 : out->totals[i];
        }
}

static void keep_best(struct decide *d) {
        struct decision *out = d->out;
        struct node_id *best = ARENA_ARRAY(d->arena, struct node_id, out->feasible_count);
        int64_t top = INT64_MIN;
        for (size_t i = 0; i < out->feasible_count; i++) {
                int64_t total = !out->totals ? 0 : out->totals[i];
                if (total > top)
                        out->best_count = 0;
                if (total >= top) {
                        top = total;
                        best[out->best_count++] = out->feasible[i];
                }
        }
        out->best = best;
        out->best_total = !out->totals ? 0 : top;
        size_t pick = 0;
        if (d->request->rng && out->best_count > 1 && !out->is_first_fit)
                pick = (size_t)rng_below(d->request->rng, out->best_count);
        out->node = best[pick];
        out->outcome = DECISION_PLACED;
}

/* ---- extenders ---- */

static void take_extension(struct decide *d) {
        const struct decision_extension *extension = d->request->extension;
        size_t cap = cluster_nodes(d->attempt.cluster)->count;
        if (!extension)
                return;
        d->extended = ARENA_ARRAY(d->arena, const struct extended_node *, cap + 1);
        memset((void *)d->extended, 0, (cap + 1) * sizeof(*d->extended));
        for (size_t i = 0; i < extension->count; i++)
                if (extension->nodes[i].node.index < cap)
                        d->extended[extension->nodes[i].node.index] = &extension->nodes[i];
}

static bool is_admitted(const struct decide *d, struct node_id node) {
        if (!d->extended)
                return true;
        return d->extended[node.index] && !d->extended[node.index]->is_refused;
}

static void drop_unadmitted(const struct decide *d, struct bitset *nodes) {
        if (!d->extended)
                return;
        for (size_t i = bitset_next(nodes, 0); i != SIZE_MAX; i = bitset_next(nodes, i + 1))
                if (!is_admitted(d, (struct node_id){ (uint32_t)i }))
                        bitset_remove(nodes, i);
}

static void add_bonuses(struct decide *d) {
        struct decision *out = d->out;
        if (!d->extended || out->feasible_count < 2)
                return;
        int64_t *totals = ARENA_ARRAY(d->arena, int64_t, out->feasible_count);
        for (size_t i = 0; i < out->feasible_count; i++)
                totals[i] = (!out->totals ? 0 : out->totals[i]) +
                            d->extended[out->feasible[i].index]->bonus;
        out->totals = totals;
        out->is_first_fit = false;
}

static void decision_place(struct decide *d) {
        struct decision *out = d->out;
        struct node_batch feasible = { out->feasible, out->feasible_count };
        out->is_first_fit = d->attempt.profile->points[POINT_SCORE].count == 0;
        if (out->feasible_count > 1 && !out->is_first_fit) {
                struct attempt_scores scores;
                struct verdict verdict = { .code = VERDICT_OK };
                int64_t since_ns = now_ns(d);
                enum verdict_code code = sched_attempt_score(&d->attempt, feasible,
                                                             decision_is_wanted(d, DECIDE_SCORES),
                                                             &scores, &verdict);
                decision_report(d, POINT_SCORE, code, since_ns);
                if (code != VERDICT_OK) {
                        fail_with(d, &verdict);
                        return;
                }
                out->totals = scores.totals;
                out->columns = scores.columns;
                out->column_count = scores.column_count;
        }
        add_bonuses(d);
        keep_best(d);
        keep_beside(d);
}

/* ---- a part of the nodes ---- */

static bool is_among(const struct decide *d, struct node_id node) {
        const struct group_domain *among = d->request->among;
        if (!among)
                return true;
        for (size_t i = 0; i < among->count; i++)
                if (among->nodes[i].index == node.index)
                        return true;
        return false;
}

static struct bitset candidate_nodes(const struct decide *d) {
        const struct group_domain *among = d->request->among;
        if (!among)
                return cluster_live_nodes(d->attempt.cluster, d->arena);
        struct bitset nodes = bitset_in_arena(d->arena, cluster_nodes(d->attempt.cluster)->count);
        for (size_t i = 0; i < among->count; i++)
                bitset_add(&nodes, among->nodes[i].index);
        return nodes;
}

/* A nominated node that still fits is taken whatever the others are worth. */
static bool take_nominated(struct decide *d) {
        const struct pod_row *row = cluster_pod(d->attempt.cluster, d->request->pod);
        struct node_refusal refusal;
        if (row->nominated.index == 0 || d->request->offers_all)
                return false;
        struct node_id node = cluster_node_named(d->attempt.cluster, row->nominated);
        if (node_id_is_none(node) || !is_admitted(d, node) || !is_among(d, node) ||
            !sched_attempt_judge(&d->attempt, node, &refusal))
                return false;
        d->out->took_nominated = true;
        d->out->feasible_count = 1;
        d->out->feasible = arena_copy(d->arena, &node, sizeof(node));
        decision_place(d);
        return true;
}

static void take_choice(struct decide *d, const struct engine_choice *choice) {
        d->out->outcome = DECISION_PLACED;
        d->out->node = choice->node;
        d->out->feasible_count = choice->feasible_count;
        d->out->best_count = choice->best_count;
        d->out->best_total = choice->total;
        if (!d->request->beside || !bitset_has(choice->feasible, d->request->beside->index))
                return;
        d->out->beside_fits = true;
        d->out->beside_total =
                choice->feasible_count > 1 ? choice->totals[d->request->beside->index] : 0;
}

/* By the caches, when only the choice is wanted. */
static enum engine_answer ask_engine(struct decide *d) {
        struct class_engine *engine = d->request->engine;
        struct engine_choice choice;
        if (!engine || d->request->is_parity || d->extended || d->request->among ||
            decision_is_wanted(d, DECIDE_VERDICTS) || decision_is_wanted(d, DECIDE_SCORES))
                return ENGINE_DECLINES;
        enum engine_answer answer =
                class_engine_choose(engine, &d->attempt, d->request->rng, &choice);
        if (answer == ENGINE_CHOSE)
                take_choice(d, &choice);
        return answer;
}

static void conclude_refused(struct decide *d) {
        decision_conclude(d, refusals_message(d->node_count, d->out->refusals,
                                              d->out->refusal_count, d->arena));
}

/* Upstream's cycle ends with the first error of a filter, whatever other nodes say. Of the filters
 * those of devices have errors. */
static bool minds_errors(const struct decide *d) {
        return d->request->is_parity &&
               object_cache_count(d->attempt.cycle.object_cache, CACHED_DEVICE_CLASS) > 0;
}

static bool fails_by_error(struct decide *d) {
        for (size_t i = 0; i < d->out->refusal_count; i++) {
                const struct node_refusal *refusal = &d->out->refusals[i];
                if (refusal->code != VERDICT_ERROR)
                        continue;
                struct slice reasons =
                        join_reasons(d->arena, refusal->reasons, refusal->reason_count);
                decision_fail(d, slice_of(arena_printf(d->arena,
                                                       "running \"%s\" filter plugin: " SLICE_FMT,
                                                       refusal->plugin->name, SLICE_ARG(reasons))));
                return true;
        }
        return false;
}

static void filter_and_place(struct decide *d) {
        struct bitset nodes = candidate_nodes(d);
        int64_t since_ns = now_ns(d);
        sched_attempt_filter(&d->attempt, &nodes);
        drop_unadmitted(d, &nodes);
        bool is_empty = bitset_is_empty(&nodes);
        decision_report(d, POINT_FILTER, is_empty ? VERDICT_UNSCHEDULABLE : VERDICT_OK, since_ns);
        if (is_empty || decision_is_wanted(d, DECIDE_VERDICTS) || minds_errors(d))
                explain_refusals(d, &nodes);
        if (minds_errors(d) && fails_by_error(d))
                return;
        if (is_empty) {
                conclude_refused(d);
                return;
        }
        take_feasible(d, &nodes);
        decision_place(d);
}

static void choose_node(struct decide *d) {
        if (take_nominated(d))
                return;
        int64_t since_ns = now_ns(d);
        switch (ask_engine(d)) {
        case ENGINE_CHOSE:
                decision_report(d, POINT_FILTER, VERDICT_OK,
                                since_ns); /* scores are cached with it */
                return;
        case ENGINE_FOUND_NONE: {
                decision_report(d, POINT_FILTER, VERDICT_UNSCHEDULABLE, since_ns);
                struct bitset none =
                        bitset_in_arena(d->arena, cluster_nodes(d->attempt.cluster)->count);
                explain_refusals(d, &none);
                conclude_refused(d);
                return;
        }
        case ENGINE_DECLINES:
                filter_and_place(d);
        }
}

static void decision_decide(struct decide *d) {
        struct decision *out = d->out;
        if (decision_is_wanted(d, DECIDE_GATES) && sched_attempt_gate(&d->attempt, &out->gate)) {
                out->outcome = DECISION_GATED;
                return;
        }
        if (d->node_count == 0) {
                decision_fail(d, SLICE_LITERAL("no nodes available to schedule pods"));
                out->has_no_nodes = true;
                return;
        }
        int64_t since_ns = now_ns(d);
        enum verdict_code code = sched_attempt_pre_filter(&d->attempt);
        decision_report(d, POINT_PRE_FILTER, code, since_ns);
        out->pre_filter_count = d->attempt.pre_filter_count;
        out->pre_filters = d->attempt.pre_filters;
        if (code != VERDICT_OK)
                conclude_pre_filter(d);
        else
                choose_node(d);
}

void scheduler_decide(struct cluster *cluster, const struct sched_profile *profile,
                      const struct decision_request *request, struct arena *arena,
                      struct decision *ret_decision) {
        struct decide d = { .request = request,
                            .arena = arena,
                            .out = ret_decision,
                            .node_count = cluster_node_count(cluster) };
        struct attempt_request attempt = {
                .cluster = cluster,
                .profile = profile,
                .pod = request->pod,
                .node_name = request->node_name,
                .now = request->now,
                .arena = arena,
                .counts = !request->engine ? NULL : class_engine_counts(request->engine),
                .limit = request->limit,
                .no_preemption = request->no_preemption,
                .is_of_idle_group = request->is_of_idle_group,
                .expected_times = request->is_parity ? NULL : request->expected_times,
        };
        if (request->watch && request->watch->begins)
                attempt.watch = request->watch->begins(request->watch->context, profile);
        d.order = cluster_node_order(cluster);
        if (request->among) {
                d.order = request->among->nodes;
                d.node_count = request->among->count;
        }
        *ret_decision = (struct decision){ .node = NODE_NONE, .node_count = d.node_count };
        sched_attempt_init(&d.attempt, &attempt);
        take_extension(&d);
        decision_decide(&d);
        sched_attempt_release(&d.attempt);
}

void scheduler_reserve(const struct reserve_request *request) {
        struct sched_attempt attempt;
        sched_attempt_init(&attempt, &(struct attempt_request){ .cluster = request->cluster,
                                                                .profile = request->profile,
                                                                .pod = request->pod,
                                                                .now = request->now,
                                                                .arena = request->arena });
        if (sched_attempt_pre_filter(&attempt) == VERDICT_OK)
                sched_attempt_reserve(&attempt, request->node, &request->reservation);
        sched_attempt_release(&attempt);
}
