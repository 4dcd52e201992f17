/* Asks extenders which pods a preemption may evict (preemptVerb, reference scheduler.md 1.6 and
 * section 5): each gets what the one before left, and may drop nodes and name other victims. Then
 * the pod is decided again, with these candidates only. */
#include "api/json.h"
#include "base/util.h"
#include "sched/extension.h"
#include <stdlib.h>

/* ---- candidates ---- */

static void add_victim(struct asked_candidate *candidate, struct slice uid) {
        candidate->victims = xreallocarray(candidate->victims, candidate->victim_count + 1,
                                           sizeof(*candidate->victims));
        candidate->victims[candidate->victim_count++] = slice_dup(uid);
}

static void keep_candidates(struct extension *extension, const struct cluster *cluster,
                            const struct preemption *preemption) {
        extension->candidates =
                xcalloc(preemption->candidate_count, sizeof(*extension->candidates));
        extension->candidate_count = preemption->candidate_count;
        for (size_t i = 0; i < preemption->candidate_count; i++) {
                const struct preemption_candidate *found = &preemption->candidates[i];
                struct asked_candidate *stored = &extension->candidates[i];
                stored->node = slice_dup(cluster_node_name(cluster, found->node));
                stored->budget_violations = found->budget_violations;
                for (size_t v = 0; v < found->victim_count; v++)
                        add_victim(stored, slice_of(cluster_pod(cluster, found->victims[v])->uid));
        }
}

/* A pod of this uid on the node; none: POD_NONE. */
static struct pod_id find_victim(const struct cluster *cluster, struct node_id node,
                                 struct slice uid) {
        struct pod_id pod = POD_NONE;
        if (!node_id_is_none(node))
                pod = cluster_nodes(cluster)->first_pod[node.index];
        while (!pod_id_is_none(pod) && !slice_is(uid, cluster_pod(cluster, pod)->uid))
                pod = cluster_pod(cluster, pod)->next_on_node;
        return pod;
}

struct preemption_limit extension_limit(struct scheduler *scheduler,
                                        const struct extension *extension) {
        const struct cluster *cluster = scheduler->config.cluster;
        struct arena *arena = &scheduler->scratch;
        struct preemption_candidate *candidates =
                ARENA_ARRAY(arena, struct preemption_candidate, extension->candidate_count);
        struct preemption_limit limit = { .candidates = candidates };
        if (extension->trouble)
                limit.trouble = slice_of(arena_string(arena, slice_of(extension->trouble)));
        for (size_t i = 0; i < extension->candidate_count; i++) {
                const struct asked_candidate *asked = &extension->candidates[i];
                struct pod_id *victims = ARENA_ARRAY(arena, struct pod_id, asked->victim_count);
                struct preemption_candidate candidate = {
                        .node = cluster_find_node(cluster, slice_of(asked->node)),
                        .victims = victims,
                        .budget_violations = asked->budget_violations,
                };
                if (node_id_is_none(candidate.node))
                        continue;
                for (size_t v = 0; v < asked->victim_count; v++) {
                        struct pod_id pod =
                                find_victim(cluster, candidate.node, slice_of(asked->victims[v]));
                        if (!pod_id_is_none(pod)) /* who has left needs no eviction */
                                victims[candidate.victim_count++] = pod;
                }
                candidates[limit.count++] = candidate;
        }
        return limit;
}

/* ---- asking ---- */

static void scheduler_extend_victims_ask(struct step *step, struct extension *extension,
                                         const struct queued_pod *entry, size_t extender) {
        struct scheduler *scheduler = step->scheduler;
        const struct cluster *cluster = scheduler->config.cluster;
        struct preemption_limit left = extension_limit(scheduler, extension);
        struct slice *nodes = ARENA_ARRAY(&scheduler->scratch, struct slice, left.count);
        struct extender_victims *victims =
                ARENA_ARRAY(&scheduler->scratch, struct extender_victims, left.count);
        struct action action = { .kind = ACTION_ASK_EXTENDER,
                                 .target = scheduler_pod_ref(cluster, entry->pod),
                                 .ask = { (uint32_t)extender, EXTENDER_PREEMPT, left.count, nodes,
                                          victims } };
        for (size_t i = 0; i < left.count; i++) {
                const struct preemption_candidate *candidate = &left.candidates[i];
                struct object_ref *pods = ARENA_ARRAY(&scheduler->scratch, struct object_ref,
                                                      candidate->victim_count);
                for (size_t v = 0; v < candidate->victim_count; v++)
                        pods[v] = scheduler_pod_ref(cluster, candidate->victims[v]);
                nodes[i] = cluster_node_name(cluster, candidate->node);
                victims[i] = (struct extender_victims){ candidate->victim_count, pods,
                                                        candidate->budget_violations };
        }
        extension->open++;
        scheduler_await_result(scheduler, &action, action_list_add(step->out, &action), entry,
                               SLICE_EMPTY);
}

