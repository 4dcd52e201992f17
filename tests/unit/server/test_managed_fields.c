/* Who owns which fields after creates, updates, patches, applies, and writes of the status. */
#include "fake_server.h"

#define MAPS "/api/v1/namespaces/default/configmaps"
#define MAP MAPS "/c"
#define PODS "/api/v1/namespaces/default/pods"
#define DEPLOYMENTS "/apis/apps/v1/namespaces/default/deployments"
#define LAST "kubectl.kubernetes.io/last-applied-configuration"
#define MAP_BODY(data)                                                                             \
        "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"c\"}," data "}"

struct step {
        const char *method, *path, *type, *body;
        int status;
        const char *pointer, *expect; /* part of the answer; NULL = not looked at */
};

static void run(const struct step *steps, size_t count) {
        struct fixture f = fixture_new();

        for (size_t i = 0; i < count; i++) {
                const struct step *step = &steps[i];
                int status = ask_as(&f, step->method, step->path, step->type, NULL, step->body);

                if (status != step->status)
                        fail_msg("step %zu: %d %s", i, status, f.text);
                if (step->pointer)
                        assert_string_equal(answer(&f, step->pointer), step->expect);
        }
        fixture_free(&f);
}

#define OWNER(n) "/metadata/managedFields/" #n

static void test_updates(void **state) {
        static const struct step steps[] = {
                { "POST", MAPS "?fieldManager=a", NULL,
                  MAP_BODY("\"data\":{\"x\":\"1\",\"y\":\"1\"}"), 201, OWNER(0) "/fieldsV1",
                  "{\"f:data\":{\".\":{},\"f:x\":{},\"f:y\":{}}}" },
                /* What is changed moves, what is removed goes. */
                { "PUT", MAP "?fieldManager=b", NULL, MAP_BODY("\"data\":{\"x\":\"2\"}"), 200,
                  OWNER(0) "/fieldsV1", "{\"f:data\":{}}" },
                { "GET", MAP, NULL, NULL, 200, OWNER(1) "/fieldsV1", "{\"f:data\":{\"f:x\":{}}}" },
                /* Nothing changes: nobody owns it. */
                { "PUT", MAP "?fieldManager=d", NULL, MAP_BODY("\"data\":{\"x\":\"2\"}"), 200,
                  OWNER(2), "" },
                /* The same manager's later changes join its earlier ones. */
                { "PATCH", MAP "?fieldManager=a", MERGE_PATCH, "{\"data\":{\"z\":\"1\"}}", 200,
                  OWNER(0) "/fieldsV1", "{\"f:data\":{\".\":{},\"f:z\":{}}}" },
                { "PATCH", MAP, MERGE_PATCH, "{\"metadata\":{\"managedFields\":[]}}", 200,
                  "/metadata/managedFields", "" },
                { "PATCH", MAP "?fieldManager=a", MERGE_PATCH, "{\"data\":{\"w\":\"1\"}}", 200,
                  "/metadata/managedFields", "" },
                { "PATCH", MAP "?fieldManager=s", APPLY_PATCH, MAP_BODY("\"data\":{\"w\":\"1\"}"),
                  200, OWNER(0) "/fieldsV1", "{\"f:data\":{\"f:w\":{}}}" },
                { "GET", MAP, NULL, NULL, 200, OWNER(1) "/manager", "before-first-apply" },
        };

        (void)state;
        run(steps, ARRAY_LEN(steps));
}

