/* DaemonSets: one pod on every node that the template fits. */
#include "base/map.h"
#include "base/util.h"
#include "control/node_match.h"
#include "control/revision.h"

#define HASH_LABEL "controller-revision-hash"
#define GENERATION_LABEL "pod-template-generation"
#define GENERATION_ANNOTATION "deprecated.daemonset.template.generation"
#define BURST_MAX 500

/* ---- hearing ---- */

static bool queue_set(void *context, const struct store_object *object) {
        struct controller_run *run = context;

        work_queue_add(run->queue, store_object_ns(object), store_object_name(object));
        return true;
}

/* Only what decides about placement; heartbeats come all the time. */
static bool is_node_news(struct change *change) {
        if (change->event->type != STORE_MODIFIED)
                return true;
        const struct json *now = change_object(change);
        const struct json *before = change_previous(change);
        return !json_equal(json_get(now, "spec"), json_get(before, "spec")) ||
               !json_equal(json_get(json_get(now, "metadata"), "labels"),
                           json_get(json_get(before, "metadata"), "labels"));
}

static void daemon_set_changed(struct controller_run *run, struct change *change) {
        const struct resource_numbers *number = &run->control->resource;

        if (change->resource == number->daemon_sets)
                work_queue_add(run->queue, store_object_ns(change->event->object),
                               store_object_name(change->event->object));
        else if (change->resource == number->pods)
                pod_owner_observe(run, change, number->daemon_sets, "DaemonSet");
        else if (change->resource == number->revisions)
                owner_observe(run, change, "DaemonSet");
        else if (change->resource == number->nodes &&
                 store_count(run->control->store, number->daemon_sets) && is_node_news(change))
                control_each(run->control, number->daemon_sets, SLICE_EMPTY, queue_set, run);
}

/* ---- one look ---- */

/* Pods of one node. */
struct daemon_node {
        struct object_entry *fresh, *old; /* active ones, of the present template and of others */
        struct object_entry *surplus;     /* more than one: this goes */
        bool is_wanted, is_ending;        /* ending: a pod of it is being deleted */
};

struct daemon_sync {
        struct controller_run *run;
        const struct json *set, *spec;
        struct arena *arena;
        struct wall_time now, due;
        struct pod_spec pod_spec;
        struct revision_list revisions;
        struct map *nodes; /* struct daemon_node by node name */
        int64_t min_ready_s, max_unavailable;
        int64_t desired, scheduled, misplaced, ready, updated, available; /* status */
        size_t created;
};

/* The tolerations that every daemon has, so that trouble on a node does not drive it away. */
static const char *const daemon_tolerations[][2] = {
        { "node.kubernetes.io/not-ready", "NoExecute" },
        { "node.kubernetes.io/unreachable", "NoExecute" },
        { "node.kubernetes.io/disk-pressure", "NoSchedule" },
        { "node.kubernetes.io/memory-pressure", "NoSchedule" },
        { "node.kubernetes.io/pid-pressure", "NoSchedule" },
        { "node.kubernetes.io/unschedulable", "NoSchedule" },
        { "node.kubernetes.io/network-unavailable", "NoSchedule" }, /* host network only */
};

static size_t toleration_count(const struct daemon_sync *sync) {
        return ARRAY_LEN(daemon_tolerations) - (sync->pod_spec.uses_host_network ? 0 : 1);
}

static bool is_always_tolerated(const struct daemon_sync *sync, const struct taint *taint) {
        for (size_t i = 0; i < toleration_count(sync); i++) {
                if (slice_is(taint->key, daemon_tolerations[i][0]) &&
                    slice_is(slice_of(taint_effect_name(taint->effect)), daemon_tolerations[i][1]))
                        return true;
        }
        return false;
}

/* Whether a pod should start there, and whether one that is there may stay. */
static void judge_node(const struct daemon_sync *sync, const struct node *node, bool *ret_runs,
                       bool *ret_stays) {
        *ret_runs = *ret_stays = node_selected_by(&sync->pod_spec, node);
        for (size_t i = 0; i < node->taint_count; i++) {
                const struct taint *taint = &node->taints[i];

                if (taint->effect != TAINT_NO_SCHEDULE && taint->effect != TAINT_NO_EXECUTE)
                        continue;
                if (taint_is_tolerated(&sync->pod_spec, taint) || is_always_tolerated(sync, taint))
                        continue;
                *ret_runs = false;
                if (taint->effect == TAINT_NO_EXECUTE)
                        *ret_stays = false;
        }
}

