/* Raw answers, good and bad, from a server that sends what the test gives it, over a Unix socket.
 */
#include "base/util.h"
#include "client/http_transport.h"
#include "loop/event_loop.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/berth-answers-XXXXXX";

/* Answers every connection's first bytes with the same text and closes. */
struct scene {
        struct event_loop *events;
        struct loop *loop;
        struct loop_io *listening, *connected;
        int listener, connection;
        const char *answer;
        char asked[4096];
        struct http_transport *http;
        struct transport transport;
        int ended, opened, chunks;
        struct api_reply reply;
        char body[256];
};

static void on_request(void *context, unsigned events) {
        struct scene *scene = context;
        ssize_t size = read(scene->connection, scene->asked, sizeof(scene->asked) - 1);

        (void)events;
        scene->asked[size > 0 ? size : 0] = '\0';
        if (size > 0)
                assert_int_equal(write(scene->connection, scene->answer, strlen(scene->answer)),
                                 strlen(scene->answer));
        loop_io_remove(scene->loop, scene->connected);
        close(scene->connection);
        scene->connection = -1;
}

static void on_connection(void *context, unsigned events) {
        struct scene *scene = context;

        (void)events;
        scene->connection = accept(scene->listener, NULL, NULL);
        assert_int_equal(loop_io_add(scene->loop, scene->connection, LOOP_READ, on_request, scene,
                                     &scene->connected, NULL),
                         0);
}

static void scene_init(struct scene *scene, const char *answer) {
        struct sockaddr_un address = { .sun_family = AF_UNIX };
        struct http_transport_config config = { .user_agent = "test/1", .body_max = 64 };

        *scene = (struct scene){ .answer = answer, .connection = -1 };
        assert_int_equal(event_loop_new(&scene->events, NULL), 0);
        scene->loop = event_loop_as_loop(scene->events);
        snprintf(address.sun_path, sizeof(address.sun_path), "%s/socket", folder);
        unlink(address.sun_path);
        scene->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        assert_int_equal(bind(scene->listener, (struct sockaddr *)&address, sizeof(address)), 0);
        assert_int_equal(listen(scene->listener, 8), 0);
        assert_int_equal(loop_io_add(scene->loop, scene->listener, LOOP_READ, on_connection, scene,
                                     &scene->listening, NULL),
                         0);
        config.access.server = slice_dup(SLICE_LITERAL("http://cluster.example/below/"));
        config.access.unix_socket = slice_dup(slice_of(address.sun_path));
        config.access.token = slice_dup(SLICE_LITERAL("tok"));
        config.access.impersonate_user = slice_dup(SLICE_LITERAL("you"));
        config.access.impersonate_groups[config.access.impersonate_group_count++] =
                slice_dup(SLICE_LITERAL("team"));
        assert_int_equal(http_transport_new(&config, scene->loop, &scene->http, NULL), 0);
        scene->transport = http_transport(scene->http);
}

static void scene_end(struct scene *scene) {
        http_transport_free(scene->http);
        if (scene->connection >= 0)
                close(scene->connection);
        close(scene->listener);
        event_loop_free(scene->events);
}

static void on_ended(void *context, const struct api_reply *reply) {
        struct scene *scene = context;

        scene->ended++;
        scene->reply = *reply;
        snprintf(scene->body, sizeof(scene->body), SLICE_FMT, SLICE_ARG(reply->body));
}

static void on_opened(void *context, int status) {
        (void)status;
        ((struct scene *)context)->opened++;
}

static void on_data(void *context, struct slice chunk) {
        struct scene *scene = context;

        scene->chunks++;
        snprintf(scene->body, sizeof(scene->body), SLICE_FMT, SLICE_ARG(chunk));
}

static void finish(struct scene *scene) {
        for (int i = 0; !scene->ended; i++) {
                assert_true(i < 1000);
                assert_int_equal(event_loop_run_once(scene->events, NS_PER_S, NULL), 0);
        }
}

