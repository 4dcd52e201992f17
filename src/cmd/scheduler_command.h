/* The scheduler's daemon, as `berth scheduler` and as kube-scheduler start it. */
#pragma once

#include "cmd/daemon.h"
#include "cmd/option_table.h"

struct scheduler_options {
        struct daemon_options daemon;
        const char *config, *gates;
        int64_t seed, unschedulable_timeout_ns;
        bool is_parity, reserves;
        /* Only watch and compare; ends by itself after so many pods (0 = never). */
        bool is_shadow;
        int64_t shadow_pods;
        const char *shadow_report; /* page to be written; NULL = none */
        int output;                /* enum output_format */
};

/* Runs until the end; returns an exit code.  name is the command's, for messages. */
int scheduler_command_run(const char *name, const struct scheduler_options *options);
/* Writes the configuration, defaults included, as YAML. */
int scheduler_command_write_config(const char *name, const struct scheduler_options *options,
                                   const char *path);

extern const struct option scheduler_options_table[]; /* of struct scheduler_options */
