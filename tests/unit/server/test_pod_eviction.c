/* The eviction and binding subresources, branch by branch. */
#include "fake_server.h"

#define PODS "/api/v1/namespaces/default/pods"
#define BUDGETS "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
#define EVICTION                                                                                   \
        "{\"apiVersion\":\"policy/v1\",\"kind\":\"Eviction\",\"metadata\":{\"name\":\"p\"}}"
#define READY "{\"type\":\"Ready\",\"status\":\"True\"}"

static void make_pod(struct fixture *f, const char *phase, const char *conditions) {
        char body[256];

        assert_int_equal(ask(f, "POST", PODS,
                             "{\"metadata\":{\"name\":\"p\",\"labels\":{\"app\":\"web\"}},"
                             "\"spec\":{\"nodeName\":\"n\",\"containers\":[{\"name\":\"c\","
                             "\"image\":\"i\"}]}}"),
                         201);
        snprintf(body, sizeof(body), "{\"status\":{\"phase\":\"%s\",\"conditions\":[%s]}}", phase,
                 conditions);
        assert_int_equal(ask_patch(f, MERGE_PATCH, PODS "/p/status", body), 200);
}

static void make_budget(struct fixture *f, const char *name, const char *spec, const char *status) {
        char path[256], body[512];

        snprintf(body, sizeof(body),
                 "{\"metadata\":{\"name\":\"%s\"},\"spec\":{\"selector\":{\"matchLabels\":{"
                 "\"app\":\"web\"}}%s}}",
                 name, spec);
        assert_int_equal(ask(f, "POST", BUDGETS, body), 201);
        snprintf(path, sizeof(path), BUDGETS "/%s/status", name);
        snprintf(body, sizeof(body), "{\"status\":{%s}}", status);
        assert_int_equal(ask_patch(f, MERGE_PATCH, path, body), 200);
}

struct eviction_case {
        const char *name, *phase, *conditions, *spec, *status;
        int expect;
        const char *cause; /* part of the cause's message */
        const char *allowed_after;
};

#define OBSERVED "\"observedGeneration\":1,\"expectedPods\":2,"
static const struct eviction_case cases[] = {
        { "allowed", "Running", READY, "",
          OBSERVED "\"disruptionsAllowed\":1,\"currentHealthy\":2,\"desiredHealthy\":1", 201, NULL,
          "0" },
        { "exhausted", "Running", READY, "",
          OBSERVED "\"disruptionsAllowed\":0,\"currentHealthy\":1,\"desiredHealthy\":1", 429,
          "needs 1 healthy pods and has 1 currently", "0" },
        { "not observed", "Running", READY, "",
          "\"observedGeneration\":0,\"disruptionsAllowed\":1,\"currentHealthy\":2,"
          "\"desiredHealthy\":1",
          429, "still being processed", "1" },
        { "pending ignores budgets", "Pending", "", "",
          OBSERVED "\"disruptionsAllowed\":0,\"currentHealthy\":0,\"desiredHealthy\":1", 201, NULL,
          "0" },
        { "finished ignores budgets", "Succeeded", "", "",
          OBSERVED "\"disruptionsAllowed\":0,\"currentHealthy\":0,\"desiredHealthy\":1", 201, NULL,
          "0" },
        { "unready, application healthy", "Running", "", "",
          OBSERVED "\"disruptionsAllowed\":0,\"currentHealthy\":1,\"desiredHealthy\":1", 201, NULL,
          "0" },
        { "unready, application disrupted", "Running", "", "",
          OBSERVED "\"disruptionsAllowed\":0,\"currentHealthy\":0,\"desiredHealthy\":1", 429,
          "needs 1 healthy pods and has 0 currently", "0" },
        { "unready, always allowed", "Running", "",
          ",\"unhealthyPodEvictionPolicy\":\"AlwaysAllow\"",
          OBSERVED "\"disruptionsAllowed\":0,\"currentHealthy\":0,\"desiredHealthy\":1", 201, NULL,
          "0" },
        { "sync failed", "Running", READY, "",
          OBSERVED "\"disruptionsAllowed\":0,\"currentHealthy\":2,\"desiredHealthy\":1,"
                   "\"conditions\":[{\"type\":\"DisruptionAllowed\",\"status\":\"False\","
                   "\"reason\":\"SyncFailed\",\"message\":\"boom\",\"lastTransitionTime\":"
                   "\"2026-01-01T00:00:00Z\"}]",
          429, "failed sync: boom", "0" },
        { "generic", "Running", READY, "",
          OBSERVED "\"disruptionsAllowed\":0,\"currentHealthy\":3,\"desiredHealthy\":1", 429,
          "does not allow evicting pods currently", "0" },
};

