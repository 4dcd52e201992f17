/* The step machine: what it emits, when it wakes, what it does with outcomes. */
#include "sched_test.h"

static int setup(void **state) {
        struct sched_test *test = xcalloc(1, sizeof(*test));
        sched_test_init(test, NULL);
        *state = test;
        return 0;
}

static int teardown(void **state) {
        sched_test_release(*state);
        free(*state);
        return 0;
}

static void test_binds_and_announces(void **state) {
        struct sched_test *test = *state;
        struct scheduler_stats stats;
        put_node(test, "n1", 4000);
        put_pod(test, "p", 1000, "");
        assert_int_equal(step(test).decisions, 1);
        const struct action *bind = find_action(test, ACTION_BIND, "p");
        assert_non_null(bind);
        assert_true(slice_is(bind->bind.node, "n1"));
        assert_true(slice_is(bind->target.uid, "uid-p"));
        scheduler_stats(test->scheduler, &stats);
        assert_int_equal(stats.binding, 1);
        answer(test, ACTION_BIND, "p", BERTH_OK);
        const struct action *event = find_action(test, ACTION_RECORD_EVENT, "p");
        assert_non_null(event);
        assert_true(slice_is(event->event.note, "Successfully assigned default/p to n1"));
        scheduler_stats(test->scheduler, &stats);
        assert_int_equal(stats.scheduled, 1);
        assert_int_equal(stats.binding, 0);
        struct queue_place place;
        struct pod_id pod =
                cluster_find_pod(test->cluster, SLICE_LITERAL("default"), SLICE_LITERAL("p"));
        assert_false(scheduler_find(test->scheduler, pod, &place)); /* it is done with */
        assert_int_equal(step(test).decisions, 0);
}

static void test_never_overcommits(void **state) {
        struct sched_test *test = *state;
        put_node(test, "n1", 2000);
        for (int i = 0; i < 5; i++) {
                char name[16];
                snprintf(name, sizeof(name), "p%d", i);
                put_pod(test, name, 900, "");
        }
        step(test);
        assert_int_equal(count_actions(test, ACTION_BIND), 2);
        assert_int_equal(count_actions(test, ACTION_POD_STATUS), 3);
}

static void test_failure_is_one_write(void **state) {
        struct sched_test *test = *state;
        put_node(test, "n1", 1000);
        put_pod(test, "p", 2000, "");
        step(test);
        const struct action *status = find_action(test, ACTION_POD_STATUS, "p");
        assert_non_null(status);
        assert_true(status->status.sets_condition);
        assert_false(status->status.sets_nomination);
        assert_true(slice_is(status->status.reason, "Unschedulable"));
        assert_true(slice_is(status->status.message,
                             "0/1 nodes are available: 1 Insufficient cpu. no new claims to "
                             "deallocate, preemption: 0/1 nodes are available: 1 Preemption is "
                             "not helpful for scheduling."));
        assert_int_equal(count_actions(test, ACTION_RECORD_EVENT), 1);
}

static void test_same_failure_writes_nothing(void **state) {
        struct sched_test *test = *state;
        put_node(test, "n1", 1000);
        put_pod(test, "p", 2000, "");
        step(test);
        test->now_ns += 301 * NS_PER_S;
        assert_int_equal(step(test).decisions, 1);
        assert_int_equal(count_actions(test, ACTION_POD_STATUS), 0);
        assert_int_equal(count_actions(test, ACTION_RECORD_EVENT), 1);
}

static void test_failed_write_is_repeated(void **state) {
        struct sched_test *test = *state;
        put_node(test, "n1", 1000);
        put_pod(test, "p", 2000, "");
        step(test);
        answer(test, ACTION_POD_STATUS, "p", BERTH_ERR_UNAVAILABLE);
        test->now_ns += 301 * NS_PER_S;
        step(test);
        assert_int_equal(count_actions(test, ACTION_POD_STATUS), 1);
}

/* Answered well, and the pod never shows it. */
static void test_status_without_effect_is_written_again(void **state) {
        struct sched_test *test = *state;
        put_node(test, "n1", 1000);
        put_pod(test, "p", 2000, "");
        step(test);
        answer(test, ACTION_POD_STATUS, "p", BERTH_OK);
        put_node(test, "n2", 100); /* soon after: it may still be on its way */
        test->now_ns += 20 * NS_PER_S;
        step(test);
        test->now_ns += 301 * NS_PER_S;
        step(test);
        const struct action *status = find_action(test, ACTION_POD_STATUS, "p");
        assert_non_null(status);
        assert_true(status->status.sets_condition);
}

