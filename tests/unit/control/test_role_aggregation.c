/* ClusterRoles with an aggregationRule: which rules they gather, and when. */
#include "cluster.h"

#define ROLES "/apis/rbac.authorization.k8s.io/v1/clusterroles"
#define PART(name, label, resource)                                                                \
        "{'metadata':{'name':'" name "','labels':{" label "}},'rules':[{'apiGroups':[''],"         \
        "'resources':['" resource "'],'verbs':['get']}]}"
#define SUM                                                                                        \
        "{'metadata':{'name':'sum'},'aggregationRule':{'clusterRoleSelectors':[{'matchLabels':{"   \
        "'a':'b'}},{'matchExpressions':[{'key':'c','operator':'Exists'}]}]}}"
#define RESOURCE(index) cluster_field(&c, ROLES "/sum", "/rules/" index "/resources/0")

static void test_gathers(void **state) {
        struct cluster c = cluster_new("clusterrole-aggregation");

        (void)state;
        assert_int_equal(cluster_post(&c, ROLES, PART("z", "'a':'b'", "pods")), 201);
        assert_int_equal(cluster_post(&c, ROLES, PART("y", "'c':''", "nodes")), 201);
        assert_int_equal(cluster_post(&c, ROLES, PART("x", "'d':''", "secrets")), 201);
        assert_int_equal(cluster_post(&c, ROLES, SUM), 201);
        cluster_wait(&c, 100);
        assert_string_equal(RESOURCE("0"), "pods");
        assert_string_equal(RESOURCE("1"), "nodes");
        assert_string_equal(RESOURCE("2"), "");
        assert_string_equal(cluster_field(&c, ROLES "/sum", "/metadata/managedFields/0/manager"),
                            "clusterrole-aggregation-controller");

        /* The same rule again, and a part that comes and goes. */
        assert_int_equal(cluster_post(&c, ROLES, PART("b", "'a':'b'", "pods")), 201);
        assert_int_equal(cluster_post(&c, ROLES, PART("a", "'a':'b'", "events")), 201);
        cluster_wait(&c, 100);
        assert_string_equal(RESOURCE("0"), "events");
        assert_string_equal(RESOURCE("1"), "pods");
        assert_string_equal(RESOURCE("2"), "nodes");
        assert_int_equal(cluster_ask(&c, "DELETE", ROLES "/a", ""), 200);
        assert_int_equal(cluster_merge(&c, ROLES "/y", "{'metadata':{'labels':{'c':null}}}"), 200);
        cluster_wait(&c, 100);
        assert_string_equal(RESOURCE("0"), "pods");
        assert_string_equal(RESOURCE("1"), "");
        cluster_free(&c);
}

/* The roles for people are as the controller would make them: it writes nothing at the start. */
static void test_defaults(void **state) {
        struct cluster c = cluster_new("none");
        char before[32];

        (void)state;
        snprintf(before, sizeof(before), "%s",
                 cluster_field(&c, ROLES "/edit", "/metadata/resourceVersion"));
        cluster_free(&c);
        c = cluster_new("clusterrole-aggregation-controller");
        cluster_wait(&c, 1000);
        assert_string_equal(cluster_field(&c, ROLES "/edit", "/metadata/resourceVersion"), before);
        assert_int_equal(cluster_count(&c, ROLES "?labelSelector=rbac.authorization.k8s.io%2F"
                                                 "aggregate-to-admin"),
                         2);
        assert_int_equal(
                cluster_post(&c, ROLES,
                             PART("more", "'rbac.authorization.k8s.io/aggregate-to-view':'true'",
                                  "widgets")),
                201);
        cluster_wait(&c, 1000);
        assert_string_equal(cluster_field(&c, ROLES "/view", "/rules/0/resources/0"), "widgets");
        assert_int_not_equal(
                strcmp(cluster_field(&c, ROLES "/admin", "/metadata/resourceVersion"), before), 0);
        cluster_free(&c);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_gathers),
                cmocka_unit_test(test_defaults),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
