/* Persistent volumes: matching, provisioning, waiting for a pod, reclaiming. */
#include "cluster.h"

#define CLAIMS "/api/v1/namespaces/default/persistentvolumeclaims"
#define VOLUMES "/api/v1/persistentvolumes"
#define CLASSES "/apis/storage.k8s.io/v1/storageclasses"
#define C CLAIMS "/c"
#define CLAIM(spec)                                                                                \
        "{'metadata':{'name':'c'},'spec':{" spec "'accessModes':['ReadWriteOnce'],'resources':"    \
        "{'requests':{'storage':'2Gi'}}}}"
#define VOLUME(name, size, more)                                                                   \
        "{'metadata':{'name':'" name "'},'spec':{'capacity':{'storage':'" size "'}," more          \
        "'accessModes':['ReadWriteOnce','ReadOnlyMany'],'hostPath':{'path':'/x'}}}"
#define CLASS(name, more) "{'metadata':{'name':'" name "'},'provisioner':'sim.berth.dev'" more "}"

static struct cluster cluster_with(const char *claim) {
        struct cluster c = cluster_new("persistentvolume-binder,pvc-protection,pv-protection");

        assert_int_equal(cluster_post(&c, CLAIMS, claim), 201);
        return c;
}

static void test_smallest_that_suits(void **state) {
        struct cluster c = cluster_with(CLAIM("'storageClassName':'',"));

        (void)state;
        assert_string_equal(cluster_field(&c, C, "/status/phase"), "Pending");
        assert_int_equal(
                cluster_post(&c, VOLUMES, VOLUME("other", "2Gi", "'storageClassName':'x',")), 201);
        assert_int_equal(cluster_post(&c, VOLUMES, VOLUME("small", "1Gi", "")), 201);
        assert_string_equal(cluster_field(&c, VOLUMES "/small", "/status/phase"), "Available");
        assert_string_equal(cluster_field(&c, C, "/status/phase"), "Pending");
        cluster_ask(&c, "DELETE", C, NULL);
        cluster_post(&c, VOLUMES, VOLUME("large", "5Gi", ""));
        cluster_post(&c, VOLUMES, VOLUME("fits", "3Gi", ""));
        cluster_post(&c, CLAIMS, CLAIM("'storageClassName':'',"));
        assert_string_equal(cluster_field(&c, C, "/spec/volumeName"), "fits");
        assert_string_equal(cluster_field(&c, C, "/status/phase"), "Bound");
        assert_string_equal(cluster_field(&c, C, "/status/capacity/storage"), "3Gi");
        assert_string_equal(cluster_field(&c, VOLUMES "/fits", "/status/phase"), "Bound");
        assert_string_equal(cluster_field(&c, VOLUMES "/fits", "/spec/claimRef/name"), "c");
        cluster_ask(&c, "DELETE", C, NULL);
        assert_string_equal(cluster_field(&c, VOLUMES "/fits", "/status/phase"), "Released");
        cluster_free(&c);
}

static void test_provisioning(void **state) {
        struct cluster c = cluster_with(CLAIM("'storageClassName':'fast',"));

        (void)state;
        assert_string_equal(cluster_field(&c, C, "/status/phase"), "Pending");
        assert_int_equal(cluster_post(&c, CLASSES, CLASS("fast", "")), 201);
        assert_string_equal(cluster_field(&c, C, "/status/phase"), "Bound");
        assert_string_equal(cluster_item(&c, VOLUMES, 0, "/spec/csi/driver"), "sim.berth.dev");
        assert_string_equal(cluster_item(&c, VOLUMES, 0, "/spec/capacity/storage"), "2Gi");
        assert_string_equal(cluster_item(&c, VOLUMES, 0, "/status/phase"), "Bound");
        cluster_ask(&c, "DELETE", C, NULL); /* reclaim policy Delete */
        assert_int_equal(cluster_count(&c, VOLUMES), 0);
        cluster_free(&c);
}

