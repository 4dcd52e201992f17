/* A server of HTTP/2 in the test's own process: TLS on a real port, on the loop. What it answers
 * depends on the path; what it saw is counted. */
#pragma once

#include "base/util.h"
#include "http/tls_material.h"
#include "port/loop.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <nghttp2/nghttp2.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#define H2_CONNECTIONS_MAX 16

struct h2_stream {
        struct h2_stream *next;
        char path[64], method[8], authorization[64], content_type[64], own[64];
        size_t body_bytes, answer_sent;
        int32_t id;
        const char *answer;
        bool stays_open;
};

struct h2_connection {
        struct h2_server *server;
        struct loop_io *io;
        SSL *ssl;
        nghttp2_session *frames;
        struct h2_stream *streams; /* freed with the connection */
        int fd;
        bool is_accepted;
};

struct h2_server {
        struct loop *loop;
        struct loop_io *io;
        SSL_CTX *tls;
        struct tls_material material;
        int fd;
        uint16_t port;
        struct h2_connection *connections[H2_CONNECTIONS_MAX];
        /* What happens to requests, and what was seen. */
        int connected, asked, resets, refusals_left, unauthorized_left;
        size_t last_body;
        char last_type[64], last_authorization[64], last_own[64];
        struct h2_connection *last_connection;
        const char *long_answer; /* instead of the usual one */
        bool closes_next;        /* a connection, at once */
        struct h2_stream *watch; /* the last stream that stays open */
        struct h2_connection *watch_connection;
};

static inline void h2_close(struct h2_connection *connection) {
        for (size_t i = 0; i < H2_CONNECTIONS_MAX; i++)
                if (connection->server->connections[i] == connection)
                        connection->server->connections[i] = NULL;
        if (connection->server->watch_connection == connection)
                connection->server->watch = NULL;
        loop_io_remove(connection->server->loop, connection->io);
        nghttp2_session_del(connection->frames);
        while (connection->streams) {
                struct h2_stream *stream = connection->streams;

                connection->streams = stream->next;
                free(stream);
        }
        SSL_free(connection->ssl);
        close(connection->fd);
        free(connection);
}

static inline void h2_send(struct h2_connection *connection) {
        const uint8_t *data;
        ssize_t size;

        while ((size = nghttp2_session_mem_send(connection->frames, &data)) > 0)
                assert_int_equal(SSL_write(connection->ssl, data, (int)size), size);
        assert_true(size == 0);
}

static inline ssize_t h2_read_answer(nghttp2_session *frames, int32_t id, uint8_t *out, size_t size,
                                     uint32_t *flags, nghttp2_data_source *source, void *context) {
        struct h2_stream *stream = nghttp2_session_get_stream_user_data(frames, id);
        size_t left = strlen(stream->answer) - stream->answer_sent;

        (void)source;
        (void)context;
        if (left == 0 && stream->stays_open)
                return NGHTTP2_ERR_DEFERRED;
        if (size > left)
                size = left;
        memcpy(out, stream->answer + stream->answer_sent, size);
        stream->answer_sent += size;
        if (!stream->stays_open && stream->answer_sent == strlen(stream->answer))
                *flags |= NGHTTP2_DATA_FLAG_EOF;
        return (ssize_t)size;
}

static inline nghttp2_nv h2_pair(const char *name, const char *value) {
        return (nghttp2_nv){ (uint8_t *)(uintptr_t)name, (uint8_t *)(uintptr_t)value, strlen(name),
                             strlen(value), NGHTTP2_NV_FLAG_NONE };
}

static inline void h2_answer(nghttp2_session *frames, struct h2_stream *stream, const char *status,
                             const char *answer) {
        nghttp2_nv headers[] = { h2_pair(":status", status), h2_pair("retry-after", "7"),
                                 h2_pair("date", "Mon, 23 Nov 2026 23:00:00 GMT") };
        nghttp2_data_provider body = { .read_callback = h2_read_answer };

        stream->answer = answer;
        assert_int_equal(
                nghttp2_submit_response(frames, stream->id, headers, ARRAY_LEN(headers), &body), 0);
}

/* More bytes for the stream that stays open. */
static inline void h2_push(struct h2_server *server, const char *answer) {
        server->watch->answer = answer;
        server->watch->answer_sent = 0;
        assert_int_equal(
                nghttp2_session_resume_data(server->watch_connection->frames, server->watch->id),
                0);
        h2_send(server->watch_connection);
}

