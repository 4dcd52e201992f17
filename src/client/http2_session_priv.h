/* What the files of an HTTP/2 connection share; the only ones that know nghttp2. */
#pragma once

#include "base/buf.h"
#include "client/http2_session.h"
#include "client/tls_connection.h"
#include <nghttp2/nghttp2.h>

enum http2_state { HTTP2_CONNECTING, HTTP2_OPEN, HTTP2_DRAINING, HTTP2_DEAD };

struct http2_session {
        struct http_transport *http;
        struct http2_session *next;
        enum http2_state state;
        struct tls_connection connection;
        struct loop_timer resume; /* reads on */
        struct loop_io *io;
        nghttp2_session *frames;
        struct buf out; /* frames; sent up to out_at */
        size_t out_at;
        struct http_call *finished;        /* whose receivers are to be called */
        size_t stream_count, urgent_count; /* requests; calls whose answers are urgent */
        struct loop_timer gather;          /* armed while few bytes do not wake us */
        bool is_patient;                   /* armed for what is not urgent */
        int wakes_for;                     /* bytes */
        int due_bytes;                     /* of what will come and is not urgent */
        int change_bytes;                  /* of the last change of a watch */
        int answer_bytes[2];               /* of the last patient one, by whether it comes back */
        struct mono_time used_at;
};

/* ---- http2_frames.c ---- */

/* Frames of a client, its settings waiting to be sent. */
int http2_frames_new(struct http2_session *session);
/* Submits the request; false when the connection takes no more. */
bool http2_frames_submit(struct http2_session *session, struct http_call *request);
