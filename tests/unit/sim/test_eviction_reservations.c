/* Room for the replacement, with a real scheduler beside the controller: what requests and the
 * trail say of it, and what becomes of room that was lost. */
#include "eviction_scene.h"

#include "base/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define WANT GROUP "/evictionrequests/want"
#define FUSSY ",\"nodeSelector\":{\"disk\":\"fast\"}"
#define LASTS_S 181 /* one and a half times the stage's timeout */

/* A pod of this policy, with an owner; spec: further members of the pod's. */
static void open_reservations(struct scene *scene, const char *reserve, const char *spec) {
        char policy[700], owner[300], uid[64];
        struct buf answer = { 0 };
        struct json_doc *doc = NULL;

        open_scene_with(scene, &(struct sim_world_config){ .has_scheduler = true });
        scene->stage = "move";
        scene->answer = "InProgress";
        scene->in_progress_left = 100000;
        snprintf(policy, sizeof(policy),
                 "{\"apiVersion\":\"lifecycle.berth.dev/v1alpha1\",\"kind\":\"EvictionPolicy\","
                 "\"metadata\":{\"name\":\"m\"},\"spec\":{\"selector\":{\"matchLabels\":{\"app\":"
                 "\"p\"}},\"reserve\":\"%s\",\"stages\":[" STAGE("move",
                                                                 ",\"timeout\":\"2m\"") "]}}",
                 reserve);
        assert_int_equal(ask(scene, "POST", GROUP "/evictionpolicies", policy), 201);
        assert_int_equal(sim_world_ask(scene->world, "POST",
                                       "/api/v1/namespaces/default/configmaps",
                                       "{\"metadata\":{\"name\":\"own\"}}", &answer),
                         201);
        assert_int_equal(json_parse(buf_view(&answer), &doc, NULL), 0);
        snprintf(uid, sizeof(uid), SLICE_FMT,
                 SLICE_ARG(json_get_text(json_get(json_doc_root(doc), "metadata"), "uid")));
        json_doc_free(doc);
        buf_release(&answer);
        snprintf(owner, sizeof(owner),
                 ",\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"name\":"
                 "\"own\",\"uid\":\"%s\",\"controller\":true}]",
                 uid);
        make_pod(scene, "p", owner, spec);
        make_request(scene, "want", ANNA);
        wait_s(scene, 15);
}

/* A line of the trail with this op and these members. */
static bool trail_has(struct scene *scene, const char *op, const char *member) {
        struct slice rest = sim_world_audit(scene->world), line;
        char part[60];

        snprintf(part, sizeof(part), "\"op\":\"%s\"", op);
        while (slice_split(&rest, '\n', &line))
                if (slice_contains(line, slice_of(part)) && slice_contains(line, slice_of(member)))
                        return true;
        return false;
}

static void test_withdrawn(void **state) {
        struct scene scene;

        (void)state;
        open_reservations(&scene, "BestEffort", "");
        assert_has(&scene, EVICTION_1, "\"lifecycle.berth.dev/reserved\":\"n1\"");
        assert_true(trail_has(&scene, "reserve", "\"to\":\"n1\""));
        set_intent(&scene, "want", "Withdrawn");
        wait_s(&scene, 10);
        assert_true(trail_has(&scene, "release", "\"reason\":\"end\""));
        close_scene(&scene);
}

/* Nobody shows life for as long as it lasts. */
static void test_expired(void **state) {
        struct scene scene;

        (void)state;
        open_reservations(&scene, "BestEffort", "");
        sim_world_kill(scene.world);
        wait_s(&scene, LASTS_S + 60);
        assert_has(&scene, EVICTION_1, "\"lifecycle.berth.dev/not-reserved\":\"expired n1\"");
        assert_false(has(&scene, EVICTION_1, "\"lifecycle.berth.dev/reserved\""));
        assert_false(trail_has(&scene, "release", ""));
        sim_world_start(scene.world);
        wait_s(&scene, 10);
        assert_true(trail_has(&scene, "release", "\"reason\":\"expired\""));
        assert_true(trail_has(&scene, "release", "\"from\":\"n1\""));
        close_scene(&scene);
}

static void test_goes_on_without(void **state) {
        struct scene scene;

        (void)state;
        open_reservations(&scene, "BestEffort", FUSSY);
        assert_has(&scene, EVICTION_1, "\"lifecycle.berth.dev/not-reserved\":\"no room\"");
        assert_has(&scene, EVICTION_1, "\"state\":\"Active\"");
        assert_has(&scene, WANT, "continues without reserved capacity");
        assert_true(trail_has(&scene, "reserve", "\"reason\":\"no room\""));
        close_scene(&scene);
}

static void label_node(struct scene *scene) {
        assert_int_equal(ask(scene, "PATCH", "/api/v1/nodes/n1",
                             "{\"metadata\":{\"labels\":{\"disk\":\"fast\"}}}"),
                         200);
}

static void test_waits(void **state) {
        struct scene scene;

        (void)state;
        open_reservations(&scene, "Required", FUSSY);
        assert_has(&scene, WANT, "waiting for capacity on another node");
        assert_false(has(&scene, EVICTION_1, "\"state\":\"Active\""));
        label_node(&scene);
        wait_s(&scene, 30);
        assert_has(&scene, EVICTION_1, "\"state\":\"Active\"");
        close_scene(&scene);
}

/* Room was found, and lost again before the controller came back: it is asked for once more. */
static void test_lost_before_it_began(void **state) {
        struct scene scene;

        (void)state;
        open_reservations(&scene, "Required", FUSSY);
        sim_world_kill(scene.world);
        label_node(&scene);
        wait_s(&scene, 30);
        assert_has(&scene, EVICTION_1, "\"lifecycle.berth.dev/reserved\":\"n1\"");
        wait_s(&scene, LASTS_S);
        assert_has(&scene, EVICTION_1, "\"lifecycle.berth.dev/not-reserved\":\"expired n1\"");
        sim_world_start(scene.world);
        wait_s(&scene, 30);
        assert_has(&scene, EVICTION_1, "\"lifecycle.berth.dev/reserved\":\"n1\"");
        assert_has(&scene, EVICTION_1, "\"state\":\"Active\"");
        close_scene(&scene);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_withdrawn),
                cmocka_unit_test(test_expired),
                cmocka_unit_test(test_goes_on_without),
                cmocka_unit_test(test_waits),
                cmocka_unit_test(test_lost_before_it_began),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
