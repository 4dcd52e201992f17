/* Writes and watches on one connection of HTTP/2: answers, refusals, cuts, cancelled requests. The
 * first call of most tests is a read, which libcurl carries, and which shows what the server
 * speaks. */
#include "client/http_transport.h"
#include "http2_server.h"
#include "loop/event_loop.h"

struct answer {
        struct scene *scene;
        int ended, opened, chunks, status, code, retry_after_s;
        char body[64];
};

struct scene {
        struct event_loop *events;
        struct loop *loop;
        struct h2_server server;
        struct http_transport *http;
        struct transport transport;
        struct answer answers[8];
        struct api_request *requests[8];
        bool cancels_on_data;
};

static void take_reply(struct answer *answer, const struct api_reply *reply) {
        answer->ended++;
        answer->status = reply->status;
        answer->code = reply->error.code;
        answer->retry_after_s = reply->retry_after_s;
        snprintf(answer->body, sizeof(answer->body), SLICE_FMT, SLICE_ARG(reply->body));
}

static void on_done(void *context, const struct api_reply *reply) {
        take_reply(context, reply);
}

static void on_opened(void *context, int status) {
        struct answer *answer = context;

        answer->opened++;
        answer->status = status;
}

static void on_data(void *context, struct slice chunk) {
        struct answer *answer = context;
        struct scene *scene = answer->scene;

        answer->chunks++;
        snprintf(answer->body, sizeof(answer->body), SLICE_FMT, SLICE_ARG(chunk));
        if (scene->cancels_on_data)
                transport_cancel(&scene->transport, scene->requests[answer - scene->answers]);
}

static const struct api_stream_events stream_events = { on_opened, on_data, on_done };

static void ask(struct scene *scene, int slot, const char *path, struct api_call call) {
        scene->answers[slot] = (struct answer){ .scene = scene };
        call.path = slice_of(path);
        scene->requests[slot] =
                transport_call(&scene->transport, &call, on_done, &scene->answers[slot]);
}

static void post(struct scene *scene, int slot, const char *path) {
        ask(scene, slot, path,
            (struct api_call){ .method = API_POST, .body = SLICE_LITERAL("{\"a\":1}") });
}

static void watch(struct scene *scene, int slot) {
        struct api_call call = { .method = API_GET, .path = SLICE_LITERAL("/watch") };

        scene->answers[slot] = (struct answer){ .scene = scene };
        scene->requests[slot] =
                transport_stream(&scene->transport, &call, &stream_events, &scene->answers[slot]);
}

static void until(struct scene *scene, const int *count, int wanted) {
        for (int i = 0; *count < wanted; i++) {
                assert_true(i < 5000);
                assert_int_equal(event_loop_run_once(scene->events, NS_PER_S, NULL), 0);
        }
}

static void settle(struct scene *scene) {
        for (int i = 0; i < 20; i++)
                assert_int_equal(event_loop_run_once(scene->events, NS_PER_MS, NULL), 0);
}

static void scene_reach(struct scene *scene, struct http_transport_config config) {
        char url[64];

        *scene = (struct scene){ 0 };
        assert_int_equal(event_loop_new(&scene->events, NULL), 0);
        scene->loop = event_loop_as_loop(scene->events);
        h2_server_start(&scene->server, scene->loop);
        snprintf(url, sizeof(url), "https://127.0.0.1:%u", scene->server.port);
        config.access.server = slice_dup(slice_of(url));
        config.access.ca_pem = slice_dup(slice_of(scene->server.material.ca_pem));
        if (!config.access.token_file)
                config.access.token = slice_dup(SLICE_LITERAL("tok"));
        assert_int_equal(http_transport_new(&config, scene->loop, &scene->http, NULL), 0);
        scene->transport = http_transport(scene->http);
}

