/* Answers recorded scheduling cases. */
#include "sched/replay_scheduler.h"
#include "base/util.h"
#include "sched/decision.h"
#include "sched/replay_devices.h"
#include "sched/replay_scene.h"
#include <stdlib.h>

/* Later than any recorded time: pods that have not started count as youngest. */
#define REPLAY_NOW ((struct wall_time){ INT64_C(4102444800) * NS_PER_S })

/* One answer being written. */
struct replay_scheduler_answer {
        struct json_tree *tree;
        struct json_node *expect;
        const struct replay_scene *scene;
        struct arena *arena;
};

static struct slice node_name(const struct replay_scheduler_answer *answer, struct node_id node) {
        return cluster_node_name(answer->scene->cluster, node);
}

/* ---- parts ---- */

static int compare_slices(const void *a, const void *b) {
        return slice_compare(*(const struct slice *)a, *(const struct slice *)b);
}

static void put_texts(const struct replay_scheduler_answer *answer, struct json_node *object,
                      const char *key, const struct slice *texts, size_t count) {
        if (count == 0)
                return;
        struct slice *sorted = arena_copy(answer->arena, texts, count * sizeof(*texts));
        struct json_node *array = node_array(answer->tree);
        qsort(sorted, count, sizeof(*sorted), compare_slices);
        for (size_t i = 0; i < count; i++)
                node_append(array, node_text(answer->tree, sorted[i]));
        node_put(answer->tree, object, key, array);
}

static void put_nodes(const struct replay_scheduler_answer *answer, struct json_node *object,
                      const char *key, const struct node_id *nodes, size_t count) {
        struct slice *names = ARENA_ARRAY(answer->arena, struct slice, count);
        for (size_t i = 0; i < count; i++)
                names[i] = node_name(answer, nodes[i]);
        put_texts(answer, object, key, names, count);
}

static void put_node_set(const struct replay_scheduler_answer *answer, struct json_node *object,
                         const char *key, const struct bitset *set) {
        struct node_id *nodes = ARENA_ARRAY(answer->arena, struct node_id, bitset_count(set));
        size_t count = 0;
        for (size_t i = bitset_next(set, 0); i != SIZE_MAX; i = bitset_next(set, i + 1))
                nodes[count++] = (struct node_id){ (uint32_t)i };
        put_nodes(answer, object, key, nodes, count);
}

static struct json_node *phase_node(const struct replay_scheduler_answer *answer,
                                    const struct phase_verdict *verdict) {
        struct json_node *object = node_object(answer->tree);
        node_put_string(answer->tree, object, "plugin", verdict->plugin->name);
        node_put_string(answer->tree, object, "code", verdict_code_name(verdict->code));
        put_texts(answer, object, "reasons", verdict->reasons, verdict->reason_count);
        if (verdict->only)
                put_node_set(answer, object, "nodes", verdict->only);
        return object;
}

static void put_pre_filters(const struct replay_scheduler_answer *answer,
                            const struct decision *decision) {
        struct json_node *said = node_array(answer->tree);
        struct json_node *skipped = node_array(answer->tree);
        for (size_t i = 0; i < decision->pre_filter_count; i++) {
                const struct phase_verdict *verdict = &decision->pre_filters[i];
                if (verdict->code == VERDICT_SKIP)
                        node_append(skipped, node_string(answer->tree, verdict->plugin->name));
                else
                        node_append(said, phase_node(answer, verdict));
        }
        if (node_count(said) > 0)
                node_put(answer->tree, answer->expect, "preFilter", said);
        if (node_count(skipped) > 0)
                node_put(answer->tree, answer->expect, "preFilterSkip", skipped);
}

static void put_refusals(const struct replay_scheduler_answer *answer, struct json_node *object,
                         const char *key, const struct node_refusal *refusals, size_t count) {
        if (count == 0)
                return;
        struct json_node *map = node_object(answer->tree);
        for (size_t i = 0; i < count; i++) {
                struct json_node *refusal = node_object(answer->tree);
                if (refusals[i].plugin)
                        node_put_string(answer->tree, refusal, "plugin", refusals[i].plugin->name);
                node_put_string(answer->tree, refusal, "code", verdict_code_name(refusals[i].code));
                put_texts(answer, refusal, "reasons", refusals[i].reasons,
                          refusals[i].reason_count);
                node_set(answer->tree, map, node_name(answer, refusals[i].node), refusal);
        }
        node_put(answer->tree, object, key, map);
}

