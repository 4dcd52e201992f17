/* Preparation common to kinds, and of those with little of their own. */
#include "kinds/prepare.h"

#include "base/arena.h"
#include "base/util.h"
#include "kinds/check.h"
#include "kinds/defaults.h"
#include "kinds/number_annotation.h"
#include <stdio.h>

void keep_member(struct json_tree *tree, struct json_node *object, const struct json *old,
                 const char *key) {
        const struct json *value = json_get(old, key);

        if (value)
                node_put(tree, object, key, node_import(tree, value));
        else
                node_remove(object, key);
}

static bool is_prepared_apart(struct slice key) {
        return slice_is(key, "metadata") || slice_is(key, "status") ||
               slice_is(key, "apiVersion") || slice_is(key, "kind");
}

void keep_all_but_status(struct json_tree *tree, struct json_node *object, const struct json *old) {
        CLEANUP(text_set_release) struct text_set names = { 0 };
        struct json_iter members = json_iter(old);
        struct node_iter iter = node_iter(object);
        const struct json *value;
        struct slice key;

        while (json_next(&members, &key, NULL))
                text_set_add(&names, key);
        while (node_next(&iter, &key, NULL))
                if (!is_prepared_apart(key) && !text_set_has(&names, key))
                        node_drop(&iter);
        members = json_iter(old);
        while (json_next(&members, &key, &value))
                if (!is_prepared_apart(key))
                        node_set(tree, object, key, node_import(tree, value));
}

/* What pods have only where a gate is open that is shut by default. */
void drop_gated(struct json_node *pod_spec) {
        static const char *const lists[] = { "containers", "initContainers",
                                             "ephemeralContainers" };

        for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
                const struct json_node *list = node_get(pod_spec, lists[i]);

                for (size_t j = 0; j < node_count(list); j++) {
                        struct json_node *lifecycle = node_get(node_at(list, j), "lifecycle");

                        if (!node_get(lifecycle, "stopSignal"))
                                continue;
                        node_remove(lifecycle, "stopSignal");
                        if (node_count(lifecycle) == 0)
                                node_remove(node_at(list, j), "lifecycle");
                }
        }
}

PREPARE_HOOK(status_prepare) {
        const struct json_node *spec = node_get(object, "spec");

        (void)context;
        drop_gated(node_get(node_get(spec, "template"), "spec"));
        if (operation == KIND_CREATE)
                node_remove(object, "status");
        else if (operation == KIND_UPDATE)
                keep_member(tree, object, old, "status");
        else
                keep_all_but_status(tree, object, old);
}

PREPARE_HOOK(pod_group_prepare) {
        bool has_claims = (context->gates & GATE_GROUP_CLAIMS) ||
                          json_count(json_get(json_get(old, "spec"), "resourceClaims"));

        status_prepare(context, operation, tree, object, old);
        if (operation == KIND_UPDATE_STATUS && !has_claims)
                node_remove(node_get(object, "status"), "resourceClaimStatuses");
}

/* A node registers itself with its status. */
PREPARE_HOOK(node_prepare) {
        if (operation != KIND_CREATE)
                status_prepare(context, operation, tree, object, old);
        if (!json_get(json_get(old, "spec"), "configSource")) /* kubelets do not read it any more */
                node_remove(node_get(object, "spec"), "configSource");
        if (!json_get(json_get(old, "status"), "config"))
                node_remove(node_get(object, "status"), "config");
}

/* The only kind that counts changes, but not from its creation on. */
PREPARE_HOOK(csi_driver_prepare) {
        const struct json *metadata = json_get(old, "metadata");

        (void)context;
        if (operation == KIND_UPDATE && !is_same_member(object, old, "spec"))
                node_put_i64(tree, node_need_object(tree, object, "metadata"), "generation",
                             json_get_i64(metadata, "generation", 0) + 1);
}

PREPARE_HOOK(namespace_prepare) {
        struct json_node *spec = node_need_object(tree, object, "spec"), *finalizers;

        status_prepare(context, operation, tree, object, old);
        if (operation != KIND_CREATE) {
                keep_member(tree, spec, json_get(old, "spec"), "finalizers");
                return;
        }
        node_put_string(tree, node_need_object(tree, object, "status"), "phase", "Active");
        finalizers = node_need_array(tree, spec, "finalizers");
        for (size_t i = 0; i < node_count(finalizers); i++)
                if (slice_is(node_get_slice(node_at(finalizers, i)), "kubernetes"))
                        return;
        node_append(finalizers, node_string(tree, "kubernetes"));
}