/* With a connection that is open, and what was counted on the way forgotten. */
static void scene_init(struct scene *scene, struct http_transport_config config) {
        scene_reach(scene, config);
        ask(scene, 0, "/list", (struct api_call){ .method = API_GET });
        until(scene, &scene->answers[0].ended, 1);
        assert_int_equal(scene->answers[0].status, 200);
        watch(scene, 7);
        until(scene, &scene->answers[7].chunks, 1);
        assert_int_equal(scene->server.connected, 2); /* libcurl's and ours */
        scene->server.asked = 0;
}

static void scene_end(struct scene *scene) {
        http_transport_free(scene->http);
        h2_server_stop(&scene->server);
        event_loop_free(scene->events);
}

static void test_one_connection(void **state) {
        struct scene scene;

        (void)state;
        scene_init(&scene, (struct http_transport_config){ .header = "X-Own: a B" });
        for (int i = 0; i < 5; i++)
                post(&scene, i, "/ok");
        for (int i = 0; i < 5; i++) {
                until(&scene, &scene.answers[i].ended, 1);
                assert_int_equal(scene.answers[i].status, 200);
                assert_string_equal(scene.answers[i].body, "{\"answered\":true}");
        }
        assert_ptr_equal(scene.server.last_connection, scene.server.watch_connection);
        assert_string_equal(scene.server.last_authorization, "Bearer tok");
        assert_int_equal(scene.server.last_body, strlen("{\"a\":1}"));
        assert_string_equal(scene.server.last_type, "application/json");
        assert_string_equal(scene.server.last_own, "a B");
        h2_push(&scene.server, "second\n");
        until(&scene, &scene.answers[7].chunks, 2);
        assert_string_equal(scene.answers[7].body, "second\n");
        assert_int_equal(scene.answers[7].opened, 1);
        assert_int_equal(scene.server.connected, 2);
        scene_end(&scene);
}

static void post_patiently(struct scene *scene, int slot) {
        ask(scene, slot, "/ok",
            (struct api_call){ .method = API_POST,
                               .body = SLICE_LITERAL("{\"a\":1}"),
                               .is_patient = true,
                               .comes_back = true });
}

/* Read at last with nothing else, with an urgent one, with a change, or not at all. */
static void test_patient(void **state) {
        struct scene scene;

        (void)state;
        scene_init(&scene, (struct http_transport_config){ 0 });
        for (int i = 0; i < 4; i++)
                post_patiently(&scene, i);
        for (int i = 0; i < 4; i++)
                until(&scene, &scene.answers[i].ended, 1);
        assert_string_equal(scene.answers[3].body, "{\"answered\":true}");
        post_patiently(&scene, 0);
        post(&scene, 1, "/ok");
        until(&scene, &scene.answers[1].ended, 1);
        until(&scene, &scene.answers[0].ended, 1);
        post_patiently(&scene, 0);
        until(&scene, &scene.server.asked, 7);
        h2_push(&scene.server, "news\n");
        until(&scene, &scene.answers[7].chunks, 2);
        until(&scene, &scene.answers[0].ended, 1);
        h2_push(&scene.server, "more news\n"); /* seen without any write */
        until(&scene, &scene.answers[7].chunks, 3);
        post_patiently(&scene, 0);
        until(&scene, &scene.server.asked, 8);
        h2_server_drop_all(&scene.server);
        until(&scene, &scene.answers[0].ended, 1);
        until(&scene, &scene.answers[7].ended, 1);
        scene_end(&scene);
}

/* A list in one piece or a watch, before anything is known of the server. */
static void test_first_stream(void **state) {
        struct scene scene;

        (void)state;
        scene_reach(&scene, (struct http_transport_config){ 0 });
        watch(&scene, 7);
        until(&scene, &scene.answers[7].chunks, 1);
        post(&scene, 0, "/ok");
        until(&scene, &scene.answers[0].ended, 1);
        assert_int_equal(scene.answers[0].status, 200);
        assert_ptr_equal(scene.server.last_connection, scene.server.watch_connection);
        assert_int_equal(scene.server.connected, 1);
        scene_end(&scene);
}

