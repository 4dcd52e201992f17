/* Life of the API server. */
#include "kinds/bootstrap_roles.h"
#include "kinds/release.h"
#include "server/account_key.h"
#include "server/api_context.h"
#include "server/api_state.h"
#include "server/api_verbs.h"
#include "server/custom_resource.h"
#include "server/event_retention.h"
#include <stdlib.h>

/* ---- life ---- */

int api_server_resource(const struct api_server *server, const char *group, const char *plural) {
        const struct api_resource *resource =
                resource_any_version(&server->engine.resources, group, plural);

        return resource ? resource->store_resource : -1;
}

bool api_server_add_token(struct api_server *server, const struct api_token *token) {
        return token_set_add(&server->tokens, token, WALL_TIME_UNSET,
                             loop_wall(server->engine.loop));
}

static void bootstrap_create(struct api_server *server, const char *path, struct slice json) {
        struct http_response response;

        api_server_call(server, &api_user_admin, "POST", slice_of(path), json, &response);
        http_response_release(&response);
}

static void bootstrap_role(const char *path, struct slice json, void *data) {
        bootstrap_create(data, path, json);
}

/* The day since which tokens in Secrets are tracked: the first of this cluster. */
static void bootstrap_token_tracking(struct api_server *server) {
        char now[WALL_TIME_TEXT_MAX];
        struct buf json = { 0 };

        wall_time_format(loop_wall(server->engine.loop), now);
        buf_printf(&json,
                   "{\"metadata\":{\"name\":\"kube-apiserver-legacy-service-account-token-"
                   "tracking\"},\"data\":{\"since\":\"%.10s\"}}",
                   now);
        bootstrap_create(server, "/api/v1/namespaces/kube-system/configmaps", buf_view(&json));
        buf_release(&json);
}

/* Whose client certificates and which proxies programs beside the API server accept. The sandbox's
 * authority signs neither, but a program that finds none in there goes on asking. */
static void bootstrap_authorities(struct api_server *server, const char *ca_pem) {
        struct buf json = { 0 };
        struct slice pem = slice_of(ca_pem);

        buf_text(&json, "{\"metadata\":{\"name\":\"extension-apiserver-authentication\"},\"data\":{"
                        "\"client-ca-file\":");
        buf_json_string(&json, pem);
        buf_text(&json, ",\"requestheader-client-ca-file\":");
        buf_json_string(&json, pem);
        buf_text(&json, ",\"requestheader-allowed-names\":\"[\\\"front-proxy-client\\\"]\","
                        "\"requestheader-username-headers\":\"[\\\"X-Remote-User\\\"]\","
                        "\"requestheader-group-headers\":\"[\\\"X-Remote-Group\\\"]\","
                        "\"requestheader-extra-headers-prefix\":\"[\\\"X-Remote-Extra-\\\"]\"}}");
        bootstrap_create(server, "/api/v1/namespaces/kube-system/configmaps", buf_view(&json));
        buf_release(&json);
}

/* Objects that a data directory brought along are left alone. */
static void api_server_bootstrap(struct api_server *server, const char *ca_pem) {
        size_t count = 0;
        const struct bootstrap_object *objects = kinds_bootstrap_objects(&count);

        server->engine.is_bootstrapping = true;
        for (size_t i = 0; i < count; i++)
                bootstrap_create(server, objects[i].path, slice_of(objects[i].json));
        bootstrap_roles_each(bootstrap_role, server);
        bootstrap_token_tracking(server);
        if (ca_pem)
                bootstrap_authorities(server, ca_pem);
        server->engine.is_bootstrapping = false;
}

static unsigned group_gates(const struct api_group_gates *groups) {
        if (!groups->is_served)
                return 0;
        return GATE_GROUPS | (groups->has_topology ? GATE_GROUP_TOPOLOGY : 0) |
               (groups->has_claims ? GATE_GROUP_CLAIMS : 0) |
               (groups->has_priority ? GATE_GROUP_PRIORITY : 0);
}

struct api_server *api_server_new(const struct api_server_config *config, struct loop *loop) {
        struct api_server *server = xcalloc(1, sizeof(*server));

        server->engine.loop = loop;
        server->engine.store = config->store ? config->store : store_new(NULL);
        server->owns_store = !config->store;
        server->engine.is_open = config->is_open;
        server->engine.read_yaml = config->read_yaml;
        if (config->account_key_pem)
                server->account_key = account_key_new(config->account_key_pem);
        if (config->webhooks)
                server->webhooks = *config->webhooks;
        server->engine.server_address = slice_dup(slice_of(config->server_address));
        rng_init(&server->engine.rng, config->seed);
        arena_init(&server->engine.scratch, 0);
        resource_table_init(&server->engine.resources, server->engine.store,
                            config->minor ? config->minor : RELEASE_DEFAULT,
                            group_gates(&config->groups));
        for (size_t i = 0; i < config->token_count; i++)
                api_server_add_token(server, &config->tokens[i]);
        server->engine.has_eviction_responders = config->has_eviction_responders;
        if (config->evictions)
                server->evictions = *config->evictions;
        server->customs = custom_resources_start(&server->engine, config->definitions,
                                                 config->definition_count);
        server->retention = event_retention_start(&server->engine, config->events_max);
        api_server_bootstrap(server, config->ca_pem);
        return server;
}

void api_server_free(struct api_server *server) {
        if (!server)
                return;
        loop_timer_disarm(server->engine.loop, &server->work.timer);
        watches_end(server);
        custom_resources_stop(server->customs);
        event_retention_stop(server->retention);
        json_cache_release(&server->engine.cache);
        owned_forms_release(&server->engine.forms);
        map_free(server->engine.raw_forms);
        resource_table_release(&server->engine.resources);
        token_set_release(&server->tokens);
        account_key_free(server->account_key);
        arena_release(&server->engine.scratch);
        if (server->owns_store)
                store_free(server->engine.store);
        free(server->engine.server_address);
        free(server);
}

struct store *api_server_store(struct api_server *server) {
        return server->engine.store;
}

unsigned api_server_minor(const struct api_server *server) {
        return server->engine.resources.minor;
}

bool api_server_may_have_pod_groups(unsigned minor) {
        return release_has(minor ? minor : RELEASE_DEFAULT, RELEASE_POD_GROUPS);
}

bool api_server_may_have_eviction_requests(unsigned minor) {
        return release_has(minor, RELEASE_EVICTION_REQUESTS);
}

void api_server_contend(struct api_server *server, void (*in_between)(void *context),
                        void *context) {
        server->in_between = in_between;
        server->in_between_context = context;
}
