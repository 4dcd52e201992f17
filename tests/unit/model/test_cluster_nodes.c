/* Nodes in the model: what counts as a change, columns, indexes, order. */
#include "model_test.h"

#define NODE_TEXT(meta, spec, status)                                                              \
        "{'metadata':{'name':'n1','uid':'u'" meta "},'spec':{" spec "},'status':{" status "}}"
#define READY(status, beat)                                                                        \
        "'conditions':[{'type':'Ready','status':'" status "','lastHeartbeatTime':'" beat "'}]"
#define MARCH "2026-03-01T00:00:00Z"
#define APRIL "2026-04-01T00:00:00Z"

static void test_masks_of_updates(void **state) {
        static const struct {
                const char *name, *before, *after;
                uint32_t mask;
        } cases[] = {
                { "heartbeat", NODE_TEXT(",'resourceVersion':'1'", "", READY("True", MARCH)),
                  NODE_TEXT(",'resourceVersion':'2'", "", READY("True", APRIL)), 0 },
                { "allocatable", NODE_TEXT("", "", "'allocatable':{'cpu':'4'}"),
                  NODE_TEXT("", "", "'allocatable':{'cpu':'3'}"), CLUSTER_NODE_ALLOCATABLE },
                { "resource gone", NODE_TEXT("", "", "'allocatable':{'cpu':'4','x/y':'1'}"),
                  NODE_TEXT("", "", "'allocatable':{'cpu':'4'}"), CLUSTER_NODE_ALLOCATABLE },
                { "labels", NODE_TEXT(",'labels':{'a':'b'}", "", ""),
                  NODE_TEXT(",'labels':{'a':'c'}", "", ""), CLUSTER_NODE_LABELS },
                { "label order", NODE_TEXT(",'labels':{'a':'b','c':'d'}", "", ""),
                  NODE_TEXT(",'labels':{'c':'d','a':'b'}", "", ""), 0 },
                { "taints", NODE_TEXT("", "", ""),
                  NODE_TEXT("", "'taints':[{'key':'k','effect':'NoSchedule'}]", ""),
                  CLUSTER_NODE_TAINTS },
                { "cordoned", NODE_TEXT("", "", ""), NODE_TEXT("", "'unschedulable':true", ""),
                  CLUSTER_NODE_TAINTS },
                { "uncordoned", NODE_TEXT("", "'unschedulable':true", ""), NODE_TEXT("", "", ""),
                  CLUSTER_NODE_TAINTS },
                { "condition", NODE_TEXT("", "", READY("True", MARCH)),
                  NODE_TEXT("", "", READY("False", MARCH)), CLUSTER_NODE_CONDITION },
                { "annotations", NODE_TEXT("", "", ""),
                  NODE_TEXT(",'annotations':{'a':'b'}", "", ""), CLUSTER_NODE_ANNOTATIONS },
                { "annotation order", NODE_TEXT(",'annotations':{'a':'b','c':'d'}", "", ""),
                  NODE_TEXT(",'annotations':{'c':'d','a':'b'}", "", ""), 0 },
                { "images", NODE_TEXT("", "", ""),
                  NODE_TEXT("", "", "'images':[{'names':['x'],'sizeBytes':5}]"),
                  CLUSTER_NODE_IMAGES },
                { "features", NODE_TEXT("", "", ""), NODE_TEXT("", "", "'declaredFeatures':['f']"),
                  CLUSTER_NODE_FEATURES },
                { "several", NODE_TEXT("", "", ""),
                  NODE_TEXT(",'labels':{'a':'b'}", "", "'allocatable':{'cpu':'1'}"),
                  CLUSTER_NODE_LABELS | CLUSTER_NODE_ALLOCATABLE },
        };
        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct cluster *cluster = cluster_for_test();
                uint64_t generation = 0;
                apply_text(cluster, OBJECT_NODE, CHANGE_ADDED, cases[i].before);
                assert_int_equal(masks_since(cluster, &generation), CLUSTER_NODE_ADDED);
                apply_text(cluster, OBJECT_NODE, CHANGE_UPDATED, cases[i].after);
                uint32_t mask = masks_since(cluster, &generation);
                if (mask != cases[i].mask)
                        fail_msg("%s: mask %#x, wanted %#x", cases[i].name, mask, cases[i].mask);
                assert_int_equal(cluster_nodes(cluster)->generation[0], mask ? 2 : 1);
                assert_int_equal(cluster_check(cluster, NULL), 0);
                apply_text(cluster, OBJECT_NODE, CHANGE_REMOVED, cases[i].after);
                assert_int_equal(masks_since(cluster, &generation), CLUSTER_NODE_REMOVED);
                assert_int_equal(cluster_check(cluster, NULL), 0);
                cluster_free(cluster);
        }
}