static void test_busy_answer(void **state) {
        struct scene scene;

        (void)state;
        scene_init(&scene, (struct http_transport_config){ 0 });
        post(&scene, 0, "/busy");
        until(&scene, &scene.answers[0].ended, 1);
        assert_int_equal(scene.answers[0].status, 429);
        assert_int_equal(scene.answers[0].retry_after_s, 7);
        scene_end(&scene);
}

static void write_token(const char *path, const char *token) {
        FILE *file = fopen(path, "w");

        assert_non_null(file);
        fputs(token, file);
        fclose(file);
}

/* A refused token is read again, and the request sent again. */
static void test_token_file(void **state) {
        char path[] = "/tmp/berth-token-XXXXXX";
        struct scene scene;

        (void)state;
        close(mkstemp(path));
        write_token(path, "old");
        scene_init(&scene, (struct http_transport_config){ .access.token_file =
                                                                   slice_dup(slice_of(path)) });
        write_token(path, "new");
        scene.server.unauthorized_left = 1;
        post(&scene, 0, "/token");
        until(&scene, &scene.answers[0].ended, 1);
        assert_int_equal(scene.answers[0].status, 200);
        assert_string_equal(scene.server.last_authorization, "Bearer new");
        assert_int_equal(scene.server.asked, 2);
        unlink(path);
        scene_end(&scene);
}

/* Larger than the server's window, and an answer larger than we take. */
static void test_sizes(void **state) {
        struct scene scene;
        char *body = xcalloc(1, 1000001);

        (void)state;
        memset(body, 'x', 1000000);
        scene_init(&scene, (struct http_transport_config){ .body_max = 17 });
        ask(&scene, 0, "/ok",
            (struct api_call){ .method = API_PUT,
                               .content_type = SLICE_LITERAL("text/plain"),
                               .body = slice_of(body) });
        until(&scene, &scene.answers[0].ended, 1);
        assert_int_equal(scene.answers[0].status, 200);
        assert_int_equal(scene.server.last_body, 1000000);
        assert_string_equal(scene.server.last_type, "text/plain");
        h2_push(&scene.server, "more than seventeen bytes\n"); /* of a stream: no limit */
        until(&scene, &scene.answers[7].chunks, 2);
        scene_end(&scene);
        free(body);
}

static void test_too_large(void **state) {
        struct scene scene;

        (void)state;
        scene_init(&scene, (struct http_transport_config){ .body_max = 17 });
        scene.server.long_answer = "{\"answered\":\"at length\"}";
        post(&scene, 0, "/ok");
        until(&scene, &scene.answers[0].ended, 1);
        assert_int_equal(scene.answers[0].status, 0);
        assert_int_equal(scene.answers[0].code, BERTH_ERR_TOO_LARGE);
        scene.server.long_answer = NULL;
        post(&scene, 1, "/ok"); /* the others do not suffer */
        until(&scene, &scene.answers[1].ended, 1);
        assert_int_equal(scene.answers[1].status, 200);
        assert_int_equal(scene.answers[7].ended, 0);
        scene_end(&scene);
}

/* Streams that the server did not look at are sent again, whatever they ask for. */
static void test_refused(void **state) {
        static const char *const paths[] = { "/refuse", "/away" };
        struct scene scene;

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
                scene_init(&scene, (struct http_transport_config){ 0 });
                scene.server.refusals_left = 1;
                post(&scene, 0, paths[i]);
                until(&scene, &scene.answers[0].ended, 1);
                assert_int_equal(scene.answers[0].status, 200);
                assert_int_equal(scene.server.asked, 2);
                h2_push(&scene.server, "on\n"); /* what is under way stays */
                until(&scene, &scene.answers[7].chunks, 2);
                post(&scene, 1, "/ok");
                until(&scene, &scene.answers[1].ended, 1);
                assert_int_equal(scene.answers[1].status, 200);
                scene_end(&scene);
        }
}

