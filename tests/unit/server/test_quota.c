/* Quotas of a namespace: what is created in it, and what changes to take more. */
#include "fake_server.h"

static int post_sized_pod(struct fixture *f, const char *name, const char *cpu) {
        char body[256];

        snprintf(body, sizeof(body),
                 "{\"metadata\":{\"name\":\"%s\"},\"spec\":{\"containers\":[{\"name\":\"c\","
                 "\"image\":\"a\",\"resources\":{\"requests\":{\"cpu\":\"%s\",\"memory\":"
                 "\"1Mi\"}}}]}}",
                 name, cpu);
        return ask(f, "POST", "/api/v1/namespaces/default/pods", body);
}

#define CROWD 200 /* more objects than the server keeps parsed */
#define QUOTAS "/api/v1/namespaces/default/resourcequotas"

/* Each pod is added to what is in use. */
static void test_quota_of_many(void **state) {
        struct fixture f = fixture_new();
        char name[16];

        (void)state;
        assert_int_equal(ask(&f, "POST", QUOTAS,
                             "{\"metadata\":{\"name\":\"q\"},\"spec\":{\"hard\":{"
                             "\"requests.cpu\":\"1\",\"requests.memory\":\"1Gi\"}}}"),
                         201);
        assert_int_equal(ask_patch(&f, MERGE_PATCH, QUOTAS "/q/status",
                                   "{\"status\":{\"hard\":{\"requests.cpu\":\"1\","
                                   "\"requests.memory\":\"1Gi\"},\"used\":{\"requests.cpu\":\"0\","
                                   "\"requests.memory\":\"0\"}}}"),
                         200);
        for (int i = 0; i < CROWD; i++) {
                snprintf(name, sizeof(name), "p%d", i);
                assert_int_equal(post_sized_pod(&f, name, "5m"), 201);
        }
        assert_int_equal(post_sized_pod(&f, "last", "5m"), 403);
        assert_non_null(strstr(f.text, "exceeded quota: q, requested: requests.cpu=5m, used: "
                                       "requests.cpu=1, limited: requests.cpu=1"));
        fixture_free(&f);
}

#define DEFAULT "/api/v1/namespaces/default/"
#define QUOTA_OF(hard, scopes)                                                                     \
        "{\"metadata\":{\"name\":\"q\"},\"spec\":{\"hard\":{" hard "}" scopes "}}"
#define SIZED(kind, list)                                                                          \
        "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":"      \
        "\"a\","                                                                                   \
        "\"resources\":{\"requests\":{" list "}}}" kind "]}}"
#define CLAIM_OF(size, rest)                                                                       \
        "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"accessModes\":[\"ReadWriteOnce\"],"            \
        "\"resources\":{"                                                                          \
        "\"requests\":{\"storage\":\"" size "\"}}" rest "}}"

