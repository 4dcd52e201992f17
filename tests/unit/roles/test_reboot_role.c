/* Acceptance cases of the reboot agent that are about API calls, by their numbers. */
#include "reboot_scene.h"

#include "base/util.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define NODE "/api/v1/nodes/n0"
#define EVICTION "/eviction"
#define TAINT "\"weave.works/kured-node-reboot\""
#define CORDON "\"unschedulable\":true"
#define DAEMON_OWNER                                                                               \
        "{\"apiVersion\":\"apps/v1\",\"kind\":\"DaemonSet\",\"name\":\"%s\",\"uid\":\"u\","        \
        "\"controller\":true}"

static struct scene *wanted(void) {
        struct scene *scene = scene_new();

        scene_require(scene, 0, true);
        return scene;
}

static bool metrics_have(struct scene *scene, const char *text) {
        struct buf page = { 0 };
        bool has = slice_contains(scene_metrics(scene, 0, &page), slice_of(text));

        buf_release(&page);
        return has;
}

static void r07_nothing_required(void **state) {
        struct scene *scene = scene_new();

        (void)state;
        scene_start(scene, 0);
        scene_run(scene, 3600);
        assert_int_equal(scene_count(scene, "PUT", ""), 0);
        assert_int_equal(scene_count(scene, "PATCH", ""), 0);
        assert_true(metrics_have(scene, "kured_reboot_required{node=\"n0\"} 0"));
        scene_free(scene);
}

static void r08_window_closed(void **state) {
        struct scene *scene = wanted(); /* it is midnight UTC, Thursday */

        (void)state;
        scene->agents[0].config.window.start_s = 4 * 3600;
        scene_start(scene, 0);
        scene_run(scene, 3600);
        assert_int_equal(scene_count(scene, "PUT", ""), 0);
        assert_int_equal(scene_count(scene, "PATCH", ""), 0);
        assert_true(metrics_have(scene, "kured_reboot_required{node=\"n0\"} 1"));
        scene_free(scene);
}

static void reboots(struct scene *scene, const char *const *parts) {
        scene_add_pod(scene, "web", "", "");
        scene_start(scene, 0);
        scene_run(scene, 30);
        scene_expect_order(scene, parts);
        assert_int_equal(scene->agents[0].reboots, 1);
        scene_require(scene, 0, false);
        scene_boot(scene, 0);
        scene_run(scene, 120);
        assert_false(scene_object_has(scene, NODE, "unschedulable\":true"));
        assert_false(scene_object_has(scene, NODE, "kured-node-reboot"));
        assert_false(scene_object_has(scene, NODE, "berth.dev/reboot\":"));
        assert_false(scene_object_has(scene, SCENE_LOCK, "kured-node-lock"));
}

static void r09_in_order(void **state) {
        static const char *const parts[] = { "PATCH " NODE,     TAINT,
                                             "PUT " SCENE_LOCK, "\\\"nodeID\\\":\\\"n0\\\"",
                                             "PATCH " NODE,     CORDON,
                                             "POST ",           "web" EVICTION,
                                             "REBOOT n0",       NULL };
        struct scene *scene = wanted();

        (void)state;
        reboots(scene, parts);
        scene_free(scene);
}

static void r10_without_taint(void **state) {
        static const char *const parts[] = { "PUT " SCENE_LOCK, "PATCH " NODE, CORDON,
                                             EVICTION,          "REBOOT n0",   NULL };
        struct scene *scene = wanted();

        (void)state;
        scene->agents[0].config.taint_key = SLICE_EMPTY;
        reboots(scene, parts);
        assert_false(scene_has(scene, "PreferNoSchedule"));
        scene_free(scene);
}

static void block(struct scene *scene) {
        static const char *const selectors[] = { "app=batch" };

        scene->agents[0].role_config.blocking_selectors = selectors;
        scene->agents[0].role_config.blocking_selector_count = 1;
        scene_add_pod(scene, "batch", "\"app\":\"batch\"", "");
}

static void r11_tainted_while_blocked(void **state) {
        struct scene *scene = wanted();

        (void)state;
        block(scene);
        scene_start(scene, 0);
        scene_run(scene, 1);
        assert_true(scene_object_has(scene, NODE, "kured-node-reboot"));
        scene_run(scene, 600);
        assert_int_equal(scene_count(scene, "PUT", ""), 0);
        assert_true(scene_object_has(scene, NODE, "pod default/batch"));
        assert_true(metrics_have(scene, "berth_reboot_reason{node=\"n0\",reason=\"pod default/"
                                        "batch\"} 1"));
        scene_free(scene);
}

static void r12_blocker_leaves(void **state) {
        struct scene *scene = wanted();

        (void)state;
        block(scene);
        scene_start(scene, 0);
        scene_run(scene, 300);
        assert_true(metrics_have(scene, "kured_taint_wait_seconds{node=\"n0\"} 300"));
        scene_ask(scene, "DELETE", SCENE_PODS "/batch", NULL, NULL);
        scene_run(scene, 65);
        assert_int_equal(scene->agents[0].reboots, 1);
        assert_true(metrics_have(scene, "kured_taint_lead_time_seconds_count 1"));
        assert_true(metrics_have(scene, "kured_taint_lead_time_seconds_bucket{le=\"300\"} 0"));
        assert_true(metrics_have(scene, "kured_taint_lead_time_seconds_bucket{le=\"900\"} 1"));
        scene_free(scene);
}

