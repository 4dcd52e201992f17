/* Actions on the wire: method, path, content type and body of each kind. */
#include "loop/action_request.h"

#include "base/util.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define POD                                                                                        \
        { SLICE_LITERAL("Pod"), SLICE_LITERAL("ns"), SLICE_LITERAL("p"), SLICE_LITERAL("u-1") }
#define CLAIM                                                                                      \
        {                                                                                          \
                SLICE_LITERAL("ResourceClaim"), SLICE_LITERAL("ns"), SLICE_LITERAL("c"),           \
                        SLICE_LITERAL("u-2")                                                       \
        }

struct request_case {
        const char *name;
        struct action action;
        enum api_method method;
        const char *path, *content_type, *body;
};

static void check(const struct request_case *c) {
        CLEANUP(arena_release) struct arena arena;
        struct action_request request;

        arena_init(&arena, 0);
        action_request_make(&c->action, &arena, &request);
        if (request.method != c->method || !slice_is(request.path, c->path) ||
            !slice_is(request.content_type, c->content_type) || !slice_is(request.body, c->body))
                fail_msg("%s: %s " SLICE_FMT " " SLICE_FMT " " SLICE_FMT, c->name,
                         api_method_name(request.method), SLICE_ARG(request.path),
                         SLICE_ARG(request.content_type), SLICE_ARG(request.body));
}

static void check_all(const struct request_case *cases, size_t count) {
        for (size_t i = 0; i < count; i++)
                check(&cases[i]);
}

static void patches_objects(void **state) {
        const struct request_case cases[] = {
                { "node patch",
                  { .kind = ACTION_PATCH_NODE,
                    .target = { SLICE_LITERAL("Node"), SLICE_EMPTY, SLICE_LITERAL("n1") },
                    .patch = { SLICE_LITERAL("{\"spec\":{}}") } },
                  API_PATCH,
                  "/api/v1/nodes/n1",
                  "application/merge-patch+json",
                  "{\"spec\":{}}" },
                { "lock on a DaemonSet",
                  { .kind = ACTION_PATCH_OBJECT,
                    .target = { SLICE_LITERAL("DaemonSet"), SLICE_LITERAL("ns"),
                                SLICE_LITERAL("kured") },
                    .patch = { SLICE_LITERAL("{}") } },
                  API_PUT,
                  "/apis/apps/v1/namespaces/ns/daemonsets/kured",
                  "",
                  "{}" },
                { "lock on a Lease",
                  { .kind = ACTION_PATCH_OBJECT,
                    .target = { SLICE_LITERAL("Lease"), SLICE_LITERAL("ns"), SLICE_LITERAL("l") },
                    .patch = { SLICE_LITERAL("{}") } },
                  API_PUT,
                  "/apis/coordination.k8s.io/v1/namespaces/ns/leases/l",
                  "",
                  "{}" },
                { "claim of devices",
                  { .kind = ACTION_PATCH_OBJECT,
                    .target = CLAIM,
                    .patch = { SLICE_LITERAL("{}"), PATCH_OBJECT } },
                  API_PATCH,
                  "/apis/resource.k8s.io/v1/namespaces/ns/resourceclaims/c",
                  "application/strategic-merge-patch+json",
                  "{}" },
                { "status of a claim of devices",
                  { .kind = ACTION_PATCH_OBJECT,
                    .target = CLAIM,
                    .patch = { SLICE_LITERAL("{}"), PATCH_STATUS } },
                  API_PATCH,
                  "/apis/resource.k8s.io/v1/namespaces/ns/resourceclaims/c/status",
                  "application/strategic-merge-patch+json",
                  "{}" },
                { "new claim of devices",
                  { .kind = ACTION_PATCH_OBJECT,
                    .target = CLAIM,
                    .patch = { SLICE_LITERAL("{}"), PATCH_CREATE } },
                  API_POST,
                  "/apis/resource.k8s.io/v1/namespaces/ns/resourceclaims",
                  "",
                  "{}" },
                { "claim of devices that is not needed",
                  { .kind = ACTION_DELETE_OBJECT, .target = CLAIM },
                  API_DELETE,
                  "/apis/resource.k8s.io/v1/namespaces/ns/resourceclaims/c",
                  "",
                  "{\"preconditions\":{\"uid\":\"u-2\"}}" },
        };

        (void)state;
        check_all(cases, ARRAY_LEN(cases));
}