static void test_status_that_is_seen_is_not(void **state) {
        struct sched_test *test = *state;
        put_node(test, "n1", 1000);
        put_pod(test, "p", 2000, "");
        step(test);
        answer(test, ACTION_POD_STATUS, "p", BERTH_OK);
        apply(test, OBJECT_POD, CHANGE_UPDATED,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"p\",\"uid\":\"uid-p\"},"
              "\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\",\"resources\":{"
              "\"requests\":{\"cpu\":\"2000m\"}}}]},\"status\":{\"conditions\":[{\"type\":"
              "\"PodScheduled\",\"status\":\"False\",\"reason\":\"Unschedulable\",\"message\":"
              "\"0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, "
              "preemption: 0/1 nodes are available: 1 Preemption is not helpful for "
              "scheduling.\"}]}}");
        test->now_ns += 301 * NS_PER_S;
        assert_int_equal(step(test).decisions, 1);
        assert_int_equal(count_actions(test, ACTION_POD_STATUS), 0);
}

static void test_new_node_wakes(void **state) {
        struct sched_test *test = *state;
        put_node(test, "n1", 1000);
        put_pod(test, "p", 2000, "");
        step(test);
        put_node(test, "n2", 1500);
        assert_int_equal(step(test).decisions, 0); /* still too small */
        put_node(test, "n3", 3000);
        assert_true(step(test).decisions > 0 || step(test).decisions > 0);
        assert_non_null(find_action(test, ACTION_BIND, "p"));
}

static void grow_node(struct sched_test *test, int cpu_milli) {
        apply(test, OBJECT_NODE, CHANGE_UPDATED,
              "{\"metadata\":{\"name\":\"n1\",\"labels\":{\"kubernetes.io/hostname\":\"n1\"}},"
              "\"status\":{\"allocatable\":{\"cpu\":\"%dm\",\"memory\":\"32Gi\",\"pods\":\"110\"}}"
              "}",
              cpu_milli);
}

static void test_grown_node_wakes_when_large_enough(void **state) {
        struct sched_test *test = *state;
        put_node(test, "n1", 1000);
        put_pod(test, "p", 2000, "");
        step(test);
        grow_node(test, 1500);
        assert_int_equal(step(test).decisions, 0);
        grow_node(test, 2500);
        step(test);
        assert_non_null(find_action(test, ACTION_BIND, "p"));
}

static void test_removed_pod_wakes(void **state) {
        struct sched_test *test = *state;
        put_node(test, "n1", 1000);
        put_pod(test, "old", 800, "\"nodeName\":\"n1\",");
        put_pod(test, "p", 500, "");
        step(test);
        assert_null(find_action(test, ACTION_BIND, "p"));
        apply(test, OBJECT_POD, CHANGE_REMOVED,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"old\",\"uid\":\"uid-old\"}}");
        step(test);
        assert_non_null(find_action(test, ACTION_BIND, "p"));
}

/* A pod on its way out when it leaves the queue is neither placed nor told anything. */
static void test_terminating_pods_are_not_placed(void **state) {
        struct sched_test *test = *state;
        struct scheduler_stats stats;
        put_node(test, "n1", 4000);
        apply(test, OBJECT_POD, CHANGE_ADDED,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"p\",\"uid\":\"uid-p\","
              "\"deletionTimestamp\":\"2023-11-14T22:30:00Z\"},\"spec\":{\"containers\":[{"
              "\"name\":\"c\",\"image\":\"i\"}]}}");
        put_pod(test, "q", 1000, "");
        assert_int_equal(step(test).decisions, 1);
        assert_null(find_action(test, ACTION_BIND, "p"));
        assert_null(find_action(test, ACTION_POD_STATUS, "p"));
        assert_non_null(find_action(test, ACTION_BIND, "q"));
        scheduler_stats(test->scheduler, &stats);
        assert_int_equal(stats.binding, 1);
        test->now_ns += 301 * NS_PER_S;
        assert_int_equal(step(test).decisions, 0);
}

static bool goes_on(const struct sched_test *test) {
        return scheduler_has_more(test->scheduler);
}

/* With max_binds 4: more is decided once half of them are answered, well or not; and then the pod
 * that is most urgent by now. */
