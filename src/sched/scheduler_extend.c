/* Asking extenders about a pod: the filtering ones one after the other, then all prioritizing ones
 * at once; then the pod is decided again, on the cluster as it is by then (reference
 * scheduler.md 1.6). */
#include "api/json.h"
#include "base/util.h"
#include "sched/extension.h"
#include <assert.h>
#include <stdlib.h>

/* Extenders score up to 10, plugins up to 100. */
#define SCORE_SCALE (NODE_SCORE_MAX / 10)
/* What an extender may say goes no further, so that sums stay in range whatever it answers. */
#define BONUS_MAX (INT64_MAX / 4)

/* ---- the nodes asked about ---- */

static struct asked_node *find_node(struct extension *extension, struct slice name) {
        for (size_t i = 0; i < extension->count; i++)
                if (slice_is(name, extension->nodes[i].name))
                        return &extension->nodes[i];
        return NULL;
}

static void scheduler_extend_refuse(struct asked_node *node, bool is_unresolvable,
                                    struct slice reason) {
        if (!node || node->is_refused)
                return;
        node->is_refused = true;
        node->is_unresolvable = is_unresolvable;
        node->reason = slice_dup(reason);
}

/* ---- asking ---- */

static void scheduler_extend_ask(struct step *step, struct extension *extension,
                                 const struct queued_pod *entry, size_t extender,
                                 enum extender_verb verb) {
        struct scheduler *scheduler = step->scheduler;
        const struct cluster *cluster = scheduler->config.cluster;
        struct slice *nodes = ARENA_ARRAY(&scheduler->scratch, struct slice, extension->count);
        struct action action = { .kind = ACTION_ASK_EXTENDER,
                                 .target = scheduler_pod_ref(cluster, entry->pod),
                                 .ask = { (uint32_t)extender, verb, 0, nodes } };
        for (size_t i = 0; i < extension->count; i++)
                if (!extension->nodes[i].is_refused)
                        nodes[action.ask.node_count++] = slice_of(extension->nodes[i].name);
        extension->open++;
        scheduler_await_result(scheduler, &action, action_list_add(step->out, &action), entry,
                               SLICE_EMPTY);
}

static size_t admitted_count(const struct extension *extension) {
        size_t count = 0;
        for (size_t i = 0; i < extension->count; i++)
                count += !extension->nodes[i].is_refused;
        return count;
}

static void scheduler_extend_prioritize(struct step *step, struct extension *extension,
                                        const struct queued_pod *entry) {
        const struct scheduler_config *config = &step->scheduler->config;
        extension->has_prioritized = true;
        for (size_t i = 0; i < config->extender_count; i++)
                if (config->extenders[i].prioritizes &&
                    extender_is_interested(step->scheduler, &config->extenders[i], entry))
                        scheduler_extend_ask(step, extension, entry, i, EXTENDER_PRIORITIZE);
}

/* What was said of nodes that are there still. */
static struct decision_extension reported_of_nodes(struct scheduler *scheduler,
                                                   const struct extension *extension) {
        const struct cluster *cluster = scheduler->config.cluster;
        struct extended_node *nodes =
                ARENA_ARRAY(&scheduler->scratch, struct extended_node, extension->count);
        struct decision_extension answer = { .nodes = nodes };
        for (size_t i = 0; i < extension->count; i++) {
                const struct asked_node *asked = &extension->nodes[i];
                struct node_id node = cluster_find_node(cluster, slice_of(asked->name));
                if (node_id_is_none(node))
                        continue;
                nodes[answer.count++] = (struct extended_node){
                        .node = node,
                        .bonus = asked->bonus,
                        .is_refused = asked->is_refused,
                        .is_unresolvable = asked->is_unresolvable,
                        .reason = !asked->reason ? SLICE_EMPTY
                                                 : slice_of(arena_string(&scheduler->scratch,
                                                                         slice_of(asked->reason))),
                };
        }
        return answer;
}

/* All answers are there: what the pod is to be decided with. */
static void scheduler_extend_conclude(struct step *step, struct extension *extension,
                                      struct queued_pod *entry,
                                      struct extended_decision *ret_extended) {
        struct scheduler *scheduler = step->scheduler;
        *ret_extended = (struct extended_decision){
                .entry = entry,
                .nodes = reported_of_nodes(scheduler, extension),
                .has_nodes = !extension->is_for_victims || extension->has_extension,
                .has_limit = extension->is_for_victims,
                .has_moved = cluster_generation(scheduler->config.cluster) != extension->generation,
        };
        if (ret_extended->has_limit)
                ret_extended->limit = extension_limit(scheduler, extension);
        extension_free(scheduler, extension);
}

