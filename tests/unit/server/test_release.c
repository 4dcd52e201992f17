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

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_paths),
                cmocka_unit_test(test_itself),
                cmocka_unit_test(test_pods),
                cmocka_unit_test(test_watch_list),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
