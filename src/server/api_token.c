/* serviceaccounts/NAME/token, and the documents for those who check tokens themselves. */
#include "base/uuid.h"
#include "server/account_token.h"
#include "server/api_context.h"
#include "server/api_decode.h"
#include "server/api_failure.h"
#include "server/api_object.h"
#include "server/api_output.h"
#include "server/api_verbs.h"
#include "server/request_names.h"

#define TOKEN_LIFE_S 3600
#define TOKEN_LIFE_MIN_S 600
#define TOKEN_LIFE_MAX_S (INT64_C(1) << 32)

static void request_defaults(struct decoded *request) {
        struct json_node *spec = node_need_object(request->tree, request->object, "spec");
        struct json_node *audiences = node_need_array(request->tree, spec, "audiences");

        if (node_count(audiences) == 0)
                node_append(audiences, node_string(request->tree, TOKEN_ISSUER));
        if (node_type(node_get(spec, "expirationSeconds")) != JSON_INT)
                node_put_i64(request->tree, spec, "expirationSeconds", TOKEN_LIFE_S);
        if (!node_get(spec, "boundObjectRef"))
                node_put(request->tree, spec, "boundObjectRef", node_null(request->tree));
}

/* What the request says of its account has to be so. */
static int check_account(struct api_context *context, const struct json_node *metadata) {
        struct field_errors errors = { .arena = context->arena };
        struct slice given = node_get_text(metadata, "name");

        if (given.len == 0 || slice_eq(given, context->route.name))
                return 0;
        field_error_add(&errors, FIELD_INVALID, "metadata.name",
                        arena_printf(context->arena, "\"" SLICE_FMT "\"", SLICE_ARG(given)),
                        "must match the service account name if specified");
        return fail_invalid(context, "TokenRequest", "authentication.k8s.io", context->route.name,
                            &errors);
}

/* Nor may it be of an account that was there before. */
static int check_account_uid(struct api_context *context, const struct json_node *metadata,
                             const struct store_object *account) {
        struct slice given = node_get_text(metadata, "uid"),
                     uid = json_get_text(
                             json_get(request_object_json(context, account), "metadata"), "uid");

        if (given.len == 0 || slice_eq(given, uid))
                return 0;
        return fail_conflict(context, "TokenRequest", "authentication.k8s.io", context->route.name,
                             "the UID in the token request (" SLICE_FMT
                             ") does not match the UID of the service account (" SLICE_FMT ")",
                             SLICE_ARG(given), SLICE_ARG(uid));
}

static int check_life(struct api_context *context, int64_t seconds) {
        struct field_errors errors = { .arena = context->arena };
        const char *problem = NULL;

        if (seconds < TOKEN_LIFE_MIN_S)
                problem = "may not specify a duration less than 10 minutes";
        else if (seconds > TOKEN_LIFE_MAX_S)
                problem = "may not specify a duration larger than 2^32 seconds";
        if (!problem)
                return 0;
        field_error_add(&errors, FIELD_INVALID, "spec.expirationSeconds",
                        arena_printf(context->arena, "%lld", (long long)seconds), problem);
        return fail_invalid(context, "TokenRequest", "authentication.k8s.io", SLICE_EMPTY, &errors);
}

static void claim_put(struct json_tree *tree, struct json_node *kubernetes, const char *member,
                      struct slice name, struct slice uid) {
        struct json_node *claim = node_object(tree);

        node_put_text(tree, claim, "name", name);
        if (uid.len)
                node_put_text(tree, claim, "uid", uid);
        node_put(tree, kubernetes, member, claim);
}

static const struct json *core_object(struct api_context *context, const char *plural,
                                      struct slice ns, struct slice name) {
        const struct api_resource *resource = resource_find(
                &context->engine->resources, SLICE_EMPTY, SLICE_LITERAL("v1"), slice_of(plural));
        const struct store_object *object = object_find(context, resource, ns, name);

        return object ? request_object_json(context, object) : NULL;
}

