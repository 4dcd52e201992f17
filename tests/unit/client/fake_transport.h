/* A transport that only notes what is asked, and a loop with virtual time: the test plays the
 * server. For the tests of this folder. */
#pragma once

#include "../server/fake_server.h"
#include "api/status.h"
#include "port/transport.h"

#define FAKE_REQUESTS_MAX 4096

struct fake_request {
        struct api_request caller;
        enum api_method method;
        char *path, *content_type, *body;
        bool is_over, is_cancelled, is_patient;
};

struct fake_transport {
        struct transport transport;
        struct fake_request *requests[FAKE_REQUESTS_MAX]; /* all there ever were */
        size_t count;
};

static inline struct fake_request *fake_request(struct fake_transport *fake,
                                                const struct api_call *call, void *context) {
        struct fake_request *request = xcalloc(1, sizeof(*request));

        assert_true(fake->count < FAKE_REQUESTS_MAX);
        request->method = call->method;
        request->is_patient = call->is_patient;
        request->path = slice_dup(call->path);
        request->content_type = slice_dup(call->content_type);
        request->body = slice_dup(call->body);
        request->caller.context = context;
        fake->requests[fake->count++] = request;
        return request;
}
static inline struct api_request *fake_call(void *self, const struct api_call *call,
                                            void (*done)(void *context,
                                                         const struct api_reply *reply),
                                            void *context) {
        struct fake_request *request = fake_request(self, call, context);

        request->caller.done = done;
        return &request->caller;
}
static inline struct api_request *fake_stream(void *self, const struct api_call *call,
                                              const struct api_stream_events *events,
                                              void *context) {
        struct fake_request *request = fake_request(self, call, context);

        request->caller.events = events;
        return &request->caller;
}
static inline void fake_cancel(void *self, struct api_request *handle) {
        struct fake_request *request = CONTAINER_OF(handle, struct fake_request, caller);
        (void)self;
        assert_false(request->is_over);
        request->is_over = request->is_cancelled = true;
}

static inline struct fake_transport *fake_transport_new(void) {
        static const struct transport_ops ops = { fake_call, fake_stream, fake_cancel };
        struct fake_transport *fake = xcalloc(1, sizeof(*fake));

        fake->transport = (struct transport){ &ops, fake };
        return fake;
}
static inline void fake_transport_free(struct fake_transport *fake) {
        for (size_t i = 0; i < fake->count; i++) {
                assert_true(fake->requests[i]->is_over); /* nothing left under way */
                free(fake->requests[i]->path);
                free(fake->requests[i]->content_type);
                free(fake->requests[i]->body);
                free(fake->requests[i]);
        }
        free(fake);
}

static inline size_t fake_pending(const struct fake_transport *fake) {
        size_t count = 0;

        for (size_t i = 0; i < fake->count; i++)
                count += !fake->requests[i]->is_over;
        return count;
}
/* The oldest request that waits for an answer. */
static inline struct fake_request *fake_next(const struct fake_transport *fake) {
        for (size_t i = 0; i < fake->count; i++) {
                if (!fake->requests[i]->is_over)
                        return fake->requests[i];
        }
        fail_msg("no request is under way");
        return NULL;
}

/* Ends a request; status 0 stands for the error code in failure. */
static inline void fake_end(struct fake_request *request, struct api_reply reply) {
        request->is_over = true;
        if (reply.status == 0 && reply.error.code == 0)
                err_set(&reply.error, BERTH_ERR_UNAVAILABLE, "connection refused");
        else if (reply.status >= 300 && reply.error.code == 0)
                err_set(&reply.error, status_code_to_err(reply.status), "HTTP status %d",
                        reply.status);
        if (request->caller.events)
                request->caller.events->ended(request->caller.context, &reply);
        else
                request->caller.done(request->caller.context, &reply);
}
static inline void fake_reply(struct fake_transport *fake, int status, const char *body) {
        struct fake_request *request = fake_next(fake);

        if (request->caller.events && status == 200)
                request->caller.events->data(request->caller.context, slice_of(body));
        fake_end(fake_next(fake), (struct api_reply){ .status = status,
                                                      .body = slice_of(body),
                                                      .retry_after_s = -1 });
}
static inline void fake_lose(struct fake_transport *fake, int code) {
        struct api_reply reply = { .retry_after_s = -1 };

        err_set(&reply.error, code, "lost");
        fake_end(fake_next(fake), reply);
}
static inline void fake_data(struct fake_transport *fake, const char *text) {
        struct fake_request *request = fake_next(fake);

        assert_non_null(request->caller.events);
        request->caller.events->data(request->caller.context, slice_of(text));
}
