/* Deployments: one replica set per version of the template, scaled from old to new. */
#include "base/util.h"
#include "control/deployment_priv.h"
#include <stdlib.h>

/* ---- hearing ---- */

/* Recreate waits for the last old pod to be gone. */
static void pod_gone(struct controller_run *run, struct change *change) {
        const struct json *reference = object_controller(change_object(change));
        struct json_doc *doc = NULL;

        if (!reference || !slice_is(json_get_text(reference, "kind"), "ReplicaSet"))
                return;
        const struct json *set = control_read(run->control, run->control->resource.replica_sets,
                                              store_object_ns(change->event->object),
                                              json_get_text(reference, "name"), &doc);
        const struct json *owner = object_controller(set);
        if (owner && slice_is(json_get_text(owner, "kind"), "Deployment"))
                work_queue_add(run->queue, object_namespace(set), json_get_text(owner, "name"));
        json_doc_free(doc);
}

static void deployment_changed(struct controller_run *run, struct change *change) {
        const struct resource_numbers *number = &run->control->resource;

        if (change->resource == number->deployments)
                work_queue_add(run->queue, store_object_ns(change->event->object),
                               store_object_name(change->event->object));
        else if (change->resource == number->replica_sets)
                owner_observe(run, change, "Deployment");
        else if (change->resource == number->pods && change->event->type == STORE_DELETED)
                pod_gone(run, change);
}

/* ---- replica sets ---- */

static int64_t deployment_annotated(const struct json *object, const char *key) {
        int64_t value = 0;

        return slice_to_i64(object_annotation(object, key), &value) ? value : 0;
}

static void read_set(struct rollout_set *set) {
        const struct json *status = json_get(set->set, "status");

        set->name = object_name(set->set);
        set->wanted = json_get_i64(json_get(set->set, "spec"), "replicas", 0);
        set->replicas = json_get_i64(status, "replicas", 0);
        set->ready = json_get_i64(status, "readyReplicas", 0);
        set->available = json_get_i64(status, "availableReplicas", 0);
        set->revision = deployment_annotated(set->set, REVISION_KEY);
        set->created = object_created(set->set);
        set->has_desired = object_annotation(set->set, DESIRED_KEY).len > 0;
        set->desired = deployment_annotated(set->set, DESIRED_KEY);
        set->max = deployment_annotated(set->set, MAX_KEY);
}

static int compare_sets(const void *left, const void *right) {
        const struct rollout_set *a = left, *b = right;

        if (a->created.ns != b->created.ns)
                return a->created.ns < b->created.ns ? -1 : 1;
        return a->revision < b->revision ? -1 : a->revision > b->revision;
}

static void find_sets(struct rollout *rollout) {
        const struct control *control = rollout->run->control;
        const struct entry_list *owned =
                object_index_dependents(control->index, object_uid(rollout->deployment));

        rollout->sets =
                ARENA_ARRAY(rollout->arena, struct rollout_set, (owned ? owned->count : 0) + 1);
        for (struct entry_link *link = owned ? owned->first : NULL; link; link = link->after) {
                struct rollout_set *set = &rollout->sets[rollout->count];

                if (link->entry->object->resource != control->resource.replica_sets ||
                    !link->entry->controller || link->list != &link->entry->controller->dependents)
                        continue;
                set->set = entry_read(link->entry, &set->doc);
                read_set(set);
                rollout->count++;
        }
        qsort(rollout->sets, rollout->count, sizeof(rollout->sets[0]), compare_sets);
}

/* ---- adoption ---- */

struct set_adoption {
        struct rollout *rollout;
        struct selector selector;
};

/* Replica sets left behind by a deployment that was deleted without them. */
static bool adopt_if_selected(void *context, const struct store_object *object) {
        struct set_adoption *adoption = context;
        struct rollout *rollout = adoption->rollout;
        struct object_target target = { .resource = object->resource,
                                        .ns = store_object_ns(object),
                                        .name = store_object_name(object) };
        struct json_doc *doc = NULL;
        struct json_tree *tree;
        struct json_node *patch;

        if (object_mentions(object, "\"ownerReferences\"") ||
            json_parse(store_object_body(object), &doc, NULL) < 0)
                return true;
        struct label_list labels = label_list_decode(
                json_get(json_get(json_doc_root(doc), "metadata"), "labels"), rollout->arena);
        if (!object_is_deleted(json_doc_root(doc)) &&
            selector_matches(&adoption->selector, labels)) {
                tree = json_tree_new();
                patch = node_object(tree);
                put_controller(rollout->run, tree, node_need_object(tree, patch, "metadata"),
                               rollout->run->control->resource.deployments, rollout->deployment);
                object_merge(rollout->run, &target, patch, NULL);
                json_tree_free(tree);
        }
        json_doc_free(doc);
        return true;
}

