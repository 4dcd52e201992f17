/* CertificateSigningRequests: what may be asked for, who approves and signs, and what stays. */
#include "fake_server.h"

#define REQUESTS "/apis/certificates.k8s.io/v1/certificatesigningrequests"
/* Of /O=x/CN=a with a key of its own, the same with another last byte of the signature, and one of
 * system:masters; then a certificate. */
#define REQUEST                                                                                    \
        "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIU01Ib0NBUUF3R0RFS01BZ0dBMVVF"         \
        "Q2d3QmVERUtNQWdHQTFVRUF3d0JZVEJaTUJNR0J5cUdTTTQ5QWdFRwpDQ3FHU000OUF3RUhBMElBQk84"         \
        "V0JiQlhEUkZzaGlZa05qUlFWcUVNU2lTREtSOHQvenIzdktzcW91UTY2d1ZCCkxRTWtxZnNjWnJ4WDZ3"         \
        "RFJZVEhUVTN0bk1JdGlRb095eGh6bEt1dWdBREFLQmdncWhrak9QUVFEQWdOSUFEQkYKQWlFQXlqWlZR"         \
        "alhpN0licDNNaVMveS9Cdi9MNFQ1RzRxUFNZdXhtRzVDRnc1Z2tDSUdML0hQS3B1dnFGZ2ZNdQoxL3lV"         \
        "eGQwR0llbHkyQnB1WmdoY0ZydU8vQU54Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo="
#define FORGED                                                                                     \
        "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIU01Ib0NBUUF3R0RFS01BZ0dBMVVF"         \
        "Q2d3QmVERUtNQWdHQTFVRUF3d0JZVEJaTUJNR0J5cUdTTTQ5QWdFRwpDQ3FHU000OUF3RUhBMElBQk84"         \
        "V0JiQlhEUkZzaGlZa05qUlFWcUVNU2lTREtSOHQvenIzdktzcW91UTY2d1ZCCkxRTWtxZnNjWnJ4WDZ3"         \
        "RFJZVEhUVTN0bk1JdGlRb095eGh6bEt1dWdBREFLQmdncWhrak9QUVFEQWdOSUFEQkYKQWlFQXlqWlZR"         \
        "alhpN0licDNNaVMveS9Cdi9MNFQ1RzRxUFNZdXhtRzVDRnc1Z2tDSUdML0hQS3B1dnFGZ2ZNdQoxL3lV"         \
        "eGQwR0llbHkyQnB1WmdoY0ZydU8vQU53Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo="
#define MASTERS                                                                                    \
        "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIZk1JR0hBZ0VBTUNVeEZ6QVZCZ05W"         \
        "QkFvTURuTjVjM1JsYlRwdFlYTjBaWEp6TVFvd0NBWURWUVFEREFGaApNRmt3RXdZSEtvWkl6ajBDQVFZ"         \
        "SUtvWkl6ajBEQVFjRFFnQUU3eFlGc0ZjTkVXeUdKaVEyTkZCV29ReEtKSU1wCkh5My9PdmU4cXlxaTVE"         \
        "cnJCVUV0QXlTcCt4eG12RmZyQU5GaE1kTlRlMmN3aTJKQ2c3TEdIT1VxNjZBQU1Bb0cKQ0NxR1NNNDlC"         \
        "QU1DQTBjQU1FUUNJRmJSOGJMdW9mZmFLd0lBenFST0YwWENJc0R0WVFrME1lM3JxUFVRa21qNgpBaUJH"         \
        "T05nZmJudld4TjNsNnBKOStSVEx1QmM1QUV4YzFuSUt3b1JpUzUvMUxBPT0KLS0tLS1FTkQgQ0VSVElG"         \
        "SUNBVEUgUkVRVUVTVC0tLS0tCg=="