static void test_applies(void **state) {
        static const struct step steps[] = {
                { "PATCH", MAP "?fieldManager=a", APPLY_PATCH,
                  MAP_BODY("\"data\":{\"x\":\"1\",\"y\":\"1\"}"), 201, OWNER(0) "/operation",
                  "Apply" },
                { "PATCH", MAP "?fieldManager=b", APPLY_PATCH, MAP_BODY("\"data\":{\"x\":\"2\"}"),
                  409, "/message", "Apply failed with 1 conflict: conflict with \"a\": .data.x" },
                /* Owned by both; the second changed nothing, so there is no time. */
                { "PATCH", MAP "?fieldManager=b", APPLY_PATCH, MAP_BODY("\"data\":{\"x\":\"1\"}"),
                  200, OWNER(0) "/time", "" },
                { "PATCH", MAP "?fieldManager=a", APPLY_PATCH, MAP_BODY("\"data\":{\"y\":\"1\"}"),
                  200, "/data", "{\"x\":\"1\",\"y\":\"1\"}" },
                { "PATCH", MAP "?fieldManager=b", APPLY_PATCH, MAP_BODY("\"immutable\":false"), 200,
                  "/data", "{\"y\":\"1\"}" },
                { "PATCH", MAP "?fieldManager=b&force=true", APPLY_PATCH,
                  MAP_BODY("\"data\":{\"y\":\"3\"}"), 200, "/data/y", "3" },
                { "GET", MAP, NULL, NULL, 200, OWNER(1), "" },
                { "PATCH", MAP "?fieldManager=b", APPLY_PATCH,
                  "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"c\","
                  "\"managedFields\":[]}}",
                  400, "/message", "metadata.managedFields must be nil" },
                { "PATCH", MAP "?fieldManager=b", APPLY_PATCH, MAP_BODY("\"bogus\":1"), 500,
                  "/message",
                  "failed to create typed patch object (/c; /v1, Kind=ConfigMap): .bogus: field "
                  "not declared in schema" },
        };

        (void)state;
        run(steps, ARRAY_LEN(steps));
}

#define POLICIES "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies"
#define ROLES "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles"
#define ACCOUNTS "/api/v1/namespaces/default/serviceaccounts"
#define POLICY_BODY(spec) "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"podSelector\":{}," spec "}}"
#define RULES_BODY(rules) "{\"metadata\":{\"name\":\"r\"},\"rules\":" rules "}"
#define RULE "\"verbs\":[\"get\"],\"apiGroups\":[\"\"],\"resources\":[\"pods\"]"

/* Empty lists, which are stored as none: seen inside of lists that are compared as a whole, and of
 * fields that are always printed. */
static void test_emptied(void **state) {
        static const struct step steps[] = {
                { "POST", POLICIES "?fieldManager=a", NULL, POLICY_BODY("\"egress\":[{}]"), 201,
                  OWNER(1), "" },
                { "PUT", POLICIES "/p?fieldManager=b", NULL,
                  POLICY_BODY("\"egress\":[{\"ports\":[]}]"), 200, OWNER(1) "/fieldsV1",
                  "{\"f:spec\":{\"f:egress\":{}}}" },
                { "GET", POLICIES "/p", NULL, NULL, 200, "/metadata/generation", "2" },
                { "PUT", POLICIES "/p?fieldManager=c", NULL,
                  POLICY_BODY("\"ingress\":[],\"egress\":[{}]"), 200, "/metadata/generation", "3" },
                { "GET", POLICIES "/p", NULL, NULL, 200, OWNER(2), "" },
                { "PUT", POLICIES "/p?fieldManager=c", NULL,
                  POLICY_BODY("\"policyTypes\":[],\"egress\":[{}]"), 200, "/metadata/generation",
                  "3" },
                { "POST", ROLES "?fieldManager=a", NULL, RULES_BODY("[]"), 201,
                  OWNER(0) "/fieldsV1", "{\"f:rules\":{}}" },
                { "PUT", ROLES "/r?fieldManager=b", NULL, RULES_BODY("[{" RULE "}]"), 200,
                  OWNER(0) "/manager", "b" },
                { "PUT", ROLES "/r?fieldManager=c", NULL,
                  RULES_BODY("[{" RULE ",\"resourceNames\":[]}]"), 200, OWNER(0) "/manager", "c" },
                { "PUT", ROLES "/r?fieldManager=d", NULL, RULES_BODY("[{" RULE "}]"), 200,
                  OWNER(0) "/manager", "c" },
                /* Filled when it is read again, which is no change of anybody. */
                { "POST", "/api/v1/nodes?fieldManager=a", NULL,
                  "{\"metadata\":{\"name\":\"n\"},\"status\":{\"capacity\":{\"example.com/"
                  "g\":\"2\"},"
                  "\"allocatable\":{\"memory\":\"8Gi\"}}}",
                  201, NULL, NULL },
                { "PATCH", "/api/v1/nodes/n/status?fieldManager=c", JSON_PATCH,
                  "[{\"op\":\"add\",\"path\":\"/status/allocatable\",\"value\":{}}]", 200,
                  "/status/allocatable", "{\"example.com/g\":\"2\"}" },
                { "GET", "/api/v1/nodes/n", NULL, NULL, 200, OWNER(0), "" },
                { "POST", MAPS, NULL, MAP_BODY("\"immutable\":true"), 201, NULL, NULL },
                { "PUT", MAP, NULL, MAP_BODY("\"immutable\":true,\"data\":{}"), 200, NULL, NULL },
                { "PUT", MAP, NULL, MAP_BODY("\"immutable\":true,\"binaryData\":{}"), 422,
                  "/details/causes/0/field", "binaryData" },
        };

        (void)state;
        run(steps, ARRAY_LEN(steps));
}

