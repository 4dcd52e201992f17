/* What the labels of a namespace demand of its pods. */
#include "kind_test.h"

#include "kinds/pod_security.h"
#include <stdio.h>

#define LABELS "\"pod-security.kubernetes.io/"
#define SPACE(labels) "{\"metadata\":{\"name\":\"n\",\"labels\":{" labels "}}}"
#define POD(more)                                                                                  \
        "{\"metadata\":{\"name\":\"p\",\"namespace\":\"n\"},\"spec\":{\"containers\":[{\"name\":"  \
        "\"c\",\"image\":\"a\"}]" more "}}"

static const struct {
        const char *labels, *kind, *object, *error, *warning; /* NULL = none */
} cases[] = {
        { "", "Pod", POD(",\"hostNetwork\":true"), NULL, NULL },
        { LABELS "enforce\":\"privileged\"", "Pod", POD(",\"hostNetwork\":true"), NULL, NULL },
        { LABELS "enforce\":\"baseline\"", "Pod", POD(""), NULL, NULL },
        { LABELS "enforce\":\"baseline\"", "Pod", POD(",\"hostNetwork\":true"),
          "pods \"p\" is forbidden: violates PodSecurity \"baseline:latest\": host namespaces "
          "(hostNetwork=true)",
          NULL },
        { LABELS "warn\":\"baseline\"," LABELS "warn-version\":\"v1.24\"", "Pod",
          POD(",\"hostPID\":true"), NULL,
          "would violate PodSecurity \"baseline:v1.24\": host namespaces (hostPID=true)" },
        { LABELS "enforce\":\"restricted\"", "Pod",
          "{\"metadata\":{\"name\":\"p\",\"namespace\":\"n\"},\"spec\":{\"securityContext\":{"
          "\"runAsNonRoot\":true,\"seccompProfile\":{\"type\":\"RuntimeDefault\"}},"
          "\"containers\":[{\"name\":\"c\",\"image\":\"a\",\"securityContext\":{"
          "\"allowPrivilegeEscalation\":false,\"capabilities\":{\"drop\":[\"ALL\"]}}}]}}",
          NULL, NULL },
        { LABELS "warn\":\"baseline\"", "PodTemplate",
          "{\"metadata\":{\"name\":\"t\",\"namespace\":\"n\"},\"template\":{\"spec\":{\"hostIPC\":"
          "true,\"containers\":[{\"name\":\"c\",\"image\":\"a\"}]}}}",
          NULL, "would violate PodSecurity \"baseline:latest\": host namespaces (hostIPC=true)" },
};

static char said[512];

static void keep_warning(void *engine, const char *text) {
        (void)engine;
        snprintf(said, sizeof(said), "%s", text);
}

static void test_labels(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct buf space = { 0 };
                struct other_object others[2] = { { "/namespaces", NULL } };
                struct kind_test test;
                int r;

                buf_printf(&space, SPACE("%s"), cases[i].labels);
                others[0].json = space.data;
                said[0] = '\0';
                kind_test_begin(&test, "v1", cases[i].kind, cases[i].object, NULL);
                test.others = others;
                test.context.warn = keep_warning;
                r = pod_security_judge(&test.context, KIND_CREATE, test.object, NULL, &test.errors,
                                       &test.err);
                assert_int_equal(r, cases[i].error ? BERTH_ERR_FORBIDDEN : 0);
                assert_string_equal(r ? test.err.text : "", cases[i].error ? cases[i].error : "");
                assert_string_equal(said, cases[i].warning ? cases[i].warning : "");
                kind_test_end(&test);
                buf_release(&space);
        }
}

static void test_unknown_levels(void **state) {
        struct kind_test test;
        char *complaints;

        (void)state;
        kind_test_begin(&test, "v1", "Namespace", SPACE(LABELS "enforce\":\"strict\""), NULL);
        pod_security_judge(&test.context, KIND_CREATE, test.object, NULL, &test.errors, &test.err);
        complaints = kind_test_complaints(&test);
        assert_non_null(strstr(complaints, "must be one of privileged, baseline, restricted"));
        free(complaints);
        kind_test_end(&test);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_labels),
                cmocka_unit_test(test_unknown_levels),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
