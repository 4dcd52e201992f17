/* Which changes let parked pods try again: all that help, and of pods that come, go or are
 * relabelled none that cannot. */
#include "base/rng.h"
#include "sched/decision.h"
#include "sched_test.h"

/* ---- changes that concern nobody ---- */

static void put_running(struct sched_test *test, enum change_kind change, const char *ns,
                        const char *name, const char *app, const char *spec) {
        apply(test, OBJECT_POD, change,
              "{\"metadata\":{\"namespace\":\"%s\",\"name\":\"%s\",\"uid\":\"uid-%s\",\"labels\":{"
              "\"app\":\"%s\"}},\"spec\":{\"nodeName\":\"n1\",%s\"containers\":[{\"name\":\"c\"}]}"
              "}",
              ns, name, name, app, spec);
}

#define TERM(app)                                                                                  \
        "[{\"labelSelector\":{\"matchLabels\":{\"app\":\"" app                                     \
        "\"}},\"topologyKey\":\"kubernetes.io/hostname\"}]"
#define ANTI(app)                                                                                  \
        "\"affinity\":{\"podAntiAffinity\":{"                                                      \
        "\"requiredDuringSchedulingIgnoredDuringExecution\":" TERM(app) "}},"
#define NEAR(app)                                                                                  \
        "\"affinity\":{\"podAffinity\":{"                                                          \
        "\"requiredDuringSchedulingIgnoredDuringExecution\":" TERM(app) "}},"
#define SPREAD(app)                                                                                \
        "\"topologySpreadConstraints\":[{\"maxSkew\":1,\"minDomains\":3,\"topologyKey\":"          \
        "\"kubernetes.io/hostname\",\"whenUnsatisfiable\":\"DoNotSchedule\",\"labelSelector\":{"   \
        "\"matchExpressions\":[{\"key\":\"app\",\"operator\":\"In\",\"values\":[\"own\",\"" app    \
        "\"]}]}}],"
#define DISK(name) "\"volumes\":[{\"name\":\"v\",\"gcePersistentDisk\":{\"pdName\":\"" name "\"}}],"

static void test_only_what_concerns_the_pod_wakes_it(void **state) {
        static const struct {
                const char *waiting;
                const char *blocker; /* spec of the pod "blocker", app web */
                enum change_kind change;
                const char *name, *ns, *app; /* the pod that changes */
                bool wakes;
        } cases[] = {
                { ANTI("web"), "", CHANGE_REMOVED, "blocker", "default", "web", true },
                { ANTI("web"), "", CHANGE_REMOVED, "other", "default", "db", false },
                { ANTI("web"), "", CHANGE_UPDATED, "blocker", "default", "db", true },
                { ANTI("web"), "", CHANGE_UPDATED, "other", "default", "cache", false },
                { ANTI("web"), "", CHANGE_REMOVED, "stranger", "elsewhere", "web", false },
                { "", ANTI("own"), CHANGE_REMOVED, "blocker", "default", "web", true },
                { "", ANTI("own"), CHANGE_REMOVED, "other", "default", "db", false },
                { NEAR("cache"), "", CHANGE_UPDATED, "other", "default", "cache", true },
                { NEAR("cache"), "", CHANGE_UPDATED, "other", "default", "queue", false },
                { NEAR("cache"), "", CHANGE_UPDATED, "stranger", "elsewhere", "cache", false },
                { SPREAD("web"), "", CHANGE_REMOVED, "blocker", "default", "web", true },
                { SPREAD("web"), "", CHANGE_REMOVED, "other", "default", "db", false },
                { SPREAD("web"), "", CHANGE_REMOVED, "stranger", "elsewhere", "web", false },
                { SPREAD("web"), "", CHANGE_UPDATED, "blocker", "default", "db", true },
                { SPREAD("web"), "", CHANGE_UPDATED, "other", "default", "cache", false },
                { DISK("d1"), DISK("d1"), CHANGE_REMOVED, "blocker", "default", "web", true },
                { DISK("d1"), DISK("d1"), CHANGE_REMOVED, "other", "default", "db", false },
        };
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct sched_test test;
                sched_test_init(&test, NULL);
                put_node(&test, "n1", 4000);
                put_running(&test, CHANGE_ADDED, "default", "blocker", "web", cases[i].blocker);
                put_running(&test, CHANGE_ADDED, "default", "other", "db", "");
                put_running(&test, CHANGE_ADDED, "elsewhere", "stranger", "web", "");
                apply(&test, OBJECT_POD, CHANGE_ADDED,
                      "{\"metadata\":{\"namespace\":\"default\",\"name\":\"p\",\"uid\":\"uid-p\","
                      "\"labels\":{\"app\":\"own\"}},\"spec\":{%s\"containers\":[{\"name\":\"c\"}]"
                      "}}",
                      cases[i].waiting);
                step(&test);
                if (find_action(&test, ACTION_BIND, "p"))
                        fail_msg("case %zu: the pod is not held back", i);
                put_running(&test, cases[i].change, cases[i].ns, cases[i].name, cases[i].app,
                            strcmp(cases[i].name, "blocker") == 0 ? cases[i].blocker : "");
                size_t decisions = step(&test).decisions;
                if ((decisions > 0) != cases[i].wakes)
                        fail_msg("case %zu: %zu decisions", i, decisions);
                sched_test_release(&test);
        }
}

