/* Node life cycle: nodes that stay silent become Unknown, conditions become taints. */
#include "base/map.h"
#include "base/util.h"
#include "control/pod_owner.h"
#include <stdlib.h>

#define LEASE_NAMESPACE "kube-node-lease"
#define TAINT_PREFIX "node.kubernetes.io/"

/* When a node last sent a heartbeat, by its name; a step of the wall clock is no silence. */
struct seen {
        struct mono_time last;
};

static void node_lifecycle_start(struct controller_run *run) {
        run->state = map_new();
}

static void node_lifecycle_stop(struct controller_run *run) {
        map_free_values(run->state);
}

static struct seen *node_lifecycle_need(struct controller_run *run, struct slice name) {
        struct seen *seen = map_get(run->state, name);

        if (!seen) {
                seen = xcalloc(1, sizeof(*seen));
                map_put(run->state, name, seen);
                seen->last = loop_mono(run->control->loop);
        }
        return seen;
}

static void node_lifecycle_observe(struct controller_run *run, struct slice name) {
        node_lifecycle_need(run, name)->last = loop_mono(run->control->loop);
}

static struct slice heartbeat_of(const struct json *node) {
        return json_get_text(object_condition(node, "Ready"), "lastHeartbeatTime");
}

static void node_lifecycle_changed(struct controller_run *run, struct change *change) {
        const struct store_event *event = change->event;
        const struct resource_numbers *number = &run->control->resource;
        struct slice name = store_object_name(event->object);

        if (change->resource == number->leases && event->type != STORE_DELETED &&
            slice_is(store_object_ns(event->object), LEASE_NAMESPACE)) {
                node_lifecycle_observe(run, name);
                return;
        }
        if (change->resource != number->nodes)
                return;
        if (event->type == STORE_DELETED)
                free(map_remove(run->state, name));
        else if (event->type == STORE_ADDED || !slice_eq(heartbeat_of(change_object(change)),
                                                         heartbeat_of(change_previous(change))))
                node_lifecycle_observe(run, name);
        work_queue_add(run->queue, SLICE_EMPTY, name);
}

/* ---- silence ---- */

static void put_unknown(struct controller_run *run, struct json_tree *tree,
                        struct json_node *conditions) {
        struct wall_time now = control_now(run->control);
        struct node_iter iter = node_iter(conditions);
        struct json_node *condition;

        while (node_next(&iter, NULL, &condition)) {
                static const char *const types[] = { "Ready", "MemoryPressure", "DiskPressure",
                                                     "PIDPressure" };
                bool is_kubelets = false;

                for (size_t i = 0; i < ARRAY_LEN(types); i++)
                        is_kubelets |= slice_is(node_get_text(condition, "type"), types[i]);
                if (!is_kubelets || slice_is(node_get_text(condition, "status"), "Unknown"))
                        continue;
                node_put_string(tree, condition, "status", "Unknown");
                node_put_string(tree, condition, "reason", "NodeStatusUnknown");
                node_put_string(tree, condition, "message", "Kubelet stopped posting node status.");
                status_time(tree, condition, "lastTransitionTime", now);
        }
}

/* A node that never said anything has no Ready condition to change. */
static void need_ready(struct controller_run *run, struct json_tree *tree, struct json_node *status,
                       const struct json *node) {
        if (!object_condition(node, "Ready"))
                status_condition_put(tree, status,
                                     &(struct status_condition){
                                             .type = "Ready",
                                             .is_unknown = true,
                                             .reason = "NodeStatusNeverUpdated",
                                             .message = "Kubelet never posted node status." },
                                     control_now(run->control));
}

/* Without the kubelet it is unknown whether its pods work. */
static int mark_pods(struct controller_run *run, struct slice node, struct err *err) {
        const struct entry_list *pods = object_index_pods_on(run->control->index, node);
        int r = 0;

        for (struct entry_link *link = pods ? pods->first : NULL; link && r == 0;
             link = link->after) {
                const struct store_object *ref = store_object_ref(link->entry->object);
                struct object_target target = { .resource = run->control->resource.pods,
                                                .ns = store_object_ns(ref),
                                                .name = store_object_name(ref) };
                struct json_tree *tree = json_tree_new();
                struct json_doc *doc = NULL;
                struct json_node *status, *patch = node_object(tree);

                if (link->entry->pod->is_ready) {
                        status = status_begin(tree, entry_read(link->entry, &doc));
                        status_condition_put(tree, status,
                                             &(struct status_condition){ .type = "Ready",
                                                                         .reason = "NodeNotReady",
                                                                         .message = "" },
                                             control_now(run->control));
                        node_put(tree, patch, "conditions",
                                 node_clone(tree, node_get(status, "conditions")));
                        r = object_merge_status(run, &target, tree, patch, err);
                }
                json_doc_free(doc);
                json_tree_free(tree);
                store_object_unref(ref);
        }
        return r;
}

static int mark_unknown(struct controller_run *run, const struct json *node, struct err *err) {
        int resource = run->control->resource.nodes, r;

        if (object_condition_is(node, "Ready", "Unknown"))
                return 0;
        struct json_tree *tree = json_tree_new();
        struct json_node *status = status_begin(tree, node);
        put_unknown(run, tree, node_need_array(tree, status, "conditions"));
        need_ready(run, tree, status, node);
        r = status_write_back(run, resource, node, tree, status, err);
        json_tree_free(tree);
        if (r < 0)
                return r;
        object_event(run, resource, node, "NodeNotReady",
                     "Node " SLICE_FMT " status is now: NodeNotReady",
                     SLICE_ARG(object_name(node)));
        return mark_pods(run, object_name(node), err);
}

