/* The acceptance cases of the EvictionRequest API (C, D, E of the reference), each on a small
 * simulated cluster without faults. */
#include "base/util.h"
#include "evict/eviction_policy.h"
#include "eviction_scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- C: the controller ---- */

static void C1_no_responders(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        make_pod(&scene, "p", "", "");
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 30);
        assert_has(&scene, EVICTION_1, "\"reason\":\"PodDeleted\"");
        assert_has(&scene, EVICTION_1, "\"name\":\"" EVICTION_EVICTOR "\"");
        assert_has(&scene, GROUP "/evictionrequests/want", "\"reason\":\"PodDeleted\"");
        assert_int_equal(ask(&scene, "GET", POD, ""), 404);
        close_scene(&scene);
}

static void C2_invalid_targets(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        assert_int_equal(
                make_request_of(&scene, "absent", ANNA, "00000000-0000-4000-8000-000000000000", ""),
                201);
        make_pod(&scene, "p", "", "");
        assert_int_equal(
                make_request_of(&scene, "wrong", ANNA, "00000000-0000-4000-8000-000000000001", ""),
                201);
        wait_s(&scene, 30);
        assert_has(&scene, GROUP "/evictionrequests/absent", "\"reason\":\"EvictionInvalid\"");
        assert_has(&scene, GROUP "/evictionrequests/wrong", "\"reason\":\"EvictionInvalid\"");
        assert_int_equal(ask(&scene, "GET", EVICTION_1, ""), 404);
        assert_int_equal(ask(&scene, "GET", POD, ""), 200);
        close_scene(&scene);
}

/* Two requesters share one Eviction; it is cancelled when the last one withdraws, and comes back as
 * another when one changes its mind. */
static void C3_to_C6_two_requesters(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        guard(&scene);
        make_pod(&scene, "p", "", "");
        make_request(&scene, "one", ANNA);
        make_request(&scene, "two", BERT);
        wait_s(&scene, 10);
        assert_has(&scene, EVICTION_1, "\"" ANNA "\":\"requester\"");
        assert_has(&scene, EVICTION_1, "\"" BERT "\":\"requester\"");
        assert_has(&scene, EVICTION_1, "\"name\":\"one\"");
        assert_has(&scene, EVICTION_1, "\"name\":\"two\"");
        assert_int_equal(ask(&scene, "GET", EVICTION_2, ""), 404);
        set_intent(&scene, "one", "Withdrawn");
        wait_s(&scene, 10);
        assert_has(&scene, EVICTION_1, "\"state\":\"Active\"");
        assert_has(&scene, EVICTION_1, "{\"name\":\"" ANNA "\",\"intent\":\"Withdrawn\"}");
        set_intent(&scene, "two", "Withdrawn");
        wait_s(&scene, 10);
        assert_has(&scene, EVICTION_1, "\"state\":\"Canceled\"");
        assert_has(&scene, EVICTION_1, "\"reason\":\"CanceledDueToNoRequesters\"");
        set_intent(&scene, "one", "Eviction");
        wait_s(&scene, 10);
        assert_has(&scene, EVICTION_2, "\"state\":\"Active\"");
        assert_false(has(&scene, GROUP "/evictionrequests/one", "CanceledDueToNoRequesters"));
        close_scene(&scene);
}

static void C7_deleted_with_finalizer(void **state) {
        struct scene scene;
        char uid[64];

        (void)state;
        open_scene(&scene);
        guard(&scene);
        make_pod(&scene, "p", "", "");
        uid_of(&scene, "p", uid);
        make_request_of(&scene, "want", ANNA, uid, ",\"finalizers\":[\"example.com/hold\"]");
        wait_s(&scene, 10);
        assert_has(&scene, EVICTION_1, "\"state\":\"Active\"");
        ask(&scene, "DELETE", GROUP "/evictionrequests/want", "");
        wait_s(&scene, 10);
        assert_has(&scene, EVICTION_1, "\"reason\":\"CanceledDueToNoRequesters\"");
        close_scene(&scene);
}

