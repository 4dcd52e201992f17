/* Deleting: graceful pods, finalizers, propagation, preconditions, collections. */
#include "fake_server.h"

#define PODS "/api/v1/namespaces/default/pods"
#define MAPS "/api/v1/namespaces/default/configmaps"
#define JOBS "/apis/batch/v1/namespaces/default/jobs"
#define SETS "/apis/apps/v1/namespaces/default/replicasets"
#define POD(more)                                                                                  \
        "{\"metadata\":{\"name\":\"p\"},\"spec\":{" more                                           \
        "\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}"

static void test_unbound_pod(void **state) {
        struct fixture f = fixture_new();
        uint64_t before;

        (void)state;
        ask(&f, "POST", PODS, POD(""));
        before = store_revision(api_server_store(f.server));
        assert_int_equal(ask(&f, "DELETE", PODS "/p", NULL), 200);
        assert_string_equal(answer(&f, "/kind"), "Pod");
        assert_string_equal(answer(&f, "/metadata/deletionGracePeriodSeconds"), "0");
        assert_int_equal(store_revision(api_server_store(f.server)), before + 2);
        assert_int_equal(ask(&f, "GET", PODS "/p", NULL), 404);
        fixture_free(&f);
}

static void test_graceful_pod(void **state) {
        struct fixture f = fixture_new();

        (void)state;
        ask(&f, "POST", PODS, POD("\"nodeName\":\"n\","));
        assert_int_equal(ask(&f, "DELETE", PODS "/p", NULL), 200);
        assert_string_equal(answer(&f, "/metadata/deletionTimestamp"), "2026-01-01T00:00:30Z");
        assert_string_equal(answer(&f, "/metadata/generation"), "2");
        ask(&f, "DELETE", PODS "/p", "{\"gracePeriodSeconds\":60}"); /* can only shorten */
        assert_string_equal(answer(&f, "/metadata/deletionGracePeriodSeconds"), "30");
        ask(&f, "DELETE", PODS "/p", "{\"gracePeriodSeconds\":5}");
        assert_string_equal(answer(&f, "/metadata/deletionTimestamp"), "2026-01-01T00:00:05Z");
        assert_int_equal(ask(&f, "GET", PODS "/p", NULL), 200);
        assert_int_equal(ask(&f, "DELETE", PODS "/p?gracePeriodSeconds=0", NULL), 200);
        assert_int_equal(ask(&f, "GET", PODS "/p", NULL), 404);
        fixture_free(&f);
}

static void test_query_and_body(void **state) {
        struct fixture f = fixture_new();

        (void)state;
        ask(&f, "POST", MAPS, "{\"metadata\":{\"name\":\"c\"}}");
        assert_int_equal(ask(&f, "DELETE", MAPS "/c?dryRun=All", NULL), 200);
        assert_int_equal(ask(&f, "GET", MAPS "/c", NULL), 200);
        assert_int_equal(ask(&f, "DELETE", MAPS "/c?dryRun=All", "{}"), 200); /* body wins */
        assert_string_equal(answer(&f, "/status"), "Success");
        assert_int_equal(ask(&f, "GET", MAPS "/c", NULL), 404);
        assert_int_equal(ask(&f, "DELETE", MAPS "/c", "{\"propagationPolicy\":\"Up\"}"), 422);
        assert_int_equal(ask(&f, "DELETE", MAPS "/c", "{\"dryRun\":[\"Some\"]}"), 422);
        assert_int_equal(ask(&f, "DELETE", MAPS "/c", "{\"kind\":\"Pod\"}"), 400);
        assert_int_equal(ask(&f, "DELETE", MAPS "/c",
                             "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"apps/v1\"}"),
                         404);
        fixture_free(&f);
}

static void test_preconditions(void **state) {
        struct fixture f = fixture_new();
        char body[256];

        (void)state;
        ask(&f, "POST", MAPS, "{\"metadata\":{\"name\":\"c\"}}");
        snprintf(body, sizeof(body),
                 "{\"preconditions\":{\"uid\":\"%s\",\"resourceVersion\":\"%s\"}}",
                 answer(&f, "/metadata/uid"), answer(&f, "/metadata/resourceVersion"));
        assert_int_equal(ask(&f, "DELETE", MAPS "/c", "{\"preconditions\":{\"uid\":\"x\"}}"), 409);
        assert_int_equal(
                ask(&f, "DELETE", MAPS "/c", "{\"preconditions\":{\"resourceVersion\":\"1\"}}"),
                409);
        assert_int_equal(ask(&f, "DELETE", MAPS "/c", body), 200);
        fixture_free(&f);
}

