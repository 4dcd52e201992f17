/* The acceptance cases of the EvictionRequest API (H and I of the reference): crashes, clocks,
 * others at work beside us, many at once. */
#include "../long_form.h"
#include "base/util.h"
#include "evict/eviction_policy.h"
#include "eviction_scene.h"
#include "pages/metrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Its mover is Active; guarded: by a budget that never opens. */
static void open_moving(struct scene *scene, bool is_guarded) {
        open_scene(scene);
        if (is_guarded)
                guard(scene);
        make_pod(scene, "p", WITH_MOVER, "");
        make_request(scene, "want", ANNA);
        wait_s(scene, 10);
}

/* ---- H: crashes and clocks ---- */

static void restart(struct scene *scene) {
        sim_world_kill(scene->world);
        sim_world_start(scene->world);
}

/* The native kinds come while the process is away. */
static void restart_native(struct scene *scene) {
        sim_world_kill(scene->world);
        serve_native(scene);
        sim_world_start(scene->world);
        wait_s(scene, 5);
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

/* The Eviction was created, and its status not written: the next process writes it. */
static void H2_killed_before_the_status(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        guard(&scene);
        make_pod(&scene, "p", "", "");
        sim_faults_kill_at(sim_world_faults(scene.world), API_POST, "/evictions");
        make_request(&scene, "want", ANNA);
        while (sim_world_is_running(scene.world))
                sim_world_advance(scene.world, NS_PER_MS);
        assert_int_equal(ask(&scene, "GET", EVICTION_1, ""), 200);
        assert_false(has(&scene, EVICTION_1, "targetResponders"));
        sim_world_start(scene.world);
        wait_s(&scene, 10);
        assert_has(&scene, EVICTION_1, "\"state\":\"Active\"");
        assert_int_equal(ask(&scene, "GET", EVICTION_2, ""), 404);
        close_scene(&scene);
}

/* startTime of a responder, as it is stored. */
static struct wall_time started_at(struct scene *scene, size_t responder) {
        struct eviction *eviction = eviction_at(scene, EVICTION_1);
        struct wall_time start = eviction->status.responders[responder].start;

        eviction_free(eviction);
        return start;
}

static void H3_killed_before_the_next_responder(void **state) {
        struct scene scene;
        struct wall_time first;
        char now[WALL_TIME_TEXT_MAX];

        (void)state;
        open_moving(&scene, true);
        sim_world_kill(scene.world);
        wall_time_format_micro(sim_world_wall(scene.world), now);
        report_mover(&scene, "completionTime", now);
        wait_s(&scene, 100);
        sim_world_start(scene.world);
        wait_s(&scene, 10);
        assert_has(&scene, EVICTION_1, "\"priority\":10000,\"state\":\"Completed\"");
        assert_has(&scene, EVICTION_1, "\"priority\":100,\"state\":\"Active\"");
        first = started_at(&scene, 1);
        assert_in_range(sim_world_wall(scene.world).ns - first.ns, 0, 12 * NS_PER_S);
        restart(&scene);
        wait_s(&scene, 60);
        assert_int_equal(started_at(&scene, 1).ns, first.ns);
        close_scene(&scene);
}

/* The pod is on its way: the next process sees that, and does not ask again. */
static void H4_killed_after_the_call(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        make_pod(&scene, "p", ",\"finalizers\":[\"example.com/hold\"]", "");
        sim_faults_kill_at(sim_world_faults(scene.world), API_POST, "/eviction");
        make_request(&scene, "want", ANNA);
        while (sim_world_is_running(scene.world))
                sim_world_advance(scene.world, NS_PER_MS);
        assert_has(&scene, POD, "deletionTimestamp");
        assert_int_equal(sim_world_evict_calls(scene.world), 1);
        sim_world_start(scene.world);
        wait_s(&scene, 1200);
        assert_int_equal(sim_world_evict_calls(scene.world), 1);
        assert_false(has(&scene, EVICTION_1, "attempts="));
        assert_has(&scene, EVICTION_1, "\"reason\":\"PodTerminal\""); /* and held */
        close_scene(&scene);
}

/* Killed at the write that cancels, or before it: the start and the end are both there or neither.
 */
static void H5_killed_while_cancelling(void **state) {
        (void)state;
        for (int is_before = 0; is_before < 2; is_before++) {
                struct scene scene;
                bool is_canceled, is_final;

                open_moving(&scene, true);
                if (is_before)
                        sim_faults_kill_at(sim_world_faults(scene.world), API_PATCH,
                                           "/evictionrequests/want/status");
                else
                        sim_faults_kill_at(sim_world_faults(scene.world), API_PATCH,
                                           "/evictions/pod-1-p/status");
                set_intent(&scene, "want", "Withdrawn");
                while (sim_world_is_running(scene.world))
                        sim_world_advance(scene.world, NS_PER_MS);
                is_canceled = has(&scene, EVICTION_1, "\"state\":\"Canceled\"");
                is_final = has(&scene, EVICTION_1, "CanceledDueToNoRequesters");
                assert_int_equal(is_canceled, is_final);
                sim_world_start(scene.world);
                wait_s(&scene, 10);
                assert_has(&scene, EVICTION_1, "\"state\":\"Canceled\"");
                assert_has(&scene, GROUP "/evictionrequests/want", "CanceledDueToNoRequesters");
                close_scene(&scene);
        }
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
        assert_in_range(scene.polls, 4, 10);
        assert_int_equal(scene.strange_polls, 0);
        assert_has(&scene, EVICTION_1, "\"reason\":\"PodDeleted\"");
        close_scene(&scene);
}

static void H7_down_for_25_minutes(void **state) {
        (void)state;
        for (int beats = 0; beats < 2; beats++) {
                struct scene scene;

                open_moving(&scene, true);
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

/* Every other status is refused with a conflict; what responders wrote meanwhile stays. */
static void H8_conflicts(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        sim_faults_conflict_every(sim_world_faults(scene.world), 2);
        guard(&scene);
        make_pod(&scene, "p", WITH_MOVER, "");
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 30);
        assert_has(&scene, EVICTION_1, "\"priority\":10000,\"state\":\"Active\"");
        assert_int_equal(report_mover(&scene, "message", "half way"), 200);
        make_request(&scene, "also", BERT); /* the controller writes the same status */
        wait_s(&scene, 30);
        assert_has(&scene, EVICTION_1, "{\"name\":\"" BERT "\",\"intent\":\"Eviction\"}");
        assert_has(&scene, EVICTION_1, "half way");
        complete_mover(&scene);
        ask(&scene, "DELETE", "/apis/policy/v1/namespaces/default/poddisruptionbudgets/p", "");
        wait_s(&scene, 60);
        assert_has(&scene, EVICTION_1, "\"priority\":10000,\"state\":\"Completed\"");
        assert_has(&scene, EVICTION_1, "half way");
        assert_has(&scene, GROUP "/evictionrequests/want", "\"reason\":\"PodDeleted\"");
        assert_in_range(sim_faults_count(sim_world_faults(scene.world), SIM_CONFLICT), 3, 20);
        close_scene(&scene);
}

static void H9_deleted_underneath(void **state) {
        struct scene scene;

        (void)state;
        open_moving(&scene, false);
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
        open_moving(&scene, false);
        ask(&scene, "DELETE", POD, "{\"gracePeriodSeconds\":0}");
        make_pod(&scene, "p", "", "");
        wait_s(&scene, 60);
        assert_has(&scene, GROUP "/evictionrequests/want", "\"reason\":\"PodDeleted\"");
        assert_int_equal(ask(&scene, "GET", POD, ""), 200);
        assert_int_equal(sim_world_evict_calls(scene.world), 0);
        close_scene(&scene);
}

/* The process' clock is wrong by five minutes: what it writes is in the server's time. */
static void H11_wrong_clock(void **state) {
        static const int64_t ahead_s[] = { 300, -300, 0 };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(ahead_s); i++) {
                struct scene scene;
                int64_t off_ns;

                open_scene_with(&scene, &(struct sim_world_config){ .clock_ahead_ns = ahead_s[i] *
                                                                                      NS_PER_S });
                guard(&scene);
                make_pod(&scene, "p", "", "");
                make_request(&scene, "want", ANNA);
                wait_s(&scene, 1);
                off_ns = started_at(&scene, 0).ns - sim_world_wall(scene.world).ns;
                assert_in_range(off_ns + 5 * NS_PER_S, 0, 10 * NS_PER_S);
                wait_s(&scene, 30 * 60);
                assert_has(&scene, EVICTION_1, "\"state\":\"Active\"");
                close_scene(&scene);
        }
}

static void H12_clock_jumps(void **state) {
        struct scene scene;

        (void)state;
        open_moving(&scene, true);
        sim_world_step_clock(scene.world, -3600 * NS_PER_S);
        wait_s(&scene, 10 * 60);
        assert_has(&scene, EVICTION_1, "\"priority\":10000,\"state\":\"Active\"");
        close_scene(&scene);
}

/* Its requester is gone for good: the eviction goes on, the trail tells once, after three times
 * what it should have taken; the request is somebody else's and stays. */
static void H13_orphan(void **state) {
        static const struct slice line = SLICE_INIT("\"op\":\"orphan\"");
        struct scene scene;
        struct slice trail, after;

        (void)state;
        open_scene(&scene);
        guard(&scene);
        make_pod(&scene, "p", "", "");
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 59 * 60);
        assert_false(slice_contains(sim_world_audit(scene.world), line));
        wait_s(&scene, 2 * 60); /* without a policy 20 minutes are expected */
        trail = sim_world_audit(scene.world);
        assert_true(slice_contains(trail, line));
        assert_true(slice_contains(trail, SLICE_LITERAL("\"requester\":\"" ANNA "\"")));
        wait_s(&scene, 3 * 3600);
        after = sim_world_audit(scene.world);
        assert_false(
                slice_contains(slice_make(after.ptr + trail.len, after.len - trail.len), line));
        assert_has(&scene, EVICTION_1, "\"state\":\"Active\"");
        assert_has(&scene, GROUP "/evictionrequests/want", "\"intent\":\"Eviction\"");
        close_scene(&scene);
}

