/* What is used of the devices of nodes: a GPU used as a whole, one of which a part is used, a
 * shared one; and one that all nodes reach, which is of none. */
#include "cmd/up_devices.h"

#include "../quoted_objects.h"

#define NODE(name) "{'metadata':{'name':'" name "'},'status':{'allocatable':{'cpu':'1'}}}"
#define PART(name, set, amount)                                                                    \
        "{'name':'" name "','consumesCounters':[{'counterSet':'" set                               \
        "','counters':{'m':{'value':'" amount "'}}}]}"
#define SET(name) "{'name':'" name "','counters':{'m':{'value':'4Gi'}}}"
#define RESULT(device, more) "{'request':'r','driver':'d','pool':'p','device':'" device "'" more "}"

#define PARTS                                                                                      \
        PART("a", "a", "4Gi")                                                                      \
        "," PART("a1", "a", "2Gi") "," PART("b", "b", "4Gi") "," PART("b1", "b", "2Gi") "," PART(  \
                "b2", "b", "2Gi") ",{'name':'s','allowMultipleAllocations':true}"
#define SLICE(name, where, driver, count, more)                                                    \
        "{'metadata':{'name':'" name "'},'spec':{" where ",'driver':'" driver                      \
        "','pool':{'name':'p','generation':1,'resourceSliceCount':" count "}," more "}}"
#define RESULTS                                                                                    \
        RESULT("a", "")                                                                            \
        "," RESULT("b1", "") "," RESULT("s", ",'shareID':'11111111-1111-1111-1111-111111111111'")

static const struct quoted_object objects[] = {
        QUOTED_MODEL(NODE, NODE("n1")),
        QUOTED_MODEL(NODE, NODE("n2")),
        QUOTED_CACHED(RESOURCE_SLICE, SLICE("s1", "'nodeName':'n1'", "d", "2",
                                            "'sharedCounters':[" SET("a") "," SET("b") "]")),
        QUOTED_CACHED(RESOURCE_SLICE,
                      SLICE("s2", "'nodeName':'n1'", "d", "2", "'devices':[" PARTS "]")),
        QUOTED_CACHED(RESOURCE_SLICE,
                      SLICE("s3", "'allNodes':true", "e", "1", "'devices':[{'name':'x'}]")),
        QUOTED_CACHED(RESOURCE_CLAIM,
                      "{'metadata':{'namespace':'ns','name':'c'},'spec':{},'status':{'allocation':{"
                      "'devices':{'results':[" RESULTS "]}}}}"),
};

static void counts_devices(void **state) {
        struct cluster *cluster = cluster_new(&(struct cluster_config){ 0 });
        struct object_cache *object_cache = object_cache_new();
        struct up_devices *devices;
        struct arena arena;

        (void)state;
        arena_init(&arena, 0);
        for (size_t i = 0; i < ARRAY_LEN(objects); i++)
                put_quoted_object(cluster, object_cache, &objects[i]);
        assert_int_equal(up_devices_gather(cluster, object_cache, &arena, &devices), 1);
        assert_true(slice_is(devices[0].node, "n1"));
        assert_int_equal(devices[0].all, 6);
        assert_int_equal(devices[0].used, 3);
        assert_int_equal(devices[0].shared, 1);
        assert_int_equal(devices[0].fragmented, 2); /* a1, and b as a whole */
        assert_int_equal(up_devices_gather(cluster, NULL, &arena, &devices), 0);
        arena_release(&arena);
        object_cache_free(object_cache);
        cluster_free(cluster);
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(counts_devices) };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
