/* Disruption budgets: how many of the pods that a budget covers may be disrupted now. */
#include "base/map.h"
#include "base/util.h"
#include "control/budget_math.h"
#include "control/pod_owner.h"
#include <stdlib.h>

#define DISRUPTION_TIMEOUT_NS (120 * NS_PER_S) /* a promised deletion must have begun by then */
#define POD_KEY_PREFIX "pod:"                  /* keys of pods, beside those of budgets */

/* Selector of a budget, cached in decoded form because every change of a pod needs it. */
struct budget_selector {
        struct arena arena;
        struct json_doc *doc;
        struct selector selector;
        bool is_valid;
};

struct budget_place { /* budgets of one namespace */
        struct map *selectors;
};

/* ---- selectors ---- */

static void selector_free(struct budget_selector *selector) {
        if (!selector)
                return;
        arena_release(&selector->arena);
        json_doc_free(selector->doc);
        free(selector);
}

static void place_free(struct budget_place *place) {
        size_t at = 0;
        void *selector;

        while (map_next(place->selectors, &at, NULL, &selector))
                selector_free(selector);
        map_free(place->selectors);
        free(place);
}

static void disruption_start(struct controller_run *run) {
        run->state = map_new();
}

static void disruption_stop(struct controller_run *run) {
        size_t at = 0;
        void *place;

        while (map_next(run->state, &at, NULL, &place))
                place_free(place);
        map_free(run->state);
}

static struct budget_selector *selector_new(const struct store_object *object) {
        struct budget_selector *selector = xcalloc(1, sizeof(*selector));

        arena_init(&selector->arena, 512);
        if (json_parse(store_object_body(object), &selector->doc, NULL) < 0)
                return selector;
        const struct json *spec = json_get(json_doc_root(selector->doc), "spec");
        selector->is_valid = selector_decode(json_get(spec, "selector"), &selector->arena,
                                             &selector->selector, NULL) == 0;
        return selector;
}

static void budget_changed(struct controller_run *run, const struct store_event *event) {
        struct slice ns = store_object_ns(event->object), name = store_object_name(event->object);
        struct budget_place *place = map_get(run->state, ns);

        if (!place) {
                place = xcalloc(1, sizeof(*place));
                place->selectors = map_new();
                map_put(run->state, ns, place);
        }
        if (event->type == STORE_DELETED) {
                selector_free(map_remove(place->selectors, name));
                return;
        }
        selector_free(map_put(place->selectors, name, selector_new(event->object)));
        work_queue_add(run->queue, ns, name);
}

/* ---- hearing ---- */

static void queue_matching(struct controller_run *run, const struct json *pod) {
        struct budget_place *place = map_get(run->state, object_namespace(pod));
        struct arena arena;
        struct slice name;
        void *value;
        size_t at = 0;

        if (!place || map_count(place->selectors) == 0)
                return;
        arena_init(&arena, 1024);
        struct label_list labels =
                label_list_decode(json_get(json_get(pod, "metadata"), "labels"), &arena);
        while (map_next(place->selectors, &at, &name, &value)) {
                const struct budget_selector *selector = value;

                if (selector->is_valid && selector_matches(&selector->selector, labels))
                        work_queue_add(run->queue, object_namespace(pod), name);
        }
        arena_release(&arena);
}

static void queue_all(struct controller_run *run, struct slice ns) {
        struct budget_place *place = map_get(run->state, ns);
        struct slice name;
        size_t at = 0;

        while (place && map_next(place->selectors, &at, &name, NULL))
                work_queue_add(run->queue, ns, name);
}

static void pod_changed(struct controller_run *run, struct change *change) {
        const struct store_event *event = change->event;
        struct buf key = { 0 };

        queue_matching(run, change_object(change));
        if (event->previous && event->type != STORE_DELETED &&
            !json_equal(json_get(json_get(change_object(change), "metadata"), "labels"),
                        json_get(json_get(change_previous(change), "metadata"), "labels")))
                queue_matching(run, change_previous(change));
        if (event->type == STORE_DELETED || !object_mentions(event->object, "\"DisruptionTarget\""))
                return;
        buf_printf(&key, POD_KEY_PREFIX SLICE_FMT, SLICE_ARG(store_object_name(event->object)));
        work_queue_add(run->queue, store_object_ns(event->object), buf_view(&key));
        buf_release(&key);
}