static int watch_silence(struct controller_run *run, const struct json *node, struct err *err) {
        struct mono_time due = node_lifecycle_need(run, object_name(node))->last;

        due.ns += run->control->config.node_grace_ns;
        if (due.ns <= loop_mono(run->control->loop).ns)
                return mark_unknown(run, node, err);
        work_queue_add_at(run->queue, SLICE_EMPTY, object_name(node), due);
        return 0;
}

/* ---- taints ---- */

struct wanted_taint {
        const char *key, *effect;
        bool is_wanted;
};

static bool is_condition(const struct json *node, const char *type, const char *status) {
        return object_condition_is(node, type, status);
}

static bool is_taint(const struct json *taint, const struct wanted_taint *wanted) {
        return slice_is(json_get_text(taint, "key"), wanted->key) &&
               slice_is(json_get_text(taint, "effect"), wanted->effect);
}

#define TAINTS_MANAGED 9

static void want_taints(const struct json *node, struct wanted_taint *taints) {
        bool is_new = !object_condition(node, "Ready");
        bool is_unknown = is_condition(node, "Ready", "Unknown");
        bool is_down = is_condition(node, "Ready", "False");
        const struct wanted_taint wanted[TAINTS_MANAGED] = {
                { TAINT_PREFIX "not-ready", "NoSchedule", is_down || is_new },
                { TAINT_PREFIX "not-ready", "NoExecute", is_down },
                { TAINT_PREFIX "unreachable", "NoSchedule", is_unknown },
                { TAINT_PREFIX "unreachable", "NoExecute", is_unknown },
                { TAINT_PREFIX "unschedulable", "NoSchedule",
                  json_get_bool(json_get(node, "spec"), "unschedulable", false) },
                { TAINT_PREFIX "memory-pressure", "NoSchedule",
                  is_condition(node, "MemoryPressure", "True") },
                { TAINT_PREFIX "disk-pressure", "NoSchedule",
                  is_condition(node, "DiskPressure", "True") },
                { TAINT_PREFIX "pid-pressure", "NoSchedule",
                  is_condition(node, "PIDPressure", "True") },
                { TAINT_PREFIX "network-unavailable", "NoSchedule",
                  is_condition(node, "NetworkUnavailable", "True") },
        };

        memcpy(taints, wanted, sizeof(wanted));
}

/* Keeps taints of others and those that stay; true when the list differs from the node's. */
static bool build_taints(struct controller_run *run, struct json_tree *tree, struct json_node *list,
                         const struct json *node) {
        struct json_iter iter = json_iter(json_get(json_get(node, "spec"), "taints"));
        struct wanted_taint wanted[TAINTS_MANAGED];
        const struct json *taint;
        bool is_changed = false;

        want_taints(node, wanted);
        while (json_next(&iter, NULL, &taint)) {
                bool is_retained = true;

                for (size_t i = 0; i < TAINTS_MANAGED; i++) {
                        if (!is_taint(taint, &wanted[i]))
                                continue;
                        is_retained = wanted[i].is_wanted;
                        wanted[i].is_wanted = false;
                }
                if (is_retained)
                        node_append(list, node_import(tree, taint));
                is_changed |= !is_retained;
        }
        for (size_t i = 0; i < TAINTS_MANAGED; i++) {
                if (!wanted[i].is_wanted)
                        continue;
                struct json_node *fresh = node_object(tree);
                node_put_string(tree, fresh, "key", wanted[i].key);
                node_put_string(tree, fresh, "effect", wanted[i].effect);
                status_time(tree, fresh, "timeAdded", control_now(run->control));
                node_append(list, fresh);
                is_changed = true;
        }
        return is_changed;
}

static int keep_taints(struct controller_run *run, const struct json *node, struct err *err) {
        struct object_target target = { .resource = run->control->resource.nodes,
                                        .name = object_name(node) };
        struct json_tree *tree = json_tree_new();
        struct json_node *patch = node_object(tree), *list = node_array(tree);
        int r = 0;

        if (build_taints(run, tree, list, node)) {
                node_put(tree, node_need_object(tree, patch, "spec"), "taints", list);
                r = object_merge(run, &target, patch, err);
        }
        json_tree_free(tree);
        return r;
}

static int node_lifecycle_reconcile(struct controller_run *run, struct slice ns, struct slice name,
                                    struct err *err) {
        struct control *control = run->control;
        struct json_doc *doc = NULL;
        const struct json *node = control_read(control, control->resource.nodes, ns, name, &doc);
        int r = 0;

        if (node)
                r = watch_silence(run, node, err);
        json_doc_free(doc);
        doc = NULL;
        node = control_read(control, control->resource.nodes, ns, name, &doc);
        if (node && r == 0)
                r = keep_taints(run, node, err);
        json_doc_free(doc);
        return r;
}

const struct controller controller_node_lifecycle = {
        .name = "node-lifecycle-controller",
        .alias = "nodelifecycle",
        .component = "node-controller",
        .start = node_lifecycle_start,
        .stop = node_lifecycle_stop,
        .changed = node_lifecycle_changed,
        .reconcile = node_lifecycle_reconcile,
};
