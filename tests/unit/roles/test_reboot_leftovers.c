/* What an agent that was killed leaves to the next process of its node. */
#include "reboot_scene.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define NODE "/api/v1/nodes/n0"
#define EVICTION "/eviction"
#define REQUESTS "/apis/lifecycle.berth.dev/v1alpha1/namespaces/default/evictionrequests"

static void leave_request(struct scene *scene, const char *pod, const char *name) {
        struct buf body = { 0 }, text = { 0 };
        char path[200];
        struct slice uid, rest;

        snprintf(path, sizeof(path), SCENE_PODS "/%s", pod);
        assert_int_equal(scene_ask(scene, "GET", path, NULL, &body), 200);
        rest = slice_of(strstr(body.data, "\"uid\":\"") + strlen("\"uid\":\""));
        slice_split(&rest, '"', &uid);
        buf_printf(&text,
                   "{\"apiVersion\":\"lifecycle.berth.dev/v1alpha1\",\"kind\":\"EvictionRequest\","
                   "\"metadata\":{\"name\":\"%s\",\"labels\":{\"berth.dev/requested-by\":"
                   "\"reboot\"}},\"spec\":{\"intent\":\"Eviction\",\"requester\":"
                   "\"reboot.berth.dev/"
                   "drain\",\"target\":{\"pod\":{\"name\":\"%s\",\"uid\":\"" SLICE_FMT "\"}}}}",
                   name, pod, SLICE_ARG(uid));
        assert_int_equal(scene_ask(scene, "POST", REQUESTS, text.data, NULL), 201);
        buf_release(&body);
        buf_release(&text);
}

/* Killed in the middle of a drain that is not continued: what it asked for is withdrawn, and no
 * other node's requests are. */
static void withdraws_what_a_killed_process_asked(void **state) {
        struct scene *scene = scene_new();

        (void)state;
        scene_require(scene, 0, true);
        assert_int_equal(
                scene_ask(scene, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                          "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":"
                          "\"CustomResourceDefinition\",\"metadata\":{\"name\":"
                          "\"evictionrequests.lifecycle.berth.dev\"},\"spec\":{\"group\":"
                          "\"lifecycle.berth.dev\",\"scope\":\"Namespaced\",\"names\":{\"plural\":"
                          "\"evictionrequests\",\"kind\":\"EvictionRequest\"},\"versions\":[{"
                          "\"name\":\"v1alpha1\",\"served\":true,\"storage\":true,\"schema\":{"
                          "\"openAPIV3Schema\":{\"type\":\"object\","
                          "\"x-kubernetes-preserve-unknown-fields\":true}}}]}}",
                          NULL),
                201);
        scene_add_pod(scene, "web", "", "");
        scene_script(scene, &(struct scene_rule){ "POST", EVICTION, 429, 1000, 0, NULL });
        scene_start(scene, 0);
        scene_run(scene, 20);
        assert_true(scene_object_has(scene, NODE, "\\\"phase\\\":\\\"Draining"));
        scene_kill(scene, 0);
        leave_request(scene, "web", "left");
        assert_int_equal(scene_ask(scene, "POST", SCENE_PODS,
                                   "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{"
                                   "\"name\":\"far\"},\"spec\":{\"nodeName\":\"n1\","
                                   "\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}",
                                   NULL),
                         201);
        leave_request(scene, "far", "of-another-node");
        scene_require(scene, 0, false);
        scene_start(scene, 0);
        scene_run(scene, 60);
        assert_false(scene_object_has(scene, REQUESTS, "\"name\":\"left\""));
        assert_true(scene_object_has(scene, REQUESTS, "\"name\":\"of-another-node\""));
        scene_free(scene);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(withdraws_what_a_killed_process_asked),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
