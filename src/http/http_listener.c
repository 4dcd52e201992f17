/* Listening socket that waits for the first byte of every connection. */
#include "http/http_listener.h"

#include "base/log.h"
#include "base/util.h"
#include "http/http_peers.h"
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LISTEN_BACKLOG 512
/* How long nothing is accepted after there was no descriptor left. */
#define PAUSE_NS (100 * NS_PER_MS)
#define COMPLAIN_EVERY_NS (60 * NS_PER_S)

/* Accepted, but nothing was received yet. */
struct accepted_connection {
        struct http_listener *listener;
        struct accepted_connection *next, *previous;
        int fd;
        struct loop_io *io;
        struct http_peer peer;
        struct sockaddr_storage address;
        socklen_t address_size;
};

struct http_listener {
        struct loop *loop;
        struct http_listener_config config;
        int fd;
        struct loop_io *io;
        uint16_t port;
        struct accepted_connection *connections;
        struct loop_timer pause;
        struct mono_time complained; /* of a lack of descriptors */
};

static void accepted_free(struct accepted_connection *accepted) {
        struct http_listener *listener = accepted->listener;

        if (accepted->io)
                loop_io_remove(listener->loop, accepted->io);
        http_peers_remove(&accepted->peer);
        if (accepted->previous)
                accepted->previous->next = accepted->next;
        else
                listener->connections = accepted->next;
        if (accepted->next)
                accepted->next->previous = accepted->previous;
        if (accepted->fd >= 0)
                close(accepted->fd);
        free(accepted);
}

bool http_peer_is_loopback(const struct sockaddr *address) {
        const struct sockaddr_in *four = (const struct sockaddr_in *)(const void *)address;
        const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)(const void *)address;

        if (address->sa_family == AF_INET)
                return ntohl(four->sin_addr.s_addr) >> 24 == 127;
        if (address->sa_family != AF_INET6)
                return false;
        return IN6_IS_ADDR_LOOPBACK(&six->sin6_addr) ||
               (IN6_IS_ADDR_V4MAPPED(&six->sin6_addr) && six->sin6_addr.s6_addr[12] == 127);
}

/* The first byte shows whether it is TLS or HTTP. */
static void accepted_ready(void *context, unsigned events) {
        struct accepted_connection *accepted = context;
        const struct http_listener_config *config = &accepted->listener->config;
        struct http_connection ready = { .fd = accepted->fd,
                                         .is_loopback = http_peer_is_loopback(
                                                 (const struct sockaddr *)&accepted->address),
                                         .address_size = accepted->address_size,
                                         .since = accepted->peer.since };
        struct sockaddr_storage address = accepted->address;
        ssize_t got = recv(accepted->fd, &ready.first_byte, 1, MSG_PEEK | MSG_DONTWAIT);

        (void)events;
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
                return;
        if (got == 1)
                accepted->fd = -1;
        accepted_free(accepted);
        ready.address = (const struct sockaddr *)&address;
        if (got == 1)
                config->connected(config->context, &ready);
}

static void accepted_cut(struct http_peer *peer) {
        accepted_free(CONTAINER_OF(peer, struct accepted_connection, peer));
}

static void accepted_new(struct http_listener *listener, int fd,
                         const struct sockaddr_storage *address, socklen_t size) {
        struct accepted_connection *accepted = xcalloc(1, sizeof(*accepted));

        accepted->listener = listener;
        accepted->fd = fd;
        accepted->address = *address;
        accepted->address_size = size;
        accepted->peer.cut = accepted_cut;
        accepted->next = listener->connections;
        if (accepted->next)
                accepted->next->previous = accepted;
        listener->connections = accepted;
        http_peers_add(listener->config.peers, &accepted->peer,
                       (const struct sockaddr *)&accepted->address);
        if (loop_io_add(listener->loop, fd, LOOP_READ, accepted_ready, accepted, &accepted->io,
                        NULL) < 0)
                accepted_free(accepted);
}

/* A peer that vanished without a word is noticed after two minutes. */
static void keep_alive(int fd) {
        int on = 1, idle_s = 60, every_s = 15, count = 4;

        setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
        setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof(idle_s));
        setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &every_s, sizeof(every_s));
        setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof(count));
}

static void http_listener_resume(void *context) {
        struct http_listener *listener = context;

        loop_io_change(listener->loop, listener->io, LOOP_READ);
}

