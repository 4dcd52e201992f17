/* Devices counted once and again where something changed, against counting all of them anew. */
#include "../quoted_objects.h"
#include "base/rng.h"
#include "plugins/sched/device_tally.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define NODES 5
#define SHARED NODES /* the pool of all nodes of a zone */
#define EVENTS 400

struct tally_test {
        struct cluster *cluster;
        struct object_cache *object_cache;
        struct arena scratch;
        struct rng rng;
};

static size_t draw(struct tally_test *test, size_t bound) {
        return (size_t)rng_below(&test->rng, bound);
}

__attribute__((format(printf, 3, 4))) static void put(struct tally_test *test,
                                                      enum cached_kind cached, const char *format,
                                                      ...) {
        char text[1024];
        va_list args;

        va_start(args, format);
        vsnprintf(text, sizeof(text), format, args);
        va_end(args);
        put_quoted_object(test->cluster, test->object_cache,
                          &(struct quoted_object){ cached == CACHED_KIND_COUNT ? OBJECT_NODE
                                                                               : OBJECT_KIND_COUNT,
                                                   cached, text });
}

static void put_node(struct tally_test *test, size_t i) {
        put(test, CACHED_KIND_COUNT,
            "{'metadata':{'name':'n%zu','labels':{'zone':'%c'}},'status':{'allocatable':{'cpu':'1'"
            "}}}",
            i, "ab"[draw(test, 2)]);
}

static void put_slice(struct tally_test *test, size_t i) {
        char where[160];

        snprintf(where, sizeof(where),
                 i == SHARED ? "'nodeSelector':{'nodeSelectorTerms':[{'matchExpressions':[{'key':"
                               "'zone','operator':'In','values':['a']}]}]}"
                             : "'nodeName':'n%zu'",
                 i);
        put(test, CACHED_RESOURCE_SLICE,
            "{'metadata':{'name':'s%zu'},'spec':{'driver':'d',%s,'pool':{'name':'p%zu',"
            "'generation':1,'resourceSliceCount':1},'devices':[{'name':'d0'},{'name':'d1'}%s]}}",
            i, where, i, draw(test, 2) ? ",{'name':'d2'}" : "");
}

static void change_something(struct tally_test *test) {
        char name[16];

        snprintf(name, sizeof(name), "h%zu", draw(test, 6));
        switch (draw(test, 8)) {
        case 0:
                put_node(test, draw(test, NODES));
                return;
        case 1:
                put_slice(test, draw(test, NODES + 1));
                return;
        case 2:
        case 3:
                object_cache_remove(test->object_cache, CACHED_RESOURCE_CLAIM,
                                    SLICE_LITERAL("default"), slice_of(name));
                return;
        default:
                put(test, CACHED_RESOURCE_CLAIM,
                    "{'metadata':{'namespace':'default','name':'%s'},'spec':{'devices':{}},'status'"
                    ":{'allocation':{'devices':{'results':[{'request':'q','driver':'d','pool':"
                    "'p%zu','device':'d%zu'}]}}}}",
                    name, draw(test, NODES + 1), draw(test, 3));
        }
}

static void compare(struct tally_test *test, struct device_tally *lasting) {
        const struct device_gates gates = device_gates_standard();
        const struct sched_cycle cycle = { .cluster = test->cluster,
                                           .scratch = &test->scratch,
                                           .object_cache = test->object_cache };
        struct device_tally *fresh = device_tally_new(&gates);
        struct slice class_name = draw(test, 4) ? SLICE_LITERAL("gpu") : SLICE_LITERAL("none");
        struct tally_row *known = device_tally_row(lasting, &cycle, class_name);
        struct tally_row *again = device_tally_row(fresh, &cycle, class_name);

        for (uint32_t i = 0; i < NODES; i++) {
                int64_t count = -1, allocated = -1, all = -1, taken = -1;

                device_tally_of(lasting, &cycle, known, (struct node_id){ i }, &count, &allocated);
                device_tally_of(fresh, &cycle, again, (struct node_id){ i }, &all, &taken);
                assert_int_equal(count, all);
                assert_int_equal(allocated, taken);
        }
        device_tally_free(fresh);
        arena_clear(&test->scratch);
}

static void test_counts_as_anew(void **state) {
        struct tally_test test = { .cluster = cluster_new(&(struct cluster_config){ 0 }),
                                   .object_cache = object_cache_new() };
        const struct device_gates gates = device_gates_standard();
        struct device_tally *lasting = device_tally_new(&gates);

        (void)state;
        rng_init(&test.rng, 1);
        arena_init(&test.scratch, 0);
        put(&test, CACHED_DEVICE_CLASS, "{'metadata':{'name':'gpu'},'spec':{}}");
        for (size_t i = 0; i < NODES; i++)
                put_node(&test, i);
        for (size_t i = 0; i <= SHARED; i++)
                put_slice(&test, i);
        for (size_t i = 0; i < EVENTS; i++) {
                change_something(&test);
                compare(&test, lasting);
        }
        device_tally_free(lasting);
        arena_release(&test.scratch);
        object_cache_free(test.object_cache);
        cluster_free(test.cluster);
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_counts_as_anew) };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
