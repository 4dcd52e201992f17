/* Simulated devices: what annotations of nodes describe, the slices that come of it, and pods that
 * wait for their devices. */
#include "cluster.h"
#include "control/device_layout.h"

#define SLICES "/apis/resource.k8s.io/v1/resourceslices"
#define N0 SLICES "/n0-gpu.example.com-0"
#define CLAIMS "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims"

static void annotate(struct cluster *c, const char *key, const char *value) {
        char patch[1024];

        snprintf(patch, sizeof(patch), "{'metadata':{'annotations':{'sandbox.berth.dev/%s':%s}}}",
                 key, value);
        assert_int_equal(cluster_merge(c, NODES "/n0", patch), 200);
}

static void test_layouts_that_are_wrong(void **state) {
        static const char *const wrong[][2] = {
                { "gpu.example.com", "expected DRIVER COUNT [OPTION...]" },
                { "d.io 0", "count: \"0\", expected 1 to 256" },
                { "d.io x", "count: \"x\", expected 1 to 256" },
                { "d.io 1 shared", "\"shared\": expected KEY=VALUE or KEY:QUANTITY" },
                { "d.io 1 =x", "an attribute is KEY=VALUE" },
                { "d.io 1 memory:much",
                  "a capacity is KEY:QUANTITY or KEY:QUANTITY/STEP, not \"memory:much\"" },
                { "d.io 1 memory:1Gi/",
                  "a capacity is KEY:QUANTITY or KEY:QUANTITY/STEP, not \"memory:1Gi\"" },
                { "d.io 1 parts=7", "parts: expected PARTS:SIZE,SIZE..." },
                { "d.io 1 parts=7:8", "parts: \"8\", expected 1 to 7" },
                { "d.io 1 roots=0", "roots: \"0\", expected 1 to 256" },
                { "d.io 1 parts=2:1 memory:1Gi/1Mi", "devices have either parts or shares" },
        };
        struct device_layout layout;
        struct arena arena;

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
                struct err err = { 0 };

                arena_init(&arena, 0);
                assert_int_equal(device_layout_parse(slice_of(wrong[i][0]), &arena, &layout, &err),
                                 BERTH_ERR_INVALID);
                assert_string_equal(err.text, wrong[i][1]);
                arena_release(&arena);
        }
}

static void test_taints_that_are_wrong(void **state) {
        static const char *const wrong[] = {
                "gpu-0 a=b:NoExecute",  "d.io/gpu-0",     "d.io/gpu-0 :NoExecute",
                "d.io/gpu-0 a=b:Evict", "d.io/gpu-0 a=b", "d.io/gpu-0 a:NoExecute more",
        };
        struct device_taint_list taints;
        struct arena arena;

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
                struct err err = { 0 };

                arena_init(&arena, 0);
                assert_int_equal(device_taints_parse(slice_of(wrong[i]), &arena, &taints, &err),
                                 BERTH_ERR_INVALID);
                arena_release(&arena);
        }
}