/* Asks the next question; false: there is none, and none is open. */
static bool ask_about_nodes(struct step *step, struct extension *extension,
                            const struct queued_pod *entry) {
        const struct scheduler_config *config = &step->scheduler->config;
        if (admitted_count(extension) == 0)
                return false;
        while (extension->extender < config->extender_count) {
                size_t next = extension->extender++;
                if (config->extenders[next].filters &&
                    extender_is_interested(step->scheduler, &config->extenders[next], entry)) {
                        scheduler_extend_ask(step, extension, entry, next, EXTENDER_FILTER);
                        return true;
                }
        }
        if (!extension->has_prioritized && admitted_count(extension) > 1)
                scheduler_extend_prioritize(step, extension, entry);
        return extension->open > 0;
}

bool scheduler_ask_extenders(struct step *step, struct queued_pod *entry,
                             const struct decision *decision,
                             struct extended_decision *ret_extended) {
        struct scheduler *scheduler = step->scheduler;
        const struct cluster *cluster = scheduler->config.cluster;
        struct extension *extension = extension_new(scheduler, entry, decision->feasible_count);
        for (size_t i = 0; i < extension->count; i++)
                extension->nodes[i].name =
                        slice_dup(cluster_node_name(cluster, decision->feasible[i]));
        scheduling_queue_bind(&scheduler->queue, entry);
        if (ask_about_nodes(step, extension, entry))
                return false;
        scheduler_extend_conclude(step, extension, entry, ret_extended);
        return true;
}

/* ---- answers ---- */

struct extender_answer {
        const struct open_action *open;
        const struct action_result *result;
        const struct json *body; /* NULL: there is none, or it is no JSON */
};

static void refuse_listed(struct extension *extension, const struct json *failed,
                          bool is_unresolvable) {
        struct json_iter iter = json_iter(failed);
        const struct json *reason;
        struct slice name;
        while (json_next(&iter, &name, &reason))
                scheduler_extend_refuse(find_node(extension, name), is_unresolvable,
                                        json_text(reason));
}

static void mark_passed(struct extension *extension, bool *has_passed, struct slice name) {
        const struct asked_node *node = find_node(extension, name);
        if (node)
                has_passed[node - extension->nodes] = true;
}

/* Nodes come back whole or by name. */
static void take_filter(struct scheduler *scheduler, struct extension *extension,
                        const struct json *answer) {
        bool *has_passed = ARENA_ARRAY(&scheduler->scratch, bool, extension->count);
        struct json_iter names = json_iter(json_get(answer, "NodeNames"));
        struct json_iter items = json_iter(json_get(json_get(answer, "Nodes"), "items"));
        const struct json *item;
        memset(has_passed, 0, extension->count * sizeof(*has_passed));
        while (json_next(&names, NULL, &item))
                mark_passed(extension, has_passed, json_text(item));
        while (json_next(&items, NULL, &item))
                mark_passed(extension, has_passed,
                            json_get_text(json_get(item, "metadata"), "name"));
        refuse_listed(extension, json_get(answer, "FailedAndUnresolvableNodes"), true);
        refuse_listed(extension, json_get(answer, "FailedNodes"), false);
        for (size_t i = 0; i < extension->count; i++)
                if (!has_passed[i])
                        scheduler_extend_refuse(
                                &extension->nodes[i], false,
                                SLICE_LITERAL("node(s) were filtered out by an extender"));
}

static int64_t at_most(int64_t bonus) {
        return bonus > BONUS_MAX ? BONUS_MAX : bonus < -BONUS_MAX ? -BONUS_MAX : bonus;
}

static int64_t scheduler_extend_weighted(int64_t score, int64_t weight) {
        int64_t bonus = 0;
        bool is_over = __builtin_mul_overflow(score, weight, &bonus) ||
                       __builtin_mul_overflow(bonus, (int64_t)SCORE_SCALE, &bonus);
        if (is_over)
                return (score < 0) == (weight < 0) ? BONUS_MAX : -BONUS_MAX;
        return at_most(bonus);
}

static void take_priorities(struct extension *extension, const struct extender *extender,
                            const struct json *answer) {
        struct json_iter iter = json_iter(answer);
        const struct json *one;
        while (json_next(&iter, NULL, &one)) {
                struct asked_node *node = find_node(extension, json_get_text(one, "Host"));
                int64_t score = 0;
                if (node && json_as_i64(json_get(one, "Score"), &score))
                        node->bonus = at_most(node->bonus +
                                              scheduler_extend_weighted(score, extender->weight));
        }
}