static void test_open_binds_are_limited(void **state) {
        static const char *const names[] = { "p0", "p1", "p2", "p3", "p4", "p5" };
        struct sched_test test;
        (void)state;
        sched_test_init(&test, &(struct scheduler_config){ .max_binds = 4 });
        put_node(&test, "n1", 4000);
        for (size_t i = 0; i < ARRAY_LEN(names); i++)
                put_pod(&test, names[i], 100, "");
        assert_false(step(&test).has_more);
        assert_int_equal(count_actions(&test, ACTION_BIND), 4);
        struct action first = *find_action(&test, ACTION_BIND, "p0");
        struct action second = *find_action(&test, ACTION_BIND, "p1");
        first.target = second.target = (struct object_ref){ 0 };
        put_pod(&test, "urgent", 100, "\"priority\":9,");
        assert_int_equal(step(&test).decisions, 0);
        answer_action(&test, &first, BERTH_OK);
        assert_false(goes_on(&test) || step(&test).decisions > 0);
        answer_action(&test, &second, BERTH_ERR_CONFLICT);
        assert_true(goes_on(&test));
        assert_false(step(&test).has_more);
        assert_int_equal(count_actions(&test, ACTION_BIND), 2);
        assert_non_null(find_action(&test, ACTION_BIND, "urgent"));
        sched_test_release(&test);
}

/* Once, half a minute after the last decision. */
static void test_rests_after_the_last_decision(void **state) {
        struct sched_test *test = *state;
        struct mono_time due;
        put_node(test, "n1", 4000);
        for (int i = 0; i < 2; i++) {
                put_pod(test, i ? "p1" : "p0", 100, "");
                step(test);
                answer(test, ACTION_BIND, i ? "p1" : "p0", BERTH_OK);
                put_pod(test, i ? "p1" : "p0", 100, "\"nodeName\":\"n1\",");
                step(test);
                assert_true(scheduler_next_due(test->scheduler, &due));
                assert_int_equal(due.ns, test->now_ns + 30 * NS_PER_S);
                test->now_ns += 20 * NS_PER_S;
                step(test);
                assert_int_equal(scheduler_next_due(test->scheduler, &due), true);
        }
        test->now_ns = due.ns;
        step(test);
        assert_false(scheduler_next_due(test->scheduler, &due));
}

static void test_priority_goes_first(void **state) {
        struct sched_test *test = *state;
        put_node(test, "n1", 1000);
        put_pod(test, "low", 800, "");
        put_pod(test, "high", 800, "\"priority\":10,");
        step(test);
        assert_non_null(find_action(test, ACTION_BIND, "high"));
        assert_null(find_action(test, ACTION_BIND, "low"));
}

static void test_failed_bind_backs_off(void **state) {
        struct sched_test *test = *state;
        struct queue_place place;
        struct mono_time due;
        put_node(test, "n1", 4000);
        put_pod(test, "p", 1000, "");
        step(test);
        answer(test, ACTION_BIND, "p", BERTH_ERR_INTERNAL);
        const struct action *status = find_action(test, ACTION_POD_STATUS, "p");
        assert_non_null(status);
        assert_true(slice_is(status->status.reason, "SchedulerError"));
        struct pod_id pod =
                cluster_find_pod(test->cluster, SLICE_LITERAL("default"), SLICE_LITERAL("p"));
        assert_true(scheduler_find(test->scheduler, pod, &place));
        assert_int_equal(place.part, QUEUE_BACKOFF);
        assert_int_equal(step(test).decisions, 0);
        assert_true(scheduler_next_due(test->scheduler, &due));
        test->now_ns = due.ns;
        assert_int_equal(step(test).decisions, 1);
        assert_non_null(find_action(test, ACTION_BIND, "p"));
}

/* Condition and nomination go together in one write. */
static void test_failed_preemption_clears_nomination_at_once(void **state) {
        struct sched_test *test = *state;
        put_node(test, "n1", 1000);
        apply(test, OBJECT_POD, CHANGE_ADDED,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"p\",\"uid\":\"uid-p\"},"
              "\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\",\"resources\":{"
              "\"requests\":{\"cpu\":\"3\"}}}]},\"status\":{\"nominatedNodeName\":\"n1\"}}");
        step(test);
        assert_int_equal(count_actions(test, ACTION_POD_STATUS), 1);
        const struct action *status = find_action(test, ACTION_POD_STATUS, "p");
        assert_true(status->status.sets_condition && status->status.sets_nomination);
        assert_true(slice_is_empty(status->status.nomination));
        test->now_ns += 301 * NS_PER_S;
        assert_int_equal(step(test).decisions, 1);
        assert_int_equal(count_actions(test, ACTION_POD_STATUS), 0);
}

