/* Admission webhooks: who is asked about what, what their answers do, and requests that wait. The
 * caller is a fake that keeps the reviews until the test answers them. */
#include "base/base64.h"
#include "fake_server.h"

#define CALLS_MAX 8
#define PODS "/api/v1/namespaces/default/pods"
#define POD                                                                                        \
        "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":"      \
        "\"i\"}]}}"
#define MAPS "/api/v1/namespaces/default/configmaps"
#define EVICTION                                                                                   \
        "{\"apiVersion\":\"policy/v1\",\"kind\":\"Eviction\",\"metadata\":{\"name\":\"p\"}}"
#define GROUP "/apis/admissionregistration.k8s.io/v1/"

struct webhook_request {
        struct json_doc *review;
        char *url;
        void (*done)(void *context, const struct api_reply *reply);
        void *context;
        bool is_cancelled;
};

struct scene {
        struct fixture f;
        struct webhook_request calls[CALLS_MAX];
        size_t call_count;
        int ready;
        struct api_pending *pending;
        struct http_response response;
};

static struct webhook_request *fake_call(void *self, const struct webhook_call *call,
                                         void (*done)(void *context, const struct api_reply *reply),
                                         void *context) {
        struct scene *scene = self;
        struct webhook_request *request = &scene->calls[scene->call_count++];

        assert_true(scene->call_count < CALLS_MAX);
        assert_int_equal(json_parse(call->body, &request->review, NULL), 0);
        request->url = slice_dup(slice_of(call->url));
        request->done = done;
        request->context = context;
        return request;
}

static void fake_cancel(void *self, struct webhook_request *request) {
        (void)self;
        request->is_cancelled = true;
}

static void on_ready(void *context) {
        ((struct scene *)context)->ready++;
}

static struct scene *scene_new(void) {
        struct scene *scene = xcalloc(1, sizeof(*scene));
        struct webhook_caller caller = { fake_call, fake_cancel, scene };

        scene->f.fake = virtual_loop_new();
        scene->f.server =
                api_server_new(&(struct api_server_config){ .seed = 1, .webhooks = &caller },
                               virtual_loop_get(scene->f.fake));
        return scene;
}

static void forget_calls(struct scene *scene) {
        for (size_t i = 0; i < scene->call_count; i++) {
                json_doc_free(scene->calls[i].review);
                free(scene->calls[i].url);
        }
        scene->call_count = 0;
}

static void scene_free(struct scene *scene) {
        forget_calls(scene);
        http_response_release(&scene->response);
        fixture_free(&scene->f);
        free(scene);
}

/* One webhook of a configuration; rules, policy and the rest as JSON members behind them. */
static void add(struct scene *scene, const char *kind, const char *name, const char *resources,
                const char *more) {
        char path[200], body[1200];

        snprintf(path, sizeof(path), GROUP "%s", kind);
        snprintf(body, sizeof(body),
                 "{\"metadata\":{\"name\":\"%s\"},\"webhooks\":[{\"name\":\"%s.example.com\","
                 "\"clientConfig\":{\"url\":\"https://127.0.0.1:1/%s\"},\"sideEffects\":\"None\","
                 "\"admissionReviewVersions\":[\"v1\"],\"rules\":[{\"operations\":[\"*\"],"
                 "\"apiGroups\":[\"\"],\"apiVersions\":[\"v1\"],\"resources\":[%s]}]%s}]}",
                 name, name, name, resources, more);
        assert_int_equal(ask(&scene->f, "POST", path, body), 201);
}
#define VALIDATING "validatingwebhookconfigurations"
#define MUTATING "mutatingwebhookconfigurations"

/* Status of the answer, 0 while the request waits. */
static int begin(struct scene *scene, const char *method, const char *path, const char *body) {
        forget_calls(scene);
        http_response_release(&scene->response);
        scene->ready = 0;
        scene->pending = api_server_begin(
                scene->f.server,
                &(struct api_server_request){ .method = slice_of(method),
                                              .target = slice_of(path),
                                              .body = slice_of(body),
                                              .user_agent = SLICE_LITERAL("test/1"),
                                              .user = &api_user_admin },
                &scene->response, on_ready, scene);
        return scene->pending ? 0 : scene->response.status;
}

static int resume(struct scene *scene) {
        scene->pending = api_pending_resume(scene->pending, &scene->response);
        return scene->pending ? 0 : scene->response.status;
}

