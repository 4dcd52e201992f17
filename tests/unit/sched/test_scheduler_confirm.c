/* Binds that were answered well: the API shows them in time, or the pod is asked for. */
#include "sched_test.h"

#include <string.h>

/* As the source has it: a check is due then, not before. */
#define PATIENCE_NS (30 * NS_PER_S)
#define BOUND_TO(node) "\"nodeName\":\"" node "\","

static int setup(void **state) {
        struct sched_test *test = xcalloc(1, sizeof(*test));
        sched_test_init(test, NULL);
        put_node(test, "n1", 4000);
        *state = test;
        return 0;
}

static int teardown(void **state) {
        sched_test_release(*state);
        free(*state);
        return 0;
}

/* Decided, and the answer to the binding is 201. */
static void bind_pod(struct sched_test *test, const char *name) {
        put_pod(test, name, 3000, "");
        step(test);
        answer(test, ACTION_BIND, name, BERTH_OK);
}

static size_t steps_after(struct sched_test *test, int64_t ns) {
        test->now_ns += ns;
        return step(test).decisions;
}

static bool is_assumed(const struct sched_test *test, const char *name) {
        struct pod_id id =
                cluster_find_pod(test->cluster, SLICE_LITERAL("default"), slice_of(name));
        return !pod_id_is_none(id) && (cluster_pod(test->cluster, id)->flags & POD_ASSUMED) != 0;
}

static void test_seen_in_time_is_not_asked_for(void **state) {
        struct sched_test *test = *state;
        struct mono_time due;
        bind_pod(test, "p");
        put_pod(test, "p", 3000, BOUND_TO("n1"));
        steps_after(test, PATIENCE_NS);
        assert_int_equal(count_actions(test, ACTION_CHECK_BIND), 0);
        assert_false(scheduler_next_due(test->scheduler, &due));
}

static void test_unseen_is_asked_for_once_it_is_time(void **state) {
        struct sched_test *test = *state;
        struct mono_time due;
        bind_pod(test, "p");
        assert_true(scheduler_next_due(test->scheduler, &due));
        assert_int_equal(due.ns, test->now_ns + PATIENCE_NS);
        steps_after(test, PATIENCE_NS - 1);
        assert_int_equal(count_actions(test, ACTION_CHECK_BIND), 0);
        steps_after(test, 1);
        const struct action *check = find_action(test, ACTION_CHECK_BIND, "p");
        assert_non_null(check);
        assert_true(slice_is(check->bind.node, "n1"));
        assert_true(slice_is(check->target.uid, "uid-p"));
        steps_after(test, PATIENCE_NS);
        assert_int_equal(count_actions(test, ACTION_CHECK_BIND), 0); /* one at a time */
}

/* What the pod says of itself, and what becomes of it and of one that wants the same room. */
struct finding_case {
        const char *name;
        int code;
        bool stays_assumed, is_bound_again, is_failure_written, is_room_free, is_asked_again;
};

static const struct finding_case findings[] = {
        { "bound, the watch is late", BERTH_OK, .stays_assumed = true },
        { "not bound", BERTH_ERR_CONFLICT, .is_bound_again = true, .is_failure_written = true },
        { "gone", BERTH_ERR_NOT_FOUND, .is_room_free = true },
        { "nobody answers", BERTH_ERR_UNAVAILABLE, .stays_assumed = true, .is_asked_again = true },
};

static void judge_finding(struct sched_test *test, const struct finding_case *finding) {
        struct scheduler_stats stats;
        bind_pod(test, "p");
        steps_after(test, PATIENCE_NS);
        answer(test, ACTION_CHECK_BIND, "p", finding->code);
        const struct action *event = find_action(test, ACTION_RECORD_EVENT, "p");
        assert_int_equal(!!find_action(test, ACTION_POD_STATUS, "p"), finding->is_failure_written);
        assert_int_equal(!!event, finding->is_failure_written);
        if (event)
                assert_true(slice_is(event->event.note,
                                     "the binding to node n1 was answered as done, but the pod is "
                                     "not bound"));
        assert_int_equal(is_assumed(test, "p"), finding->stays_assumed);
        scheduler_stats(test->scheduler, &stats);
        assert_int_equal(stats.errors, finding->is_failure_written);
        /* Error back-off first: it is not bound to nothing over and over. */
        assert_int_equal(steps_after(test, 0), 0);
        steps_after(test, 3 * NS_PER_S);
        assert_int_equal(!!find_action(test, ACTION_BIND, "p"), finding->is_bound_again);
        put_pod(test, "other", 3000, "");
        step(test);
        assert_int_equal(!!find_action(test, ACTION_BIND, "other"), finding->is_room_free);
        steps_after(test, PATIENCE_NS);
        assert_int_equal(!!find_action(test, ACTION_CHECK_BIND, "p"), finding->is_asked_again);
}

