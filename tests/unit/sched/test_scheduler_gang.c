/* Gangs: placed together or not at all. */
#include "api/json.h"
#include "model/object_cache.h"
#include "sched_test.h"
#include <string.h>

struct gang_test {
        struct sched_test base;
        struct object_cache *object_cache;
};

static void put_in_cache(struct gang_test *test, enum cached_kind kind, const char *text) {
        struct err err = { 0 };
        struct json_doc *doc;
        if (json_parse(slice_of(text), &doc, &err) < 0)
                fail_msg("%s", err.text);
        object_cache_put(test->object_cache, kind, json_doc_root(doc));
        json_doc_free(doc);
}

static int set_up(void **state) {
        struct gang_test *test = xcalloc(1, sizeof(*test));
        test->object_cache = object_cache_new();
        sched_test_init(&test->base, &(struct scheduler_config){ .object_cache = test->object_cache,
                                                                 .has_gangs = true });
        *state = test;
        return 0;
}

static int tear_down(void **state) {
        struct gang_test *test = *state;
        sched_test_release(&test->base);
        object_cache_free(test->object_cache);
        free(test);
        return 0;
}

static void put_group(struct gang_test *test, const char *policy) {
        char text[256];
        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"namespace\":\"default\",\"name\":\"g\"},\"spec\":{"
                 "\"schedulingPolicy\":{%s}}}",
                 policy);
        put_in_cache(test, CACHED_POD_GROUP, text);
        scheduler_notice(test->base.scheduler, CLUSTER_CLAIM,
                         (struct mono_time){ test->base.now_ns });
}

/* The condition that was written; "" = none. */
static const char *reported(const struct gang_test *test) {
        static char text[512];
        const struct action *patch = find_action(&test->base, ACTION_PATCH_OBJECT, "g");
        text[0] = '\0';
        if (patch)
                snprintf(text, sizeof(text), SLICE_FMT, SLICE_ARG(patch->patch.body));
        return text;
}

static void put_group_with(struct gang_test *test, const char *conditions) {
        char text[1024];
        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"namespace\":\"default\",\"name\":\"g\",\"generation\":4},"
                 "\"spec\":{\"schedulingPolicy\":{\"gang\":{\"minCount\":3}}},\"status\":{"
                 "\"conditions\":[%s]}}",
                 conditions);
        put_in_cache(test, CACHED_POD_GROUP, text);
}

#define GANG_OF_3 "\"gang\":{\"minCount\":3}"

static void put_members(struct gang_test *test, int first, int count) {
        for (int i = first; i < first + count; i++) {
                char name[16];
                snprintf(name, sizeof(name), "m%d", i);
                put_pod(&test->base, name, 500, "\"schedulingGroup\":{\"podGroupName\":\"g\"},");
        }
}

static void test_waits_for_group_and_members(void **state) {
        struct gang_test *test = *state;
        put_node(&test->base, "n1", 4000);
        put_members(test, 0, 2);
        step(&test->base);
        assert_int_equal(test->base.actions.count, 0); /* no such group */
        put_group(test, GANG_OF_3);
        step(&test->base);
        assert_int_equal(test->base.actions.count, 0); /* two of three */
        put_members(test, 2, 1);
        step(&test->base);
        assert_int_equal(count_actions(&test->base, ACTION_BIND), 3);
}

static void test_all_or_none(void **state) {
        struct gang_test *test = *state;
        struct err err = { 0 };
        put_group(test, GANG_OF_3);
        put_node(&test->base, "n1", 1000);
        put_members(test, 0, 3);
        assert_false(step(&test->base).has_more); /* what it takes back does not wake it */
        assert_int_equal(count_actions(&test->base, ACTION_BIND), 0);
        assert_int_equal(count_actions(&test->base, ACTION_POD_STATUS), 3);
        assert_int_equal(cluster_check(test->base.cluster, &err), 0);
        put_pod(&test->base, "other", 1000, ""); /* the room is free again */
        step(&test->base);
        assert_non_null(find_action(&test->base, ACTION_BIND, "other"));
        put_node(&test->base, "n2", 2000);
        test->base.now_ns += 20 * NS_PER_S;
        step(&test->base);
        assert_int_equal(count_actions(&test->base, ACTION_BIND), 3);
}

/* One of the members goes while they are parked: the others wait for it behind the gate. */
static void test_too_few_again(void **state) {
        struct gang_test *test = *state;
        struct scheduler_stats stats;
        put_group(test, GANG_OF_3);
        put_node(&test->base, "n1", 1000);
        put_members(test, 0, 3);
        step(&test->base);
        apply(&test->base, OBJECT_POD, CHANGE_REMOVED,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"m2\",\"uid\":\"uid-m2\"}}");
        put_node(&test->base, "n2", 2000);
        test->base.now_ns += 20 * NS_PER_S;
        assert_int_equal(step(&test->base).decisions, 0);
        scheduler_stats(test->base.scheduler, &stats);
        assert_int_equal(stats.gated, 2);
        put_members(test, 2, 1);
        step(&test->base);
        assert_int_equal(count_actions(&test->base, ACTION_BIND), 3);
}