/* Never preempting pods keep what others nominated. */
static void test_never_preempting_keeps_nomination(void **state) {
        struct sched_test *test = *state;
        put_node(test, "n1", 1000);
        apply(test, OBJECT_POD, CHANGE_ADDED,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"p\",\"uid\":\"uid-p\"},"
              "\"spec\":{\"preemptionPolicy\":\"Never\",\"containers\":[{\"name\":\"c\","
              "\"image\":\"i\",\"resources\":{\"requests\":{\"cpu\":\"3\"}}}]},"
              "\"status\":{\"nominatedNodeName\":\"n1\"}}");
        step(test);
        const struct action *status = find_action(test, ACTION_POD_STATUS, "p");
        assert_non_null(status);
        assert_false(status->status.sets_nomination);
        assert_true(slice_has_suffix(status->status.message,
                                     SLICE_LITERAL("no new claims to deallocate, preemption: not "
                                                   "eligible due to preemptionPolicy=Never.")));
}

/* The call failed on the way back, but the watch says the pod is bound: nothing to repair. */
static void test_lost_answer_of_a_bind(void **state) {
        struct sched_test *test = *state;
        struct scheduler_stats stats;
        put_node(test, "n1", 4000);
        put_pod(test, "p", 1000, "");
        step(test);
        put_pod(test, "p", 1000, "\"nodeName\":\"n1\",");
        answer(test, ACTION_BIND, "p", BERTH_ERR_TIMEOUT);
        assert_int_equal(test->actions.count, 0);
        assert_int_equal(step(test).decisions, 0);
        scheduler_stats(test->scheduler, &stats);
        assert_int_equal(stats.backoff + stats.unschedulable_pods + stats.binding, 0);
}

static void test_pod_replaced_while_binding(void **state) {
        struct sched_test *test = *state;
        put_node(test, "n1", 4000);
        put_pod(test, "p", 1000, "");
        step(test);
        apply(test, OBJECT_POD, CHANGE_REMOVED,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"p\",\"uid\":\"uid-p\"}}");
        apply(test, OBJECT_POD, CHANGE_ADDED,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"p\",\"uid\":\"second\"},"
              "\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}");
        answer(test, ACTION_BIND, "p", BERTH_ERR_NOT_FOUND);
        assert_int_equal(test->actions.count, 0);
        step(test);
        const struct action *bind = find_action(test, ACTION_BIND, "p");
        assert_non_null(bind);
        assert_true(slice_is(bind->target.uid, "second"));
}

static void test_gated_pod_waits(void **state) {
        struct sched_test *test = *state;
        struct scheduler_stats stats;
        put_node(test, "n1", 4000);
        put_pod(test, "p", 1000, "\"schedulingGates\":[{\"name\":\"g\"}],");
        assert_int_equal(step(test).decisions, 0);
        assert_int_equal(test->actions.count, 0);
        scheduler_stats(test->scheduler, &stats);
        assert_int_equal(stats.gated, 1);
        apply(test, OBJECT_POD, CHANGE_UPDATED,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"p\",\"uid\":\"uid-p\"},"
              "\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}");
        step(test);
        assert_non_null(find_action(test, ACTION_BIND, "p"));
}

static void test_ignores_other_schedulers(void **state) {
        struct sched_test *test = *state;
        put_node(test, "n1", 4000);
        put_pod(test, "p", 1000, "\"schedulerName\":\"other\",");
        assert_int_equal(step(test).decisions, 0);
}

static void test_empty_cluster_waits_for_a_node(void **state) {
        struct sched_test *test = *state;
        put_pod(test, "p", 1000, "");
        step(test);
        const struct action *status = find_action(test, ACTION_POD_STATUS, "p");
        assert_non_null(status);
        assert_true(slice_is(status->status.message, "no nodes available to schedule pods"));
        assert_true(slice_is(status->status.reason, "Unschedulable"));
        put_node(test, "n1", 4000);
        step(test);
        assert_non_null(find_action(test, ACTION_BIND, "p"));
}

