/* Asking extenders about a pod: the filtering ones in turn, then all prioritizing ones at once;
 * then the pod is decided again, on the cluster as it is by then (reference scheduler.md 1.6). */
#include "sched/scheduler_extend.h"
#include "api/json.h"
#include "base/util.h"
#include <stdlib.h>

#define EXTENSIONS_MAX 64 /* pods asked about at a time; others wait for their turn */
/* Extenders score up to 10, plugins up to 100. */
#define SCORE_SCALE (NODE_SCORE_MAX / 10)
/* What an extender may say goes no further, so that sums stay in range whatever it answers. */
#define BONUS_MAX (INT64_MAX / 4)

/* ---- whom a pod concerns ---- */

static bool asks_for(const struct container *container, struct slice resource) {
        const struct resource_list *lists[] = { &container->requests, &container->limits };
        for (size_t l = 0; l < ARRAY_LEN(lists); l++)
                for (size_t i = 0; i < lists[l]->count; i++)
                        if (slice_eq(lists[l]->items[i].name, resource))
                                return true;
        return false;
}

bool extender_is_interested(const struct scheduler *scheduler, const struct extender *extender,
                            const struct queued_pod *entry) {
        const struct cluster *cluster = scheduler->config.cluster;
        const struct pod_spec *spec =
                &cluster_class(cluster, cluster_pod(cluster, entry->pod)->class)->spec;
        for (size_t r = 0; r < extender->resource_count; r++) {
                for (size_t i = 0; i < spec->container_count; i++)
                        if (asks_for(&spec->containers[i], extender->resources[r]))
                                return true;
                for (size_t i = 0; i < spec->init_count; i++)
                        if (asks_for(&spec->init[i], extender->resources[r]))
                                return true;
        }
        return extender->resource_count == 0;
}

bool scheduler_asks_extenders(const struct scheduler *scheduler, const struct queued_pod *entry) {
        for (size_t i = 0; i < scheduler->config.extender_count; i++) {
                const struct extender *extender = &scheduler->config.extenders[i];
                if ((extender->filters || extender->prioritizes) &&
                    extender_is_interested(scheduler, extender, entry))
                        return true;
        }
        return false;
}

size_t scheduler_binder_of(const struct scheduler *scheduler, const struct queued_pod *entry) {
        for (size_t i = 0; i < scheduler->config.extender_count; i++)
                if (scheduler->config.extenders[i].binds &&
                    extender_is_interested(scheduler, &scheduler->config.extenders[i], entry))
                        return i;
        return SIZE_MAX;
}

/* ---- the record ---- */

struct extension *extension_new(struct scheduler *scheduler, const struct queued_pod *entry,
                                size_t node_count) {
        struct extension *extension = xcalloc(1, sizeof(*extension));
        *extension =
                (struct extension){ .next = scheduler->extensions,
                                    .pod = entry->pod,
                                    .uid_hash = entry->uid_hash,
                                    .generation = cluster_generation(scheduler->config.cluster),
                                    .count = node_count,
                                    .nodes = xcalloc(node_count + 1, sizeof(*extension->nodes)) };
        scheduler->extensions = extension;
        scheduler->extension_count++;
        return extension;
}

void extension_free(struct scheduler *scheduler, struct extension *extension) {
        struct extension **link = &scheduler->extensions;
        while (*link != extension)
                link = &(*link)->next;
        *link = extension->next;
        scheduler->extension_count--;
        for (size_t i = 0; i < extension->count; i++) {
                free(extension->nodes[i].name);
                free(extension->nodes[i].reason);
        }
        free(extension->nodes);
        extension_drop_candidates(extension);
        free(extension->trouble);
        free(extension);
}

void scheduler_extensions_free(struct scheduler *scheduler) {
        while (scheduler->extensions)
                extension_free(scheduler, scheduler->extensions);
}

