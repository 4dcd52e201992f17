/* ValidatingAdmissionPolicies: which writes they concern, what they answer, and with what words. */
#include "fake_server.h"

#define GROUP "/apis/admissionregistration.k8s.io/v1/"
#define MAPS "/api/v1/namespaces/default/configmaps"
#define MAP "{\"metadata\":{\"name\":\"m\",\"labels\":{\"team\":\"a\"}},\"data\":{\"k\":\"v\"}}"
#define RULES "\"resourceRules\":[{\"apiGroups\":[\"\"],\"apiVersions\":[\"v1\"],\"operations\":"
#define ON_MAPS RULES "[\"CREATE\",\"UPDATE\",\"DELETE\"],\"resources\":[\"configmaps\"]}]"
#define DENY "\"validationActions\":[\"Deny\"]"
#define FALSE_RULE "\"validations\":[{\"expression\":\"false\"}]"
#define DENIED                                                                                     \
        "configmaps \"m\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied "    \
        "request: "

static void put_policy(struct fixture *f, const char *constraints, const char *spec,
                       const char *binding) {
        struct buf body = { 0 };

        buf_printf(&body, "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"matchConstraints\":{%s},%s}}",
                   constraints, spec);
        if (ask(f, "POST", GROUP "validatingadmissionpolicies", body.data) != 201)
                fail_msg("%s", answer(f, "/message"));
        buf_clear(&body);
        buf_printf(&body, "{\"metadata\":{\"name\":\"b\"},\"spec\":{\"policyName\":\"p\",%s}}",
                   binding);
        assert_int_equal(ask(f, "POST", GROUP "validatingadmissionpolicybindings", body.data), 201);
        buf_release(&body);
}

/* ---- what a policy says ---- */

static const struct {
        const char *spec;
        int code;
        const char *message; /* behind DENIED; NULL = admitted */
} spec_cases[] = {
        { "\"validations\":[{\"expression\":\"object.data.k == 'v'\"}]", 201, NULL },
        { "\"validations\":[{\"expression\":\"  object.data.k == 'w' \"}]", 422,
          "failed expression: object.data.k == 'w'" },
        { "\"validations\":[{\"expression\":\"object.data.k == 'w'\",\"message\":\" no \"}]", 422,
          "no" },
        { "\"validations\":[{\"expression\":\"false\",\"message\":\"no\",\"messageExpression\":"
          "\"'not ' + object.data.k\",\"reason\":\"Forbidden\"}]",
          403, "not v" },
        { "\"validations\":[{\"expression\":\"false\",\"message\":\"no\",\"messageExpression\":"
          "\"'x' + object.data.none\",\"reason\":\"RequestEntityTooLarge\"}]",
          413, "no" },
        { "\"validations\":[{\"expression\":\"false\",\"message\":\"no\",\"messageExpression\":"
          "\"'two\\\\nlines'\",\"reason\":\"Forbidden\"}]",
          403, "no" },
        { "\"validations\":[{\"expression\":\"true\"},{\"expression\":\"object.data.none == "
          "'v'\"}]",
          422, "expression 'object.data.none == 'v'' resulted in error: no such key: none" },
        { "\"failurePolicy\":\"Ignore\",\"validations\":[{\"expression\":\"object.data.none == "
          "'v'\"}]",
          201, NULL },
        { "\"failurePolicy\":\"Ignore\"," FALSE_RULE, 422, "failed expression: false" },
        { "\"variables\":[{\"name\":\"a\",\"expression\":\"object.data\"},{\"name\":\"b\","
          "\"expression\":\"variables.a.k\"}],\"validations\":[{\"expression\":\"variables.b == "
          "'w'\"}]",
          422, "failed expression: variables.b == 'w'" },
        { "\"variables\":[{\"name\":\"a\",\"expression\":\"object.data.none\"}],\"validations\":[{"
          "\"expression\":\"variables.a == 'w'\"}]",
          422,
          "expression 'variables.a == 'w'' resulted in error: composited variable \"a\" fails to "
          "evaluate: no such key: none" },
        { "\"matchConditions\":[{\"name\":\"c\",\"expression\":\"object.data.k == "
          "'w'\"}]," FALSE_RULE,
          201, NULL },
        { "\"matchConditions\":[{\"name\":\"c\",\"expression\":\"object.data.none == 'w'\"},{"
          "\"name\":\"d\",\"expression\":\"false\"}]," FALSE_RULE,
          201, NULL },
        { "\"matchConditions\":[{\"name\":\"c\",\"expression\":\"object.data.none == "
          "'w'\"}]," FALSE_RULE,
          422, "expression 'object.data.none == 'w'' resulted in error: no such key: none" },
        { "\"failurePolicy\":\"Ignore\",\"matchConditions\":[{\"name\":\"c\",\"expression\":"
          "\"object.data.none == 'w'\"}]," FALSE_RULE,
          201, NULL },
        { "\"validations\":[{\"expression\":\"request.operation == 'CREATE' && oldObject == null "
          "&& "
          "request.resource.resource == 'configmaps' && request.namespace == 'default' && "
          "!request.dryRun && namespaceObject.metadata.name == 'default' && "
          "request.userInfo.username != ''\"}]",
          201, NULL },
        { "\"auditAnnotations\":[{\"key\":\"a\",\"valueExpression\":\"object.data.none\"}]", 422,
          "expression 'object.data.none' resulted in error: no such key: none" },
        { "\"auditAnnotations\":[{\"key\":\"a\",\"valueExpression\":\"null\"}]", 201, NULL },
};