/* ---- pods by node ---- */

/* The node of a pod that is not bound yet stands in the affinity it was made with. */
static struct slice intended_node(const struct json *pod) {
        const struct json *required =
                json_get(json_get(json_get(json_get(pod, "spec"), "affinity"), "nodeAffinity"),
                         "requiredDuringSchedulingIgnoredDuringExecution");
        const struct json *term = json_at(json_get(required, "nodeSelectorTerms"), 0);
        const struct json *field = json_at(json_get(term, "matchFields"), 0);

        if (!slice_is(json_get_text(field, "key"), "metadata.name"))
                return SLICE_EMPTY;
        return json_text(json_at(json_get(field, "values"), 0));
}

static struct daemon_node *node_of(struct daemon_sync *sync, struct slice name) {
        struct daemon_node *node = map_get(sync->nodes, name);

        if (!node) {
                node = ARENA_NEW(sync->arena, struct daemon_node);
                map_put(sync->nodes, name, node);
        }
        return node;
}

static bool is_fresh(const struct daemon_sync *sync, const struct object_entry *entry) {
        return slice_eq(
                pod_entry_label(sync->run->control->index, entry, SLICE_LITERAL(HASH_LABEL)),
                sync->revisions.current->hash);
}

static int place_pod(struct daemon_sync *sync, struct object_entry *entry, struct err *err) {
        struct json_doc *doc = NULL;
        const struct json *pod = entry_read(entry, &doc);
        struct slice name = json_get_text(json_get(pod, "spec"), "nodeName");
        struct daemon_node *node = node_of(sync, name.len ? name : intended_node(pod));
        struct object_entry **place = is_fresh(sync, entry) ? &node->fresh : &node->old;
        int resource = sync->run->control->resource.daemon_sets, r = 0;

        if (entry->pod->is_deleted) {
                node->is_ending = true;
        } else if (entry->pod->phase == PHASE_FAILED || entry->pod->phase == PHASE_SUCCEEDED) {
                node->is_ending = true;
                object_warning(sync->run, resource, sync->set, "FailedDaemonPod",
                               "Found failed daemon pod " SLICE_FMT "/" SLICE_FMT
                               " on node " SLICE_FMT ", will try to kill it",
                               SLICE_ARG(object_namespace(pod)), SLICE_ARG(object_name(pod)),
                               SLICE_ARG(name));
                r = pod_owner_delete(sync->run, resource, sync->set, entry, err);
        } else if (*place) {
                node->surplus = entry;
        } else {
                *place = entry;
        }
        json_doc_free(doc);
        return r;
}

/* ---- creating ---- */

static void put_affinity(struct json_tree *tree, struct json_node *spec, struct slice node) {
        struct json_node *affinity = node_need_object(tree, spec, "affinity");
        struct json_node *field = node_object(tree), *term, *terms, *required;

        affinity = node_need_object(tree, affinity, "nodeAffinity");
        required =
                node_need_object(tree, affinity, "requiredDuringSchedulingIgnoredDuringExecution");
        terms = node_need_array(tree, required, "nodeSelectorTerms");
        node_put_string(tree, field, "key", "metadata.name");
        node_put_string(tree, field, "operator", "In");
        node_append(node_need_array(tree, field, "values"), node_text(tree, node));
        if (node_count(terms) == 0)
                node_append(terms, node_object(tree));
        for (size_t i = 0; i < node_count(terms); i++) {
                term = node_at(terms, i);
                struct json_node *fields = node_array(tree);
                node_append(fields, node_clone(tree, field));
                node_put(tree, term, "matchFields", fields);
        }
}

static void put_tolerations(struct daemon_sync *sync, struct json_tree *tree,
                            struct json_node *spec) {
        struct json_node *list = node_need_array(tree, spec, "tolerations");

        for (size_t i = 0; i < toleration_count(sync); i++) {
                struct json_node *toleration = node_object(tree);

                node_put_string(tree, toleration, "key", daemon_tolerations[i][0]);
                node_put_string(tree, toleration, "operator", "Exists");
                node_put_string(tree, toleration, "effect", daemon_tolerations[i][1]);
                node_append(list, toleration);
        }
}