static void test_a_new_uid_is_another_node(void **state) {
        struct cluster *cluster = cluster_for_test();
        uint64_t generation = 0;
        (void)state;
        put(cluster, OBJECT_NODE, "{'metadata':{'name':'n1','uid':'first'}}");
        put(cluster, OBJECT_NODE, "{'metadata':{'name':'n1','uid':'second'}}");
        assert_int_equal(masks_since(cluster, &generation),
                         CLUSTER_NODE_ADDED | CLUSTER_NODE_REMOVED);
        assert_int_equal(cluster_node_count(cluster), 1);
        assert_int_equal(cluster_check(cluster, NULL), 0);
        cluster_free(cluster);
}

static void test_columns(void **state) {
        struct cluster *cluster = cluster_for_test();
        struct resource_id gpu;
        struct node_id node;
        (void)state;
        put(cluster, OBJECT_NODE,
            "{'metadata':{'name':'n1'},'status':{'allocatable':{'cpu':'1500m','memory':'1Ki',"
            "'pods':'9','ephemeral-storage':'3','x.com/gpu':'2'}}}");
        put(cluster, OBJECT_NODE,
            "{'metadata':{'name':'n2'},'status':{'capacity':{'cpu':'2','pods':'7'}}}");
        const struct node_table *nodes = cluster_nodes(cluster);
        node = cluster_find_node(cluster, SLICE_LITERAL("n1"));
        assert_int_equal(nodes->resources[RESOURCE_CPU].allocatable[node.index], 1500);
        assert_int_equal(nodes->resources[RESOURCE_MEMORY].allocatable[node.index], 1024);
        assert_int_equal(nodes->resources[RESOURCE_PODS].allocatable[node.index], 9);
        assert_int_equal(nodes->resources[RESOURCE_EPHEMERAL_STORAGE].allocatable[node.index], 3);
        assert_true(cluster_resource(cluster, SLICE_LITERAL("x.com/gpu"), &gpu));
        assert_int_equal(nodes->resources[gpu.index].allocatable[node.index], 2);
        assert_true(slice_is(cluster_resource_name(cluster, gpu), "x.com/gpu"));
        assert_false(cluster_resource(cluster, SLICE_LITERAL("x.com/tpu"), &gpu));
        node = cluster_find_node(cluster, SLICE_LITERAL("n2"));
        assert_int_equal(nodes->resources[RESOURCE_CPU].allocatable[node.index], 2000);
        assert_int_equal(nodes->resources[gpu.index].allocatable[node.index], 0);
        cluster_free(cluster);
}

/* A pod that names a resource beyond the limit of columns fits nowhere. */
/* A node with five each of a hundred resources, then of the next ones, up to so many; a pod asks
 * for three of the last. */
