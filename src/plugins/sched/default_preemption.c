/* DefaultPreemption: which pods of lower priority would have to go.  The search runs
 * in what-ifs and writes nothing; reference scheduler.md section 5. */
#include "base/util.h"
#include "plugin/sched_attempt.h"
#include "plugin/verdict_cache.h"
#include "plugins/sched/group_preemption.h"
#include "plugins/sched/victim_budgets.h"
#include <stdlib.h>
#include <string.h>

struct preemption_args {
        struct args_head head;
        int32_t percentage, absolute; /* of nodes tried: the larger of both */
};

/* One search; everything lives in the cycle's scratch. */
struct default_preemption_search {
        struct sched_attempt *attempt;
        struct arena *arena;
        size_t candidate_count, rejected_count;
        struct preemption_candidate *candidates;
        struct node_refusal *rejected;
        bool has_clean; /* a candidate that breaks no budget */
};

/* ---- who may go ---- */

static const struct pod_row *row_of(const struct default_preemption_search *search,
                                    struct pod_id pod) {
        return cluster_pod(search->attempt->cluster, pod);
}

/* Pods that have not started yet are the youngest. */
static int64_t start_of(const struct default_preemption_search *search, const struct pod_row *row) {
        return wall_time_is_set(row->started) ? row->started.ns : search->attempt->now.ns;
}

struct victim {
        struct pod_id pod;
        int32_t priority;
        int64_t started_ns;
        size_t position; /* keeps the order stable */
        bool breaks_budget;
};

/* Higher priority first, then the longer running. */
static int compare_importance(const void *a, const void *b) {
        const struct victim *x = a, *y = b;
        if (x->priority != y->priority)
                return x->priority > y->priority ? -1 : 1;
        if (x->started_ns != y->started_ns)
                return x->started_ns < y->started_ns ? -1 : 1;
        return x->position < y->position ? -1 : x->position > y->position;
}

static size_t default_preemption_collect(const struct default_preemption_search *search,
                                         struct node_id node, struct victim **ret_victims) {
        const struct cluster *cluster = search->attempt->cluster;
        const struct node_table *table = cluster_nodes(cluster);
        size_t count = 0;
        *ret_victims = NULL;
        if (cluster_lowest_priority(cluster) >= search->attempt->cycle.priority)
                return 0; /* no node has a less important pod */
        struct victim *victims =
                ARENA_ARRAY(search->arena, struct victim, table->pod_count[node.index]);
        for (struct pod_id pod = table->first_pod[node.index]; !pod_id_is_none(pod);
             pod = row_of(search, pod)->next_on_node) {
                const struct pod_row *row = row_of(search, pod);
                if (row->priority >= search->attempt->cycle.priority || pod_row_is_finished(row))
                        continue;
                victims[count] = (struct victim){ .pod = pod,
                                                  .priority = row->priority,
                                                  .started_ns = start_of(search, row),
                                                  .position = count };
                count++;
        }
        *ret_victims = victims;
        return count;
}

/* ---- one node ---- */

static bool default_preemption_fits(struct default_preemption_search *search, struct node_id node,
                                    struct node_refusal *ret_refusal) {
        return sched_attempt_judge_changed(search->attempt, node, ret_refusal);
}

static void withdraw_all(struct default_preemption_search *search, const struct victim *victims,
                         size_t count) {
        for (size_t i = 0; i < count; i++)
                cluster_withdraw(search->attempt->cluster, victims[i].pod);
}

/* Whether the pod still fits with this victim back on the node; then it stays there. */
static bool can_stay(struct default_preemption_search *search, struct node_id node,
                     struct pod_id victim) {
        struct cluster *cluster = search->attempt->cluster;
        struct node_refusal refusal;
        cluster_checkpoint(cluster);
        cluster_assume(cluster, victim, node);
        if (default_preemption_fits(search, node, &refusal))
                return true;
        cluster_rollback(cluster);
        return false;
}

/* Reprieves the pods that can stay, all of which are withdrawn: first those whose eviction would
 * break a budget, then the others, the most important first.  Ends the what-if that withdrew them.
 */
