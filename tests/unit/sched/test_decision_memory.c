/* Decisions ask for no memory once they have seen their kind: neither the incremental ones nor full
 * scans.  The linker sends every allocation of the program through the counters below. */
#include "sched/class_engine.h"
#include "sched/decision.h"
#include "sched_test.h"

#define NODES 120
#define WARM_UP 60
#define DECISIONS 300

static size_t allocations;
static bool is_counting;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *pointer, size_t size);
void *__real_reallocarray(void *pointer, size_t count, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *pointer, size_t size);
void *__wrap_reallocarray(void *pointer, size_t count, size_t size);

void *__wrap_malloc(size_t size) {
        allocations += is_counting;
        return __real_malloc(size);
}
void *__wrap_calloc(size_t count, size_t size) {
        allocations += is_counting;
        return __real_calloc(count, size);
}
void *__wrap_realloc(void *pointer, size_t size) {
        allocations += is_counting;
        return __real_realloc(pointer, size);
}
void *__wrap_reallocarray(void *pointer, size_t count, size_t size) {
        allocations += is_counting;
        return __real_reallocarray(pointer, count, size);
}

#define SELECTS "\"labelSelector\":{\"matchLabels\":{\"app\":\"a\"}}"
#define TERM(key) "{\"topologyKey\":\"" key "\"," SELECTS "}"
#define ZONE "topology.kubernetes.io/zone"
#define HOST "kubernetes.io/hostname"

static void add_nodes(struct sched_test *test) {
        for (int i = 0; i < NODES; i++)
                apply(test, OBJECT_NODE, CHANGE_ADDED,
                      "{\"metadata\":{\"name\":\"n%d\",\"labels\":{\"" HOST "\":\"n%d\",\"" ZONE
                      "\":\"z%d\"}},\"status\":{\"allocatable\":{\"cpu\":\"64\",\"memory\":"
                      "\"64Gi\","
                      "\"pods\":\"110\"}}}",
                      i, i, i % 3);
}

/* Allocations of so many decisions about pods of one spec, each of which is placed. */
static size_t count_allocations(const char *spec, bool is_incremental) {
        struct sched_test test;
        struct arena arena;
        struct rng rng;
        struct class_engine *engine = class_engine_new(0);
        sched_test_init(&test, NULL);
        add_nodes(&test);
        arena_init(&arena, 0);
        rng_init(&rng, 1);
        allocations = 0;
        for (int i = 0; i < WARM_UP + DECISIONS; i++) {
                char name[16];
                struct decision decision;
                snprintf(name, sizeof(name), "p%d", i);
                apply(&test, OBJECT_POD, CHANGE_ADDED,
                      "{\"metadata\":{\"namespace\":\"default\",\"name\":\"%s\",\"uid\":\"%s\","
                      "\"labels\":{\"app\":\"a\"}},\"spec\":{%s\"containers\":[{\"name\":\"c\","
                      "\"image\":\"i\",\"resources\":{\"requests\":{\"cpu\":\"10m\"}}}]}}",
                      name, name, spec);
                struct decision_request request = {
                        .pod = cluster_find_pod(test.cluster, SLICE_LITERAL("default"),
                                                slice_of(name)),
                        .rng = &rng,
                        .engine = is_incremental ? engine : NULL,
                };
                arena_clear(&arena);
                is_counting = i >= WARM_UP;
                scheduler_decide(test.cluster, test.profile, &request, &arena, &decision);
                is_counting = false;
                assert_int_equal(decision.outcome, DECISION_PLACED);
                cluster_assume(test.cluster, request.pod, decision.node);
        }
        class_engine_free(engine);
        arena_release(&arena);
        sched_test_release(&test);
        return allocations;
}

static void test_asks_for_no_memory(void **state) {
        static const struct {
                const char *name, *spec;
        } cases[] = {
                { "plain", "" },
                {
                        "hard spread",
                        "\"topologySpreadConstraints\":[{\"maxSkew\":5,\"topologyKey\":\"" ZONE
                        "\",\"whenUnsatisfiable\":\"DoNotSchedule\"," SELECTS "}],",
                },
                {
                        "soft spread",
                        "\"topologySpreadConstraints\":[{\"maxSkew\":1,\"topologyKey\":\"" HOST
                        "\",\"whenUnsatisfiable\":\"ScheduleAnyway\"," SELECTS "}],",
                },
                { "required anti-affinity",
                  "\"affinity\":{\"podAntiAffinity\":{"
                  "\"requiredDuringSchedulingIgnoredDuringExecution\":[{\"topologyKey\":\"" HOST
                  "\",\"labelSelector\":{\"matchLabels\":{\"app\":\"b\"}}}]}}," },
                { "preferred anti-affinity",
                  "\"affinity\":{\"podAntiAffinity\":{"
                  "\"preferredDuringSchedulingIgnoredDuringExecution\":[{\"weight\":1,"
                  "\"podAffinityTerm\":" TERM(HOST) "}]}}," },
        };
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                size_t incremental = count_allocations(cases[i].spec, true);
                size_t scans = count_allocations(cases[i].spec, false);
                print_message("%s: %zu allocations in %d incremental decisions, %zu in as many "
                              "scans\n",
                              cases[i].name, incremental, DECISIONS, scans);
                assert_int_equal(incremental, 0);
                assert_int_equal(scans, 0);
        }
}

/* The counters themselves work. */
static void test_counts(void **state) {
        (void)state;
        allocations = 0;
        is_counting = true;
        free(xmalloc(1));
        free(xcalloc(1, 1));
        is_counting = false;
        free(xmalloc(1));
        assert_int_equal(allocations, 2);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_counts),
                cmocka_unit_test(test_asks_for_no_memory),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
