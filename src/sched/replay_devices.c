/* Answers of recorded cases about devices. */
#include "sched/replay_devices.h"

#include "base/util.h"

/* ---- what is written for a node ---- */

struct captured {
        const struct replay_devices *answer;
        struct json_node *writes;
        struct json_doc *before[64];
        size_t count;
};

static void put_new_consumer(const struct replay_devices *answer, struct json_node *write,
                             const struct json_node *after) {
        struct json_node *list = node_get(node_get(after, "status"), "reservedFor");
        struct json_node *added = node_need_array(answer->tree, write, "reservedForAdded");

        if (list)
                node_append(added, node_clone(answer->tree, node_at(list, node_count(list) - 1)));
}

/* Notes the difference, and a copy of the claim to put back. */
static void replay_devices_capture(void *context, enum cached_kind kind, const struct json *before,
                                   struct slice after) {
        struct captured *captured = context;
        const struct replay_devices *answer = captured->answer;
        struct json_tree *tree = answer->tree;
        struct json_node *write = node_object(tree), *allocation;
        struct json_doc *doc = NULL;
        struct buf text = { 0 };

        if (kind != CACHED_RESOURCE_CLAIM || captured->count == ARRAY_LEN(captured->before) ||
            json_parse(after, &doc, NULL) < 0)
                return;
        const struct json *root = json_doc_root(doc), *meta = json_get(root, "metadata");
        struct json_node *changed = node_import(tree, root);
        node_put_string(tree, write, "claim",
                        arena_printf(answer->arena, SLICE_FMT "/" SLICE_FMT,
                                     SLICE_ARG(cached_object_ns(before)),
                                     SLICE_ARG(cached_object_name(before))));
        put_new_consumer(answer, write, changed);
        allocation = node_get(node_get(changed, "status"), "allocation");
        if (allocation && !json_get(json_get(before, "status"), "allocation")) {
                /* PreBind adds the time, which is not part of the recording. */
                if (answer->has_timestamp)
                        node_put_string(tree, allocation, "allocationTimestamp", "*");
                node_put(tree, write, "allocation", node_clone(tree, allocation));
        }
        if (!json_equal(json_get(json_get(before, "metadata"), "finalizers"),
                        json_get(meta, "finalizers")))
                node_put(tree, write, "finalizers",
                         node_import(tree, json_get(meta, "finalizers")));
        node_append(captured->writes, write);
        cleanup_json_doc(&doc);
        json_write(before, &text);
        if (json_parse(buf_view(&text), &captured->before[captured->count], NULL) == 0)
                captured->count++;
        buf_release(&text);
}

static struct json_node *bind_node(const struct replay_devices *answer, struct node_id node) {
        struct json_node *bind = node_object(answer->tree);
        struct captured captured = { .answer = answer, .writes = node_array(answer->tree) };

        scheduler_reserve(&(struct reserve_request){
                .cluster = answer->scene->cluster,
                .profile = replay_scene_profile(answer->scene, answer->pod),
                .pod = answer->pod,
                .node = node,
                .reservation = { answer->scene->object_cache, replay_devices_capture, &captured },
                .arena = answer->arena });
        if (node_count(captured.writes))
                node_put(answer->tree, bind, "claims", captured.writes);
        for (size_t i = 0; i < captured.count; i++) {
                object_cache_put(answer->scene->object_cache, CACHED_RESOURCE_CLAIM,
                                 json_doc_root(captured.before[i]));
                cleanup_json_doc(&captured.before[i]);
        }
        return bind;
}

static void put_binds(const struct replay_devices *answer, const struct decision *decision) {
        struct json_node *binds = node_object(answer->tree);

        for (size_t i = 0; i < decision->feasible_count; i++)
                node_set(answer->tree, binds,
                         cluster_node_name(answer->scene->cluster, decision->feasible[i]),
                         bind_node(answer, decision->feasible[i]));
        if (decision->feasible_count)
                node_put(answer->tree, answer->expect, "bind", binds);
}

/* ---- the form of these cases ---- */

/* Of what PreFilter plugins said, only a refusal counts. */
static void fold_pre_filter(const struct replay_devices *answer) {
        struct json_node *list = node_get(answer->expect, "preFilter"), *refusal = NULL;

        for (size_t i = 0; list && i < node_count(list); i++) {
                struct slice code = node_get_text(node_at(list, i), "code");

                if (slice_has_prefix(code, SLICE_LITERAL("Unschedulable")))
                        refusal = node_clone(answer->tree, node_at(list, i));
        }
        node_remove(answer->expect, "preFilterSkip");
        node_remove(answer->expect, "preFilter");
        if (!refusal)
                return;
        node_put(answer->tree, answer->expect, "preFilter", refusal);
        node_remove(answer->expect, "filter");
}

static void fold_preemption(const struct replay_devices *answer, const struct decision *decision) {
        const struct preemption *preemption = decision->preemption;
        struct json_node *object = node_object(answer->tree);

        node_remove(answer->expect, "preemption");
        if (!preemption)
                return;
        node_put_string(answer->tree, object, "code", verdict_code_name(preemption->code));
        if (preemption->message.len)
                node_put_text(answer->tree, object, "message", preemption->message);
        if (preemption->chosen) {
                struct json_node *outcome = node_object(answer->tree);
                struct json_node *victims = node_need_array(answer->tree, outcome, "victims");

                node_put_text(answer->tree, outcome, "nominated",
                              cluster_node_name(answer->scene->cluster, preemption->chosen->node));
                for (size_t i = 0; i < preemption->chosen->victim_count; i++) {
                        const struct pod_row *row =
                                cluster_pod(answer->scene->cluster, preemption->chosen->victims[i]);

                        node_append(
                                victims,
                                node_string(answer->tree,
                                            arena_printf(answer->arena, SLICE_FMT "/%s",
                                                         SLICE_ARG(cluster_text(
                                                                 answer->scene->cluster, row->ns)),
                                                         row->name)));
                }
                node_append(node_need_array(answer->tree, object, "outcomes"), outcome);
        }
        node_put(answer->tree, answer->expect, "postFilter", object);
}

/* One node with an error ends the cycle upstream. */
static bool fold_error(const struct replay_devices *answer, const struct decision *decision) {
        static const char *const members[] = { "preFilter", "preFilterSkip", "filter",
                                               "feasible",  "scores",        "total",
                                               "best",      "preemption",    "message" };

        for (size_t i = 0; i < decision->refusal_count; i++) {
                const struct node_refusal *refusal = &decision->refusals[i];

                if (refusal->code != VERDICT_ERROR)
                        continue;
                for (size_t j = 0; j < ARRAY_LEN(members); j++)
                        node_remove(answer->expect, members[j]);
                node_put_text(answer->tree, answer->expect, "error",
                              refusal->reason_count ? refusal->reasons[0] : SLICE_EMPTY);
                return true;
        }
        return false;
}

void replay_devices_finish(const struct replay_devices *answer, const struct decision *decision) {
        if (fold_error(answer, decision))
                return;
        fold_pre_filter(answer);
        fold_preemption(answer, decision);
        put_binds(answer, decision);
}