static void default_preemption_reprieve(struct default_preemption_search *search,
                                        struct node_id node, struct victim *victims, size_t count,
                                        struct preemption_candidate *ret_candidate) {
        bool *is_gone = ARENA_ARRAY(search->arena, bool, count);
        struct victim_budgets budgets = { .cluster = search->attempt->cluster,
                                          .arena = search->arena,
                                          .is_parity = search->attempt->cycle.is_parity };
        struct pod_id *chosen = ARENA_ARRAY(search->arena, struct pod_id, count);
        qsort(victims, count, sizeof(*victims), compare_importance);
        for (size_t i = 0; i < count; i++) {
                victims[i].breaks_budget = victim_budgets_charge(&budgets, victims[i].pod);
                is_gone[i] = true;
        }
        size_t open = 1; /* what-ifs, one inside the other */
        for (int pass = 0; pass < 2; pass++)
                for (size_t i = 0; i < count; i++)
                        if (victims[i].breaks_budget == (pass == 0) &&
                            can_stay(search, node, victims[i].pod)) {
                                is_gone[i] = false;
                                open++;
                        }
        while (open-- > 0)
                cluster_rollback(search->attempt->cluster);
        *ret_candidate = (struct preemption_candidate){ .node = node, .victims = chosen };
        for (size_t i = 0; i < count; i++) {
                if (!is_gone[i])
                        continue;
                chosen[ret_candidate->victim_count++] = victims[i].pod;
                ret_candidate->budget_violations += victims[i].breaks_budget;
        }
}

static void default_preemption_reject(struct default_preemption_search *search,
                                      const struct node_refusal *refusal) {
        search->rejected[search->rejected_count++] = *refusal;
}

static void default_preemption_accept(struct default_preemption_search *search,
                                      const struct preemption_candidate *candidate) {
        search->candidates[search->candidate_count++] = *candidate;
        search->has_clean = search->has_clean || candidate->budget_violations == 0;
}

/* As an earlier search found. */
static bool default_preemption_recall(struct default_preemption_search *search,
                                      struct node_id node) {
        struct node_refusal refusal;
        struct preemption_candidate candidate;
        if (!verdict_cache_find_preemption(search->attempt, node, &refusal, &candidate))
                return false;
        if (refusal.code != VERDICT_OK) {
                default_preemption_reject(search, &refusal);
                return true;
        }
        candidate.victims = arena_copy(search->arena, candidate.victims,
                                       candidate.victim_count * sizeof(*candidate.victims));
        default_preemption_accept(search, &candidate);
        return true;
}

static void default_preemption_refuse(struct default_preemption_search *search,
                                      const struct node_refusal *refusal) {
        default_preemption_reject(search, refusal);
        verdict_cache_put_rejected(search->attempt, refusal->node, refusal);
}

/* Pods that start after now change their order with those that have not started when it passes. */
static bool is_order_settled(const struct default_preemption_search *search,
                             const struct victim *victims, size_t count) {
        for (size_t i = 0; i < count; i++) {
                const struct pod_row *row = row_of(search, victims[i].pod);
                if (wall_time_is_set(row->started) && row->started.ns >= search->attempt->now.ns)
                        return false;
        }
        return true;
}

/* In a what-if that has withdrawn the victims, and ends here: chooses among them, or refuses. */
static void judge_without(struct default_preemption_search *search, struct node_id node,
                          struct victim *victims, size_t count) {
        struct preemption_candidate candidate;
        struct node_refusal refusal;
        if (!default_preemption_fits(search, node, &refusal)) {
                cluster_rollback(search->attempt->cluster);
                default_preemption_refuse(search, &refusal);
                return;
        }
        default_preemption_reprieve(search, node, victims, count, &candidate);
        default_preemption_accept(search, &candidate);
        if (is_order_settled(search, victims, count))
                verdict_cache_put_candidate(search->attempt, &candidate);
}

