/* Room made for a group as a whole (gate WorkloadAwarePreemption). */
#include "group_test.h"

#define GATES                                                                                      \
        &(struct scheduler_config) {                                                               \
                .has_groups = true, .has_gangs = true, .has_group_preemption = true                \
        }
#define GANG(count) "\"schedulingPolicy\":{\"gang\":{\"minCount\":" #count "}}"
#define PRIORITY(number) ",\"priority\":" #number
#define WHOLE ",\"disruptionMode\":\"PodGroup\""
#define BY_ZONE ",\"schedulingConstraints\":{\"topology\":[{\"key\":\"zone\"}]}"
#define IN_V "\"schedulingGroup\":{\"podGroupName\":\"v\"},"
#define IN_G "\"schedulingGroup\":{\"podGroupName\":\"g\"},"
#define ENDING "\"deletionTimestamp\":\"2023-11-14T22:30:00Z\","
#define UNSCHEDULABLE "\"message\":\"pod group is unschedulable"

struct runner {
        const char *name, *node, *spec, *metadata; /* further members; NULL = none */
};

static const struct {
        const char *name, *group, *other; /* other: the spec of group v; NULL = there is none */
        struct runner runners[5];         /* 1 CPU each, as the nodes n1 to n3 */
        int members;                      /* of 1 CPU */
        const char *member_spec;
        const char *victims; /* sorted by name */
        const char *nodes;   /* where members are nominated to, in order */
        const char *says;    /* part of the group's condition */
        size_t binds;
} cases[] = {
        { .name = "as many as it takes, the least important",
          .group = GANG(2) PRIORITY(100),
          .runners = { { "a", "n1", "\"priority\":30," },
                       { "b", "n2", "\"priority\":20," },
                       { "c", "n3", "\"priority\":10," } },
          .members = 2,
          .victims = "b c",
          .nodes = "n2 n3",
          .says = UNSCHEDULABLE "\"" },
        { .name = "what is free is used",
          .group = GANG(2) PRIORITY(100),
          .runners = { { "a", "n1", "\"priority\":30," }, { "c", "n3", "\"priority\":10," } },
          .members = 2,
          .victims = "c",
          .nodes = "n2 n3",
          .says = UNSCHEDULABLE "\"" },
        { .name = "nobody is less important",
          .group = GANG(2) PRIORITY(10),
          .runners = { { "a", "n1", "\"priority\":10," },
                       { "b", "n2", "\"priority\":10," },
                       { "c", "n3", "\"priority\":10," } },
          .members = 2,
          .says = UNSCHEDULABLE ", No preemption victims found for incoming preemptor\"" },
        { .name = "the group's priority counts, not its pods'",
          .group = GANG(1),
          .runners = { { "a", "n1" }, { "b", "n2" }, { "c", "n3" } },
          .members = 1,
          .member_spec = "\"priority\":100,",
          .says = "No preemption victims found" },
        { .name = "not enough even without all of them",
          .group = GANG(3) PRIORITY(100),
          .runners = { { "a", "n1" }, { "b", "n2" }, { "c", "n3", "\"priority\":100," } },
          .members = 3,
          .says = UNSCHEDULABLE ", pod group is unschedulable\"" },
        { .name = "some member never preempts",
          .group = GANG(1) PRIORITY(100),
          .runners = { { "a", "n1" }, { "b", "n2" }, { "c", "n3" } },
          .members = 1,
          .member_spec = "\"preemptionPolicy\":\"Never\",",
          .says = UNSCHEDULABLE ", not eligible due to preemptionPolicy=Never.\"" },
        { .name = "constrained groups have to do without",
          .group = GANG(1) PRIORITY(100) BY_ZONE,
          .runners = { { "a", "n1" }, { "b", "n2" }, { "c", "n3" } },
          .members = 1,
          .says = "workload aware preemption is not supported for pod groups with scheduling "
                  "constraints" },
        { .name = "a group that is disrupted whole goes whole",
          .group = GANG(2) PRIORITY(100),
          .other = GANG(2) PRIORITY(10) WHOLE,
          .runners = { { "a", "n1", IN_V }, { "b", "n2", IN_V }, { "c", "n3", "\"priority\":9," } },
          .members = 2,
          .victims = "a b",
          .nodes = "n1 n2",
          .says = UNSCHEDULABLE "\"" },
        { .name = "also where one of them would do",
          .group = GANG(1) PRIORITY(100),
          .other = GANG(2) PRIORITY(10) WHOLE,
          .runners = { { "a", "n1", IN_V },
                       { "b", "n2", IN_V },
                       { "c", "n3", "\"priority\":200," } },
          .members = 1,
          .victims = "a b",
          .nodes = "n1",
          .says = UNSCHEDULABLE "\"" },
        { .name = "a group is more important than a pod of its priority",
          .group = GANG(1) PRIORITY(100),
          .other = GANG(2) PRIORITY(10) WHOLE,
          .runners = { { "a", "n1", IN_V },
                       { "b", "n2", IN_V },
                       { "c", "n3", "\"priority\":10," } },
          .members = 1,
          .victims = "c",
          .nodes = "n3",
          .says = UNSCHEDULABLE "\"" },
        { .name = "a group that is too important is safe, whatever its pods are",
          .group = GANG(1) PRIORITY(100),
          .other = GANG(2) PRIORITY(100) WHOLE,
          .runners = { { "a", "n1", IN_V }, { "b", "n2", IN_V }, { "c", "n3", IN_V } },
          .members = 1,
          .says = "No preemption victims found" },
        { .name = "pods of other groups go one by one",
          .group = GANG(1) PRIORITY(100),
          .other = GANG(2) PRIORITY(100),
          .runners = { { "a", "n1", IN_V "\"priority\":2," },
                       { "b", "n2", IN_V "\"priority\":1," },
                       { "c", "n3", "\"priority\":200," } },
          .members = 1,
          .victims = "b",
          .nodes = "n2",
          .says = UNSCHEDULABLE "\"" },
        { .name = "who leaves anyway goes first",
          .group = GANG(1) PRIORITY(100),
          .runners = { { "a", "n1", "\"priority\":50,", ENDING }, { "b", "n2" }, { "c", "n3" } },
          .members = 1,
          .nodes = "n1",
          .says = UNSCHEDULABLE "\"" },
        { .name = "a budget protects",
          .group = GANG(1) PRIORITY(100),
          .runners = { { "a", "n1", NULL, "\"labels\":{\"app\":\"db\"}," },
                       { "b", "n2", "\"priority\":50," },
                       { "c", "n3", NULL, "\"labels\":{\"app\":\"db\"}," } },
          .members = 1,
          .victims = "b",
          .nodes = "n2",
          .says = UNSCHEDULABLE "\"" },
        { .name = "but only as long as it can",
          .group = GANG(2) PRIORITY(100),
          .runners = { { "a", "n1", NULL, "\"labels\":{\"app\":\"db\"}," },
                       { "b", "n2", "\"priority\":50," },
                       { "c", "n3", "\"priority\":1,", "\"labels\":{\"app\":\"db\"}," } },
          .members = 2,
          .victims = "a b",
          .nodes = "n1 n2",
          .says = UNSCHEDULABLE "\"" },
        { .name = "its own members stay",
          .group = GANG(1) PRIORITY(100),
          .runners = { { "a", "n1", IN_G },
                       { "b", "n2", "\"priority\":50," },
                       { "c", "n3", "\"priority\":60," } },
          .members = 1,
          .victims = "b",
          .nodes = "n2",
          .says = UNSCHEDULABLE "\"" },
        { .name = "a basic group needs room for one",
          .group = "\"schedulingPolicy\":{\"basic\":{}}" PRIORITY(100),
          .runners = { { "a", "n1", "\"priority\":30," },
                       { "b", "n2", "\"priority\":20," },
                       { "c", "n3", "\"priority\":10," } },
          .members = 2,
          .victims = "c",
          .nodes = "n3 ",
          .says = UNSCHEDULABLE "\"" },
        { .name = "it fits",
          .group = GANG(2) PRIORITY(100),
          .runners = { { "a", "n1" } },
          .members = 2,
          .says = "\"Scheduled\"",
          .binds = 2 },
};