bool scheduler_extensions_are_full(const struct scheduler *scheduler) {
        return scheduler->extension_count >= EXTENSIONS_MAX;
}

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
        const struct pod_row *row = cluster_pod(cluster, entry->pod);
        struct slice *nodes = ARENA_ARRAY(&scheduler->scratch, struct slice, extension->count);
        struct action action = { .kind = ACTION_ASK_EXTENDER,
                                 .target = { .kind = SLICE_LITERAL("Pod"),
                                             .ns = cluster_text(cluster, row->ns),
                                             .name = slice_of(row->name),
                                             .uid = slice_of(row->uid) },
                                 .ask = { (uint32_t)extender, verb, 0, nodes } };
        for (size_t i = 0; i < extension->count; i++)
                if (!extension->nodes[i].is_refused)
                        nodes[action.ask.node_count++] = slice_of(extension->nodes[i].name);
        extension->open++;
        scheduler_remember(scheduler, &action, action_list_add(step->out, &action), entry,
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
static struct decision_extension told_of_nodes(struct scheduler *scheduler,
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

static void scheduler_extend_conclude(struct step *step, struct extension *extension,
                                      struct queued_pod *entry) {
        struct scheduler *scheduler = step->scheduler;
        struct decision_extension answer = told_of_nodes(scheduler, extension);
        struct preemption_limit limit = { 0 };
        bool has_nodes = !extension->is_for_victims || extension->has_extension;
        bool has_limit = extension->is_for_victims;
        bool has_moved = cluster_generation(scheduler->config.cluster) != extension->generation;
        if (has_limit)
                limit = extension_limit(scheduler, extension);
        extension_free(scheduler, extension);
        scheduling_queue_take(&scheduler->queue, entry);
        scheduler_decide_entry(step, entry, has_nodes ? &answer : NULL, has_limit ? &limit : NULL);
        /* What happened while the extenders thought may have changed their minds. */
        if (has_moved && entry->part == QUEUE_UNSCHEDULABLE && entry->hears_all)
                scheduler_retry(scheduler, entry, step->mono.ns);
}

/* The next question, or the decision. */
static void go_on(struct step *step, struct extension *extension, struct queued_pod *entry) {
        const struct scheduler_config *config = &step->scheduler->config;
        if (admitted_count(extension) > 0) {
                while (extension->extender < config->extender_count) {
                        size_t next = extension->extender++;
                        if (config->extenders[next].filters &&
                            extender_is_interested(step->scheduler, &config->extenders[next],
                                                   entry)) {
                                scheduler_extend_ask(step, extension, entry, next, EXTENDER_FILTER);
                                return;
                        }
                }
                if (!extension->has_prioritized && admitted_count(extension) > 1)
                        scheduler_extend_prioritize(step, extension, entry);
                if (extension->open > 0)
                        return;
        }
        scheduler_extend_conclude(step, extension, entry);
}

void scheduler_ask_extenders(struct step *step, struct queued_pod *entry,
                             const struct decision *decision) {
        struct scheduler *scheduler = step->scheduler;
        const struct cluster *cluster = scheduler->config.cluster;
        struct extension *extension = extension_new(scheduler, entry, decision->feasible_count);
        for (size_t i = 0; i < extension->count; i++)
                extension->nodes[i].name =
                        slice_dup(cluster_node_name(cluster, decision->feasible[i]));
        scheduling_queue_bind(&scheduler->queue, entry);
        go_on(step, extension, entry);
}

/* ---- answers ---- */

static void refuse_listed(struct extension *extension, const struct json *failed,
                          bool is_unresolvable) {
        struct json_iter iter = json_iter(failed);
        const struct json *reason;
        struct slice name;
        while (json_next(&iter, &name, &reason))
                scheduler_extend_refuse(find_node(extension, name), is_unresolvable,
                                        json_text(reason));
}

static void mark_kept(struct extension *extension, bool *is_kept, struct slice name) {
        const struct asked_node *node = find_node(extension, name);
        if (node)
                is_kept[node - extension->nodes] = true;
}

/* Nodes come back whole or by name. */
static void take_filter(struct scheduler *scheduler, struct extension *extension,
                        const struct json *answer) {
        bool *is_kept = ARENA_ARRAY(&scheduler->scratch, bool, extension->count);
        struct json_iter names = json_iter(json_get(answer, "NodeNames"));
        struct json_iter items = json_iter(json_get(json_get(answer, "Nodes"), "items"));
        const struct json *item;
        memset(is_kept, 0, extension->count * sizeof(*is_kept));
        while (json_next(&names, NULL, &item))
                mark_kept(extension, is_kept, json_text(item));
        while (json_next(&items, NULL, &item))
                mark_kept(extension, is_kept, json_get_text(json_get(item, "metadata"), "name"));
        refuse_listed(extension, json_get(answer, "FailedAndUnresolvableNodes"), true);
        refuse_listed(extension, json_get(answer, "FailedNodes"), false);
        for (size_t i = 0; i < extension->count; i++)
                if (!is_kept[i])
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

static void take_answer(struct step *step, struct extension *extension, struct queued_pod *entry,
                        const struct open_action *open, const struct action_result *result,
                        const struct json *answer) {
        const struct extender *extender = &step->scheduler->config.extenders[open->ask.extender];
        struct slice trouble = trouble_of(step->scheduler, result, answer);
        extension->open--;
        if (open->ask.verb == EXTENDER_PREEMPT) {
                extension_take_victims(step->scheduler, extension, extender, trouble, answer);
        } else if (open->ask.verb ==
                   EXTENDER_PRIORITIZE) { /* errors there are ignored, as upstream */
                if (slice_is_empty(trouble))
                        take_priorities(extension, extender, answer);
        } else if (slice_is_empty(trouble)) {
                take_filter(step->scheduler, extension, answer);
        } else if (!extender->is_ignorable) {
                scheduler_extend_fail(step, extension, entry, extender, trouble);
                return;
        }
        if (extension->open > 0)
                return;
        if (!extension->is_for_victims)
                go_on(step, extension, entry);
        else if (!extension_ask_next(step, extension, entry))
                scheduler_extend_conclude(step, extension, entry);
}

static void take_bound(struct step *step, const struct open_action *open,
                       const struct action_result *result, const struct json *answer) {
        struct action_result bound = *result;
        char *trouble = slice_dup(trouble_of(step->scheduler, result, answer));
        if (trouble[0] != '\0') {
                bound.code = BERTH_ERR_INTERNAL;
                bound.text = slice_of(trouble);
        }
        scheduler_finish_bind(step, &bound, open);
        free(trouble);
}

static struct queued_pod *entry_of(struct scheduler *scheduler, struct extension *extension) {
        struct queued_pod *entry = scheduling_queue_find(&scheduler->queue, extension->pod);
        const struct pod_row *row = cluster_pod(scheduler->config.cluster, extension->pod);
        bool is_same =
                entry && entry->part == QUEUE_BINDING && entry->uid_hash == extension->uid_hash;
        return is_same && row->is_live && node_id_is_none(row->node) ? entry : NULL;
}

void scheduler_extender_answered(struct step *step, const struct open_action *open,
                                 const struct action_result *result) {
        struct scheduler *scheduler = step->scheduler;
        struct extension *extension = scheduler->extensions;
        struct json_doc *doc = NULL;
        arena_clear(&scheduler->scratch);
        if (result->code == BERTH_OK && json_parse(result->body, &doc, NULL) < 0)
                doc = NULL;
        const struct json *answer = !doc ? NULL : json_doc_root(doc);
        while (extension &&
               (extension->pod.index != open->pod.index || extension->uid_hash != open->uid_hash))
                extension = extension->next;
        if (open->ask.verb == EXTENDER_BIND) {
                take_bound(step, open, result, answer);
        } else if (extension) {
                struct queued_pod *entry = entry_of(scheduler, extension);
                if (entry)
                        take_answer(step, extension, entry, open, result, answer);
                else
                        extension_free(scheduler, extension);
        }
        json_doc_free(doc);
}