static void try_node(struct default_preemption_search *search, struct node_id node) {
        static const struct slice no_victims[] = { SLICE_INIT(
                "No preemption victims found for incoming pod") };
        struct victim *victims;
        if (default_preemption_recall(search, node))
                return;
        size_t count = default_preemption_collect(search, node, &victims);
        if (count == 0) {
                default_preemption_refuse(search,
                                          &(struct node_refusal){ .node = node,
                                                                  .code = VERDICT_UNRESOLVABLE,
                                                                  .reason_count = 1,
                                                                  .reasons = no_victims });
                return;
        }
        cluster_checkpoint(search->attempt->cluster);
        withdraw_all(search, victims, count);
        judge_without(search, node, victims, count);
}

/* ---- which node ---- */

/* Lower is better; one function per criterion. */
static int64_t by_budgets(const struct default_preemption_search *search,
                          const struct preemption_candidate *c) {
        (void)search;
        return c->budget_violations;
}
static int64_t by_highest(const struct default_preemption_search *search,
                          const struct preemption_candidate *c) {
        return c->victim_count == 0 ? INT64_MIN : row_of(search, c->victims[0])->priority;
}
static int64_t by_sum(const struct default_preemption_search *search,
                      const struct preemption_candidate *c) {
        int64_t sum = 0;
        for (size_t i = 0; i < c->victim_count; i++)
                sum += (int64_t)row_of(search, c->victims[i])->priority + ((int64_t)1 << 31);
        return sum;
}
static int64_t by_count(const struct default_preemption_search *search,
                        const struct preemption_candidate *c) {
        (void)search;
        return (int64_t)c->victim_count;
}
/* Of the victims of the highest priority the one that started first; the later the better. */
static int64_t by_start(const struct default_preemption_search *search,
                        const struct preemption_candidate *c) {
        int64_t earliest = INT64_MAX;
        for (size_t i = 0; i < c->victim_count; i++) {
                const struct pod_row *row = row_of(search, c->victims[i]);
                if (row->priority == row_of(search, c->victims[0])->priority &&
                    start_of(search, row) < earliest)
                        earliest = start_of(search, row);
        }
        return -earliest;
}

/* Ours, after all of upstream's: what evicting them all is expected to take. */
static int64_t by_cost(const struct default_preemption_search *search,
                       const struct preemption_candidate *c) {
        const struct sched_attempt *attempt = search->attempt;
        int64_t sum = 0;
        for (size_t i = 0; attempt->expected_times && i < c->victim_count; i++)
                sum += attempt->expected_times->expected_ns(attempt->expected_times->context,
                                                            c->victims[i], attempt->now);
        return sum;
}

typedef int64_t criterion_fn(const struct default_preemption_search *,
                             const struct preemption_candidate *);

/* Keeps the indexes with the smallest value; returns how many. */
static size_t keep_smallest(const struct default_preemption_search *search, criterion_fn *criterion,
                            size_t *remaining, size_t count) {
        int64_t best = INT64_MAX;
        size_t left = 0;
        for (size_t i = 0; i < count; i++) {
                int64_t value = criterion(search, &search->candidates[remaining[i]]);
                if (value < best)
                        left = 0;
                if (value <= best) {
                        best = value;
                        remaining[left++] = remaining[i];
                }
        }
        return left;
}

static void default_preemption_choose(struct default_preemption_search *search,
                                      struct preemption *result) {
        static criterion_fn *const criteria[] = { by_budgets, by_highest, by_sum,
                                                  by_count,   by_start,   by_cost };
        size_t count = search->candidate_count, c = 0;
        size_t *remaining = ARENA_ARRAY(search->arena, size_t, count);
        for (size_t i = 0; i < count; i++)
                remaining[i] = i;
        result->decided_by = PREEMPTION_ONLY_CANDIDATE;
        for (c = 0; c < ARRAY_LEN(criteria) && count > 1; c++) {
                count = keep_smallest(search, criteria[c], remaining, count);
                result->decided_by = (enum preemption_rule)(PREEMPTION_BUDGETS + (int)c);
        }
        if (count > 1)
                result->decided_by = PREEMPTION_ARBITRARY;
        struct node_id *best = ARENA_ARRAY(search->arena, struct node_id, count);
        for (size_t i = 0; i < count; i++)
                best[i] = search->candidates[remaining[i]].node;
        result->chosen = &search->candidates[remaining[0]];
        result->best = best;
        result->best_count = count;
}

