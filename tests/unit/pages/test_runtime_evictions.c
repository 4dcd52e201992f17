/* The eviction service at its edge: actions of roles become calls in their order, outcomes come
 * back to whom they concern, what it wants to know is followed, and everything is counted. */
#include "loop/runtime.h"

#include "../client/fake_transport.h"
#include "pages/metrics.h"
#include "pages/role_metrics.h"

#define PODS "/api/v1/namespaces/ns/pods"
#define OWN "/apis/lifecycle.berth.dev/v1alpha1"
#define NATIVE "/apis/lifecycle.k8s.io/v1alpha1"

struct scene {
        struct virtual_loop *time;
        struct fake_transport *fake;
        struct runtime *runtime;
        struct evict_requester *requester; /* of the role */
        size_t results, ended, served;
        struct action_result last;
        enum evict_route route;
};

static void on_changed(void *self) {
        (void)self;
}

static void on_result(void *self, const struct action_result *result) {
        struct scene *scene = self;

        scene->results++;
        scene->last = *result;
}

static void on_ended(void *self, const struct evict_note *note) {
        struct scene *scene = self;

        scene->ended++;
        scene->route = note->record->route;
}

static void on_evicted(void *self) {
        ((struct scene *)self)->served++;
}

static bool is_idle(const void *self) {
        (void)self;
        return true;
}

static struct scene *scene_new(enum evict_request_mode mode) {
        struct scene *scene = xcalloc(1, sizeof(*scene));

        scene->time = virtual_loop_new();
        scene->fake = fake_transport_new();
        scene->runtime =
                runtime_new(&(struct runtime_config){ .loop = virtual_loop_get(scene->time),
                                                      .transport = scene->fake->transport,
                                                      .instance = "test",
                                                      .has_no_model = true,
                                                      .evictions = { .requests = mode } });
        scene->requester = evict_service_join(
                runtime_evictions(scene->runtime),
                &(struct evict_requester_config){ .name = "tester",
                                                  .owner = scene,
                                                  .requests_as = "tester.berth.dev/x",
                                                  .has_no_events = true });
        runtime_add_role(scene->runtime, &(struct role){ .name = "tester",
                                                         .self = scene,
                                                         .preempts = scene->requester,
                                                         .changed = on_changed,
                                                         .result = on_result,
                                                         .ended = on_ended,
                                                         .evicted = on_evicted,
                                                         .is_idle = is_idle,
                                                         .free = on_changed });
        return scene;
}

static void run_1_ms(struct scene *scene) {
        struct mono_time end = { loop_mono(virtual_loop_get(scene->time)).ns + NS_PER_MS };

        while (virtual_loop_step(scene->time, end))
                ;
}

static void scene_free(struct scene *scene) {
        runtime_free(scene->runtime);
        assert_int_equal(virtual_loop_timers(scene->time), 0);
        fake_transport_free(scene->fake);
        virtual_loop_free(scene->time);
        free(scene);
}

static void expect(struct scene *scene, enum api_method method, const char *path) {
        struct fake_request *next = fake_next(scene->fake);

        assert_int_equal(next->method, method);
        assert_string_equal(next->path, path);
}

static struct fake_request *find(struct scene *scene, enum api_method method, const char *path) {
        for (size_t i = 0; i < scene->fake->count; i++) {
                struct fake_request *request = scene->fake->requests[i];

                if (!request->is_over && request->method == method &&
                    strcmp(request->path, path) == 0)
                        return request;
        }
        fail_msg("%s is not asked for", path);
        return NULL;
}

/* The mark comes before the deletion, which names the uid; the outcome goes back under the id that
 * the role's action had. */
static void test_preemption(void **state) {
        struct scene *scene = scene_new(EVICT_REQUESTS_NEVER);
        const struct object_ref pod = { SLICE_LITERAL("Pod"), SLICE_LITERAL("ns"),
                                        SLICE_LITERAL("p"), SLICE_LITERAL("u") };
        struct action_list actions;
        uint64_t id;

        (void)state;
        action_list_init(&actions);
        actions.next_id = 4000;
        action_list_add(
                &actions,
                &(struct action){ .kind = ACTION_POD_STATUS,
                                  .target = pod,
                                  .status = { .changed = { 0 },
                                              .disruption = SLICE_LITERAL("room for others") } });
        id = action_list_add(&actions,
                             &(struct action){ .kind = ACTION_PREEMPT_POD, .target = pod });
        runtime_submit(scene->runtime, scene, &actions);
        run_1_ms(scene);
        expect(scene, API_PATCH, PODS "/p/status");
        assert_int_equal(fake_pending(scene->fake), 1); /* one write of an object at a time */
        fake_reply(scene->fake, 200, "{}");
        run_1_ms(scene);
        expect(scene, API_DELETE, PODS "/p");
        assert_string_equal(fake_next(scene->fake)->body, "{\"preconditions\":{\"uid\":\"u\"}}");
        assert_int_equal(scene->ended, 0);
        fake_reply(scene->fake, 200, "{}");
        run_1_ms(scene);
        assert_int_equal(scene->results, 2);
        assert_int_equal(scene->last.id, id);
        assert_int_equal(scene->last.code, BERTH_OK);
        assert_int_equal(scene->last.http, 200);
        assert_int_equal(scene->ended, 1);
        assert_int_equal(scene->route, EVICT_ROUTE_PREEMPTION);
        assert_true(scene->served > 0);
        action_list_release(&actions);
        scene_free(scene);
}

