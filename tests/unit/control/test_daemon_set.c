/* DaemonSets: which nodes get a pod, what drives it away, updates. */
#include "cluster.h"

#define SETS "/apis/apps/v1/namespaces/default/daemonsets"
#define D SETS "/d"
#define SET(spec, pod)                                                                             \
        "{'metadata':{'name':'d'},'spec':{" spec "'selector':{'matchLabels':{'a':'b'}},"           \
        "'template':{'metadata':{'labels':{'a':'b'}},'spec':{" pod                                 \
        "'containers':[{'name':'c','image':'v1'}]}}}}"
#define STATUS(field) cluster_field(&c, D, "/status/" field)

static struct cluster cluster_with(const char *set, unsigned nodes) {
        struct cluster c = cluster_new("kubelet,nodelifecycle,daemonset");
        struct err err;

        assert_int_equal(control_add_nodes(c.control, nodes - 1,
                                           &(struct control_node){ .prefix = "n" }, &err),
                         0);
        cluster_wait(&c, 100);
        assert_int_equal(cluster_post(&c, SETS, set), 201);
        return c;
}

/* As the scheduler would: every pod goes where its affinity says. */
static void bind_all(struct cluster *c) {
        const char *path = PODS "?fieldSelector=spec.nodeName%3D";
        size_t count = cluster_count(c, path);

        for (size_t i = 0; i < count; i++) {
                char target[256], body[512], name[128];

                snprintf(name, sizeof(name), "%s", cluster_item(c, path, 0, "/metadata/name"));
                snprintf(body, sizeof(body),
                         "{'metadata':{'name':'%s'},'target':{'kind':'Node','name':'%s'}}", name,
                         cluster_item(c, path, 0,
                                      "/spec/affinity/nodeAffinity/"
                                      "requiredDuringSchedulingIgnoredDuringExecution/"
                                      "nodeSelectorTerms/0/matchFields/0/values/0"));
                snprintf(target, sizeof(target), PODS "/%s/binding", name);
                assert_int_equal(cluster_post(c, target, body), 201);
        }
}

static void run_for(struct cluster *c, int seconds) {
        for (int i = 0; i < seconds * 2; i++) {
                bind_all(c);
                cluster_wait(c, 500);
        }
}

static void test_every_node(void **state) {
        struct cluster c = cluster_with(SET("", ""), 3);
        struct err err;

        (void)state;
        assert_int_equal(cluster_count(&c, PODS), 3);
        assert_string_equal(STATUS("desiredNumberScheduled"), "3");
        assert_string_equal(cluster_item(&c, PODS, 0,
                                         "/spec/tolerations/key=node.kubernetes.io~unschedulable/"
                                         "operator"),
                            "Exists");
        run_for(&c, 1);
        assert_string_equal(STATUS("numberReady"), "3");
        assert_string_equal(STATUS("numberAvailable"), "3");
        assert_string_equal(STATUS("updatedNumberScheduled"), "3");
        control_add_nodes(c.control, 1, &(struct control_node){ .prefix = "n" }, &err);
        cluster_wait(&c, 1000);
        assert_int_equal(cluster_count(&c, PODS), 4);
        cluster_free(&c);
}

static void test_selected_nodes(void **state) {
        struct cluster c =
                cluster_with(SET("", "'nodeSelector':{'kubernetes.io/hostname':'n1'},"), 3);

        (void)state;
        assert_int_equal(cluster_count(&c, PODS), 1);
        run_for(&c, 1);
        assert_string_equal(cluster_item(&c, PODS, 0, "/spec/nodeName"), "n1");
        cluster_merge(&c, NODES "/n1", "{'metadata':{'labels':{'kubernetes.io/hostname':'x'}}}");
        run_for(&c, 1);
        assert_int_equal(cluster_count(&c, PODS), 0);
        assert_string_equal(STATUS("desiredNumberScheduled"), "0");
        cluster_free(&c);
}

static void test_taints(void **state) {
        struct cluster c = cluster_with(SET("", ""), 2);

        (void)state;
        run_for(&c, 1);
        cluster_merge(&c, NODES "/n0", "{'spec':{'unschedulable':true}}");
        run_for(&c, 1);
        assert_int_equal(cluster_count(&c, PODS), 2);
        assert_string_equal(STATUS("desiredNumberScheduled"), "2");
        cluster_merge(&c, NODES "/n1", "{'spec':{'taints':[{'key':'k','effect':'NoSchedule'}]}}");
        run_for(&c, 1);
        assert_int_equal(cluster_count(&c, PODS), 2); /* stays where it is */
        assert_string_equal(STATUS("numberMisscheduled"), "1");
        cluster_merge(&c, NODES "/n1", "{'spec':{'taints':[{'key':'k','effect':'NoExecute'}]}}");
        run_for(&c, 1);
        assert_int_equal(cluster_count(&c, PODS), 1);
        cluster_free(&c);
}

static void test_failed_pod(void **state) {
        struct cluster c = cluster_with(SET("", ""), 1);
        char path[256];

        (void)state;
        run_for(&c, 1);
        snprintf(path, sizeof(path), PODS "/%s", cluster_item(&c, PODS, 0, "/metadata/name"));
        cluster_merge(&c, path, "{'metadata':{'annotations':{'sandbox.berth.dev/fail':'1s'}}}");
        run_for(&c, 3);
        assert_string_equal(cluster_field(&c, path, "/status/phase"), "gone");
        assert_int_equal(cluster_count(&c, PODS), 1);
        assert_string_not_equal(cluster_event(&c, "d", "FailedDaemonPod"), "gone");
        cluster_free(&c);
}

static void test_update(void **state) {
        struct cluster c = cluster_with(SET("", ""), 3);

        (void)state;
        run_for(&c, 1);
        cluster_merge(&c, D,
                      "{'spec':{'template':{'spec':{'containers':[{'name':'c','image':'v2'}"
                      "]}}}}");
        for (int i = 0; i < 10; i++) {
                run_for(&c, 1);
                assert_true(cluster_number(STATUS("numberUnavailable")) <= 1);
        }
        assert_string_equal(STATUS("updatedNumberScheduled"), "3");
        assert_string_equal(STATUS("numberAvailable"), "3");
        assert_string_equal(cluster_item(&c, PODS, 0, "/spec/containers/0/image"), "v2");
        cluster_free(&c);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_every_node), cmocka_unit_test(test_selected_nodes),
                cmocka_unit_test(test_taints),     cmocka_unit_test(test_failed_pod),
                cmocka_unit_test(test_update),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
