/* Persistent volumes: claims get volumes that are there, or simulated new ones; volumes whose claim
 * is gone are released or deleted. */
#include "base/util.h"
#include "control/pod_owner.h"
#include "control/volume_match.h"

#define BIND_COMPLETED "pv.kubernetes.io/bind-completed"
#define BOUND_BY_CONTROLLER "pv.kubernetes.io/bound-by-controller"
#define PROVISIONED_BY "pv.kubernetes.io/provisioned-by"
#define SELECTED_NODE "volume.kubernetes.io/selected-node"
#define DEFAULT_CLASS "storageclass.kubernetes.io/is-default-class"
#define ZONE_LABEL "topology.kubernetes.io/zone"
#define NO_PROVISIONER "kubernetes.io/no-provisioner"

/* ---- hearing ---- */

/* Volumes are cluster objects, so an empty namespace distinguishes them from claims. */
static void queue_volume(struct controller_run *run, struct slice name) {
        if (name.len)
                work_queue_add(run->queue, SLICE_EMPTY, name);
}

static bool queue_if_unbound(void *context, const struct store_object *object) {
        struct controller_run *run = context;

        if (!object_mentions(object, "\"volumeName\""))
                work_queue_add(run->queue, store_object_ns(object), store_object_name(object));
        return true;
}

static void volume_binder_changed(struct controller_run *run, struct change *change) {
        const struct resource_numbers *number = &run->control->resource;
        const struct store_event *event = change->event;

        if (change->resource == number->claims) {
                queue_volume(run,
                             json_get_text(json_get(change_object(change), "spec"), "volumeName"));
                if (event->type != STORE_DELETED)
                        work_queue_add(run->queue, store_object_ns(event->object),
                                       store_object_name(event->object));
        } else if (change->resource == number->volumes) {
                const struct json *reference =
                        json_get(json_get(change_object(change), "spec"), "claimRef");

                queue_volume(run, store_object_name(event->object));
                if (reference)
                        work_queue_add(run->queue, json_get_text(reference, "namespace"),
                                       json_get_text(reference, "name"));
                else
                        control_each(run->control, number->claims, SLICE_EMPTY, queue_if_unbound,
                                     run);
        } else if (change->resource == number->storage_classes && event->type != STORE_DELETED) {
                control_each(run->control, number->claims, SLICE_EMPTY, queue_if_unbound, run);
        }
}

/* ---- a claim ---- */

struct volume_binder_binding {
        struct controller_run *run;
        const struct json *claim, *spec;
        struct arena *arena;
        struct slice storage_class;
        struct json_doc *class_doc;
        const struct json *class; /* NULL = none of that name */
        struct json_doc *volume_doc;
        const struct json *volume; /* the best so far */
};

static struct object_target claim_target(const struct volume_binder_binding *binding) {
        return (struct object_target){ .resource = binding->run->control->resource.claims,
                                       .ns = object_namespace(binding->claim),
                                       .name = object_name(binding->claim) };
}

static bool find_default(void *context, const struct store_object *object) {
        struct volume_binder_binding *binding = context;

        if (!object_mentions(object, DEFAULT_CLASS) ||
            json_parse(store_object_body(object), &binding->class_doc, NULL) < 0)
                return true;
        binding->class = json_doc_root(binding->class_doc);
        if (slice_is(object_annotation(binding->class, DEFAULT_CLASS), "true"))
                return false;
        json_doc_free(binding->class_doc);
        binding->class_doc = NULL;
        binding->class = NULL;
        return true;
}

/* A claim that names no class takes the default one; "" is a name, too. */
static int find_class(struct volume_binder_binding *binding, struct err *err) {
        struct control *control = binding->run->control;
        struct object_target target = claim_target(binding);

        if (json_get(binding->spec, "storageClassName")) {
                binding->storage_class = json_get_text(binding->spec, "storageClassName");
                binding->class =
                        control_read(control, control->resource.storage_classes, SLICE_EMPTY,
                                     binding->storage_class, &binding->class_doc);
                return 0;
        }
        control_each(control, control->resource.storage_classes, SLICE_EMPTY, find_default,
                     binding);
        if (!binding->class)
                return 0;
        binding->storage_class = object_name(binding->class);
        struct json_tree *tree = json_tree_new();
        struct json_node *patch = node_object(tree);
        node_put_text(tree, node_need_object(tree, patch, "spec"), "storageClassName",
                      binding->storage_class);
        int r = object_merge(binding->run, &target, patch, err);
        json_tree_free(tree);
        return r;
}