/* What cannot be owned by its keys stands in the way of the first apply. */
static void test_keyless(void **state) {
        static const struct step steps[] = {
                { "POST", ACCOUNTS "?fieldManager=a", NULL,
                  "{\"metadata\":{\"name\":\"s\"},\"secrets\":[{}]}", 201,
                  "/metadata/managedFields", "" },
                { "PATCH", ACCOUNTS "/s?fieldManager=b", APPLY_PATCH,
                  "{\"apiVersion\":\"v1\",\"kind\":\"ServiceAccount\",\"bogus\":1}", 500,
                  "/message",
                  "failed to create manager for existing fields: failed to convert new object "
                  "(default/s; /v1, Kind=ServiceAccount) to smd typed: .secrets: element 0: "
                  "associative list with keys has an element that omits all key fields "
                  "[\"name\"] (and doesn't have default values for any key fields)" },
                { "PATCH", ACCOUNTS "/s?fieldManager=b", MERGE_PATCH, "{\"secrets\":null}", 200,
                  NULL, NULL },
                { "PATCH", ACCOUNTS "/s?fieldManager=b", APPLY_PATCH,
                  "{\"apiVersion\":\"v1\",\"kind\":\"ServiceAccount\"}", 200, NULL, NULL },
        };

        (void)state;
        run(steps, ARRAY_LEN(steps));
}

#define REVISIONS "/apis/apps/v1/namespaces/default/controllerrevisions"
#define REVISION_BODY(rest)                                                                        \
        "{\"apiVersion\":\"apps/"                                                                  \
        "v1\",\"kind\":\"ControllerRevision\",\"metadata\":{\"name\":\"r\"}," rest "}"
#define CLASSES "/apis/resource.k8s.io/v1/deviceclasses"
#define CLASS_BODY(parameters)                                                                     \
        "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"config\":[{\"opaque\":{\"driver\":\"a.b\","    \
        "\"parameters\":" parameters "}}]}}"

