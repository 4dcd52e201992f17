/* Accepts, reads one request, answers, closes. */
#include "host/metrics_listener.h"

#include "base/util.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define METRICS_ANSWER_MAX ((size_t)1 << 20)
#define METRICS_PAUSE_NS (100 * NS_PER_MS)

struct metrics_connection {
        struct metrics_listener *listener; /* NULL = free slot */
        struct loop_io *io;
        struct loop_timer timer;
        int fd;
        bool is_answering;
        struct buf text; /* the request, then what is left of the answer */
        size_t sent;
};

struct metrics_listener {
        struct loop *loop;
        struct loop_io *io;
        int fd;
        uint16_t port;
        void (*write)(void *context, struct buf *out);
        void *context;
        struct loop_timer pause;
        struct metrics_connection connections[METRICS_CONNECTIONS_MAX];
};

static void close_connection(struct metrics_connection *connection) {
        struct loop *loop = connection->listener->loop;

        loop_timer_disarm(loop, &connection->timer);
        if (connection->io)
                loop_io_remove(loop, connection->io);
        close(connection->fd);
        buf_release(&connection->text);
        *connection = (struct metrics_connection){ 0 };
}

static void on_timeout(void *context) {
        close_connection(context);
}

static void send_answer(struct metrics_connection *connection) {
        struct buf *text = &connection->text;
        ssize_t sent = send(connection->fd, text->data + connection->sent,
                            text->len - connection->sent, MSG_NOSIGNAL);

        if (sent < 0 && (errno == EAGAIN || errno == EINTR))
                return;
        if (sent > 0)
                connection->sent += (size_t)sent;
        if (sent <= 0 || connection->sent == text->len)
                close_connection(connection);
}

static bool is_path(const struct buf *request, const char *path) {
        size_t len = strlen(path);

        return request->len > 4 + len && strncmp(request->data, "GET ", 4) == 0 &&
               strncmp(request->data + 4, path, len) == 0 && strchr(" ?", request->data[4 + len]);
}

static void metrics_listener_answer(struct metrics_connection *connection) {
        struct metrics_listener *listener = connection->listener;
        const char *status = "200 OK";
        struct buf body = { 0 };

        if (is_path(&connection->text, "/metrics"))
                listener->write(listener->context, &body);
        else if (is_path(&connection->text, "/healthz"))
                buf_text(&body, "ok");
        else
                status = "404 Not Found";
        buf_clear(&connection->text);
        buf_printf(&connection->text,
                   "HTTP/1.1 %s\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
                   "Content-Length: %zu\r\nConnection: close\r\n\r\n",
                   status, body.len);
        buf_slice(&connection->text, buf_view(&body));
        buf_release(&body);
        connection->is_answering = true;
        loop_io_change(listener->loop, connection->io, LOOP_WRITE);
}

static void on_ready(void *context, unsigned events) {
        struct metrics_connection *connection = context;
        char chunk[1024];

        (void)events;
        if (connection->is_answering) {
                send_answer(connection);
                return;
        }
        ssize_t got = recv(connection->fd, chunk, sizeof(chunk), 0);
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
                return;
        if (got <= 0 || !buf_append(&connection->text, chunk, (size_t)got)) {
                close_connection(connection);
                return;
        }
        if (strstr(connection->text.data, "\r\n\r\n"))
                metrics_listener_answer(connection);
        else if (connection->text.len > METRICS_REQUEST_MAX)
                close_connection(connection);
}

static void metrics_listener_resume(void *context) {
        struct metrics_listener *listener = context;

        loop_io_change(listener->loop, listener->io, LOOP_READ);
}

/* No descriptor is left: asking again at once would take all the time there is. */
static void metrics_listener_pause(struct metrics_listener *listener) {
        listener->pause.fired = metrics_listener_resume;
        listener->pause.context = listener;
        loop_io_change(listener->loop, listener->io, 0);
        loop_timer_arm(listener->loop, &listener->pause, METRICS_PAUSE_NS);
}