static bool waits_for_pod(const struct volume_binder_binding *binding) {
        return slice_is(json_get_text(binding->class, "volumeBindingMode"),
                        "WaitForFirstConsumer") &&
               object_annotation(binding->claim, SELECTED_NODE).len == 0;
}

/* What was meant for the claim comes first, then the smallest that suits. */
static bool volume_binder_consider(void *context, const struct store_object *object) {
        struct volume_binder_binding *binding = context;
        struct json_doc *doc = NULL;

        if (json_parse(store_object_body(object), &doc, NULL) < 0)
                return true;
        const struct json *volume = json_doc_root(doc);
        bool is_meant = volume_is_meant_for(volume, binding->claim);
        bool is_better =
                is_meant ||
                (!waits_for_pod(binding) &&
                 volume_suits(volume, binding->claim, binding->storage_class, binding->arena) &&
                 (!binding->volume || volume_is_smaller(volume, binding->volume)));
        if (is_better) {
                json_doc_free(binding->volume_doc);
                binding->volume_doc = doc;
                binding->volume = volume;
        } else {
                json_doc_free(doc);
        }
        return !is_meant;
}

static void put_annotation(struct json_tree *tree, struct json_node *object, const char *key,
                           const char *value) {
        struct json_node *metadata = node_need_object(tree, object, "metadata");

        node_put_string(tree, node_need_object(tree, metadata, "annotations"), key, value);
}

static void put_claim_reference(const struct volume_binder_binding *binding, struct json_tree *tree,
                                struct json_node *spec) {
        struct json_node *reference = node_need_object(tree, spec, "claimRef");

        node_put_string(tree, reference, "apiVersion", "v1");
        node_put_string(tree, reference, "kind", "PersistentVolumeClaim");
        node_put_text(tree, reference, "namespace", object_namespace(binding->claim));
        node_put_text(tree, reference, "name", object_name(binding->claim));
        node_put_text(tree, reference, "uid", object_uid(binding->claim));
}

static int bind_volume(struct volume_binder_binding *binding, struct err *err) {
        struct object_target target = { .resource = binding->run->control->resource.volumes,
                                        .name = object_name(binding->volume) };
        const struct json *reference = json_get(json_get(binding->volume, "spec"), "claimRef");

        if (json_get_text(reference, "uid").len)
                return 0;
        struct json_tree *tree = json_tree_new();
        struct json_node *patch = node_object(tree);
        if (!reference)
                put_annotation(tree, patch, BOUND_BY_CONTROLLER, "yes");
        put_claim_reference(binding, tree, node_need_object(tree, patch, "spec"));
        int r = object_merge(binding->run, &target, patch, err);
        json_tree_free(tree);
        return r;
}

static int bind_claim(struct volume_binder_binding *binding, struct err *err) {
        const struct json *volume_spec = json_get(binding->volume, "spec");
        struct object_target target = claim_target(binding);
        struct json_tree *tree = json_tree_new();
        struct json_node *patch = node_object(tree), *status;
        int r = 0;

        if (json_get_text(binding->spec, "volumeName").len == 0) {
                put_annotation(tree, patch, BOUND_BY_CONTROLLER, "yes");
                node_put_text(tree, node_need_object(tree, patch, "spec"), "volumeName",
                              object_name(binding->volume));
        }
        if (object_annotation(binding->claim, BIND_COMPLETED).len == 0) {
                put_annotation(tree, patch, BIND_COMPLETED, "yes");
                r = object_merge(binding->run, &target, patch, err);
        }
        if (r == 0 &&
            !slice_is(json_get_text(json_get(binding->claim, "status"), "phase"), "Bound")) {
                status = node_object(tree);
                node_put_string(tree, status, "phase", "Bound");
                node_put(tree, status, "accessModes",
                         node_import(tree, json_get(volume_spec, "accessModes")));
                node_put(tree, status, "capacity",
                         node_import(tree, json_get(volume_spec, "capacity")));
                r = object_merge_status(binding->run, &target, tree, status, err);
        }
        json_tree_free(tree);
        return r;
}

/* ---- provisioning ---- */

