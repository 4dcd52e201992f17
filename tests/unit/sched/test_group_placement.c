/* Groups with a topology constraint: wholly inside of one domain, the best of those that do. */
#include "group_test.h"

#define PLACEMENTS                                                                                 \
        &(struct scheduler_config) {                                                               \
                .has_gangs = true, .has_placements = true                                          \
        }
#define GANG(count) "\"schedulingPolicy\":{\"gang\":{\"minCount\":" #count "}}"
#define BY_ZONE ",\"schedulingConstraints\":{\"topology\":[{\"key\":\"zone\"}]}"

static const struct {
        const char *name, *spec;
        struct {
                const char *name, *zone; /* zone NULL = without the label */
                int cpu_milli;
        } nodes[6];
        const char *running[2]; /* nodes of members that run already */
        int waiting;            /* members of 500m */
        const char *zone;       /* where all of them are; NULL = nowhere */
        const char *group_says; /* part of the group's condition */
        const char *first_says; /* m0's message; NULL = not looked at */
} cases[] = {
        { "a domain that has the room",
          GANG(4) BY_ZONE,
          { { "a1", "a", 1000 }, { "b1", "b", 1000 }, { "b2", "b", 1000 } },
          { NULL },
          4,
          "b",
          "\"Scheduled\"",
          NULL },
        { "enough in all, but in no domain",
          GANG(4) BY_ZONE,
          { { "a1", "a", 1000 }, { "b1", "b", 1000 } },
          { NULL },
          4,
          NULL,
          "0/2 placements are available, first placement status: pod group is unschedulable",
          "pod group is unschedulable, waiting for minCount pods from a gang to be scheduled" },
        { "reasons count the nodes of the first domain",
          GANG(1) BY_ZONE,
          { { "a1", "a", 400 }, { "a2", "a", 300 }, { "b1", "b", 200 } },
          { NULL },
          1,
          NULL,
          "0/2 placements are available",
          "0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate, preemption: "
          "not eligible due to placement-based pod group scheduling limitation" },
        { "nodes without the key are in no domain",
          GANG(2) BY_ZONE,
          { { "x1", NULL, 4000 }, { "a1", "a", 1000 } },
          { NULL },
          2,
          "a",
          "\"Scheduled\"",
          NULL },
        { "nobody has the key",
          GANG(2) BY_ZONE,
          { { "x1", NULL, 4000 } },
          { NULL },
          2,
          NULL,
          "no feasible placements found",
          "no feasible placements found" },
        { "the fuller domain is better",
          GANG(2) BY_ZONE,
          { { "a1", "a", 4000 }, { "b1", "b", 1000 }, { "c1", "c", 2000 } },
          { NULL },
          2,
          "b",
          "\"Scheduled\"",
          NULL },
        { "the one with room for more of them is better still",
          GANG(2) BY_ZONE,
          { { "b1", "b", 1000 }, { "a1", "a", 2000 } },
          { NULL },
          4,
          "a",
          "\"Scheduled\"",
          NULL },
        { "late members join those that run",
          GANG(2) BY_ZONE,
          { { "a1", "a", 4000 }, { "b1", "b", 1000 } },
          { "a1", "a1" },
          2,
          "a",
          "\"Scheduled\"",
          NULL },
        { "their domain is full",
          GANG(2) BY_ZONE,
          { { "a1", "a", 1000 }, { "b1", "b", 1000 } },
          { "a1", "a1" },
          1,
          NULL,
          "0/1 placements are available",
          NULL },
        { "they run in two domains",
          GANG(2) BY_ZONE,
          { { "a1", "a", 1000 }, { "b1", "b", 1000 } },
          { "a1", "b1" },
          1,
          NULL,
          "\"SchedulerError\",\"message\":\"cannot determine domain for already scheduled pods: "
          "more than 1 domain found for pod group: a, b\"",
          "cannot determine domain for already scheduled pods: more than 1 domain found for pod "
          "group: a, b" },
        { "they run outside of any",
          GANG(2) BY_ZONE,
          { { "a1", "a", 1000 }, { "x1", NULL, 1000 } },
          { "x1" },
          1,
          NULL,
          "no topology domain found for pod default/r0",
          NULL },
        { "they run on a node that is gone",
          GANG(2) BY_ZONE,
          { { "a1", "a", 1000 } },
          { "gone" },
          1,
          NULL,
          "getting node for pod default/r0: nodeinfo not found for node name \\\"gone\\\"",
          NULL },
        { "no constraint",
          GANG(2),
          { { "a1", "a", 500 }, { "b1", "b", 400 } },
          { NULL },
          2,
          NULL,
          "0/1 placements are available, first placement status: pod group is unschedulable",
          NULL },
};

