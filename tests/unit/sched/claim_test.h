/* A scheduler with a cache of claims, slices and classes, for tests of pods that claim devices. */
#pragma once

#include "group_test.h"

#define CLAIMS(name) "\"resourceClaims\":[{\"name\":\"x\",\"resourceClaimName\":\"" name "\"}],"

static inline void put_object(struct group_test *test, enum cached_kind kind, const char *text) {
        struct err err = { 0 };
        struct json_doc *doc;
        if (json_parse(slice_of(text), &doc, &err) < 0)
                fail_msg("%s in %s", err.text, text);
        object_cache_put(test->object_cache, kind, json_doc_root(doc));
        json_doc_free(doc);
}

/* One device of the class `c`; status: members of the claim's. */
static inline void put_claim(struct group_test *test, const char *name, const char *status) {
        char text[1024];
        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"namespace\":\"default\",\"name\":\"%s\",\"uid\":\"%s\","
                 "\"resourceVersion\":\"5\"},\"spec\":{\"devices\":{\"requests\":[{\"name\":\"r\","
                 "\"exactly\":{\"deviceClassName\":\"c\",\"allocationMode\":\"ExactCount\","
                 "\"count\":1}}]}},\"status\":{%s}}",
                 name, name, status);
        put_object(test, CACHED_RESOURCE_CLAIM, text);
}

/* A node of 4 cpus with the device `a` of the driver `d`; members: more of the device, after a
 * comma. */
static inline void put_node_with_device(struct group_test *test, const char *name,
                                        const char *members) {
        char text[512];
        put_node(&test->base, name, 4000);
        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"name\":\"%s\"},\"spec\":{\"driver\":\"d\",\"nodeName\":\"%s\","
                 "\"pool\":{\"name\":\"%s\",\"generation\":1,\"resourceSliceCount\":1},"
                 "\"devices\":[{\"name\":\"a\"%s}]}}",
                 name, name, name, members);
        put_object(test, CACHED_RESOURCE_SLICE, text);
}

static inline void put_device_node(struct group_test *test, const char *name) {
        put_node_with_device(test, name, "");
}

/* gates: enum feature_gate; config: without cluster, cache and profile. There is a class `c`. */
static inline void claim_test_init(struct group_test *test, uint32_t gates,
                                   struct scheduler_config config) {
        struct object_cache *cache = object_cache_new();
        struct profile_env env = { .registry = sched_registry,
                                   .object_cache = cache,
                                   .gates = gates };
        struct cluster_config cluster = { .counts_devices = gates & FEATURE_NODE_DEVICES };
        struct err err = { 0 };
        test->object_cache = config.object_cache = cache;
        test->base =
                (struct sched_test){ .cluster = cluster_new(&cluster), .now_ns = 1000 * NS_PER_S };
        assert_int_equal(sched_profile_new_default(&env, &test->base.profile, &err), 0);
        config.cluster = test->base.cluster;
        config.profiles = &test->base.profile;
        config.profile_count = 1;
        test->base.scheduler = scheduler_new(&config);
        action_list_init(&test->base.actions);
        put_object(test, CACHED_DEVICE_CLASS, "{\"metadata\":{\"name\":\"c\"},\"spec\":{}}");
}
