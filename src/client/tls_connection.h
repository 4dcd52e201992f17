/* A connection to the server over TLS: libcurl makes it (proxies, certificates, time limits) and
 * ends it; bytes go past libcurl (tls_bytes.h). */
#pragma once

#include "client/http_transport_priv.h"
#include <openssl/ssl.h>

struct tls_connection {
        struct http_transport *http;
        struct curl_pump pump; /* its own: libcurl must not judge a connection it does not read */
        CURL *easy;            /* has the connection */
        struct tls_texts *tls; /* that the handle points to; NULL = none */
        bool is_over;          /* connected() was called */
        SSL *ssl;              /* libcurl's */
        int fd;
        void (*connected)(void *context, bool is_connected); /* once */
        void *context;
};

/* Over TLS, and not where our protocol would be offered to a proxy. */
bool tls_connection_is_possible(const struct http_transport *http);
/* Begins to connect for HTTP/2; the struct must not move. */
void tls_connection_open(struct tls_connection *connection, struct http_transport *http,
                         void (*connected)(void *context, bool is_connected), void *context);
void tls_connection_release(struct tls_connection *connection);

#define TLS_CONNECTION_BYTES ((size_t)32 << 10)
/* Takes a connection over, and what has arrived already, at most TLS_CONNECTION_BYTES; false when
 * it cannot be, or the server did not choose that protocol. */
bool tls_connection_take(struct tls_connection *connection, char *bytes, size_t *ret_size);
