/* Scoring the nodes a pod fits, PostFilter, and the text of a refusal. */
#include "plugin/sched_attempt.h"
#include <assert.h>
#include <stdlib.h>

/* ---- scores ---- */

enum verdict_code sched_attempt_pre_score(struct sched_attempt *attempt, struct node_batch feasible,
                                          struct verdict *verdict) {
        const struct profile_point *point = &attempt->profile->points[POINT_PRE_SCORE];
        for (size_t i = 0; i < point->count; i++) {
                size_t index = point->plugins[i];
                const struct profile_plugin *plugin = &attempt->profile->plugins[index];
                struct attempt_plugin *own = &attempt->plugins[index];
                if (!plugin->plugin->sched->pre_score)
                        continue;
                int64_t since_ns = plugin_run_begin(attempt);
                enum verdict_code code = plugin->plugin->sched->pre_score(
                        &attempt->cycle, plugin->state, feasible, &own->score_state, verdict);
                plugin_run_end(attempt, index, POINT_PRE_SCORE, code, since_ns);
                own->score_skips = code == VERDICT_SKIP;
                if (code != VERDICT_OK && code != VERDICT_SKIP)
                        return code;
        }
        return VERDICT_OK;
}

static enum verdict_code add_weighted(struct arena *arena, const struct profile_plugin *plugin,
                                      const int64_t *scores, size_t count, int64_t *totals,
                                      struct verdict *verdict) {
        for (size_t i = 0; i < count; i++) {
                if (scores[i] < 0 || scores[i] > NODE_SCORE_MAX) {
                        verdict_no(verdict, VERDICT_ERROR,
                                   slice_of(arena_printf(
                                           arena,
                                           "plugin \"%s\" returns an invalid score %lld, it "
                                           "should in the range of [0, 100] after normalizing",
                                           plugin->plugin->name, (long long)scores[i])));
                        return VERDICT_ERROR;
                }
                totals[i] += scores[i] * plugin->weight;
        }
        return VERDICT_OK;
}

static int64_t *sched_attempt_score_weigh(struct arena *arena, const int64_t *scores, size_t count,
                                          int64_t weight) {
        int64_t *weighted = ARENA_ARRAY(arena, int64_t, count);
        for (size_t i = 0; i < count; i++)
                weighted[i] = scores[i] * weight;
        return weighted;
}

enum verdict_code sched_attempt_score(struct sched_attempt *attempt, struct node_batch feasible,
                                      bool wants_columns, struct attempt_scores *ret_scores,
                                      struct verdict *verdict) {
        const struct profile_point *point = &attempt->profile->points[POINT_SCORE];
        struct arena *arena = attempt->cycle.scratch;
        size_t size = feasible.count * sizeof(int64_t);
        int64_t *scores = ARENA_ARRAY(arena, int64_t, feasible.count);
        ret_scores->totals = ARENA_ARRAY(arena, int64_t, feasible.count);
        ret_scores->columns = ARENA_ARRAY(arena, struct score_column, point->count);
        ret_scores->column_count = 0;
        if (sched_attempt_pre_score(attempt, feasible, verdict) != VERDICT_OK)
                return VERDICT_ERROR;
        for (size_t i = 0; i < point->count; i++) {
                size_t index = point->plugins[i];
                const struct profile_plugin *plugin = &attempt->profile->plugins[index];
                const struct sched_points *sched = plugin->plugin->sched;
                void *state = attempt_score_state(attempt, index);
                if (attempt->plugins[index].score_skips)
                        continue;
                struct score_column *column = &ret_scores->columns[ret_scores->column_count++];
                *column = (struct score_column){ plugin->plugin, plugin->weight, NULL, NULL };
                int64_t since_ns = plugin_run_begin(attempt);
                sched->score(&attempt->cycle, plugin->state, state, feasible, scores);
                plugin_run_end(attempt, index, POINT_SCORE, VERDICT_OK, since_ns);
                if (wants_columns)
                        column->raw = arena_copy(arena, scores, size);
                if (sched->normalize)
                        sched->normalize(&attempt->cycle, plugin->state, state, feasible, scores);
                if (wants_columns)
                        column->weighted = sched_attempt_score_weigh(arena, scores, feasible.count,
                                                                     plugin->weight);
                if (add_weighted(arena, plugin, scores, feasible.count, ret_scores->totals,
                                 verdict) != VERDICT_OK)
                        return VERDICT_ERROR;
        }
        return VERDICT_OK;
}

