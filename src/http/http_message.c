/* Life of answers and of the streams they may be. */
#include "http/http_message.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct slice http_request_header(const struct http_request *request, const char *name) {
        struct slice rest = request->headers, found, value;

        while (slice_split(&rest, '\0', &found) && slice_split(&rest, '\0', &value))
                if (found.len == strlen(name) && strncasecmp(found.ptr, name, found.len) == 0)
                        return value;
        return SLICE_EMPTY;
}

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

void http_response_refusal(struct http_response *ret_response, int status, const char *reason,
                           const char *message) {
        *ret_response = (struct http_response){ .status = status,
                                                .content_type = "application/json",
                                                .retry_after_s = -1 };
        buf_printf(&ret_response->body,
                   "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},"
                   "\"status\":\"Failure\",\"message\":\"%s\",\"reason\":\"%s\",\"code\":%d}",
                   message, reason, status);
}

static void add_field(struct http_fields *fields, const char *name, const char *value) {
        fields->fields[fields->count++] = (struct http_field){ .name = name, .value = value };
}

void http_response_fields(const struct http_response *response, const char *audit_id,
                          bool is_packed, struct http_fields *ret_fields) {
        bool has_cache_control = false;

        ret_fields->count = 0;
        for (size_t i = 0; i < response->header_count; i++) {
                const struct http_header *header = &response->headers[i];

                has_cache_control |= strcmp(header->name, "Cache-Control") == 0;
                add_field(ret_fields, header->name, header->value);
        }
        add_field(ret_fields, "Audit-Id", audit_id);
        if (!has_cache_control)
                add_field(ret_fields, "Cache-Control", "no-cache, private");
        if (response->content_type && *response->content_type)
                add_field(ret_fields, "Content-Type", response->content_type);
        if (is_packed) {
                add_field(ret_fields, "Content-Encoding", "gzip");
                add_field(ret_fields, "Vary", "Accept-Encoding");
        }
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
