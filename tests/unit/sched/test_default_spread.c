/* Spreading without constraints of the pods' own follows their workload, from the moment on at
 * which the workload is known, whatever was remembered of its pods before. */
#include "model/object_cache.h"
#include "sched_test.h"

#define NODES 3
#define LABELS "\"labels\":{\"app\":\"a\"}"

struct spread_test {
        struct sched_test test;
        struct object_cache *object_cache;
};

/* A node that is much larger than the others draws all pods that nothing spreads. */
static int set_up(void **state) {
        struct spread_test *own = xcalloc(1, sizeof(*own));
        own->object_cache = object_cache_new();
        struct scheduler_config config = { .object_cache = own->object_cache, .seed = 1 };
        sched_test_init(&own->test, &config);
        put_node(&own->test, "n0", 900000);
        put_node(&own->test, "n1", 30000);
        put_node(&own->test, "n2", 30000);
        *state = own;
        return 0;
}

static int tear_down(void **state) {
        struct spread_test *own = *state;
        sched_test_release(&own->test);
        object_cache_free(own->object_cache);
        free(own);
        return 0;
}

static void put_in_cache(struct spread_test *own, enum cached_kind kind, const char *text) {
        struct json_doc *doc = NULL;
        assert_int_equal(json_parse(slice_of(text), &doc, NULL), 0);
        object_cache_put(own->object_cache, kind, json_doc_root(doc));
        json_doc_free(doc);
}

static void put_set(struct spread_test *own, const char *name, const char *app) {
        char text[512];
        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"namespace\":\"default\",\"name\":\"%s\"},\"spec\":{\"selector\":"
                 "{\"matchLabels\":{\"app\":\"%s\"}}}}",
                 name, app);
        put_in_cache(own, CACHED_REPLICA_SET, text);
}

static size_t node_number(struct slice name) {
        assert_int_equal(name.len, 2);
        return (size_t)(name.ptr[1] - '0');
}

/* Pods of a ReplicaSet arrive, are decided together, and bound. */
static void run_pods(struct spread_test *own, const char *set, int first, int count,
                     size_t *placed) {
        struct sched_test *test = &own->test;
        for (int i = first; i < first + count; i++)
                apply(test, OBJECT_POD, CHANGE_ADDED,
                      "{\"metadata\":{\"namespace\":\"default\",\"name\":\"%s-%d\",\"uid\":\"%s-%"
                      "d\"," LABELS ",\"ownerReferences\":[{\"apiVersion\":\"apps/v1\",\"kind\":"
                      "\"ReplicaSet\",\"name\":\"%s\",\"uid\":\"u\",\"controller\":true}]},"
                      "\"spec\":"
                      "{\"containers\":[{\"name\":\"c\",\"image\":\"i\",\"resources\":{"
                      "\"requests\":"
                      "{\"cpu\":\"1\"}}}]}}",
                      set, i, set, i, set);
        step(test);
        assert_int_equal(count_actions(test, ACTION_BIND), count);
        for (size_t i = 0; i < test->actions.count; i++)
                if (test->actions.items[i].kind == ACTION_BIND)
                        placed[node_number(test->actions.items[i].bind.node)]++;
        test->now_ns += NS_PER_S;
}

static void expect(const size_t *placed, size_t each) {
        for (size_t i = 0; i < NODES; i++)
                if (placed[i] != each)
                        fail_msg("%zu, %zu, %zu", placed[0], placed[1], placed[2]);
}

static void set_is_known(void **state) {
        size_t placed[NODES] = { 0 };
        put_set(*state, "r", "a");
        run_pods(*state, "r", 0, 12, placed);
        expect(placed, 4);
}

/* The first pods come before the news of their ReplicaSet, as with several watches they may. */
static void set_comes_later(void **state) {
        size_t placed[NODES] = { 0 };
        run_pods(*state, "r", 0, 5, placed);
        assert_int_equal(placed[0], 5);
        put_set(*state, "r", "a");
        run_pods(*state, "r", 5, 10, placed);
        expect(placed, 5);
}

static void service_comes_later(void **state) {
        size_t placed[NODES] = { 0 };
        run_pods(*state, "r", 0, 5, placed);
        put_in_cache(*state, CACHED_SERVICE,
                     "{\"metadata\":{\"namespace\":\"default\",\"name\":\"s\"},\"spec\":{"
                     "\"selector\":{\"app\":\"a\"}}}");
        run_pods(*state, "r", 5, 10, placed);
        expect(placed, 5);
}

/* Pods that are alike but for their ReplicaSet; one of the two is not known. */
static void alike_but_for_the_set(void **state) {
        size_t known[NODES] = { 0 }, unknown[NODES] = { 0 };
        put_set(*state, "r", "a");
        for (int i = 0; i < 4; i++) {
                run_pods(*state, "r", 3 * i, 3, known);
                run_pods(*state, "other", 3 * i, 3, unknown);
        }
        assert_int_equal(unknown[0], 12);
        assert_int_equal(known[0], 1); /* before the others, which count too, are there */
        assert_true(known[1] + known[2] == 11 && (known[1] == 5 || known[1] == 6));
}

/* The set goes, or its selector comes to mean something else. */
static void set_changes(void **state) {
        struct spread_test *own = *state;
        size_t placed[NODES] = { 0 }, later[NODES] = { 0 }, last[NODES] = { 0 };
        put_set(own, "r", "a");
        run_pods(own, "r", 0, 6, placed);
        expect(placed, 2);
        put_set(own, "r", "b");
        run_pods(own, "r", 6, 6, later);
        assert_int_equal(later[0], 6);
        object_cache_remove(own->object_cache, CACHED_REPLICA_SET, SLICE_LITERAL("default"),
                            SLICE_LITERAL("r"));
        run_pods(own, "r", 12, 6, last);
        assert_int_equal(last[0], 6);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(set_is_known, set_up, tear_down),
                cmocka_unit_test_setup_teardown(set_comes_later, set_up, tear_down),
                cmocka_unit_test_setup_teardown(service_comes_later, set_up, tear_down),
                cmocka_unit_test_setup_teardown(alike_but_for_the_set, set_up, tear_down),
                cmocka_unit_test_setup_teardown(set_changes, set_up, tear_down),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
