/* Bytes as answers of a server: a plain call and a stream end once each, whatever comes, and no
 * body goes beyond the limit. */
#include "base/util.h"
#include "client/http_transport.h"
#include "loop/event_loop.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define BODY_MAX 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct {
        struct event_loop *events;
        struct loop *loop;
        struct transport transport;
        int listener, connection; /* one at a time */
        struct loop_io *connected;
        const uint8_t *answer;
        size_t answer_size;
        int ended;
} scene;

static void on_request(void *context, unsigned events) {
        char request[4096];
        ssize_t size = read(scene.connection, request, sizeof(request));

        (void)context;
        (void)events;
        if (size > 0)
                size = write(scene.connection, scene.answer, scene.answer_size);
        loop_io_remove(scene.loop, scene.connected);
        close(scene.connection);
}

static void on_connection(void *context, unsigned events) {
        (void)context;
        (void)events;
        scene.connection = accept(scene.listener, NULL, NULL);
        loop_io_add(scene.loop, scene.connection, LOOP_READ, on_request, NULL, &scene.connected,
                    NULL);
}

static void on_reply(void *context, const struct api_reply *reply) {
        (void)context;
        assert(reply->body.len <= (scene.ended ? HTTP_STREAM_ERROR_MAX : BODY_MAX));
        assert(reply->status != 0 || reply->error.code < 0);
        scene.ended++;
}

static void on_opened(void *context, int status) {
        (void)context;
        (void)status;
}

static void on_data(void *context, struct slice chunk) {
        (void)context;
        assert(chunk.len > 0);
}

static void start(void) {
        static char folder[] = "/tmp/berth-fuzz-XXXXXX";
        struct sockaddr_un address = { .sun_family = AF_UNIX };
        struct http_transport_config config = { .user_agent = "fuzz/1", .body_max = BODY_MAX };
        struct http_transport *http;
        struct loop_io *io;
        int code = mkdtemp(folder) ? event_loop_new(&scene.events, NULL) : -1;

        assert(code == 0);
        scene.loop = event_loop_as_loop(scene.events);
        snprintf(address.sun_path, sizeof(address.sun_path), "%s/socket", folder);
        scene.listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        code = bind(scene.listener, (struct sockaddr *)&address, sizeof(address));
        assert(code == 0);
        code = listen(scene.listener, 8);
        assert(code == 0);
        loop_io_add(scene.loop, scene.listener, LOOP_READ, on_connection, NULL, &io, NULL);
        config.access.server = slice_dup(SLICE_LITERAL("http://cluster.example/"));
        config.access.unix_socket = slice_dup(slice_of(address.sun_path));
        code = http_transport_new(&config, scene.loop, &http, NULL);
        assert(code == 0);
        scene.transport = http_transport(http);
}

static void wait_for(int ended) {
        while (scene.ended < ended)
                event_loop_run_once(scene.events, NS_PER_S, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        static const struct api_stream_events events = { on_opened, on_data, on_reply };
        struct api_call call = { .path = SLICE_LITERAL("/x"), .timeout_ns = NS_PER_S };

        if (!scene.events)
                start();
        scene.answer = data;
        scene.answer_size = size;
        scene.ended = 0;
        transport_call(&scene.transport, &call, on_reply, NULL);
        wait_for(1);
        transport_stream(&scene.transport, &call, &events, NULL);
        wait_for(2);
        return 0;
}
