/* Garbage collection: background, foreground, orphans, several owners; and namespaces that go. */
#include "cluster.h"

#define MAPS "/api/v1/namespaces/default/configmaps"

/* A config map owned by others, "" = nobody; blocking references. */
static void make(struct cluster *c, const char *name, const char *a, const char *b) {
        const char *const owners[] = { a, b };
        char body[1024];
        int size =
                snprintf(body, sizeof(body), "{'metadata':{'name':'%s','ownerReferences':[", name);

        for (int i = 0; i < 2; i++) {
                char path[128];

                if (!*owners[i])
                        continue;
                snprintf(path, sizeof(path), MAPS "/%s", owners[i]);
                size += snprintf(body + size, sizeof(body) - (size_t)size,
                                 "%s{'apiVersion':'v1','kind':'ConfigMap','name':'%s','uid':'%s',"
                                 "'blockOwnerDeletion':true}",
                                 i ? "," : "", owners[i], cluster_field(c, path, "/metadata/uid"));
        }
        snprintf(body + size, sizeof(body) - (size_t)size, "]}}");
        assert_int_equal(cluster_post(c, MAPS, body), 201);
}

static bool has(struct cluster *c, const char *name) {
        char path[128];

        snprintf(path, sizeof(path), MAPS "/%s", name);
        return strcmp(cluster_field(c, path, "/metadata/name"), "gone") != 0;
}

static void test_background(void **state) {
        struct cluster c = cluster_new("garbage-collector-controller");

        (void)state;
        make(&c, "a", "", "");
        make(&c, "b", "a", "");
        make(&c, "c", "b", "");
        cluster_ask(&c, "DELETE", MAPS "/a", NULL);
        assert_false(has(&c, "b"));
        assert_false(has(&c, "c"));
        cluster_free(&c);
}

static void test_second_owner_keeps(void **state) {
        struct cluster c = cluster_new("garbagecollector");

        (void)state;
        make(&c, "a", "", "");
        make(&c, "b", "", "");
        make(&c, "c", "a", "b");
        cluster_ask(&c, "DELETE", MAPS "/a", NULL);
        assert_true(has(&c, "c"));
        assert_string_equal(cluster_field(&c, MAPS "/c", "/metadata/ownerReferences/0/name"), "b");
        assert_string_equal(cluster_field(&c, MAPS "/c", "/metadata/ownerReferences/1/name"), "");
        cluster_ask(&c, "DELETE", MAPS "/b", NULL);
        assert_false(has(&c, "c"));
        cluster_free(&c);
}

static void test_owner_that_never_was(void **state) {
        struct cluster c = cluster_new("garbagecollector");

        (void)state;
        cluster_post(&c, MAPS,
                     "{'metadata':{'name':'x','ownerReferences':[{'apiVersion':'v1','kind':"
                     "'ConfigMap','name':'none','uid':'0'}]}}");
        assert_false(has(&c, "x"));
        cluster_post(&c, MAPS,
                     "{'metadata':{'name':'y','ownerReferences':[{'apiVersion':'x.io/v1','kind':"
                     "'Unknown','name':'none','uid':'0'}]}}");
        assert_true(has(&c, "y")); /* nobody can tell whether that owner exists */
        cluster_free(&c);
}

/* Same name, other uid: the owner is gone all the same. */
static void test_owner_made_anew(void **state) {
        struct cluster c = cluster_new("garbagecollector");

        (void)state;
        make(&c, "a", "", "");
        cluster_post(&c, MAPS,
                     "{'metadata':{'name':'b','ownerReferences':[{'apiVersion':'v1','kind':"
                     "'ConfigMap','name':'a','uid':'another'}]}}");
        assert_false(has(&c, "b"));
        cluster_free(&c);
}

static void test_foreground(void **state) {
        struct cluster c = cluster_new("garbagecollector");

        (void)state;
        make(&c, "a", "", "");
        make(&c, "b", "a", "");
        make(&c, "c", "b", "");
        cluster_merge(&c, MAPS "/c", "{'metadata':{'finalizers':['x.io/hold']}}");
        cluster_ask(&c, "DELETE", MAPS "/a?propagationPolicy=Foreground", NULL);
        assert_true(has(&c, "a"));
        assert_true(has(&c, "b"));
        assert_string_not_equal(cluster_field(&c, MAPS "/c", "/metadata/deletionTimestamp"), "");
        cluster_merge(&c, MAPS "/c", "{'metadata':{'finalizers':null}}");
        assert_false(has(&c, "c"));
        assert_false(has(&c, "b"));
        assert_false(has(&c, "a"));
        cluster_free(&c);
}

