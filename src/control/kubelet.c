/* Simulated kubelets: which changes they get, and which pods and nodes they reconcile. */
#include "base/util.h"
#include "control/kubelet_priv.h"
#include "control/pod_run.h"
#include <stdlib.h>

static void kubelet_start(struct controller_run *run) {
        struct kubelet *kubelet = xcalloc(1, sizeof(*kubelet));
        const struct control_config *config = &run->control->config;

        kubelet->run = run;
        kubelet->nodes = map_new();
        kubelet->pod_runs = map_new();
        kubelet->defaults = (struct pod_plan_defaults){
                .start_delay_ns = config->start_delay_ns,
                .stop_delay_ns = config->stop_delay_ns,
                .backoff_first_ns = config->backoff_first_ns,
                .backoff_max_ns = config->backoff_max_ns,
                .seed = config->seed,
        };
        arena_init(&kubelet->scratch, 0);
        run->state = kubelet;
        kubelet_heartbeat_start(kubelet);
}

static void kubelet_stop(struct controller_run *run) {
        struct kubelet *kubelet = run->state;
        size_t at = 0;
        void *value;

        loop_timer_disarm(run->control->loop, &kubelet->heartbeat);
        while (map_next(kubelet->nodes, &at, NULL, &value))
                kubelet_node_forget(kubelet, value);
        at = 0;
        while (map_next(kubelet->pod_runs, &at, NULL, &value))
                pod_run_free(value);
        for (size_t i = 0; i < HEARTBEAT_SLOTS; i++)
                free(kubelet->buckets[i].nodes);
        map_free(kubelet->nodes);
        map_free(kubelet->pod_runs);
        arena_release(&kubelet->scratch);
        free(kubelet);
}

/* ---- changes ---- */

static const struct json *annotations_of(const struct json *object) {
        return json_get(json_get(object, "metadata"), "annotations");
}

static bool is_lifecycle_changed(struct change *change) {
        const struct store_event *event = change->event;

        if (!object_mentions(event->object, LIFECYCLE_PREFIX) &&
            !object_mentions(event->previous, LIFECYCLE_PREFIX))
                return false;
        return !json_equal(annotations_of(change_object(change)),
                           annotations_of(change_previous(change)));
}

static bool is_respecified(struct change *change) {
        const struct json *now = json_get(change_object(change), "metadata");

        return change->event->type == STORE_MODIFIED &&
               json_get_i64(now, "generation", 0) !=
                       json_get_i64(json_get(change_previous(change), "metadata"), "generation", 0);
}

static void pod_changed(struct kubelet *kubelet, struct change *change) {
        const struct store_event *event = change->event;
        struct slice ns = store_object_ns(event->object), name = store_object_name(event->object);

        if (event->type == STORE_DELETED) {
                pod_run_free(map_remove(
                        kubelet->pod_runs,
                        json_get_text(json_get(change_object(change), "metadata"), "uid")));
                work_queue_cancel(kubelet->run->queue, ns, name);
                return;
        }
        struct object_entry *entry =
                object_index_find(kubelet->run->control->index, change->resource, ns, name);
        if (kubelet->is_writing || !entry || !entry->pod->is_bound)
                return;
        if (event->type == STORE_MODIFIED && is_lifecycle_changed(change))
                pod_run_free(map_remove(
                        kubelet->pod_runs,
                        json_get_text(json_get(change_object(change), "metadata"), "uid")));
        else if (entry->pod->is_at_rest && !entry->pod->is_deleted && !is_respecified(change) &&
                 !object_mentions(event->object, "\"readinessGates\""))
                return;
        work_queue_add(kubelet->run->queue, ns, name);
}

static bool is_ready(const struct json *node) {
        struct json_iter iter = json_iter(json_get(json_get(node, "status"), "conditions"));
        const struct json *condition;

        while (json_next(&iter, NULL, &condition)) {
                if (slice_is(json_get_text(condition, "type"), "Ready"))
                        return slice_is(json_get_text(condition, "status"), "True");
        }
        return false;
}

static void node_changed(struct kubelet *kubelet, struct change *change) {
        struct slice name = store_object_name(change->event->object);
        struct kubelet_node *node = map_get(kubelet->nodes, name);

        if (kubelet->is_writing)
                return;
        if (change->event->type == STORE_MODIFIED && node && is_ready(change_object(change)) &&
            json_equal(annotations_of(change_object(change)),
                       annotations_of(change_previous(change))))
                return;
        work_queue_add(kubelet->run->queue, SLICE_EMPTY, name);
}

static void kubelet_changed(struct controller_run *run, struct change *change) {
        if (change->resource == run->control->resource.pods)
                pod_changed(run->state, change);
        else if (change->resource == run->control->resource.nodes)
                node_changed(run->state, change);
}

/* Nodes are cluster objects, so an empty namespace distinguishes them from pods. */
static int kubelet_reconcile(struct controller_run *run, struct slice ns, struct slice name,
                             struct err *err) {
        struct kubelet *kubelet = run->state;
        int r = ns.len ? kubelet_pod_reconcile(kubelet, ns, name, err)
                       : kubelet_node_reconcile(kubelet, name, err);

        kubelet->is_writing = false;
        arena_clear(&kubelet->scratch);
        return r;
}

const struct controller controller_kubelet = {
        .name = "kubelet",
        .component = "kubelet",
        .is_kubelet = true,
        .start = kubelet_start,
        .stop = kubelet_stop,
        .changed = kubelet_changed,
        .reconcile = kubelet_reconcile,
};
