/* Acceptance cases of the scheduler (reference scheduler.md section 10) that take more than one
 * decision, or end in something that is written. */
#include "plugin/verdict.h"
#include "sched/decision.h"
#include "sched_test.h"
#include <string.h>

static const struct extender asked_one = {
        .name = SLICE_INIT("http://one"), .filters = true, .prioritizes = true, .weight = 2
};

static int set_up(void **state) {
        struct sched_test *test = xcalloc(1, sizeof(*test));
        sched_test_init(test, NULL);
        *state = test;
        return 0;
}

static int set_up_parity(void **state) {
        struct sched_test *test = xcalloc(1, sizeof(*test));
        sched_test_init(test, &(struct scheduler_config){ .is_parity = true });
        *state = test;
        return 0;
}

static int set_up_extender(void **state) {
        struct sched_test *test = xcalloc(1, sizeof(*test));
        sched_test_init(test,
                        &(struct scheduler_config){ .extender_count = 1, .extenders = &asked_one });
        *state = test;
        return 0;
}

static int tear_down(void **state) {
        sched_test_release(*state);
        free(*state);
        return 0;
}

static enum queue_part part_of(const struct sched_test *test, const char *pod) {
        struct queue_place place = { .part = QUEUE_NONE };
        struct pod_id id = cluster_find_pod(test->cluster, SLICE_LITERAL("default"), slice_of(pod));
        scheduler_find(test->scheduler, id, &place);
        return place.part;
}

/* What an extender said, in place of the list of actions. */
static void reply(struct sched_test *test, const char *pod, const char *body) {
        const struct action *question = find_action(test, ACTION_ASK_EXTENDER, pod);
        assert_non_null(question);
        struct action_list out;
        action_list_init(&out);
        out.next_id = test->actions.next_id;
        struct action_result result = { .id = question->id,
                                        .kind = ACTION_ASK_EXTENDER,
                                        .target = question->target,
                                        .retry_after_s = -1,
                                        .body = slice_of(body) };
        scheduler_result(test->scheduler, &result, (struct mono_time){ test->now_ns },
                         test_wall(test), &out);
        action_list_release(&test->actions);
        test->actions = out;
}

/* A score of 5 with weight 2 is 100 points, more than the plugins can make good here. */
static void extender_adds(void **state) {
        struct sched_test *test = *state;
        put_node(test, "n1", 4000);
        put_node(test, "n2", 4400);
        put_pod(test, "p", 100, "");
        step(test);
        reply(test, "p", "{\"NodeNames\":[\"n1\",\"n2\"]}");
        assert_int_equal(find_action(test, ACTION_ASK_EXTENDER, "p")->ask.verb,
                         EXTENDER_PRIORITIZE);
        reply(test, "p", "[{\"Host\":\"n1\",\"Score\":5},{\"Host\":\"n2\",\"Score\":0}]");
        assert_true(slice_is(find_action(test, ACTION_BIND, "p")->bind.node, "n1"));
}

/* Scores beyond all bounds stay on their side of zero. */
static void extender_exaggerates(void **state) {
        struct sched_test *test = *state;
        put_node(test, "n1", 4000);
        put_node(test, "n2", 4000);
        put_pod(test, "p", 100, "");
        step(test);
        reply(test, "p", "{\"NodeNames\":[\"n1\",\"n2\"]}");
        reply(test, "p",
              "[{\"Host\":\"n1\",\"Score\":-9223372036854775808},{\"Host\":\"n1\",\"Score\":"
              "-9223372036854775807},{\"Host\":\"n2\",\"Score\":9223372036854775807},"
              "{\"Host\":\"n2\",\"Score\":9223372036854775807}]");
        assert_true(slice_is(find_action(test, ACTION_BIND, "p")->bind.node, "n2"));
}

static void bonus_is_exact(void **state) {
        struct sched_test *test = *state;
        struct arena arena;
        struct decision plain, decision;
        arena_init(&arena, 0);
        put_node(test, "n1", 4000);
        put_node(test, "n2", 4000);
        put_pod(test, "p", 100, "");
        struct decision_request request = {
                .pod = cluster_find_pod(test->cluster, SLICE_LITERAL("default"), SLICE_LITERAL("p"))
        };
        scheduler_decide(test->cluster, test->profile, &request, &arena, &plain);
        struct extended_node nodes[] = {
                { .node = cluster_find_node(test->cluster, SLICE_LITERAL("n1")), .bonus = 100 },
                { .node = cluster_find_node(test->cluster, SLICE_LITERAL("n2")) },
        };
        struct decision_extension extension = { ARRAY_LEN(nodes), nodes };
        request.extension = &extension;
        scheduler_decide(test->cluster, test->profile, &request, &arena, &decision);
        assert_int_equal(decision.best_total, plain.best_total + 100);
        assert_int_equal(decision.node.index, nodes[0].node.index);
        arena_release(&arena);
}