#define CERTIFICATE                                                                                \
        "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJiekNDQVJXZ0F3SUJBZ0lVV05lcEtnYk9pQVZ2"         \
        "S2RRVktxaXA4NWt0K3Y4d0NnWUlLb1pJemowRUF3SXcKRERFS01BZ0dBMVVFQXd3QllUQWdGdzB5TmpF"         \
        "eE1qZ3lNelUwTWpaYUdBOHlNVEkyTVRFd05ESXpOVFF5TmxvdwpEREVLTUFnR0ExVUVBd3dCWVRCWk1C"         \
        "TUdCeXFHU000OUFnRUdDQ3FHU000OUF3RUhBMElBQk84V0JiQlhEUkZzCmhpWWtOalJRVnFFTVNpU0RL"         \
        "Ujh0L3pyM3ZLc3FvdVE2NndWQkxRTWtxZnNjWnJ4WDZ3RFJZVEhUVTN0bk1JdGkKUW9PeXhoemxLdXVq"         \
        "VXpCUk1CMEdBMVVkRGdRV0JCUkFEbjlXZitMbjRYV29sY3hBNEN2K0FyVGsvVEFmQmdOVgpIU01FR0RB"         \
        "V2dCUkFEbjlXZitMbjRYV29sY3hBNEN2K0FyVGsvVEFQQmdOVkhSTUJBZjhFQlRBREFRSC9NQW9HCkND"         \
        "cUdTTTQ5QkFNQ0EwZ0FNRVVDSVFESHM0RFFzMTBHaVVESThOZHFIQWNWVkJGa1l3QTlGdFIrT1Q2SE9a"         \
        "enUKT3dJZ0hXRzlnTWR1cjBnRFdURUJTZGJOaytrWFdzcldKclZ1SjJ4TFJjZG5NdzQ9Ci0tLS0tRU5E"         \
        "IENFUlRJRklDQVRFLS0tLS0K"

#define SPEC(request, signer, usages)                                                              \
        "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"request\":\"" request                          \
        "\",\"signerName\":\"" signer "\",\"usages\":[" usages "],\"username\":\"me\"}}"
#define CLIENT "kubernetes.io/kube-apiserver-client"
#define CONDITION(type, status) "{\"type\":\"" type "\",\"status\":\"" status "\",\"reason\":\"r\"}"
#define STATUS(conditions) "{\"status\":{\"conditions\":[" conditions "]}}"

/* In this order, on one server. */
static const struct {
        const char *method, *path, *body;
        int code;
        const char *part;   /* of the message, or of a member of the answer */
        const char *member; /* NULL = /message */
} steps[] = {
        { "POST", "", SPEC("aGVsbG8=", CLIENT, "\"client auth\""), 422,
          "spec.request: Invalid value: \"aGVsbG8=\": PEM block type must be CERTIFICATE REQUEST",
          NULL },
        { "POST", "", SPEC(FORGED, CLIENT, "\"client auth\""), 422, "ECDSA verification failure",
          NULL },
        { "POST", "", SPEC(REQUEST, CLIENT, ""), 422, "spec.usages: Required value", NULL },
        { "POST", "", SPEC(REQUEST, CLIENT, "\"foo\",\"any\",\"any\""), 422,
          "spec.usages[2]: Duplicate value: \"any\"", NULL },
        { "POST", "", SPEC(REQUEST, "x", "\"any\""), 422,
          "must be a fully qualified domain and path of the form 'example.com/signer-name'", NULL },
        { "POST", "", SPEC(REQUEST, "a.b/c/d", "\"any\""), 422, "must be a fully qualified", NULL },
        { "POST", "", SPEC(REQUEST, "a_/b", "\"any\""), 422,
          "should be a domain with at least two segments separated by dots", NULL },
        { "POST", "", SPEC(REQUEST, "a.b/-c", "\"any\""), 422,
          "spec.signerName: Invalid value: \"-c\": validating label \"-c\": a lowercase", NULL },
        { "POST", "", SPEC(REQUEST, "kubernetes.io/legacy-unknown", "\"any\""), 422,
          "the legacy signerName is not allowed via this API version", NULL },
        { "POST", "", SPEC(MASTERS, CLIENT, "\"client auth\""), 403,
          "use of " CLIENT " signer with system:masters group is not allowed", NULL },
        { "POST", "", SPEC(REQUEST, CLIENT, "\"client auth\""), 201, "kubernetes-admin",
          "/spec/username" },
        /* each path writes its own part */
        { "PATCH", "/a", STATUS(CONDITION("Approved", "True")), 200, "a", "/metadata/name" },
        { "GET", "/a", NULL, 200, NULL, "/status/conditions/0/type" },
        { "PATCH", "/a/status", STATUS(CONDITION("Approved", "True")), 422,
          "status.conditions: Forbidden: updates may not add a condition of type \"Approved\"",
          NULL },
        { "PATCH", "/a/approval", STATUS(CONDITION("Approved", "False")), 422,
          "status.conditions[0].status: Unsupported value: \"False\": supported values: \"True\"",
          NULL },
        { "PATCH", "/a/approval",
          STATUS(CONDITION("Approved", "True") "," CONDITION("Denied", "True")), 422,
          "Approved and Denied conditions are mutually exclusive", NULL },
        { "PATCH", "/a/approval", STATUS(CONDITION("Approved", "True")), 200, "Approved",
          "/status/conditions/0/type" },
        { "GET", "/a", NULL, 200, "20", "/status/conditions/0/lastTransitionTime" },
        { "PATCH", "/a/approval", STATUS(""), 422,
          "updates may not remove a condition of type \"Approved\"", NULL },
        { "PATCH", "/a/status",
          STATUS("{\"type\":\"Approved\",\"status\":\"True\",\"reason\":\"other\"}"), 200, "r",
          "/status/conditions/0/reason" },
        { "PATCH", "/a/approval", "{\"status\":{\"certificate\":\"" CERTIFICATE "\"}}", 200, NULL,
          "/status/certificate" },
        { "PATCH", "/a/status", "{\"status\":{\"certificate\":\"aGVsbG8=\"}}", 422,
          "status.certificate: Invalid value: \"<certificate data>\": must contain at least one "
          "CERTIFICATE PEM block",
          NULL },
        { "PATCH", "/a/status", "{\"status\":{\"certificate\":\"" REQUEST "\"}}", 422,
          "only CERTIFICATE PEM blocks are allowed, found \"CERTIFICATE REQUEST\"", NULL },
        { "PATCH", "/a/status", "{\"status\":{\"certificate\":\"" CERTIFICATE "\"}}", 200, "LS0t",
          "/status/certificate" },
        { "PATCH", "/a/status", "{\"status\":{\"certificate\":null}}", 422,
          "updates may not modify existing certificate content", NULL },
};

