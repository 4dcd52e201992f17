/* Without nghttp2 libcurl carries all requests. */
#include "client/http2_session.h"

void http2_session_prepare(struct http_transport *http) {
        (void)http;
}

bool http2_session_is_connecting(const struct http2_session *session) {
        (void)session;
        return false;
}

bool http2_session_start(struct http2_session *session, struct http_call *request) {
        (void)session;
        (void)request;
        return false;
}

void http2_session_drop(struct http_call *request) {
        (void)request;
}

void http2_session_retire(struct http_transport *http) {
        (void)http;
}

void http2_sessions_flush(struct http_transport *http) {
        (void)http;
}

void http2_sessions_free(struct http_transport *http) {
        (void)http;
}
