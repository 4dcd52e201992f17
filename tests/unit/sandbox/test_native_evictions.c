/* The EvictionRequest API as the sandbox serves it natively: what of a status may follow what, by
 * the server's own clock; responders of pods; nothing of it when it is switched off. */
#include "base/util.h"
#include "port/virtual_loop.h"
#include "sandbox/native_evictions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define GROUP "/apis/lifecycle.k8s.io/v1alpha1/namespaces/default"
#define PODS "/api/v1/namespaces/default/pods"
#define UID "12345678-1234-4abc-8def-1234567890ab"
#define TARGET "\"target\":{\"pod\":{\"name\":\"p\",\"uid\":\"" UID "\"}}"
#define EVICTION                                                                                   \
        "{\"metadata\":{\"name\":\"e\"},\"spec\":{" TARGET                                         \
        "},\"status\":{\"observedGeneration\":1}}"

struct scene {
        struct virtual_loop *loop;
        struct native_evictions *native; /* NULL = off */
        struct api_server *server;
        char text[4096]; /* of the last answer */
};

static struct scene scene_new(bool is_on) {
        struct scene scene = { .loop = virtual_loop_new() };
        struct api_server_config config = { .seed = 1, .has_eviction_responders = is_on };

        if (is_on) {
                assert_int_equal(native_evictions_new(&scene.native, NULL), 0);
                config.definitions =
                        native_evictions_definitions(scene.native, &config.definition_count);
        }
        scene.server = api_server_new(&config, virtual_loop_get(scene.loop));
        return scene;
}

static void scene_free(struct scene *scene) {
        api_server_free(scene->server);
        native_evictions_free(scene->native);
        virtual_loop_free(scene->loop);
}

#define MERGE "application/merge-patch+json"
#define STRATEGIC "application/strategic-merge-patch+json"

static int ask_as(struct scene *scene, const char *method, const char *type, const char *path,
                  const char *body) {
        struct api_server_request request = {
                .method = slice_of(method),
                .target = slice_of(path),
                .content_type = slice_of(type),
                .body = slice_of(body),
                .user = &api_user_admin,
        };
        struct http_response response;
        int status;

        api_server_handle(scene->server, &request, &response);
        status = response.status;
        snprintf(scene->text, sizeof(scene->text), SLICE_FMT, SLICE_ARG(buf_view(&response.body)));
        http_response_release(&response);
        return status;
}

static int ask(struct scene *scene, const char *method, const char *path, const char *body) {
        return ask_as(scene, method, strcmp(method, "PATCH") == 0 ? MERGE : "application/json",
                      path, body);
}

/* ---- requests and pods ---- */

/* What is posted, and a part of the refusal; NULL = taken. */
static const struct {
        const char *name, *path, *body, *refusal;
} posts[] = {
        { "a request", GROUP "/evictionrequests",
          "{\"metadata\":{\"name\":\"r\"},\"spec\":{" TARGET
          ",\"requester\":\"acme.io/foo\",\"intent\":\"Eviction\"}}",
          NULL },
        { "of the core", GROUP "/evictionrequests",
          "{\"metadata\":{\"name\":\"r\"},\"spec\":{" TARGET
          ",\"requester\":\"x.k8s.io/foo\",\"intent\":\"Eviction\"}}",
          "spec.requester" },
        { "without intent", GROUP "/evictionrequests",
          "{\"metadata\":{\"name\":\"r\"},\"spec\":{" TARGET ",\"requester\":\"acme.io/foo\"}}",
          "spec.intent: Required value" },
        { "uid of capitals", GROUP "/evictionrequests",
          "{\"metadata\":{\"name\":\"r\"},\"spec\":{\"target\":{\"pod\":{\"name\":\"p\",\"uid\":"
          "\"12345678-1234-4ABC-8DEF-1234567890AB\"}},\"requester\":\"acme.io/foo\",\"intent\":"
          "\"Eviction\"}}",
          "spec.target.pod.uid" },
        { "evict-C11: eleven responders", PODS, "11", "must have at most 10 items" },
        { "ten responders", PODS, "10", NULL },
        { "evict-C11: one twice", PODS,
          "{\"name\":\"a.io/x\",\"priority\":1000},{\"name\":\"a.io/x\",\"priority\":1001}",
          "spec.evictionResponders[1]: Duplicate value" },
        { "evict-C11: priority 999", PODS, "{\"name\":\"a.io/x\",\"priority\":999}",
          "spec.evictionResponders[0].priority: Invalid value: 999" },
        { "evict-C11: of the core", PODS, "{\"name\":\"x.k8s.io/y\",\"priority\":1000}",
          "spec.evictionResponders[0].name: Invalid value: \\\"x.k8s.io/y\\\"" },
        { "priority 100001", PODS, "{\"name\":\"a.io/x\",\"priority\":100001}", "priority" },
        { "without priority", PODS, "{\"name\":\"a.io/x\"}", "priority: Required value" },
        { "without domain", PODS, "{\"name\":\"x\",\"priority\":1000}", "domain" },
};