/* Whatever the path asks for. */
static inline void h2_handle(struct h2_connection *connection, struct h2_stream *stream) {
        struct h2_server *server = connection->server;
        nghttp2_session *frames = connection->frames;
        nghttp2_nv early[] = { h2_pair(":status", "103") };

        server->asked++;
        server->last_connection = connection;
        memcpy(server->last_authorization, stream->authorization,
               sizeof(server->last_authorization));
        server->last_body = stream->body_bytes;
        memcpy(server->last_type, stream->content_type, sizeof(server->last_type));
        memcpy(server->last_own, stream->own, sizeof(server->last_own));
        if (strcmp(stream->path, "/hang") == 0)
                return;
        if (strcmp(stream->path, "/refuse") == 0 && server->refusals_left-- > 0) {
                nghttp2_submit_rst_stream(frames, NGHTTP2_FLAG_NONE, stream->id,
                                          NGHTTP2_REFUSED_STREAM);
        } else if (strcmp(stream->path, "/away") == 0 && server->refusals_left-- > 0) {
                nghttp2_submit_goaway(frames, NGHTTP2_FLAG_NONE, stream->id - 2, NGHTTP2_NO_ERROR,
                                      NULL, 0);
        } else if (strcmp(stream->path, "/watch") == 0) {
                stream->stays_open = true;
                server->watch = stream;
                server->watch_connection = connection;
                h2_answer(frames, stream, "200", "first\n");
        } else if (strcmp(stream->path, "/token") == 0 && server->unauthorized_left-- > 0) {
                h2_answer(frames, stream, "401", "{}");
        } else if (strcmp(stream->path, "/busy") == 0) {
                h2_answer(frames, stream, "429", "{}");
        } else {
                nghttp2_submit_headers(frames, NGHTTP2_FLAG_NONE, stream->id, NULL, early, 1, NULL);
                h2_answer(frames, stream, "200",
                          server->long_answer ? server->long_answer : "{\"answered\":true}");
        }
}

static inline int h2_on_begin(nghttp2_session *frames, const nghttp2_frame *frame, void *context) {
        struct h2_connection *connection = context;
        struct h2_stream *stream = xcalloc(1, sizeof(*stream));

        stream->next = connection->streams;
        connection->streams = stream;
        stream->id = frame->hd.stream_id;
        return nghttp2_session_set_stream_user_data(frames, stream->id, stream);
}

static inline int h2_on_header(nghttp2_session *frames, const nghttp2_frame *frame,
                               const uint8_t *name, size_t name_size, const uint8_t *value,
                               size_t value_size, uint8_t flags, void *context) {
        struct h2_stream *stream =
                nghttp2_session_get_stream_user_data(frames, frame->hd.stream_id);
        struct slice key = slice_make((const char *)name, name_size);
        struct {
                const char *name;
                char *place;
                size_t size;
        } wanted[] = { { ":path", stream->path, sizeof(stream->path) },
                       { ":method", stream->method, sizeof(stream->method) },
                       { "authorization", stream->authorization, sizeof(stream->authorization) },
                       { "content-type", stream->content_type, sizeof(stream->content_type) },
                       { "x-own", stream->own, sizeof(stream->own) } };

        (void)flags;
        (void)context;
        for (size_t i = 0; i < ARRAY_LEN(wanted); i++)
                if (slice_is(key, wanted[i].name))
                        snprintf(wanted[i].place, wanted[i].size, "%.*s", (int)value_size,
                                 (const char *)value);
        return 0;
}

static inline int h2_on_data(nghttp2_session *frames, uint8_t flags, int32_t id,
                             const uint8_t *data, size_t size, void *context) {
        struct h2_stream *stream = nghttp2_session_get_stream_user_data(frames, id);

        (void)flags;
        (void)data;
        (void)context;
        stream->body_bytes += size;
        return 0;
}

static inline int h2_on_frame(nghttp2_session *frames, const nghttp2_frame *frame, void *context) {
        struct h2_connection *connection = context;

        connection->server->resets += frame->hd.type == NGHTTP2_RST_STREAM;
        if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) &&
            (frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA))
                h2_handle(connection,
                          nghttp2_session_get_stream_user_data(frames, frame->hd.stream_id));
        return 0;
}

static inline int h2_on_over(nghttp2_session *frames, int32_t id, uint32_t error, void *context) {
        struct h2_connection *connection = context;
        struct h2_stream *stream = nghttp2_session_get_stream_user_data(frames, id);

        (void)error;
        if (connection->server->watch == stream)
                connection->server->watch = NULL;
        return 0;
}

static inline void h2_make_frames(struct h2_connection *connection) {
        nghttp2_session_callbacks *callbacks;

        assert_int_equal(nghttp2_session_callbacks_new(&callbacks), 0);
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, h2_on_begin);
        nghttp2_session_callbacks_set_on_header_callback(callbacks, h2_on_header);
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, h2_on_data);
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, h2_on_frame);
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, h2_on_over);
        assert_int_equal(nghttp2_session_server_new(&connection->frames, callbacks, connection), 0);
        nghttp2_session_callbacks_del(callbacks);
        nghttp2_submit_settings(connection->frames, NGHTTP2_FLAG_NONE, NULL, 0);
}

