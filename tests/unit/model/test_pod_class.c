/* Classes: which pods share one, and what it keeps of a spec. */
#include "model_test.h"

static const struct pod_class *class_of(struct cluster *cluster, const char *name, const char *spec,
                                        const char *status) {
        put(cluster, OBJECT_POD,
            "{'metadata':{'namespace':'ns','name':'%s'},'spec':{%s},'status':{%s}}", name, spec,
            status);
        struct pod_id pod = cluster_find_pod(cluster, SLICE_LITERAL("ns"), slice_of(name));
        return cluster_class(cluster, cluster_pod(cluster, pod)->class);
}

#define C(resources) "'containers':[{'name':'c','resources':{" resources "}}]"
#define ONE_CPU C("'requests':{'cpu':'1'}")
#define ACTUAL(amount)                                                                             \
        "'containerStatuses':[{'name':'c','resources':{'requests':{'cpu':'" amount                 \
        "'}},'allocatedResources':{'cpu':'" amount "'}}]"

static void test_sharing(void **state) {
        static const struct {
                const char *name, *spec, *status;
                bool is_shared; /* with a pod of ONE_CPU */
        } cases[] = {
                { "same", ONE_CPU, "", true },
                { "node", "'nodeName':'n1'," ONE_CPU, "", true },
                { "token volume", ONE_CPU ",'volumes':[{'name':'api-x7','projected':{}}]", "",
                  true },
                { "config volume", ONE_CPU ",'volumes':[{'name':'c','configMap':{'name':'m'}}]", "",
                  true },
                { "actual as wanted", ONE_CPU, ACTUAL("1"), true },
                { "actual above", ONE_CPU, ACTUAL("2"), false },
                { "request", C("'requests':{'cpu':'2'}"), "", false },
                { "limit", C("'requests':{'cpu':'1'},'limits':{'cpu':'1'}"), "", false },
                { "image",
                  "'containers':[{'name':'c','image':'i','resources':{'requests':{"
                  "'cpu':'1'}}}]",
                  "", false },
                { "selector", ONE_CPU ",'nodeSelector':{'a':'b'}", "", false },
                { "priority", ONE_CPU ",'priority':3", "", false },
                { "gate", ONE_CPU ",'schedulingGates':[{'name':'g'}]", "", false },
                { "claim",
                  ONE_CPU ",'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':"
                          "'x'}}]",
                  "", false },
                { "disk", ONE_CPU ",'volumes':[{'name':'v','gcePersistentDisk':{'pdName':'x'}}]",
                  "", false },
        };
        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct cluster *cluster = cluster_for_test();
                const struct pod_class *class = class_of(cluster, "first", ONE_CPU, "");
                bool is_shared =
                        class == class_of(cluster, "second", cases[i].spec, cases[i].status);
                if (is_shared != cases[i].is_shared)
                        fail_msg("%s", cases[i].name);
                assert_int_equal(class->ref_count, 1 + is_shared);
                assert_int_equal(cluster_check(cluster, NULL), 0);
                cluster_free(cluster);
        }
}

#define PINNED(node)                                                                               \
        ONE_CPU ",'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{"  \
                "'nodeSelectorTerms':[{'matchFields':[{'key':'metadata.name','operator':'In',"     \
                "'values':['" node "']}]}]}}}"

/* The pods of a DaemonSet: a class each, over one body. */
static void test_pinned_pods_share_a_body(void **state) {
        struct cluster *cluster = cluster_for_test();
        const struct pod_class *one = class_of(cluster, "a", PINNED("n1"), "");
        const struct pod_class *two = class_of(cluster, "b", PINNED("n2"), "");
        (void)state;
        assert_ptr_not_equal(one, two);
        assert_ptr_equal(one->spec.containers, two->spec.containers);
        assert_ptr_equal(one->requests, two->requests);
        assert_true(slice_is(one->spec.affinity.required_node[0].fields[0].values[0], "n1"));
        assert_true(slice_is(two->spec.affinity.required_node[0].fields[0].values[0], "n2"));
        assert_ptr_equal(two, class_of(cluster, "c", PINNED("n2"), ""));
        assert_int_equal(cluster_check(cluster, NULL), 0);
        cluster_remove_pod(cluster, SLICE_LITERAL("ns"), SLICE_LITERAL("a"));
        assert_int_equal(two->request_count, 1);
        assert_int_equal(cluster_check(cluster, NULL), 0);
        cluster_free(cluster);
}

static void test_claims_share_by_claim(void **state) {
        struct cluster *cluster = cluster_for_test();
        static const char spec[] = "'containers':[],'volumes':[{'name':'%s',"
                                   "'persistentVolumeClaim':{'claimName':'x'}}]";
        char first[256], second[256];
        (void)state;
        snprintf(first, sizeof(first), spec, "one");
        snprintf(second, sizeof(second), spec, "two");
        assert_ptr_equal(class_of(cluster, "a", first, ""), class_of(cluster, "b", second, ""));
        cluster_free(cluster);
}

/* A resize in progress counts with the most of what is wanted, given and promised. */
static void test_resize(void **state) {
        static const struct {
                const char *status;
                int64_t cpu_milli;
        } cases[] = {
                { ACTUAL("2"), 2000 },
                { ACTUAL("1"), 1000 },
                { ACTUAL("2") ",'resize':'Infeasible'", 2000 },
                { "", 1000 },
        };
        struct cluster *cluster = cluster_for_test();
        struct node_id node = put_node(cluster, "n1", "");
        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                class_of(cluster, "a", "'nodeName':'n1'," ONE_CPU, cases[i].status);
                assert_int_equal(requested(cluster, node, RESOURCE_CPU), cases[i].cpu_milli);
                assert_int_equal(cluster_check(cluster, NULL), 0);
        }
        cluster_free(cluster);
}

