/* Pods that must stay: what is to prepare them cannot be read, or their policy holds them after a
 * failure. */
#include "base/util.h"
#include "eviction_scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define POLICIES GROUP "/evictionpolicies"
#define THE_POLICY POLICIES "/m"
#define WANT GROUP "/evictionrequests/want"
#define EVENTS "/apis/events.k8s.io/v1/namespaces/default/events"
/* The definition lets it pass, berth does not: no TLS to another machine. */
#define FAR_STAGE                                                                                  \
        "{\"name\":\"prepare\",\"kind\":\"http\",\"http\":{\"url\":\"http://far.example.com\"}}"
#define STAGES_ARE(list) "{\"spec\":{\"stages\":[" list "]}}"
#define BOTH STAGE("prepare", "") "," STAGE("copy", "")

static void assert_gone(struct scene *scene, const char *path) {
        assert_int_equal(ask(scene, "GET", path, ""), 404);
}

static void unreadable_policy_holds(void **state) {
        struct scene *scene = *state;

        make_policy(scene, POLICY(FAR_STAGE "," STAGE("copy", ""), ""));
        assert_has(scene, THE_POLICY, "\"type\":\"Accepted\",\"status\":\"False\"");
        assert_has(scene, THE_POLICY, "spec.stages[0].http.url: expected https");
        assert_has(scene, EVENTS, "\"reason\":\"PolicyUnreadable\"");
        make_request(scene, "want", ANNA);
        wait_s(scene, 1800);
        assert_has(scene, WANT, "held: EvictionPolicy \\\"m\\\" cannot be read: spec.stages[0]");
        assert_has(scene, EVENTS, "\"reason\":\"EvictionHeld\"");
        assert_has(scene, POD, "\"Running\"");
        assert_gone(scene, EVICTION_1);
        assert_int_equal(scene->runs, 0);
        assert_int_equal(sim_world_evict_calls(scene->world), 0);

        assert_int_equal(ask(scene, "PATCH", THE_POLICY, STAGES_ARE(BOTH)), 200);
        wait_s(scene, 60);
        assert_has(scene, THE_POLICY, "\"type\":\"Accepted\",\"status\":\"True\"");
        assert_has(scene, EVICTION_1, "\"reason\":\"PodDeleted\"");
        assert_string_equal(scene->order, "run prepare, run copy");
}

/* A requester of berth's own is no different, and a policy for other pods holds nobody. */
static void other_pods_are_not_held(void **state) {
        struct scene *scene = *state;

        make_policy(scene, POLICY(FAR_STAGE "," STAGE("copy", ""), ""));
        assert_int_equal(ask(scene, "PATCH", POD, "{\"metadata\":{\"labels\":{\"app\":\"q\"}}}"),
                         200);
        make_request(scene, "want", "evict.berth.dev/cli");
        wait_s(scene, 60);
        assert_gone(scene, POD);
}

/* Whom it is for cannot be read either: then it is for all. */
static void unreadable_selector_holds_all(void **state) {
        struct scene *scene = *state;

        make_policy(scene, POLICY(BOTH, ""));
        assert_int_equal(ask(scene, "PATCH", THE_POLICY,
                             "{\"spec\":{\"selector\":{\"matchLabels\":{\"-\":\"x\"}}}}"),
                         200);
        make_request(scene, "want", "evict.berth.dev/cli");
        wait_s(scene, 60);
        assert_has(scene, WANT, "held: EvictionPolicy");
        assert_has(scene, POD, "\"Running\"");
        assert_int_equal(ask(scene, "DELETE", THE_POLICY, ""), 200);
        wait_s(scene, 30);
        assert_gone(scene, POD);
}

/* Changed for the worse in the middle of a stage: it goes on, with its time, when that is mended.
 */
