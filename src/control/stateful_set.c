/* StatefulSets: pods with numbers and names that stay, one after the other unless the policy is
 * Parallel. */
#include "base/util.h"
#include "control/revision.h"

#define POD_NAME_LABEL "statefulset.kubernetes.io/pod-name"
#define INDEX_LABEL "apps.kubernetes.io/pod-index"
#define REVISION_LABEL "controller-revision-hash"
#define REPLICAS_MAX 100000

static void stateful_set_changed(struct controller_run *run, struct change *change) {
        const struct resource_numbers *number = &run->control->resource;

        if (change->resource == number->stateful_sets)
                work_queue_add(run->queue, store_object_ns(change->event->object),
                               store_object_name(change->event->object));
        else if (change->resource == number->pods)
                pod_owner_observe(run, change, number->stateful_sets, "StatefulSet");
        else if (change->resource == number->revisions)
                owner_observe(run, change, "StatefulSet");
}

struct set_sync {
        struct controller_run *run;
        const struct json *set, *spec;
        struct arena *arena;
        struct wall_time now, due;
        int64_t wanted, first, partition, min_ready_s;
        bool is_parallel, is_on_delete;
        struct revision_list revisions;
        const struct revision *current, *update; /* of status, of the template */
        struct object_entry **ordered;           /* by number from first; NULL = absent */
        struct pod_list condemned;               /* beyond the wanted ones, highest number first */
};

/* ---- numbers ---- */

/* NAME-NUMBER of this set, or -1. */
static int64_t ordinal_of(const struct set_sync *sync, const struct object_entry *entry) {
        struct slice name = store_object_name(entry->object), set = object_name(sync->set);
        int64_t ordinal;

        if (name.len < set.len + 2 || !slice_has_prefix(name, set) || name.ptr[set.len] != '-' ||
            !slice_to_i64(slice_make(name.ptr + set.len + 1, name.len - set.len - 1), &ordinal))
                return -1;
        return ordinal;
}

static void stateful_set_condemn(struct set_sync *sync, struct object_entry *entry) {
        struct pod_list *list = &sync->condemned;
        size_t at = list->count++;

        while (at > 0 && ordinal_of(sync, list->items[at - 1]) < ordinal_of(sync, entry)) {
                list->items[at] = list->items[at - 1];
                at--;
        }
        list->items[at] = entry;
}

static int sort_pods(struct set_sync *sync, struct err *err) {
        struct pod_list pods;
        int r = pod_owner_claim(sync->run, sync->run->control->resource.stateful_sets, sync->set,
                                sync->arena, &pods, err);

        if (r < 0)
                return r;
        sync->ordered = ARENA_ARRAY(sync->arena, struct object_entry *, (size_t)sync->wanted + 1);
        sync->condemned.items = ARENA_ARRAY(sync->arena, struct object_entry *, pods.count + 1);
        for (size_t i = 0; i < pods.count; i++) {
                int64_t ordinal = ordinal_of(sync, pods.items[i]);

                if (ordinal >= sync->first && ordinal < sync->first + sync->wanted)
                        sync->ordered[ordinal - sync->first] = pods.items[i];
                else if (ordinal >= 0)
                        stateful_set_condemn(sync, pods.items[i]);
        }
        return 0;
}

static struct slice revision_of(const struct set_sync *sync, const struct object_entry *entry) {
        return pod_entry_label(sync->run->control->index, entry, SLICE_LITERAL(REVISION_LABEL));
}

static bool is_available(struct set_sync *sync, const struct object_entry *entry) {
        return entry && !entry->pod->is_deleted && entry->pod->phase == PHASE_RUNNING &&
               pod_entry_is_available(entry, sync->min_ready_s, sync->now, &sync->due);
}

/* ---- claims ---- */