/* ---- the phase ---- */

/* Whether it is deleted by preemption: upstream waits only for those. We wait for every pod that is
 * being deleted. */
static bool is_preempted(const struct cluster *cluster, const struct pod_row *row) {
        if (!row->detail)
                return false;
        for (uint32_t i = 0; i < row->detail->condition_count; i++) {
                const struct condition_row *condition = &row->detail->conditions[i];
                if (condition->status == CONDITION_TRUE &&
                    slice_is(cluster_text(cluster, condition->type), "DisruptionTarget") &&
                    slice_is(cluster_text(cluster, condition->reason), "PreemptionByScheduler"))
                        return true;
        }
        return false;
}

/* Why this pod must not preempt; empty when it may. */
static struct slice default_preemption_ineligible(const struct default_preemption_search *search) {
        const struct sched_attempt *attempt = search->attempt;
        const struct cluster *cluster = attempt->cluster;
        const struct pod_row *pod = row_of(search, attempt->cycle.pod);
        if (!slice_is_empty(attempt->no_preemption))
                return attempt->no_preemption;
        if (attempt->cycle.class->spec.never_preempts)
                return SLICE_LITERAL("not eligible due to preemptionPolicy=Never.");
        if (pod->nominated.index == 0)
                return SLICE_EMPTY;
        struct node_id node = cluster_node_named(cluster, pod->nominated);
        if (node_id_is_none(node))
                return SLICE_EMPTY;
        for (size_t i = 0; i < attempt->refusal_count; i++)
                if (attempt->refusals[i].node.index == node.index &&
                    attempt->refusals[i].code == VERDICT_UNRESOLVABLE)
                        return SLICE_EMPTY;
        for (struct pod_id at = cluster_nodes(cluster)->first_pod[node.index]; !pod_id_is_none(at);
             at = row_of(search, at)->next_on_node) {
                const struct pod_row *row = row_of(search, at);
                if (pod_row_is_leaving(row) && row->priority < attempt->cycle.priority &&
                    (!attempt->cycle.is_parity || row->is_ending || is_preempted(cluster, row)))
                        return SLICE_LITERAL(
                                "not eligible due to a terminating pod on the nominated node.");
        }
        return SLICE_EMPTY;
}

/* "0/N nodes are available: ..." over all nodes, those not tried included. */
static struct slice failure_text(const struct default_preemption_search *search) {
        static const struct slice not_helpful[] = { SLICE_INIT(
                "Preemption is not helpful for scheduling") };
        size_t node_count = cluster_node_count(search->attempt->cluster);
        struct node_refusal *all = ARENA_ARRAY(search->arena, struct node_refusal, node_count);
        for (size_t i = 0; i < node_count; i++)
                all[i] = i < search->rejected_count
                                 ? search->rejected[i]
                                 : (struct node_refusal){ .reason_count = 1,
                                                          .reasons = not_helpful };
        return refusals_message(node_count, all, node_count, search->arena);
}

static enum verdict_code default_preemption_fail(struct default_preemption_search *search,
                                                 struct verdict *verdict, struct slice text) {
        verdict_no(
                verdict, VERDICT_UNSCHEDULABLE,
                slice_of(arena_printf(search->arena, "preemption: " SLICE_FMT, SLICE_ARG(text))));
        return VERDICT_UNSCHEDULABLE;
}

static struct slice error_of(const struct default_preemption_search *search,
                             const struct node_refusal *refusal) {
        struct buf text = { 0 };
        buf_printf(&text, "running \"%s\" filter plugin: ", refusal->plugin->name);
        for (uint32_t i = 0; i < refusal->reason_count; i++) {
                buf_text(&text, i ? ", " : "");
                buf_slice(&text, refusal->reasons[i]);
        }
        struct slice copy = arena_slice(search->arena, buf_view(&text));
        buf_release(&text);
        return copy;
}