static struct node_id put_resources(struct cluster *cluster, size_t count) {
        for (size_t from = 0; from < count; from += 100) {
                CLEANUP(buf_release) struct buf text = { 0 };
                buf_text(&text, "{'metadata':{'name':'big'},'status':{'allocatable':{");
                for (size_t i = from; i < from + 100 && i < count; i++)
                        buf_printf(&text, "%s'x.com/r%zu':'5'", i > from ? "," : "", i);
                buf_text(&text, "}}}");
                apply_text(cluster, OBJECT_NODE, CHANGE_UPDATED, text.data);
        }
        put(cluster, OBJECT_POD,
            "{'metadata':{'namespace':'ns','name':'a'},'spec':{'nodeName':'big','containers':["
            "{'name':'c','resources':{'requests':{'x.com/r%zu':'3'}}}]}}",
            count - 1);
        return cluster_find_node(cluster, SLICE_LITERAL("big"));
}

static void test_resources_are_bounded(void **state) {
        static const struct {
                size_t resources, columns;
                int64_t last; /* of which the node has so much */
        } cases[] = {
                { 1020, 1024, 5 }, { 1100, 1104, 5 }, { 8188, 8192, 5 },
                { 8189, 8193, 0 }, { 9000, 8193, 0 },
        };
        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct cluster *cluster = cluster_for_test();
                struct node_id big = put_resources(cluster, cases[i].resources);
                const struct node_table *nodes = cluster_nodes(cluster);
                size_t last = nodes->resource_count - 1;
                assert_int_equal(nodes->resource_count, cases[i].columns);
                assert_int_equal(nodes->resources[last].allocatable[big.index], cases[i].last);
                assert_int_equal(requested(cluster, big, (uint32_t)last), 3);
                assert_int_equal(cluster_check(cluster, NULL), 0);
                cluster_free(cluster);
        }
}

/* Few columns more when there are many nodes. */
static void test_cells_are_bounded(void **state) {
        struct cluster *cluster = cluster_for_test();
        (void)state;
        for (size_t n = 0; n < 20000; n++)
                put(cluster, OBJECT_NODE, "{'metadata':{'name':'n%zu'}}", n);
        struct node_id big = put_resources(cluster, 2000);
        const struct node_table *nodes = cluster_nodes(cluster);
        size_t columns = (((size_t)1 << 25) + nodes->count - 1) / nodes->count;
        assert_in_range(columns, 1025, 2000);
        assert_int_equal(nodes->resource_count, columns + 1);
        assert_int_equal(nodes->resources[columns].allocatable[big.index], 0);
        assert_int_equal(requested(cluster, big, (uint32_t)columns), 3);
        cluster_free(cluster);
}

static void test_ready_and_flags(void **state) {
        static const struct {
                const char *text;
                uint8_t flags;
        } cases[] = {
                { NODE_TEXT("", "", ""), NODE_KNOWN | NODE_READY },
                { NODE_TEXT("", "", READY("True", MARCH)), NODE_KNOWN | NODE_READY },
                { NODE_TEXT("", "", READY("False", MARCH)), NODE_KNOWN },
                { NODE_TEXT("", "", READY("Unknown", MARCH)), NODE_KNOWN },
                { NODE_TEXT("", "'unschedulable':true", ""),
                  NODE_KNOWN | NODE_READY | NODE_UNSCHEDULABLE },
        };
        struct cluster *cluster = cluster_for_test();
        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                apply_text(cluster, OBJECT_NODE, CHANGE_UPDATED, cases[i].text);
                struct node_id node = cluster_find_node(cluster, SLICE_LITERAL("n1"));
                assert_int_equal(cluster_nodes(cluster)->flags[node.index], cases[i].flags);
                assert_int_equal(bitset_has(&cluster_nodes(cluster)->ready, node.index),
                                 !!(cases[i].flags & NODE_READY));
        }
        cluster_free(cluster);
}