/* No descriptor is left: strangers make room, and the rest of the process gets time to. */
static void accept_pause(struct http_listener *listener, int code) {
        struct mono_time now = loop_mono(listener->loop);

        if (code != EMFILE && code != ENFILE && code != ENOBUFS && code != ENOMEM)
                return;
        http_peers_cut_oldest(listener->config.peers);
        loop_io_change(listener->loop, listener->io, 0);
        loop_timer_arm(listener->loop, &listener->pause, PAUSE_NS);
        if (listener->complained.ns && now.ns - listener->complained.ns < COMPLAIN_EVERY_NS)
                return;
        listener->complained = now;
        LOG(LOG_WARN, "CannotAccept", log_text("why", strerror(code)),
            log_i64("port", listener->port));
}

static void accept_ready(void *context, unsigned events) {
        struct http_listener *listener = context;
        struct sockaddr_storage address;
        socklen_t size;
        int fd, one = 1;

        (void)events;
        for (;;) {
                size = sizeof(address);
                fd = accept4(listener->fd, (struct sockaddr *)&address, &size,
                             SOCK_NONBLOCK | SOCK_CLOEXEC);
                if (fd < 0 && errno == EINTR)
                        continue;
                if (fd < 0) {
                        accept_pause(listener, errno);
                        return;
                }
                setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
                keep_alive(fd);
                accepted_new(listener, fd, &address, size);
        }
}

void http_listener_look(struct http_listener *listener) {
        struct accepted_connection *next;

        if (!loop_timer_is_armed(&listener->pause))
                accept_ready(listener, LOOP_READ);
        for (struct accepted_connection *each = listener->connections; each; each = next) {
                next = each->next;
                accepted_ready(each, LOOP_READ);
        }
}

/* ---- listening ---- */

/* "host:port", "[v6]:port", ":port" */
static int split_address(const char *address, char *host, size_t host_size, const char **ret_port,
                         struct err *err) {
        const char *colon = strrchr(address, ':');

        if (!colon)
                return err_set(err, BERTH_ERR_USAGE, "address %s lacks a port", address);
        *ret_port = colon + 1;
        size_t length = (size_t)(colon - address);
        if (length >= 2 && address[0] == '[' && address[length - 1] == ']') {
                address++;
                length -= 2;
        }
        if (length >= host_size)
                return err_set(err, BERTH_ERR_USAGE, "address %s is too long", address);
        memcpy(host, address, length);
        host[length] = '\0';
        return 0;
}

static int listen_on(const struct addrinfo *info) {
        int fd = socket(info->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), one = 1;

        if (fd < 0)
                return -1;
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
        if (bind(fd, info->ai_addr, info->ai_addrlen) == 0 && listen(fd, LISTEN_BACKLOG) == 0)
                return fd;
        one = errno;
        close(fd);
        errno = one;
        return -1;
}

static int open_socket(struct http_listener *listener, const char *address, struct err *err) {
        struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE };
        struct addrinfo *infos = NULL;
        struct sockaddr_storage bound;
        socklen_t size = sizeof(bound);
        char host[256];
        const char *port = "";

        if (split_address(address, host, sizeof(host), &port, err) < 0)
                return BERTH_ERR_USAGE;
        int r = getaddrinfo(*host ? host : NULL, port, &hints, &infos);
        if (r != 0)
                return err_set(err, BERTH_ERR_IO, "cannot resolve %s: %s", address,
                               gai_strerror(r));
        listener->fd = listen_on(infos);
        r = errno;
        freeaddrinfo(infos);
        if (listener->fd < 0)
                return err_set_errno(err, BERTH_ERR_IO, r, "cannot listen on %s", address);
        getsockname(listener->fd, (struct sockaddr *)&bound, &size);
        listener->port =
                ntohs(bound.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&bound)->sin6_port
                                                  : ((struct sockaddr_in *)&bound)->sin_port);
        return loop_io_add(listener->loop, listener->fd, LOOP_READ, accept_ready, listener,
                           &listener->io, err);
}

/* ---- life ---- */

int http_listener_new(const struct http_listener_config *config, struct loop *loop,
                      struct http_listener **ret_listener, struct err *err) {
        struct http_listener *listener = xcalloc(1, sizeof(*listener));

        listener->loop = loop;
        listener->config = *config;
        listener->fd = -1;
        listener->pause = (struct loop_timer){ .fired = http_listener_resume, .context = listener };
        int r = open_socket(listener, config->address, err);
        listener->config.address = NULL; /* only now the caller's */
        if (r < 0) {
                http_listener_free(listener);
                return r;
        }
        *ret_listener = listener;
        return 0;
}

void http_listener_free(struct http_listener *listener) {
        if (!listener)
                return;
        while (listener->connections)
                accepted_free(listener->connections);
        loop_timer_disarm(listener->loop, &listener->pause);
        if (listener->io)
                loop_io_remove(listener->loop, listener->io);
        if (listener->fd >= 0)
                close(listener->fd);
        free(listener);
}

uint16_t http_listener_port(const struct http_listener *listener) {
        return listener->port;
}
