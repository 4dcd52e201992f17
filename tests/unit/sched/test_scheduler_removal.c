/* Victims while their deletion is under way: nobody asks twice or takes more than is needed, and a
 * deletion that comes to nothing is noticed. */
#include "sched_test.h"

#define PATIENCE_NS (30 * NS_PER_S)
#define LOW "\"nodeName\":\"n1\","
#define HIGH "\"priority\":100,"

static int setup(void **state) {
        struct sched_test *test = xcalloc(1, sizeof(*test));
        sched_test_init(test, NULL);
        put_node(test, "n1", 2000);
        *state = test;
        return 0;
}

static int teardown(void **state) {
        sched_test_release(*state);
        free(*state);
        return 0;
}

static void put_gone(struct sched_test *test, const char *name) {
        apply(test, OBJECT_POD, CHANGE_REMOVED,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"%s\",\"uid\":\"uid-%s\"}}", name,
              name);
}

/* Of a pod, as put_pod makes it. */
#define TARGET(pod)                                                                                \
        { SLICE_INIT("Pod"), SLICE_INIT("default"), SLICE_INIT(pod), SLICE_INIT("uid-" pod) }
#define REMOVAL_OF(test, pod)                                                                      \
        ((struct action){ .kind = ACTION_PREEMPT_POD,                                              \
                          .id = find_action(test, ACTION_PREEMPT_POD, pod)->id,                    \
                          .target = TARGET(pod) })

static size_t steps_after(struct sched_test *test, int64_t ns) {
        test->now_ns += ns;
        return step(test).decisions;
}

/* Both deletions are answered, the watch shows one of them, and that wakes the preemptor: it used
 * to take pods elsewhere. */
static void test_answered_and_not_yet_seen(void **state) {
        struct sched_test *test = *state;
        put_node(test, "n2", 2000);
        put_pod(test, "elsewhere", 2000, "\"nodeName\":\"n2\",\"priority\":10,");
        put_pod(test, "v", 1000, LOW);
        put_pod(test, "w", 1000, LOW);
        put_pod(test, "p", 2000, HIGH);
        step(test);
        assert_int_equal(count_actions(test, ACTION_PREEMPT_POD), 2);
        const struct action removals[] = { REMOVAL_OF(test, "v"), REMOVAL_OF(test, "w") };
        answer_action(test, &removals[0], BERTH_OK);
        answer_action(test, &removals[1], BERTH_OK);
        put_gone(test, "v");
        assert_int_equal(steps_after(test, 3 * NS_PER_S), 1);
        assert_int_equal(count_actions(test, ACTION_PREEMPT_POD), 0);
        put_gone(test, "w");
        steps_after(test, 5 * NS_PER_S);
        assert_non_null(find_action(test, ACTION_BIND, "p"));
}

/* Two preemptors of one node, for whom the same pods have to go. */
static void test_two_preemptors_share_a_victim(void **state) {
        struct sched_test *test = *state;
        put_pod(test, "v", 1000, LOW);
        put_pod(test, "w", 1000, LOW);
        put_pod(test, "p", 1000, HIGH);
        step(test);
        assert_int_equal(count_actions(test, ACTION_PREEMPT_POD), 1);
        bool was_v = find_action(test, ACTION_PREEMPT_POD, "v");
        put_pod(test, "q", 1000, HIGH);
        step(test);
        assert_int_equal(count_actions(test, ACTION_PREEMPT_POD), 1);
        assert_non_null(find_action(test, ACTION_PREEMPT_POD, was_v ? "w" : "v"));
}

struct answer_case {
        const char *name;
        int code;
        int64_t patience_ns; /* until it is asked to go again */
};

/* What becomes of a victim that stays. */
static const struct answer_case answers[] = {
        { "refused", BERTH_ERR_INTERNAL, 3 * NS_PER_S },
        { "answered well, without effect", BERTH_OK, PATIENCE_NS },
        { "gone, says the answer alone", BERTH_ERR_NOT_FOUND, PATIENCE_NS },
};

static void judge_answer(struct sched_test *test, const struct answer_case *answer) {
        put_pod(test, "v", 2000, LOW);
        put_pod(test, "p", 2000, HIGH);
        step(test);
        struct action removal = REMOVAL_OF(test, "v");
        answer_action(test, &removal, answer->code);
        steps_after(test, answer->patience_ns - NS_PER_S * 5 / 2);
        assert_int_equal(count_actions(test, ACTION_PREEMPT_POD), 0);
        size_t again = 0;
        for (int i = 0; i < 6; i++) { /* back-off */
                steps_after(test, NS_PER_S);
                again += count_actions(test, ACTION_PREEMPT_POD);
        }
        assert_int_equal(again, 1);
}

static void test_victims_that_stay(void **state) {
        for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
                print_message("%s\n", answers[i].name);
                teardown(state);
                setup(state);
                judge_answer(*state, &answers[i]);
        }
}

