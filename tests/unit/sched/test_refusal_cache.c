/* Refusals are told again to alike pods only, and only while nothing changes. */
#include "sched/refusal_cache.h"
#include "sched_test.h"

struct fixture {
        struct sched_test test;
        struct refusal_cache *memo;
        struct arena arena;
};

static int set_up(void **state) {
        struct fixture *fixture = xcalloc(1, sizeof(*fixture));
        sched_test_init(&fixture->test, NULL);
        fixture->memo = refusal_cache_new();
        arena_init(&fixture->arena, 0);
        put_node(&fixture->test, "n1", 1000);
        put_node(&fixture->test, "n2", 1000);
        put_pod(&fixture->test, "first", 5000, "");
        put_pod(&fixture->test, "alike", 5000, "");
        put_pod(&fixture->test, "larger", 6000, "");
        put_pod(&fixture->test, "important", 5000, "\"priority\":9,");
        put_pod(&fixture->test, "claiming", 5000,
                "\"volumes\":[{\"name\":\"v\",\"emptyDir\":{}}],");
        *state = fixture;
        return 0;
}

static int tear_down(void **state) {
        struct fixture *fixture = *state;
        arena_release(&fixture->arena);
        refusal_cache_free(fixture->memo);
        sched_test_release(&fixture->test);
        free(fixture);
        return 0;
}

static struct pod_id pod_named(struct fixture *fixture, const char *name) {
        return cluster_find_pod(fixture->test.cluster, SLICE_LITERAL("default"), slice_of(name));
}

static struct decision decide(struct fixture *fixture, const char *name) {
        struct decision decision;
        struct decision_request request = { .pod = pod_named(fixture, name),
                                            .wants = DECIDE_POST_FILTER };
        scheduler_decide(fixture->test.cluster, fixture->test.profile, &request, &fixture->arena,
                         &decision);
        refusal_cache_put(fixture->memo, fixture->test.cluster, fixture->test.profile, request.pod,
                          &decision);
        return decision;
}

static const struct decision *find(struct fixture *fixture, const char *name) {
        return refusal_cache_find(fixture->memo, fixture->test.cluster, fixture->test.profile,
                                  pod_named(fixture, name));
}

static void test_alike_pods_are_reported_the_same(void **state) {
        struct fixture *fixture = *state;
        struct decision first = decide(fixture, "first");
        const struct decision *known = find(fixture, "alike");
        assert_non_null(known);
        assert_int_equal(known->outcome, DECISION_UNSCHEDULABLE);
        struct decision own = decide(fixture, "alike");
        known = find(fixture, "first");
        assert_true(slice_eq(known->message, own.message));
        assert_true(slice_eq(first.message, own.message));
        assert_int_equal(known->rejectors, own.rejectors);
        assert_int_equal(known->pendings, own.pendings);
        assert_int_equal(known->node_count, own.node_count);
        assert_int_equal(known->refusal_count, own.refusal_count);
        for (size_t i = 0; i < own.refusal_count; i++)
                assert_ptr_equal(known->refusals[i].plugin, own.refusals[i].plugin);
}

static void test_others_are_not(void **state) {
        struct fixture *fixture = *state;
        static const char *const others[] = { "larger", "important", "claiming" };
        decide(fixture, "first");
        for (size_t i = 0; i < ARRAY_LEN(others); i++)
                assert_null(find(fixture, others[i]));
        decide(fixture, "claiming");
        assert_null(find(fixture, "claiming"));
}

static void test_any_change_forgets(void **state) {
        struct fixture *fixture = *state;
        decide(fixture, "first");
        assert_non_null(find(fixture, "alike"));
        put_node(&fixture->test, "n3", 1000);
        assert_null(find(fixture, "alike"));
        decide(fixture, "first");
        assert_non_null(find(fixture, "alike"));
        cluster_nominate(fixture->test.cluster, pod_named(fixture, "alike"), SLICE_LITERAL("n1"));
        assert_null(find(fixture, "alike"));
}

static void test_placements_are_not_cached(void **state) {
        struct fixture *fixture = *state;
        put_node(&fixture->test, "large", 9000);
        assert_int_equal(decide(fixture, "first").outcome, DECISION_PLACED);
        assert_null(find(fixture, "alike"));
}

/* Pods that could be preempted are the preemptor's, not those of all like it. */
static void test_preemptions_are_not_cached(void **state) {
        struct fixture *fixture = *state;
        put_node(&fixture->test, "full", 5000);
        put_pod(&fixture->test, "victim", 3000, "\"nodeName\":\"full\",");
        struct decision decision = decide(fixture, "important");
        assert_non_null(decision.preemption->chosen);
        assert_null(find(fixture, "important"));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(test_alike_pods_are_reported_the_same, set_up,
                                                tear_down),
                cmocka_unit_test_setup_teardown(test_others_are_not, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_any_change_forgets, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_placements_are_not_cached, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_preemptions_are_not_cached, set_up, tear_down),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
