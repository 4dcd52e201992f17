/* What the commands of single roles share: a connection to a cluster, a runtime, leader election,
 * and an end at SIGTERM. */
#pragma once

#include "base/err.h"
#include "run/runtime.h"
#include <stdbool.h>
#include <stdint.h>

struct daemon_options {
        const char *kubeconfig, *context; /* NULL: $KUBECONFIG, ~/.kube/config, or the pod's own */
        const char *user_agent;
        int64_t verbosity;
        bool keeps_finished, keeps_detail, has_no_model; /* see struct runtime_config */
        /* Leader election; lease_name NULL = none. */
        const char *lease_name, *lease_namespace;
        int64_t lease_duration_ns, lease_renew_deadline_ns, lease_retry_period_ns;
        uint64_t seed;
};

struct daemon;

struct daemon_role {
        void *context;
        /* Adds the role to the runtime; the cluster model is empty still. */
        int (*add)(void *context, struct daemon *daemon, struct runtime *runtime, struct err *err);
};

/* Runs until a signal, until daemon_finish, or until leadership is lost (an error, as upstream's
 * programs end then). */
int daemon_run(const struct daemon_options *options, const struct daemon_role *role,
               struct err *err);
/* Ends the run with success: a single pass is over. */
void daemon_finish(struct daemon *daemon);