/* A hint that cannot be set holds up nothing. */
static void r17_taint_refused(void **state) {
        static const int statuses[] = { 409, 422, 500 };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(statuses); i++) {
                struct scene *scene = wanted();

                scene_script(scene, &(struct scene_rule){ "PATCH", NODE, statuses[i], 1, 0, NULL });
                scene_start(scene, 0);
                scene_run(scene, 120);
                assert_int_equal(scene->agents[0].reboots, 1);
                scene_free(scene);
        }
}

static void r18_foreign_taints(void **state) {
        struct scene *scene = wanted();

        (void)state;
        assert_int_equal(
                scene_ask(scene, "PATCH", NODE,
                          "{\"spec\":{\"taints\":[{\"key\":\"a\",\"value\":\"v\",\"effect\":"
                          "\"NoExecute\"},{\"key\":\"weave.works/kured-node-reboot\",\"effect\":"
                          "\"NoSchedule\"}]}}",
                          NULL),
                200);
        scene_start(scene, 0);
        scene_run(scene, 30);
        assert_true(scene_object_has(scene, NODE, "PreferNoSchedule"));
        assert_true(scene_object_has(scene, NODE, "\"NoExecute\""));
        scene_require(scene, 0, false);
        scene_boot(scene, 0);
        scene_run(scene, 60);
        assert_false(scene_object_has(scene, NODE, "PreferNoSchedule"));
        assert_true(scene_object_has(scene, NODE, "\"NoExecute\""));
        assert_true(scene_object_has(scene, NODE, "\"NoSchedule\""));
        scene_free(scene);
}

static void r28_two_at_once(void **state) {
        struct scene *scene = wanted();

        (void)state;
        scene_require(scene, 1, true);
        scene_start(scene, 0);
        scene_start(scene, 1);
        scene_run(scene, 30);
        assert_int_equal(scene->agents[0].reboots + scene->agents[1].reboots, 1);
        assert_true(scene_has(scene, "-> 409"));
        assert_true(scene_object_has(scene, "/api/v1/nodes", "lock held by n"));
        scene_free(scene);
}

static void r29_conflicts_for_ten_minutes(void **state) {
        struct scene *scene = wanted();

        (void)state;
        scene_script(scene, &(struct scene_rule){ "PUT", SCENE_LOCK, 409, 1000000, 0, NULL });
        scene_start(scene, 0);
        scene_run(scene, 600);
        assert_false(scene_object_has(scene, NODE, "unschedulable\":true"));
        assert_in_range(scene_count(scene, "PUT", SCENE_LOCK), 10, 30);
        scene->rules[0].times = 0;
        scene_run(scene, 120);
        assert_int_equal(scene->agents[0].reboots, 1);
        scene_free(scene);
}

static void r36_budget_for_twelve_seconds(void **state) {
        static const char *const parts[] = { "0 POST", EVICTION,  "429",    "5 POST", EVICTION,
                                             "429",    "10 POST", EVICTION, "429",    "15 POST",
                                             EVICTION, "-> 201",  "REBOOT", NULL };
        struct scene *scene = wanted();

        (void)state;
        scene_add_pod(scene, "web", "", "");
        scene->began_ns += 2 * NS_PER_S;
        scene_script(scene, &(struct scene_rule){ "POST", EVICTION, 429, 3, 0, NULL });
        scene_start(scene, 0);
        scene_run(scene, 30);
        scene_expect_order(scene, parts);
        assert_int_equal(scene_count(scene, "POST", EVICTION), 4);
        scene_free(scene);
}

/* A pod of the same name came up elsewhere: the precondition keeps it. */
static void r38_another_pod_of_the_name(void **state) {
        struct scene *scene = wanted();

        (void)state;
        scene_add_pod(scene, "web", "", "");
        scene_script(scene, &(struct scene_rule){ "POST", EVICTION, 429, 1, 0, NULL });
        scene_start(scene, 0);
        scene_run(scene, 1);
        scene_ask(scene, "DELETE", SCENE_PODS "/web?gracePeriodSeconds=0", NULL, NULL);
        assert_int_equal(scene_ask(scene, "POST", SCENE_PODS,
                                   "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":"
                                   "\"web\"},\"spec\":{\"nodeName\":\"n1\",\"containers\":[{"
                                   "\"name\":\"c\",\"image\":\"i\"}]}}",
                                   NULL),
                         201);
        scene_run(scene, 60);
        assert_int_equal(scene->agents[0].reboots, 1);
        assert_true(scene_has(scene, "\"preconditions\":{\"uid\":"));
        assert_true(scene_object_has(scene, SCENE_PODS "/web", "Running"));
        scene_free(scene);
}

static void add_daemon(struct scene *scene, const char *set) {
        char owner[256];

        snprintf(owner, sizeof(owner), DAEMON_OWNER, set);
        scene_add_pod(scene, "daemon", "", owner);
}

