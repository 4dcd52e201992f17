/* What evictions cost the API server: no call that says nothing new. */
#include "api/json.h"
#include "base/util.h"
#include "eviction_scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define CLI "evict.berth.dev/cli"
#define SETS "/apis/apps/v1/namespaces/default/replicasets"
#define BUDGETS "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
#define REPLICAS 10

static uint64_t calls(struct scene *scene) {
        return sim_faults_calls(sim_world_faults(scene->world));
}

/* The Eviction, its first responder, the call itself, its end, and the request's; whoever does not
 * follow the Eviction is told at once that it is under way. */
static void test_plain_pod(void **state) {
        static const struct {
                const char *requester;
                uint64_t calls;
        } cases[] = { { CLI, 5 }, { ANNA, 6 } };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct scene scene;
                uint64_t before;

                open_scene(&scene);
                make_pod(&scene, "p", "", "");
                before = calls(&scene);
                make_request(&scene, "want", cases[i].requester);
                wait_s(&scene, 60);
                assert_has(&scene, GROUP "/evictionrequests/want", "\"reason\":\"PodDeleted\"");
                assert_has(&scene, EVICTION_1, "\"state\":\"Completed\"");
                assert_has(&scene, EVICTION_1, "\"completionTime\"");
                assert_int_equal(calls(&scene) - before, cases[i].calls);
                close_scene(&scene);
        }
}

/* A dry run, or a proxy, answers as done what it does not do: it is tried again, not at once, and
 * the eviction ends when that is over. */
static void test_without_effect(void **state) {
        static const struct {
                const char *suffix, *said;
        } cases[] = {
                { "/eviction", "answered as done, but the pod is not being deleted" },
                { "/evictions", NULL },
                { "/pod-1-p", NULL },
                { "/pod-1-p/status", NULL },
                { "/want/status", NULL },
        };

        (void)state;
        for (size_t i = 0; i < 5; i++) {
                struct scene scene;
                uint64_t before;

                open_scene(&scene);
                make_pod(&scene, "p", "", "");
                before = calls(&scene);
                sim_faults_dry_run(sim_world_faults(scene.world), cases[i].suffix);
                make_request(&scene, "want", ANNA);
                wait_s(&scene, 60);
                if (calls(&scene) - before > 60)
                        fail_msg("%s: %d calls", cases[i].suffix, (int)(calls(&scene) - before));
                if (cases[i].said)
                        assert_has(&scene, EVICTION_1, cases[i].said);
                sim_faults_dry_run(sim_world_faults(scene.world), NULL);
                wait_s(&scene, 120);
                if (!has(&scene, GROUP "/evictionrequests/want", "\"reason\":\"PodDeleted\""))
                        fail_msg("%s: no end", cases[i].suffix);
                close_scene(&scene);
        }
}

/* A requester of our own that takes its request back at the sight of the Eviction's end is spared
 * being told. */
static void test_taken_back(void **state) {
        struct scene scene;
        uint64_t before;

        (void)state;
        open_scene(&scene);
        make_pod(&scene, "p", "", "");
        before = calls(&scene);
        make_request(&scene, "want", CLI);
        for (int i = 0; i < 600 && !has(&scene, EVICTION_1, "PodDeleted"); i++)
                sim_world_advance(scene.world, 100 * NS_PER_MS);
        assert_has(&scene, EVICTION_1, "PodDeleted");
        assert_int_equal(ask(&scene, "DELETE", GROUP "/evictionrequests/want", ""), 200);
        wait_s(&scene, 60);
        assert_int_equal(calls(&scene) - before, 4);
        assert_int_equal(ask(&scene, "GET", EVICTION_1, ""), 404);
        assert_true(slice_contains(sim_world_audit(scene.world),
                                   SLICE_LITERAL("\"requester\":\"" CLI "\"")));
        close_scene(&scene);
}