/* Positions of the feasible nodes in order of their names. */
static size_t *by_name(const struct replay_scheduler_answer *answer,
                       const struct decision *decision) {
        size_t count = decision->feasible_count;
        size_t *order = ARENA_ARRAY(answer->arena, size_t, count);
        for (size_t i = 0; i < count; i++) {
                size_t at = i;
                struct slice name = node_name(answer, decision->feasible[i]);
                while (at > 0 &&
                       slice_compare(name, node_name(answer, decision->feasible[order[at - 1]])) <
                               0) {
                        order[at] = order[at - 1];
                        at--;
                }
                order[at] = i;
        }
        return order;
}

static struct json_node *replay_scheduler_numbers(const struct replay_scheduler_answer *answer,
                                                  const int64_t *values, const size_t *order,
                                                  size_t count) {
        struct json_node *array = node_array(answer->tree);
        for (size_t i = 0; i < count; i++)
                node_append(array, node_i64(answer->tree, values[order[i]]));
        return array;
}

static void put_scores(const struct replay_scheduler_answer *answer,
                       const struct decision *decision) {
        if (!decision->totals)
                return;
        const size_t *order = by_name(answer, decision);
        size_t count = decision->feasible_count;
        struct json_node *scores = node_array(answer->tree);
        for (size_t i = 0; i < decision->column_count; i++) {
                const struct score_column *column = &decision->columns[i];
                struct json_node *object = node_object(answer->tree);
                node_put_string(answer->tree, object, "plugin", column->plugin->name);
                node_put_i64(answer->tree, object, "weight", column->weight);
                node_put(answer->tree, object, "raw",
                         replay_scheduler_numbers(answer, column->raw, order, count));
                node_put(answer->tree, object, "weighted",
                         replay_scheduler_numbers(answer, column->weighted, order, count));
                node_append(scores, object);
        }
        node_put(answer->tree, answer->expect, "scores", scores);
        node_put(answer->tree, answer->expect, "total",
                 replay_scheduler_numbers(answer, decision->totals, order, count));
}

/* ---- preemption ---- */

static struct json_node *candidate_node(const struct replay_scheduler_answer *answer,
                                        const struct preemption_candidate *candidate) {
        const struct cluster *cluster = answer->scene->cluster;
        struct json_node *object = node_object(answer->tree);
        struct json_node *victims = node_array(answer->tree);
        node_put_text(answer->tree, object, "node", node_name(answer, candidate->node));
        for (size_t i = 0; i < candidate->victim_count; i++) {
                const struct pod_row *row = cluster_pod(cluster, candidate->victims[i]);
                const char *name =
                        arena_printf(answer->arena, SLICE_FMT "/%s",
                                     SLICE_ARG(cluster_text(cluster, row->ns)), row->name);
                node_append(victims, node_string(answer->tree, name));
        }
        node_put(answer->tree, object, "victims", victims);
        node_put_i64(answer->tree, object, "pdbViolations", candidate->budget_violations);
        return object;
}

static void put_preemption(const struct replay_scheduler_answer *answer,
                           const struct preemption *preemption) {
        struct json_node *object = node_object(answer->tree);
        struct json_node *candidates = node_array(answer->tree);
        node_put_string(answer->tree, object, "code", verdict_code_name(preemption->code));
        if (!slice_is_empty(preemption->message))
                node_put_text(answer->tree, object, "message", preemption->message);
        for (size_t i = 0; i < preemption->candidate_count; i++)
                node_append(candidates, candidate_node(answer, &preemption->candidates[i]));
        if (preemption->candidate_count > 0)
                node_put(answer->tree, object, "candidates", candidates);
        put_refusals(answer, object, "rejected", preemption->rejected, preemption->rejected_count);
        if (preemption->chosen) {
                put_nodes(answer, object, "nominated", preemption->best, preemption->best_count);
                node_put_string(answer->tree, object, "decidedBy",
                                preemption_rule_name(preemption->decided_by));
        }
        node_put(answer->tree, answer->expect, "preemption", object);
}