/* Answers with a response object without its uid: "allowed":true,... */
static void answer_call(struct scene *scene, size_t index, const char *members) {
        struct webhook_request *call = &scene->calls[index];
        struct slice uid = json_get_text(json_get(json_doc_root(call->review), "request"), "uid");
        char body[1200];
        struct api_reply reply = { .status = 200, .retry_after_s = -1 };

        snprintf(body, sizeof(body),
                 "{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\","
                 "\"response\":{\"uid\":\"" SLICE_FMT "\",%s}}",
                 SLICE_ARG(uid), members);
        reply.body = slice_of(body);
        call->done(call->context, &reply);
}

static void fail_call(struct scene *scene, size_t index) {
        struct webhook_request *call = &scene->calls[index];
        struct api_reply reply = { .retry_after_s = -1 };

        err_set(&reply.error, BERTH_ERR_TIMEOUT, "timed out");
        call->done(call->context, &reply);
}

static bool says(const struct scene *scene, const char *text) {
        return slice_contains(buf_view(&scene->response.body), slice_of(text));
}

static const char *asked(const struct scene *scene, size_t index, const char *key) {
        static char text[200];
        const struct json *request = json_get(json_doc_root(scene->calls[index].review), "request");

        snprintf(text, sizeof(text), SLICE_FMT, SLICE_ARG(json_get_text(request, key)));
        return text;
}

/* As KubeVirt's: the eviction starts something else and is refused with 429. */
static void test_eviction_denied(void **state) {
        struct scene *scene = scene_new();

        (void)state;
        assert_int_equal(ask(&scene->f, "POST", PODS, POD), 201);
        add(scene, VALIDATING, "evict", "\"pods/eviction\"", "");
        assert_int_equal(begin(scene, "POST", PODS "/p/eviction", EVICTION), 0);
        assert_int_equal(scene->call_count, 1);
        assert_string_equal(scene->calls[0].url, "https://127.0.0.1:1/evict?timeout=10s");
        assert_string_equal(asked(scene, 0, "operation"), "CREATE");
        assert_string_equal(asked(scene, 0, "subResource"), "eviction");
        assert_string_equal(asked(scene, 0, "name"), "p");
        assert_string_equal(asked(scene, 0, "namespace"), "default");
        answer_call(scene, 0,
                    "\"allowed\":false,\"status\":{\"code\":429,\"reason\":\"TooManyRequests\","
                    "\"message\":\"Eviction triggered evacuation of VMI\"}");
        assert_int_equal(scene->ready, 1);
        assert_int_equal(resume(scene), 429);
        assert_true(says(scene, "admission webhook \\\"evict.example.com\\\" denied the request: "
                                "Eviction triggered evacuation of VMI"));
        assert_int_equal(ask(&scene->f, "GET", PODS "/p", NULL), 200);
        scene_free(scene);
}

static void test_eviction_allowed(void **state) {
        struct scene *scene = scene_new();

        (void)state;
        assert_int_equal(ask(&scene->f, "POST", PODS, POD), 201);
        add(scene, VALIDATING, "evict", "\"pods/eviction\"", "");
        assert_int_equal(begin(scene, "POST", PODS "/p/eviction", EVICTION), 0);
        answer_call(scene, 0, "\"allowed\":true,\"warnings\":[\"careful\"]");
        assert_int_equal(resume(scene), 201);
        assert_string_equal(scene->response.headers[0].value, "299 - \"careful\"");
        assert_int_equal(ask(&scene->f, "GET", PODS "/p", NULL), 404);
        scene_free(scene);
}

static void test_failure_policy(void **state) {
        static const struct {
                const char *more;
                int status;
        } rows[] = { { "", 500 }, { ",\"failurePolicy\":\"Ignore\"", 201 } };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
                struct scene *scene = scene_new();

                add(scene, VALIDATING, "v", "\"configmaps\"", rows[i].more);
                assert_int_equal(begin(scene, "POST", MAPS, "{\"metadata\":{\"name\":\"c\"}}"), 0);
                fail_call(scene, 0);
                assert_int_equal(resume(scene), rows[i].status);
                assert_int_equal(says(scene, "failed calling webhook \\\"v.example.com\\\": failed "
                                             "to call webhook: timed out"),
                                 rows[i].status == 500);
                scene_free(scene);
        }
}

