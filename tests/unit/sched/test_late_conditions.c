/* How often the condition of a waiting pod is written when its text changes over and over. */
#include "sched_test.h"

#define GAP_NS (10 * NS_PER_S)
#define MANY 300

static int setup(void **state) {
        struct sched_test *test = xcalloc(1, sizeof(*test));
        sched_test_init(test, NULL);
        put_node(test, "n1", 1000);
        *state = test;
        return 0;
}

static int setup_parity(void **state) {
        struct sched_test *test = xcalloc(1, sizeof(*test));
        sched_test_init(test, &(struct scheduler_config){ .is_parity = true });
        put_node(test, "n1", 1000);
        *state = test;
        return 0;
}

static int teardown(void **state) {
        sched_test_release(*state);
        free(*state);
        return 0;
}

/* A node with capacity for a waiting pod, and a taint against it: it tries again, and its text
 * counts one node more. */
static void put_tainted(struct sched_test *test, int number) {
        apply(test, OBJECT_NODE, CHANGE_ADDED,
              "{\"metadata\":{\"name\":\"t%d\"},\"spec\":{\"taints\":[{\"key\":\"k\",\"effect\":"
              "\"NoSchedule\"}]},\"status\":{\"allocatable\":{\"cpu\":\"64\",\"memory\":\"32Gi\","
              "\"pods\":\"110\"}}}",
              number);
}

static size_t writes_of(struct sched_test *test) {
        step(test);
        return count_actions(test, ACTION_POD_STATUS);
}

static void expect_text(const struct sched_test *test, const char *prefix) {
        const struct action *status = find_action(test, ACTION_POD_STATUS, "p");
        assert_non_null(status);
        assert_true(status->status.sets_condition);
        assert_true(slice_is(status->status.reason, "Unschedulable"));
        assert_true(slice_has_prefix(status->status.message, slice_of(prefix)));
}

/* p waits, its condition is written, and a text that differs is to be written later. */
static void make_late(struct sched_test *test) {
        put_pod(test, "p", 2000, "");
        assert_int_equal(writes_of(test), 1);
        answer(test, ACTION_POD_STATUS, "p", BERTH_OK);
        put_tainted(test, 0);
        assert_int_equal(writes_of(test), 0);
}

static void test_of_many_texts_the_last_is_written(void **state) {
        struct sched_test *test = *state;
        struct mono_time due;
        int64_t start_ns = test->now_ns;
        make_late(test);
        for (int i = 1; i < 30; i++) {
                test->now_ns += 20 * NS_PER_MS;
                put_tainted(test, i);
                assert_int_equal(step(test).decisions, 1);
                assert_int_equal(count_actions(test, ACTION_POD_STATUS), 0);
        }
        assert_true(scheduler_next_due(test->scheduler, &due));
        assert_true(due.ns <= start_ns + GAP_NS);
        test->now_ns = start_ns + GAP_NS;
        assert_int_equal(writes_of(test), 1);
        expect_text(test, "0/31 nodes are available: 1 Insufficient cpu, 30 node(s)");
        test->now_ns += GAP_NS;
        assert_int_equal(writes_of(test), 0);
}

static void test_text_after_a_pause_is_written_at_once(void **state) {
        struct sched_test *test = *state;
        put_pod(test, "p", 2000, "");
        assert_int_equal(writes_of(test), 1);
        test->now_ns += GAP_NS;
        put_tainted(test, 0);
        assert_int_equal(writes_of(test), 1);
        expect_text(test, "0/2 nodes");
}

static void test_text_that_is_written_already_is_not(void **state) {
        struct sched_test *test = *state;
        put_tainted(test, 1);
        make_late(test);
        apply(test, OBJECT_NODE, CHANGE_REMOVED, "{\"metadata\":{\"name\":\"t0\"}}");
        apply(test, OBJECT_NODE, CHANGE_REMOVED, "{\"metadata\":{\"name\":\"t1\"}}");
        put_tainted(test, 2); /* as it was before t0 came */
        assert_int_equal(step(test).decisions, 1);
        test->now_ns += GAP_NS;
        assert_int_equal(writes_of(test), 0);
}

static void test_pod_that_is_placed_needs_none(void **state) {
        struct sched_test *test = *state;
        make_late(test);
        put_node(test, "big", 4000);
        assert_int_equal(writes_of(test), 0);
        assert_non_null(find_action(test, ACTION_BIND, "p"));
        test->now_ns += GAP_NS;
        assert_int_equal(writes_of(test), 0);
}

/* The reason is another one: that matters. */
static void test_refused_bind_is_written_at_once(void **state) {
        struct sched_test *test = *state;
        make_late(test);
        put_node(test, "big", 4000);
        step(test);
        answer(test, ACTION_BIND, "p", BERTH_ERR_FORBIDDEN);
        const struct action *status = find_action(test, ACTION_POD_STATUS, "p");
        assert_non_null(status);
        assert_true(slice_is(status->status.reason, "SchedulerError"));
        apply(test, OBJECT_NODE, CHANGE_REMOVED, "{\"metadata\":{\"name\":\"big\"}}");
        test->now_ns += 2 * NS_PER_S;
        assert_int_equal(writes_of(test), 1);
        expect_text(test, "0/2 nodes");
}