static void C8_collected(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        guard(&scene);
        make_pod(&scene, "p", "", "");
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 10);
        assert_int_equal(ask(&scene, "GET", EVICTION_1, ""), 200);
        ask(&scene, "DELETE", GROUP "/evictionrequests/want", "");
        wait_s(&scene, 30);
        assert_int_equal(ask(&scene, "GET", EVICTION_1, ""), 404);
        assert_int_equal(ask(&scene, "GET", POD, ""), 200);
        close_scene(&scene);
}

static void C9_foreign_duplicate(void **state) {
        struct scene scene;
        char uid[64], body[400];

        (void)state;
        open_scene(&scene);
        guard(&scene);
        make_pod(&scene, "p", "", "");
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 10);
        uid_of(&scene, "p", uid);
        snprintf(body, sizeof(body),
                 "{\"apiVersion\":\"lifecycle.berth.dev/v1alpha1\",\"kind\":\"Eviction\","
                 "\"metadata\":{\"name\":\"foreign\"},\"spec\":{\"target\":{\"pod\":{\"name\":"
                 "\"p\",\"uid\":\"%s\"}}}}",
                 uid);
        sim_world_allow_duplicates(scene.world);
        assert_int_equal(ask(&scene, "POST", GROUP "/evictions", body), 201);
        wait_s(&scene, 10);
        assert_has(&scene, GROUP "/evictions/foreign", "\"reason\":\"EvictionInvalid\"");
        assert_has(&scene, EVICTION_1, "\"state\":\"Active\"");
        close_scene(&scene);
}

static void C13_finishes_by_itself(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        guard(&scene);
        make_pod(&scene, "p", "", "");
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 10);
        assert_int_equal(
                ask(&scene, "PATCH", POD "/status", "{\"status\":{\"phase\":\"Succeeded\"}}"), 200);
        wait_s(&scene, 30);
        assert_has(&scene, EVICTION_1, "\"reason\":\"PodTerminal\"");
        assert_int_equal(ask(&scene, "GET", POD, ""), 200);
        close_scene(&scene);
}

static void C14_requester_and_responder(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        make_pod(&scene, "p", WITH_MOVER, "");
        make_request(&scene, "want", MOVER);
        wait_s(&scene, 10);
        assert_has(&scene, EVICTION_1, "\"" MOVER "\":\"requester-responder\"");
        close_scene(&scene);
}

/* ---- D: responders ---- */

static void D1_completed_passes_on(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        guard(&scene);
        make_pod(&scene, "p", WITH_MOVER, "");
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 10);
        assert_has(&scene, EVICTION_1,
                   "{\"name\":\"" MOVER "\",\"priority\":10000,\"state\":\"Active\"}");
        complete_mover(&scene);
        assert_has(&scene, EVICTION_1,
                   "{\"name\":\"" MOVER "\",\"priority\":10000,\"state\":\"Completed\"}");
        assert_has(&scene, EVICTION_1,
                   "{\"name\":\"" EVICTION_EVICTOR "\",\"priority\":100,\"state\":\"Active\"}");
        close_scene(&scene);
}

static void D2_silent_for_20_minutes(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        guard(&scene);
        make_pod(&scene, "p", WITH_MOVER, "");
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 19 * 60);
        assert_has(&scene, EVICTION_1, "\"priority\":10000,\"state\":\"Active\"");
        wait_s(&scene, 90);
        assert_has(&scene, EVICTION_1, "\"priority\":10000,\"state\":\"Interrupted\"");
        assert_has(&scene, EVICTION_1, "\"priority\":100,\"state\":\"Active\"");
        assert_true(slice_contains(sim_world_audit(scene.world),
                                   SLICE_LITERAL("\"op\":\"heartbeat-lost\"")));
        close_scene(&scene);
}

static void D5_declined(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        make_pod(&scene, "p", WITH_MOVER, "");
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 5);
        complete_mover(&scene);
        wait_s(&scene, 20);
        assert_has(&scene, EVICTION_1, "\"reason\":\"PodDeleted\"");
        close_scene(&scene);
}

/* ---- stages ---- */

static void D6_in_progress_three_times(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        scene.stage = "prepare";
        scene.answer = "InProgress";
        scene.in_progress_left = 3;
        make_policy(&scene, POLICY(STAGE("prepare", "") "," STAGE("copy", ""), ""));
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 60);
        assert_string_equal(scene.order,
                            "run prepare, poll prepare, poll prepare, poll prepare, run copy");
        assert_has(&scene, EVICTION_1, "\"reason\":\"PodDeleted\"");
        assert_has(&scene, EVICTION_1, "completed=2/2");
        close_scene(&scene);
}