/* Requests of the native kind that nobody looks at for 30 s are ours to reconcile, until somebody
 * else writes one's status: then for good theirs.  Both are in the trail. */
static void H16_foreign_controller(void **state) {
        struct scene scene;

        (void)state;
        open_scene_with(&scene, &(struct sim_world_config){ .is_native = true });
        restart_native(&scene);
        make_pod(&scene, "p", WITH_MOVER, "");
        want_in(&scene, NATIVE, "p", ANNA);
        wait_s(&scene, 20);
        assert_int_equal(ask(&scene, "GET", NATIVE "/evictions/pod-1-p", ""), 404);
        wait_s(&scene, 20);
        assert_has(&scene, NATIVE "/evictions/pod-1-p", "\"state\":\"Active\"");
        assert_true(
                slice_contains(sim_world_audit(scene.world), SLICE_LITERAL("\"op\":\"takeover\"")));
        assert_int_equal(ask(&scene, "PATCH", NATIVE "/evictionrequests/want-p/status",
                             "{\"status\":{\"observedGeneration\":2}}"),
                         200);
        wait_s(&scene, 5);
        assert_true(slice_contains(sim_world_audit(scene.world),
                                   SLICE_LITERAL("\"to\":\"native-foreign\"")));
        make_pod(&scene, "q", WITH_MOVER, "");
        want_in(&scene, NATIVE, "q", ANNA);
        wait_s(&scene, 120);
        assert_int_equal(ask(&scene, "GET", NATIVE "/evictions/pod-1-q", ""), 404);
        close_scene(&scene);
}