static int create_claim(struct set_sync *sync, const struct json *template, const char *name,
                        struct err *err) {
        const struct control *control = sync->run->control;

        if (store_get(control->store, control->resource.claims, object_namespace(sync->set),
                      slice_of(name)))
                return 0;
        struct json_tree *tree = json_tree_new();
        struct json_node *claim = node_import(tree, template);
        struct json_node *metadata = node_need_object(tree, claim, "metadata");
        node_remove(claim, "status");
        node_put_string(tree, metadata, "name", name);
        node_put(tree, metadata, "labels",
                 node_import(tree, json_get(json_get(sync->spec, "selector"), "matchLabels")));
        int r = object_create(sync->run, control->resource.claims, object_namespace(sync->set),
                              claim, err);
        json_tree_free(tree);
        if (r == 0)
                object_event(sync->run, control->resource.stateful_sets, sync->set,
                             "SuccessfulCreate", "create Claim %s success", name);
        return r;
}

/* Claims of one pod, and the volumes that use them. */
static int put_claims(struct set_sync *sync, struct json_tree *tree, struct json_node *spec,
                      const char *pod_name, struct err *err) {
        struct json_iter iter = json_iter(json_get(sync->spec, "volumeClaimTemplates"));
        const struct json *template;

        while (json_next(&iter, NULL, &template)) {
                struct json_node *volume = node_object(tree), *volumes;
                struct slice name = object_name(template);
                char *claim = arena_printf(sync->arena, SLICE_FMT "-%s", SLICE_ARG(name), pod_name);
                int r = create_claim(sync, template, claim, err);

                if (r < 0)
                        return r;
                volumes = node_need_array(tree, spec, "volumes");
                for (size_t i = 0; i < node_count(volumes); i++) {
                        if (slice_eq(node_get_text(node_at(volumes, i), "name"), name))
                                node_remove_at(volumes, i--);
                }
                node_put_text(tree, volume, "name", name);
                node_put_string(tree, node_need_object(tree, volume, "persistentVolumeClaim"),
                                "claimName", claim);
                node_append(volumes, volume);
        }
        return 0;
}

/* ---- pods ---- */

static int create_pod(struct set_sync *sync, int64_t ordinal, const struct revision *revision,
                      struct err *err) {
        int resource = sync->run->control->resource.stateful_sets, r;
        const struct json *template = revision_template(revision);
        struct json_tree *tree = json_tree_new();
        struct json_node *pod = pod_from_template(sync->run, tree, resource, sync->set, template);
        struct json_node *metadata = node_get(pod, "metadata"), *spec = node_get(pod, "spec");
        struct json_node *labels = node_need_object(tree, metadata, "labels");
        char *name = arena_printf(sync->arena, SLICE_FMT "-%lld", SLICE_ARG(object_name(sync->set)),
                                  (long long)ordinal);

        node_put_string(tree, metadata, "name", name);
        node_put_string(tree, labels, POD_NAME_LABEL, name);
        node_put_string(tree, labels, INDEX_LABEL,
                        arena_printf(sync->arena, "%lld", (long long)ordinal));
        node_put_text(tree, labels, REVISION_LABEL, revision->name);
        node_put_string(tree, spec, "hostname", name);
        if (json_get_text(sync->spec, "serviceName").len)
                node_put_text(tree, spec, "subdomain", json_get_text(sync->spec, "serviceName"));
        r = put_claims(sync, tree, spec, name, err);
        if (r == 0)
                r = pod_owner_create(sync->run, resource, sync->set, pod, err);
        json_tree_free(tree);
        return r;
}

static int delete_pod(struct set_sync *sync, const struct object_entry *entry, struct err *err) {
        return pod_owner_delete(sync->run, sync->run->control->resource.stateful_sets, sync->set,
                                entry, err);
}

/* Pods below the partition keep the old version. */
static const struct revision *revision_for(const struct set_sync *sync, int64_t i) {
        return !sync->is_on_delete && i < sync->partition ? sync->current : sync->update;
}