/* ---- one pod ---- */

static void put_placement(const struct replay_scheduler_answer *answer,
                          const struct decision *decision) {
        put_nodes(answer, answer->expect, "feasible", decision->feasible, decision->feasible_count);
        put_scores(answer, decision);
        put_nodes(answer, answer->expect, "best", decision->best, decision->best_count);
        if (decision->is_first_fit)
                node_put_bool(answer->tree, answer->expect, "firstFit", true);
}

static void put_decision(const struct replay_scheduler_answer *answer,
                         const struct decision *decision) {
        if (decision->outcome == DECISION_GATED) {
                node_put(answer->tree, answer->expect, "preEnqueue",
                         phase_node(answer, &decision->gate));
                return;
        }
        put_pre_filters(answer, decision);
        if (!decision->took_nominated)
                put_refusals(answer, answer->expect, "filter", decision->refusals,
                             decision->refusal_count);
        switch (decision->outcome) {
        case DECISION_PLACED:
                put_placement(answer, decision);
                break;
        case DECISION_UNSCHEDULABLE:
                if (decision->preemption)
                        put_preemption(answer, decision->preemption);
                node_put_text(answer->tree, answer->expect, "message", decision->message);
                break;
        default:
                node_put_text(answer->tree, answer->expect, "error", decision->message);
        }
}

static void replay_scheduler_decide(const struct replay_scheduler_answer *answer, struct pod_id pod,
                                    struct slice node, uint32_t wants,
                                    struct decision *ret_decision) {
        const struct sched_profile *profile = replay_scene_profile(answer->scene, pod);
        struct decision_request request = { .pod = pod,
                                            .node_name = node,
                                            .wants = wants,
                                            .is_parity = true,
                                            .percentage_of_nodes = 100,
                                            .now = REPLAY_NOW };
        if (profile) {
                scheduler_decide(answer->scene->cluster, profile, &request, answer->arena,
                                 ret_decision);
                return;
        }
        const struct pod_row *row = cluster_pod(answer->scene->cluster, pod);
        const struct pod_class *class = cluster_class(answer->scene->cluster, row->class);
        *ret_decision = (struct decision){
                .outcome = DECISION_ERROR,
                .message = slice_of(arena_printf(
                        answer->arena, "profile not found for scheduler name \"" SLICE_FMT "\"",
                        SLICE_ARG(class->spec.scheduler_name))),
        };
}

/* ---- cases ---- */

static int replay_scheduler_finish(struct replay_scheduler_answer *answer,
                                   const struct json *test_case, struct buf *out, struct err *err) {
        struct json_node *result = node_object(answer->tree);
        node_put_text(answer->tree, result, "name", json_get_text(test_case, "name"));
        node_put(answer->tree, result, "expect", answer->expect);
        return node_write(result, out)
                       ? 0
                       : err_set(err, BERTH_ERR_TOO_LARGE, "no room for the result");
}

static int answer_pod(struct replay_scheduler_answer *answer, struct replay_scene *scene,
                      const struct json *test_case, struct err *err) {
        struct pod_id pod;
        struct slice node;
        struct decision decision;
        int r = replay_scene_put_pod(scene, json_get(test_case, "pod"), &pod, &node, err);
        if (r < 0)
                return r;
        replay_scheduler_decide(answer, pod, node,
                                DECIDE_GATES | DECIDE_VERDICTS | DECIDE_SCORES | DECIDE_POST_FILTER,
                                &decision);
        put_decision(answer, &decision);
        return 0;
}

static int answer_devices(struct replay_scheduler_answer *answer, struct replay_scene *scene,
                          const struct json *test_case, struct err *err) {
        struct decision decision;
        struct slice node;
        struct replay_devices devices = { answer->tree,  answer->expect, scene,
                                          answer->arena, POD_NONE,       REPLAY_NOW };
        int r = replay_scene_put_pod(scene, json_get(test_case, "pod"), &devices.pod, &node, err);
        if (r < 0)
                return r;
        replay_scheduler_decide(answer, devices.pod, node,
                                DECIDE_GATES | DECIDE_VERDICTS | DECIDE_SCORES | DECIDE_POST_FILTER,
                                &decision);
        put_decision(answer, &decision);
        replay_devices_finish(&devices, &decision);
        return 0;
}