static void unreadable_in_a_stage(void **state) {
        struct scene *scene = *state;

        hooks_answer(scene, "copy", "InProgress", 20);
        make_policy(scene, POLICY(BOTH, ""));
        make_request(scene, "want", ANNA);
        wait_s(scene, 12);
        assert_has(scene, EVICTION_1, "stage=2/2 name=copy");
        assert_int_equal(ask(scene, "PATCH", THE_POLICY, STAGES_ARE(FAR_STAGE)), 200);
        wait_s(scene, 3600);
        assert_has(scene, EVICTION_1, "; held: EvictionPolicy \\\"m\\\" cannot be read");
        assert_has(scene, EVICTION_1, "\"priority\":5000,\"state\":\"Active\"");
        assert_has(scene, POD, "\"Running\"");
        sim_world_kill(scene->world); /* nor does a new process forget */
        sim_world_start(scene->world);
        wait_s(scene, 3600);
        assert_has(scene, POD, "\"Running\"");
        assert_int_equal(sim_world_evict_calls(scene->world), 0);

        assert_int_equal(ask(scene, "PATCH", THE_POLICY, STAGES_ARE(BOTH)), 200);
        wait_s(scene, 240);
        assert_has(scene, EVICTION_1, "\"reason\":\"PodDeleted\"");
        assert_int_equal(scene->runs, 2);
        assert_int_equal(scene->cancels + scene->rollbacks, 0);
}

/* How to undo it is in the policy: the Eviction stays until that can be read. */
static void unreadable_before_the_rollback(void **state) {
        struct scene *scene = *state;

        hooks_answer(scene, "copy", "InProgress", 1000);
        make_policy(scene, POLICY(BOTH, ""));
        make_request(scene, "want", ANNA);
        wait_s(scene, 12);
        assert_int_equal(ask(scene, "PATCH", THE_POLICY, STAGES_ARE(FAR_STAGE)), 200);
        set_intent(scene, "want", "Withdrawn");
        wait_s(scene, 600);
        assert_has(scene, EVICTION_1, "CanceledDueToNoRequesters");
        assert_has(scene, EVICTION_1, "\"finalizers\"");
        assert_int_equal(scene->cancels + scene->rollbacks, 0);
        assert_int_equal(ask(scene, "PATCH", THE_POLICY, STAGES_ARE(BOTH)), 200);
        wait_s(scene, 30);
        assert_false(has(scene, EVICTION_1, "\"finalizers\""));
        assert_int_equal(scene->cancels, 1);
        assert_int_equal(scene->rollbacks, 1);
}

/* A list of responders with a mistake is not the same as none. */
static void unreadable_annotation_holds(void **state) {
        struct scene *scene = *state;

        make_pod(scene, "p",
                 ",\"annotations\":{\"lifecycle.berth.dev/eviction-responders\":\"" MOVER "=1O\"}",
                 "");
        make_request(scene, "want", ANNA);
        wait_s(scene, 600);
        assert_has(scene, WANT, "held: annotation lifecycle.berth.dev/eviction-responders");
        assert_has(scene, POD, "\"Running\"");
        assert_int_equal(sim_world_evict_calls(scene->world), 0);
        assert_int_equal(ask(scene, "PATCH", POD,
                             "{\"metadata\":{\"annotations\":{"
                             "\"lifecycle.berth.dev/eviction-responders\":\"" MOVER "=10000\"}}}"),
                         200);
        wait_s(scene, 5);
        assert_has(scene, EVICTION_1,
                   "\"name\":\"" MOVER "\",\"priority\":10000,\"state\":\"Active\"");
}

