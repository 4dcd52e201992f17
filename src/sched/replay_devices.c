/* Answers of recorded cases about devices. */
#include "sched/replay_devices.h"

#include "base/util.h"
#include "sched/claim_write.h"

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

/* What becomes of assumed claims: nothing, they are written, or they stay as they are. */
enum replay_end { REPLAY_UNDO, REPLAY_WRITE, REPLAY_PEND };

static void end_claim(struct object_cache *cache, struct slice ns, struct slice name,
                      enum replay_end end) {
        if (end == REPLAY_PEND)
                return;
        if (end == REPLAY_UNDO) {
                object_cache_withdraw(cache, CACHED_RESOURCE_CLAIM, ns, name);
                return;
        }
        object_cache_written(cache, CACHED_RESOURCE_CLAIM, ns, name, SLICE_EMPTY);
        const struct json *claim = object_cache_get(cache, CACHED_RESOURCE_CLAIM, ns, name);
        object_cache_put(cache, CACHED_RESOURCE_CLAIM, claim);
}

static struct json_node *bind_node(const struct replay_devices *answer, struct node_id node,
                                   enum replay_end end) {
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
        if (node_get(bind, "error"))
                end = REPLAY_UNDO;
        for (size_t i = 0; i < captured.count; i++)
                end_claim(cache, captured.names[i][0], captured.names[i][1], end);
        return bind;
}

