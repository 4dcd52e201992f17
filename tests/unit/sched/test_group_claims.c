/* Groups whose members have claims of devices: the ones behind see what the others took, share what
 * is on its way, and a claim may be the group's own. */
#include "claim_test.h"

#define GANG(count) "\"schedulingPolicy\":{\"gang\":{\"minCount\":" #count "}}"
#define NODE_OF(name)                                                                              \
        "\"nodeSelector\":{\"nodeSelectorTerms\":[{\"matchFields\":[{\"key\":\"metadata.name\","   \
        "\"operator\":\"In\",\"values\":[\"" name "\"]}]}]}"

static void begin_with(struct group_test *test, const char *group) {
        claim_test_init(test, FEATURE_GROUP_DEVICES,
                        (struct scheduler_config){ .has_gangs = true });
        put_pod_group(test, "g", group);
}

static void begin(struct group_test *test) {
        begin_with(test, GANG(2));
}

/* The node n1 with a device, and the claim `s`. */
static void begin_shared(struct group_test *test, const char *group, const char *status) {
        begin_with(test, group);
        put_device_node(test, "n1");
        put_claim(test, "s", status);
}

static void put_two(struct group_test *test, const char *first_claims, const char *second_claims) {
        put_member(test, "g", "m0", 100, first_claims);
        put_member(test, "g", "m1", 100, second_claims);
        step(&test->base);
}

static void put_sharers(struct group_test *test, int cpu) {
        put_member(test, "g", "m0", cpu, CLAIMS("s"));
        put_member(test, "g", "m1", cpu, CLAIMS("s"));
        step(&test->base);
}

static const struct json *claim_named(const struct group_test *test, const char *name) {
        return object_cache_get(test->object_cache, CACHED_RESOURCE_CLAIM, SLICE_LITERAL("default"),
                                slice_of(name));
}

static struct slice node_of_claim(const struct group_test *test, const char *name) {
        const struct json *devices = json_get(
                json_get(json_get(claim_named(test, name), "status"), "allocation"), "devices");
        return json_get_text(json_at(json_get(devices, "results"), 0), "pool");
}

static size_t consumers_of(const struct group_test *test, const char *name) {
        return json_count(json_get(json_get(claim_named(test, name), "status"), "reservedFor"));
}

/* Answers the writes of claims, and those that follow; returns how many binds there were. */
static size_t answer_writes(struct group_test *test, int depth) {
        struct action_list asked = test->base.actions;
        size_t binds = count_actions(&test->base, ACTION_BIND);
        assert_true(depth < 8);
        for (size_t i = 0; i < asked.count; i++) {
                if (asked.items[i].kind != ACTION_PATCH_OBJECT)
                        continue;
                action_list_init(&test->base.actions);
                test->base.actions.next_id = asked.next_id;
                answer_action(&test->base, &asked.items[i], 0);
                asked.next_id = test->base.actions.next_id;
                binds += answer_writes(test, depth + 1);
                asked.next_id = test->base.actions.next_id;
                action_list_release(&test->base.actions);
        }
        test->base.actions = asked;
        return binds;
}

static void test_own_claims(void **state) {
        struct group_test test;
        (void)state;
        begin(&test);
        put_device_node(&test, "n1");
        put_device_node(&test, "n2");
        put_claim(&test, "c0", "");
        put_claim(&test, "c1", "");
        put_two(&test, CLAIMS("c0"), CLAIMS("c1"));
        assert_true(node_of_claim(&test, "c0").len > 0);
        assert_true(node_of_claim(&test, "c1").len > 0);
        assert_false(slice_eq(node_of_claim(&test, "c0"), node_of_claim(&test, "c1")));
        group_test_release(&test);
}

/* One device for two: nobody gets it. */
static void test_too_few_devices(void **state) {
        struct group_test test;
        (void)state;
        begin(&test);
        put_device_node(&test, "n1");
        put_node(&test.base, "n2", 4000);
        put_claim(&test, "c0", "");
        put_claim(&test, "c1", "");
        put_two(&test, CLAIMS("c0"), CLAIMS("c1"));
        assert_int_equal(node_of_claim(&test, "c0").len, 0);
        assert_int_equal(node_of_claim(&test, "c1").len, 0);
        assert_non_null(strstr(reported_pod(&test, "m0"), "waiting for minCount pods"));
        assert_non_null(strstr(reported_pod(&test, "m1"), "cannot allocate all claims"));
        group_test_release(&test);
}