/* What upstream keeps as bytes changes with the blanks in it, and with the order of its members. */
static void test_raw(void **state) {
        static const struct step steps[] = {
                { "POST", REVISIONS, NULL, REVISION_BODY("\"data\":{\"x\": 1}"), 201, "/data",
                  "{\"x\":1}" },
                { "PUT", REVISIONS "/r", NULL, REVISION_BODY("\"data\":{\"x\": 1},\"revision\":2"),
                  200, "/revision", "2" },
                { "PUT", REVISIONS "/r", NULL, REVISION_BODY("\"data\":{\"x\":1},\"revision\":3"),
                  422, "/details/causes/0/message",
                  "Invalid value: {\"x\":1}: field is immutable" },
                { "PATCH", REVISIONS "/r?fieldManager=a", APPLY_PATCH,
                  "{\"apiVersion\":\"apps/v1\",\"kind\":\"ControllerRevision\"}", 200, NULL, NULL },
                { "PATCH", REVISIONS "/r?fieldManager=a&force=true", APPLY_PATCH,
                  REVISION_BODY("\"data\":{\"x\":1},\"revision\":3"), 422, NULL, NULL },
                { "PATCH", REVISIONS "/r", MERGE_PATCH, "{\"revision\":3}", 422, NULL, NULL },
                /* A null is something: the rest is written anew. */
                { "PATCH", REVISIONS "/r?fieldManager=a&force=true", APPLY_PATCH,
                  REVISION_BODY("\"revision\":null"), 422, NULL, NULL },
                { "DELETE", REVISIONS "/r", NULL, NULL, 200, NULL, NULL },
                { "POST", REVISIONS, NULL, REVISION_BODY("\"data\":{\"y\":{\"b\":1},\"x\":1}"), 201,
                  NULL, NULL },
                { "PATCH", REVISIONS "/r", MERGE_PATCH, "{\"revision\":3}", 200, NULL, NULL },
                { "PATCH", REVISIONS "/r", MERGE_PATCH, "{\"data\":{\"x\":1}}", 422, NULL, NULL },
                { "PATCH", REVISIONS "/r", STRATEGIC_PATCH, "{\"revision\":4}", 422, NULL, NULL },
                { "PATCH", REVISIONS "/r", STRATEGIC_PATCH, "{\"data\":{\"y\":{}}}", 500,
                  "/message",
                  "unable to find api field in struct RawExtension for the json field \"y\"" },
                { "DELETE", REVISIONS "/r", NULL, NULL, 200, NULL, NULL },
                /* What is answered in another form can come back in that. */
                { "POST", REVISIONS, NULL, REVISION_BODY("\"data\":{\"x\": \"\\u0041\"}"), 201,
                  NULL, NULL },
                { "PUT", REVISIONS "/r", NULL,
                  REVISION_BODY("\"data\":{\"x\":\"A\"},\"revision\":2"), 200, NULL, NULL },
                { "DELETE", REVISIONS "/r", NULL, NULL, 200, NULL, NULL },
                { "PATCH", REVISIONS "/r?fieldManager=a", APPLY_PATCH,
                  REVISION_BODY("\"data\":{\"y\": 1,\"x\":1}"), 201, "/data", "{\"x\":1,\"y\":1}" },
                { "PATCH", REVISIONS "/r?fieldManager=a", APPLY_PATCH,
                  REVISION_BODY("\"data\":{\"y\":1,\"x\":1},\"revision\":2"), 200, NULL, NULL },
                { "PUT", REVISIONS "/r", NULL,
                  REVISION_BODY("\"data\":{\"x\":1,\"y\":1},\"revision\":3"), 200, NULL, NULL },
                { "POST", CLASSES "?fieldManager=a", NULL, CLASS_BODY("{\"x\": [1, \"\\\" ,\"]}"),
                  201, "/metadata/generation", "1" },
                { "PUT", CLASSES "/d?fieldManager=b", NULL, CLASS_BODY("{\"x\": [1, \"\\\" ,\"]}"),
                  200, OWNER(0) "/manager", "a" },
                { "PUT", CLASSES "/d?fieldManager=b", NULL, CLASS_BODY("{\"x\":[1,\"\\\" ,\"]}"),
                  200, OWNER(0) "/manager", "b" },
                { "GET", CLASSES "/d", NULL, NULL, 200, "/metadata/generation", "2" },
        };

        (void)state;
        run(steps, ARRAY_LEN(steps));
}

/* kubectl apply, then kubectl apply --server-side: what is as it was left is taken over. */
static void test_client_side(void **state) {
        static const struct step steps[] = {
                { "POST", MAPS "?fieldManager=kubectl-client-side-apply", NULL,
                  "{\"metadata\":{\"name\":\"c\",\"annotations\":{\"" LAST
                  "\":\"{\\\"apiVersion\\\":\\\"v1\\\",\\\"kind\\\":\\\"ConfigMap\\\","
                  "\\\"metadata\\\":{\\\"name\\\":\\\"c\\\"},\\\"data\\\":{\\\"x\\\":\\\"1\\\"}}\"}"
                  "},"
                  "\"data\":{\"x\":\"1\",\"y\":\"1\"}}",
                  201, NULL, NULL },
                { "PATCH", MAP "?fieldManager=other", APPLY_PATCH,
                  MAP_BODY("\"data\":{\"x\":\"2\"}"), 409, NULL, NULL },
                { "PATCH", MAP "?fieldManager=kubectl", APPLY_PATCH,
                  MAP_BODY("\"data\":{\"x\":\"2\",\"y\":\"2\"}"), 409, "/message",
                  "Apply failed with 1 conflict: conflict with \"kubectl-client-side-apply\" using "
                  "v1: .data.y" },
                { "PATCH", MAP "?fieldManager=kubectl", APPLY_PATCH,
                  MAP_BODY("\"data\":{\"x\":\"2\"}"), 200,
                  "/metadata/annotations/kubectl.kubernetes.io~1last", "" },
                { "GET", MAP, NULL, NULL, 200, OWNER(0) "/manager", "kubectl" },
        };

        (void)state;
        run(steps, ARRAY_LEN(steps));
}

