/* The objects operations make: templates, names, and what servers fill in. */
#include "sim/perf_objects.h"
#include "base/util.h"
#include "sim/perf_devices.h"
#include "sim/perf_feed.h"
#include <stdio.h>

#define HOSTNAME_LABEL "kubernetes.io/hostname"

static const char default_node[] =
        "{\"kind\":\"Node\",\"metadata\":{\"generateName\":\"scheduler-perf-\"},\"status\":{"
        "\"capacity\":{\"pods\":\"110\",\"cpu\":\"4\",\"memory\":\"32Gi\"}}}";
static const char default_pod[] =
        "{\"kind\":\"Pod\",\"metadata\":{\"generateName\":\"pod-\"},\"spec\":{\"containers\":[{"
        "\"name\":\"pause\",\"image\":\"registry.k8s.io/pause:3.10.2\",\"resources\":{"
        "\"requests\":{\"cpu\":\"100m\",\"memory\":\"500Mi\"}}}]}}";

int perf_make(struct perf_run *run, struct slice template_name, const struct perf_place *place,
              struct json_tree **ret_tree, struct err *err) {
        struct perf_template *template;
        if (slice_is_empty(template_name))
                return json_tree_parse(slice_of(place->is_node ? default_node : default_pod),
                                       ret_tree, err);
        int code = perf_run_template(run, template_name, &template, err);
        return code < 0 ? code
                        : perf_template_make(template, place->index, place->count, ret_tree, err);
}

/* ---- nodes ---- */

static void label_node(struct json_tree *tree, const struct json *strategy, int64_t index) {
        const struct json *values = json_get(strategy, "labelValues");
        struct slice value = json_get_text(strategy, "labelValue");
        struct json_node *meta = node_need_object(tree, json_tree_root(tree), "metadata");
        struct json_node *labels = node_need_object(tree, meta, "labels");
        if (json_count(values) > 0)
                value = json_text(json_at(values, (size_t)index % json_count(values)));
        if (labels)
                node_set(tree, labels, json_get_text(strategy, "labelKey"), node_text(tree, value));
}

/* What a kubelet and the API server fill in: the name as a label, and that all there is can be
 * used. */
static void complete_node(struct json_tree *tree, const struct json *extra) {
        struct json_node *meta = node_need_object(tree, json_tree_root(tree), "metadata");
        struct json_node *labels = node_need_object(tree, meta, "labels");
        struct json_node *status = node_need_object(tree, json_tree_root(tree), "status");
        struct json_iter iter = json_iter(extra);
        const struct json *amount;
        struct slice key;
        if (!node_get(labels, HOSTNAME_LABEL))
                node_put_text(tree, labels, HOSTNAME_LABEL, node_get_text(meta, "name"));
        if (!node_get(status, "allocatable") && node_get(status, "capacity"))
                node_put(tree, status, "allocatable",
                         node_clone(tree, node_get(status, "capacity")));
        struct json_node *allocatable = node_need_object(tree, status, "allocatable");
        while (json_next(&iter, &key, &amount))
                node_set(tree, allocatable, key, node_import(tree, amount));
}

static int put_csi_node(struct perf_run *run, struct slice name, const struct json *strategy,
                        struct err *err) {
        CLEANUP(cleanup_json_tree) struct json_tree *tree = json_tree_new();
        struct json_node *root = node_object(tree), *drivers = node_array(tree);
        struct json_iter iter = json_iter(json_get(strategy, "csiNodeAllocatable"));
        const struct json *item;
        struct slice driver;
        json_tree_set_root(tree, root);
        struct json_node *meta = node_need_object(tree, root, "metadata");
        node_put_text(tree, meta, "name", name);
        while (json_next(&iter, &driver, &item)) {
                struct json_node *entry = node_object(tree);
                node_put_text(tree, entry, "name", driver);
                node_put_text(tree, entry, "nodeID", name);
                node_put(tree, entry, "allocatable", node_import(tree, item));
                node_append(drivers, entry);
        }
        node_put(tree, node_need_object(tree, root, "spec"), "drivers", drivers);
        CLEANUP(buf_release) struct buf migrated = { 0 };
        iter = json_iter(json_get(strategy, "migratedPlugins"));
        while (json_next(&iter, NULL, &item)) {
                if (migrated.len > 0)
                        buf_char(&migrated, ',');
                buf_slice(&migrated, json_text(item));
        }
        if (migrated.len > 0)
                node_put_text(tree, node_need_object(tree, meta, "annotations"),
                              "storage.alpha.kubernetes.io/migrated-plugins", buf_view(&migrated));
        return perf_world_put_object(&run->world, CACHED_CSI_NODE, root, err);
}

int perf_create_node(struct perf_run *run, const struct json *operation,
                     const struct perf_place *place, struct err *err) {
        const struct json *labels = json_get(operation, "labelNodePrepareStrategy");
        const struct json *amounts = json_get(operation, "nodeAllocatableStrategy");
        CLEANUP(cleanup_json_tree) struct json_tree *tree = NULL;
        int code = perf_make(run, json_get_text(operation, "nodeTemplatePath"), place, &tree, err);
        if (code < 0)
                return code;
        perf_run_name(run, tree, NULL);
        if (labels)
                label_node(tree, labels, place->index);
        complete_node(tree, json_get(amounts, "nodeAllocatable"));
        if (amounts)
                code = put_csi_node(
                        run, node_get_text(node_get(json_tree_root(tree), "metadata"), "name"),
                        amounts, err);
        if (code < 0)
                return code;
        run->nodes = xreallocarray(run->nodes, run->node_count + 1, sizeof(run->nodes[0]));
        run->nodes[run->node_count++] =
                slice_dup(node_get_text(node_get(json_tree_root(tree), "metadata"), "name"));
        return perf_world_put_node(&run->world, json_tree_root(tree), err);
}

