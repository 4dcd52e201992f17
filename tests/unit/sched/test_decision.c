/* Decisions: sampling, nominations, and what parity switches. */
#include "sched/decision.h"
#include "sched_test.h"

struct fixture {
        struct sched_test test;
        struct arena arena;
};

static struct fixture *fixture_new(bool is_parity) {
        struct fixture *fixture = xcalloc(1, sizeof(*fixture));
        sched_test_init(&fixture->test, &(struct scheduler_config){ .is_parity = is_parity });
        arena_init(&fixture->arena, 0);
        return fixture;
}

static void fixture_free(struct fixture *fixture) {
        sched_test_release(&fixture->test);
        arena_release(&fixture->arena);
        free(fixture);
}

static struct decision decide(struct fixture *fixture, const char *pod,
                              struct decision_request request) {
        struct decision decision;
        request.pod =
                cluster_find_pod(fixture->test.cluster, SLICE_LITERAL("default"), slice_of(pod));
        assert_false(pod_id_is_none(request.pod));
        scheduler_decide(fixture->test.cluster, fixture->test.profile, &request, &fixture->arena,
                         &decision);
        return decision;
}

/* nodes of the cluster -> how many upstream finds before it stops (reference scheduler.md 3.2,
 * whose column of 200 nodes is not what its formula gives: 49 % are 98, at least 100) */
static const struct {
        int nodes, found;
} samples[] = { { 99, 99 },   { 100, 100 }, { 200, 100 },  { 250, 120 },  { 300, 144 },
                { 400, 188 }, { 500, 230 }, { 1000, 420 }, { 2000, 680 }, { 5000, 500 } };

static void test_sampling_is_parity_only(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
                struct fixture *fixture = fixture_new(true);
                size_t start = 0;
                for (int n = 0; n < samples[i].nodes; n++) {
                        char name[16];
                        snprintf(name, sizeof(name), "n%d", n);
                        put_node(&fixture->test, name, 4000);
                }
                put_pod(&fixture->test, "p", 100, "");
                struct decision all = decide(fixture, "p", (struct decision_request){ 0 });
                assert_int_equal(all.feasible_count, samples[i].nodes);
                struct decision some =
                        decide(fixture, "p",
                               (struct decision_request){ .is_parity = true, .next_node = &start });
                assert_int_equal(some.feasible_count, samples[i].found);
                assert_int_equal(some.next_node, samples[i].found % samples[i].nodes);
                fixture_free(fixture);
        }
}

/* A profile that scores nothing: any node will do, and the decision says so. */
static void test_nothing_to_score(void **state) {
        static const struct slice all = SLICE_INIT("*");
        struct sched_profile_spec spec = { 0 };
        struct fixture *fixture = fixture_new(false);
        struct sched_profile *profile;
        struct decision decision;
        (void)state;
        spec.sets[POINT_SCORE] = (struct plugin_set){ .disabled_count = 1, .disabled = &all };
        const struct profile_env env = { .registry = sched_registry };
        assert_int_equal(sched_profile_new(&spec, &env, &profile, NULL), 0);
        put_node(&fixture->test, "n1", 1000);
        put_node(&fixture->test, "n2", 4000);
        put_pod(&fixture->test, "p", 100, "");
        assert_false(decide(fixture, "p", (struct decision_request){ 0 }).is_first_fit);
        const struct decision_request request = { .pod = cluster_find_pod(fixture->test.cluster,
                                                                          SLICE_LITERAL("default"),
                                                                          SLICE_LITERAL("p")) };
        scheduler_decide(fixture->test.cluster, profile, &request, &fixture->arena, &decision);
        assert_true(decision.is_first_fit);
        assert_int_equal(decision.feasible_count, 2);
        assert_null(decision.totals);
        sched_profile_free(profile);
        fixture_free(fixture);
}