static int create_pod(struct daemon_sync *sync, struct slice node, struct err *err) {
        int resource = sync->run->control->resource.daemon_sets, r;
        struct json_tree *tree = json_tree_new();
        struct json_node *pod = pod_from_template(sync->run, tree, resource, sync->set,
                                                  json_get(sync->spec, "template"));
        struct json_node *labels = node_need_object(tree, node_get(pod, "metadata"), "labels");
        struct slice generation = object_annotation(sync->set, GENERATION_ANNOTATION);

        node_put_text(tree, labels, HASH_LABEL, sync->revisions.current->hash);
        if (generation.len)
                node_put_text(tree, labels, GENERATION_LABEL, generation);
        put_affinity(tree, node_get(pod, "spec"), node);
        put_tolerations(sync, tree, node_get(pod, "spec"));
        r = pod_owner_create(sync->run, resource, sync->set, pod, err);
        json_tree_free(tree);
        sync->created++;
        return r;
}

static int delete_pod(struct daemon_sync *sync, const struct object_entry *entry, struct err *err) {
        return pod_owner_delete(sync->run, sync->run->control->resource.daemon_sets, sync->set,
                                entry, err);
}

/* ---- nodes ---- */

static bool is_available(struct daemon_sync *sync, const struct object_entry *entry) {
        return entry && pod_entry_is_available(entry, sync->min_ready_s, sync->now, &sync->due);
}

static void count_node(struct daemon_sync *sync, const struct daemon_node *node, bool runs) {
        const struct object_entry *pod = node->fresh ? node->fresh : node->old;

        if (!runs) {
                sync->misplaced += !!pod;
                return;
        }
        sync->desired++;
        if (!pod)
                return;
        sync->scheduled++;
        sync->ready += pod->pod->is_ready;
        sync->updated += !!node->fresh;
        sync->available += is_available(sync, pod);
}

static int delete_if(struct daemon_sync *sync, bool is_meant, const struct object_entry *entry,
                     struct err *err) {
        return is_meant && entry ? delete_pod(sync, entry, err) : 0;
}

static int daemon_set_balance(struct daemon_sync *sync, const struct daemon_node *node,
                              struct slice name, bool stays, struct err *err) {
        bool is_free = !node->fresh && !node->old && !node->is_ending;
        int r = delete_if(sync, !stays, node->fresh, err);

        if (r == 0)
                r = delete_if(sync, !stays, node->old, err);
        if (r == 0)
                r = delete_if(sync, stays, node->surplus, err);
        if (r == 0 && node->is_wanted && is_free && sync->created < BURST_MAX)
                r = create_pod(sync, name, err);
        return r;
}

/* Brings one node to where it should be, but for updates. */
static int keep_node(struct daemon_sync *sync, const struct json *object, struct err *err) {
        struct daemon_node *node = node_of(sync, object_name(object));
        struct arena arena;
        struct node decoded;
        bool runs = false, stays = false;

        arena_init(&arena, 2048);
        int r = node_decode(object, &arena, &decoded, err);
        if (r == 0)
                judge_node(sync, &decoded, &runs, &stays);
        arena_release(&arena);
        if (r < 0)
                return r;
        node->is_wanted = runs;
        count_node(sync, node, runs);
        return object_is_deleted(sync->set)
                       ? 0
                       : daemon_set_balance(sync, node, object_name(object), stays, err);
}

struct keeping {
        struct daemon_sync *sync;
        struct err *err;
        int r;
};

static bool keep_one(void *context, const struct store_object *object) {
        struct keeping *keeping = context;
        struct json_doc *doc = NULL;

        if (json_parse(store_object_body(object), &doc, NULL) == 0)
                keeping->r = keep_node(keeping->sync, json_doc_root(doc), keeping->err);
        json_doc_free(doc);
        return keeping->r == 0;
}

/* ---- rolling update ---- */

/* Old pods go while no more than so many nodes are without an available one. */
static int daemon_set_update(struct daemon_sync *sync, struct err *err) {
        const struct json *strategy = json_get(sync->spec, "updateStrategy");
        int64_t budget = sync->max_unavailable - (sync->desired - sync->available);
        size_t at = 0;
        void *value;

        if (slice_is(json_get_text(strategy, "type"), "OnDelete"))
                return 0;
        while (map_next(sync->nodes, &at, NULL, &value)) {
                struct daemon_node *node = value;

                if (!node->is_wanted || !node->old || node->fresh)
                        continue;
                bool was_available = is_available(sync, node->old);
                if (was_available && budget <= 0)
                        continue;
                int r = delete_pod(sync, node->old, err);
                if (r < 0)
                        return r;
                budget -= was_available;
        }
        return 0;
}