/* The cluster serves the native kinds after an upgrade: what was begun with our own is finished
 * with these, new ones are native, and no pod has both. */
static void H15_upgrade(void **state) {
        struct scene scene;

        (void)state;
        open_scene_with(&scene, &(struct sim_world_config){ .is_native = true });
        make_pod(&scene, "p", WITH_MOVER, "");
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 5);
        assert_has(&scene, EVICTION_1, "\"state\":\"Active\"");
        restart_native(&scene);
        make_pod(&scene, "q", WITH_MOVER, "");
        make_pod(&scene, "late", WITH_MOVER, "");
        want_in(&scene, NATIVE, "p", BERT);
        want_in(&scene, NATIVE, "q", BERT);
        want_in(&scene, GROUP, "late", BERT);
        wait_s(&scene, 60);
        assert_has(&scene, EVICTION_1, "\"state\":\"Active\"");
        assert_int_equal(ask(&scene, "GET", NATIVE "/evictions/pod-1-p", ""), 404);
        assert_has(&scene, NATIVE "/evictions/pod-1-q", "\"state\":\"Active\"");
        assert_int_equal(ask(&scene, "GET", GROUP "/evictions/pod-1-late", ""), 404);
        beat_mover(&scene);
        set_intent(&scene, "want", "Withdrawn");
        wait_s(&scene, 10);
        assert_has(&scene, EVICTION_1, "\"state\":\"Canceled\"");
        assert_has(&scene, NATIVE "/evictions/pod-1-p", "\"state\":\"Active\"");
        set_intent(&scene, "want", "Eviction"); /* in vain, until the native one is over */
        wait_s(&scene, 30);
        assert_int_equal(ask(&scene, "GET", EVICTION_2, ""), 404);
        close_scene(&scene);
}

