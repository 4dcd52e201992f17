/* Creating and updating through the API server: metadata, versions, strictness, dry runs, patches,
 * apply. */
#include "fake_server.h"

#define MAPS "/api/v1/namespaces/default/configmaps"
#define MAP MAPS "/c"
#define DEPLOYMENTS "/apis/apps/v1/namespaces/default/deployments"

static void test_create(void **state) {
        struct fixture f = fixture_new();

        (void)state;
        assert_int_equal(ask(&f, "POST", MAPS,
                             "{\"metadata\":{\"name\":\"c\",\"uid\":\"x\",\"selfLink\":\"y\","
                             "\"deletionTimestamp\":\"2020-01-01T00:00:00Z\"},\"data\":{\"a\":"
                             "\"1\"}}"),
                         201);
        assert_string_equal(answer(&f, "/kind"), "ConfigMap");
        assert_string_equal(answer(&f, "/metadata/namespace"), "default");
        assert_string_equal(answer(&f, "/metadata/creationTimestamp"), "2026-01-01T00:00:00Z");
        assert_string_equal(answer(&f, "/metadata/deletionTimestamp"), "");
        assert_string_equal(answer(&f, "/metadata/generation"), "");
        assert_int_equal(strlen(answer(&f, "/metadata/uid")), 36);
        assert_string_equal(answer(&f, "/metadata/managedFields/0/manager"), "test");
        assert_int_equal(ask(&f, "POST", MAPS, "{\"metadata\":{\"name\":\"c\"}}"), 409);
        assert_string_equal(answer(&f, "/reason"), "AlreadyExists");
        assert_int_equal(ask(&f, "POST", MAPS, "{\"metadata\":{}}"), 422);
        assert_int_equal(ask(&f, "POST", MAPS, "{\"metadata\":{\"name\":\"Bad\"}}"), 422);
        assert_int_equal(ask(&f, "POST", MAPS, "{\"data\":{\"a\":1}}"), 400);
        assert_int_equal(
                ask(&f, "POST", MAPS, "{\"metadata\":{\"name\":\"x\",\"resourceVersion\":\"5\"}}"),
                500);
        assert_int_equal(
                ask(&f, "POST", MAPS, "{\"metadata\":{\"name\":\"x\",\"namespace\":\"other\"}}"),
                400);
        assert_int_equal(ask(&f, "POST", "/api/v1/namespaces/none/configmaps",
                             "{\"metadata\":{\"name\":\"x\"}}"),
                         404);
        assert_int_equal(ask(&f, "POST", MAP, "{}"), 405);
        assert_int_equal(ask_as(&f, "POST", MAPS, "text/plain", NULL, "{}"), 415);
        fixture_free(&f);
}

/* What is used shows in the status of quotas at once, but not after a dry run. */
static void test_quota_use(void **state) {
        static const char job[] =
                "{\"metadata\":{\"name\":\"j\"},\"spec\":{\"template\":{\"spec\":{"
                "\"restartPolicy\":\"Never\",\"containers\":[{\"name\":\"c\","
                "\"image\":\"i\"}]}}}}";
        struct fixture f = fixture_new();

        (void)state;
        assert_int_equal(ask(&f, "POST", "/api/v1/namespaces/default/resourcequotas",
                             "{\"metadata\":{\"name\":\"q\"},\"spec\":{\"hard\":{\"configmaps\":"
                             "\"2\"}}}"),
                         201);
        assert_int_equal(ask_as(&f, "PATCH", "/api/v1/namespaces/default/resourcequotas/q/status",
                                "application/merge-patch+json", NULL,
                                "{\"status\":{\"hard\":{\"configmaps\":\"2\"},\"used\":{"
                                "\"configmaps\":\"0\"}}}"),
                         200);
        assert_int_equal(ask(&f, "POST", MAPS, "{\"metadata\":{\"name\":\"c\"}}"), 201);
        assert_int_equal(ask(&f, "POST", MAPS "?dryRun=All", "{\"metadata\":{\"name\":\"d\"}}"),
                         201);
        assert_int_equal(ask(&f, "GET", "/api/v1/namespaces/default/resourcequotas/q", NULL), 200);
        assert_string_equal(answer(&f, "/status/used/configmaps"), "1");
        assert_string_equal(answer(&f, "/metadata/managedFields/0/manager"), "kube-apiserver");
        assert_string_equal(answer(&f, "/metadata/managedFields/0/subresource"), "status");
        assert_string_equal(answer(&f, "/metadata/managedFields/0/fieldsV1"),
                            "{\"f:status\":{\"f:used\":{\"f:configmaps\":{}}}}");
        assert_int_equal(ask(&f, "POST", "/apis/batch/v1/namespaces/default/jobs", job), 201);
        assert_string_equal(answer(&f, "/metadata/labels/job-name"), "j");
        assert_int_equal(ask(&f, "POST", "/apis/batch/v1/namespaces/default/jobs?dryRun=All", job),
                         409);
        fixture_free(&f);
}

#define HPA_OLD "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers"
#define HPA_NEW "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"

/* Value of an annotation of version 1; "" when there is none. */
static const char *note_of(const struct fixture *f, const char *name) {
        const struct json *notes = answer_at(f, "/metadata/annotations");
        static char text[512];
        char key[64];

        snprintf(key, sizeof(key), "autoscaling.alpha.kubernetes.io/%s", name);
        snprintf(text, sizeof(text), SLICE_FMT, SLICE_ARG(json_get_text(notes, key)));
        return text;
}

