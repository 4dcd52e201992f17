/* ReplicaSets, and ReplicationControllers, which differ in the form of their selector only: as many
 * active pods as wanted, no more and no less. */
#include "base/util.h"
#include "control/pod_owner.h"
#include <stdlib.h>

#define BURST_MAX 500 /* pods created or deleted in one go */

static bool is_replication(const struct controller_run *run) {
        return run->controller == &controller_replication;
}

static int own_resource(const struct controller_run *run) {
        const struct resource_numbers *number = &run->control->resource;

        return is_replication(run) ? number->replication_controllers : number->replica_sets;
}

static void replica_set_changed(struct controller_run *run, struct change *change) {
        if (change->resource == own_resource(run))
                work_queue_add(run->queue, store_object_ns(change->event->object),
                               store_object_name(change->event->object));
        else if (change->resource == run->control->resource.pods)
                pod_owner_observe(run, change, own_resource(run),
                                  is_replication(run) ? "ReplicationController" : "ReplicaSet");
}

/* ---- who goes first ---- */

struct candidate {
        struct object_entry *entry;
        bool is_bound, is_ready;
        uint8_t phase_rank;
        int64_t deletion_cost, restarts;
        struct wall_time ready_since, created;
};

static int64_t restarts_of(const struct json *pod) {
        struct json_iter iter = json_iter(json_get(json_get(pod, "status"), "containerStatuses"));
        const struct json *container;
        int64_t most = 0;

        while (json_next(&iter, NULL, &container)) {
                int64_t restarts = json_get_i64(container, "restartCount", 0);

                if (restarts > most)
                        most = restarts;
        }
        return most;
}

static void read_candidate(struct object_entry *entry, struct candidate *candidate) {
        struct json_doc *doc = NULL;
        const struct json *pod = entry_read(entry, &doc);
        int64_t cost = 0;

        if (!slice_to_i64(object_annotation(pod, "controller.kubernetes.io/pod-deletion-cost"),
                          &cost))
                cost = 0;
        *candidate = (struct candidate){
                .entry = entry,
                .is_bound = entry->pod->is_bound,
                .is_ready = entry->pod->is_ready,
                .phase_rank = entry->pod->phase == PHASE_PENDING   ? 0
                              : entry->pod->phase == PHASE_UNKNOWN ? 1
                                                                   : 2,
                .deletion_cost = cost,
                .restarts = restarts_of(pod),
                .ready_since = entry->pod->ready_since,
                .created = object_created(pod),
        };
        json_doc_free(doc);
}

static int replica_set_order(int64_t a, int64_t b) {
        return a < b ? -1 : a > b;
}

/* Upstream's ActivePodsWithRanks: the pod whose end hurts least comes first. */
static int compare_candidates(const void *left, const void *right) {
        const struct candidate *a = left, *b = right;
        int r = replica_set_order(a->is_bound, b->is_bound);

        if (r == 0)
                r = replica_set_order(a->phase_rank, b->phase_rank);
        if (r == 0)
                r = replica_set_order(a->is_ready, b->is_ready);
        if (r == 0)
                r = replica_set_order(a->deletion_cost, b->deletion_cost);
        if (r == 0 && a->is_ready)
                r = replica_set_order(b->ready_since.ns, a->ready_since.ns);
        if (r == 0)
                r = replica_set_order(b->restarts, a->restarts);
        if (r == 0)
                r = replica_set_order(b->created.ns, a->created.ns);
        return r ? r
                 : slice_compare(store_object_name(a->entry->object),
                                 store_object_name(b->entry->object));
}

static int delete_pods(struct controller_run *run, const struct json *set,
                       const struct pod_list *active, size_t excess, struct err *err) {
        struct candidate *candidates = xcalloc(active->count, sizeof(candidates[0]));
        int r = 0;

        for (size_t i = 0; i < active->count; i++)
                read_candidate(active->items[i], &candidates[i]);
        qsort(candidates, active->count, sizeof(candidates[0]), compare_candidates);
        if (excess > BURST_MAX)
                excess = BURST_MAX;
        for (size_t i = 0; i < excess && r == 0; i++)
                r = pod_owner_delete(run, own_resource(run), set, candidates[i].entry, err);
        free(candidates);
        return r;
}

static int create_pods(struct controller_run *run, const struct json *set, size_t missing,
                       struct err *err) {
        int resource = own_resource(run), r = 0;
        struct json_tree *tree = json_tree_new();
        struct json_node *pod = pod_from_template(run, tree, resource, set,
                                                  json_get(json_get(set, "spec"), "template"));

        if (missing > BURST_MAX) {
                work_queue_add(run->queue, object_namespace(set), object_name(set));
                missing = BURST_MAX;
        }
        for (size_t i = 0; i < missing && r == 0; i++)
                r = pod_owner_create(run, resource, set, pod, err);
        json_tree_free(tree);
        return r;
}

/* ---- status ---- */