/* One pod on its way to being there; *ret_waits when others have to wait for it. */
static int keep_pod(struct set_sync *sync, int64_t i, bool *ret_waits, struct err *err) {
        struct object_entry *entry = sync->ordered[i];
        bool is_over = entry &&
                       (entry->pod->phase == PHASE_FAILED || entry->pod->phase == PHASE_SUCCEEDED);
        int r = 0;

        *ret_waits = false;
        if (!entry)
                r = create_pod(sync, sync->first + i, revision_for(sync, i), err);
        else if (is_over && !entry->pod->is_deleted)
                r = delete_pod(sync, entry, err);
        else if (is_available(sync, entry))
                return 0;
        *ret_waits = !sync->is_parallel;
        return r;
}

/* From the highest number down, one at a time unless the set is parallel. */
static int drop_condemned(struct set_sync *sync, bool *ret_waits, struct err *err) {
        for (size_t i = 0; i < sync->condemned.count; i++) {
                struct object_entry *entry = sync->condemned.items[i];
                int r = entry->pod->is_deleted ? 0 : delete_pod(sync, entry, err);

                if (r < 0)
                        return r;
                if (!sync->is_parallel) {
                        *ret_waits = true;
                        return 0;
                }
        }
        return 0;
}

/* Replaces the pod with the highest number that has another version. */
static int update_one(struct set_sync *sync, struct err *err) {
        for (int64_t i = sync->wanted - 1; i >= 0 && !sync->is_on_delete; i--) {
                struct object_entry *entry = sync->ordered[i];

                if (i < sync->partition)
                        return 0;
                if (entry && !entry->pod->is_deleted &&
                    !slice_eq(revision_of(sync, entry), sync->update->name))
                        return delete_pod(sync, entry, err);
                if (!is_available(sync, entry))
                        return 0;
        }
        return 0;
}

static int stateful_set_manage(struct set_sync *sync, struct err *err) {
        bool waits = false;
        int r = 0;

        for (int64_t i = 0; i < sync->wanted && r == 0 && !waits; i++)
                r = keep_pod(sync, i, &waits, err);
        if (r < 0 || waits)
                return r;
        r = drop_condemned(sync, &waits, err);
        return r < 0 || waits ? r : update_one(sync, err);
}

/* ---- status ---- */

struct set_counts {
        int64_t all, ready, available, current, updated;
};

static void stateful_set_count(struct set_sync *sync, const struct object_entry *entry,
                               struct set_counts *counts) {
        if (!entry)
                return;
        struct slice revision = revision_of(sync, entry);
        counts->all++;
        if (entry->pod->phase == PHASE_RUNNING && entry->pod->is_ready)
                counts->ready++;
        counts->available += is_available(sync, entry);
        if (entry->pod->is_deleted)
                return;
        counts->current += slice_eq(revision, sync->current->name);
        counts->updated += slice_eq(revision, sync->update->name);
}

static int write_status(struct set_sync *sync, struct err *err) {
        struct json_tree *tree = json_tree_new();
        struct json_node *status = status_begin(tree, sync->set);
        struct set_counts counts = { 0 };

        for (int64_t i = 0; i < sync->wanted; i++)
                stateful_set_count(sync, sync->ordered[i], &counts);
        for (size_t i = 0; i < sync->condemned.count; i++)
                stateful_set_count(sync, sync->condemned.items[i], &counts);
        bool is_complete = !sync->is_on_delete && counts.updated == counts.all &&
                           counts.ready == counts.all && counts.all == sync->wanted;
        if (is_complete)
                counts.current = counts.updated;
        node_put_i64(tree, status, "observedGeneration", object_generation(sync->set));
        node_put_i64(tree, status, "replicas", counts.all);
        status_count(tree, status, "readyReplicas", counts.ready);
        node_put_i64(tree, status, "availableReplicas", counts.available);
        status_count(tree, status, "currentReplicas", counts.current);
        status_count(tree, status, "updatedReplicas", counts.updated);
        node_put_text(tree, status, "currentRevision",
                      is_complete ? sync->update->name : sync->current->name);
        node_put_text(tree, status, "updateRevision", sync->update->name);
        node_put_i64(tree, status, "collisionCount", 0);
        int r = status_write_back(sync->run, sync->run->control->resource.stateful_sets, sync->set,
                                  tree, status, err);
        json_tree_free(tree);
        return r;
}

