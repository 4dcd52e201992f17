/* How a role reaches a Kubernetes API: the same calls over HTTPS (client/http_transport.c, any
 * cluster) or straight into the sandbox of this process (server/local_transport.c). Everything is
 * asynchronous: callbacks run from the loop, never from inside transport_call or transport_stream.
 */
#pragma once

#include "base/err.h"
#include "base/slice.h"
#include "port/loop.h"
#include "port/server_clock.h"
#include <stdint.h>

enum api_method { API_GET, API_POST, API_PUT, API_PATCH, API_DELETE };
const char *api_method_name(enum api_method method); /* "GET" */

struct api_call {
        enum api_method method;
        struct slice path;         /* with query: /api/v1/pods?limit=500 */
        struct slice content_type; /* empty = application/json when there is a body */
        struct slice accept;       /* empty = application/json */
        struct slice body;         /* copied before the call returns */
        int64_t timeout_ns;        /* 0 = the transport's default (34 s); streams: none */
        bool is_large; /* of a GET as a stream: what comes is much, and for us alone to wait for */
        bool is_patient; /* the answer may be read some milliseconds late, with what comes next */
        bool comes_back; /* so may the change that it makes, which a watch shows */
};

struct api_reply {
        int status; /* HTTP status; 0 = no answer (refused, timed out, cancelled connection): see
                       error */
        struct slice body; /* valid during the callback only */
        int retry_after_s; /* Retry-After header, -1 = none */
        struct err
                error; /* set when status is 0, or decoded from a Status body when status >= 400 */
};

struct api_stream_events {
        /* Headers arrived; a status other than 200 is followed by ended with the error. */
        void (*opened)(void *context, int status);
        void (*data)(void *context,
                     struct slice chunk); /* any cut; newline-terminated records inside */
        void (*ended)(void *context,
                      const struct api_reply *reply); /* exactly once, last; not after a cancel */
};

/* A call or stream under way, and its callbacks; invalid once done or ended ran. A transport's own
 * request begins with it. */
struct api_request {
        void (*done)(void *context, const struct api_reply *reply);
        const struct api_stream_events *events; /* NULL for calls */
        void *context;                          /* of done or events */
};

struct transport_ops {
        struct api_request *(*call)(void *self, const struct api_call *call,
                                    void (*done)(void *context, const struct api_reply *reply),
                                    void *context);
        struct api_request *(*stream)(void *self, const struct api_call *call,
                                      const struct api_stream_events *events, void *context);
        void (*cancel)(void *self, struct api_request *request); /* no callback follows */
        /* The server's clock, as its answers show it; NULL = it is ours. */
        const struct server_clock *(*clock)(const void *self);
};
struct transport {
        const struct transport_ops *ops;
        void *self;
};

static inline struct api_request *transport_call(
        struct transport *transport, const struct api_call *call,
        void (*done)(void *context, const struct api_reply *reply), void *context) {
        return transport->ops->call(transport->self, call, done, context);
}
static inline struct api_request *transport_stream(struct transport *transport,
                                                   const struct api_call *call,
                                                   const struct api_stream_events *events,
                                                   void *context) {
        return transport->ops->stream(transport->self, call, events, context);
}
static inline void transport_cancel(struct transport *transport, struct api_request *request) {
        transport->ops->cancel(transport->self, request);
}
/* The time at the server: what times that it stamped are compared with. */
static inline struct wall_time transport_server_time(const struct transport *transport,
                                                     struct loop *loop) {
        return transport->ops->clock ? server_clock_now(transport->ops->clock(transport->self),
                                                        loop_wall(loop), loop_mono(loop))
                                     : loop_wall(loop);
}
