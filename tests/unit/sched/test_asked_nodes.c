/* Filters that ask about volumes and claims are asked only about nodes that fit otherwise, whether
 * the pod is placed by the caches of its class or refused. */
#include "base/bitset.h"
#include "sched/class_engine.h"
#include "sched/decision.h"
#include "sched_test.h"

#define NODES 20
#define DECISIONS 4
#define REGISTRY_MAX 64

static bool is_refusing;
static bool was_asked[NODES];

static void volumes_explain(const struct sched_cycle *cycle, const void *state,
                            const void *pod_state, struct node_id node, struct verdict *verdict) {
        (void)cycle;
        (void)state;
        (void)pod_state;
        was_asked[node.index] = true;
        if (is_refusing)
                verdict_no(verdict, VERDICT_UNSCHEDULABLE, SLICE_LITERAL("no volume"));
}

static const struct plugin plugin_volumes = {
        .name = "OwnVolumes",
        .sched =
                &(const struct sched_points){
                        .explain = volumes_explain,
                        .hints = &(const struct cache_hints){ .filter = CACHE_SCOPE_VOLUMES } },
};

/* The default profile, and the plugin above. */
static struct sched_profile *make_profile(void) {
        static const struct plugin *registry[REGISTRY_MAX];
        static struct plugin_choice own = { SLICE_INIT("OwnVolumes"), 0 };
        struct sched_profile_spec spec = { 0 };
        struct sched_profile *profile;
        size_t count = 0;

        for (; sched_registry[count]; count++)
                registry[count] = sched_registry[count];
        assert_true(count + 1 < REGISTRY_MAX);
        registry[count] = &plugin_volumes;
        spec.sets[POINT_FILTER] = (struct plugin_set){ .enabled_count = 1, .enabled = &own };
        const struct profile_env env = { .registry = registry };
        assert_int_equal(sched_profile_new(&spec, &env, &profile, NULL), 0);
        return profile;
}

static bool is_of_zone(size_t node) {
        return node % 7 == 3;
}

static void put_zone_node(struct sched_test *test, size_t node) {
        apply(test, OBJECT_NODE, CHANGE_ADDED,
              "{\"metadata\":{\"name\":\"n%zu\",\"labels\":{\"zone\":\"%s\"}},"
              "\"status\":{\"allocatable\":{\"cpu\":\"4\",\"memory\":\"32Gi\",\"pods\":\"110\"}}}",
              node, is_of_zone(node) ? "a" : "b");
}

static void test_asked_last(void **state) {
        struct sched_test test;
        struct sched_profile *profile = make_profile();
        struct class_engine *engine = class_engine_new(0);
        struct class_engine_stats stats;
        struct arena arena;

        (void)state;
        sched_test_init(&test, NULL);
        arena_init(&arena, 0);
        for (size_t i = 0; i < NODES; i++)
                put_zone_node(&test, i);
        put_pod(&test, "p", 100, "\"nodeSelector\":{\"zone\":\"a\"},");
        for (size_t i = 0; i < 2 * DECISIONS; i++) {
                const struct decision_request request = {
                        .pod = cluster_find_pod(test.cluster, SLICE_LITERAL("default"),
                                                SLICE_LITERAL("p")),
                        .engine = engine,
                };
                struct decision decision;

                is_refusing = i >= DECISIONS;
                memset(was_asked, 0, sizeof(was_asked));
                arena_clear(&arena);
                scheduler_decide(test.cluster, profile, &request, &arena, &decision);
                assert_int_equal(decision.outcome == DECISION_PLACED, !is_refusing);
                for (size_t node = 0; node < NODES; node++)
                        assert_int_equal(was_asked[node], is_of_zone(node));
        }
        class_engine_stats(engine, &stats);
        assert_true(stats.builds > 0 && stats.hits > 0);
        arena_release(&arena);
        class_engine_free(engine);
        sched_profile_free(profile);
        sched_test_release(&test);
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_asked_last) };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