static void test_content_outlives_the_object(void **state) {
        struct cluster *cluster = cluster_for_test();
        const struct pod_class *class = class_of(
                cluster, "a",
                "'schedulerName':'mine','nodeSelector':{'k':'v'},'priority':9,'hostNetwork':true,"
                "'containers':[{'name':'c','image':'i:1','ports':[{'containerPort':1,'hostPort':2,"
                "'hostIP':'10.0.0.1','protocol':'UDP'},{'containerPort':3},{'containerPort':4,"
                "'hostPort':5}],'resources':{'requests':{'cpu':'100m','x.com/g':'1'}}}],"
                "'initContainers':[{'name':'s','restartPolicy':'Always','ports':[{'containerPort':"
                "5,'hostPort':5},{'containerPort':6,'hostPort':6}]},{'name':'i','ports':["
                "{'containerPort':7,'hostPort':7}]}],"
                "'tolerations':[{'key':'t','operator':'Exists','tolerationSeconds':4}],"
                "'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{"
                "'nodeSelectorTerms':[{'matchExpressions':[{'key':'z','operator':'In','values':["
                "'b','a']}]}]}},'podAntiAffinity':{'requiredDuringSchedulingIgnoredDuringExecution'"
                ":[{'topologyKey':'host','namespaces':['other'],'labelSelector':{'matchLabels':{"
                "'app':'web'}}}]}},'topologySpreadConstraints':[{'maxSkew':2,'topologyKey':'zone',"
                "'whenUnsatisfiable':'DoNotSchedule','labelSelector':{}}],'volumes':[{'name':'e',"
                "'emptyDir':{}},{'name':'d','gcePersistentDisk':{'pdName':'disk'}}]",
                "");
        const struct pod_spec *spec = &class->spec;
        (void)state;
        assert_true(slice_is(spec->scheduler_name, "mine"));
        assert_true(slice_is(spec->node_selector.items[0].value, "v"));
        assert_int_equal(spec->priority, 9);
        assert_true(spec->uses_host_network);
        assert_true(slice_is(spec->containers[0].image, "i:1"));
        assert_int_equal(spec->containers[0].port_count, 3);
        assert_true(spec->init[0].is_sidecar);
        assert_int_equal(spec->tolerations[0].seconds, 4);
        assert_true(slice_is(spec->affinity.required_node[0].expressions[0].key, "z"));
        assert_int_equal(spec->affinity.required_node[0].expressions[0].value_count, 2);
        const struct pod_affinity_term *term = &spec->affinity.pod_anti.required[0];
        assert_true(slice_is(term->namespaces[0], "other"));
        assert_true(slice_is(term->selector.requirements[0].values[0], "web"));
        assert_int_equal(spec->spread[0].max_skew, 2);
        assert_true(spec->spread[0].has_selector);
        assert_int_equal(spec->volume_count, 2);
        assert_true(slice_is(
                json_get_text(json_get(spec->volumes[1].source, "gcePersistentDisk"), "pdName"),
                "disk"));
        assert_true(class->uses_local_storage);
        assert_int_equal(class->qos, QOS_BURSTABLE);
        assert_int_equal(class->request_count, 2);
        assert_int_equal(class->port_count, 3);
        assert_string_equal(cluster_text(cluster, class->ports[0].ip).ptr, "10.0.0.1");
        assert_string_equal(cluster_text(cluster, class->ports[0].protocol).ptr, "UDP");
        assert_string_equal(cluster_text(cluster, class->ports[1].ip).ptr, "0.0.0.0");
        assert_int_equal(class->ports[1].port, 5);
        assert_int_equal(class->ports[2].port, 6);
        cluster_free(cluster);
}

static void test_ports_of_a_node(void **state) {
        static const char spec[] =
                "'nodeName':'n1','containers':[{'name':'c','ports':[{'containerPort':80,"
                "'hostPort':%d}]}]";
        struct cluster *cluster = cluster_for_test();
        struct node_id node = put_node(cluster, "n1", "");
        char text[256], name[16];
        (void)state;
        for (int i = 0; i < 6; i++) {
                snprintf(text, sizeof(text), spec, 80 + i / 2);
                snprintf(name, sizeof(name), "p%d", i);
                class_of(cluster, name, text, "");
        }
        const struct node_table *nodes = cluster_nodes(cluster);
        assert_int_equal(nodes->port_count[node.index], 3);
        assert_int_equal(nodes->ports[node.index][0].port.port, 80);
        assert_int_equal(nodes->ports[node.index][0].count, 2);
        cluster_remove_pod(cluster, SLICE_LITERAL("ns"), SLICE_LITERAL("p0"));
        assert_int_equal(nodes->port_count[node.index], 3);
        cluster_remove_pod(cluster, SLICE_LITERAL("ns"), SLICE_LITERAL("p1"));
        assert_int_equal(nodes->port_count[node.index], 2);
        assert_int_equal(cluster_check(cluster, NULL), 0);
        cluster_free(cluster);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_sharing),
                cmocka_unit_test(test_pinned_pods_share_a_body),
                cmocka_unit_test(test_claims_share_by_claim),
                cmocka_unit_test(test_resize),
                cmocka_unit_test(test_content_outlives_the_object),
                cmocka_unit_test(test_ports_of_a_node),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