/* ---- PostFilter ---- */

static void append_reasons(struct buf *text, const struct verdict *verdict) {
        for (uint32_t i = 0; i < verdict->reason_count; i++) {
                if (text->len > 0)
                        buf_text(text, ", ");
                buf_slice(text, verdict->reasons[i]);
        }
}

void sched_attempt_post_filter(struct sched_attempt *attempt) {
        const struct profile_point *point = &attempt->profile->points[POINT_POST_FILTER];
        struct preemption *result = &attempt->preemption;
        struct buf text = { 0 };
        result->code = VERDICT_UNSCHEDULABLE;
        for (size_t i = 0; i < point->count; i++) {
                const struct profile_plugin *plugin = &attempt->profile->plugins[point->plugins[i]];
                struct verdict verdict = { .code = VERDICT_OK };
                if (!plugin->plugin->sched->post_filter)
                        continue;
                int64_t since_ns = plugin_run_begin(attempt);
                enum verdict_code code =
                        plugin->plugin->sched->post_filter(attempt, plugin->state, &verdict);
                plugin_run_end(attempt, point->plugins[i], POINT_POST_FILTER, code, since_ns);
                if (code == VERDICT_OK || code == VERDICT_ERROR) {
                        result->code = code;
                        buf_clear(&text);
                }
                if (code != VERDICT_OK)
                        append_reasons(&text, &verdict);
                if (code != VERDICT_UNSCHEDULABLE)
                        break;
        }
        result->message = arena_slice(attempt->cycle.scratch, buf_view(&text));
        buf_release(&text);
}

void reservation_change(const struct reservation *reservation, enum cached_kind kind,
                        const struct json *before, const struct json_node *after) {
        struct json_doc *doc = json_doc_of(after);

        if (!doc)
                return;
        if (reservation->changes)
                reservation->changes(reservation->context, kind, before, json_doc_root(doc));
        object_cache_assume(reservation->object_cache, kind, json_doc_root(doc));
        json_doc_free(doc);
}

void reservation_fail(const struct reservation *reservation, const struct plugin *plugin,
                      const char *point, struct slice text) {
        if (reservation->fails)
                reservation->fails(reservation->context, plugin, point, text);
}

void reservation_patch_pod(const struct reservation *reservation, const struct json_node *patch) {
        struct buf text = { 0 };
        node_write(patch, &text);
        if (reservation->patches_pod)
                reservation->patches_pod(reservation->context, buf_view(&text));
        buf_release(&text);
}

void sched_attempt_reserve(struct sched_attempt *attempt, struct node_id node,
                           const struct reservation *reservation) {
        const struct profile_point *point = &attempt->profile->points[POINT_RESERVE];
        for (size_t i = 0; i < point->count; i++) {
                size_t index = point->plugins[i];
                const struct profile_plugin *plugin = &attempt->profile->plugins[index];
                if (plugin->plugin->sched->reserve && attempt->plugins[index].was_asked &&
                    !attempt->plugins[index].filter_skips)
                        plugin->plugin->sched->reserve(&attempt->cycle, plugin->state,
                                                       attempt->plugins[index].filter_state, node,
                                                       reservation);
        }
}

