/* The cluster and the profiles of a recorded case. */
#include "sched/replay_scene.h"
#include "base/util.h"
#include <stdlib.h>

/* ---- objects ---- */

static int put_node(struct replay_scene *scene, const struct json *object, struct err *err) {
        struct node node = { 0 };
        int r = node_decode(object, &scene->arena, &node, err);
        if (r == 0)
                cluster_put_node(scene->cluster, &node);
        return r;
}

static struct slice or_default(struct slice ns) {
        return slice_is_empty(ns) ? SLICE_LITERAL("default") : ns;
}

static int decode_pod(struct replay_scene *scene, const struct json *object, struct pod *ret_pod,
                      struct err *err) {
        *ret_pod = (struct pod){ 0 };
        int r = pod_decode(object, &scene->arena, ret_pod, err);
        if (r < 0)
                return r;
        ret_pod->meta.ns = or_default(ret_pod->meta.ns);
        if (slice_is_empty(ret_pod->meta.uid))
                ret_pod->meta.uid = slice_of(arena_printf(&scene->arena, SLICE_FMT "/" SLICE_FMT,
                                                          SLICE_ARG(ret_pod->meta.ns),
                                                          SLICE_ARG(ret_pod->meta.name)));
        return 0;
}

static int put_pod(struct replay_scene *scene, const struct json *object, struct err *err) {
        struct pod pod;
        int r = decode_pod(scene, object, &pod, err);
        if (r == 0 && pod.status.phase != POD_SUCCEEDED && pod.status.phase != POD_FAILED)
                cluster_put_pod(scene->cluster, &pod);
        return r;
}

static int put_namespace(struct replay_scene *scene, const struct json *object, struct err *err) {
        struct namespace_object ns = { 0 };
        int r = namespace_decode(object, &scene->arena, &ns, err);
        if (r == 0)
                cluster_put_namespace(scene->cluster, &ns);
        return r;
}

static int put_budget(struct replay_scene *scene, const struct json *object, struct err *err) {
        struct disruption_budget budget = { 0 };
        int r = disruption_budget_decode(object, &scene->arena, &budget, err);
        budget.meta.ns = or_default(budget.meta.ns);
        if (r == 0)
                cluster_put_budget(scene->cluster, &budget);
        return r;
}

static int put_claim(struct replay_scene *scene, const struct json *object, struct err *err) {
        struct claim_object claim = { 0 };
        int r = claim_decode(object, &scene->arena, &claim, err);
        claim.meta.ns = or_default(claim.meta.ns);
        if (r == 0)
                cluster_put_claim(scene->cluster, &claim);
        return r;
}

static int replay_scene_feed(struct replay_scene *scene, const struct json *objects,
                             struct err *err) {
        static const struct {
                const char *list;
                int (*put)(struct replay_scene *, const struct json *, struct err *);
        } kinds[] = {
                { "namespaces", put_namespace },
                { "persistentVolumeClaims", put_claim },
                { "nodes", put_node },
                { "pods", put_pod },
                { "podDisruptionBudgets", put_budget },
        };
        for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
                struct json_iter iter = json_iter(json_get(objects, kinds[i].list));
                const struct json *object;
                while (json_next(&iter, NULL, &object)) {
                        int r = kinds[i].put(scene, object, err);
                        if (r < 0)
                                return err_wrap(err, "%s", kinds[i].list);
                }
        }
        return 0;
}

static void fill_object_cache(struct replay_scene *scene, const struct json *objects) {
        static const struct {
                const char *list;
                enum cached_kind kind;
        } kinds[] = {
                { "services", CACHED_SERVICE },
                { "replicationControllers", CACHED_REPLICATION_CONTROLLER },
                { "replicaSets", CACHED_REPLICA_SET },
                { "statefulSets", CACHED_STATEFUL_SET },
                { "persistentVolumes", CACHED_VOLUME },
                { "persistentVolumeClaims", CACHED_VOLUME_CLAIM },
                { "storageClasses", CACHED_STORAGE_CLASS },
                { "csiNodes", CACHED_CSI_NODE },
                { "csiDrivers", CACHED_CSI_DRIVER },
                { "csiStorageCapacities", CACHED_CSI_CAPACITY },
                { "volumeAttachments", CACHED_ATTACHMENT },
                { "resourceClaims", CACHED_RESOURCE_CLAIM },
                { "resourceSlices", CACHED_RESOURCE_SLICE },
                { "deviceClasses", CACHED_DEVICE_CLASS },
                { "deviceTaintRules", CACHED_DEVICE_TAINT_RULE },
        };
        for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
                struct json_iter iter = json_iter(json_get(objects, kinds[i].list));
                const struct json *object;
                while (json_next(&iter, NULL, &object))
                        object_cache_put(scene->object_cache, kinds[i].kind, object);
        }
}

