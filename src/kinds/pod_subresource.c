/* What the ephemeralcontainers and resize subresources of pods may change: each takes its one part
 * of the spec and keeps all else as it is stored. */
#include "kinds/check.h"
#include "kinds/prepare.h"

#include <string.h>

static struct json_node *container_named(const struct json_node *containers, struct slice name) {
        for (size_t i = 0; i < node_count(containers); i++)
                if (slice_eq(node_get_text(node_at(containers, i), "name"), name))
                        return node_at(containers, i);
        return NULL;
}

/* Resources and resize policies of the containers that both have. */
static void take_resources(struct json_tree *tree, const struct json_node *from,
                           struct json_node *to) {
        for (size_t i = 0; i < node_count(to); i++) {
                struct json_node *container = node_at(to, i);
                const struct json_node *wanted =
                        container_named(from, node_get_text(container, "name"));
                const struct json_node *resources = node_get(wanted, "resources");

                if (resources)
                        node_put(tree, container, "resources", node_clone(tree, resources));
        }
}

void pod_subresource_prepare(struct slice subresource, struct json_tree *tree,
                             struct json_node *pod, const struct json *old) {
        struct json_node *given = node_get(pod, "spec");
        struct json_node *spec = node_import(tree, json_get(old, "spec"));

        if (slice_is(subresource, "resize")) {
                take_resources(tree, node_get(given, "containers"), node_get(spec, "containers"));
                take_resources(tree, node_get(given, "initContainers"),
                               node_get(spec, "initContainers"));
        } else if (node_get(given, "ephemeralContainers")) {
                node_put(tree, spec, "ephemeralContainers",
                         node_clone(tree, node_get(given, "ephemeralContainers")));
        } else {
                node_remove(spec, "ephemeralContainers");
        }
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
                               message_of(checker,
                                          "existing ephemeral containers \"" SLICE_FMT
                                          "\" may not be changed\n",
                                          SLICE_ARG(name)));
        }
        json_tree_free(tree);
}

static void check_resize(struct checker *checker, const struct json_node *spec,
                         const struct json *old) {
        struct slice was = json_get_text(json_get(old, "status"), "qosClass");
        struct at place = at_root("metadata");

        if (was.len && !slice_is(was, pod_qos_class(spec)))
                report_text(checker, &place, "qosClass", slice_of(pod_qos_class(spec)),
                            "Pod QOS Class may not change as a result of resizing");
}

void check_pod_subresource(struct checker *checker, const struct json_node *pod,
                           const struct json *old) {
        const struct json_node *spec = node_get(pod, "spec");

        if (slice_is(checker->context->subresource, "resize"))
                check_resize(checker, spec, old);
        else
                check_ephemeral(checker, spec, old);
}