static void put_binds(const struct replay_devices *answer, const struct decision *decision) {
        struct json_node *binds = node_object(answer->tree);

        for (size_t i = 0; i < decision->feasible_count; i++)
                node_set(answer->tree, binds,
                         cluster_node_name(answer->scene->cluster, decision->feasible[i]),
                         bind_node(answer, decision->feasible[i], REPLAY_UNDO));
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
        if (decision->freed.object)
                put_freed(answer, object, decision->freed.object, decision->freed.deletes);
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

/* ---- several pods ---- */

static void put_object(struct object_cache *cache, const struct json_node *object) {
        struct json_doc *doc = json_doc_of(object);

        if (doc)
                object_cache_put(cache, CACHED_RESOURCE_CLAIM, json_doc_root(doc));
        json_doc_free(doc);
}

static void take_allocation(const struct replay_devices *answer, const struct json *claim) {
        struct json_node *object = node_import(answer->tree, claim);
        struct json_node *status = node_get(object, "status");

        node_remove(status, "allocation");
        node_remove(status, "devices");
        node_remove(status, "reservedFor");
        put_object(answer->scene->object_cache, object);
}

/* What PostFilter does takes effect. */
static void apply_post_filter(const struct replay_devices *answer,
                              const struct decision *decision) {
        const struct preemption *preemption = decision->preemption;
        struct cluster *cluster = answer->scene->cluster;
        const struct json *claim = decision->freed.object;

        if (claim && decision->freed.deletes)
                object_cache_remove(answer->scene->object_cache, CACHED_RESOURCE_CLAIM,
                                    cached_object_ns(claim), cached_object_name(claim));
        else if (claim)
                take_allocation(answer, claim);
        for (size_t i = 0; preemption && preemption->chosen && i < preemption->chosen->victim_count;
             i++) {
                const struct pod_row *row = cluster_pod(cluster, preemption->chosen->victims[i]);
                struct slice name = slice_of(arena_string(answer->arena, slice_of(row->name)));

                cluster_remove_pod(cluster, cluster_text(cluster, row->ns), name);
        }
}

bool replay_devices_step(const struct replay_devices *answer, const struct decision *decision,
                         struct node_id chosen, bool is_pending) {
        struct cluster *cluster = answer->scene->cluster;

        node_remove(answer->expect, "scores");
        if (fold_error(answer, decision))
                return false;
        fold_pre_filter(answer);
        fold_preemption(answer, decision);
        if (decision->outcome != DECISION_PLACED) {
                apply_post_filter(answer, decision);
                return false;
        }
        struct slice name = cluster_node_name(cluster, chosen);
        node_put_text(answer->tree, answer->expect, "chosen", name);
        struct json_node *binds = node_object(answer->tree);
        struct json_node *bind = bind_node(answer, chosen, is_pending ? REPLAY_PEND : REPLAY_WRITE);
        bool is_bound = !node_get(bind, "error");
        node_set(answer->tree, binds, name, bind);
        if (!is_pending)
                node_put(answer->tree, answer->expect, "bind", binds);
        if (is_bound)
                cluster_assume(cluster, answer->pod, chosen);
        return is_bound;
}

static bool is_owned(const struct json *claim, struct slice uid) {
        struct json_iter iter = json_iter(json_get(json_get(claim, "metadata"), "ownerReferences"));
        const struct json *owner;

        while (json_next(&iter, NULL, &owner))
                if (slice_eq(json_get_text(owner, "uid"), uid))
                        return true;
        return false;
}

/* Consumers without the pod; NULL: it was none of them. */
static struct json_node *other_consumers(struct json_tree *tree, const struct json *claim,
                                         struct slice uid) {
        struct json_node *rest = node_array(tree);
        struct json_iter iter = json_iter(json_get(json_get(claim, "status"), "reservedFor"));
        const struct json *consumer;
        bool is_one = false;

        while (json_next(&iter, NULL, &consumer)) {
                if (slice_eq(json_get_text(consumer, "uid"), uid))
                        is_one = true;
                else
                        node_append(rest, node_import(tree, consumer));
        }
        return is_one ? rest : NULL;
}

static void drop_finalizer(struct json_tree *tree, struct json_node *object) {
        struct json_node *meta = node_get(object, "metadata"), *rest = node_array(tree);
        const struct json_node *list = node_get(meta, "finalizers");

        for (size_t i = 0; list && i < node_count(list); i++)
                if (!slice_is(node_get_slice(node_at(list, i)), CLAIM_FINALIZER))
                        node_append(rest, node_clone(tree, node_at(list, i)));
        node_put(tree, meta, "finalizers", rest);
}

#define GENERATED_END 5

/* Generated names end in zeros in these answers. */
static const char *shown_name(const struct replay_devices *answer, const struct json *claim) {
        char *name = arena_string(answer->arena, cached_object_name(claim));
        const struct json *notes = json_get(json_get(claim, "metadata"), "annotations");
        size_t len = strlen(name);

        if (json_get(notes, "resource.kubernetes.io/extended-resource-claim") &&
            len > GENERATED_END)
                memset(name + len - GENERATED_END, '0', GENERATED_END);
        return name;
}

/* What the pod's end means for one claim; NULL: nothing. */
static struct json_node *release_claim(const struct replay_devices *answer,
                                       const struct json *claim, struct slice uid) {
        struct object_cache *cache = answer->scene->object_cache;
        struct json_tree *tree = answer->tree;
        struct json_node *write = node_object(tree), *rest = other_consumers(tree, claim, uid);
        struct json_node *object = node_import(tree, claim);
        struct slice ns = arena_slice(answer->arena, cached_object_ns(claim));
        struct slice name = arena_slice(answer->arena, cached_object_name(claim));

        node_put_string(tree, write, "claim",
                        arena_printf(answer->arena, SLICE_FMT "/%s", SLICE_ARG(ns),
                                     shown_name(answer, claim)));
        if (is_owned(claim, uid)) {
                object_cache_remove(cache, CACHED_RESOURCE_CLAIM, ns, name);
                node_put_bool(tree, write, "deleted", true);
                return write;
        }
        if (!rest)
                return NULL;
        node_append(node_need_array(tree, write, "reservedForRemoved"), node_text(tree, uid));
        if (node_count(rest)) {
                node_put(tree, node_get(object, "status"), "reservedFor", rest);
                put_object(cache, object);
                return write;
        }
        node_put_bool(tree, write, "deallocated", true);
        drop_finalizer(tree, object);
        node_remove(node_get(object, "status"), "allocation");
        node_remove(node_get(object, "status"), "reservedFor");
        put_object(cache, object);
        return write;
}

struct json_node *replay_devices_delete(const struct replay_devices *answer, struct slice ns,
                                        struct slice name) {
        struct cluster *cluster = answer->scene->cluster;
        struct object_cache *cache = answer->scene->object_cache;
        struct pod_id pod = cluster_find_pod(cluster, ns, name);
        struct json_node *writes = node_array(answer->tree);
        size_t count = object_cache_count(cache, CACHED_RESOURCE_CLAIM), at = 0, names = 0;
        struct slice(*keys)[2] = arena_alloc(answer->arena, (count + 1) * sizeof(*keys));
        const struct json *claim;

        if (pod_id_is_none(pod))
                return NULL;
        struct slice uid =
                slice_of(arena_string(answer->arena, slice_of(cluster_pod(cluster, pod)->uid)));
        while ((claim = object_cache_next(cache, CACHED_RESOURCE_CLAIM, &at))) {
                keys[names][0] = arena_slice(answer->arena, cached_object_ns(claim));
                keys[names++][1] = arena_slice(answer->arena, cached_object_name(claim));
        }
        for (size_t i = 0; i < names; i++) {
                claim = object_cache_get(cache, CACHED_RESOURCE_CLAIM, keys[i][0], keys[i][1]);
                struct json_node *write = release_claim(answer, claim, uid);
                if (write)
                        node_append(writes, write);
        }
        cluster_remove_pod(cluster, ns, name);
        return writes;
}