/* What version 1 of an autoscaler has no members for is in annotations, both ways. */
static void test_autoscaler_annotations(void **state) {
        static const char object[] =
                "{\"metadata\":{\"name\":\"h\",\"annotations\":{\"a\":\"b\","
                "\"autoscaling.alpha.kubernetes.io/"
                "metrics\":\"gone\"}},\"spec\":{\"maxReplicas\":3,"
                "\"scaleTargetRef\":{\"kind\":\"D\",\"name\":\"d\",\"apiVersion\":\"apps/v1\"},"
                "\"behavior\":{\"scaleDown\":{\"selectPolicy\":\"Min\"}},\"metrics\":["
                "{\"type\":\"Pods\",\"pods\":{\"metric\":{\"name\":\"a<b\"},"
                "\"target\":{\"type\":\"AverageValue\",\"averageValue\":\"1500m\"}}},"
                "{\"type\":\"Resource\",\"resource\":{\"name\":\"cpu\",\"target\":{"
                "\"type\":\"Utilization\",\"averageUtilization\":40}}}]}}";
        struct fixture f = fixture_new();

        (void)state;
        assert_int_equal(ask(&f, "POST", HPA_NEW, object), 201);
        assert_string_equal(answer(&f, "/metadata/annotations"), "{\"a\":\"b\"}");
        assert_int_equal(ask(&f, "GET", HPA_OLD "/h", NULL), 200);
        assert_string_equal(answer(&f, "/spec/targetCPUUtilizationPercentage"), "40");
        assert_string_equal(note_of(&f, "metrics"),
                            "[{\"type\":\"Pods\",\"pods\":{\"metricName\":\"a\\u003cb\","
                            "\"targetAverageValue\":\"1500m\"}}]");
        assert_string_equal(
                note_of(&f, "behavior"),
                "{\"ScaleUp\":{\"StabilizationWindowSeconds\":0,\"SelectPolicy\":\"Max\","
                "\"Policies\":[{\"Type\":\"Pods\",\"Value\":4,\"PeriodSeconds\":15},"
                "{\"Type\":\"Percent\",\"Value\":100,\"PeriodSeconds\":15}],\"Tolerance\":null},"
                "\"ScaleDown\":{\"StabilizationWindowSeconds\":null,\"SelectPolicy\":\"Min\","
                "\"Policies\":[{\"Type\":\"Percent\",\"Value\":100,\"PeriodSeconds\":15}],"
                "\"Tolerance\":null}}");

        /* Conditions of a status written in version 1; a spec is not taken from there. */
        assert_int_equal(
                ask_patch(&f, MERGE_PATCH, HPA_OLD "/h/status",
                          "{\"metadata\":{\"annotations\":{\"autoscaling.alpha.kubernetes.io/"
                          "metrics\":\"[]\",\"autoscaling.alpha.kubernetes.io/conditions\":"
                          "\"[{\\\"Type\\\":\\\"T\\\",\\\"status\\\":\\\"True\\\"}]\"}},"
                          "\"status\":{\"currentReplicas\":2}}"),
                200);
        assert_string_equal(note_of(&f, "conditions"),
                            "[{\"type\":\"T\",\"status\":\"True\",\"lastTransitionTime\":null}]");
        assert_int_equal(ask(&f, "GET", HPA_NEW "/h", NULL), 200);
        assert_string_equal(answer(&f, "/status/conditions/0/type"), "T");
        assert_string_equal(answer(&f, "/metadata/annotations"), "{\"a\":\"b\"}");
        assert_string_equal(answer(&f, "/spec/metrics/0/pods/metric/name"), "a<b");
        assert_string_equal(answer(&f, "/spec/behavior/scaleDown/selectPolicy"), "Min");

        /* A PUT in version 1 takes the spec from the annotations, and no status. */
        assert_int_equal(
                ask(&f, "PUT", HPA_OLD "/h",
                    "{\"metadata\":{\"name\":\"h\",\"annotations\":{\"autoscaling.alpha.kubernetes."
                    "io/metrics\":\"[{\\\"type\\\":\\\"Object\\\",\\\"object\\\":{\\\"target\\\":{"
                    "\\\"kind\\\":\\\"K\\\",\\\"name\\\":\\\"n\\\"},\\\"metricName\\\":\\\"m\\\","
                    "\\\"averageValue\\\":\\\"2\\\"}}]\"}},\"spec\":{\"maxReplicas\":3,"
                    "\"scaleTargetRef\":{\"kind\":\"D\",\"name\":\"d\","
                    "\"apiVersion\":\"apps/v1\"}}}"),
                200);
        assert_int_equal(ask(&f, "GET", HPA_NEW "/h", NULL), 200);
        assert_string_equal(answer(&f, "/spec/metrics/0/object/target"),
                            "{\"averageValue\":\"2\",\"type\":\"AverageValue\"}");
        assert_string_equal(answer(&f, "/spec/metrics/1"), "");
        assert_string_equal(answer(&f, "/spec/behavior"), "");
        assert_string_equal(answer(&f, "/status/conditions/0/type"), "T");
        fixture_free(&f);
}

/* A job takes the labels of its template; with them, what is made for its pods. */
static void test_job_labels(void **state) {
        static const char jobs[] = "/apis/batch/v1/namespaces/default/jobs";
        static const char pods[] = "\"spec\":{\"restartPolicy\":\"Never\",\"containers\":[{"
                                   "\"name\":\"c\",\"image\":\"i\"}]}}}}";
        static const struct {
                const char *metadata, *template, *query;
                const char *app, *job_name; /* labels of the answer; NULL = absent */
                int status;
        } rows[] = {
                { "\"name\":\"a\"", "\"metadata\":{\"labels\":{\"app\":\"x\"}},", "", "x", "a",
                  201 },
                { "\"name\":\"b\"", "\"metadata\":{\"labels\":{\"app\":\"x\"}},", "?dryRun=All",
                  "x", "b", 201 },
                { "\"name\":\"c\",\"labels\":{\"app\":\"x\"}",
                  "\"metadata\":{\"labels\":{\"app\":\"x\"}},", "", "x", NULL, 201 },
                { "\"name\":\"d\"", "", "?dryRun=All", NULL, "d", 201 },
                { "\"name\":\"e\"", "", "", NULL, "e", 201 },
        };
        struct fixture f = fixture_new();
        char body[512], target[128];

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
                snprintf(body, sizeof(body), "{\"metadata\":{%s},\"spec\":{\"template\":{%s%s",
                         rows[i].metadata, rows[i].template, pods);
                snprintf(target, sizeof(target), "%s%s", jobs, rows[i].query);
                assert_int_equal(ask(&f, "POST", target, body), rows[i].status);
                assert_string_equal(answer(&f, "/metadata/labels/app"),
                                    rows[i].app ? rows[i].app : "");
                assert_string_equal(answer(&f, "/metadata/labels/job-name"),
                                    rows[i].job_name ? rows[i].job_name : "");
        }
        snprintf(body, sizeof(body),
                 "{\"metadata\":{\"name\":\"101%%\"},\"spec\":{\"template\":{%s", pods);
        assert_int_equal(ask(&f, "POST", jobs, body), 422);
        assert_null(strstr(answer(&f, "/message"), "metadata.labels: "));
        snprintf(body, sizeof(body),
                 "{\"metadata\":{\"generateName\":\"g-\"},\"spec\":{\"template\":{"
                 "\"metadata\":{\"labels\":{\"app\":\"x\"}},%s",
                 pods);
        assert_int_equal(ask(&f, "POST", jobs, body), 201);
        assert_string_equal(answer(&f, "/metadata/labels"), "{\"app\":\"x\"}");
        assert_int_equal(ask(&f, "POST", jobs,
                             "{\"metadata\":{\"name\":\"h\"},\"spec\":{\"completionMode\":"
                             "\"Indexed\",\"completions\":"
                             "-1}}"),
                         422);
        assert_null(strstr(answer(&f, "/message"), "maxFailedIndexes"));
        fixture_free(&f);
}

