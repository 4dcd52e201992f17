/* Groups that need room made for them, pod by pod (without the gate WorkloadAwarePreemption): all
 * of the victims go, or none does. */
#include "group_test.h"

#define GANGS                                                                                      \
        &(struct scheduler_config) {                                                               \
                .has_groups = true, .has_gangs = true                                              \
        }
#define GANG_OF_2 "\"schedulingPolicy\":{\"gang\":{\"minCount\":2}}"
#define BASIC "\"schedulingPolicy\":{\"basic\":{}}"
#define HIGH "\"priority\":100,"

static const char *nominated(const struct group_test *test, const char *pod) {
        static char node[64];
        const struct action *status = find_action(&test->base, ACTION_POD_STATUS, pod);
        node[0] = '\0';
        if (status && status->status.sets_nomination)
                snprintf(node, sizeof(node), SLICE_FMT, SLICE_ARG(status->status.nomination));
        return node;
}

static void begin(struct group_test *test, const char *spec) {
        group_test_init(test, GANGS);
        put_node(&test->base, "n1", 1000);
        put_node(&test->base, "n2", 1000);
        put_pod_group(test, "g", spec);
}

/* One fits at once, the other only without the pod of lower priority: both wait for it. */
static void test_all_wait_for_the_victims(void **state) {
        (void)state;
        struct group_test test;
        begin(&test, GANG_OF_2);
        put_running(&test, "low", "n1", 1000, "", "");
        put_member(&test, "g", "m0", 1000, HIGH);
        put_member(&test, "g", "m1", 1000, HIGH);
        step(&test.base);
        assert_int_equal(count_actions(&test.base, ACTION_BIND), 0);
        assert_int_equal(count_actions(&test.base, ACTION_PREEMPT_POD), 1);
        assert_non_null(find_action(&test.base, ACTION_PREEMPT_POD, "low"));
        assert_string_equal(nominated(&test, "m0"), "n2");
        assert_string_equal(nominated(&test, "m1"), "n1");
        assert_string_equal(reported_pod(&test, "m0"),
                            "pod group is unschedulable, pod group is waiting for preemption to "
                            "complete");
        assert_string_equal(reported_pod(&test, "m1"),
                            "0/2 nodes are available: 2 Insufficient cpu.");
        assert_non_null(strstr(reported_group(&test, "g"),
                               "\"message\":\"pod group is unschedulable, pod group is waiting "
                               "for preemption to complete\""));
        group_test_release(&test);
}

/* A copy that outlives the step; retained holds its texts. */
static struct action retain(struct action_list *retained, const struct action *action) {
        action_list_add(retained, action);
        struct action copy = retained->items[retained->count - 1];
        copy.id = action->id;
        return copy;
}

/* What it does while the deletion is on its way, then while the victim ends, then without it. */
static void test_until_they_are_gone(void **state) {
        (void)state;
        struct group_test test;
        begin(&test, GANG_OF_2);
        put_running(&test, "low", "n1", 1000, "", "");
        put_running(&test, "low2", "n2", 1000, "", "");
        put_member(&test, "g", "m0", 1000, HIGH);
        put_member(&test, "g", "m1", 1000, HIGH);
        step(&test.base);
        assert_int_equal(count_actions(&test.base, ACTION_PREEMPT_POD), 2);
        struct action_list retained;
        action_list_init(&retained);
        const struct action first =
                retain(&retained, find_action(&test.base, ACTION_PREEMPT_POD, "low"));
        const struct action second =
                retain(&retained, find_action(&test.base, ACTION_PREEMPT_POD, "low2"));
        put_running(&test, "other", "n1", 0, "", ""); /* wakes */
        test.base.now_ns += 20 * NS_PER_S;
        uint64_t next_id = test.base.actions.next_id;
        step(&test.base);
        assert_int_equal(test.base.actions.count, 0); /* not before the deletions are answered */
        test.base.actions.next_id = next_id;
        answer_action(&test.base, &first, 0);
        answer_action(&test.base, &second, 0);
        action_list_release(&retained);
        put_running(&test, "low", "n1", 1000, "\"deletionTimestamp\":\"2023-11-14T22:30:00Z\",",
                    "");
        put_running(&test, "low2", "n2", 1000, "\"deletionTimestamp\":\"2023-11-14T22:30:00Z\",",
                    "");
        test.base.now_ns += 20 * NS_PER_S;
        step(&test.base);
        assert_int_equal(count_actions(&test.base, ACTION_BIND), 0);
        assert_int_equal(count_actions(&test.base, ACTION_PREEMPT_POD), 0);
        for (size_t i = 0; i < test.base.actions.count; i++)
                if (test.base.actions.items[i].kind == ACTION_POD_STATUS)
                        assert_false(test.base.actions.items[i].status.sets_nomination);
        apply(&test.base, OBJECT_POD, CHANGE_REMOVED,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"low\"}}");
        apply(&test.base, OBJECT_POD, CHANGE_REMOVED,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"low2\"}}");
        test.base.now_ns += 20 * NS_PER_S;
        step(&test.base);
        assert_int_equal(count_actions(&test.base, ACTION_BIND), 2);
        group_test_release(&test);
}

