/* What a server serves that plays another version of Kubernetes. */
#include "fake_server.h"

#include <string.h>

static struct fixture playing(unsigned minor) {
        struct fixture fixture = { .fake = virtual_loop_new() };

        fixture.server = api_server_new(&(struct api_server_config){ .seed = 1, .minor = minor },
                                        virtual_loop_get(fixture.fake));
        return fixture;
}

/* Paths that a version serves, and the one before it does not. */
static const struct {
        const char *path;
        unsigned since;
} paths[] = {
        { "/api/v1/pods", 28 },
        { "/apis/policy/v1/poddisruptionbudgets", 28 },
        { "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas", 29 },
        { "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies", 30 },
        { "/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies", 36 },
        { "/apis/networking.k8s.io/v1/servicecidrs", 33 },
        { "/apis/storage.k8s.io/v1/volumeattributesclasses", 34 },
        { "/apis/resource.k8s.io/v1/resourceclaims", 34 },
        { "/apis/resource.k8s.io/v1", 34 },
        { "/apis/resource.k8s.io", 34 },
        { "/openapi/v3/apis/resource.k8s.io/v1", 34 },
};

static void test_paths(void **state) {
        (void)state;
        for (unsigned minor = 28; minor <= 37; minor++) {
                struct fixture fixture = playing(minor);

                for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
                        int status = ask_as(&fixture, "GET", paths[i].path, NULL,
                                            "application/json", NULL);

                        if (status != (minor >= paths[i].since ? 200 : 404))
                                fail_msg("1.%u %s: %d", minor, paths[i].path, status);
                }
                fixture_free(&fixture);
        }
}

/* Version, OpenAPI and the kubelets' word are of one release; discovery has two forms over time. */
static void test_itself(void **state) {
        static const char beta[] =
                "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList";
        static const char stable[] =
                "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

        (void)state;
        for (unsigned minor = 28; minor <= 37; minor++) {
                struct fixture fixture = playing(minor);
                char expected[32];

                assert_int_equal(ask_as(&fixture, "GET", "/version", NULL, NULL, NULL), 200);
                snprintf(expected, sizeof(expected), "v1.%u.0", minor);
                assert_true(slice_is(json_get_text(json_doc_root(fixture.doc), "gitVersion"),
                                     expected));
                assert_int_equal(json_get(json_doc_root(fixture.doc), "emulationMinor") != NULL,
                                 minor >= 33);
                assert_int_equal(api_server_minor(fixture.server), minor);
                assert_int_equal(
                        ask_as(&fixture, "GET", "/openapi/v2", NULL, "application/json", NULL),
                        200);
                assert_non_null(strstr(fixture.text, expected));
                assert_int_equal(strstr(fixture.text, "resource.v1.ResourceClaim\"") != NULL,
                                 minor >= 34);
                assert_int_equal(ask_as(&fixture, "GET", "/apis", NULL, beta, NULL),
                                 minor <= 32 ? 200 : 406);
                assert_int_equal(ask_as(&fixture, "GET", "/apis", NULL, stable, NULL),
                                 minor >= 30 ? 200 : 406);
                fixture_free(&fixture);
        }
}

static const char pod[] = "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"containers\":[{\"name\":"
                          "\"c\",\"image\":\"i\"}]}}";

/* The generation and the resize of pods came with 1.33. */
static void test_pods(void **state) {
        (void)state;
        for (unsigned minor = 28; minor <= 37; minor++) {
                struct fixture fixture = playing(minor);

                assert_int_equal(ask_as(&fixture, "POST", "/api/v1/namespaces/default/pods",
                                        "application/json", NULL, pod),
                                 201);
                const struct json *metadata = json_get(json_doc_root(fixture.doc), "metadata");
                assert_int_equal(json_get_i64(metadata, "generation", 0), minor >= 33);
                assert_int_equal(ask_as(&fixture, "GET", "/api/v1/namespaces/default/pods/a/resize",
                                        NULL, NULL, NULL),
                                 minor >= 33 ? 200 : 404);
                fixture_free(&fixture);
        }
}

/* WatchList was on in 1.32, off in 1.33, and is on since. */
static void test_watch_list(void **state) {
        static const char target[] = "/api/v1/pods?watch=1&sendInitialEvents=true&"
                                     "resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";

        (void)state;
        for (unsigned minor = 28; minor <= 37; minor++) {
                struct fixture fixture = playing(minor);
                struct http_response response;
                bool is_served = minor == 32 || minor >= 34;

                api_server_call(fixture.server, &api_user_admin, "GET", slice_of(target),
                                SLICE_EMPTY, &response);
                assert_int_equal(response.status, is_served ? 200 : 422);
                http_response_release(&response);
                fixture_free(&fixture);
        }
}