static void r40_daemon_set_gone_or_unreadable(void **state) {
        struct scene *scene = wanted();

        (void)state;
        add_daemon(scene, "gone"); /* 404: evicted */
        scene_start(scene, 0);
        scene_run(scene, 30);
        assert_int_equal(scene_count(scene, "POST", "daemon" EVICTION), 1);
        scene_free(scene);
        scene = wanted(); /* 500: nothing is decided on a guess; tried again, then an error */
        add_daemon(scene, "gone");
        scene_script(scene, &(struct scene_rule){ "GET", "daemonsets/gone", 500, 3, 0, NULL });
        scene_start(scene, 0);
        scene_run(scene, 60);
        assert_int_equal(scene_count(scene, "GET", "daemonsets/gone"), 4);
        assert_int_equal(scene->agents[0].reboots, 1);
        assert_false(metrics_have(scene, "berth_reboot_errors_total 0"));
        scene_free(scene);
}

static void r41_denied_by_a_webhook(void **state) {
        static const int statuses[] = { 400, 403 };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(statuses); i++) {
                struct scene *scene = wanted();

                scene_add_pod(scene, "web", "", "");
                scene_script(scene,
                             &(struct scene_rule){ "POST", EVICTION, statuses[i], 1000, 0, NULL });
                scene->agents[0].config.drain_timeout_ns = 60 * NS_PER_S;
                scene_start(scene, 0);
                scene_run(scene, 64);
                assert_int_equal(scene_count(scene, "POST", EVICTION), 12);
                assert_true(scene_object_has(scene, NODE,
                                             "backing off after a failure: the drain timed out: 1 "
                                             "pod is left, default/web: scripted"));
                assert_true(
                        metrics_have(scene, "reason=\"backing off after a failure: the drain "));
                assert_false(scene_object_has(scene, NODE, "unschedulable\":true"));
                scene_free(scene);
        }
}

static void r42_one_failure_while_waiting(void **state) {
        struct scene *scene = wanted();

        (void)state;
        scene_add_pod(scene, "web", "", "");
        scene_script(scene, &(struct scene_rule){ "GET", "spec.nodeName%3Dn0", 500, 1, 2, NULL });
        scene_start(scene, 0);
        scene_run(scene, 30);
        assert_true(scene_has(scene, "-> 500"));
        assert_int_equal(scene->agents[0].reboots, 1);
        assert_int_equal(scene_count(scene, "POST", EVICTION), 1);
        scene_free(scene);
}

static void r44_grace_of_evictions(void **state) {
        for (int grace = -1; grace <= 0; grace++) {
                struct scene *scene = wanted();

                (void)state;
                scene_add_pod(scene, "web", "", "");
                scene->agents[0].config.drain_grace_s = grace;
                scene_start(scene, 0);
                scene_run(scene, 30);
                assert_int_equal(scene_count(scene, "POST", EVICTION), 1);
                assert_int_equal(scene_has(scene, "\"gracePeriodSeconds\":0"), grace == 0);
                scene_free(scene);
        }
}

static void r46_no_eviction_api(void **state) {
        struct scene *scene = wanted();

        (void)state;
        scene_add_pod(scene, "web", "", "");
        scene_script(scene, &(struct scene_rule){
                                    "GET", "/api/v1$", 200, 1, 0,
                                    "{\"resources\":[{\"name\":\"pods\",\"kind\":\"Pod\"}]}" });
        scene_start(scene, 0);
        scene_run(scene, 30);
        assert_int_equal(scene_count(scene, "POST", EVICTION), 0);
        assert_int_equal(scene_count(scene, "DELETE", SCENE_PODS "/web"), 1);
        assert_true(scene_has(scene, "\"preconditions\":{\"uid\":"));
        assert_int_equal(scene->agents[0].reboots, 1);
        scene_free(scene);
}

/* Off by default; with it, pods whose eviction is refused for so long are deleted. */
static void escalates_on_request(void **state) {
        for (int escalates = 0; escalates < 2; escalates++) {
                struct scene *scene = wanted();

                (void)state;
                scene_add_pod(scene, "web", "", "");
                scene_script(scene, &(struct scene_rule){ "POST", EVICTION, 429, 1000, 0, NULL });
                if (escalates)
                        scene->agents[0].config.drain_escalation_ns = 60 * NS_PER_S;
                scene_start(scene, 0);
                scene_run(scene, 59);
                assert_int_equal(scene_count(scene, "DELETE", ""), 0);
                scene_run(scene, 20);
                assert_int_equal(scene_count(scene, "DELETE", SCENE_PODS "/web"), escalates);
                assert_int_equal(scene->agents[0].reboots, escalates);
                scene_free(scene);
        }
}

static void r50_selector_refused(void **state) {
        static const char *const selectors[] = { "a=b=c,," };
        struct scene *scene = wanted();

        (void)state;
        scene->agents[0].role_config.blocking_selectors = selectors;
        scene->agents[0].role_config.blocking_selector_count = 1;
        scene_start(scene, 0);
        scene_run(scene, 300);
        assert_true(scene_has(scene, "-> 400"));
        assert_int_equal(scene_count(scene, "PUT", ""), 0);
        assert_true(metrics_have(
                scene,
                "berth_reboot_reason{node=\"n0\",reason=\"blocking pods cannot be listed: "));
        scene_free(scene);
}