static void test_request(void **state) {
        struct scene scene;
        struct api_call call = { .method = API_PUT,
                                 .path = SLICE_LITERAL("/api/v1/x?y=%2F"),
                                 .body = SLICE_LITERAL("{}") };

        (void)state;
        scene_init(&scene, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        transport_call(&scene.transport, &call, on_ended, &scene);
        finish(&scene);
        assert_int_equal(strncmp(scene.asked, "PUT /below/api/v1/x?y=%2F HTTP/1.1\r\n", 36), 0);
        assert_non_null(strstr(scene.asked, "\r\nHost: cluster.example\r\n"));
        assert_non_null(strstr(scene.asked, "\r\nUser-Agent: test/1\r\n"));
        assert_non_null(strstr(scene.asked, "\r\nAccept: application/json\r\n"));
        assert_non_null(strstr(scene.asked, "\r\nAuthorization: Bearer tok\r\n"));
        assert_non_null(strstr(scene.asked, "\r\nContent-Type: application/json\r\n"));
        assert_non_null(strstr(scene.asked, "\r\nContent-Length: 2\r\n"));
        assert_non_null(strstr(scene.asked, "\r\nImpersonate-User: you\r\n"));
        assert_non_null(strstr(scene.asked, "\r\nImpersonate-Group: team\r\n"));
        assert_null(strstr(scene.asked, "Expect"));
        assert_non_null(strstr(scene.asked, "\r\n\r\n{}"));
        scene_end(&scene);

        call = (struct api_call){ .method = API_POST, .path = SLICE_LITERAL("/x") };
        scene_init(&scene, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        transport_call(&scene.transport, &call, on_ended, &scene);
        finish(&scene);
        assert_non_null(strstr(scene.asked, "\r\nContent-Length: 0\r\n"));
        assert_null(strstr(scene.asked, "Content-Type"));
        scene_end(&scene);
}

static const struct {
        const char *name, *answer;
        int status, retry_after_s, code;
        const char *body, *text; /* NULL = does not matter */
} answers[] = {
        { "plain", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", 200, -1, 0, "{}", NULL },
        { "until closed", "HTTP/1.0 200 OK\r\n\r\n{}", 200, -1, 0, "{}", NULL },
        { "chunked with trailer",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\nX: "
          "y\r\n\r\n",
          200, -1, 0, "{}", NULL },
        { "informational first",
          "HTTP/1.1 103 Early Hints\r\nRetry-After: x\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n", 204,
          -1, 0, "", NULL },
        { "time to wait", "HTTP/1.1 429 X\r\nretry-AFTER:  7 \r\nContent-Length: 0\r\n\r\n", 429, 7,
          BERTH_ERR_TOO_MANY, NULL, "HTTP status 429" },
        { "time to wait as a date",
          "HTTP/1.1 503 X\r\nRetry-After: Fri, 31 Dec 1999 23:59:59 GMT\r\nContent-Length: "
          "0\r\n\r\n",
          503, -1, BERTH_ERR_UNAVAILABLE, NULL, NULL },
        { "page of a proxy", "HTTP/1.1 502 X\r\nContent-Length: 6\r\n\r\n<html>", 502, -1,
          BERTH_ERR_INTERNAL, "<html>", NULL },
        { "elsewhere", "HTTP/1.1 302 X\r\nLocation: http://a/\r\nContent-Length: 0\r\n\r\n", 302,
          -1, BERTH_ERR_INTERNAL, NULL, "HTTP status 302" },
        { "cut off", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}", 0, -1, BERTH_ERR_IO, NULL,
          "GET http://cluster.example/below/x" },
        { "cut within its headers", "HTTP/1.1 403 F\r\nConte", 0, -1, BERTH_ERR_IO, NULL,
          "GET http://cluster.example/below/x" },
        { "no HTTP", "SSH-2.0-OpenSSH\r\n", 0, -1, BERTH_ERR_IO, NULL, NULL },
        { "nothing", "", 0, -1, BERTH_ERR_IO, NULL, NULL },
        { "too much",
          "HTTP/1.1 200 OK\r\nContent-Length: 70\r\n\r\n"
          "0123456789012345678901234567890123456789012345678901234567890123456789",
          0, -1, BERTH_ERR_TOO_LARGE, NULL, "exceeds 64 bytes" },
};

static void test_answers(void **state) {
        struct api_call call = { .path = SLICE_LITERAL("/x?secret") };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
                struct scene scene;
                const struct err *err = &scene.reply.error;

                scene_init(&scene, answers[i].answer);
                transport_call(&scene.transport, &call, on_ended, &scene);
                finish(&scene);
                if (scene.reply.status != answers[i].status || err->code != answers[i].code ||
                    scene.reply.retry_after_s != answers[i].retry_after_s ||
                    (answers[i].body && strcmp(scene.body, answers[i].body) != 0) ||
                    (answers[i].text && !strstr(err->text, answers[i].text)))
                        fail_msg("%s: %d %d %d %s %s", answers[i].name, scene.reply.status,
                                 scene.reply.retry_after_s, err->code, scene.body, err->text);
                assert_null(strstr(err->text, "secret")); /* queries stay out of messages */
                scene_end(&scene);
        }
}

/* The first header of an answer may be folded although there is nothing before it; what it follows
 * is another answer's last header, and gone. */
static void test_folded_header(void **state) {
        struct scene scene;
        struct api_call call = { .path = SLICE_LITERAL("/x") };

        (void)state;
        scene_init(&scene, "HTTP/1.1 200 OK\r\nX-Long-Enough-To-Be-Freed: y\r\n"
                           "Content-Length: 2\r\n\r\n{}");
        for (int i = 0; i < 4; i++) {
                scene.ended = 0;
                transport_call(&scene.transport, &call, on_ended, &scene);
                finish(&scene);
                scene.answer = "HTTP/1.1 200 OK\r\n folded: x\r\nContent-Length: 2\r\n\r\n{}";
        }
        assert_int_equal(scene.ended, 1);
        scene_end(&scene);
}

static void test_streams(void **state) {
        static const struct api_stream_events events = { on_opened, on_data, on_ended };
        static const struct {
                const char *answer;
                int status, code, opened, chunks;
        } cases[] = {
                { "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{}\n\r\n0\r\n\r\n",
                  200, 0, 1, 1 },
                { "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{}\n\r\n", 0,
                  BERTH_ERR_IO, 1, 1 },
                { "HTTP/1.1 410 Gone\r\nContent-Length: 2\r\n\r\n{}", 410, BERTH_ERR_EXPIRED, 1,
                  0 },
                { "HTTP/1.1 200 OK\r\nConte", 0, BERTH_ERR_IO, 0, 0 },
                { "", 0, BERTH_ERR_IO, 0, 0 },
        };
        struct api_call call = { .path = SLICE_LITERAL("/x?watch=1") };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct scene scene;

                scene_init(&scene, cases[i].answer);
                transport_stream(&scene.transport, &call, &events, &scene);
                finish(&scene);
                assert_int_equal(scene.reply.status, cases[i].status);
                assert_int_equal(scene.reply.error.code, cases[i].code);
                assert_int_equal(scene.opened, cases[i].opened);
                assert_int_equal(scene.chunks, cases[i].chunks);
                scene_end(&scene);
        }
}

static int make_folder(void **state) {
        (void)state;
        return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
        char path[64];

        (void)state;
        snprintf(path, sizeof(path), "%s/socket", folder);
        unlink(path);
        return rmdir(folder);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_request),
                cmocka_unit_test(test_answers),
                cmocka_unit_test(test_folded_header),
                cmocka_unit_test(test_streams),
        };

        return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
