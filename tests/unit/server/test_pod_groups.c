/* PodGroups as the sandbox serves them: which fields stay with which gates, what is refused, what
 * may change later, and that pods keep the name of their group. */
#include "base/util.h"
#include "port/virtual_loop.h"
#include "server/api_server.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define GROUPS "/apis/scheduling.k8s.io/v1alpha2/namespaces/default/podgroups"
#define PODS "/api/v1/namespaces/default/pods"

struct scene {
        struct virtual_loop *loop;
        struct api_server *server;
        char answer[8192]; /* the last one */
};

static const struct api_group_gates all_gates = { true, true, true, true };

static void scene_init(struct scene *scene, const struct api_group_gates *gates) {
        struct api_server_config config = { .seed = 1 };

        *scene = (struct scene){ .loop = virtual_loop_new() };
        if (gates)
                config.groups = *gates;
        scene->server = api_server_new(&config, virtual_loop_get(scene->loop));
}

static void scene_end(struct scene *scene) {
        api_server_free(scene->server);
        virtual_loop_free(scene->loop);
}

static int ask(struct scene *scene, const char *method, const char *path, const char *body) {
        bool is_patch = strcmp(method, "PATCH") == 0;
        struct api_server_request request = {
                .method = slice_of(method),
                .target = slice_of(path),
                .content_type =
                        slice_of(is_patch ? "application/merge-patch+json" : "application/json"),
                .body = slice_of(body),
                .user = &api_user_admin,
        };
        struct http_response response;

        api_server_handle(scene->server, &request, &response);
        snprintf(scene->answer, sizeof(scene->answer), SLICE_FMT,
                 SLICE_ARG(buf_view(&response.body)));
        int status = response.status;
        http_response_release(&response);
        return status;
}

static void expect(const struct scene *scene, const char *text, bool is_there) {
        if (!strstr(scene->answer, text) == is_there)
                fail_msg("%s %s in %s", text, is_there ? "is not" : "is", scene->answer);
}

#define WHOLE                                                                                      \
        "{\"metadata\":{\"name\":\"g\"},\"spec\":{\"schedulingPolicy\":{\"gang\":{\"minCount\":2}" \
        "},\"schedulingConstraints\":{\"topology\":[{\"key\":\"rack\"}]},\"resourceClaims\":[{"    \
        "\"name\":\"c\",\"resourceClaimTemplateName\":\"t\"}],\"disruptionMode\":\"PodGroup\","    \
        "\"priority\":0}}"
#define CLAIM_STATUS                                                                               \
        "{\"status\":{\"resourceClaimStatuses\":[{\"name\":\"c\",\"resourceClaimName\":\"g-c\"}]}" \
        "}"

static void test_gates(void **state) {
        static const struct {
                struct api_group_gates gates;
                bool topology, claims, mode;
        } cases[] = {
                { { true, false, false, false }, false, false, false },
                { { true, true, false, false }, true, false, false },
                { { true, false, true, false }, false, true, false },
                { { true, false, false, true }, false, false, true },
                { { true, true, true, true }, true, true, true },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct scene scene;

                scene_init(&scene, &cases[i].gates);
                assert_int_equal(ask(&scene, "POST", GROUPS, WHOLE), 201);
                expect(&scene, "minCount", true);
                expect(&scene, "\"finalizers\":[\"scheduling.k8s.io/podgroup-protection\"]", true);
                expect(&scene, "rack", cases[i].topology);
                expect(&scene, "\"resourceClaimTemplateName\":\"t\"", cases[i].claims);
                expect(&scene, "\"disruptionMode\":\"PodGroup\"", cases[i].mode);
                expect(&scene, "\"priority\":0", cases[i].mode);
                assert_int_equal(ask(&scene, "PATCH", GROUPS "/g/status", CLAIM_STATUS), 200);
                expect(&scene, "g-c", cases[i].claims);
                scene_end(&scene);
        }
}

#define WITH(spec) "{\"metadata\":{\"name\":\"g\"},\"spec\":{" spec "}}"
#define BASIC "\"schedulingPolicy\":{\"basic\":{}}"

#define TEN "aaaaaaaaaa"
#define LONG TEN TEN TEN TEN TEN TEN TEN