/* Where the pod will be, its volume must be reachable: in that node's zone. */
static void put_zone(struct volume_binder_binding *binding, struct json_tree *tree,
                     struct json_node *spec) {
        struct control *control = binding->run->control;
        struct json_doc *doc = NULL;
        const struct json *node =
                control_read(control, control->resource.nodes, SLICE_EMPTY,
                             object_annotation(binding->claim, SELECTED_NODE), &doc);
        struct slice zone =
                json_get_text(json_get(json_get(node, "metadata"), "labels"), ZONE_LABEL);
        struct json_node *term, *expression, *required;

        if (zone.len) {
                term = node_object(tree);
                expression = node_object(tree);
                node_put_string(tree, expression, "key", ZONE_LABEL);
                node_put_string(tree, expression, "operator", "In");
                node_append(node_need_array(tree, expression, "values"), node_text(tree, zone));
                node_append(node_need_array(tree, term, "matchExpressions"), expression);
                required = node_need_object(tree, node_need_object(tree, spec, "nodeAffinity"),
                                            "required");
                node_append(node_need_array(tree, required, "nodeSelectorTerms"), term);
        }
        json_doc_free(doc);
}

static struct json_node *new_volume(struct volume_binder_binding *binding, struct json_tree *tree,
                                    const char *name) {
        struct slice provisioner = json_get_text(binding->class, "provisioner");
        struct slice policy = json_get_text(binding->class, "reclaimPolicy");
        const struct json *requests = json_get(json_get(binding->spec, "resources"), "requests");
        struct json_node *volume = node_object(tree), *spec, *source;

        put_annotation(tree, volume, PROVISIONED_BY, arena_string(binding->arena, provisioner));
        node_put_string(tree, node_get(volume, "metadata"), "name", name);
        spec = node_need_object(tree, volume, "spec");
        node_put_text(tree, node_need_object(tree, spec, "capacity"), "storage",
                      json_get_text(requests, "storage"));
        node_put(tree, spec, "accessModes",
                 node_import(tree, json_get(binding->spec, "accessModes")));
        if (json_get(binding->spec, "volumeMode"))
                node_put_text(tree, spec, "volumeMode", json_get_text(binding->spec, "volumeMode"));
        node_put_text(tree, spec, "storageClassName", binding->storage_class);
        node_put_text(tree, spec, "persistentVolumeReclaimPolicy",
                      policy.len ? policy : SLICE_LITERAL("Delete"));
        source = node_need_object(tree, spec, "csi");
        node_put_text(tree, source, "driver", provisioner);
        node_put_string(tree, source, "volumeHandle", name);
        put_claim_reference(binding, tree, spec);
        put_zone(binding, tree, spec);
        return volume;
}

static int volume_binder_provision(struct volume_binder_binding *binding, struct err *err) {
        const struct resource_numbers *number = &binding->run->control->resource;
        char *name = arena_printf(binding->arena, "pvc-" SLICE_FMT,
                                  SLICE_ARG(object_uid(binding->claim)));
        struct json_tree *tree = json_tree_new();
        int r = object_create_read(binding->run, number->volumes, SLICE_EMPTY,
                                   new_volume(binding, tree, name), &binding->volume_doc, err);

        json_tree_free(tree);
        if (r < 0)
                return r;
        binding->volume = json_doc_root(binding->volume_doc);
        object_event(binding->run, number->claims, binding->claim, "ProvisioningSucceeded",
                     "Successfully provisioned volume %s", name);
        return bind_claim(binding, err);
}

static int bind_or_provision(struct volume_binder_binding *binding, struct err *err) {
        int claims = binding->run->control->resource.claims, r;
        struct slice provisioner = json_get_text(binding->class, "provisioner");

        control_each(binding->run->control, binding->run->control->resource.volumes, SLICE_EMPTY,
                     volume_binder_consider, binding);
        if (binding->volume) {
                r = bind_volume(binding, err);
                return r < 0 ? r : bind_claim(binding, err);
        }
        if (!binding->class || slice_is(provisioner, NO_PROVISIONER))
                object_event(binding->run, claims, binding->claim, "FailedBinding",
                             "no persistent volumes available for this claim and no storage class "
                             "is set");
        else if (waits_for_pod(binding))
                object_event(binding->run, claims, binding->claim, "WaitForFirstConsumer",
                             "waiting for first consumer to be created before binding");
        else
                return volume_binder_provision(binding, err);
        return 0;
}