static bool is_in_patch(const struct action *action, const char *text) {
        return memmem(action->patch.body.ptr, action->patch.body.len, text, strlen(text));
}

/* Of the same claim each member writes the whole allocation, and its own reservation. */
static void test_shared_claim(void **state) {
        struct group_test test;
        size_t whole = 0;
        (void)state;
        begin_shared(&test, GANG(2), "");
        put_device_node(&test, "n2");
        put_sharers(&test, 100);
        assert_int_equal(consumers_of(&test, "s"), 2);
        for (size_t i = 0; i < test.base.actions.count; i++) {
                const struct action *action = &test.base.actions.items[i];
                whole += action->kind == ACTION_PATCH_OBJECT && is_in_patch(action, "finalizers");
                if (action->kind == ACTION_POD_STATUS)
                        assert_true(slice_eq(action->status.nomination, node_of_claim(&test, "s")));
        }
        assert_int_equal(whole, 2);
        group_test_release(&test);
}

/* The write of one member fails: the claim stays allocated as long as the other one is at it. */
static void test_one_of_two_writers_fails(void **state) {
        struct group_test test;
        (void)state;
        begin_shared(&test, GANG(2), "");
        put_sharers(&test, 100);
        struct action_list rest = test.base.actions;
        size_t first = 0;
        while (rest.items[first].kind != ACTION_PATCH_OBJECT)
                first++;
        action_list_init(&test.base.actions);
        test.base.actions.next_id = rest.next_id;
        answer_action(&test.base, &rest.items[first], BERTH_ERR_IO);
        action_list_release(&rest);
        assert_true(slice_is(node_of_claim(&test, "s"), "n1"));
        assert_int_equal(consumers_of(&test, "s"), 1);
        group_test_release(&test);
}

/* Another pod that wants the claim waits until it is written. */
static void test_others_wait(void **state) {
        struct group_test test;
        (void)state;
        begin_shared(&test, GANG(2), "");
        put_member(&test, "g", "m0", 100, CLAIMS("s"));
        put_member(&test, "g", "m1", 100, CLAIMS("s"));
        put_pod(&test.base, "other", 100, "\"priority\":-5," CLAIMS("s"));
        step(&test.base);
        assert_int_equal(consumers_of(&test, "s"), 2);
        assert_non_null(strstr(reported_pod(&test, "other"), "in the process of being allocated"));
        group_test_release(&test);
}

static void test_bound_at_last(void **state) {
        struct group_test test;
        (void)state;
        begin_shared(&test, GANG(2), "");
        put_sharers(&test, 100);
        assert_int_equal(answer_writes(&test, 0), 2);
        put_claim(&test, "s",
                  "\"allocation\":{\"devices\":{\"results\":[{\"request\":\"r\",\"driver\":\"d\","
                  "\"pool\":\"n1\",\"device\":\"a\"}]}},\"reservedFor\":[{\"resource\":\"pods\","
                  "\"name\":\"m0\",\"uid\":\"uid-m0\"},{\"resource\":\"pods\",\"name\":\"m1\","
                  "\"uid\":\"uid-m1\"}]");
        step(&test.base);
        assert_int_equal(consumers_of(&test, "s"), 2);
        group_test_release(&test);
}

#define OWN_CLAIM GANG(2) ",\"resourceClaims\":[{\"name\":\"x\",\"resourceClaimName\":\"s\"}]"
#define OF_GROUP                                                                                   \
        "{\"apiGroup\":\"scheduling.k8s.io\",\"resource\":\"podgroups\",\"name\":\"g\","           \
        "\"uid\":\"uid-g\"}"
#define ALLOCATED                                                                                  \
        "\"allocation\":{\"devices\":{\"results\":[{\"request\":\"r\",\"driver\":\"d\",\"pool\":"  \
        "\"n1\",\"device\":\"a\"}]}," NODE_OF("n1") "}"