static void test_refusals(void **state) {
        static const struct {
                const char *body, *says;
        } cases[] = {
                { WITH("\"schedulingPolicy\":{}"), "must specify one of: `basic`, `gang`" },
                { WITH("\"schedulingPolicy\":{\"basic\":{},\"gang\":{\"minCount\":1}}"),
                  "must specify exactly one of: `basic`, `gang`" },
                { WITH("\"schedulingPolicy\":{\"gang\":{}}"),
                  "spec.schedulingPolicy.gang.minCount: Required value" },
                { WITH("\"schedulingPolicy\":{\"gang\":{\"minCount\":0}}"),
                  "spec.schedulingPolicy.gang.minCount: Required value" },
                { WITH(BASIC ",\"resourceClaims\":[{\"name\":\"c\"}]"),
                  "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`" },
                { WITH(BASIC ",\"resourceClaims\":[{\"name\":\"A\",\"resourceClaimName\":\"x\"}]"),
                  "spec.resourceClaims[0].name" },
                { WITH(BASIC ",\"resourceClaims\":[{\"name\":\"a\",\"resourceClaimName\":\"x\"},"
                             "{\"name\":\"a\",\"resourceClaimName\":\"y\"}]"),
                  "Duplicate value" },
                { WITH(BASIC ",\"disruptionMode\":\"None\""), "Unsupported value" },
                { WITH(BASIC ",\"podGroupTemplateRef\":{}"), "must specify one of: `workload`" },
                { WITH(BASIC ",\"schedulingConstraints\":{\"topology\":[{\"key\":\"a b\"}]}"),
                  "spec.schedulingConstraints.topology[0].key" },
                { WITH(BASIC ",\"schedulingConstraints\":{\"topology\":[{\"key\":\"a\"},{\"key\":"
                             "\"b\"}]}"),
                  "Too many: 2: must have at most 1 item\"" },
                { WITH(BASIC ",\"resourceClaims\":[{\"name\":\"" LONG
                             "\",\"resourceClaimName\":\"x\"}]"),
                  "must be no more than 63 bytes" },
                { WITH(BASIC ",\"resourceClaims\":[{\"name\":\"a\",\"resourceClaimName\":\"\"}]"),
                  "spec.resourceClaims[0].resourceClaimName: Invalid value" },
                { WITH(BASIC ",\"priorityClassName\":\"system-node-critical\""),
                  "must be less than or equal to 1000000000" },
        };
        struct scene scene;

        (void)state;
        scene_init(&scene, &all_gates);
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                assert_int_equal(ask(&scene, "POST", GROUPS, cases[i].body), 422);
                expect(&scene, cases[i].says, true);
        }
        scene_end(&scene);
}

/* Of a class, as that of pods. */
static void test_priority(void **state) {
        static const char class[] = "{\"metadata\":{\"name\":\"k\"},\"value\":9}";
        struct scene scene;

        (void)state;
        scene_init(&scene, &all_gates);
        assert_int_equal(ask(&scene, "POST", "/apis/scheduling.k8s.io/v1/priorityclasses", class),
                         201);
        assert_int_equal(ask(&scene, "POST", GROUPS, WITH(BASIC ",\"priority\":5")), 403);
        expect(&scene, "must match the priority computed (0)", true);
        assert_int_equal(ask(&scene, "POST", GROUPS, WITH(BASIC ",\"priorityClassName\":\"x\"")),
                         403);
        expect(&scene, "no PriorityClass with name x was found", true);
        assert_int_equal(ask(&scene, "POST", GROUPS, WITH(BASIC ",\"priorityClassName\":\"k\"")),
                         201);
        expect(&scene, "\"priority\":9", true);
        scene_end(&scene);
}

static void test_statuses(void **state) {
        struct scene scene;

        (void)state;
        scene_init(&scene, &all_gates);
        assert_int_equal(ask(&scene, "POST", GROUPS, WHOLE), 201);
        assert_int_equal(ask(&scene, "PATCH", GROUPS "/g/status", CLAIM_STATUS), 200);
        assert_int_equal(ask(&scene, "PATCH", GROUPS "/g/status",
                             "{\"status\":{\"resourceClaimStatuses\":[{\"name\":\"d\"}]}}"),
                         422);
        expect(&scene, "must match the name of an entry in `spec.resourceClaims`", true);
        scene_end(&scene);
}

