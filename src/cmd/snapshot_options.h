/* What commands over a snapshot have in common: where the cluster, the policy and the scheduler's
 * configuration come from. */
#pragma once

#include "ask/snapshot_input.h"
#include "cmd/option_table.h"
#include "roles/role_config.h"

struct snapshot_options {
        struct option_texts objects; /* none = a live cluster */
        const char *kubeconfig, *context, *config, *policy, *now;
        bool is_parity;
};

extern const struct option snapshot_option_table[]; /* of struct snapshot_options */

struct snapshot_inputs {
        struct snapshot snapshot;
        struct role_config config;
        struct wall_time now;
};

/* Reads the cluster and the files in wanted (pods to be asked about), then policy and configuration
 * (a file among the objects serves where no option names one), and builds the profiles.  Release
 * the inputs whatever came of it. */
int snapshot_inputs_read(struct snapshot_inputs *inputs, const struct snapshot_options *options,
                         const struct arguments *wanted, struct err *err);
void snapshot_inputs_release(struct snapshot_inputs *inputs);