static void test_findings(void **state) {
        for (size_t i = 0; i < ARRAY_LEN(findings); i++) {
                print_message("%s\n", findings[i].name);
                teardown(state);
                setup(state);
                judge_finding(*state, &findings[i]);
        }
}

/* The watch was quicker than the answer to the question. */
static void test_late_finding_changes_nothing(void **state) {
        struct sched_test *test = *state;
        bind_pod(test, "p");
        steps_after(test, PATIENCE_NS);
        put_pod(test, "p", 3000, BOUND_TO("n1"));
        answer(test, ACTION_CHECK_BIND, "p", BERTH_ERR_CONFLICT);
        assert_int_equal(test->actions.count, 0);
        steps_after(test, NS_PER_S);
        assert_int_equal(test->actions.count, 0);
}

/* One of the same name came: it is nobody's business what the question says. */
static void test_finding_about_a_replaced_pod(void **state) {
        struct sched_test *test = *state;
        bind_pod(test, "p");
        steps_after(test, PATIENCE_NS);
        struct action check = *find_action(test, ACTION_CHECK_BIND, "p");
        apply(test, OBJECT_POD, CHANGE_REMOVED,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"p\",\"uid\":\"uid-p\"}}");
        apply(test, OBJECT_POD, CHANGE_ADDED,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"p\",\"uid\":\"second\"},"
              "\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}");
        answer_action(test, &check, BERTH_ERR_NOT_FOUND);
        assert_int_equal(steps_after(test, 0), 1);
        assert_true(slice_is(find_action(test, ACTION_BIND, "p")->target.uid, "second"));
}

/* More than the ring holds at first, begun at different times: each is asked for when it is due. */
static void test_many_are_asked_for_in_turn(void **state) {
        struct sched_test *test = *state;
        char name[32];
        for (int i = 0; i < 100; i++) {
                snprintf(name, sizeof(name), "p%d", i);
                put_pod(test, name, 10, "");
                step(test);
                answer(test, ACTION_BIND, name, BERTH_OK);
                if (i % 3 == 0) /* every third is seen */
                        apply(test, OBJECT_POD, CHANGE_UPDATED,
                              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"p%d\",\"uid\":"
                              "\"uid-p%d\"},\"spec\":{\"nodeName\":\"n1\",\"containers\":[{"
                              "\"name\":\"c\",\"image\":\"i\"}]}}",
                              i, i);
                test->now_ns += NS_PER_S / 10;
        }
        size_t asked = 0;
        for (int i = 0; i < 600; i++) {
                test->now_ns += NS_PER_S / 10;
                step(test);
                asked += count_actions(test, ACTION_CHECK_BIND);
                assert_in_range(count_actions(test, ACTION_CHECK_BIND), 0, 1);
                if (test->actions.count > 0) {
                        struct action check = test->actions.items[0];
                        check.target = (struct object_ref){ 0 };
                        answer_action(test, &check, BERTH_OK);
                }
        }
        assert_int_equal(asked, 100 - 34);
}

/* A burst whose pods the watch shows late: 16 are asked for at a time, each answer brings the next,
 * and those that are seen meanwhile are not asked for. */
static void test_few_are_asked_for_at_once(void **state) {
        struct sched_test *test = *state;
        struct mono_time due;
        char name[32];
        for (int i = 0; i < 60; i++) {
                snprintf(name, sizeof(name), "p%d", i);
                put_pod(test, name, 10, "");
                step(test);
                answer(test, ACTION_BIND, name, BERTH_OK);
        }
        steps_after(test, PATIENCE_NS);
        assert_int_equal(count_actions(test, ACTION_CHECK_BIND), 16);
        struct action checks[16];
        memcpy(checks, test->actions.items, sizeof(checks));
        steps_after(test, NS_PER_S);
        assert_int_equal(count_actions(test, ACTION_CHECK_BIND), 0);
        assert_false(scheduler_next_due(test->scheduler, &due) && due.ns <= test->now_ns);
        for (int i = 16; i < 58; i++) {
                snprintf(name, sizeof(name), "p%d", i);
                put_pod(test, name, 10, BOUND_TO("n1"));
        }
        for (int i = 0; i < 3; i++) {
                checks[i].target = (struct object_ref){ 0 };
                answer_action(test, &checks[i], BERTH_OK);
                assert_int_equal(count_actions(test, ACTION_CHECK_BIND), i < 2);
        }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
        const struct CMUnitTest tests[] = {
                TEST(test_seen_in_time_is_not_asked_for),
                TEST(test_unseen_is_asked_for_once_it_is_time),
                TEST(test_findings),
                TEST(test_late_finding_changes_nothing),
                TEST(test_finding_about_a_replaced_pod),
                TEST(test_many_are_asked_for_in_turn),
                TEST(test_few_are_asked_for_at_once),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
