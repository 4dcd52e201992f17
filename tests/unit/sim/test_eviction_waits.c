/* Stages that wait: what an Eviction says meanwhile, and what ends the wait. */
#include "eviction_scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define WAITING(what)                                                                              \
        "{\"apiVersion\":\"lifecycle.berth.dev/v1alpha1\",\"kind\":\"EvictionPolicy\","            \
        "\"metadata\":{\"name\":\"m\"},\"spec\":{\"selector\":{\"matchLabels\":{\"app\":\"p\"}},"  \
        "\"stages\":[{\"name\":\"ready\",\"kind\":\"wait\",\"wait\":{" what "}}]}}"

static void label(struct scene *scene, const char *pod, const char *role) {
        char path[PATH_BYTES], body[100];

        snprintf(path, sizeof(path), PODS "/%s", pod);
        snprintf(body, sizeof(body), "{\"metadata\":{\"labels\":{\"role\":\"%s\"}}}", role);
        assert_int_equal(ask(scene, "PATCH", path, body), 200);
}

/* The pod goes when it has the label with this value, not before and not with another. */
static void waits_for_a_label(void **state) {
        struct scene *scene = *state;

        make_policy(scene, WAITING("\"label\":{\"key\":\"role\",\"value\":\"replica\"}"));
        make_request(scene, "want", ANNA);
        wait_s(scene, 30);
        assert_has(scene, EVICTION_1, "waiting for label role");
        assert_has(scene, POD, "\"phase\":\"Running\"");
        label(scene, "p", "primary");
        wait_s(scene, 30);
        assert_has(scene, EVICTION_1, "waiting for label role");
        assert_has(scene, POD, "\"phase\":\"Running\"");
        label(scene, "p", "replica");
        wait_s(scene, 60);
        assert_has(scene, EVICTION_1, "\"reason\":\"PodDeleted\"");
}

/* So many other pods must be ready; the one that goes does not count. */
static void waits_for_others(void **state) {
        struct scene *scene = *state;

        make_policy(scene, WAITING("\"ready\":{\"selector\":{\"matchLabels\":{\"role\":"
                                   "\"replica\"}},\"count\":2}"));
        label(scene, "p", "replica");
        make_pod(scene, "q", "", "");
        label(scene, "q", "replica");
        make_request(scene, "want", ANNA);
        wait_s(scene, 30);
        assert_has(scene, EVICTION_1, "1 of 2 other pods ready");
        assert_has(scene, POD, "\"phase\":\"Running\"");
        make_pod(scene, "r", "", "");
        label(scene, "r", "replica");
        wait_s(scene, 60);
        assert_has(scene, EVICTION_1, "\"reason\":\"PodDeleted\"");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                SCENE_TEST(waits_for_a_label),
                SCENE_TEST(waits_for_others),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