static void on_accept(void *context, unsigned events) {
        struct metrics_listener *listener = context;
        struct metrics_connection *connection = NULL;
        int fd = accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

        (void)events;
        if (fd < 0) {
                if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
                        metrics_listener_pause(listener);
                return;
        }
        for (size_t i = 0; i < METRICS_CONNECTIONS_MAX && !connection; i++)
                if (!listener->connections[i].listener)
                        connection = &listener->connections[i];
        if (!connection) {
                close(fd);
                return;
        }
        *connection = (struct metrics_connection){
                .listener = listener,
                .fd = fd,
                .timer = { .fired = on_timeout, .context = connection },
        };
        buf_init(&connection->text, METRICS_ANSWER_MAX);
        if (loop_io_add(listener->loop, fd, LOOP_READ, on_ready, connection, &connection->io,
                        NULL) < 0) {
                close_connection(connection);
                return;
        }
        loop_timer_arm(listener->loop, &connection->timer, METRICS_TIMEOUT_NS);
}

static int bind_first(const struct addrinfo *addresses, uint16_t *ret_port) {
        for (const struct addrinfo *a = addresses; a; a = a->ai_next) {
                int fd = socket(a->ai_family, a->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
                int on = 1, off = 0;
                struct sockaddr_storage bound;
                socklen_t size = sizeof(bound);

                if (fd < 0)
                        continue;
                setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
                if (a->ai_family == AF_INET6)
                        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
                if (bind(fd, a->ai_addr, a->ai_addrlen) == 0 && listen(fd, 16) == 0 &&
                    getsockname(fd, (struct sockaddr *)&bound, &size) == 0) {
                        *ret_port = ntohs(bound.ss_family == AF_INET6
                                                  ? ((struct sockaddr_in6 *)&bound)->sin6_port
                                                  : ((struct sockaddr_in *)&bound)->sin_port);
                        return fd;
                }
                close(fd);
        }
        return -1;
}

/* "" means every address: IPv6 with IPv4 inside where there is IPv6, else IPv4. */
static int listen_on(const char *host, uint16_t port, uint16_t *ret_port) {
        const int families[] = { AF_INET6, AF_INET };
        char service[8];
        int fd = -1;

        snprintf(service, sizeof(service), "%u", port);
        for (size_t i = 0; i < ARRAY_LEN(families) && fd < 0; i++) {
                struct addrinfo hints = { .ai_flags = AI_PASSIVE,
                                          .ai_family = families[i],
                                          .ai_socktype = SOCK_STREAM };
                struct addrinfo *addresses = NULL;

                if (getaddrinfo(host[0] ? host : NULL, service, &hints, &addresses) != 0)
                        continue;
                fd = bind_first(addresses, ret_port);
                freeaddrinfo(addresses);
        }
        return fd;
}

int metrics_listener_new(struct loop *loop, const struct metrics_address *address,
                         void (*write)(void *context, struct buf *out), void *context,
                         struct metrics_listener **ret_listener, struct err *err) {
        struct metrics_listener *listener = xcalloc(1, sizeof(*listener));

        *listener = (struct metrics_listener){ .loop = loop, .write = write, .context = context };
        listener->fd = listen_on(address->host, address->port, &listener->port);
        if (listener->fd < 0) {
                free(listener);
                return err_set_errno(err, BERTH_ERR_IO, errno, "cannot listen on %s:%u for metrics",
                                     address->host, address->port);
        }
        if (loop_io_add(loop, listener->fd, LOOP_READ, on_accept, listener, &listener->io, err) <
            0) {
                close(listener->fd);
                free(listener);
                return BERTH_ERR_IO;
        }
        *ret_listener = listener;
        return 0;
}

void metrics_listener_free(struct metrics_listener *listener) {
        if (!listener)
                return;
        for (size_t i = 0; i < METRICS_CONNECTIONS_MAX; i++)
                if (listener->connections[i].listener)
                        close_connection(&listener->connections[i]);
        loop_timer_disarm(listener->loop, &listener->pause);
        loop_io_remove(listener->loop, listener->io);
        close(listener->fd);
        free(listener);
}

uint16_t metrics_listener_port(const struct metrics_listener *listener) {
        return listener->port;
}