static void test_published(void **state) {
        struct cluster c = cluster_new("kubelet,device-driver,garbage-collector-controller");

        (void)state;
        annotate(&c, "devices",
                 "'gpu.example.com 4 memory:80Gi model=a100 roots=2; nic.example.com 2 roots=2'");
        assert_int_equal(cluster_count(&c, SLICES), 2);
        assert_string_equal(cluster_field(&c, N0, "/spec/driver"), "gpu.example.com");
        assert_string_equal(cluster_field(&c, N0, "/spec/nodeName"), "n0");
        assert_string_equal(cluster_field(&c, N0, "/spec/pool/name"), "n0");
        assert_string_equal(cluster_field(&c, N0, "/spec/pool/generation"), "1");
        assert_string_equal(cluster_field(&c, N0, "/spec/pool/resourceSliceCount"), "1");
        assert_string_equal(cluster_field(&c, N0, "/spec/devices/3/name"), "gpu-3");
        assert_string_equal(cluster_field(&c, N0, "/spec/devices/3/attributes/index/int"), "3");
        assert_string_equal(cluster_field(&c, N0, "/spec/devices/3/attributes/model/string"),
                            "a100");
        assert_string_equal(cluster_field(&c, N0, "/spec/devices/3/capacity/memory/value"), "80Gi");
        assert_string_equal(
                cluster_field(&c, N0,
                              "/spec/devices/1/attributes/resource.kubernetes.io~pcieRoot/string"),
                "pci0000:00");
        assert_string_equal(
                cluster_field(&c, N0,
                              "/spec/devices/2/attributes/resource.kubernetes.io~pcieRoot/string"),
                "pci0000:01");
        assert_string_equal(
                cluster_field(&c, SLICES "/n0-nic.example.com-0", "/spec/devices/1/name"), "nic-1");
        assert_string_equal(cluster_field(&c, N0, "/spec/devices/3/attributes/type/string"),
                            "whole");
        /* What is no longer described goes, what changed has a new generation. */
        annotate(&c, "devices", "'gpu.example.com 3'");
        assert_int_equal(cluster_count(&c, SLICES), 1);
        assert_string_equal(cluster_field(&c, N0, "/spec/pool/generation"), "2");
        assert_string_equal(cluster_field(&c, N0, "/spec/devices/3"), "");
        cluster_ask(&c, "DELETE", N0, NULL); /* published again */
        assert_string_equal(cluster_field(&c, N0, "/spec/pool/generation"), "1");
        cluster_ask(&c, "DELETE", NODES "/n0", NULL);
        assert_int_equal(cluster_count(&c, SLICES), 0);
        cluster_free(&c);
}

static void test_parts(void **state) {
        struct cluster c = cluster_new("kubelet,device-driver");
        const char *devices = SLICES "/n0-gpu.example.com-1";

        (void)state;
        annotate(&c, "devices", "'gpu.example.com 8 memory:80Gi parts=7:1,2,3,4'");
        /* One slice of counters, two of devices: 8 x (1 + 7 + 3 + 2 + 1). */
        assert_int_equal(cluster_count(&c, SLICES), 3);
        assert_string_equal(cluster_field(&c, N0, "/spec/pool/resourceSliceCount"), "3");
        assert_string_equal(cluster_field(&c, N0, "/spec/sharedCounters/7/name"), "gpu-7");
        assert_string_equal(cluster_field(&c, N0, "/spec/sharedCounters/7/counters/memory/value"),
                            "80Gi");
        assert_string_equal(cluster_field(&c, N0, "/spec/sharedCounters/7/counters/parts/value"),
                            "7");
        assert_string_equal(cluster_field(&c, devices, "/spec/devices/63/name"), "gpu-4-part1-6");
        assert_string_equal(cluster_field(&c, devices, "/spec/devices/0/name"), "gpu-0");
        assert_string_equal(
                cluster_field(&c, devices,
                              "/spec/devices/0/consumesCounters/0/counters/parts/value"),
                "7");
        assert_string_equal(cluster_field(&c, devices, "/spec/devices/7/name"), "gpu-0-part1-6");
        assert_string_equal(
                cluster_field(&c, devices,
                              "/spec/devices/7/consumesCounters/0/counters/memory/value"),
                "10Gi");
        assert_string_equal(cluster_field(&c, devices, "/spec/devices/11/name"), "gpu-0-part3-0");
        assert_string_equal(cluster_field(&c, devices, "/spec/devices/11/capacity/memory/value"),
                            "40Gi");
        assert_string_equal(cluster_field(&c, devices, "/spec/devices/11/attributes/parts/int"),
                            "3");
        assert_string_equal(cluster_field(&c, devices, "/spec/devices/13/name"), "gpu-0-part4-0");
        assert_string_equal(cluster_field(&c, devices, "/spec/devices/14/name"), "gpu-1");
        cluster_free(&c);
}