/* What filters failed with where victims were sought, each text once; empty when none did.
 * Upstream's search ends with it when it has found no candidate. */
static struct slice errors_text(const struct default_preemption_search *search) {
        struct slice *errors = ARENA_ARRAY(search->arena, struct slice, search->rejected_count + 1);
        size_t count = 0;
        for (size_t i = 0; i < search->rejected_count; i++) {
                size_t known = 0;
                if (search->rejected[i].code != VERDICT_ERROR)
                        continue;
                errors[count] = error_of(search, &search->rejected[i]);
                while (!slice_eq(errors[known], errors[count]))
                        known++;
                count += known == count;
        }
        if (count < 2)
                return count ? errors[0] : SLICE_EMPTY;
        struct buf text = { 0 };
        for (size_t i = 0; i < count; i++)
                buf_printf(&text, "%s" SLICE_FMT, i ? ", " : "[", SLICE_ARG(errors[i]));
        buf_char(&text, ']');
        struct slice copy = arena_slice(search->arena, buf_view(&text));
        buf_release(&text);
        return copy;
}

/* How many candidates are enough. */
static size_t wanted_candidates(const struct preemption_args *args, size_t node_count) {
        size_t share = node_count * (size_t)args->percentage / 100;
        size_t wanted = share > (size_t)args->absolute ? share : (size_t)args->absolute;
        return wanted < node_count ? wanted : node_count;
}

/* Where the search begins.  Upstream takes a random node; here the node follows from the pod's
 * name, so that pods begin at different ones and a what-if finds what the scheduler does.  A search
 * that always began at the first node would take more and more pods from the same nodes. */
static size_t first_tried(const struct sched_cycle *cycle, size_t node_count) {
        if (cycle->is_parity || node_count == 0)
                return 0;
        return hash_bytes(cycle->pod_name, strlen(cycle->pod_name), 0) % node_count;
}

/* Enough candidates, and one among them that breaks no budget. */
static bool is_satisfied(const struct default_preemption_search *search, size_t wanted) {
        return search->candidate_count >= wanted && search->has_clean;
}

static void default_preemption_run(struct default_preemption_search *search,
                                   const struct preemption_args *args) {
        struct sched_attempt *attempt = search->attempt;
        size_t cap = attempt->refusal_count, count = 0;
        search->candidates = ARENA_ARRAY(search->arena, struct preemption_candidate, cap);
        search->rejected = ARENA_ARRAY(search->arena, struct node_refusal, cap);
        for (size_t i = 0; i < cap; i++)
                count += attempt->refusals[i].code == VERDICT_UNSCHEDULABLE;
        size_t wanted = wanted_candidates(args, count);
        size_t first = wanted < count ? first_tried(&attempt->cycle, cap) : 0;
        for (size_t i = 0; i < cap && !is_satisfied(search, wanted); i++) {
                const struct node_refusal *refusal = &attempt->refusals[(first + i) % cap];
                if (refusal->code == VERDICT_UNSCHEDULABLE)
                        try_node(search, refusal->node);
        }
}

/* ---- after extenders were asked ---- */

static bool fits_without(struct default_preemption_search *search,
                         const struct preemption_candidate *candidate) {
        struct node_refusal refusal;
        cluster_checkpoint(search->attempt->cluster);
        for (size_t i = 0; i < candidate->victim_count; i++)
                cluster_withdraw(search->attempt->cluster, candidate->victims[i]);
        bool is_enough = default_preemption_fits(search, candidate->node, &refusal);
        cluster_rollback(search->attempt->cluster);
        return is_enough;
}

/* The cluster has moved on since the candidates were found: they have to be good still. */
static void keep_limited(struct default_preemption_search *search,
                         const struct preemption_limit *limit) {
        search->candidates = ARENA_ARRAY(search->arena, struct preemption_candidate, limit->count);
        for (size_t i = 0; i < limit->count; i++)
                if (fits_without(search, &limit->candidates[i]))
                        search->candidates[search->candidate_count++] = limit->candidates[i];
}

