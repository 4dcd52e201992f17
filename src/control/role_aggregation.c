/* Gathers the rules of a ClusterRole with an aggregationRule from the roles that it selects by
 * their labels. */
#include "api/selector.h"
#include "base/util.h"
#include "control/control_priv.h"
#include "control/object_write.h"

static bool queue_aggregated(void *context, const struct store_object *object) {
        struct controller_run *run = context;

        if (object_mentions(object, "\"aggregationRule\""))
                work_queue_add(run->queue, SLICE_EMPTY, store_object_name(object));
        return true;
}

static void role_aggregation_changed(struct controller_run *run, struct change *change) {
        int roles = run->control->resource.cluster_roles;

        if (change->resource == roles)
                control_each(run->control, roles, SLICE_EMPTY, queue_aggregated, run);
}

/* What one selector gathers; the store is in order of names. */
struct role_gathering {
        struct json_tree *tree;
        struct json_node *rules;
        struct slice own; /* name of the role that gathers */
        struct selector selector;
        struct arena *arena;
};

static bool has_rule(const struct json_node *rules, const struct json *rule) {
        for (size_t i = 0; i < node_count(rules); i++)
                if (node_equal_json(node_at(rules, i), rule))
                        return true;
        return false;
}

static bool gather_role(void *context, const struct store_object *object) {
        struct role_gathering *gathering = context;
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;
        const struct json *rule;

        if (slice_eq(store_object_name(object), gathering->own) ||
            json_parse(store_object_body(object), &doc, NULL) < 0)
                return true;
        const struct json *role = json_doc_root(doc);
        struct label_list labels =
                label_list_decode(json_get(json_get(role, "metadata"), "labels"), gathering->arena);
        struct json_iter iter = json_iter(json_get(role, "rules"));

        if (!selector_matches(&gathering->selector, labels))
                return true;
        while (json_next(&iter, NULL, &rule))
                if (!has_rule(gathering->rules, rule))
                        node_append(gathering->rules, node_import(gathering->tree, rule));
        return true;
}

static int gather_all(const struct controller_run *run, const struct json *role,
                      struct role_gathering *gathering, struct err *err) {
        struct json_iter iter =
                json_iter(json_get(json_get(role, "aggregationRule"), "clusterRoleSelectors"));
        const struct json *selector;
        int r = 0;

        while (r == 0 && json_next(&iter, NULL, &selector)) {
                r = selector_decode(selector, gathering->arena, &gathering->selector, err);
                if (r == 0)
                        control_each(run->control, run->control->resource.cluster_roles,
                                     SLICE_EMPTY, gather_role, gathering);
        }
        return r;
}

static bool has_same_rules(const struct json_node *rules, const struct json *role) {
        const struct json *there = json_get(role, "rules");

        return node_count(rules) == 0 ? json_count(there) == 0 : node_equal_json(rules, there);
}

static int aggregate_role(struct controller_run *run, const struct json *role, struct slice name,
                          struct err *err) {
        CLEANUP(arena_release) struct arena arena = { 0 };
        CLEANUP(cleanup_json_tree) struct json_tree *tree = json_tree_new();
        struct role_gathering gathering = {
                .tree = tree, .rules = node_array(tree), .own = name, .arena = &arena
        };
        struct object_target target = { .resource = run->control->resource.cluster_roles,
                                        .name = name };
        struct json_node *applied = node_object(tree);

        arena_init(&arena, 0);
        int r = gather_all(run, role, &gathering, err);
        if (r < 0 || has_same_rules(gathering.rules, role))
                return r;
        node_put_string(tree, applied, "kind", "ClusterRole");
        node_put_string(tree, applied, "apiVersion", "rbac.authorization.k8s.io/v1");
        node_put_text(tree, node_need_object(tree, applied, "metadata"), "name", name);
        if (node_count(gathering.rules))
                node_put(tree, applied, "rules", gathering.rules);
        return object_apply(run, &target, applied, err);
}

static int role_aggregation_reconcile(struct controller_run *run, struct slice ns,
                                      struct slice name, struct err *err) {
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;
        const struct json *role =
                control_read(run->control, run->control->resource.cluster_roles, ns, name, &doc);

        return json_get(role, "aggregationRule") ? aggregate_role(run, role, name, err) : 0;
}

const struct controller controller_role_aggregation = {
        .name = "clusterrole-aggregation-controller",
        .alias = "clusterrole-aggregation",
        .component = "clusterrole-aggregation-controller",
        .changed = role_aggregation_changed,
        .reconcile = role_aggregation_reconcile,
};
