/* Pod garbage: pods of nodes that are gone, and finished pods beyond the limit. */
#include "base/util.h"
#include "control/pod_owner.h"
#include <stdlib.h>

#define FINISHED_MAX 12500                 /* kube-controller-manager's default */
#define NODE_QUARANTINE_NS (40 * NS_PER_S) /* a node may come back under its name */
#define FINISHED_PERIOD_NS (20 * NS_PER_S)
#define FINISHED_KEY "finished:"
#define NODE_KEY_PREFIX "node:"

static void queue_later(struct controller_run *run, struct slice key, int64_t delay_ns) {
        run_add_at(run, SLICE_EMPTY, key,
                   (struct wall_time){ control_now(run->control).ns + delay_ns });
}

static void queue_node(struct controller_run *run, struct slice node) {
        struct buf key = { 0 };

        buf_printf(&key, NODE_KEY_PREFIX SLICE_FMT, SLICE_ARG(node));
        queue_later(run, buf_view(&key), NODE_QUARANTINE_NS);
        buf_release(&key);
}

static void pod_changed(struct controller_run *run, struct change *change) {
        const struct store_event *event = change->event;
        const struct object_entry *entry =
                object_index_find(run->control->index, change->resource,
                                  store_object_ns(event->object), store_object_name(event->object));

        if (!entry)
                return;
        if (entry->pod->phase == PHASE_SUCCEEDED || entry->pod->phase == PHASE_FAILED)
                queue_later(run, SLICE_LITERAL(FINISHED_KEY), FINISHED_PERIOD_NS);
        struct slice node = json_get_text(json_get(change_object(change), "spec"), "nodeName");
        if (node.len &&
            !store_get(run->control->store, run->control->resource.nodes, SLICE_EMPTY, node))
                queue_node(run, node);
}

static void pod_collector_changed(struct controller_run *run, struct change *change) {
        if (change->resource == run->control->resource.pods)
                pod_changed(run, change);
        else if (change->resource == run->control->resource.nodes &&
                 change->event->type == STORE_DELETED)
                queue_node(run, store_object_name(change->event->object));
}

/* ---- orphans of nodes ---- */

static struct json_node *ended_status(struct controller_run *run, struct json_tree *tree,
                                      const struct json *pod) {
        struct json_node *status = status_begin(tree, pod), *patch = node_object(tree);

        status_condition_put(
                tree, status,
                &(struct status_condition){ .type = "DisruptionTarget",
                                            .is_true = true,
                                            .reason = "DeletionByPodGC",
                                            .message = "PodGC: node no longer exists" },
                control_now(run->control));
        node_put(tree, patch, "conditions", node_clone(tree, node_get(status, "conditions")));
        node_put_string(tree, patch, "phase", "Failed");
        return patch;
}

/* No kubelet is left to stop it, so it counts as stopped. */
static int end_pod(struct controller_run *run, const struct object_entry *entry, struct err *err) {
        const struct store_object *ref = store_object_ref(entry->object);
        bool is_over = entry->pod->phase == PHASE_SUCCEEDED || entry->pod->phase == PHASE_FAILED;
        struct object_target target = { .resource = run->control->resource.pods,
                                        .ns = store_object_ns(ref),
                                        .name = store_object_name(ref) };
        struct json_tree *tree = json_tree_new();
        struct json_doc *doc = NULL;
        const struct json *pod = entry_read(entry, &doc);
        int r = 0;

        if (!is_over)
                r = object_merge_status(run, &target, tree, ended_status(run, tree, pod), err);
        if (r == 0)
                r = object_delete(
                        run, &target,
                        &(struct object_deletion){ .uid = object_uid(pod), .is_forced = true },
                        err);
        json_doc_free(doc);
        json_tree_free(tree);
        store_object_unref(ref);
        return r;
}

static int end_pods_of(struct controller_run *run, struct slice node, struct err *err) {
        struct control *control = run->control;
        const struct entry_list *pods = object_index_pods_on(control->index, node);
        struct entry_link *link = pods ? pods->first : NULL, *after;
        int r = 0;

        if (store_get(control->store, control->resource.nodes, SLICE_EMPTY, node))
                return 0;
        for (; link && r == 0; link = after) {
                after = link->after;
                r = end_pod(run, link->entry, err);
        }
        return r;
}

/* ---- too many finished ---- */

struct finished {
        const struct control *control;
        const struct store_object **items;
        size_t count, cap;
};

static bool pod_collector_collect(void *context, const struct store_object *object) {
        struct finished *finished = context;
        const struct object_entry *entry =
                object_index_find(finished->control->index, object->resource,
                                  store_object_ns(object), store_object_name(object));

        if (!entry || entry->pod->is_deleted ||
            (entry->pod->phase != PHASE_SUCCEEDED && entry->pod->phase != PHASE_FAILED))
                return true;
        if (finished->count == finished->cap) {
                finished->cap = finished->cap ? finished->cap * 2 : 256;
                finished->items =
                        xreallocarray(finished->items, finished->cap, sizeof(finished->items[0]));
        }
        finished->items[finished->count++] = store_object_ref(object);
        return true;
}

/* The order of last changes stands for that of creation, which needs no parsing. */
static int compare_age(const void *left, const void *right) {
        const struct store_object *const *a = left, *const *b = right;

        return (*a)->revision < (*b)->revision ? -1 : (*a)->revision > (*b)->revision;
}

static int thin_out(struct controller_run *run, struct err *err) {
        struct finished finished = { .control = run->control };
        int r = 0;

        control_each(run->control, run->control->resource.pods, SLICE_EMPTY, pod_collector_collect,
                     &finished);
        if (finished.count)
                qsort(finished.items, finished.count, sizeof(finished.items[0]), compare_age);
        for (size_t i = 0; r == 0 && i + FINISHED_MAX < finished.count; i++) {
                struct object_target target = { .resource = run->control->resource.pods,
                                                .ns = store_object_ns(finished.items[i]),
                                                .name = store_object_name(finished.items[i]) };

                r = object_delete(run, &target, NULL, err);
        }
        for (size_t i = 0; i < finished.count; i++)
                store_object_unref(finished.items[i]);
        free(finished.items);
        return r;
}

static int pod_collector_reconcile(struct controller_run *run, struct slice ns, struct slice name,
                                   struct err *err) {
        struct slice prefix = SLICE_LITERAL(NODE_KEY_PREFIX);

        (void)ns;
        if (!slice_has_prefix(name, prefix))
                return thin_out(run, err);
        return end_pods_of(run, slice_make(name.ptr + prefix.len, name.len - prefix.len), err);
}

const struct controller controller_pod_collector = {
        .name = CONTROLLER_POD_COLLECTOR,
        .alias = "podgc",
        .component = "pod-garbage-collector",
        .changed = pod_collector_changed,
        .reconcile = pod_collector_reconcile,
};