/* The last pod of its kind goes, from a node that stays full: the newcomer may be the first now. */
static void test_the_first_of_a_kind_is_woken(void **state) {
        struct sched_test test;
        (void)state;
        sched_test_init(&test, NULL);
        put_node(&test, "n1", 4000);
        put_node(&test, "n2", 4000);
        put_pod(&test, "filler", 3000, "\"nodeName\":\"n1\",");
        put_running(&test, CHANGE_ADDED, "default", "last", "own", "");
        apply(&test, OBJECT_POD, CHANGE_ADDED,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"p\",\"uid\":\"uid-p\","
              "\"labels\":{"
              "\"app\":\"own\"}},\"spec\":{%s\"containers\":[{\"name\":\"c\",\"resources\":{"
              "\"requests\":{\"cpu\":\"2\"}}}]}}",
              NEAR("own"));
        step(&test);
        assert_null(find_action(&test, ACTION_BIND, "p"));
        put_running(&test, CHANGE_REMOVED, "default", "last", "own", "");
        step(&test);
        const struct action *bind = find_action(&test, ACTION_BIND, "p");
        assert_non_null(bind);
        assert_true(slice_is(bind->bind.node, "n2"));
        sched_test_release(&test);
}

/* ---- random changes: nobody who fits stays parked ---- */

#define SEEDS 24
#define ITERATIONS 100
#define NODES 4
#define PODS 24
#define QUIET_SECONDS 15

struct world {
        struct sched_test test;
        struct rng rng;
        bool exists[PODS];
        unsigned versions[PODS];
        char nodes[PODS][16]; /* "" = waits */
        char apps[PODS];
        int cpu[PODS];
        size_t spec[PODS];
};

static unsigned pick(struct world *world, unsigned bound) {
        return (unsigned)rng_below(&world->rng, bound);
}