static void write_pod(const char *responders, struct buf *out) {
        uint64_t count;

        buf_text(out, "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{\"name\":\"c\","
                      "\"image\":\"i\"}],\"evictionResponders\":[");
        if (slice_to_u64(slice_of(responders), &count))
                for (uint64_t i = 0; i < count; i++)
                        buf_printf(out, "%s{\"name\":\"a.io/x%d\",\"priority\":1000}", i ? "," : "",
                                   (int)i);
        else
                buf_text(out, responders);
        buf_text(out, "]}}");
}

static void test_posts(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(posts); i++) {
                struct scene scene = scene_new(true);
                struct buf body = { 0 };
                int status;

                if (strcmp(posts[i].path, PODS) == 0)
                        write_pod(posts[i].body, &body);
                else
                        buf_text(&body, posts[i].body);
                status = ask(&scene, "POST", posts[i].path, body.data);
                if (status != (posts[i].refusal ? 422 : 201) ||
                    (posts[i].refusal && !strstr(scene.text, posts[i].refusal)))
                        fail_msg("%s: %d %s", posts[i].name, status, scene.text);
                buf_release(&body);
                scene_free(&scene);
        }
}

static void test_fixed(void **state) {
        struct scene scene = scene_new(true);
        struct buf pod = { 0 };

        (void)state;
        assert_int_equal(ask(&scene, "POST", posts[0].path, posts[0].body), 201);
        assert_int_equal(ask(&scene, "PATCH", GROUP "/evictionrequests/r",
                             "{\"spec\":{\"requester\":\"acme.io/bar\"}}"),
                         422);
        assert_int_equal(ask(&scene, "PATCH", GROUP "/evictionrequests/r",
                             "{\"spec\":{\"target\":{\"pod\":{\"name\":\"q\"}}}}"),
                         422);
        assert_int_equal(ask(&scene, "PATCH", GROUP "/evictionrequests/r",
                             "{\"spec\":{\"intent\":\"Withdrawn\"}}"),
                         200);
        write_pod("{\"name\":\"a.io/x\",\"priority\":1000}", &pod);
        assert_int_equal(ask(&scene, "POST", PODS, pod.data), 201);
        assert_non_null(strstr(scene.text, "a.io/x"));
        assert_int_equal(ask(&scene, "PATCH", PODS "/p",
                             "{\"spec\":{\"evictionResponders\":[{\"name\":\"b.io/x\",\"priority\":"
                             "1000}]}}"),
                         422);
        buf_release(&pod);
        scene_free(&scene);
}

static void test_off(void **state) {
        struct scene scene = scene_new(false);
        struct buf pod = { 0 };

        (void)state;
        assert_int_equal(ask(&scene, "GET", GROUP "/evictions", NULL), 404);
        write_pod("{\"name\":\"a.io/x\",\"priority\":1000}", &pod);
        assert_int_equal(ask(&scene, "POST", PODS, pod.data), 201);
        assert_null(strstr(scene.text, "\"evictionResponders"));
        buf_release(&pod);
        scene_free(&scene);
}

/* ---- status ---- */

#define STATES(a, b)                                                                               \
        "\"targetResponders\":[{\"name\":\"a.io/x\",\"priority\":5000,\"state\":\"" a "\"},{"      \
        "\"name\":\"imperative-eviction.k8s.io/evictor\",\"priority\":100,\"state\":\"" b "\"}]"
#define REPORTS(a, b)                                                                              \
        "\"responders\":[{\"name\":\"a.io/x\"" a "},{\"name\":"                                    \
        "\"imperative-eviction.k8s.io/evictor\"" b "}]"
