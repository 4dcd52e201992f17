/* berth up: the main job, an embedded cluster with every role in one process. */
#include "cmd/cmd.h"
#include "cmd/command.h"
#include "cmd/daemon_options.h"
#include "cmd/feature_gates.h"
#include "cmd/log_writer.h"
#include "cmd/up.h"

#include "base/time.h"

static int cmd_up_run(const struct command_call *call) {
        const struct up_options *options = call->options;
        struct err err = { 0 };

        log_writer_set_level((int)options->verbosity);
        return up_run(options, &err) < 0 ? command_failed("up", &err) : EXIT_DONE;
}

static const struct option up_table[] = {
        { .name = "input",
          .type = OPTION_TEXTS,
          .offset = offsetof(struct up_options, inputs),
          .letter = 'f',
          .value_name = "FILE|DIR",
          .is_file = true,
          .help = "Kubernetes objects, a DeschedulerPolicy, a KubeSchedulerConfiguration or a "
                  "Scenario: YAML or JSON, a file or a folder" },
        { .name = "trace",
          .type = OPTION_TEXT,
          .offset = offsetof(struct up_options, trace),
          .value_name = "KIND=DIR",
          .help = "nodes and pods of a recorded cluster: openb=DIR" },
        { .name = "nodes",
          .type = OPTION_I64,
          .offset = offsetof(struct up_options, nodes),
          .value_name = "N",
          .max = 100000,
          .help = "simulated nodes besides those of the input; 10 when nothing is given" },
        { .name = "policy",
          .type = OPTION_TEXT,
          .offset = offsetof(struct up_options, policy),
          .value_name = "FILE",
          .is_file = true,
          .help = "DeschedulerPolicy; without one nothing is descheduled" },
        { .name = "config",
          .type = OPTION_TEXT,
          .offset = offsetof(struct up_options, config),
          .value_name = "FILE",
          .is_file = true,
          .help = "KubeSchedulerConfiguration" },
        { .name = "descheduling-interval",
          .type = OPTION_DURATION,
          .offset = offsetof(struct up_options, interval_ns),
          .value_name = "DURATION",
          .fallback = "10s",
          .min = 100 * NS_PER_MS,
          .max = 24 * 3600 * NS_PER_S,
          .help = "between passes of the descheduler" },
        { .name = "watch",
          .type = OPTION_FLAG,
          .offset = offsetof(struct up_options, watches),
          .help = "let the descheduler also act between passes, on changes and when rules fall "
                  "due" },
        { .name = "dry-run",
          .type = OPTION_FLAG,
          .offset = offsetof(struct up_options, is_dry_run),
          .help = "report evictions without performing them" },
        { .name = "settle",
          .type = OPTION_FLAG,
          .offset = offsetof(struct up_options, settles),
          .help = "end when nothing changes any more" },
        { .name = "timeout",
          .type = OPTION_DURATION,
          .offset = offsetof(struct up_options, timeout_ns),
          .value_name = "DURATION",
          .fallback = "10m",
          .min = 0,
          .max = 24 * 3600 * NS_PER_S,
          .help = "fail when the cluster has not settled by then; 0 waits for ever" },
        { .name = "for",
          .type = OPTION_DURATION,
          .offset = offsetof(struct up_options, for_ns),
          .value_name = "DURATION",
          .fallback = "0",
          .min = 0,
          .max = 365 * 24 * 3600 * NS_PER_S,
          .help = "end after this time; 0 runs until a signal" },
        { .name = "report",
          .type = OPTION_TEXT,
          .offset = offsetof(struct up_options, report),
          .value_name = "FILE",
          .is_file = true,
          .help = "write the report as JSON" },
        { .name = "listen",
          .type = OPTION_TEXT,
          .offset = offsetof(struct up_options, listen),
          .value_name = "ADDR:PORT",
          .fallback = "127.0.0.1:0",
          .help = "where the cluster is served; port 0 takes any" },
        { .name = "kubeconfig-out",
          .type = OPTION_TEXT,
          .offset = offsetof(struct up_options, kubeconfig_out),
          .value_name = "FILE",
          .is_file = true,
          .help = "where to write the kubeconfig; a private temporary file by default" },
        { .name = "data-dir",
          .type = OPTION_TEXT,
          .offset = offsetof(struct up_options, data_dir),
          .value_name = "DIR",
          .is_file = true,
          .help = "keep the cluster in this folder; without it, in memory" },
        { .name = "controllers",
          .type = OPTION_TEXT,
          .offset = offsetof(struct up_options, controllers),
          .value_name = "LIST",
          .fallback = "*",
          .help = "controllers to run: names, * for all, -NAME to leave one out, none" },
        { .name = "feature-gates",
          .type = OPTION_TEXT,
          .offset = offsetof(struct up_options, gates),
          .value_name = "NAME=BOOL,...",
          .help = "EvictionRequestAPI=true: serve lifecycle.k8s.io as Kubernetes will; "
                  "GenericWorkload=true and what builds on it: groups of pods" },
        PARITY_OPTION(struct up_options, is_parity),
        { .name = "seed",
          .type = OPTION_I64,
          .offset = offsetof(struct up_options, seed),
          .value_name = "N",
          .fallback = "1",
          .help = "of ties, uids and simulated durations" },
        VERBOSITY_OPTION(struct up_options, verbosity, "1"),
        OPTION_END,
};

const struct command command_up = {
        .name = "up",
        .summary = "run an embedded cluster with every role; the main job",
        .synopsis = "",
        .description =
                "Starts a Kubernetes API server with simulated nodes, the scheduler and, given a "
                "policy, the descheduler, in one process. Creates what --input, --trace and "
                "--nodes name, shows what happens, and prints a report at the end. kubectl works "
                "against it with the printed kubeconfig.",
        .options = up_table,
        .options_size = sizeof(struct up_options),
        .run = cmd_up_run,
};
