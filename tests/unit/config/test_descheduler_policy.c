/* DeschedulerPolicy: what is read, which mistakes are told, where parity is more lenient, and that
 * recorded policies are refused or accepted as Descheduler does, as far as no plugin is needed. */
#include "config/descheduler_policy.h"
#include "config_test.h"

#define HEAD "apiVersion: descheduler/v1alpha2\nkind: DeschedulerPolicy\n"

static const char example[] =
        HEAD "nodeSelector: pool=a,!old\nmaxNoOfPodsToEvictPerNode: 3\n"
             "maxNoOfPodsToEvictTotal: 0\ngracePeriodSeconds: -1\n"
             "evictionFailureEventNotification: true\n"
             "metricsCollector: {enabled: true}\n"
             "metricsProviders:\n- source: Prometheus\n  prometheus:\n    url: http://p:9090/x\n"
             "    authToken: {secretReference: {namespace: ns, name: s}}\n"
             "profiles:\n- name: p\n  pluginConfig:\n  - name: PodLifeTime\n    args: {a: 1}\n"
             "  - name: DefaultEvictor\n  plugins:\n    deschedule: {enabled: [PodLifeTime]}\n"
             "    balance: {enabled: [X], disabled: [\"*\"]}\n    filter: {enabled: [F]}\n"
             "    preevictionfilter: {enabled: [G, H]}\n- {}\n";

static void test_example(void **state) {
        struct config_problems *problems = config_problems_new();
        struct descheduler_policy *policy =
                descheduler_policy_read(slice_of(example), "p.yaml", false, problems);
        (void)state;
        assert_non_null(policy);
        char *found = problems_text(problems);
        assert_string_equal(found, "");
        free(found);
        assert_true(policy->has_node_selector && policy->node_selector.count == 2);
        assert_true(policy->has_max_per_node && policy->max_per_node == 3);
        assert_true(policy->has_max_total && policy->max_total == 0);
        assert_false(policy->has_max_per_namespace);
        assert_true(policy->has_grace_period && policy->grace_period_s == -1);
        assert_true(policy->notifies_eviction_failures && policy->collects_metrics);
        const struct metrics_provider *provider = policy->metrics_providers.items;
        assert_true(slice_is(provider->prometheus->url, "http://p:9090/x"));
        assert_true(slice_is(provider->prometheus->token->secret->ns, "ns"));
        assert_int_equal(policy->profiles.count, 2);
        const struct descheduler_profile *profile = descheduler_policy_profile(policy, 0);
        assert_true(slice_is(profile->name, "p"));
        assert_int_equal(profile->plugin_configs.count, 2);
        assert_int_equal(json_get_i64(descheduler_profile_config(profile, 0)->args, "a", 0), 1);
        assert_null(descheduler_profile_config(profile, 1)->args);
        assert_true(slice_is(profile->plugins.deschedule.enabled.items[0], "PodLifeTime"));
        assert_int_equal(profile->plugins.pre_eviction_filter.enabled.count, 2);
        assert_int_equal(profile->plugins.balance.disabled.count, 1);
        assert_int_equal(problems->warning_count, 1); /* metricsCollector */
        descheduler_policy_free(policy);
        config_problems_free(problems);
}

struct judgement {
        const char *text, *by_default, *in_parity; /* problems; "" = accepted */
};