static void test_nominated_node_comes_first(void **state) {
        (void)state;
        struct fixture *fixture = fixture_new(false);
        put_node(&fixture->test, "small", 1000);
        put_node(&fixture->test, "large", 9000);
        put_pod(&fixture->test, "p", 500, "");
        struct pod_id pod = cluster_find_pod(fixture->test.cluster, SLICE_LITERAL("default"),
                                             SLICE_LITERAL("p"));
        cluster_nominate(fixture->test.cluster, pod, SLICE_LITERAL("small"));
        struct decision decision = decide(fixture, "p", (struct decision_request){ 0 });
        assert_true(decision.took_nominated);
        assert_true(slice_is(cluster_node_name(fixture->test.cluster, decision.node), "small"));
        cluster_nominate(fixture->test.cluster, pod, SLICE_LITERAL("gone"));
        decision = decide(fixture, "p", (struct decision_request){ 0 });
        assert_false(decision.took_nominated);
        assert_true(slice_is(cluster_node_name(fixture->test.cluster, decision.node), "large"));
        fixture_free(fixture);
}

/* Room held for a nominated pod is not given to one of the same or lower priority. */
static void test_nominations_hold_room(void **state) {
        (void)state;
        static const struct {
                const char *priority;
                enum decision_outcome outcome;
        } cases[] = { { "", DECISION_UNSCHEDULABLE },
                      { "\"priority\":10,", DECISION_UNSCHEDULABLE },
                      { "\"priority\":11,", DECISION_PLACED } };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct fixture *fixture = fixture_new(false);
                put_node(&fixture->test, "n", 1000);
                put_pod(&fixture->test, "nominee", 800, "\"priority\":10,");
                put_pod(&fixture->test, "p", 800, cases[i].priority);
                cluster_nominate(fixture->test.cluster,
                                 cluster_find_pod(fixture->test.cluster, SLICE_LITERAL("default"),
                                                  SLICE_LITERAL("nominee")),
                                 SLICE_LITERAL("n"));
                uint64_t before = cluster_digest(fixture->test.cluster);
                struct decision decision = decide(fixture, "p", (struct decision_request){ 0 });
                assert_int_equal(decision.outcome, cases[i].outcome);
                assert_true(cluster_digest(fixture->test.cluster) == before);
                fixture_free(fixture);
        }
}

static void test_candidate_search_changes_nothing(void **state) {
        (void)state;
        struct fixture *fixture = fixture_new(false);
        put_node(&fixture->test, "n", 1000);
        put_pod(&fixture->test, "v1", 500, "\"nodeName\":\"n\",");
        put_pod(&fixture->test, "v2", 500, "\"nodeName\":\"n\",");
        put_pod(&fixture->test, "p", 400, "\"priority\":5,");
        uint64_t before = cluster_digest(fixture->test.cluster);
        struct decision decision =
                decide(fixture, "p", (struct decision_request){ .wants = DECIDE_POST_FILTER });
        assert_true(cluster_digest(fixture->test.cluster) == before);
        assert_non_null(decision.preemption);
        assert_int_equal(decision.preemption->chosen->victim_count, 1);
        assert_true(decision.sets_nomination);
        assert_true(slice_is(decision.nomination, "n"));
        assert_true(slice_is(decision.message, "0/1 nodes are available: 1 Insufficient cpu."));
        fixture_free(fixture);
}

static int64_t slow_ones(void *context, struct pod_id pod, struct wall_time now) {
        (void)now;
        return cluster_pod(context, pod)->name[0] == 's' ? NS_PER_S : 0;
}

