/* Namespaces that are to go: first everything in them, then the namespace itself. */
#include "base/util.h"
#include "control/pod_owner.h"

#define RETRY_NS (5 * NS_PER_S) /* while an object is left that we get no changes of */

static void namespace_changed(struct controller_run *run, struct change *change) {
        const struct control *control = run->control;
        const struct store_event *event = change->event;

        if (change->resource == control->resource.namespaces) {
                work_queue_add(run->queue, SLICE_EMPTY, store_object_name(event->object));
                return;
        }
        if (event->type != STORE_DELETED || store_object_ns(event->object).len == 0)
                return;
        const struct store_object *home = store_get(control->store, control->resource.namespaces,
                                                    SLICE_EMPTY, store_object_ns(event->object));
        if (home && object_mentions(home, "\"deletionTimestamp\""))
                work_queue_add(run->queue, SLICE_EMPTY, store_object_name(home));
}

static size_t count_of(const struct control *control, int resource, struct slice ns) {
        struct store_range range = { .resource = resource, .ns = ns };
        struct store_cursor *cursor = NULL;

        if (store_cursor_open(control->store, &range, &cursor, NULL) < 0)
                return 0;
        size_t count = store_cursor_remaining(cursor);
        store_cursor_close(cursor);
        return count;
}

/* Deletes what is in the namespace; *ret_left counts what takes longer. */
static int namespace_empty(struct controller_run *run, struct slice ns, size_t *ret_left,
                           struct err *err) {
        struct control *control = run->control;

        *ret_left = 0;
        for (size_t i = 0; i < control_resources_count(control->table); i++) {
                const struct resource_entry *entry = control_resources_at(control->table, i);

                if (!entry->is_namespaced || !entry->can_delete ||
                    count_of(control, entry->resource, ns) == 0)
                        continue;
                int r = object_delete(
                        run, &(struct object_target){ .resource = entry->resource, .ns = ns },
                        &(struct object_deletion){ .propagation = "Background" }, err);
                if (r < 0)
                        return r;
                *ret_left += count_of(control, entry->resource, ns);
        }
        return 0;
}

static int namespace_finalize(struct controller_run *run, const struct json *ns, struct err *err) {
        struct json_iter iter = json_iter(json_get(json_get(ns, "spec"), "finalizers"));
        struct json_tree *tree = json_tree_new();
        struct json_node *object = node_import(tree, ns), *list = node_array(tree);
        struct object_target target = { .resource = run->control->resource.namespaces,
                                        .name = object_name(ns),
                                        .subresource = "finalize" };
        const struct json *name;

        while (json_next(&iter, NULL, &name)) {
                if (!slice_is(json_text(name), "kubernetes"))
                        node_append(list, node_import(tree, name));
        }
        node_put(tree, node_need_object(tree, object, "spec"), "finalizers", list);
        int r = object_put(run, &target, object, err);
        json_tree_free(tree);
        return r == BERTH_ERR_NOT_FOUND ? 0 : r;
}

static int namespace_reconcile(struct controller_run *run, struct slice ns, struct slice name,
                               struct err *err) {
        struct control *control = run->control;
        struct json_doc *doc = NULL;
        const struct json *object =
                control_read(control, control->resource.namespaces, ns, name, &doc);
        size_t left = 0;
        int r = 0;

        if (object && object_is_deleted(object) &&
            json_count(json_get(json_get(object, "spec"), "finalizers"))) {
                control_resources_refresh(control->table);
                r = namespace_empty(run, name, &left, err);
                if (r == 0 && left == 0)
                        r = namespace_finalize(run, object, err);
        }
        json_doc_free(doc);
        if (left)
                run_add_at(run, ns, name, (struct wall_time){ control_now(control).ns + RETRY_NS });
        return r;
}

const struct controller controller_namespace = {
        .name = "namespace-controller",
        .alias = "namespace",
        .component = "namespace-controller",
        .changed = namespace_changed,
        .reconcile = namespace_reconcile,
};