static const struct judgement judgements[] = {
        { "", "p: the file is empty, expected a DeschedulerPolicy\n", "" },
        { "profiles: []\n", "p:1:1: apiVersion: required, expected \"descheduler/v1alpha2\"\n",
          "" },
        { "apiVersion: \"\"\nx: 1\n",
          "p:1:13: apiVersion: required, expected \"descheduler/v1alpha2\"\n", "" },
        { "apiVersion: descheduler/v1alpha2\n", "", "" },
        { "[]\n", "p:1:1: expected a mapping of kind DeschedulerPolicy\n",
          "p:1:1: expected a mapping of kind DeschedulerPolicy\n" },
        { "apiVersion: descheduler/v1alpha1\n",
          "p:1:13: apiVersion: expected \"descheduler/v1alpha2\", found \"descheduler/v1alpha1\"\n",
          "p:1:13: apiVersion: expected \"descheduler/v1alpha2\", found "
          "\"descheduler/v1alpha1\"\n" },
        { "apiVersion: 2\n", "p:1:13: apiVersion: expected \"descheduler/v1alpha2\"\n",
          "p:1:13: apiVersion: expected \"descheduler/v1alpha2\"\n" },
        { "apiVersion: descheduler/v1alpha2\nkind: Policy\n",
          "p:2:7: kind: expected \"DeschedulerPolicy\", found \"Policy\"\n",
          "p:2:7: kind: expected \"DeschedulerPolicy\", found \"Policy\"\n" },
        { HEAD "profiles:\n- plugins:\n    preEvictionFilter: {}\n",
          "p:5:5: profiles[0].plugins.preEvictionFilter: unknown field; did you mean "
          "\"preevictionfilter\"?\n",
          "" },
        { HEAD "tracing: {}\nMaxNoOfPodsToEvictTotal: 1\n",
          "p:3:1: tracing: unknown field\n"
          "p:4:1: MaxNoOfPodsToEvictTotal: unknown field; did you mean "
          "\"maxNoOfPodsToEvictTotal\"?\n",
          "" },
        { HEAD "gracePeriodSeconds: 1\ngracePeriodSeconds: 2\n",
          "p:4:1: gracePeriodSeconds: written twice\n", "" },
        { "{\"apiVersion\":\"descheduler/v1alpha2\",\"profiles\":[{\"pluginConfig\":[{\"args\":{"
          "\"a\":1,\"a\":2}}]}],\"gracePeriodSeconds\":1,\"gracePeriodSeconds\":2}",
          "p:1:82: profiles[0].pluginConfig[0].args.a: written twice\n"
          "p:1:116: gracePeriodSeconds: written twice\n",
          "p:1:82: profiles[0].pluginConfig[0].args.a: written twice\n" },
        { HEAD "maxNoOfPodsToEvictPerNode: -1\nnodeSelector: a in b\n",
          "p:3:28: maxNoOfPodsToEvictPerNode: must be at least 0, is -1\n"
          "p:4:15: nodeSelector: unable to parse requirement: found 'b' expected: '('\n",
          "p:3:28: maxNoOfPodsToEvictPerNode: must be at least 0, is -1\n"
          "p:4:15: nodeSelector: unable to parse requirement: found 'b' expected: '('\n" },
        { HEAD "profiles:\n- plugins:\n    deschedule: {enabled: [{name: X}]}\n",
          "p:5:28: profiles[0].plugins.deschedule.enabled[0]: expected a string, found a "
          "mapping\n",
          "p:5:28: profiles[0].plugins.deschedule.enabled[0]: expected a string, found a "
          "mapping\n" },
        { HEAD "metricsProviders: [{source: Other}, {}]\n",
          "p:3:29: metricsProviders[0].source: expected one of \"KubernetesMetrics\", "
          "\"Prometheus\"\n"
          "p:3:37: metricsProviders[1].source: expected one of \"KubernetesMetrics\", "
          "\"Prometheus\"\n",
          "" },
        { HEAD "metricsProviders: [{source: KubernetesMetrics}, {source: KubernetesMetrics}]\n",
          "p:3:58: metricsProviders[1].source: each source can be configured only once\n",
          "p:3:58: metricsProviders[1].source: each source can be configured only once\n" },
        { HEAD "metricsCollector: {enabled: yes}\nmetricsProviders: [{source: "
               "KubernetesMetrics}]\n",
          "p:4:29: metricsProviders[0].source: cannot be combined with metricsCollector\n",
          "p:4:29: metricsProviders[0].source: cannot be combined with metricsCollector\n" },
        { HEAD "metricsProviders: [{source: Prometheus}]\n",
          "p:3:20: metricsProviders[0].prometheus: required, but missing\n",
          "p:3:20: metricsProviders[0].prometheus: required, but missing\n" },
        { HEAD "metricsProviders: [{source: Prometheus, prometheus: 5}]\n",
          "p:3:53: metricsProviders[0].prometheus: expected a mapping, found 5\n",
          "p:3:53: metricsProviders[0].prometheus: expected a mapping, found 5\n" },
        { HEAD "metricsProviders: [{source: Prometheus, prometheus: {}}]\n",
          "p:3:53: metricsProviders[0].prometheus.url: required, but missing\n",
          "p:3:53: metricsProviders[0].prometheus.url: required, but missing\n" },
        { HEAD "metricsProviders: [{source: Prometheus, prometheus: {url: \"://x\"}}]\n",
          "p:3:59: metricsProviders[0].prometheus.url: no valid URL: missing protocol scheme\n",
          "p:3:59: metricsProviders[0].prometheus.url: no valid URL: missing protocol scheme\n" },
        { HEAD "metricsProviders:\n- source: Prometheus\n  prometheus: {url: x, authToken: {}}\n",
          "p:5:35: metricsProviders[0].prometheus.authToken.secretReference: required, but "
          "missing\n",
          "p:5:35: metricsProviders[0].prometheus.authToken.secretReference: required, but "
          "missing\n" },
        { HEAD "metricsProviders:\n- source: Prometheus\n  prometheus:\n    url: x\n    authToken: "
               "{secretReference: {name: s}}\n",
          "p:7:34: metricsProviders[0].prometheus.authToken.secretReference: must give both "
          "namespace and name\n",
          "p:7:34: metricsProviders[0].prometheus.authToken.secretReference: must give both "
          "namespace and name\n" },
        { "a: [\n", "p:2:1: malformed YAML: flow sequence without a closing bracket\n",
          "p:2:1: malformed YAML: flow sequence without a closing bracket\n" },
};