static void lower_nominee_loses(void **state) {
        struct sched_test *test = *state;
        put_node(test, "n1", 1000);
        put_pod(test, "victim", 800, "\"nodeName\":\"n1\",");
        apply(test, OBJECT_POD, CHANGE_ADDED,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"low\",\"uid\":\"uid-low\"},"
              "\"spec\":{\"priority\":5,\"preemptionPolicy\":\"Never\",\"containers\":[{\"name\":"
              "\"c\",\"image\":\"i\",\"resources\":{\"requests\":{\"cpu\":\"800m\"}}}]},"
              "\"status\":{\"nominatedNodeName\":\"n1\"}}");
        put_pod(test, "p", 800, "\"priority\":100,");
        step(test);
        const struct action *clear = find_action(test, ACTION_POD_STATUS, "low");
        assert_non_null(clear);
        assert_true(clear->status.sets_nomination && slice_is_empty(clear->status.nomination));
        assert_true(slice_is(find_action(test, ACTION_POD_STATUS, "p")->status.nomination, "n1"));
}

static void victims_end_already(void **state) {
        struct sched_test *test = *state;
        put_node(test, "n1", 1000);
        apply(test, OBJECT_POD, CHANGE_ADDED,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"victim\",\"uid\":\"uid-v\","
              "\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"},\"spec\":{\"nodeName\":\"n1\","
              "\"containers\":[{\"name\":\"c\",\"image\":\"i\",\"resources\":{\"requests\":"
              "{\"cpu\":\"800m\"}}}]}}");
        put_pod(test, "p", 800, "\"priority\":100,");
        step(test);
        assert_int_equal(count_actions(test, ACTION_PREEMPT_POD), 0);
        assert_null(find_action(test, ACTION_POD_STATUS, "victim"));
        assert_true(slice_is(find_action(test, ACTION_POD_STATUS, "p")->status.nomination, "n1"));
}

#define GATED "\"schedulingGates\":[{\"name\":\"g\"}],"

static void gated_pod_observes_nothing(void **state) {
        struct sched_test *test = *state;
        put_node(test, "n1", 4000);
        put_pod(test, "p", 1000, GATED);
        step(test);
        apply(test, OBJECT_POD, CHANGE_UPDATED,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"p\",\"uid\":\"uid-p\","
              "\"labels\":{\"a\":\"b\"}},\"spec\":{" GATED
              "\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}");
        put_node(test, "n2", 4000);
        assert_int_equal(step(test).decisions, 0);
        assert_int_equal(test->actions.count, 0);
        apply(test, OBJECT_POD, CHANGE_UPDATED,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"p\",\"uid\":\"uid-p\"},"
              "\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}");
        step(test);
        assert_non_null(find_action(test, ACTION_BIND, "p"));
}

static void taint_n1(struct sched_test *test) {
        apply(test, OBJECT_NODE, CHANGE_UPDATED,
              "{\"metadata\":{\"name\":\"n1\",\"labels\":{\"kubernetes.io/hostname\":\"n1\"}},"
              "\"spec\":{\"taints\":[{\"key\":\"k\",\"effect\":\"PreferNoSchedule\"}]},\"status\":{"
              "\"allocatable\":{\"cpu\":\"1\",\"memory\":\"32Gi\",\"pods\":\"110\"}}}");
}

static void taint_wakes_in_parity(void **state) {
        struct sched_test *test = *state;
        put_node(test, "n1", 1000);
        put_pod(test, "p", 2000, "");
        step(test);
        taint_n1(test);
        assert_int_equal(step(test).decisions + step(test).decisions, 1);
}

static void taint_does_not_wake(void **state) {
        struct sched_test *test = *state;
        put_node(test, "n1", 1000);
        put_pod(test, "p", 2000, "");
        step(test);
        taint_n1(test);
        assert_int_equal(step(test).decisions + step(test).decisions, 0);
        assert_int_equal(part_of(test, "p"), QUEUE_UNSCHEDULABLE);
}

/* The extender thinks while a node comes: what it said then does not park the pod. */
static void event_in_flight(void **state) {
        struct sched_test *test = *state;
        put_node(test, "n1", 4000);
        put_pod(test, "p", 1000, "");
        step(test);
        assert_non_null(find_action(test, ACTION_ASK_EXTENDER, "p"));
        put_node(test, "n2", 4000);
        reply(test, "p", "{\"NodeNames\":[],\"FailedNodes\":{\"n1\":\"no\"}}");
        assert_int_equal(part_of(test, "p"), QUEUE_BACKOFF);
}

