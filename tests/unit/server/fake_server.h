/* An API server on a loop with virtual time, and short ways to talk to it. For the tests of this
 * folder. */
#pragma once

#include "api/json.h"
#include "base/util.h"
#include "port/virtual_loop.h"
#include "server/api_server.h"
#include "store/store.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

struct fixture {
        struct virtual_loop *fake;
        struct api_server *server;
        struct json_doc *doc; /* of the last answer */
        int retry_after_s;    /* its header; -1 = none */
        bool has_warning;     /* it has such a header */
        char warnings[2048];  /* the texts of all */
        char *text;
};

static inline struct fixture fixture_new(void) {
        struct fixture fixture = { .fake = virtual_loop_new() };

        fixture.server = api_server_new(&(struct api_server_config){ .seed = 1 },
                                        virtual_loop_get(fixture.fake));
        return fixture;
}
static inline void fixture_free(struct fixture *fixture) {
        api_server_free(fixture->server);
        json_doc_free(fixture->doc);
        free(fixture->text);
        virtual_loop_free(fixture->fake); /* what was deferred must survive that */
}

/* Status of the answer; the body is parsed into fixture->doc. */
static inline int ask_as(struct fixture *fixture, const char *method, const char *path,
                         const char *type, const char *accept, const char *body) {
        struct api_server_request request = {
                .method = slice_of(method),
                .target = slice_of(path),
                .content_type = slice_of(type),
                .accept = slice_of(accept),
                .body = slice_of(body),
                .user_agent = SLICE_LITERAL("test/1"),
                .user = &api_user_admin,
        };
        struct http_response response;
        int status;

        json_doc_free(fixture->doc);
        free(fixture->text);
        fixture->doc = NULL;
        api_server_handle(fixture->server, &request, &response);
        assert_null(response.stream);
        status = response.status;
        fixture->retry_after_s = response.retry_after_s;
        struct buf warnings = { 0 };
        for (size_t i = 0; i < response.header_count; i++)
                if (strcmp(response.headers[i].name, "Warning") == 0)
                        buf_text(&warnings, response.headers[i].value);
        snprintf(fixture->warnings, sizeof(fixture->warnings), SLICE_FMT,
                 SLICE_ARG(buf_view(&warnings)));
        buf_release(&warnings);
        fixture->has_warning = *fixture->warnings;
        fixture->text = slice_dup(buf_view(&response.body));
        json_parse(buf_view(&response.body), &fixture->doc, NULL);
        http_response_release(&response);
        return status;
}
static inline int ask(struct fixture *fixture, const char *method, const char *path,
                      const char *body) {
        return ask_as(fixture, method, path, NULL, NULL, body);
}
#define MERGE_PATCH "application/merge-patch+json"
#define STRATEGIC_PATCH "application/strategic-merge-patch+json"
#define JSON_PATCH "application/json-patch+json"
#define APPLY_PATCH "application/apply-patch+yaml"
static inline int ask_patch(struct fixture *fixture, const char *type, const char *path,
                            const char *body) {
        return ask_as(fixture, "PATCH", path, type, NULL, body);
}

/* "/metadata/name" of the last answer; list elements by number. */
static inline const struct json *answer_at(const struct fixture *fixture, const char *pointer) {
        const struct json *value = json_doc_root(fixture->doc);
        struct slice rest = slice_of(pointer), key;

        slice_split(&rest, '/', &key);
        while (value && slice_split(&rest, '/', &key)) {
                uint64_t index;

                if (json_type(value) == JSON_ARRAY)
                        value = slice_to_u64(key, &index) && index < json_count(value)
                                        ? json_at(value, index)
                                        : NULL;
                else
                        value = json_get_slice(value, key);
        }
        return value;
}
/* Compact text of a part of the last answer; "" when absent. Valid until the next call. */
static inline const char *answer(const struct fixture *fixture, const char *pointer) {
        static char text[4][2048];
        static int next;
        struct buf out = { 0 };
        char *slot = text[next = (next + 1) % 4];
        const struct json *value = answer_at(fixture, pointer);

        slot[0] = '\0';
        if (json_type(value) == JSON_STRING)
                snprintf(slot, sizeof(text[0]), SLICE_FMT, SLICE_ARG(json_text(value)));
        else if (value && json_write(value, &out))
                snprintf(slot, sizeof(text[0]), SLICE_FMT, SLICE_ARG(buf_view(&out)));
        buf_release(&out);
        return slot;
}

static inline struct http_stream *open_watch(struct fixture *fixture, const char *path) {
        struct http_response response;
        struct http_stream *stream;

        api_server_call(fixture->server, &api_user_admin, "GET", slice_of(path), SLICE_EMPTY,
                        &response);
        assert_int_equal(response.status, 200);
        stream = http_response_take_stream(&response);
        assert_non_null(stream);
        http_response_release(&response);
        return stream;
}
static inline struct http_stream *open_watch_as(struct fixture *fixture, const char *path,
                                                const char *query, const char *accept) {
        char target[512];
        struct api_server_request request = { .method = SLICE_LITERAL("GET"),
                                              .accept = slice_of(accept),
                                              .user = &api_user_admin };
        struct http_response response;

        snprintf(target, sizeof(target), "%s%s", path, query);
        request.target = slice_of(target);
        api_server_handle(fixture->server, &request, &response);
        struct http_stream *stream = http_response_take_stream(&response);
        assert_non_null(stream);
        http_response_release(&response);
        return stream;
}
/* "ADDED a;MODIFIED b;" of what the watch has to say; ends with "!" when it ended. */
static inline const char *watch_text(struct http_stream *stream) {
        static char text[4096];
        struct buf out = { 0 };
        struct slice rest, line;
        enum http_stream_state state;
        size_t used = 0;

        do
                state = http_stream_read(stream, &out, out.len + 100);
        while (state == HTTP_STREAM_MORE);
        rest = buf_view(&out);
        text[0] = '\0';
        while (slice_split(&rest, '\n', &line)) {
                struct json_doc *doc = NULL;
                const struct json *object;

                if (line.len == 0)
                        continue;
                assert_int_equal(json_parse(line, &doc, NULL), 0);
                object = json_get(json_doc_root(doc), "object");
                used += (size_t)snprintf(
                        text + used, sizeof(text) - used, SLICE_FMT " " SLICE_FMT ";",
                        SLICE_ARG(json_get_text(json_doc_root(doc), "type")),
                        SLICE_ARG(json_get_text(json_get(object, "metadata"), "name")));
                json_doc_free(doc);
        }
        if (state == HTTP_STREAM_ENDED)
                snprintf(text + used, sizeof(text) - used, "!");
        buf_release(&out);
        return text;
}
