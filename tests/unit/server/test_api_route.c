/* Paths that name nothing where a name belongs, or names that nothing can have, and paths that a
 * method does not go with: answered as a kube-apiserver does. */
#include "fake_server.h"

#define POD                                                                                        \
        "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":"      \
        "\"x\"}]}}"
#define EVICTION(metadata)                                                                         \
        "{\"apiVersion\":\"policy/v1\",\"kind\":\"Eviction\",\"metadata\":{" metadata "}}"
#define BINDING(metadata)                                                                          \
        "{\"metadata\":{" metadata "},\"target\":{\"kind\":\"Node\",\"name\":\"n\"}}"
#define TOKEN(metadata)                                                                            \
        "{\"apiVersion\":\"authentication.k8s.io/"                                                 \
        "v1\",\"kind\":\"TokenRequest\",\"metadata\":{" metadata                                   \
        "},\"spec\":{\"audiences\":[\"a\"]}}"
#define OTHER "\"name\":\"a\",\"namespace\":\"other\""
#define OTHER_NAMESPACE                                                                            \
        "the namespace of the provided object does not match the namespace sent on the request"
#define NO_METHOD "the server does not allow this method on the requested resource"
#define NOTHING "the server could not find the requested resource"
#define ACCOUNTS "/api/v1/namespaces/default/serviceaccounts"
#define PODS "/api/v1/namespaces/default/pods"

static const struct {
        const char *method, *path, *body;
        int status;
        const char *message; /* "" = none */
} cases[] = {
        /* an empty namespace is all of them, or none */
        { "GET", "/api/v1/namespaces//pods", "", 200, "" },
        { "GET", "/api/v1/namespaces//pods/", "", 200, "" },
        { "GET", "/api/v1/namespaces//pods/a", "", 400, "Namespace parameter required." },
        { "GET", "/api/v1/namespaces//pods/a/status", "", 400, "Namespace parameter required." },
        { "DELETE", "/api/v1/namespaces//pods/a", "", 400, "Namespace parameter required." },
        { "PUT", "/api/v1/namespaces//pods/a", POD, 400, "Namespace parameter required." },
        { "POST", "/api/v1/namespaces//pods", POD, 422,
          "Pod \"a\" is invalid: metadata.namespace: Required value" },
        { "POST", "/api/v1/pods", POD, 405, NO_METHOD },
        { "POST", "/api/v1/namespaces//pods/a/eviction", EVICTION("\"name\":\"a\""), 400,
          "Namespace parameter required." },
        { "POST", "/api/v1/namespaces//pods/a/binding", BINDING("\"name\":\"a\""), 400,
          "Namespace parameter required." },
        { "POST", "/api/v1/namespaces//serviceaccounts/a/token", TOKEN(""), 400,
          "Namespace parameter required." },
        { "PUT", "/api/v1/namespaces//status", POD, 400, "name must be provided" },

        /* so are others no way to what comes behind them */
        { "GET", PODS "//status", "", 400, "name must be provided" },
        { "DELETE", PODS "//status", "", 405, NO_METHOD },
        { "POST", PODS "//eviction", EVICTION("\"name\":\"a\""), 400, "name must be provided" },
        { "GET", "/api/v1//pods", "", 404, NOTHING },
        { "GET", "/api/v1/namespaces/default//pods", "", 404, NOTHING },
        { "DELETE", "/api/v1/namespaces/default//pods", "", 404, NOTHING },
        { "GET", PODS "/a//status", "", 404, NOTHING },
        { "GET", PODS "//", "", 200, "" },
        { "GET", "/api/v1//", "", 200, "" },
        { "GET", "/apis/apps//", "", 200, "" },

        /* names */
        { "GET", PODS "/a%25b", "", 400, "Name parameter invalid: \"a%b\": may not contain '%'" },
        { "PUT", PODS "/a%25b", POD, 400,
          "the name of the object (a) does not match the name on the URL (a%b)" },
        { "POST", PODS "/%2e/eviction", EVICTION("\"name\":\".\""), 400,
          "Name parameter invalid: \".\": may not be '.'" },
        { "POST", "/api/v1/namespaces/default/bindings", BINDING(""), 400,
          "Name parameter required." },
        { "POST", "/api/v1/namespaces/default/bindings", BINDING("\"name\":\"a/b\""), 400,
          "Name parameter invalid: \"a/b\": may not contain '/'" },

        /* namespaces of bodies */
        { "POST", PODS "/a/eviction", EVICTION(OTHER), 400, OTHER_NAMESPACE },
        { "POST", PODS "/a/binding", BINDING(OTHER), 400, OTHER_NAMESPACE },
        { "POST", ACCOUNTS "/a/token", TOKEN(OTHER), 400, OTHER_NAMESPACE },
        { "PUT", PODS "/a", "{\"metadata\":{" OTHER "}}", 400, OTHER_NAMESPACE },

        /* methods */
        { "PUT", PODS "/a/eviction", EVICTION("\"name\":\"a\""), 405, NO_METHOD },
        { "DELETE", PODS "/a/binding", "", 405, NO_METHOD },
        { "GET", ACCOUNTS "/a/token", "", 405, NO_METHOD },
        { "PATCH", "/api/v1/namespaces/default/finalize", "{}", 405, NO_METHOD },
        { "POST", "/apis/authorization.k8s.io/v1/localsubjectaccessreviews", "{}", 404, NOTHING },
};

static void paths_are_taken_apart(void **state) {
        (void)state;
        struct fixture f = fixture_new();

        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                bool is_patch = strcmp(cases[i].method, "PATCH") == 0;
                int status = ask_as(&f, cases[i].method, cases[i].path,
                                    is_patch ? "application/merge-patch+json" : "application/json",
                                    "application/json", cases[i].body);
                struct slice message = json_get_text(json_doc_root(f.doc), "message");

                if (status != cases[i].status || !slice_is(message, cases[i].message))
                        fail_msg("%s %s: %d %s", cases[i].method, cases[i].path, status, f.text);
        }
        fixture_free(&f);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(paths_are_taken_apart),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
