/* Life of the API server and the way of one request through it. */
#include "kinds/bootstrap_roles.h"
#include "server/account_key.h"
#include "server/api_priv.h"
#include "server/custom_resource.h"
#include "server/event_retention.h"

#include <stdlib.h>

/* ---- resources ---- */

static void route_key(const struct kind_info *kind, char *key, size_t size) {
        snprintf(key, size, "%s/%s/%s", kind->group, kind->version, kind->plural);
}

void resource_init(struct api_server *server, struct api_resource *resource,
                   const struct kind_info *kind) {
        char version[KIND_API_VERSION_MAX], key[ROUTE_KEY_MAX];
        struct buf text = { 0 };
        const struct kind_info *stored = kind->stored_as ? kind->stored_as : kind;

        resource->kind = kind;
        resource->api_version = slice_dup(kind_api_version(kind, version));
        buf_printf(&text, "{\"kind\":\"%s\",\"apiVersion\":\"%s\",", kind->kind,
                   resource->api_version);
        resource->prefix = buf_take(&text, &resource->prefix_size);
        buf_printf(&text, "%s%s%s", kind->plural, *kind->group ? "." : "", kind->group);
        resource->qualified = buf_take(&text, NULL);
        resource->schema =
                schema_find(slice_of(kind->group), slice_of(kind->version), slice_of(kind->kind));
        resource->merge_type = resource->schema;
        resource->store_resource = -1;
        if (!(kind->flags & KIND_REVIEW)) {
                buf_printf(&text, "%s%s%s", stored->plural, *stored->group ? "." : "",
                           stored->group);
                resource->store_resource = store_add_resource(server->store, buf_view(&text));
        }
        buf_release(&text);
        route_key(kind, key, sizeof(key));
        map_put(server->by_path, slice_of(key), resource);
}

void resource_unroute(struct api_server *server, const struct api_resource *resource) {
        char key[ROUTE_KEY_MAX];

        route_key(resource->kind, key, sizeof(key));
        if (map_get(server->by_path, slice_of(key)) == resource)
                map_remove(server->by_path, slice_of(key));
}

void resource_release(struct api_resource *resource) {
        free(resource->prefix);
        free(resource->api_version);
        free(resource->qualified);
}

const struct api_resource *resource_at(const struct api_server *server, size_t index) {
        if (index < server->resource_count)
                return &server->resources[index];
        return custom_resource_at(server, index - server->resource_count);
}

static struct api_resource *api_server_core(struct api_server *server, const char *group,
                                            const char *plural) {
        return (struct api_resource *)resource_find(server, slice_of(group), SLICE_LITERAL("v1"),
                                                    slice_of(plural));
}

static void resources_init(struct api_server *server) {
        server->resource_count = kind_count();
        server->resources = xcalloc(server->resource_count, sizeof(server->resources[0]));
        server->by_path = map_new();
        for (size_t i = 0; i < server->resource_count; i++)
                resource_init(server, &server->resources[i], kind_at(i));
        server->pods = api_server_core(server, "", "pods");
        server->nodes = api_server_core(server, "", "nodes");
        server->namespaces = api_server_core(server, "", "namespaces");
        server->accounts = api_server_core(server, "", "serviceaccounts");
        server->quotas = api_server_core(server, "", "resourcequotas");
        server->budgets = api_server_core(server, "policy", "poddisruptionbudgets");
        server->mutating_webhooks = api_server_core(server, "admissionregistration.k8s.io",
                                                    "mutatingwebhookconfigurations");
        server->validating_webhooks = api_server_core(server, "admissionregistration.k8s.io",
                                                      "validatingwebhookconfigurations");
}

/* ---- life ---- */

bool api_server_add_token(struct api_server *server, const struct api_token *token) {
        return token_add(server, token, WALL_TIME_UNSET);
}

static void bootstrap_create(struct api_server *server, const char *path, struct slice json) {
        struct http_response response;

        api_server_call(server, &api_user_admin, "POST", slice_of(path), json, &response);
        http_response_release(&response);
}