static void test_generate_name(void **state) {
        struct fixture f = fixture_new();

        (void)state;
        for (int i = 0; i < 20; i++) {
                assert_int_equal(
                        ask(&f, "POST", MAPS, "{\"metadata\":{\"generateName\":\"web-\"}}"), 201);
                assert_int_equal(strlen(answer(&f, "/metadata/name")), 9);
        }
        fixture_free(&f);
}

static void test_strictness(void **state) {
        static const char body[] = "{\"metadata\":{\"name\":\"c\",\"name\":\"d\",\"x\":1}}";
        struct fixture f = fixture_new();

        (void)state;
        assert_int_equal(ask(&f, "POST", MAPS "?fieldValidation=Strict", body), 400);
        assert_non_null(strstr(answer(&f, "/message"), "duplicate field \"metadata.name\""));
        assert_non_null(strstr(answer(&f, "/message"), "unknown field \"metadata.x\""));
        assert_int_equal(ask(&f, "POST", MAPS "?fieldValidation=Ignore", body), 201);
        assert_string_equal(answer(&f, "/metadata/name"), "d");
        assert_string_equal(answer(&f, "/metadata/x"), "");
        assert_int_equal(ask(&f, "POST", MAPS "?fieldValidation=Maybe", body), 422);
        /* In the order of the patched object, where parts that a patch looked into are sorted. */
        assert_int_equal(
                ask_patch(&f, MERGE_PATCH, MAPS "/d?fieldValidation=Strict", "{\"zz\":1,\"aa\":1}"),
                422);
        assert_non_null(
                strstr(answer(&f, "/message"), "unknown field \"aa\", unknown field \"zz\""));
        assert_int_equal(ask_patch(&f, JSON_PATCH, MAPS "/d?fieldValidation=Strict",
                                   "[{\"op\":\"add\",\"path\":\"/zz\",\"value\":1},"
                                   "{\"op\":\"add\",\"path\":\"/aa\",\"value\":1}]"),
                         422);
        assert_non_null(
                strstr(answer(&f, "/message"), "unknown field \"aa\", unknown field \"zz\""));
        fixture_free(&f);
}

/* What judges an object knows the name that was generated for it. */
static void test_generated_name(void **state) {
        struct fixture f = fixture_new();

        (void)state;
        assert_int_equal(ask(&f, "POST", "/api/v1/namespaces/default/pods",
                             "{\"metadata\":{\"generateName\":\"g-\"},\"spec\":{\"overhead\":"
                             "{\"cpu\":\"1\"},\"containers\":[{\"name\":\"c\",\"image\":\"a\"}]}}"),
                         403);
        assert_int_equal(strlen(answer(&f, "/details/name")), strlen("g-") + 5);
        fixture_free(&f);
}

#define REQUIRED_TERMS(terms)                                                                      \
        "{\"spec\":{\"affinity\":{\"nodeAffinity\":{"                                              \
        "\"requiredDuringSchedulingIgnoredDuringExecution\":{\"nodeSelectorTerms\":[" terms        \
        "]}}}}}"

/* Terms of a pod that waits may only become narrower, and are shown as upstream's own type. */
static void test_terms_of_waiting_pod(void **state) {
        struct fixture f = fixture_new();

        (void)state;
        assert_int_equal(
                ask(&f, "POST", "/api/v1/namespaces/default/pods",
                    "{\"metadata\":{\"name\":\"w\"},\"spec\":{\"schedulingGates\":[{\"name\":"
                    "\"a.b/g\"}],\"containers\":[{\"name\":\"c\",\"image\":\"a\"}]}}"),
                201);
        assert_int_equal(ask_patch(&f, MERGE_PATCH, "/api/v1/namespaces/default/pods/w",
                                   REQUIRED_TERMS("{\"matchExpressions\":[{\"key\":\"z\","
                                                  "\"operator\":\"Exists\"}]}")),
                         200);
        assert_int_equal(ask_patch(&f, MERGE_PATCH, "/api/v1/namespaces/default/pods/w",
                                   REQUIRED_TERMS("{}")),
                         422);
        assert_non_null(
                strstr(answer(&f, "/message"), "{\"MatchExpressions\":null,\"MatchFields\":null}"));
        assert_int_equal(ask_patch(&f, MERGE_PATCH, "/api/v1/namespaces/default/pods/w",
                                   REQUIRED_TERMS("{\"matchExpressions\":[{\"key\":\"y\","
                                                  "\"operator\":\"In\",\"values\":[\"a\"]}]}")),
                         422);
        assert_non_null(strstr(answer(&f, "/message"),
                               "{\"MatchExpressions\":[{\"Key\":\"y\",\"Operator\":\"In\","
                               "\"Values\":[\"a\"]}],\"MatchFields\":null}"));
        fixture_free(&f);
}

#define BUDGETS "/apis/policy/v1/namespaces/default/poddisruptionbudgets"

/* Of several wrong values a patch's refusal names the first in the order in which upstream's patch
 * library leaves them: sorted where the patch went, else as Go prints the type. */