static void reports_placements(void **state) {
        const struct request_case cases[] = {
                { "bind",
                  { .kind = ACTION_BIND, .target = POD, .bind = { SLICE_LITERAL("n1") } },
                  API_POST,
                  "/api/v1/namespaces/ns/pods/p/binding",
                  "",
                  "{\"apiVersion\":\"v1\",\"kind\":\"Binding\",\"metadata\":{\"name\":\"p\","
                  "\"namespace\":\"ns\",\"uid\":\"u-1\"},\"target\":{\"apiVersion\":\"v1\","
                  "\"kind\":\"Node\",\"name\":\"n1\"}}" },
                { "condition and cleared nomination",
                  { .kind = ACTION_POD_STATUS,
                    .target = POD,
                    .status = { .sets_condition = true,
                                .reason = SLICE_LITERAL("Unschedulable"),
                                .message = SLICE_LITERAL("a \"b\""),
                                .observed_generation = 3,
                                .changed = { 1700000000 * NS_PER_S },
                                .sets_nomination = true } },
                  API_PATCH,
                  "/api/v1/namespaces/ns/pods/p/status",
                  "application/strategic-merge-patch+json",
                  "{\"metadata\":{\"uid\":\"u-1\"},\"status\":{\"conditions\":[{\"type\":"
                  "\"PodScheduled\",\"status\":\"False\",\"observedGeneration\":3,"
                  "\"lastTransitionTime\":\"2023-11-14T22:13:20Z\",\"reason\":\"Unschedulable\","
                  "\"message\":\"a \\\"b\\\"\"}],\"nominatedNodeName\":null}}" },
                { "nomination alone",
                  { .kind = ACTION_POD_STATUS,
                    .target = POD,
                    .status = { .sets_nomination = true, .nomination = SLICE_LITERAL("n2") } },
                  API_PATCH,
                  "/api/v1/namespaces/ns/pods/p/status",
                  "application/strategic-merge-patch+json",
                  "{\"metadata\":{\"uid\":\"u-1\"},\"status\":{\"nominatedNodeName\":\"n2\"}}" },
                { "victim of preemption",
                  { .kind = ACTION_POD_STATUS,
                    .target = POD,
                    .status = { .observed_generation = 2,
                                .changed = { 1700000000 * NS_PER_S },
                                .disruption = SLICE_LITERAL("make room") } },
                  API_PATCH,
                  "/api/v1/namespaces/ns/pods/p/status",
                  "application/strategic-merge-patch+json",
                  "{\"metadata\":{\"uid\":\"u-1\"},\"status\":{\"conditions\":[{\"type\":"
                  "\"DisruptionTarget\",\"status\":\"True\",\"observedGeneration\":2,"
                  "\"lastTransitionTime\":\"2023-11-14T22:13:20Z\",\"reason\":"
                  "\"PreemptionByScheduler\",\"message\":\"make room\"}]}}" },
        };

        (void)state;
        check_all(cases, ARRAY_LEN(cases));
}

static void removes_pods(void **state) {
        const struct request_case cases[] = {
                { "desched-106 grace 0, desched-110 annotations",
                  { .kind = ACTION_EVICT,
                    .target = POD,
                    .evict = { .plugin = SLICE_LITERAL("PodLifeTime"),
                               .profile = SLICE_LITERAL("prof"),
                               .requested_by = SLICE_LITERAL("me"),
                               .has_grace = true,
                               .grace_s = 0 } },
                  API_POST,
                  "/api/v1/namespaces/ns/pods/p/eviction",
                  "",
                  "{\"apiVersion\":\"policy/v1\",\"kind\":\"Eviction\",\"metadata\":{\"name\":"
                  "\"p\",\"namespace\":\"ns\",\"annotations\":{\"reason\":\"triggered by "
                  "prof/PodLifeTime: \",\"requested-by\":\"me\"}},\"deleteOptions\":{"
                  "\"gracePeriodSeconds\":0,\"preconditions\":{\"uid\":\"u-1\"}}}" },
                { "desched-106 no grace, by name alone as under parity",
                  { .kind = ACTION_EVICT,
                    .target = { SLICE_LITERAL("Pod"), SLICE_LITERAL("ns"), SLICE_LITERAL("p") },
                    .evict = { .plugin = SLICE_LITERAL("PodLifeTime"),
                               .profile = SLICE_LITERAL("prof"),
                               .reason = SLICE_LITERAL("old"),
                               .requested_by = SLICE_LITERAL("me") } },
                  API_POST,
                  "/api/v1/namespaces/ns/pods/p/eviction",
                  "",
                  "{\"apiVersion\":\"policy/v1\",\"kind\":\"Eviction\",\"metadata\":{\"name\":"
                  "\"p\",\"namespace\":\"ns\",\"annotations\":{\"reason\":\"triggered by "
                  "prof/PodLifeTime: old\",\"requested-by\":\"me\"}},\"deleteOptions\":{}}" },
                { "of a pod that finished",
                  { .kind = ACTION_EVICT,
                    .target = POD,
                    .evict = { .plugin = SLICE_LITERAL("drain"),
                               .profile = SLICE_LITERAL("me"),
                               .requested_by = SLICE_LITERAL("me"),
                               .is_finished = true } },
                  API_POST,
                  "/api/v1/namespaces/ns/pods/p/eviction",
                  "",
                  "{\"apiVersion\":\"policy/v1\",\"kind\":\"Eviction\",\"metadata\":{\"name\":"
                  "\"p\",\"namespace\":\"ns\",\"annotations\":{\"reason\":\"triggered by "
                  "me/drain: \",\"requested-by\":\"me\",\"lifecycle.berth.dev/finished-pod\":"
                  "\"true\"}},\"deleteOptions\":{\"preconditions\":{\"uid\":\"u-1\"}}}" },
                { "delete",
                  { .kind = ACTION_DELETE_POD, .target = POD },
                  API_DELETE,
                  "/api/v1/namespaces/ns/pods/p",
                  "",
                  "{\"preconditions\":{\"uid\":\"u-1\"}}" },
        };

        (void)state;
        check_all(cases, ARRAY_LEN(cases));
}

