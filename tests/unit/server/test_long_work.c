/* Long requests: who is let in while one is under way, and who is held until it is done. */
#include "base/arena.h"
#include "base/buf.h"
#include "fake_server.h"

#define PODS "/api/v1/namespaces/default/pods"
#define LEASES "/apis/coordination.k8s.io/v1/namespaces/default/leases"
#define LONG_LABELS 20000
#define ERRORS_SHOWN 1000

struct asked {
        struct api_pending *pending;
        struct http_response response;
        int ready;
};

struct scene {
        struct fixture f;
        struct asked large, health, read, lease, list, other;
        size_t times_let_in;
};

static void on_ready(void *context) {
        ((struct asked *)context)->ready++;
}

static void begin(struct scene *scene, struct asked *asked, const char *method, const char *path,
                  const char *type, struct slice body) {
        asked->pending = api_server_begin(
                scene->f.server,
                &(struct api_server_request){ .method = slice_of(method),
                                              .target = slice_of(path),
                                              .body = body,
                                              .content_type = slice_of(type),
                                              .user_agent = SLICE_LITERAL("test/1"),
                                              .user = &api_user_admin },
                &asked->response, on_ready, asked);
}

static int answer_of(struct asked *asked) {
        assert_int_equal(asked->ready, 1);
        asked->ready = 0;
        asked->pending = api_pending_resume(asked->pending, &asked->response);
        return asked->pending ? 0 : asked->response.status;
}

/* As a listener would: once is enough to see what becomes of each. */
static void let_in(void *context) {
        struct scene *scene = context;

        if (scene->times_let_in++)
                return;
        begin(scene, &scene->health, "GET", "/readyz?verbose", NULL, SLICE_EMPTY);
        begin(scene, &scene->read, "GET", LEASES "/held", NULL, SLICE_EMPTY);
        begin(scene, &scene->lease, "PATCH", LEASES "/held", "application/merge-patch+json",
              SLICE_LITERAL("{\"spec\":{\"holderIdentity\":\"me\"}}"));
        begin(scene, &scene->list, "GET", LEASES, NULL, SLICE_EMPTY);
        begin(scene, &scene->other, "GET", "/api/v1/namespaces/default", NULL, SLICE_EMPTY);
}

static struct scene *scene_new(void) {
        struct scene *scene = xcalloc(1, sizeof(*scene));

        scene->f = fixture_new();
        api_server_let_in(scene->f.server, let_in, scene);
        assert_int_equal(
                ask(&scene->f, "POST", LEASES, "{\"metadata\":{\"name\":\"held\"},\"spec\":{}}"),
                201);
        return scene;
}

static void scene_free(struct scene *scene) {
        struct asked *const all[] = { &scene->large, &scene->health, &scene->read,
                                      &scene->lease, &scene->list,   &scene->other };

        for (size_t i = 0; i < ARRAY_LEN(all); i++) {
                api_pending_cancel(all[i]->pending);
                http_response_release(&all[i]->response);
        }
        fixture_free(&scene->f);
        free(scene);
}

static void large_write(struct buf *out, const char *kind, const char *label) {
        buf_printf(out, "{\"kind\":\"%s\",\"metadata\":{\"name\":\"large\",\"labels\":{", kind);
        for (int i = 0; i < LONG_LABELS; i++)
                buf_printf(out, "%s\"k%s%d\":\"v\"", i ? "," : "", label, i);
        buf_text(out, "}},\"spec\":{");
        buf_text(out,
                 strcmp(kind, "Pod") ? "" : "\"containers\":[{\"name\":\"a\",\"image\":\"i\"}]");
        buf_text(out, "}}");
}

static void begin_large(struct scene *scene, const char *path, const char *kind,
                        const char *label) {
        CLEANUP(buf_release) struct buf body = { 0 };

        large_write(&body, kind, label);
        begin(scene, &scene->large, "POST", path, NULL, buf_view(&body));
        assert_non_null(scene->large.pending);
}

static void test_let_in(void **state) {
        struct scene *scene = scene_new();

        (void)state;
        begin_large(scene, PODS, "Pod", "");
        assert_int_equal(scene->times_let_in, 0); /* it waits for the loop */
        virtual_loop_advance(scene->f.fake, NS_PER_S);
        assert_true(scene->times_let_in > 5);
        assert_int_equal(answer_of(&scene->large), 201);
        assert_null(scene->health.pending);
        assert_int_equal(scene->health.response.status, 200);
        assert_null(scene->read.pending);
        assert_int_equal(scene->read.response.status, 200);
        assert_null(scene->lease.pending);
        assert_int_equal(scene->lease.response.status, 200);
        assert_int_equal(answer_of(&scene->list), 200);
        assert_int_equal(answer_of(&scene->other), 200);
        assert_int_equal(ask(&scene->f, "GET", LEASES "/held", ""), 200);
        assert_string_equal(answer(&scene->f, "/spec/holderIdentity"), "me");
        assert_int_equal(ask(&scene->f, "GET", PODS "/large", ""), 200);
        scene_free(scene);
}

/* A request that writes a Lease lets nobody write one. */
static void test_long_lease(void **state) {
        struct scene *scene = scene_new();

        (void)state;
        begin_large(scene, LEASES, "Lease", "");
        virtual_loop_advance(scene->f.fake, NS_PER_S);
        assert_int_equal(answer_of(&scene->large), 201);
        assert_null(scene->health.pending);
        assert_null(scene->read.pending);
        assert_int_equal(answer_of(&scene->lease), 200);
        scene_free(scene);
}

/* One after the other, each in an iteration of its own; one that nobody waits for is not run. */
static void test_several(void **state) {
        struct scene *scene = scene_new();

        (void)state;
        begin_large(scene, PODS, "Pod", "");
        api_pending_cancel(scene->large.pending);
        begin_large(scene, PODS, "Pod", " ");
        virtual_loop_advance(scene->f.fake, NS_PER_S);
        assert_int_equal(answer_of(&scene->large), 422);
        assert_int_equal(ask(&scene->f, "GET", PODS "/large", ""), 404);
        scene_free(scene);
}

/* What is wrong 20,000 times is told a thousand times. */
static void test_errors_are_bounded(void **state) {
        struct scene *scene = scene_new();
        CLEANUP(buf_release) struct buf body = { 0 };

        (void)state;
        api_server_let_in(scene->f.server, NULL, NULL);
        large_write(&body, "Pod", " ");
        buf_char(&body, '\0');
        assert_int_equal(ask(&scene->f, "POST", PODS, body.data), 422);
        assert_int_equal(json_count(answer_at(&scene->f, "/details/causes")), ERRORS_SHOWN);
        assert_true(slice_contains(json_text(answer_at(&scene->f, "/message")),
                                   SLICE_LITERAL(", and 19000 more errors]")));
        scene_free(scene);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_let_in),
                cmocka_unit_test(test_long_lease),
                cmocka_unit_test(test_several),
                cmocka_unit_test(test_errors_are_bounded),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