static void test_first_wrong_value(void **state) {
        static const struct {
                const char *type, *body, *found;
        } cases[] = {
                { MERGE_PATCH,
                  "{\"status\":{\"disruptedPods\":{\"z\":\"x\",\"b.c/d\":\"2020-01-01\"}}}",
                  "parsing time \"2020-01-01\"" },
                { JSON_PATCH,
                  "[{\"op\":\"add\",\"path\":\"/status/disruptedPods\",\"value\":{}},"
                  "{\"op\":\"add\",\"path\":\"/status/disruptedPods/z\",\"value\":\"x\"},"
                  "{\"op\":\"add\",\"path\":\"/status/disruptedPods/b\",\"value\":\"y\"}]",
                  "parsing time \"y\"" },
                { JSON_PATCH,
                  "[{\"op\":\"add\",\"path\":\"/status/disruptedPods\","
                  "\"value\":{\"z\":\"x\",\"b\":\"y\"}}]",
                  "parsing time \"x\"" },
                { JSON_PATCH,
                  "[{\"op\":\"add\",\"path\":\"/status/disruptedPods\",\"value\":{}},"
                  "{\"op\":\"add\",\"path\":\"/status/disruptedPods/a\",\"value\":null},"
                  "{\"op\":\"add\",\"path\":\"/status/disruptedPods\","
                  "\"value\":{\"z\":\"x\",\"b\":\"y\"}}]",
                  "parsing time \"x\"" },
                { JSON_PATCH, "[{\"op\":\"add\",\"path\":\"/apiVersion\",\"value\":true}]",
                  "cannot unmarshal bool into" },
                { MERGE_PATCH, "{\"metadata\":{\"labels\":{\"a\":1}}}",
                  "\"{\\\"apiVersion\\\":\\\"policy/v1\\\",\\\"kind\\\":" },
        };
        struct fixture f = fixture_new();

        (void)state;
        assert_int_equal(ask(&f, "POST", BUDGETS,
                             "{\"metadata\":{\"name\":\"b\"},\"spec\":{\"minAvailable\":1}}"),
                         201);
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                assert_int_equal(ask_patch(&f, cases[i].type, BUDGETS "/b/status", cases[i].body),
                                 422);
                if (!strstr(answer(&f, "/message"), cases[i].found))
                        fail_msg("%s: %s", cases[i].body, f.text);
        }
        fixture_free(&f);
}

/* A limit range of a thousand defaults for three hundred containers. */
static void test_defaults_have_an_end(void **state) {
        struct fixture f = fixture_new();
        struct buf body = { 0 };

        (void)state;
        buf_text(&body, "{\"metadata\":{\"name\":\"l\"},\"spec\":{\"limits\":[{\"type\":"
                        "\"Container\",\"default\":{");
        for (int i = 0; i < 1000; i++)
                buf_printf(&body, "%s\"a.b/r%d\":\"1\"", i ? "," : "", i);
        buf_text(&body, "}}]}}");
        assert_int_equal(ask(&f, "POST", "/api/v1/namespaces/default/limitranges", body.data), 201);
        buf_clear(&body);
        buf_text(&body, "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[");
        for (int i = 0; i < 300; i++)
                buf_printf(&body, "%s{\"name\":\"c%d\",\"image\":\"i\"}", i ? "," : "", i);
        buf_text(&body, "]}}");
        assert_int_equal(ask(&f, "POST", "/api/v1/namespaces/default/pods", body.data), 500);
        assert_string_equal(answer(&f, "/message"), "etcdserver: request is too large");
        buf_release(&body);
        fixture_free(&f);
}

static void test_dry_run(void **state) {
        struct fixture f = fixture_new();
        uint64_t before;

        (void)state;
        before = store_revision(api_server_store(f.server));
        assert_int_equal(ask(&f, "POST", MAPS "?dryRun=All", "{\"metadata\":{\"name\":\"c\"}}"),
                         201);
        assert_string_equal(answer(&f, "/metadata/resourceVersion"), "");
        assert_int_equal(ask(&f, "GET", MAP, NULL), 404);
        assert_int_equal(ask(&f, "POST", MAPS "?dryRun=Some", "{}"), 422);
        assert_int_equal(store_revision(api_server_store(f.server)), before);
        fixture_free(&f);
}

static void test_update(void **state) {
        struct fixture f = fixture_new();
        char stale[256], revision[32];

        (void)state;
        ask(&f, "POST", MAPS, "{\"metadata\":{\"name\":\"c\"},\"data\":{\"a\":\"1\"}}");
        snprintf(revision, sizeof(revision), "%s", answer(&f, "/metadata/resourceVersion"));
        snprintf(stale, sizeof(stale),
                 "{\"metadata\":{\"name\":\"c\",\"resourceVersion\":\"%s\"},\"data\":{\"a\":"
                 "\"1\"}}",
                 revision);
        assert_int_equal(ask(&f, "PUT", MAP, stale), 200);
        assert_string_equal(answer(&f, "/metadata/resourceVersion"), revision); /* no change */
        assert_int_equal(
                ask(&f, "PUT", MAP, "{\"metadata\":{\"name\":\"c\"},\"data\":{\"a\":\"2\"}}"), 200);
        assert_string_not_equal(answer(&f, "/metadata/resourceVersion"), revision);
        assert_int_equal(ask(&f, "PUT", MAP, stale), 409);
        assert_string_equal(answer(&f, "/reason"), "Conflict");
        assert_int_equal(ask(&f, "PUT", MAP, "{\"metadata\":{\"name\":\"other\"}}"), 400);
        assert_int_equal(ask(&f, "PUT", MAPS "/none", "{\"metadata\":{\"name\":\"none\"}}"), 404);
        assert_int_equal(ask(&f, "PUT", MAP, "{\"metadata\":{\"name\":\"c\",\"uid\":\"other\"}}"),
                         409);
        assert_int_equal(ask_patch(&f, MERGE_PATCH, MAP, "{\"metadata\":{\"uid\":\"other\"}}"),
                         422);
        assert_int_equal(ask(&f, "PUT", "/apis/coordination.k8s.io/v1/namespaces/default/leases/l",
                             "{\"metadata\":{\"name\":\"l\"},\"spec\":{}}"),
                         201); /* created by an update */
        assert_int_equal(ask(&f, "PUT", "/apis/coordination.k8s.io/v1/namespaces/default/leases/l",
                             "{\"metadata\":{\"name\":\"l\"},\"spec\":{\"holderIdentity\":\"a\"}}"),
                         422); /* needs a version */
        /* Where there are no namespaces one means nothing; elsewhere it must be that of the URL. */
        ask(&f, "POST", "/api/v1/nodes", "{\"metadata\":{\"name\":\"n\"}}");
        assert_int_equal(ask(&f, "PUT", "/api/v1/nodes/n",
                             "{\"metadata\":{\"name\":\"n\",\"namespace\":\"other\"}}"),
                         200);
        assert_string_equal(answer(&f, "/metadata/namespace"), "");
        assert_int_equal(
                ask(&f, "PUT", MAP, "{\"metadata\":{\"name\":\"c\",\"namespace\":\"other\"}}"),
                400);
        fixture_free(&f);
}

