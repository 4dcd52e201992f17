/* berth scheduler: places pods on the nodes of a cluster. */
#include "cmd/cmd.h"
#include "cmd/command.h"
#include "cmd/daemon_options.h"
#include "cmd/feature_gates.h"
#include "cmd/output.h"
#include "cmd/scheduler_command.h"

static int cmd_scheduler_check(const void *options, struct arena *arena, struct err *err) {
        const struct scheduler_options *given = options;
        uint32_t gates;

        (void)arena;
        return feature_gates_read(given->gates, scheduler_feature_gates, &gates, err);
}

static int cmd_scheduler_run(const struct command_call *call) {
        struct scheduler_options options = *(const struct scheduler_options *)call->options;

        options.daemon.guard.is_on = options.daemon.guard.uses_own = true;
        return scheduler_command_run("scheduler", &options);
}

const struct option scheduler_options_table[] = {
        { .name = "config",
          .type = OPTION_TEXT,
          .offset = offsetof(struct scheduler_options, config),
          .value_name = "FILE",
          .is_file = true,
          .help = "KubeSchedulerConfiguration; without it the default profile" },
        { .name = "feature-gates",
          .type = OPTION_TEXT,
          .offset = offsetof(struct scheduler_options, gates),
          .value_name = "NAME=BOOL,...",
          .help = "features of kube-scheduler to turn on or off "
                  "(docs/scheduler.md)" },
        { .group = parity_option_table, .offset = offsetof(struct scheduler_options, is_parity) },
        { .name = "eviction-reservations",
          .type = OPTION_FLAG,
          .offset = offsetof(struct scheduler_options, reserves),
          .help = "reserve capacity for the replacements of pods that an "
                  "EvictionPolicy moves; at a tie, preempt pods that are "
                  "evicted quickly" },
        { .name = "shadow",
          .type = OPTION_FLAG,
          .offset = offsetof(struct scheduler_options, is_shadow),
          .help = "write nothing: make the decisions another scheduler makes, "
                  "and report how often both agree" },
        { .name = "shadow-pods",
          .type = OPTION_I64,
          .offset = offsetof(struct scheduler_options, shadow_pods),
          .value_name = "N",
          .help = "with --shadow: end after so many decisions; 0 runs until "
                  "SIGTERM" },
        { .name = "shadow-report",
          .type = OPTION_TEXT,
          .offset = offsetof(struct scheduler_options, shadow_report),
          .value_name = "FILE",
          .is_file = true,
          .help = "with --shadow: also write the report to this file at the end, as a page without "
                  "scripts or links" },
        { .group = output_option_table, .offset = offsetof(struct scheduler_options, output) },
        { .name = "seed",
          .type = OPTION_I64,
          .offset = offsetof(struct scheduler_options, seed),
          .value_name = "N",
          .help = "seed of ties between nodes; 0 takes a random one" },
        { .group = cluster_option_table, .offset = offsetof(struct scheduler_options, daemon) },
        { .group = election_option_table,
          .offset = offsetof(struct scheduler_options, daemon),
          .defaults = (const struct option_default[]){ { "leader-elect", "true" },
                                                       { "leader-elect-resource-name",
                                                         "kube-scheduler" },
                                                       { "leader-elect-lease-duration", "15s" },
                                                       { "leader-elect-renew-deadline", "10s" },
                                                       { "leader-elect-retry-period", "2s" },
                                                       { 0 } } },
        { .group = serving_option_table, .offset = offsetof(struct scheduler_options, daemon) },
        { .group = guard_option_table, .offset = offsetof(struct scheduler_options, daemon.guard) },
        { .group = dashboard_option_table,
          .offset = offsetof(struct scheduler_options, daemon.page) },
        { .group = verbosity_option_table,
          .offset = offsetof(struct scheduler_options, daemon.verbosity),
          .defaults = (const struct option_default[]){ { "v", "2" }, { 0 } } },
        { 0 },
};

const struct command command_scheduler = {
        .name = "scheduler",
        .summary = "place pods on nodes, as kube-scheduler does",
        .synopsis = "",
        .description = "Stands in for kube-scheduler 1.36: same plugins, messages, events "
                       "and metrics. Reads KubeSchedulerConfiguration v1.",
        .options = scheduler_options_table,
        .options_size = sizeof(struct scheduler_options),
        .check = cmd_scheduler_check,
        .run = cmd_scheduler_run,
};