static size_t first_by_name(const struct replay_scheduler_answer *answer,
                            const struct decision *decision) {
        size_t first = 0;
        for (size_t i = 1; i < decision->best_count; i++)
                if (slice_compare(node_name(answer, decision->best[i]),
                                  node_name(answer, decision->best[first])) < 0)
                        first = i;
        return first;
}

static struct json_node *step_node(const struct replay_scheduler_answer *outer, struct pod_id pod,
                                   const struct decision *decision) {
        struct cluster *cluster = outer->scene->cluster;
        const struct pod_row *row = cluster_pod(cluster, pod);
        struct replay_scheduler_answer answer = *outer;
        answer.expect = node_object(outer->tree);
        node_put_string(answer.tree, answer.expect, "pod",
                        arena_printf(answer.arena, SLICE_FMT "/%s",
                                     SLICE_ARG(cluster_text(cluster, row->ns)), row->name));
        if (decision->outcome == DECISION_PLACED) {
                struct node_id chosen = decision->best[first_by_name(&answer, decision)];
                put_nodes(&answer, answer.expect, "feasible", decision->feasible,
                          decision->feasible_count);
                if (decision->totals)
                        node_put(answer.tree, answer.expect, "total",
                                 replay_scheduler_numbers(&answer, decision->totals,
                                                          by_name(&answer, decision),
                                                          decision->feasible_count));
                put_nodes(&answer, answer.expect, "best", decision->best, decision->best_count);
                node_put_text(answer.tree, answer.expect, "chosen", node_name(&answer, chosen));
                scheduler_reserve(&(struct reserve_request){
                        .cluster = cluster,
                        .profile = replay_scene_profile(answer.scene, pod),
                        .pod = pod,
                        .node = chosen,
                        .reservation = { .object_cache = answer.scene->object_cache },
                        .arena = answer.arena });
                cluster_assume(cluster, pod, chosen);
                return answer.expect;
        }
        put_nodes(&answer, answer.expect, "feasible", decision->feasible, decision->feasible_count);
        node_put_text(answer.tree, answer.expect,
                      decision->outcome == DECISION_ERROR ? "error" : "message", decision->message);
        return answer.expect;
}

static int answer_sequence(struct replay_scheduler_answer *answer, struct replay_scene *scene,
                           const struct json *test_case, struct err *err) {
        struct json_node *steps = node_array(answer->tree);
        struct json_iter iter = json_iter(json_get(test_case, "pods"));
        const struct json *object;
        while (json_next(&iter, NULL, &object)) {
                struct pod_id pod;
                struct slice node;
                struct decision decision;
                int r = replay_scene_put_pod(scene, object, &pod, &node, err);
                if (r < 0)
                        return r;
                struct str_id ns = cluster_pod(scene->cluster, pod)->ns;
                struct slice name = arena_slice(answer->arena,
                                                slice_of(cluster_pod(scene->cluster, pod)->name));
                replay_scheduler_decide(answer, pod, node, DECIDE_SCORES | DECIDE_POST_FILTER,
                                        &decision);
                node_append(steps, step_node(answer, pod, &decision));
                if (decision.outcome != DECISION_PLACED)
                        cluster_remove_pod(scene->cluster, cluster_text(scene->cluster, ns), name);
        }
        node_put(answer->tree, answer->expect, "steps", steps);
        return 0;
}

/* ---- several pods with devices ---- */

static void delete_after(const struct replay_devices *devices, const struct json *test_case,
                         size_t step) {
        struct json_iter iter = json_iter(json_get(test_case, "deletions"));
        const struct json *deletion;
        while (json_next(&iter, NULL, &deletion)) {
                struct slice name = json_get_text(deletion, "pod"), ns;
                if (json_get_i64(deletion, "after", -1) != (int64_t)step)
                        continue;
                slice_split(&name, '/', &ns);
                struct json_node *writes = replay_devices_delete(devices, ns, name);
                if (writes && node_count(writes))
                        node_put(devices->tree, devices->expect, "afterDeletion", writes);
        }
}

