/* Large answers on a connection of their own in HTTP/1.1: what is asked, how answers may break, and
 * that another way is taken where this one leads nowhere. */
#include "base/buf.h"
#include "client/http_transport.h"
#include "http2_server.h"
#include "loop/event_loop.h"

/* Answers whatever is asked with the bytes of the scene, in pieces, and closes. */
struct scene {
        struct event_loop *events;
        struct loop *loop;
        struct h2_server server; /* its TLS and port; in HTTP/2 where a test starts it as such */
        struct loop_io *io;
        SSL *ssl;
        int fd;
        const char *answer;
        size_t sent, piece; /* piece 0: all at once */
        bool stays, has_asked, cancels_on_data;
        char asked[1024];
        struct http_transport *http;
        struct transport transport;
        struct api_request *request;
        int ended, opened, status, code, retry_after_s;
        struct buf body;
};

/* ---- the server ---- */

static void hang_up(struct scene *scene) {
        if (!scene->ssl)
                return;
        loop_io_remove(scene->loop, scene->io);
        SSL_free(scene->ssl);
        close(scene->fd);
        scene->ssl = NULL;
}

static void send_piece(struct scene *scene) {
        size_t left = strlen(scene->answer) - scene->sent;
        size_t size = scene->piece && scene->piece < left ? scene->piece : left;

        if (size && SSL_write(scene->ssl, scene->answer + scene->sent, (int)size) == (int)size)
                scene->sent += size;
        if (scene->sent == strlen(scene->answer) && !scene->stays)
                hang_up(scene);
}

static void on_bytes(void *context, unsigned events) {
        struct scene *scene = context;
        size_t used = strlen(scene->asked);
        int size =
                SSL_read(scene->ssl, scene->asked + used, (int)(sizeof(scene->asked) - used - 1));

        (void)events;
        if (size <= 0 && SSL_get_error(scene->ssl, size) != SSL_ERROR_WANT_READ) {
                hang_up(scene);
                return;
        }
        if (size > 0)
                scene->asked[used + (size_t)size] = '\0';
        scene->has_asked = strstr(scene->asked, "\r\n\r\n");
}