/* The zone all members were bound in; "" = none was, "?" = some were, or in several. */
static const char *zone_of_all(const struct group_test *test, size_t index) {
        const char *zone = NULL;
        int count = 0;
        for (int i = 0; i < cases[index].waiting; i++) {
                char name[16];
                snprintf(name, sizeof(name), "m%d", i);
                const char *node = bound_to(test, name);
                if (node[0] == '\0')
                        continue;
                for (size_t n = 0; n < ARRAY_LEN(cases[index].nodes); n++) {
                        if (!cases[index].nodes[n].name ||
                            strcmp(cases[index].nodes[n].name, node) != 0)
                                continue;
                        if (zone && strcmp(zone, cases[index].nodes[n].zone) != 0)
                                return "?";
                        zone = cases[index].nodes[n].zone;
                        count++;
                }
        }
        if (!zone)
                return "";
        return count == cases[index].waiting ? zone : "?";
}

static void put_case(struct group_test *test, size_t index) {
        char text[64];
        for (size_t n = 0; n < ARRAY_LEN(cases[index].nodes); n++) {
                if (!cases[index].nodes[n].name)
                        break;
                const char *zone = cases[index].nodes[n].zone;
                text[0] = '\0';
                if (zone)
                        snprintf(text, sizeof(text), "\"zone\":\"%s\"", zone);
                put_labelled_node(test, cases[index].nodes[n].name, cases[index].nodes[n].cpu_milli,
                                  text);
        }
        put_pod_group(test, "g", cases[index].spec);
        for (size_t r = 0; r < ARRAY_LEN(cases[index].running); r++) {
                if (!cases[index].running[r])
                        break;
                snprintf(text, sizeof(text), "r%zu", r);
                put_running(test, text, cases[index].running[r], 500, "",
                            "\"schedulingGroup\":{\"podGroupName\":\"g\"},");
        }
        for (int i = 0; i < cases[index].waiting; i++) {
                snprintf(text, sizeof(text), "m%d", i);
                put_member(test, "g", text, 500, "");
        }
}

static void test_cases(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct group_test test;
                group_test_init(&test, PLACEMENTS);
                put_case(&test, i);
                step(&test.base);
                const char *zone = zone_of_all(&test, i);
                if (strcmp(zone, cases[i].zone ? cases[i].zone : "") != 0)
                        fail_msg("%s: in %s", cases[i].name, zone);
                if (!strstr(reported_group(&test, "g"), cases[i].group_says))
                        fail_msg("%s: group: %s", cases[i].name, reported_group(&test, "g"));
                if (cases[i].first_says &&
                    strcmp(reported_pod(&test, "m0"), cases[i].first_says) != 0)
                        fail_msg("%s: m0: %s", cases[i].name, reported_pod(&test, "m0"));
                group_test_release(&test);
        }
}

/* Without the gate the constraint means nothing, and the group is told nothing of placements. */
static void test_gate_is_off(void **state) {
        (void)state;
        struct group_test test;
        group_test_init(&test, &(struct scheduler_config){ .has_gangs = true });
        put_labelled_node(&test, "a1", 1000, "\"zone\":\"a\"");
        put_labelled_node(&test, "b1", 500, "\"zone\":\"b\"");
        put_pod_group(&test, "g", GANG(4) BY_ZONE);
        for (int i = 0; i < 4; i++)
                put_member(&test, "g", (const char *[]){ "m0", "m1", "m2", "m3" }[i], 500, "");
        step(&test.base);
        assert_int_equal(count_actions(&test.base, ACTION_BIND), 0);
        assert_non_null(
                strstr(reported_group(&test, "g"), "\"message\":\"pod group is unschedulable\""));
        put_labelled_node(&test, "c1", 500, "");
        test.base.now_ns += 20 * NS_PER_S;
        step(&test.base);
        assert_int_equal(count_actions(&test.base, ACTION_BIND), 4);
        group_test_release(&test);
}

