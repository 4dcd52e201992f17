/* Preparation of pod writes: the state a pod starts in. */
#include "kinds/prepare.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/util.h"
#include "kinds/defaults.h"
#include "kinds/gated_fields.h"
#include "kinds/old_profiles.h"

static void gate_condition(struct kind_context *context, struct json_tree *tree,
                           struct json_node *status) {
        struct json_node *condition = node_object(tree);
        char now[WALL_TIME_TEXT_MAX];

        wall_time_format(context->now, now);
        node_put_string(tree, condition, "type", "PodScheduled");
        node_put_string(tree, condition, "status", "False");
        node_put_string(tree, condition, "lastTransitionTime", now);
        node_put_string(tree, condition, "reason", "SchedulingGated");
        node_put_string(tree, condition, "message",
                        "Scheduling is blocked due to non-empty scheduling gates");
        node_append(node_need_array(tree, status, "conditions"), condition);
}

/* Requirements for keys whose values come from the labels of the pod itself. */
static void select_keys(struct json_tree *tree, struct json_node *owner, const char *member,
                        const char *operation, const struct json_node *labels) {
        struct json_node *selector = node_get(owner, "labelSelector");
        const struct json_node *keys = node_get(owner, member);

        for (size_t i = 0; selector && i < node_count(keys); i++) {
                struct slice key = node_get_slice(node_at(keys, i));
                const struct json_node *value = node_find(labels, key);

                if (!value)
                        continue;
                struct json_node *requirement = node_object(tree), *values = node_array(tree);
                node_put_text(tree, requirement, "key", key);
                node_put_string(tree, requirement, "operator", operation);
                node_append(values, node_clone(tree, value));
                node_put(tree, requirement, "values", values);
                node_append(node_need_array(tree, selector, "matchExpressions"), requirement);
        }
}

static void select_terms(struct json_tree *tree, struct json_node *terms, const char *inner,
                         const struct json_node *labels) {
        for (size_t i = 0; i < node_count(terms); i++) {
                struct json_node *term = node_at(terms, i);

                term = inner ? node_get(term, inner) : term;
                select_keys(tree, term, "matchLabelKeys", "In", labels);
                select_keys(tree, term, "mismatchLabelKeys", "NotIn", labels);
        }
}

static void select_own_labels(struct json_tree *tree, struct json_node *pod) {
        static const char *const kinds[] = { "podAffinity", "podAntiAffinity" };
        const struct json_node *labels = node_get(node_get(pod, "metadata"), "labels");
        struct json_node *spec = node_get(pod, "spec"), *affinity = node_get(spec, "affinity");

        for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
                struct json_node *kind = node_get(affinity, kinds[i]);

                select_terms(tree,
                             node_get(kind, "preferredDuringSchedulingIgnoredDuringExecution"),
                             "podAffinityTerm", labels);
                select_terms(tree, node_get(kind, "requiredDuringSchedulingIgnoredDuringExecution"),
                             NULL, labels);
        }
        select_terms(tree, node_get(spec, "topologySpreadConstraints"), NULL, labels);
}

static void keep_generation(struct json_tree *tree, struct json_node *owner,
                            const struct json *old) {
        if (node_get_i64(owner, "observedGeneration", 0) == 0)
                keep_member(tree, owner, old, "observedGeneration");
}

/* The type with how many of it there were so far. */
static struct slice numbered_type(struct arena *arena, struct map *counts, struct slice type) {
        uintptr_t count = (uintptr_t)map_get(counts, type) + 1;

        map_put(counts, type, (void *)count);
        return slice_of(arena_printf(arena, "%zu " SLICE_FMT, (size_t)count, SLICE_ARG(type)));
}

#define CONDITIONS_FEW 16

/* Of several conditions of one type the n-th has what the n-th had. */
static void keep_of_few(struct json_tree *tree, const struct json_node *conditions,
                        const struct json *old) {
        const struct json *condition;

        for (size_t i = 0; i < node_count(conditions); i++) {
                struct slice type = node_get_text(node_at(conditions, i), "type");
                struct json_iter iter = json_iter(old);
                size_t before = 0;

                for (size_t k = 0; k < i; k++)
                        before += slice_eq(node_get_text(node_at(conditions, k), "type"), type);
                while (json_next(&iter, NULL, &condition))
                        if (slice_eq(json_get_text(condition, "type"), type) && before-- == 0)
                                keep_generation(tree, node_at(conditions, i), condition);
        }
}

static void keep_of_many(struct arena *arena, struct json_tree *tree,
                         const struct json_node *conditions, const struct json *old) {
        struct json_iter olds = json_iter(old);
        struct node_iter iter = node_iter(conditions);
        struct map *known = map_new(), *before = map_new(), *now = map_new();
        struct json_node *condition;
        const struct json *stored;

        while (json_next(&olds, NULL, &stored))
                map_put(known, numbered_type(arena, before, json_get_text(stored, "type")),
                        (void *)(uintptr_t)stored);
        while (node_next(&iter, NULL, &condition)) {
                struct slice type = numbered_type(arena, now, node_get_text(condition, "type"));

                stored = map_get(known, type);
                if (stored)
                        keep_generation(tree, condition, stored);
        }
        map_free(known);
        map_free(before);
        map_free(now);
}

/* A status that says nothing of generations keeps those that were seen. */
static void keep_generations(struct arena *arena, struct json_tree *tree, struct json_node *status,
                             const struct json *old) {
        const struct json_node *conditions = node_get(status, "conditions");
        const struct json *known = json_get(old, "conditions");

        keep_generation(tree, status, old);
        if (node_count(conditions) <= CONDITIONS_FEW && json_count(known) <= CONDITIONS_FEW)
                keep_of_few(tree, conditions, known);
        else
                keep_of_many(arena, tree, conditions, known);
}

PREPARE_HOOK(pod_prepare) {
        struct json_node *spec = node_need_object(tree, object, "spec"), *status;
        /* A pod that says what it is is believed, as upstream. */
        struct slice given = node_get_text(node_get(object, "status"), "qosClass");

        if (!slice_is(context->subresource, "resize"))
                status_prepare(context, operation, tree, object, old);
        drop_gated(spec);
        if (operation == KIND_UPDATE && is_pod_part(context->subresource)) {
                pod_subresource_prepare(context->subresource, tree, object, old);
                return;
        }
        status = node_need_object(tree, object, "status");
        if (operation == KIND_CREATE) {
                select_own_labels(tree, object);
                node_put_string(tree, status, "phase", "Pending");
                if (node_count(node_get(spec, "schedulingGates")) > 0)
                        gate_condition(context, tree, status);
                if (given.len)
                        node_put_text(tree, status, "qosClass", given);
                else
                        node_put_string(tree, status, "qosClass", pod_qos_class(spec));
                app_armor_adopt(context, tree, object);
        } else if (node_get_text(status, "qosClass").len == 0) {
                keep_member(tree, status, json_get(old, "status"), "qosClass");
        }
        if (operation == KIND_UPDATE_STATUS) {
                keep_member(tree, node_get(object, "metadata"), json_get(old, "metadata"),
                            "ownerReferences");
                keep_member(tree, node_get(object, "metadata"), json_get(old, "metadata"),
                            "deletionTimestamp");
                if (!json_get(json_get(old, "status"), "nodeAllocatableResourceClaimStatuses"))
                        node_remove(status, "nodeAllocatableResourceClaimStatuses");
                keep_generations(context->scratch, tree, status, json_get(old, "status"));
                gated_pod_status_drop(context, status, json_get(old, "status"));
        }
}