static void bootstrap_role(struct slice json, void *data) {
        bootstrap_create(data, "/apis/rbac.authorization.k8s.io/v1/clusterroles", json);
}

/* Objects that a data directory brought along are left alone. */
static void api_server_bootstrap(struct api_server *server) {
        size_t count = 0;
        const struct bootstrap_object *objects = kinds_bootstrap_objects(&count);

        server->is_bootstrapping = true;
        for (size_t i = 0; i < count; i++)
                bootstrap_create(server, objects[i].path, slice_of(objects[i].json));
        bootstrap_roles_each(bootstrap_role, server);
        server->is_bootstrapping = false;
}

struct api_server *api_server_new(const struct api_server_config *config, struct loop *loop) {
        struct api_server *server = xcalloc(1, sizeof(*server));

        server->loop = loop;
        server->store = config->store ? config->store : store_new(NULL);
        server->owns_store = !config->store;
        server->is_open = config->is_open;
        server->read_yaml = config->read_yaml;
        if (config->account_key_pem)
                server->account_key = account_key_new(config->account_key_pem);
        if (config->webhooks)
                server->webhooks = *config->webhooks;
        server->server_address = slice_dup(slice_of(config->server_address));
        rng_init(&server->rng, config->seed);
        arena_init(&server->scratch, 0);
        resources_init(server);
        for (size_t i = 0; i < config->token_count; i++)
                api_server_add_token(server, &config->tokens[i]);
        server->has_eviction_responders = config->has_eviction_responders;
        if (config->evictions)
                server->evictions = *config->evictions;
        custom_resources_start(server, config->definitions, config->definition_count);
        event_retention_start(server, config->events_max);
        api_server_bootstrap(server);
        return server;
}

void api_server_free(struct api_server *server) {
        if (!server)
                return;
        watches_end(server);
        custom_resources_stop(server);
        event_retention_stop(server);
        for (size_t i = 0; i < JSON_CACHE_SLOTS; i++) {
                store_object_unref(server->cache[i].object);
                json_doc_free(server->cache[i].doc);
        }
        for (size_t i = 0; i < server->resource_count; i++)
                resource_release(&server->resources[i]);
        free(server->resources);
        map_free(server->by_path);
        tokens_release(server);
        account_key_free(server->account_key);
        arena_release(&server->scratch);
        if (server->owns_store)
                store_free(server->store);
        free(server->server_address);
        free(server);
}

struct store *api_server_store(struct api_server *server) {
        return server->store;
}

/* ---- one request ---- */

int fail_unknown(struct api_context *context) {
        if (!context->route.group_is_known) {
                respond_text(context, 404, "text/plain; charset=utf-8",
                             SLICE_LITERAL("404 page not found\n"));
                return 0;
        }
        fail_plain(context, 404, "NotFound", "the server could not find the requested resource");
        context->failure.has_details = true;
        return API_FAILED;
}

/* Needs a running container behind the pod, or a node. */
static bool is_live(struct slice subresource) {
        return slice_is(subresource, "attach") || slice_is(subresource, "exec") ||
               slice_is(subresource, "portforward") || slice_is(subresource, "proxy");
}

static int serve_read(struct api_context *context) {
        const struct api_route *route = &context->route;
        unsigned verbs = context->resource->kind->verbs;

        if (route->is_watch)
                return verbs & VERB_WATCH ? serve_watch(context) : fail_method(context);
        if (route->name.len == 0)
                return verbs & VERB_LIST ? serve_list(context) : fail_method(context);
        if (!(verbs & VERB_GET))
                return fail_method(context);
        if (slice_is(route->subresource, "scale"))
                return serve_scale(context);
        if (slice_is(route->subresource, "log"))
                return serve_log(context);
        if (is_live(route->subresource))
                return fail_not_simulated(context);
        if (slice_is(route->subresource, "binding") || slice_is(route->subresource, "eviction") ||
            slice_is(route->subresource, "finalize"))
                return fail_method(context);
        return serve_get(context);
}

