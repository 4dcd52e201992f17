/* The acceptance cases of the EvictionRequest API (H and I of the reference): crashes, clocks,
 * others at work beside us, many at once. */
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

/* ---- H: crashes and clocks ---- */

static void restart(struct scene *scene) {
        sim_world_kill(scene->world);
        sim_world_start(scene->world);
}

static void H1_killed_after_the_request(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        guard(&scene);
        make_pod(&scene, "p", "", "");
        sim_world_kill(scene.world);
        make_request(&scene, "want", ANNA);
        sim_world_start(scene.world);
        wait_s(&scene, 10);
        assert_has(&scene, EVICTION_1, "\"state\":\"Active\"");
        assert_int_equal(ask(&scene, "GET", EVICTION_2, ""), 404);
        close_scene(&scene);
}

static void H3_killed_before_the_next_turn(void **state) {
        struct scene scene;
        char now[WALL_TIME_TEXT_MAX];

        (void)state;
        open_scene(&scene);
        guard(&scene);
        make_pod(&scene, "p", WITH_MOVER, "");
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 10);
        sim_world_kill(scene.world);
        wall_time_format_micro(sim_world_wall(scene.world), now);
        report_mover(&scene, "completionTime", now);
        wait_s(&scene, 100);
        sim_world_start(scene.world);
        wait_s(&scene, 10);
        assert_has(&scene, EVICTION_1, "\"priority\":10000,\"state\":\"Completed\"");
        assert_has(&scene, EVICTION_1, "\"priority\":100,\"state\":\"Active\"");
        close_scene(&scene);
}

static void H6_hook_polled_by_the_next(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        scene.stage = "prepare";
        scene.answer = "InProgress";
        scene.in_progress_left = 6;
        make_policy(&scene, POLICY(STAGE("prepare", "") "," STAGE("copy", ""), ""));
        make_request(&scene, "want", ANNA);
        for (size_t i = 0; i < 4; i++) {
                wait_s(&scene, 5);
                restart(&scene);
        }
        wait_s(&scene, 60);
        assert_int_equal(scene.runs, 2);
        assert_has(&scene, EVICTION_1, "\"reason\":\"PodDeleted\"");
        close_scene(&scene);
}

static void H7_down_for_25_minutes(void **state) {
        (void)state;
        for (int beats = 0; beats < 2; beats++) {
                struct scene scene;

                open_scene(&scene);
                guard(&scene);
                make_pod(&scene, "p", WITH_MOVER, "");
                make_request(&scene, "want", ANNA);
                wait_s(&scene, 10);
                sim_world_kill(scene.world);
                for (int i = 0; i < 5; i++) {
                        wait_s(&scene, 300);
                        if (beats)
                                beat_mover(&scene);
                }
                sim_world_start(scene.world);
                wait_s(&scene, 10);
                assert_has(&scene, EVICTION_1,
                           beats ? "\"priority\":10000,\"state\":\"Active\""
                                 : "\"priority\":10000,\"state\":\"Interrupted\"");
                close_scene(&scene);
        }
}

static void H9_deleted_underneath(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        make_pod(&scene, "p", WITH_MOVER, "");
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 10);
        ask(&scene, "DELETE", POD, "{\"gracePeriodSeconds\":0}");
        wait_s(&scene, 3);
        assert_has(&scene, EVICTION_1, "\"state\":\"Active\"");
        wait_s(&scene, 10);
        assert_has(&scene, EVICTION_1, "\"priority\":10000,\"state\":\"Interrupted\"");
        assert_has(&scene, EVICTION_1, "\"reason\":\"PodDeleted\"");
        close_scene(&scene);
}

static void H10_replaced(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        make_pod(&scene, "p", WITH_MOVER, "");
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 10);
        ask(&scene, "DELETE", POD, "{\"gracePeriodSeconds\":0}");
        make_pod(&scene, "p", "", "");
        wait_s(&scene, 60);
        assert_has(&scene, GROUP "/evictionrequests/want", "\"reason\":\"PodDeleted\"");
        assert_int_equal(ask(&scene, "GET", POD, ""), 200);
        assert_int_equal(sim_world_evict_calls(scene.world), 0);
        close_scene(&scene);
}