/* Amounts are told in their own suffixes, and those of a quota in the order of their names. */
static void test_quota_texts(void **state) {
        static const struct {
                const char *hard, *used, *scopes, *path, *body, *told; /* NULL: it is let in */
        } cases[] = {
                { "\"memory\":\"128Mi\"", "\"memory\":\"0\"", "", "pods",
                  SIZED("", "\"memory\":\"1G\""),
                  "requested: memory=1G, used: memory=0, limited: memory=128Mi" },
                { "\"memory\":\"128Mi\"", "\"memory\":\"1M\"", "", "pods",
                  SIZED(",{\"name\":\"d\",\"image\":\"a\",\"resources\":{\"requests\":{\"memory\":"
                        "\"1Gi\"}}}",
                        "\"memory\":\"1G\""),
                  "requested: memory=2073741824, used: memory=1M, limited: memory=128Mi" },
                { "\"memory\":\"128Mi\"", "\"memory\":\"0\"", "", "pods",
                  SIZED("],\"initContainers\":[{\"name\":\"i\",\"image\":\"a\",\"resources\":{"
                        "\"requests\":{\"memory\":\"2Gi\"}}}",
                        "\"memory\":\"1G\""),
                  "requested: memory=2Gi, used: memory=0, limited: memory=128Mi" },
                { "\"pods\":\"0\",\"count/pods\":\"0\"", "\"pods\":\"0\",\"count/pods\":\"0\"", "",
                  "pods", SIZED("", ""),
                  "requested: count/pods=1,pods=1, used: count/pods=0,pods=0" },
                { "\"hugepages-2Mi\":\"2Mi\"", "\"hugepages-2Mi\":\"0\"", "", "pods",
                  SIZED("",
                        "\"cpu\":\"1\",\"hugepages-2Mi\":\"4Mi\"},\"limits\":{\"hugepages-2Mi\":"
                        "\"4Mi\""),
                  "requested: hugepages-2Mi=4Mi, used: hugepages-2Mi=0" },
                { "\"requests.storage\":\"1M\"", "\"requests.storage\":\"1k\"", "",
                  "persistentvolumeclaims", CLAIM_OF("1e9", ""),
                  "requested: requests.storage=1e9, used: requests.storage=1k" },
                { "\"requests.storage\":\"1\"", "\"requests.storage\":\"0\"",
                  ",\"scopes\":[\"VolumeAttributesClass\"]", "persistentvolumeclaims",
                  CLAIM_OF("1G", ""), NULL },
                { "\"requests.storage\":\"1\"", "\"requests.storage\":\"0\"",
                  ",\"scopes\":[\"VolumeAttributesClass\"]", "persistentvolumeclaims",
                  CLAIM_OF("1G", ",\"volumeAttributesClassName\":\"gold\""),
                  "requested: requests.storage=1G" },
                { "\"pods\":\"0\"", "\"pods\":\"0\"", ",\"scopes\":[\"PriorityClass\"]", "pods",
                  SIZED("", ""), NULL },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct fixture f = fixture_new();
                char text[1024];

                snprintf(text, sizeof(text), QUOTA_OF("%s", "%s"), cases[i].hard, cases[i].scopes);
                assert_int_equal(ask(&f, "POST", QUOTAS, text), 201);
                snprintf(text, sizeof(text), "{\"status\":{\"hard\":{%s},\"used\":{%s}}}",
                         cases[i].hard, cases[i].used);
                assert_int_equal(ask_patch(&f, MERGE_PATCH, QUOTAS "/q/status", text), 200);
                snprintf(text, sizeof(text), DEFAULT "%s", cases[i].path);
                int status = ask(&f, "POST", text, cases[i].body);
                if (status != (cases[i].told ? 403 : 201) ||
                    (cases[i].told && !strstr(f.text, cases[i].told)))
                        fail_msg("case %zu: %d %s", i, status, f.text);
                fixture_free(&f);
        }
}