static void test_branches(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct fixture f = fixture_new();
                int status;

                make_pod(&f, cases[i].phase, cases[i].conditions);
                make_budget(&f, "b", cases[i].spec, cases[i].status);
                status = ask(&f, "POST", PODS "/p/eviction", EVICTION);
                if (status != cases[i].expect)
                        fail_msg("%s: %d %s", cases[i].name, status, f.text);
                if (cases[i].cause &&
                    !strstr(answer(&f, "/details/causes/0/message"), cases[i].cause))
                        fail_msg("%s: %s", cases[i].name, f.text);
                ask(&f, "GET", BUDGETS "/b", NULL);
                if (strcmp(answer(&f, "/status/disruptionsAllowed"), cases[i].allowed_after) != 0)
                        fail_msg("%s: budget is %s", cases[i].name, f.text);
                fixture_free(&f);
        }
}

static void test_effects(void **state) {
        struct fixture f = fixture_new();

        (void)state;
        make_pod(&f, "Running", READY);
        make_budget(&f, "b", "",
                    OBSERVED "\"disruptionsAllowed\":1,\"currentHealthy\":2,\"desiredHealthy\":1");
        assert_int_equal(ask(&f, "POST", PODS "/p/eviction?dryRun=All", EVICTION), 201);
        assert_int_equal(ask(&f, "POST", PODS "/p/eviction?dryRun=All",
                             "{\"apiVersion\":\"policy/v1beta1\",\"kind\":\"Eviction\","
                             "\"metadata\":{\"name\":\"p\"}}"),
                         201);
        ask(&f, "GET", PODS "/p", NULL);
        assert_string_equal(answer(&f, "/metadata/deletionTimestamp"), "");
        assert_int_equal(ask(&f, "POST", PODS "/p/eviction", EVICTION), 201);
        assert_string_equal(answer(&f, "/status"), "Success");
        ask(&f, "GET", PODS "/p", NULL);
        assert_string_equal(answer(&f, "/metadata/deletionGracePeriodSeconds"), "30");
        assert_string_equal(answer(&f, "/status/conditions/1/type"), "DisruptionTarget");
        assert_string_equal(answer(&f, "/status/conditions/1/reason"), "EvictionByEvictionAPI");
        ask(&f, "GET", BUDGETS "/b", NULL);
        assert_string_equal(answer(&f, "/status/disruptedPods/p"), "2026-01-01T00:00:00Z");
        assert_string_equal(answer(&f, "/status/conditions/0/reason"), "InsufficientPods");
        fixture_free(&f);
}

static void test_refusals(void **state) {
        struct fixture f = fixture_new();

        (void)state;
        assert_int_equal(ask(&f, "POST", PODS "/p/eviction", EVICTION), 404);
        make_pod(&f, "Running", READY);
        assert_int_equal(ask(&f, "POST", PODS "/p/eviction", "{\"metadata\":{\"name\":\"q\"}}"),
                         400);
        assert_int_equal(ask(&f, "POST", PODS "/p/eviction",
                             "{\"metadata\":{\"name\":\"p\"},\"deleteOptions\":{\"preconditions\":"
                             "{\"uid\":\"x\"}}}"),
                         409);
        make_budget(&f, "b", "",
                    OBSERVED "\"disruptionsAllowed\":-1,\"currentHealthy\":2,"
                             "\"desiredHealthy\":1");
        make_budget(&f, "c", "",
                    OBSERVED "\"disruptionsAllowed\":1,\"currentHealthy\":2,"
                             "\"desiredHealthy\":1");
        assert_int_equal(ask(&f, "POST", PODS "/p/eviction", EVICTION), 500);
        fixture_free(&f);
}

static void test_binding(void **state) {
        static const char to[] = "{\"metadata\":{\"name\":\"p\",\"labels\":{\"zone\":\"z\"}},"
                                 "\"target\":{\"kind\":\"Node\",\"name\":\"n1\"}}";
        struct fixture f = fixture_new();

        (void)state;
        assert_int_equal(ask(&f, "POST", PODS "/p/binding", to), 404);
        ask(&f, "POST", PODS,
            "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":"
            "\"i\"}]}}");
        assert_int_equal(ask(&f, "POST", PODS "/p/binding",
                             "{\"metadata\":{\"name\":\"p\"},\"target\":{\"name\":\"\"}}"),
                         500);
        assert_int_equal(
                ask(&f, "POST", PODS "/p/binding",
                    "{\"metadata\":{\"name\":\"p\",\"uid\":\"x\"},\"target\":{\"name\":\"n\"}}"),
                409);
        assert_int_equal(ask(&f, "POST", PODS "/p/binding?dryRun=All", to), 201);
        assert_int_equal(ask(&f, "POST", PODS "/p/binding", to), 201);
        assert_int_equal(ask(&f, "POST", "/api/v1/namespaces/default/bindings", to), 409);
        ask(&f, "GET", PODS "/p", NULL);
        assert_string_equal(answer(&f, "/spec/nodeName"), "n1");
        assert_string_equal(answer(&f, "/metadata/generation"), "1");
        assert_string_equal(answer(&f, "/metadata/labels/zone"), "z");
        assert_string_equal(answer(&f, "/status/conditions/0/type"), "PodScheduled");
        fixture_free(&f);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_branches),
                cmocka_unit_test(test_effects),
                cmocka_unit_test(test_refusals),
                cmocka_unit_test(test_binding),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