static void test_shares_and_taints(void **state) {
        struct cluster c = cluster_new("kubelet,device-driver");
        char since[64];

        (void)state;
        annotate(&c, "devices", "'gpu.example.com 2 memory:24Gi/1Gi'");
        assert_string_equal(cluster_field(&c, N0, "/spec/devices/0/allowMultipleAllocations"),
                            "true");
        assert_string_equal(
                cluster_field(&c, N0, "/spec/devices/0/capacity/memory/requestPolicy"),
                "{\"default\":\"1Gi\",\"validRange\":{\"min\":\"1Gi\",\"step\":\"1Gi\"}}");
        annotate(&c, "device-taints", "'gpu.example.com/gpu-1 health=bad:NoExecute'");
        assert_string_equal(cluster_field(&c, N0, "/spec/devices/0/taints"), "");
        assert_string_equal(cluster_field(&c, N0, "/spec/devices/1/taints/0/value"), "bad");
        assert_string_equal(cluster_field(&c, N0, "/spec/devices/1/taints/0/effect"), "NoExecute");
        snprintf(since, sizeof(since), "%s",
                 cluster_field(&c, N0, "/spec/devices/1/taints/0/timeAdded"));
        assert_int_equal(strlen(since), 20);
        cluster_wait(&c, 5000);
        annotate(&c, "device-taints",
                 "'gpu.example.com/gpu-1 health=bad:NoExecute; gpu.example.com/* old:NoSchedule'");
        assert_string_equal(cluster_field(&c, N0, "/spec/devices/0/taints/0/key"), "old");
        assert_string_equal(cluster_field(&c, N0, "/spec/devices/1/taints/0/timeAdded"), since);
        assert_string_not_equal(cluster_field(&c, N0, "/spec/devices/1/taints/1/timeAdded"), since);
        assert_string_equal(cluster_field(&c, N0, "/spec/pool/generation"), "3");
        annotate(&c, "devices", "'gpu.example.com'");
        assert_string_equal(cluster_event(&c, "n0", "InvalidLifecycle"),
                            "sandbox.berth.dev/devices: expected DRIVER COUNT [OPTION...]");
        cluster_free(&c);
}

static void test_pod_waits_for_its_devices(void **state) {
        struct cluster c = cluster_new("kubelet");
        char patch[512], uid[64];

        (void)state;
        cluster_post(&c, PODS,
                     "{'metadata':{'name':'p'},'spec':{'resourceClaims':[{'name':'g',"
                     "'resourceClaimName':'gpu'}],'containers':[{'name':'c','image':'i'}]}}");
        snprintf(uid, sizeof(uid), "%s", cluster_field(&c, PODS "/p", "/metadata/uid"));
        cluster_schedule(&c);
        cluster_wait(&c, 3000);
        assert_string_equal(cluster_field(&c, PODS "/p", "/status/phase"), "Pending");
        assert_string_equal(cluster_event(&c, "p", "FailedPrepareDynamicResources"),
                            "Failed to prepare dynamic resources: prepare dynamic resources: "
                            "fetch ResourceClaim gpu: resourceclaims.resource.k8s.io \"gpu\" not "
                            "found");
        cluster_post(&c, CLAIMS,
                     "{'metadata':{'name':'gpu'},'spec':{'devices':{'requests':[{'name':'r',"
                     "'exactly':{'deviceClassName':'gpu.example.com'}}]}}}");
        snprintf(patch, sizeof(patch),
                 "{'status':{'allocation':{'devices':{'results':[{'request':'r','driver':"
                 "'gpu.example.com','pool':'n0','device':'gpu-0'}]}},'reservedFor':[{"
                 "'resource':'pods','name':'p','uid':'%s'}]}}",
                 "another");
        assert_int_equal(cluster_merge(&c, CLAIMS "/gpu/status", patch), 200);
        cluster_wait(&c, 3000);
        assert_string_equal(cluster_field(&c, PODS "/p", "/status/phase"), "Pending");
        snprintf(patch, sizeof(patch),
                 "{'status':{'reservedFor':[{'resource':'pods','name':'p','uid':'%s'}]}}", uid);
        assert_int_equal(cluster_merge(&c, CLAIMS "/gpu/status", patch), 200);
        cluster_wait(&c, 2000);
        assert_string_equal(cluster_field(&c, PODS "/p", "/status/phase"), "Running");
        cluster_free(&c);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_layouts_that_are_wrong),
                cmocka_unit_test(test_taints_that_are_wrong),
                cmocka_unit_test(test_published),
                cmocka_unit_test(test_parts),
                cmocka_unit_test(test_shares_and_taints),
                cmocka_unit_test(test_pod_waits_for_its_devices),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