/* Only a deployment that has none yet looks for them. */
static void adopt_sets(struct rollout *rollout) {
        const struct control *control = rollout->run->control;
        const struct entry_list *owned =
                object_index_dependents(control->index, object_uid(rollout->deployment));
        struct set_adoption adoption = { .rollout = rollout };

        if ((owned && owned->count) || object_is_deleted(rollout->deployment) ||
            selector_decode(json_get(rollout->spec, "selector"), rollout->arena, &adoption.selector,
                            NULL) < 0 ||
            selector_is_empty(&adoption.selector))
                return;
        control_each(control, control->resource.replica_sets, object_namespace(rollout->deployment),
                     adopt_if_selected, &adoption);
}

/* ---- templates ---- */

/* The template without the label of its replica set. */
static struct json_node *bare_template(struct json_tree *tree, const struct json *template) {
        struct json_node *copy = node_import(tree, template);
        struct json_node *metadata = node_get(copy, "metadata");

        node_remove(node_get(metadata, "labels"), HASH_LABEL);
        if (node_count(node_get(metadata, "labels")) == 0)
                node_remove(metadata, "labels");
        return copy;
}

static void find_fresh(struct rollout *rollout) {
        struct json_tree *tree = json_tree_new();
        struct json_node *wanted = bare_template(tree, json_get(rollout->spec, "template"));

        for (size_t i = 0; i < rollout->count && !rollout->fresh; i++) {
                const struct json *spec = json_get(rollout->sets[i].set, "spec");

                if (node_equal(bare_template(tree, json_get(spec, "template")), wanted))
                        rollout->fresh = &rollout->sets[i];
        }
        json_tree_free(tree);
}

static int64_t next_revision(const struct rollout *rollout) {
        int64_t last = 0;

        for (size_t i = 0; i < rollout->count; i++) {
                if (&rollout->sets[i] != rollout->fresh && rollout->sets[i].revision > last)
                        last = rollout->sets[i].revision;
        }
        return last + 1;
}

static bool is_private_annotation(struct slice key) {
        static const char *const keys[] = { "kubectl.kubernetes.io/last-applied-configuration",
                                            REVISION_KEY,
                                            DESIRED_KEY,
                                            MAX_KEY,
                                            "deployment.kubernetes.io/revision-history",
                                            "deprecated.deployment.rollback.to" };

        for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
                if (slice_is(key, keys[i]))
                        return true;
        }
        return false;
}

static void put_set_annotations(struct rollout *rollout, struct json_tree *tree,
                                struct json_node *metadata) {
        struct json_node *annotations = node_need_object(tree, metadata, "annotations");
        struct json_iter iter =
                json_iter(json_get(json_get(rollout->deployment, "metadata"), "annotations"));
        int64_t surge = rollout->is_recreate ? 0 : rollout->max_surge;
        const struct json *value;
        struct slice key;

        while (json_next(&iter, &key, &value)) {
                if (!is_private_annotation(key))
                        node_set(tree, annotations, key, node_import(tree, value));
        }
        node_put_string(tree, annotations, REVISION_KEY,
                        arena_printf(rollout->arena, "%lld", (long long)next_revision(rollout)));
        node_put_string(tree, annotations, DESIRED_KEY,
                        arena_printf(rollout->arena, "%lld", (long long)rollout->wanted));
        node_put_string(tree, annotations, MAX_KEY,
                        arena_printf(rollout->arena, "%lld", (long long)(rollout->wanted + surge)));
}

static int64_t first_size(const struct rollout *rollout) {
        int64_t total = 0, spare;

        if (rollout->is_recreate)
                return rollout->wanted;
        for (size_t i = 0; i < rollout->count; i++)
                total += rollout->sets[i].wanted;
        spare = rollout->wanted + rollout->max_surge - total;
        if (spare < 0)
                spare = 0;
        return spare < rollout->wanted ? spare : rollout->wanted;
}

