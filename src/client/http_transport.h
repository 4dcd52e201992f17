/* Calls and streams to an API server over HTTP(S), driven by the loop. TLS connections use HTTP/2
 * where the server does and carry many requests at once; others stay open and are reused.
 *
 * Errors of replies with status 0: UNAVAILABLE when the request surely never reached the server
 * (no connection), TIMEOUT and IO when that is not known, TOO_LARGE for an answer beyond the
 * limit. */
#pragma once

#include "client/cluster_access.h"
#include "port/loop.h"
#include "port/transport.h"

#define HTTP_TIMEOUT_NS (34 * NS_PER_S)
#define HTTP_CONNECT_TIMEOUT_NS (10 * NS_PER_S)
#define HTTP_STREAM_IDLE_NS                                                                        \
        (11 * 60 * NS_PER_S)              /* above the longest watch the reflector asks for */
#define HTTP_BODY_MAX ((size_t)256 << 20) /* of an answer to a call */
#define HTTP_STREAM_ERROR_MAX ((size_t)64 << 10) /* of a stream's answer that is an error */
#define HTTP_CONNECTIONS_PER_HOST 64
#define HTTP_HANDLES_POOLED 16

struct http_transport;

struct http_transport_config {
        struct cluster_access access; /* moved: the transport releases it, also on failure */
        const char *user_agent;       /* NULL = berth/VERSION */
        const char *header;           /* "Name: value", with every request; NULL = none */
        int64_t timeout_ns;           /* of calls; 0 = HTTP_TIMEOUT_NS */
        int64_t stream_idle_ns;       /* a stream silent for so long is dead; 0 = default */
        size_t body_max;              /* 0 = HTTP_BODY_MAX */
};

/* No connection is made yet. Fails on an unusable address or token file. */
int http_transport_new(struct http_transport_config *config, struct loop *loop,
                       struct http_transport **ret_http, struct err *err);
/* Cuts what is under way without callbacks; not from inside a callback of its own. Accepts NULL. */
void http_transport_free(struct http_transport *http);
struct transport http_transport(struct http_transport *http);
const struct cluster_access *http_transport_access(const struct http_transport *http);
struct buf;
/* The version of libcurl that runs, such as "7.88.1". */
void http_transport_library_version(struct buf *out);