/* ---- volumes ---- */

/* A volume and a claim bound to each other, and the pod's word that it uses them.  Templates of
 * other pods name claims by their index. */
static int add_claim(struct perf_run *run, const struct json *operation,
                     const struct perf_place *place, struct json_tree *pod, struct err *err) {
        CLEANUP(cleanup_json_tree) struct json_tree *volume = NULL;
        CLEANUP(cleanup_json_tree) struct json_tree *claim = NULL;
        char volume_name[64], claim_name[64];
        int code = perf_make(run, json_get_text(operation, "persistentVolumeTemplatePath"), place,
                             &volume, err);
        if (code == 0)
                code = perf_make(run, json_get_text(operation, "persistentVolumeClaimTemplatePath"),
                                 place, &claim, err);
        if (code < 0)
                return code;
        snprintf(volume_name, sizeof(volume_name), "pv-%lld", (long long)++run->made_count);
        snprintf(claim_name, sizeof(claim_name), "pvc-%lld", (long long)place->index);
        struct json_node *root = json_tree_root(volume);
        node_put_string(volume, node_need_object(volume, root, "metadata"), "name", volume_name);
        struct json_node *spec = node_need_object(volume, root, "spec");
        struct json_node *reference = node_need_object(volume, spec, "claimRef");
        node_put_string(volume, reference, "namespace", place->ns);
        node_put_string(volume, reference, "name", claim_name);
        node_put_string(volume, node_need_object(volume, root, "status"), "phase", "Bound");
        code = perf_world_put_object(&run->world, CACHED_VOLUME, root, err);
        if (code < 0)
                return code;
        root = json_tree_root(claim);
        struct json_node *meta = node_need_object(claim, root, "metadata");
        node_put_string(claim, meta, "namespace", place->ns);
        node_put_string(claim, meta, "name", claim_name);
        node_put_string(claim, node_need_object(claim, root, "spec"), "volumeName", volume_name);
        node_put_string(claim, node_need_object(claim, root, "status"), "phase", "Bound");
        struct json_node *use = node_object(pod);
        node_put_string(pod, use, "name", "vol");
        node_put_string(pod, node_need_object(pod, use, "persistentVolumeClaim"), "claimName",
                        claim_name);
        spec = node_need_object(pod, json_tree_root(pod), "spec");
        node_append(node_need_array(pod, spec, "volumes"), use);
        return perf_world_put_object(&run->world, CACHED_VOLUME_CLAIM, root, err);
}

/* ---- pods ---- */

int perf_create_pod(struct perf_run *run, const struct json *operation,
                    const struct perf_place *place, struct perf_pod **ret_pod, struct err *err) {
        CLEANUP(cleanup_json_tree) struct json_tree *tree = NULL;
        struct slice path = json_get_text(operation, "podTemplatePath");
        struct perf_pod *pod;
        if (slice_is_empty(path))
                path = json_get_text(run->workload->test_case, "defaultPodTemplatePath");
        int code = perf_make(run, path, place, &tree, err);
        if (code == 0 && json_get(operation, "persistentVolumeTemplatePath"))
                code = add_claim(run, operation, place, tree, err);
        if (code < 0)
                return code;
        perf_run_name(run, tree, place->ns);
        code = perf_world_put_pod(&run->world, tree, &pod, err);
        if (code < 0)
                return code;
        pod->is_counted = true;
        if (ret_pod)
                *ret_pod = pod;
        return 0;
}

/* ---- anything ---- */

static struct slice kind_of(const struct json_node *object) {
        return node_get_text(object, "kind");
}

bool perf_knows_kind(const struct json_node *object) {
        static const char *const kinds[] = { "Node", "Pod", "Service", "Namespace" };
        for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
                if (slice_is(kind_of(object), kinds[i]))
                        return true;
        return perf_devices_knows(kind_of(object));
}

int perf_put_any(struct perf_run *run, struct json_tree *tree, const char *ns, struct err *err) {
        struct json_node *object = json_tree_root(tree);
        struct slice kind = kind_of(object);
        bool has_namespace = slice_is(kind, "Pod") || slice_is(kind, "Service");
        if (perf_devices_knows(kind))
                return perf_devices_put(run, tree, ns, err);
        perf_run_name(run, tree, has_namespace ? ns : NULL);
        if (slice_is(kind, "Node")) {
                complete_node(tree, NULL);
                return perf_world_put_node(&run->world, object, err);
        }
        if (slice_is(kind, "Pod"))
                return perf_world_put_pod(&run->world, tree, NULL, err);
        if (slice_is(kind, "Service"))
                return perf_world_put_object(&run->world, CACHED_SERVICE, object, err);
        return perf_world_put_namespace(&run->world, object, err);
}

int perf_delete_any(struct perf_run *run, struct slice kind, const char *ns, const char *name,
                    struct err *err) {
        if (slice_is(kind, "Node")) {
                perf_world_remove_node(&run->world, slice_of(name));
        } else if (slice_is(kind, "Service")) {
                object_cache_remove(run->world.object_cache, CACHED_SERVICE, slice_of(ns),
                                    slice_of(name));
        } else if (slice_is(kind, "Pod")) {
                struct perf_pod *pod =
                        perf_world_find_pod(&run->world, slice_of(ns), slice_of(name));
                return !pod ? 0 : perf_world_delete_pod(&run->world, pod, err);
        }
        return 0;
}
