/* KubeSchedulerConfiguration: defaults, every rule that needs no plugin, and recorded documents
 * refused or accepted as kube-scheduler does, as far as no plugin is needed. */
#include "base/time.h"
#include "config/scheduler_configuration.h"
#include "config_test.h"

#define HEAD "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"

static struct scheduler_configuration *read_well(const char *text) {
        struct config_problems *problems = config_problems_new();
        struct scheduler_configuration *configuration =
                scheduler_configuration_read(slice_of(text), "s", problems);
        char *found = problems_text(problems);
        assert_string_equal(found, "");
        free(found);
        config_problems_free(problems);
        assert_non_null(configuration);
        return configuration;
}

static void check_defaults(const struct scheduler_configuration *c) {
        assert_true(slice_is(c->api_version, "kubescheduler.config.k8s.io/v1"));
        assert_int_equal(c->parallelism, 16);
        assert_true(c->leader_election.leader_elect);
        assert_true(c->leader_election.lease_duration_ns == 15 * NS_PER_S);
        assert_true(c->leader_election.renew_deadline_ns == 10 * NS_PER_S);
        assert_true(c->leader_election.retry_period_ns == 2 * NS_PER_S);
        assert_true(slice_is(c->leader_election.resource_lock, "leases"));
        assert_true(slice_is(c->leader_election.resource_namespace, "kube-system"));
        assert_true(slice_is(c->leader_election.resource_name, "kube-scheduler"));
        assert_true(c->client_connection.qps > 49 && c->client_connection.burst == 100);
        assert_false(c->client_connection.has_limit);
        assert_true(c->enables_profiling && c->enables_contention_profiling);
        assert_int_equal(c->percentage_of_nodes, 0);
        assert_true(c->pod_initial_backoff_s == 1 && c->pod_max_backoff_s == 10);
        assert_int_equal(c->profiles.count, 1);
        assert_true(slice_is(scheduler_configuration_profile(c, 0)->scheduler_name,
                             "default-scheduler"));
        assert_false(scheduler_configuration_profile(c, 0)->has_percentage);
        assert_int_equal(c->extenders.count, 0);
        assert_false(c->delays_cache_until_active);
}

static void test_defaults(void **state) {
        static const char *const texts[] = {
                HEAD,
                HEAD "profiles: []\n",
                HEAD "profiles: [{}]\nleaderElection: {leaseDuration: 0s, resourceName: \"\"}\n",
                HEAD "profiles: ~\nclientConnection: {qps: 0, burst: 0}\n",
        };
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
                struct scheduler_configuration *configuration = read_well(texts[i]);
                check_defaults(configuration);
                scheduler_configuration_free(configuration);
        }
        struct scheduler_configuration *configuration = scheduler_configuration_new_default();
        check_defaults(configuration);
        scheduler_configuration_free(configuration);
        configuration = read_well(HEAD "clientConnection: {qps: 50}\n");
        assert_true(configuration->client_connection.has_limit);
        scheduler_configuration_free(configuration);
        configuration = read_well(HEAD "clientConnection: {qps: -1, burst: 5}\n");
        assert_false(configuration->client_connection.has_limit);
        scheduler_configuration_free(configuration);
        configuration = read_well(HEAD "enableProfiling: false\n");
        assert_false(configuration->enables_contention_profiling);
        scheduler_configuration_free(configuration);
}