static void test_lost_connection(void **state) {
        struct scene scene;

        (void)state;
        scene_init(&scene, (struct http_transport_config){ 0 });
        post(&scene, 0, "/hang");
        until(&scene, &scene.server.asked, 1);
        h2_server_drop_all(&scene.server);
        until(&scene, &scene.answers[0].ended, 1);
        assert_int_equal(scene.answers[0].status, 0);
        assert_int_equal(scene.answers[0].code, BERTH_ERR_IO); /* it may have had an effect */
        until(&scene, &scene.answers[7].ended, 1);
        assert_int_equal(scene.answers[7].code, BERTH_ERR_IO);
        assert_int_equal(scene.server.asked, 1);
        watch(&scene, 6);
        until(&scene, &scene.answers[6].chunks, 1);
        post(&scene, 1, "/ok");
        until(&scene, &scene.answers[1].ended, 1);
        assert_int_equal(scene.answers[1].status, 200);
        scene_end(&scene);
}

static void test_timeout(void **state) {
        struct scene scene;

        (void)state;
        scene_init(&scene, (struct http_transport_config){ 0 });
        ask(&scene, 0, "/hang",
            (struct api_call){ .method = API_DELETE, .timeout_ns = 20 * NS_PER_MS });
        until(&scene, &scene.answers[0].ended, 1);
        assert_int_equal(scene.answers[0].code, BERTH_ERR_TIMEOUT);
        until(&scene, &scene.server.resets, 1);
        assert_int_equal(scene.answers[7].ended, 0);
        scene_end(&scene);
        scene_init(&scene, (struct http_transport_config){ .stream_idle_ns = 20 * NS_PER_MS });
        until(&scene, &scene.answers[7].ended, 1);
        assert_int_equal(scene.answers[7].code, BERTH_ERR_TIMEOUT);
        scene_end(&scene);
}

static void test_cancelled(void **state) {
        struct scene scene;

        (void)state;
        scene_init(&scene, (struct http_transport_config){ 0 });
        post(&scene, 0, "/hang");
        until(&scene, &scene.server.asked, 1);
        transport_cancel(&scene.transport, scene.requests[0]);
        until(&scene, &scene.server.resets, 1);
        post(&scene, 1, "/ok"); /* not sent yet */
        transport_cancel(&scene.transport, scene.requests[1]);
        scene.cancels_on_data = true; /* from inside its own callback */
        h2_push(&scene.server, "last\n");
        until(&scene, &scene.answers[7].chunks, 2);
        until(&scene, &scene.server.resets, 2);
        settle(&scene);
        assert_int_equal(scene.answers[0].ended + scene.answers[1].ended, 0);
        assert_int_equal(scene.answers[7].ended, 0);
        scene_end(&scene);
}

/* A connection that cannot be made leaves everything to libcurl. */
static void test_no_connection(void **state) {
        struct scene scene;

        (void)state;
        scene_init(&scene, (struct http_transport_config){ 0 });
        scene.server.closes_next = true;
        h2_close(scene.server.watch_connection);
        until(&scene, &scene.answers[7].ended, 1);
        watch(&scene, 6);
        until(&scene, &scene.answers[6].chunks, 1);
        post(&scene, 1, "/ok");
        until(&scene, &scene.answers[1].ended, 1);
        assert_int_equal(scene.answers[1].status, 200);
        assert_false(scene.server.closes_next);
        scene_end(&scene);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_first_stream),    cmocka_unit_test(test_one_connection),
                cmocka_unit_test(test_patient),         cmocka_unit_test(test_busy_answer),
                cmocka_unit_test(test_token_file),      cmocka_unit_test(test_sizes),
                cmocka_unit_test(test_too_large),       cmocka_unit_test(test_refused),
                cmocka_unit_test(test_lost_connection), cmocka_unit_test(test_timeout),
                cmocka_unit_test(test_cancelled),       cmocka_unit_test(test_no_connection),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