static void on_client(void *context, unsigned events) {
        struct scene *scene = context;

        (void)events;
        scene->fd = accept4(scene->server.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        scene->ssl = SSL_new(scene->server.tls);
        SSL_set_fd(scene->ssl, scene->fd);
        SSL_set_accept_state(scene->ssl);
        assert_int_equal(
                loop_io_add(scene->loop, scene->fd, LOOP_READ, on_bytes, scene, &scene->io, NULL),
                0);
}

/* ---- the client ---- */

static void on_opened(void *context, int status) {
        struct scene *scene = context;

        scene->opened++;
        scene->status = status;
}

static void on_data(void *context, struct slice chunk) {
        struct scene *scene = context;

        buf_slice(&scene->body, chunk);
        if (scene->cancels_on_data)
                transport_cancel(&scene->transport, scene->request);
}

static void on_ended(void *context, const struct api_reply *reply) {
        struct scene *scene = context;

        scene->ended++;
        scene->status = reply->status;
        scene->code = reply->error.code;
        scene->retry_after_s = reply->retry_after_s;
}

static const struct api_stream_events stream_events = { on_opened, on_data, on_ended };

static void scene_init(struct scene *scene, bool speaks_http2,
                       struct http_transport_config config) {
        char url[64];

        *scene = (struct scene){ 0 };
        assert_int_equal(event_loop_new(&scene->events, NULL), 0);
        scene->loop = event_loop_as_loop(scene->events);
        h2_server_start(&scene->server, scene->loop);
        if (!speaks_http2) {
                SSL_CTX_set_alpn_select_cb(scene->server.tls, NULL, NULL);
                loop_io_remove(scene->loop, scene->server.io);
                assert_int_equal(loop_io_add(scene->loop, scene->server.fd, LOOP_READ, on_client,
                                             scene, &scene->server.io, NULL),
                                 0);
        }
        snprintf(url, sizeof(url), "https://127.0.0.1:%u/above", scene->server.port);
        config.access.server = slice_dup(slice_of(url));
        config.access.ca_pem = slice_dup(slice_of(scene->server.material.ca_pem));
        config.access.token = slice_dup(SLICE_LITERAL("tok"));
        assert_int_equal(http_transport_new(&config, scene->loop, &scene->http, NULL), 0);
        scene->transport = http_transport(scene->http);
}

static void ask_for_much(struct scene *scene) {
        struct api_call call = { .method = API_GET,
                                 .path = SLICE_LITERAL("/list?a=b"),
                                 .accept = SLICE_LITERAL("some/thing"),
                                 .is_large = true };

        scene->request = transport_stream(&scene->transport, &call, &stream_events, scene);
}

static void turn(struct scene *scene) {
        assert_int_equal(event_loop_run_once(scene->events, NS_PER_MS, NULL), 0);
        if (scene->has_asked && scene->ssl)
                send_piece(scene);
}

static void until_ended(struct scene *scene) {
        for (int i = 0; scene->ended == 0; i++) {
                assert_true(i < 20000);
                turn(scene);
        }
}

static void scene_end(struct scene *scene) {
        http_transport_free(scene->http);
        hang_up(scene);
        h2_server_stop(&scene->server);
        event_loop_free(scene->events);
        buf_release(&scene->body);
}

static const struct {
        const char *name, *answer, *body;
        int status, code;
} cases[] = {
        { "chunks, an informational answer before",
          "HTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
          "Date: Mon, 23 Nov 2026 23:00:00 GMT\r\n\r\n3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n",
          "abcdefg", 200, 0 },
        { "counted", "HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc", "abc", 200, 0 },
        { "until the end", "HTTP/1.0 200 OK\r\n\r\nabc", "abc", 200, 0 },
        { "refused", "HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\nRetry-After: 7\r\n\r\n{}", "",
          403, BERTH_ERR_FORBIDDEN },
        { "expired", "HTTP/1.1 410 Gone\r\nContent-Length: 2\r\n\r\n{}", "", 410,
          BERTH_ERR_EXPIRED },
        { "cut in a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nabc", "abc",
          0, BERTH_ERR_IO },
        { "cut before the last chunk",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", "abc", 0,
          BERTH_ERR_IO },
        { "fewer than it counted", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabc", "abc", 0,
          BERTH_ERR_IO },
        { "cut in the head", "HTTP/1.1 200 OK\r\nContent-", "", 0, BERTH_ERR_IO },
        { "no HTTP", "SSH-2.0\r\n\r\n", "", 0, BERTH_ERR_IO },
        { "another coding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nabc", "", 0,
          BERTH_ERR_IO },
        { "no length", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nabc", "", 0, BERTH_ERR_IO },
};

static void check_case(size_t i, size_t piece) {
        struct scene scene;

        scene_init(&scene, false, (struct http_transport_config){ 0 });
        scene.answer = cases[i].answer;
        scene.piece = piece;
        ask_for_much(&scene);
        until_ended(&scene);
        if (scene.status != cases[i].status || scene.code != cases[i].code ||
            !slice_is(buf_view(&scene.body), cases[i].body))
                fail_msg("%s, pieces of %zu: status %d, code %d, \"" SLICE_FMT "\"", cases[i].name,
                         piece, scene.status, scene.code, SLICE_ARG(buf_view(&scene.body)));
        if (scene.status == 403)
                assert_int_equal(scene.retry_after_s, 7);
        assert_int_equal(scene.ended, 1);
        scene_end(&scene);
}

static void test_answers(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++)
                check_case(i, 0);
        check_case(0, 1);
        check_case(0, 7);
}

static void test_request(void **state) {
        struct scene scene;

        (void)state;
        scene_init(&scene, false, (struct http_transport_config){ .header = "X-Own: a" });
        scene.answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
        ask_for_much(&scene);
        until_ended(&scene);
        assert_int_equal(scene.opened, 1);
        assert_true(slice_has_prefix(
                slice_of(scene.asked),
                SLICE_LITERAL("GET /above/list?a=b HTTP/1.1\r\nHost: 127.0.0.1:")));
        assert_non_null(strstr(scene.asked, "\r\nAccept: some/thing\r\n"));
        assert_non_null(strstr(scene.asked, "\r\nAuthorization: Bearer tok\r\n"));
        assert_non_null(strstr(scene.asked, "\r\nX-Own: a\r\n"));
        scene_end(&scene);
}

/* More than the buffers hold, of a server that sends slowly at the end. */
static void test_much(void **state) {
        size_t size = 3000000;
        char *answer = xcalloc(1, size + 100);
        struct scene scene;

        (void)state;
        int head = snprintf(answer, 100, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n", size);
        for (size_t i = 0; i < size; i++)
                answer[(size_t)head + i] = (char)('a' + i % 23);
        scene_init(&scene, false, (struct http_transport_config){ 0 });
        scene.answer = answer;
        scene.piece = 10000;
        scene.stays = true; /* the count alone says that it is over */
        ask_for_much(&scene);
        until_ended(&scene);
        assert_int_equal(scene.status, 200);
        assert_int_equal(scene.body.len, size);
        assert_memory_equal(scene.body.data, answer + head, size);
        scene_end(&scene);
        free(answer);
}

static void test_cancelled(void **state) {
        struct scene scene;

        (void)state;
        for (int when = 0; when < 3; when++) {
                scene_init(&scene, false, (struct http_transport_config){ 0 });
                scene.answer = "HTTP/1.1 200 OK\r\n\r\nabc";
                scene.stays = true;
                scene.cancels_on_data = when == 2;
                ask_for_much(&scene);
                for (int i = 0;
                     i < 20000 && !(when == 1 && scene.has_asked) && !(when == 2 && scene.body.len);
                     i++) {
                        turn(&scene);
                        if (when == 0)
                                break; /* while it connects */
                }
                if (when < 2)
                        transport_cancel(&scene.transport, scene.request);
                for (int i = 0; i < 50; i++)
                        turn(&scene);
                assert_int_equal(scene.ended, 0);
                scene_end(&scene);
        }
}

static void test_silent_server(void **state) {
        struct scene scene;

        (void)state;
        scene_init(&scene, false,
                   (struct http_transport_config){ .stream_idle_ns = 200 * NS_PER_MS });
        scene.answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
        scene.stays = true;
        ask_for_much(&scene);
        until_ended(&scene);
        assert_int_equal(scene.code, BERTH_ERR_TIMEOUT);
        scene_end(&scene);
}

/* A server that speaks HTTP/2 alone: the list comes that way. */
static void test_another_way(void **state) {
        struct scene scene;

        (void)state;
        scene_init(&scene, true, (struct http_transport_config){ 0 });
        ask_for_much(&scene);
        until_ended(&scene);
        assert_int_equal(scene.status, 200);
        assert_true(slice_is(buf_view(&scene.body), "{\"answered\":true}"));
        assert_int_equal(scene.server.asked, 1);
        scene_end(&scene);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_answers),       cmocka_unit_test(test_request),
                cmocka_unit_test(test_much),          cmocka_unit_test(test_cancelled),
                cmocka_unit_test(test_silent_server), cmocka_unit_test(test_another_way),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
