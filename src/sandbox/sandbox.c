/* Starts and stops the parts of the embedded cluster in their order. */
#include "sandbox/sandbox.h"

#include "base/util.h"
#include "config/document.h"
#include "control/control.h"
#include "http/http_front.h"
#include "http/tls_material.h"
#include "sandbox/eviction_waits.h"
#include "sandbox/native_evictions.h"
#include "sandbox/webhook_client.h"
#include "server/api_server.h"
#include "server/local_transport.h"
#include "store/sqlite_backend.h"
#include "store/store.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SANDBOX_LISTEN_DEFAULT "127.0.0.1:0"

#define SANDBOX_DEFINITIONS_MAX 4

struct sandbox {
        struct loop *loop;
        struct store *store;
        struct api_server *server;
        struct control *control;
        struct http_front *front;
        struct tls_material tls;
        struct webhook_client *webhooks;
        struct native_evictions *native; /* NULL when not served */
        struct api_definition definitions[SANDBOX_DEFINITIONS_MAX];
        size_t definition_count;
        struct eviction_waits waits;
        struct local_transport *transports[SANDBOX_TRANSPORTS_MAX];
        size_t transport_count;
        char url[300];
        char token[TOKEN_TEXT_SIZE];
};

static int start_store(struct sandbox *sandbox, const struct sandbox_config *config,
                       struct err *err) {
        struct sqlite_backend *backend = NULL;
        struct store_config store_config = { 0 };

        if (config->data_dir) {
                if (sqlite_backend_new(config->data_dir, &backend, err) < 0)
                        return err->code;
                store_config.backend = &sqlite_backend_ops;
                store_config.backend_self = backend;
        }
        sandbox->store = store_new(&store_config);
        return store_load(sandbox->store, err);
}

static int define_evictions(struct sandbox *sandbox, const struct sandbox_config *config,
                            struct err *err) {
        size_t count;

        if (!config->has_eviction_requests)
                return 0;
        if (native_evictions_new(&sandbox->native, err) < 0)
                return err->code;
        const struct api_definition *definitions =
                native_evictions_definitions(sandbox->native, &count);
        for (size_t i = 0; i < count; i++)
                sandbox->definitions[sandbox->definition_count++] = definitions[i];
        return 0;
}

/* The gate may be on for a scheduler that follows a definition of its user. */
static struct api_group_gates sandbox_groups(const struct sandbox_config *config) {
        return api_server_may_have_pod_groups(config->minor) ? config->groups
                                                             : (struct api_group_gates){ 0 };
}

static int start_server(struct sandbox *sandbox, const struct sandbox_config *config,
                        struct err *err) {
        static const char *const admins[] = { "system:masters", NULL };
        struct api_token token = { sandbox->token, "kubernetes-admin", admins };
        struct api_eviction_judge judge = eviction_waits_judge(&sandbox->waits);
        struct webhook_caller webhooks;

        if (config->passes_evictions) /* left to webhooks */
                judge.waits = NULL, judge.admits = NULL;

        if (config->has_eviction_requests && config->minor &&
            !api_server_may_have_eviction_requests(config->minor))
                return err_set(err, BERTH_ERR_USAGE,
                               "option --feature-gates: EvictionRequestAPI is not known in "
                               "Kubernetes 1.%u, which --kubernetes-version asks for",
                               config->minor);
        if (define_evictions(sandbox, config, err) < 0)
                return err->code;
        if (!config->token && (config->data_dir ? token_keep(config->data_dir, sandbox->token, err)
                                                : token_make(sandbox->token, err)) < 0)
                return err->code;
        if (config->token) {
                if (strlen(config->token) >= sizeof(sandbox->token))
                        return err_set(err, BERTH_ERR_USAGE, "token longer than %zu bytes",
                                       sizeof(sandbox->token) - 1);
                memcpy(sandbox->token, config->token, strlen(config->token) + 1);
        }
        sandbox->webhooks = webhook_client_new(sandbox->loop);
        webhooks = webhook_client_caller(sandbox->webhooks);
        sandbox->server = api_server_new(
                &(struct api_server_config){ .store = sandbox->store,
                                             .webhooks = &webhooks,
                                             .evictions = &judge,
                                             .ca_pem = sandbox->tls.ca_pem,
                                             .account_key_pem = sandbox->tls.ca_key_pem,
                                             .tokens = &token,
                                             .token_count = 1,
                                             .definitions = sandbox->definitions,
                                             .definition_count = sandbox->definition_count,
                                             .has_eviction_responders = sandbox->native,
                                             .groups = sandbox_groups(config),
                                             .seed = config->seed,
                                             .minor = config->minor,
                                             .read_yaml = document_read_tree },
                sandbox->loop);
        sandbox->waits = (struct eviction_waits){ sandbox->server, sandbox->loop, sandbox->native };
        return 0;
}

/* Host part of "host:port" without brackets; false when there is no port. */
static bool host_of(const char *listen, char *host, size_t size) {
        const char *colon = strrchr(listen, ':');
        const char *from = listen;

        if (!colon)
                return false;
        size_t len = (size_t)(colon - listen);
        if (len >= 2 && from[0] == '[' && from[len - 1] == ']') {
                from++;
                len -= 2;
        }
        if (len >= size)
                return false;
        memcpy(host, from, len);
        host[len] = '\0';
        return true;
}