static void test_specs(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(spec_cases); i++) {
                struct fixture f = fixture_new();
                char message[512];

                put_policy(&f, ON_MAPS, spec_cases[i].spec, DENY);
                assert_int_equal(ask(&f, "POST", MAPS, MAP), spec_cases[i].code);
                if (spec_cases[i].message) {
                        snprintf(message, sizeof(message), DENIED "%s", spec_cases[i].message);
                        assert_string_equal(answer(&f, "/message"), message);
                }
                fixture_free(&f);
        }
}

static void test_status(void **state) {
        struct fixture f = fixture_new();

        (void)state;
        put_policy(&f, ON_MAPS, FALSE_RULE, DENY);
        assert_int_equal(ask(&f, "POST", MAPS "?dryRun=All", MAP), 422);
        assert_string_equal(answer(&f, "/reason"), "Invalid");
        assert_string_equal(answer(&f, "/details"),
                            "{\"name\":\"m\",\"kind\":\"configmaps\",\"causes\":[{\"message\":"
                            "\"ValidatingAdmissionPolicy 'p' with binding 'b' denied request: "
                            "failed expression: false\"}]}");
        fixture_free(&f);
}

/* ---- which writes a policy concerns ---- */

static const struct {
        const char *constraints, *binding;
        bool is_denied;
} match_cases[] = {
        { ON_MAPS, DENY, true },
        { ON_MAPS, "\"validationActions\":[\"Audit\"]", false },
        { ON_MAPS, "\"validationActions\":[\"Warn\"]", false },
        { RULES "[\"UPDATE\"],\"resources\":[\"configmaps\"]}]", DENY, false },
        { RULES "[\"*\"],\"resources\":[\"*\"],\"resourceNames\":[\"m\"]}]", DENY, true },
        { RULES "[\"*\"],\"resources\":[\"*\"],\"resourceNames\":[\"n\"]}]", DENY, false },
        { ON_MAPS ",\"excludeResourceRules\":[{\"apiGroups\":[\"\"],\"apiVersions\":[\"v1\"],"
                  "\"operations\":[\"CREATE\"],\"resources\":[\"configmaps\"]}]",
          DENY, false },
        { ON_MAPS ",\"objectSelector\":{\"matchLabels\":{\"team\":\"a\"}}", DENY, true },
        { ON_MAPS ",\"objectSelector\":{\"matchLabels\":{\"team\":\"b\"}}", DENY, false },
        { ON_MAPS ",\"namespaceSelector\":{\"matchLabels\":{\"none\":\"b\"}}", DENY, false },
        { ON_MAPS,
          DENY ",\"matchResources\":{\"objectSelector\":{\"matchLabels\":{\"team\":\"a\"}}}",
          true },
        { ON_MAPS,
          DENY ",\"matchResources\":{\"objectSelector\":{\"matchLabels\":{\"team\":\"b\"}}}",
          false },
        { ON_MAPS, DENY ",\"matchResources\":{" RULES "[\"CREATE\"],\"resources\":[\"pods\"]}]}",
          false },
};