/* The claim names its volume already. */
static int volume_binder_complete(struct volume_binder_binding *binding, struct err *err) {
        struct control *control = binding->run->control;
        struct object_target target = claim_target(binding);
        int r;

        binding->volume =
                control_read(control, control->resource.volumes, SLICE_EMPTY,
                             json_get_text(binding->spec, "volumeName"), &binding->volume_doc);
        if (binding->volume && (!json_get(json_get(binding->volume, "spec"), "claimRef") ||
                                volume_is_meant_for(binding->volume, binding->claim))) {
                r = bind_volume(binding, err);
                return r < 0 ? r : bind_claim(binding, err);
        }
        if (object_annotation(binding->claim, BIND_COMPLETED).len == 0)
                return 0;
        struct json_tree *tree = json_tree_new();
        struct json_node *status = node_object(tree);
        node_put_string(tree, status, "phase", "Lost");
        r = object_merge_status(binding->run, &target, tree, status, err);
        json_tree_free(tree);
        return r;
}

static int keep_claim(struct controller_run *run, const struct json *claim, struct err *err) {
        struct arena arena;
        struct volume_binder_binding binding = {
                .run = run, .claim = claim, .spec = json_get(claim, "spec"), .arena = &arena
        };
        int r;

        arena_init(&arena, 2048);
        if (json_get_text(binding.spec, "volumeName").len) {
                r = volume_binder_complete(&binding, err);
        } else {
                r = find_class(&binding, err);
                if (r == 0)
                        r = bind_or_provision(&binding, err);
        }
        json_doc_free(binding.class_doc);
        json_doc_free(binding.volume_doc);
        arena_release(&arena);
        return r;
}

/* ---- a volume ---- */

static bool has_claim(struct controller_run *run, const struct json *reference) {
        struct control *control = run->control;
        struct json_doc *doc = NULL;
        const struct json *claim = control_read(control, control->resource.claims,
                                                json_get_text(reference, "namespace"),
                                                json_get_text(reference, "name"), &doc);
        bool is_there = claim && slice_eq(object_uid(claim), json_get_text(reference, "uid"));

        json_doc_free(doc);
        return is_there;
}

static int put_phase(struct controller_run *run, const struct json *volume, const char *phase,
                     struct err *err) {
        struct object_target target = { .resource = run->control->resource.volumes,
                                        .name = object_name(volume) };

        if (slice_is(json_get_text(json_get(volume, "status"), "phase"), phase))
                return 0;
        struct json_tree *tree = json_tree_new();
        struct json_node *status = node_object(tree);
        node_put_string(tree, status, "phase", phase);
        int r = object_merge_status(run, &target, tree, status, err);
        json_tree_free(tree);
        return r;
}

static int keep_volume(struct controller_run *run, const struct json *volume, struct err *err) {
        const struct json *spec = json_get(volume, "spec");
        const struct json *reference = json_get(spec, "claimRef");
        struct object_target target = { .resource = run->control->resource.volumes,
                                        .name = object_name(volume) };

        if (json_get_text(reference, "uid").len == 0)
                return put_phase(run, volume, "Available", err);
        if (has_claim(run, reference))
                return put_phase(run, volume, "Bound", err);
        int r = put_phase(run, volume, "Released", err);
        if (r < 0 || object_is_deleted(volume) ||
            !slice_is(json_get_text(spec, "persistentVolumeReclaimPolicy"), "Delete"))
                return r;
        return object_delete(run, &target, NULL, err);
}

static int volume_binder_reconcile(struct controller_run *run, struct slice ns, struct slice name,
                                   struct err *err) {
        const struct resource_numbers *number = &run->control->resource;
        struct json_doc *doc = NULL;
        const struct json *object = control_read(
                run->control, ns.len ? number->claims : number->volumes, ns, name, &doc);
        int r = 0;

        if (object && (!object_is_deleted(object) || ns.len == 0))
                r = ns.len ? keep_claim(run, object, err) : keep_volume(run, object, err);
        json_doc_free(doc);
        return r;
}

const struct controller controller_volume_binder = {
        .name = "persistentvolume-binder-controller",
        .alias = "persistentvolume-binder",
        .component = "persistentvolume-controller",
        .changed = volume_binder_changed,
        .reconcile = volume_binder_reconcile,
};