enum verdict_code sched_attempt_pre_bind(const struct sched_attempt *attempt, struct node_id node,
                                         int64_t waited_ns, const struct plugin **ret_plugin,
                                         struct verdict *verdict) {
        const struct profile_point *point = &attempt->profile->points[POINT_PRE_BIND];
        enum verdict_code result = VERDICT_OK;
        for (size_t i = 0; i < point->count && result != VERDICT_ERROR; i++) {
                const struct profile_plugin *plugin = &attempt->profile->plugins[point->plugins[i]];
                enum verdict_code code = VERDICT_OK;
                if (plugin->plugin->sched->pre_bind)
                        code = plugin->plugin->sched->pre_bind(&attempt->cycle, plugin->state, node,
                                                               waited_ns, verdict);
                if (code == VERDICT_OK)
                        continue;
                result = code;
                *ret_plugin = plugin->plugin;
        }
        return result;
}

const char *preemption_rule_name(enum preemption_rule rule) {
        static const char *const names[] = {
                [PREEMPTION_ONLY_CANDIDATE] = "onlyCandidate",
                [PREEMPTION_BUDGETS] = "pdbViolations",
                [PREEMPTION_HIGHEST_PRIORITY] = "highestPriority",
                [PREEMPTION_SUM_OF_PRIORITIES] = "sumPriorities",
                [PREEMPTION_POD_COUNT] = "numPods",
                [PREEMPTION_START_TIME] = "startTime",
                [PREEMPTION_EVICTION_COST] = "evictionCost",
                [PREEMPTION_ARBITRARY] = "arbitrary",
        };
        return names[rule];
}

/* ---- the text of a refusal ---- */

struct reason_count {
        struct slice reason;
        size_t count;
        const char *text; /* "count reason" */
};

static int compare_reasons(const void *a, const void *b) {
        const struct reason_count *x = a, *y = b;
        return slice_compare(x->reason, y->reason);
}

static int compare_texts(const void *a, const void *b) {
        const struct reason_count *x = a, *y = b;
        return strcmp(x->text, y->text);
}

/* Equal reasons are often the same text in memory: one look at the last few finds them. */
static void count_reason(struct reason_count *counts, size_t *count, struct slice reason) {
        for (size_t i = *count; i > 0 && i + 32 > *count; i--) {
                struct slice known = counts[i - 1].reason;
                if ((known.ptr == reason.ptr && known.len == reason.len) ||
                    slice_eq(known, reason)) {
                        counts[i - 1].count++;
                        return;
                }
        }
        counts[(*count)++] = (struct reason_count){ reason, 1, NULL };
}

static size_t merge_equal(struct reason_count *counts, size_t count) {
        size_t unique = 0;
        qsort(counts, count, sizeof(*counts), compare_reasons);
        for (size_t i = 0; i < count; i++) {
                if (unique > 0 && slice_eq(counts[unique - 1].reason, counts[i].reason))
                        counts[unique - 1].count += counts[i].count;
                else
                        counts[unique++] = counts[i];
        }
        return unique;
}

struct slice refusals_message(size_t node_count, const struct node_refusal *refusals, size_t count,
                              struct arena *arena) {
        size_t total = 0, distinct = 0;
        for (size_t i = 0; i < count; i++)
                total += refusals[i].reason_count;
        struct reason_count *counts = ARENA_ARRAY(arena, struct reason_count, total);
        for (size_t i = 0; i < count; i++)
                for (uint32_t j = 0; j < refusals[i].reason_count; j++)
                        count_reason(counts, &distinct, refusals[i].reasons[j]);
        distinct = merge_equal(counts, distinct);
        for (size_t i = 0; i < distinct; i++)
                counts[i].text = arena_printf(arena, "%zu " SLICE_FMT, counts[i].count,
                                              SLICE_ARG(counts[i].reason));
        qsort(counts, distinct, sizeof(*counts), compare_texts);
        struct buf text = { 0 };
        buf_printf(&text, "0/%zu nodes are available", node_count);
        for (size_t i = 0; i < distinct; i++) {
                buf_text(&text, i == 0 ? ": " : ", ");
                buf_text(&text, counts[i].text);
        }
        buf_text(&text, distinct > 0 ? "." : ":");
        struct slice message = arena_slice(arena, buf_view(&text));
        buf_release(&text);
        return message;
}