static void D7_fails_four_times(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        scene.stage = "move";
        scene.answer = "500";
        make_policy(&scene,
                    POLICY(STAGE("prepare", "") "," STAGE("copy", "") "," STAGE("move", ""), ""));
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 120);
        assert_string_equal(scene.order, "run prepare, run copy, run move, run move, run move, run "
                                         "move, cancel move, rollback copy, rollback prepare");
        assert_has(&scene, EVICTION_1, "declined=");
        assert_has(&scene, EVICTION_1, "\"reason\":\"PodDeleted\"");
        close_scene(&scene);
}

/* Berth asked alone: what it cannot do gracefully it does not do. */
static void D7_sole_requester_withdraws(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        scene.stage = "move";
        scene.answer = "Failed";
        make_policy(&scene, POLICY(STAGE("prepare", "") "," STAGE(
                                           "move", ",\"retries\":0") "," STAGE("copy", ""),
                                   ""));
        make_request(&scene, "want", "evict.berth.dev/cli");
        wait_s(&scene, 120);
        assert_string_equal(scene.order, "run prepare, run move, rollback prepare");
        assert_has(&scene, EVICTION_1, "\"reason\":\"CanceledDueToNoRequesters\"");
        assert_int_equal(ask(&scene, "GET", POD, ""), 200);
        close_scene(&scene);
}

static void D9_withdrawn_in_a_stage(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        scene.stage = "move";
        scene.answer = "InProgress";
        scene.in_progress_left = 1000;
        make_policy(&scene,
                    POLICY(STAGE("prepare", "") "," STAGE("move", "") "," STAGE("copy", ""), ""));
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 12);
        assert_int_equal(scene.runs, 2);
        set_intent(&scene, "want", "Withdrawn");
        wait_s(&scene, 30);
        assert_int_equal(scene.cancels, 1);
        assert_int_equal(scene.rollbacks, 1);
        assert_has(&scene, EVICTION_1, "\"reason\":\"CanceledDueToNoRequesters\"");
        assert_false(has(&scene, EVICTION_1, "\"finalizers\""));
        close_scene(&scene);
}

static void D_stage_deadlines(void **state) {
        static const struct {
                const char *more, *deadline, *order;
        } cases[] = {
                { ",\"timeout\":\"40s\"", "", "cancel move, rollback prepare" },
                { ",\"timeout\":\"40s\",\"onFailure\":\"Continue\"", "", "cancel move, run copy" },
                { ",\"timeout\":\"40s\",\"onFailure\":\"Decline\"", "", "cancel move" },
                { "", ",\"deadline\":\"40s\"", "cancel move, rollback prepare" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct scene scene;
                char policy[1500], stage[300];
                const char *end;

                open_scene(&scene);
                scene.stage = "move";
                scene.answer = "InProgress";
                scene.in_progress_left = 1000;
                snprintf(stage, sizeof(stage), STAGE("move", "%s"), cases[i].more);
                snprintf(policy, sizeof(policy),
                         POLICY(STAGE("prepare", "") ",%s," STAGE("copy", ""), "%s"), stage,
                         cases[i].deadline);
                make_policy(&scene, policy);
                make_request(&scene, "want", ANNA);
                wait_s(&scene, 90);
                end = strstr(scene.order, "cancel");
                if (!end || strcmp(end, cases[i].order) != 0)
                        fail_msg("case %zu: %s", i, scene.order);
                assert_has(&scene, EVICTION_1, "\"reason\":\"PodDeleted\"");
                close_scene(&scene);
        }
}

static void D_wait_and_evict_stages(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        make_policy(&scene,
                    POLICY(STAGE("prepare", "") ",{\"name\":\"heir\",\"kind\":\"wait\",\"wait\":{"
                                                "\"ready\":{\"selector\":{\"matchLabels\":{\"app\":"
                                                "\"heir\"}},\"count\":1}}},"
                                                "{\"name\":\"copy\",\"kind\":\"evict\"}",
                           ""));
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 60);
        assert_has(&scene, EVICTION_1, "stage=2/3 name=heir");
        assert_has(&scene, EVICTION_1, "0 of 1 other pods ready");
        assert_int_equal(ask(&scene, "GET", POD, ""), 200);
        make_pod(&scene, "heir", "", "");
        wait_s(&scene, 30);
        assert_has(&scene, EVICTION_1, "\"reason\":\"PodDeleted\"");
        assert_has(&scene, EVICTION_1, "\"priority\":5000,\"state\":\"Completed\"");
        close_scene(&scene);
}