static void scheduler_extend_fail(struct step *step, struct extension *extension,
                                  struct queued_pod *entry, const struct extender *extender,
                                  struct slice text) {
        struct scheduler *scheduler = step->scheduler;
        struct failure failure = {
                .is_error = true,
                .sets_nomination = true,
                .message = slice_of(arena_printf(&scheduler->scratch,
                                                 "extender " SLICE_FMT ": " SLICE_FMT,
                                                 SLICE_ARG(extender->name), SLICE_ARG(text))),
        };
        extension_free(scheduler, extension);
        scheduler->stats.errors++;
        entry->rejectors = 0;
        entry->wakes_on = 0;
        scheduler_fail(step, entry, &failure);
}

/* What went wrong: the call, or what the extender says of itself; "" = nothing. */
static struct slice trouble_of(struct scheduler *scheduler, const struct action_result *result,
                               const struct json *answer) {
        struct slice text = json_get_text(answer, "Error");
        if (result->code != BERTH_OK)
                text = slice_is_empty(result->text) ? SLICE_LITERAL("no answer") : result->text;
        else if (!answer)
                text = SLICE_LITERAL("an answer that is no JSON");
        return slice_of(arena_string(&scheduler->scratch, text));
}

/* Takes one answer in; false: the pod is given up. */
static bool take_answer(struct step *step, struct extension *extension, struct queued_pod *entry,
                        const struct extender_answer *answer) {
        const struct extender *extender =
                &step->scheduler->config.extenders[answer->open->ask.extender];
        enum extender_verb verb = answer->open->ask.verb;
        assert(extension->open > 0 && extension->is_for_victims == (verb == EXTENDER_PREEMPT));
        struct slice trouble = trouble_of(step->scheduler, answer->result, answer->body);
        extension->open--;
        if (verb == EXTENDER_PREEMPT) {
                extension_take_victims(step->scheduler, extension, extender, trouble, answer->body);
        } else if (verb == EXTENDER_PRIORITIZE) { /* errors there are ignored, as upstream */
                if (slice_is_empty(trouble))
                        take_priorities(extension, extender, answer->body);
        } else if (slice_is_empty(trouble)) {
                take_filter(step->scheduler, extension, answer->body);
        } else if (!extender->is_ignorable) {
                scheduler_extend_fail(step, extension, entry, extender, trouble);
                return false;
        }
        return true;
}

/* True: that was the last question, and ret_extended says what to decide with. */
static bool take_and_go_on(struct step *step, struct extension *extension, struct queued_pod *entry,
                           const struct extender_answer *answer,
                           struct extended_decision *ret_extended) {
        if (!take_answer(step, extension, entry, answer) || extension->open > 0)
                return false;
        bool is_asking = extension->is_for_victims ? extension_ask_next(step, extension, entry)
                                                   : ask_about_nodes(step, extension, entry);
        if (is_asking)
                return false;
        scheduler_extend_conclude(step, extension, entry, ret_extended);
        return true;
}

static void take_bound(struct step *step, const struct extender_answer *answer) {
        struct action_result bound = *answer->result;
        char *trouble = slice_dup(trouble_of(step->scheduler, answer->result, answer->body));
        if (trouble[0] != '\0') {
                bound.code = BERTH_ERR_INTERNAL;
                bound.text = slice_of(trouble);
        }
        scheduler_finish_bind(step, &bound, answer->open);
        free(trouble);
}

static struct queued_pod *entry_of(struct scheduler *scheduler, struct extension *extension) {
        struct queued_pod *entry = scheduling_queue_find(&scheduler->queue, extension->pod);
        const struct pod_row *row = cluster_pod(scheduler->config.cluster, extension->pod);
        bool is_same =
                entry && entry->part == QUEUE_BINDING && entry->uid_hash == extension->uid_hash;
        return is_same && row->is_live && node_id_is_none(row->node) ? entry : NULL;
}

bool scheduler_extender_answered(struct step *step, const struct open_action *open,
                                 const struct action_result *result,
                                 struct extended_decision *ret_extended) {
        struct scheduler *scheduler = step->scheduler;
        struct extension *extension = scheduler->extensions;
        struct json_doc *doc = NULL;
        bool is_last = false;
        arena_clear(&scheduler->scratch);
        if (result->code == BERTH_OK && json_parse(result->body, &doc, NULL) < 0)
                doc = NULL;
        struct extender_answer answer = { open, result, !doc ? NULL : json_doc_root(doc) };
        while (extension &&
               (extension->pod.index != open->pod.index || extension->uid_hash != open->uid_hash))
                extension = extension->next;
        if (open->ask.verb == EXTENDER_BIND) {
                take_bound(step, &answer);
        } else if (extension) {
                struct queued_pod *entry = entry_of(scheduler, extension);
                if (entry)
                        is_last = take_and_go_on(step, extension, entry, &answer, ret_extended);
                else
                        extension_free(scheduler, extension);
        }
        json_doc_free(doc);
        return is_last;
}