/* Room could be made for one of two: nobody goes. */
static void test_nobody_goes_in_vain(void **state) {
        (void)state;
        struct group_test test;
        begin(&test, GANG_OF_2);
        put_running(&test, "low", "n1", 1000, "", "");
        put_running(&test, "high", "n2", 1000, "", HIGH);
        put_member(&test, "g", "m0", 1000, HIGH);
        put_member(&test, "g", "m1", 1000, HIGH);
        step(&test.base);
        assert_int_equal(count_actions(&test.base, ACTION_BIND), 0);
        assert_int_equal(count_actions(&test.base, ACTION_PREEMPT_POD), 0);
        assert_string_equal(nominated(&test, "m0"), "");
        group_test_release(&test);
}

static void test_basic_groups(void **state) {
        static const struct {
                const char *name;
                int room, members;
                size_t binds;
                const char *says;
        } cases[] = {
                { "all", 1000, 2, 2, "\"status\":\"True\",\"reason\":\"Scheduled\"" },
                { "some", 500, 2, 1, "\"status\":\"True\",\"reason\":\"Scheduled\"" },
                { "none", 100, 2, 0, "\"status\":\"False\",\"reason\":\"Unschedulable\"" },
        };
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct group_test test;
                group_test_init(&test, &(struct scheduler_config){ .has_groups = true });
                put_node(&test.base, "n1", cases[i].room);
                put_pod_group(&test, "g", BASIC);
                put_member(&test, "g", "m0", 500, "");
                put_member(&test, "g", "m1", 500, "");
                step(&test.base);
                if (count_actions(&test.base, ACTION_BIND) != cases[i].binds ||
                    !strstr(reported_group(&test, "g"), cases[i].says))
                        fail_msg("%s: %s", cases[i].name, reported_group(&test, "g"));
                group_test_release(&test);
        }
}

/* The member that waits for the deletions is deleted: the others go on without it. */
static void test_without_the_one_that_waited(void **state) {
        (void)state;
        struct group_test test;
        group_test_init(&test, GANGS);
        put_node(&test.base, "n1", 1000);
        put_pod_group(&test, "g", "\"schedulingPolicy\":{\"gang\":{\"minCount\":1}}");
        put_running(&test, "low", "n1", 1000, "", "");
        put_member(&test, "g", "m0", 1000, HIGH);
        step(&test.base);
        assert_non_null(find_action(&test.base, ACTION_PREEMPT_POD, "low"));
        put_member(&test, "g", "m1", 1000, HIGH); /* new, and held back with it */
        step(&test.base);
        assert_int_equal(test.base.actions.count, 0);
        for (const char *const *pod = (const char *const[]){ "m0", "low", NULL }; *pod; pod++)
                apply(&test.base, OBJECT_POD, CHANGE_REMOVED,
                      "{\"metadata\":{\"namespace\":\"default\",\"name\":\"%s\"}}", *pod);
        test.base.now_ns += 20 * NS_PER_S;
        step(&test.base);
        assert_string_equal(bound_to(&test, "m1"), "n1");
        group_test_release(&test);
}

