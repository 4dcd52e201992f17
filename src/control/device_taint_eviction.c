/* Device taint eviction: pods that use a device with a NoExecute taint, which their claims do not
 * tolerate, or not for long, are deleted. device_taint_rule.c reports about it. */
#include "base/map.h"
#include "base/util.h"
#include "control/device_taint_priv.h"
#include "server/api_server.h"
#include <stdlib.h>

static void device_taint_start(struct controller_run *run) {
        struct device_eviction_state *state = xcalloc(1, sizeof(*state));

        device_taints_init(&state->taints);
        state->sentences = map_new();
        state->evicted = map_new();
        run->state = state;
}

static void device_taint_stop(struct controller_run *run) {
        struct device_eviction_state *state = run->state;

        device_taints_release(&state->taints);
        map_free(state->sentences);
        map_free_values(state->evicted);
        free(state);
}

/* ---- hearing ---- */

static void queue_consumers(struct controller_run *run, const struct json *claim) {
        struct json_iter iter = json_iter(json_get(json_get(claim, "status"), "reservedFor"));
        const struct json *consumer;

        while (json_next(&iter, NULL, &consumer)) {
                if (slice_is(json_get_text(consumer, "resource"), "pods"))
                        work_queue_add(run->queue, object_namespace(claim),
                                       json_get_text(consumer, "name"));
        }
}

struct pool_visit {
        struct controller_run *run;
        const char *pool; /* NULL = any */
};

static bool queue_users(void *context, const struct store_object *object) {
        const struct pool_visit *visit = context;
        struct json_doc *doc = NULL;

        if (!object_mentions(object, "\"reservedFor\"") ||
            (visit->pool && !object_mentions(object, visit->pool)))
                return true;
        if (json_parse(store_object_body(object), &doc, NULL) == 0)
                queue_consumers(visit->run, json_doc_root(doc));
        json_doc_free(doc);
        return true;
}

/* Pods that use devices of the pool. */
static void queue_users_of(struct controller_run *run, struct slice pool) {
        char *name = pool.len ? slice_dup(pool) : NULL;

        control_each(run->control, run->control->resource.resource_claims, SLICE_EMPTY, queue_users,
                     &(struct pool_visit){ run, name });
        free(name);
}

static void slice_changed(struct controller_run *run, struct change *change) {
        struct device_eviction_state *state = run->state;
        const struct store_event *event = change->event;

        if (!object_mentions(event->object, "\"NoExecute\"") && state->taints.device_count == 0 &&
            !(event->previous && object_mentions(event->previous, "\"NoExecute\"")))
                return;
        state->taints.is_dirty = true;
        queue_users_of(run, json_get_text(json_get(json_get(change_object(change), "spec"), "pool"),
                                          "name"));
}

static void rule_changed(struct controller_run *run, struct change *change) {
        struct device_eviction_state *state = run->state;
        const struct store_event *event = change->event;

        if (event->type == STORE_DELETED)
                free(map_remove(state->evicted, object_uid(change_object(change))));
        else if (event->previous && json_equal(json_get(change_object(change), "spec"),
                                               json_get(change_previous(change), "spec")))
                return;
        else
                work_queue_add(run->queue, SLICE_EMPTY, store_object_name(event->object));
        state->taints.is_dirty = true;
        queue_users_of(run, SLICE_EMPTY);
}

static bool has_claims(const struct store_object *pod) {
        return object_mentions(pod, "\"resourceClaims\"") ||
               object_mentions(pod, "\"extendedResourceClaimStatus\"");
}

static void pod_changed(struct controller_run *run, struct change *change) {
        struct device_eviction_state *state = run->state;
        const struct store_event *event = change->event;
        struct slice ns = store_object_ns(event->object), name = store_object_name(event->object);

        if (event->type == STORE_DELETED) {
                if (map_count(state->sentences))
                        map_remove(state->sentences, object_uid(change_object(change)));
                return;
        }
        if (device_taints_is_empty(&state->taints) || !has_claims(event->object))
                return;
        const struct json *now = change_object(change), *before = change_previous(change);
        if (!before ||
            !slice_eq(json_get_text(json_get(now, "spec"), "nodeName"),
                      json_get_text(json_get(before, "spec"), "nodeName")) ||
            !json_equal(json_get(json_get(now, "status"), "resourceClaimStatuses"),
                        json_get(json_get(before, "status"), "resourceClaimStatuses")))
                work_queue_add(run->queue, ns, name);
}

static void device_taint_changed(struct controller_run *run, struct change *change) {
        const struct resource_numbers *number = &run->control->resource;
        struct device_eviction_state *state = run->state;

        if (change->resource == number->pods)
                pod_changed(run, change);
        else if (change->resource == number->resource_slices)
                slice_changed(run, change);
        else if (change->resource == number->taint_rules)
                rule_changed(run, change);
        else if (change->resource == number->custom_definitions &&
                 object_mentions(change->event->object, "devicetaintrules"))
                work_queue_add(run->queue, SLICE_EMPTY, SLICE_EMPTY);
        else if (change->resource == number->resource_claims &&
                 !device_taints_is_empty(&state->taints)) {
                queue_consumers(run, change_object(change));
                if (change->event->previous)
                        queue_consumers(run, change_previous(change));
        }
}

