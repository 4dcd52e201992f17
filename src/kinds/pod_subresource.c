/* What the ephemeralcontainers and resize subresources of pods may change: each takes its one part
 * of the spec and keeps all else as it is stored. */
#include "base/util.h"
#include "kinds/check.h"
#include "kinds/pod_check.h"
#include "kinds/prepare.h"

#include <string.h>

static struct json_node *container_named(const struct json_node *containers, struct slice name) {
        for (size_t i = 0; i < node_count(containers); i++)
                if (slice_eq(node_get_text(node_at(containers, i), "name"), name))
                        return node_at(containers, i);
        return NULL;
}

static bool have_same_names(const struct json_node *a, const struct json_node *b) {
        for (size_t i = 0; i < node_count(a); i++)
                if (!slice_eq(node_get_text(node_at(a, i), "name"),
                              node_get_text(node_at(b, i), "name")))
                        return false;
        return true;
}

static void take_member(struct json_tree *tree, struct json_node *to, const struct json_node *from,
                        const char *member) {
        const struct json_node *value = node_get(from, member);

        if (value)
                node_put(tree, to, member, node_clone(tree, value));
        else
                node_remove(to, member);
}

/* Resources and resize policies. Containers in another order or with other names come as they were
 * given, for validation to refuse. */
static void take_resources(struct json_tree *tree, struct json_node *spec,
                           const struct json_node *given, const char *list) {
        const struct json_node *from = node_get(given, list);
        struct json_node *to = node_get(spec, list);

        if (!have_same_names(from, to)) {
                take_member(tree, spec, given, list);
                return;
        }
        for (size_t i = 0; i < node_count(to); i++) {
                take_member(tree, node_at(to, i), node_at(from, i), "resources");
                take_member(tree, node_at(to, i), node_at(from, i), "resizePolicy");
        }
}

/* Neither part may change what the pod is called by. */
static void keep_metadata(struct json_tree *tree, struct json_node *pod, const struct json *old) {
        static const char *const restored[] = {
                "labels",     "annotations",       "ownerReferences",
                "finalizers", "deletionTimestamp", "selfLink"
        };

        for (size_t i = 0; i < ARRAY_LEN(restored); i++)
                keep_member(tree, node_get(pod, "metadata"), json_get(old, "metadata"),
                            restored[i]);
}

static void prepare_resize(struct json_tree *tree, struct json_node *pod, const struct json *old) {
        static const char *const lists[] = { "containers", "initContainers" };
        const struct json_node *given = node_get(pod, "spec");
        struct json_node *spec = node_import(tree, json_get(old, "spec"));

        for (size_t i = 0; i < ARRAY_LEN(lists); i++)
                if (node_count(node_get(given, lists[i])) != node_count(node_get(spec, lists[i])))
                        return; /* for validation to refuse */
        for (size_t i = 0; i < ARRAY_LEN(lists); i++)
                take_resources(tree, spec, given, lists[i]);
        take_member(tree, spec, given, "resources");
        keep_metadata(tree, pod, old);
        keep_member(tree, pod, old, "status");
        node_put(tree, pod, "spec", spec);
}

void pod_subresource_prepare(struct slice subresource, struct json_tree *tree,
                             struct json_node *pod, const struct json *old) {
        if (slice_is(subresource, "resize")) {
                prepare_resize(tree, pod, old);
                return;
        }
        struct json_node *spec = node_import(tree, json_get(old, "spec"));

        take_member(tree, spec, node_get(pod, "spec"), "ephemeralContainers");
        keep_metadata(tree, pod, old);
        node_put(tree, pod, "spec", spec);
}

/* Ephemeral containers are only ever added. */
static void check_ephemeral(struct checker *checker, const struct json_node *spec,
                            const struct json *old) {
        struct json_tree *tree = json_tree_new();
        const struct json_node *before =
                node_get(node_import(tree, json_get(old, "spec")), "ephemeralContainers");
        const struct json_node *after = node_get(spec, "ephemeralContainers");
        struct at place = at_root("spec");

        for (size_t i = 0; i < node_count(before); i++) {
                struct slice name = node_get_text(node_at(before, i), "name");
                const struct json_node *now = container_named(after, name);

                if (!now)
                        report(checker, FIELD_FORBIDDEN, &place, "ephemeralContainers", NULL,
                               message_of(checker,
                                          "existing ephemeral containers \"" SLICE_FMT
                                          "\" may not be removed\n",
                                          SLICE_ARG(name)));
                else if (!node_equal(now, node_at(before, i)))
                        report(checker, FIELD_FORBIDDEN, &place, "ephemeralContainers", NULL,
                               shown_difference(
                                       checker,
                                       message_of(checker,
                                                  "existing ephemeral containers \"" SLICE_FMT
                                                  "\" may not be changed",
                                                  SLICE_ARG(name)),
                                       "core.v1.EphemeralContainer", at_text(checker, &place),
                                       node_at(before, i), now));
        }
        json_tree_free(tree);
}

