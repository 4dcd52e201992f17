/* Durations of stages: what is expected from how many samples (case I2), and how they are kept. */
#include "evict/eviction_history.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define NOW ((struct wall_time){ 1767225600LL * NS_PER_S })
#define FALLBACK_NS (300 * NS_PER_S)

static const struct history_key vm_a = { SLICE_INIT("d/vm"), SLICE_INIT("VM/a"),
                                         SLICE_INIT("move") };
static const struct history_key vm_b = { SLICE_INIT("d/vm"), SLICE_INIT("VM/b"),
                                         SLICE_INIT("move") };

static struct history_estimate of(const struct eviction_history *history,
                                  const struct history_key *key, struct wall_time now) {
        return eviction_history_estimate(history, key, FALLBACK_NS, now);
}

static void I2_four_and_five_samples(void **state) {
        struct eviction_history *history = eviction_history_new();
        struct history_estimate estimate;

        (void)state;
        for (int64_t i = 1; i <= 4; i++)
                eviction_history_add(history, &vm_a, i * NS_PER_S, NOW);
        estimate = of(history, &vm_a, NOW);
        assert_int_equal(estimate.count, 0);
        assert_int_equal(estimate.p50_ns, FALLBACK_NS);
        eviction_history_add(history, &vm_b, 100 * NS_PER_S, NOW);
        estimate = of(history, &vm_a, NOW); /* the policy has five by now */
        assert_int_equal(estimate.count, 5);
        assert_int_equal(estimate.p50_ns, 3 * NS_PER_S);
        assert_int_equal(estimate.p95_ns, 100 * NS_PER_S);
        eviction_history_add(history, &vm_a, 5 * NS_PER_S, NOW);
        estimate = of(history, &vm_a, NOW); /* and so has the owner */
        assert_int_equal(estimate.count, 5);
        assert_int_equal(estimate.p50_ns, 3 * NS_PER_S);
        assert_int_equal(estimate.p95_ns, 5 * NS_PER_S);
        eviction_history_free(history);
}

static void test_last_64(void **state) {
        struct eviction_history *history = eviction_history_new();
        struct history_estimate estimate;

        (void)state;
        for (int64_t i = 1; i <= 164; i++)
                eviction_history_add(history, &vm_a, i * NS_PER_S, NOW);
        estimate = of(history, &vm_a, NOW);
        assert_int_equal(estimate.count, 64);
        assert_int_equal(estimate.p50_ns, 132 * NS_PER_S);
        assert_int_equal(estimate.p95_ns, 161 * NS_PER_S);
        eviction_history_free(history);
}

static void test_old_ones(void **state) {
        struct eviction_history *history = eviction_history_new();
        struct wall_time later = { NOW.ns + HISTORY_AGE_NS + NS_PER_S };

        (void)state;
        for (int64_t i = 1; i <= 10; i++)
                eviction_history_add(history, &vm_a, i * NS_PER_S, NOW);
        assert_int_equal(of(history, &vm_a, NOW).count, 10);
        assert_int_equal(of(history, &vm_a, later).count, 0);
        eviction_history_free(history);
}

static void test_stored(void **state) {
        struct eviction_history *history = eviction_history_new(), *copy = eviction_history_new();
        struct buf text = { 0 }, again = { 0 };
        struct json_doc *doc = NULL;

        (void)state;
        for (int64_t i = 1; i <= 70; i++)
                eviction_history_add(history, &vm_a, i * NS_PER_S, NOW);
        eviction_history_write(history, &text);
        assert_int_equal(json_parse(buf_view(&text), &doc, NULL), 0);
        eviction_history_read(copy, json_doc_root(doc));
        eviction_history_write(copy, &again);
        assert_string_equal(text.data, again.data);
        assert_true(eviction_history_version(copy) > 0);
        json_doc_free(doc);
        assert_int_equal(json_parse(SLICE_LITERAL("{\"x\":[[1],[-1,2],3],\"y\":7}"), &doc, NULL),
                         0);
        eviction_history_read(copy, json_doc_root(doc)); /* nothing of use */
        eviction_history_read(copy, NULL);
        json_doc_free(doc);
        buf_release(&text);
        buf_release(&again);
        eviction_history_free(history);
        eviction_history_free(copy);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                { "evict-I2: four samples and five", I2_four_and_five_samples, NULL, NULL, NULL },
                cmocka_unit_test(test_last_64),
                cmocka_unit_test(test_old_ones),
                cmocka_unit_test(test_stored),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