/* Changes take of quotas what they take more; what was more is counted again by another. */
static void test_quota_of_changes(void **state) {
        static const struct {
                const char *path, *body;
                int status;
                const char *resource, *used; /* afterwards */
        } cases[] = {
                { "pods/p/resize",
                  "{\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":"
                  "\"300m\"}}}]}}",
                  403, "requests.cpu", "100m" },
                { "pods/p/resize",
                  "{\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":"
                  "\"150m\"}}}]}}",
                  200, "requests.cpu", "150m" },
                { "pods/p/resize",
                  "{\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":"
                  "\"50m\"}}}]}}",
                  200, "requests.cpu", "150m" },
                { "services/s", "{\"spec\":{\"type\":\"NodePort\"}}", 403, "services.nodeports",
                  "0" },
                { "services/s", "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}", 200,
                  "services.nodeports", "0" },
                { "persistentvolumeclaims/c/status",
                  "{\"status\":{\"allocatedResources\":{\"storage\":\"3Gi\"}}}", 200,
                  "requests.storage", "3Gi" },
                { "persistentvolumeclaims/c", "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}", 200,
                  "requests.storage", "3Gi" },
                { "pods/p", "{\"spec\":{\"activeDeadlineSeconds\":5}}", 200, "requests.cpu",
                  "150m" },
        };
        struct fixture f = fixture_new();

        (void)state;
        assert_int_equal(post_sized_pod(&f, "p", "100m"), 201);
        assert_int_equal(
                ask(&f, "POST", DEFAULT "services",
                    "{\"metadata\":{\"name\":\"s\"},\"spec\":{\"ports\":[{\"port\":80}]}}"),
                201);
        assert_int_equal(
                ask(&f, "POST", DEFAULT "persistentvolumeclaims",
                    "{\"metadata\":{\"name\":\"c\"},\"spec\":{\"accessModes\":["
                    "\"ReadWriteOnce\"],\"resources\":{\"requests\":{\"storage\":\"1Gi\"}}}}"),
                201);
        assert_int_equal(
                ask(&f, "POST", QUOTAS,
                    "{\"metadata\":{\"name\":\"q\"},\"spec\":{\"hard\":{\"requests.cpu\":"
                    "\"200m\",\"services.nodeports\":\"0\",\"requests.storage\":\"2Gi\"}}}"),
                201);
        assert_int_equal(
                ask_patch(&f, MERGE_PATCH, QUOTAS "/q/status",
                          "{\"status\":{\"hard\":{\"requests.cpu\":\"200m\",\"services.nodeports\":"
                          "\"0\",\"requests.storage\":\"2Gi\"},\"used\":{\"requests.cpu\":\"100m\","
                          "\"services.nodeports\":\"0\",\"requests.storage\":\"1Gi\"}}}"),
                200);
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                char path[128];

                snprintf(path, sizeof(path), DEFAULT "%s", cases[i].path);
                if (ask_patch(&f, STRATEGIC_PATCH, path, cases[i].body) != cases[i].status)
                        fail_msg("case %zu: %s", i, f.text);
                assert_int_equal(ask(&f, "GET", QUOTAS "/q", NULL), 200);
                snprintf(path, sizeof(path), "/status/used/%s", cases[i].resource);
                assert_string_equal(answer(&f, path), cases[i].used);
        }
        fixture_free(&f);
}

/* Devices of a class: all of them are 32, and of alternatives the dearest counts. */
static void test_device_quota(void **state) {
        static const char claims[] = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";
        static const struct {
                const char *request;
                int status;
        } rows[] = {
                { "\"exactly\":{\"deviceClassName\":\"gold\",\"allocationMode\":\"All\"}", 403 },
                { "\"exactly\":{\"deviceClassName\":\"tin\",\"allocationMode\":\"All\"}", 201 },
                { "\"firstAvailable\":[{\"name\":\"a\",\"deviceClassName\":\"gold\",\"count\":2},{"
                  "\"name\":\"b\",\"deviceClassName\":\"gold\",\"count\":4}]",
                  403 },
                { "\"exactly\":{\"deviceClassName\":\"gold\",\"count\":2}", 201 },
                { "\"exactly\":{\"deviceClassName\":\"gold\",\"count\":2}", 403 },
                { "\"exactly\":{\"deviceClassName\":\"gold\"}", 201 },
        };
        struct fixture f = fixture_new();
        char body[512];

        (void)state;
        assert_int_equal(ask(&f, "POST", QUOTAS,
                             "{\"metadata\":{\"name\":\"q\"},\"spec\":{\"hard\":{"
                             "\"gold.deviceclass.resource.k8s.io/devices\":\"3\"}}}"),
                         201);
        assert_int_equal(ask_patch(&f, MERGE_PATCH, QUOTAS "/q/status",
                                   "{\"status\":{\"hard\":{"
                                   "\"gold.deviceclass.resource.k8s.io/devices\":\"3\"},"
                                   "\"used\":{"
                                   "\"gold.deviceclass.resource.k8s.io/devices\":\"0\"}}}"),
                         200);
        for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
                snprintf(body, sizeof(body),
                         "{\"metadata\":{\"name\":\"c%zu\"},\"spec\":{\"devices\":{\"requests\":[{"
                         "\"name\":\"r\",%s}]}}}",
                         i, rows[i].request);
                int status = ask(&f, "POST", claims, body);
                if (status != rows[i].status)
                        fail_msg("%s: %d %s", rows[i].request, status, f.text);
        }
        fixture_free(&f);
}