/* ---- reconciling ---- */

static bool is_revision_used(void *context, const struct revision *revision) {
        const struct set_sync *sync = context;

        if (revision == sync->current || revision == sync->update)
                return true;
        for (int64_t i = 0; i < sync->wanted; i++) {
                if (sync->ordered[i] &&
                    slice_eq(revision_of(sync, sync->ordered[i]), revision->name))
                        return true;
        }
        return false;
}

static void stateful_set_begin(struct set_sync *sync, const struct json *set) {
        sync->set = set;
        sync->spec = json_get(set, "spec");
        const struct json *strategy = json_get(sync->spec, "updateStrategy");
        const struct json *rolling = json_get(strategy, "rollingUpdate");
        sync->now = control_now(sync->run->control);
        sync->due = WALL_TIME_UNSET;
        sync->wanted = json_get_i64(sync->spec, "replicas", 1);
        if (sync->wanted > REPLICAS_MAX)
                sync->wanted = REPLICAS_MAX;
        sync->first = json_get_i64(json_get(sync->spec, "ordinals"), "start", 0);
        sync->partition = json_get_i64(rolling, "partition", 0);
        sync->min_ready_s = json_get_i64(sync->spec, "minReadySeconds", 0);
        sync->is_parallel = slice_is(json_get_text(sync->spec, "podManagementPolicy"), "Parallel");
        sync->is_on_delete = slice_is(json_get_text(strategy, "type"), "OnDelete");
}

static int look_at(struct set_sync *sync, struct err *err) {
        struct slice current = json_get_text(json_get(sync->set, "status"), "currentRevision");
        struct revision_usage usage = { is_revision_used, sync,
                                        json_get_i64(sync->spec, "revisionHistoryLimit", 10) };
        int r = sort_pods(sync, err);

        if (r < 0)
                return r;
        sync->update = sync->revisions.current;
        sync->current = revision_find(&sync->revisions, current);
        if (!sync->current)
                sync->current = sync->update;
        r = write_status(sync, err);
        if (r == 0 && !object_is_deleted(sync->set))
                r = revision_forget(sync->run, sync->set, &sync->revisions, &usage, err);
        if (r == 0 && !object_is_deleted(sync->set))
                r = stateful_set_manage(sync, err);
        if (wall_time_is_set(sync->due))
                run_add_at(sync->run, object_namespace(sync->set), object_name(sync->set),
                           sync->due);
        return r;
}

static int stateful_set_reconcile(struct controller_run *run, struct slice ns, struct slice name,
                                  struct err *err) {
        int resource = run->control->resource.stateful_sets, r = 0;
        struct json_doc *doc = NULL;
        const struct json *set = control_read(run->control, resource, ns, name, &doc);
        struct arena arena;
        struct set_sync sync = { .run = run, .arena = &arena };

        if (!set)
                return 0;
        arena_init(&arena, 4096);
        stateful_set_begin(&sync, set);
        r = revision_sync(run, resource, set, &arena, &sync.revisions, err);
        if (r == 0) {
                r = look_at(&sync, err);
                revision_list_release(&sync.revisions);
        }
        arena_release(&arena);
        json_doc_free(doc);
        return r;
}

const struct controller controller_stateful_set = {
        .name = "statefulset-controller",
        .alias = "statefulset",
        .component = "statefulset-controller",
        .changed = stateful_set_changed,
        .reconcile = stateful_set_reconcile,
};
