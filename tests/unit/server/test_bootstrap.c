/* What a fresh cluster has: the rights of kube-controller-manager and of its controllers' accounts,
 * and the ConfigMaps that programs read when they start. */
#include "fake_access.h"

#define ACCOUNT(name) "'user':'system:serviceaccount:kube-system:" name "'"
#define MANAGER "'user':'system:kube-controller-manager'"

static const struct {
        const char *who, *question;
        bool is_allowed;
} right_cases[] = {
        { MANAGER, "'verb':'create','resource':'serviceaccounts','subresource':'token'", true },
        { MANAGER, "'verb':'watch','group':'apps','resource':'deployments'", true },
        { MANAGER, "'verb':'create','resource':'pods'", false },
        { MANAGER,
          "'verb':'update','group':'coordination.k8s.io','resource':'leases','namespace':"
          "'kube-system','name':'another'",
          true },
        { ACCOUNT("replicaset-controller"), "'verb':'create','resource':'pods'", true },
        { ACCOUNT("replicaset-controller"), "'verb':'create','resource':'nodes'", false },
        { ACCOUNT("replicaset-controller"), "'verb':'patch','resource':'events'", true },
        { ACCOUNT("namespace-controller"),
          "'verb':'deletecollection','group':'apps','resource':'deployments'", true },
        { ACCOUNT("disruption-controller"),
          "'verb':'get','group':'apps','resource':'deployments','subresource':'scale'", true },
        { ACCOUNT("disruption-controller"), "'verb':'delete','resource':'pods'", false },
        { ACCOUNT("nobody"), "'verb':'get','resource':'pods'", false },
};

static void test_rights(void **state) {
        struct fixture f = access_new();
        char body[600];

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(right_cases); i++) {
                snprintf(body, sizeof(body), "{'spec':{%s,'resourceAttributes':{%s}}}",
                         right_cases[i].who, right_cases[i].question);
                make(&f, REVIEWS "/subjectaccessreviews", body);
                if (strcmp(answer(&f, "/status/allowed"),
                           right_cases[i].is_allowed ? "true" : "false") != 0)
                        fail_msg("%s: %s", body, f.text);
        }
        fixture_free(&f);
}

#define CONFIG_MAPS "/api/v1/namespaces/kube-system/configmaps/"

static void test_config_maps(void **state) {
        struct fixture f = access_new();

        (void)state;
        assert_int_equal(ask(&f, "GET", CONFIG_MAPS "extension-apiserver-authentication", NULL),
                         404);
        assert_int_equal(ask(&f, "GET",
                             CONFIG_MAPS "kube-apiserver-legacy-service-account-token-tracking",
                             NULL),
                         200);
        assert_int_equal(strlen(answer(&f, "/data/since")), strlen("2026-01-02"));
        fixture_free(&f);
}

/* Programs look in there for authorities, and go on asking while there is none. */
static void test_authority(void **state) {
        struct fixture f = { .fake = virtual_loop_new() };

        (void)state;
        f.server = api_server_new(&(struct api_server_config){ .seed = 1, .ca_pem = "A\nB\n" },
                                  virtual_loop_get(f.fake));
        assert_int_equal(ask(&f, "GET", CONFIG_MAPS "extension-apiserver-authentication", NULL),
                         200);
        assert_string_equal(answer(&f, "/data/client-ca-file"), "A\nB\n");
        assert_string_equal(answer(&f, "/data/requestheader-client-ca-file"), "A\nB\n");
        assert_string_equal(answer(&f, "/data/requestheader-allowed-names"),
                            "[\"front-proxy-client\"]");
        assert_string_equal(answer(&f, "/data/requestheader-username-headers"),
                            "[\"X-Remote-User\"]");
        fixture_free(&f);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_rights),
                cmocka_unit_test(test_config_maps),
                cmocka_unit_test(test_authority),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