static bool is_resized(struct change *change) {
        return !json_equal(json_get(json_get(change_object(change), "spec"), "replicas"),
                           json_get(json_get(change_previous(change), "spec"), "replicas"));
}

static void disruption_changed(struct controller_run *run, struct change *change) {
        const struct resource_numbers *number = &run->control->resource;
        int resource = change->resource;

        if (resource == number->budgets)
                budget_changed(run, change->event);
        else if (resource == number->pods)
                pod_changed(run, change);
        else if ((resource == number->replica_sets || resource == number->deployments ||
                  resource == number->stateful_sets ||
                  resource == number->replication_controllers) &&
                 is_resized(change))
                queue_all(run, store_object_ns(change->event->object));
}

/* ---- one budget ---- */

struct budget_sync {
        struct controller_run *run;
        const struct json *budget;
        struct arena *arena;
        struct wall_time now;
        struct selector selector;
        struct pod_list pods;
        struct map *owners; /* controllers seen, by uid */
        int64_t scale;
        struct wall_time due; /* when a disrupted pod is forgotten */
        bool has_unmanaged;   /* a pod without controller was seen */
};

static void find_pods(struct budget_sync *sync) {
        const struct object_index *index = sync->run->control->index;
        const struct entry_list *lists[2];
        size_t most = 0;

        for (int i = 0; i < 2; i++) {
                lists[i] = object_index_pods(index, object_namespace(sync->budget), i);
                most += lists[i] ? lists[i]->count : 0;
        }
        sync->pods.items = ARENA_ARRAY(sync->arena, struct object_entry *, most);
        for (int i = 0; i < 2; i++) {
                for (struct entry_link *link = lists[i] ? lists[i]->first : NULL; link;
                     link = link->after)
                        if (pod_entry_matches(index, link->entry, &sync->selector))
                                sync->pods.items[sync->pods.count++] = link->entry;
        }
}

static int fail_scale(const struct json *reference, struct err *err) {
        return err_set(err, BERTH_ERR_NOT_FOUND,
                       SLICE_FMT " \"" SLICE_FMT "\" has no scale that could be read",
                       SLICE_ARG(json_get_text(reference, "kind")),
                       SLICE_ARG(json_get_text(reference, "name")));
}

/* What a controller wants: a replica set of a deployment answers with what that wants. */
static int scale_of(struct budget_sync *sync, const struct json *reference, int64_t *ret_scale,
                    struct err *err) {
        const struct control *control = sync->run->control;
        const struct resource_entry *kind = control_resources_find_kind(
                control->table, api_version_group(json_get_text(reference, "apiVersion")),
                json_get_text(reference, "kind"));
        struct json_doc *doc = NULL;
        int r = 0;

        const struct json *object =
                kind ? control_read(control, kind->resource, object_namespace(sync->budget),
                                    json_get_text(reference, "name"), &doc)
                     : NULL;
        if (!object || !slice_eq(object_uid(object), json_get_text(reference, "uid"))) {
                json_doc_free(doc);
                return fail_scale(reference, err);
        }
        const struct json *above =
                kind->resource == control->resource.replica_sets ? object_controller(object) : NULL;
        const struct json *replicas = json_get(json_get(object, "spec"), "replicas");
        if (above)
                r = scale_of(sync, above, ret_scale, err);
        else if (!json_as_i64(replicas, ret_scale))
                r = fail_scale(reference, err);
        json_doc_free(doc);
        return r;
}

static int add_scale(struct budget_sync *sync, const struct object_entry *entry, struct err *err) {
        struct json_doc *doc = NULL;
        int64_t scale = 0;

        if (!entry->controller) {
                sync->has_unmanaged = true;
                return 0;
        }
        if (map_get(sync->owners, slice_of(entry->controller->uid)))
                return 0;
        map_put(sync->owners, slice_of(entry->controller->uid), sync);
        const struct json *pod = entry_read(entry, &doc);
        int r = scale_of(sync, object_controller(pod), &scale, err);
        sync->scale += scale;
        json_doc_free(doc);
        return r;
}

/* Pods that an eviction was allowed for count as gone, until that took too long. */
static bool is_disrupted(struct budget_sync *sync, struct slice name) {
        const struct json *disrupted = json_get(json_get(sync->budget, "status"), "disruptedPods");
        struct wall_time when;

        if (!wall_time_parse(json_text(json_get_slice(disrupted, name)), &when))
                return false;
        when.ns += DISRUPTION_TIMEOUT_NS;
        if (when.ns <= sync->now.ns)
                return false;
        if (!wall_time_is_set(sync->due) || when.ns < sync->due.ns)
                sync->due = when;
        return true;
}