static void test_status(void **state) {
        static const struct step steps[] = {
                { "POST", DEPLOYMENTS "?fieldManager=a", NULL,
                  "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"selector\":{\"matchLabels\":{\"a\":"
                  "\"b\"}},\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{"
                  "\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}},\"status\":{\"replicas\":"
                  "3}}",
                  201, OWNER(0) "/fieldsV1/f:status", "" },
                { "PATCH", DEPLOYMENTS "/d/status?fieldManager=a", MERGE_PATCH,
                  "{\"metadata\":{\"labels\":{\"q\":\"r\"},\"annotations\":{\"q\":\"r\"}},\"spec\":"
                  "{\"replicas\":7},\"status\":{\"replicas\":2}}",
                  200, OWNER(1) "/fieldsV1",
                  "{\"f:metadata\":{\"f:annotations\":{\".\":{},\"f:q\":{}}},\"f:status\":{"
                  "\"f:replicas\":{}}}" },
                { "GET", DEPLOYMENTS "/d", NULL, NULL, 200, OWNER(1) "/subresource", "status" },
        };

        (void)state;
        run(steps, ARRAY_LEN(steps));
}

#define VOLUMES "/api/v1/persistentvolumes"
#define ACCOUNTS "/api/v1/namespaces/default/serviceaccounts"

/* How far ownership goes, and where it ends. */
static void test_places(void **state) {
        static const struct step steps[] = {
                { "POST", VOLUMES, NULL,
                  "{\"metadata\":{\"name\":\"v\"},\"spec\":{\"capacity\":{\"storage\":\"1\"},"
                  "\"accessModes\":[\"ReadWriteOnce\"],\"hostPath\":{\"path\":\"/"
                  "d\"},\"claimRef\":{"
                  "\"name\":\"c\",\"namespace\":\"default\"}}}",
                  201, OWNER(0) "/fieldsV1/f:spec/f:claimRef",
                  "{\".\":{},\"f:name\":{},\"f:namespace\":{}}" },
                /* A list by keys whose element has none is nobody's, nor is what is around it. */
                { "POST", ACCOUNTS, NULL,
                  "{\"metadata\":{\"name\":\"a\"},\"secrets\":[{\"name\":\"s\"}]}", 201,
                  OWNER(0) "/fieldsV1",
                  "{\"f:secrets\":{\".\":{},\"k:{\\\"name\\\":\\\"s\\\"}\":{}}}" },
                { "PATCH", ACCOUNTS "/a", MERGE_PATCH, "{\"secrets\":[{\"name\":\"s\"},{}]}", 200,
                  "/metadata/managedFields", "" },
                /* References of the same namespace have a key without having one. */
                { "PATCH", "/api/v1/namespaces/default/pods/p?fieldManager=m", APPLY_PATCH,
                  "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\"},\"spec\":{"
                  "\"containers\":[{\"name\":\"c\",\"image\":\"i\"}],\"imagePullSecrets\":[{}]}}",
                  201, OWNER(0) "/fieldsV1/f:spec/f:imagePullSecrets",
                  "{\"k:{\\\"name\\\":\\\"\\\"}\":{}}" },
        };

        (void)state;
        run(steps, ARRAY_LEN(steps));
}