/* A member that somebody else put on a node counts from then on. */
static void test_bound_by_others(void **state) {
        struct gang_test *test = *state;
        put_group(test, GANG_OF_3);
        put_node(&test->base, "n1", 4000);
        put_members(test, 0, 2);
        step(&test->base);
        assert_int_equal(test->base.actions.count, 0);
        apply(&test->base, OBJECT_POD, CHANGE_ADDED,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"m2\",\"uid\":\"uid-m2\"},"
              "\"spec\":{\"nodeName\":\"n1\",\"schedulingGroup\":{\"podGroupName\":\"g\"},"
              "\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}");
        step(&test->base);
        assert_int_equal(count_actions(&test->base, ACTION_BIND), 2);
}

/* A scheduler that starts on a cluster with everything in it. */
static void test_starts_late(void **state) {
        struct gang_test *test = *state;
        put_group(test, GANG_OF_3);
        put_node(&test->base, "n1", 4000);
        put_members(test, 0, 2);
        apply(&test->base, OBJECT_POD, CHANGE_ADDED,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"z\",\"uid\":\"uid-z\"},"
              "\"spec\":{\"nodeName\":\"n1\",\"schedulingGroup\":{\"podGroupName\":\"g\"},"
              "\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}");
        step(&test->base); /* the first: looks at all rows, the member on a node last */
        assert_int_equal(count_actions(&test->base, ACTION_BIND), 2);
}

/* More members than needed: those that fit nowhere wait, and join what runs. */
static void test_late_members_join(void **state) {
        struct gang_test *test = *state;
        put_group(test, GANG_OF_3);
        put_node(&test->base, "n1", 1500);
        put_members(test, 0, 4);
        step(&test->base);
        assert_int_equal(count_actions(&test->base, ACTION_BIND), 3);
        assert_int_equal(count_actions(&test->base, ACTION_POD_STATUS), 1);
        put_node(&test->base, "n2", 500);
        test->base.now_ns += 20 * NS_PER_S;
        step(&test->base);
        assert_int_equal(count_actions(&test->base, ACTION_BIND), 1);
}

static void test_basic_group_asks_for_nothing(void **state) {
        struct gang_test *test = *state;
        put_group(test, "\"basic\":{}");
        put_node(&test->base, "n1", 500);
        put_members(test, 0, 2);
        step(&test->base);
        assert_int_equal(count_actions(&test->base, ACTION_BIND), 1);
}

#define OTHER "{\"type\":\"Other\",\"status\":\"True\"}"
#define NOT_PLACED(since)                                                                          \
        "{\"type\":\"PodGroupScheduled\",\"status\":\"False\",\"reason\":\"Unschedulable\","       \
        "\"message\":\"pod group is unschedulable\",\"observedGeneration\":4,"                     \
        "\"lastTransitionTime\":\"" since "\"}"
#define PLACED(since)                                                                              \
        "{\"type\":\"PodGroupScheduled\",\"status\":\"True\",\"reason\":\"Scheduled\","            \
        "\"message\":\"\",\"observedGeneration\":4,\"lastTransitionTime\":\"" since "\"}"
#define PATCH(conditions) "{\"status\":{\"conditions\":[" conditions "]}}"
#define NOW "2023-11-14T22:30:00Z"
#define EARLIER "2023-01-01T00:00:00Z"

static const struct {
        const char *name, *before;
        int cpu_milli;
        const char *after;
} words[] = {
        { "placed", "", 2000, PATCH(PLACED(NOW)) },
        { "not placed", "", 1000, PATCH(NOT_PLACED(NOW)) },
        { "others stay", OTHER, 1000, PATCH(OTHER "," NOT_PLACED(NOW)) },
        { "no news", NOT_PLACED(EARLIER), 1000, "" },
        { "placed at last", NOT_PLACED(EARLIER), 2000, PATCH(PLACED(NOW)) },
        { "placed already", PLACED(EARLIER), 2000, "" },
        { "never back to False", PLACED(EARLIER), 1000, "" },
};

static void test_group_is_reported(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(words); i++) {
                void *own;
                set_up(&own);
                struct gang_test *test = own;
                put_group_with(test, words[i].before);
                put_node(&test->base, "n1", words[i].cpu_milli);
                put_members(test, 0, 3);
                step(&test->base);
                if (strcmp(reported(test), words[i].after) != 0)
                        fail_msg("%s: %s", words[i].name, reported(test));
                tear_down(&own);
        }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define CASE(label, test)                                                                          \
        { label, test, set_up, tear_down, NULL }

int main(void) {
        const struct CMUnitTest tests[] = {
                TEST(test_waits_for_group_and_members),
                CASE("sched-100 all of a gang or none", test_all_or_none),
                TEST(test_late_members_join),
                TEST(test_too_few_again),
                TEST(test_bound_by_others),
                TEST(test_starts_late),
                cmocka_unit_test(test_group_is_reported),
                TEST(test_basic_group_asks_for_nothing),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