/* What the server refuses at once. */
static void definition_refuses_typos(void **state) {
        static const struct {
                const char *stage_more, *policy_more;
                int status;
        } cases[] = {
                { ",\"timeout\":\"3x\"", "", 422 },     { ",\"timeout\":\"1d\"", "", 422 },
                { ",\"timeout\":\"5\"", "", 422 },      { ",\"timeout\":\"-5m\"", "", 422 },
                { ",\"timeout\":\"0s\"", "", 422 },     { ",\"timeout\":\"\"", "", 422 },
                { ",\"timeout\":\"1h30m\"", "", 201 },  { ",\"timeout\":\"1.5h\"", "", 201 },
                { ",\"timeout\":\"500ms\"", "", 201 },  { "", ",\"deadline\":\"2d\"", 422 },
                { "", ",\"deadline\":\"0m\"", 422 },    { "", ",\"deadline\":\"90m\"", 201 },
                { ",\"onFailure\":\"Halt\"", "", 422 }, { ",\"onFailure\":\"Hold\"", "", 201 },
                { ",\"retries\":\"3\"", "", 422 },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct scene scene;
                char body[900];

                open_scene(&scene);
                snprintf(body, sizeof(body), POLICY(STAGE("prepare", "%s"), "%s"),
                         cases[i].stage_more, cases[i].policy_more);
                char *rollback = strstr(body, ",{\"stage\":\"copy\"");
                char *rest = strstr(rollback, "]");
                memmove(rollback, rest, strlen(rest) + 1);
                int status = ask(&scene, "POST", POLICIES, body);
                if (status != cases[i].status)
                        fail_msg("%s %s: %d", cases[i].stage_more, cases[i].policy_more, status);
                if (status == 201) { /* what the definition lets pass can be read */
                        wait_s(&scene, 5);
                        assert_has(&scene, THE_POLICY, "\"type\":\"Accepted\",\"status\":\"True\"");
                }
                close_scene(&scene);
        }
}

/* ---- onFailure: Hold ---- */

/* Somebody else wants the pod gone too: after the rollback it stays all the same. */
static void hold_stays(struct scene *scene) {
        wait_s(scene, 120);
        assert_string_equal(scene->order, "run prepare, run move, rollback prepare");
        assert_has(scene, EVICTION_1, "held=1/3 ");
        assert_has(scene, EVICTION_1, "held: stage 2 (move) failed, and its onFailure is Hold");
        wait_s(scene, 3600);
        sim_world_kill(scene->world);
        sim_world_start(scene->world);
        wait_s(scene, 3600);
        assert_has(scene, EVICTION_1, "\"priority\":5000,\"state\":\"Active\"");
        assert_has(scene, POD, "\"Running\"");
        assert_string_equal(scene->order, "run prepare, run move, rollback prepare");
        assert_int_equal(sim_world_evict_calls(scene->world), 0);
}

#define MOVE_HOLDS                                                                                 \
        STAGE("prepare", "")                                                                       \
        "," STAGE("move", ",\"retries\":0,\"onFailure\":\"Hold\"") "," STAGE("copy", "")

/* The controller is away for longer than a responder may be silent, or its clock is: its own stages
 * were not silent, and go on. */
static void stages_outlive_the_controller(void **state) {
        static const int64_t away_ns[] = { 30 * MINUTE_NS, NS_PER_S };
        static const int64_t back_ns[] = { 0, -25 * 60 * MINUTE_NS };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(away_ns); i++) {
                struct scene scene;

                open_scene(&scene);
                make_policy(&scene,
                            POLICY(STAGE("prepare", ",\"timeout\":\"100h\"") "," STAGE("copy", ""),
                                   ""));
                hooks_answer(&scene, "prepare", "InProgress", 60);
                make_request(&scene, "want", ANNA);
                wait_s(&scene, 30);
                sim_world_kill(scene.world);
                sim_world_advance(scene.world, away_ns[i]);
                sim_world_step_clock(scene.world, back_ns[i]);
                sim_world_start(scene.world);
                wait_s(&scene, 600);
                assert_gone(&scene, POD);
                assert_false(slice_contains(sim_world_audit(scene.world),
                                            SLICE_LITERAL("\"op\":\"heartbeat-lost\"")));
                assert_has(&scene, EVICTION_1, "completed=2/2");
                close_scene(&scene);
        }
}