/* The account of the pod, and the node that it is on. */
static int bind_pod(struct api_context *context, const struct json *pod, struct json_tree *tree,
                    struct json_node *kubernetes) {
        const struct json *spec = json_get(pod, "spec");
        struct slice node = json_get_text(spec, "nodeName");
        struct slice account = json_get_text(spec, "serviceAccountName");

        /* Nothing writes the default into pods here. */
        if (!slice_eq(account.len ? account : SLICE_LITERAL("default"), context->route.name))
                return fail_bad_request(context,
                                        "cannot bind token for serviceaccount \"" SLICE_FMT
                                        "\" to pod running with different serviceaccount name.",
                                        SLICE_ARG(context->route.name));
        if (node.len)
                claim_put(tree, kubernetes, "node", node,
                          json_get_text(json_get(core_object(context, "nodes", SLICE_EMPTY, node),
                                                 "metadata"),
                                        "uid"));
        return 0;
}

/* What a token may be bound to: it ends with it. */
static const struct bindable {
        const char *kind, *plural, *claim;
        bool is_namespaced;
} bindables[] = {
        { "Pod", "pods", "pod", true },
        { "Node", "nodes", "node", false },
        { "Secret", "secrets", "secret", true },
};

static const struct bindable *find_bindable(const struct json_node *reference) {
        struct slice version = node_get_text(reference, "apiVersion");

        for (size_t i = 0; i < ARRAY_LEN(bindables); i++)
                if (slice_is(node_get_text(reference, "kind"), bindables[i].kind) &&
                    !slice_contains(version, SLICE_LITERAL("/")))
                        return &bindables[i];
        return NULL;
}

static int bind_claims(struct api_context *context, const struct json_node *reference,
                       struct json_tree *tree, struct json_node *kubernetes) {
        const struct bindable *bindable = find_bindable(reference);
        struct slice name = node_get_text(reference, "name");
        struct slice version = node_get_text(reference, "apiVersion");
        struct slice wanted = node_get_text(reference, "uid");

        if (node_type(reference) != JSON_OBJECT)
                return 0;
        if (!bindable)
                return fail_bad_request(
                        context,
                        "cannot bind token to object of type %s" SLICE_FMT ", Kind=" SLICE_FMT,
                        slice_contains(version, SLICE_LITERAL("/")) ? "" : "/", SLICE_ARG(version),
                        SLICE_ARG(node_get_text(reference, "kind")));
        const struct json *object =
                core_object(context, bindable->plural,
                            bindable->is_namespaced ? context->route.ns : SLICE_EMPTY, name);
        if (!object)
                return fail_not_found(
                        context,
                        resource_any_version(&context->engine->resources, "", bindable->plural),
                        name);
        struct slice uid = json_get_text(json_get(object, "metadata"), "uid");
        if (bindable == &bindables[0] && bind_pod(context, object, tree, kubernetes) < 0)
                return API_FAILED;
        if (wanted.len && !slice_eq(wanted, uid))
                return fail_conflict(context, bindable->kind, "", name,
                                     "the UID in the bound object reference (" SLICE_FMT
                                     ") does not match the UID in record. The object might have "
                                     "been deleted and then recreated",
                                     SLICE_ARG(wanted));
        claim_put(tree, kubernetes, bindable->claim, name, uid);
        return 0;
}

static void put_account(struct api_context *context, const struct store_object *account,
                        struct json_tree *tree, struct json_node *kubernetes) {
        node_put_text(tree, kubernetes, "namespace", context->route.ns);
        claim_put(
                tree, kubernetes, "serviceaccount", context->route.name,
                json_get_text(json_get(request_object_json(context, account), "metadata"), "uid"));
}

static int make_claims(struct api_context *context, const struct json_node *spec,
                       const struct store_object *account, struct buf *out) {
        CLEANUP(cleanup_json_tree) struct json_tree *tree = json_tree_new();
        struct json_node *claims = node_object(tree), *kubernetes = node_object(tree);
        int64_t now = loop_wall(context->engine->loop).ns / NS_PER_S;
        char id[UUID_TEXT_SIZE];

        uuid_format(uuid_random(&context->engine->rng), id);
        node_put(tree, claims, "aud", node_clone(tree, node_get(spec, "audiences")));
        node_put_i64(tree, claims, "exp", now + node_get_i64(spec, "expirationSeconds", 0));
        node_put_i64(tree, claims, "iat", now);
        node_put_string(tree, claims, "iss", TOKEN_ISSUER);
        node_put_string(tree, claims, "jti", id);
        put_account(context, account, tree, kubernetes);
        if (bind_claims(context, node_get(spec, "boundObjectRef"), tree, kubernetes) < 0)
                return API_FAILED;
        node_put(tree, claims, "kubernetes.io", kubernetes);
        node_put_i64(tree, claims, "nbf", now);
        node_put_string(tree, claims, "sub",
                        arena_printf(context->arena,
                                     "system:serviceaccount:" SLICE_FMT ":" SLICE_FMT,
                                     SLICE_ARG(context->route.ns), SLICE_ARG(context->route.name)));
        node_write(claims, out);
        return 0;
}

