/* Decisions ask for no memory once they have seen their kind: neither the incremental ones nor full
 * scans; with claims, for as much as tables of more and more claims need.  The linker sends every
 * allocation of the program through the counters below. */
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

/* Decisions about pods p0, p1, ..., each of which is placed; from WARM_UP on they are counted. */
struct counted {
        struct sched_test test;
        struct arena arena;
        struct rng rng;
        struct class_engine *engine;
        bool is_incremental;
};

static void counted_begin(struct counted *counted, const struct scheduler_config *config,
                          bool is_incremental) {
        counted->engine = class_engine_new(0);
        counted->is_incremental = is_incremental;
        sched_test_init(&counted->test, config);
        add_nodes(&counted->test);
        arena_init(&counted->arena, 0);
        rng_init(&counted->rng, 1);
        allocations = 0;
}

/* The place of its node among the nodes. */
static int counted_decide(struct counted *counted, int number) {
        char name[16];
        struct decision decision;
        snprintf(name, sizeof(name), "p%d", number);
        struct decision_request request = {
                .pod = cluster_find_pod(counted->test.cluster, SLICE_LITERAL("default"),
                                        slice_of(name)),
                .rng = &counted->rng,
                .engine = counted->is_incremental ? counted->engine : NULL,
        };
        arena_clear(&counted->arena);
        is_counting = number >= WARM_UP;
        scheduler_decide(counted->test.cluster, counted->test.profile, &request, &counted->arena,
                         &decision);
        is_counting = false;
        assert_int_equal(decision.outcome, DECISION_PLACED);
        cluster_assume(counted->test.cluster, request.pod, decision.node);
        return (int)decision.node.index;
}

static size_t counted_end(struct counted *counted) {
        class_engine_free(counted->engine);
        arena_release(&counted->arena);
        sched_test_release(&counted->test);
        return allocations;
}