/* ---- the end ---- */

static int end_pod(struct controller_run *run, const struct json *pod, struct err *err) {
        int pods = run->control->resource.pods;
        struct object_target target = { .resource = pods,
                                        .ns = object_namespace(pod),
                                        .name = object_name(pod) };
        struct json_tree *tree = json_tree_new();
        struct json_node *status = status_begin(tree, pod), *patch = node_object(tree);

        status_condition_put(
                tree, status,
                &(struct status_condition){
                        .type = "DisruptionTarget",
                        .is_true = true,
                        .reason = "DeletionByDeviceTaintManager",
                        .message = "Device Taint manager: deleting due to NoExecute taint" },
                control_now(run->control));
        object_event(run, pods, pod, "DeviceTaintManagerEviction", "Marking for deletion");
        node_put(tree, patch, "conditions", node_clone(tree, node_get(status, "conditions")));
        int r = object_merge_status(run, &target, tree, patch, err);
        json_tree_free(tree);
        if (r < 0)
                return r;
        return object_delete(run, &target, &(struct object_deletion){ .uid = object_uid(pod) },
                             err);
}

/* The reports of the rules follow some time later, when more pods may have come or gone. */
static void note_rules(struct controller_run *run, const struct device_eviction *eviction,
                       bool is_over) {
        struct device_eviction_state *state = run->state;

        for (size_t i = 0; i < state->taints.rule_count; i++) {
                const struct object_meta *meta = &state->taints.rules[i].rule.meta;

                if (!eviction->rules[i])
                        continue;
                size_t *count = map_get(state->evicted, meta->uid);
                if (!count) {
                        count = xcalloc(1, sizeof(*count));
                        map_put(state->evicted, meta->uid, count);
                }
                *count += is_over;
                run_add_at(
                        run, SLICE_EMPTY, meta->name,
                        (struct wall_time){ control_now(run->control).ns + RULE_STATUS_PERIOD_NS });
        }
}

static int device_taint_sentence(struct controller_run *run, const struct json *pod,
                                 const struct device_eviction *eviction, struct err *err) {
        struct device_eviction_state *state = run->state;
        bool is_over = eviction->when.ns <= control_now(run->control).ns;
        int r = 0;

        map_put(state->sentences, object_uid(pod), state);
        if (is_over)
                r = end_pod(run, pod, err);
        else
                run_add_at(run, object_namespace(pod), object_name(pod), eviction->when);
        if (r == 0)
                note_rules(run, eviction, is_over);
        return r;
}

static void device_taint_pardon(struct controller_run *run, const struct json *pod) {
        struct device_eviction_state *state = run->state;

        if (map_remove(state->sentences, object_uid(pod)))
                object_event(run, run->control->resource.pods, pod, "DeviceTaintManagerEviction",
                             "Cancelling deletion");
        work_queue_cancel(run->queue, object_namespace(pod), object_name(pod));
}

static int look_at_pod(struct controller_run *run, const struct json *pod, struct err *err) {
        struct device_eviction_state *state = run->state;
        struct device_eviction eviction = { 0 };
        int r = 0;

        eviction.rules = xcalloc(state->taints.rule_count + 1, sizeof(eviction.rules[0]));
        device_taint_judge_pod(run, pod, NULL, &eviction);
        if (eviction.is_due)
                r = device_taint_sentence(run, pod, &eviction, err);
        else
                device_taint_pardon(run, pod);
        free(eviction.rules);
        return r;
}

static bool queue_rule(void *context, const struct store_object *object) {
        struct controller_run *run = context;

        work_queue_add(run->queue, SLICE_EMPTY, store_object_name(object));
        return true;
}

/* DeviceTaintRules are a beta that upstream has off: here their definition comes as a custom
 * resource, some time. */
static void find_rules(struct controller_run *run) {
        struct device_eviction_state *state = run->state;
        int *number = &run->control->resource.taint_rules;

        control_resources_refresh(run->control->table);
        *number = api_server_resource(run->control->server, "resource.k8s.io", "devicetaintrules");
        state->taints.is_dirty = true;
        if (*number >= 0)
                control_each(run->control, *number, SLICE_EMPTY, queue_rule, run);
}

static int device_taint_reconcile(struct controller_run *run, struct slice ns, struct slice name,
                                  struct err *err) {
        struct device_eviction_state *state = run->state;
        struct json_doc *doc = NULL;
        int r = 0;

        if (ns.len == 0 && name.len == 0)
                find_rules(run);
        device_taints_refresh(&state->taints, run->control);
        if (ns.len == 0)
                return name.len ? device_taint_rule_report(run, name, err) : 0;
        const struct json *pod =
                control_read(run->control, run->control->resource.pods, ns, name, &doc);
        if (pod && !object_is_deleted(pod))
                r = look_at_pod(run, pod, err);
        json_doc_free(doc);
        return r;
}

const struct controller controller_device_taint_eviction = {
        .name = "device-taint-eviction-controller",
        .component = "device-taint-eviction-controller",
        .start = device_taint_start,
        .stop = device_taint_stop,
        .changed = device_taint_changed,
        .reconcile = device_taint_reconcile,
};
