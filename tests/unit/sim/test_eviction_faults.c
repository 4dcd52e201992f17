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

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(H1_killed_after_the_request),
                cmocka_unit_test(H3_killed_before_the_next_turn),
                cmocka_unit_test(H6_hook_polled_by_the_next),
                cmocka_unit_test(H7_down_for_25_minutes),
                cmocka_unit_test(H9_deleted_underneath),
                cmocka_unit_test(H10_replaced),
                cmocka_unit_test(H12_clock_jumps),
                cmocka_unit_test(H18_taken_away_in_a_stage),
                cmocka_unit_test(I2_learned_and_expected),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
