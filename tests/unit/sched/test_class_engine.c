/* The caches against the full scan: after every change of a random cluster both must choose from
 * the same nodes at the same total. */
#include "base/rng.h"
#include "sched/class_engine.h"
#include "sched/decision.h"
#include "sched_test.h"

#define SHAPES 8
#define STEPS 150
#define SEEDS 12
#define NODE_NAMES 14
#define POD_NAMES 40

struct world {
        struct sched_test test;
        struct class_engine *engine;
        struct rng rng;
        struct arena arena;
};

static unsigned pick(struct world *world, unsigned bound) {
        return (unsigned)rng_below(&world->rng, bound);
}

static void change_node(struct world *world) {
        static const char *const effects[] = { "NoSchedule", "PreferNoSchedule" };
        unsigned name = pick(world, NODE_NAMES);
        if (pick(world, 12) == 0) {
                char text[16];
                snprintf(text, sizeof(text), "n%u", name);
                cluster_remove_node(world->test.cluster, slice_of(text));
                return;
        }
        char taint[128] = "", image[160] = "";
        if (pick(world, 3) == 0)
                snprintf(taint, sizeof(taint), "{\"key\":\"k%u\",\"effect\":\"%s\"}",
                         pick(world, 2), effects[pick(world, 2)]);
        if (pick(world, 4) == 0)
                snprintf(image, sizeof(image),
                         "{\"names\":[\"registry/img:v%u\"],\"sizeBytes\":%u}", pick(world, 2),
                         50000000 + 400000000 * pick(world, 3));
        apply(&world->test, OBJECT_NODE, CHANGE_UPDATED,
              "{\"metadata\":{\"name\":\"n%u\",\"labels\":{\"zone\":\"z%u\",\"rank\":\"%u\"}},"
              "\"spec\":{\"unschedulable\":%s,\"taints\":[%s]},\"status\":{\"images\":[%s],"
              "\"allocatable\":{\"cpu\":\"%um\",\"memory\":\"%uMi\",\"pods\":\"%u\"}}}",
              name, pick(world, 3), pick(world, 9), pick(world, 9) ? "false" : "true", taint, image,
              1000 * (1 + pick(world, 4)), 1024 * (1 + pick(world, 4)), 2 + pick(world, 9));
}

static void change_pod(struct world *world) {
        unsigned name = pick(world, POD_NAMES);
        if (pick(world, 3) == 0) {
                apply(&world->test, OBJECT_POD, CHANGE_REMOVED,
                      "{\"metadata\":{\"namespace\":\"default\",\"name\":\"r%u\",\"uid\":\"r%u\"}}",
                      name, name);
                return;
        }
        apply(&world->test, OBJECT_POD, CHANGE_UPDATED,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"r%u\",\"uid\":\"r%u\"},"
              "\"spec\":{\"nodeName\":\"n%u\",\"containers\":[{\"name\":\"c\",\"image\":\"i\","
              "\"ports\":[{\"containerPort\":1,\"hostPort\":%u}],\"resources\":{\"requests\":{"
              "\"cpu\":\"%um\",\"memory\":\"%uMi\"}}}]}}",
              name, name, name % NODE_NAMES, pick(world, 2) * 80, 100 * (1 + name % 7),
              64 * (1 + pick(world, 6)));
}

/* Pending pods of a few shapes that stay all the time. */
static void add_shapes(struct world *world) {
        static const char *const extras[SHAPES] = {
                "",
                "\"nodeSelector\":{\"zone\":\"z1\"},",
                "\"tolerations\":[{\"key\":\"k0\",\"operator\":\"Exists\"}],",
                ("\"affinity\":{\"nodeAffinity\":{"
                 "\"preferredDuringSchedulingIgnoredDuringExecution\":"
                 "[{\"weight\":30,\"preference\":{\"matchExpressions\":[{\"key\":\"rank\","
                 "\"operator\":\"Gt\",\"values\":[\"4\"]}]}},{\"weight\":7,\"preference\":{"
                 "\"matchExpressions\":[{\"key\":\"zone\",\"operator\":\"In\",\"values\":[\"z0\"]}]"
                 "}"
                 "}]}},"),
                "\"affinity\":{\"nodeAffinity\":{"
                "\"requiredDuringSchedulingIgnoredDuringExecution\":{"
                "\"nodeSelectorTerms\":[{\"matchExpressions\":[{\"key\":\"rank\",\"operator\":"
                "\"Lt\",\"values\":[\"7\"]}]}]}}},",
                "\"tolerations\":[{\"operator\":\"Exists\"}],",
                "\"topologySpreadConstraints\":[{\"maxSkew\":1,\"topologyKey\":\"zone\","
                "\"whenUnsatisfiable\":\"ScheduleAnyway\",\"labelSelector\":{}}],",
                "\"hostNetwork\":true,",
        };
        for (unsigned i = 0; i < SHAPES; i++)
                apply(&world->test, OBJECT_POD, CHANGE_ADDED,
                      "{\"metadata\":{\"namespace\":\"default\",\"name\":\"s%u\",\"uid\":\"s%u\"},"
                      "\"spec\":{%s\"containers\":[{\"name\":\"c\",\"image\":\"registry/img:v%u\","
                      "\"ports\":[{\"containerPort\":1,\"hostPort\":%u}],\"resources\":{"
                      "\"requests\":{\"cpu\":\"%um\"}}}]}}",
                      i, i, extras[i], i % 2, i == 7 ? 80 : 0, 150 * (i + 1));
}