/* Nobody is left to respond, again and again: the next Eviction follows after 30 s, 60 s ... 30
 * minutes. */
static void H17_no_further_responder(void **state) {
        static const int64_t pauses_s[] = { 30, 60, 120, 240, 480, 960, 1800, 1800 };
        struct scene scene;
        char path[PATH_BYTES], now[WALL_TIME_TEXT_MAX];

        (void)state;
        open_scene_with(&scene, &(struct sim_world_config){ .has_no_evictor = true });
        make_pod(&scene, "p", "", "");
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 5);
        for (unsigned i = 0; i < ARRAY_LEN(pauses_s); i++) {
                snprintf(path, sizeof(path), GROUP "/evictions/pod-%u-p", i + 1);
                assert_has(&scene, path, "\"state\":\"Active\"");
                wall_time_format_micro(sim_world_wall(scene.world), now);
                assert_int_equal(report_as(&scene, path, EVICTION_EVICTOR, "completionTime", now),
                                 200);
                wait_s(&scene, 2);
                assert_has(&scene, path, "\"reason\":\"NoFurtherResponder\"");
                if (i == 4) { /* the pauses outlive the process */
                        restart(&scene);
                        wait_s(&scene, 1);
                }
                snprintf(path, sizeof(path), GROUP "/evictions/pod-%u-p", i + 2);
                wait_s(&scene, pauses_s[i] - 5);
                assert_int_equal(ask(&scene, "GET", path, ""), 404);
                wait_s(&scene, 5);
                assert_int_equal(ask(&scene, "GET", path, ""), 200);
        }
        close_scene(&scene);
}

