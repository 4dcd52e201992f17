/* A large answer on a connection of its own, in HTTP/1.1: Go's servers take a third more of
 * processor time for the same list over HTTP/2, whose frames pass through one of their threads, and
 * what is sent over the shared connection meanwhile waits. Whatever cannot be had this way goes
 * the others. */
#pragma once

#include "client/http_transport_priv.h"

/* Begins to connect for the request; false: it goes another way. */
bool http1_stream_start(struct http_call *request);
bool http1_stream_is_possible(const struct http_call *request);
/* Takes the request off its connection, if it has one. */
void http1_stream_drop(struct http_call *request);
/* Frees connections that are over; not from inside a callback of a request. */
void http1_streams_flush(struct http_transport *http);
/* After their requests. */
void http1_streams_free(struct http_transport *http);