static void test_wrong_answers(void **state) {
        static const char *const members[] = { "\"allowed\":true,\"uid\":\"x\"", "\"allowed\":0",
                                               "\"x\":1" };
        static const int statuses[] = { 500, 400, 400 };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(members); i++) {
                struct scene *scene = scene_new();

                add(scene, VALIDATING, "v", "\"configmaps\"", "");
                assert_int_equal(begin(scene, "POST", MAPS, "{\"metadata\":{\"name\":\"c\"}}"), 0);
                answer_call(scene, 0, members[i]);
                assert_int_equal(resume(scene), statuses[i]);
                scene_free(scene);
        }
}

/* Two mutating webhooks: the second sees what the first did; then the validating one. */
static void test_mutating(void **state) {
        struct scene *scene = scene_new();
        struct buf first = { 0 }, second = { 0 };
        char text[300];
        char uid[200];

        (void)state;
        base64_encode(
                SLICE_LITERAL("[{\"op\":\"add\",\"path\":\"/data\",\"value\":{\"a\":\"1\"}}]"),
                BASE64_STANDARD, &first);
        base64_encode(SLICE_LITERAL("[{\"op\":\"add\",\"path\":\"/data/b\",\"value\":\"2\"}]"),
                      BASE64_STANDARD, &second);
        add(scene, MUTATING, "m1", "\"configmaps\"", "");
        add(scene, MUTATING, "m2", "\"*\"", "");
        add(scene, VALIDATING, "v", "\"*/*\"", "");
        assert_int_equal(begin(scene, "POST", MAPS, "{\"metadata\":{\"generateName\":\"c-\"}}"), 0);
        assert_int_equal(scene->call_count, 1);
        snprintf(uid, sizeof(uid), "%s", asked(scene, 0, "name"));
        snprintf(text, sizeof(text),
                 "\"allowed\":true,\"patchType\":\"JSONPatch\",\"patch\":\"%s\"", first.data);
        answer_call(scene, 0, text);
        assert_int_equal(resume(scene), 0);
        assert_int_equal(scene->call_count, 2);
        snprintf(text, sizeof(text),
                 "\"allowed\":true,\"patchType\":\"JSONPatch\",\"patch\":\"%s\"", second.data);
        answer_call(scene, 1, text);
        assert_int_equal(resume(scene), 0);
        assert_int_equal(scene->call_count, 3);
        assert_string_equal(asked(scene, 2, "name"), uid); /* the same all along */
        answer_call(scene, 2, "\"allowed\":true");
        assert_int_equal(resume(scene), 201);
        assert_true(says(scene, "\"data\":{\"a\":\"1\",\"b\":\"2\"}"));
        assert_true(says(scene, uid));
        buf_release(&first);
        buf_release(&second);
        scene_free(scene);
}

/* Validating webhooks are asked together. */
static void test_parallel(void **state) {
        struct scene *scene = scene_new();

        (void)state;
        add(scene, VALIDATING, "a", "\"configmaps\"", "");
        add(scene, VALIDATING, "b", "\"configmaps\"", "");
        assert_int_equal(begin(scene, "POST", MAPS, "{\"metadata\":{\"name\":\"c\"}}"), 0);
        assert_int_equal(scene->call_count, 2);
        answer_call(scene, 1, "\"allowed\":true");
        assert_int_equal(scene->ready, 0);
        answer_call(scene, 0, "\"allowed\":false");
        assert_int_equal(scene->ready, 1);
        assert_int_equal(resume(scene), 400);
        assert_true(says(scene, "denied the request without explanation"));
        scene_free(scene);
}

static void test_not_asked(void **state) {
        struct scene *scene = scene_new();

        (void)state;
        add(scene, VALIDATING, "ns", "\"configmaps\"",
            ",\"namespaceSelector\":{\"matchLabels\":{\"a\":\"b\"}}");
        add(scene, VALIDATING, "object", "\"configmaps\"",
            ",\"objectSelector\":{\"matchLabels\":{\"a\":\"b\"}}");
        add(scene, VALIDATING, "plain", "\"secrets\",\"configmaps/status\"", "");
        assert_int_equal(begin(scene, "POST", MAPS, "{\"metadata\":{\"name\":\"c\"}}"), 201);
        assert_int_equal(begin(scene, "GET", MAPS "/c", ""), 200);
        assert_int_equal(begin(scene, "POST", MAPS,
                               "{\"metadata\":{\"name\":\"d\",\"labels\":{\"a\":\"b\"}}}"),
                         0);
        assert_int_equal(scene->call_count, 1);
        api_pending_cancel(scene->pending);
        assert_true(scene->calls[0].is_cancelled);
        scene_free(scene);
}