static struct json_node *set_node(struct rollout *rollout, struct json_tree *tree,
                                  const char *hash) {
        struct json_node *set = node_object(tree), *template, *metadata, *spec, *selector;

        metadata = node_need_object(tree, set, "metadata");
        node_put_string(tree, metadata, "name",
                        arena_printf(rollout->arena, SLICE_FMT "-%s",
                                     SLICE_ARG(object_name(rollout->deployment)), hash));
        put_controller(rollout->run, tree, metadata, rollout->run->control->resource.deployments,
                       rollout->deployment);
        put_set_annotations(rollout, tree, metadata);
        spec = node_need_object(tree, set, "spec");
        template = node_import(tree, json_get(rollout->spec, "template"));
        node_put_string(
                tree,
                node_need_object(tree, node_need_object(tree, template, "metadata"), "labels"),
                HASH_LABEL, hash);
        node_put(tree, metadata, "labels",
                 node_clone(tree, node_get(node_get(template, "metadata"), "labels")));
        selector = node_import(tree, json_get(rollout->spec, "selector"));
        node_put_string(tree, node_need_object(tree, selector, "matchLabels"), HASH_LABEL, hash);
        node_put_i64(tree, spec, "replicas", first_size(rollout));
        node_put_i64(tree, spec, "minReadySeconds",
                     json_get_i64(rollout->spec, "minReadySeconds", 0));
        node_put(tree, spec, "selector", selector);
        node_put(tree, spec, "template", template);
        return set;
}

static int create_fresh(struct rollout *rollout, struct err *err) {
        const struct resource_numbers *number = &rollout->run->control->resource;
        struct rollout_set *fresh = &rollout->sets[rollout->count];
        struct json_tree *tree = json_tree_new();
        struct err failure = { 0 };
        char hash[TEMPLATE_HASH_SIZE];

        template_hash(json_get(rollout->spec, "template"), rollout->collisions, hash);
        int r = object_create_read(rollout->run, number->replica_sets,
                                   object_namespace(rollout->deployment),
                                   set_node(rollout, tree, hash), &fresh->doc, &failure);
        json_tree_free(tree);
        if (r == BERTH_ERR_EXISTS)
                rollout->collisions++; /* another name the next time */
        if (r < 0) {
                if (err)
                        *err = failure;
                return r;
        }
        fresh->set = json_doc_root(fresh->doc);
        read_set(fresh);
        rollout->count++;
        rollout->fresh = fresh;
        rollout->progress_reason = "NewReplicaSetCreated";
        rollout->progress_message =
                arena_printf(rollout->arena, "Created new replica set \"" SLICE_FMT "\"",
                             SLICE_ARG(fresh->name));
        if (fresh->wanted > 0)
                object_event(rollout->run, number->deployments, rollout->deployment,
                             "ScalingReplicaSet",
                             "Scaled up replica set " SLICE_FMT " from 0 to %lld",
                             SLICE_ARG(fresh->name), (long long)fresh->wanted);
        return 0;
}

/* ---- revisions ---- */

static int patch_annotation(struct rollout *rollout, const struct object_target *target,
                            const char *key, const char *value, struct err *err) {
        struct json_tree *tree = json_tree_new();
        struct json_node *patch = node_object(tree);
        struct json_node *metadata = node_need_object(tree, patch, "metadata");

        node_put_string(tree, node_need_object(tree, metadata, "annotations"), key, value);
        int r = object_merge(rollout->run, target, patch, err);
        json_tree_free(tree);
        return r;
}

/* A set that is in use again (rollback) becomes the youngest. */
static int keep_revisions(struct rollout *rollout, struct err *err) {
        const struct resource_numbers *number = &rollout->run->control->resource;
        struct slice ns = object_namespace(rollout->deployment);
        int64_t revision = next_revision(rollout);
        char *text;
        int r = 0;

        if (rollout->fresh->revision < revision) {
                text = arena_printf(rollout->arena, "%lld", (long long)revision);
                r = patch_annotation(rollout,
                                     &(struct object_target){ .resource = number->replica_sets,
                                                              .ns = ns,
                                                              .name = rollout->fresh->name },
                                     REVISION_KEY, text, err);
                rollout->fresh->revision = revision;
        }
        if (r < 0 ||
            deployment_annotated(rollout->deployment, REVISION_KEY) == rollout->fresh->revision)
                return r;
        text = arena_printf(rollout->arena, "%lld", (long long)rollout->fresh->revision);
        return patch_annotation(rollout,
                                &(struct object_target){ .resource = number->deployments,
                                                         .ns = ns,
                                                         .name = object_name(rollout->deployment) },
                                REVISION_KEY, text, err);
}