/* ---- resize ---- */

#define ONLY_RESOURCES "only cpu and memory resources are mutable"

struct resize_check {
        struct checker *checker;
        const struct json *old; /* the pod */
        struct json_tree *tree;
        const struct json_node *was; /* spec, as it was */
        struct json_node *now;       /* spec, a copy */
        struct at at;                /* of the spec */
};

static void forbid_resize(struct resize_check *check, const struct at *at, const char *member,
                          const char *detail) {
        report(check->checker, FIELD_FORBIDDEN, at, member, NULL, detail);
}

static bool is_removed(const struct json_node *was, const struct json_node *now) {
        struct node_iter iter = node_iter(was);
        struct slice name;

        while (node_next(&iter, &name, NULL))
                if (!node_find(now, name))
                        return true;
        return false;
}

static void check_order(struct resize_check *check, const char *list) {
        const struct json_node *was = node_get(check->was, list), *now = node_get(check->now, list);
        struct at place = at_member(&check->at, list);

        if (node_count(was) != node_count(now)) {
                forbid_resize(check, &place, NULL,
                              message_of(check->checker, "%s may not be added or removed on resize",
                                         list));
                return;
        }
        for (size_t i = 0; i < node_count(was); i++) {
                struct at entry = at_index(&place, i);

                if (!slice_eq(node_get_text(node_at(was, i), "name"),
                              node_get_text(node_at(now, i), "name")))
                        forbid_resize(check, &entry, "name",
                                      message_of(check->checker,
                                                 "%s may not be renamed or reordered on resize",
                                                 list));
        }
}

static void check_removed(struct resize_check *check, const char *list) {
        const struct json_node *was = node_get(check->was, list), *now = node_get(check->now, list);
        struct at place = at_member(&check->at, list);

        for (size_t i = 0; i < node_count(was); i++) {
                const struct json_node *before = node_get(node_at(was, i), "resources");
                const struct json_node *after = node_get(node_at(now, i), "resources");
                struct at entry = at_index(&place, i), inner = at_member(&entry, "resources");

                if (is_removed(node_get(before, "requests"), node_get(after, "requests")))
                        forbid_resize(check, &inner, "requests",
                                      "resource requests cannot be removed");
                if (is_removed(node_get(before, "limits"), node_get(after, "limits")))
                        forbid_resize(check, &inner, "limits", "resource limits cannot be removed");
        }
}

/* What a resize may change, and nothing that is empty. */
static void drop_resizable(struct json_node *owner) {
        static const char *const lists[] = { "requests", "limits" };
        struct json_node *resources = node_get(owner, "resources");

        for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
                struct json_node *list = node_get(resources, lists[i]);

                node_remove(list, "cpu");
                node_remove(list, "memory");
                if (list && node_count(list) == 0)
                        node_remove(resources, lists[i]);
        }
        if (resources && node_count(resources) == 0)
                node_remove(owner, "resources");
}

static bool is_like_before(struct resize_check *check, const struct json_node *was,
                           const struct json_node *now) {
        struct json_node *before = node_clone(check->tree, was);
        struct json_node *after = node_clone(check->tree, now);

        drop_resizable(before);
        node_remove(node_get(after, "resources"), "claims"); /* as kube-apiserver */
        drop_resizable(after);
        return node_equal(before, after);
}

static bool restarts_to_resize(const struct json_node *container) {
        const struct json_node *policies = node_get(container, "resizePolicy");

        for (size_t i = 0; i < node_count(policies); i++)
                if (slice_is(node_get_text(node_at(policies, i), "restartPolicy"),
                             "RestartContainer"))
                        return true;
        return false;
}

static void check_mutable(struct resize_check *check) {
        const struct json_node *was = node_get(check->was, "containers");
        const struct json_node *now = node_get(check->now, "containers");
        struct at place = at_member(&check->at, "initContainers");

        for (size_t i = 0; i < node_count(was); i++)
                if (!is_like_before(check, node_at(was, i), node_at(now, i)))
                        forbid_resize(check, &check->at, NULL, ONLY_RESOURCES);
        was = node_get(check->was, "initContainers");
        now = node_get(check->now, "initContainers");
        for (size_t i = 0; i < node_count(was); i++) {
                const struct json_node *before = node_at(was, i), *after = node_at(now, i);
                struct at entry = at_index(&place, i);

                if (!is_like_before(check, before, after))
                        forbid_resize(
                                check, &entry, NULL,
                                "only cpu and memory resources for init or sidecar containers are "
                                "mutable");
                if (!node_equal(before, after) &&
                    !slice_is(node_get_text(after, "restartPolicy"), "Always") &&
                    restarts_to_resize(after))
                        forbid_resize(check, &entry, NULL,
                                      "non-sidecar init containers with a resize policy of "
                                      "RestartContainer cannot be resized");
        }
}