/* ---- configuration ---- */

static uint32_t gates_of(const struct json *test_case) {
        static const struct {
                const char *name;
                uint32_t bit;
                bool standard; /* the bit is set where the gate differs */
        } rows[] = {
                { "TaintTolerationComparisonOperators", FEATURE_TAINT_ORDER, false },
                { "DRAPrioritizedList", FEATURE_NO_DEVICE_CHOICES, true },
                { "DRAPartitionableDevices", FEATURE_NO_DEVICE_COUNTERS, true },
                { "DRADeviceTaints", FEATURE_NO_DEVICE_TAINTS, true },
                { "DRADeviceBindingConditions", FEATURE_NO_DEVICE_CONDITIONS, true },
                { "DRAResourceClaimDeviceStatus", FEATURE_NO_DEVICE_STATUS, true },
                { "DRAConsumableCapacity", FEATURE_NO_DEVICE_SHARES, true },
                { "DRAAdminAccess", FEATURE_NO_DEVICE_ADMIN, true },
                { "DRAListTypeAttributes", FEATURE_DEVICE_LISTS, false },
                { "DRADeviceTaintRules", FEATURE_DEVICE_TAINT_RULES, false },
                { "DRANodeAllocatableResources", FEATURE_NODE_DEVICES, false },
                { "DRAExtendedResource", FEATURE_NO_EXTENDED_DEVICES, true },
                { "DRAWorkloadResourceClaims", FEATURE_GROUP_DEVICES, false },
        };
        const struct json *gates = json_get(test_case, "featureGates");
        uint32_t bits = 0;

        for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
                if (json_get_bool(gates, rows[i].name, rows[i].standard) != rows[i].standard)
                        bits |= rows[i].bit;
        }
        return bits;
}

static int read_configuration(struct replay_scene *scene, const struct json *config,
                              struct err *err) {
        if (json_count(config) == 0) {
                scene->configuration = scheduler_configuration_new_default();
                return 0;
        }
        struct config_problems *problems = config_problems_new();
        struct buf text = { 0 };
        json_write(config, &text);
        scene->configuration = scheduler_configuration_read(buf_view(&text), "config", problems);
        int r = config_problems_to_err(problems, err);
        buf_release(&text);
        config_problems_free(problems);
        return r;
}

static int build_profiles(struct replay_scene *scene, const struct plugin *const *registry,
                          const struct json *test_case, struct err *err) {
        struct profile_env env = { .registry = registry,
                                   .cluster = scene->cluster,
                                   .is_parity = true,
                                   .object_cache = scene->object_cache,
                                   .gates = gates_of(test_case) };
        int r = read_configuration(scene, json_get(test_case, "config"), err);
        return r < 0 ? r
                     : sched_profile_list_init(&scene->profiles, scene->configuration, &env, err);
}

int replay_scene_init(struct replay_scene *scene, const struct plugin *const *registry,
                      const struct json *test_case, struct err *err) {
        *scene = (struct replay_scene){
                .cluster = cluster_new(&(struct cluster_config){
                        .keeps_detail = true,
                        .counts_devices = (gates_of(test_case) & FEATURE_NODE_DEVICES) != 0 })
        };
        scene->object_cache = object_cache_new();
        arena_init(&scene->arena, 0);
        fill_object_cache(scene, json_get(test_case, "objects"));
        int r = replay_scene_feed(scene, json_get(test_case, "objects"), err);
        if (r == 0)
                r = build_profiles(scene, registry, test_case, err);
        if (r < 0)
                replay_scene_release(scene);
        return r;
}

void replay_scene_release(struct replay_scene *scene) {
        sched_profile_list_release(&scene->profiles);
        scheduler_configuration_free(scene->configuration);
        cluster_free(scene->cluster);
        object_cache_free(scene->object_cache);
        arena_release(&scene->arena);
}

int replay_scene_put_pod(struct replay_scene *scene, const struct json *object,
                         struct pod_id *ret_pod, struct slice *ret_node_name, struct err *err) {
        struct pod pod;
        int r = decode_pod(scene, object, &pod, err);
        if (r < 0)
                return r;
        *ret_node_name = pod.spec.node_name;
        pod.spec.node_name = SLICE_EMPTY;
        *ret_pod = cluster_put_pod(scene->cluster, &pod);
        return 0;
}

const struct sched_profile *replay_scene_profile(const struct replay_scene *scene,
                                                 struct pod_id pod) {
        const struct pod_row *row = cluster_pod(scene->cluster, pod);
        const struct pod_class *class = cluster_class(scene->cluster, row->class);
        return sched_profile_list_find(&scene->profiles, class->spec.scheduler_name);
}