static void test_example(void **state) {
        struct scheduler_configuration *c = read_well(
                HEAD "parallelism: 014\npodMaxBackoffSeconds: 60\nprofiles:\n- schedulerName: a\n"
                     "  percentageOfNodesToScore: 0\n  plugins:\n    score:\n      enabled:\n"
                     "      - {name: NodeResourcesFit, weight: 5}\n      disabled: [{name: '*'}]\n"
                     "    multiPoint: {enabled: [{name: X}]}\n  pluginConfig:\n"
                     "  - name: NodeResourcesFit\n    args: {a: 1}\n- schedulerName: b\n"
                     "extenders:\n- urlPrefix: http://x\n  prioritizeVerb: p\n  weight: 2\n"
                     "  httpTimeout: 0s\n  managedResources: [{name: example.com/a, "
                     "ignoredByScheduler: true}]\n  tlsConfig: {insecure: true, caData: aGk=}\n");
        const struct scheduler_profile *profile = scheduler_configuration_profile(c, 0);
        const struct scheduler_plugin *scores = profile->plugins.score.enabled.items;
        const struct scheduler_plugin *off = profile->plugins.score.disabled.items;
        const struct scheduler_plugin_config *configs = profile->plugin_configs.items;
        const struct scheduler_extender *extender = c->extenders.items;
        (void)state;
        assert_true(c->parallelism == 12 && c->pod_max_backoff_s == 60);
        assert_int_equal(c->profiles.count, 2);
        assert_true(profile->has_percentage && profile->percentage_of_nodes == 0);
        assert_true(slice_is(scores->name, "NodeResourcesFit") && scores->weight == 5);
        assert_true(slice_is(off->name, "*"));
        assert_int_equal(profile->plugins.multi_point.enabled.count, 1);
        assert_int_equal(json_get_i64(configs->args, "a", 0), 1);
        assert_true(extender->timeout_ns == 5 * NS_PER_S && extender->weight == 2);
        assert_true(extender->tls->is_insecure && slice_is(extender->tls->ca_data, "hi"));
        assert_int_equal(extender->managed_resources.count, 1);
        scheduler_configuration_free(c);
}

/* --write-config-to: what is written reads back as the same. */
static void test_round_trip(void **state) {
        struct buf once = { 0 }, twice = { 0 };
        (void)state;
        for (int i = 0; i < 2; i++) {
                struct scheduler_configuration *c =
                        i == 0 ? read_well(HEAD "profiles: [{schedulerName: z, plugins: {bind: "
                                                "{enabled: [{name: X}]}}}]\nextenders: "
                                                "[{urlPrefix: u, tlsConfig: {certData: aGk=}}]\n")
                               : read_well(once.data);
                struct json_tree *tree = json_tree_new();
                struct buf *out = i == 0 ? &once : &twice;
                json_tree_set_root(tree, node_object(tree));
                fields_encode(tree, json_tree_root(tree), scheduler_configuration_fields, c);
                node_write(json_tree_root(tree), out);
                json_tree_free(tree);
                scheduler_configuration_free(c);
        }
        assert_string_equal(once.data, twice.data);
        assert_non_null(strstr(once.data, "\"leaseDuration\":\"15s\""));
        assert_non_null(strstr(once.data, "\"certData\":\"aGk=\""));
        buf_release(&once);
        buf_release(&twice);
}