static void test_foreground_without_dependents(void **state) {
        struct cluster c = cluster_new("garbagecollector");

        (void)state;
        make(&c, "a", "", "");
        cluster_ask(&c, "DELETE", MAPS "/a?propagationPolicy=Foreground", NULL);
        assert_false(has(&c, "a"));
        cluster_free(&c);
}

static void test_orphan(void **state) {
        struct cluster c = cluster_new("garbagecollector");

        (void)state;
        make(&c, "a", "", "");
        make(&c, "b", "a", "");
        make(&c, "c", "a", "");
        cluster_ask(&c, "DELETE", MAPS "/a?propagationPolicy=Orphan", NULL);
        assert_false(has(&c, "a"));
        assert_true(has(&c, "b"));
        assert_true(has(&c, "c"));
        assert_string_equal(cluster_field(&c, MAPS "/b", "/metadata/ownerReferences"), "");
        cluster_free(&c);
}

/* What was there before the controllers came is collected as well. */
static void test_late_start(void **state) {
        struct cluster c = cluster_new("none");
        struct err err;

        (void)state;
        make(&c, "a", "", "");
        make(&c, "b", "a", "");
        cluster_ask(&c, "DELETE", MAPS "/a", NULL);
        assert_true(has(&c, "b"));
        control_free(c.control);
        assert_int_equal(control_new(&(struct control_config){ .loop = virtual_loop_get(c.loop),
                                                               .server = c.server,
                                                               .controllers = "*" },
                                     &c.control, &err),
                         0);
        cluster_wait(&c, 100);
        assert_false(has(&c, "b"));
        cluster_free(&c);
}

static void test_deployment_goes(void **state) {
        struct cluster c = cluster_new("*");

        (void)state;
        cluster_post(&c, "/apis/apps/v1/namespaces/default/deployments",
                     "{'metadata':{'name':'d'},'spec':{'replicas':3,'selector':{'matchLabels':{'a':"
                     "'b'}},'template':{'metadata':{'labels':{'a':'b'}},'spec':{'containers':"
                     "[{'name':'c','image':'i'}]}}}}");
        cluster_schedule(&c);
        cluster_wait(&c, 1000);
        assert_int_equal(cluster_count(&c, PODS), 3);
        cluster_ask(&c, "DELETE", "/apis/apps/v1/namespaces/default/deployments/d",
                    "{'propagationPolicy':'Foreground'}");
        cluster_wait(&c, 1000);
        assert_int_equal(cluster_count(&c, PODS), 0);
        assert_int_equal(cluster_count(&c, "/apis/apps/v1/namespaces/default/replicasets"), 0);
        assert_int_equal(cluster_count(&c, "/apis/apps/v1/namespaces/default/deployments"), 0);
        cluster_free(&c);
}

static void test_namespace(void **state) {
        struct cluster c = cluster_new("kubelet,namespace-controller");

        (void)state;
        cluster_post(&c, "/api/v1/namespaces", "{'metadata':{'name':'t'}}");
        cluster_post(&c, "/api/v1/namespaces/t/configmaps", "{'metadata':{'name':'m'}}");
        cluster_post(&c, "/api/v1/namespaces/t/pods",
                     "{'metadata':{'name':'p','annotations':{'sandbox.berth.dev/shutdown':'3s'}},"
                     "'spec':{'nodeName':'n0','containers':[{'name':'c','image':'i'}]}}");
        cluster_wait(&c, 1000);
        cluster_ask(&c, "DELETE", "/api/v1/namespaces/t", NULL);
        assert_string_equal(cluster_field(&c, "/api/v1/namespaces/t", "/status/phase"),
                            "Terminating");
        assert_int_equal(cluster_count(&c, "/api/v1/namespaces/t/configmaps"), 0);
        cluster_wait(&c, 4000);
        assert_string_equal(cluster_field(&c, "/api/v1/namespaces/t", "/status/phase"), "gone");
        cluster_free(&c);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_background),
                cmocka_unit_test(test_second_owner_keeps),
                cmocka_unit_test(test_owner_that_never_was),
                cmocka_unit_test(test_owner_made_anew),
                cmocka_unit_test(test_foreground),
                cmocka_unit_test(test_foreground_without_dependents),
                cmocka_unit_test(test_orphan),
                cmocka_unit_test(test_late_start),
                cmocka_unit_test(test_deployment_goes),
                cmocka_unit_test(test_namespace),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
