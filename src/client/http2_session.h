/* An HTTP/2 connection that writes and watches share: libcurl connects (proxies, TLS,
 * certificates), nghttp2 makes and reads frames, the loop waits. Per request it takes a fraction of
 * what a transfer of libcurl does. Whatever it cannot carry, libcurl does; so it does all where
 * this program was built without nghttp2, and where libcurl has other TLS than OpenSSL. */
#pragma once

#include "client/http_transport_priv.h"

/* Begins to connect when there is no connection for new requests, and none failed lately. */
void http2_session_prepare(struct http_transport *http);
bool http2_session_is_connecting(const struct http2_session *session); /* accepts NULL */
/* False: it does not take the request. What was started is sent by http2_sessions_flush(). */
bool http2_session_start(struct http2_session *session, struct http_call *request);
/* Takes the request off its connection, if it has one, and cancels what is under way there. */
void http2_session_drop(struct http_call *request);
/* New requests go elsewhere; those under way stay. */
void http2_session_retire(struct http_transport *http);
/* Sends what waits, and frees connections that are over; not from inside a callback of a request.
 */
void http2_sessions_flush(struct http_transport *http);
/* After their requests. */
void http2_sessions_free(struct http_transport *http);