static void failure_holds(void **state) {
        struct scene *scene = *state;

        hooks_answer(scene, "move", "Failed", 0);
        make_policy(scene, POLICY(MOVE_HOLDS, ""));
        make_request(scene, "want", ANNA);
        hold_stays(scene);
        set_intent(scene, "want", "Withdrawn");
        wait_s(scene, 10);
        assert_has(scene, EVICTION_1, "CanceledDueToNoRequesters");
        assert_false(has(scene, EVICTION_1, "\"finalizers\""));
        assert_has(scene, POD, "\"Running\"");
        /* Asked again, all begins again. */
        scene->answer = "Done";
        set_intent(scene, "want", "Eviction");
        wait_s(scene, 60);
        assert_gone(scene, POD);
}

/* The requester that is not berth's withdraws: then berth's own is withdrawn for it. */
static void hold_ends_when_ours_alone(void **state) {
        struct scene *scene = *state;

        hooks_answer(scene, "move", "Failed", 0);
        make_policy(scene, POLICY(MOVE_HOLDS, ""));
        make_request(scene, "want", ANNA);
        make_request(scene, "ours", "evict.berth.dev/cli");
        hold_stays(scene);
        set_intent(scene, "want", "Withdrawn");
        wait_s(scene, 30);
        assert_has(scene, EVICTION_1, "CanceledDueToNoRequesters");
        assert_has(scene, GROUP "/evictionrequests/ours", "\"Withdrawn\"");
        assert_has(scene, POD, "\"Running\"");
}

/* The deadline of all stages ends a stage, too. */
static void deadline_holds(void **state) {
        struct scene *scene = *state;

        hooks_answer(scene, "move", "InProgress", 1000);
        make_policy(scene, POLICY(MOVE_HOLDS, ",\"deadline\":\"40s\""));
        make_request(scene, "want", ANNA);
        wait_s(scene, 1800);
        assert_has(scene, EVICTION_1, "held: stage 2 (move) failed");
        assert_has(scene, POD, "\"Running\"");
        assert_int_equal(scene->cancels, 1);
        assert_int_equal(scene->rollbacks, 1);
}

/* ---- what is told ---- */

