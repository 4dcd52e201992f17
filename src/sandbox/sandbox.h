/* The embedded cluster put together: store, API server, control plane and listener on one loop. */
#pragma once

#include "base/err.h"
#include "port/loop.h"
#include "port/transport.h"
#include "server/api_server.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct api_server;
struct api_user;
struct control;
struct control_node;
struct sandbox;

struct sandbox_config {
        const char *listen;         /* "127.0.0.1:0"; port 0 = any */
        const char *data_dir;       /* must exist; NULL = memory only */
        const char *controllers;    /* as --controllers of kube-controller-manager; NULL = all */
        const char *kubeconfig_out; /* NULL = no file is written */
        const char *token;          /* of the administrator; NULL = a random one */
        uint64_t seed;
        unsigned minor;                /* of the Kubernetes it plays, 28 to 37; 0 = 36 */
        bool is_quiet;                 /* no Normal events about containers (large traces) */
        bool has_eviction_requests;    /* serves lifecycle.k8s.io and evictionResponders of pods */
        struct api_group_gates groups; /* where the version knows them */
        /* Calls of the eviction subresource do not wait for the stages of an EvictionPolicy. */
        bool passes_evictions;
};

/* Ready to serve when it returns 0; a failure leaves nothing behind but a created data folder's
 * database. */
int sandbox_start(const struct sandbox_config *config, struct loop *loop,
                  struct sandbox **ret_sandbox, struct err *err);
/* Accepts NULL. Runs one more iteration of the loop, which frees what was deferred. */
void sandbox_stop(struct sandbox *sandbox);

/* Nodes in the cluster, those a data folder brought included. */
size_t sandbox_node_count(const struct sandbox *sandbox);
const char *sandbox_url(const struct sandbox *sandbox); /* https://127.0.0.1:port */
struct api_server *sandbox_server(struct sandbox *sandbox);
struct control *sandbox_control(struct sandbox *sandbox); /* NULL with controllers "none" */
/* The server as a transport for a role in this process, acting as user. Owned by the sandbox; at
 * most SANDBOX_TRANSPORTS_MAX. */
#define SANDBOX_TRANSPORTS_MAX 8
struct transport sandbox_transport(struct sandbox *sandbox, const struct api_user *user,
                                   const char *user_agent);