/* A scale that changes nothing still takes the replicas apart. */
static void test_scale_without_change(void **state) {
        static const struct step steps[] = {
                { "POST", DEPLOYMENTS "?fieldManager=a", NULL,
                  "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"replicas\":3,\"selector\":{"
                  "\"matchLabels\":{"
                  "\"a\":\"b\"}},\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{"
                  "\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}}}",
                  201, NULL, NULL },
                { "PATCH", DEPLOYMENTS "/d/scale?fieldManager=s", MERGE_PATCH,
                  "{\"spec\":{\"replicas\":3}}", 200, NULL, NULL },
                { "GET", DEPLOYMENTS "/d", NULL, NULL, 200, OWNER(0) "/fieldsV1",
                  "{\"f:spec\":{\"f:replicas\":{}}}" },
                { "GET", DEPLOYMENTS "/d", NULL, NULL, 200, OWNER(0) "/time", "" },
                { "GET", DEPLOYMENTS "/d", NULL, NULL, 200, OWNER(0) "/manager", "a" },
                { "GET", DEPLOYMENTS "/d", NULL, NULL, 200, OWNER(1) "/fieldsV1/f:spec/f:replicas",
                  "" },
        };

        (void)state;
        run(steps, ARRAY_LEN(steps));
}

/* A scale is changed by the replicas that it gets: none are none to own. What an applier owned is
 * forgotten when it applies the scale as well. */
static void test_scale_owners(void **state) {
        static const struct step steps[] = {
                { "PATCH", DEPLOYMENTS "/d?fieldManager=a", APPLY_PATCH,
                  "{\"apiVersion\":\"apps/"
                  "v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"d\"},"
                  "\"spec\":{\"selector\":{\"matchLabels\":{\"a\":\"b\"}},\"template\":{"
                  "\"metadata\":{"
                  "\"labels\":{\"a\":\"b\"}},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":"
                  "\"i\"}]"
                  "}}}}",
                  201, NULL, NULL },
                /* Nobody owned the replicas: an update does not begin with it. */
                { "PUT", DEPLOYMENTS "/d/scale?fieldManager=b", NULL,
                  "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"replicas\":2}}", 200, NULL, NULL },
                { "GET", DEPLOYMENTS "/d", NULL, NULL, 200, OWNER(1), "" },
                { "PATCH", DEPLOYMENTS "/d/scale?fieldManager=c", APPLY_PATCH,
                  "{\"apiVersion\":\"autoscaling/"
                  "v1\",\"kind\":\"Scale\",\"spec\":{\"replicas\":3}}",
                  409, NULL, NULL },
                { "PATCH", DEPLOYMENTS "/d/scale?fieldManager=c&force=true", APPLY_PATCH,
                  "{\"apiVersion\":\"autoscaling/"
                  "v1\",\"kind\":\"Scale\",\"spec\":{\"replicas\":3}}",
                  200, "/spec/replicas", "3" },
                { "GET", DEPLOYMENTS "/d", NULL, NULL, 200, OWNER(0) "/manager", "c" },
                { "GET", DEPLOYMENTS "/d", NULL, NULL, 200, OWNER(0) "/fieldsV1",
                  "{\"f:spec\":{\"f:replicas\":{}}}" },
                { "GET", DEPLOYMENTS "/d", NULL, NULL, 200, OWNER(0) "/apiVersion", "apps/v1" },
                { "PUT", DEPLOYMENTS "/d/scale?fieldManager=b", NULL,
                  "{\"metadata\":{\"name\":\"d\"}}", 200, NULL, NULL },
                { "GET", DEPLOYMENTS "/d", NULL, NULL, 200, OWNER(1), "" },
        };

        (void)state;
        run(steps, ARRAY_LEN(steps));
}

