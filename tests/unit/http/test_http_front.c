/* A front on the epoll loop, a handler of the test's own, and clients that read when they like. */
#include "http/http_front.h"

#include "base/arena.h"
#include "base/util.h"
#include "loop/event_loop.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#define ITERATIONS_MAX 20000
#define LINES 200000 /* of a stream */
#define LINE_BYTES 8

struct scene {
        struct event_loop *events;
        struct loop *loop;
        struct http_front *front;
        struct loop_timer timer;
        void (*ready)(void *context);
        void *ready_context;
        int pauses, resumed;
};

/* ---- handler ---- */

struct lines {
        struct http_stream stream;
        unsigned next;
};

static enum http_stream_state lines_read(struct http_stream *stream, struct buf *out,
                                         size_t soft_limit) {
        struct lines *lines = CONTAINER_OF(stream, struct lines, stream);
        size_t begin = out->len;

        while (lines->next < LINES && out->len - begin < soft_limit)
                buf_printf(out, "%07u\n", lines->next++);
        return lines->next < LINES ? HTTP_STREAM_MORE : HTTP_STREAM_ENDED;
}

static void lines_free(struct http_stream *stream) {
        free(CONTAINER_OF(stream, struct lines, stream));
}

static void answer_lines(struct http_response *ret_response) {
        static const struct http_stream_ops ops = { .read = lines_read, .free = lines_free };
        struct lines *lines = xcalloc(1, sizeof(*lines));

        lines->stream.ops = &ops;
        *ret_response = (struct http_response){ .status = 200,
                                                .retry_after_s = -1,
                                                .stream = &lines->stream };
}

static void is_due(void *context) {
        struct scene *scene = context;

        scene->ready(scene->ready_context);
}

/* "/lines" is a stream; all else is answered later, and what there is before is no answer. */
static void *begin(void *context, const struct http_request *request,
                   struct http_response *ret_response, void (*ready)(void *context),
                   void *ready_context) {
        struct scene *scene = context;

        if (slice_is(request->target, "/lines")) {
                answer_lines(ret_response);
                return NULL;
        }
        memset(ret_response, 0x5a, sizeof(*ret_response));
        scene->ready = ready;
        scene->ready_context = ready_context;
        scene->timer = (struct loop_timer){ .fired = is_due, .context = scene };
        loop_timer_arm(scene->loop, &scene->timer, NS_PER_MS);
        return scene;
}

static void *resume(void *pending, struct http_response *ret_response) {
        struct scene *scene = pending;

        scene->resumed++;
        *ret_response = (struct http_response){ .status = 200, .retry_after_s = -1 };
        buf_text(&ret_response->body, "late");
        return NULL;
}

static void cancel(void *pending) {
        (void)pending;
}

/* ---- scene ---- */

static void scene_begin(struct scene *scene) {
        *scene = (struct scene){ 0 };
        struct http_handler handler = {
                .begin = begin, .resume = resume, .cancel = cancel, .context = scene
        };

        assert_int_equal(event_loop_new(&scene->events, NULL), 0);
        scene->loop = event_loop_as_loop(scene->events);
        assert_int_equal(http_front_new(&(struct http_front_config){ .address = "127.0.0.1:0" },
                                        &handler, scene->loop, &scene->front, NULL),
                         0);
}

static void scene_end(struct scene *scene) {
        http_front_free(scene->front);
        event_loop_free(scene->events);
}

static int ask(const struct scene *scene, const char *path) {
        struct sockaddr_in address = { .sin_family = AF_INET,
                                       .sin_port = htons(http_front_port(scene->front)),
                                       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
        char text[64];
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        int count = snprintf(text, sizeof(text), "GET %s HTTP/1.0\r\n\r\n", path);

        assert_true(fd >= 0);
        assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
        assert_int_equal(send(fd, text, (size_t)count, 0), count);
        return fd;
}

/* Reads to the end, while between two iterations of the loop a long request lets others in. */
static void answer_of(struct scene *scene, int fd, bool is_busy, struct buf *out) {
        char part[1 << 16];

        for (int i = 0; i < ITERATIONS_MAX; i++) {
                assert_int_equal(event_loop_run_once(scene->events, NS_PER_MS, NULL), 0);
                ssize_t count = recv(fd, part, sizeof(part), MSG_DONTWAIT);
                if (count == 0)
                        break;
                if (count > 0)
                        buf_append(out, part, (size_t)count);
                if (!is_busy)
                        continue;
                usleep(6000); /* longer than what passes between two looks at the connections */
                http_front_let_in(scene->front);
                scene->pauses++;
        }
        close(fd);
}

static const char *body_of(const struct buf *answer) {
        const char *body = strstr(answer->data, "\r\n\r\n");

        assert_non_null(body);
        return body + 4;
}

/* ---- tests ---- */

/* A stream that is read while a long request lets others in goes out whole. */
static void test_streams_stand_still(void **state) {
        (void)state;
        CLEANUP(buf_release) struct buf answer = { 0 };
        struct scene scene;

        scene_begin(&scene);
        answer_of(&scene, ask(&scene, "/lines"), true, &answer);
        buf_text(&answer, "");
        const char *body = body_of(&answer);

        assert_true(scene.pauses > 10);
        for (unsigned i = 0; i < LINES; i++) {
                char line[LINE_BYTES + 1];

                snprintf(line, sizeof(line), "%07u\n", i);
                assert_memory_equal(body + (size_t)i * LINE_BYTES, line, LINE_BYTES);
        }
        assert_int_equal(strlen(body), LINES * LINE_BYTES);
        scene_end(&scene);
}

static void test_late_answer(void **state) {
        (void)state;
        CLEANUP(buf_release) struct buf answer = { 0 };
        struct scene scene;

        scene_begin(&scene);
        answer_of(&scene, ask(&scene, "/late"), false, &answer);
        buf_text(&answer, "");
        assert_string_equal(body_of(&answer), "late");
        assert_int_equal(scene.resumed, 1);
        scene_end(&scene);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_streams_stand_still),
                cmocka_unit_test(test_late_answer),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