/* Members of a pod's spec, from the version that knows them (0 = all) and the one that takes them.
 */
static const struct {
        const char *json, *pointer;
        unsigned known, served;
} members[] = {
        { "\"schedulingGates\":[{\"name\":\"g\"}]", "/spec/schedulingGates", 0, 0 },
        { "\"topologySpreadConstraints\":[{\"maxSkew\":1,\"topologyKey\":\"z\","
          "\"whenUnsatisfiable\":"
          "\"ScheduleAnyway\",\"labelSelector\":{},\"matchLabelKeys\":[\"a\"]}]",
          "/spec/topologySpreadConstraints/0/matchLabelKeys", 0, 0 },
        { "\"initContainers\":[{\"name\":\"s\",\"image\":\"i\",\"restartPolicy\":\"Always\"}]",
          "/spec/initContainers/0/restartPolicy", 0, 29 },
        { "\"affinity\":{\"podAntiAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":[{"
          "\"topologyKey\":\"z\",\"labelSelector\":{},\"mismatchLabelKeys\":[\"a\"]}]}}",
          "/spec/affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution/0/"
          "mismatchLabelKeys",
          29, 31 },
        { "\"resources\":{\"requests\":{\"cpu\":\"1\"}}", "/spec/resources", 32, 34 },
        { "\"resourceClaims\":[{\"name\":\"c\",\"resourceClaimName\":\"x\"}]",
          "/spec/resourceClaims", 31, 34 },
        { "\"hostnameOverride\":\"h\"", "/spec/hostnameOverride", 34, 35 },
};

static void check_member(struct fixture *fixture, unsigned minor, size_t i) {
        static const char path[] = "/api/v1/namespaces/default/pods?dryRun=All&fieldValidation=";
        bool is_known = minor >= members[i].known, is_served = minor >= members[i].served;
        char strict[128], warn[128], body[1024];

        snprintf(strict, sizeof(strict), "%sStrict", path);
        snprintf(warn, sizeof(warn), "%sWarn", path);
        snprintf(body, sizeof(body),
                 "{\"metadata\":{\"name\":\"a\",\"labels\":{\"a\":\"b\"}},\"spec\":{\"containers\":"
                 "[{"
                 "\"name\":\"c\",\"image\":\"i\"}],%s}}",
                 members[i].json);
        int status = ask_as(fixture, "POST", strict, "application/json", NULL, body);
        if (status != (is_known ? 201 : 400))
                fail_msg("1.%u %s: %d %s", minor, members[i].pointer, status, fixture->text);
        assert_int_equal(strstr(fixture->text, "unknown field") != NULL, !is_known);
        status = ask_as(fixture, "POST", warn, "application/json", NULL, body);
        if (status != 201 || (answer_at(fixture, members[i].pointer) != NULL) != is_served)
                fail_msg("1.%u %s: %d %s", minor, members[i].pointer, status, fixture->text);
}

static void test_fields(void **state) {
        (void)state;
        for (unsigned minor = 28; minor <= 37; minor++) {
                struct fixture fixture = playing(minor);

                for (size_t i = 0; i < ARRAY_LEN(members); i++)
                        check_member(&fixture, minor, i);
                fixture_free(&fixture);
        }
}

/* A status may hold no more than its version has, and OpenAPI says so. */
static void test_status(void **state) {
        static const char generation[] = "{\"status\":{\"observedGeneration\":1}}";

        (void)state;
        for (unsigned minor = 28; minor <= 37; minor++) {
                struct fixture fixture = playing(minor);

                ask_as(&fixture, "POST", "/api/v1/namespaces/default/pods", "application/json",
                       NULL, pod);
                assert_int_equal(ask_patch(&fixture, MERGE_PATCH,
                                           "/api/v1/namespaces/default/pods/a/status", generation),
                                 200);
                assert_int_equal(answer_at(&fixture, "/status/observedGeneration") != NULL,
                                 minor >= 34);
                assert_int_equal(ask_as(&fixture, "GET", "/openapi/v3/api/v1", NULL, NULL, NULL),
                                 200);
                assert_int_equal(strstr(fixture.text, "\"extendedResourceClaimStatus\"") != NULL,
                                 minor >= 34);
                fixture_free(&fixture);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_paths),  cmocka_unit_test(test_itself),
                cmocka_unit_test(test_pods),   cmocka_unit_test(test_watch_list),
                cmocka_unit_test(test_fields), cmocka_unit_test(test_status),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
