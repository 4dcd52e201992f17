/* Answers of recorded cases about devices. */
#include "sched/replay_devices.h"

#include "base/util.h"

/* ---- what is written for a node ---- */

struct captured {
        const struct replay_devices *answer;
        struct json_node *bind, *writes;
        struct slice names[64][2]; /* of claims that were assumed, to be withdrawn */
        size_t count;
};

static void put_new_consumer(const struct replay_devices *answer, struct json_node *write,
                             const struct json *after) {
        const struct json *list = json_get(json_get(after, "status"), "reservedFor");
        struct json_node *added = node_need_array(answer->tree, write, "reservedForAdded");

        if (list)
                node_append(added, node_import(answer->tree, json_at(list, json_count(list) - 1)));
}

static void put_allocation(const struct replay_devices *answer, struct json_node *write,
                           const struct json *before, const struct json *after) {
        const struct json *old = json_get(json_get(before, "status"), "allocation");
        const struct json *new = json_get(json_get(after, "status"), "allocation");

        if (!old && new)
                node_put(answer->tree, write, "allocation", node_import(answer->tree, new));
        else if (old && !json_equal(old, new))
                node_put_string(answer->tree, write, "allocationTimestamp", "*");
}

#define CONSUMERS_MAX 256

/* What the API server says of the new status; NULL: nothing. */
static const char *refusal_of(const struct json *before, const struct json *after) {
        const struct json *old = json_get(json_get(before, "status"), "allocation");
        const struct json *new = json_get(json_get(after, "status"), "allocation");

        if (json_count(json_get(json_get(after, "status"), "reservedFor")) > CONSUMERS_MAX)
                return "status.reservedFor: Too many";
        if (old && !json_equal(old, new))
                return "status.allocation: field is immutable";
        return NULL;
}

static void put_error(const struct captured *captured, const char *phase, const char *plugin,
                      struct slice text) {
        struct json_tree *tree = captured->answer->tree;
        struct json_node *error = node_object(tree);

        node_put_string(tree, error, "phase", phase);
        node_put_string(tree, error, "plugin", plugin);
        node_put_string(tree, error, "code", "Error");
        node_put_text(tree, error, "message", text);
        node_put(tree, captured->bind, "error", error);
}

static void put_created(const struct replay_devices *answer, struct json_node *write,
                        const struct json *after) {
        struct json_node *created = node_object(answer->tree);
        const struct json *meta = json_get(after, "metadata");

        node_put(answer->tree, created, "spec", node_import(answer->tree, json_get(after, "spec")));
        node_put(answer->tree, created, "annotations",
                 node_import(answer->tree, json_get(meta, "annotations")));
        node_put(answer->tree, created, "ownerReferences",
                 node_import(answer->tree, json_get(meta, "ownerReferences")));
        node_put(answer->tree, write, "created", created);
}

/* Notes the difference. */
static void replay_devices_capture(void *context, enum cached_kind kind, const struct json *before,
                                   const struct json *after) {
        struct captured *captured = context;
        const struct replay_devices *answer = captured->answer;
        struct json_tree *tree = answer->tree;
        struct json_node *write = node_object(tree);
        const struct json *meta = json_get(after, "metadata");

        if (kind != CACHED_RESOURCE_CLAIM || captured->count == ARRAY_LEN(captured->names))
                return;
        captured->names[captured->count][0] = arena_slice(answer->arena, cached_object_ns(after));
        captured->names[captured->count++][1] =
                arena_slice(answer->arena, cached_object_name(after));
        const char *refusal = refusal_of(before, after);
        if (refusal)
                put_error(captured, "PreBind", "DynamicResources", slice_of(refusal));
        node_put_string(tree, write, "claim",
                        arena_printf(answer->arena, SLICE_FMT "/" SLICE_FMT,
                                     SLICE_ARG(cached_object_ns(after)),
                                     SLICE_ARG(cached_object_name(after))));
        if (!before)
                put_created(answer, write, after);
        put_new_consumer(answer, write, after);
        put_allocation(answer, write, before, after);
        if (!json_equal(json_get(json_get(before, "metadata"), "finalizers"),
                        json_get(meta, "finalizers")))
                node_put(tree, write, "finalizers",
                         node_import(tree, json_get(meta, "finalizers")));
        node_append(captured->writes, write);
}

