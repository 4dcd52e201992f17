/* berth up: an embedded cluster with every role in one process. */
#include "cmd/cmd.h"
#include "cmd/command.h"
#include "cmd/daemon_options.h"
#include "cmd/feature_gates.h"
#include "cmd/log_writer.h"
#include "cmd/release_option.h"
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
          .help = "Kubernetes objects, a DeschedulerPolicy, a "
                  "KubeSchedulerConfiguration or a Scenario, YAML or JSON: a "
                  "file or a folder" },
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
          .help = "simulated nodes to add; 10 when there is no input" },
        { .name = "policy",
          .type = OPTION_TEXT,
          .offset = offsetof(struct up_options, policy),
          .value_name = "FILE",
          .is_file = true,
          .help = "DeschedulerPolicy; without it the descheduler does not run" },
        { .name = "config",
          .type = OPTION_TEXT,
          .offset = offsetof(struct up_options, config),
          .value_name = "FILE",
          .is_file = true,
          .help = "KubeSchedulerConfiguration; without it the default profile" },
        { .name = "descheduling-interval",
          .type = OPTION_DURATION,
          .offset = offsetof(struct up_options, interval_ns),
          .value_name = "DURATION",
          .fallback = "10s",
          .min = 100 * NS_PER_MS,
          .max = 24 * 3600 * NS_PER_S,
          .help = "time between passes of the descheduler" },
        { .name = "watch",
          .type = OPTION_FLAG,
          .offset = offsetof(struct up_options, watches),
          .help = "the descheduler also acts between passes, within a second of "
                  "a change" },
        { .name = "dry-run",
          .type = OPTION_FLAG,
          .offset = offsetof(struct up_options, is_dry_run),
          .help = "report evictions, evict nothing" },
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
          .help = "with --settle: fail when changes have not ended by then; 0 = "
                  "no limit" },
        { .name = "for",
          .type = OPTION_DURATION,
          .offset = offsetof(struct up_options, for_ns),
          .value_name = "DURATION",
          .fallback = "0",
          .min = 0,
          .max = 365 * 24 * 3600 * NS_PER_S,
          .help = "end after this time; 0 runs until SIGINT or SIGTERM" },
        { .name = "report",
          .type = OPTION_TEXT,
          .offset = offsetof(struct up_options, report),
          .value_name = "FILE",
          .is_file = true,
          .help = "write the report to this file: a page where its name "
                  "ends in .html, else JSON" },
        { .name = "listen",
          .type = OPTION_TEXT,
          .offset = offsetof(struct up_options, listen),
          .value_name = "ADDR:PORT",
          .fallback = "127.0.0.1:0",
          .help = "address of the API server; port 0 takes any free port" },
        { .name = "kubeconfig-out",
          .type = OPTION_TEXT,
          .offset = offsetof(struct up_options, kubeconfig_out),
          .value_name = "FILE",
          .is_file = true,
          .help = "where to write the kubeconfig; without it a private "
                  "temporary file" },
        { .name = "data-dir",
          .type = OPTION_TEXT,
          .offset = offsetof(struct up_options, data_dir),
          .value_name = "DIR",
          .is_file = true,
          .help = "store the cluster in this folder; without it, in memory" },
        { .name = "controllers",
          .type = OPTION_TEXT,
          .offset = offsetof(struct up_options, controllers),
          .value_name = "LIST",
          .fallback = "*",
          .help = "controllers to run: names, * for all, -NAME to leave one "
                  "out, none" },
        { .group = release_option_table, .offset = offsetof(struct up_options, release) },
        { .name = "feature-gates",
          .type = OPTION_TEXT,
          .offset = offsetof(struct up_options, gates),
          .value_name = "NAME=BOOL,...",
          .help = "features to turn on, such as EvictionRequestAPI=true "
                  "(docs/sandbox.md) or GenericWorkload=true "
                  "(docs/scheduler.md)" },
        { .group = request_mode_option_table, .offset = offsetof(struct up_options, requests) },
        { .group = parity_option_table, .offset = offsetof(struct up_options, is_parity) },
        { .name = "seed",
          .type = OPTION_I64,
          .offset = offsetof(struct up_options, seed),
          .value_name = "N",
          .fallback = "1",
          .help = "seed of ties between nodes, uids and simulated durations" },
        { .group = dashboard_option_table, .offset = offsetof(struct up_options, page) },
        { .group = verbosity_option_table,
          .offset = offsetof(struct up_options, verbosity),
          .defaults = (const struct option_default[]){ { "v", "1" }, { 0 } } },
        { 0 },
};

const struct command command_up = {
        .name = "up",
        .summary = "run a cluster in this process, with scheduler and descheduler",
        .synopsis = "",
        .description = "Starts a Kubernetes API server with simulated nodes, the scheduler "
                       "and, given a policy, the descheduler, in one process. Creates the "
                       "objects of --input, --trace and --nodes, prints what happens, and "
                       "a report at the end. kubectl works with the kubeconfig it prints.",
        .options = up_table,
        .options_size = sizeof(struct up_options),
        .run = cmd_up_run,
};