static void test_delete_and_update(void **state) {
        struct scene *scene = scene_new();

        (void)state;
        assert_int_equal(ask(&scene->f, "POST", MAPS, "{\"metadata\":{\"name\":\"c\"}}"), 201);
        add(scene, VALIDATING, "v", "\"configmaps\"", "");
        assert_int_equal(begin(scene, "PUT", MAPS "/c",
                               "{\"metadata\":{\"name\":\"c\"},\"data\":{\"a\":\"b\"}}"),
                         0);
        assert_string_equal(asked(scene, 0, "operation"), "UPDATE");
        answer_call(scene, 0, "\"allowed\":true");
        assert_int_equal(resume(scene), 200);
        assert_int_equal(begin(scene, "DELETE", MAPS, ""), 0);
        assert_string_equal(asked(scene, 0, "operation"), "DELETE");
        answer_call(scene, 0,
                    "\"allowed\":false,\"status\":{\"code\":403,\"reason\":\"Forbidden\"}");
        assert_int_equal(resume(scene), 403);
        assert_int_equal(begin(scene, "DELETE", MAPS "/c", ""), 0);
        answer_call(scene, 0, "\"allowed\":true");
        assert_int_equal(resume(scene), 200);
        assert_int_equal(ask(&scene->f, "GET", MAPS "/c", NULL), 404);
        scene_free(scene);
}

/* Conditions are expressions over the write: one that is false keeps the webhook out. */
static void test_conditions(void **state) {
        static const struct {
                const char *more;
                int status; /* 0 = the webhook is asked */
                const char *message;
        } cases[] = {
                { "{\"name\":\"a\",\"expression\":\"object.data.k == 'v'\"}", 0, NULL },
                { "{\"name\":\"a\",\"expression\":\"object.data.k == 'w'\"}", 201, NULL },
                { "{\"name\":\"a\",\"expression\":\"object.data.z == 'w'\"}", 403,
                  "configmaps \"m\" is forbidden: expression 'object.data.z == 'w'' resulted in "
                  "error: no such key: z" },
                { "{\"name\":\"a\",\"expression\":\"authorizer.requestResource.check('create')."
                  "allowed()\"}",
                  0, NULL },
        };
        static const char *const kinds[] = { VALIDATING, MUTATING };

        (void)state;
        for (size_t i = 0; i < 2 * ARRAY_LEN(cases); i++) {
                struct scene *scene = scene_new();
                char more[300];

                snprintf(more, sizeof(more), ",\"matchConditions\":[%s]", cases[i / 2].more);
                add(scene, kinds[i % 2], "a", "\"configmaps\"", more);
                assert_int_equal(begin(scene, "POST", MAPS,
                                       "{\"metadata\":{\"name\":\"m\"},\"data\":{\"k\":\"v\"}}"),
                                 cases[i / 2].status);
                assert_int_equal(scene->call_count, cases[i / 2].status == 0);
                if (cases[i / 2].message)
                        assert_non_null(
                                strstr(scene->response.body.data, "is forbidden: expression"));
                if (scene->pending) {
                        api_pending_cancel(scene->pending);
                        scene->pending = NULL;
                }
                scene_free(scene);
        }
}