static void test_steps(void **state) {
        struct fixture f = fixture_new();

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
                const char *member = steps[i].member ? steps[i].member : "/message";
                char path[160];

                snprintf(path, sizeof(path), "%s%s", REQUESTS, steps[i].path);
                int code = ask_as(&f, steps[i].method, path,
                                  strcmp(steps[i].method, "PATCH") == 0 ? MERGE_PATCH : NULL, NULL,
                                  steps[i].body ? steps[i].body : "");
                const char *text = answer(&f, member);
                if (code != steps[i].code)
                        fail_msg("step %zu: %d, %s", i, code, f.text);
                if (steps[i].part ? !strstr(text, steps[i].part) : *text != 0)
                        fail_msg("step %zu: %s: %s", i, member, text);
        }
        fixture_free(&f);
}

static int patch_as(struct fixture *f, const struct api_user *user, const char *path,
                    const char *body, const char *part) {
        struct api_server_request request = { .method = SLICE_LITERAL("PATCH"),
                                              .target = slice_of(path),
                                              .content_type = SLICE_LITERAL(MERGE_PATCH),
                                              .body = slice_of(body),
                                              .user = user };
        struct http_response response;

        api_server_handle(f->server, &request, &response);
        int code = response.status;
        assert_true(slice_contains(buf_view(&response.body), slice_of(part)));
        http_response_release(&response);
        return code;
}

/* Who may change the objects need not be one who approves. */
static void test_needs_permission(void **state) {
        static const char role[] =
                "{\"metadata\":{\"name\":\"r\"},\"rules\":[{\"apiGroups\":[\"certificates.k8s.io\"]"
                ","
                "\"resources\":[\"certificatesigningrequests\",\"certificatesigningrequests/"
                "status\","
                "\"certificatesigningrequests/approval\"],\"verbs\":[\"*\"]},{\"apiGroups\":["
                "\"certificates.k8s.io\"],\"resources\":[\"signers\"],\"resourceNames\":["
                "\"kubernetes.io/*\"],\"verbs\":[\"sign\"]}]}";
        static const char binding[] =
                "{\"metadata\":{\"name\":\"b\"},\"roleRef\":{\"apiGroup\":\"rbac.authorization.k8s."
                "io\","
                "\"kind\":\"ClusterRole\",\"name\":\"r\"},\"subjects\":[{\"apiGroup\":"
                "\"rbac.authorization.k8s.io\",\"kind\":\"User\",\"name\":\"u\"}]}";
        const struct api_user user = { .name = SLICE_LITERAL("u") };
        struct fixture f = fixture_new();

        (void)state;
        assert_int_equal(ask(&f, "POST", "/apis/rbac.authorization.k8s.io/v1/clusterroles", role),
                         201);
        assert_int_equal(
                ask(&f, "POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", binding),
                201);
        assert_int_equal(ask(&f, "POST", REQUESTS, SPEC(REQUEST, CLIENT, "\"client auth\"")), 201);
        assert_int_equal(patch_as(&f, &user, REQUESTS "/a/approval",
                                  STATUS(CONDITION("Approved", "True")),
                                  "user not permitted to approve requests with signerName"),
                         403);
        assert_int_equal(patch_as(&f, &user, REQUESTS "/a/status",
                                  "{\"status\":{\"certificate\":\"" CERTIFICATE "\"}}", "LS0t"),
                         200);
        fixture_free(&f);
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_steps),
                                            cmocka_unit_test(test_needs_permission) };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