static void test_patch_types(void **state) {
        struct fixture f = fixture_new();

        (void)state;
        ask(&f, "POST", MAPS, "{\"metadata\":{\"name\":\"c\"},\"data\":{\"a\":\"1\"}}");
        assert_int_equal(ask_patch(&f, MERGE_PATCH, MAP, "{\"data\":{\"a\":null,\"b\":\"2\"}}"),
                         200);
        assert_string_equal(answer(&f, "/data"), "{\"b\":\"2\"}");
        assert_int_equal(ask_patch(&f, JSON_PATCH, MAP,
                                   "[{\"op\":\"add\",\"path\":\"/data/c\",\"value\":\"3\"}]"),
                         200);
        assert_string_equal(answer(&f, "/data/c"), "3");
        assert_int_equal(ask_patch(&f, STRATEGIC_PATCH, MAP,
                                   "{\"data\":{\"$patch\":\"replace\",\"d\":\"4\"}}"),
                         200);
        assert_string_equal(answer(&f, "/data"), "{\"d\":\"4\"}");
        assert_int_equal(ask_patch(&f, "application/json", MAP, "{}"), 415);
        assert_int_equal(ask_patch(&f, MERGE_PATCH, MAP, "{"), 400);
        assert_int_equal(ask_patch(&f, MERGE_PATCH, MAP, "{\"data\":{\"a\":5}}"), 422);
        assert_int_equal(ask_patch(&f, JSON_PATCH, MAP,
                                   "[{\"op\":\"test\",\"path\":\"/data/d\",\"value\":\"5\"}]"),
                         422);
        assert_int_equal(ask_patch(&f, MERGE_PATCH, MAP, "{\"metadata\":{\"name\":\"e\"}}"), 400);
        assert_int_equal(ask_patch(&f, MERGE_PATCH, MAPS "/none", "{}"), 404);
        fixture_free(&f);
}

static void test_generation_and_status(void **state) {
        static const char deployment[] =
                "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"selector\":{\"matchLabels\":{\"a\":"
                "\"b\"}},\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{"
                "\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}},\"status\":{\"replicas\":9}}";
        struct fixture f = fixture_new();

        (void)state;
        assert_int_equal(ask(&f, "POST", DEPLOYMENTS, deployment), 201);
        assert_string_equal(answer(&f, "/metadata/generation"), "1");
        assert_string_equal(answer(&f, "/status/replicas"), "");
        ask_patch(&f, MERGE_PATCH, DEPLOYMENTS "/d", "{\"metadata\":{\"labels\":{\"x\":\"y\"}}}");
        assert_string_equal(answer(&f, "/metadata/generation"), "1");
        ask_patch(&f, MERGE_PATCH, DEPLOYMENTS "/d",
                  "{\"spec\":{\"replicas\":3},\"status\":{\"replicas\":5}}");
        assert_string_equal(answer(&f, "/metadata/generation"), "2");
        assert_string_equal(answer(&f, "/status/replicas"), "");
        ask_patch(&f, MERGE_PATCH, DEPLOYMENTS "/d/status",
                  "{\"spec\":{\"replicas\":7},\"status\":{\"replicas\":5},\"metadata\":{"
                  "\"labels\":{\"z\":\"1\"}}}");
        assert_string_equal(answer(&f, "/metadata/generation"), "2");
        assert_string_equal(answer(&f, "/status/replicas"), "5");
        assert_string_equal(answer(&f, "/spec/replicas"), "3");
        assert_string_equal(answer(&f, "/metadata/labels"), "{\"x\":\"y\"}");
        assert_int_equal(
                ask_patch(&f, MERGE_PATCH, DEPLOYMENTS "/d/scale", "{\"spec\":{\"replicas\":1}}"),
                200);
        assert_string_equal(answer(&f, "/kind"), "Scale");
        assert_string_equal(answer(&f, "/status"), "{\"replicas\":5,\"selector\":\"a=b\"}");
        fixture_free(&f);
}

static void scaled_deployment(struct fixture *f) {
        assert_int_equal(
                ask(f, "POST", DEPLOYMENTS,
                    "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"replicas\":2,\"selector\":{"
                    "\"matchLabels\":{\"a\":\"b\"}},\"template\":{\"metadata\":{\"labels\":{"
                    "\"a\":\"b\"}},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":"
                    "\"i\"}]}}}}"),
                201);
}

