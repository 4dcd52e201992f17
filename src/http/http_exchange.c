/* Keeps the lists, counts and buffers of requests under way. Everything runs on the loop's thread;
 * an exchange is on the list of those that may be asleep from the time it may be until its end, so
 * that closing the server finds it. */
#include "http/http_exchange.h"

#include "http/http_front.h"
#include <stdlib.h>
#include <string.h>

#define STREAM_CHUNK_BYTES (64U * 1024)

void http_exchange_enlist(struct http_exchanges *all, struct http_exchange *exchange) {
        if (exchange->is_listed)
                return;
        exchange->is_listed = true;
        exchange->next = all->waiting;
        if (exchange->next)
                exchange->next->previous = exchange;
        all->waiting = exchange;
}

static void http_exchange_delist(struct http_exchanges *all, struct http_exchange *exchange) {
        if (!exchange->is_listed)
                return;
        if (exchange->previous)
                exchange->previous->next = exchange->next;
        else
                all->waiting = exchange->next;
        if (exchange->next)
                exchange->next->previous = exchange->previous;
}

void http_exchange_note_ready(struct http_exchanges *all, struct http_exchange *exchange) {
        if (exchange->is_ready)
                return;
        exchange->is_ready = true;
        exchange->next_ready = all->ready;
        all->ready = exchange;
}

struct http_exchange *http_exchange_take_ready(struct http_exchanges *all) {
        struct http_exchange *exchange = all->ready;

        if (exchange) {
                all->ready = exchange->next_ready;
                exchange->is_ready = false;
        }
        return exchange;
}

static void forget_ready(struct http_exchanges *all, struct http_exchange *exchange) {
        struct http_exchange **link = &all->ready;

        while (*link && *link != exchange)
                link = &(*link)->next_ready;
        if (*link)
                *link = exchange->next_ready;
}

void http_exchange_attach(struct http_exchanges *all, struct http_exchange *exchange,
                          struct http_stream *stream) {
        http_exchange_enlist(all, exchange);
        exchange->stream = stream;
        all->stream_count++;
}

void http_exchange_append(struct http_exchanges *all, struct http_exchange *exchange,
                          struct slice piece) {
        if (exchange->body.len + piece.len > HTTP_REQUEST_MAX) {
                exchange->is_too_large = true;
        } else if (all->body_bytes + piece.len > HTTP_BODIES_MAX) {
                exchange->is_too_much = true;
        } else {
                buf_append(&exchange->body, piece.ptr, piece.len);
                all->body_bytes += piece.len;
        }
}

void http_exchange_drop_body(struct http_exchanges *all, struct http_exchange *exchange) {
        all->body_bytes -= exchange->body.len;
        buf_release(&exchange->body);
}

/* Idle streams hold no buffer. */
static void http_exchange_refill(struct http_exchange *exchange,
                                 enum http_stream_state *ret_state) {
        buf_clear(&exchange->out);
        exchange->out_at = 0;
        *ret_state = http_stream_read(exchange->stream, &exchange->out, STREAM_CHUNK_BYTES);
        exchange->is_ended = *ret_state == HTTP_STREAM_ENDED;
        if (exchange->out.len == 0 && *ret_state == HTTP_STREAM_IDLE)
                buf_release(&exchange->out);
}

size_t http_exchange_read(struct http_exchange *exchange, char *buffer, size_t size,
                          enum http_stream_state *ret_state) {
        *ret_state = exchange->is_ended ? HTTP_STREAM_ENDED : HTTP_STREAM_MORE;
        if (exchange->out_at == exchange->out.len && !exchange->is_ended)
                http_exchange_refill(exchange, ret_state);
        size_t count = exchange->out.len - exchange->out_at;
        if (count > size)
                count = size;
        if (count) {
                memcpy(buffer, exchange->out.data + exchange->out_at, count);
                exchange->out_at += count;
        }
        return count;
}

void http_exchange_release(struct http_exchanges *all, struct http_exchange *exchange) {
        http_exchange_delist(all, exchange);
        if (exchange->is_ready)
                forget_ready(all, exchange);
        if (exchange->stream)
                all->stream_count--;
        http_stream_close(exchange->stream);
        http_exchange_drop_body(all, exchange);
        buf_release(&exchange->out);
        free(exchange->target);
}
