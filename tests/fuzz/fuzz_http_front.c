/* Bytes on a connection to the API server's port: whatever they are, an answer or none, and the
 * server goes on. */
#include "base/util.h"
#include "run/event_loop.h"
#include "server/api_server.h"
#include "server/http_front.h"
#include <arpa/inet.h>
#include <assert.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define PATIENCE_NS (20 * NS_PER_MS) /* with watches and bodies that never end */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct peer {
        struct loop *loop;
        int fd;
};

static void on_bytes(void *context, unsigned events) {
        struct peer *peer = context;
        char answer[4096];

        (void)events;
        if (read(peer->fd, answer, sizeof(answer)) <= 0)
                loop_stop(peer->loop);
}

static void on_patience(void *context) {
        loop_stop(((struct peer *)context)->loop);
}

static int dial(uint16_t port) {
        struct sockaddr_in address = { .sin_family = AF_INET,
                                       .sin_port = htons(port),
                                       .sin_addr = { htonl(INADDR_LOOPBACK) } };
        struct linger linger = { 1, 0 }; /* no port waits after the end */
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), code;

        code = connect(fd, (struct sockaddr *)&address, sizeof(address));
        assert(code == 0);
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
        return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        static struct event_loop *events;
        static struct http_front *front;
        struct http_front_config config = { .address = "127.0.0.1:0" };
        struct loop_io *io = NULL;
        struct peer peer;
        struct loop_timer timer = { .fired = on_patience, .context = &peer };

        if (!events) {
                int code = event_loop_new(&events, NULL);
                struct api_server *server;

                assert(code == 0);
                server = api_server_new(&(struct api_server_config){ .seed = 1, .is_open = true },
                                        event_loop_as_loop(events));
                code = http_front_new(&config, server, event_loop_as_loop(events), &front, NULL);
                assert(code == 0);
        }
        peer = (struct peer){ event_loop_as_loop(events), dial(http_front_port(front)) };
        if (write(peer.fd, data, size) == (ssize_t)size) {
                shutdown(peer.fd, SHUT_WR);
                loop_io_add(peer.loop, peer.fd, LOOP_READ, on_bytes, &peer, &io, NULL);
                loop_timer_arm(peer.loop, &timer, PATIENCE_NS);
                event_loop_run(events, NULL);
                loop_timer_disarm(peer.loop, &timer);
                loop_io_remove(peer.loop, io);
        }
        close(peer.fd);
        return 0;
}