/* ---- status ---- */

static int write_status(struct daemon_sync *sync, struct err *err) {
        struct json_tree *tree = json_tree_new();
        struct json_node *status = status_begin(tree, sync->set);
        int64_t missing = sync->desired - sync->available;

        node_put_i64(tree, status, "observedGeneration", object_generation(sync->set));
        node_put_i64(tree, status, "desiredNumberScheduled", sync->desired);
        node_put_i64(tree, status, "currentNumberScheduled", sync->scheduled);
        node_put_i64(tree, status, "numberMisscheduled", sync->misplaced);
        node_put_i64(tree, status, "numberReady", sync->ready);
        status_count(tree, status, "updatedNumberScheduled", sync->updated);
        status_count(tree, status, "numberAvailable", sync->available);
        status_count(tree, status, "numberUnavailable", missing > 0 ? missing : 0);
        int r = status_write_back(sync->run, sync->run->control->resource.daemon_sets, sync->set,
                                  tree, status, err);
        json_tree_free(tree);
        return r;
}

/* ---- reconciling ---- */

static int daemon_set_begin(struct daemon_sync *sync, const struct json *set, struct err *err) {

        sync->set = set;
        sync->spec = json_get(set, "spec");
        sync->now = control_now(sync->run->control);
        sync->due = WALL_TIME_UNSET;
        sync->min_ready_s = json_get_i64(sync->spec, "minReadySeconds", 0);
        int r = pod_spec_decode(json_get(json_get(sync->spec, "template"), "spec"), sync->arena,
                                &sync->pod_spec, err);
        if (r < 0)
                return r;
        const struct json *rolling =
                json_get(json_get(sync->spec, "updateStrategy"), "rollingUpdate");
        sync->max_unavailable = int_or_percent(
                json_get(rolling, "maxUnavailable"),
                (int64_t)store_count(sync->run->control->store, sync->run->control->resource.nodes),
                true, 1);
        if (sync->max_unavailable < 1)
                sync->max_unavailable = 1;
        return 0;
}

static int look_at(struct daemon_sync *sync, struct err *err) {
        struct control *control = sync->run->control;
        struct keeping keeping = { .sync = sync, .err = err };
        struct pod_list pods = { 0 };
        int r = pod_owner_claim(sync->run, control->resource.daemon_sets, sync->set, sync->arena,
                                &pods, err);

        for (size_t i = 0; i < pods.count && r == 0; i++)
                r = place_pod(sync, pods.items[i], err);
        if (r < 0)
                return r;
        control_each(control, control->resource.nodes, SLICE_EMPTY, keep_one, &keeping);
        if (keeping.r == 0 && !object_is_deleted(sync->set))
                keeping.r = daemon_set_update(sync, err);
        r = write_status(sync, err);
        if (wall_time_is_set(sync->due))
                run_add_at(sync->run, object_namespace(sync->set), object_name(sync->set),
                           sync->due);
        return keeping.r < 0 ? keeping.r : r;
}

static int daemon_set_reconcile(struct controller_run *run, struct slice ns, struct slice name,
                                struct err *err) {
        int resource = run->control->resource.daemon_sets, r;
        struct json_doc *doc = NULL;
        const struct json *set = control_read(run->control, resource, ns, name, &doc);
        struct arena arena;
        struct daemon_sync sync = { .run = run, .arena = &arena };

        if (!set)
                return 0;
        arena_init(&arena, 8192);
        sync.nodes = map_new();
        r = daemon_set_begin(&sync, set, err);
        if (r == 0)
                r = revision_sync(run, resource, set, &arena, &sync.revisions, err);
        if (r == 0) {
                r = look_at(&sync, err);
                revision_list_release(&sync.revisions);
        }
        if (sync.created >= BURST_MAX)
                work_queue_add(run->queue, ns, name);
        map_free(sync.nodes);
        arena_release(&arena);
        json_doc_free(doc);
        return r;
}

const struct controller controller_daemon_set = {
        .name = "daemonset-controller",
        .alias = "daemonset",
        .component = "daemonset-controller",
        .changed = daemon_set_changed,
        .reconcile = daemon_set_reconcile,
};
