/* Evictions asked for through the subresource wait in the sandbox until the stages of the pod's
 * EvictionPolicy are over: what the webhook of `berth evictions` does on a real cluster. */
#pragma once

#include "port/loop.h"
#include "server/api_server.h"

struct eviction_waits {
        struct api_server *server; /* set once there is one */
        struct loop *loop;
        bool is_native; /* requests are of lifecycle.k8s.io */
};

/* For api_server_config; waits must outlive the server. */
struct api_eviction_judge eviction_waits_judge(struct eviction_waits *waits);
