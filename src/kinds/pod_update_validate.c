/* What may change in a pod once it exists. */
#include "kinds/check.h"
#include "kinds/pod_check.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/util.h"

#define UPDATABLE_TEXT                                                                             \
        "pod updates may not change fields other than `spec.containers[*].image`,"                 \
        "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only "    \
        "additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be " \
        "set to 1 if it was previously negative)"

/* Both states of the spec as trees, so that parts can be evened out and the rest compared. */
struct pod_update_validate_pair {
        struct checker *checker;
        struct json_tree *tree;
        struct json_node *before, *after; /* copies */
};

static void even_out(struct pod_update_validate_pair *pair, const char *member) {
        struct json_node *value = node_get(pair->before, member);

        if (value)
                node_put(pair->tree, pair->after, member, node_clone(pair->tree, value));
        else
                node_remove(pair->after, member);
}

/* ---- containers ---- */

static bool check_same_containers(struct pod_update_validate_pair *pair, const struct at *at,
                                  const char *list) {
        struct json_node *before = node_get(pair->before, list);
        struct json_node *after = node_get(pair->after, list);

        if (node_count(before) != node_count(after)) {
                report(pair->checker, FIELD_FORBIDDEN, at, list, NULL,
                       "pod updates may not add or remove containers");
                return false;
        }
        for (size_t i = 0; i < node_count(after); i++) {
                struct at containers = at_member(at, list), place = at_index(&containers, i);

                check_required(pair->checker, &place, node_at(after, i), "image");
                check_image_space(pair->checker, &place, node_at(after, i));
                node_put_text(pair->tree, node_at(after, i), "image",
                              node_get_text(node_at(before, i), "image"));
        }
        return true;
}

/* ---- deadline ---- */

static bool check_deadline(struct pod_update_validate_pair *pair, const struct at *at) {
        bool has_before = node_get(pair->before, "activeDeadlineSeconds");
        int64_t before = node_get_i64(pair->before, "activeDeadlineSeconds", 0);
        int64_t after = node_get_i64(pair->after, "activeDeadlineSeconds", 0);

        if (!node_get(pair->after, "activeDeadlineSeconds")) {
                if (has_before)
                        report(pair->checker, FIELD_INVALID, at, "activeDeadlineSeconds", "null",
                               "must not update from a positive integer to nil value");
                return true;
        }
        if (after < 0 || after > INT32_MAX) {
                report_number(pair->checker, at, "activeDeadlineSeconds", after,
                              "must be between 0 and 2147483647, inclusive");
                return false;
        }
        if (has_before && before < after) {
                report_number(pair->checker, at, "activeDeadlineSeconds", after,
                              "must be less than or equal to previous value");
                return false;
        }
        return true;
}

/* ---- tolerations, gates ---- */

/* All of a toleration but its seconds, which may change. */
struct slice toleration_text(struct checker *checker, const struct json_node *toleration) {
        static const char *const members[] = { "key", "operator", "value", "effect" };
        struct buf text = { 0 };

        for (size_t i = 0; i < ARRAY_LEN(members); i++)
                text_part_add(&text, node_get_text(toleration, members[i]));
        struct slice copy = arena_slice(checker->errors->arena, buf_view(&text));
        buf_release(&text);
        return copy;
}

static void check_added_tolerations(struct pod_update_validate_pair *pair, const struct at *at) {
        CLEANUP(text_set_release) struct text_set present = { 0 };
        struct node_iter before = node_iter(node_get(pair->before, "tolerations"));
        struct node_iter after = node_iter(node_get(pair->after, "tolerations"));
        struct at list = at_member(at, "tolerations");
        struct json_node *toleration;

        while (node_next(&after, NULL, &toleration))
                text_set_add(&present, toleration_text(pair->checker, toleration));
        while (node_next(&before, NULL, &toleration)) {
                if (text_set_has(&present, toleration_text(pair->checker, toleration)))
                        continue;
                report(pair->checker, FIELD_FORBIDDEN, at, "tolerations", NULL,
                       "existing toleration can not be modified except its tolerationSeconds");
                return;
        }
        check_tolerations(pair->checker, &list, node_get(pair->after, "tolerations"));
}