static void put_case(struct group_test *test, size_t index) {
        char name[16];
        for (int n = 1; n <= 3; n++) {
                snprintf(name, sizeof(name), "n%d", n);
                put_labelled_node(test, name, 1000, "\"zone\":\"a\"");
        }
        apply(&test->base, OBJECT_BUDGET, CHANGE_ADDED,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"db\"},\"spec\":{\"selector\":{"
              "\"matchLabels\":{\"app\":\"db\"}}},\"status\":{\"disruptionsAllowed\":0}}");
        put_pod_group(test, "g", cases[index].group);
        if (cases[index].other)
                put_pod_group(test, "v", cases[index].other);
        for (size_t i = 0; i < ARRAY_LEN(cases[index].runners); i++) {
                const struct runner *runner = &cases[index].runners[i];
                if (!runner->name)
                        break;
                put_running(test, runner->name, runner->node, 1000,
                            runner->metadata ? runner->metadata : "",
                            runner->spec ? runner->spec : "");
        }
        for (int i = 0; i < cases[index].members; i++) {
                snprintf(name, sizeof(name), "m%d", i);
                put_member(test, "g", name, 1000,
                           cases[index].member_spec ? cases[index].member_spec : "");
        }
}

/* Names of the pods that are deleted, sorted. */
static void list_victims(const struct group_test *test, char *text, size_t size) {
        size_t length = 0;
        text[0] = '\0';
        for (char name = 'a'; name <= 'z'; name++) {
                const char pod[] = { name, '\0' };
                if (find_action(&test->base, ACTION_PREEMPT_POD, pod))
                        length += (size_t)snprintf(text + length, size - length, "%s%s",
                                                   length > 0 ? " " : "", pod);
        }
}

