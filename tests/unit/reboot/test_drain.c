/* Which pods a drain is about, and budgets that never open. */
#include "reboot/drain.h"

#include "base/util.h"
#include "model/cluster.h"
#include "model/event.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define NOW ((struct wall_time){ 1000 * NS_PER_S })

struct drain_case {
        const char *name, *selector;
        struct drain_pod pod;
        int64_t skip_wait_s; /* below 0: pods are deleted */
        enum drain_verdict verdict;
};

/* Acceptance 39, 43, 45, and more */
static void r39_r43_r45_judges_pods(void **state) {
        static struct label x = { SLICE_INIT("app"), SLICE_INIT("x") };
        const struct wall_time no = WALL_TIME_UNSET;
        const struct slice set = SLICE_LITERAL("agent");
        const struct drain_case cases[] = {
                { "bare", "", { .deleted = no }, 0, DRAIN_EVICT },
                { "mirror", "", { .deleted = no, .is_mirror = true }, 0, DRAIN_KEEP },
                { "daemon",
                  "",
                  { .deleted = no, .daemon_set = set, .owner = DRAIN_OWNER_THERE },
                  0,
                  DRAIN_KEEP },
                { "daemon of unknown set",
                  "",
                  { .deleted = no, .daemon_set = set },
                  0,
                  DRAIN_KEEP },
                { "orphaned daemon",
                  "",
                  { .deleted = no, .daemon_set = set, .owner = DRAIN_OWNER_GONE },
                  0,
                  DRAIN_EVICT },
                { "finished daemon",
                  "",
                  { .deleted = no, .daemon_set = set, .is_finished = true },
                  0,
                  DRAIN_EVICT },
                { "going", "", { .deleted = { 900 * NS_PER_S } }, 0, DRAIN_WAIT },
                { "going for too long", "", { .deleted = { 900 * NS_PER_S } }, 60, DRAIN_KEEP },
                { "not that long", "", { .deleted = { 950 * NS_PER_S } }, 60, DRAIN_WAIT },
                { "evict-F1 moving", "", { .deleted = no, .is_moving = true }, 0, DRAIN_WAIT },
                { "moved",
                  "",
                  { .deleted = no, .is_moving = true, .is_finished = true },
                  0,
                  DRAIN_EVICT },
                { "moving, deletion called for",
                  "",
                  { .deleted = no, .is_moving = true },
                  -1,
                  DRAIN_EVICT },
                { "not selected", "app!=x", { .deleted = no, .labels = { 1, &x } }, 0, DRAIN_KEEP },
                { "selected", "app=x", { .deleted = no, .labels = { 1, &x } }, 0, DRAIN_EVICT },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                CLEANUP(arena_release) struct arena arena;
                struct selector selector;
                struct drain_rules rules = { &selector, cases[i].skip_wait_s,
                                             cases[i].skip_wait_s < 0 };

                arena_init(&arena, 0);
                assert_int_equal(
                        selector_parse(slice_of(cases[i].selector), &arena, &selector, NULL), 0);
                if (drain_judge(&cases[i].pod, &rules, NOW) != cases[i].verdict)
                        fail_msg("%s", cases[i].name);
        }
}

static const char pods_json[] =
        "{\"items\":[{\"metadata\":{\"namespace\":\"ns\",\"name\":\"web-1\",\"uid\":\"u\","
        "\"annotations\":{\"descheduler.alpha.kubernetes.io/request-evict-only\":\"\","
        "\"descheduler.alpha.kubernetes.io/eviction-in-progress\":\"\"},"
        "\"labels\":{\"app\":\"web\"}},\"spec\":{},\"status\":{\"phase\":\"Running\","
        "\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}},{\"metadata\":{"
        "\"namespace\":\"ns\",\"name\":\"agent-1\",\"uid\":\"v\",\"ownerReferences\":[{"
        "\"apiVersion\":\"apps/v1\",\"kind\":\"DaemonSet\",\"name\":\"agent\",\"uid\":\"w\","
        "\"controller\":true}]},\"spec\":{},\"status\":{\"phase\":\"Running\"}}]}";