/* Of the secrets of an account only names count. */
PREPARE_HOOK(service_account_prepare) {
        struct json_node *secrets = node_get(object, "secrets");

        (void)context;
        (void)operation;
        (void)old;
        (void)tree;
        for (size_t i = 0; i < node_count(secrets); i++) {
                struct node_iter iter = node_iter(node_at(secrets, i));
                struct slice key;

                while (node_next(&iter, &key, NULL))
                        if (!slice_is(key, "name"))
                                node_drop(&iter);
        }
}

/* ---- volumes ---- */

static void stamp_phase(struct kind_context *context, struct json_tree *tree,
                        struct json_node *status) {
        char now[WALL_TIME_TEXT_MAX];

        wall_time_format(context->now, now);
        node_put_string(tree, status, "lastPhaseTransitionTime", now);
}

PREPARE_HOOK(persistent_volume_prepare) {
        const struct json *old_status = json_get(old, "status");

        status_prepare(context, operation, tree, object, old);
        struct json_node *status = node_need_object(tree, object, "status");
        if (operation == KIND_CREATE) {
                node_put_string(tree, status, "phase", "Pending");
                stamp_phase(context, tree, status);
        }
        if (operation != KIND_UPDATE_STATUS)
                return;
        struct slice since = json_get_text(old_status, "lastPhaseTransitionTime");
        if (!slice_eq(json_get_text(old_status, "phase"), node_get_text(status, "phase"))) {
                if (!node_get(status, "lastPhaseTransitionTime") ||
                    slice_eq(node_get_text(status, "lastPhaseTransitionTime"), since))
                        stamp_phase(context, tree, status);
        } else if (!node_get(status, "lastPhaseTransitionTime")) {
                keep_member(tree, status, old_status, "lastPhaseTransitionTime");
        }
}

/* Claims and snapshots are what dataSource may name; all else takes dataSourceRef. */
static bool is_known_source(const struct json_node *source) {
        struct slice group = node_get_text(source, "apiGroup"),
                     kind = node_get_text(source, "kind");

        return (group.len == 0 && slice_is(kind, "PersistentVolumeClaim")) ||
               (slice_is(group, "snapshot.storage.k8s.io") && slice_is(kind, "VolumeSnapshot"));
}

static void copy_source(struct json_tree *tree, struct json_node *spec, const char *from,
                        const char *to) {
        static const char *const members[] = { "apiGroup", "kind", "name" };
        struct json_node *copy = node_object(tree);

        for (size_t i = 0; i < ARRAY_LEN(members); i++) {
                const struct json_node *value = node_get(node_get(spec, from), members[i]);

                if (value)
                        node_put(tree, copy, members[i], node_clone(tree, value));
        }
        node_put(tree, spec, to, copy);
}

/* dataSource and dataSourceRef say the same; sources in other namespaces take a gate. */
static void prepare_sources(struct json_tree *tree, struct json_node *spec,
                            const struct json *old_spec) {
        bool had_source = json_get(old_spec, "dataSource") || json_get(old_spec, "dataSourceRef");

        if (node_get_text(node_get(spec, "dataSourceRef"), "namespace").len &&
            !json_get(old_spec, "dataSourceRef"))
                node_remove(spec, "dataSourceRef");
        if (!had_source && !node_get(spec, "dataSourceRef") && node_get(spec, "dataSource") &&
            !is_known_source(node_get(spec, "dataSource")))
                node_remove(spec, "dataSource");
        if (node_get(spec, "dataSource") && !node_get(spec, "dataSourceRef"))
                copy_source(tree, spec, "dataSource", "dataSourceRef");
        else if (node_get(spec, "dataSourceRef") && !node_get(spec, "dataSource") &&
                 !node_get_text(node_get(spec, "dataSourceRef"), "namespace").len)
                copy_source(tree, spec, "dataSourceRef", "dataSource");
}

PREPARE_HOOK(persistent_volume_claim_prepare) {
        status_prepare(context, operation, tree, object, old);
        if (operation != KIND_UPDATE_STATUS)
                prepare_sources(tree, node_need_object(tree, object, "spec"),
                                json_get(old, "spec"));
        if (operation == KIND_CREATE)
                node_put_string(tree, node_need_object(tree, object, "status"), "phase", "Pending");
}

/* ---- workloads ---- */

/* The status path of deployments may set annotations but not labels. */
PREPARE_HOOK(deployment_prepare) {
        status_prepare(context, operation, tree, object, old);
        if (operation == KIND_UPDATE_STATUS) {
                keep_member(tree, node_get(object, "metadata"), json_get(old, "metadata"),
                            "labels");
                number_annotation_keep(&rollback_revision, tree, object, old);
        }
}

