/* Requests and answers as frames: what nghttp2 calls, and the headers of a request. */
#include "base/arena.h"
#include "base/util.h"
#include "client/credential.h"
#include "client/http2_session_priv.h"
#include <ctype.h>
#include <string.h>

#define STREAM_WINDOW (1 << 20)
#define CONNECTION_WINDOW (8 << 20)
#define PATH_BYTES_USUAL 200
#define HEADERS_MAX (11 + ACCESS_GROUPS_MAX)

/* ---- answers ---- */

/* The request of a stream; NULL when it was dropped, or cancelled a moment ago. */
static struct http_call *request_of(nghttp2_session *frames, int32_t stream) {
        struct http_call *request = nghttp2_session_get_stream_user_data(frames, stream);

        return request && request->state != REQUEST_CANCELLED ? request : NULL;
}

/* Its receiver is called once the callbacks of nghttp2 have returned. */
static void http2_frames_finish(struct http2_session *session, struct http_call *request,
                                CURLcode result) {
        nghttp2_session_set_stream_user_data(session->frames, request->stream, NULL);
        request->stream = 0;
        request->result = result;
        request->finished = session->finished;
        session->finished = request;
}

static int on_header(nghttp2_session *frames, const nghttp2_frame *frame, const uint8_t *name,
                     size_t name_size, const uint8_t *value, size_t value_size, uint8_t flags,
                     void *context) {
        struct http_call *request = request_of(frames, frame->hd.stream_id);
        struct slice name_text = slice_make((const char *)name, name_size);
        struct slice text = slice_make((const char *)value, value_size);
        uint64_t status;

        (void)flags;
        (void)context;
        if (!request)
                return 0;
        if (!slice_is(name_text, ":status"))
                http_take_header(request, name_text, text);
        else if (slice_to_u64(text, &status) && status < 1000)
                request->status_seen = (int)status;
        return 0;
}

static void http2_frames_measure(struct http2_session *session, struct http_call *request,
                                 const nghttp2_frame *frame) {
        if (request->caller.events && frame->hd.type == NGHTTP2_DATA)
                session->change_bytes = (int)frame->hd.length;
        request->frame_bytes += (int)frame->hd.length;
}

static int on_frame(nghttp2_session *frames, const nghttp2_frame *frame, void *context) {
        struct http2_session *session = context;

        if (frame->hd.type == NGHTTP2_GOAWAY && session->state == HTTP2_OPEN)
                session->state = HTTP2_DRAINING;
        if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA)
                return 0;
        struct http_call *request = request_of(frames, frame->hd.stream_id);
        if (request)
                http2_frames_measure(session, request, frame);
        if (frame->hd.type != NGHTTP2_HEADERS)
                return 0;
        /* Below 200 an answer follows; what comes after it are trailers. */
        if (request && request->status == 0 && request->status_seen >= 200)
                http_begin_answer(request, request->status_seen);
        return 0;
}

static int on_data(nghttp2_session *frames, uint8_t flags, int32_t stream, const uint8_t *data,
                   size_t size, void *context) {
        struct http_call *request = request_of(frames, stream);

        (void)flags;
        if (!request || http_on_body((char *)(uintptr_t)data, 1, size, request) == size ||
            request->state == REQUEST_CANCELLED)
                return 0;
        nghttp2_submit_rst_stream(frames, NGHTTP2_FLAG_NONE, stream, NGHTTP2_CANCEL);
        http2_frames_finish(context, request, CURLE_WRITE_ERROR);
        return 0;
}

/* A refused stream was not looked at: it may be sent again whatever it asks for. */
static int on_stream_over(nghttp2_session *frames, int32_t stream, uint32_t error, void *context) {
        struct http_call *request = nghttp2_session_get_stream_user_data(frames, stream);
        CURLcode result = error == NGHTTP2_NO_ERROR ? CURLE_OK : CURLE_HTTP2_STREAM;

        if (!request)
                return 0;
        if (error == NGHTTP2_REFUSED_STREAM && request->status == 0)
                result = CURLE_AGAIN;
        else if (result != CURLE_OK)
                snprintf(request->error_text, sizeof(request->error_text),
                         "the server ended the HTTP/2 stream: %s", nghttp2_http2_strerror(error));
        http2_frames_finish(context, request, result);
        return 0;
}