static void check_removed_gates(struct pod_update_validate_pair *pair, const struct at *at) {
        struct json_node *after = node_get(pair->after, "schedulingGates"), *gate;
        struct node_iter iter = node_iter(node_get(pair->before, "schedulingGates"));
        CLEANUP(text_set_release) struct text_set names = { 0 };
        struct at list = at_member(at, "schedulingGates");
        struct map *last = map_new(); /* place of a name, from 1 on: it is complained of once */

        while (node_next(&iter, NULL, &gate))
                text_set_add(&names, node_get_text(gate, "name"));
        for (size_t i = 0; i < node_count(after); i++)
                map_put(last, node_get_text(node_at(after, i), "name"), (void *)(uintptr_t)(i + 1));
        for (size_t i = 0; i < node_count(after); i++) {
                struct slice name = node_get_text(node_at(after, i), "name");
                struct at place = at_index(&list, i);

                if (!text_set_has(&names, name) && (uintptr_t)map_get(last, name) == i + 1)
                        report(pair->checker, FIELD_FORBIDDEN, &place, "name", NULL,
                               message_of(pair->checker,
                                          "only deletion is allowed, but found new scheduling "
                                          "gate '" SLICE_FMT "'",
                                          SLICE_ARG(name)));
        }
        map_free(last);
}

/* ---- gated pods may still be steered ---- */

static void check_node_selector(struct pod_update_validate_pair *pair, const struct at *at) {
        struct json_node *after = node_get(pair->after, "nodeSelector"), *value;
        struct node_iter iter = node_iter(node_get(pair->before, "nodeSelector"));
        struct slice key;

        while (node_next(&iter, &key, &value)) {
                if (node_equal(node_find(after, key), value))
                        continue;
                report(pair->checker, FIELD_INVALID, at, "nodeSelector",
                       node_json(pair->checker, after),
                       "only additions to spec.nodeSelector are allowed (no mutations or "
                       "deletions)");
                return;
        }
}

static bool has_only_additions(const struct json_node *before, const struct json_node *after) {
        static const char *const lists[] = { "matchExpressions", "matchFields" };

        if (node_count(node_get(before, lists[0])) == 0 &&
            node_count(node_get(before, lists[1])) == 0)
                return node_count(node_get(after, lists[0])) == 0 &&
                       node_count(node_get(after, lists[1])) == 0;
        for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
                const struct json_node *old = node_get(before, lists[i]);
                const struct json_node *new = node_get(after, lists[i]);

                if (node_count(new) < node_count(old))
                        return false;
                for (size_t j = 0; j < node_count(old); j++)
                        if (!node_equal(node_at(old, j), node_at(new, j)))
                                return false;
        }
        return true;
}

#define REQUIRED_TERMS "requiredDuringSchedulingIgnoredDuringExecution"

static void check_node_affinity(struct pod_update_validate_pair *pair, const struct at *at) {
        const struct json_node *before = node_get(
                node_get(node_get(pair->before, "affinity"), "nodeAffinity"), REQUIRED_TERMS);
        const struct json_node *after = node_get(
                node_get(node_get(pair->after, "affinity"), "nodeAffinity"), REQUIRED_TERMS);
        const struct json_node *old = node_get(before, "nodeSelectorTerms");
        const struct json_node *new = node_get(after, "nodeSelectorTerms");
        struct at affinity = at_member(at, "affinity"), node = at_member(&affinity, "nodeAffinity");
        struct at required = at_member(&node, REQUIRED_TERMS);
        struct at list = at_member(&required, "nodeSelectorTerms");

        if (node_count(old) > 0 && node_count(old) != node_count(new)) {
                report(pair->checker, FIELD_INVALID, &list, NULL, node_json(pair->checker, new),
                       "no additions/deletions to non-empty NodeSelectorTerms list are allowed");
                return;
        }
        for (size_t i = 0; i < node_count(old); i++) {
                struct at place = at_index(&list, i);

                if (!has_only_additions(node_at(old, i), node_at(new, i)))
                        report(pair->checker, FIELD_INVALID, &place, NULL,
                               node_json(pair->checker, node_at(new, i)),
                               "only additions are allowed (no mutations or deletions)");
        }
}

static void even_out_affinity(struct pod_update_validate_pair *pair) {
        struct json_node *old = node_get(node_get(pair->before, "affinity"), "nodeAffinity");
        struct json_node *affinity = node_get(pair->after, "affinity");

        if (!old && !node_get(affinity, "nodeAffinity"))
                return;
        if (!old) {
                node_remove(affinity, "nodeAffinity");
                if (node_count(affinity) == 0 && !node_get(pair->before, "affinity"))
                        node_remove(pair->after, "affinity");
        } else {
                node_put(pair->tree, node_need_object(pair->tree, pair->after, "affinity"),
                         "nodeAffinity", node_clone(pair->tree, old));
        }
}

