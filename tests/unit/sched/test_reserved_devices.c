/* Devices that stand for cpu of their node: what a pod takes of it so counts once it is reserved.
 */
#include "group_test.h"
#include "rules/fit.h"

#define CLAIMING "\"resourceClaims\":[{\"name\":\"x\",\"resourceClaimName\":\"c\"}],"

static void put_object(struct group_test *test, enum cached_kind kind, const char *text) {
        struct err err = { 0 };
        struct json_doc *doc;
        if (json_parse(slice_of(text), &doc, &err) < 0)
                fail_msg("%s in %s", err.text, text);
        object_cache_put(test->object_cache, kind, json_doc_root(doc));
        json_doc_free(doc);
}

/* A node of 4 cpus; its device stands for 3 of them. */
static void begin(struct group_test *test) {
        struct object_cache *cache = object_cache_new();
        struct profile_env env = { .registry = sched_registry,
                                   .object_cache = cache,
                                   .gates = FEATURE_NODE_DEVICES };
        struct scheduler_config config = { .object_cache = cache, .profile_count = 1 };
        struct err err = { 0 };
        test->object_cache = cache;
        test->base = (struct sched_test){ .cluster = cluster_new(&(struct cluster_config){
                                                  .counts_devices = true }),
                                          .now_ns = 1000 * NS_PER_S };
        assert_int_equal(sched_profile_new_default(&env, &test->base.profile, &err), 0);
        config.cluster = test->base.cluster;
        config.profiles = &test->base.profile;
        test->base.scheduler = scheduler_new(&config);
        action_list_init(&test->base.actions);
        put_node(&test->base, "n1", 4000);
        put_object(test, CACHED_DEVICE_CLASS, "{\"metadata\":{\"name\":\"g\"},\"spec\":{}}");
        put_object(test, CACHED_RESOURCE_SLICE,
                   "{\"metadata\":{\"name\":\"s\"},\"spec\":{\"driver\":\"d\",\"nodeName\":\"n1\","
                   "\"pool\":{\"name\":\"n1\",\"generation\":1,\"resourceSliceCount\":1},"
                   "\"devices\":[{\"name\":\"a\",\"nodeAllocatableResourceMappings\":{\"cpu\":{"
                   "\"allocationMultiplier\":\"3\"}}}]}}");
        put_object(
                test, CACHED_RESOURCE_CLAIM,
                "{\"metadata\":{\"namespace\":\"default\",\"name\":\"c\",\"uid\":\"c\","
                "\"resourceVersion\":\"5\"},\"spec\":{\"devices\":{\"requests\":[{\"name\":\"r\","
                "\"exactly\":{\"deviceClassName\":\"g\",\"allocationMode\":\"ExactCount\","
                "\"count\":1}}]}}}");
}

static void put_claiming(struct group_test *test) {
        apply(&test->base, OBJECT_POD, CHANGE_ADDED,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"p\",\"uid\":\"uid-p\"},"
              "\"spec\":{" CLAIMING "\"containers\":[{\"name\":\"c\",\"image\":\"i\","
              "\"resources\":{\"claims\":[{\"name\":\"x\"}]}}]}}");
}

static int64_t free_cpu(const struct group_test *test) {
        const struct cluster *cluster = test->base.cluster;
        struct resource_id cpu;
        assert_true(cluster_resource(cluster, SLICE_LITERAL("cpu"), &cpu));
        return node_free(cluster, cluster_find_node(cluster, SLICE_LITERAL("n1")), cpu);
}

static void test_counts_when_reserved(void **state) {
        struct group_test test;
        (void)state;
        begin(&test);
        put_claiming(&test);
        step(&test.base);
        assert_int_equal(free_cpu(&test), 1000);
        put_pod(&test.base, "q", 2000, "");
        step(&test.base);
        assert_non_null(strstr(reported_pod(&test, "q"), "Insufficient cpu"));
        /* The status is not written yet; an update without it changes nothing. */
        apply(&test.base, OBJECT_POD, CHANGE_UPDATED,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"p\",\"uid\":\"uid-p\","
              "\"labels\":{"
              "\"a\":\"b\"}},\"spec\":{" CLAIMING "\"containers\":[{\"name\":\"c\",\"image\":\"i\","
              "\"resources\":{\"claims\":[{\"name\":\"x\"}]}}]}}");
        assert_int_equal(free_cpu(&test), 1000);
        group_test_release(&test);
}

static void test_given_back(void **state) {
        struct group_test test;
        (void)state;
        begin(&test);
        put_claiming(&test);
        step(&test.base);
        assert_int_equal(free_cpu(&test), 1000);
        answer(&test.base, ACTION_PATCH_OBJECT, "c", BERTH_ERR_INVALID);
        step(&test.base);
        assert_int_equal(free_cpu(&test), 4000);
        const struct pod_row *row = cluster_pod(
                test.base.cluster,
                cluster_find_pod(test.base.cluster, SLICE_LITERAL("default"), SLICE_LITERAL("p")));
        assert_int_equal(cluster_class(test.base.cluster, row->class)->spec.device_requests.count,
                         0);
        group_test_release(&test);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_counts_when_reserved),
                cmocka_unit_test(test_given_back),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
