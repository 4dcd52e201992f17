/* Slots of evictions: each limit alone, the order they are looked at, and that no sequence of
 * takes gets past any of them. */
#include "base/rng.h"
#include "base/util.h"
#include "evict/eviction_slots.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define FIRST                                                                                      \
        { SLICE_INIT("a"), SLICE_INIT("n0"), SLICE_INIT("ReplicaSet/r") }

static void test_each_limit(void **state) {
        static const struct eviction_slot_holder first = FIRST;
        static const struct {
                struct eviction_slot_limits limits;
                struct eviction_slot_holder second;
                enum eviction_slot_refusal expected;
        } cases[] = {
                { { 0, 0, 0, 0 }, FIRST, EVICTION_SLOT_FREE },
                { { 2, 2, 2, 2 }, FIRST, EVICTION_SLOT_FREE },
                { { 1, 1, 1, 1 }, FIRST, EVICTION_SLOT_NO_TOTAL },
                { { 2, 1, 1, 1 }, FIRST, EVICTION_SLOT_NO_NODE },
                { { 2, 2, 1, 1 }, FIRST, EVICTION_SLOT_NO_NAMESPACE },
                { { 2, 2, 2, 1 }, FIRST, EVICTION_SLOT_NO_OWNER },
                { { 2, 1, 2, 1 },
                  { SLICE_INIT("a"), SLICE_INIT("n1"), SLICE_INIT("ReplicaSet/s") },
                  EVICTION_SLOT_FREE },
                /* an owner of that name in another namespace; pods without owner or node */
                { { 2, 2, 1, 1 },
                  { SLICE_INIT("b"), SLICE_INIT("n0"), SLICE_INIT("ReplicaSet/r") },
                  EVICTION_SLOT_FREE },
                { { 2, 1, 2, 1 },
                  { SLICE_INIT("a"), SLICE_INIT(""), SLICE_INIT("") },
                  EVICTION_SLOT_FREE },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct eviction_slots *slots = eviction_slots_new(&cases[i].limits);

                assert_int_equal(eviction_slots_take(slots, &first), EVICTION_SLOT_FREE);
                if (eviction_slots_take(slots, &cases[i].second) != cases[i].expected)
                        fail_msg("case %zu", i);
                eviction_slots_free(slots);
        }
}

/* What holds a slot anyhow is counted, and others wait for it. */
static void test_held(void **state) {
        static const struct eviction_slot_holder pod = { SLICE_INIT("a"), SLICE_INIT("n0"),
                                                         SLICE_INIT("") };
        struct eviction_slots *slots =
                eviction_slots_new(&(struct eviction_slot_limits){ .total = 2 });

        (void)state;
        for (int i = 0; i < 3; i++)
                eviction_slots_hold(slots, &pod);
        assert_int_equal(eviction_slots_take(slots, &pod), EVICTION_SLOT_NO_TOTAL);
        assert_string_equal(eviction_slot_refusal_text(EVICTION_SLOT_NO_TOTAL), "of the cluster");
        eviction_slots_free(slots);
}

#define NODES 4
#define NAMESPACES 3
#define OWNERS 5

struct counts {
        uint32_t total, nodes[NODES], namespaces[NAMESPACES], owners[NAMESPACES][OWNERS];
};

static bool fits(uint32_t count, uint32_t limit) {
        return limit == 0 || count < limit;
}

/* Against plain counting: takes exactly when every limit has room. */
static void test_any_sequence(void **state) {
        static const struct slice nodes[NODES] = { SLICE_INIT("n0"), SLICE_INIT("n1"),
                                                   SLICE_INIT("n2"), SLICE_INIT("n3") };
        static const struct slice namespaces[NAMESPACES] = { SLICE_INIT("a"), SLICE_INIT("b"),
                                                             SLICE_INIT("c") };
        static const struct slice owners[OWNERS] = { SLICE_INIT("R/0"), SLICE_INIT("R/1"),
                                                     SLICE_INIT("R/2"), SLICE_INIT("R/3"),
                                                     SLICE_INIT("R/4") };

        (void)state;
        for (uint64_t seed = 1; seed <= 200; seed++) {
                struct rng rng;
                struct counts counts = { 0 };
                struct eviction_slot_limits limits;
                struct eviction_slots *slots;

                rng_init(&rng, seed);
                limits = (struct eviction_slot_limits){ .total = (uint32_t)rng_below(&rng, 20),
                                                        .node = (uint32_t)rng_below(&rng, 6),
                                                        .ns = (uint32_t)rng_below(&rng, 6),
                                                        .owner = (uint32_t)rng_below(&rng, 3) };
                slots = eviction_slots_new(&limits);
                for (int step = 0; step < 60; step++) {
                        size_t node = rng_below(&rng, NODES), ns = rng_below(&rng, NAMESPACES);
                        size_t owner = rng_below(&rng, OWNERS);
                        bool is_free = fits(counts.total, limits.total) &&
                                       fits(counts.nodes[node], limits.node) &&
                                       fits(counts.namespaces[ns], limits.ns) &&
                                       fits(counts.owners[ns][owner], limits.owner);
                        struct eviction_slot_holder holder = { namespaces[ns], nodes[node],
                                                               owners[owner] };

                        if ((eviction_slots_take(slots, &holder) == EVICTION_SLOT_FREE) != is_free)
                                fail_msg("seed %llu, step %d", (unsigned long long)seed, step);
                        counts.total += is_free;
                        counts.nodes[node] += is_free;
                        counts.namespaces[ns] += is_free;
                        counts.owners[ns][owner] += is_free;
                }
                eviction_slots_free(slots);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_each_limit),
                cmocka_unit_test(test_held),
                cmocka_unit_test(test_any_sequence),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