static void nothing_in_flight(void **state) {
        struct sched_test *test = *state;
        put_node(test, "n1", 4000);
        put_pod(test, "p", 1000, "");
        step(test);
        reply(test, "p", "{\"NodeNames\":[],\"FailedNodes\":{\"n1\":\"no\"}}");
        assert_int_equal(part_of(test, "p"), QUEUE_UNSCHEDULABLE);
}

/* Whoever says no after a node was chosen speaks of that node alone, however many there are. */
static void one_node_refused_late(void **state) {
        static const struct slice reason[] = { SLICE_INIT("the reservation is gone") };
        struct node_refusal refusal = { .reason_count = 1, .reasons = reason };
        struct arena arena;
        (void)state;
        arena_init(&arena, 0);
        assert_string_equal(refusals_message(1, &refusal, 1, &arena).ptr,
                            "0/1 nodes are available: 1 the reservation is gone.");
        arena_release(&arena);
}

static void put_zoned(struct sched_test *test, const char *name, const char *zone) {
        apply(test, OBJECT_NODE, CHANGE_ADDED,
              "{\"metadata\":{\"name\":\"%s\",\"labels\":{\"topology.kubernetes.io/zone\":\"%s\"}},"
              "\"status\":{\"allocatable\":{\"cpu\":\"1\",\"pods\":\"9\"}}}",
              name, zone);
}

static void zones_interleave(void **state) {
        static const char *const names[] = { "a1", "a2", "a3", "b1", "c1", "c2" };
        static const char *const wanted[] = { "a1", "b1", "c1", "a2", "c2", "a3" };
        struct sched_test *test = *state;
        for (size_t i = 0; i < ARRAY_LEN(names); i++)
                put_zoned(test, names[i], (char[]){ names[i][0], '\0' });
        const struct node_id *order = cluster_node_order(test->cluster);
        for (size_t i = 0; i < ARRAY_LEN(wanted); i++)
                assert_true(slice_is(cluster_node_name(test->cluster, order[i]), wanted[i]));
}

static void no_nodes_by_timer(void **state) {
        struct sched_test *test = *state;
        struct mono_time due;
        put_pod(test, "p", 1000, "");
        step(test);
        assert_true(slice_is(find_action(test, ACTION_POD_STATUS, "p")->status.message,
                             "no nodes available to schedule pods"));
        assert_int_equal(part_of(test, "p"), QUEUE_BACKOFF);
        assert_true(scheduler_next_due(test->scheduler, &due));
        test->now_ns = due.ns;
        assert_int_equal(step(test).decisions, 1);
        assert_int_equal(count_actions(test, ACTION_POD_STATUS), 0);
}

static void extender_wakes_on_any_event(void **state) {
        struct sched_test *test = *state;
        nothing_in_flight(state);
        test->now_ns += 60 * NS_PER_S;
        put_pod(test, "other", 100, "\"nodeName\":\"n1\",");
        step(test);
        assert_non_null(find_action(test, ACTION_ASK_EXTENDER, "p"));
}

#define CASE(label, test, set_up)                                                                  \
        { label, test, set_up, tear_down, NULL }

int main(void) {
        const struct CMUnitTest tests[] = {
                CASE("sched-012 an extender prefers", extender_adds, set_up_extender),
                CASE("sched-012 an extender exaggerates", extender_exaggerates, set_up_extender),
                CASE("sched-012 5 points, weight 2", bonus_is_exact, set_up),
                CASE("sched-080 a lower nominee loses its node", lower_nominee_loses, set_up),
                CASE("sched-082 all victims end already", victims_end_already, set_up),
                CASE("sched-088 a gated pod hears nothing", gated_pod_observes_nothing, set_up),
                CASE("sched-090 a taint wakes, parity", taint_wakes_in_parity, set_up_parity),
                CASE("sched-090 a taint wakes nobody without", taint_does_not_wake, set_up),
                CASE("sched-091 an event in flight", event_in_flight, set_up_extender),
                CASE("sched-091 no event in flight", nothing_in_flight, set_up_extender),
                CASE("sched-092 zones interleave", zones_interleave, set_up),
                CASE("sched-094 no nodes, by the clock", no_nodes_by_timer, set_up_parity),
                CASE("sched-095 one node refused late", one_node_refused_late, set_up),
                CASE("sched-103 any event asks an extender again", extender_wakes_on_any_event,
                     set_up_extender),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
