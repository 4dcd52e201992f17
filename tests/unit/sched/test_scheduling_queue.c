/* The three-part queue by itself: order, back-off, parking. */
#include "sched/scheduling_queue.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static bool is_before(int32_t a_priority, int64_t a_ns, int32_t b_priority, int64_t b_ns) {
        return a_priority != b_priority ? a_priority > b_priority : a_ns < b_ns;
}

static void init(struct scheduling_queue *queue) {
        *queue = (struct scheduling_queue){ .initial_ns = NS_PER_S,
                                            .max_ns = 10 * NS_PER_S,
                                            .timeout_ns = 300 * NS_PER_S,
                                            .is_before = is_before };
        scheduling_queue_init(queue);
}

static struct queued_pod *add(struct scheduling_queue *queue, uint32_t index, int32_t priority,
                              int64_t now_ns) {
        struct queued_pod *entry = scheduling_queue_add(queue, (struct pod_id){ index }, now_ns);
        entry->priority = priority;
        return entry;
}

static void test_order(void **state) {
        (void)state;
        struct scheduling_queue queue;
        init(&queue);
        for (uint32_t i = 0; i < 4; i++)
                scheduling_queue_activate(&queue, add(&queue, i, i == 2 ? 5 : 0, 100 - i % 2));
        static const uint32_t wanted[] = { 2, 1, 3, 0 };
        for (size_t i = 0; i < 4; i++)
                assert_int_equal(scheduling_queue_pop(&queue, 1)->pod.index, wanted[i]);
        assert_null(scheduling_queue_pop(&queue, 1));
        scheduling_queue_release(&queue);
}

static void test_backoff_lengths(void **state) {
        (void)state;
        static const int64_t seconds[] = { 0, 1, 2, 4, 8, 10, 10 };
        struct scheduling_queue queue;
        init(&queue);
        for (uint32_t count = 0; count < 7; count++) {
                struct queued_pod entry = { .rejections = count };
                assert_int_equal(scheduling_queue_backoff_ns(&queue, &entry),
                                 seconds[count] * NS_PER_S);
        }
        struct queued_pod failing = { .rejections = 5, .errors = 2 };
        assert_int_equal(scheduling_queue_backoff_ns(&queue, &failing), 2 * NS_PER_S);
        struct queued_pod hopeless = { .errors = 1000 };
        assert_int_equal(scheduling_queue_backoff_ns(&queue, &hopeless), 10 * NS_PER_S);
        scheduling_queue_release(&queue);
}

/* A rejected pod that was moved is popped at once when nobody else is ready; a failing one waits.
 */
static void test_pop_from_backoff(void **state) {
        (void)state;
        struct scheduling_queue queue;
        int64_t now = 100 * NS_PER_S + 700 * NS_PER_MS, due;
        init(&queue);
        struct queued_pod *rejected = add(&queue, 0, 0, now), *failing = add(&queue, 1, 9, now);
        scheduling_queue_return(&queue, rejected, false, now);
        assert_int_equal(rejected->part, QUEUE_UNSCHEDULABLE);
        scheduling_queue_return(&queue, failing, true, now);
        assert_int_equal(failing->part, QUEUE_BACKOFF);
        assert_false(scheduling_queue_has_ready(&queue));
        scheduling_queue_move(&queue, rejected, now);
        assert_int_equal(rejected->part, QUEUE_BACKOFF);
        assert_ptr_equal(scheduling_queue_pop(&queue, 1), rejected);
        assert_null(scheduling_queue_pop(&queue, 1));
        assert_true(scheduling_queue_next_due(&queue, &due));
        assert_int_equal(due, 102 * NS_PER_S); /* 1 s later, on the next whole second */
        scheduling_queue_flush(&queue, due - 1);
        assert_int_equal(failing->part, QUEUE_BACKOFF);
        scheduling_queue_flush(&queue, due);
        assert_int_equal(failing->part, QUEUE_ACTIVE);
        scheduling_queue_release(&queue);
}

static void test_same_second_by_priority(void **state) {
        (void)state;
        struct scheduling_queue queue;
        init(&queue);
        struct queued_pod *low = add(&queue, 0, 1, 0), *high = add(&queue, 1, 9, 0);
        scheduling_queue_return(&queue, low, true, 10 * NS_PER_S + 1);
        scheduling_queue_return(&queue, high, true, 10 * NS_PER_S + 900 * NS_PER_MS);
        scheduling_queue_flush(&queue, 12 * NS_PER_S);
        assert_ptr_equal(scheduling_queue_pop(&queue, 1), high);
        assert_ptr_equal(scheduling_queue_pop(&queue, 1), low);
        scheduling_queue_release(&queue);
}

static void test_parked_pods_come_back(void **state) {
        (void)state;
        struct scheduling_queue queue;
        int64_t due;
        init(&queue);
        struct queued_pod *parked = add(&queue, 0, 0, 0), *gated = add(&queue, 1, 0, 0);
        scheduling_queue_park(&queue, gated, true);
        assert_false(scheduling_queue_next_due(&queue, &due));
        scheduling_queue_return(&queue, parked, false, 0);
        assert_true(scheduling_queue_next_due(&queue, &due));
        assert_null(scheduling_queue_overdue(&queue, due - 1));
        assert_ptr_equal(scheduling_queue_overdue(&queue, due), parked);
        scheduling_queue_move(&queue, parked, due);
        assert_int_equal(parked->part, QUEUE_ACTIVE);
        assert_null(scheduling_queue_overdue(&queue, 2 * due)); /* gated ones are not */
        assert_int_equal(gated->part, QUEUE_UNSCHEDULABLE);
        assert_int_equal(queue.gated.count, 1);
        scheduling_queue_remove(&queue, gated);
        assert_null(scheduling_queue_find(&queue, (struct pod_id){ 1 }));
        scheduling_queue_release(&queue);
}

static void test_returns_behind_fresh_pods(void **state) {
        (void)state;
        struct scheduling_queue queue;
        init(&queue);
        struct queued_pod *failed = add(&queue, 0, 0, 0);
        scheduling_queue_activate(&queue, failed);
        assert_ptr_equal(scheduling_queue_pop(&queue, 1), failed);
        struct queued_pod *fresh = add(&queue, 1, 0, 5 * NS_PER_S);
        scheduling_queue_activate(&queue, fresh);
        scheduling_queue_return(&queue, failed, false, 6 * NS_PER_S);
        scheduling_queue_activate(&queue, failed);
        assert_ptr_equal(scheduling_queue_pop(&queue, 1), fresh);
        assert_ptr_equal(scheduling_queue_pop(&queue, 1), failed);
        scheduling_queue_release(&queue);
}

#define CASE(label, test)                                                                          \
        { label, test, NULL, NULL, NULL }

int main(void) {
        const struct CMUnitTest tests[] = {
                CASE("sched-084 priority, then age", test_order),
                CASE("sched-084 lengths of back-offs", test_backoff_lengths),
                CASE("sched-086 out of back-off, not after errors", test_pop_from_backoff),
                CASE("sched-085 by priority in one second", test_same_second_by_priority),
                cmocka_unit_test(test_parked_pods_come_back),
                CASE("sched-087 behind fresh pods", test_returns_behind_fresh_pods),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