static void r73_node_without_annotations(void **state) {
        struct scene *scene = wanted();

        (void)state;
        assert_int_equal(
                scene_ask(scene, "PATCH", NODE, "{\"metadata\":{\"annotations\":null}}", NULL),
                200);
        scene->agents[0].config.annotates = true;
        scene_start(scene, 0);
        scene_run(scene, 10);
        assert_true(scene_object_has(scene, NODE, "weave.works/kured-reboot-in-progress"));
        assert_true(scene_object_has(scene, NODE, "weave.works/kured-most-recent-reboot-needed"));
        scene_require(scene, 0, false);
        scene_boot(scene, 0);
        scene_run(scene, 30);
        assert_false(scene_object_has(scene, NODE, "weave.works/kured-reboot-in-progress"));
        assert_true(scene_object_has(scene, NODE, "weave.works/kured-most-recent-reboot-needed"));
        scene_free(scene);
}

/* ---- beyond kured ---- */

#define LEASE "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"

static void locks_a_lease(void **state) {
        static const char *const parts[] = { "GET " LEASE "/kured",
                                             "PUT " LEASE "/kured",
                                             "\\\"nodeID\\\":\\\"n0\\\"",
                                             CORDON,
                                             "REBOOT",
                                             NULL };
        struct scene *scene = wanted();

        (void)state;
        scene->agents[0].config.lock_kind = SLICE_LITERAL("Lease");
        scene_start(scene, 0);
        scene_run(scene, 90); /* not there: queued */
        assert_int_equal(scene->agents[0].reboots, 0);
        assert_true(scene_object_has(scene, NODE,
                                     "the lock's object does not exist: Lease kube-system/kured"));
        assert_int_equal(scene_ask(scene, "POST", LEASE,
                                   "{\"metadata\":{\"name\":\"kured\"},\"spec\":{"
                                   "\"leaseDurationSeconds\":40}}",
                                   NULL),
                         201);
        scene_run(scene, 90);
        scene_expect_order(scene, parts);
        scene_require(scene, 0, false);
        scene_boot(scene, 0);
        scene_run(scene, 60);
        assert_false(scene_object_has(scene, LEASE "/kured", "kured-node-lock"));
        assert_true(scene_object_has(scene, LEASE "/kured", "\"leaseDurationSeconds\":40"));
        assert_int_equal(scene_count(scene, "", "daemonsets/kured"), 0);
        scene_free(scene);
}

static void checks_health(void **state) {
        static const char ill_pods[] =
                "{\"items\":[{\"metadata\":{\"namespace\":\"ns\",\"name\":\"agent\"},\"status\":{"
                "\"phase\":\"Running\",\"conditions\":[{\"type\":\"Ready\",\"status\":\"False\"}]}}"
                "]}";
        static const char ill_budgets[] =
                "{\"items\":[{\"metadata\":{\"namespace\":\"ns\",\"name\":\"web\"},\"status\":{"
                "\"currentHealthy\":1,\"desiredHealthy\":2}}]}";
        struct scene *scene = wanted();

        (void)state;
        scene->agents[0].config.checks_health = true;
        scene->agents[0].role_config.health_pods = true;
        scene->agents[0].role_config.health_budgets = true;
        scene_start(scene, 0);
        scene_run(scene, 30);
        scene_require(scene, 0, false);
        scene_script(scene,
                     &(struct scene_rule){ "GET", "spec.nodeName%3Dn0", 200, 5, 0, ill_pods });
        scene_script(scene,
                     &(struct scene_rule){ "GET", "poddisruptionbudgets", 200, 5, 0, ill_budgets });
        scene_boot(scene, 0);
        scene_run(scene, 10);
        assert_true(scene_object_has(scene, NODE, "pod ns/agent is not well"));
        assert_true(scene_object_has(scene, NODE, "\"unschedulable\":true"));
        scene_run(scene, 20);
        assert_true(scene_object_has(scene, NODE, "budget ns/web is not well"));
        assert_false(scene_object_has(scene, NODE, "\"unschedulable\":true"));
        assert_true(scene_object_has(scene, SCENE_LOCK, "kured-node-lock"));
        scene_run(scene, 60);
        assert_false(scene_object_has(scene, SCENE_LOCK, "kured-node-lock"));
        assert_int_equal(scene->agents[0].reboots, 1);
        scene_free(scene);
}

#define IMPOSSIBLE "budget default/all can never let pod web go"

static const char impossible_budgets[] =
        "{\"kind\":\"PodDisruptionBudgetList\",\"apiVersion\":\"policy/v1\",\"items\":[{"
        "\"metadata\":{\"namespace\":\"default\",\"name\":\"all\"},\"spec\":{"
        "\"minAvailable\":1,\"selector\":{\"matchLabels\":{\"app\":\"web\"}}},\"status\":{"
        "\"disruptionsAllowed\":0,\"expectedPods\":1,\"desiredHealthy\":1,"
        "\"currentHealthy\":1}}]}";

/* A budget that can never open is named, and keeps the lock from nobody. */
static void names_the_budget(void **state) {
        struct scene *scene = wanted();

        (void)state;
        scene_add_pod(scene, "web", "\"app\":\"web\"", "");
        scene_script(scene, &(struct scene_rule){ "GET", "poddisruptionbudgets", 200, 1000, 0,
                                                  impossible_budgets });
        scene_start(scene, 0);
        scene_run(scene, 3600);
        assert_true(scene_object_has(scene, NODE, "\\\"reason\\\":\\\"" IMPOSSIBLE));
        assert_true(scene_object_has(scene, NODE, "\\\"phase\\\":\\\"Blocked"));
        assert_true(metrics_have(scene, "reason=\"" IMPOSSIBLE "\"} 1"));
        assert_true(metrics_have(scene, "berth_reboot_rollbacks_total 0"));
        assert_int_equal(scene_count(scene, "PUT", ""), 0);
        assert_int_equal(scene_count(scene, "POST", EVICTION), 0);
        scene->rules[0].times = 0; /* the budget goes */
        scene_run(scene, 90);
        assert_int_equal(scene->agents[0].reboots, 1);
        scene_free(scene);
}