/* A requester of our own that was killed leaves its request behind; those of others are theirs. */
static void test_left_behind(void **state) {
        static const struct {
                const char *requester;
                int status;
        } cases[] = { { CLI, 404 }, { "descheduler.berth.dev/evict", 404 }, { ANNA, 200 } };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct scene scene;

                open_scene(&scene);
                make_pod(&scene, "p", "", "");
                make_request(&scene, "want", cases[i].requester);
                wait_s(&scene, 100);
                assert_has(&scene, GROUP "/evictionrequests/want", "\"reason\":\"PodDeleted\"");
                wait_s(&scene, 600);
                assert_int_equal(ask(&scene, "GET", GROUP "/evictionrequests/want", ""),
                                 cases[i].status);
                assert_int_equal(ask(&scene, "GET", EVICTION_1, ""), cases[i].status);
                assert_int_equal(slice_contains(sim_world_audit(scene.world),
                                                SLICE_LITERAL("\"op\":\"tidy\"")),
                                 cases[i].status == 404);
                close_scene(&scene);
        }
}

/* Of one that takes its time it is told that it is being deleted, and until when. */
static void test_slow_pod(void **state) {
        struct scene *scene = *state;

        assert_int_equal(ask(scene, "POST", PODS,
                             "{\"metadata\":{\"name\":\"p\",\"annotations\":{\"sandbox.berth.dev/"
                             "shutdown\":\"never\"}},\"spec\":{\"nodeName\":\"n0\","
                             "\"terminationGracePeriodSeconds\":60,\"containers\":[{\"name\":\"c\","
                             "\"image\":\"x\"}]}}"),
                         201);
        wait_s(scene, 10);
        make_request(scene, "want", CLI);
        wait_s(scene, 3);
        assert_has(scene, POD, "deletionTimestamp");
        assert_false(has(scene, EVICTION_1, "being deleted"));
        wait_s(scene, 4);
        assert_has(scene, EVICTION_1, "the pod is being deleted");
        assert_has(scene, EVICTION_1, "\"expectedCompletionTime\"");
}

/* Behind a budget that never opens its requester hears of it after ten seconds. */
static void test_own_request_is_reported(void **state) {
        struct scene *scene = *state;

        guard(scene);
        make_pod(scene, "p", "", "");
        make_request(scene, "want", CLI);
        wait_s(scene, 8);
        assert_has(scene, EVICTION_1, "\"state\":\"Active\"");
        assert_false(has(scene, GROUP "/evictionrequests/want", "AwaitingEviction"));
        wait_s(scene, 4);
        assert_has(scene, GROUP "/evictionrequests/want", "AwaitingEviction");
}

/* ---- one by one through a budget ---- */

static void make_set(struct scene *scene) {
        assert_int_equal(
                ask(scene, "POST", SETS,
                    "{\"metadata\":{\"name\":\"web\"},\"spec\":{\"replicas\":10,\"selector\":{"
                    "\"matchLabels\":{\"app\":\"web\"}},\"template\":{\"metadata\":{\"labels\":{"
                    "\"app\":\"web\"}},\"spec\":{\"nodeName\":\"n0\","
                    "\"terminationGracePeriodSeconds\":1,\"containers\":[{\"name\":\"c\","
                    "\"image\":\"x\"}]}}}}"),
                201);
        assert_int_equal(ask(scene, "POST", BUDGETS,
                             "{\"metadata\":{\"name\":\"web\"},\"spec\":{\"maxUnavailable\":1,"
                             "\"selector\":{\"matchLabels\":{\"app\":\"web\"}}}}"),
                         201);
        wait_s(scene, 20);
}

/* Asks for all pods there are. */
static void want_all(struct scene *scene, size_t *ret_count) {
        struct json_doc *doc = NULL;
        struct buf body = { 0 };
        struct json_iter iter;
        const struct json *item;

        assert_int_equal(sim_world_ask(scene->world, "GET", PODS, "", &body), 200);
        assert_int_equal(json_parse(buf_view(&body), &doc, NULL), 0);
        *ret_count = 0;
        iter = json_iter(json_get(json_doc_root(doc), "items"));
        while (json_next(&iter, NULL, &item)) {
                char name[64];

                snprintf(name, sizeof(name), SLICE_FMT,
                         SLICE_ARG(json_get_text(json_get(item, "metadata"), "name")));
                want_in(scene, GROUP, name, CLI);
                ++*ret_count;
        }
        json_doc_free(doc);
        buf_release(&body);
}