static void list_nominations(const struct group_test *test, int members, char *text, size_t size) {
        size_t length = 0;
        bool has_any = false;
        text[0] = '\0';
        for (int i = 0; i < members; i++) {
                char name[16];
                snprintf(name, sizeof(name), "m%d", i);
                const struct action *status = find_action(&test->base, ACTION_POD_STATUS, name);
                struct slice node = status && status->status.sets_nomination
                                            ? status->status.nomination
                                            : SLICE_EMPTY;
                has_any = has_any || !slice_is_empty(node);
                length += (size_t)snprintf(text + length, size - length, "%s" SLICE_FMT,
                                           i > 0 ? " " : "", SLICE_ARG(node));
        }
        if (!has_any)
                text[0] = '\0';
}

static void test_cases(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct group_test test;
                struct err err = { 0 };
                char victims[64], nodes[64];
                group_test_init(&test, GATES);
                put_case(&test, i);
                step(&test.base);
                list_victims(&test, victims, sizeof(victims));
                list_nominations(&test, cases[i].members, nodes, sizeof(nodes));
                if (strcmp(victims, cases[i].victims ? cases[i].victims : "") != 0)
                        fail_msg("%s: victims %s", cases[i].name, victims);
                if (strcmp(nodes, cases[i].nodes ? cases[i].nodes : "") != 0)
                        fail_msg("%s: nominated to %s", cases[i].name, nodes);
                if (!strstr(reported_group(&test, "g"), cases[i].says))
                        fail_msg("%s: %s", cases[i].name, reported_group(&test, "g"));
                assert_int_equal(count_actions(&test.base, ACTION_BIND), cases[i].binds);
                assert_int_equal(cluster_check(test.base.cluster, &err), 0);
                group_test_release(&test);
        }
}