static enum verdict_code take_limited(struct default_preemption_search *search,
                                      struct verdict *verdict) {
        struct sched_attempt *attempt = search->attempt;
        struct preemption *result = &attempt->preemption;
        if (!slice_is_empty(attempt->limit->trouble))
                return default_preemption_fail(search, verdict, attempt->limit->trouble);
        keep_limited(search, attempt->limit);
        if (search->candidate_count == 0)
                return default_preemption_fail(search, verdict,
                                               SLICE_LITERAL("no candidate node for preemption"));
        result->candidate_count = search->candidate_count;
        result->candidates = search->candidates;
        default_preemption_choose(search, result);
        attempt->sets_nomination = true;
        attempt->nomination = cluster_node_name(attempt->cluster, result->chosen->node);
        return VERDICT_OK;
}

static enum verdict_code post_filter(struct sched_attempt *attempt, const void *state,
                                     struct verdict *verdict) {
        struct default_preemption_search search = { .attempt = attempt,
                                                    .arena = attempt->cycle.scratch };
        struct preemption *result = &attempt->preemption;
        struct slice reason = default_preemption_ineligible(&search), errors = SLICE_EMPTY;
        if (!slice_is_empty(reason))
                return default_preemption_fail(&search, verdict, reason);
        if (attempt->limit)
                return take_limited(&search, verdict);
        default_preemption_run(&search, state);
        result->candidate_count = search.candidate_count;
        result->candidates = search.candidates;
        result->rejected_count = search.rejected_count;
        result->rejected = search.rejected;
        if (attempt->cycle.is_parity && search.candidate_count == 0)
                errors = errors_text(&search);
        if (!slice_is_empty(errors)) { /* the nomination stays as it was */
                default_preemption_fail(&search, verdict, errors);
                return VERDICT_ERROR;
        }
        attempt->sets_nomination = true;
        attempt->nomination = SLICE_EMPTY;
        if (search.candidate_count == 0)
                return default_preemption_fail(&search, verdict, failure_text(&search));
        default_preemption_choose(&search, result);
        attempt->nomination = cluster_node_name(attempt->cluster, result->chosen->node);
        return VERDICT_OK;
}

/* The scheduler itself holds the pod back while its victims leave. */
static enum verdict_code pre_enqueue(const struct sched_cycle *cycle, const void *state,
                                     struct verdict *verdict) {
        (void)cycle;
        (void)state;
        (void)verdict;
        return VERDICT_OK;
}

static void default_preemption_check(struct field_reader *reader, const struct json *value,
                                     const void *args) {
        const struct preemption_args *given = args;
        if (given->percentage == 0 && given->absolute == 0)
                field_problem(reader, value, "minCandidateNodesPercentage",
                              "cannot be zero at the same time as minCandidateNodesAbsolute");
}

static const struct field fields[] = {
        ARGS_HEAD_FIELDS,
        { .name = "minCandidateNodesPercentage",
          .type = FIELD_I32,
          .offset = offsetof(struct preemption_args, percentage),
          .presence = FIELD_NO_PRESENCE,
          .is_bounded = true,
          .min = 0,
          .max = 100,
          .fallback = "10",
          .help = "Share of the nodes to look at before settling." },
        { .name = "minCandidateNodesAbsolute",
          .type = FIELD_I32,
          .offset = offsetof(struct preemption_args, absolute),
          .presence = FIELD_NO_PRESENCE,
          .is_bounded = true,
          .min = 0,
          .max = INT32_MAX,
          .fallback = "100",
          .help = "Number of nodes to look at before settling." },
        FIELD_END,
};

const struct plugin plugin_default_preemption = {
        .name = "DefaultPreemption",
        .args = fields,
        .args_size = sizeof(struct preemption_args),
        .check = default_preemption_check,
        .sched =
                &(const struct sched_points){
                        .pre_enqueue = pre_enqueue,
                        .post_filter = post_filter,
                        .groups =
                                &(const struct group_points){ .post_filter = group_preemption_run },
                        .hints = &(const struct cache_hints){ .filter = CACHE_SCOPE_CLUSTER } },
};