static void respond_token(struct api_context *context, struct decoded *request,
                          const struct store_object *account, const char *token) {
        struct json_node *status = node_need_object(request->tree, request->object, "status");
        struct json_node *metadata = node_need_object(request->tree, request->object, "metadata");
        struct wall_time now = loop_wall(context->engine->loop), expires = now;
        char text[WALL_TIME_TEXT_MAX];

        expires.ns +=
                node_get_i64(node_get(request->object, "spec"), "expirationSeconds", 0) * NS_PER_S;
        wall_time_format(expires, text);
        node_put_string(request->tree, status, "token", token);
        node_put_string(request->tree, status, "expirationTimestamp", text);
        wall_time_format(now, text);
        node_put_text(request->tree, metadata, "name", context->route.name);
        node_put_text(request->tree, metadata, "namespace", context->route.ns);
        node_put_text(
                request->tree, metadata, "uid",
                json_get_text(json_get(request_object_json(context, account), "metadata"), "uid"));
        node_put_string(request->tree, metadata, "creationTimestamp", text);
        context->response->status = 201;
        context->response->content_type = "application/json";
        node_write(request->object, &context->response->body);
}

static int make_token(struct api_context *context, struct decoded *request,
                      const struct store_object *account) {
        struct buf claims = { 0 }, token = { 0 };

        request_defaults(request);
        const struct json_node *spec = node_get(request->object, "spec");
        int r = check_life(context, node_get_i64(spec, "expirationSeconds", 0));
        if (r == 0)
                r = make_claims(context, spec, account, &claims);
        if (r == 0 && !account_key_sign(account_key(context->server), buf_view(&claims), &token))
                r = fail_plain(context, 500, "InternalError", "cannot sign the token");
        if (r == 0)
                respond_token(context, request, account, token.data);
        buf_release(&claims);
        buf_release(&token);
        return r;
}

int serve_token(struct api_context *context) {
        const struct store_object *account =
                object_find(context, context->resource, context->route.ns, context->route.name);
        struct decoded request = { 0 };

        int r = decode_body(context, "authentication.k8s.io", "v1", "TokenRequest", &request);
        if (r == 0)
                r = check_given_namespace(context, request.object);
        if (r == 0)
                r = check_account(context, node_get(request.object, "metadata"));
        if (r == 0)
                r = check_key(context, context->route.name);
        if (r == 0 && !account)
                r = fail_not_found(context, context->resource, context->route.name);
        if (r == 0)
                r = check_account_uid(context, node_get(request.object, "metadata"), account);
        if (r == 0)
                r = make_token(context, &request, account);
        decoded_release(&request);
        return r;
}

/* ---- for those who check tokens themselves ---- */

bool serve_token_documents(struct api_context *context) {
        struct buf text = { 0 };
        bool is_keys = slice_is(context->route.path, "/openid/v1/jwks");

        if (!is_keys && !slice_is(context->route.path, "/.well-known/openid-configuration"))
                return false;
        if (is_keys)
                account_key_publish(account_key(context->server), &text);
        else
                buf_text(&text, "{\"issuer\":\"" TOKEN_ISSUER "\",\"jwks_uri\":\"" TOKEN_ISSUER
                                "/openid/v1/jwks\",\"response_types_supported\":[\"id_token\"],"
                                "\"subject_types_supported\":[\"public\"],"
                                "\"id_token_signing_alg_values_supported\":[\"ES256\"]}");
        respond_text(context, 200, is_keys ? "application/jwk-set+json" : "application/json",
                     buf_view(&text));
        buf_release(&text);
        return true;
}