static void test_preempts_lower_priority(void **state) {
        struct sched_test *test = *state;
        put_node(test, "n1", 1000);
        put_pod(test, "victim", 800, "\"nodeName\":\"n1\",");
        put_pod(test, "p", 800, "\"priority\":100,");
        step(test);
        assert_non_null(find_action(test, ACTION_PREEMPT_POD, "victim"));
        const struct action *mark = find_action(test, ACTION_POD_STATUS, "victim");
        assert_non_null(mark);
        assert_true(mark < find_action(test, ACTION_PREEMPT_POD, "victim"));
        assert_true(slice_is(mark->status.disruption,
                             "default-scheduler: preempting to accommodate "
                             "a higher priority pod"));
        assert_false(mark->status.sets_condition || mark->status.sets_nomination);
        const struct action *status = find_action(test, ACTION_POD_STATUS, "p");
        assert_non_null(status);
        assert_true(status->status.sets_condition && status->status.sets_nomination);
        assert_true(slice_is(status->status.nomination, "n1"));
        /* Whatever happens while the victim's deletion is on its way, it does not preempt anew. */
        const struct action removal = { .kind = ACTION_PREEMPT_POD,
                                        .id = find_action(test, ACTION_PREEMPT_POD, "victim")->id };
        put_node(test, "n2", 100);
        apply(test, OBJECT_POD, CHANGE_REMOVED,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"victim\",\"uid\":\"uid-victim\"}"
              "}");
        assert_int_equal(step(test).decisions, 0);
        answer_action(test, &removal, 0);
        step(test);
        assert_non_null(find_action(test, ACTION_BIND, "p"));
}

static void test_recreated_pod_is_new(void **state) {
        struct sched_test *test = *state;
        put_node(test, "n1", 1000);
        put_pod(test, "p", 2000, "");
        step(test);
        apply(test, OBJECT_POD, CHANGE_REMOVED,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"p\",\"uid\":\"uid-p\"}}");
        put_pod(test, "p", 500, "");
        step(test);
        assert_non_null(find_action(test, ACTION_BIND, "p"));
}

static void test_trace_remembers(void **state) {
        struct sched_test *test = *state;
        put_node(test, "n1", 1000);
        put_pod(test, "p", 2000, "");
        step(test);
        assert_int_equal(scheduler_trace_count(test->scheduler), 1);
        const struct decision_trace *trace = scheduler_trace(test->scheduler, 0);
        assert_string_equal(trace->pod, "default/p");
        assert_int_equal(trace->plugin_count, 1);
        assert_string_equal(trace->plugins[0].name, "NodeResourcesFit");
        assert_int_equal(trace->plugins[0].refused, 1);
        assert_null(scheduler_trace(test->scheduler, 1));
}

/* The oldest goes, and shorter and longer texts take its room. */
static void test_trace_is_a_ring(void **state) {
        struct sched_test test;
        (void)state;
        sched_test_init(&test, &(struct scheduler_config){ .trace_capacity = 3 });
        put_node(&test, "n1", 1000);
        put_pod(&test, "refused-with-a-message", 2000, "");
        for (int i = 0; i < 5; i++) {
                char name[48];
                snprintf(name, sizeof(name), "p%d%.*s", i, i * 5,
                         "-a-name-that-is-a-good-deal-longer");
                put_pod(&test, name, 10, "");
        }
        step(&test);
        assert_int_equal(scheduler_trace_count(test.scheduler), 3);
        for (size_t i = 0; i < 3; i++) {
                const struct decision_trace *trace = scheduler_trace(test.scheduler, i);
                assert_int_equal(trace->number, i + 4);
                assert_string_equal(trace->node, "n1");
                assert_string_equal(trace->message, "");
                assert_memory_equal(trace->pod, "default/p", strlen("default/p"));
                assert_string_equal(trace->pod + strlen("default/"), trace->uid + strlen("uid-"));
        }
        sched_test_release(&test);
}

/* Of several nodes that are as good the trace says how many. */
static void test_trace_counts_the_best(void **state) {
        struct sched_test test;
        (void)state;
        sched_test_init(&test, NULL);
        put_node(&test, "n1", 1000);
        put_node(&test, "n2", 1000);
        put_node(&test, "full", 10);
        put_pod(&test, "p", 100, "");
        step(&test);
        const struct decision_trace *trace = scheduler_trace(test.scheduler, 0);
        assert_int_equal(trace->node_count, 3);
        assert_int_equal(trace->feasible_count, 2);
        assert_int_equal(trace->best_count, 2);
        assert_int_equal(trace->attempts, 1);
        sched_test_release(&test);
}

