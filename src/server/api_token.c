/* Bearer tokens: those the server was started with, and those that service accounts ask for. */
#include "server/api_priv.h"
#include "server/tls_material.h"

#include <stdlib.h>

#define TOKEN_LIFE_S 3600
#define TOKEN_LIFE_MIN_S 600

static bool user_copy(struct api_user *to, const struct api_token *from) {
        *to = (struct api_user){ .name = slice_of(slice_dup(slice_of(from->user))) };
        for (size_t i = 0; from->groups && from->groups[i]; i++) {
                if (to->group_count == API_GROUPS_MAX - 1)
                        return false;
                to->groups[to->group_count++] = slice_of(slice_dup(slice_of(from->groups[i])));
        }
        to->groups[to->group_count++] = slice_of(slice_dup(SLICE_LITERAL("system:authenticated")));
        return true;
}

static void known_release(struct known_token *known) {
        free(known->token);
        free((char *)known->user.name.ptr);
        for (size_t i = 0; i < known->user.group_count; i++)
                free((char *)known->user.groups[i].ptr);
}

static void drop_expired(struct api_server *server) {
        int64_t now = loop_wall(server->loop).ns;
        size_t kept = 0;

        for (size_t i = 0; i < server->token_count; i++) {
                struct known_token *known = &server->tokens[i];

                if (wall_time_is_set(known->expires) && known->expires.ns <= now)
                        known_release(known);
                else
                        server->tokens[kept++] = *known;
        }
        server->token_count = kept;
}

bool token_add(struct api_server *server, const struct api_token *token, struct wall_time expires) {
        struct known_token known = { .token = slice_dup(slice_of(token->token)),
                                     .expires = expires };

        if (!user_copy(&known.user, token)) {
                known_release(&known);
                return false;
        }
        drop_expired(server);
        server->tokens =
                xreallocarray(server->tokens, server->token_count + 1, sizeof(server->tokens[0]));
        server->tokens[server->token_count++] = known;
        return true;
}

void tokens_release(struct api_server *server) {
        for (size_t i = 0; i < server->token_count; i++)
                known_release(&server->tokens[i]);
        free(server->tokens);
}

/* ---- serviceaccounts/NAME/token ---- */

static int64_t life_of(const struct json_node *request) {
        int64_t seconds =
                node_get_i64(node_get(request, "spec"), "expirationSeconds", TOKEN_LIFE_S);

        return seconds < TOKEN_LIFE_MIN_S ? TOKEN_LIFE_MIN_S : seconds;
}

static void respond_token(struct api_context *context, struct decoded *request, const char *token,
                          struct wall_time expires) {
        struct json_node *status = node_need_object(request->tree, request->object, "status");
        char text[WALL_TIME_TEXT_MAX];

        wall_time_format(expires, text);
        if (status) {
                node_put_string(request->tree, status, "token", token);
                node_put_string(request->tree, status, "expirationTimestamp", text);
        }
        context->response->status = 201;
        context->response->content_type = "application/json";
        node_write(request->object, &context->response->body);
}

static int make_token(struct api_context *context, struct decoded *request) {
        struct slice ns = context->route.ns, name = context->route.name;
        const char *groups[] = { "system:serviceaccounts",
                                 arena_printf(context->arena, "system:serviceaccounts:" SLICE_FMT,
                                              SLICE_ARG(ns)),
                                 NULL };
        struct api_token token = { .groups = groups };
        struct wall_time expires = loop_wall(context->server->loop);
        char text[TOKEN_TEXT_SIZE];
        struct err err = { 0 };

        if (token_make(text, &err) < 0)
                return fail_plain(context, 500, "InternalError", "%s", err.text);
        expires.ns += life_of(request->object) * NS_PER_S;
        token.token = text;
        token.user = arena_printf(context->arena, "system:serviceaccount:" SLICE_FMT ":" SLICE_FMT,
                                  SLICE_ARG(ns), SLICE_ARG(name));
        if (!context->is_dry_run)
                token_add(context->server, &token, expires);
        respond_token(context, request, text, expires);
        return 0;
}

int serve_token(struct api_context *context) {
        struct decoded request = { 0 };
        int r;

        if (!object_find(context, context->resource, context->route.ns, context->route.name))
                return fail_not_found(context, context->resource, context->route.name);
        r = decode_body(context, "authentication.k8s.io", "v1", "TokenRequest", &request);
        if (r == 0)
                r = make_token(context, &request);
        decoded_release(&request);
        return r;
}
