/* Devices of benchmarks: drivers, classes, and claims that are allocated beforehand. */
#include "sim/perf_devices.h"
#include "base/util.h"
#include "sim/perf_claims.h"
#include "sim/perf_feed.h"
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- objects ---- */

static const struct {
        const char *kind;
        enum cached_kind cached; /* CACHED_KIND_COUNT: not one of the cache */
        bool has_namespace;
} kinds[] = {
        { "DeviceClass", CACHED_DEVICE_CLASS, false },
        { "ResourceSlice", CACHED_RESOURCE_SLICE, false },
        { "DeviceTaintRule", CACHED_DEVICE_TAINT_RULE, false },
        { "ResourceClaim", CACHED_KIND_COUNT, true },
        { "ResourceClaimTemplate", CACHED_KIND_COUNT, true },
};

static int perf_devices_find(struct slice kind) {
        for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
                if (slice_is(kind, kinds[i].kind))
                        return (int)i;
        return -1;
}

bool perf_devices_knows(struct slice kind) {
        return perf_devices_find(kind) >= 0;
}

static int put_cached(struct perf_run *run, enum cached_kind kind, const struct json_node *object,
                      struct err *err) {
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;
        CLEANUP(buf_release) struct buf text = { 0 };

        node_write(object, &text);
        int code = json_parse(buf_view(&text), &doc, err);
        if (code == 0)
                perf_world_notice(&run->world, kind, json_doc_root(doc), CLUSTER_DEVICES);
        return code;
}

int perf_devices_put(struct perf_run *run, struct json_tree *tree, const char *ns,
                     struct err *err) {
        struct json_node *object = json_tree_root(tree);
        int at = perf_devices_find(node_get_text(object, "kind"));

        perf_run_name(run, tree, kinds[at].has_namespace ? ns : NULL);
        if (kinds[at].cached != CACHED_KIND_COUNT)
                return put_cached(run, kinds[at].cached, object, err);
        if (slice_is(node_get_text(object, "kind"), "ResourceClaim"))
                return perf_claims_put(&run->world, tree, object, err);
        perf_claims_put_template(&run->world, object);
        return 0;
}

/* ---- drivers ---- */

static void put_attribute(struct json_tree *tree, struct json_node *device, const char *name,
                          const char *type, struct json_node *value) {
        struct json_node *attributes = node_need_object(tree, device, "attributes");

        node_put(tree, node_need_object(tree, attributes, name), type, value);
}

/* As upstream's driver for tests has it. */
static struct json_node *make_device(struct json_tree *tree, int64_t index) {
        struct json_node *device = node_object(tree), *capacity;
        char name[32];

        snprintf(name, sizeof(name), "instance-%lld", (long long)index);
        node_put_string(tree, device, "name", name);
        put_attribute(tree, device, "model", "string", node_string(tree, "A100"));
        put_attribute(tree, device, "family", "string", node_string(tree, "GPU"));
        put_attribute(tree, device, "driverVersion", "version", node_string(tree, "1.2.3"));
        put_attribute(tree, device, "dra.example.com/numa", "int", node_i64(tree, index));
        capacity = node_need_object(tree, node_need_object(tree, device, "capacity"), "memory");
        node_put_string(tree, capacity, "value", "1Gi");
        return device;
}

static int create_slice(struct perf_run *run, struct slice driver, const char *node, int64_t count,
                        struct err *err) {
        CLEANUP(cleanup_json_tree) struct json_tree *tree = json_tree_new();
        struct json_node *slice = node_object(tree), *spec = node_need_object(tree, slice, "spec");
        struct json_node *pool = node_need_object(tree, spec, "pool");
        struct json_node *devices = node_need_array(tree, spec, "devices");

        node_put_string(tree, node_need_object(tree, slice, "metadata"), "name", node);
        node_put_text(tree, spec, "driver", driver);
        node_put_string(tree, spec, "nodeName", node);
        node_put_string(tree, pool, "name", node);
        node_put_i64(tree, pool, "resourceSliceCount", 1);
        for (int64_t i = 0; i < count; i++)
                node_append(devices, make_device(tree, i));
        return put_cached(run, CACHED_RESOURCE_SLICE, slice, err);
}