static void test_finalizers(void **state) {
        struct fixture f = fixture_new();

        (void)state;
        ask(&f, "POST", MAPS, "{\"metadata\":{\"name\":\"c\",\"finalizers\":[\"a.b/c\"]}}");
        assert_int_equal(ask(&f, "DELETE", MAPS "/c", NULL), 200);
        assert_string_equal(answer(&f, "/metadata/deletionTimestamp"), "2026-01-01T00:00:00Z");
        assert_int_equal(ask(&f, "DELETE", MAPS "/c", NULL), 200); /* changes nothing */
        assert_int_equal(ask_patch(&f, MERGE_PATCH, MAPS "/c",
                                   "{\"metadata\":{\"finalizers\":[\"a.b/c\",\"a.b/d\"]}}"),
                         422);
        assert_int_equal(
                ask_patch(&f, MERGE_PATCH, MAPS "/c", "{\"metadata\":{\"finalizers\":null}}"), 200);
        assert_int_equal(ask(&f, "GET", MAPS "/c", NULL), 404);
        fixture_free(&f);
}

static void test_propagation(void **state) {
        static const char set[] =
                "{\"metadata\":{\"name\":\"r\"},\"spec\":{\"selector\":{\"matchLabels\":{\"a\":"
                "\"b\"}},\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{"
                "\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}}}";
        static const char job[] =
                "{\"metadata\":{\"name\":\"j\"},\"spec\":{\"template\":{\"spec\":{\"containers\":[{"
                "\"name\":\"c\",\"image\":\"i\"}],\"restartPolicy\":\"Never\"}}}}";
        struct fixture f = fixture_new();

        (void)state;
        ask(&f, "POST", SETS, set);
        ask(&f, "DELETE", SETS "/r", "{\"propagationPolicy\":\"Foreground\"}");
        assert_string_equal(answer(&f, "/metadata/finalizers"), "[\"foregroundDeletion\"]");
        ask(&f, "DELETE", SETS "/r?propagationPolicy=Orphan", NULL);
        assert_string_equal(answer(&f, "/metadata/finalizers"), "[\"orphan\"]");
        ask(&f, "DELETE", SETS "/r", NULL); /* keeps the earlier choice */
        assert_string_equal(answer(&f, "/metadata/finalizers"), "[\"orphan\"]");
        /* What kinds do by themselves gives way to an earlier choice, too. */
        ask(&f, "POST", JOBS, job);
        ask(&f, "DELETE", JOBS "/j", "{\"propagationPolicy\":\"Foreground\"}");
        ask(&f, "DELETE", JOBS "/j", NULL);
        assert_string_equal(answer(&f, "/metadata/finalizers"), "[\"foregroundDeletion\"]");
        ask(&f, "DELETE", SETS "/r", "{\"propagationPolicy\":\"Background\",\"dryRun\":[\"All\"]}");
        assert_string_equal(answer(&f, "/kind"), "ReplicaSet"); /* nothing is in it */
        assert_string_equal(answer(&f, "/metadata/name"), "");
        ask(&f, "DELETE", SETS "/r", "{\"propagationPolicy\":\"Background\"}");
        assert_string_equal(answer(&f, "/status"), "Success");
        assert_int_equal(ask(&f, "GET", SETS "/r", NULL), 404);
        fixture_free(&f);
}

/* A pod that only finalizers keep may still be told what becomes of its dependents. */
static void test_kept_pod(void **state) {
        static const char pod[] = "{\"metadata\":{\"name\":\"k\",\"finalizers\":[\"kubernetes\","
                                  "\"foregroundDeletion\"]}"
                                  ",\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}";
        struct fixture f = fixture_new();

        (void)state;
        ask(&f, "POST", PODS, pod);
        ask(&f, "DELETE", PODS "/k", NULL);
        assert_string_equal(answer(&f, "/metadata/finalizers"),
                            "[\"kubernetes\",\"foregroundDeletion\"]");
        ask(&f, "DELETE", PODS "/k?propagationPolicy=Background", NULL);
        assert_string_equal(answer(&f, "/metadata/finalizers"), "[\"kubernetes\"]");
        fixture_free(&f);
}

static void test_collection(void **state) {
        struct fixture f = fixture_new();
        char body[128];

        (void)state;
        for (int i = 0; i < 6; i++) {
                snprintf(body, sizeof(body),
                         "{\"metadata\":{\"name\":\"c%d\",\"labels\":{\"half\":\"%d\"}}}", i,
                         i / 3);
                ask(&f, "POST", MAPS, body);
        }
        assert_int_equal(ask(&f, "DELETE", MAPS "?labelSelector=half%3D0&dryRun=All", NULL), 200);
        assert_int_equal(ask(&f, "DELETE", MAPS "?labelSelector=half%3D0", NULL), 200);
        assert_int_equal(json_count(answer_at(&f, "/items")), 3);
        assert_string_equal(answer(&f, "/items/0/metadata/name"), "c0");
        ask(&f, "GET", MAPS "?labelSelector=half", NULL);
        assert_int_equal(json_count(answer_at(&f, "/items")), 3);
        assert_int_equal(ask(&f, "DELETE", "/api/v1/namespaces", NULL), 405);
        fixture_free(&f);
}