static bool is_impossible(const char *status, const char *ns) {
        CLEANUP(arena_release) struct arena arena;
        CLEANUP(cleanup_json_doc) struct json_doc *pods_doc = NULL, *doc = NULL;
        struct selector everything = { 0 };
        struct drain_rules rules = { &everything, 0 };
        struct drain_deadlock deadlock;
        struct drain_budgets list;
        struct drain_pods pods;
        struct slice text;
        char budgets[512];

        arena_init(&arena, 0);
        json_parse(slice_of(pods_json), &pods_doc, NULL);
        assert_int_equal(drain_pods_decode(json_doc_root(pods_doc), &arena, &pods, NULL), 0);
        assert_int_equal(pods.count, 2);
        assert_true(slice_is(pods.items[1].daemon_set, "agent"));
        assert_true(pods.items[0].is_ready && pods.items[0].is_moving);
        assert_false(pods.items[1].is_moving);
        pods.items[0].is_moving = false;
        snprintf(budgets, sizeof(budgets),
                 "{\"items\":[{\"metadata\":{\"namespace\":\"%s\",\"name\":\"all\"},\"spec\":{"
                 "\"selector\":{\"matchLabels\":{\"app\":\"web\"}}},\"status\":%s}]}",
                 ns, status);
        assert_int_equal(json_parse(slice_of(budgets), &doc, NULL), 0);
        drain_budgets_decode(json_doc_root(doc), &arena, &list);
        text = drain_impossible(&pods, &rules, &list, NOW, &arena, &deadlock);
        if (text.len > 0)
                assert_true(slice_is(text, "budget ns/all can never let pod web-1 go"));
        return text.len > 0;
}

static void names_impossible_budgets(void **state) {
        (void)state;
        assert_true(is_impossible("{\"disruptionsAllowed\":0,\"expectedPods\":2,"
                                  "\"desiredHealthy\":2,\"currentHealthy\":2}",
                                  "ns"));
        assert_false(is_impossible("{\"disruptionsAllowed\":0,\"expectedPods\":2,"
                                   "\"desiredHealthy\":1,\"currentHealthy\":1}",
                                   "ns"));
        assert_false(is_impossible("{\"disruptionsAllowed\":0,\"expectedPods\":2,"
                                   "\"desiredHealthy\":2,\"currentHealthy\":2}",
                                   "other"));
        assert_false(is_impossible("{}", "ns"));
}

#define ON_N1(phase) "\"spec\":{\"nodeName\":\"n1\"},\"status\":{\"phase\":\"" phase "\"}"

static const struct drain_pod *named(const struct drain_pods *pods, struct slice name) {
        for (size_t i = 0; i < pods->count; i++)
                if (slice_eq(pods->items[i].name, name))
                        return &pods->items[i];
        fail_msg("no pod " SLICE_FMT, SLICE_ARG(name));
        return NULL;
}

static void same_pod(const struct drain_pod *a, const struct drain_pod *b) {
        assert_true(slice_eq(a->ns, b->ns) && slice_eq(a->uid, b->uid));
        assert_true(slice_eq(a->daemon_set, b->daemon_set));
        assert_true(a->is_finished == b->is_finished && a->is_running == b->is_running);
        assert_true(a->is_mirror == b->is_mirror && a->is_ready == b->is_ready);
        assert_true(a->is_moving == b->is_moving && a->deleted.ns == b->deleted.ns);
        assert_int_equal(a->labels.count, b->labels.count);
        for (size_t i = 0; i < a->labels.count; i++)
                assert_true(slice_eq(a->labels.items[i].value, b->labels.items[i].value));
}

static void apply_list(struct cluster *cluster, enum object_kind kind, const struct json *list) {
        struct json_iter iter = json_iter(json_get(list, "items"));
        const struct json *item;

        while (json_next(&iter, NULL, &item))
                assert_int_equal(cluster_apply(cluster, kind, CHANGE_ADDED, item, NULL), 0);
}

