/* Requests and answers as they pass between a listener and a handler. */
#pragma once

#include "base/buf.h"
#include "base/slice.h"
#include <stdbool.h>
#include <stddef.h>

#define HTTP_REQUEST_MAX ((size_t)3 << 20) /* largest request body */
#define HTTP_HEADERS_MAX 12

/* Everything is borrowed for the duration of the call; empty slices mean an absent header. */
struct http_request {
        struct slice method; /* GET, POST, ... */
        struct slice target; /* path with query: /api/v1/pods?limit=5 */
        struct slice body;
        struct slice content_type, accept, authorization, user_agent, if_none_match;
        struct slice impersonation; /* Impersonate-* headers: NAME NUL VALUE NUL ... */
        /* What the client showed in the handshake, DER, its own first; empty = nothing. With it, or
         * where the front shows headers, all of them, NAME NUL VALUE NUL ... */
        struct slice client_certificates, headers;
        bool is_local; /* the peer is a process of this machine */
};

/* The first header of this name, in any case; empty = absent, or headers are not shown. */
struct slice http_request_header(const struct http_request *request, const char *name);

struct http_header {
        const char *name; /* static */
        char *value;      /* owned by the response */
};
struct http_response {
        int status;
        bool is_known;            /* the client has shown who it is: its connection may stay */
        const char *content_type; /* static, or in the response's memory */
        struct buf body;          /* complete body; unused when stream is set */
        size_t header_count;
        struct http_header headers[HTTP_HEADERS_MAX]; /* besides Content-Type and -Length */
        int retry_after_s;                            /* also among the headers; -1 = none */
        struct http_stream *stream; /* watch or long list: read with http_stream_read; the caller's
                                       to close */
        char type_buffer[128];
};

/* Adds a header; beyond HTTP_HEADERS_MAX it is left out. */
void http_response_header(struct http_response *response, const char *name, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
/* A complete one with a Status, as an API server refuses. Texts without quotes. */
void http_response_refusal(struct http_response *ret_response, int status, const char *reason,
                           const char *message);
void http_response_release(struct http_response *response); /* closes the stream too */
/* Takes the stream out of a response, so that it outlives it. */
struct http_stream *http_response_take_stream(struct http_response *response);

/* All headers of an answer but Content-Length; everything is borrowed. */
struct http_field {
        const char *name, *value;
};
struct http_fields {
        size_t count;
        struct http_field fields[HTTP_HEADERS_MAX + 5];
};
/* Those of the response and the ones that every answer has; is_packed: the body is compressed. */
void http_response_fields(const struct http_response *response, const char *audit_id,
                          bool is_packed, struct http_fields *ret_fields);

/* Answer read piece by piece. Nothing is buffered per reader: a watch is a position in the store's
 * history, and a reader that falls out of it is cut off with an ERROR event. */
enum http_stream_state {
        HTTP_STREAM_MORE,  /* call again */
        HTTP_STREAM_IDLE,  /* nothing now; ready will be called */
        HTTP_STREAM_ENDED, /* complete */
};
struct http_stream_ops {
        enum http_stream_state (*read)(struct http_stream *stream, struct buf *out,
                                       size_t soft_limit);
        void (*free)(struct http_stream *stream);
};
/* First member of every kind of stream. */
struct http_stream {
        const struct http_stream_ops *ops;
        void (*ready)(void *context);
        void *ready_context;
        bool is_woken;
};
/* Appends whole records to out until out holds at least soft_limit bytes or nothing is left. */
enum http_stream_state http_stream_read(struct http_stream *stream, struct buf *out,
                                        size_t soft_limit);
/* ready may run from inside a commit or a timer: it must only schedule an http_stream_read. */
void http_stream_on_ready(struct http_stream *stream, void (*ready)(void *context), void *context);
void http_stream_close(struct http_stream *stream); /* accepts NULL */
/* For the writer: wakes the reader when there is more, once until it reads. */
void http_stream_wake(struct http_stream *stream);