/* One that terminates for long is waited for as ever. */
static void test_long_grace_is_waited_for(void **state) {
        struct sched_test *test = *state;
        put_pod(test, "v", 2000, LOW);
        put_pod(test, "p", 2000, HIGH);
        step(test);
        struct action removal = REMOVAL_OF(test, "v");
        answer_action(test, &removal, BERTH_OK);
        apply(test, OBJECT_POD, CHANGE_UPDATED,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"v\",\"uid\":\"uid-v\","
              "\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"},\"spec\":{" LOW
              "\"containers\":[{\"name\":\"c\",\"image\":\"i\",\"resources\":{\"requests\":{"
              "\"cpu\":\"2000m\"}}}]}}");
        for (int i = 0; i < 100; i++) {
                steps_after(test, NS_PER_S);
                assert_int_equal(count_actions(test, ACTION_PREEMPT_POD), 0);
        }
        put_gone(test, "v");
        steps_after(test, 5 * NS_PER_S);
        assert_non_null(find_action(test, ACTION_BIND, "p"));
}

/* The victim of the one is the hope of the other: both hear when it stays. */
static void test_refusal_wakes_all_nominees(void **state) {
        struct sched_test *test = *state;
        struct scheduler_stats stats;
        put_pod(test, "v", 2000, LOW);
        put_pod(test, "p", 500, HIGH);
        put_pod(test, "q", 500, HIGH);
        step(test);
        assert_int_equal(count_actions(test, ACTION_PREEMPT_POD), 1);
        struct action removal = REMOVAL_OF(test, "v");
        scheduler_stats(test->scheduler, &stats);
        assert_int_equal(stats.unschedulable_pods, 2);
        answer_action(test, &removal, BERTH_ERR_INTERNAL);
        scheduler_stats(test->scheduler, &stats);
        assert_int_equal(stats.unschedulable_pods, 0);
}

static void put_budget(struct sched_test *test, int allowed, int healthy) {
        apply(test, OBJECT_BUDGET, CHANGE_UPDATED,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"b\"},\"spec\":{\"selector\":{"
              "\"matchLabels\":{\"app\":\"a\"}}},\"status\":{\"disruptionsAllowed\":%d,"
              "\"currentHealthy\":%d,\"desiredHealthy\":1}}",
              allowed, healthy);
}

static void put_started(struct sched_test *test, const char *name, const char *node,
                        const char *label, const char *start) {
        apply(test, OBJECT_POD, CHANGE_ADDED,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"%s\",\"uid\":\"uid-%s\","
              "\"labels\":{\"app\":\"%s\"}},\"spec\":{\"nodeName\":\"%s\",\"containers\":[{"
              "\"name\":\"c\",\"image\":\"i\",\"resources\":{\"requests\":{\"cpu\":\"2\"}}}]},"
              "\"status\":{\"startTime\":\"2026-01-0%sT00:00:00Z\"}}",
              name, name, label, node, start);
}

/* Two pods of a budget that allows one disruption, and an older pod without: the younger would be
 * taken first.  The second preemptor comes before the budget's status shows the first victim. */
static void preempt_twice(struct sched_test *test, const char *second_victim) {
        put_node(test, "n2", 2000);
        put_node(test, "n3", 2000);
        put_started(test, "in-1", "n1", "a", "3");
        put_started(test, "in-2", "n2", "a", "2");
        put_started(test, "free", "n3", "b", "1");
        put_budget(test, 1, 2);
        put_pod(test, "p", 2000, HIGH);
        step(test);
        assert_non_null(find_action(test, ACTION_PREEMPT_POD, "in-1"));
        put_pod(test, "q", 2000, HIGH);
        step(test);
        assert_non_null(find_action(test, ACTION_PREEMPT_POD, second_victim));
}

static void test_late_budget(void **state) {
        preempt_twice(*state, "free");
}

/* As upstream: the status is all there is. */
static void test_late_budget_in_parity(void **state) {
        sched_test_release(*state);
        sched_test_init(*state, &(struct scheduler_config){ .is_parity = true });
        put_node(*state, "n1", 2000);
        preempt_twice(*state, "in-2");
}

/* A victim nobody's status will ever count is forgotten: the budget is taken at its word again. */
static void test_charge_is_forgotten(void **state) {
        struct sched_test *test = *state;
        put_node(test, "n2", 2000);
        put_node(test, "n3", 2000);
        put_started(test, "in-1", "n1", "a", "3");
        put_started(test, "in-2", "n2", "a", "2");
        put_started(test, "free", "n3", "b", "1");
        put_budget(test, 1, 1); /* in-1 was never ready */
        put_pod(test, "p", 2000, HIGH);
        step(test);
        struct action removal = REMOVAL_OF(test, "in-1");
        answer_action(test, &removal, BERTH_OK);
        put_gone(test, "in-1");
        steps_after(test, NS_PER_S);
        steps_after(test, PATIENCE_NS);
        put_pod(test, "q", 2000, HIGH);
        step(test);
        assert_non_null(find_action(test, ACTION_PREEMPT_POD, "in-2"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
        const struct CMUnitTest tests[] = {
                TEST(test_answered_and_not_yet_seen),  TEST(test_two_preemptors_share_a_victim),
                TEST(test_victims_that_stay),          TEST(test_long_grace_is_waited_for),
                TEST(test_refusal_wakes_all_nominees), TEST(test_late_budget),
                TEST(test_late_budget_in_parity),      TEST(test_charge_is_forgotten),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