static void check_steering(struct pod_update_validate_pair *pair, const struct at *at) {
        if (node_count(node_get(pair->before, "schedulingGates")) == 0)
                return;
        check_node_selector(pair, at);
        even_out(pair, "nodeSelector");
        check_node_affinity(pair, at);
        even_out_affinity(pair);
}

/* ---- the whole ---- */

/* What was sent empty there does not count, no more than what was sent there at all. */
static bool is_evened_out(const struct pod_update_validate_pair *pair, struct slice path) {
        bool has_gates = node_count(node_get(pair->before, "schedulingGates")) > 0;

        return slice_is(path, "spec.initContainers") || slice_is(path, "spec.schedulingGates") ||
               slice_is(path, "spec.tolerations") ||
               (has_gates && slice_has_prefix(path, SLICE_LITERAL("spec.affinity.nodeAffinity")));
}

/* Limits of a container that are none default its requests to none. */
static const char *emptied_requests(struct arena *arena, const char *path) {
        const struct slice limits = SLICE_LITERAL(".resources.limits");
        struct slice rest = slice_of(path);

        if (!slice_has_suffix(rest, limits) ||
            (!slice_has_prefix(rest, SLICE_LITERAL("spec.containers[")) &&
             !slice_has_prefix(rest, SLICE_LITERAL("spec.initContainers["))))
                return NULL;
        return arena_printf(arena, "%.*s.resources.requests", (int)(rest.len - limits.len), path);
}

static const struct emptied_value *emptied_elsewhere(const struct pod_update_validate_pair *pair) {
        const struct field_errors *errors = pair->checker->errors;
        const struct emptied_value *first = NULL, **last = &first;

        for (const struct emptied_value *each = errors->emptied; each; each = each->next) {
                const char *paths[] = { each->path, emptied_requests(errors->arena, each->path) };

                for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
                        if (!paths[i] || is_evened_out(pair, slice_of(paths[i])))
                                continue;
                        struct emptied_value *copy = ARENA_NEW(errors->arena, struct emptied_value);
                        *copy = (struct emptied_value){ .path = paths[i], .text = each->text };
                        *last = copy;
                        last = &copy->next;
                }
        }
        return first;
}

static void report_spec(struct pod_update_validate_pair *pair, const struct at *at) {
        struct field_errors *errors = pair->checker->errors;
        const struct emptied_value *emptied = errors->emptied;

        errors->emptied = emptied_elsewhere(pair);
        report(pair->checker, FIELD_FORBIDDEN, at, NULL, NULL,
               shown_difference(pair->checker, UPDATABLE_TEXT, "core.v1.PodSpec", "spec",
                                pair->before, pair->after));
        errors->emptied = emptied;
}

static void check_spec_update(struct pod_update_validate_pair *pair) {
        struct at at = at_root("spec");

        if (!check_same_containers(pair, &at, "containers") ||
            !check_same_containers(pair, &at, "initContainers") || !check_deadline(pair, &at))
                return;
        check_added_tolerations(pair, &at);
        check_removed_gates(pair, &at);
        check_steering(pair, &at);
        if (node_get_i64(pair->before, "terminationGracePeriodSeconds", 0) < 0 &&
            node_get_i64(pair->after, "terminationGracePeriodSeconds", 0) == 1)
                even_out(pair, "terminationGracePeriodSeconds");
        even_out(pair, "activeDeadlineSeconds");
        even_out(pair, "schedulingGates");
        even_out(pair, "tolerations");
        if (!node_equal(pair->before, pair->after))
                report_spec(pair, &at);
}

void check_pod_update(struct checker *checker, const struct json_node *pod,
                      const struct json *old) {
        check_pod_annotation_updates(checker, pod, old);
        if (node_equal_json(node_get(pod, "spec"), json_get(old, "spec")))
                return;
        struct json_tree *tree = json_tree_new();
        struct pod_update_validate_pair pair = {
                .checker = checker,
                .tree = tree,
                .before = node_import(tree, json_get(old, "spec")),
                .after = node_clone(tree, node_get(pod, "spec")),
        };

        check_spec_update(&pair);
        json_tree_free(tree);
}