/* Daemon sets count the versions of their template in an annotation. */
PREPARE_HOOK(daemon_set_prepare) {
        const struct json *old_annotations = json_get(json_get(old, "metadata"), "annotations");
        int64_t generation = 0;
        char text[24];

        status_prepare(context, operation, tree, object, old);
        struct json_node *metadata = node_need_object(tree, object, "metadata");
        struct json_node *annotations = node_need_object(tree, metadata, "annotations");
        if (operation == KIND_CREATE) {
                if (!slice_to_i64(node_get_text(annotations, TEMPLATE_GENERATION), &generation) ||
                    generation < 1)
                        node_put_string(tree, annotations, TEMPLATE_GENERATION, "1");
                return;
        }
        if (!slice_to_i64(json_get_text(old_annotations, TEMPLATE_GENERATION), &generation))
                generation = 1;
        if (operation == KIND_UPDATE &&
            !is_same_member(object_at(object, "spec"), json_get(old, "spec"), "template"))
                generation++;
        snprintf(text, sizeof(text), "%lld", (long long)generation);
        node_put_string(tree, annotations, TEMPLATE_GENERATION, text);
}

/* A job without a selector of its own selects its pods by its uid. */
static void job_selector(struct json_tree *tree, struct json_node *object) {
        struct json_node *spec = node_need_object(tree, object, "spec");
        struct json_node *template = node_need_object(tree, spec, "template");
        struct json_node *labels =
                node_need_object(tree, node_need_object(tree, template, "metadata"), "labels");
        struct json_node *selector = node_need_object(tree, spec, "selector");
        struct json_node *match = node_need_object(tree, selector, "matchLabels");
        const struct json_node *metadata = node_get(object, "metadata");
        const struct {
                const char *label;
                struct slice value;
        } marks[] = {
                { "job-name", node_get_text(metadata, "name") },
                { "batch.kubernetes.io/job-name", node_get_text(metadata, "name") },
                { "controller-uid", node_get_text(metadata, "uid") },
                { "batch.kubernetes.io/controller-uid", node_get_text(metadata, "uid") },
        };

        for (size_t i = 0; i < ARRAY_LEN(marks); i++)
                if (!node_get(labels, marks[i].label))
                        node_put_text(tree, labels, marks[i].label, marks[i].value);
        if (!node_get(match, marks[3].label))
                node_put_text(tree, match, marks[3].label, marks[3].value);
}

/* Labels that a job took from its template by default are one map upstream: what is added to the
 * template's is among the job's. */
static void share_job_labels(struct json_tree *tree, struct json_node *object) {
        const struct json_node *template = node_get(node_get(object, "spec"), "template");
        const struct json_node *labels = node_get(node_get(template, "metadata"), "labels");

        node_put(tree, node_need_object(tree, object, "metadata"), "labels",
                 node_clone(tree, labels));
}

PREPARE_HOOK(job_prepare) {
        bool is_sharing = !context->has_labels &&
                          node_count(node_get(node_get(object, "metadata"), "labels"));

        status_prepare(context, operation, tree, object, old);
        if (operation != KIND_CREATE ||
            node_is_true(node_get(object_at(object, "spec"), "manualSelector")))
                return;
        job_selector(tree, object);
        if (is_sharing)
                share_job_labels(tree, object);
}

/* ---- devices ---- */

static void stamp_taints(struct json_tree *tree, struct json_node *taints, const char *now) {
        struct node_iter iter = node_iter(taints);
        struct json_node *taint;

        while (node_next(&iter, NULL, &taint))
                if (!node_get(taint, "timeAdded"))
                        node_put_string(tree, taint, "timeAdded", now);
}

PREPARE_HOOK(resource_slice_prepare) {
        struct node_iter devices = node_iter(node_get(node_get(object, "spec"), "devices"));
        struct json_node *device;
        char now[WALL_TIME_TEXT_MAX];

        (void)operation, (void)old;
        wall_time_format(context->now, now);
        while (node_next(&devices, NULL, &device))
                stamp_taints(tree, node_get(device, "taints"), now);
}

/* The version that objects are stored in counts as stored from then on. */
PREPARE_HOOK(custom_resource_definition_prepare) {
        struct node_iter versions = node_iter(node_get(node_get(object, "spec"), "versions"));
        struct json_node *version;

        status_prepare(context, operation, tree, object, old);
        if (operation == KIND_UPDATE_STATUS)
                return;
        while (node_next(&versions, NULL, &version)) {
                struct slice name = node_get_text(version, "name");

                if (!node_is_true(node_get(version, "storage")))
                        continue;
                struct json_node *stored = node_need_array(
                        tree, node_need_object(tree, object, "status"), "storedVersions");
                for (size_t i = 0; i < node_count(stored); i++)
                        if (slice_eq(node_get_slice(node_at(stored, i)), name))
                                return;
                node_append(stored, node_text(tree, name));
                return;
        }
}
