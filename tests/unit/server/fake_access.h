/* Short ways to ask a server of the tests as this or that user. JSON is written with ' for ". */
#pragma once

#include "fake_server.h"

#define RBAC "/apis/rbac.authorization.k8s.io/v1"
#define REVIEWS "/apis/authorization.k8s.io/v1"
#define REF(kind, name)                                                                            \
        "'roleRef':{'apiGroup':'rbac.authorization.k8s.io','kind':'" kind "','name':'" name "'}"
#define USER(name) "{'kind':'User','name':'" name "','apiGroup':'rbac.authorization.k8s.io'}"

/* The token of a user is his name; root is in system:masters. */
static inline struct fixture access_new(void) {
        static const char *const masters[] = { "system:masters", NULL };
        static const struct api_token tokens[] = { { "root", "root", masters },
                                                   { "u", "u", NULL },
                                                   { "v", "v", NULL },
                                                   { "one", "one", NULL } };
        struct fixture fixture = { .fake = virtual_loop_new() };

        fixture.server = api_server_new(
                &(struct api_server_config){
                        .seed = 1, .tokens = tokens, .token_count = ARRAY_LEN(tokens) },
                virtual_loop_get(fixture.fake));
        return fixture;
}

/* Valid until the next call. */
static inline const char *quoted_json(const char *text) {
        static char copy[8192];

        snprintf(copy, sizeof(copy), "%s", text ? text : "");
        for (char *c = copy; *c; c++)
                *c = *c == '\'' ? '"' : *c;
        return copy;
}

/* As the administrator, who never fails. */
static inline void make(struct fixture *fixture, const char *path, const char *body) {
        if (ask(fixture, "POST", path, quoted_json(body)) != 201)
                fail_msg("%s %s: %s", path, body, fixture->text);
}

/* A request as it comes from outside. */
struct outside {
        const char *authorization;
        struct slice impersonation;
        const char *method, *path, *type, *body;
};
static inline int ask_outside(struct fixture *fixture, const struct outside *outside) {
        struct api_server_request request = {
                .method = slice_of(outside->method),
                .target = slice_of(outside->path),
                .content_type = slice_of(outside->type),
                .body = slice_of(quoted_json(outside->body)),
                .user_agent = SLICE_LITERAL("test/1"),
                .authorization = slice_of(outside->authorization),
                .impersonation = outside->impersonation,
        };
        struct http_response response;

        json_doc_free(fixture->doc);
        free(fixture->text);
        fixture->doc = NULL;
        api_server_handle(fixture->server, &request, &response);
        int status = response.status;
        fixture->text = slice_dup(buf_view(&response.body));
        json_parse(buf_view(&response.body), &fixture->doc, NULL);
        http_response_release(&response);
        return status;
}

#define ask_header(fixture, ...) ask_outside((fixture), &(struct outside){ __VA_ARGS__ })

/* token NULL: anonymous. headers: "NAME: VALUE" lines of Impersonate-*, NULL = none. */
struct asked {
        const char *token, *headers, *method, *path, *type, *body;
};
static inline int ask_asked(struct fixture *fixture, const struct asked *asked) {
        char authorization[100] = "", *packed = slice_dup(slice_of(asked->headers));
        struct buf out = { 0 };
        struct slice rest = slice_of(packed), line, name;

        while (asked->headers && slice_split(&rest, '\n', &line)) {
                slice_split(&line, ':', &name);
                line = slice_trim(line);
                buf_append(&out, name.ptr, name.len);
                buf_append(&out, "", 1);
                buf_append(&out, line.ptr ? line.ptr : "", line.len);
                buf_append(&out, "", 1);
        }
        if (asked->token)
                snprintf(authorization, sizeof(authorization), "Bearer %s", asked->token);
        int status = ask_header(fixture, authorization, buf_view(&out), asked->method, asked->path,
                                asked->type, asked->body);
        buf_release(&out);
        free(packed);
        return status;
}
#define ask_token(fixture, ...) ask_asked((fixture), &(struct asked){ __VA_ARGS__ })
