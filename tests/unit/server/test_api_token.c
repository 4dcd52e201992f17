/* Tokens of service accounts: asked for, used, reviewed, and over. */
#include "fake_server.h"

#define ACCOUNTS "/api/v1/namespaces/default/serviceaccounts"
#define REVIEWS "/apis/authentication.k8s.io/v1/tokenreviews"
#define PODS "/api/v1/namespaces/default/pods"

static struct fixture account_new(void) {
        struct fixture f = fixture_new();

        assert_int_equal(ask(&f, "POST", ACCOUNTS, "{\"metadata\":{\"name\":\"a\"}}"), 201);
        return f;
}

static char *take_token(struct fixture *f, const char *spec) {
        char body[300];

        snprintf(body, sizeof(body), "{\"spec\":%s}", spec);
        assert_int_equal(ask(f, "POST", ACCOUNTS "/a/token", body), 201);
        return slice_dup(slice_of(answer(f, "/status/token")));
}

/* Whether the token is good now. */
static bool is_good(struct fixture *f, const char *token) {
        char body[2000];

        snprintf(body, sizeof(body), "{\"spec\":{\"token\":\"%s\"}}", token);
        assert_int_equal(ask(f, "POST", REVIEWS, body), 201);
        return strcmp(answer(f, "/status/authenticated"), "true") == 0;
}

static void test_request(void **state) {
        struct fixture f = account_new();

        (void)state;
        assert_int_equal(ask(&f, "POST", ACCOUNTS "/a/token", "{}"), 201);
        assert_string_equal(answer(&f, "/metadata/name"), "a");
        assert_string_equal(answer(&f, "/spec/expirationSeconds"), "3600");
        assert_string_equal(answer(&f, "/spec/audiences/0"),
                            "https://kubernetes.default.svc.cluster.local");
        assert_string_equal(answer(&f, "/status/expirationTimestamp"), "2026-01-01T01:00:00Z");
        assert_int_equal(
                ask(&f, "POST", ACCOUNTS "/a/token", "{\"spec\":{\"expirationSeconds\":599}}"),
                422);
        assert_int_equal(ask(&f, "POST", ACCOUNTS "/none/token", "{}"), 404);
        assert_int_equal(ask(&f, "POST", ACCOUNTS "/a/token", "{\"metadata\":{\"uid\":\"x\"}}"),
                         409);
        assert_non_null(strstr(f.text, "the UID in the token request (x) does not match the UID of "
                                       "the service account ("));
        fixture_free(&f);
}

static void test_review(void **state) {
        struct fixture f = account_new();
        char *token = take_token(&f, "{}"), *elsewhere = take_token(&f, "{\"audiences\":[\"x\"]}");

        (void)state;
        assert_true(is_good(&f, token));
        assert_string_equal(answer(&f, "/status/user/username"), "system:serviceaccount:default:a");
        assert_string_equal(answer(&f, "/status/user/groups/1"), "system:serviceaccounts:default");
        assert_false(is_good(&f, elsewhere));
        virtual_loop_advance(f.fake, 3600 * NS_PER_S);
        assert_false(is_good(&f, token));
        free(token);
        free(elsewhere);
        fixture_free(&f);
}

/* An account of the same name made again is another one. */
static void test_account_gone(void **state) {
        struct fixture f = account_new();
        char *token = take_token(&f, "{}");

        (void)state;
        assert_int_equal(ask(&f, "DELETE", ACCOUNTS "/a", NULL), 200);
        assert_false(is_good(&f, token));
        assert_int_equal(ask(&f, "POST", ACCOUNTS, "{\"metadata\":{\"name\":\"a\"}}"), 201);
        assert_false(is_good(&f, token));
        free(token);
        fixture_free(&f);
}

static void test_bound_to_pod(void **state) {
        static const char reference[] = "{\"boundObjectRef\":{\"kind\":\"Pod\",\"name\":\"p\"}}";
        struct fixture f = account_new();
        char *token;

        (void)state;
        assert_int_equal(ask(&f, "POST", ACCOUNTS "/a/token",
                             "{\"spec\":{\"boundObjectRef\":{\"kind\":\"Pod\",\"name\":\"p\"}}}"),
                         404);
        assert_int_equal(
                ask(&f, "POST", PODS,
                    "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"serviceAccountName\":\"a\","
                    "\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}"),
                201);
        assert_int_equal(ask(&f, "POST", ACCOUNTS "/a/token",
                             "{\"spec\":{\"boundObjectRef\":{\"kind\":\"Pod\",\"name\":\"p\","
                             "\"uid\":\"x\"}}}"),
                         409);
        token = take_token(&f, reference);
        assert_true(is_good(&f, token));
        assert_int_equal(ask(&f, "DELETE", PODS "/p", NULL), 200);
        assert_false(is_good(&f, token));
        free(token);
        fixture_free(&f);
}