/* By a taint, by the collector of pods whose node is gone, by hand. */
static void H18_taken_away_in_a_stage(void **state) {
        static const struct {
                const char *method, *path, *body;
        } ways[] = {
                { "PATCH", "/api/v1/nodes/n0",
                  "{\"spec\":{\"taints\":[{\"key\":\"out\",\"effect\":\"NoExecute\"}]}}" },
                { "DELETE", "/api/v1/nodes/n0", "" },
                { "DELETE", POD, "{\"gracePeriodSeconds\":0}" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
                struct scene scene;

                open_scene(&scene);
                scene.stage = "prepare";
                scene.answer = "InProgress";
                scene.in_progress_left = 1000;
                make_policy(&scene, POLICY(STAGE("prepare", "") "," STAGE("copy", ""), ""));
                make_request(&scene, "want", ANNA);
                wait_s(&scene, 10);
                assert_int_equal(ask(&scene, ways[i].method, ways[i].path, ways[i].body), 200);
                wait_s(&scene, 120);
                assert_int_equal(ask(&scene, "GET", POD, ""), 404);
                assert_has(&scene, EVICTION_1, "\"reason\":\"PodDeleted\"");
                assert_has(&scene, GROUP "/evictionrequests/want", "\"reason\":\"PodDeleted\"");
                assert_int_equal(scene.cancels, 1);
                assert_int_equal(scene.rollbacks, 0);
                assert_int_equal(sim_world_evict_calls(scene.world), 0);
                close_scene(&scene);
        }
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

/* The stage that evicts is over when the pod is: its time is learned like that of the others. */
static void I2_evict_stage_is_learned(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        make_policy(&scene, POLICY(STAGE("prepare", "") "," STAGE(
                                           "copy", "") ",{\"name\":\"out\",\"kind\":\"evict\"}",
                                   ""));
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 60);
        assert_int_equal(ask(&scene, "GET", POD, ""), 404);
        assert_has(&scene, EVICTION_1, "\"reason\":\"PodDeleted\"");
        wait_s(&scene, 60);
        assert_has(&scene, "/api/v1/namespaces/kube-system/configmaps/berth-eviction-history",
                   "default/m  out");
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

#define MIGRATIONS "/apis/kubevirt.io/v1/namespaces/default/virtualmachineinstancemigrations"
#define MIGRATION                                                                                  \
        "{\"metadata\":{\"name\":\"move-vm\",\"namespace\":\"default\",\"creationTimestamp\":"     \
        "\"2026-01-01T00:00:00Z\"},\"spec\":{\"vmiName\":\"vm\"},\"status\":{\"phase\":"           \
        "\"Running\","                                                                             \
        "\"migrationState\":{\"sourceNode\":\"n0\"}}}"

/* Nobody ends it: there is no such node, which is found out after 40 seconds. */
#define LINGERING                                                                                  \
        "{\"metadata\":{\"name\":\"other\"" WITH_MOVER "},\"spec\":{\"nodeName\":\"gone\","        \
        "\"containers\":[{\"name\":\"c\",\"image\":\"x\"}]}}"

static void define_migrations(struct scene *scene) {
        assert_int_equal(
                ask(scene, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                    "{\"metadata\":{\"name\":\"virtualmachineinstancemigrations.kubevirt.io\"},"
                    "\"spec\":{\"group\":\"kubevirt.io\",\"scope\":\"Namespaced\",\"names\":{"
                    "\"plural\":\"virtualmachineinstancemigrations\",\"kind\":"
                    "\"VirtualMachineInstanceMigration\"},\"versions\":[{\"name\":\"v1\","
                    "\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{\"type\":"
                    "\"object\",\"x-kubernetes-preserve-unknown-fields\":true}}}]}}"),
                201);
        wait_s(scene, 2);
}

/* Evictions that this controller has nothing to do with take slots as well: a machine that its user
 * migrates, and a slow pod that somebody asked the subresource for. */
static void I1_those_of_others(void **state) {
        static const char *const others[] = { MIGRATIONS "/move-vm", PODS "/other" };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(others); i++) {
                struct scene scene;

                open_scene_with(&scene, &(struct sim_world_config){ .has_slots = true,
                                                                    .slots = { .total = 1 } });
                sim_world_kill(scene.world);
                define_migrations(&scene);
                sim_world_start(scene.world);
                wait_s(&scene, 2);
                if (i == 0) {
                        assert_int_equal(ask(&scene, "POST", MIGRATIONS, MIGRATION), 201);
                } else {
                        assert_int_equal(ask(&scene, "POST", PODS, LINGERING), 201);
                        assert_int_equal(ask(&scene, "PATCH", PODS "/other/status",
                                             "{\"status\":{\"phase\":\"Running\"}}"),
                                         200);
                        assert_int_equal(ask(&scene, "POST", PODS "/other/eviction",
                                             "{\"apiVersion\":\"policy/v1\",\"kind\":"
                                             "\"Eviction\",\"metadata\":{\"name\":\"other\"}}"),
                                         201);
                }
                make_pod(&scene, "p", WITH_MOVER, "");
                make_request(&scene, "want", ANNA);
                wait_s(&scene, 20);
                assert_has(&scene, GROUP "/evictionrequests/want",
                           "waiting for a slot of the cluster");
                ask(&scene, "DELETE", others[i], "{\"gracePeriodSeconds\":0}");
                wait_s(&scene, 60);
                assert_has(&scene, EVICTION_1, "\"state\":\"Active\"");
                close_scene(&scene);
        }
}

static void test_counts(void **state) {
        static const char *const lines[] = {
                "berth_evictions_ended_total{outcome=\"CanceledDueToNoRequesters\"} 1",
                "berth_evictions_ended_total{outcome=\"PodDeleted\"} 0",
                "berth_eviction_targets 2",
                "berth_evictions_waiting 1",
                "evictionrequest_controller_responder_state{state=\"Active\"} 1",
                "imperative_eviction_responder_controller_failed_evictions 1",
        };
        struct metrics *metrics = metrics_new();
        struct buf text = { 0 };
        struct scene scene;

        (void)state;
        open_scene_with(&scene, &(struct sim_world_config){ .metrics = metrics,
                                                            .has_slots = true,
                                                            .slots_for_all = true,
                                                            .slots = { .total = 1 } });
        guard(&scene);
        make_pod(&scene, "p", "", "");
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 2);
        set_intent(&scene, "want", "Withdrawn");
        wait_s(&scene, 2);
        make_pod(&scene, "p0", WITH_MOVER, "");
        want(&scene, 0, ANNA);
        set_intent(&scene, "want", "Eviction");
        wait_s(&scene, 2);
        metrics_write(metrics, &text);
        for (size_t i = 0; i < ARRAY_LEN(lines); i++)
                if (!slice_contains(buf_view(&text), slice_of(lines[i])))
                        fail_msg("%s: " SLICE_FMT, lines[i], SLICE_ARG(buf_view(&text)));
        buf_release(&text);
        close_scene(&scene);
        metrics_free(metrics);
}

