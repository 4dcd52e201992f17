/* The scheduler's daemon, as `berth scheduler` and as kube-scheduler start it. */
#pragma once

#include "cmd/daemon.h"

struct scheduler_given { /* options that stand on the command line go before the file's values */
        bool elects, lease_name, lease_namespace, lease_duration, renew_deadline, retry_period;
};

struct scheduler_options {
        struct daemon_options daemon;
        const char *config, *lease_name, *gates;
        int64_t seed, unschedulable_timeout_ns;
        bool elects, is_parity;
        /* Only watch and compare; ends by itself after so many pods (0 = never). */
        bool is_shadow;
        int64_t shadow_pods;
        int output; /* enum output_format */
        struct scheduler_given given;
};

/* Runs until the end; returns an exit code.  name is the command's, for messages. */
int scheduler_command_run(const char *name, const struct scheduler_options *options);
/* Writes the configuration, defaults included, as YAML. */
int scheduler_command_write_config(const char *name, const struct scheduler_options *options,
                                   const char *path);