/* Each patch of a scale: status, replicas after it, and a part of the complaint. */
static void test_scale_patches(void **state) {
        static const struct {
                const char *type, *body;
                int status;
                const char *replicas, *message;
        } cases[] = {
                { JSON_PATCH, "[{\"op\":\"replace\",\"path\":\"/spec/replicas\",\"value\":5}]", 200,
                  "5", NULL },
                { JSON_PATCH, "[{\"op\":\"test\",\"path\":\"/spec/replicas\",\"value\":4}]", 422,
                  "5", NULL },
                { JSON_PATCH, "[{\"op\":\"add\",\"path\":\"/spec/replicas\",\"value\":-1}]", 422,
                  "5", "Scale.autoscaling \"d\" is invalid: spec.replicas: Invalid value: -1" },
                { JSON_PATCH, "[{\"op\":\"add\",\"path\":\"/spec/replicas\",\"value\":\"3\"}]", 422,
                  "5", "\\\"spec\\\":{\\\"replicas\\\":\\\"3\\\"}" },
                { MERGE_PATCH, "{\"spec\":{\"replicas\":2147483648}}", 422, "5", "2147483648" },
                { STRATEGIC_PATCH, "{\"spec\":{\"replicas\":1.5}}", 422, "5",
                  "Invalid value: \"map[spec:map[replicas:1.5]]\"" },
                { STRATEGIC_PATCH, "{\"spec\":{\"replicas\":3}}", 200, "3", NULL },
                { MERGE_PATCH, "{\"spec\":{\"replicas\":null}}", 200, "", NULL },
        };
        struct fixture f = fixture_new();

        (void)state;
        scaled_deployment(&f);
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                assert_int_equal(
                        ask_patch(&f, cases[i].type, DEPLOYMENTS "/d/scale", cases[i].body),
                        cases[i].status);
                if (cases[i].message)
                        assert_non_null(strstr(answer(&f, "/message"), cases[i].message));
                assert_int_equal(ask(&f, "GET", DEPLOYMENTS "/d/scale", NULL), 200);
                assert_string_equal(answer(&f, "/spec/replicas"), cases[i].replicas);
        }
        assert_int_equal(ask_as(&f, "GET", DEPLOYMENTS "/d/scale", NULL,
                                "application/json;as=Table;v=v1;g=meta.k8s.io", NULL),
                         200);
        assert_string_equal(answer(&f, "/kind"), "Table");
        assert_string_equal(answer(&f, "/columnDefinitions/2/name"), "Available");
        assert_string_equal(answer(&f, "/rows/0/cells/0"), "d");
        fixture_free(&f);
}

/* An apply of a scale owns the replicas, tells no time, and others cannot take them. */
static void test_scale_apply(void **state) {
        static const char zero[] = "{\"apiVersion\":\"autoscaling/v1\",\"kind\":\"Scale\","
                                   "\"metadata\":{\"name\":\"d\"},\"spec\":{\"replicas\":0}}";
        static const char four[] = "{\"apiVersion\":\"autoscaling/v1\",\"kind\":\"Scale\","
                                   "\"metadata\":{\"name\":\"d\"},\"spec\":{\"replicas\":4}}";
        struct fixture f = fixture_new();

        (void)state;
        scaled_deployment(&f);
        assert_int_equal(ask_patch(&f, APPLY_PATCH, DEPLOYMENTS "/d/scale?fieldManager=s", zero),
                         409);
        assert_non_null(strstr(answer(&f, "/message"), "using autoscaling/v1: .spec.replicas"));
        assert_int_equal(
                ask_patch(&f, APPLY_PATCH, DEPLOYMENTS "/d/scale?fieldManager=s&force=true", zero),
                200);
        assert_int_equal(ask(&f, "GET", DEPLOYMENTS "/d", NULL), 200);
        assert_string_equal(answer(&f, "/spec/replicas"), "0");
        assert_string_equal(answer(&f, "/metadata/managedFields/0/manager"), "s");
        assert_string_equal(answer(&f, "/metadata/managedFields/0/operation"), "Apply");
        assert_string_equal(answer(&f, "/metadata/managedFields/0/time"), "");
        assert_string_equal(answer(&f, "/metadata/managedFields/0/fieldsV1"),
                            "{\"f:spec\":{\"f:replicas\":{}}}");
        assert_int_equal(ask_patch(&f, APPLY_PATCH, DEPLOYMENTS "/d/scale?fieldManager=t", four),
                         409);
        fixture_free(&f);
}

/* The complaint about a patch that does not decode shows what it made, unknown fields too. */
static void test_undecodable_patch(void **state) {
        struct fixture f = fixture_new();

        (void)state;
        ask(&f, "POST", MAPS, "{\"metadata\":{\"name\":\"c\"},\"data\":{\"a\":\"1\"}}");
        assert_int_equal(ask_patch(&f, MERGE_PATCH, MAP "?fieldValidation=Strict",
                                   "{\"odd\":1,\"data\":{\"b\":\"2\"}}"),
                         422);
        assert_non_null(strstr(answer(&f, "/message"), "\\\"odd\\\":1"));
        assert_non_null(
                strstr(answer(&f, "/message"), "{\\\"a\\\":\\\"1\\\",\\\"b\\\":\\\"2\\\"}"));
        assert_int_equal(ask_patch(&f, STRATEGIC_PATCH, MAP,
                                   "{\"data\":{\"z\":[1,\"x\"],\"b\":null,\"a\":true}}"),
                         422);
        assert_non_null(
                strstr(answer(&f, "/message"), "\"map[data:map[a:true b:<nil> z:[1 x]]]\""));
        fixture_free(&f);
}

static void test_apply(void **state) {
        static const char head[] = "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{"
                                   "\"name\":\"c\"},\"data\":";
        struct fixture f = fixture_new();
        char body[256];

        (void)state;
        snprintf(body, sizeof(body), "%s{\"a\":\"1\",\"b\":\"2\"}}", head);
        assert_int_equal(ask_patch(&f, APPLY_PATCH, MAP, body), 422); /* no manager */
        assert_int_equal(ask_patch(&f, APPLY_PATCH, MAP "?fieldManager=m1", body), 201);
        snprintf(body, sizeof(body), "%s{\"a\":\"1\"}}", head);
        assert_int_equal(ask_patch(&f, APPLY_PATCH, MAP "?fieldManager=m1", body), 200);
        assert_string_equal(answer(&f, "/data"), "{\"a\":\"1\"}"); /* b was given up */
        snprintf(body, sizeof(body), "%s{\"a\":\"9\"}}", head);
        assert_int_equal(ask_patch(&f, APPLY_PATCH, MAP "?fieldManager=m2", body), 409);
        assert_string_equal(answer(&f, "/message"),
                            "Apply failed with 1 conflict: conflict with \"m1\": .data.a");
        assert_int_equal(ask_patch(&f, APPLY_PATCH, MAP "?fieldManager=m2&force=true", body), 200);
        assert_string_equal(answer(&f, "/metadata/managedFields/0/fieldsV1"),
                            "{\"f:data\":{\"f:a\":{}}}");
        assert_string_equal(answer(&f, "/metadata/managedFields/1"), "");
        /* A plain writer takes over what it changes. */
        ask_patch(&f, MERGE_PATCH, MAP "?fieldManager=ed", "{\"data\":{\"a\":\"5\"}}");
        assert_string_equal(answer(&f, "/metadata/managedFields/0/manager"), "ed");
        assert_int_equal(ask_patch(&f, APPLY_PATCH, MAP "?fieldManager=m2", body), 409);
        fixture_free(&f);
}