static void test_bound_to_secret(void **state) {
        struct fixture f = account_new();
        char *token;

        (void)state;
        assert_int_equal(ask(&f, "POST", "/api/v1/namespaces/default/secrets",
                             "{\"metadata\":{\"name\":\"s\"}}"),
                         201);
        token = take_token(&f, "{\"boundObjectRef\":{\"kind\":\"Secret\",\"name\":\"s\"}}");
        assert_true(is_good(&f, token));
        assert_int_equal(ask(&f, "DELETE", "/api/v1/namespaces/default/secrets/s", NULL), 200);
        assert_false(is_good(&f, token));
        free(token);
        fixture_free(&f);
}

/* What a request may not say. */
static const struct {
        const char *body;
        int code;
        const char *message;
} refused[] = {
        { "{\"metadata\":{\"name\":\"b\"}}", 422,
          "TokenRequest.authentication.k8s.io \"a\" is invalid: metadata.name: Invalid value: "
          "\"b\": must match the service account name if specified" },
        { "{\"metadata\":{\"namespace\":\"b\"}}", 400,
          "the namespace of the provided object does not match the namespace sent on the request" },
        { "{\"spec\":{\"boundObjectRef\":{\"kind\":\"Secret\",\"apiVersion\":\"v1\",\"name\":\"s\"}"
          "}}",
          404, "secrets \"s\" not found" },
        { "{\"spec\":{\"boundObjectRef\":{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"name\":\"n\"}}"
          "}",
          404, "nodes \"n\" not found" },
        { "{\"spec\":{\"boundObjectRef\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"name\":\"q\"}}}",
          400,
          "cannot bind token for serviceaccount \"a\" to pod running with different "
          "serviceaccount name." },
        { "{\"spec\":{\"boundObjectRef\":{\"kind\":\"Pod\",\"apiVersion\":\"x/"
          "v1\",\"name\":\"q\"}}}",
          400, "cannot bind token to object of type x/v1, Kind=Pod" },
};

static void test_refused(void **state) {
        struct fixture f = account_new();

        (void)state;
        assert_int_equal(ask(&f, "POST", PODS,
                             "{\"metadata\":{\"name\":\"q\"},\"spec\":{\"containers\":[{\"name\":"
                             "\"c\",\"image\":\"i\"}]}}"),
                         201);
        for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
                assert_int_equal(ask(&f, "POST", ACCOUNTS "/a/token", refused[i].body),
                                 refused[i].code);
                assert_string_equal(answer(&f, "/message"), refused[i].message);
        }
        fixture_free(&f);
}

/* As a bearer: known, though not allowed to do anything. */
static void test_bearer(void **state) {
        struct fixture f = account_new();
        char *token = take_token(&f, "{}");
        static const char *const tails[] = { "", "x" };
        static const int statuses[] = { 403, 401 };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(tails); i++) {
                struct http_response response;
                char header[2000];

                snprintf(header, sizeof(header), "Bearer %s%s", tails[i], token);
                api_server_handle(
                        f.server,
                        &(struct api_server_request){ .method = SLICE_LITERAL("GET"),
                                                      .target = SLICE_LITERAL("/api/v1/nodes"),
                                                      .authorization = slice_of(header) },
                        &response);
                assert_int_equal(response.status, statuses[i]);
                http_response_release(&response);
        }
        free(token);
        fixture_free(&f);
}

static void test_documents(void **state) {
        struct fixture f = fixture_new();

        (void)state;
        assert_int_equal(ask(&f, "GET", "/openid/v1/jwks", NULL), 200);
        assert_string_equal(answer(&f, "/keys/0/alg"), "ES256");
        assert_int_equal(ask(&f, "GET", "/.well-known/openid-configuration", NULL), 200);
        assert_string_equal(answer(&f, "/issuer"), "https://kubernetes.default.svc.cluster.local");
        fixture_free(&f);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_request),         cmocka_unit_test(test_review),
                cmocka_unit_test(test_account_gone),    cmocka_unit_test(test_bound_to_pod),
                cmocka_unit_test(test_bound_to_secret), cmocka_unit_test(test_refused),
                cmocka_unit_test(test_bearer),          cmocka_unit_test(test_documents),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