static const struct json *consumer(const struct group_test *test, const char *claim) {
        return json_at(json_get(json_get(claim_named(test, claim), "status"), "reservedFor"), 0);
}

/* What the group names itself is reserved for it, by whichever member is written first. */
static void test_claim_of_the_group(void **state) {
        struct group_test test;
        size_t reservations = 0;
        (void)state;
        begin_shared(&test, OWN_CLAIM, "");
        put_device_node(&test, "n2");
        put_sharers(&test, 100);
        assert_int_equal(consumers_of(&test, "s"), 1);
        assert_true(slice_is(json_get_text(consumer(&test, "s"), "resource"), "podgroups"));
        assert_true(slice_is(json_get_text(consumer(&test, "s"), "uid"), "uid-g"));
        assert_int_equal(count_actions(&test.base, ACTION_BIND), 0);
        for (size_t i = 0; i < test.base.actions.count; i++)
                reservations += test.base.actions.items[i].kind == ACTION_PATCH_OBJECT;
        assert_int_equal(reservations, 3); /* two finalizers, and the group's condition */
        assert_int_equal(answer_writes(&test, 0), 2);
        group_test_release(&test);
}

/* Another entry of the pod than the group's: the pod reserves it itself. */
static void test_other_entry(void **state) {
        struct group_test test;
        (void)state;
        begin_with(&test, GANG(1) ",\"resourceClaims\":[{\"name\":\"y\",\"resourceClaimName\":"
                                  "\"s\"}]");
        put_device_node(&test, "n1");
        put_claim(&test, "s", "");
        put_member(&test, "g", "m0", 100, CLAIMS("s"));
        step(&test.base);
        assert_true(slice_is(json_get_text(consumer(&test, "s"), "uid"), "uid-m0"));
        group_test_release(&test);
}

static void test_reserved_for_the_group(void **state) {
        struct group_test test;
        (void)state;
        begin_shared(&test, OWN_CLAIM, ALLOCATED ",\"reservedFor\":[" OF_GROUP "]");
        put_sharers(&test, 100);
        assert_int_equal(count_actions(&test.base, ACTION_BIND), 2);
        assert_int_equal(consumers_of(&test, "s"), 1);
        group_test_release(&test);
}

/* Where its devices are there is no room for the group: it lets go of them. */
static void test_lets_go(void **state) {
        struct group_test test;
        (void)state;
        begin_shared(&test, OWN_CLAIM, ALLOCATED ",\"reservedFor\":[" OF_GROUP "]");
        put_sharers(&test, 3000);
        assert_int_equal(count_actions(&test.base, ACTION_BIND), 0);
        const struct action *patch = find_action(&test.base, ACTION_PATCH_OBJECT, "s");
        assert_non_null(patch);
        assert_true(is_in_patch(patch, "\"$patch\":\"delete\",\"uid\":\"uid-g\""));
        assert_non_null(strstr(reported_pod(&test, "m1"), "ResourceClaim unreserved for PodGroup"));
        group_test_release(&test);
}

static void test_runs_already(void **state) {
        struct group_test test;
        (void)state;
        begin_shared(&test, OWN_CLAIM, ALLOCATED ",\"reservedFor\":[" OF_GROUP "]");
        put_running(&test, "m0", "n1", 3000, "",
                    "\"schedulingGroup\":{\"podGroupName\":\"g\"}," CLAIMS("s"));
        put_member(&test, "g", "m1", 3000, CLAIMS("s"));
        step(&test.base);
        assert_null(find_action(&test.base, ACTION_PATCH_OBJECT, "s"));
        assert_non_null(strstr(reported_pod(&test, "m1"), "still not schedulable"));
        group_test_release(&test);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_own_claims),
                cmocka_unit_test(test_too_few_devices),
                cmocka_unit_test(test_shared_claim),
                cmocka_unit_test(test_one_of_two_writers_fails),
                cmocka_unit_test(test_others_wait),
                cmocka_unit_test(test_bound_at_last),
                cmocka_unit_test(test_claim_of_the_group),
                cmocka_unit_test(test_other_entry),
                cmocka_unit_test(test_reserved_for_the_group),
                cmocka_unit_test(test_lets_go),
                cmocka_unit_test(test_runs_already),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