#ifdef __SANITIZE_ADDRESS__
#define MANY_LONG 1000 /* everything takes twenty times as long */
#else
#define MANY_LONG 5000
#endif
#define MANY_SHORT 500

static void make_moving_pod(struct scene *scene, const char *name) {
        char uid[64], body[600];

        snprintf(body, sizeof(body),
                 "{\"metadata\":{\"name\":\"%s\"" WITH_MOVER "},\"spec\":{\"nodeName\":\"n0\","
                 "\"containers\":[{\"name\":\"c\",\"image\":\"x\"}]}}",
                 name);
        assert_int_equal(ask(scene, "POST", PODS, body), 201);
        uid_of(scene, name, uid);
        snprintf(body, sizeof(body),
                 "{\"apiVersion\":\"lifecycle.berth.dev/v1alpha1\",\"kind\":\"EvictionRequest\","
                 "\"metadata\":{\"name\":\"%s\"},\"spec\":{\"target\":{\"pod\":{\"name\":\"%s\","
                 "\"uid\":\"%s\"}},\"requester\":\"" ANNA "\",\"intent\":\"Eviction\"}}",
                 name, name, uid);
        assert_int_equal(ask(scene, "POST", GROUP "/evictionrequests", body), 201);
}

/* A sign of life of every pod's responder within a minute; the controller has nothing to write. */
static void I4_many(void **state) {
        const unsigned many = long_form() ? MANY_LONG : MANY_SHORT;
        struct scene scene;
        uint64_t calls;

        (void)state;
        open_scene_with(&scene, &(struct sim_world_config){ .is_unchecked = true });
        sim_world_kill(scene.world);
        for (unsigned i = 0; i < many; i++) {
                char name[16];

                snprintf(name, sizeof(name), "m%u", i);
                make_moving_pod(&scene, name);
        }
        sim_world_start(scene.world);
        wait_s(&scene, 60);
        calls = sim_faults_calls(sim_world_faults(scene.world));
        for (unsigned i = 0; i < many; i++) {
                char path[PATH_BYTES], now[WALL_TIME_TEXT_MAX];

                snprintf(path, sizeof(path), GROUP "/evictions/pod-1-m%u", i);
                wall_time_format_micro(sim_world_wall(scene.world), now);
                assert_int_equal(report_as(&scene, path, MOVER, "heartbeatTime", now), 200);
                sim_world_advance(scene.world, 60 * NS_PER_S / many);
        }
        calls = sim_faults_calls(sim_world_faults(scene.world)) - calls;
        /* Of the 100 writes a second 83 are the responders' own. */
        assert_in_range(calls, 0, 60 * 16); /* however many there are */
        assert_int_equal(sim_world_open_effects(scene.world), 0);
        close_scene(&scene);
}