/* A quota limits once its status says so, and takes nothing in before what is used is known; other
 * namespaces do not count. */
static void test_quota(void **state) {
        struct fixture f = fixture_new();

        (void)state;
        assert_int_equal(ask(&f, "POST", QUOTAS,
                             "{\"metadata\":{\"name\":\"q\"},\"spec\":{\"hard\":{\"pods\":\"2\","
                             "\"requests.cpu\":\"1\",\"configmaps\":\"1\"}}}"),
                         201);
        assert_int_equal(post_sized_pod(&f, "a", "600m"), 201);
        assert_int_equal(ask_patch(&f, MERGE_PATCH, QUOTAS "/q/status",
                                   "{\"status\":{\"hard\":{\"pods\":\"2\",\"requests.cpu\":\"1\","
                                   "\"configmaps\":\"1\"}}}"),
                         200);
        assert_int_equal(post_sized_pod(&f, "b", "500m"), 403);
        assert_non_null(strstr(f.text, "pods \\\"b\\\" is forbidden: status unknown for quota: q, "
                                       "resources: pods,requests.cpu\""));
        assert_int_equal(ask_patch(&f, MERGE_PATCH, QUOTAS "/q/status",
                                   "{\"status\":{\"used\":{\"pods\":\"1\",\"requests.cpu\":"
                                   "\"600m\",\"configmaps\":\"0\"}}}"),
                         200);
        assert_int_equal(post_sized_pod(&f, "b", "500m"), 403);
        assert_non_null(strstr(f.text, "pods \\\"b\\\" is forbidden: exceeded quota: q, requested: "
                                       "requests.cpu=500m, used: requests.cpu=600m, limited: "
                                       "requests.cpu=1"));
        assert_int_equal(post_sized_pod(&f, "b", "400m"), 201);
        assert_int_equal(post_sized_pod(&f, "c", "0"), 403);
        assert_non_null(strstr(f.text, "requested: pods=1, used: pods=2, limited: pods=2"));
        /* What is refused for its name is charged before that. */
        assert_int_equal(
                ask_patch(&f, MERGE_PATCH, QUOTAS "/q/status",
                          "{\"status\":{\"used\":{\"pods\":\"0\",\"requests.cpu\":\"0\"}}}"),
                200);
        assert_int_equal(post_sized_pod(&f, "a", "100m"), 409);
        assert_int_equal(post_sized_pod(&f, "c", "100m"), 201);
        assert_int_equal(ask(&f, "GET", QUOTAS "/q", NULL), 200);
        assert_string_equal(answer(&f, "/status/used/pods"), "2");
        assert_int_equal(ask(&f, "POST", "/api/v1/namespaces/default/configmaps",
                             "{\"metadata\":{\"name\":\"one\"}}"),
                         201);
        assert_int_equal(ask(&f, "POST", "/api/v1/namespaces/default/configmaps",
                             "{\"metadata\":{\"name\":\"two\"}}"),
                         403);
        assert_int_equal(ask(&f, "POST", "/api/v1/namespaces/kube-system/configmaps",
                             "{\"metadata\":{\"name\":\"two\"}}"),
                         201);
        fixture_free(&f);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_quota),        cmocka_unit_test(test_quota_of_many),
                cmocka_unit_test(test_quota_texts),  cmocka_unit_test(test_quota_of_changes),
                cmocka_unit_test(test_device_quota),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