/* Only where upstream leaves it to chance. */
static void test_quick_victims_settle_it(void **state) {
        (void)state;
        static const struct {
                const char *third; /* priority of the third victim */
                bool is_parity, has_expected_times;
                const char *node;
                enum preemption_rule rule;
        } cases[] = {
                { "0", false, true, "n2", PREEMPTION_EVICTION_COST },
                { "0", true, true, "n1", PREEMPTION_ARBITRARY },
                { "0", false, false, "n1", PREEMPTION_ARBITRARY },
                { "-1", false, true, "n3", PREEMPTION_HIGHEST_PRIORITY },
        };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct fixture *fixture = fixture_new(false);
                char third[60];
                snprintf(third, sizeof(third), "\"nodeName\":\"n3\",\"priority\":%s,",
                         cases[i].third);
                put_node(&fixture->test, "n1", 1000);
                put_node(&fixture->test, "n2", 1000);
                put_node(&fixture->test, "n3", 1000);
                put_pod(&fixture->test, "slow1", 800, "\"nodeName\":\"n1\",\"priority\":0,");
                put_pod(&fixture->test, "quick", 800, "\"nodeName\":\"n2\",\"priority\":0,");
                put_pod(&fixture->test, "slow3", 800, third);
                put_pod(&fixture->test, "p", 400, "\"priority\":5,");
                const struct expected_times expected_times = { fixture->test.cluster, slow_ones };
                struct decision decision = decide(
                        fixture, "p",
                        (struct decision_request){ .wants = DECIDE_POST_FILTER,
                                                   .is_parity = cases[i].is_parity,
                                                   .expected_times = cases[i].has_expected_times
                                                                             ? &expected_times
                                                                             : NULL });
                assert_non_null(decision.preemption);
                assert_int_equal(decision.preemption->decided_by, cases[i].rule);
                assert_true(slice_is(decision.nomination, cases[i].node));
                fixture_free(fixture);
        }
}

/* 300 full nodes: two pods would have to go on each of the first 120, one elsewhere. */
static void put_full_nodes(struct fixture *fixture) {
        for (int n = 0; n < 300; n++) {
                char name[16], node[40];
                snprintf(name, sizeof(name), "n%d", n);
                snprintf(node, sizeof(node), "\"nodeName\":\"n%d\",", n);
                put_node(&fixture->test, name, 1000);
                snprintf(name, sizeof(name), "v%d", n);
                put_pod(&fixture->test, name, n < 120 ? 500 : 1000, node);
                snprintf(name, sizeof(name), "w%d", n);
                if (n < 120)
                        put_pod(&fixture->test, name, 500, node);
        }
}

/* Of 20 preemptors, those for whom one pod has to go; each search ends with 100 candidates. */
static int count_of_one_victim(bool is_parity) {
        int found = 0;
        for (int p = 0; p < 20; p++) {
                struct fixture *fixture = fixture_new(is_parity);
                char name[16];
                put_full_nodes(fixture);
                snprintf(name, sizeof(name), "p%d", p);
                put_pod(&fixture->test, name, 1000, "\"priority\":5,");
                struct decision decision =
                        decide(fixture, name,
                               (struct decision_request){ .wants = DECIDE_POST_FILTER,
                                                          .is_parity = is_parity });
                assert_int_equal(decision.preemption->candidate_count, 100);
                found += decision.preemption->chosen->victim_count == 1;
                fixture_free(fixture);
        }
        return found;
}

/* The search ends with the larger of 100 nodes and a tenth of them, and does not begin at the same
 * node for every pod: two of three starts reach a node where one pod is enough. */
static void test_candidates_are_limited(void **state) {
        (void)state;
        assert_int_equal(count_of_one_victim(true), 0);
        assert_in_range(count_of_one_victim(false), 15, 20);
}