int perf_create_driver(struct perf_run *run, const struct json *operation, struct err *err) {
        struct slice driver = json_get_text(operation, "driverName");
        CLEANUP(cleanup_free) char *pattern = slice_dup(json_get_text(operation, "nodes"));
        static const struct perf_member member = { "maxClaimsPerNode", "maxClaimsPerNodeParam" };
        int64_t count = 0;
        int code = perf_number(run->workload, operation, &member, &count, err);

        for (size_t i = 0; code == 0 && i < run->node_count; i++)
                if (fnmatch(pattern, run->nodes[i], 0) == 0)
                        code = create_slice(run, driver, run->nodes[i], count, err);
        return code;
}

/* ---- claims without pods ---- */

/* A pod that only lives until the scheduler has found devices for its claim. */
static int put_taker(struct perf_run *run, const char *ns, struct slice claim,
                     struct perf_pod **ret_pod, struct err *err) {
        CLEANUP(cleanup_json_tree) struct json_tree *tree = json_tree_new();
        struct json_node *pod = node_object(tree), *entry = node_object(tree);
        struct json_node *container = node_object(tree);
        struct json_node *spec = node_need_object(tree, pod, "spec");
        char name[300];

        snprintf(name, sizeof(name), "taker-" SLICE_FMT, SLICE_ARG(claim));
        json_tree_set_root(tree, pod);
        node_put_string(tree, node_need_object(tree, pod, "metadata"), "name", name);
        node_put_string(tree, container, "name", "c");
        node_append(node_need_array(tree, spec, "containers"), container);
        node_put_string(tree, entry, "name", "c");
        node_put_text(tree, entry, "resourceClaimName", claim);
        node_append(node_need_array(tree, spec, "resourceClaims"), entry);
        perf_run_name(run, tree, ns);
        int code = perf_world_put_pod(&run->world, tree, ret_pod, err);
        if (code == 0)
                (*ret_pod)->is_counted = true;
        return code;
}

struct takers {
        struct perf_pod **pods;
        char **claims;
        size_t count;
};

static int put_takers(struct perf_run *run, const char *ns, struct takers *takers,
                      struct err *err) {
        size_t at = 0, most = object_cache_count(run->world.object_cache, CACHED_RESOURCE_CLAIM);
        const struct json *claim;
        int code = 0;

        takers->pods = xcalloc(most + 1, sizeof(takers->pods[0]));
        takers->claims = xcalloc(most + 1, sizeof(takers->claims[0]));
        while ((claim = object_cache_next(run->world.object_cache, CACHED_RESOURCE_CLAIM, &at)))
                if (slice_is(cached_object_ns(claim), ns) &&
                    !json_get(json_get(claim, "status"), "allocation"))
                        takers->claims[takers->count++] = slice_dup(cached_object_name(claim));
        for (size_t i = 0; code == 0 && i < takers->count; i++)
                code = put_taker(run, ns, slice_of(takers->claims[i]), &takers->pods[i], err);
        return code;
}

int perf_allocate_claims(struct perf_run *run, const struct json *operation, struct err *err) {
        CLEANUP(cleanup_free) char *ns = slice_dup(json_get_text(operation, "namespace"));
        struct takers takers = { 0 };
        int code = put_takers(run, ns, &takers, err);

        if (code == 0)
                code = perf_wait_pods(run, &(struct perf_scope){ .ns = ns }, PERF_SCHEDULED, err);
        for (size_t i = 0; code == 0 && i < takers.count; i++) {
                takers.pods[i]->is_counted = false;
                code = perf_world_delete_pod(&run->world, takers.pods[i], err);
                if (code == 0)
                        code = perf_claims_keep(&run->world, slice_of(ns),
                                                slice_of(takers.claims[i]), err);
        }
        for (size_t i = 0; i < takers.count; i++)
                free(takers.claims[i]);
        free(takers.claims);
        free(takers.pods);
        return code;
}