static void test_default_class(void **state) {
        struct cluster c = cluster_with(CLAIM(""));

        (void)state;
        assert_string_equal(cluster_field(&c, C, "/status/phase"), "Pending");
        cluster_post(&c, CLASSES,
                     "{'metadata':{'name':'usual','annotations':{'storageclass.kubernetes.io/"
                     "is-default-class':'true'}},'provisioner':'sim.berth.dev'}");
        assert_string_equal(cluster_field(&c, C, "/spec/storageClassName"), "usual");
        assert_string_equal(cluster_field(&c, C, "/status/phase"), "Bound");
        cluster_free(&c);
}

static void test_waits_for_a_pod(void **state) {
        struct cluster c = cluster_new("persistentvolume-binder,pvc-protection,pv-protection");
        struct err err;

        (void)state;
        control_add_nodes(c.control, 1, &(struct control_node){ .prefix = "n", .zones = 1 }, &err);
        cluster_post(&c, CLASSES, CLASS("late", ",'volumeBindingMode':'WaitForFirstConsumer'"));
        cluster_post(&c, CLAIMS, CLAIM("'storageClassName':'late',"));
        assert_string_equal(cluster_field(&c, C, "/status/phase"), "Pending");
        assert_string_equal(cluster_event(&c, "c", "WaitForFirstConsumer"),
                            "waiting for first consumer to be created before binding");
        cluster_merge(&c, C,
                      "{'metadata':{'annotations':{'volume.kubernetes.io/selected-node':'n0'}}}");
        assert_string_equal(cluster_field(&c, C, "/status/phase"), "Bound");
        assert_string_equal(cluster_item(&c, VOLUMES, 0,
                                         "/spec/nodeAffinity/required/nodeSelectorTerms/0/"
                                         "matchExpressions/0/values/0"),
                            "zone-0");
        cluster_free(&c);
}

static void test_bound_beforehand(void **state) {
        struct cluster c = cluster_new("persistentvolume-binder,pvc-protection,pv-protection");

        (void)state;
        cluster_post(&c, VOLUMES, VOLUME("a", "2Gi", ""));
        cluster_post(&c, VOLUMES,
                     VOLUME("mine", "9Gi", "'claimRef':{'namespace':'default','name':'c'},"));
        cluster_post(&c, CLAIMS, CLAIM("'storageClassName':'',"));
        assert_string_equal(cluster_field(&c, C, "/spec/volumeName"), "mine");
        assert_string_equal(cluster_field(&c, C, "/status/phase"), "Bound");
        assert_string_equal(cluster_field(&c, VOLUMES "/mine", "/status/phase"), "Bound");
        cluster_ask(&c, "DELETE", VOLUMES "/mine", NULL); /* stays while it is bound */
        assert_string_equal(cluster_field(&c, C, "/status/phase"), "Bound");
        cluster_merge(&c, VOLUMES "/mine", "{'metadata':{'finalizers':null}}");
        assert_string_equal(cluster_field(&c, VOLUMES "/mine", "/status/phase"), "gone");
        assert_string_equal(cluster_field(&c, C, "/status/phase"), "Lost");
        cluster_free(&c);
}

static void test_used_claim_stays(void **state) {
        struct cluster c = cluster_new("kubelet,pvc-protection");

        (void)state;
        cluster_post(&c, CLAIMS, CLAIM(""));
        cluster_post(&c, PODS,
                     "{'metadata':{'name':'p'},'spec':{'nodeName':'n0','containers':[{'name':'c',"
                     "'image':'i'}],'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':"
                     "'c'}}]}}");
        cluster_wait(&c, 1000);
        cluster_ask(&c, "DELETE", C, NULL);
        cluster_wait(&c, 1000);
        assert_string_not_equal(cluster_field(&c, C, "/metadata/deletionTimestamp"), "gone");
        cluster_ask(&c, "DELETE", PODS "/p", NULL);
        cluster_wait(&c, 1000);
        assert_string_equal(cluster_field(&c, C, "/metadata/name"), "gone");
        cluster_free(&c);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_smallest_that_suits), cmocka_unit_test(test_provisioning),
                cmocka_unit_test(test_default_class),       cmocka_unit_test(test_waits_for_a_pod),
                cmocka_unit_test(test_bound_beforehand),    cmocka_unit_test(test_used_claim_stays),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