static const char *listen_of(const struct sandbox_config *config) {
        return config->listen ? config->listen : SANDBOX_LISTEN_DEFAULT;
}

/* Every address of the machine, rather than one. */
static bool is_any(const char *host) {
        return host[0] == '\0' || strcmp(host, "0.0.0.0") == 0 || strcmp(host, "::") == 0;
}

static int start_tls(struct sandbox *sandbox, const struct sandbox_config *config,
                     struct err *err) {
        const char *listen = listen_of(config);
        char host[256];

        if (!host_of(listen, host, sizeof(host)))
                return err_set(err, BERTH_ERR_USAGE, "expected ADDRESS:PORT, found \"%s\"", listen);
        return config->data_dir ? tls_material_keep(config->data_dir, is_any(host) ? NULL : host,
                                                    &sandbox->tls, err)
                                : tls_material_make(is_any(host) ? NULL : host, &sandbox->tls, err);
}

static void let_in(void *context) {
        http_front_let_in(context);
}

static int start_front(struct sandbox *sandbox, const struct sandbox_config *config,
                       struct err *err) {
        const char *listen = listen_of(config);
        char host[256];

        host_of(listen, host, sizeof(host)); /* start_tls has checked it */
        struct http_handler handler = api_server_handler(sandbox->server);
        if (http_front_new(
                    &(struct http_front_config){ .address = listen,
                                                 .key_pem = sandbox->tls.key_pem,
                                                 .certificate_pem = sandbox->tls.certificate_pem },
                    &handler, sandbox->loop, &sandbox->front, err) < 0)
                return err->code;
        api_server_let_in(sandbox->server, let_in, sandbox->front);
        snprintf(sandbox->url, sizeof(sandbox->url),
                 strchr(host, ':') ? "https://[%s]:%u" : "https://%s:%u",
                 is_any(host) ? "127.0.0.1" : host, http_front_port(sandbox->front));
        return 0;
}

static int write_kubeconfig(struct sandbox *sandbox, const char *path, struct err *err) {
        struct kubeconfig kubeconfig = { .server = sandbox->url,
                                         .ca_pem = sandbox->tls.ca_pem,
                                         .token = sandbox->token };

        return path ? kubeconfig_write(path, &kubeconfig, err) : 0;
}

static int start_control(struct sandbox *sandbox, const struct sandbox_config *config,
                         struct err *err) {
        return control_new(&(struct control_config){ .loop = sandbox->loop,
                                                     .server = sandbox->server,
                                                     .ca_pem = sandbox->tls.ca_pem,
                                                     .controllers = config->controllers,
                                                     .seed = config->seed,
                                                     .is_quiet = config->is_quiet },
                           &sandbox->control, err);
}

int sandbox_start(const struct sandbox_config *config, struct loop *loop,
                  struct sandbox **ret_sandbox, struct err *err) {
        struct sandbox *sandbox = xcalloc(1, sizeof(*sandbox));
        struct err local = { 0 };

        sandbox->loop = loop;
        if (start_store(sandbox, config, &local) < 0 || start_tls(sandbox, config, &local) < 0 ||
            start_server(sandbox, config, &local) < 0 || start_front(sandbox, config, &local) < 0 ||
            start_control(sandbox, config, &local) < 0 ||
            write_kubeconfig(sandbox, config->kubeconfig_out, &local) < 0) {
                sandbox_stop(sandbox);
                if (err)
                        *err = local;
                return local.code;
        }
        *ret_sandbox = sandbox;
        return 0;
}

void sandbox_stop(struct sandbox *sandbox) {
        if (!sandbox)
                return;
        for (size_t i = 0; i < sandbox->transport_count; i++)
                local_transport_free(sandbox->transports[i]);
        control_free(sandbox->control);
        if (sandbox->server) /* a start may fail before there is one */
                api_server_let_in(sandbox->server, NULL, NULL);
        http_front_free(sandbox->front);
        api_server_free(sandbox->server);
        native_evictions_free(sandbox->native);
        webhook_client_free(sandbox->webhooks);
        store_free(sandbox->store);
        tls_material_release(&sandbox->tls);
        free(sandbox);
}

size_t sandbox_node_count(const struct sandbox *sandbox) {
        return store_count(sandbox->store, api_server_resource(sandbox->server, "", "nodes"));
}

const char *sandbox_url(const struct sandbox *sandbox) {
        return sandbox->url;
}

struct api_server *sandbox_server(struct sandbox *sandbox) {
        return sandbox->server;
}

struct control *sandbox_control(struct sandbox *sandbox) {
        return sandbox->control;
}

struct transport sandbox_transport(struct sandbox *sandbox, const struct api_user *user,
                                   const char *user_agent) {
        assert(sandbox->transport_count < SANDBOX_TRANSPORTS_MAX);
        struct local_transport *local =
                local_transport_new(sandbox->server, sandbox->loop, user, user_agent);
        sandbox->transports[sandbox->transport_count++] = local;
        return local_transport(local);
}