static void H12_clock_jumps(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        guard(&scene);
        make_pod(&scene, "p", WITH_MOVER, "");
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 10);
        sim_world_step_clock(scene.world, -3600 * NS_PER_S);
        wait_s(&scene, 10 * 60);
        assert_has(&scene, EVICTION_1, "\"priority\":10000,\"state\":\"Active\"");
        close_scene(&scene);
}

static void H18_taken_away_in_a_stage(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        scene.stage = "prepare";
        scene.answer = "InProgress";
        scene.in_progress_left = 1000;
        make_policy(&scene, POLICY(STAGE("prepare", "") "," STAGE("copy", ""), ""));
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 10);
        ask(&scene, "DELETE", POD, "{\"gracePeriodSeconds\":0}");
        wait_s(&scene, 30);
        assert_has(&scene, EVICTION_1, "\"reason\":\"PodDeleted\"");
        assert_int_equal(scene.cancels, 1);
        assert_int_equal(scene.rollbacks, 0);
        close_scene(&scene);
}

/* ---- I: many, and what was learned ---- */

/* What was learned is kept by the cluster, and told as expectedCompletionTime by the next process.
 */
static void I2_learned_and_expected(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        make_policy(&scene, POLICY(STAGE("prepare", "") "," STAGE("copy", ""), ""));
        for (int i = 0; i < 5; i++) {
                scene.stage = "prepare";
                scene.answer = "InProgress";
                scene.in_progress_left = 3;
                make_request(&scene, "want", ANNA);
                wait_s(&scene, 60);
                assert_int_equal(ask(&scene, "GET", POD, ""), 404);
                ask(&scene, "DELETE", GROUP "/evictionrequests/want", "");
                wait_s(&scene, 60);
                make_pod(&scene, "p", "", "");
        }
        assert_has(&scene, "/api/v1/namespaces/kube-system/configmaps/berth-eviction-history",
                   "default/m  prepare");
        sim_world_kill(scene.world);
        sim_world_start(scene.world);
        wait_s(&scene, 5);
        scene.in_progress_left = 100;
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 4);
        assert_has(&scene, EVICTION_1, "\"expectedCompletionTime\"");
        close_scene(&scene);
}

/* Pods p0, p1 ... behind one budget that never opens: what is let in stays at work. */
static void make_crowd(struct scene *scene, unsigned count) {
        char body[500];

        assert_int_equal(ask(scene, "POST",
                             "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
                             "{\"metadata\":{\"name\":\"crowd\"},\"spec\":{\"maxUnavailable\":0,"
                             "\"selector\":{\"matchLabels\":{\"app\":\"crowd\"}}}}"),
                         201);
        for (unsigned i = 0; i < count; i++) {
                snprintf(
                        body, sizeof(body),
                        "{\"metadata\":{\"name\":\"p%u\",\"labels\":{\"app\":\"crowd\"}},\"spec\":{"
                        "\"nodeName\":\"n0\",\"containers\":[{\"name\":\"c\",\"image\":\"x\"}]}}",
                        i);
                assert_int_equal(ask(scene, "POST", PODS, body), 201);
        }
        wait_s(scene, 20);
}

static void want(struct scene *scene, unsigned index, const char *requester) {
        char uid[64], pod[16], body[600];

        snprintf(pod, sizeof(pod), "p%u", index);
        uid_of(scene, pod, uid);
        snprintf(body, sizeof(body),
                 "{\"apiVersion\":\"lifecycle.berth.dev/v1alpha1\",\"kind\":\"EvictionRequest\","
                 "\"metadata\":{\"name\":\"want-%s\"},\"spec\":{\"target\":{\"pod\":{\"name\":"
                 "\"%s\",\"uid\":\"%s\"}},\"requester\":\"%s\",\"intent\":\"Eviction\"}}",
                 pod, pod, uid, requester);
        assert_int_equal(ask(scene, "POST", GROUP "/evictionrequests", body), 201);
        wait_s(scene, 1);
}

