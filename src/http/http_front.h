/* HTTP and HTTPS on one port in front of a handler; driven by the loop, without threads. */
#pragma once

#include "base/err.h"
#include "http/http_handler.h"
#include "http/tls_session.h"
#include "port/loop.h"
#include <stdbool.h>
#include <stdint.h>

/* A client beyond one of these limits gets 429. */
#define HTTP_CONNECTIONS_MAX 4096
#define HTTP_STRANGERS_MAX 1536 /* besides them: connections whose peer has not shown who he is */
#define HTTP_STREAMS_MAX 3584   /* watches and long lists */
#define HTTP_BODIES_MAX ((size_t)64 << 20) /* bytes of request bodies under way */

struct http_front;

struct http_front_config {
        const char *address;                   /* "127.0.0.1:6443", "[::]:0"; port 0 = any */
        const char *key_pem, *certificate_pem; /* NULL = plain HTTP only */
        enum http_tls tls_minimum;
        int64_t header_timeout_ns; /* until a peer must have shown who he is; 0 = default */
        /* Clients may show a certificate, any one: whether it counts is for the handler to say. */
        bool asks_for_certificates;
        bool shows_headers; /* http_request.headers of every request, not only with certificates */
};

/* Plain HTTP is served to loopback peers only. The texts of config and the
 * handler are copied. */
int http_front_new(const struct http_front_config *config, const struct http_handler *handler,
                   struct loop *loop, struct http_front **ret_front, struct err *err);
/* Stops listening and cuts all connections; before the handler is freed. Accepts NULL. */
void http_front_free(struct http_front *front);
/* From inside of a long request, which runs from a timer: answers what has come meanwhile, as far
 * as the handler does. Streams stand still. Does nothing when it was called a moment ago. */
void http_front_let_in(struct http_front *front);
uint16_t http_front_port(const struct http_front *front); /* the bound one */