/* A webhook about v2 sees a v2 object, and its patch is one of that. */
static void test_versions(void **state) {
        struct scene *scene = scene_new();
        struct buf patch = { 0 };
        char text[300];

        (void)state;
        assert_int_equal(
                ask(&scene->f, "POST", GROUP MUTATING,
                    "{\"metadata\":{\"name\":\"a\"},\"webhooks\":[{\"name\":\"a.example.com\","
                    "\"clientConfig\":{\"url\":\"https://127.0.0.1:1/a\"},\"sideEffects\":\"None\","
                    "\"admissionReviewVersions\":[\"v1\"],\"rules\":[{\"operations\":[\"*\"],"
                    "\"apiGroups\":[\"autoscaling\"],\"apiVersions\":[\"v2\"],\"resources\":["
                    "\"horizontalpodautoscalers\"]}]}]}"),
                201);
        assert_int_equal(begin(scene, "POST",
                               "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers",
                               "{\"metadata\":{\"name\":\"h\"},\"spec\":{\"maxReplicas\":3,"
                               "\"targetCPUUtilizationPercentage\":50,\"scaleTargetRef\":{\"kind\":"
                               "\"Deployment\",\"name\":\"d\",\"apiVersion\":\"apps/v1\"}}}"),
                         0);
        assert_int_equal(scene->call_count, 1);
        const struct json *request = json_get(json_doc_root(scene->calls[0].review), "request");
        assert_true(slice_is(json_get_text(json_get(request, "kind"), "version"), "v2"));
        assert_true(slice_is(json_get_text(json_get(request, "requestKind"), "version"), "v1"));
        assert_true(slice_is(json_get_text(json_get(request, "object"), "apiVersion"),
                             "autoscaling/v2"));
        assert_int_equal(
                json_count(json_get(json_get(json_get(request, "object"), "spec"), "metrics")), 1);
        base64_encode(SLICE_LITERAL("[{\"op\":\"replace\",\"path\":\"/spec/metrics/0/resource/"
                                    "target/averageUtilization\",\"value\":60}]"),
                      BASE64_STANDARD, &patch);
        snprintf(text, sizeof(text),
                 "\"allowed\":true,\"patchType\":\"JSONPatch\",\"patch\":\"%s\"", patch.data);
        answer_call(scene, 0, text);
        assert_int_equal(resume(scene), 201);
        assert_true(says(scene, "\"targetCPUUtilizationPercentage\":60"));
        buf_release(&patch);
        scene_free(scene);
}

static void test_dry_run(void **state) {
        struct scene *scene = scene_new();

        (void)state;
        add(scene, VALIDATING, "v", "\"configmaps\"", "");
        assert_int_equal(
                begin(scene, "POST", MAPS "?dryRun=All", "{\"metadata\":{\"name\":\"c\"}}"), 0);
        assert_true(json_get_bool(json_get(json_doc_root(scene->calls[0].review), "request"),
                                  "dryRun", false));
        answer_call(scene, 0, "\"allowed\":true");
        assert_int_equal(resume(scene), 201);
        assert_int_equal(ask(&scene->f, "GET", MAPS "/c", NULL), 404);
        scene_free(scene);
}

static const char service[] =
        "{\"metadata\":{\"name\":\"s\"},\"webhooks\":[{\"name\":\"s.example.com\","
        "\"clientConfig\":{\"service\":{\"namespace\":\"default\",\"name\":\"hook\","
        "\"path\":\"/x\"}},\"sideEffects\":\"None\",\"admissionReviewVersions\":[\"v1\"],"
        "\"rules\":[{\"operations\":[\"CREATE\"],\"apiGroups\":[\"\"],\"apiVersions\":["
        "\"v1\"],\"resources\":[\"secrets\"]}]}]}";

/* Some Services lead to the name that they have, at the webhook's port. */
static void test_external_service(void **state) {
        struct scene *scene = scene_new();

        (void)state;
        assert_int_equal(ask(&scene->f, "POST", GROUP VALIDATING, service), 201);
        assert_int_equal(ask(&scene->f, "POST", "/api/v1/namespaces/default/services",
                             "{\"metadata\":{\"name\":\"hook\"},\"spec\":{\"type\":"
                             "\"ExternalName\",\"externalName\":\"localhost\"}}"),
                         201);
        assert_int_equal(begin(scene, "POST", "/api/v1/namespaces/default/secrets",
                               "{\"metadata\":{\"name\":\"a\"}}"),
                         0);
        assert_string_equal(scene->calls[0].url, "https://localhost:443/x?timeout=10s");
        api_pending_cancel(scene->pending);
        scene_free(scene);
}

/* Services lead to the first address of their Endpoints. */
static void test_service(void **state) {
        struct scene *scene = scene_new();

        (void)state;
        assert_int_equal(ask(&scene->f, "POST", GROUP VALIDATING, service), 201);
        assert_int_equal(begin(scene, "POST", "/api/v1/namespaces/default/secrets",
                               "{\"metadata\":{\"name\":\"a\"}}"),
                         500);
        assert_true(says(scene, "its service has no endpoints"));
        assert_int_equal(ask(&scene->f, "POST", "/api/v1/namespaces/default/endpoints",
                             "{\"metadata\":{\"name\":\"hook\"},\"subsets\":[{\"addresses\":[{"
                             "\"ip\":\"10.0.0.1\"}],\"ports\":[{\"port\":8443}]}]}"),
                         201);
        assert_int_equal(begin(scene, "POST", "/api/v1/namespaces/default/secrets",
                               "{\"metadata\":{\"name\":\"a\"}}"),
                         0);
        assert_string_equal(scene->calls[0].url, "https://10.0.0.1:8443/x?timeout=10s");
        api_pending_cancel(scene->pending);
        scene_free(scene);
}