/* ---- a watch that looks at nothing ---- */

static int64_t watch_now(void) {
        return 0;
}

static void watch_ran(void *context, const struct sched_profile *profile, enum sched_point point,
                      enum verdict_code code, int64_t elapsed_ns) {
        (void)context;
        (void)profile;
        (void)point;
        (void)code;
        (void)elapsed_ns;
}

static const struct plugin_watch *watch_begins(void *context, const struct sched_profile *profile) {
        (void)context;
        (void)profile;
        return NULL;
}

static bool watch_times_hint(void *context) {
        (void)context;
        return false;
}

struct bound_note {
        uint32_t attempts;
        int64_t since_first_ns;
        unsigned count;
};

static void note_bound(void *context, uint32_t attempts, int64_t since_first_ns, bool was_flushed) {
        struct bound_note *note = context;
        (void)was_flushed;
        *note = (struct bound_note){ attempts, since_first_ns, note->count + 1 };
}

/* The first back-off is as configured, and a binding says how long it took from the first attempt.
 */
static void test_backoff_as_configured(void **state) {
        struct bound_note note = { 0 };
        const struct decision_watch watch = { .now_ns = watch_now,
                                              .ran = watch_ran,
                                              .begins = watch_begins,
                                              .times_hint = watch_times_hint,
                                              .context = &note };
        struct sched_test test;
        (void)state;
        sched_test_init(&test, &(struct scheduler_config){ .backoff_initial_ns = 7 * NS_PER_S,
                                                           .watch = &watch,
                                                           .bound = note_bound });
        put_node(&test, "n1", 1000);
        put_pod(&test, "p", 100, "");
        step(&test);
        answer(&test, ACTION_BIND, "p", BERTH_ERR_UNAVAILABLE);
        assert_int_equal(note.count, 0);
        test.now_ns += 7 * NS_PER_S;
        assert_int_equal(step(&test).decisions, 0); /* its last second is not over */
        test.now_ns += NS_PER_S;
        assert_int_equal(step(&test).decisions, 1);
        test.now_ns += NS_PER_S;
        answer(&test, ACTION_BIND, "p", BERTH_OK);
        assert_int_equal(note.count, 1);
        assert_int_equal(note.attempts, 2);
        assert_int_equal(note.since_first_ns, 9 * NS_PER_S);
        sched_test_release(&test);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
#define CASE(label, test)                                                                          \
        { label, test, setup, teardown, NULL }
int main(void) {
        const struct CMUnitTest tests[] = {
                TEST(test_binds_and_announces),
                cmocka_unit_test(test_open_binds_are_limited),
                TEST(test_rests_after_the_last_decision),
                cmocka_unit_test(test_trace_is_a_ring),
                cmocka_unit_test(test_trace_counts_the_best),
                cmocka_unit_test(test_backoff_as_configured),
                TEST(test_never_overcommits),
                TEST(test_failure_is_one_write),
                CASE("sched-096 the same failure writes no status",
                     test_same_failure_writes_nothing),
                TEST(test_failed_write_is_repeated),
                TEST(test_status_without_effect_is_written_again),
                TEST(test_status_that_is_seen_is_not),
                TEST(test_new_node_wakes),
                CASE("sched-089 a grown node wakes when large enough",
                     test_grown_node_wakes_when_large_enough),
                TEST(test_terminating_pods_are_not_placed),
                TEST(test_removed_pod_wakes),
                TEST(test_priority_goes_first),
                TEST(test_failed_bind_backs_off),
                CASE("sched-097 condition and nomination in one write",
                     test_failed_preemption_clears_nomination_at_once),
                TEST(test_never_preempting_keeps_nomination),
                TEST(test_lost_answer_of_a_bind),
                TEST(test_pod_replaced_while_binding),
                CASE("sched-088 a gated pod waits", test_gated_pod_waits),
                TEST(test_ignores_other_schedulers),
                TEST(test_empty_cluster_waits_for_a_node),
                TEST(test_preempts_lower_priority),
                TEST(test_recreated_pod_is_new),
                TEST(test_trace_remembers),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
