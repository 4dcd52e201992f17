/* Tokens of service accounts: the user of a token that was made here. */
#include "server/account_token.h"

#include "server/api_access.h"
#include "server/api_context.h"
#include "server/api_object.h"
#include "server/api_state.h"
#include <assert.h>

const struct account_key *account_key(struct api_server *server) {
        if (!server->account_key)
                server->account_key = account_key_new(NULL);
        assert(server->account_key);
        return server->account_key;
}

/* The account must be there, and be the one that the token was made for. */
static bool account_exists(struct api_context *context, const struct json *kubernetes) {
        const struct json *account = json_get(kubernetes, "serviceaccount");
        const struct store_object *object =
                object_find(context, context->engine->resources.accounts,
                            json_get_text(kubernetes, "namespace"), json_get_text(account, "name"));

        return object &&
               slice_eq(json_get_text(json_get(request_object_json(context, object), "metadata"),
                                      "uid"),
                        json_get_text(account, "uid"));
}

static bool is_part_there(struct api_context *context, const struct json *kubernetes,
                          const char *member, const char *plural) {
        const struct json *claim = json_get(kubernetes, member);
        const struct api_resource *resource = resource_find(
                &context->engine->resources, SLICE_EMPTY, SLICE_LITERAL("v1"), slice_of(plural));
        struct slice ns = resource->kind->flags & KIND_NAMESPACED
                                  ? json_get_text(kubernetes, "namespace")
                                  : SLICE_EMPTY;
        const struct store_object *object =
                claim ? object_find(context, resource, ns, json_get_text(claim, "name")) : NULL;

        return !claim ||
               (object &&
                slice_eq(json_get_text(json_get(request_object_json(context, object), "metadata"),
                                       "uid"),
                         json_get_text(claim, "uid")));
}

/* So must what the token is bound to; the node of a pod is for information. */
static bool is_bound_there(struct api_context *context, const struct json *kubernetes) {
        return is_part_there(context, kubernetes, "pod", "pods") &&
               is_part_there(context, kubernetes, "secret", "secrets") &&
               (json_get(kubernetes, "pod") || is_part_there(context, kubernetes, "node", "nodes"));
}

static bool is_for_us(const struct json *claims) {
        struct json_iter iter = json_iter(json_get(claims, "aud"));
        const struct json *audience;

        while (json_next(&iter, NULL, &audience)) {
                if (slice_is(json_text(audience), TOKEN_ISSUER))
                        return true;
        }
        return false;
}

/* The token's own name, and what it is bound to. */
static const struct user_extra *account_extras(struct api_context *context,
                                               const struct json *claims, size_t *ret_count) {
        static const struct {
                const char *object, *member, *key;
        } bound[] = {
                { "node", "name", "authentication.kubernetes.io/node-name" },
                { "node", "uid", "authentication.kubernetes.io/node-uid" },
                { "pod", "name", "authentication.kubernetes.io/pod-name" },
                { "pod", "uid", "authentication.kubernetes.io/pod-uid" },
        };
        const struct json *kubernetes = json_get(claims, "kubernetes.io");
        struct user_extra *extras =
                ARENA_ARRAY(context->arena, struct user_extra, ARRAY_LEN(bound) + 1);
        size_t count = 0;

        extras[count++] = (struct user_extra){
                SLICE_LITERAL("authentication.kubernetes.io/credential-id"),
                slice_of(arena_printf(context->arena, "JTI=" SLICE_FMT,
                                      SLICE_ARG(json_get_text(claims, "jti")))),
        };
        for (size_t i = 0; i < ARRAY_LEN(bound); i++) {
                struct slice value =
                        json_get_text(json_get(kubernetes, bound[i].object), bound[i].member);

                if (value.len)
                        extras[count++] = (struct user_extra){ slice_of(bound[i].key), value };
        }
        *ret_count = count;
        return extras;
}

static const struct api_user *account_user(struct api_context *context, struct slice token) {
        struct buf text = { 0 };
        int64_t now = loop_wall(context->engine->loop).ns / NS_PER_S;

        if (!slice_contains(token, SLICE_LITERAL(".")) ||
            !account_key_open(account_key(context->server), token, &text)) {
                buf_release(&text);
                return NULL;
        }
        const struct json *claims = request_json(context, buf_view(&text));
        buf_release(&text);
        const struct json *kubernetes = json_get(claims, "kubernetes.io");
        if (json_get_i64(claims, "exp", 0) <= now || !is_for_us(claims) ||
            !account_exists(context, kubernetes) || !is_bound_there(context, kubernetes))
                return NULL;
        struct slice ns = json_get_text(kubernetes, "namespace");
        struct api_user *user = ARENA_NEW(context->arena, struct api_user);
        size_t extra_count = 0;
        *user = (struct api_user){
                .name = json_get_text(claims, "sub"),
                .uid = json_get_text(json_get(kubernetes, "serviceaccount"), "uid"),
                .extras = account_extras(context, claims, &extra_count),
                .group_count = 3,
                .groups = { SLICE_LITERAL("system:serviceaccounts"),
                            slice_of(arena_printf(context->arena,
                                                  "system:serviceaccounts:" SLICE_FMT,
                                                  SLICE_ARG(ns))),
                            SLICE_LITERAL("system:authenticated") },
        };
        user->extra_count = extra_count;
        return user;
}

const struct api_user *token_user(struct api_context *context, struct slice token) {
        const struct api_user *user =
                token_set_find(&context->server->tokens, token, loop_wall(context->engine->loop));

        return user ? user : account_user(context, token);
}