struct replica_set_counts {
        int64_t all, labelled, ready, available;
        struct wall_time due; /* when more become available */
};

static void count_pods(struct controller_run *run, const struct json *set,
                       const struct pod_list *active, struct arena *arena,
                       struct replica_set_counts *counts) {
        const struct json *spec = json_get(set, "spec");
        int64_t min_ready_s = json_get_i64(spec, "minReadySeconds", 0);
        struct label_list labels = label_list_decode(
                json_get(json_get(json_get(spec, "template"), "metadata"), "labels"), arena);
        struct wall_time now = control_now(run->control);

        *counts = (struct replica_set_counts){ .all = (int64_t)active->count,
                                               .due = WALL_TIME_UNSET };
        for (size_t i = 0; i < active->count; i++) {
                const struct object_entry *pod = active->items[i];
                bool is_labelled = true;

                for (size_t k = 0; k < labels.count && is_labelled; k++)
                        is_labelled = slice_eq(
                                pod_entry_label(run->control->index, pod, labels.items[k].key),
                                labels.items[k].value);
                counts->labelled += is_labelled;
                counts->ready += pod->pod->is_ready;
                counts->available += pod_entry_is_available(pod, min_ready_s, now, &counts->due);
        }
}

static int write_status(struct controller_run *run, const struct json *set,
                        const struct replica_set_counts *counts, const struct err *failure,
                        bool is_deleting, struct err *err) {
        struct json_tree *tree = json_tree_new();
        struct json_node *status = status_begin(tree, set);
        const char *reason = is_deleting ? "FailedDelete" : "FailedCreate";
        bool is_reported =
                slice_is(json_get_text(object_condition(set, "ReplicaFailure"), "reason"), reason);

        node_put_i64(tree, status, "replicas", counts->all);
        status_count(tree, status, "fullyLabeledReplicas", counts->labelled);
        status_count(tree, status, "readyReplicas", counts->ready);
        status_count(tree, status, "availableReplicas", counts->available);
        node_put_i64(tree, status, "observedGeneration", object_generation(set));
        if (failure->code < 0 && !is_reported)
                status_condition_put(tree, status,
                                     &(struct status_condition){ .type = "ReplicaFailure",
                                                                 .is_true = true,
                                                                 .reason = reason,
                                                                 .message = failure->text },
                                     control_now(run->control));
        else if (failure->code == 0)
                status_condition_remove(status, "ReplicaFailure");
        int r = status_write_back(run, own_resource(run), set, tree, status, err);
        json_tree_free(tree);
        return r;
}

/* ---- reconciling ---- */

static void keep_active(struct pod_list *pods) {
        size_t count = 0;

        for (size_t i = 0; i < pods->count; i++) {
                if (pod_entry_is_active(pods->items[i]))
                        pods->items[count++] = pods->items[i];
        }
        pods->count = count;
}

static int replica_set_balance(struct controller_run *run, const struct json *set,
                               struct arena *arena, struct err *err) {
        int resource = own_resource(run);
        int64_t wanted = json_get_i64(json_get(set, "spec"), "replicas", 1);
        struct err failure = { 0 };
        struct pod_list pods;
        struct replica_set_counts counts;
        int r = pod_owner_claim(run, resource, set, arena, &pods, err);

        if (r < 0)
                return r;
        keep_active(&pods);
        int64_t excess = (int64_t)pods.count - wanted;
        count_pods(run, set, &pods, arena, &counts);
        if (!object_is_deleted(set) && excess > 0)
                delete_pods(run, set, &pods, (size_t)excess, &failure);
        else if (!object_is_deleted(set) && excess < 0)
                create_pods(run, set, (size_t)-excess, &failure);
        r = write_status(run, set, &counts, &failure, excess > 0, err);
        if (wall_time_is_set(counts.due))
                run_add_at(run, object_namespace(set), object_name(set), counts.due);
        if (failure.code < 0 && err)
                *err = failure;
        return failure.code < 0 ? failure.code : r;
}

static int replica_set_reconcile(struct controller_run *run, struct slice ns, struct slice name,
                                 struct err *err) {
        struct json_doc *doc = NULL;
        const struct json *set = control_read(run->control, own_resource(run), ns, name, &doc);
        struct arena arena;
        int r = 0;

        arena_init(&arena, 4096);
        if (set)
                r = replica_set_balance(run, set, &arena, err);
        arena_release(&arena);
        json_doc_free(doc);
        return r;
}

const struct controller controller_replica_set = {
        .name = "replicaset-controller",
        .alias = "replicaset",
        .component = "replicaset-controller",
        .changed = replica_set_changed,
        .reconcile = replica_set_reconcile,
};

const struct controller controller_replication = {
        .name = "replicationcontroller-controller",
        .alias = "replicationcontroller",
        .component = "replication-controller",
        .changed = replica_set_changed,
        .reconcile = replica_set_reconcile,
};