static void add_scheduler(struct group_test *test, const char *name,
                          struct sched_profile **ret_profile) {
        struct err err = { 0 };
        struct sched_profile_spec spec = { .scheduler_name = slice_of(name) };
        struct profile_env env = { .registry = sched_registry };
        assert_int_equal(sched_profile_new(&spec, &env, ret_profile, &err), 0);
        struct sched_profile *profiles[] = { test->base.profile, *ret_profile };
        scheduler_free(test->base.scheduler);
        test->base.scheduler =
                scheduler_new(&(struct scheduler_config){ .cluster = test->base.cluster,
                                                          .object_cache = test->object_cache,
                                                          .profile_count = ARRAY_LEN(profiles),
                                                          .profiles = profiles,
                                                          .has_groups = true,
                                                          .has_gangs = true });
}

/* Members of two schedulers: an error for each, and nothing said of the group. */
static void test_one_scheduler_for_all(void **state) {
        (void)state;
        struct group_test test;
        struct sched_profile *other;
        group_test_init(&test, GANGS);
        add_scheduler(&test, "other", &other);
        put_node(&test.base, "n1", 1000);
        put_pod_group(&test, "g", GANG_OF_2);
        put_member(&test, "g", "m0", 500, "");
        put_member(&test, "g", "m1", 500, "\"schedulerName\":\"other\",");
        step(&test.base);
        assert_int_equal(count_actions(&test.base, ACTION_BIND), 0);
        assert_string_equal(reported_group(&test, "g"), "");
        for (int i = 0; i < 2; i++) {
                const struct action *status =
                        find_action(&test.base, ACTION_POD_STATUS, i == 0 ? "m0" : "m1");
                assert_true(slice_is(status->status.reason, "SchedulerError"));
                assert_true(slice_is(status->status.message,
                                     "all pods in a single pod group should have the same "
                                     ".spec.schedulerName set, got: \"default-scheduler\" and "
                                     "\"other\""));
        }
        group_test_release(&test);
        sched_profile_free(other);
}

/* GenericWorkload alone: nobody counts the members of a gang. */
static void test_gangs_need_their_gate(void **state) {
        (void)state;
        struct group_test test;
        group_test_init(&test, &(struct scheduler_config){ .has_groups = true });
        put_node(&test.base, "n1", 500);
        put_member(&test, "g", "m0", 500, "");
        step(&test.base);
        assert_int_equal(count_actions(&test.base, ACTION_BIND), 1); /* not even the group */
        put_pod_group(&test, "h", GANG_OF_2);
        put_node(&test.base, "n2", 500);
        put_member(&test, "h", "h0", 500, "");
        step(&test.base);
        assert_int_equal(count_actions(&test.base, ACTION_BIND), 1);
        group_test_release(&test);
}

/* Without any gate the field means nothing. */
static void test_no_gate(void **state) {
        (void)state;
        struct group_test test;
        group_test_init(&test, &(struct scheduler_config){ 0 });
        put_node(&test.base, "n1", 500);
        put_pod_group(&test, "g", GANG_OF_2);
        put_member(&test, "g", "m0", 500, "");
        step(&test.base);
        assert_int_equal(count_actions(&test.base, ACTION_BIND), 1);
        assert_string_equal(reported_group(&test, "g"), "");
        group_test_release(&test);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_all_wait_for_the_victims),
                cmocka_unit_test(test_until_they_are_gone),
                cmocka_unit_test(test_nobody_goes_in_vain),
                cmocka_unit_test(test_basic_groups),
                cmocka_unit_test(test_without_the_one_that_waited),
                cmocka_unit_test(test_one_scheduler_for_all),
                cmocka_unit_test(test_gangs_need_their_gate),
                cmocka_unit_test(test_no_gate),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