static void test_matching(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(match_cases); i++) {
                struct fixture f = fixture_new();

                put_policy(&f, match_cases[i].constraints, FALSE_RULE, match_cases[i].binding);
                assert_int_equal(ask(&f, "POST", MAPS, MAP), match_cases[i].is_denied ? 422 : 201);
                fixture_free(&f);
        }
}

/* Updates see the old object, deletions only that. */
static void test_operations(void **state) {
        struct fixture f = fixture_new();

        (void)state;
        put_policy(&f, ON_MAPS,
                   "\"validations\":[{\"expression\":\"request.operation != 'UPDATE' || "
                   "object.data.k == oldObject.data.k\",\"message\":\"it may not change\"},{"
                   "\"expression\":\"object != null || oldObject.data.k != 'v'\",\"message\":"
                   "\"it has to stay\"}]",
                   DENY);
        assert_int_equal(ask(&f, "POST", MAPS, MAP), 201);
        assert_int_equal(ask_patch(&f, MERGE_PATCH, MAPS "/m", "{\"data\":{\"k\":\"w\"}}"), 422);
        assert_string_equal(answer(&f, "/message"), DENIED "it may not change");
        assert_int_equal(ask_patch(&f, MERGE_PATCH, MAPS "/m", "{\"data\":{\"l\":\"w\"}}"), 200);
        assert_int_equal(ask(&f, "DELETE", MAPS "/m", ""), 422);
        assert_string_equal(answer(&f, "/message"), DENIED "it has to stay");
        fixture_free(&f);
}

/* A policy about one version sees what is written as another one, unless it wants to be exact. */
static void test_versions(void **state) {
        static const struct {
                const char *policy, *message;
        } rows[] = {
                { "Equivalent",
                  "horizontalpodautoscalers.autoscaling \"h\" is forbidden: "
                  "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: autoscaling/v2 "
                  "v2 v1 cpu" },
                { "Exact", NULL },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
                struct fixture f = fixture_new();
                char constraints[400];

                snprintf(constraints, sizeof(constraints),
                         "\"matchPolicy\":\"%s\",\"resourceRules\":[{\"apiGroups\":["
                         "\"autoscaling\"],\"apiVersions\":[\"v2\"],\"operations\":[\"CREATE\"],"
                         "\"resources\":[\"horizontalpodautoscalers\"]}]",
                         rows[i].policy);
                put_policy(&f, constraints,
                           "\"validations\":[{\"expression\":\"false\",\"messageExpression\":"
                           "\"object.apiVersion + ' ' + request.kind.version + ' ' + "
                           "request.requestKind.version + ' ' + "
                           "object.spec.metrics[0].resource.name\"}]",
                           DENY);
                assert_int_equal(
                        ask(&f, "POST",
                            "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers",
                            "{\"metadata\":{\"name\":\"h\"},\"spec\":{\"maxReplicas\":3,"
                            "\"targetCPUUtilizationPercentage\":50,\"scaleTargetRef\":{\"kind\":"
                            "\"Deployment\",\"name\":\"d\",\"apiVersion\":\"apps/v1\"}}}"),
                        rows[i].message ? 422 : 201);
                if (rows[i].message)
                        assert_string_equal(answer(&f, "/message"), rows[i].message);
                fixture_free(&f);
        }
}

/* ---- parameters ---- */

#define PARAMS "\"paramKind\":{\"apiVersion\":\"v1\",\"kind\":\"Secret\"},"
#define BY_LIMIT                                                                                   \
        PARAMS "\"validations\":[{\"expression\":\"params == null || params.metadata.name == "     \
               "'s1'\",\"messageExpression\":\"params.kind + ' ' + params.metadata.name\"}]"