#define AT(member, time) ",\"" member "\":\"2026-01-01T00:" time "Z\""
#define CONDITION(type, status, reason)                                                            \
        "{\"type\":\"" type "\",\"status\":\"" status "\",\"reason\":\"" reason                    \
        "\",\"lastTransitionTime\":\"2026-01-01T00:00:00Z\"}"
#define AWAITING                                                                                   \
        "\"conditions\":[" CONDITION("Failed", "False", "AwaitingEviction") "," CONDITION(         \
                "TargetEvicted", "False", "AwaitingEviction") "],"
#define CANCELED                                                                                   \
        "\"conditions\":[" CONDITION("Failed", "True", "CanceledDueToNoRequesters") "," CONDITION( \
                "TargetEvicted", "False", "EvictionFailed") "],"
#define STATUS(more) "{\"status\":{\"observedGeneration\":1," more "}}"
#define STARTED AT("startTime", "00:00")
#define BEAT(time) STARTED AT("heartbeatTime", time)
#define FIRST STATUS(AWAITING STATES("Active", "Inactive") "," REPORTS(STARTED, ""))

/* A first status (NULL: the usual one), so many seconds, then a second one; a part of the refusal
 * of the last one, NULL = taken. */
static const struct {
        const char *name, *first;
        int64_t seconds;
        const char *second, *refusal;
} statuses[] = {
        { "the highest begins", FIRST, 0, NULL, NULL },
        { "nobody begins", STATUS(AWAITING STATES("Inactive", "Inactive") "," REPORTS("", "")), 0,
          NULL, "wrong state at the start" },
        { "nobody begins what is over",
          STATUS(CANCELED STATES("Inactive", "Inactive") "," REPORTS("", "")), 0, NULL, NULL },
        { "the second begins",
          STATUS(AWAITING STATES("Inactive", "Active") "," REPORTS("", STARTED)), 0, NULL,
          "wrong state at the start" },
        { "without a start", STATUS(AWAITING STATES("Active", "Inactive") "," REPORTS("", "")), 0,
          NULL, "Active without startTime" },
        { "started a minute ahead",
          STATUS(AWAITING STATES("Active", "Inactive") "," REPORTS(AT("startTime", "01:00"), "")),
          0, NULL, "startTime is set once" },
        { "evict-D1: completed, the next takes over", NULL, 60,
          STATUS(STATES("Completed", "Active") "," REPORTS(STARTED AT("completionTime", "01:00"),
                                                           AT("startTime", "01:00"))),
          NULL },
        { "nobody takes over", NULL, 60,
          STATUS(STATES("Completed", "Inactive") "," REPORTS(STARTED AT("completionTime", "01:00"),
                                                             "")),
          "no responder is Active after it" },
        { "evict-D3: completed without completionTime", NULL, 60,
          STATUS(STATES("Completed", "Active") "," REPORTS(STARTED, AT("startTime", "01:00"))),
          "Completed without completionTime" },
        { "evict-D3: interrupted after 19 minutes", NULL, 19 * 60,
          STATUS(STATES("Interrupted", "Active") "," REPORTS(STARTED, AT("startTime", "19:00"))),
          "ended before it fell silent" },
        { "interrupted after 20 minutes", NULL, 20 * 60,
          STATUS(STATES("Interrupted", "Active") "," REPORTS(STARTED, AT("startTime", "20:00"))),
          NULL },
        { "canceled by the way", NULL, 60,
          STATUS(CANCELED STATES("Canceled", "Inactive") "," REPORTS(STARTED, "")), NULL },
        { "canceled, and Active", NULL, 60,
          STATUS(CANCELED STATES("Active", "Inactive") "," REPORTS(STARTED, "")),
          "final while a responder is Active" },
        { "canceled, and the next begins", NULL, 60,
          STATUS(CANCELED STATES("Canceled", "Active") "," REPORTS(STARTED,
                                                                   AT("startTime", "01:00"))),
          "final while a responder is Active" },
        { "evict-D4: a heartbeat of 31 s ago", NULL, 60, STATUS(REPORTS(BEAT("00:29"), "")),
          "heartbeatTime is not now" },
        { "evict-D4: a heartbeat of 30 s ago", NULL, 60, STATUS(REPORTS(BEAT("00:30"), "")), NULL },
        { "evict-D4: a heartbeat 31 s ahead", NULL, 60, STATUS(REPORTS(BEAT("01:31"), "")),
          "heartbeatTime is not now" },
        { "evict-D4: a heartbeat that goes back",
          STATUS(AWAITING STATES("Active", "Inactive") "," REPORTS(BEAT("00:20"), "")), 30,
          STATUS(REPORTS(BEAT("00:10"), "")), "heartbeatTime cannot go back" },
        { "evict-D4: a heartbeat that is gone",
          STATUS(AWAITING STATES("Active", "Inactive") "," REPORTS(BEAT("00:00"), "")), 30,
          STATUS(REPORTS(STARTED, "")), "heartbeatTime cannot go back or be removed" },
        { "another start", NULL, 20, STATUS(REPORTS(AT("startTime", "00:10"), "")),
          "startTime is set once" },
        { "a report while Inactive", NULL, 20, STATUS(REPORTS(STARTED, ",\"message\":\"me too\"")),
          "only the Active responder" },
        { "another name", NULL, 20,
          STATUS("\"targetResponders\":[{\"name\":\"b.io/"
                 "x\",\"priority\":5000,\"state\":\"Active\"}]"),
          "set once" },
        { "two at once", NULL, 20,
          STATUS(STATES("Active", "Active") "," REPORTS(STARTED, AT("startTime", "00:20"))),
          "at most one responder may be Active" },
        { "the end expected in eleven years", NULL, 20,
          STATUS(REPORTS(STARTED ",\"expectedCompletionTime\":\"2037-01-01T00:00:00Z\"", "")),
          "expectedCompletionTime is out of range" },
};

