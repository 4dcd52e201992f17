/* The API server's request path: the input is a sequence of requests, blocks between empty lines,
 * each "METHOD TARGET [CONTENT-TYPE]" and a body on the lines below. Whatever JSON comes out must
 * parse, and what a watch of everything saw must add up to what lists show. */
#include "api/json.h"
#include "base/util.h"
#include "server/api_server.h"
#include "store/store.h"
#include <assert.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUESTS_MAX 40
#define CALLS_MAX 64

static struct {
        void (*call)(void *context);
        void *context;
} calls[CALLS_MAX];
static size_t call_count;

static struct wall_time wall(void *self) {
        (void)self;
        return (struct wall_time){ 1767225600LL * NS_PER_S };
}

static void ignore_arm(void *self, struct loop_timer *timer, int64_t delay_ns) {
        (void)self;
        (void)timer;
        (void)delay_ns;
}

static void ignore_disarm(void *self, struct loop_timer *timer) {
        (void)self;
        (void)timer;
}

static void defer(void *self, void (*call)(void *context), void *context) {
        (void)self;
        assert(call_count < CALLS_MAX);
        calls[call_count].call = call;
        calls[call_count++].context = context;
}

static void run_deferred(void) {
        for (size_t i = 0; i < call_count; i++)
                calls[i].call(calls[i].context);
        call_count = 0;
}

static const struct loop_ops ops = {
        .wall = wall, .timer_arm = ignore_arm, .timer_disarm = ignore_disarm, .defer = defer
};

static void check_text(const struct http_response *response) {
        struct json_doc *doc = NULL;

        if (!response->content_type || strcmp(response->content_type, "application/json") != 0)
                return;
        if (json_parse(buf_view(&response->body), &doc, NULL) < 0)
                abort();
        json_doc_free(doc);
}

static void check_stream(struct http_stream *stream) {
        struct buf text = { 0 };
        struct slice rest, line;

        while (http_stream_read(stream, &text, text.len + 4096) == HTTP_STREAM_MORE)
                ;
        rest = buf_view(&text);
        while (slice_split(&rest, '\n', &line)) {
                struct json_doc *doc = NULL;

                if (line.len && json_parse(line, &doc, NULL) < 0)
                        abort();
                json_doc_free(doc);
        }
        buf_release(&text);
}

static void ask(struct api_server *server, struct slice block) {
        struct slice line = SLICE_EMPTY, method = SLICE_EMPTY, target = SLICE_EMPTY;
        struct http_response response;

        slice_split(&block, '\n', &line);
        slice_split(&line, ' ', &method);
        slice_split(&line, ' ', &target);
        api_server_handle(server,
                          &(struct api_server_request){ .method = method,
                                                        .target = target,
                                                        .content_type = line,
                                                        .accept = SLICE_EMPTY,
                                                        .body = block,
                                                        .user = &api_user_admin },
                          &response);
        assert(response.status >= 200 && response.status < 600);
        if (response.stream)
                check_stream(response.stream);
        else
                check_text(&response);
        http_response_release(&response);
        run_deferred();
}

/* First empty line; the block before it, and the rest behind it. */
static struct slice take_block(struct slice *rest) {
        struct slice block = *rest;

        for (size_t i = 0; i + 1 < rest->len; i++) {
                if (rest->ptr[i] != '\n' || rest->ptr[i + 1] != '\n')
                        continue;
                block.len = i;
                *rest = slice_make(rest->ptr + i + 2, rest->len - i - 2);
                return block;
        }
        *rest = SLICE_EMPTY;
        return block;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct loop loop = { &ops, NULL };
        struct api_server *server = api_server_new(&(struct api_server_config){ .seed = 1 }, &loop);
        struct slice rest = slice_make((const char *)data, size);

        for (int i = 0; i < REQUESTS_MAX && rest.len; i++)
                ask(server, take_block(&rest));
        api_server_free(server);
        run_deferred();
        return 0;
}
