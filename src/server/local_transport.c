/* The sandbox's API server as a transport: calls without sockets, answers from the loop. */
#include "server/local_transport.h"

#include "api/json.h"
#include "api/status.h"
#include "base/arena.h"
#include "base/util.h"
#include <stdlib.h>

#define CHUNK_BYTES (256U * 1024)

struct local_request {
        struct api_request caller;
        struct local_transport *local;
        struct local_request *next, *previous;
        enum api_method method;
        char *path, *content_type, *accept, *body;
        size_t body_size;
        struct http_stream *stream;
        struct api_pending *pending; /* waits for webhooks */
        bool is_started, is_scheduled, is_cancelled;
        bool is_busy; /* inside one of the receiver's callbacks */
};

struct local_transport {
        struct api_server *server;
        struct loop *loop;
        const struct api_user *user;
        char *user_agent;
        struct local_request *requests;
};

static void local_transport_run(void *context);

static void request_free(struct local_request *request) {
        struct local_transport *local = request->local;

        if (local) {
                if (request->previous)
                        request->previous->next = request->next;
                else
                        local->requests = request->next;
                if (request->next)
                        request->next->previous = request->previous;
        }
        api_pending_cancel(request->pending);
        http_stream_close(request->stream);
        free(request->path);
        free(request->content_type);
        free(request->accept);
        free(request->body);
        free(request);
}

static void local_transport_schedule(void *context) {
        struct local_request *request = context;

        if (request->is_scheduled)
                return;
        request->is_scheduled = true;
        loop_defer(request->local->loop, local_transport_run, request);
}

/* ---- answers ---- */

static void reply_error(struct slice body, int status, struct err *err) {
        struct json_doc *doc = NULL;
        struct status_info info;

        if (json_parse(body, &doc, NULL) == 0 &&
            status_decode(json_doc_root(doc), &info, NULL) == 0)
                status_to_err(&info, err);
        else
                err_set(err, status_code_to_err(status), "HTTP status %d", status);
        json_doc_free(doc);
}

static void local_transport_handle(struct local_request *request, struct http_response *response) {
        const struct local_transport *local = request->local;
        struct api_server_request asked = {
                .method = slice_of(api_method_name(request->method)),
                .target = slice_of(request->path),
                .body = slice_make(request->body, request->body_size),
                .content_type = slice_of(request->content_type),
                .accept = slice_of(request->accept),
                .user_agent = slice_of(local->user_agent),
                .user = local->user,
                .takes_streams = request->caller.events,
        };

        request->pending = api_server_begin(local->server, &asked, response,
                                            local_transport_schedule, request);
}

static void local_transport_finish(struct local_request *request,
                                   const struct http_response *response) {
        struct api_reply reply = {
                .status = response->status,
                .body = buf_view(&response->body),
                .retry_after_s = response->retry_after_s,
        };
        void *context = request->caller.context;

        if (reply.status >= 400)
                reply_error(reply.body, reply.status, &reply.error);
        if (request->caller.events) {
                const struct api_stream_events *events = request->caller.events;

                request_free(request);
                events->ended(context, &reply);
        } else {
                void (*done)(void *, const struct api_reply *) = request->caller.done;

                request_free(request);
                done(context, &reply);
        }
}

/* ---- streams ---- */

/* The receiver may cancel from inside any of its callbacks: false when the request is gone. */
static bool is_alive_after(struct local_request *request) {
        request->is_busy = false;
        if (!request->is_cancelled)
                return true;
        if (!request->is_scheduled) /* otherwise the pending call frees it */
                request_free(request);
        return false;
}

static void local_transport_pump(struct local_request *request) {
        CLEANUP(buf_release) struct buf chunk = { 0 };
        struct http_response end = { .status = 200, .retry_after_s = -1 };
        enum http_stream_state state = http_stream_read(request->stream, &chunk, CHUNK_BYTES);

        if (state == HTTP_STREAM_MORE)
                local_transport_schedule(request);
        if (chunk.len) {
                request->is_busy = true;
                request->caller.events->data(request->caller.context, buf_view(&chunk));
                if (!is_alive_after(request))
                        return;
        }
        if (state == HTTP_STREAM_ENDED)
                local_transport_finish(request, &end);
}

