/* A server for fuzzers that lives as long as the program: time stands still, and what is deferred
 * runs after each request. */
#pragma once

#include "api/json.h"
#include "base/util.h"
#include "server/api_server.h"
#include <assert.h>
#include <stdlib.h>

#define CALLS_MAX 64

static struct {
        void (*call)(void *context);
        void *context;
} calls[CALLS_MAX];
static size_t call_count;

static inline struct wall_time fuzz_wall(void *self) {
        (void)self;
        return (struct wall_time){ 1767225600LL * NS_PER_S };
}
static inline void fuzz_arm(void *self, struct loop_timer *timer, int64_t delay_ns) {
        (void)self, (void)timer, (void)delay_ns;
}
static inline void fuzz_disarm(void *self, struct loop_timer *timer) {
        (void)self, (void)timer;
}
static inline void fuzz_defer(void *self, void (*call)(void *context), void *context) {
        (void)self;
        assert(call_count < CALLS_MAX);
        calls[call_count].call = call;
        calls[call_count++].context = context;
}
static inline void fuzz_run_deferred(void) {
        for (size_t i = 0; i < call_count; i++)
                calls[i].call(calls[i].context);
        call_count = 0;
}

/* webhooks: who asks them, at the first call; NULL = nobody. */
static inline struct api_server *fuzz_server_with(const struct webhook_caller *webhooks) {
        static const struct loop_ops ops = {
                .wall = fuzz_wall,
                .timer_arm = fuzz_arm,
                .timer_disarm = fuzz_disarm,
                .defer = fuzz_defer,
        };
        static struct loop loop = { &ops, NULL };
        static struct api_server *server;

        if (!server)
                server = api_server_new(
                        &(struct api_server_config){ .seed = 1, .webhooks = webhooks }, &loop);
        return server;
}

static inline struct api_server *fuzz_server(void) {
        return fuzz_server_with(NULL);
}

/* Status of the answer, which must be JSON where it says so; a stream is read until it has no more.
 */
static inline int fuzz_ask(const char *method, struct slice target, const char *type,
                           struct slice body) {
        struct http_response response;
        struct buf text = { 0 };
        struct slice rest, line;
        int status;

        api_server_handle(fuzz_server(),
                          &(struct api_server_request){ .method = slice_of(method),
                                                        .target = target,
                                                        .content_type = slice_of(type),
                                                        .body = body,
                                                        .user = &api_user_admin },
                          &response);
        status = response.status;
        assert(status >= 200 && status < 600);
        if (response.stream) {
                while (http_stream_read(response.stream, &text, text.len + 4096) ==
                       HTTP_STREAM_MORE)
                        ;
        } else if (response.content_type &&
                   strcmp(response.content_type, "application/json") == 0) {
                buf_slice(&text, buf_view(&response.body));
        }
        rest = buf_view(&text);
        while (slice_split(&rest, '\n', &line)) {
                struct json_doc *doc = NULL;

                if (line.len && json_parse(line, &doc, NULL) < 0)
                        abort();
                json_doc_free(doc);
        }
        buf_release(&text);
        http_response_release(&response);
        fuzz_run_deferred();
        return status;
}