static const struct {
        const char *text, *problems;
} mistakes[] = {
        { "", "s: the file is empty, expected a KubeSchedulerConfiguration\n" },
        { "true\n", "s:1:1: expected a mapping of kind KubeSchedulerConfiguration\n" },
        { "kind: KubeSchedulerConfiguration\n",
          "s:1:1: apiVersion: required, expected \"kubescheduler.config.k8s.io/v1\"\n" },
        { "apiVersion: kubescheduler.config.k8s.io/v1\n",
          "s:1:1: kind: required, expected \"KubeSchedulerConfiguration\"\n" },
        { "apiVersion: kubescheduler.config.k8s.io/v1beta3\nkind: KubeSchedulerConfiguration\n",
          "s:1:13: apiVersion: expected \"kubescheduler.config.k8s.io/v1\", found "
          "\"kubescheduler.config.k8s.io/v1beta3\"\n" },
        { HEAD "parallelism: 0\npercentageOfNodesToScore: 101\nPodMaxBackoffSeconds: 1\n",
          "s:3:14: parallelism: must be at least 1, is 0\n"
          "s:4:27: percentageOfNodesToScore: must be between 0 and 100, is 101\n"
          "s:5:1: PodMaxBackoffSeconds: unknown field; did you mean "
          "\"podMaxBackoffSeconds\"?\n" },
        { HEAD "podInitialBackoffSeconds: 36\n",
          "s:1:1: podMaxBackoffSeconds: must be at least podInitialBackoffSeconds 36, is 10\n" },
        { HEAD "podMaxBackoffSeconds: 9223372037\npodInitialBackoffSeconds: 9223372037\n",
          "s:3:23: podMaxBackoffSeconds: must be at most 9223372036, is 9223372037\n"
          "s:4:27: podInitialBackoffSeconds: must be between 1 and 9223372036, is "
          "9223372037\n" },
        { HEAD "leaderElection: {leaseDuration: -2s}\n",
          "s:3:33: leaderElection.leaseDuration: must be greater than 0s, is -2s\n"
          "s:3:33: leaderElection.leaseDuration: must be greater than renewDeadline 10s, is "
          "-2s\n" },
        { HEAD "leaderElection: {resourceLock: endpoints, retryPeriod: -1ns}\n",
          "s:3:32: leaderElection.resourceLock: expected \"leases\", found \"endpoints\"\n"
          "s:3:56: leaderElection.retryPeriod: must be greater than 0s, is -1ns\n" },
        { HEAD "leaderElection: {leaderElect: false, leaseDuration: 1s, resourceLock: x}\n", "" },
        { HEAD "clientConnection: {burst: -1}\n",
          "s:3:27: clientConnection.burst: must be at least 0, is -1\n" },
        { HEAD "profiles:\n- schedulerName: a\n- {}\n- schedulerName: a\n",
          "s:5:3: profiles[1].schedulerName: must not be empty where there are 3 profiles\n"
          "s:6:18: profiles[2].schedulerName: \"a\" is another profile's name\n" },
        { HEAD "profiles: [{schedulerName: \"\"}]\n",
          "s:3:28: profiles[0].schedulerName: must not be empty where there are 1 profiles\n" },
        { HEAD "profiles:\n- plugins:\n    filter: {enabled: [{name: EBSLimits}]}\n"
               "    multiPoint: {enabled: [{name: EBSLimits}]}\n",
          "s:5:31: profiles[0].plugins.filter.enabled[0].name: plugin \"EBSLimits\" was "
          "removed\n" },
        { HEAD "profiles:\n- pluginConfig: [{name: A}, {name: CinderLimits}, {name: A}]\n",
          "s:4:36: profiles[0].pluginConfig[1].name: plugin \"CinderLimits\" was removed\n"
          "s:4:58: profiles[0].pluginConfig[2].name: \"A\" has an entry already\n" },
        { HEAD "profiles:\n- plugins: {queueSort: {enabled: [{name: A}, {name: B}]}}\n",
          "s:4:34: profiles[0].plugins.queueSort.enabled: only one queue sort plugin can be "
          "enabled, found 2\n" },
        { HEAD "profiles:\n- schedulerName: a\n- schedulerName: b\n  plugins: {queueSort: "
               "{disabled: [{name: A}]}}\n",
          "s:6:24: profiles[1].plugins.queueSort: must be the same in all profiles\n" },
        { HEAD "profiles:\n- schedulerName: a\n  plugins: {queueSort: {enabled: [{name: Q}]}}\n"
               "  pluginConfig: [{name: Q, args: {x: 1}}]\n- schedulerName: b\n"
               "  plugins: {queueSort: {enabled: [{name: Q}]}}\n"
               "  pluginConfig: [{name: Q, args: {x: 2}}]\n",
          "s:9:17: profiles[1].pluginConfig: arguments of \"Q\" must be the same in all "
          "profiles\n" },
        { HEAD "extenders:\n- {prioritizeVerb: p}\n- {bindVerb: b}\n- {bindVerb: b}\n",
          "s:4:1: extenders: only one extender can bind, found 2\n"
          "s:4:3: extenders[0].weight: must be at least 1 where prioritizeVerb is set, is 0\n" },
        { HEAD "extenders:\n- managedResources: [{name: cpu}, {name: a.b/c}, {name: a.b/c}, "
               "{name: x.kubernetes.io/y}, {name: '-'}]\n",
          "s:4:29: extenders[0].managedResources[0].name: \"cpu\": is no extended resource\n"
          "s:4:57: extenders[0].managedResources[2].name: \"a.b/c\" is managed already\n"
          "s:4:72: extenders[0].managedResources[3].name: \"x.kubernetes.io/y\": is no extended "
          "resource\n"
          "s:4:99: extenders[0].managedResources[4].name: \"-\": name part must consist of "
          "alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
          "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
          "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')\n" },
        { HEAD "extenders: [{tlsConfig: {caData: \"*\"}}]\n",
          "s:3:34: extenders[0].tlsConfig.caData: expected base64\n" },
        { HEAD "parallelism: 2\nparallelism: 3\n", "s:4:1: parallelism: written twice\n" },
};