static int answer_device_step(const struct replay_scheduler_answer *outer,
                              struct replay_scene *scene, const struct json *object,
                              bool is_pending, struct replay_devices *devices, struct err *err) {
        struct replay_scheduler_answer answer = *outer;
        struct decision decision;
        struct slice node;
        int r = replay_scene_put_pod(scene, object, &devices->pod, &node, err);
        if (r < 0)
                return r;
        const struct pod_row *row = cluster_pod(scene->cluster, devices->pod);
        struct slice ns = cluster_text(scene->cluster, row->ns);
        struct slice name = slice_of(arena_string(answer.arena, slice_of(row->name)));
        answer.expect = devices->expect = node_object(answer.tree);
        replay_scheduler_decide(&answer, devices->pod, node,
                                DECIDE_GATES | DECIDE_VERDICTS | DECIDE_SCORES | DECIDE_POST_FILTER,
                                &decision);
        put_decision(&answer, &decision);
        node_put_string(answer.tree, answer.expect, "pod",
                        arena_printf(answer.arena, SLICE_FMT "/" SLICE_FMT, SLICE_ARG(ns),
                                     SLICE_ARG(name)));
        struct node_id chosen = decision.outcome == DECISION_PLACED
                                        ? decision.best[first_by_name(&answer, &decision)]
                                        : NODE_NONE;
        if (!replay_devices_step(devices, &decision, chosen, is_pending))
                cluster_remove_pod(scene->cluster, ns, name);
        return 0;
}

static int answer_device_sequence(struct replay_scheduler_answer *answer,
                                  struct replay_scene *scene, const struct json *test_case,
                                  struct err *err) {
        struct json_node *steps = node_array(answer->tree);
        struct json_iter iter = json_iter(json_get(test_case, "pods"));
        bool is_pending = slice_is(json_get_text(test_case, "binding"), "pending");
        struct replay_devices devices = { answer->tree,  NULL,     scene,
                                          answer->arena, POD_NONE, REPLAY_NOW };
        const struct json *object;
        for (size_t i = 0; json_next(&iter, NULL, &object); i++) {
                int r = answer_device_step(answer, scene, object, is_pending, &devices, err);
                if (r < 0)
                        return r;
                delete_after(&devices, test_case, i);
                node_append(steps, devices.expect);
        }
        node_put(answer->tree, answer->expect, "steps", steps);
        return 0;
}

static int replay_scheduler_replay(const struct plugin *const *registry,
                                   const struct json *test_case,
                                   int (*answer_case)(struct replay_scheduler_answer *,
                                                      struct replay_scene *, const struct json *,
                                                      struct err *),
                                   struct buf *out, struct err *err) {
        struct replay_scene scene;
        int r = replay_scene_init(&scene, registry, test_case, err);
        if (r < 0)
                return r;
        struct replay_scheduler_answer answer = { .tree = json_tree_new(),
                                                  .scene = &scene,
                                                  .arena = &scene.arena };
        answer.expect = node_object(answer.tree);
        r = answer_case(&answer, &scene, test_case, err);
        if (r == 0)
                r = replay_scheduler_finish(&answer, test_case, out, err);
        json_tree_free(answer.tree);
        replay_scene_release(&scene);
        return r;
}

int replay_scheduler_case(const struct plugin *const *registry, const struct json *test_case,
                          struct buf *out, struct err *err) {
        return replay_scheduler_replay(registry, test_case, answer_pod, out, err);
}

int replay_devices_case(const struct plugin *const *registry, const struct json *test_case,
                        struct buf *out, struct err *err) {
        return replay_scheduler_replay(registry, test_case, answer_devices, out, err);
}

int replay_sequence_case(const struct plugin *const *registry, const struct json *test_case,
                         struct buf *out, struct err *err) {
        return replay_scheduler_replay(registry, test_case, answer_sequence, out, err);
}

int replay_device_sequence_case(const struct plugin *const *registry, const struct json *test_case,
                                struct buf *out, struct err *err) {
        return replay_scheduler_replay(registry, test_case, answer_device_sequence, out, err);
}
