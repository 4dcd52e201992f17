/* Resources of a whole pod that says only part of them: the rest follows from its containers, and
 * requests from limits. */
#include "kinds/defaults.h"

#include "api/quantity.h"
#include "base/arena.h"
#include "base/util.h"

static bool is_huge_page(struct slice name) {
        return slice_has_prefix(name, SLICE_LITERAL("hugepages-"));
}

static bool is_pod_level(struct slice name) {
        return slice_is(name, "cpu") || slice_is(name, "memory") || is_huge_page(name);
}

static void amounts_add(struct json_tree *tree, struct json_node *sums,
                        const struct json_node *amounts) {
        struct node_iter iter = node_iter(amounts);
        struct json_node *amount;
        struct slice name;

        while (node_next(&iter, &name, &amount)) {
                CLEANUP(buf_release) struct buf text = { 0 };
                const struct json_node *sum = node_find(sums, name);

                if (!sum)
                        node_set(tree, sums, name, node_clone(tree, amount));
                else if (quantity_sum(node_get_slice(sum), node_get_slice(amount), false, &text,
                                      NULL) == 0)
                        node_set(tree, sums, name, node_text(tree, buf_view(&text)));
        }
}

static void amounts_raise(struct json_tree *tree, struct json_node *most,
                          const struct json_node *amounts) {
        struct node_iter iter = node_iter(amounts);
        struct json_node *amount;
        struct slice name;

        while (node_next(&iter, &name, &amount)) {
                const struct json_node *sum = node_find(most, name);
                int order = 0;

                if (!sum || (quantity_compare(node_get_slice(amount), node_get_slice(sum), &order,
                                              NULL) == 0 &&
                             order > 0))
                        node_set(tree, most, name, node_clone(tree, amount));
        }
}

/* What all containers take together: those that run at once, or an init container with the
 * sidecars before it. list: requests or limits. */
static struct json_node *amounts_of_containers(struct json_tree *tree, const struct json_node *spec,
                                               const char *list) {
        struct json_node *sums = node_object(tree), *sidecars = node_object(tree);
        struct json_node *most = node_object(tree), *container;
        struct node_iter iter = node_iter(node_get(spec, "containers"));

        while (node_next(&iter, NULL, &container))
                amounts_add(tree, sums, node_get(node_get(container, "resources"), list));
        iter = node_iter(node_get(spec, "initContainers"));
        while (node_next(&iter, NULL, &container)) {
                const struct json_node *own = node_get(node_get(container, "resources"), list);
                struct json_node *now;

                if (slice_is(node_get_text(container, "restartPolicy"), "Always")) {
                        amounts_add(tree, sums, own);
                        amounts_add(tree, sidecars, own);
                        now = sidecars;
                } else {
                        now = node_object(tree);
                        amounts_add(tree, now, own);
                        amounts_add(tree, now, sidecars);
                }
                amounts_raise(tree, most, now);
        }
        amounts_raise(tree, sums, most);
        return sums;
}

static void amount_default(struct json_tree *tree, struct json_node *resources, const char *list,
                           struct slice name, const struct json_node *amount) {
        struct json_node *amounts = node_need_object(tree, resources, list);

        if (!node_find(amounts, name))
                node_set(tree, amounts, name, node_clone(tree, amount));
}

void pod_level_defaults(struct json_tree *tree, struct json_node *spec) {
        struct json_node *resources = object_at(spec, "resources"), *amount;
        const struct json_node *requests = resources ? node_get(resources, "requests") : NULL;
        struct slice name;

        if (!resources)
                return;
        if (node_count(requests) == 0 && node_count(node_get(resources, "limits")) == 0)
                return;
        struct node_iter iter = node_iter(amounts_of_containers(tree, spec, "limits"));
        while (node_next(&iter, &name, &amount))
                if (is_huge_page(name) && !node_find(requests, name))
                        amount_default(tree, resources, "limits", name, amount);
        if (node_count(node_get(resources, "limits")) == 0)
                return;
        iter = node_iter(amounts_of_containers(tree, spec, "requests"));
        while (node_next(&iter, &name, &amount))
                if (is_pod_level(name) && !is_huge_page(name))
                        amount_default(tree, resources, "requests", name, amount);
        iter = node_iter(node_get(resources, "limits"));
        while (node_next(&iter, &name, &amount))
                if (is_pod_level(name))
                        amount_default(tree, resources, "requests", name, amount);
}