static int set_status(struct scene *scene, const char *body) {
        return ask(scene, "PATCH", GROUP "/evictions/e/status", body);
}

static void test_statuses(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(statuses); i++) {
                struct scene scene = scene_new(true);
                const char *first = statuses[i].first ? statuses[i].first : FIRST;
                int status;

                assert_int_equal(ask(&scene, "POST", GROUP "/evictions", EVICTION), 201);
                assert_null(strstr(scene.text, "\"status\":{")); /* not by that way */
                status = set_status(&scene, first);
                if (statuses[i].second && status != 200)
                        fail_msg("%s: %s", statuses[i].name, scene.text);
                virtual_loop_advance(scene.loop, statuses[i].seconds * NS_PER_S);
                if (statuses[i].second)
                        status = set_status(&scene, statuses[i].second);
                if (status != (statuses[i].refusal ? 422 : 200) ||
                    (statuses[i].refusal && !strstr(scene.text, statuses[i].refusal)))
                        fail_msg("%s: %d %s", statuses[i].name, status, scene.text);
                scene_free(&scene);
        }
}

/* ---- strategic merge patches ---- */

#define BY(a, b)                                                                                   \
        "\"requesters\":[{\"name\":\"a.io/one\",\"intent\":\"" a "\"},"                            \
        "{\"name\":\"b.io/two\",\"intent\":\"" b "\"}"

/* A patch of an Eviction with two responders and requesters, and a part of what is there then, or
 * of the refusal. */
static const struct {
        const char *name, *path, *body;
        int status;
        const char *expect;
} strategic[] = {
        { "one responder's report", "/status",
          "{\"status\":{\"responders\":[{\"name\":\"a.io/x\",\"message\":\"half way\"}]}}", 200,
          "{\"name\":\"a.io/x\",\"startTime\":\"2026-01-01T00:00:00Z\",\"message\":\"half way\"},{"
          "\"name\":\"imperative-eviction.k8s.io/evictor\"}" },
        { "one requester", "/status",
          "{\"status\":{\"requesters\":[{\"name\":\"b.io/two\",\"intent\":\"Withdrawn\"}]}}", 200,
          BY("Eviction", "Withdrawn") "]" },
        { "another requester", "/status",
          "{\"status\":{\"requesters\":[{\"name\":\"c.io/three\",\"intent\":\"Eviction\"}]}}", 200,
          "\"requesters\":[{\"name\":\"c.io/three\",\"intent\":\"Eviction\"},{\"name\":\"a.io/"
          "one\"" },
        { "a requester less", "/status",
          "{\"status\":{\"requesters\":[{\"$patch\":\"delete\",\"name\":\"a.io/one\"}]}}", 200,
          "\"requesters\":[{\"name\":\"b.io/two\",\"intent\":\"Eviction\"}]" },
        { "one condition", "/status",
          "{\"status\":{\"conditions\":[{\"type\":\"Failed\",\"message\":\"not yet\"}]}}", 200,
          "\"message\":\"not yet\"},{\"type\":\"TargetEvicted\",\"status\":\"False\"" },
        { "the state of one responder", "/status",
          "{\"status\":{\"targetResponders\":[{\"name\":\"imperative-eviction.k8s.io/evictor\","
          "\"state\":\"Active\"}]}}",
          422, "at most one responder may be Active" },
        { "without its key", "/status", "{\"status\":{\"responders\":[{\"message\":\"m\"}]}}", 500,
          "does not contain declared merge key: name" },
        { "labels and finalizers", "",
          "{\"metadata\":{\"labels\":{\"a.io/one\":\"requester\"},\"finalizers\":[\"a.io/hold\"]}}",
          200, "\"finalizers\":[\"a.io/hold\",\"z.io/hold\"]" },
        { "a fixed field", "", "{\"spec\":{\"target\":{\"pod\":{\"name\":\"q\"}}}}", 422, "spec" },
};