static const char *const specs[] = {
        "",
        ANTI("a"),
        ANTI("b"),
        NEAR("a"),
        NEAR("c"),
        SPREAD("a"),
        SPREAD("b"),
        DISK("d1"),
        "\"priority\":5,",
        "\"affinity\":{\"podAntiAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":[{"
        "\"labelSelector\":{\"matchLabels\":{\"app\":\"a\"}},\"topologyKey\":\"zone\"}]}},",
        "\"affinity\":{\"podAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":[{"
        "\"labelSelector\":{\"matchLabels\":{\"app\":\"b\"}},\"topologyKey\":\"zone\"},{"
        "\"labelSelector\":{\"matchExpressions\":[{\"key\":\"app\",\"operator\":\"NotIn\","
        "\"values\":[\"c\"]}]},\"topologyKey\":\"zone\"}]}},",
        "\"topologySpreadConstraints\":[{\"maxSkew\":1,\"topologyKey\":\"zone\","
        "\"whenUnsatisfiable\":\"DoNotSchedule\",\"labelSelector\":{\"matchLabels\":{\"app\":"
        "\"a\"}}}],",
};

static void put_state(struct world *world, unsigned i, enum change_kind change) {
        char node[40] = "";
        if (world->nodes[i][0] != '\0')
                snprintf(node, sizeof(node), "\"nodeName\":\"%s\",", world->nodes[i]);
        apply(&world->test, OBJECT_POD, change,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"p%u\",\"uid\":\"u%u-%u\","
              "\"labels\":{\"app\":\"%c\"}},\"spec\":{%s%s\"containers\":[{\"name\":\"c\",\"ports\""
              ":[{\"containerPort\":80,\"hostPort\":%u}],\"resources\":{\"requests\":{\"cpu\":"
              "\"%dm\"}}}]}}",
              i, i, world->versions[i], world->apps[i], node, specs[world->spec[i]],
              i % 5 == 0 ? 80 : 1000 + i, world->cpu[i]);
}

static void change_world(struct world *world) {
        unsigned i = pick(world, PODS);
        if (!world->exists[i]) {
                world->exists[i] = true;
                world->versions[i]++;
                world->apps[i] = (char)('a' + pick(world, 3));
                world->cpu[i] = 100 * (1 + (int)pick(world, 8));
                world->spec[i] = pick(world, ARRAY_LEN(specs));
                world->nodes[i][0] = '\0';
                if (pick(world, 4) == 0)
                        snprintf(world->nodes[i], sizeof(world->nodes[i]), "n%u",
                                 pick(world, NODES));
                put_state(world, i, CHANGE_ADDED);
        } else if (pick(world, 2) == 0) {
                world->exists[i] = false;
                put_state(world, i, CHANGE_REMOVED);
        } else if (pick(world, 3) == 0) {
                world->cpu[i] = 100;
                put_state(world, i, CHANGE_UPDATED);
        } else {
                world->apps[i] = (char)('a' + pick(world, 3));
                put_state(world, i, CHANGE_UPDATED);
        }
}

static void obey(struct world *world) {
        for (size_t i = 0; i < world->test.actions.count; i++) {
                const struct action *action = &world->test.actions.items[i];
                uint64_t number;
                struct slice name = action->target.name;
                if (action->kind != ACTION_BIND && action->kind != ACTION_PREEMPT_POD)
                        continue;
                assert_true(slice_to_u64(slice_make(name.ptr + 1, name.len - 1), &number));
                struct action_list out;
                struct action_result result = { .id = action->id,
                                                .kind = action->kind,
                                                .target = action->target,
                                                .code = BERTH_OK };
                action_list_init(&out);
                if (action->kind == ACTION_BIND) {
                        snprintf(world->nodes[number], sizeof(world->nodes[number]), SLICE_FMT,
                                 SLICE_ARG(action->bind.node));
                        put_state(world, (unsigned)number, CHANGE_UPDATED);
                } else {
                        world->exists[number] = false;
                        put_state(world, (unsigned)number, CHANGE_REMOVED);
                }
                scheduler_result(world->test.scheduler, &result,
                                 (struct mono_time){ world->test.now_ns }, test_wall(&world->test),
                                 &out);
                action_list_release(&out);
        }
}

static void assert_parked_pods_fit_nowhere(struct world *world, uint64_t seed) {
        struct arena arena;
        arena_init(&arena, 0);
        for (unsigned i = 0; i < PODS; i++) {
                char name[8];
                struct decision decision;
                snprintf(name, sizeof(name), "p%u", i);
                struct pod_id pod = cluster_find_pod(world->test.cluster, SLICE_LITERAL("default"),
                                                     slice_of(name));
                if (pod_id_is_none(pod) ||
                    !node_id_is_none(cluster_pod(world->test.cluster, pod)->node))
                        continue;
                struct decision_request request = { .pod = pod };
                scheduler_decide(world->test.cluster, world->test.profile, &request, &arena,
                                 &decision);
                if (decision.outcome == DECISION_PLACED)
                        fail_msg("seed %llu: %s fits but stays parked", (unsigned long long)seed,
                                 name);
                arena_clear(&arena);
        }
        arena_release(&arena);
}

static void settle(struct world *world) {
        for (int i = 0; i < QUIET_SECONDS; i++) {
                while (step(&world->test).decisions > 0)
                        obey(world);
                world->test.now_ns += NS_PER_S;
        }
}

static void run(uint64_t seed) {
        struct world world = { 0 };
        rng_init(&world.rng, seed);
        sched_test_init(&world.test, &(struct scheduler_config){ .seed = seed });
        for (unsigned i = 0; i < NODES; i++)
                apply(&world.test, OBJECT_NODE, CHANGE_ADDED,
                      "{\"metadata\":{\"name\":\"n%u\",\"labels\":{\"kubernetes.io/hostname\":"
                      "\"n%u\",\"zone\":\"z%u\"}},\"status\":{\"allocatable\":{\"cpu\":\"1500m\","
                      "\"memory\":\"32Gi\",\"pods\":\"110\"}}}",
                      i, i, i % 2);
        for (int round = 0; round < ITERATIONS; round++) {
                for (unsigned i = pick(&world, 4); i-- > 0;)
                        change_world(&world);
                settle(&world);
                assert_parked_pods_fit_nowhere(&world, seed);
        }
        sched_test_release(&world.test);
}

static void test_whoever_fits_is_woken(void **state) {
        (void)state;
        for (uint64_t seed = 1; seed <= SEEDS; seed++)
                run(seed);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_only_what_concerns_the_pod_wakes_it),
                cmocka_unit_test(test_the_first_of_a_kind_is_woken),
                cmocka_unit_test(test_whoever_fits_is_woken),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