#define CONFIGURATION "failed to configure binding: "

static const struct {
        const char *spec, *binding, *message; /* behind DENIED; NULL = admitted */
} param_cases[] = {
        { BY_LIMIT, DENY, NULL },
        { BY_LIMIT, DENY ",\"paramRef\":{\"name\":\"s1\",\"parameterNotFoundAction\":\"Deny\"}",
          NULL },
        { BY_LIMIT, DENY ",\"paramRef\":{\"name\":\"s2\",\"parameterNotFoundAction\":\"Deny\"}",
          "Secret s2" },
        { BY_LIMIT, DENY ",\"paramRef\":{\"selector\":{},\"parameterNotFoundAction\":\"Deny\"}",
          "Secret s2" },
        { BY_LIMIT,
          DENY ",\"paramRef\":{\"selector\":{\"matchLabels\":{\"n\":\"1\"}},"
               "\"parameterNotFoundAction\":\"Deny\"}",
          NULL },
        { BY_LIMIT, DENY ",\"paramRef\":{\"name\":\"s3\",\"parameterNotFoundAction\":\"Allow\"}",
          NULL },
        { BY_LIMIT, DENY ",\"paramRef\":{\"name\":\"s3\",\"parameterNotFoundAction\":\"Deny\"}",
          CONFIGURATION "no params found for policy binding with `Deny` parameterNotFoundAction" },
        { "\"failurePolicy\":\"Ignore\"," BY_LIMIT,
          DENY ",\"paramRef\":{\"name\":\"s3\",\"parameterNotFoundAction\":\"Deny\"}", NULL },
        { "\"paramKind\":{\"apiVersion\":\"v1\",\"kind\":\"Node\"}," FALSE_RULE,
          DENY ",\"paramRef\":{\"name\":\"n\",\"namespace\":\"default\","
               "\"parameterNotFoundAction\":\"Deny\"}",
          CONFIGURATION
          "paramRef.namespace must not be provided for a cluster-scoped `paramKind`" },
};

static void test_params(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(param_cases); i++) {
                struct fixture f = fixture_new();
                char message[512];

                assert_int_equal(ask(&f, "POST", "/api/v1/namespaces/default/secrets",
                                     "{\"metadata\":{\"name\":\"s1\",\"labels\":{\"n\":\"1\"}}}"),
                                 201);
                assert_int_equal(ask(&f, "POST", "/api/v1/namespaces/default/secrets",
                                     "{\"metadata\":{\"name\":\"s2\",\"labels\":{\"n\":\"2\"}}}"),
                                 201);
                put_policy(&f, ON_MAPS, param_cases[i].spec, param_cases[i].binding);
                assert_int_equal(ask(&f, "POST", MAPS, MAP), param_cases[i].message ? 422 : 201);
                if (param_cases[i].message) {
                        snprintf(message, sizeof(message), DENIED "%s", param_cases[i].message);
                        assert_string_equal(answer(&f, "/message"), message);
                }
                fixture_free(&f);
        }
}

static void test_unknown_params(void **state) {
        struct fixture f = fixture_new();

        (void)state;
        put_policy(&f, ON_MAPS,
                   "\"paramKind\":{\"apiVersion\":\"x.example.com/"
                   "v1\",\"kind\":\"Limit\"}," FALSE_RULE,
                   DENY);
        assert_int_equal(ask(&f, "POST", MAPS, MAP), 422);
        assert_string_equal(answer(&f, "/message"),
                            "configmaps \"m\" is forbidden: ValidatingAdmissionPolicy 'p' denied "
                            "request: failed to configure policy: failed to find resource "
                            "referenced by paramKind: 'x.example.com/v1, Kind=Limit'");
        fixture_free(&f);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_specs),    cmocka_unit_test(test_status),
                cmocka_unit_test(test_matching), cmocka_unit_test(test_operations),
                cmocka_unit_test(test_params),   cmocka_unit_test(test_unknown_params),
                cmocka_unit_test(test_versions),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