static bool local_transport_announce(struct local_request *request, int status) {
        if (!request->caller.events || !request->caller.events->opened)
                return true;
        request->is_busy = true;
        request->caller.events->opened(request->caller.context, status);
        return is_alive_after(request);
}

static bool local_transport_deliver(struct local_request *request, struct slice body) {
        if (!request->caller.events || body.len == 0)
                return true;
        request->is_busy = true;
        request->caller.events->data(request->caller.context, body);
        return is_alive_after(request);
}

static void local_transport_start(struct local_request *request) {
        struct http_response response;

        request->is_started = true;
        if (request->pending)
                request->pending = api_pending_resume(request->pending, &response);
        else
                local_transport_handle(request, &response);
        if (request->pending)
                return;
        if (response.stream && request->caller.events) {
                request->stream = http_response_take_stream(&response);
                http_stream_on_ready(request->stream, local_transport_schedule, request);
                if (local_transport_announce(request, response.status))
                        local_transport_pump(request);
        } else if (local_transport_announce(request, response.status) &&
                   (response.status != 200 ||
                    local_transport_deliver(request, buf_view(&response.body)))) {
                local_transport_finish(request, &response);
        }
        http_response_release(&response);
}

static void local_transport_run(void *context) {
        struct local_request *request = context;

        request->is_scheduled = false;
        if (request->is_cancelled)
                request_free(request);
        else if (!request->is_started || request->pending)
                local_transport_start(request);
        else
                local_transport_pump(request);
}

/* ---- the transport ---- */

static struct local_request *request_new(struct local_transport *local, const struct api_call *call,
                                         void *context) {
        struct local_request *request = xcalloc(1, sizeof(*request));

        request->local = local;
        request->method = call->method;
        request->path = slice_dup(call->path);
        request->content_type = slice_dup(call->content_type);
        request->accept = slice_dup(call->accept);
        request->body = slice_dup(call->body);
        request->body_size = call->body.len;
        request->caller.context = context;
        request->next = local->requests;
        if (request->next)
                request->next->previous = request;
        local->requests = request;
        return request;
}

static struct api_request *local_call(void *self, const struct api_call *call,
                                      void (*done)(void *context, const struct api_reply *reply),
                                      void *context) {
        struct local_request *request = request_new(self, call, context);

        request->caller.done = done;
        local_transport_schedule(request);
        return &request->caller;
}

static struct api_request *local_stream(void *self, const struct api_call *call,
                                        const struct api_stream_events *events, void *context) {
        struct local_request *request = request_new(self, call, context);

        request->caller.events = events;
        local_transport_schedule(request);
        return &request->caller;
}

static void local_cancel(void *self, struct api_request *handle) {
        struct local_request *request = CONTAINER_OF(handle, struct local_request, caller);
        (void)self;
        request->is_cancelled = true;
        http_stream_close(request->stream);
        request->stream = NULL;
        api_pending_cancel(request->pending);
        request->pending = NULL;
        if (!request->is_scheduled && !request->is_busy) /* otherwise freed on the way out */
                request_free(request);
}

struct local_transport *local_transport_new(struct api_server *server, struct loop *loop,
                                            const struct api_user *user, const char *user_agent) {
        struct local_transport *local = xcalloc(1, sizeof(*local));

        local->server = server;
        local->loop = loop;
        local->user = user;
        local->user_agent = slice_dup(slice_of(user_agent));
        return local;
}

/* A deferred call may still be under way to a request: it then finds it cancelled and detached. */
void local_transport_free(struct local_transport *local) {
        if (!local)
                return;
        while (local->requests) {
                struct local_request *request = local->requests;

                local->requests = request->next;
                if (request->next)
                        request->next->previous = NULL;
                request->next = NULL;
                request->local = NULL;
                local_cancel(local, &request->caller);
        }
        free(local->user_agent);
        free(local);
}

struct transport local_transport(struct local_transport *local) {
        static const struct transport_ops ops = { .call = local_call,
                                                  .stream = local_stream,
                                                  .cancel = local_cancel };

        return (struct transport){ .ops = &ops, .self = local };
}
