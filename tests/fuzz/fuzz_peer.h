/* Bytes on a connection to a server of this process, for fuzzers. */
#pragma once

#include "base/util.h"
#include "loop/event_loop.h"
#include <arpa/inet.h>
#include <assert.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define FUZZ_PATIENCE_NS (20 * NS_PER_MS) /* with watches and bodies that never end */

struct fuzz_peer {
        struct loop *loop;
        int fd;
};

static inline void fuzz_on_bytes(void *context, unsigned events) {
        struct fuzz_peer *peer = context;
        char answer[4096];

        (void)events;
        if (read(peer->fd, answer, sizeof(answer)) <= 0)
                loop_stop(peer->loop);
}

static inline void fuzz_on_patience(void *context) {
        loop_stop(((struct fuzz_peer *)context)->loop);
}

static inline int fuzz_dial(uint16_t port) {
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

/* Sends them, and lets the loop run until the server hangs up or nothing more comes. */
static inline void fuzz_send(struct event_loop *events, uint16_t port, const uint8_t *data,
                             size_t size) {
        struct fuzz_peer peer = { event_loop_as_loop(events), fuzz_dial(port) };
        struct loop_timer timer = { .fired = fuzz_on_patience, .context = &peer };
        struct loop_io *io = NULL;

        if (write(peer.fd, data, size) == (ssize_t)size) {
                shutdown(peer.fd, SHUT_WR);
                loop_io_add(peer.loop, peer.fd, LOOP_READ, fuzz_on_bytes, &peer, &io, NULL);
                loop_timer_arm(peer.loop, &timer, FUZZ_PATIENCE_NS);
                event_loop_run(events, NULL);
                loop_timer_disarm(peer.loop, &timer);
                loop_io_remove(peer.loop, io);
        }
        close(peer.fd);
}
