/* Requests under way: what of them does not depend on the library below. */
#pragma once

#include "base/buf.h"
#include "http/http_message.h"
#include <stdbool.h>
#include <stddef.h>

/* First member of the request as the library's side knows it. */
struct http_exchange {
        struct http_exchange *next, *previous; /* among those that may be asleep */
        struct http_exchange *next_ready;
        char *target;
        struct buf body;
        struct http_stream *stream; /* answers, through out */
        struct buf out;
        size_t out_at;
        bool is_too_large, is_too_much; /* the body */
        bool is_asleep, is_ready, is_ended, is_listed;
};

/* All of one server. */
struct http_exchanges {
        struct http_exchange *waiting, *ready; /* what may be asleep; what is to be woken */
        size_t stream_count, body_bytes;       /* of bodies not complete, or not answered yet */
};

/* Notes one that may fall asleep; any number of times. */
void http_exchange_enlist(struct http_exchanges *all, struct http_exchange *exchange);
/* Notes one as ready to be woken; any number of times. */
void http_exchange_note_ready(struct http_exchanges *all, struct http_exchange *exchange);
/* One that is ready, and no longer among those; NULL when there is none. */
struct http_exchange *http_exchange_take_ready(struct http_exchanges *all);
void http_exchange_attach(struct http_exchanges *all, struct http_exchange *exchange,
                          struct http_stream *stream);
/* Adds a piece of body, unless it or all bodies together have become too large. */
void http_exchange_append(struct http_exchanges *all, struct http_exchange *exchange,
                          struct slice piece);
void http_exchange_drop_body(struct http_exchanges *all, struct http_exchange *exchange);
/* The stream's next bytes, at most size of them. None: the state says whether the stream is idle,
 * to be asked again, or at its end. */
size_t http_exchange_read(struct http_exchange *exchange, char *buffer, size_t size,
                          enum http_stream_state *ret_state);
/* Forgets it and frees what it holds, but not itself. */
void http_exchange_release(struct http_exchanges *all, struct http_exchange *exchange);