static size_t left(struct scene *scene) {
        struct json_doc *doc = NULL;
        struct buf body = { 0 };
        struct json_iter iter;
        const struct json *item;
        size_t count = 0;

        assert_int_equal(sim_world_ask(scene->world, "GET", GROUP "/evictionrequests", "", &body),
                         200);
        assert_int_equal(json_parse(buf_view(&body), &doc, NULL), 0);
        iter = json_iter(json_get(json_doc_root(doc), "items"));
        while (json_next(&iter, NULL, &item)) {
                struct buf text = { 0 };

                json_write(item, &text);
                count += !slice_contains(buf_view(&text), SLICE_LITERAL("PodDeleted"));
                buf_release(&text);
        }
        json_doc_free(doc);
        buf_release(&body);
        return count;
}

/* Of ten pods behind a budget that lets one go at a time none is refused: each is asked for when
 * the one before has been replaced. */
static void test_one_at_a_time(void **state) {
        struct scene scene;
        size_t count;

        (void)state;
        open_scene(&scene);
        make_set(&scene);
        want_all(&scene, &count);
        assert_int_equal(count, REPLICAS);
        for (int i = 0; i < 300 && left(&scene) > 0; i++)
                wait_s(&scene, 1);
        assert_int_equal(left(&scene), 0);
        assert_int_equal(sim_world_evict_calls(scene.world), REPLICAS);
        close_scene(&scene);
}

/* When what went before does not come back, those that wait ask after a minute all the same, and
 * say what they are told. */
static void test_predecessor_not_replaced(void **state) {
        struct scene scene;
        size_t count;

        (void)state;
        open_scene(&scene);
        make_set(&scene);
        assert_int_equal(ask(&scene, "DELETE", SETS "/web", "{\"propagationPolicy\":\"Orphan\"}"),
                         200);
        wait_s(&scene, 5);
        assert_int_equal(ask(&scene, "PATCH", BUDGETS "/web",
                             "{\"spec\":{\"maxUnavailable\":null,\"minAvailable\":9}}"),
                         200);
        wait_s(&scene, 5);
        want_all(&scene, &count);
        wait_s(&scene, 50);
        assert_int_equal(left(&scene), REPLICAS - 1);
        assert_int_equal(sim_world_evict_calls(scene.world), 1);
        wait_s(&scene, 30);
        assert_int_equal(left(&scene), REPLICAS - 1);
        assert_in_range(sim_world_evict_calls(scene.world), REPLICAS, 4 * REPLICAS);
        assert_int_equal(ask(&scene, "DELETE", BUDGETS "/web", ""), 200);
        wait_s(&scene, 30);
        assert_int_equal(left(&scene), 0);
        close_scene(&scene);
}

/* Calls that fail for another reason than the budget use nothing of it up: the next pod is asked
 * for at once, and none of those that failed hurries another. */
static void test_failed_calls_use_no_budget(void **state) {
        struct scene scene;
        size_t count;

        (void)state;
        open_scene(&scene);
        make_set(&scene);
        want_all(&scene, &count);
        for (int i = 0; i < 5000 && sim_world_evict_calls(scene.world) == 0; i++)
                sim_world_advance(scene.world, NS_PER_MS);
        sim_world_advance(scene.world, 5 * NS_PER_MS); /* the first is not replaced yet */
        assert_int_equal(sim_world_evict_calls(scene.world), 1);
        sim_faults_begin_conflicts(sim_world_faults(scene.world), 10 * NS_PER_S);
        wait_s(&scene, 10);
        assert_in_range(sim_world_evict_calls(scene.world), REPLICAS, 3 * REPLICAS);
        for (int i = 0; i < 120 && left(&scene) > 0; i++)
                wait_s(&scene, 1);
        assert_int_equal(left(&scene), 0);
        close_scene(&scene);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_plain_pod),
                cmocka_unit_test(test_without_effect),
                cmocka_unit_test(test_taken_back),
                cmocka_unit_test(test_left_behind),
                SCENE_TEST(test_slow_pod),
                SCENE_TEST(test_own_request_is_reported),
                cmocka_unit_test(test_one_at_a_time),
                cmocka_unit_test(test_predecessor_not_replaced),
                cmocka_unit_test(test_failed_calls_use_no_budget),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