/* One write per member, two calls and an event per victim; the words are upstream's. */
static void test_writes(void **state) {
        (void)state;
        struct group_test test;
        group_test_init(&test, GATES);
        put_case(&test, 0);
        step(&test.base);
        assert_int_equal(count_actions(&test.base, ACTION_POD_STATUS), 2 + 2);
        assert_int_equal(count_actions(&test.base, ACTION_PREEMPT_POD), 2);
        assert_int_equal(count_actions(&test.base, ACTION_PATCH_OBJECT), 1);
        const struct action *mark = find_action(&test.base, ACTION_POD_STATUS, "b");
        assert_true(slice_is(mark->status.disruption,
                             "default-scheduler: preempting to accommodate a higher priority "
                             "podgroup"));
        const struct action *event = find_action(&test.base, ACTION_RECORD_EVENT, "b");
        assert_true(slice_is(event->event.note, "Preempted by podgroup uid-g on node cluster"));
        assert_string_equal(reported_pod(&test, "m0"),
                            "0/3 nodes are available: 3 Insufficient cpu. no new claims to "
                            "deallocate, preemption: not eligible due to workload aware preemption "
                            "enabled");
        group_test_release(&test);
}

/* From the deletions to the bindings: nothing is tried while they are on their way, nobody else
 * goes while the victims end, and then all are bound where they were nominated to. */
static void test_to_the_end(void **state) {
        (void)state;
        struct group_test test;
        group_test_init(&test, GATES);
        put_case(&test, 0);
        step(&test.base);
        struct action_list first = test.base.actions;
        action_list_init(&test.base.actions);
        test.base.actions.next_id = first.next_id;
        test.base.now_ns += 20 * NS_PER_S;
        put_running(&test, "other", "n1", 0, "", ""); /* wakes */
        step(&test.base);
        assert_int_equal(test.base.actions.count, 0);
        for (size_t i = 0; i < first.count; i++)
                if (first.items[i].kind == ACTION_PREEMPT_POD)
                        answer_action(&test.base, &first.items[i], 0);
        action_list_release(&first);
        put_running(&test, "b", "n2", 1000, ENDING, "\"priority\":20,");
        put_running(&test, "c", "n3", 1000, ENDING, "\"priority\":10,");
        test.base.now_ns += 20 * NS_PER_S;
        step(&test.base);
        assert_int_equal(count_actions(&test.base, ACTION_PREEMPT_POD), 0);
        assert_int_equal(count_actions(&test.base, ACTION_BIND), 0);
        for (const char *const *pod = (const char *const[]){ "b", "c", NULL }; *pod; pod++)
                apply(&test.base, OBJECT_POD, CHANGE_REMOVED,
                      "{\"metadata\":{\"namespace\":\"default\",\"name\":\"%s\"}}", *pod);
        test.base.now_ns += 20 * NS_PER_S;
        step(&test.base);
        assert_string_equal(bound_to(&test, "m0"), "n2");
        assert_string_equal(bound_to(&test, "m1"), "n3");
        assert_non_null(strstr(reported_group(&test, "g"), "\"Scheduled\""));
        group_test_release(&test);
}

/* Without the gate groups are no units, and their priority means nothing. */
static void test_gate_is_off(void **state) {
        (void)state;
        struct group_test test;
        group_test_init(&test, &(struct scheduler_config){ .has_groups = true, .has_gangs = true });
        put_case(&test, 7); /* its victims would be a whole group */
        step(&test.base);
        assert_int_equal(count_actions(&test.base, ACTION_PREEMPT_POD), 0); /* pods' priority: 0 */
        assert_non_null(strstr(reported_group(&test, "g"), UNSCHEDULABLE "\""));
        group_test_release(&test);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_cases),
                cmocka_unit_test(test_writes),
                cmocka_unit_test(test_to_the_end),
                cmocka_unit_test(test_gate_is_off),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