static inline void h2_on_ready(void *context, unsigned events) {
        struct h2_connection *connection = context;
        char bytes[16384];
        int size;

        (void)events;
        if (!connection->is_accepted) {
                if (SSL_accept(connection->ssl) != 1)
                        return;
                connection->is_accepted = true;
                connection->server->connected++;
        }
        while ((size = SSL_read(connection->ssl, bytes, sizeof(bytes))) > 0)
                nghttp2_session_mem_recv(connection->frames, (uint8_t *)bytes, (size_t)size);
        if (SSL_get_error(connection->ssl, size) == SSL_ERROR_WANT_READ)
                h2_send(connection);
        else
                h2_close(connection);
}

static inline void h2_on_connection(void *context, unsigned events) {
        struct h2_server *server = context;
        struct h2_connection *connection;
        size_t place = 0;

        (void)events;
        if (server->closes_next) {
                server->closes_next = false;
                close(accept4(server->fd, NULL, NULL, SOCK_CLOEXEC));
                return;
        }
        connection = xcalloc(1, sizeof(*connection));
        while (server->connections[place])
                assert_true(++place < H2_CONNECTIONS_MAX);
        server->connections[place] = connection;
        connection->server = server;
        connection->fd = accept4(server->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        connection->ssl = SSL_new(server->tls);
        SSL_set_fd(connection->ssl, connection->fd);
        SSL_set_accept_state(connection->ssl);
        h2_make_frames(connection);
        assert_int_equal(loop_io_add(server->loop, connection->fd, LOOP_READ, h2_on_ready,
                                     connection, &connection->io, NULL),
                         0);
}

static inline int h2_choose(SSL *ssl, const unsigned char **out, unsigned char *size,
                            const unsigned char *in, unsigned in_size, void *context) {
        (void)ssl;
        (void)context;
        return SSL_select_next_proto((unsigned char **)(uintptr_t)out, size,
                                     (const unsigned char *)"\x02h2", 3, in,
                                     in_size) == OPENSSL_NPN_NEGOTIATED
                       ? SSL_TLSEXT_ERR_OK
                       : SSL_TLSEXT_ERR_ALERT_FATAL;
}

static inline void h2_make_tls(struct h2_server *server) {
        BIO *certificate, *key;

        assert_int_equal(tls_material_make(NULL, &server->material, NULL), 0);
        certificate = BIO_new_mem_buf(server->material.certificate_pem, -1);
        key = BIO_new_mem_buf(server->material.key_pem, -1);
        server->tls = SSL_CTX_new(TLS_server_method());
        X509 *read_certificate = PEM_read_bio_X509(certificate, NULL, NULL, NULL);
        EVP_PKEY *read_key = PEM_read_bio_PrivateKey(key, NULL, NULL, NULL);
        assert_int_equal(SSL_CTX_use_certificate(server->tls, read_certificate), 1);
        assert_int_equal(SSL_CTX_use_PrivateKey(server->tls, read_key), 1);
        X509_free(read_certificate);
        EVP_PKEY_free(read_key);
        BIO_free(certificate);
        BIO_free(key);
        SSL_CTX_set_alpn_select_cb(server->tls, h2_choose, server);
}

static inline void h2_server_start(struct h2_server *server, struct loop *loop) {
        struct sockaddr_in address = { .sin_family = AF_INET };
        socklen_t size = sizeof(address);

        *server = (struct h2_server){ .loop = loop };
        h2_make_tls(server);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        server->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        assert_int_equal(bind(server->fd, (struct sockaddr *)&address, size), 0);
        assert_int_equal(listen(server->fd, 8), 0);
        assert_int_equal(getsockname(server->fd, (struct sockaddr *)&address, &size), 0);
        server->port = ntohs(address.sin_port);
        assert_int_equal(loop_io_add(loop, server->fd, LOOP_READ, h2_on_connection, server,
                                     &server->io, NULL),
                         0);
}

static inline void h2_server_drop_all(struct h2_server *server) {
        for (size_t i = 0; i < H2_CONNECTIONS_MAX; i++)
                if (server->connections[i])
                        h2_close(server->connections[i]);
}

static inline void h2_server_stop(struct h2_server *server) {
        h2_server_drop_all(server);
        loop_io_remove(server->loop, server->io);
        close(server->fd);
        SSL_CTX_free(server->tls);
        tls_material_release(&server->material);
}
