/* Life of answers and of the streams they may be. */
#include "http/http_message.h"

#include <stdarg.h>
#include <stdlib.h>

void http_response_header(struct http_response *response, const char *name, const char *format,
                          ...) {
        struct buf text = { 0 };
        va_list args;

        if (response->header_count == HTTP_HEADERS_MAX)
                return;
        va_start(args, format);
        buf_vprintf(&text, format, args);
        va_end(args);
        response->headers[response->header_count++] =
                (struct http_header){ .name = name, .value = buf_take(&text, NULL) };
}

void http_response_release(struct http_response *response) {
        http_stream_close(response->stream);
        buf_release(&response->body);
        for (size_t i = 0; i < response->header_count; i++)
                free(response->headers[i].value);
        *response = (struct http_response){ .retry_after_s = -1 };
}

struct http_stream *http_response_take_stream(struct http_response *response) {
        struct http_stream *stream = response->stream;

        response->stream = NULL;
        return stream;
}

void http_stream_wake(struct http_stream *stream) {
        if (stream->is_woken || !stream->ready)
                return;
        stream->is_woken = true;
        stream->ready(stream->ready_context);
}

void http_stream_on_ready(struct http_stream *stream, void (*ready)(void *context), void *context) {
        stream->ready = ready;
        stream->ready_context = context;
        stream->is_woken = false;
}

enum http_stream_state http_stream_read(struct http_stream *stream, struct buf *out,
                                        size_t soft_limit) {
        stream->is_woken = false;
        return stream->ops->read(stream, out, soft_limit);
}

void http_stream_close(struct http_stream *stream) {
        if (stream)
                stream->ops->free(stream);
}