/* Who applies what is there already tells no time, however often. */
static void test_apply_without_change(void **state) {
        static const struct step steps[] = {
                { "POST", MAPS "?fieldManager=a", NULL, MAP_BODY("\"data\":{\"x\":\"1\"}"), 201,
                  NULL, NULL },
                { "PATCH", MAP "?fieldManager=b", APPLY_PATCH, MAP_BODY("\"data\":{\"x\":\"1\"}"),
                  200, OWNER(0) "/time", "" },
                { "PATCH", MAP "?fieldManager=b", APPLY_PATCH,
                  "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"c\","
                  "\"uid\":"
                  "\"\"},\"data\":{\"x\":\"1\"}}",
                  200, OWNER(0) "/time", "" },
                /* the object has no such member, not even null */
                { "PATCH", MAP "?fieldManager=d", APPLY_PATCH,
                  "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"c\","
                  "\"managedFields\":null},\"data\":{\"x\":\"1\"}}",
                  200, OWNER(1) "/time", "2026-01-01T00:00:00Z" },
                { "PATCH", MAP "?fieldManager=e", APPLY_PATCH,
                  "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"c\","
                  "\"managedFields\":[null]},\"data\":{\"x\":\"1\"}}",
                  200, OWNER(2) "/time", "2026-01-01T00:00:00Z" },
                /* nor one that is not stored */
                { "PATCH", MAP "?fieldManager=b", APPLY_PATCH,
                  "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"c\","
                  "\"selfLink\":\"a\"},\"data\":{\"x\":\"1\"}}",
                  200, OWNER(0) "/time", "2026-01-01T00:00:00Z" },
        };

        (void)state;
        run(steps, ARRAY_LEN(steps));
}

/* Owners in the other group of a kind are forgotten. */
static void test_groups(void **state) {
        static const char event[] =
                "{\"metadata\":{\"name\":\"e\"},\"eventTime\":\"2026-01-01T00:00:00.000000Z\","
                "\"action\":\"x\",\"reason\":\"y\",\"reportingController\":\"a.b/c\","
                "\"reportingInstance\":\"i\",\"type\":\"Normal\"}";
        static const struct step steps[] = {
                { "POST", "/apis/events.k8s.io/v1/namespaces/default/events?fieldManager=a", NULL,
                  event, 201, OWNER(0) "/manager", "a" },
                { "PATCH", "/api/v1/namespaces/default/events/e?fieldManager=b", MERGE_PATCH,
                  "{\"count\":2}", 200, OWNER(0) "/manager", "b" },
                { "GET", "/api/v1/namespaces/default/events/e", NULL, NULL, 200, OWNER(1), "" },
        };

        (void)state;
        run(steps, ARRAY_LEN(steps));
}

/* The eleventh writer makes one of the two oldest. */
static void test_many(void **state) {
        struct fixture f = fixture_new();

        (void)state;
        ask(&f, "POST", MAPS "?fieldManager=first", MAP_BODY("\"data\":{\"x\":\"1\"}"));
        for (int i = 0; i < 10; i++) {
                char path[100], body[100];

                snprintf(path, sizeof(path), MAP "?fieldManager=m%d", i);
                snprintf(body, sizeof(body), "{\"data\":{\"k%d\":\"1\"}}", i);
                assert_int_equal(ask_patch(&f, MERGE_PATCH, path, body), 200);
        }
        assert_string_equal(answer(&f, OWNER(9) "/operation"), "Update");
        assert_string_equal(answer(&f, OWNER(10)), "");
        assert_string_equal(answer(&f, OWNER(0) "/manager"), "ancient-changes");
        fixture_free(&f);
}

/* What new objects own is remembered by their form: each body comes several times, those that
 * differ in a detail in turn, and owns what it does in a server that remembers nothing. */