/* ---- E: the evictor ---- */

static void E1_to_E2_budget(void **state) {
        struct scene scene;
        uint64_t calls;

        (void)state;
        open_scene(&scene);
        guard(&scene);
        make_pod(&scene, "p", "", "");
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 3600);
        assert_has(&scene, EVICTION_1, "\"state\":\"Active\"");
        assert_has(&scene, EVICTION_1, "attempts=1"); /* ten and more */
        calls = sim_world_evict_calls(scene.world);
        assert_in_range(calls, 10, 15); /* 5 s, 10 s, ... and every ten minutes */
        ask(&scene, "DELETE", "/apis/policy/v1/namespaces/default/poddisruptionbudgets/p", "");
        wait_s(&scene, 10); /* whatever was left of the pause */
        assert_has(&scene, EVICTION_1, "\"reason\":\"PodDeleted\"");
        assert_int_equal(sim_world_evict_calls(scene.world), calls + 1);
        close_scene(&scene);
}

static void E3_deadline_withdraws(void **state) {
        struct scene scene;
        char uid[64], meta[160], when[WALL_TIME_TEXT_MAX];

        (void)state;
        open_scene(&scene);
        guard(&scene);
        make_pod(&scene, "p", "", "");
        uid_of(&scene, "p", uid);
        wall_time_format((struct wall_time){ sim_world_wall(scene.world).ns + 10 * MINUTE_NS },
                         when);
        snprintf(meta, sizeof(meta), ",\"annotations\":{\"lifecycle.berth.dev/deadline\":\"%s\"}",
                 when);
        make_request_of(&scene, "want", "evict.berth.dev/cli", uid, meta);
        wait_s(&scene, 9 * 60);
        assert_has(&scene, EVICTION_1, "\"state\":\"Active\"");
        wait_s(&scene, 2 * 60);
        assert_has(&scene, EVICTION_1, "\"reason\":\"CanceledDueToNoRequesters\"");
        assert_has(&scene, GROUP "/evictionrequests/want", "\"intent\":\"Withdrawn\"");
        assert_int_equal(ask(&scene, "GET", POD, ""), 200);
        close_scene(&scene);
}

static void E4_daemon_pods_stay(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        make_pod(&scene, "p", ",\"annotations\":{\"kubernetes.io/config.mirror\":\"x\"}", "");
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 1800);
        assert_int_equal(sim_world_evict_calls(scene.world), 0);
        assert_has(&scene, EVICTION_1, "are not evicted");
        close_scene(&scene);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(C1_no_responders),
                cmocka_unit_test(C2_invalid_targets),
                cmocka_unit_test(C3_to_C6_two_requesters),
                cmocka_unit_test(C7_deleted_with_finalizer),
                cmocka_unit_test(C8_collected),
                cmocka_unit_test(C9_foreign_duplicate),
                cmocka_unit_test(C13_finishes_by_itself),
                cmocka_unit_test(C14_requester_and_responder),
                cmocka_unit_test(D1_completed_passes_on),
                cmocka_unit_test(D2_silent_for_20_minutes),
                cmocka_unit_test(D5_declined),
                cmocka_unit_test(D6_in_progress_three_times),
                cmocka_unit_test(D7_fails_four_times),
                cmocka_unit_test(D7_sole_requester_withdraws),
                cmocka_unit_test(D9_withdrawn_in_a_stage),
                cmocka_unit_test(D_stage_deadlines),
                cmocka_unit_test(D_wait_and_evict_stages),
                cmocka_unit_test(E1_to_E2_budget),
                cmocka_unit_test(E3_deadline_withdraws),
                cmocka_unit_test(E4_daemon_pods_stay),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