static void test_immutable(void **state) {
        static const char *const patches[] = {
                "{\"spec\":{\"schedulingPolicy\":{\"gang\":{\"minCount\":3}}}}",
                "{\"spec\":{\"schedulingConstraints\":null}}",
                "{\"spec\":{\"resourceClaims\":null}}",
                "{\"spec\":{\"disruptionMode\":\"Pod\"}}",
                "{\"spec\":{\"priority\":8}}",
                "{\"spec\":{\"priorityClassName\":\"x\"}}",
        };
        struct scene scene;

        (void)state;
        scene_init(&scene, &all_gates);
        assert_int_equal(ask(&scene, "POST", GROUPS, WHOLE), 201);
        for (size_t i = 0; i < ARRAY_LEN(patches); i++) {
                if (ask(&scene, "PATCH", GROUPS "/g", patches[i]) != 422)
                        fail_msg("%s: %s", patches[i], scene.answer);
                expect(&scene, "field is immutable", true);
        }
        assert_int_equal(ask(&scene, "PATCH", GROUPS "/g", "{\"metadata\":{\"labels\":{}}}"), 200);
        scene_end(&scene);
}

#define WORKLOADS "/apis/scheduling.k8s.io/v1alpha2/namespaces/default/workloads"
#define OF_WORKLOAD(spec) "{\"metadata\":{\"name\":\"w\"},\"spec\":{" spec "}}"
#define TEMPLATES(rest) "\"podGroupTemplates\":[{\"name\":\"a\"," BASIC rest "}]"

/* A new group's template is there; later it may go. */
static void test_templates(void **state) {
        static const struct {
                const char *workload, *template;
                int status;
                const char *says;
        } cases[] = {
                { "x", "a", 403, "PodGroup rejected: Workload \\\"x\\\" not found" },
                { "w", "b", 403,
                  "PodGroup rejected: PodGroupTemplate \\\"b\\\" not found in Workload \\\"w\\\"" },
                { "w", "a", 201, "\"workloadName\":\"w\"" },
        };
        struct scene scene;
        char body[512];

        (void)state;
        scene_init(&scene, &all_gates);
        assert_int_equal(ask(&scene, "POST", WORKLOADS, OF_WORKLOAD(TEMPLATES(""))), 201);
        expect(&scene, "\"schedulingConstraints\":null", true);
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                snprintf(body, sizeof(body),
                         WITH(BASIC
                              ",\"podGroupTemplateRef\":{\"workload\":{\"workloadName\":\"%s\","
                              "\"podGroupTemplateName\":\"%s\"}}"),
                         cases[i].workload, cases[i].template);
                assert_int_equal(ask(&scene, "POST", GROUPS, body), cases[i].status);
                expect(&scene, cases[i].says, true);
        }
        assert_int_equal(ask(&scene, "DELETE", WORKLOADS "/w", ""), 200);
        assert_int_equal(ask(&scene, "PATCH", GROUPS "/g", "{\"metadata\":{\"labels\":{}}}"), 200);
        scene_end(&scene);
}

/* What is wrong twice is told once by the kind itself; the two rounds of all kinds' rules come
 * before, in updates. */
static void test_told_once(void **state) {
        static const char body[] =
                "{\"metadata\":{\"name\":\"g\",\"labels\":{\"a\":\"-\",\"b\":\"-\"}},"
                "\"spec\":{" BASIC "}}";
        static const char cause[] = "\"message\":\"Invalid value: \\\"-\\\"";
        struct scene scene;
        size_t count = 0;

        (void)state;
        scene_init(&scene, &all_gates);
        assert_int_equal(ask(&scene, "POST", GROUPS, body), 422);
        for (const char *at = scene.answer; (at = strstr(at, cause)); at++)
                count++;
        assert_int_equal(count, 1);
        assert_int_equal(ask(&scene, "POST", GROUPS, WITH(BASIC)), 201);
        assert_int_equal(ask(&scene, "PATCH", GROUPS "/g",
                             "{\"metadata\":{\"labels\":{\"a\":\"-\",\"b\":\"-\"}}}"),
                         422);
        count = 0;
        for (const char *at = scene.answer; (at = strstr(at, cause)); at++)
                count++;
        assert_int_equal(count, 2 * 2 + 1);
        scene_end(&scene);
}