/* Where refused pods are deleted after a while no budget stops a drain. */
static void escalates_past_budgets(void **state) {
        struct scene *scene = wanted();

        (void)state;
        scene_add_pod(scene, "web", "\"app\":\"web\"", "");
        scene_script(scene, &(struct scene_rule){ "GET", "poddisruptionbudgets", 200, 1000, 0,
                                                  impossible_budgets });
        scene_script(scene, &(struct scene_rule){ "POST", EVICTION, 429, 1000, 0, NULL });
        scene->agents[0].config.drain_escalation_ns = 60 * NS_PER_S;
        scene_start(scene, 0);
        scene_run(scene, 90);
        assert_int_equal(scene->agents[0].reboots, 1);
        scene_free(scene);
}

/* A drain that takes long says what it waits for. */
static void says_what_is_left(void **state) {
        struct scene *scene = wanted();

        (void)state;
        scene_add_pod(scene, "web", "", "");
        scene_script(scene, &(struct scene_rule){ "POST", EVICTION, 429, 40, 0, NULL });
        scene_start(scene, 0);
        scene_run(scene, 100);
        assert_false(scene_object_has(scene, NODE, "is left"));
        scene_run(scene, 60);
        assert_true(scene_object_has(scene, NODE, "1 pod is left, default/web: scripted"));
        assert_true(scene_object_has(scene, NODE, "\\\"phase\\\":\\\"Draining"));
        scene_run(scene, 90);
        assert_int_equal(scene->agents[0].reboots, 1);
        assert_false(scene_object_has(scene, NODE, "is left"));
        scene_free(scene);
}