static int serve_resource(struct api_context *context) {
        struct slice method = context->request->method;

        context->resource = context->route.resource;
        if (!context->resource || !has_subresource(context->resource, context->route.subresource))
                return fail_unknown(context);
        if (accept_negotiate(context) < 0)
                return API_FAILED;
        hooks_prepare(context, context->resource);
        if (context->resource->kind->deprecation)
                warn_add(context, slice_of(context->resource->kind->deprecation));
        if (slice_is(method, "GET") || slice_is(method, "HEAD"))
                return serve_read(context);
        if (body_from_yaml(context) < 0)
                return API_FAILED;
        if (is_live(context->route.subresource))
                return fail_not_simulated(context);
        if (slice_is(method, "POST"))
                return serve_create(context);
        if (slice_is(method, "PUT"))
                return serve_update(context);
        if (slice_is(method, "PATCH"))
                return serve_patch(context);
        if (slice_is(method, "DELETE"))
                return context->route.name.len ? serve_delete(context)
                                               : serve_delete_collection(context);
        return fail_method(context);
}

static int api_server_serve(struct api_context *context) {
        struct slice target = context->request->target, path = SLICE_EMPTY;

        slice_split(&target, '?', &path);
        if (query_parse(context, target) < 0)
                return API_FAILED;
        route_parse(context, path);
        if (authenticate(context) < 0 || authorize(context) < 0)
                return API_FAILED;
        return context->route.is_resource ? serve_resource(context) : serve_path(context);
}

/* Warning: 299 - "text", quotes and backslashes escaped. */
static void warnings_write(struct api_context *context) {
        struct buf text = { 0 };

        for (size_t i = 0; i < context->warning_count; i++) {
                struct slice warning = context->warnings[i];

                buf_text(&text, i ? ", 299 - \"" : "299 - \"");
                for (size_t j = 0; j < warning.len; j++) {
                        if (warning.ptr[j] == '"' || warning.ptr[j] == '\\')
                                buf_char(&text, '\\');
                        buf_char(&text,
                                 (unsigned char)warning.ptr[j] < 0x20 ? ' ' : warning.ptr[j]);
                }
                buf_char(&text, '"');
        }
        if (text.len)
                http_response_header(context->response, "Warning", "%s", text.data);
        buf_release(&text);
}

bool request_run(struct api_server *server, const struct api_server_request *request,
                 struct api_pending *pending, struct http_response *ret_response) {
        struct api_context context = {
                .server = server,
                .request = request,
                .response = ret_response,
                .arena = &server->scratch,
                .pending = pending,
        };

        *ret_response = (struct http_response){ .retry_after_s = -1 };
        if (api_server_serve(&context) < 0 && !context.is_waiting)
                failure_respond(&context);
        if (context.is_waiting)
                http_response_release(ret_response);
        else
                warnings_write(&context);
        for (size_t i = 0; i < context.doc_count; i++)
                json_doc_free(context.docs[i]);
        free(context.docs);
        arena_clear(&server->scratch);
        return !context.is_waiting;
}

void api_server_contend(struct api_server *server, void (*in_between)(void *context),
                        void *context) {
        server->in_between = in_between;
        server->in_between_context = context;
}

void api_server_handle(struct api_server *server, const struct api_server_request *request,
                       struct http_response *ret_response) {
        request_run(server, request, NULL, ret_response);
}

void api_server_call(struct api_server *server, const struct api_user *user, const char *method,
                     struct slice target, struct slice body, struct http_response *ret_response) {
        struct api_server_request request = {
                .method = slice_of(method),
                .target = target,
                .body = body,
                .user_agent = user->name,
                .user = user,
        };

        api_server_handle(server, &request, ret_response);
}

void api_server_inside(struct api_server *server, const struct api_server_request *request,
                       struct http_response *ret_response) {
        struct arena outer = server->scratch; /* of the request under way */

        arena_init(&server->scratch, 0);
        api_server_handle(server, request, ret_response);
        arena_release(&server->scratch);
        server->scratch = outer;
}
