/* What is used of the devices of nodes: a GPU used as a whole, one of which a part is used, a
 * shared one; and one that all nodes reach, which is of none. */
#include "cmd/up_devices.h"

#include "base/util.h"
#include "model/cluster.h"
#include "model/object_cache.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

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

static const struct {
        enum cached_kind kind; /* CACHED_KIND_COUNT: a node */
        const char *text;
} objects[] = {
        { CACHED_KIND_COUNT, NODE("n1") },
        { CACHED_KIND_COUNT, NODE("n2") },
        { CACHED_RESOURCE_SLICE, SLICE("s1", "'nodeName':'n1'", "d", "2",
                                       "'sharedCounters':[" SET("a") "," SET("b") "]") },
        { CACHED_RESOURCE_SLICE,
          SLICE("s2", "'nodeName':'n1'", "d", "2", "'devices':[" PARTS "]") },
        { CACHED_RESOURCE_SLICE,
          SLICE("s3", "'allNodes':true", "e", "1", "'devices':[{'name':'x'}]") },
        { CACHED_RESOURCE_CLAIM,
          "{'metadata':{'namespace':'ns','name':'c'},'spec':{},'status':{'allocation':{'devices':{"
          "'results':[" RESULTS "]}}}}" },
};

static void put_object(struct cluster *cluster, struct object_cache *object_cache, size_t at) {
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;
        CLEANUP(buf_release) struct buf text = { 0 };
        struct err err = { 0 };

        buf_text(&text, objects[at].text);
        for (size_t i = 0; i < text.len; i++)
                if (text.data[i] == '\'')
                        text.data[i] = '"';
        if (json_parse(buf_view(&text), &doc, &err) < 0)
                fail_msg("%s in %s", err.text, text.data);
        if (objects[at].kind != CACHED_KIND_COUNT)
                object_cache_put(object_cache, objects[at].kind, json_doc_root(doc));
        else if (cluster_apply(cluster, OBJECT_NODE, CHANGE_ADDED, json_doc_root(doc), &err) < 0)
                fail_msg("%s", err.text);
}

static void counts_devices(void **state) {
        struct cluster *cluster = cluster_new(&(struct cluster_config){ 0 });
        struct object_cache *object_cache = object_cache_new();
        struct up_devices *devices;
        struct arena arena;

        (void)state;
        arena_init(&arena, 0);
        for (size_t i = 0; i < ARRAY_LEN(objects); i++)
                put_object(cluster, object_cache, i);
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