static void test_images(void **state) {
        struct cluster *cluster = cluster_for_test();
        int64_t size;
        uint32_t count;
        (void)state;
        put(cluster, OBJECT_NODE,
            "{'metadata':{'name':'n1'},'status':{'images':[{'names':['a','a@1'],'sizeBytes':5},"
            "{'names':['b'],'sizeBytes':6}]}}");
        put(cluster, OBJECT_NODE,
            "{'metadata':{'name':'n2'},'status':{'images':[{'names':['a','a'],'sizeBytes':7}]}}");
        struct str_id a = str(cluster, "a"), b = str(cluster, "b");
        struct node_id first = cluster_find_node(cluster, SLICE_LITERAL("n1"));
        struct node_id second = cluster_find_node(cluster, SLICE_LITERAL("n2"));
        assert_true(cluster_image(cluster, a, &size, &count));
        assert_int_equal(size, 5);
        assert_int_equal(count, 2);
        assert_true(cluster_node_has_image(cluster, second, a));
        assert_true(cluster_node_has_image(cluster, first, b));
        assert_false(cluster_node_has_image(cluster, second, b));
        cluster_remove_node(cluster, SLICE_LITERAL("n1"));
        assert_true(cluster_image(cluster, a, &size, &count));
        assert_int_equal(count, 1);
        assert_false(cluster_image(cluster, b, &size, &count));
        assert_int_equal(cluster_check(cluster, NULL), 0);
        cluster_free(cluster);
}

static void test_taint_sets(void **state) {
        struct cluster *cluster = cluster_for_test();
        const struct taint *taints;
        (void)state;
        for (int i = 0; i < 4; i++)
                put(cluster, OBJECT_NODE, "{'metadata':{'name':'n%d'},'spec':{'taints':[%s]}}", i,
                    i % 2 ? "{'key':'k','value':'v','effect':'NoExecute'}" : "");
        const struct node_table *nodes = cluster_nodes(cluster);
        struct node_id bare = cluster_find_node(cluster, SLICE_LITERAL("n0"));
        struct node_id tainted = cluster_find_node(cluster, SLICE_LITERAL("n1"));
        struct taint_set_id set = nodes->taints[tainted.index];
        assert_int_equal(nodes->taints[bare.index].index, 0);
        assert_int_equal(cluster_taints(cluster, set, &taints), 1);
        assert_string_equal(taints[0].key.ptr, "k");
        assert_string_equal(taints[0].value.ptr, "v");
        assert_int_equal(taints[0].effect, TAINT_NO_EXECUTE);
        assert_int_equal(bitset_count(cluster_nodes_with_taints(cluster, set)), 2);
        assert_int_equal(
                bitset_count(cluster_nodes_with_taints(cluster, (struct taint_set_id){ 0 })), 2);
        assert_true(set.index < cluster_taint_set_cap(cluster));
        put(cluster, OBJECT_NODE, "{'metadata':{'name':'n1'}}");
        put(cluster, OBJECT_NODE, "{'metadata':{'name':'n3'}}");
        assert_null(cluster_nodes_with_taints(cluster, set));
        assert_int_equal(cluster_check(cluster, NULL), 0);
        cluster_free(cluster);
}

static void test_features(void **state) {
        struct cluster *cluster = cluster_for_test();
        const struct label_pair *pairs;
        (void)state;
        put(cluster, OBJECT_NODE,
            "{'metadata':{'name':'n1'},'status':{'declaredFeatures':['f','g','f']}}");
        struct node_id node = cluster_find_node(cluster, SLICE_LITERAL("n1"));
        struct label_set_id set = cluster_node_features(cluster, node);
        assert_int_equal(cluster_label_pairs(cluster, set, &pairs), 2);
        assert_int_equal(pairs[0].key.index, str(cluster, "f").index);
        cluster_free(cluster);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_masks_of_updates),
                cmocka_unit_test(test_a_new_uid_is_another_node),
                cmocka_unit_test(test_columns),
                cmocka_unit_test(test_resources_are_bounded),
                cmocka_unit_test(test_cells_are_bounded),
                cmocka_unit_test(test_ready_and_flags),
                cmocka_unit_test(test_images),
                cmocka_unit_test(test_taint_sets),
                cmocka_unit_test(test_features),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