int http2_frames_new(struct http2_session *session) {
        static const nghttp2_settings_entry settings[] = {
                { NGHTTP2_SETTINGS_ENABLE_PUSH, 0 },
                { NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, STREAM_WINDOW },
        };
        nghttp2_session_callbacks *callbacks;
        int result = nghttp2_session_callbacks_new(&callbacks);

        if (result != 0)
                return result;
        nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_stream_over);
        result = nghttp2_session_client_new(&session->frames, callbacks, session);
        nghttp2_session_callbacks_del(callbacks);
        if (result == 0)
                result = nghttp2_submit_settings(session->frames, NGHTTP2_FLAG_NONE, settings,
                                                 ARRAY_LEN(settings));
        if (result == 0)
                result = nghttp2_session_set_local_window_size(session->frames, NGHTTP2_FLAG_NONE,
                                                               0, CONNECTION_WINDOW);
        return result;
}

/* ---- requests ---- */

struct header_list {
        nghttp2_nv items[HEADERS_MAX];
        size_t count;
};

/* nghttp2 copies both when the request is submitted. */
static void header_list_add(struct header_list *list, const char *name, struct slice value) {
        list->items[list->count++] = (nghttp2_nv){ .name = (uint8_t *)(uintptr_t)name,
                                                   .namelen = strlen(name),
                                                   .value = (uint8_t *)(uintptr_t)value.ptr,
                                                   .valuelen = value.len };
}

static struct slice or_json(const char *type) {
        return type[0] ? slice_of(type) : SLICE_LITERAL("application/json");
}

static void add_who(struct header_list *list, struct http_call *request) {
        const struct cluster_access *access = &request->http->access;
        const char *authorization =
                credential_header(request->http->credential, &request->credential_generation);

        if (authorization)
                header_list_add(list, "authorization", slice_of(authorization));
        if (access->impersonate_user)
                header_list_add(list, "impersonate-user", slice_of(access->impersonate_user));
        for (size_t i = 0; i < access->impersonate_group_count; i++)
                header_list_add(list, "impersonate-group", slice_of(access->impersonate_groups[i]));
}

/* Names of headers are lower case in HTTP/2. The name stays in the buffer until the request is
 * submitted. */
static void add_own(struct header_list *list, const struct http_transport *http,
                    struct buf *name_text) {
        struct slice name, value = slice_of(http->header);

        slice_split(&value, ':', &name);
        for (size_t i = 0; i < name.len; i++)
                buf_char(name_text, (char)tolower((unsigned char)name.ptr[i]));
        buf_char(name_text, '\0');
        header_list_add(list, name_text->data, slice_trim(value));
}

static ssize_t read_body(nghttp2_session *frames, int32_t stream, uint8_t *out, size_t size,
                         uint32_t *flags, nghttp2_data_source *source, void *context) {
        struct http_call *request = nghttp2_session_get_stream_user_data(frames, stream);

        (void)source;
        (void)context;
        if (!request) /* dropped meanwhile */
                return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
        if (size > request->body_size - request->body_sent)
                size = request->body_size - request->body_sent;
        memcpy(out, request->body + request->body_sent, size);
        request->body_sent += size;
        if (request->body_sent == request->body_size)
                *flags |= NGHTTP2_DATA_FLAG_EOF;
        return (ssize_t)size;
}

bool http2_frames_submit(struct http2_session *session, struct http_call *request) {
        CLEANUP(buf_release) struct buf path = { 0 }, own_name = { 0 }, size = { 0 };
        nghttp2_data_provider body = { .read_callback = read_body };
        struct header_list list = { .count = 0 };
        bool has_body = request->body_size > 0;
        struct slice host, above;

        http_split_base(session->http, &host, &above);
        buf_reserve(&path, PATH_BYTES_USUAL);
        buf_slice(&path, above);
        buf_text(&path, request->path);
        buf_u64(&size, request->body_size);
        header_list_add(&list, ":method", slice_of(api_method_name(request->method)));
        header_list_add(&list, ":scheme", SLICE_LITERAL("https"));
        header_list_add(&list, ":authority", host);
        header_list_add(&list, ":path", buf_view(&path));
        header_list_add(&list, "user-agent", slice_of(session->http->user_agent));
        header_list_add(&list, "accept", or_json(request->accept));
        add_who(&list, request);
        if (session->http->header)
                add_own(&list, session->http, &own_name);
        if (has_body)
                header_list_add(&list, "content-type", or_json(request->content_type));
        if (has_body || request->method == API_POST)
                header_list_add(&list, "content-length", buf_view(&size));
        request->body_sent = 0;
        request->frame_bytes = 0;
        request->status_seen = 0;
        request->stream = nghttp2_submit_request(session->frames, NULL, list.items, list.count,
                                                 has_body ? &body : NULL, request);
        return request->stream > 0;
}