static void want_gone(struct scene *scene, const char *name) {
        struct evict_sink sink = evict_requester_sink(scene->requester);

        sink.ask(sink.context,
                 &(struct evict_intent){ .pod = { SLICE_LITERAL("Pod"), SLICE_LITERAL("ns"),
                                                  slice_of(name), slice_of(name) } });
        runtime_serve_evictions(scene->runtime);
        run_1_ms(scene);
}

/* One eviction by an EvictionRequest costs two calls, besides finding out and following: the kinds
 * are looked up once, the request is written once and its end is seen by the watch. */
static void test_request(void **state) {
        struct scene *scene = scene_new(EVICT_REQUESTS_ALWAYS);
        struct fake_request *written, *watch;

        (void)state;
        want_gone(scene, "p");
        expect(scene, API_GET, NATIVE);
        fake_reply(scene->fake, 404, "");
        expect(scene, API_GET, OWN);
        fake_reply(scene->fake, 200, "{\"resources\":[{\"name\":\"evictionrequests\"}]}");
        run_1_ms(scene);
        expect(scene, API_GET,
               OWN "/evictionrequests?labelSelector="
                   "berth.dev%2Frequested-by%20in%20%28tester%29&limit=500");
        fake_reply(scene->fake, 200, "{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[]}");
        run_1_ms(scene);
        written = find(scene, API_POST, OWN "/namespaces/ns/evictionrequests");
        fake_end(written, (struct api_reply){ .status = 201, .retry_after_s = -1 });
        run_1_ms(scene);
        assert_int_equal(fake_pending(scene->fake), 1); /* the watch */
        watch = fake_next(scene->fake);
        assert_non_null(watch->caller.events);
        watch->caller.events->data(
                watch->caller.context,
                SLICE_LITERAL(
                        "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"tester-p\","
                        "\"namespace\":\"ns\",\"uid\":\"r\",\"resourceVersion\":\"2\","
                        "\"generation\":1},\"spec\":{\"target\":{\"pod\":{\"name\":\"p\",\"uid\":"
                        "\"p\"}},\"requester\":\"tester.berth.dev/x\",\"intent\":\"Eviction\"},"
                        "\"status\":{\"observedGeneration\":1,\"conditions\":[{\"type\":"
                        "\"TargetEvicted\",\"status\":\"True\",\"reason\":\"PodDeleted\"}]}}}\n"));
        run_1_ms(scene);
        assert_int_equal(scene->ended, 1);
        assert_int_equal(scene->route, EVICT_ROUTE_REQUEST);
        assert_int_equal(evict_requester_open(scene->requester), 0);
        written = find(scene, API_DELETE, OWN "/namespaces/ns/evictionrequests/tester-p");
        fake_end(written, (struct api_reply){ .status = 200, .retry_after_s = -1 });
        assert_int_equal(fake_pending(scene->fake), 1);
        scene_free(scene);
}

/* By requester, way and result; what never happened has no line. */
static void test_metrics(void **state) {
        struct scene *scene = scene_new(EVICT_REQUESTS_NEVER);
        struct metrics *metrics = metrics_new();
        struct runtime_metrics *own = runtime_metrics_new(metrics, scene->runtime);
        struct buf text = { 0 };

        (void)state;
        want_gone(scene, "p");
        expect(scene, API_POST, PODS "/p/eviction");
        fake_reply(scene->fake, 201, "{}");
        run_1_ms(scene);
        metrics_write(metrics, &text);
        assert_non_null(strstr(text.data, "\nberth_evictions_total{requester=\"tester\","
                                          "way=\"subresource\",result=\"success\"} 1\n"));
        assert_null(strstr(text.data, "way=\"delete\""));
        buf_release(&text);
        runtime_metrics_free(own);
        metrics_free(metrics);
        scene_free(scene);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_preemption),
                cmocka_unit_test(test_request),
                cmocka_unit_test(test_metrics),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