static void compare(struct world *world, unsigned shape) {
        char name[16];
        struct decision slow, fast;
        struct decision_request request = { 0 };
        snprintf(name, sizeof(name), "s%u", shape);
        request.pod =
                cluster_find_pod(world->test.cluster, SLICE_LITERAL("default"), slice_of(name));
        arena_clear(&world->arena);
        scheduler_decide(world->test.cluster, world->test.profile, &request, &world->arena, &slow);
        request.engine = world->engine;
        request.rng = &world->rng;
        scheduler_decide(world->test.cluster, world->test.profile, &request, &world->arena, &fast);
        assert_int_equal(fast.outcome, slow.outcome);
        if (slow.outcome != DECISION_PLACED)
                return;
        assert_int_equal(fast.feasible_count, slow.feasible_count);
        assert_int_equal(fast.best_count, slow.best_count);
        assert_int_equal(fast.best_total, slow.best_total);
        bool is_best = false;
        for (size_t i = 0; i < slow.best_count; i++)
                is_best = is_best || slow.best[i].index == fast.node.index;
        assert_true(is_best);
}

static void run_seed(uint64_t seed, struct class_engine_stats *sum) {
        struct world *world = xcalloc(1, sizeof(*world));
        struct class_engine_stats stats;
        sched_test_init(&world->test, NULL);
        world->engine = class_engine_new(seed % 2 ? 0 : 8192);
        rng_init(&world->rng, seed);
        arena_init(&world->arena, 0);
        for (int i = 0; i < NODE_NAMES; i++)
                change_node(world);
        add_shapes(world);
        for (int i = 0; i < STEPS; i++) {
                for (unsigned changes = pick(world, 3); changes > 0; changes--) {
                        if (pick(world, 4) == 0)
                                change_node(world);
                        else
                                change_pod(world);
                }
                compare(world, pick(world, SHAPES));
        }
        class_engine_stats(world->engine, &stats);
        sum->hits += stats.hits;
        sum->builds += stats.builds;
        sum->refusals += stats.refusals;
        class_engine_free(world->engine);
        arena_release(&world->arena);
        sched_test_release(&world->test);
        free(world);
}

static void test_equals_full_scan(void **state) {
        struct class_engine_stats sum = { 0 };
        (void)state;
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
                print_message("seed %u\n", (unsigned)seed);
                run_seed(seed, &sum);
        }
        /* All three ways were taken. */
        assert_true(sum.hits > 0 && sum.builds > 0 && sum.refusals > 0);
}

static size_t bytes_of(const struct world *world) {
        struct class_engine_stats stats;
        class_engine_stats(world->engine, &stats);
        return stats.bytes + stats.count_bytes;
}

/* What decisions need on many nodes goes, small caches stay, and choices are the same after it. */
static void test_rest_gives_memory_back(void **state) {
        static const int node_counts[] = { 40, 6000 };
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(node_counts); i++) {
                struct world *world = xcalloc(1, sizeof(*world));
                bool is_large = node_counts[i] == 6000;
                sched_test_init(&world->test, NULL);
                world->engine = class_engine_new(0);
                rng_init(&world->rng, 1);
                arena_init(&world->arena, 0);
                for (int node = 0; node < node_counts[i]; node++) {
                        char name[16];
                        snprintf(name, sizeof(name), "m%d", node);
                        put_node(&world->test, name, 4000);
                }
                add_shapes(world);
                for (unsigned decision = 0; decision < 3 * SHAPES; decision++)
                        compare(world, decision % SHAPES);
                size_t before = bytes_of(world);
                assert_int_equal(before > (1 << 20), is_large);
                class_engine_rest(world->engine);
                assert_int_equal(bytes_of(world), is_large ? 0 : before);
                for (unsigned decision = 0; decision < 2 * SHAPES; decision++)
                        compare(world, decision % SHAPES);
                assert_int_equal(bytes_of(world), before);
                class_engine_free(world->engine);
                arena_release(&world->arena);
                sched_test_release(&world->test);
                free(world);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_equals_full_scan),
                                            cmocka_unit_test(test_rest_gives_memory_back) };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