/* What may not be read or written is a reason, too. */
static void names_what_is_refused(void **state) {
        static const struct {
                struct scene_rule rule;
                const char *reason;
        } cases[] = {
                { { "GET", SCENE_LOCK, 403, 100, 1, NULL }, "the lock cannot be read: Forbidden" },
                { { "PUT", SCENE_LOCK, 403, 100, 0, NULL },
                  "the lock cannot be written: Forbidden" },
                { { "GET", "daemonsets/set", 403, 100, 0, NULL },
                  "the pods of the node cannot be read: Forbidden" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct scene *scene = wanted();

                add_daemon(scene, "set");
                scene_script(scene, &cases[i].rule);
                scene_start(scene, 0);
                scene_run(scene, 120);
                assert_true(scene_object_has(scene, NODE, cases[i].reason));
                assert_true(metrics_have(scene, cases[i].reason));
                assert_int_equal(scene->agents[0].reboots, 0);
                scene->rules[0].times = 0;
                scene_run(scene, 150);
                assert_int_equal(scene->agents[0].reboots, 1);
                assert_false(scene_object_has(scene, NODE, cases[i].reason));
                scene_free(scene);
        }
}

/* What a dry run or a proxy answers as done is tried again, not faster than what fails, and nothing
 * follows from it. */
static void writes_again_after_an_answer_without_effect(void **state) {
        static const struct {
                const char *name, *method, *path, *body;
                int skip;
        } cases[] = {
                { "taint", "PATCH", NODE, "{}", 0 },    { "claim", "PATCH", NODE, "{}", 1 },
                { "cordon", "PATCH", NODE, "{}", 2 },   { "reboot", "PATCH", NODE, "{}", 3 },
                { "lock", "PUT", SCENE_LOCK, "{}", 0 }, { "eviction", "POST", EVICTION, "{}", 0 },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct scene *scene = wanted();
                int status = strcmp(cases[i].method, "POST") == 0 ? 201 : 200;

                scene_add_pod(scene, "web", "", "");
                scene_script(scene, &(struct scene_rule){ cases[i].method, cases[i].path, status,
                                                          1000, cases[i].skip, cases[i].body });
                scene_start(scene, 0);
                scene_run(scene, 120);
                unsigned count = scene_count(scene, cases[i].method, cases[i].path);
                if (count > 30 || scene->agents[0].reboots)
                        fail_msg("%s: %u calls, %u reboots", cases[i].name, count,
                                 scene->agents[0].reboots);
                scene->rules[0].times = 0;
                scene_run(scene, 300);
                if (scene->agents[0].reboots != 1)
                        fail_msg("%s: %u reboots", cases[i].name, scene->agents[0].reboots);
                scene_free(scene);
        }
}

static void says_why_the_order_failed(void **state) {
        struct scene *scene = wanted();

        (void)state;
        scene->reboot_code = -1;
        scene_start(scene, 0);
        scene_run(scene, 30);
        assert_true(scene_object_has(scene, NODE,
                                     "backing off after a failure: the reboot could "
                                     "not be ordered: the host does not want to"));
        scene_free(scene);
}

/* ---- beside roles with a model ---- */

#define OWN_PODS "spec.nodeName%3Dn0"

static struct scene *wanted_with_model(void) {
        struct scene *scene = wanted();

        scene->has_model = true;
        return scene;
}

/* The drain looks at the model; pods are listed only before it ends and before the reboot. */
static void drains_from_the_model(void **state) {
        struct scene *scene = wanted_with_model();

        (void)state;
        scene_add_pod(scene, "web", "", "");
        scene_script(scene, &(struct scene_rule){ "POST", EVICTION, 429, 3, 0, NULL });
        scene_start(scene, 0);
        scene_run(scene, 60);
        assert_int_equal(scene->agents[0].reboots, 1);
        assert_int_equal(scene_count(scene, "POST", "web" EVICTION), 4);
        assert_int_equal(scene_count(scene, "GET", OWN_PODS), 2);
        assert_int_equal(scene_count(scene, "GET", "poddisruptionbudgets?"), 0);
        scene_free(scene);
}

static void is_blocked_from_the_model(void **state) {
        struct scene *scene = wanted_with_model();

        (void)state;
        block(scene);
        scene_add_pod(scene, "a-batch", "\"app\":\"batch\"", "");
        scene_start(scene, 0);
        scene_run(scene, 90);
        assert_true(scene_object_has(scene, NODE, "pod default/a-batch"));
        scene_ask(scene, "DELETE", SCENE_PODS "/a-batch", NULL, NULL);
        scene_ask(scene, "PATCH", SCENE_PODS "/batch", "{\"metadata\":{\"labels\":null}}", NULL);
        scene_run(scene, 90);
        assert_int_equal(scene->agents[0].reboots, 1);
        assert_int_equal(scene_count(scene, "GET", OWN_PODS), 2);
        scene_free(scene);
}

static void names_the_budget_of_the_model(void **state) {
        struct scene *scene = wanted_with_model();

        (void)state;
        scene_add_pod(scene, "web", "\"app\":\"web\"", "");
        assert_int_equal(scene_ask(scene, "POST",
                                   "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
                                   "{\"metadata\":{\"name\":\"all\"},\"spec\":{\"minAvailable\":1,"
                                   "\"selector\":{\"matchLabels\":{\"app\":\"web\"}}}}",
                                   NULL),
                         201);
        assert_int_equal(
                scene_ask(scene, "PATCH",
                          "/apis/policy/v1/namespaces/default/poddisruptionbudgets/all/status",
                          "{\"status\":{\"observedGeneration\":1,\"disruptionsAllowed\":0,"
                          "\"expectedPods\":1,\"desiredHealthy\":1,\"currentHealthy\":1}}",
                          NULL),
                200);
        scene_start(scene, 0);
        scene_run(scene, 300);
        assert_true(scene_object_has(scene, NODE, IMPOSSIBLE));
        assert_int_equal(scene_count(scene, "PUT", ""), 0);
        assert_int_equal(scene_count(scene, "GET", OWN_PODS), 0);
        scene_free(scene);
}

/* ---- blockers that go are noticed before the period is over ---- */

#define PDB "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
#define HELD_LOCK                                                                                  \
        "{\"metadata\":{\"annotations\":{\"weave.works/"                                           \
        "kured-node-lock\":\"{\\\"nodeID\\\":\\\"n1\\\","                                          \
        "\\\"created\\\":\\\"1970-01-01T00:00:00Z\\\"}\"}}}"
#define FREE_LOCK "{\"metadata\":{\"annotations\":{\"weave.works/kured-node-lock\":null}}}"
#define HOLD(value) "{\"metadata\":{\"annotations\":{\"berth.dev/reboot-hold\":" value "}}}"

static void block_by_budget(struct scene *scene) {
        scene_add_pod(scene, "web", "\"app\":\"web\"", "");
        assert_int_equal(scene_ask(scene, "POST", PDB,
                                   "{\"metadata\":{\"name\":\"all\"},\"spec\":{\"minAvailable\":1,"
                                   "\"selector\":{\"matchLabels\":{\"app\":\"web\"}}}}",
                                   NULL),
                         201);
        assert_int_equal(scene_ask(scene, "PATCH", PDB "/all/status",
                                   "{\"status\":{\"observedGeneration\":1,\"disruptionsAllowed\":0,"
                                   "\"expectedPods\":1,\"desiredHealthy\":1,\"currentHealthy\":1}}",
                                   NULL),
                         200);
}

static void change(struct scene *scene, const char *path, const char *body) {
        assert_int_equal(scene_ask(scene, body ? "PATCH" : "DELETE", path, body, NULL), 200);
}

static void hold_back(struct scene *scene) {
        change(scene, NODE, HOLD("\"true\""));
}

static void lock_by_another(struct scene *scene) {
        change(scene, SCENE_LOCK, HELD_LOCK);
}

static void notices_what_goes(void **state) {
        static const struct {
                const char *name;
                void (*block)(struct scene *scene);
                const char *reason, *path, *body;
        } cases[] = {
                { "pod", block, "pod default/batch", SCENE_PODS "/batch", NULL },
                { "label", block, "pod default/batch", SCENE_PODS "/batch",
                  "{\"metadata\":{\"labels\":null}}" },
                { "budget", block_by_budget, IMPOSSIBLE, PDB "/all", NULL },
                { "pod of the budget", block_by_budget, IMPOSSIBLE, SCENE_PODS "/web", NULL },
                { "hold", hold_back, "held by annotation", NODE, HOLD("null") },
                { "lock", lock_by_another, "lock held by n1", SCENE_LOCK, FREE_LOCK },
        };

        (void)state;
        for (size_t i = 0; i < 2 * ARRAY_LEN(cases); i++) {
                struct scene *scene = wanted();
                size_t at = i / 2;

                scene->has_model = i % 2;
                scene->agents[0].config.period_ns = 3600 * NS_PER_S;
                cases[at].block(scene);
                if (cases[at].block == block) /* rules are read at the start */
                        assert_int_equal(scene->agents[0].role_config.blocking_selector_count, 1);
                scene_start(scene, 0);
                scene_run(scene, 60);
                if (!scene_object_has(scene, NODE, cases[at].reason))
                        fail_msg("%s: no reason", cases[at].name);
                change(scene, cases[at].path, cases[at].body);
                scene_run(scene, 20);
                if (scene->agents[0].reboots != 1)
                        fail_msg("%s, model %d: not noticed\n%s", cases[at].name, scene->has_model,
                                 scene->calls.data);
                scene_free(scene);
        }
}

/* The lock's object is made later; what others do with the lock wakes nobody who cannot have it. */
static void notices_the_lock_only_when_free(void **state) {
        struct scene *scene = wanted();
        unsigned before;

        (void)state;
        scene->agents[0].config.period_ns = 3600 * NS_PER_S;
        assert_int_equal(scene_ask(scene, "DELETE", SCENE_LOCK, NULL, NULL), 200);
        scene_start(scene, 0);
        scene_run(scene, 60);
        assert_true(scene_object_has(scene, NODE, "the lock's object does not exist: DaemonSet"));
        before = scene_count(scene, "GET", "");
        assert_int_equal(
                scene_ask(scene, "POST", "/apis/apps/v1/namespaces/kube-system/daemonsets",
                          "{\"metadata\":{\"name\":\"kured\",\"annotations\":{"
                          "\"weave.works/kured-node-lock\":\"{\\\"nodeID\\\":\\\"n1\\\"}\"}},"
                          "\"spec\":{\"selector\":{\"matchLabels\":{\"name\":\"kured\"}},"
                          "\"template\":{\"metadata\":{\"labels\":{\"name\":\"kured\"}},"
                          "\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}}}",
                          NULL),
                201);
        scene_run(scene, 60);
        assert_int_equal(scene_count(scene, "GET", ""), before);
        change(scene, SCENE_LOCK, FREE_LOCK);
        scene_run(scene, 20);
        assert_int_equal(scene->agents[0].reboots, 1);
        scene_free(scene);
}

/* ---- costs ---- */

/* Calls per hour at kured's period of one hour: counted over four hours, the first one left out. */
static double calls_per_hour(bool is_required, bool is_blocked) {
        struct scene *scene = scene_new();
        unsigned before, watches;
        double calls;

        scene_require(scene, 0, is_required);
        if (is_blocked)
                block(scene);
        scene->agents[0].config.period_ns = 3600 * NS_PER_S;
        if (is_required && !is_blocked)
                assert_int_equal(
                        scene_ask(scene, "PATCH", SCENE_LOCK,
                                  "{\"metadata\":{\"annotations\":{\"weave.works/"
                                  "kured-node-lock\":\"{\\\"nodeID\\\":\\\"manual\\\"}\"}}}",
                                  NULL),
                        200);
        scene_start(scene, 0);
        scene_run(scene, 3600);
        before = scene_count(scene, "", "/") - scene_count(scene, "WATCH", "/");
        watches = scene_count(scene, "WATCH", "/");
        scene_run(scene, 4 * 3600);
        calls = (scene_count(scene, "", "/") - scene_count(scene, "WATCH", "/") - before) / 4.0;
        assert_true(scene_count(scene, "WATCH", "/") - watches <= 4 * 12); /* opened again */
        scene_free(scene);
        return calls;
}

static void costs_few_calls(void **state) {
        double idle = calls_per_hour(false, false), blocked = calls_per_hour(true, true);
        double queued = calls_per_hour(true, false);

        (void)state;
        print_message("calls per hour: idle %.1f, blocked %.1f, queued %.1f\n", idle, blocked,
                      queued);
        assert_true(idle <= 2);
        assert_true(blocked <= 3);
        assert_true(queued <= 4);
}

/* ---- rights ---- */

static const struct api_user kured = {
        .name = { "system:serviceaccount:kube-system:kured", 39 },
        .group_count = 3,
        .groups = { { "system:serviceaccounts", 22 },
                    { "system:serviceaccounts:kube-system", 34 },
                    { "system:authenticated", 20 } },
};

/* What kured is installed with, and nothing else. */
static void grant(struct scene *scene) {
        static const struct {
                const char *path, *body;
        } objects[] = {
                { "clusterroles",
                  "{\"metadata\":{\"name\":\"kured\"},\"rules\":["
                  "{\"apiGroups\":[\"\"],\"resources\":[\"nodes\"],\"verbs\":[\"get\",\"patch\"]},"
                  "{\"apiGroups\":[\"\"],\"resources\":[\"pods\"],\"verbs\":[\"list\",\"delete\","
                  "\"get\"]},{\"apiGroups\":[\"apps\"],\"resources\":[\"daemonsets\"],\"verbs\":["
                  "\"get\"]},{\"apiGroups\":[\"\"],\"resources\":[\"pods/eviction\"],\"verbs\":["
                  "\"create\"]}]}" },
                { "clusterrolebindings",
                  "{\"metadata\":{\"name\":\"kured\"},\"roleRef\":{\"apiGroup\":"
                  "\"rbac.authorization.k8s.io\",\"kind\":\"ClusterRole\",\"name\":\"kured\"},"
                  "\"subjects\":[{\"kind\":\"ServiceAccount\",\"name\":\"kured\",\"namespace\":"
                  "\"kube-system\"}]}" },
                { "namespaces/kube-system/roles",
                  "{\"metadata\":{\"name\":\"kured\"},\"rules\":[{\"apiGroups\":[\"apps\"],"
                  "\"resources\":[\"daemonsets\"],\"resourceNames\":[\"kured\"],\"verbs\":["
                  "\"update\"]}]}" },
                { "namespaces/kube-system/rolebindings",
                  "{\"metadata\":{\"name\":\"kured\"},\"roleRef\":{\"apiGroup\":"
                  "\"rbac.authorization.k8s.io\",\"kind\":\"Role\",\"name\":\"kured\"},"
                  "\"subjects\":[{\"kind\":\"ServiceAccount\",\"name\":\"kured\",\"namespace\":"
                  "\"kube-system\"}]}" },
        };

        for (size_t i = 0; i < ARRAY_LEN(objects); i++) {
                char path[128];

                snprintf(path, sizeof(path), "/apis/rbac.authorization.k8s.io/v1/%s",
                         objects[i].path);
                assert_int_equal(scene_ask(scene, "POST", path, objects[i].body, NULL), 201);
        }
}

static void r76_rights_of_kured_only(void **state) {
        static const char *const parts[] = { TAINT,    "PUT " SCENE_LOCK, CORDON,
                                             EVICTION, "REBOOT",          NULL };
        struct scene *scene = scene_new_as(&kured);

        (void)state;
        grant(scene);
        scene_require(scene, 0, true);
        add_daemon(scene, "gone");
        reboots(scene, parts);
        assert_int_equal(scene_count(scene, "GET", "poddisruptionbudgets"), 1); /* refused once */
        assert_true(scene_has(scene, "-> 403"));
        scene_free(scene);
}

/* Without the right to watch, as kured is installed, it is tried once; the period goes on. */
static void watches_only_where_it_may(void **state) {
        struct scene *scene = scene_new_as(&kured);

        (void)state;
        grant(scene);
        scene_require(scene, 0, true);
        block(scene);
        scene->agents[0].config.period_ns = 3600 * NS_PER_S;
        scene_start(scene, 0);
        scene_run(scene, 4 * 3600);
        assert_int_equal(scene_count(scene, "WATCH", "metadata.name%3Dbatch"), 1);
        change(scene, SCENE_PODS "/batch", NULL);
        scene_run(scene, 3600);
        assert_int_equal(scene->agents[0].reboots, 1);
        assert_in_range(scene_count(scene, "", "metadata.name"), 2, 6);
        scene_free(scene);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(r07_nothing_required),
                cmocka_unit_test(r08_window_closed),
                cmocka_unit_test(r09_in_order),
                cmocka_unit_test(r10_without_taint),
                cmocka_unit_test(r11_tainted_while_blocked),
                cmocka_unit_test(r12_blocker_leaves),
                cmocka_unit_test(r17_taint_refused),
                cmocka_unit_test(r18_foreign_taints),
                cmocka_unit_test(r28_two_at_once),
                cmocka_unit_test(r29_conflicts_for_ten_minutes),
                cmocka_unit_test(r36_budget_for_twelve_seconds),
                cmocka_unit_test(r38_another_pod_of_the_name),
                cmocka_unit_test(r40_daemon_set_gone_or_unreadable),
                cmocka_unit_test(r41_denied_by_a_webhook),
                cmocka_unit_test(r42_one_failure_while_waiting),
                cmocka_unit_test(r44_grace_of_evictions),
                cmocka_unit_test(r46_no_eviction_api),
                cmocka_unit_test(escalates_on_request),
                cmocka_unit_test(r50_selector_refused),
                cmocka_unit_test(r73_node_without_annotations),
                cmocka_unit_test(locks_a_lease),
                cmocka_unit_test(checks_health),
                cmocka_unit_test(writes_again_after_an_answer_without_effect),
                cmocka_unit_test(names_the_budget),
                cmocka_unit_test(escalates_past_budgets),
                cmocka_unit_test(says_what_is_left),
                cmocka_unit_test(names_what_is_refused),
                cmocka_unit_test(says_why_the_order_failed),
                cmocka_unit_test(drains_from_the_model),
                cmocka_unit_test(is_blocked_from_the_model),
                cmocka_unit_test(names_the_budget_of_the_model),
                cmocka_unit_test(notices_what_goes),
                cmocka_unit_test(notices_the_lock_only_when_free),
                cmocka_unit_test(watches_only_where_it_may),
                cmocka_unit_test(costs_few_calls),
                cmocka_unit_test(r76_rights_of_kured_only),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