/* Claims alone do not count. */
static bool has_pod_level(const struct json_node *spec) {
        const struct json_node *resources = node_get(spec, "resources");

        return node_count(node_get(resources, "requests")) ||
               node_count(node_get(resources, "limits"));
}

static void check_pod_level(struct resize_check *check) {
        const struct json_node *was = node_get(check->was, "resources");
        const struct json_node *now = node_get(check->now, "resources");
        struct at place = at_member(&check->at, "resources");
        struct json_node *before = node_object(check->tree), *after = node_object(check->tree);

        if (was && !now) {
                forbid_resize(check, &place, NULL, "pod-level resources cannot be removed");
                return;
        }
        if (is_removed(node_get(was, "requests"), node_get(now, "requests")))
                forbid_resize(check, &place, "requests",
                              "pod-level resource requests cannot be removed");
        if (is_removed(node_get(was, "limits"), node_get(now, "limits")))
                forbid_resize(check, &place, "limits",
                              "pod-level resource limits cannot be removed");
        take_member(check->tree, before, check->was, "resources");
        take_member(check->tree, after, check->now, "resources");
        drop_resizable(before);
        drop_resizable(after);
        if (!node_equal(before, after))
                forbid_resize(check, &check->at, NULL,
                              "only cpu and memory resources are mutable at pod-level");
}

/* A node that reports no resources of running containers cannot change them. */
static bool can_resize(const struct json *old) {
        struct json_iter iter = json_iter(json_get(json_get(old, "status"), "containerStatuses"));
        const struct json *status;

        while (json_next(&iter, NULL, &status))
                if (json_get(json_get(status, "state"), "running"))
                        return json_get(status, "resources");
        return true;
}

static const char *immovable_reason(const struct resize_check *check) {
        const struct json *annotations = json_get(json_get(check->old, "metadata"), "annotations");

        if (json_get(annotations, MIRROR_ANNOTATION))
                return "static pods cannot be resized";
        return slice_is(node_get_text(node_get(check->was, "os"), "name"), "windows")
                       ? "windows pods cannot be resized"
                       : NULL;
}

/* Pods that are never resized, of which nothing else is said. */
static bool is_immovable(struct resize_check *check) {
        struct at nowhere = at_root("[]"); /* a path without a name, as Go prints it */
        struct field_errors *errors = check->checker->errors;
        const char *reason = immovable_reason(check);

        if (!reason)
                return false;
        *errors = (struct field_errors){ .arena = errors->arena, .emptied = errors->emptied };
        forbid_resize(check, &nowhere, NULL, reason);
        return true;
}

/* Requirements of the pod that say nothing are not those that are not there. */
static void check_presence(struct resize_check *check) {
        const struct json_node *was = node_get(check->was, "resources");
        const struct json_node *now = node_get(check->now, "resources");

        if (!has_pod_level(check->was) && !has_pod_level(check->now) &&
            check->checker->errors->count == 0 && !was != !now)
                forbid_resize(check, &check->at, NULL, ONLY_RESOURCES);
}

static void check_containers_resize(struct resize_check *check) {
        size_t complaints = check->checker->errors->count;

        check_order(check, "containers");
        check_order(check, "initContainers");
        if (check->checker->errors->count > complaints)
                return;
        check_removed(check, "initContainers");
        check_removed(check, "containers");
        check_mutable(check);
}

static void check_resize(struct checker *checker, const struct json_node *pod,
                         const struct json *old) {
        const struct json_node *spec = node_get(pod, "spec");
        struct resize_check check = {
                .checker = checker, .old = old, .tree = json_tree_new(), .at = at_root("spec")
        };

        check.was = node_import(check.tree, json_get(old, "spec"));
        check.now = node_clone(check.tree, spec);
        if (!is_immovable(&check)) {
                struct slice given = json_get_text(json_get(old, "status"), "qosClass");

                if (!slice_is(given, pod_qos_class(spec)))
                        report_text(checker, &check.at, NULL,
                                    node_get_text(node_get(pod, "status"), "qosClass"),
                                    "Pod QOS Class may not change as a result of resizing");
                if (!can_resize(old))
                        forbid_resize(&check, &check.at, NULL,
                                      "Pod running on node without support for resize");
                if (has_pod_level(check.was) || has_pod_level(check.now))
                        check_pod_level(&check);
                check_containers_resize(&check);
                check_presence(&check);
        }
        json_tree_free(check.tree);
}

void check_pod_subresource(struct checker *checker, const struct json_node *pod,
                           const struct json *old) {
        if (slice_is(checker->context->subresource, "resize"))
                check_resize(checker, pod, old);
        else
                check_ephemeral(checker, node_get(pod, "spec"), old);
}
