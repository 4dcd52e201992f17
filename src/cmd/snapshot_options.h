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

#define SNAPSHOT_OPTIONS(options_type, member)                                                     \
        { .name = "objects",                                                                       \
          .type = OPTION_TEXTS,                                                                    \
          .offset = offsetof(options_type, member.objects),                                        \
          .value_name = "FILE|DIR",                                                                \
          .is_file = true,                                                                         \
          .help = "the cluster as files: YAML or JSON as kubectl get -o writes "                   \
                  "it, a folder, or - for standard input; without it a live "                      \
                  "cluster is read" },                                                             \
                { .name = "kubeconfig",                                                            \
                  .type = OPTION_TEXT,                                                             \
                  .offset = offsetof(options_type, member.kubeconfig),                             \
                  .value_name = "FILE",                                                            \
                  .is_file = true,                                                                 \
                  .help = "kubeconfig of the live cluster; without it $KUBECONFIG, "               \
                          "~/.kube/config, or the pod's service account" },                        \
                { .name = "context",                                                               \
                  .type = OPTION_TEXT,                                                             \
                  .offset = offsetof(options_type, member.context),                                \
                  .value_name = "NAME",                                                            \
                  .help = "context of the kubeconfig" },                                           \
                { .name = "config",                                                                \
                  .type = OPTION_TEXT,                                                             \
                  .offset = offsetof(options_type, member.config),                                 \
                  .value_name = "FILE",                                                            \
                  .is_file = true,                                                                 \
                  .help = "KubeSchedulerConfiguration; without it the default profile" },          \
                { .name = "policy",                                                                \
                  .type = OPTION_TEXT,                                                             \
                  .offset = offsetof(options_type, member.policy),                                 \
                  .value_name = "FILE",                                                            \
                  .is_file = true,                                                                 \
                  .help = "DeschedulerPolicy" },                                                   \
                { .name = "now",                                                                   \
                  .type = OPTION_TEXT,                                                             \
                  .offset = offsetof(options_type, member.now),                                    \
                  .value_name = "TIME",                                                            \
                  .help = "time at which ages are computed, such as "                              \
                          "2026-01-31T12:00:00Z; without it the present" },                        \
        {                                                                                          \
                .name = "parity", .type = OPTION_FLAG,                                             \
                .offset = offsetof(options_type, member.is_parity),                                \
                .help = "do as upstream does, defects included (docs/parity.md)"                   \
        }

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