/* What a writer without a recorded set wrote is still defended. */
static void test_apply_over_plain(void **state) {
        struct fixture f = fixture_new();

        (void)state;
        ask(&f, "POST", MAPS "?fieldManager=ed",
            "{\"metadata\":{\"name\":\"c\"},\"data\":{\"a\":\"1\"}}");
        assert_int_equal(ask_patch(&f, APPLY_PATCH, MAP "?fieldManager=m",
                                   "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"data\":{"
                                   "\"a\":\"2\"},\"metadata\":{\"name\":\"c\"}}"),
                         409);
        assert_string_equal(answer(&f, "/details/causes/0/message"),
                            "conflict with \"ed\" using v1");
        assert_int_equal(ask_patch(&f, APPLY_PATCH, MAP "?fieldManager=m",
                                   "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"data\":{"
                                   "\"a\":\"1\",\"b\":\"2\"},\"metadata\":{\"name\":\"c\"}}"),
                         200); /* equal values are shared */
        fixture_free(&f);
}

/* kubectl rewrites the list when it changes from client-side to server-side apply. */
static void test_given_owners(void **state) {
        struct fixture f = fixture_new();
        char revision[32];

        (void)state;
        ask(&f, "POST", MAPS "?fieldManager=ed",
            "{\"metadata\":{\"name\":\"c\",\"annotations\":{\"kubectl.kubernetes.io/"
            "last-applied-configuration\":\"{}\"}},\"data\":{\"a\":\"1\"}}");
        assert_string_equal(answer(&f, "/metadata/managedFields/0/fieldsV1/f:data"),
                            "{\".\":{},\"f:a\":{}}");
        snprintf(revision, sizeof(revision), "%s", answer(&f, "/metadata/resourceVersion"));
        assert_int_equal(
                ask_patch(&f, JSON_PATCH, MAP,
                          "[{\"op\":\"replace\",\"path\":\"/metadata/managedFields\",\"value\":[{"
                          "\"manager\":\"m\",\"operation\":\"Apply\",\"apiVersion\":\"v1\","
                          "\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{\"f:data\":{\"f:a\":{}}}}]}]"),
                200);
        assert_string_equal(answer(&f, "/metadata/managedFields/0/manager"), "m");
        assert_string_equal(answer(&f, "/metadata/managedFields/1"), "");
        assert_string_not_equal(answer(&f, "/metadata/resourceVersion"), revision);
        assert_int_equal(ask_patch(&f, MERGE_PATCH, MAP, "{\"metadata\":{\"managedFields\":[{}]}}"),
                         200);
        assert_string_equal(answer(&f, "/metadata/managedFields"), "");
        fixture_free(&f);
}

/* What ends takes no new finalizers; each is named once. */
static void test_new_finalizers(void **state) {
        struct fixture f = fixture_new();

        (void)state;
        assert_int_equal(
                ask(&f, "POST", MAPS, "{\"metadata\":{\"name\":\"c\",\"finalizers\":[\"a/b\"]}}"),
                201);
        assert_int_equal(ask(&f, "DELETE", MAP, NULL), 200);
        assert_int_equal(
                ask_patch(&f, MERGE_PATCH, MAP,
                          "{\"metadata\":{\"finalizers\":[\"x/z\",\"x/y\",\"x/z\",\"a/b\"]}}"),
                422);
        assert_non_null(strstr(f.text, "found new finalizers []string{\\\"x/y\\\", \\\"x/z\\\"}"));
        fixture_free(&f);
}

static void test_namespace_life(void **state) {
        struct fixture f = fixture_new();

        (void)state;
        ask(&f, "POST", "/api/v1/namespaces", "{\"metadata\":{\"name\":\"n\"}}");
        assert_int_equal(ask(&f, "DELETE", "/api/v1/namespaces/default", NULL), 403);
        assert_int_equal(ask(&f, "DELETE", "/api/v1/namespaces/n", NULL), 200);
        assert_string_equal(answer(&f, "/status/phase"), "Terminating");
        assert_int_equal(ask(&f, "POST", "/api/v1/namespaces/n/configmaps",
                             "{\"metadata\":{\"name\":\"x\"}}"),
                         403);
        assert_string_equal(answer(&f, "/details/causes/0/reason"), "NamespaceTerminating");
        assert_int_equal(ask(&f, "PUT", "/api/v1/namespaces/n/finalize",
                             "{\"metadata\":{\"name\":\"n\"},\"spec\":{\"finalizers\":[]}}"),
                         200);
        assert_int_equal(ask(&f, "GET", "/api/v1/namespaces/n", NULL), 404);
        fixture_free(&f);
}

#define PODS "/api/v1/namespaces/default/pods"
#define POD "/api/v1/namespaces/default/pods/p"