static int64_t count_healthy(struct budget_sync *sync) {
        int64_t healthy = 0;

        for (size_t i = 0; i < sync->pods.count; i++) {
                const struct object_entry *entry = sync->pods.items[i];

                if (!entry->pod->is_deleted && entry->pod->is_ready &&
                    !is_disrupted(sync, store_object_name(entry->object)))
                        healthy++;
        }
        return healthy;
}

/* ---- status ---- */

/* It was let go, and is there still. */
static void report_not_deleted(struct budget_sync *sync, const struct object_entry *entry) {
        struct json_doc *doc = NULL;
        struct slice ns = object_namespace(sync->budget), name = object_name(sync->budget);

        if (json_parse(store_object_body(entry->object), &doc, NULL) < 0)
                return;
        object_warning(
                sync->run, sync->run->control->resource.pods, json_doc_root(doc), "NotDeleted",
                "Pod was expected by PDB " SLICE_FMT "/" SLICE_FMT " to be deleted but it wasn't",
                SLICE_ARG(ns), SLICE_ARG(name));
        json_doc_free(doc);
}

/* Null for those that are gone, on their way, or were promised too long ago. */
static void put_disrupted(struct budget_sync *sync, struct json_tree *tree,
                          struct json_node *status) {
        const struct control *control = sync->run->control;
        struct json_iter iter =
                json_iter(json_get(json_get(sync->budget, "status"), "disruptedPods"));
        struct json_node *map = node_get(status, "disruptedPods");
        struct slice name;

        while (map && json_next(&iter, &name, NULL)) {
                const struct object_entry *entry =
                        object_index_find(control->index, control->resource.pods,
                                          object_namespace(sync->budget), name);

                if (entry && !entry->pod->is_deleted && is_disrupted(sync, name))
                        continue;
                node_set(tree, map, name, node_null(tree));
                if (entry && !entry->pod->is_deleted)
                        report_not_deleted(sync, entry);
        }
}

static void put_condition(struct budget_sync *sync, struct json_tree *tree,
                          struct json_node *status, bool is_allowed, const struct err *failure) {
        const char *reason = is_allowed ? "SufficientPods" : "InsufficientPods";
        struct json_node *condition;

        status_condition_put(
                tree, status,
                &(struct status_condition){ .type = "DisruptionAllowed",
                                            .is_true = is_allowed,
                                            .reason = failure->code < 0 ? "SyncFailed" : reason,
                                            .message = failure->code < 0 ? failure->text : "" },
                sync->now);
        struct node_iter iter = node_iter(node_get(status, "conditions"));
        while (node_next(&iter, NULL, &condition)) {
                if (slice_is(node_get_text(condition, "type"), "DisruptionAllowed"))
                        node_put_i64(tree, condition, "observedGeneration",
                                     object_generation(sync->budget));
        }
}

static int write_status(struct budget_sync *sync, const struct budget_output *output,
                        int64_t healthy, const struct err *failure, struct err *err) {
        struct json_tree *tree = json_tree_new();
        struct json_node *status = status_begin(tree, sync->budget);

        if (failure->code < 0) {
                node_put_i64(tree, status, "disruptionsAllowed", 0);
        } else {
                put_disrupted(sync, tree, status);
                node_put_i64(tree, status, "currentHealthy", healthy);
                node_put_i64(tree, status, "desiredHealthy", output->desired);
                node_put_i64(tree, status, "expectedPods", output->expected);
                node_put_i64(tree, status, "disruptionsAllowed", output->allowed);
        }
        node_put_i64(tree, status, "observedGeneration", object_generation(sync->budget));
        put_condition(sync, tree, status, failure->code == 0 && output->allowed > 0, failure);
        int r = status_write_back(sync->run, sync->run->control->resource.budgets, sync->budget,
                                  tree, status, err);
        json_tree_free(tree);
        return r;
}