/* Two equal domains are drawn, but the same seed draws the same. */
static void test_ties_follow_the_seed(void **state) {
        (void)state;
        bool has_been[2] = { false, false };
        for (uint64_t seed = 0; seed < 32; seed++) {
                char first[64] = "";
                for (int round = 0; round < 2; round++) {
                        struct group_test test;
                        struct scheduler_config config = *PLACEMENTS;
                        config.seed = seed;
                        group_test_init(&test, &config);
                        put_labelled_node(&test, "a", 1000, "\"zone\":\"a\"");
                        put_labelled_node(&test, "b", 1000, "\"zone\":\"b\"");
                        put_pod_group(&test, "g", GANG(2) BY_ZONE);
                        put_member(&test, "g", "m0", 500, "");
                        put_member(&test, "g", "m1", 500, "");
                        step(&test.base);
                        const char *node = bound_to(&test, "m0");
                        assert_true(strcmp(node, "a") == 0 || strcmp(node, "b") == 0);
                        has_been[node[0] == 'b'] = true;
                        if (round == 0)
                                snprintf(first, sizeof(first), "%s", node);
                        else
                                assert_string_equal(first, node);
                        group_test_release(&test);
                }
        }
        assert_true(has_been[0] && has_been[1]);
}

static void put_apart(struct group_test *test, int number, const char *rules) {
        apply(&test->base, OBJECT_POD, CHANGE_ADDED,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"m%d\",\"uid\":\"uid-m%d\","
              "\"labels\":{\"app\":\"g\"}},\"spec\":{\"schedulingGroup\":{\"podGroupName\":\"g\"},"
              "%s,\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}",
              number, number, rules);
}

#define SELECTOR "\"labelSelector\":{\"matchLabels\":{\"app\":\"g\"}}"
#define APART                                                                                      \
        "\"affinity\":{\"podAntiAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":["  \
        "{\"topologyKey\":\"host\"," SELECTOR "}]}}"
#define SPREAD                                                                                     \
        "\"topologySpreadConstraints\":[{\"maxSkew\":1,\"topologyKey\":\"host\","                  \
        "\"whenUnsatisfiable\":\"DoNotSchedule\"," SELECTOR "}]"

/* Members count where the trial has put them: one on each node, which only the second domain has
 * enough nodes for. */
static void test_members_see_each_other(void **state) {
        static const char *const rules[] = { APART, SPREAD }, *const nodes[] = { "a0", "a1", "b0",
                                                                                 "b1", "b2" };
        (void)state;
        for (size_t r = 0; r < ARRAY_LEN(rules); r++) {
                struct group_test test;
                bool is_used[3] = { false };
                group_test_init(&test, PLACEMENTS);
                put_pod_group(&test, "g", GANG(3) BY_ZONE);
                for (size_t i = 0; i < ARRAY_LEN(nodes); i++) {
                        char labels[64];
                        snprintf(labels, sizeof(labels), "\"zone\":\"%.1s\",\"host\":\"%s\"",
                                 nodes[i], nodes[i]);
                        put_labelled_node(&test, nodes[i], 4000, labels);
                }
                for (int i = 0; i < 3; i++)
                        put_apart(&test, i, rules[r]);
                step(&test.base);
                for (int i = 0; i < 3; i++) {
                        const char *node = bound_to(&test, (const char *[]){ "m0", "m1", "m2" }[i]);
                        assert_int_equal(node[0], 'b');
                        assert_false(is_used[node[1] - '0']);
                        is_used[node[1] - '0'] = true;
                }
                group_test_release(&test);
        }
}

/* Only what was decided in the end is among the remembered decisions. */
static void test_trace_shows_the_choice(void **state) {
        (void)state;
        struct group_test test;
        group_test_init(&test, PLACEMENTS);
        put_labelled_node(&test, "a1", 4000, "\"zone\":\"a\"");
        put_labelled_node(&test, "b1", 1000, "\"zone\":\"b\"");
        put_pod_group(&test, "g", GANG(2) BY_ZONE);
        put_member(&test, "g", "m0", 500, "");
        put_member(&test, "g", "m1", 500, "");
        step(&test.base);
        assert_int_equal(scheduler_trace_count(test.base.scheduler), 2);
        for (size_t i = 0; i < 2; i++) {
                const struct decision_trace *trace = scheduler_trace(test.base.scheduler, i);
                assert_string_equal(trace->node, "b1");
                assert_int_equal(trace->node_count, 1);
        }
        group_test_release(&test);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_cases),
                cmocka_unit_test(test_gate_is_off),
                cmocka_unit_test(test_ties_follow_the_seed),
                cmocka_unit_test(test_members_see_each_other),
                cmocka_unit_test(test_trace_shows_the_choice),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