/* Reads of the future wait for it, but not for long. */
static void test_future(void **state) {
        struct scene *scene = scene_new();
        char path[80];
        uint64_t next;

        (void)state;
        for (int i = 0; i < 2; i++) {
                next = store_next_revision(api_server_store(scene->f.server));
                snprintf(path, sizeof(path), MAPS "?limit=5&resourceVersion=%llu",
                         (unsigned long long)next);
                assert_int_equal(begin(scene, "GET", path, ""), 0);
                virtual_loop_advance(scene->f.fake, 2 * NS_PER_S);
                assert_int_equal(scene->ready, 0);
                if (i == 0)
                        assert_int_equal(
                                ask(&scene->f, "POST", MAPS, "{\"metadata\":{\"name\":\"c\"}}"),
                                201);
                virtual_loop_advance(scene->f.fake, i == 0 ? 0 : 1 * NS_PER_S);
                assert_int_equal(scene->ready, 1);
                assert_int_equal(resume(scene), i == 0 ? 200 : 504);
        }
        assert_int_equal(begin(scene, "GET", path, ""), 0);
        api_pending_cancel(scene->pending);
        assert_int_equal(virtual_loop_timers(scene->f.fake), 0);
        scene_free(scene);
}

static void test_configuration(void **state) {
        static const char *const bad[] = {
                "{\"name\":\"a\",\"clientConfig\":{\"url\":\"https://x\"},\"sideEffects\":\"None\","
                "\"admissionReviewVersions\":[\"v1\"]}",
                "{\"name\":\"a.b.c\",\"clientConfig\":{},\"sideEffects\":\"None\","
                "\"admissionReviewVersions\":[\"v1\"]}",
                "{\"name\":\"a.b.c\",\"clientConfig\":{\"url\":\"http://x\"},\"sideEffects\":"
                "\"None\",\"admissionReviewVersions\":[\"v1\"]}",
                "{\"name\":\"a.b.c\",\"clientConfig\":{\"url\":\"https://x\"},\"sideEffects\":"
                "\"Some\",\"admissionReviewVersions\":[\"v1\"]}",
                "{\"name\":\"a.b.c\",\"clientConfig\":{\"url\":\"https://x\"},\"sideEffects\":"
                "\"None\"}",
                "{\"name\":\"a.b.c\",\"clientConfig\":{\"url\":\"https://x\"},\"sideEffects\":"
                "\"None\",\"admissionReviewVersions\":[\"v1\"],\"timeoutSeconds\":31}",
        };
        struct fixture f = fixture_new();
        char body[600];

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
                snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"x\"},\"webhooks\":[%s]}",
                         bad[i]);
                assert_int_equal(ask(&f, "POST", GROUP VALIDATING, body), 422);
        }
        assert_int_equal(ask(&f, "POST", GROUP MUTATING,
                             "{\"metadata\":{\"name\":\"x\"},\"webhooks\":[{\"name\":\"a.b.c\","
                             "\"clientConfig\":{\"url\":\"https://x\"},\"sideEffects\":\"None\","
                             "\"admissionReviewVersions\":[\"v1\"]}]}"),
                         201);
        assert_string_equal(answer(&f, "/webhooks/0/failurePolicy"), "Fail");
        assert_string_equal(answer(&f, "/webhooks/0/timeoutSeconds"), "10");
        assert_string_equal(answer(&f, "/webhooks/0/reinvocationPolicy"), "Never");
        fixture_free(&f);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_eviction_denied),  cmocka_unit_test(test_eviction_allowed),
                cmocka_unit_test(test_failure_policy),   cmocka_unit_test(test_wrong_answers),
                cmocka_unit_test(test_mutating),         cmocka_unit_test(test_parallel),
                cmocka_unit_test(test_not_asked),        cmocka_unit_test(test_delete_and_update),
                cmocka_unit_test(test_dry_run),          cmocka_unit_test(test_service),
                cmocka_unit_test(test_external_service), cmocka_unit_test(test_configuration),
                cmocka_unit_test(test_future),           cmocka_unit_test(test_conditions),
                cmocka_unit_test(test_versions),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