static void test_pod_that_is_gone_needs_none(void **state) {
        struct sched_test *test = *state;
        make_late(test);
        apply(test, OBJECT_POD, CHANGE_REMOVED,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"p\",\"uid\":\"uid-p\"}}");
        test->now_ns += GAP_NS;
        assert_int_equal(writes_of(test), 0);
}

static void test_failed_write_is_repeated_with_the_next_text(void **state) {
        struct sched_test *test = *state;
        put_pod(test, "p", 2000, "");
        step(test);
        answer(test, ACTION_POD_STATUS, "p", BERTH_ERR_UNAVAILABLE);
        put_tainted(test, 0);
        assert_int_equal(writes_of(test), 1);
}

static void test_many_pods_share_a_rate(void **state) {
        struct sched_test *test = *state;
        char name[16];
        for (int i = 0; i < MANY; i++) {
                snprintf(name, sizeof(name), "p%d", i);
                put_pod(test, name, 2000, "");
        }
        /* The first condition of each matters. */
        assert_int_equal(writes_of(test), MANY);
        test->now_ns += 2 * GAP_NS;
        put_tainted(test, 0);
        size_t total = writes_of(test), largest = 0;
        assert_int_equal(total, 20);
        for (int second = 0; second < 28; second++) {
                test->now_ns += NS_PER_S;
                size_t count = writes_of(test);
                largest = count > largest ? count : largest;
                total += count;
        }
        assert_int_equal(largest, 10);
        assert_int_equal(total, MANY);
        test->now_ns += GAP_NS;
        assert_int_equal(writes_of(test), 0);
}

/* However often it changes: the rate is not exceeded, and no pod is left out. */
static void test_constant_change_leaves_no_pod_out(void **state) {
        struct sched_test *test = *state;
        unsigned counts[30] = { 0 };
        char name[16];
        for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
                snprintf(name, sizeof(name), "p%zu", i);
                put_pod(test, name, 2000, "");
        }
        step(test);
        for (int i = 0; i < 100; i++) { /* 50 s */
                test->now_ns += NS_PER_S / 2;
                put_tainted(test, i);
                step(test);
                for (size_t k = 0; k < ARRAY_LEN(counts); k++) {
                        snprintf(name, sizeof(name), "p%zu", k);
                        counts[k] += find_action(test, ACTION_POD_STATUS, name) != NULL;
                }
        }
        for (size_t k = 0; k < ARRAY_LEN(counts); k++)
                assert_in_range(counts[k], 4, 5);
}

static void test_parity_writes_each_text(void **state) {
        struct sched_test *test = *state;
        put_pod(test, "p", 2000, "");
        assert_int_equal(writes_of(test), 1);
        put_tainted(test, 0);
        test->now_ns += 2 * NS_PER_S;
        assert_int_equal(writes_of(test), 1);
}

/* With the condition of an earlier scheduler. */
static size_t events_of_known(struct sched_test *test, const char *message) {
        apply(test, OBJECT_POD, CHANGE_ADDED,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"k\",\"uid\":\"uid-k\"},"
              "\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\",\"resources\":{"
              "\"requests\":{\"cpu\":\"2000m\"}}}]},\"status\":{\"conditions\":[{\"type\":"
              "\"PodScheduled\",\"status\":\"False\",\"reason\":\"Unschedulable\",\"message\":"
              "\"%s\"}]}}",
              message);
        step(test);
        return count_actions(test, ACTION_RECORD_EVENT);
}

#define SAID                                                                                       \
        "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: "   \
        "0/1 nodes are available: 1 Preemption is not helpful for scheduling."

/* A new leader does not say again of all waiting pods what the last one said. */
static void test_what_was_said_before_is_not_an_event(void **state) {
        struct sched_test *test = *state;
        assert_int_equal(events_of_known(test, SAID), 0);
        assert_int_equal(count_actions(test, ACTION_POD_STATUS), 0);
        test->now_ns += 301 * NS_PER_S; /* tried again */
        assert_int_equal(step(test).decisions, 1);
        assert_int_equal(count_actions(test, ACTION_RECORD_EVENT), 1);
}

static void test_another_text_is_an_event(void **state) {
        assert_int_equal(events_of_known(*state, "0/2 nodes are available"), 1);
}

static void test_parity_says_it_again(void **state) {
        assert_int_equal(events_of_known(*state, SAID), 1);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void) {
        const struct CMUnitTest tests[] = {
                TEST(test_of_many_texts_the_last_is_written),
                TEST(test_text_after_a_pause_is_written_at_once),
                TEST(test_text_that_is_written_already_is_not),
                TEST(test_pod_that_is_placed_needs_none),
                TEST(test_refused_bind_is_written_at_once),
                TEST(test_pod_that_is_gone_needs_none),
                TEST(test_failed_write_is_repeated_with_the_next_text),
                TEST(test_many_pods_share_a_rate),
                TEST(test_constant_change_leaves_no_pod_out),
                TEST(test_what_was_said_before_is_not_an_event),
                TEST(test_another_text_is_an_event),
                cmocka_unit_test_setup_teardown(test_parity_writes_each_text, setup_parity,
                                                teardown),
                cmocka_unit_test_setup_teardown(test_parity_says_it_again, setup_parity, teardown),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
