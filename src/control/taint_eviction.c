/* Taint eviction: pods that do not tolerate a NoExecute taint of their node, or not for long,
 * are deleted. */
#include "base/map.h"
#include "base/util.h"
#include "control/node_match.h"
#include "control/pod_owner.h"
#include <stdlib.h>

/* When a pod has to go, by uid: time runs from the moment the taint was first seen with it, and a
 * step of the wall clock changes nothing about it. */
struct sentence {
        struct mono_time due;
};

static void taint_eviction_start(struct controller_run *run) {
        run->state = map_new();
}

static void taint_eviction_stop(struct controller_run *run) {
        map_free_values(run->state);
}

static void queue_pods(struct controller_run *run, struct slice node) {
        const struct entry_list *pods = object_index_pods_on(run->control->index, node);

        for (struct entry_link *link = pods ? pods->first : NULL; link; link = link->after)
                work_queue_add(run->queue, store_object_ns(link->entry->object),
                               store_object_name(link->entry->object));
}

static void node_changed(struct controller_run *run, struct change *change) {
        const struct store_event *event = change->event;

        if (event->type == STORE_DELETED)
                return;
        if (event->previous &&
            json_equal(json_get(json_get(change_object(change), "spec"), "taints"),
                       json_get(json_get(change_previous(change), "spec"), "taints")))
                return;
        if (event->previous || object_mentions(event->object, "\"NoExecute\""))
                queue_pods(run, store_object_name(event->object));
}

static void pod_changed(struct controller_run *run, struct change *change) {
        const struct store_event *event = change->event;
        struct slice ns = store_object_ns(event->object), name = store_object_name(event->object);

        if (event->type == STORE_DELETED) {
                free(map_remove(run->state, object_uid(change_object(change))));
                work_queue_cancel(run->queue, ns, name);
                return;
        }
        const struct store_object *node =
                store_get(run->control->store, run->control->resource.nodes, SLICE_EMPTY,
                          json_get_text(json_get(change_object(change), "spec"), "nodeName"));
        if (node && object_mentions(node, "\"NoExecute\""))
                work_queue_add(run->queue, ns, name);
}

static void taint_eviction_changed(struct controller_run *run, struct change *change) {
        if (change->resource == run->control->resource.nodes)
                node_changed(run, change);
        else if (change->resource == run->control->resource.pods)
                pod_changed(run, change);
}

/* ---- verdict ---- */

/* The least patience with any NoExecute taint; false when there is none to bear with. */
static bool taint_eviction_judge(const struct pod_spec *spec, const struct node *node,
                                 int64_t *ret_seconds) {
        bool has_taint = false;

        *ret_seconds = -1;
        for (size_t i = 0; i < node->taint_count; i++) {
                if (node->taints[i].effect != TAINT_NO_EXECUTE)
                        continue;
                has_taint = true;
                int64_t seconds = taint_patience_s(spec, &node->taints[i]);
                if (seconds >= 0 && (*ret_seconds < 0 || seconds < *ret_seconds))
                        *ret_seconds = seconds;
        }
        return has_taint && *ret_seconds >= 0;
}

/* ---- the end ---- */

static int taint_eviction_evict(struct controller_run *run, const struct json *pod,
                                struct err *err) {
        int pods = run->control->resource.pods, r;
        struct object_target target = { .resource = pods,
                                        .ns = object_namespace(pod),
                                        .name = object_name(pod) };
        struct json_tree *tree = json_tree_new();
        struct json_node *status = status_begin(tree, pod), *patch = node_object(tree);

        status_condition_put(tree, status,
                             &(struct status_condition){
                                     .type = "DisruptionTarget",
                                     .is_true = true,
                                     .reason = "DeletionByTaintManager",
                                     .message = "Taint manager: deleting due to NoExecute taint" },
                             control_now(run->control));
        node_put(tree, patch, "conditions", node_clone(tree, node_get(status, "conditions")));
        r = object_merge_status(run, &target, tree, patch, err);
        json_tree_free(tree);
        if (r < 0)
                return r;
        object_event(run, pods, pod, "TaintManagerEviction",
                     "Marking for deletion Pod " SLICE_FMT "/" SLICE_FMT, SLICE_ARG(target.ns),
                     SLICE_ARG(target.name));
        return object_delete(run, &target, &(struct object_deletion){ .uid = object_uid(pod) },
                             err);
}

static int taint_eviction_sentence(struct controller_run *run, const struct json *pod,
                                   int64_t seconds, struct err *err) {
        struct mono_time now = loop_mono(run->control->loop);
        struct sentence *known = map_get(run->state, object_uid(pod));
        struct mono_time due = { now.ns + seconds * NS_PER_S };

        if (!known) {
                known = xcalloc(1, sizeof(*known));
                known->due = due;
                map_put(run->state, object_uid(pod), known);
        } else if (due.ns < known->due.ns) {
                known->due = due;
        }
        if (known->due.ns <= now.ns)
                return taint_eviction_evict(run, pod, err);
        work_queue_add_at(run->queue, object_namespace(pod), object_name(pod), known->due);
        return 0;
}

static int taint_eviction_pardon(struct controller_run *run, const struct json *pod) {
        struct sentence *known = map_remove(run->state, object_uid(pod));

        if (known)
                object_event(run, run->control->resource.pods, pod, "TaintManagerEviction",
                             "Cancelling deletion of Pod " SLICE_FMT "/" SLICE_FMT,
                             SLICE_ARG(object_namespace(pod)), SLICE_ARG(object_name(pod)));
        free(known);
        work_queue_cancel(run->queue, object_namespace(pod), object_name(pod));
        return 0;
}

static int look_at(struct controller_run *run, const struct json *pod, struct arena *arena,
                   struct err *err) {
        struct control *control = run->control;
        struct json_doc *doc = NULL;
        const struct json *object =
                control_read(control, control->resource.nodes, SLICE_EMPTY,
                             json_get_text(json_get(pod, "spec"), "nodeName"), &doc);
        struct pod_spec spec;
        struct node node;
        int64_t seconds;
        int r = 0;

        if (object) {
                r = node_decode(object, arena, &node, err);
                if (r == 0)
                        r = pod_spec_decode(json_get(pod, "spec"), arena, &spec, err);
                if (r == 0)
                        r = taint_eviction_judge(&spec, &node, &seconds)
                                    ? taint_eviction_sentence(run, pod, seconds, err)
                                    : taint_eviction_pardon(run, pod);
        }
        json_doc_free(doc);
        return r;
}

static int taint_eviction_reconcile(struct controller_run *run, struct slice ns, struct slice name,
                                    struct err *err) {
        struct json_doc *doc = NULL;
        const struct json *pod =
                control_read(run->control, run->control->resource.pods, ns, name, &doc);
        struct arena arena;
        int r = 0;

        arena_init(&arena, 4096);
        if (pod && !object_is_deleted(pod))
                r = look_at(run, pod, &arena, err);
        arena_release(&arena);
        json_doc_free(doc);
        return r;
}

const struct controller controller_taint_eviction = {
        .name = "taint-eviction-controller",
        .component = "taint-eviction-controller",
        .start = taint_eviction_start,
        .stop = taint_eviction_stop,
        .changed = taint_eviction_changed,
        .reconcile = taint_eviction_reconcile,
};