static void test_mistakes(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(mistakes); i++) {
                struct config_problems *problems = config_problems_new();
                struct scheduler_configuration *configuration =
                        scheduler_configuration_read(slice_of(mistakes[i].text), "s", problems);
                char *found = problems_text(problems);
                if (strcmp(found, mistakes[i].problems) != 0)
                        fail_msg("%s\nis     %s\nwanted %s", mistakes[i].text, found,
                                 mistakes[i].problems);
                free(found);
                scheduler_configuration_free(configuration);
                config_problems_free(problems);
        }
}

/* Flags override the file; the rules are asked again. */
static void test_check_after_flags(void **state) {
        struct config_problems *problems = config_problems_new();
        struct scheduler_configuration *configuration = scheduler_configuration_new_default();
        (void)state;
        scheduler_configuration_check(configuration, problems);
        assert_int_equal(problems->count, 0);
        configuration->leader_election.lease_duration_ns = 10 * NS_PER_S;
        scheduler_configuration_check(configuration, problems);
        assert_int_equal(problems->count, 1);
        assert_err_is(&problems->items[0], "leaderElection.leaseDuration: must be greater than "
                                           "renewDeadline 10s, is 10s");
        scheduler_configuration_free(configuration);
        config_problems_free(problems);
}

/* Whatever concerns arguments is left to the plugins' own tests. */
static void judge_vector(const struct json *vector) {
        const struct json *expect = json_get(vector, "expect");
        struct config_problems *problems = config_problems_new();
        char *name = slice_dup(json_get_text(vector, "name"));
        char *stage = slice_dup(json_get_text(expect, "stage"));
        char *error = slice_dup(json_get_text(expect, "error"));
        bool is_early = strcmp(stage, "decode") == 0 || strcmp(stage, "validate") == 0;
        scheduler_configuration_free(
                scheduler_configuration_read(json_get_text(vector, "doc"), "s", problems));
        char *found = problems_text(problems);
        if (!is_early && problems->count > 0)
                fail_msg("%s: refused: %s", name, found);
        if (is_early && !strstr(error, "args") && problems->count == 0)
                fail_msg("%s: accepted, upstream: %s", name, error);
        free(found);
        free(name);
        free(stage);
        free(error);
        config_problems_free(problems);
}

static void test_vectors(void **state) {
        (void)state;
        each_vector("scheduler/config-errors.jsonl", judge_vector);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_defaults),
                cmocka_unit_test(test_example),
                cmocka_unit_test(test_round_trip),
                { "sched-101 refused configurations", test_mistakes, NULL, NULL, NULL },
                cmocka_unit_test(test_check_after_flags),
                cmocka_unit_test(test_vectors),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