static void judge(const char *text, bool is_parity, const char *expected) {
        struct config_problems *problems = config_problems_new();
        struct descheduler_policy *policy =
                descheduler_policy_read(slice_of(text), "p", is_parity, problems);
        char *found = problems_text(problems);
        if (strcmp(found, expected) != 0)
                fail_msg("%s\nis     %s\nwanted %s", text, found, expected);
        assert_true(policy || problems->count > 0);
        free(found);
        descheduler_policy_free(policy);
        config_problems_free(problems);
}

static void test_judgements(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(judgements); i++) {
                judge(judgements[i].text, false, judgements[i].by_default);
                judge(judgements[i].text, true, judgements[i].in_parity);
        }
}

static void test_further_documents(void **state) {
        struct config_problems *problems = config_problems_new();
        struct descheduler_policy *policy =
                descheduler_policy_read(slice_of(HEAD "---\na: 1\n"), "p", false, problems);
        (void)state;
        assert_int_equal(problems->count, 0);
        assert_int_equal(problems->warning_count, 1);
        assert_err_is(&problems->warnings[0], "p: only the first document is read");
        descheduler_policy_free(policy);
        config_problems_free(problems);
}

static bool has_any(const char *text, const char *const *marks) {
        for (; *marks; marks++) {
                if (strstr(text, *marks))
                        return true;
        }
        return false;
}

/* Refusals that need no plugin; the others are left to the plugins' own tests. */
static bool is_ours(const char *name, const char *error) {
        static const char *const names[] = { "policy-kind-top",  "policy-conflict-top",
                                             "policy-value-top", "policy-selector-top",
                                             "policy-type-top",  NULL };
        static const char *const errors[] = { "Go struct field DeschedulerP",
                                              "Go struct field Plugin",
                                              "json parse error",
                                              "yaml:",
                                              "unsupported value",
                                              "duplicate field",
                                              NULL };
        return has_any(name, names) || (has_any(error, errors) && !strstr(name, "-args-is-"));
}

static void judge_vector(const struct json *vector) {
        const struct json *policy = json_get(vector, "policy");
        const struct json *expect = json_get(vector, "expect");
        struct config_problems *problems = config_problems_new();
        struct buf text = { 0 };
        char *name = slice_dup(json_get_text(vector, "name"));
        char *error = slice_dup(json_get_text(expect, "error"));
        if (json_type(policy) == JSON_STRING)
                buf_slice(&text, json_text(policy));
        else
                json_write(policy, &text);
        descheduler_policy_free(
                descheduler_policy_read(buf_view(&text), "policy.yaml", true, problems));
        char *found = problems_text(problems);
        if (error[0] == '\0' && problems->count > 0)
                fail_msg("%s: refused: %s", name, found);
        if (error[0] && is_ours(name, error) && problems->count == 0)
                fail_msg("%s: accepted, upstream: %s", name, error);
        free(found);
        free(name);
        free(error);
        buf_release(&text);
        config_problems_free(problems);
}

static void test_vectors(void **state) {
        (void)state;
        each_vector("descheduler/policy-errors.jsonl", judge_vector);
}

static void test_explain(void **state) {
        struct buf out = { 0 };
        (void)state;
        fields_explain(descheduler_policy_fields, &out, 0);
        assert_non_null(strstr(out.data, "maxNoOfPodsToEvictTotal <integer from 0>: Limit per "));
        assert_non_null(strstr(out.data, "\n      enabled <list of texts>: Plugins in the order"));
        buf_release(&out);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_example),           cmocka_unit_test(test_judgements),
                cmocka_unit_test(test_further_documents), cmocka_unit_test(test_vectors),
                cmocka_unit_test(test_explain),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