/* The model tells the same of a node's pods and of budgets as lists do. */
static void takes_the_same_from_the_model(void **state) {
        static const char pods_text[] =
                "{\"items\":[{\"metadata\":{\"namespace\":\"ns\",\"name\":\"web\",\"uid\":\"w\","
                "\"labels\":{\"app\":\"web\"}},\"spec\":{\"nodeName\":\"n1\"},\"status\":{"
                "\"phase\":"
                "\"Running\",\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}},"
                "{\"metadata\":{\"namespace\":\"a\",\"name\":\"moving\",\"uid\":\"v\","
                "\"annotations\":{"
                "\"descheduler.alpha.kubernetes.io/request-evict-only\":\"\","
                "\"descheduler.alpha.kubernetes.io/eviction-in-progress\":\"\"}}," ON_N1(
                        "Running") "},"
                                   "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"agent\",\"uid\":"
                                   "\"g\","
                                   "\"ownerReferences\":[{\"apiVersion\":\"apps/"
                                   "v1\",\"kind\":\"DaemonSet\",\"name\":\"set\","
                                   "\"uid\":\"s\",\"controller\":true}]}," ON_N1(
                                           "Pending") "},"
                                                      "{\"metadata\":{\"namespace\":\"ns\","
                                                      "\"name\":\"mirror\",\"uid\":\"m\","
                                                      "\"annotations\":{"
                                                      "\"kubernetes.io/"
                                                      "config.mirror\":\"x\"}}," ON_N1(
                                                              "Unknown") "},"
                                                                         "{\"metadata\":{"
                                                                         "\"namespace\":\"ns\","
                                                                         "\"name\":\"done\","
                                                                         "\"uid\":\"d\","
                                                                         "\"deletionTimestamp\":"
                                                                         "\"2026-01-01T00:00:00Z\"}"
                                                                         "," ON_N1("Failed") "}]}";
        static const char others_text[] =
                "{\"items\":[{\"metadata\":{\"namespace\":\"ns\",\"name\":\"away\",\"uid\":\"y\"},"
                "\"spec\":{\"nodeName\":\"n2\"}}]}";
        static const char budgets_text[] =
                "{\"items\":[{\"metadata\":{\"namespace\":\"ns\",\"name\":\"all\"},\"spec\":{"
                "\"selector\":{"
                "\"matchLabels\":{\"app\":\"web\"}}},\"status\":{\"expectedPods\":1,"
                "\"desiredHealthy\":1}}]}";
        static const char *const texts[] = { pods_text, others_text, budgets_text };
        struct cluster *cluster = cluster_new(
                &(struct cluster_config){ .keeps_finished = true, .keeps_evictions = true });
        struct json_doc *docs[ARRAY_LEN(texts)];
        CLEANUP(arena_release) struct arena arena;
        struct selector everything = { 0 };
        struct drain_rules rules = { &everything, 0 };
        struct drain_deadlock deadlock;
        struct drain_pods listed, taken;
        struct drain_budgets budgets;

        (void)state;
        arena_init(&arena, 0);
        for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
                assert_int_equal(json_parse(slice_of(texts[i]), &docs[i], NULL), 0);
                apply_list(cluster, i < 2 ? OBJECT_POD : OBJECT_BUDGET, json_doc_root(docs[i]));
        }
        assert_int_equal(drain_pods_decode(json_doc_root(docs[0]), &arena, &listed, NULL), 0);
        drain_pods_take(cluster, SLICE_LITERAL("n1"), &arena, &taken);
        assert_int_equal(listed.count, 5);
        assert_int_equal(taken.count, 5);
        for (size_t i = 0; i < listed.count; i++)
                same_pod(&listed.items[i], named(&taken, listed.items[i].name));
        drain_budgets_take(cluster, &taken, &arena, &budgets);
        assert_true(slice_is(drain_impossible(&taken, &rules, &budgets, NOW, &arena, &deadlock),
                             "budget ns/all can never let pod web go"));
        drain_pods_take(cluster, SLICE_LITERAL("n3"), &arena, &taken);
        assert_int_equal(taken.count, 0);
        for (size_t i = 0; i < ARRAY_LEN(docs); i++)
                json_doc_free(docs[i]);
        cluster_free(cluster);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(r39_r43_r45_judges_pods),
                cmocka_unit_test(names_impossible_budgets),
                cmocka_unit_test(takes_the_same_from_the_model),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