static void disruption_report(struct budget_sync *sync, const struct err *failure) {
        int resource = sync->run->control->resource.budgets;
        bool is_news = json_get_i64(json_get(sync->budget, "status"), "observedGeneration", 0) !=
                       object_generation(sync->budget);

        if (is_news && sync->pods.count == 0)
                object_event(sync->run, resource, sync->budget, "NoPods", "No matching pods found");
        if (is_news && sync->has_unmanaged)
                object_warning(sync->run, resource, sync->budget, "UnmanagedPods",
                               "Pods selected by this PodDisruptionBudget were found to be "
                               "unmanaged; only a number in spec.minAvailable can cover them.");
        if (is_news && failure->code < 0)
                object_warning(sync->run, resource, sync->budget, "CalculateExpectedPodCountFailed",
                               "Failed to calculate the number of expected pods: %s",
                               failure->text);
}

static int look_at(struct budget_sync *sync, struct err *err) {
        const struct json *spec = json_get(sync->budget, "spec");
        struct budget_input input = { .min_available = json_get(spec, "minAvailable"),
                                      .max_unavailable = json_get(spec, "maxUnavailable") };
        struct budget_output output = { 0 };
        struct err failure = { 0 };
        int r = selector_decode(json_get(spec, "selector"), sync->arena, &sync->selector, err);

        if (r < 0)
                return r;
        sync->due = WALL_TIME_UNSET;
        find_pods(sync);
        for (size_t i = 0; i < sync->pods.count && r == 0 && budget_needs_scale(&input); i++)
                r = add_scale(sync, sync->pods.items[i], &failure);
        input.pods = (int64_t)sync->pods.count;
        input.scale = sync->scale;
        input.healthy = count_healthy(sync);
        if (r == 0)
                output = budget_compute(&input);
        r = write_status(sync, &output, input.healthy, &failure, err);
        if (wall_time_is_set(sync->due))
                run_add_at(sync->run, object_namespace(sync->budget), object_name(sync->budget),
                           sync->due);
        disruption_report(sync, &failure);
        return r;
}

/* ---- disruptions that did not happen ---- */

/* A pod that was to be disrupted and still runs is no target any more. */
static int forget_target(struct controller_run *run, struct slice ns, struct slice key,
                         const struct json *pod, struct err *err) {
        const struct json *condition = object_condition(pod, "DisruptionTarget");
        struct wall_time due = object_time(condition, "lastTransitionTime");
        struct object_target target = { .resource = run->control->resource.pods,
                                        .ns = ns,
                                        .name = object_name(pod) };

        if (object_is_deleted(pod) || !object_condition_is(pod, "DisruptionTarget", "True") ||
            slice_is(json_get_text(condition, "reason"), "TerminationByKubelet") ||
            !wall_time_is_set(due))
                return 0;
        due.ns += DISRUPTION_TIMEOUT_NS;
        if (due.ns > control_now(run->control).ns) {
                run_add_at(run, ns, key, due);
                return 0;
        }
        struct json_tree *tree = json_tree_new();
        struct json_node *status = status_begin(tree, pod);
        struct json_node *patch = node_object(tree);
        status_condition_put(tree, status,
                             &(struct status_condition){
                                     .type = "DisruptionTarget", .reason = "", .message = "" },
                             control_now(run->control));
        node_put(tree, patch, "conditions", node_clone(tree, node_get(status, "conditions")));
        int r = object_merge_status(run, &target, tree, patch, err);
        json_tree_free(tree);
        return r;
}

static int disruption_reconcile(struct controller_run *run, struct slice ns, struct slice name,
                                struct err *err) {
        struct control *control = run->control;
        struct slice prefix = SLICE_LITERAL(POD_KEY_PREFIX), pod_name = SLICE_EMPTY;
        bool is_pod = slice_has_prefix(name, prefix);
        struct json_doc *doc = NULL;
        struct arena arena;
        struct budget_sync sync = { .run = run, .arena = &arena, .now = control_now(control) };
        int r = 0;

        if (is_pod)
                pod_name = slice_make(name.ptr + prefix.len, name.len - prefix.len);
        const struct json *object =
                control_read(control, is_pod ? control->resource.pods : control->resource.budgets,
                             ns, is_pod ? pod_name : name, &doc);
        arena_init(&arena, 4096);
        sync.owners = map_new();
        sync.budget = object;
        if (object)
                r = is_pod ? forget_target(run, ns, name, object, err) : look_at(&sync, err);
        map_free(sync.owners);
        arena_release(&arena);
        json_doc_free(doc);
        return r;
}

const struct controller controller_disruption = {
        .name = "disruption-controller",
        .alias = "disruption",
        .component = "controllermanager",
        .start = disruption_start,
        .stop = disruption_stop,
        .changed = disruption_changed,
        .reconcile = disruption_reconcile,
};