/* A definition of the same kind does not take its place. */
static void test_definition(void **state) {
        static const char definition[] =
                "{\"metadata\":{\"name\":\"podgroups.scheduling.k8s.io\",\"annotations\":{"
                "\"api-approved.kubernetes.io\":\"unapproved\"}},\"spec\":{\"group\":"
                "\"scheduling.k8s.io\",\"scope\":\"Namespaced\",\"names\":{\"plural\":"
                "\"podgroups\","
                "\"kind\":\"PodGroup\"},\"versions\":[{\"name\":\"v1alpha2\",\"served\":true,"
                "\"storage\":true,\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\"}}}]}}";
        struct scene scene;

        (void)state;
        scene_init(&scene, &all_gates);
        assert_int_equal(ask(&scene, "POST",
                             "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition),
                         201);
        assert_int_equal(ask(&scene, "POST", GROUPS, WITH("\"schedulingPolicy\":{}")), 422);
        scene_end(&scene);
}

static void test_workloads(void **state) {
        static const struct {
                const char *body, *says;
        } cases[] = {
                { OF_WORKLOAD(""), "spec.podGroupTemplates: Required value" },
                { OF_WORKLOAD("\"podGroupTemplates\":[]"),
                  "spec.podGroupTemplates: Required value" },
                { OF_WORKLOAD("\"podGroupTemplates\":[{\"name\":\"A\"," BASIC "}]"),
                  "spec.podGroupTemplates[0].name" },
                { OF_WORKLOAD("\"podGroupTemplates\":[{\"name\":\"a\",\"schedulingPolicy\":{}}]"),
                  "must specify one of: `basic`, `gang`" },
                { OF_WORKLOAD(TEMPLATES(",\"disruptionMode\":\"None\"")), "Unsupported value" },
                { OF_WORKLOAD(TEMPLATES("},{\"name\":\"a\"," BASIC)), "Duplicate value" },
                { OF_WORKLOAD(TEMPLATES("") ",\"controllerRef\":{\"kind\":\"a/b\",\"name\":\"x\"}"),
                  "may not contain '/'" },
                { OF_WORKLOAD(TEMPLATES("") ",\"controllerRef\":{\"kind\":\"Job\"}"),
                  "spec.controllerRef.name: Required value" },
        };
        struct scene scene;

        (void)state;
        scene_init(&scene, &all_gates);
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                if (ask(&scene, "POST", WORKLOADS, cases[i].body) != 422)
                        fail_msg("%s: %s", cases[i].body, scene.answer);
                expect(&scene, cases[i].says, true);
        }
        assert_int_equal(ask(&scene, "POST", WORKLOADS, OF_WORKLOAD(TEMPLATES(",\"priority\":7"))),
                         201);
        expect(&scene, "\"priority\":7", true);
        expect(&scene, "finalizers", false);
        expect(&scene, "generation", false);
        assert_int_equal(ask(&scene, "PATCH", WORKLOADS "/w",
                             "{\"spec\":{\"controllerRef\":{\"kind\":\"Job\",\"name\":\"j\"}}}"),
                         422);
        expect(&scene, "spec.controllerRef: Invalid value", true);
        expect(&scene, "field is immutable", true);
        assert_int_equal(ask(&scene, "GET", WORKLOADS "/w/status", ""), 404);
        scene_end(&scene);
        scene_init(&scene, &(struct api_group_gates){ .is_served = true });
        assert_int_equal(ask(&scene, "POST", WORKLOADS, OF_WORKLOAD(TEMPLATES(",\"priority\":7"))),
                         201);
        expect(&scene, "\"priority\":7", false);
        assert_int_equal(
                ask(&scene, "PUT", WORKLOADS "/w",
                    OF_WORKLOAD(TEMPLATES(",\"priority\":9,\"schedulingConstraints\":{}"))),
                200);
        assert_int_equal(ask(&scene, "POST", GROUPS "?dryRun=All", WITH(BASIC)), 201);
        expect(&scene, "\"disruptionMode\":\"Pod\"", true);
        scene_end(&scene);
}

static void test_pods_of_groups(void **state) {
        static const char pod[] = "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"schedulingGroup\":{"
                                  "\"podGroupName\":\"g\"},\"containers\":[{\"name\":\"c\","
                                  "\"image\":\"i\"}]}}";
        struct scene scene;

        (void)state;
        scene_init(&scene, &all_gates);
        assert_int_equal(ask(&scene, "POST", PODS, pod), 201);
        expect(&scene, "\"schedulingGroup\":", true);
        scene_end(&scene);
        scene_init(&scene, NULL);
        assert_int_equal(ask(&scene, "POST", PODS, pod), 201);
        expect(&scene, "\"schedulingGroup\":", false);
        assert_int_equal(ask(&scene, "POST", GROUPS, WHOLE), 404);
        scene_end(&scene);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_gates),     cmocka_unit_test(test_refusals),
                cmocka_unit_test(test_statuses),  cmocka_unit_test(test_priority),
                cmocka_unit_test(test_immutable), cmocka_unit_test(test_pods_of_groups),
                cmocka_unit_test(test_workloads), cmocka_unit_test(test_templates),
                cmocka_unit_test(test_told_once), cmocka_unit_test(test_definition),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