/* Each subresource of a pod takes its own part and leaves the rest alone. */
/* A status that says nothing of generations keeps those that were seen. */
static void test_seen_generations(void **state) {
        static const char pod[] = "/api/v1/namespaces/default/pods/p/status";
        struct fixture f = fixture_new();

        (void)state;
        assert_int_equal(ask(&f, "POST", "/api/v1/namespaces/default/pods",
                             "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{\"name\":"
                             "\"c\",\"image\":\"i\"}]}}"),
                         201);
        assert_int_equal(ask(&f, "PUT", pod,
                             "{\"metadata\":{\"name\":\"p\"},\"status\":{\"observedGeneration\":1,"
                             "\"conditions\":[{\"type\":\"A\",\"status\":\"True\","
                             "\"observedGeneration\":1},{\"type\":\"A\",\"status\":\"True\","
                             "\"observedGeneration\":2}]}}"),
                         200);
        assert_int_equal(ask(&f, "PUT", pod,
                             "{\"metadata\":{\"name\":\"p\"},\"status\":{\"conditions\":[{\"type\":"
                             "\"B\",\"status\":\"True\"},{\"type\":\"A\",\"status\":\"True\"},"
                             "{\"type\":\"A\",\"status\":\"True\"}]}}"),
                         200);
        assert_string_equal(answer(&f, "/status/observedGeneration"), "1");
        assert_string_equal(answer(&f, "/status/conditions/0/observedGeneration"), "");
        assert_string_equal(answer(&f, "/status/conditions/1/observedGeneration"), "1");
        assert_string_equal(answer(&f, "/status/conditions/2/observedGeneration"), "2");
        fixture_free(&f);
}

static void test_pod_parts(void **state) {
        static const struct {
                const char *path, *patch;
                int expect;
                const char *found; /* in the answer */
        } steps[] = {
                { POD, "{\"spec\":{\"ephemeralContainers\":[{\"name\":\"d\",\"image\":\"b\"}]}}",
                  422, "pod updates may not" },
                { POD "/ephemeralcontainers",
                  "{\"spec\":{\"ephemeralContainers\":[{\"name\":\"d\",\"image\":\"b\"}]}}", 200,
                  "\"name\":\"d\"" },
                { POD "/ephemeralcontainers",
                  "{\"spec\":{\"ephemeralContainers\":[{\"name\":\"d\",\"image\":\"x\"}]}}", 422,
                  "may not be changed" },
                { POD "/ephemeralcontainers", "{\"spec\":{\"ephemeralContainers\":[]}}", 422,
                  "may not be removed" },
                { POD "/ephemeralcontainers",
                  "{\"spec\":{\"ephemeralContainers\":[{\"name\":\"d\",\"image\":\"b\"},"
                  "{\"name\":\"c\",\"image\":\"b\"}]}}",
                  422, "Duplicate value" },
                { POD "/ephemeralcontainers", "{\"spec\":{\"nodeName\":\"elsewhere\"}}", 200,
                  "\"name\":\"d\"" },
                { POD "/resize",
                  "{\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"other\","
                  "\"resources\":{\"requests\":{\"cpu\":\"200m\"}}}]}}",
                  200, "\"cpu\":\"200m\"" },
                { POD "/resize", "{\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{}}]}}",
                  422, "Pod QOS Class may not change" },
                { POD "/resize", "{\"spec\":{\"resources\":{\"claims\":[{\"name\":\"x\"}]}}}", 422,
                  "as a result of resizing]" },
                { POD "/resize", "{\"metadata\":{\"deletionTimestamp\":\"2020-01-01T00:00:00Z\"}}",
                  200, "\"name\":\"p\"" },
                { POD "/ephemeralcontainers",
                  "{\"metadata\":{\"deletionTimestamp\":\"2020-01-01T00:00:00Z\"}}", 200,
                  "\"name\":\"p\"" },
                { POD "/log", NULL, 200, "" },
                { POD "/exec?command=x", NULL, 400, "pod p does not have a host assigned" },
                { POD "/portforward", NULL, 400, "pod p does not have a host assigned" },
                { POD "/exec?container=z", NULL, 400, "container z is not valid for pod p" },
                { PODS "/none/attach", NULL, 404, "not found" },
                { PODS "/on/log", NULL, 400, "choose one of: [i a b]" },
                { PODS "/on/log?container=a", NULL, 400, "is waiting to start" },
                { PODS "/on/exec?container=i", NULL, 501, "containers are simulated" },
                { POD "/log?container=z", NULL, 400, "container z is not valid for pod p" },
                { POD, NULL, 200, "\"image\":\"a\"" },
        };
        struct fixture f = fixture_new();

        (void)state;
        assert_int_equal(ask(&f, "POST", "/api/v1/namespaces/default/pods",
                             "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{\"name\":"
                             "\"c\",\"image\":\"a\",\"resources\":{\"requests\":{\"cpu\":\"100m\"}}"
                             "}]}}"),
                         201);
        assert_int_equal(ask(&f, "POST", PODS,
                             "{\"metadata\":{\"name\":\"on\"},\"spec\":{\"nodeName\":\"n\","
                             "\"initContainers\":[{\"name\":\"i\",\"image\":\"a\"}],"
                             "\"containers\":[{\"name\":\"a\",\"image\":\"a\"},"
                             "{\"name\":\"b\",\"image\":\"a\"}]}}"),
                         201);
        for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
                int status = steps[i].patch
                                     ? ask_patch(&f, MERGE_PATCH, steps[i].path, steps[i].patch)
                                     : ask(&f, "GET", steps[i].path, "");

                if (status != steps[i].expect || !strstr(f.text, steps[i].found))
                        fail_msg("%s %s: %d %s", steps[i].path, steps[i].patch, status, f.text);
        }
        fixture_free(&f);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_create),
                cmocka_unit_test(test_quota_use),
                cmocka_unit_test(test_autoscaler_annotations),
                cmocka_unit_test(test_job_labels),
                cmocka_unit_test(test_generate_name),
                cmocka_unit_test(test_strictness),
                cmocka_unit_test(test_defaults_have_an_end),
                cmocka_unit_test(test_first_wrong_value),
                cmocka_unit_test(test_generated_name),
                cmocka_unit_test(test_terms_of_waiting_pod),
                cmocka_unit_test(test_dry_run),
                cmocka_unit_test(test_update),
                cmocka_unit_test(test_patch_types),
                cmocka_unit_test(test_generation_and_status),
                cmocka_unit_test(test_scale_patches),
                cmocka_unit_test(test_scale_apply),
                cmocka_unit_test(test_undecodable_patch),
                cmocka_unit_test(test_apply),
                cmocka_unit_test(test_apply_over_plain),
                cmocka_unit_test(test_given_owners),
                cmocka_unit_test(test_new_finalizers),
                cmocka_unit_test(test_namespace_life),
                cmocka_unit_test(test_seen_generations),
                cmocka_unit_test(test_pod_parts),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
