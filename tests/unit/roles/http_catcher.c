/* Accepts, reads whole requests, answers, keeps the connection. */
#include "http_catcher.h"

#include <errno.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

static void drop(struct catcher_connection *connection) {
        loop_io_remove(connection->catcher->loop, connection->io);
        close(connection->fd);
        buf_release(&connection->text);
        *connection = (struct catcher_connection){ 0 };
}

static void say(struct catcher_connection *connection, const char *text) {
        (void)!send(connection->fd, text, strlen(text), MSG_NOSIGNAL);
}

static void answer_http(struct catcher_connection *connection, const char *request) {
        const struct catcher *catcher = connection->catcher;
        bool refuses = catcher->refuses_post && strncmp(request, "POST", 4) == 0;
        const char *body = catcher->body && !refuses ? catcher->body : "";
        struct buf text = { 0 };

        if (catcher->hangs)
                return;
        buf_printf(&text, "HTTP/1.1 %d X\r\nContent-Length: %zu\r\n\r\n%s",
                   refuses ? catcher->refuses_post : catcher->status, strlen(body), body);
        say(connection, text.data);
        buf_release(&text);
}

/* True when a whole request was there and is used up. */
static bool take_http(struct catcher_connection *connection) {
        struct catcher *catcher = connection->catcher;
        const char *end = connection->text.data ? strstr(connection->text.data, "\r\n\r\n") : NULL;
        const char *length;
        size_t size;
        struct buf rest = { 0 };

        if (!end)
                return false;
        length = strcasestr(connection->text.data, "content-length:");
        size = (size_t)(end - connection->text.data) + 4 +
               (length && length < end ? (size_t)strtoul(length + 15, NULL, 10) : 0);
        if (connection->text.len < size)
                return false;
        buf_append(&catcher->caught, connection->text.data, size);
        buf_char(&catcher->caught, '\n');
        catcher->count++;
        answer_http(connection, connection->text.data);
        buf_append(&rest, connection->text.data + size, connection->text.len - size);
        buf_release(&connection->text);
        connection->text = rest;
        return true;
}

/* One line of a mail's way. */
static bool take_smtp(struct catcher_connection *connection) {
        struct catcher *catcher = connection->catcher;
        const char *end = connection->text.data ? strstr(connection->text.data, "\r\n") : NULL;
        struct buf rest = { 0 };
        struct slice line;

        if (!end)
                return false;
        line = slice_make(connection->text.data, (size_t)(end - connection->text.data));
        buf_slice(&catcher->caught, line);
        buf_char(&catcher->caught, '\n');
        if (connection->is_mail_text && slice_is(line, ".")) {
                connection->is_mail_text = false;
                catcher->count++;
                say(connection, "250 kept\r\n");
        } else if (!connection->is_mail_text && slice_has_prefix(line, SLICE_LITERAL("EHLO"))) {
                say(connection, "250-catcher\r\n250 AUTH PLAIN\r\n");
        } else if (!connection->is_mail_text && slice_has_prefix(line, SLICE_LITERAL("AUTH"))) {
                say(connection, "334 \r\n");
        } else if (!connection->is_mail_text && slice_is(line, CATCHER_LOGIN)) {
                say(connection, "235 yes\r\n");
        } else if (!connection->is_mail_text && slice_is(line, "DATA")) {
                connection->is_mail_text = true;
                say(connection, "354 go on\r\n");
        } else if (!connection->is_mail_text) {
                say(connection, slice_is(line, "QUIT") ? "221 bye\r\n" : "250 ok\r\n");
        }
        buf_append(&rest, end + 2, connection->text.len - line.len - 2);
        buf_release(&connection->text);
        connection->text = rest;
        return true;
}

static void on_data(void *context, unsigned events) {
        struct catcher_connection *connection = context;
        char chunk[4096];
        ssize_t got = recv(connection->fd, chunk, sizeof(chunk), MSG_DONTWAIT);

        (void)events;
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
                return;
        if (got <= 0) {
                drop(connection);
                return;
        }
        buf_append(&connection->text, chunk, (size_t)got);
        while (connection->catcher->is_mail ? take_smtp(connection) : take_http(connection))
                continue;
}

static void on_accept(void *context, unsigned events) {
        struct catcher *catcher = context;
        int fd = accept4(catcher->fd, NULL, NULL, SOCK_CLOEXEC);

        (void)events;
        for (size_t i = 0; fd >= 0 && i < CATCHER_CONNECTIONS; i++) {
                struct catcher_connection *connection = &catcher->connections[i];

                if (connection->catcher)
                        continue;
                *connection = (struct catcher_connection){ .catcher = catcher, .fd = fd };
                assert_int_equal(loop_io_add(catcher->loop, fd, LOOP_READ, on_data, connection,
                                             &connection->io, NULL),
                                 0);
                if (catcher->is_mail && !catcher->hangs)
                        say(connection, "220 catcher\r\n");
                return;
        }
        if (fd >= 0)
                close(fd);
}

void catcher_start(struct catcher *catcher, struct loop *loop) {
        struct sockaddr_in address = { .sin_family = AF_INET,
                                       .sin_addr = { htonl(INADDR_LOOPBACK) } };
        socklen_t size = sizeof(address);

        catcher->loop = loop;
        if (catcher->status == 0)
                catcher->status = 200;
        catcher->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        assert_int_equal(bind(catcher->fd, (struct sockaddr *)&address, size), 0);
        assert_int_equal(listen(catcher->fd, 16), 0);
        assert_int_equal(getsockname(catcher->fd, (struct sockaddr *)&address, &size), 0);
        catcher->port = ntohs(address.sin_port);
        assert_int_equal(
                loop_io_add(loop, catcher->fd, LOOP_READ, on_accept, catcher, &catcher->io, NULL),
                0);
}

void catcher_stop(struct catcher *catcher) {
        for (size_t i = 0; i < CATCHER_CONNECTIONS; i++)
                if (catcher->connections[i].catcher)
                        drop(&catcher->connections[i]);
        loop_io_remove(catcher->loop, catcher->io);
        close(catcher->fd);
        buf_release(&catcher->caught);
        *catcher = (struct catcher){ 0 };
}

bool catcher_has(const struct catcher *catcher, const char *text) {
        return slice_contains(buf_view(&catcher->caught), slice_of(text));
}