#define AWAY_FROM_NOT_DEV                                                                          \
        "\"affinity\":{\"podAntiAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":[{" \
        "\"topologyKey\":\"kubernetes.io/hostname\",\"labelSelector\":{},\"namespaceSelector\":{"  \
        "\"matchExpressions\":[{\"key\":\"env\",\"operator\":\"NotIn\",\"values\":[\"dev\"]}]}}]}" \
        "},"

/* The running pod's namespace has env=dev, so only upstream's slip makes it conflict. */
static void test_negative_namespace_selector(void **state) {
        (void)state;
        for (int is_parity = 0; is_parity < 2; is_parity++) {
                struct fixture *fixture = fixture_new(is_parity);
                apply(&fixture->test, OBJECT_NAMESPACE, CHANGE_ADDED,
                      "{\"metadata\":{\"name\":\"default\",\"labels\":{\"env\":\"dev\"}}}");
                put_node(&fixture->test, "n", 1000);
                put_pod(&fixture->test, "running", 100, "\"nodeName\":\"n\",");
                put_pod(&fixture->test, "p", 100, AWAY_FROM_NOT_DEV);
                struct decision decision =
                        decide(fixture, "p", (struct decision_request){ .is_parity = is_parity });
                assert_int_equal(decision.outcome,
                                 is_parity ? DECISION_UNSCHEDULABLE : DECISION_PLACED);
                fixture_free(fixture);
        }
}

/* A PreFilter refusal before DynamicResources ends PostFilter upstream. */
static void test_refused_before_claims(void **state) {
        (void)state;
        for (int is_parity = 0; is_parity < 2; is_parity++) {
                struct fixture *fixture = fixture_new(is_parity);
                put_node(&fixture->test, "n", 1000);
                put_pod(&fixture->test, "p", 100,
                        "\"affinity\":{\"nodeAffinity\":{"
                        "\"requiredDuringSchedulingIgnoredDuringExecution\":{\"nodeSelectorTerms\":"
                        "[{\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"In\","
                        "\"values\":[\"a\"]},{\"key\":\"metadata.name\",\"operator\":\"In\","
                        "\"values\":[\"b\"]}]}]}}},");
                struct decision decision =
                        decide(fixture, "p",
                               (struct decision_request){ .is_parity = is_parity,
                                                          .wants = DECIDE_POST_FILTER });
                const char *end =
                        is_parity ? " not found" : "1 Preemption is not helpful for scheduling.";
                assert_true(slice_has_prefix(
                        decision.message,
                        SLICE_LITERAL("0/1 nodes are available: pod affinity terms conflict.")));
                assert_true(slice_has_suffix(decision.message, slice_of(end)));
                fixture_free(fixture);
        }
}

static void test_needed_features(void **state) {
        (void)state;
        struct fixture *fixture = fixture_new(false);
        put_node(&fixture->test, "plain", 9000);
        apply(&fixture->test, OBJECT_NODE, CHANGE_ADDED,
              "{\"metadata\":{\"name\":\"able\"},\"status\":{\"declaredFeatures\":["
              "\"UserNamespacesHostNetwork\"],\"allocatable\":{\"cpu\":\"1\",\"memory\":\"1Gi\","
              "\"pods\":\"9\"}}}");
        put_pod(&fixture->test, "p", 100, "\"hostNetwork\":true,\"hostUsers\":false,");
        put_pod(&fixture->test, "q", 100, "\"hostNetwork\":true,\"hostUsers\":true,");
        struct decision decision =
                decide(fixture, "p", (struct decision_request){ .wants = DECIDE_VERDICTS });
        assert_int_equal(decision.feasible_count, 1);
        assert_true(slice_is(cluster_node_name(fixture->test.cluster, decision.node), "able"));
        assert_string_equal(decision.refusals[0].plugin->name, "NodeDeclaredFeatures");
        assert_int_equal(decide(fixture, "q", (struct decision_request){ 0 }).feasible_count, 2);
        fixture_free(fixture);
}

#define CASE(label, test)                                                                          \
        { label, test, NULL, NULL, NULL }

int main(void) {
        const struct CMUnitTest tests[] = {
                CASE("sched-092 sched-093 how many nodes are judged, and from where",
                     test_sampling_is_parity_only),
                cmocka_unit_test(test_nothing_to_score),
                cmocka_unit_test(test_nominated_node_comes_first),
                cmocka_unit_test(test_nominations_hold_room),
                cmocka_unit_test(test_candidate_search_changes_nothing),
                cmocka_unit_test(test_quick_victims_settle_it),
                cmocka_unit_test(test_candidates_are_limited),
                cmocka_unit_test(test_negative_namespace_selector),
                cmocka_unit_test(test_refused_before_claims),
                cmocka_unit_test(test_needed_features),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