bool extension_ask_next(struct step *step, struct extension *extension,
                        const struct queued_pod *entry) {
        const struct scheduler_config *config = &step->scheduler->config;
        while (!extension->trouble && extension->candidate_count > 0 &&
               extension->extender < config->extender_count) {
                size_t next = extension->extender++;
                if (config->extenders[next].preempts &&
                    extender_is_interested(step->scheduler, &config->extenders[next], entry)) {
                        scheduler_extend_victims_ask(step, extension, entry, next);
                        return true;
                }
        }
        return false;
}

static bool wants_asking(const struct scheduler *scheduler, const struct queued_pod *entry) {
        for (size_t i = 0; i < scheduler->config.extender_count; i++)
                if (scheduler->config.extenders[i].preempts &&
                    extender_is_interested(scheduler, &scheduler->config.extenders[i], entry))
                        return true;
        return false;
}

/* What filtering extenders said goes on to count. */
static void keep_nodes(struct extension *extension, const struct cluster *cluster,
                       const struct decision_extension *reported) {
        extension->has_extension = true;
        for (size_t i = 0; i < reported->count; i++) {
                const struct extended_node *node = &reported->nodes[i];
                extension->nodes[i] = (struct asked_node){
                        .name = slice_dup(cluster_node_name(cluster, node->node)),
                        .reason = node->is_refused ? slice_dup(node->reason) : NULL,
                        .bonus = node->bonus,
                        .is_refused = node->is_refused,
                        .is_unresolvable = node->is_unresolvable,
                };
        }
}

bool scheduler_ask_victims(struct step *step, struct queued_pod *entry,
                           const struct decision *decision,
                           const struct decision_extension *reported) {
        struct scheduler *scheduler = step->scheduler;
        const struct preemption *preemption = decision->preemption;
        if (!preemption || !preemption->chosen || !wants_asking(scheduler, entry))
                return false;
        struct extension *extension =
                extension_new(scheduler, entry, !reported ? 0 : reported->count);
        extension->is_for_victims = true;
        if (reported)
                keep_nodes(extension, scheduler->config.cluster, reported);
        keep_candidates(extension, scheduler->config.cluster, preemption);
        scheduling_queue_bind(&scheduler->queue, entry);
        extension_ask_next(step, extension, entry);
        return true;
}

/* ---- answers ---- */

/* What is wrong with one node's victims; NULL = nothing, and they are stored. */
static const char *take_node(struct scheduler *scheduler, const struct extender *extender,
                             struct slice name, const struct json *victims,
                             struct asked_candidate *ret_candidate) {
        const struct cluster *cluster = scheduler->config.cluster;
        struct node_id node = cluster_find_node(cluster, name);
        struct json_iter pods = json_iter(json_get(victims, "Pods"));
        const struct json *pod;
        *ret_candidate = (struct asked_candidate){
                .node = slice_dup(name),
                .budget_violations = (uint32_t)json_get_i64(victims, "NumPDBViolations", 0),
        };
        while (json_next(&pods, NULL, &pod)) {
                struct slice uid = json_get_text(pod, "UID");
                if (pod_id_is_none(find_victim(cluster, node, uid)))
                        return arena_printf(&scheduler->scratch,
                                            "extender " SLICE_FMT " wants to preempt the pod of "
                                            "uid \"" SLICE_FMT "\", which is not on node "
                                            "\"" SLICE_FMT "\"",
                                            SLICE_ARG(extender->name), SLICE_ARG(uid),
                                            SLICE_ARG(name));
                add_victim(ret_candidate, uid);
        }
        if (ret_candidate->victim_count > 0)
                return NULL;
        return arena_printf(&scheduler->scratch, "expected at least one victim pod on node \"%s\"",
                            ret_candidate->node);
}

static const char *take_map(struct scheduler *scheduler, const struct extender *extender,
                            const struct json *map, struct extension *left) {
        struct json_iter iter = json_iter(map);
        const struct json *victims;
        const char *trouble = NULL;
        struct slice name;
        left->candidates = xcalloc(json_count(map) + 1, sizeof(*left->candidates));
        while (!trouble && json_next(&iter, &name, &victims)) {
                struct asked_candidate *candidate = &left->candidates[left->candidate_count];
                const char *wrong = take_node(scheduler, extender, name, victims, candidate);
                if (!wrong)
                        left->candidate_count++;
                else
                        asked_candidate_free(candidate);
                if (wrong && !extender->is_ignorable)
                        trouble = wrong;
        }
        return trouble;
}

void extension_take_victims(struct scheduler *scheduler, struct extension *extension,
                            const struct extender *extender, struct slice trouble,
                            const struct json *answer) {
        struct extension left = { 0 };
        const char *wrong = NULL;
        if (!slice_is_empty(trouble))
                wrong = arena_printf(&scheduler->scratch, "extender " SLICE_FMT ": " SLICE_FMT,
                                     SLICE_ARG(extender->name), SLICE_ARG(trouble));
        else
                wrong = take_map(scheduler, extender, json_get(answer, "NodeNameToMetaVictims"),
                                 &left);
        if (wrong) {
                extension_drop_candidates(&left);
                if (!extender->is_ignorable)
                        extension->trouble = slice_dup(slice_of(wrong));
                return;
        }
        extension_drop_candidates(extension);
        extension->candidates = left.candidates;
        extension->candidate_count = left.candidate_count;
}