static void invalid_says_why(void **state) {
        static const struct {
                const char *uid, *spec, *text;
        } cases[] = {
                { "00000000-0000-4000-8000-00000000abcd", "", "the pod has another uid" },
                { NULL, ",\"schedulingGroup\":{\"podGroupName\":\"g\"}",
                  "pods with spec.schedulingGroup are not evicted by requests" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct scene scene;
                char uid[64];

                open_scene(&scene);
                make_pod(&scene, "p", "", cases[i].spec);
                uid_of(&scene, "p", uid);
                assert_int_equal(make_request_of(&scene, "want", ANNA,
                                                 cases[i].uid ? cases[i].uid : uid, ""),
                                 201);
                wait_s(&scene, 30);
                assert_has(&scene, WANT, "\"reason\":\"EvictionInvalid\"");
                assert_has(&scene, WANT, cases[i].text);
                assert_has(&scene, EVENTS, "\"reason\":\"EvictionInvalid\"");
                assert_has(&scene, EVENTS, cases[i].text);
                close_scene(&scene);
        }
}

/* A pod that is led out, one whose stages fail, and one that is withdrawn. */
static void events_of_a_pod(void **state) {
        struct scene *scene = *state;

        hooks_answer(scene, "copy", "Failed", 0);
        make_policy(scene, POLICY(STAGE("prepare", "") "," STAGE("copy", ",\"retries\":0"), ""));
        make_request(scene, "want", "evict.berth.dev/cli");
        wait_s(scene, 60);
        assert_has(scene, EVENTS, "\"reason\":\"EvictionStarted\"");
        assert_has(scene, EVENTS,
                   "The eviction has begun, responder stages.lifecycle.berth.dev/responder "
                   "(Eviction pod-1-p)");
        assert_has(scene, EVENTS, "\"reason\":\"EvictionDeclined\"");
        assert_has(scene, EVENTS, "\"reason\":\"EvictionCanceled\"");
}

static size_t audit_lines(struct scene *scene, const char *one, const char *other) {
        struct slice rest = sim_world_audit(scene->world), line;
        size_t count = 0;

        for (bool is_more = true; is_more;) {
                is_more = slice_split(&rest, '\n', &line);
                line = is_more ? line : rest;
                count += slice_contains(line, slice_of(one)) &&
                         slice_contains(line, slice_of(other));
        }
        return count;
}

static void evict_and_withdraw(struct scene *scene) {
        guard(scene);
        make_pod(scene, "p", "", "");
        make_request(scene, "one", ANNA);
        wait_s(scene, 10);
        set_intent(scene, "one", "Withdrawn");
        wait_s(scene, 10);
        assert_has(scene, EVICTION_1, "\"state\":\"Canceled\"");
}

/* Somebody else wants the pod gone when the last eviction of it was withdrawn: for this one that is
 * not over. Its requester would take it for withdrawn, and ask again without end. */
static void wanted_after_a_withdrawal(void **state) {
        struct scene *scene = *state;

        evict_and_withdraw(scene);
        make_request(scene, "two", BERT);
        wait_s(scene, 10);
        assert_has(scene, EVICTION_2, "\"state\":\"Active\"");
        assert_int_equal(audit_lines(scene, "\"er\":\"one\"", "\"to\":\"CanceledDue"), 1);
        assert_int_equal(audit_lines(scene, "\"er\":\"two\"", "\"to\":\"Awaiting"), 1);
        assert_int_equal(audit_lines(scene, "\"er\":\"two\"", "\"to\":\"CanceledDue"), 0);
}

/* The second one waits for what cannot be read, and then its pod goes: there will be no Eviction of
 * it, and what the last one says holds. */
static void gone_while_wanted_again(void **state) {
        struct scene *scene = *state;

        evict_and_withdraw(scene);
        assert_int_equal(ask(scene, "POST", POLICIES, POLICY(FAR_STAGE, "")), 201);
        make_request(scene, "want", BERT);
        wait_s(scene, 10);
        assert_has(scene, WANT, "\"reason\":\"AwaitingEviction\"");
        assert_gone(scene, EVICTION_2);
        assert_int_equal(ask(scene, "DELETE", POD, "{\"gracePeriodSeconds\":0}"), 200);
        wait_s(scene, 30);
        assert_gone(scene, POD);
        assert_has(scene, WANT, "\"reason\":\"CanceledDueToNoRequesters\"");
        assert_gone(scene, EVICTION_2);
}

/* Withdrawn while it is held, before an eviction began: it is canceled all the same. */
static void withdrawn_before_it_began(void **state) {
        struct scene *scene = *state;

        make_policy(scene, POLICY(FAR_STAGE, ""));
        make_request(scene, "want", ANNA);
        wait_s(scene, 10);
        assert_gone(scene, EVICTION_1);
        assert_has(scene, WANT, "\"reason\":\"AwaitingEviction\"");
        set_intent(scene, "want", "Withdrawn");
        wait_s(scene, 10);
        assert_has(scene, WANT, "\"reason\":\"CanceledDueToNoRequesters\"");
        assert_has(scene, POD, "\"Running\"");
        set_intent(scene, "want", "Eviction");
        wait_s(scene, 10);
        assert_has(scene, WANT, "\"reason\":\"AwaitingEviction\"");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                SCENE_TEST(unreadable_policy_holds),
                SCENE_TEST(other_pods_are_not_held),
                SCENE_TEST(unreadable_selector_holds_all),
                SCENE_TEST(unreadable_in_a_stage),
                SCENE_TEST(unreadable_before_the_rollback),
                SCENE_TEST(unreadable_annotation_holds),
                cmocka_unit_test(stages_outlive_the_controller),
                cmocka_unit_test(definition_refuses_typos),
                SCENE_TEST(failure_holds),
                SCENE_TEST(hold_ends_when_ours_alone),
                SCENE_TEST(deadline_holds),
                cmocka_unit_test(invalid_says_why),
                SCENE_TEST(events_of_a_pod),
                SCENE_TEST(wanted_after_a_withdrawal),
                SCENE_TEST(gone_while_wanted_again),
                SCENE_TEST(withdrawn_before_it_began),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