static void test_forms(void **state) {
        static const char *const details[] = {
                "",
                "\"hostNetwork\":false,",
                "\"hostname\":\"\",",
                "\"hostname\":\"a\",",
                "\"hostname\":\"long-one\",",
                "\"hostname\":\"long-two\",",
                "\"nodeSelector\":{},",
                "\"nodeSelector\":{\"a\":\"long\"},",
                "\"nodeSelector\":{\"b\":\"long\"},",
                "\"priority\":0,",
                "\"terminationGracePeriodSeconds\":0,",
                "\"terminationGracePeriodSeconds\":30,",
                "\"securityContext\":{},",
                "\"securityContext\":{\"runAsUser\":0},",
                "\"imagePullSecrets\":[{\"name\":\"one-long-name\"}],",
                "\"imagePullSecrets\":[{\"name\":\"two-long-name\"}],",
                "\"imagePullSecrets\":[{\"name\":\"one-long-name\"},{\"name\":\"one-long-name\"}],",
                "\"imagePullSecrets\":[{}],",
        };
        struct fixture remembering = fixture_new();
        char body[500];

        (void)state;
        for (size_t i = 0; i < 4 * ARRAY_LEN(details); i++) {
                struct fixture fresh = fixture_new();

                snprintf(body, sizeof(body),
                         "{\"metadata\":{\"name\":\"pod-%zu\",\"labels\":{\"app\":\"web-%zu\"}},"
                         "\"spec\":{%s\"containers\":[{\"name\":\"c\",\"image\":\"a/b:1\"}]}}",
                         i, i, details[i % ARRAY_LEN(details)]);
                assert_int_equal(ask(&fresh, "POST", PODS, body), 201);
                assert_int_equal(ask(&remembering, "POST", PODS "?fieldManager=m", body), 201);
                assert_string_equal(answer(&remembering, OWNER(0) "/manager"), "m");
                char *fields = strdup(answer(&remembering, OWNER(0) "/fieldsV1"));
                assert_string_equal(fields, answer(&fresh, OWNER(0) "/fieldsV1"));
                free(fields);
                fixture_free(&fresh);
        }
        fixture_free(&remembering);
}

/* What a write of a part of a pod changes belongs to the writer and that part. */
static void test_parts_of_pods(void **state) {
        static const char of_container[] =
                "{\"f:spec\":{\"f:containers\":{\"k:{\\\"name\\\":\\\"c\\\"}\":{\"f:resources\":{"
                "\"f:requests\":{\"f:cpu\":{}}}}}}}";
        static const char of_ephemeral[] =
                "{\"f:spec\":{\"f:ephemeralContainers\":{\".\":{},\"k:{\\\"name\\\":\\\"d\\\"}\":{"
                "\".\":{},"
                "\"f:image\":{},\"f:imagePullPolicy\":{},\"f:name\":{},\"f:resources\":{},"
                "\"f:terminationMessagePath\":{},\"f:terminationMessagePolicy\":{}}}}}";
        static const struct step steps[] = {
                { "POST", PODS "?fieldManager=a", NULL,
                  "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{\"name\":\"c\","
                  "\"image\":\"i\","
                  "\"resources\":{\"requests\":{\"cpu\":\"1\"}}}]}}",
                  201, OWNER(0) "/manager", "a" },
                { "PATCH", PODS "/p/ephemeralcontainers?fieldManager=b", STRATEGIC_PATCH,
                  "{\"spec\":{\"ephemeralContainers\":[{\"name\":\"d\",\"image\":\"b\"}]}}", 200,
                  OWNER(1) "/fieldsV1", of_ephemeral },
                { "GET", PODS "/p", NULL, NULL, 200, OWNER(1) "/subresource",
                  "ephemeralcontainers" },
                { "PATCH", PODS "/p/resize?fieldManager=r", STRATEGIC_PATCH,
                  "{\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":"
                  "\"2\"}}}]}}",
                  200, OWNER(2) "/fieldsV1", of_container },
                { "GET", PODS "/p", NULL, NULL, 200, OWNER(2) "/subresource", "resize" },
                { "GET", PODS "/p", NULL, NULL, 200,
                  OWNER(0) "/fieldsV1/f:spec/f:containers/k:{\"name\":\"c\"}/f:resources",
                  "{\".\":{},\"f:requests\":{}}" },
        };

        (void)state;
        run(steps, ARRAY_LEN(steps));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_emptied),       cmocka_unit_test(test_keyless),
                cmocka_unit_test(test_raw),           cmocka_unit_test(test_updates),
                cmocka_unit_test(test_forms),         cmocka_unit_test(test_applies),
                cmocka_unit_test(test_client_side),   cmocka_unit_test(test_status),
                cmocka_unit_test(test_many),          cmocka_unit_test(test_groups),
                cmocka_unit_test(test_places),        cmocka_unit_test(test_scale_without_change),
                cmocka_unit_test(test_scale_owners),  cmocka_unit_test(test_apply_without_change),
                cmocka_unit_test(test_parts_of_pods),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