static bool is_at_work(struct scene *scene, unsigned index) {
        char path[PATH_BYTES];

        snprintf(path, sizeof(path), GROUP "/evictions/pod-1-p%u", index);
        return has(scene, path, "\"state\":\"Active\"");
}

/* 200 are wanted, 50 may be at work: those of reboots first, though they were asked for last, then
 * by age; the descheduler's last.  One that ends lets the next in. */
static void I1_two_hundred_wanted(void **state) {
        struct scene scene;

        (void)state;
        open_scene_with(&scene, &(struct sim_world_config){ .has_slots = true,
                                                            .slots_for_all = true,
                                                            .slots = { .total = 50 } });
        make_crowd(&scene, 200);
        sim_world_kill(scene.world);
        for (unsigned i = 0; i < 200; i++)
                want(&scene, i,
                     i < 100   ? "descheduler.berth.dev/evict"
                     : i < 180 ? ANNA
                               : "reboot.berth.dev/drain");
        sim_world_start(scene.world);
        wait_s(&scene, 30);
        for (unsigned i = 0; i < 200; i++)
                if (is_at_work(&scene, i) != (i >= 180 || (i >= 100 && i < 130)))
                        fail_msg("p%u", i);
        assert_has(&scene, GROUP "/evictionrequests/want-p130",
                   "waiting for a slot of the cluster");
        for (unsigned i = 180; i < 190; i++) {
                char name[24];

                snprintf(name, sizeof(name), "want-p%u", i);
                set_intent(&scene, name, "Withdrawn");
        }
        wait_s(&scene, 10);
        for (unsigned i = 0; i < 200; i++)
                if (is_at_work(&scene, i) != (i >= 190 || (i >= 100 && i < 140)))
                        fail_msg("p%u", i);
        assert_false(has(&scene, GROUP "/evictionrequests/want-p130", "waiting for"));
        close_scene(&scene);
}

/* Who is evicted in the background at somebody else's word takes room, too; a call of the
 * subresource alone does not. */
static void I1_slow_ones(void **state) {
        struct scene scene;

        (void)state;
        open_scene_with(&scene,
                        &(struct sim_world_config){ .has_slots = true, .slots = { .node = 1 } });
        make_pod(&scene, "moving",
                 ",\"annotations\":{\"descheduler.alpha.kubernetes.io/eviction-in-progress\":\"\"}",
                 "");
        make_pod(&scene, "p", WITH_MOVER, "");
        make_request(&scene, "want", ANNA);
        make_pod(&scene, "p1", "", "");
        want(&scene, 1, ANNA);
        wait_s(&scene, 60);
        assert_has(&scene, GROUP "/evictionrequests/want", "waiting for a slot of its node");
        assert_int_equal(ask(&scene, "GET", EVICTION_1, ""), 404);
        assert_int_equal(ask(&scene, "GET", PODS "/p1", ""), 404);
        ask(&scene, "DELETE", PODS "/moving", "{\"gracePeriodSeconds\":0}");
        wait_s(&scene, 5);
        assert_has(&scene, EVICTION_1, "\"state\":\"Active\"");
        close_scene(&scene);
}

#define NAMED(title, test)                                                                         \
        { title, test, NULL, NULL, NULL }

int main(void) {
        const struct CMUnitTest tests[] = {
                NAMED("evict-H1: killed after the request", H1_killed_after_the_request),
                NAMED("evict-H3: killed before the next turn", H3_killed_before_the_next_turn),
                NAMED("evict-H6: the next process polls the hook", H6_hook_polled_by_the_next),
                NAMED("evict-H7: down for 25 minutes", H7_down_for_25_minutes),
                NAMED("evict-H9: deleted underneath", H9_deleted_underneath),
                NAMED("evict-H10: replaced under the same name", H10_replaced),
                NAMED("evict-H12: the clock jumps an hour", H12_clock_jumps),
                NAMED("evict-H18: taken away in a stage", H18_taken_away_in_a_stage),
                NAMED("evict-I2: learned and expected", I2_learned_and_expected),
                NAMED("evict-I1: 200 wanted, 50 at work", I1_two_hundred_wanted),
                NAMED("evict-I1: slow ones alone", I1_slow_ones),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