static void on_failed(void *context, const struct plugin *plugin, const char *point,
                      struct slice text) {
        put_error(context, point, plugin->name, text);
}

static void on_pod_patch(void *context, struct slice patch) {
        struct captured *captured = context;
        struct json_tree *tree = captured->answer->tree;
        struct json_doc *doc = NULL;
        struct slice key;
        const struct json *value;

        if (json_parse(patch, &doc, NULL) < 0)
                return;
        struct json_iter iter = json_iter(json_get(json_doc_root(doc), "status"));
        while (json_next(&iter, &key, &value))
                node_set(tree, node_need_object(tree, captured->bind, "podStatus"), key,
                         node_import(tree, value));
        json_doc_free(doc);
}

/* What PreBind says once everything is written. */
static void put_pre_bind(const struct captured *captured, const struct sched_profile *profile,
                         struct node_id node) {
        const struct replay_devices *answer = captured->answer;
        const struct plugin *plugin = NULL;
        struct verdict verdict = { .code = VERDICT_OK };
        struct sched_attempt attempt;

        sched_attempt_init(&attempt, &(struct attempt_request){ .cluster = answer->scene->cluster,
                                                                .profile = profile,
                                                                .pod = answer->pod,
                                                                .now = answer->now,
                                                                .arena = answer->arena });
        enum verdict_code code = sched_attempt_pre_bind(&attempt, node, 0, &plugin, &verdict);
        sched_attempt_release(&attempt);
        if (code == VERDICT_ERROR)
                put_error(captured, "PreBind", plugin->name, verdict.reasons[0]);
        else if (code != VERDICT_OK)
                node_put_bool(answer->tree, captured->bind, "waits", true);
}

static struct json_node *bind_node(const struct replay_devices *answer, struct node_id node) {
        struct object_cache *cache = answer->scene->object_cache;
        const struct sched_profile *profile = replay_scene_profile(answer->scene, answer->pod);
        struct json_node *bind = node_object(answer->tree);
        struct captured captured = { .answer = answer,
                                     .bind = bind,
                                     .writes = node_array(answer->tree) };

        scheduler_reserve(
                &(struct reserve_request){ .cluster = answer->scene->cluster,
                                           .profile = profile,
                                           .pod = answer->pod,
                                           .node = node,
                                           .now = answer->now,
                                           .reservation = { cache, replay_devices_capture,
                                                            on_pod_patch, on_failed, &captured },
                                           .arena = answer->arena });
        if (node_count(captured.writes))
                node_put(answer->tree, bind, "claims", captured.writes);
        if (!node_get(bind, "error"))
                put_pre_bind(&captured, profile, node);
        for (size_t i = 0; i < captured.count; i++)
                object_cache_withdraw(cache, CACHED_RESOURCE_CLAIM, captured.names[i][0],
                                      captured.names[i][1]);
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

/* A claim that is given up. */
static void put_freed(const struct replay_devices *answer, struct json_node *object,
                      const struct json *claim, bool deletes) {
        struct json_tree *tree = answer->tree;
        struct json_node *outcome = node_object(tree), *write = node_object(tree);
        struct json_iter iter = json_iter(json_get(json_get(claim, "status"), "reservedFor"));
        const struct json *consumer;

        node_put_string(tree, write, "claim",
                        arena_printf(answer->arena, SLICE_FMT "/" SLICE_FMT,
                                     SLICE_ARG(cached_object_ns(claim)),
                                     SLICE_ARG(cached_object_name(claim))));
        node_put_bool(tree, write, deletes ? "deleted" : "deallocated", true);
        while (!deletes && json_next(&iter, NULL, &consumer))
                node_append(node_need_array(tree, write, "reservedForRemoved"),
                            node_text(tree, json_get_text(consumer, "uid")));
        node_append(node_need_array(tree, outcome, "claims"), write);
        node_append(node_need_array(tree, object, "outcomes"), outcome);
}

static void fold_preemption(const struct replay_devices *answer, const struct decision *decision) {
        const struct preemption *preemption = decision->preemption;
        struct json_node *object = node_object(answer->tree);

        node_remove(answer->expect, "preemption");
        if (!preemption)
                return;
        node_put_string(answer->tree, object, "code", verdict_code_name(preemption->code));
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
        if (decision->freed_claim)
                put_freed(answer, object, decision->freed_claim, decision->deletes_claim);
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