static size_t count_allocations(const char *spec, bool is_incremental) {
        struct counted counted;
        counted_begin(&counted, NULL, is_incremental);
        for (int i = 0; i < WARM_UP + DECISIONS; i++) {
                apply(&counted.test, OBJECT_POD, CHANGE_ADDED,
                      "{\"metadata\":{\"namespace\":\"default\",\"name\":\"p%d\",\"uid\":\"p%d\","
                      "\"labels\":{\"app\":\"a\"}},\"spec\":{%s\"containers\":[{\"name\":\"c\","
                      "\"image\":\"i\",\"resources\":{\"requests\":{\"cpu\":\"10m\"}}}]}}",
                      i, i, spec);
                counted_decide(&counted, i);
        }
        return counted_end(&counted);
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

/* ---- claims of devices ---- */

__attribute__((format(printf, 3, 4))) static void put_cached(struct object_cache *object_cache,
                                                             enum cached_kind kind,
                                                             const char *format, ...) {
        char text[4096];
        struct json_doc *doc;
        va_list args;
        va_start(args, format);
        int length = vsnprintf(text, sizeof(text), format, args);
        va_end(args);
        assert_true(length > 0 && (size_t)length < sizeof(text));
        assert_int_equal(json_parse(slice_of(text), &doc, NULL), 0);
        object_cache_put(object_cache, kind, json_doc_root(doc));
        json_doc_free(doc);
}

/* Each node has devices of its own, and there is a pool that all nodes see. */
static void add_devices(struct object_cache *object_cache) {
        put_cached(object_cache, CACHED_DEVICE_CLASS,
                   "{\"metadata\":{\"name\":\"gpu\"},\"spec\":{\"selectors\":[{\"cel\":{"
                   "\"expression\":"
                   "\"device.driver == 'd'\"}}]}}");
        for (int i = 0; i <= NODES; i++) {
                struct buf devices = { 0 };
                char where[64];
                for (int j = 0; j < (i == NODES ? WARM_UP + DECISIONS : 4); j++)
                        buf_printf(&devices, "%s{\"name\":\"d%d\"}", j ? "," : "", j);
                snprintf(where, sizeof(where),
                         i == NODES ? "\"allNodes\":true" : "\"nodeName\":\"n%d\"", i);
                struct buf text = { 0 };
                struct json_doc *doc;
                buf_printf(
                        &text,
                        "{\"metadata\":{\"name\":\"s%d\"},\"spec\":{\"driver\":\"%s\",%s,\"pool\":{"
                        "\"name\":\"p%d\",\"generation\":1,\"resourceSliceCount\":1},\"devices\":[%"
                        "s]}}",
                        i, i == NODES ? "shared" : "d", where, i, devices.data);
                assert_int_equal(json_parse(buf_view(&text), &doc, NULL), 0);
                object_cache_put(object_cache, CACHED_RESOURCE_SLICE, json_doc_root(doc));
                json_doc_free(doc);
                buf_release(&text);
                buf_release(&devices);
        }
        put_cached(object_cache, CACHED_DEVICE_CLASS,
                   "{\"metadata\":{\"name\":\"link\"},\"spec\":{\"selectors\":[{\"cel\":{"
                   "\"expression\":"
                   "\"device.driver == 'shared'\"}}]}}");
}

#define CLAIM(status)                                                                              \
        "{\"metadata\":{\"namespace\":\"default\",\"name\":\"c%d\",\"uid\":\"c%d\","               \
        "\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"name\":\"p%d\",\"uid\":"   \
        "\"p%d\","                                                                                 \
        "\"controller\":true}]},\"spec\":{"                                                        \
        "\"devices\":{\"requests\":[{\"name\":\"q\",\"exactly\":{\"deviceClassName\":\"%s\","      \
        "\"allocationMode\":\"ExactCount\",\"count\":1}}]}}" status "}"

/* The claim gets its device, as the write of it will say. */
static void allocate(struct object_cache *object_cache, int i, const char *class_name, int pool,
                     int device) {
        put_cached(
                object_cache, CACHED_RESOURCE_CLAIM,
                CLAIM(",\"status\":{\"allocation\":{\"devices\":{\"results\":[{\"request\":\"q\","
                      "\"driver\":\"%s\",\"pool\":\"p%d\",\"device\":\"d%d\"}]}}}"),
                i, i, i, i, class_name, pool == NODES ? "shared" : "d", pool, device);
}

static size_t count_claim_allocations(const char *class_name, bool is_incremental) {
        bool is_shared = strcmp(class_name, "link") == 0;
        struct object_cache *object_cache = object_cache_new();
        struct counted counted;
        int used[NODES] = { 0 };
        counted_begin(&counted, &(const struct scheduler_config){ .object_cache = object_cache },
                      is_incremental);
        add_devices(object_cache);
        for (int i = 0; i < WARM_UP + DECISIONS; i++) {
                put_cached(object_cache, CACHED_RESOURCE_CLAIM, CLAIM(""), i, i, i, i, class_name);
                apply(&counted.test, OBJECT_POD, CHANGE_ADDED,
                      "{\"metadata\":{\"namespace\":\"default\",\"name\":\"p%d\",\"uid\":\"p%d\"},"
                      "\"spec\":"
                      "{\"resourceClaims\":[{\"name\":\"x\",\"resourceClaimTemplateName\":\"t\"}],"
                      "\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]},\"status\":{"
                      "\"resourceClaimStatuses\":[{\"name\":\"x\",\"resourceClaimName\":\"c%d\"}]}"
                      "}",
                      i, i, i);
                int node = counted_decide(&counted, i);
                if (is_shared)
                        allocate(object_cache, i, class_name, NODES, i);
                else
                        allocate(object_cache, i, class_name, node, used[node]++);
        }
        size_t count = counted_end(&counted);
        object_cache_free(object_cache);
        return count;
}

static void test_claims_ask_for_no_memory(void **state) {
        static const char *const classes[] = { "gpu", "link" };
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(classes); i++) {
                size_t incremental = count_claim_allocations(classes[i], true);
                size_t scans = count_claim_allocations(classes[i], false);
                print_message("claims of %s: %zu allocations in %d incremental decisions, %zu in "
                              "as many scans\n",
                              classes[i], incremental, DECISIONS, scans);
                /* What is known of claims grows with them, by doubling. */
                assert_in_range(incremental, 0, DECISIONS / 20);
                assert_in_range(scans, 0, DECISIONS / 20);
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
                cmocka_unit_test(test_claims_ask_for_no_memory),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