#define EVENTS "/api/v1/namespaces/default/events"

static void add_event(struct fixture *f, const char *name) {
        char body[256];

        snprintf(body, sizeof(body),
                 "{\"metadata\":{\"name\":\"%s\"},\"involvedObject\":{\"namespace\":\"default\"}}",
                 name);
        assert_int_equal(ask(f, "POST", EVENTS, body), 201);
}

static void test_event_retention(void **state) {
        struct fixture f = fixture_new();
        struct http_stream *watch;

        (void)state;
        assert_int_equal(virtual_loop_timers(f.fake), 0); /* nothing to wait for */
        add_event(&f, "old");
        virtual_loop_advance(f.fake, 30 * 60 * NS_PER_S);
        add_event(&f, "new");
        virtual_loop_advance(f.fake, 29 * 60 * NS_PER_S);
        assert_int_equal(ask(&f, "GET", EVENTS "/old", NULL), 200);
        watch = open_watch(&f, EVENTS "?watch=1");
        watch_text(watch);
        virtual_loop_advance(f.fake, 3 * 60 * NS_PER_S);
        assert_string_equal(watch_text(watch), "DELETED old;");
        assert_int_equal(ask(&f, "GET", EVENTS "/new", NULL), 200);
        virtual_loop_advance(f.fake, 30 * 60 * NS_PER_S);
        assert_int_equal(ask(&f, "GET", EVENTS "/new", NULL), 404);
        http_stream_close(watch);
        assert_int_equal(virtual_loop_timers(f.fake), 0);
        fixture_free(&f);
}

/* Beyond the limit those go that have not changed for longest. */
static void test_event_limit(void **state) {
        struct fixture f = { .fake = virtual_loop_new() };
        char name[16];
        size_t count;

        (void)state;
        f.server = api_server_new(&(struct api_server_config){ .seed = 1, .events_max = 32 },
                                  virtual_loop_get(f.fake));
        for (int i = 0; i < 40; i++) {
                snprintf(name, sizeof(name), "e%d", i);
                add_event(&f, name);
                if (i == 30) /* as new as the newest */
                        assert_int_equal(ask_patch(&f, MERGE_PATCH, EVENTS "/e0", "{\"count\":2}"),
                                         200);
                virtual_loop_advance(f.fake, 0);
                assert_int_equal(ask(&f, "GET", EVENTS, NULL), 200);
                count = json_count(answer_at(&f, "/items"));
                assert_true(count <= 34 && (i < 34 ? count == (size_t)i + 1 : count >= 32));
        }
        assert_int_equal(ask(&f, "GET", EVENTS "/e0", NULL), 200);
        assert_int_equal(ask(&f, "GET", EVENTS "/e1", NULL), 404);
        assert_int_equal(ask(&f, "GET", EVENTS "/e39", NULL), 200);
        fixture_free(&f);
}

/* A second deletion makes the grace period shorter, never longer; writes leave it as it is. */
static void test_grace_of_marked(void **state) {
        static const char pod[] = "/api/v1/namespaces/default/pods/p";
        static const struct {
                const char *query, *seconds;
        } rows[] = { { "?gracePeriodSeconds=20", "20" },
                     { "?gracePeriodSeconds=25", "20" },
                     { "?gracePeriodSeconds=10", "10" } };
        struct fixture f = fixture_new();
        char target[128];

        (void)state;
        assert_int_equal(ask(&f, "POST", "/api/v1/namespaces/default/pods",
                             "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"nodeName\":\"n\","
                             "\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}"),
                         201);
        for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
                snprintf(target, sizeof(target), "%s%s", pod, rows[i].query);
                assert_int_equal(ask(&f, "DELETE", target, NULL), 200);
                assert_string_equal(answer(&f, "/metadata/deletionGracePeriodSeconds"),
                                    rows[i].seconds);
        }
        assert_int_equal(ask_as(&f, "PATCH", pod, MERGE_PATCH, NULL,
                                "{\"metadata\":{\"deletionGracePeriodSeconds\":5}}"),
                         422);
        assert_int_equal(ask_as(&f, "PATCH", pod, MERGE_PATCH, NULL,
                                "{\"metadata\":{\"deletionGracePeriodSeconds\":null}}"),
                         200);
        assert_string_equal(answer(&f, "/metadata/deletionGracePeriodSeconds"), "10");
        fixture_free(&f);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_grace_of_marked), cmocka_unit_test(test_unbound_pod),
                cmocka_unit_test(test_graceful_pod),    cmocka_unit_test(test_query_and_body),
                cmocka_unit_test(test_preconditions),   cmocka_unit_test(test_finalizers),
                cmocka_unit_test(test_propagation),     cmocka_unit_test(test_kept_pod),
                cmocka_unit_test(test_collection),      cmocka_unit_test(test_event_retention),
                cmocka_unit_test(test_event_limit),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