#define NAMED(title, test)                                                                         \
        { title, test, NULL, NULL, NULL }

int main(void) {
        const struct CMUnitTest tests[] = {
                NAMED("evict-H1: killed after the request", H1_killed_after_the_request),
                NAMED("evict-H2: killed before the status", H2_killed_before_the_status),
                NAMED("evict-H3: killed before the next responder",
                      H3_killed_before_the_next_responder),
                NAMED("evict-H4: killed after the call", H4_killed_after_the_call),
                NAMED("evict-H5: killed while cancelling", H5_killed_while_cancelling),
                NAMED("evict-H6: the next process polls the hook", H6_hook_polled_by_the_next),
                NAMED("evict-H7: down for 25 minutes", H7_down_for_25_minutes),
                NAMED("evict-H8: conflicts", H8_conflicts),
                NAMED("evict-H9: deleted underneath", H9_deleted_underneath),
                NAMED("evict-H10: replaced under the same name", H10_replaced),
                NAMED("evict-H11: a wrong clock", H11_wrong_clock),
                NAMED("evict-H12: the clock jumps an hour", H12_clock_jumps),
                NAMED("evict-H13: its requester is gone", H13_orphan),
                NAMED("evict-H15: native kinds after an upgrade", H15_upgrade),
                NAMED("evict-H16: another controller appears", H16_foreign_controller),
                NAMED("evict-H17: no further responder", H17_no_further_responder),
                NAMED("evict-H18: taken away in a stage", H18_taken_away_in_a_stage),
                NAMED("evict-I2: learned and expected", I2_learned_and_expected),
                { "evict-I2: the stage that evicts is learned", I2_evict_stage_is_learned, NULL,
                  NULL, NULL },
                NAMED("evict-I1: 200 wanted, 50 at work", I1_two_hundred_wanted),
                NAMED("evict-I1: slow ones alone", I1_slow_ones),
                NAMED("evict-I1: those of others", I1_those_of_others),
                cmocka_unit_test(test_counts),
                NAMED("evict-I4: many at once", I4_many),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