static void test_strategic(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(strategic); i++) {
                struct scene scene = scene_new(true);
                char path[200];
                int status;

                assert_int_equal(ask(&scene, "POST", GROUP "/evictions", EVICTION), 201);
                assert_int_equal(ask(&scene, "PATCH", GROUP "/evictions/e",
                                     "{\"metadata\":{\"finalizers\":[\"z.io/hold\"]}}"),
                                 200);
                assert_int_equal(
                        set_status(&scene, STATUS(AWAITING BY("Eviction", "Eviction") "]," STATES(
                                                   "Active", "Inactive") "," REPORTS(STARTED, ""))),
                        200);
                snprintf(path, sizeof(path), GROUP "/evictions/e%s", strategic[i].path);
                status = ask_as(&scene, "PATCH", STRATEGIC, path, strategic[i].body);
                if (status != strategic[i].status || !strstr(scene.text, strategic[i].expect))
                        fail_msg("%s: %d %s", strategic[i].name, status, scene.text);
                scene_free(&scene);
        }
}

/* Requests too; what a definition of somebody's own declares takes other patches only. */
static void test_strategic_request(void **state) {
        struct scene scene = scene_new(true);

        (void)state;
        assert_int_equal(ask(&scene, "POST", posts[0].path, posts[0].body), 201);
        assert_int_equal(ask_as(&scene, "PATCH", STRATEGIC, GROUP "/evictionrequests/r",
                                "{\"spec\":{\"intent\":\"Withdrawn\"}}"),
                         200);
        assert_non_null(strstr(scene.text, "\"intent\":\"Withdrawn\""));
        assert_non_null(strstr(scene.text, "\"requester\":\"acme.io/foo\""));
        assert_int_equal(
                ask(&scene, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                    "{\"metadata\":{\"name\":\"xs.a.io\"},\"spec\":{\"group\":\"a.io\",\"scope\":"
                    "\"Namespaced\",\"names\":{\"plural\":\"xs\",\"kind\":\"X\"},\"versions\":[{"
                    "\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{"
                    "\"openAPIV3Schema\":{\"type\":\"object\"}}}]}}"),
                201);
        assert_int_equal(ask(&scene, "POST", "/apis/a.io/v1/namespaces/default/xs",
                             "{\"apiVersion\":\"a.io/v1\",\"kind\":\"X\",\"metadata\":{\"name\":"
                             "\"x\"}}"),
                         201);
        assert_int_equal(
                ask_as(&scene, "PATCH", STRATEGIC, "/apis/a.io/v1/namespaces/default/xs/x", "{}"),
                415);
        scene_free(&scene);
}

#define NAMED(title, test)                                                                         \
        { title, test, NULL, NULL, NULL }

int main(void) {
        const struct CMUnitTest tests[] = {
                NAMED("evict-C11: requests and responders of pods", test_posts),
                NAMED("evict-C12: fixed once made", test_fixed),
                cmocka_unit_test(test_off),
                NAMED("evict-D1 evict-D3 evict-D4: what may follow what", test_statuses),
                cmocka_unit_test(test_strategic),
                cmocka_unit_test(test_strategic_request),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
