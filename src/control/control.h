/* The control plane of the sandbox: simulated kubelets and the controllers that a cluster has,
 * under the names kube-controller-manager gives them. Everything talks to the embedded API server
 * in process and takes time from the loop, so that a simulator can drive it. */
#pragma once

#include "base/err.h"
#include "base/time.h"
#include "port/loop.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct api_server;
struct store;
struct control;

/* Names of controllers that others leave out. */
#define CONTROLLER_GARBAGE_COLLECTOR "garbage-collector-controller"
#define CONTROLLER_POD_COLLECTOR "pod-garbage-collector-controller"

struct control_config {
        struct loop *loop;         /* must outlive the control */
        struct api_server *server; /* likewise */
        /* As --controllers of kube-controller-manager: a comma-separated list of names, "*" for
         * all, "-name" to leave one out, "none" for nothing. NULL = "*". The simulated nodes are
         * the controller "kubelet". */
        const char *controllers;
        const char *ca_pem; /* for kube-root-ca.crt in every namespace; copied; NULL = empty */
        uint64_t seed;
        /* 0 = default. */
        int64_t start_delay_ns;   /* from binding to running containers; 100 ms */
        int64_t stop_delay_ns;    /* from the signal to the end of a container; 200 ms */
        int64_t backoff_first_ns; /* first pause of a crashing container; 10 s */
        int64_t backoff_max_ns;   /* 5 min */
        int64_t heartbeat_ns;     /* renewal of a node's Lease; 10 s */
        int64_t node_grace_ns;    /* without heartbeat a node becomes Unknown; 50 s */
        /* For large traces: no Normal events about containers, and no status of its own for a pod
         * that was accepted and has not started yet. */
        bool is_quiet;
};

/* Starts at once with everything that the store holds. Errors: INVALID for an unknown controller,
 * with a text that lists the known ones. */
int control_new(const struct control_config *config, struct control **ret_control, struct err *err);
void control_free(struct control *control); /* accepts NULL; before api_server_free */

/* What a synthetic node offers; NULL members take the default. */
struct control_node {
        const char *prefix;              /* names are PREFIX0, PREFIX1, ...; "node-" */
        const char *cpu, *memory, *pods; /* "8", "32Gi", "110" */
        const char *const *labels;       /* key, value, ..., NULL; besides the usual */
        unsigned zones;                  /* topology.kubernetes.io/zone; 0 = none */
};
/* Creates nodes with consecutive numbers, going on after the last call with that prefix. node may
 * be NULL. */
int control_add_nodes(struct control *control, unsigned count, const struct control_node *node,
                      struct err *err);

/* Nothing is queued or waits for a webhook, no pod or node of the simulated kubelets is changing
 * its state, and no job waits to replace a failed pod; heartbeats and time-outs of controllers do
 * not count. */
bool control_is_settled(const struct control *control);
/* When the next pod of the simulated kubelets changes state by itself; ns is INT64_MAX when none
 * does. */
struct mono_time control_next_transition(const struct control *control);

struct control_stats {
        uint64_t reconciles, writes, failed_writes, events;
        size_t queued, transitions; /* keys to look at now; pods that change by themselves later */
};
void control_stats(const struct control *control, struct control_stats *ret_stats);

/* Names of all controllers, in the order they run; NULL at the end. */
const char *control_controller_name(size_t index);
/* Checks a list without starting anything. */
int control_check_controllers(const char *controllers, struct err *err);
