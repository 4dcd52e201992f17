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

/* By rank, then age, then as heard of; one that is full holds up nobody else. */
static void test_line(void **state) {
        static const struct eviction_slot_holder here = { SLICE_INIT("a"), SLICE_INIT("n0"),
                                                          SLICE_INIT("") },
                                                 there = { SLICE_INIT("a"), SLICE_INIT("n1"),
                                                           SLICE_INIT("") };
        struct eviction_demand demands[] = {
                { .holder = here, .rank = EVICTION_RANK_DESCHEDULE, .since_ns = 1, .serial = 1 },
                { .holder = here, .rank = EVICTION_RANK_REBOOT, .since_ns = 9, .serial = 5 },
                { .holder = here, .rank = EVICTION_RANK_OTHER, .since_ns = 2, .serial = 4 },
                { .holder = here, .rank = EVICTION_RANK_REBOOT, .since_ns = 9, .serial = 2 },
                { .holder = there, .rank = EVICTION_RANK_DESCHEDULE, .since_ns = 8, .serial = 3 },
        };
        static const uint64_t order[] = { 2, 5, 4, 1, 3 };
        struct eviction_slots *slots =
                eviction_slots_new(&(struct eviction_slot_limits){ .node = 1 });

        (void)state;
        eviction_slots_line_up(slots, demands, ARRAY_LEN(demands));
        for (size_t i = 0; i < ARRAY_LEN(order); i++) {
                bool is_in = order[i] == 2 || order[i] == 3;

                assert_int_equal(demands[i].serial, order[i]);
                assert_int_equal(demands[i].refusal,
                                 is_in ? EVICTION_SLOT_FREE : EVICTION_SLOT_NO_NODE);
        }
        eviction_slots_free(slots);
}

/* Waits for its node and for its namespace, which others would take one after the other. */
static void test_overdue_one_claims(void **state) {
        static const struct eviction_slot_holder both = { SLICE_INIT("a"), SLICE_INIT("n0"),
                                                          SLICE_INIT("") },
                                                 other = { SLICE_INIT("b"), SLICE_INIT("n0"),
                                                           SLICE_INIT("") },
                                                 holder = { SLICE_INIT("a"), SLICE_INIT("n1"),
                                                            SLICE_INIT("") };

        (void)state;
        for (int is_overdue = 0; is_overdue < 2; is_overdue++) {
                struct eviction_demand demands[] = {
                        { .holder = both, .since_ns = 1, .is_overdue = is_overdue },
                        { .holder = other, .since_ns = 2 },
                };
                struct eviction_slots *slots =
                        eviction_slots_new(&(struct eviction_slot_limits){ .node = 1, .ns = 1 });

                eviction_slots_hold(slots, &holder);
                eviction_slots_line_up(slots, demands, 2);
                assert_int_equal(demands[0].refusal, EVICTION_SLOT_NO_NAMESPACE);
                assert_int_equal(demands[1].refusal,
                                 is_overdue ? EVICTION_SLOT_NO_NODE : EVICTION_SLOT_FREE);
                eviction_slots_free(slots);
        }
}

static void test_ranks(void **state) {
        static const struct {
                const char *requester;
                enum eviction_rank expected;
        } cases[] = {
                { "reboot.berth.dev/drain", EVICTION_RANK_REBOOT },
                { "evict.berth.dev/cli", EVICTION_RANK_REBOOT },
                { "kured", EVICTION_RANK_REBOOT },
                { "descheduler.berth.dev/evict", EVICTION_RANK_DESCHEDULE },
                { "sigs.k8s.io/descheduler", EVICTION_RANK_DESCHEDULE },
                { "autoscaler.example.com/down", EVICTION_RANK_OTHER },
                { "", EVICTION_RANK_OTHER },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++)
                assert_int_equal(eviction_rank_of(slice_of(cases[i].requester)), cases[i].expected);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_each_limit),         cmocka_unit_test(test_held),
                cmocka_unit_test(test_any_sequence),       cmocka_unit_test(test_line),
                cmocka_unit_test(test_overdue_one_claims), cmocka_unit_test(test_ranks),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