static void asks_for_evictions(void **state) {
        const struct request_case cases[] = {
                { "request",
                  { .kind = ACTION_CREATE_REQUEST,
                    .target = { SLICE_LITERAL("EvictionRequest"), SLICE_LITERAL("ns"),
                                SLICE_LITERAL("me-u-1"), SLICE_LITERAL("") },
                    .request = { .group = "lifecycle.berth.dev",
                                 .pod = POD,
                                 .requester = SLICE_LITERAL("me.berth.dev/x"),
                                 .label = SLICE_LITERAL("me"),
                                 .deadline = { 1767225600LL * NS_PER_S } } },
                  API_POST,
                  "/apis/lifecycle.berth.dev/v1alpha1/namespaces/ns/evictionrequests",
                  "",
                  "{\"apiVersion\":\"lifecycle.berth.dev/v1alpha1\",\"kind\":\"EvictionRequest\","
                  "\"metadata\":{\"name\":\"me-u-1\",\"labels\":{\"berth.dev/requested-by\":"
                  "\"me\"},\"annotations\":{\"lifecycle.berth.dev/deadline\":"
                  "\"2026-01-01T00:00:00Z\"}},\"spec\":{\"target\":{\"pod\":{\"name\":\"p\","
                  "\"uid\":\"u-1\"}},\"requester\":\"me.berth.dev/x\",\"intent\":\"Eviction\"}}" },
                { "request without deadline",
                  { .kind = ACTION_CREATE_REQUEST,
                    .target = { SLICE_LITERAL("EvictionRequest"), SLICE_LITERAL("ns"),
                                SLICE_LITERAL("cli-u-1"), SLICE_LITERAL("") },
                    .request = { .group = "lifecycle.k8s.io",
                                 .pod = POD,
                                 .requester = SLICE_LITERAL("me.berth.dev/x"),
                                 .label = SLICE_LITERAL("me"),
                                 .deadline = WALL_TIME_UNSET } },
                  API_POST,
                  "/apis/lifecycle.k8s.io/v1alpha1/namespaces/ns/evictionrequests",
                  "",
                  "{\"apiVersion\":\"lifecycle.k8s.io/v1alpha1\",\"kind\":\"EvictionRequest\","
                  "\"metadata\":{\"name\":\"cli-u-1\",\"labels\":{\"berth.dev/requested-by\":"
                  "\"me\"},\"annotations\":{}},\"spec\":{\"target\":{\"pod\":{\"name\":\"p\","
                  "\"uid\":\"u-1\"}},\"requester\":\"me.berth.dev/x\",\"intent\":\"Eviction\"}}" },
                { "request withdrawn",
                  { .kind = ACTION_WITHDRAW_REQUEST,
                    .target = { SLICE_LITERAL("EvictionRequest"), SLICE_LITERAL("ns"),
                                SLICE_LITERAL("me-u-1"), SLICE_LITERAL("") },
                    .request = { .group = "lifecycle.k8s.io" } },
                  API_DELETE,
                  "/apis/lifecycle.k8s.io/v1alpha1/namespaces/ns/evictionrequests/me-u-1",
                  "",
                  "" },
        };

        (void)state;
        check_all(cases, ARRAY_LEN(cases));
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(patches_objects),
                                            cmocka_unit_test(reports_placements),
                                            cmocka_unit_test(removes_pods),
                                            cmocka_unit_test(asks_for_evictions) };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
