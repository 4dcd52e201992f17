/* Answers to reviews. */
#include "kind_test.h"

#define GROUP "authorization.k8s.io/v1"

static bool only_one_token(void *engine, struct slice token, struct user_info *ret_user) {
        static const struct slice groups[] = { { "g", 1 } };

        (void)engine;
        if (!slice_is(token, "good"))
                return false;
        *ret_user = (struct user_info){ .name = SLICE_LITERAL("u"),
                                        .groups = groups,
                                        .group_count = 1 };
        return true;
}

static const char *two_rules(void *engine, const struct user_info *user, struct slice ns,
                             void (*visit)(void *context, const struct json *rule), void *context) {
        static const char *const rules[] = { "{\"verbs\":[\"*\"],\"resources\":[\"*\"]}",
                                             "{\"verbs\":[\"get\"],\"nonResourceURLs\":[\"/x\"]}" };

        assert_true(slice_is(user->name, "kubernetes-admin"));
        assert_true(slice_is(ns, "n"));
        for (size_t i = 0; i < ARRAY_LEN(rules); i++)
                visit(context, other_json(engine, rules[i]));
        return "RBAC: a role is missing";
}

static const struct {
        const char *api_version, *kind, *json;
        const char *complaint; /* NULL = none */
        const char *path, *expected;
} cases[] = {
        { GROUP, "SelfSubjectAccessReview",
          "{\"spec\":{\"resourceAttributes\":{\"verb\":\"get\",\"resource\":\"pods\"}}}", NULL,
          "status", "{\"allowed\":true}" },
        { GROUP, "SelfSubjectAccessReview", "{\"spec\":{}}",
          "spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or "
          "resourceAttributes must be specified",
          "status", NULL },
        { GROUP, "SelfSubjectAccessReview",
          "{\"spec\":{\"resourceAttributes\":{},\"nonResourceAttributes\":{\"path\":\"/x\"}}}",
          "spec.nonResourceAttributes: Invalid value: {\"Path\":\"/x\",\"Verb\":\"\"}: cannot be "
          "specified in "
          "combination with resourceAttributes",
          "status", NULL },
        { GROUP, "SubjectAccessReview",
          "{\"spec\":{\"user\":\"nobody\",\"resourceAttributes\":{\"verb\":\"get\"}}}", NULL,
          "status", "{\"allowed\":false}" },
        { GROUP, "SubjectAccessReview",
          "{\"spec\":{\"groups\":[\"system:masters\"],\"resourceAttributes\":{\"verb\":\"get\"}}}",
          NULL, "status", "{\"allowed\":true}" },
        { GROUP, "SubjectAccessReview", "{\"spec\":{\"resourceAttributes\":{\"verb\":\"get\"}}}",
          "spec.user: Invalid value: \"\": at least one of user or group must be specified",
          "status", NULL },
        { GROUP, "LocalSubjectAccessReview",
          "{\"metadata\":{\"namespace\":\"n\"},\"spec\":{\"user\":\"u\",\"resourceAttributes\":{"
          "\"namespace\":\"m\"}}}",
          "spec.resourceAttributes.namespace: Invalid value: \"m\": must match metadata.namespace",
          "status", NULL },
        { GROUP, "LocalSubjectAccessReview",
          "{\"metadata\":{\"namespace\":\"n\"},\"spec\":{\"user\":\"u\",\"resourceAttributes\":{"
          "\"namespace\":\"n\"}}}",
          NULL, "status.allowed", "false" },
        { GROUP, "LocalSubjectAccessReview",
          "{\"metadata\":{\"namespace\":\"n\"},\"spec\":{\"user\":\"u\",\"nonResourceAttributes\":{"
          "\"verb\":\"get\"}}}",
          "spec.nonResourceAttributes: Invalid value: {\"Path\":\"\",\"Verb\":\"get\"}: disallowed "
          "on "
          "this kind of request",
          "status", NULL },
        { GROUP, "SubjectAccessReview",
          "{\"metadata\":{\"name\":\"n\"},\"spec\":{\"user\":\"u\",\"resourceAttributes\":{}}}",
          "metadata: Invalid value: {\"name\":\"n\"}: must be empty", "status", NULL },
        { GROUP, "SubjectAccessReview",
          "{\"spec\":{\"user\":\"u\",\"resourceAttributes\":{\"fieldSelector\":{},"
          "\"labelSelector\":{"
          "\"rawSelector\":\"a\",\"requirements\":[{\"key\":\"a\",\"operator\":\"Newer\"}]}}}}",
          "spec.resourceAttributes.fieldSelector.requirements: Required value: when "
          "spec.resourceAttributes.fieldSelector is specified, requirements or rawSelector is "
          "required\n"
          "spec.resourceAttributes.labelSelector.rawSelector: Invalid value: \"a\": may not "
          "specified at the same time as requirements",
          "status", NULL },
        { GROUP, "SubjectAccessReview",
          "{\"spec\":{\"user\":\"u\",\"resourceAttributes\":{\"fieldSelector\":{\"rawSelector\":"
          "\"a!\"},\"labelSelector\":{\"requirements\":[{\"key\":\"a\",\"operator\":\"Newer\"},"
          "{\"key\":\"a\",\"operator\":\"Exists\"}]}}}}",
          NULL, "status.evaluationError",
          "\"spec.resourceAttributes.fieldSelector ignored due to parse error; "
          "spec.resourceAttributes.labelSelector partially ignored due to parse error\"" },
        { GROUP, "SelfSubjectRulesReview", "{\"spec\":{\"namespace\":\"n\"}}", NULL, "spec", "{}" },
        { GROUP, "SelfSubjectRulesReview", "{\"spec\":{\"namespace\":\"n\"}}", NULL,
          "status.resourceRules", "[{\"verbs\":[\"*\"],\"resources\":[\"*\"]}]" },
        { GROUP, "SelfSubjectRulesReview", "{\"spec\":{\"namespace\":\"n\"}}", NULL,
          "status.nonResourceRules", "[{\"verbs\":[\"get\"],\"nonResourceURLs\":[\"/x\"]}]" },
        { GROUP, "SelfSubjectRulesReview", "{\"spec\":{\"namespace\":\"n\"}}", NULL,
          "status.evaluationError", "\"RBAC: a role is missing\"" },
        { "authentication.k8s.io/v1", "TokenReview", "{\"spec\":{\"token\":\"bad\"}}", NULL,
          "status", "{\"user\":{},\"error\":\"invalid bearer token\"}" },
        { "authentication.k8s.io/v1", "TokenReview", "{\"spec\":{\"token\":\"good\"}}", NULL,
          "status", "{\"authenticated\":true,\"user\":{\"username\":\"u\",\"groups\":[\"g\"]}}" },
        { "authentication.k8s.io/v1", "SelfSubjectReview", "{}", NULL, "status.userInfo",
          "{\"username\":\"kubernetes-admin\",\"groups\":[\"system:masters\"]}" },
};

static void test_reviews(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct kind_test test;
                char *complaints;

                kind_test_begin(&test, cases[i].api_version, cases[i].kind, cases[i].json, NULL);
                test.context.authenticate = only_one_token;
                test.context.each_rule = two_rules;
                assert_int_equal(test.kind->review(&test.context, test.tree, test.object,
                                                   &test.errors, &test.err),
                                 0);
                complaints = kind_test_complaints(&test);
                assert_string_equal(complaints, cases[i].complaint ? cases[i].complaint : "");
                assert_json_at(test.object, cases[i].path, cases[i].expected);
                free(complaints);
                kind_test_end(&test);
        }
}

static void test_refused(void **state) {
        static const char *const kinds[][2] = { { GROUP, "SelfSubjectRulesReview" },
                                                { "authentication.k8s.io/v1", "TokenReview" } };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
                struct kind_test test;

                kind_test_begin(&test, kinds[i][0], kinds[i][1], "{\"spec\":{}}", NULL);
                assert_int_equal(test.kind->review(&test.context, test.tree, test.object,
                                                   &test.errors, &test.err),
                                 BERTH_ERR_BAD_REQUEST);
                kind_test_end(&test);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_reviews),
                cmocka_unit_test(test_refused),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