static int forget_old(struct rollout *rollout, struct err *err) {
        int64_t limit = json_get_i64(rollout->spec, "revisionHistoryLimit", 10);
        int64_t excess = (int64_t)rollout->count - 1 - limit;

        for (size_t i = 0; i < rollout->count && excess > 0; i++) {
                struct rollout_set *set = &rollout->sets[i];

                if (set == rollout->fresh)
                        continue;
                excess--;
                if (set->wanted || set->replicas || object_is_deleted(set->set))
                        continue;
                int r = object_delete(
                        rollout->run,
                        &(struct object_target){
                                .resource = rollout->run->control->resource.replica_sets,
                                .ns = object_namespace(rollout->deployment),
                                .name = set->name },
                        &(struct object_deletion){ .propagation = "Background" }, err);
                if (r < 0)
                        return r;
        }
        return 0;
}

/* ---- reconciling ---- */

static void deployment_begin(struct rollout *rollout, const struct json *deployment) {
        rollout->deployment = deployment;
        rollout->spec = json_get(deployment, "spec");
        const struct json *strategy = json_get(rollout->spec, "strategy");
        const struct json *rolling = json_get(strategy, "rollingUpdate");
        rollout->now = control_now(rollout->run->control);
        rollout->wanted = json_get_i64(rollout->spec, "replicas", 1);
        rollout->is_paused = json_get_bool(rollout->spec, "paused", false);
        rollout->is_recreate = slice_is(json_get_text(strategy, "type"), "Recreate");
        rollout->max_surge =
                int_or_percent(json_get(rolling, "maxSurge"), rollout->wanted, true, 0);
        rollout->max_unavailable =
                int_or_percent(json_get(rolling, "maxUnavailable"), rollout->wanted, false, 0);
        if (rollout->max_surge == 0 && rollout->max_unavailable == 0)
                rollout->max_unavailable = 1;
        if (rollout->is_recreate)
                rollout->max_surge = rollout->max_unavailable = 0;
        rollout->collisions = json_get_i64(json_get(deployment, "status"), "collisionCount", 0);
        adopt_sets(rollout);
        find_sets(rollout);
        find_fresh(rollout);
}

static bool is_resized(const struct rollout *rollout) {
        for (size_t i = 0; i < rollout->count; i++) {
                const struct rollout_set *set = &rollout->sets[i];

                if (set->wanted > 0 && set->has_desired && set->desired != rollout->wanted)
                        return true;
        }
        return false;
}

static int deployment_act(struct rollout *rollout, struct err *err) {
        int r = 0;

        if (rollout->is_paused || is_resized(rollout)) {
                r = rollout_spread(rollout, err);
                if (r < 0 || rollout->is_paused)
                        return r;
        }
        if (rollout->is_recreate) {
                r = rollout_stop_old(rollout, err);
                if (r < 0 || rollout_has_old_pods(rollout))
                        return r;
        }
        if (!rollout->fresh)
                r = create_fresh(rollout, err);
        if (r < 0 || !rollout->fresh)
                return r;
        r = keep_revisions(rollout, err);
        if (r == 0)
                r = rollout_step(rollout, err);
        if (r == 0 && rollout_is_complete(rollout))
                r = forget_old(rollout, err);
        return r;
}

static int deployment_reconcile(struct controller_run *run, struct slice ns, struct slice name,
                                struct err *err) {
        struct json_doc *doc = NULL;
        const struct json *deployment =
                control_read(run->control, run->control->resource.deployments, ns, name, &doc);
        struct arena arena;
        struct rollout rollout = { .run = run, .arena = &arena };
        struct err failure = { 0 };
        int r = 0, status;

        if (!deployment)
                return 0;
        arena_init(&arena, 4096);
        deployment_begin(&rollout, deployment);
        if (!object_is_deleted(deployment))
                r = deployment_act(&rollout, &failure);
        status = rollout_write_status(&rollout, r < 0 ? NULL : &failure);
        for (size_t i = 0; i < rollout.count; i++)
                json_doc_free(rollout.sets[i].doc);
        arena_release(&arena);
        json_doc_free(doc);
        if ((r < 0 || status < 0) && err)
                *err = failure;
        return r < 0 ? r : status;
}

const struct controller controller_deployment = {
        .name = "deployment-controller",
        .alias = "deployment",
        .component = "deployment-controller",
        .changed = deployment_changed,
        .reconcile = deployment_reconcile,
};
